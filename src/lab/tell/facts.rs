//! The facts around a debate, as the scenario and the command line give them.

use crate::setup::SeatTexts;
use debate_core::number::Exact;
use debate_core::player::bare;
use debate_core::protocol::{Kind, Protocol, Reader, Rules as _, Seat, State};
use debate_core::scenario::{Instance, JudgeSees};

/// The player in a seat.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeatOccupant {
    /// The player as the command line names it: `obfuscator`, `human`.
    pub player: String,
}

/// Everything told about a debate besides the debate itself.
#[derive(Clone, Debug)]
pub struct DebateFacts<'a> {
    pub instance: &'a Instance,
    pub kind: Kind,
    /// The rules' parameters in few words.
    pub parameters: String,
    /// The scenario's title: "Is 4331 prime?".
    pub title: String,
    /// The scenario's text for everybody before the debate.
    pub about: String,
    pub briefing: SeatTexts,
    /// Shown after the end.
    pub debrief: String,
    /// The opponent's knowledge of the instance, in words, where that is not all of it.
    pub known: Option<String>,
    /// `--blind`: before the end nobody is told what the scenario is about, who plays and what
    /// replies are worth, and a judge not by which rules.
    pub blind: bool,
    pub reader: Reader,
    pub seed: String,
    /// True if the rules leave Alice no choice but to claim the root true.
    pub fixes_claim: bool,
    /// For prover, opponent and judge: true if these rules ask them anything.
    pub asked: [bool; 3],
    /// Prover, opponent, judge.
    pub seats: [SeatOccupant; 3],
    pub judge_sees: JudgeSees,
    /// The payoff of one point, where another debate stands beside this one; else the rules' own.
    pub point: Option<Exact>,
}

impl<'a> DebateFacts<'a> {
    /// The facts of a debate under a protocol, without title, players or seed yet.
    pub fn new(instance: &'a Instance, protocol: &Protocol) -> Self {
        Self {
            instance,
            kind: protocol.kind(),
            parameters: protocol.summary(),
            title: instance.text(instance.root()),
            about: String::new(),
            briefing: SeatTexts::default(),
            debrief: String::new(),
            known: protocol.known_in_words(instance),
            blind: false,
            reader: Reader::ALL,
            seed: String::new(),
            fixes_claim: protocol.conditions().fixes_claim(),
            asked: Seat::PLAYERS.map(|seat| protocol.conditions().asks(seat, instance)),
            seats: Default::default(),
            judge_sees: JudgeSees::default(),
            point: None,
        }
    }

    /// The reader in this state: after the end of the debate everything is open.
    pub fn reader_in(&self, state: &State<'_, Exact>) -> Reader {
        match state.request() {
            Some(_) => self.reader,
            None => Reader::ALL,
        }
    }

    pub fn occupant(&self, seat: Seat) -> Option<&SeatOccupant> {
        self.seats.get(seat.index())
    }

    /// One line on what a person does in the seat; says so where the rules never ask it.
    pub fn task(&self, seat: Seat) -> &'static str {
        match (self.is_asked(seat), seat) {
            (true, _) => self.kind.task(seat),
            (false, Seat::Judge) => "has nothing to do: nobody asks a judge in this debate",
            (false, _) => "has nothing to do: every move in this debate is the other side's",
        }
    }

    /// True if these rules ask the seat anything.
    pub fn is_asked(&self, seat: Seat) -> bool {
        self.asked.get(seat.index()) != Some(&false)
    }

    /// The seat's title under these rules: "estimator".
    pub fn role(&self, seat: Seat) -> &'static str {
        self.kind.title(seat)
    }

    /// "You are BOB, the estimator."
    pub fn you_are(&self, seat: Seat) -> String {
        let person = seat.person().to_uppercase();
        match seat {
            Seat::Judge => format!("You are the {person}."),
            _ => format!("You are {person}, the {}.", self.role(seat)),
        }
    }

    /// The scenario's `about` before the end; empty in a blind debate.
    pub fn opening_text(&self) -> &str {
        if self.blind { "" } else { &self.about }
    }

    /// The texts for a seat before the debate: `about`, then its own briefing.
    pub fn texts_for(&self, seat: Option<Seat>) -> Vec<&str> {
        let own = seat.and_then(|seat| self.briefing.get(seat));
        let each = [Some(self.opening_text()), own].into_iter().flatten();
        each.filter(|text| !text.is_empty()).collect()
    }

    /// The name of a player before the end: without arguments, which may give a lie away. `None`
    /// where nobody is named, and for a strategy in a blind debate.
    pub fn player(&self, seat: Seat) -> Option<&str> {
        let name = self.occupant(seat)?.player.as_str();
        let told = !name.is_empty() && (name == "human" || !self.blind);
        told.then(|| bare(name))
    }

    /// The players by seat, in words, as far as they were not named before the end.
    pub fn revealed_players(&self) -> Option<String> {
        let seats = Seat::PLAYERS.into_iter().filter_map(|seat| {
            let name = self.occupant(seat)?.player.as_str();
            let who = match seat {
                Seat::Judge => "the judge",
                seat => seat.person(),
            };
            let told = name.is_empty() || self.player(seat) == Some(name);
            (!told).then(|| format!("{who} {name}"))
        });
        let seats: Vec<String> = seats.collect();
        (!seats.is_empty()).then(|| seats.join(", "))
    }
}
