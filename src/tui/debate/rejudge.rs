//! The screen on which the user judges a finished debate again. It shows the rounds one after another, so that the
//! judge never sees a later round.
//!
//! [`LogViewerRole::JUDGING_ANEW`] defines the information that is visible before the judgement. Afterwards, everything
//! is shown, with both judges side by side.

use crate::tui::widget::Canvas;
use std::ops::Range;
use std::time::Instant;

use ratatui::crossterm::event::{KeyEvent, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Constraint::{Fill, Length};
use ratatui::layout::{Layout, Position, Rect};

use crate::tui::actions::{Contexts, KeyMap, ScreenKeyContext};
use crate::tui::ask::{
    AnswerWidget as _, SliderWidget, UnmappedWidgetInput, pass_unmapped_key, paste,
};
use crate::tui::keys::{Action, DECIDING, JUDGED, JUDGING, wheel_lines};
use crate::tui::panel::DebatePanels;
use crate::tui::screen::{
    BorrowedScreenParts, Overlay, Screen, ScreenEffect, ScreenHelpAndReproduction,
    ScreenWithTimedUpdates, UnmappedScreenInput, page_areas,
};
use crate::tui::theme::{ScreenAppearance, TextRole};
use crate::tui::widget::measure;
use crate::tui::widget::scroll::{Entry, Scroll, measure_lines, screen_reader_text};
use debate_core::number::{Exact, Number as _, format_percent};
use debate_core::protocol::{IllegalReply, LogViewerRole, Reply};
use debate_core::text::replace_unsafe_multiline;
use debate_lab::judgements::{
    FinishedDebateToRejudge, Judgement, RejudgementInProgress, compare_judgements,
};
use debate_text::{DebateDescription, DebateViewpoint, ViewerPerspective};

/// Minimum width of the screen at which the question or its source text is beside the transcript.
const MIN_TWO_COLUMN_WIDTH: u16 = 70;
/// The number of rows that the panel of the question to the judge may always take. On a screen whose body has more than
/// 12 rows, this limit is a third of the body.
const GRANTED_QUESTION_ROWS: u16 = 4;

/// The user's decision when they leave the screen where a finished debate is judged again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum RejudgeScreenChoice {
    /// The debate was judged; open the next one of the queue.
    Next,
    /// The debate was judged; leave the screen.
    Judged,
    /// Leave the screen. The judgement of the current debate is unfinished and is discarded.
    #[default]
    Left,
}

/// A function that saves a judgement. It returns the reason if that fails.
pub type JudgementSaver<'t> = Box<dyn FnMut(&Judgement) -> Result<(), String> + 't>;

/// The pending question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// A probability.
    Number,
    /// The judge chooses to read another round or to stop.
    More,
    /// No question is pending, because the debate was judged.
    Over,
}

/// The screen on which a user judges a finished debate again.
pub struct RejudgeScreen<'t> {
    rejudge_case: &'t FinishedDebateToRejudge,
    shown_debate: ShownDebate<'t>,
    panels: DebatePanels,
    /// The position of this debate in the queue as a text: "debate 2 of 5". Empty if the queue has one debate.
    heading: String,
    save: JudgementSaver<'t>,
    keys: &'t KeyMap<Action>,
    stage: Stage,
    answer: SliderWidget,
    /// The debate's question, one entry per line, and the scenario's description. With two columns and a source text,
    /// the source text is shown instead.
    question: Vec<Entry>,
    /// The text of the lowest panel: the question to the judge with its evidence, then the number that the user stated,
    /// then the result. May be empty before the result.
    notice: Vec<Entry>,
    notice_view: Scroll,
    /// New events in words that were not announced to the screen reader yet.
    news: Vec<String>,
    overlay: Overlay,
    is_quit_pending: bool,
    /// The screen areas of the transcript and of the slider.
    panel_areas: [Rect; 2],
    look: ScreenAppearance,
}

/// The part of the debate that the judge has seen so far.
struct ShownDebate<'t> {
    rejudged: RejudgementInProgress<'t>,
    facts: DebateDescription<'t>,
    /// The log entries that were added since the judge's last estimate.
    newest: Range<usize>,
}

impl<'t> ShownDebate<'t> {
    fn view(&self) -> DebateViewpoint<'_, 't> {
        DebateViewpoint {
            facts: &self.facts,
            state: self.rejudged.shown_state(),
            log: self.rejudged.shown_log(),
            reader: self.facts.reader,
            perspective: ViewerPerspective::NEUTRAL,
            newest: self.newest.clone(),
            marks: &[],
        }
    }
}

