//! `check`: whether scenarios are valid, how large, and what the theorems promise on them.

mod theorems;

use std::io::{self, Write as _};

use num_bigint::BigUint;
use num_traits::ToPrimitive as _;
use serde_json::{Value, json};

use super::figures::Form;
use super::{CheckArgs, Failure, print_json};
use debate_core::number::short;
use debate_core::player::prover_estimator::slow;
use debate_core::protocol::{Bound, Kind, Protocol, called, queries};
use debate_core::scenario::{Blind, Instance};
use debate_core::text::safe;
use debate_lab::setup::Setup;

/// How many instances have their truths listed.
const MAX_LISTED: usize = 1000;

pub(super) fn check(args: &CheckArgs) -> Result<(), Failure> {
    let mut documents = Vec::new();
    let mut failed = false;
    let mut unstable = false;
    for name in &args.scenarios {
        match checked(name, args) {
            Ok(document) => {
                if !args.json {
                    print(name, &document)?;
                }
                unstable |= document["stability"]["stable"] != json!(true);
                documents.push(document);
            }
            Err(error) => {
                failed = true;
                let error = safe(&error).into_owned();
                writeln!(io::stderr(), "debate-tui: {error}")?;
                documents.push(json!({"ok": false, "scenario": name, "error": error}));
            }
        }
    }
    if args.json {
        let document = match documents.len() {
            1 => documents.remove(0),
            _ => Value::Array(documents),
        };
        print_json(&document)?;
    }
    // What is wrong has been said; the code alone is left to give.
    match (failed, args.require_stable && unstable) {
        (true, _) => Err(Failure::Told),
        (false, true) => Err(Failure::No),
        (false, false) => Ok(()),
    }
}

fn checked(name: &str, args: &CheckArgs) -> Result<Value, String> {
    let limits = args.limits.limits();
    let setup = Setup::find(name, &limits).map_err(|error| error.to_string())?;
    let protocol = args.rules.of(&setup, &limits);
    let protocol = protocol.map_err(|error| error.to_string())?;
    let decomposition = &setup.decomposition;
    let worlds = decomposition.worlds();
    let asked = setup.instance.as_ref();
    let world = asked.and_then(|name| worlds.iter().position(|world| world.name == *name));
    let world = world.unwrap_or(0);
    let size = decomposition.size(world);
    let truth = |world: usize| json!(decomposition.truth(&decomposition.root(world), world));
    let mut warnings = Vec::new();
    let truths = match worlds.len() {
        1 => truth(0),
        count if count > MAX_LISTED => {
            warnings.push(format!(
                "of {count} instances only the first {MAX_LISTED} truths are listed"
            ));
            (0..MAX_LISTED).map(truth).collect()
        }
        count => (0..count).map(truth).collect(),
    };
    if let Some((open, _)) = decomposition.as_open() {
        warnings.push(format!(
            "open: Alice writes the subclaims, so nobody can tell beforehand whether it is true, \
             stable or provable, and honest Alice's bound is not promised; she splits claims up \
             to {} levels deep, in up to {} parts each, and people judge",
            open.depth, open.width
        ));
    } else if !decomposition.is_decidable(world) {
        warnings.push(
            "some claims cannot be decided here: players that need every truth are refused"
                .to_owned(),
        );
    }
    protocol
        .suits(decomposition.as_ref())
        .map_err(|misfit| format!("{}: {misfit}", setup.origin))?;
    let instance = setup.instance(world);
    let form = if args.exact {
        Form::Fraction
    } else {
        Form::Decimal
    };
    let theorems = theorems::theorems(&setup, &protocol, &instance, form);
    warnings.extend(theorems.warnings);
    if protocol.conditions().has_estimator() {
        warnings.extend(slow(&Blind::new(&instance)).into_iter().map(|(name, takes)| {
            format!(
                "{name} as Bob takes about {} s for a reply here, and the screen stands still for \
                 as long; a smaller scenario or another player does not",
                short(takes.as_secs_f64(), 1)
            )
        }));
    }
    let mut bounds = bounds(&protocol.conditions().bounds(&instance));
    if let Some(bounds) = bounds.as_object_mut() {
        bounds.extend(theorems.bounds);
    }
    let reward_ratio = protocol.reward_ratio().map(|ratio| form.number(&ratio));
    Ok(json!({
        "ok": true,
        "title": setup.title,
        "protocol": protocol.kind().name(),
        "parameters": protocol.to_string(),
        "problem": setup.problem,
        "instance": worlds[world].name,
        "truth": truths,
        "instances": worlds.len(),
        "claim": instance.text(instance.root()),
        "claim_true": decomposition.truth(&decomposition.root(world), world),
        "drawn": setup.instance.is_none() && worlds.len() > 1,
        "splits": decomposition.has_claims(),
        "open": instance.open().map(|open| json!({"depth": open.depth, "width": open.width})),
        "claims": count(&size.claims),
        "leaves": count(&size.leaves),
        "depth": size.depth,
        "width": size.width,
        "reward_ratio": reward_ratio,
        "stability": theorems.stability,
        "unstable": theorems.unstable,
        "mend": theorems.mend,
        "provable": theorems.provable,
        "judge_error_allowed": theorems.judge_error_allowed,
        "lipschitz": theorems.lipschitz,
        "bounds": bounds,
        "query_bounds": query_bounds(&instance, &protocol),
        "warnings": warnings,
    }))
}

