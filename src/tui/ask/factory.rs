//! The widget of each request, from the debate as it stands.

use debate_lab::tell::Viewpoint;
use std::ops::Range;
use std::sync::Arc;

use num_traits::Zero;

use super::bits::{BitRows, BitsEditor};
use super::compose::{Composer, SupportTask};
use super::speech::SpeechEditor;
use super::steps::StepList;
use super::tape::TapeEditor;
use super::variables::Variables;
use super::widget::PickList;
use super::widget::{Figures, Widget, truth};
use super::widget::{ParentClaim, SliderWidget};
use super::written::WrittenSteps;
use crate::tui::ask::widget::Toggles;
use crate::tui::panel::chance;
use crate::tui::widget::choice::Item;
use debate_core::bits::Bits;
use debate_core::gate::Gate;
use debate_core::number::{Exact, Number};
use debate_core::protocol::{Ask, Bet, Reply, Request, Rules as _, Seat, Turn};
use debate_core::scenario::{ClaimId, Instance, Support};
use debate_lab::tell::{Amounts, Narrator, Script, Unit};

/// More subclaims than this are not listed one by one below a support.
const LISTED: usize = 8;

/// The widget of a request, without the figures of what an answer pays.
pub fn widget(view: &Viewpoint<'_, '_>, turn: &Turn<Exact>) -> Box<dyn Widget> {
    match &turn.request {
        Request::Answer { .. } => Box::new(verdicts([true, false].map(Reply::Answer))),
        Request::Probability { place, alone, .. } => {
            Box::new(estimate(view, turn.seat, place.filter(|_| !*alone)))
        }
        Request::Direction { .. } => Box::new(direction()),
        Request::Support { claim, .. } => support(view, *claim),
        Request::Select { claim, count } => Box::new(select(view, turn.seat, *claim, *count)),
        Request::Bits {
            ask:
                Ask::Answers {
                    claim,
                    support,
                    result,
                },
            ..
        } => Box::new(toggles(view, *claim, *support, *result)),
        Request::Bits {
            ask: Ask::Proof(_), ..
        } => Box::new(PickList::new(
            vec![Item::new(Some('0'), "0"), Item::new(Some('1'), "1")],
            [false, true]
                .map(|bit| Reply::Bits(vec![bit].into()))
                .into(),
        )),
        Request::Bits { ask, length } => bits(view, *ask, *length),
        Request::Oracle { .. } => Box::new(oracle()),
        Request::Share { .. } => Box::new(SliderWidget::share()),
        Request::Challenge { claim, steps } => challenge(view, *claim, steps),
        Request::Speech { limits, argues_for } => {
            let question = view.facts.instance.question();
            let source = question.filter(|_| argues_for.is_some());
            let source = source.map(|question| Arc::clone(question.source()));
            Box::new(SpeechEditor::new(*limits, source))
        }
        Request::Continue { .. } => Box::new(PickList::new(
            vec![
                Item::new(Some('y'), "hear another round"),
                Item::new(Some('n'), "end the debate"),
            ],
            [true, false].map(Reply::Continue).into(),
        )),
        // Chance is never asked by a panel.
        Request::Draw { .. } => Box::new(PickList::new(Vec::new(), Vec::new())),
    }
}

/// The support chosen last, with its claim.
fn chosen<'a>(view: &Viewpoint<'_, 'a>) -> Option<(ClaimId, &'a Support)> {
    let (claim, support) = view.log.last_support()?;
    let chosen = view.facts.instance.support(claim, support)?;
    Some((claim, chosen))
}

/// What the answers to a request pay, as whoever is asked reads it; nothing where that depends on
/// more than the answer. `open`: what the round can still pay the prover. `worth` says what a reply would pay the prover at once.
pub fn figures(
    view: &Viewpoint<'_, '_>,
    amounts: &Amounts,
    open: Option<&[Exact; 2]>,
    turn: &Turn<Exact>,
    worth: impl Fn(Reply<Exact>) -> Option<Exact>,
) -> Option<Figures> {
    match &turn.request {
        Request::Probability { place, .. } if turn.seat == Seat::Opponent => Some(match place {
            Some(_) => part_figures(amounts, open),
            None => root_figures(view, amounts),
        }),
        Request::Direction { claim } => Some(direction_figures(view, amounts, *claim)),
        Request::Oracle { .. } => Some(oracle_figures(view, amounts, worth)),
        Request::Probability { .. }
        | Request::Answer { .. }
        | Request::Support { .. }
        | Request::Select { .. }
        | Request::Bits { .. }
        | Request::Share { .. }
        | Request::Challenge { .. }
        | Request::Speech { .. }
        | Request::Continue { .. }
        | Request::Draw { .. } => None,
    }
}

