//! Chooses the widget for each kind of request, from the current state of the debate.

use debate_text::DebateViewpoint;
use std::ops::Range;
use std::sync::Arc;

use num_traits::Zero;

use super::compose::{SupportComposer, SupportWritingTask};
use super::grid::GridEditor;
use super::machine_walk::MachineRunPosition;
use super::slider::SliderWidget;
use super::speech::SpeechEditor;
use super::widget::{
    ReplyPayoffTexts, ReplyPickList, ReplyWidget, SubclaimSwitches, UndoableWidget,
};
use crate::tui::widget::choice::ChoiceItem;
use debate_core::bits::BitString;
use debate_core::gate::Gate;
use debate_core::number::{Exact, Number, format_percent};
use debate_core::protocol::{Bet, BitsMeaning, PendingTurn, Reply, Request, Rules as _, Seat};
use debate_core::scenario::{ClaimId, Instance, Support};
use debate_text::{
    DebateNarrator, FormulaCharacterSet, PartialSubclaimEstimates, PayoffFormatter,
    first_claims_and_remaining_count, short_claim_labels, yes_no_word,
};

/// Returns the widget for the reply to a request, without payoffs.
pub fn reply_widget(view: &DebateViewpoint<'_, '_>, turn: &PendingTurn<Exact>) -> ReplyWidget {
    match &turn.request {
        Request::Answer { .. } => {
            ReplyWidget::Choices(yes_no_choices([true, false].map(Reply::Answer)))
        }
        Request::Probability { place, alone, .. } => {
            ReplyWidget::Number(estimate_slider(view, turn.seat, place.filter(|_| !*alone)))
        }
        Request::Direction { .. } => ReplyWidget::Choices(bet_choices()),
        Request::Support { claim, .. } => support_widget(view, *claim),
        Request::Select { claim, count } => {
            ReplyWidget::Choices(subclaim_choices(view, turn.seat, *claim, *count))
        }
        Request::Bits {
            ask:
                BitsMeaning::Answers {
                    claim,
                    support,
                    result,
                },
            ..
        } => ReplyWidget::Other(Box::new(subclaim_toggles(view, *claim, *support, *result))),
        Request::Bits {
            ask: BitsMeaning::Proof(_),
            ..
        } => ReplyWidget::Choices(ReplyPickList::new(
            vec![
                ChoiceItem::new(Some('0'), "0"),
                ChoiceItem::new(Some('1'), "1"),
            ],
            [false, true]
                .map(|bit| Reply::Bits(vec![bit].into()))
                .into(),
        )),
        Request::Bits { ask, length } => bits_editor(view, *ask, *length),
        Request::Oracle { .. } => ReplyWidget::Choices(oracle_answer_choices()),
        Request::Share { .. } => ReplyWidget::Number(SliderWidget::slider_for_joint_coin_number()),
        Request::Challenge { claim, steps } => challenge_widget(view, *claim, steps),
        Request::Speech { limits, argues_for } => {
            let question = view.facts.instance.as_two_answer_question();
            let source = question.filter(|_| argues_for.is_some());
            let source = source.map(|question| Arc::clone(question.source()));
            ReplyWidget::Other(Box::new(SpeechEditor::new(
                *limits,
                source,
                view.facts.quotes,
            )))
        }
        Request::Continue { .. } => ReplyWidget::Choices(ReplyPickList::new(
            vec![
                ChoiceItem::new(Some('y'), "read another round"),
                ChoiceItem::new(Some('n'), "end the debate"),
            ],
            [true, false].map(Reply::Continue).into(),
        )),
        // Chance never asks a user, so this empty list is never shown.
        Request::Draw { .. } => ReplyWidget::Choices(ReplyPickList::new(Vec::new(), Vec::new())),
    }
}

/// Returns texts with the payoffs of the replies to a request, from the view of the player to move. `None` except for
/// Bob's estimates and Alice's bets. `open_range`: the least and the greatest amount that the round can still pay to
/// the prover.
pub fn payoff_texts(
    view: &DebateViewpoint<'_, '_>,
    amounts: &PayoffFormatter,
    open_range: Option<&[Exact; 2]>,
    turn: &PendingTurn<Exact>,
) -> Option<ReplyPayoffTexts> {
    match &turn.request {
        Request::Probability { place, .. } if turn.seat == Seat::Opponent => Some(match place {
            Some(_) => subclaim_estimate_texts(open_range),
            None => root_estimate_texts(view, amounts),
        }),
        Request::Direction { claim } => Some(bet_payoff_texts(view, amounts, *claim)),
        Request::Probability { .. }
        | Request::Answer { .. }
        | Request::Support { .. }
        | Request::Select { .. }
        | Request::Bits { .. }
        | Request::Share { .. }
        | Request::Challenge { .. }
        | Request::Oracle { .. }
        | Request::Speech { .. }
        | Request::Continue { .. }
        | Request::Draw { .. } => None,
    }
}

