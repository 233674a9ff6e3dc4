//! Stability of gates and decompositions (PE Definition 5.3), and provability (PE Definition 5.2).
//!
//! A support is (ε, ρ)-stable at the truth if no estimator moves the gate's probability by ρε or more, as long as each
//! of its conditional probabilities is less than ε away from the truth. The worst such estimator is found by backward
//! induction over the outcomes so far. For gates that depend only on the number of true inputs, its effect has a closed
//! form.

mod survey;

use num_bigint::BigUint;
use num_traits::{FromPrimitive as _, One as _, ToPrimitive as _, Zero as _};

use crate::bits::low_binary_digits_highest_first;
use crate::gate::{Gate, MAX_TABLE_INPUTS};
use crate::number::{Exact, Number, power, to_u32_saturating};

pub use survey::{
    LeastStableSupport, MAX_CLAIMS, StabilitySurvey, UnsoundSupport, find_unsound_supports,
    first_leaf_with_proof_bits, survey,
};

/// Returns the lower bound on honest Alice's expected payoff on a stable decomposition that she can prove: (1 − ε) ·
/// r^(d+1) (PE Lemma A.5).
pub fn completeness_bound(epsilon: &Exact, ratio: &Exact, depth: u32) -> Exact {
    (Exact::ratio(1, 1) - epsilon) * power(ratio, depth + 1)
}

/// Returns the term (2d + 2) δ that PE Lemma A.4 adds to r^(d+1) · P[A = L], with the δ of PE Theorem 6.2: ε
/// r^(d+1)/(2d + 1). The proof needs the factor 2d + 2; the paper prints another factor.
pub fn soundness_offset(epsilon: &Exact, ratio: &Exact, depth: u32) -> Exact {
    let d = i64::from(depth);
    epsilon * power(ratio, depth + 1) * Exact::ratio(2 * d + 2, 2 * d + 1)
}

/// The largest change that errors of an estimator can cause in a gate's probability. Each subclaim's conditional
/// probability moves by less than ε and stays within [0, 1].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LargestGateShift<N> {
    /// P[gate = 1] under the given probabilities of the subclaims, that is, before an estimator changes them.
    pub base: N,
    /// The supremum of the increase.
    pub up: N,
    /// The supremum of the decrease.
    pub down: N,
    /// True if a permitted choice of probabilities shifts the gate by exactly [`Self::supremum_of_shift`]. False if
    /// shifts only come arbitrarily close to it.
    pub attained: bool,
}

impl<N: Number> LargestGateShift<N> {
    /// Returns the supremum of the shift in either direction: the larger of [`Self::up`] and [`Self::down`].
    pub fn supremum_of_shift(&self) -> &N {
        if self.up >= self.down {
            &self.up
        } else {
            &self.down
        }
    }

    /// True if every allowed shift is below `allowed_shift`, which is ρε in PE Definition 5.3.
    pub fn is_shift_below(&self, allowed_shift: &N) -> bool {
        self.supremum_of_shift() < allowed_shift
            || (self.supremum_of_shift() == allowed_shift && !self.attained)
    }
}

/// The conditional probabilities of a gate's subclaims, before an estimator shifts them.
#[derive(Clone, Copy)]
pub enum ConditionalSubclaimProbabilities<'p, N> {
    /// One probability per subclaim, which does not depend on the other subclaims' outcomes.
    Each(&'p [N]),
    /// The number of subclaims, and a function that returns a subclaim's probability given the outcomes of those before
    /// it.
    After(usize, &'p dyn Fn(&[bool]) -> N),
}

impl<N: Number> ConditionalSubclaimProbabilities<'_, N> {
    fn width(&self) -> usize {
        match self {
            Self::Each(each) => each.len(),
            Self::After(width, _) => *width,
        }
    }
}

