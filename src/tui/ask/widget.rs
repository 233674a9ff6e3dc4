//! The trait of the widgets with which the user replies, and the simple widgets: a list of replies to choose from, and
//! a switch for each subclaim.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt::Debug;

use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};

use super::machine_walk::MachineRunPosition;
use super::slider::SliderWidget;
use crate::tui::actions::Contexts;
use crate::tui::keys::{Action, MACHINE_CHOICE, PICK, TOGGLES};
use crate::tui::theme::TextRole;
use crate::tui::widget::Canvas;
use crate::tui::widget::choice::{ChoiceItem, ChoiceList, digit_index};
use crate::tui::widget::measure;
use debate_core::gate::Gate;
use debate_core::number::Exact;
use debate_core::protocol::Reply;
use debate_text::DebateNarrator;

/// Minimum width of the ask panel at which the tree of claims is in view above it.
const MIN_WIDTH_WITH_TREE: u16 = 68;
/// Maximum number of choices for which the widget lists all choices although the tree of claims marks them too.
const MAX_LISTED_TWICE: usize = 2;
/// Maximum number of rows of a list of choices that does not scroll, so that each claim in it can be read in full.
const MAX_UNSCROLLED_ROWS: usize = 10;

/// An input that the key table does not translate to an action.
#[derive(Clone, Copy, Debug)]
pub enum UnmappedWidgetInput<'i> {
    /// A key before its binding is looked up in the key table. Only text fields, and grids whose cells take letters,
    /// use such keys.
    Key(KeyEvent),
    /// A character without a binding in the key table.
    Character(char),
    /// The backspace key.
    Erase,
    /// A pasted text. A widget that has no use for it gets its characters instead, see [`paste`](super::paste).
    Paste(&'i str),
    /// A sentence of the source text, to insert as a quote.
    Quote(&'i str),
    /// The key that sends the reply. If the widget uses the key itself, to end a line or a number, no reply is sent.
    Enter,
    /// The mouse wheel was turned by this number of lines.
    Wheel(isize),
    /// A mouse click at `at`, in a widget that is drawn in `area`.
    Click { at: Position, area: Rect },
}

/// The numbers of screen rows that a widget needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowsNeededByWidget {
    /// The number of rows that show the whole widget.
    pub all: usize,
    /// The smallest number of rows in which the widget is useful.
    pub least: usize,
}

impl RowsNeededByWidget {
    /// Returns the row counts of a widget that always needs exactly `rows` rows on the screen.
    pub fn fixed(rows: usize) -> Self {
        let (all, least) = (rows, rows);
        Self { all, least }
    }
}

/// The contents of a widget in words, for screen readers and word limits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WidgetContentsInWords {
    /// The marked choice or the entered number, for screen readers. `None` for text, and if no choice is marked.
    pub marked: Option<String>,
    /// The text of the choices that are listed, or the two ends of a slider; empty for widgets without choices.
    pub choices: String,
}

/// The widget with which the user replies to a request. It contains the draft of the reply.
pub trait AnswerWidget: Debug {
    /// Returns the contexts in which the widget's keys are active.
    fn context(&self) -> Contexts;

    /// Returns the drafted reply, or the reason why it is incomplete. In the reason, names of actions in braces are
    /// replaced by their keys.
    fn reply(&self) -> Result<Reply<Exact>, String>;

    /// Carries out an action of the key table. Returns false if the widget has no use for it.
    fn act(&mut self, action: Action) -> bool;

