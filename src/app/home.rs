//! `debate-tui` without arguments: the home page, from which the user opens scenarios, saves and the tutorial.

mod daily;
mod library;
mod next_step;
mod preview;
mod progress;

use std::time::SystemTime;

use library::HomePageItems;
pub(super) use library::{FINISHED, WHAT_NEXT};
pub(in crate::app) use progress::{finished_debates_of_scenario, human_result_text, human_seats};

use super::context::AppContext;
use super::page::{
    AppPage, DebateStart, DebateToPlay, DebatesToCompare, HomeItemOpenMode, HomeItemTarget,
    HomePageToOpen, LessonInOrOutsideCourse, PageTransition, ReplayAudience, ReplayPage,
};
use super::start_of_daily_debate;
use super::tutorial::{self, LessonCourseProgress};
use super::{CommandFailure, Result};
use crate::tui::menu::{HomeScreen, HomeScreenChoice};
use crate::tui::screen::ScreenExt as _;
use crate::tui::tutorial::LessonTexts;
use debate_core::player::PlayerSpec;
use debate_core::protocol::Seat;
use debate_host::plan::{
    DailyDate, DebateOptions, DebatePlan, DebatePlanError, SaveStorageOptions, finished_daily_save,
};
use debate_host::record::{
    Save, SaveHeader, UserSaveLabel, delete_save_and_label, latest_saves_with_moves, list_saves,
};
use debate_solver::setup::ScenarioLimits;

/// Upper limit on the number of saves to search for a debate of a scenario.
const MAX_SEARCHED: usize = 200;

/// Returns the texts of the lesson to which a saved debate belongs; `None` if it belongs to no lesson.
pub(super) fn lesson_texts_of_save(header: &SaveHeader) -> Option<LessonTexts> {
    LessonTexts::texts_of_lesson_save(&header.scenario, &header.seed, &header.players)
}

/// Shows the home page and handles the user's choice.
pub(super) fn show_home_page(app: &mut AppContext, page: HomePageToOpen) -> Result<PageTransition> {
    let mut library = HomePageItems::open(
        &app.options.save_options,
        &app.options.debate.limits,
        app.waker(),
        page.shows_hidden,
    )?;
    let keys = app.keys();
    let mut home = HomeScreen::new(&mut library, &keys, page.marked.as_ref());
    if let Some(words) = page.notice {
        home.show_note(words);
    }
    let opened = app.show(&mut home)?;
    if let Some(error) = library.failed {
        return Err(CommandFailure::from_system_error(error));
    }
    let shows_hidden = page.shows_hidden;
    let page = |marked, notice| {
        AppPage::Home(HomePageToOpen {
            marked,
            notice,
            shows_hidden,
        })
    };
    let again = |marked, notice: Result<&str, String>| {
        let notice = notice.map_or_else(|why| why, str::to_owned);
        Ok(PageTransition::Open(page(marked, Some(notice))))
    };
    let (target, how) = match opened {
        HomeScreenChoice::Quit => return Ok(PageTransition::back_with_empty_report()),
        HomeScreenChoice::Removed(target, marked) => {
            let removed = target.save_path().map_or(Ok(()), delete_save_and_label);
            let notice = removed
                .map(|()| "The debate is deleted.")
                .map_err(|error| format!("The debate was not deleted: {error}."));
            return again(marked, notice);
        }
        HomeScreenChoice::Renamed(target, name) => {
            let kept = note(&target, |label| label.name = Some(name));
            let notice = "The debate has a new name on the home screen; the save is not changed.";
            return again(Some(target), kept.map(|()| notice));
        }
        HomeScreenChoice::Hidden(target, next) => {
            let mut hidden = false;
            let kept = note(&target, |label| {
                label.is_hidden = !label.is_hidden;
                hidden = label.is_hidden;
            });
            let (marked, notice) = if hidden && !shows_hidden {
                (
                    next,
                    "The debate is hidden; the command “show-hidden” shows hidden debates.",
                )
            } else if hidden {
                (Some(target), "It is hidden.")
            } else {
                (Some(target), "It is shown again.")
            };
            return again(marked, kept.map(|()| notice));
        }
        HomeScreenChoice::ShowHidden(marked) => {
            let page = HomePageToOpen {
                marked,
                notice: None,
                shows_hidden: !shows_hidden,
            };
            return Ok(PageTransition::Open(AppPage::Home(page)));
        }
        HomeScreenChoice::HomeItem(target) => (target, HomeItemOpenMode::Plain),
        HomeScreenChoice::Arranged(target) => (target, HomeItemOpenMode::Arranged),
        HomeScreenChoice::Compared(target) => (target, HomeItemOpenMode::Compared),
        HomeScreenChoice::Watched(target) => (target, HomeItemOpenMode::Watched),
    };
    let below = page(Some(target.clone()), None);
    let next = AppPage::Target { target, how };
    Ok(PageTransition::OpenOver { next, below })
}

