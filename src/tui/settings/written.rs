//! The configuration as text: always the same for the same settings.

use super::{FIELDS, Field, Settings};
use crate::record::quoted;
use crate::tui::panel::measure::wrap;

/// Comments are folded at so many columns.
const COLUMNS: usize = 90;

const HEAD: &str = "\
// What debate-tui does where no flag says otherwise. Every line may be left out.
// The program writes this file anew when settings are changed in it; what you wrote by hand is
// then kept beside it, under the same name with .bak at its end.
";

impl Settings {
    /// All settings as a file, with what each is for; reads back as what it was made from.
    #[must_use]
    pub fn to_ron(&self) -> String {
        let mut text = format!("{HEAD}(\n");
        for (number, field) in FIELDS.iter().enumerate() {
            if number > 0 {
                text.push('\n');
            }
            for line in wrap(&about(field), COLUMNS) {
                text += &format!("    // {line}\n");
            }
            text += &format!("    {}: {},\n", field.name, field.in_ron(self));
        }
        text + ")\n"
    }
}

/// What a setting is for, which values it takes, and which it has where it is left out.
fn about(field: &Field) -> String {
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
