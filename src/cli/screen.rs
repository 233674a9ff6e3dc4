//! Playing and replaying on the screen.

mod parting;
mod scene;

use std::path::Path;
use std::rc::Rc;

use super::compare;
use super::everywhere;
use super::flags::Role;
use super::lobby::Lobby;
use super::plan::{Plan, begin, seated};
use super::tutorial;
use super::{DisplayArgs, Failure, KeepingArgs, ReplayArgs, saves};
use crate::tui::actions::KeyMap;
use crate::tui::coach::Coach;
use crate::tui::input::{Inbox, Waker};
use crate::tui::players::PlayerThread;
use crate::tui::scene::{Scene, Tempo, Values};
use crate::tui::screen::{
    self, Action, Chooser, ChooserModel, Compare, Debate, Filled, Form, Half, Outcome, Replay,
    Screen, SeatChoice, Tape, Watched, Went,
};
use crate::tui::settings::{Settings, When};
use crate::tui::terminal::{Ended, Options, Terminal};
use crate::tui::theme::Look;
use debate_core::chance::Seed;
use debate_core::number::Exact;
use debate_core::player::{Move, Seating, Spec};
use debate_core::protocol::Reader;
use debate_core::scenario::Instance;
use debate_lab::narration::DebateFacts;
use debate_lab::record::{Branch, Save, Session};
use debate_lab::setup::Setup;
pub(super) use parting::Parting;
pub(super) use scene::scene;
use scene::sitters;

/// The terminal while it is ours.
pub(super) struct Stage {
    terminal: Terminal,
    inbox: Inbox<()>,
    keys: Rc<KeyMap<Action>>,
    look: Look,
    /// How the others' moves come.
    tempo: Tempo,
    /// Whether there are colours.
    color: When,
}

impl Stage {
    pub(super) fn open(display: &DisplayArgs) -> Result<Self, Failure> {
        let preferences = &display.preferences;
        let settings = &preferences.settings;
        let keys = settings.keys();
        let keys = keys.map_err(|error| Failure::System(error.to_string()))?;
        let inbox = Inbox::new();
        let terminal = Terminal::open(
            Options {
                mouse: !settings.no_mouse,
                asks_background: preferences.asks_background(),
            },
            &inbox,
        )?;
        let look = everywhere::look(settings, preferences.color, terminal.background());
        Ok(Self {
            terminal,
            inbox,
            keys: Rc::new(keys),
            look,
            tempo: settings.tempo,
            color: preferences.color,
        })
    }

    /// The keys of all screens.
    pub(super) fn keys(&self) -> Rc<KeyMap<Action>> {
        Rc::clone(&self.keys)
    }

    /// What wakes the screen that is shown.
    pub(super) fn waker(&self) -> Waker {
        self.inbox.waker()
    }

    /// What is told about a debate here.
    fn scene<'a>(
        &self,
        plan: &Plan,
        instance: &'a Instance,
        session: Option<&Session<'_>>,
    ) -> Scene<'a> {
        let mut scene = scene(plan, instance, session);
        scene.tempo = self.tempo;
        if let Some(values) = &mut scene.values {
            values.waker = self.waker();
        }
        scene
    }

    /// How the screen looks under any settings. Whether there are colours at all stays as it was
    /// asked for.
    pub(super) fn looks(&self) -> impl Fn(&Settings) -> Look + use<> {
        let (color, background) = (self.color, self.terminal.background());
        move |settings| everywhere::look(settings, color, background)
    }

    /// Takes over what was changed in the settings; the rest stays as flags and keys have made it.
    pub(super) fn apply(&mut self, before: &Settings, settings: &Settings) -> Result<(), Failure> {
        let keys = settings.keys();
        self.keys = Rc::new(keys.map_err(|error| Failure::System(error.to_string()))?);
        self.tempo = settings.tempo;
        if settings.looks_apart(before) {
            self.look = self.looks()(settings);
        }
        if before.no_mouse != settings.no_mouse && self.terminal.has_mouse() == settings.no_mouse {
            self.terminal.toggle_mouse()?;
        }
        Ok(())
    }

    /// Shows a screen until it ends.
    pub(super) fn show<S: Screen>(&mut self, show: &mut S) -> Result<S::Outcome, Failure> {
        Ok(screen::run(
            &mut self.terminal,
            &mut self.inbox,
            show,
            &mut self.look,
        )?)
    }

    /// Gives the terminal back. An error says that Ctrl-C or the end of the terminal ended it all.
    pub(super) fn close(self) -> Result<(), Failure> {
        let ended = self.terminal.ended();
        self.terminal.close();
        match ended {
            None => Ok(()),
            Some(Ended::HungUp) => Err(Failure::Interrupted(1)),
            Some(Ended::Interrupted) => Err(Failure::Interrupted(2)),
        }
    }

    /// Walks through a debate from after so many steps on.
    fn replay<'a>(
        &mut self,
        tape: Tape<'a>,
        begin: usize,
        scene: &Scene<'a>,
        said: Option<String>,
    ) -> Result<Watched, Failure> {
        let keys = self.keys();
        let mut replay = Replay::new(tape, scene, &keys);
        replay.go(begin);
        replay.say(said);
        self.show(&mut replay)
    }
}

