//! A page of a study: what a participant reads, and what is asked of them.

use crate::tui::widget::Canvas;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::Constraint::{Fill, Length};
use ratatui::layout::{Layout, Rect};

use crate::tui::actions::{Contexts, Key, KeyMap, ScreenContext};
use crate::tui::keys::{Action, STUDY_CHOICE, STUDY_NUMBER, STUDY_READ, STUDY_TEXT, UNREAD};
use crate::tui::screen::{Effect, Screen, ScreenBase, ScreenParts, draw_title, page};
use crate::tui::theme::Role;
use crate::tui::widget::choice::{Choice, Item};
use crate::tui::widget::measure;
use crate::tui::widget::scroll::{Entry, Scroll, measure_lines};
use crate::tui::widget::slider::Slider;
use crate::tui::widget::text_input::{InputResult, TextInput};
use debate_core::text::safe_multiline;
use debate_lab::tell::AskKind;
use debate_study::{Clock, Input, SessionPage};

/// What the participant does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StudyOutcome {
    /// An answer to the page.
    Input(Input),
    /// They are gone: the window was closed.
    Gone,
}

/// Said where the end of the text was not shown yet.
const MORE: &str = "There is more to read: Enter goes on to it.";

/// How far the text of a page was read: the next page about the same text goes on there.
#[derive(Clone, Debug)]
pub struct ReadingPlace {
    lines: Vec<Entry>,
    scroll: Scroll,
    read: bool,
}

/// A page on the screen.
pub struct StudyPage<'t> {
    page: SessionPage,
    /// The participant is there as often as a key is pressed.
    clock: &'t mut Clock,
    base: ScreenBase<'t>,
    /// The text as it was drawn last: with the question, where that has no room of its own.
    shown: Vec<Entry>,
    scroll: Scroll,
    /// True if some of the text lies below the view.
    unread: bool,
    /// True once the end of the text was shown: no answer counts before.
    read: bool,
    slider: Slider,
    line: TextInput,
    items: Vec<Item>,
    choice: Choice,
    /// True once an option was pointed at: nothing is chosen by going on.
    pointed: bool,
    /// The page in words, until they are told.
    news: Option<String>,
    size: (u16, u16),
}

/// What is new on a page and what it asks, in words.
fn in_words(page: &SessionPage) -> String {
    let lines = page
        .page
        .lines
        .iter()
        .skip(page.new_from)
        .map(Entry::text)
        .filter(|it| !it.is_empty());
    let words: Vec<String> = std::iter::once(page.page.heading.clone())
        .chain(lines)
        .chain(page.ask_lines())
        .map(|it| safe_multiline(&it).into_owned())
        .collect();
    words.join("\n")
}

impl<'t> StudyPage<'t> {
    /// A page as it is shown first.
    pub fn new(page: SessionPage, clock: &'t mut Clock, keys: &'t KeyMap<Action>) -> Self {
        let items = match page.page.ask.as_ref().map(|ask| &ask.kind) {
            Some(AskKind::OneOf(options)) => options
                .iter()
                .map(|option| Item::new(None, option))
                .collect(),
            _ => Vec::new(),
        };
        let mut scroll = Scroll::fixed(0);
        if page.new_from > 0 {
            scroll.jump(&page.page.lines[..], page.new_from);
        }
        Self {
            news: Some(in_words(&page)),
            shown: page.page.lines.clone(),
            page,
            clock,
            base: ScreenBase::new(keys),
            scroll,
            unread: false,
            read: false,
            slider: Slider::default(),
            line: TextInput::default(),
            items,
            choice: Choice::default(),
            pointed: false,
            size: (0, 0),
        }
    }

    /// The page with its text as far read as another page of the same text was.
    #[must_use]
    pub fn read_to(mut self, place: Option<ReadingPlace>) -> Self {
        if let Some(place) = place.filter(|place| place.lines == self.page.page.lines) {
            self.scroll = place.scroll;
            self.read = place.read;
        }
        self
    }

    /// How far the text was read.
    pub fn place(&self) -> ReadingPlace {
        ReadingPlace {
            lines: self.page.page.lines.clone(),
            scroll: self.scroll.clone(),
            read: self.read,
        }
    }

    /// The form of the answer; `None` where nothing is asked any more.
    fn ask(&self) -> Option<&AskKind> {
        self.page.page.ask.as_ref().map(|ask| &ask.kind)
    }

    fn context(&self) -> Contexts {
        match self.ask() {
            None | Some(AskKind::Next | AskKind::Size | AskKind::Reply(_)) => STUDY_READ,
            Some(AskKind::OneOf(_)) => STUDY_CHOICE,
            Some(AskKind::Percent { .. }) => STUDY_NUMBER,
            Some(AskKind::Text { .. }) => STUDY_TEXT,
        }
    }

