//! The rules of debates: a debate is a state machine that asks one seat at a time for a reply.
//!
//! Entry points: [`Protocol`] names the rules and their parameters; [`Protocol::start`] makes a [`State`];
//! [`Rules::request`] returns the seat to move and the question; [`Rules::reply`] takes the answer. Everything else in
//! this program is a client of these calls. A [`Reward`] is the payment of a round: `reward.rs` has the formulas, and
//! the views define who may see what.

pub mod bisection;
mod capability;
mod conditions;
pub mod cross_examination;
pub mod descent;
mod event;
mod examination;
mod lookback;
pub mod parameter;
mod proof;
pub mod prover_estimator;
pub mod quantifiers;
pub mod recursive;
mod request;
mod reward;
mod seat;
pub mod speeches;
pub mod stochastic;
pub mod verified;
mod warrants;

use std::fmt;
use std::sync::{Arc, LazyLock};

use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use bisection::BisectionDebate;
pub use capability::{DebateWithCircuitVerifier, DebateWithExaminedComputation, ProofBitSource};
pub use conditions::{
    ProtocolParameters, ProtocolUnsuitableForProblemError, VerifierBitsReadLowerBound,
    VerifierCostBound, VerifierCostUpperBounds, fitting_protocol_examples,
    short_protocol_example_name, verifier_bits_read_lower_bounds, verifier_cost_bounds_by_protocol,
};
pub use cross_examination::CrossExaminationDebate;
pub use descent::CircuitDescentDebate;
pub use event::{Event, EventSink, Log, LogEntry, ReplySeal, Round, VerifierCheck};
pub use lookback::SubclaimEstimateAndCoin;
pub use parameter::{
    ParameterTexts, ParameterValue, ProtocolParameter, ProtocolParameterEntry,
    ProtocolParameterKind,
};
pub use prover_estimator::ProverEstimatorDebate;
pub use quantifiers::QuantifierDebate;
pub use recursive::RecursiveDebate;
pub use request::{
    Bet, BitString, BitsMeaning, ChanceDraw, IllegalReply, PendingTurn, Reply, Request,
};
pub use reward::{PaymentsAndResourceCosts, Reward, RewardBeforePayment};
pub use seat::{LogViewerRole, ResourceCostsBySeat, Seat, SeatResourceCosts, View};
pub use speeches::SpeechDebate;
pub use stochastic::StochasticDebate;
pub use verified::DebateWithExaminedVerifier;
pub use warrants::SupportDisputeRule;

use crate::number::{Exact, Number};
use crate::scenario::{Computation, Decomposition, Instance};

/// The rules and the state of a debate in progress. A clone is a snapshot of the debate.
pub trait Rules<N: Number>: Clone {
    /// Returns the debate's pending request and the seat that must answer it; `None` when the debate is over.
    fn request(&self) -> Option<PendingTurn<N>>;

    /// Accepts the reply to the pending request, and records the events that it causes.
    ///
    /// # Errors
    /// Returns an error if the reply is illegal. The state is then unchanged and no event is recorded.
    fn reply(&mut self, reply: Reply<N>, sink: &mut dyn EventSink<N>) -> Result<(), IllegalReply>;

    /// Returns the prover's payoff and the costs of all seats so far.
    fn account(&self) -> &PaymentsAndResourceCosts<N>;

    /// Returns the prover's payoff so far; the opponent's payoff is its negative.
    #[inline]
    fn payoff(&self) -> N {
        self.account().payoff.clone()
    }

    /// Returns the costs of each seat so far that the rules record, such as oracle queries and bits read.
    fn ledger(&self) -> &ResourceCostsBySeat {
        &self.account().ledger
    }

    /// Returns the rounds in playing order, each with its weight: the maximum reward of the round.
    fn schedule(&self) -> Vec<(Round, N)>;

    /// Returns the round that is being played; `None` when the debate is over.
    fn round(&self) -> Option<Round>;

    /// Returns the prover's answer to the root claim; `None` before the prover gave it.
    fn answer(&self) -> Option<bool>;

    /// Returns the debate's finding: its answer to the root claim, which is right if it equals the root's truth. It is
    /// the prover's answer or, if the rules make the prover claim that the root is true
    /// ([`ProtocolParameters::prover_always_claims_true`]), the verdict. `None` before the finding is known.
    fn finding(&self) -> Option<bool> {
        if !self.account().prover_always_claims_true {
            return self.answer();
        }
        self.request()
            .is_none()
            .then(|| self.account().payoff > N::zero())
    }