/// Plays on the screen: asks for a seat first where `asks`, and again with new seeds as long as
/// the user wishes.
pub(super) fn play(
    mut plan: Plan,
    asks: bool,
    display: &DisplayArgs,
    keeping: &KeepingArgs,
) -> Result<(), Failure> {
    // What is wrong with the players is said before the terminal is taken.
    let first = plan.setup.instance(plan.world);
    drop(seated(&plan, &first)?);
    plan.remember(keeping);
    let mut stage = Stage::open(display)?;
    if asks && !choose(&mut stage, &mut plan)? {
        return stage.close();
    }
    let parting = debates(&mut stage, &mut plan, keeping)?;
    let closed = stage.close();
    parting.tell()?;
    closed
}

/// Plays a debate, and others with new seeds as long as the user wishes.
pub(super) fn debates(
    stage: &mut Stage,
    plan: &mut Plan,
    keeping: &KeepingArgs,
) -> Result<Parting, Failure> {
    loop {
        let instance = plan.setup.instance(plan.world);
        let start = plan.protocol.start(&instance).map_err(Failure::input)?;
        let players = seated(plan, &instance)?;
        let seating = Seating::new(start, players, &plan.seed, plan.debate);
        let mut session = Session::new(seating, begin(plan, &instance, keeping, None)?);
        let scene = stage.scene(plan, &instance, Some(&session));
        if run(stage, &mut session, &scene, plan)? == Next::Again {
            plan.seed = Seed::random();
            plan.debate = 0;
            if !plan.fixed_world {
                plan.world = plan.setup.draw(&plan.seed, 0);
            }
            continue;
        }
        // Whoever only looked has nothing to go on with.
        session
            .drop_if_unplayed()
            .map_err(|error| Failure::System(error.to_string()))?;
        return Parting::of(&mut session, &instance, plan);
    }
}

/// Goes on with a kept debate on the screen.
pub(super) fn resume<'a>(
    plan: &Plan,
    instance: &'a Instance,
    session: &mut Session<'a>,
    display: &DisplayArgs,
) -> Result<(), Failure> {
    let mut stage = Stage::open(display)?;
    let Some(coach) = plan.coach() else {
        let parting = resumed(&mut stage, plan, instance, session)?;
        let closed = stage.close();
        parting.tell()?;
        return closed;
    };
    taught(&mut stage, plan, instance, session, coach)?;
    let closed = stage.close();
    Parting::of(session, instance, plan)?.tell()?;
    tutorial::say_how_to_go_on()?;
    closed
}

/// Goes on with a kept debate.
pub(super) fn resumed<'a>(
    stage: &mut Stage,
    plan: &Plan,
    instance: &'a Instance,
    session: &mut Session<'a>,
) -> Result<Parting, Failure> {
    let scene = stage.scene(plan, instance, Some(session));
    // A resumed debate has its seed; "again" with another one is a new debate.
    run(stage, session, &scene, plan)?;
    Parting::of(session, instance, plan)
}

