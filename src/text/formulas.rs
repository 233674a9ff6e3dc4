//! Formats rewards as formulas with numbers, and gives the reasons for them.

use debate_core::number::{Exact, Number as _, format_rounded, format_rounded_with_sign};
use debate_core::protocol::{Bet, Log, Reward, Seat};
use num_traits::Zero as _;

use super::amounts::opposite_figure;
use super::{DebateNarrator, FormulaCharacterSet, PayoffFormatter, in_percent, yes_no_word};

impl DebateNarrator<'_> {
    /// Formats a reward as its formula, with numbers. If the viewer is the opponent, the formula has the opposite sign:
    /// −r. A reward for a verdict has no formula and becomes a clause about the verdict.
    pub fn reward_formula(&self, reward: &Reward<Exact>) -> String {
        let payment = self
            .perspective
            .value(reward.payment_to_prover().to_float());
        let payment = format_rounded_with_sign(payment, 4);
        let opposite = self.perspective.payoff_seat() == Seat::Opponent;
        let (times_sign, minus_sign) = match self.script {
            FormulaCharacterSet::Unicode => ("·", "−"),
            FormulaCharacterSet::Ascii => ("*", "-"),
        };
        let seat_sign = if opposite { minus_sign } else { "" };
        match reward {
            Reward::Agreement {
                weight,
                exponent,
                coin,
                answer,
            } => {
                let power = self.power_of_ratio_text(*exponent);
                let weight = format_rounded(weight.to_float(), 4);
                let agree = u8::from(coin == answer);
                format!(
                    "{seat_sign}r_init = {seat_sign}{power} {times_sign} 1(coin = answer) = \
                     {seat_sign}{weight} {times_sign} {agree} = {payment}"
                )
            }
            Reward::Bet {
                round,
                weight,
                exponent,
                bet,
                outcome,
                judged,
                p,
            } => {
                let k = self.subscript(*round);
                let outcome_name = if *judged { "O" } else { "M" };
                let weight = format_rounded(weight.to_float(), 4);
                let of_weight = |weight: &str| match exponent {
                    0 => String::new(),
                    _ => format!("{weight} {times_sign} "),
                };
                let power_factor = of_weight(&self.power_of_ratio_text(*exponent));
                let weight_factor = of_weight(&weight);
                let bet_sign = match bet {
                    Bet::TooHigh => format!("({minus_sign}1)"),
                    Bet::AboutRight => "0".to_owned(),
                    Bet::TooLow => "(+1)".to_owned(),
                };
                let difference = |outcome: &str, p: &str| {
                    let (one, other) = if opposite { (p, outcome) } else { (outcome, p) };
                    format!("({one} {minus_sign} {other})")
                };
                let symbolic_difference = difference(outcome_name, &format!("p{k}"));
                let outcome = u8::from(*outcome).to_string();
                let numeric_difference = difference(&outcome, &format_rounded(p.to_float(), 4));
                format!(
                    "{seat_sign}r{k} = {power_factor}A{k} {times_sign} {symbolic_difference} = {weight_factor}{bet_sign} {times_sign} {numeric_difference} = {payment}"
                )
            }
            Reward::Decided { for_prover } => {
                let winner = self
                    .perspective
                    .player_name_or_you_in_sentence(winner_of_verdict(*for_prover));
                format!("The verifier decides for {winner}: {payment}")
            }
            Reward::Persuaded { p } => {
                let probability = format_rounded(p.to_float(), 4);
                if opposite {
                    format!(
                        "0.5 {minus_sign} judge's p = 0.5 {minus_sign} {probability} = {payment}"
                    )
                } else {
                    format!(
                        "judge's p {minus_sign} 0.5 = {probability} {minus_sign} 0.5 = {payment}"
                    )
                }
            }
            Reward::Verdict { claimed, answer } => format!(
                "{alice} had claimed {claimed}, {judge_says} {answer}: {payment}",
                alice = self.perspective.player_name_or_you(Seat::Prover),
                claimed = yes_no_word(*claimed),
                judge_says = self.judge_says_or_you_say(),
                answer = yes_no_word(*answer)
            ),
        }
    }

    /// Formats a reward as a product with a name for each factor, so that no symbol needs a definition. If the viewer
    /// is the opponent, the product has the opposite sign. Only rewards of the first answer and of bets are such
    /// products; for other rewards, returns [`Self::reward_formula`].
    pub fn reward_with_named_factors(
        &self,
        reward: &Reward<Exact>,
        amounts: &PayoffFormatter,
    ) -> String {
        let payment = amounts.signed_payment(&reward.payment_to_prover());
        let opposite = self.perspective.payoff_seat() == Seat::Opponent;
        let (times_sign, minus_sign) = match self.script {
            FormulaCharacterSet::Unicode => ("·", "−"),
            FormulaCharacterSet::Ascii => ("*", "-"),
        };
        match reward {
            Reward::Agreement {
                weight,
                coin,
                answer,
                ..
            } => {
                let sign = if opposite { minus_sign } else { "" };
                let weight = amounts.payoff_without_sign(weight);
                let agrees = u8::from(coin == answer);
                format!("{sign}stake {weight} {times_sign} (coin = answer: {agrees}) = {payment}")
            }
            Reward::Bet {
                weight,
                bet,
                outcome,
                judged,
                p,
                ..
            } => {
                let weight = amounts.payoff_without_sign(weight);
                let bet = match bet {
                    Bet::TooHigh => "minus 1",
                    Bet::AboutRight => "0",
                    Bet::TooLow => "1",
                };
                let judge = self.perspective.player_name_or_you_in_sentence(Seat::Judge);
                let decided = if *judged {
                    judge.trim_start_matches("the ")
                } else {
                    "coins"
                };
                let outcome = format!("{decided} {}", u8::from(*outcome));
                let estimate = format!("estimate {}", format_rounded(p.to_float(), 6));
                let (outcome_or_estimate, estimate_or_outcome) = if opposite {
                    (estimate, outcome)
                } else {
                    (outcome, estimate)
                };
                format!(
                    "stake {weight} {times_sign} bet {bet} {times_sign} ({outcome_or_estimate} {minus_sign} {estimate_or_outcome}) = {payment}"
                )
            }
            Reward::Decided { .. } | Reward::Persuaded { .. } | Reward::Verdict { .. } => {
                self.reward_formula(reward)
            }
        }
    }

    /// Returns "the judge says", or "you say" if the viewer is the judge.
    pub(super) fn judge_says_or_you_say(&self) -> String {
        let judge = self.perspective.player_name_or_you_in_sentence(Seat::Judge);
        let says = self.perspective.verb_form(Seat::Judge, "says", "say");
        format!("{judge} {says}")
    }

    /// Returns the reason for a reward in words.
    pub fn reward_reason(&self, reward: &Reward<Exact>) -> String {
        let who = |seat| self.perspective.player_name_or_you_in_sentence(seat);
        let possessive = |seat| self.perspective.possessive(seat);
        match reward {
            Reward::Agreement { coin, answer, .. } => {
                let bobs = possessive(Seat::Opponent);
                let alices = possessive(Seat::Prover);
                let agreed = if coin == answer {
                    "agreed"
                } else {
                    "disagreed"
                };
                format!("the coin from {bobs} first estimate {agreed} with {alices} answer")
            }
            Reward::Bet {
                bet: Bet::AboutRight,
                ..
            } => format!(
                "{alice} bet that the estimate was about right",
                alice = who(Seat::Prover)
            ),
            Reward::Bet {
                bet,
                outcome,
                judged,
                p,
                ..
            } => {
                let outcome = if *judged {
                    format!("{} said {}", who(Seat::Judge), yes_no_word(*outcome))
                } else {
                    format!("the coins said {}", yes_no_word(*outcome))
                };
                format!(
                    "{bob} had said {estimate}, {alice} bet that this was {bet}, and {result_clause}",
                    result_clause = outcome,
                    bob = who(Seat::Opponent),
                    estimate = in_percent(p),
                    alice = who(Seat::Prover),
                    bet = bet.bet_in_words(),
                )
            }
            Reward::Decided { for_prover } => {
                format!(
                    "the check decided for {winner}",
                    winner = who(winner_of_verdict(*for_prover))
                )
            }
            Reward::Persuaded { p } => {
                let estimates = self
                    .perspective
                    .verb_form(Seat::Judge, "estimates", "estimate");
                let judge = who(Seat::Judge);
                let alices = possessive(Seat::Prover);
                let probability = in_percent(p);
                format!("{judge} finally {estimates} {alices} answer at {probability}")
            }
            Reward::Verdict { claimed, answer } => {
                let is_kept = claimed == answer;
                let confirmed_or_refuted = if is_kept { "confirmed" } else { "refuted" };
                format!(
                    "{judge} {confirmed_or_refuted} the last answer",
                    judge = who(Seat::Judge)
                )
            }
        }
    }

    /// Formats a reward in words and as its formula. The formula is empty if a verifier decides.
    pub fn reward_in_words_and_formula(
        &self,
        reward: &Reward<Exact>,
        log: &Log<Exact>,
    ) -> [String; 2] {
        let formula = match reward {
            Reward::Decided { .. } => String::new(),
            _ => self.reward_formula(reward),
        };
        [
            self.paid(reward, &self.reward_reason_with_check_result(reward, log)),
            formula,
        ]
    }

    fn paid(&self, reward: &Reward<Exact>, reward_reason: &str) -> String {
        let value = reward.payment_to_prover();
        if value.is_zero() {
            return format!("No payment: {reward_reason}.");
        }
        let plain = PayoffFormatter::formatter_with_three_digits(self.perspective);
        let amounts = self.points.unwrap_or(&plain);
        let figure = amounts.signed_payment(&value);
        let won_or_lost = amounts.you_won_or_lost(&value);
        if !self.perspective.receives_shown_payoff() {
            let bobs_payment = opposite_figure(&figure);
            let alices_payment = amounts.with_unit(figure);
            return format!("Alice {alices_payment}, Bob {bobs_payment}: {reward_reason}.");
        }
        let payment = amounts.with_unit(figure);
        match reward {
            Reward::Agreement { .. } => format!("{payment} to you: {reward_reason}."),
            Reward::Bet { .. } => {
                format!("{won_or_lost} this round, {payment} to you: {reward_reason}.")
            }
            Reward::Decided { .. } | Reward::Persuaded { .. } | Reward::Verdict { .. } => {
                format!("{won_or_lost} the debate, {payment} to you: {reward_reason}.")
            }
        }
    }

    /// Formats a power of r, the ratio of a round's stake to the next round's stake.
    pub fn power_of_ratio_text(&self, exponent: u32) -> String {
        match (self.script, exponent) {
            (_, 0) => "1".to_owned(),
            (_, 1) => "r".to_owned(),
            (FormulaCharacterSet::Ascii, _) => format!("r^{exponent}"),
            (FormulaCharacterSet::Unicode, _) => format!("r{}", digits(exponent, SUPERSCRIPTS)),
        }
    }

    fn subscript(&self, number: u32) -> String {
        match self.script {
            FormulaCharacterSet::Ascii => format!("_{number}"),
            FormulaCharacterSet::Unicode => digits(number, SUBSCRIPTS),
        }
    }
}

