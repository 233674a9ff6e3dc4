//! Home as the loop sees it: drawing, keys and the mouse.

use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyEvent, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Constraint::{Fill, Length};
use ratatui::layout::{Layout, Position, Rect};

use super::{Home, HomeModel, HomeOutcome, SIDE_BY_SIDE, Typing};
use crate::tui::actions::{Key, KeyMap, ScreenContext};
use crate::tui::keys::{ARRANGEABLE, Action, HOME, SEARCHED, scroll_text};
use crate::tui::screen::{Effect, Overlay, Screen, footer, page, searching, typing};
use crate::tui::theme::{Appearance, Role};
use crate::tui::widget::frame;
use crate::tui::widget::text_input::{InputResult, TextInput};
use debate_lab::plan::Reproduction;

impl<L: HomeModel> Screen for Home<'_, L> {
    type Outcome = HomeOutcome<L::HomeItem>;

    fn render(&mut self, look: &Appearance, buffer: &mut Buffer, area: Rect) {
        self.poll();
        let title = " debate-tui   debates in which lying does not pay: play, watch, measure";
        let [head, body, last] = page(area);
        look.put(title, Role::Title, buffer, head);
        let layout = if area.width >= SIDE_BY_SIDE {
            Layout::horizontal([Length((area.width * 9 / 20).min(64)), Fill(1)])
        } else {
            Layout::vertical([Length(body.height / 2), Fill(1)])
        };
        let [sections, preview] = layout.areas(body);
        let name = if self.pattern.is_empty() {
            "Open".to_owned()
        } else {
            format!("Open: {}", self.pattern)
        };
        let inner = frame(&name, true, look, buffer, sections);
        self.place = inner;
        self.list.fit(self.rows.len(), inner);
        self.list.render(
            self.rows.len(),
            |row| self.row(row, look),
            true,
            look,
            buffer,
            inner,
        );
        if self.rows.is_empty() {
            let notice = "Nothing has these words; / changes them.";
            look.put(notice, Role::Faint, buffer, inner);
        }
        self.draw_preview(look, buffer, preview);
        match &self.typing {
            Some(Typing::Search(line)) => searching(line, look, buffer, last),
            Some(Typing::Name(line)) => {
                let keys = "enter keeps it, none takes it away, esc gives up";
                typing("Name", keys, line, look, buffer, last);
            }
            None => {
                let note = self.note.as_deref();
                footer(note, self.keys, self.screen_context(), look, buffer, last);
            }
        }
    }

    fn screen_context(&self) -> ScreenContext {
        let item = self.marked().map(|item| self.library.facts(item));
        ScreenContext {
            context: HOME,
            screen: HOME,
            facts: ARRANGEABLE
                | item.unwrap_or_default()
                | SEARCHED.only_if(!self.pattern.is_empty()),
        }
    }

    fn standing(&self) -> Option<String> {
        let Some((heading, item)) = self.marked_row() else {
            return Some("Home: nothing has these words.".to_owned());
        };
        let value = match item.value.as_str() {
            "" => String::new(),
            value => format!(", {value}"),
        };
        Some(format!("Home, {heading}: {}{value}.", item.title))
    }

    fn reproduction(&self) -> Option<Reproduction> {
        self.library.reproduction(self.marked()?)
    }

    fn overlay(&mut self) -> (&mut Overlay, &KeyMap<Action>) {
        (&mut self.overlay, self.keys)
    }

    fn about(&self) -> [String; 2] {
        let about = "Mark something and open it with {open}. A scenario is a question that two \
                     players debate before a judge; you can take any seat.";
        [about.to_owned(), String::new()]
    }

    fn act(&mut self, action: Action) -> Effect<Self::Outcome> {
        let page = isize::try_from(self.place.height).unwrap_or(1);
        self.moved = true;
        self.wanted = None;
        match action {
            Action::Open => return self.leave(HomeOutcome::HomeItem),
            Action::Arrange => return self.leave(HomeOutcome::Arranged),
            Action::WatchAgain => return self.leave(HomeOutcome::Watched),
            Action::Compare => return self.leave(HomeOutcome::Compared),
            Action::Remove => self.ask_to_remove(),
            Action::Rename => {
                let name = self.marked().map(|item| self.library.name(item));
                self.typing = name.map(|name| Typing::Name(TextInput::of(&name)));
            }
            Action::Hide => {
                let next = self.next_item();
                return self.leave(|item| HomeOutcome::Hidden(item, next));
            }
            Action::ShowHidden => {
                return Effect::Leave(HomeOutcome::ShowHidden(self.marked().cloned()));
            }
            Action::Quit => return Effect::Leave(HomeOutcome::Quit),
            Action::NextPanel => self.step_section(true),
            Action::PreviousPanel => self.step_section(false),
            Action::ReadOn | Action::ReadBack => {
                scroll_text(action, &mut self.about, &self.preview.about);
            }
            Action::Search => self.typing = Some(Typing::Search(TextInput::of(&self.pattern))),
            Action::Stop => {
                self.pattern.clear();
                self.arrange();
            }
            _ => self.step(action.scroll_lines(page).unwrap_or(0)),
        }
        Effect::None
    }

    fn note(&mut self) -> &mut Option<String> {
        &mut self.note
    }

    fn gone(&self) -> Self::Outcome {
        HomeOutcome::Quit
    }

    fn type_key(&mut self, event: KeyEvent) -> Option<Effect<Self::Outcome>> {
        if std::mem::take(&mut self.removing) {
            if Key::from(event).character() == Some('y') {
                let next = self.next_item();
                return Some(self.leave(|item| HomeOutcome::Removed(item, next)));
            }
            self.note = Some("It is kept.".to_owned());
            return Some(Effect::None);
        }
        match self.typing.as_mut()? {
            Typing::Search(line) => match line.key(event) {
                InputResult::Submitted => self.typing = None,
                InputResult::Cancelled => {
                    self.typing = None;
                    self.pattern.clear();
                    self.arrange();
                }
                InputResult::Changed | InputResult::Ignored => self.search(),
            },
            Typing::Name(line) => match line.key(event) {
                InputResult::Submitted => {
                    let name = line.text().trim().to_owned();
                    self.typing = None;
                    return Some(self.leave(|item| HomeOutcome::Renamed(item, name)));
                }
                InputResult::Cancelled => self.typing = None,
                InputResult::Changed | InputResult::Ignored => {}
            },
        }
        Some(Effect::None)
    }

    fn pasted(&mut self, text: &str) {
        match &mut self.typing {
            Some(Typing::Search(line)) => {
                line.paste(text);
                self.search();
            }
            Some(Typing::Name(line)) => line.paste(text),
            None => {}
        }
    }

    fn touch(&mut self, event: MouseEvent) -> Effect<Self::Outcome> {
        if std::mem::take(&mut self.removing) {
            self.note = None;
        }
        let at = Position::new(event.column, event.row);
        match event.kind {
            MouseEventKind::Down(MouseButton::Left) if self.place.contains(at) => {
                let row = self.list.row_at(at.y - self.place.y, self.rows.len());
                let Some(row) = row.filter(|row| self.item_at(*row).is_some()) else {
                    return Effect::None;
                };
                // A second click on the marked book opens it.
                if self.clicks.is_second(row, Some(self.list.selected())) {
                    return self.act(Action::Open);
                }
                self.moved = true;
                self.wanted = None;
                self.list.select(row);
                self.update_preview();
            }
            MouseEventKind::ScrollDown => self.step(1),
            MouseEventKind::ScrollUp => self.step(-1),
            _ => {}
        }
        Effect::None
    }
}
