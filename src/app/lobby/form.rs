//! The form that edits the plan of a debate.

#[cfg(test)]
mod tests;

use crate::tui::menu::{FormField, FormModel};
use crate::tui::widget::choice::cycle_index;
use debate_core::number::{
    Exact, Number as _, format_as_short_decimal_or_fraction, format_rounded,
};
use debate_core::player::{PlayerSpec, StrategyEntry, player_in_plain_words};
use debate_core::protocol::{
    Protocol, ProtocolParameterEntry, ProtocolParameterKind, Round, Rules as _, Seat,
    fitting_protocol_examples,
};
use debate_core::text::{replace_unsafe_characters, to_ascii_number};
use debate_host::plan::{
    DebatePlan, ReproductionInfo, given_or_random_seed, level_of_players_text,
    level_order_sentence, seats_that_determine_difficulty_level,
};
use debate_solver::analysis::promise::{CompletenessLemma, scenario_judge};
use debate_solver::registry;
use debate_solver::setup::{LoadedScenario, ScenarioLimits};
use debate_text::NamedTexts;

/// The sets of seats that humans can take, in the order in which the first field cycles through them.
const PEOPLE: [&[Seat]; 8] = [
    &[Seat::Opponent],
    &[Seat::Prover],
    &[Seat::Judge],
    &[],
    &[Seat::Prover, Seat::Opponent],
    &[Seat::Opponent, Seat::Judge],
    &[Seat::Prover, Seat::Judge],
    &[Seat::Prover, Seat::Opponent, Seat::Judge],
];

/// The value of the field `Instance` if the seed chooses the instance.
const DRAWN: &str = "drawn from the seed";

/// Upper limit on the number of claims examined for the form's note on the scenario's stability. With this limit, the
/// note is ready before the next frame.
const SURVEYED: usize = 512;

/// A field of the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LobbyField {
    You,
    Player(Seat),
    Rules,
    /// A parameter of the rules, with its name in scenario files.
    Parameter(&'static str),
    Instance,
    Seed,
    Hints,
    Blind,
}

/// The labels and descriptions of those fields for which both texts are the same in every debate.
static WORDS: NamedTexts<(String, String)> = NamedTexts::new(include_str!("form.ron"));

impl LobbyField {
    fn label_and_description(self) -> (String, String) {
        let words = WORDS.get(&format!("{self:?}"));
        words.cloned().unwrap_or_default()
    }
}

/// The form's fields before those for the parameters of the rules.
const BEFORE: [LobbyField; 5] = [
    LobbyField::You,
    LobbyField::Player(Seat::Prover),
    LobbyField::Player(Seat::Opponent),
    LobbyField::Player(Seat::Judge),
    LobbyField::Rules,
];

/// The form's fields after those for the parameters of the rules.
const AFTER: [LobbyField; 4] = [
    LobbyField::Instance,
    LobbyField::Seed,
    LobbyField::Hints,
    LobbyField::Blind,
];

/// The form that edits the plan of a debate.
pub(super) struct DebatePlanForm<'p> {
    plan: &'p mut DebatePlan,
    /// The player of each seat when no human takes it.
    others: [PlayerSpec; 3],
    /// The rules under which this problem can be debated, one of each protocol, with the parameters last set for each.
    rules: Vec<Protocol>,
    /// A sentence on the scenario's stability under the current rules; `None` as for the function [`stability`].
    stability: Option<String>,
}

impl<'p> DebatePlanForm<'p> {
    /// Creates the lobby's form for a plan. If no seat has a human player and `user_watches` is false, the form puts
    /// human players in `last_seats`, or if that is empty, in the scenario's suggested seat, if any.
    pub(super) fn new(plan: &'p mut DebatePlan, user_watches: bool, last_seats: &[Seat]) -> Self {
        let mut rules = vec![plan.protocol.clone()];
        let written = fitting_protocol_examples(plan.setup.decomposition.as_ref());
        let known = written
            .into_iter()
            .filter_map(|text| Protocol::parse(text).ok());
        for protocol in std::iter::once(plan.setup.protocol.clone()).chain(known) {
            if rules.iter().all(|other| other.kind() != protocol.kind()) {
                rules.push(protocol);
            }
        }
        let mut lobby = Self {
            others: plan.players.clone(),
            stability: stability(&plan.setup, &plan.protocol),
            plan,
            rules,
        };
        lobby.fit_players();
        if lobby.human_seats().is_empty() && !user_watches {
            let suggested: Vec<Seat> = lobby.plan.setup.sit.into_iter().collect();
            let seats = if last_seats.is_empty() {
                &suggested
            } else {
                last_seats
            };
            lobby.set_human_seats(seats);
        }
        lobby
    }