/// Returns the largest amount that the current round can pay.
fn round_stake(view: &DebateViewpoint<'_, '_>) -> Option<Exact> {
    let round = view.state.round()?;
    let schedule = view.state.schedule().into_iter();
    let mut rounds = schedule.filter(|(other, _)| *other == round);
    rounds.next().map(|(_, weight)| weight)
}

/// Returns the slider for a probability. `subclaim_index` is the index of the subclaim, if the estimate is about a
/// subclaim.
pub fn estimate_slider(
    view: &DebateViewpoint<'_, '_>,
    seat: Seat,
    subclaim_index: Option<u32>,
) -> SliderWidget {
    if seat == Seat::Prover {
        let note = "The coin shows yes with your probability, unless Bob has it checked.";
        return SliderWidget::slider_for_estimate(None, vec![note.to_owned()]);
    }
    let parent = subclaim_index.and_then(|_| {
        PartialSubclaimEstimates::incomplete_estimates_of_last_split(view.facts.instance, view.log)
    });
    let slider = SliderWidget::slider_for_estimate(parent, Vec::new());
    if view.facts.blind {
        return slider;
    }
    slider.set_to_forced_estimate()
}

/// Returns the note for the estimate of a subclaim: a sentence if the round can pay nothing more, else none.
fn subclaim_estimate_texts(open_range: Option<&[Exact; 2]>) -> ReplyPayoffTexts {
    let is_paid = open_range.is_some_and(|range| range.iter().all(Zero::is_zero));
    let note = "This round pays nothing more.";
    ReplyPayoffTexts {
        beside: Vec::new(),
        notes: is_paid.then(|| note.to_owned()).into_iter().collect(),
    }
}

/// Returns the notes that Bob sees while he estimates the root claim: what he knows, and how much he pays if the coin
/// agrees with Alice.
fn root_estimate_texts(
    view: &DebateViewpoint<'_, '_>,
    amounts: &PayoffFormatter,
) -> ReplyPayoffTexts {
    let note = round_stake(view).map(|round_stake| {
        let paid = amounts.absolute_with_unit(&round_stake);
        format!(
            "The coin shows yes with your probability. If it agrees with Alice, you lose {paid}."
        )
    });
    let facts = &view.facts;
    let known = facts.known.as_ref().filter(|_| !facts.blind);
    let known = known.map(|known| format!("You know: {known}."));
    ReplyPayoffTexts {
        beside: Vec::new(),
        notes: known.into_iter().chain(note).collect(),
    }
}

const BETS: [Bet; 3] = [Bet::TooLow, Bet::AboutRight, Bet::TooHigh];

pub fn bet_choices() -> ReplyPickList {
    let item = |bet: Bet| ChoiceItem::new_outcome_choice(None, bet.bet_in_words());
    ReplyPickList::new(BETS.map(item).into(), BETS.map(Reply::Direction).into())
}

/// Returns texts with the payoff of each possible bet after each outcome: the coins of the subclaims decide the
/// outcome, or the judge for a claim without subclaims.
fn bet_payoff_texts(
    view: &DebateViewpoint<'_, '_>,
    amounts: &PayoffFormatter,
    claim: ClaimId,
) -> ReplyPayoffTexts {
    let p = view
        .log
        .claim_probability_at_round_start()
        .cloned()
        .unwrap_or_else(Exact::zero);
    let weight = round_stake(view).unwrap_or_else(Exact::zero);
    let payoff_if = |bet: Bet, outcome: bool| {
        let value = bet.times(&weight * (Exact::indicator(outcome) - &p));
        amounts.signed_for_viewer(&value)
    };
    let is_judged = view.facts.instance.is_leaf(claim);
    let decides = if is_judged { "judge" } else { "coins" };
    let payoff_text = |bet: Bet| match bet {
        Bet::AboutRight => "0".to_owned(),
        _ => format!(
            "{judge_or_coins} yes {payoff_if_yes}, no {payoff_if_no}",
            judge_or_coins = decides,
            payoff_if_yes = payoff_if(bet, true),
            payoff_if_no = payoff_if(bet, false)
        ),
    };
    // The title of the screen already states that the judge decides the claim.
    let coins = (!is_judged).then(|| "Next, the coins of its subclaims decide.".to_owned());
    ReplyPayoffTexts {
        beside: BETS.map(payoff_text).into(),
        notes: coins.into_iter().collect(),
    }
}

