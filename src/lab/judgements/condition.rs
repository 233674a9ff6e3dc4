//! The condition to which a debate belongs in reports: the one that its match or its scenario names, otherwise its
//! players. Debates under different rules belong to different conditions. Exception: several scenarios that name the
//! same condition may have different rules.

use std::collections::BTreeSet;

use super::Judgement;
use debate_core::protocol::Protocol;
use debate_core::scenario::QuoteRule;
use debate_host::record::{SaveHeader, protocol_text_for_save};
use debate_solver::setup::LoadedScenario;

/// The names of the save's tags that separate debates into conditions.
pub mod tags {
    /// The tag with the condition to which a match or an imported study assigns the debate.
    pub const CONDITION: &str = "condition";
    /// The tag with the rules, in the notation of scenario files.
    pub const RULES: &str = "rules";
    /// The tag with the name of the judge.
    pub const JUDGE: &str = "judge";
}

/// The condition to which a debate belongs in reports: a name, and if necessary players, judge and rules.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReportConditionKey {
    /// The condition's name. The other fields distinguish conditions with the same name.
    name: String,
    /// The debaters' names; `None` if the condition's name includes them, or if the scenario names the condition for
    /// all debaters.
    players: Option<String>,
    /// The judge's name; `None` if the scenario names the condition, because reports then combine its judges.
    judge: Option<String>,
    /// The rules; `None` if the scenario names the condition and the debate has the scenario's own rules. Lenient
    /// quotes are listed even then, because older saves of the same scenario have strict quotes.
    rules: Option<String>,
}

/// A judgement with the condition to which its debate belongs. The judgement's field `condition` is not set yet.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgementWithCondition {
    pub judgement: Judgement,
    pub setting: ReportConditionKey,
}

impl ReportConditionKey {
    /// Returns the condition under which reports count the debate of a save: the one that its match or its scenario
    /// names, otherwise its debaters.
    pub(super) fn condition_of_saved_debate(header: &SaveHeader, setup: &LoadedScenario) -> Self {
        let [prover, opponent, judge] = &header.players;
        let players = match &header.protocol {
            Protocol::Speeches(rules) if rules.consultant.is_some() => format!("{prover} alone"),
            _ => format!("{prover} against {opponent}"),
        };
        // The save format of the rules, so that the condition names of older debates do not change.
        let rules = protocol_text_for_save(&header.protocol);
        let own_rules = match &header.protocol {
            Protocol::Speeches(rules) if rules.quote_rule() == QuoteRule::Lenient => {
                Some("quotes: Lenient".to_owned())
            }
            _ => None,
        };
        let of_match = header.tags.get(tags::CONDITION).cloned();
        let of_scenario = setup.tags.get(tags::CONDITION).cloned();
        let is_own = header.protocol == setup.protocol;
        let (name, players, judge, is_own) = match (of_match, of_scenario) {
            (Some(name), _) => (name, Some(players), Some(judge.clone()), false),
            (None, Some(name)) => (name, None, None, is_own),
            (None, None) => (players, None, Some(judge.clone()), false),
        };
        Self {
            name,
            players,
            judge,
            rules: if is_own { own_rules } else { Some(rules) },
        }
    }

    /// Returns the condition's name, followed by the players, judge or rules that distinguish it from other conditions
    /// of the same name.
    fn full_name(&self, all: &BTreeSet<Self>) -> String {
        let same = || all.iter().filter(|other| other.name == self.name);
        let tells = |part: fn(&Self) -> &Option<String>| {
            let differs = same().any(|other| part(other) != part(self));
            part(self).as_deref().filter(|_| differs)
        };
        let players = tells(|it| &it.players).map(str::to_owned);
        let judge = tells(|it| &it.judge).map(|judge| format!("judged by {judge}"));
        let rules = tells(|it| &it.rules).map(str::to_owned);
        let name = [Some(self.name.clone()), players, judge, rules];
        name.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

/// Returns the condition for a second judge's judgements: the one that the match names, otherwise the one that the
/// scenario names, otherwise the scenario's title. Unless the match names it, rules other than the scenario's own make
/// it a separate condition.
pub(super) fn condition_of_rejudgements(header: &SaveHeader, setup: &LoadedScenario) -> String {
    if let Some(name) = header.tags.get(tags::CONDITION) {
        return name.clone();
    }
    let name = setup.tags.get(tags::CONDITION).unwrap_or(&setup.title);
    if header.protocol == setup.protocol {
        return name.clone();
    }
    format!("{name}, {}", protocol_text_for_save(&header.protocol))
}

/// Returns the judgements, each with a unique name for its condition.
pub fn give_conditions_unique_names(made: Vec<JudgementWithCondition>) -> Vec<Judgement> {
    let all: BTreeSet<ReportConditionKey> = made.iter().map(|it| it.setting.clone()).collect();
    let named = made.into_iter().map(|made| Judgement {
        condition: made.setting.full_name(&all),
        ..made.judgement
    });
    named.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting(name: &str, parts: [Option<&str>; 3]) -> ReportConditionKey {
        let [players, judge, rules] = parts.map(|part| part.map(str::to_owned));
        ReportConditionKey {
            name: name.to_owned(),
            players,
            judge,
            rules,
        }
    }

    #[test]
    fn names_contain_only_the_distinguishing_settings() {
        let names = |settings: &[ReportConditionKey]| {
            let all = settings.iter().cloned().collect();
            let names = settings.iter().map(|it| it.full_name(&all));
            names.collect::<Vec<_>>()
        };
        let debate = setting(
            "debate",
            [Some("a against b"), Some("j"), Some("two rounds")],
        );
        let alone = setting(
            "judge alone",
            [Some("a against b"), Some("j"), Some("none")],
        );
        assert_eq!(names(&[debate.clone(), alone]), ["debate", "judge alone"]);
        let longer = ReportConditionKey {
            rules: Some("three rounds".to_owned()),
            ..debate.clone()
        };
        let other = ReportConditionKey {
            judge: Some("k".to_owned()),
            ..debate.clone()
        };
        assert_eq!(
            names(&[debate.clone(), longer]),
            ["debate, two rounds", "debate, three rounds"]
        );
        assert_eq!(
            names(&[debate, other]),
            ["debate, judged by j", "debate, judged by k"]
        );
        let own = setting("human debate", [None; 3]);
        let changed = setting("human debate", [None, None, Some("one round")]);
        assert_eq!(
            names(&[own, changed]),
            ["human debate", "human debate, one round"]
        );
    }
}
