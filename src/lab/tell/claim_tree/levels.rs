//! The tree as it grows while the log is read.

use std::ops::Range;

use super::{BITS, Branches, Fold, Node, RowMark};
use crate::tell::Viewpoint;
use crate::tell::{grouped, in_columns};
use debate_core::bits::Bits;
use debate_core::number::{Exact, Number};
use debate_core::protocol::{Ask, Check, Event, Rules as _, Seat};
use debate_core::scenario::{ClaimId, Source};

/// The step that a challenger pointed at in a computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ChallengePointer {
    /// Not asked yet.
    Unasked,
    /// At nothing, or at a step that is not a claim of the problem.
    Elsewhere,
    /// The claim of a step.
    At(ClaimId),
}

/// Claims that stand below the same claim.
#[derive(Clone, Debug)]
struct Level {
    nodes: Vec<Node>,
    /// Rows of the levels above that come before these claims.
    before: usize,
    /// Rows of the levels above that come after them.
    after: usize,
    /// The lines that lead to the claim above.
    over: Branches,
}

/// The tree while the log is being read.
#[derive(Clone, Debug)]
pub struct Levels {
    open: Vec<Level>,
    /// For each level above the last, which of its claims has the next level's subclaims.
    parents: Vec<usize>,
    /// The claim under discussion: its level and its index there.
    here: (usize, usize),
    pointed: ChallengePointer,
    /// True if claims fell into parts or were written down in bits.
    parted: bool,
}

impl Levels {
    pub fn new(root: ClaimId) -> Self {
        let level = Level {
            nodes: vec![Node::new(root, usize::MAX)],
            before: 0,
            after: 0,
            over: Branches::ROOT,
        };
        Self {
            open: vec![level],
            parents: Vec::new(),
            here: (0, 0),
            pointed: ChallengePointer::Unasked,
            parted: false,
        }
    }

    pub fn last(&self) -> usize {
        self.open.len() - 1
    }

    pub fn is_parted(&self) -> bool {
        self.parted
    }

    pub fn node(&self, (level, index): (usize, usize)) -> Option<&Node> {
        self.open.get(level)?.nodes.get(index)
    }

    fn node_mut(&mut self, (level, index): (usize, usize)) -> Option<&mut Node> {
        self.open.get_mut(level)?.nodes.get_mut(index)
    }

    /// The number of rows: depth first, a claim's subclaims right below it.
    pub fn rows(&self) -> usize {
        let last = self.open.last();
        last.map_or(0, |last| last.before + last.nodes.len() + last.after)
    }

    /// The level and the index of the claim in a row.
    pub fn place_of(&self, row: usize) -> Option<(usize, usize)> {
        let last = self.open.last()?;
        if row < last.before + last.nodes.len() {
            let level = self.open.partition_point(|level| level.before <= row) - 1;
            return Some((level, row - self.open.get(level)?.before));
        }
        // From the end up: level after level, each with what follows the claim it opened.
        let back = self.rows().checked_sub(row + 1)?;
        let level = self.open.partition_point(|level| level.after <= back) - 1;
        let found = self.open.get(level)?;
        let index = found.nodes.len().checked_sub(1 + back - found.after)?;
        Some((level, index))
    }

    pub fn row_of(&self, (level, index): (usize, usize)) -> Option<usize> {
        let found = self.open.get(level)?;
        if index >= found.nodes.len() {
            return None;
        }
        match self.parents.get(level) {
            Some(parent) if index > *parent => {
                Some(self.rows() - found.after - (found.nodes.len() - index))
            }
            _ => Some(found.before + index),
        }
    }

    pub fn branches(&self, (level, index): (usize, usize)) -> Branches {
        match self.open.get(level) {
            Some(found) if level > 0 => found.over.child(index + 1 == found.nodes.len()),
            _ => Branches::ROOT,
        }
    }

    pub fn fold(&self, (level, index): (usize, usize)) -> Fold {
        if self.parents.get(level) == Some(&index) {
            Fold::Open
        } else {
            Fold::Leaf
        }
    }

    pub fn mark(
        &self,
        (level, index): (usize, usize),
        asked: (usize, usize),
        newest: &Range<usize>,
    ) -> RowMark {
        let last = self.last();
        let on_path = self.parents.get(level) == Some(&index);
        let touched = self.node((level, index)).map(|node| node.touched);
        if (level, index) == asked {
            RowMark::Current
        } else if touched.is_some_and(|touched| newest.contains(&touched)) {
            RowMark::Newest
        } else if on_path && level > 0 {
            RowMark::Chosen
        } else if level < last && !on_path || self.here.0 == level && last == level && level > 0 {
            RowMark::Faint
        } else {
            RowMark::Plain
        }
    }

