//! Two debates side by side: the same instance and the same coins under two sets of rules or with two sets of players,
//! with the mean result of each.

use crate::tui::widget::Canvas;
use std::time::Instant;

use ratatui::crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Constraint::{Fill, Length};
use ratatui::layout::{Layout, Position as Point, Rect};

use super::replay::ReplayPosition;
use super::tasks::{MEASURED_DEBATE_COUNT, estimate_measure_entries, start_trial_debates};
use crate::tui::actions::{KeyMap, ScreenKeyContext};
use crate::tui::background::{BackgroundTaskState, next_progress_report};
use crate::tui::keys::{Action, COMPARE, COMPUTING, PLAYING, RUNNING, wheel_lines};
use crate::tui::panel::{DebatePanels, TranscriptPanel};
use crate::tui::scene::Autoplay;
use crate::tui::scene::DebateScreenContext;
use crate::tui::screen::{
    BorrowedScreenParts, Screen, ScreenBase, ScreenEffect, ScreenHelpAndReproduction,
    ScreenWithTimedUpdates, UnmappedScreenInput, page_areas,
};
use crate::tui::theme::{ScreenAppearance, TextRole};
use crate::tui::widget::measure;
use crate::tui::widget::scroll::{Entry, Scroll, measure_lines};
use debate_core::protocol::{Rules as _, Seat};
use debate_core::text::count_with_noun;
use debate_host::record::SavedDebateWithCursor;
use debate_solver::analysis::review::{DebateReview, PayoffsWithReplacedPlayers};
use debate_text::{
    FormulaCharacterSet, PayoffFormatter, capitalized, report, review, with_thousands_separators,
};

/// Minimum width of the screen at which both compared debates are shown.
const MIN_WIDTH_FOR_BOTH: u16 = 76;
/// Divisor that limits the outcome's height: at most the screen's rows divided by this number.
const OUTCOME_ROW_DIVISOR: u16 = 2;
/// Minimum height of the screen at which a strip shows each debate's rewards.
const MIN_HEIGHT_FOR_STRIP: u16 = 18;
/// Columns for the labels in a debate's outcome.
const LABEL_COLUMNS: u16 = 9;

/// One of the two finished debates that are compared.
pub struct ComparedDebate<'a> {
    /// All moves of the debate.
    pub history: SavedDebateWithCursor<'a>,
    /// The facts about the debate from which the screen draws.
    pub scene: DebateScreenContext<'a>,
}

/// Two compared debates whose payoffs are shown in the same unit.
pub struct ComparedDebatePair<'a>([ComparedDebate<'a>; 2]);

impl<'a> ComparedDebatePair<'a> {
    /// Pairs two debates. Both are shown in the same unit: the point of the debate whose point has the smaller value.
    /// No stake is then below one point.
    pub fn new(mut sides: [ComparedDebate<'a>; 2]) -> Self {
        let points = sides.each_ref().map(|side| {
            let amounts = PayoffFormatter::formatter_in_points_of_schedule(
                &side.history.state_at_cursor().schedule(),
            );
            amounts.point.clone()
        });
        let least = points.into_iter().min();
        for side in &mut sides {
            side.scene.facts.point.clone_from(&least);
        }
        Self(sides)
    }
}

/// One of the compared debates, as a column of the screen.
struct DebateColumn<'c, 'a> {
    position: ReplayPosition<'c, 'a>,
    panels: DebatePanels,
    transcript: TranscriptPanel,
    outcome: Scroll,
    trials: BackgroundTaskState<PayoffsWithReplacedPlayers>,
    /// The computation of measures of this debate's estimates.
    measures: BackgroundTaskState<DebateReview>,
    /// True if the other debate has other rules and other players.
    has_other_players: bool,
}

/// The state of the comparison screen.
pub struct CompareScreen<'c, 'a> {
    sides: [DebateColumn<'c, 'a>; 2],
    /// The index of the panel that the keys scroll: transcript and outcome of the first debate, then those of the
    /// second. If only one debate fits on the screen, the debate of this panel is shown.
    focus: usize,
    base: ScreenBase<'c>,
    autoplay: Autoplay,
    /// The areas of the panels.
    panel_areas: [Rect; 4],
}

/// Starts to measure the estimates of a debate. Returns an idle task under rules without estimates, and if the screen
/// has no data for such computations.
fn start_measures(debate: &ComparedDebate<'_>) -> BackgroundTaskState<DebateReview> {
    let values = debate.scene.values.as_ref();
    let Some(values) = values.filter(|values| values.case.is_rated_by_consistency(Seat::Opponent))
    else {
        return BackgroundTaskState::Idle;
    };
    let case = values.case.clone();
    let moves = debate.history.moves_never_undone();
    BackgroundTaskState::start(&values.waker, move |_| {
        case.review_moves_without_faults(&moves)
    })
}

impl<'c, 'a> DebateColumn<'c, 'a> {
    fn new(debate: &'c ComparedDebate<'a>, has_other_players: bool) -> Self {
        let position =
            ReplayPosition::replay_position_at_start(debate.history.clone(), &debate.scene);
        Self {
            panels: DebatePanels::new(&position.view()),
            position,
            transcript: TranscriptPanel::default(),
            outcome: Scroll::at_start_without_following(LABEL_COLUMNS),
            trials: debate
                .scene
                .values
                .as_ref()
                .map_or(BackgroundTaskState::Idle, |values| {
                    start_trial_debates(values, &[])
                }),
            measures: start_measures(debate),
            has_other_players,
        }
    }

