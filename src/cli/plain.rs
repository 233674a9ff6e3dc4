//! Plays and shows debates as lines of text: for screen readers, pipes and tests.

use std::fmt::Display;
use std::io::{self, BufRead, Write};
use std::time::Instant;

use super::output::{is_terminal, print_json_line, prompt_and_read_text, stderr, stdin, stdout};
use super::report::{self, REVIEW_TIME_LIMIT, with_time_limit};
use super::{CommandFailure, DisplayArgs, Result};
use crate::app::{review_context, review_context_at_end, sentence_about_checked_save};
use crate::tui::tutorial::{LessonTexts, LineOrKeyInputMode};
use debate_core::number::Exact;
use debate_core::protocol::{IllegalReply, LogViewerRole, PendingTurn, Seat};
use debate_core::scenario::Instance;
use debate_core::text::{duration_in_words, replace_unsafe_characters, replace_unsafe_multiline};
use debate_host::engine::{EngineFailure, EngineThinkingOrFailedAttempt};
use debate_host::plan::{DebatePlan, HINT_NOTE, daily_debate_result_lines, level_end_sentence};
use debate_host::record::ReplyMeta;
use debate_host::{AdvanceResult, Debate, DebateError};
use debate_solver::analysis::review::{RequestAdvice, ReviewContext, ReviewError};
use debate_solver::expectation::PayoffNotComputedReason;
use debate_text::{
    DebateDescription, DebateNarrator, DebateViewpoint, FormulaCharacterSet, NO_HINTS,
    ParsedTypedLine, PayoffFormatter, PendingQuestionInLines, ViewerPerspective,
    accepted_input_help, closing_lines, decided_result_sentence, end_disclosure_lines,
    new_plain_lines, prepared_reply_bits, read_line, reply_warning, review,
};

/// The maximum length of a line that the user types, in bytes.
const MAX_LINE: u64 = 512 * 1024;

/// The reason why a debate in plain lines stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PlainModeEnd {
    /// The debate is over.
    Finished,
    /// The user left, or the input ended.
    Left,
    /// An engine failed, so that it made no move.
    Failed(EngineFailure),
}

/// Plays a debate in plain lines. Writes the narration to `out` and reads replies from `input`.
pub(super) struct PlainModeDebate<'s, 'a, O> {
    debate: &'s mut Debate<'a>,
    out: O,
    instance: &'a Instance,
    /// The inputs for computing the values (expected payoffs) of replies if hints are allowed, and true if every
    /// question shows the values.
    values: Option<(ReviewContext, bool)>,
    /// The texts of the lesson, if the debate belongs to one, and the explanation that was printed last.
    coach: Option<(LessonTexts, String)>,
    /// The viewer whose observations are printed while the debate is unfinished.
    reader: LogViewerRole,
    /// The seat from whose point of view the debate is narrated.
    perspective: ViewerPerspective,
    facts: DebateDescription<'a>,
    /// Set after the user has been told that the result is already decided.
    is_decided: bool,
    /// True if this is a daily debate, whose save must say if a hint was shown.
    is_daily: bool,
    /// Set in a daily debate when a hint is computed, even if the computation fails.
    shown_hint: bool,
    /// The number of events printed so far.
    events: usize,
    /// The number of lines printed so far for events.
    lines: usize,
}

impl<'s, 'a, O: Write> PlainModeDebate<'s, 'a, O> {
    /// Creates a debate in plain lines, narrated to the viewer that its plan names, optionally with the coach of a
    /// lesson.
    pub(super) fn new(
        debate: &'s mut Debate<'a>,
        plan: &DebatePlan,
        instance: &'a Instance,
        coach: Option<LessonTexts>,
        out: O,
    ) -> Self {
        Self {
            debate,
            out,
            instance,
            values: review_context(plan, instance).map(|case| (case, plan.hints)),
            coach: coach.map(|coach| (coach, String::new())),
            reader: plan.viewer_while_running(),
            perspective: plan.narration_perspective(),
            facts: plan.facts(instance),
            is_decided: false,
            is_daily: plan.daily_date().is_some(),
            shown_hint: false,
            events: 0,
            lines: 0,
        }
    }

    /// Prints the coach's explanation of the current step of the debate, once. Returns true if the explanation is new.
    fn explain(&mut self) -> Result<bool> {
        let Some((coach, last)) = &mut self.coach else {
            return Ok(false);
        };
        let says = coach
            .advice(
                self.debate.state_and_players(),
                self.instance,
                LineOrKeyInputMode::Lines,
            )
            .unwrap_or_default();
        let is_new = !says.is_empty() && says != *last;
        if is_new {
            writeln!(self.out, "\nTutorial: {}", replace_unsafe_characters(&says))?;
        }
        *last = says;
        Ok(is_new)
    }

