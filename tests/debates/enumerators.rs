//! Small brute-force computations on random games, written from the papers' definitions without the program's code.

use std::fmt::Write as _;

use debate_core::budget::ComputationBudget;
use debate_core::number::{Exact, Number as _, parse, power};
use debate_core::player::{PlayerSpec, StrategyRegistry};
use debate_solver::analysis::DebateSolutionInputs;
use debate_solver::setup::{LoadedScenario, ScenarioLimits, ScenarioTextSource};
use debate_theory::query_complexity::{BooleanFunction, FunctionsOfFewQueries, complexity_bounds};
use num_traits::{One as _, Signed as _, Zero as _};

/// Number of games of each kind.
const GAMES: u64 = 50;

/// A deterministic sequence of pseudorandom numbers.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % most
    }

    fn of<'t>(&mut self, each: &[&'t str]) -> &'t str {
        each[self.below(each.len())]
    }
}

/// A claim; a leaf if it has no subclaims.
struct Claim {
    gate: &'static str,
    on: Vec<Self>,
    truth: bool,
}

/// The value of a gate.
fn gate(name: &str, inputs: &[bool]) -> bool {
    let ones = inputs.iter().filter(|input| **input).count();
    match name {
        "All" => ones == inputs.len(),
        "Any" => ones > 0,
        "Xor" => ones % 2 == 1,
        // The strict majority.
        _ => 2 * ones > inputs.len(),
    }
}

impl Claim {
    /// A random claim with at most `levels` levels below it; the root is not a leaf.
    fn random(levels: u32, is_root: bool, numbers: &mut Numbers) -> Self {
        let count = match (levels, is_root) {
            (0, _) => 0,
            (_, true) => 1 + numbers.below(3),
            _ => numbers.below(3),
        };
        let gate_name = numbers.of(&["All", "Any", "Xor", "Majority"]);
        let below = |_| Self::random(levels - 1, false, numbers);
        let on: Vec<Self> = (0..count).map(below).collect();
        let truths: Vec<bool> = on.iter().map(|claim| claim.truth).collect();
        let truth = if on.is_empty() {
            numbers.below(2) == 0
        } else {
            gate(gate_name, &truths)
        };
        Self {
            gate: gate_name,
            on,
            truth,
        }
    }

    fn is_leaf(&self) -> bool {
        self.on.is_empty()
    }

    /// Length of the longest path to a leaf.
    fn depth(&self) -> u32 {
        let below = self.on.iter().map(Self::depth).max();
        below.map_or(0, |below| below + 1)
    }

    /// Writes the claim and the claims below it in the format of scenarios.
    fn write(&self, id: &str, text: &mut String) {
        if self.is_leaf() {
            let _ = write!(
                text,
                "\"{id}\": Claim(text: \"{id}\", truth: {}), ",
                self.truth
            );
            return;
        }
        let ids: Vec<String> = (0..self.on.len()).map(|at| format!("{id}{at}")).collect();
        let _ = write!(
            text,
            "\"{id}\": Claim(text: \"{id}\", supports: [Support(gate: {}, on: {ids:?})]), ",
            self.gate
        );
        for (claim, id) in self.on.iter().zip(&ids) {
            claim.write(id, text);
        }
    }
}

/// An estimator: its estimate of each claim.
type Says<'n> = Box<dyn Fn(&Claim) -> Exact + 'n>;

/// PE Figure 2 about a random claim: r_init = r^(d+1)·1(ẑ = a), r_k = r^k·A_k·(M(z) − p_k), r_0 = A_0·(O − p_0).
struct Game {
    root: Claim,
    epsilon: Exact,
    ratio: Exact,
    /// Probability that the judge's answer is the opposite of a leaf's truth.
    flip: Exact,
    setup: LoadedScenario,
}

