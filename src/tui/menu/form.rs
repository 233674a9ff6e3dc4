//! A form on the screen: fields with one value each, which the user changes by arrows or by typing, and the
//! consequences of the values.
//!
//! The lobby and the settings are forms. The caller defines the fields and their values in a [`FormModel`].

use crate::tui::widget::Canvas;
use ratatui::crossterm::event::{KeyEvent, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect};

use crate::tui::actions::{KeyMap, ScreenKeyContext};
use crate::tui::keys::{Action, FORM, TURNABLE, WRITABLE, scroll_text};
use crate::tui::screen::{
    BorrowedScreenParts, Screen, ScreenBase, ScreenEffect, ScreenHelpAndReproduction,
    UnmappedScreenInput, draw_footer, page_areas, replace_unsupported_characters,
};
use crate::tui::theme::{ScreenAppearance, TextRole};
use crate::tui::widget::measure;
use crate::tui::widget::scroll::{Entry, Scroll, measure_lines};
use crate::tui::widget::text_input::{LineInputResult, TextInput};
use crate::tui::widget::tree::{RowSelectionAndScroll, TreeRow};
use debate_host::plan::ReproductionInfo;

/// Columns of the labels.
const LABEL_COLUMNS: usize = 25;

/// One field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FormField {
    /// Its name: "Alice".
    pub label: String,
    /// Its value: "obfuscator".
    pub value: String,
    /// A note beside the value: "level 4 of 5"; may be empty.
    pub note: String,
    /// Sentences on the value.
    pub about: String,
    /// True if the arrow keys move through the field's choices.
    pub has_choices: bool,
    /// True if the user can type into the field.
    pub is_writable: bool,
}

/// The model of a form.
pub trait FormModel {
    /// Returns the form's title, for example "Players and rules".
    fn title(&self) -> String;
    /// Returns the fields, from top to bottom.
    fn fields(&self) -> Vec<FormField>;
    /// Changes a field to the previous (−1) or the next (1) choice.
    ///
    /// # Errors
    /// Returns the reason why there is no such choice, as a sentence.
    fn change_choice(&mut self, field: usize, by: isize) -> Result<(), String>;
    /// Replaces the value of a field by a typed text.
    ///
    /// # Errors
    /// Returns the error as a sentence; the field is unchanged.
    fn write(&mut self, field: usize, text: &str) -> Result<(), String>;
    /// Returns the consequences of the fields' values, each as a label and a text.
    fn notes(&self) -> Vec<(String, String)>;
    /// Returns an error if the form cannot be accepted with its current values.
    ///
    /// # Errors
    /// Returns a sentence on what is missing.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }
    /// Returns the two texts of the form's help page: on the form, and on the scenario. A text may be empty.
    fn help(&self) -> [String; 2];
    /// Returns the command and the seed that repeat the debate which the form describes.
    fn reproduction(&self) -> Option<ReproductionInfo> {
        None
    }
    /// Returns the appearance of the screen while the form is open, if the form changes it.
    fn look(&self) -> Option<ScreenAppearance> {
        None
    }
}

/// The user's decision about a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum FormOutcome {
    /// The form was accepted.
    Accepted,
    /// The form was left.
    #[default]
    Left,
}

/// The state of a form on the screen.
pub struct Form<'f> {
    model: &'f mut dyn FormModel,
    base: ScreenBase<'f>,
    list: RowSelectionAndScroll,
    line: Option<TextInput>,
    notes: Scroll,
}

impl<'f> Form<'f> {
    /// Opens the form with its first field marked.
    pub fn new(model: &'f mut dyn FormModel, keys: &'f KeyMap<Action>) -> Self {
        Self {
            model,
            base: ScreenBase::new(keys),
            list: RowSelectionAndScroll::default(),
            line: None,
            notes: Scroll::at_start_without_following(0),
        }
    }

    fn marked(&self) -> Option<FormField> {
        self.model.fields().into_iter().nth(self.list.selected())
    }

