//! Judging a finished debate again: round by round, without the later rounds.
//!
//! [`Reader::JUDGING_ANEW`] defines the visible information. After the judgement is saved, everything is shown, with
//! both judges side by side.

use crate::tui::widget::Canvas;
use std::ops::Range;
use std::time::Instant;

use ratatui::crossterm::event::{KeyEvent, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Constraint::{Fill, Length};
use ratatui::layout::{Layout, Position, Rect};

use crate::tui::actions::{Contexts, KeyMap, ScreenContext};
use crate::tui::ask::{SliderWidget, Widget as _, WidgetInput, other_key, paste};
use crate::tui::keys::{Action, DECIDING, JUDGED, JUDGING, wheel_lines};
use crate::tui::panel::DebatePanels;
use crate::tui::screen::{
    Effect, Overlay, Screen, ScreenInput, ScreenParts, ScreenReference, Timer, page_areas,
};
use crate::tui::theme::{Appearance, Role};
use crate::tui::widget::measure;
use crate::tui::widget::scroll::{Entry, Scroll, measure_lines, screen_reader_text};
use debate_core::number::{Exact, Number as _, percent};
use debate_core::protocol::{Illegal, Reader, Reply};
use debate_core::text::replace_unsafe_multiline;
use debate_lab::judgements::{Judgement, RejudgeCase, Rejudgement, compare_judgements};
use debate_text::{DebateFacts, Perspective, Viewpoint};

/// Minimum width at which the question is beside the transcript.
const TWO: u16 = 70;
/// Maximum number of rows inside the question's panel while the debate is shown above it.
const ASKED: u16 = 4;

/// The user's decision after a debate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum RejudgeOutcome {
    /// The debate was judged; open the next one.
    Next,
    /// The debate was judged; leave.
    Judged,
    /// Leave without a judgement. The unfinished one is discarded.
    #[default]
    Left,
}

/// Saves a judgement. Returns the reason of a failure.
pub type JudgementSaver<'t> = Box<dyn FnMut(&Judgement) -> Result<(), String> + 't>;

/// The pending question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// A probability.
    Number,
    /// The choice to read more or to stop.
    More,
    /// No question: the debate was judged.
    Over,
}

/// A finished debate, shown to another judge.
pub struct RejudgeScreen<'t> {
    case: &'t RejudgeCase,
    heard: HeardDebate<'t>,
    panels: DebatePanels,
    /// The number of this debate and the count of debates; may be empty.
    heading: String,
    keep: JudgementSaver<'t>,
    keys: &'t KeyMap<Action>,
    stage: Stage,
    answer: SliderWidget,
    /// The question in lines, if it has no source.
    question: Vec<Entry>,
    /// The text below the transcript: at the end, the result.
    notice: Vec<Entry>,
    notice_view: Scroll,
    /// New events in words that were not announced yet.
    news: Vec<String>,
    overlay: Overlay,
    leaving: bool,
    /// The areas of the transcript and of the slider.
    places: [Rect; 2],
    look: Appearance,
}

/// The part of the debate that was shown.
struct HeardDebate<'t> {
    rejudged: Rejudgement<'t>,
    facts: DebateFacts<'t>,
    /// The entries that were added since the last estimate.
    newest: Range<usize>,
}

impl<'t> HeardDebate<'t> {
    fn view(&self) -> Viewpoint<'_, 't> {
        Viewpoint {
            facts: &self.facts,
            state: self.rejudged.state(),
            log: self.rejudged.log(),
            reader: self.facts.reader,
            perspective: Perspective::NEUTRAL,
            newest: self.newest.clone(),
            marks: &[],
        }
    }
}

impl<'t> RejudgeScreen<'t> {
    /// Opens a debate at its first question to the judge. `heading`: the number of this debate and the count of
    /// debates.
    ///
    /// # Errors
    /// Returns an error if the moves do not follow from the rules.
    pub fn new(
        case: &'t RejudgeCase,
        rejudged: Rejudgement<'t>,
        heading: String,
        keep: JudgementSaver<'t>,
        keys: &'t KeyMap<Action>,
    ) -> Result<Self, Illegal> {
        let texts = case.setup.texts(case.instance.world());
        let facts = DebateFacts {
            title: texts.title,
            reader: Reader::JUDGING_ANEW,
            ..DebateFacts::new(&case.instance, &case.protocol)
        };
        let mut lines = case.question_without_result().into_iter();
        let mut question: Vec<Entry> = Vec::new();
        question.extend(
            lines
                .next()
                .map(|text| Entry::unlabelled(Role::Title, text)),
        );
        question.extend(lines.map(|text| Entry::unlabelled(Role::Text, text)));
        let about = &texts.about;
        question.push(Entry::unlabelled(Role::Faint, format!("\n{about}")));
        let heard = HeardDebate {
            rejudged,
            facts,
            newest: 0..0,
        };
        let mut rejudge = Self {
            case,
            panels: DebatePanels::new(&heard.view()),
            heard,
            heading,
            keep,
            keys,
            stage: Stage::Number,
            answer: SliderWidget::estimate(None, Vec::new()),
            question,
            notice: Vec::new(),
            notice_view: Scroll::fixed(0),
            news: case.question_without_result(),
            overlay: Overlay::default(),
            leaving: false,
            places: [Rect::ZERO; 2],
            look: Appearance::default(),
        };
        rejudge.go_on()?;
        Ok(rejudge)
    }

