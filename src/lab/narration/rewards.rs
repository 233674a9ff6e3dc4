//! The rewards, round by round: what was bet, what came out, what it paid.

use std::collections::HashMap;
use std::ops::Range;

use num_traits::Zero as _;

use debate_core::number::{Exact, Number, short, signed};
use debate_core::protocol::words::Script;
use debate_core::protocol::{Bet, Event, Reader, Reward, Round, Seal, Seat, VisibleEntry};

use super::{Entry, StyleRole, Viewpoint, chance};

#[derive(Clone, Debug)]
struct RewardLine {
    round: Round,
    weight: f64,
    /// The bet, or Alice's answer in the first line, in a word; `?` while it is sealed.
    bet: &'static str,
    /// The outcome in a word.
    outcome: Option<&'static str>,
    p: Option<f64>,
    value: Option<f64>,
    /// The entry of the log that paid it.
    entry: Option<usize>,
}

/// A row of the table of rewards, as text.
#[derive(Clone, Debug, PartialEq)]
pub struct RewardRow {
    /// `init`, or the round's number.
    pub round: String,
    /// The most that the round can pay.
    pub weight: String,
    /// The bet or answer in a word; `?` while it is sealed.
    pub bet: &'static str,
    /// The outcome in a word; empty before.
    pub outcome: &'static str,
    /// The estimate that the bet is about; empty before.
    pub p: String,
    /// Alice's reward; empty before.
    pub paid: String,
    /// `paid` as a number.
    pub value: Option<f64>,
    /// True if the last step paid it.
    pub newest: bool,
    /// True if it outweighs all other rounds.
    pub dominant: bool,
}

/// The rewards of a debate so far.
#[derive(Clone, Debug)]
pub struct RewardTable {
    lines: Vec<RewardLine>,
    /// The line of each round.
    places: HashMap<Round, usize>,
    /// The reader for whom the log was read.
    reader: Reader,
    /// Entries of the log that have been read.
    read: usize,
    /// The entries among them that were sealed then.
    sealed: Vec<usize>,
    /// The line that outweighs all others.
    dominant: Option<usize>,
    /// The entry of the log with the last reward.
    last: Option<usize>,
    depth: Option<u32>,
}

fn word(bet: Bet) -> &'static str {
    match bet {
        Bet::TooHigh => "high",
        Bet::AboutRight => "right",
        Bet::TooLow => "low",
    }
}

fn truth(holds: bool) -> &'static str {
    if holds { "true" } else { "false" }
}

impl RewardLine {
    fn new(round: Round, weight: f64) -> Self {
        Self {
            round,
            weight,
            bet: "",
            outcome: None,
            p: None,
            value: None,
            entry: None,
        }
    }
}

impl RewardTable {
    pub fn new(view: &Viewpoint<'_, '_>, schedule: &[(Round, Exact)]) -> Self {
        // Rounds that can pay nothing are no lines of the table.
        let paying = schedule.iter().filter(|(_, weight)| !weight.is_zero());
        let lines: Vec<RewardLine> = paying
            .map(|(round, weight)| RewardLine::new(*round, weight.to_float()))
            .collect();
        let places = lines.iter().enumerate();
        let depth = schedule.iter().find_map(|(round, _)| match round {
            Round::Number(k) => Some(*k),
            Round::Initial => None,
        });
        Self {
            places: places.map(|(place, line)| (line.round, place)).collect(),
            lines,
            reader: view.reader,
            read: 0,
            sealed: Vec::new(),
            dominant: None,
            last: None,
            depth,
        }
    }

    /// Forgets what was read of the log: replies were taken back.
    pub fn clear(&mut self, view: &Viewpoint<'_, '_>) {
        for line in &mut self.lines {
            *line = RewardLine::new(line.round, line.weight);
        }
        (self.reader, self.read) = (view.reader, 0);
        self.sealed.clear();
        (self.dominant, self.last) = (None, None);
    }

