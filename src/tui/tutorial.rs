//! The tutorial's voice: what is said at each moment of a lesson.
//!
//! A lesson is a real debate with a fixed seed and a list of [`LessonStep`]s. Where to start:
//! [`Coach::lesson`] takes up a lesson, [`Coach::advice`] finds what to say about a debate as it
//! stands. What is said follows from the debate alone, never from what was said before: whoever
//! comes back to a kept debate is told the same again. Figures stand in the texts as slots, such
//! as `{p}`, and are read off the debate; a step whose slots mean nothing just now is not said.

mod figures;
mod lessons;

use num_traits::{One as _, Zero as _};

use crate::tui::actions::{Contexts, KeyMap};
use crate::tui::screen::{Action, keys};
use debate_core::chance::Seed;
use debate_core::number::{Exact, Number as _, percent, short, signed};
use debate_core::player::Seating;
use debate_core::protocol::words::{coins_of_round, rewards};
use debate_core::protocol::{Bet, Event, Log, Request, Round, Rules as _};
use debate_core::scenario::{ClaimId, Instance};
use debate_lab::setup::{Limits, Setup};

pub use figures::{Opponents, figures};
pub use lessons::{AFTER, BEFORE, COMPARED, LESSONS, SCENARIO};

/// The number of lessons: the debates, and the comparison after them.
pub const COUNT: usize = LESSONS.len() + 1;

/// A lesson that is a debate.
#[derive(Debug)]
pub struct Lesson {
    /// In a few words: "You are Bob".
    pub title: &'static str,
    /// The players: prover, opponent, judge. The user is `human`.
    pub players: [&'static str; 3],
    /// The seed of its coins.
    pub seed: &'static str,
    /// The texts; the first step that fits is said.
    pub steps: &'static [LessonStep],
}

/// Something that is said at a moment of a debate.
#[derive(Debug)]
pub struct LessonStep {
    /// All of this holds then.
    pub when: &'static [StepCondition],
    /// The text, with slots.
    pub text: &'static str,
}

/// A condition of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepCondition {
    /// The user is asked for this.
    Asked(RequestKind),
    /// This is awaited from somebody else.
    Awaited(RequestKind),
    /// This is the round: d, …, 1, 0.
    InRound(u32),
    /// The first of a claim's parts is about to be estimated, or a later one.
    FirstPart(bool),
    /// All parts of the round's claim have been estimated.
    AllParts,
    /// True if a part of the round's claim came out false.
    Flawed(bool),
    /// The debate is over.
    Over,
    /// True if the prover ended where the estimator erred most, by a half at least, with the right
    /// bet.
    LedToError(bool),
    /// True if the judge's answer was the truth.
    JudgedTruly(bool),
}

/// A kind of request, as far as lessons tell them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestKind {
    /// The answer to the root claim.
    Answer,
    /// The probability of the root claim.
    RootEstimate,
    /// The probability of a part.
    PartEstimate,
    /// Which way an estimate errs.
    Bet,
    /// The support of a claim.
    Support,
    /// The part to go on with.
    Select,
    /// The judge's answer about a leaf.
    Judgement,
    /// A coin.
    Coin,
}

/// The texts of one lesson.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coach {
    lesson: usize,
}

/// With what the user answers.
#[derive(Clone, Copy, Debug)]
pub enum InputMode<'k> {
    /// With lines of text.
    Lines,
    /// With the keys of the screen.
    Keys(&'k KeyMap<Action>),
}

impl InputMode<'_> {
    /// The label of an action's key; with lines, there is none.
    fn key(self, context: Contexts, action: Action) -> Option<String> {
        match self {
            Self::Lines => None,
            Self::Keys(map) => Some(map.called(context, action)),
        }
    }
}

impl Coach {
    /// The coach of a lesson, counted from 0. `None`: there is no such debate.
    pub fn lesson(number: usize) -> Option<Self> {
        LESSONS.get(number).map(|_| Self { lesson: number })
    }

    /// The coach of a debate that was kept, where it is one of a lesson: of the lessons' own
    /// scenario, between the players of one, with a seed that says which.
    pub fn of(scenario: &str, seed: &Seed, players: &[String; 3]) -> Option<Self> {
        let is_of = |lesson: &Lesson| {
            let rest = seed.as_str().strip_prefix(lesson.seed);
            let is_its_seed = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
            is_its_seed && *players == lesson.players
        };
        let found = Self::lesson(LESSONS.iter().position(is_of)?)?;
        let setup = Setup::bundled(SCENARIO, &Limits::default()).ok()?;
        (*scenario == *setup.source).then_some(found)
    }

    /// Which lesson this is, counted from 0.
    pub fn number(&self) -> usize {
        self.lesson
    }

