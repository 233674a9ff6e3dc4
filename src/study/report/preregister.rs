//! What a study says before it has data, as text to put where nobody can change it.

use std::fmt::Write as _;

use crate::Study;
use crate::folder::lock::Lock;
use crate::plan::{Bonus, Exclusion, Primary, Stop};
use crate::report::check::CheckReport;

/// Hypotheses, contrast, rules and the lock's hash, as Markdown.
pub fn preregister(study: &Study, checked: &CheckReport, lock: &Lock) -> String {
    let plan = &study.plan;
    let mut out = format!("# {}\n\n", plan.title);
    let mut line = |text: String| {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{text}");
    };
    line(format!(
        "Study `{}`, stage {}, locked {}.",
        plan.id,
        plan.stage.name(),
        lock.locked
    ));
    line(format!(
        "Lock (SHA-256 of the study file, all texts and items, the program's version and the schedule): `{}`",
        lock.hash
    ));
    line("\n## Hypotheses\n".to_owned());
    if plan.hypotheses.is_empty() {
        line("None is stated.".to_owned());
    }
    for hypothesis in &plan.hypotheses {
        line(format!("- {hypothesis}"));
    }
    line("\n## Primary contrast\n".to_owned());
    let Primary::Difference {
        measure,
        of,
        against,
    } = &plan.analysis.primary;
    line(format!(
        "{} under `{of}` less that under `{against}`: the mean over participants of the differences of their own means, with \
         the paired t interval of 95 %; beside it the studentised bootstrap ({} resamples, seed {}) and the differences within \
         items. Practice and repeated trials are left out.",
        measure.name(),
        plan.analysis.bootstrap,
        plan.seed
    ));
    if let Some(power) = plan.analysis.power {
        line(format!(
            "Stated effect: {} with a standard deviation of {} between participants.",
            power.effect, power.sd
        ));
    }
    line("\n## Conditions\n".to_owned());
    for condition in &checked.conditions {
        line(format!(
            "- `{}`, shown as “{}”: participants see {}; {} trials at the target.",
            condition.id, condition.shown_as, condition.sees, condition.trials
        ));
    }
    line(format!(
        "\n{} items; {} trials a participant, about {:.0} minutes.",
        checked.items, checked.trials_per_participant, checked.minutes
    ));
    line("\n## Whose data do not count\n".to_owned());
    line("- Whoever did not come to the end.".to_owned());
    for rule in &plan.exclude {
        line(match rule {
            Exclusion::FailedQuiz => "- Whoever fails the quiz.".to_owned(),
            Exclusion::FailedAttention(most) => {
                format!("- Whoever fails {most} questions of attention or more.")
            }
            Exclusion::FasterThan { seconds, share } => {
                format!(
                    "- Whoever takes less than {seconds} active seconds in more than {:.0} % of the trials.",
                    share * 100.0
                )
            }
        });
    }
    line("\n## When it stops\n".to_owned());
    let Stop::Participants(stop) = plan.stop;
    line(format!("After {stop} completed sessions."));
    if let Some(Bonus::OneTrial { cents, .. }) = plan.bonus {
        line(format!(
            "\nBonus: one trial by chance (from the seed), {cents} cents times 1 - (1 - p)^2, p being the probability of the right answer."
        ));
    }
    out
}