    /// Returns the maximum number of coins of a debate under these rules.
    fn coins(&self) -> u64 {
        0
    }

    /// Returns the debate's outcome if no later reply can change it. `None` if a reply can still change the payoff, or
    /// if the rules cannot tell. After the end of the debate, returns its outcome.
    fn settled(&self) -> Option<OutcomeNoReplyCanChange<N>> {
        if self.request().is_none() {
            let payoff = self.payoff();
            let by = None;
            return Some(OutcomeNoReplyCanChange { payoff, by });
        }
        let (for_prover, check) = self.decided_outcome()?;
        let payoff = Reward::Decided { for_prover }.payment_to_prover();
        let by = Some(check);
        Some(OutcomeNoReplyCanChange { payoff, by })
    }

    /// Returns the verifier's decision for or against the prover if the replies so far already determine it, and a
    /// check that already decides it. Later replies can make another check fail first. `None` if the decision is still
    /// open.
    fn decided_outcome(&self) -> Option<(bool, VerifierCheck)> {
        None
    }

    /// Appends everything the remaining debate depends on to `key`, so that histories that lead to equal keys share one
    /// computation. Returns false if sharing is not worth the effort at this position. Under rules that always return
    /// false, every history is computed separately.
    fn state_key(&self, _key: &mut Vec<u64>) -> bool {
        false
    }

    /// As [`Self::state_key`], but appends only what the rules need for the remaining debate, and nothing that only
    /// players use. After histories with equal keys, the remaining games are the same. Earlier payments are not part of
    /// the key.
    fn game_key(&self, key: &mut Vec<u64>) -> bool {
        self.state_key(key)
    }

    /// Returns access to the proof bits that the prover gives for leaves; `None` under rules without proof bits.
    fn proof_bits(&self) -> Option<&dyn ProofBitSource> {
        None
    }

    /// Returns access to the computation that the prover writes down or the opponent examines; `None` under rules
    /// without one.
    fn computed(&self) -> Option<&dyn DebateWithExaminedComputation> {
        None
    }

    /// Returns access to the verifier as a circuit; `None` if the verifier of these rules is not a circuit.
    fn circuit_verifier(&self) -> Option<&dyn DebateWithCircuitVerifier> {
        None
    }
}

/// The outcome of a debate in a state in which no later reply can change it.
#[derive(Clone, Debug, PartialEq)]
pub struct OutcomeNoReplyCanChange<N> {
    /// The prover's total payoff.
    pub payoff: N,
    /// A check by the verifier that already decides this outcome; `None` if the debate is already over. Another check
    /// may fail first when the debate ends.
    pub by: Option<VerifierCheck>,
}

/// A computation, and the transcript that the prover has written of it so far.
#[derive(Clone, Debug)]
pub struct ComputationAndTranscript {
    /// The computation.
    pub computation: Arc<dyn Computation>,
    /// The witness that it reads.
    pub witness: BitString,
    /// The transcript that the prover gave; `None` until the prover gives it.
    pub transcript: Option<BitString>,
}

/// The reason why a protocol cannot be played.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ProtocolError {
    /// A parameter of the protocol is out of its range.
    #[error("the protocol parameter {name} is {value}; it must be {range}")]
    Parameter {
        /// The parameter.
        name: &'static str,
        /// Its value.
        value: String,
        /// The allowed range.
        range: &'static str,
    },
    /// The problem lacks something that the protocol needs.
    #[error("{0}")]
    ProtocolMismatch(ProtocolUnsuitableForProblemError),
    /// The text does not name a protocol, or the protocol's parameters are wrong.
    #[error("{0}")]
    Text(String),
}

