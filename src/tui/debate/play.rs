//! The debate screen: the tree of claims, the transcript and the rewards, and below them the question to the user.
//!
//! The other players move only when the user lets them, so no past move has to be hidden. A debater sees everything
//! that is open to both debaters and their own private information. The scenario's `judge_sees` limits the view of a
//! judge.

mod early_digits;
mod end_guard;
mod handover;
mod hint_tasks;
mod live;
mod screen;
mod words;

use std::time::Instant;

use super::tasks::{ReviewTasks, full_debate_report};
use crate::tui::actions::{Contexts, Facts, KeyMap};
use crate::tui::ask::{AskPanel, ReplyPayoffTexts, UnmappedWidgetInput, payoff_texts};
use crate::tui::keys::{
    AWAITED, Action, COMPARABLE, COMPUTING, EASIER, END, HANDOVER, HARDER, HINTED, LESSON, MINE,
    OTHERS, PLAYING, READING_CONTEXTS, RESEATABLE, RETURNING, REWARDS, RUNNING, SPEAKING, STOPPED,
    TRANSCRIPT, TREE, UNASKED, UNDOABLE, UNPAUSED, UNREAD, WATCH,
};
use crate::tui::panel::{AskPanelHeights, DebatePanels, Panel, REPORT_MARGIN};
use crate::tui::scene::Autoplay;
use crate::tui::scene::DebateScreenContext;
use crate::tui::screen::{Overlay, ScreenEffect};
use crate::tui::theme::{ScreenAppearance, TextRole};
use crate::tui::tutorial::LineOrKeyInputMode;
use crate::tui::widget::scroll::{Entry, Scroll, measure_lines};
use debate_core::number::Exact;
use debate_core::player::Move;
use debate_core::protocol::{PendingTurn, ProtocolKind, Rules as _, Seat};
use debate_host::Debate;
use debate_host::PlayersThread;
use debate_host::plan::{
    LevelStep, adjacent_difficulty_level, level_end_sentence, recommended_level, result_sentence,
};
use debate_text::{PayoffFormatter, report, summary_of_entries};
use end_guard::DebateEndKeyGuard;
use hint_tasks::HintTasks;
use live::{DebateOnPlayScreen, OtherPlayersStopPoint, WaitForOtherPlayers};
use words::AnnouncedState;

/// Rows of the screen that the report at a debate's end leaves free: for four claims, frames, title and footer.
const END_CLAIM_ROWS: u16 = 9;

/// The user's decision during or after a debate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum DebateScreenChoice {
    /// Leave.
    #[default]
    Quit,
    /// Replay the debate from its start.
    WatchAgain,
    /// Show the debate's position before the move with this number.
    Show(usize),
    /// Continue the debate from before the move with this number.
    TryAgain(usize),
    /// Play the scenario again with a new seed.
    PlayAgain,
    /// Play the scenario again against the players of an adjacent difficulty level.
    OtherOpponent(LevelStep),
    /// Choose a seat for a new debate of the scenario.
    OtherSeat,
    /// Compare the debate with the same debate under other rules.
    Compare,
    /// Continue with the tutorial.
    Onward,
}

