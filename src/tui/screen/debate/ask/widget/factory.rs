//! The widget of each request, from the debate as it stands.

use std::ops::Range;

use num_traits::{Signed as _, Zero};

use super::bits::BitsEditor;
use super::compose::{Composer, SupportTask};
use super::pick::PickList;
use super::slider::{ParentClaim, SliderWidget};
use super::steps::StepList;
use super::tape::TapeEditor;
use super::toggles::Toggles;
use super::variables::VariablesEditor;
use super::written::TranscriptEditor;
use super::{Widget, truth};
use crate::tui::panel::choice::Item;
use crate::tui::screen::panels::{DebatePanels, PanelView, chance};
use debate_core::gate::Gate;
use debate_core::number::{Exact, Number, short, signed};
use debate_core::protocol::words::{Narrator, Script, chosen_values, coins_of_round, last_p};
use debate_core::protocol::{Ask, Bet, Event, Reply, Rules, Seat};
use debate_core::scenario::{ClaimId, Instance, Support};

/// More subclaims than this are not listed one by one below a support.
const LISTED: usize = 8;

/// The support chosen last, with its claim.
fn chosen<'a>(view: &PanelView<'_, 'a>) -> Option<(ClaimId, &'a Support)> {
    let mut backwards = view.log.entries().iter().rev();
    let (claim, support) = backwards.find_map(|entry| match entry.event {
        Event::Supported { claim, support } => Some((claim, support)),
        _ => None,
    })?;
    let chosen = view.scene.facts.instance.support(claim, support)?;
    Some((claim, chosen))
}

fn money(value: &Exact, digits: usize) -> String {
    if value.is_zero() {
        "0".to_owned()
    } else {
        signed(value.to_float(), digits)
    }
}

pub(super) fn estimate(
    view: &PanelView<'_, '_>,
    panels: &DebatePanels,
    seat: Seat,
    place: Option<u32>,
) -> SliderWidget {
    if seat == Seat::Prover {
        let note = "A coin falls with this probability, unless Bob has it checked.";
        return SliderWidget::estimate(None, vec![note.to_owned()]);
    }
    let parent = place.zip(chosen(view)).map(|(place, (claim, support))| {
        let coins = coins_of_round(view.log);
        let count = u32::try_from(support.on.len()).unwrap_or(u32::MAX);
        ParentClaim {
            text: format!("“{}”", view.scene.facts.instance.short_text(claim)),
            gate: support.gate.clone(),
            coins: support.gate.tally(coins.iter().map(|(_, value)| *value)),
            rest: count.saturating_sub(place + 1),
            before: last_p(view.log).cloned(),
        }
    });
    let weight = view.state.round().and_then(|round| panels.weight(round));
    let note = weight.map(|weight| {
        let weight = short(weight.to_float(), 2);
        if parent.is_some() {
            format!("Alice wins or loses at most {weight} on this round, and you the opposite.")
        } else {
            format!("A coin falls with this probability; if it agrees with Alice's answer, she gets {weight}.")
        }
    });
    SliderWidget::estimate(parent, note.into_iter().collect())
}

pub(super) fn direction(
    view: &PanelView<'_, '_>,
    panels: &DebatePanels,
    claim: ClaimId,
) -> PickList {
    let p = last_p(view.log).cloned().unwrap_or_else(Exact::zero);
    let round = view.state.round();
    let weight = round
        .and_then(|round| panels.weight(round))
        .unwrap_or_else(Exact::zero);
    let item = |bet: Bet| {
        let pays = |outcome: bool| {
            let value = bet.times(&weight * (Exact::indicator(outcome) - &p));
            money(&value, 2)
        };
        let value = match bet {
            Bet::AboutRight => "0 either way".to_owned(),
            _ => format!("if true {}, if false {}", pays(true), pays(false)),
        };
        let label = match bet {
            Bet::AboutRight => "about right (0)".to_owned(),
            bet => format!("{} ({:+})", bet.words(), bet.sign()),
        };
        Item {
            value,
            ..Item::new(None, label)
        }
    };
    let bets = [Bet::TooLow, Bet::AboutRight, Bet::TooHigh];
    let decides = if view.scene.facts.instance.is_leaf(claim) {
        "the judge says it is"
    } else {
        "the coins of its subclaims make it"
    };
    PickList::new(bets.map(item).into(), bets.map(Reply::Direction).into()).noting(format!(
        "“If true”: if {decides} true. The figures are what you receive."
    ))
}

/// A support in one's own words, with the ways that are listed.
fn composer(instance: &Instance, claim: ClaimId, most: u32) -> Composer {
    let narrator = Narrator {
        instance,
        script: Script::default(),
    };
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

pub(super) fn support(view: &PanelView<'_, '_>, claim: ClaimId) -> Box<dyn Widget> {
    let instance = view.scene.facts.instance;
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

/// The parts of the claim under discussion: those noted last, or the subclaims of the
/// support chosen last, whichever came later; and the entry of the log that says so.
fn parts<'s>(view: &PanelView<'s, '_>) -> Option<(usize, ClaimId, &'s [ClaimId])> {
    let backwards = view.log.entries().iter().enumerate().rev();
    let mut found = backwards.filter_map(|(index, entry)| match &entry.event {
        Event::Parts { claim, on } => Some((index, *claim, &on[..])),
        Event::Supported { claim, support } => {
            let on = &view.scene.facts.instance.support(*claim, *support)?.on[..];
            Some((index, *claim, on))
        }
        _ => None,
    });
    found.next()
}

pub(super) fn select(view: &PanelView<'_, '_>, seat: Seat, claim: ClaimId, count: u32) -> PickList {
    let instance = view.scene.facts.instance;
    let (from, on) = parts(view)
        .filter(|(_, parent, _)| *parent == claim)
        .map_or((0, &[][..]), |(from, _, on)| (from, on));
    let count = on.len().min(count as usize);
    let mut values = vec![String::new(); count];
    // The last round's entries alone are looked at.
    let entries = view.log.entries();
    for entry in entries.get(from..).unwrap_or_default() {
        match &entry.event {
            Event::Claimed { answers, .. } => {
                for (value, answer) in values.iter_mut().zip(answers.as_slice()) {
                    *value = format!("Alice says {}", truth(*answer));
                }
            }
            Event::Tossed {
                place: Some(place),
                p,
                value,
                ..
            } => {
                if let Some(text) = values.get_mut(*place as usize) {
                    let p = chance(p.to_float());
                    *text = format!("Bob {p}, coin {:<5}", truth(*value));
                }
            }
            _ => {}
        }
    }
    let supported = matches!(
        entries.get(from).map(|entry| &entry.event),
        Some(Event::Supported { .. })
    );
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
            let narrator = Narrator {
                instance: view.scene.facts.instance,
                script: Script::default(),
            };
            let beside = narrator.parts_context(view.log);
            beside.into_iter().fold(pick, PickList::noting)
        }
    }
}

