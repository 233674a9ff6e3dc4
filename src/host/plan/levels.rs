//! Levels of difficulty: for each seat of a user under prover-estimator rules, the built-in players in the debaters'
//! seats that the user does not have, from the weakest to the strongest.
//!
//! The order is by exact expected payoffs, which the tests of this module compute.

use std::path::Path;

use super::DebatePlan;
use crate::record::Save;
use debate_core::number::{Exact, Number as _, format_rounded};
use debate_core::player::{ERRS, Player, PlayerSpec, SeatedDebate, player_in_plain_words};
use debate_core::protocol::{ProtocolKind, Rules as _, Seat};
use debate_core::scenario::Instance;
use debate_solver::analysis::review::{
    LastJudgeVerdict, has_visible_gap_in_a_round, largest_round_gap,
};
use debate_solver::setup::ScenarioLimits;
use debate_text::win_condition_with_estimates;
use num_traits::Signed as _;

/// The built-in players against whom a user plays at one level of difficulty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DifficultyLevel {
    /// The players of the debaters' seats (prover, opponent) that the user does not have.
    pub players: &'static [(Seat, &'static str)],
    /// A sentence that names the weakness of the user which these players exploit, or says that they exploit none. It
    /// is shown after the level's number.
    pub exploits: &'static str,
}

const fn level(
    players: &'static [(Seat, &'static str)],
    exploits: &'static str,
) -> DifficultyLevel {
    DifficultyLevel { players, exploits }
}

use Seat::{Opponent, Prover};

/// The provers against a user in Bob's seat. The order is that of Alice's expected payoff in `primes-4331` against a
/// Bob who always says 90 %.
const PROVERS: &[DifficultyLevel] = &[
    level(
        &[(Prover, "lazy")],
        "This Alice exploits no weakness: she never bets.",
    ),
    level(
        &[(Prover, "random")],
        "This Alice exploits no weakness: her bets are random.",
    ),
    level(
        &[(Prover, ERRS_FIRST)],
        "This Alice exploits estimates that err in one direction below 50 % and in the other direction from 50 % on.",
    ),
    level(
        &[(Prover, "obfuscator")],
        "This Alice exploits every estimate that is too low for your other estimates.",
    ),
    level(
        &[(Prover, "honest")],
        "This Alice knows every answer, so she exploits what you do not know.",
    ),
];

/// The own prover of the scenario `primes`, with the bets that she makes if the user has no past debates.
const ERRS_FIRST: &str = "errs(+, -)";

/// The estimator whose numbers hints recommend, and the one who gives the same numbers if several instances are
/// possible.
const REFERENCE: &str = "reference";
const BAYES: &str = "bayes";

/// The estimators against a user in Alice's seat. The order is that of an honest Alice's expected payoff in
/// `hidden-flaw-count`, the largest first.
const ESTIMATORS: &[DifficultyLevel] = &[
    level(
        &[(Opponent, "stubborn(0.9)")],
        "This Bob always says 90 %, so he gains only from bets on the wrong side of 90 %.",
    ),
    level(
        &[(Opponent, "marginal")],
        "This Bob states what he knows of each claim and ignores the coins, so his numbers can contradict each other.",
    ),
    level(
        &[(Opponent, "hedged")],
        "This Bob splits his doubt evenly among the subclaims.",
    ),
    level(
        &[(Opponent, REFERENCE)],
        "This Bob's numbers are consistent, so no bet before the last claim gains on average. The last claim can still pay you, even if you know no more than he does: his number for it follows the coins.",
    ),
];

/// The debaters at each level for a user in the judge's seat. Levels are ordered by the change of Alice's expected
/// payoff in `primes-4331` if the judge errs in one answer of ten.
const DEBATERS: &[DifficultyLevel] = &[
    level(
        &[(Prover, "lazy"), (Opponent, REFERENCE)],
        "These players exploit no weakness of yours: Alice does not bet on your verdict.",
    ),
    level(
        &[(Prover, ERRS_FIRST), (Opponent, REFERENCE)],
        "Alice rarely bets on your verdict, and Bob hedges, so a wrong yes of yours pays her little.",
    ),
    level(
        &[(Prover, ERRS_FIRST), (Opponent, "truthful")],
        "Alice rarely bets on your verdict, but Bob is certain, so a wrong yes of yours pays her the full stake.",
    ),
    level(
        &[(Prover, "obfuscator"), (Opponent, REFERENCE)],
        "Alice always bets on yes, so she gains whenever you wrongly say yes.",
    ),
    level(
        &[(Prover, "honest"), (Opponent, "stubborn(0.5)")],
        "Alice bets on every verdict and Bob says 50 %: your error turns her gain of half the stake into a loss.",
    ),
];

