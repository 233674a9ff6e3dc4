//! The table of rewards: for each round the bet, the outcome, the payment, and the payments that are still possible.

use std::collections::HashMap;
use std::sync::OnceLock;

use num_traits::{One as _, Signed as _, Zero as _};

use debate_core::number::{Exact, Number, format_rounded, format_rounded_with_sign};
use debate_core::observe::ObservedLogEntry;
use debate_core::protocol::{
    Bet, Event, LogViewerRole, ProtocolKind, ReplySeal, Reward, RewardBeforePayment, Round,
    Rules as _,
};

use super::{
    DebateNarrator, DebateViewpoint, Line, PayoffFormatter, TextRole, ViewerPerspective,
    probability_text, winner_of_verdict,
};

/// The payment of a round: made, still possible, or skipped.
#[derive(Clone, Debug, PartialEq)]
pub enum RoundPaymentStatus {
    /// The prover's payoff.
    Paid(Exact),
    /// The minimum and the maximum payoff that the prover can still receive in the round.
    Open([Exact; 2]),
    /// The debate moved past the round, which pays nothing.
    Skipped,
}

/// A row of the table of rewards.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "a screen draws a separate sign for each boolean of a row of the reward table"
)]
pub struct RewardRow {
    pub round: Round,
    /// `init`, or the round number counted from 1.
    pub label: String,
    /// The maximum payment of the round.
    pub weight: Exact,
    /// The prover's bet in the round, or her answer in the first row, in one word; `?` while it is sealed.
    pub bet: &'static str,
    /// The outcome of the bet in one word; empty until it is known.
    pub outcome: &'static str,
    /// True if coins determined the outcome. False if the judge or the rules did, or if the round has not paid.
    pub is_coin: bool,
    /// True if the rules decided the debate, so that the outcome is the name of the winner.
    pub is_decided_by_rules: bool,
    /// The estimate against which the prover bets, in the first row the root's estimate. In free speeches, the judge's
    /// last probability.
    pub p: Option<Exact>,
    /// True if this row shows the current round.
    pub is_current: bool,
    /// The payment of the round to the prover: made, still possible, or skipped.
    pub payment: RoundPaymentStatus,
    /// True if the last step of the debate paid this round's reward.
    pub newest: bool,
    /// True if the debate is over and this round's reward is larger than all other rewards together, in absolute value.
    pub dominant: bool,
}

impl RewardRow {
    /// Returns the amount that the round paid to the prover, possibly 0; `None` if it has not paid.
    pub fn payment_to_prover(&self) -> Option<f64> {
        match &self.payment {
            RoundPaymentStatus::Paid(value) => Some(value.to_float()),
            RoundPaymentStatus::Open(_) | RoundPaymentStatus::Skipped => None,
        }
    }

    /// Returns the row's cells for a page that addresses no player: round, weight, bet, outcome, estimate, and the
    /// prover's payoff.
    pub fn third_person_table_cells(&self) -> [String; 6] {
        [
            self.label.clone(),
            format_rounded(self.weight.to_float(), 2),
            self.bet.to_owned(),
            self.outcome.to_owned(),
            self.estimate_text(),
            match self.payment_to_prover() {
                Some(0.0) => "0".to_owned(),
                Some(value) => format_rounded_with_sign(value, 3),
                None => String::new(),
            },
        ]
    }

    /// Formats the estimate in a few characters; empty if there is no estimate yet.
    pub fn estimate_text(&self) -> String {
        let p = self.p.as_ref();
        p.map(|p| probability_text(p.to_float()))
            .unwrap_or_default()
    }
}

/// The possible payments of the debate's current round to the prover.
#[derive(Clone, Debug, PartialEq)]
pub enum RoundPaymentState {
    /// The debate is over.
    Over,
    /// The round pays nothing.
    Nothing,
    /// The round has paid.
    Paid,
    /// The minimum and the maximum that the round can still pay the prover.
    Open([Exact; 2]),
}

/// A summary of the rewards so far. All amounts are payoffs of the prover.
#[derive(Clone, Debug, PartialEq)]
pub struct RewardsSoFar {
    pub total: Exact,
    /// The round that paid last, its payment, and a flag: true if the last step of the debate paid it.
    pub last: Option<(Round, Exact, bool)>,
    pub now: RoundPaymentState,
    /// The round whose payment so far has a larger absolute value than those of all other rounds together, and this
    /// payment. `None` if there is no such round.
    pub dominant: Option<(Round, Exact)>,
}