/// Replays a save on the screen.
pub(super) fn replay(
    setup: &Setup,
    instance: &Instance,
    save: &Save,
    args: &ReplayArgs,
) -> Result<(), Failure> {
    let mut stage = Stage::open(&args.display)?;
    let played = (&*args.save, save);
    replayed(
        &mut stage,
        setup,
        instance,
        played,
        (args.from, args.seen_by),
        &args.keeping,
    )?;
    stage.close()
}

/// Shows two debates side by side.
pub(super) fn compared(
    stage: &mut Stage,
    halves: &mut [Half<'_>; 2],
    lesson: bool,
) -> Result<Went, Failure> {
    for values in halves
        .iter_mut()
        .filter_map(|half| half.scene.values.as_mut())
    {
        values.waker = stage.waker();
    }
    let keys = stage.keys();
    let compare = Compare::new(halves, &keys);
    if lesson {
        return stage.show(&mut compare.in_lesson());
    }
    stage.show(&mut { compare })
}

/// Replays a save.
pub(super) fn replayed(
    stage: &mut Stage,
    setup: &Setup,
    instance: &Instance,
    (path, save): (&Path, &Save),
    (from, seen_by): (Option<u32>, Option<Role>),
    keeping: &KeepingArgs,
) -> Result<(), Failure> {
    let header = &save.header;
    let reader = saves::reader(save, setup, instance, seen_by).map_err(Failure::input)?;
    // What replies are worth says what is sealed.
    let open = reader == Reader::ALL;
    let case = saves::case(header, setup, instance).filter(|_| open);
    let values = case.map(|case| Values {
        case,
        seed: header.seed.clone(),
        hints: false,
        waker: stage.waker(),
    });
    let scene = Scene {
        values,
        facts: DebateFacts {
            title: save.titled(&setup.title),
            reader,
            blind: header.blind && !open,
            about: setup.about.clone(),
            briefing: setup.briefing.clone(),
            debrief: setup.debrief.clone(),
            seed: header.seed.as_str().to_owned(),
            seats: sitters(&header.players, &header.protocol),
            judge_sees: setup.judge_sees,
            ..DebateFacts::new(instance, &header.protocol)
        },
        kept: Some(String::new()),
        tempo: stage.tempo,
        comparable: open && compare::is_comparable(setup),
        ..Scene::new(instance, &header.protocol)
    };
    let tape = Tape::of_save(save, instance).map_err(Failure::input)?;
    let mut begin = match from {
        None => 0,
        Some(round) => tape
            .start_of(round)
            .ok_or_else(|| Failure::input(format!("this debate has no round {round}")))?,
    };
    let plan = Plan::of_save(header, setup.clone(), instance)?;
    let mut said = save.warning();
    loop {
        match stage.replay(tape.clone(), begin, &scene, said.take())? {
            Watched::Done => return Ok(()),
            Watched::Compare => compare::show(stage, &plan)?,
            // What was played on would not verify either.
            Watched::PlayOn(at, _) if save.doubt().is_some() => {
                begin = at;
                said = Some("Nobody plays on from a save that does not verify.".to_owned());
            }
            Watched::PlayOn(at, moves) => {
                begin = at;
                play_on(stage, &plan, instance, &moves, Some(path), keeping)?;
            }
        }
    }
}

/// Plays on from where these moves stand, in a save of its own. Where no person sat, a seat is
/// asked for first.
fn play_on(
    stage: &mut Stage,
    plan: &Plan,
    instance: &Instance,
    moves: &[Move<Exact>],
    of: Option<&Path>,
    keeping: &KeepingArgs,
) -> Result<(), Failure> {
    let mut plan = plan.clone();
    if !plan.players.iter().any(Spec::is_human) && !choose_seat(stage, &mut plan, false)? {
        return Ok(());
    }
    let start = plan.protocol.start(instance).map_err(Failure::input)?;
    let players = seated(&plan, instance)?;
    let seating = Seating::new(start, players, &plan.seed, plan.debate);
    let name = of.and_then(Path::file_name);
    let branch = Branch {
        from: moves.len() as u64,
        of: name.map(|name| name.to_string_lossy().into_owned()),
    };
    let journal = begin(&plan, instance, keeping, Some(branch))?;
    let mut session = Session::new(seating, journal);
    session.take_over(moves).map_err(Failure::input)?;
    resumed(stage, &plan, instance, &mut session).map(drop)
}

/// Plays a lesson's debate.
pub(super) fn taught<'a>(
    stage: &mut Stage,
    plan: &Plan,
    instance: &'a Instance,
    session: &mut Session<'a>,
    coach: Coach,
) -> Result<Next, Failure> {
    let scene = Scene {
        coach: Some(coach),
        // Whoever reads is not hurried.
        tempo: stage.tempo.waiting(),
        ..stage.scene(plan, instance, Some(session))
    };
    run(stage, session, &scene, plan)
}

