//! Requests in words: to whoever must answer them, and to those who wait.

use std::collections::BTreeMap;
use std::ops::Range;

use debate_core::number::{Exact, Number as _, percent};
use debate_core::protocol::{self, Draw, Log, Request, Round, Seat, Turn};
use debate_core::scenario::{self, ClaimId, Quantifier, SpeechLimits};
use debate_core::text::counted;

use super::{Ask, AskKind, Narrator, grouped, shortened};

/// More coins than this are counted, not named, so that the question itself stays in sight.
const MOST_NAMED: usize = 8;
/// More clauses than these are not looked at for a question.
const MOST_CLAUSES: usize = 60;

impl Narrator<'_> {
    /// The pending request, for whoever must answer it.
    #[expect(clippy::too_many_lines, reason = "one arm a kind")]
    pub fn ask(&self, turn: &Turn<Exact>, log: &Log<Exact>) -> Ask {
        let request = &turn.request;
        let kind = || AskKind::Reply(request.clone());
        let ask = |title, text| Ask::new(title, text, kind());
        if let Some(question) = self.instance.question() {
            let (title, text) = self.ask_about(question, request);
            return ask(title, text);
        }
        let quoted = |claim: &ClaimId| self.quoted(*claim);
        match request {
            Request::Answer { claim } => {
                let claim = quoted(claim);
                let text = format!("Is this true: {claim}? You will defend your answer.");
                ask("Your answer", text)
            }
            Request::Probability { claim, .. } if self.instance.warrant_of(*claim).is_some() => {
                let text = format!(
                    "You dispute it. How likely is it all the same, at most 50 %, that {}? \
                     Alice bets on whether that is too low, and the judge decides.",
                    self.instance.text(*claim)
                );
                ask("Your doubt", text)
            }
            Request::Probability { claim, alone, .. } => {
                let given = if request.is_conditional() {
                    self.given(*claim, log)
                } else {
                    String::new()
                };
                let own = if *alone { ", on its own" } else { "" };
                let how = if given.is_empty() { "How" } else { "how" };
                let text = format!("{given}{how} likely is it{own} that {}?", quoted(claim));
                // Who states probabilities, not beliefs, reads what those read who are asked.
                let reads = turn.seat == Seat::Prover;
                let evidence = self.instance.evidence(*claim).filter(|_| reads);
                ask("Your estimate", text).with_evidence(evidence)
            }
            Request::Direction { claim } => {
                let stated = log.probability_entered();
                let p = stated.map_or_else(String::new, |p| percent(p.to_float()));
                let claim = quoted(claim);
                let text = format!("Bob holds {claim} {p} likely. Is that about right?");
                ask("Your bet", text)
            }
            Request::Support { claim, offered } => {
                ask("Your support", self.ask_support(*claim, *offered))
            }
            Request::Select { claim, .. } => {
                let claim = quoted(claim);
                let text = match (log.is_parted(), turn.seat) {
                    (true, Seat::Opponent) => {
                        format!("Alice stands by {claim}. In which of these is the error?")
                    }
                    (true, _) => format!(
                        "Which of these shows that it is so: {claim}? Take one that you can defend."
                    ),
                    (false, Seat::Opponent) => {
                        "Which of Alice's answers do you contest?".to_owned()
                    }
                    (false, _) => {
                        "Which subclaim do you go on with? Bob's estimate of it stands.".to_owned()
                    }
                };
                ask("Your choice", text)
            }
            Request::Bits { ask, length } => self.ask_bits(*ask, *length, log, kind()),
            Request::Share { claim } => {
                let text = format!(
                    "Give a number from 0 to 1 for the coin of {}. The other side gives one \
                     too, unseen, and their sum decides: whoever draws evenly cannot be cheated.",
                    quoted(claim)
                );
                ask("Your number", text)
            }
            Request::Challenge { claim, steps } => {
                let title = "Your challenge";
                if self.instance.warrant_of(*claim).is_some() {
                    let text = format!(
                        "{} Dispute the step where it would not; the judge then answers for the \
                         step alone, and the debate ends.",
                        self.ask_warrant(*claim)
                    );
                    return ask(title, text);
                }
                match log.transcript_given() {
                    None => ask(title, self.ask_whether_off(*claim, log))
                        .with_evidence(self.instance.evidence(*claim)),
                    Some(verifier) => ask(title, self.ask_for_step(*claim, steps, verifier)),
                }
            }
            Request::Oracle { claim } => ask("Your judgement", self.ask_oracle(*claim, log))
                .with_evidence(self.instance.evidence(*claim)),
            Request::Draw { claim, draw, .. } => {
                let claim = self.brief(*claim);
                let Draw::Binomial { count, .. } = draw else {
                    return ask("A coin", format!("A coin falls for {claim}."));
                };
                let count = grouped(*count);
                ask(
                    "Samples",
                    format!("The oracle is asked {count} times about {claim}."),
                )
            }
            // Only debates about a question have speeches.
            Request::Speech { .. } | Request::Continue { .. } => ask("", String::new()),
        }
    }

    /// A pending request of a debate in free speeches: its title and text.
    fn ask_about(
        &self,
        question: &scenario::Question,
        request: &Request<Exact>,
    ) -> (&'static str, String) {
        let [first, second] = question.answers().map(|answer| self.quote(answer.trim()));
        let subject = question.text().trim();
        match request {
            Request::Speech { argues_for, limits } => {
                let limits = limited(*limits);
                let Some(answer) = argues_for else {
                    let text = "What do you say to the debaters? You may ask, or say nothing.";
                    return ("Your words", format!("{text}{limits}"));
                };
                let own = if *answer == 0 { &first } else { &second };
                ("Your speech", format!("{subject} Argue for {own}.{limits}"))
            }
            Request::Continue { round } => {
                let text = format!("Do you want to hear round {round}, or end the debate here?");
                ("Your decision", text)
            }
            Request::Answer { .. }
            | Request::Probability { .. }
            | Request::Direction { .. }
            | Request::Support { .. }
            | Request::Select { .. }
            | Request::Share { .. }
            | Request::Challenge { .. }
            | Request::Bits { .. }
            | Request::Oracle { .. }
            | Request::Draw { .. } => {
                let text =
                    format!("{subject} How likely is {first}? The other answer is {second}.");
                ("Your probability", text)
            }
        }
    }

    /// The claims that led to what is asked, from the root on, in words; `None` where there are none.
    pub fn path(&self, turn: &Turn<Exact>, log: &Log<Exact>) -> Option<String> {
        let asked = turn.request.claim();
        let mut path: Vec<ClaimId> = Vec::new();
        for claim in std::iter::once(self.instance.root()).chain(log.path()) {
            if Some(claim) != asked && !path.contains(&claim) {
                path.push(claim);
            }
        }
        let claims: Vec<String> = path.into_iter().map(|claim| self.quoted(claim)).collect();
        (!claims.is_empty()).then(|| format!("The claims that led here: {}.", claims.join("; ")))
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
        let (each, claim) = (each.join("; "), self.quoted(of));
        format!(
            "Suppose you knew whether each of these holds: {each}; would that settle ({gate}) whether \
             {claim}?"
        )
    }

    fn ask_oracle(&self, claim: ClaimId, log: &Log<Exact>) -> String {
        let question = match self.instance.warrant_of(claim) {
            Some(_) => self.ask_warrant(claim),
            None => format!("Is this claim true: {}?", self.quoted(claim)),
        };
        let vote = log.votes_on(claim) + 1;
        match vote {
            1 => question,
            _ => format!("{question} This is vote {vote}: answer as another careful person would."),
        }
    }

    /// "Given that a came out true, b came out false: ", from the coins of this round but the
    /// claim's own.
    fn given(&self, claim: ClaimId, log: &Log<Exact>) -> String {
        let mut coins = log.coins_of_round();
        coins.retain(|(of, _)| *of != claim);
        if coins.is_empty() {
            return String::new();
        }
        if coins.len() > MOST_NAMED {
            let yes = coins.iter().filter(|(_, value)| *value).count();
            let no = coins.len() - yes;
            return format!("Given the coins before it ({yes} true, {no} false): ");
        }
        let outcome = |(claim, value): &(ClaimId, bool)| {
            format!("{} came out {}", self.brief(*claim), Self::truth(*value))
        };
        let each: Vec<String> = coins.iter().map(outcome).collect();
        format!("Given that {}: ", each.join(", "))
    }

    fn ask_bits(&self, wanted: protocol::Ask, length: u32, log: &Log<Exact>, kind: AskKind) -> Ask {
        use protocol::Ask as Wanted;
        let bits = grouped(length.into());
        let (title, text) = match wanted {
            Wanted::Answers {
                claim,
                support,
                result,
            } => {
                let support = self.instance.support(claim, support);
                let gate = support
                    .map(|support| support.gate.to_string())
                    .unwrap_or_default();
                let result = Self::truth(result);
                let text = format!(
                    "Claim an answer to each subclaim, so that together ({gate}) they come out {result}."
                );
                ("Your claims", text)
            }
            Wanted::Proof(bit) => {
                let name = self.instance.bit_name(bit);
                ("Your proof", format!("What is proof bit {name}, 0 or 1?"))
            }
            Wanted::Configuration { time } => {
                let last = self.instance.run().is_some_and(|run| run.steps() == time);
                let must = " You defend that it accepts: you lose if it does not.";
                let must = if last { must } else { "" };
                let text = format!("What is {}?{must}", self.what(wanted));
                ("Your configuration", text)
            }
            Wanted::Witness => {
                let text = format!("Give a witness of {bits} bits that the claim is true.");
                ("Your witness", text)
            }
            Wanted::Block { claim, block } => {
                let ask = Ask::new("Your values", self.ask_block(wanted, block, log), kind);
                let clauses = self.clauses_left(log);
                // Clauses stand in the question, as far as they are open.
                let formula = self.instance.formula();
                let listed = formula.and_then(|formula| formula.open_clauses(&[], 0));
                let evidence = self.instance.evidence(claim);
                return Ask { clauses, ..ask }.with_evidence(evidence.filter(|_| listed.is_none()));
            }
            Wanted::Transcript { .. } => {
                let what = self.what(wanted);
                let lose = "You defend that the last is 1: you lose if it is 0.";
                (
                    "Your transcript",
                    format!("Write down {what}: {bits} bits. {lose}"),
                )
            }
        };
        Ask::new(title, text, kind)
    }

    /// Which values are to be chosen, what for, and what was chosen before.
    fn ask_block(&self, wanted: protocol::Ask, block: u32, log: &Log<Exact>) -> String {
        let values = format!("Choose the values of {}", self.what(wanted));
        let formula = self.instance.formula();
        let blocks = formula.as_ref().map_or(&[][..], |formula| formula.blocks());
        let (Some(formula), Some(owner)) = (&formula, blocks.get(block as usize)) else {
            return values + ".";
        };
        let wins = match owner.quantifier {
            Quantifier::Exists => "if",
            Quantifier::ForAll => "unless",
        };
        let end = formula.matrix_text();
        let text = format!("{values}. You win {wins} in the end {end}.");
        let blocks = log.bits_given().filter_map(|(given, bits)| match given {
            protocol::Ask::Block { block, .. } => formula.values_text(block as usize, bits),
            _ => None,
        });
        let chosen: Vec<String> = blocks.collect();
        if chosen.is_empty() {
            return text;
        }
        format!("{text}\nSo far: {}.", chosen.join(", "))
    }

    /// What the values chosen before leave of the clauses, line by line.
    fn clauses_left(&self, log: &Log<Exact>) -> String {
        let formula = self.instance.formula();
        let values = log.chosen_values();
        let Some(open) = formula.and_then(|formula| formula.open_clauses(&values, MOST_CLAUSES))
        else {
            return String::new();
        };
        let (broken, next) = (("Broken", open.broken), ("Yours to decide", open.next));
        let groups = [broken, next, ("Later", open.later)];
        let kept = groups.iter().filter(|(_, clauses)| !clauses.is_empty());
        let lines = kept.map(|(name, clauses)| format!("{name}: {}.", clauses.join("; ")));
        lines.collect::<Vec<_>>().join("\n")
    }

    fn ask_for_step(&self, claim: ClaimId, steps: &Range<u64>, verifier: bool) -> String {
        let whose = if verifier { " of the verifier" } else { "" };
        let count = match steps.end.saturating_sub(steps.start) {
            1 => "one step".to_owned(),
            count => format!("{} steps", grouped(count)),
        };
        format!(
            "Alice wrote down {count}{whose} for {}. Point at one that does not follow from what \
             it reads, or at none, which counts as the last step: that must also say 1.",
            self.brief(claim)
        )
    }

    /// The question about a probability that was just stated: is it off?
    fn ask_whether_off(&self, claim: ClaimId, log: &Log<Exact>) -> String {
        let given = self.given(claim, log);
        let stated = log.last_estimate();
        let p = stated.map_or_else(String::new, |p| percent(p.to_float()));
        format!(
            "{given}Alice holds {} {p} likely. Have that checked? The check ends the debate: you \
             win if she is too far off, otherwise she wins.",
            self.quoted(claim)
        )
    }

    /// The context of the parts that are chosen from, a line each: the configurations at the
    /// ends of the halves, and the input of a circuit, which the parts come down to.
    pub fn parts_context(&self, log: &Log<Exact>) -> Vec<String> {
        let mut lines = self.configurations(log);
        if let Some(circuit) = self.instance.circuit() {
            let bits = shortened(circuit.input_bits());
            lines.push(format!("The input, from x0 on: {bits}"));
        }
        lines
    }

    /// The configuration given last and those given nearest before and after it in time.
    fn configurations(&self, log: &Log<Exact>) -> Vec<String> {
        let Some(run) = self.instance.run() else {
            return Vec::new();
        };
        let mut times = BTreeMap::from([(0, run.start())]);
        let mut last = None;
        for (given, bits) in log.bits_given() {
            if let protocol::Ask::Configuration { time } = given {
                times.insert(time, bits.clone());
                last = Some(time);
            }
        }
        let Some(middle) = last else {
            return Vec::new();
        };
        let until = times.range(..=middle).rev().take(2).collect::<Vec<_>>();
        let nearest = until
            .into_iter()
            .rev()
            .chain(times.range(middle + 1..).take(1));
        let texts = nearest.filter_map(|(time, bits)| {
            let steps = counted(grouped(*time), "step", "steps");
            Some(format!("After {steps}: {}", self.configuration(bits)?))
        });
        texts.collect()
    }

    /// The action that is asked of another seat than the one that looks, without its reply:
    /// "estimates …".
    pub fn pending_action(&self, request: &Request<Exact>) -> String {
        let brief = |claim: &ClaimId| self.brief(*claim);
        match request {
            Request::Answer { claim } => format!("says whether {} is true", brief(claim)),
            Request::Probability { claim, .. } => {
                format!("estimates how likely {} is", brief(claim))
            }
            Request::Direction { .. } => {
                let whose = self.perspective.whose(Seat::Opponent);
                format!("bets whether {whose} estimate is too low or too high")
            }
            Request::Support { claim, .. } => format!("supports {} by subclaims", brief(claim)),
            Request::Select { claim, .. } => {
                format!("chooses where to go on with {}", brief(claim))
            }
            Request::Bits { ask, .. } => match ask {
                protocol::Ask::Answers { .. } => "claims answers".to_owned(),
                protocol::Ask::Proof(_) => "gives a proof bit".to_owned(),
                protocol::Ask::Block { .. } => {
                    format!("chooses the values of {}", self.what(*ask))
                }
                protocol::Ask::Transcript { .. } => format!("writes down {}", self.what(*ask)),
                protocol::Ask::Configuration { .. } | protocol::Ask::Witness => {
                    format!("gives {}", self.what(*ask))
                }
            },
            Request::Share { .. } => "gives a number for a coin".to_owned(),
            Request::Challenge { steps, .. } if steps.end - steps.start == 1 => {
                "says whether that should be checked".to_owned()
            }
            Request::Challenge { .. } => "looks for a wrong step".to_owned(),
            Request::Speech { argues_for, .. } => match argues_for {
                Some(_) => "argues".to_owned(),
                None => "speaks to the debaters".to_owned(),
            },
            Request::Continue { .. } => "decides whether to hear another round".to_owned(),
            Request::Oracle { claim } => format!("judges {}", brief(claim)),
            Request::Draw { claim, .. } => format!("falls for {}", brief(claim)),
        }
    }
}

