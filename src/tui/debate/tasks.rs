//! Computations in the background of a screen: hints, the review of a debate, and what
//! many debates of a pair come to.
//!
//! Each task has its own thread, owns what it needs, and wakes the screen when it has its result.
//! While one runs, and only then, the screen is drawn a few times a second to say how far it is.

mod page;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use ratatui::crossterm::event::{KeyEvent, MouseEvent};

use crate::tui::actions::{Contexts, Key, KeyMap};
use crate::tui::input::Waker;
use crate::tui::keys::{Action, HELP, MISTAKEN, REVIEW, VALUED, scroll_text, wheel_lines};
use crate::tui::scene::Valuation;
use crate::tui::theme::{Appearance, StyleRole};
use crate::tui::widget::scroll::Entry;
use debate_core::budget::Budget;
use debate_core::chance::Seed;
use debate_core::number::Exact;
use debate_core::player::Move;
use debate_core::text::counted;
use debate_lab::analysis::review::{Review, ReviewContext, ReviewError, TrialComparison};
use debate_lab::expectation::Unsolved;
use debate_lab::tell::ReplyMark;
use debate_lab::tell::review;
use debate_lab::tell::{Amounts, grouped};
pub(in crate::tui) use page::ResultsPage;

/// The time between two reports of progress.
const PROGRESS: Duration = Duration::from_millis(250);
/// The number of debates of a pair.
pub(in crate::tui) const MANY: u32 = 1000;

/// Something that is computed on a thread of its own, or was.
#[derive(Debug)]
pub(in crate::tui) enum BackgroundTask<T> {
    /// Nobody has asked for it.
    Idle,
    /// It is being computed.
    Running(Job<T>),
    /// It was found, or was not.
    Done(Result<T, ReviewError>),
}

/// A thread at work. Dropping it tells the thread to stop.
#[derive(Debug)]
pub(in crate::tui) struct Job<T> {
    found: Receiver<Result<T, ReviewError>>,
    cancel: Arc<AtomicBool>,
    done: Arc<AtomicU64>,
}

impl<T> Drop for Job<T> {
    fn drop(&mut self) {
        self.cancel.store(true, Ordering::Relaxed);
    }
}

/// A task's stop flag and its counter of progress.
pub(in crate::tui) struct Signals {
    pub(in crate::tui) cancel: Arc<AtomicBool>,
    done: Arc<AtomicU64>,
}

impl Signals {
    /// Says how many parts are done.
    pub(in crate::tui) fn tell(&self, parts: u64) {
        self.done.store(parts, Ordering::Relaxed);
    }

    /// Counts the positions that are looked at as parts.
    pub(in crate::tui) fn budget(&self) -> Budget<'_> {
        Budget {
            stop: Some(&self.cancel),
            progress: Some(&self.done),
            ..Budget::default()
        }
    }
}

impl<T: Send + 'static> BackgroundTask<T> {
    /// Starts to compute on another thread, which wakes whom it may concern at its end.
    pub(in crate::tui) fn start(
        waker: &Waker,
        work: impl FnOnce(&Signals) -> Result<T, ReviewError> + Send + 'static,
    ) -> Self {
        let (sender, found) = channel();
        let cancel = Arc::new(AtomicBool::new(false));
        let done = Arc::new(AtomicU64::new(0));
        let signals = Signals {
            cancel: Arc::clone(&cancel),
            done: Arc::clone(&done),
        };
        let waker = waker.clone();
        let analyst = std::thread::Builder::new().name("analysis".to_owned());
        let spawned = analyst.spawn(move || {
            // Nobody listens any more where the screen has gone on.
            let _ = sender.send(work(&signals));
            waker.wake();
        });
        match spawned {
            Ok(_) => Self::Running(Job {
                found,
                cancel,
                done,
            }),
            Err(_) => Self::Done(Err(ReviewError::NoThread)),
        }
    }

    /// Looks for the result; says whether it has come just now.
    pub(in crate::tui) fn poll(&mut self) -> bool {
        self.wait(Duration::ZERO)
    }

    /// Waits for the result, at most so long; says whether it has come just now.
    pub(in crate::tui) fn wait(&mut self, patience: Duration) -> bool {
        let Self::Running(job) = self else {
            return false;
        };
        let found = match job.found.recv_timeout(patience) {
            Ok(found) => found,
            Err(RecvTimeoutError::Timeout) => return false,
            Err(RecvTimeoutError::Disconnected) => Err(ReviewError::NoThread),
        };
        *self = Self::Done(found);
        true
    }

    /// Gives up where it is being computed.
    pub(in crate::tui) fn stop(&mut self) {
        if self.is_running() {
            *self = Self::Done(Err(Unsolved::STOPPED.into()));
        }
    }

    pub(in crate::tui) fn is_running(&self) -> bool {
        matches!(self, Self::Running(_))
    }

    /// The number of parts that are done.
    pub(in crate::tui) fn parts(&self) -> u64 {
        match self {
            Self::Running(job) => job.done.load(Ordering::Relaxed),
            _ => 0,
        }
    }
}

