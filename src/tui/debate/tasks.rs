//! Background computations for a debate's screen: the review of the debate, the mean result of many debates between the
//! same players, and the result of a daily debate.
//!
//! Each task runs on a separate thread, owns its data, and wakes the screen when its result is ready. Only while a task
//! runs, the screen is redrawn a few times a second to show the progress.

use std::path::Path;

use num_traits::{Signed as _, Zero as _};

use crate::tui::widget::Canvas;
use ratatui::crossterm::event::{KeyEvent, MouseEvent};
use ratatui::layout::Rect;

use crate::tui::actions::{Contexts, Facts, KeyMap, KeyPress};
use crate::tui::background::{BackgroundTaskState, progress_text};
use crate::tui::keys::{
    Action, HELP, MISTAKEN, REVIEW, UNREAD, VALUED, WATCH, opens_help, scroll_text, wheel_lines,
};
use crate::tui::panel::DebatePanels;
use crate::tui::scene::HintAndReviewInputs;
use crate::tui::theme::TextRole;
use crate::tui::widget::scroll::{Entry, Scroll, screen_reader_text};
use debate_core::budget::ComputationBudget;
use debate_core::chance::Seed;
use debate_core::number::{Exact, Number as _, format_percent, format_rounded_with_sign};
use debate_core::player::{
    DebateTimeline, Move, player_in_plain_words, player_name_without_arguments,
    seated_player_in_plain_words,
};
use debate_core::protocol::{ProtocolKind, Rules as _, Seat};
use debate_host::plan::daily_debate_result_lines;
use debate_solver::analysis::review::{
    DebateReview, ManyDebatesPayoffs, MoveReview, PayoffsWithReplacedPlayers, ReviewContext,
    ReviewError,
};
use debate_text::{
    DebateViewpoint, FormulaCharacterSet, PayoffFormatter, ReplyRemark, ViewerPerspective, report,
    review, with_thousands_separators,
};

/// The number of debates that are played to measure the mean payoff of a pair of players.
pub const MEASURED_DEBATE_COUNT: u32 = 1000;

/// Returns the full report of a finished debate, which the review page shows below the mistakes.
pub fn full_debate_report(
    view: &DebateViewpoint<'_, '_>,
    panels: &DebatePanels,
    timeline: &DebateTimeline<'_, Exact>,
    amounts: &PayoffFormatter,
) -> Vec<Entry> {
    let is_bets = view.facts.kind == ProtocolKind::ProverEstimator;
    let payoff = view.state.payoff();
    let result = Some(amounts.payoff_sentence_of_log(view.log, &payoff, is_bets));
    let spending = timeline.spending_by_seat();
    report::debate_report(view, &panels.rewards, &spending, result, amounts)
}

/// Starts [`MEASURED_DEBATE_COUNT`] debates between the same players on a separate thread. For comparison, plays as
/// many with the user's own estimates from `moves`, if there are any, and with an honest prover unless the prover is
/// honest.
pub fn start_trial_debates(
    values: &HintAndReviewInputs,
    moves: &[Move<Exact>],
) -> BackgroundTaskState<PayoffsWithReplacedPlayers> {
    let moves = moves.to_vec();
    let (review_context, seed): (ReviewContext, Seed) = (values.case.clone(), values.seed.clone());
    BackgroundTaskState::start(&values.waker, move |signals| {
        let watch = ComputationBudget {
            stop: Some(&signals.cancel),
            ..ComputationBudget::default()
        };
        review_context.trials(
            &moves,
            &seed,
            MEASURED_DEBATE_COUNT,
            watch,
            &|trial_count| {
                signals.report_progress(trial_count.into());
            },
        )
    })
}

/// The computations about a debate as a whole, and the page that shows their results.
#[derive(Debug)]
pub struct ReviewTasks {
    values: Option<HintAndReviewInputs>,
    review: BackgroundTaskState<DebateReview>,
    trials: BackgroundTaskState<PayoffsWithReplacedPlayers>,
    /// The computation of the lines that are shown at the end of a daily debate.
    daily: BackgroundTaskState<Vec<String>>,
    /// The number of debates that are played for the page about many debates.
    trial_count: u32,
    /// The format of amounts for the viewer.
    amounts: PayoffFormatter,
    /// The page with results that is shown over the screen, if any.
    pub page: Option<ReviewOrAveragesPage>,
    /// The index of the fault that is marked on the review page.
    marked: usize,
    /// The part of the debate's report that is shown below the list of faults.
    report: Vec<Entry>,
    /// The titles of the review page: without a mistake to go to, and with one.
    review_titles: [String; 2],
    /// The label of the key that cancels a computation.
    stop_key: String,
    /// The label of the key that closes a page with results.
    close_key: String,
}

/// The result of pressing a key while a page is shown over the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultsPageKeyResult {
    /// The key was handled.
    Done,
    /// An action that every screen has; the screen carries it out.
    Perform(Action),
    /// Show the debate's position before the move with this number.
    Show(usize),
    /// The user wants to play the debate again from before the move with this number.
    TryAgain(usize),
}

