//! The sequential probability ratio test (Wald 1945), which stops a match between two players.
//!
//! H0 says that the first player is `elo0` points stronger than the second, H1 says `elo1`. Each game adds the
//! logarithm of its probability under H1 over that under H0. A draw is half a win and half a loss, so draws make the
//! test slower and never raise its error rates. H0 is accepted at ln(β/(1 − α)), H1 at ln((1 − β)/α).

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::ratings::ELO_PER_LOG_ODDS;
use debate_core::number::{format_percent, format_rounded, format_rounded_with_sign};
use debate_core::text::{count_with_noun, replace_unsafe_characters};

/// The largest Elo difference, in either direction, that a hypothesis may state. At this difference, the weaker player
/// wins one game in 10¹⁰.
const MAX_ELO: f64 = 4000.0;

/// The hypotheses and error rates of a sequential probability ratio test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SprtTest {
    /// The Elo difference under H0.
    pub elo0: f64,
    /// The Elo difference under hypothesis H1; greater than `elo0`, the one under H0.
    pub elo1: f64,
    /// The allowed probability of accepting H1 although H0 is true.
    pub alpha: f64,
    /// The allowed probability of accepting H0 although H1 is true.
    pub beta: f64,
}

impl FromStr for SprtTest {
    type Err = String;

    /// Reads `elo0,elo1,alpha,beta`.
    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split(',').map(|number| number.trim().parse::<f64>());
        let numbers = numbers.collect::<Result<Vec<_>, _>>();
        let Ok(&[elo0, elo1, alpha, beta]) = numbers.as_deref() else {
            return Err("write four numbers: elo0,elo1,alpha,beta, such as 0,50,0.05,0.05".into());
        };
        let test = Self {
            elo0,
            elo1,
            alpha,
            beta,
        };
        test.check_sprt_numbers()?;
        Ok(test)
    }
}

impl SprtTest {
    /// Checks that `elo0` is below `elo1` and that all four numbers are in their ranges.
    ///
    /// # Errors
    /// If a check fails. The error is a sentence without a full stop.
    pub fn check_sprt_numbers(self) -> Result<(), String> {
        // A comparison with NaN is false, so NaN is refused too.
        let in_scale = |elo: f64| elo.abs() <= MAX_ELO;
        if !(in_scale(self.elo0) && in_scale(self.elo1) && self.elo0 < self.elo1) {
            return Err(format!(
                "elo0 must be below elo1, both between -{MAX_ELO} and {MAX_ELO}"
            ));
        }
        let is_rate = |rate: f64| rate > 0.0 && rate < 0.5;
        if !(is_rate(self.alpha) && is_rate(self.beta)) {
            return Err("alpha and beta must be above 0 and below 0.5".into());
        }
        Ok(())
    }

    /// Returns two log-likelihood ratios: at or below the first, H0 is accepted; at or above the second, H1 is.
    pub fn log_likelihood_decision_bounds(&self) -> [f64; 2] {
        [
            (self.beta / (1.0 - self.alpha)).ln(),
            ((1.0 - self.beta) / self.alpha).ln(),
        ]
    }

    /// Returns the amounts that a win and a loss of the first player add to the log-likelihood ratio.
    fn win_and_loss(&self) -> [f64; 2] {
        let odds = [self.elo0, self.elo1].map(|elo| elo / ELO_PER_LOG_ODDS);
        // ln σ(t) = −ln(1 + e⁻ᵗ)
        let log = |t: f64| -(-t).exp().ln_1p();
        [log(odds[1]) - log(odds[0]), log(-odds[1]) - log(-odds[0])]
    }

    /// Runs the test on the points of the first player (1, ½ or 0) in each game, in order. Games after the decision do
    /// not count.
    pub fn run_on_game_points(
        self,
        players: [&str; 2],
        points: impl IntoIterator<Item = f64>,
    ) -> SprtState {
        let [lower, upper] = self.log_likelihood_decision_bounds();
        let [win, loss] = self.win_and_loss();
        let [player, other] = players.map(str::to_owned);
        let mut state = SprtState {
            player,
            other,
            test: self,
            won: 0,
            drawn: 0,
            lost: 0,
            log_likelihood_ratio: 0.0,
            lower,
            upper,
            accepted: None,
        };
        for points in points {
            match points {
                won if won > 0.75 => state.won += 1,
                lost if lost < 0.25 => state.lost += 1,
                _ => state.drawn += 1,
            }
            state.log_likelihood_ratio += points * win + (1.0 - points) * loss;
            if state.log_likelihood_ratio >= upper {
                state.accepted = Some(SprtHypothesis::H1);
            } else if state.log_likelihood_ratio <= lower {
                state.accepted = Some(SprtHypothesis::H0);
            }
            if state.accepted.is_some() {
                break;
            }
        }
        state
    }
}