/// The most that the round under way can pay.
fn stake(view: &Viewpoint<'_, '_>) -> Option<Exact> {
    let round = view.state.round()?;
    let schedule = view.state.schedule().into_iter();
    let mut rounds = schedule.filter(|(other, _)| *other == round);
    rounds.next().map(|(_, weight)| weight)
}

pub fn estimate(view: &Viewpoint<'_, '_>, seat: Seat, place: Option<u32>) -> SliderWidget {
    if seat == Seat::Prover {
        let note = "A coin falls with this probability, unless Bob has it checked.";
        return SliderWidget::estimate(None, vec![note.to_owned()]);
    }
    let parent = place.zip(chosen(view)).map(|(place, (claim, support))| {
        let coins = view.log.coins_of_round();
        let count = u32::try_from(support.on.len()).unwrap_or(u32::MAX);
        ParentClaim {
            text: format!("“{}”", view.facts.instance.short_text(claim)),
            gate: support.gate.clone(),
            coins: support.gate.tally(coins.iter().map(|(_, value)| *value)),
            rest: count.saturating_sub(place + 1),
            before: view.log.probability_entered().cloned(),
        }
    });
    SliderWidget::estimate(parent, Vec::new())
}

fn part_figures(amounts: &Amounts, open: Option<&[Exact; 2]>) -> Figures {
    let note = open.map(|range| match range {
        [least, most] if least.is_zero() && most.is_zero() => {
            "This round can pay nothing any more, whatever you say.".to_owned()
        }
        range => format!(
            "This round can still bring you {}.",
            amounts.range_counted(range)
        ),
    });
    Figures {
        beside: Vec::new(),
        notes: note.into_iter().collect(),
    }
}

fn root_figures(view: &Viewpoint<'_, '_>, amounts: &Amounts) -> Figures {
    let note = stake(view).map(|stake| {
        let paid = amounts.counted(&stake);
        format!(
            "A coin falls with this probability: you lose {paid} if it agrees with Alice's answer, \
             else nothing."
        )
    });
    let facts = &view.facts;
    let known = facts.known.as_ref().filter(|_| !facts.blind);
    let known = known.map(|known| format!("You know: {known}."));
    Figures {
        beside: Vec::new(),
        notes: known.into_iter().chain(note).collect(),
    }
}

const BETS: [Bet; 3] = [Bet::TooLow, Bet::AboutRight, Bet::TooHigh];

pub fn direction() -> PickList {
    let item = |bet: Bet| {
        let label = match bet {
            Bet::AboutRight => "about right (0)".to_owned(),
            bet => format!("{} ({:+})", bet.words(), bet.sign()),
        };
        Item::outcome(None, label)
    };
    PickList::new(BETS.map(item).into(), BETS.map(Reply::Direction).into())
}

fn direction_figures(view: &Viewpoint<'_, '_>, amounts: &Amounts, claim: ClaimId) -> Figures {
    let p = view
        .log
        .probability_entered()
        .cloned()
        .unwrap_or_else(Exact::zero);
    let weight = stake(view).unwrap_or_else(Exact::zero);
    let pays = |bet: Bet, outcome: bool| {
        let value = bet.times(&weight * (Exact::indicator(outcome) - &p));
        amounts.signed(&value)
    };
    let worth = |bet: Bet| match bet {
        Bet::AboutRight => "0 either way".to_owned(),
        _ => format!("if true {}, if false {}", pays(bet, true), pays(bet, false)),
    };
    let decides = if view.facts.instance.is_leaf(claim) {
        "the judge says it is"
    } else {
        "the coins of its subclaims make it"
    };
    let unit = match amounts.unit {
        Unit::Points => ", in points",
        Unit::Payoff => "",
    };
    let note = format!("“If true”: if {decides} true. The figures are what you receive{unit}.");
    Figures {
        beside: BETS.map(worth).into(),
        notes: vec![note],
    }
}