impl ReviewTasks {
    /// Creates the tasks of a debate; none of them runs. `keys` names the keys in messages.
    pub fn new(
        values: Option<&HintAndReviewInputs>,
        amounts: PayoffFormatter,
        keys: &KeyMap<Action>,
    ) -> Self {
        Self {
            amounts,
            stop_key: keys.key_or_command_name(WATCH, Action::Stop),
            close_key: keys.key_or_command_name(REVIEW, Action::Close),
            values: values.cloned(),
            review: BackgroundTaskState::Idle,
            trials: BackgroundTaskState::Idle,
            daily: BackgroundTaskState::Idle,
            trial_count: 0,
            page: None,
            marked: 0,
            report: Vec::new(),
            review_titles: Default::default(),
        }
    }

    /// True if this screen has the inputs for the review and for the mean result of many debates.
    pub fn has_inputs_for_values(&self) -> bool {
        self.values.is_some()
    }

    /// True if the review or the debates for the mean result are running.
    pub fn has_running_review_tasks(&self) -> bool {
        self.review.is_running() || self.trials.is_running()
    }

    /// Starts the review of the debate with these moves, unless it was started before.
    pub fn start_review(&mut self, moves: &[Move<Exact>]) {
        let (Some(values), BackgroundTaskState::Idle) = (&self.values, &self.review) else {
            return;
        };
        let review_context = values.case.clone();
        let moves = moves.to_vec();
        self.review = BackgroundTaskState::start(&values.waker, move |signals| {
            review_context.review_moves(&moves, signals.cancellable_search_budget())
        });
    }

    /// Starts to read the save of a finished daily debate, and the other saves in its folder, unless this was started
    /// before.
    pub fn start_reading_daily_result(&mut self, path: Option<&Path>) {
        let (Some(values), Some(path), BackgroundTaskState::Idle) =
            (&self.values, path, &self.daily)
        else {
            return;
        };
        let path = path.to_owned();
        self.daily = BackgroundTaskState::start(&values.waker, move |_| {
            Ok(daily_debate_result_lines(&path))
        });
    }

    /// Returns the line `Share` of the report on a finished daily debate. `None` until the save has been read, and for
    /// other debates.
    pub fn daily_result_line(&self) -> Option<Entry> {
        let BackgroundTaskState::Done(Ok(lines)) = &self.daily else {
            return None;
        };
        (!lines.is_empty()).then(|| Entry::new("Share", TextRole::Title, lines.join(" ")))
    }

    /// Starts the debates for the mean result, or restarts them if they were stopped or failed.
    fn start_trials(&mut self, moves: &[Move<Exact>]) {
        let stopped = matches!(
            self.trials,
            BackgroundTaskState::Idle | BackgroundTaskState::Done(Err(_))
        );
        let (Some(values), true) = (&self.values, stopped) else {
            return;
        };
        self.trial_count = values
            .case
            .simulated_debate_count(moves, MEASURED_DEBATE_COUNT);
        self.trials = start_trial_debates(values, moves);
    }

    /// Collects the results of finished computations and updates the open page. Replaces `reply_remarks` by the remarks
    /// on replies when the review is finished. Returns true if a result has arrived.
    pub fn poll_review_results(&mut self, reply_remarks: &mut Vec<ReplyRemark>) -> bool {
        let reviewed = self.review.poll();
        if let Some((review_context, review)) = self.reviewed().filter(|_| reviewed) {
            *reply_remarks = fault_marks(review_context, review, &self.amounts);
        }
        let has_results = self.trials.poll() | self.daily.poll() || reviewed;
        if self.page.is_some() {
            self.write_page();
        }
        has_results
    }

    /// Returns the open page as a text for screen readers. `None` if no page is open, and during a computation, because
    /// the page then changes all the time.
    pub fn text_of_open_page_for_screen_reader(&self) -> Option<String> {
        let page = self
            .page
            .as_ref()
            .filter(|_| !self.has_running_review_tasks())?;
        Some(screen_reader_text(&page.title, &page.entries))
    }

    /// Sets the format of amounts and writes the open page again.
    pub fn set_amounts(&mut self, amounts: PayoffFormatter) {
        self.amounts = amounts;
        self.write_page();
    }

    /// Cancels the review and the debates for the mean result if they are running.
    pub fn cancel_computations(&mut self) {
        self.review.cancel();
        self.trials.cancel();
    }

    /// Opens the page about the averages of many debates.
    pub fn open_page_on_many_debates(&mut self, moves: &[Move<Exact>]) {
        self.start_trials(moves);
        self.page = Some(ReviewOrAveragesPage::new(
            format!("Averages of many debates: {} closes", self.close_key),
            ResultsPageSubject::Many,
        ));
        self.write_page();
    }

    /// Marks a fault on the review page: the last one at or before the move with this number, or else the earliest one.
    pub fn select_last_mistake_up_to_move(&mut self, move_number: usize) {
        let mistakes = self.greatest_mistake_move_numbers().unwrap_or_default();
        let before = mistakes
            .iter()
            .filter(|mistake| **mistake <= move_number)
            .max();
        let near = before.or_else(|| mistakes.iter().min());
        let index = near.and_then(|near| mistakes.iter().position(|mistake| mistake == near));
        self.marked = index.unwrap_or(0);
    }

