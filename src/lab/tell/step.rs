//! The step that a protocol is at: what is done, and what follows from it.

use debate_core::number::Exact;
use debate_core::protocol::{Ask, Kind, Request, Rules as _, Seat, Turn};

use super::{Amounts, Line, Perspective, Role, Viewpoint};

/// A step in two sentences or three.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepExplanation {
    /// The present step.
    pub now: String,
    /// Its consequence.
    pub then: String,
}

/// A seat as the subject of a sentence about it: a name, or "you" to whoever sits there.
#[derive(Clone, Copy)]
struct Subject {
    seat: Seat,
    perspective: Perspective,
}

impl Subject {
    /// The beginning of a sentence: "Alice says", "You say".
    fn does(self, third: &'static str, second: &'static str) -> String {
        let text = self.inside(third, second);
        let mut signs = text.chars();
        let first = signs.next().map(|sign| sign.to_uppercase().to_string());
        first.unwrap_or_default() + signs.as_str()
    }

    /// The same inside a sentence.
    fn inside(self, third: &'static str, second: &'static str) -> String {
        let verb = self.perspective.verb(self.seat, third, second);
        format!("{} {verb}", self.perspective.within(self.seat))
    }

    fn own(self) -> &'static str {
        self.perspective.whose(self.seat)
    }

    fn lets(self) -> &'static str {
        self.perspective.verb(self.seat, "lets", "let")
    }
}

/// Explains the pending step. `None` where the debate is over.
pub fn step(view: &Viewpoint<'_, '_>) -> Option<StepExplanation> {
    let turn = view.state.request()?;
    let (now, then) = explained(&turn, view.facts.kind, view.perspective);
    Some(StepExplanation { now, then })
}

#[expect(clippy::too_many_lines, reason = "one arm a kind")]
fn explained(turn: &Turn<Exact>, kind: Kind, perspective: Perspective) -> (String, String) {
    let subject = |seat| Subject { seat, perspective };
    let (alice, bob) = (subject(Seat::Prover), subject(Seat::Opponent));
    let judge = subject(Seat::Judge);
    let asked = if turn.seat == Seat::Opponent {
        bob
    } else {
        alice
    };
    let estimates = kind == Kind::ProverEstimator;
    match &turn.request {
        Request::Answer { .. } => (
            format!(
                "{} whether the whole claim is true.",
                alice.does("says", "say")
            ),
            if estimates {
                format!(
                    "Then {} how likely it is, not knowing the answer, and a coin falls with that \
                     probability. If coin and answer agree, {} 1 point.",
                    bob.inside("says", "say"),
                    alice.inside("gets", "get")
                )
            } else {
                "That answer is defended to the end: step by step the debate goes to one small \
                 part of it, and that part decides."
                    .to_owned()
            },
        ),
        Request::Probability { place, alone, .. } => match kind {
            Kind::ProverEstimator => estimated(place.is_none(), *alone, alice, bob),
            Kind::Stochastic => (
                format!(
                    "{} how likely this step is to come out 1.",
                    alice.does("says", "say")
                ),
                format!(
                    "A coin falls with that probability. {} the number checked instead, which \
                     ends the debate.",
                    bob.does("may have", "may have")
                ),
            ),
            Kind::Speeches => (
                format!(
                    "{} how likely the first answer is.",
                    judge.does("says", "say")
                ),
                format!(
                    "The last of these numbers counts: whoever argues for an answer receives what \
                     its probability is above one half. {} best by saying what {}.",
                    judge.does("scores", "score"),
                    judge.inside("believes", "believe")
                ),
            ),
            _ => (
                format!("{} how likely this is.", asked.does("says", "say")),
                "A coin falls with that probability.".to_owned(),
            ),
        },
        Request::Direction { .. } if estimates => (
            format!(
                "{} whether {} number is too low, about right or too high.",
                alice.does("bets", "bet"),
                bob.own()
            ),
            "Too low pays if the claim comes out true and costs if it comes out false; too high \
             the other way round; about right pays nothing. The further off the number is, the \
             more a right bet pays."
                .to_owned(),
        ),
        Request::Direction { .. } => (
            format!(
                "{} on the direction of an error.",
                asked.does("bets", "bet")
            ),
            "The round pays for being right.".to_owned(),
        ),
        Request::Support { .. } => (
            format!(
                "{} the claim into subclaims that together decide it.",
                alice.does("splits", "split")
            ),
            if estimates {
                format!(
                    "Then {} how likely each of them is, one after the other, and a coin falls for \
                     each.",
                    bob.inside("says", "say")
                )
            } else {
                "An answer to each of them is claimed next.".to_owned()
            },
        ),
        Request::Select { .. } if estimates => (
            format!(
                "{} with one subclaim: the one where {} number is furthest from the truth pays best.",
                alice.does("goes on", "go on"),
                bob.own()
            ),
            "That number stands, and the next round is about it, for a larger stake.".to_owned(),
        ),
        Request::Select { .. } => (
            format!(
                "{} the part with which the debate goes on.",
                asked.does("chooses", "choose")
            ),
            "Everything else is dropped, and only this part is looked at from here on.".to_owned(),
        ),
        Request::Bits { ask, .. } => bits(*ask, asked, alice, bob),
        Request::Challenge { .. } => match kind {
            Kind::ProverEstimator => (
                format!(
                    "{} that the claim follows from these, or {} the step stand.",
                    bob.does("disputes", "dispute"),
                    bob.lets()
                ),
                "A dispute takes the debate straight to the judge, who is asked about the step \
                 alone, for the largest stake; the bet of this round falls away."
                    .to_owned(),
            ),
            Kind::Stochastic => (
                format!(
                    "{} {} number checked, or {} it stand.",
                    bob.does("has", "have"),
                    alice.own(),
                    bob.lets()
                ),
                "A check ends the debate: Bob wins if the number is too far off, else Alice. If \
                 nothing is ever checked, the last step decides."
                    .to_owned(),
            ),
            _ => (
                format!(
                    "{} at a step that does not follow, or at none.",
                    bob.does("points", "point")
                ),
                "That step alone is checked, and decides the debate.".to_owned(),
            ),
        },
        Request::Share { .. } => (
            "Each side gives a number for the coin, unseen by the other.".to_owned(),
            if kind == Kind::Stochastic {
                "The two are added, without the whole part: if one side draws evenly, the other \
                 cannot move the coin."
            } else {
                "Their sum decides."
            }
            .to_owned(),
        ),
        Request::Oracle { .. } | Request::Draw { .. } if kind == Kind::Stochastic => (
            "The step is asked about, or its coin falls.".to_owned(),
            "Where the step was challenged, the mean of the answers decides the debate.".to_owned(),
        ),
        Request::Oracle { .. } if estimates => (
            "The judge says whether one small claim is true.".to_owned(),
            "The answer pays the last round, which has the largest stake of all.".to_owned(),
        ),
        Request::Oracle { .. } => (
            format!(
                "{} whether one small claim is true.",
                judge.does("says", "say")
            ),
            "The answer decides the debate: Alice wins if it is what she claimed, else Bob."
                .to_owned(),
        ),
        Request::Draw { .. } if estimates => (
            format!(
                "A coin falls, with the probability that {}.",
                bob.inside("gave", "gave")
            ),
            "Its outcome counts as the claim's, whatever is true.".to_owned(),
        ),
        Request::Draw { .. } => (
            "A coin falls.".to_owned(),
            "Its outcome counts as the claim's.".to_owned(),
        ),
        Request::Speech {
            argues_for: Some(_),
            ..
        } => (
            format!(
                "{} for one answer, in free words and with quotes.",
                asked.does("argues", "argue")
            ),
            "A quote stands only if the source says it. The judge has not read the source."
                .to_owned(),
        ),
        Request::Speech {
            argues_for: None, ..
        } => (
            format!("{} to the debaters.", judge.does("may speak", "may speak")),
            "They read it before their next speech.".to_owned(),
        ),
        Request::Continue { .. } => (
            format!(
                "{} whether to hear another round.",
                judge.does("decides", "decide")
            ),
            format!(
                "Each round that is heard costs {} own score a little.",
                judge.own()
            ),
        ),
    }
}

