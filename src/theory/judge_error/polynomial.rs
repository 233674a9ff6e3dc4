//! Polynomials with rational coefficients, and their roots.

use debate_core::number::{Exact, Number as _};

/// A polynomial with rational coefficients, listed from the constant term on. The last coefficient is not 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Polynomial(pub(super) Vec<Exact>);

/// The negative binary exponent of an interval's width: an inexact root is enclosed in an interval of width 2^−40.
const HALVINGS: u32 = 40;

impl Polynomial {
    /// Creates the polynomial with these coefficients, listed from the constant term on.
    pub fn new(mut coefficients: Vec<Exact>) -> Self {
        while coefficients
            .last()
            .is_some_and(|last| *last == Exact::default())
        {
            coefficients.pop();
        }
        Self(coefficients)
    }

    /// Returns the polynomial of least degree through the given points, by Newton's divided differences. Their first
    /// coordinates must differ.
    pub fn polynomial_through_points(points: &[(Exact, Exact)]) -> Self {
        let mut differences: Vec<Exact> = points.iter().map(|(_, value)| value.clone()).collect();
        for order in 1..points.len() {
            for index in (order..points.len()).rev() {
                let rise = &differences[index] - &differences[index - 1];
                differences[index] = rise / (&points[index].0 - &points[index - order].0);
            }
        }
        let mut coefficients: Vec<Exact> = Vec::new();
        for (difference, (point, _)) in differences.iter().zip(points).rev() {
            // coefficients · (x − point) + difference
            let mut next = vec![Exact::default(); coefficients.len() + 1];
            for (power, coefficient) in coefficients.iter().enumerate() {
                next[power + 1] += coefficient;
                next[power] -= coefficient * point;
            }
            next[0] += difference;
            coefficients = next;
        }
        Self::new(coefficients)
    }

    /// Returns the value at `x`.
    pub fn value_at(&self, x: &Exact) -> Exact {
        let each = self.0.iter().rev();
        each.fold(Exact::default(), |sum, coefficient| sum * x + coefficient)
    }

    /// Returns two rationals that enclose the smallest root in the interval from 0 to 1. They are equal if the root is
    /// exact. `None` if there is no root there. For the zero polynomial, returns 0.
    pub fn first_root_in_unit_interval(&self) -> Option<(Exact, Exact)> {
        let mut low = Exact::ratio(0, 1);
        let mut high = Exact::ratio(1, 1);
        if self.value_at(&low) == Exact::default() {
            return Some((low.clone(), low));
        }
        if let [constant, slope] = &self.0[..] {
            let root = -constant / slope;
            let within = low <= root && root <= high;
            return within.then(|| (root.clone(), root));
        }
        let chain = self.sturm_chain();
        // Returns the number of roots that are above the first number and at most the second.
        let roots = |from: &Exact, to: &Exact| {
            sign_changes(&chain, from).saturating_sub(sign_changes(&chain, to))
        };
        if roots(&low, &high) == 0 {
            return None;
        }
        for _ in 0..HALVINGS {
            let middle = (&low + &high) / Exact::ratio(2, 1);
            if roots(&low, &middle) > 0 {
                high = middle;
            } else {
                low = middle;
            }
        }
        if self.value_at(&high) == Exact::default() {
            return Some((high.clone(), high));
        }
        Some((low, high))
    }

    /// Returns Sturm's chain of this polynomial: the polynomial, its derivative, and the negated remainders.
    fn sturm_chain(&self) -> Vec<Self> {
        let powers = self.0.iter().enumerate().skip(1);
        let derivative =
            powers.map(|(power, coefficient)| coefficient * Exact::from_integer(power.into()));
        let mut chain = vec![self.clone(), Self::new(derivative.collect())];
        while let [.., before, last] = &chain[..] {
            if last.0.is_empty() {
                chain.pop();
                break;
            }
            let rest = before.remainder(last);
            chain.push(Self::new(
                rest.0.iter().map(|coefficient| -coefficient).collect(),
            ));
        }
        chain
    }

    fn remainder(&self, by: &Self) -> Self {
        let mut rest = self.0.clone();
        while let (true, Some(leading)) = (rest.len() >= by.0.len(), by.0.last()) {
            let Some(top) = rest.last() else { break };
            let factor = top / leading;
            let shift = rest.len() - by.0.len();
            for (index, coefficient) in by.0.iter().enumerate() {
                rest[index + shift] -= &factor * coefficient;
            }
            rest.pop();
        }
        Self::new(rest)
    }
}

/// Returns the number of sign changes in a chain of polynomials at the point `x`.
fn sign_changes(chain: &[Polynomial], x: &Exact) -> usize {
    let values = chain.iter().map(|polynomial| polynomial.value_at(x));
    let signs: Vec<bool> = values
        .filter(|value| *value != Exact::default())
        .map(|value| value > Exact::default())
        .collect();
    signs.windows(2).filter(|pair| pair[0] != pair[1]).count()
}
