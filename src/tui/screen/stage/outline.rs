//! The recursion as a tree: every claim met on the way, with what was said and drawn of it.

use std::ops::Range;

use crate::number::Number;
use crate::protocol::words::in_columns;
use crate::protocol::{Ask, Check, Event, Request, Rules, Seat, Seen};
use crate::scenario::{ClaimId, Source};
use crate::tui::panel::measure::width;
use crate::tui::panel::tree::{Fold, Lines, Mark, Row};
use crate::tui::theme::Look;

use super::{Sight, chance};

/// Bits at the right edge of a row.
const BITS: usize = 10;

/// What is known of one claim.
#[derive(Clone, Debug)]
struct Node {
    claim: ClaimId,
    /// The last probability that was given for it.
    p: Option<f64>,
    coin: Option<bool>,
    claimed: Option<bool>,
    judged: Option<bool>,
    /// The bits that were given for it, shortened; or the one that was read of it.
    bits: Option<String>,
    /// Whether it was pointed at as wrong.
    pointed: bool,
    /// Whether what the verifier checked of it is as it should be.
    checked: Option<bool>,
    /// The last entry of the log that is about it.
    touched: usize,
}

impl Node {
    fn new(claim: ClaimId, touched: usize) -> Self {
        Self {
            claim,
            p: None,
            coin: None,
            claimed: None,
            judged: None,
            bits: None,
            pointed: false,
            checked: None,
            touched,
        }
    }

    /// What stands at the right edge: the probability, then what came of it, in words.
    fn value(&self, look: &Look) -> String {
        // Columns are dear here: no space before the sign.
        let p = self.p.map(|p| chance(p).replace(' ', ""));
        let word = |holds: bool| if holds { "true" } else { "false" };
        let outcome = match (self.judged, self.coin, self.claimed) {
            (Some(judged), _, _) => Some(format!("judged {}", word(judged))),
            (None, Some(coin), _) => Some(format!("{:<5}", word(coin))),
            (None, None, Some(claimed)) => Some(format!("said {}", word(claimed))),
            (None, None, None) => None,
        };
        let said = match (p, outcome) {
            (Some(_), Some(outcome)) if self.judged.is_some() => Some(outcome),
            (Some(p), Some(outcome)) => Some(format!("{p} {outcome}")),
            (Some(p), None) => Some(format!("{p}      ")),
            (None, outcome) => outcome,
        };
        let bits = self.bits.as_ref().map(|bits| format!("= {bits}"));
        let checked = match (self.checked, self.pointed) {
            (Some(true), _) => Some(format!("{} right", look.glyphs.right)),
            (Some(false), _) => Some(format!("{} wrong", look.glyphs.wrong)),
            (None, true) => Some("pointed at".to_owned()),
            (None, false) => None,
        };
        let parts = [said, bits, checked].into_iter().flatten();
        parts.collect::<Vec<_>>().join(" ")
    }
}

/// One row of the tree: where its claim stands in the levels.
#[derive(Clone, Debug)]
struct Place {
    level: usize,
    index: usize,
    lines: Lines,
    fold: Fold,
    mark: Mark,
}

/// The claims met along the path. Level 0 is the root; level n + 1 holds the subclaims of the
/// claim of level n that the debate went on with.
#[derive(Clone, Debug, Default)]
pub(super) struct Outline {
    levels: Vec<Vec<Node>>,
    rows: Vec<Place>,
    current: usize,
}

