//! Player specs: the names of players with their arguments, such as `stubborn(0.5)`.

use std::fmt;

use thiserror::Error;

use crate::text::is_unsafe_character;

/// Maximum length, in characters, of a player's name with its arguments.
pub const MAX_SPEC: usize = 400;

/// The names of players that are read from a file, which is their only argument, such as `trained(bob.ron)`.
const FROM_FILE: [&str; 2] = [TRAINED, RECORDED];

/// Name of the player that uses an estimator which was trained earlier and saved in a file.
pub const TRAINED: &str = "trained";

/// Name of the player that makes prepared speeches from a file.
pub const RECORDED: &str = "recorded";

/// Name of the prover that bets one fixed sign on estimates below ½ and another on the rest. On the last claim, it bets
/// only that an estimate below ½ is too low.
pub const ERRS: &str = "errs";

/// Name of the player that is another program, which drives the debate through the command `serve`.
pub const SERVED: &str = "program";

/// The prefix of a player's name that is followed by the command line of a program to start for the seat.
pub const ENGINE: &str = "engine:";

/// The name of an engine's option that gives the engine a short name, for the tables of a match.
pub const ALIAS: &str = "name";

/// The first word of a language model's name, before the colon: a provider, or `model` for a server at any address.
pub const MODEL_PROVIDERS: [&str; 5] = ["model", "openai", "anthropic", "openrouter", "ollama"];

/// If the text names an engine or a language model, returns its first word (before a colon or bracket): `engine` or a
/// provider. `None` if the text names another player.
fn program_word(text: &str) -> Option<&'static str> {
    let words = ["engine"].into_iter().chain(MODEL_PROVIDERS);
    for word in words {
        let rest = text.strip_prefix(word);
        if rest.is_some_and(|rest| rest.starts_with([':', '('])) {
            return Some(word);
        }
    }
    None
}

/// Returns the word before the colon, if the text has the form of the name of an external player, such as
/// `engine(name=A):COMMAND`. Options in brackets may precede the colon.
fn word_of_program(text: &str) -> Option<&str> {
    let is_letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let (word, rest) = text.split_at_checked(text.find(|c| !is_letter(c))?)?;
    let is_program = rest.starts_with(':') || rest.starts_with('(') && rest.contains("):");
    (is_program && !word.is_empty()).then_some(word)
}

/// True if the name means that a person or another program plays. False for the names of built-in players and for
/// unknown names.
pub fn is_outside_player_name(name: &str) -> bool {
    name == "human" || name == SERVED || is_engine_player_name(name)
}

/// True if the name is that of an engine or a language model, for which this program starts a process.
pub(super) fn is_engine_player_name(name: &str) -> bool {
    program_word(name).is_some()
}

/// A player's name with its arguments, as the command line and scenario files write it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PlayerSpec {
    /// The name.
    pub name: String,
    /// The player's arguments, as text. For an engine or a language model, its options, each as `name=value`.
    pub arguments: Vec<String>,
}

/// The reason why a text is not a valid player.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum PlayerSpecError {
    /// The text does not have the form `name` or `name(argument, …)`.
    #[error(
        "{0:?} is not a player; write a name such as honest, or one with arguments such as \
         stubborn(0.5)"
    )]
    Malformed(String),
    /// The word before the colon is not `engine` and not a provider of language models.
    #[error(
        "`{0}` is not a provider of language models; use one of: {providers}; or write \
         'engine:COMMAND' for a program",
        providers = MODEL_PROVIDERS.join(", ")
    )]
    Provider(String),
    /// No command line follows `engine:`.
    #[error("`engine:` has no command; write it after the colon, such as 'engine:python3 bob.py'")]
    NoCommand,
    /// The name of a language model is missing after its provider.
    #[error(
        "`{0}:` has no model; write its name after the colon, such as 'ollama:NAME' or \
         'model:NAME@http://localhost:8000/v1'"
    )]
    NoModel(&'static str),
    /// The brackets after `engine` or after a provider of language models do not contain a valid list of options.
    #[error(
        "{0:?} is not a list of engine options; write 'engine(temperature=0.7, \
         style=short):COMMAND', each option once"
    )]
    Options(String),
    /// The text that names an engine or a language model, including its options, has a character that cannot be
    /// displayed.
    #[error(
        "the command or an option of an engine, or the name or an option of a model, has a character that cannot be shown; remove it"
    )]
    UnsafeCommand,
    /// The text is longer than [`MAX_SPEC`] characters.
    #[error("a player's name may have at most {MAX_SPEC} characters")]
    TooLong,
}

fn is_provider(word: &str) -> bool {
    MODEL_PROVIDERS.contains(&word)
}