    /// Opens the review page, which lists faults. `report` is the part of the debate's report that is shown below them.
    pub fn open_review(
        &mut self,
        moves: &[Move<Exact>],
        keys: &KeyMap<Action>,
        report: Vec<Entry>,
    ) {
        self.report = report;
        if matches!(self.review, BackgroundTaskState::Done(Err(_))) {
            self.review = BackgroundTaskState::Idle;
        }
        self.start_review(moves);
        let [open_key, retry_key, close_key] = [Action::Open, Action::TryAgain, Action::Close]
            .map(|action| keys.key_or_command_name(REVIEW, action));
        self.review_titles = [
            format!("Review: {close_key} closes"),
            format!(
                "Review: {open_key} goes to a mistake, {retry_key} retries it, {close_key} closes"
            ),
        ];
        let title = self.review_titles[0].clone();
        self.page = Some(ReviewOrAveragesPage::new(title, ResultsPageSubject::Review));
        self.write_page();
    }

    /// Closes the open page and cancels the debates for the mean result.
    pub fn close_results_page(&mut self) {
        self.page = None;
        self.trials.cancel();
    }

    /// Returns the numbers of the moves with a user's greatest mistakes: at most three that lost payoff, the greatest
    /// loss first, then at most three others. `None` if the review is not finished.
    pub fn greatest_mistake_move_numbers(&self) -> Option<Vec<usize>> {
        let (_, review) = self.reviewed()?;
        Some(review.moves_with_greatest_faults())
    }

    /// Returns the inputs and the result of the review, if it is finished.
    fn reviewed(&self) -> Option<(&ReviewContext, &DebateReview)> {
        match (&self.review, &self.values) {
            (BackgroundTaskState::Done(Ok(review)), Some(values)) => Some((&values.case, review)),
            _ => None,
        }
    }

    /// True unless a finished review found no mistake. Also true if the review has failed or cannot run.
    pub fn may_have_mistakes(&self) -> bool {
        self.greatest_mistake_move_numbers()
            .is_none_or(|mistakes| !mistakes.is_empty())
    }

    /// Returns the facts that decide which actions are available. `may_see_hints` is true if the viewer may see hints.
    pub fn facts_for_keys(&self, may_see_hints: bool) -> Facts {
        let page = self.page.as_ref();
        let is_long = page.is_some_and(|page| !page.scroll.is_scrolled_to_end(&page.entries[..]));
        VALUED.only_if(may_see_hints && self.has_inputs_for_values())
            | MISTAKEN.only_if(self.may_have_mistakes())
            | UNREAD.only_if(is_long)
    }

    /// Returns a sentence on the better reply if the move with this number is one of the greatest mistakes. `None` for
    /// other moves and until the review is finished.
    pub fn better_reply_text_of_greatest_fault(&self, move_number: usize) -> Option<String> {
        let (review_context, review) = self.reviewed()?;
        let step = review.steps.get(move_number)?;
        let is_listed = review.moves_with_greatest_faults().contains(&move_number);
        review::fault_sentence(review_context, step, &self.amounts).filter(|_| is_listed)
    }

    /// Returns the key contexts of the page over the screen.
    pub fn open_page_key_contexts(&self) -> Option<Contexts> {
        Some(match self.page.as_ref()?.subject {
            ResultsPageSubject::Many => HELP,
            ResultsPageSubject::Review => REVIEW,
        })
    }

    /// Passes a key to the page over the screen. Returns `None` if no page is open.
    pub fn pass_key_to_page(
        &mut self,
        keys: &KeyMap<Action>,
        event: KeyEvent,
    ) -> Option<ResultsPageKeyResult> {
        let context = self.open_page_key_contexts()?;
        if context == HELP && opens_help(keys, event.into()) {
            return Some(ResultsPageKeyResult::Perform(Action::Help));
        }
        match keys.action_of_key(context, self.facts_for_keys(true), KeyPress::from(event)) {
            Some(Action::Close) => self.close_results_page(),
            Some(action @ (Action::Suspend | Action::Help | Action::Palette)) => {
                return Some(ResultsPageKeyResult::Perform(action));
            }
            Some(Action::Above) => self.mark(-1),
            Some(Action::Below) => self.mark(1),
            Some(Action::Open) => return Some(self.marked_mistake(ResultsPageKeyResult::Show)),
            Some(Action::TryAgain) => {
                return Some(self.marked_mistake(ResultsPageKeyResult::TryAgain));
            }
            Some(action) => {
                let page = self.page.as_mut()?;
                scroll_text(action, &mut page.scroll, &page.entries);
            }
            None => {}
        }
        Some(ResultsPageKeyResult::Done)
    }

    /// Returns `key_result` for the move of the marked mistake; [`ResultsPageKeyResult::Done`] if no mistake is marked.
    fn marked_mistake(
        &self,
        key_result: impl Fn(usize) -> ResultsPageKeyResult,
    ) -> ResultsPageKeyResult {
        let mistakes = self.greatest_mistake_move_numbers().unwrap_or_default();
        let marked = mistakes.get(self.marked);
        marked.map_or(ResultsPageKeyResult::Done, |number| key_result(*number))
    }

    /// Moves the mark on the review page by `step` mistakes. If the mark cannot move, scrolls the page by `step` lines.
    fn mark(&mut self, step: isize) {
        let last = self
            .greatest_mistake_move_numbers()
            .unwrap_or_default()
            .len()
            .saturating_sub(1);
        // Without another fault to mark, the arrow keys scroll the page.
        let marked = self.marked.saturating_add_signed(step).min(last);
        if marked == self.marked {
            if let Some(page) = &mut self.page {
                page.scroll.scroll(&page.entries[..], step);
            }
            return;
        }
        self.marked = marked;
        self.write_page();
        if let Some(page) = &mut self.page {
            page.scroll
                .scroll_entry_to_top(&page.entries[..], self.marked);
        }
    }

