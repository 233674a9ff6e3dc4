//! Any computation's transcript, decomposed into blocks of steps (PE §5): the problem's claim
//! stands over "steps a to b are right", down to single steps.
//!
//! The implicit proof is the transcript itself, and the witness where there is one: a leaf reads
//! the bit of its step and those that the step depends on, as the prover gives them, and its check
//! is that the step's rule gives its bit. The last step must give 1 besides.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use super::belief::Belief;
use super::decomposition::{BitId, Decomposition, Estimate, Key, Level, Size, SupportDraft, World};
use super::{Circuit, Computation, Flaw, Formula, Path, Process, Rule, Run, Source};
use crate::bits::Bits;
use crate::gate::Gate;
use crate::number::Exact;

/// A problem whose claim is decomposed into blocks of its computation's transcript.
#[derive(Debug)]
pub struct Transcript {
    problem: Arc<dyn Decomposition>,
    width: u64,
    /// The computation and the true proof in each world.
    worlds: Box<[OnceLock<Option<ComputationProof>>]>,
}

/// The computation of one world.
#[derive(Debug)]
struct ComputationProof {
    computation: Arc<dyn Computation>,
    steps: u64,
    /// The witness and the true transcript with it; `None` where an oracle's answer cannot be
    /// known.
    proof: OnceLock<Option<(Bits, Bits)>>,
}

impl ComputationProof {
    fn of(computation: Arc<dyn Computation>) -> Option<Self> {
        let steps = computation.steps();
        let bits = steps.checked_add(computation.witness_length())?;
        (steps > 0 && BitId::try_from(bits).is_ok()).then(|| Self {
            computation,
            steps,
            proof: OnceLock::new(),
        })
    }

    fn proof(&self) -> Option<&(Bits, Bits)> {
        let proof = self.proof.get_or_init(|| {
            let witness = self.computation.witness();
            let transcript = self.computation.transcript(&witness)?;
            Some((witness, transcript))
        });
        proof.as_ref()
    }

    /// The proof bit behind something that is read; `None` for a bit of the input.
    fn bit(&self, source: Source) -> Option<BitId> {
        let bit = match source {
            Source::Input(_) => return None,
            Source::Step(step) => step,
            Source::Witness(place) => self.steps + place,
        };
        BitId::try_from(bit).ok()
    }

    fn bit_name(&self, bit: BitId) -> String {
        let bit = u64::from(bit);
        let source = match bit.checked_sub(self.steps) {
            None => Source::Step(bit),
            Some(place) => Source::Witness(place),
        };
        match source {
            Source::Step(step) => format!("step {step}"),
            source => self.computation.source_text(source),
        }
    }

    fn reads(&self, step: u64) -> Vec<BitId> {
        let mut sources = Vec::new();
        self.computation.reads(step, &mut sources);
        let own = BitId::try_from(step).ok();
        own.into_iter()
            .chain(sources.into_iter().filter_map(|source| self.bit(source)))
            .collect()
    }

    fn check(&self, step: u64, bits: &[bool]) -> bool {
        let mut given = bits.iter().copied();
        let Some(own) = given.next() else {
            return false;
        };
        let mut sources = Vec::new();
        self.computation.reads(step, &mut sources);
        let read: Vec<bool> = sources
            .into_iter()
            .map(|source| match source {
                Source::Input(place) => self.computation.input(place),
                _ => given.next().unwrap_or(false),
            })
            .collect();
        let follows = match self.computation.rule(step, &read) {
            Rule::Value(value) => value == own,
            Rule::Oracle(claim) => self.computation.answer(&claim) == Some(own),
        };
        follows && (own || step + 1 < self.steps)
    }
}

impl Transcript {
    /// The problem with its computation's transcript split into so many blocks, and each of them
    /// again, down to single steps.
    ///
    /// # Errors
    /// Where there are fewer than two blocks, where the problem is no computation, or where it has
    /// more than 2³² steps; at `at`, the decomposition.
    pub fn build(problem: Arc<dyn Decomposition>, width: u32, at: &Path) -> Result<Self, Flaw> {
        if width < 2 {
            return Err(
                at.flaw("a transcript is split into at least 2 blocks; take a larger width")
            );
        }
        let Some(first) = problem.computation(0) else {
            return Err(at.flaw(
                "this splits the transcript of a computation, and this problem has none; leave \
                 `decomposition` out",
            ));
        };
        if ComputationProof::of(first).is_none() {
            return Err(at.flaw(
                "the computation has more steps than can be split; take a smaller one, or leave \
                 `decomposition` out",
            ));
        }
        let worlds = problem.worlds().iter().map(|_| OnceLock::new()).collect();
        Ok(Self {
            problem,
            width: width.into(),
            worlds,
        })
    }

