//! `check`: the stability of a scenario, its size, and the promises of the theorems for it.

use super::{HeadedTextPage, PrintableCommandResult, holds, range};
use crate::{DebateNarrator, NamedTexts, cost_with_kind_text};
use debate_core::number::format_rounded;
use debate_core::protocol::{ProtocolKind, short_protocol_example_name};
use debate_core::text::count_with_noun;
use debate_solver::expectation::{DecimalOrFractionNumber, RoundNumberOrInitial};
use debate_theory::check::{
    EvidenceReport, InstanceDistributionForProvability, ProvabilityBounds,
    ProvedVerifierBoundReport, ScenarioCheckReport, StabilityReport,
    TolerableJudgeErrorsAgainstOpponent,
};
use debate_theory::in_practice::HonestAliceLossConditionsReport;
use serde::Serialize;
use serde_json::json;

impl PrintableCommandResult for ScenarioCheckReport {
    fn document(&self) -> impl Serialize {
        self
    }

    fn page(&self) -> HeadedTextPage {
        let mut page = HeadedTextPage::default();
        page.add_row(format!("  {} ({})", self.title, self.problem));
        if let Some(found) = &self.in_practice {
            in_practice(&mut page, self, found);
            return page;
        }
        page.labelled("protocol", &self.parameters);
        // An argument without worlds has one instance, which has no name.
        if self.instances != 1 {
            let which = if self.drawn {
                "the seed draws one instance; this page is about"
            } else {
                "the scenario takes"
            };
            let count = self.instances;
            let instance = &self.instance;
            page.labelled("instances", format!("{count}; {which} {instance}"));
        }
        page.labelled("claim", &self.claim);
        let undecided = "undecided: the truth cannot be computed here";
        page.labelled(
            "truth",
            self.claim_true
                .map_or(undecided, DebateNarrator::truth_word),
        );
        page.labelled("parts", parts(self));
        promises(&mut page, self);
        for hypothesis in &self.soundness_hypotheses {
            let text = format!("requires: {}: {}", hypothesis.what, holds(hypothesis));
            page.labelled("soundness", text);
        }
        for status in &self.statements {
            page.labelled("statement", format!("{}: {}", status.name, status.text));
        }
        for row in &self.query_bounds {
            query_bound(&mut page, row);
        }
        for warning in &self.warnings {
            page.labelled("warning", warning);
        }
        page
    }
}

impl HeadedTextPage {
    /// Adds a row with a label in the first column. A row with an empty label continues the row before it.
    fn labelled(&mut self, label: &str, text: impl AsRef<str>) {
        self.add_row(format!("  {label:<10} {}", text.as_ref()));
    }
}

/// Sentences of the page, with placeholders for the numbers.
static TEXTS: NamedTexts = NamedTexts::new(include_str!("check.ron"));

/// Describes the size of the decomposition into claims.
fn parts(report: &ScenarioCheckReport) -> String {
    if !report.splits {
        return "no split: these rules need no subclaims".to_owned();
    }
    let depth = report.depth;
    let width = report.width;
    let claims = count_with_noun(&report.claims, "claim", "claims");
    if report.open.is_some() {
        return format!(
            "{claims} listed, others are written during play; depth {depth}, width {width}"
        );
    }
    let leaves = count_with_noun(&report.leaves, "leaf", "leaves");
    format!("{claims}, including {leaves}; depth {depth}, width {width}")
}