/// When to say again how far it has come.
pub(in crate::tui) fn next_progress() -> Instant {
    Instant::now() + PROGRESS
}

/// Begins to play a pair many times.
pub(in crate::tui) fn trials(values: &Valuation) -> BackgroundTask<TrialComparison> {
    let (case, seed): (ReviewContext, Seed) = (values.case.clone(), values.seed.clone());
    BackgroundTask::start(&values.waker, move |signals| {
        let watch = Budget {
            stop: Some(&signals.cancel),
            ..Budget::default()
        };
        case.trials(&seed, MANY, watch, &|debates| signals.tell(debates.into()))
    })
}

/// Computations about a debate as a whole.
#[derive(Debug)]
pub(in crate::tui) struct ReviewTasks {
    values: Option<Valuation>,
    review: BackgroundTask<Review>,
    trials: BackgroundTask<TrialComparison>,
    /// Figures as whoever looks reads them.
    amounts: Amounts,
    /// The page over the screen.
    pub(in crate::tui) page: Option<ResultsPage>,
    /// Which of the mistakes is marked there.
    marked: usize,
}

/// What was done with a key on a page over the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tui) enum PageKey {
    /// All that there was to do.
    Done,
    /// What the screen does with this action, which every screen can do.
    Perform(Action),
    /// The position before the move of this number is wanted.
    Show(usize),
    /// The move of this number is to be tried again.
    TryAgain(usize),
}

impl ReviewTasks {
    pub(in crate::tui) fn new(values: Option<&Valuation>, amounts: Amounts) -> Self {
        Self {
            amounts,
            values: values.cloned(),
            review: BackgroundTask::Idle,
            trials: BackgroundTask::Idle,
            page: None,
            marked: 0,
        }
    }

    /// True if anything can be computed.
    pub(in crate::tui) fn is_able(&self) -> bool {
        self.values.is_some()
    }

    /// True if something is being computed.
    pub(in crate::tui) fn is_running(&self) -> bool {
        self.review.is_running() || self.trials.is_running()
    }

    /// Begins to value every one of these moves, once.
    pub(in crate::tui) fn review(&mut self, moves: &[Move<Exact>]) {
        let (Some(values), BackgroundTask::Idle) = (&self.values, &self.review) else {
            return;
        };
        let case = values.case.clone();
        let moves = moves.to_vec();
        self.review = BackgroundTask::start(&values.waker, move |signals| {
            case.review(&moves, signals.budget())
        });
    }

    /// Begins to play the pair many times, or again where that was stopped.
    fn many(&mut self) {
        let stopped = matches!(
            self.trials,
            BackgroundTask::Idle | BackgroundTask::Done(Err(_))
        );
        let (Some(values), true) = (&self.values, stopped) else {
            return;
        };
        self.trials = trials(values);
    }