impl<'t> RejudgeScreen<'t> {
    /// Opens a finished debate at its first question to the judge. `heading` is the number of the debate in the queue
    /// of debates to judge.
    ///
    /// # Errors
    /// Returns an error if the moves do not follow from the rules.
    pub fn new(
        rejudge_case: &'t FinishedDebateToRejudge,
        rejudged: RejudgementInProgress<'t>,
        heading: String,
        save: JudgementSaver<'t>,
        keys: &'t KeyMap<Action>,
    ) -> Result<Self, IllegalReply> {
        let texts = rejudge_case
            .setup
            .scenario_texts(rejudge_case.instance.world_index());
        let facts = DebateDescription {
            title: texts.title,
            reader: LogViewerRole::JUDGING_ANEW,
            ..DebateDescription::new(&rejudge_case.instance, &rejudge_case.protocol)
        };
        let mut lines = rejudge_case.question_or_root_claim_text().into_iter();
        let mut question: Vec<Entry> = Vec::new();
        question.extend(
            lines
                .next()
                .map(|text| Entry::unlabelled(TextRole::Title, text)),
        );
        question.extend(lines.map(|text| Entry::unlabelled(TextRole::Text, text)));
        let about = &texts.about;
        question.push(Entry::unlabelled(TextRole::Faint, format!("\n{about}")));
        let shown_debate = ShownDebate {
            rejudged,
            facts,
            newest: 0..0,
        };
        let mut rejudge = Self {
            rejudge_case,
            panels: DebatePanels::new(&shown_debate.view()),
            shown_debate,
            heading,
            save,
            keys,
            stage: Stage::Number,
            answer: SliderWidget::slider_for_estimate(None, Vec::new()),
            question,
            notice: Vec::new(),
            notice_view: Scroll::at_start_without_following(0),
            news: rejudge_case.question_or_root_claim_text(),
            overlay: Overlay::default(),
            is_quit_pending: false,
            panel_areas: [Rect::ZERO; 2],
            look: ScreenAppearance::default(),
        };
        rejudge.show_next_question()?;
        Ok(rejudge)
    }

    /// Shows the debate up to the next question to the judge. If there is none, saves the judgement and shows the whole
    /// debate.
    fn show_next_question(&mut self) -> Result<(), IllegalReply> {
        if let Some(newest) = self
            .shown_debate
            .rejudged
            .show_debate_up_to_next_question()?
        {
            self.shown_debate.newest = newest;
            self.stage = Stage::Number;
            self.answer = SliderWidget::slider_for_estimate(None, Vec::new());
            let view = self.shown_debate.view();
            let narrator = view.narrator(self.look.formula_script());
            let evidence = self
                .shown_debate
                .rejudged
                .question_and_evidence(&narrator)
                .into_iter();
            let new_sentences = self
                .shown_debate
                .rejudged
                .new_sentences_with_evidence(&narrator, view.newest.clone());
            self.notice = evidence
                .map(|text| Entry::unlabelled(TextRole::Text, text))
                .collect();
            let heading = format!(
                "{}: {}.",
                self.shown_debate.facts.title,
                self.progress().join(", ")
            );
            self.news.insert(0, heading);
            self.news.extend(new_sentences);
            self.news
                .push(self.rejudge_case.probability_prompt().to_owned());
            // The new entries start at the top of the view.
            let view = self.shown_debate.view();
            let entries = view.transcript(self.look.formula_script());
            self.panels
                .transcript
                .scroll
                .scroll_entry_to_top(&entries, view.newest.start);
        } else {
            self.save_and_reveal()?;
            let note = "The debate had no more rounds: your last number is your judgement.";
            self.panels.note = Some(note.to_owned());
        }
        self.panels.read_new_log_entries(&self.shown_debate.view());
        Ok(())
    }

    /// Submits the current number.
    fn send(&mut self) -> Result<(), IllegalReply> {
        let p = match self.answer.reply() {
            Ok(Reply::Probability(p)) => p,
            Ok(_) => return Ok(()),
            Err(missing) => {
                self.panels.note = Some(self.keys.with_key_names(&missing));
                return Ok(());
            }
        };
        self.shown_debate
            .rejudged
            .record_probability_of_second_judge(&p);
        if self.shown_debate.rejudged.rounds_shown_so_far() == 0 {
            return self.show_next_question();
        }
        self.stage = Stage::More;
        self.notice = vec![self.stated_number(&p)];
        self.news.push(screen_reader_text("", &self.notice));
        Ok(())
    }

