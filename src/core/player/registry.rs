//! The registry: every strategy by name, with its parameters and constructor.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, LazyLock};

use serde::Deserialize;
use thiserror::Error;

use super::policy::{Policy, PolicyAsStrategy, Strategy};
use super::spec::{PlayerSpec, is_engine_player_name, player_name_without_arguments};
use crate::budget::{ComputationBudget, ComputationStopReason};
use crate::digest::Digest;
use crate::number::{ExactWithFloat, Number, parse};
use crate::protocol::{Protocol, ProtocolKind, Rules, Seat, State};
use crate::scenario::{BlindReader, InformedReader, Instance};

/// A parameter of a strategy, written in parentheses after its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StrategyParameter {
    /// A parameter that takes a probability; required.
    Probability(&'static str),
    /// A parameter that takes a whole number; required.
    Count(&'static str),
    /// A parameter that takes a whole number; optional.
    OptionalCount(&'static str),
    /// A word that the user may write, such as `markov` in `honest(markov)`.
    Option(&'static str),
    /// A parameter that takes the name of a file; required.
    File(&'static str),
    /// A parameter that takes a list of at least one claim id.
    Claims(&'static str),
    /// A parameter that takes a sign, `+` or `-`; required.
    Sign(&'static str),
}

impl StrategyParameter {
    fn name(self) -> &'static str {
        match self {
            Self::Probability(name)
            | Self::Count(name)
            | Self::OptionalCount(name)
            | Self::Option(name)
            | Self::File(name)
            | Self::Claims(name)
            | Self::Sign(name) => name,
        }
    }
}

/// A strategy, ready to play.
pub type PlayableStrategy<'a, N> = Box<dyn Strategy<'a, N> + 'a>;

/// Wraps a policy for the protocol with rules `R` as a strategy that is ready to play.
///
/// # Errors
/// None: the result type lets a builder end with this call.
pub fn boxed_strategy<'a, N, R>(
    policy: impl Policy<N, R> + 'a,
) -> Result<PlayableStrategy<'a, N>, StrategyBuildError>
where
    N: Number,
    R: Rules<N> + 'a,
    for<'s> &'s R: TryFrom<&'s State<'a, N>>,
{
    Ok(Box::new(PolicyAsStrategy::<_, R>::new(policy)))
}

/// Builds a strategy.
pub type BuildFunction<N> =
    for<'a> fn(&StrategyBuildInputs<'a, '_>) -> Result<PlayableStrategy<'a, N>, StrategyBuildError>;

/// One strategy of the registry.
#[derive(Clone, Debug)]
pub struct StrategyEntry<N: Number> {
    /// Its name.
    pub name: &'static str,
    /// The seat it can take.
    pub seat: Seat,
    /// The protocol that the strategy plays; `None` if it plays all protocols.
    pub protocol: Option<ProtocolKind>,
    pub parameters: &'static [StrategyParameter],
    /// One-line description of the strategy, for strategies that are not described in `words.ron`.
    pub about: Option<&'static str>,
    /// True if the strategy uses no knowledge of claims. It can therefore play in debates whose claims are written by
    /// users.
    pub uses_no_claim_knowledge: bool,
    pub build: BuildFunction<N>,
}

/// One entry of `words.ron`: descriptions of the players of some seats of a protocol. Each player has a plain phrase
/// and an exact line.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StrategyWords {
    protocol: Option<ProtocolKind>,
    seats: Vec<Seat>,
    #[serde(borrow)]
    players: HashMap<&'static str, (&'static str, &'static str)>,
}

/// Describes a player in words for new users, followed by its technical name: "a player who risks nothing (`lazy`)".
/// Returns only the name if `words.ron` has no description, for example for an engine.
pub fn player_in_plain_words(protocol: ProtocolKind, seat: Seat, name: &str) -> String {
    let bare = player_name_without_arguments(name);
    let own = words(Some(protocol), seat, bare).or_else(|| words(None, seat, bare));
    own.map_or_else(
        || name.to_owned(),
        |(plain, _)| format!("{plain} (`{name}`)"),
    )
}

/// The built-in judge that gives the answers of the scenario's oracle.
const ORACLE: &str = "oracle";
/// Describes the judge [`ORACLE`] in a scenario whose oracle always gives the true answer.
const TRUE_ORACLE: &str = "a judge who knows the answers";
/// Describes the judge [`ORACLE`] in a scenario whose oracle may give a wrong answer.
const ERRING_ORACLE: &str = "a judge who reads the evidence and may err";

/// Describes a player of a debate about this instance, as [`player_in_plain_words`] does. The description of the judge
/// `oracle` says if the scenario's oracle may err, and has no backticks around the name.
pub fn seated_player_in_plain_words(
    instance: &Instance,
    protocol: ProtocolKind,
    seat: Seat,
    name: &str,
) -> String {
    if seat != Seat::Judge || name != ORACLE {
        return player_in_plain_words(protocol, seat, name);
    }
    let plain = if instance.has_stated_oracle_errors() {
        ERRING_ORACLE
    } else {
        TRUE_ORACLE
    };
    format!("{plain} ({name})")
}

/// Returns the two descriptions of a player in `words.ron`: the plain phrase and the exact line. `None` if the file
/// does not describe the player.
fn words(
    protocol: Option<ProtocolKind>,
    seat: Seat,
    name: &str,
) -> Option<(&'static str, &'static str)> {
    // A test checks that the file can be read.
    static WORDS: LazyLock<Vec<StrategyWords>> =
        LazyLock::new(|| ron::from_str(include_str!("words.ron")).unwrap_or_default());
    let mut groups = WORDS.iter();
    let own = groups.find(|group| group.protocol == protocol && group.seats.contains(&seat))?;
    own.players.get(name).copied()
}

impl<N: Number> StrategyEntry<N> {
    /// Returns a function that makes registry entries for one seat, of one protocol or of all protocols. The entries'
    /// strategies take no arguments and may need knowledge of claims.
    pub(super) fn entry_builder(
        protocol: impl Into<Option<ProtocolKind>>,
        seat: Seat,
    ) -> impl Fn(&'static str, BuildFunction<N>) -> Self {
        let protocol = protocol.into();
        move |name, build| Self {
            name,
            seat,
            protocol,
            parameters: &[],
            about: None,
            uses_no_claim_knowledge: false,
            build,
        }
    }

    /// Returns the one-line description.
    pub fn strategy_description(&self) -> &'static str {
        let words = || words(self.protocol, self.seat, self.name).map(|(_, exact)| exact);
        self.about.or_else(words).unwrap_or_default()
    }

    /// Returns this registry entry with these parameters.
    pub(super) fn with_parameters(self, parameters: &'static [StrategyParameter]) -> Self {
        Self { parameters, ..self }
    }

    /// Returns this registry entry, marked as a strategy that uses no knowledge of claims.
    pub(super) fn mark_as_using_no_claim_knowledge(self) -> Self {
        Self {
            uses_no_claim_knowledge: true,
            ..self
        }
    }

    fn fits(&self, seat: Seat, protocol: ProtocolKind) -> bool {
        self.seat == seat && self.protocol.is_none_or(|only| only == protocol)
    }

    fn with(&self, arguments: &str) -> String {
        format!("{}({arguments})", self.name)
    }

    /// Returns the strategy's name with its parameters in parentheses, such as `stubborn(p)`.
    pub fn usage_form(&self) -> String {
        match self.parameters {
            [] => self.name.to_owned(),
            [StrategyParameter::Option(word) | StrategyParameter::OptionalCount(word)] => {
                format!("{0} or {0}({word})", self.name)
            }
            [StrategyParameter::Claims(word)] => self.with(&format!("{word}, …")),
            parameters => {
                let names: Vec<&str> = parameters.iter().map(|p| p.name()).collect();
                self.with(&names.join(", "))
            }
        }
    }

    /// Returns examples of the strategy with its arguments, one for each form of the arguments. Empty if an argument is
    /// a file or a claim, because none may exist.
    pub fn example_specs_with_arguments(&self) -> Vec<String> {
        match self.parameters {
            [] => vec![self.name.to_owned()],
            [StrategyParameter::Option(word)] => vec![self.name.to_owned(), self.with(word)],
            [StrategyParameter::OptionalCount(_)] => vec![self.name.to_owned(), self.with("3")],
            [StrategyParameter::Count(_)] => vec![self.with("3")],
            [StrategyParameter::File(_) | StrategyParameter::Claims(_)] => Vec::new(),
            [StrategyParameter::Sign(_), StrategyParameter::Sign(_)] => vec![self.with("+, -")],
            [
                StrategyParameter::Probability(_),
                StrategyParameter::Count(_),
            ] => vec![self.with("0.1, 3")],
            parameters => vec![self.with(&vec!["0.5"; parameters.len()].join(", "))],
        }
    }

    /// Reads the arguments of a spec: returns the numbers among them, and a flag that is true if the optional word is
    /// given. `None` if the strategy does not take these arguments.
    fn read(&self, spec: &PlayerSpec) -> Option<(Vec<ExactWithFloat>, bool)> {
        let mut numbers = Vec::new();
        let mut option = false;
        let mut given = spec.arguments.iter();
        for parameter in self.parameters {
            match parameter {
                StrategyParameter::Option(word) => {
                    if let Some(text) = given.next() {
                        (text == word).then_some(())?;
                        option = true;
                    }
                }
                StrategyParameter::Probability(_) => {
                    let p = parse(given.next()?).ok()?;
                    p.is_probability().then_some(())?;
                    numbers.push(p.into());
                }
                StrategyParameter::Count(_) => numbers.push(count(given.next()?)?),
                StrategyParameter::File(_) => {
                    given.next()?;
                }
                StrategyParameter::Claims(_) => {
                    given.next()?;
                    given.by_ref().for_each(drop);
                }
                StrategyParameter::Sign(_) => {
                    matches!(given.next()?.as_str(), "+" | "-").then_some(())?;
                }
                StrategyParameter::OptionalCount(_) => {
                    if let Some(text) = given.next() {
                        numbers.push(count(text)?);
                    }
                }
            }
        }
        given.next().is_none().then_some((numbers, option))
    }

    fn arguments_error(&self) -> StrategyBuildError {
        let takes = match self.parameters {
            [] => "no argument".to_owned(),
            [StrategyParameter::Option(option)] => {
                format!("no argument in parentheses, or the word {option}")
            }
            [StrategyParameter::OptionalCount(parameter)] => {
                format!("no argument, or {parameter}, a whole number")
            }
            [StrategyParameter::Probability(parameter)] => {
                format!("{parameter}, a number from 0 to 1")
            }
            [StrategyParameter::Count(parameter)] => format!("{parameter}, a whole number"),
            [StrategyParameter::File(_)] => "a file name without commas".to_owned(),
            [StrategyParameter::Claims(claim_kind)] => {
                format!("the ids of claims, at least one {claim_kind}")
            }
            [
                StrategyParameter::Probability(first_parameter),
                StrategyParameter::Count(second_parameter),
            ] => {
                format!(
                    "{first_parameter}, a number from 0 to 1, and {second_parameter}, a whole number"
                )
            }
            [
                StrategyParameter::Sign(first_parameter),
                StrategyParameter::Sign(second_parameter),
            ] => {
                format!("two signs, {first_parameter} and {second_parameter}, each + or -")
            }
            _ => self.usage_form(),
        };
        let example = self.example_specs_with_arguments().into_iter().next();
        let claims = matches!(self.parameters, [StrategyParameter::Claims(_)]);
        let named = if claims { "page1" } else { "bob.ron" };
        let example = example.unwrap_or_else(|| self.with(named));
        StrategyBuildError::Arguments {
            name: self.name,
            takes,
            example,
        }
    }
}

/// Reads an argument of a strategy as a whole number; `None` if it is not one.
fn count(text: &str) -> Option<ExactWithFloat> {
    let count: u64 = text.parse().ok()?;
    Some(crate::number::Exact::from_integer(count.into()).into())
}

/// The registry of all strategies. The program fills it at the start and passes it to the functions that need it.
#[derive(Clone, Debug)]
pub struct StrategyRegistry<N: Number> {
    entries: Vec<StrategyEntry<N>>,
    player_files: PlayerFiles,
}

impl<N: Number> StrategyRegistry<N> {
    /// Creates a registry of these strategies.
    pub fn new(entries: Vec<StrategyEntry<N>>) -> Self {
        Self {
            entries,
            player_files: PlayerFiles::default(),
        }
    }

    /// Adds the available player files.
    #[must_use]
    pub fn with_player_files(self, player_files: PlayerFiles) -> Self {
        Self {
            player_files,
            ..self
        }
    }

    /// Adds a strategy.
    pub fn add(&mut self, entry: StrategyEntry<N>) {
        self.entries.push(entry);
    }

    /// Returns all strategies.
    pub fn entries(&self) -> &[StrategyEntry<N>] {
        &self.entries
    }

    /// Returns the strategies that can play a given seat under a given protocol.
    pub fn strategies_for_seat(
        &self,
        seat: Seat,
        protocol: ProtocolKind,
    ) -> impl Iterator<Item = &StrategyEntry<N>> {
        let entries = self.entries.iter();
        entries.filter(move |entry| entry.fits(seat, protocol))
    }

    /// Returns the strategy of that name.
    ///
    /// # Errors
    /// Returns an error if there is none for this seat and protocol.
    pub fn find(
        &self,
        name: &str,
        seat: Seat,
        protocol: ProtocolKind,
    ) -> Result<&StrategyEntry<N>, StrategyBuildError> {
        let mut entries = self.strategies_for_seat(seat, protocol);
        entries.find(|entry| entry.name == name).ok_or_else(|| {
            let known = self
                .strategies_for_seat(seat, protocol)
                .map(StrategyEntry::usage_form)
                .collect::<Vec<_>>()
                .join(", ");
            let (name, title) = (name.to_owned(), protocol.title(seat));
            if is_engine_player_name(&name) {
                return StrategyBuildError::Program { name, title, known };
            }
            let protocol = protocol.protocol_name();
            StrategyBuildError::Unknown {
                name,
                title,
                protocol,
                known,
            }
        })
    }

    /// Checks that the seat has a strategy of that name under this protocol, and that the strategy accepts the
    /// arguments. Does not build the strategy.
    ///
    /// # Errors
    /// Returns an error if there is no such strategy or its arguments are wrong.
    pub fn check_spec(
        &self,
        spec: &PlayerSpec,
        seat: Seat,
        protocol: ProtocolKind,
    ) -> Result<(), StrategyBuildError> {
        let entry = self.find(&spec.name, seat, protocol)?;
        let arguments = entry.read(spec).map(drop);
        arguments.ok_or_else(|| entry.arguments_error())
    }

    /// Returns a player's spec that is valid for another seat and protocol: the given spec with its arguments or, if
    /// that is invalid, its name alone. `None` if both are invalid.
    pub fn spec_without_invalid_arguments(
        &self,
        spec: &PlayerSpec,
        seat: Seat,
        protocol: ProtocolKind,
    ) -> Option<PlayerSpec> {
        let each = [spec.clone(), PlayerSpec::without_arguments(&spec.name)];
        let mut known = each.into_iter();
        known.find(|spec| self.check_spec(spec, seat, protocol).is_ok())
    }

    /// Builds a strategy from its name and arguments.
    ///
    /// # Errors
    /// Returns an error if there is no such strategy, its arguments are wrong, or it cannot play this instance. Also
    /// returns an error if the strategy must be computed against another seat's player, which is unknown here.
    pub fn build<'a>(
        &self,
        spec: &PlayerSpec,
        seat: Seat,
        instance: &'a Instance,
        protocol: &Protocol,
    ) -> Result<PlayableStrategy<'a, N>, StrategyBuildError> {
        self.order(
            spec,
            None,
            seat,
            instance,
            protocol,
            ComputationBudget::default(),
        )
    }

    /// Builds the strategy for one seat of a debate whose other seats have the given players. If the strategy must be
    /// trained against them, `budget` can cancel the training and shows its progress. Each trained player has its own
    /// step limit.
    ///
    /// # Errors
    /// As [`Self::build`], but a strategy can be computed against the players in `table`, except for people. Also
    /// returns an error if the training is cancelled.
    pub fn build_at<'a>(
        &self,
        table: &[PlayerSpec; 3],
        seat: Seat,
        instance: &'a Instance,
        protocol: &Protocol,
        budget: ComputationBudget<'_>,
    ) -> Result<PlayableStrategy<'a, N>, StrategyBuildError> {
        let nobody = PlayerSpec::without_arguments("nobody");
        let spec = table.get(seat.seat_index()).unwrap_or(&nobody);
        self.order(spec, Some(table), seat, instance, protocol, budget)
    }

    fn order<'a>(
        &self,
        spec: &PlayerSpec,
        table: Option<&[PlayerSpec; 3]>,
        seat: Seat,
        instance: &'a Instance,
        protocol: &Protocol,
        budget: ComputationBudget<'_>,
    ) -> Result<PlayableStrategy<'a, N>, StrategyBuildError> {
        let entry = self.find(&spec.name, seat, protocol.kind())?;
        let (numbers, option) = entry.read(spec).ok_or_else(|| entry.arguments_error())?;
        if instance.prover_writing_limits().is_some() {
            let name = entry.name;
            match seat {
                Seat::Prover => return Err(StrategyBuildError::OpenProver(name)),
                Seat::Opponent if entry.uses_no_claim_knowledge => {}
                seat => return Err(StrategyBuildError::Open { name, seat }),
            }
        }
        (entry.build)(&StrategyBuildInputs {
            name: entry.name,
            seat,
            instance,
            protocol,
            numbers: &numbers,
            option,
            arguments: &spec.arguments,
            file: spec.player_file_argument(),
            player_files: &self.player_files,
            table,
            budget,
        })
    }

    /// Returns the default strategy of a seat: the first one that is registered for the protocol and the seat; `human`
    /// if none is registered.
    pub fn default_strategy_name(&self, seat: Seat, protocol: ProtocolKind) -> &'static str {
        let first = self.strategies_for_seat(seat, protocol).next();
        first.map_or("human", |entry| entry.name)
    }
}