    /// What is asked, in words.
    fn asked(&self) -> Vec<Entry> {
        let question = match &self.page.page.ask {
            None => "Enter closes this.",
            Some(ask) => match ask.kind {
                AskKind::Next if !self.read => MORE,
                AskKind::Next | AskKind::Size => "Enter goes on.",
                _ => ask.text.as_str(),
            },
        };
        question
            .lines()
            .map(|line| Entry::of(Role::Title, line))
            .collect()
    }

    /// The rows that the answer takes below the question.
    fn rows(&self, columns: u16) -> u16 {
        let rows = match self.ask() {
            Some(AskKind::OneOf(_)) => Choice::rows(&self.items, columns),
            Some(AskKind::Percent { .. }) => 2,
            Some(AskKind::Text { .. }) => 1,
            None | Some(AskKind::Next | AskKind::Size | AskKind::Reply(_)) => 0,
        };
        measure::cells(rows)
    }

    fn draw_answer(&mut self, canvas: &mut Canvas<'_>, area: Rect) {
        match self.page.page.ask.as_ref().map(|ask| &ask.kind) {
            Some(AskKind::OneOf(_)) => {
                self.choice.fit(&self.items, area);
                self.choice.render(&self.items, self.pointed, canvas, area);
            }
            Some(AskKind::Percent { answers, .. }) => {
                let [track, below] = Layout::vertical([Length(1), Length(1)]).areas(area);
                self.slider.render(canvas, track);
                let [first, second] = answers;
                let shares = self.percent().map_or_else(
                    || ["?".to_owned(), "?".to_owned()],
                    |p| [p.to_string(), (100 - p).to_string()],
                );
                let split = format!("{first}: {} %   {second}: {} %", shares[0], shares[1]);
                let line = measure::clip(&split, below.width.into(), canvas.look.glyphs.ellipsis);
                canvas.put(&line, Role::Text, below);
            }
            Some(AskKind::Text { .. }) => {
                let typed = self.line.shown(area.width.into());
                canvas.put(&typed, Role::Title, area);
            }
            None | Some(AskKind::Next | AskKind::Size | AskKind::Reply(_)) => {}
        }
    }

    /// The whole percent that the slider stands at.
    fn percent(&self) -> Option<u8> {
        let answer = self.slider.answer()?;
        answer
            .strip_suffix('%')?
            .parse()
            .ok()
            .filter(|percent| *percent <= 100)
    }

    /// Gives the answer; before the end of the text was shown it reads on instead.
    fn send(&mut self) -> Effect<StudyOutcome> {
        if !self.read {
            let text = &self.shown[..];
            self.scroll.scroll(text, self.scroll.page());
            let remark = if self.scroll.is_at_end(text) {
                "That was all there is to read: Enter now gives your answer."
            } else {
                MORE
            };
            self.base.note = Some(remark.to_owned()).filter(|_| self.ask() != Some(&AskKind::Next));
            return Effect::None;
        }
        let input = match self.ask() {
            None | Some(AskKind::Next | AskKind::Reply(_)) => Input::Next,
            Some(AskKind::Size) => Input::Size(Some(self.size)),
            Some(AskKind::OneOf(_)) if !self.pointed => {
                self.base.note =
                    Some("Choose one: by its number, or with the arrows; then Enter.".to_owned());
                return Effect::None;
            }
            Some(AskKind::OneOf(_)) => Input::Choice(self.choice.selected()),
            Some(AskKind::Percent { .. }) => {
                let Some(answer) = self.slider.answer() else {
                    let remark = "Set it first: type a number of percent, or use the arrows.";
                    self.base.note = Some(remark.to_owned());
                    return Effect::None;
                };
                Input::Text(answer)
            }
            Some(AskKind::Text { .. }) => Input::Text(self.line.text().to_owned()),
        };
        Effect::Leave(StudyOutcome::Input(input))
    }

    fn point(&mut self, by: isize) {
        if self.pointed {
            self.choice.step(by, &self.items);
        } else {
            self.choice.select(if by < 0 {
                self.items.len().saturating_sub(1)
            } else {
                0
            });
        }
        self.pointed = true;
    }
}

