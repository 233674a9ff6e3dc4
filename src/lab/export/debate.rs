//! The two things that can be exported: a played debate, or a scenario.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use debate_core::observe::ObservedLogEntry;
use debate_core::protocol::{Log, LogViewerRole, Protocol, Reward, Round, Rules as _, Seat, State};
use debate_core::{ClaimId, Exact, Instance, Number as _, Player, SeatedDebate};
use debate_host::message::play::{DebateOutcomeReport, SavedDebateOutcomeReport};
use debate_host::record::{Save, SaveFileError};
use debate_solver::setup::LoadedScenario;
use debate_text::{
    DebateDescription, DebateNarrator, FormulaCharacterSet, NarratedEvent as Sentence, TextRole,
};

/// A scenario with the protocol and the instance that the user requested.
#[derive(Clone, Copy, Debug)]
pub struct ScenarioToExport<'a> {
    pub setup: &'a LoadedScenario,
    pub protocol: &'a Protocol,
    /// The instance to export. If the user requested several: the scenario's default instance, else the first.
    pub instance: &'a Instance,
    /// All requested instances, each with its probability; the probabilities sum to 1.
    pub worlds: &'a [(Exact, usize)],
}

/// A played debate, read from its save.
///
/// Undone moves are left out. Events are numbered from 1, in the same way as `replay --plain` numbers its lines.
pub struct ReplayedSave<'a> {
    pub save: &'a Save,
    pub setup: &'a LoadedScenario,
    pub instance: &'a Instance,
    /// The name or path of the save's file, by which exports of several saves distinguish the saves; empty until
    /// [`Self::with_debate_name`] sets it.
    pub name: String,
    /// The debate's state after the save's last move.
    pub seating: SeatedDebate<'a, Exact>,
    pub facts: DebateDescription<'a>,
    transcript_events: Vec<TranscriptEvent>,
}

/// A log entry that a transcript shows, with its number. Other log entries have no text for a reader.
#[derive(Clone, Debug, PartialEq)]
pub struct TranscriptEvent {
    /// The event number, from 1.
    pub n: usize,
    /// The index of the log entry of this event.
    pub entry: usize,
    /// The number of the move that caused the event, from 1.
    pub step: usize,
    /// True if this is the last event that its move caused.
    pub settles: bool,
    pub round: Option<Round>,
    /// The time that a person or another program took for the move, in milliseconds; only at the first event of a move.
    pub ms: Option<u64>,
    pub note: Option<String>,
    /// Alice's cumulative payoff after the event. Events between two rewards share one number in memory, because it can
    /// have hundreds of digits.
    pub payoff: Arc<Exact>,
}

impl<'a> ReplayedSave<'a> {
    /// Replays a save's moves on its instance, for an export.
    ///
    /// # Errors
    /// If the save does not follow from the rules and the seed.
    pub fn new(
        save: &'a Save,
        setup: &'a LoadedScenario,
        instance: &'a Instance,
    ) -> Result<Self, SaveFileError> {
        use Player::Outside;
        let header = &save.header;
        let seating = save.seat(instance, [Outside, Outside, Outside])?;
        // An unfinished debate can be resumed, so its players must not see more than their own information.
        let reader = match seating.turn() {
            Some(_) if save.stated_debate_end().is_none() => {
                header.viewer_of_running_debate(setup.judge_sees)
            }
            _ => LogViewerRole::ALL,
        };
        let facts = DebateDescription {
            title: save.title_with_verification_warning(
                &setup.scenario_texts(instance.world_index()).title,
            ),
            blind: header.blind && reader != LogViewerRole::ALL,
            reader,
            seed: header.seed.as_str().to_owned(),
            players: header.players.clone(),
            ..DebateDescription::of_scenario(setup, instance, &header.protocol)
        };
        let mut debate = Self {
            save,
            setup,
            instance,
            name: String::new(),
            seating,
            facts,
            transcript_events: Vec::new(),
        };
        debate.transcript_events = debate.list_events();
        Ok(debate)
    }

    #[must_use]
    pub fn with_debate_name(self, name: String) -> Self {
        Self { name, ..self }
    }

