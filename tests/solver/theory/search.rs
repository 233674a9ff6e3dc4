use crate::solver::simulate::every_flipped_byte_is_found;
use debate_core::budget::ComputationBudget;
use debate_core::number::{Exact, parse};
use debate_core::protocol::SupportDisputeRule;
use debate_core::protocol::prover_estimator::{CarriedEstimateKind, EarlyLeafWeight};
use debate_theory::search::{
    CounterexampleSearch, CounterexampleSearchResults, GameReportedBySearch,
    GameSearchSpaceParameters, GameSpace, RootSupportSoundnessFilter, SearchShard,
    StatementTestedOnGames,
};

fn numbers(text: &str) -> Vec<Exact> {
    text.split(',').map(|part| parse(part).unwrap()).collect()
}

fn terms() -> GameSearchSpaceParameters {
    GameSearchSpaceParameters {
        leaves: [1, 2],
        depth: 1,
        worlds: [1, 2],
        weight: [1, 3],
        counting: false,
        supports: RootSupportSoundnessFilter::Sound,
        stable: false,
        epsilons: numbers("1/4"),
        rhos: numbers("1/2"),
        carry: CarriedEstimateKind::Conditional,
        early_leaf: EarlyLeafWeight::Jump,
        warrants: SupportDisputeRule::None,
    }
}

fn search(space: &GameSpace, statement: StatementTestedOnGames) -> CounterexampleSearchResults {
    let search = CounterexampleSearch {
        space,
        statement,
        games: 0..space.game_count(),
        threads: 2,
    };
    search.run(ComputationBudget::default()).unwrap()
}

/// The smallest game in which a statement fails, after checking that `solve` agrees.
#[track_caller]
fn smallest(space: &GameSpace, statement: StatementTestedOnGames) -> GameReportedBySearch {
    let number = search(space, statement).smallest.expect("it fails");
    let found = GameReportedBySearch::of(space, statement, number)
        .unwrap()
        .unwrap();
    assert!(
        found.is_payoff_confirmed_by_solver() && found.fails,
        "{found:?}"
    );
    found
}

/// Errata 1 (a): the liar of the proof's construction, an `All` of two claims with exactly one false.
#[test]
fn a_posterior_pays_a_liar_without_knowledge() {
    let space = GameSpace::new(terms()).unwrap();
    let found = smallest(&space, StatementTestedOnGames::Posterior);
    assert_eq!(
        found.game,
        "all of 2 leaves; instances 00: 1, 11: 1; ε = 1/4, ρ = 1/2"
    );
    // The game in the errata has the same size.
    let errata = with_instances(
        &space,
        &["01", "10"],
        StatementTestedOnGames::Posterior,
        "1/2",
    );
    assert!(
        errata.fails && errata.game.starts_with("all of 2"),
        "{errata:?}"
    );
}

/// Errata 1 (b) in a smaller game: the claim that two leaves differ, which are always equal.
#[test]
fn every_blind_bob_leaves_a_liar_more_than_the_bound() {
    let space = GameSpace::new(terms()).unwrap();
    let found = smallest(&space, StatementTestedOnGames::Soundness);
    let least = "an odd number of 2 leaves; instances 00: 1, 11: 1; ε = 1/4, ρ = 1/2";
    assert_eq!((&*found.game, &*found.units), (least, "1/2"));
    // The errata's own case: not two of four.
    let wide = GameSpace::new(GameSearchSpaceParameters {
        leaves: [4, 4],
        worlds: [6, 6],
        weight: [6, 6],
        counting: true,
        ..terms()
    })
    .unwrap();
    let errata = with_instances(
        &wide,
        &["0011", "0101", "0110", "1001", "1010", "1100"],
        StatementTestedOnGames::Soundness,
        "5/8192",
    );
    assert!(
        errata.fails && errata.is_payoff_confirmed_by_solver(),
        "{errata:?}"
    );
}

/// The names of the instances in a game's summary.
fn instances(summary: &str) -> Vec<&str> {
    let (_, list) = summary.split_once("; instances ").unwrap();
    let (list, _) = list.split_once("; ").unwrap();
    let each = list.split(", ");
    each.map(|one| one.split_once(": ").unwrap().0).collect()
}