    /// Continues to the next estimate, or to the end if there is none.
    fn go_on(&mut self) -> Result<(), Illegal> {
        if let Some(newest) = self.heard.rejudged.advance_to_next_question()? {
            self.heard.newest = newest;
            self.stage = Stage::Number;
            self.answer = SliderWidget::estimate(None, Vec::new());
            let view = self.heard.view();
            let narrator = view.narrator(self.look.formula_script());
            let evidence = self
                .heard
                .rejudged
                .question_and_evidence(&narrator)
                .into_iter();
            let came = self
                .heard
                .rejudged
                .new_sentences_with_evidence(&narrator, view.newest.clone());
            self.notice = evidence
                .map(|text| Entry::unlabelled(Role::Text, text))
                .collect();
            let heading = format!("{}: {}.", self.heard.facts.title, self.place().join(", "));
            self.news.insert(0, heading);
            self.news.extend(came);
            self.news.push(self.case.probability_prompt().to_owned());
            // The new entries start at the top of the view.
            let view = self.heard.view();
            let entries = view.transcript(self.look.formula_script());
            self.panels
                .transcript
                .scroll
                .scroll_to_entry(&entries, view.newest.start);
        } else {
            self.end()?;
            let note = "The debate had no more rounds: your last number is your judgement.";
            self.panels.note = Some(note.to_owned());
        }
        self.panels.refresh(&self.heard.view());
        Ok(())
    }

    /// Submits the current number.
    fn send(&mut self) -> Result<(), Illegal> {
        let p = match self.answer.reply() {
            Ok(Reply::Probability(p)) => p,
            Ok(_) => return Ok(()),
            Err(missing) => {
                self.panels.note = Some(self.keys.with_key_names(&missing));
                return Ok(());
            }
        };
        self.heard.rejudged.record_probability(&p);
        if self.heard.rejudged.rounds_shown() == 0 {
            return self.go_on();
        }
        self.stage = Stage::More;
        self.notice = vec![self.number(&p)];
        self.news.push(screen_reader_text("", &self.notice));
        Ok(())
    }

    fn number(&self, p: &Exact) -> Entry {
        let note = format!("You said {}. ", percent(p.to_float()));
        let keys =
            "{hear-more} shows another round, if there is one; {hear-no-more} keeps this number.";
        let note = Entry::unlabelled(Role::Title, note);
        note.append_span(Role::Text, self.keys.with_key_names(keys))
    }

    /// Saves the judgement and shows everything.
    fn end(&mut self) -> Result<(), Illegal> {
        let case = self.case;
        let ended = self
            .heard
            .rejudged
            .end(&case.instance, &case.protocol, case.debate())?;
        self.stage = Stage::Over;
        self.heard.facts.reader = Reader::ALL;
        self.heard.newest = 0..0;
        self.notice = match ended {
            None => {
                let sentence =
                    "The right answer of this debate is unknown, so the judgement is not saved.";
                vec![Entry::unlabelled(Role::Warning, sentence)]
            }
            Some((made, theirs)) => {
                let lines = compare_judgements(case, &made, &theirs);
                let mut entries: Vec<Entry> = lines
                    .into_iter()
                    .map(|line| Entry::unlabelled(Role::Text, line))
                    .collect();
                if let Err(why) = (self.keep)(&made) {
                    let why = format!("Your judgement is not saved: {why}");
                    entries.insert(0, Entry::unlabelled(Role::Bad, why));
                }
                entries
            }
        };
        let debrief = case.setup.texts(case.instance.world()).debrief;
        if !debrief.is_empty() {
            self.notice.push(Entry::unlabelled(Role::Faint, debrief));
        }
        self.news.push(screen_reader_text("", &self.notice));
        self.notice_view = Scroll::fixed(0);
        Ok(())
    }

