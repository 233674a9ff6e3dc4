//! The lobby: the choice of players, rules, instance and seed before a debate.

mod form;

use super::Result;
use super::context::AppContext;
use super::page::{AppPage, DebateStart, PlayPage, PlayedMoves, Transition};
use super::play::prepare_players;
use super::scene::scene;
use crate::tui::menu::{Form, FormOutcome, SeatChoice, SeatChooser, SeatChooserModel};
use crate::tui::scene::Scene;
use crate::tui::screen::ScreenExt as _;
use debate_core::player::Spec;
use debate_host::plan::{DebatePlan, SaveOptions};
use form::Lobby;

/// Asks for the user's seat. Before a new debate, also offers the lobby with other players and rules.
pub(super) fn show_seat_choice(
    app: &mut AppContext,
    mut plan: DebatePlan,
    played: Option<PlayedMoves>,
    save_options: SaveOptions,
) -> Result<Transition> {
    let instance = plan.instance();
    let scene = Scene {
        tempo: app.tempo,
        ..scene(app.waker(), &plan, &instance, None)
    };
    let offer = SeatChooserModel {
        scene: &scene,
        preselected: plan.setup.sit.map_or(SeatChoice::Watch, SeatChoice::Play),
        arrangeable: played.is_none(),
    };
    let keys = app.keys();
    match app.show(&mut SeatChooser::new(&offer, &keys))? {
        None => return Ok(Transition::back()),
        Some(SeatChoice::Arrange) => {
            let plan = Box::new(plan);
            let watches = false;
            return Ok(Transition::Open(AppPage::Lobby { plan, watches }));
        }
        Some(SeatChoice::Watch) => {}
        Some(SeatChoice::Play(seat)) => {
            if let Some(player) = plan.players.get_mut(seat.index()) {
                *player = Spec::without_arguments("human");
            }
        }
    }
    let start = match played {
        None => DebateStart::New(plan),
        Some(played) => DebateStart::Branch(plan, played),
    };
    Ok(Transition::Open(PlayPage::new(start, save_options).into()))
}

/// Asks for players, rules and the seed, then opens the debate.
pub(super) fn show_lobby(
    app: &mut AppContext,
    mut plan: DebatePlan,
    watches: bool,
) -> Result<Transition> {
    let keys = app.keys();
    let (mut watches, mut notice) = (watches, None);
    let players = loop {
        let mut lobby = Lobby::new(&mut plan, watches);
        let mut form = Form::new(&mut lobby, &keys);
        if let Some(why) = notice {
            form.say(why);
        }
        if app.show(&mut form)? != FormOutcome::Accepted {
            return Ok(Transition::back());
        }
        let instance = plan.instance();
        notice = match prepare_players(app, &plan, &instance)? {
            Some(Ok(players)) => break players,
            Some(Err(why)) => Some(why),
            None => None,
        };
        // Makes the form show the seats as the user chose them, without seating a human player by default.
        watches = true;
    };
    // The form showed the prover, so she is the user's choice.
    plan.may_follow = false;
    let page = PlayPage {
        players: Some(players),
        ..PlayPage::new(DebateStart::New(plan), app.options.save_options.clone())
    };
    Ok(Transition::Open(page.into()))
}
