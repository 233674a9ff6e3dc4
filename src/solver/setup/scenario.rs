//! A scenario that was read and checked: the problem, the rules, the players, and which instance is debated.

use std::collections::BTreeMap;
use std::sync::Arc;

use num_integer::Integer as _;
use num_traits::Zero as _;
use serde::Deserialize;

use super::error::{
    Limits, NamedSource, Origin, SetupError, digits_of_power, quoted, sentence, some_of,
};
use super::reader::LoadedFile;
use debate_core::chance::{Draws, Seed, Stream};
use debate_core::number::{COIN_BITS, Exact, Number as _};
use debate_core::player::{Knowledge, KnowledgeError};
use debate_core::protocol::{Protocol, Seat, prover_estimator};
use debate_core::scenario::written::probability;
use debate_core::scenario::{
    Decomposition, Instance, JudgeSees, KnownBlocks, OpponentSees, Oracle,
};

/// A text for each seat that has one: a player's name, or what the seat alone is told before a
/// debate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeatTexts([Option<String>; 3]);

impl SeatTexts {
    pub fn get(&self, seat: Seat) -> Option<&str> {
        self.0.get(seat.index())?.as_deref()
    }

    /// Sets a seat's text; returns the text that it replaces.
    pub(super) fn put(&mut self, seat: Seat, text: String) -> Option<String> {
        self.0.get_mut(seat.index())?.replace(text)
    }
}

/// How the pieces of evidence for one claim err together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename = "kind of evidence")]
pub enum Evidence {
    /// Each by itself, as the oracle says.
    #[default]
    Independent,
    /// All pieces for a leaf err together with this probability, and else each by itself.
    SharedCause(#[serde(deserialize_with = "probability")] Exact),
}

/// A scenario file, read and checked.
#[derive(Clone, Debug)]
pub struct Setup {
    /// One line.
    pub title: String,
    /// A text for everybody before the debate: it gives nothing away.
    pub about: String,
    /// The text that each seat alone is told before the debate.
    pub briefing: SeatTexts,
    /// The seat whose briefing says that it cannot win against an honest rival.
    pub cannot_win: Option<Seat>,
    /// The lesson, told after the end.
    pub debrief: String,
    /// The kind of problem, as tables and JSON name it: [`ProblemKind::kind`](super::ProblemKind::kind).
    pub problem: &'static str,
    pub decomposition: Arc<dyn Decomposition>,
    pub oracle: Oracle,
    /// How the pieces of evidence err together where there are several for a claim.
    pub evidence: Evidence,
    /// The index of the world that the scenario's own `instance` asks for.
    pub requested_world: Option<usize>,
    /// The rules; [`default_protocol`] where the file names none.
    pub protocol: Protocol,
    /// The players that the scenario names.
    pub players: SeatTexts,
    /// The seat that is offered first to a person.
    pub sit: Option<Seat>,
    pub judge_sees: JudgeSees,
    /// The opponent's view of a claim that it estimates.
    pub opponent_sees: OpponentSees,
    /// For prover, opponent and judge what the scenario says that they know of the instance.
    pub knows: [Option<Knowledge>; 3],
    /// The most leaves that each may look up by itself in a debate.
    pub queries: [u32; 3],
    /// The blocks of [`Self::knows`].
    pub(super) known_blocks: KnownBlocks,
    /// Remarks for tools: any names and values.
    pub tags: BTreeMap<String, String>,
    /// The file's text, which a save keeps.
    pub source: Arc<str>,
    /// The other files that it read, in the order of reading: those of the problem, then those
    /// that players are read from.
    pub files: Vec<LoadedFile>,
    /// The number of [`Self::files`], from the first, that the problem reads.
    pub(super) problem_files: usize,
    pub origin: Origin,
    /// For each world the end of its range of 53-bit draws.
    pub(super) draw_limits: Arc<[u64]>,
}

impl Setup {
    /// Adds a file that a player is read from, unless one of its name is there.
    pub fn add_file(&mut self, file: LoadedFile) {
        if self.files.iter().all(|there| there.name != file.name) {
            self.files.push(file);
        }
    }

    /// The index of the world of this name.
    ///
    /// # Errors
    /// If there is none; the error lists the first few.
    pub fn instance_named(&self, name: &str) -> Result<usize, SetupError> {
        let worlds = self.decomposition.worlds();
        worlds
            .iter()
            .position(|world| world.name == name)
            .ok_or_else(|| SetupError::NoInstance {
                origin: sentence(&self.origin.to_string()),
                name: quoted(name),
                known: some_of(worlds.iter().map(|world| world.name.as_str())),
            })
    }