    fn proved(&self, world: usize) -> Option<&ComputationProof> {
        let cell = self.worlds.get(world)?;
        cell.get_or_init(|| ComputationProof::of(self.problem.computation(world)?))
            .as_ref()
    }

    /// The steps that a claim of this decomposition is about: the root about all of them.
    fn block(&self, key: &Key, world: usize) -> Option<(&ComputationProof, u64, u64)> {
        let proved = self.proved(world)?;
        match key {
            Key::Block(from, to) => Some((proved, *from, *to)),
            key => (*key == self.problem.root(world)).then_some((proved, 0, proved.steps)),
        }
    }

    /// A claim about a single step.
    fn leaf(&self, key: &Key, world: usize) -> Option<(&ComputationProof, u64)> {
        let (proved, from, to) = self.block(key, world)?;
        (to - from == 1).then_some((proved, from))
    }
}

/// A block in at most `width` parts, larger parts first.
fn split(from: u64, to: u64, width: u64) -> impl Iterator<Item = Key> {
    let (steps, mut start) = (to - from, from);
    let parts = width.min(steps);
    (0..parts).map(move |part| {
        let end = start + steps / parts + u64::from(part < steps % parts);
        let block = Key::Block(start, end);
        start = end;
        block
    })
}

/// The sizes of the tree over so many steps. On each level there are at most two sizes of block.
fn size(steps: u64, width: u64) -> Size {
    let levels = levels(steps, width);
    let depth = u32::try_from(levels.len() - 1).unwrap_or(u32::MAX);
    let parts = if depth == 0 { 0 } else { width.min(steps) };
    Size {
        depth,
        width: u32::try_from(parts).unwrap_or(u32::MAX),
        claims: levels.into_iter().map(|level| level.claims).sum(),
        leaves: steps.into(),
    }
}

/// The levels of that tree.
fn levels(steps: u64, width: u64) -> Vec<Level> {
    let mut blocks = vec![(steps, 1_u64)];
    let mut levels = Vec::new();
    while !blocks.is_empty() {
        let mut next: Vec<(u64, u64)> = Vec::new();
        let mut level = Level::default();
        for (block, count) in blocks {
            level.claims += count;
            if block <= 1 {
                level.leaves += count;
                continue;
            }
            let parts = width.min(block);
            let larger = block % parts;
            for (part, parts) in [(block / parts, parts - larger), (block / parts + 1, larger)] {
                match next.iter_mut().find(|(size, _)| *size == part) {
                    Some((_, all)) => *all += count * parts,
                    None if parts > 0 => next.push((part, count * parts)),
                    None => {}
                }
            }
        }
        levels.push(level);
        blocks = next;
    }
    levels
}

impl Decomposition for Transcript {
    fn worlds(&self) -> &[World] {
        self.problem.worlds()
    }

    fn root(&self, world: usize) -> Key {
        self.problem.root(world)
    }

    fn supports(&self, key: &Key, world: usize) -> Vec<SupportDraft> {
        match self.block(key, world) {
            None => self.problem.supports(key, world),
            Some((_, from, to)) if to - from <= 1 => Vec::new(),
            Some((_, from, to)) => vec![SupportDraft {
                gate: Gate::All,
                on: split(from, to, self.width).collect(),
                sound: true,
            }],
        }
    }

    fn truth(&self, key: &Key, world: usize) -> Option<bool> {
        match (key, self.proved(world)) {
            (Key::Block(_, to), Some(proved)) => {
                // Every step of the true transcript is right; only its last may not be 1.
                let (_, transcript) = proved.proof()?;
                Some(*to < proved.steps || transcript.as_slice().last() == Some(&true))
            }
            (key, _) => self.problem.truth(key, world),
        }
    }

    fn is_decidable(&self, world: usize) -> bool {
        self.proved(world)
            .and_then(ComputationProof::proof)
            .is_some()
            && self.problem.truth(&self.root(world), world).is_some()
    }

    fn size(&self, world: usize) -> Size {
        size(
            self.proved(world).map_or(1, |proved| proved.steps),
            self.width,
        )
    }

    fn levels(&self, key: &Key, world: usize, most: usize) -> Option<Vec<Level>> {
        match self.block(key, world) {
            Some((_, from, to)) => Some(levels(to - from, self.width)),
            None => self.problem.levels(key, world, most),
        }
    }

