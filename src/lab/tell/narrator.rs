//! Debates in words: what was asked and what happened, as sentences.
//!
//! Text is made here, when somebody reads it, and nowhere in the rules. The plain mode, the
//! screen and the exports all use these sentences, so that they never tell different stories.
//! A [`Perspective`] says to whom: the seat that looks reads "you".

use debate_core::number::{Exact, Number, percent, short};
use debate_core::observe::Observation;
use debate_core::protocol::{Bet, Event, Log, LogEntry, Reader, Round, Seal, Seat};
use debate_core::scenario::{ClaimId, Instance};

use super::{Perspective, Script};

/// Tells a debate: its instance, and how formulas are written.
#[derive(Clone, Copy, Debug)]
pub struct Narrator<'a> {
    /// The instance, for the claims' texts.
    pub instance: &'a Instance,
    /// The signs that formulas are written with.
    pub script: Script,
    /// From whose seat it is told.
    pub perspective: Perspective,
}

/// A sentence and whose doing it tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NarratedEvent {
    /// `None` where the rules speak.
    pub who: Option<Seat>,
    pub text: String,
}

/// A request in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The kind of reply that is wanted, in few words: "Your estimate".
    pub title: &'static str,
    /// The question, one sentence or two.
    pub text: String,
    /// What the values chosen before leave of a formula's clauses, line by line; may be empty.
    pub clauses: String,
    /// The evidence for the judge, at a leaf.
    pub evidence: Option<String>,
}

impl Question {
    /// A question without evidence.
    pub(super) fn plain(title: &'static str, text: impl Into<String>) -> Self {
        Self {
            title,
            text: text.into(),
            clauses: String::new(),
            evidence: None,
        }
    }
}

/// A probability in per cent.
pub(super) fn in_percent<N: Number>(p: &N) -> String {
    percent(p.to_float())
}

impl<'a> Narrator<'a> {
    /// Tells it from nobody's seat.
    pub fn new(instance: &'a Instance, script: Script) -> Self {
        Self {
            instance,
            script,
            perspective: Perspective::NEUTRAL,
        }
    }

    /// Tells it from this seat.
    #[must_use]
    pub fn seen_from(self, perspective: Perspective) -> Self {
        Self {
            perspective,
            ..self
        }
    }

    pub(super) fn quoted(&self, claim: ClaimId) -> String {
        self.quote(&self.instance.text(claim))
    }

    /// A claim in few words, in quotation marks: "none of 2–17" must not run into the sentence.
    pub fn brief(&self, claim: ClaimId) -> String {
        self.quote(&self.instance.short_text(claim))
    }

    pub(super) fn quote(&self, text: &str) -> String {
        match self.script {
            Script::Unicode => format!("“{text}”"),
            Script::Ascii => format!("\"{text}\""),
        }
    }

