//! Debates in words: what was asked and what happened, as sentences.
//!
//! Text is made here, when somebody reads it, and nowhere in the rules. The plain mode, the
//! screen and the exports all use these sentences, so that they never tell different stories.

use super::{Ask, Bet, Event, Log, Reward, Round, Seal, Seat, Seen, Turn};
use crate::gate::Gate;
use crate::number::{Number, percent, short, signed};
use crate::protocol::Request;
use crate::scenario::{ClaimId, Instance};

/// How formulas are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Script {
    /// With superscripts and subscripts: r² · A₂.
    #[default]
    Unicode,
    /// r^2 * A_2.
    Ascii,
}

/// More coins than this are counted, not named, so that the question itself stays in sight.
const MOST_NAMED: usize = 8;

/// Tells a debate: its instance, and how formulas are written.
#[derive(Clone, Copy, Debug)]
pub struct Teller<'a> {
    /// The instance, for the claims' texts.
    pub instance: &'a Instance,
    /// How formulas are written.
    pub script: Script,
}

/// A sentence and whose doing it tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// Who did it; `None` where the rules speak.
    pub who: Option<Seat>,
    /// What they did.
    pub text: String,
}

/// What is asked, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// What kind of reply is wanted, in few words: "Your estimate".
    pub title: &'static str,
    /// The question, one sentence or two.
    pub text: String,
    /// What the judge may read, at a leaf.
    pub evidence: Option<String>,
}