    /// Reads on in the log, or anew where somebody else looks. Where the log was taken back in
    /// between begin with [`Self::clear`].
    pub fn read(&mut self, view: &Viewpoint<'_, '_>) {
        let count = view.log.entries().len();
        if self.reader != view.reader || count < self.read {
            self.clear(view);
        }
        let before = self.last;
        let sealed = std::mem::take(&mut self.sealed);
        for index in sealed.into_iter().chain(self.read..count) {
            match view.log.seen_by(index, view.reader) {
                Some(VisibleEntry::Open(entry)) => self.note(index, &entry.event),
                Some(VisibleEntry::Sealed { seal, .. }) => {
                    self.sealed.push(index);
                    let round = match seal {
                        Seal::Answer => Some(Round::Initial),
                        Seal::Bet(k) => Some(Round::Number(k)),
                        Seal::Share(_) | Seal::Speech(_) => None,
                    };
                    if let Some(round) = round {
                        self.with(round, |line| line.bet = "?");
                    }
                }
                None => {}
            }
        }
        self.read = count;
        if self.last != before {
            self.dominant = dominant(self.lines.iter().map(|line| line.value.unwrap_or(f64::NAN)));
        }
    }

    fn with(&mut self, round: Round, change: impl FnOnce(&mut RewardLine)) {
        let place = self.places.get(&round);
        if let Some(line) = place.and_then(|place| self.lines.get_mut(*place)) {
            change(line);
        }
    }

    fn note(&mut self, index: usize, event: &Event<Exact>) {
        match event {
            Event::Answered { answer, .. } => {
                self.with(Round::Initial, |line| line.bet = truth(*answer));
            }
            Event::Estimated { place: None, p, .. } => {
                self.with(Round::Initial, |line| line.p = Some(p.to_float()));
            }
            Event::Entered { round, p, .. } => {
                let p = p.as_ref().map(Number::to_float);
                self.with(Round::Number(*round), |line| line.p = p);
            }
            Event::Betted { round, bet, .. } => {
                self.with(Round::Number(*round), |line| line.bet = word(*bet));
            }
            Event::Rewarded(reward) => {
                self.last = Some(index);
                let value = reward.value().to_float();
                self.with(reward.round(), |line| {
                    line.entry = Some(index);
                    line.value = Some(value);
                    let outcome = match reward {
                        Reward::Agreement { coin, answer, .. } => {
                            line.bet = truth(*answer);
                            *coin
                        }
                        Reward::Bet { bet, outcome, .. } => {
                            line.bet = word(*bet);
                            *outcome
                        }
                        Reward::Decided { for_prover } => {
                            let side = if *for_prover {
                                Seat::Prover
                            } else {
                                Seat::Opponent
                            };
                            line.outcome = Some(side.person());
                            return;
                        }
                        Reward::Persuaded { p } => {
                            line.p = Some(p.to_float());
                            return;
                        }
                        Reward::Verdict { claimed, answer } => {
                            line.bet = truth(*claimed);
                            *answer
                        }
                    };
                    line.outcome = Some(truth(outcome));
                });
            }
            _ => {}
        }
    }

    /// The name of each round with what it paid; what is not paid yet is NaN.
    pub fn bars(&self) -> impl Iterator<Item = (String, f64)> {
        let lines = self.lines.iter();
        lines.map(|line| (line.round.to_string(), line.value.unwrap_or(f64::NAN)))
    }

    pub fn len(&self) -> usize {
        self.lines.len()
    }

    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    pub fn scale(&self) -> Option<(f64, f64)> {
        let weights = || {
            self.lines
                .iter()
                .map(|line| line.weight)
                .filter(|w| *w > 0.0)
        };
        let least = weights().fold(f64::INFINITY, f64::min);
        least
            .is_finite()
            .then(|| (least, weights().fold(0.0, f64::max)))
    }

    /// The round that made most of the payoff, and what it paid.
    pub fn dominating(&self) -> Option<(Round, f64)> {
        let line = self.lines.get(self.dominant?)?;
        Some((line.round, line.value?))
    }

    /// True if several rounds are paid, so that one may outweigh the others.
    pub fn compares(&self) -> bool {
        self.lines.len() > 1
    }

    pub fn depth(&self) -> Option<u32> {
        self.depth
    }

    pub fn weight(&self, round: Round) -> Option<f64> {
        let line = self.lines.get(*self.places.get(&round)?)?;
        Some(line.weight)
    }