    /// Handles an input without an action of the key table. Returns false if the widget has no use for it.
    fn input(&mut self, input: UnmappedWidgetInput<'_>) -> bool;

    /// Returns the rows that the widget needs at a width of `columns`.
    fn rows(&self, columns: u16) -> RowsNeededByWidget;

    /// Returns sentences on the effect of the drafted reply.
    fn notes(&self) -> Vec<(TextRole, String)>;

    /// Returns the widget's contents in words. Empty for widgets in which text or cells are edited.
    fn words(&self) -> WidgetContentsInWords {
        WidgetContentsInWords::default()
    }

    fn draw(&mut self, canvas: &mut Canvas<'_>, area: Rect);
}

/// A widget whose draft has edits that can be undone.
pub trait UndoableWidget: AnswerWidget {
    /// True if the draft has an edit to undo.
    fn is_edited(&self) -> bool;

    /// Undoes the last edit of the draft. Returns false if no edit is left.
    fn undo(&mut self) -> bool;
}

/// The widget for the reply to a request. Choices can have payoffs and values beside them, and choices of a subclaim
/// are also marked in the tree of claims. Numbers have notes on payoffs.
#[derive(Debug)]
pub enum ReplyWidget {
    Choices(ReplyPickList),
    Number(SliderWidget),
    Editor(Box<dyn UndoableWidget>),
    Other(Box<dyn AnswerWidget>),
}

impl ReplyWidget {
    pub fn get(&self) -> &dyn AnswerWidget {
        match self {
            Self::Choices(list) => list,
            Self::Number(slider) => slider,
            Self::Editor(editor) => &**editor,
            Self::Other(widget) => &**widget,
        }
    }

    pub fn get_mut(&mut self) -> &mut dyn AnswerWidget {
        match self {
            Self::Choices(list) => list,
            Self::Number(slider) => slider,
            Self::Editor(editor) => &mut **editor,
            Self::Other(widget) => &mut **widget,
        }
    }

    pub fn choices(&self) -> Option<&ReplyPickList> {
        match self {
            Self::Choices(list) => Some(list),
            Self::Number(_) | Self::Editor(_) | Self::Other(_) => None,
        }
    }

    pub fn choices_mut(&mut self) -> Option<&mut ReplyPickList> {
        match self {
            Self::Choices(list) => Some(list),
            Self::Number(_) | Self::Editor(_) | Self::Other(_) => None,
        }
    }

    /// Returns the drafted estimate of a subclaim, if it is set.
    pub fn drafted_estimate(&self) -> Option<Exact> {
        match self {
            Self::Number(slider) => slider.drafted_subclaim_estimate(),
            Self::Choices(_) | Self::Editor(_) | Self::Other(_) => None,
        }
    }

    /// Replaces the payoffs beside the widget's choices, and the notes on payoffs.
    pub fn set_payoff_texts(&mut self, payoff_texts: ReplyPayoffTexts) {
        match self {
            Self::Choices(list) => list.set_payoff_texts(payoff_texts),
            Self::Number(slider) => slider.set_payoff_texts(payoff_texts),
            Self::Editor(_) | Self::Other(_) => {}
        }
    }
}

/// Texts about the payoffs of replies: one for each choice, such as the payoffs of a bet after each outcome, and notes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReplyPayoffTexts {
    /// The payoff beside each choice; empty if the request has no choices.
    pub beside: Vec<String>,
    pub notes: Vec<String>,
}

pub fn truth_word(holds: bool) -> &'static str {
    DebateNarrator::truth_word(holds)
}

/// A list of replies to choose from, of which at most one is marked.
#[derive(Debug)]
pub struct ReplyPickList {
    choice: ChoiceList,
    items: Vec<ChoiceItem>,
    replies: Vec<Reply<Exact>>,
    /// The items without hints.
    items_without_hints: Vec<ChoiceItem>,
    /// The details of each choice. If room is scarce, only the details of the marked choice are shown. Empty if the
    /// details are always shown below every choice.
    details: Vec<String>,
    /// True if the panel has room for all of `details`, so that they are shown below every choice.
    lists_all_details: Cell<bool>,
    /// The sentence that says how to see `details` while no choice is marked and room is scarce.
    details_hint: &'static str,
    /// True if the user has marked a choice. Initially true only if the list has one item.
    is_chosen: bool,
    /// True if the choices are also marked in the tree of claims when the tree is in view.
    marked_in_tree: bool,
    /// Lines about the subject of the choices, such as the machine configurations at the ends of both halves. Drawn
    /// above the notes.
    context: Vec<String>,
    /// The machine's run to step through, if the choices are its halves and the user may run the machine.
    machine: Option<MachineRunPosition>,
    notes: Vec<String>,
}

impl ReplyPickList {
    pub fn new(items: Vec<ChoiceItem>, replies: Vec<Reply<Exact>>) -> Self {
        Self {
            choice: ChoiceList::default(),
            is_chosen: items.len() == 1,
            items_without_hints: items.clone(),
            details: Vec::new(),
            lists_all_details: Cell::new(false),
            details_hint: "",
            items,
            replies,
            marked_in_tree: false,
            context: Vec::new(),
            machine: None,
            notes: Vec::new(),
        }
    }

    /// Lets the user step through the run of the machine whose halves are the choices.
    pub fn with_machine(mut self, machine: Option<MachineRunPosition>) -> Self {
        self.machine = machine;
        self
    }

    /// Returns the list with no choice marked at first. Otherwise the choice in a list of one would be marked.
    pub fn without_initial_choice(mut self) -> Self {
        self.is_chosen = false;
        self
    }