    /// Returns a line with the probability that the judge stated, and the keys to read another round or to stop.
    fn stated_number(&self, p: &Exact) -> Entry {
        let note = format!("You said {}. ", format_percent(p.to_float()));
        let keys =
            "{hear-more} shows another round, if there is one; {hear-no-more} keeps this number.";
        let note = Entry::unlabelled(TextRole::Title, note);
        note.append_span(TextRole::Text, self.keys.with_key_names(keys))
    }

    /// Saves the judgement and shows the whole debate. If the right answer is unknown, nothing is saved.
    fn save_and_reveal(&mut self) -> Result<(), IllegalReply> {
        let rejudge_case = self.rejudge_case;
        let ended = self.shown_debate.rejudged.end(
            &rejudge_case.instance,
            &rejudge_case.protocol,
            rejudge_case.debate_and_second_judge_names(),
        )?;
        self.stage = Stage::Over;
        self.shown_debate.facts.reader = LogViewerRole::ALL;
        self.shown_debate.newest = 0..0;
        self.notice = match ended {
            None => {
                let sentence =
                    "The right answer of this debate is unknown, so the judgement is not saved.";
                vec![Entry::unlabelled(TextRole::Warning, sentence)]
            }
            Some((judgement, original)) => {
                let lines = compare_judgements(rejudge_case, &judgement, &original);
                let mut entries: Vec<Entry> = lines
                    .into_iter()
                    .map(|line| Entry::unlabelled(TextRole::Text, line))
                    .collect();
                if let Err(why) = (self.save)(&judgement) {
                    let why = format!("Your judgement is not saved: {why}");
                    entries.insert(0, Entry::unlabelled(TextRole::Bad, why));
                }
                entries
            }
        };
        let debrief = rejudge_case
            .setup
            .scenario_texts(rejudge_case.instance.world_index())
            .debrief;
        if !debrief.is_empty() {
            self.notice
                .push(Entry::unlabelled(TextRole::Faint, debrief));
        }
        self.news.push(screen_reader_text("", &self.notice));
        self.notice_view = Scroll::at_start_without_following(0);
        Ok(())
    }

    fn context(&self) -> Contexts {
        match self.stage {
            Stage::Number => JUDGING,
            Stage::More => DECIDING,
            Stage::Over => JUDGED,
        }
    }

    /// Runs a step of the debate and shows an error as a note. The save was checked before, so no error is expected.
    fn run_step(&mut self, step: impl FnOnce(&mut Self) -> Result<(), IllegalReply>) {
        if let Err(reason) = step(self) {
            self.panels.note = Some(format!("The debate cannot continue: {reason}."));
        }
    }

    fn quit(&mut self) -> ScreenEffect<RejudgeScreenChoice> {
        if self.stage == Stage::Over {
            return ScreenEffect::Leave(RejudgeScreenChoice::Judged);
        }
        if self.is_quit_pending || self.shown_debate.rejudged.has_no_judgement_yet() {
            return ScreenEffect::Leave(RejudgeScreenChoice::Left);
        }
        self.is_quit_pending = true;
        let key = self.keys.key_or_command_name(self.context(), Action::Quit);
        self.panels.note = Some(format!(
            "This debate is not fully judged. Press {key} again to leave; your numbers are then discarded."
        ));
        ScreenEffect::None
    }

    /// Returns the texts at the right of the title. They are "judged again", the heading if it is not empty, and the
    /// rounds shown, or "judged" at the end.
    fn progress(&self) -> Vec<String> {
        let round = match (self.stage, self.shown_debate.rejudged.rounds_shown_so_far()) {
            (Stage::Over, _) => "judged".to_owned(),
            (_, 0) => "before round 1".to_owned(),
            (_, round) => format!("after round {round}"),
        };
        let pieces = ["judged again".to_owned(), self.heading.clone(), round]
            .into_iter()
            .filter(|piece| !piece.is_empty());
        pieces.collect()
    }

    fn draw_title(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let right = self.progress().join("   ") + " ";
        let room = usize::from(area.width).saturating_sub(measure::width(&right) + 2);
        let (title, ellipsis) = (&self.shown_debate.facts.title, canvas.look.glyphs.ellipsis);
        let title = measure::clip(title, room.max(12), ellipsis);
        canvas.draw_text_line(&format!(" {title}"), TextRole::Title, area);
        if room >= 12 {
            canvas.draw_text_right_aligned(&right, TextRole::Faint, area);
        }
    }