/// Returns how far an estimator can shift a gate's probability, if its subclaims have the probabilities `given`. `None`
/// if the gate has another number of inputs. Also `None` if `given` is [`ConditionalSubclaimProbabilities::After`] for
/// more than [`MAX_TABLE_INPUTS`] subclaims.
pub fn largest_shift<N: Number>(
    gate: &Gate,
    given: ConditionalSubclaimProbabilities<'_, N>,
    epsilon: &N,
) -> Option<LargestGateShift<N>> {
    let width = given.width();
    gate.check_input_count(width).ok()?;
    let ways = matches!(given, ConditionalSubclaimProbabilities::Each(_));
    if !ways && width > MAX_TABLE_INPUTS as usize {
        return None;
    }
    let induction = Induction {
        gate,
        given,
        ways,
        epsilon,
    };
    Some(induction.reach())
}

/// Computes the largest change of a gate's probability that an estimator's errors can cause, by backward induction over
/// the outcomes of the gate's subclaims.
struct Induction<'p, N> {
    gate: &'p Gate,
    given: ConditionalSubclaimProbabilities<'p, N>,
    /// True if a state of the induction is the gate's tally of the outcomes so far, which suffices if no probability
    /// depends on other outcomes. False if a state is the full list of outcomes.
    ways: bool,
    epsilon: &'p N,
}

/// One state of the induction, in which the gate's first subclaims have certain outcomes. Contains the gate's true
/// probability and the range to which an estimator can move it. Each end of the range is marked true if it is attained.
#[derive(Clone)]
struct Node<N> {
    base: N,
    most: (N, bool),
    least: (N, bool),
}

impl<N: Number> Induction<'_, N> {
    fn reach(&self) -> LargestGateShift<N> {
        let width = self.given.width();
        let mut values: Vec<Node<N>> = (0..self.states(width)).map(|n| self.end(n)).collect();
        for seen in (0..width).rev() {
            let before = |number| {
                let [no, yes] = [false, true].map(|it| &values[self.then(seen, number, it)]);
                self.before(&self.p(seen, number), no, yes)
            };
            values = (0..self.states(seen)).map(before).collect();
        }
        let root = values.swap_remove(0);
        let up = root.most.0 - root.base.clone();
        let down = root.base.clone() - root.least.0;
        let attained = (up >= down && root.most.1) || (down >= up && root.least.1);
        LargestGateShift {
            base: root.base,
            up,
            down,
            attained,
        }
    }

    fn states(&self, seen: usize) -> usize {
        if self.ways {
            self.gate.distinct_tally_count(to_u32_saturating(seen))
        } else {
            1 << seen
        }
    }

    /// Returns the number of the state after one more outcome. It is the index of a tally, or the outcomes as a binary
    /// number, the first outcome as its most significant digit.
    fn then(&self, seen: usize, number: usize, outcome: bool) -> usize {
        if self.ways {
            let tally = self.gate.tally_from_index(to_u32_saturating(seen), number);
            self.gate
                .tally_index(self.gate.tally_with_outcome(tally, outcome))
        } else {
            2 * number + usize::from(outcome)
        }
    }

    /// Returns the node for a state in which the outcomes of all subclaims are known, so that the gate's value is
    /// fixed.
    fn end(&self, number: usize) -> Node<N> {
        let width = self.given.width();
        let value = N::indicator(if self.ways {
            self.gate
                .value_of_tally(self.gate.tally_from_index(to_u32_saturating(width), number))
        } else {
            self.gate
                .value_for_outcomes(low_binary_digits_highest_first(
                    number as u64,
                    to_u32_saturating(width),
                ))
        });
        Node {
            base: value.clone(),
            most: (value.clone(), true),
            least: (value, true),
        }
    }

    fn p(&self, seen: usize, number: usize) -> N {
        match &self.given {
            ConditionalSubclaimProbabilities::Each(each) => each[seen].clone(),
            ConditionalSubclaimProbabilities::After(_, p) => p(&low_binary_digits_highest_first(
                number as u64,
                to_u32_saturating(seen),
            )
            .collect::<Vec<_>>()),
        }
    }

    /// Computes the node of a state from the nodes after the next subclaim's outcomes `no` and `yes`. `p` is the
    /// probability of `yes`; an estimator may use any probability less than ε away from it.
    fn before(&self, p: &N, no: &Node<N>, yes: &Node<N>) -> Node<N> {
        let mix =
            |p: &N, no: &N, yes: &N| p.clone() * yes.clone() + (N::one() - p.clone()) * no.clone();
        let low = p.clone() - self.epsilon.clone();
        let high = p.clone() + self.epsilon.clone();
        // The ends of the open interval are not reachable, but 0 and 1 inside it are.
        let has_0 = low < N::zero();
        let has_1 = high > N::one();
        let low = if has_0 { N::zero() } else { low };
        let high = if has_1 { N::one() } else { high };
        let best = |no: &(N, bool), yes: &(N, bool), more: bool| {
            if no.0 == yes.0 {
                let reached = (yes.1 && (no.1 || has_1)) || (no.1 && has_0);
                (no.0.clone(), reached)
            } else if (yes.0 > no.0) == more {
                (mix(&high, &no.0, &yes.0), has_1 && yes.1)
            } else {
                (mix(&low, &no.0, &yes.0), has_0 && no.1)
            }
        };
        Node {
            base: mix(p, &no.base, &yes.base),
            most: best(&no.most, &yes.most, true),
            least: best(&no.least, &yes.least, false),
        }
    }
}

