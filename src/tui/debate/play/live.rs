//! The debate being played, as the current player sees it. Requests the moves of the other players, waits for them, and
//! applies them on arrival.

use std::ops::Range;
use std::time::{Duration, Instant};

use super::{DebateScreen, Panel};
use crate::tui::scene::DebateScreenContext;
use crate::tui::theme::NewResultAnimationFrame;
use debate_core::number::Exact;
use debate_core::observe::ObservedLogEntry;
use debate_core::player::SeatedDebate;
use debate_core::protocol::{LogViewerRole, Reply, Round, Rules as _, Seat};
use debate_core::scenario::ClaimId;
use debate_core::text::{format_as_sentence, short_duration_text};
use debate_host::engine::EngineThinkingOrFailedAttempt;
use debate_host::plan::HINT_NOTE;
use debate_host::record::ReplyMeta;
use debate_host::{AdvanceResult, Debate, DebateError};
use debate_text::{DebateViewpoint, ReplyRemark, ViewerPerspective};

/// The animation of thrown coins and of sealed bets that are opened.
pub(super) struct Animation {
    /// The claims whose coins and bets are animated.
    pub(super) claims: Vec<ClaimId>,
    since: Instant,
    pub(super) frame: NewResultAnimationFrame,
}

impl Animation {
    /// Returns the time at which the next frame of the animation is drawn.
    pub(super) fn next_frame_time(&self) -> Instant {
        self.since + self.frame.end_after_animation_start()
    }
}

/// A debate that is being played on this terminal's screen.
pub(super) struct DebateOnPlayScreen<'t, 'a> {
    pub(super) debate: &'t mut Debate<'a>,
    pub(super) scene: &'t DebateScreenContext<'a>,
    /// The indices of the log entries that the last move added.
    newest: Range<usize>,
    /// The animation of the last move, if any.
    pub(super) animation: Option<Animation>,
    /// The seat whose player has the keyboard. Used only if several users share the keyboard.
    pub(super) keyboard_holder: Option<Seat>,
    /// Remarks on the replies of human players, shown once the replies' values are computed.
    pub(super) reply_marks: Vec<ReplyRemark>,
}

impl<'t, 'a> DebateOnPlayScreen<'t, 'a> {
    pub(super) fn new(debate: &'t mut Debate<'a>, scene: &'t DebateScreenContext<'a>) -> Self {
        // Before the first move the keyboard belongs to the seat to move.
        let seating = debate.state_and_players();
        let keyboard_holder = seating
            .awaited_seat_of_user_or_driving_program()
            .filter(|_| seating.moves().is_empty());
        Self {
            keyboard_holder,
            debate,
            scene,
            newest: 0..0,
            animation: None,
            reply_marks: Vec::new(),
        }
    }