    /// True if a built-in player, an engine or chance moves next, and the user can still undo their last reply. After
    /// this next move, the undo may be impossible.
    fn can_retry(&self) -> bool {
        let seating = self.debate.state_and_players();
        let waits =
            seating.turn().is_some() && seating.awaited_seat_of_user_or_driving_program().is_none();
        waits && seating.move_count_after_undo().is_ok()
    }

    /// Lets the user undo a reply whose consequence was just explained. Returns false if the user left.
    fn offer_retry(&mut self, input: &mut impl BufRead) -> Result<bool> {
        loop {
            self.say("Press Enter to continue, or type undo.")?;
            let Some(line) = self.line(input)? else {
                return Ok(false);
            };
            match line.trim() {
                "" => return Ok(true),
                "q" | "quit" => return Ok(false),
                "u" | "undo" => {
                    self.undo()?;
                    return Ok(true);
                }
                // Other input is not a valid answer here, so the offer is repeated.
                _ => {}
            }
        }
    }

    /// Undoes the last reply of the user. Returns false if it cannot be undone.
    fn undo(&mut self) -> Result<bool> {
        if let Err(error) = self.debate.undo_last_reply_with_choice(self.instance) {
            self.say(format!("Not undone: {error}."))?;
            return Ok(false);
        }
        self.is_decided = false;
        let events = self.debate.state_and_players().log().entries().len();
        self.events = self.events.min(events);
        self.say("Your last reply is undone.")?;
        Ok(true)
    }