impl Screen for StudyPage<'_> {
    type Outcome = StudyOutcome;

    fn render(&mut self, canvas: &mut Canvas<'_>, area: Rect) {
        self.size = (area.width, area.height);
        let [head, body, last] = page(area);
        draw_title(&self.page.page.heading, canvas, head);
        let columns = body.width.saturating_sub(2);
        let asked = self.asked();
        let lines = measure::cells(measure_lines(&asked, columns));
        let rows = self.rows(columns).min(body.height / 2);
        // A question that leaves no room for what is read stands below that, in the same text.
        let most = (body.height * 2 / 3).saturating_sub(rows + 2);
        let apart = lines <= most;
        let below = rows + 2 + if apart { lines } else { 0 };
        // What is asked without a text stands where one would begin to read.
        let alone = self.page.page.lines.is_empty() && apart;
        let [upper, lower] = if alone {
            let [lower, _] = Layout::vertical([Length(below), Fill(1)]).areas(body);
            [Rect::ZERO, lower]
        } else {
            Layout::vertical([Fill(1), Length(below)]).areas(body)
        };
        self.shown.clone_from(&self.page.page.lines);
        if !apart {
            self.shown.extend(asked);
        }
        let text = &self.shown[..];
        let new = self.page.new_from..if self.page.new_from > 0 {
            text.len()
        } else {
            0
        };
        if alone {
            self.unread = false;
            self.read = true;
        } else {
            let inner = canvas.frame("To read", !apart, upper);
            self.scroll.draw(text, &new, true, canvas, inner);
            self.unread = !self.scroll.is_at_end(text);
            self.read |= !self.unread;
        }
        let inner = canvas.frame("To answer", true, lower);
        let [question, answer] = Layout::vertical([Fill(1), Length(rows)]).areas(inner);
        if apart {
            // Whether there is more to read is known by now.
            let asked = self.asked();
            Scroll::fixed(0).draw(&asked[..], &(0..0), false, canvas, question);
        }
        self.draw_answer(canvas, answer);
        self.base.footer(self.screen_context(), canvas, last);
    }

    fn screen_context(&self) -> ScreenContext {
        ScreenContext::of(self.context(), UNREAD.only_if(self.unread))
    }

    fn parts(&mut self) -> ScreenParts<'_> {
        self.base.parts()
    }

    fn about(&self) -> [String; 2] {
        let about = "A study. Everything that you answer is kept at once. You may leave at any time: what that means \
                     is asked.";
        [about.to_owned(), String::new()]
    }

    fn act(&mut self, action: Action) -> Effect<StudyOutcome> {
        match action {
            Action::Send | Action::Onward => return self.send(),
            Action::Quit if self.page.is_last() => return Effect::Leave(StudyOutcome::Gone),
            Action::Quit => return Effect::Leave(StudyOutcome::Input(Input::Leave)),
            Action::Above => self.point(-1),
            Action::Below => self.point(1),
            Action::Lower => self.slider.step(-1),
            Action::Raise => self.slider.step(1),
            Action::LowerMuch => self.slider.step(-10),
            Action::RaiseMuch => self.slider.step(10),
            _ => {
                if let Some(lines) = action.scroll_lines(self.scroll.page()) {
                    self.scroll.scroll(&self.shown[..], lines);
                }
            }
        }
        Effect::None
    }

    fn standing(&self) -> Option<String> {
        match self.ask() {
            Some(AskKind::Percent { .. }) => self.slider.in_words(),
            Some(AskKind::OneOf(_)) if self.pointed => {
                let item = self.items.get(self.choice.selected())?;
                Some(item.in_words())
            }
            _ => None,
        }
    }

    fn spoken(&mut self) -> Option<String> {
        self.news.take()
    }

    fn gone(&self) -> StudyOutcome {
        StudyOutcome::Gone
    }

    /// Home shows other debates: a participant stays here.
    fn go_home(&mut self) -> Effect<StudyOutcome> {
        Effect::None
    }

    fn type_key(&mut self, event: KeyEvent) -> Option<Effect<StudyOutcome>> {
        self.clock.touch();
        if !matches!(self.ask(), Some(AskKind::Text { .. })) {
            return None;
        }
        match self.line.key(event) {
            InputResult::Submitted => Some(self.send()),
            InputResult::Cancelled => Some(Effect::Leave(StudyOutcome::Input(Input::Leave))),
            InputResult::Changed => Some(Effect::None),
            InputResult::Ignored => None,
        }
    }

    fn other_key(&mut self, event: KeyEvent) -> Effect<StudyOutcome> {
        let typed = Key::from(event).character();
        match (self.context(), typed) {
            (STUDY_CHOICE, Some(c)) if self.choice.press(c, &self.items).is_some() => {
                self.pointed = true;
            }
            (STUDY_NUMBER, Some(c)) => {
                self.slider.type_character(c);
            }
            (STUDY_NUMBER, None) if event.code == KeyCode::Backspace => {
                self.slider.erase();
            }
            _ => {}
        }
        Effect::None
    }

    fn pasted(&mut self, text: &str) {
        if matches!(self.ask(), Some(AskKind::Text { .. })) {
            self.line.paste(text);
        }
    }
}
