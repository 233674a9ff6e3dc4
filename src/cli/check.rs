//! `check`: tests scenarios for validity, and reports their size and guarantees.

use super::errors::print_warning;
use super::flags::{number_format, set_knowledge};
use super::output::{PrintedFormat, print, print_json_line, print_lines};
use super::progress::install_exit_signal_handler;
use super::{CheckArgs, CommandFailure, Result};
use debate_core::budget::ComputationBudget;
use debate_core::protocol::{ProtocolKind, Seat};
use debate_core::text::replace_unsafe_characters;
use debate_solver::expectation::OneOrMany;
use debate_solver::setup::{LoadedScenario, ScenarioLimits, bundled_scenarios};
use debate_theory::check::{
    InvalidScenarioReport, ScenarioCheckReport, ScenarioCheckResult, check as look_at,
};
use debate_theory::in_practice::in_practice;

pub(super) fn run_scenario_check(args: &CheckArgs) -> Result {
    install_exit_signal_handler()?;
    let mut documents = Vec::new();
    let mut failed = false;
    let mut unstable = false;
    let all = bundled_with_estimates();
    let scenarios = match args.scenarios.as_slice() {
        [] => &all,
        named => named,
    };
    for name in scenarios {
        match checked(name, args) {
            Ok(report) => {
                if !args.json {
                    print_lines([format!("{}: valid", replace_unsafe_characters(name))])?;
                    print(&report, PrintedFormat::Page)?;
                }
                unstable |= !report.all_hypotheses_hold();
                documents.push(ScenarioCheckResult::Valid(Box::new(report)));
            }
            Err(error) => {
                failed = true;
                let error = replace_unsafe_characters(&error).into_owned();
                print_warning(&error)?;
                documents.push(ScenarioCheckResult::Invalid(InvalidScenarioReport {
                    ok: false,
                    scenario: name.clone(),
                    error,
                }));
            }
        }
    }
    if args.json {
        print_json_line(&OneOrMany::from(documents))?;
    }
    // The errors have been printed; only the exit code remains.
    match (failed, args.require_stable && unstable) {
        (true, _) => Err(CommandFailure::Reported),
        (false, true) => Err(CommandFailure::No),
        (false, false) => Ok(()),
    }
}

fn checked(name: &str, args: &CheckArgs) -> Result<ScenarioCheckReport, String> {
    let read = || -> Result<_> {
        // The report includes the notes on the scenario's files.
        let mut setup = LoadedScenario::find_scenario(name, &args.limits.limits())
            .map_err(CommandFailure::from_input_error)?;
        let knows = args.prover_knows.as_deref();
        let queries = args.prover_queries;
        set_knowledge(&mut setup, Seat::Prover, knows, queries)?;
        let protocol = args
            .rules
            .given_or_scenario_rules(&setup, &args.limits.limits())?;
        Ok((setup, protocol))
    };
    let (setup, protocol) = read().map_err(|error| error.to_string())?;
    let form = number_format(args.exact);
    let mut report = look_at(&setup, &protocol, form)?;
    if args.in_practice {
        let found = in_practice(&setup, &protocol, form, ComputationBudget::default());
        report.in_practice = Some(found.map_err(|error| format!("{name}: {error}"))?);
    }
    Ok(report)
}

/// Returns the names of the bundled scenarios under prover-estimator debate in which no player writes claims.
fn bundled_with_estimates() -> Vec<String> {
    let named = bundled_scenarios().into_iter().filter(|one| {
        let setup = LoadedScenario::find_scenario(one.name, &ScenarioLimits::default());
        one.protocol == ProtocolKind::ProverEstimator
            && setup.is_ok_and(|setup| setup.decomposition.as_open().is_none())
    });
    named.map(|one| one.name.to_owned()).collect()
}