    /// For rules with a single reward: what it is for, and what it paid.
    pub fn single_reward(&self) -> Vec<Entry> {
        let plain = |role, text: String| Entry::default().then(role, text);
        let Some(line) = self.lines.first() else {
            return Vec::new();
        };
        let weight = short(line.weight, 2);
        let rule =
            format!("One reward, at the end: +{weight} if Alice wins, -{weight} if Bob does.");
        let paid = line.value.map(|value| {
            let role = if value > 0.0 {
                StyleRole::Good
            } else {
                StyleRole::Bad
            };
            plain(role, format!("Paid: {}", signed(value, 3)))
        });
        [plain(StyleRole::Faint, rule)]
            .into_iter()
            .chain(paid)
            .collect()
    }

    pub fn rows(&self, newest: &Range<usize>) -> Vec<RewardRow> {
        let rows = 0..self.lines.len();
        rows.filter_map(|row| self.row(row, newest)).collect()
    }

    /// The row of a round that pays, counted from 0.
    pub fn row(&self, number: usize, newest: &Range<usize>) -> Option<RewardRow> {
        let line = self.lines.get(number)?;
        Some(RewardRow {
            round: line.round.to_string(),
            weight: short(line.weight, 2),
            bet: line.bet,
            outcome: line.outcome.unwrap_or_default(),
            p: line.p.map(chance).unwrap_or_default(),
            paid: match line.value {
                Some(0.0) => "0".to_owned(),
                Some(value) => signed(value, 3),
                None => String::new(),
            },
            value: line.value,
            newest: line.entry.is_some_and(|entry| newest.contains(&entry)),
            dominant: self.compares() && self.dominant == Some(number),
        })
    }

    /// The last reward in words and as its formula.
    pub fn explained(&self, view: &Viewpoint<'_, '_>, script: Script) -> Vec<Entry> {
        let mut entries = Vec::new();
        if let Some(Event::Rewarded(reward)) = self
            .last
            .and_then(|last| view.log.entries().get(last))
            .map(|entry| &entry.event)
        {
            let narrator = view.facts.narrator(script);
            entries.push(Entry::default());
            let title = if self.compares() {
                "The last one, because"
            } else {
                "Because"
            };
            entries.push(Entry::default().then(StyleRole::Title, title));
            let because = format!("{}.", narrator.why(reward, view.log));
            entries.push(Entry::default().then(StyleRole::Text, because));
            if !matches!(reward, Reward::Decided { .. }) {
                entries.push(Entry::default().then(StyleRole::Faint, narrator.formula(reward)));
            }
        }
        entries
    }
}

/// The index of the value that decides the sum: the largest in size, if it outweighs all others
/// together. NaN (not known yet) counts as 0.
pub fn dominant(values: impl Iterator<Item = f64> + Clone) -> Option<usize> {
    let sizes = values.map(|value| if value.is_finite() { value.abs() } else { 0.0 });
    let sizes = sizes.enumerate();
    let (at, largest) = sizes.clone().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let others = sizes.filter(|(other, _)| *other != at);
    (largest > others.map(|(_, size)| size).sum()).then_some(at)
}

/// A bar's height from −1 to 1 on a logarithmic scale with a sign: 1 is `largest`, 0 a size below
/// `least`.
pub fn bar_height(value: f64, least: f64, largest: f64) -> f64 {
    let size = value.abs().clamp(0.0, largest);
    if !value.is_finite() || size < least || value == 0.0 {
        return 0.0;
    }
    // One decade more than the range, so that the smallest value has some height.
    let decades = (largest / least).log10() + 1.0;
    ((size / least).log10() + 1.0) / decades * value.signum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_grow_with_the_digits_of_their_value() {
        assert!((bar_height(1.0, 1e-8, 1.0) - 1.0).abs() < 1e-12);
        assert!((bar_height(-1e-8, 1e-8, 1.0) + 1.0 / 9.0).abs() < 1e-12);
        let decade = bar_height(1e-3, 1e-8, 1.0) - bar_height(1e-4, 1e-8, 1.0);
        assert!((decade - 1.0 / 9.0).abs() < 1e-12);
        assert!(bar_height(0.0, 1e-8, 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_value_that_outweighs_the_others_is_found() {
        let found = |values: &[f64]| dominant(values.iter().copied());
        assert_eq!(found(&[-0.0001, 0.001, 0.0, -0.1, f64::NAN]), Some(3));
        assert_eq!(found(&[1.0, -1.0]), None);
        assert_eq!(found(&[0.0]), None);
        assert_eq!(found(&[]), None);
    }
}
