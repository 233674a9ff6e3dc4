//! The rewards, round by round: what was bet, what came out, what it paid.

use std::collections::HashMap;
use std::ops::Range;

use num_traits::Zero as _;

use crate::number::{Number, short, signed};
use crate::protocol::{Bet, Event, Reader, Reward, Round, Seal, Seat, Seen};
use crate::tui::panel::chart::{Bar, dominant};
use crate::tui::panel::measure::{align_right, pad};
use crate::tui::panel::scroll::{Entries, Entry};
use crate::tui::theme::{Look, Role};

use super::{Sight, chance};

/// What is known of one round.
#[derive(Clone, Debug)]
struct Line {
    round: Round,
    weight: f64,
    /// The bet, or Alice's answer in the first line, in a word; `?` while it is sealed.
    bet: &'static str,
    /// What came of it, in a word.
    outcome: Option<&'static str>,
    p: Option<f64>,
    value: Option<f64>,
    /// The entry of the log that paid it.
    entry: Option<usize>,
}

/// A round of the table of rewards as it is told.
#[derive(Clone, Debug, PartialEq)]
pub struct Paid {
    /// The round: `init`, or its number.
    pub round: String,
    /// The most that it can pay.
    pub weight: String,
    /// What was bet, or answered, in a word; `?` while it is sealed.
    pub bet: &'static str,
    /// What came of it, in a word; empty before.
    pub came: &'static str,
    /// The probability that it is about; empty where there is none yet.
    pub p: String,
    /// What Alice was paid; empty before.
    pub paid: String,
    /// The same as a number.
    pub value: Option<f64>,
    /// Whether that has just happened.
    pub newest: bool,
    /// Whether it outweighs all other rounds.
    pub dominant: bool,
}

/// The rewards of a debate so far.
#[derive(Clone, Debug)]
pub(super) struct Rewards {
    lines: Vec<Line>,
    /// The line of each round.
    places: HashMap<Round, usize>,
    /// Who looked when the log was read.
    reader: Reader,
    /// Entries of the log that have been read.
    read: usize,
    /// Those among them that were sealed then.
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

impl Rewards {
    /// The rewards of a whole log.
    pub(super) fn of(sight: &Sight<'_, '_>, schedule: &[(Round, crate::number::Exact)]) -> Self {
        let mut rewards = Self::new(sight, schedule);
        rewards.read(sight);
        rewards
    }

    /// Nothing read yet.
    pub(super) fn new(sight: &Sight<'_, '_>, schedule: &[(Round, crate::number::Exact)]) -> Self {
        // Rounds that can pay nothing are no lines of the table.
        let paying = schedule.iter().filter(|(_, weight)| !weight.is_zero());
        let lines: Vec<Line> = paying
            .map(|(round, weight)| Line {
                round: *round,
                weight: weight.to_float(),
                bet: "",
                outcome: None,
                p: None,
                value: None,
                entry: None,
            })
            .collect();
        let places = lines.iter().enumerate();
        let depth = schedule.iter().find_map(|(round, _)| match round {
            Round::Number(k) => Some(*k),
            Round::Initial => None,
        });
        Self {
            places: places.map(|(place, line)| (line.round, place)).collect(),
            lines,
            reader: sight.reader,
            read: 0,
            sealed: Vec::new(),
            dominant: None,
            last: None,
            depth,
        }
    }

