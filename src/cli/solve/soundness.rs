//! `solve --soundness`: what the soundness proof promises of a prover, beside what she keeps.

use std::io::Write;

use clap::Args;

use super::text::paragraph;
use super::{SolveTask, knowing, unsolved};
use crate::cli::Failure;
use debate_core::budget::Budget;
use debate_core::number::{Exact, Number as _, parse, short, short_exact, signed};
use debate_core::protocol::Seat;
use debate_lab::analysis::{DebateSolver, KnowingSeat, ProofStep};
use debate_lab::theory::{Soundness, SweepPoint};

/// Whether to look at the soundness proof, and with which δ.
#[derive(Clone, Debug, Args)]
pub(super) struct SoundnessArgs {
    /// Set what Alice keeps beside what the soundness of prover-estimator debate promises (PE Lemma
    /// A.4), each step of the proof by itself, and say which hypothesis fails. With --prover
    /// best-response --prover-knows …: for the best of all who know no more.
    #[arg(long, conflicts_with = "csv")]
    pub(super) soundness: bool,
    /// δ for --soundness, the advantage that no test of Alice may have. The default is the estimator's
    /// own where it is `indistinguishable(DELTA)`, else that of PE Theorem 6.2, εr^(d+1)/(2d + 1).
    #[arg(long, value_name = "DELTA", requires = "soundness")]
    pub(super) delta: Option<String>,
}

/// Reads `--delta`, or takes the δ that an estimator is named with.
fn delta(text: Option<&str>, point: &SweepPoint) -> Result<Option<Exact>, Failure> {
    let bob = &point.players[Seat::Opponent.index()];
    let own = (bob.name == "indistinguishable").then(|| bob.arguments.first());
    let Some(text) = text.or_else(|| own.flatten().map(String::as_str)) else {
        return Ok(None);
    };
    let delta = parse(text).map_err(|error| Failure::Input(format!("--delta: {error}")))?;
    if delta > Exact::default() && delta < Exact::ratio(1, 1) {
        return Ok(Some(delta));
    }
    Err(Failure::Input(format!(
        "--delta: {text} is no advantage that a test may have; give a number above 0 and below 1"
    )))
}

/// Finds what every step of the proof accounts for between the players of a point.
pub(super) fn of(
    task: &SolveTask,
    point: &SweepPoint,
    budget: Budget<'_>,
) -> Result<Soundness, Failure> {
    let registry = debate_lab::registry::<Exact>().with(task.setup.player_files());
    let solver = DebateSolver {
        registry: &registry,
        protocol: &point.protocol,
        players: &point.players,
        grid: &point.grid,
    };
    let (instances, blocks) = if let Some(terms) = &point.knowing {
        knowing::instances(&task.setup, &terms.knows)?
    } else {
        let each = task.worlds.iter();
        let each = each.map(|(share, world)| (share.clone(), task.setup.instance(*world)));
        (each.collect(), (0..task.worlds.len()).collect())
    };
    let terms = point.knowing.as_ref();
    let seat = KnowingSeat {
        seat: point.best_response().unwrap_or(Seat::Prover),
        blocks,
        queries: terms.map_or(0, |terms| terms.queries),
        answers: terms.and_then(|terms| terms.answers),
    };
    let delta = delta(task.proof.delta.as_deref(), point)?;
    solver
        .soundness(&instances, &seat, delta.as_ref(), budget)
        .map_err(|error| unsolved(&error, None))
}

/// The section for people.
pub(super) fn told(
    out: &mut impl Write,
    found: &Soundness,
    point: &SweepPoint,
) -> Result<(), Failure> {
    let value = |value: &Exact| signed(value.to_float(), 6);
    let few = |value: &Exact| match short_exact(value) {
        text if text.len() <= 12 => text,
        _ => short(value.to_float(), 6),
    };
    let [prover, opponent, _] = &point.players;
    let verdict = if found.is_kept() {
        "within the bound"
    } else {
        "more than is promised"
    };
    writeln!(out)?;
    paragraph(
        out,
        &format!(
            "The soundness proof (PE Lemma A.4, Theorem 6.1) on {prover} before {opponent}: n = \
             r^−(d+1) = {}, d = {}, q = {}, δ = {}, η = (2d + 2)δ = {}.",
            few(&found.prize.recip()),
            found.depth,
            found.width,
            few(&found.delta),
            few(&found.eta()),
        ),
    )?;
    writeln!(
        out,
        "  promised  {:>14}   P[A = L]/n + η, with P[A = L] = {}",
        value(&found.bound()),
        few(&found.answers_truly())
    )?;
    writeln!(
        out,
        "  kept      {:>14}   {verdict}; it is the sum of these:",
        value(&found.kept())
    )?;
    writeln!(
        out,
        "            {:>14}   P[A = L]/n",
        value(&found.of(ProofStep::Answer))
    )?;
    for (step, advantage) in found.tests() {
        let name = match step {
            ProofStep::GateTest(k) => format!("the test of round {k}'s gate (6)"),
            ProofStep::SelectionTest(k) => {
                format!("the test of the claim chosen for round {k} (8)")
            }
            _ => "the test of the root's coin (5)".to_owned(),
        };
        if *advantage != Exact::default() {
            writeln!(out, "            {:>14}   {name}", value(advantage))?;
        }
    }
    let owed = [
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
    for (step, name) in owed {
        let amount = found.of(step);
        if amount != Exact::default() {
            writeln!(out, "            {:>14}   {name}", value(&amount))?;
        }
    }
    paragraph(out, "Hypotheses of the lemma, for this Alice:")?;
    for hypothesis in found.hypotheses() {
        let holds = if hypothesis.holds { "yes" } else { "no" };
        let gives = if hypothesis.holds {
            String::new()
        } else {
            format!("; that gives her {}", value(&hypothesis.gives))
        };
        let text = format!("{}{gives}", hypothesis.what);
        for (number, line) in crate::tui::widget::measure::wrap(&text, 72)
            .into_iter()
            .enumerate()
        {
            let first = if number == 0 { holds } else { "" };
            writeln!(out, "  {first:<4}{line}")?;
        }
    }
    let cost = found.cost();
    paragraph(
        out,
        &format!(
            "A Bob by Algorithm 1 takes at most (2^q − 1)/δ² = {} steps for a round, and asks Alice \
             q·2^q times for each: {} questions.",
            short(cost.steps.to_float(), 6),
            short(cost.questions_to_prover.to_float(), 6),
        ),
    )
}
