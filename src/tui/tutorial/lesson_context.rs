//! The current state of a lesson's debate: tests of the conditions for texts, and the figures that the texts mention.

use std::collections::BTreeMap;

use num_traits::{Signed as _, Zero as _};

use super::{Lesson, LessonTextCondition, LineOrKeyInputMode};
use crate::tui::keys;
use crate::tui::keys::Action;
use debate_core::bits::BitString;
use debate_core::gate::is_visible_gap;
use debate_core::number::{Exact, Number as _, format_percent};
use debate_core::player::SeatedDebate;
use debate_core::protocol::{
    Bet, BitsMeaning, Log, Request, Round, Rules as _, Seat, SubclaimEstimateAndCoin,
};
use debate_core::scenario::{ClaimId, Instance};
use debate_text::{
    DebateNarrator, FormulaCharacterSet, ImpliedRangeAndOwnEstimate, PayoffFormatter,
    SignCharacters, ViewerPerspective,
};

/// The current state of a debate, from which a lesson chooses its text.
pub struct LessonContext<'m, 'a> {
    pub seating: &'m SeatedDebate<'a, Exact>,
    pub instance: &'m Instance,
    pub input_mode: LineOrKeyInputMode<'m>,
    pub lesson: &'static Lesson,
}

impl LessonContext<'_, '_> {
    /// Fills the placeholders (in braces) of a lesson's text. Returns `None` if a placeholder currently has no value.
    pub fn fill_lesson_text_placeholders(&self, text: &str) -> Option<String> {
        let mut filled = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let (slot, after) = after.split_once('}')?;
            filled.push_str(before);
            filled.push_str(&match slot {
                "on" => self.continue_sentence(),
                "send" => self.send_key(),
                "next" => self.continue_or_undo_sentence(),
                "retry" => self.undo_sentence(),
                slot => self.slot(slot)?,
            });
            rest = after;
        }
        filled.push_str(rest);
        Some(filled)
    }

    /// Returns a sentence that names the key to continue. Empty in plain lines, which continue automatically.
    fn continue_sentence(&self) -> String {
        let (context, action) = match self.seating.turn() {
            Some(_) => (keys::WATCH, Action::PlayToTurn),
            None => (keys::END, Action::Onward),
        };
        let key = self.input_mode.key(context, action);
        key.map_or_else(String::new, |key| format!(" Press {key}."))
    }

    /// Returns a sentence that names the key to continue, and the key to undo the last reply if it can be undone. In
    /// plain lines, only says how to undo.
    fn continue_or_undo_sentence(&self) -> String {
        let undo_key = self.input_mode.key(keys::TOGGLES, Action::Undo);
        let onward_key = self.input_mode.key(keys::WATCH, Action::PlayToTurn);
        match (undo_key, onward_key) {
            (Some(undo_key), Some(onward_key)) if self.seating.move_count_after_undo().is_ok() => {
                format!(" Press {onward_key}, or {undo_key} to retry.")
            }
            (Some(_), Some(_)) => self.continue_sentence(),
            _ => self.undo_sentence(),
        }
    }

    /// Returns a symbol of the debate screen in parentheses, after a space. Empty in plain lines, which have no
    /// symbols.
    fn sign(&self, sign: &str) -> String {
        match self.input_mode {
            LineOrKeyInputMode::Keys(..) => format!(" ({sign})"),
            LineOrKeyInputMode::Lines => String::new(),
        }
    }

    /// Returns a sentence on how to undo the last reply; empty if it cannot be undone.
    fn undo_sentence(&self) -> String {
        if self.seating.move_count_after_undo().is_err() {
            return String::new();
        }
        let key = self.input_mode.key(keys::TOGGLES, Action::Undo);
        match key {
            Some(key) => format!(" Press {key} to retry."),
            None => " Type undo to retry.".to_owned(),
        }
    }

    /// Returns the label of the key that sends a number.
    fn send_key(&self) -> String {
        let key = self.input_mode.key(keys::SLIDER, Action::Send);
        key.unwrap_or_else(|| "enter".to_owned())
    }

    fn log(&self) -> &Log<Exact> {
        self.seating.log()
    }

    pub fn is_condition_met(&self, when: LessonTextCondition) -> bool {
        use LessonTextCondition as When;
        let turn = self.seating.turn();
        let pending = turn.as_ref().map(|turn| request_name(&turn.request));
        let mine = self
            .seating
            .awaited_seat_of_user_or_driving_program()
            .is_some();
        let (fact, wanted) = match when {
            When::Asked(name) => return mine && pending == Some(name),
            When::Awaited(name) => return !mine && pending == Some(name),
            When::InRound(round) => {
                return self.seating.state().round() == Some(Round::Number(round));
            }
            When::Over => return turn.is_none(),
            When::AllParts => {
                let parts = self.subclaim_estimates().len();
                return parts > 0 && Some(parts) == self.subclaims().map(<[ClaimId]>::len);
            }
            When::FirstPart(wanted) => (Some(self.subclaim_estimates().is_empty()), wanted),
            When::Flawed(wanted) => (Some(self.is_flawed()), wanted),
            When::CertainAfterFlaw(wanted) => {
                let own = self.own_last_estimate().filter(|_| self.is_flawed());
                (own.map(|own| own == Exact::indicator(true)), wanted)
            }
            When::Begun(wanted) => (Some(!self.log().entries().is_empty()), wanted),
            When::Chosen(wanted) => (Some(self.log().last_selected_claim().is_some()), wanted),
            When::Lost(wanted) => (self.other_debater_can_win(), wanted),
            When::NothingWrong(wanted) => (self.is_contested_run_correct(), wanted),
            When::Won(wanted) => {
                let payoff = self.seating.state().payoff();
                let won = (!payoff.is_zero()).then(|| !self.is_loss_for_user(&payoff));
                (won, wanted)
            }
            When::RootAsTold(wanted) => (self.is_root_near_truth(), wanted),
            When::Gap(wanted) => (self.implied().as_ref().map(has_gap), wanted),
            When::NoGaps(wanted) => {
                let each =
                    ImpliedRangeAndOwnEstimate::implied_ranges_of_splits(self.instance, self.log());
                (Some(!each.iter().any(has_gap)), wanted)
            }
            When::AnsweredTruly(wanted) => (self.answered_truly(), wanted),
            When::LedToError(wanted) => {
                let last = self.log().paid_rewards().last();
                let paid =
                    last.is_some_and(|reward| reward.payment_to_prover() > Exact::ratio(1, 2));
                (Some(paid), wanted)
            }
            When::BetOnSide(wanted) => {
                let bet = self.log().last_bet();
                (bet.map(|bet| bet != Bet::AboutRight), wanted)
            }
            When::ClaimHolds(wanted) => {
                let claim = self.current_claim().map(|(claim, _)| claim);
                (claim.and_then(|claim| self.instance.truth(claim)), wanted)
            }
            When::Challenged(wanted) => {
                let end = self.log().entries().len();
                let challenge = self.log().last_challenge_with_verifier_flag(end);
                (challenge.map(|(step, _)| step.is_some()), wanted)
            }
            When::JudgedTruly(wanted) => {
                let verdict = self.log().last_judge_verdict();
                let truly = |(claim, answer)| self.instance.truth(claim) == Some(answer);
                (verdict.map(truly), wanted)
            }
        };
        fact == Some(wanted)
    }

    /// True if this payoff of the prover is a loss for the user.
    fn is_loss_for_user(&self, payoff: &Exact) -> bool {
        ViewerPerspective::of_seat(self.lesson.user_seat())
            .value(payoff.clone())
            .is_negative()
    }

    fn slot(&self, name: &str) -> Option<String> {
        let [low, _, high] =
            SignCharacters::symbols_for_character_set(FormulaCharacterSet::Unicode).bets;
        match name {
            "middle" => return self.middle_sentence(),
            "panel" => return self.panel_result(),
            "mistake" => return self.losing_choice(),
            "low" => return Some(self.sign(low)),
            "high" => return Some(self.sign(high)),
            "sealed" => {
                let sealed =
                    SignCharacters::symbols_for_character_set(FormulaCharacterSet::Unicode).sealed;
                return Some(match self.input_mode {
                    LineOrKeyInputMode::Keys(..) => format!(" (sealed: {sealed})"),
                    LineOrKeyInputMode::Lines => ", sealed,".to_owned(),
                });
            }
            _ => {}
        }
        let amounts = self.amounts();
        match name {
            "first" => return Some(amounts.absolute_with_unit(&self.stake_of_round(0)?)),
            "last" => {
                let last = self.seating.state().schedule().len().checked_sub(1)?;
                return Some(amounts.absolute_with_unit(&self.stake_of_round(last)?));
            }
            _ => {}
        }
        let (claim, p) = self.current_claim()?;
        Some(match name {
            "p" => format_percent(p.to_float()),
            "own" => format_percent(self.own_last_estimate()?.to_float()),
            "coin" => {
                let probability = format_percent(p.to_float());
                match probability.as_str() {
                    "0 %" => format!("{probability}, so the coin shows no"),
                    "100 %" => format!("{probability}, so the coin surely shows yes"),
                    _ => probability,
                }
            }
            "weight" => amounts.absolute_with_unit(&self.weight()?),
            "claim" => self.instance.short_text(claim).clone(),
            "truth" => DebateNarrator::truth_word(self.instance.truth(claim)?).to_owned(),
            "bet" => self.log().last_bet()?.bet_in_words().to_owned(),
            "implied" => self.implied()?.implied_range_in_words(),
            "gap" => percentage_points(&distance_to(&self.implied()?).abs()),
            "nogap" => {
                let all =
                    ImpliedRangeAndOwnEstimate::implied_ranges_of_splits(self.instance, self.log());
                let largest = all.iter().map(|each| distance_to(each).abs()).max()?;
                if largest.is_zero() {
                    "no gap".to_owned()
                } else {
                    "almost no gap".to_owned()
                }
            }
            "side" => Bet::beyond(&distance_to(&self.implied()?), &Exact::zero())
                .bet_in_words()
                .to_owned(),
            "earned" => {
                let gap = distance_to(&self.implied()?).abs();
                amounts.signed_for_viewer_with_unit(&(self.weight()? * gap))
            }
            "allearned" => amounts.signed_for_viewer_with_unit(&self.earned_in_all_rounds()?),
            "repeated" => format_percent(self.estimate_if_repeated()?.to_float()),
            "betearned" => {
                let gap = self.estimate_if_repeated()? - p;
                amounts.signed_for_viewer_with_unit(&(self.weight()? * gap * self.last_bet_sign()?))
            }
            "right" => amounts.signed_for_viewer_with_unit(
                &(self.weight()? * self.estimate_error(claim, p)?.abs()),
            ),
            "certain" => {
                let error = self.estimate_error(claim, p)?;
                amounts
                    .signed_for_viewer_with_unit(&(self.weight()? * error * self.last_bet_sign()?))
            }
            "paid" => {
                let last = self.log().paid_rewards().last()?;
                amounts.signed_payment_with_unit(&last.payment_to_prover())
            }
            // At the end: all payments before the last claim's.
            "coinspaid" => {
                let last = self.log().paid_rewards().last()?.payment_to_prover();
                amounts.signed_for_viewer_with_unit(&(self.seating.state().payoff() - last))
            }
            "payoff" => amounts.signed_payment_with_unit(&self.seating.state().payoff()),
            _ => return None,
        })
    }

    /// Returns the claim of the current round and its estimate.
    fn current_claim(&self) -> Option<(ClaimId, &Exact)> {
        self.log().current_claim_estimate()
    }

    /// Returns the format of the prover's amounts: the unit of the screen, or payoffs in plain lines.
    fn amounts(&self) -> PayoffFormatter {
        match self.input_mode {
            LineOrKeyInputMode::Lines => {
                PayoffFormatter::formatter_with_three_digits(ViewerPerspective::NEUTRAL)
            }
            LineOrKeyInputMode::Keys(_, unit) => {
                PayoffFormatter::formatter_in_points_of_schedule(&self.seating.state().schedule())
                    .with_digits_matching_log_payments(self.log())
                    .with_payoff_unit(unit)
            }
        }
    }

    /// Returns the weight of the current round: its largest payment.
    fn weight(&self) -> Option<Exact> {
        let round = self.seating.state().round()?;
        let mut schedule = self.seating.state().schedule().into_iter();
        let (_, weight) = schedule.find(|(other, _)| *other == round)?;
        Some(weight)
    }

    /// Returns the weight (the largest payment) of the round at this index in the order of play.
    fn stake_of_round(&self, index: usize) -> Option<Exact> {
        let (_, weight) = self.seating.state().schedule().into_iter().nth(index)?;
        Some(weight)
    }

    /// Returns the prover's average payoff from bets on the right side of all gaps, as far as the estimates determine
    /// it.
    fn earned_in_all_rounds(&self) -> Option<Exact> {
        let each = ImpliedRangeAndOwnEstimate::implied_ranges_of_splits(self.instance, self.log());
        let mut earned = Exact::zero();
        // The first round pays for the coin of the root, the second one for the first claim that was split.
        for (index, implied) in each.iter().enumerate() {
            earned += self.stake_of_round(index + 1)? * distance_to(implied).abs();
        }
        Some(earned)
    }

    /// Returns the probability that a claim's gate gives if each of its subclaims has the claim's own estimate.
    fn estimate_if_repeated(&self) -> Option<Exact> {
        let (claim, p) = self.current_claim()?;
        let support = self.instance.supports(claim).first()?;
        let each = vec![p.clone(); support.on.len()];
        Some(support.gate.probability(&each))
    }

    fn last_bet_sign(&self) -> Option<Exact> {
        Some(Exact::from_integer(self.log().last_bet()?.sign().into()))
    }

    /// Returns the error of a claim's estimate: the truth (0 or 1) minus the estimate.
    fn estimate_error(&self, claim: ClaimId, p: &Exact) -> Option<Exact> {
        Some(Exact::indicator(self.instance.truth(claim)?) - p)
    }

    /// True if the estimate of the root claim is within a twentieth of its truth (0 or 1).
    fn is_root_near_truth(&self) -> Option<bool> {
        let claim = self.instance.root();
        let p = self.log().root_estimate()?;
        Some(self.estimate_error(claim, p)?.abs() <= Exact::ratio(1, 20))
    }

    fn answered_truly(&self) -> Option<bool> {
        let (claim, answer) = self.log().root_claim_and_answer()?;
        Some(self.instance.truth(claim)? == answer)
    }

    /// Returns the subclaims that support the current round's claim.
    fn subclaims(&self) -> Option<&[ClaimId]> {
        let (claim, support) = self.log().chosen_support_of_round()?;
        let support = self.instance.supports(claim).get(support as usize)?;
        Some(&support.on)
    }

    /// Returns the subclaims with their estimates so far, for the last claim that was split.
    fn subclaim_estimates(&self) -> Vec<SubclaimEstimateAndCoin<'_, Exact>> {
        self.log().subclaim_estimates()
    }

    /// Returns the latest estimate of a subclaim in the current round.
    fn own_last_estimate(&self) -> Option<Exact> {
        let estimates = self.subclaim_estimates();
        estimates.last().map(|part| part.p.clone())
    }

    /// True if a coin of the current round made a subclaim false.
    fn is_flawed(&self) -> bool {
        self.subclaim_estimates()
            .iter()
            .any(|part| part.coin == Some(false))
    }

    fn implied(&self) -> Option<ImpliedRangeAndOwnEstimate> {
        ImpliedRangeAndOwnEstimate::of_last_split_claim(self.instance, self.log(), None)
    }
}

