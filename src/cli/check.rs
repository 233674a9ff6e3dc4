//! `check`: whether scenarios are valid, how large they are, and what is promised for them.

use std::io::{self, Write as _};

use super::flags::put_knowledge;
use super::output::print_json;
use super::{CheckArgs, Failure};
use debate_core::number::short;
use debate_core::protocol::{Kind, Seat, called};
use debate_core::text::{counted, safe};
use debate_lab::expectation::{NumberFormat, OneOrMany, ReportNumber};
use debate_lab::setup::Setup;
use debate_lab::tell::expense;
use debate_lab::theory::check::{
    CheckFailure, CheckReport, Checked, CheckedJudgeErrors, EvidenceReport, FlawDistribution,
    ProvableBy, QueryBoundReport, check as look_at,
};

pub(super) fn check(args: &CheckArgs) -> Result<(), Failure> {
    let mut documents = Vec::new();
    let mut failed = false;
    let mut unstable = false;
    for name in &args.scenarios {
        match checked(name, args) {
            Ok(report) => {
                if !args.json {
                    print(name, &report)?;
                }
                let stability = report.stability.as_ref();
                unstable |= stability.and_then(|found| found.stable) != Some(true);
                documents.push(Checked::Valid(Box::new(report)));
            }
            Err(error) => {
                failed = true;
                let error = safe(&error).into_owned();
                writeln!(io::stderr(), "debate-tui: {error}")?;
                documents.push(Checked::Invalid(CheckFailure {
                    ok: false,
                    scenario: name.clone(),
                    error,
                }));
            }
        }
    }
    if args.json {
        print_json(&OneOrMany::from(documents))?;
    }
    // What is wrong has been said; the code alone is left to give.
    match (failed, args.require_stable && unstable) {
        (true, _) => Err(Failure::Reported),
        (false, true) => Err(Failure::No),
        (false, false) => Ok(()),
    }
}

fn checked(name: &str, args: &CheckArgs) -> Result<CheckReport, String> {
    let limits = args.limits.limits();
    let mut setup = Setup::find(name, &limits).map_err(|error| error.to_string())?;
    let (knows, queries) = (args.prover_knows.as_deref(), args.prover_queries);
    put_knowledge(&mut setup, Seat::Prover, knows, queries).map_err(|error| error.to_string())?;
    let protocol = args.rules.of(&setup, &limits);
    let protocol = protocol.map_err(|error| error.to_string())?;
    let form = if args.exact {
        NumberFormat::Fraction
    } else {
        NumberFormat::Decimal
    };
    look_at(&setup, &protocol, form)
}

fn print(name: &str, report: &CheckReport) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    writeln!(out, "{}: valid", safe(name))?;
    writeln!(out, "  {} ({})", safe(&report.title), safe(report.problem))?;
    writeln!(out, "  protocol   {}", safe(&report.parameters))?;
    // An argument without worlds has one instance, called by nothing but a number.
    if report.instances != 1 {
        let which = if report.drawn {
            "the seed draws one, below is"
        } else {
            "the scenario takes"
        };
        let (many, instance) = (report.instances, safe(&report.instance));
        writeln!(out, "  instances  {many}; {which} {instance}")?;
    }
    let truth = match report.claim_true {
        Some(true) => "true",
        Some(false) => "false",
        None => "undecided: nobody can tell here whether it is true",
    };
    writeln!(out, "  claim      {}", safe(&report.claim))?;
    writeln!(out, "  truth      {truth}")?;
    writeln!(out, "  parts      {}", parts(report))?;
    for line in promised(report) {
        writeln!(out, "  {}", safe(&line))?;
    }
    for one in &report.soundness_hypotheses {
        let holds = if one.holds == Some(true) { "yes" } else { "no" };
        writeln!(out, "  soundness  takes this: {}: {holds}", one.what)?;
    }
    for standing in &report.statements {
        writeln!(out, "  statement  {}: {}", standing.name, standing.text)?;
    }
    for row in &report.query_bounds {
        if let Some(line) = bound(row) {
            writeln!(out, "  {line}")?;
        }
    }
    for warning in &report.warnings {
        writeln!(out, "  warning    {warning}")?;
    }
    Ok(())
}

