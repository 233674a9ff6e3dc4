//! Home: everything that can be opened, on shelves, with a preview of what is marked.
//!
//! What stands on the shelves is the caller's; a book is whatever it wants back.

use std::time::{Duration, Instant};

use ratatui::{
    buffer::Buffer,
    crossterm::event::{KeyEvent, MouseButton, MouseEvent, MouseEventKind},
    layout::{Position, Rect},
};

use super::keys::{ARRANGEABLE, HOME, SEARCHED};
use super::stage::{edges, footer, searching};
use super::{Do, Effect, Here, Over, Show};
use crate::tui::actions::{KeyMap, Set};
use crate::tui::panel::{
    frame,
    line::{Line, Typed},
    measure,
    scroll::{Entry, Scroll},
    tree::{Fold, Row, Tree},
};
use crate::tui::theme::{Look, Role};

/// From so many columns on the preview stands beside the shelves, else below them.
const SIDE_BY_SIDE: u16 = 70;

/// A shelf with a heading.
#[derive(Clone, Debug)]
pub struct Shelf<B> {
    /// The heading: "Unfinished debates".
    pub heading: String,
    /// What stands on it.
    pub books: Vec<Book<B>>,
}

/// Something that can be opened.
#[derive(Clone, Debug)]
pub struct Book<B> {
    /// In a few words.
    pub title: String,
    /// Shortly at the right edge: a date, a round; may be empty.
    pub value: String,
    /// What it is.
    pub what: B,
}

/// What is said of a book before it is opened.
#[derive(Clone, Debug, Default)]
pub struct Preview {
    /// Sentences.
    pub about: Vec<Entry>,
    /// The claims it is about.
    pub claims: Vec<Row>,
}

/// What can be opened, and what is said of it.
pub trait Library {
    /// What is handed back.
    type Book: Clone + PartialEq;

    /// The shelves, from top to bottom; empty ones are not shown.
    fn shelves(&self) -> &[Shelf<Self::Book>];
    /// What is said of a book. Called once each time it is marked.
    fn preview(&mut self, book: &Self::Book) -> Preview;
    /// Takes in books that were found since; says whether there are any.
    fn take_in(&mut self) -> bool {
        false
    }
    /// Whether books are still being looked for.
    fn is_looking(&self) -> bool {
        false
    }
    /// What can be done with a book besides opening it: [`super::keys::READABLE`], [`super::keys::COMPARABLE`].
    fn facts(&self, book: &Self::Book) -> Set;
}

/// What the user decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opened<B> {
    /// To open a book.
    Book(B),
    /// To say who plays by which rules, and then to open it.
    Arranged(B),
    /// To watch a kept debate again.
    Watched(B),
    /// To see it under two sets of rules.
    Compared(B),
    /// To change the settings.
    Settings,
    /// To leave.
    Quit,
}

/// Home on the screen.
pub struct Home<'h, L: Library> {
    library: &'h mut L,
    keys: &'h KeyMap<Do>,
    /// The shelf and the book of each row; a heading has no book.
    rows: Vec<(usize, Option<usize>)>,
    list: Tree,
    preview: Preview,
    /// What the preview is of.
    shown: Option<L::Book>,
    /// What is to be marked as soon as it is there.
    wanted: Option<L::Book>,
    about: Scroll,
    /// Whether the mark was moved by hand.
    moved: bool,
    typing: Option<Line>,
    pattern: String,
    over: Over,
    said: Option<String>,
    /// Where the list was drawn.
    place: Rect,
}

/// How often a screen looks for books that are being looked for.
const LOOK: Duration = Duration::from_millis(10);
/// Columns of a row that are neither title nor value: the frame's, the indent, a gap.
const BESIDE: usize = 6;
/// From so many columns on a list shows values beside titles that are shortened for them.
const VALUES: u16 = 44;

