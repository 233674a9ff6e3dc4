//! A debate as one seat sees it, with facts from the scenario and the command line.

use std::ops::Range;

use debate_core::number::Exact;
use debate_core::player::{player_name_without_arguments, seated_player_in_plain_words};
use debate_core::protocol::{Log, LogViewerRole, Protocol, ProtocolKind, Rules as _, Seat, State};
use debate_core::scenario::{Instance, JudgeSees, QuoteRule};

use super::{DebateNarrator, FormulaCharacterSet, PayoffFormatter, TextRole, ViewerPerspective};
use debate_solver::setup::{LoadedScenario, TextBySeat};

/// Facts about a debate that are not in its log: title, rules, seats, briefings and players.
#[derive(Clone, Debug)]
pub struct DebateDescription<'a> {
    pub instance: &'a Instance,
    pub kind: ProtocolKind,
    /// The parameters of the rules, written with their symbols.
    pub parameters: String,
    /// The parameters of the rules in words for new users.
    pub parameters_in_words: String,
    /// An explanation of each symbol in `parameters`.
    pub parameter_meanings: Vec<String>,
    /// The rule for quotations that differ from the source.
    pub quotes: QuoteRule,
    /// The scenario's title: "Is 109,931 prime?".
    pub title: String,
    /// The scenario's text that all participants read before the debate.
    pub about: String,
    pub briefing: TextBySeat,
    /// The seat whose briefing says that it cannot win. The program shows this briefing before a user takes the seat.
    pub cannot_win: Option<Seat>,
    /// Shown after the end.
    pub debrief: String,
    /// A text that says what the opponent knows of the instance. `None` if the opponent knows the whole instance, or if
    /// there is no such text.
    pub known: Option<String>,
    /// The text on the opponent's knowledge, without the facts that only the opponent knows. Readers in other seats get
    /// this version.
    pub known_without_values: Option<String>,
    /// `--blind`: before the end, hides the scenario's description, the names of all players except humans, hints and
    /// warnings from all readers. Also hides the rules from a judge.
    pub blind: bool,
    pub reader: LogViewerRole,
    pub seed: String,
    /// True if, under these rules, Alice always claims that the root is true.
    pub prover_always_claims_true: bool,
    /// For prover, opponent and judge: true if these rules ever ask this seat for a reply.
    pub asked: [bool; 3],
    /// The players (prover, opponent, judge) as named on the command line: `obfuscator`, `human`; empty if no player is
    /// named.
    pub players: [String; 3],
    /// The scenario's own players (prover, opponent, judge), named as in `players`; empty for a seat without one. The
    /// debrief can be about them.
    pub scenario_players: [String; 3],
    /// True if the prover's bets depend on the past debates of the user who plays Bob.
    pub prover_follows_person: bool,
    /// For each seat whose opponents have a level of difficulty: "level 4 of 5".
    pub opponent_levels: Vec<(Seat, String)>,
    pub judge_sees: JudgeSees,
    /// The payoff that equals one point, if it comes from another debate with which this one is compared. `None` to use
    /// this debate's own point.
    pub point: Option<Exact>,
}

impl<'a> DebateDescription<'a> {
    /// Creates the facts of a debate under a protocol, without scenario texts, players and a seed. The title is the
    /// root claim.
    pub fn new(instance: &'a Instance, protocol: &Protocol) -> Self {
        Self {
            instance,
            kind: protocol.kind(),
            parameters: protocol.parameter_summary(),
            parameters_in_words: protocol.parameter_summary_in_words(),
            parameter_meanings: protocol.parameter_meanings(),
            quotes: match protocol {
                Protocol::Speeches(rules) => rules.quote_rule(),
                _ => QuoteRule::Strict,
            },
            title: instance.text(instance.root()),
            about: String::new(),
            briefing: TextBySeat::default(),
            cannot_win: None,
            debrief: String::new(),
            known: protocol.opponent_knowledge_in_words(instance),
            known_without_values: protocol.opponent_knowledge_without_values(instance),
            blind: false,
            reader: LogViewerRole::ALL,
            seed: String::new(),
            prover_always_claims_true: protocol.protocol_parameters().prover_always_claims_true(),
            asked: Seat::PLAYERS.map(|seat| protocol.protocol_parameters().asks(seat, instance)),
            players: Default::default(),
            scenario_players: Default::default(),
            prover_follows_person: false,
            opponent_levels: Vec::new(),
            judge_sees: JudgeSees::default(),
            point: None,
        }
    }

