//! The file of a match: who plays against whom, about what, by which rules and how often.

use std::fs::File;
use std::path::{Path, PathBuf};

use num_traits::Signed as _;
use ron::value::RawValue;
use serde::Deserialize;
use thiserror::Error;

use crate::record::CostSum;
use crate::setup::{MapEntries, read_at_most, ron_options};
use debate_core::number::{Exact, parse};
use debate_core::text::counted;

/// The version of the form.
const FORMAT: u32 = 1;
/// The most bytes of a plan.
const MAX_FILE: u64 = 1 << 20;
/// The most debates about one instance between the same players.
pub const MAX_DEBATES: u64 = 1_000_000;

/// A match as it is to be played. What is left out is as the scenario says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatchPlan {
    pub title: Option<String>,
    /// Names of bundled scenarios and paths of files.
    pub scenarios: Vec<String>,
    /// The rules to compare; the scenario's own where there are none.
    pub conditions: Vec<MatchCondition>,
    /// Provers, opponents and judges by name: everybody plays with everybody.
    pub players: [Vec<String>; 3],
    /// Instances by name, or `all` alone.
    pub instances: Vec<String>,
    /// True to debate each open question a second time with its answers in the other order.
    pub both_orders: bool,
    /// True if no seat is told what the scenario is about, and a judge not by which rules is played.
    pub blind: bool,
    /// Where all coins come from.
    pub seed: Option<String>,
    /// How many debates under the seed about each instance, between the same players.
    pub debates: u64,
    pub caps: CostCaps,
}

/// Rules under a name of the plan's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchCondition {
    pub name: String,
    /// As a scenario writes them, in RON.
    pub protocol: String,
}

/// How much the replies of a match may cost; no more is asked once one of these is reached.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default, rename = "caps")]
pub struct CostCaps {
    /// Calls of a model.
    pub calls: Option<u64>,
    /// Tokens, in and out.
    pub tokens: Option<u64>,
    /// US dollars, as a decimal number or a fraction.
    pub usd: Option<String>,
}

impl CostCaps {
    /// The cap that is reached, in words.
    pub fn reached(&self, spent: &CostSum) -> Option<String> {
        if let Some(most) = self.calls.filter(|most| spent.calls >= *most) {
            let calls = counted(spent.calls, "call", "calls");
            return Some(format!("{calls} of at most {most}"));
        }
        if let Some(most) = self.tokens.filter(|most| spent.tokens() >= *most) {
            let tokens = counted(spent.tokens(), "token", "tokens");
            return Some(format!("{tokens} of at most {most}"));
        }
        let usd = self.usd.as_deref()?;
        let most: Exact = parse(usd).ok()?;
        (spent.dollars() >= most).then(|| format!("{} US dollars of at most {usd}", spent.usd()))
    }

    /// True if there is one.
    pub fn any(&self) -> bool {
        *self != Self::default()
    }
}

/// Why a plan cannot be used.
#[derive(Debug, Error)]
pub enum MatchPlanError {
    #[error("{}: {error}", path.display())]
    Unreadable {
        path: PathBuf,
        error: std::io::Error,
    },
    #[error("{}: a plan has at most {MAX_FILE} bytes", .0.display())]
    TooLarge(PathBuf),
    #[error("{}: {what}", path.display())]
    Malformed { path: PathBuf, what: String },
}

#[derive(Deserialize)]
#[serde(rename = "Match", deny_unknown_fields)]
struct RonMatch<'f> {
    format: u32,
    title: Option<String>,
    scenarios: Vec<String>,
    #[serde(borrow, default)]
    conditions: MapEntries<&'f RawValue>,
    #[serde(default)]
    provers: Vec<String>,
    #[serde(default)]
    opponents: Vec<String>,
    #[serde(default)]
    judges: Vec<String>,
    #[serde(default)]
    instances: Vec<String>,
    #[serde(default)]
    both_orders: bool,
    #[serde(default)]
    blind: bool,
    seed: Option<String>,
    #[serde(default = "one")]
    debates: u64,
    #[serde(default)]
    caps: CostCaps,
}

fn one() -> u64 {
    1
}