/// The inputs from which a strategy is built.
#[derive(Clone, Copy, Debug)]
pub struct StrategyBuildInputs<'a, 'o> {
    /// The strategy's name, for errors.
    pub name: &'static str,
    /// The seat that the strategy will play.
    pub seat: Seat,
    /// The instance that will be debated.
    pub instance: &'a Instance,
    /// The protocol with its parameters.
    pub protocol: &'o Protocol,
    /// The numbers among the strategy's arguments; a count is a whole number.
    pub numbers: &'o [ExactWithFloat],
    /// True if the player's name has the strategy's optional word, such as `markov` in `honest(markov)`.
    pub option: bool,
    /// The arguments in parentheses after the player's name, as the user wrote them.
    pub arguments: &'o [String],
    /// The name of the player file that the player's argument gives; `None` for a player without a file.
    pub file: Option<&'o str>,
    /// The available player files.
    pub player_files: &'o PlayerFiles,
    /// The players of all seats ([`Seat::PLAYERS`]), for a strategy that is computed against the other seats' players.
    /// `None` if they are unknown.
    pub table: Option<&'o [PlayerSpec; 3]>,
    /// Budget for a strategy that must be computed before it can play: it cancels the computation and tracks its
    /// progress.
    pub budget: ComputationBudget<'o>,
}