/// Returns the signed distance from a claim's stated estimate to the nearest value that its subclaims' estimates imply.
fn distance_to(implied: &ImpliedRangeAndOwnEstimate) -> Exact {
    let (least, most) = &implied.range;
    let stated = &implied.stated;
    if stated < least {
        least - stated
    } else if stated > most {
        most - stated
    } else {
        Exact::zero()
    }
}

/// True if the distance between a claim's estimate and those of its subclaims is a gap that the review would list.
fn has_gap(implied: &ImpliedRangeAndOwnEstimate) -> bool {
    is_visible_gap(&distance_to(implied))
}

/// Formats the difference of two probabilities in percentage points.
fn percentage_points(difference: &Exact) -> String {
    let figure = format_percent(difference.to_float());
    match figure.trim_end_matches(" %") {
        "1" => "1 percentage point".to_owned(),
        figure => format!("{figure} percentage points"),
    }
}

/// Returns the name that the lessons' conditions use for this kind of request.
fn request_name(request: &Request<Exact>) -> &'static str {
    match request.meaning_of_bits() {
        Some(BitsMeaning::Configuration { .. }) => "Configuration",
        Some(BitsMeaning::Block { .. }) => "Block",
        Some(BitsMeaning::Transcript { .. }) => "Transcript",
        _ if request.index_among_siblings().is_some() => "Part",
        _ => request.request_kind_name(),
    }
}