    /// Looks for results, the remarks on replies among them; says whether one has come.
    pub(in crate::tui) fn poll(&mut self, remarks: &mut Vec<ReplyMark>) -> bool {
        let reviewed = self.review.poll();
        if reviewed
            && let (BackgroundTask::Done(Ok(review)), Some(values)) = (&self.review, &self.values)
        {
            *remarks = marks(&values.case, review, &self.amounts);
        }
        let come = self.trials.poll() || reviewed;
        if self.page.is_some() {
            self.write_page();
        }
        come
    }

    /// The page over the screen, for whoever does not see it; not while it is computed, when it changes all the time.
    pub(in crate::tui) fn in_words(&self) -> Option<String> {
        let page = self.page.as_ref().filter(|_| !self.is_running())?;
        Some(page.in_words())
    }

    /// Writes figures so from now on.
    pub(in crate::tui) fn set_amounts(&mut self, amounts: Amounts) {
        self.amounts = amounts;
        self.write_page();
    }

    /// Gives up what is being computed.
    pub(in crate::tui) fn stop(&mut self) {
        self.review.stop();
        self.trials.stop();
    }

    /// Opens the page about many debates of the pair.
    pub(in crate::tui) fn open_many(&mut self) {
        self.many();
        self.page = Some(ResultsPage::new(
            "This pair, many times: esc closes".to_owned(),
            page::PageSubject::Many,
        ));
        self.write_page();
    }

    /// Marks the last mistake up to the move of this number, the first one where there is none.
    pub(in crate::tui) fn mark_at(&mut self, number: usize) {
        let mistakes = self.mistakes().unwrap_or_default();
        let before = mistakes.iter().filter(|mistake| **mistake <= number);
        self.marked = before.count().saturating_sub(1);
    }

    /// Opens the page of mistakes, skill and luck.
    pub(in crate::tui) fn open_review(&mut self, moves: &[Move<Exact>], keys: &KeyMap<Action>) {
        if matches!(self.review, BackgroundTask::Done(Err(_))) {
            self.review = BackgroundTask::Idle;
        }
        self.review(moves);
        let [go, again, close] = [Action::Open, Action::TryAgain, Action::Close]
            .map(|action| keys.called(REVIEW, action));
        let title = if self.mistakes().is_some_and(|mistakes| mistakes.is_empty()) {
            format!("Review: {close} closes")
        } else {
            format!("Review: {go} goes to a mistake, {again} tries again, {close} closes")
        };
        self.page = Some(ResultsPage::new(title, page::PageSubject::Review));
        self.write_page();
    }

    /// Closes the page; what it waited for is given up.
    pub(in crate::tui) fn close(&mut self) {
        self.page = None;
        self.trials.stop();
    }

    /// The numbers of the moves that were mistakes; `None` where that is not known.
    pub(in crate::tui) fn mistakes(&self) -> Option<Vec<usize>> {
        match &self.review {
            BackgroundTask::Done(Ok(review)) => Some(review.mistakes()),
            _ => None,
        }
    }

    /// False once the review has looked through the whole debate and found none.
    pub(in crate::tui) fn may_have_mistakes(&self) -> bool {
        self.mistakes().is_none_or(|mistakes| !mistakes.is_empty())
    }

    /// What would have been better than the move of this number, where it was a mistake.
    pub(in crate::tui) fn mistake_at(&self, number: usize) -> Option<String> {
        let (BackgroundTask::Done(Ok(review)), Some(values)) = (&self.review, &self.values) else {
            return None;
        };
        let is_mistake = review.mistakes().contains(&number);
        review::regret(
            &values.case,
            review,
            review.steps.get(number)?,
            &self.amounts,
        )
        .filter(|_| is_mistake)
    }

    /// The keys of a page over the screen that has some of its own, as the review has.
    pub(in crate::tui) fn context(&self) -> Option<Contexts> {
        match self.page.as_ref()?.subject() {
            page::PageSubject::Many => None,
            page::PageSubject::Review => Some(REVIEW),
        }
    }

