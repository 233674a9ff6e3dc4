//! The schedule of a match: its list of debates.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::ops::Range;

use super::ratings::{
    MatchRatings, RatedDebate, points_after_seat_exchange, ratings_by_rules_and_judge,
};
use super::sprt::{SprtState, SprtTest};
use super::{
    DebateMatchError, DebateResult, MatchPlan, MatchRunOptions, MatchupReport, MatchupResults,
    NamedDebateRules,
};
use crate::judgements::tags;
use debate_core::digest::Digest;
use debate_core::{Exact, PlayerSpec, Protocol, Seat, Seed};
use debate_host::plan::{
    DebatePlan, DebatePlanError, ExternalPlayerOptions, given_or_scenario_rules, load_player_files,
    players,
};
use debate_host::record::SaveHeader;
use debate_solver::registry;
use debate_solver::setup::LoadedScenario;

/// The word in a match plan that selects all instances of a scenario.
const ALL: &str = "all";

/// A debate of a match.
pub(super) struct MatchDebate {
    matchup: usize,
    /// The index in `plans` of the plan for this debate: its players, rules, scenario and order of the answers.
    plan: usize,
    /// The index of the debated question among the scenario's questions. With `both_orders`, the questions with swapped
    /// answers follow all others, so an index also determines the order of the answers.
    order: usize,
    world: usize,
    number: u64,
    /// The key of the debated instance. Debates with equal keys are about the same instance.
    instance: String,
}

impl MatchDebate {
    /// Returns the values that are equal in two debates which form one game with exchanged seats: number, instance and
    /// index of the question.
    fn subject(&self) -> (u64, &str, usize) {
        (self.number, &self.instance, self.order)
    }
}

/// The debates of a match in the order in which they are played.
pub(super) struct MatchSchedule {
    scenarios: Vec<String>,
    plans: Vec<DebatePlan>,
    /// The matchups of the match, still without results. All debates of a matchup have the same players and condition,
    /// and the same scenario if the matchup names one.
    matchups: Vec<MatchupResults<'static>>,
    pub(super) debates: Vec<MatchDebate>,
    places: HashMap<Digest, usize>,
}

impl MatchSchedule {
    pub(super) fn new(
        plan: &MatchPlan,
        seed: &Seed,
        options: &MatchRunOptions,
    ) -> Result<Self, DebateMatchError> {
        if plan.scenarios.is_empty() {
            let why = "the match has no scenarios; name them in the plan (`scenarios`) or with --scenario";
            return Err(DebateMatchError::Plan(why.to_owned()));
        }
        let mut schedule = Self {
            scenarios: plan.scenarios.clone(),
            plans: Vec::new(),
            matchups: Vec::new(),
            debates: Vec::new(),
            places: HashMap::new(),
        };
        for scenario in &plan.scenarios {
            let setups = LoadedScenario::find_all_scenarios(scenario, &options.limits)
                .map_err(DebatePlanError::from)?;
            schedule.add_scenario(scenario, setups, plan, seed, options)?;
        }
        schedule.check_aliases().map_err(DebateMatchError::Plan)?;
        if plan.sprt.is_some() {
            schedule.order_for_sprt().map_err(DebateMatchError::Plan)?;
        }
        Ok(schedule)
    }