impl Teller<'_> {
    fn quoted(&self, claim: ClaimId) -> String {
        self.quote(&self.instance.text(claim))
    }

    /// A claim in few words, in quotation marks: "none of 2–17" must not run into the sentence.
    #[must_use]
    pub fn brief(&self, claim: ClaimId) -> String {
        self.quote(&self.instance.short_text(claim))
    }

    fn quote(&self, text: &str) -> String {
        match self.script {
            Script::Unicode => format!("“{text}”"),
            Script::Ascii => format!("\"{text}\""),
        }
    }

    /// A yes or no, said of a claim.
    #[must_use]
    pub fn truth(holds: bool) -> &'static str {
        if holds { "true" } else { "false" }
    }

    /// An entry of the log as a seat sees it (`None`: somebody who sees everything).
    ///
    /// `None` where there is nothing to tell.
    #[must_use]
    pub fn tell<N: Number>(&self, log: &Log<N>, index: usize, seat: Option<Seat>) -> Option<Told> {
        match log.seen_by(index, seat)? {
            Seen::Sealed { seat, seal } => {
                let text = match seal {
                    Seal::Answer => "answers (sealed until the root's coin has fallen)".to_owned(),
                    Seal::Bet(_) => "bets (sealed until this round's reward)".to_owned(),
                };
                Some(Told {
                    who: Some(seat),
                    text,
                })
            }
            Seen::Open(entry) => {
                let text = self.event(log, index, &entry.event)?;
                let who = match entry.event {
                    Event::Rewarded(_)
                    | Event::Ended { .. }
                    | Event::Entered { .. }
                    | Event::Gated { .. } => None,
                    Event::Opened(_) => Some(Seat::Prover),
                    _ => Some(entry.seat),
                };
                Some(Told { who, text })
            }
        }
    }

    fn event<N: Number>(&self, log: &Log<N>, index: usize, event: &Event<N>) -> Option<String> {
        Some(match event {
            Event::Entered { round, claim, p } => {
                let leaf = if self.instance.is_leaf(*claim) {
                    ", a leaf"
                } else {
                    ""
                };
                let held = p.as_ref().map_or_else(String::new, |p| {
                    format!(", held {} likely", percent(p.to_float()))
                });
                format!("Round {round}{leaf}: {}{held}", self.quoted(*claim))
            }
            Event::Answered { claim, answer } => {
                format!(
                    "says that {} is {}",
                    self.quoted(*claim),
                    Self::truth(*answer)
                )
            }
            Event::Estimated {
                claim,
                place: None,
                p,
                ..
            } => {
                format!(
                    "holds {} {} likely",
                    self.quoted(*claim),
                    percent(p.to_float())
                )
            }
            Event::Estimated {
                claim, alone, p, ..
            } => {
                let own = if *alone { " on its own" } else { "" };
                format!(
                    "holds {}{own} {} likely",
                    self.brief(*claim),
                    percent(p.to_float())
                )
            }
            Event::Tossed { claim, value, .. } => {
                format!("{} comes out {}", self.brief(*claim), Self::truth(*value))
            }
            Event::Betted { bet, .. } => self.bet(*bet),
            Event::Supported { claim, support } => {
                format!("supports it by {}", self.support(*claim, *support))
            }
            Event::Claimed {
                claim,
                support,
                answers,
            } => {
                let support = self.instance.supports(*claim).get(*support as usize)?;
                let each = support
                    .on
                    .iter()
                    .zip(answers.as_slice())
                    .map(|(y, answer)| format!("{} is {}", self.brief(*y), Self::truth(*answer)));
                format!("claims: {}", each.collect::<Vec<_>>().join("; "))
            }
            Event::Gated { claim, holds } => {
                format!(
                    "The coins make {} {}",
                    self.brief(*claim),
                    Self::truth(*holds)
                )
            }
            Event::Selected {
                by: Seat::Opponent,
                chosen,
                ..
            } => {
                format!("contests {}", self.brief(*chosen))
            }
            Event::Selected { chosen, .. } => format!("goes on with {}", self.brief(*chosen)),
            Event::GaveBit { bit, value } => {
                format!(
                    "gives proof bit {} = {}",
                    self.instance.bit_name(*bit),
                    u8::from(*value)
                )
            }
            Event::Judged {
                claim,
                answer,
                confidence,
            } => {
                let sure = confidence.as_ref().map_or_else(String::new, |p| {
                    format!(" ({} sure that it is true)", percent(p.to_float()))
                });
                format!("{} is {}{sure}", self.quoted(*claim), Self::truth(*answer))
            }
            Event::Opened(seal) => Self::opened(log, index, *seal)?,
            Event::Rewarded(reward) => self.formula(reward),
            Event::Ended { payoff } => {
                format!("The debate is over. {}", Self::paid(payoff.to_float()))
            }
        })
    }

    /// What a seal hid, told when it opens.
    fn opened<N: Number>(log: &Log<N>, index: usize, seal: Seal) -> Option<String> {
        let sealed = |entry: &&super::Entry<N>| entry.seal == Some(seal);
        let entry = log.entries().get(..index)?.iter().rev().find(sealed)?;
        Some(match &entry.event {
            Event::Answered { answer, .. } => {
                format!("had said that it is {}", Self::truth(*answer))
            }
            Event::Betted { bet, .. } => {
                let bet = match bet {
                    Bet::AboutRight => "nothing".to_owned(),
                    bet => format!("that it is {}", bet.words()),
                };
                format!("had bet {bet}")
            }
            _ => return None,
        })
    }

    /// A bet as Alice makes it.
    #[must_use]
    pub fn bet(&self, bet: Bet) -> String {
        match bet {
            Bet::AboutRight => "bets nothing: about right (0)".to_owned(),
            bet => format!("bets that this is {} ({:+})", bet.words(), bet.sign()),
        }
    }

    /// A support in words: its label, its gate and its subclaims.
    #[must_use]
    pub fn support(&self, claim: ClaimId, support: u32) -> String {
        let Some(chosen) = self.instance.supports(claim).get(support as usize) else {
            return String::new();
        };
        let label = self
            .instance
            .label(claim, support as usize)
            .map_or_else(String::new, |label| format!("{label}, "));
        let subclaims: Vec<String> = chosen.on.iter().map(|y| self.brief(*y)).collect();
        // A gate over a single subclaim only says something where it turns the truth around.
        let gate = match (chosen.on.len(), &chosen.gate) {
            (1, Gate::Not) => chosen.gate.to_string(),
            (1, _) => "one subclaim".to_owned(),
            (count, gate) => format!("{gate} {count}"),
        };
        format!("{label}{gate}: {}", subclaims.join("; "))
    }

    /// Who received what.
    #[must_use]
    pub fn paid(payoff: f64) -> String {
        if payoff == 0.0 {
            return "Nobody received anything.".to_owned();
        }
        let (alice, bob) = (signed(payoff, 4), signed(-payoff, 4));
        format!("Alice receives {alice}, Bob {bob}.")
    }

    /// A reward as its formula, with the numbers in it.
    #[must_use]
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
            Reward::Verdict { claimed, answer } => format!(
                "Alice had claimed {}, the judge says {}: {value}",
                Self::truth(*claimed),
                Self::truth(*answer)
            ),
        }
    }

    /// Why a reward was what it was, in words.
    #[must_use]
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
            Reward::Verdict { claimed, answer } if claimed == answer => {
                "the judge confirmed the last claim".to_owned()
            }
            Reward::Verdict { .. } => "the judge refuted the last claim".to_owned(),
        }
    }

    /// r to a power.
    #[must_use]
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

    /// The pending request in words, for whoever must answer it.
    #[must_use]
    pub fn ask<N: Number>(&self, turn: &Turn<N>, log: &Log<N>) -> Question {
        let plain = |title, text: String| Question {
            title,
            text,
            evidence: None,
        };
        match &turn.request {
            Request::Answer { claim } => plain(
                "Your answer",
                format!(
                    "Is this true: {}? You will defend your answer.",
                    self.quoted(*claim)
                ),
            ),
            Request::Probability {
                claim,
                place,
                alone,
            } => {
                let given = if *alone || place.is_none() {
                    String::new()
                } else {
                    self.given(log)
                };
                let own = if *alone { ", on its own" } else { "" };
                let how = if given.is_empty() { "How" } else { "how" };
                let text = format!(
                    "{given}{how} likely is it{own} that {}?",
                    self.quoted(*claim)
                );
                plain("Your estimate", text)
            }
            Request::Direction { claim } => {
                let p = last_p(log).map_or_else(String::new, |p| percent(p.to_float()));
                let text = format!(
                    "Bob holds {} {p} likely. Is that about right?",
                    self.quoted(*claim)
                );
                plain("Your bet", text)
            }
            Request::Support { claim, offered } => {
                let ways = if *offered == 1 {
                    "There is one way"
                } else {
                    "Choose a way"
                };
                plain(
                    "Your support",
                    format!("{ways} to support {}.", self.quoted(*claim)),
                )
            }
            Request::Select { .. } if turn.seat == Seat::Opponent => plain(
                "Your choice",
                "Which of Alice's answers do you contest?".to_owned(),
            ),
            Request::Select { .. } => plain(
                "Your choice",
                "Which subclaim do you go on with? Bob's estimate of it stands.".to_owned(),
            ),
            Request::Bits {
                ask:
                    Ask::Answers {
                        claim,
                        support,
                        result,
                    },
                ..
            } => {
                let gate = self.instance.supports(*claim).get(*support as usize);
                let gate = gate.map_or_else(String::new, |support| support.gate.to_string());
                let text = format!(
                    "Claim an answer to each subclaim, so that together ({gate}) they come out {}.",
                    Self::truth(*result)
                );
                plain("Your claims", text)
            }
            Request::Bits {
                ask: Ask::Proof(bit),
                ..
            } => {
                let name = self.instance.bit_name(*bit);
                plain("Your proof", format!("What is proof bit {name}, 0 or 1?"))
            }
            Request::Oracle { claim } => Question {
                title: "The oracle is asked",
                text: format!("Is this claim true: {}?", self.quoted(*claim)),
                evidence: self.instance.evidence(*claim),
            },
            Request::Draw { claim, .. } => plain(
                "A coin",
                format!("A coin falls for {}.", self.brief(*claim)),
            ),
        }
    }

    /// "Given that a came out true and b false: ", from the coins of this round.
    fn given<N: Number>(&self, log: &Log<N>) -> String {
        let coins = coins_of_round(log);
        if coins.is_empty() {
            return String::new();
        }
        if coins.len() > MOST_NAMED {
            let yes = coins.iter().filter(|(_, value)| *value).count();
            let no = coins.len() - yes;
            return format!("Given the coins before it ({yes} true, {no} false): ");
        }
        let each: Vec<String> = coins
            .iter()
            .map(|(claim, value)| {
                format!("{} came out {}", self.brief(*claim), Self::truth(*value))
            })
            .collect();
        format!("Given that {}: ", each.join(", "))
    }
}