/// A probability that Bob states, of the whole claim or of one of its parts.
fn estimated(whole: bool, alone: bool, alice: Subject, bob: Subject) -> (String, String) {
    let says = bob.does("says", "say");
    if whole {
        return (
            format!(
                "{says} how likely the whole claim is. A coin then falls with exactly this \
                 probability."
            ),
            format!(
                "If the coin agrees with {} answer, that is worth 1 point to Alice. The next round \
                 asks whether the number was too low or too high.",
                alice.own()
            ),
        );
    }
    if alone {
        return (
            format!("{says} how likely this subclaim is on its own."),
            "If the debate goes on with this subclaim, this is the number that is bet on."
                .to_owned(),
        );
    }
    (
        format!(
            "{says} how likely this subclaim is, given how the coins before it fell. A coin then \
             falls with exactly this probability."
        ),
        "When all coins have fallen they make the claim above true or false, which pays this \
         round. Numbers that agree with the one said of that claim leave nothing to gain by a bet."
            .to_owned(),
    )
}

fn bits(wanted: Ask, asked: Subject, alice: Subject, bob: Subject) -> (String, String) {
    match wanted {
        Ask::Answers { .. } => (
            format!(
                "{} an answer to every subclaim.",
                alice.does("claims", "claim")
            ),
            format!(
                "Then {} one of them, and the debate goes on there.",
                bob.inside("contests", "contest")
            ),
        ),
        Ask::Proof(_) => (
            format!(
                "{} a bit that the last question depends on.",
                asked.does("gives", "give")
            ),
            "The judge sees it, and decides.".to_owned(),
        ),
        Ask::Block { .. } => (
            format!(
                "{} the values of these variables.",
                asked.does("chooses", "choose")
            ),
            "What is chosen stands: the other side answers it, and at the end the clauses decide."
                .to_owned(),
        ),
        Ask::Configuration { .. } | Ask::Witness | Ask::Transcript { .. } => (
            format!(
                "{} down what the computation does.",
                asked.does("writes", "write")
            ),
            "All of it can be held against whoever wrote it: one step that does not follow loses \
             the debate."
                .to_owned(),
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