/// Generates the enums and the dispatch over all protocols. To add a protocol, add one line to the call of this macro.
macro_rules! protocols {
    ($($(#[$doc:meta])* $name:ident($module:ident, $parameters:ident, $debate:ident),)*) => {
        /// A protocol with its parameters, as scenario files, saves and `--protocol` write it.
        #[expect(clippy::large_enum_variant, reason = "a scenario has one")]
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        pub enum Protocol {
            $($(#[$doc])* $name($module::$parameters),)*
        }

        /// A protocol without its parameters.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
        #[serde(rename = "Kind")]
        pub enum ProtocolKind {
            $($(#[$doc])* $name,)*
        }

        impl ProtocolKind {
            /// Every protocol.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// Returns the protocol's name in scenario files.
            pub fn protocol_name_in_scenarios(self) -> &'static str {
                match self { $(Self::$name => stringify!($name),)* }
            }

            /// Returns the texts that describe the protocol to users. They are borrowed from a file, so no string in
            /// the file may contain an escape sequence.
            pub fn protocol_texts(self) -> &'static ProtocolTexts {
                match self { $(Self::$name => {
                    const FILE: &str = include_str!(concat!("protocol/words/", stringify!($module), ".ron"));
                    // A test checks that the file can be read.
                    static WORDS: LazyLock<ProtocolTexts> =
                        LazyLock::new(|| ron::from_str(FILE).unwrap_or_default());
                    &WORDS
                })* }
            }
        }

        impl Protocol {
            /// Returns the kind of protocol.
            pub fn kind(&self) -> ProtocolKind {
                match self { $(Self::$name(_) => ProtocolKind::$name,)* }
            }

            /// Returns the parameters.
            pub fn protocol_parameters(&self) -> &dyn ProtocolParameters {
                match self { $(Self::$name(parameters) => parameters,)* }
            }

            /// Returns the parameters, mutably.
            pub fn protocol_parameters_mut(&mut self) -> &mut dyn ProtocolParameters {
                match self { $(Self::$name(parameters) => parameters,)* }
            }

            /// Starts a debate about an instance, before the first reply.
            ///
            /// # Errors
            /// Returns the first parameter that is out of range, or an error if the problem lacks what these rules
            /// debate.
            pub fn start<'a, N: Number>(
                &self,
                instance: &'a Instance,
            ) -> Result<State<'a, N>, ProtocolError> {
                self.check_fits_problem(instance.decomposition().as_ref())?;
                Ok(match self {
                    $(Self::$name(parameters) => State::$name($debate::new(instance, parameters)?),)*
                })
            }
        }

        /// The state of a debate in progress, under any protocol.
        #[derive(Clone, Debug)]
        pub enum State<'a, N> {
            $($(#[$doc])* $name($debate<'a, N>),)*
        }

        impl<N> State<'_, N> {
            /// Returns the kind of the protocol that is played.
            pub fn kind(&self) -> ProtocolKind {
                match self { $(Self::$name(_) => ProtocolKind::$name,)* }
            }
        }

        impl<N: Number> Rules<N> for State<'_, N> {
            fn request(&self) -> Option<PendingTurn<N>> {
                match self { $(Self::$name(state) => state.request(),)* }
            }
            fn reply(&mut self, reply: Reply<N>, sink: &mut dyn EventSink<N>) -> Result<(), IllegalReply> {
                match self { $(Self::$name(state) => state.reply(reply, sink),)* }
            }
            fn account(&self) -> &PaymentsAndResourceCosts<N> {
                match self { $(Self::$name(state) => state.account(),)* }
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
            fn finding(&self) -> Option<bool> {
                match self { $(Self::$name(state) => state.finding(),)* }
            }
            fn coins(&self) -> u64 {
                match self { $(Self::$name(state) => state.coins(),)* }
            }
            fn proof_bits(&self) -> Option<&dyn ProofBitSource> {
                match self { $(Self::$name(state) => state.proof_bits(),)* }
            }
            fn computed(&self) -> Option<&dyn DebateWithExaminedComputation> {
                match self { $(Self::$name(state) => state.computed(),)* }
            }
            fn circuit_verifier(&self) -> Option<&dyn DebateWithCircuitVerifier> {
                match self { $(Self::$name(state) => state.circuit_verifier(),)* }
            }
            fn decided_outcome(&self) -> Option<(bool, VerifierCheck)> {
                match self { $(Self::$name(state) => state.decided_outcome(),)* }
            }
            fn state_key(&self, key: &mut Vec<u64>) -> bool {
                match self { $(Self::$name(state) => state.state_key(key),)* }
            }
            fn game_key(&self, key: &mut Vec<u64>) -> bool {
                match self { $(Self::$name(state) => state.game_key(key),)* }
            }
        }

        $(impl<'s, 'a, N> TryFrom<&'s State<'a, N>> for &'s $debate<'a, N> {
            type Error = ();
            fn try_from(state: &'s State<'a, N>) -> Result<Self, ()> {
                match state { State::$name(state) => Ok(state), _ => Err(()) }
            }
        })*
    };
}

protocols! {
    /// PE Figure 2.
    ProverEstimator(prover_estimator, ProverEstimatorParameters, ProverEstimatorDebate),
    /// Plain recursive debate, the baseline of PE §7.
    Recursive(recursive, RecursiveProtocolParameters, RecursiveDebate),
    /// DE Figure 4: a debate about a machine's run, which is halved until one step is left.
    Bisection(bisection, BisectionProtocolParameters, BisectionDebate),
    /// Debate with cross-examination, DE Theorems 5.3 and 7.1, DQC Theorem 6.
    CrossExamination(cross_examination, CrossExaminationProtocolParameters, CrossExaminationDebate),
    /// Descent through a circuit: DQC Theorem 5, after Karchmer and Wigderson.
    Descent(descent, DescentProtocolParameters, CircuitDescentDebate),
    /// DE Figure 2, Theorem 6.2.
    Stochastic(stochastic, StochasticProtocolParameters, StochasticDebate),
    /// The debate about a quantified formula: Irving et al. 2018, DQC Lemma 8 and Theorem 9.
    Quantifiers(quantifiers, QuantifierProtocolParameters, QuantifierDebate),
    /// Another debate whose verifier is then cross-examined: DQC Lemma 8 and Theorem 9.
    Verified(verified, InnerProtocolOfVerified, DebateWithExaminedVerifier),
    /// Free speeches about an open question, as in the study of Michael et al. 2023.
    Speeches(speeches, SpeechParameters, SpeechDebate),
}

impl Protocol {
    /// Checks that each parameter of the protocol is in its range.
    ///
    /// # Errors
    /// Returns the first parameter that is out of range.
    pub fn check_parameter_ranges(&self) -> Result<(), ProtocolError> {
        self.protocol_parameters().check()
    }

    /// True if a problem can be debated under these rules.
    pub fn fits_problem(&self, problem: &dyn Decomposition) -> bool {
        self.protocol_parameters().fits(problem)
    }

    /// Checks the parameters, and that a problem can be debated under these rules.
    ///
    /// # Errors
    /// Returns the first parameter that is out of range, or else the rules under which the problem can be debated.
    pub fn check_fits_problem(&self, problem: &dyn Decomposition) -> Result<(), ProtocolError> {
        self.check_parameter_ranges()?;
        if self.fits_problem(problem) {
            Ok(())
        } else {
            Err(ProtocolUnsuitableForProblemError::for_problem(
                self.kind(),
                problem,
            ))
        }
    }

    /// Returns the weight (maximum reward) of a round divided by the weight of the next round; `None` if the rules have
    /// no such ratio.
    pub fn weight_ratio_if_constant(&self) -> Option<Exact> {
        self.protocol_parameters().weight_ratio_to_next_round()
    }

    /// Describes the opponent's knowledge of an instance in words. `None` if the rules show the opponent the whole
    /// instance, or if the problem has no text about it.
    pub fn opponent_knowledge_in_words(&self, instance: &Instance) -> Option<String> {
        let hides = self.protocol_parameters().hides_the_instance();
        instance.blind_player_knowledge_in_words().filter(|_| hides)
    }

    /// Describes which facts about an instance the opponent knows, for readers who do not know these facts. `None` as
    /// in [`Self::opponent_knowledge_in_words`].
    pub fn opponent_knowledge_without_values(&self, instance: &Instance) -> Option<String> {
        let hides = self.protocol_parameters().hides_the_instance();
        instance.public_knowledge_without_values().filter(|_| hides)
    }

    /// Formats the protocol's parameters briefly, for a title line.
    pub fn parameter_summary(&self) -> String {
        self.protocol_parameters().summary()
    }

    /// Describes the protocol's parameters in words for new users, without unexplained symbols.
    pub fn parameter_summary_in_words(&self) -> String {
        self.protocol_parameters().summary_in_words()
    }

    /// Explains each symbol of [`Self::parameter_summary`] with its value, in one sentence or two each.
    pub fn parameter_meanings(&self) -> Vec<String> {
        self.protocol_parameters().meanings()
    }
}

/// Texts that describe a protocol to users.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProtocolTexts {
    /// The protocol's name in tables and JSON.
    pub name: &'static str,
    /// Examples of the protocol in the notation of scenario files, with different parameters.
    #[serde(borrow)]
    pub examples: Vec<&'static str>,
    /// The protocol's guarantee in one line, with the theorem that proves it.
    pub guarantee: &'static str,
    /// A one-line description.
    pub about: &'static str,
    /// The protocol's rules in a few sentences, for new users.
    pub rules: &'static str,
    /// The opponent's title.
    pub opponent: &'static str,
    /// The prover's task in one or two sentences.
    pub prover_task: &'static str,
    pub opponent_task: &'static str,
    /// The judge's task under this protocol; `None` if it is to decide a leaf.
    pub judge_task: Option<&'static str>,
    #[serde(default)]
    pub parameters: Vec<ParameterTexts>,
}

/// The judge's task under protocols without their own [`ProtocolTexts::judge_task`]: an oracle decides the leaves.
const ORACLE: &str = "Say if one small claim is true, when the rules ask you.";

impl ProtocolKind {
    /// Returns the protocol's name in tables and JSON.
    pub fn protocol_name(self) -> &'static str {
        self.protocol_texts().name
    }

    /// Returns a one-line description of the protocol.
    pub fn protocol_description(self) -> &'static str {
        self.protocol_texts().about
    }

    /// Returns the title of a seat under this protocol, such as prover or estimator.
    pub fn title(self, seat: Seat) -> &'static str {
        match seat {
            Seat::Opponent => self.protocol_texts().opponent,
            seat => seat.name_in_flags_and_json(),
        }
    }

    /// Describes the task of a seat under this protocol in one or two sentences.
    pub fn task(self, seat: Seat) -> &'static str {
        match seat {
            Seat::Prover => self.protocol_texts().prover_task,
            Seat::Opponent => self.protocol_texts().opponent_task,
            Seat::Judge => self.protocol_texts().judge_task.unwrap_or(ORACLE),
            Seat::Chance => "Follow the stated probabilities.",
        }
    }
}

