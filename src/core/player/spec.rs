//! Names of players with their arguments: `stubborn(0.5)`.

use std::fmt;

use thiserror::Error;

use crate::text::is_unsafe;

/// Maximum number of characters that a player's name and arguments may have.
pub const MAX_SPEC: usize = 400;

/// Names of the players that are read from a file, with the file name as their only argument: `trained(bob.ron)`.
const FROM_FILE: [&str; 2] = [TRAINED, RECORDED];

/// Name of the player that uses an estimator trained before and saved in a file.
pub const TRAINED: &str = "trained";

/// Name of the player that makes the speeches of a file.
pub const RECORDED: &str = "recorded";

/// The prover whose bets depend on the estimate alone.
pub const ERRS: &str = "errs";

/// Name of the player that is another program and drives the debate through `serve`.
pub const SERVED: &str = "program";

/// The prefix of the command line of a program that is started for a seat.
pub const ENGINE: &str = "engine:";
/// The prefix of an engine whose options precede its command line.
const ENGINE_WITH_OPTIONS: &str = "engine(";

/// True if a player of this name is no built-in one: a person or another program.
pub fn is_outside(name: &str) -> bool {
    name == "human" || name == SERVED || is_engine(name)
}

/// True if a player of this name is a program that is started for the seat.
pub(super) fn is_engine(name: &str) -> bool {
    name.starts_with(ENGINE) || name.starts_with(ENGINE_WITH_OPTIONS)
}

/// A player by name, as the command line and scenario files write it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Spec {
    /// The name.
    pub name: String,
    /// The player's arguments, as text. For an engine, its options, each as `name=value`.
    pub arguments: Vec<String>,
}

/// The reason why a text is not a valid player.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum SpecError {
    /// The text does not have the form `name` or `name(argument, …)`.
    #[error(
        "{0:?} is not a player; write a name such as honest, or one with arguments such as \
         stubborn(0.5)"
    )]
    Malformed(String),
    /// No command line follows.
    #[error("`engine:` has no command; write it after the colon, such as 'engine:python3 bob.py'")]
    NoCommand,
    /// The brackets after `engine` do not contain a list of options.
    #[error(
        "{0:?} is not a list of engine options; write 'engine(temperature=0.7, \
         style=short):COMMAND', each option once"
    )]
    Options(String),
    /// A command with a character that cannot be shown.
    #[error("the command of an engine has a character that cannot be shown; remove it")]
    UnsafeCommand,
    /// It is longer than [`MAX_SPEC`].
    #[error("a player's name may have at most {MAX_SPEC} characters")]
    TooLong,
}

/// Returns a player's name without its arguments, which may tell opponents too much: `liar` for `liar(23)`.
pub fn name_without_arguments(name: &str) -> &str {
    if is_engine(name) {
        return name;
    }
    name.split('(').next().unwrap_or_default().trim_end()
}

impl Spec {
    /// Creates a player without arguments.
    pub fn without_arguments(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            arguments: Vec::new(),
        }
    }

    /// Reads `name` or `name(argument, …)`, or `engine:` and a command line, or `engine(option=value, …):` and one.
    ///
    /// # Errors
    /// Returns an error for any other text.
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        if text.len() > MAX_SPEC {
            return Err(SpecError::TooLong);
        }
        let malformed = || SpecError::Malformed(text.to_owned());
        let text = text.trim();
        if is_engine(text) {
            return Self::parse_engine(text);
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

    fn parse_engine(text: &str) -> Result<Self, SpecError> {
        if text.chars().any(is_unsafe) {
            return Err(SpecError::UnsafeCommand);
        }
        let (options, command) = match text.strip_prefix(ENGINE_WITH_OPTIONS) {
            None => ("", text.strip_prefix(ENGINE)),
            Some(rest) => rest
                .split_once("):")
                .map(|(options, command)| (options, Some(command)))
                .ok_or_else(|| SpecError::Options(text.to_owned()))?,
        };
        let command = command.unwrap_or_default().trim();
        if command.is_empty() {
            return Err(SpecError::NoCommand);
        }
        let mut spec = Self::without_arguments(&format!("{ENGINE}{command}"));
        for option in options.split(',').filter(|_| !options.is_empty()) {
            let refused = || SpecError::Options(format!("engine({options})"));
            let (name, value) = option.split_once('=').ok_or_else(refused)?;
            let (name, value) = (name.trim(), value.trim());
            if name.is_empty() || spec.options().any(|(other, _)| other == name) {
                return Err(refused());
            }
            spec.arguments.push(format!("{name}={value}"));
        }
        Ok(spec)
    }

    /// Returns the options of an engine that are set, by name.
    pub fn options(&self) -> impl Iterator<Item = (&str, &str)> {
        let arguments = self.arguments.iter().filter(|_| self.command().is_some());
        arguments.filter_map(|argument| argument.split_once('='))
    }

    /// Returns the name of the file that the player is read from.
    pub fn file_argument(&self) -> Option<&str> {
        match (self.name.as_str(), self.arguments.as_slice()) {
            (name, [file]) if FROM_FILE.contains(&name) => Some(file),
            _ => None,
        }
    }

    /// Returns the command line of the seat's program.
    pub fn command(&self) -> Option<&str> {
        self.name.strip_prefix(ENGINE)
    }

    /// True if the player is a program that drives the debate through `serve`.
    pub fn is_tool_driven(&self) -> bool {
        self.name == SERVED
    }

    /// True if the player is a person.
    pub fn is_human(&self) -> bool {
        self.name == "human"
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.arguments.is_empty() {
            return out.write_str(&self.name);
        }
        let arguments = self.arguments.join(", ");
        match self.command() {
            Some(command) => write!(out, "{ENGINE_WITH_OPTIONS}{arguments}):{command}"),
            None => write!(out, "{}({arguments})", self.name),
        }
    }
}