/// Returns how far an estimator can move a gate's probability from the truth, if `ones` of `width` subclaims are true:
/// the probability that enough subclaims err to flip the gate, each with probability ε. Only for gates that depend on
/// the number of true inputs.
///
/// A threshold gate moves furthest if every subclaim that blocks the flip errs. Under `Xor` one error is enough, so the
/// estimator stops after one.
fn counted(gate: &Gate, width: u32, ones: u32, epsilon: &Exact) -> Exact {
    let Some(least) = threshold(gate, width) else {
        // Under `Not` there is only one outcome.
        return at_least(1, width, epsilon);
    };
    if ones >= least {
        at_least(ones - least + 1, ones, epsilon)
    } else {
        at_least(least - ones, width - ones, epsilon)
    }
}

/// Returns the gate's threshold: the least number of true inputs that makes it true; `None` for a gate without a
/// threshold.
fn threshold(gate: &Gate, width: u32) -> Option<u32> {
    match gate {
        Gate::All => Some(width),
        Gate::Any => Some(1),
        Gate::Majority => Some(width / 2 + 1),
        Gate::AtLeast(least) => Some(*least),
        Gate::Not | Gate::Xor | Gate::Table(_) | Gate::OfMajorities { .. } => None,
    }
}

/// Returns P[at least `least` of `count` independent events of probability p].
fn at_least(least: u32, count: u32, p: &Exact) -> Exact {
    if least > count {
        return Exact::ratio(0, 1);
    }
    if least == 0 {
        return Exact::ratio(1, 1);
    }
    // Computed in integers over one denominator: with p = a/b, the sum of C(n, j) aʲ (b − a)ⁿ⁻ʲ over bⁿ. Sums the
    // shorter of both tails.
    let other = 2 * u64::from(least) < u64::from(count);
    let (from, to) = if other {
        (0, least - 1)
    } else {
        (least, count)
    };
    let a = p.numer();
    let b = p.denom();
    let c = b - a;
    // Horner's rule from the last term down: the power of a in the first term is factored out, and each step multiplies
    // by a once and adds one binomial times a power of c.
    let mut binomials = vec![num_bigint::BigInt::from(1)];
    for j in 1..=to {
        let last = &binomials[binomials.len() - 1];
        binomials.push(last * (count - j + 1) / j);
    }
    let mut sum = num_bigint::BigInt::from(0);
    let mut right = num_traits::pow(c.clone(), (count - to) as usize);
    for j in (from..=to).rev() {
        sum = sum * a + &binomials[j as usize] * &right;
        right *= &c;
    }
    sum *= num_traits::pow(a.clone(), from as usize);
    let share = Exact::new(sum, num_traits::pow(b.clone(), count as usize));
    if other {
        Exact::ratio(1, 1) - share
    } else {
        share
    }
}