/// What the user wants after a debate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Nothing: they left.
    Left,
    /// Another one.
    Again,
    /// To go on in the tutorial.
    On,
}

/// Plays one debate.
fn run<'a>(
    stage: &mut Stage,
    session: &mut Session<'a>,
    scene: &Scene<'a>,
    plan: &Plan,
) -> Result<Next, Failure> {
    loop {
        let keys = stage.keys();
        let players = PlayerThread::new(scene.facts.instance, stage.waker(), {
            let plan = plan.clone();
            move |instance| {
                plan.seating(instance)
                    .map_err(|failure| failure.to_string())
            }
        });
        match stage.show(&mut Debate::new(session, scene, &keys).with_players(players))? {
            Outcome::Quit => return Ok(Next::Left),
            Outcome::PlayAgain => return Ok(Next::Again),
            Outcome::Onward => return Ok(Next::On),
            Outcome::Compare => compare::show(stage, plan)?,
            Outcome::WatchAgain => {
                let start = plan
                    .protocol
                    .start(scene.facts.instance)
                    .map_err(Failure::input)?;
                let tape = Tape::of_moves(start, session.seating().moves());
                watch_again(stage, session, scene, plan, &tape)?;
            }
        }
    }
}

/// Watches a debate again that was just played. Variations of it are kept beside it.
fn watch_again<'a>(
    stage: &mut Stage,
    session: &Session<'a>,
    scene: &Scene<'a>,
    plan: &Plan,
    tape: &Tape<'a>,
) -> Result<(), Failure> {
    let path = session.path();
    let keeping = KeepingArgs {
        saves: path.and_then(Path::parent).map(Path::to_owned),
        no_save: path.is_none(),
    };
    let mut begin = 0;
    loop {
        match stage.replay(tape.clone(), begin, scene, None)? {
            Watched::Done => return Ok(()),
            Watched::Compare => compare::show(stage, plan)?,
            Watched::PlayOn(at, moves) => {
                begin = at;
                play_on(stage, plan, scene.facts.instance, &moves, path, &keeping)?;
            }
        }
    }
}

/// Asks for a seat. `false`: the user left.
pub(super) fn choose(stage: &mut Stage, plan: &mut Plan) -> Result<bool, Failure> {
    choose_seat(stage, plan, true)
}

/// Asks for a seat, or where it may be, first for other players and rules. `false`: the user left.
fn choose_seat(stage: &mut Stage, plan: &mut Plan, arrangeable: bool) -> Result<bool, Failure> {
    let instance = plan.setup.instance(plan.world);
    let scene = stage.scene(plan, &instance, None);
    let preselected = plan.setup.sit.map_or(SeatChoice::Watch, SeatChoice::At);
    let offer = ChooserModel {
        scene: &scene,
        preselected,
        arrangeable,
    };
    let keys = stage.keys();
    let chair = stage.show(&mut Chooser::new(&offer, &keys))?;
    match chair {
        None => return Ok(false),
        Some(SeatChoice::Watch) => {}
        Some(SeatChoice::Arrange) => return arrange(stage, plan, false),
        Some(SeatChoice::At(seat)) => {
            if let Some(player) = plan.players.get_mut(seat.index()) {
                *player = Spec::named("human");
            }
        }
    }
    Ok(true)
}

/// Asks who plays, by which rules, from which seed. `false`: the user left.
pub(super) fn arrange(stage: &mut Stage, plan: &mut Plan, watches: bool) -> Result<bool, Failure> {
    let mut lobby = Lobby::new(plan, watches);
    let keys = stage.keys();
    Ok(stage.show(&mut Form::new(&mut lobby, &keys))? == Filled::Accepted)
}
