//! Computes what follows from the probability that Alice states in one step of a stochastic debate: the probabilities
//! that Bob objects, that Alice then wins, and that the debate continues with a bit 0 or 1.

use num_traits::{One as _, Zero as _};

use super::samples::AcceptanceWindow;
use super::samples::{OnesCountDistribution, OnesCountDistributionNumber, at_most_one};
use debate_core::number::{Exact, Number as _};

/// The rule by which Bob objects to the probability that Alice states.
#[derive(Debug)]
pub(super) enum StochasticObjectionRule<'t, N> {
    /// Bob objects if the mean of his own samples is too far from the stated probability.
    Tested(&'t AcceptanceWindow, &'t OnesCountDistribution<N>),
    /// Bob objects with this fixed probability, whatever Alice states.
    Fixed(N),
    /// Bob objects wrongly: he objects exactly if the stated probability is closer to the true one than a limit. The
    /// fields are the truth and the limit.
    Near(&'t Exact, &'t Exact),
    /// Bob objects if this leaves Alice a smaller probability of winning than continuing.
    BestReply,
}

/// The rule that derives the coin's probability of 1 from the probability that Alice states.
#[derive(Clone, Copy, Debug)]
pub enum CoinFromStatedProbabilityRule {
    /// The coin's probability of 1 is the probability that Alice states.
    Trusted,
    /// Two players contribute one half of the coin each. Their sum is the middle of one of this number of equal parts
    /// of the interval from 0 to 1. The bit is 1 if the sum is at most the stated probability.
    Shared(u64),
}

impl CoinFromStatedProbabilityRule {
    pub(super) fn probability_of_one(self, stated_number: &Exact) -> Exact {
        self.rounded(stated_number, |parts| (parts + Exact::ratio(1, 2)).floor())
    }

    /// Returns the value of [`Self::probability_of_one`] for stated probabilities just below `stated_number`.
    pub(super) fn probability_of_one_for_stated_just_below(self, stated_number: &Exact) -> Exact {
        self.rounded(stated_number, |parts| (parts - Exact::ratio(1, 2)).ceil())
    }

    /// Rounds a stated probability to a multiple of one part; under `Trusted`, returns it unchanged. `whole` rounds the
    /// number of parts.
    fn rounded(self, word: &Exact, whole: impl Fn(Exact) -> Exact) -> Exact {
        let Self::Shared(parts) = self else {
            return word.clone();
        };
        let all = Exact::from_integer(parts.into());
        whole(word * &all).max(Exact::zero()).min(all.clone()) / all
    }

    /// Returns the probability that the coin gives 1 if Alice states the mean `ones / of` of her samples.
    pub(super) fn probability_of_one_for_mean<N: OnesCountDistributionNumber>(
        self,
        ones: u64,
        of: u64,
    ) -> N {
        let Self::Shared(parts) = self else {
            return N::share(ones, of);
        };
        // ⌊ones · parts / of + 1/2⌋.
        let (ones, of, all) = (u128::from(ones), u128::from(of), u128::from(parts));
        let count = ((2 * ones * all + of) / (2 * of)).min(all);
        N::share(u64::try_from(count).unwrap_or(parts), parts)
    }
}

/// The outcomes of a step with their probabilities.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct DebateStepOutcomeProbabilities<N> {
    /// The probability that Bob objects.
    pub(super) objects: N,
    /// The probability that Bob objects and the verifier accepts the stated probability, so Alice wins.
    pub(super) wins: N,
    /// The probabilities that Bob does not object and the bit is 0, and that he does not object and the bit is 1.
    pub(super) continues: [N; 2],
}

impl<N: OnesCountDistributionNumber> DebateStepOutcomeProbabilities<N> {
    /// Returns the outcomes of a step in which the bit is 1 with probability `one`. The bit is independent of Bob's
    /// objection and of the verifier's check.
    fn of(objects: N, passes: &N, one: &N) -> Self {
        let stays = N::one() - objects.clone();
        Self {
            wins: objects.clone() * passes.clone(),
            continues: [
                stays.clone() * (N::one() - one.clone()),
                stays * one.clone(),
            ],
            objects,
        }
    }

    pub(super) fn add_weighted_outcome(&mut self, probability: &N, more: Self) {
        self.objects += probability.clone() * more.objects;
        self.wins += probability.clone() * more.wins;
        for (sum, more) in self.continues.iter_mut().zip(more.continues) {
            *sum += probability.clone() * more;
        }
    }

    /// Returns the probability that Alice wins the debate. `win_after_bit` has her probabilities of winning after a 0
    /// and after a 1.
    pub(super) fn prover_win_probability(&self, win_after_bit: &[N; 2]) -> N {
        let [no, yes] = win_after_bit;
        let [zero, one] = &self.continues;
        self.wins.clone() + zero.clone() * no.clone() + one.clone() * yes.clone()
    }
}