#[derive(Clone, Debug)]
struct RewardLine {
    round: Round,
    weight: Exact,
    /// In the first line Alice's answer, in other lines her bet, in one word; `?` while it is sealed.
    word: &'static str,
    /// The prover's bet; `None` if it is not yet made or not visible.
    bet: Option<Bet>,
    /// The outcome in one word.
    outcome: Option<&'static str>,
    is_coin: bool,
    is_decided_by_rules: bool,
    p: Option<Exact>,
    value: Option<Exact>,
    /// Index of the log entry that paid the round.
    entry: Option<usize>,
    /// The minimum and the maximum payment of the round, as they are before it begins.
    untouched: OnceLock<[Exact; 2]>,
}

/// The table of a debate's rewards so far.
#[derive(Clone, Debug)]
pub struct RewardTable {
    lines: Vec<RewardLine>,
    /// The index in `lines` of each round's line.
    places: HashMap<Round, usize>,
    /// The formatter for payoffs in points, from the neutral perspective.
    amounts: PayoffFormatter,
    /// The reader from whose point of view the log was read.
    reader: LogViewerRole,
    /// The perspective from which the log was read.
    perspective: ViewerPerspective,
    /// Number of log entries that the table has processed.
    read: usize,
    /// Indices of the log entries that were still sealed when the table processed them.
    sealed: Vec<usize>,
    /// Index of the line whose reward is larger than all others together.
    dominant: Option<usize>,
    /// The index of the log entry that paid the last reward, and the index in `lines` of that reward's line.
    last: Option<(usize, usize)>,
    depth: Option<u32>,
    /// The smallest and the largest round weight, for the scale of the chart.
    scale: Option<(f64, f64)>,
    /// True if the judge's last probability determines the payoff, so that no round pays separately.
    pays_final_probability: bool,
}

fn word(bet: Bet) -> &'static str {
    match bet {
        Bet::TooHigh => "high",
        Bet::AboutRight => "right",
        Bet::TooLow => "low",
    }
}

impl RewardLine {
    fn new(round: Round, weight: Exact) -> Self {
        Self {
            round,
            weight,
            word: "",
            bet: None,
            outcome: None,
            is_coin: false,
            is_decided_by_rules: false,
            p: None,
            value: None,
            entry: None,
            untouched: OnceLock::new(),
        }
    }

    /// Records the reward that a log entry pays in this line of the reward table.
    fn pay(&mut self, index: usize, reward: &Reward<Exact>, perspective: ViewerPerspective) {
        self.entry = Some(index);
        self.value = Some(reward.payment_to_prover());
        self.is_coin = matches!(
            reward,
            Reward::Agreement { .. } | Reward::Bet { judged: false, .. }
        );
        match reward {
            Reward::Agreement {
                coin: outcome,
                answer,
                ..
            }
            | Reward::Verdict {
                claimed: answer,
                answer: outcome,
            } => {
                self.word = DebateNarrator::truth_word(*answer);
                self.outcome = Some(DebateNarrator::truth_word(*outcome));
            }
            Reward::Bet { bet, outcome, .. } => {
                self.word = word(*bet);
                self.outcome = Some(DebateNarrator::truth_word(*outcome));
            }
            Reward::Decided { for_prover } => {
                self.is_decided_by_rules = true;
                self.outcome = Some(perspective.player_name_or_you(winner_of_verdict(*for_prover)));
            }
            Reward::Persuaded { p } => self.p = Some(p.clone()),
        }
    }

    /// Returns the range of the round's payment as it is before the round begins. The range is cached, because every
    /// drawn frame needs it.
    fn untouched(&self) -> [Exact; 2] {
        let range = self.untouched.get_or_init(|| self.range(None, true));
        range.clone()
    }

    /// Returns the minimum and the maximum payment that the prover can still receive in the round. `outcome` is the
    /// gate's value, if the round's coins have already decided it. If `tells_bet` is false, the range does not depend
    /// on the bet, so that it reveals nothing about it.
    fn range(&self, outcome: Option<bool>, tells_bet: bool) -> [Exact; 2] {
        let open = RewardBeforePayment {
            round: self.round,
            weight: self.weight.clone(),
            p: self.p.clone(),
            bet: self.bet.filter(|_| tells_bet),
            outcome,
        };
        open.least_and_greatest_round_reward()
    }
}

