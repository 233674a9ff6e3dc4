//! Names of players with their arguments: `stubborn(0.5)`.

use std::fmt;

use thiserror::Error;

use crate::text::is_unsafe;

/// The most characters that a player's name and arguments may have.
pub const MAX_SPEC: usize = 400;

/// The players that are read from a file, which stands as their one argument: `trained(bob.ron)`.
const FROM_FILE: [&str; 2] = [TRAINED, RECORDED];

/// The estimator that was trained before.
pub const TRAINED: &str = "trained";

/// The debater who makes the speeches of a file.
pub const RECORDED: &str = "recorded";

/// Another program, which drives the debate through `serve`.
pub const SERVED: &str = "program";

/// The prefix of the command line of a program that is started for a seat.
pub const ENGINE: &str = "engine:";

/// True if a player of this name is no built-in one: a person or another program.
pub fn is_outside(name: &str) -> bool {
    name == "human" || name == SERVED || name.starts_with(ENGINE)
}

/// A player by name, as the command line and scenario files write it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Spec {
    /// The name.
    pub name: String,
    /// The arguments, as text.
    pub arguments: Vec<String>,
}

/// Why a text names no player.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum SpecError {
    /// It is not of the form.
    #[error(
        "{0:?} is no player; write a name such as honest, or one with arguments such as stubborn(0.5)"
    )]
    Malformed(String),
    /// No command line follows.
    #[error("engine: names no command; write it behind the colon, such as 'engine:python3 bob.py'")]
    NoCommand,
    /// A command with a character that cannot be shown.
    #[error("the command of an engine has a character that cannot be shown; remove it")]
    UnsafeCommand,
    /// It is longer than [`MAX_SPEC`].
    #[error("a player's name may have at most {MAX_SPEC} characters")]
    TooLong,
}

/// A player's name without its arguments, which may say too much to those who play against it:
/// `liar` for `liar(23)`.
pub fn bare(name: &str) -> &str {
    if name.starts_with(ENGINE) {
        return name;
    }
    name.split('(').next().unwrap_or_default().trim_end()
}

impl Spec {
    /// A player without arguments.
    pub fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            arguments: Vec::new(),
        }
    }

    /// Reads `name` or `name(argument, …)`, or `engine:` and a command line.
    ///
    /// # Errors
    /// If the text is neither.
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        if text.len() > MAX_SPEC {
            return Err(SpecError::TooLong);
        }
        let malformed = || SpecError::Malformed(text.to_owned());
        let text = text.trim();
        if let Some(command) = text.strip_prefix(ENGINE) {
            let command = command.trim();
            if command.chars().any(is_unsafe) {
                return Err(SpecError::UnsafeCommand);
            }
            if command.is_empty() {
                return Err(SpecError::NoCommand);
            }
            return Ok(Self::named(&format!("{ENGINE}{command}")));
        }
        let (name, arguments) = match text.split_once('(') {
            None => (text, Vec::new()),
            Some((name, rest)) => {
                let inside = rest.strip_suffix(')').ok_or_else(malformed)?;
                let arguments: Vec<String> = inside
                    .split(',')
                    .map(|argument| argument.trim().to_owned())
                    .collect();
                if arguments.iter().any(String::is_empty) {
                    return Err(malformed());
                }
                (name.trim(), arguments)
            }
        };
        let starts_well = name.starts_with(|first: char| first.is_ascii_lowercase());
        let all_well = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if !starts_well || !name.chars().all(all_well) {
            return Err(malformed());
        }
        Ok(Self {
            name: name.to_owned(),
            arguments,
        })
    }

    /// The file that the player is read from, as it is named.
    pub fn file(&self) -> Option<&str> {
        match (self.name.as_str(), self.arguments.as_slice()) {
            (name, [file]) if FROM_FILE.contains(&name) => Some(file),
            _ => None,
        }
    }

    /// The command line of the program that is started for the seat.
    pub fn command(&self) -> Option<&str> {
        self.name.strip_prefix(ENGINE)
    }

    /// True if another program sits there that drives the debate.
    pub fn is_served(&self) -> bool {
        self.name == SERVED
    }

    /// True if a person sits there.
    pub fn is_human(&self) -> bool {
        self.name == "human"
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.name)?;
        if self.arguments.is_empty() {
            return Ok(());
        }
        write!(out, "({})", self.arguments.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_arguments_are_read() {
        let spec = Spec::parse(" stubborn( 0.5 ) ").unwrap();
        assert_eq!(
            spec,
            Spec {
                name: "stubborn".into(),
                arguments: vec!["0.5".into()]
            }
        );
        assert_eq!(spec.to_string(), "stubborn(0.5)");
        assert_eq!(
            Spec::parse("best-response").unwrap().to_string(),
            "best-response"
        );
    }

    #[test]
    fn a_command_line_is_taken_as_it_stands() {
        let spec = Spec::parse(" engine: python3 'my bob.py' (1, 2) ").unwrap();
        assert_eq!(spec.command(), Some("python3 'my bob.py' (1, 2)"));
        assert_eq!(spec.to_string(), "engine:python3 'my bob.py' (1, 2)");
        assert_eq!(bare(&spec.to_string()), spec.to_string());
        assert_eq!(Spec::parse(&spec.to_string()), Ok(spec));
        assert_eq!(Spec::named("human").command(), None);
    }

    #[test]
    fn files_are_named_by_one_player_alone() {
        let spec = |text| Spec::parse(text).unwrap();
        assert_eq!(spec("trained(a/b (1).ron)").file(), Some("a/b (1).ron"));
        for text in ["trained", "trained(a, b)", "stubborn(a.ron)"] {
            assert_eq!(spec(text).file(), None, "{text}");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "",
            "(",
            "a(",
            "a()",
            "a(1",
            "A",
            "a b",
            "a(1,)",
            "\u{1b}[2J",
            "engine:",
            "engine: ",
            "engine:\u{1b}[2J",
        ] {
            assert!(Spec::parse(text).is_err(), "{text:?}");
        }
    }
}