    /// Passes a mouse event to the page over the screen. Returns false if no page is open.
    pub fn handle_mouse(&mut self, event: MouseEvent) -> bool {
        let Some(page) = &mut self.page else {
            return false;
        };
        if let Some(lines) = wheel_lines(event.kind) {
            page.scroll.scroll(&page.entries[..], lines);
        }
        true
    }

    fn write_page(&mut self) {
        let entries = match self.page.as_ref().map(|page| page.subject) {
            Some(ResultsPageSubject::Many) => self.trials_page(),
            Some(ResultsPageSubject::Review) => {
                let reviewed = self.reviewed();
                let marked = reviewed.map(|(review_context, review)| {
                    fault_entries(review_context, review, &self.amounts, self.marked)
                });
                let mut entries =
                    marked.unwrap_or_else(|| Vec::from_iter(self.mistake_or_progress_line()));
                let parts = self
                    .payoff_breakdown()
                    .map(|parts| Entry::new("Breakdown", TextRole::Title, parts));
                entries.extend(parts);
                let gap = !entries.is_empty() && !self.report.is_empty();
                entries.extend(gap.then(Entry::default));
                entries.extend(self.report.iter().cloned());
                if entries.is_empty() {
                    let text = "The values of replies are not available in this debate.";
                    entries.push(Entry::unlabelled(TextRole::Faint, text));
                }
                entries
            }
            None => return,
        };
        // The review can be finished after its page was opened.
        let mistakes = self.greatest_mistake_move_numbers().unwrap_or_default();
        if let Some(page) = &mut self.page {
            if page.subject == ResultsPageSubject::Review {
                let [without_mistakes, with_mistakes] = &self.review_titles;
                let title = if mistakes.is_empty() {
                    without_mistakes
                } else {
                    with_mistakes
                };
                page.title.clone_from(title);
            }
            page.entries = entries;
        }
    }

    fn trials_page(&self) -> Vec<Entry> {
        match (&self.trials, &self.values) {
            (BackgroundTaskState::Done(Ok(trials)), Some(values)) => {
                trial_entries(&values.case, trials, &self.amounts)
            }
            (BackgroundTaskState::Done(Err(why)), _) => vec![unknown_entry("Many", why)],
            (task, _) => {
                let (done, all) = (
                    with_thousands_separators(task.finished_parts()),
                    with_thousands_separators(self.trial_count.into()),
                );
                let text = match self.trial_count / MEASURED_DEBATE_COUNT {
                    0 | 1 => format!(
                        "Playing: {done} of {all} debates; {stop} stops.",
                        stop = self.stop_key
                    ),
                    pair_count => {
                        let debates_per_pair =
                            with_thousands_separators(MEASURED_DEBATE_COUNT.into());
                        format!(
                            "Playing {debates_per_pair} debates with each of {pair_count} pairs: {done} of {all} done; {stop} stops.",
                            stop = self.stop_key
                        )
                    }
                };
                vec![Entry::unlabelled(TextRole::Faint, text)]
            }
        }
    }

    /// Returns a sentence on the components of the payoff. `None` until the debate is reviewed, and under rules without
    /// estimates.
    pub fn payoff_breakdown(&self) -> Option<String> {
        let (_, review) = self.reviewed()?;
        let parts = review::payoff_parts_text(review, &self.amounts)?;
        Some(format!("{parts}."))
    }

    /// Returns lines with the measures of the user's estimates, once the debate is reviewed. Faint lines on Bob's gaps
    /// and on the scope of the measures follow. Of all measures, only gaps are styled as bad.
    pub fn estimate_measure_lines(&self) -> Vec<Entry> {
        let Some((review_context, review)) = self.reviewed() else {
            return Vec::new();
        };
        let mut entries = estimate_measure_entries("Play", review, &self.amounts);
        let more = [
            review::bobs_gaps_sentence_for_alice(review, &self.amounts),
            review::knowledge_measure_coverage_sentences(review_context, review),
        ];
        let more = more.into_iter().flatten();
        entries.extend(more.map(|text| Entry::unlabelled(TextRole::Faint, text)));
        entries
    }

    /// Returns a line with the user's greatest mistake, or a statement that there is none. While the review is running,
    /// the line shows its progress; if it failed, the reason. `None` before the review starts, and if it rates no user.
    pub fn mistake_or_progress_line(&self) -> Option<Entry> {
        let values = self.values.as_ref()?;
        let entry = Entry::new("Mistake", TextRole::Title, "");
        match &self.review {
            BackgroundTaskState::Idle => None,
            BackgroundTaskState::Running(_) => {
                let text = format!(
                    "still computing ({progress}); {stop} stops.",
                    stop = self.stop_key,
                    progress = progress_text(self.review.finished_parts())
                );
                Some(entry.append_span(TextRole::Faint, text))
            }
            BackgroundTaskState::Done(Err(why)) => Some(unknown_entry("Mistake", why)),
            BackgroundTaskState::Done(Ok(review)) => {
                let text = review::final_review_sentence(&values.case, review, &self.amounts)?;
                Some(entry.append_span(TextRole::Text, without_mistake_prefix(text)))
            }
        }
    }
}

