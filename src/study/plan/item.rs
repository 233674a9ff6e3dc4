//! Items to judge: scenarios and finished debates, with their questions and right answers.

use crate::error::{Result, StudyError};
use crate::plan::{ExperimentDesign, StudyPlan};
use debate_core::scenario::Instance;
use debate_lab::judgements::FinishedDebateToRejudge;
use debate_solver::setup::LoadedScenario;

/// A scenario instance or a finished debate to judge.
#[derive(Debug)]
pub struct ItemToJudge {
    /// The item's name: a file's name without its extension, a bundled scenario's name, or a question's id.
    pub id: String,
    pub source: JudgedItemSource,
    /// True if the first answer to the item's question is right; without a question, if the root claim is true.
    pub truth: bool,
    /// The story that the item belongs to. If the study requires it, no participant gets two items of one story.
    pub story: String,
    /// The item's values of the tags that the study file lists in `strata`.
    pub strata: Vec<String>,
    /// Index of the item's difficulty tier. `None` if the design has no tiers, or none of this item's difficulty.
    pub tier: Option<usize>,
    /// True if the item is used only in practice trials.
    pub practice: bool,
}

/// The source of an item: an instance of a scenario, or a finished debate.
#[derive(Debug)]
pub enum JudgedItemSource {
    Scenario {
        setup: Box<LoadedScenario>,
        world: usize,
    },
    Save(Box<FinishedDebateToRejudge>),
}

impl ItemToJudge {
    pub fn setup(&self) -> &LoadedScenario {
        match &self.source {
            JudgedItemSource::Scenario { setup, .. } => setup,
            JudgedItemSource::Save(case) => &case.setup,
        }
    }

    /// Returns the instance that is judged, in its state before the debate.
    pub fn instance_to_judge(&self) -> Instance {
        match &self.source {
            JudgedItemSource::Scenario { setup, world } => setup.instance(*world),
            JudgedItemSource::Save(case) => case.instance.copy_with_only_root_numbered(),
        }
    }

    /// Converts the probability of the question's first answer to the probability of the right answer.
    pub(crate) fn probability_of_right_answer(&self, first_answer_probability: f64) -> f64 {
        if self.truth {
            first_answer_probability
        } else {
            1.0 - first_answer_probability
        }
    }

    /// Returns the item's question and its two answers, or the root claim as `Err` if the instance has no question.
    pub(crate) fn question_or_root_claim(&self) -> Result<(String, [String; 2]), String> {
        let instance = self.instance_to_judge();
        match instance.as_two_answer_question() {
            Some(question) => Ok((
                question.question_text().trim().to_owned(),
                question.answers().map(|it| it.trim().to_owned()),
            )),
            None => Err(instance.text(instance.root())),
        }
    }

    pub(crate) fn of_scenario(
        id: String,
        setup: LoadedScenario,
        plan: &StudyPlan,
        practice: bool,
    ) -> Result<Self> {
        let worlds = setup.decomposition.worlds().len();
        let only = (worlds == 1).then_some(0);
        let world = setup.requested_world.or(only).ok_or_else(|| {
            StudyError::Plan(format!(
                "items: the scenario of the item `{id}` has {worlds} instances; name one in its field `instance`"
            ))
        })?;
        let setup = Box::new(setup);
        Self::named(
            id,
            JudgedItemSource::Scenario { setup, world },
            plan,
            practice,
        )
    }

    pub(crate) fn from_rejudged_save(
        id: String,
        case: FinishedDebateToRejudge,
        plan: &StudyPlan,
    ) -> Result<Self> {
        Self::named(id, JudgedItemSource::Save(Box::new(case)), plan, false)
    }

    fn named(
        id: String,
        source: JudgedItemSource,
        plan: &StudyPlan,
        practice: bool,
    ) -> Result<Self> {
        let mut item = Self {
            story: id.clone(),
            id,
            source,
            truth: false,
            strata: Vec::new(),
            tier: None,
            practice,
        };
        let instance = item.instance_to_judge();
        item.truth = instance.truth(instance.root()).ok_or_else(|| {
            StudyError::Plan(format!(
                "items: the right answer of `{item}` is unknown, so trials cannot be scored; use another item",
                item = item.id
            ))
        })?;
        drop(instance);
        let tag = |name: &String| item.setup().tags.get(name).cloned();
        let story = plan.items.once_per_participant_by.as_ref().and_then(tag);
        let strata = plan.items.strata.iter();
        let strata = strata.map(|name| tag(name).unwrap_or_default()).collect();
        let tier = match &plan.design {
            ExperimentDesign::Stepped {
                tag: name, tiers, ..
            } => {
                let value = tag(name);
                value.and_then(|value| tiers.iter().position(|tier| *tier == value))
            }
            ExperimentDesign::Within { .. }
            | ExperimentDesign::Between { .. }
            | ExperimentDesign::Mixed { .. } => None,
        };
        item.tier = tier;
        item.story = story.unwrap_or_else(|| item.id.clone());
        item.strata = strata;
        Ok(item)
    }
}
