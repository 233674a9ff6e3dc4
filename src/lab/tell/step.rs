//! The step that a protocol is at: what is done, and what follows from it.

use super::{Amounts, Perspective};
use debate_core::number::Exact;
use debate_core::protocol::{Ask, Kind, Request, Rules as _, Seat, Turn};

use super::{Line, Role, Viewpoint};

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

    fn is_you(self) -> bool {
        self.perspective.is_you(self.seat)
    }
}

/// Explains the pending step. `None` where the debate is over.
pub fn step(view: &Viewpoint<'_, '_>) -> Option<StepExplanation> {
    let turn = view.state.request()?;
    let subject = |seat| Subject {
        seat,
        perspective: view.perspective,
    };
    let (alice, bob) = (subject(Seat::Prover), subject(Seat::Opponent));
    let judge = subject(Seat::Judge);
    let (now, then) = match view.facts.kind {
        Kind::ProverEstimator => estimated(&turn, alice, bob),
        Kind::Stochastic => drawn(&turn, alice, bob),
        Kind::Speeches => spoken(&turn, [alice, bob], judge),
        _ => None,
    }
    .unwrap_or_else(|| general(&turn, alice, bob, judge));
    Some(StepExplanation { now, then })
}

/// The steps of prover-estimator debate that no other rules have.
fn estimated(turn: &Turn<Exact>, alice: Subject, bob: Subject) -> Option<(String, String)> {
    Some(match &turn.request {
        Request::Answer { .. } => (
            format!("{} whether the whole claim is true.", alice.does("says", "say")),
            format!(
                "Then {} how likely it is, not knowing the answer, and a coin falls with that \
                 probability. If coin and answer agree, {} 1 point.",
                bob.inside("says", "say"),
                alice.inside("gets", "get")
            ),
        ),
        Request::Challenge { .. } => (
            format!("{} that the claim follows from these, or {} the step stand.",
                bob.does("disputes", "dispute"),
                if bob.is_you() { "let" } else { "lets" }
            ),
            "A dispute takes the debate straight to the judge, who is asked about the step alone, for \
             the largest stake; the bet of this round falls away."
                .to_owned(),
        ),
        Request::Probability { place: None, .. } => (
            format!(
                "{} how likely the whole claim is. A coin then falls with exactly this probability.",
                bob.does("says", "say")
            ),
            format!(
                "If the coin agrees with {} answer, that is worth 1 point to Alice. The next round \
                 asks whether the number was too low or too high.",
                alice.own()
            ),
        ),
        Request::Probability { alone: true, .. } => (
            format!("{} how likely this subclaim is on its own.", bob.does("says", "say")),
            "If the debate goes on with this subclaim, this is the number that is bet on.".to_owned(),
        ),
        Request::Probability { .. } => (
            format!(
                "{} how likely this subclaim is, given how the coins before it fell. A coin then \
                 falls with exactly this probability.",
                bob.does("says", "say")
            ),
            "When all coins have fallen they make the claim above true or false, which pays this \
             round. Numbers that agree with the one said of that claim leave nothing to gain by a \
             bet."
                .to_owned(),
        ),
        Request::Direction { .. } => (
            format!(
                "{} whether {} number is too low, about right or too high.",
                alice.does("bets", "bet"),
                bob.own()
            ),
            "Too low pays if the claim comes out true and costs if it comes out false; too high the \
             other way round; about right pays nothing. The further off the number is, the more a \
             right bet pays."
                .to_owned(),
        ),
        Request::Support { .. } => (
            format!("{} the claim into subclaims that together decide it.", alice.does("splits", "split")),
            format!(
                "Then {} how likely each of them is, one after the other, and a coin falls for each.",
                bob.inside("says", "say")
            ),
        ),
        Request::Select { .. } => (
            format!(
                "{} with one subclaim: the one where {} number is furthest from the truth pays best.",
                alice.does("goes on", "go on"),
                bob.own()
            ),
            "That number stands, and the next round is about it, for a larger stake.".to_owned(),
        ),
        Request::Oracle { .. } => (
            "The judge says whether one small claim is true.".to_owned(),
            "The answer pays the last round, which has the largest stake of all.".to_owned(),
        ),
        Request::Draw { .. } => (
            format!("A coin falls, with the probability that {}.", bob.inside("gave", "gave")),
            "Its outcome counts as the claim's, whatever is true.".to_owned(),
        ),
        _ => return None,
    })
}