/// Returns the levels of the other players for a user in a seat, the easiest first. Empty except under the rules of
/// prover-estimator debate.
pub fn difficulty_levels(kind: ProtocolKind, seat: Seat) -> &'static [DifficultyLevel] {
    match (kind, seat) {
        (ProtocolKind::ProverEstimator, Seat::Prover) => ESTIMATORS,
        (ProtocolKind::ProverEstimator, Seat::Opponent) => PROVERS,
        (ProtocolKind::ProverEstimator, Seat::Judge) => DEBATERS,
        _ => &[],
    }
}

impl DifficultyLevel {
    /// Describes the players of a level before a debate: "a player who risks nothing (lazy)". To a judge, Alice's
    /// player would tell if she lies, so only Bob's is named: "Bob is an estimator …".
    pub fn player_names_text(&self) -> String {
        let in_words = |seat: Seat, name: &str| {
            // The signs follow the user and mean nothing to a new one.
            let name = match name {
                ERRS_FIRST => ERRS,
                name => name,
            };
            let text = player_in_plain_words(ProtocolKind::ProverEstimator, seat, name);
            // Scenarios have `bayes` in the seat, so that the user knows this level under that name. With one possible
            // instance, `bayes` knows every truth and `reference` does not.
            match name {
                REFERENCE => text.replace(
                    "(`reference`)",
                    "(`reference`; the same as `bayes` if several instances are possible)",
                ),
                _ => text,
            }
        };
        let is_of_judge = self.players.len() > 1;
        let is_named = |(seat, _): &(Seat, &str)| !(is_of_judge && *seat == Prover);
        let named = self.players.iter().copied().filter(is_named);
        names_of_players(named, !is_of_judge, in_words)
    }

    /// Describes the players who sit in the seats of this level, all by name: "Alice is a player …, Bob is an estimator
    /// …".
    fn seated_player_names_text(&self, players: &[String; 3]) -> String {
        let is_single = self.players.len() == 1;
        let seated = self.players.iter().map(|(seat, _)| {
            let player = players.get(seat.seat_index()).map_or("", String::as_str);
            (*seat, player_name_without_arguments_of_errs(player))
        });
        names_of_players(seated, is_single, |seat, name| {
            player_in_plain_words(ProtocolKind::ProverEstimator, seat, name)
        })
    }

    /// True if the level's players are these ones (prover, opponent, judge). The arguments `+` and `-` of `errs` make
    /// no difference, because they depend on the user's past debates. `bayes` counts as `reference`: if several
    /// instances are possible, they give the same numbers.
    fn is_of(&self, players: &[String; 3]) -> bool {
        self.players.iter().all(|(seat, name)| {
            let player = players.get(seat.seat_index()).map_or("", String::as_str);
            match *name {
                ERRS_FIRST => PlayerSpec::parse(player).is_ok_and(|spec| spec.name == ERRS),
                REFERENCE => player == REFERENCE || player == BAYES,
                name => player == name,
            }
        })
    }

    /// Puts the players of this difficulty level into the plan's seats. The prover's bets then no longer depend on the
    /// user's past debates.
    pub fn put_players_in_plan(&self, plan: &mut DebatePlan) {
        for (seat, name) in self.players {
            if let (Ok(spec), Some(player)) = (
                PlayerSpec::parse(name),
                plan.players.get_mut(seat.seat_index()),
            ) {
                *player = spec;
            }
        }
        plan.may_follow = false;
    }
}

/// Describes players: "a player who risks nothing (lazy)" if `is_single`, else "Alice is a player …, Bob is an
/// estimator …".
fn names_of_players<'n>(
    players: impl Iterator<Item = (Seat, &'n str)>,
    is_single: bool,
    in_words: impl Fn(Seat, &str) -> String,
) -> String {
    let each = players.map(|(seat, name)| {
        let player = in_words(seat, name);
        if is_single {
            player
        } else {
            format!("{} is {player}", seat.player_name_of_seat())
        }
    });
    each.collect::<Vec<_>>().join(", ")
}