    fn context(&self) -> Contexts {
        match self.stage {
            Stage::Number => JUDGING,
            Stage::More => DECIDING,
            Stage::Over => JUDGED,
        }
    }

    /// Runs a step and shows an error as a note. The save was checked before, so no error is expected.
    fn go(&mut self, go: impl FnOnce(&mut Self) -> Result<(), Illegal>) {
        if let Err(illegal) = go(self) {
            self.panels.note = Some(format!("The debate cannot continue: {illegal}."));
        }
    }

    fn quit(&mut self) -> Effect<RejudgeOutcome> {
        if self.stage == Stage::Over {
            return Effect::Leave(RejudgeOutcome::Judged);
        }
        if self.leaving || self.heard.rejudged.has_no_judgement_yet() {
            return Effect::Leave(RejudgeOutcome::Left);
        }
        self.leaving = true;
        let key = self.keys.key_or_command_name(self.context(), Action::Quit);
        self.panels.note = Some(format!(
            "This debate is not fully judged. Press {key} again to leave it uncounted."
        ));
        Effect::None
    }

    /// Returns the number of this debate and the progress in it.
    fn place(&self) -> Vec<String> {
        let round = match (self.stage, self.heard.rejudged.rounds_shown()) {
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
        let right = self.place().join("   ") + " ";
        let room = usize::from(area.width).saturating_sub(measure::width(&right) + 2);
        let (title, ellipsis) = (&self.heard.facts.title, canvas.look.glyphs.ellipsis);
        let title = measure::clip(title, room.max(12), ellipsis);
        canvas.put(&format!(" {title}"), Role::Title, area);
        if room >= 12 {
            canvas.put_right(&right, Role::Faint, area);
        }
    }

    /// Returns the question to the judge, preceded by the debate's question if that has no separate panel.
    fn asked(&self, two_columns: bool) -> Vec<Entry> {
        let mut asked = Vec::new();
        if !two_columns && self.stage == Stage::Number {
            asked.extend(self.question.iter().take(3).cloned());
        }
        asked.extend(self.notice.iter().cloned());
        if self.stage == Stage::Number {
            asked.push(Entry::unlabelled(
                Role::Title,
                self.case.probability_prompt(),
            ));
        }
        asked
    }

    fn draw_asked(&mut self, asked: &[Entry], framed: bool, canvas: &mut Canvas<'_>, inner: Rect) {
        let slides = u16::from(self.stage == Stage::Number);
        let [text, row] = Layout::vertical([Fill(1), Length(slides)]).areas(inner);
        self.notice_view.draw(asked, &(0..0), framed, canvas, text);
        self.places[1] = row;
        if slides > 0 {
            self.answer.draw(canvas, row);
        }
    }
}

impl Screen for RejudgeScreen<'_> {
    type Outcome = RejudgeOutcome;

