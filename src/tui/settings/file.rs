//! The settings file: finding it, parsing it with the positions of errors, and writing it as a whole.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::Deserialize;
use thiserror::Error;

use super::models::{ModelSettingsEntry, checked_models};
use super::{
    ALL_SETTINGS, MAX_KEYS, Setting, Settings, is_key, key_map_with_overrides, setting_named,
};
use crate::tui::actions::KeyMapError;
use crate::tui::keys::actions;
use crate::tui::widget::measure::wrap;
use debate_core::scenario::{ScenarioValueError, ScenarioValuePath};
use debate_core::text::{replace_unsafe_characters, strip_byte_order_mark};
use debate_host::record::{create_file_atomically, ron_string_literal, write_atomically};
use debate_solver::setup::{
    MapEntries, ScenarioError, ScenarioLimits, ScenarioSourceText, ScenarioTextSource,
    nearest_name, ron_options,
};

/// Maximum size of a settings file, in bytes.
pub const MAX_FILE: u64 = 1 << 16;

/// The environment variable that contains the path of the settings file.
pub const CONFIG_VARIABLE: &str = "DEBATE_TUI_CONFIG";

/// Maximum number of backups of a settings file that was written by hand.
const MAX_BACKUPS: usize = 99;

/// Returns the default path of the settings file on this platform; `None` if the platform has no folder for it. The
/// file need not exist.
pub fn default_settings_path() -> Option<PathBuf> {
    let platform = directories::ProjectDirs::from("", "", "debate-tui")?;
    Some(platform.config_dir().join("config.ron"))
}

/// An error in reading or writing settings.
#[derive(Debug, Error)]
pub enum SettingsError {
    /// The file cannot be read.
    #[error("{settings_file}: cannot be read: {cause}", settings_file = replace_unsafe_characters(&path.to_string_lossy()))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        cause: io::Error,
    },
    /// The file is longer than [`MAX_FILE`].
    #[error("{settings_file}: has more than {MAX_FILE} bytes; make it smaller", settings_file = replace_unsafe_characters(&path.to_string_lossy()))]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// The file's contents are wrong; the message includes the position.
    #[error(transparent)]
    Wrong(#[from] ScenarioError),
    /// The file cannot be written.
    #[error("{settings_file}: cannot be written: {cause}", settings_file = replace_unsafe_characters(&path.to_string_lossy()))]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        cause: io::Error,
    },
}

/// The result of storing settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenSettingsAndBackupPaths {
    /// The settings file that was written. If the given path was a link, this is the link's target.
    pub path: PathBuf,
    /// The path of the backup, if the previous settings file was written by hand.
    pub backup: Option<PathBuf>,
}

/// The file format.
#[derive(Default, Deserialize)]
#[serde(rename = "Settings", default, deny_unknown_fields)]
struct File {
    theme: Option<String>,
    color: Option<String>,
    true_color: Option<String>,
    ascii: Option<String>,
    mouse: Option<bool>,
    auto_play: Option<bool>,
    speed: Option<u8>,
    hints: Option<bool>,
    animation: Option<bool>,
    bell: Option<bool>,
    saves: Option<String>,
    models: Option<MapEntries<ModelSettingsEntry>>,
    keys: Option<MapEntries<Vec<String>>>,
}

impl Settings {
    /// Reads the settings from a file. Returns the defaults if the file does not exist.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, is too large, or has an unknown setting or a wrong value.
    pub fn load(path: &Path) -> Result<Self, SettingsError> {
        match read(path) {
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(cause) => Err(SettingsError::Unreadable {
                path: path.to_owned(),
                cause,
            }),
            Ok(None) => Err(SettingsError::TooLarge {
                path: path.to_owned(),
            }),
            Ok(Some(text)) => Ok(Self::parse_settings(
                &text,
                &ScenarioTextSource::File(path.to_owned()),
            )?),
        }
    }

    /// Parses settings from a text. `settings_source` is the text's source, for error messages.
    ///
    /// # Errors
    /// Returns an error with line and column if the text is not valid RON, or has an unknown setting or a wrong value.
    pub fn parse_settings(
        text: &str,
        settings_source: &ScenarioTextSource,
    ) -> Result<Self, ScenarioError> {
        let text = strip_byte_order_mark(text);
        let limits = &ScenarioLimits::default();
        let source = ScenarioSourceText {
            text,
            origin: settings_source,
            limits,
        };
        if is_blank(text) {
            return Ok(Self::default());
        }
        let written: File = ron_options()
            .from_str(text)
            .map_err(|error| source.parse_error(text, &error))?;
        Self::checked(written).map_err(|flaw| source.flaw_error(&flaw))
    }