/// A step of the debate, with everything that determines the outcome of the probability that Alice states.
#[derive(Debug)]
pub(super) struct StochasticDebateStepModel<'t, N> {
    pub(super) objects: StochasticObjectionRule<'t, N>,
    pub(super) window: &'t AcceptanceWindow,
    /// The distribution of the number of ones among the verifier's samples.
    pub(super) law: &'t OnesCountDistribution<N>,
    pub(super) coin: CoinFromStatedProbabilityRule,
    /// True if Bob sees the step's bit before he decides whether to object.
    pub(super) sees: bool,
    /// The probabilities that Alice wins the debate after a bit of 0, and after a bit of 1.
    pub(super) after: [N; 2],
}

impl<N: OnesCountDistributionNumber> StochasticDebateStepModel<'_, N> {
    /// Returns the outcome of the step if Alice states the probability `stated_number`.
    pub(super) fn outcome_of_stated_probability(
        &self,
        stated_number: &Exact,
    ) -> DebateStepOutcomeProbabilities<N> {
        let passes = N::one()
            - self
                .law
                .probability_outside(&self.window.accepted_counts(stated_number));
        let one = N::from_exact(&self.coin.probability_of_one(stated_number));
        let objects = match &self.objects {
            StochasticObjectionRule::Tested(window, law) => {
                law.probability_outside(&window.accepted_counts(stated_number))
            }
            StochasticObjectionRule::Fixed(chance) => chance.clone(),
            StochasticObjectionRule::Near(truth, limit) => {
                let off = stated_number - *truth;
                N::indicator(off < **limit && -off < **limit)
            }
            StochasticObjectionRule::BestReply => {
                return self.outcome_against_best_reply(&passes, &one);
            }
        };
        DebateStepOutcomeProbabilities::of(objects, &passes, &one)
    }

    /// Returns the outcome of the step if Bob gives his best reply. He decides after the coin is thrown if `sees` is
    /// true (the rules of the paper), and before it otherwise.
    pub(super) fn outcome_against_best_reply(
        &self,
        pass_probability: &N,
        probability_of_one: &N,
    ) -> DebateStepOutcomeProbabilities<N> {
        let [no, yes] = &self.after;
        let zero = N::one() - probability_of_one.clone();
        if !self.sees {
            let rest = zero * no.clone() + probability_of_one.clone() * yes.clone();
            return DebateStepOutcomeProbabilities::of(
                N::indicator(*pass_probability < rest),
                pass_probability,
                probability_of_one,
            );
        }
        let mut outcome = DebateStepOutcomeProbabilities::default();
        for (bit, (chance, rest)) in [(zero, no), (probability_of_one.clone(), yes)]
            .into_iter()
            .enumerate()
        {
            if pass_probability < rest {
                outcome.wins += chance.clone() * pass_probability.clone();
                outcome.objects += chance;
            } else {
                outcome.continues[bit] = chance;
            }
        }
        outcome
    }

    /// Returns the outcome of the step if Alice states the mean of `samples` samples, whose number of ones has this
    /// distribution.
    pub(super) fn outcome_of_mean(
        &self,
        samples: u64,
        law: &OnesCountDistribution<N>,
    ) -> DebateStepOutcomeProbabilities<N> {
        let verifier = self.window.acceptance_window_for_mean_of_samples(samples);
        let bob = match &self.objects {
            StochasticObjectionRule::Tested(window, law) => {
                Some((window.acceptance_window_for_mean_of_samples(samples), law))
            }
            _ => None,
        };
        // The means near the truth, as whole numbers of ones.
        let near = match &self.objects {
            StochasticObjectionRule::Near(truth, limit) => {
                AcceptanceWindow::window_for_tolerance(samples, limit).accepted_counts(truth)
            }
            _ => 0..0,
        };
        let mut sum = DebateStepOutcomeProbabilities::default();
        for (ones, chance) in law
            .probabilities_by_count()
            .filter(|(_, chance)| !chance.is_zero())
        {
            let passes = N::one()
                - self
                    .law
                    .probability_outside(&verifier.accepted_one_counts(ones));
            let one: N = self.coin.probability_of_one_for_mean(ones, samples);
            let objects = match (&self.objects, &bob) {
                (_, Some((window, law))) => {
                    law.probability_outside(&window.accepted_one_counts(ones))
                }
                (StochasticObjectionRule::Fixed(objects), _) => objects.clone(),
                (StochasticObjectionRule::BestReply, _) => {
                    sum.add_weighted_outcome(
                        chance,
                        self.outcome_against_best_reply(&passes, &one),
                    );
                    continue;
                }
                _ => N::indicator(near.contains(&ones)),
            };
            sum.add_weighted_outcome(
                chance,
                DebateStepOutcomeProbabilities::of(objects, &passes, &one),
            );
        }
        sum
    }
}

