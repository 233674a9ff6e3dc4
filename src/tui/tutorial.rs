//! The tutorial: its lessons, and the texts that are shown at each step of a lesson.
//!
//! A lesson is a real debate with a fixed seed and a list of [`ConditionalLessonText`]s. Entry points:
//! [`LessonTexts::texts_of_lesson_debate`] returns the texts of a debate, [`LessonTexts::advice`] finds the text for
//! the debate's current state. The text depends on the debate alone, never on earlier texts, so a user who returns to a
//! saved debate sees the same text. Texts contain slots for figures, such as `{p}`, which are computed from the debate.
//! A step is skipped if one of its slots has no value.

mod lesson_context;

use std::cmp::Ordering;
use std::sync::LazyLock;

use num_traits::ToPrimitive as _;
use serde::Deserialize;

use crate::tui::actions::{Contexts, KeyMap};
use crate::tui::keys::Action;
use debate_core::budget::ComputationBudget;
use debate_core::chance::Seed;
use debate_core::number::{Exact, Number as _, format_percent};
use debate_core::player::SeatedDebate;
use debate_core::protocol::{Protocol, Seat};
use debate_core::scenario::Instance;
use debate_solver::analysis::review::{ReviewContext, ReviewError};
use debate_solver::setup::{LoadedScenario, ScenarioError, ScenarioLimits, ScenarioTextSource};
use debate_text::PayoffUnit;
use lesson_context::LessonContext;

/// The prover whose play the lessons teach. Hints and the review in a lesson compare Alice with this prover.
pub const REFERENCE_PROVER: &str = "honest";
/// The scenarios that only the first course uses. No list shows them.
const EMBEDDED: [(&str, &str); 2] = [
    ("boxes", include_str!("tutorial/boxes.ron")),
    ("compared", include_str!("tutorial/compared.ron")),
];
/// The built-in players that take Bob's seat in the tutorial's two compared debates: first under recursion, then under
/// prover-estimator rules. They play as the lesson tells the user to play.
pub const COMPARISON_OPPONENTS: [&str; 2] = ["bounded(0)", "bayes"];
/// The prefixes of the lessons' seeds, one for each course of the tutorial. A save with such a seed belongs to a
/// lesson.
const SEEDS: [&str; 2] = ["lesson ", "second course "];
/// The index of the comparison among all lessons, counted from 0. The comparison ends the first course. It consists of
/// two consecutive debates and a page.
pub const COMPARISON_LESSON: usize = 3;
/// The number of pages of the comparison: its debates and their results.
pub const COMPARISON_PAGES: usize = COMPARISON_OPPONENTS.len() + 1;
/// The number of lessons of the first course.
pub const FIRST_COURSE_COUNT: usize = COMPARISON_LESSON + 1;
/// The number of lessons of both courses, including the comparison.
pub const LESSON_COUNT: usize = FIRST_COURSE_COUNT + 4;

/// The lessons and the pages between them, from `tutorial/lessons.ron`. A test checks that the file can be read.
pub static TUTORIAL: LazyLock<TutorialTexts> =
    LazyLock::new(|| ron::from_str(include_str!("tutorial/lessons.ron")).unwrap_or_default());

/// All texts of the tutorial.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(rename = "Tutorial")]
pub struct TutorialTexts {
    /// The lessons that are debates.
    pub lessons: Vec<Lesson>,
    /// A text on the difference between the two sets of rules that the tutorial compares. Shown below the bars of both
    /// debates.
    pub differs: &'static str,
    /// The explanation of the three figures at the end of a debate: consistency, knowledge and luck.
    pub measures: &'static str,
    /// The introduction to the table of average losses: the prover, and Bob's first estimate.
    pub costs: &'static str,
    /// The rows of the table of average losses: ways in which Bob can estimate, each with his average loss to the
    /// prover.
    #[serde(borrow)]
    pub profiles: Vec<&'static str>,
    /// The headings of the columns in the table of average losses.
    pub profile_heads: (&'static str, &'static str),
    /// The conclusion from the table of average losses.
    pub after: &'static str,
    /// The text at the end of the first course, above the choices of what to do next.
    pub done: &'static str,
    /// The text at the end of the second course.
    pub second_done: &'static str,
    /// The debates that the tutorial suggests at its end.
    pub next: Vec<DebateSuggestedAfterTutorial>,
}