/// The state of the debate screen.
#[expect(
    clippy::struct_excessive_bools,
    reason = "the code sets each boolean field separately"
)]
pub struct DebateScreen<'t, 'a> {
    live: DebateOnPlayScreen<'t, 'a>,
    keys: &'t KeyMap<Action>,
    panels: DebatePanels,
    /// The question to the user with the draft of the reply; `None` if it is not the user's turn.
    ask: Option<AskPanel>,
    /// The time at which the question to the user was shown.
    question_shown_at: Instant,
    /// The text in place of the question while other players move, and at the end of the debate.
    notice: Vec<Entry>,
    notice_scroll: Scroll,
    /// The reason why the debate cannot continue.
    failure: Option<String>,
    autoplay: Autoplay,
    /// The wait for moves of the other players; `None` if no move is awaited.
    pending: Option<WaitForOtherPlayers>,
    /// The latest progress report of the external engine that is computing a reply.
    engine_report: Option<String>,
    overlay: Overlay,
    hint_tasks: HintTasks,
    tasks: ReviewTasks,
    /// True if the user can undo a reply.
    can_undo: bool,
    /// True if the tutorial's explanation is shown.
    shows_lesson_text: bool,
    /// True after a first request to leave that the user must repeat: if the debate is unsaved, or after the stop key.
    is_quit_pending: bool,
    /// Keeps the end of the debate on the screen until the user has seen it.
    end_guard: DebateEndKeyGuard,
    /// The appearance of the last frame, which determines the symbols in sentences.
    look: ScreenAppearance,
    /// The number of moves in the debate at the user's last turn.
    moves_at_turn: usize,
    /// True if the bell must ring for the user's turn.
    is_bell_due: bool,
    /// The number of moves in the debate when the briefing was last opened.
    moves_at_briefing: Option<usize>,
    /// True while the user's briefing is open. The other players wait until the user closes it.
    is_briefing_open: bool,
    /// The number of log entries when the user skipped forward to their turn.
    skipped_from: Option<usize>,
    announced: AnnouncedState,
    /// True if the last key was a digit that the user typed before the question. The key that follows was then not
    /// meant to let the debate continue.
    has_early_digits: bool,
    /// The number of moves in the debate when a key was last refused because of such digits.
    refused_at: Option<usize>,
}

impl<'t, 'a> DebateScreen<'t, 'a> {
    /// Creates the screen of a debate that continues from its current state. The other players' moves are computed on a
    /// separate thread.
    pub fn new(
        debate: &'t mut Debate<'a>,
        players: PlayersThread,
        scene: &'t DebateScreenContext<'a>,
        keys: &'t KeyMap<Action>,
    ) -> Self {
        debate.use_player_thread(players);
        let live = DebateOnPlayScreen::new(debate, scene);
        let panels = DebatePanels::new(&live.view());
        let amounts =
            PayoffFormatter::formatter_in_points_of_schedule(&live.seating().state().schedule())
                .with_perspective(live.perspective());
        let tasks = ReviewTasks::new(scene.values_at_end.as_ref(), amounts, keys);
        let mut debate = Self {
            live,
            keys,
            panels,
            ask: None,
            question_shown_at: scene.time.monotonic_now(),
            notice: Vec::new(),
            notice_scroll: Scroll::at_start_without_following(0),
            failure: None,
            autoplay: Autoplay::new(scene.tempo, &scene.time),
            pending: None,
            engine_report: None,
            overlay: Overlay::default(),
            hint_tasks: HintTasks::new(scene.values.as_ref().is_some_and(|values| values.hints)),
            tasks,
            can_undo: false,
            shows_lesson_text: true,
            is_quit_pending: false,
            end_guard: DebateEndKeyGuard::default(),
            look: ScreenAppearance::default(),
            moves_at_turn: usize::MAX,
            is_bell_due: false,
            moves_at_briefing: None,
            is_briefing_open: false,
            skipped_from: None,
            announced: AnnouncedState::default(),
            has_early_digits: false,
            refused_at: None,
        };
        debate.refresh();
        debate
    }

