//! The rules: a debate is a state machine that asks one seat one question at a time.
//!
//! Where to start: [`Protocol`] names the rules and their parameters; [`Protocol::start`] makes
//! a [`State`]; [`Rules::request`] says who must speak and what is asked; [`Rules::reply`] takes
//! the answer. Everything else in this program is a client of these calls.

pub mod bisection;
mod conditions;
pub mod cross_examination;
pub mod descent;
mod event;
mod examination;
mod ledger;
mod proof;
pub mod prover_estimator;
pub mod quantifiers;
pub mod queries;
pub mod recursive;
mod request;
pub mod stochastic;
pub mod verified;
mod view;
pub mod words;

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use bisection::Bisection;
pub use conditions::{Bound, Conditions, Misfit, fitting};
pub use cross_examination::CrossExamination;
pub use descent::Descent;
pub use event::{Check, Entry, Event, Log, Reward, Round, Seal, Seen, Sink};
pub use ledger::{Ledger, Spent};
pub use prover_estimator::ProverEstimator;
pub use quantifiers::Quantifiers;
pub use recursive::Recursive;
pub use request::{Ask, Bet, Bits, Draw, Illegal, Reply, Request, Turn};
pub use stochastic::Stochastic;
pub use verified::Verified;
pub use view::View;

use crate::number::{Exact, Number};
use crate::scenario::netlist::Netlist;
use crate::scenario::{Computation, Decomposition, Instance};

/// A place at the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Seat {
    /// Alice: answers, decomposes, defends.
    Prover,
    /// Bob: the estimator of prover-estimator debate, the challenger elsewhere.
    Opponent,
    /// Answers oracle queries.
    Judge,
    /// The trusted randomness.
    Chance,
}

impl Seat {
    /// The seats that a player can take.
    pub const PLAYERS: [Self; 3] = [Self::Prover, Self::Opponent, Self::Judge];

    /// The seat's index: Prover 0, Opponent 1, Judge 2, Chance 3.
    #[must_use]
    pub fn index(self) -> usize {
        self as usize
    }

    /// The seat in lower case, as command-line flags and JSON name it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Prover => "prover",
            Self::Opponent => "opponent",
            Self::Judge => "judge",
            Self::Chance => "chance",
        }
    }

    /// What the person in this seat is called in sentences.
    #[must_use]
    pub fn person(self) -> &'static str {
        match self {
            Self::Prover => "Alice",
            Self::Opponent => "Bob",
            Self::Judge => "Judge",
            Self::Chance => "Coin",
        }
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// A debate under way. A clone is a snapshot.
pub trait Rules<N: Number>: Clone {
    /// Who must speak and what is asked of them; `None` when the debate is over.
    fn request(&self) -> Option<Turn<N>>;

    /// Takes the reply to the pending request and notes the events that follow.
    ///
    /// # Errors
    /// Where the reply is illegal; the state is then as it was and no event was noted.
    fn reply(&mut self, reply: Reply<N>, sink: &mut impl Sink<N>) -> Result<(), Illegal>;

    /// What the prover has received so far; the opponent has received its negative.
    fn payoff(&self) -> N;

    /// What each seat has spent so far, as far as the rules can see.
    fn ledger(&self) -> &Ledger;

    /// The rounds in playing order, each with its weight: the most that its reward can be.
    fn schedule(&self) -> Vec<(Round, N)>;

    /// The round that is being played; `None` when the debate is over.
    fn round(&self) -> Option<Round>;

    /// The prover's answer to the root claim, once given.
    fn answer(&self) -> Option<bool>;

    /// The proof bits given for the leaf under discussion, in the order of its check.
    fn proof(&self) -> Vec<bool>;

    /// How many coins a debate under these rules can ask for.
    fn coins(&self) -> u64;

    /// What an honest reply to a pending [`Request::Bits`] would be as far as the problem alone
    /// says: a person edits it, and a save notes only what differs from it.
    fn prepared(&self) -> Option<Bits> {
        None
    }

    /// The computation whose transcript is asked for, or can be pointed at.
    fn sheet(&self) -> Option<Sheet> {
        None
    }