impl LessonContext<'_, '_> {
    /// True if the other debater, against whom the user plays, can win from here: in the game of a formula, after the
    /// values chosen so far, or in a recursion into a subclaim whose claimed answer is the truth.
    pub fn other_debater_can_win(&self) -> Option<bool> {
        if let Some(formula) = self.instance.formula() {
            let position = formula.solve_position(&self.log().chosen_variable_values())?;
            return Some(position.holds != (self.lesson.user_seat() == Seat::Prover));
        }
        let contested = self.log().last_selected_claim()?;
        let answers = self
            .log()
            .logged_answers_of_seat(Seat::Prover, self.instance);
        let (_, answer) = answers
            .into_iter()
            .rfind(|(claim, _)| *claim == contested)?;
        Some(self.instance.truth(contested)? == answer)
    }

    /// Returns the first choice of values with which the prover (the user in this lesson) lost the game of a formula.
    /// The choice is in words. `None` if no choice lost the game.
    fn losing_choice(&self) -> Option<String> {
        let formula = self.instance.formula()?;
        let mut values = Vec::new();
        for (ask, bits) in self.log().bit_strings_given_by_players() {
            let BitsMeaning::Block { block, .. } = ask else {
                continue;
            };
            let was_won = formula.solve_position(&values)?.holds;
            values.extend_from_slice(bits.as_slice());
            if was_won && !formula.solve_position(&values)?.holds {
                return formula.block_values_text_if_short(block as usize, bits);
            }
        }
        None
    }

