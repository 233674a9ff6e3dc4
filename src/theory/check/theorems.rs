//! Decides the hypotheses of the theorems for a scenario, and computes the bounds that follow from them.

use num_bigint::BigUint;
use num_traits::Zero as _;

use super::{EvidenceReport, JsonCount, LipschitzReport, ScenarioCheckReport, StabilityReport};
use crate::amplification::repetition_reports;
use crate::evidence::evidence_errors;
use debate_core::number::{Exact, Number, format_rounded, power};
use debate_core::protocol::prover_estimator::{CarriedEstimateKind, ProverEstimatorParameters};
use debate_core::protocol::stochastic::SamplingConstants;
use debate_core::protocol::stochastic::constants::expected_query_bound;
use debate_core::protocol::{Protocol, stochastic};
use debate_core::scenario::stability::{
    LeastStableSupport, MAX_CLAIMS, StabilitySurvey, copies_for_supports, copies_required_by_proof,
    evidence_copies_by_printed_formulas, find_unsound_supports, first_leaf_with_proof_bits,
    soundness_offset,
};
use debate_core::scenario::{Instance, StableProblem, lipschitz_bounds};
use debate_solver::analysis::equilibrium::soundness_hypotheses;
use debate_solver::analysis::promise::{CompletenessLemma, scenario_judge};
use debate_solver::expectation::{DecimalOrFractionNumber, ReportNumberFormat};
use debate_solver::setup::LoadedScenario;

/// Maximum number of unsound supports that a warning names.
const MAX_UNSOUND: usize = 3;

/// Fills in the fields of a report that depend on a theorem.
pub(super) fn add_theorem_fields(
    report: &mut ScenarioCheckReport,
    setup: &LoadedScenario,
    protocol: &Protocol,
    instance: &Instance,
    form: ReportNumberFormat,
) {
    match protocol {
        // Claims that are written during the debate cannot be surveyed.
        Protocol::ProverEstimator(_) | Protocol::Recursive(_)
            if instance.prover_writing_limits().is_some() =>
        {
            return;
        }
        Protocol::ProverEstimator(parameters) => {
            prover_estimator(report, setup, parameters, instance, form);
        }
        Protocol::Recursive(_) => {}
        Protocol::Stochastic(parameters) => return stochastic(report, parameters, instance, form),
        _ => return,
    }
    report
        .warnings
        .extend(unsound_support_warning(setup, protocol));
    report.warnings.extend(proof_bit_warning(setup, protocol));
    report.soundness_hypotheses = soundness_hypotheses(&setup.decomposition, &setup.oracle);
}

/// Returns a warning if a claim does not always follow from the subclaims that Alice may choose. Examines at most
/// [`MAX_CLAIMS`] claims.
fn unsound_support_warning(setup: &LoadedScenario, protocol: &Protocol) -> Option<String> {
    let decomposition = &setup.decomposition;
    let oracle = &setup.oracle;
    let unsound_supports =
        find_unsound_supports(decomposition, oracle, MAX_UNSOUND + 1, MAX_CLAIMS);
    let named: Vec<String> = unsound_supports
        .iter()
        .take(MAX_UNSOUND)
        .map(|one| {
            let instance = match decomposition.worlds().len() {
                1 => String::new(),
                _ => format!(" in instance {:?}", one.instance),
            };
            format!("support {:?} of `{}`{instance}", one.support, one.claim)
        })
        .collect();
    let more_supports = if unsound_supports.len() > MAX_UNSOUND {
        " and others"
    } else {
        ""
    };
    let consequence = if protocol
        .protocol_parameters()
        .warrants()
        .allows_support_disputes()
    {
        "Bob may dispute the step from the subclaims to the claim (`warrants: Challenge`)"
    } else {
        "a liar who uses one can gain against a Bob who knows every truth, unless Bob may dispute \
         the step (`warrants: Challenge`)"
    };
    (!named.is_empty()).then(|| {
        format!(
            "unsound supports, from which the claim need not follow: {support_names}{more_supports}; {consequence}",
            support_names = named.join(", ")
        )
    })
}

/// Returns a warning if some leaves read proof bits that the prover writes.
fn proof_bit_warning(setup: &LoadedScenario, protocol: &Protocol) -> Option<String> {
    let leaf = first_leaf_with_proof_bits(&setup.decomposition, &setup.oracle, MAX_CLAIMS)?;
    let mend = match protocol {
        Protocol::ProverEstimator(_) => {
            "; PE Figure 2 requires that the claim determines the machine"
        }
        _ => "",
    };
    Some(format!(
        "`{leaf}` reads bits that Alice writes, so an Alice who calls a true claim false can spoil them \
         (Errata 6){mend}"
    ))
}