/// Returns how far an estimator can move the gate's probability from the truth, if each of its probabilities is less
/// than ε away from the subclaim's truth. `None` if the number of truths is wrong for the gate.
pub fn largest_shift_at_truths(gate: &Gate, truths: &[bool], epsilon: &Exact) -> Option<Exact> {
    gate.check_input_count(truths.len()).ok()?;
    if let Gate::OfMajorities { of, copies } = gate {
        let majorities: Vec<&[bool]> = truths.chunks(*copies as usize).collect();
        let agreed = |pieces: &&[bool]| pieces.iter().all(|truth| *truth == pieces[0]);
        if majorities.iter().all(agreed) {
            // If the pieces of every majority agree, the estimator can make a majority err with any probability up to a
            // limit. The limit is the probability of its error if each piece errs with probability ε.
            let most: Vec<bool> = majorities.iter().map(|pieces| pieces[0]).collect();
            return largest_shift_at_truths(of, &most, &majority_error((*copies).into(), epsilon));
        }
    }
    if !gate.ignores_subclaim_order() {
        let each: Vec<Exact> = truths.iter().copied().map(Exact::indicator).collect();
        let shift = largest_shift(gate, ConditionalSubclaimProbabilities::Each(&each), epsilon)?;
        return Some(shift.supremum_of_shift().clone());
    }
    let ones = truths.iter().filter(|truth| **truth).count();
    Some(counted(
        gate,
        to_u32_saturating(truths.len()),
        to_u32_saturating(ones),
        epsilon,
    ))
}

/// The figures of PE Theorem 8.3 for ρ = 1/2: the numbers of gate inputs, of copies κ (pieces of evidence that replace
/// a subclaim), and of pieces of evidence for each claim.
///
/// All numbers of copies are odd, so that a majority has no ties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TheoremEvidenceCopyCounts {
    /// The number w of inputs of a gate: (8/ε)^c, rounded up.
    pub w: u64,
    /// κ by the first of the two expressions in the proof, 3 ln(2w/ε) / D(½ ‖ 1 − 3ε/2).
    pub printed_first: u64,
    /// κ by the second printed expression, 3 ln(2w/ε) / ln(1/(6ε(1 − 3ε/2))): half of the first, since D(½ ‖ 1 − 3ε/2)
    /// is half of that logarithm.
    pub printed_second: u64,
    /// The number κ that the proof of stability needs: 2 ln(2w/ε) / ln(1/(6ε(1 − 3ε/2))).
    pub needed: u64,
    /// The number q = wκ of inputs of a gate if κ pieces of evidence replace each subclaim, with κ =
    /// [`Self::printed_second`].
    pub q: BigUint,
    /// The number s = κ^d of pieces of evidence for each claim at depth d, with κ = [`Self::printed_second`].
    pub s: BigUint,
    /// The least κ, found by trying, that satisfies the proof's bound: the error probabilities of w majorities of κ
    /// inputs sum to at most ε/2, if each input errs independently with probability 3ε/2.
    pub least: u64,
}

/// Maximum number of copies that the search for the least number tries.
const MAX_COPIES: u64 = 20_001;

/// Returns the numbers of PE Theorem 8.3 for ε, depth d, and claims that can be checked in time n^c. Uses the bound
/// 3ε/2 that the paper's proof prints for the error of an input. `None` if ε is not positive, if that bound is ½ or
/// more, or if a size is too large.
pub fn evidence_copy_counts(
    epsilon: &Exact,
    time_exponent: u32,
    depth: u32,
) -> Option<TheoremEvidenceCopyCounts> {
    if *epsilon <= Exact::zero() || time_exponent > 16 {
        return None;
    }
    let w = power(&(Exact::ratio(8, 1) / epsilon), time_exponent)
        .ceil()
        .to_u64()?;
    let error = error_printed(epsilon);
    let half = Exact::ratio(1, 2);
    let odd = |times: f64| chernoff((epsilon, &half), &error, w, times);
    let printed_first = odd(6.0)?;
    let printed_second = odd(3.0)?;
    let needed = odd(2.0)?;
    let allowed = epsilon / Exact::ratio(2, 1) / Exact::from_integer(w.into());
    Some(TheoremEvidenceCopyCounts {
        w,
        printed_first,
        printed_second,
        needed,
        q: BigUint::from(w) * printed_second,
        s: num_traits::pow(BigUint::from(printed_second), depth as usize),
        least: least_odd(needed, |copies| majority_error(copies, &error) <= allowed)?,
    })
}