    /// True if a built-in player can take a seat. Few built-in players can if the players write the claims during play.
    fn can_play(&self, spec: &PlayerSpec, seat: Seat) -> bool {
        let (setup, protocol) = (&self.plan.setup, &self.plan.protocol);
        if setup.decomposition.as_open().is_none() {
            return true;
        }
        let instance = setup.instance(self.plan.world);
        let registry = registry::<Exact>();
        registry.build(spec, seat, &instance, protocol).is_ok()
    }

    /// Returns the default player of a seat, or else the first built-in player that can take the seat; a human player
    /// if none can.
    fn default_for(&self, seat: Seat) -> PlayerSpec {
        let kind = self.plan.protocol.kind();
        let default =
            PlayerSpec::without_arguments(registry::<Exact>().default_strategy_name(seat, kind));
        if self.can_play(&default, seat) {
            return default;
        }
        let mut others = self.choices(seat).into_iter();
        let first = others.find_map(|name| PlayerSpec::parse(&name).ok());
        first.unwrap_or_else(|| PlayerSpec::without_arguments("human"))
    }

    /// Replaces the plan's players that its rules do not support.
    fn fit_players(&mut self) {
        let registry = registry::<Exact>();
        let kind = self.plan.protocol.kind();
        for seat in Seat::PLAYERS {
            let at = seat.seat_index();
            let known = |spec: &PlayerSpec| {
                spec.command_or_model_name().is_some()
                    || registry.check_spec(spec, seat, kind).is_ok()
            };
            let other = self.default_for(seat);
            if !known(&self.others[at]) {
                self.others[at] = other;
            }
            let player = &mut self.plan.players[at];
            if !player.is_human() && !known(player) {
                *player = self.others[at].clone();
            }
        }
    }

    /// Returns the level of the players against the only human player, for a seat whose player decides the level:
    /// "level 4 of 5". `None` if these players have no level.
    fn level_of(&self, seat: Seat) -> Option<String> {
        let human_seats = self.human_seats();
        let [human] = human_seats[..] else {
            return None;
        };
        let kind = self.plan.protocol.kind();
        let level = level_of_players_text(kind, human, &self.plan.player_names())?;
        seats_that_determine_difficulty_level(kind, human)
            .any(|other| other == seat)
            .then_some(level)
    }

    fn human_seats(&self) -> Vec<Seat> {
        let human = |seat: &Seat| self.plan.players[seat.seat_index()].is_human();
        Seat::PLAYERS.into_iter().filter(human).collect()
    }

    fn set_human_seats(&mut self, people: &[Seat]) {
        for seat in Seat::PLAYERS {
            let at = seat.seat_index();
            self.plan.players[at] = if people.contains(&seat) {
                PlayerSpec::without_arguments("human")
            } else {
                self.others[at].clone()
            };
        }
    }

    /// Returns the players that can take a seat, as command-line flags name them.
    fn choices(&self, seat: Seat) -> Vec<String> {
        let registry = registry::<Exact>();
        let entries = registry.strategies_for_seat(seat, self.plan.protocol.kind());
        let names = entries.flat_map(StrategyEntry::example_specs_with_arguments);
        let plays =
            |name: &String| PlayerSpec::parse(name).is_ok_and(|spec| self.can_play(&spec, seat));
        let mut names: Vec<String> = names.filter(plays).collect();
        names.push("human".to_owned());
        names
    }

    fn set_player(&mut self, seat: Seat, spec: PlayerSpec) {
        if !spec.is_human() {
            self.others[seat.seat_index()] = spec.clone();
        }
        self.plan.players[seat.seat_index()] = spec;
    }

    fn set_rules(&mut self, protocol: Protocol) -> Result<(), String> {
        protocol
            .check_fits_problem(self.plan.setup.decomposition.as_ref())
            .map_err(|error| error.to_string())?;
        self.stability = stability(&self.plan.setup, &protocol);
        let kind = protocol.kind();
        if let Some(left) = self.rules.iter_mut().find(|rules| rules.kind() == kind) {
            *left = protocol.clone();
        }
        self.plan.protocol = protocol;
        self.fit_players();
        Ok(())
    }