    /// Returns the schedule of debates that were planned individually. Debates of the same condition between the same
    /// players form one matchup.
    pub(super) fn from_planned_debates(debates: Vec<PlannedMatchDebate>) -> Self {
        let mut schedule = Self {
            scenarios: Vec::new(),
            plans: Vec::new(),
            matchups: Vec::new(),
            debates: Vec::new(),
            places: HashMap::new(),
        };
        for PlannedMatchDebate {
            condition,
            mut plan,
        } in debates
        {
            let key = planned_debate_key(&plan);
            let place = schedule.debates.len();
            // The same debate may be listed under two conditions; only the first one counts.
            if schedule.places.contains_key(&key) {
                continue;
            }
            plan.tags = tags_of(&plan, Some(&condition));
            let players = names_for_tables(&plan);
            let mut known = schedule.matchups.iter();
            let known = known.position(|it| it.condition == condition && it.players == players);
            let matchup = known.unwrap_or(schedule.matchups.len());
            if known.is_none() {
                schedule.matchups.push(MatchupResults {
                    scenario: None,
                    condition,
                    players,
                    debates: 0,
                    finished: Vec::new(),
                });
            }
            schedule.places.insert(key, place);
            schedule.debates.push(MatchDebate {
                matchup,
                plan: schedule.plans.len(),
                order: 0,
                world: plan.world,
                number: plan.debate,
                instance: Digest::digest_of_bytes(plan.setup.source.as_bytes()).to_string(),
            });
            schedule.plans.push(plan);
        }
        schedule
    }

    /// Checks that no two players have the same alias.
    fn check_aliases(&self) -> Result<(), String> {
        let mut aliased: BTreeMap<&str, &PlayerSpec> = BTreeMap::new();
        for player in self.plans.iter().flat_map(|plan| &plan.players) {
            let Some(alias) = player.alias_among_options() else {
                continue;
            };
            if *aliased.entry(alias).or_insert(player) != player {
                return Err(format!("two players have the name {alias:?}; rename one"));
            }
        }
        Ok(())
    }

    /// Orders the debates for a sequential test between two players, so that the two debates of a game are consecutive.
    /// Removes debates of a player against itself.
    ///
    /// # Errors
    /// If there are not two players who exchange seats under the same rules and judge.
    fn order_for_sprt(&mut self) -> Result<(), String> {
        let tables = self
            .matchups
            .iter()
            .map(|it| (&it.condition, &it.players[2]));
        let mut seatings: Vec<[&String; 2]> = Vec::new();
        for matchup in &self.matchups {
            let [prover, opponent, _] = &matchup.players;
            if prover != opponent && !seatings.contains(&[prover, opponent]) {
                seatings.push([prover, opponent]);
            }
        }
        let exchanged = match seatings.as_slice() {
            [[a, b], [c, d]] => a == d && b == c,
            _ => false,
        };
        if !exchanged {
            return Err(
                "a sequential test compares two players; name both as provers and both as opponents"
                    .to_owned(),
            );
        }
        if tables.collect::<BTreeSet<_>>().len() > 1 {
            return Err("a sequential test needs a single condition and a single judge".to_owned());
        }
        let matchups = &self.matchups;
        let meets_itself = |debate: &MatchDebate| {
            let [prover, opponent, _] = &matchups[debate.matchup].players;
            prover == opponent
        };
        let places = self.places.drain();
        let mut keys: Vec<(usize, Digest)> = places.map(|(key, place)| (place, key)).collect();
        keys.sort_unstable_by_key(|(place, _)| *place);
        let debates = std::mem::take(&mut self.debates).into_iter().zip(keys);
        let mut kept: Vec<_> = debates
            .filter(|(debate, _)| !meets_itself(debate))
            .collect();
        // Sorted by debate number, then by instance, so that a test that stops early has counted several instances.
        kept.sort_by(|(one, _), (other, _)| one.subject().cmp(&other.subject()));
        for (place, (debate, (_, key))) in kept.into_iter().enumerate() {
            self.debates.push(debate);
            self.places.insert(key, place);
        }
        Ok(())
    }

    /// Returns the state of a sequential test; `None` if the schedule has no debates. Games count in schedule order, up
    /// to the first one without a result. The decision is therefore independent of the number of concurrent debates.
    pub(super) fn sprt_state(
        &self,
        test: SprtTest,
        results: &[Option<DebateResult>],
    ) -> Option<SprtState> {
        let debates = self.rated_debates(results);
        let player = self.matchups.get(self.debates.first()?.matchup)?;
        let [player, other, _] = player.players.each_ref().map(String::as_str);
        let games = debates.chunks_exact(2).map_while(|pair| {
            let (one, two) = (pair[0]?, pair[1]?);
            let points = points_after_seat_exchange(one, two);
            Some(if one.prover == player {
                points
            } else {
                points.map(|points| 1.0 - points)
            })
        });
        Some(test.run_on_game_points([player, other], games.flatten()))
    }