    pub(super) fn seating(&self) -> &SeatedDebate<'a, Exact> {
        self.debate.state_and_players()
    }

    pub(super) fn is_over(&self) -> bool {
        self.seating().turn().is_none()
    }

    /// Returns the debate as the human player to move observes it. Between turns of users, a single user sees it as
    /// their seat does, and several users see only what is hidden from no seat. Without users, and at the debate's end,
    /// everything is visible.
    pub(super) fn view(&self) -> DebateViewpoint<'_, 'a> {
        let seating = self.seating();
        let judge_sees = self.scene.facts.judge_sees;
        let reader = match seating.awaited_seat_of_user_or_driving_program() {
            _ if self.is_over() => LogViewerRole::ALL,
            Some(seat) => LogViewerRole::new(seat, judge_sees),
            None => LogViewerRole::for_user_seats(human_seats(seating), judge_sees),
        };
        DebateViewpoint {
            facts: &self.scene.facts,
            state: seating.state(),
            log: seating.log(),
            reader,
            perspective: self.perspective(),
            newest: self.newest.clone(),
            marks: &self.reply_marks,
        }
    }

    /// Returns the perspective of the narration: the seat of the only human player. If several users share the
    /// keyboard, it is the holder's seat. At the end, which they read together, it is neutral.
    pub(super) fn perspective(&self) -> ViewerPerspective {
        let seating = self.seating();
        if human_seats(seating).count() < 2 {
            return ViewerPerspective::perspective_of_user_seats(human_seats(seating));
        }
        let keyboard_holder = self.keyboard_holder.filter(|_| !self.is_over());
        keyboard_holder.map_or(ViewerPerspective::NEUTRAL, ViewerPerspective::of_seat)
    }

    /// Makes the next move of chance, of a built-in player or of an engine. Waits for the move at most until the time
    /// `until`. If `plays_ahead` is true, the players' thread computes the following moves too.
    fn advance_until(
        &mut self,
        until: Instant,
        plays_ahead: bool,
    ) -> Result<AdvanceResult, DebateError> {
        let before = self.entry_count();
        let step = self.debate.advance_until(until, plays_ahead)?;
        if matches!(step, AdvanceResult::Moved) {
            self.mark_newest_entries(before);
        }
        Ok(step)
    }

    /// Submits the reply of a human player, who took `ms` milliseconds for it. The error is the reason of a rejection,
    /// as the end of a sentence. If `had_hint`, the save of a daily debate notes that a hint was shown.
    pub(super) fn reply(
        &mut self,
        reply: Reply<Exact>,
        ms: u64,
        had_hint: bool,
    ) -> Result<(), String> {
        let before = self.entry_count();
        let is_noted = had_hint && self.scene.daily.is_some();
        let meta = ReplyMeta {
            note: is_noted.then(|| HINT_NOTE.to_owned()),
            ..ReplyMeta::with_thinking_ms(ms)
        };
        let taken = self
            .debate
            .reply_with_meta(reply, meta)
            .map_err(|error| error.to_string())?;
        taken.map_err(|illegal| illegal.to_string())?;
        self.mark_newest_entries(before);
        Ok(())
    }

    /// Makes the human players' replies to requests that allow only one reply.
    pub(super) fn make_forced_replies(&mut self) -> Result<(), DebateError> {
        let before = self.entry_count();
        if self
            .debate
            .make_replies_without_choice(self.scene.facts.instance)?
            > 0
        {
            self.mark_newest_entries(before);
        }
        Ok(())
    }

    /// Marks the log entries of the last move as new and starts the animation of its coins and bets.
    fn mark_newest_entries(&mut self, before: usize) {
        self.newest = before..self.entry_count();
        if !self.scene.animated {
            return;
        }
        let view = self.view();
        let entries = view.log.entries();
        let claim = |index: usize| {
            let event = match view.log.observation_at(index, view.reader) {
                Some(ObservedLogEntry::Open(entry)) => &entry.event,
                Some(ObservedLogEntry::Sealed { .. }) | None => return None,
            };
            let opened = |seal| entries.iter().rfind(|entry| entry.seal == Some(seal));
            match (event.opened_seal(), event.coin_outcome()) {
                (Some(seal), _) => opened(seal)?.event.claim(),
                (None, Some(_)) => event.claim(),
                (None, None) => None,
            }
        };
        let claims: Vec<ClaimId> = self.newest.clone().filter_map(claim).collect();
        self.animation = (!claims.is_empty()).then(|| Animation {
            claims,
            since: self.scene.time.monotonic_now(),
            frame: NewResultAnimationFrame::default(),
        });
    }

    /// Advances the animation of coins to the frame for the current time. Returns true if an animation was running.
    pub(super) fn advance_animation(&mut self) -> bool {
        let animation = self.animation.take();
        let moving = animation.is_some();
        self.animation = animation.and_then(|animation| {
            let now = self.scene.time.monotonic_now();
            let frame =
                NewResultAnimationFrame::at(now.saturating_duration_since(animation.since))?;
            Some(Animation { frame, ..animation })
        });
        moving
    }

    /// Undoes the last reply of a human player.
    pub(super) fn undo_last_human_reply(&mut self) -> Result<(), DebateError> {
        self.debate
            .undo_last_reply_with_choice(self.scene.facts.instance)?;
        let end = self.entry_count();
        self.newest = end..end;
        self.animation = None;
        Ok(())
    }

    fn entry_count(&self) -> usize {
        self.seating().log().entries().len()
    }
}

