//! The home screen: sections of items to open, with a preview of the marked item.
//!
//! The caller owns the items. The home screen returns the target of the chosen item.

use ratatui::crossterm::event::{KeyEvent, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Constraint::{Fill, Length};
use ratatui::layout::{Layout, Position, Rect};

use crate::tui::actions::{Facts, KeyMap, KeyPress, ScreenKeyContext};
use crate::tui::keys::{Action, HOME, SEARCHED, scroll_text, unavailable_reason};
use crate::tui::screen::{
    BorrowedScreenParts, Screen, ScreenBase, ScreenEffect, ScreenExt as _,
    ScreenHelpAndReproduction, UnmappedScreenInput, draw_search_line, draw_typed_line, page_areas,
};
use crate::tui::theme::{ScreenAppearance, TextRole};
use crate::tui::widget::scroll::{Entry, Scroll, measure_lines};
use crate::tui::widget::text_input::{LineInputResult, TextInput};
use crate::tui::widget::tree::{RowSelectionAndScroll, TreeRow};
use crate::tui::widget::{Canvas, measure};
use debate_host::plan::ReproductionInfo;
use debate_text::claim_tree::FoldState;

/// Minimum width of the screen at which the preview is beside the sections; below this width it is under them.
const SIDE_BY_SIDE: u16 = 70;

/// The state of the home screen.
pub struct HomeScreen<'h, L: HomeModel> {
    library: &'h mut L,
    base: ScreenBase<'h>,
    /// The index of the section and of the item in each row of the list; a heading has no item.
    rows: Vec<(usize, Option<usize>)>,
    list: RowSelectionAndScroll,
    preview: HomeItemPreview,
    /// The item of the preview.
    shown: Option<L::HomeItem>,
    /// The item to mark as soon as it is loaded.
    item_to_mark: Option<L::HomeItem>,
    about: Scroll,
    /// True if the mark stays on its item when further items are loaded, because the user acted or the caller chose
    /// the item.
    has_user_moved: bool,
    typing: Option<Typing>,
    /// True while the user is asked to confirm the deletion of the marked item.
    is_confirming_removal: bool,
    pattern: String,
}

/// A line that the user is typing.
enum Typing {
    /// A search term.
    Search(TextInput),
    /// A new name for the item of the home screen that is marked, such as a saved debate.
    Name(TextInput),
}

/// Columns of a row in addition to its title and value: the frame, the indent and a gap.
const ROW_PADDING: usize = 6;
/// Minimum width at which the list shortens a title so that the item's value fits. A narrower list leaves out values
/// that do not fit beside the title.
const MIN_WIDTH_FOR_VALUES: u16 = 44;

impl<'h, L: HomeModel> HomeScreen<'h, L> {
    /// Opens the home screen with the item `marked` marked, or else the first item.
    pub fn new(library: &'h mut L, keys: &'h KeyMap<Action>, marked: Option<&L::HomeItem>) -> Self {
        let mut home = Self {
            library,
            base: ScreenBase::new(keys),
            rows: Vec::new(),
            list: RowSelectionAndScroll::default(),
            preview: HomeItemPreview::default(),
            shown: None,
            item_to_mark: None,
            about: Scroll::at_start_without_following(0),
            has_user_moved: false,
            typing: None,
            is_confirming_removal: false,
            pattern: String::new(),
        };
        home.update_rows();
        if let Some(marked) = marked {
            home.has_user_moved = home.mark(marked);
            home.item_to_mark = (!home.has_user_moved).then(|| marked.clone());
        }
        home
    }

    /// Marks an item of the list. Returns false if the list does not contain it.
    fn mark(&mut self, item: &L::HomeItem) -> bool {
        let is_it = |row: &usize| self.item_at(*row) == Some(item);
        let Some(row) = (0..self.rows.len()).find(is_it) else {
            return false;
        };
        self.list.select(row);
        self.update_preview();
        true
    }