/// A suggested debate after the tutorial.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(rename = "NextDebate")]
pub struct DebateSuggestedAfterTutorial {
    /// The label, a few words.
    pub label: &'static str,
    /// The description, a sentence.
    pub about: &'static str,
    /// The name of the bundled scenario of the suggested debate.
    pub scenario: &'static str,
}

/// Returns the position of a lesson in its course: "Lesson 1 of 4". Lessons are counted from 0.
pub fn position_in_course(lesson: usize) -> String {
    match lesson.checked_sub(FIRST_COURSE_COUNT) {
        None => format!("Lesson {} of {FIRST_COURSE_COUNT}", lesson + 1),
        Some(lesson) => format!(
            "Second course, lesson {lesson} of {lessons}",
            lesson = lesson + 1,
            lessons = LESSON_COUNT - FIRST_COURSE_COUNT
        ),
    }
}

/// A lesson that is a debate.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lesson {
    /// The title of the lesson in a few words: "You are Bob".
    pub title: &'static str,
    /// The name of the lesson's scenario: a bundled one, or one that only the lessons use.
    pub scenario: &'static str,
    /// The rules of the lesson's debate, if they differ from the scenario's.
    #[serde(default)]
    pub rules: Option<&'static str>,
    /// The players of the lesson: prover, opponent, judge. The user is `human`.
    #[serde(borrow)]
    pub players: [&'static str; 3],
    /// The seed of the coins.
    pub seed: &'static str,
    /// The texts of the lesson. The first one whose conditions hold and whose slots all have a value is shown.
    pub steps: Vec<ConditionalLessonText>,
}

impl Lesson {
    /// Returns the scenario with the rules of the lesson.
    ///
    /// # Errors
    /// Returns an error only if the scenario is wrong, which a test rules out.
    pub fn lesson_scenario(&self) -> Result<LoadedScenario, ScenarioError> {
        let limits = ScenarioLimits::default();
        let embedded = EMBEDDED.iter().find(|(name, _)| *name == self.scenario);
        let mut setup = match embedded {
            Some((name, text)) => LoadedScenario::from_text(
                text,
                ScenarioTextSource::Text((*name).to_owned()),
                &limits,
            )?,
            None => LoadedScenario::load_bundled_scenario(self.scenario, &limits)?,
        };
        if let Some(Ok(protocol)) = self.rules.map(Protocol::parse) {
            setup.protocol = protocol;
        }
        Ok(setup)
    }

    /// Returns the user's seat.
    pub fn user_seat(&self) -> Seat {
        let seats = Seat::PLAYERS.into_iter();
        let mut people = seats.filter(|seat| self.players[seat.seat_index()] == "human");
        people.next().unwrap_or(Seat::Judge)
    }
}

/// A text of a lesson that is shown while its conditions hold.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConditionalLessonText {
    /// The conditions for showing the text, all of which must hold.
    pub when: Vec<LessonTextCondition>,
    /// The text. Slots in braces are filled in when it is shown.
    pub text: &'static str,
}