/// Returns the seats that humans play in a debate.
pub(super) fn human_seats(seating: &SeatedDebate<'_, Exact>) -> impl Iterator<Item = Seat> {
    let seats = Seat::PLAYERS.into_iter();
    seats.filter(|seat| seating.is_seat_of_user_or_driving_program(*seat))
}

/// The point up to which the other players may move when the user lets them continue. Then the screen waits for the
/// user again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OtherPlayersStopPoint {
    /// After one move.
    Move,
    /// After one move and all moves directly after it that answer the same question. For example, the votes of all
    /// judges of a panel are shown at once.
    Repeats,
    /// At the end of this round, which was current when the user chose to let the round be played.
    Round(Option<Round>),
    /// Stop at the turn of a human player, or at the end of the debate.
    Turn,
}

/// The screen's wait for moves of the other players.
#[derive(Clone, Copy, Debug)]
pub(super) struct WaitForOtherPlayers {
    goal: OtherPlayersStopPoint,
    /// The time at which the wait for the current move began.
    since: Instant,
    /// True if waiting was interrupted only to draw the screen, because further moves may already be available.
    more: bool,
}

impl DebateScreen<'_, '_> {
    /// Shows the progress and error reports of the engine that is computing a reply. Returns true if there are any.
    fn read_engine_reports(&mut self, seat: Option<Seat>) -> bool {
        let news = self.live.debate.take_engine_events();
        let has_news = !news.is_empty();
        for news in news {
            let fault_phrase = match news {
                EngineThinkingOrFailedAttempt::Info { text, .. } => {
                    self.engine_report = Some(text);
                    continue;
                }
                EngineThinkingOrFailedAttempt::Refused { why, .. } => {
                    format!("sent an illegal reply ({why})")
                }
                EngineThinkingOrFailedAttempt::Failed { fault, why, .. } => {
                    format!("failed ({fault}: {why})")
                }
            };
            let player = seat.map_or("A player", Seat::player_name_of_seat);
            let note = format!(
                "{player}'s engine {fault_phrase}; the program asks the engine again if a retry is left."
            );
            self.panels.note = Some(note);
        }
        has_news
    }

    /// Sends the drafted reply. If there is a warning about the reply, for example that it certainly loses, only a
    /// second request sends it.
    pub(super) fn send_reply(&mut self) {
        let Some(ask) = &mut self.ask else {
            return;
        };
        if ask.finish_typing() {
            return;
        }
        let reply = match ask.reply() {
            Ok(reply) => reply,
            Err(missing) => {
                ask.error = Some(self.keys.with_key_names(&missing));
                return;
            }
        };
        if !ask.has_warned_about(&reply) {
            let view = self.live.view();
            let warning = debate_text::reply_warning(&view, &reply, self.look.formula_script())
                .or_else(|| ask.no_value_chosen_warning());
            if let Some(why) = warning {
                let again = self
                    .keys
                    .with_key_names("Press {send} again to send the reply anyway.");
                return ask.warn_about_reply(reply, format!("{why} {again}"));
            }
        }
        let now = self.live.scene.time.monotonic_now();
        let taken = now
            .saturating_duration_since(self.question_shown_at)
            .as_millis();
        let ms = u64::try_from(taken).unwrap_or(u64::MAX);
        match self.live.reply(reply, ms, self.hint_tasks.was_used) {
            Ok(()) => {
                self.panels.transcript.scroll.follow_list_end();
                self.refresh();
            }
            Err(why) => ask.error = Some(format_as_sentence(&why)),
        }
    }

