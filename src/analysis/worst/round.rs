//! One round: what the estimator had best say, subclaim by subclaim.

use crate::gate::Gate;
use crate::number::Number;
use crate::scenario::Support;

/// What a round is decided by. A word is a subclaim's place with a place in the grid: number
/// `place · grid + p` of the lists.
pub(super) struct Stage<'s, N> {
    pub(super) gate: &'s Gate,
    pub(super) width: usize,
    pub(super) grid: &'s [N],
    /// What Alice gets where the gate comes out true: A·w.
    pub(super) stake: N,
    /// How wrong each word is.
    pub(super) off: Vec<N>,
    /// What the rest is worth where Alice goes on with this word.
    pub(super) after: Vec<N>,
}

/// The best words of a round.
#[derive(Debug)]
pub(super) struct Round<N> {
    value: N,
    grid: usize,
    gate: Gate,
    /// How wrong each word is.
    off: Vec<N>,
    /// For each subclaim what to say, by what matters of the past.
    given: Vec<Layer>,
    /// The same of what is said of each subclaim on its own, before any coin.
    alone: Vec<Layer>,
}

/// What to say of a subclaim: by the coins so far, and by the most wrong word so far.
#[derive(Debug, Default)]
struct Layer {
    words: usize,
    best: Vec<u32>,
}

/// The most wrong word so far; nothing before the first.
type Leading = Option<usize>;

/// About how many steps a round takes.
pub(super) fn cost(support: &Support, grid: usize) -> u64 {
    let width = support.on.len();
    let each = |place: usize| {
        let words = (place * grid).max(1).saturating_mul(grid);
        let ways = support.gate.ways(u32::try_from(place).unwrap_or(u32::MAX));
        ways.saturating_mul(words)
    };
    (0..=width).map(each).fold(0, usize::saturating_add) as u64
}

