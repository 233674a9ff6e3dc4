//! The widgets of the ask panel.

use num_traits::Zero;
use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};

use super::super::super::keys::{PICK, SLIDER, TOGGLES};
use super::super::super::stage::{Sight, Stage, chance};
use crate::gate::{Gate, Tally};
use crate::number::{Exact, Number, parse, percent, short, signed};
use crate::protocol::words::{Teller, coins_of_round, last_p};
use crate::protocol::{Ask as Bits, Bet, Event, Reply, Request, Rules, Seat, Turn};
use crate::scenario::{ClaimId, Support};
use crate::tui::actions::Set;
use crate::tui::panel::choice::{Choice, Item};
use crate::tui::panel::measure;
use crate::tui::panel::slider::Slider;
use crate::tui::screen::Do;
use crate::tui::theme::{Look, Role};

/// More subclaims than this are not listed one by one below a support.
const LISTED: usize = 8;

/// What answers a request.
#[derive(Debug)]
pub(super) enum Widget {
    /// One of several replies.
    Pick {
        choice: Choice,
        items: Vec<Item>,
        replies: Vec<Reply<Exact>>,
        /// Whether a choice was made: none is, to begin with, unless there is only one.
        made: bool,
        notes: Vec<String>,
    },
    /// A probability.
    Slider {
        slider: Slider,
        parent: Option<Parent>,
        notes: Vec<String>,
    },
    /// Claimed answers to all subclaims.
    Toggles {
        choice: Choice,
        names: Vec<String>,
        values: Vec<bool>,
        gate: Gate,
        result: bool,
    },
}

/// What the estimates of subclaims imply for their claim.
#[derive(Debug)]
pub(super) struct Parent {
    text: String,
    gate: Gate,
    coins: Tally,
    /// How many subclaims follow after the one asked about.
    rest: u32,
    /// What was said of the claim before.
    before: Option<Exact>,
}

impl Parent {
    /// What a probability of the subclaim asked about leaves possible for the claim.
    fn implied(&self, p: Option<&Exact>) -> String {
        let before = self.before.as_ref().map_or_else(String::new, |before| {
            format!("; you said {} before", percent(before.to_float()))
        });
        let Some(p) = p else {
            return format!(
                "See here what your estimate implies for {}{before}.",
                self.text
            );
        };
        let (least, most) = self.gate.implied(self.coins, self.rest, p);
        let say = |p: &Exact| percent(p.to_float());
        if least == most {
            format!(
                "{} then comes out true with {}{before}.",
                self.text,
                say(&least)
            )
        } else {
            format!(
                "{} then comes out true with {} to {}{before}.",
                self.text,
                say(&least),
                say(&most)
            )
        }
    }
}

/// The support chosen last, with its claim.
fn chosen<'a>(sight: &Sight<'_, 'a>) -> Option<(ClaimId, &'a Support)> {
    let mut backwards = sight.log.entries().iter().rev();
    let (claim, support) = backwards.find_map(|entry| match entry.event {
        Event::Supported { claim, support } => Some((claim, support)),
        _ => None,
    })?;
    let supports = sight.scene.instance.supports(claim);
    Some((claim, supports.get(support as usize)?))
}

fn truth(holds: bool) -> &'static str {
    Teller::truth(holds)
}

fn money(value: &Exact, digits: usize) -> String {
    if value.is_zero() {
        "0".to_owned()
    } else {
        signed(value.to_float(), digits)
    }
}

impl Widget {
    pub(super) fn of(
        sight: &Sight<'_, '_>,
        stage: &Stage,
        turn: &Turn<Exact>,
        worth: impl Fn(Reply<Exact>) -> Option<Exact>,
    ) -> Self {
        match &turn.request {
            Request::Answer { .. } => Self::pick(
                vec![
                    Item::new(Some('y'), "yes, it is true"),
                    Item::new(Some('n'), "no, it is false"),
                ],
                vec![Reply::Answer(true), Reply::Answer(false)],
            ),
            Request::Probability { place, alone, .. } => {
                estimate(sight, stage, place.filter(|_| !*alone))
            }
            Request::Direction { claim } => direction(sight, stage, *claim),
            Request::Support { claim, .. } => support(sight, *claim),
            Request::Select { claim, .. } => select(sight, turn.seat, *claim),
            Request::Bits {
                ask:
                    Bits::Answers {
                        claim,
                        support,
                        result,
                    },
                ..
            } => toggles(sight, *claim, *support, *result),
            Request::Oracle { .. } => oracle(worth),
            // A proof bit; and a draw, which is never asked of a person.
            Request::Bits { .. } | Request::Draw { .. } => Self::pick(
                vec![Item::new(Some('0'), "0"), Item::new(Some('1'), "1")],
                [false, true]
                    .map(|bit| Reply::Bits(vec![bit].into()))
                    .into(),
            ),
        }
    }

