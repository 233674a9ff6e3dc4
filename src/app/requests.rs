//! The handling of requests that every screen can make: go home, change the settings, export a debate to a file.

use std::path::{Path, PathBuf};

use super::context::AppContext;
use super::{CommandFailure, Result};
use crate::tui::menu::{Form, FormField, FormModel, FormOutcome};
use crate::tui::picture;
use crate::tui::screen::{AppRequest, Screen, ScreenExt as _, ScreenOutcomeOrAppRequest};
use crate::tui::settings::{Settings, SettingsForm};
use crate::tui::widget::choice::cycle_index;
use debate_core::text::replace_unsafe_characters;
use debate_host::record::{OutputDestination, Save, SaveListing, check_output, write_output};
use debate_lab::export::{
    ExportFormat, ExportFormatRegistry, ExportOptions, ExportedTextWithNotes, ReplayedSave,
    SavesOrScenarioToExport,
};
use debate_solver::setup::ScenarioLimits;

impl AppContext {
    /// Shows a screen until it ends, or until the user asks for home. In the second case, the screen ends as if its
    /// terminal had been closed.
    pub(super) fn show<S: Screen>(&mut self, screen: &mut S) -> Result<S::Outcome> {
        loop {
            if self.goes_home {
                return Ok(screen.outcome_if_closed());
            }
            let outcome = match self.run_screen(screen)? {
                ScreenOutcomeOrAppRequest::Outcome(outcome) => return Ok(outcome),
                ScreenOutcomeOrAppRequest::AppRequest(AppRequest::Home) => {
                    self.goes_home = true;
                    continue;
                }
                ScreenOutcomeOrAppRequest::AppRequest(AppRequest::Settings) => {
                    change_settings(self)
                }
                ScreenOutcomeOrAppRequest::AppRequest(AppRequest::Export(save)) => {
                    export_save_by_form(self, &save)
                }
            };
            match outcome {
                Ok(notice) => notice
                    .into_iter()
                    .for_each(|notice| screen.show_note(notice)),
                Err(CommandFailure::Input(why) | CommandFailure::System(why)) => {
                    screen.show_note(why);
                }
                Err(failure) => return Err(failure),
            }
            // The page on top received all events meanwhile, so the screen below is woken to look for results.
            self.waker().wake();
        }
    }
}

/// Shows the settings over a screen and saves them if the user accepts. Returns a notice about the result; `None` if
/// the user leaves the form.
fn change_settings(app: &mut AppContext) -> Result<Option<String>> {
    let Some(path) = app.options.preferences.path.clone() else {
        return Ok(Some(
            "Settings cannot be saved, because this run uses no settings file.".to_owned(),
        ));
    };
    let settings = Settings::load(&path)?;
    let appearance_of = app.appearance_of();
    let mut model = SettingsForm::new(settings, &path, &appearance_of);
    let keys = app.keys();
    if app.show_form(&mut Form::new(&mut model, &keys))? == FormOutcome::Left {
        return Ok(None);
    }
    let (before, after) = model.settings_before_and_after_changes();
    after
        .store(&path)
        .map_err(CommandFailure::from_system_error)?;
    app.apply_settings(&before, &after)?;
    let pace = if before.tempo == after.tempo {
        ""
    } else {
        " The current debate keeps its speed."
    };
    Ok(Some(format!("Saved in {}.{pace}", path.display())))
}

/// Exclusive upper limit on the number that is appended to a file name to make it unique.
const MAX_ALIKE: u32 = 999;