impl<N: Number> Stage<'_, N> {
    /// In how many ways the coins of so many subclaims can matter.
    fn ways(&self, seen: usize) -> usize {
        self.gate.ways(small(seen))
    }

    /// The way the coins fell after one more.
    fn then(&self, seen: usize, way: usize, coin: bool) -> usize {
        let tally = self.gate.tally_of(small(seen), way);
        self.gate.way(self.gate.take(tally, coin))
    }

    /// What Alice gets by the gate once all coins have fallen so.
    fn outcome(&self, way: usize) -> N {
        if self.gate.holds(self.gate.tally_of(small(self.width), way)) {
            self.stake.clone()
        } else {
            N::zero()
        }
    }

    fn mean(p: &N, yes: &N, no: &N) -> N {
        if p.is_zero() {
            return no.clone();
        }
        p.clone() * yes.clone() + (N::one() - p.clone()) * no.clone()
    }

    /// The first of the least.
    fn least(values: impl Iterator<Item = N>) -> (u32, N) {
        let mut best: Option<(u32, N)> = None;
        for (place, value) in (0..).zip(values) {
            if best.as_ref().is_none_or(|(_, least)| value < *least) {
                best = Some((place, value));
            }
        }
        best.unwrap_or_else(|| (0, N::zero()))
    }

    /// Where what is carried on is what was said given the coins.
    pub(super) fn conditional(self) -> Round<N> {
        let grid = self.grid.len();
        let words = |place: usize| (place * grid).max(1);
        // After the last coin: by way and leading word.
        let mut next: Vec<N> = Vec::new();
        for way in 0..self.ways(self.width) {
            let outcome = self.outcome(way);
            let sum = |after: &N| outcome.clone() + after.clone();
            next.extend(self.after.iter().map(sum));
        }
        let mut given = Vec::new();
        for place in (0..self.width).rev() {
            let wide = words(place + 1);
            let mut layer = Layer {
                words: words(place),
                best: Vec::new(),
            };
            let mut here = Vec::new();
            for way in 0..self.ways(place) {
                let no = self.then(place, way, false) * wide;
                let yes = self.then(place, way, true) * wide;
                for leading in 0..words(place) {
                    let leading = (place > 0).then_some(leading);
                    let values = self.grid.iter().enumerate().map(|(p, chance)| {
                        let led = leader(&self.off, leading, place * grid + p);
                        Self::mean(chance, &next[yes + led], &next[no + led])
                    });
                    let (best, value) = Self::least(values);
                    layer.best.push(best);
                    here.push(value);
                }
            }
            given.push(layer);
            next = here;
        }
        given.reverse();
        self.finished(next.swap_remove(0), given, Vec::new())
    }

    /// Where what is carried on is what was said of each subclaim on its own: the coins decide the
    /// gate alone.
    pub(super) fn marginal(self) -> Round<N> {
        let grid = self.grid.len();
        let mut next: Vec<N> = (0..self.ways(self.width))
            .map(|way| self.outcome(way))
            .collect();
        let mut given = Vec::new();
        for place in (0..self.width).rev() {
            let mut layer = Layer {
                words: 1,
                best: Vec::new(),
            };
            let mut here = Vec::new();
            for way in 0..self.ways(place) {
                let (yes, no) = (self.then(place, way, true), self.then(place, way, false));
                let mean = |p: &N| Self::mean(p, &next[yes], &next[no]);
                let (best, value) = Self::least(self.grid.iter().map(mean));
                layer.best.push(best);
                here.push(value);
            }
            given.push(layer);
            next = here;
        }
        given.reverse();
        let coins = next.swap_remove(0);
        let mut next = self.after.clone();
        let mut alone = Vec::new();
        for place in (0..self.width).rev() {
            let words = (place * grid).max(1);
            let mut layer = Layer {
                words,
                best: Vec::new(),
            };
            let mut here = Vec::new();
            for leading in 0..words {
                let leading = (place > 0).then_some(leading);
                let led = |p| next[leader(&self.off, leading, place * grid + p)].clone();
                let (best, value) = Self::least((0..grid).map(led));
                layer.best.push(best);
                here.push(value);
            }
            alone.push(layer);
            next = here;
        }
        alone.reverse();
        let value = coins + next.swap_remove(0);
        self.finished(value, given, alone)
    }

    fn finished(self, value: N, given: Vec<Layer>, alone: Vec<Layer>) -> Round<N> {
        Round {
            value,
            grid: self.grid.len(),
            gate: self.gate.clone(),
            off: self.off,
            given,
            alone,
        }
    }
}

fn small(seen: usize) -> u32 {
    u32::try_from(seen).unwrap_or(u32::MAX)
}

/// Which word leads once another was said: the first of the most wrong ones.
fn leader<N: Number>(off: &[N], leading: Leading, said: usize) -> usize {
    match leading {
        Some(leading) if !off[said].exceeds(&off[leading]) => leading,
        _ => said,
    }
}

impl<N: Number> Round<N> {
    /// W: what the round and all after it are worth, but for −A·w·p.
    pub(super) fn value(&self) -> &N {
        &self.value
    }

    /// What to say next, by what is carried of what was said, and how the coins fell.
    pub(super) fn next(&self, said: &[usize], coins: &[bool], alone: bool) -> Option<usize> {
        let mut leading = None;
        for (place, p) in said.iter().enumerate() {
            leading = Some(leader(&self.off, leading, place * self.grid + p));
        }
        let (layer, way) = if alone {
            (self.alone.get(said.len())?, 0)
        } else {
            let tally = self.gate.tally(coins.iter().copied());
            (self.given.get(coins.len())?, self.gate.way(tally))
        };
        // Where the coins alone matter the leading word makes no difference.
        let leading = leading.filter(|_| layer.words > 1).unwrap_or(0);
        let best = layer.best.get(way * layer.words + leading)?;
        usize::try_from(*best).ok()
    }
}