/// The most that is spent, by what is spent.
fn bounds(bounds: &[Bound]) -> Value {
    bounds
        .iter()
        .map(|bound| (bound.what.to_owned(), json!(bound.most)))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

/// What every protocol promises that can be played here, and what none can beat.
fn query_bounds(instance: &Instance, protocol: &Protocol) -> Value {
    let promises = queries::promises(instance, protocol)
        .into_iter()
        .map(|promise| {
            let mut row = bounds(&promise.bounds);
            row["protocol"] = json!(promise.protocol);
            let sources: Vec<_> = promise.bounds.iter().map(|bound| bound.source).collect();
            row["sources"] = json!(sources);
            row
        });
    let laws = queries::laws(instance).into_iter();
    let laws =
        laws.map(|law| json!({"about": law.about, "bits_read": law.bits, "sources": [law.source]}));
    promises.chain(laws).collect()
}

/// A count as a JSON number, or as a string of digits where it is longer than one can be.
fn count(count: &BigUint) -> Value {
    count
        .to_u64()
        .map_or_else(|| json!(count.to_string()), |count| json!(count))
}

fn print(name: &str, document: &Value) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let field = |name: &str| match &document[name] {
        Value::String(text) => safe(text).into_owned(),
        other => other.to_string(),
    };
    writeln!(out, "{}: valid", safe(name))?;
    writeln!(out, "  {} ({})", field("title"), field("problem"))?;
    writeln!(out, "  protocol   {}", field("parameters"))?;
    // An argument without worlds has one instance, called by nothing but a number.
    if document["instances"] != json!(1) {
        let which = if document["drawn"] == json!(true) {
            "the seed draws one, below is"
        } else {
            "the scenario takes"
        };
        let (many, instance) = (field("instances"), field("instance"));
        writeln!(out, "  instances  {many}; {which} {instance}")?;
    }
    let truth = match document["claim_true"].as_bool() {
        Some(true) => "true",
        Some(false) => "false",
        None => "undecided: nobody can tell here whether it is true",
    };
    writeln!(out, "  claim      {}", field("claim"))?;
    writeln!(out, "  truth      {truth}")?;
    writeln!(out, "  parts      {}", parts(document))?;
    for line in promised(document) {
        writeln!(out, "  {}", safe(&line))?;
    }
    for row in document["query_bounds"].as_array().into_iter().flatten() {
        if let Some(line) = bound(row) {
            writeln!(out, "  {line}")?;
        }
    }
    for warning in document["warnings"].as_array().into_iter().flatten() {
        writeln!(out, "  warning    {}", warning.as_str().unwrap_or_default())?;
    }
    Ok(())
}

/// Whether the instance at hand is stable, where that is not so of all of them.
fn of_this_instance(document: &Value) -> Option<String> {
    let stability = &document["stability"];
    let own = stability["instance_stable"].as_bool()?;
    let differs = stability["stable"].as_bool() != Some(own);
    let name = document["instance"].as_str().unwrap_or_default();
    let is = if own { "is stable" } else { "is not" };
    differs.then(|| format!("           that is over all instances; {name:?} by itself {is}"))
}