    /// Returns the machine's configurations that a player has stated, by time, and the time of the one stated last.
    fn given_configurations(&self) -> (BTreeMap<u64, &BitString>, Option<u64>) {
        let mut last = None;
        let mut times = BTreeMap::new();
        for (ask, bits) in self.log().bit_strings_given_by_players() {
            if let BitsMeaning::Configuration { time } = ask {
                times.insert(time, bits);
                last = Some(time);
            }
        }
        (times, last)
    }

    /// True if the end of the contested part of a machine's run follows from its start, so that this part contains no
    /// error.
    pub fn is_contested_run_correct(&self) -> Option<bool> {
        let run = self.instance.run()?;
        let (times, last) = self.given_configurations();
        let (end, given) = times.range(last? + 1..).next()?;
        let (from, first) = match times.range(..last?).next_back() {
            Some((time, bits)) => (*time, (*bits).clone()),
            None => (0, run.start()),
        };
        Some(run.follow(&first, end - from).as_ref() == Some(*given))
    }

    /// Returns a phrase that asks the user to run the machine to the middle of the contested part. In plain lines,
    /// which cannot run it, the phrase describes the result.
    fn middle_sentence(&self) -> Option<String> {
        let key = self
            .input_mode
            .key(keys::MACHINE_CHOICE, Action::RunToMiddle);
        match key {
            Some(key) => Some(format!(
                "press {key} to run the machine there, and compare."
            )),
            None => self.describe_middle_configuration_truth(),
        }
    }

    /// Returns a phrase with the votes of the panel of judges and the prover's number: "1 of 9 said yes, and Alice had
    /// said 100 %". `None` if no number was checked.
    fn panel_result(&self) -> Option<String> {
        let (yes_count, judge_count) = self.log().last_ones_and_sample_counts()?;
        // The check ends the debate, so the last number is the checked one.
        let alices_number = format_percent(self.log().last_stated_probability()?.to_float());
        Some(format!(
            "{yes_count} of {judge_count} said yes, and Alice had said {alices_number}"
        ))
    }

    /// Returns a phrase that says if the prover's last configuration is the machine's true configuration at that time.
    pub fn describe_middle_configuration_truth(&self) -> Option<String> {
        let (times, last) = self.given_configurations();
        let time = last?;
        let given = *times.get(&time)?;
        let truth = self.instance.run()?.at(time)?;
        let after_steps = if time == 1 {
            "after one step".to_owned()
        } else {
            format!("after {time} steps")
        };
        if truth == *given {
            return Some(format!(
                "{after_steps} the configuration is just as Alice says."
            ));
        }
        Some(format!(
            "{after_steps} the configuration is not as Alice says."
        ))
    }
}