/// Returns the odd number of copies that the proof of PE Theorem 8.3 needs for (ε, ρ)-stable gates of `w` inputs: 2
/// ln(w/(ρε)) / ln(1/(6ε(1 − 3ε/2))).
///
/// The theorem is for ρ = 1/2, where the first logarithm is ln(2w/ε). For another ρ, the proof's union bound over w
/// majorities is compared with ρε instead of ε/2. If ε ≥ 1/3, the bound 3ε/2 on the error of an input is useless, so
/// the sharper ε + ε/(4n) of equation (27) is used; `prize` is 1/n. `None` if that is ½ or more as well.
pub fn copies_required_by_proof(
    (epsilon, rho): (&Exact, &Exact),
    prize: &Exact,
    w: u64,
) -> Option<u64> {
    let printed = error_printed(epsilon);
    let error = if printed < Exact::ratio(1, 2) {
        printed
    } else {
        epsilon + epsilon * prize / Exact::ratio(4, 1)
    };
    chernoff((epsilon, rho), &error, w, 2.0)
}

/// Returns the two numbers of copies that the paper prints in the proof of Theorem 8.3 for (ε, 1/2)-stable gates of
/// `gate_inputs` inputs. Both are rounded up to odd numbers, the greater is first: 3 ln(2w/ε) / D(½ ‖ 1 − 3ε/2) and 3
/// ln(2w/ε) / ln(1/(6ε(1 − 3ε/2))). `None` unless 0 < ε < 1/3.
pub fn evidence_copies_by_printed_formulas(epsilon: &Exact, gate_inputs: u64) -> Option<[u64; 2]> {
    let error = error_printed(epsilon);
    let half = Exact::ratio(1, 2);
    let printed = |times| chernoff((epsilon, &half), &error, gate_inputs, times);
    Some([printed(6.0)?, printed(3.0)?])
}

/// Returns 3ε/2, the bound on the error of an input in the paper's proof.
fn error_printed(epsilon: &Exact) -> Exact {
    epsilon * Exact::ratio(3, 2)
}

/// Returns a number of pieces of evidence by a Chernoff bound: the least odd number that is at least `times` ·
/// ln(w/(ρε)) / ln(1/(4e(1 − e))). e is `error`, and the constant factor `times` differs between the paper's formulas.
/// `None` unless 0 < e < ½ and ρ > 0, or if the number is too large.
fn chernoff((epsilon, rho): (&Exact, &Exact), error: &Exact, w: u64, times: f64) -> Option<u64> {
    if *error <= Exact::zero() || *error >= Exact::ratio(1, 2) || *rho <= Exact::zero() {
        return None;
    }
    let wide = Exact::from_integer(w.into());
    let log = (wide / (rho * epsilon)).to_float().ln();
    let four = Exact::ratio(4, 1) * error * (Exact::one() - error);
    let least = (times * log / -four.to_float().ln()).ceil().to_u64()?;
    Some(least | 1)
}