/// Asks for a format, and writes a saved debate to a file, by default beside its save. The file of a remote user is
/// sent to the user instead. Returns a notice about the result; `None` if the user cancels.
pub(super) fn export_save_by_form(app: &mut AppContext, save: &Path) -> Result<Option<String>> {
    let formats =
        ExportFormatRegistry::with_builtin_formats().with_registered_format(picture::FORMAT);
    let mut form = ExportForm::new(save, &formats);
    form.sends_file = app.is_user_remote();
    let keys = app.keys();
    if app.show_form(&mut Form::new(&mut form, &keys))? == FormOutcome::Left {
        return Ok(None);
    }
    let Some(format) = form.formats.get(form.chosen).copied() else {
        return Ok(None);
    };
    let name = form.name();
    let target = (!form.sends_file).then(|| form.path());
    let save = save.to_owned();
    let written = app.wait_for("The file is being written", move |_| {
        let mut written = exported_text(&formats, format.name, &save)?;
        if let Some(path) = &target {
            write_new(path, &written.text)?;
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            written
                .notes
                .extend(format.warning_if_other_programs_ignore_file(&name));
        }
        Ok::<_, String>((written, target))
    })?;
    let (written, target) = match written {
        None => return Ok(None),
        Some(Err(why)) => return Ok(Some(format!("Not written: {why}"))),
        Some(Ok(written)) => written,
    };
    let done = if let Some(path) = target {
        format!(
            "Written to {}.",
            replace_unsafe_characters(&path.display().to_string())
        )
    } else {
        app.send_file_to_remote_user(&name, &written.text)?;
        format!(
            "The file {file} was sent to you.",
            file = replace_unsafe_characters(&name)
        )
    };
    let entries = std::iter::once(done).chain(written.notes);
    Ok(Some(entries.collect::<Vec<_>>().join(" ")))
}

/// Writes a new regular file. A pipe is refused: opening it could block the screen.
fn write_new(path: &Path, text: &str) -> Result<(), String> {
    let kind = check_output(path, false).map_err(|error| error.to_string())?;
    if kind != OutputDestination::NewFile {
        return Err(format!(
            "{path} is not a regular file",
            path = path.display()
        ));
    }
    let mut stdout = std::io::sink();
    write_output(path, text.as_bytes(), false, &mut stdout).map_err(|error| error.to_string())
}

/// Returns the text of a saved debate in the format `format`.
fn exported_text(
    formats: &ExportFormatRegistry,
    format: &str,
    save: &Path,
) -> Result<ExportedTextWithNotes, String> {
    let read = Save::read_leniently(save, &ScenarioLimits::default());
    let (read, setup, instance) = read.map_err(|error| error.to_string())?;
    let debate = ReplayedSave::new(&read, &setup, &instance).map_err(|error| error.to_string())?;
    let name = save.file_name().unwrap_or_default().to_string_lossy();
    let debates = [debate.with_debate_name(name.into_owned())];
    let subject = SavesOrScenarioToExport::Saves(&debates);
    let written = formats.write(format, subject, &ExportOptions::default());
    written.map_err(|error| error.to_string())
}

/// The form for an export: the format to write, and the name of the file.
struct ExportForm {
    folder: PathBuf,
    /// The name of the save's file without its extension `.ron`.
    stem: String,
    /// The start time of the debate, from the save.
    started: Option<String>,
    /// The formats that saves can be exported to.
    formats: Vec<ExportFormat>,
    chosen: usize,
    /// The name of the exported file, if the user typed one.
    typed: Option<String>,
    /// True if the exported file is sent to a remote user; no file is written on this machine.
    sends_file: bool,
}

impl ExportForm {
    fn new(save: &Path, formats: &ExportFormatRegistry) -> Self {
        let stem = save.file_stem().unwrap_or_default().to_string_lossy();
        let of_saves = formats.iter().filter(|format| format.exports_saves());
        Self {
            folder: save.parent().unwrap_or_else(|| Path::new(".")).to_owned(),
            stem: stem.into_owned(),
            started: SaveListing::read_listing(save).and_then(|save| save.header?.started),
            formats: of_saves.copied().collect(),
            chosen: 0,
            typed: None,
            sends_file: false,
        }
    }

