//! A page over the screen with what was computed.

use ratatui::{buffer::Buffer, layout::Rect};

use crate::tui::theme::{Appearance, StyleRole};
use crate::tui::widget::overlay;
use crate::tui::widget::scroll::{Entry, Scroll, in_words};
use debate_core::number::Exact;
use debate_core::protocol::Seat;
use debate_lab::analysis::review::{Review, ReviewContext, TrialComparison, TrialResults};
use debate_lab::tell::Amounts;
use debate_lab::tell::review;

/// Columns of a page at most.
const COLUMNS: u16 = 76;
/// Columns for labels: the ranges of a histogram, and who replied where.
const WIDE: u16 = 20;
/// Columns for labels, as in [`WIDE`].
const NARROW: u16 = 17;
/// Bars of a histogram.
const BARS: u32 = 8;
/// Columns of the longest bar.
const LONGEST: usize = 30;

/// The subject of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tui) enum PageSubject {
    /// Many debates of the pair.
    Many,
    /// Skill and luck.
    Review,
}

/// A page that scrolls.
#[derive(Debug)]
pub(in crate::tui) struct ResultsPage {
    title: String,
    subject: PageSubject,
    pub(super) scroll: Scroll,
    pub(super) entries: Vec<Entry>,
}

impl ResultsPage {
    pub(super) fn new(title: String, subject: PageSubject) -> Self {
        Self {
            title,
            subject,
            scroll: Scroll::fixed(match subject {
                PageSubject::Many => WIDE,
                PageSubject::Review => NARROW,
            }),
            entries: Vec::new(),
        }
    }

    pub(super) fn subject(&self) -> PageSubject {
        self.subject
    }

    pub(super) fn in_words(&self) -> String {
        in_words(&self.title, &self.entries)
    }

    pub(in crate::tui) fn draw(&mut self, look: &Appearance, buffer: &mut Buffer, area: Rect) {
        let text = (&*self.title, &self.entries[..]);
        overlay::text_box(&mut self.scroll, text, COLUMNS, look, buffer, area);
    }
}

/// The results of many debates of a pair, with honesty beside it.
pub(super) fn many(
    case: &ReviewContext,
    trials: &TrialComparison,
    amounts: &Amounts,
) -> Vec<Entry> {
    let told = if trials.are_alike() {
        format!(
            "One debate says it all: {} of the same instance, each with coins of its own, \
             ended alike.",
            trials.pair.payoffs.len()
        )
    } else {
        "One debate proves nothing, the average does: the same instance, other coins.".to_owned()
    };
    let mut entries = vec![Entry::default().then(StyleRole::Faint, told)];
    let people = Seat::PLAYERS
        .into_iter()
        .filter(|seat| case.is_person(*seat));
    for seat in people {
        let whom = if case.is_of_scenario(seat) {
            ", whom the scenario seats there,"
        } else {
            ""
        };
        let text = format!(
            "A person cannot be asked so often: {}{whom} plays in {} place.",
            case.player(seat),
            amounts.perspective().whose(seat)
        );
        entries.push(Entry::default().then(StyleRole::Faint, text));
    }
    entries.push(Entry::default());
    entries.extend(one("This pair", &trials.pair, amounts));
    if let Some(honest) = &trials.honest {
        entries.push(Entry::default());
        entries.extend(one("Honest prover", honest, amounts));
    }
    entries
}

fn one(label: &str, trial_results: &TrialResults, amounts: &Amounts) -> Vec<Entry> {
    let mut labels = std::iter::once(label).chain(std::iter::repeat(""));
    let lines = review::trial_results(trial_results, amounts).into_iter();
    let mut entries: Vec<Entry> = lines
        .map(|line| Entry::new(labels.next().unwrap_or(""), StyleRole::Title, line))
        .collect();
    let bars = trial_results
        .seen_from(amounts.perspective().receiver())
        .histogram(BARS);
    // The bars are of the seat that looks already.
    let figure = |value: f64| amounts.with_sign(&Exact::from_float(value).unwrap_or_default());
    let most = bars.iter().map(|(_, _, count)| *count).max().unwrap_or(0);
    for (from, to, count) in bars {
        let length = (count * LONGEST).div_ceil(most.max(1));
        let range = if from < to {
            format!("{} to {}", figure(from), figure(to))
        } else {
            figure(from)
        };
        let entry = Entry::new(range, StyleRole::Faint, "");
        entries.push(entry.then(StyleRole::Text, format!("{} {count}", "=".repeat(length))));
    }
    entries
}

/// The mistakes of people, the one of this place marked, and a line below them.
pub(super) fn mistakes(
    case: &ReviewContext,
    review: &Review,
    amounts: &Amounts,
    marked: usize,
) -> Vec<Entry> {
    let numbers = review.mistakes();
    let mut entries: Vec<Entry> = numbers
        .iter()
        .enumerate()
        .filter_map(|(place, number)| {
            let step = review.steps.get(*number)?;
            let text = review::rated(case, review, step, amounts)?;
            let name = amounts.perspective().name(step.seat);
            let who = format!("{name}{}", review::place(step));
            let role = if place == marked {
                StyleRole::Selected
            } else {
                StyleRole::Title
            };
            Some(Entry::new(who, role, text))
        })
        .collect();
    let told = match entries.len() {
        0 if review.steps.iter().all(|step| step.regret.is_none()) => return entries,
        0 => "No mistake: no reply fell 5 % or more short of the best.",
        _ => "",
    };
    entries.push(Entry::default().then(StyleRole::Good, told));
    entries
}

/// The regret of each reply of a person that was no mistake.
pub(super) fn regrets(case: &ReviewContext, review: &Review, amounts: &Amounts) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mistakes = review.mistakes();
    for (number, step) in review.steps.iter().enumerate() {
        if mistakes.contains(&number) {
            continue;
        }
        let Some(text) = review::rated(case, review, step, amounts) else {
            continue;
        };
        let name = amounts.perspective().name(step.seat);
        let who = format!("{name}{}", review::place(step));
        entries.push(Entry::new(who, StyleRole::Title, text));
    }
    if !entries.is_empty() {
        let which = if mistakes.is_empty() {
            "Replies"
        } else {
            "Other replies"
        };
        let head =
            format!("{which} of people, each against the best as far as it could be known then:");
        entries.insert(0, Entry::default().then(StyleRole::Faint, head));
        entries.insert(0, Entry::default());
    }
    entries
}
