//! Plans: computations in words that write one bit per step, in a fixed order. The bit of a step is a human judge's
//! answer to a question, the value of a gate over earlier steps, or a bit of the prover's witness.

mod run;
mod step;
use std::collections::HashMap;
use std::sync::Arc;

use num_traits::Zero;

use super::belief::TruthDistributionBelief;
use super::decomposition::{
    CarefulReaderEstimate, ClaimDetailsInFile, ComputationProblem, Decomposition,
    DecompositionSize, PossibleWorld, ProblemSupport, graph_sizes,
};
use super::flaw::{ScenarioValueError, ScenarioValuePath};
use super::key::{ClaimKey, ClaimKeyContent};
use super::{Computation, RandomComputation};
use crate::gate::Gate;
use crate::number::{Exact, index_saturating};
use run::StraightLineProgram;
use step::{
    GateStep, JudgeYesProbabilityByEarlierBits, PlanStepBitRule, StraightLineProgramStep,
    ids_of_steps_read,
};

pub use step::MAX_LOOK_BACK;

/// Maximum number of bits of a witness. The limit is small, because the program tries all witnesses.
const MAX_WITNESS: usize = 8;

/// The action of a step of a plan, in the form in which a scenario file writes it.
#[derive(Clone, Debug, PartialEq)]
pub enum ProgramStepActionSpec {
    /// The step asks the oracle (a judge) a question, and writes the answer.
    Ask {
        /// The question, in the words that the judge reads.
        question: String,
        /// The probabilities that a judge answers yes, by prefixes of the bits of the earlier steps. A key consists of
        /// 0 and 1; it applies if the bits of the earlier steps begin with it. If several keys apply, the longest
        /// counts. The key `""` always applies.
        judged_true: Vec<(String, Exact)>,
        evidence: Option<String>,
        /// The answer of an oracle without randomness; by default, the more likely answer, unknown if both are equally
        /// likely.
        truth: Option<bool>,
    },
    /// The step writes the value of a gate over earlier steps.
    Compute {
        /// The gate.
        gate: Gate,
        /// The ids of the steps whose bits the gate reads unchanged.
        on: Vec<String>,
        /// The ids of the steps whose bits the gate reads negated. They come after those in `on`.
        not: Vec<String>,
    },
    /// The step writes a bit of the witness, which the prover gives. Such steps come before all others.
    Witness,
}

/// A step of a plan in the form in which a scenario file writes it.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanProblemStepSpec {
    /// The id of the step.
    pub id: String,
    /// The claim, in words, that the step's bit is 1. By default it is generated from the action.
    pub text: Option<String>,
    pub action: ProgramStepActionSpec,
}

/// A plan in the form in which a scenario file writes it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StraightLineProgramSpec {
    /// The steps in order.
    pub steps: Vec<PlanProblemStepSpec>,
    /// The id of the step whose bit is the plan's answer; by default, the last step. Steps after it are not run.
    pub answer: Option<String>,
    /// The Lipschitz constant K that the scenario claims (DE Definition 6.1).
    pub lipschitz: Option<Exact>,
}

/// A checked plan.
#[derive(Debug)]
pub struct CheckedComputationPlan {
    straight: Arc<StraightLineProgram>,
    worlds: [PossibleWorld; 1],
    size: DecompositionSize,
    leaf_count_under: Vec<u64>,
}

impl CheckedComputationPlan {
    /// Checks a plan: ids are unique, steps read only earlier steps, every gate accepts its number of inputs, and every
    /// question has a probability for every possible history of bits.
    ///
    /// # Errors
    /// Returns the first flaw found, with its path below `at`.
    pub fn build(
        spec: StraightLineProgramSpec,
        at: &ScenarioValuePath,
    ) -> Result<Self, ScenarioValueError> {
        let steps = || at.path_of_field("steps");
        if spec.steps.is_empty() {
            return Err(steps().error_at_path("a plan needs at least one step"));
        }
        if spec.lipschitz.as_ref().is_some_and(|k| *k <= Exact::zero()) {
            return Err(at
                .path_of_field("lipschitz")
                .error_at_path("a Lipschitz constant must be above 0"));
        }
        let mut index = HashMap::with_capacity(spec.steps.len());
        let mut nodes: Vec<StraightLineProgramStep> = Vec::with_capacity(spec.steps.len());
        for (number, step) in spec.steps.into_iter().enumerate() {
            let path = || steps().then_list_item(number);
            let action = action(step.action, &index, &nodes, &path)?;
            let text = step.text.unwrap_or_else(|| default_text(&action, &nodes));
            if index.insert(step.id.clone(), number).is_some() {
                let what = "an earlier step has this id; give each step its own id";
                return Err(path().path_of_field("id").error_at_path(what));
            }
            let id = step.id;
            nodes.push(StraightLineProgramStep { id, text, action });
        }
        if let Some(answer) = &spec.answer {
            let Some(place) = index.get(answer) else {
                return Err(at.path_of_field("answer").error_at_path(format_args!(
                    "there is no step {answer:?}; use the id of a step"
                )));
            };
            nodes.truncate(place + 1);
        }
        check_witness(&nodes, at)?;
        let supports = supports(&nodes);
        let order: Vec<usize> = (0..nodes.len())
            .flat_map(|step| [step, nodes.len() + step])
            .collect();
        let (size, leaf_count_under) =
            graph_sizes(&order, nodes.len() - 1, |claim| &supports[claim]);
        Ok(Self {
            straight: Arc::new(StraightLineProgram::new(nodes, spec.lipschitz)),
            worlds: [PossibleWorld::new("0")],
            size,
            leaf_count_under,
        })
    }

