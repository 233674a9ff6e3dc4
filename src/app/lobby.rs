//! The lobby: who plays, by which rules, on which instance and from which seed, before a debate.

use super::Failure;
use super::context::AppContext;
use super::page::{AppPage, DebateStart, PlayPage, PlayedMoves, Transition};
use super::plan::{DebatePlan, SaveOptions, seed};
use super::play::prepare;
use super::scene::scene;
use crate::tui::scene::Scene;
use crate::tui::screen::Screen as _;
use crate::tui::screen::{Chooser, ChooserModel, Field, Form, FormModel, FormOutcome, SeatChoice};
use debate_core::number::{Exact, Number as _, short};
use debate_core::player::{Spec, StrategyEntry};
use debate_core::protocol::{Protocol, Round, Rules as _, Seat, fitting_protocols};
use debate_core::text::safe;
use debate_lab::registry;
use debate_lab::setup::Limits;

/// The sets of people at the keyboard, as the first field goes through them.
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

/// The instance's field where it is left to the seed.
const DRAWN: &str = "drawn from the seed";

/// The fields, in order.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LobbyField {
    You,
    Player(Seat),
    Rules,
    Instance,
    Seed,
    Hints,
    Blind,
}

const FIELDS: [LobbyField; 9] = [
    LobbyField::You,
    LobbyField::Player(Seat::Prover),
    LobbyField::Player(Seat::Opponent),
    LobbyField::Player(Seat::Judge),
    LobbyField::Rules,
    LobbyField::Instance,
    LobbyField::Seed,
    LobbyField::Hints,
    LobbyField::Blind,
];

/// Asks which seat the user takes; at a debate that begins, also for other players and rules.
pub(super) fn seat(
    app: &mut AppContext,
    mut plan: DebatePlan,
    played: Option<PlayedMoves>,
    keeping: SaveOptions,
) -> Result<Transition, Failure> {
    let instance = plan.setup.instance(plan.world);
    let scene = Scene {
        tempo: app.tempo,
        ..scene(app.waker(), &plan, &instance, None)
    };
    let offer = ChooserModel {
        scene: &scene,
        preselected: plan.setup.sit.map_or(SeatChoice::Watch, SeatChoice::Play),
        arrangeable: played.is_none(),
    };
    let keys = app.keys();
    match app.show(&mut Chooser::new(&offer, &keys))? {
        None => return Ok(Transition::back()),
        Some(SeatChoice::Arrange) => {
            let plan = Box::new(plan);
            let watches = false;
            return Ok(Transition::Open(AppPage::Lobby { plan, watches }));
        }
        Some(SeatChoice::Watch) => {}
        Some(SeatChoice::Play(seat)) => {
            if let Some(player) = plan.players.get_mut(seat.index()) {
                *player = Spec::named("human");
            }
        }
    }
    let start = match played {
        None => DebateStart::New(plan),
        Some(played) => DebateStart::Branch(plan, played),
    };
    Ok(Transition::Open(PlayPage::new(start, keeping).into()))
}

/// Asks who plays, by which rules, from which seed.
pub(super) fn lobby(
    app: &mut AppContext,
    mut plan: DebatePlan,
    watches: bool,
) -> Result<Transition, Failure> {
    let keys = app.keys();
    let (mut watches, mut said) = (watches, None);
    let players = loop {
        let mut lobby = Lobby::new(&mut plan, watches);
        let mut form = Form::new(&mut lobby, &keys);
        if let Some(why) = said {
            form.say(why);
        }
        if app.show(&mut form)? != FormOutcome::Accepted {
            return Ok(Transition::back());
        }
        let instance = plan.setup.instance(plan.world);
        said = match prepare(app, &plan, &instance)? {
            Some(Ok(players)) => break players,
            Some(Err(why)) => Some(why),
            None => None,
        };
        // The form comes back with the seats as they were chosen, not with a person put into one.
        watches = true;
    };
    let page = PlayPage {
        players: Some(players),
        ..PlayPage::new(DebateStart::New(plan), app.options.keeping.clone())
    };
    Ok(Transition::Open(page.into()))
}

/// The plan of a debate as a form.
struct Lobby<'p> {
    plan: &'p mut DebatePlan,
    /// The player of each seat where no person sits.
    others: [Spec; 3],
    /// The rules that this problem can be debated under.
    rules: Vec<Protocol>,
}