/// Searches for the least odd number of independent pieces of evidence per subclaim that makes these supports stable:
/// an estimator can move none of them by more than `allowed`, which is ρε. A majority of the pieces replaces each
/// subclaim. The estimator may err with probability ε on each piece, and a majority errs if more than half of its
/// pieces do. `None` if more than 2047 pieces are needed, or if the search needs numbers of more than 8,192 digits.
pub fn copies_for_supports(
    supports: &[(Gate, Vec<bool>)],
    epsilon: &Exact,
    allowed: &Exact,
) -> Option<u64> {
    let fits_by = |error: &Exact| {
        supports.iter().all(|(gate, truths)| {
            largest_shift_at_truths(gate, truths, error).is_some_and(|moved| moved <= *allowed)
        })
    };
    let digits = (epsilon.numer().bits() + epsilon.denom().bits()) * 3 / 10;
    // The shift of a support grows with the error of its majorities. Two short numbers that enclose the error therefore
    // nearly always decide the comparison, without exact arithmetic on long numbers.
    let fits = |copies: u64| {
        let [least, most] = majority_error_near(copies, epsilon.to_float());
        if fits_by(&most) {
            return Some(true);
        }
        if !fits_by(&least) {
            return Some(false);
        }
        (digits * copies <= MAX_TRIED_DIGITS).then(|| fits_by(&majority_error(copies, epsilon)))
    };
    let mut high = 1;
    while !fits(high)? {
        high = 2 * high + 1;
        if high > MAX_TRIED {
            return None;
        }
    }
    let mut is_known = true;
    let least = least_odd(high, |copies| {
        fits(copies).unwrap_or_else(|| {
            is_known = false;
            true
        })
    });
    least.filter(|_| is_known)
}

/// Returns a lower and an upper bound on [`majority_error`], with at most 18 decimal places.
fn majority_error_near(copies: u64, error: f64) -> [Exact; 2] {
    /// A relative margin above the rounding error of a floating-point product of [`MAX_TRIED`] factors.
    const MARGIN: f64 = 1e-9;
    const UNIT: f64 = 1e18;
    let [wrong, right] = [error.ln(), (-error).ln_1p()];
    let mut sum = 0.0;
    // The logarithm of the number of ways to choose the `wrongs` pieces that err.
    let mut ways = 0.0;
    for (wrongs, rights) in (0..=copies).map(|wrongs| (wrongs, copies - wrongs)) {
        if wrongs > copies / 2 {
            let [wrongs, rights] = [wrongs, rights].map(as_float);
            sum += (ways + wrongs * wrong + rights * right).exp();
        }
        ways += (as_float(rights) / as_float(wrongs + 1)).ln();
    }
    let units = |value: f64| {
        let whole = num_bigint::BigInt::from_f64(value).unwrap_or_default();
        Exact::new(whole, num_bigint::BigInt::from(10_u64.pow(18)))
    };
    let least = (sum * (1.0 - MARGIN) * UNIT).floor();
    let most = (sum * (1.0 + MARGIN) * UNIT).ceil() + 1.0;
    [units(least), units(most.min(UNIT))]
}

/// Converts a number of pieces of evidence to floating point, which is exact for numbers up to [`MAX_TRIED`] + 1.
fn as_float(count: u64) -> f64 {
    f64::from(to_u32_saturating(count))
}

/// Maximum number of digits of a number when the search computes exactly.
const MAX_TRIED_DIGITS: u64 = 8_192;

/// Maximum number of pieces of evidence per subclaim that the search tries.
const MAX_TRIED: u64 = 2047;

/// Returns the probability that a majority of `copies` inputs is wrong, if each input is wrong independently with the
/// probability `error`.
pub fn majority_error(copies: u64, error: &Exact) -> Exact {
    let copies = to_u32_saturating(copies);
    at_least(copies / 2 + 1, copies, error)
}

/// Searches for the least odd number up to `holds` that satisfies the condition `fits`. `None` if `holds` is above
/// [`MAX_COPIES`]. The number `holds` must satisfy the condition, and if a number satisfies the condition, all larger
/// numbers must.
fn least_odd(holds: u64, mut fits: impl FnMut(u64) -> bool) -> Option<u64> {
    if holds > MAX_COPIES {
        return None;
    }
    // Searches over k for the odd numbers 2k + 1.
    let mut low = 0;
    let mut high = holds / 2;
    while low < high {
        let middle = u64::midpoint(low, high);
        if fits(2 * middle + 1) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Some(2 * low + 1)
}