/// Adds the hypotheses of the theorems, and what the theorems guarantee.
fn promises(page: &mut HeadedTextPage, report: &ScenarioCheckReport) {
    if let Some(stability) = &report.stability {
        add_stability(page, report, stability);
    }
    if let Some(share) = &report.provable_by {
        provable_by(page, share);
    }
    if report.stability.is_some() {
        completeness(page, report);
    }
    if let Some(checked) = &report.judge_errors {
        judge_errors(page, checked);
    }
    if let Some(lipschitz) = &report.lipschitz {
        if let Some(most) = &report.bounds.queries_on_average {
            let means = [most.alice, most.bob, most.verifier];
            let means = json!({ "means": means.map(|mean| format_rounded(mean, 3)) });
            page.labelled("promised", TEXTS.filled_text("queries", &means));
        }
        let low = lipschitz.low.rounded_decimal_or_fraction_text();
        let high = lipschitz.high.rounded_decimal_or_fraction_text();
        let between = format!("between {low} and {high}");
        let k = if low == high { low } else { between };
        let text = format!(
            "{k}: the largest change of the answer per small change of the oracle; never more than {steps}, \
             the number of questions",
            steps = lipschitz.steps
        );
        page.labelled("K", text);
        let repetitions = report.bounds.repetitions.iter();
        let each: Vec<String> = repetitions
            .map(|one| format!("{} for {}", one.debates, one.error))
            .collect();
        if !each.is_empty() {
            let values = json!({ "each": each.join(", ") });
            page.labelled("repeated", TEXTS.filled_text("repetitions", &values));
        }
    }
}

/// Adds honest Alice's payoff that PE Lemma A.5 guarantees if every hypothesis holds, and each hypothesis.
fn completeness(page: &mut HeadedTextPage, report: &ScenarioCheckReport) {
    let least = report.bounds.completeness.as_ref();
    let values =
        json!({ "least": least.map(DecimalOrFractionNumber::rounded_decimal_or_fraction_text) });
    page.labelled("promised", TEXTS.filled_text("least", &values));
    for hypothesis in &report.completeness_hypotheses {
        let text = format!("requires: {}: {}", hypothesis.what, holds(hypothesis));
        page.labelled("", text);
    }
    if let Some(error) = &report.judge_error_allowed {
        page.labelled(
            "judge",
            TEXTS.filled_text(
                "error",
                &json!({ "error": error.rounded_decimal_or_fraction_text() }),
            ),
        );
    }
}

/// Formats a number for the page; 0 for `None`.
fn number(figure: Option<&DecimalOrFractionNumber>) -> String {
    figure.map_or_else(
        || format_rounded(0.0, 4),
        DecimalOrFractionNumber::rounded_decimal_or_fraction_text,
    )
}

fn add_stability(
    page: &mut HeadedTextPage,
    report: &ScenarioCheckReport,
    stability: &StabilityReport,
) {
    let verdict = match stability.stable {
        Some(true) => "yes, ",
        Some(false) => "no: ",
        None => "not known; ",
    };
    let why = report.unstable.clone().unwrap_or_else(|| {
        format!(
            "errors of ε change a gate's probability by at most {change}; {allowed} is allowed",
            change = stability.worst_deviation.rounded_decimal_or_fraction_text(),
            allowed = stability.allowed.rounded_decimal_or_fraction_text()
        )
    });
    page.labelled("stable", format!("{verdict}{why}"));
    // The stability of this instance may differ from the stability of all instances together.
    if let Some(own) = stability.instance_stable
        && stability.stable != Some(own)
    {
        let is_stable_or_not = if own { "is stable" } else { "is not stable" };
        let instance = &report.instance;
        let text = format!(
            "this verdict is for all instances together; the instance {instance:?} alone {is_stable_or_not}"
        );
        page.labelled("", text);
    }
    if let Some(counts) = &stability.evidence {
        evidence(page, counts);
    }
    if let Some(mend) = &report.mend {
        page.labelled("needs", mend);
    }
    let provable = number(report.provable.as_ref());
    page.labelled("provable", format!("with probability {provable}"));
}

