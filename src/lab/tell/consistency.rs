//! Consistency of a reply with what its seat said before.

use num_traits::{One as _, Zero as _};

use debate_core::number::{Exact, Number, percent};
use debate_core::protocol::{Bet, Event, Log, LogEntry, Reply, Request, Seat, Turn};
use debate_core::scenario::{ClaimId, Instance};

/// Numbers that are less than so many hundredths apart agree: whole percents are easily typed.
const HUNDREDTHS: i64 = 1;

/// What the estimates of a claim's parts say of the claim itself, beside what was said of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ImpliedEstimate {
    /// The claim.
    pub claim: ClaimId,
    /// The probability that was given for it before.
    pub said: Exact,
    /// The least and the greatest probability of it that the parts allow.
    pub range: (Exact, Exact),
}

impl ImpliedEstimate {
    /// Of the claim whose parts were estimated last, as far as they were; `next` is one more
    /// estimate. `None` where no part was estimated, or parts are estimated on their own.
    pub fn of(instance: &Instance, log: &Log<Exact>, next: Option<&Exact>) -> Option<Self> {
        let is_split = |entry: &LogEntry<Exact>| matches!(entry.event, Event::Supported { .. });
        let at = log.entries().iter().rposition(is_split)?;
        Self::from(instance, log, at, next)
    }

    /// Of every claim whose parts were estimated, in order.
    pub fn each(instance: &Instance, log: &Log<Exact>) -> Vec<Self> {
        let entries = 0..log.entries().len();
        let found = entries.filter_map(|at| Self::from(instance, log, at, None));
        found.collect()
    }

    /// Of the claim that an entry of the log splits.
    fn from(
        instance: &Instance,
        log: &Log<Exact>,
        at: usize,
        next: Option<&Exact>,
    ) -> Option<Self> {
        let Event::Supported { claim, support } = log.entries().get(at)?.event else {
            return None;
        };
        let support = instance.support(claim, support)?;
        let (mut estimates, mut coins) = (Vec::new(), Vec::new());
        for entry in log.entries().iter().skip(at) {
            match &entry.event {
                Event::Estimated { alone: true, .. } => return None,
                Event::Estimated {
                    place: Some(_), p, ..
                } => estimates.push(p),
                Event::Tossed {
                    place: Some(_),
                    value,
                    ..
                } => coins.push(*value),
                // The next round has begun.
                Event::Entered { .. } => break,
                _ => {}
            }
        }
        estimates.extend(next);
        let (last, before) = estimates.split_last()?;
        let gate = &support.gate;
        let rest = |place: usize| u32::try_from(support.on.len().checked_sub(place + 1)?).ok();
        let tally = |place: usize| gate.tally(coins.iter().take(place).copied());
        // How likely the coins were to fall so far as they did, and what holds where they had not.
        let (mut weight, mut least, mut most) = (Exact::one(), Exact::zero(), Exact::zero());
        for (place, p) in before.iter().enumerate() {
            let came = *coins.get(place)?;
            let otherwise = Exact::indicator(!came);
            let (low, high) = gate.implied(tally(place), rest(place)?, &otherwise);
            let holds = if came {
                (*p).clone()
            } else {
                Exact::one() - *p
            };
            let off = &weight * (Exact::one() - &holds);
            least += &off * low;
            most += off * high;
            weight *= holds;
        }
        let place = before.len();
        let (low, high) = gate.implied(tally(place), rest(place)?, *last);
        least += &weight * low;
        most += weight * high;
        let entered = log.entries().get(..at)?.iter().rev();
        let mut entered = entered.filter_map(|entry| match &entry.event {
            Event::Entered { claim: of, p, .. } if *of == claim => p.clone(),
            _ => None,
        });
        Some(Self {
            claim,
            said: entered.next()?,
            range: (least, most),
        })
    }

    /// True if the claim can be as likely as was said of it, to a percent.
    pub fn agrees(&self) -> bool {
        let slack = Exact::ratio(HUNDREDTHS, 100);
        self.said >= &self.range.0 - &slack && self.said <= &self.range.1 + &slack
    }

    /// The range in words: "66 %", "0 % to 90 %".
    pub fn words(&self) -> String {
        let (least, most) = &self.range;
        let (least, most) = (percent(least.to_float()), percent(most.to_float()));
        if least == most {
            least
        } else {
            format!("{least} to {most}")
        }
    }
}

/// The consistency of a reply with what its seat said before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// It does.
    Agrees,
    /// It does not: how, as a clause.
    Contradicts(String),
}

/// Whether a reply agrees with what its seat said before; `None` where nothing said before bears on
/// it.
pub fn agreement(
    instance: &Instance,
    log: &Log<Exact>,
    turn: &Turn<Exact>,
    reply: &Reply<Exact>,
) -> Option<Agreement> {
    match (&turn.request, reply) {
        (
            Request::Probability {
                place: Some(_),
                alone: false,
                ..
            },
            Reply::Probability(p),
        ) if turn.seat == Seat::Opponent => {
            let implied = ImpliedEstimate::of(instance, log, Some(p))?;
            if implied.agrees() {
                return Some(Agreement::Agrees);
            }
            Some(Agreement::Contradicts(format!(
                "your numbers then make “{}” {} likely, and you said {}",
                instance.short_text(implied.claim),
                implied.words(),
                percent(implied.said.to_float())
            )))
        }
        (Request::Direction { claim }, Reply::Direction(bet)) => {
            let mut answers = log.entries().iter().filter_map(|entry| match entry.event {
                Event::Answered { claim: of, answer } if of == *claim => Some(answer),
                _ => None,
            });
            let (said, against) = if answers.next()? {
                ("true", Bet::TooHigh)
            } else {
                ("false", Bet::TooLow)
            };
            if *bet != against {
                return Some(Agreement::Agrees);
            }
            let bet = bet.words();
            Some(Agreement::Contradicts(format!(
                "you said that it is {said}: then no estimate of it is {bet}"
            )))
        }
        _ => None,
    }
}