/// Returns a player's name without its arguments, which could reveal too much to opponents: `liar` for `liar(23)`. The
/// names of engines and language models are returned unchanged.
pub fn player_name_without_arguments(name: &str) -> &str {
    if is_engine_player_name(name) {
        return name;
    }
    name.split('(').next().unwrap_or_default().trim_end()
}

impl PlayerSpec {
    /// Creates a player without arguments.
    pub fn without_arguments(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            arguments: Vec::new(),
        }
    }

    /// Reads `name` or `name(argument, …)`, or `engine:` and a command line, or the provider of a language model
    /// ([`MODEL_PROVIDERS`]), a colon and its name. Options in brackets may precede the colon:
    /// `engine(option=value, …):COMMAND`.
    ///
    /// # Errors
    /// Returns an error for any other text.
    pub fn parse(text: &str) -> Result<Self, PlayerSpecError> {
        if text.chars().count() > MAX_SPEC {
            return Err(PlayerSpecError::TooLong);
        }
        let malformed = || PlayerSpecError::Malformed(text.to_owned());
        let text = text.trim();
        if let Some(word) = program_word(text) {
            return Self::parse_program(word, text);
        }
        if let Some(word) = word_of_program(text) {
            return Err(PlayerSpecError::Provider(word.to_owned()));
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

    /// Reads the name of an engine or a language model, which begins with `word`.
    fn parse_program(word: &'static str, text: &str) -> Result<Self, PlayerSpecError> {
        if text.chars().any(is_unsafe_character) {
            return Err(PlayerSpecError::UnsafeCommand);
        }
        let rest = text.strip_prefix(word).unwrap_or_default();
        let (options, command) = match rest.strip_prefix('(') {
            None => ("", rest.strip_prefix(':').unwrap_or_default()),
            Some(rest) => rest
                .split_once("):")
                .ok_or_else(|| PlayerSpecError::Options(text.to_owned()))?,
        };
        let command = command.trim();
        if command.is_empty() {
            return Err(if is_provider(word) {
                PlayerSpecError::NoModel(word)
            } else {
                PlayerSpecError::NoCommand
            });
        }
        let mut spec = Self::without_arguments(&format!("{word}:{command}"));
        for option in options.split(',').filter(|_| !options.is_empty()) {
            let refused = || PlayerSpecError::Options(format!("{word}({options})"));
            let (name, value) = option.split_once('=').ok_or_else(refused)?;
            let (name, value) = (name.trim(), value.trim());
            if name.is_empty()
                || spec
                    .engine_or_model_options()
                    .any(|(other, _)| other == name)
            {
                return Err(refused());
            }
            spec.arguments.push(format!("{name}={value}"));
        }
        Ok(spec)
    }

    /// Returns the options that are set for an engine or a language model, by name.
    pub fn engine_or_model_options(&self) -> impl Iterator<Item = (&str, &str)> {
        let arguments = self
            .arguments
            .iter()
            .filter(|_| self.command_or_model_name().is_some());
        arguments.filter_map(|argument| argument.split_once('='))
    }

    /// Returns the short name that the option [`ALIAS`] gives a program: `A` for `engine(name=A):python3 a.py`. `None`
    /// without this option.
    pub fn alias_among_options(&self) -> Option<&str> {
        let mut options = self.engine_or_model_options();
        let (_, alias) = options.find(|(name, alias)| *name == ALIAS && !alias.is_empty())?;
        Some(alias)
    }

    /// Returns the name of the file from which the player is read; `None` for a player without a file.
    pub fn player_file_argument(&self) -> Option<&str> {
        match (self.name.as_str(), self.arguments.as_slice()) {
            (name, [file]) if FROM_FILE.contains(&name) => Some(file),
            _ => None,
        }
    }

    /// Returns the command line of an engine. For a language model, returns the model's full name; the host starts a
    /// client for it. `None` for other players.
    pub fn command_or_model_name(&self) -> Option<&str> {
        if self.is_language_model() {
            return Some(&self.name);
        }
        self.name.strip_prefix(ENGINE)
    }

    /// True if the player is a language model.
    pub fn is_language_model(&self) -> bool {
        program_word(&self.name).is_some_and(is_provider)
    }

    /// True if the player is a program that drives the debate through `serve`.
    pub fn is_program_using_serve(&self) -> bool {
        self.name == SERVED
    }

    /// True if the player is a person.
    pub fn is_human(&self) -> bool {
        self.name == "human"
    }
}

impl fmt::Display for PlayerSpec {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.arguments.is_empty() {
            return out.write_str(&self.name);
        }
        let arguments = self.arguments.join(", ");
        let program = program_word(&self.name).and_then(|_| self.name.split_once(':'));
        match program {
            Some((word, command)) => write!(out, "{word}({arguments}):{command}"),
            None => write!(out, "{}({arguments})", self.name),
        }
    }
}
