//! The prover who follows a person: her two bets are those that would have earned most in the person's last debates.

use std::fs;
use std::path::Path;

use num_traits::{Signed as _, Zero as _};

use super::{DebatePlan, SaveOptions};
use crate::record::{Header, Save, SaveCondition, SaveListing, latest_played_saves};
use debate_core::number::{Exact, Number as _};
use debate_core::player::{ERRS, Spec, Timeline};
use debate_core::protocol::{Illegal, Kind, Reply, Rules as _, Seat};
use debate_solver::setup::Limits;

/// The scenario's own prover that follows a person.
const FIRST_PROVER: &str = "errs(+, -)";

/// Number of saved debates on which the bets depend.
const DEBATES: usize = 5;

/// Maximum number of saves that are searched for these debates.
const MAX_SEARCHED: usize = 100;

/// Maximum size of a save that is read, in bytes. Larger ones are skipped, because they would delay the debate.
const MAX_BYTES: u64 = 1 << 20;

/// Maximum number of claims, and of gates, of a scenario that is read.
const MAX_CLAIMS: u32 = 1 << 14;

/// The mean earnings of a prover who bets "too low" in every round of a debate: Σ gap × stake, where a gap is positive
/// if the estimate of the claim is below the estimates of its subclaims. A bet "too high" earns the negative.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TooLowEarnings {
    /// The rounds whose claim has an estimate below one half.
    pub below_half: Exact,
    /// The other rounds.
    pub from_half: Exact,
}

impl TooLowEarnings {
    /// Computes the earnings in a debate, however the prover bet.
    ///
    /// # Errors
    /// If a move is illegal.
    pub fn of_debate(timeline: &Timeline<'_, Exact>) -> Result<Self, Illegal> {
        let schedule = timeline.state_at_start().schedule();
        let mut earnings = Self::default();
        let mut replay = timeline.copy_at_start();
        for made in timeline.moves() {
            let state = replay.state();
            let stake = schedule
                .iter()
                .find(|(round, _)| Some(*round) == state.round());
            if let (Reply::Probability(p), Some(round), Some((_, weight))) =
                (&made.reply, state.consistency(), stake)
            {
                let sum = if *round.claim_estimate() < Exact::ratio(1, 2) {
                    &mut earnings.below_half
                } else {
                    &mut earnings.from_half
                };
                *sum += round.gap(p) * weight;
            }
            replay.forward()?;
        }
        Ok(earnings)
    }
}

/// Returns the prover whose bets would have earned most in these debates. Without gaps, she bets that an estimate below
/// one half is too low and that any other estimate is too high.
pub fn following_prover(debates: &[TooLowEarnings]) -> Spec {
    let mut below_half = Exact::zero();
    let mut from_half = Exact::zero();
    for debate in debates {
        below_half += &debate.below_half;
        from_half += &debate.from_half;
    }
    let first = if below_half.is_negative() { "-" } else { "+" };
    let second = if from_half.is_positive() { "+" } else { "-" };
    Spec {
        name: ERRS.to_owned(),
        arguments: vec![first.to_owned(), second.to_owned()],
    }
}

impl DebatePlan {
    /// True if the prover is the scenario's own one whose bets follow the person in Bob's seat.
    pub(super) fn has_followable_prover(&self) -> bool {
        let own = self.setup.players.get(Seat::Prover);
        own == Some(FIRST_PROVER) && self.players[Seat::Prover.index()].name == ERRS
    }

    /// True if the prover's bets follow a person who plays Bob, and nobody named the prover.
    pub fn prover_follows_person(&self) -> bool {
        self.may_follow && self.has_followable_prover()
    }

    /// Seats the prover that follows the person who plays Bob, if [`Self::prover_follows_person`]. Saves that cannot be
    /// read are skipped. `is_counted` excludes saves whose estimates were not free, as in a lesson.
    pub fn seat_following_prover(
        &mut self,
        save_options: &SaveOptions,
        is_counted: impl Fn(&Header) -> bool,
    ) {
        if !self.prover_follows_person() || !self.players[Seat::Opponent.index()].is_human() {
            return;
        }
        let folder = save_options.saves_folder().ok();
        let folder = folder.filter(|_| !save_options.no_save);
        let debates = folder.map(|folder| latest_earnings(&folder, is_counted));
        self.players[Seat::Prover.index()] = following_prover(&debates.unwrap_or_default());
    }
}

/// Reads the latest finished debates in a folder in which a person was the estimator.
fn latest_earnings(folder: &Path, is_counted: impl Fn(&Header) -> bool) -> Vec<TooLowEarnings> {
    // An unreadable folder must not prevent the debate.
    let saves = latest_played_saves(folder, MAX_SEARCHED).unwrap_or_default();
    let estimates_are_free = |save: &SaveListing| {
        save.condition == SaveCondition::Finished
            && save.header.as_ref().is_some_and(|header| {
                header.protocol.kind() == Kind::ProverEstimator
                    && header.player_name(Seat::Opponent) == Some("human")
                    && header.branch.is_none()
                    && is_counted(header)
            })
    };
    let saves = saves.iter().filter(|save| estimates_are_free(save));
    saves
        .filter_map(|save| earnings_in_save(&save.path))
        .take(DEBATES)
        .collect()
}

/// Returns the earnings in a save; `None` if the save is damaged or too large.
fn earnings_in_save(path: &Path) -> Option<TooLowEarnings> {
    if fs::metadata(path).ok()?.len() > MAX_BYTES {
        return None;
    }
    let limits = Limits {
        claims: MAX_CLAIMS as usize,
        gates: MAX_CLAIMS,
        ..Limits::default()
    };
    let save = Save::read(path).ok()?;
    let setup = save.read_setup(&limits).ok()?;
    let instance = save.header.instance(&setup).ok()?;
    let history = save.history(&instance).ok()?;
    TooLowEarnings::of_debate(history.timeline()).ok()
}
