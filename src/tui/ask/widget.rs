//! What every widget of the ask panel does, and the simple ones: a number, one of several replies, a
//! switch for each subclaim.

use std::fmt::Debug;

use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::{Position, Rect};

use crate::tui::actions::{Contexts, Key};
use crate::tui::keys::{Action, PICK, SHARE, SLIDER, TOGGLES};
use crate::tui::theme::Role;
use crate::tui::widget::Canvas;
use crate::tui::widget::choice::{Choice, Item, place_of};
use crate::tui::widget::measure;
use crate::tui::widget::slider::Slider;
use debate_core::chance;
use debate_core::gate::Gate;
use debate_core::number::{COIN_BITS, Exact};
use debate_core::protocol::Reply;
use debate_text::{Narrator, PartEstimates};

/// Columns of the panel from which on the tree of claims is in view above it.
const TREE_BESIDE: u16 = 68;
/// Stands where no claim of the tree is chosen yet.
const UNMARKED: &str = "none yet";

/// Characters of a paste that are read.
const PASTED: usize = 1 << 16;

/// The widget that answers a request: it keeps the answer as it stands.
pub trait Widget: Debug {
    /// Which keys it has.
    fn context(&self) -> Contexts;

    /// The reply as it stands, or what is missing: names of actions in braces stand for their keys.
    fn reply(&self) -> Result<Reply<Exact>, String>;

    /// Does what a key of the table means; says whether it meant anything.
    fn act(&mut self, action: Action) -> bool;

    /// Takes a character that is no key of the table; says whether it meant anything.
    fn press(&mut self, c: char) -> bool;

    /// Takes a key before the table is asked what it means: where text is written. Says whether it
    /// was text.
    fn type_key(&mut self, _event: KeyEvent) -> bool {
        false
    }

    /// Takes a pasted text; says whether it meant anything. A pasted number is as good as a typed
    /// one, and so are pasted bits.
    fn paste(&mut self, text: &str) -> bool {
        let pasted = text.trim().chars().take(PASTED);
        pasted.fold(false, |taken, c| self.press(c) | taken)
    }

    /// Takes a sentence of the source as a quote; says whether it did.
    fn quote(&mut self, _words: &str) -> bool {
        false
    }

    /// Takes back a typed character.
    fn erase(&mut self) -> bool {
        false
    }

    /// Takes a key that is none of the table; says whether it meant anything.
    fn other_key(&mut self, event: KeyEvent) -> bool {
        match Key::from(event).character() {
            Some(c) => self.press(c),
            None => event.code == KeyCode::Backspace && self.erase(),
        }
    }

    /// Ends what is being typed to go somewhere; says whether there was anything, so that enter
    /// ends that and sends nothing.
    fn settle(&mut self) -> bool {
        false
    }

    /// True if there is an edit to take back.
    fn is_edited(&self) -> bool {
        false
    }

    /// Takes the last edit back; says whether there was one.
    fn undo(&mut self) -> bool {
        false
    }

    /// Takes the wheel; says whether it meant anything.
    fn scroll(&mut self, _lines: isize) -> bool {
        false
    }

    /// Takes a click inside `area`, where it was drawn; says whether it hit anything.
    fn click(&mut self, at: Position, area: Rect) -> bool;

    /// The choice that is marked, where it is one of a few and one is marked.
    fn marked(&self) -> Option<usize> {
        None
    }

    /// Marks a choice.
    fn mark(&mut self, _place: usize) {}

    /// Puts what replies are worth beside the choices, where there are a few.
    fn hint(&mut self, _beside: &dyn Fn(&Reply<Exact>) -> String) {}

    /// Takes figures in another unit: what stands beside the choices, and the notes.
    fn reword(&mut self, _figures: Figures) {}

    /// The rows that it takes in so many columns.
    fn rows(&self, columns: u16) -> usize;

    /// The rows that it does with where there is not room for all.
    fn least_rows(&self, columns: u16) -> usize {
        self.rows(columns)
    }

    /// What is marked or set, for whoever does not see it; `None` where nothing is, and for what is written.
    fn in_words(&self) -> Option<String> {
        None
    }

    /// What stands in it in words, where it is a few choices.
    fn text(&self) -> String {
        String::new()
    }

    /// Sentences on the effect of the answer as it stands.
    fn notes(&self) -> Vec<(Role, String)>;