    fn change_choice(&mut self, by: isize) {
        self.base.note = self.model.change_choice(self.list.selected(), by).err();
        // The description of the new value begins at its first line.
        self.notes = Scroll::at_start_without_following(0);
    }

    fn start_typing(&mut self) {
        if let Some(field) = self.marked().filter(|field| field.is_writable) {
            self.line = Some(TextInput::with_text(&field.value));
        }
    }

    fn finish_typing(&mut self) {
        let Some(line) = &self.line else { return };
        match self
            .model
            .write(self.list.selected(), line.typed_text().trim())
        {
            Ok(()) => self.line = None,
            // The text stays in the line, so that the user can correct it.
            Err(why) => self.base.note = Some(why),
        }
    }

    fn move_mark(&mut self, by: isize) {
        let count = self.model.fields().len();
        self.list.move_selection(by, count);
        self.notes = Scroll::at_start_without_following(0);
    }

    /// Returns the text about the marked field, and the consequences of all fields.
    fn entries(&self) -> Vec<Entry> {
        let mut entries = Vec::new();
        if let Some(note) = &self.base.note {
            entries.push(Entry::unlabelled(TextRole::Warning, note));
            entries.push(Entry::default());
        }
        if let Some(field) = self.marked() {
            let name =
                Entry::unlabelled(TextRole::Title, format!("{}: ", field.label.trim_start()));
            entries.push(name.append_span(TextRole::Text, field.about));
        }
        for (label, text) in self.model.notes() {
            entries.push(Entry::default());
            let label = Entry::unlabelled(TextRole::Title, format!("{label}: "));
            entries.push(label.append_span(TextRole::Faint, text));
        }
        entries
    }

    fn rows(&self, columns: usize, look: &ScreenAppearance) -> Vec<TreeRow> {
        let row = |(number, field): (usize, FormField)| {
            let label = measure::pad(&field.label, LABEL_COLUMNS.min(columns / 2));
            let note = if field.note.is_empty() {
                String::new()
            } else {
                format!("  {}", field.note)
            };
            let taken = measure::width(&label) + measure::width(&note);
            let room = columns.saturating_sub(taken + 6);
            let value = match (&self.line, number == self.list.selected()) {
                (Some(line), true) => line.visible_text(room),
                _ if is_empty(&field.value) => "(empty)".to_owned(),
                _ => measure::clip(&field.value, room, look.glyphs.ellipsis).into_owned(),
            };
            let (before, after) = if field.has_choices {
                ("< ", " >")
            } else {
                ("  ", "")
            };
            TreeRow {
                text: format!("{label} {before}{value}{after}{note}"),
                ..TreeRow::default()
            }
        };
        self.model
            .fields()
            .into_iter()
            .enumerate()
            .map(row)
            .collect()
    }
}

/// True if the value of a form's field is an empty text or an empty map. The form then shows "(empty)".
fn is_empty(value: &str) -> bool {
    value.is_empty() || value == "{}"
}