    /// Reads on in the log. Says whether it could: not where somebody else looks, or where the log
    /// is shorter than it was.
    pub(super) fn read(&mut self, sight: &Sight<'_, '_>) -> bool {
        let count = sight.log.entries().len();
        if self.reader != sight.reader || count < self.read {
            return false;
        }
        let before = self.last;
        let sealed = std::mem::take(&mut self.sealed);
        for index in sealed.into_iter().chain(self.read..count) {
            match sight.log.seen_by(index, sight.reader) {
                Some(Seen::Open(entry)) => self.note(index, &entry.event),
                Some(Seen::Sealed { seal, .. }) => {
                    self.sealed.push(index);
                    let round = match seal {
                        Seal::Answer => Some(Round::Initial),
                        Seal::Bet(k) => Some(Round::Number(k)),
                        Seal::Share(_) => None,
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
            self.dominant = dominant(&self.bars());
        }
        true
    }

    fn with(&mut self, round: Round, change: impl FnOnce(&mut Line)) {
        let place = self.places.get(&round);
        if let Some(line) = place.and_then(|place| self.lines.get_mut(*place)) {
            change(line);
        }
    }

    fn note(&mut self, index: usize, event: &Event<crate::number::Exact>) {
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

    /// The rounds as bars; what is not paid yet is unknown.
    pub(super) fn bars(&self) -> Vec<Bar> {
        self.lines
            .iter()
            .map(|line| Bar::new(line.round.to_string(), line.value.unwrap_or(f64::NAN)))
            .collect()
    }

    /// The least and the largest weight.
    pub(super) fn scale(&self) -> Option<(f64, f64)> {
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
    pub(super) fn dominating(&self) -> Option<(Round, f64)> {
        let line = self.lines.get(self.dominant?)?;
        Some((line.round, line.value?))
    }

    /// Whether several rounds are paid, so that one may outweigh the others.
    pub(super) fn compares(&self) -> bool {
        self.lines.len() > 1
    }

    /// The number of the first round.
    pub(super) fn depth(&self) -> Option<u32> {
        self.depth
    }

    /// The most that a round can pay.
    pub(super) fn weight(&self, round: Round) -> Option<f64> {
        let line = self.lines.get(*self.places.get(&round)?)?;
        Some(line.weight)
    }

    /// The table and below it the last reward as its formula and in words.
    pub(super) fn entries<'t>(
        &'t self,
        sight: &Sight<'_, '_>,
        look: &'t Look,
        columns: usize,
    ) -> Table<'t> {
        let only = if self.compares() {
            Vec::new()
        } else {
            self.only()
        };
        Table {
            rewards: self,
            look,
            newest: sight.newest.clone(),
            // The weight goes first where there is no room for it: the strip says what is at stake.
            weights: columns >= 41,
            below: only
                .into_iter()
                .chain(self.explained(sight, look))
                .collect(),
        }
    }

    /// Where a single reward is paid there is nothing to compare.
    pub(super) fn only(&self) -> Vec<Entry> {
        let plain = |role, text: String| Entry::default().then(role, text);
        let Some(line) = self.lines.first() else {
            return Vec::new();
        };
        let weight = short(line.weight, 2);
        let rule =
            format!("One reward, at the end: +{weight} if Alice wins, -{weight} if Bob does.");
        let paid = line.value.map(|value| {
            let role = if value > 0.0 { Role::Good } else { Role::Bad };
            plain(role, format!("Paid: {}", signed(value, 3)))
        });
        [plain(Role::Faint, rule)].into_iter().chain(paid).collect()
    }

    /// Each round that pays, in words and figures.
    pub(super) fn rows(&self, newest: &Range<usize>) -> Vec<Paid> {
        let rows = 0..self.lines.len();
        rows.filter_map(|row| self.row(row, newest)).collect()
    }

    fn row(&self, number: usize, newest: &Range<usize>) -> Option<Paid> {
        let line = self.lines.get(number)?;
        Some(Paid {
            round: line.round.to_string(),
            weight: short(line.weight, 2),
            bet: line.bet,
            came: line.outcome.unwrap_or_default(),
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
    pub(super) fn explained(&self, sight: &Sight<'_, '_>, look: &Look) -> Vec<Entry> {
        let mut entries = Vec::new();
        if let Some(Event::Rewarded(reward)) = self
            .last
            .and_then(|last| sight.log.entries().get(last))
            .map(|entry| &entry.event)
        {
            let teller = sight.scene.teller(look);
            entries.push(Entry::default());
            let title = if self.compares() {
                "The last one, because"
            } else {
                "Because"
            };
            entries.push(Entry::default().then(Role::Title, title));
            let because = format!("{}.", teller.why(reward, sight.log));
            entries.push(Entry::default().then(Role::Text, because));
            if !matches!(reward, Reward::Decided { .. }) {
                entries.push(Entry::default().then(Role::Faint, teller.formula(reward)));
            }
        }
        entries
    }
}

/// The rewards as entries of a scrolling list, each made when it is seen.
pub(super) struct Table<'t> {
    rewards: &'t Rewards,
    look: &'t Look,
    newest: Range<usize>,
    /// Whether there is a column for the weights.
    weights: bool,
    /// What stands below the rows.
    below: Vec<Entry>,
}

impl Table<'_> {
    /// The rows of the table, its head among them.
    fn rows(&self) -> usize {
        if self.rewards.compares() {
            self.rewards.lines.len() + 1
        } else {
            0
        }
    }

    fn weight(&self, text: &str) -> String {
        if self.weights {
            pad(text, 7)
        } else {
            String::new()
        }
    }

    fn head(&self) -> Entry {
        let head = format!(
            "{}{}{}{}{}{}",
            pad("round", 6),
            self.weight("weight"),
            pad("bet", 6),
            pad("came", 6),
            align_right("p", 7),
            align_right("paid", 9)
        );
        Entry::default().then(Role::Faint, head)
    }

    /// The row of a round that pays.
    fn row(&self, paid: &Paid) -> Entry {
        let mut round = paid.round.clone();
        if paid.dominant {
            round.push_str(self.look.glyphs.dominant);
        }
        let text = format!(
            "{}{}{}{}{}",
            pad(&round, 6),
            self.weight(&paid.weight),
            pad(paid.bet, 6),
            pad(paid.came, 6),
            align_right(&paid.p, 7),
        );
        let role = match (paid.newest, paid.value) {
            (true, _) => Role::Newest,
            (false, None) if paid.p.is_empty() => Role::Faint,
            _ => Role::Text,
        };
        let paid_role = match paid.value {
            Some(value) if value > 0.0 => Role::Good,
            Some(value) if value < 0.0 => Role::Bad,
            _ => role,
        };
        Entry::default()
            .then(role, text)
            .then(paid_role, align_right(&paid.paid, 9))
    }
}

impl Entries for Table<'_> {
    fn len(&self) -> usize {
        self.rows() + self.below.len()
    }

    fn entry(&self, number: usize) -> Entry {
        if let Some(below) = number.checked_sub(self.rows()) {
            return self.below.get(below).cloned().unwrap_or_default();
        }
        let Some(row) = number.checked_sub(1) else {
            return self.head();
        };
        let paid = self.rewards.row(row, &self.newest);
        paid.map_or_else(Entry::default, |paid| self.row(&paid))
    }
}