    /// Adds items that were loaded since the last call. Then marks `item_to_mark` if it was loaded. Otherwise the
    /// marked item stays marked if `has_user_moved` is true, else the first item is marked.
    fn poll(&mut self) {
        if !self.library.poll() {
            return;
        }
        let before = self.marked().cloned().filter(|_| self.has_user_moved);
        self.shown = None;
        self.update_rows();
        if let Some(item) = self.item_to_mark.take().or(before) {
            // The wanted item may still be loading.
            self.has_user_moved = self.mark(&item);
            self.item_to_mark = (!self.has_user_moved).then_some(item);
        }
    }

    /// Lists the rows of the items that contain every word of the search term, and marks the first of these items.
    fn update_rows(&mut self) {
        self.rows.clear();
        let words: Vec<String> = self
            .pattern
            .split_whitespace()
            .map(str::to_lowercase)
            .collect();
        for (shelf_number, section) in self.library.sections().iter().enumerate() {
            let is_shown = |item: &HomeItem<L::HomeItem>| {
                let texts = [&section.heading, &item.title, &item.value, &item.words];
                let text = texts.map(|text| text.to_lowercase()).join(" ");
                words.iter().all(|word| text.contains(word))
            };
            let items = section.items.iter().enumerate();
            let mut matching = items.filter(|(_, item)| is_shown(item)).peekable();
            if matching.peek().is_some() {
                self.rows.push((shelf_number, None));
            }
            let rows = matching.map(|(item, _)| (shelf_number, Some(item)));
            self.rows.extend(rows);
        }
        self.list.select(0);
        self.move_mark(0);
    }

    /// Shows only the items that match the typed search term.
    fn search(&mut self) {
        if let Some(Typing::Search(line)) = &self.typing {
            line.typed_text().trim().clone_into(&mut self.pattern);
            self.update_rows();
        }
    }

    /// Moves the mark by `by` rows; headings are skipped.
    fn move_mark(&mut self, by: isize) {
        let last = self.rows.len().saturating_sub(1);
        let at = self.list.selected().saturating_add_signed(by).min(last);
        let is_book = |row: &usize| self.rows.get(*row).is_some_and(|(_, item)| item.is_some());
        let after = (at..self.rows.len()).find(is_book);
        let before = (0..at).rfind(is_book);
        let neighbour = if by < 0 && !is_book(&at) {
            before.or(after)
        } else {
            after.or(before)
        };
        let at = neighbour.unwrap_or(0);
        self.list.select(at);
        self.update_preview();
    }

    /// Marks the first item of the next section, or of the previous one if `forward` is false.
    fn move_to_section(&mut self, forward: bool) {
        let at = self.list.selected();
        let mut headings = self.rows.iter().enumerate();
        let heading = if forward {
            headings.position(|(row, (_, item))| item.is_none() && row > at)
        } else {
            let here = self.rows.get(at).map(|(section, _)| *section);
            headings.rposition(|(row, (section, item))| {
                item.is_none() && row < at && Some(*section) != here
            })
        };
        if let Some(heading) = heading {
            self.list.select(heading);
            self.move_mark(1);
        }
    }