    fn pick(items: Vec<Item>, replies: Vec<Reply<Exact>>) -> Self {
        Self::Pick {
            choice: Choice::default(),
            made: items.len() == 1,
            items,
            replies,
            notes: Vec::new(),
        }
    }

    fn noting(mut self, note: String) -> Self {
        if let Self::Pick { notes, .. } | Self::Slider { notes, .. } = &mut self {
            notes.push(note);
        }
        self
    }

    pub(super) fn context(&self) -> Set {
        match self {
            Self::Pick { .. } => PICK,
            Self::Slider { .. } => SLIDER,
            Self::Toggles { .. } => TOGGLES,
        }
    }

    /// The choice that is marked, if one is.
    pub(super) fn marked(&self) -> Option<usize> {
        match self {
            Self::Pick { choice, made, .. } => made.then(|| choice.selected()),
            _ => None,
        }
    }

    pub(super) fn mark(&mut self, place: usize) {
        if let Self::Pick {
            choice,
            made,
            items,
            ..
        } = self
            && place < items.len()
        {
            choice.select(place);
            *made = true;
        }
    }

    pub(super) fn reply(&self) -> Result<Reply<Exact>, String> {
        match self {
            Self::Pick {
                choice,
                replies,
                items,
                made,
                ..
            } => {
                let reply = replies.get(choice.selected()).filter(|_| *made);
                reply.cloned().ok_or_else(|| {
                    let keys: Vec<String> = items
                        .iter()
                        .filter_map(|item| item.key.map(String::from))
                        .collect();
                    if keys.is_empty() {
                        "Choose first, with the arrows or by number; then enter sends it."
                            .to_owned()
                    } else {
                        format!("Choose first: {}; then enter sends it.", keys.join(" or "))
                    }
                })
            }
            Self::Slider { slider, .. } => {
                let answer = slider.answer().ok_or_else(|| {
                    if slider.is_wrong() {
                        "That is no probability: type 33, 0.5 (percent) or 1/3.".to_owned()
                    } else {
                        "Set it first: type a percentage, or use the arrows; then enter sends it."
                            .to_owned()
                    }
                })?;
                parse(&answer)
                    .map(Reply::Probability)
                    .map_err(|error| error.to_string())
            }
            Self::Toggles { values, .. } => Ok(Reply::Bits(values.clone().into())),
        }
    }

    pub(super) fn act(&mut self, action: Do) -> bool {
        match self {
            Self::Pick {
                choice,
                items,
                made,
                ..
            } => {
                let by = match action {
                    Do::Above => -1,
                    Do::Below => 1,
                    _ => return false,
                };
                // The first step marks the first choice, or the last one.
                if *made {
                    choice.step(by, items);
                } else {
                    choice.select(if by > 0 { 0 } else { items.len() - 1 });
                    *made = true;
                }
            }
            Self::Slider { slider, .. } => match action {
                Do::Lower => slider.step(-1),
                Do::Raise => slider.step(1),
                Do::LowerMuch => slider.step(-10),
                Do::RaiseMuch => slider.step(10),
                _ => return false,
            },
            Self::Toggles {
                choice,
                values,
                names,
                ..
            } => {
                let items: Vec<Item> = names.iter().map(|name| Item::new(None, name)).collect();
                match action {
                    Do::Above => choice.step(-1, &items),
                    Do::Below => choice.step(1, &items),
                    Do::Turn => {
                        if let Some(value) = values.get_mut(choice.selected()) {
                            *value = !*value;
                        }
                    }
                    _ => return false,
                }
            }
        }
        true
    }

    pub(super) fn press(&mut self, c: char) -> bool {
        match self {
            Self::Pick {
                choice,
                items,
                made,
                ..
            } => {
                let found = choice.press(c, items).is_some();
                *made |= found;
                found
            }
            Self::Slider { slider, .. } => slider.type_character(c),
            Self::Toggles { choice, values, .. } => {
                let place = c
                    .to_digit(10)
                    .and_then(|digit| (digit as usize).checked_sub(1));
                match place.and_then(|place| Some((place, values.get_mut(place)?))) {
                    Some((place, value)) => {
                        *value = !*value;
                        choice.select(place);
                        true
                    }
                    None => false,
                }
            }
        }
    }