    fn narrator(&self) -> DebateNarrator<'_> {
        DebateNarrator {
            // In free speeches the figures are the judge's own estimates.
            figures: self.reader().sees_estimates()
                || self.instance.as_two_answer_question().is_some(),
            ..DebateNarrator::new(self.instance, FormulaCharacterSet::Unicode)
                .seen_from(self.perspective)
        }
    }

    /// Returns the viewer whose observations are printed. At the end of the debate everything is visible.
    fn reader(&self) -> LogViewerRole {
        match self.debate.state_and_players().turn() {
            Some(_) => self.reader,
            None => LogViewerRole::ALL,
        }
    }

    pub(super) fn run(&mut self, input: &mut impl BufRead) -> Result<PlainModeEnd> {
        let ending = loop {
            self.print_events()?;
            self.print_decided()?;
            if self.explain()? && self.can_retry() {
                let played = self.debate.state_and_players().moves().len();
                if !self.offer_retry(input)? {
                    break PlainModeEnd::Left;
                }
                if self.debate.state_and_players().moves().len() < played {
                    continue;
                }
            }
            let step = self.debate.advance_by_one_move();
            for news in self.debate.take_engine_events() {
                let fault = match news {
                    EngineThinkingOrFailedAttempt::Info { .. } => continue,
                    EngineThinkingOrFailedAttempt::Refused { why, .. } => format!("illegal: {why}"),
                    EngineThinkingOrFailedAttempt::Failed { fault, why, .. } => {
                        format!("{fault}: {why}")
                    }
                };
                self.say(format!(
                    "An engine failed ({fault}); the program asked the engine again if a retry was left."
                ))?;
            }
            match step {
                Ok(AdvanceResult::Ask(turn)) => {
                    match self.debate.make_replies_without_choice(self.instance) {
                        Ok(0) => {
                            if !self.ask(&turn, input)? {
                                break PlainModeEnd::Left;
                            }
                        }
                        Ok(_) => {}
                        Err(error) => {
                            if !self.retry_until_saved(error, input, Debate::flush_save)? {
                                break PlainModeEnd::Left;
                            }
                        }
                    }
                }
                Ok(AdvanceResult::Moved | AdvanceResult::Pending | AdvanceResult::Stopped) => {}
                Ok(AdvanceResult::Failed(ending)) => {
                    self.say(format!("The debate ends here: {ending}."))?;
                    break PlainModeEnd::Failed(ending);
                }
                Ok(AdvanceResult::Over) => break PlainModeEnd::Finished,
                Err(error) => {
                    if !self.retry_until_saved(error, input, Debate::flush_save)? {
                        break PlainModeEnd::Left;
                    }
                }
            }
        };
        self.debate.notify_engines_of_end();
        Ok(ending)
    }

    fn print_events(&mut self) -> Result {
        let reader = self.reader();
        // A seat that sees nothing during the debate gets all events at its end.
        if !reader.is_shown_debate_during_play() {
            return Ok(());
        }
        let log = self.debate.state_and_players().log();
        let new = self.events..log.entries().len();
        let lines = new_plain_lines(&self.narrator(), log, new, reader);
        self.events = log.entries().len();
        for (_, text) in lines {
            self.lines += 1;
            writeln!(
                self.out,
                "{:>3}. {}",
                self.lines,
                replace_unsafe_multiline(&text)
            )?;
        }
        Ok(())
    }

    fn view(&self) -> DebateViewpoint<'_, 'a> {
        let seating = self.debate.state_and_players();
        DebateViewpoint {
            facts: &self.facts,
            state: seating.state(),
            log: seating.log(),
            reader: self.reader,
            perspective: self.perspective,
            newest: 0..0,
            marks: &[],
        }
    }

    /// Prints a sentence if the debate's result can no longer change. Later calls print nothing, except after an undo.
    fn print_decided(&mut self) -> Result {
        if self.is_decided {
            return Ok(());
        }
        if let Some(decided_result) =
            decided_result_sentence(&self.view(), FormulaCharacterSet::Unicode)
        {
            self.is_decided = true;
            self.say(format!("{decided_result} Type q to leave."))?;
        }
        Ok(())
    }

    /// Asks the user the pending question. Returns true after a legal reply or an undo; false if the user left or the
    /// input ended.
    fn ask(&mut self, turn: &PendingTurn<Exact>, input: &mut impl BufRead) -> Result<bool> {
        self.put_question(turn)?;
        if self.values.as_ref().is_some_and(|(_, always)| *always) && turn.seat != Seat::Judge {
            self.put_hint()?;
        }
        let asked = Instant::now();
        let mut warned = None;
        loop {
            let Some(line) = self.line(input)? else {
                return Ok(false);
            };
            let prepared = || prepared_reply_bits(self.debate.state_and_players(), &turn.request);
            match read_line(
                &line,
                &turn.request,
                self.may_write_subclaims(turn),
                prepared,
            ) {
                Ok(ParsedTypedLine::Quit) => return Ok(false),
                Ok(ParsedTypedLine::Help) => self.put_help(turn)?,
                Ok(ParsedTypedLine::Hint) => self.put_hint()?,
                Ok(ParsedTypedLine::Unclear(question)) => {
                    self.say(format!("Not accepted: {question}"))?;
                }
                Ok(ParsedTypedLine::Show(first, last)) => {
                    let mut steps = self.question().step_lines(first, last).into_iter();
                    steps.try_for_each(|line| self.say(line))?;
                }
                Ok(ParsedTypedLine::Source) => self.put_source(None)?,
                Ok(ParsedTypedLine::Find(words)) => self.put_source(Some(&words))?,
                Ok(ParsedTypedLine::Undo) if self.undo_affects_other_seat(turn.seat) => {
                    self.say("Not undone: another player made the last reply.")?;
                }
                Ok(ParsedTypedLine::Undo) => {
                    if self.undo()? {
                        return Ok(true);
                    }
                }
                Ok(ParsedTypedLine::Reply(reply)) => {
                    let ms = u64::try_from(asked.elapsed().as_millis()).unwrap_or(u64::MAX);
                    if let Some(warning) =
                        reply_warning(&self.view(), &reply, FormulaCharacterSet::Unicode)
                        && warned.as_ref() != Some(&reply)
                    {
                        // On a terminal the user can reconsider. Lines from a file or pipe are sent as they are.
                        let asks = is_terminal(&io::stdin());
                        if asks {
                            let again = "Enter the same reply again to send this reply anyway.";
                            self.say(format!("{warning} {again}"))?;
                            warned = Some(reply);
                            continue;
                        }
                        self.say(warning)?;
                    }
                    let mut taken = Ok(());
                    let meta = ReplyMeta {
                        note: self.shown_hint.then(|| HINT_NOTE.to_owned()),
                        ..ReplyMeta::with_thinking_ms(ms)
                    };
                    let mut give = |debate: &mut Debate<'_>| {
                        taken = debate.reply_with_meta(reply.clone(), meta.clone())?;
                        Ok(())
                    };
                    if let Err(error) = give(self.debate)
                        && !self.retry_until_saved(error, input, give)?
                    {
                        return Ok(false);
                    }
                    match taken {
                        Ok(()) => return Ok(true),
                        // People count options from 1, and a single step without its number; the rules count from 0.
                        Err(IllegalReply::NoSuch { .. } | IllegalReply::NoStep { .. }) => {
                            let writes = self.may_write_subclaims(turn);
                            let accepted = accepted_input_help(&turn.request, writes);
                            self.say(format!("Not accepted; {accepted}."))?;
                        }
                        Err(illegal) => self.say(format!("Not accepted: {illegal}."))?,
                    }
                }
                Err(hint) => self.say(format!("Not understood; {hint}, or ? for help."))?,
            }
        }
    }

    /// Retries a failed write to the disk as often as the user wishes. Returns true if the write succeeded, false if
    /// the user left with `q`. Returns an error at the end of the input, and at once if a retry cannot help.
    fn retry_until_saved(
        &mut self,
        mut refused: DebateError,
        input: &mut impl BufRead,
        mut again: impl FnMut(&mut Debate<'a>) -> Result<(), DebateError>,
    ) -> Result<bool> {
        loop {
            if !refused.is_transient() {
                return Err(save_failure(refused));
            }
            self.say(format!("Not saved: {refused}."))?;
            loop {
                self.say("Press Enter to try again, or type q to leave.")?;
                match self.line(input)?.as_deref().map(str::trim) {
                    None => return Err(save_failure(refused)),
                    Some("q" | "quit") => return Ok(false),
                    Some("") => break,
                    // Other input is not a valid answer here, so the question is repeated.
                    Some(_) => {}
                }
            }
            match again(self.debate) {
                Ok(()) => return Ok(true),
                Err(error) => refused = error,
            }
        }
    }

    /// Reads the user's next line; `None` at the end of the input.
    fn line(&mut self, input: &mut impl BufRead) -> Result<Option<String>> {
        prompt_and_read_text(input, MAX_LINE, &mut self.out)
    }

    fn say(&mut self, text: impl Display) -> Result {
        Ok(writeln!(
            self.out,
            "{}",
            replace_unsafe_characters(&text.to_string())
        )?)
    }

    fn put_question(&mut self, turn: &PendingTurn<Exact>) -> Result {
        let text = self.question().question_lines(turn);
        writeln!(self.out)?;
        for line in text {
            writeln!(self.out, "{}", replace_unsafe_multiline(&line))?;
        }
        Ok(())
    }

    /// Prints the source text that debaters quote from: all of it, or only the lines that contain `words`.
    fn put_source(&mut self, words: Option<&str>) -> Result {
        let question = self.instance.as_two_answer_question();
        let source = question.map_or("", |it| it.source().as_str());
        let words = words.map(str::to_lowercase).unwrap_or_default();
        let wanted = source
            .lines()
            .filter(|it| it.to_lowercase().contains(&words));
        let lines: Vec<&str> = wanted.collect();
        if lines.is_empty() {
            self.say("No line of the source text contains these words.")?;
        }
        lines
            .iter()
            .try_for_each(|line| self.say(format!("  {line}")))
    }

    /// Returns the pending request for a reply, ready to be printed as lines.
    fn question(&self) -> PendingQuestionInLines<'_, 'a> {
        PendingQuestionInLines {
            seating: self.debate.state_and_players(),
            instance: self.instance,
            reader: self.reader,
            perspective: self.perspective,
            blind: self.facts.blind,
            typed: true,
        }
    }

    /// Prints a hint for the pending request: the value (expected payoff) of each reply, or, for an estimator, the
    /// recommended estimate. Without a hint, prints the reason.
    fn put_hint(&mut self) -> Result {
        let judges = self
            .debate
            .state_and_players()
            .awaited_seat_of_user_or_driving_program()
            == Some(Seat::Judge);
        let Some((case, _)) = self.values.as_ref().filter(|_| !judges) else {
            return self.say(NO_HINTS);
        };
        self.shown_hint = self.is_daily;
        let moves = self.debate.state_and_players().moves();
        let lines = match with_time_limit(REVIEW_TIME_LIMIT, |watch| {
            case.advice_on_request(moves, watch)
        })? {
            Ok(RequestAdvice::Share(advice)) => vec![review::estimate_advice_sentence(&advice)],
            Ok(RequestAdvice::Replies(hints)) => {
                let amounts = PayoffFormatter::formatter_with_three_digits(
                    ViewerPerspective::of_seat(hints.seat),
                );
                review::hint_lines(case, &hints, &amounts)
            }
            Err(ReviewError::Unsolved(PayoffNotComputedReason::STOPPED)) => {
                let time = duration_in_words(REVIEW_TIME_LIMIT.as_secs());
                vec![format!("No hint: the computation took longer than {time}.")]
            }
            Err(why) => vec![format!("No hint: {why}.")],
        };
        lines.into_iter().try_for_each(|line| self.say(line))
    }

    /// True if an undo would remove a reply that another seat than `seat` made.
    fn undo_affects_other_seat(&self, seat: Seat) -> bool {
        let undone = self.debate.state_and_players().seat_of_reply_to_undo();
        undone.is_ok_and(|made| made != seat)
    }

    /// True if the user may support the answer to the claim with subclaims that they write themselves.
    fn may_write_subclaims(&self, turn: &PendingTurn<Exact>) -> bool {
        let claim = turn.request.claim_of_request();
        claim.is_some_and(|claim| self.instance.max_prover_written_subclaims(claim).is_some())
    }

    fn put_help(&mut self, turn: &PendingTurn<Exact>) -> Result {
        let accepted_input = accepted_input_help(&turn.request, self.may_write_subclaims(turn));
        self.say(format!(
            "To reply, {accepted_input}. `u` undoes your last reply, `hint` shows a recommended estimate or the value of each reply, `q` leaves; the debate is saved, except with --no-save."
        ))
    }
}

