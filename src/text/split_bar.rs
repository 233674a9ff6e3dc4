//! The split bar: a picture of the estimates of one round. The bar of the round's claim is split into one piece for
//! each subclaim. A part drawn as a hole shows the gap between the claim's estimate and the values that the subclaims'
//! estimates allow.
//!
//! Under `All` each estimate takes a piece of doubt away from certainty, from the right. Under `Any` each estimate adds
//! a piece, from the left. The pieces add up exactly, because an estimate assumes that the coins before it have not
//! decided the claim. Under other gates estimates give no pieces, only the range that they allow.

use debate_core::gate::{EstimateConsistency, Gate, is_rounding_gap, is_visible_gap};
use debate_core::number::Exact;
use debate_core::protocol::{Log, Seat};
use debate_core::scenario::{ClaimId, Instance, Support};
use num_traits::{One as _, Zero as _};

use super::warnings::probability_range_in_words;
use super::{ViewerPerspective, in_percent, short_claim_labels};

/// A segment of a bar that shows probabilities from 0 to 1: the segment's two end points.
#[derive(Clone, Debug, PartialEq)]
pub struct ProbabilityBarSegment {
    pub from: Exact,
    pub to: Exact,
}

/// The end of the bar from which the segments of the subclaims are placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SplitBarSegmentsSide {
    /// `All`: pieces of doubt, from 100 % down.
    FromRight,
    /// `Any`: pieces of probability, from 0 up.
    FromLeft,
    /// Other gates: no pieces.
    NoPieces,
}

/// A subclaim of the picture.
#[derive(Clone, Debug, PartialEq)]
pub struct SplitBarSubclaim {
    /// A short text of the subclaim.
    pub label: String,
    /// The subclaim's estimate; `None` if it is not yet given.
    pub estimate: Option<Exact>,
    /// The segment of the bar that represents the subclaim. `None` without an estimate, after the coins have decided
    /// the claim, and under gates other than `All` and `Any`.
    pub part: Option<ProbabilityBarSegment>,
}

/// The estimates of one round as a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct EstimateSplitBar {
    /// A short text of the round's claim.
    pub label: String,
    /// The claim's own estimate.
    pub stated: Exact,
    pub order: SplitBarSegmentsSide,
    pub pieces: Vec<SplitBarSubclaim>,
    /// The least and the greatest probability of the claim that the subclaims' estimates so far allow.
    pub allowed: (Exact, Exact),
    /// True if the coins so far have decided the claim. Under `All`, only a coin that came up no decides it, and under
    /// `Any`, only a coin that came up yes.
    is_decided: bool,
}

/// The last round in which a claim was split, with the numbers of its subclaims so far.
struct EstimatedRound<'a> {
    claim: ClaimId,
    support: &'a Support,
    /// The claim's own estimate.
    stated: &'a Exact,
    estimates: Vec<&'a Exact>,
    coins: Vec<bool>,
}

impl<'a> EstimatedRound<'a> {
    /// Returns the last round. `None` if no claim was split, or if an estimate of the round ignores the coins.
    fn last(instance: &'a Instance, log: &'a Log<Exact>) -> Option<Self> {
        let mut entries = log.entries().iter();
        let at = entries.rposition(|entry| entry.event.claim_and_chosen_support().is_some())?;
        let (claim, support) = log.entries().get(at)?.event.claim_and_chosen_support()?;
        let support = instance.support(claim, support)?;
        let stated = log.claim_probability_before_entry(at, claim)?;
        let (estimates, coins) = log.estimates_and_coins_of_split(at)?;
        Some(Self {
            claim,
            support,
            stated,
            estimates,
            coins,
        })
    }
}

impl EstimateSplitBar {
    /// Creates the picture of the last round in which a claim was split. `draft` is the next estimate, which the user
    /// is still editing. `None` if no claim was split, or if an estimate of the round ignores the coins.
    pub fn of_last_round(
        instance: &Instance,
        log: &Log<Exact>,
        draft: Option<&Exact>,
    ) -> Option<Self> {
        let EstimatedRound {
            claim,
            support,
            stated,
            mut estimates,
            coins,
        } = EstimatedRound::last(instance, log)?;
        if estimates.len() == coins.len() {
            estimates.extend(draft);
        }
        estimates.truncate(support.on.len());
        let labels = short_claim_labels(instance, &support.on);
        let label = instance.short_text(claim);
        Some(Self::new(
            label,
            labels,
            &support.gate,
            stated,
            &estimates,
            &coins,
        ))
    }