    /// Adds the debates of a scenario, or of all questions of a set, under one name. All `setups` have the same rules
    /// and players.
    fn add_scenario(
        &mut self,
        scenario: &str,
        mut setups: Vec<(String, LoadedScenario)>,
        plan: &MatchPlan,
        seed: &Seed,
        options: &MatchRunOptions,
    ) -> Result<(), DebateMatchError> {
        if plan.both_orders {
            let swapped = setups.iter().map(|(name, setup)| {
                let swapped = setup.with_answers_swapped(&options.limits);
                let swapped = swapped.map_err(DebatePlanError::from)?.ok_or_else(|| {
                    DebateMatchError::Plan(format!(
                        "match plan: `both_orders` needs a question with two answers; {scenario} has no such question"
                    ))
                })?;
                Ok((name.clone(), swapped))
            });
            let swapped: Vec<_> = swapped.collect::<Result<_, DebateMatchError>>()?;
            setups.extend(swapped);
        }
        let Some((_, first)) = setups.first() else {
            return Ok(());
        };
        for (condition, protocol) in conditions(plan, first, options)? {
            for named in seatings(plan, first, &protocol) {
                let matchup = self.matchups.len();
                let names = named.each_ref().map(|name| name.as_deref());
                for (place, (name, setup)) in setups.iter().enumerate() {
                    let mut base = base_plan(setup, &protocol, names, plan, seed, options)?;
                    base.tags = tags_of(&base, (!plan.conditions.is_empty()).then_some(&condition));
                    self.add_debates([matchup, place], name, base, plan)?;
                }
                let players = self.plans.last().map(names_for_tables);
                self.matchups.push(MatchupResults {
                    scenario: Some(scenario.to_owned()),
                    condition: condition.clone(),
                    players: players.unwrap_or_default(),
                    debates: 0,
                    finished: Vec::new(),
                });
            }
        }
        Ok(())
    }

    /// Adds a matchup's debates about one question. `order` is the question's index in the scenario, see
    /// [`MatchDebate`].
    fn add_debates(
        &mut self,
        [matchup, order]: [usize; 2],
        scenario: &str,
        base: DebatePlan,
        plan: &MatchPlan,
    ) -> Result<(), DebateMatchError> {
        let worlds = worlds(&plan.instances, &base.setup)?;
        let place = self.plans.len();
        self.plans.push(base);
        for number in 0..plan.debates {
            let base = &self.plans[place];
            let drawn = || vec![base.setup.world_of_debate(&base.seed, number)];
            for world in worlds.clone().unwrap_or_else(drawn) {
                let name = base.setup.decomposition.worlds()[world].name.clone();
                let key = key_of_plan(base, &name, number);
                let next = self.debates.len();
                // A plan may list the same player twice.
                if self.places.contains_key(&key) {
                    continue;
                }
                self.places.insert(key, next);
                self.debates.push(MatchDebate {
                    matchup,
                    plan: place,
                    order,
                    world,
                    number,
                    instance: format!("{scenario}\n{name}"),
                });
            }
        }
        Ok(())
    }

    /// Restricts the match to a shard: the debates whose indices in the whole match are in `debate_numbers`.
    pub(super) fn restrict_to_debate_range(&mut self, debate_numbers: &Range<u64>) {
        let places = self.places.drain();
        let kept = places.filter(|(_, place)| debate_numbers.contains(&(*place as u64)));
        let first = usize::try_from(debate_numbers.start).unwrap_or(usize::MAX);
        self.places = kept.map(|(key, place)| (key, place - first)).collect();
        let mut number = 0..;
        self.debates.retain(|_| {
            number
                .next()
                .is_some_and(|number| debate_numbers.contains(&number))
        });
    }