    fn scene(&self) -> &'c DebateScreenContext<'a> {
        self.position.scene
    }

    /// Returns the mean over many debates with the same rules and players. At the debate's end, adds the debate's
    /// outcome, else the number of remaining moves.
    fn outcome_entries(&self, look: &ScreenAppearance) -> Vec<Entry> {
        let mut entries = Vec::new();
        if self.position.is_at_end() {
            let ledger = self.position.history.state_at_cursor().ledger();
            let view = self.position.view();
            let rewards = &self.panels.rewards;
            let amounts = self
                .panels
                .amount_format(&view)
                .with_script(look.formula_script());
            let mut outcome = report::outcome_lines(&view, rewards, ledger, &amounts);
            // The mean follows the payoff, because one debate proves little. The costs come last.
            let spent = outcome.pop();
            let reasons = outcome.split_off(1);
            entries.extend(outcome);
            entries.extend(self.mean_entries());
            entries.extend(reasons);
            if let BackgroundTaskState::Done(Ok(measures)) = &self.measures {
                entries.extend(estimate_measure_entries("Play", measures, &amounts));
            }
            entries.extend(self.players_entry());
            entries.extend(spent);
        } else {
            // One debate proves little, so the mean comes first.
            entries.extend(self.mean_entries());
            entries.extend(self.players_entry());
            let remaining = self.position.step_count() - self.position.steps_before_position();
            let status = format!("{} left.", count_with_noun(remaining, "move", "moves"));
            entries.push(Entry::new("Now", TextRole::Title, status));
        }
        entries
    }

    /// Returns the reason why the two debates have different players. `None` if they have the same players or the same
    /// rules.
    fn players_entry(&self) -> Option<Entry> {
        let reason = "each set of rules has its own moves, so it also has its own players.";
        let players = Entry::new("Players", TextRole::Title, "");
        self.has_other_players
            .then(|| players.append_span(TextRole::Faint, reason))
    }

    /// Returns lines with the mean payoff over many debates with the same rules and players. They state instead that
    /// the debates are being played, or why the mean is unknown.
    fn mean_entries(&self) -> Vec<Entry> {
        let mut entries = Vec::new();
        match &self.trials {
            BackgroundTaskState::Idle => {}
            BackgroundTaskState::Running(_) => {
                let status = format!(
                    "playing {count} debates",
                    count = with_thousands_separators(MEASURED_DEBATE_COUNT.into())
                );
                entries.push(
                    Entry::new("Average", TextRole::Title, "").append_span(TextRole::Faint, status),
                );
            }
            BackgroundTaskState::Done(Ok(trials)) => {
                let amounts = self.panels.amount_format(&self.position.view());
                let facts = &self.scene().facts;
                let mut lines = review::trial_result_sentences(
                    facts.instance,
                    facts.kind,
                    &trials.pair,
                    &amounts,
                );
                // The title names the players, and a small screen shows only the first lines.
                lines.rotate_left(1);
                let labels = std::iter::once("Average").chain(std::iter::repeat(""));
                let labelled = labels.zip(lines);
                entries
                    .extend(labelled.map(|(label, line)| Entry::new(label, TextRole::Title, line)));
            }
            BackgroundTaskState::Done(Err(why)) => {
                let status = format!("unknown: {why}");
                entries.push(
                    Entry::new("Average", TextRole::Title, "").append_span(TextRole::Faint, status),
                );
            }
        }
        entries
    }