impl Screen for Form<'_> {
    type Outcome = FormOutcome;

    fn render(&mut self, canvas: &mut Canvas<'_>, area: Rect) {
        let previewed = self.model.look();
        let look = previewed.unwrap_or(canvas.look);
        let canvas = &mut Canvas::new(&look, canvas.buffer);
        let title = format!(" {}", self.model.title());
        let [head, body, last] = page_areas(area);
        canvas.draw_text_line(&title, TextRole::Title, head);
        let entries = self.entries();
        let rows = self.rows(usize::from(body.width.saturating_sub(2)), &look);
        // The description of the field stays in view, even if there are many fields.
        let least = measure_lines(&entries[..1.min(entries.len())], body.width - 2).clamp(2, 6) + 1;
        let most = usize::from(body.height).saturating_sub(least);
        let [upper, lower] =
            measure::split_rows_with_common_border(body, (rows.len() + 2).min(most).max(3));
        let inner = canvas.draw_frame("Fields", true, upper);
        let row = |number: usize| rows.get(number).cloned().unwrap_or_default();
        self.list.draw(rows.len(), row, true, canvas, inner);
        self.notes
            .draw_panel("Description", false, &entries, canvas, lower);
        if self.line.is_some() {
            let hint = " enter accepts the text, esc cancels, ctrl-u clears it";
            canvas.draw_text_line(hint, TextRole::Faint, last);
        } else {
            draw_footer(None, self.base.keys, self.screen_context(), canvas, last);
        }
        if previewed.is_some() {
            replace_unsupported_characters(canvas);
            look.fill_uncoloured_cells(canvas.buffer);
        }
    }

    fn screen_context(&self) -> ScreenKeyContext {
        let field = self.marked().unwrap_or_default();
        ScreenKeyContext::of_single_panel(
            FORM,
            TURNABLE.only_if(field.has_choices) | WRITABLE.only_if(field.is_writable),
        )
    }

    fn screen_reader_text(&self) -> Option<String> {
        let FormField {
            label,
            value,
            about,
            ..
        } = self.marked()?;
        let label = label.trim_start();
        Some(format!("{}\n{label}: {value}. {about}", self.model.title()))
    }

    fn shared_parts(&mut self) -> BorrowedScreenParts<'_> {
        let is_typing = self.is_typing();
        self.base.shared_parts().typing(is_typing)
    }

    fn act(&mut self, action: Action) -> ScreenEffect<FormOutcome> {
        match action {
            Action::Above => self.move_mark(-1),
            Action::Below => self.move_mark(1),
            Action::TurnBack => self.change_choice(-1),
            Action::TurnOn => self.change_choice(1),
            Action::Write => self.start_typing(),
            Action::Accept => match self.model.check() {
                Ok(()) => return ScreenEffect::Leave(FormOutcome::Accepted),
                Err(why) => self.base.note = Some(why),
            },
            Action::Quit => return ScreenEffect::Leave(FormOutcome::Left),
            _ => {
                let entries = self.entries();
                scroll_text(action, &mut self.notes, &entries);
            }
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
            UnmappedScreenInput::Unbound(_)
            | UnmappedScreenInput::Palette(_)
            | UnmappedScreenInput::Signal => None,
        }
    }

    fn reference(&self) -> ScreenHelpAndReproduction {
        let [panel, scenario] = self.model.help();
        ScreenHelpAndReproduction {
            panel,
            scenario,
            reproduction: self.model.reproduction(),
        }
    }
}

impl Form<'_> {
    fn write_typed_character(&mut self, event: KeyEvent) -> Option<ScreenEffect<FormOutcome>> {
        match self.line.as_mut()?.key(event) {
            LineInputResult::Submitted => self.finish_typing(),
            LineInputResult::Cancelled => self.line = None,
            LineInputResult::Changed | LineInputResult::Ignored => {}
        }
        Some(ScreenEffect::None)
    }

    fn handle_mouse(&mut self, event: MouseEvent) -> ScreenEffect<FormOutcome> {
        let at = Position::new(event.column, event.row);
        match event.kind {
            _ if self.line.is_some() => {}
            MouseEventKind::Down(MouseButton::Left) => {
                let count = self.model.fields().len();
                if let Some(row) = self.list.row_at(at, count) {
                    // A second click selects the next choice, or starts typing.
                    let is_second_click = self.list.is_second_click(row);
                    self.list.select(row);
                    match self.marked() {
                        Some(field) if is_second_click && field.has_choices => {
                            self.change_choice(1);
                        }
                        Some(_) if is_second_click => self.start_typing(),
                        _ => {}
                    }
                }
            }
            MouseEventKind::ScrollDown => self.move_mark(1),
            MouseEventKind::ScrollUp => self.move_mark(-1),
            _ => {}
        }
        ScreenEffect::None
    }

    fn handle_paste(&mut self, text: &str) {
        if self.line.is_none() {
            self.start_typing();
        }
        if let Some(line) = &mut self.line {
            line.paste(text);
        }
    }

    fn is_typing(&self) -> bool {
        self.line.is_some()
    }
}