/// Adds the numbers of pieces of evidence, for a decomposition that evidence makes stable.
fn evidence(page: &mut HeadedTextPage, evidence: &EvidenceReport) {
    let counts = serde_json::to_value(evidence).unwrap_or_default();
    page.labelled("evidence", TEXTS.filled_text("counts", &counts));
    page.labelled("", TEXTS.filled_text("copies", &counts));
    let Some(errors) = &evidence.errors else {
        return;
    };
    let [low, high] = &errors.wrong;
    let values = json!({
        "error": errors.error.rounded_decimal_or_fraction_text(),
        "together": errors.shared_cause.rounded_decimal_or_fraction_text(),
        "supported": errors.supported.rounded_decimal_or_fraction_text(),
        "allowed": errors.allowed.rounded_decimal_or_fraction_text(),
        "is_supported": errors.s_supported,
        "wrong": range(low, high),
        "if_true": errors.true_if_true.as_ref().map(DecimalOrFractionNumber::rounded_decimal_or_fraction_text),
        "if_false": errors.true_if_false.as_ref().map(DecimalOrFractionNumber::rounded_decimal_or_fraction_text),
        "holds": errors.membership == Some(true),
        "fails": errors.membership == Some(false),
    });
    page.labelled("", TEXTS.filled_text("stated", &values));
    page.labelled("", TEXTS.filled_text("pieces", &values));
    page.labelled("", TEXTS.filled_text("wrong", &values));
    page.labelled("", TEXTS.filled_text("membership", &values));
}

/// Adds the probability that a prover with only partial knowledge of the instance can prove the root claim.
fn provable_by(page: &mut HeadedTextPage, proof: &ProvabilityBounds) {
    let prover_description = match proof.knows.as_str() {
        "instance" => "a prover who knows the number and a test of it".to_owned(),
        "offered" => {
            "a prover who knows only what the problem tells a player who cannot decide claims"
                .to_owned()
        }
        known_part => format!("a prover who knows {known_part} of the instance"),
    };
    let lookups = match proof.queries {
        0 => String::new(),
        lookups => format!(
            " and looks up {}",
            count_with_noun(lookups, "leaf", "leaves")
        ),
    };
    let distribution_note = match proof.distribution {
        InstanceDistributionForProvability::Mu => match proof.instances {
            1 => "over μ, which has one instance".to_owned(),
            many => format!(
                "over μ: {instance_count} instances, the most likely with {probability}", instance_count = many, probability = proof.likeliest.rounded_decimal_or_fraction_text()),
        },
        InstanceDistributionForProvability::EvenPlaces => {
            "with the flaw equally likely at each position, which is not μ, and the leaves that were \
             not looked up guessed"
                .to_owned()
        }
    };
    let probability_range = range(&proof.low, &proof.high);
    let text = format!(
        "by {prover_description}{lookups}: with probability {probability_range}, {distribution_note}"
    );
    page.labelled("provable", text);
}

/// Adds the error rate of the judge that is tolerable in debates between honest Alice and the scenario's own Bob.
fn judge_errors(page: &mut HeadedTextPage, checked: &TolerableJudgeErrorsAgainstOpponent) {
    let TolerableJudgeErrorsAgainstOpponent { opponent, errors } = checked;
    let rate = errors
        .break_even
        .as_ref()
        .map(|[rate, _]| rate.rounded_decimal_or_fraction_text());
    let values = json!({ "rate": rate, "opponent": opponent });
    page.labelled("judge", TEXTS.filled_text("break even", &values));
    let leaves = errors.worst_leaves.as_ref();
    if let Some(worst) = leaves.and_then(|leaves| leaves.first()) {
        let values = json!({
            "leaf": worst.leaf,
            "cost": worst.cost.rounded_decimal_or_fraction_text(),
            "most": errors.any_leaves_cost_at_most.rounded_decimal_or_fraction_text(),
        });
        page.labelled("", TEXTS.filled_text("worst leaf", &values));
    }
}

