//! `--print-keys`, `--print-config` and `--print-themes`.

use std::io::{self, Write as _};

use clap::Args;
use ratatui::style::{Color, Modifier, Style};
use serde::Serialize;

use super::output::{add_two_columns, is_terminal, print_json_line, print_lines, stdout};
use super::{CommandFailure, Result};
use crate::app::EffectivePreferences;
use crate::tui::keys::{CONTEXTS, actions};
use crate::tui::settings::{ALL_SETTINGS, Settings};
use crate::tui::theme::{TerminalColours, TextRole, Theme, ThemeChoice};

#[derive(Debug, Args)]
#[group(multiple = false)]
pub(super) struct PrintKeysConfigThemesFlags {
    /// Print every action of the screens with its keys, contexts and effect.
    #[arg(long)]
    print_keys: bool,
    /// Print a complete config.ron with the current settings and their descriptions.
    #[arg(long)]
    print_config: bool,
    /// Print the themes with a sample of each.
    #[arg(long)]
    print_themes: bool,
}

impl PrintKeysConfigThemesFlags {
    /// True if a `--print-…` flag is given.
    pub(super) fn has_print_flag(&self) -> bool {
        self.print_keys || self.print_config || self.print_themes
    }

    /// Prints the list that a `--print-…` flag asks for; `None` if no such flag is given.
    pub(super) fn print_requested_list(
        &self,
        json: bool,
        preferences: &EffectivePreferences,
    ) -> Option<Result> {
        let settings = &preferences.settings;
        Some(
            match (self.print_keys, self.print_config, self.print_themes) {
                (true, _, _) => keys(json, settings),
                (_, true, _) => config(json, settings),
                (_, _, true) => themes(json, preferences),
                _ => return None,
            },
        )
    }
}

/// An action of the screens.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct PrintedBinding {
    action: &'static str,
    /// The action's effect.
    doc: &'static str,
    /// The action's current keys.
    keys: Vec<String>,
    /// The action's default keys.
    standard: &'static [&'static str],
    /// The screens and panels in which the action is available.
    contexts: Vec<&'static str>,
}

/// A setting of config.ron. Values are written as in the file, texts without quotation marks.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct PrintedSetting {
    name: &'static str,
    doc: &'static str,
    /// The current value.
    value: String,
    standard: String,
    /// A description of the accepted values.
    takes: String,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct PrintedTheme {
    name: &'static str,
    about: &'static str,
    /// True if the settings select this theme.
    current: bool,
}

fn keys(json: bool, settings: &Settings) -> Result {
    let map = settings
        .key_map()
        .map_err(|error| CommandFailure::System(error.to_string()))?;
    let entries = actions()
        .iter()
        .zip(map.all_actions())
        .map(|(action, entry)| {
            let keys: Vec<String> = entry.keys.iter().map(ToString::to_string).collect();
            let contexts: Vec<&str> = CONTEXTS
                .iter()
                .filter(|(_, context)| action.contexts.intersects(*context))
                .map(|(name, _)| *name)
                .collect();
            (action, keys, contexts)
        });
    if json {
        let bindings = entries.map(|(action, keys, contexts)| PrintedBinding {
            action: action.name,
            doc: action.doc,
            keys,
            standard: action.keys,
            contexts,
        });
        return print_json_line(&bindings.collect::<Vec<_>>());
    }
    let mut lines = Vec::new();
    let column = actions()
        .iter()
        .map(|action| action.name.len())
        .max()
        .unwrap_or(0);
    for (action, keys, contexts) in entries {
        let keys = if keys.is_empty() {
            "no key".to_owned()
        } else {
            keys.join("  ")
        };
        let doc = format!("{keys}\n{}\nin: {}", action.doc, contexts.join(", "));
        add_two_columns(action.name, &doc, 0, column, &mut lines);
    }
    print_lines(lines)
}

fn config(json: bool, settings: &Settings) -> Result {
    if json {
        let fields = ALL_SETTINGS.iter().map(|field| PrintedSetting {
            name: field.name,
            doc: field.doc(),
            value: field.get(settings),
            standard: field.get(&Settings::default()),
            takes: field.accepted_values(),
        });
        return print_json_line(&fields.collect::<Vec<_>>());
    }
    Ok(stdout().write_all(settings.to_settings_file_text().as_bytes())?)
}

/// The texts of a theme's sample, each with its role. The role is the text's meaning, which determines its style.
const SAMPLE: [(&str, TextRole); 12] = [
    ("text", TextRole::Text),
    ("faint", TextRole::Faint),
    ("title", TextRole::Title),
    ("selected", TextRole::Selected),
    ("current", TextRole::Current),
    ("newest", TextRole::Newest),
    ("good", TextRole::Good),
    ("bad", TextRole::Bad),
    ("warning", TextRole::Warning),
    ("key", TextRole::Key),
    ("Alice", TextRole::Party(0)),
    ("Bob", TextRole::Party(1)),
];

fn themes(json: bool, preferences: &EffectivePreferences) -> Result {
    if json {
        let named = Theme::ALL.map(|theme| (ThemeChoice::Theme(theme), theme.theme_description()));
        let themes: Vec<_> = named
            .into_iter()
            .chain([(ThemeChoice::Auto, ThemeChoice::AUTO_PURPOSE)])
            .map(|(choice, about)| PrintedTheme {
                name: choice.setting_value_name(),
                about,
                current: choice == preferences.settings.theme,
            })
            .collect();
        return print_json_line(&themes);
    }
    let coloured = preferences.uses_colours(is_terminal(&io::stdout()));
    let mut lines = Vec::new();
    for theme in Theme::ALL {
        let word = |(word, role): (&str, TextRole)| {
            if coloured {
                format!(
                    "\u{1b}[{}m{word}\u{1b}[0m",
                    sgr(theme.style(role, TerminalColours::Named))
                )
            } else {
                word.to_owned()
            }
        };
        lines.push(format!(
            "{:<15}{}",
            theme.theme_name(),
            theme.theme_description()
        ));
        lines.push(format!("{:<15}{}", "", SAMPLE.map(word).join(" ")));
    }
    lines.push(format!(
        "{:<15}{}",
        ThemeChoice::Auto.setting_value_name(),
        ThemeChoice::AUTO_PURPOSE
    ));
    print_lines(lines)
}

/// Returns the parameters of the terminal's escape sequence for a style. Themes use only named colours and Reset.
fn sgr(style: Style) -> String {
    let mut codes = vec!["0".to_owned()];
    for (modifier, code) in [
        (Modifier::BOLD, 1),
        (Modifier::DIM, 2),
        (Modifier::UNDERLINED, 4),
        (Modifier::REVERSED, 7),
    ] {
        if style.add_modifier.contains(modifier) {
            codes.push(code.to_string());
        }
    }
    let named = [
        Color::Black,
        Color::Red,
        Color::Green,
        Color::Yellow,
        Color::Blue,
        Color::Magenta,
        Color::Cyan,
        Color::Gray,
        Color::DarkGray,
        Color::LightRed,
        Color::LightGreen,
        Color::LightYellow,
        Color::LightBlue,
        Color::LightMagenta,
        Color::LightCyan,
        Color::White,
    ];
    let number = named.iter().position(|colour| Some(*colour) == style.fg);
    if let Some(number) = number {
        let code = if number < 8 { 30 + number } else { 82 + number };
        codes.push(code.to_string());
    }
    codes.join(";")
}
