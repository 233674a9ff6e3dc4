//! Ratings of the players of a match, and a crosstable.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde::Serialize;

use super::DebateResult;
use crate::judgements::bradley_terry::{BradleyTerryFit, FittedParameter, RatedGame};
use crate::judgements::statistics::count_to_float;
use debate_core::Seat;
use debate_core::number::{
    NORMAL_95, format_rounded, format_rounded_with_sign, format_with_decimals,
    zero_if_rounding_error,
};
use debate_core::text::{count_with_noun, replace_unsafe_characters};
use debate_text::table::{ColumnAlignment, TextTable};

/// The number of Elo points in one unit of natural log-odds: a lead of 400 points means odds of 10 to 1.
pub(super) const ELO_PER_LOG_ODDS: f64 = 400.0 / std::f64::consts::LN_10;

/// The ratings of players that met under the same rules and judge, over all scenarios of the match.
///
/// Two debates between two players about one instance, with seats exchanged, are one game. The player with the higher
/// total payoff wins it. A debate without its exchange, such as a player against itself, is a game decided by the sign
/// of the payoff. Only these games have a term for Alice's seat. A seat that forfeits has lost; a debate that the judge
/// forfeits is not a game.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MatchRatings {
    pub condition: String,
    pub judge: String,
    /// The players in order of decreasing rating; players with an unbounded rating are last.
    pub players: Vec<PlayerRating>,
    /// The advantage of Alice's seat, in natural log-odds. Null if the games do not determine it; the ratings then
    /// assume that it is 0.
    pub seat: Option<RatingEstimate>,
    pub crosstable: Vec<GamesOfTwoPlayers>,
}

/// A player's rating.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "Rating")]
pub struct PlayerRating {
    pub player: String,
    /// The player's rating in natural log-odds, by maximum likelihood; the mean of all ratings is 0. Null if the rating
    /// is unbounded, because the games do not determine it.
    pub rating: Option<RatingEstimate>,
    /// The player's rating in Elo points; null if `rating` is null.
    pub elo: Option<EloEstimate>,
    /// The number of the player's games against other players.
    pub games: usize,
    /// The player's total points from games against other players: 1 for a win, ½ for a draw.
    pub points: f64,
}

/// A rating or a seat advantage with its standard error.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
// The name in published schemas and Python classes.
#[cfg_attr(feature = "schema", schemars(rename = "Determined"))]
pub struct RatingEstimate {
    pub value: f64,
    /// The standard error from the curvature of the likelihood, which treats games as independent.
    pub standard_error: f64,
}

impl From<FittedParameter> for RatingEstimate {
    fn from(parameter: FittedParameter) -> Self {
        Self {
            value: zero_if_rounding_error(parameter.value, 1.0),
            standard_error: parameter.error,
        }
    }
}

/// A rating in Elo points with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EloEstimate {
    pub value: f64,
    /// Half the width of the 95 % interval, which is `value` ± `error`.
    pub error: f64,
}

impl From<RatingEstimate> for EloEstimate {
    fn from(rating: RatingEstimate) -> Self {
        Self {
            value: rating.value * ELO_PER_LOG_ODDS,
            error: rating.standard_error * NORMAL_95 * ELO_PER_LOG_ODDS,
        }
    }
}

/// The games of two players.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "Encounter")]
pub struct GamesOfTwoPlayers {
    pub player: String,
    pub other: String,
    /// True if each game consists of two debates, between which the players exchange seats. False if each game is one
    /// debate, in which `player` was Alice.
    pub exchanged: bool,
    /// The number of games that `player` won against the other player.
    pub won: usize,
    pub drawn: usize,
    pub lost: usize,
}

/// A finished debate that counts in the ratings.
#[derive(Clone, Copy, Debug)]
pub(super) struct RatedDebate<'r> {
    /// The rules and the judge.
    pub(super) table: [&'r str; 2],
    pub(super) prover: &'r str,
    pub(super) opponent: &'r str,
    /// The instance, the order of the answers, and the number under the seed. The debate with exchanged seats has the
    /// same values.
    pub(super) subject: (&'r str, usize, u64),
    pub(super) result: &'r DebateResult,
}

impl RatedDebate<'_> {
    /// Returns Alice's payoff in the debate; +∞ if Bob forfeited, −∞ if Alice forfeited. `None` if the judge forfeited.
    fn amount(&self) -> Option<f64> {
        match &self.result.forfeit {
            None => self.result.payoff,
            Some((Seat::Prover, _)) => Some(f64::NEG_INFINITY),
            Some((Seat::Opponent, _)) => Some(f64::INFINITY),
            Some(_) => None,
        }
    }
}

