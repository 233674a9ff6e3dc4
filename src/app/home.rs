//! `debate-tui` without arguments: the home page, which opens all other pages.

mod daily;
mod library;
mod preview;
mod progress;

use std::time::SystemTime;

use library::HomeLibrary;
pub(in crate::app) use progress::human_seats;

use super::context::AppContext;
use super::daily_start;
use super::page::{
    AppPage, Audience, CoachingMode, ComparisonSource, DebateStart, HomePage, HomeTarget, OpenMode,
    PlayPage, ReplayPage, Transition,
};
use super::tutorial::{self, LessonCourse};
use super::{Failure, Result};
use crate::tui::menu::{Home, HomeOutcome};
use crate::tui::screen::ScreenExt as _;
use crate::tui::tutorial::Coach;
use debate_core::player::Spec;
use debate_host::plan::{DailyDate, DebatePlan};
use debate_host::record::{Header, Save, SaveLabel, delete, list_saves};
use debate_solver::setup::Limits;

/// Returns the tutorial's coach for a saved debate, if the debate belongs to a lesson.
pub(super) fn coach(header: &Header) -> Option<Coach> {
    Coach::of_save(&header.scenario, &header.seed, &header.players)
}

/// Shows the home page and handles the user's choice.
pub(super) fn home(app: &mut AppContext, page: HomePage) -> Result<Transition> {
    let mut library = HomeLibrary::open(
        &app.options.save_options,
        &app.options.debate.limits,
        app.waker(),
        page.shows_hidden,
    )?;
    let keys = app.keys();
    let mut home = Home::new(&mut library, &keys, page.marked.as_ref());
    if let Some(words) = page.notice {
        home.show_note(words);
    }
    let opened = app.show(&mut home)?;
    if let Some(error) = library.failed {
        return Err(Failure::system(error));
    }
    let shows_hidden = page.shows_hidden;
    let page = |marked, notice| {
        AppPage::Home(HomePage {
            marked,
            notice,
            shows_hidden,
        })
    };
    let again = |marked, notice: Result<&str, String>| {
        let notice = notice.map_or_else(|why| why, str::to_owned);
        Ok(Transition::Open(page(marked, Some(notice))))
    };
    let (target, how) = match opened {
        HomeOutcome::Quit => return Ok(Transition::back()),
        HomeOutcome::Removed(target, marked) => {
            let removed = target.save_path().map_or(Ok(()), delete);
            let notice = removed
                .map(|()| "The debate is deleted.")
                .map_err(|error| format!("The debate was not deleted: {error}."));
            return again(marked, notice);
        }
        HomeOutcome::Renamed(target, name) => {
            let kept = note(&target, |label| label.name = Some(name));
            let notice = "The debate has a new name on the home screen; the save is not changed.";
            return again(Some(target), kept.map(|()| notice));
        }
        HomeOutcome::Hidden(target, next) => {
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
        HomeOutcome::ShowHidden(marked) => {
            let page = HomePage {
                marked,
                notice: None,
                shows_hidden: !shows_hidden,
            };
            return Ok(Transition::Open(AppPage::Home(page)));
        }
        HomeOutcome::HomeItem(target) => (target, OpenMode::Plain),
        HomeOutcome::Arranged(target) => (target, OpenMode::Arranged),
        HomeOutcome::Compared(target) => (target, OpenMode::Compared),
        HomeOutcome::Watched(target) => (target, OpenMode::Watched),
    };
    let below = page(Some(target.clone()), None);
    let next = AppPage::Target { target, how };
    Ok(Transition::OpenOver { next, below })
}

/// Changes the label of a save, which is stored beside it: the debate's name on the home page, or whether the debate is
/// hidden.
fn note(target: &HomeTarget, change: impl FnOnce(&mut SaveLabel)) -> Result<(), String> {
    let Some(path) = target.save_path() else {
        return Ok(());
    };
    let mut label = SaveLabel::read(path);
    change(&mut label);
    let kept = label.save_label(path);
    kept.map_err(|error| {
        format!(
            "The file with the name and the hidden mark of this debate cannot be written: {error}."
        )
    })
}

/// Opens the picked item.
pub(super) fn open(app: &mut AppContext, target: HomeTarget, how: OpenMode) -> Result<Transition> {
    use HomeTarget::{Daily, Finished, Harder, Scenario, Tutorial, Unfinished};
    let save_options = app.options.save_options.clone();
    let play = |start, tutor| {
        AppPage::from(PlayPage {
            tutor,
            ..PlayPage::new(start, save_options.clone())
        })
    };
    Ok(Transition::Open(match (target, how) {
        (Scenario(name), OpenMode::Compared) => AppPage::Compare(ComparisonSource::Scenario(name)),
        (Scenario(name), OpenMode::Arranged) => {
            let Some(plan) = plan(app, name)? else {
                return Ok(Transition::back());
            };
            AppPage::Lobby {
                plan: Box::new(plan),
                watches: app.options.debate.roles.contains(&None),
            }
        }
        (Scenario(name), OpenMode::Plain) => {
            let Some(plan) = plan(app, name)? else {
                return Ok(Transition::back());
            };
            // A scenario that assigns seats to human players needs no question.
            if plan.players.iter().any(Spec::is_human) {
                play(DebateStart::New(plan), None)
            } else {
                AppPage::Seat {
                    plan: Box::new(plan),
                    played: None,
                    save_options,
                }
            }
        }
        (Daily, OpenMode::Plain) => {
            let folder = save_options.saves_folder()?;
            let saves = app.wait_for("The saves are being read", move |_| list_saves(&folder))?;
            let Some(saves) = saves else {
                return Ok(Transition::back());
            };
            let today = DailyDate::of_time(SystemTime::now());
            play(daily_start(today, &saves?)?, None)
        }
        (Harder(opponent), OpenMode::Plain | OpenMode::Arranged) => {
            let scenario = opponent.scenario.unwrap_or_default().to_owned();
            let Some(mut plan) = plan(app, scenario)? else {
                return Ok(Transition::back());
            };
            opponent.put_players_in_plan(&mut plan);
            match how {
                OpenMode::Arranged => AppPage::Lobby {
                    plan: Box::new(plan),
                    watches: false,
                },
                _ => play(DebateStart::New(plan), None),
            }
        }
        (Tutorial, OpenMode::Plain) => AppPage::Tutorial(LessonCourse::open(&save_options, None)?),
        (Tutorial, OpenMode::Arranged) => return tutorial::show_lesson_choice(app, &save_options),
        (Unfinished(path, Some(coach)), OpenMode::Plain) => {
            let course = LessonCourse::open(&save_options, None)?;
            if course.is_current_save(&path) {
                AppPage::Tutorial(course)
            } else {
                play(
                    DebateStart::Kept(path),
                    Some(CoachingMode::Standalone(coach)),
                )
            }
        }
        (Unfinished(path, None), OpenMode::Plain) => play(DebateStart::Kept(path), None),
        (
            Unfinished(path, _) | Finished(path),
            OpenMode::Plain | OpenMode::Arranged | OpenMode::Watched,
        ) => {
            let wanted = path.clone();
            let read = app.wait_for("The save is being read", move |_| {
                Save::read_leniently(&wanted, &Limits::default())
            })?;
            let Some(read) = read else {
                return Ok(Transition::back());
            };
            let save = read.map_err(|error| Failure::at(&path, error))?;
            let page = ReplayPage::of_save(&path, save, None, Audience::Players, save_options);
            AppPage::Replay(Box::new(page))
        }
        (Scenario(_) | Tutorial, OpenMode::Watched)
        | (Tutorial | Unfinished(..) | Finished(_), OpenMode::Compared)
        | (Daily | Harder(_), _) => {
            return Ok(Transition::back());
        }
    }))
}

/// Reads a scenario on a separate thread. Returns `None` if the user cancels.
fn plan(app: &mut AppContext, name: String) -> Result<Option<DebatePlan>> {
    let options = app.options.debate.clone();
    let plan = app.wait_for("The scenario is being read", move |_| {
        options.plan_named_scenario(&name)
    })?;
    Ok(plan.transpose()?)
}