    /// Undoes the last edit of the drafted reply, or else the last reply.
    pub(super) fn undo_draft_edit_or_reply(&mut self) {
        if let Some(ask) = &mut self.ask
            && ask.undo_draft_edit()
        {
            self.panels.note = Some("The last edit of your reply is undone.".to_owned());
            return;
        }
        if let Some(theirs) = self.undo_refusal_on_shared_keyboard() {
            self.panels.note = Some(theirs);
            return;
        }
        match self.live.undo_last_human_reply() {
            Ok(()) => {
                self.pending = None;
                self.failure = None;
                self.panels.reread_log(&self.live.view());
                self.refresh();
                self.panels.note = Some("Your last reply is undone: reply again.".to_owned());
            }
            Err(refusal) => {
                self.panels.note = Some(format!("Not undone: {refusal}."));
            }
        }
    }

    /// Lets the other players move up to `goal`, but not beyond the turn of a human player or the end of the debate.
    pub(super) fn advance_other_players_to(&mut self, goal: OtherPlayersStopPoint) {
        // A fault has ended the debate and is already shown.
        if self.live.debate.ending_forfeit().is_some() {
            return;
        }
        self.failure = None;
        let since = self
            .pending
            .map_or_else(|| self.now(), |pending| pending.since);
        self.pending = Some(WaitForOtherPlayers {
            goal,
            since,
            more: false,
        });
        self.await_moves(self.live.debate.max_advance_wait_for_players_thread());
        self.refresh();
    }

    pub(super) fn let_others_finish_round(&mut self) {
        self.advance_other_players_to(OtherPlayersStopPoint::Round(
            self.live.seating().state().round(),
        ));
    }

    /// True if the other players have reached `goal`. Always false for `Turn`, which the caller checks. Also false for
    /// a viewer who may not follow the debate: such a viewer must not be able to count its moves.
    fn is_goal_reached(&self, goal: OtherPlayersStopPoint) -> bool {
        self.live.view().reader.is_shown_debate_during_play()
            && match goal {
                OtherPlayersStopPoint::Move => true,
                OtherPlayersStopPoint::Repeats => !self.is_repeated(),
                OtherPlayersStopPoint::Round(round) => self.live.seating().state().round() != round,
                OtherPlayersStopPoint::Turn => false,
            }
    }

    /// True if the next move answers the question of the last move again, as the votes of a panel of judges do.
    fn is_repeated(&self) -> bool {
        let seating = self.live.seating();
        let judge = seating.turn().filter(|turn| turn.seat == Seat::Judge);
        let claim = judge.and_then(|turn| turn.request.claim_of_request());
        claim.is_some_and(|claim| seating.log().trailing_judge_answer_count(claim) > 0)
    }

    /// Stops waiting for moves and shows the reason why the debate cannot continue.
    pub(super) fn stop_waiting_with_failure(&mut self, why: String) {
        self.failure = Some(why);
        self.pending = None;
        self.autoplay.stop_autoplay();
    }

