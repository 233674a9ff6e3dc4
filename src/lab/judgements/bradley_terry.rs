//! Ratings of players by maximum likelihood (Bradley and Terry 1952), with a term for the advantage of Alice's seat.
//!
//! The probability that the first player of a game beats the second is σ(θ₁ − θ₂ + γ), with σ(t) = 1/(1 + e⁻ᵗ). The
//! term γ, the advantage of Alice's seat, is present only in games of one debate. A draw is half a win for each.

/// A game between two players, given by their indices. In a game of one debate, the first player is Alice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RatedGame {
    pub(crate) first: usize,
    pub(crate) second: usize,
    /// False if the game combines two debates in which each player had both seats, so the seat gives no advantage.
    pub(crate) seated: bool,
    /// The points of the first player: 1 for a win, ½ for a draw, 0 for a loss.
    pub(crate) points: f64,
}

impl RatedGame {
    /// Returns the wins of the game, for the chains of wins between players: one win for its winner, or for a draw one
    /// win for each player. The likelihood weighs them by the points.
    fn successes(self) -> impl Iterator<Item = Success> {
        let seat = if self.seated { 1.0 } else { 0.0 };
        let won = Success {
            ahead: self.first,
            behind: self.second,
            seat,
        };
        let lost = Success {
            ahead: self.second,
            behind: self.first,
            seat: -seat,
        };
        let won = (self.points > 0.0).then_some(won);
        won.into_iter().chain((self.points < 1.0).then_some(lost))
    }

    /// Returns the coefficient of a parameter in the log-odds that the first player wins. The parameters are one rating
    /// for each player, then the seat's advantage.
    fn sign(self, parameter: usize, players: usize) -> f64 {
        let is = |place: usize| f64::from(u8::from(parameter == place));
        let seat = if self.seated { is(players) } else { 0.0 };
        is(self.first) - is(self.second) + seat
    }
}

/// A game in which one player beat another or drew with it. `seat` is 1 if the winner was Alice and −1 if the loser
/// was. It is 0 if the game has no seat term.
#[derive(Clone, Copy, Debug)]
struct Success {
    ahead: usize,
    behind: usize,
    seat: f64,
}

/// An estimated parameter of the rating model and its standard error, both in natural log-odds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FittedParameter {
    pub(crate) value: f64,
    pub(crate) error: f64,
}

/// The parameters of the rating model that maximise the likelihood of the games.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BradleyTerryFit {
    /// A rating for each player, with mean 0. `None` if the games do not determine the rating: no chain of wins and
    /// losses in both directions connects the player to the rated ones. All are `None` if rounding errors prevent the
    /// fit.
    pub(crate) ratings: Vec<Option<FittedParameter>>,
    /// The advantage of the first player's seat; `None` if the games do not determine it.
    pub(crate) seat: Option<FittedParameter>,
}

impl BradleyTerryFit {
    /// Fits the rating model to the games of `players` players. Rates the largest set in which each player has beaten
    /// or drawn with every other player, directly or through a chain. Other players have no finite rating.
    pub(crate) fn fit_games(players: usize, games: &[RatedGame]) -> Self {
        let members = largest_cycle(players, games);
        let place = |player: usize| members.iter().position(|member| *member == player);
        let inner: Vec<RatedGame> = games
            .iter()
            .filter_map(|game| {
                Some(RatedGame {
                    first: place(game.first)?,
                    second: place(game.second)?,
                    ..*game
                })
            })
            .collect();
        let has_seat = inner.iter().any(|game| game.seated)
            && [1.0, -1.0]
                .into_iter()
                .all(|way| !is_unbounded(members.len(), &inner, way));
        let fitted = maximum(members.len(), has_seat, &inner).unwrap_or_default();
        let mut ratings = vec![None; players];
        for (member, parameter) in members.iter().zip(&fitted) {
            ratings[*member] = Some(*parameter);
        }
        Self {
            ratings,
            seat: fitted.get(members.len()).copied(),
        }
    }
}

/// Returns the largest set of players in which a chain of wins and draws leads from each player to each other one. If
/// several sets are equally large, returns the first. Empty if the set would be a single player.
fn largest_cycle(players: usize, games: &[RatedGame]) -> Vec<usize> {
    let mut leads = vec![vec![false; players]; players];
    for success in games.iter().flat_map(|game| game.successes()) {
        leads[success.ahead][success.behind] = true;
    }
    for middle in 0..players {
        let onward = leads[middle].clone();
        for row in leads.iter_mut().filter(|row| row[middle]) {
            for (leads, onward) in row.iter_mut().zip(&onward) {
                *leads |= onward;
            }
        }
    }
    let mut largest = Vec::new();
    for (player, row) in leads.iter().enumerate() {
        let both = |other: &usize| *other == player || (row[*other] && leads[*other][player]);
        let cycle: Vec<usize> = (0..players).filter(both).collect();
        if cycle.len() > largest.len().max(1) {
            largest = cycle;
        }
    }
    largest
}