    /// The verifier as a circuit over the bits that it may read, where it is one (DQC Lemma 8).
    fn verifier(&self) -> Option<Arc<Netlist>> {
        None
    }

    /// The bits that [`Self::verifier`] may read, once the debate is over.
    fn spoken(&self) -> Option<Bits> {
        None
    }
}

/// A computation and what was written down of it.
#[derive(Clone, Debug)]
pub struct Sheet {
    /// The computation.
    pub computation: Arc<dyn Computation>,
    /// The witness that it reads.
    pub witness: Bits,
    /// The transcript as it was given; `None` while it is asked for.
    pub transcript: Option<Bits>,
}

/// Why a protocol cannot be played.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Refused {
    /// A parameter is out of its range.
    #[error("{name} is {value}; it must be {range}")]
    Parameter {
        /// The parameter.
        name: &'static str,
        /// Its value.
        value: String,
        /// Where it must lie.
        range: &'static str,
    },
    /// The problem does not offer what the protocol needs.
    #[error("{0}")]
    Misfit(Misfit),
    /// The text names no protocol, or its parameters are wrong.
    #[error("{0}")]
    Text(String),
}

/// Makes the enums and the dispatch over all protocols. A new protocol is one line here.
macro_rules! protocols {
    ($($(#[$doc:meta])* $name:ident($module:ident),)*) => {
        /// A protocol with its parameters, as scenario files, saves and `--protocol` write it.
        #[expect(clippy::large_enum_variant, reason = "a scenario has one")]
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        pub enum Protocol {
            $($(#[$doc])* $name($module::Parameters),)*
        }

        /// Which protocol, without its parameters.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Kind {
            $($(#[$doc])* $name,)*
        }

        impl Kind {
            /// Every protocol.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// What it says of itself.
            #[must_use]
            pub fn introduction(self) -> &'static Introduction {
                match self { $(Self::$name => &$module::INTRODUCTION,)* }
            }

            /// The name in scenario files.
            #[must_use]
            pub fn variant(self) -> &'static str {
                match self { $(Self::$name => stringify!($name),)* }
            }
        }

        impl Protocol {
            /// Which protocol this is.
            #[must_use]
            pub fn kind(&self) -> Kind {
                match self { $(Self::$name(_) => Kind::$name,)* }
            }

            /// What its parameters say.
            #[must_use]
            pub fn conditions(&self) -> &dyn Conditions {
                match self { $(Self::$name(parameters) => parameters,)* }
            }

            /// A debate about an instance, before anybody has spoken.
            ///
            /// # Errors
            /// The first parameter out of its range, or a problem that does not offer what is
            /// debated under these rules.
            pub fn start<'a, N: Number>(
                &self,
                instance: &'a Instance,
            ) -> Result<State<'a, N>, Refused> {
                self.suits(instance.decomposition().as_ref())?;
                Ok(match self {
                    $(Self::$name(parameters) => State::$name($name::new(instance, parameters)?),)*
                })
            }
        }

        /// A debate under way, under any protocol.
        #[derive(Clone, Debug)]
        pub enum State<'a, N> {
            $($(#[$doc])* $name($name<'a, N>),)*
        }

        impl<N> State<'_, N> {
            /// Which protocol is played.
            #[must_use]
            pub fn kind(&self) -> Kind {
                match self { $(Self::$name(_) => Kind::$name,)* }
            }
        }

        impl<N: Number> Rules<N> for State<'_, N> {
            fn request(&self) -> Option<Turn<N>> {
                match self { $(Self::$name(state) => state.request(),)* }
            }
            fn reply(&mut self, reply: Reply<N>, sink: &mut impl Sink<N>) -> Result<(), Illegal> {
                match self { $(Self::$name(state) => state.reply(reply, sink),)* }
            }
            fn payoff(&self) -> N {
                match self { $(Self::$name(state) => state.payoff(),)* }
            }
            fn ledger(&self) -> &Ledger {
                match self { $(Self::$name(state) => state.ledger(),)* }
            }
            fn schedule(&self) -> Vec<(Round, N)> {
                match self { $(Self::$name(state) => state.schedule(),)* }
            }
            fn round(&self) -> Option<Round> {
                match self { $(Self::$name(state) => state.round(),)* }
            }
            fn answer(&self) -> Option<bool> {
                match self { $(Self::$name(state) => state.answer(),)* }
            }
            fn proof(&self) -> Vec<bool> {
                match self { $(Self::$name(state) => state.proof(),)* }
            }
            fn coins(&self) -> u64 {
                match self { $(Self::$name(state) => state.coins(),)* }
            }
            fn prepared(&self) -> Option<Bits> {
                match self { $(Self::$name(state) => state.prepared(),)* }
            }
            fn sheet(&self) -> Option<Sheet> {
                match self { $(Self::$name(state) => state.sheet(),)* }
            }
            fn verifier(&self) -> Option<Arc<Netlist>> {
                match self { $(Self::$name(state) => state.verifier(),)* }
            }
            fn spoken(&self) -> Option<Bits> {
                match self { $(Self::$name(state) => state.spoken(),)* }
            }
        }

        $(impl<'s, 'a, N> TryFrom<&'s State<'a, N>> for &'s $name<'a, N> {
            type Error = ();
            #[allow(unreachable_patterns, reason = "with one protocol there is no other state")]
            fn try_from(state: &'s State<'a, N>) -> Result<Self, ()> {
                match state { State::$name(state) => Ok(state), _ => Err(()) }
            }
        })*
    };
}