impl<'h, L: Library> Home<'h, L> {
    /// Home with this book marked, else the first one.
    pub fn new(library: &'h mut L, keys: &'h KeyMap<Do>, marked: Option<&L::Book>) -> Self {
        let mut about = Scroll::new(0);
        about.unstick();
        let mut home = Self {
            library,
            keys,
            rows: Vec::new(),
            list: Tree::default(),
            preview: Preview::default(),
            shown: None,
            wanted: None,
            about,
            moved: false,
            typing: None,
            pattern: String::new(),
            over: Over::default(),
            said: None,
            place: Rect::ZERO,
        };
        home.arrange();
        if let Some(marked) = marked {
            home.moved = home.mark(marked);
            home.wanted = (!home.moved).then(|| marked.clone());
        }
        home
    }

    /// Marks a book; says whether it is there.
    fn mark(&mut self, book: &L::Book) -> bool {
        let is_it = |row: &usize| self.book_at(*row) == Some(book);
        let Some(row) = (0..self.rows.len()).find(is_it) else {
            return false;
        };
        self.list.select(row);
        self.look_inside();
        true
    }

    /// Puts books on the shelves that were found since, and leaves the mark where it is. Where
    /// nobody has moved it yet it is on the first book.
    fn take_in(&mut self) {
        if !self.library.take_in() {
            return;
        }
        let before = self.marked().cloned().filter(|_| self.moved);
        self.arrange();
        if let Some(book) = self.wanted.take().or(before) {
            self.mark(&book);
        }
    }

    /// Lays out the rows that fit what was searched for.
    fn arrange(&mut self) {
        self.rows.clear();
        let words: Vec<String> = self
            .pattern
            .split_whitespace()
            .map(str::to_lowercase)
            .collect();
        for (shelf_number, shelf) in self.library.shelves().iter().enumerate() {
            let fits = |book: &Book<L::Book>| {
                let text = format!("{} {}", shelf.heading, book.title).to_lowercase();
                words.iter().all(|word| text.contains(word))
            };
            let books = shelf.books.iter().enumerate();
            let found: Vec<usize> = books
                .filter(|(_, book)| fits(book))
                .map(|(number, _)| number)
                .collect();
            if found.is_empty() {
                continue;
            }
            self.rows.push((shelf_number, None));
            self.rows
                .extend(found.into_iter().map(|book| (shelf_number, Some(book))));
        }
        self.list.select(0);
        self.step(0);
    }

    /// Moves the mark by so many rows; headings are passed over.
    fn step(&mut self, by: isize) {
        let last = self.rows.len().saturating_sub(1);
        let at = self.list.selected().saturating_add_signed(by).min(last);
        let is_book = |row: &usize| self.rows.get(*row).is_some_and(|(_, book)| book.is_some());
        let (after, before) = ((at..self.rows.len()).find(is_book), (0..at).rfind(is_book));
        let found = if by < 0 && !is_book(&at) {
            before.or(after)
        } else {
            after.or(before)
        };
        let at = found.unwrap_or(0);
        self.list.select(at);
        self.look_inside();
    }

    /// To the first book of the next or the previous shelf.
    fn step_shelf(&mut self, on: bool) {
        let Some((shelf, _)) = self.rows.get(self.list.selected()).copied() else {
            return;
        };
        let headings = |row: &usize| matches!(self.rows.get(*row), Some((_, None)));
        let here = |row: &usize| {
            self.rows
                .get(*row)
                .is_some_and(|(other, _)| *other == shelf)
        };
        let count = self.rows.len();
        let heading = if on {
            (0..count)
                .filter(headings)
                .find(|row| *row > self.list.selected())
        } else {
            (0..count)
                .filter(headings)
                .rfind(|row| *row < self.list.selected() && !here(row))
        };
        if let Some(heading) = heading {
            self.list.select(heading);
            self.step(1);
        }
    }

    fn book_at(&self, row: usize) -> Option<&L::Book> {
        let (shelf, book) = self.rows.get(row)?;
        let shelf = self.library.shelves().get(*shelf)?;
        Some(&shelf.books.get((*book)?)?.what)
    }

    fn marked(&self) -> Option<&L::Book> {
        self.book_at(self.list.selected())
    }

    fn look_inside(&mut self) {
        let Some(book) = self.marked().cloned() else {
            self.preview = Preview::default();
            self.shown = None;
            return;
        };
        if self.shown.as_ref() == Some(&book) {
            return;
        }
        self.shown = Some(book.clone());
        self.preview = self.library.preview(&book);
        self.about = Scroll::new(0);
        self.about.unstick();
    }

