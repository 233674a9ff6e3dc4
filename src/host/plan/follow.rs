//! A prover whose bets depend on a person's past debates: her two bets are those that would have earned most in the
//! person's last debates as Bob.

use std::fs;
use std::path::Path;

use num_traits::{Signed as _, Zero as _};

use super::{DebatePlan, SaveStorageOptions};
use crate::record::{Save, SaveHeader, SaveListing, SavedDebateProgress, latest_saves_with_moves};
use debate_core::number::{Exact, Number as _};
use debate_core::player::{DebateTimeline, ERRS, PlayerSpec};
use debate_core::protocol::{IllegalReply, ProtocolKind, Reply, Rules as _, Seat};
use debate_solver::setup::ScenarioLimits;

/// The name of a scenario's own prover that can be replaced: the replacement's bets depend on the person's past
/// debates.
const FIRST_PROVER: &str = "errs(+, -)";

/// Number of the person's latest saved debates on which the prover's bets depend.
const DEBATES: usize = 5;

/// Maximum number of saves that are searched for the person's past debates.
const MAX_SEARCHED: usize = 100;

/// Maximum size of a save that is read, in bytes. Larger saves are skipped, because reading them would delay the
/// debate.
const MAX_BYTES: u64 = 1 << 20;

/// Maximum number of claims, and of gates, in the scenario of a past debate that is read.
const MAX_CLAIMS: u32 = 1 << 14;

/// The payoff that bets "too low" in every round would have earned in one past debate: Σ gap × stake. A gap is positive
/// if a claim's estimate is below the probability that the estimates of its subclaims imply. Bets "too high" in every
/// round would have earned the negative.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AlwaysTooLowBetEarnings {
    /// The payoff of bets "too low" in the rounds in which Bob's estimate of the claim is below one half.
    pub below_half: Exact,
    /// The payoff of bets "too low" in the rounds in which Bob's estimate of the claim is at least one half.
    pub from_half: Exact,
}

impl AlwaysTooLowBetEarnings {
    /// Computes, from Bob's estimates in a debate, the payoff that bets "too low" in every round would have earned. The
    /// bets that the debate's prover made do not matter.
    ///
    /// # Errors
    /// If a move is illegal.
    pub fn earnings_of_always_too_low_bets(
        timeline: &DebateTimeline<'_, Exact>,
    ) -> Result<Self, IllegalReply> {
        let schedule = timeline.state_at_start().schedule();
        let mut earnings = Self::default();
        let mut replay = timeline.copy_with_cursor_at_start();
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
                *sum += round.signed_unweighted_subclaim_estimate_gap(p) * weight;
            }
            replay.move_cursor_forward()?;
        }
        Ok(earnings)
    }
}

/// Returns the prover whose bets would have earned most in these debates. If Bob's estimates in them have no gaps, she
/// bets that an estimate below one half is too low and that any other estimate is too high.
pub fn prover_betting_against_past_estimates(debates: &[AlwaysTooLowBetEarnings]) -> PlayerSpec {
    let mut below_half = Exact::zero();
    let mut from_half = Exact::zero();
    for debate in debates {
        below_half += &debate.below_half;
        from_half += &debate.from_half;
    }
    let first = if below_half.is_negative() { "-" } else { "+" };
    let second = if from_half.is_positive() { "+" } else { "-" };
    PlayerSpec {
        name: ERRS.to_owned(),
        arguments: vec![first.to_owned(), second.to_owned()],
    }
}

impl DebatePlan {
    /// True if the scenario's own prover is [`FIRST_PROVER`] and a player of this kind, with any arguments, has the
    /// prover's seat. Her bets may then depend on the past debates of the person in Bob's seat.
    pub(super) fn has_scenario_prover_learning_across_debates(&self) -> bool {
        let own = self.setup.players.text_of_seat(Seat::Prover);
        own == Some(FIRST_PROVER) && self.players[Seat::Prover.seat_index()].name == ERRS
    }

    /// True if the prover's bets depend on the past debates of the person in Bob's seat, if a person plays Bob: the
    /// user did not name the prover, and the scenario's own prover can be adapted.
    pub fn prover_uses_past_debates_of_bob(&self) -> bool {
        self.may_follow && self.has_scenario_prover_learning_across_debates()
    }