/// Returns a player's name as text for users: without the arguments `+` and `-` of the prover `errs`, which depend on
/// the user's past debates.
fn player_name_without_arguments_of_errs(player: &str) -> &str {
    match PlayerSpec::parse(player) {
        Ok(spec) if spec.name == ERRS => ERRS,
        _ => player,
    }
}

/// Returns the level of the players in the other seats for a user in `seat`: "level 4 of 5". `None` if no level has
/// these players.
pub fn level_of_players_text(
    kind: ProtocolKind,
    seat: Seat,
    players: &[String; 3],
) -> Option<String> {
    let level = difficulty_index(kind, seat, players)? + 1;
    let count = difficulty_levels(kind, seat).len();
    Some(format!("level {level} of {count}"))
}

/// Returns the seats whose players decide the level for a user in `seat`. Empty if the seat has no levels.
pub fn seats_that_determine_difficulty_level(
    kind: ProtocolKind,
    seat: Seat,
) -> impl Iterator<Item = Seat> {
    let level = difficulty_levels(kind, seat).first();
    let players = level.map_or(&[][..], |level| level.players);
    players.iter().map(|(seat, _)| *seat)
}

/// Returns a sentence that names the amount by which the levels of a user's seat are ordered.
pub fn level_order_sentence(seat: Seat) -> &'static str {
    match seat {
        Prover => {
            "Levels are ordered by what Bob pays an honest Alice in `hidden-flaw-count`: the most at level 1."
        }
        Opponent => {
            "Levels are ordered by what Alice earns from a Bob who always says 90 %, in `primes-4331`: the least at level 1."
        }
        _ => {
            "Levels are ordered by how much a judge's errors change Alice's payoff in `primes-4331`: the least at level 1."
        }
    }
}

/// Returns the index of the difficulty level with these players, for a user in `seat`; `None` if no level has them.
pub fn difficulty_index(kind: ProtocolKind, seat: Seat, players: &[String; 3]) -> Option<usize> {
    let mut levels = difficulty_levels(kind, seat).iter();
    levels.position(|level| level.is_of(players))
}

/// The direction of a step from one difficulty level to an adjacent one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LevelStep {
    Easier,
    Harder,
}

/// Returns the index of the next easier or harder level; `None` if these players have no level, or if theirs is the
/// last one in this direction.
pub fn adjacent_difficulty_index(
    kind: ProtocolKind,
    seat: Seat,
    players: &[String; 3],
    step: LevelStep,
) -> Option<usize> {
    let index = difficulty_index(kind, seat, players)?;
    let next = match step {
        LevelStep::Easier => index.checked_sub(1)?,
        LevelStep::Harder => index + 1,
    };
    (next < difficulty_levels(kind, seat).len()).then_some(next)
}

/// Returns the next easier or harder level for the only human player of a debate. `None` if not exactly one seat is a
/// human's, or if there is no such level.
pub fn adjacent_difficulty_level(
    kind: ProtocolKind,
    players: &[String; 3],
    step: LevelStep,
) -> Option<&'static DifficultyLevel> {
    let seat = only_human_seat(players)?;
    let index = adjacent_difficulty_index(kind, seat, players, step)?;
    difficulty_levels(kind, seat).get(index)
}

/// Returns the direction of the level that the end of a debate recommends: harder after a win, easier otherwise. Also
/// returns the number and the players of that level, as text: "level 4 of 5: a player …". `None` before the end, or if
/// there is no such level.
pub fn recommended_level(
    seating: &SeatedDebate<'_, Exact>,
    instance: &Instance,
    players: &[String; 3],
) -> Option<(LevelStep, String)> {
    let seat = only_human_seat(players)?;
    if seating.turn().is_some() {
        return None;
    }
    let step = if is_won(seating, instance, seat) {
        LevelStep::Harder
    } else {
        LevelStep::Easier
    };
    let kind = seating.state().kind();
    let index = adjacent_difficulty_index(kind, seat, players, step)?;
    Some((step, level_with_player_names_text(kind, seat, index)?))
}

