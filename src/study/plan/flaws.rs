//! What is wrong with a study file, and what to do.

use super::{AskWhen, CheckTrial, Design, Exclusion, FlowStep, Plan, Primary, Role, Stop, Task};

/// The most conditions, blocks, trials a cell and participants.
const MOST: (usize, u32, u32, u32) = (24, 50, 50, 100_000);

impl Plan {
    /// What is wrong with it, and what to do.
    pub(super) fn flaw(&self) -> Option<String> {
        let own = [
            self.flaw_of_names(),
            self.flaw_of_design(),
            self.flaw_of_flow(),
            self.flaw_of_numbers(),
        ];
        own.into_iter().flatten().next()
    }

    fn flaw_of_names(&self) -> Option<String> {
        if self.format != 1 {
            return Some(format!(
                "format {} is not known; this program reads format 1",
                self.format
            ));
        }
        let plain = |text: &str, also: &str| {
            let fits = |c: char| c.is_ascii_alphanumeric() || also.contains(c);
            !text.is_empty() && text.len() <= 60 && text.chars().all(fits)
        };
        if !plain(&self.id, "") {
            return Some(format!(
                "id: `{}` must be 1 to 60 letters and digits: it stands in names of files",
                self.id
            ));
        }
        if self.roles.len() != 1 {
            return Some(
                "roles: give one, such as [Judge]; other roles are a study of their own".to_owned(),
            );
        }
        for (place, condition) in self.conditions.iter().enumerate() {
            let id = &condition.id;
            if !plain(id, "-_") {
                return Some(format!(
                    "conditions: `{id}` must be 1 to 60 letters, digits, hyphens"
                ));
            }
            if self.condition(id) != Some(place) {
                return Some(format!("conditions: `{id}` stands there twice"));
            }
            let seatless = matches!(
                condition.task,
                Task::Consultancy { .. } | Task::Rejudge { .. }
            );
            if seatless && self.role() != Role::Judge {
                return Some(format!(
                    "conditions: `{id}` has a judge alone, and `roles` says {:?}; take Debate or Direct",
                    self.role()
                ));
            }
            if condition.shown_as.trim().is_empty() {
                return Some(format!(
                    "conditions: `{id}`: shown_as is what participants read; give it a neutral name"
                ));
            }
        }
        match self.conditions.len() {
            0 => Some("conditions: there is none".to_owned()),
            count if count > MOST.0 => Some(format!("conditions: at most {} fit", MOST.0)),
            _ => None,
        }
    }

    fn flaw_of_design(&self) -> Option<String> {
        let groups = match &self.design {
            Design::Mixed { groups, .. } => groups.as_slice(),
            _ => &[],
        };
        let unknown = |id: &String| self.condition(id).is_none();
        if let Some(id) = groups.iter().flatten().find(|id| unknown(id)) {
            return Some(format!("design: there is no condition `{id}`"));
        }
        if groups.iter().any(Vec::is_empty) {
            return Some("design: a group has no condition".to_owned());
        }
        let (count, block) = match &self.design {
            Design::Within { .. } => (1, &[1][..]),
            Design::Between { block, .. } => (self.conditions.len(), block.as_slice()),
            Design::Mixed { groups, block, .. } => (groups.len(), block.as_slice()),
        };
        let fits =
            |size: &u32| *size > 0 && *size < 1000 && (*size as usize).is_multiple_of(count.max(1));
        if count == 0 || block.is_empty() || !block.iter().all(fits) {
            return Some(format!(
                "design: the sizes of blocks must be multiples of {count}, the number of groups"
            ));
        }
        let (blocks, per_cell) = self.design.repeats();
        if !(1..=MOST.1).contains(&blocks) || !(1..=MOST.2).contains(&per_cell) {
            return Some(format!(
                "design: take 1 to {} blocks and 1 to {} trials a cell",
                MOST.1, MOST.2
            ));
        }
        let Primary::Difference { of, against, .. } = &self.analysis.primary;
        let mut named = [of, against].into_iter();
        if let Some(id) = named.find(|id| unknown(id)) {
            return Some(format!("analysis: primary: there is no condition `{id}`"));
        }
        (of == against).then(|| "analysis: primary: a condition is compared with itself".to_owned())
    }