/// A support in one's own words, with the ways that are listed.
fn composer(instance: &Instance, claim: ClaimId, most: u32) -> Composer {
    let narrator = Narrator::new(instance, Script::default());
    let listed = (0_u32..).take(instance.supports(claim).len());
    Composer::new(SupportTask {
        claim: instance.text(claim),
        most,
        last: !instance.composing_below(claim),
        listed: listed
            .map(|number| narrator.support(claim, number))
            .collect(),
    })
}

pub fn support(view: &Viewpoint<'_, '_>, claim: ClaimId) -> Box<dyn Widget> {
    let instance = view.facts.instance;
    if let Some(most) = instance.composing(claim) {
        return Box::new(composer(instance, claim, most));
    }
    let item = |(number, support): (usize, &Support)| {
        let count = support.on.len();
        let gate = support.gate.over(count);
        let label = match instance.label(claim, number) {
            Some(label) => format!("{label}: {gate}"),
            None => gate,
        };
        let listed = support.on.iter().take(LISTED);
        // Between semicolons a full stop would be one stop too many.
        let short = |y: &ClaimId| instance.short_text(*y).trim_end_matches('.').to_owned();
        let mut each: Vec<String> = listed.map(short).collect();
        if count > LISTED {
            each.push(format!("and {} more", count - LISTED));
        }
        Item {
            detail: each.join("; "),
            ..Item::new(None, label)
        }
    };
    let supports = instance.supports(claim);
    let replies = (0_u32..).take(supports.len()).map(Reply::Support);
    Box::new(PickList::new(
        supports.iter().enumerate().map(item).collect(),
        replies.collect(),
    ))
}

/// The parts of the claim under discussion, with that claim: those that it fell into, or the
/// subclaims of the support chosen last, whichever came later.
fn parts<'s>(view: &Viewpoint<'s, '_>) -> Option<(ClaimId, &'s [ClaimId])> {
    if view.log.is_parted() {
        return view.log.last_parts();
    }
    let (claim, support) = view.log.last_support()?;
    let support = view.facts.instance.support(claim, support)?;
    Some((claim, &support.on))
}

pub fn select(view: &Viewpoint<'_, '_>, seat: Seat, claim: ClaimId, count: u32) -> PickList {
    let instance = view.facts.instance;
    let parts = parts(view).filter(|(parent, _)| *parent == claim);
    let on = parts.map_or(&[][..], |(_, on)| on);
    let supported = parts.is_some() && !view.log.is_parted();
    let count = on.len().min(count as usize);
    let mut values = vec![String::new(); count];
    let answers = view.log.answers_of_round().map(Bits::as_slice);
    for (value, answer) in values.iter_mut().zip(answers.unwrap_or_default()) {
        *value = format!("Alice says {}", truth(*answer));
    }
    for (place, p, outcome) in view.log.part_coins() {
        if let Some(value) = values.get_mut(place as usize) {
            let p = chance(p.to_float());
            *value = format!("Bob {p}, coin {:<5}", truth(outcome));
        }
    }
    let items = on.iter().zip(values).map(|(y, value)| Item {
        value,
        claim: Some(y.number()),
        ..Item::new(None, instance.short_text(*y))
    });
    let replies = (0_u32..).take(count).map(Reply::Select);
    let pick = PickList::new(items.collect(), replies.collect());
    match seat {
        Seat::Prover if supported => pick.noting(
            "Go where Bob's estimate is furthest from the truth: you bet on it in the next round."
                .to_owned(),
        ),
        _ if supported => pick,
        _ => {
            let narrator = Narrator::new(instance, Script::default());
            let context = narrator.parts_context(view.log);
            context.into_iter().fold(pick, PickList::noting)
        }
    }
}

pub fn toggles(view: &Viewpoint<'_, '_>, claim: ClaimId, support: u32, result: bool) -> Toggles {
    let instance = view.facts.instance;
    let (gate, on) = instance
        .support(claim, support)
        .map_or((Gate::All, &[][..]), |support| {
            (support.gate.clone(), &support.on)
        });
    let name = |y: &ClaimId| (y.number(), instance.short_text(*y));
    Toggles::new(on.iter().map(name).collect(), gate, result)
}