/// True if the seat's advantage can grow without bound in direction `way` while no game becomes less likely. The
/// ratings may change too. The conditions are constraints on differences, satisfiable unless they have a negative cycle
/// (Bellman and Ford).
fn is_unbounded(players: usize, games: &[RatedGame], way: f64) -> bool {
    let mut most = vec![0.0_f64; players];
    for _ in 0..=players {
        let mut changed = false;
        for success in games.iter().flat_map(|game| game.successes()) {
            let reach = most[success.ahead] + way * success.seat;
            if most[success.behind] > reach {
                most[success.behind] = reach;
                changed = true;
            }
        }
        if !changed {
            return true;
        }
    }
    false
}

/// The maximum number of steps of Newton's method.
const STEPS: usize = 200;
/// Newton's method ends when no parameter changes by more than this.
const LEAST_STEP: f64 = 1e-11;

/// Maximises the likelihood by Newton's method. Halves each step until the likelihood does not decrease. `None` without
/// players, or if rounding errors make the information matrix singular.
fn maximum(players: usize, has_seat: bool, games: &[RatedGame]) -> Option<Vec<FittedParameter>> {
    let count = players + usize::from(has_seat);
    let mut at = vec![0.0; count];
    let mut likelihood = log_likelihood(players, games, &at);
    for _ in 0..STEPS {
        let step = newton_step(players, games, &at)?;
        let mut share = 1.0;
        let longest = step.iter().copied().map(f64::abs).fold(0.0, f64::max);
        loop {
            let moved = at.iter().zip(&step).map(|(at, step)| at + share * step);
            let next: Vec<f64> = moved.collect();
            let reached = log_likelihood(players, games, &next);
            if reached >= likelihood || share * longest < LEAST_STEP {
                (at, likelihood) = (next, reached);
                break;
            }
            share /= 2.0;
        }
        if longest < LEAST_STEP {
            break;
        }
    }
    let spread = inverse(information(players, games, &at))?;
    // A common shift of all ratings leaves the likelihood unchanged, so 1 was added to the information in this
    // direction.
    let rated = super::statistics::count_to_float(players);
    let error = |place: usize| {
        let common = if place < players { rated.powi(-2) } else { 0.0 };
        (spread[place][place] - common).max(0.0).sqrt()
    };
    let parameters = at.iter().enumerate();
    let parameters = parameters.map(|(place, value)| FittedParameter {
        value: *value,
        error: error(place),
    });
    (players > 0).then(|| parameters.collect())
}

/// Returns the probability that the first player of a game wins, for the parameters `at`.
fn chance(players: usize, game: RatedGame, at: &[f64]) -> f64 {
    let signs = at.iter().enumerate();
    let probability: f64 = signs
        .map(|(it, value)| game.sign(it, players) * value)
        .sum();
    1.0 / (1.0 + (-probability).exp())
}

fn log_likelihood(players: usize, games: &[RatedGame], at: &[f64]) -> f64 {
    let each = games.iter().map(|game| {
        let ahead = chance(players, *game, at);
        let term = |points: f64, chance: f64| {
            if points > 0.0 {
                points * chance.ln()
            } else {
                0.0
            }
        };
        term(game.points, ahead) + term(1.0 - game.points, 1.0 - ahead)
    });
    each.sum()
}

/// Returns the negated second derivatives of the log-likelihood, plus 1 for each pair of ratings. The addition keeps
/// the ratings' mean fixed.
fn information(players: usize, games: &[RatedGame], at: &[f64]) -> Vec<Vec<f64>> {
    let of = |row: usize, column: usize| {
        let common = f64::from(u8::from(row < players && column < players));
        let each = games.iter().map(|game| {
            let signs = game.sign(row, players) * game.sign(column, players);
            let ahead = chance(players, *game, at);
            signs * ahead * (1.0 - ahead)
        });
        common + each.sum::<f64>()
    };
    let row = |row: usize| (0..at.len()).map(|column| of(row, column)).collect();
    (0..at.len()).map(row).collect()
}

fn newton_step(players: usize, games: &[RatedGame], at: &[f64]) -> Option<Vec<f64>> {
    let slope = |parameter: usize| -> f64 {
        let each = games
            .iter()
            .map(|game| game.sign(parameter, players) * (game.points - chance(players, *game, at)));
        each.sum()
    };
    let slopes: Vec<f64> = (0..at.len()).map(slope).collect();
    let spread = inverse(information(players, games, at))?;
    let along = |row: &Vec<f64>| row.iter().zip(&slopes).map(|(a, b)| a * b).sum();
    Some(spread.iter().map(along).collect())
}