/// The steps of stochastic debate that no other rules have.
fn drawn(turn: &Turn<Exact>, alice: Subject, bob: Subject) -> Option<(String, String)> {
    Some(match &turn.request {
        Request::Probability { .. } => (
            format!("{} how likely this step is to come out 1.", alice.does("says", "say")),
            format!(
                "A coin falls with that probability. {} the number checked instead, which ends the \
                 debate.",
                bob.does("may have", "may have")
            ),
        ),
        Request::Challenge { .. } => (
            format!(
                "{} {} number checked, or {} it stand.",
                bob.does("has", "have"),
                alice.own(),
                if bob.is_you() { "let" } else { "lets" }
            ),
            "A check ends the debate: Bob wins if the number is too far off, else Alice. If nothing \
             is ever checked, the last step decides."
                .to_owned(),
        ),
        Request::Share { .. } => (
            "Each side gives a number for the coin, unseen by the other.".to_owned(),
            "The two are added, without the whole part: if one side draws evenly, the other cannot \
             move the coin."
                .to_owned(),
        ),
        Request::Oracle { .. } | Request::Draw { .. } => (
            "The step is asked about, or its coin falls.".to_owned(),
            "Where the step was challenged, the mean of the answers decides the debate.".to_owned(),
        ),
        _ => return None,
    })
}

/// The steps of a debate in free speeches that no other rules have.
fn spoken(turn: &Turn<Exact>, debaters: [Subject; 2], judge: Subject) -> Option<(String, String)> {
    Some(match &turn.request {
        Request::Probability { .. } => (
            format!(
                "{} how likely the first answer is.",
                judge.does("says", "say")
            ),
            format!(
                "The last of these numbers counts: whoever argues for an answer receives what its \
                 probability is above one half. {} best by saying what {}.",
                judge.does("scores", "score"),
                judge.inside("believes", "believe")
            ),
        ),
        Request::Speech {
            argues_for: Some(_),
            ..
        } => {
            let [alice, bob] = debaters;
            let speaker = if turn.seat == Seat::Opponent {
                bob
            } else {
                alice
            };
            (
                format!(
                    "{} for one answer, in free words and with quotes.",
                    speaker.does("argues", "argue")
                ),
                "A quote stands only if the source says it. The judge has not read the source."
                    .to_owned(),
            )
        }
        _ => return None,
    })
}

