//! What is judged: scenarios and finished debates, with their questions and what is right.

use crate::error::StudyError;
use crate::plan::Plan;
use debate_core::scenario::Instance;
use debate_lab::judgements::RejudgeCase;
use debate_lab::setup::Setup;

/// Something that can be judged.
#[derive(Debug)]
pub struct Item {
    /// The name of its file.
    pub id: String,
    pub source: ItemSource,
    /// True if the first answer is right: for claims, if the claim is true.
    pub truth: bool,
    /// No participant meets a story twice where the study asks for that.
    pub story: String,
    /// The values of the tags over which items are spread.
    pub strata: Vec<String>,
    /// True if it is for practice alone.
    pub practice: bool,
}

/// Where a trial's debate comes from.
#[derive(Debug)]
pub enum ItemSource {
    Scenario { setup: Box<Setup>, world: usize },
    Save(Box<RejudgeCase>),
}

impl Item {
    pub fn setup(&self) -> &Setup {
        match &self.source {
            ItemSource::Scenario { setup, .. } => setup,
            ItemSource::Save(case) => &case.setup,
        }
    }

    /// The instance that is judged, before anybody has spoken of it.
    pub fn instance(&self) -> Instance {
        match &self.source {
            ItemSource::Scenario { setup, world } => setup.instance(*world),
            ItemSource::Save(case) => case.instance.unvisited_copy(),
        }
    }

    /// The probability of the right answer, from that of the first one.
    pub(crate) fn right(&self, p_first: f64) -> f64 {
        if self.truth { p_first } else { 1.0 - p_first }
    }

    /// The question, and its two answers.
    pub fn question(&self) -> (String, [String; 2]) {
        let instance = self.instance();
        match instance.question() {
            Some(question) => (
                question.text().trim().to_owned(),
                question.answers().map(|it| it.trim().to_owned()),
            ),
            None => (
                format!("Is this so? {}", instance.text(instance.root())),
                ["Yes, it is so".to_owned(), "No, it is not so".to_owned()],
            ),
        }
    }

    pub(crate) fn of_scenario(
        id: String,
        setup: Setup,
        plan: &Plan,
        practice: bool,
    ) -> Result<Self, StudyError> {
        let worlds = setup.decomposition.worlds().len();
        let world = match setup.requested_world {
            Some(world) => world,
            None if worlds == 1 => 0,
            None => {
                return Err(StudyError::Plan(format!(
                    "items: `{id}` has {worlds} instances; name one in its `instance`"
                )));
            }
        };
        let instance = setup.instance(world);
        let truth = instance
            .truth(instance.root())
            .ok_or_else(|| nobody_knows(&id))?;
        drop(instance);
        let source = ItemSource::Scenario {
            setup: Box::new(setup),
            world,
        };
        Ok(Self::named(id, source, truth, plan, practice))
    }

    pub(crate) fn of_save(id: String, case: RejudgeCase, plan: &Plan) -> Result<Self, StudyError> {
        let truth = case
            .instance
            .truth(case.instance.root())
            .ok_or_else(|| nobody_knows(&id))?;
        Ok(Self::named(
            id,
            ItemSource::Save(Box::new(case)),
            truth,
            plan,
            false,
        ))
    }

    fn named(id: String, source: ItemSource, truth: bool, plan: &Plan, practice: bool) -> Self {
        let mut item = Self {
            story: id.clone(),
            id,
            source,
            truth,
            strata: Vec::new(),
            practice,
        };
        let tag = |name: &String| item.setup().tags.get(name).cloned();
        let story = plan.items.once_per_participant_by.as_ref().and_then(tag);
        let strata = plan
            .items
            .strata
            .iter()
            .map(|name| tag(name).unwrap_or_default());
        item.strata = strata.collect();
        item.story = story.unwrap_or_else(|| item.id.clone());
        item
    }
}

fn nobody_knows(id: &str) -> StudyError {
    StudyError::Plan(format!(
        "items: nobody knows what is right in `{id}`, so nothing can be scored; take another"
    ))
}