/// Plays a debate in plain lines on stdin and stdout, optionally with the coach of a lesson.
pub(super) fn play_in_lines<'a>(
    plan: &DebatePlan,
    instance: &'a Instance,
    debate: &mut Debate<'a>,
    display: &DisplayArgs,
    coach: Option<LessonTexts>,
) -> Result {
    // With `--json`, stdout gets only the document, so a human player is asked on stderr.
    let output: Box<dyn Write> = match (display.json, has_human_player(debate)) {
        (false, _) => stdout(),
        (true, true) => stderr(),
        (true, false) => Box::new(io::sink()),
    };
    let introduction = introduction(plan, instance, debate);
    let is_lesson = coach.is_some();
    let mut plain = PlainModeDebate::new(debate, plan, instance, coach, output);
    if !display.quiet {
        for line in &introduction {
            writeln!(plain.out, "{}", replace_unsafe_characters(line))?;
        }
    }
    let stopped = plain.run(&mut stdin())?;
    let mut out = plain.out;
    debate
        .flush_save()
        .map_err(CommandFailure::from_system_error)?;
    let over = stopped == PlainModeEnd::Finished;
    let failed = match stopped {
        PlainModeEnd::Failed(ending) => Some(ending),
        _ => None,
    };
    let seating = debate.state_and_players();
    let perspective = plan.narration_perspective();
    let is_reviewed = over && (plan.hints || has_human_player(debate));
    let case = review_context_at_end(plan, instance).filter(|_| is_reviewed);
    let review = match &case {
        Some(case) => Some(report::compute_review(seating, case)?),
        None => None,
    };
    let reviewed = case.as_ref().zip(review.as_ref());
    if over {
        report::write_lines(
            &mut out,
            &closing_lines(
                seating,
                instance,
                &PayoffFormatter::in_unit_of_rules(perspective),
            ),
        )?;
        if let (true, Some((case, review))) = (plan.hints, reviewed) {
            report::write_review(&mut out, case, review, perspective, true)?;
        }
        let disclosure =
            end_disclosure_lines(&plan.setup, plan.world, &plan.player_names(), plan.blind);
        report::write_lines(&mut out, &disclosure)?;
        if has_human_player(debate) {
            let amounts = PayoffFormatter::formatter_with_three_digits(perspective);
            let verdict = reviewed.and_then(|(case, review)| {
                review::final_review_sentence(case, review.as_ref().ok()?, &amounts)
            });
            if let Some(verdict) = verdict {
                writeln!(out, "{}", replace_unsafe_characters(&verdict))?;
            }
        }
        let level = level_end_sentence(
            seating,
            instance,
            &plan.player_names(),
            plan.prover_uses_past_debates_of_bob(),
            plan.daily_date().is_none(),
        );
        let level = level.filter(|_| !plan.blind && !is_lesson);
        report::write_lines(
            &mut out,
            &Vec::from_iter(level.map(|text| format!("Level {text}"))),
        )?;
        if let (Some(_), Some(path)) = (plan.daily_date(), debate.save_path()) {
            report::write_lines(&mut out, &daily_debate_result_lines(path))?;
        }
    }
    out.flush()?;
    if display.json {
        let mut document = report::play_report(seating, instance, plan);
        let forfeiting = failed
            .as_ref()
            .filter(|ending| ending.fault.causes_forfeit());
        document = document.with_forfeit(forfeiting.map(EngineFailure::as_forfeit));
        if let Some((_, Ok(review))) = reviewed {
            document.review = Some(review.into());
        }
        print_json_line(&document)?;
    }
    // The save's path is printed on stderr, so that the same debate gives the same stdout.
    if let Some(notice) = sentence_about_checked_save(debate, over)? {
        writeln!(stderr(), "{notice}")?;
    }
    match failed {
        Some(ending) => Err(CommandFailure::System(ending.to_string())),
        None => Ok(()),
    }
}