    fn checked(written: File) -> Result<Self, ScenarioValueError> {
        let mut settings = Self::default();
        let values = [
            ("theme", written.theme),
            ("color", written.color),
            ("true_color", written.true_color),
            ("ascii", written.ascii),
            ("mouse", written.mouse.map(|on| on.to_string())),
            ("auto_play", written.auto_play.map(|on| on.to_string())),
            ("speed", written.speed.map(|speed| speed.to_string())),
            ("hints", written.hints.map(|on| on.to_string())),
            ("animation", written.animation.map(|on| on.to_string())),
            ("bell", written.bell.map(|on| on.to_string())),
            ("saves", written.saves),
        ];
        for (name, value) in values {
            if let (Some(value), Some(field)) = (value, setting_named(name)) {
                field.set(&mut settings, &value).map_err(|takes| {
                    let reason = format!("found {value:?}, but {takes}");
                    ScenarioValuePath::path_of_top_level_field(name).error_at_path(reason)
                })?;
            }
        }
        settings.models = checked_models(written.models.unwrap_or_default())?;
        settings.key_overrides = key_overrides(written.keys.unwrap_or_default())?;
        Ok(settings)
    }

    /// Writes all settings to a file atomically, so that no reader sees a part of them. A file that the program did not
    /// write is backed up first. If the path is a link to an existing file, that file is written.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read or written. The settings file is then unchanged, unless only its
    /// permissions could not be restored.
    pub fn store(&self, path: &Path) -> Result<WrittenSettingsAndBackupPaths, SettingsError> {
        let stored = self.write(path);
        stored.map_err(|cause| SettingsError::Unwritable {
            path: path.to_owned(),
            cause,
        })
    }

    fn write(&self, path: &Path) -> io::Result<WrittenSettingsAndBackupPaths> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let path = match path.canonicalize() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_owned(),
            found => found?,
        };
        let text = self.to_settings_file_text();
        let mut backup = None;
        let mut permissions = None;
        if path.exists() {
            let old = fs::read(&path)?;
            if old == text.as_bytes() {
                return Ok(WrittenSettingsAndBackupPaths { path, backup });
            }
            if !is_ours(&old) {
                backup = Some(back_up(&path, &old)?);
            }
            permissions = Some(fs::metadata(&path)?.permissions());
        }
        write_atomically(&path, text)?;
        if let Some(permissions) = permissions {
            fs::set_permissions(&path, permissions)?;
        }
        Ok(WrittenSettingsAndBackupPaths { path, backup })
    }
}

/// Returns the text of a settings file; `None` if the file is too long.
fn read(path: &Path) -> io::Result<Option<String>> {
    let mut text = String::new();
    // Reading a device might never end, even if it reports a length.
    let file = fs::File::open(path)?;
    let length = file.take(MAX_FILE + 1).read_to_string(&mut text)?;
    Ok((length as u64 <= MAX_FILE).then_some(text))
}

/// True if all lines of the text are empty or comments, so that it contains no settings.
fn is_blank(text: &str) -> bool {
    text.lines()
        .map(str::trim)
        .all(|line| line.is_empty() || line.starts_with("//"))
}

/// True if the program itself would write exactly these bytes. Overwriting the file then loses no text of the user.
fn is_ours(bytes: &[u8]) -> bool {
    let text = std::str::from_utf8(bytes).unwrap_or("");
    let origin = ScenarioTextSource::Text(String::new());
    Settings::parse_settings(text, &origin)
        .is_ok_and(|settings| settings.to_settings_file_text() == text)
}

/// Copies a hand-written settings file to the first free backup name. If an earlier backup has the same bytes, returns
/// its path instead.
fn back_up(path: &Path, bytes: &[u8]) -> io::Result<PathBuf> {
    for number in 1..=MAX_BACKUPS {
        let mut name = path.as_os_str().to_owned();
        name.push(".bak");
        if number > 1 {
            name.push(number.to_string());
        }
        let kept = PathBuf::from(name);
        match create_file_atomically(&kept, bytes) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if fs::read(&kept).is_ok_and(|old| old == bytes) {
                    return Ok(kept);
                }
            }
            made => return made.map(|()| kept),
        }
    }
    Err(io::Error::other(
        "there are too many .bak files beside the settings file; delete the files that you do not need",
    ))
}