    fn title(&self) -> String {
        let facts = &self.scene().facts;
        format!(
            "{}: {}",
            facts.kind.protocol_name(),
            facts.players.join(", ")
        )
    }

    /// Returns the title for a frame of this width. The title leaves out the players if they do not fit.
    fn fitting_title(&self, columns: u16) -> String {
        let title = self.title();
        if measure::width(&title) + 4 > columns.into() {
            return self.scene().facts.kind.protocol_name().to_owned();
        }
        title
    }

    /// Returns the progress of the debate and its last move in words.
    fn in_words(&self) -> String {
        let position = &self.position;
        let view = position.view();
        let last = if view.log.entries().is_empty() {
            "No moves yet.".to_owned()
        } else {
            let look = ScreenAppearance::default();
            view.transcript(look.formula_script()).newest_step_line()
        };
        let at = position.steps_before_position();
        let all = position.step_count();
        format!(
            "{title}, move {step} of {step_count}: {last_move}",
            title = self.title(),
            step = at,
            step_count = all,
            last_move = last
        )
    }

    /// Draws the transcript of a debate, with the outcome below it. Returns the areas of both.
    fn draw(
        &mut self,
        focused: [bool; 2],
        rows: u16,
        canvas: &mut Canvas<'_>,
        area: Rect,
    ) -> [Rect; 2] {
        let look = canvas.look;
        let strip = if area.height < MIN_HEIGHT_FOR_STRIP {
            0
        } else {
            2
        };
        let rows = [Fill(1), Length(strip), Length(rows)];
        let [mut upper, between, lower] = Layout::vertical(rows).areas(area);
        // Without a strip both frames share a border.
        upper.height += u16::from(strip == 0 && lower.height > 0);
        let transcript_area =
            canvas.draw_frame(&self.fitting_title(upper.width), focused[0], upper);
        let view = self.position.view();
        let entries = self.panels.entries(&view, look.formula_script());
        self.transcript
            .draw(&entries, &view.newest, true, canvas, transcript_area);
        if view.log.entries().is_empty() {
            // Before the first entry, the rules are shown here.
            let texts = self.scene().facts.kind.protocol_texts();
            let columns = usize::from(transcript_area.width);
            let fits =
                measure::wrap(texts.rules, columns).len() <= usize::from(transcript_area.height);
            let rules = if fits {
                texts.rules.to_owned()
            } else {
                format!("{}.", capitalized(texts.about))
            };
            canvas.draw_text_wrapped(&rules, TextRole::Faint, transcript_area);
        }
        if strip > 0 {
            let between = measure::skip_columns(between, 1);
            self.panels.draw_reward_strip(&view, canvas, between);
        }
        let inner = canvas.draw_frame("Outcome", focused[1], lower);
        let entries = self.outcome_entries(&look);
        self.outcome
            .draw(&entries[..], &(0..0), true, canvas, inner);
        [transcript_area, inner]
    }
}

impl<'c, 'a> CompareScreen<'c, 'a> {
    /// Opens the screen with both debates at their start.
    pub fn new(pair: &'c ComparedDebatePair<'a>, keys: &'c KeyMap<Action>) -> Self {
        let [first, second] = pair.0.each_ref().map(|debate| &debate.scene);
        let has_other_players =
            first.facts.kind != second.facts.kind && first.facts.players != second.facts.players;
        Self {
            sides: (pair.0.each_ref()).map(|debate| DebateColumn::new(debate, has_other_players)),
            focus: 0,
            base: ScreenBase::new(keys),
            autoplay: Autoplay::new(first.tempo.without_autoplay(), &first.time),
            panel_areas: [Rect::ZERO; 4],
        }
    }

