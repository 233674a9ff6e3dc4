//! What is kept on a long way, so that one can go back without starting anew.

/// Something is kept each time that so many steps have been made, to begin with.
const EVERY: usize = 32;

/// More than this is never kept: then every second one goes, and from there on they lie twice as
/// far apart.
const MOST: usize = 512;

/// What was kept after 0, n, 2n, … steps.
#[derive(Clone, Debug)]
pub(super) struct Milestones<T> {
    every: usize,
    kept: Vec<T>,
}

impl<T> Milestones<T> {
    /// The beginning of a way.
    pub(super) fn new(start: T) -> Self {
        Self {
            every: EVERY,
            kept: vec![start],
        }
    }

    /// Keeps what stands after so many steps where a milestone is due. To be offered after each.
    pub(super) fn offer(&mut self, steps: usize, here: impl FnOnce() -> T) {
        if steps != self.kept.len() * self.every {
            return;
        }
        self.kept.push(here());
        if self.kept.len() > MOST {
            let mut odd = false;
            self.kept.retain(|_| {
                odd = !odd;
                odd
            });
            self.every *= 2;
        }
    }

    /// The last milestone within so many steps, and after how many it stands.
    pub(super) fn before(&self, steps: usize) -> Option<(usize, &T)> {
        let place = (steps / self.every).min(self.kept.len().checked_sub(1)?);
        Some((place * self.every, self.kept.get(place)?))
    }

    /// Goes back to so many steps.
    pub(super) fn forget_after(&mut self, steps: usize) {
        self.kept.truncate(steps / self.every + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Walks so many steps on; each milestone is the number of its steps.
    fn walk(milestones: &mut Milestones<usize>, from: usize, to: usize) {
        for steps in from + 1..=to {
            milestones.offer(steps, || steps);
        }
    }

    #[test]
    fn every_place_of_a_long_way_has_a_milestone_not_far_before_it() {
        for length in [0, 31, 32, EVERY * MOST - 1, EVERY * MOST, 1_000_000] {
            let mut milestones = Milestones::new(0);
            walk(&mut milestones, 0, length);
            assert!(milestones.kept.len() <= MOST);
            let apart = EVERY.max(4 * length / MOST);
            for steps in (0..=length).step_by(1 + length / 1000) {
                let (at, kept) = milestones.before(steps).unwrap();
                assert_eq!(at, *kept);
                assert!(at <= steps && steps - at <= apart, "{at} {steps} {length}");
            }
        }
    }

    #[test]
    fn a_way_is_gone_anew_from_where_one_went_back_to() {
        let mut milestones = Milestones::new(0);
        walk(&mut milestones, 0, 100_000);
        for back in [70_003, 64, 63, 5, 0] {
            milestones.forget_after(back);
            let (at, kept) = milestones.before(back).unwrap();
            assert!(at <= back && at == *kept);
            walk(&mut milestones, back, 90_000);
            let (at, kept) = milestones.before(90_000).unwrap();
            assert!(at == *kept && 90_000 - at <= 1_000, "{at}");
        }
    }
}