/// How the evidence of a decomposition that is made stable is counted.
fn evidence(evidence: &EvidenceReport) -> Vec<String> {
    let said = |number: Option<u64>| {
        number.map_or_else(|| "no number".to_owned(), |number| number.to_string())
    };
    let mut lines = vec![
        format!(
            "evidence   κ = {} for each of w = {} subclaims: q = {} in a support, s = κ^d = {} for \
             a claim",
            evidence.copies, evidence.inputs, evidence.width, evidence.pieces
        ),
        format!(
            "           by exact search κ = {} is enough; the proof of PE Theorem 8.3 takes {}, \
             printed are {} and {}",
            said(evidence.copies_least),
            said(evidence.copies_needed),
            said(evidence.copies_printed_first),
            said(evidence.copies_printed)
        ),
    ];
    let Some(errors) = &evidence.errors else {
        return lines;
    };
    let verdict = if errors.s_supported {
        "s-supported"
    } else {
        "not s-supported"
    };
    lines.push(format!(
        "           a piece is right with probability {} whatever the others say, where PE \
         Definition 8.1 asks for 1 − ε/(4n), {} below 1: {verdict}",
        errors.supported.to_text(),
        errors.allowed.to_text()
    ));
    let [low, high] = errors.wrong.each_ref().map(ReportNumber::to_text);
    let wrong = if low == high {
        low
    } else {
        format!("{low} to {high}")
    };
    lines.push(format!(
        "           what is debated is not what is meant with probability {wrong}; PE Theorem 8.3 \
         allows ε/(4n)"
    ));
    lines
}

/// What somebody can prove who knows less than everything.
fn provable_by(found: &ProvableBy) -> String {
    let who = match found.knows.as_str() {
        "instance" => "whoever has the number, and has it tested,".to_owned(),
        knows => format!("whoever knows {knows} of the instance"),
    };
    let (low, high) = (found.low.to_text(), found.high.to_text());
    let share = if low == high {
        low
    } else {
        format!("{low} to {high}")
    };
    let queries = match found.queries {
        0 => String::new(),
        queries => format!(" and looks up {}", counted(queries, "leaf", "leaves")),
    };
    let over = match found.distribution {
        FlawDistribution::Mu => "over μ",
        FlawDistribution::EvenPlaces => {
            "where the flaw is equally likely in each of its places, which is not μ, and what was \
             not looked up is guessed"
        }
    };
    format!("provable   by {who}{queries}: with probability {share}, {over}")
}

/// How wrong the judge may be between honest Alice and the scenario's own Bob.
fn judge_errors(found: &CheckedJudgeErrors) -> Vec<String> {
    let CheckedJudgeErrors { opponent, errors } = found;
    let first = match &errors.break_even {
        Some([rate, _]) => format!(
            "who flips a share of {} of all answers brings honest Alice to nothing against {opponent}",
            rate.to_text()
        ),
        None => format!(
            "who flips answers at no rate brings honest Alice to nothing against {opponent}"
        ),
    };
    let leaves = errors
        .worst_leaves
        .as_ref()
        .and_then(|leaves| leaves.first());
    let second = leaves.map(|worst| {
        format!(
            "           wrong about `{}`, always, costs her {}, about any leaves at most {}",
            worst.leaf,
            worst.cost.to_text(),
            errors.any_leaves_cost_at_most.to_text()
        )
    });
    std::iter::once(format!("judge      {first}"))
        .chain(second)
        .collect()
}

