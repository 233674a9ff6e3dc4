//! The end of a debate in free speeches: which answer is right, and what the judge made of it.

use super::Perspective;
use debate_core::number::{Exact, Number as _, percent, signed};
use debate_core::protocol::speeches::continues;
use debate_core::protocol::{Log, Seat, Speeches, State};
use debate_core::scenario::Instance;

/// The text for the end.
pub(super) struct SpokenEnd {
    /// The right answer.
    pub(super) right: String,
    /// What the judge held in the end and, where the right answer is known, the score; without
    /// whose doing it was.
    pub(super) judge: String,
}

/// The end of a debate, where it was one in free speeches.
pub(super) fn spoken_end(
    state: &State<'_, Exact>,
    log: &Log<Exact>,
    instance: &Instance,
    perspective: Perspective,
) -> Option<SpokenEnd> {
    let debate: &Speeches<'_, Exact> = state.try_into().ok()?;
    let question = instance.question()?;
    let [first, second] = question.answers().map(str::trim);
    let p = debate.last_probability()?;
    let held = |answer: &str, p: f64| format!("held “{answer}” {} likely in the end", percent(p));
    let Some(first_is_right) = instance.truth(instance.root()) else {
        return Some(SpokenEnd {
            right: "Nobody here knows which answer is right.".to_owned(),
            judge: format!("{}.", held(first, p.to_float())),
        });
    };
    let (right, p) = if first_is_right {
        (first, p.to_float())
    } else {
        (second, (Exact::ratio(1, 1) - p).to_float())
    };
    let rounds = continues(log);
    let score = debate.parameters().scoring.score(p, rounds);
    let score = if score.is_finite() {
        format!("{} bits", signed(score, 3))
    } else {
        "minus infinity".to_owned()
    };
    let after = match rounds {
        1 => "after one round".to_owned(),
        rounds => format!("after {rounds} rounds"),
    };
    let whose = if perspective.is_you(Seat::Judge) {
        "Your"
    } else {
        "The judge's"
    };
    Some(SpokenEnd {
        right: format!("The right answer is “{}”.", right.trim_end_matches('.')),
        judge: format!("{}, {after}. {whose} score: {score}.", held(right, p)),
    })
}