    fn format(&self) -> &'static str {
        self.formats
            .get(self.chosen)
            .map_or("", |format| format.name)
    }

    /// Returns the exported file's name: the typed one, else the save's name with the format's extension. If the
    /// latter file exists, a number is added, unless the file is sent to a remote user.
    fn name(&self) -> String {
        if let Some(typed) = &self.typed {
            return typed.clone();
        }
        let started = self.started.as_deref();
        let format = self.formats.get(self.chosen);
        let named =
            |stem: &str| format.map_or_else(String::new, |format| format.file_name(stem, started));
        let plain = named(&self.stem);
        if self.sends_file {
            return plain;
        }
        let numbered = (2..MAX_ALIKE).map(|number| named(&format!("{}-{number}", self.stem)));
        let mut names = std::iter::once(plain.clone()).chain(numbered);
        let free = names.find(|name| self.folder.join(name).symlink_metadata().is_err());
        free.unwrap_or(plain)
    }

    fn path(&self) -> PathBuf {
        self.folder.join(self.name())
    }
}

impl FormModel for ExportForm {
    fn title(&self) -> String {
        "Export the debate to a file".to_owned()
    }

    fn fields(&self) -> Vec<FormField> {
        let about = self
            .formats
            .get(self.chosen)
            .map_or("", |format| format.about);
        vec![
            FormField {
                note: String::new(),
                label: "Format".to_owned(),
                value: self.format().to_owned(),
                about: format!("{about}."),
                has_choices: true,
                is_writable: false,
            },
            FormField {
                note: String::new(),
                label: "File".to_owned(),
                value: self.name(),
                about: if self.sends_file {
                    "The file is sent to your computer.".to_owned()
                } else {
                    "Type a file name in the folder of the save, or a path. Existing files are not overwritten."
                        .to_owned()
                },
                has_choices: false,
                is_writable: !self.sends_file,
            },
        ]
    }

    fn change_choice(&mut self, field: usize, by: isize) -> Result<(), String> {
        if field == 0 {
            self.chosen = cycle_index(self.chosen, by, self.formats.len());
            // A typed name has the extension of the previous format.
            self.typed = None;
        }
        Ok(())
    }

    fn write(&mut self, _field: usize, text: &str) -> Result<(), String> {
        if !self.sends_file {
            self.typed = (!text.is_empty()).then(|| text.to_owned());
        }
        self.check()
    }

    fn notes(&self) -> Vec<(String, String)> {
        let path = if self.sends_file {
            self.name()
        } else {
            self.path().display().to_string()
        };
        let note = "Sealed replies of an unfinished debate stay sealed in the file.";
        vec![
            (
                "Path".to_owned(),
                replace_unsafe_characters(&path).into_owned(),
            ),
            ("Secrets".to_owned(), note.to_owned()),
        ]
    }

    fn check(&self) -> Result<(), String> {
        if !self.sends_file && self.path().symlink_metadata().is_ok() {
            return Err(format!(
                "{file} exists already; choose another name.",
                file = replace_unsafe_characters(&self.name())
            ));
        }
        Ok(())
    }

    fn help(&self) -> [String; 2] {
        let form = "{choice-before} and {choice-after} choose the format, {write} types another name, \
                    {accept} writes the file, {quit} cancels. `debate-tui export` has more options.";
        [form.to_owned(), String::new()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exported_file_gets_a_unique_name_beside_the_save() {
        let folder = tempfile::tempdir().unwrap();
        let save = folder.path().join("one.ron");
        let formats =
            ExportFormatRegistry::with_builtin_formats().with_registered_format(picture::FORMAT);
        let mut form = ExportForm::new(&save, &formats);
        assert_eq!(form.path(), folder.path().join("one.html"));
        std::fs::write(folder.path().join("one.html"), "").unwrap();
        assert_eq!(form.path(), folder.path().join("one-2.html"));
        let mut seen = Vec::new();
        for _ in 0..form.formats.len() {
            form.change_choice(0, 1).unwrap();
            seen.push(form.name());
        }
        assert_eq!(seen.len(), 7, "{seen:?}");
        // Inspect ignores files whose names do not begin with a time.
        let log = "1970-01-01T00-00-00_one.json".to_owned();
        assert!(seen.contains(&log), "{seen:?}");
        assert!(seen.contains(&"one.md".to_owned()), "{seen:?}");
        assert!(form.write(1, "one.html").is_err());
        form.write(1, "two.html").unwrap();
        assert_eq!(form.path(), folder.path().join("two.html"));
        form.write(1, "").unwrap();
        assert_eq!(form.name(), "one-2.html");
    }
}