    /// Marks the choices in the tree of claims as well. In a wide panel, a list of more than two choices then shows
    /// only the marked choice, unless a hint shows the values of the choices.
    pub fn with_choices_marked_in_claim_tree(mut self) -> Self {
        self.marked_in_tree = self.items.len() > 1;
        self
    }

    /// True if the widget shows only the marked choice, provided that the panel is wide enough for the tree of claims.
    fn is_line(&self) -> bool {
        self.marked_in_tree
            && self.items.len() > MAX_LISTED_TWICE
            && self.items == self.items_without_hints
    }

    /// Returns the rows of one choice at a width of `columns`.
    fn rows_of_choice(&self, index: usize, columns: u16) -> usize {
        let item = self.items.get(index..=index).unwrap_or_default();
        ChoiceList::row_count(item, columns)
    }

    /// Returns the line that is shown while no claim of the tree is chosen.
    fn unmarked_line(&self) -> String {
        format!(
            "no claim chosen yet: type its number in the tree, 1 to {last}",
            last = self.items.len()
        )
    }

    /// Sets the lines that describe the subject of the choices.
    pub fn with_subject_lines(mut self, context: Vec<String>) -> Self {
        self.context = context;
        self
    }

    /// Shows a choice's details only while it is marked, if there are several choices and too little room for the
    /// details of all. `hint` says how to see the details.
    pub fn with_details_only_when_marked(mut self, hint: &'static str) -> Self {
        if self.items.len() > 1 {
            let items = self.items.iter_mut();
            self.details = items.map(|item| std::mem::take(&mut item.detail)).collect();
            self.items_without_hints.clone_from(&self.items);
            self.details_hint = hint;
        }
        self
    }

    /// Shows the details below every choice if `room` is true, or else only those of the marked choice.
    pub fn set_room_for_details(&self, room: bool) {
        self.lists_all_details.set(room && !self.details.is_empty());
    }

    /// Returns the choices as drawn: with the details of every choice if there is room.
    fn drawn_items(&self) -> Cow<'_, [ChoiceItem]> {
        if !self.lists_all_details.get() {
            return Cow::Borrowed(&self.items);
        }
        let each = self.items.iter().zip(&self.details);
        let items = each.map(|(item, detail)| ChoiceItem {
            detail: detail.clone(),
            ..item.clone()
        });
        Cow::Owned(items.collect())
    }

    /// Handles a click. Returns the index of the choice that was hit, and true if it was the second click on it.
    pub fn click_choice_and_check_second_click(&mut self, at: Position) -> Option<(usize, bool)> {
        let items = self.drawn_items().into_owned();
        let hit = self.choice.click(at, &items);
        self.is_chosen |= hit.is_some();
        hit
    }

    pub fn with_note(mut self, note: String) -> Self {
        self.notes.push(note);
        self
    }

    /// Returns the index of the marked choice, if any.
    pub fn marked_index(&self) -> Option<usize> {
        self.is_chosen.then(|| self.choice.selected())
    }

    /// Marks a choice.
    pub fn mark(&mut self, index: usize) {
        if index < self.items.len() {
            self.choice.select_choice(index);
            self.is_chosen = true;
        }
    }

    /// Returns the marked choice in words.
    pub fn marked_choice_in_words(&self) -> Option<String> {
        let marked = self.marked_index()?;
        Some(self.drawn_items().get(marked)?.screen_reader_text())
    }

    /// Shows the value of each reply beside its choice.
    pub fn show_values(&mut self, value_of: &dyn Fn(&Reply<Exact>) -> String) {
        self.items.clone_from(&self.items_without_hints);
        for (item, reply) in self.items.iter_mut().zip(&self.replies) {
            let hint = value_of(reply);
            item.value = match (item.value.is_empty(), hint.is_empty()) {
                (_, true) => continue,
                (true, false) => hint,
                (false, false) => format!("{} · {hint}", item.value),
            };
        }
    }

    fn set_payoff_texts(&mut self, payoff_texts: ReplyPayoffTexts) {
        for (item, value) in self.items_without_hints.iter_mut().zip(payoff_texts.beside) {
            item.value = value;
        }
        self.items.clone_from(&self.items_without_hints);
        self.notes = payoff_texts.notes;
    }

    fn choose_by_key(&mut self, c: char) -> bool {
        let is_item = self.choice.select_by_key(c, &self.items).is_some();
        self.is_chosen |= is_item;
        is_item
    }

    /// Returns the text of all choices, or of the marked one if only that one is shown.
    fn choices_in_words(&self) -> String {
        if self.is_line() {
            return self
                .marked_choice_in_words()
                .unwrap_or_else(|| self.unmarked_line());
        }
        let shown = self.items.iter().enumerate();
        let texts = shown.map(|(index, item)| {
            let key = item
                .key
                .map_or_else(|| (index + 1).to_string(), String::from);
            format!("{key} {}", item.screen_reader_text())
        });
        texts.collect::<Vec<_>>().join(" ")
    }
}

