//! The configuration as text: always the same for the same settings.

use super::{FIELDS, Setting, Settings};
use crate::tui::widget::measure::wrap;
use debate_lab::record::quoted;

/// Comments are folded at so many columns.
const COLUMNS: usize = 90;

const HEAD: &str = "\
// What debate-tui does where no flag says otherwise. Every line may be left out.
// The program writes this file anew when settings are changed in it; what you wrote by hand is
// then kept beside it, under the same name with .bak at its end.
";

impl Settings {
    /// All settings as a file, with what each is for; reads back as what it was made from.
    pub fn to_ron(&self) -> String {
        let fields = FIELDS.iter().map(|field| {
            let lines = about(field);
            let lines = wrap(&lines, COLUMNS).into_iter();
            let comment: String = lines.flat_map(|line| ["    // ", line, "\n"]).collect();
            format!("{comment}    {}: {},\n", field.name, field.in_ron(self))
        });
        let fields: Vec<String> = fields.collect();
        format!("{HEAD}(\n{})\n", fields.join("\n"))
    }
}

/// The purpose of a setting, its values, and its default.
fn about(field: &Setting) -> String {
    let standard = field.in_ron(&Settings::default());
    format!(
        "{} Takes {}; {standard} where it is left out.",
        field.doc,
        field.takes()
    )
}

/// The keys of actions as a map, each entry after `before` and the last before `end`.
pub(super) fn keys(settings: &Settings, before: &str, end: &str) -> String {
    if settings.bound.is_empty() {
        return "{}".to_owned();
    }
    let entries = settings.bound().map(|(action, keys)| {
        let keys: Vec<String> = keys.iter().map(|key| quoted(key)).collect();
        format!("{before}{}: [{}],", quoted(action), keys.join(", "))
    });
    format!("{{{}{end}}}", entries.collect::<String>())
}