    /// Returns the index, in this schedule or shard of it, of the debate whose digest is `key`; `None` if there is no
    /// such debate.
    pub(super) fn debate_index_of_digest(&self, key: &Digest) -> Option<usize> {
        self.places.get(key).copied()
    }

    /// Returns the plan of the debate at index `index`.
    pub(super) fn debate_plan(&self, index: usize) -> DebatePlan {
        let debate = &self.debates[index];
        DebatePlan {
            world: debate.world,
            debate: debate.number,
            ..self.plans[debate.plan].clone()
        }
    }

    /// Returns the different external players (those with a command or a model) in the debates at these indices, by
    /// name.
    pub(super) fn distinct_program_players(
        &self,
        indices: &[usize],
    ) -> BTreeMap<String, PlayerSpec> {
        let plans: BTreeSet<usize> = indices.iter().map(|at| self.debates[*at].plan).collect();
        let players = plans.into_iter().flat_map(|plan| &self.plans[plan].players);
        let programs = players.filter(|player| player.command_or_model_name().is_some());
        programs
            .map(|player| (player.to_string(), player.clone()))
            .collect()
    }

    /// Returns the title of a match whose plan has none.
    pub(super) fn title_from_scenarios(&self) -> String {
        self.scenarios.join(", ")
    }

    /// Returns the report's rows: one for each matchup that has debates, then one for each condition and players with
    /// several scenarios. `results` has one entry per debate, by index.
    pub(super) fn matchup_reports(&self, results: &[Option<DebateResult>]) -> Vec<MatchupReport> {
        let mut rows: Vec<MatchupResults<'_>> = self.matchups.clone();
        for ((place, debate), result) in self.debates.iter().enumerate().zip(results) {
            let Some(row) = rows.get_mut(debate.matchup) else {
                continue;
            };
            row.debates += 1;
            if let Some(result) = result {
                row.finished.push((&debate.instance, place, result));
            }
        }
        rows.retain(|row| row.debates > 0);
        if self.scenarios.len() > 1 {
            rows.extend(together(&rows));
        }
        rows.iter().map(MatchupResults::report).collect()
    }

    /// Returns the players' ratings, one table for each pair of rules and judge. `results` has one entry per debate, by
    /// index.
    pub(super) fn player_ratings(&self, results: &[Option<DebateResult>]) -> Vec<MatchRatings> {
        let debates = self.rated_debates(results).into_iter().flatten();
        ratings_by_rules_and_judge(&debates.collect::<Vec<_>>())
    }

    /// Returns the debates in the form that the ratings need, by index; `None` for a debate without a result.
    fn rated_debates<'r>(
        &'r self,
        results: &'r [Option<DebateResult>],
    ) -> Vec<Option<RatedDebate<'r>>> {
        let debates = self.debates.iter().zip(results);
        let debates = debates.map(|(debate, result)| {
            let matchup = self.matchups.get(debate.matchup)?;
            let [prover, opponent, judge] = matchup.players.each_ref().map(String::as_str);
            Some(RatedDebate {
                table: [&matchup.condition, judge],
                prover,
                opponent,
                subject: (&debate.instance, debate.order, debate.number),
                result: result.as_ref()?,
            })
        });
        debates.collect()
    }
}

