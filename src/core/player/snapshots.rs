//! Copies of what stands on a long way, kept so that going back does not begin at the start.

/// Steps between two snapshots where they lie closest.
const EVERY: usize = 32;

/// Snapshots lie no further apart than this part of the distance back to them.
const PART: usize = 8;

/// Snapshots after some numbers of steps: close together near the end, further apart the further
/// back they lie. Of n steps there are O(log n), and going back by d steps from the furthest place
/// begins at one that lies at most max([`EVERY`], d / 7) before; whoever goes back leaves snapshots
/// as close together before the new place.
#[derive(Clone, Debug)]
pub(super) struct Snapshots<T> {
    start: T,
    /// Each with the number of steps that were made before it, rising.
    later: Vec<(usize, T)>,
}

impl<T> Snapshots<T> {
    pub(super) fn new(start: T) -> Self {
        Self {
            start,
            later: Vec::new(),
        }
    }

    pub(super) fn start(&self) -> &T {
        &self.start
    }

    /// Keeps what stands after so many steps where a snapshot is due. To be offered after each.
    pub(super) fn offer(&mut self, steps: usize, here: impl FnOnce() -> T) {
        let newest = self.later.last().map_or(0, |(at, _)| *at);
        if !steps.is_multiple_of(EVERY) || steps <= newest {
            return;
        }
        self.later
            .retain(|(at, _)| at.is_multiple_of(spacing(steps - at)));
        self.later.push((steps, here()));
    }

    /// The last snapshot before so many steps were made, and after how many it stands.
    pub(super) fn before(&self, steps: usize) -> (usize, &T) {
        let place = self.later.partition_point(|(at, _)| *at < steps);
        let found = place.checked_sub(1).and_then(|last| self.later.get(last));
        found.map_or((0, &self.start), |(at, kept)| (*at, kept))
    }

    /// Forgets what stood after more than so many steps.
    pub(super) fn forget_after(&mut self, steps: usize) {
        let place = self.later.partition_point(|(at, _)| *at <= steps);
        self.later.truncate(place);
    }
}

/// The spacing of snapshots at this distance back: [`EVERY`], doubled as often as they lie
/// within one part of the distance. It never falls as the distance grows, so what is due at one
/// distance was due at every shorter one.
fn spacing(distance: usize) -> usize {
    let parts = distance / (EVERY * PART);
    EVERY << parts.checked_ilog2().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Goes so many steps on; each snapshot is the number of its steps.
    fn walk(snapshots: &mut Snapshots<usize>, from: usize, to: usize) {
        for steps in from + 1..=to {
            snapshots.offer(steps, || steps);
        }
    }

    /// A snapshot lies not far before any place, if the way once led to `furthest`.
    fn assert_close(snapshots: &Snapshots<usize>, length: usize, furthest: usize) {
        for back in (0..length).step_by(1 + length / 1000).chain([1, 31, 500]) {
            let steps = length.saturating_sub(back);
            let (at, kept) = snapshots.before(steps);
            assert_eq!(at, *kept);
            let near = EVERY.max((furthest - steps) / (PART - 1));
            assert!(steps == 0 || at < steps, "{at} {steps} {length}");
            assert!(steps - at <= near + 1, "{at} {steps} {length}");
        }
    }

    #[test]
    fn every_place_of_a_long_way_has_a_snapshot_not_far_before_it() {
        for length in [0, 31, 32, 33, 1024, 100_000, 1_000_000] {
            let mut snapshots = Snapshots::new(0);
            walk(&mut snapshots, 0, length);
            assert!(snapshots.later.len() <= 150, "{}", snapshots.later.len());
            assert_close(&snapshots, length, length);
        }
    }

    #[test]
    fn a_way_is_gone_anew_from_where_one_went_back_to() {
        let mut snapshots = Snapshots::new(0);
        walk(&mut snapshots, 0, 100_000);
        for back in [70_003, 64, 63, 5, 0] {
            let (from, _) = snapshots.before(back);
            snapshots.forget_after(from);
            walk(&mut snapshots, from, back);
            assert_close(&snapshots, back, 100_000);
            // Near the new place they lie as close as near the old one.
            let (at, _) = snapshots.before(back.saturating_sub(1));
            assert!(back - at <= EVERY + 1, "{at} {back}");
            walk(&mut snapshots, back, 100_000);
            assert_close(&snapshots, 100_000, 100_000);
        }
    }
}