    /// Updates the panels and the question after the debate has changed.
    fn refresh(&mut self) {
        if let Err(error) = self.live.make_forced_replies() {
            self.stop_waiting_with_failure(error.to_string());
        }
        if self.live.animation.is_some() {
            self.panels.freeze_shown_rewards();
        }
        let view = self.live.view();
        self.panels.read_new_log_entries(&view);
        let seating = self.live.seating();
        let own_turn = seating
            .turn()
            .filter(|turn| seating.is_seat_of_user_or_driving_program(turn.seat))
            .filter(|_| {
                handover::seat_awaiting_keyboard(seating, self.live.keyboard_holder).is_none()
            });
        let hints = view.viewer_may_have_hints();
        let decided = self.decided_notice();
        let ask = |turn: PendingTurn<Exact>| {
            let (texts, decided) = (self.unseen_texts(turn.seat), decided.clone());
            let payoff_texts = self.payoff_texts(&turn);
            let first = seating.moves().iter().all(|made| made.seat != turn.seat);
            let names =
                first || handover::is_keyboard_shared(seating) || self.live.scene.coach.is_some();
            AskPanel::new(
                &view,
                turn,
                decided,
                names,
                &texts,
                payoff_texts,
                &self.look,
            )
        };
        self.ask = own_turn.map(ask);
        let moves = seating.moves().len();
        if let Some(asked) = &self.ask {
            let new = seating.moves().get(self.moves_at_turn..).unwrap_or(&[]);
            let seat = asked.turn.seat;
            // Coins and users at the same keyboard need no bell.
            let is_other = |made: &Move<Exact>| {
                Seat::PLAYERS.contains(&made.seat)
                    && made.seat != seat
                    && !seating.is_seat_of_user_or_driving_program(made.seat)
            };
            self.is_bell_due = self.live.scene.rings && new.iter().any(is_other);
            self.moves_at_turn = moves;
        } else if self.moves_at_turn > moves {
            // The first turn of a new or resumed debate rings only for later moves.
            self.moves_at_turn = moves;
        }
        let has_texts = match &self.ask {
            Some(ask) => !self.unseen_texts(ask.turn.seat).is_empty(),
            None => !self.introduction_texts_before_first_move().is_empty(),
        };
        let opens_briefing = self.live.scene.opens_briefing
            && has_texts
            && self.next_keyboard_user().is_none()
            && self
                .moves_at_briefing
                .is_none_or(|moves_at_briefing| moves_at_briefing < moves);
        if let Some(ask) = &mut self.ask
            && let Some(from) = self.skipped_from.take()
        {
            let entries = from..view.log.entries().len();
            ask.show_events_since_last_turn(summary_of_entries(
                &view,
                entries,
                self.look.formula_script(),
            ));
        }
        match (&self.live.scene.values, &self.ask) {
            (Some(values), Some(_)) if hints => {
                self.hint_tasks.start_hint(values, seating.moves());
            }
            _ => self.hint_tasks.discard_hint(),
        }
        self.notice = if self.ask.is_some() {
            Vec::new()
        } else if seating.turn().is_none() {
            self.tasks.start_review(seating.moves());
            self.tasks
                .start_reading_daily_result(self.live.scene.daily.as_deref());
            self.short_report_at_end()
        } else {
            self.waiting_notice(decided)
        };
        self.can_undo = seating.move_count_after_undo().is_ok()
            && self.undo_refusal_on_shared_keyboard().is_none();
        self.update_lesson_text();
        self.notice_scroll = Scroll::at_start_without_following(self.label_columns());
        self.question_shown_at = self.live.scene.time.monotonic_now();
        self.panels.focus = Panel::Ask;
        if opens_briefing {
            self.moves_at_briefing = Some(moves);
            self.open_briefing();
        }
        if self.live.is_over() {
            self.autoplay.stop_autoplay();
        }
        self.schedule_autoplay();
    }

    /// Returns a warning if the debate's result is already decided although it continues. The warning names the key
    /// that stops it.
    fn decided_notice(&self) -> Option<String> {
        let view = self.live.view();
        let decided = debate_text::decided_result_sentence(&view, self.look.formula_script())?;
        let stop = self
            .keys
            .with_key_names("Press {quit} to stop here, or play on.");
        Some(format!("{decided} {stop}"))
    }

