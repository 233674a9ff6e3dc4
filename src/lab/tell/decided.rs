//! Replies that lose for certain, and debates that are decided. Nothing here is a guess: the rules
//! say it, from what everybody at the table can see.

use num_traits::Signed as _;

use super::{Narrator, Script};
use debate_core::number::Exact;
use debate_core::protocol::{Ask, Event, Reply, Request, Rules as _, Seat, State};
use debate_core::scenario::ClaimId;

use super::Viewpoint;

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
        let found = narrator.checked(view.log, check, !prover_loses);
        format!(", since {}", within(&found))
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
    let states = match &turn.request {
        Request::Answer { .. } | Request::Bits { .. } => true,
        Request::Select { .. } => turn.seat == Seat::Prover,
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
                let found = self.narrator.checked(self.view.log, check, holds);
                format!(
                    "This loses for certain, whatever is said after it: {}.",
                    within(&found)
                )
            }
            None => format!("This loses for certain: {}.", self.why(&[reply])?),
        })
    }

    /// The opponent need say nothing more to win.
    fn concession(&self, reply: &Reply<Exact>) -> Option<String> {
        let next = self.after.request()?;
        let asked = matches!(next.request, Request::Challenge { .. });
        if self.seat != Seat::Prover || next.seat != Seat::Opponent || !asked {
            return None;
        }
        let mut passed = self.after.clone();
        let pass = Reply::Challenge(None);
        passed.reply(pass.clone(), &mut ()).ok()?;
        let lost = passed.request().is_none() && loses(self.seat, &passed.payoff());
        let why = lost.then(|| self.why(&[reply, &pass])).flatten()?;
        Some(format!(
            "This gives the debate up: {} need only point at nothing, and {why}.",
            self.view.perspective.within(Seat::Opponent)
        ))
    }

    /// The reason for the end of the debate after these replies.
    fn why(&self, replies: &[&Reply<Exact>]) -> Option<String> {
        let (mut state, mut log) = (self.view.state.clone(), self.view.log.clone());
        for reply in replies {
            state.reply((*reply).clone(), &mut log).ok()?;
        }
        let reward = log.rewards().last()?;
        // What the verifier finds is enough: whom it decides for is what the warning says.
        let found = self.narrator.verdict(&log);
        Some(found.unwrap_or_else(|| self.narrator.why(reward, &log)))
    }

    /// A clause that can hold no more, or that all of them hold.
    fn failing_clause(&self, reply: &Reply<Exact>) -> Option<String> {
        let (
            Request::Bits {
                ask: Ask::Block { .. },
                ..
            },
            Reply::Bits(bits),
        ) = (&self.request, reply)
        else {
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
                let mut clauses = 0..formula.clause_count();
                let broken =
                    clauses.find(|number| formula.clause_holds(*number, &values) == Some(false))?;
                let broken = formula.clause(broken)?;
                Some(if certain {
                    format!("This loses for certain: “{broken}” fails with these values.")
                } else {
                    format!(
                        "“{broken}” fails with these values, so the formula comes out false: you \
                         can win only if Bob overlooks a false gate."
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
        let now: Vec<(ClaimId, bool)> = match (&self.request, reply) {
            (Request::Answer { claim }, Reply::Answer(answer)) => vec![(*claim, *answer)],
            (
                Request::Bits {
                    ask: Ask::Answers { claim, support, .. },
                    ..
                },
                Reply::Bits(answers),
            ) => {
                let on = &instance.support(*claim, *support)?.on;
                let pairs = on.iter().copied().zip(answers.as_slice().iter().copied());
                pairs.collect()
            }
            _ => return None,
        };
        let entries = self.view.log.entries().iter();
        let own = entries.filter(|entry| entry.seat == self.seat);
        let mut said = own.flat_map(|entry| match &entry.event {
            Event::Answered { claim, answer } => vec![(*claim, *answer)],
            Event::Claimed {
                claim,
                support,
                answers,
            } => {
                let support = instance.support(*claim, *support);
                let on = support.map_or(&[][..], |support| &support.on);
                let pairs = on.iter().copied().zip(answers.as_slice().iter().copied());
                pairs.collect()
            }
            _ => Vec::new(),
        });
        let opposite = |(claim, answer): &(ClaimId, bool)| {
            now.iter()
                .any(|(other, now)| other == claim && now != answer)
        };
        let (claim, before) = said.find(opposite)?;
        Some(format!(
            "You said before that {} is {}, and now say that it is {}.",
            self.narrator.brief(claim),
            Narrator::truth(before),
            Narrator::truth(!before)
        ))
    }
}

/// A sentence as a part of another one.
fn within(sentence: &str) -> String {
    let mut characters = sentence.chars();
    let first = characters.next().map(|c| c.to_lowercase().to_string());
    format!("{}{}", first.unwrap_or_default(), characters.as_str())
}

#[cfg(test)]
mod tests;