/// Alice's best reply.
#[derive(Clone, Debug)]
pub(super) struct BestProverReply<N> {
    /// The outcome of the best stated probability. If only a limit is best, the limit of the outcomes.
    pub(super) outcome: DebateStepOutcomeProbabilities<N>,
    /// The best probability for Alice to state. If only a limit is best, a probability very near to it.
    pub(super) word: Exact,
    value: N,
}

/// An open interval of stated probabilities.
struct OpenInterval {
    low: Exact,
    high: Exact,
    /// The ranges in which the bounds of the verifier's acceptance window vary over these stated probabilities; `bob`
    /// has those of Bob's test.
    verifier: Bounds,
    bob: Option<Bounds>,
}

/// For each bound of an acceptance window, the range in which it varies over an interval of stated probabilities.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Bounds {
    start: (u64, u64),
    end: (u64, u64),
}

impl Bounds {
    fn of(window: &AcceptanceWindow, low: &Exact, high: &Exact) -> Self {
        Self {
            start: (
                window.least_accepted_count(low),
                window.least_accepted_count_just_below(high),
            ),
            end: (
                window.least_too_large_count_for_stated_just_above(low),
                window.least_too_large_count(high),
            ),
        }
    }

    /// Returns a lower and an upper bound on the probability that the samples' mean is outside the acceptance window.
    /// The bounds hold for all stated probabilities in the interval.
    fn outside<N: OnesCountDistributionNumber>(&self, law: &OnesCountDistribution<N>) -> (N, N) {
        let least =
            law.probability_of_fewer(self.start.0) + law.probability_of_at_least(self.end.1);
        let most = law.probability_of_fewer(self.start.1) + law.probability_of_at_least(self.end.0);
        (at_most_one(least), at_most_one(most))
    }

    /// Returns the number of stated probabilities in the interval at which a bound of the window changes, and the
    /// middle one of them. Uses the bound with more changes; `None` if neither bound changes.
    fn middle(&self, window: &AcceptanceWindow) -> Option<(u64, Exact)> {
        let moves = |(low, high): (u64, u64)| high.saturating_sub(low);
        let starts = moves(self.start);
        let ends = moves(self.end);
        if starts == 0 && ends == 0 {
            None
        } else if starts >= ends {
            Some((
                starts,
                window.least_probability_rejecting_as_too_few(self.start.0 + (starts - 1) / 2),
            ))
        } else {
            Some((
                ends,
                window.greatest_probability_rejecting_as_too_many(self.end.0 + (ends - 1) / 2),
            ))
        }
    }
}

/// The end of an open interval is replaced by a point inside it, at this fraction of the interval's width from the end:
/// 1 divided by the constant.
const INVERSE_DISTANCE_FROM_OPEN_END: i64 = 1 << 24;