    /// Returns the scenario's texts that a human player has not seen when their question is shown. Empty in a lesson,
    /// which describes its subject itself.
    fn unseen_texts(&self, seat: Seat) -> Vec<&'t str> {
        let seating = self.live.seating();
        let entries = seating.log().entries();
        let scene = self.live.scene;
        match scene.coach {
            Some(_) => Vec::new(),
            None if entries.is_empty() => scene.facts.introduction_texts(Some(seat)),
            None if !handover::is_keyboard_shared(seating) => Vec::new(),
            None if entries.iter().any(|entry| entry.seat == seat) => Vec::new(),
            None => scene
                .facts
                .briefing
                .text_of_seat(seat)
                .into_iter()
                .collect(),
        }
    }

    /// Returns the report at the debate's end in a few lines: the lesson's text, the winner and the payoff, the daily
    /// result and the review. Then the next opponent, a bar for each round, the decisive moment, and lines on
    /// estimates, the repeated debate's result, averages and the level. Lines that do not apply are left out.
    pub(super) fn short_report_at_end(&self) -> Vec<Entry> {
        let view = self.live.view();
        let parts = self.tasks.payoff_breakdown();
        let mut lines = report::short_debate_report(
            &view,
            &self.panels.rewards,
            &self.amounts(),
            parts.as_deref(),
        );
        // A small screen shows the payoff, the line to share, the user's mistake and the next opponent without
        // scrolling.
        let review = self.tasks.mistake_or_progress_line();
        let daily_result = self.tasks.daily_result_line().into_iter();
        let early: Vec<Entry> = daily_result.chain(review).collect();
        let result = lines
            .iter()
            .position(|line| line.label == "Payoff" || line.label == "Verdict");
        let after_result = result.map_or(0, |index| index + 1);
        let after_early = after_result + early.len();
        lines.splice(after_result..after_result, early);
        // In a judge's report, the payoff is the second line.
        let payoff = lines.iter().position(|line| line.label == "Payoff");
        let at = payoff.map_or(after_early, |index| after_early.max(index + 1));
        lines.splice(at..at, self.next_opponent_entry());
        lines.splice(0..0, self.result_entry());
        lines.extend(self.tasks.estimate_measure_lines());
        lines.extend(self.last_result_entry());
        lines.extend(self.averages_entry());
        lines.extend(self.level_entry());
        lines.splice(0..0, self.lesson_text());
        lines
    }

    /// Returns a line that says why the user won as Alice or Bob, or which gaps kept Bob from it. `None` in a lesson, in a
    /// blind debate, and for an Alice without a gain.
    fn result_entry(&self) -> Option<Entry> {
        let facts = &self.live.scene.facts;
        let sentence = result_sentence(self.live.seating(), facts.instance, &facts.players)?;
        let is_shown = self.live.scene.names_level;
        is_shown.then(|| Entry::new("Result", TextRole::Title, sentence))
    }

    /// Returns a line with the user's result in the debate that this one repeats.
    fn last_result_entry(&self) -> Option<Entry> {
        let result = self.live.scene.last_result.as_ref()?;
        let text = format!("your debate before this one: {result}");
        Some(Entry::new("Before", TextRole::Title, text))
    }

    /// Returns a line that names the key for the averages of many debates, for a user who plays Bob under
    /// prover-estimator rules. `None` in a lesson, and if this screen cannot compute the averages.
    fn averages_entry(&self) -> Option<Entry> {
        let facts = &self.live.scene.facts;
        let own_estimates = self.live.view().perspective.is_viewer_seat(Seat::Opponent);
        let is_shown = own_estimates
            && facts.kind == ProtocolKind::ProverEstimator
            && self.live.scene.coach.is_none()
            && self.tasks.has_inputs_for_values();
        let text = "One payoff can be luck; {many} shows what your numbers earn on average.";
        is_shown.then(|| {
            Entry::new("Average", TextRole::Title, "")
                .append_span(TextRole::Text, self.keys.with_key_names(text))
        })
    }

    /// Returns a line on the opponents' difficulty level, if the user won.
    fn level_entry(&self) -> Option<Entry> {
        let facts = &self.live.scene.facts;
        let seating = self.live.seating();
        let text = level_end_sentence(
            seating,
            facts.instance,
            &facts.players,
            facts.prover_follows_person,
            self.live.scene.daily.is_none() && !self.is_level_offered(LevelStep::Harder),
        );
        let text = text.filter(|_| self.live.scene.names_level)?;
        Some(Entry::new("Level", TextRole::Title, text))
    }

    /// Returns a line with the opponent of the level that the user's result recommends, and the key that starts a
    /// debate against this opponent.
    fn next_opponent_entry(&self) -> Option<Entry> {
        let facts = &self.live.scene.facts;
        let (step, level) = recommended_level(self.live.seating(), facts.instance, &facts.players)?;
        let offer = match step {
            LevelStep::Harder => "{next-opponent} begins a debate against the next opponent",
            LevelStep::Easier => "{easier-opponent} begins a debate against an easier opponent",
        };
        let offer = self.keys.with_key_names(offer);
        self.is_level_offered(step)
            .then(|| Entry::new("Next", TextRole::Title, format!("{offer}, {level}.")))
    }

    /// True if the end of the debate offers a new debate against the players of the next easier or harder level.
    fn is_level_offered(&self, step: LevelStep) -> bool {
        let scene = self.live.scene;
        let facts = &scene.facts;
        self.live.is_over()
            && scene.names_level
            && scene.offers_opponents
            && adjacent_difficulty_level(facts.kind, &facts.players, step).is_some()
    }

    /// Returns the full report at the debate's end, which the user opens with a key.
    pub(super) fn full_report_of_finished_debate(&self) -> Vec<Entry> {
        let timeline = self.live.seating().timeline();
        full_debate_report(&self.live.view(), &self.panels, timeline, &self.amounts())
    }

    /// Schedules the next move of the other players if autoplay is on and nothing delays it. A question, an open
    /// briefing, a lesson's text, an awaited move, a failure or the debate's end delays it.
    fn schedule_autoplay(&mut self) {
        let awaited = self
            .live
            .seating()
            .awaited_seat_of_user_or_driving_program()
            .is_some();
        let no_move_possible =
            awaited || self.live.is_over() || self.failure.is_some() || self.pending.is_some();
        let has_next_move = self.ask.is_none()
            && !no_move_possible
            && !self.is_paused_by_lesson()
            && !self.is_briefing_open;
        self.autoplay.schedule_move(has_next_move);
    }

    /// True if a lesson shows a text that the user must read before the other players continue.
    pub(super) fn is_paused_by_lesson(&self) -> bool {
        self.ask.is_none() && !self.live.is_over() && self.lesson_text().is_some()
    }

    /// Plays the other players' moves up to the user's turn. If a lesson's text pauses autoplay and the user is not the
    /// judge, plays only the next move, so that autoplay continues.
    fn skip_to_turn(&mut self) {
        // A judge sees no number or coin on the way to the question.
        let is_judging = self.live.view().reader.viewer_seat() == Some(Seat::Judge);
        if self.autoplay.is_autoplay_on() && self.is_paused_by_lesson() && !is_judging {
            self.advance_other_players_to(OtherPlayersStopPoint::Repeats);
            return;
        }
        let entries = self.live.seating().log().entries().len();
        self.skipped_from.get_or_insert(entries);
        self.advance_other_players_to(OtherPlayersStopPoint::Turn);
    }

    fn context(&self) -> Contexts {
        if self.next_keyboard_user().is_some() {
            return HANDOVER;
        }
        match self.panels.focus {
            Panel::Tree => TREE,
            Panel::Transcript => TRANSCRIPT,
            Panel::Rewards => REWARDS,
            Panel::Ask => self.lower_panel_context(),
        }
    }

    /// Returns the key contexts of the lowest panel: the question, the notice or the report.
    fn lower_panel_context(&self) -> Contexts {
        match &self.ask {
            Some(ask) => ask.key_contexts(),
            None if self.live.is_over() => END,
            None => WATCH,
        }
    }

    fn facts(&self) -> Facts {
        let over = self.live.is_over();
        let asked = self.ask.as_ref();
        let edited = asked.is_some_and(AskPanel::is_draft_edited);
        let may_see_values = over
            || self.live.scene.values.is_some()
                && (asked.is_none() || self.live.view().viewer_may_have_hints());
        if self.next_keyboard_user().is_some() {
            return UNDOABLE.only_if(self.can_undo);
        }
        OTHERS.only_if(self.ask.is_none() && !over)
            | MINE.only_if(self.ask.is_some())
            | RUNNING.only_if(!over)
            | AWAITED.only_if(self.user_may_have_turn())
            | UNASKED.only_if(!over && !self.user_may_have_turn())
            | PLAYING.only_if(self.autoplay.is_autoplay_on())
            | STOPPED.only_if(!self.autoplay.is_autoplay_on())
            | HINTED.only_if(self.hint_tasks.shows_hints())
            | UNDOABLE.only_if(!over && (self.can_undo || edited))
            | self.tasks.facts_for_keys(may_see_values)
            | UNREAD.only_if(self.is_report_unread())
            | SPEAKING.only_if(
                self.ask
                    .as_ref()
                    .is_some_and(AskPanel::asks_for_quoted_speech),
            )
            | COMPARABLE.only_if(self.live.scene.comparable)
            | HARDER.only_if(self.is_level_offered(LevelStep::Harder))
            | EASIER.only_if(self.is_level_offered(LevelStep::Easier))
            | RESEATABLE.only_if(self.live.is_over() && self.live.scene.offers_seats)
            | COMPUTING.only_if(self.is_computing_or_awaiting_move())
            | RETURNING.only_if(self.live.scene.is_retry)
            | LESSON.only_if(self.live.scene.coach.is_some())
            | UNPAUSED.only_if(!self.is_paused_by_lesson())
            | self.panels.facts_for_keys()
    }

    /// True if the debate is over and its report has lines below the view. False while a page is open over the report.
    fn is_report_unread(&self) -> bool {
        let is_open = self.live.is_over() && self.tasks.open_page_key_contexts().is_none();
        is_open && !self.notice_scroll.is_scrolled_to_end(&self.notice[..])
    }

    /// Asks the user to confirm the action `by` if it would lose the unsaved debate. Returns true if it asked.
    fn asks_to_leave(&mut self, by: Action) -> bool {
        let lost = self.live.scene.save_notice.is_none()
            && !self.live.is_over()
            && !self.live.seating().moves().is_empty();
        if lost && !self.is_quit_pending {
            self.is_quit_pending = true;
            let key = self.keys.key_or_command_name(READING_CONTEXTS, by);
            self.panels.note = Some(format!(
                "This debate is unsaved. Press {key} again to leave."
            ));
            return true;
        }
        false
    }

    /// Handles the stop key when no computation runs: the first press shows a note, and a further press leaves the
    /// debate.
    fn leave_by_stop(&mut self) -> ScreenEffect<DebateScreenChoice> {
        if self.live.is_over() {
            return self.handle_stop_key_after_end();
        }
        if self.is_quit_pending {
            return self.quit();
        }
        if !self.asks_to_leave(Action::Stop) {
            self.is_quit_pending = true;
            let key = self
                .keys
                .key_or_command_name(READING_CONTEXTS, Action::Stop);
            let save_state = if self.live.scene.save_notice.is_some() {
                "the debate is saved and can be resumed"
            } else {
                "no move was made yet"
            };
            self.panels.note = Some(format!(
                "Press {key} again to leave this debate; {save_state}."
            ));
        }
        ScreenEffect::None
    }

    /// Handles the stop key on the screen of a finished debate: asks for another press, then leaves the screen.
    fn handle_stop_key_after_end(&mut self) -> ScreenEffect<DebateScreenChoice> {
        let key = self
            .keys
            .key_or_command_name(READING_CONTEXTS, Action::Stop);
        if self.is_key_meant_for_play_before_end() {
            // The next press leaves a saved debate. For an unsaved one, it asks first.
            self.is_quit_pending = self.live.scene.save_notice.is_some();
            self.panels.note = Some(if self.is_quit_pending {
                format!("The debate has just ended. Press {key} again to leave.")
            } else {
                "The debate has just ended.".to_owned()
            });
            return ScreenEffect::None;
        }
        if !self.is_quit_pending {
            self.is_quit_pending = true;
            self.panels.note = Some(if self.live.scene.save_notice.is_none() {
                format!("This debate is unsaved. Press {key} again to leave.")
            } else {
                format!("Press {key} again to leave; the debate is saved.")
            });
            return ScreenEffect::None;
        }
        self.quit()
    }

    /// Continues with the tutorial after the end of a lesson's debate. If the key was meant for the play before the
    /// end, only shows a note.
    fn go_on_after_lesson(&mut self) -> ScreenEffect<DebateScreenChoice> {
        if self.is_key_meant_for_play_before_end() {
            let note = "The lesson has just ended. Press {go-on} again to go on.";
            self.panels.note = Some(self.keys.with_key_names(note));
            return ScreenEffect::None;
        }
        ScreenEffect::Leave(DebateScreenChoice::Onward)
    }

    /// Opens the search line of the transcript. If the question had the focus, the transcript gets it, so that the keys
    /// move between matches.
    fn search(&mut self) {
        self.panels.searches_from_question = self.ask.is_some() && self.panels.focus == Panel::Ask;
        if self.panels.searches_from_question {
            self.panels.focus(Panel::Transcript);
        }
        let view = self.live.view();
        self.panels.act(Action::Search, &view);
    }

    fn quit(&mut self) -> ScreenEffect<DebateScreenChoice> {
        if self.asks_to_leave(Action::Quit) {
            return ScreenEffect::None;
        }
        ScreenEffect::Leave(DebateScreenChoice::Quit)
    }

    /// Returns the width of the labels in the lowest panel: the report has labels, a notice has none.
    fn label_columns(&self) -> u16 {
        if self.live.is_over() {
            REPORT_MARGIN
        } else {
            0
        }
    }

    /// Returns the rows that the lowest panel needs at this width.
    fn ask_rows(&self, columns: u16, height: u16) -> AskPanelHeights {
        if let Some(ask) = &self.ask {
            return ask.needed_rows(columns, height / 2);
        }
        let margin = self.label_columns().min(columns / 3);
        let lines = measure_lines(&self.notice, columns.saturating_sub(margin));
        let all = u16::try_from(lines).unwrap_or(u16::MAX - 9).max(3);
        match (self.live.is_over(), self.panels.focus) {
            // The report shrinks while another panel is read.
            (true, focus) if focus != Panel::Ask => AskPanelHeights::fixed(all.min(4)),
            // The claims keep rows for the path from the main claim to the last one. The report scrolls.
            (true, _) => AskPanelHeights {
                all,
                needed: all.min(height.saturating_sub(END_CLAIM_ROWS)),
                fair: 0,
            },
            (false, _) => AskPanelHeights {
                all,
                needed: all,
                fair: 0,
            },
        }
    }

    /// Updates the payoffs in the question after a change of unit or symbols, and keeps the draft of the reply.
    fn rephrase(&mut self) {
        let payoff_texts = self
            .ask
            .as_ref()
            .and_then(|ask| self.payoff_texts(&ask.turn));
        if let Some(ask) = &mut self.ask {
            ask.set_payoff_texts(payoff_texts);
        }
    }

    /// Shows all amounts of the screen in the other unit, and keeps the draft of the reply.
    pub(super) fn change_payoff_unit(&mut self) {
        self.panels.change_payoff_unit();
        let amounts = self.panels.amount_format(&self.live.view());
        self.tasks.set_amounts(amounts);
        self.rephrase();
        if self.live.is_over() {
            self.notice = self.short_report_at_end();
        } else {
            if self.ask.is_none() {
                self.notice = self.waiting_notice(self.decided_notice());
            }
            self.update_lesson_text();
        }
    }

    /// Returns the payoffs of the replies to a request, in the current unit.
    fn payoff_texts(&self, turn: &PendingTurn<Exact>) -> Option<ReplyPayoffTexts> {
        let view = self.live.view();
        let open = self.panels.prover_payoff_range_of_open_round(&view);
        payoff_texts(&view, &self.amounts(), open.as_ref(), turn)
    }

    /// Returns the formatter of amounts for the viewer, with the symbols of the screen.
    fn amounts(&self) -> PayoffFormatter {
        let amounts = self.panels.amount_format(&self.live.view());
        amounts.with_script(self.look.formula_script())
    }

    /// Inserts the selected sentence of the source as a quotation into the user's speech.
    fn quote_sentence(&mut self) {
        let sentence = self.panels.marked_source_sentence().map(str::to_owned);
        if let (Some(sentence), Some(ask)) = (sentence, &mut self.ask) {
            ask.input(UnmappedWidgetInput::Quote(&sentence));
            self.panels.focus = Panel::Ask;
        }
    }

    /// Returns the question and the user's briefing.
    fn briefing_entries(&self) -> Vec<Entry> {
        let view = self.live.view();
        let asked = self.ask.as_ref().map(|ask| ask.turn.seat);
        let seat = asked.or_else(|| view.reader.viewer_seat());
        let mut lines =
            debate_text::statement_and_briefing(&view, self.look.formula_script(), seat);
        if let Some(seat) = seat.filter(|_| self.live.scene.names_level) {
            lines.extend(debate_text::goal_of_seat(view.facts.kind, seat));
        }
        lines
    }

    fn open_briefing_page(&mut self) {
        let page = self.briefing_entries();
        let title = &self.live.scene.facts.title;
        self.overlay
            .open_page(self.keys, title, page, Action::Background);
    }

    /// Lets the other players move after the user has closed the briefing. The thinking time for the first reply is
    /// counted from here.
    fn finish_briefing(&mut self) {
        if std::mem::take(&mut self.is_briefing_open) {
            self.question_shown_at = self.live.scene.time.monotonic_now();
            self.show_introduction_below_briefing(true);
            self.schedule_autoplay();
        }
    }

    /// Opens the briefing before the user's first move.
    fn open_briefing(&mut self) {
        self.is_briefing_open = true;
        self.show_introduction_below_briefing(false);
        let page = self.briefing_entries();
        let title = &self.live.scene.facts.title;
        self.overlay.open_briefing(self.keys, title, page);
    }

    /// Shows or hides the texts of the briefing in the lowest panel. They are hidden there while the briefing is open,
    /// so that they are not on the screen twice.
    fn show_introduction_below_briefing(&mut self, shown: bool) {
        if let Some(ask) = &mut self.ask {
            ask.set_description_shown(shown);
        } else if !self.live.is_over() {
            self.notice = self.waiting_notice(self.decided_notice());
            self.update_lesson_text();
        }
    }

    fn open_reason(&mut self) {
        let draft = self
            .ask
            .as_ref()
            .and_then(|ask| ask.question_state_for_panels_above().draft);
        let page = debate_text::question_explanation_lines(
            &self.live.view(),
            draft.as_ref(),
            &self.amounts(),
        );
        self.overlay.open_page(self.keys, "Why", page, Action::Why);
    }
}