    /// Applies `change` to the position of each debate, updates both debates' panels and schedules autoplay.
    fn change_both(&mut self, change: impl Fn(&mut ReplayPosition<'c, 'a>)) {
        for side in &mut self.sides {
            change(&mut side.position);
            side.position.update_panels_to_position(&mut side.panels);
        }
        self.schedule_autoplay();
    }

    /// Returns texts for the title line that say what the debates have in common, the longest one first. If rules and
    /// players differ, the last text names only this difference.
    fn subtitles(&self) -> Vec<String> {
        let seed = &self.sides[0].scene().facts.seed;
        let who_plays = "programs play every seat";
        if !self.sides[0].has_other_players {
            return vec![format!(
                "the same instance and coins; {who_plays}   seed {seed} "
            )];
        }
        let difference = "other rules, so other players";
        vec![
            format!("the same instance and coins; {difference}; {who_plays}   seed {seed} "),
            format!("the same instance and coins; {difference}   seed {seed} "),
            format!("{difference} "),
        ]
    }

    fn is_over(&self) -> bool {
        self.sides.iter().all(|side| side.position.is_at_end())
    }

    fn schedule_autoplay(&mut self) {
        let over = self.is_over();
        if over {
            self.autoplay.stop_autoplay();
        }
        self.autoplay.schedule_move(!over);
    }

    fn is_computing(&self) -> bool {
        self.sides.iter().any(|side| side.trials.is_running())
    }

    /// Scrolls a panel by lines.
    fn scroll(&mut self, panel: usize, lines: isize) {
        let side = &mut self.sides[panel / 2];
        if panel % 2 == 1 {
            let entries = side.outcome_entries(&ScreenAppearance::default());
            side.outcome.scroll(&entries[..], lines);
            return;
        }
        let view = side.position.view();
        let entries = side.panels.entries(&view, FormulaCharacterSet::default());
        side.transcript.scroll.scroll(&entries, lines);
    }
}

impl Screen for CompareScreen<'_, '_> {
    type Outcome = ();

    fn render(&mut self, canvas: &mut Canvas<'_>, area: Rect) {
        let look = canvas.look;
        for side in &mut self.sides {
            side.trials.poll();
            side.measures.poll();
        }
        let facts = &self.sides[0].scene().facts;
        let [head, body, last] = page_areas(area);
        let title = format!(" {}", facts.title);
        canvas.draw_text_line(&title, TextRole::Title, head);
        let room = usize::from(area.width).saturating_sub(measure::width(&title) + 2);
        let mut subtitles = self.subtitles().into_iter();
        if let Some(right) = subtitles.find(|text| measure::width(text) < room) {
            canvas.draw_text_right_aligned(&right, TextRole::Faint, head);
        }
        let columns = Layout::horizontal([Length(body.width / 2), Fill(1)]);
        let [mut left, right] = columns.areas(body);
        // The two halves share a border.
        left.width += 1;
        let both = area.width >= MIN_WIDTH_FOR_BOTH;
        let halves = if both { [left, right] } else { [body, body] };
        let outcome_rows = |side: &DebateColumn<'_, '_>, area: Rect| {
            let columns = area.width.saturating_sub(2 + LABEL_COLUMNS);
            measure_lines(&side.outcome_entries(&look), columns) + 2
        };
        // Both halves have the same number of rows, so that they can be compared line by line.
        let rows = (self.sides.iter().zip(halves))
            .map(|(side, area)| outcome_rows(side, area))
            .max()
            .unwrap_or(0);
        let rows = measure::to_u16_saturating(rows).min(body.height / OUTCOME_ROW_DIVISOR);
        for (number, area) in halves.into_iter().enumerate() {
            let focused = [0, 1].map(|part| self.focus == 2 * number + part);
            let mut panel_areas = [Rect::ZERO; 2];
            if both || focused.contains(&true) {
                panel_areas = self.sides[number].draw(focused, rows, canvas, area);
            }
            self.panel_areas[2 * number..][..2].copy_from_slice(&panel_areas);
        }
        self.base.draw_footer(self.screen_context(), canvas, last);
    }