    pub(super) fn erase(&mut self) -> bool {
        match self {
            Self::Slider { slider, .. } => slider.erase(),
            _ => false,
        }
    }

    pub(super) fn click(&mut self, at: Position, area: Rect) -> bool {
        if !area.contains(at) {
            return false;
        }
        let row = at.y - area.y;
        let items = self.items();
        match self {
            Self::Pick { choice, made, .. } => {
                let Some(place) = choice.item_at(row, &items) else {
                    return false;
                };
                choice.select(place);
                *made = true;
                true
            }
            Self::Slider { slider, .. } => slider.click(at.x, at.y, area),
            Self::Toggles { choice, values, .. } => {
                let Some(place) = choice.item_at(row, &items) else {
                    return false;
                };
                choice.select(place);
                if let Some(value) = values.get_mut(place) {
                    *value = !*value;
                }
                true
            }
        }
    }

    /// The list as it is drawn; empty for a slider.
    fn items(&self) -> Vec<Item> {
        match self {
            Self::Pick { items, .. } => items.clone(),
            Self::Slider { .. } => Vec::new(),
            Self::Toggles { names, values, .. } => names
                .iter()
                .zip(values)
                .map(|(name, value)| Item {
                    value: format!("{:<5}", truth(*value)),
                    ..Item::new(None, name)
                })
                .collect(),
        }
    }

    pub(super) fn rows(&self, columns: u16) -> usize {
        match self {
            Self::Slider { .. } => 1,
            _ => self
                .items()
                .iter()
                .map(|item| match item.detail.as_str() {
                    "" => 1,
                    detail => {
                        1 + measure::wrap(detail, usize::from(columns.saturating_sub(4))).len()
                    }
                })
                .sum(),
        }
    }

    /// What the answer as it stands would do, in sentences.
    pub(super) fn notes(&self) -> Vec<(Role, String)> {
        let faint = |note: &String| (Role::Faint, note.clone());
        match self {
            Self::Pick { notes, .. } => notes.iter().map(faint).collect(),
            Self::Slider {
                slider,
                parent,
                notes,
            } => {
                let p = slider.answer().and_then(|answer| parse(&answer).ok());
                let implied = parent.as_ref().map(|parent| {
                    let role = if p.is_some() { Role::Text } else { Role::Faint };
                    (role, parent.implied(p.as_ref()))
                });
                implied.into_iter().chain(notes.iter().map(faint)).collect()
            }
            Self::Toggles {
                values,
                gate,
                result,
                ..
            } => {
                let holds = gate.holds(values.iter().copied().collect());
                let (role, fits) = if holds == *result {
                    (Role::Good, "as they must")
                } else {
                    (Role::Bad, "but must not")
                };
                let word = truth(holds);
                vec![(
                    role,
                    format!("Together ({gate}) they come out {word}, {fits}."),
                )]
            }
        }
    }

    pub(super) fn draw(&mut self, look: &Look, buffer: &mut Buffer, area: Rect) {
        let items = self.items();
        match self {
            Self::Pick { choice, made, .. } => {
                choice.fit(&items, area);
                choice.render(&items, *made, look, buffer, area);
            }
            Self::Slider { slider, .. } => slider.render(look, buffer, area),
            Self::Toggles { choice, .. } => {
                choice.fit(&items, area);
                choice.render(&items, true, look, buffer, area);
            }
        }
    }
}

fn estimate(sight: &Sight<'_, '_>, stage: &Stage, place: Option<u32>) -> Widget {
    let parent = place.zip(chosen(sight)).map(|(place, (claim, support))| {
        let coins = coins_of_round(sight.log);
        let count = u32::try_from(support.on.len()).unwrap_or(u32::MAX);
        Parent {
            text: format!("“{}”", sight.scene.instance.short_text(claim)),
            gate: support.gate.clone(),
            coins: coins.iter().map(|(_, value)| *value).collect(),
            rest: count.saturating_sub(place + 1),
            before: last_p(sight.log).cloned(),
        }
    });
    let weight = sight.state.round().and_then(|round| stage.weight(round));
    let note = weight.map(|weight| {
        let weight = short(weight.to_float(), 2);
        if parent.is_some() {
            format!("Alice wins or loses at most {weight} on this round, and you the opposite.")
        } else {
            format!("A coin falls with this probability; if it agrees with Alice's answer, she gets {weight}.")
        }
    });
    Widget::Slider {
        slider: Slider::default(),
        parent,
        notes: note.into_iter().collect(),
    }
}

