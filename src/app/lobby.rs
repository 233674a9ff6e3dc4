//! The lobby: the choice of players, rules, instance and seed before a debate.

mod form;

use super::Result;
use super::context::AppContext;
use super::harder::HarderOpponent;
use super::home::{finished_debates_of_scenario, human_result_text, human_seats};
use super::page::{AppPage, DebateStart, DebateToPlay, MovesWithSavePath, PageTransition};
use super::play::prepare_players;
use super::scene::scene;
use crate::tui::menu::{
    Form, FormOutcome, HarderOpponentOffer, SeatChoice, SeatChooserContents, SeatToPlayScreen,
};
use crate::tui::scene::DebateScreenContext;
use crate::tui::screen::ScreenExt as _;
use debate_core::player::PlayerSpec;
use debate_core::protocol::Seat;
use debate_host::plan::{DebatePlan, SaveStorageOptions};
use debate_host::record::{SaveListing, latest_saves_with_moves};
use form::DebatePlanForm;

/// Upper limit on the number of saves to search for the user's last debate of a scenario. After this debate, a harder
/// opponent is offered.
const MAX_SEARCHED: usize = 200;

/// Upper limit on the number of past results that the seat page shows.
const MAX_SHOWN_RESULTS: usize = 5;

/// Asks the user which seat to play. Before a new debate, also offers the lobby with other players and rules.
pub(super) fn show_seat_choice(
    app: &mut AppContext,
    mut plan: DebatePlan,
    played: Option<MovesWithSavePath>,
    save_options: SaveStorageOptions,
) -> Result<PageTransition> {
    let instance = plan.instance();
    let scene = DebateScreenContext {
        tempo: app.tempo,
        ..scene(&app.waker(), &plan, &instance, None)
    };
    let past = match played {
        None => past_debates(app, &plan, &save_options)?,
        Some(_) => PastDebates::default(),
    };
    let harder = past.harder_opponent;
    let stronger = harder.as_ref().map(|harder| HarderOpponentOffer {
        seat: harder.seat,
        names: harder.player_names_text(),
        about: harder.opponent_level_description(),
    });
    // The instance that the scenario names is another one only if it was drawn anew.
    let own_instance = plan.setup.world_of_debate(&plan.seed, plan.debate);
    let draws_other_instance =
        !past.last_results.is_empty() && instance.world_index() != own_instance;
    let offer = SeatChooserContents {
        draws_other_instance,
        stronger: stronger.as_ref(),
        last_results: &past.last_results,
        scene: &scene,
        preselected: plan.setup.sit.map_or(SeatChoice::Watch, SeatChoice::Play),
        can_change_players: played.is_none(),
    };
    let keys = app.keys();
    match app.show(&mut SeatToPlayScreen::new(&offer, &keys))? {
        None => return Ok(PageTransition::back_with_empty_report()),
        Some(SeatChoice::Arrange) => {
            let plan = Box::new(plan);
            let watches = false;
            return Ok(PageTransition::Open(AppPage::Lobby {
                plan,
                watches,
                seat_page_options: Some(save_options),
            }));
        }
        Some(SeatChoice::Watch) => {}
        Some(SeatChoice::Stronger) => {
            if let Some(harder) = &harder {
                harder.put_players_in_plan(&mut plan);
            }
        }
        Some(SeatChoice::Play(seat)) => {
            if let Some(player) = plan.players.get_mut(seat.seat_index()) {
                *player = PlayerSpec::without_arguments("human");
            }
        }
    }
    let start = match played {
        None => DebateStart::New(plan),
        Some(played) => DebateStart::Branch(plan, played),
    };
    Ok(PageTransition::Open(
        DebateToPlay::new(start, save_options).into(),
    ))
}

/// Facts from the user's finished debates of a scenario.
#[derive(Default)]
struct PastDebates {
    /// A harder opponent than in the last debate. `None` if the user did not win it, if there is no harder level, or if
    /// its players cannot play the scenario.
    harder_opponent: Option<HarderOpponent>,
    /// The results of the last debates, one line each, the newest first.
    last_results: Vec<String>,
}

/// Reads the user's finished debates of this scenario.
fn past_debates(
    app: &mut AppContext,
    plan: &DebatePlan,
    save_options: &SaveStorageOptions,
) -> Result<PastDebates> {
    if save_options.no_save {
        return Ok(PastDebates::default());
    }
    let folder = save_options.saves_folder()?;
    let plan = plan.clone();
    let found = app.wait_for(
        "The results of your last debates are being read",
        move |budget| {
            // An unreadable folder must not prevent the debate.
            let saves = latest_saves_with_moves(&folder, MAX_SEARCHED).unwrap_or_default();
            let own: Vec<&SaveListing> =
                finished_debates_of_scenario(&saves, |text| *text == *plan.setup.source).collect();
            let results = own.iter().filter_map(|save| result_line(save));
            let last_results = results.take(MAX_SHOWN_RESULTS).collect();
            let is_playable = |harder: &HarderOpponent| {
                let mut seated = plan.clone();
                harder.put_players_in_plan(&mut seated);
                let instance = seated.instance();
                seated.build_players(&instance, budget).is_ok()
            };
            let harder = own.first().copied();
            let harder = harder.and_then(HarderOpponent::one_level_harder_than_won_in_save);
            PastDebates {
                harder_opponent: harder.filter(is_playable),
                last_results,
            }
        },
    )?;
    Ok(found.unwrap_or_default())
}

