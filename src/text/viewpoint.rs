//! A debate as one seat sees it, with the facts around it as the scenario and the command line give
//! them.

use std::ops::Range;

use debate_core::number::Exact;
use debate_core::player::bare;
use debate_core::protocol::{Kind, Log, Protocol, Reader, Rules as _, Seat, State};
use debate_core::scenario::{Instance, JudgeSees, Quotes};

use super::{Amounts, Narrator, Perspective, Role, Script};
use debate_solver::setup::{SeatTexts, Setup};

/// Everything told about a debate besides the debate itself.
#[derive(Clone, Debug)]
pub struct DebateFacts<'a> {
    pub instance: &'a Instance,
    pub kind: Kind,
    /// The rules' parameters in few words.
    pub parameters: String,
    /// The rule for quotes that are not in the source word by word.
    pub quotes: Quotes,
    /// The scenario's title: "Is 4331 prime?".
    pub title: String,
    /// The scenario's text for everybody before the debate.
    pub about: String,
    pub briefing: SeatTexts,
    /// The seat whose briefing says that it cannot win, which is said before the seat is taken.
    pub cannot_win: Option<Seat>,
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
    /// Prover, opponent, judge, as the command line names them: `obfuscator`, `human`; empty where nobody is named.
    pub players: [String; 3],
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
            quotes: match protocol {
                Protocol::Speeches(rules) => rules.quote_rule(),
                _ => Quotes::Strict,
            },
            title: instance.text(instance.root()),
            about: String::new(),
            briefing: SeatTexts::default(),
            cannot_win: None,
            debrief: String::new(),
            known: protocol.known_in_words(instance),
            blind: false,
            reader: Reader::ALL,
            seed: String::new(),
            fixes_claim: protocol.conditions().fixes_claim(),
            asked: Seat::PLAYERS.map(|seat| protocol.conditions().asks(seat, instance)),
            players: Default::default(),
            judge_sees: JudgeSees::default(),
            point: None,
        }
    }

    /// The facts of a scenario's debate under a protocol, without players or seed yet.
    pub fn of_scenario(setup: &Setup, instance: &'a Instance, protocol: &Protocol) -> Self {
        Self {
            title: setup.title.clone(),
            about: setup.about.clone(),
            briefing: setup.briefing.clone(),
            cannot_win: setup.cannot_win,
            debrief: setup.debrief.clone(),
            judge_sees: setup.judge_sees,
            ..Self::new(instance, protocol)
        }
    }

    /// The reader in this state: after the end of the debate everything is open.
    pub fn reader_in(&self, state: &State<'_, Exact>) -> Reader {
        match state.request() {
            Some(_) => self.reader,
            None => Reader::ALL,
        }
    }

    pub fn occupant(&self, seat: Seat) -> Option<&str> {
        self.players.get(seat.index()).map(String::as_str)
    }

    /// One line on what a person does in the seat; says so where the rules never ask it.
    pub fn task(&self, seat: Seat) -> &'static str {
        match (self.is_asked(seat), seat) {
            (true, _) => self.kind.task(seat),
            (false, Seat::Judge) => "has nothing to do: nobody asks a judge in this debate",
            (false, _) => "has nothing to do: every move in this debate is the other side's",
        }
    }

    /// The same, and of a seat that is told so anyway, that it cannot win.
    pub fn prospect(&self, seat: Seat) -> &str {
        let briefing = self.briefing.get(seat);
        let warning = briefing.filter(|_| self.cannot_win == Some(seat));
        warning.unwrap_or_else(|| self.task(seat))
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
        let name = self.occupant(seat)?;
        let is_known = !name.is_empty() && (name == "human" || !self.blind);
        is_known.then(|| bare(name))
    }

    /// The players by seat, in words, as far as they were not named before the end.
    pub fn revealed_players(&self) -> Option<String> {
        let seats: Vec<String> = Seat::PLAYERS
            .into_iter()
            .filter_map(|seat| {
                let name = self.occupant(seat)?;
                let who = match seat {
                    Seat::Judge => "the judge",
                    seat => seat.person(),
                };
                let is_known = name.is_empty() || self.player(seat) == Some(name);
                (!is_known).then(|| format!("{who} {name}"))
            })
            .collect();
        (!seats.is_empty()).then(|| seats.join(", "))
    }
}

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
    /// Remarks on people's replies, in the order of the log.
    pub marks: &'s [ReplyMark],
}

impl<'a> Viewpoint<'_, 'a> {
    /// Tells the debate from the seat that looks.
    pub fn narrator(&self, script: Script) -> Narrator<'a> {
        Narrator {
            figures: self.shows_figures(),
            ..Narrator::new(self.facts.instance, script).seen_from(self.perspective)
        }
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

    /// True if whoever looks is shown estimates, coins, bets and rewards. In free speeches they are
    /// the judge's own.
    pub fn shows_figures(&self) -> bool {
        self.reader.sees_figures() || self.facts.kind == Kind::Speeches
    }

    /// True if whoever looks may be told what replies are worth: nobody in a blind debate, and no
    /// judge from whom something is kept that follows from it.
    pub fn tells_worth(&self) -> bool {
        let judges = self.reader.seat() == Some(Seat::Judge);
        !(self.facts.blind || judges && (!self.reader.follows() || !self.shows_figures()))
    }

    /// True if whoever looks may have hints: nobody in a blind debate, and no judge.
    pub fn hints(&self) -> bool {
        !self.facts.blind && self.reader.seat() != Some(Seat::Judge)
    }
}

/// Said where somebody asks for hints who has none: in a debate without, in a blind one, and as a judge.
pub const NO_HINTS: &str = "You have no hints here.";

/// A remark on a person's reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplyMark {
    /// The event's number in the log.
    pub entry: usize,
    pub text: String,
    pub role: Role,
}