/// Changes the label of a save, which is stored beside it: the debate's name on the home page, or whether the debate is
/// hidden.
fn note(target: &HomeItemTarget, change: impl FnOnce(&mut UserSaveLabel)) -> Result<(), String> {
    let Some(path) = target.save_path() else {
        return Ok(());
    };
    let mut label = UserSaveLabel::read_label_beside_save(path);
    change(&mut label);
    let kept = label.write_label(path);
    kept.map_err(|error| {
        format!(
            "The file with the name and the hidden mark of this debate cannot be written: {error}."
        )
    })
}

/// Opens the picked item.
pub(super) fn open_home_item(
    app: &mut AppContext,
    target: HomeItemTarget,
    how: HomeItemOpenMode,
) -> Result<PageTransition> {
    use HomeItemTarget::{Daily, Finished, Harder, Scenario, ScenarioSeat, Tutorial, Unfinished};
    let save_options = app.options.save_options.clone();
    let play = |start, tutor| {
        AppPage::from(DebateToPlay {
            tutor,
            ..DebateToPlay::new(start, save_options.clone())
        })
    };
    Ok(PageTransition::Open(match (target, how) {
        (Scenario(name) | ScenarioSeat(name, _), HomeItemOpenMode::Compared) => {
            AppPage::Compare(DebatesToCompare::Scenario(name))
        }
        (Scenario(name) | ScenarioSeat(name, _), HomeItemOpenMode::Arranged) => {
            let options = app.options.debate.clone();
            let Some(plan) = plan(app, name, options)? else {
                return Ok(PageTransition::back_with_empty_report());
            };
            AppPage::Lobby {
                plan: Box::new(plan),
                watches: app.options.debate.roles.contains(&None),
                seat_page_options: None,
            }
        }
        (Scenario(name), HomeItemOpenMode::Plain) => return open_scenario(app, name, None),
        (ScenarioSeat(name, seat), HomeItemOpenMode::Plain) => {
            return open_scenario(app, name, Some(seat));
        }
        (Daily, HomeItemOpenMode::Plain) => {
            let folder = save_options.saves_folder()?;
            let saves = app.wait_for("The saves are being read", move |_| list_saves(&folder))?;
            let Some(saves) = saves else {
                return Ok(PageTransition::back_with_empty_report());
            };
            let today = DailyDate::utc_day_of_time(SystemTime::now());
            let saves = saves?;
            // A second debate would count only as practice, so home shows the first one.
            if let Some(finished) = finished_daily_save(today, &saves) {
                let finished = Finished(finished.path.clone());
                return open_home_item(app, finished, HomeItemOpenMode::Plain);
            }
            play(start_of_daily_debate(today, &saves)?, None)
        }
        (Harder(opponent), HomeItemOpenMode::Plain | HomeItemOpenMode::Arranged) => {
            let scenario = opponent.scenario.unwrap_or_default().to_owned();
            let options = app.options.debate.clone();
            let Some(mut plan) = plan(app, scenario, options)? else {
                return Ok(PageTransition::back_with_empty_report());
            };
            opponent.put_players_in_plan(&mut plan);
            match how {
                HomeItemOpenMode::Arranged => AppPage::Lobby {
                    plan: Box::new(plan),
                    watches: false,
                    seat_page_options: None,
                },
                _ => play(DebateStart::New(plan), None),
            }
        }
        (Tutorial, HomeItemOpenMode::Plain) => {
            AppPage::Tutorial(LessonCourseProgress::open(&save_options, None)?)
        }
        (Tutorial, HomeItemOpenMode::Arranged) => {
            return tutorial::show_lesson_choice(app, &save_options);
        }
        (Unfinished(path, Some(coach)), HomeItemOpenMode::Plain) => {
            let course = LessonCourseProgress::open(&save_options, None)?;
            if course.is_save_of_next_lesson(&path) {
                AppPage::Tutorial(course)
            } else {
                play(
                    DebateStart::Kept(path),
                    Some(LessonInOrOutsideCourse::Standalone(coach)),
                )
            }
        }
        (Unfinished(path, None), HomeItemOpenMode::Plain) => play(DebateStart::Kept(path), None),
        (
            Unfinished(path, _) | Finished(path),
            HomeItemOpenMode::Plain | HomeItemOpenMode::Arranged | HomeItemOpenMode::Watched,
        ) => {
            let wanted = path.clone();
            let read = app.wait_for("The save is being read", move |_| {
                Save::read_leniently(&wanted, &ScenarioLimits::default())
            })?;
            let Some(read) = read else {
                return Ok(PageTransition::back_with_empty_report());
            };
            let save = read.map_err(|error| CommandFailure::from_file_error(&path, error))?;
            let page =
                ReplayPage::of_save(&path, save, None, ReplayAudience::Players, save_options);
            AppPage::Replay(Box::new(page))
        }
        (Scenario(_) | ScenarioSeat(..) | Tutorial, HomeItemOpenMode::Watched)
        | (Tutorial | Unfinished(..) | Finished(_), HomeItemOpenMode::Compared)
        | (Daily | Harder(_), _) => {
            return Ok(PageTransition::back_with_empty_report());
        }
    }))
}