    fn leaves_under(&self, key: &Key, world: usize) -> u64 {
        match self.block(key, world) {
            Some((_, from, to)) => to - from,
            None => self.problem.leaves_under(key, world),
        }
    }

    fn text(&self, key: &Key, world: usize) -> String {
        match (key, self.proved(world)) {
            (Key::Block(from, to), Some(proved)) => {
                let ends = match (to - from, *to == proved.steps) {
                    (_, false) => "",
                    (1, true) => ", and it writes 1",
                    (_, true) => ", and the last writes 1",
                };
                match to - from {
                    1 => {
                        let rule = proved.computation.step_text(*from);
                        format!("step {from} ({rule}) is right{ends}")
                    }
                    _ => format!("steps {from} to {} are right{ends}", to - 1),
                }
            }
            (key, _) => self.problem.text(key, world),
        }
    }

    fn short_text(&self, key: &Key, world: usize) -> String {
        match key {
            Key::Block(from, to) if to - from == 1 => format!("step {from}"),
            Key::Block(from, to) => format!("steps {from}–{}", to - 1),
            key => self.problem.short_text(key, world),
        }
    }

    fn id(&self, key: &Key) -> Option<&str> {
        self.problem.id(key)
    }

    fn evidence(&self, key: &Key, world: usize) -> Option<String> {
        let Some((proved, step)) = self.leaf(key, world) else {
            return self.problem.evidence(key, world);
        };
        let computation = &proved.computation;
        let mut sources = Vec::new();
        computation.reads(step, &mut sources);
        let mut text = format!(
            "Step {step} of {}: {}.",
            proved.steps,
            computation.step_text(step)
        );
        for source in sources {
            if let Source::Input(place) = source {
                let (name, value) = (computation.source_text(source), computation.input(place));
                for part in [
                    " In the input ",
                    &name,
                    if value { " = 1." } else { " = 0." },
                ] {
                    text.push_str(part);
                }
            }
        }
        text.push_str(" It is right if the bit that Alice gives for it is what this comes to");
        text.push_str(if step + 1 == proved.steps {
            ", and that bit is 1."
        } else {
            "."
        });
        Some(text)
    }

    fn judged_true(&self, key: &Key) -> Option<Exact> {
        match key {
            Key::Block(..) => None,
            key => self.problem.judged_true(key),
        }
    }

    fn estimate(&self, key: &Key) -> Estimate {
        match key {
            Key::Block(..) => Estimate::Posterior,
            key => self.problem.estimate(key),
        }
    }

    fn reads(&self, key: &Key, world: usize) -> Cow<'_, [BitId]> {
        match self.leaf(key, world) {
            Some((proved, step)) => Cow::Owned(proved.reads(step)),
            None => Cow::Borrowed(&[]),
        }
    }

    fn bit_name(&self, bit: BitId, world: usize) -> Cow<'_, str> {
        let name = self.proved(world).map(|proved| proved.bit_name(bit));
        Cow::Owned(name.unwrap_or_default())
    }

    fn bit_truth(&self, bit: BitId, world: usize) -> bool {
        let proved = self.proved(world);
        let truth = proved.and_then(|proved| {
            let (witness, transcript) = proved.proof()?;
            let bit = u64::from(bit);
            match bit.checked_sub(proved.steps) {
                None => transcript.at(bit),
                Some(place) => witness.at(place),
            }
        });
        truth.unwrap_or(false)
    }

    fn check(&self, key: &Key, bits: &[bool], world: usize) -> bool {
        match self.leaf(key, world) {
            Some((proved, step)) => proved.check(step, bits),
            None => self.problem.check(key, bits, world),
        }
    }

    fn computation(&self, world: usize) -> Option<Arc<dyn Computation>> {
        self.problem.computation(world)
    }

    fn circuit(&self, world: usize) -> Option<Arc<Circuit>> {
        self.problem.circuit(world)
    }

    fn run(&self, world: usize) -> Option<Arc<dyn Run>> {
        self.problem.run(world)
    }

    fn process(&self, world: usize) -> Option<Arc<dyn Process>> {
        self.problem.process(world)
    }

    fn formula(&self, world: usize) -> Option<Arc<Formula>> {
        self.problem.formula(world)
    }

    fn belief(&self, world: usize) -> Belief {
        self.problem.belief(world)
    }

    fn cheap_test(&self, world: usize) -> Option<bool> {
        self.problem.cheap_test(world)
    }

    fn known_in_words(&self, world: usize) -> Option<String> {
        self.problem.known_in_words(world)
    }
}

#[cfg(test)]
mod tests;