    fn render(&mut self, canvas: &mut Canvas<'_>, area: Rect) {
        let look = canvas.look;
        self.look = look;
        let [head, body, last] = page_areas(area);
        self.draw_title(canvas, head);
        let two_columns = area.width >= TWO;
        let framed = area.height >= 18;
        let asked = self.asked(two_columns);
        let columns = area.width.saturating_sub(2);
        let rows = measure::to_cells(measure_lines(&asked, columns));
        let (rows, most) = match self.stage {
            Stage::Over => (rows, body.height / 2),
            Stage::More => (rows, body.height / 3),
            Stage::Number => (rows.saturating_add(1), (body.height / 3).max(ASKED)),
        };
        let around = if framed { 2 } else { 1 };
        let below = rows.min(most) + around;
        let [upper, below] = Layout::vertical([Fill(1), Length(below)]).areas(body);
        let left = if two_columns {
            upper.width * 17 / 40
        } else {
            0
        };
        let [left, right] = Layout::horizontal([Length(left), Fill(1)]).areas(upper);
        let boxed = |title: &str, focused, canvas: &mut Canvas<'_>, area: Rect| {
            if framed {
                return canvas.draw_frame(title, focused, area);
            }
            let [head, inner] = Layout::vertical([Length(1), Fill(1)]).areas(area);
            canvas.put(title, Role::Title, head);
            inner
        };
        if two_columns {
            let source = self.panels.source.as_mut();
            let name = source.as_ref().map_or("Question", |source| source.name());
            let inner = boxed(name, false, canvas, left);
            if let Some(source) = source {
                source.draw(false, framed, canvas, inner);
            } else {
                Scroll::fixed(0).draw_text(&self.question, framed, canvas, inner);
            }
        }
        let inner = boxed("Transcript", false, canvas, right);
        self.places[0] = inner;
        let view = self.heard.view();
        let entries = view.transcript(look.formula_script());
        let newest = &view.newest;
        self.panels
            .transcript
            .draw(&entries, newest, framed, canvas, inner);
        let title = match self.stage {
            Stage::Number => "Your probability",
            Stage::More => "Your decision",
            Stage::Over => "Both judges",
        };
        let inner = boxed(title, true, canvas, below);
        self.draw_asked(&asked, framed, canvas, inner);
        self.panels.places.footer = last;
        self.panels.footer(self.keys, self.screen_context(), canvas);
    }

    fn screen_context(&self) -> ScreenContext {
        ScreenContext::of_panel(self.context(), self.panels.facts())
    }

    fn news(&mut self) -> Option<String> {
        let news = std::mem::take(&mut self.news);
        (!news.is_empty()).then(|| replace_unsafe_multiline(&news.join("\n")).into_owned())
    }

    fn screen_reader_text(&self) -> Option<String> {
        self.answer
            .in_words()
            .filter(|_| self.stage == Stage::Number)
    }

    fn parts(&mut self) -> ScreenParts<'_> {
        let is_typing = self.is_typing();
        ScreenParts::new(&mut self.overlay, self.keys, &mut self.panels.note).typing(is_typing)
    }

    fn act(&mut self, action: Action) -> Effect<RejudgeOutcome> {
        if action != Action::Quit {
            self.leaving = false;
        }
        match action {
            Action::Send => self.go(Self::send),
            Action::Onward if self.stage == Stage::Over => {
                return Effect::Leave(RejudgeOutcome::Next);
            }
            Action::Onward => self.go(Self::go_on),
            Action::Finish => {
                self.go(Self::end);
                self.panels.refresh(&self.heard.view());
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
            _ => self.panels.act(action, &self.heard.view()),
        }
        Effect::None
    }

    fn outcome_if_closed(&self) -> RejudgeOutcome {
        match self.stage {
            Stage::Over => RejudgeOutcome::Judged,
            _ => RejudgeOutcome::Left,
        }
    }

    fn input(&mut self, input: ScreenInput<'_>) -> Option<Effect<Self::Outcome>> {
        match input {
            ScreenInput::Typed(event) => self.type_key(event),
            ScreenInput::Unbound(event) => Some(self.other_key(event)),
            ScreenInput::Mouse(event) => Some(self.touch(event)),
            ScreenInput::Paste(text) => {
                self.pasted(text);
                None
            }
            ScreenInput::Palette(_) | ScreenInput::Signal => None,
        }
    }

    fn reference(&self) -> ScreenReference {
        ScreenReference {
            scenario: self.case.setup.about.clone(),
            ..ScreenReference::without_debate(self.screen_context())
        }
    }

    fn timer(&mut self) -> Option<&mut dyn Timer> {
        Some(self)
    }
}

impl Timer for RejudgeScreen<'_> {
    fn deadline(&self) -> Option<Instant> {
        self.panels.is_searching().then(Instant::now)
    }

    fn wake(&mut self) {
        self.panels.continue_search(&self.heard.view());
    }
}

impl RejudgeScreen<'_> {
    fn type_key(&mut self, event: KeyEvent) -> Option<Effect<RejudgeOutcome>> {
        let typed = self.panels.type_key(&self.heard.view(), event);
        typed.then_some(Effect::None)
    }

    fn other_key(&mut self, event: KeyEvent) -> Effect<RejudgeOutcome> {
        self.leaving = false;
        if self.stage == Stage::Number {
            other_key(&mut self.answer, event);
        }
        Effect::None
    }

    fn touch(&mut self, event: MouseEvent) -> Effect<RejudgeOutcome> {
        let at = Position::new(event.column, event.row);
        if let Some(lines) = wheel_lines(event.kind) {
            if self.places[0].contains(at) {
                self.panels.scroll(&self.heard.view(), lines);
            } else {
                self.notice_view.scroll(&self.notice[..], lines);
            }
        } else if matches!(
            event.kind,
            MouseEventKind::Down(MouseButton::Left) | MouseEventKind::Drag(MouseButton::Left)
        ) && self.stage == Stage::Number
        {
            let area = self.places[1];
            self.answer.input(WidgetInput::Click { at, area });
        }
        Effect::None
    }

    fn pasted(&mut self, text: &str) {
        if self.panels.is_typing() {
            self.panels.paste(text);
        } else if self.stage == Stage::Number {
            paste(&mut self.answer, text);
        }
    }

    fn is_typing(&self) -> bool {
        self.panels.is_typing()
    }
}