    fn leave(&self, how: impl FnOnce(L::Book) -> Opened<L::Book>) -> Effect<Opened<L::Book>> {
        match self.marked().cloned() {
            Some(book) => Effect::Leave(how(book)),
            None => Effect::None,
        }
    }

    fn row(&self, number: usize) -> Row {
        let Some((shelf, book)) = self.rows.get(number) else {
            return Row::default();
        };
        let Some(shelf) = self.library.shelves().get(*shelf) else {
            return Row::default();
        };
        match book.and_then(|book| shelf.books.get(book)) {
            None => Row {
                text: shelf.heading.clone(),
                fold: Fold::Open,
                ..Row::default()
            },
            Some(book) => Row {
                text: format!("  {}", book.title),
                value: if self.shows_value(book) {
                    book.value.clone()
                } else {
                    String::new()
                },
                ..Row::default()
            },
        }
    }

    /// A narrow list shows a value only where it shortens no title.
    fn shows_value(&self, book: &Book<L::Book>) -> bool {
        let columns = usize::from(self.place.width);
        let taken = [&book.title, &book.value].map(|text| measure::width(text));
        self.place.width >= VALUES || taken.iter().sum::<usize>() + BESIDE <= columns
    }

    fn draw_preview(&mut self, look: &Look, buffer: &mut Buffer, area: Rect) {
        let inner = frame("What it is", false, look, buffer, area);
        let claims = self.preview.claims.len();
        let lines = super::stage::measure_lines(&self.preview.about, inner.width);
        let height = usize::from(inner.height);
        // The words come first; the claims have what is left, and three rows at least.
        let tree = claims
            .min(height.saturating_sub(lines + 1).max(3))
            .min(height / 2 + 1);
        let tree = u16::try_from(if claims == 0 { 0 } else { tree }).unwrap_or(0);
        let upper = Rect {
            height: inner
                .height
                .saturating_sub(if tree > 0 { tree + 1 } else { 0 }),
            ..inner
        };
        let about = &self.preview.about[..];
        self.about.fit(about, upper);
        self.about.render(about, &(0..0), look, buffer, upper);
        edges(&self.about, about, true, look, buffer, upper);
        let lower = Rect {
            y: inner.bottom().saturating_sub(tree),
            height: tree,
            ..inner
        };
        let mut view = Tree::default();
        view.fit(claims, lower);
        let row = |number: usize| self.preview.claims.get(number).cloned().unwrap_or_default();
        view.render(claims, row, false, look, buffer, lower);
    }
}