    /// The claims on the way to where the debate stands, and those that have just changed.
    pub fn mattering<'w>(
        &'w self,
        asked: (usize, usize),
        newest: &'w Range<usize>,
    ) -> impl Iterator<Item = (usize, usize)> + 'w {
        self.open.iter().enumerate().flat_map(move |(level, on)| {
            let opened = self.parents.get(level).copied();
            let nodes = on.nodes.iter().enumerate();
            nodes.filter_map(move |(index, node)| {
                let matters = opened == Some(index)
                    || newest.contains(&node.touched)
                    || (level, index) == asked;
                matters.then_some((level, index))
            })
        })
    }

    /// The level and the index of a subclaim of the deepest level, of the root where no place is
    /// given; wherever the claim stands last, if another one stands there.
    fn place_of_claim(&self, claim: ClaimId, place: Option<u32>) -> (usize, usize) {
        let named = place.map_or((0, 0), |place| (self.last(), place as usize));
        match self.node(named) {
            Some(node) if node.claim == claim => named,
            _ => self.find(claim).unwrap_or(named),
        }
    }

    /// The last place of a claim, looked for from the deepest level up.
    fn find(&self, claim: ClaimId) -> Option<(usize, usize)> {
        let levels = self.open.iter().enumerate().rev();
        let mut found = levels.filter_map(|(level, found)| {
            let index = found.nodes.iter().position(|node| node.claim == claim)?;
            Some((level, index))
        });
        found.next()
    }

    /// Changes the claim at a place, and marks it as changed by this entry.
    fn change(&mut self, place: (usize, usize), index: usize, change: impl FnOnce(&mut Node)) {
        if let Some(node) = self.node_mut(place) {
            change(node);
            node.touched = index;
        }
    }

    /// Changes the node of a claim; of the claim under discussion where the claim is not in the
    /// tree.
    fn change_claim(
        &mut self,
        claim: Option<ClaimId>,
        index: usize,
        change: impl FnOnce(&mut Node),
    ) {
        let place = claim.and_then(|claim| self.find(claim));
        self.change(place.unwrap_or(self.here), index, change);
    }

    /// Opens a level below the claim under discussion.
    fn open(&mut self, on: &[ClaimId], index: usize) {
        self.touch(index);
        // A claim that falls into parts once more has those last noted.
        self.parents.truncate(self.here.0);
        self.open.truncate(self.here.0 + 1);
        self.parents.push(self.here.1);
        let (mut before, mut after) = (0, 0);
        if let Some(above) = self.open.last() {
            let upper = (self.here.1 + 1).min(above.nodes.len());
            before = above.before + upper;
            after = above.after + above.nodes.len() - upper;
        }
        let over = self.branches(self.here);
        let nodes = on.iter().map(|claim| Node {
            pointed: self.pointed == ChallengePointer::At(*claim),
            ..Node::new(*claim, index)
        });
        self.open.push(Level {
            nodes: nodes.collect(),
            before,
            after,
            over,
        });
    }

    pub fn note(&mut self, view: &Viewpoint<'_, '_>, index: usize, event: &Event<Exact>) {
        match event {
            Event::Answered { answer, .. } => {
                self.change((0, 0), index, |root| root.claimed = Some(*answer));
            }
            Event::Estimated {
                claim, place, p, ..
            } => {
                self.dispute(view, *claim, index);
                let place = self.place_of_claim(*claim, *place);
                self.change(place, index, |node| node.p = Some(p.to_float()));
            }
            Event::Tossed {
                claim,
                place,
                value,
                ..
            } => {
                let place = self.place_of_claim(*claim, *place);
                self.change(place, index, |node| node.coin = Some(*value));
            }
            Event::Supported { claim, support } => {
                let chosen = view.facts.instance.support(*claim, *support);
                let on = chosen.map_or(&[][..], |chosen| &chosen.on);
                self.open(on, index);
            }
            Event::Claimed { answers, .. } => {
                let last = self.last();
                for (place, answer) in answers.as_slice().iter().enumerate() {
                    self.change((last, place), index, |node| node.claimed = Some(*answer));
                }
            }
            Event::Selected { place, .. } => {
                self.here = (self.last(), *place as usize);
                self.touch(index);
            }
            Event::Judged { answer, .. } => {
                self.change(self.here, index, |leaf| leaf.judged = Some(*answer));
            }
            Event::Entered { claim, .. } => {
                self.dispute(view, *claim, index);
                // Where nobody selected it the debate may go on with a part by itself.
                let here = self.node(self.here);
                if here.is_none_or(|node| node.claim != *claim) {
                    self.here = self.find(*claim).unwrap_or(self.here);
                }
                self.touch(index);
            }
            Event::Betted { .. } | Event::Gated { .. } => self.touch(index),
            Event::Parts { claim, on } => {
                self.parted = true;
                // A claim that comes down to itself opens nothing.
                if on[..] != [*claim] {
                    self.open(on, index);
                }
            }
            Event::Gave { ask, bits } => {
                self.parted = true;
                self.gave(view, *ask, bits, index);
            }
            Event::Challenged { step, verifier } => {
                self.challenged(
                    step.and_then(|step| step_claim(view, step, *verifier)),
                    index,
                );
            }
            Event::Read {
                source,
                value,
                verifier,
            } => {
                let claim = match source {
                    Source::Step(step) => step_claim(view, *step, *verifier),
                    _ => None,
                };
                self.read(claim, *value, *verifier, index);
            }
            Event::Checked { check, holds } => self.checked(view, *check, *holds, index),
            Event::GaveBit { .. }
            | Event::Shared { .. }
            | Event::Sampled { .. }
            | Event::Spoke { .. }
            | Event::Continued { .. }
            | Event::Opened(_)
            | Event::Rewarded(_)
            | Event::Ended { .. } => {}
        }
    }

    /// Where a step is disputed, its warrant stands beside the subclaims that it starts from.
    fn dispute(&mut self, view: &Viewpoint<'_, '_>, claim: ClaimId, index: usize) {
        if view.facts.instance.warrant_of(claim).is_none() || self.find(claim).is_some() {
            return;
        }
        if let Some(level) = self.open.last_mut() {
            level.nodes.push(Node::new(claim, index));
        }
    }

    /// Takes an event that was sealed when the log was read past it; does not mark its claim as the
    /// newest.
    pub fn note_late(&mut self, event: &Event<Exact>) {
        if let (Event::Answered { answer, .. }, Some(root)) = (event, self.node_mut((0, 0))) {
            root.claimed = Some(*answer);
        }
    }

    fn gave(&mut self, view: &Viewpoint<'_, '_>, ask: Ask, bits: &Bits, index: usize) {
        let claim = match ask {
            Ask::Block { claim, .. } => Some(claim),
            _ => None,
        };
        // A transcript belongs to its steps; here it is enough that there is one.
        let text = match ask {
            Ask::Transcript { .. } => format!("{} bits", grouped(bits.len() as u64)),
            Ask::Configuration { .. } => {
                let run = view.facts.instance.run();
                let run = run.filter(|run| run.is_well_formed(bits));
                run.map_or_else(|| "none".to_owned(), |run| shortened(&run.short_text(bits)))
            }
            _ => format!("= {}", in_columns(bits, BITS)),
        };
        self.change_claim(claim, index, |node| node.bits = Some(text));
    }

    fn challenged(&mut self, claim: Option<ClaimId>, index: usize) {
        self.pointed = claim.map_or(ChallengePointer::Elsewhere, ChallengePointer::At);
        // Else it stands in the tree later, if it ever does.
        if claim.is_some_and(|claim| self.find(claim).is_some()) {
            self.change_claim(claim, index, |node| node.pointed = true);
        }
    }

    fn read(&mut self, claim: Option<ClaimId>, value: bool, verifier: bool, index: usize) {
        // What stands nowhere in the tree is told in the transcript alone; but where no step was
        // pointed at, the bit is what the debate came to.
        let here = self.pointed == ChallengePointer::Unasked && !verifier;
        if here || claim.is_some_and(|claim| self.find(claim).is_some()) {
            let digit = format!("= {}", u8::from(value));
            self.change_claim(claim, index, |node| node.bits = Some(digit));
        }
    }

    fn checked(&mut self, view: &Viewpoint<'_, '_>, check: Check, holds: bool, index: usize) {
        let instance = view.facts.instance;
        let claim = match check {
            // The verifier's own steps are no claims of the problem.
            Check::Step { verifier: true, .. } => return,
            Check::Step { step, .. } => step_claim(view, step, false),
            Check::Estimate { step } => {
                let process = instance.process();
                process.map(|process| instance.claim_of(process.step_claim(step)))
            }
            _ => None,
        };
        // Of several checks of one claim the one that fails is the one that counts.
        self.change_claim(claim, index, |node| {
            node.checked = Some(node.checked.unwrap_or(true) && holds);
        });
    }

    /// Marks the claim under discussion as changed by this entry.
    fn touch(&mut self, index: usize) {
        self.change(self.here, index, |_| {});
    }

    /// The claim that the pending request is about: a subclaim by its place, where it has one.
    pub fn asked(&self, view: &Viewpoint<'_, '_>) -> (usize, usize) {
        let Some(turn) = view.state.request() else {
            return self.here;
        };
        let last = self.last();
        if let Some(place) = turn.request.place() {
            return (last, place as usize);
        }
        let draws = turn.seat == Seat::Chance && last > 0;
        let nodes = draws.then(|| self.open.last()).flatten();
        let tossed = |node: &Node| Some(node.claim) == turn.request.claim() && node.coin.is_none();
        let index = nodes.and_then(|level| level.nodes.iter().position(tossed));
        index.map_or(self.here, |index| (last, index))
    }
}

/// The claim that a step of the problem's computation writes 1; the verifier's own steps have
/// none.
fn step_claim(view: &Viewpoint<'_, '_>, step: u64, verifier: bool) -> Option<ClaimId> {
    let instance = view.facts.instance;
    let computation = instance.computation().filter(|_| !verifier)?;
    Some(instance.claim_of(computation.claim(step)))
}

/// The text cut to [`BITS`] characters.
fn shortened(text: &str) -> String {
    if text.chars().count() <= BITS {
        return text.to_owned();
    }
    text.chars().take(BITS - 1).chain(['…']).collect()
}