impl<'p> Lobby<'p> {
    /// The form of a plan. Where nobody was said to sit, the scenario's own seat is offered, unless
    /// the user `watches`.
    fn new(plan: &'p mut DebatePlan, watches: bool) -> Self {
        let mut rules = vec![plan.protocol.clone()];
        let written = fitting_protocols(plan.setup.decomposition.as_ref());
        let known = written
            .into_iter()
            .filter_map(|text| Protocol::parse(text).ok());
        for protocol in std::iter::once(plan.setup.protocol.clone()).chain(known) {
            if !rules.contains(&protocol) {
                rules.push(protocol);
            }
        }
        let mut lobby = Self {
            others: plan.players.clone(),
            plan,
            rules,
        };
        lobby.fit_players();
        if lobby.people().is_empty()
            && !watches
            && let Some(seat) = lobby.plan.setup.sit
        {
            lobby.seat_people(&[seat]);
        }
        lobby
    }

    /// True if a built-in player can sit in a seat at all: where people write the claims few can.
    fn can_play(&self, spec: &Spec, seat: Seat) -> bool {
        let (setup, protocol) = (&self.plan.setup, &self.plan.protocol);
        if setup.decomposition.as_open().is_none() {
            return true;
        }
        let instance = setup.instance(self.plan.world);
        let registry = registry::<Exact>();
        registry.build(spec, seat, &instance, protocol).is_ok()
    }

    /// The player of a seat where nobody else is named: a person, where no built-in player can.
    fn default_for(&self, seat: Seat) -> Spec {
        let kind = self.plan.protocol.kind();
        let default = Spec::named(registry::<Exact>().default_for(seat, kind));
        if self.can_play(&default, seat) {
            return default;
        }
        let mut others = self.choices(seat).into_iter();
        let first = others.find_map(|name| Spec::parse(&name).ok());
        first.unwrap_or_else(|| Spec::named("human"))
    }