fn prover_estimator(
    report: &mut ScenarioCheckReport,
    setup: &LoadedScenario,
    parameters: &ProverEstimatorParameters,
    instance: &Instance,
    form: ReportNumberFormat,
) {
    let epsilon = &parameters.epsilon.0;
    let rho = &parameters.rho.0;
    let promise =
        CompletenessLemma::for_scenario(setup, parameters, &scenario_judge(setup), MAX_CLAIMS);
    let survey = &promise.survey;
    let stable = survey.is_stable();
    let worst = survey.worst.as_ref();
    let evidence = setup.decomposition.as_stable();
    let least = match (stable, evidence) {
        (Some(false), _) | (_, Some(_)) => {
            copies_for_supports(&survey.supports, epsilon, &survey.allowed)
        }
        _ => None,
    };
    let copies = least.filter(|_| stable == Some(false));
    let copied = evidence
        .map_or(1, StableProblem::evidence_copies_per_subclaim)
        .max(1);
    let inputs = u64::from(instance.size().width / copied);
    let ratio = parameters.weight_ratio_to_next_round();
    let depth = instance.size().depth;
    let needed = copies_required_by_proof((epsilon, rho), &power(&ratio, depth + 1), inputs);
    // The stability of the checked instance itself; `None` if it is unknown.
    let here = survey
        .stable_in
        .get(instance.world_index())
        .copied()
        .flatten();
    let report_number = |value: &Exact| DecimalOrFractionNumber::new(value, form);
    let printed = evidence_copies_by_printed_formulas(epsilon, inputs);
    report.stability = Some(StabilityReport {
        epsilon: report_number(epsilon),
        rho: report_number(rho),
        stable,
        worst_claim: worst.map(|worst| worst.claim.clone()),
        worst_deviation: worst.map_or_else(
            || report_number(&Exact::zero()),
            |worst| report_number(&worst.deviation),
        ),
        allowed: report_number(&survey.allowed),
        worst_instance: worst.map(|worst| worst.instance.clone()),
        share: report_number(&survey.stable),
        copies,
        copies_needed: needed,
        instance_stable: here,
        evidence: evidence.map(|evidence| EvidenceReport {
            inputs,
            copies: evidence.evidence_copies_per_subclaim(),
            copies_printed: printed.map(|[_, second]| second),
            copies_printed_first: printed.map(|[first, _]| first),
            copies_needed: needed,
            copies_least: least,
            width: instance.size().width,
            pieces: JsonCount::from(&pieces_per_claim(evidence, instance)),
            theorem_is_for_this_rho: theorem_covers(rho),
            errors: evidence_errors(setup, parameters, report_number),
        }),
    });
    if let (Some(worst), Some(false)) = (worst, stable) {
        report.unstable = Some(instability_reason(worst, epsilon, &survey.allowed));
        report.mend = Some(stability_advice(copies, needed, theorem_covers(rho)));
    }
    report.provable = Some(report_number(&survey.provable));
    report.judge_error_allowed = promise.judge_error_allowed_by_lemma().map(report_number);
    report.bounds.completeness = promise.honest_payoff_bound().map(report_number);
    report.bounds.soundness_offset = Some(report_number(&soundness_offset(epsilon, &ratio, depth)));
    let most = &mut report.bounds.most;
    most.insert("bits_read".to_owned(), survey.bits_read as u64);
    report.warnings.extend(completeness_warnings(survey));
    report.completeness_hypotheses = promise.hypotheses;
    if parameters.carry == CarriedEstimateKind::Marginal {
        report.warnings.push(
            "`carry: Marginal` is our variant and fails (Errata 2): honest Alice can earn less than \
             her bound although every support is stable, for example on a majority of three true \
             claims, two of which err together"
                .to_owned(),
        );
    }
}

/// Returns the number of pieces of evidence for a claim at the greatest depth: s = κ^d.
fn pieces_per_claim(evidence: &StableProblem, instance: &Instance) -> BigUint {
    BigUint::from(evidence.evidence_copies_per_subclaim()).pow(instance.size().depth)
}

/// Explains in words why a decomposition is not stable: "an error of 0.25 in one of 4 subclaims moves the probability
/// of `root` by 0.25, more than 0.125".
fn instability_reason(worst: &LeastStableSupport, epsilon: &Exact, allowed: &Exact) -> String {
    let few = |value: &Exact| format_rounded(value.to_float(), 4);
    let error = few(epsilon);
    let errors_move = match (worst.moved, worst.width) {
        (1, 1) => format!("an error of {error} in its only subclaim moves"),
        (1, width) => format!("an error of {error} in one of {width} subclaims moves"),
        (moved, width) if moved == width => {
            format!("errors of {error} in all {width} subclaims together move")
        }
        (moved, width) => {
            format!("errors of {error} in {moved} of {width} subclaims together move")
        }
    };
    format!(
        "{errors_move} the probability of `{claim}` by {change}, more than {allowed}",
        claim = worst.claim,
        change = few(&worst.deviation),
        allowed = few(allowed)
    )
}