/// Returns the points of the player with payoff `one` against a player with payoff `other`: 1, ½ or 0.
fn points(one: f64, other: f64) -> f64 {
    match one.partial_cmp(&other) {
        Some(Ordering::Greater) => 1.0,
        Some(Ordering::Less) => 0.0,
        _ => 0.5,
    }
}

/// Returns the points of one player in the game of two debates between which the players exchange seats. This player is
/// Alice in the debate `prover` and Bob in the debate `opponent`. `None` if the judge forfeited one of the two debates.
pub(super) fn points_after_seat_exchange(
    prover: RatedDebate<'_>,
    opponent: RatedDebate<'_>,
) -> Option<f64> {
    Some(points(prover.amount()?, opponent.amount()?))
}

/// Returns the ratings for each pair of rules and judge under which more than two players met, or two exchanged seats.
/// Other pairs have no ratings, because there is no comparison.
pub(super) fn ratings_by_rules_and_judge(debates: &[RatedDebate<'_>]) -> Vec<MatchRatings> {
    let mut tables: BTreeMap<[&str; 2], Vec<&RatedDebate<'_>>> = BTreeMap::new();
    for debate in debates {
        tables.entry(debate.table).or_default().push(debate);
    }
    let tables = tables.into_iter();
    tables
        .filter_map(|(table, debates)| rated(table, &debates))
        .collect()
}

fn rated([condition, judge]: [&str; 2], debates: &[&RatedDebate<'_>]) -> Option<MatchRatings> {
    let names = debates.iter().flat_map(|it| [it.prover, it.opponent]);
    let mut players: Vec<&str> = names.collect();
    players.sort_unstable();
    players.dedup();
    let games = games(&players, debates);
    if players.len() < 3 && games.iter().all(|game| game.seated) {
        return None;
    }
    let fit = BradleyTerryFit::fit_games(players.len(), &games);
    let mut rows: Vec<PlayerRating> = Vec::new();
    for ((place, player), rating) in players.iter().enumerate().zip(&fit.ratings) {
        let of = |game: &&RatedGame| {
            game.first != game.second && (game.first == place || game.second == place)
        };
        let own: Vec<&RatedGame> = games.iter().filter(of).collect();
        let points = own.iter().map(|game| {
            if game.first == place {
                game.points
            } else {
                1.0 - game.points
            }
        });
        rows.push(PlayerRating {
            player: (*player).to_owned(),
            rating: rating.map(RatingEstimate::from),
            elo: rating.map(|rating| RatingEstimate::from(rating).into()),
            games: own.len(),
            points: points.sum(),
        });
    }
    let value = |row: &PlayerRating| row.rating.map_or(f64::NEG_INFINITY, |it| it.value);
    rows.sort_by(|one, other| value(other).total_cmp(&value(one)));
    Some(MatchRatings {
        condition: condition.to_owned(),
        judge: judge.to_owned(),
        players: rows,
        seat: fit.seat.map(RatingEstimate::from),
        crosstable: crosstable(&players, &games),
    })
}

/// Returns the games for the ratings. Two debates between which the players exchange seats form one game; every other
/// debate is a game by itself.
fn games(players: &[&str], debates: &[&RatedDebate<'_>]) -> Vec<RatedGame> {
    let place = |name: &str| players.binary_search(&name).unwrap_or_default();
    let mut amounts = BTreeMap::new();
    for debate in debates {
        if let Some(amount) = debate.amount() {
            let seats = (place(debate.prover), place(debate.opponent));
            amounts.insert((debate.subject, seats), amount);
        }
    }
    let mut games = Vec::new();
    for ((subject, (first, second)), amount) in &amounts {
        let exchange = (first != second).then(|| amounts.get(&(*subject, (*second, *first))));
        let points = match exchange.flatten() {
            // The pair is counted once, at the debate in which its first player is Alice.
            Some(_) if first > second => continue,
            Some(other) => points(*amount, *other),
            None => points(*amount, 0.0),
        };
        games.push(RatedGame {
            first: *first,
            second: *second,
            seated: exchange.flatten().is_none(),
            points,
        });
    }
    games
}

fn crosstable(players: &[&str], games: &[RatedGame]) -> Vec<GamesOfTwoPlayers> {
    let mut counts: BTreeMap<(usize, usize, bool), [usize; 3]> = BTreeMap::new();
    for game in games {
        let count = counts
            .entry((game.first, game.second, !game.seated))
            .or_default();
        match game.points {
            won if won > 0.75 => count[0] += 1,
            lost if lost < 0.25 => count[2] += 1,
            _ => count[1] += 1,
        }
    }
    let encounters = counts.into_iter();
    encounters
        .map(
            |((player, other, exchanged), [won, drawn, lost])| GamesOfTwoPlayers {
                player: players[player].to_owned(),
                other: players[other].to_owned(),
                exchanged,
                won,
                drawn,
                lost,
            },
        )
        .collect()
}

impl MatchRatings {
    /// Returns the text lines that show the ratings in the report.
    pub(super) fn printed_rating_rows(&self) -> Vec<String> {
        let games: usize = self
            .crosstable
            .iter()
            .map(|it| it.won + it.drawn + it.lost)
            .sum();
        let mut rows = vec![format!(
            "Ratings under {rules}, judged by {judge}: {games}",
            rules = self.condition,
            judge = self.judge,
            games = count_with_noun(games, "game", "games")
        )];
        let numbers = 1..=self.players.len();
        let heads = numbers.clone().map(|number| number.to_string());
        let heads = ["", "player", "log-odds", "s.e.", "Elo", "points"]
            .into_iter()
            .map(str::to_owned)
            .chain(heads);
        let mut table = TextTable::new(heads.map(|name| (name, ColumnAlignment::Left)));
        for (number, row) in numbers.zip(&self.players) {
            let mut cells = vec![
                number.to_string(),
                replace_unsafe_characters(&row.player).into_owned(),
            ];
            cells.extend(match row.rating {
                Some(figure) => [
                    format_rounded_with_sign(figure.value, 3),
                    format_rounded(figure.standard_error, 3),
                ],
                None => ["unbounded".to_owned(), String::new()],
            });
            cells.push(row.elo.map_or_else(String::new, |elo| {
                format!(
                    "{} ± {}",
                    format_rounded_with_sign(elo.value.round(), 4),
                    format_with_decimals(elo.error, 0)
                )
            }));
            cells.push(format!("{}/{}", row.points, row.games));
            let others = self
                .players
                .iter()
                .map(|other| self.score(&row.player, &other.player));
            cells.extend(others);
            table.row(cells);
        }
        rows.extend(
            table
                .aligned_table_lines()
                .into_iter()
                .map(|row| format!("  {row}")),
        );
        rows.push(match self.seat {
            Some(seat) => format!(
                "  The advantage of Alice's seat is {value} in natural log-odds, s.e. {standard_error}.", value = format_rounded_with_sign(seat.value, 3), standard_error = format_rounded(seat.standard_error, 3)),
            None => "  The advantage of Alice's seat cannot be estimated: too few debates were played without a repetition with exchanged seats, or one side won all of these debates.".to_owned(),
        });
        rows
    }

    /// Returns a player's points against another player and the number of their games: "7.5/13".
    fn score(&self, player: &str, other: &str) -> String {
        let (mut points, mut games) = (0.0, 0);
        let others = self.crosstable.iter().filter(|it| it.player != it.other);
        for it in others {
            let draws = count_to_float(it.drawn) / 2.0;
            let own = match (it.player.as_str(), it.other.as_str()) {
                (one, two) if (one, two) == (player, other) => count_to_float(it.won),
                (one, two) if (two, one) == (player, other) => count_to_float(it.lost),
                _ => continue,
            };
            points += own + draws;
            games += it.won + it.drawn + it.lost;
        }
        match games {
            0 => "-".to_owned(),
            games => format!("{points}/{games}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use debate_host::record::ReplyCostsBySeat;

    #[test]
    fn two_players_have_the_elo_of_the_closed_form() {
        // With games of two debates, the odds of a beating b are the quotient of their points.
        let result = |payoff: f64| DebateResult {
            payoff: Some(payoff),
            forfeit: None,
            prover_honest: None,
            answer_correct: None,
            judged: Vec::new(),
            illegal: [0; 3],
            costs: ReplyCostsBySeat::default(),
        };
        let [ahead, behind, even] = [1.0, -1.0, 0.0].map(result);
        let mut debates = Vec::new();
        let games = [(&ahead, 11), (&even, 4), (&behind, 5)];
        let games = games
            .iter()
            .flat_map(|(result, count)| vec![*result; *count]);
        for (number, result) in (0..).zip(games) {
            for (prover, opponent, result) in [("a", "b", result), ("b", "a", &even)] {
                debates.push(RatedDebate {
                    table: ["rules", "judge"],
                    prover,
                    opponent,
                    subject: ("x", 0, number),
                    result,
                });
            }
        }
        let ratings = ratings_by_rules_and_judge(&debates);
        let [a, b] = [0, 1].map(|at| ratings[0].players[at].elo.unwrap());
        let near = |one: f64, other: f64| (one - other).abs() < 1e-6;
        let difference = 400.0 * (13.0_f64 / 7.0).log10();
        assert!(near(a.value - b.value, difference), "{a:?} {b:?}");
        // The log-odds of 13 points in 20 games have the variance 1/13 + 1/7; a rating is half of the difference.
        let error = (1.0_f64 / 13.0 + 1.0 / 7.0).sqrt() / 2.0;
        assert!(near(a.error, error * NORMAL_95 * 400.0 / 10.0_f64.ln()));
        assert!(near(a.error, b.error));
    }
}