    /// Draws it.
    fn draw(&mut self, canvas: &mut Canvas<'_>, area: Rect);
}

/// What an answer pays, in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Beside each choice; none where there are no choices.
    pub beside: Vec<String>,
    pub notes: Vec<String>,
}

pub fn truth(holds: bool) -> &'static str {
    Narrator::truth(holds)
}

/// The meaning of the number.
#[derive(Debug)]
enum Meaning {
    /// A probability, and perhaps what it implies.
    Estimate(Option<Box<PartEstimates>>),
    /// One half of a coin.
    Share,
}

/// A slider with what is said below it.
#[derive(Debug)]
pub struct SliderWidget {
    slider: Slider,
    meaning: Meaning,
    notes: Vec<String>,
}

impl SliderWidget {
    pub fn estimate(parent: Option<PartEstimates>, notes: Vec<String>) -> Self {
        Self {
            slider: Slider::default(),
            meaning: Meaning::Estimate(parent.map(Box::new)),
            notes,
        }
    }

    /// The value as text, as [`Slider::answer`] has it.
    pub fn answer(&self) -> Option<String> {
        self.slider.answer()
    }

    pub fn share() -> Self {
        Self {
            slider: Slider::number(),
            meaning: Meaning::Share,
            notes: vec!["Whoever draws evenly cannot be cheated; r picks one for you.".to_owned()],
        }
    }
}

impl Widget for SliderWidget {
    fn context(&self) -> Contexts {
        match self.meaning {
            Meaning::Estimate(_) => SLIDER,
            Meaning::Share => SHARE,
        }
    }

    fn in_words(&self) -> Option<String> {
        self.slider.in_words()
    }

    fn reply(&self) -> Result<Reply<Exact>, String> {
        let value = self.slider.value().cloned();
        value.map(Reply::Probability).ok_or_else(|| {
            let text = match (&self.meaning, self.slider.is_wrong()) {
                (Meaning::Estimate(_), true) => {
                    "That is no probability: type 33, 0.5 (percent) or 1/3."
                }
                (Meaning::Estimate(_), false) => {
                    "Set it first: type a percentage, or go there by steps; then {send} sends it."
                }
                (Meaning::Share, true) => "That is no number from 0 to 1: type 0.371 or 1/3.",
                (Meaning::Share, false) => {
                    "Set it first: type a number, or let {random} pick one; then {send} sends it."
                }
            };
            text.to_owned()
        })
    }

    fn act(&mut self, action: Action) -> bool {
        match action {
            Action::Lower => self.slider.step(-1),
            Action::Raise => self.slider.step(1),
            Action::LowerMuch => self.slider.step(-10),
            Action::RaiseMuch => self.slider.step(10),
            Action::Random => {
                let random = chance::random(&mut rand::rng());
                self.slider.go(random, 1 << COIN_BITS);
            }
            _ => return false,
        }
        true
    }

    fn press(&mut self, c: char) -> bool {
        // A fraction begins with a digit: as the first key, this one searches.
        if c == '/' && !self.slider.is_typed() {
            return false;
        }
        self.slider.type_character(c)
    }

    fn erase(&mut self) -> bool {
        self.slider.erase()
    }

    fn click(&mut self, at: Position, area: Rect) -> bool {
        self.slider.click(at.x, at.y, area)
    }

    fn reword(&mut self, figures: Figures) {
        self.notes = figures.notes;
    }

    fn rows(&self, _columns: u16) -> usize {
        1
    }

    fn notes(&self) -> Vec<(Role, String)> {
        let implied = match &self.meaning {
            Meaning::Estimate(Some(parent)) => {
                let p = self.slider.value();
                let role = if p.is_some() { Role::Text } else { Role::Faint };
                Some((role, parent.sentence(p)))
            }
            _ => None,
        };
        // What is known must be read; of a part it is said by the way.
        let role = match self.meaning {
            Meaning::Estimate(None) => Role::Text,
            _ => Role::Faint,
        };
        let notes = self.notes.iter().map(|note| (role, note.clone()));
        implied.into_iter().chain(notes).collect()
    }

    fn text(&self) -> String {
        "0 100".to_owned()
    }

    fn draw(&mut self, canvas: &mut Canvas<'_>, area: Rect) {
        self.slider.render(canvas, area);
    }
}