    /// Returns the section of a row and the row's item; a heading has no item.
    fn entry_at(&self, row: usize) -> Option<HomeRow<'_, L::HomeItem>> {
        let (section, item) = self.rows.get(row)?;
        let section = self.library.sections().get(*section)?;
        Some((section, item.and_then(|item| section.items.get(item))))
    }

    fn item_at(&self, row: usize) -> Option<&L::HomeItem> {
        let (_, item) = self.entry_at(row)?;
        Some(&item?.target)
    }

    fn marked(&self) -> Option<&L::HomeItem> {
        self.item_at(self.list.selected())
    }

    /// Returns the marked item with the heading of its section.
    fn marked_row(&self) -> Option<(&str, &HomeItem<L::HomeItem>)> {
        let (section, item) = self.entry_at(self.list.selected())?;
        Some((&section.heading, item?))
    }

    fn update_preview(&mut self) {
        let Some(item) = self.marked().cloned() else {
            self.preview = HomeItemPreview::default();
            self.shown = None;
            return;
        };
        if self.shown.as_ref() == Some(&item) {
            return;
        }
        self.shown = Some(item.clone());
        self.preview = self.library.preview(&item);
        self.about = Scroll::at_start_without_following(0);
    }

    /// Asks the user to confirm the deletion of the marked item.
    fn ask_to_remove(&mut self) {
        if let Some((
            _,
            HomeItem {
                title,
                value: details,
                ..
            },
        )) = self.marked_row()
        {
            self.base.note = Some(format!(
                "y deletes it permanently, any other key cancels: {title}, {details}"
            ));
            self.is_confirming_removal = true;
        }
    }

    /// Returns the item to mark after the marked one is deleted or hidden: the item below it, or else the item above
    /// it.
    fn next_item(&self) -> Option<L::HomeItem> {
        let row = self.list.selected();
        let after = (row + 1..self.rows.len()).find_map(|row| self.item_at(row));
        let before = || (0..row).rev().find_map(|row| self.item_at(row));
        after.or_else(before).cloned()
    }

    /// Leaves the home screen with an outcome about the marked item. No effect if no item is marked.
    fn leave_with(
        &self,
        how: impl FnOnce(L::HomeItem) -> HomeScreenChoice<L::HomeItem>,
    ) -> ScreenEffect<HomeScreenChoice<L::HomeItem>> {
        match self.marked().cloned() {
            Some(item) => ScreenEffect::Leave(how(item)),
            None => ScreenEffect::None,
        }
    }

    fn row(&self, number: usize, look: &ScreenAppearance) -> TreeRow {
        let Some((section, item)) = self.entry_at(number) else {
            return TreeRow::default();
        };
        match item {
            None => TreeRow {
                text: section.heading.clone(),
                fold: FoldState::Open,
                ..TreeRow::default()
            },
            Some(item) => TreeRow {
                text: format!("{} {}", progress_sign(item.progress, look), item.title),
                value: self.value(item).to_owned(),
                ..TreeRow::default()
            },
        }
    }

    /// Returns the text at the right edge of an item: the longest form with which the title still fits. A wide list
    /// otherwise shortens the title.
    fn value<'i>(&self, item: &'i HomeItem<L::HomeItem>) -> &'i str {
        let columns = usize::from(self.list.drawn_area.width);
        let title = measure::width(&item.title) + ROW_PADDING;
        let fits = |value: &&String| !value.is_empty() && title + measure::width(value) <= columns;
        match [&item.value, &item.medium, &item.brief, &item.shortest]
            .into_iter()
            .find(fits)
        {
            Some(value) => value,
            _ if columns >= usize::from(MIN_WIDTH_FOR_VALUES) => &item.value,
            _ => "",
        }
    }

    fn draw_preview(&mut self, canvas: &mut Canvas<'_>, area: Rect) {
        let inner = canvas.draw_frame("Preview", false, area);
        let claims = self.preview.claims.len();
        let lines = measure_lines(&self.preview.about, inner.width);
        let height = usize::from(inner.height);
        // The text comes first. The claims get the remaining rows, at least three.
        let tree = claims
            .min(height.saturating_sub(lines + 1).max(3))
            .min(height / 2 + 1);
        let tree = if claims == 0 { 0 } else { tree + 1 };
        let [upper, lower] = measure::split_rows(inner, height - tree);
        let lower = measure::rows(lower, 1, height);
        self.about
            .draw_text(&self.preview.about, true, canvas, upper);
        let mut view = RowSelectionAndScroll::default();
        let row = |number: usize| self.preview.claims.get(number).cloned().unwrap_or_default();
        view.draw(claims, row, false, canvas, lower);
    }
}

/// Returns the symbol before an item that shows the user's progress.
fn progress_sign(progress: PlayedOrWon, look: &ScreenAppearance) -> &'static str {
    match progress {
        PlayedOrWon::New => " ",
        PlayedOrWon::Played => look.glyphs.played,
        PlayedOrWon::Won => look.glyphs.won,
    }
}

/// The section of a row of the home screen, and the row's item.
type HomeRow<'h, B> = (&'h HomeSection<B>, Option<&'h HomeItem<B>>);

/// A section with a heading.
#[derive(Clone, Debug)]
pub struct HomeSection<B> {
    /// The heading: "Unfinished debates".
    pub heading: String,
    /// Its items.
    pub items: Vec<HomeItem<B>>,
}

