//! Requests in words.

use std::ops::Range;

use debate_core::number::{Number, percent};
use debate_core::protocol::{Ask, Draw, Log, Request, Seat, Turn};
use debate_core::scenario::{ClaimId, Quantifier};

use super::narrator::Question;
use super::{Narrator, grouped};

/// More coins than this are counted, not named, so that the question itself stays in sight.
const MOST_NAMED: usize = 8;
/// More clauses than these are not looked at for a question.
const MOST_CLAUSES: usize = 60;

impl Narrator<'_> {
    /// The pending request in words, for whoever must answer it.
    pub fn ask<N: Number>(&self, turn: &Turn<N>, log: &Log<N>) -> Question {
        if let Some(question) = self.instance.question() {
            return self.ask_about(question, &turn.request);
        }
        match &turn.request {
            Request::Answer { claim } => Question::plain(
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
                if self.instance.warrant_of(*claim).is_some() {
                    let text = format!(
                        "You dispute it. How likely is it all the same, at most 50 %, that {}? \
                         Alice bets on whether that is too low, and the judge decides.",
                        self.instance.text(*claim)
                    );
                    return Question::plain("Your doubt", text);
                }
                let given = if *alone || place.is_none() {
                    String::new()
                } else {
                    self.given(*claim, log)
                };
                self.ask_probability(turn.seat, *claim, &given, *alone)
            }
            Request::Direction { claim } => {
                let p = log
                    .probability_entered()
                    .map_or_else(String::new, |p| percent(p.to_float()));
                let text = format!(
                    "Bob holds {} {p} likely. Is that about right?",
                    self.quoted(*claim)
                );
                Question::plain("Your bet", text)
            }
            Request::Support { claim, offered } => {
                let text = self.ask_support(*claim, *offered);
                Question::plain("Your support", text)
            }
            Request::Select { claim, .. } if log.is_parted() => self.ask_part(turn.seat, *claim),
            Request::Select { .. } if turn.seat == Seat::Opponent => Question::plain(
                "Your choice",
                "Which of Alice's answers do you contest?".to_owned(),
            ),
            Request::Select { .. } => Question::plain(
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
                let gate = self.instance.support(*claim, *support);
                let gate = gate.map_or_else(String::new, |support| support.gate.to_string());
                let text = format!(
                    "Claim an answer to each subclaim, so that together ({gate}) they come out {}.",
                    Self::truth(*result)
                );
                Question::plain("Your claims", text)
            }
            Request::Bits {
                ask: Ask::Proof(bit),
                ..
            } => {
                let name = self.instance.bit_name(*bit);
                Question::plain("Your proof", format!("What is proof bit {name}, 0 or 1?"))
            }
            Request::Oracle { claim } => self.ask_oracle(*claim, log),
            Request::Draw {
                claim,
                draw: Draw::Binomial { count, .. },
                ..
            } => Question::plain(
                "Samples",
                format!(
                    "The oracle is asked {} times about {}.",
                    grouped(*count),
                    self.brief(*claim)
                ),
            ),
            Request::Draw { claim, .. } => Question::plain(
                "A coin",
                format!("A coin falls for {}.", self.brief(*claim)),
            ),
            request => self.ask_step(request, log),
        }
    }

    /// The claims that led to what is asked, from the root on, in words; `None` where there are none.
    pub fn path<N: Number>(&self, turn: &Turn<N>, log: &Log<N>) -> Option<String> {
        let asked = turn.request.claim();
        let mut path: Vec<ClaimId> = Vec::new();
        for claim in std::iter::once(self.instance.root()).chain(log.path()) {
            if Some(claim) != asked && !path.contains(&claim) {
                path.push(claim);
            }
        }
        let path: Vec<String> = path.into_iter().map(|claim| self.quoted(claim)).collect();
        (!path.is_empty()).then(|| format!("The claims that led here: {}.", path.join("; ")))
    }

    fn ask_support(&self, claim: ClaimId, offered: u32) -> String {
        let (text, writes) = (self.quoted(claim), self.instance.composing(claim).is_some());
        let listed = match (writes, offered) {
            (false, 1) => return format!("There is one way to support {text}."),
            (false, _) => return format!("Choose a way to support {text}."),
            (true, 0) => "",
            (true, _) => ", or choose a way that is listed",
        };
        format!("What does {text} follow from? Write subclaims that together make it true{listed}.")
    }

    fn ask_probability(&self, seat: Seat, claim: ClaimId, given: &str, alone: bool) -> Question {
        let own = if alone { ", on its own" } else { "" };
        let how = if given.is_empty() { "How" } else { "how" };
        // Who states probabilities, not beliefs, reads what those read who are asked.
        let reads = seat == Seat::Prover;
        let text = format!(
            "{given}{how} likely is it{own} that {}?",
            self.quoted(claim)
        );
        Question {
            evidence: reads.then(|| self.instance.evidence(claim)).flatten(),
            ..Question::plain("Your estimate", text)
        }
    }

    /// "Suppose you knew whether each of these holds: …. Would that settle …?"
    fn ask_warrant(&self, warrant: ClaimId) -> String {
        let Some((of, number)) = self.instance.warrant_of(warrant) else {
            return String::new();
        };
        let support = self.instance.support(of, number);
        let (gate, on) = support.map_or((String::new(), &[][..]), |support| {
            (support.gate.over(support.on.len()), &support.on[..])
        });
        let each: Vec<String> = on.iter().map(|part| self.quoted(*part)).collect();
        format!(
            "Suppose you knew whether each of these holds: {}; would that settle ({gate}) whether \
             {}?",
            each.join("; "),
            self.quoted(of)
        )
    }

    fn ask_oracle<N>(&self, claim: ClaimId, log: &Log<N>) -> Question {
        let again = match log.votes_on(claim) {
            0 => String::new(),
            votes => format!(
                " This is vote {}: answer as another careful person would.",
                votes + 1
            ),
        };
        let asked = match self.instance.warrant_of(claim) {
            Some(_) => self.ask_warrant(claim),
            None => format!("Is this claim true: {}?", self.quoted(claim)),
        };
        let text = format!("{asked}{again}");
        Question {
            evidence: self.instance.evidence(claim),
            ..Question::plain("Your judgement", text)
        }
    }

    /// "Given that a came out true, b came out false: ", from the coins of this round but the
    /// claim's own.
    fn given<N>(&self, asked: ClaimId, log: &Log<N>) -> String {
        let mut coins = log.coins_of_round();
        coins.retain(|(claim, _)| *claim != asked);
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

    /// A request within a computation.
    pub(super) fn ask_step<N: Number>(&self, request: &Request<N>, log: &Log<N>) -> Question {
        match request {
            Request::Bits { ask, length } => self.ask_bits(*ask, *length, log),
            Request::Challenge { claim, .. } if self.instance.warrant_of(*claim).is_some() => {
                let text = format!(
                    "{} Dispute the step where it would not; the judge then answers for the step \
                     alone, and the debate ends.",
                    self.ask_warrant(*claim)
                );
                Question::plain("Your challenge", text)
            }
            Request::Challenge { claim, steps } => self.ask_challenge(*claim, steps, log),
            Request::Share { claim } => Question::plain(
                "Your number",
                format!(
                    "Give a number from 0 to 1 for the coin of {}. The other side gives one \
                     too, unseen, and their sum decides: whoever draws evenly cannot be cheated.",
                    self.quoted(*claim)
                ),
            ),
            _ => Question::plain("", String::new()),
        }
    }

    fn ask_bits<N>(&self, ask: Ask, length: u32, log: &Log<N>) -> Question {
        let (title, text) = match ask {
            Ask::Configuration { time } => {
                let run = self.instance.run();
                let must = match run.filter(|run| run.steps() == time) {
                    Some(_) => " You defend that it accepts: you lose if it does not.",
                    None => "",
                };
                let what = self.what(ask);
                ("Your configuration", format!("What is {what}?{must}"))
            }
            Ask::Witness => (
                "Your witness",
                format!(
                    "Give a witness of {} bits that the claim is true.",
                    grouped(length.into())
                ),
            ),
            Ask::Block { block, .. } => ("Your values", self.ask_block(ask, block, log)),
            _ => (
                "Your transcript",
                format!(
                    "Write down {}: {} bits. You defend that the last is 1: you lose if it is 0.",
                    self.what(ask),
                    grouped(length.into())
                ),
            ),
        };
        // Clauses stand in the question, as far as they are open.
        let evidence = match (ask, self.instance.formula()) {
            (Ask::Block { claim, .. }, formula)
                if formula
                    .as_ref()
                    .is_none_or(|formula| formula.open_clauses(&[], 0).is_none()) =>
            {
                self.instance.evidence(claim)
            }
            _ => None,
        };
        let clauses = match ask {
            Ask::Block { .. } => self.clauses_left(log),
            _ => String::new(),
        };
        Question {
            title,
            text,
            clauses,
            evidence,
        }
    }

    /// Which values are to be chosen, what for, and what was chosen before.
    fn ask_block<N>(&self, ask: Ask, block: u32, log: &Log<N>) -> String {
        let mut text = format!("Choose the values of {}", self.what(ask));
        let formula = self.instance.formula();
        let number = usize::try_from(block).unwrap_or(usize::MAX);
        let owner = formula.as_ref().and_then(|f| f.blocks().get(number));
        let (Some(formula), Some(owner)) = (&formula, owner) else {
            return text + ".";
        };
        let wins = match owner.quantifier {
            Quantifier::Exists => "if",
            Quantifier::ForAll => "unless",
        };
        let end = formula.matrix_text();
        text += &[". You win ", wins, " in the end ", &end, "."].concat();
        let mut chosen = Vec::new();
        for (ask, bits) in log.bits_given() {
            if let Ask::Block { block, .. } = ask {
                let number = usize::try_from(block).unwrap_or(usize::MAX);
                chosen.extend(formula.values_text(number, bits));
            }
        }
        if !chosen.is_empty() {
            text += &["\nSo far: ", &chosen.join(", "), "."].concat();
        }
        text
    }

    /// What the values chosen before leave of the clauses, line by line.
    fn clauses_left<N>(&self, log: &Log<N>) -> String {
        let Some(formula) = self.instance.formula() else {
            return String::new();
        };
        let mut lines = Vec::new();
        let open = formula.open_clauses(&log.chosen_values(), MOST_CLAUSES);
        let mut say = |what: &str, clauses: &[String]| {
            if !clauses.is_empty() {
                lines.push(format!("{what}: {}.", clauses.join("; ")));
            }
        };
        if let Some(open) = open {
            say("Broken", &open.broken);
            say("Yours to decide", &open.next);
            say("Later", &open.later);
        }
        lines.join("\n")
    }

    fn ask_challenge<N: Number>(
        &self,
        claim: ClaimId,
        steps: &Range<u64>,
        log: &Log<N>,
    ) -> Question {
        let count = steps.end.saturating_sub(steps.start);
        let text = match log.transcript_given() {
            None => return self.ask_whether_off(claim, log),
            Some(verifier) => {
                let whose = if verifier { " of the verifier" } else { "" };
                let count = match count {
                    1 => "one step".to_owned(),
                    count => format!("{} steps", grouped(count)),
                };
                format!(
                    "Alice wrote down {count}{whose} for {}. Point at one that does not follow \
                     from what it reads, or at none, which counts as the last step: that must \
                     also say 1.",
                    self.brief(claim)
                )
            }
        };
        Question::plain("Your challenge", text)
    }

    /// The question about a probability that was just stated: is it off?
    fn ask_whether_off<N: Number>(&self, claim: ClaimId, log: &Log<N>) -> Question {
        let given = self.given(claim, log);
        let said = log
            .last_estimate()
            .map_or_else(String::new, |p| percent(p.to_float()));
        let text = format!(
            "{given}Alice holds {} {said} likely. Have that checked? The check ends the \
             debate: you win if she is too far off, otherwise she wins.",
            self.quoted(claim)
        );
        Question {
            evidence: self.instance.evidence(claim),
            ..Question::plain("Your challenge", text)
        }
    }

    /// Which of the parts that a claim fell into.
    pub(super) fn ask_part(&self, seat: Seat, claim: ClaimId) -> Question {
        let text = match seat {
            Seat::Opponent => format!(
                "Alice stands by {}. In which of these is the error?",
                self.quoted(claim)
            ),
            _ => format!(
                "Which of these shows that it is so: {}? Take one that you can defend.",
                self.quoted(claim)
            ),
        };
        Question::plain("Your choice", text)
    }
}