impl<N: OnesCountDistributionNumber> StochasticDebateStepModel<'_, N> {
    /// Returns Alice's best reply among the given probabilities, the first one if several are best; `None` if none is
    /// given.
    pub(super) fn best_reply_among<'g>(
        &self,
        word: impl IntoIterator<Item = &'g Exact>,
    ) -> Option<BestProverReply<N>> {
        let mut best: Option<BestProverReply<N>> = None;
        for word in word {
            let outcome = self.outcome_of_stated_probability(word);
            let value = outcome.prover_win_probability(&self.after);
            if best.as_ref().is_none_or(|best| value > best.value) {
                let word = word.clone();
                best = Some(BestProverReply {
                    outcome,
                    word,
                    value,
                });
            }
        }
        best
    }

    /// Returns the best of all probabilities that Alice may state, if Bob is not a best response. Her probability of
    /// winning is monotone between the probabilities at which a test's verdict changes. There may be millions of such
    /// intervals. An interval is skipped if an upper bound on its value does not exceed the best value so far.
    ///
    /// `tick` is called once at the start, and once for each interval that is searched.
    pub(super) fn best<E>(
        &self,
        mut tick: impl FnMut() -> Result<(), E>,
    ) -> Result<Option<BestProverReply<N>>, E> {
        let mut marks = vec![Exact::zero(), Exact::one()];
        if let StochasticObjectionRule::Near(truth, limit) = &self.objects {
            marks.extend([*truth - *limit, *truth + *limit]);
            marks.retain(|mark| *mark >= Exact::zero() && *mark <= Exact::one());
            marks.sort();
            marks.dedup();
        }
        tick()?;
        let Some(mut best) = self.best_reply_among(&marks) else {
            return Ok(None);
        };
        let mut open: Vec<(N, OpenInterval)> = Vec::new();
        for pair in marks.windows(2) {
            if let [low, high] = pair {
                open.push(self.bounded(low, high));
            }
        }
        while let Some((bound, between)) = open.pop() {
            if bound <= best.value {
                continue;
            }
            tick()?;
            let Some(middle) = self.middle(&between) else {
                let there = self.best_at_an_end(&between);
                if there.value > best.value {
                    best = there;
                }
                continue;
            };
            if let Some(there) = self.best_reply_among([&middle])
                && there.value > best.value
            {
                best = there;
            }
            let low = self.bounded(&between.low, &middle);
            let high = self.bounded(&middle, &between.high);
            // The better interval is searched first, so that more of the other can be skipped.
            if low.0 < high.0 {
                open.extend([low, high]);
            } else {
                open.extend([high, low]);
            }
        }
        Ok(Some(best))
    }

    fn middle(&self, between: &OpenInterval) -> Option<Exact> {
        let verifier = between.verifier.middle(self.window);
        let bob = match (&self.objects, &between.bob) {
            (StochasticObjectionRule::Tested(window, _), Some(bounds)) => bounds.middle(window),
            _ => None,
        };
        let most = verifier
            .into_iter()
            .chain(bob)
            .max_by_key(|(count, _)| *count);
        most.map(|(_, middle)| middle)
    }

    /// Returns the probabilities that the step's coin gives 1 at the two ends of an interval of stated probabilities,
    /// as limits from inside.
    fn ends(&self, between: &OpenInterval) -> [N; 2] {
        let low = self.coin.probability_of_one(&between.low);
        let high = self
            .coin
            .probability_of_one_for_stated_just_below(&between.high);
        [low, high].map(|one| N::from_exact(&one))
    }

    fn rest(&self, one: &N) -> N {
        let [no, yes] = &self.after;
        (N::one() - one.clone()) * no.clone() + one.clone() * yes.clone()
    }

    /// Returns a lower and an upper bound on the probability that Bob objects. The bounds hold for all stated
    /// probabilities in the interval.
    fn objections(&self, between: &OpenInterval) -> (N, N) {
        match (&self.objects, &between.bob) {
            (StochasticObjectionRule::Tested(_, law), Some(bounds)) => bounds.outside(law),
            (StochasticObjectionRule::Fixed(chance), _) => (chance.clone(), chance.clone()),
            (StochasticObjectionRule::Near(truth, limit), _) => {
                let middle = (&between.low + &between.high) / Exact::ratio(2, 1);
                let off = middle - *truth;
                let near = N::indicator(off < **limit && -off < **limit);
                (near.clone(), near)
            }
            _ => (N::zero(), N::one()),
        }
    }

    /// Returns the interval between two probabilities that Alice may state, and an upper bound on her probability of
    /// winning with any number in it.
    fn bounded(&self, low: &Exact, high: &Exact) -> (N, OpenInterval) {
        let between = OpenInterval {
            verifier: Bounds::of(self.window, low, high),
            bob: match &self.objects {
                StochasticObjectionRule::Tested(window, _) => Some(Bounds::of(window, low, high)),
                _ => None,
            },
            low: low.clone(),
            high: high.clone(),
        };
        let passes = N::one() - between.verifier.outside(self.law).0;
        let [first, last] = self.ends(&between).map(|one| self.rest(&one));
        let rest = if first > last { first } else { last };
        let (least, most) = self.objections(&between);
        let value =
            |objects: N| objects.clone() * passes.clone() + (N::one() - objects) * rest.clone();
        let some = value(least);
        let more = value(most);
        (if some > more { some } else { more }, between)
    }

    /// Returns Alice's best reply in an interval in which no test's verdict changes, only the coin's probability.
    fn best_at_an_end(&self, between: &OpenInterval) -> BestProverReply<N> {
        let passes = N::one() - between.verifier.outside(self.law).0;
        let objects = self.objections(between).0;
        let [first, last] = self.ends(between);
        let part = (&between.high - &between.low) / Exact::ratio(INVERSE_DISTANCE_FROM_OPEN_END, 1);
        let (one, word) = if self.rest(&first) > self.rest(&last) {
            (first, &between.low + part)
        } else {
            (last, &between.high - part)
        };
        let outcome = DebateStepOutcomeProbabilities::of(objects, &passes, &one);
        BestProverReply {
            value: outcome.prover_win_probability(&self.after),
            outcome,
            word,
        }
    }
}