/// True if PE Theorem 8.3 is proved for this value of ρ.
fn theorem_covers(rho: &Exact) -> bool {
    *rho == Exact::ratio(1, 2)
}

/// Returns advice on the number of independent pieces of evidence that would make a decomposition stable. `is_half` is
/// true if ρ is 1/2.
fn stability_advice(copies: Option<u64>, needed: Option<u64>, is_half: bool) -> String {
    let by_trying = copies.map_or_else(
        || "more independent pieces of evidence for each subclaim than the search tries".to_owned(),
        |copies| format!("a majority of {copies} independent pieces of evidence for each subclaim"),
    );
    let by_theorem = match needed {
        Some(needed) if is_half => format!("the proof of PE Theorem 8.3 requires {needed} pieces"),
        Some(needed) => format!(
            "the proof of PE Theorem 8.3, which is for ρ = 1/2, requires {needed} pieces if this ρ replaces 1/2"
        ),
        None => "ε is too close to 1/2 for the bound in the proof of PE Theorem 8.3".to_owned(),
    };
    format!("{by_trying}; {by_theorem}")
}

/// Returns warnings with the reasons, except instability, for which the bound on honest Alice's payoff fails or is
/// uncertain.
fn completeness_warnings(survey: &StabilitySurvey) -> Vec<String> {
    let mut remarks = Vec::new();
    if !survey.complete {
        remarks.push(format!(
            "only the first {MAX_CLAIMS} claims were examined; stability and provability cover only these claims"
        ));
    }
    if survey.undecided {
        remarks.push(
            "some claims cannot be decided, so it is unknown whether the whole decomposition is \
             stable and provable"
                .to_owned(),
        );
    }
    if let Some(claim) = &survey.unsupported {
        remarks.push(format!(
            "`{claim}` has no sound support, so honest Alice cannot defend its truth, and no bound \
             on her payoff is promised"
        ));
    }
    match &survey.oracle_error {
        Some(error) if *error > survey.allowed => remarks.push(format!(
            "the oracle errs on some leaf with probability {}; honest Alice's bound allows at most \
             {}",
            format_rounded(error.to_float(), 4),
            format_rounded(survey.allowed.to_float(), 4)
        )),
        _ => {}
    }
    remarks
}

/// Adds bounds on the Lipschitz constant K and on expected queries to the report, with numbers of repeated debates.
/// Adds warnings if the protocol or the scenario states a smaller K.
fn stochastic(
    report: &mut ScenarioCheckReport,
    parameters: &stochastic::StochasticProtocolParameters,
    instance: &Instance,
    form: ReportNumberFormat,
) {
    let Some(process) = instance.random_computation() else {
        return;
    };
    let least = lipschitz_bounds(process.as_ref());
    let oracle_steps = (0..process.steps()).filter(|step| process.is_oracle(*step));
    let oracle_steps = oracle_steps.count();
    let claimed = process.claimed_lipschitz();
    let k = &parameters.k.0;
    let report_number = |value: &Exact| DecimalOrFractionNumber::new(value, form);
    report.lipschitz = Some(LipschitzReport {
        low: report_number(&least.low),
        high: report_number(&least.high),
        claimed: claimed.as_ref().map(report_number),
        k: report_number(k),
        steps: oracle_steps as u64,
    });
    if parameters.constants == SamplingConstants::Formal {
        let queries = expected_query_bound(k, process.debated_steps());
        report.bounds.queries_on_average = Some(queries);
        report.bounds.repetitions = repetition_reports(&Exact::ratio(3, 5));
    }
    let claims = [
        ("the protocol uses", Some(k)),
        ("the scenario claims", claimed.as_ref()),
    ];
    for (protocol_uses_or_scenario_claims, claim) in claims {
        let Some(claim) = claim else { continue };
        let below = |bound: &Exact| !bound.is_zero() && claim < bound;
        let few = |value: &Exact| format_rounded(value.to_float(), 4);
        if below(&least.low) {
            report.warnings.push(format!(
                "{protocol_uses_or_scenario_claims} K = {}, but the result of this computation moves by up to {} times the change \
                 of its oracle, so the theorem's probabilities are not promised",
                few(claim),
                few(&least.low)
            ));
        } else if below(&least.high) {
            report.warnings.push(format!(
                "{protocol_uses_or_scenario_claims} the Lipschitz constant K = {claimed}, which may be too small for this scenario; {enough} is large enough",
                claimed = few(claim),
                enough = few(&least.high)
            ));
        }
    }
}