/// Returns the result of the user's debate in a line: "As Bob: gap 2.5 percentage points, payoff +108 points" or "As
/// judge: right answer". `None` as for [`human_result_text`].
fn result_line(save: &SaveListing) -> Option<String> {
    let seats = human_seats(save.header.as_ref()?);
    let player = match seats.iter().find(|seat| **seat != Seat::Judge) {
        Some(seat) => seat.player_name_of_seat(),
        None => "judge",
    };
    let result = human_result_text(save)?;
    Some(format!("As {player}: {result}"))
}

/// Returns the seats of the human players in the user's last finished debate of the plan's scenario. Empty if there is
/// no such debate, or if the saves cannot be read, because that must not prevent a debate.
fn seats_of_last_debate(plan: &DebatePlan, save_options: &SaveStorageOptions) -> Vec<Seat> {
    let saves = save_options
        .saves_folder()
        .ok()
        .and_then(|folder| latest_saves_with_moves(&folder, MAX_SEARCHED).ok());
    let saves = saves.unwrap_or_default();
    let mut own = finished_debates_of_scenario(&saves, |text| *text == *plan.setup.source);
    let header = own.next().and_then(|save| save.header.as_ref());
    header.map(human_seats).unwrap_or_default()
}

/// Asks for players, rules and the seed, then opens the debate. If the plan has no human player and `watches` is false,
/// the form begins with the seats of the user's last debate of the scenario. It begins with hints as the user last
/// switched them. If the user leaves the form, returns to the seat page with these options, or else to the page below.
pub(super) fn show_lobby(
    app: &mut AppContext,
    mut plan: DebatePlan,
    watches: bool,
    seat_page_options: Option<SaveStorageOptions>,
) -> Result<PageTransition> {
    let keys = app.keys();
    let plan_at_start = plan.clone();
    let save_options = app.options.save_options.clone();
    let own_seats = if watches {
        Vec::new()
    } else {
        let seats = app.wait_for("Your seat in the last debate is being looked up", {
            let plan = plan.clone();
            move |_| seats_of_last_debate(&plan, &save_options)
        })?;
        seats.unwrap_or_default()
    };
    plan.hints = app.begins_with_hints(&plan);
    let had_hints = plan.hints;
    let (mut watches, mut notice) = (watches, None);
    let players = loop {
        let mut lobby = DebatePlanForm::new(&mut plan, watches, &own_seats);
        let mut form = Form::new(&mut lobby, &keys);
        if let Some(why) = notice {
            form.show_note(why);
        }
        if app.show(&mut form)? != FormOutcome::Accepted {
            return Ok(match seat_page_options {
                Some(save_options) => PageTransition::Open(AppPage::Seat {
                    plan: Box::new(plan_at_start),
                    played: None,
                    save_options,
                }),
                None => PageTransition::back_with_empty_report(),
            });
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
    // Blind debates have no hints, whatever the user prefers.
    if !plan.blind && plan.hints != had_hints {
        app.hints_on = Some(plan.hints);
    }
    // The form showed the prover, so she is the user's choice.
    plan.may_follow = false;
    let page = DebateToPlay {
        players: Some(players),
        ..DebateToPlay::new(DebateStart::New(plan), app.options.save_options.clone())
    };
    Ok(PageTransition::Open(page.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use debate_host::record::Save;
    use debate_solver::setup::ScenarioLimits;
    use std::path::Path;

    #[test]
    fn the_last_finished_debate_of_the_scenario_gives_the_seats() {
        let saves = Path::new(env!("CARGO_MANIFEST_DIR")).join("saves");
        let folder = tempfile::tempdir().unwrap();
        let save_options = SaveStorageOptions {
            folder: Some(folder.path().to_owned()),
            no_save: false,
        };
        let plan = |name: &str| {
            let save = Save::read_save(&saves.join(name)).unwrap();
            let setup = save
                .read_saved_scenario(&ScenarioLimits::default())
                .unwrap();
            let instance = save.header.debated_instance(&setup).unwrap();
            DebatePlan::plan_of_saved_debate(&save.header, setup, &instance).unwrap()
        };
        let [of_alice, of_judge] = ["primes-small-prover.ron", "pull-request-judge.ron"];
        assert!(seats_of_last_debate(&plan(of_alice), &save_options).is_empty());
        std::fs::copy(saves.join(of_alice), folder.path().join(of_alice)).unwrap();
        assert_eq!(
            seats_of_last_debate(&plan(of_alice), &save_options),
            [Seat::Prover]
        );
        // A debate of another scenario does not count.
        assert!(seats_of_last_debate(&plan(of_judge), &save_options).is_empty());
    }
}
