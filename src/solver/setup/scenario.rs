//! A scenario that was read from its file and checked: the problem, the rules, the players, and the instance to debate.

use std::collections::BTreeMap;
use std::sync::Arc;

use num_integer::Integer as _;
use num_traits::Zero as _;
use serde::Deserialize;

use super::error::{
    ScenarioError, ScenarioLimits, ScenarioSourceText, ScenarioTextSource,
    approximate_digits_of_power, escaped_and_shortened_message,
};
use super::reader::ScenarioInputFile;
use super::texts::{ScenarioTitleAndBriefings, TextBySeat};
use debate_core::chance::{RandomStream, RandomStreamPurpose, Seed};
use debate_core::number::{COIN_BITS, Exact, Number as _};
use debate_core::player::{KnowledgeError, KnowledgePartition};
use debate_core::protocol::{Protocol, Seat, prover_estimator};
use debate_core::scenario::written::probability;
use debate_core::scenario::{
    Decomposition, Instance, JudgeSees, KnownBlocks, OpponentEvidenceVisibility, Oracle,
};
use debate_core::text::{first_few_names_text, shortened_in_backticks};

/// The dependence between the errors of several pieces of evidence for one claim.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename = "kind of evidence")]
pub enum EvidenceErrorDependence {
    /// The pieces err independently of each other, each with the oracle's error probability.
    #[default]
    Independent,
    /// All pieces of evidence for a leaf err together with the given probability. Otherwise they err independently.
    SharedCause(#[serde(deserialize_with = "probability")] Exact),
}

/// A scenario that was read from its file and checked.
#[derive(Clone, Debug)]
pub struct LoadedScenario {
    /// The texts with their placeholders.
    pub(super) templates: ScenarioTitleAndBriefings,
    /// The title on one line, with the name of the scenario's own instance. [`Self::scenario_texts`] fills in another
    /// instance.
    pub title: String,
    /// The description that all players read before the debate, for the scenario's own instance. It reveals no secrets.
    pub about: String,
    /// The private text that each seat reads before the debate, for the scenario's own instance.
    pub briefing: TextBySeat,
    /// The seat that cannot win if the other debater is honest, as its briefing says.
    pub cannot_win: Option<Seat>,
    /// The lesson shown after the debate, for the scenario's own instance.
    pub debrief: String,
    /// The type of the problem, by its name in tables and JSON: [`ProblemKind::kind`](super::ProblemKind::kind).
    pub problem: &'static str,
    pub decomposition: Arc<dyn Decomposition>,
    pub oracle: Oracle,
    /// The dependence between the errors of several pieces of evidence for one claim.
    pub evidence: EvidenceErrorDependence,
    /// The index of the instance that the scenario file's field `instance` names; `None` if the file omits this field.
    pub requested_world: Option<usize>,
    /// The protocol; [`default_protocol`] if the file names none.
    pub protocol: Protocol,
    /// The name of each seat's player, if the scenario names one.
    pub players: TextBySeat,
    /// The seat that the program offers first to a human player.
    pub sit: Option<Seat>,
    pub judge_sees: JudgeSees,
    /// The information that the opponent sees when it estimates a claim: only the claim, or also the evidence that a
    /// judge would see.
    pub opponent_sees: OpponentEvidenceVisibility,
    /// The knowledge of prover, opponent and judge about the instance; `None` for a seat's default knowledge.
    pub knows: [Option<KnowledgePartition>; 3],
    /// The maximum numbers of leaves that prover, opponent and judge may each query in a debate.
    pub queries: [u32; 3],
    /// The blocks of [`Self::knows`].
    pub(super) known_blocks: KnownBlocks,
    /// Tags: names and values that the scenario's author chooses, for tools that process scenarios or saves.
    pub tags: BTreeMap<String, String>,
    /// The text of the scenario file, which saves contain.
    pub source: Arc<str>,
    /// The other files to which the scenario refers, in the order of reading: those of the problem, then those of
    /// players.
    pub files: Vec<ScenarioInputFile>,
    /// The number of [`Self::files`] that belong to the problem; they come first.
    pub(super) problem_files: usize,
    pub origin: ScenarioTextSource,
    /// For each instance, the end of its range among the 53-bit random numbers that draw an instance.
    pub(super) draw_limits: Arc<[u64]>,
}

impl LoadedScenario {
    /// Adds a file of a player, unless the scenario already has a file of this name.
    pub fn add_player_file(&mut self, file: ScenarioInputFile) {
        if self.files.iter().all(|there| there.name != file.name) {
            self.files.push(file);
        }
    }

