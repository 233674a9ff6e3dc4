//! The tutorial's voice: what is said at each moment of a lesson.
//!
//! A lesson is a real debate with a fixed seed and a list of [`LessonStep`]s. Where to start:
//! [`Coach::lesson`] takes up a lesson, [`Coach::advice`] finds what to say about a debate as it
//! stands. What is said follows from the debate alone, never from what was said before: whoever
//! comes back to a kept debate is told the same again. Figures stand in the texts as slots, such
//! as `{p}`, and are read off the debate; a step whose slots mean nothing just now is not said.

mod moment;

use std::cmp::Ordering;
use std::sync::LazyLock;

use num_traits::ToPrimitive as _;
use serde::Deserialize;

use crate::tui::actions::{Contexts, KeyMap};
use crate::tui::keys::Action;
use debate_core::budget::Budget;
use debate_core::chance::Seed;
use debate_core::number::{Exact, Number as _, percent};
use debate_core::player::Seating;
use debate_core::protocol::{Protocol, Seat};
use debate_core::scenario::Instance;
use debate_solver::analysis::review::{ReviewContext, ReviewError};
use debate_solver::setup::{Limits, Origin, Setup, SetupError};
use moment::Moment;

/// The bundled scenario of the first course.
pub const SCENARIO: &str = "primes-small";
/// The prover whose play lessons teach: hints and the review compare Alice with it.
pub const REFERENCE_PROVER: &str = "honest";
/// The scenario of the comparison, which is in no list.
const COMPARED: (&str, &str) = ("compared", include_str!("tutorial/compared.ron"));
/// The Bob of the comparison who does as told: in the debate by plain recursion, and in the other.
pub const STAND_INS: [&str; 2] = ["bounded(0)", "even"];
/// The seeds of all lessons begin with one of these.
const SEEDS: [&str; 2] = ["lesson ", "second course "];
/// The place of the comparison among all lessons, counted from 0: the first course ends with it. It
/// is two debates, one after the other, and a page.
pub const COMPARISON: usize = 3;
/// The pages of the comparison: its debates, and what comes of them.
pub const COMPARISON_PAGES: usize = STAND_INS.len() + 1;
/// The lessons of the first course.
pub const FIRST_COURSE: usize = COMPARISON + 1;
/// The lessons of both courses: the debates and the comparison.
pub const COUNT: usize = FIRST_COURSE + 4;

/// The lessons and the pages between them, as `tutorial/lessons.ron` has them. That it can be read
/// is held by a test.
pub static TUTORIAL: LazyLock<Tutorial> =
    LazyLock::new(|| ron::from_str(include_str!("tutorial/lessons.ron")).unwrap_or_default());

/// Everything that is written for the tutorial.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tutorial {
    /// The lessons that are debates.
    pub lessons: Vec<Lesson>,
    /// The difference between the compared rules, below the figures.
    pub differs: &'static str,
    /// The limits of what the comparison shows.
    pub after: &'static str,
    /// Said at the end of the first course, before the choices.
    pub done: &'static str,
    /// Said at the end of the second course.
    pub second_done: &'static str,
    /// Debates to play after the tutorial.
    pub next: Vec<NextDebate>,
}

/// A debate to go on with after the tutorial.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NextDebate {
    /// In a few words.
    pub label: &'static str,
    /// The reason to play it, and the seat.
    pub about: &'static str,
    /// The bundled scenario.
    pub scenario: &'static str,
}

/// The place of a lesson in its course: "Lesson 1 of 4". Lessons are counted from 0.
pub fn place(lesson: usize) -> String {
    match lesson.checked_sub(FIRST_COURSE) {
        None => format!("Lesson {} of {FIRST_COURSE}", lesson + 1),
        Some(lesson) => format!(
            "Second course, lesson {} of {}",
            lesson + 1,
            COUNT - FIRST_COURSE
        ),
    }
}

/// A lesson that is a debate.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lesson {
    /// In a few words: "You are Bob".
    pub title: &'static str,
    /// The bundled scenario, or that of the comparison.
    pub scenario: &'static str,
    /// The rules, where they are not the scenario's.
    #[serde(default)]
    pub rules: Option<&'static str>,
    /// The players: prover, opponent, judge. The user is `human`.
    #[serde(borrow)]
    pub players: [&'static str; 3],
    /// The seed of its coins.
    pub seed: &'static str,
    /// The texts; the first step that fits is said.
    pub steps: Vec<LessonStep>,
}

impl Lesson {
    /// The scenario, with the rules of the lesson.
    ///
    /// # Errors
    /// Only where the scenario is wrong, which a test rules out.
    pub fn setup(&self) -> Result<Setup, SetupError> {
        let limits = Limits::default();
        let (name, text) = COMPARED;
        let mut setup = if self.scenario == name {
            Setup::from_text(text, Origin::Text(name.to_owned()), &limits)?
        } else {
            Setup::bundled(self.scenario, &limits)?
        };
        if let Some(Ok(protocol)) = self.rules.map(Protocol::parse) {
            setup.protocol = protocol;
        }
        Ok(setup)
    }

    /// The seat of the user.
    pub fn user(&self) -> Seat {
        let seats = Seat::PLAYERS.into_iter();
        let mut people = seats.filter(|seat| self.players[seat.index()] == "human");
        people.next().unwrap_or(Seat::Judge)
    }
}