    /// A yes or no, said of a claim.
    pub fn truth(holds: bool) -> &'static str {
        if holds { "true" } else { "false" }
    }

    /// The odds of a claim that is left to chance, as a clause.
    pub fn odds(odds: &Exact) -> String {
        format!(
            "it comes out true with probability {}",
            percent(odds.to_float())
        )
    }

    /// An entry of the log as somebody sees it.
    ///
    /// `None` where there is nothing to tell.
    pub fn tell<N: Number>(
        &self,
        log: &Log<N>,
        index: usize,
        reader: impl Into<Reader>,
    ) -> Option<NarratedEvent> {
        match log.seen_by(index, reader)? {
            Observation::Sealed { seat, seal } => {
                let does = |third, second| self.perspective.verb(seat, third, second);
                let text = match seal {
                    Seal::Answer => format!(
                        "{} (sealed until the root's coin has fallen)",
                        does("answers", "answer")
                    ),
                    Seal::Bet(_) => {
                        format!("{} (sealed until this round's reward)", does("bets", "bet"))
                    }
                    Seal::Share(_) => format!(
                        "{} a number (sealed until both are in)",
                        does("gives", "give")
                    ),
                    Seal::Speech(_) => format!(
                        "{} (sealed until both have spoken)",
                        does("speaks", "speak")
                    ),
                };
                Some(NarratedEvent {
                    who: Some(seat),
                    text,
                })
            }
            Observation::Open(entry) => {
                let text = self.event(log, index, entry.seat, &entry.event)?;
                let who = match entry.event {
                    Event::Rewarded(_)
                    | Event::Ended { .. }
                    | Event::Entered { .. }
                    | Event::Gated { .. }
                    | Event::Parts { .. }
                    | Event::Read { .. }
                    | Event::Sampled { .. }
                    | Event::Checked { .. }
                    | Event::Opened(Seal::Share(_) | Seal::Speech(_)) => None,
                    Event::Opened(_) => Some(Seat::Prover),
                    _ => Some(entry.seat),
                };
                Some(NarratedEvent { who, text })
            }
        }
    }

    /// True if a claim ends a tree of claims.
    fn is_leaf(&self, claim: ClaimId) -> bool {
        self.instance.decomposition().has_claims() && self.instance.is_leaf(claim)
    }

    /// An event in words, without the seat whose doing it is.
    fn event<N: Number>(
        &self,
        log: &Log<N>,
        index: usize,
        seat: Seat,
        event: &Event<N>,
    ) -> Option<String> {
        let does = |third, second| self.perspective.verb(seat, third, second);
        Some(match event {
            Event::Entered { round, .. } if self.instance.question().is_some() => {
                format!("Round {round}")
            }
            Event::Entered { round, claim, p } => self.entered(log, *round, *claim, p.as_ref()),
            Event::Answered { claim, answer } => {
                let (claim, answer) = (self.quoted(*claim), Self::truth(*answer));
                format!("{} that {claim} is {answer}", does("says", "say"))
            }
            Event::Estimated { p, .. } if self.instance.question().is_some() => {
                self.likely(seat, p)
            }
            Event::Spoke { speech, .. } => self.speech(seat, speech),
            Event::Continued { goes_on } => self.continued(seat, *goes_on),
            Event::Estimated {
                claim,
                place: None,
                p,
                ..
            } => format!(
                "{} {} {} likely",
                does("holds", "hold"),
                self.quoted(*claim),
                in_percent(p)
            ),
            Event::Estimated {
                claim, alone, p, ..
            } => {
                let own = if *alone { " on its own" } else { "" };
                let claim = self.brief(*claim);
                let holds = does("holds", "hold");
                format!("{holds} {claim}{own} {} likely", in_percent(p))
            }
            Event::Tossed { claim, value, .. } => {
                format!("{} comes out {}", self.brief(*claim), Self::truth(*value))
            }
            Event::Betted { bet, .. } => self.betted(seat, *bet),
            Event::Supported { claim, support } => {
                let supports = does("supports", "support");
                format!("{supports} it by {}", self.support(*claim, *support))
            }
            Event::Claimed {
                claim,
                support,
                answers,
            } => {
                let support = self.instance.support(*claim, *support)?;
                let each = support
                    .on
                    .iter()
                    .zip(answers.as_slice())
                    .map(|(y, answer)| format!("{} is {}", self.brief(*y), Self::truth(*answer)));
                let claims = does("claims", "claim");
                format!("{claims}: {}", each.collect::<Vec<_>>().join("; "))
            }
            Event::Gated { claim, holds } => {
                let (claim, holds) = (self.brief(*claim), Self::truth(*holds));
                format!("The coins make {claim} {holds}")
            }
            // Where there was nothing to choose from nobody chose.
            Event::Selected { .. } if log.is_only_part(index) => return None,
            Event::Selected {
                by: Seat::Opponent,
                chosen,
                ..
            } => format!("{} {}", does("contests", "contest"), self.brief(*chosen)),
            Event::Selected { chosen, .. } => {
                format!("{} on with {}", does("goes", "go"), self.brief(*chosen))
            }
            Event::GaveBit { bit, value } => {
                let (bit, value) = (self.instance.bit_name(*bit), u8::from(*value));
                format!("{} proof bit {bit} = {value}", does("gives", "give"))
            }
            Event::Judged {
                claim,
                answer,
                confidence,
            } => {
                let sure = confidence.as_ref().map_or_else(String::new, |p| {
                    format!(" ({} sure that it is true)", in_percent(p))
                });
                format!(
                    "{} that {} is {}{sure}",
                    does("says", "say"),
                    self.quoted(*claim),
                    Self::truth(*answer)
                )
            }
            Event::Opened(seal) => Self::opened(log, index, *seal)?,
            Event::Rewarded(reward) => self.formula(reward),
            Event::Ended { payoff } => {
                format!(
                    "The debate is over. {}",
                    self.perspective.paid(payoff.to_float())
                )
            }
            step => return self.step_event(log, index, seat, step),
        })
    }

    /// The sealed reply, told when its seal opens.
    fn opened<N: Number>(log: &Log<N>, index: usize, seal: Seal) -> Option<String> {
        match seal {
            Seal::Share(_) => return Self::added_up(log, index, seal),
            Seal::Speech(_) => return Some("Both have spoken".to_owned()),
            Seal::Answer | Seal::Bet(_) => {}
        }
        let sealed = |entry: &&LogEntry<N>| entry.seal == Some(seal);
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

    /// The sum of the two numbers for a coin, told when the second of them opens.
    fn added_up<N: Number>(log: &Log<N>, index: usize, seal: Seal) -> Option<String> {
        let before = log.entries().get(..index)?;
        if before.last().map(|entry| &entry.event) != Some(&Event::Opened(seal)) {
            return None;
        }
        let shares = before.iter().filter_map(|entry| match &entry.event {
            Event::Shared { share, .. } if entry.seal == Some(seal) => Some(share.to_float()),
            _ => None,
        });
        let sum: f64 = shares.sum();
        let rest = if sum < 1.0 {
            String::new()
        } else {
            format!(", without the whole {}", short(sum - sum.fract(), 4))
        };
        let (made, said) = (short(sum.fract(), 4), log.last_estimate()?.to_float());
        Some(format!(
            "The two numbers add up to {made}{rest}; up to {} it comes out true",
            short(said, 4)
        ))
    }

    /// A support in words: its label, its gate and its subclaims.
    pub fn support(&self, claim: ClaimId, support: u32) -> String {
        let Some(chosen) = self.instance.support(claim, support) else {
            return String::new();
        };
        let label = self.instance.label(claim, support as usize);
        let label = label.map_or_else(String::new, |label| format!("{label}, "));
        let subclaims: Vec<String> = chosen.on.iter().map(|y| self.brief(*y)).collect();
        let gate = chosen.gate.over(chosen.on.len());
        let subclaims = subclaims.join("; ");
        format!("{label}{gate}: {subclaims}")
    }

    /// The heading of a round: "Round 2 of 4: “…”, held 90 % likely".
    fn entered<N: Number>(&self, log: &Log<N>, k: u32, claim: ClaimId, p: Option<&N>) -> String {
        let first = log.first_round().unwrap_or(k);
        let (round, rounds) = (Round::counted(k, first), Round::counted(0, first));
        let leaf = if self.is_leaf(claim) && !log.is_parted() {
            ", a leaf"
        } else {
            ""
        };
        let held = p.map_or_else(String::new, |p| format!(", held {} likely", in_percent(p)));
        let claim = self.quoted(claim);
        format!("Round {round} of {rounds}{leaf}: {claim}{held}")
    }

    fn betted(&self, seat: Seat, bet: Bet) -> String {
        let bets = self.perspective.verb(seat, "bets", "bet");
        match bet {
            Bet::AboutRight => format!("{bets} nothing: about right (0)"),
            bet => format!("{bets} that this is {} ({:+})", bet.words(), bet.sign()),
        }
    }
}