const NOTHING_MORE: &str = "You have nothing more to say in this debate.";

/// When the turn of a seat comes, in words, while this request to another one is pending; `None`
/// where it depends on what is said. `depth`: the number of the first round. `is_parted`: claims
/// fell into parts or were written down in bits.
pub fn until_turn(
    seat: Seat,
    pending: &Request<Exact>,
    round: Option<Round>,
    depth: u32,
    is_parted: bool,
) -> Option<String> {
    match pending {
        Request::Challenge { .. }
        | Request::Share { .. }
        | Request::Speech { .. }
        | Request::Continue { .. }
        | Request::Bits {
            ask:
                protocol::Ask::Configuration { .. }
                | protocol::Ask::Transcript { .. }
                | protocol::Ask::Block { .. }
                | protocol::Ask::Witness,
            ..
        } => return None,
        Request::Answer { .. }
        | Request::Probability { .. }
        | Request::Direction { .. }
        | Request::Support { .. }
        | Request::Select { .. }
        | Request::Bits {
            ask: protocol::Ask::Proof(_) | protocol::Ask::Answers { .. },
            ..
        }
        | Request::Oracle { .. }
        | Request::Draw { .. } => {}
    }
    let rounds = match round {
        Some(Round::Number(number)) => number,
        _ => depth,
    };
    let is_last = round == Some(Round::Number(0));
    if seat == Seat::Judge && is_parted {
        return Some("You may be asked something at the end.".to_owned());
    }
    if seat == Seat::Judge && !is_last {
        let rounds = match rounds {
            0 | 1 => "one round".to_owned(),
            2 => "two rounds".to_owned(),
            3 => "three rounds".to_owned(),
            rounds => format!("{rounds} rounds"),
        };
        return Some(format!("Your turn comes in about {rounds}."));
    }
    let sentence = match seat {
        // Of the prover, a pair to go on with: this round is paid. Of the opponent, a part of a claim.
        Seat::Opponent | Seat::Prover if pending.is_selection() && rounds > 1 => {
            "Your turn comes in the next round."
        }
        Seat::Opponent | Seat::Prover if pending.is_selection() => NOTHING_MORE,
        Seat::Opponent if is_last => NOTHING_MORE,
        Seat::Prover if pending.judged_claim().is_some() => NOTHING_MORE,
        // The first estimate is a round without a number.
        Seat::Prover if round == Some(Round::Initial) => "Your turn comes in the first round.",
        Seat::Prover | Seat::Judge if is_last => "Your turn comes in this round.",
        _ if pending.draw().is_some() => "Your turn comes soon after.",
        _ => "Your turn comes in this round.",
    };
    Some(sentence.to_owned())
}

/// The limits of a speech, as a sentence after another.
fn limited(limits: SpeechLimits) -> String {
    match (limits.words, limits.quotes) {
        (None, None) => String::new(),
        (Some(words), None) => format!(" At most {words} characters of your own."),
        (None, Some(quotes)) => format!(" At most {quotes} characters of quotes."),
        (Some(words), Some(quotes)) => {
            format!(" At most {words} characters of your own and {quotes} of quotes.")
        }
    }
}