impl<'a> StrategyBuildInputs<'a, '_> {
    /// Returns the spec of another seat's player, on which this strategy depends.
    ///
    /// # Errors
    /// Returns an error if the player is unknown or a person.
    pub fn spec_of_other_seat(&self, other_seat: Seat) -> Result<&PlayerSpec, StrategyBuildError> {
        let there = self
            .table
            .and_then(|table| table.get(other_seat.seat_index()));
        match there {
            Some(spec) if !spec.is_human() => Ok(spec),
            _ => Err(StrategyBuildError::Against {
                name: self.name,
                seat: other_seat,
                player: there.map_or_else(|| "unknown".to_owned(), ToString::to_string),
            }),
        }
    }

    /// Returns a reader that knows the truths of the instance: for a player that pays for each truth, or for the judge.
    pub fn truth_reader(&self) -> InformedReader<'a> {
        InformedReader::new(self.instance)
    }

    /// Returns a reader that knows the truth of every claim of the instance.
    ///
    /// # Errors
    /// Returns an error if some claim cannot be decided, or if the scenario gives the strategy's seat less knowledge.
    pub fn reader_of_all_truths(&self) -> Result<InformedReader<'a>, StrategyBuildError> {
        if self.instance.are_all_truths_computable() {
            self.truth_reader_for_seat()
        } else {
            Err(StrategyBuildError::Undecidable(self.name))
        }
    }

    /// Returns a reader that knows the truths of the instance, if the strategy's seat is allowed to know them.
    ///
    /// # Errors
    /// Returns an error if the scenario gives the strategy's seat less knowledge.
    pub fn truth_reader_for_seat(&self) -> Result<InformedReader<'a>, StrategyBuildError> {
        match self
            .instance
            .indistinguishable_worlds(self.seat.seat_index())
        {
            Some(alike) if alike.len() > 1 => Err(StrategyBuildError::KnowsLess {
                name: self.name,
                seat: self.seat,
                instances: alike.len(),
            }),
            _ => Ok(self.truth_reader()),
        }
    }

    /// Returns a reader of the instance that has only the knowledge of the strategy's seat.
    pub fn blind_reader(&self) -> BlindReader<'a> {
        BlindReader::belief_reader_for_seat(self.instance, self.seat.seat_index())
    }

    /// Returns the strategy's first argument as a number; 0 if it was not given.
    pub fn first_argument_as_number(&self) -> ExactWithFloat {
        let given = self.numbers.first().cloned();
        given.unwrap_or_else(|| false.into())
    }

    /// Returns the strategy's first argument as a count; 0 if it is missing or out of range.
    pub fn first_count_or_zero(&self) -> u64 {
        self.first_count_if_given().unwrap_or(0)
    }

    /// Returns the strategy's first argument as a count, rounded toward 0; `None` if it is missing or out of range.
    pub fn first_count_if_given(&self) -> Option<u64> {
        let whole = self.numbers.first()?.exact().to_integer();
        u64::try_from(whole).ok()
    }

    /// Returns the strategy's second argument as a count; 0 if it is missing or out of range.
    pub fn second_argument_as_count(&self) -> u64 {
        let whole = self
            .numbers
            .get(1)
            .map(|number| number.exact().to_integer());
        whole.and_then(|whole| whole.try_into().ok()).unwrap_or(0)
    }
}

