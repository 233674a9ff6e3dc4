//! Playing and replaying on the screen.

use std::io;

use super::plan::{Plan, begin, say_where, seated};
use super::{DisplayArgs, Failure, KeepingArgs, registry, report};
use crate::analysis::review::Case;
use crate::chance::Seed;
use crate::number::Exact;
use crate::player::{Seating, Spec};
use crate::protocol::{Protocol, Seat};
use crate::record::{Save, Session};
use crate::scenario::Instance;
use crate::setup::Setup;
use crate::tui::actions::KeyMap;
use crate::tui::input::Inbox;
use crate::tui::scene::{Scene, Sitter, Values};
use crate::tui::screen::{self, Chair, Do, Offer, Outcome, Replay, Tape};
use crate::tui::terminal::{Options, Screen};
use crate::tui::theme::Look;

/// The terminal while it is ours.
struct Stage {
    screen: Screen,
    inbox: Inbox<()>,
    keys: KeyMap<Do>,
    look: Look,
}

impl Stage {
    fn open(display: &DisplayArgs) -> Result<Self, Failure> {
        let preferences = &display.preferences;
        let settings = &preferences.settings;
        let keys = settings.keys();
        let keys = keys.map_err(|error| Failure::System(error.to_string()))?;
        let inbox = Inbox::new();
        // Every reply is on the disk before it is shown, so there is nothing left to save.
        let screen = Screen::open(
            Options {
                mouse: !settings.no_mouse,
            },
            &inbox,
            || {},
        )?;
        Ok(Self {
            screen,
            inbox,
            keys,
            look: preferences.look,
        })
    }

    /// Walks through a debate from after so many steps on.
    fn replay<'a>(
        &mut self,
        tape: Tape<'a>,
        begin: usize,
        scene: &Scene<'a>,
    ) -> Result<(), Failure> {
        let mut replay = Replay::new(tape, scene, &self.keys);
        replay.go(begin);
        Ok(screen::run(
            &mut self.screen,
            &mut self.inbox,
            &mut replay,
            &mut self.look,
        )?)
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
    drop(seated(&plan.players, &first, &plan.protocol)?);
    let mut stage = Stage::open(display)?;
    if asks && !choose(&mut stage, &mut plan, &first, display)? {
        return Ok(());
    }
    loop {
        let instance = plan.setup.instance(plan.world);
        let start = plan.protocol.start(&instance).map_err(Failure::input)?;
        let players = seated(&plan.players, &instance, &plan.protocol)?;
        let seating = Seating::new(start, players, &plan.seed, plan.debate);
        let mut session = Session::new(seating, begin(&plan, &instance, keeping)?);
        let scene = scene(&plan, &instance, Some(&session), display);
        if run(&mut stage, &mut session, &scene, &plan.protocol)? {
            plan.seed = Seed::random();
            plan.debate = 0;
            if !plan.fixed_world {
                plan.world = plan.setup.draw(&plan.seed, 0);
            }
            continue;
        }
        drop(stage);
        return part(&session, &instance, plan.blind.then_some(&plan.players));
    }
}

/// Goes on with a kept debate on the screen.
pub(super) fn resume<'a>(
    plan: &Plan,
    instance: &'a Instance,
    mut session: Session<'a>,
    display: &DisplayArgs,
) -> Result<(), Failure> {
    let mut stage = Stage::open(display)?;
    let scene = scene(plan, instance, Some(&session), display);
    // A resumed debate has its seed; "again" with another one is a new debate.
    run(&mut stage, &mut session, &scene, &plan.protocol)?;
    drop(stage);
    part(&session, instance, None)
}

/// Replays a save on the screen.
pub(super) fn replay(
    setup: &Setup,
    instance: &Instance,
    save: &Save,
    from: Option<u32>,
    display: &DisplayArgs,
) -> Result<(), Failure> {
    let header = &save.header;
    let named = header.players.each_ref().map(|name| Spec::parse(name).ok());
    // Of players that this program does not know nothing can be said.
    let values = match named {
        [Some(prover), Some(opponent), Some(judge)] => Some(Values {
            case: Case::new(
                instance,
                &header.protocol,
                [prover, opponent, judge],
                registry(),
            ),
            seed: header.seed.clone(),
            hints: false,
        }),
        _ => None,
    };
    let scene = Scene {
        values,
        title: setup.title.clone(),
        about: setup.about.clone(),
        seed: header.seed.as_str().to_owned(),
        seats: sitters(&header.players, &header.protocol),
        judge_sees: setup.judge_sees,
        kept: Some(String::new()),
        tempo: display.preferences.settings.tempo,
        ..Scene::new(instance, &header.protocol)
    };
    let tape = Tape::of_save(save, instance).map_err(Failure::input)?;
    let begin = match from {
        None => 0,
        Some(round) => tape
            .start_of(round)
            .ok_or_else(|| Failure::input(format!("this debate has no round {round}")))?,
    };
    Stage::open(display)?.replay(tape, begin, &scene)
}