/// A hypothesis of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SprtHypothesis {
    H0,
    H1,
}

/// The state of a sequential test after the games so far.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SprtState {
    /// The player whose Elo difference is tested.
    pub player: String,
    pub other: String,
    #[serde(flatten)]
    pub test: SprtTest,
    /// The number of games that `player` won, up to and including the game that decided the test.
    pub won: usize,
    pub drawn: usize,
    pub lost: usize,
    pub log_likelihood_ratio: f64,
    /// The log-likelihood ratio at or below which H0 is accepted.
    pub lower: f64,
    /// The log-likelihood ratio at or above which H1 is accepted.
    pub upper: f64,
    /// The hypothesis that the test accepted; null while the test is undecided.
    pub accepted: Option<SprtHypothesis>,
}

impl SprtState {
    /// Returns two text lines for the report: the test and its current state.
    pub(super) fn printed_sprt_rows(&self) -> [String; 2] {
        let [player, other] = [&self.player, &self.other].map(|it| replace_unsafe_characters(it));
        let SprtTest {
            elo0,
            elo1,
            alpha,
            beta,
        } = self.test;
        let games = self.won + self.drawn + self.lost;
        let [won, drawn, lost] = [self.won, self.drawn, self.lost];
        let decision = match self.accepted {
            None => "undecided".to_owned(),
            Some(SprtHypothesis::H0) => {
                format!("H0 accepted ({} Elo)", format_rounded_with_sign(elo0, 4))
            }
            Some(SprtHypothesis::H1) => {
                format!("H1 accepted ({} Elo)", format_rounded_with_sign(elo1, 4))
            }
        };
        [
            format!(
                "SPRT of {player} against {other}: H0 {h0_elo} Elo, H1 {h1_elo} Elo, α {alpha}, β {beta}",
                h0_elo = format_rounded_with_sign(elo0, 4),
                h1_elo = format_rounded_with_sign(elo1, 4),
                alpha = format_percent(alpha),
                beta = format_percent(beta)
            ),
            format!(
                "  {decision} after {games}: {won} won, {drawn} drawn, {lost} lost, log-likelihood ratio {log_ratio} in [{lower}, {upper}]",
                games = count_with_noun(games, "game", "games"),
                log_ratio = format_rounded_with_sign(self.log_likelihood_ratio, 3),
                lower = format_rounded(self.lower, 3),
                upper = format_rounded(self.upper, 3)
            ),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use debate_core::Seed;
    use debate_core::chance::RandomStream;

    const PLAYERS: [&str; 2] = ["a", "b"];

    fn test() -> SprtTest {
        "0, 100, 0.05,0.1".parse().unwrap()
    }

    #[test]
    fn fixed_games_are_decided_at_the_usual_bounds() {
        let test = test();
        let near = |one: f64, other: f64| (one - other).abs() < 1e-12;
        let [lower, upper] = test.log_likelihood_decision_bounds();
        assert!(near(lower, (0.1_f64 / 0.95).ln()) && near(upper, (0.9_f64 / 0.05).ln()));
        // Under H0 a win has probability 1/2, under H1 1/(1 + 10^(-1/4)).
        let ahead = 1.0 / (1.0 + 10.0_f64.powf(-0.25));
        let [win, loss] = [(2.0 * ahead).ln(), (2.0 * (1.0 - ahead)).ln()];
        // 2.8904 / 0.2472 = 11.7 wins in a row accept H1, 2.2513 / 0.3285 = 6.9 losses accept H0.
        let wins = test.run_on_game_points(PLAYERS, vec![1.0; 20]);
        assert_eq!((wins.won, wins.accepted), (12, Some(SprtHypothesis::H1)));
        assert!(near(wins.log_likelihood_ratio, 12.0 * win));
        assert_eq!(
            test.run_on_game_points(PLAYERS, vec![1.0; 11]).accepted,
            None
        );
        let losses = test.run_on_game_points(PLAYERS, vec![0.0; 20]);
        assert_eq!(
            (losses.lost, losses.accepted),
            (7, Some(SprtHypothesis::H0))
        );
        assert_eq!(
            test.run_on_game_points(PLAYERS, vec![0.0; 6]).accepted,
            None
        );
        let mixed = test.run_on_game_points(PLAYERS, [1.0, 0.5, 0.0, 1.0]);
        assert_eq!([mixed.won, mixed.drawn, mixed.lost], [2, 1, 1]);
        assert!(near(mixed.log_likelihood_ratio, 2.5 * win + 1.5 * loss));
    }

    #[test]
    fn simulated_games_keep_both_error_rates() {
        const RUNS: u32 = 4000;
        let test = test();
        let seed = Seed::new("7").unwrap();
        let mut draws = RandomStream::for_coins_of_debate(&seed, 0, 1);
        let mut next = 0;
        // The proportion of tests that accept this hypothesis.
        let mut proportion = |elo: f64, accepted: SprtHypothesis| {
            let ahead = 1.0 / (1.0 + 10.0_f64.powf(-elo / 400.0));
            let mut count = 0;
            for _ in 0..RUNS {
                let games = std::iter::repeat_with(|| {
                    next += 1;
                    #[expect(
                        clippy::cast_precision_loss,
                        reason = "a random number has 53 bits, so its conversion is exact"
                    )]
                    let draw = draws.random_53_bit_number_at(next) as f64 / 2.0_f64.powi(53);
                    f64::from(u8::from(draw < ahead))
                });
                let state = test.run_on_game_points(PLAYERS, games.take(100_000));
                count += u32::from(state.accepted == Some(accepted));
            }
            f64::from(count) / f64::from(RUNS)
        };
        let false_h1 = proportion(0.0, SprtHypothesis::H1);
        let false_h0 = proportion(100.0, SprtHypothesis::H0);
        // Wald's bounds are approximate; the overshoot makes both rates smaller.
        assert!((0.02..0.06).contains(&false_h1), "{false_h1}");
        assert!((0.05..0.11).contains(&false_h0), "{false_h0}");
    }