/// Returns the value of the gate under discussion, if the coins of this round have already decided it.
fn decided(view: &DebateViewpoint<'_, '_>) -> Option<bool> {
    let (gate, _) = view.state.gate_decided_by_coins_with_estimates()?;
    let (claim, support) = view.log.last_chosen_support()?;
    let width = view.facts.instance.support(claim, support)?.on.len();
    let coins = view.log.coins_since_split();
    // The probability 1/2 for the next coin is arbitrary: a decided gate has probability 0 or 1 for every such
    // probability. After the last coin, that coin is the next one, and its probability is 0 or 1.
    let (earlier, next) = match coins.split_last() {
        Some(((_, last), earlier)) if coins.len() == width => (earlier, Exact::indicator(*last)),
        _ => (&coins[..], Exact::ratio(1, 2)),
    };
    let rest = u32::try_from(width.checked_sub(earlier.len() + 1)?).ok()?;
    let tally = gate.tally_of_outcomes(earlier.iter().map(|(_, value)| *value));
    let (least, most) = gate.implied_range(tally, rest, &next);
    let is_certain = least == most && (most.is_one() || most.is_zero());
    is_certain.then(|| most.is_one())
}

impl RewardTable {
    pub fn new(view: &DebateViewpoint<'_, '_>, schedule: &[(Round, Exact)]) -> Self {
        // Rounds that cannot pay have no line in the table.
        let paying = schedule.iter().filter(|(_, weight)| !weight.is_zero());
        let lines: Vec<RewardLine> = paying
            .map(|(round, weight)| RewardLine::new(*round, weight.clone()))
            .collect();
        let places = lines.iter().enumerate();
        let depth = Round::first_of(schedule);
        let weights = || lines.iter().map(|line| line.weight.to_float());
        let scale = weights().reduce(f64::min).zip(weights().reduce(f64::max));
        Self {
            places: places.map(|(place, line)| (line.round, place)).collect(),
            lines,
            amounts: view.payoff_formatter(),
            reader: view.reader,
            perspective: view.perspective,
            read: 0,
            sealed: Vec::new(),
            dominant: None,
            last: None,
            depth,
            scale,
            pays_final_probability: view.facts.kind == ProtocolKind::Speeches,
        }
    }

    /// Returns the number of log entries that the table has processed.
    pub fn log_entries_read(&self) -> usize {
        self.read
    }

    /// True if one point is a payoff of 1, so that both units give the same figures.
    pub fn are_points_equal_to_payoffs(&self) -> bool {
        self.amounts.point.is_one()
    }

    /// True if the judge's last probability determines the payoff, whatever the number of rounds.
    pub fn last_judge_probability_sets_payoff(&self) -> bool {
        self.pays_final_probability
    }

    /// Clears everything that the table took from the log. Callers do this after replies were undone.
    pub fn clear_data_from_log(&mut self, view: &DebateViewpoint<'_, '_>) {
        for line in &mut self.lines {
            *line = RewardLine::new(line.round, std::mem::take(&mut line.weight));
        }
        self.reader = view.reader;
        self.perspective = view.perspective;
        self.read = 0;
        self.sealed.clear();
        self.dominant = None;
        self.last = None;
    }

    /// Updates the table for new log entries. Starts over if the reader or the perspective changed or the log became
    /// shorter. After replies were undone and replaced, the caller must first call [`Self::clear_data_from_log`].
    pub fn read_new_log_entries(&mut self, view: &DebateViewpoint<'_, '_>) {
        let count = view.log.entries().len();
        let looks = (self.reader, self.perspective) == (view.reader, view.perspective);
        if !looks || count < self.read {
            self.clear_data_from_log(view);
        }
        let before = self.last;
        let sealed = std::mem::take(&mut self.sealed);
        for index in sealed.into_iter().chain(self.read..count) {
            match view.log.observation_at(index, view.reader) {
                Some(ObservedLogEntry::Open(entry)) => self.note(index, &entry.event),
                Some(ObservedLogEntry::Sealed { seal, .. }) => {
                    self.sealed.push(index);
                    let round = match seal {
                        ReplySeal::Answer => Some(Round::Initial),
                        ReplySeal::Bet(k) => Some(Round::Number(k)),
                        ReplySeal::Share(_) | ReplySeal::Speech(_) => None,
                    };
                    if let Some(round) = round {
                        self.with(round, |line| line.word = "?");
                    }
                }
                None => {}
            }
        }
        self.read = count;
        if self.last != before {
            self.dominant = index_of_value_above_sum_of_others(self.payments_to_prover_by_round());
        }
    }

