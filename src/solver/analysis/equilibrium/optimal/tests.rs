use super::*;
use crate::scenarios::setup;
use crate::setup::{Limits, Setup};
use debate_core::number::parse;
use debate_core::player::Knowledge;

/// Numbers that look random and are the same every time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: u32) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        u32::try_from(self.0 >> 40).unwrap() % most
    }
}

fn solved(setup: &Setup, knows: [&str; 2], grid: &[&str], alpha: &str) -> OptimalPlay {
    judged(setup, knows, grid, (alpha, "oracle"))
}

fn judged(
    setup: &Setup,
    knows: [&str; 2],
    grid: &[&str],
    (alpha, judge): (&str, &str),
) -> OptimalPlay {
    let worlds = setup.decomposition.worlds();
    let total: Exact = worlds.iter().map(|world| &world.weight).sum();
    let shares = worlds
        .iter()
        .map(|world| &world.weight / &total)
        .enumerate();
    let instances: Vec<(Exact, Instance)> = shares
        .map(|(world, share)| (share, setup.instance(world)))
        .collect();
    let blocks = knows.map(|text| {
        let knowledge = Knowledge::parse(text).unwrap();
        knowledge.blocks(setup.decomposition.as_ref()).unwrap()
    });
    let grid: Vec<Exact> = grid.iter().map(|p| parse(p).unwrap()).collect();
    let game = GameOfAll {
        protocol: &setup.protocol,
        judge: &Spec::parse(judge).unwrap(),
        instances: &instances,
        blocks: blocks.each_ref().map(|blocks| &**blocks),
        queries: [0, 0],
        grid: &grid,
        alpha: &parse(alpha).unwrap(),
        rounds: 500,
    };
    game.solve(Budget::default()).unwrap()
}

/// The game of a matrix: each side has one set, and neither sees what the other says.
fn matrix(payoff: &[Vec<Exact>]) -> SequenceForm<Exact> {
    use crate::analysis::equilibrium::sequence_form::{InformationSet, SeatForm};
    let seat = |replies: usize| SeatForm {
        sets: vec![InformationSet {
            parent: 0,
            first: 1,
            replies,
        }],
        sequences: replies + 1,
    };
    let mut rows = vec![std::collections::BTreeMap::new()];
    rows.extend(payoff.iter().map(|row| {
        let each = row.iter().cloned().enumerate();
        each.map(|(column, payoff)| (column + 1, payoff)).collect()
    }));
    SequenceForm {
        seats: [seat(payoff.len()), seat(payoff[0].len())],
        payoff: rows,
        truly: None,
        positions: 0,
    }
}

/// The exact value of a matrix game by enumeration: of all pairs of supports of one size the plans
/// that make the other side indifferent; the pair that nobody improves on.
fn by_enumeration(payoff: &[Vec<Exact>]) -> Exact {
    let (rows, columns) = (payoff.len(), payoff[0].len());
    let subsets = |count: usize| (1_u32..1 << count).collect::<Vec<_>>();
    let places = |set: u32, count: usize| (0..count).filter(move |at| set >> at & 1 == 1);
    for own in subsets(rows) {
        for other in subsets(columns) {
            if own.count_ones() != other.count_ones() {
                continue;
            }
            let own: Vec<usize> = places(own, rows).collect();
            let other: Vec<usize> = places(other, columns).collect();
            let square = |transposed: bool| -> Vec<Vec<Exact>> {
                let (one, two) = if transposed {
                    (&own, &other)
                } else {
                    (&other, &own)
                };
                let each = one.iter().map(|at| {
                    let row = two.iter().map(|with| {
                        let (row, column) = if transposed {
                            (*at, *with)
                        } else {
                            (*with, *at)
                        };
                        payoff[row][column].clone()
                    });
                    row.collect()
                });
                each.collect()
            };
            // Σ x_i A_ij = v for each j of the support, Σ x = 1; and the same of y.
            let Some((x, value)) = indifferent(&square(false)) else {
                continue;
            };
            let Some((y, _)) = indifferent(&square(true)) else {
                continue;
            };
            if x.iter().chain(&y).any(|weight| *weight < Exact::default()) {
                continue;
            }
            let kept = (0..columns).all(|column| {
                let sum: Exact = own
                    .iter()
                    .zip(&x)
                    .map(|(row, x)| x * &payoff[*row][column])
                    .sum();
                sum >= value
            });
            let held = (0..rows).all(|row| {
                let sum: Exact = other
                    .iter()
                    .zip(&y)
                    .map(|(column, y)| y * &payoff[row][*column])
                    .sum();
                sum <= value
            });
            if kept && held {
                return value;
            }
        }
    }
    panic!("every matrix game has a value");
}

