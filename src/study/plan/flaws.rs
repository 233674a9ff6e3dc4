//! What is wrong with a study file, and what to do.

use super::{
    AskWhen, CheckTrial, Condition, Design, Exclusion, FlowStep, Plan, Response, Stop, Task,
};
use debate_core::protocol::Seat;

/// The most conditions, blocks, trials a cell and participants.
const MOST: (usize, u32, u32, u32) = (24, 50, 50, 100_000);

fn refuse(is_wrong: bool, why: impl Into<String>) -> Result<(), String> {
    if is_wrong { Err(why.into()) } else { Ok(()) }
}

impl Plan {
    /// What is wrong with it, and what to do.
    pub(super) fn check(&self) -> Result<(), String> {
        self.check_names()?;
        self.check_design()?;
        self.check_flow()?;
        self.check_numbers()
    }

    fn check_names(&self) -> Result<(), String> {
        let format = self.format;
        let known = "this program reads format 1";
        refuse(
            format != 1,
            format!("format {format} is not known; {known}"),
        )?;
        let plain = |text: &str, also: &str| {
            let fits = |c: char| c.is_ascii_alphanumeric() || also.contains(c);
            !text.is_empty() && text.len() <= 60 && text.chars().all(fits)
        };
        let id = &self.id;
        refuse(
            !plain(id, ""),
            format!("id: `{id}` must be 1 to 60 letters and digits: it stands in names of files"),
        )?;
        refuse(
            self.roles.len() != 1 || self.role() == Seat::Chance,
            "roles: give one, such as [Judge]; other roles are a study of their own",
        )?;
        for (place, Condition { id, shown_as, task }) in self.conditions.iter().enumerate() {
            refuse(
                !plain(id, "-_"),
                format!("conditions: `{id}` must be 1 to 60 letters, digits, hyphens"),
            )?;
            let is_again = self.condition(id) != Some(place);
            refuse(is_again, format!("conditions: `{id}` stands there twice"))?;
            let seatless = matches!(task, Task::Consultancy { .. } | Task::Rejudge { .. });
            let role = self.role();
            refuse(
                seatless && role != Seat::Judge,
                format!(
                    "conditions: `{id}` has a judge alone, and `roles` says {role:?}; take Debate or Direct"
                ),
            )?;
            refuse(
                shown_as.trim().is_empty(),
                format!(
                    "conditions: `{id}`: shown_as is what participants read; give it a neutral name"
                ),
            )?;
        }
        let count = self.conditions.len();
        refuse(count == 0, "conditions: there is none")?;
        refuse(
            count > MOST.0,
            format!("conditions: at most {} fit", MOST.0),
        )
    }

    fn check_design(&self) -> Result<(), String> {
        let all = self.conditions.len();
        let (groups, count, block) = match &self.design {
            Design::Within { .. } => (&[][..], 1, &[1][..]),
            Design::Between { block, .. } => (&[][..], all, block.as_slice()),
            Design::Mixed { groups, block, .. } => (&groups[..], groups.len(), block.as_slice()),
        };
        let known = |place: &str, id: &str| {
            let is_unknown = self.condition(id).is_none();
            refuse(is_unknown, format!("{place}: there is no condition `{id}`"))
        };
        for id in groups.iter().flatten() {
            known("design", id)?;
        }
        let is_empty = groups.iter().any(Vec::is_empty);
        refuse(is_empty, "design: a group has no condition")?;
        let fits =
            |size: &u32| *size > 0 && *size < 1000 && (*size as usize).is_multiple_of(count.max(1));
        refuse(
            count == 0 || block.is_empty() || !block.iter().all(fits),
            format!(
                "design: the sizes of blocks must be multiples of {count}, the number of groups"
            ),
        )?;
        let (blocks, per_cell) = self.design.repeats();
        let (_, most, most_per_cell, _) = MOST;
        refuse(
            !(1..=most).contains(&blocks) || !(1..=most_per_cell).contains(&per_cell),
            format!("design: take 1 to {most} blocks and 1 to {most_per_cell} trials a cell"),
        )?;
        let primary = &self.analysis.primary;
        known("analysis: primary", &primary.of)?;
        known("analysis: primary", &primary.against)?;
        refuse(
            primary.of == primary.against,
            "analysis: primary: a condition is compared with itself",
        )
    }