pub(super) fn toggles(
    view: &PanelView<'_, '_>,
    claim: ClaimId,
    support: u32,
    result: bool,
) -> Toggles {
    let instance = view.scene.facts.instance;
    let (gate, on) = instance
        .support(claim, support)
        .map_or((Gate::All, &[][..]), |support| {
            (support.gate.clone(), &support.on)
        });
    let name = |y: &ClaimId| (y.number(), instance.short_text(*y));
    Toggles::new(on.iter().map(name).collect(), gate, result)
}

/// The editor of a string of bits, by what the problem makes of them.
pub(super) fn bits(view: &PanelView<'_, '_>, ask: Ask, length: u32) -> Box<dyn Widget> {
    let instance = view.scene.facts.instance;
    let bits = length as usize;
    let prepared = view.state.prepared().filter(|given| given.len() == bits);
    let editor: Option<Box<dyn Widget>> = match ask {
        Ask::Configuration { .. } => instance
            .run()
            .and_then(|run| TapeEditor::new(run, prepared.as_ref()))
            .map(|editor| Box::new(editor) as _),
        Ask::Transcript { .. } => view
            .state
            .transcript()
            .map(|computed| Box::new(TranscriptEditor::new(computed, prepared.clone(), bits)) as _),
        Ask::Block { block, .. } => instance
            .formula()
            .and_then(|formula| {
                let outer = chosen_values(view.log);
                VariablesEditor::new(formula, block as usize, outer, prepared.clone())
            })
            .map(|editor| Box::new(editor) as _),
        Ask::Witness | Ask::Proof(_) | Ask::Answers { .. } => None,
    };
    editor.unwrap_or_else(|| Box::new(BitsEditor::of(view, ask, prepared, bits)))
}

/// The worth to Alice of the judge's yes and no, whatever she bet: nothing, or this much.
fn either_way(view: &PanelView<'_, '_>, panels: &DebatePanels) -> [String; 2] {
    let round = view.state.round();
    let known = round
        .and_then(|round| panels.weight(round))
        .zip(last_p(view.log));
    let Some((weight, p)) = known else {
        return [const { String::new() }; 2];
    };
    [true, false].map(|outcome| {
        let value = &weight * (Exact::indicator(outcome) - p);
        if value.is_zero() {
            return "0 to Alice".to_owned();
        }
        let value = short(value.abs().to_float(), 3);
        format!("0 or ±{value} to Alice")
    })
}

pub(super) fn oracle(
    view: &PanelView<'_, '_>,
    panels: &DebatePanels,
    worth: impl Fn(Reply<Exact>) -> Option<Exact>,
) -> PickList {
    let reply = |holds| Reply::Oracle {
        holds,
        confidence: None,
    };
    let replies = [true, false].map(reply);
    let worths = [true, false].map(|holds| worth(reply(holds)));
    let nothing = worths
        .iter()
        .all(|worth| worth.as_ref().is_some_and(Zero::is_zero));
    let hidden = !view.scene.facts.blind && view.hides_a_bet();
    let [yes, no] = if hidden {
        either_way(view, panels)
    } else {
        worths.map(|worth| {
            worth
                .filter(|_| !nothing)
                .map_or_else(String::new, |worth| {
                    format!("{} to Alice", money(&worth, 3))
                })
        })
    };
    let item = |key, label: &str, value| Item {
        value,
        ..Item::new(Some(key), label)
    };
    let items = vec![
        item('y', "yes, it is true", yes),
        item('n', "no, it is false", no),
    ];
    let pick = PickList::new(items, replies.into());
    let mut entries = view.log.entries().iter();
    if hidden {
        pick.noting(
            "Alice's bet is sealed until you have answered: it says whether she gains or loses."
                .to_owned(),
        )
    } else if nothing && entries.any(|entry| matches!(entry.event, Event::Betted { .. })) {
        pick.noting("Alice bets nothing: your answer moves no reward.".to_owned())
    } else {
        pick
    }
}

pub(super) fn challenge(view: &PanelView<'_, '_>, steps: &Range<u64>) -> Box<dyn Widget> {
    let computed = view.state.transcript();
    if computed.is_some() || steps.end.saturating_sub(steps.start) != 1 {
        return Box::new(StepList::new(steps.clone(), computed));
    }
    let items = ["go on", "stop here: have it checked"];
    Box::new(PickList::new(
        items.map(|text| Item::new(None, text)).into(),
        [None, Some(steps.start)].map(Reply::Challenge).into(),
    ))
}