    fn all_fields(&self) -> Vec<LobbyField> {
        let parameters = self.plan.protocol.list_parameters().into_iter();
        let fields = parameters.map(|one| LobbyField::Parameter(one.words.name));
        BEFORE.into_iter().chain(fields).chain(AFTER).collect()
    }

    fn field_at(&self, index: usize) -> Option<LobbyField> {
        self.all_fields().get(index).copied()
    }

    fn parameter(&self, name: &str) -> Option<ProtocolParameterEntry> {
        let mut parameters = self.plan.protocol.list_parameters().into_iter();
        parameters.find(|one| one.words.name == name)
    }

    /// Returns the rules with a parameter moved by `by` steps. Skips values with which this problem cannot be
    /// debated. `None` if the rules stay the same.
    fn stepped_rules(&self, name: &str, by: isize) -> Option<Protocol> {
        let steps = self.parameter(name)?.words.values.len();
        let mut protocol = self.plan.protocol.clone();
        for _ in 0..steps {
            protocol.change(name, |one| one.cycle_parameter_value(by))?;
            let suits = protocol.check_fits_problem(self.plan.setup.decomposition.as_ref());
            if suits.is_ok() {
                return Some(protocol).filter(|turned| *turned != self.plan.protocol);
            }
        }
        None
    }

    /// Returns descriptions of the rules' parameters whose values differ from those of the scenario. If the protocol
    /// differs, returns only the names of both protocols.
    fn changed_parameters(&self) -> Vec<String> {
        let (scenario, plan) = (&self.plan.setup.protocol, &self.plan.protocol);
        let [theirs, ours] = [scenario, plan].map(Protocol::kind);
        if theirs != ours {
            return vec![format!(
                "{} instead of {}",
                ours.protocol_name(),
                theirs.protocol_name()
            )];
        }
        let own = scenario.list_parameters();
        let now = plan.list_parameters().into_iter();
        now.filter_map(|one| {
            let before = own.iter().find(|own| own.words.name == one.words.name)?;
            let label = one.words.label;
            let parameter = label.split(',').next().unwrap_or(label);
            (before.text != one.text).then(|| {
                format!(
                    "{parameter}: {chosen_value} instead of {scenario_value}",
                    chosen_value = one.text,
                    scenario_value = before.text
                )
            })
        })
        .collect()
    }

    fn choose_random_instance(&mut self) {
        if !self.plan.fixed_world {
            self.plan.world = self
                .plan
                .setup
                .world_of_debate(&self.plan.seed, self.plan.debate);
        }
    }

    fn value(&self, at: LobbyField) -> String {
        match at {
            LobbyField::You => seats_in_words(&self.human_seats()),
            LobbyField::Player(seat) => self.plan.players[seat.seat_index()].to_string(),
            LobbyField::Rules => self.plan.protocol.kind().protocol_name().to_owned(),
            LobbyField::Parameter(name) => self
                .parameter(name)
                .map_or_else(String::new, |one| one.text),
            LobbyField::Instance if self.plan.fixed_world => {
                let worlds = self.plan.setup.decomposition.worlds();
                let world = worlds.get(self.plan.world);
                world.map_or_else(String::new, |world| world.name.clone())
            }
            LobbyField::Instance => DRAWN.to_owned(),
            LobbyField::Seed => self.plan.seed.as_str().to_owned(),
            LobbyField::Hints => on_off(self.plan.hints),
            LobbyField::Blind => on_off(self.plan.blind),
        }
    }

    fn label(&self, at: LobbyField) -> String {
        let kind = self.plan.protocol.kind();
        match at {
            LobbyField::Player(Seat::Judge) => "The judge".to_owned(),
            LobbyField::Player(seat) => {
                format!("{}, the {}", seat.player_name_of_seat(), kind.title(seat))
            }
            LobbyField::Parameter(name) => {
                let label = self.parameter(name).map_or("", |one| one.words.label);
                format!("  {label}")
            }
            field => field.label_and_description().0,
        }
    }