/// Returns one row for each condition and players that have rows for several scenarios, with the results of all these
/// scenarios.
fn together<'r>(rows: &[MatchupResults<'r>]) -> Vec<MatchupResults<'r>> {
    let mut all: BTreeMap<(&str, &[String; 3]), Vec<&MatchupResults<'r>>> = BTreeMap::new();
    for row in rows {
        let same = all.entry((row.condition.as_str(), &row.players));
        same.or_default().push(row);
    }
    let several = all.into_iter().filter(|(_, rows)| rows.len() > 1);
    several
        .map(|((condition, players), rows)| MatchupResults {
            scenario: None,
            condition: condition.to_owned(),
            players: players.clone(),
            debates: rows.iter().map(|row| row.debates).sum(),
            finished: rows.iter().flat_map(|row| row.finished.clone()).collect(),
        })
        .collect()
}

/// Returns the rules that the match compares, each with its name.
fn conditions(
    plan: &MatchPlan,
    setup: &LoadedScenario,
    options: &MatchRunOptions,
) -> Result<Vec<(String, Protocol)>, DebateMatchError> {
    let read = |text: Option<&str>| -> Result<Protocol, DebateMatchError> {
        let protocol = given_or_scenario_rules(text, setup, &options.limits)?;
        // Rejects scenarios that these rules cannot debate before the first debate starts.
        let start = protocol.start::<Exact>(&setup.instance(0)).map(drop);
        start.map_err(DebatePlanError::from)?;
        Ok(protocol)
    };
    if plan.conditions.is_empty() {
        let protocol = read(None)?;
        return Ok(vec![(protocol.kind().protocol_name().to_owned(), protocol)]);
    }
    let conditions = plan.conditions.iter();
    conditions
        .map(|NamedDebateRules { name, protocol }| Ok((name.clone(), read(Some(protocol))?)))
        .collect()
}

/// Returns all combinations of the plan's players. A seat that the rules never ask, or for which the plan names no
/// player, contributes only its default player.
fn seatings(
    plan: &MatchPlan,
    setup: &LoadedScenario,
    protocol: &Protocol,
) -> Vec<[Option<String>; 3]> {
    let instance = setup.instance(0);
    let of = |seat: Seat| -> Vec<Option<String>> {
        let named = plan.player_names_by_seat()[seat.seat_index()];
        if named.is_empty() || !protocol.protocol_parameters().asks(seat, &instance) {
            return vec![None];
        }
        named.iter().cloned().map(Some).collect()
    };
    let [provers, opponents, judges] = Seat::PLAYERS.map(of);
    let mut seatings = Vec::new();
    for prover in &provers {
        for opponent in &opponents {
            seatings.extend(
                judges
                    .iter()
                    .map(|judge| [prover, opponent, judge].map(Clone::clone)),
            );
        }
    }
    seatings
}

/// Returns the plan for debates between these players. The instance is still open.
fn base_plan(
    setup: &LoadedScenario,
    protocol: &Protocol,
    named: [Option<&str>; 3],
    plan: &MatchPlan,
    seed: &Seed,
    options: &MatchRunOptions,
) -> Result<DebatePlan, DebateMatchError> {
    let mut setup = setup.clone();
    load_player_files(&mut setup, named.into_iter().flatten(), &options.limits)?;
    let players = players(named, &[None], &setup, protocol)?;
    let registry = registry::<Exact>().with_player_files(setup.files_for_building_players());
    for (seat, player) in Seat::PLAYERS.into_iter().zip(&players) {
        if player.is_human() || player.is_program_using_serve() {
            return Err(DebateMatchError::Plan(format!(
                "users cannot play in a match; name a player for the {seat} ({scenario})",
                scenario = setup.title
            )));
        }
        if player.command_or_model_name().is_none() {
            let fits = registry.check_spec(player, seat, protocol.kind());
            fits.map_err(DebatePlanError::from)?;
        }
    }
    // The user confirms commands once, before the match starts.
    let engines = ExternalPlayerOptions {
        allow_commands: true,
        ..options.engines.clone()
    };
    Ok(DebatePlan {
        fixed_world: true,
        blind: plan.blind,
        engines,
        ..DebatePlan::new(setup, protocol.clone(), seed.clone(), players)
    })
}