impl Outline {
    /// Reads the tree off the log.
    pub(super) fn of(sight: &Sight<'_, '_>) -> Self {
        let mut walk = Walk::new(sight.scene.instance.root());
        for index in 0..sight.log.entries().len() {
            if let Some(Seen::Open(entry)) = sight.log.seen_by(index, sight.viewer) {
                walk.note(sight, index, &entry.event);
            }
        }
        let asked = walk.asked(sight);
        walk.into_outline(asked, &sight.newest)
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The row of the claim that is asked about.
    pub(super) fn current(&self) -> usize {
        self.current
    }

    /// The row of a subclaim of the claim under discussion.
    pub(super) fn row_of(&self, place: usize) -> Option<usize> {
        let last = self.levels.len().checked_sub(1)?;
        self.rows
            .iter()
            .position(|row| row.level == last && row.index == place)
    }

    /// The subclaim of the claim under discussion that stands in a row.
    pub(super) fn place_of(&self, row: usize) -> Option<usize> {
        let last = self.levels.len().checked_sub(1)?;
        self.rows
            .get(row)
            .filter(|row| row.level == last && last > 0)
            .map(|row| row.index)
    }

    /// The claim of a row.
    pub(super) fn claim(&self, row: usize) -> Option<ClaimId> {
        let row = self.rows.get(row)?;
        self.levels
            .get(row.level)?
            .get(row.index)
            .map(|node| node.claim)
    }

    /// A row as it is drawn.
    pub(super) fn row(
        &self,
        sight: &Sight<'_, '_>,
        number: usize,
        columns: usize,
        look: &Look,
    ) -> Row {
        let Some(row) = self.rows.get(number) else {
            return Row::default();
        };
        let Some(node) = self
            .levels
            .get(row.level)
            .and_then(|level| level.get(row.index))
        else {
            return Row::default();
        };
        let mut text = sight.scene.instance.short_text(node.claim);
        let value = node.value(look);
        // The coin takes the place at the edge, but what Alice claimed of the root stands.
        if let (0, Some(claimed), Some(_)) = (row.level, node.claimed, node.coin) {
            let said = if claimed { "yes" } else { "no" };
            // Fold, mark and the gap before the value take five columns.
            let taken = width(&value) + 5;
            let forms = [
                format!("{text} (Alice: {said})"),
                format!("{text} ({said})"),
            ];
            let fits = |form: &String| width(form) + taken <= columns;
            text = forms.into_iter().find(fits).unwrap_or(text);
        }
        Row {
            lines: row.lines,
            fold: row.fold,
            text,
            value,
            mark: row.mark,
        }
    }
}

/// The tree while the log is being read.
struct Walk {
    levels: Vec<Vec<Node>>,
    /// For each level above the last, which of its claims has the next level's subclaims.
    parents: Vec<usize>,
    /// The claim under discussion: its level and its index there.
    here: (usize, usize),
}

impl Walk {
    fn new(root: ClaimId) -> Self {
        Self {
            levels: vec![vec![Node::new(root, usize::MAX)]],
            parents: Vec::new(),
            here: (0, 0),
        }
    }

    fn at(&mut self, place: Option<u32>) -> Option<&mut Node> {
        match place {
            None => self.levels.first_mut()?.first_mut(),
            Some(place) => self.levels.last_mut()?.get_mut(place as usize),
        }
    }

    /// The claim at this place, if it is this one; else wherever the claim stands last.
    fn named(&mut self, claim: ClaimId, place: Option<u32>) -> Option<&mut Node> {
        if self.at(place).is_some_and(|node| node.claim == claim) {
            return self.at(place);
        }
        match self.find(claim) {
            Some((level, index)) => self.levels.get_mut(level)?.get_mut(index),
            None => self.at(place),
        }
    }

    /// Where a claim stands last, looked for from the deepest level up.
    fn find(&self, claim: ClaimId) -> Option<(usize, usize)> {
        let levels = self.levels.iter().enumerate().rev();
        let mut found = levels.filter_map(|(level, nodes)| {
            let index = nodes.iter().position(|node| node.claim == claim)?;
            Some((level, index))
        });
        found.next()
    }

    /// Says something of a claim where it stands in the tree, else of the claim under discussion.
    fn say(&mut self, claim: Option<ClaimId>, index: usize, change: impl FnOnce(&mut Node)) {
        let (level, place) = claim
            .and_then(|claim| self.find(claim))
            .unwrap_or(self.here);
        let node = self.levels.get_mut(level);
        if let Some(node) = node.and_then(|level| level.get_mut(place)) {
            change(node);
            node.touched = index;
        }
    }