impl MatchPlan {
    /// Reads a plan. Scenario files that stand beside it are found there.
    ///
    /// # Errors
    /// If it cannot be read, or is no plan.
    pub fn read(path: &Path) -> Result<Self, MatchPlanError> {
        let unreadable = |error| MatchPlanError::Unreadable {
            path: path.to_owned(),
            error,
        };
        let file = File::open(path).map_err(unreadable)?;
        let bytes = read_at_most(file, MAX_FILE).map_err(unreadable)?;
        if bytes.len() as u64 > MAX_FILE {
            return Err(MatchPlanError::TooLarge(path.to_owned()));
        }
        let malformed = |what: String| MatchPlanError::Malformed {
            path: path.to_owned(),
            what,
        };
        let text = std::str::from_utf8(&bytes).map_err(|error| malformed(error.to_string()))?;
        let mut plan = Self::parse(text).map_err(malformed)?;
        let folder = path.parent().unwrap_or_else(|| Path::new(""));
        for scenario in &mut plan.scenarios {
            let beside = folder.join(&*scenario);
            if beside.is_file() {
                *scenario = beside.display().to_string();
            }
        }
        Ok(plan)
    }

    /// Reads the text of a plan. An error says what is wrong, and where.
    fn parse(text: &str) -> Result<Self, String> {
        let read: RonMatch<'_> = ron_options()
            .from_str(text)
            .map_err(|error| error.to_string())?;
        if read.format != FORMAT {
            return Err(format!(
                "this is format {}; this version reads format {FORMAT}",
                read.format
            ));
        }
        let conditions = read.conditions.0.into_iter();
        let plan = Self {
            title: read.title,
            scenarios: read.scenarios,
            conditions: conditions
                .map(|(name, rules)| MatchCondition {
                    name,
                    protocol: rules.get_ron().trim().to_owned(),
                })
                .collect(),
            players: [read.provers, read.opponents, read.judges],
            instances: read.instances,
            both_orders: read.both_orders,
            blind: read.blind,
            seed: read.seed,
            debates: read.debates,
            caps: read.caps,
        };
        plan.check()?;
        Ok(plan)
    }

    /// Says what is wrong with it, as a sentence without a full stop.
    ///
    /// # Errors
    /// If a number is out of its range, or a name stands twice.
    pub fn check(&self) -> Result<(), String> {
        if !(1..=MAX_DEBATES).contains(&self.debates) {
            return Err(format!("`debates` is a number from 1 to {MAX_DEBATES}"));
        }
        let names: Vec<&str> = self.conditions.iter().map(|it| it.name.as_str()).collect();
        if let Some(twice) = twice(&names) {
            return Err(format!("two conditions are called {twice:?}; rename one"));
        }
        let money = self.caps.usd.as_deref().map(parse);
        match money {
            None => Ok(()),
            Some(Ok(usd)) if !usd.is_negative() => Ok(()),
            Some(_) => Err("`usd` is no amount of money; write one such as \"0.50\"".to_owned()),
        }
    }
}

/// A name that stands twice.
fn twice<'n>(names: &[&'n str]) -> Option<&'n str> {
    let mut places = names.iter().enumerate();
    let found = places.find(|(place, name)| names.iter().take(*place).any(|other| other == *name));
    found.map(|(_, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_read_and_what_is_wrong_with_it_is_said() {
        let plan = MatchPlan::parse(
            "Match(format: 1, scenarios: [\"lighthouse\"], provers: [\"quoter\"], both_orders: true,\n\
             conditions: {\"debate\": Speeches(rounds: 2), \"judge alone\": Speeches(rounds: 0)},\n\
             seed: \"7\", debates: 3, caps: (calls: 10, usd: \"0.5\"))",
        );
        let plan = plan.unwrap();
        assert_eq!(plan.conditions[1].protocol, "Speeches(rounds: 0)");
        assert_eq!((plan.debates, plan.both_orders), (3, true));
        assert_eq!(plan.players[0], ["quoter"]);
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
        ] {
            let said = MatchPlan::parse(text).unwrap_err();
            assert!(said.contains(why), "{text}: {said}");
        }
    }

    #[test]
    fn a_cap_is_reached_by_calls_tokens_or_money() {
        let mut spent = CostSum::default();
        let caps = |calls, tokens, usd: Option<&str>| CostCaps {
            calls,
            tokens,
            usd: usd.map(str::to_owned),
        };
        assert_eq!(caps(Some(1), Some(1), Some("0.1")).reached(&spent), None);
        spent.add(&crate::record::Cost {
            calls: 2,
            tokens_in: 3,
            tokens_out: 4,
            usd: Some("0.25".to_owned()),
            ..Default::default()
        });
        assert_eq!(caps(Some(3), Some(8), Some("0.26")).reached(&spent), None);
        for reached in [
            caps(Some(2), None, None),
            caps(None, Some(7), None),
            caps(None, None, Some("1/4")),
        ] {
            assert!(reached.reached(&spent).is_some(), "{reached:?}");
        }
    }
}
