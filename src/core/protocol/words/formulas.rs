//! Rewards as formulas with their numbers, and why they were what they were.

use super::{Narrator, Script};
use crate::number::{Number, percent, short, signed};
use crate::protocol::{Bet, Reward};

impl Narrator<'_> {
    /// A reward as its formula, with the numbers in it.
    pub fn formula<N: Number>(&self, reward: &Reward<N>) -> String {
        let value = reward.value().to_float();
        let value = if value == 0.0 {
            "0".to_owned()
        } else {
            signed(value, 4)
        };
        let times = match self.script {
            Script::Unicode => "·",
            Script::Ascii => "*",
        };
        match reward {
            Reward::Agreement {
                weight,
                exponent,
                coin,
                answer,
            } => {
                let power = self.power(*exponent);
                let weight = short(weight.to_float(), 4);
                let agree = u8::from(coin == answer);
                format!(
                    "r_init = {power} {times} 1(coin = answer) = {weight} {times} {agree} = {value}"
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
                let weight = short(weight.to_float(), 4);
                let (power, front) = match exponent {
                    0 => (String::new(), String::new()),
                    _ => (
                        format!("{} {times} ", self.power(*exponent)),
                        format!("{weight} {times} "),
                    ),
                };
                let minus = match self.script {
                    Script::Unicode => "−",
                    Script::Ascii => "-",
                };
                let sign = match bet {
                    Bet::TooHigh => format!("({minus}1)"),
                    Bet::AboutRight => "0".to_owned(),
                    Bet::TooLow => "(+1)".to_owned(),
                };
                let (outcome, p) = (u8::from(*outcome), short(p.to_float(), 4));
                format!(
                    "r{k} = {power}A{k} {times} ({outcome_name} {minus} p{k}) = \
                     {front}{sign} {times} ({outcome} {minus} {p}) = {value}"
                )
            }
            Reward::Decided { for_prover } => {
                let side = if *for_prover { "Alice" } else { "Bob" };
                format!("The verifier decides for {side}: {value}")
            }
            Reward::Persuaded { p } => {
                let minus = match self.script {
                    Script::Unicode => "−",
                    Script::Ascii => "-",
                };
                format!(
                    "p {minus} 0.5 = {} {minus} 0.5 = {value}",
                    short(p.to_float(), 4)
                )
            }
            Reward::Verdict { claimed, answer } => format!(
                "Alice had claimed {}, the judge says {}: {value}",
                Self::truth(*claimed),
                Self::truth(*answer)
            ),
        }
    }

    /// Why a reward was what it was, in words.
    pub fn because<N: Number>(&self, reward: &Reward<N>) -> String {
        match reward {
            Reward::Agreement { coin, answer, .. } if coin == answer => {
                "the coin from Bob's first estimate agreed with Alice's answer".to_owned()
            }
            Reward::Agreement { .. } => {
                "the coin from Bob's first estimate disagreed with Alice's answer".to_owned()
            }
            Reward::Bet {
                bet: Bet::AboutRight,
                ..
            } => "Alice bet nothing".to_owned(),
            Reward::Bet {
                bet,
                outcome,
                judged,
                p,
                ..
            } => {
                let source = if *judged {
                    "the judge said"
                } else {
                    "the coins made the gate"
                };
                format!(
                    "Bob had said {}, Alice bet that this was {}, and {source} {}",
                    percent(p.to_float()),
                    bet.words(),
                    Self::truth(*outcome)
                )
            }
            Reward::Decided { for_prover: true } => "the verifier decided for Alice".to_owned(),
            Reward::Decided { for_prover: false } => "the verifier decided for Bob".to_owned(),
            Reward::Persuaded { p } => {
                format!(
                    "the judge holds Alice's answer {} likely in the end",
                    percent(p.to_float())
                )
            }
            Reward::Verdict { claimed, answer } if claimed == answer => {
                "the judge confirmed the last claim".to_owned()
            }
            Reward::Verdict { .. } => "the judge refuted the last claim".to_owned(),
        }
    }

    /// r to a power.
    pub fn power(&self, exponent: u32) -> String {
        match (self.script, exponent) {
            (_, 0) => "1".to_owned(),
            (_, 1) => "r".to_owned(),
            (Script::Ascii, _) => format!("r^{exponent}"),
            (Script::Unicode, _) => format!("r{}", digits(exponent, SUPERSCRIPTS)),
        }
    }

    fn subscript(&self, number: u32) -> String {
        match self.script {
            Script::Ascii => format!("_{number}"),
            Script::Unicode => digits(number, SUBSCRIPTS),
        }
    }
}

const SUPERSCRIPTS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
const SUBSCRIPTS: [char; 10] = ['₀', '₁', '₂', '₃', '₄', '₅', '₆', '₇', '₈', '₉'];

fn digits(number: u32, alphabet: [char; 10]) -> String {
    number
        .to_string()
        .bytes()
        .filter_map(|digit| alphabet.get(usize::from(digit - b'0')).copied())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::Exact;
    use crate::scenario::{Instance, arguments};

    fn narrator(instance: &Instance, script: Script) -> Narrator<'_> {
        Narrator { instance, script }
    }

    #[test]
    fn rewards_are_told_with_their_numbers() {
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
            narrator(&instance, Script::Unicode).formula(&reward),
            "r₂ = r² · A₂ · (M − p₂) = 0.01 · (+1) · (1 − 0.72) = +0.0028"
        );
        assert_eq!(
            narrator(&instance, Script::Ascii).formula(&reward),
            "r_2 = r^2 * A_2 * (M - p_2) = 0.01 * (+1) * (1 - 0.72) = +0.0028"
        );
        assert_eq!(
            narrator(&instance, Script::Unicode).because(&reward),
            "Bob had said 72 %, Alice bet that this was too low, and the coins made the gate true"
        );
        let agreement = Reward::Agreement {
            weight: Exact::ratio(1, 10_000),
            exponent: 4,
            coin: false,
            answer: true,
        };
        assert_eq!(
            narrator(&instance, Script::Unicode).formula(&agreement),
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
            narrator(&instance, Script::Unicode).formula(&leaf),
            "r₀ = A₀ · (O − p₀) = (−1) · (0 − 0.3333) = +0.3333"
        );
    }
}