    /// Formats the payment of each row and the total, so that the shown payments add up to the shown total. A row that
    /// has paid nothing yet has no text.
    pub fn shown_payments(
        &self,
        view: &DebateViewpoint<'_, '_>,
        amounts: &PayoffFormatter,
    ) -> (Vec<Option<String>>, String) {
        let paid = self.lines.iter().filter_map(|line| line.value.clone());
        let shown = amounts.amounts_with_sum(&paid.collect::<Vec<_>>(), &self.summary(view).total);
        let mut texts = shown.parts.into_iter();
        let rows = self
            .lines
            .iter()
            .map(|line| line.value.as_ref().and_then(|_| texts.next()));
        (rows.collect(), shown.sum)
    }

    /// Returns the prover's payment of each round; NaN if the round has not paid yet.
    pub fn payments_to_prover_by_round(&self) -> impl Iterator<Item = f64> + Clone {
        let lines = self.lines.iter();
        lines.map(|line| line.value.as_ref().map_or(f64::NAN, Number::to_float))
    }

    fn with(&mut self, round: Round, change: impl FnOnce(&mut RewardLine)) {
        let place = self.places.get(&round);
        if let Some(line) = place.and_then(|place| self.lines.get_mut(*place)) {
            change(line);
            line.untouched = OnceLock::new();
        }
    }

    fn note(&mut self, index: usize, event: &Event<Exact>) {
        if let Some(answer) = event.prover_root_answer() {
            self.with(Round::Initial, |line| {
                line.word = DebateNarrator::truth_word(answer);
            });
        }
        if let Some(p) = event.root_estimate() {
            self.with(Round::Initial, |line| line.p = Some(p.clone()));
        }
        if let Some((round, p)) = event.round_started_and_claim_probability() {
            self.with(Round::Number(round), |line| line.p = p.cloned());
        }
        if let Some((round, bet)) = event.round_and_bet() {
            self.with(Round::Number(round), |line| {
                line.word = word(bet);
                line.bet = Some(bet);
            });
        }
        if let Some(reward) = event.reward() {
            let place = self.places.get(&reward.round_of_reward()).copied();
            self.last = place.map(|place| (index, place));
            let perspective = self.perspective;
            self.with(reward.round_of_reward(), |line| {
                line.pay(index, reward, perspective);
            });
        }
    }

    /// Returns the formatter for payoffs in points, from the viewer's perspective. It writes the table's payments as
    /// the table shows them.
    pub fn payoff_formatter(&self, view: &DebateViewpoint<'_, '_>) -> PayoffFormatter {
        let paid = self.lines.iter().filter_map(|line| line.value.clone());
        self.amounts
            .clone()
            .with_perspective(view.perspective)
            .with_matching_payment_digits(paid)
    }

    /// Returns the label of a round in the table: `init`, or the round's number counted from 1.
    pub fn label(&self, round: Round) -> String {
        round.round_label(self.depth)
    }

    /// Returns the name of a round in a sentence: "first answer", "round 2".
    pub fn round_name(&self, round: Round) -> String {
        match round {
            Round::Initial => "first answer".to_owned(),
            Round::Number(_) => format!("round {}", self.label(round)),
        }
    }

    /// Returns a summary of the rewards so far.
    pub fn summary(&self, view: &DebateViewpoint<'_, '_>) -> RewardsSoFar {
        let line = |place: usize| self.lines.get(place);
        let paid = |line: &RewardLine| Some((line.round, line.value.clone()?));
        let last = self.last.and_then(|(entry, place)| {
            let (round, value) = paid(line(place)?)?;
            Some((round, value, view.newest.contains(&entry)))
        });
        // A table that is behind the log shows the sum of the entries that it has read.
        let total = if self.is_behind_log(view) {
            self.lines
                .iter()
                .filter_map(|line| line.value.clone())
                .sum()
        } else {
            view.state.payoff()
        };
        RewardsSoFar {
            total,
            last,
            now: self.under_way(view),
            dominant: self.dominant.and_then(line).and_then(paid),
        }
    }

    /// True if the log has entries that the table has not read yet, because they are still being shown.
    fn is_behind_log(&self, view: &DebateViewpoint<'_, '_>) -> bool {
        self.read < view.log.entries().len()
    }