    fn list_events(&self) -> Vec<TranscriptEvent> {
        let narrator = self.narrator();
        let log = self.log();
        let mut transcript_events: Vec<TranscriptEvent> = Vec::new();
        let mut round = self.seating.state_at_start().round();
        let mut payoff = Arc::new(Exact::default());
        let timeline = self.seating.timeline();
        let moves: Vec<_> = self
            .save
            .moves_not_undone()
            .map(|line| &line.meta)
            .collect();
        let mut step = 0;
        for (index, entry) in log.entries().iter().enumerate() {
            let begins = |events: Range<usize>| events.start <= index;
            while timeline.log_range_of_move(step).is_some_and(begins) {
                step += 1;
            }
            let event = &entry.event;
            round = event.round_started_by_event().map(Round::Number).or(round);
            let mut of = round.filter(|_| !event.is_debate_end());
            if let Some(reward) = event.reward() {
                payoff = Arc::new(&*payoff + reward.payment_to_prover());
                of = Some(reward.round_of_reward());
            }
            if narrator.narrate(log, index, self.facts.reader).is_none() {
                continue;
            }
            let mut is_first = true;
            if let Some(before) = transcript_events.last_mut() {
                is_first = before.step != step;
                before.settles = is_first;
            }
            let made = step.checked_sub(1).and_then(|at| moves.get(at));
            let made = made.filter(|_| is_first);
            transcript_events.push(TranscriptEvent {
                n: transcript_events.len() + 1,
                entry: index,
                step,
                settles: true,
                round: of,
                ms: made.and_then(|meta| meta.ms),
                note: made.and_then(|meta| meta.note.clone()),
                payoff: Arc::clone(&payoff),
            });
        }
        transcript_events
    }

    pub fn transcript_events(&self) -> &[TranscriptEvent] {
        &self.transcript_events
    }

    /// Returns the debate's whole log, including the entries without a text.
    pub fn log(&self) -> &Log<Exact> {
        self.seating.log()
    }

    /// Returns an event as a reader of the export may see it: with its content, or sealed.
    pub(super) fn seen(
        &self,
        transcript_event: &TranscriptEvent,
    ) -> Option<ObservedLogEntry<'_, Exact>> {
        self.log()
            .observation_at(transcript_event.entry, self.facts.reader)
    }

    pub fn state(&self) -> &State<'a, Exact> {
        self.seating.state()
    }

    pub fn is_over(&self) -> bool {
        self.state().request().is_none()
    }

    /// Returns a sentence with the reason why the debate was not played to its end; `None` if it was. `next_move`
    /// describes the next move.
    pub(super) fn unfinished_reason(&self, next_move: Option<String>) -> Option<String> {
        if self.is_over() {
            return None;
        }
        if let Some(forfeit) = self.save.forfeit() {
            return Some(format!("The debate was {forfeit}."));
        }
        let next_move_sentence =
            next_move.map_or_else(String::new, |next_move| format!(" Next: {next_move}."));
        Some(format!(
            "The debate was not played to its end.{next_move_sentence}"
        ))
    }

    pub(super) fn narrator(&self) -> DebateNarrator<'a> {
        DebateNarrator::new(self.instance, FormulaCharacterSet::Unicode)
    }

    pub(super) fn event_sentence(&self, transcript_event: &TranscriptEvent) -> Sentence {
        let narrator = self.narrator();
        let reader = self.facts.reader;
        let sentence = narrator.narrate(self.log(), transcript_event.entry, reader);
        sentence.unwrap_or(Sentence {
            who: None,
            text: String::new(),
            role: TextRole::Text,
        })
    }

    /// Returns the amount that an event pays Alice, if it is a reward.
    pub(super) fn reward_paid_by_event(&self, transcript_event: &TranscriptEvent) -> Option<Exact> {
        let entry = self.log().entries().get(transcript_event.entry)?;
        entry.event.reward().map(Reward::payment_to_prover)
    }

    /// Returns the displayed names of the players: prover, opponent, judge.
    pub(super) fn visible_player_names(&self) -> [&str; 3] {
        Seat::PLAYERS.map(|seat| self.visible_player_name(seat))
    }

    /// Returns a player's displayed name; an empty text for chance. In an export of an unfinished debate with hidden
    /// content, returns "not told" for a player whose name is hidden.
    pub(super) fn visible_player_name(&self, seat: Seat) -> &str {
        if self.facts.reader == LogViewerRole::ALL {
            self.save.header.player_name(seat).unwrap_or_default()
        } else {
            let name = self.facts.player_name_before_end(seat);
            let hidden = if seat == Seat::Chance { "" } else { "not told" };
            name.unwrap_or(hidden)
        }
    }

    /// Returns the result of the debate and of the verification of its save.
    pub(super) fn saved_debate_outcome_report(&self) -> SavedDebateOutcomeReport {
        let header = &self.save.header;
        let first_difference = self.save.first_difference().cloned();
        let play = DebateOutcomeReport::of(
            &self.seating,
            self.instance,
            &header.protocol,
            header.seed.as_str(),
            self.visible_player_names().map(str::to_owned),
            self.facts.reader,
        );
        SavedDebateOutcomeReport {
            play: play.with_forfeit(self.save.forfeit()),
            verified: first_difference.is_none(),
            first_difference,
        }
    }

    /// Returns the debate's rules, players, instance, seed and more as pairs of name and value.
    pub(super) fn debate_facts(&self) -> Vec<(String, String)> {
        let header = &self.save.header;
        let kind = header.protocol.kind();
        let rules = match header.protocol.parameter_summary().as_str() {
            "" => kind.protocol_name().to_owned(),
            summary => format!("{} ({summary})", kind.protocol_name()),
        };
        let mut facts = Vec::new();
        if !self.facts.blind || self.facts.reader.viewer_seat() != Some(Seat::Judge) {
            facts.push(("Rules".to_owned(), rules));
        }
        for seat in Seat::PLAYERS {
            let name = match seat {
                Seat::Judge => "The judge".to_owned(),
                seat => format!("{}, the {}", seat.player_name_of_seat(), kind.title(seat)),
            };
            facts.push((name, self.visible_player_name(seat).to_owned()));
        }
        facts.push(("Instance".to_owned(), header.instance.clone()));
        let seed = match header.debate {
            0 => header.seed.as_str().to_owned(),
            debate => format!("{}, debate {debate}", header.seed.as_str()),
        };
        facts.push(("Seed".to_owned(), seed));
        let played = header.started.clone();
        facts.extend(played.map(|time| ("Played".to_owned(), time)));
        facts
    }

    pub(super) fn alice_payoff_so_far(&self) -> f64 {
        self.state().payoff().to_float()
    }
}

