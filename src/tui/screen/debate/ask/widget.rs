//! The widgets of the ask panel.

mod make;

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};

use super::super::super::keys::{PICK, SLIDER, TOGGLES};
use super::super::super::stage::{Sight, Stage};
use crate::gate::{Gate, Tally};
use crate::number::{Exact, Number, parse, percent};
use crate::protocol::words::Teller;
use crate::protocol::{Ask as Bits, Reply, Request, Turn};
use crate::tui::actions::Set;
use crate::tui::panel::choice::{Choice, Item};
use crate::tui::panel::measure;
use crate::tui::panel::slider::Slider;
use crate::tui::screen::Do;
use crate::tui::theme::{Look, Role};

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

fn truth(holds: bool) -> &'static str {
    Teller::truth(holds)
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
                make::estimate(sight, stage, place.filter(|_| !*alone))
            }
            Request::Direction { claim } => make::direction(sight, stage, *claim),
            Request::Support { claim, .. } => make::support(sight, *claim),
            Request::Select { claim, .. } => make::select(sight, turn.seat, *claim),
            Request::Bits {
                ask:
                    Bits::Answers {
                        claim,
                        support,
                        result,
                    },
                ..
            } => make::toggles(sight, *claim, *support, *result),
            Request::Oracle { .. } => make::oracle(worth),
            Request::Share { .. } => make::estimate(sight, stage, None),
            Request::Challenge { steps, .. } => make::challenge(steps),
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