/// An item of the home screen that can be opened.
#[derive(Clone, Debug)]
pub struct HomeItem<B> {
    /// The title, a few words.
    pub title: String,
    /// The text at the right edge of the item: an age, a round or a result; may be empty.
    pub value: String,
    /// A shorter form of the text at the right edge; may be empty.
    pub medium: String,
    /// A still shorter form of the text at the right edge; may be empty.
    pub brief: String,
    /// The shortest form of the text at the right edge, for narrow lists; may be empty.
    pub shortest: String,
    /// Additional words by which a search finds the item: the scenario's name and rules.
    pub words: String,
    /// The user's progress with the item.
    pub progress: PlayedOrWon,
    /// The target of the item.
    pub target: B,
}

impl<B> HomeItem<B> {
    /// Creates an item of the home screen with this target and empty texts.
    pub fn with_home_item_target(target: B) -> Self {
        Self {
            title: String::new(),
            value: String::new(),
            medium: String::new(),
            brief: String::new(),
            shortest: String::new(),
            words: String::new(),
            progress: PlayedOrWon::New,
            target,
        }
    }
}

/// The user's progress with an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayedOrWon {
    /// Unknown, or not played.
    New,
    /// Played.
    Played,
    /// Won.
    Won,
}

/// The preview of an item.
#[derive(Clone, Debug, Default)]
pub struct HomeItemPreview {
    /// The description.
    pub about: Vec<Entry>,
    /// The claims of the debate.
    pub claims: Vec<TreeRow>,
}

/// The items of the home screen, and their previews.
pub trait HomeModel {
    /// The target of an item, returned when the item is chosen.
    type HomeItem: Clone + PartialEq;

    /// Returns the sections of the home screen from top to bottom. Empty sections are not shown.
    fn sections(&self) -> &[HomeSection<Self::HomeItem>];
    /// Returns the preview of an item. The screen calls this method when the item is marked, and again after further
    /// items were loaded.
    fn preview(&mut self, item: &Self::HomeItem) -> HomeItemPreview;
    /// Adds items that were loaded since the last call. Returns true if any were added.
    fn poll(&mut self) -> bool {
        false
    }
    /// Returns the facts that decide which actions an item offers in addition to opening it, such as
    /// [`READABLE`](crate::tui::keys::READABLE) and [`ARRANGEABLE`](crate::tui::keys::ARRANGEABLE).
    fn facts(&self, item: &Self::HomeItem) -> Facts;
    /// Returns the command, seed and save that repeat the debate of an item; `None` if it has none.
    fn reproduction(&self, _item: &Self::HomeItem) -> Option<ReproductionInfo> {
        None
    }
    /// Returns the current name of an item that can be renamed.
    fn name(&self, _item: &Self::HomeItem) -> String {
        String::new()
    }
}

/// The user's decision.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum HomeScreenChoice<B> {
    /// Open an item.
    HomeItem(B),
    /// Choose the players and rules, or a lesson, and then open the item.
    Arranged(B),
    /// Replay a saved debate.
    Watched(B),
    /// Compare the debate under two sets of rules.
    Compared(B),
    /// Delete the first item of this variant. Then mark the second item, if any, on the home screen.
    Removed(B, Option<B>),
    /// Rename the item; an empty name removes its name.
    Renamed(B, String),
    /// Hide the item in the first field, or show it again if it is hidden. Then mark the item in the second field on
    /// the home screen.
    Hidden(B, Option<B>),
    /// Show all hidden items on the home screen, or hide them again. Then mark the item in the field.
    ShowHidden(Option<B>),
    /// Quit.
    #[default]
    Quit,
}