    fn about(&self, at: LobbyField) -> String {
        match at {
            LobbyField::Player(seat) => {
                let player = &self.plan.players[seat.seat_index()];
                let kind = self.plan.protocol.kind();
                if player.is_human() {
                    return format!(
                        "A person plays this seat. The task of this seat: {task}",
                        task = kind.task(seat)
                    );
                }
                if self.plan.setup.players.text_of_seat(seat) == Some(player.to_string().as_str()) {
                    // The strategy of a scenario's own liar stays secret.
                    return format!(
                        "The scenario's own player: {player}. `debate-tui list strategies` describes each player exactly.",
                        player = player_in_plain_words(kind, seat, &player.name)
                    );
                }
                let registry = registry::<Exact>();
                let entry = registry.find(&player.name, seat, kind);
                entry.map_or_else(
                    |error| error.to_string(),
                    |entry| {
                        format!(
                            "{}. Syntax: {}.",
                            entry.strategy_description(),
                            entry.usage_form()
                        )
                    },
                )
            }
            LobbyField::Rules => {
                let introduction = self.plan.protocol.kind().protocol_texts();
                format!(
                    "{rules} What is proved: {guarantee}.",
                    rules = introduction.rules,
                    guarantee = introduction.guarantee
                )
            }
            LobbyField::Parameter(name) => self.parameter(name).map_or_else(String::new, |one| {
                format!("{} {}", one.words.about, one.words.changes)
            }),
            field => field.label_and_description().1,
        }
    }
}

/// Returns a sentence on the stability of a scenario under these rules. `None` if no theorem about these rules needs
/// stability, or if players write the claims during play.
fn stability(setup: &LoadedScenario, protocol: &Protocol) -> Option<String> {
    let Protocol::ProverEstimator(parameters) = protocol else {
        return None;
    };
    if setup.decomposition.as_open().is_some() {
        return None;
    }
    let promise =
        CompletenessLemma::for_scenario(setup, parameters, &scenario_judge(setup), SURVEYED);
    let survey = &promise.survey;
    let allowed = format_as_short_decimal_or_fraction(&survey.allowed);
    let mut failing = promise.hypotheses.iter();
    let failing = failing.find(|hypothesis| hypothesis.holds == Some(false));
    let caveat = failing.map_or_else(String::new, |hypothesis| {
        format!(
            " Honest Alice's least payoff is not guaranteed, because this condition fails: {hypothesis}.",
            hypothesis = hypothesis.what
        )
    });
    Some(match (survey.is_stable(), &survey.worst) {
        (Some(true), Some(worst)) => format!(
            "stable: if every estimate is off by the margin ε, no support changes by more than {}; \
             ρε = {allowed} is allowed.{caveat}",
            format_rounded(worst.deviation.to_float(), 4)
        ),
        (Some(true), None) => {
            format!("the decomposition is stable, because no claim is split.{caveat}")
        }
        (Some(false), Some(worst)) => format!(
            "not stable: if every estimate is off by the margin ε, a support of “{}” changes by up to {}; \
             ρε = {allowed} is allowed. Honest Alice's bound is not guaranteed.",
            replace_unsafe_characters(&worst.claim),
            format_rounded(worst.deviation.to_float(), 4)
        ),
        _ => "stability is not computed here; see `debate-tui check`.".to_owned(),
    })
}

/// Returns a phrase for the seats of the human players.
fn seats_in_words(people: &[Seat]) -> String {
    let name = |seat: &Seat| match seat {
        Seat::Judge => "the judge".to_owned(),
        seat => seat.player_name_of_seat().to_owned(),
    };
    if people.is_empty() {
        return "no seat: watch".to_owned();
    }
    people.iter().map(name).collect::<Vec<_>>().join(" and ")
}

fn on_off(on: bool) -> String {
    if on { "on" } else { "off" }.to_owned()
}

/// Returns the index `by` steps from `now`, cyclically in `count` items. Without `now`, a step forward gives the first
/// item.
fn next(now: Option<usize>, count: usize, by: isize) -> usize {
    match now {
        Some(now) => cycle_index(now, by, count),
        None => cycle_index(0, by.min(0), count),
    }
}