/// Returns the number and the players of a level: "level 4 of 5: a player …".
fn level_with_player_names_text(kind: ProtocolKind, seat: Seat, index: usize) -> Option<String> {
    let levels = difficulty_levels(kind, seat);
    Some(format!(
        "level {level} of {level_count}: {player_names}",
        level = index + 1,
        level_count = levels.len(),
        player_names = levels.get(index)?.player_names_text()
    ))
}

/// True if a user won a finished debate in a seat: as Bob with estimates without a visible gap, as Alice with a
/// positive payoff, as the judge with a right answer.
fn is_won(seating: &SeatedDebate<'_, Exact>, instance: &Instance, seat: Seat) -> bool {
    let state = seating.state();
    match seat {
        Seat::Opponent => {
            has_visible_gap_in_a_round(seating.state_at_start(), seating.moves()) == Some(false)
        }
        Seat::Prover => state.payoff().is_positive(),
        _ => {
            let verdict = LastJudgeVerdict::last_verdict(state, seating.log(), instance);
            verdict.is_some_and(|verdict| verdict.is_right == Some(true))
        }
    }
}

/// Returns a sentence that says why the user won a finished debate as Alice or Bob, or which gaps kept Bob from it.
/// `None` for an Alice without a gain, because that can be bad luck. Also `None` before the end, for a judge, under rules
/// without estimates, and if not exactly one seat is a user's.
pub fn result_sentence(
    seating: &SeatedDebate<'_, Exact>,
    instance: &Instance,
    players: &[String; 3],
) -> Option<String> {
    let seat = only_human_seat(players)?;
    let has_estimates = seating.state().kind() == ProtocolKind::ProverEstimator;
    if seat == Seat::Judge || !has_estimates || seating.turn().is_some() {
        return None;
    }
    let condition = win_condition_with_estimates(seat);
    if is_won(seating, instance, seat) {
        return Some(format!("You won, because {condition}."));
    }
    if seat == Seat::Prover {
        return None;
    }
    let gap = largest_round_gap(seating.state_at_start(), seating.moves())?;
    Some(format!(
        "Not won: in one round, your gaps add up to {points} percentage points. You win if {condition}.",
        points = format_rounded(100.0 * gap.to_float(), 3)
    ))
}

/// True if the user won the finished debate of a save: as Bob under prover-estimator rules, with estimates without a
/// visible gap; as the judge, with a right last verdict; else with a payoff in the user's favour. `None` if the save
/// cannot be read, the debate is not over, or not exactly one seat is a user's. Also `None` for a judge without a
/// verdict, or whose verdict's truth is unknown.
pub fn is_saved_debate_won(path: &Path) -> Option<bool> {
    let save = Save::read_save(path).ok()?;
    let seat = only_human_seat(&save.header.players)?;
    let setup = save.read_saved_scenario(&ScenarioLimits::default()).ok()?;
    let instance = save.header.debated_instance(&setup).ok()?;
    let outside = [Player::Outside, Player::Outside, Player::Outside];
    let seating = save.seat(&instance, outside).ok()?;
    let state = seating.state();
    if seating.turn().is_some() {
        return None;
    }
    match (seat, state.kind()) {
        (Seat::Judge, _) => {
            LastJudgeVerdict::last_verdict(state, seating.log(), &instance)?.is_right
        }
        (Seat::Opponent, kind) if kind != ProtocolKind::ProverEstimator => {
            Some(state.payoff().is_negative())
        }
        _ => Some(is_won(&seating, &instance, seat)),
    }
}

/// Returns the only seat that a human plays; `None` if there are none or several.
fn only_human_seat(players: &[String; 3]) -> Option<Seat> {
    let is_human =
        |seat: &Seat| PlayerSpec::parse(&players[seat.seat_index()]).is_ok_and(|it| it.is_human());
    let mut seats = Seat::PLAYERS.into_iter().filter(is_human);
    match (seats.next(), seats.next()) {
        (Some(seat), None) => Some(seat),
        _ => None,
    }
}

