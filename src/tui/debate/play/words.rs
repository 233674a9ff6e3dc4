//! The debate in words: the notice while the other players move, and the sentences of the debate screen for screen
//! readers.

use super::DebateScreen;
use super::handover::is_keyboard_shared;
use super::live::human_seats;
use crate::tui::theme::TextRole;
use crate::tui::widget::scroll::{Entry, screen_reader_text};
use debate_core::number::Exact;
use debate_core::player::seated_player_in_plain_words;
use debate_core::protocol::{PendingTurn, ProtocolKind, Rules as _, Seat};
use debate_core::text::{replace_unsafe_characters, replace_unsafe_multiline};
use debate_text::{
    DebateStateForTurnPrediction, FormulaCharacterSet, NOTHING_MORE, PendingQuestionInLines,
    closing_lines, new_plain_lines, next_turn_of_seat_sentence,
};

/// Maximum number of lines that are announced to a screen reader at once. If there are more, only the last ones are
/// announced.
const MAX_LINES: usize = 200;

/// The part of the debate that was already announced to the screen reader.
#[derive(Debug, Default)]
pub(super) struct AnnouncedState {
    /// The number of log entries that were announced.
    entries: usize,
    /// The number of moves before the question that was announced last; `None` if no question was pending then.
    asked: Option<usize>,
    is_over: bool,
    /// The tutorial's explanation that was announced last.
    coach: Option<String>,
}

impl DebateScreen<'_, '_> {
    /// Returns the events since the last call, for screen readers, and the tutorial's text, the question and the result
    /// if they are new. `None` if nothing is new.
    pub(super) fn screen_reader_news(&mut self) -> Option<String> {
        let view = self.live.view();
        let instance = view.facts.instance;
        let seating = self.live.seating();
        let log = seating.log();
        let narrator = view.narrator(FormulaCharacterSet::Unicode);
        let count = log.entries().len();
        // After an undo the log is shorter.
        let from = self.announced.entries.min(count);
        let events = new_plain_lines(&narrator, log, from..count, view.reader).into_iter();
        let mut lines: Vec<String> = events
            .map(|(_, line)| replace_unsafe_characters(&line).into_owned())
            .collect();
        let coach = self.lesson_text().map(|entry| entry.plain_body_text());
        lines.extend(coach.clone().filter(|_| coach != self.announced.coach));
        let moves = seating.moves().len();
        let asked = self.ask.as_ref().map(|_| moves);
        if let Some(ask) = self.ask.as_ref().filter(|_| asked != self.announced.asked) {
            let question = PendingQuestionInLines {
                seating,
                instance,
                reader: view.reader,
                perspective: view.perspective,
                blind: view.facts.blind,
                typed: true,
            };
            let text = question.question_lines(&ask.turn);
            lines.extend(
                text.iter()
                    .map(|line| replace_unsafe_multiline(line).into_owned()),
            );
        }
        let is_over = self.live.is_over();
        if is_over && !self.announced.is_over {
            lines.extend(closing_lines(seating, instance, &view.payoff_formatter()));
        }
        self.announced = AnnouncedState {
            entries: count,
            asked,
            is_over,
            coach,
        };
        let skipped = lines.len().saturating_sub(MAX_LINES);
        let text = lines.split_off(skipped).join("\n");
        (!text.is_empty()).then_some(text)
    }

    /// Returns a text for screen readers: the player who must take the keyboard, else the open page, else the draft,
    /// else the notice. A draft is not returned on a shared keyboard. No notice is returned at the end, or during
    /// autoplay that no lesson pauses.
    pub(super) fn text_for_screen_readers(&self) -> Option<String> {
        if let Some(seat) = self.next_keyboard_user() {
            let sentences = self.handover_notice(seat).map(|(_, sentence)| sentence);
            return Some(sentences.join("\n"));
        }
        if let Some(page) = self.tasks.text_of_open_page_for_screen_reader() {
            return Some(page);
        }
        if let Some(ask) = &self.ask {
            // On a shared keyboard, the other players would hear the draft from the screen reader.
            let is_only_user = !is_keyboard_shared(self.live.seating());
            return ask.draft_in_words().filter(|_| is_only_user);
        }
        let waits =
            !self.live.is_over() && (self.is_paused_by_lesson() || !self.autoplay.is_autoplay_on());
        // The text of the tutorial comes first and is already announced as news.
        let notice = self
            .notice
            .get(usize::from(self.lesson_text().is_some())..)?;
        waits.then(|| screen_reader_text("", notice))
    }
}

impl<'t> DebateScreen<'t, '_> {
    /// True if the debate has no log entry yet and is no lesson. A lesson describes its subject itself.
    fn is_before_first_entry(&self) -> bool {
        self.live.seating().log().entries().is_empty() && self.live.scene.coach.is_none()
    }

    /// Returns the scenario's introduction, for a user who waits for the first move of another player. Adds the
    /// briefing of the human seat if there is exactly one. Empty after the first log entry, and in a lesson.
    pub(super) fn introduction_texts_before_first_move(&self) -> Vec<&'t str> {
        if !self.is_before_first_entry() {
            return Vec::new();
        }
        let scene = self.live.scene;
        let mut seats = human_seats(self.live.seating());
        let only_seat = seats.next().filter(|_| seats.next().is_none());
        scene.facts.introduction_texts(only_seat)
    }
}