/// A condition for showing a text of a lesson.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename = "StepCondition")]
pub enum LessonTextCondition {
    /// The user must now make this kind of reply. The field is the name of the pending request, or that of the
    /// requested bits. `Part` requests the probability of a subclaim.
    Asked(&'static str),
    /// A player other than the user, or a coin, must now make this kind of reply. The field is the name of the pending
    /// request, as for [`Self::Asked`].
    Awaited(&'static str),
    /// The debate is in the round with this number. Numbers count down from the first round to the last: d, …, 1, 0.
    InRound(u32),
    /// True if no subclaim has been estimated since a support was last chosen, false if at least one has.
    FirstPart(bool),
    /// All subclaims of the round's claim have been estimated.
    AllParts,
    /// True if a coin of this round made a subclaim false.
    Flawed(bool),
    /// True if the estimator's last estimate of this round is 100 %, after a coin made another subclaim false.
    CertainAfterFlaw(bool),
    /// The debate is over.
    Over,
    /// True if the estimator gave the root claim a probability near its truth (0 or 1).
    RootAsTold(bool),
    /// True if the estimates of the round have a gap, which means that they are inconsistent.
    Gap(bool),
    /// True if the estimates have no gap in any round, so they are consistent.
    NoGaps(bool),
    /// True if the prover's last answer to a single claim is the truth. Answers to the subclaims of a support are not
    /// counted.
    AnsweredTruly(bool),
    /// True if the last reward paid the prover more than one half. At the debate's end, this means that the prover's
    /// last bet was right, and that the estimator's error was more than one half.
    LedToError(bool),
    /// True if the claim of the current round is true.
    ClaimHolds(bool),
    /// True if the judge's answer was the truth.
    JudgedTruly(bool),
    /// True after the first move.
    Begun(bool),
    /// True if a subclaim, or a half of a machine's run, was already chosen in this debate.
    Chosen(bool),
    /// True if the end of the contested part of a machine's run follows from the start of this part.
    NothingWrong(bool),
    /// True if the other debater can win from here, whatever the user chooses. After a recursion into a
    /// subclaim, this is so if the claimed answer is the truth. Also known in the game of a formula.
    Lost(bool),
    /// True if the user's payoff is positive, false if it is negative. A payoff of 0 meets neither condition.
    Won(bool),
    /// True if the prover's last bet is that the estimate is too low or too high, false if it is about right.
    BetOnSide(bool),
    /// True if the user pointed at a step of the computation, false if the user pointed at none.
    Challenged(bool),
}

/// The texts of one debate of the lessons. The comparison has two debates, every other lesson has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LessonTexts {
    lesson: usize,
}

/// The user's way to answer.
#[derive(Clone, Copy, Debug)]
pub enum LineOrKeyInputMode<'k> {
    /// By lines of text.
    Lines,
    /// The user answers by the keys of the screen, which shows amounts in this unit.
    Keys(&'k KeyMap<Action>, PayoffUnit),
}

impl LineOrKeyInputMode<'_> {
    /// Returns the label of an action's key on the screen; `None` if the user answers by lines of text.
    fn key(self, context: Contexts, action: Action) -> Option<String> {
        match self {
            Self::Lines => None,
            Self::Keys(map, _) => Some(map.key_or_command_name(context, action)),
        }
    }
}

impl LessonTexts {
    /// Returns the texts of the debate with this index among the lessons' debates, counted from 0. `None` if no such
    /// debate exists.
    pub fn texts_of_lesson_debate(lesson_index: usize) -> Option<Self> {
        TUTORIAL.lessons.get(lesson_index).map(|_| Self {
            lesson: lesson_index,
        })
    }

    /// Returns the texts of a lesson's page; `None` if the page is no debate. `lesson_index` counts all lessons from 0,
    /// `page` counts the pages of the lesson from 0.
    pub fn texts_of_debate_page(lesson_index: usize, page: usize) -> Option<Self> {
        match lesson_index.cmp(&COMPARISON_LESSON) {
            Ordering::Less => Self::texts_of_lesson_debate(lesson_index),
            Ordering::Equal if page < COMPARISON_OPPONENTS.len() => {
                Self::texts_of_lesson_debate(lesson_index + page)
            }
            Ordering::Equal => None,
            Ordering::Greater => {
                Self::texts_of_lesson_debate(lesson_index + COMPARISON_OPPONENTS.len() - 1)
            }
        }
    }