/// Plays one debate; `true` where the user wants another one.
fn run<'a>(
    stage: &mut Stage,
    session: &mut Session<'a>,
    scene: &Scene<'a>,
    protocol: &Protocol,
) -> Result<bool, Failure> {
    loop {
        let Stage {
            screen,
            inbox,
            keys,
            look,
        } = stage;
        match screen::play(screen, inbox, keys, session, scene, look)? {
            Outcome::Quit => return Ok(false),
            Outcome::PlayAgain => return Ok(true),
            Outcome::WatchAgain => {
                let start = protocol.start(scene.instance).map_err(Failure::input)?;
                let tape = Tape::of_moves(start, session.seating().moves());
                stage.replay(tape, 0, scene)?;
            }
        }
    }
}

/// Asks for a seat. `false`: the user left.
fn choose(
    stage: &mut Stage,
    plan: &mut Plan,
    instance: &Instance,
    display: &DisplayArgs,
) -> Result<bool, Failure> {
    let scene = scene(plan, instance, None, display);
    let preselected = plan.setup.sit.map_or(Chair::Watch, Chair::At);
    let offer = Offer {
        scene: &scene,
        preselected,
    };
    let Stage {
        screen,
        inbox,
        keys,
        look,
    } = stage;
    let chair = screen::choose(screen, inbox, keys, &offer, look)?;
    match chair {
        None => return Ok(false),
        Some(Chair::Watch) => {}
        Some(Chair::At(seat)) => {
            if let Some(player) = plan.players.get_mut(seat.index()) {
                *player = Spec::named("human");
            }
        }
    }
    Ok(true)
}

fn sitters(names: &[String; 3], protocol: &Protocol) -> [Sitter; 3] {
    let registry = registry::<Exact>();
    Seat::PLAYERS.map(|seat| {
        let name = &names[seat.index()];
        let about = Spec::parse(name)
            .ok()
            .and_then(|spec| Some(registry.find(&spec.name, seat, protocol.kind()).ok()?.about));
        Sitter {
            player: name.clone(),
            about: about.unwrap_or_default().to_owned(),
        }
    })
}

/// What is told about the debate, which is perhaps kept already.
fn scene<'a>(
    plan: &Plan,
    instance: &'a Instance,
    session: Option<&Session<'_>>,
    display: &DisplayArgs,
) -> Scene<'a> {
    let names = plan.players.each_ref().map(ToString::to_string);
    let mut seats = sitters(&names, &plan.protocol);
    if plan.blind {
        for (spec, sitter) in plan.players.iter().zip(&mut seats) {
            if !spec.is_human() {
                *sitter = Sitter {
                    player: "not told".to_owned(),
                    about: String::new(),
                };
            }
        }
    }
    let path = session.and_then(Session::path);
    Scene {
        title: plan.setup.title.clone(),
        about: plan.setup.about.clone(),
        seed: plan.seed.as_str().to_owned(),
        seats,
        judge_sees: plan.setup.judge_sees,
        kept: path.map(|path| {
            format!(
                "The debate is kept. To go on: debate-tui resume {}",
                path.display()
            )
        }),
        values: plan.case(instance).map(|case| Values {
            case,
            seed: plan.seed.clone(),
            hints: plan.hints,
        }),
        tempo: display.preferences.settings.tempo,
        ..Scene::new(instance, &plan.protocol)
    }
}

/// What is left on the terminal when the screen is gone.
fn part(
    session: &Session<'_>,
    instance: &Instance,
    blind: Option<&[Spec; 3]>,
) -> Result<(), Failure> {
    let over = session.seating().turn().is_none();
    let mut out = io::stdout().lock();
    if over {
        report::conclude(&mut out, session.seating(), instance)?;
    }
    if let Some(players) = blind {
        report::unveil(&mut out, players)?;
    }
    drop(out);
    say_where(session, over)
}