fn general(turn: &Turn<Exact>, alice: Subject, bob: Subject, judge: Subject) -> (String, String) {
    let asked = if turn.seat == Seat::Opponent {
        bob
    } else {
        alice
    };
    match &turn.request {
        Request::Answer { .. } => (
            format!("{} whether the whole claim is true.", alice.does("says", "say")),
            "That answer is defended to the end: step by step the debate goes to one small part of \
             it, and that part decides."
                .to_owned(),
        ),
        Request::Support { .. } => (
            format!("{} the claim into subclaims that together decide it.", alice.does("splits", "split")),
            "An answer to each of them is claimed next.".to_owned(),
        ),
        Request::Bits { ask: Ask::Answers { .. }, .. } => (
            format!("{} an answer to every subclaim.", alice.does("claims", "claim")),
            format!("Then {} one of them, and the debate goes on there.", bob.inside("contests", "contest")),
        ),
        Request::Bits { ask: Ask::Proof(_), .. } => (
            format!("{} a bit that the last question depends on.", asked.does("gives", "give")),
            "The judge sees it, and decides.".to_owned(),
        ),
        Request::Bits { ask: Ask::Block { .. }, .. } => (
            format!("{} the values of these variables.", asked.does("chooses", "choose")),
            "What is chosen stands: the other side answers it, and at the end the clauses decide."
                .to_owned(),
        ),
        Request::Bits { .. } => (
            format!("{} down what the computation does.", asked.does("writes", "write")),
            "All of it can be held against whoever wrote it: one step that does not follow loses \
             the debate."
                .to_owned(),
        ),
        Request::Select { .. } => (
            format!("{} the part with which the debate goes on.", asked.does("chooses", "choose")),
            "Everything else is dropped, and only this part is looked at from here on.".to_owned(),
        ),
        Request::Challenge { .. } => (
            format!("{} at a step that does not follow, or at none.", bob.does("points", "point")),
            "That step alone is checked, and decides the debate.".to_owned(),
        ),
        Request::Oracle { .. } => (
            format!("{} whether one small claim is true.", judge.does("says", "say")),
            "The answer decides the debate: Alice wins if it is what she claimed, else Bob."
                .to_owned(),
        ),
        Request::Probability { .. } => (
            format!("{} how likely this is.", asked.does("says", "say")),
            "A coin falls with that probability.".to_owned(),
        ),
        Request::Speech { .. } => (
            format!("{} to the debaters.", judge.does("may speak", "may speak")),
            "They read it before their next speech.".to_owned(),
        ),
        Request::Continue { .. } => (
            format!("{} whether to hear another round.", judge.does("decides", "decide")),
            format!("Each round that is heard costs {} own score a little.", judge.own()),
        ),
        Request::Direction { .. } => (
            format!("{} on the direction of an error.", asked.does("bets", "bet")),
            "The round pays for being right.".to_owned(),
        ),
        Request::Share { .. } => (
            "Each side gives a number for the coin, unseen by the other.".to_owned(),
            "Their sum decides.".to_owned(),
        ),
        Request::Draw { .. } => (
            "A coin falls.".to_owned(),
            "Its outcome counts as the claim's.".to_owned(),
        ),
    }
}

fn heading(text: &str) -> Line {
    Line::default().then(Role::Title, text)
}

fn paragraph(text: impl Into<String>) -> [Line; 2] {
    [Line::default().then(Role::Text, text), Line::default()]
}

/// The pending step under headings; what whoever looks may know of it.
pub fn explanation(view: &Viewpoint<'_, '_>) -> Vec<Line> {
    if !view.tells_rules() || !view.reader.follows() {
        return vec![heading("Not shown to the judge before the end.")];
    }
    let mut entries = Vec::new();
    if let Some(step) = step(view) {
        entries.push(heading("Now"));
        entries.extend(paragraph(step.now));
        entries.push(heading("Then"));
        entries.extend(paragraph(step.then));
    }
    entries.push(heading("The rules"));
    entries.extend(paragraph(view.facts.kind.introduction().rules));
    entries
}

/// The step, the rules, what is debated and what a point is: the page behind a question. `seat` is
/// the one that is asked.
pub fn background(view: &Viewpoint<'_, '_>, amounts: &Amounts, seat: Option<Seat>) -> Vec<Line> {
    let mut entries = explanation(view);
    for (number, text) in view.facts.texts_for(seat).into_iter().enumerate() {
        if number == 0 {
            entries.push(heading("What is debated"));
        }
        entries.extend(paragraph(text));
    }
    let tells_known = !view.facts.blind && seat != Some(Seat::Judge);
    if let Some(known) = view.facts.known.as_ref().filter(|_| tells_known) {
        entries.push(heading("What Bob knows"));
        entries.extend(paragraph(known.clone()));
    }
    if view.tells_rules() && view.reader.follows() {
        let narrator = view.narrator(amounts.script());
        entries.push(heading("Points"));
        entries.extend(paragraph(format!("{}.", amounts.point(&narrator))));
    }
    entries.pop();
    entries
}