/// Returns the editor with which the user writes a support, or chooses a listed one.
fn support_editor(instance: &Instance, claim: ClaimId, max_subclaims: u32) -> SupportComposer {
    let narrator = DebateNarrator::new(instance, FormulaCharacterSet::default());
    let listed = (0_u32..).take(instance.supports(claim).len());
    SupportComposer::new(SupportWritingTask {
        claim: instance.text(claim),
        max_subclaims,
        is_last_level: !instance.written_subclaims_allow_prover_supports(claim),
        listed: listed
            .map(|number| narrator.support_text(claim, number))
            .collect(),
    })
}

/// Returns the list of supports to choose from, or the editor if the user may also write one.
pub fn support_widget(view: &DebateViewpoint<'_, '_>, claim: ClaimId) -> ReplyWidget {
    let instance = view.facts.instance;
    if let Some(max_subclaims) = instance.max_prover_written_subclaims(claim) {
        return ReplyWidget::Other(Box::new(support_editor(instance, claim, max_subclaims)));
    }
    let item = |(number, support): (usize, &Support)| {
        let count = support.on.len();
        let gate = support.gate.describe_gate_over_inputs(count);
        let label = match instance.support_label(claim, number) {
            Some(label) => format!("{label}: {gate}"),
            None => gate,
        };
        ChoiceItem {
            detail: first_claims_and_remaining_count(instance, &support.on),
            ..ChoiceItem::new(None, label)
        }
    };
    let supports = instance.supports(claim);
    let replies = (0_u32..).take(supports.len()).map(Reply::Support);
    let items = supports.iter().enumerate().map(item);
    let list = ReplyPickList::new(items.collect(), replies.collect());
    ReplyWidget::Choices(list.with_details_only_when_marked("Mark a support to see its subclaims."))
}

/// Returns the current claim and its subclaims. The subclaims are those of the last chosen support, or the pieces that
/// the claim was split into if that happened later.
fn current_subclaims<'s>(view: &DebateViewpoint<'s, '_>) -> Option<(ClaimId, &'s [ClaimId])> {
    if view.log.is_last_split_outside_supports() {
        return view.log.last_split_outside_supports();
    }
    let (claim, support) = view.log.last_chosen_support()?;
    let support = view.facts.instance.support(claim, support)?;
    Some((claim, &support.on))
}

/// Returns a list of the first `count` subclaims to choose from. Each shows the last answer or probability that a
/// player gave for it.
pub fn subclaim_choices(
    view: &DebateViewpoint<'_, '_>,
    seat: Seat,
    claim: ClaimId,
    count: u32,
) -> ReplyPickList {
    let instance = view.facts.instance;
    let divided = current_subclaims(view).filter(|(parent, _)| *parent == claim);
    let subclaims = divided.map_or(&[][..], |(_, on)| on);
    let supported = divided.is_some() && !view.log.is_last_split_outside_supports();
    let count = subclaims.len().min(count as usize);
    let mut values = vec![String::new(); count];
    let answers = view
        .log
        .claimed_answers_of_subclaims()
        .map(BitString::as_slice);
    for (value, answer) in values.iter_mut().zip(answers.unwrap_or_default()) {
        *value = format!(
            "{}: {}",
            view.perspective.player_name_or_you(Seat::Prover),
            yes_no_word(*answer)
        );
    }
    for (place, p, _) in view.log.subclaim_coins() {
        if let Some(value) = values.get_mut(place as usize) {
            *value = format_percent(p.to_float());
        }
    }
    let labels = short_claim_labels(instance, subclaims);
    let items = subclaims
        .iter()
        .zip(labels)
        .zip(values)
        .map(|((subclaim, label), value)| {
            // A label that is cut has the whole text below it.
            ChoiceItem {
                value,
                claim: Some(subclaim.claim_number()),
                is_short_form: true,
                detail: instance.short_text(*subclaim),
                ..ChoiceItem::new(None, label)
            }
        });
    let replies = (0_u32..).take(count).map(Reply::Select);
    let pick = ReplyPickList::new(items.collect(), replies.collect());
    let pick = pick.with_choices_marked_in_claim_tree();
    match seat {
        Seat::Prover if supported => {
            pick.with_note("Then you bet on the estimate of the subclaim that you pick.".to_owned())
        }
        _ if supported => pick,
        _ => {
            let narrator = DebateNarrator::new(instance, FormulaCharacterSet::default());
            pick.with_subject_lines(narrator.configuration_and_circuit_input_lines(view.log))
                .with_machine(machine_walk(view, &narrator))
        }
    }
}