/// Returns lines with the measures of a debate's estimates, with a label before the first line. Of all measures, only
/// gaps are styled as bad.
pub fn estimate_measure_entries(
    label: &str,
    review: &DebateReview,
    amounts: &PayoffFormatter,
) -> Vec<Entry> {
    let has_gap = review::has_visible_gap_after_rounding(review);
    let measures = review::estimate_quality_measures(review, amounts).into_iter();
    let labels = std::iter::once(label).chain(std::iter::repeat(""));
    let entry = |(label, (name, text)): (&str, (&'static str, String))| {
        let role = match (name == review::CONSISTENCY, has_gap) {
            (true, true) => TextRole::Bad,
            (true, false) => TextRole::Good,
            (false, _) => TextRole::Text,
        };
        // The names of the measures are wider than the column of labels.
        Entry::new(label, TextRole::Title, "").append_span(role, format!("{name}: {text}"))
    };
    labels.zip(measures).map(entry).collect()
}

/// Rewords the review's sentence that there is no mistake, to follow the label “Mistake”.
fn without_mistake_prefix(text: String) -> String {
    match text.strip_prefix(review::NO_MISTAKE) {
        Some(why) => format!("none: {why}"),
        None => text,
    }
}

fn unknown_entry(label: &str, why: &ReviewError) -> Entry {
    let text = format!("Unknown: {why}.");
    Entry::new(label, TextRole::Title, "").append_span(TextRole::Faint, text)
}

/// Returns a remark on each of the greatest faults that the review found: at most three that lost payoff, and at most
/// three others.
fn fault_marks(
    review_context: &ReviewContext,
    review: &DebateReview,
    amounts: &PayoffFormatter,
) -> Vec<ReplyRemark> {
    let steps = review
        .moves_with_greatest_faults()
        .into_iter()
        .filter_map(|number| review.steps.get(number));
    let marked = steps.filter_map(|step| {
        Some(ReplyRemark {
            entry: step.entry,
            text: review::fault_sentence(review_context, step, amounts)?,
            role: TextRole::Bad,
        })
    });
    marked.collect()
}

/// Columns for the labels of the page about many debates, such as the ranges of a histogram.
const WIDE_LABEL_COLUMNS: u16 = 24;
/// Columns for the labels of the review page, such as the seat and round of a reply.
const NARROW_LABEL_COLUMNS: u16 = 17;
/// Maximum number of intervals of payoffs in a histogram, each with a bar. Payoffs of exactly 0 have an additional bar.
const HISTOGRAM_BARS: u32 = 8;
/// Columns of the longest bar.
const MAX_BAR_COLUMNS: usize = 30;

/// The subject of a page of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultsPageSubject {
    /// The results of many debates between the debate's players and, for comparison, with the user's own estimates and
    /// with honest Alice.
    Many,
    /// The faults that the review of a debate found.
    Review,
}

/// A page that scrolls.
#[derive(Debug)]
pub struct ReviewOrAveragesPage {
    title: String,
    subject: ResultsPageSubject,
    pub scroll: Scroll,
    pub entries: Vec<Entry>,
}

impl ReviewOrAveragesPage {
    pub fn new(title: String, subject: ResultsPageSubject) -> Self {
        Self {
            title,
            subject,
            scroll: Scroll::at_start_without_following(match subject {
                ResultsPageSubject::Many => WIDE_LABEL_COLUMNS,
                ResultsPageSubject::Review => NARROW_LABEL_COLUMNS,
            }),
            entries: Vec::new(),
        }
    }

    /// Draws the page above the screen's last line, which shows the keys.
    pub fn draw(&mut self, canvas: &mut Canvas<'_>, area: Rect) {
        let height = area.height.saturating_sub(1);
        let area = Rect { height, ..area };
        self.scroll
            .draw_box(&self.title, &self.entries, canvas, area);
    }
}