    /// Replaces the prover by one whose bets depend on the past debates of the person who plays Bob. Does nothing
    /// unless [`Self::prover_uses_past_debates_of_bob`] is true and a person plays Bob. Skips saves that cannot be
    /// read. `is_counted` returns false for saves whose estimates were not free, as in a lesson.
    pub fn seat_prover_using_past_estimates(
        &mut self,
        save_options: &SaveStorageOptions,
        is_counted: impl Fn(&SaveHeader) -> bool,
    ) {
        if !self.prover_uses_past_debates_of_bob()
            || !self.players[Seat::Opponent.seat_index()].is_human()
        {
            return;
        }
        let folder = save_options.saves_folder().ok();
        let folder = folder.filter(|_| !save_options.no_save);
        let debates = folder.map(|folder| latest_earnings(&folder, is_counted));
        self.players[Seat::Prover.seat_index()] =
            prover_betting_against_past_estimates(&debates.unwrap_or_default());
    }
}

/// Returns the earnings in the latest finished debates in which a person was the estimator, at most [`DEBATES`] of
/// them, from the saves in a folder.
fn latest_earnings(
    folder: &Path,
    is_counted: impl Fn(&SaveHeader) -> bool,
) -> Vec<AlwaysTooLowBetEarnings> {
    // An unreadable folder must not prevent the debate.
    let saves = latest_saves_with_moves(folder, MAX_SEARCHED).unwrap_or_default();
    let estimates_are_free = |save: &SaveListing| {
        save.condition == SavedDebateProgress::Finished
            && save.header.as_ref().is_some_and(|header| {
                header.protocol.kind() == ProtocolKind::ProverEstimator
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

/// Returns the earnings of "too low" bets in a saved debate; `None` if the save is damaged or too large.
fn earnings_in_save(path: &Path) -> Option<AlwaysTooLowBetEarnings> {
    if fs::metadata(path).ok()?.len() > MAX_BYTES {
        return None;
    }
    let limits = ScenarioLimits {
        claims: MAX_CLAIMS as usize,
        gates: MAX_CLAIMS,
        ..ScenarioLimits::default()
    };
    let save = Save::read_save(path).ok()?;
    let setup = save.read_saved_scenario(&limits).ok()?;
    let instance = save.header.debated_instance(&setup).ok()?;
    let history = save.history(&instance).ok()?;
    AlwaysTooLowBetEarnings::earnings_of_always_too_low_bets(history.timeline()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::DebateOptions;
    use crate::{AdvanceResult, Debate};
    use debate_solver::setup::{LoadedScenario, ScenarioTextSource};

    fn earnings(below_half: i64, from_half: i64) -> AlwaysTooLowBetEarnings {
        AlwaysTooLowBetEarnings {
            below_half: Exact::ratio(below_half, 100),
            from_half: Exact::ratio(from_half, 100),
        }
    }

    #[test]
    fn each_bet_has_the_sign_of_the_sum_of_the_earnings() {
        for (debates, expected) in [
            (vec![], "errs(+, -)"),
            (vec![earnings(0, 0)], "errs(+, -)"),
            (vec![earnings(1, -1)], "errs(+, -)"),
            (vec![earnings(-1, 1)], "errs(-, +)"),
            (vec![earnings(-3, 2), earnings(2, 1)], "errs(-, +)"),
            (vec![earnings(-2, 2), earnings(2, -2)], "errs(+, -)"),
            (vec![earnings(-1, -1), earnings(0, 0)], "errs(-, -)"),
        ] {
            assert_eq!(
                prover_betting_against_past_estimates(&debates).to_string(),
                expected
            );
        }
    }

    /// Returns the options of a debate in which a user, or a program in the user's place, plays Bob.
    fn options(prover: Option<&str>) -> DebateOptions {
        let mut options = DebateOptions {
            roles: vec![Some(Seat::Opponent)],
            ..DebateOptions::default()
        };
        options.choices.players.prover = prover.map(str::to_owned);
        options
    }

    fn plan(prover: Option<&str>) -> DebatePlan {
        let text = r#"Scenario(format: 1, title: "Two parts",
            problem: Argument(root: "both", claims: {
                "both": Claim(text: "Both hold.", supports: [Support(gate: All, on: ["one", "two"])]),
                "one": Claim(text: "One holds.", truth: true),
                "two": Claim(text: "Two holds.", truth: false),
            }),
            protocol: ProverEstimator(epsilon: 0.45, rho: "1/9"),
            players: (prover: "errs(+, -)", opponent: "even", judge: "oracle"))"#;
        let origin = ScenarioTextSource::Text("two-parts".to_owned());
        let setup = LoadedScenario::from_text(text, origin, &ScenarioLimits::default()).unwrap();
        options(prover).plan_loaded_scenario(setup).unwrap()
    }

    /// Plays and saves a test debate in which Bob estimates the root claim at `root` percent, and each subclaim at
    /// `part` percent.
    fn play(plan: &DebatePlan, saves: &SaveStorageOptions, [root, part]: [i64; 2]) {
        let instance = plan.instance();
        let mut debate: Debate<'_> = plan.start(&instance, saves).unwrap();
        let mut percent = root;
        while let AdvanceResult::Ask(_) = debate.play_until_blocked().unwrap() {
            let reply = Reply::Probability(Exact::ratio(percent, 100));
            debate.reply(reply, 0).unwrap().unwrap();
            percent = part;
        }
    }

    fn prover(plan: &DebatePlan) -> String {
        plan.players[0].to_string()
    }

    #[test]
    fn the_prover_follows_the_last_five_debates_of_a_person() {
        let folder = tempfile::tempdir().unwrap();
        let saves = SaveStorageOptions {
            folder: Some(folder.path().to_owned()),
            no_save: false,
        };
        let next = || {
            let mut plan = plan(None);
            plan.seat_prover_using_past_estimates(&saves, |_| true);
            plan
        };
        assert_eq!(prover(&next()), "errs(+, -)");

        // Both parts are certain, but the whole is not: each estimate of the whole is too low.
        play(&next(), &saves, [60, 100]);
        assert_eq!(prover(&next()), "errs(+, +)");
        // No part is possible, but the whole is: an estimate below one half is too high.
        play(&next(), &saves, [40, 0]);
        let plan_after_two = next();
        assert_eq!(prover(&plan_after_two), "errs(-, +)");

        // The save has the bets, and the command line names them.
        play(&plan_after_two, &saves, [0, 0]);
        let listed = latest_saves_with_moves(folder.path(), 1).unwrap();
        let header = listed[0].header.as_ref().unwrap();
        assert_eq!(header.player_name(Seat::Prover), Some("errs(-, +)"));
        let save = Save::read_save(&listed[0].path).unwrap();
        let setup = save
            .read_saved_scenario(&ScenarioLimits::default())
            .unwrap();
        let instance = header.debated_instance(&setup).unwrap();
        let kept = DebatePlan::plan_of_saved_debate(header, setup, &instance).unwrap();
        assert_eq!(prover(&kept), "errs(-, +)");
        assert!(!kept.prover_uses_past_debates_of_bob());

        // A damaged save is skipped; a folder that does not exist has no saves.
        std::fs::write(&listed[0].path, "Save(\n").unwrap();
        assert_eq!(prover(&next()), "errs(-, +)");
        let mut elsewhere = plan(None);
        let missing = SaveStorageOptions {
            folder: Some(folder.path().join("missing")),
            no_save: false,
        };
        elsewhere.seat_prover_using_past_estimates(&missing, |_| true);
        assert_eq!(prover(&elsewhere), "errs(+, -)");

        // Five debates without a gap replace the earlier ones.
        for _ in 0..5 {
            play(&plan(Some("errs(+, +)")), &saves, [0, 0]);
        }
        assert_eq!(prover(&next()), "errs(+, -)");
    }

    #[test]
    fn a_named_prover_and_a_built_in_bob_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let saves = SaveStorageOptions {
            folder: Some(folder.path().to_owned()),
            no_save: false,
        };
        play(&plan(None), &saves, [60, 100]);
        for mut plan in [plan(Some("errs(+, -)")), plan(Some("liar"))] {
            let before = prover(&plan);
            plan.seat_prover_using_past_estimates(&saves, |_| true);
            assert_eq!(prover(&plan), before);
        }
        let mut watched = plan(None);
        watched.players[1] = PlayerSpec::without_arguments("even");
        watched.seat_prover_using_past_estimates(&saves, |_| true);
        assert_eq!(prover(&watched), "errs(+, -)");
        let mut lesson = plan(None);
        lesson.seat_prover_using_past_estimates(&saves, |_| false);
        assert_eq!(prover(&lesson), "errs(+, -)");
    }
}
