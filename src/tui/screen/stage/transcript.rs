//! The transcript: every event of the log, told when it is seen.

use num_traits::{Signed, Zero};

use crate::number::{Exact, Number, signed};
use crate::protocol::words::Teller;
use crate::protocol::{Event, Log, Reward, Seen};
use crate::tui::panel::scroll::{Entries, Entry};
use crate::tui::theme::{Look, Role};

use super::{Sight, party};

/// Columns for who speaks.
pub(in crate::tui::screen) const MARGIN: u16 = 8;

/// The log as entries of a scrolling list.
pub(in crate::tui::screen) struct Transcript<'t, 's, 'a> {
    pub(in crate::tui::screen) sight: &'t Sight<'s, 'a>,
    pub(in crate::tui::screen) look: &'t Look,
}

/// Whether a round begins with this entry.
pub(super) fn starts_round(log: &Log<Exact>, number: usize) -> bool {
    let entry = log.entries().get(number);
    number == 0 || entry.is_some_and(|entry| matches!(entry.event, Event::Entered { .. }))
}

impl Transcript<'_, '_, '_> {
    /// What happened, without who did it.
    pub(super) fn text(&self, number: usize) -> String {
        let sight = self.sight;
        let teller = sight.scene.teller(self.look);
        let told = teller.tell(sight.log, number, sight.reader);
        let told = told.map(|told| told.text).unwrap_or_default();
        match sight.log.seen_by(number, sight.reader) {
            Some(Seen::Open(entry)) => match &entry.event {
                // A decision has no formula but itself.
                Event::Rewarded(reward @ Reward::Decided { .. }) => paid(&teller, sight, reward),
                Event::Rewarded(reward) => paid(&teller, sight, reward) + "\n" + &told,
                _ => told,
            },
            _ => told,
        }
    }

    /// One line of plain text.
    pub(super) fn line(&self, number: usize) -> String {
        let sight = self.sight;
        let teller = sight.scene.teller(self.look);
        let who = teller
            .tell(sight.log, number, sight.reader)
            .and_then(|told| told.who)
            .map_or_else(String::new, |seat| format!("{}: ", seat.person()));
        format!("{who}{}", self.text(number).replace('\n', " "))
    }
}

impl Entries for Transcript<'_, '_, '_> {
    fn len(&self) -> usize {
        // How much was said is not for a judge who does not follow it either.
        let follows = self.sight.reader.follows();
        self.sight.log.entries().len() * usize::from(follows)
    }

    fn entry(&self, number: usize) -> Entry {
        let sight = self.sight;
        let teller = sight.scene.teller(self.look);
        let Some(told) = teller.tell(sight.log, number, sight.reader) else {
            return Entry::silent();
        };
        let Some(seen) = sight.log.seen_by(number, sight.reader) else {
            return Entry::silent();
        };
        let label = told.who.map_or("", |seat| seat.person());
        let entry = Entry {
            label: label.to_owned(),
            label_role: told.who.map(party),
            ..Entry::default()
        };
        let Seen::Open(open) = seen else {
            return entry.then(Role::Faint, told.text);
        };
        // A round is a paragraph of its own.
        let silent = |next: &usize| teller.tell(sight.log, *next, sight.reader).is_none();
        let last = sight.log.entries().len();
        let next = (number + 1..last).find(|next| !silent(next));
        let next = next.and_then(|next| sight.log.entries().get(next));
        let gap = match next.map(|next| &next.event) {
            Some(Event::Entered { .. } | Event::Ended { .. }) => "\n",
            _ => "",
        };
        match &open.event {
            Event::Entered { .. } | Event::Ended { .. } => entry.then(Role::Title, told.text),
            Event::Rewarded(reward) => {
                let value = reward.value();
                let role = if value.is_zero() {
                    Role::Text
                } else if value.is_positive() {
                    Role::Good
                } else {
                    Role::Bad
                };
                let entry = entry.then(role, paid(&teller, sight, reward));
                match reward {
                    Reward::Decided { .. } => entry.then(Role::Faint, gap.to_owned()),
                    _ => entry.then(Role::Faint, format!("\n{}{gap}", told.text)),
                }
            }
            _ => {
                // They stand in the order of the log.
                let marks = sight.marks;
                let mark = marks.binary_search_by_key(&number, |mark| mark.entry);
                let mark = mark.ok().and_then(|place| marks.get(place));
                let entry = entry.then(Role::Text, told.text);
                let entry = match mark {
                    Some(mark) => entry.then(mark.role, format!("\n{}", mark.text)),
                    None => entry,
                };
                entry.then(Role::Text, gap)
            }
        }
    }
}

/// A reward in words, before its formula.
fn paid(teller: &Teller<'_>, sight: &Sight<'_, '_>, reward: &Reward<Exact>) -> String {
    let because = teller.why(reward, sight.log);
    let value = reward.value();
    if value.is_zero() {
        return format!("Nothing is paid: {because}.");
    }
    let (alice, bob) = (value.to_float(), (-value).to_float());
    format!(
        "Alice {}, Bob {}: {because}.",
        signed(alice, 3),
        signed(bob, 3)
    )
}
