//! What follows for certain: debates that are decided, replies that lose, replies that contradict
//! what their seat said before. Nothing here is a guess: the rules say it, from what everybody at
//! the table can see.

use num_traits::{One as _, Signed as _, Zero as _};

use debate_core::gate::Fit;
use debate_core::number::{Exact, Number};
use debate_core::protocol::{Ask, Log, Reply, Request, Rules as _, Seat, State};
use debate_core::scenario::{ClaimId, Instance};

use super::{Narrator, Script, Viewpoint, in_percent, small};

/// Numbers that are less than so many hundredths apart agree: whole percents are easily typed.
const HUNDREDTHS: i64 = 1;

/// A claim of more words is not named beside estimates of its parts, and more estimates than these are not told one
/// by one.
const NAME: usize = 5;
const MANY: usize = 4;

/// True if a payoff to the prover means that a seat has lost.
fn loses(seat: Seat, payoff: &Exact) -> bool {
    match seat {
        Seat::Prover => payoff.is_negative(),
        Seat::Opponent => payoff.is_positive(),
        Seat::Judge | Seat::Chance => false,
    }
}

/// A sentence on a debate that goes on although nothing can change how it ends; `None` where
/// something can.
pub fn decided(view: &Viewpoint<'_, '_>, script: Script) -> Option<String> {
    if view.facts.blind || view.state.request().is_none() || !view.reader.follows() {
        return None;
    }
    let settled = view.state.settled()?;
    let prover_loses = loses(Seat::Prover, &settled.payoff);
    let ended = match view.reader.seat() {
        Some(seat @ (Seat::Prover | Seat::Opponent)) if loses(seat, &settled.payoff) => {
            "you have lost"
        }
        Some(Seat::Prover | Seat::Opponent) => "you have won",
        _ if prover_loses => "Alice has lost",
        _ => "Alice has won",
    };
    let narrator = view.narrator(script);
    let since = settled.by.map_or_else(String::new, |check| {
        let finding = narrator.checked(view.log, check, !prover_loses);
        format!(", since {}", small(&finding))
    });
    Some(format!(
        "It is decided: {ended}, whatever is still said{since}."
    ))
}

/// Why a reply to the pending request loses for certain, gives the debate up, or contradicts what the same
/// seat said before, in a sentence or two; `None` where the rules say no such thing. Told only of
/// what a seat itself states: whether somebody else's statement is right is what is debated.
pub fn certain_loss(
    view: &Viewpoint<'_, '_>,
    reply: &Reply<Exact>,
    script: Script,
) -> Option<String> {
    let turn = view.state.request()?;
    let states = match reply {
        Reply::Answer(_) | Reply::Bits(_) => true,
        Reply::Select(_) => turn.seat == Seat::Prover,
        _ => false,
    };
    if view.facts.blind || !states || view.state.settled().is_some() {
        return None;
    }
    let mut after = view.state.clone();
    after.reply(reply.clone(), &mut ()).ok()?;
    let warning = Warning {
        view,
        narrator: view.narrator(script),
        seat: turn.seat,
        request: turn.request,
        after,
    };
    warning
        .failing_clause(reply)
        .or_else(|| warning.settled(reply))
        .or_else(|| warning.concession(reply))
        .or_else(|| warning.contradiction(reply))
}

/// A reply that is about to be given, and the debate after it.
struct Warning<'w, 's, 'a> {
    view: &'w Viewpoint<'s, 'a>,
    narrator: Narrator<'a>,
    seat: Seat,
    request: Request<Exact>,
    after: State<'a, Exact>,
}