    /// The worlds that are asked for, with shares that sum to 1: one by its name, or `all`; where none
    /// is named the scenario's own instance, else all.
    ///
    /// # Errors
    /// If there is none of this name.
    pub fn worlds(&self, asked: Option<&str>) -> Result<Vec<(Exact, usize)>, SetupError> {
        let world = match asked {
            Some("all") => None,
            Some(name) => Some(self.instance_named(name)?),
            None => self.requested_world,
        };
        Ok(world.map_or_else(
            || self.all_worlds(),
            |world| vec![(Exact::from_integer(1.into()), world)],
        ))
    }

    /// All worlds, with shares that sum to 1.
    pub fn all_worlds(&self) -> Vec<(Exact, usize)> {
        let worlds = self.decomposition.worlds();
        let total: Exact = worlds.iter().map(|world| &world.weight).sum();
        let shares = worlds.iter().map(|world| &world.weight / &total);
        shares.zip(0..).collect()
    }

    /// The world of debate number `debate`: the scenario's own `instance` where it asks for one,
    /// else drawn by weight from the seed. The same as [`debate_core::chance::pick`] over the weights
    /// with the first private draw of [`Stream::Instance`].
    pub fn draw(&self, seed: &Seed, debate: u64) -> usize {
        self.requested_world.unwrap_or_else(|| {
            self.world_of_draw(Draws::private(seed, Stream::Instance, debate).at(0))
        })
    }

    /// The world that a 53-bit draw picks by weight.
    pub fn world_of_draw(&self, draw: u64) -> usize {
        let last = self.draw_limits.len().saturating_sub(1);
        self.draw_limits
            .partition_point(|limit| *limit <= draw)
            .min(last)
    }

    /// Checks that the rules can be played to this depth: where rounds weigh differently a debate
    /// keeps a power of r for each.
    ///
    /// # Errors
    /// If the decomposition is deeper than the limits allow, or the powers are longer.
    pub fn check_depth(&self, protocol: &Protocol, limits: &Limits) -> Result<(), SetupError> {
        let source = NamedSource {
            text: &self.source,
            origin: &self.origin,
            limits,
        };
        source.limit_numbers(protocol, self.decomposition.as_ref())
    }

    /// The digits of the smallest weight of a round under these rules; 0 if rounds weigh the same.
    pub fn digits(&self, protocol: &Protocol) -> u64 {
        let depth = self.decomposition.size(0).depth;
        let ratio = protocol.reward_ratio();
        let digits = ratio.map_or(0, |ratio| digits_of_power(&ratio, u64::from(depth) + 1));
        u64::try_from(digits).unwrap_or(u64::MAX)
    }

    /// Says what a seat knows of the instance before anybody speaks.
    ///
    /// # Errors
    /// If it names a claim or an instance that the problem does not have.
    pub fn set_knowledge(&mut self, seat: Seat, knows: Knowledge) -> Result<(), KnowledgeError> {
        let blocks = knows.blocks(self.decomposition.as_ref())?;
        let place = seat.index();
        if let (Some(there), Some(known)) =
            (self.knows.get_mut(place), self.known_blocks.get_mut(place))
        {
            *there = Some(knows);
            *known = Some(blocks);
        }
        Ok(())
    }

    /// What a seat knows of the instance before anybody speaks: what the scenario or a flag says, else
    /// what such a seat knows.
    pub fn knowledge(&self, seat: Seat) -> Knowledge {
        let stated = self.knows[seat.index()].clone();
        stated.unwrap_or_else(|| Knowledge::of_seat(seat))
    }

    /// Notes on the files that the scenario read, one sentence each without a full stop: what is odd in
    /// them and no error.
    pub fn notes(&self) -> Vec<String> {
        let computation = self.decomposition.as_computation();
        let formula = computation.and_then(|computation| computation.formula(0));
        formula.map_or_else(Vec::new, |formula| formula.notes().to_vec())
    }

    /// The instance of one of the decomposition's worlds.
    ///
    /// # Panics
    /// If there is no such world.
    pub fn instance(&self, world: usize) -> Instance {
        Instance::new(self.decomposition.clone(), world, self.oracle.clone())
            .knowing(self.known_blocks.clone())
            .showing(self.opponent_sees)
    }
}

/// The rules where a scenario names none: prover-estimator debate with ε = 1/4 and ρ = 1/2, at
/// which five independent pieces of evidence are enough for a stable claim.
pub fn default_protocol() -> Protocol {
    let epsilon = Exact::ratio(1, 4);
    let rho = Exact::ratio(1, 2);
    Protocol::ProverEstimator(prover_estimator::Parameters::new(epsilon, rho))
}

/// For each world the end of its range of 53-bit draws, as `chance::pick` over the weights finds
/// it.
pub(super) fn draw_limits(decomposition: &dyn Decomposition) -> Arc<[u64]> {
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