/// The game with these instances and this value.
#[track_caller]
fn with_instances(
    space: &GameSpace,
    names: &[&str],
    of: StatementTestedOnGames,
    worth: &str,
) -> GameReportedBySearch {
    let numbers = (0..space.game_count()).filter(|number| {
        let game = space.game_unless_negation_of_earlier(*number);
        game.is_some_and(|game| instances(&game.searched_game_summary()) == names)
    });
    let mut found =
        numbers.filter_map(|number| GameReportedBySearch::of(space, of, number).unwrap());
    found
        .find(|found| found.value == worth)
        .expect("it is in the space")
}

/// Errata 2: carried marginals break completeness on a stable claim; carried conditionals do not.
#[test]
fn carried_marginals_break_completeness() {
    let of = |carry, weight| {
        GameSpace::new(GameSearchSpaceParameters {
            leaves: [3, 3],
            worlds: [4, 4],
            weight,
            counting: true,
            rhos: numbers("3/4"),
            carry,
            ..terms()
        })
        .unwrap()
    };
    let found = smallest(
        &of(CarriedEstimateKind::Marginal, [8, 8]),
        StatementTestedOnGames::Completeness,
    );
    let errata = "most of 3 leaves; instances 000: 5, 011: 1, 101: 1, 110: 1; ε = 1/4, ρ = 3/4";
    assert_eq!((&*found.game, &*found.units), (errata, "5/8"));
    assert_eq!(
        search(
            &of(CarriedEstimateKind::Conditional, [4, 5]),
            StatementTestedOnGames::Completeness
        )
        .violations,
        0
    );
}

/// Errata 7: a support that does not imply its claim, under both rules.
#[test]
fn a_support_that_does_not_carry_its_claim_pays_liars() {
    let unsound = GameSpace::new(GameSearchSpaceParameters {
        supports: RootSupportSoundnessFilter::Any,
        ..terms()
    })
    .unwrap();
    let sound = GameSpace::new(terms()).unwrap();
    let disputed = GameSpace::new(GameSearchSpaceParameters {
        supports: RootSupportSoundnessFilter::Unsound,
        warrants: SupportDisputeRule::Challenge,
        ..unsound.terms.clone()
    })
    .unwrap();
    for statement in [
        StatementTestedOnGames::Recursion,
        StatementTestedOnGames::TruthfulBob,
    ] {
        let found = smallest(&unsound, statement);
        assert_eq!(
            found.game,
            "all of 1 leaf, unsound; instances 1: 1; ε = 1/4, ρ = 1/2"
        );
        assert_eq!(search(&sound, statement).violations, 0);
    }
    for statement in [
        StatementTestedOnGames::Recursion,
        StatementTestedOnGames::TruthfulBob,
        StatementTestedOnGames::Soundness,
    ] {
        // The right to dispute the step does not cost Bob anything.
        assert_eq!(search(&disputed, statement).violations, 0);
        let nearest = search(&disputed, statement).farthest.unwrap().0;
        let nearest = GameReportedBySearch::of(&disputed, statement, nearest)
            .unwrap()
            .unwrap();
        assert!(nearest.is_payoff_confirmed_by_solver(), "{nearest:?}");
    }
}

/// The search computes the same value as the rules for each game.
#[test]
fn every_value_agrees_with_solve() {
    let mut looked = 0;
    for (early_leaf, carry, warrants) in [
        (
            EarlyLeafWeight::Jump,
            CarriedEstimateKind::Conditional,
            SupportDisputeRule::None,
        ),
        (
            EarlyLeafWeight::InPlace,
            CarriedEstimateKind::Marginal,
            SupportDisputeRule::None,
        ),
        (
            EarlyLeafWeight::Jump,
            CarriedEstimateKind::Marginal,
            SupportDisputeRule::Challenge,
        ),
    ] {
        for supports in [
            RootSupportSoundnessFilter::Sound,
            RootSupportSoundnessFilter::Unsound,
        ] {
            let space = GameSpace::new(GameSearchSpaceParameters {
                leaves: [1, 3],
                depth: 2,
                worlds: [1, 3],
                weight: [1, 5],
                supports,
                epsilons: numbers("1/10,1/4"),
                carry,
                early_leaf,
                warrants,
                ..terms()
            })
            .unwrap();
            for (_, statement) in StatementTestedOnGames::ALL {
                for number in (0..space.game_count())
                    .step_by(usize::try_from(space.game_count()).unwrap() / 5)
                {
                    let found = GameReportedBySearch::of(&space, statement, number).unwrap();
                    let Some(found) = found else { continue };
                    assert!(
                        found.is_payoff_confirmed_by_solver(),
                        "{statement:?} {found:?}"
                    );
                    looked += 1;
                }
            }
        }
    }
    assert!(looked > 40, "{looked}");
}