impl Warning<'_, '_, '_> {
    /// The warning where nothing can change any more that the seat loses.
    fn settled(&self, reply: &Reply<Exact>) -> Option<String> {
        let settled = self.after.settled()?;
        if !loses(self.seat, &settled.payoff) {
            return None;
        }
        Some(match settled.by {
            Some(check) => {
                let holds = self.seat == Seat::Opponent;
                let finding = small(&self.narrator.checked(self.view.log, check, holds));
                format!("This loses for certain, whatever is said after it: {finding}.")
            }
            None => format!("This loses for certain: {}.", self.why(&[reply])?),
        })
    }

    /// The opponent need say nothing more to win.
    fn concession(&self, reply: &Reply<Exact>) -> Option<String> {
        let next = self.after.request()?;
        let challenged = next.request.steps().is_some();
        if self.seat != Seat::Prover || next.seat != Seat::Opponent || !challenged {
            return None;
        }
        let mut passed = self.after.clone();
        let pass = Reply::Challenge(None);
        passed.reply(pass.clone(), &mut ()).ok()?;
        let lost = passed.request().is_none() && loses(self.seat, &passed.payoff());
        let why = lost.then(|| self.why(&[reply, &pass])).flatten()?;
        let bob = self.view.perspective.within(Seat::Opponent);
        Some(format!(
            "This gives the debate up: {bob} need only point at nothing, and {why}."
        ))
    }

    /// The reason for the end of the debate after these replies.
    fn why(&self, replies: &[&Reply<Exact>]) -> Option<String> {
        let mut state = self.view.state.clone();
        let mut log = self.view.log.clone();
        for reply in replies {
            state.reply((*reply).clone(), &mut log).ok()?;
        }
        let reward = log.rewards().last()?;
        // What the verifier finds is enough: whom it decides for is what the warning says.
        let finding = self.narrator.verdict(&log);
        Some(finding.unwrap_or_else(|| self.narrator.why(reward, &log)))
    }

    /// A clause that can hold no more, or that all of them hold.
    fn failing_clause(&self, reply: &Reply<Exact>) -> Option<String> {
        let (Some(Ask::Block { .. }), Reply::Bits(bits)) = (self.request.ask(), reply) else {
            return None;
        };
        let formula = self.view.facts.instance.formula()?;
        let mut values = self.view.log.chosen_values();
        if formula.decided(&values).is_some() {
            return None;
        }
        values.extend_from_slice(bits.as_slice());
        let certain = self.after.settled().is_some();
        match (formula.decided(&values)?, self.seat) {
            (false, Seat::Prover) => {
                let fails = |number: &_| formula.clause_holds(*number, &values) == Some(false);
                let broken = formula.clause((0..formula.clause_count()).find(fails)?)?;
                let fails = format!("“{broken}” fails with these values");
                Some(if certain {
                    format!("This loses for certain: {fails}.")
                } else {
                    format!(
                        "{fails}, so the formula comes out false: you can win only if Bob overlooks a \
                         false gate."
                    )
                })
            }
            (true, Seat::Opponent) if certain => {
                Some("This loses for certain: every clause holds with these values.".to_owned())
            }
            (true, Seat::Opponent) => Some(
                "Every clause holds with these values, so the formula comes out true: you can win \
                 only if Alice writes a false gate."
                    .to_owned(),
            ),
            _ => None,
        }
    }

    /// The seat said the opposite before.
    fn contradiction(&self, reply: &Reply<Exact>) -> Option<String> {
        let instance = self.view.facts.instance;
        let now: Vec<(ClaimId, bool)> = match (self.request.ask(), reply) {
            (None, Reply::Answer(answer)) => vec![(self.request.claim()?, *answer)],
            (Some(Ask::Answers { claim, support, .. }), Reply::Bits(answers)) => {
                instance.answers(claim, support, answers)
            }
            _ => return None,
        };
        let earlier = self.view.log.answers_of(self.seat, instance);
        let opposite = |(claim, answer): &(ClaimId, bool)| now.contains(&(*claim, !answer));
        let (claim, before) = earlier.into_iter().find(opposite)?;
        let (before, now) = (Narrator::truth(before), Narrator::truth(!before));
        let claim = self.narrator.brief(claim);
        Some(format!(
            "You said before that {claim} is {before}, and now say that it is {now}."
        ))
    }
}

/// The estimates that were given of a claim's parts, and what they leave to the next one.
#[derive(Clone, Debug)]
pub struct PartEstimates {
    /// The claim.
    pub claim: ClaimId,
    /// Its name in quotation marks, or "the claim" where that is long.
    name: String,
    /// The estimates of its parts, in order.
    pub given: Vec<Exact>,
    /// The same held against what was said of the claim.
    pub fit: Fit<Exact>,
}

impl PartEstimates {
    /// Of the claim whose parts are estimated at the end of a log; `None` where parts are estimated on
    /// their own, or all of them were.
    pub fn of(instance: &Instance, log: &Log<Exact>) -> Option<Self> {
        let mut entries = log.entries().iter();
        let at = entries.rposition(|entry| entry.event.support().is_some())?;
        let (estimates, _) = log.part_estimates(at)?;
        Self::from(instance, log, at, &estimates)
    }