/// Returns sentences about the level of the user's adversaries after a win: their names, the weakness that they
/// exploit, and the next level. `None` before the end, after a loss, without a level, or if not exactly one seat is a
/// user's. `adapts` is true if the prover's bets depend on the user's past debates. `names_next_level` is false after a
/// daily debate, whose opponent is the same for everybody and so shows no level of the user, and on screens that name
/// the next level on a separate line.
pub fn level_end_sentence(
    seating: &SeatedDebate<'_, Exact>,
    instance: &Instance,
    players: &[String; 3],
    adapts: bool,
    names_next_level: bool,
) -> Option<String> {
    let seat = only_human_seat(players)?;
    let kind = seating.state().kind();
    let all = difficulty_levels(kind, seat);
    let index = difficulty_index(kind, seat, players)?;
    if seating.turn().is_some() || !is_won(seating, instance, seat) {
        return None;
    }
    let level = all.get(index)?;
    let next_level_sentence = match level_with_player_names_text(kind, seat, index + 1) {
        _ if !names_next_level => String::new(),
        Some(next) => format!(" Next opponent, {next}."),
        None => " This is the last level.".to_owned(),
    };
    let bets = errs_bets_sentence(seat, players, adapts);
    Some(format!(
        "{level_number} of {level_count}: {player_names}. {exploited_weakness}{next_level_sentence}",
        level_number = index + 1,
        level_count = all.len(),
        player_names = level.seated_player_names_text(players),
        exploited_weakness = bets.as_deref().unwrap_or(level.exploits)
    ))
}

