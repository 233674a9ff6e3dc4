//! `solve --soundness`: what the soundness proof promises of a prover, beside what she keeps.

use super::Page;
use crate::tell::{Line, Role};
use debate_core::number::{Exact, Number as _, short, short_exact, signed};
use debate_solver::analysis::ProofStep;
use debate_solver::theory::{Soundness, SweepPoint};

/// Numbers with more characters than this are rounded.
const LONGEST_FRACTION: usize = 12;

/// The steps of the proof that rest on a hypothesis, with what is owed to it.
const OWED: [(ProofStep, &str); 4] = [
    (ProofStep::Unsound, "supports that do not carry their claim"),
    (
        ProofStep::Oracle,
        "answers of the oracle that are not the truth",
    ),
    (
        ProofStep::Bits,
        "bits of a proof that Alice wrote otherwise (10)",
    ),
    (ProofStep::Swap, "samples that are taken for truths (9)"),
];

/// Adds the section for people.
pub(super) fn tell(page: &mut Page, soundness: &Soundness, point: &SweepPoint) {
    let value = |value: &Exact| signed(value.to_float(), 6);
    let few = |value: &Exact| match short_exact(value) {
        text if text.len() <= LONGEST_FRACTION => text,
        _ => short(value.to_float(), 6),
    };
    let [prover, opponent, _] = &point.players;
    page.gap();
    page.paragraph(format!(
        "The soundness proof (PE Lemma A.4, Theorem 6.1) on {prover} before {opponent}: n = \
         r^−(d+1) = {}, d = {}, q = {}, δ = {}, η = (2d + 2)δ = {}.",
        few(&soundness.prize.recip()),
        soundness.depth,
        soundness.width,
        few(&soundness.delta),
        few(&soundness.eta()),
    ));
    let mut row = |label: &str, amount: &Exact, text: &str| {
        page.row(format!("  {label:<8}  {:>14}   {text}", value(amount)));
    };
    let truly = few(&soundness.answers_truly());
    let promise = format!("P[A = L]/n + η, with P[A = L] = {truly}");
    row("promised", &soundness.bound(), &promise);
    let verdict = if soundness.is_kept() {
        "within the bound"
    } else {
        "more than is promised"
    };
    let verdict = format!("{verdict}; it is the sum of these:");
    row("kept", &soundness.kept(), &verdict);
    row("", &soundness.of(ProofStep::Answer), "P[A = L]/n");
    for (step, advantage) in soundness.tests() {
        let name = match step {
            ProofStep::GateTest(k) => format!("the test of round {k}'s gate (6)"),
            ProofStep::SelectionTest(k) => {
                format!("the test of the claim chosen for round {k} (8)")
            }
            _ => "the test of the root's coin (5)".to_owned(),
        };
        if *advantage != Exact::default() {
            row("", advantage, &name);
        }
    }
    for (step, name) in OWED {
        let amount = soundness.of(step);
        if amount != Exact::default() {
            row("", &amount, name);
        }
    }
    page.paragraph("Hypotheses of the lemma, for this Alice:");
    for hypothesis in soundness.hypotheses() {
        let (label, gives) = if hypothesis.holds {
            ("  yes", String::new())
        } else {
            let gives = value(&hypothesis.gives);
            ("  no", format!("; that gives her {gives}"))
        };
        let text = format!("{}{gives}", hypothesis.what);
        page.lines.push(Line::new(label, Role::Text, text));
    }
    let cost = soundness.cost();
    page.paragraph(format!(
        "A Bob by Algorithm 1 takes at most (2^q − 1)/δ² = {} steps for a round, and asks Alice q·2^q \
         times for each: {} questions.",
        short(cost.steps.to_float(), 6),
        short(cost.questions_to_prover.to_float(), 6),
    ));
}