    /// True if the last round has a picture: its claim was split, and no estimate of the round ignores the coins.
    pub fn last_round_has_estimate_bar(instance: &Instance, log: &Log<Exact>) -> bool {
        EstimatedRound::last(instance, log).is_some()
    }

    /// Creates the picture of a claim with the estimate `stated`, from the estimates given so far for its subclaims,
    /// and their coins.
    fn new(
        label: String,
        labels: Vec<String>,
        gate: &Gate,
        stated: &Exact,
        estimates: &[&Exact],
        coins: &[bool],
    ) -> Self {
        let mut fit = EstimateConsistency::new(gate, labels.len(), stated.clone());
        let mut allowed = (Exact::zero(), Exact::one());
        for (index, p) in estimates.iter().enumerate() {
            // Once the coins have decided the claim, every further number is consistent, and the gap is known.
            if !fit.is_gate_decided() {
                allowed = fit.claim_range_after_estimate(p);
            }
            fit.record_estimate_and_return_unweighted_gap(p);
            if let Some(coin) = coins.get(index) {
                fit.update_consistency_with_coin(p, *coin);
            }
        }
        let order = match gate {
            Gate::All => SplitBarSegmentsSide::FromRight,
            Gate::Any => SplitBarSegmentsSide::FromLeft,
            _ => SplitBarSegmentsSide::NoPieces,
        };
        Self {
            label,
            stated: stated.clone(),
            order,
            pieces: pieces(order, labels, estimates, coins),
            allowed,
            is_decided: match order {
                SplitBarSegmentsSide::FromRight => coins.contains(&false),
                SplitBarSegmentsSide::FromLeft => coins.contains(&true),
                SplitBarSegmentsSide::NoPieces => fit.is_gate_decided(),
            },
        }
    }

    /// Returns the number of estimates.
    pub fn estimate_count(&self) -> usize {
        let pieces = self.pieces.iter();
        pieces.filter(|piece| piece.estimate.is_some()).count()
    }

    /// Returns the part of the bar between the claim's estimate and the nearest value that its subclaims' estimates
    /// allow. `None` if the estimates are consistent, or nearly so ([`is_visible_gap`]).
    pub fn gap(&self) -> Option<ProbabilityBarSegment> {
        self.distance_to_allowed().filter(is_visible_gap)?;
        let (from, to) = &self.allowed;
        let (from, to) = if self.stated > *to {
            (to.clone(), self.stated.clone())
        } else {
            (self.stated.clone(), from.clone())
        };
        Some(ProbabilityBarSegment { from, to })
    }

    /// Returns the distance from the claim's estimate to the range that its subclaims' estimates allow. `None` if the
    /// estimate is in the range.
    fn distance_to_allowed(&self) -> Option<Exact> {
        let (least, most) = &self.allowed;
        if self.stated > *most {
            Some(&self.stated - most)
        } else if self.stated < *least {
            Some(least - &self.stated)
        } else {
            None
        }
    }

    /// Formats the range of the claim's probability that the estimates allow: "66 %", "at most 90 %", "20 % to 90 %".
    pub fn implied_probability_range_in_words(&self) -> String {
        probability_range_in_words(&self.allowed)
    }