    /// Of the claim that an entry of the log splits, after these of its estimates.
    fn from(
        instance: &Instance,
        log: &Log<Exact>,
        at: usize,
        estimates: &[&Exact],
    ) -> Option<Self> {
        let (claim, support) = log.entries().get(at)?.event.support()?;
        let support = instance.support(claim, support)?;
        let (_, coins) = log.part_estimates(at)?;
        let stated = log.probability_before(at, claim)?.clone();
        let mut fit = Fit::new(&support.gate, support.on.len(), stated);
        for (place, p) in estimates.iter().enumerate() {
            fit.estimate(p);
            fit.coin(p, *coins.get(place)?);
        }
        let name = instance.short_text(claim);
        let is_short = name.split_whitespace().count() <= NAME;
        (fit.left() > 0).then(|| Self {
            name: if is_short {
                format!("“{name}”")
            } else {
                "the claim".to_owned()
            },
            claim,
            given: estimates.iter().map(|p| (*p).clone()).collect(),
            fit,
        })
    }

    /// What the numbers come to for the claim with this one for the next part; without one, what they should.
    pub fn sentence(&self, next: Option<&Exact>) -> String {
        let (name, stated) = (&self.name, in_percent(self.fit.stated()));
        if self.fit.is_decided() {
            return "The coins have decided; this counts if Alice goes on here.".to_owned();
        }
        let Some(next) = next else {
            return format!("Your numbers should make {stated}, as you said.");
        };
        let numbers = match &self.given[..] {
            [] => in_percent(next),
            few if few.len() < MANY => {
                let each: Vec<String> = few.iter().map(in_percent).collect();
                format!("{} and {}", each.join(", "), in_percent(next))
            }
            many => format!("these {} numbers", many.len() + 1),
        };
        let implied = self.with(next).words();
        format!("With {numbers}, {name} is {implied}; you said {stated}.")
    }

    /// What they say of the claim with one more.
    pub fn with(&self, next: &Exact) -> ImpliedEstimate {
        ImpliedEstimate {
            claim: self.claim,
            stated: self.fit.stated().clone(),
            range: self.fit.makes(next),
        }
    }
}

/// What the estimates of a claim's parts say of the claim itself, beside what was said of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ImpliedEstimate {
    /// The claim.
    pub claim: ClaimId,
    /// The probability that was given for it before.
    pub stated: Exact,
    /// The least and the greatest probability of it that the parts allow.
    pub range: (Exact, Exact),
}

impl ImpliedEstimate {
    /// Of the claim whose parts were estimated last, as far as they were; `next` is one more
    /// estimate. `None` where no part was estimated, or parts are estimated on their own.
    pub fn of(instance: &Instance, log: &Log<Exact>, next: Option<&Exact>) -> Option<Self> {
        let mut entries = log.entries().iter();
        let at = entries.rposition(|entry| entry.event.support().is_some())?;
        Self::from(instance, log, at, next)
    }

    /// Of every claim whose parts were estimated, in order.
    pub fn each(instance: &Instance, log: &Log<Exact>) -> Vec<Self> {
        let entries = 0..log.entries().len();
        entries
            .filter_map(|at| Self::from(instance, log, at, None))
            .collect()
    }

    /// Of the claim that an entry of the log splits.
    fn from(
        instance: &Instance,
        log: &Log<Exact>,
        at: usize,
        next: Option<&Exact>,
    ) -> Option<Self> {
        let (mut estimates, _) = log.part_estimates(at)?;
        estimates.extend(next);
        let (last, before) = estimates.split_last()?;
        Some(PartEstimates::from(instance, log, at, before)?.with(last))
    }

    /// True if the claim can be as likely as was said of it, to a percent.
    pub fn agrees(&self) -> bool {
        let slack = Exact::ratio(HUNDREDTHS, 100);
        self.stated >= &self.range.0 - &slack && self.stated <= &self.range.1 + &slack
    }

    /// The range in words: "66 %", "at most 90 %", "20 % to 90 %".
    pub fn words(&self) -> String {
        let (least, most) = &self.range;
        let (low, high) = (in_percent(least), in_percent(most));
        match (least.is_zero(), most.is_one()) {
            _ if low == high => low,
            (true, false) => format!("at most {high}"),
            (false, true) => format!("at least {low}"),
            _ => format!("{low} to {high}"),
        }
    }
}

#[cfg(test)]
mod tests;