    fn check_flow(&self) -> Result<(), String> {
        let flow = &self.flow;
        let places = |wanted: fn(&FlowStep) -> bool| -> Vec<usize> {
            (0..flow.len()).filter(|at| wanted(&flow[*at])).collect()
        };
        let trials = places(|it| matches!(it, FlowStep::Trials));
        refuse(trials.len() != 1, "flow: `Trials` must stand there once")?;
        let consent = places(|it| matches!(it, FlowStep::Consent(_)));
        refuse(
            consent.len() != 1,
            "flow: `Consent` must stand there once: nobody is asked without it",
        )?;
        let later = places(|it| !matches!(it, FlowStep::Screener { .. }));
        refuse(
            later.first() != consent.first(),
            "flow: only the screener may stand before `Consent`",
        )?;
        let debrief = places(|it| matches!(it, FlowStep::Debrief { .. }));
        refuse(
            debrief.first().is_some_and(|at| at + 1 != flow.len()),
            "flow: `Debrief` must stand last: it tells what was hidden",
        )?;
        flow.iter().try_for_each(|step| match step {
            FlowStep::Practice { condition, .. } if self.condition(condition).is_none() => Err(
                format!("flow: practice: there is no condition `{condition}`"),
            ),
            FlowStep::Practice { trials, .. } => refuse(
                !(1..=10).contains(trials),
                "flow: practice: take 1 to 10 trials",
            ),
            FlowStep::Quiz { tries, .. } => refuse(*tries == 0, "flow: quiz: give one try or more"),
            FlowStep::Break { after, .. } => {
                refuse(*after == 0, "flow: a break comes after one trial or more")
            }
            _ => Ok(()),
        })
    }

    fn check_numbers(&self) -> Result<(), String> {
        let Response { min, max, ask, .. } = &self.response;
        refuse(
            *min == 0 || *max >= 100 || min >= max,
            "response: min and max are whole percents from 1 to 99: with 0 or 100 a wrong answer would cost \
             infinitely much",
        )?;
        refuse(
            !ask.contains(&AskWhen::Final),
            "response: `Final` must be asked: it is what is compared",
        )?;
        let Stop::Participants(stop) = self.stop;
        let people = 1..=MOST.3;
        refuse(
            !people.contains(&self.target.participants) || !people.contains(&stop),
            format!("target and stop: take 1 to {} participants", MOST.3),
        )?;
        refuse(
            self.analysis.ece_bins != 10,
            "analysis: ece_bins: the calibration error has 10 bins here",
        )?;
        refuse(
            !(200..=1_000_000).contains(&self.analysis.bootstrap),
            "analysis: bootstrap: take 200 to 1000000 resamples",
        )?;
        refuse(
            self.time.idle_s == 0 || self.time.resume_within_h > 24 * 365,
            "time: idle_s is one second or more, resume_within_h a year at most",
        )?;
        let repeats = self.checks.iter().filter_map(|check| match check {
            CheckTrial::Repeat { fraction } => Some(*fraction),
            CheckTrial::Attention { .. } => None,
        });
        let excludes = self.exclude.iter().filter_map(|rule| match rule {
            Exclusion::FasterThan { share, .. } => Some(*share),
            Exclusion::FailedQuiz | Exclusion::FailedAttention(_) => None,
        });
        let mut shares = repeats.chain(excludes);
        let is_no_share = shares.any(|share| !(0.0..=1.0).contains(&share));
        refuse(is_no_share, "a share is a number from 0 to 1")?;
        let power = self.analysis.power;
        refuse(
            power.is_some_and(|it| !(it.sd > 0.0 && it.sd.is_finite() && it.effect.is_finite())),
            "analysis: power: the standard deviation must be above 0",
        )?;
        let day = self.delete_raw_after.as_deref().unwrap_or("2027-06-30");
        refuse(
            humantime::parse_rfc3339(&format!("{day}T00:00:00Z")).is_err(),
            format!("delete_raw_after: `{day}` is no day; write it as 2027-06-30"),
        )
    }
}