    /// Explains the picture in one or two sentences.
    pub fn estimate_bar_explanation(&self) -> &'static str {
        let lacks_bar = |piece: &SplitBarSubclaim| piece.estimate.is_some() && piece.part.is_none();
        match (self.order, self.pieces.iter().any(lacks_bar)) {
            (SplitBarSegmentsSide::FromRight, false) => {
                "Every subclaim must be true, so the estimates multiply. The shaded part of a row is the doubt that the row's estimate adds."
            }
            (SplitBarSegmentsSide::FromRight, true) => {
                "The estimates multiply. The shaded part of a row is the doubt that the row's estimate adds. A coin said no, which decides the claim, so later rows have no bar."
            }
            (SplitBarSegmentsSide::FromLeft, false) => {
                "One true subclaim is enough. Each estimate adds a piece to the bar from the left."
            }
            (SplitBarSegmentsSide::FromLeft, true) => {
                "Each estimate adds a piece to the bar from the left. A coin said yes, which decides the claim, so later rows have no bar."
            }
            (SplitBarSegmentsSide::NoPieces, _) => {
                "Under this gate, the estimates of the subclaims do not determine one probability of the claim. The bar shows the possible range."
            }
        }
    }

    /// Returns a sentence about the gap, or one that says that there is no gap (so far). `None` before the first
    /// estimate.
    pub fn gap_or_no_gap_sentence(&self, perspective: ViewerPerspective) -> Option<String> {
        let count = self.estimate_count();
        if count == 0 {
            return None;
        }
        let (least, most) = &self.allowed;
        if self.is_decided && least != most && self.gap().is_none() {
            let allowed = self.implied_probability_range_in_words();
            return Some(format!(
                "No gap can be shown: a coin decided the claim above early, and numbers after it do not count here. The others give the claim {allowed}."
            ));
        }
        let bob = perspective.player_name_or_you_in_sentence(Seat::Opponent);
        let (allowed, stated) = (
            self.implied_probability_range_in_words(),
            in_percent(&self.stated),
        );
        if self.gap().is_some() {
            return Some(format!(
                "Gap: the subclaims' estimates give the claim {allowed}, but {bob} said {stated}."
            ));
        }
        if let Some(gap) = self.distance_to_allowed() {
            let finding = if is_rounding_gap(&gap) {
                "No gap, up to rounding"
            } else {
                "Nearly consistent"
            };
            return Some(format!(
                "{finding}: the subclaims' estimates give the claim {allowed}, and {bob} said {stated}."
            ));
        }
        if count < self.pieces.len() {
            return Some(format!(
                "No gap so far: the subclaims' estimates give the claim {allowed}."
            ));
        }
        Some(format!(
            "No gap: the subclaims' estimates give the claim {allowed}."
        ))
    }
}