/// How the evidence of a decomposition that is made stable is counted.
fn evidence(evidence: &Value) -> Vec<String> {
    if evidence.is_null() {
        return Vec::new();
    }
    let said = |name: &str| match &evidence[name] {
        Value::Null => "no number".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    vec![
        format!(
            "evidence   κ = {} for each of w = {} subclaims: q = {} in a support, s = κ^d = {} for \
             a claim",
            said("copies"),
            said("inputs"),
            said("width"),
            said("pieces")
        ),
        format!(
            "           by exact search κ = {} is enough; the proof of PE Theorem 8.3 takes {}, \
             printed is {}",
            said("copies_least"),
            said("copies_needed"),
            said("copies_printed")
        ),
    ]
}

/// What the theorems ask and promise, line by line.
fn promised(document: &Value) -> Vec<String> {
    let number = |value: &Value| {
        let fraction = value.as_str().map(str::to_owned);
        fraction.unwrap_or_else(|| short(value.as_f64().unwrap_or_default(), 4))
    };
    let mut lines = Vec::new();
    let stability = &document["stability"];
    if !stability.is_null() {
        let verdict = match stability["stable"].as_bool() {
            Some(true) => "yes, ",
            Some(false) => "no: ",
            None => "not known; ",
        };
        let why = document["unstable"].as_str().map_or_else(
            || {
                format!(
                    "a support moves by at most {} where {} is allowed",
                    number(&stability["worst_deviation"]),
                    number(&stability["allowed"])
                )
            },
            str::to_owned,
        );
        lines.push(format!("stable     {verdict}{why}"));
        if let Some(own) = of_this_instance(document) {
            lines.push(own);
        }
        lines.extend(evidence(&stability["evidence"]));
        if let Some(mend) = document["mend"].as_str() {
            lines.push(format!("it takes   {mend}"));
        }
        lines.push(format!(
            "provable   with probability {}",
            number(&document["provable"])
        ));
        let bounds = &document["bounds"];
        let if_stable = match stability["stable"].as_bool() {
            Some(true) => "",
            _ => " where it is stable",
        };
        lines.push(format!(
            "promised   honest Alice expects at least {}{if_stable} (PE Lemma A.5)",
            number(&bounds["completeness"])
        ));
        lines.push(format!(
            "judge      may be wrong with probability {} for that",
            number(&document["judge_error_allowed"])
        ));
    }
    let lipschitz = &document["lipschitz"];
    if !lipschitz.is_null() {
        let (low, high) = (number(&lipschitz["low"]), number(&lipschitz["high"]));
        let k = if low == high {
            low
        } else {
            format!("between {low} and {high}")
        };
        let most = &document["bounds"]["queries_on_average"];
        if !most.is_null() {
            let of = |who: &str| short(most[who].as_f64().unwrap_or(f64::NAN), 3);
            lines.push(format!(
                "promised   on average at most {} queries by Alice, {} by Bob, {} by the verifier \
                 (DE Theorem 6.2, machine-checked)",
                of("alice"),
                of("bob"),
                of("verifier")
            ));
        }
        lines.push(format!(
            "K          {k}: how much the answer moves for a small move of the oracle"
        ));
    }
    lines
}

/// How large the tree of claims is, where there is one.
fn parts(document: &Value) -> String {
    if document["splits"] != json!(true) {
        return "the claim is not split into others here".to_owned();
    }
    let field = |name: &str| match &document[name] {
        Value::String(digits) => digits.clone(),
        other => other.to_string(),
    };
    if !document["open"].is_null() {
        return format!(
            "{} listed, the others are written in play; depth {}, width {}",
            match document["claims"].as_u64() {
                Some(1) => "1 claim".to_owned(),
                _ => format!("{} claims", field("claims")),
            },
            field("depth"),
            field("width")
        );
    }
    format!(
        "{} claims, of them {} leaves; depth {}, width {}",
        field("claims"),
        field("leaves"),
        field("depth"),
        field("width")
    )
}

/// What a protocol promises, or a law says, in a line.
fn bound(row: &Value) -> Option<String> {
    let sources = row["sources"].as_array()?;
    let sources: Vec<_> = sources.iter().filter_map(Value::as_str).collect();
    if let Some(about) = row["about"].as_str() {
        // That at least 0 bits are read goes without saying.
        let bits = row["bits_read"].as_u64().filter(|bits| *bits > 0)?;
        return Some(format!(
            "law        {about} {bits} bits ({})",
            sources.join(", ")
        ));
    }
    let example = row["protocol"].as_str()?;
    let protocol = Kind::ALL
        .iter()
        .flat_map(|kind| kind.introduction().examples)
        .find(|known| **known == example)
        .map_or(example, |known| called(known));
    let spent = row.as_object()?.iter();
    let spent: Vec<_> = spent
        .filter_map(|(what, most)| Some((what, most.as_u64()?)))
        .map(|(what, most)| match (what.as_str(), most) {
            ("oracle_queries", 1) => "1 oracle query".to_owned(),
            (what, most) => format!("{most} {}", what.replace('_', " ")),
        })
        .collect();
    if spent.is_empty() {
        return Some(format!("under      {protocol}"));
    }
    let mut sources = sources;
    sources.dedup();
    Some(format!(
        "under      {protocol}: at most {} ({})",
        spent.join(", "),
        sources.join(", ")
    ))
}