/// The reason why a strategy cannot be built.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum StrategyBuildError {
    /// No strategy of this name is registered for this seat and protocol.
    #[error("there is no {seat_title} named {name:?} under {protocol}; use one of: {known_names}", seat_title = .title, known_names = .known)]
    Unknown {
        name: String,
        title: &'static str,
        /// The protocol.
        protocol: &'static str,
        known: String,
    },
    /// The player is another program, which cannot be started in this context.
    #[error(
        "{name} is an external program, which can play only in `debate-tui SCENARIO`, `match` and \
         `serve`; name a built-in {title}: {known}"
    )]
    Program {
        name: String,
        title: &'static str,
        known: String,
    },
    /// Wrong arguments for this strategy.
    #[error("the player {name} takes {expected_arguments}, as in {example}", expected_arguments = .takes)]
    Arguments {
        /// The strategy.
        name: &'static str,
        takes: String,
        example: String,
    },
    /// The strategy needs to know truths, but the truths of this instance cannot be computed.
    #[error(
        "the player {0} needs to know every truth, but some claims of this instance cannot be decided; choose \
         a player that needs no truths, such as random"
    )]
    Undecidable(&'static str),
    /// The strategy needs to know truths that its seat does not know in this scenario.
    #[error(
        "the player {name} needs to know every truth, but the {seat} cannot tell {instances} instances apart; \
         choose a blind player, or let the {seat} know every truth"
    )]
    KnowsLess {
        /// The strategy.
        name: &'static str,
        /// Its seat.
        seat: Seat,
        /// The number of instances that the strategy's seat cannot tell apart.
        instances: usize,
    },
    /// The claims of this scenario are written during the debate, and only a human player can write subclaims.
    #[error(
        "{0} cannot write subclaims, as Alice must in an open argument; let a person be Alice \
         (`debate-tui SCENARIO --role prover`)"
    )]
    OpenProver(&'static str),
    /// The strategy needs knowledge of claims, but in this scenario players write the claims during the debate.
    #[error(
        "the player {name} needs knowledge of the claims, but in this scenario players write the claims; {advice}", advice = open_instead(*.seat)
    )]
    Open {
        /// The strategy.
        name: &'static str,
        /// The seat for which the strategy was requested.
        seat: Seat,
    },
    /// The strategy needs to visit more claims than the limit allows.
    #[error(
        "{0} needs to visit every claim, but this instance has too many; choose another player \
         such as marginal"
    )]
    TooMany(&'static str),
    /// The strategy needs to know the winner of a game that is too large to solve.
    #[error(
        "{0} needs to know who wins this formula, but that was not decided within the allowed \
         effort; choose a player that only guesses, such as random"
    )]
    Unsolved(&'static str),
    /// The strategy must be computed against another seat's player, but that player is unknown or is a person.
    #[error(
        "{name} is computed against the {seat}'s player, which is {player}; choose a built-in \
         player for that seat"
    )]
    Against {
        /// The strategy.
        name: &'static str,
        /// The seat of the player against whom the strategy must be computed.
        seat: Seat,
        player: String,
    },
    /// Computing the strategy exceeded its budget, or was cancelled.
    #[error("{name}: {exceeded}")]
    Exceeded {
        /// The strategy.
        name: &'static str,
        /// The reason why building ended.
        exceeded: ComputationStopReason,
    },
    /// The strategy cannot be computed for this instance.
    #[error("{name}: {reason}")]
    Refused {
        /// The strategy.
        name: &'static str,
        /// The reason, and advice.
        reason: String,
    },
}