/// Returns the subclaims, each with the piece of the bar that its estimate takes.
fn pieces(
    order: SplitBarSegmentsSide,
    labels: Vec<String>,
    estimates: &[&Exact],
    coins: &[bool],
) -> Vec<SplitBarSubclaim> {
    // The coin outcome that leaves the claim open, so that the next estimate belongs to the same sum.
    let leaves_open = match order {
        SplitBarSegmentsSide::FromRight => Some(true),
        SplitBarSegmentsSide::FromLeft => Some(false),
        SplitBarSegmentsSide::NoPieces => None,
    };
    let mut is_open = true;
    // The probability that all coins so far leave the claim open.
    let mut rest = Exact::one();
    let mut pieces = Vec::with_capacity(labels.len());
    for (index, label) in labels.into_iter().enumerate() {
        let estimate = estimates.get(index).map(|p| (*p).clone());
        let mut part = None;
        if let (Some(p), Some(open), true) = (&estimate, leaves_open, is_open) {
            let before = rest.clone();
            rest *= if open { p.clone() } else { Exact::one() - p };
            part = Some(match order {
                SplitBarSegmentsSide::FromLeft => ProbabilityBarSegment {
                    from: Exact::one() - before,
                    to: Exact::one() - &rest,
                },
                _ => ProbabilityBarSegment {
                    from: rest.clone(),
                    to: before,
                },
            });
            is_open = coins.get(index).is_none_or(|coin| *coin == open);
        }
        pieces.push(SplitBarSubclaim {
            label,
            estimate,
            part,
        });
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use debate_core::number::Number as _;

    fn exact(percent: i64) -> Exact {
        Exact::ratio(percent, 100)
    }

    /// Creates the picture of a claim from estimates in whole percentages. Its coins so far do not decide the claim.
    fn picture(gate: &Gate, stated: i64, count: usize, estimates: &[i64]) -> EstimateSplitBar {
        let estimates: Vec<Exact> = estimates.iter().map(|p| exact(*p)).collect();
        let each: Vec<&Exact> = estimates.iter().collect();
        let coins = vec![*gate == Gate::All; each.len().saturating_sub(1)];
        let labels = vec![String::new(); count];
        EstimateSplitBar::new(String::new(), labels, gate, &exact(stated), &each, &coins)
    }

    fn parts(bar: &EstimateSplitBar) -> Vec<Option<(String, String)>> {
        let pieces = bar.pieces.iter();
        let words = |part: &ProbabilityBarSegment| (in_percent(&part.from), in_percent(&part.to));
        pieces.map(|piece| piece.part.as_ref().map(words)).collect()
    }

    #[test]
    fn pieces_of_doubt_end_at_the_range_of_the_claim() {
        let bar = picture(&Gate::All, 67, 4, &[90, 33]);
        let part = |from: &str, to: &str| Some((from.to_owned(), to.to_owned()));
        assert_eq!(
            parts(&bar),
            [part("90 %", "100 %"), part("29.7 %", "90 %"), None, None]
        );
        assert_eq!(bar.implied_probability_range_in_words(), "at most 29.7 %");
        let gap = bar.gap().unwrap();
        assert_eq!((gap.from, gap.to), (Exact::ratio(297, 1000), exact(67)));
        let whole = picture(&Gate::All, 66, 2, &[88, 75]);
        assert_eq!(
            (whole.gap(), whole.implied_probability_range_in_words()),
            (None, "66 %".to_owned())
        );
    }

    #[test]
    fn pieces_of_probability_add_up_from_the_left() {
        let bar = picture(&Gate::Any, 60, 2, &[20, 25]);
        let part = |from: &str, to: &str| Some((from.to_owned(), to.to_owned()));
        assert_eq!(parts(&bar), [part("0 %", "20 %"), part("20 %", "40 %")]);
        let gap = bar.gap().unwrap();
        assert_eq!((gap.from, gap.to), (exact(40), exact(60)));
        // Too much is a gap as well.
        let more = picture(&Gate::Any, 10, 2, &[20]);
        let gap = more.gap().unwrap();
        assert_eq!((gap.from, gap.to), (exact(10), exact(20)));
    }

    #[test]
    fn other_gates_have_a_range_and_no_pieces() {
        let bar = picture(&Gate::Majority, 90, 3, &[30]);
        assert_eq!(parts(&bar), [None, None, None]);
        assert_eq!(bar.implied_probability_range_in_words(), "0 % to 100 %");
        assert!(bar.estimate_bar_explanation().contains("range"));
    }

    #[test]
    fn a_gap_remains_after_the_coins_have_decided_the_claim() {
        let numbers = [exact(50), exact(100)];
        let each: Vec<&Exact> = numbers.iter().collect();
        let labels = vec![String::new(); 2];
        let bar = |stated: i64, coins: &[bool]| {
            let labels = labels.clone();
            EstimateSplitBar::new(
                String::new(),
                labels,
                &Gate::All,
                &exact(stated),
                &each,
                coins,
            )
        };
        // A `no` decides the claim, which half a doubt made at most 50 % likely.
        let gap = bar(60, &[false, true]).gap().unwrap();
        assert_eq!((gap.from, gap.to), (exact(50), exact(60)));
        // The last coin decides every claim; the sentence still gives the product.
        let whole = bar(50, &[true, true]);
        let sentence = whole
            .gap_or_no_gap_sentence(ViewerPerspective::NEUTRAL)
            .unwrap();
        assert_eq!(
            sentence,
            "No gap: the subclaims' estimates give the claim 50 %."
        );
        // A number inside the range has no gap, however far it is from the range's ends.
        assert_eq!(picture(&Gate::All, 20, 2, &[90]).gap(), None);
        // Whole percentages are rarely exact.
        let nearly = picture(&Gate::All, 85, 2, &[97, 88]);
        assert_eq!(nearly.gap(), None);
        assert_eq!(
            nearly
                .gap_or_no_gap_sentence(ViewerPerspective::NEUTRAL)
                .unwrap(),
            "Nearly consistent: the subclaims' estimates give the claim 85.36 %, and Bob said 85 %."
        );
    }

    #[test]
    fn rounding_to_whole_percentages_is_no_gap() {
        assert_eq!(picture(&Gate::All, 67, 2, &[82, 82]).gap(), None);
        assert!(picture(&Gate::All, 68, 2, &[82, 82]).gap().is_some());
    }
}