    /// Returns the text of the lowest panel: the notice, and the prompt while a number is expected. While a number is
    /// expected in a layout of one column, the first three entries of the debate's question precede both.
    fn question_entries(&self, two_columns: bool) -> Vec<Entry> {
        let mut question_entries = Vec::new();
        if !two_columns && self.stage == Stage::Number {
            question_entries.extend(self.question.iter().take(3).cloned());
        }
        question_entries.extend(self.notice.iter().cloned());
        if self.stage == Stage::Number {
            question_entries.push(Entry::unlabelled(
                TextRole::Title,
                self.rejudge_case.probability_prompt(),
            ));
        }
        question_entries
    }

    fn draw_question(
        &mut self,
        question_entries: &[Entry],
        is_inside_frame: bool,
        canvas: &mut Canvas<'_>,
        inner: Rect,
    ) {
        let slider_rows = u16::from(self.stage == Stage::Number);
        let [text, row] = Layout::vertical([Fill(1), Length(slider_rows)]).areas(inner);
        self.notice_view
            .draw(question_entries, &(0..0), is_inside_frame, canvas, text);
        self.panel_areas[1] = row;
        if slider_rows > 0 {
            self.answer.draw(canvas, row);
        }
    }
}

impl Screen for RejudgeScreen<'_> {
    type Outcome = RejudgeScreenChoice;

    fn render(&mut self, canvas: &mut Canvas<'_>, area: Rect) {
        let look = canvas.look;
        self.look = look;
        let [head, body, last] = page_areas(area);
        self.draw_title(canvas, head);
        let two_columns = area.width >= MIN_TWO_COLUMN_WIDTH;
        let is_inside_frame = area.height >= 18;
        let question_entries = self.question_entries(two_columns);
        let columns = area.width.saturating_sub(2);
        let rows = measure::to_u16_saturating(measure_lines(&question_entries, columns));
        let (rows, most) = match self.stage {
            Stage::Over => (rows, body.height / 2),
            Stage::More => (rows, body.height / 3),
            Stage::Number => (
                rows.saturating_add(1),
                (body.height / 3).max(GRANTED_QUESTION_ROWS),
            ),
        };
        let around = if is_inside_frame { 2 } else { 1 };
        let below = rows.min(most) + around;
        let [upper, below] = Layout::vertical([Fill(1), Length(below)]).areas(body);
        let left = if two_columns {
            upper.width * 17 / 40
        } else {
            0
        };
        let [left, right] = Layout::horizontal([Length(left), Fill(1)]).areas(upper);
        let boxed = |title: &str, focused, canvas: &mut Canvas<'_>, area: Rect| {
            if is_inside_frame {
                return canvas.draw_frame(title, focused, area);
            }
            let [head, inner] = Layout::vertical([Length(1), Fill(1)]).areas(area);
            canvas.draw_text_line(title, TextRole::Title, head);
            inner
        };
        if two_columns {
            let source = self.panels.source.as_mut();
            let name = source
                .as_ref()
                .map_or("Question", |source| source.panel_name());
            let inner = boxed(name, false, canvas, left);
            if let Some(source) = source {
                source.draw(false, is_inside_frame, canvas, inner);
            } else {
                Scroll::at_start_without_following(0).draw_text(
                    &self.question,
                    is_inside_frame,
                    canvas,
                    inner,
                );
            }
        }
        let inner = boxed("Transcript", false, canvas, right);
        self.panel_areas[0] = inner;
        let view = self.shown_debate.view();
        let entries = view.transcript(look.formula_script());
        let newest = &view.newest;
        self.panels
            .transcript
            .draw(&entries, newest, is_inside_frame, canvas, inner);
        let title = match self.stage {
            Stage::Number => "Your probability",
            Stage::More => "Your decision",
            Stage::Over => "Both judges",
        };
        let inner = boxed(title, true, canvas, below);
        self.draw_question(&question_entries, is_inside_frame, canvas, inner);
        self.panels.layout.footer = last;
        self.panels.footer(self.keys, self.screen_context(), canvas);
    }

    fn screen_context(&self) -> ScreenKeyContext {
        ScreenKeyContext::of_single_panel(self.context(), self.panels.facts_for_keys())
    }

    fn news(&mut self) -> Option<String> {
        let news = std::mem::take(&mut self.news);
        (!news.is_empty()).then(|| replace_unsafe_multiline(&news.join("\n")).into_owned())
    }

    fn screen_reader_text(&self) -> Option<String> {
        self.answer
            .chosen_value_for_screen_readers()
            .filter(|_| self.stage == Stage::Number)
    }

    fn shared_parts(&mut self) -> BorrowedScreenParts<'_> {
        let is_typing = self.is_typing();
        BorrowedScreenParts::new(&mut self.overlay, self.keys, &mut self.panels.note)
            .typing(is_typing)
    }

    fn act(&mut self, action: Action) -> ScreenEffect<RejudgeScreenChoice> {
        if action != Action::Quit {
            self.is_quit_pending = false;
        }
        match action {
            Action::Send => self.run_step(Self::send),
            Action::Onward if self.stage == Stage::Over => {
                return ScreenEffect::Leave(RejudgeScreenChoice::Next);
            }
            Action::Onward => self.run_step(Self::show_next_question),
            Action::Finish => {
                self.run_step(Self::save_and_reveal);
                self.panels.read_new_log_entries(&self.shown_debate.view());
            }
            Action::SourceOn | Action::SourceBack => {
                let pages = if action == Action::SourceOn { 1 } else { -1 };
                self.panels.scroll_source(pages);
            }
            Action::Quit => return self.quit(),
            // The arrow keys scroll the result; the page keys scroll the transcript.
            Action::Up | Action::Down if self.stage == Stage::Over => {
                let lines = action.scroll_lines(1).unwrap_or(0);
                self.notice_view.scroll(&self.notice[..], lines);
            }
            _ if self.answer.act(action) => {}
            _ => self.panels.act(action, &self.shown_debate.view()),
        }
        ScreenEffect::None
    }

    fn outcome_if_closed(&self) -> RejudgeScreenChoice {
        match self.stage {
            Stage::Over => RejudgeScreenChoice::Judged,
            _ => RejudgeScreenChoice::Left,
        }
    }

    fn input(&mut self, input: UnmappedScreenInput<'_>) -> Option<ScreenEffect<Self::Outcome>> {
        match input {
            UnmappedScreenInput::Typed(event) => self.write_typed_character(event),
            UnmappedScreenInput::Unbound(event) => Some(self.other_key(event)),
            UnmappedScreenInput::Mouse(event) => Some(self.handle_mouse(event)),
            UnmappedScreenInput::Paste(text) => {
                self.handle_paste(text);
                None
            }
            UnmappedScreenInput::Palette(_) | UnmappedScreenInput::Signal => None,
        }
    }

    fn reference(&self) -> ScreenHelpAndReproduction {
        ScreenHelpAndReproduction {
            scenario: self.rejudge_case.setup.about.clone(),
            ..ScreenHelpAndReproduction::help_with_purpose_of_focused_panel(self.screen_context())
        }
    }

    fn timer(&mut self) -> Option<&mut dyn ScreenWithTimedUpdates> {
        Some(self)
    }
}