/// A list of replies, one of which is marked.
#[derive(Debug)]
pub struct PickList {
    choice: Choice,
    items: Vec<Item>,
    replies: Vec<Reply<Exact>>,
    /// The items without hints.
    plain: Vec<Item>,
    /// What is said of the choice that is marked; empty where it stands below each.
    details: Vec<String>,
    /// True if a choice was made: none is, to begin with, unless there is only one.
    made: bool,
    /// True if the choices stand in the tree of claims as well, where that is in view.
    in_tree: bool,
    /// What the choices are about, line by line.
    context: Vec<String>,
    notes: Vec<String>,
}

impl PickList {
    pub fn new(items: Vec<Item>, replies: Vec<Reply<Exact>>) -> Self {
        Self {
            choice: Choice::default(),
            made: items.len() == 1,
            plain: items.clone(),
            details: Vec::new(),
            items,
            replies,
            in_tree: false,
            context: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Nothing is chosen to begin with, even where there is one choice.
    pub fn unmarked(mut self) -> Self {
        self.made = false;
        self
    }

    /// The choices stand in the tree of claims: beside it only the one that is marked is told, unless there is more to
    /// say of each.
    pub fn in_tree(mut self) -> Self {
        self.in_tree = self.items.len() > 1;
        self
    }

    /// True if one line says which choice is marked.
    fn is_line(&self) -> bool {
        self.in_tree && self.items == self.plain
    }

    /// Shows what the choices are about.
    pub fn with_context(mut self, context: Vec<String>) -> Self {
        self.context = context;
        self
    }

    /// Of several choices only the one that is marked says more of itself.
    pub fn terse(mut self) -> Self {
        if self.items.len() > 1 {
            let items = self.items.iter_mut();
            self.details = items.map(|item| std::mem::take(&mut item.detail)).collect();
            self.plain.clone_from(&self.items);
        }
        self
    }

    /// Takes a click; says which choice was hit, and whether it was the second click on it.
    pub fn choose_at(&mut self, at: Position) -> Option<(usize, bool)> {
        let hit = self.choice.click(at, &self.items);
        self.made |= hit.is_some();
        hit
    }

    pub fn noting(mut self, note: String) -> Self {
        self.notes.push(note);
        self
    }
}

impl Widget for PickList {
    fn context(&self) -> Contexts {
        PICK
    }

    fn marked(&self) -> Option<usize> {
        self.made.then(|| self.choice.selected())
    }

    fn mark(&mut self, place: usize) {
        if place < self.items.len() {
            self.choice.select(place);
            self.made = true;
        }
    }

    fn in_words(&self) -> Option<String> {
        Some(self.items.get(self.marked()?)?.in_words())
    }

    fn reply(&self) -> Result<Reply<Exact>, String> {
        let reply = self.marked().and_then(|place| self.replies.get(place));
        reply.cloned().ok_or_else(|| {
            let keys = self.items.iter().filter_map(|item| item.key);
            let how = match keys.map(String::from).collect::<Vec<_>>().join(" or ") {
                keys if keys.is_empty() => ", by number if you like".to_owned(),
                keys => format!(": {keys}"),
            };
            format!("Choose first{how}; then {{send}} sends it.")
        })
    }

    fn act(&mut self, action: Action) -> bool {
        let by = match action {
            Action::Above => -1,
            Action::Below => 1,
            _ => return false,
        };
        // The first step marks the first choice, or the last one.
        if self.made {
            self.choice.step(by, &self.items);
        } else {
            let last = self.items.len().saturating_sub(1);
            self.choice.select(if by > 0 { 0 } else { last });
            self.made = true;
        }
        true
    }

    fn press(&mut self, c: char) -> bool {
        let is_item = self.choice.press(c, &self.items).is_some();
        self.made |= is_item;
        is_item
    }

    fn click(&mut self, at: Position, _area: Rect) -> bool {
        self.choose_at(at).is_some()
    }

    fn hint(&mut self, hint_of: &dyn Fn(&Reply<Exact>) -> String) {
        self.items.clone_from(&self.plain);
        for (item, reply) in self.items.iter_mut().zip(&self.replies) {
            let hint = hint_of(reply);
            item.value = match (item.value.is_empty(), hint.is_empty()) {
                (_, true) => continue,
                (true, false) => hint,
                (false, false) => format!("{} · {hint}", item.value),
            };
        }
    }

    fn reword(&mut self, figures: Figures) {
        for (item, value) in self.plain.iter_mut().zip(figures.beside) {
            item.value = value;
        }
        self.items.clone_from(&self.plain);
        self.notes = figures.notes;
    }

    fn rows(&self, columns: u16) -> usize {
        if self.is_line() && columns >= TREE_BESIDE {
            return 1;
        }
        Choice::rows(&self.items, columns)
    }

    fn text(&self) -> String {
        if self.is_line() {
            return self.in_words().unwrap_or_else(|| UNMARKED.to_owned());
        }
        let shown = self.items.iter().enumerate();
        let texts = shown.map(|(place, item)| {
            let key = item
                .key
                .map_or_else(|| (place + 1).to_string(), String::from);
            format!("{key} {}", item.in_words())
        });
        texts.collect::<Vec<_>>().join(" ")
    }

    fn notes(&self) -> Vec<(Role, String)> {
        let detail = self.marked().and_then(|place| self.details.get(place));
        let detail = detail.filter(|detail| !detail.is_empty());
        let detail = detail.map(|detail| (Role::Text, detail.clone()));
        let context = self.context.iter().map(|line| (Role::Text, line.clone()));
        let notes = self.notes.iter().map(|note| (Role::Faint, note.clone()));
        detail.into_iter().chain(context).chain(notes).collect()
    }

    fn draw(&mut self, canvas: &mut Canvas<'_>, area: Rect) {
        if self.is_line() && area.height == 1 && !self.made {
            // A click there marks nothing.
            self.choice.fit(&[], area);
            canvas.put(UNMARKED, Role::Faint, measure::after(area, 1));
            return;
        }
        self.choice.draw(&self.items, self.made, canvas, area);
    }
}

/// A switch for each subclaim.
#[derive(Debug)]
pub struct Toggles {
    choice: Choice,
    /// The subclaims, each with its short id.
    names: Vec<(u32, String)>,
    values: Vec<bool>,
    gate: Gate,
    result: bool,
}

impl Toggles {
    /// Switches that stand as near to "all as the result" as the gate allows.
    pub fn new(names: Vec<(u32, String)>, gate: Gate, result: bool) -> Self {
        let wish = vec![result; names.len()];
        Self {
            choice: Choice::default(),
            values: gate.nearest(&wish, result).unwrap_or(wish),
            names,
            gate,
            result,
        }
    }

    /// The list as it is drawn.
    fn items(&self) -> Vec<Item> {
        let each = self.names.iter().zip(&self.values);
        each.map(|((claim, name), value)| Item {
            value: format!("{:<5}", truth(*value)),
            claim: Some(*claim),
            ..Item::new(None, name)
        })
        .collect()
    }

    fn turn(&mut self, place: usize) -> bool {
        let Some(value) = self.values.get_mut(place) else {
            return false;
        };
        *value = !*value;
        self.choice.select(place);
        true
    }
}

impl Widget for Toggles {
    fn context(&self) -> Contexts {
        TOGGLES
    }

    fn in_words(&self) -> Option<String> {
        let items = self.items();
        Some(items.get(self.choice.selected())?.in_words())
    }

    fn reply(&self) -> Result<Reply<Exact>, String> {
        Ok(Reply::Bits(self.values.clone().into()))
    }

    fn act(&mut self, action: Action) -> bool {
        match action {
            Action::Above => self.choice.step(-1, &self.items()),
            Action::Below => self.choice.step(1, &self.items()),
            Action::Turn => {
                self.turn(self.choice.selected());
            }
            _ => return false,
        }
        true
    }

    fn press(&mut self, c: char) -> bool {
        place_of(c).is_some_and(|place| self.turn(place))
    }

    fn click(&mut self, at: Position, _area: Rect) -> bool {
        let hit = self.choice.click(at, &self.items());
        hit.is_some_and(|(place, _)| self.turn(place))
    }

    fn rows(&self, columns: u16) -> usize {
        Choice::rows(&self.items(), columns)
    }

    fn notes(&self) -> Vec<(Role, String)> {
        let holds = self.gate.says(self.values.iter().copied());
        let (role, fits) = if holds == self.result {
            (Role::Good, "as they must")
        } else {
            (Role::Bad, "but must not")
        };
        let gate = &self.gate;
        let word = truth(holds);
        vec![(
            role,
            format!("Together ({gate}) they come out {word}, {fits}."),
        )]
    }

    fn text(&self) -> String {
        let texts = self.items().iter().map(Item::in_words).collect::<Vec<_>>();
        texts.join(" ")
    }

    fn draw(&mut self, canvas: &mut Canvas<'_>, area: Rect) {
        let items = self.items();
        self.choice.draw(&items, true, canvas, area);
    }
}