pub(super) fn winner_of_verdict(prover_wins: bool) -> Seat {
    if prover_wins {
        Seat::Prover
    } else {
        Seat::Opponent
    }
}

const SUPERSCRIPTS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
const SUBSCRIPTS: [char; 10] = ['₀', '₁', '₂', '₃', '₄', '₅', '₆', '₇', '₈', '₉'];

fn digits(number: u32, alphabet: [char; 10]) -> String {
    let digits = number.to_string().into_bytes().into_iter();
    digits
        .filter_map(|digit| alphabet.get(usize::from(digit - b'0')))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ViewerPerspective, arguments};
    use debate_core::number::Exact;
    use debate_core::scenario::Instance;

    fn narrator(instance: &Instance, script: FormulaCharacterSet) -> DebateNarrator<'_> {
        DebateNarrator::new(instance, script)
    }

    /// Tests that the formula for the prover's bet, as the opponent's user sees it, shows the opponent's payoff and
    /// calls the opponent "you".
    #[test]
    fn the_opponent_sees_the_payment_of_the_bet() {
        let instance = arguments::instance("1");
        let bob = |script| {
            narrator(&instance, script).seen_from(ViewerPerspective::of_seat(Seat::Opponent))
        };
        let reward = Reward::Bet {
            round: 2,
            weight: Exact::ratio(1, 100),
            exponent: 2,
            bet: Bet::TooLow,
            outcome: true,
            judged: false,
            p: Exact::ratio(72, 100),
        };
        assert_eq!(
            bob(FormulaCharacterSet::Unicode).reward_formula(&reward),
            "−r₂ = r² · A₂ · (p₂ − M) = 0.01 · (+1) · (0.72 − 1) = -0.0028"
        );
        assert_eq!(
            bob(FormulaCharacterSet::Ascii).reward_reason(&reward),
            "you had said 72 %, Alice bet that this was too low, and the coins said yes"
        );
        let agreement = Reward::Agreement {
            weight: Exact::ratio(1, 10_000),
            exponent: 4,
            coin: true,
            answer: true,
        };
        assert_eq!(
            bob(FormulaCharacterSet::Ascii).reward_formula(&agreement),
            "-r_init = -r^4 * 1(coin = answer) = -1e-4 * 1 = -1e-4"
        );
    }

    #[test]
    fn a_named_product_needs_no_definitions() {
        let instance = arguments::instance("1");
        let reward = |judged| Reward::Bet {
            round: 2,
            weight: Exact::ratio(1, 100),
            exponent: 2,
            bet: Bet::TooLow,
            outcome: true,
            judged,
            p: Exact::ratio(72, 100),
        };
        let alice = narrator(&instance, FormulaCharacterSet::Unicode);
        let payoffs =
            |seat| PayoffFormatter::formatter_with_three_digits(ViewerPerspective::of_seat(seat));
        assert_eq!(
            alice.reward_with_named_factors(&reward(false), &payoffs(Seat::Prover)),
            "stake 0.01 · bet 1 · (coins 1 − estimate 0.72) = +0.0028"
        );
        let bob = narrator(&instance, FormulaCharacterSet::Ascii)
            .seen_from(ViewerPerspective::of_seat(Seat::Opponent));
        assert_eq!(
            bob.reward_with_named_factors(&reward(true), &payoffs(Seat::Opponent)),
            "stake 0.01 * bet 1 * (estimate 0.72 - judge 1) = -0.0028"
        );
        let agreement = Reward::Agreement {
            weight: Exact::ratio(1, 10_000),
            exponent: 4,
            coin: true,
            answer: true,
        };
        assert_eq!(
            bob.reward_with_named_factors(&agreement, &payoffs(Seat::Opponent)),
            "-stake 1e-4 * (coin = answer: 1) = -1e-4"
        );
    }

    #[test]
    fn rewards_are_rendered_with_their_numbers() {
        let instance = arguments::instance("1");
        let reward = Reward::Bet {
            round: 2,
            weight: Exact::ratio(1, 100),
            exponent: 2,
            bet: Bet::TooLow,
            outcome: true,
            judged: false,
            p: Exact::ratio(72, 100),
        };
        assert_eq!(
            narrator(&instance, FormulaCharacterSet::Unicode).reward_formula(&reward),
            "r₂ = r² · A₂ · (M − p₂) = 0.01 · (+1) · (1 − 0.72) = +0.0028"
        );
        assert_eq!(
            narrator(&instance, FormulaCharacterSet::Ascii).reward_formula(&reward),
            "r_2 = r^2 * A_2 * (M - p_2) = 0.01 * (+1) * (1 - 0.72) = +0.0028"
        );
        assert_eq!(
            narrator(&instance, FormulaCharacterSet::Unicode).reward_reason(&reward),
            "Bob had said 72 %, Alice bet that this was too low, and the coins said yes"
        );
        let agreement = Reward::Agreement {
            weight: Exact::ratio(1, 10_000),
            exponent: 4,
            coin: false,
            answer: true,
        };
        assert_eq!(
            narrator(&instance, FormulaCharacterSet::Unicode).reward_formula(&agreement),
            "r_init = r⁴ · 1(coin = answer) = 1e-4 · 0 = 0"
        );
        let leaf = Reward::Bet {
            round: 0,
            weight: Exact::ratio(1, 1),
            exponent: 0,
            bet: Bet::TooHigh,
            outcome: false,
            judged: true,
            p: Exact::ratio(1, 3),
        };
        assert_eq!(
            narrator(&instance, FormulaCharacterSet::Unicode).reward_formula(&leaf),
            "r₀ = A₀ · (O − p₀) = (−1) · (0 − 0.3333) = +0.3333"
        );
    }
}
