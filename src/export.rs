//! A debate or a scenario for other people and other programs, in the form they read.
//!
//! Where to start: [`Debate::new`] takes a save, [`Proposal`] a scenario; [`find`] gives the
//! [`Format`] of a name, and [`Format::write`] the text. What is told comes from the words of the
//! protocols and from the panels of the replay; nothing is told here a second time.
//!
//! **A format** is one file in this folder and one line in [`FORMATS`].

mod csv;
mod debate;
mod dot;
mod efg;
mod error;
mod facts;
mod html;
mod inspect;
mod json;
mod md;
mod options;
pub mod play;
mod safe;
mod svg;
pub mod table;
mod tree;

#[cfg(test)]
mod tests;

pub use debate::{Debate, Happening, Proposal};
pub use error::ExportError;
pub use options::{Flag, Options, SMALLEST_SVG, size, span};

/// Every format: a new one is a line here.
pub static FORMATS: &[Format] = &[
    html::FORMAT,
    svg::FORMAT,
    md::FORMAT,
    json::OF_A_SAVE,
    csv::FORMAT,
    inspect::FORMAT,
    json::OF_A_SCENARIO,
    dot::FORMAT,
    efg::FORMAT,
];

/// What a debate or a scenario can be written as.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// The name on the command line.
    pub name: &'static str,
    /// What it is, in one line.
    pub about: &'static str,
    /// The options that it takes.
    pub takes: &'static [Flag],
    /// What it is made of, and how.
    pub of: Of,
}

/// What a format is made of, with what makes it.
#[derive(Clone, Copy, Debug)]
pub enum Of {
    /// A save.
    Save(fn(&Debate<'_>, &Options) -> Result<Written, ExportError>),
    /// One save or several, at least one.
    Saves(fn(&[Debate<'_>], &Options) -> Result<Written, ExportError>),
    /// A scenario.
    Scenario(fn(&Proposal<'_>, &Options) -> Result<Written, ExportError>),
}

/// What can be written down.
#[derive(Clone, Copy)]
pub enum Subject<'s, 'a> {
    /// Debates that were played.
    Saves(&'s [Debate<'a>]),
    /// A debate that can be played.
    Scenario(&'s Proposal<'a>),
}

/// A text in its format, and what there is to say about it beside it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The text.
    pub text: String,
    /// Sentences for whoever asked for it: what was cut, what to mind.
    pub notes: Vec<String>,
}

impl From<String> for Written {
    fn from(text: String) -> Self {
        let notes = Vec::new();
        Self { text, notes }
    }
}

impl Of {
    /// What it is made of, in words.
    fn words(self) -> &'static str {
        match self {
            Self::Save(_) | Self::Saves(_) => "a save",
            Self::Scenario(_) => "a scenario",
        }
    }
}

impl Subject<'_, '_> {
    /// What it is, in words.
    fn words(self) -> &'static str {
        match self {
            Self::Saves(_) => "a save",
            Self::Scenario(_) => "a scenario",
        }
    }
}

/// The format of this name for a save, or for a scenario.
///
/// # Errors
/// Where there is none; it then names those that there are.
pub fn find(name: &str, of_a_save: bool) -> Result<&'static Format, ExportError> {
    let of = if of_a_save { "a save" } else { "a scenario" };
    let mut formats = FORMATS.iter().filter(|format| format.of.words() == of);
    let found = formats.find(|format| format.name == name);
    found.ok_or_else(|| ExportError::format(name, of))
}

impl Format {
    /// Writes the subject down in this format.
    ///
    /// # Errors
    /// Where the format is none for this subject; where an option is given that it does not take,
    /// or one is out of its range; and where there is too much to write, as the format says.
    pub fn write(&self, subject: Subject<'_, '_>, asked: &Options) -> Result<Written, ExportError> {
        let of = subject.words();
        if let Some(flag) = asked.given().find(|flag| !self.takes.contains(flag)) {
            return Err(ExportError::Flag {
                flag: flag.name(),
                format: self.name,
                of,
                known: FORMATS
                    .iter()
                    .filter(|format| format.takes.contains(&flag))
                    .map(|format| format!("{} of {}", format.name, format.of.words()))
                    .collect(),
            });
        }
        match (self.of, subject) {
            (Of::Save(write), Subject::Saves([debate])) => write(debate, asked),
            (Of::Saves(write), Subject::Saves(debates)) if !debates.is_empty() => {
                write(debates, asked)
            }
            (Of::Save(_) | Of::Saves(_), Subject::Saves(_)) => {
                Err(ExportError::one_save(self.name))
            }
            (Of::Scenario(write), Subject::Scenario(proposal)) => write(proposal, asked),
            _ => Err(ExportError::format(self.name, of)),
        }
    }
}