impl ScreenWithTimedUpdates for RejudgeScreen<'_> {
    fn deadline(&self) -> Option<Instant> {
        self.panels
            .is_transcript_search_running()
            .then(Instant::now)
    }

    fn wake(&mut self) {
        self.panels
            .continue_search_if_running(&self.shown_debate.view());
    }
}

impl RejudgeScreen<'_> {
    fn write_typed_character(
        &mut self,
        event: KeyEvent,
    ) -> Option<ScreenEffect<RejudgeScreenChoice>> {
        let typed = self
            .panels
            .write_typed_character(&self.shown_debate.view(), event);
        typed.then_some(ScreenEffect::None)
    }

    fn other_key(&mut self, event: KeyEvent) -> ScreenEffect<RejudgeScreenChoice> {
        self.is_quit_pending = false;
        if self.stage == Stage::Number {
            pass_unmapped_key(&mut self.answer, event);
        }
        ScreenEffect::None
    }

    fn handle_mouse(&mut self, event: MouseEvent) -> ScreenEffect<RejudgeScreenChoice> {
        let at = Position::new(event.column, event.row);
        if let Some(lines) = wheel_lines(event.kind) {
            if self.panel_areas[0].contains(at) {
                self.panels
                    .scroll_focused_panel(&self.shown_debate.view(), lines);
            } else {
                self.notice_view.scroll(&self.notice[..], lines);
            }
        } else if matches!(
            event.kind,
            MouseEventKind::Down(MouseButton::Left) | MouseEventKind::Drag(MouseButton::Left)
        ) && self.stage == Stage::Number
        {
            let area = self.panel_areas[1];
            self.answer.input(UnmappedWidgetInput::Click { at, area });
        }
        ScreenEffect::None
    }

    fn handle_paste(&mut self, text: &str) {
        if self.panels.is_search_line_open() {
            self.panels.paste_into_search(text);
        } else if self.stage == Stage::Number {
            paste(&mut self.answer, text);
        }
    }

    fn is_typing(&self) -> bool {
        self.panels.is_search_line_open()
    }
}