    /// Returns title, description, briefings and debrief with the name of the given instance (`world`) filled in.
    pub fn scenario_texts(&self, world: usize) -> ScenarioTitleAndBriefings {
        self.templates
            .texts_of_instance(self.decomposition.as_ref(), world)
    }

    /// Returns the index of the instance with this name.
    ///
    /// # Errors
    /// Returns an error that lists the first few worlds if none has this name.
    pub fn world_index(&self, name: &str) -> Result<usize, ScenarioError> {
        let worlds = self.decomposition.worlds();
        worlds
            .iter()
            .position(|world| world.name == name)
            .ok_or_else(|| ScenarioError::NoInstance {
                origin: escaped_and_shortened_message(&self.origin.to_string()),
                name: shortened_in_backticks(name),
                known: first_few_names_text(worlds.iter().map(|world| world.name.as_str())),
            })
    }

    /// Returns the requested instances, with probabilities that sum to 1: one by its name, or `all`. Without a request,
    /// returns the scenario's own instance, or all if it names none.
    ///
    /// # Errors
    /// Returns an error if no world has this name.
    pub fn requested_worlds(
        &self,
        requested: Option<&str>,
    ) -> Result<Vec<(Exact, usize)>, ScenarioError> {
        let world = match requested {
            Some("all") => None,
            Some(name) => Some(self.world_index(name)?),
            None => self.requested_world,
        };
        Ok(world.map_or_else(
            || self.all_worlds(),
            |world| vec![(Exact::from_integer(1.into()), world)],
        ))
    }

    /// Returns all instances, with probabilities that sum to 1.
    pub fn all_worlds(&self) -> Vec<(Exact, usize)> {
        let worlds = self.decomposition.worlds();
        let total: Exact = worlds.iter().map(|world| &world.weight).sum();
        let shares = worlds.iter().map(|world| &world.weight / &total);
        shares.zip(0..).collect()
    }

    /// Returns the index of the instance for debate number `debate`: the scenario's own instance, or else one drawn by
    /// weight from the seed. The draw equals [`debate_core::chance::pick`] over the weights with the first private draw
    /// of [`RandomStreamPurpose::Instance`].
    pub fn world_of_debate(&self, seed: &Seed, debate: u64) -> usize {
        self.requested_world
            .unwrap_or_else(|| self.draw_world_by_weight(seed, debate))
    }

    /// Draws the index of an instance by weight, even if the scenario names one for its debates.
    pub fn draw_world_by_weight(&self, seed: &Seed, debate: u64) -> usize {
        self.world_index_for_random_number(
            RandomStream::for_player_in_debate(seed, RandomStreamPurpose::Instance, debate)
                .random_53_bit_number_at(0),
        )
    }

    /// True if the title or the debrief differs between the first two instances, because it contains the instance's
    /// name or solution. False if there is only one instance.
    pub fn title_or_debrief_differs_in_first_two_instances(&self) -> bool {
        let all = 0..self.decomposition.worlds().len();
        let mut texts = all.take(2).map(|world| self.scenario_texts(world));
        let (Some(one), Some(other)) = (texts.next(), texts.next()) else {
            return false;
        };
        one.title != other.title || one.debrief != other.debrief
    }

    /// Returns the index of the instance that a 53-bit random number selects by weight.
    pub fn world_index_for_random_number(&self, number_of_53_bits: u64) -> usize {
        let last = self.draw_limits.len().saturating_sub(1);
        self.draw_limits
            .partition_point(|limit| *limit <= number_of_53_bits)
            .min(last)
    }