/// Returns the inverse of a positive definite matrix, by elimination; `None` if rounding makes a pivot non-positive.
fn inverse(mut matrix: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let size = matrix.len();
    for (place, row) in matrix.iter_mut().enumerate() {
        row.extend((0..size).map(|column| f64::from(u8::from(column == place))));
    }
    for pivot in 0..size {
        let mut leading = matrix[pivot].clone();
        let lead = leading[pivot];
        if !lead.is_finite() || lead <= 0.0 {
            return None;
        }
        for entry in &mut leading {
            *entry /= lead;
        }
        for row in &mut matrix {
            let factor = row[pivot];
            for (entry, leading) in row.iter_mut().zip(&leading) {
                *entry -= factor * leading;
            }
        }
        matrix[pivot] = leading;
    }
    Some(matrix.into_iter().map(|row| row[size..].to_vec()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn games(
        first: usize,
        second: usize,
        seated: bool,
        [won, drawn, lost]: [usize; 3],
    ) -> Vec<RatedGame> {
        let of = |points: f64, count: usize| {
            let game = RatedGame {
                first,
                second,
                seated,
                points,
            };
            vec![game; count]
        };
        [of(1.0, won), of(0.5, drawn), of(0.0, lost)].concat()
    }

    /// Test data with four players: games with exchanged seats between each pair, and some debates without an exchange.
    fn tournament() -> Vec<RatedGame> {
        [
            games(0, 1, false, [7, 2, 4]),
            games(0, 2, false, [9, 0, 3]),
            games(0, 3, false, [11, 1, 1]),
            games(1, 2, false, [6, 3, 4]),
            games(1, 3, false, [8, 0, 5]),
            games(2, 3, false, [7, 1, 5]),
            games(0, 0, true, [8, 1, 4]),
            games(1, 1, true, [9, 0, 4]),
            games(2, 3, true, [3, 0, 1]),
            games(3, 2, true, [2, 1, 2]),
        ]
        .concat()
    }

    fn is_near(parameter: Option<FittedParameter>, [value, error]: [f64; 2]) {
        let parameter = parameter.expect("it is determined");
        let near = |one: f64, other: f64| (one - other).abs() < 1e-6;
        let both = near(parameter.value, value) && near(parameter.error, error);
        assert!(both, "{parameter:?} for {value} and {error}");
    }

    /// Figures from scipy 1.17 (`minimize` with BFGS and the inverse of the exact information):
    /// `tests/engines/ratings.py` computes them for the games of `tournament`.
    #[test]
    fn a_tournament_has_the_ratings_that_scipy_finds() {
        let fit = BradleyTerryFit::fit_games(4, &tournament());
        let figures = [
            [0.841_317_27, 0.284_112_80],
            [0.077_060_86, 0.252_629_88],
            [-0.248_893_93, 0.235_947_89],
            [-0.669_484_20, 0.244_990_63],
        ];
        for (parameter, figure) in fit.ratings.iter().zip(figures) {
            is_near(*parameter, figure);
        }
        is_near(fit.seat, [0.669_588_83, 0.358_593_73]);
        let sum: f64 = fit.ratings.iter().flatten().map(|it| it.value).sum();
        assert!(sum.abs() < 1e-9, "{sum}");
    }

    #[test]
    fn a_player_that_always_wins_has_no_rating() {
        // The first player always wins; the last one has played no game.
        let all = [
            games(0, 1, false, [3, 0, 0]),
            games(0, 2, false, [3, 0, 0]),
            games(1, 2, false, [2, 0, 1]),
        ]
        .concat();
        let fit = BradleyTerryFit::fit_games(4, &all);
        assert_eq!([fit.ratings[0], fit.ratings[3], fit.seat], [None; 3]);
        // Two wins in three games: odds of 2.
        let half = 2.0_f64.ln() / 2.0;
        let error = (1.0 / (4.0 * 3.0 * 2.0 / 9.0_f64)).sqrt();
        is_near(fit.ratings[1], [half, error]);
        is_near(fit.ratings[2], [-half, error]);
        assert_eq!(BradleyTerryFit::fit_games(2, &[]).ratings, [None, None]);
    }

    #[test]
    fn the_seat_term_is_fitted_only_if_games_determine_it() {
        // Games of players against themselves determine the seat's term only.
        let even = games(0, 1, false, [2, 0, 2]);
        let own = games(0, 0, true, [3, 0, 1]);
        let fit = BradleyTerryFit::fit_games(2, &[even.clone(), own].concat());
        is_near(
            fit.seat,
            [3.0_f64.ln(), (1.0 / (4.0 * 3.0 / 16.0_f64)).sqrt()],
        );
        // The first seat always won: no finite term maximises the likelihood.
        let own = games(0, 0, true, [4, 0, 0]);
        assert_eq!(
            BradleyTerryFit::fit_games(2, &[even, own].concat()).seat,
            None
        );
        // The two players never exchange seats, so the better player cannot be distinguished from the better seat.
        let one_way = games(0, 1, true, [3, 0, 1]);
        let fit = BradleyTerryFit::fit_games(2, &one_way);
        assert_eq!(fit.seat, None);
        is_near(
            fit.ratings[0],
            [
                3.0_f64.ln() / 2.0,
                (1.0 / (4.0 * 4.0 * 3.0 / 16.0_f64)).sqrt(),
            ],
        );
        // With games in both seatings, the seat's term is determined.
        let other_way = games(1, 0, true, [2, 0, 2]);
        assert!(
            BradleyTerryFit::fit_games(2, &[one_way, other_way].concat())
                .seat
                .is_some()
        );
    }
}