impl<L: HomeModel> Screen for HomeScreen<'_, L> {
    type Outcome = HomeScreenChoice<L::HomeItem>;

    fn render(&mut self, canvas: &mut Canvas<'_>, area: Rect) {
        let look = canvas.look;
        self.poll();
        let title = " debate-tui   games of AI-safety debate: play, watch, measure";
        let [head, body, last] = page_areas(area);
        canvas.draw_text_line(title, TextRole::Title, head);
        let layout = if area.width >= SIDE_BY_SIDE {
            Layout::horizontal([Length((area.width * 27 / 50).min(64)), Fill(1)])
        } else {
            Layout::vertical([Length(body.height / 2), Fill(1)])
        };
        let [sections, preview] = layout.spacing(-1).areas(body);
        let name = if self.pattern.is_empty() {
            "Open".to_owned()
        } else {
            format!("Open: {}", self.pattern)
        };
        let inner = canvas.draw_frame(&name, true, sections);
        let count = self.rows.len();
        self.list.fit_to_area(count, inner);
        let row = |row| self.row(row, &look);
        self.list.render(count, row, true, canvas, inner);
        if self.rows.is_empty() {
            let notice = "No entry has these words; change the search.";
            canvas.draw_text_line(notice, TextRole::Faint, inner);
        }
        self.draw_preview(canvas, preview);
        match &self.typing {
            Some(Typing::Search(line)) => draw_search_line(line, canvas, last),
            Some(Typing::Name(line)) => {
                let keys = "enter saves, empty removes the name, esc cancels";
                draw_typed_line("Name", keys, line, canvas, last);
            }
            None => {
                self.base.draw_footer(self.screen_context(), canvas, last);
            }
        }
    }

    fn screen_context(&self) -> ScreenKeyContext {
        let item = self.marked().map(|item| self.library.facts(item));
        let searched = SEARCHED.only_if(!self.pattern.is_empty());
        ScreenKeyContext::of_single_panel(HOME, item.unwrap_or_default() | searched)
    }

    fn screen_reader_text(&self) -> Option<String> {
        let Some((heading, item)) = self.marked_row() else {
            return Some("Home: no entry has these words.".to_owned());
        };
        let value = match item.value.as_str() {
            "" => String::new(),
            value => format!(", {value}"),
        };
        Some(format!("Home, {heading}: {}{value}.", item.title))
    }

    fn shared_parts(&mut self) -> BorrowedScreenParts<'_> {
        let is_typing = self.is_typing();
        self.base.shared_parts().typing(is_typing)
    }

    fn act(&mut self, action: Action) -> ScreenEffect<Self::Outcome> {
        let page = isize::try_from(self.list.drawn_area.height).unwrap_or(1);
        self.has_user_moved = true;
        self.item_to_mark = None;
        match action {
            Action::Open => return self.leave_with(HomeScreenChoice::HomeItem),
            Action::Arrange => return self.leave_with(HomeScreenChoice::Arranged),
            Action::WatchAgain => return self.leave_with(HomeScreenChoice::Watched),
            Action::Compare => return self.leave_with(HomeScreenChoice::Compared),
            Action::Remove => self.ask_to_remove(),
            Action::Rename => {
                let name = self.marked().map(|item| self.library.name(item));
                self.typing = name.map(|name| Typing::Name(TextInput::with_text(&name)));
            }
            Action::Hide => {
                let next = self.next_item();
                return self.leave_with(|item| HomeScreenChoice::Hidden(item, next));
            }
            Action::ShowHidden => {
                return ScreenEffect::Leave(HomeScreenChoice::ShowHidden(self.marked().cloned()));
            }
            Action::Quit => return ScreenEffect::Leave(HomeScreenChoice::Quit),
            Action::NextPanel => self.move_to_section(true),
            Action::PreviousPanel => self.move_to_section(false),
            Action::ReadOn | Action::ReadBack => {
                scroll_text(action, &mut self.about, &self.preview.about);
            }
            Action::Search => {
                self.typing = Some(Typing::Search(TextInput::with_text(&self.pattern)));
            }
            Action::Stop => {
                self.pattern.clear();
                self.update_rows();
            }
            _ => self.move_mark(action.scroll_lines(page).unwrap_or(0)),
        }
        ScreenEffect::None
    }

    fn input(&mut self, input: UnmappedScreenInput<'_>) -> Option<ScreenEffect<Self::Outcome>> {
        match input {
            UnmappedScreenInput::Typed(event) => self.write_typed_character(event),
            UnmappedScreenInput::Mouse(event) => Some(self.handle_mouse(event)),
            UnmappedScreenInput::Paste(text) => {
                self.handle_paste(text);
                None
            }
            UnmappedScreenInput::Unbound(event) => {
                self.explain_unavailable_key(event);
                None
            }
            UnmappedScreenInput::Palette(_) | UnmappedScreenInput::Signal => None,
        }
    }

    fn reference(&self) -> ScreenHelpAndReproduction {
        ScreenHelpAndReproduction {
            reproduction: self
                .marked()
                .and_then(|item| self.library.reproduction(item)),
            ..ScreenHelpAndReproduction::help_with_purpose_of_focused_panel(self.screen_context())
        }
    }
}