    /// Returns the possible payments of the debate's current round.
    fn under_way(&self, view: &DebateViewpoint<'_, '_>) -> RoundPaymentState {
        let Some(round) = view.state.round() else {
            return RoundPaymentState::Over;
        };
        let place = self.places.get(&round);
        match place.and_then(|place| self.lines.get(*place)) {
            None => RoundPaymentState::Nothing,
            Some(line) if line.value.is_some() => RoundPaymentState::Paid,
            Some(line) => RoundPaymentState::Open(
                line.range(decided(view), view.viewer_may_see_reply_values()),
            ),
        }
    }

    /// Returns the index of the current round's row. `None` if the round pays nothing or the debate is over.
    pub fn row_index_of_current_round(&self, view: &DebateViewpoint<'_, '_>) -> Option<usize> {
        self.places.get(&view.state.round()?).copied()
    }

    pub fn len(&self) -> usize {
        self.lines.len()
    }

    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Returns the smallest and the largest weight of the rounds that can pay; `None` if no round can.
    pub fn round_weight_range(&self) -> Option<(f64, f64)> {
        self.scale
    }

    /// Returns the largest absolute payoff that a chart of the rewards must show, among the payments made and those
    /// still possible.
    pub fn largest_paid_or_possible_payment(&self, view: &DebateViewpoint<'_, '_>) -> Exact {
        let sizes = (0..self.len())
            .filter_map(|number| self.row(number, view))
            .flat_map(|row| match row.payment {
                RoundPaymentStatus::Paid(value) => vec![value.abs()],
                RoundPaymentStatus::Open(range) => range.map(|value| value.abs()).into(),
                RoundPaymentStatus::Skipped => Vec::new(),
            });
        sizes.max().unwrap_or_default()
    }

    /// Returns the round whose reward is larger than all others together, and its payment to the prover.
    pub fn dominating_round_and_reward(&self) -> Option<(Round, &Exact)> {
        let line = self.lines.get(self.dominant?)?;
        Some((line.round, line.value.as_ref()?))
    }

    /// True if several rounds pay a reward, so that one may outweigh the others.
    pub fn has_several_paying_rounds(&self) -> bool {
        self.lines.len() > 1
    }

    pub fn debate_depth(&self) -> Option<u32> {
        self.depth
    }

    pub fn weight(&self, round: Round) -> Option<&Exact> {
        let line = self.lines.get(*self.places.get(&round)?)?;
        Some(&line.weight)
    }

    /// Returns lines about the reward under rules that pay only once: its rule and its payment.
    pub fn lines_about_only_reward(&self) -> Vec<Line> {
        let Some(line) = self.lines.first() else {
            return Vec::new();
        };
        let weight = format_rounded(line.weight.to_float(), 2);
        let perspective = self.perspective;
        let receiver = perspective.payoff_seat();
        let rule = if self.pays_final_probability {
            format!(
                "the judge's last probability of {} answer minus one half, from -{weight} to \
                 +{weight}",
                perspective.possessive(receiver)
            )
        } else {
            format!(
                "+{weight} if {player} {wins_or_win}, -{weight} if {rival} does",
                player = perspective.player_name_or_you_in_sentence(receiver),
                wins_or_win = perspective.verb_form(receiver, "wins", "win"),
                rival = perspective.player_name_or_you_in_sentence(perspective.opposing_debater())
            )
        };
        let paid = line.value.as_ref().map(|value| {
            let value = perspective.value(value.clone());
            let role = if value.is_positive() {
                TextRole::Good
            } else {
                TextRole::Bad
            };
            Line::unlabelled(
                role,
                format!("Paid: {}", format_rounded_with_sign(value.to_float(), 3)),
            )
        });
        let rule = Line::unlabelled(TextRole::Faint, format!("One reward, at the end: {rule}."));
        [rule].into_iter().chain(paid).collect()
    }

    pub fn rows(&self, view: &DebateViewpoint<'_, '_>) -> Vec<RewardRow> {
        let rows = 0..self.lines.len();
        rows.filter_map(|row| self.row(row, view)).collect()
    }