protocols! {
    /// PE Figure 2.
    ProverEstimator(prover_estimator),
    /// Plain recursive debate, the baseline of PE §7.
    Recursive(recursive),
    /// DE Figure 4: a machine's run, halved until one step is left.
    Bisection(bisection),
    /// Debate with cross-examination, DE Theorems 5.3 and 7.1, DQC Theorem 6.
    CrossExamination(cross_examination),
    /// DQC Theorem 5, after Karchmer and Wigderson.
    Descent(descent),
    /// DE Figure 2, Theorem 6.2.
    Stochastic(stochastic),
    /// The game of a quantified formula, Irving et al. 2018, DQC Lemma 8 and Theorem 9.
    Quantifiers(quantifiers),
    /// Another debate, its verifier cross-examined: DQC Lemma 8 and Theorem 9.
    Verified(verified),
}

/// What a protocol says of itself, for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Introduction {
    /// The name in tables and JSON.
    pub name: &'static str,
    /// The protocol as scenario files write it, in each way that different problems need it.
    pub examples: &'static [&'static str],
    /// What it guarantees, in one line, with its source.
    pub guarantee: &'static str,
    /// One line on what happens in it.
    pub about: &'static str,
    /// The rules in a few sentences, for somebody who sees them for the first time.
    pub rules: &'static str,
    /// What the opponent is called.
    pub opponent: &'static str,
    /// What the prover will do.
    pub prover_task: &'static str,
    /// What the opponent will do.
    pub opponent_task: &'static str,
}

impl Kind {
    /// The name in tables and JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.introduction().name
    }

    /// One line on what happens in it.
    #[must_use]
    pub fn about(self) -> &'static str {
        self.introduction().about
    }

    /// What a seat is called under this protocol.
    #[must_use]
    pub fn title(self, seat: Seat) -> &'static str {
        match seat {
            Seat::Opponent => self.introduction().opponent,
            seat => seat.name(),
        }
    }

    /// What whoever takes a seat will do.
    #[must_use]
    pub fn task(self, seat: Seat) -> &'static str {
        match seat {
            Seat::Prover => self.introduction().prover_task,
            Seat::Opponent => self.introduction().opponent_task,
            Seat::Judge => "say if one small claim is true, where the rules ask the oracle",
            Seat::Chance => "fall as the probabilities say",
        }
    }
}

impl Protocol {
    /// Checks the ranges of the parameters.
    ///
    /// # Errors
    /// The first parameter out of its range.
    pub fn check(&self) -> Result<(), Refused> {
        self.conditions().check()
    }

    /// Whether a problem can be debated under these rules.
    #[must_use]
    pub fn fits(&self, problem: &dyn Decomposition) -> bool {
        self.conditions().fits(problem)
    }