/// Returns the displayed names of a plan's three players: a player's alias, otherwise its whole name.
fn names_for_tables(plan: &DebatePlan) -> [String; 3] {
    let mut names = plan.player_names();
    for (name, player) in names.iter_mut().zip(&plan.players) {
        if let Some(alias) = player.alias_among_options() {
            alias.clone_into(name);
        }
    }
    names
}

/// Returns the tags for the saves of a plan. With these tags, `report` groups the saves by the same conditions as the
/// match.
fn tags_of(plan: &DebatePlan, condition: Option<&String>) -> BTreeMap<String, String> {
    let named = condition.map(|name| (tags::CONDITION, name.clone()));
    let [_, _, judge] = plan.player_names();
    let rules = (tags::RULES, plan.protocol.to_string());
    let tags = named.into_iter().chain([rules, (tags::JUDGE, judge)]);
    tags.map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Returns the indices of the instances that the match plan names; `all` means every instance. `None` if it names none;
/// then each debate has the scenario's own instance, or else draws one.
fn worlds(
    named: &[String],
    setup: &LoadedScenario,
) -> Result<Option<Vec<usize>>, DebateMatchError> {
    match named {
        [] => Ok(None),
        [all] if all == ALL => Ok(Some((0..setup.decomposition.worlds().len()).collect())),
        named => {
            let worlds = named.iter().map(|name| setup.world_index(name));
            Ok(worlds
                .collect::<Result<_, _>>()
                .map(Some)
                .map_err(DebatePlanError::from)?)
        }
    }
}

/// A debate of a match with its own plan and condition.
#[derive(Clone)]
pub struct PlannedMatchDebate {
    /// The name of the condition under which reports count the debate.
    pub condition: String,
    pub plan: DebatePlan,
}

/// Returns the key of a planned debate: a digest of everything that determines it. [`saved_debate_key`] returns the
/// same key for the debate's save.
pub fn planned_debate_key(plan: &DebatePlan) -> Digest {
    let worlds = plan.setup.decomposition.worlds();
    let name = worlds.get(plan.world).map_or("", |world| &world.name);
    key_of_plan(plan, name, plan.debate)
}

fn key_of_plan(plan: &DebatePlan, instance: &str, number: u64) -> Digest {
    let files = plan
        .setup
        .files
        .iter()
        .map(|file| (file.name.as_str(), file.digest.to_string()));
    let (protocol, number, blind) = (plan.protocol.to_string(), number.to_string(), plan.blind);
    let parts = [
        &protocol,
        plan.seed.as_str(),
        &number,
        instance,
        &blind.to_string(),
    ];
    key(&plan.setup.source, files, &parts, &plan.player_names())
}

/// Returns the key of the debate in a save, which equals the key of its plan ([`planned_debate_key`]).
pub fn saved_debate_key(header: &SaveHeader) -> Digest {
    let files = header
        .files
        .iter()
        .map(|file| (file.name.as_str(), file.digest.clone()));
    let protocol = header.protocol.to_string();
    let number = header.debate.to_string();
    let seed = header.seed.as_str();
    let blind = header.blind.to_string();
    let parts = [&protocol, seed, &number, &header.instance, &blind];
    key(&header.scenario, files, &parts, &header.players)
}

fn key<'f>(
    scenario: &str,
    files: impl Iterator<Item = (&'f str, String)>,
    parts: &[&str],
    players: &[String; 3],
) -> Digest {
    let mut text = format!("{}\n", Digest::digest_of_bytes(scenario.as_bytes()));
    // Writing to a string cannot fail. `{part:?}` escapes line breaks, so each part is one line.
    for (name, digest) in files {
        let _ = writeln!(text, "{name} {digest}");
    }
    let names = players.iter().map(String::as_str);
    for part in parts.iter().copied().chain(names) {
        let _ = writeln!(text, "{part:?}");
    }
    Digest::digest_of_bytes(text.as_bytes())
}
