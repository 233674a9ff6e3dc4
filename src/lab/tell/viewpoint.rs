//! A debate as one seat sees it.

use std::ops::Range;

use super::{Amounts, Narrator, Perspective, Script};
use debate_core::number::Exact;
use debate_core::observe::Observation;
use debate_core::protocol::{Event, Log, Reader, Rules as _, Seal, Seat, State};

use super::{DebateFacts, Role};

#[derive(Clone, Debug)]
pub struct Viewpoint<'s, 'a> {
    pub facts: &'s DebateFacts<'a>,
    pub state: &'s State<'a, Exact>,
    pub log: &'s Log<Exact>,
    /// The reader decides what is shown.
    pub reader: Reader,
    /// The seat that looks: "you", and whose figures are told. It outlasts the debate, at whose end
    /// the reader sees everything.
    pub perspective: Perspective,
    /// The entries of the log that the last step made.
    pub newest: Range<usize>,
}

impl<'a> Viewpoint<'_, 'a> {
    /// Tells the debate from the seat that looks.
    pub fn narrator(&self, script: Script) -> Narrator<'a> {
        Narrator::new(self.facts.instance, script).seen_from(self.perspective)
    }

    /// Payoffs in points, as the seat that looks reads them.
    pub fn amounts(&self) -> Amounts {
        let amounts = Amounts::new(&self.state.schedule()).seen_from(self.perspective);
        match &self.facts.point {
            Some(point) => amounts.with_point(point.clone()),
            None => amounts,
        }
    }

    /// True if whoever looks may know by which rules is played.
    pub fn tells_rules(&self) -> bool {
        !self.facts.blind || self.reader.seat() != Some(Seat::Judge)
    }

    /// True if whoever looks may be told what replies are worth: nobody in a blind debate, and no
    /// judge from whom something is kept that follows from it.
    pub fn tells_worth(&self) -> bool {
        let judges = self.reader.seat() == Some(Seat::Judge);
        !(self.facts.blind || judges && (!self.reader.follows() || self.hides_a_bet()))
    }

    /// True if somebody has bet what whoever looks must not know yet.
    pub fn hides_a_bet(&self) -> bool {
        let sealed = |seen: Observation<'_, Exact>| {
            matches!(
                seen,
                Observation::Sealed {
                    seal: Seal::Bet(_),
                    ..
                }
            )
        };
        let length = self.log.entries().len();
        let mut backwards = (0..length).rev();
        let mut round = backwards.by_ref().take_while(|index| {
            let entry = &self.log.entries()[*index];
            !matches!(entry.event, Event::Entered { .. })
        });
        round.any(|index| self.log.seen_by(index, self.reader).is_some_and(sealed))
    }
}

/// A remark on a person's reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplyMark {
    /// The event's number in the log.
    pub entry: usize,
    pub text: String,
    pub role: Role,
}
