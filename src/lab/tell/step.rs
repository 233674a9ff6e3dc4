//! The step that a protocol is at: what is done, and what follows from it.

use serde::Deserialize;

use debate_core::number::Exact;
use debate_core::protocol::{Ask, Kind, Request, Rules as _, Seat, Turn};

use super::{Amounts, Line, Perspective, Role, Texts, Viewpoint, capital};

/// A step in two sentences or three.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct StepExplanation {
    /// The present step.
    pub now: String,
    /// Its consequence.
    pub then: String,
}

/// Explains the pending step. `None` where the debate is over.
pub fn step(view: &Viewpoint<'_, '_>) -> Option<StepExplanation> {
    let turn = view.state.request()?;
    let StepExplanation { now, then } = STEPS.get(name(&turn, view.facts.kind))?;
    let filled = |text| filled(text, turn.seat, view.perspective);
    Some(StepExplanation {
        now: filled(now),
        then: filled(then),
    })
}

/// The steps, with marks for [`filled`].
static STEPS: Texts<StepExplanation> = Texts::new(include_str!("step.ron"));

/// A text of `step.ron` with its marks filled in for the seat that looks. `turn`: the debater whose turn it is.
fn filled(text: &str, turn: Seat, perspective: Perspective) -> String {
    let mut out = String::new();
    for (place, part) in text.split(['[', ']']).enumerate() {
        if place % 2 == 0 {
            out.push_str(part);
            continue;
        }
        let (name, verbs) = part.split_once(' ').unwrap_or((part, ""));
        let seat = match name.trim_end_matches([':', '\'', 's']) {
            "Bob" | "bob" => Seat::Opponent,
            "Judge" | "judge" => Seat::Judge,
            "Asked" if turn == Seat::Opponent => Seat::Opponent,
            _ => Seat::Prover,
        };
        let (third, second) = verbs.split_once('/').unwrap_or((verbs, verbs));
        let verb = if perspective.is_you(seat) {
            second
        } else {
            third
        };
        let subject = || format!("{} {verb}", perspective.within(seat));
        match name {
            _ if verbs.is_empty() => out.push_str(perspective.whose(seat)),
            _ if name.ends_with(':') => out.push_str(verb),
            _ if name.starts_with(char::is_uppercase) => out.push_str(&capital(&subject())),
            _ => out.push_str(&subject()),
        }
    }
    out
}

/// The name of the pending step in `step.ron`.
fn name(turn: &Turn<Exact>, kind: Kind) -> &'static str {
    let estimates = kind == Kind::ProverEstimator;
    match &turn.request {
        Request::Answer { .. } if estimates => "answer, estimated",
        Request::Answer { .. } => "answer",
        Request::Probability { place, alone, .. } => match kind {
            Kind::ProverEstimator if place.is_none() => "first estimate",
            Kind::ProverEstimator if *alone => "estimate alone",
            Kind::ProverEstimator => "estimate",
            Kind::Stochastic => "probability of a step",
            Kind::Speeches => "belief",
            _ => "probability",
        },
        Request::Direction { .. } if estimates => "bet on an estimate",
        Request::Direction { .. } => "bet",
        Request::Support { .. } if estimates => "support, estimated",
        Request::Support { .. } => "support",
        Request::Select { .. } if estimates => "choice, estimated",
        Request::Select { .. } => "choice",
        Request::Bits { ask, .. } => match ask {
            Ask::Answers { .. } => "claimed answers",
            Ask::Proof(_) => "proof bit",
            Ask::Block { .. } => "values",
            Ask::Configuration { .. } | Ask::Witness | Ask::Transcript { .. } => "computation",
        },
        Request::Challenge { .. } => match kind {
            Kind::ProverEstimator => "dispute",
            Kind::Stochastic => "check of a number",
            _ => "challenge",
        },
        Request::Share { .. } if kind == Kind::Stochastic => "share of a step",
        Request::Share { .. } => "share",
        Request::Oracle { .. } | Request::Draw { .. } if kind == Kind::Stochastic => "samples",
        Request::Oracle { .. } if estimates => "judgement, estimated",
        Request::Oracle { .. } => "judgement",
        Request::Draw { .. } if estimates => "coin, estimated",
        Request::Draw { .. } => "coin",
        Request::Speech { argues_for, .. } => match argues_for {
            Some(_) => "speech of a debater",
            None => "speech of the judge",
        },
        Request::Continue { .. } => "another round",
    }
}

fn heading(text: &str) -> Line {
    Line::of(Role::Title, text)
}

fn paragraph(text: impl Into<String>) -> [Line; 2] {
    [Line::of(Role::Text, text), Line::default()]
}

/// The pending step under headings; what whoever looks may know of it.
pub fn explanation(view: &Viewpoint<'_, '_>) -> Vec<Line> {
    if !view.tells_rules() || !view.reader.follows() {
        return vec![heading("Not shown to the judge before the end.")];
    }
    let mut lines = Vec::new();
    if let Some(step) = step(view) {
        lines.push(heading("Now"));
        lines.extend(paragraph(step.now));
        lines.push(heading("Then"));
        lines.extend(paragraph(step.then));
    }
    lines.push(heading("The rules"));
    lines.extend(paragraph(view.facts.kind.introduction().rules));
    lines
}

/// The step, the rules, what is debated and what a point is: the page behind a question. `seat` is
/// the one that is asked.
pub fn background(view: &Viewpoint<'_, '_>, amounts: &Amounts, seat: Option<Seat>) -> Vec<Line> {
    let mut lines = explanation(view);
    for (number, text) in view.facts.texts_for(seat).into_iter().enumerate() {
        if number == 0 {
            lines.push(heading("What is debated"));
        }
        lines.extend(paragraph(text));
    }
    let tells_known = !view.facts.blind && seat != Some(Seat::Judge);
    if let Some(known) = view.facts.known.as_ref().filter(|_| tells_known) {
        lines.push(heading("What Bob knows"));
        lines.extend(paragraph(known.clone()));
    }
    if view.tells_rules() && view.reader.follows() {
        let narrator = view.narrator(amounts.script);
        lines.push(heading("Points"));
        lines.extend(paragraph(format!("{}.", amounts.point_text(&narrator))));
    }
    lines.pop();
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_has_the_steps_that_are_named_and_no_others() {
        let (_, names) = include_str!("step.rs").split_once("fn name(").unwrap();
        let (names, _) = names.split_once("\n}\n").unwrap();
        let mut names: Vec<&str> = names.split('"').skip(1).step_by(2).collect();
        names.sort_unstable();
        assert_eq!(STEPS.names(), names);
        let steps = names.iter().filter_map(|name| STEPS.get(name));
        for text in steps.flat_map(|step| [&step.now, &step.then]) {
            let told = filled(text, Seat::Prover, Perspective::NEUTRAL);
            assert!(
                told.ends_with('.') && !told.contains(['[', '/', ']']),
                "{told}"
            );
        }
    }
}
