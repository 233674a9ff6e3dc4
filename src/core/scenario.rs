//! Problems under debate: claims, their decompositions, oracles and instances.
//!
//! Entry points: a [`Decomposition`] is a problem and its claims. An [`Instance`] is one of its worlds; it numbers
//! claims in the order of first use. A [`BlindReader`] reader gives access to probabilities, an [`InformedReader`]
//! reader to truths.
//!
//! Some problems offer more than claims under gates. They implement these traits: [`ClaimDetailsInFile`] from the
//! scenario file, an [`ProofReadByLeaves`] that leaves read, [`ProverWrittenClaims`] that the prover writes, and a
//! [`ComputationProblem`]: a [`Computation`], a [`CircuitWithInput`], a [`MachineRun`], a random [`RandomComputation`]
//! or a quantified [`Formula`]. An [`TwoAnswerQuestion`] is debated in free [`Speech`]es.
//!
//! [`StableProblem`] makes any decomposition stable by independent evidence; [`stability`] checks if a decomposition is
//! stable. Only the problem interprets the [`ClaimKey`]s of its claims.

mod argument;
mod belief;
mod circuit;
mod circuit_decomposition;
mod computation;
mod decomposition;
mod flaw;
mod formula;
mod instance;
mod key;
pub mod machine;
pub mod netlist;
mod open;
mod plan;
mod primality;
mod process;
mod qbf;
mod question;
mod reader;
mod speech;
pub mod stability;
mod stable;
mod transcript;
pub mod written;

pub use argument::{ArgumentProblem, ArgumentProblemSpec, ClaimSpec, SupportSpec, WorldSpec};
pub use belief::{
    InstanceOrFlawCaseKind, PossibleCaseCount, PossibleFlawIntegers, TruthDistributionBelief,
};
pub use circuit::CircuitWithInput;
pub use circuit_decomposition::{CircuitDecomposition, CircuitWireClaim};
pub use computation::{
    BitSource, Computation, MachineRun, RequiredStepOutput, StateId, StepInputBitsBuffer,
    SuccessorOrOracleQuery, SymbolId, TapeAction, TapeConfiguration, TapeMachine,
    TapeMachineTransition,
};
pub use decomposition::{
    BitId, CarefulReaderEstimate, ClaimDetailsInFile, ComputationProblem, Decomposition,
    DecompositionSize, LevelClaimAndLeafCounts, PossibleWorld, ProblemSupport, ProofReadByLeaves,
    ProverWrittenClaims,
};
pub use flaw::{PathSegment, ScenarioValueError, ScenarioValuePath};
pub use formula::{
    Formula, FormulaMatrix, MAX_LITERALS, MAX_NAME, MAX_VARIABLES, Quantifier, QuantifierBlock,
    SolvedFormulaPosition, UnsatisfiedClauseTexts, read_qdimacs,
};
pub(crate) use instance::NO_SUPPORT;
pub use instance::{ClaimId, Instance, KnownBlocks, Oracle, Support};
pub use key::ClaimKey;
pub use open::{
    MAX_SUBCLAIM_CHARACTERS, ProverSupportLimits, ProverWrittenSubclaim, ProverWrittenSupport,
    ProverWrittenSupportError, SavedProverSupport,
};
pub use plan::{
    CheckedComputationPlan, MAX_LOOK_BACK, PlanProblemStepSpec, ProgramStepActionSpec,
    StraightLineProgramSpec,
};
pub use primality::{
    MAX_INSTANCES, MAX_NUMBER_BITS, NumbersTestedForPrimality, PrimalityMethod, PrimalityProblem,
    PrimalitySpec, TestedNumberVisibility,
};
pub use process::{
    LipschitzBounds, MAX_HISTORIES, MAX_LIPSCHITZ_HISTORIES, RandomComputation, all_witnesses,
    lipschitz_bounds, lipschitz_bounds_within,
};
pub(crate) use process::{acceptance_probabilities, history_with_bit};
pub use qbf::QbfProblem;
pub(crate) use question::lower_case_words;
pub use question::{
    DebateQuestionSpec, PreparedReplyToJudge, PreparedSpeeches, PreparedSpeechesSpec,
    TwoAnswerQuestion,
};
pub use reader::{BlindReader, InformedReader};
pub use speech::{
    MAX_QUOTES, MAX_SPEECH, QUOTE_MARKS, QuotableSource, QuoteRule, Speech, SpeechCharacterLimits,
    SpeechError, SpeechPart,
};
pub use stable::StableProblem;
pub use transcript::ComputationTranscriptDecomposition;

/// The part of a debate that the judge is shown at an oracle query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Deserialize)]
#[serde(rename = "view for the judge")]
pub enum JudgeSees {
    /// The judge sees only the leaf claim that it must decide, and the leaf's evidence.
    Leaf,
    /// The judge sees the leaf claim, its evidence, and all claims from the root to the leaf.
    Path,
    /// The judge sees all statements and actions, without estimates, coins, bets and rewards.
    #[default]
    Transcript,
    /// The judge sees everything that both debaters see, including estimates, coins, bets and rewards.
    Figures,
}

/// The information that the opponent is shown about a claim when it estimates the claim.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Deserialize)]
#[serde(rename = "view for the opponent")]
pub enum OpponentEvidenceVisibility {
    /// Only the claim.
    #[default]
    Claim,
    /// The claim, and the evidence that a judge would be shown for this claim.
    Evidence,
}