impl DebateScreen<'_, '_> {
    /// Returns the facts from which the program predicts the time of the user's next turn. `turn` is the pending turn
    /// of another player.
    fn next_turn_prediction_inputs<'r>(
        &self,
        turn: &'r PendingTurn<Exact>,
    ) -> DebateStateForTurnPrediction<'r> {
        let view = self.live.view();
        let estimated = view.log.subclaim_estimates().len();
        let subclaims = view
            .log
            .chosen_support_of_round()
            .and_then(|(claim, support)| {
                let support = view.facts.instance.support(claim, support)?;
                Some(support.on.len())
            });
        DebateStateForTurnPrediction {
            pending: &turn.request,
            round: view.state.round(),
            depth: self.panels.rewards.debate_depth().unwrap_or(0),
            is_divided: self.panels.outline.has_supportless_splits_or_given_bits(),
            is_round_estimated: subclaims == Some(estimated),
        }
    }

    /// True if a user at this keyboard may have another turn in the debate. Until the debate's end, also true for a
    /// judge who does not follow the debate, because the answer could reveal how far the debate is.
    pub(super) fn user_may_have_turn(&self) -> bool {
        let seating = self.live.seating();
        let Some(turn) = seating.turn() else {
            return false;
        };
        if seating.is_seat_of_user_or_driving_program(turn.seat) {
            return true;
        }
        let forecast = self.next_turn_prediction_inputs(&turn);
        let is_following = self.live.view().reader.is_shown_debate_during_play();
        human_seats(seating).any(|seat| {
            let when = next_turn_of_seat_sentence(seat, forecast);
            !is_following || when.as_deref() != Some(NOTHING_MORE)
        })
    }

    /// Returns the text that the ask panel shows while other players move. `decided` is a sentence if the result is
    /// already decided.
    pub(super) fn waiting_notice(&self, decided: Option<String>) -> Vec<Entry> {
        let view = self.live.view();
        let seating = self.live.seating();
        let Some(turn) = seating.turn() else {
            return Vec::new();
        };
        let facts = view.facts;
        let decided = decided.map(|decided| Entry::unlabelled(TextRole::Warning, decided));
        let mut lines: Vec<Entry> = decided.into_iter().collect();
        let human_seats: Vec<Seat> = human_seats(seating).collect();
        let who = match turn.seat {
            Seat::Chance => "A coin".to_owned(),
            // A player who has moved is known.
            seat if seating.moves().iter().any(|made| made.seat == seat) => match seat {
                Seat::Judge => "The judge".to_owned(),
                _ => seat.player_name_of_seat().to_owned(),
            },
            seat => {
                let named = match (&human_seats[..], facts.full_player_name(seat)) {
                    // A viewer without a seat may see all players' names.
                    ([], Some(sitter)) if !facts.blind => Some(seated_player_in_plain_words(
                        facts.instance,
                        facts.kind,
                        seat,
                        sitter,
                    )),
                    _ => facts.player_in_words_before_end(seat),
                };
                // A lesson introduces the players itself. To a judge, the player's kind would give the answer.
                let is_hidden =
                    self.live.scene.coach.is_some() || matches!(human_seats[..], [Seat::Judge]);
                let named = named.filter(|named| !named.is_empty() && !is_hidden);
                let player =
                    named.map_or_else(String::new, |named| format!(", played by {named},"));
                match seat {
                    Seat::Judge => format!("The judge{player}"),
                    _ if !view.viewer_may_see_rules() => {
                        format!("{}{player}", seat.player_name_of_seat())
                    }
                    _ => {
                        let (name, role) = (seat.player_name_of_seat(), facts.role_title(seat));
                        let player = if player.is_empty() { "," } else { &player };
                        format!("{name}, the {role}{player}")
                    }
                }
            }
        };
        let you = match &human_seats[..] {
            [] => "You are watching. ".to_owned(),
            [seat] => facts.role_announcement(*seat) + " ",
            _ => "Several people play at this keyboard. ".to_owned(),
        };
        let is_hidden = !view.viewer_may_see_estimates_and_rewards()
            && turn.request.is_estimate_bet_or_draw_request();
        let next = if view.reader.is_shown_debate_during_play() && is_hidden {
            "The next moves are hidden from the judge.".to_owned()
        } else if view.reader.is_shown_debate_during_play() {
            let narrator = view.narrator(self.look.formula_script());
            format!("{who} {} next.", narrator.pending_action(&turn.request))
        } else {
            "The other players debate without the judge. Let them move; your question comes next."
                .to_owned()
        };
        lines.push(Entry::unlabelled(TextRole::Title, you).append_span(TextRole::Text, next));
        if let ([seat], true) = (&human_seats[..], view.reader.is_shown_debate_during_play()) {
            let when = next_turn_of_seat_sentence(*seat, self.next_turn_prediction_inputs(&turn));
            lines.extend(when.map(|when| Entry::unlabelled(TextRole::Text, when)));
        }
        if let Some(failure) = &self.failure {
            lines.push(Entry::unlabelled(
                TextRole::Bad,
                format!("The debate cannot continue: {failure}."),
            ));
        }
        if view.reader.is_shown_debate_during_play() && !view.viewer_may_see_estimates_and_rewards()
        {
            // Only prover-estimator rules have bets.
            let hidden = "Numbers, bets and coins are hidden from the judge until the end. Alice's answer is about the first claim only: on the last one, she may bet on yes or on no.";
            let has_bets = facts.kind == ProtocolKind::ProverEstimator;
            lines.extend(has_bets.then(|| Entry::unlabelled(TextRole::Faint, hidden)));
        }
        // The open briefing shows the same texts.
        if self.is_briefing_open {
            return lines;
        }
        for text in self.introduction_texts_before_first_move() {
            lines.push(Entry::unlabelled(TextRole::Faint, text.to_owned()));
        }
        if self.is_before_first_entry() && view.viewer_may_see_rules() {
            let rules = facts.kind.protocol_texts().rules;
            lines.push(Entry::unlabelled(TextRole::Faint, rules));
        }
        lines
    }
}