/// Weights that sum to 1 and give every row of a square matrix the same sum, and that sum.
fn indifferent(square: &[Vec<Exact>]) -> Option<(Vec<Exact>, Exact)> {
    let size = square.len();
    let one = Exact::ratio(1, 1);
    // Unknowns: the weights and the sum.
    let mut system: Vec<Vec<Exact>> = square
        .iter()
        .map(|row| {
            let mut row = row.clone();
            row.extend([-one.clone(), Exact::default()]);
            row
        })
        .collect();
    let mut last = vec![one.clone(); size];
    last.extend([Exact::default(), one]);
    system.push(last);
    for column in 0..=size {
        let pivot = (column..=size).find(|row| system[*row][column] != Exact::default())?;
        system.swap(column, pivot);
        let by = system[column][column].clone();
        for entry in &mut system[column] {
            *entry /= &by;
        }
        let own = system[column].clone();
        for (place, row) in system.iter_mut().enumerate() {
            if place != column && row[column] != Exact::default() {
                let by = row[column].clone();
                for (entry, own) in row.iter_mut().zip(&own) {
                    *entry -= &by * own;
                }
            }
        }
    }
    let mut found: Vec<Exact> = system.iter().map(|row| row[size + 1].clone()).collect();
    let value = found.pop()?;
    Some((found, value))
}

#[test]
fn programs_and_double_oracle_agree_with_enumeration_on_random_matrix_games() {
    let mut numbers = Numbers(7);
    for _ in 0..150 {
        let (rows, columns) = (1 + numbers.below(4) as usize, 1 + numbers.below(4) as usize);
        let entry = |numbers: &mut Numbers| Exact::ratio(i64::from(numbers.below(13)) - 6, 6);
        let payoff: Vec<Vec<Exact>> = (0..rows)
            .map(|_| (0..columns).map(|_| entry(&mut numbers)).collect())
            .collect();
        let value = by_enumeration(&payoff);
        let form = matrix(&payoff);
        let floats = form.floats();
        let by_programs = [0, 1].map(|side| optimal_plan(&floats, side).unwrap());
        let Ok(reached) = by_double_oracle(&floats, 100, 1e-12, Budget::default()) else {
            panic!("a small game");
        };
        for plans in [by_programs, reached.plans] {
            let (lower, _) = form.best_reply(1, &form.rounded(0, &plans[0]));
            let (upper, _) = form.best_reply(0, &form.rounded(1, &plans[1]));
            assert!(lower <= value && value <= upper, "{payoff:?}");
            assert!((&upper - &lower).to_float() < 1e-9, "{payoff:?}");
        }
    }
}

/// Both pages right is always false. Whoever may say 0, ½ and 1 and does not know the page.
#[test]
fn the_game_of_two_pages_has_a_narrow_bracket() {
    let setup = Setup::bundled("hidden-flaw", &Limits::default()).unwrap();
    let found = solved(&setup, ["everything", "offered"], &["0", "1/2", "1"], "0");
    assert_eq!(found.rounds, None);
    assert!(found.lower <= found.upper);
    let width = (&found.upper - &found.lower) / &found.range;
    assert!(width.to_float() <= 1e-9, "{width}");
    // The named players are among all: `marginal` holds the blind `exploiter` to r²/4.
    assert!(found.lower > Exact::default());
    let blind = solved(&setup, ["nothing", "offered"], &["0", "1/2", "1"], "0");
    assert!(blind.upper <= found.upper);
    assert!(blind.lower_of_all.unwrap() < blind.lower);
}

/// A threshold of two leaves in two instances, an Alice who knows none of it, and four numbers: the
/// root's coin, which decides nothing but what it pays, is in no history, and one program a side
/// takes it all.
#[test]
fn a_threshold_of_two_leaves_is_settled_by_programs() {
    for (least, first, second) in [
        (1, [true, false], [true, true]),
        (2, [true, false], [true, true]),
        (2, [false, false], [true, true]),
        (1, [false, true], [true, false]),
    ] {
        let truths = |[a, b]: [bool; 2]| format!("{{\"a\": {a}, \"b\": {b}}}");
        let setup = setup(&format!(
            r#"Scenario(
            format: 1, title: "Threshold",
            problem: Argument(root: "r", claims: {{
                "r": Claim(text: "Enough.", supports: [
                    Support(gate: AtLeast({least}), on: ["a", "b"])]),
                "a": Claim(text: "A.", truth: true),
                "b": Claim(text: "B.", truth: true),
            }}, worlds: [World(name: "x", weight: 1, truths: {}),
                         World(name: "y", weight: 1, truths: {})]),
            protocol: ProverEstimator(epsilon: 0.25, rho: 0.5),
        )"#,
            truths(first),
            truths(second)
        ));
        let grid = ["0", "1/4", "3/4", "1"];
        let found = judged(
            &setup,
            ["nothing", "everything"],
            &grid,
            ("0", "noisy(1/10)"),
        );
        assert_eq!(found.rounds, None);
        let width = (&found.upper - &found.lower) / &found.range;
        assert!(width.to_float() <= 1e-9, "{width} {found:?}");
    }
}