impl AnswerWidget for ReplyPickList {
    fn context(&self) -> Contexts {
        match self.machine {
            Some(_) => MACHINE_CHOICE,
            None => PICK,
        }
    }

    fn reply(&self) -> Result<Reply<Exact>, String> {
        let reply = self
            .marked_index()
            .and_then(|index| self.replies.get(index));
        reply.cloned().ok_or_else(|| {
            let keys = self.items.iter().filter_map(|item| item.key);
            let key_note = match keys.map(String::from).collect::<Vec<_>>().join(" or ") {
                keys if keys.is_empty() => " (by number or arrows)".to_owned(),
                keys => format!(" ({keys})"),
            };
            format!("Choose first{key_note}, then press {{send}}.")
        })
    }

    fn act(&mut self, action: Action) -> bool {
        let by = match (action, &mut self.machine) {
            (Action::Above, _) => -1,
            (Action::Below, _) => 1,
            (Action::RunStep, Some(machine)) => return machine.run_contested_step(),
            (Action::RunBack, Some(machine)) => return machine.step_back(),
            (Action::RunToMiddle, Some(machine)) => return machine.run_machine_to_middle_step(),
            _ => return false,
        };
        // The first step marks the first choice or the last one.
        if self.is_chosen {
            self.choice.cycle_selection(by, &self.items);
        } else {
            let last = self.items.len().saturating_sub(1);
            self.choice.select_choice(if by > 0 { 0 } else { last });
            self.is_chosen = true;
        }
        true
    }

    fn input(&mut self, input: UnmappedWidgetInput<'_>) -> bool {
        match input {
            UnmappedWidgetInput::Character(c) => self.choose_by_key(c),
            UnmappedWidgetInput::Click { at, .. } => {
                self.click_choice_and_check_second_click(at).is_some()
            }
            UnmappedWidgetInput::Key(_)
            | UnmappedWidgetInput::Erase
            | UnmappedWidgetInput::Paste(_)
            | UnmappedWidgetInput::Quote(_)
            | UnmappedWidgetInput::Enter
            | UnmappedWidgetInput::Wheel(_) => false,
        }
    }

    fn rows(&self, columns: u16) -> RowsNeededByWidget {
        if self.is_line() && columns >= MIN_WIDTH_WITH_TREE {
            // The same rows for every choice, so that the panels above do not move.
            let each = (0..self.items.len()).map(|index| self.rows_of_choice(index, columns));
            return RowsNeededByWidget::fixed(each.max().unwrap_or(1));
        }
        // In fewer rows than all, the list scrolls. A short list shows each claim in full.
        let all = ChoiceList::row_count(&self.drawn_items(), columns);
        let least = all.min((self.items.len() + 1).max(MAX_UNSCROLLED_ROWS));
        RowsNeededByWidget { all, least }
    }

    fn words(&self) -> WidgetContentsInWords {
        WidgetContentsInWords {
            marked: self.marked_choice_in_words(),
            choices: self.choices_in_words(),
        }
    }

    fn notes(&self) -> Vec<(TextRole, String)> {
        let detail = match self.marked_index() {
            _ if self.lists_all_details.get() => "",
            Some(index) => self.details.get(index).map_or("", String::as_str),
            None => self.details_hint,
        };
        let detail = (!detail.is_empty()).then(|| (TextRole::Text, detail.to_owned()));
        let context = match &self.machine {
            Some(machine) => machine.lines_with_current_configuration(&self.context),
            None => self.context.clone(),
        };
        let context = context.into_iter().map(|line| (TextRole::Text, line));
        let notes = self
            .notes
            .iter()
            .map(|note| (TextRole::Faint, note.clone()));
        detail.into_iter().chain(context).chain(notes).collect()
    }