/// Something that is said at a moment of a debate.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LessonStep {
    /// All of this holds then.
    pub when: Vec<StepCondition>,
    /// The text, with slots.
    pub text: &'static str,
}

/// A condition of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum StepCondition {
    /// The user is asked for this: the name of a request, or of the bits that it asks for; `Part` is the
    /// probability of a part.
    Asked(&'static str),
    /// This is awaited from somebody else.
    Awaited(&'static str),
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
    /// True if the estimator gave the root claim a probability near its truth.
    RootAsTold(bool),
    /// True if the last estimate of a part was what an even share of the doubt comes to.
    PartAsTold(bool),
    /// True if the estimates of the round's parts agree with what was said of their claim.
    Agrees(bool),
    /// True if that holds of every round.
    AgreedThroughout(bool),
    /// True if the prover's answer is the truth.
    AnsweredTruly(bool),
    /// True if the prover's last bet is the way in which the estimate errs.
    BetTruly(bool),
    /// True if the prover went on with the part of which the estimator erred most.
    WentFurthest(bool),
    /// True if the prover ended where the estimator erred most, by a half at least, with the right
    /// bet.
    LedToError(bool),
    /// True if the judge's answer was the truth.
    JudgedTruly(bool),
    /// True once anything was said.
    Begun(bool),
    /// True if a part was chosen before.
    Chosen(bool),
    /// True if in what is contested of a run each step follows.
    NothingWrong(bool),
    /// True if the other side wins from here, whatever the user chooses: the game of a formula, or a
    /// recursion into a part that is as it was said to be.
    Lost(bool),
    /// True if the honest player would point at a step now.
    ErrorHere(bool),
    /// True if the user won.
    Won(bool),
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
    /// The coach of a debate of the lessons, counted from 0. `None`: there is no such debate.
    pub fn lesson(number: usize) -> Option<Self> {
        TUTORIAL
            .lessons
            .get(number)
            .map(|_| Self { lesson: number })
    }

    /// The coach of a lesson by its place among all, and of its page. `None`: it is no debate.
    pub fn at(place: usize, page: usize) -> Option<Self> {
        match place.cmp(&COMPARISON) {
            Ordering::Less => Self::lesson(place),
            Ordering::Equal if page < STAND_INS.len() => Self::lesson(place + page),
            Ordering::Equal => None,
            Ordering::Greater => Self::lesson(place + STAND_INS.len() - 1),
        }
    }

    /// The coach of a debate that was kept, where it is one of a lesson: of its scenario, between its
    /// players, with a seed that says which.
    pub fn of(scenario: &str, seed: &Seed, players: &[String; 3]) -> Option<Self> {
        // The first screen of any other debate does without the lessons' texts.
        if !SEEDS.iter().any(|start| seed.as_str().starts_with(start)) {
            return None;
        }
        let is_of = |lesson: &Lesson| {
            let rest = seed.as_str().strip_prefix(lesson.seed);
            let is_its_seed = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
            is_its_seed && *players == lesson.players
        };
        let lesson = Self::lesson(TUTORIAL.lessons.iter().position(is_of)?)?;
        let setup = lesson.debate().setup().ok()?;
        (*scenario == *setup.source).then_some(lesson)
    }

    /// The debate of the lesson.
    pub fn debate(&self) -> &'static Lesson {
        &TUTORIAL.lessons[self.lesson]
    }

    /// The place of the lesson among all, counted from 0.
    pub fn number(&self) -> usize {
        self.lesson - usize::from(self.lesson > COMPARISON)
    }

    /// The page of the debate in its lesson.
    pub fn page(&self) -> usize {
        usize::from(self.lesson == COMPARISON + 1)
    }

    /// The place of the lesson in its course: "Lesson 1 of 4".
    pub fn place(&self) -> String {
        place(self.number())
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
        let lesson = self.debate();
        let moment = Moment {
            seating,
            instance,
            input_mode,
            lesson,
        };
        let steps = lesson.steps.iter().enumerate();
        let mut fitting =
            steps.filter(|(_, step)| step.when.iter().all(|when| moment.holds(*when)));
        fitting.find_map(|(number, step)| Some((number, moment.fill(step.text)?)))
    }
}

/// Signs of a bar that stands for all of the stake.
const BAR: i64 = 30;

/// The share of the highest stake that the liar can expect in each debate of the comparison, as a bar.
///
/// # Errors
/// If a player fails, or it is cancelled.
pub fn bars(
    debates: &[ReviewContext; 2],
    seed: &Seed,
    budget: Budget<'_>,
) -> Result<Vec<String>, ReviewError> {
    let lessons = &TUTORIAL.lessons[COMPARISON..];
    let bar = |(debate, lesson): (&ReviewContext, &Lesson)| {
        let trials = debate.trials(&[], seed, 0, budget, &|_done| {})?;
        // The last stake is 1 under both sets of rules.
        let share = trials.pair.exact?;
        let length = (&share * Exact::from_integer(BAR.into())).to_integer();
        let signs = "█".repeat(length.to_usize().unwrap_or(0));
        let share = percent(share.to_float());
        Ok(format!("▏{signs} {share}: {}", lesson.title))
    };
    debates.iter().zip(lessons).map(bar).collect()
}

#[cfg(test)]
mod tests;