/// The default of `--most-claims`.
const CLAIMS: usize = 500;

/// The first claims of an instance in breadth-first order: the root, then its subclaims, and so on.
pub(super) struct FirstClaimsInExport {
    pub(super) claims: Vec<ClaimId>,
    numbers: HashMap<ClaimId, usize>,
    pub(super) widest: usize,
    /// True if claims were left out because of the limit on their number.
    pub(super) cut: bool,
}

/// Returns the first claims of an instance in breadth-first order. A claim that is a subclaim of several claims is
/// listed once.
pub(super) fn first_claims_of(
    instance: &Instance,
    max_claims: Option<usize>,
) -> FirstClaimsInExport {
    let most = max_claims.unwrap_or(CLAIMS).max(1);
    let root = instance.root();
    let mut tree = FirstClaimsInExport {
        claims: vec![root],
        numbers: HashMap::from([(root, 0)]),
        widest: 1,
        cut: false,
    };
    let mut next = 0;
    // The index at which the next level of claims begins.
    let mut below = 1;
    while let Some(claim) = tree.claims.get(next).copied() {
        if next == below {
            tree.widest = tree.widest.max(tree.claims.len() - below);
            below = tree.claims.len();
        }
        next += 1;
        for support in instance.supports(claim) {
            for claim in &support.on {
                if tree.numbers.contains_key(claim) {
                    continue;
                }
                if tree.claims.len() == most {
                    tree.cut = true;
                    break;
                }
                tree.numbers.insert(*claim, tree.claims.len());
                tree.claims.push(*claim);
            }
        }
    }
    tree
}

impl FirstClaimsInExport {
    /// Returns the index of a claim among the listed ones, from 0; `None` if the claim was left out.
    pub(super) fn index_of_claim(&self, claim: ClaimId) -> Option<usize> {
        self.numbers.get(&claim).copied()
    }

    /// Returns a sentence about the claims that were left out; `None` if there are none.
    pub(super) fn left_out_claims_note(&self, instance: &Instance) -> Option<String> {
        self.cut.then(|| {
            format!(
                "only the first {written} of {all} claims are written; raise the limit with --most-claims", written = self.claims.len(), all = instance.size().claims)
        })
    }
}