/// What the theorems ask and promise, line by line.
fn promised(report: &CheckReport) -> Vec<String> {
    let number =
        |figure: Option<&ReportNumber>| figure.map_or_else(|| short(0.0, 4), ReportNumber::to_text);
    let mut lines = Vec::new();
    if let Some(stability) = &report.stability {
        let verdict = match stability.stable {
            Some(true) => "yes, ",
            Some(false) => "no: ",
            None => "not known; ",
        };
        let why = report.unstable.clone().unwrap_or_else(|| {
            format!(
                "a support moves by at most {} where {} is allowed",
                stability.worst_deviation.to_text(),
                stability.allowed.to_text()
            )
        });
        lines.push(format!("stable     {verdict}{why}"));
        // Whether the instance at hand is stable, where that is not so of all of them.
        if let Some(own) = stability.instance_stable
            && stability.stable != Some(own)
        {
            let is = if own { "is stable" } else { "is not" };
            lines.push(format!(
                "           that is over all instances; {:?} by itself {is}",
                report.instance
            ));
        }
        lines.extend(stability.evidence.iter().flat_map(evidence));
        if let Some(mend) = &report.mend {
            lines.push(format!("it takes   {mend}"));
        }
        let provable = number(report.provable.as_ref());
        lines.push(format!("provable   with probability {provable}"));
        lines.extend(report.provable_by.iter().map(provable_by));
        let if_stable = match stability.stable {
            Some(true) => "",
            _ => " where it is stable",
        };
        lines.push(format!(
            "promised   honest Alice expects at least {}{if_stable} (PE Lemma A.5)",
            number(report.bounds.completeness.as_ref())
        ));
        lines.push(format!(
            "judge      may be wrong with probability {} for that",
            number(report.judge_error_allowed.as_ref())
        ));
    }
    if report.stability.is_none() {
        lines.extend(report.provable_by.iter().map(provable_by));
    }
    lines.extend(report.judge_errors.iter().flat_map(judge_errors));
    if let Some(lipschitz) = &report.lipschitz {
        let (low, high) = (lipschitz.low.to_text(), lipschitz.high.to_text());
        let k = if low == high {
            low
        } else {
            format!("between {low} and {high}")
        };
        if let Some(most) = &report.bounds.queries_on_average {
            lines.push(format!(
                "promised   on average at most {} queries by Alice, {} by Bob, {} by the verifier \
                 (DE Theorem 6.2, machine-checked)",
                short(most.alice, 3),
                short(most.bob, 3),
                short(most.verifier, 3)
            ));
        }
        lines.push(format!(
            "K          {k}: how much the answer moves for a small move of the oracle"
        ));
    }
    lines
}

/// How large the tree of claims is, where there is one.
fn parts(report: &CheckReport) -> String {
    if !report.splits {
        return "the claim is not split into others here".to_owned();
    }
    let (depth, width) = (report.depth, report.width);
    let claims = counted(&report.claims, "claim", "claims");
    if report.open.is_some() {
        return format!(
            "{claims} listed, the others are written in play; depth {depth}, width {width}"
        );
    }
    let leaves = counted(&report.leaves, "leaf", "leaves");
    format!("{claims}, of them {leaves}; depth {depth}, width {width}")
}

/// What a protocol promises, or a law says, in a line.
fn bound(row: &QueryBoundReport) -> Option<String> {
    let (protocol, most, sources) = match row {
        // That at least 0 bits are read goes without saying.
        QueryBoundReport::Law { bits_read: 0, .. } => return None,
        QueryBoundReport::Law {
            about,
            bits_read,
            sources: [source],
        } => return Some(format!("law        {about} {bits_read} bits ({source})")),
        QueryBoundReport::Promise {
            protocol,
            most,
            sources,
        } => (protocol, most, sources),
    };
    let protocol = Kind::ALL
        .iter()
        .flat_map(|kind| kind.introduction().examples)
        .find(|known| **known == protocol.as_str())
        .map_or(protocol.as_str(), |known| called(known));
    let spent: Vec<_> = most
        .iter()
        .map(|(kind, most)| expense(kind, most))
        .collect();
    if spent.is_empty() {
        return Some(format!("under      {protocol}"));
    }
    let mut sources = sources.clone();
    sources.dedup();
    Some(format!(
        "under      {protocol}: at most {} ({})",
        spent.join(", "),
        sources.join(", ")
    ))
}