    /// Opens a level below the claim under discussion.
    fn open(&mut self, on: &[ClaimId], index: usize) {
        self.touch(index);
        // A claim that falls into parts once more has those last noted.
        self.parents.truncate(self.here.0);
        self.levels.truncate(self.here.0 + 1);
        self.parents.push(self.here.1);
        let nodes = on.iter().map(|claim| Node::new(*claim, index));
        self.levels.push(nodes.collect());
    }

    fn here(&mut self) -> Option<&mut Node> {
        self.levels.get_mut(self.here.0)?.get_mut(self.here.1)
    }

    fn note(&mut self, sight: &Sight<'_, '_>, index: usize, event: &Event<crate::number::Exact>) {
        match event {
            Event::Answered { answer, .. } => {
                if let Some(root) = self.at(None) {
                    root.claimed = Some(*answer);
                    root.touched = index;
                }
            }
            Event::Estimated {
                claim, place, p, ..
            } => {
                if let Some(node) = self.named(*claim, *place) {
                    node.p = Some(p.to_float());
                    node.touched = index;
                }
            }
            Event::Tossed {
                claim,
                place,
                value,
                ..
            } => {
                if let Some(node) = self.named(*claim, *place) {
                    node.coin = Some(*value);
                    node.touched = index;
                }
            }
            Event::Supported { claim, support } => {
                let chosen = sight.scene.instance.supports(*claim).get(*support as usize);
                let on = chosen.map_or(&[][..], |chosen| &chosen.on);
                self.open(on, index);
            }
            Event::Claimed { answers, .. } => {
                let nodes = self.levels.last_mut().map_or(&mut [][..], |level| level);
                for (node, answer) in nodes.iter_mut().zip(answers.as_slice()) {
                    node.claimed = Some(*answer);
                    node.touched = index;
                }
            }
            Event::Selected { place, .. } => {
                self.here = (self.levels.len() - 1, *place as usize);
                self.touch(index);
            }
            Event::Judged { answer, .. } => {
                if let Some(leaf) = self.here() {
                    leaf.judged = Some(*answer);
                    leaf.touched = index;
                }
            }
            Event::Entered { .. } | Event::Betted { .. } | Event::Gated { .. } => {
                self.touch(index);
            }
            Event::Parts { on, .. } => self.open(on, index),
            Event::Gave { ask, bits } => {
                let claim = match ask {
                    Ask::Block { claim, .. } => Some(*claim),
                    _ => None,
                };
                // A transcript belongs to its steps; here it is enough that there is one.
                let text = match ask {
                    Ask::Transcript { .. } => format!("{} bits", bits.len()),
                    _ => in_columns(bits, BITS),
                };
                self.say(claim, index, |node| node.bits = Some(text));
            }
            Event::Challenged {
                step: Some(step),
                verifier,
            } => {
                let claim = step_claim(sight, *step, *verifier);
                self.say(claim, index, |node| node.pointed = true);
            }
            Event::Read {
                source: Source::Step(step),
                value,
                verifier,
            } => {
                // What stands nowhere in the tree is told in the transcript alone.
                let claim = step_claim(sight, *step, *verifier);
                if claim.is_some_and(|claim| self.find(claim).is_some()) {
                    let digit = u8::from(*value).to_string();
                    self.say(claim, index, |node| node.bits = Some(digit));
                }
            }
            Event::Checked { check, holds } => {
                let claim = match check {
                    Check::Step { step, verifier } => step_claim(sight, *step, *verifier),
                    _ => None,
                };
                // Of several checks of one claim the one that fails is the one that counts.
                self.say(claim, index, |node| {
                    node.checked = Some(node.checked.unwrap_or(true) && *holds);
                });
            }
            Event::GaveBit { .. }
            | Event::Shared { .. }
            | Event::Challenged { step: None, .. }
            | Event::Read { .. }
            | Event::Sampled { .. }
            | Event::Opened(_)
            | Event::Rewarded(_)
            | Event::Ended { .. } => {}
        }
    }