/// Where the opponent knows everything and no step is unsound, a true answer is all that pays.
#[test]
fn against_whoever_knows_everything_only_the_true_answer_pays() {
    let setup = setup(
        r#"Scenario(
        format: 1, title: "Both?",
        problem: Argument(root: "r", claims: {
            "r": Claim(text: "Both.", supports: [Support(gate: All, on: ["a", "b"])]),
            "a": Claim(text: "A.", truth: true),
            "b": Claim(text: "B.", truth: true),
        }, worlds: [World(name: "1", weight: 1), World(name: "0", weight: 3, truths: {"b": false})]),
        protocol: ProverEstimator(epsilon: 0.25, rho: 0.5),
    )"#,
    );
    let found = solved(&setup, ["everything", "everything"], &["0", "1"], "0");
    // r² for the true answer.
    let prize = Exact::ratio(1, 1024);
    assert!(found.lower <= prize && prize <= found.upper);
    let least = found.least_truth.unwrap();
    assert!(
        (least.probability.to_float() - 1.0).abs() < 1e-6,
        "{least:?}"
    );
    // With α half of the prize half of the answers may be lies.
    let loose = solved(&setup, ["everything", "everything"], &["0", "1"], "1/2048");
    let least = loose.least_truth.unwrap();
    assert!(
        (least.probability.to_float() - 0.5).abs() < 1e-6,
        "{least:?}"
    );
    assert_eq!(least.alpha, Exact::ratio(1, 2048));
    assert!(least.keeps >= loose.lower - least.alpha, "exactly");
}

/// Plain recursion against somebody who knows everything: the liar loses always.
#[test]
fn plain_recursion_is_a_game_as_well() {
    let text = |sound: &str| {
        format!(
            r#"Scenario(
            format: 1, title: "Both?",
            problem: Argument(root: "r", claims: {{
                "r": Claim(text: "Both.", truth: false, supports: [
                    Support(gate: All, on: ["a", "b"]), Support(gate: All, on: ["a"], sound: {sound})]),
                "a": Claim(text: "A.", truth: true),
                "b": Claim(text: "B.", truth: false),
            }}),
            protocol: Recursive,
        )"#
        )
    };
    let found = solved(
        &setup(&text("false")),
        ["everything", "everything"],
        &[],
        "0",
    );
    // A true answer wins, and so does the unsound support.
    assert_eq!(
        (found.lower, found.upper),
        (Exact::ratio(1, 1), Exact::ratio(1, 1))
    );
    assert_eq!(found.lower_of_all, None);
    assert!(found.least_truth.unwrap().probability.to_float() < 1e-9);
}

/// What is said of α holds to the last digit: the plan keeps the lower end less α, where the solver's
/// tolerance is greater too.
#[test]
fn the_least_true_plan_keeps_what_is_said() {
    let setup = Setup::bundled("hidden-flaw", &Limits::default()).unwrap();
    for alpha in ["0", "1/100000000000"] {
        let found = solved(&setup, ["everything", "nothing"], &["0", "1/2", "1"], alpha);
        let least = found.least_truth.unwrap();
        assert!(
            least.keeps >= &found.lower - &least.alpha,
            "{alpha}: {least:?}"
        );
        let asked = parse(alpha).unwrap();
        assert!(
            least.alpha == asked || asked == Exact::default(),
            "{least:?}"
        );
    }
}

#[test]
fn the_loss_to_the_continuum_falls_with_the_grid() {
    let setup = Setup::bundled("hidden-flaw", &Limits::default()).unwrap();
    let size = setup.decomposition.size(0);
    let loss = |parts: i64| {
        let grid: Vec<Exact> = (0..=parts).map(|part| Exact::ratio(part, parts)).collect();
        continuum_loss(&setup.protocol, &size, &grid).unwrap()
    };
    // h = ¼, r = 1/32, d = 1, q = 2: h (33/32 + 1/1024 + 33/16 + 2 · 33/16).
    let h = Exact::ratio(1, 4);
    let all = Exact::ratio(33, 32) * Exact::ratio(7, 1) + Exact::ratio(1, 1024);
    assert_eq!(loss(2), h * all);
    assert_eq!(loss(20), loss(2) / Exact::ratio(10, 1));
}