    /// The lesson by its number: "Lesson 1 of 4".
    pub fn place(&self) -> String {
        format!("Lesson {} of {COUNT}", self.lesson + 1)
    }

    /// The text for this moment, if there is one.
    pub fn advice(
        &self,
        seating: &Seating<'_, Exact>,
        instance: &Instance,
        input_mode: InputMode<'_>,
    ) -> Option<String> {
        Some(self.find_step(seating, instance, input_mode)?.1)
    }

    /// The number of the step that is said now, and its text.
    pub fn find_step(
        &self,
        seating: &Seating<'_, Exact>,
        instance: &Instance,
        input_mode: InputMode<'_>,
    ) -> Option<(usize, String)> {
        let lesson = LESSONS.get(self.lesson)?;
        let moment = Moment {
            seating,
            instance,
            input_mode,
        };
        let steps = lesson.steps.iter().enumerate();
        let mut fitting =
            steps.filter(|(_, step)| step.when.iter().all(|when| moment.holds(*when)));
        fitting.find_map(|(number, step)| Some((number, moment.fill(step.text)?)))
    }
}

/// A debate as it stands, as lessons look at it.
struct Moment<'m, 'a> {
    seating: &'m Seating<'a, Exact>,
    instance: &'m Instance,
    input_mode: InputMode<'m>,
}

impl Moment<'_, '_> {
    /// A text with its slots filled. `None`: one of them means nothing now.
    fn fill(&self, text: &str) -> Option<String> {
        let mut filled = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let (slot, after) = after.split_once('}')?;
            filled.push_str(before);
            filled.push_str(&match slot {
                "on" => self.onward(),
                "send" => self.send(),
                slot => self.slot(slot)?,
            });
            rest = after;
        }
        filled.push_str(rest);
        Some(filled)
    }

    /// The key to go on with, as a sentence; empty where lines go on by themselves.
    fn onward(&self) -> String {
        let (context, action) = match self.seating.turn() {
            Some(_) => (keys::WATCH, Action::PlayToTurn),
            None => (keys::END, Action::Onward),
        };
        let key = self.input_mode.key(context, action);
        key.map_or_else(String::new, |key| format!(" Go on with {key}."))
    }

    /// The key that sends a number.
    fn send(&self) -> String {
        let key = self.input_mode.key(keys::SLIDER, Action::Send);
        key.unwrap_or_else(|| "enter".to_owned())
    }

    fn log(&self) -> &Log<Exact> {
        self.seating.log()
    }

    fn holds(&self, when: StepCondition) -> bool {
        let pending = || self.seating.turn().map(|turn| request_kind(&turn.request));
        let mine = self.seating.awaited().is_some();
        match when {
            StepCondition::Asked(asked) => mine && pending() == Some(Some(asked)),
            StepCondition::Awaited(awaited) => !mine && pending() == Some(Some(awaited)),
            StepCondition::InRound(round) => {
                self.seating.state().round() == Some(Round::Number(round))
            }
            StepCondition::FirstPart(first) => self.parts().is_empty() == first,
            StepCondition::AllParts => {
                let parts = self.parts().len();
                parts > 0 && Some(parts) == self.supported().map(<[ClaimId]>::len)
            }
            StepCondition::Flawed(flawed) => self.is_flawed() == flawed,
            StepCondition::Over => self.seating.turn().is_none(),
            StepCondition::LedToError(led) => {
                let last = rewards(self.log()).last();
                let paid = last.is_some_and(|reward| reward.value() > Exact::ratio(1, 2));
                paid == led
            }
            StepCondition::JudgedTruly(truly) => {
                let entries = self.log().entries().iter();
                let mut judged = entries.rev().filter_map(|entry| match entry.event {
                    Event::Judged { claim, answer, .. } => Some((claim, answer)),
                    _ => None,
                });
                judged.next().is_some_and(|(claim, answer)| {
                    (self.instance.truth(claim) == Some(answer)) == truly
                })
            }
        }
    }

    fn slot(&self, name: &str) -> Option<String> {
        let (claim, p) = self.entered()?;
        match name {
            "p" => Some(percent(p.to_float())),
            "weight" => self.weight(),
            "claim" => Some(format!("“{}”", self.instance.short_text(claim))),
            "truth" => {
                let words = if self.instance.truth(claim)? {
                    "true"
                } else {
                    "false"
                };
                Some(words.to_owned())
            }
            "err" => Some(self.error(claim, p)?.words().to_owned()),
            "fair" => self.even_doubt(p),
            "worst" => self.worst(),
            "paid" => {
                let last = rewards(self.log()).last()?;
                Some(signed(last.value().to_float(), 3))
            }
            "payoff" => Some(signed(self.seating.state().payoff().to_float(), 3)),
            _ => None,
        }
    }

    /// The claim of the round and what Bob said of it before; of the root, before the first round.
    fn entered(&self) -> Option<(ClaimId, &Exact)> {
        let entries = self.log().entries().iter();
        entries.rev().find_map(|entry| match &entry.event {
            Event::Entered { claim, p, .. } => Some((*claim, p.as_ref()?)),
            Event::Estimated {
                claim,
                place: None,
                p,
                ..
            } => Some((*claim, p)),
            _ => None,
        })
    }

    /// The weight of the round.
    fn weight(&self) -> Option<String> {
        let round = self.seating.state().round()?;
        let mut schedule = self.seating.state().schedule().into_iter();
        let (_, weight) = schedule.find(|(other, _)| *other == round)?;
        Some(short(weight.to_float(), 3))
    }

    /// Which way an estimate errs.
    fn error(&self, claim: ClaimId, p: &Exact) -> Option<Bet> {
        let truth = Exact::indicator(self.instance.truth(claim)?);
        Some(Bet::beyond(&(truth - p), &Exact::zero()))
    }

    /// The parts of the round's claim.
    fn supported(&self) -> Option<&[ClaimId]> {
        let last = self
            .log()
            .entries()
            .iter()
            .rev()
            .find_map(|entry| match entry.event {
                Event::Entered { .. } => Some(None),
                Event::Supported { claim, support } => Some(Some((claim, support))),
                _ => None,
            });
        let (claim, support) = last??;
        let support = self.instance.supports(claim).get(support as usize)?;
        Some(&support.on)
    }

    /// The estimates of the parts of the round's claim so far.
    fn parts(&self) -> Vec<(ClaimId, &Exact)> {
        let entries = self.log().entries();
        let begun = entries
            .iter()
            .rposition(|entry| matches!(entry.event, Event::Supported { .. }))
            .map_or(entries.len(), |at| at + 1);
        let parts = entries
            .iter()
            .skip(begun)
            .filter_map(|entry| match &entry.event {
                Event::Estimated {
                    claim,
                    place: Some(_),
                    p,
                    ..
                } => Some((*claim, p)),
                _ => None,
            });
        parts.collect()
    }

    /// True if a coin of the round made a part false.
    fn is_flawed(&self) -> bool {
        coins_of_round(self.log()).iter().any(|(_, value)| !value)
    }

    /// The probability of the next part where doubt is shared out evenly.
    fn even_doubt(&self, p: &Exact) -> Option<String> {
        let coins = coins_of_round(self.log()).into_iter();
        let coins: Vec<bool> = coins.map(|(_, value)| value).collect();
        let share = even_doubt(p, self.supported()?.len(), &coins)?.to_float();
        // Whole percents are easily typed, and no further off than the eye can tell.
        Some(percent((share * 100.0).round() / 100.0))
    }

    /// The part that is furthest from the truth, with what was said of it.
    fn worst(&self) -> Option<String> {
        let distance = |claim: ClaimId, p: &Exact| {
            let truth = Exact::indicator(self.instance.truth(claim)?);
            Some(if truth > *p { truth - p } else { p - truth })
        };
        let parts = self.parts().into_iter();
        let found = parts.filter_map(|(claim, p)| Some((distance(claim, p)?, claim, p)));
        let (_, claim, p) = found.max_by(|one, other| one.0.cmp(&other.0))?;
        let text = self.instance.short_text(claim);
        Some(format!("“{text}”, held {} likely", percent(p.to_float())))
    }
}