    /// The claim under discussion is what this entry is about.
    fn touch(&mut self, index: usize) {
        if let Some(node) = self.here() {
            node.touched = index;
        }
    }

    /// The claim that the pending request is about: a subclaim by its place, where it has one.
    fn asked(&self, sight: &Sight<'_, '_>) -> (usize, usize) {
        let last = self.levels.len() - 1;
        let by_place = |place: u32| (last, place as usize);
        match sight.state.request().map(|turn| turn.request) {
            Some(Request::Probability {
                place: Some(place), ..
            }) => by_place(place),
            Some(Request::Draw { claim, .. }) if last > 0 => self.levels[last]
                .iter()
                .position(|node| node.claim == claim && node.coin.is_none())
                .map_or(self.here, |index| (last, index)),
            _ => self.here,
        }
    }

    /// Depth first, without recursion: a chain of claims may be very long.
    fn into_outline(self, asked: (usize, usize), newest: &Range<usize>) -> Outline {
        let parent = |level: usize| self.parents.get(level).copied();
        let last = self.levels.len() - 1;
        let mark = |level: usize, index: usize, node: &Node| {
            let on_path = parent(level) == Some(index);
            if (level, index) == asked {
                Mark::Current
            } else if newest.contains(&node.touched) {
                Mark::Newest
            } else if on_path && level > 0 {
                Mark::Chosen
            } else if level < last && !on_path || self.here.0 == level && last == level && level > 0
            {
                Mark::Faint
            } else {
                Mark::Plain
            }
        };
        let mut rows = Vec::with_capacity(self.levels.iter().map(Vec::len).sum());
        let mut lines = vec![Lines::ROOT];
        let place = |level: usize, index: usize, lines: Lines| {
            let node = &self.levels[level][index];
            let fold = if parent(level) == Some(index) {
                Fold::Open
            } else {
                Fold::Leaf
            };
            Place {
                level,
                index,
                lines,
                fold,
                mark: mark(level, index, node),
            }
        };
        let own = |lines: &[Lines], level: usize, index: usize| match level.checked_sub(1) {
            None => Lines::ROOT,
            Some(above) => lines[above].child(index + 1 == self.levels[level].len()),
        };
        for (level, nodes) in self.levels.iter().enumerate() {
            let until = parent(level).map_or(nodes.len(), |index| index + 1);
            for index in 0..until.min(nodes.len()) {
                rows.push(place(level, index, own(&lines, level, index)));
            }
            if let Some(index) = parent(level).filter(|_| level > 0) {
                let next = own(&lines, level, index);
                lines.push(next);
            }
        }
        for (level, nodes) in self.levels.iter().enumerate().rev() {
            let from = parent(level).map_or(nodes.len(), |index| index + 1);
            for index in from..nodes.len() {
                rows.push(place(level, index, own(&lines, level, index)));
            }
        }
        let current = rows
            .iter()
            .position(|row| (row.level, row.index) == asked)
            .unwrap_or(0);
        Outline {
            levels: self.levels,
            rows,
            current,
        }
    }
}

/// The claim that a step of the problem's computation writes 1; the verifier's own steps have
/// none.
fn step_claim(sight: &Sight<'_, '_>, step: u64, verifier: bool) -> Option<ClaimId> {
    let instance = sight.scene.instance;
    let computation = instance.computation().filter(|_| !verifier)?;
    Some(instance.claim_of(computation.claim(step)))
}

/// The colours of the parties: Alice, Bob, the judge, chance.
pub(in crate::tui::screen) fn party(seat: Seat) -> crate::tui::theme::Role {
    crate::tui::theme::Role::Party(u8::try_from(seat.index()).unwrap_or(0))
}