    /// Gives a key to the page over the screen; `None` where there is none.
    pub(in crate::tui) fn type_key(
        &mut self,
        keys: &KeyMap<Action>,
        event: KeyEvent,
    ) -> Option<PageKey> {
        self.page.as_ref()?;
        let context = self.context().unwrap_or(HELP);
        let facts = VALUED | MISTAKEN.only_if(self.may_have_mistakes());
        match keys.find(context, facts, Key::from(event)) {
            Some(Action::Close) => self.close(),
            Some(action @ (Action::Suspend | Action::Help)) => {
                return Some(PageKey::Perform(action));
            }
            Some(Action::Above) => self.mark(-1),
            Some(Action::Below) => self.mark(1),
            Some(Action::Open) => return Some(self.marked_mistake(PageKey::Show)),
            Some(Action::TryAgain) => return Some(self.marked_mistake(PageKey::TryAgain)),
            Some(action) => {
                let page = self.page.as_mut()?;
                scroll_text(action, &mut page.scroll, &page.entries);
            }
            None => {}
        }
        Some(PageKey::Done)
    }

    fn marked_mistake(&self, wanted: impl Fn(usize) -> PageKey) -> PageKey {
        let mistakes = self.mistakes().unwrap_or_default();
        let marked = mistakes.get(self.marked);
        marked.map_or(PageKey::Done, |number| wanted(*number))
    }

    /// Marks another mistake on the page.
    fn mark(&mut self, step: isize) {
        let last = self.mistakes().unwrap_or_default().len().saturating_sub(1);
        self.marked = self.marked.saturating_add_signed(step).min(last);
        self.write_page();
        if let Some(page) = &mut self.page {
            page.scroll.jump(&page.entries[..], self.marked);
        }
    }

    /// Gives the mouse to the page that lies over the screen; says whether one does.
    pub(in crate::tui) fn touch(&mut self, event: MouseEvent) -> bool {
        let Some(page) = &mut self.page else {
            return false;
        };
        if let Some(lines) = wheel_lines(event.kind) {
            page.scroll.scroll(&page.entries[..], lines);
        }
        true
    }

    fn write_page(&mut self) {
        let entries = match self.page.as_ref().map(ResultsPage::subject) {
            Some(page::PageSubject::Many) => self.many_entries(),
            Some(page::PageSubject::Review) => {
                let mut entries = self.mistake_entries();
                entries.extend(self.review_entries(true));
                entries
            }
            None => return,
        };
        if let Some(page) = &mut self.page {
            page.entries = entries;
        }
    }

    fn many_entries(&self) -> Vec<Entry> {
        match (&self.trials, &self.values) {
            (BackgroundTask::Done(Ok(trials)), Some(values)) => {
                page::many(&values.case, trials, &self.amounts)
            }
            (BackgroundTask::Done(Err(why)), _) => vec![unknown_entry("Many", why)],
            (task, values) => {
                let done = task.parts();
                let all = values
                    .as_ref()
                    .map_or(MANY, |values| values.case.debates(MANY));
                let (done, all) = (grouped(done), grouped(all.into()));
                let text = format!("Playing: {done} of {all} debates; esc stops.");
                vec![Entry::default().then(StyleRole::Faint, text)]
            }
        }
    }

    /// The mistakes, one an entry, the marked one marked.
    fn mistake_entries(&self) -> Vec<Entry> {
        let (BackgroundTask::Done(Ok(review)), Some(values)) = (&self.review, &self.values) else {
            return Vec::new();
        };
        page::mistakes(&values.case, review, &self.amounts, self.marked)
    }

    /// Won, lost or even, and by what, once the debate is reviewed.
    pub(in crate::tui) fn result(&self) -> Option<String> {
        let (Some(values), BackgroundTask::Done(Ok(review))) = (&self.values, &self.review) else {
            return None;
        };
        Some(review::result(&values.case, review, &self.amounts))
    }