impl DebateScreen<'_, '_> {
    /// Returns the tutorial's current explanation, if it is shown.
    pub(super) fn lesson_text(&self) -> Option<Entry> {
        let coach = self.live.scene.coach.filter(|_| self.shows_lesson_text)?;
        let input_mode = LineOrKeyInputMode::Keys(self.keys, self.amounts().unit);
        let advice = coach.advice(
            self.live.seating(),
            self.live.scene.facts.instance,
            input_mode,
        )?;
        let number = format!("{}. ", coach.position_in_course());
        Some(Entry::unlabelled(TextRole::Current, number).append_span(TextRole::Text, advice))
    }

    /// Puts the tutorial's explanation above the question, or above the notice while other players move. At the
    /// debate's end, the report already contains it.
    pub(super) fn update_lesson_text(&mut self) {
        let coach_text = self.lesson_text();
        if let Some(ask) = &mut self.ask {
            ask.set_tutorial_explanation(coach_text);
        } else if !self.live.is_over() {
            self.notice.splice(0..0, coach_text);
        }
    }

    /// Hides the tutorial's explanation, or shows it again.
    pub(super) fn toggle_lesson_text(&mut self) {
        self.shows_lesson_text = !self.shows_lesson_text;
        if self.ask.is_some() {
            // The draft is kept.
            self.update_lesson_text();
        } else {
            self.refresh();
        }
        let note = if self.shows_lesson_text {
            "The tutorial's text is shown again."
        } else {
            "The tutorial's text is hidden. The same key shows it again."
        };
        self.panels.note = Some(note.to_owned());
    }
}
