//! The rewards, round by round: what was bet, what came out, what it paid.

use num_traits::Zero as _;

use crate::number::{Number, short, signed};
use crate::protocol::{Bet, Event, Reward, Round, Seal, Seat, Seen};
use crate::tui::panel::chart::{Bar, dominant};
use crate::tui::panel::measure::{align_right, pad};
use crate::tui::panel::scroll::Entry;
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
    newest: bool,
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
#[derive(Clone, Debug, Default)]
pub(super) struct Rewards {
    lines: Vec<Line>,
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
    pub(super) fn of(sight: &Sight<'_, '_>, schedule: &[(Round, crate::number::Exact)]) -> Self {
        // Rounds that can pay nothing are no lines of the table.
        let paying = schedule.iter().filter(|(_, weight)| !weight.is_zero());
        let lines = paying.map(|(round, weight)| Line {
            round: *round,
            weight: weight.to_float(),
            bet: "",
            outcome: None,
            p: None,
            value: None,
            newest: false,
        });
        let depth = schedule.iter().find_map(|(round, _)| match round {
            Round::Number(k) => Some(*k),
            Round::Initial => None,
        });
        let mut rewards = Self {
            lines: lines.collect(),
            depth,
            ..Self::default()
        };
        for index in 0..sight.log.entries().len() {
            match sight.log.seen_by(index, sight.viewer) {
                Some(Seen::Open(entry)) => rewards.note(sight, index, &entry.event),
                Some(Seen::Sealed { seal, .. }) => {
                    let round = match seal {
                        Seal::Answer => Some(Round::Initial),
                        Seal::Bet(k) => Some(Round::Number(k)),
                        Seal::Share(_) => None,
                    };
                    if let Some(round) = round {
                        rewards.with(round, |line| line.bet = "?");
                    }
                }
                None => {}
            }
        }
        let paid = rewards.last.is_some();
        rewards.dominant = dominant(&rewards.bars()).filter(|_| paid);
        rewards
    }

    fn with(&mut self, round: Round, change: impl FnOnce(&mut Line)) {
        if let Some(line) = self.lines.iter_mut().find(|line| line.round == round) {
            change(line);
        }
    }

    fn note(&mut self, sight: &Sight<'_, '_>, index: usize, event: &Event<crate::number::Exact>) {
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
                    line.newest = sight.newest.contains(&index);
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
        self.lines
            .iter()
            .find(|line| line.round == round)
            .map(|line| line.weight)
    }

    /// The table and below it the last reward as its formula and in words.
    pub(super) fn entries(&self, sight: &Sight<'_, '_>, look: &Look, columns: usize) -> Vec<Entry> {
        let mut entries = if self.compares() {
            self.table(look, columns)
        } else {
            self.only()
        };
        entries.extend(self.explained(sight, look));
        entries
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
    pub(super) fn rows(&self) -> Vec<Paid> {
        let row = |(number, line): (usize, &Line)| Paid {
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
            newest: line.newest,
            dominant: self.compares() && self.dominant == Some(number),
        };
        self.lines.iter().enumerate().map(row).collect()
    }

    /// A row for each round that pays.
    fn table(&self, look: &Look, columns: usize) -> Vec<Entry> {
        // The weight goes first where there is no room for it: the strip says what is at stake.
        let weights = columns >= 41;
        let weight = |text: &str| if weights { pad(text, 7) } else { String::new() };
        let head = format!(
            "{}{}{}{}{}{}",
            pad("round", 6),
            weight("weight"),
            pad("bet", 6),
            pad("came", 6),
            align_right("p", 7),
            align_right("paid", 9)
        );
        let mut entries = vec![Entry::default().then(Role::Faint, head)];
        for paid in self.rows() {
            let mut round = paid.round;
            if paid.dominant {
                round.push_str(look.glyphs.dominant);
            }
            let text = format!(
                "{}{}{}{}{}",
                pad(&round, 6),
                weight(&paid.weight),
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
            entries.push(
                Entry::default()
                    .then(role, text)
                    .then(paid_role, align_right(&paid.paid, 9)),
            );
        }
        entries
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