impl Protocol {
    /// Reads a protocol in the notation of scenario files and `--protocol`: `Recursive`, or `ProverEstimator(epsilon:
    /// 0.25, rho: "1/2")`.
    ///
    /// # Errors
    /// Returns an error if the text is not a protocol, or a parameter is out of range.
    pub fn parse(text: &str) -> Result<Self, ProtocolError> {
        let parsed: Self = ron_options()
            .from_str(&Self::with_parentheses(text))
            .map_err(|error| ProtocolError::Text(Self::misread(text, &error.code)))?;
        parsed.check_parameter_ranges()?;
        Ok(parsed)
    }

    /// Returns the error for an invalid text, with an example of the protocol that the text names.
    fn misread(text: &str, error: &ron::Error) -> String {
        let name = text.trim().split('(').next().unwrap_or("").trim();
        let meant = ProtocolKind::ALL
            .iter()
            .find(|kind| kind.protocol_name_in_scenarios() == name);
        if let Some(example) = meant.and_then(|kind| kind.protocol_texts().examples.first()) {
            return format!(
                "the parameters of `{name}` cannot be read: {error}; write it as {example}"
            );
        }
        // A pasted text can be long.
        let name: String = name.chars().take(MAX_NAME_IN_ERROR).collect();
        let names: Vec<&str> = ProtocolKind::ALL
            .iter()
            .map(|kind| kind.protocol_name_in_scenarios())
            .collect();
        let names = names.join(", ");
        format!("`{name}` is not the name of a protocol; write one of {names}")
    }

    /// Adds `()` to a protocol that is written as a bare name: to the whole text, or to the text in the parentheses of
    /// another protocol.
    fn with_parentheses(written: &str) -> String {
        let text = written.trim();
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

/// Maximum number of characters of an unknown protocol name that an error repeats.
const MAX_NAME_IN_ERROR: usize = 40;

/// RON options for protocols: the parameters are written directly in the parentheses after the protocol's name.
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
        // On one line, with spaces, as a user would write it.
        let style = ron::ser::PrettyConfig::default().depth_limit(0);
        let text = ron_options()
            .to_string_pretty(self, style)
            .map_err(|_error| fmt::Error)?;
        out.write_str(&text.replace("()", ""))
    }
}