    /// Tests the error rates of the sequential test of two players: draws make neither of them larger. Each game's mean
    /// likelihood ratio must be at most 1 under H0, and the mean of its inverse under H1.
    #[test]
    fn draws_do_not_raise_the_bounds_of_the_error_rates() {
        for text in ["0,100,0.05,0.1", "-50,300,0.01,0.2", "200,220,0.1,0.1"] {
            let test: SprtTest = text.parse().unwrap();
            let [win, loss] = test.win_and_loss();
            for (elo, sign) in [(test.elo0, 1.0), (test.elo1, -1.0)] {
                let points = 1.0 / (1.0 + 10.0_f64.powf(-elo / 400.0));
                let mean_ratio = |draws: f64| {
                    (points - draws / 2.0) * (sign * win).exp()
                        + draws * (sign * f64::midpoint(win, loss)).exp()
                        + (1.0 - points - draws / 2.0) * (sign * loss).exp()
                };
                assert!((mean_ratio(0.0) - 1.0).abs() < 1e-12, "{text} {elo}");
                let most_draws = 2.0 * points.min(1.0 - points);
                for tenths in 1..=10 {
                    let mean = mean_ratio(most_draws * f64::from(tenths) / 10.0);
                    assert!(mean < 1.0, "{text} {elo} {tenths}: {mean}");
                }
            }
        }
    }

    #[test]
    fn unusable_tests_are_refused() {
        for text in [
            "",
            "0,50,0.05",
            "0,50,0.05,0.05,1",
            "50,0,0.05,0.05",
            "0,0,0.05,0.05",
            "0,nan,0.05,0.05",
            "0,inf,0.05,0.05",
            "0,50,0,0.05",
            "0,50,0.05,0.5",
            "0,fifty,0.05,0.05",
        ] {
            text.parse::<SprtTest>().unwrap_err();
        }
    }
}