/// Returns advice that names the players who can play in an open argument.
fn open_instead(seat: Seat) -> String {
    match seat {
        Seat::Judge => "let a person judge (`debate-tui SCENARIO --role judge`)".to_owned(),
        _ => format!(
            "let a person be {} (`debate-tui SCENARIO --role {seat}`), or choose a player that \
             needs no knowledge, such as random",
            seat.player_name_of_seat()
        ),
    }
}

/// The available player files by name, and the digest of the problem for which trained players must have been trained.
///
/// A player never opens a file. The code that fills the registry reads the files and puts their contents here.
#[derive(Clone, Debug, Default)]
pub struct PlayerFiles {
    /// The digest of the debated problem; `None` if the caller does not give it.
    pub matter: Option<Digest>,
    files: Arc<BTreeMap<String, Arc<[u8]>>>,
}

impl PlayerFiles {
    /// Creates the collection of these files, for debates about this problem.
    pub fn new(
        problem_digest: Digest,
        files: impl IntoIterator<Item = (String, Arc<[u8]>)>,
    ) -> Self {
        Self {
            matter: Some(problem_digest),
            files: Arc::new(files.into_iter().collect()),
        }
    }

    /// Returns the contents of the player file with this name; `None` if it is missing.
    pub fn player_file_bytes(&self, name: &str) -> Option<&[u8]> {
        self.files.get(name).map(|bytes| &**bytes)
    }
}