    /// Replaces players whom the rules do not know.
    fn fit_players(&mut self) {
        let registry = registry::<Exact>();
        let kind = self.plan.protocol.kind();
        for seat in Seat::PLAYERS {
            let at = seat.index();
            let known = |spec: &Spec| registry.find(&spec.name, seat, kind).is_ok();
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

    fn people(&self) -> Vec<Seat> {
        let human = |seat: &Seat| self.plan.players[seat.index()].is_human();
        Seat::PLAYERS.into_iter().filter(human).collect()
    }

    fn seat_people(&mut self, people: &[Seat]) {
        for seat in Seat::PLAYERS {
            let at = seat.index();
            self.plan.players[at] = if people.contains(&seat) {
                Spec::named("human")
            } else {
                self.others[at].clone()
            };
        }
    }

    /// The players that a seat can have, each as it is written.
    fn choices(&self, seat: Seat) -> Vec<String> {
        let registry = registry::<Exact>();
        let entries = registry.for_seat(seat, self.plan.protocol.kind());
        let names = entries.flat_map(StrategyEntry::examples);
        let plays = |name: &String| Spec::parse(name).is_ok_and(|spec| self.can_play(&spec, seat));
        let mut names: Vec<String> = names.filter(plays).collect();
        names.push("human".to_owned());
        names
    }

    fn sit(&mut self, seat: Seat, spec: Spec) {
        if !spec.is_human() {
            self.others[seat.index()] = spec.clone();
        }
        self.plan.players[seat.index()] = spec;
    }

    fn set_rules(&mut self, protocol: Protocol) -> Result<(), String> {
        protocol.check().map_err(|error| error.to_string())?;
        protocol
            .suits(self.plan.setup.decomposition.as_ref())
            .map_err(|error| error.to_string())?;
        self.plan.protocol = protocol;
        self.fit_players();
        Ok(())
    }

    fn draw_world(&mut self) {
        if !self.plan.fixed_world {
            self.plan.world = self.plan.setup.draw(&self.plan.seed, self.plan.debate);
        }
    }

    fn value(&self, at: LobbyField) -> String {
        match at {
            LobbyField::You => seats(&self.people()),
            LobbyField::Player(seat) => {
                let player = &self.plan.players[seat.index()];
                if player.is_human() {
                    "human".to_owned()
                } else {
                    player.to_string()
                }
            }
            LobbyField::Rules => self.plan.protocol.to_string(),
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
            LobbyField::You => "You sit as".to_owned(),
            LobbyField::Player(Seat::Judge) => "The judge".to_owned(),
            LobbyField::Player(seat) => format!("{}, the {}", seat.person(), kind.title(seat)),
            LobbyField::Rules => "Rules".to_owned(),
            LobbyField::Instance => "Instance".to_owned(),
            LobbyField::Seed => "Seed".to_owned(),
            LobbyField::Hints => "Hints".to_owned(),
            LobbyField::Blind => "Blind".to_owned(),
        }
    }

    fn told(&self, at: LobbyField) -> String {
        match at {
            LobbyField::You => {
                "Which seats people take. With several, you hand the keyboard over when it \
                        is the other's turn."
                    .to_owned()
            }
            LobbyField::Player(seat) => {
                let player = &self.plan.players[seat.index()];
                if player.is_human() {
                    return format!(
                        "A person sits here. The task: {}.",
                        self.plan.protocol.kind().task(seat)
                    );
                }
                let registry = registry::<Exact>();
                let found = registry.find(&player.name, seat, self.plan.protocol.kind());
                found.map_or_else(
                    |error| error.to_string(),
                    |entry| format!("{}. Written: {}.", entry.about, entry.usage()),
                )
            }
            LobbyField::Rules => {
                let kind = self.plan.protocol.kind();
                let introduction = kind.introduction();
                format!("{} {}", introduction.rules, introduction.guarantee)
            }
            LobbyField::Instance => {
                "Which case of the scenario is debated. A drawn one is not told \
                             before the end: its name may give the flaw away."
                    .to_owned()
            }
            LobbyField::Seed => {
                "Where all coins come from: the same seed and replies give the same \
                         debate. The arrows take a new one."
                    .to_owned()
            }
            LobbyField::Hints => {
                "Whether the exact worth of each reply is shown from the start; h shows \
                          it in any debate."
                    .to_owned()
            }
            LobbyField::Blind => {
                "Whether the names of the other players are kept from you until the end. \
                          There are no hints then."
                    .to_owned()
            }
        }
    }
}

impl FormModel for Lobby<'_> {
    fn title(&self) -> String {
        format!("Players and rules: {}", self.plan.setup.title)
    }

    fn fields(&self) -> Vec<Field> {
        let one_world = self.plan.setup.decomposition.worlds().len() == 1;
        let field = |at: LobbyField| Field {
            label: self.label(at),
            value: self.value(at),
            about: self.told(at),
            has_choices: at != LobbyField::Instance || !one_world,
            is_writable: !matches!(at, LobbyField::You | LobbyField::Hints | LobbyField::Blind),
        };
        FIELDS.map(field).into()
    }

    fn turn(&mut self, field: usize, by: isize) -> Result<(), String> {
        let Some(at) = FIELDS.get(field).copied() else {
            return Ok(());
        };
        match at {
            LobbyField::You => {
                let people = self.people();
                let mut now = PEOPLE.iter().position(|seats| **seats == people[..]);
                // Where nobody else can play in a seat the people there stay.
                for _ in PEOPLE {
                    let next = next(now, PEOPLE.len(), by);
                    self.seat_people(PEOPLE[next]);
                    if self.people() == PEOPLE[next] {
                        break;
                    }
                    now = Some(next);
                }
            }
            LobbyField::Player(seat) => {
                let choices = self.choices(seat);
                let own = self.plan.players[seat.index()].to_string();
                let name = |text: &str| text.split('(').next().unwrap_or_default().to_owned();
                let now = choices.iter().position(|choice| *choice == own);
                // A player with arguments of its own stands where its kind does.
                let alike = || choices.iter().position(|choice| name(choice) == name(&own));
                let next = next(now.or_else(alike), choices.len(), by);
                let spec = Spec::parse(&choices[next]).map_err(|error| error.to_string())?;
                self.sit(seat, spec);
            }
            LobbyField::Rules => {
                let now = self
                    .rules
                    .iter()
                    .position(|rules| *rules == self.plan.protocol);
                let next = next(now, self.rules.len(), by);
                let rules = self.rules[next].clone();
                return self.set_rules(rules);
            }
            LobbyField::Instance => {
                let count = self.plan.setup.decomposition.worlds().len();
                // Place 0 is the drawn one.
                let now = self.plan.fixed_world.then_some(self.plan.world + 1);
                let next = next(now.or(Some(0)), count + 1, by);
                self.plan.fixed_world = next > 0;
                self.plan.world = next.saturating_sub(1);
                self.draw_world();
            }
            LobbyField::Seed => {
                self.plan.seed = debate_core::chance::Seed::random(&mut rand::rng());
                self.draw_world();
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
        match FIELDS.get(field) {
            Some(LobbyField::Player(seat)) => {
                let spec = Spec::parse(text).map_err(|error| error.to_string())?;
                if !spec.is_human() {
                    self.plan
                        .setup
                        .load_player_file(&spec, &Limits::default())
                        .map_err(|error| error.to_string())?;
                    let kind = self.plan.protocol.kind();
                    registry::<Exact>()
                        .check(&spec, *seat, kind)
                        .map_err(|error| error.to_string())?;
                }
                self.sit(*seat, spec);
            }
            Some(LobbyField::Rules) => {
                let protocol = Protocol::parse(text).map_err(|error| error.to_string())?;
                return self.set_rules(protocol);
            }
            Some(LobbyField::Instance) if text.is_empty() || text == DRAWN => {
                self.plan.fixed_world = false;
                self.draw_world();
            }
            Some(LobbyField::Instance) => {
                let named = self.plan.setup.instance_named(text);
                self.plan.world = named.map_err(|error| error.to_string())?;
                self.plan.fixed_world = true;
            }
            Some(LobbyField::Seed) => {
                self.plan.seed = seed(Some(text)).map_err(|error| error.to_string())?;
                self.draw_world();
            }
            _ => {}
        }
        Ok(())
    }

    fn notes(&self) -> Vec<(String, String)> {
        let instance = self.plan.setup.instance(self.plan.world);
        let claim = safe(&instance.text(instance.root())).into_owned();
        let mut notes = vec![("The claim".to_owned(), claim)];
        if let Some(ratio) = self.plan.protocol.reward_ratio() {
            let rounds = match self.plan.protocol.start::<Exact>(&instance) {
                Ok(state) => state.schedule(),
                Err(_) => Vec::new(),
            };
            let told: Vec<String> = rounds
                .iter()
                .map(|(round, weight)| {
                    let name = match round {
                        Round::Initial => "first estimate".to_owned(),
                        Round::Number(k) => format!("round {k}"),
                    };
                    format!("{name} {}", short(weight.to_float(), 2))
                })
                .collect();
            notes.push((
                "Weights".to_owned(),
                format!("r = {ratio}; {}.", told.join(", ")),
            ));
        }
        notes
    }

    fn check(&self) -> Result<(), String> {
        let instance = self.plan.setup.instance(self.plan.world);
        let start = self.plan.protocol.start::<Exact>(&instance);
        start.map(drop).map_err(|error| error.to_string())
    }

    fn help(&self) -> [String; 2] {
        let form = "Each line is a part of the debate to come. {choice-before} and {choice-after} go \
                    through what the marked one can be, {write} types into it, and {accept} \
                    begins the debate as it stands here.";
        [form.to_owned(), self.plan.setup.about.clone()]
    }
}

/// The seats that people take, in words.
fn seats(people: &[Seat]) -> String {
    let name = |seat: &Seat| match seat {
        Seat::Judge => "the judge".to_owned(),
        seat => seat.person().to_owned(),
    };
    match people {
        [] => "nobody: watch".to_owned(),
        people => people.iter().map(name).collect::<Vec<_>>().join(" and "),
    }
}

fn on_off(on: bool) -> String {
    if on { "on" } else { "off" }.to_owned()
}

/// The place before or after one of so many, round the ends; the first where there is none.
fn next(now: Option<usize>, count: usize, by: isize) -> usize {
    let count = isize::try_from(count.max(1)).unwrap_or(isize::MAX);
    let first = -by.max(0);
    let now = now.map_or(first, |now| isize::try_from(now).unwrap_or(0));
    usize::try_from((now + by).rem_euclid(count)).unwrap_or(0)
}