/// Returns the run of the machine for the user to step through. `None` if the opponent does not know the machine and
/// its input, or if the debaters contest no run. `None` also if the contested part is too long, or if the machine has
/// no readable tape.
fn machine_walk(
    view: &DebateViewpoint<'_, '_>,
    narrator: &DebateNarrator<'_>,
) -> Option<MachineRunPosition> {
    let instance = view.facts.instance;
    let block = instance.indistinguishable_worlds(Seat::Opponent.seat_index());
    if block.is_some_and(|worlds| worlds.len() != 1) {
        return None;
    }
    MachineRunPosition::new(narrator.contested_part_of_machine_run(view.log)?)
}

pub fn subclaim_toggles(
    view: &DebateViewpoint<'_, '_>,
    claim: ClaimId,
    support: u32,
    result: bool,
) -> SubclaimSwitches {
    let instance = view.facts.instance;
    let (gate, on) = instance
        .support(claim, support)
        .map_or((Gate::All, &[][..]), |support| {
            (support.gate.clone(), &support.on)
        });
    let numbered_text =
        |subclaim: &ClaimId| (subclaim.claim_number(), instance.short_text(*subclaim));
    SubclaimSwitches::new(on.iter().map(numbered_text).collect(), gate, result)
}

/// Returns the editor of a string of bits, chosen by the meaning of the requested bits.
pub fn bits_editor(
    view: &DebateViewpoint<'_, '_>,
    meaning: BitsMeaning,
    length: u32,
) -> ReplyWidget {
    let instance = view.facts.instance;
    let bits = length as usize;
    let prepared = view
        .state
        .honest_reply_bits()
        .filter(|given| given.len() == bits);
    let editor: Option<Box<dyn UndoableWidget>> = match meaning {
        BitsMeaning::Configuration { .. } => instance
            .run()
            .and_then(|run| GridEditor::for_tape_configuration(run, prepared.as_ref()))
            .map(|editor| Box::new(editor) as _),
        BitsMeaning::Transcript { .. } => view.state.transcript().map(|computed| {
            let prepared = prepared.clone();
            Box::new(GridEditor::for_transcript(computed, prepared, bits)) as _
        }),
        BitsMeaning::Block { block, .. } => instance
            .formula()
            .and_then(|formula| {
                let outer = view.log.chosen_variable_values();
                GridEditor::for_variables(formula, block as usize, outer, prepared.clone())
            })
            .map(|editor| Box::new(editor) as _),
        BitsMeaning::Witness | BitsMeaning::Proof(_) | BitsMeaning::Answers { .. } => None,
    };
    let rows = || Box::new(GridEditor::for_bits(instance, meaning, prepared, bits));
    ReplyWidget::Editor(editor.unwrap_or_else(|| rows()))
}

pub fn oracle_answer_choices() -> ReplyPickList {
    yes_no_choices([true, false].map(|holds| Reply::Oracle {
        holds,
        confidence: None,
    }))
}

/// Returns the choice between yes and no about a statement's truth.
fn yes_no_choices(replies: [Reply<Exact>; 2]) -> ReplyPickList {
    let items = vec![
        ChoiceItem::new_outcome_choice(Some('y'), "yes, it is true"),
        ChoiceItem::new_outcome_choice(Some('n'), "no, it is false"),
    ];
    ReplyPickList::new(items, replies.into())
}

/// Returns the list of steps of the computation that the user can challenge. If there is a single step and no
/// transcript, returns a choice of two.
pub fn challenge_widget(
    view: &DebateViewpoint<'_, '_>,
    claim: ClaimId,
    steps: &Range<u64>,
) -> ReplyWidget {
    let computed = view.state.transcript();
    if computed.is_some() || steps.end.saturating_sub(steps.start) != 1 {
        return ReplyWidget::Editor(Box::new(GridEditor::list_of_challengeable_steps(
            steps.clone(),
            computed,
        )));
    }
    let items = match view.facts.instance.warranted_claim_and_support(claim) {
        Some(_) => ["accept the step", "dispute the step"],
        None => ["continue", "end the debate: have this number checked"],
    };
    ReplyWidget::Choices(ReplyPickList::new(
        items.map(|text| ChoiceItem::new(None, text)).into(),
        [None, Some(steps.start)].map(Reply::Challenge).into(),
    ))
}
