//! The plan file of a match: players, scenarios, rules and the number of debates.

use std::fs::File;
use std::path::{Path, PathBuf};

use ron::value::RawValue;
use serde::{Deserialize, Deserializer};
use thiserror::Error;

use super::sprt::SprtTest;
use debate_core::text::decode_utf8;
use debate_host::record::TotalCostCaps;
use debate_solver::setup::{MapEntries, read_one_past_limit, ron_options};

/// The version of the format.
const FORMAT: u32 = 1;
/// The maximum size of a match plan's file in bytes.
const MAX_FILE: u64 = 1 << 20;
/// The maximum number of debates that the same players hold about one instance.
pub const MAX_DEBATES: u64 = 1_000_000;

/// The plan of a match. If the plan omits the rules, a seat's players or the instances, each scenario's own are used.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename = "Match", deny_unknown_fields)]
pub struct MatchPlan {
    /// The version of the plan's format: 1.
    pub format: u32,
    pub title: Option<String>,
    /// The scenarios of the match: names of bundled ones and file paths. `set.jsonl` means all questions of a question
    /// set, `set.jsonl#ID` a single one.
    pub scenarios: Vec<String>,
    /// The rules to compare; if empty, the scenario's own rules.
    #[serde(default, deserialize_with = "conditions")]
    pub conditions: Vec<NamedDebateRules>,
    /// The players in the prover's seat. Every prover plays with every opponent and judge.
    #[serde(default)]
    pub provers: Vec<String>,
    #[serde(default)]
    pub opponents: Vec<String>,
    #[serde(default)]
    pub judges: Vec<String>,
    /// The instances to debate, by name, or `all` alone.
    #[serde(default)]
    pub instances: Vec<String>,
    /// True if each question of a free-text debate is also debated with its two answers swapped.
    #[serde(default)]
    pub both_orders: bool,
    /// True if no player sees the scenario's description, and the judge's player does not know the rules.
    #[serde(default)]
    pub blind: bool,
    /// The seed from which all random draws of the match follow.
    pub seed: Option<String>,
    /// The number of debates that the same players hold about each instance.
    #[serde(default = "one")]
    pub debates: u64,
    #[serde(default)]
    pub caps: TotalCostCaps,
    /// A sequential test that stops the match once the test is decided.
    pub sprt: Option<SprtTest>,
}

impl Default for MatchPlan {
    fn default() -> Self {
        Self {
            format: FORMAT,
            title: None,
            scenarios: Vec::new(),
            conditions: Vec::new(),
            provers: Vec::new(),
            opponents: Vec::new(),
            judges: Vec::new(),
            instances: Vec::new(),
            both_orders: false,
            blind: false,
            seed: None,
            debates: one(),
            caps: TotalCostCaps::default(),
            sprt: None,
        }
    }
}

fn one() -> u64 {
    1
}

/// Deserialises a map from names to rules, in the order of the file.
fn conditions<'de, D: Deserializer<'de>>(input: D) -> Result<Vec<NamedDebateRules>, D::Error> {
    let entries = MapEntries::<&RawValue>::deserialize(input)?.0.into_iter();
    let condition = |(name, rules): (String, &RawValue)| NamedDebateRules {
        name,
        protocol: rules.get_ron().trim().to_owned(),
    };
    Ok(entries.map(condition).collect())
}

/// Rules of debate, with the name that the match plan gives them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedDebateRules {
    pub name: String,
    /// The rules in RON, as a scenario file writes them.
    pub protocol: String,
}

/// The reason why a match plan cannot be used.
#[derive(Debug, Error)]
pub enum MatchPlanError {
    #[error("{}: {error}", path.display())]
    Unreadable {
        path: PathBuf,
        error: std::io::Error,
    },
    #[error("{file}: the plan is larger than {MAX_FILE} bytes", file = .0.display())]
    TooLarge(PathBuf),
    #[error("{}: {what}", path.display())]
    Malformed { path: PathBuf, what: String },
}