impl<L: HomeModel> HomeScreen<'_, L> {
    /// Says why the action of a key is unavailable for the marked item.
    fn explain_unavailable_key(&mut self, event: KeyEvent) {
        let context = self.context_with_shared_facts();
        let key = KeyPress::from(event);
        let entries = self.base.keys.help_entries(context.context, context.facts);
        let entry = entries
            .into_iter()
            .find(|entry| !entry.possible && entry.keys.contains(&key));
        if let Some(entry) = entry {
            let why = unavailable_reason(entry.needs, context.facts);
            self.base.note = Some(format!(
                "{key} has no effect here: {why}.",
                key = key.key_label(true)
            ));
        }
    }

    fn write_typed_character(
        &mut self,
        event: KeyEvent,
    ) -> Option<ScreenEffect<HomeScreenChoice<L::HomeItem>>> {
        if std::mem::take(&mut self.is_confirming_removal) {
            if KeyPress::from(event).character() == Some('y') {
                let next = self.next_item();
                return Some(self.leave_with(|item| HomeScreenChoice::Removed(item, next)));
            }
            self.base.note = Some("Not deleted.".to_owned());
            return Some(ScreenEffect::None);
        }
        match self.typing.as_mut()? {
            Typing::Search(line) => match line.key(event) {
                LineInputResult::Submitted => self.typing = None,
                LineInputResult::Cancelled => {
                    self.typing = None;
                    self.pattern.clear();
                    self.update_rows();
                }
                LineInputResult::Changed | LineInputResult::Ignored => self.search(),
            },
            Typing::Name(line) => match line.key(event) {
                LineInputResult::Submitted => {
                    let name = line.typed_text().trim().to_owned();
                    self.typing = None;
                    return Some(self.leave_with(|item| HomeScreenChoice::Renamed(item, name)));
                }
                LineInputResult::Cancelled => self.typing = None,
                LineInputResult::Changed | LineInputResult::Ignored => {}
            },
        }
        Some(ScreenEffect::None)
    }

    fn handle_mouse(&mut self, event: MouseEvent) -> ScreenEffect<HomeScreenChoice<L::HomeItem>> {
        if std::mem::take(&mut self.is_confirming_removal) {
            self.base.note = None;
        }
        let at = Position::new(event.column, event.row);
        match event.kind {
            MouseEventKind::Down(MouseButton::Left) => {
                let row = self.list.row_at(at, self.rows.len());
                let Some(row) = row.filter(|row| self.item_at(*row).is_some()) else {
                    return ScreenEffect::None;
                };
                // A second click on the marked item opens it.
                if self.list.is_second_click(row) {
                    return self.act(Action::Open);
                }
                self.has_user_moved = true;
                self.item_to_mark = None;
                self.list.select(row);
                self.update_preview();
            }
            MouseEventKind::ScrollDown | MouseEventKind::ScrollUp => {
                self.has_user_moved = true;
                let is_down = event.kind == MouseEventKind::ScrollDown;
                self.move_mark(if is_down { 1 } else { -1 });
            }
            _ => {}
        }
        ScreenEffect::None
    }

    fn handle_paste(&mut self, text: &str) {
        match &mut self.typing {
            Some(Typing::Search(line)) => {
                line.paste(text);
                self.search();
            }
            Some(Typing::Name(line)) => line.paste(text),
            None => {}
        }
    }

    fn is_typing(&self) -> bool {
        self.typing.is_some() || self.is_confirming_removal
    }
}