    fn node_index(key: &ClaimKey) -> usize {
        match &key.0 {
            ClaimKeyContent::Step(step) => index_saturating(*step),
            ClaimKeyContent::Word(history) => history.len(),
            _ => usize::MAX,
        }
    }

    fn action(&self, key: &ClaimKey) -> Option<&PlanStepBitRule> {
        Some(&self.straight.step_at_index(Self::node_index(key))?.action)
    }
}

fn action(
    does: ProgramStepActionSpec,
    index: &HashMap<String, usize>,
    nodes: &[StraightLineProgramStep],
    path: &impl Fn() -> ScenarioValuePath,
) -> Result<PlanStepBitRule, ScenarioValueError> {
    match does {
        ProgramStepActionSpec::Ask {
            question,
            judged_true,
            evidence,
            truth,
        } => Ok(PlanStepBitRule::Ask {
            question,
            table: JudgeYesProbabilityByEarlierBits::build(
                judged_true,
                nodes,
                &path().path_of_field("judged_true"),
            )?,
            evidence,
            truth,
        }),
        ProgramStepActionSpec::Compute { gate, on, not } => {
            gate.check_input_count(on.len() + not.len())
                .map_err(|error| path().path_of_field("compute").error_at_path(error))?;
            let earlier = |field: &'static str, ids: &[String]| {
                let each = ids.iter().enumerate().map(|(place, id)| {
                    index.get(id).copied().ok_or_else(|| {
                        path()
                            .path_of_field(field)
                            .then_list_item(place)
                            .error_at_path(format_args!(
                                "there is no earlier step {id:?}; a step can read only the steps \
                             before it"
                            ))
                    })
                });
                each.collect::<Result<Vec<usize>, ScenarioValueError>>()
            };
            let plain = on.len();
            let mut on = earlier("on", &on)?;
            on.extend(earlier("not", &not)?);
            Ok(PlanStepBitRule::Compute(GateStep { gate, on, plain }))
        }
        ProgramStepActionSpec::Witness => Ok(PlanStepBitRule::Witness),
    }
}

/// Checks the plan's witness: its steps come first, are few enough to try all witnesses, and are not the only steps.
fn check_witness(
    nodes: &[StraightLineProgramStep],
    at: &ScenarioValuePath,
) -> Result<(), ScenarioValueError> {
    let is_witness =
        |node: &StraightLineProgramStep| matches!(node.action, PlanStepBitRule::Witness);
    let length = nodes.iter().take_while(|node| is_witness(node)).count();
    let later = nodes.iter().skip(length).position(is_witness);
    let (place, what) = if let Some(later) = later {
        let what = "the steps of the witness must come before all other steps; move this step up";
        (length + later, what)
    } else if length > MAX_WITNESS {
        (
            MAX_WITNESS,
            "a witness has at most 8 bits; remove some of its steps",
        )
    } else if length == nodes.len() {
        let what = "the plan has only steps of the witness; add a step that asks or computes";
        (length - 1, what)
    } else {
        return Ok(());
    };
    Err(at
        .path_of_field("steps")
        .then_list_item(place)
        .error_at_path(what))
}

/// Generates the text of the claim that a step's bit is 1, for a step without a text in the scenario.
fn default_text(action: &PlanStepBitRule, nodes: &[StraightLineProgramStep]) -> String {
    match action {
        PlanStepBitRule::Ask { question, .. } => {
            format!("the answer to \"{question}\" is yes")
        }
        PlanStepBitRule::Witness => {
            format!("bit {number} of the witness is 1", number = nodes.len())
        }
        PlanStepBitRule::Compute(compute) => {
            match (&compute.gate, ids_of_steps_read(compute, nodes)) {
                (Gate::Not, ids) => format!("{ids} is not true"),
                (gate @ Gate::Table(_), ids) => format!("{gate} {ids} says yes"),
                (_, ids) if compute.on.len() == 1 => format!("{ids} is true"),
                (gate @ Gate::Any, ids) => format!("{gate} {ids} is true"),
                (gate, ids) => format!("{gate} {ids} are true"),
            }
        }
    }
}