/// Returns sentences that name the bets of the prover `errs` against a user in Bob's seat. If `adapts`, they also say
/// how her bets in later debates are chosen. `None` for other provers and seats, and for `errs` without its two
/// arguments.
fn errs_bets_sentence(seat: Seat, players: &[String; 3], adapts: bool) -> Option<String> {
    let prover = PlayerSpec::parse(&players[Seat::Prover.seat_index()]).ok()?;
    if seat != Seat::Opponent || prover.name != ERRS {
        return None;
    }
    let bet = |sign: &String| match sign.as_str() {
        "-" => "too high",
        _ => "too low",
    };
    let [below_half, from_half] = &prover.arguments[..] else {
        return None;
    };
    let (below_half, from_half) = (bet(below_half), bet(from_half));
    let bets_sentence = if below_half == from_half {
        format!("Before the last claim, this Alice always bet “{below_half}”.")
    } else {
        format!(
            "Before the last claim, this Alice bet “{below_half}” below 50 % and “{from_half}” from 50 % on."
        )
    };
    Some(if adapts {
        format!(
            "{bets_sentence} In later debates, the gaps in your last five debates decide her bets."
        )
    } else {
        bets_sentence
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use debate_core::budget::ComputationBudget;
    use debate_solver::analysis::DebateSolutionInputs;
    use debate_solver::analysis::review::ReviewContext;
    use debate_solver::registry;
    use debate_solver::setup::LoadedScenario;

    /// Computes Alice's expected payoff between these players in a bundled scenario, exactly.
    fn expected_payoff(scenario: &str, players: [&str; 3]) -> Exact {
        let setup =
            LoadedScenario::load_bundled_scenario(scenario, &ScenarioLimits::default()).unwrap();
        let seed = debate_core::chance::Seed::new("levels").unwrap();
        let instance = setup.instance(setup.world_of_debate(&seed, 0));
        let players = players.map(|name| PlayerSpec::parse(name).unwrap());
        let solver = DebateSolutionInputs {
            registry: &registry::<Exact>(),
            protocol: &setup.protocol,
            players: &players,
            grid: &[],
        };
        solver
            .debate_value(&instance, ComputationBudget::default())
            .unwrap()
    }

    fn player(level: &DifficultyLevel, seat: Seat) -> &'static str {
        let mut players = level.players.iter();
        players.find(|(other, _)| *other == seat).unwrap().1
    }

    fn assert_increases(values: &[Exact]) {
        assert!(values.len() >= 4);
        assert!(values.is_sorted_by(|one, other| one < other), "{values:?}");
    }

    #[test]
    fn stronger_provers_earn_more_from_a_bob_who_always_says_90_percent() {
        let payoff = |level: &DifficultyLevel| {
            expected_payoff(
                "primes-4331",
                [player(level, Prover), "stubborn(0.9)", "oracle"],
            )
        };
        assert_increases(&PROVERS.iter().map(payoff).collect::<Vec<_>>());
    }

    #[test]
    fn stronger_estimators_pay_less_to_an_honest_alice() {
        let cost = |level: &DifficultyLevel| {
            let bob = player(level, Opponent);
            -expected_payoff("hidden-flaw-count", ["honest", bob, "oracle"])
        };
        assert_increases(&ESTIMATORS.iter().map(cost).collect::<Vec<_>>());
    }

    /// The sentence about the last level: bets before the last claim gain nothing on average, and an Alice who knows
    /// only what Bob knows still gains from the last claim.
    #[test]
    fn only_the_last_claim_of_a_consistent_bob_pays() {
        let setup =
            LoadedScenario::load_bundled_scenario("primes", &ScenarioLimits::default()).unwrap();
        let seed = debate_core::chance::Seed::new("levels").unwrap();
        let instance = setup.instance(setup.world_of_debate(&seed, 0));
        let case = |prover: &str| {
            let players = [prover, REFERENCE, "oracle"];
            let own = Seat::PLAYERS.map(|seat| {
                PlayerSpec::parse(setup.players.text_of_seat(seat).unwrap_or_default()).ok()
            });
            ReviewContext::new(
                &instance,
                &setup.protocol,
                players.map(|name| PlayerSpec::parse(name).unwrap()),
                own,
                debate_core::player::StrategyRegistry::registry_with_builtin_players(),
            )
        };
        let budget = ComputationBudget::default();
        for prover in ["honest", "obfuscator", "errs(+, -)"] {
            let trials = case(prover).trials(&[], &seed, 1, budget, &|_| {}).unwrap();
            let [_, gaps, coins, _] = trials.pair.exact_parts.unwrap();
            assert!(gaps == Exact::default(), "{prover}: {gaps}");
            assert!(coins == Exact::default(), "{prover}: {coins}");
        }
        let hints = case("human").reply_hints(&[], budget).unwrap();
        assert!(hints.instances > 1);
        assert!(hints.best_reply().unwrap().value.is_positive());
    }

    #[test]
    fn the_errors_of_a_judge_change_more_before_stronger_debaters() {
        let change = |level: &DifficultyLevel| {
            let payoff = |judge| {
                let debaters = [Prover, Opponent].map(|seat| player(level, seat));
                expected_payoff("primes-4331", [debaters[0], debaters[1], judge])
            };
            (payoff("noisy(0.1)") - payoff("oracle")).abs()
        };
        assert_increases(&DEBATERS.iter().map(change).collect::<Vec<_>>());
    }

    /// The sentence about the last level for a judge.
    #[test]
    fn an_error_of_the_judge_turns_a_gain_of_half_the_stake_into_a_loss() {
        let payoff = |judge| expected_payoff("primes-4331", ["honest", "stubborn(0.5)", judge]);
        let (right, wrong) = (payoff("oracle"), payoff("noisy(1)"));
        assert_eq!(&right - &wrong, Exact::ratio(1, 1), "{right} {wrong}");
    }

    #[test]
    fn the_sentence_about_errs_names_her_bets_in_this_debate() {
        let sentence = |prover: &str, adapts| {
            let players = [prover, "human", "oracle"].map(str::to_owned);
            errs_bets_sentence(Opponent, &players, adapts)
        };
        assert_eq!(
            sentence("errs(+, +)", true).unwrap(),
            "Before the last claim, this Alice always bet “too low”. In later debates, the gaps in your last five debates decide her bets."
        );
        assert_eq!(
            sentence("errs(-, +)", false).unwrap(),
            "Before the last claim, this Alice bet “too high” below 50 % and “too low” from 50 % on."
        );
        assert_eq!(sentence("obfuscator", true), None);
    }

    /// The end of a daily debate names no next opponent, because home does not count daily debates for the level.
    #[test]
    fn the_sentence_at_the_end_names_the_next_level_if_asked() {
        let setup =
            LoadedScenario::load_bundled_scenario("primes-4331", &ScenarioLimits::default())
                .unwrap();
        let seed = debate_core::chance::Seed::new("levels").unwrap();
        let instance = setup.instance(setup.world_of_debate(&seed, 0));
        let registry = registry::<Exact>();
        // A Bob whose numbers have no gap wins.
        let names = ["errs(+, -)", REFERENCE, "oracle"];
        let players = Seat::PLAYERS.map(|seat| {
            let spec = PlayerSpec::parse(names[seat.seat_index()]).unwrap();
            let built = registry.build(&spec, seat, &instance, &setup.protocol);
            Player::Builtin(built.unwrap())
        });
        let start = setup.protocol.start::<Exact>(&instance).unwrap();
        let mut seating = SeatedDebate::new(start, players, &seed, 0);
        while seating.make_automatic_move().is_ok() {}
        let names = [names[0], "human", names[2]].map(str::to_owned);
        let end = |names_next| {
            level_end_sentence(&seating, &instance, &names, false, names_next).unwrap()
        };
        assert!(end(true).starts_with("3 of 5: "));
        assert!(end(true).contains("Next opponent, level 4 of 5: "));
        assert!(!end(false).contains("Next opponent"), "{}", end(false));
        for names_next in [false, true] {
            assert!(!end(names_next).contains("Levels are ordered"));
        }
        let (step, next) = recommended_level(&seating, &instance, &names).unwrap();
        assert_eq!(step, LevelStep::Harder);
        assert!(next.starts_with("level 4 of 5: "), "{next}");
    }

    /// The seat screen, the form, home and the end name the same level for the same players.
    #[test]
    fn a_level_has_one_number_and_the_names_of_its_players() {
        let kind = ProtocolKind::ProverEstimator;
        let players = |bob: &str| ["human", bob, "oracle"].map(str::to_owned);
        for bob in [REFERENCE, BAYES] {
            let level = level_of_players_text(kind, Prover, &players(bob)).unwrap();
            assert_eq!(level, "level 4 of 4");
            let seated = ESTIMATORS[3].seated_player_names_text(&players(bob));
            assert!(seated.contains(&format!("(`{bob}`)")), "{seated}");
        }
        let next = ESTIMATORS[3].player_names_text();
        assert!(next.contains(REFERENCE) && next.contains(BAYES), "{next}");
        assert_eq!(level_of_players_text(kind, Prover, &players("even")), None);
        let judged = ["errs(-, +)", BAYES, "human"].map(str::to_owned);
        let seats: Vec<Seat> = seats_that_determine_difficulty_level(kind, Seat::Judge).collect();
        assert_eq!(seats, [Prover, Opponent]);
        assert_eq!(
            DEBATERS[1].seated_player_names_text(&judged),
            "Alice is a player who looks only at Bob's number (`errs`), Bob is an estimator who uses all that he knows \
             (`bayes`)"
        );
        // Before the debate, the judge must not know which Alice argues.
        for level in DEBATERS {
            let names = level.player_names_text();
            assert!(names.starts_with("Bob is "), "{names}");
            assert!(!names.contains("Alice"), "{names}");
        }
    }

    #[test]
    fn adjacent_levels_are_one_step_from_the_current_one() {
        let kind = ProtocolKind::ProverEstimator;
        let names = |prover: &str| [prover, "human", "oracle"].map(str::to_owned);
        let adjacent = |prover: &str| {
            [LevelStep::Easier, LevelStep::Harder]
                .map(|step| adjacent_difficulty_index(kind, Opponent, &names(prover), step))
        };
        assert_eq!(adjacent("lazy"), [None, Some(1)]);
        // Her signs follow the user.
        assert_eq!(adjacent("errs(-, +)"), [Some(1), Some(3)]);
        assert_eq!(adjacent("honest"), [Some(3), None]);
        assert_eq!(adjacent("contrarian"), [None, None]);
        let judged = ["errs(+, -)", "bayes", "human"].map(str::to_owned);
        let harder = LevelStep::Harder;
        assert_eq!(
            adjacent_difficulty_index(kind, Seat::Judge, &judged, harder),
            Some(2)
        );
        let easier = |players| adjacent_difficulty_level(kind, players, LevelStep::Easier);
        assert_eq!(easier(&judged), DEBATERS.first());
        let watched = ["errs(+, -)", "bayes", "oracle"].map(str::to_owned);
        assert_eq!(easier(&watched), None);
        assert!(difficulty_levels(ProtocolKind::Recursive, Opponent).is_empty());
    }
}