    fn draw(&mut self, canvas: &mut Canvas<'_>, area: Rect) {
        let is_line = self.is_line() && area.width >= MIN_WIDTH_WITH_TREE;
        if is_line && !self.is_chosen {
            // A click on this line marks no choice.
            self.choice.fit_to_area(&[], area);
            let line = self.unmarked_line();
            canvas.draw_text_line(&line, TextRole::Faint, measure::skip_columns(area, 1));
            return;
        }
        let rows = if is_line {
            self.rows_of_choice(self.choice.selected(), area.width)
        } else {
            usize::MAX
        };
        let area = measure::rows(area, 0, rows.min(area.height.into()));
        let items = self.drawn_items().into_owned();
        self.choice.draw(&items, self.is_chosen, canvas, area);
    }
}

/// A switch for each subclaim.
#[derive(Debug)]
pub struct SubclaimSwitches {
    choice: ChoiceList,
    /// The subclaims, each with the number of its claim and its name.
    names: Vec<(u32, String)>,
    values: Vec<bool>,
    gate: Gate,
    result: bool,
}

impl SubclaimSwitches {
    /// Creates a switch for each subclaim. All are initially set to `result`, the value of the claim above. If the gate
    /// then has another value, the fewest switches are changed that give it the value `result`.
    pub fn new(names: Vec<(u32, String)>, gate: Gate, result: bool) -> Self {
        let preferred = vec![result; names.len()];
        Self {
            choice: ChoiceList::default(),
            values: gate
                .nearest_outcomes_giving_value(&preferred, result)
                .unwrap_or(preferred),
            names,
            gate,
            result,
        }
    }

    /// Returns the list as drawn.
    fn items(&self) -> Vec<ChoiceItem> {
        let each = self.names.iter().zip(&self.values);
        // A name that is cut has the whole text below it.
        each.map(|((claim, name), value)| ChoiceItem {
            value: format!("{:<5}", truth_word(*value)),
            claim: Some(*claim),
            detail: name.clone(),
            is_short_form: true,
            ..ChoiceItem::new(None, name)
        })
        .collect()
    }

    fn toggle(&mut self, index: usize) -> bool {
        let Some(value) = self.values.get_mut(index) else {
            return false;
        };
        *value = !*value;
        self.choice.select_choice(index);
        true
    }
}

impl AnswerWidget for SubclaimSwitches {
    fn context(&self) -> Contexts {
        TOGGLES
    }

    fn reply(&self) -> Result<Reply<Exact>, String> {
        Ok(Reply::Bits(self.values.clone().into()))
    }

    fn act(&mut self, action: Action) -> bool {
        match action {
            Action::Above => self.choice.cycle_selection(-1, &self.items()),
            Action::Below => self.choice.cycle_selection(1, &self.items()),
            Action::Turn => {
                self.toggle(self.choice.selected());
            }
            _ => return false,
        }
        true
    }

    fn input(&mut self, input: UnmappedWidgetInput<'_>) -> bool {
        match input {
            UnmappedWidgetInput::Character(c) => {
                digit_index(c).is_some_and(|index| self.toggle(index))
            }
            UnmappedWidgetInput::Click { at, .. } => {
                let hit = self.choice.click(at, &self.items());
                hit.is_some_and(|(index, _)| self.toggle(index))
            }
            UnmappedWidgetInput::Key(_)
            | UnmappedWidgetInput::Erase
            | UnmappedWidgetInput::Paste(_)
            | UnmappedWidgetInput::Quote(_)
            | UnmappedWidgetInput::Enter
            | UnmappedWidgetInput::Wheel(_) => false,
        }
    }

    fn rows(&self, columns: u16) -> RowsNeededByWidget {
        RowsNeededByWidget::fixed(ChoiceList::row_count(&self.items(), columns))
    }

    fn words(&self) -> WidgetContentsInWords {
        let items: Vec<String> = self
            .items()
            .iter()
            .map(ChoiceItem::screen_reader_text)
            .collect();
        WidgetContentsInWords {
            marked: items.get(self.choice.selected()).cloned(),
            choices: items.join(" "),
        }
    }

    fn notes(&self) -> Vec<(TextRole, String)> {
        let holds = self.gate.value_for_outcomes(self.values.iter().copied());
        let (role, verdict) = if holds == self.result {
            (TextRole::Good, "as required".to_owned())
        } else {
            let required = truth_word(self.result);
            (TextRole::Bad, format!("but they must make it {required}"))
        };
        let gate = &self.gate;
        let true_or_false = truth_word(holds);
        vec![(
            role,
            format!("Together ({gate}) your answers make the claim {true_or_false}, {verdict}."),
        )]
    }

    fn draw(&mut self, canvas: &mut Canvas<'_>, area: Rect) {
        let items = self.items();
        self.choice.draw(&items, true, canvas, area);
    }
}