    /// Checks that a debate can be as deep as this decomposition if rounds have different stakes. The debate then
    /// stores a power of r for each round. Also checks the length of ε to the power of the widest support.
    ///
    /// # Errors
    /// Returns an error if rounds have different stakes and the decomposition is deeper than the limits allow. Also
    /// returns an error if a computed power has too many digits.
    pub fn check_depth(
        &self,
        protocol: &Protocol,
        limits: &ScenarioLimits,
    ) -> Result<(), ScenarioError> {
        let source = ScenarioSourceText {
            text: &self.source,
            origin: &self.origin,
            limits,
        };
        source.check_number_limits(protocol, self.decomposition.as_ref())
    }

    /// Returns the approximate number of digits of the deepest instance's smallest stake r^(d+1) under these rules, or
    /// 0 if all rounds have equal stakes.
    pub fn approximate_digits_of_smallest_stake(&self, protocol: &Protocol) -> u64 {
        let worlds = 0..self.decomposition.worlds().len();
        let depths = worlds.map(|world| self.decomposition.size(world).depth);
        let depth = depths.max().unwrap_or(0);
        let ratio = protocol.weight_ratio_if_constant();
        let digits = ratio.map_or(0, |ratio| {
            approximate_digits_of_power(&ratio, u64::from(depth) + 1)
        });
        u64::try_from(digits).unwrap_or(u64::MAX)
    }

    /// Sets what a seat knows about the instance before the first move.
    ///
    /// # Errors
    /// Returns an error if it names a claim or an instance that the problem does not have.
    pub fn set_knowledge(
        &mut self,
        seat: Seat,
        knows: KnowledgePartition,
    ) -> Result<(), KnowledgeError> {
        let blocks = knows.instance_blocks(self.decomposition.as_ref())?;
        let place = seat.seat_index();
        if let (Some(there), Some(known)) =
            (self.knows.get_mut(place), self.known_blocks.get_mut(place))
        {
            *there = Some(knows);
            *known = Some(blocks);
        }
        Ok(())
    }

    /// Returns what a seat knows about the instance before the first move: as set by the scenario or a flag, otherwise
    /// the seat's default.
    pub fn initial_instance_knowledge(&self, seat: Seat) -> KnowledgePartition {
        let stated = self.knows[seat.seat_index()].clone();
        stated.unwrap_or_else(|| KnowledgePartition::default_knowledge_of_seat(seat))
    }

    /// Returns remarks on oddities in the scenario's files that are not errors: one sentence each, without a full stop.
    pub fn inconsistency_notes(&self) -> Vec<String> {
        let computation = self.decomposition.as_computation();
        let formula = computation.and_then(|computation| computation.formula(0));
        formula.map_or_else(Vec::new, |formula| {
            formula.inconsistencies_within_file().to_vec()
        })
    }

    /// Creates the instance with the index `world`.
    ///
    /// # Panics
    /// Panics if there is no such world.
    pub fn instance(&self, world: usize) -> Instance {
        Instance::new(self.decomposition.clone(), world, self.oracle.clone())
            .with_seat_knowledge(self.known_blocks.clone())
            .with_opponent_view(self.opponent_sees)
    }
}

/// Returns the rules for a scenario that names none: prover-estimator debate with ε = 1/4 and ρ = 1/2. With these, a
/// majority of five independent pieces of evidence is stable.
pub fn default_protocol() -> Protocol {
    let epsilon = Exact::ratio(1, 4);
    let rho = Exact::ratio(1, 2);
    Protocol::ProverEstimator(prover_estimator::ProverEstimatorParameters::new(
        epsilon, rho,
    ))
}

/// Returns, for each instance, the end of its range among 53-bit random numbers. The ranges agree with `chance::pick`
/// over the weights.
pub(super) fn world_draw_range_ends(decomposition: &dyn Decomposition) -> Arc<[u64]> {
    let worlds = decomposition.worlds();
    let total = worlds
        .iter()
        .fold(Exact::zero(), |sum, world| sum + &world.weight);
    let mut sum = Exact::zero();
    worlds
        .iter()
        .map(|world| {
            sum += &world.weight;
            let share = &sum / &total;
            let limit = (share.numer() << COIN_BITS).div_ceil(share.denom());
            u64::try_from(limit).unwrap_or(u64::MAX)
        })
        .collect()
}