    /// Returns the table's row with this index, from 0.
    pub fn row(&self, number: usize, view: &DebateViewpoint<'_, '_>) -> Option<RewardRow> {
        let line = self.lines.get(number)?;
        let place = view.state.round().map(|round| self.places.get(&round));
        let is_behind = self.is_behind_log(view);
        let payment = match (&line.value, place) {
            (Some(value), _) => RoundPaymentStatus::Paid(value.clone()),
            // The state may have left a round whose payment the table has not read yet.
            (None, None) if is_behind => RoundPaymentStatus::Open(line.untouched()),
            (None, Some(Some(place))) if is_behind && number < *place => {
                RoundPaymentStatus::Open(line.untouched())
            }
            (None, None) => RoundPaymentStatus::Skipped,
            (None, Some(Some(place))) if number < *place => RoundPaymentStatus::Skipped,
            (None, Some(Some(place))) if number == *place => RoundPaymentStatus::Open(
                line.range(decided(view), view.viewer_may_see_reply_values()),
            ),
            (None, Some(_)) => RoundPaymentStatus::Open(line.untouched()),
        };
        Some(RewardRow {
            round: line.round,
            label: self.label(line.round),
            weight: line.weight.clone(),
            bet: line.word,
            outcome: line.outcome.unwrap_or_default(),
            is_coin: line.is_coin,
            is_decided_by_rules: line.is_decided_by_rules,
            is_current: place == Some(Some(&number)),
            p: line.p.clone(),
            payment,
            newest: line.entry.is_some_and(|entry| view.newest.contains(&entry)),
            // Before the end, a later round can still outweigh this one.
            dominant: place.is_none()
                && !is_behind
                && self.has_several_paying_rounds()
                && self.dominant == Some(number),
        })
    }

    /// Returns lines that explain the last paid reward, in words and by its formula.
    pub fn explain_last_reward(
        &self,
        view: &DebateViewpoint<'_, '_>,
        amounts: &PayoffFormatter,
    ) -> Vec<Line> {
        let last = self.last.and_then(|(last, _)| view.log.entries().get(last));
        let Some(reward) = last.and_then(|entry| entry.event.reward()) else {
            return Vec::new();
        };
        let narrator = view.narrator(amounts.script);
        let title = if self.has_several_paying_rounds() {
            "Reason for the last reward"
        } else {
            "Reason"
        };
        let because = format!(
            "{}.",
            narrator.reward_reason_with_check_result(reward, view.log)
        );
        let mut lines = vec![
            Line::default(),
            Line::unlabelled(TextRole::Title, title),
            Line::unlabelled(TextRole::Text, because),
        ];
        if !matches!(reward, Reward::Decided { .. }) {
            lines.push(Line::unlabelled(
                TextRole::Faint,
                narrator.reward_with_named_factors(reward, amounts),
            ));
        }
        lines
    }
}

/// Returns the index of the value whose absolute value exceeds the sum of all other absolute values. `None` if no value
/// does. NaN (a value not yet known) counts as 0.
pub fn index_of_value_above_sum_of_others(
    values: impl Iterator<Item = f64> + Clone,
) -> Option<usize> {
    let sizes = values
        .map(|value| if value.is_finite() { value.abs() } else { 0.0 })
        .enumerate();
    let (at, largest) = sizes.clone().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let others = sizes.filter(|(other, _)| *other != at);
    (largest > others.map(|(_, size)| size).sum()).then_some(at)
}

/// Returns the height of a chart's bar for a value, from −1 to 1, on a logarithmic scale with sign. The height is 1 for
/// `largest`, and 0 for absolute values below `least`.
pub fn log_scale_bar_height(value: f64, least: f64, largest: f64) -> f64 {
    let size = value.abs().clamp(0.0, largest);
    if !value.is_finite() || size < least || value == 0.0 {
        return 0.0;
    }
    // The scale has one decade more than the range, so that the smallest value has a visible height.
    let decades = (largest / least).log10() + 1.0;
    ((size / least).log10() + 1.0) / decades * value.signum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_grow_with_the_digits_of_their_value() {
        assert!((log_scale_bar_height(1.0, 1e-8, 1.0) - 1.0).abs() < 1e-12);
        assert!((log_scale_bar_height(-1e-8, 1e-8, 1.0) + 1.0 / 9.0).abs() < 1e-12);
        let decade = log_scale_bar_height(1e-3, 1e-8, 1.0) - log_scale_bar_height(1e-4, 1e-8, 1.0);
        assert!((decade - 1.0 / 9.0).abs() < 1e-12);
        assert!(log_scale_bar_height(0.0, 1e-8, 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_value_that_outweighs_the_others_is_found() {
        let found = |values: &[f64]| index_of_value_above_sum_of_others(values.iter().copied());
        assert_eq!(found(&[-0.0001, 0.001, 0.0, -0.1, f64::NAN]), Some(3));
        assert_eq!(found(&[1.0, -1.0]), None);
        assert_eq!(found(&[0.0]), None);
        assert_eq!(found(&[]), None);
    }
}