impl FormModel for DebatePlanForm<'_> {
    fn title(&self) -> String {
        format!(
            "Players and rules: {}",
            self.plan.setup.scenario_texts(self.plan.world).title
        )
    }

    fn fields(&self) -> Vec<FormField> {
        let one_world = self.plan.setup.decomposition.worlds().len() == 1;
        let field = |at: LobbyField| FormField {
            label: self.label(at),
            value: self.value(at),
            note: match at {
                LobbyField::Player(seat) => self.level_of(seat).unwrap_or_default(),
                _ => String::new(),
            },
            about: self.about(at),
            has_choices: match at {
                LobbyField::Instance => !one_world,
                LobbyField::Rules => self.rules.len() > 1,
                LobbyField::Parameter(name) => self.stepped_rules(name, 1).is_some(),
                _ => true,
            },
            is_writable: match at {
                LobbyField::You | LobbyField::Rules | LobbyField::Hints | LobbyField::Blind => {
                    false
                }
                LobbyField::Parameter(name) => {
                    let parameter = self.parameter(name);
                    parameter.is_some_and(|one| one.kind != ProtocolParameterKind::Choice)
                }
                LobbyField::Player(_) | LobbyField::Instance | LobbyField::Seed => true,
            },
        };
        self.all_fields().into_iter().map(field).collect()
    }

    fn change_choice(&mut self, field: usize, by: isize) -> Result<(), String> {
        let Some(at) = self.field_at(field) else {
            return Ok(());
        };
        match at {
            LobbyField::You => {
                let people = self.human_seats();
                let mut now = PEOPLE.iter().position(|seats| **seats == people[..]);
                // A human player stays in a seat that no other player can take.
                for _ in PEOPLE {
                    let next = next(now, PEOPLE.len(), by);
                    self.set_human_seats(PEOPLE[next]);
                    if self.human_seats() == PEOPLE[next] {
                        break;
                    }
                    now = Some(next);
                }
            }
            LobbyField::Player(seat) => {
                let choices = self.choices(seat);
                let own = self.plan.players[seat.seat_index()].to_string();
                let name = |text: &str| text.split('(').next().unwrap_or_default().to_owned();
                let now = choices.iter().position(|choice| *choice == own);
                // A player whose arguments are not offered counts as the offered player of the same strategy.
                let alike = || choices.iter().position(|choice| name(choice) == name(&own));
                let next = next(now.or_else(alike), choices.len(), by);
                let spec = PlayerSpec::parse(&choices[next]).map_err(|error| error.to_string())?;
                self.set_player(seat, spec);
            }
            LobbyField::Rules => {
                let own = &self.plan.protocol;
                let now = self.rules.iter().position(|rules| rules == own);
                let next = next(now, self.rules.len(), by);
                let rules = self.rules[next].clone();
                return self.set_rules(rules);
            }
            LobbyField::Parameter(name) => {
                if let Some(protocol) = self.stepped_rules(name, by) {
                    return self.set_rules(protocol);
                }
            }
            LobbyField::Instance => {
                let count = self.plan.setup.decomposition.worlds().len();
                // Index 0 means that the seed draws the instance.
                let now = self.plan.fixed_world.then_some(self.plan.world + 1);
                let next = next(now.or(Some(0)), count + 1, by);
                self.plan.fixed_world = next > 0;
                self.plan.world = next.saturating_sub(1);
                self.choose_random_instance();
            }
            LobbyField::Seed => {
                self.plan.seed = debate_core::chance::Seed::random_seed(&mut rand::rng());
                self.choose_random_instance();
            }
            LobbyField::Hints => self.plan.hints = !self.plan.hints && !self.plan.blind,
            LobbyField::Blind => {
                self.plan.blind = !self.plan.blind;
                self.plan.hints &= !self.plan.blind;
            }
        }
        Ok(())
    }

    fn write(&mut self, field: usize, text: &str) -> Result<(), String> {
        match self.field_at(field) {
            Some(LobbyField::Player(seat)) => {
                let spec = PlayerSpec::parse(text).map_err(|error| error.to_string())?;
                let admitted = self.plan.engines.check_player_allowed(&spec);
                admitted.map_err(|failure| failure.to_string())?;
                if spec.command_or_model_name().is_some() {
                    // The user named this program. Programs that a file names still need permission.
                    let others = Seat::PLAYERS.into_iter().filter(|other| *other != seat);
                    let mut others = others.map(|other| &self.plan.players[other.seat_index()]);
                    self.plan.engines.allow_commands |=
                        others.all(|it| it.command_or_model_name().is_none());
                } else if !spec.is_human() {
                    let setup = &mut self.plan.setup;
                    let loaded = setup.load_player_file(&spec, &ScenarioLimits::default());
                    loaded.map_err(|error| error.to_string())?;
                    let kind = self.plan.protocol.kind();
                    let known = registry::<Exact>().check_spec(&spec, seat, kind);
                    known.map_err(|error| error.to_string())?;
                }
                self.set_player(seat, spec);
            }
            Some(LobbyField::Parameter(name)) => {
                let mut protocol = self.plan.protocol.clone();
                let text = to_ascii_number(text);
                protocol
                    .change(name, |one| one.set_from_text(&text))
                    .transpose()?;
                return self.set_rules(protocol);
            }
            Some(LobbyField::Instance) if text.is_empty() || text == DRAWN => {
                self.plan.fixed_world = false;
                self.choose_random_instance();
            }
            Some(LobbyField::Instance) => {
                let named = self.plan.setup.world_index(&to_ascii_number(text));
                self.plan.world = named.map_err(|error| error.to_string())?;
                self.plan.fixed_world = true;
            }
            Some(LobbyField::Seed) => {
                self.plan.seed =
                    given_or_random_seed(Some(text)).map_err(|error| error.to_string())?;
                self.choose_random_instance();
            }
            _ => {}
        }
        Ok(())
    }

    fn notes(&self) -> Vec<(String, String)> {
        let instance = self.plan.setup.instance(self.plan.world);
        let claim = replace_unsafe_characters(&instance.text(instance.root())).into_owned();
        let mut notes = vec![("The claim".to_owned(), claim)];
        if let Some(ratio) = self.plan.protocol.weight_ratio_if_constant() {
            let rounds = match self.plan.protocol.start::<Exact>(&instance) {
                Ok(state) => state.schedule(),
                Err(_) => Vec::new(),
            };
            let first = rounds.iter().map(|(round, _)| match round {
                Round::Initial => 0,
                Round::Number(k) => *k,
            });
            let first = first.max().unwrap_or(0);
            let weights: Vec<String> = rounds
                .iter()
                .map(|(round, weight)| {
                    let name = match round {
                        Round::Initial => "first estimate".to_owned(),
                        Round::Number(k) => format!("round {}", Round::round_ordinal(*k, first)),
                    };
                    format!("{name} {}", format_rounded(weight.to_float(), 2))
                })
                .collect();
            let weights = format!(
                "r = {ratio} is each stake divided by the next stake; {round_stakes}.",
                round_stakes = weights.join(", ")
            );
            notes.push(("Weights".to_owned(), weights));
        }
        if let Some(stability) = &self.stability {
            notes.push(("Stability".to_owned(), stability.clone()));
        }
        let changed = self.changed_parameters();
        if !changed.is_empty() {
            let changed = format!("{}.", changed.join("; "));
            notes.push(("Changed from the scenario".to_owned(), changed));
        }
        notes
    }

    fn reproduction(&self) -> Option<ReproductionInfo> {
        // The form shows all settings to the person at the keyboard, so nothing in it is secret.
        Some(ReproductionInfo {
            tells_secrets: false,
            ..self.plan.reproduction_info(None)
        })
    }

    fn check(&self) -> Result<(), String> {
        let instance = self.plan.setup.instance(self.plan.world);
        let start = self.plan.protocol.start::<Exact>(&instance);
        start.map(drop).map_err(|error| error.to_string())
    }

    fn help(&self) -> [String; 2] {
        let form = "Each line is a setting of the new debate. {choice-before} and {choice-after} step \
                    through the values of the marked setting, {write} types a value, and {accept} \
                    begins the debate.";
        let human_seats = self.human_seats();
        let kind = self.plan.protocol.kind();
        // The order of the levels is in no other text of the screens, because only an expert can use it.
        let levels = match human_seats[..] {
            [seat]
                if seats_that_determine_difficulty_level(kind, seat)
                    .next()
                    .is_some() =>
            {
                format!(
                    " Your opponents have levels; level 1 is the easiest. {order}",
                    order = level_order_sentence(seat)
                )
            }
            _ => String::new(),
        };
        [format!("{form}{levels}"), self.plan.setup.about.clone()]
    }
}