/// The shards of a search sum to the whole.
#[test]
fn shards_of_a_search_merge_to_the_whole() {
    let space = GameSpace::new(terms()).unwrap();
    let whole = search(&space, StatementTestedOnGames::Posterior);
    let half = space.game_count() / 2;
    let part = |games| {
        let part = CounterexampleSearch {
            space: &space,
            statement: StatementTestedOnGames::Posterior,
            games,
            threads: 1,
        };
        part.run(ComputationBudget::default()).unwrap()
    };
    let (mut sum, second) = (part(0..half), part(half..space.game_count()));
    sum.add(&second);
    sum.end = second.end;
    assert_eq!(sum, whole);
}

/// Lists that exceed the memory are refused before they are made.
#[test]
fn a_space_too_large_to_be_listed_is_refused() {
    let large = |worlds, weight| {
        GameSpace::new(GameSearchSpaceParameters {
            leaves: [4, 4],
            worlds,
            weight,
            counting: true,
            ..terms()
        })
    };
    assert!(large([1, 3], [1, 8]).is_ok());
    assert!(large([16, 16], [64, 64]).is_err());
    assert!(large([1, 8], [1, 64]).is_err());
}

/// A shard names its own search space, which is as untrusted as any file.
#[test]
fn an_invalid_search_shard_is_refused() {
    let space = GameSpace::new(terms()).unwrap();
    let results = search(&space, StatementTestedOnGames::Completeness);
    let part = SearchShard::new(
        StatementTestedOnGames::Completeness,
        &space.terms,
        space.game_count(),
        results,
    );
    let text = part.to_json_line().unwrap();
    // Shards of format 1 have no digest, so only implausible content reveals a change.
    let (rest, _) = text.split_once(",\"digest\"").unwrap();
    let old = format!("{rest}}}").replace("\"debate_tui_search\":2", "\"debate_tui_search\":1");
    assert_eq!(SearchShard::parse_search_shard_file(&old).unwrap(), part);
    every_flipped_byte_is_found(&text, |text| {
        SearchShard::parse_search_shard_file(text).is_ok()
    });
    let refused = |from: &str, to: &str| {
        let changed = old.replace(from, to);
        assert_ne!(changed, old, "{from}");
        let read = SearchShard::parse_search_shard_file(&changed)
            .and_then(|part| part.statement_and_space());
        read.expect_err(to).to_string()
    };
    assert!(
        SearchShard::parse_search_shard_file(&text)
            .unwrap()
            .statement_and_space()
            .is_ok()
    );
    let until = format!("\"until\":{}", space.game_count());
    assert!(refused(&until, "\"until\":18446744073709551615").contains("there are"));
    assert!(refused("[\"1/4\"]", "[\"3/4\"]").contains("below 1/2"));
    assert!(refused("[\"1/2\"]", "[\"0\"]").contains("above 0"));
    assert!(refused("\"none\"", "\"perhaps\"").contains("perhaps"));
    assert!(refused("\"worlds\":[1,2]", "\"worlds\":[1,17]").contains("has a limit"));
}

/// Every statement has one sentence that no other statement has.
#[test]
fn every_statement_is_one_sentence() {
    let told: std::collections::HashMap<&str, &str> =
        ron::from_str(include_str!("../../../src/theory/search/statements.ron"))
            .expect("sentences");
    assert_eq!(told.len(), StatementTestedOnGames::ALL.len());
    assert!(
        StatementTestedOnGames::ALL
            .iter()
            .all(|(_, one)| !one.statement_text().is_empty())
    );
}