impl MatchPlan {
    /// Reads a match plan from a file. A relative path of a scenario file is first looked up in the plan's folder.
    ///
    /// # Errors
    /// If the file cannot be read, or is not a plan.
    pub fn read_match_plan(path: &Path) -> Result<Self, MatchPlanError> {
        let owned = || path.to_owned();
        let unreadable = |error| MatchPlanError::Unreadable {
            path: owned(),
            error,
        };
        let file = File::open(path).map_err(unreadable)?;
        let bytes = read_one_past_limit(file, MAX_FILE).map_err(unreadable)?;
        if bytes.len() as u64 > MAX_FILE {
            return Err(MatchPlanError::TooLarge(owned()));
        }
        let malformed = |what: String| MatchPlanError::Malformed {
            path: owned(),
            what,
        };
        let text = decode_utf8(&bytes).map_err(|error| malformed(error.to_string()))?;
        let mut plan = Self::parse(text).map_err(malformed)?;
        let folder = path.parent().unwrap_or_else(|| Path::new(""));
        for scenario in &mut plan.scenarios {
            let neighbour = folder.join(&*scenario);
            let set = scenario.rsplit_once('#').map(|(set, _)| folder.join(set));
            if neighbour.is_file() || set.is_some_and(|set| set.is_file()) {
                *scenario = neighbour.display().to_string();
            }
        }
        Ok(plan)
    }

    /// Returns the names of the players of each seat: provers, opponents, judges.
    pub fn player_names_by_seat(&self) -> [&[String]; 3] {
        [&self.provers, &self.opponents, &self.judges]
    }

    /// Parses the text of a match plan and checks its values. The error gives the reason, and the position if the text
    /// cannot be parsed.
    fn parse(text: &str) -> Result<Self, String> {
        let read = ron_options().from_str(text);
        let plan: Self = read.map_err(|error| error.to_string())?;
        plan.check_plan_values()?;
        Ok(plan)
    }

    /// Checks the plan's values.
    ///
    /// # Errors
    /// If a number is out of its range, or two conditions have the same name. The error is a sentence without a full
    /// stop.
    pub fn check_plan_values(&self) -> Result<(), String> {
        if self.format != FORMAT {
            let given = self.format;
            return Err(format!(
                "the plan has format {given}; this version of the program reads format {FORMAT}"
            ));
        }
        if !(1..=MAX_DEBATES).contains(&self.debates) {
            return Err(format!(
                "the plan's `debates` must be from 1 to {MAX_DEBATES}"
            ));
        }
        let names: Vec<&str> = self.conditions.iter().map(|it| it.name.as_str()).collect();
        if let Some(twice) = twice(&names) {
            return Err(format!(
                "two match conditions have the name {twice:?}; rename one"
            ));
        }
        if let Some(sprt) = self.sprt {
            sprt.check_sprt_numbers()
                .map_err(|why| format!("`sprt`: {why}"))?;
        }
        self.caps.validate_money_cap()
    }
}

/// Returns the first name that occurs twice in a list of names; `None` if all differ.
fn twice<'n>(names: &[&'n str]) -> Option<&'n str> {
    let mut indices = names.iter().enumerate();
    let (_, name) = indices.find(|(index, name)| names[..*index].contains(name))?;
    Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_read_and_its_faults_are_named() {
        let plan = MatchPlan::parse(
            "Match(format: 1, scenarios: [\"lighthouse\"], provers: [\"quoter\"], both_orders: true,\n\
             conditions: {\"debate\": Speeches(rounds: 2), \"judge alone\": Speeches(rounds: 0)},\n\
             seed: \"7\", debates: 3, caps: (calls: 10, usd: \"0.5\"),\n\
             sprt: (elo0: 0, elo1: 50, alpha: 0.05, beta: 0.1))",
        ).unwrap();
        assert_eq!(plan.sprt, Some("0,50,0.05,0.1".parse().unwrap()));
        assert_eq!(plan.conditions[1].protocol, "Speeches(rounds: 0)");
        assert_eq!((plan.debates, plan.both_orders), (3, true));
        assert_eq!(plan.provers, ["quoter"]);
        for (text, why) in [
            ("Match(format: 2, scenarios: [])", "format 2"),
            ("Match(format: 1, scenarios: [], debates: 0)", "`debates`"),
            (
                "Match(format: 1, scenarios: [], caps: (usd: \"lots\"))",
                "`usd`",
            ),
            (
                "Match(format: 1, scenarios: [], conditions: {\"a\": Recursive, \"a\": Recursive})",
                "\"a\"",
            ),
            ("Match(format: 1, scenarios: [], sed: \"7\")", "sed"),
            (
                "Match(format: 1, scenarios: [], sprt: (elo0: 9, elo1: 0, alpha: 0.1, beta: 0.1))",
                "`sprt`: elo0 must be below elo1",
            ),
            (
                "Match(format: 1, scenarios: [], sprt: (elo0: 0, elo1: 9, alpha: 0.1))",
                "beta",
            ),
        ] {
            let said = MatchPlan::parse(text).unwrap_err();
            assert!(said.contains(why), "{text}: {said}");
        }
    }
}