    /// Returns the texts for a saved debate that belongs to a lesson: it has the lesson's scenario, players and seed.
    /// `None` if it belongs to no lesson.
    pub fn texts_of_lesson_save(
        scenario: &str,
        seed: &Seed,
        players: &[String; 3],
    ) -> Option<Self> {
        // For other debates, the file of the lessons is not parsed, so the first screen of these debates is fast.
        if !SEEDS.iter().any(|start| seed.as_str().starts_with(start)) {
            return None;
        }
        let is_of = |lesson: &Lesson| {
            let rest = seed.as_str().strip_prefix(lesson.seed);
            let is_its_seed = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
            is_its_seed && *players == lesson.players
        };
        let lesson = Self::texts_of_lesson_debate(TUTORIAL.lessons.iter().position(is_of)?)?;
        let setup = lesson.lesson_of_texts().lesson_scenario().ok()?;
        (*scenario == *setup.source).then_some(lesson)
    }

    /// Returns the lesson to which these texts belong.
    pub fn lesson_of_texts(&self) -> &'static Lesson {
        &TUTORIAL.lessons[self.lesson]
    }

    /// Returns the index of the texts' lesson among all lessons, counted from 0.
    pub fn lesson_index(&self) -> usize {
        self.lesson - usize::from(self.lesson > COMPARISON_LESSON)
    }

    /// Returns the position of the lesson in its course: "Lesson 1 of 4".
    pub fn position_in_course(&self) -> String {
        position_in_course(self.lesson_index())
    }

    /// Returns the lesson's text for the current state of the debate, if any.
    pub fn advice(
        &self,
        seating: &SeatedDebate<'_, Exact>,
        instance: &Instance,
        input_mode: LineOrKeyInputMode<'_>,
    ) -> Option<String> {
        Some(self.current_step(seating, instance, input_mode)?.1)
    }

    /// Returns the index and the text of the lesson's step that matches the current state of the debate.
    pub fn current_step(
        &self,
        seating: &SeatedDebate<'_, Exact>,
        instance: &Instance,
        input_mode: LineOrKeyInputMode<'_>,
    ) -> Option<(usize, String)> {
        let lesson = self.lesson_of_texts();
        let lesson_context = LessonContext {
            seating,
            instance,
            input_mode,
            lesson,
        };
        let steps = lesson.steps.iter().enumerate();
        let mut fitting = steps.filter(|(_, step)| {
            step.when
                .iter()
                .all(|when| lesson_context.is_condition_met(*when))
        });
        fitting.find_map(|(number, step)| {
            Some((
                number,
                lesson_context.fill_lesson_text_placeholders(step.text)?,
            ))
        })
    }
}

impl TutorialTexts {
    /// Returns the table of average losses as lines: the headings, then one line for each way to estimate.
    pub fn average_loss_table_by_estimates(&self) -> Vec<String> {
        let rows = self.profiles.iter().filter_map(|row| row.split_once(": "));
        let rows = std::iter::once(self.profile_heads).chain(rows);
        let columns = rows.clone().map(|(numbers, _)| numbers.chars().count());
        let columns = columns.max().unwrap_or(0);
        rows.map(|(numbers, loss)| format!("{numbers:<columns$}  {loss}"))
            .collect()
    }
}

/// The length of a bar that represents the full stake, in characters.
const BAR: i64 = 30;

/// Returns one bar for each debate of the comparison: the proportion of the highest stake that the liar can expect to
/// win.
///
/// # Errors
/// Returns an error if a player fails, if the computation is cancelled, or if an exact expectation cannot be found.
pub fn liar_gain_bars(
    debates: &[ReviewContext; 2],
    seed: &Seed,
    budget: ComputationBudget<'_>,
) -> Result<Vec<String>, ReviewError> {
    let lessons = &TUTORIAL.lessons[COMPARISON_LESSON..];
    let bar = |(debate, lesson): (&ReviewContext, &Lesson)| {
        let trials = debate.trials(&[], seed, 0, budget, &|_done| {})?;
        // The last stake is 1 under both sets of rules.
        let share = trials.pair.exact?;
        let length = (&share * Exact::from_integer(BAR.into())).to_integer();
        let signs = "█".repeat(length.to_usize().unwrap_or(0));
        let share = format_percent(share.to_float());
        Ok(format!("▏{signs} {share}: {}", lesson.title))
    };
    debates.iter().zip(lessons).map(bar).collect()
}

#[cfg(test)]
mod tests;