/// Adds the cases in which honest Alice loses: the Bobs against whom she loses, the smallest error of estimates with
/// which a Bob can make her lose, and the hypotheses that do not hold.
fn in_practice(
    page: &mut HeadedTextPage,
    report: &ScenarioCheckReport,
    found: &HonestAliceLossConditionsReport,
) {
    let instances = count_with_noun(found.instances, "instance", "instances");
    let lost = found.opponents.iter().filter(|bob| bob.lost > 0);
    let count = lost.clone().count();
    let more_instances_remark = if found.more_instances {
        "; the scenario has more"
    } else {
        ""
    };
    page.labelled(
        "honest",
        format!(
            "honest Alice loses to {count} of {named_bobs} named Bobs, in {instances}{more_instances_remark}",
            named_bobs = found.opponents.len()
        ),
    );
    for bob in lost {
        let round = match (&bob.round, &bob.reward) {
            (Some(RoundNumberOrInitial::Number(k)), Some(reward)) => {
                let round = report.depth.saturating_sub(*k) + 1;
                format!(
                    "; round {round} pays her {reward}",
                    reward = reward.rounded_decimal_or_fraction_text()
                )
            }
            _ => String::new(),
        };
        let most = if found.instances > 1 {
            let least_payoff = bob.least.rounded_decimal_or_fraction_text();
            format!(
                ", and {least_payoff} in instance {instance:?}",
                instance = bob.instance
            )
        } else {
            String::new()
        };
        let payoff = bob.payoff.rounded_decimal_or_fraction_text();
        page.labelled("", format!("{}: {payoff}{most}{round}", bob.opponent));
    }
    for (label, least, error_condition) in [
        ("worst Bob", &found.worst, "if he chooses any errors up to"),
        ("even Bob", &found.even, "if his errors are exactly"),
    ] {
        let Some(least) = least else { continue };
        let safe_error = least.safe.rounded_decimal_or_fraction_text();
        let payoff = least.payoff.rounded_decimal_or_fraction_text();
        let text = match &least.losing {
            Some(losing_error) => {
                let losing_error = losing_error.rounded_decimal_or_fraction_text();
                format!(
                    "{error_condition} {losing_error}, honest Alice's payoff is {payoff}; at {safe_error} she does not lose"
                )
            }
            None => format!("no tried error makes honest Alice lose; her least payoff is {payoff}"),
        };
        page.labelled(label, text);
    }
    if let Some(reason) = &found.not_computed {
        page.labelled("least error", format!("not computed: {reason}"));
    }
    for missing in &found.missing {
        page.labelled("missing", missing);
    }
    for left in &found.left_out {
        page.labelled("left out", format!("{}: {}", left.opponent, left.reason));
    }
}

/// Adds the number of bits or queries that a protocol guarantees, or that a law (lower bound) requires.
fn query_bound(page: &mut HeadedTextPage, row: &ProvedVerifierBoundReport) {
    let (protocol, most, sources) = match row {
        // A law that at least 0 bits are read is trivial.
        ProvedVerifierBoundReport::Law { bits_read: 0, .. } => return,
        ProvedVerifierBoundReport::Law {
            about,
            bits_read,
            sources: [source],
        } => return page.labelled("law", format!("{about} {bits_read} bits ({source})")),
        ProvedVerifierBoundReport::Promise {
            protocol,
            most,
            sources,
        } => (protocol, most, sources),
    };
    let mut examples = ProtocolKind::ALL
        .iter()
        .flat_map(|kind| &kind.protocol_texts().examples);
    let example = examples.find(|example| **example == protocol.as_str());
    let name = example.map_or(protocol.as_str(), |example| {
        short_protocol_example_name(example)
    });
    if most.is_empty() {
        return page.labelled("under", name);
    }
    let spent: Vec<_> = most
        .iter()
        .map(|(kind, most)| cost_with_kind_text(kind, most))
        .collect();
    let mut citations = sources.clone();
    citations.dedup();
    let (cost_limits, citations) = (spent.join(", "), citations.join(", "));
    page.labelled(
        "under",
        format!("{name}: at most {cost_limits} ({citations})"),
    );
}

#[cfg(test)]
mod tests {
    use super::TEXTS;

    #[test]
    fn every_text_is_used_in_the_code() {
        // Line breaks between a call and its argument do not matter.
        let without_spaces = |text: &str| text.split_whitespace().collect::<String>();
        let code = without_spaces(include_str!("check.rs"));
        for name in TEXTS.text_names() {
            let call = without_spaces(&format!("filled_text(\"{name}\""));
            assert!(code.contains(&call), "{name}");
        }
    }
}