    /// Creates the facts of a scenario's debate under a protocol, without players and a seed.
    pub fn of_scenario(
        setup: &LoadedScenario,
        instance: &'a Instance,
        protocol: &Protocol,
    ) -> Self {
        let texts = setup.scenario_texts(instance.world_index());
        Self {
            title: texts.title,
            about: texts.about,
            briefing: texts.briefing,
            cannot_win: setup.cannot_win,
            debrief: texts.debrief,
            judge_sees: setup.judge_sees,
            scenario_players: players_of_scenario(setup),
            ..Self::new(instance, protocol)
        }
    }

    /// Returns the reader for a state of the debate. After the end of the debate, the reader sees everything.
    pub fn log_viewer_in_state(&self, state: &State<'_, Exact>) -> LogViewerRole {
        match state.request() {
            Some(_) => self.reader,
            None => LogViewerRole::ALL,
        }
    }

    pub fn full_player_name(&self, seat: Seat) -> Option<&str> {
        self.players.get(seat.seat_index()).map(String::as_str)
    }

    /// Describes the task of a user in the seat in one line, or says that the rules never ask the seat.
    pub fn task_line(&self, seat: Seat) -> &'static str {
        match (self.is_seat_ever_asked(seat), seat) {
            (true, _) => self.kind.task(seat),
            (false, Seat::Judge) => {
                "This seat has no task: these rules ask the judge no questions."
            }
            (false, _) => {
                "This seat has no task: the other debater makes every move in this debate."
            }
        }
    }

    /// Returns the seat's briefing if it says that the seat cannot win; otherwise describes the seat's task.
    pub fn task_or_cannot_win_warning(&self, seat: Seat) -> &str {
        let briefing = self.briefing.text_of_seat(seat);
        let warning = briefing.filter(|_| self.cannot_win == Some(seat));
        warning.unwrap_or_else(|| self.task_line(seat))
    }

    /// True if these rules ever ask the seat for a reply.
    pub fn is_seat_ever_asked(&self, seat: Seat) -> bool {
        self.asked.get(seat.seat_index()) != Some(&false)
    }

    /// Returns the seat's title under these rules: "estimator".
    pub fn role_title(&self, seat: Seat) -> &'static str {
        self.kind.title(seat)
    }

    /// Returns a sentence that announces a user's seat: "You are BOB, the estimator."
    pub fn role_announcement(&self, seat: Seat) -> String {
        let person = seat.player_name_of_seat().to_uppercase();
        match seat {
            Seat::Judge => format!("You are the {person}."),
            _ => format!(
                "You are {person}, the {seat_title}.",
                seat_title = self.role_title(seat)
            ),
        }
    }

    /// Returns the scenario's text `about` for display before the end; empty in a blind debate.
    pub fn scenario_introduction(&self) -> &str {
        if self.blind { "" } else { &self.about }
    }

    /// Returns the texts that a seat's player reads before the debate: the scenario's `about`, then the seat's
    /// briefing.
    pub fn introduction_texts(&self, seat: Option<Seat>) -> Vec<&str> {
        let own = seat.and_then(|seat| self.briefing.text_of_seat(seat));
        let each = [Some(self.scenario_introduction()), own]
            .into_iter()
            .flatten();
        each.filter(|text| !text.is_empty()).collect()
    }

    /// Returns the name of a seat's player for display before the end, without its arguments, which may reveal a lie.
    /// `None` if no player is named. In a blind debate, `None` for every player except a human.
    pub fn player_name_before_end(&self, seat: Seat) -> Option<&str> {
        let name = self.full_player_name(seat)?;
        let is_known = !name.is_empty() && (name == "human" || !self.blind);
        is_known.then(|| player_name_without_arguments(name))
    }

    /// Describes a seat's player for display before the end, in words for new users and with the name: "a player who
    /// risks nothing (`lazy`)". `None` as for [`Self::player_name_before_end`].
    pub fn player_in_words_before_end(&self, seat: Seat) -> Option<String> {
        let name = self.player_name_before_end(seat)?;
        Some(seated_player_in_plain_words(
            self.instance,
            self.kind,
            seat,
            name,
        ))
    }

    /// Lists all players except humans with their seats, in words, after the end. `None` if the full names of all these
    /// players were shown before the end.
    pub fn revealed_players(&self) -> Option<String> {
        let mut is_any_new = false;
        let seats: Vec<String> = Seat::PLAYERS
            .into_iter()
            .filter_map(|seat| {
                let name = self.full_player_name(seat)?;
                let who = match seat {
                    Seat::Judge => "the judge",
                    seat => seat.player_name_of_seat(),
                };
                if name.is_empty() || name == "human" {
                    return None;
                }
                is_any_new |= self.player_name_before_end(seat) != Some(name);
                let player = seated_player_in_plain_words(self.instance, self.kind, seat, name);
                Some(format!("{who}: {player}"))
            })
            .collect();
        is_any_new.then(|| seats.join("; "))
    }

    /// Returns the debrief. If it names a scenario's player whose seat another player except a human had in this
    /// debate, a sentence before it names both.
    pub fn debrief_with_remark(&self) -> String {
        debrief_with_remark(&self.debrief, &self.scenario_players, &self.players)
    }
}