/// Parses a map of actions and their keys in the form that [`super::Setting::set`] accepts.
pub fn parse_key_overrides(text: &str) -> Option<Vec<(String, Vec<String>)>> {
    key_overrides(ron_options().from_str(text).ok()?).ok()
}

/// Checks the keys of actions.
fn key_overrides(
    entries: MapEntries<Vec<String>>,
) -> Result<Vec<(String, Vec<String>)>, ScenarioValueError> {
    let way = || ScenarioValuePath::path_of_top_level_field("keys");
    let mut key_overrides: Vec<(String, Vec<String>)> = Vec::new();
    for (action, keys) in entries.0 {
        let here = way().then_map_entry(&action);
        if !actions().iter().any(|known| known.name == action) {
            let names: Vec<&str> = actions().iter().map(|known| known.name).collect();
            let hint = nearest_name(&action, &names).map_or_else(
                || "`debate-tui --print-keys` lists all actions".to_owned(),
                |name| format!("did you mean `{name}`?"),
            );
            return Err(here.error_at_path(format_args!("unknown action; {hint}")));
        }
        if key_overrides.iter().any(|(known, _)| *known == action) {
            return Err(here.error_at_path("this action appears twice; remove one entry"));
        }
        if keys.len() > MAX_KEYS {
            let what = format_args!("more than {MAX_KEYS} keys for this action; remove some");
            return Err(here.error_at_path(what));
        }
        if let Some(wrong) = keys.iter().position(|key| !is_key(key)) {
            let what = KeyMapError::invalid_key_press_message(&keys[wrong]);
            return Err(here.then_list_item(wrong).error_at_path(what));
        }
        key_overrides.push((action, keys));
    }
    key_map_with_overrides(&key_overrides).map_err(|error| {
        // Of two conflicting actions, the error points at the later one in the file.
        let meant = |name: &str| key_overrides.iter().rposition(|(action, _)| action == name);
        let last = match &error {
            KeyMapError::Conflict { first, second, .. } => meant(first).max(meant(second)),
            KeyMapError::Needed(action) => meant(action),
            _ => None,
        };
        let at = last.and_then(|at| key_overrides.get(at));
        let here = at.map_or_else(way, |(action, _)| way().then_map_entry(action));
        here.error_at_path(&error)
    })?;
    Ok(key_overrides)
}

/// Maximum width of the text of comments in the settings file, in columns. The indent and `//` before the text are not
/// counted.
const COLUMNS: usize = 90;

const HEAD: &str = "\
// The settings of debate-tui. Flags override them. Every line may be left out.
// The program rewrites this file when its settings change. A file written by hand is first
// saved beside it, under the same name with .bak at the end.
";

impl Settings {
    /// Returns the text of a settings file with all settings and their purposes. Parsing the text returns equal
    /// settings.
    pub fn to_settings_file_text(&self) -> String {
        let fields = ALL_SETTINGS.iter().map(|field| {
            let lines = setting_comment(field);
            let lines = wrap(&lines, COLUMNS).into_iter();
            let comment: String = lines.flat_map(|line| ["    // ", line, "\n"]).collect();
            format!(
                "{comment}    {}: {},\n",
                field.name,
                field.value_in_ron(self)
            )
        });
        let fields: Vec<String> = fields.collect();
        format!("{HEAD}(\n{})\n", fields.join("\n"))
    }
}

/// Returns the comment above a setting in the file: its purpose, its values, and its default.
fn setting_comment(field: &Setting) -> String {
    let default_value = field.value_in_ron(&Settings::default());
    let (purpose, values) = (field.doc(), field.accepted_values());
    format!("{purpose} Values: {values}. Default: {default_value}.")
}

/// Formats the user's keys as a map in the settings file. `entry_prefix` is written before each entry, `map_suffix`
/// after the last one.
pub fn format_key_overrides(settings: &Settings, entry_prefix: &str, map_suffix: &str) -> String {
    if settings.key_overrides.is_empty() {
        return "{}".to_owned();
    }
    let entries = settings.key_overrides().map(|(action, keys)| {
        let keys: Vec<String> = keys.iter().map(|key| ron_string_literal(key)).collect();
        format!(
            "{entry_prefix}{}: [{}],",
            ron_string_literal(action),
            keys.join(", ")
        )
    });
    format!("{{{}{map_suffix}}}", entries.collect::<String>())
}