impl<L: Library> Show for Home<'_, L> {
    type Outcome = Opened<L::Book>;

    fn deadline(&self) -> Option<Instant> {
        self.library.is_looking().then(|| Instant::now() + LOOK)
    }

    fn picture(&mut self, look: &Look, buffer: &mut Buffer, area: Rect) {
        self.take_in();
        let title = " debate-tui   debates in which lying does not pay: play, watch, measure";
        measure::put(title, look.style(Role::Title), buffer, area);
        let body = Rect {
            y: area.y + 1,
            height: area.height - 2,
            ..area
        };
        let (shelves, preview) = if area.width >= SIDE_BY_SIDE {
            let width = (area.width * 9 / 20).min(64);
            let left = Rect { width, ..body };
            let right = Rect {
                x: body.x + width,
                width: body.width - width,
                ..body
            };
            (left, right)
        } else {
            let height = body.height / 2;
            let upper = Rect { height, ..body };
            let lower = Rect {
                y: body.y + height,
                height: body.height - height,
                ..body
            };
            (upper, lower)
        };
        let name = if self.pattern.is_empty() {
            "Open".to_owned()
        } else {
            format!("Open: {}", self.pattern)
        };
        let inner = frame(&name, true, look, buffer, shelves);
        self.place = inner;
        self.list.fit(self.rows.len(), inner);
        self.list.render(
            self.rows.len(),
            |row| self.row(row),
            true,
            look,
            buffer,
            inner,
        );
        if self.rows.is_empty() {
            let told = "Nothing has these words; / searches anew.";
            measure::put(told, look.style(Role::Faint), buffer, inner);
        }
        self.draw_preview(look, buffer, preview);
        let last = Rect {
            y: area.bottom() - 1,
            height: 1,
            ..area
        };
        if let Some(line) = &self.typing {
            searching(line, look, buffer, last);
        } else {
            let said = self.said.as_deref();
            footer(said, self.keys, self.here(), look, buffer, last);
        }
    }

    fn here(&self) -> Here {
        let book = self.marked().map(|book| self.library.facts(book));
        Here {
            context: HOME,
            screen: HOME,
            facts: ARRANGEABLE
                | book.unwrap_or_default()
                | SEARCHED.only_if(!self.pattern.is_empty()),
        }
    }

    fn over(&mut self) -> (&mut Over, &KeyMap<Do>) {
        (&mut self.over, self.keys)
    }

    fn about(&self) -> [String; 2] {
        let about = "Mark something with the arrows and open it with enter. A scenario is a \
                     question that two players debate before a judge; you can take any seat.";
        [about.to_owned(), String::new()]
    }

    fn act(&mut self, action: Do) -> Effect<Self::Outcome> {
        let page = isize::try_from(self.place.height).unwrap_or(1);
        self.moved = true;
        self.wanted = None;
        match action {
            Do::Open => return self.leave(Opened::Book),
            Do::Arrange => return self.leave(Opened::Arranged),
            Do::WatchAgain => return self.leave(Opened::Watched),
            Do::Compare => return self.leave(Opened::Compared),
            Do::Settings => return Effect::Leave(Opened::Settings),
            Do::Quit => return Effect::Leave(Opened::Quit),
            Do::Up => self.step(-1),
            Do::Down => self.step(1),
            Do::PageUp => self.step(-page),
            Do::PageDown => self.step(page),
            Do::First => self.step(isize::MIN / 2),
            Do::Last => self.step(isize::MAX / 2),
            Do::NextPanel => self.step_shelf(true),
            Do::PreviousPanel => self.step_shelf(false),
            Do::ReadOn | Do::ReadBack => {
                let page = self.about.page();
                let lines = if action == Do::ReadOn { page } else { -page };
                self.about.scroll(&self.preview.about[..], lines);
                self.about.unstick();
            }
            Do::Search => self.typing = Some(Line::of(&self.pattern)),
            Do::Stop => {
                self.pattern.clear();
                self.arrange();
            }
            _ => {}
        }
        Effect::None
    }

    fn said(&mut self) -> &mut Option<String> {
        &mut self.said
    }

    fn gone(&self) -> Self::Outcome {
        Opened::Quit
    }

    fn type_key(&mut self, event: KeyEvent) -> Option<Effect<Self::Outcome>> {
        let line = self.typing.as_mut()?;
        match line.key(event) {
            Typed::Done => self.typing = None,
            Typed::GivenUp => {
                self.typing = None;
                self.pattern.clear();
                self.arrange();
            }
            Typed::Taken | Typed::Ignored => {
                line.text().trim().clone_into(&mut self.pattern);
                self.arrange();
            }
        }
        Some(Effect::None)
    }

    fn pasted(&mut self, text: &str) {
        if let Some(line) = &mut self.typing {
            line.paste(text);
            line.text().trim().clone_into(&mut self.pattern);
            self.arrange();
        }
    }

    fn touch(&mut self, event: MouseEvent) -> Effect<Self::Outcome> {
        let at = Position::new(event.column, event.row);
        match event.kind {
            MouseEventKind::Down(MouseButton::Left) if self.place.contains(at) => {
                let row = self.list.row_at(at.y - self.place.y, self.rows.len());
                let Some(row) = row.filter(|row| self.book_at(*row).is_some()) else {
                    return Effect::None;
                };
                // A second click on the marked book opens it.
                if row == self.list.selected() {
                    return self.act(Do::Open);
                }
                self.moved = true;
                self.list.select(row);
                self.look_inside();
            }
            MouseEventKind::ScrollDown => self.step(1),
            MouseEventKind::ScrollUp => self.step(-1),
            _ => {}
        }
        Effect::None
    }
}