/// Returns the players that a scenario names (prover, opponent, judge); empty texts for seats without one.
pub(crate) fn players_of_scenario(setup: &LoadedScenario) -> [String; 3] {
    Seat::PLAYERS.map(|seat| {
        let name = setup.players.text_of_seat(seat);
        name.unwrap_or_default().to_owned()
    })
}

/// Returns a scenario's debrief. If it names a scenario's player whose seat another player except a human had in the
/// debate, a sentence before it names both.
pub(crate) fn debrief_with_remark(
    debrief: &str,
    scenario_players: &[String; 3],
    players: &[String; 3],
) -> String {
    let remark = |seat: Seat| {
        let scenario_player = player_name_without_arguments(&scenario_players[seat.seat_index()]);
        let player = player_name_without_arguments(&players[seat.seat_index()]);
        let is_named = debrief.contains(&format!("`{scenario_player}`"));
        let is_other = !player.is_empty() && player != "human" && player != scenario_player;
        if !is_named || !is_other || scenario_player.is_empty() {
            return None;
        }
        let who = match seat {
            Seat::Judge => "the judge",
            seat => seat.player_name_of_seat(),
        };
        Some(format!(
            "In this debate, {who} was `{player}`; the following text is about the scenario's own player, \
                 `{scenario_player}`. "
        ))
    };
    let remarks: String = Seat::PLAYERS.into_iter().filter_map(remark).collect();
    remarks + debrief
}

#[derive(Clone, Debug)]
pub struct DebateViewpoint<'s, 'a> {
    pub facts: &'s DebateDescription<'a>,
    pub state: &'s State<'a, Exact>,
    pub log: &'s Log<Exact>,
    /// The reader of the log, who determines which entries are visible.
    pub reader: LogViewerRole,
    /// The viewer's seat: sentences say "you" for this seat, and amounts are this seat's payoffs. It stays the same
    /// after the end of the debate, when the reader sees everything.
    pub perspective: ViewerPerspective,
    /// The range of log entries that the last step of the debate added.
    pub newest: Range<usize>,
    /// Remarks on users' replies, in the order of the log.
    pub marks: &'s [ReplyRemark],
}

impl<'a> DebateViewpoint<'_, 'a> {
    /// Creates a narrator with the perspective of the viewer's seat.
    pub fn narrator(&self, script: FormulaCharacterSet) -> DebateNarrator<'a> {
        DebateNarrator {
            figures: self.viewer_may_see_estimates_and_rewards(),
            ..DebateNarrator::new(self.facts.instance, script).seen_from(self.perspective)
        }
    }

    /// Returns the formatter for payoffs in points, from the perspective of the viewer's seat.
    pub fn payoff_formatter(&self) -> PayoffFormatter {
        let amounts = PayoffFormatter::formatter_in_points_of_schedule(&self.state.schedule())
            .with_perspective(self.perspective);
        match &self.facts.point {
            Some(point) => amounts.with_payoff_of_one_point(point.clone()),
            None => amounts,
        }
    }

    /// True if the viewer may see the rules of the debate.
    pub fn viewer_may_see_rules(&self) -> bool {
        !self.facts.blind || self.reader.viewer_seat() != Some(Seat::Judge)
    }

    /// True if the viewer may see estimates, coins, bets and rewards. In free speeches the judge may see them too,
    /// because the judge makes them.
    pub fn viewer_may_see_estimates_and_rewards(&self) -> bool {
        self.reader.sees_estimates() || self.facts.kind == ProtocolKind::Speeches
    }

    /// True if the viewer may see the values of replies. False in a blind debate, and for a judge to whom the values
    /// would reveal hidden information.
    pub fn viewer_may_see_reply_values(&self) -> bool {
        let judges = self.reader.viewer_seat() == Some(Seat::Judge);
        !(self.facts.blind
            || judges
                && (!self.reader.is_shown_debate_during_play()
                    || !self.viewer_may_see_estimates_and_rewards()))
    }

    /// True if the viewer may have hints. False in a blind debate and for a judge.
    pub fn viewer_may_have_hints(&self) -> bool {
        !self.facts.blind && self.reader.viewer_seat() != Some(Seat::Judge)
    }
}

/// The message for a user who asks for hints where none are available: in a debate without hints, in a blind debate,
/// and as a judge.
pub const NO_HINTS: &str = "You have no hints in this debate.";

/// A remark of the program on a user's reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplyRemark {
    /// The index of the log entry with the reply.
    pub entry: usize,
    pub text: String,
    pub role: TextRole,
}