    /// Applies moves of the other players, and waits for them at most for `max_wait`. Returns true if the debate, a
    /// report on the screen or the wait changed.
    fn await_moves(&mut self, max_wait: Duration) -> bool {
        // The players run on other threads, so this waits by the system clock.
        let start = Instant::now();
        let until = start + max_wait;
        let mut changed = false;
        while let Some(pending) = self.pending {
            let seating = self.live.seating();
            if seating.turn().is_none()
                || seating.awaited_seat_of_user_or_driving_program().is_some()
            {
                self.pending = None;
                return true;
            }
            if changed && start.elapsed() >= self.live.debate.max_advance_wait_for_players_thread()
            {
                self.pending = Some(WaitForOtherPlayers {
                    more: true,
                    ..pending
                });
                return true;
            }
            let plays_ahead = pending.goal != OtherPlayersStopPoint::Move;
            let seat = seating.turn().map(|turn| turn.seat);
            let step = self.live.advance_until(until, plays_ahead);
            let has_news = self.read_engine_reports(seat);
            match step {
                Ok(AdvanceResult::Pending) if has_news => {}
                Ok(AdvanceResult::Pending) => {
                    self.pending = Some(WaitForOtherPlayers {
                        more: false,
                        ..pending
                    });
                    return changed;
                }
                Ok(AdvanceResult::Moved) => {
                    self.engine_report = None;
                    let since = self.now();
                    let unfinished = (!self.is_goal_reached(pending.goal)).then_some(pending);
                    self.pending =
                        unfinished.map(|pending| WaitForOtherPlayers { since, ..pending });
                }
                Ok(AdvanceResult::Failed(ending)) => {
                    self.stop_waiting_with_failure(ending.to_string());
                }
                Ok(AdvanceResult::Ask(_) | AdvanceResult::Stopped | AdvanceResult::Over) => {
                    self.pending = None;
                }
                Err(error) => self.stop_waiting_with_failure(error.to_string()),
            }
            changed = true;
        }
        changed
    }

    /// Applies moves of the other players that arrived in the meantime. A user who is reading another panel keeps the
    /// focus there until their turn.
    pub(super) fn apply_arrived_moves(&mut self) {
        if self.pending.is_none() {
            return;
        }
        let focus = self.panels.focus;
        if !self.await_moves(Duration::ZERO) {
            return;
        }
        self.note_end_without_key_press();
        let note = self.panels.note.take();
        self.refresh();
        if self.ask.is_none() && !self.live.is_over() {
            self.panels.focus = focus;
            self.panels.note = note;
        } else if focus != Panel::Ask {
            self.panels.focus = Panel::Ask;
        }
    }

    /// Stops waiting for moves of the other players. Returns false if no move was awaited.
    pub(super) fn stop_waiting(&mut self) -> bool {
        if self.pending.is_none() {
            return false;
        }
        self.live.debate.stop_player_thread_after_current_move();
        let player = self.thinking_player();
        self.pending = None;
        self.autoplay.stop_autoplay();
        self.panels.note = Some(format!(
            "{player} was interrupted. Let the other players move to repeat the question."
        ));
        true
    }

    /// Returns a name for the player who is computing a reply, as the start of a sentence. The name is neutral for a
    /// coin, and if the viewer is a judge who may not follow the debate.
    fn thinking_player(&self) -> &'static str {
        let turn = self.live.seating().turn();
        match turn.filter(|_| self.live.view().reader.is_shown_debate_during_play()) {
            Some(turn) if turn.seat == Seat::Judge => "The judge",
            Some(turn) if turn.seat != Seat::Chance => turn.seat.player_name_of_seat(),
            _ => "A player",
        }
    }

    fn now(&self) -> Instant {
        self.live.scene.time.monotonic_now()
    }

    /// Returns the time since the wait for the current move of another player began.
    fn time_waited(&self, pending: WaitForOtherPlayers) -> Duration {
        self.now().saturating_duration_since(pending.since)
    }

    /// Returns the status line that names the player who is computing a reply, and the time so far.
    pub(super) fn thinking_line(&self) -> Option<String> {
        let seconds = self.time_waited(self.pending?).as_secs();
        let who = self.thinking_player();
        let engine_report = self
            .engine_report
            .as_ref()
            .map_or_else(String::new, |engine_report| format!(": {engine_report}"));
        Some(match seconds {
            0 => format!("{who} is thinking{engine_report}"),
            some => format!(
                "{who} is thinking, {}{engine_report}",
                short_duration_text(some)
            ),
        })
    }

    /// Returns the time at which the status line changes or further moves can be applied.
    pub(super) fn next_update_time(&self) -> Option<Instant> {
        let pending = self.pending?;
        if pending.more {
            return Some(self.now());
        }
        let seconds = self.time_waited(pending).as_secs();
        Some(pending.since + Duration::from_secs(seconds + 1))
    }
}
