//! The perspective of a text: the seat that it addresses as "you", and whose payoffs it shows.

use std::ops::Neg;

use super::PayoffFormatter;
use debate_core::number::Exact;
use debate_core::protocol::Seat;

/// Returns the other debater.
pub(super) fn other_debater(seat: Seat) -> Seat {
    match seat {
        Seat::Opponent => Seat::Prover,
        _ => Seat::Opponent,
    }
}

/// The viewer's seat. Sentences say "you" for this seat, and amounts are this seat's payoffs. Without a viewer's seat,
/// as in a replay or an export, sentences name every player, and amounts are Alice's. A judge receives no payoff, so a
/// judge also sees Alice's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ViewerPerspective(Option<Seat>);

impl ViewerPerspective {
    /// The perspective without a seat.
    pub const NEUTRAL: Self = Self(None);

    /// Returns the perspective in which this seat is the viewer's; the neutral one for chance.
    pub fn of_seat(seat: Seat) -> Self {
        Self(Some(seat).filter(|seat| *seat != Seat::Chance))
    }

    /// Returns the perspective for a debate in which users play these seats: that of a single user's seat, or the
    /// neutral one for no user or several.
    pub fn perspective_of_user_seats(people: impl IntoIterator<Item = Seat>) -> Self {
        let mut people = people.into_iter();
        match (people.next(), people.next()) {
            (Some(seat), None) => Self::of_seat(seat),
            _ => Self::NEUTRAL,
        }
    }

    /// Returns the viewer's seat.
    pub fn viewer_seat(self) -> Option<Seat> {
        self.0
    }

    /// True if this seat is the viewer's.
    pub fn is_viewer_seat(self, seat: Seat) -> bool {
        self.0 == Some(seat)
    }

    /// Returns the name of a seat's player, as a label or at the start of a sentence: "You", "Alice", "Judge".
    pub fn player_name_or_you(self, seat: Seat) -> &'static str {
        if self.is_viewer_seat(seat) {
            "You"
        } else {
            seat.player_name_of_seat()
        }
    }

    /// Returns the name of a seat's player within a sentence: "you", "Alice", "the judge".
    pub fn player_name_or_you_in_sentence(self, seat: Seat) -> &'static str {
        match seat {
            seat if self.is_viewer_seat(seat) => "you",
            Seat::Judge => "the judge",
            Seat::Chance => "the coins",
            seat => seat.player_name_of_seat(),
        }
    }

    /// Returns the possessive of a seat's player within a sentence: "your", "Alice's".
    pub fn possessive(self, seat: Seat) -> &'static str {
        match seat {
            seat if self.is_viewer_seat(seat) => "your",
            Seat::Prover => "Alice's",
            Seat::Opponent => "Bob's",
            Seat::Judge => "the judge's",
            Seat::Chance => "the coins'",
        }
    }

    /// Returns the form of a verb after a player's name: `third_person` ("holds"), or `second_person` after "you"
    /// ("hold").
    pub fn verb_form(
        self,
        seat: Seat,
        third_person: &'static str,
        second_person: &'static str,
    ) -> &'static str {
        if self.is_viewer_seat(seat) {
            second_person
        } else {
            third_person
        }
    }

    /// Returns the debater whose payoff the text shows.
    pub fn payoff_seat(self) -> Seat {
        match self.0 {
            Some(Seat::Opponent) => Seat::Opponent,
            _ => Seat::Prover,
        }
    }

    /// Returns the debater who receives the opposite of the payoff that the text shows.
    pub fn opposing_debater(self) -> Seat {
        other_debater(self.payoff_seat())
    }

    /// Returns the debater whose payoff the text shows, for use after "to": "you", "Alice".
    pub fn payoff_recipient_word(self) -> &'static str {
        self.player_name_or_you_in_sentence(self.payoff_seat())
    }

    /// True if the viewer's seat receives the payoff that the text shows.
    pub fn receives_shown_payoff(self) -> bool {
        self.is_viewer_seat(self.payoff_seat())
    }

    /// Returns a sentence about the result of a debate with this payoff of the prover, as
    /// [`PayoffFormatter::payoff_sentence`] does.
    pub fn payoff_sentence(self, payoff: &Exact, sums_bets: bool) -> String {
        PayoffFormatter::in_unit_of_rules(self).payoff_sentence(payoff, sums_bets)
    }

    /// Converts a payoff of the prover to the payoff that the text shows: negates it if the viewer is the opponent.
    pub fn value<N: Neg<Output = N>>(self, value: N) -> N {
        match self.payoff_seat() {
            Seat::Opponent => -value,
            _ => value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use debate_core::number::Number as _;

    #[test]
    fn you_are_the_seat_that_looks_and_its_sign_is_yours() {
        let bob = ViewerPerspective::of_seat(Seat::Opponent);
        assert_eq!(bob.player_name_or_you(Seat::Opponent), "You");
        assert_eq!(bob.player_name_or_you_in_sentence(Seat::Prover), "Alice");
        assert_eq!(bob.possessive(Seat::Opponent), "your");
        assert_eq!(bob.verb_form(Seat::Opponent, "holds", "hold"), "hold");
        assert_eq!((bob.value(0.5), bob.payoff_recipient_word()), (-0.5, "you"));
        assert_eq!(
            bob.payoff_sentence(&Exact::ratio(-1, 2), false),
            "You won: +0.5 to you."
        );
        let alice = ViewerPerspective::of_seat(Seat::Prover);
        assert_eq!(
            alice.payoff_sentence(&Exact::ratio(-1, 2), false),
            "You lost: -0.5 to you."
        );
        assert_eq!(
            alice.payoff_sentence(&Exact::ratio(-1, 2), true),
            "-0.5 to you."
        );
        assert_eq!(
            alice.payoff_sentence(&Exact::default(), true),
            "The payoff is even: both sides receive 0."
        );
        let judge = ViewerPerspective::of_seat(Seat::Judge);
        assert_eq!(
            judge.payoff_sentence(&Exact::ratio(1, 2), true),
            "Alice receives +0.5, Bob -0.5."
        );
        assert_eq!(
            (judge.value(0.5), judge.payoff_recipient_word()),
            (0.5, "Alice")
        );
        assert!(bob.receives_shown_payoff() && !judge.receives_shown_payoff());
        assert_eq!(
            ViewerPerspective::of_seat(Seat::Chance),
            ViewerPerspective::NEUTRAL
        );
        let several = ViewerPerspective::perspective_of_user_seats([Seat::Prover, Seat::Judge]);
        assert_eq!(several, ViewerPerspective::NEUTRAL);
        assert_eq!(
            ViewerPerspective::perspective_of_user_seats([Seat::Opponent]),
            bob
        );
    }
}
