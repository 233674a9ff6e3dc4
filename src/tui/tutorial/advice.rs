//! What the player of reference would reply at a moment of a lesson, and what they know of the computation.

use std::collections::BTreeMap;

use super::REFERENCE_PROVER;
use super::moment::Moment;
use debate_core::bits::Bits;
use debate_core::number::Exact;
use debate_core::player::{PolicyState, Registry, Spec};
use debate_core::protocol::{Ask, Event, Reply, Request, Seat, View};
use debate_lab::setup::{Limits, Setup};
use debate_lab::tell::{Narrator, Script};

impl Moment<'_, '_> {
    /// What the honest player would most likely reply to what the user is asked.
    pub(super) fn advised_reply(&self) -> Option<Reply<Exact>> {
        let seat = self.seating.awaited()?;
        let turn = self.seating.turn()?;
        let setup = Setup::bundled(self.scenario, &Limits::default()).ok()?;
        let honest = Spec::named(REFERENCE_PROVER);
        let registry = Registry::<Exact>::builtin();
        let player = registry.build(&honest, seat, self.instance, &setup.protocol);
        let view = View::new(self.seating.state(), seat);
        let chosen = player
            .ok()?
            .choose(view, &turn.request, &mut PolicyState::default())?;
        let likeliest = chosen
            .each()?
            .into_iter()
            .max_by(|one, other| one.0.cmp(&other.0));
        likeliest.map(|(_, reply)| reply)
    }

    /// That reply as the question names it.
    pub(super) fn advised(&self) -> Option<String> {
        let turn = self.seating.turn()?;
        match (&turn.request, self.advised_reply()?) {
            (Request::Select { .. }, Reply::Select(place)) => {
                let parts = self.last(|event| match event {
                    Event::Parts { on, .. } => Some(on),
                    _ => None,
                })?;
                let part = *parts.get(place as usize)?;
                Some(format!("“{}”", self.instance.short_text(part)))
            }
            (_, Reply::Challenge(Some(step))) => Some(format!("step {step}")),
            (
                Request::Bits {
                    ask: Ask::Block { block, .. },
                    ..
                },
                Reply::Bits(bits),
            ) => {
                let block = usize::try_from(*block).ok()?;
                self.instance.formula()?.values_text(block, &bits)
            }
            _ => None,
        }
    }

    /// Whether the other side wins the game of a formula, once the values so far are chosen.
    pub(super) fn is_lost(&self) -> Option<bool> {
        let formula = self.instance.formula()?;
        let position = formula.play(&self.seating.log().chosen_values())?;
        Some(position.holds != (self.user == Seat::Prover))
    }

    /// The configurations that were given, by time, and the time of the last of them.
    fn given(&self) -> (BTreeMap<u64, &Bits>, Option<u64>) {
        let mut last = None;
        let mut times = BTreeMap::new();
        for entry in self.seating.log().entries() {
            if let Event::Gave {
                ask: Ask::Configuration { time },
                bits,
            } = &entry.event
            {
                times.insert(*time, bits);
                last = Some(*time);
            }
        }
        (times, last)
    }

    /// Whether the end of what is contested follows from its start, so that nothing in it is wrong.
    pub(super) fn is_contested_sound(&self) -> Option<bool> {
        let run = self.instance.run()?;
        let (times, last) = self.given();
        let (end, given) = times.range(last? + 1..).next()?;
        let (from, first) = match times.range(..last?).next_back() {
            Some((time, bits)) => (*time, (*bits).clone()),
            None => (0, run.start()),
        };
        Some(run.follow(&first, end - from).as_ref() == Some(*given))
    }

    /// Whether the configuration that was given last is what the machine comes to, in a sentence.
    pub(super) fn middle(&self) -> Option<String> {
        let (times, last) = self.given();
        let time = last?;
        let given = *times.get(&time)?;
        let truth = self.instance.run()?.at(time)?;
        let after = if time == 1 {
            "after one step".to_owned()
        } else {
            format!("after {time} steps")
        };
        if truth == *given {
            return Some(format!("{after} it stands just as she says."));
        }
        let narrator = Narrator::new(self.instance, Script::Unicode);
        let really = narrator.configuration(&truth)?;
        Some(format!("{after} it stands otherwise, “{really}”."))
    }
}