/// The sign of an error if its size exceeds `least`, else 0.
fn direction(error: &Exact, least: &Exact) -> Exact {
    if error.abs() > *least {
        error.signum()
    } else {
        Exact::zero()
    }
}

impl Game {
    fn random(numbers: &mut Numbers) -> Self {
        let root = Claim::random(2, true, numbers);
        let epsilon = numbers.of(&["1/10", "1/4", "2/5"]);
        let rho = numbers.of(&["1/9", "1/2", "3/4"]);
        let mut claims = String::new();
        root.write("c", &mut claims);
        let text = format!(
            "Scenario(format: 1, title: \"Random\", problem: Argument(root: \"c\", claims: {{{claims}}}), \
             protocol: ProverEstimator(epsilon: \"{epsilon}\", rho: \"{rho}\"))"
        );
        let origin = ScenarioTextSource::Text("a test".to_owned());
        let setup = LoadedScenario::from_text(&text, origin, &ScenarioLimits::default()).unwrap();
        let [epsilon, rho] = [epsilon, rho].map(|number| parse(number).unwrap());
        Self {
            root,
            ratio: &epsilon * (Exact::one() - rho) / Exact::ratio(4, 1),
            epsilon,
            flip: parse(numbers.of(&["0", "1/20", "1/3"])).unwrap(),
            setup,
        }
    }

    /// The program's value of the game between these players.
    fn value(&self, prover: &str, opponent: &str, grid: &[Exact]) -> Exact {
        let instance = self.setup.instance(0);
        let judge = format!("noisy({})", self.flip);
        let players = [prover, opponent, &judge].map(|name| PlayerSpec::parse(name).unwrap());
        let solver = DebateSolutionInputs::<Exact> {
            registry: &StrategyRegistry::registry_with_builtin_players(),
            protocol: &self.setup.protocol,
            players: &players,
            grid,
        };
        solver
            .debate_value(&instance, ComputationBudget::default())
            .unwrap()
    }

    /// Probability that the judge answers yes to a leaf.
    fn yes(&self, leaf: &Claim) -> Exact {
        let truth = Exact::indicator(leaf.truth);
        &truth + &self.flip - &truth * &self.flip * Exact::ratio(2, 1)
    }

    /// Expected payment for the answer to the root.
    fn first(&self, answer: bool, p: &Exact) -> Exact {
        let prize = power(&self.ratio, self.root.depth() + 1);
        prize * if answer { p.clone() } else { Exact::one() - p }
    }

    /// All outcomes of a round's coins, each with its probability.
    fn outcomes(estimates: &[Exact]) -> impl Iterator<Item = (Exact, Vec<bool>)> {
        (0..1_u32 << estimates.len()).map(move |number| {
            let bits: Vec<bool> = (0..estimates.len())
                .map(|at| number >> at & 1 == 1)
                .collect();
            let each = bits.iter().zip(estimates);
            let chance = each.map(|(bit, p)| if *bit { p.clone() } else { Exact::one() - p });
            (chance.product(), bits)
        })
    }

    /// Alice's maximum payoff from `claim` on, whose estimate was `p`, against a Bob with one estimate per claim.
    fn best_alice(&self, claim: &Claim, p: &Exact, k: u32, bob: &dyn Fn(&Claim) -> Exact) -> Exact {
        let bets = [-1, 0, 1].map(|bet| Exact::ratio(bet, 1));
        if claim.is_leaf() {
            let e = self.yes(claim);
            return bets.map(|bet| bet * (&e - p)).into_iter().max().unwrap();
        }
        let estimates: Vec<Exact> = claim.on.iter().map(bob).collect();
        let after = |(claim, p): (&Claim, &Exact)| self.best_alice(claim, p, k - 1, bob);
        let worth: Vec<Exact> = claim.on.iter().zip(&estimates).map(after).collect();
        let weight = power(&self.ratio, k);
        let with = |bet: Exact| -> Exact {
            let each = Self::outcomes(&estimates).map(|(chance, z)| {
                let paid = &weight * &bet * (Exact::indicator(gate(claim.gate, &z)) - p);
                // She chooses after seeing the coins.
                chance * (paid + worth.iter().max().unwrap())
            });
            each.sum()
        };
        bets.map(with).into_iter().max().unwrap()
    }