/// Returns, for each claim and each of its supports, the numbers of the subclaims. The claims are numbered: "step i is
/// 1" for each step, then "step i is 0" for each step.
fn supports(nodes: &[StraightLineProgramStep]) -> Vec<Vec<Vec<usize>>> {
    let own = nodes.iter().map(|node| match &node.action {
        PlanStepBitRule::Ask { .. } | PlanStepBitRule::Witness => Vec::new(),
        PlanStepBitRule::Compute(compute) => {
            vec![compute.subclaim_numbers(nodes.len()).collect()]
        }
    });
    let opposites = (0..nodes.len()).map(|step| vec![vec![step]]);
    own.chain(opposites).collect()
}

impl Decomposition for CheckedComputationPlan {
    fn worlds(&self) -> &[PossibleWorld] {
        &self.worlds
    }

    fn root(&self, _world: usize) -> ClaimKey {
        ClaimKey(ClaimKeyContent::Step(
            self.straight.plan_answer_step() as u64
        ))
    }

    fn supports(&self, key: &ClaimKey, _world: usize) -> Vec<ProblemSupport> {
        let claim = |step: usize| ClaimKey(ClaimKeyContent::Step(step as u64));
        if let Some(step) = self.straight.step_claimed_zero(key) {
            return vec![ProblemSupport::sound_support(Gate::Not, [claim(step)])];
        }
        match (&key.0, self.action(key)) {
            (ClaimKeyContent::Step(_), Some(PlanStepBitRule::Compute(compute))) => {
                let on = compute
                    .subclaim_numbers(self.straight.plan_answer_step() + 1)
                    .map(claim);
                vec![ProblemSupport::sound_support(compute.gate.clone(), on)]
            }
            _ => Vec::new(),
        }
    }

    fn truth(&self, key: &ClaimKey, _world: usize) -> Option<bool> {
        self.straight.truth(key)
    }

    fn is_decidable(&self, _world: usize) -> bool {
        self.straight.are_all_true_bits_known()
    }

    fn size(&self, _world: usize) -> DecompositionSize {
        self.size.clone()
    }

    fn leaf_count_under(&self, key: &ClaimKey, _world: usize) -> u64 {
        let leaves = self.leaf_count_under.get(Self::node_index(key));
        leaves.copied().unwrap_or(1)
    }

    fn text(&self, key: &ClaimKey, _world: usize) -> String {
        self.straight.claim_text(key)
    }

    /// Returns the question in the scenario's words, followed by the material that the judge reads.
    fn evidence(&self, key: &ClaimKey, _world: usize) -> Option<String> {
        match self.action(key)? {
            PlanStepBitRule::Ask {
                question, evidence, ..
            } => Some(match evidence {
                Some(evidence) => format!("{question}\n\n{evidence}"),
                None => question.clone(),
            }),
            _ => None,
        }
    }

    fn belief(&self, _world: usize) -> TruthDistributionBelief {
        TruthDistributionBelief::belief_proportional_to_weights(&self.worlds)
    }

    fn as_annotated(&self) -> Option<&dyn ClaimDetailsInFile> {
        Some(self)
    }

    fn as_computation(&self) -> Option<&dyn ComputationProblem> {
        Some(self)
    }
}

impl ClaimDetailsInFile for CheckedComputationPlan {
    fn id(&self, key: &ClaimKey) -> Option<&str> {
        Some(&self.straight.step_at_index(Self::node_index(key))?.id)
    }

    fn judged_true(&self, key: &ClaimKey) -> Option<Exact> {
        self.straight.judge_yes_probability_at_step(key)
    }

    fn judge_may_err(&self) -> bool {
        self.straight.judge_may_err()
    }

    /// Returns the oracle's probabilities of yes. They are public, because every player has access to the oracle (DE
    /// Figure 2).
    fn estimate(&self, key: &ClaimKey) -> CarefulReaderEstimate {
        let stated = self.straight.judge_yes_probability_at_step(key);
        stated.map_or(
            CarefulReaderEstimate::Unstated,
            CarefulReaderEstimate::Stated,
        )
    }
}

impl ComputationProblem for CheckedComputationPlan {
    fn computation(&self, _world: usize) -> Option<Arc<dyn Computation>> {
        Some(self.straight.clone())
    }

    fn process(&self, _world: usize) -> Option<Arc<dyn RandomComputation>> {
        Some(self.straight.clone())
    }
}