/// The coins that have fallen since the last support was chosen.
#[must_use]
pub fn coins_of_round<N>(log: &Log<N>) -> Vec<(ClaimId, bool)> {
    let start = log
        .entries()
        .iter()
        .rposition(|entry| matches!(entry.event, Event::Supported { .. }))
        .map_or_else(|| log.entries().len(), |place| place + 1);
    log.entries()
        .iter()
        .skip(start)
        .filter_map(|entry| match entry.event {
            Event::Tossed { claim, value, .. } => Some((claim, value)),
            _ => None,
        })
        .collect()
}

/// The probability that the current round began with.
#[must_use]
pub fn last_p<N>(log: &Log<N>) -> Option<&N> {
    log.entries()
        .iter()
        .rev()
        .find_map(|entry| match &entry.event {
            Event::Entered { p, .. } => p.as_ref(),
            _ => None,
        })
}

/// The rewards paid so far.
pub fn rewards<N>(log: &Log<N>) -> impl Iterator<Item = &Reward<N>> {
    log.entries().iter().filter_map(|entry| match &entry.event {
        Event::Rewarded(reward) => Some(reward),
        _ => None,
    })
}

/// Each round of the schedule with what it paid: nothing where it has not been played.
#[must_use]
pub fn by_round<N: Number>(schedule: &[(Round, N)], log: &Log<N>) -> Vec<(Round, Option<N>)> {
    schedule
        .iter()
        .map(|(round, _)| {
            let paid = rewards(log).filter(|reward| reward.round() == *round);
            let paid: Vec<N> = paid.map(Reward::value).collect();
            let sum = (!paid.is_empty()).then(|| paid.into_iter().fold(N::zero(), |a, b| a + b));
            (*round, sum)
        })
        .collect()
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
    use crate::scenario::sample;

    fn teller(instance: &Instance, script: Script) -> Teller<'_> {
        Teller { instance, script }
    }

    #[test]
    fn rewards_are_told_with_their_numbers() {
        let instance = sample::instance("1");
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
            teller(&instance, Script::Unicode).formula(&reward),
            "r₂ = r² · A₂ · (M − p₂) = 0.01 · (+1) · (1 − 0.72) = +0.0028"
        );
        assert_eq!(
            teller(&instance, Script::Ascii).formula(&reward),
            "r_2 = r^2 * A_2 * (M - p_2) = 0.01 * (+1) * (1 - 0.72) = +0.0028"
        );
        assert_eq!(
            teller(&instance, Script::Unicode).because(&reward),
            "Bob had said 72 %, Alice bet that this was too low, and the coins made the gate true"
        );
        let agreement = Reward::Agreement {
            weight: Exact::ratio(1, 10_000),
            exponent: 4,
            coin: false,
            answer: true,
        };
        assert_eq!(
            teller(&instance, Script::Unicode).formula(&agreement),
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
            teller(&instance, Script::Unicode).formula(&leaf),
            "r₀ = A₀ · (O − p₀) = (−1) · (0 − 0.3333) = +0.3333"
        );
    }
}