/// The editor of a string of bits, by what the problem makes of them.
pub fn bits(view: &Viewpoint<'_, '_>, ask: Ask, length: u32) -> Box<dyn Widget> {
    let instance = view.facts.instance;
    let bits = length as usize;
    let prepared = view.state.prepared().filter(|given| given.len() == bits);
    let editor: Option<Box<dyn Widget>> = match ask {
        Ask::Configuration { .. } => instance
            .run()
            .and_then(|run| TapeEditor::new(run, prepared.as_ref()))
            .map(|editor| Box::new(editor) as _),
        Ask::Transcript { .. } => view.state.transcript().map(|computed| {
            Box::new(BitsEditor::<WrittenSteps>::of(
                computed,
                prepared.clone(),
                bits,
            )) as _
        }),
        Ask::Block { block, .. } => instance
            .formula()
            .and_then(|formula| {
                let outer = view.log.chosen_values();
                BitsEditor::<Variables>::of(formula, block as usize, outer, prepared.clone())
            })
            .map(|editor| Box::new(editor) as _),
        Ask::Witness | Ask::Proof(_) | Ask::Answers { .. } => None,
    };
    editor.unwrap_or_else(|| Box::new(BitsEditor::<BitRows>::of(instance, ask, prepared, bits)))
}

/// The worth to Alice of the judge's yes and no, whatever she bet: nothing, or this much.
fn either_way(view: &Viewpoint<'_, '_>, amounts: &Amounts) -> [String; 2] {
    let Some((weight, p)) = stake(view).zip(view.log.probability_entered()) else {
        return [const { String::new() }; 2];
    };
    [true, false].map(|outcome| {
        let value = &weight * (Exact::indicator(outcome) - p);
        if value.is_zero() {
            return "0 to Alice".to_owned();
        }
        format!("0 or {} to Alice", amounts.either_way(&value))
    })
}

const VERDICTS: [bool; 2] = [true, false];

fn verdict(holds: bool) -> Reply<Exact> {
    Reply::Oracle {
        holds,
        confidence: None,
    }
}

pub fn oracle() -> PickList {
    verdicts(VERDICTS.map(verdict))
}

/// Yes or no to whether something is true.
fn verdicts(replies: [Reply<Exact>; 2]) -> PickList {
    let items = vec![
        Item::outcome(Some('y'), "yes, it is true"),
        Item::outcome(Some('n'), "no, it is false"),
    ];
    PickList::new(items, replies.into())
}

fn oracle_figures(
    view: &Viewpoint<'_, '_>,
    amounts: &Amounts,
    worth: impl Fn(Reply<Exact>) -> Option<Exact>,
) -> Figures {
    let worths = VERDICTS.map(|holds| worth(verdict(holds)));
    let nothing = worths
        .iter()
        .all(|worth| worth.as_ref().is_some_and(Zero::is_zero));
    let hidden = !view.facts.blind && view.hides_a_bet();
    let worth_beside = if hidden {
        either_way(view, amounts)
    } else {
        worths.map(|worth| {
            worth
                .filter(|_| !nothing)
                .map_or_else(String::new, |worth| {
                    format!("{} to Alice", amounts.signed(&worth))
                })
        })
    };
    let note = if hidden {
        Some("Alice's bet is sealed until you have answered: it says whether she gains or loses.")
    } else if nothing && view.log.has_bet() {
        Some("Alice bets nothing: your answer moves no reward.")
    } else {
        None
    };
    Figures {
        beside: worth_beside.into(),
        notes: note.map(str::to_owned).into_iter().collect(),
    }
}

pub fn challenge(view: &Viewpoint<'_, '_>, claim: ClaimId, steps: &Range<u64>) -> Box<dyn Widget> {
    let computed = view.state.transcript();
    if computed.is_some() || steps.end.saturating_sub(steps.start) != 1 {
        return Box::new(StepList::new(steps.clone(), computed));
    }
    let items = match view.facts.instance.warrant_of(claim) {
        Some(_) => ["go on: the step stands", "dispute the step"],
        None => ["go on", "stop here: have it checked"],
    };
    Box::new(PickList::new(
        items.map(|text| Item::new(None, text)).into(),
        [None, Some(steps.start)].map(Reply::Challenge).into(),
    ))
}