    /// Checks the parameters, and that a problem can be debated under these rules.
    ///
    /// # Errors
    /// The first parameter out of its range; else what the problem can be debated under instead.
    pub fn suits(&self, problem: &dyn Decomposition) -> Result<(), Refused> {
        self.check()?;
        if self.fits(problem) {
            return Ok(());
        }
        Err(Refused::Misfit(Misfit {
            protocol: self.kind().variant(),
            instead: fitting(problem),
        }))
    }

    /// How much less each earlier round weighs than the next, where rounds differ.
    #[must_use]
    pub fn reward_ratio(&self) -> Option<Exact> {
        self.conditions().reward_ratio()
    }

    /// The parameters in few words, for a title line.
    #[must_use]
    pub fn summary(&self) -> String {
        self.conditions().summary()
    }

    /// Reads a protocol as scenario files and `--protocol` write it: `Recursive`, or
    /// `ProverEstimator(epsilon: 0.25, rho: "1/2")`.
    ///
    /// # Errors
    /// Where the text is no such thing, or a parameter is out of its range.
    pub fn parse(text: &str) -> Result<Self, Refused> {
        let parsed: Self = ron_options()
            .from_str(&Self::with_parentheses(text))
            .map_err(|error| Refused::Text(Self::misread(text, &error.code)))?;
        parsed.check()?;
        Ok(parsed)
    }

    /// What is wrong with a text, and how the protocol that it begins with is written.
    fn misread(text: &str, error: &ron::Error) -> String {
        let name = text.trim().split('(').next().unwrap_or("").trim();
        let meant = Kind::ALL.iter().find(|kind| kind.variant() == name);
        match meant.and_then(|kind| kind.introduction().examples.first()) {
            Some(example) => format!("{error}; it is written as {example}"),
            None => error.to_string(),
        }
    }

    /// A protocol without parameters may be written as its bare name, within another's parentheses
    /// too.
    fn with_parentheses(text: &str) -> String {
        let text = text.trim();
        let bare = |text: &str| !text.is_empty() && text.chars().all(char::is_alphanumeric);
        if bare(text) {
            return format!("{text}()");
        }
        let inner = text.split_once('(').and_then(|(outer, rest)| {
            let inner = rest.strip_suffix(')')?.trim();
            bare(inner).then(|| format!("{outer}({inner}())"))
        });
        inner.unwrap_or_else(|| text.to_owned())
    }
}

/// How protocols are read: a variant's parameters stand directly in its parentheses.
fn ron_options() -> ron::Options {
    use ron::extensions::Extensions;
    ron::Options::default()
        .with_recursion_limit(16)
        .with_default_extension(
            Extensions::UNWRAP_VARIANT_NEWTYPES
                | Extensions::UNWRAP_NEWTYPES
                | Extensions::IMPLICIT_SOME,
        )
}

impl fmt::Display for Protocol {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // On one line, with spaces, as a person would write it.
        let style = ron::ser::PrettyConfig::default().depth_limit(0);
        let text = ron_options()
            .to_string_pretty(self, style)
            .map_err(|_error| fmt::Error)?;
        out.write_str(&text.replace("()", ""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn protocols_are_read_as_they_are_written() {
        for text in [
            "Recursive",
            "ProverEstimator(epsilon: 0.45, rho: \"1/9\")",
            "ProverEstimator(epsilon: 0.25, rho: 0.5, carry: Marginal, early_leaf: InPlace)",
        ] {
            assert_eq!(Protocol::parse(text).unwrap().to_string(), text);
        }
        let spaced = Protocol::parse(" ProverEstimator(epsilon:\"1/4\", rho: 50e-2,) ").unwrap();
        assert_eq!(
            spaced.to_string(),
            "ProverEstimator(epsilon: 0.25, rho: 0.5)"
        );
    }

    #[test]
    fn what_is_no_protocol_is_refused() {
        for text in [
            "",
            "Chess",
            "Recursive(1)",
            "ProverEstimator(epsilon: 0.1)",
            "((((((",
            "\u{1b}",
        ] {
            assert!(Protocol::parse(text).is_err(), "{text:?}");
        }
        let error = Protocol::parse("ProverEstimator(epsilon: 2, rho: 0.5)").unwrap_err();
        assert_eq!(
            error.to_string(),
            "epsilon is 2; it must be above 0 and below 1/2"
        );
    }
}