    /// The ledger of skill and luck, with each person's replies where `all` is wanted.
    pub(in crate::tui) fn review_entries(&self, all: bool) -> Vec<Entry> {
        let Some(values) = &self.values else {
            return Vec::new();
        };
        match &self.review {
            BackgroundTask::Idle => Vec::new(),
            BackgroundTask::Running(_) => {
                let text = format!(
                    "Finding what each reply was worth: {}; esc stops.",
                    progress_text(self.review.parts())
                );
                vec![Entry::new("Review", StyleRole::Title, "").then(StyleRole::Faint, text)]
            }
            BackgroundTask::Done(Err(why)) => vec![unknown_entry("Review", why)],
            BackgroundTask::Done(Ok(review)) => {
                let ledger = review::ledger(&values.case, review, &self.amounts);
                let mut entries = vec![Entry::new(
                    "Review",
                    StyleRole::Title,
                    "what the debate was worth at the start, and what replies and luck made of it",
                )];
                let line = |(label, text): (&str, String)| {
                    Entry::new(format!("  {label}"), StyleRole::Title, text)
                };
                entries.extend(ledger.into_iter().map(line));
                if all {
                    entries.extend(page::regrets(&values.case, review, &self.amounts));
                }
                entries
            }
        }
    }
}

/// The progress of a search in words.
pub(in crate::tui) fn progress_text(positions: u64) -> String {
    match positions {
        0 => "beginning".to_owned(),
        some => format!(
            "{} looked at",
            counted(grouped(some), "position", "positions")
        ),
    }
}

fn unknown_entry(label: &str, why: &ReviewError) -> Entry {
    let text = format!("Not known: {why}.");
    Entry::new(label, StyleRole::Title, "").then(StyleRole::Faint, text)
}

/// A remark on each reply of a person that was not the best.
fn marks(case: &ReviewContext, review: &Review, amounts: &Amounts) -> Vec<ReplyMark> {
    let steps = review.steps.iter();
    let marked = steps.filter_map(|step| {
        let text = review::regret(case, review, step, amounts)?;
        let role = match review.fault(step) {
            Some(_) => StyleRole::Bad,
            None => StyleRole::Faint,
        };
        Some(ReplyMark {
            entry: step.entry,
            text,
            role,
        })
    });
    marked.collect()
}

/// A bar, filled so far from its left.
pub(in crate::tui) fn bar(share: f64, columns: usize, look: &Appearance) -> String {
    let (full, empty) = if look.glyphs.unicode {
        ("█", "░")
    } else {
        ("#", "-")
    };
    let filled = (1..=columns)
        .filter(|column| {
            let column = f64::from(u32::try_from(*column).unwrap_or(u32::MAX));
            let all = f64::from(u32::try_from(columns).unwrap_or(u32::MAX));
            column - 0.5 <= share * all
        })
        .count();
    full.repeat(filled) + &empty.repeat(columns - filled)
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn a_task_is_found_stopped_or_lost() {
        let mut task = BackgroundTask::start(&Waker::default(), |signals| {
            signals.tell(3);
            Ok(7)
        });
        let start = Instant::now();
        while !task.poll() {
            assert!(start.elapsed() < Duration::from_secs(120));
            thread::sleep(Duration::from_millis(1));
        }
        assert!(matches!(task, BackgroundTask::Done(Ok(7))) && !task.poll());
        let (told, heard) = channel();
        let mut endless = BackgroundTask::<()>::start(&Waker::default(), move |signals| {
            while !signals.cancel.load(Ordering::Relaxed) {
                thread::sleep(Duration::from_millis(1));
            }
            let _ = told.send(());
            Err(Unsolved::STOPPED.into())
        });
        assert!(endless.is_running());
        endless.stop();
        assert!(heard.recv_timeout(Duration::from_secs(20)).is_ok());
        assert!(matches!(endless, BackgroundTask::Done(Err(_))));
    }

    #[test]
    fn a_bar_is_full_for_alice_and_empty_for_bob() {
        let look = Appearance::default();
        assert_eq!(bar(1.0, 4, &look), "████");
        assert_eq!(bar(0.5, 4, &look), "██░░");
        assert_eq!(bar(0.0, 4, &look), "░░░░");
    }
}