    fn flaw_of_flow(&self) -> Option<String> {
        let count =
            |wanted: fn(&FlowStep) -> bool| self.flow.iter().filter(|it| wanted(it)).count();
        if count(|it| matches!(it, FlowStep::Trials)) != 1 {
            return Some("flow: `Trials` must stand there once".to_owned());
        }
        if count(|it| matches!(it, FlowStep::Consent(_))) != 1 {
            return Some(
                "flow: `Consent` must stand there once: nobody is asked without it".to_owned(),
            );
        }
        let place = |wanted: fn(&FlowStep) -> bool| self.flow.iter().position(wanted);
        let consent = place(|it| matches!(it, FlowStep::Consent(_)));
        let before = |step: &FlowStep| matches!(step, FlowStep::Screener { .. });
        let first = self.flow.iter().position(|it| !before(it));
        if first != consent {
            return Some("flow: only the screener may stand before `Consent`".to_owned());
        }
        let debrief = place(|it| matches!(it, FlowStep::Debrief { .. }));
        if debrief.is_some_and(|at| at + 1 != self.flow.len()) {
            return Some("flow: `Debrief` must stand last: it tells what was hidden".to_owned());
        }
        self.flow.iter().find_map(|step| match step {
            FlowStep::Practice { condition, .. } if self.condition(condition).is_none() => Some(
                format!("flow: practice: there is no condition `{condition}`"),
            ),
            FlowStep::Practice { trials, .. } if !(1..=10).contains(trials) => {
                Some("flow: practice: take 1 to 10 trials".to_owned())
            }
            FlowStep::Quiz { tries: 0, .. } => Some("flow: quiz: give one try or more".to_owned()),
            FlowStep::Break { after: 0, .. } => {
                Some("flow: a break comes after one trial or more".to_owned())
            }
            _ => None,
        })
    }

    fn flaw_of_numbers(&self) -> Option<String> {
        let (min, max) = self.response.range();
        if min == 0 || max >= 100 || min >= max {
            return Some(
                "response: min and max are whole percents from 1 to 99: with 0 or 100 a wrong answer \
                 would cost infinitely much"
                    .to_owned(),
            );
        }
        if !self.response.asks(AskWhen::Final) {
            return Some("response: `Final` must be asked: it is what is compared".to_owned());
        }
        let stop = {
            let Stop::Participants(stop) = self.stop;
            stop
        };
        let people = 1..=MOST.3;
        if !people.contains(&self.target.participants) || !people.contains(&stop) {
            return Some(format!(
                "target and stop: take 1 to {} participants",
                MOST.3
            ));
        }
        if self.analysis.ece_bins != 10 {
            return Some("analysis: ece_bins: the calibration error has 10 bins here".to_owned());
        }
        if !(200..=1_000_000).contains(&self.analysis.bootstrap) {
            return Some("analysis: bootstrap: take 200 to 1000000 resamples".to_owned());
        }
        if self.time.idle_s == 0 || self.time.resume_within_h > 24 * 365 {
            return Some(
                "time: idle_s is one second or more, resume_within_h a year at most".to_owned(),
            );
        }
        let share = |value: f64| (0.0..=1.0).contains(&value);
        let bad_share = self
            .checks
            .iter()
            .any(|it| matches!(it, CheckTrial::Repeat { fraction } if !share(*fraction)))
            || self
                .exclude
                .iter()
                .any(|it| matches!(it, Exclusion::FasterThan { share: of, .. } if !share(*of)));
        if bad_share {
            return Some("a share is a number from 0 to 1".to_owned());
        }
        if self
            .analysis
            .power
            .is_some_and(|it| !(it.sd > 0.0 && it.sd.is_finite() && it.effect.is_finite()))
        {
            return Some("analysis: power: the standard deviation must be above 0".to_owned());
        }
        let day = self.delete_raw_after.as_deref();
        let is_day = |day: &str| humantime::parse_rfc3339(&format!("{day}T00:00:00Z")).is_ok();
        match day {
            Some(day) if !is_day(day) => Some(format!(
                "delete_raw_after: `{day}` is no day; write it as 2027-06-30"
            )),
            _ => None,
        }
    }
}