fn direction(sight: &Sight<'_, '_>, stage: &Stage, claim: ClaimId) -> Widget {
    let p = last_p(sight.log).cloned().unwrap_or_else(Exact::zero);
    let round = sight.state.round();
    let weight = round
        .and_then(|round| stage.weight(round))
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
    let decides = if sight.scene.instance.is_leaf(claim) {
        "the judge says it is"
    } else {
        "the coins of its subclaims make it"
    };
    Widget::pick(bets.map(item).into(), bets.map(Reply::Direction).into()).noting(format!(
        "“If true”: if {decides} true. The figures are what you receive."
    ))
}

fn support(sight: &Sight<'_, '_>, claim: ClaimId) -> Widget {
    let instance = sight.scene.instance;
    let item = |(number, support): (usize, &Support)| {
        let count = support.on.len();
        // A gate over a single subclaim only says something where it turns the truth around.
        let gate = match (count, &support.gate) {
            (1, Gate::Not) => support.gate.to_string(),
            (1, _) => "one subclaim".to_owned(),
            _ => format!("{} {count}", support.gate),
        };
        let label = match instance.label(claim, number) {
            Some(label) => format!("{label}: {gate}"),
            None => gate,
        };
        let listed = support.on.iter().take(LISTED);
        let mut each: Vec<String> = listed.map(|y| instance.short_text(*y)).collect();
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
    Widget::pick(
        supports.iter().enumerate().map(item).collect(),
        replies.collect(),
    )
}

fn select(sight: &Sight<'_, '_>, seat: Seat, claim: ClaimId) -> Widget {
    let instance = sight.scene.instance;
    let on = chosen(sight)
        .filter(|(parent, _)| *parent == claim)
        .map_or(&[][..], |(_, support)| &support.on);
    let count = on.len();
    let mut values = vec![String::new(); count];
    // The last round's entries alone are looked at, from the end back to the support.
    for entry in sight.log.entries().iter().rev() {
        match &entry.event {
            Event::Supported { .. } => break,
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
    let items = on.iter().zip(values).map(|(y, value)| Item {
        value,
        ..Item::new(None, instance.short_text(*y))
    });
    let replies = (0_u32..).take(count).map(Reply::Select);
    let pick = Widget::pick(items.collect(), replies.collect());
    match seat {
        Seat::Prover => pick.noting(
            "Go where Bob's estimate is furthest from the truth: you bet on it in the next round."
                .to_owned(),
        ),
        _ => pick,
    }
}

fn toggles(sight: &Sight<'_, '_>, claim: ClaimId, support: u32, result: bool) -> Widget {
    let instance = sight.scene.instance;
    let (gate, on) = instance
        .supports(claim)
        .get(support as usize)
        .map_or((Gate::All, &[][..]), |support| {
            (support.gate.clone(), &support.on)
        });
    let wish = vec![result; on.len()];
    Widget::Toggles {
        choice: Choice::default(),
        names: on.iter().map(|y| instance.short_text(*y)).collect(),
        values: gate.nearest(&wish, result).unwrap_or(wish),
        gate,
        result,
    }
}

fn oracle(worth: impl Fn(Reply<Exact>) -> Option<Exact>) -> Widget {
    let reply = |holds| Reply::Oracle {
        holds,
        confidence: None,
    };
    let replies = [true, false].map(reply);
    let worths = [true, false].map(|holds| worth(reply(holds)));
    let nothing = worths
        .iter()
        .all(|worth| worth.as_ref().is_some_and(Zero::is_zero));
    let [yes, no] = worths.map(|worth| {
        worth
            .filter(|_| !nothing)
            .map_or_else(String::new, |worth| {
                format!("{} to Alice", money(&worth, 3))
            })
    });
    let item = |key, label: &str, value| Item {
        value,
        ..Item::new(Some(key), label)
    };
    let items = vec![
        item('y', "yes, it is true", yes),
        item('n', "no, it is false", no),
    ];
    let pick = Widget::pick(items, replies.into());
    if nothing {
        pick.noting("Alice bets nothing: your answer moves no reward.".to_owned())
    } else {
        pick
    }
}