/// The probability of the next of so many parts, after these coins, where the doubt about the claim that
/// they make, held `p` likely, is shared out evenly: at most one part is false, each as likely as
/// the others. `None`: that cannot be, or all parts had their coins.
fn even_doubt(p: &Exact, parts: usize, coins: &[bool]) -> Option<Exact> {
    if coins.contains(&false) {
        return Some(Exact::one());
    }
    let count = i64::try_from(parts).ok()?;
    let at = i64::try_from(coins.len()).ok()?;
    let doubt = Exact::one() - p;
    let clean = |parts: i64| Exact::one() - &doubt * Exact::ratio(parts, count);
    let before = clean(at);
    (at < count && !before.is_zero()).then(|| clean(at + 1) / before)
}

fn request_kind(request: &Request<Exact>) -> Option<RequestKind> {
    Some(match request {
        Request::Answer { .. } => RequestKind::Answer,
        Request::Probability { place: None, .. } => RequestKind::RootEstimate,
        Request::Probability { .. } => RequestKind::PartEstimate,
        Request::Direction { .. } => RequestKind::Bet,
        Request::Support { .. } => RequestKind::Support,
        Request::Select { .. } => RequestKind::Select,
        Request::Oracle { .. } => RequestKind::Judgement,
        Request::Draw { .. } => RequestKind::Coin,
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