    /// Honest Alice's minimum payoff from `claim` on. `bets` is true if her rule lets her bet.
    fn worst_bob(&self, claim: &Claim, p: &Exact, k: u32, bets: bool, grid: &[Exact]) -> Exact {
        let own = Exact::indicator(claim.truth) - p;
        let bet = if bets {
            direction(&own, &self.epsilon)
        } else {
            Exact::zero()
        };
        if claim.is_leaf() {
            return bet * (self.yes(claim) - p);
        }
        let stake = power(&self.ratio, k) * bet;
        self.estimates(claim, p, (k, bets), &stake, grid, &mut Vec::new())
    }

    /// The same after the estimates in `said`, each with the outcome of its coin.
    fn estimates(
        &self,
        claim: &Claim,
        p: &Exact,
        (k, bets): (u32, bool),
        stake: &Exact,
        grid: &[Exact],
        said: &mut Vec<(Exact, bool)>,
    ) -> Exact {
        if said.len() < claim.on.len() {
            let each = grid.iter().map(|b| {
                let mut sum = Exact::zero();
                for (z, chance) in [(true, b.clone()), (false, Exact::one() - b)] {
                    if !chance.is_zero() {
                        said.push((b.clone(), z));
                        sum += chance * self.estimates(claim, p, (k, bets), stake, grid, said);
                        said.pop();
                    }
                }
                sum
            });
            return each.min().unwrap();
        }
        let z: Vec<bool> = said.iter().map(|(_, z)| *z).collect();
        // She continues with the first claim at which his estimate is furthest from the truth.
        let mut chosen = 0;
        let error = |at: usize| (&said[at].0 - Exact::indicator(claim.on[at].truth)).abs();
        for at in 1..said.len() {
            if error(at) > error(chosen) {
                chosen = at;
            }
        }
        let next = &said[chosen].0;
        stake * (Exact::indicator(gate(claim.gate, &z)) - p)
            + self.worst_bob(&claim.on[chosen], next, k - 1, bets, grid)
    }
}

#[test]
fn the_best_alice_gets_the_value_of_enumeration() {
    let mut numbers = Numbers(0x37a1);
    for round in 0..GAMES {
        let game = Game::random(&mut numbers);
        let number = parse(numbers.of(&["0", "1/4", "1/3", "1/2", "9/10"])).unwrap();
        let depth = game.root.depth();
        let truthful: Says<'_> = Box::new(|claim| Exact::indicator(claim.truth));
        let stubborn: Says<'_> = Box::new(|_| number.clone());
        let shifted: Says<'_> = Box::new(|claim| {
            let truth = Exact::indicator(claim.truth);
            (&truth - &number).abs()
        });
        for (name, bob) in [
            ("truthful".to_owned(), truthful),
            (format!("stubborn({number})"), stubborn),
            (format!("shifted({number})"), shifted),
        ] {
            let p = bob(&game.root);
            let answer = [true, false].map(|answer| game.first(answer, &p));
            let wanted =
                answer.into_iter().max().unwrap() + game.best_alice(&game.root, &p, depth, &bob);
            let found = game.value("best-response", &name, &[]);
            assert_eq!(found, wanted, "{round} {name}: {}", game.setup.source);
        }
    }
}

