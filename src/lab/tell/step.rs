//! The step that a protocol is at: what is done, and what follows from it.

use debate_core::number::Exact;
use debate_core::protocol::{Ask, Kind, Request, Rules as _, Seat, Turn};

use super::{Amounts, Line, Perspective, Role, Viewpoint, capital};

/// A step in two sentences or three.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepExplanation {
    /// The present step.
    pub now: String,
    /// Its consequence.
    pub then: String,
}

/// Explains the pending step. `None` where the debate is over.
pub fn step(view: &Viewpoint<'_, '_>) -> Option<StepExplanation> {
    let turn = view.state.request()?;
    let (now, then) = explained(&turn, view.facts.kind);
    let filled = |text| filled(text, turn.seat, view.perspective);
    Some(StepExplanation {
        now: filled(now),
        then: filled(then),
    })
}

/// A text with its marks filled in for the seat that looks. `[Bob says/say]` is a subject with its verb, for a
/// name and for "you"; with a small letter it stands inside a sentence. `[bob: lets/let]` is the verb alone,
/// `[bob's]` what belongs to a seat. `asked` is the debater whose turn it is.
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

/// What is done now, and what follows from it, with marks for [`filled`].
#[expect(clippy::too_many_lines, reason = "one arm a kind")]
fn explained(turn: &Turn<Exact>, kind: Kind) -> (&'static str, &'static str) {
    let estimates = kind == Kind::ProverEstimator;
    match &turn.request {
        Request::Answer { .. } => (
            "[Alice says/say] whether the whole claim is true.",
            if estimates {
                "Then [bob says/say] how likely it is, not knowing the answer, and a coin falls with that \
                 probability. If coin and answer agree, [alice gets/get] 1 point."
            } else {
                "That answer is defended to the end: step by step the debate goes to one small \
                 part of it, and that part decides."
            },
        ),
        Request::Probability { place, alone, .. } => match kind {
            Kind::ProverEstimator if place.is_none() => (
                "[Bob says/say] how likely the whole claim is. A coin then falls with exactly this \
                 probability.",
                "If the coin agrees with [alice's] answer, that is worth 1 point to Alice. The next round \
                 asks whether the number was too low or too high.",
            ),
            Kind::ProverEstimator if *alone => (
                "[Bob says/say] how likely this subclaim is on its own.",
                "If the debate goes on with this subclaim, this is the number that is bet on.",
            ),
            Kind::ProverEstimator => (
                "[Bob says/say] how likely this subclaim is, given how the coins before it fell. A coin then \
                 falls with exactly this probability.",
                "When all coins have fallen they make the claim above true or false, which pays this \
                 round. Numbers that agree with the one said of that claim leave nothing to gain by a bet.",
            ),
            Kind::Stochastic => (
                "[Alice says/say] how likely this step is to come out 1.",
                "A coin falls with that probability. [Bob may have/may have] the number checked instead, \
                 which ends the debate.",
            ),
            Kind::Speeches => (
                "[Judge says/say] how likely the first answer is.",
                "The last of these numbers counts: whoever argues for an answer receives what its \
                 probability is above one half. [Judge scores/score] best by saying what \
                 [judge believes/believe].",
            ),
            _ => (
                "[Asked says/say] how likely this is.",
                "A coin falls with that probability.",
            ),
        },
        Request::Direction { .. } if estimates => (
            "[Alice bets/bet] whether [bob's] number is too low, about right or too high.",
            "Too low pays if the claim comes out true and costs if it comes out false; too high \
             the other way round; about right pays nothing. The further off the number is, the \
             more a right bet pays.",
        ),
        Request::Direction { .. } => (
            "[Asked bets/bet] on the direction of an error.",
            "The round pays for being right.",
        ),
        Request::Support { .. } => (
            "[Alice splits/split] the claim into subclaims that together decide it.",
            if estimates {
                "Then [bob says/say] how likely each of them is, one after the other, and a coin falls for \
                 each."
            } else {
                "An answer to each of them is claimed next."
            },
        ),
        Request::Select { .. } if estimates => (
            "[Alice goes on/go on] with one subclaim: the one where [bob's] number is furthest from the \
             truth pays best.",
            "That number stands, and the next round is about it, for a larger stake.",
        ),
        Request::Select { .. } => (
            "[Asked chooses/choose] the part with which the debate goes on.",
            "Everything else is dropped, and only this part is looked at from here on.",
        ),
        Request::Bits { ask, .. } => match ask {
            Ask::Answers { .. } => (
                "[Alice claims/claim] an answer to every subclaim.",
                "Then [bob contests/contest] one of them, and the debate goes on there.",
            ),
            Ask::Proof(_) => (
                "[Asked gives/give] a bit that the last question depends on.",
                "The judge sees it, and decides.",
            ),
            Ask::Block { .. } => (
                "[Asked chooses/choose] the values of these variables.",
                "What is chosen stands: the other side answers it, and at the end the clauses decide.",
            ),
            Ask::Configuration { .. } | Ask::Witness | Ask::Transcript { .. } => (
                "[Asked writes/write] down what the computation does.",
                "All of it can be held against whoever wrote it: one step that does not follow loses \
                 the debate.",
            ),
        },
        Request::Challenge { .. } => match kind {
            Kind::ProverEstimator => (
                "[Bob disputes/dispute] that the claim follows from these, or [bob: lets/let] the step stand.",
                "A dispute takes the debate straight to the judge, who is asked about the step \
                 alone, for the largest stake; the bet of this round falls away.",
            ),
            Kind::Stochastic => (
                "[Bob has/have] [alice's] number checked, or [bob: lets/let] it stand.",
                "A check ends the debate: Bob wins if the number is too far off, else Alice. If \
                 nothing is ever checked, the last step decides.",
            ),
            _ => (
                "[Bob points/point] at a step that does not follow, or at none.",
                "That step alone is checked, and decides the debate.",
            ),
        },
        Request::Share { .. } => (
            "Each side gives a number for the coin, unseen by the other.",
            if kind == Kind::Stochastic {
                "The two are added, without the whole part: if one side draws evenly, the other \
                 cannot move the coin."
            } else {
                "Their sum decides."
            },
        ),
        Request::Oracle { .. } | Request::Draw { .. } if kind == Kind::Stochastic => (
            "The step is asked about, or its coin falls.",
            "Where the step was challenged, the mean of the answers decides the debate.",
        ),
        Request::Oracle { .. } if estimates => (
            "The judge says whether one small claim is true.",
            "The answer pays the last round, which has the largest stake of all.",
        ),
        Request::Oracle { .. } => (
            "[Judge says/say] whether one small claim is true.",
            "The answer decides the debate: Alice wins if it is what she claimed, else Bob.",
        ),
        Request::Draw { .. } if estimates => (
            "A coin falls, with the probability that [bob gave/gave].",
            "Its outcome counts as the claim's, whatever is true.",
        ),
        Request::Draw { .. } => ("A coin falls.", "Its outcome counts as the claim's."),
        Request::Speech {
            argues_for: Some(_),
            ..
        } => (
            "[Asked argues/argue] for one answer, in free words and with quotes.",
            "A quote stands only if the source says it. The judge has not read the source.",
        ),
        Request::Speech {
            argues_for: None, ..
        } => (
            "[Judge may speak/may speak] to the debaters.",
            "They read it before their next speech.",
        ),
        Request::Continue { .. } => (
            "[Judge decides/decide] whether to hear another round.",
            "Each round that is heard costs [judge's] own score a little.",
        ),
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