/// Returns lines with the results of many debates, compared with those of the user's own estimates and of the honest
/// prover.
pub fn trial_entries(
    review_context: &ReviewContext,
    trials: &PayoffsWithReplacedPlayers,
    amounts: &PayoffFormatter,
) -> Vec<Entry> {
    let sentence = if trials.have_equal_payoffs_in_all_debates() {
        format!(
            "All {count} debates of this instance had the same result.",
            count = with_thousands_separators(trials.pair.payoffs.len() as u64)
        )
    } else {
        "One debate proves little; only the average over many debates of this instance counts. The coins differ.".to_owned()
    };
    let mut entries = vec![Entry::unlabelled(TextRole::Faint, sentence)];
    let human_seats = Seat::PLAYERS
        .into_iter()
        .filter(|seat| review_context.is_human_seat(*seat));
    for seat in human_seats {
        let described = ", the scenario's own player,";
        let described = review_context
            .is_stand_in_scenario_player(seat)
            .then_some(described);
        let name = review_context.player_name(seat);
        // The user's own numbers are repeated in the debates that come first.
        let in_others = trials.own.as_ref().filter(|_| seat == Seat::Opponent);
        let where_it_plays = match in_others {
            Some(_) => ", except under “Your numbers”",
            None => "",
        };
        let text = format!(
            "No person can play this many debates: {player}{description} plays in {whose} place{where_it_plays}.",
            player = seated_player_in_plain_words(
                review_context.instance(),
                review_context.protocol_kind(),
                seat,
                &name
            ),
            description = described.unwrap_or_default(),
            whose = amounts.perspective.possessive(seat)
        );
        entries.push(Entry::unlabelled(TextRole::Faint, text));
    }
    entries.extend(
        own_play_sentences(review_context, trials, amounts)
            .into_iter()
            .map(|text| Entry::unlabelled(TextRole::Text, text)),
    );
    let instance = review_context.instance();
    if let Some(honest) = &trials.honest
        && review_context.protocol_kind() != ProtocolKind::ProverEstimator
        && honest.mean_payoff() < 0.0
        && instance.truth(instance.root()) == Some(false)
    {
        let text = "The claim is false. These rules make every prover defend it, so an honest one loses too.";
        entries.push(Entry::unlabelled(TextRole::Text, text));
    }
    // The user's own numbers come first, so that nobody takes the built-in player's results for their own.
    // The user's numbers may be those of the built-in player; then the same figures are shown once.
    let is_alike = trials.own.as_ref().is_some_and(|own| {
        own.payoffs == trials.pair.payoffs
            && own.exact == trials.pair.exact
            && own.measures == trials.pair.measures
    });
    if is_alike {
        let text = "The built-in Bob gives the same numbers as you, so his averages are equal and not repeated.";
        entries.push(Entry::unlabelled(TextRole::Faint, text));
    }
    let pair = Some(&trials.pair).filter(|_| !is_alike);
    let compared = [
        ("Your numbers", trials.own.as_ref()),
        ("Built-in players", pair),
        ("Honest Alice", trials.honest.as_ref()),
    ];
    let compared = compared
        .into_iter()
        .filter_map(|(label, results)| Some((label, results?)));
    for (label, results) in compared {
        entries.push(Entry::default());
        entries.extend(result_entries(label, review_context, results, amounts));
        if results.has_own_numbers {
            let reason = review::lucky_gaps_sentence(results, &trials.pair, amounts);
            entries.extend(reason.map(|text| Entry::unlabelled(TextRole::Text, text)));
        }
        entries.extend(histogram_entries(results, amounts));
    }
    let comparison = honest_prover_sentences(review_context, trials, amounts);
    if !comparison.is_empty() {
        entries.push(Entry::default());
    }
    entries.extend(
        comparison
            .into_iter()
            .map(|text| Entry::unlabelled(TextRole::Text, text)),
    );
    entries
}

/// Returns sentences about the user's own play, for the page about many debates, in which a built-in player takes the
/// user's seat. They state the value of best play for a user as Alice, and the score of a user as judge.
fn own_play_sentences(
    review_context: &ReviewContext,
    trials: &PayoffsWithReplacedPlayers,
    amounts: &PayoffFormatter,
) -> Vec<String> {
    let mut sentences = Vec::new();
    let is_prover = review_context.is_human_seat(Seat::Prover);
    if let Some(best_payoff) = &trials.best_play {
        let best_payoff = amounts.signed_for_viewer_with_unit(best_payoff);
        sentences.push(format!(
            "Best play by what you knew was worth {best_payoff} on average before your first reply, against this Bob."
        ));
    }
    if is_prover && review_context.protocol_kind() == ProtocolKind::ProverEstimator {
        sentences.push("The figures below are of other players, not of you.".to_owned());
    }
    let bits = |score: f64| format_rounded_with_sign(score, 3);
    if let Some(mean) = trials.pair.judge_score {
        let own_score_sentence = trials.own_judge_score.map_or_else(String::new, |own| {
            format!("Your score was {score} bits. ", score = bits(own))
        });
        sentences.push(format!(
            "{own_score_sentence}The built-in judge scores {built_in_score} bits on average. A higher score is better.",
            built_in_score = bits(mean)
        ));
    }
    sentences
}

/// Compares the mean payoffs of the honest prover and of the pair's own prover, with the reason for the difference.
/// Compares the exact expectations, or the means if an expectation is unknown. Empty if such means differ by no more
/// than their confidence intervals, or without debates of the honest prover.
fn honest_prover_sentences(
    review_context: &ReviewContext,
    trials: &PayoffsWithReplacedPlayers,
    amounts: &PayoffFormatter,
) -> Vec<String> {
    let pair = &trials.pair;
    let Some(honest) = &trials.honest else {
        return Vec::new();
    };
    let means = if let (Ok(honest), Ok(pair)) = (&honest.exact, &pair.exact) {
        [honest.clone(), pair.clone()]
    } else {
        let means = [honest, pair].map(ManyDebatesPayoffs::mean_payoff);
        let interval = honest.confidence_half_width() + pair.confidence_half_width();
        if (means[0] - means[1]).abs() <= interval {
            return Vec::new();
        }
        means.map(|mean| Exact::from_float(mean).unwrap_or_default())
    };
    let to_prover = amounts
        .clone()
        .with_perspective(ViewerPerspective::of_seat(Seat::Prover));
    let [honest_earns, pair_earns] = means
        .each_ref()
        .map(|mean| to_prover.signed_for_viewer_with_unit(mean));
    let name = player_name_without_arguments(&pair.players[Seat::Prover.seat_index()]);
    let kind = review_context.protocol_kind();
    let her_player = player_in_plain_words(kind, Seat::Prover, name);
    let this_alice = if review_context.is_human_seat(Seat::Prover) {
        "the player in your place"
    } else {
        "this Alice"
    };
    let mut sentences = vec![format!(
        "On average, an honest Alice earns {honest_earns}, and {this_alice}, {her_player}, earns {pair_earns}."
    )];
    if let Some(stake) = review_context.largest_stake() {
        let thousandth = &stake / &Exact::from_integer(1000.into());
        if means.iter().all(|mean| mean.abs() < thousandth) {
            let stake = to_prover.absolute_with_unit(&stake);
            sentences.push(format!(
                "Both are less than 0.1 % of the largest stake, {stake}."
            ));
        }
    }
    sentences.extend(lie_sentence(review_context, pair, &to_prover));
    if let Some(margin) = review_context.epsilon_beyond_which_honest_prover_bets() {
        let margin = format_percent(margin.to_float());
        let points = margin.trim_end_matches(" %");
        sentences.push(format!(
            "An honest Alice bets only on numbers that are off by more than {points} percentage points. \
             If Bob's first number is closer, she never bets."
        ));
    }
    sentences
}