#[test]
fn the_worst_bob_leaves_the_value_of_enumeration() {
    let mut numbers = Numbers(0x37b2);
    for round in 0..GAMES {
        let game = Game::random(&mut numbers);
        let grid: Vec<Exact> = numbers
            .of(&["0 1", "0 1/2 1", "1/10 1/2 9/10", "0 3/10"])
            .split(' ')
            .map(|p| parse(p).unwrap())
            .collect();
        let truth = game.root.truth;
        let after = |p: &Exact| {
            // Proof of Lemma A.5: Alice never bets if the estimate of the root is within ε.
            let bets = (Exact::indicator(truth) - p).abs() > game.epsilon;
            game.first(truth, p) + game.worst_bob(&game.root, p, game.root.depth(), bets, &grid)
        };
        let wanted = grid.iter().map(after).min().unwrap();
        let found = game.value("honest", "best-response", &grid);
        assert_eq!(found, wanted, "{round}: {}", game.setup.source);
    }
}

/// The bit that a node of a decision tree reads: an input, or a bit of the transcript.
#[derive(Clone, Copy)]
enum Looks {
    At(usize),
    Says(usize),
}

/// DQC Definition 1, implemented separately. Returns the functions that some decision tree of two queries decides, over
/// three inputs, three transcript bits and all writers of these bits. A tree reads at most three different bits, so a
/// longer transcript has no use.
fn decided_by_two() -> Vec<bool> {
    let mut decided = vec![false; 256];
    let all: Vec<Looks> = (0..3)
        .map(Looks::At)
        .chain((0..3).map(Looks::Says))
        .collect();
    let mut nodes = Vec::new();
    for first in &all {
        for no in &all {
            nodes.extend(all.iter().map(|yes| [*first, *no, *yes]));
        }
    }
    for [first, no, yes] in nodes {
        for leaves in 0..16_usize {
            for owners in 0..8_usize {
                let mut table = 0;
                for input in 0..8_usize {
                    let says = |transcript: usize| {
                        let bit = |looks| match looks {
                            Looks::At(at) => input >> (2 - at) & 1,
                            Looks::Says(at) => transcript >> at & 1,
                        };
                        let upper = bit(first);
                        let lower = bit(if upper == 1 { yes } else { no });
                        leaves >> (2 * upper + lower) & 1 == 1
                    };
                    // Bit by bit from the last one: the bit's owner chooses the better value for its own verdict.
                    let mut values: Vec<bool> = (0..8).map(says).collect();
                    for at in (0..3).rev() {
                        let half = values.len() / 2;
                        let pairs = (0..half).map(|low| (values[low], values[low + half]));
                        values = match owners >> at & 1 {
                            0 => pairs.map(|(one, other)| one || other).collect(),
                            _ => pairs.map(|(one, other)| one && other).collect(),
                        };
                    }
                    table |= usize::from(values[0]) << input;
                }
                decided[table] = true;
            }
        }
    }
    decided
}

#[test]
fn query_complexities_of_three_inputs_agree_with_enumeration() {
    let two = decided_by_two();
    let searched: Vec<FunctionsOfFewQueries> = (0..=3)
        .map(FunctionsOfFewQueries::from_exhaustive_search)
        .collect();
    for (rows, two) in (0..).zip(two) {
        let function = BooleanFunction::new(3, rows).unwrap();
        let value = |row: usize| rows >> row & 1 == 1;
        let constant = (0..8).all(|row| value(row) == value(0));
        // One query reads an input, directly or as a bit that one side writes.
        let is_input = |at: usize| {
            (0..8).all(|row| value(row) == (row >> at & 1 == 1))
                || (0..8).all(|row| value(row) == (row >> at & 1 == 0))
        };
        let wanted = match () {
            () if constant => 0,
            () if (0..3).any(is_input) => 1,
            () if two => 2,
            // Reading all three inputs.
            () => 3,
        };
        let drop_irrelevant_inputs = function.drop_irrelevant_inputs();
        let found = complexity_bounds(
            drop_irrelevant_inputs,
            &searched[drop_irrelevant_inputs.input_count()],
        );
        assert!(found.are_bounds_equal(), "{function}");
        assert_eq!(found.lower.queries, wanted, "{function}");
    }
}