fn has_human_player(debate: &Debate<'_>) -> bool {
    let mut seats = Seat::PLAYERS.into_iter();
    seats.any(|seat| {
        debate
            .state_and_players()
            .is_seat_of_user_or_driving_program(seat)
    })
}

/// Returns lines that introduce a debate: its question, its rules and its players.
fn introduction(plan: &DebatePlan, instance: &Instance, debate: &Debate<'_>) -> Vec<String> {
    let kind = plan.protocol.kind();
    // An instance's name may reveal the answer to a human player.
    let which = match plan.setup.decomposition.worlds() {
        [_] => String::new(),
        _ if !has_human_player(debate) => format!(" (instance {})", instance.world_name()),
        worlds => format!(" (one of {} instances)", worlds.len()),
    };
    let summary = plan.protocol.parameter_summary();
    let seed = plan.seed.as_str();
    let summary = match summary.as_str() {
        "" => String::new(),
        summary => format!(" ({summary})"),
    };
    let reader = plan.viewer_while_running();
    let judges = reader.viewer_seat() == Some(Seat::Judge);
    // A judge in a blind debate must not see the rules.
    let hides_rules = plan.blind && judges;
    let mut lines = vec![format!(
        "{}{which}",
        plan.setup.scenario_texts(plan.world).title
    )];
    if reader.is_shown_debate_during_play() || reader.sees_path_to_question() {
        lines.push(format!("Debated: {}", instance.text(instance.root())));
    }
    if !hides_rules {
        let name = kind.protocol_name();
        let about = kind.protocol_description();
        lines.push(format!("Rules: {name} debate{summary}: {about}."));
    }
    lines.push(match plan.debate {
        0 => format!("Seed: {seed}"),
        debate => format!("Seed: {seed}, debate {debate}"),
    });
    for (seat, player) in Seat::PLAYERS.into_iter().zip(&plan.players) {
        let player = if debate
            .state_and_players()
            .is_seat_of_user_or_driving_program(seat)
        {
            "you".to_owned()
        } else if plan.blind {
            "hidden until the end".to_owned()
        } else if has_human_player(debate) {
            player.name.clone()
        } else {
            player.to_string()
        };
        lines.push(match seat {
            Seat::Judge => format!("The judge: {player}"),
            seat if hides_rules => format!("{}: {player}", seat.player_name_of_seat()),
            seat => format!(
                "{}, the {}: {player}",
                seat.player_name_of_seat(),
                kind.title(seat)
            ),
        });
    }
    let known = match reader.viewer_seat() {
        Some(Seat::Prover) => plan.protocol.opponent_knowledge_without_values(instance),
        _ => plan.protocol.opponent_knowledge_in_words(instance),
    };
    let known = known.filter(|_| !judges);
    if reader.viewer_seat() == Some(Seat::Prover) && !plan.blind {
        let own = debate_text::prover_knowledge(kind, instance);
        lines.extend(own.map(|own| format!("You know: {own}")));
    }
    lines.extend(known.map(|known| {
        let perspective = plan.narration_perspective();
        let knows = perspective.verb_form(Seat::Opponent, "knows", "know");
        format!(
            "{} {knows}: {known}",
            perspective.player_name_or_you(Seat::Opponent)
        )
    }));
    let briefing = reader
        .viewer_seat()
        .and_then(|seat| plan.setup.briefing.text_of_seat(seat));
    lines.extend(briefing.map(str::to_owned));
    lines
}

/// Converts an error of a running debate. A save that cannot be written is a system error; other errors, such as a
/// player that cannot continue, are input errors.
fn save_failure(error: DebateError) -> CommandFailure {
    match error {
        DebateError::Save { .. } => CommandFailure::System(error.to_string()),
        other => CommandFailure::from_input_error(other),
    }
}