/// True if the latest saves ([`MAX_SEARCHED`]) contain a debate of the plan's scenario that the user finished. False if
/// the saves cannot be read, because that must not prevent a debate.
fn was_scenario_played(plan: &DebatePlan, save_options: &SaveStorageOptions) -> bool {
    let saves = save_options
        .saves_folder()
        .ok()
        .and_then(|folder| latest_saves_with_moves(&folder, MAX_SEARCHED).ok());
    let saves = saves.unwrap_or_default();
    finished_debates_of_scenario(&saves, |text| *text == *plan.setup.source)
        .next()
        .is_some()
}

/// Opens the seat page of a scenario, with `marked_seat` marked if it is given. A scenario that assigns seats to human
/// players needs no seat page.
fn open_scenario(
    app: &mut AppContext,
    name: String,
    marked_seat: Option<Seat>,
) -> Result<PageTransition> {
    let save_options = app.options.save_options.clone();
    let mut options = app.options.debate.clone();
    if marked_seat.is_some() {
        // The seat and the seed of the command line belong to the debate before this one.
        options.roles.clear();
        options.choices.seed = None;
    }
    let Some(mut plan) = plan(app, name, options)? else {
        return Ok(PageTransition::back_with_empty_report());
    };
    if plan.players.iter().any(PlayerSpec::is_human) {
        let page = DebateToPlay::new(DebateStart::New(plan), save_options);
        return Ok(PageTransition::Open(page.into()));
    }
    plan.setup.sit = marked_seat.or(plan.setup.sit);
    Ok(PageTransition::Open(AppPage::Seat {
        plan: Box::new(plan),
        played: None,
        save_options,
    }))
}

/// Reads a scenario on a separate thread. If the user has finished a debate of the scenario and gave no seed, the
/// instance is the one of [`DebatePlan::draw_instance_from_seed_unless_chosen`]. Returns `None` if the user cancels.
fn plan(app: &mut AppContext, name: String, options: DebateOptions) -> Result<Option<DebatePlan>> {
    let save_options = app.options.save_options.clone();
    let plan = app.wait_for("The scenario is being read", move |_| {
        let mut plan = options.plan_named_scenario(&name)?;
        // With an explicit seed the user asks for one debate.
        if options.choices.seed.is_none() && was_scenario_played(&plan, &save_options) {
            plan.draw_instance_from_seed_unless_chosen();
        }
        Ok::<_, DebatePlanError>(plan)
    })?;
    Ok(plan.transpose()?)
}