/// Says why a lie earns little: Bob's numbers are consistent, so only the last claim can pay. `None` for provers other
/// than `obfuscator` and `errs`, if Bob's numbers have gaps, and if the parts of the payoff are unknown.
fn lie_sentence(
    review_context: &ReviewContext,
    pair: &ManyDebatesPayoffs,
    to_prover: &PayoffFormatter,
) -> Option<String> {
    let [_, gaps, _, last] = pair.exact_parts.as_ref()?;
    let name = player_name_without_arguments(&pair.players[Seat::Prover.seat_index()]);
    let habit = match name {
        "obfuscator" => "always bets “too low”",
        "errs" => "bets by Bob's numbers alone",
        _ => return None,
    };
    let is_consistent = pair.measures.as_ref()?.gap == 0.0;
    if !gaps.is_zero() || !is_consistent {
        return None;
    }
    let stake = to_prover.absolute_with_unit(&review_context.largest_stake()?);
    let paid = to_prover.signed_for_viewer(last);
    Some(format!(
        "{bobs} numbers are consistent, so her lie can only earn at the last claim: {paid} of {stake} on average. \
         In the rounds before, lying pays nothing on average; the last claim pays the side whose number for it is better. \
         She {habit}, whatever she knows.",
        bobs = if review_context.is_human_seat(Seat::Opponent) {
            "The built-in Bob's"
        } else {
            "Bob's"
        }
    ))
}

/// Returns lines with the results of many debates, with a label before the first line.
fn result_entries(
    label: &str,
    case: &ReviewContext,
    trial_results: &ManyDebatesPayoffs,
    amounts: &PayoffFormatter,
) -> Vec<Entry> {
    let lines = review::trial_result_sentences(
        case.instance(),
        case.protocol_kind(),
        trial_results,
        amounts,
    )
    .into_iter();
    let labels = std::iter::once(label).chain(std::iter::repeat(""));
    let entries = labels.zip(lines);
    entries
        .map(|(label, line)| Entry::new(label, TextRole::Title, line))
        .collect()
}

/// Returns a histogram of the payoffs of many debates, one line for each bar. Adjacent empty bars share one line.
fn histogram_entries(trial_results: &ManyDebatesPayoffs, amounts: &PayoffFormatter) -> Vec<Entry> {
    let mut entries = Vec::new();
    let bars = trial_results
        .payoffs_of_debater(amounts.perspective.payoff_seat())
        .payoff_histogram(HISTOGRAM_BARS, &amounts.payoff_of_one_unit());
    let max_count = bars.iter().map(|bar| bar.count).max().unwrap_or(0);
    let (bar_sign, gap_sign) = match amounts.script {
        FormulaCharacterSet::Unicode => ("█", "…"),
        FormulaCharacterSet::Ascii => ("=", "..."),
    };
    for (index, bar) in bars.iter().enumerate() {
        let count = bar.count;
        let is_empty = |index: usize| bars.get(index).is_some_and(|bar| bar.count == 0);
        let has_empty_neighbor = is_empty(index + 1) || index > 0 && is_empty(index - 1);
        if count == 0 && has_empty_neighbor {
            // One row stands for several empty ones.
            if index == 0 || !is_empty(index - 1) {
                entries.push(Entry::new(gap_sign, TextRole::Faint, ""));
            }
            continue;
        }
        let length = (count * MAX_BAR_COLUMNS).div_ceil(max_count.max(1));
        // The values of the bars are already from the viewer's side.
        let [from, to] = [&bar.from, &bar.to].map(|end| amounts.format_with_sign(end));
        let range = if bar.from < bar.to {
            format!("{from} to {to}")
        } else {
            from
        };
        let entry = Entry::new(range, TextRole::Faint, "");
        let bar = bar_sign.repeat(length);
        entries.push(entry.append_span(TextRole::Text, format!("{bar} {count}")));
    }
    entries
}