    fn screen_context(&self) -> ScreenKeyContext {
        ScreenKeyContext::of_single_panel(
            COMPARE,
            RUNNING.only_if(!self.is_over())
                | PLAYING.only_if(self.autoplay.is_autoplay_on())
                | COMPUTING.only_if(self.is_computing()),
        )
    }

    fn screen_reader_text(&self) -> Option<String> {
        let sides = self.sides.each_ref().map(DebateColumn::in_words);
        let (title, sides) = (&self.sides[0].scene().facts.title, sides.join("\n"));
        Some(format!("{title}\nTwo debates.\n{sides}"))
    }

    fn shared_parts(&mut self) -> BorrowedScreenParts<'_> {
        self.base.shared_parts()
    }

    fn act(&mut self, action: Action) -> ScreenEffect<()> {
        match action {
            Action::Back => {
                // Only the longer debate goes back until both are at the same move.
                let furthest = self
                    .sides
                    .iter()
                    .map(|side| side.position.steps_before_position())
                    .max();
                let to = furthest.unwrap_or(0).saturating_sub(1);
                self.change_both(|position| {
                    position.go_to_step(position.steps_before_position().min(to));
                });
            }
            Action::Auto | Action::Faster | Action::Slower => {
                if action == Action::Auto && self.is_over() && !self.autoplay.is_autoplay_on() {
                    self.change_both(|position| position.go_to_step(0));
                }
                let note = self.autoplay.apply_autoplay_action(action, "{play}");
                self.base.note = Some(self.base.keys.with_key_names(&note));
                self.schedule_autoplay();
            }
            Action::NextPanel => self.focus = (self.focus + 1) % 4,
            Action::PreviousPanel => self.focus = (self.focus + 3) % 4,
            Action::Stop | Action::Quit => return ScreenEffect::Leave(()),
            _ => {
                let side = &self.sides[self.focus / 2];
                let scrolls = [&side.transcript.scroll, &side.outcome];
                let page = scrolls[self.focus % 2].lines_per_page_key();
                match action.scroll_lines(page) {
                    Some(lines) => self.scroll(self.focus, lines),
                    None => self.change_both(|position| position.move_by_timeline_action(action)),
                }
            }
        }
        ScreenEffect::None
    }

    fn input(&mut self, input: UnmappedScreenInput<'_>) -> Option<ScreenEffect<Self::Outcome>> {
        match input {
            UnmappedScreenInput::Mouse(event) => Some(self.handle_mouse(event)),
            UnmappedScreenInput::Typed(_)
            | UnmappedScreenInput::Unbound(_)
            | UnmappedScreenInput::Paste(_)
            | UnmappedScreenInput::Palette(_)
            | UnmappedScreenInput::Signal => None,
        }
    }

    fn reference(&self) -> ScreenHelpAndReproduction {
        let shown = &self.sides[self.focus / 2];
        ScreenHelpAndReproduction {
            scenario: self.sides[0].scene().facts.about.clone(),
            reproduction: Some(shown.scene().reproduction(true)),
            ..ScreenHelpAndReproduction::help_with_purpose_of_focused_panel(self.screen_context())
        }
    }

    fn timer(&mut self) -> Option<&mut dyn ScreenWithTimedUpdates> {
        Some(self)
    }
}

impl ScreenWithTimedUpdates for CompareScreen<'_, '_> {
    fn deadline(&self) -> Option<Instant> {
        let now = self.autoplay.now();
        let look = self.is_computing().then(|| next_progress_report(now));
        [self.autoplay.next_move_time(), look]
            .into_iter()
            .flatten()
            .min()
    }

    fn wake(&mut self) {
        if self.autoplay.is_autoplay_move_due() || !self.is_computing() {
            self.change_both(|position| position.move_by_timeline_action(Action::Forward));
        }
    }
}

impl CompareScreen<'_, '_> {
    fn handle_mouse(&mut self, event: MouseEvent) -> ScreenEffect<()> {
        let at = Point::new(event.column, event.row);
        let Some(panel) = self.panel_areas.iter().position(|area| area.contains(at)) else {
            return ScreenEffect::None;
        };
        if let Some(lines) = wheel_lines(event.kind) {
            self.scroll(panel, lines);
        } else if event.kind == MouseEventKind::Down(MouseButton::Left) {
            self.focus = panel;
        }
        ScreenEffect::None
    }
}