/// Returns lines that list the greatest faults of human players, or state that there are none. The fault at index
/// `marked` is highlighted.
fn fault_entries(
    review_context: &ReviewContext,
    review: &DebateReview,
    amounts: &PayoffFormatter,
    marked: usize,
) -> Vec<Entry> {
    let steps = review
        .moves_with_greatest_faults()
        .into_iter()
        .filter_map(|number| review.steps.get(number));
    let entry = |(index, step): (usize, &MoveReview)| {
        let role = if index == marked {
            TextRole::Selected
        } else {
            TextRole::Title
        };
        let name = amounts.perspective.player_name_or_you(step.seat);
        // The column of labels is too narrow for ", first estimate".
        let label = match review::round_suffix(step) {
            suffix if suffix == ", first estimate" => format!("{name}, at first"),
            suffix => format!("{name}{suffix}"),
        };
        Some(Entry::new(
            label,
            role,
            review::fault_sentence(review_context, step, amounts)?,
        ))
    };
    let entries: Vec<Entry> = steps.enumerate().filter_map(entry).collect();
    if entries.is_empty() {
        let verdict = review::final_review_sentence(review_context, review, amounts);
        return verdict
            .map(|verdict| Entry::new("Mistake", TextRole::Good, without_mistake_prefix(verdict)))
            .into_iter()
            .collect();
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;
    use debate_core::player::{PlayerSpec, StrategyRegistry};
    use debate_solver::expectation::PayoffNotComputedReason;
    use debate_solver::setup::{LoadedScenario, ScenarioLimits};

    fn payoffs(exact: Result<i64, ()>, payoffs: &[f64]) -> ManyDebatesPayoffs {
        ManyDebatesPayoffs {
            players: ["liar", "honest", "oracle"].map(str::to_owned),
            payoffs: payoffs.to_vec(),
            exact: exact
                .map(|value| Exact::ratio(value, 1))
                .map_err(|()| PayoffNotComputedReason::STOPPED),
            exact_parts: None,
            has_own_numbers: false,
            measures: None,
            judge_score: None,
        }
    }

    /// Tests that consecutive empty rows of a payoff histogram are drawn as a single row.
    #[test]
    fn empty_rows_of_a_histogram_are_folded() {
        let amounts = PayoffFormatter::in_unit_of_rules(ViewerPerspective::NEUTRAL);
        let rows = |values: &[f64]| histogram_entries(&payoffs(Ok(1), values), &amounts).len();
        // 0; an ellipsis; 7 to 8.
        assert_eq!(rows(&[0.0, 8.0, 8.0]), 3);
        assert_eq!(rows(&[0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 8.0]), 8);
        // One empty row is shown.
        assert_eq!(rows(&[0.5, 2.5, 3.5, 4.5, 5.5, 6.5, 8.0]), 8);
        assert_eq!(rows(&[1.0, 1.0]), 1);
    }

    /// Exact expectations decide if both are known. Means decide only if their intervals do not overlap. Both players
    /// are named with their amounts, which are Alice's from every seat.
    #[test]
    fn the_honest_prover_is_compared_by_exact_expectations() {
        let amounts = PayoffFormatter::in_unit_of_rules(ViewerPerspective::of_seat(Seat::Opponent));
        let setup =
            LoadedScenario::load_bundled_scenario("law", &ScenarioLimits::default()).unwrap();
        let sits = ["liar", "honest", "oracle"].map(|name| PlayerSpec::parse(name).unwrap());
        let case = ReviewContext::new(
            &setup.instance(0),
            &setup.protocol,
            sits,
            Default::default(),
            StrategyRegistry::registry_with_builtin_players(),
        );
        let sentences = |pair: ManyDebatesPayoffs, honest: ManyDebatesPayoffs| {
            let trials = PayoffsWithReplacedPlayers {
                pair,
                own: None,
                honest: Some(honest),
                best_play: None,
                own_judge_score: None,
            };
            honest_prover_sentences(&case, &trials, &amounts)
        };
        let noisy = [5.0, -5.0, 5.0, 5.0];
        assert_eq!(
            sentences(payoffs(Ok(3), &[0.0; 4]), payoffs(Ok(1), &noisy)),
            [
                "On average, an honest Alice earns +1, and this Alice, a player who may hide one false step (`liar`), earns +3."
            ]
        );
        assert!(sentences(payoffs(Err(()), &[0.0; 4]), payoffs(Ok(1), &noisy)).is_empty());
        assert_eq!(
            sentences(payoffs(Err(()), &[0.0; 4]), payoffs(Err(()), &[4.0; 4])),
            [
                "On average, an honest Alice earns +4, and this Alice, a player who may hide one false step (`liar`), earns 0."
            ]
        );
    }

    /// Mean payoffs that are both tiny beside the largest stake are called so; larger ones are not.
    #[test]
    fn tiny_mean_payoffs_are_compared_with_the_largest_stake() {
        let amounts = PayoffFormatter::in_unit_of_rules(ViewerPerspective::of_seat(Seat::Prover));
        let setup =
            LoadedScenario::load_bundled_scenario("primes", &ScenarioLimits::default()).unwrap();
        let players = ["liar", "reference", "oracle"].map(|name| PlayerSpec::parse(name).unwrap());
        let case = ReviewContext::new(
            &setup.instance(0),
            &setup.protocol,
            players,
            Default::default(),
            StrategyRegistry::registry_with_builtin_players(),
        );
        let stake = case.largest_stake().unwrap();
        let sentences = |divisor: i64| {
            let mean = |sign: i64| ManyDebatesPayoffs {
                exact: Ok(&stake * &Exact::ratio(sign, divisor)),
                ..payoffs(Err(()), &[0.0; 4])
            };
            let trials = PayoffsWithReplacedPlayers {
                pair: mean(1),
                own: None,
                honest: Some(mean(-1)),
                best_play: None,
                own_judge_score: None,
            };
            honest_prover_sentences(&case, &trials, &amounts)
        };
        let stake_text = amounts.absolute_with_unit(&stake);
        let comparison = format!("Both are less than 0.1 % of the largest stake, {stake_text}.");
        assert!(
            sentences(1001).contains(&comparison),
            "{:?}",
            sentences(1001)
        );
        assert!(
            !sentences(999).contains(&comparison),
            "{:?}",
            sentences(999)
        );
    }
}
