//! The page of a debate. It plays the debate, and shows it again after a replay or a comparison.

use std::io::{self, Write as _};
use std::path::Path;

use super::context::AppContext;
use super::exit_report::ExitReport;
use super::home::human_result_text;
use super::page::{
    AppPage, CONTINUE_HINT, DebateStart, DebateStateAtScreenExit, DebateToPlay, DebatesToCompare,
    HomeItemOpenMode, HomeItemTarget, LessonInOrOutsideCourse, MovesWithSavePath, PageTransition,
    ReplayPage, ReplaySource, ReplayStart,
};
use super::scene::scene;
use super::tutorial::{LessonCourseProgress, lesson_texts_of_plan};
use super::{CommandFailure, Result};
use crate::tui::debate::{DebateScreen, DebateScreenChoice};
use crate::tui::scene::DebateScreenContext;
use debate_core::chance::Seed;
use debate_core::number::Exact;
use debate_core::player::Player;
use debate_core::scenario::Instance;
use debate_host::Debate;
use debate_host::plan::{
    DebatePlan, DebatePlanError, ExternalPlayerOptions, OpenedDebate, SaveStorageOptions,
    adjacent_difficulty_level,
};
use debate_host::record::{DAILY_TAG, SaveBranchPoint, SaveListing};
use debate_host::{DebateWithEngines, PlaceholderForThreadedPlayer, PlayersThread};
use debate_solver::setup::{name_of_bundled_text, other_recommended_seat};

/// Plays a debate, or shows a finished one again.
pub(super) fn show_debate(app: &mut AppContext, page: DebateToPlay) -> Result<PageTransition> {
    let DebateToPlay {
        mut start,
        save_options,
        tutor,
        mut players,
        is_retry,
        last_result,
    } = page;
    if let (DebateStart::New(plan), None) = (&mut start, &players)
        && plan.prover_uses_past_debates_of_bob()
    {
        let (mut followed, options) = (plan.clone(), save_options.clone());
        let followed = app.wait_for(
            "Alice's bets are being chosen by your last debates",
            move |_| {
                seat_prover_using_past_estimates(&mut followed, &options);
                followed
            },
        )?;
        let Some(followed) = followed else {
            return Ok(PageTransition::back_with_empty_report());
        };
        *plan = followed;
    }
    if let (DebateStart::New(plan) | DebateStart::Branch(plan, _), None) = (&start, &players) {
        let instance = plan.instance();
        let Some(built) = prepare_players(app, plan, &instance)? else {
            return Ok(PageTransition::back_with_empty_report());
        };
        players = Some(built?);
    }
    let mut table = Table {
        players,
        save_options,
        tutor,
        is_retry,
        last_result,
    };
    match start {
        DebateStart::New(plan) => {
            let instance = plan.instance();
            let mut running =
                plan.debate(&instance, stand_ins(&plan), &table.save_options, None)?;
            if let Some(LessonInOrOutsideCourse::LessonCourse(course)) = &mut table.tutor {
                course.record_save_of_reached_lesson(running.save_path())?;
            }
            table.play(app, &plan, &instance, &mut running, true)
        }
        DebateStart::Kept(path) => {
            let OpenedDebate {
                plan,
                instance,
                file,
            } = open_save(&path, app.options.debate.engines.clone())?;
            let mut running = file.debate(&instance, stand_ins(&plan))?;
            let Some(built) = prepare_players(app, &plan, &instance)? else {
                return Ok(PageTransition::back_with_empty_report());
            };
            table.players = Some(built?);
            table.tutor = table
                .tutor
                .or_else(|| lesson_texts_of_plan(&plan).map(LessonInOrOutsideCourse::Resumed));
            table.play(app, &plan, &instance, &mut running, false)
        }
        DebateStart::Branch(plan, MovesWithSavePath { moves, path }) => {
            let instance = plan.instance();
            let name = path.as_deref().and_then(Path::file_name);
            let branch = SaveBranchPoint {
                from: moves.len() as u64,
                of: name.map(|name| name.to_string_lossy().into_owned()),
            };
            let seats = stand_ins(&plan);
            let mut running = plan.debate(&instance, seats, &table.save_options, Some(branch))?;
            running
                .append_moves_of_other_debate(&moves)
                .map_err(CommandFailure::from_input_error)?;
            table.play(app, &plan, &instance, &mut running, false)
        }
        DebateStart::Over(shown) => {
            let instance = shown.plan.instance();
            let seats = stand_ins(&shown.plan);
            let mut running = Debate::new(shown.plan.seat(&instance, seats)?, None);
            let taken = running.append_moves_of_other_debate(&shown.played.moves);
            taken.map_err(CommandFailure::from_input_error)?;
            let path = shown.played.path.as_deref();
            table.is_retry = shown.is_retry;
            let (plan, is_new) = (&shown.plan, shown.was_new);
            let outcome = table.show(app, plan, &instance, path, &mut running, is_new)?;
            shown.next_transition(outcome, table.save_options, table.tutor)
        }
    }
}

/// Seats a prover that adapts its bets to the user's last debates, if the user plays Bob and did not choose the prover,
/// and the scenario's own prover can adapt. Debates of lessons do not count, because lessons suggest the numbers.
pub fn seat_prover_using_past_estimates(plan: &mut DebatePlan, save_options: &SaveStorageOptions) {
    plan.seat_prover_using_past_estimates(save_options, |header| {
        super::home::lesson_texts_of_save(header).is_none()
    });
}

/// Opens the unfinished debate of a save. If the save's last line was incomplete and was dropped, prints a notice on
/// stderr.
///
/// # Errors
/// Returns an error if the save cannot be read or continued, or if a saved name is not the name of a player.
pub fn open_save(path: &Path, engines: ExternalPlayerOptions) -> Result<OpenedDebate> {
    let kept = OpenedDebate::open_save(path, engines)?;
    if let Some(notice) = kept.file.incomplete_line_notice() {
        writeln!(io::stderr(), "{notice}")?;
    }
    Ok(kept)
}

/// The players and the save options of a debate, its role in the tutorial, and the result of an earlier try.
struct Table {
    players: Option<PlayersThread>,
    save_options: SaveStorageOptions,
    tutor: Option<LessonInOrOutsideCourse>,
    is_retry: bool,
    last_result: Option<String>,
}

impl Table {
    /// Shows a debate until the user leaves it. Returns the next page.
    fn play<'a>(
        mut self,
        app: &mut AppContext,
        plan: &DebatePlan,
        instance: &'a Instance,
        running: &mut Debate<'a>,
        is_new: bool,
    ) -> Result<PageTransition> {
        let path = running.save_path().map(Path::to_owned);
        let outcome = self.show(app, plan, instance, path.as_deref(), running, is_new)?;
        // The start of a daily debate stays saved, so that it cannot be begun twice.
        if is_new && plan.daily_date().is_none() {
            // A save without a move would only clutter the list of unfinished debates.
            running
                .delete_save_if_unplayed()
                .map_err(CommandFailure::from_system_error)?;
        }
        let snapshot = DebateStateAtScreenExit {
            is_retry: self.is_retry,
            ..DebateStateAtScreenExit::of(running, instance, plan, is_new)
        };
        snapshot.next_transition(outcome, self.save_options, self.tutor)
    }

    /// Shows the screen of a debate. `is_new` is true if the debate was started anew, so that it can be repeated.
    fn show<'a>(
        &mut self,
        app: &mut AppContext,
        plan: &DebatePlan,
        instance: &'a Instance,
        path: Option<&Path>,
        running: &mut Debate<'a>,
        is_new: bool,
    ) -> Result<DebateScreenChoice> {
        let mut scene = DebateScreenContext {
            coach: self
                .tutor
                .as_ref()
                .and_then(LessonInOrOutsideCourse::lesson_texts),
            is_retry: self.is_retry,
            last_result: self.last_result.clone(),
            tempo: app.tempo,
            animated: app.animates_coins() && !plan.blind,
            rings: app.rings_bell() && !plan.blind,
            // The opponent of a daily debate is the same for everybody, so it shows no level of the user.
            offers_opponents: is_new && plan.daily_date().is_none(),
            offers_seats: self.tutor.is_none()
                && name_of_bundled_text(&plan.setup.source).is_some(),
            ..scene(&app.waker(), plan, instance, path)
        };
        // A hint would turn a daily debate into practice, and lessons have their own texts.
        let remembers_hints = plan.daily_date().is_none() && self.tutor.is_none();
        if let (true, Some(values), Some(on)) = (remembers_hints, &mut scene.values, app.hints_on) {
            values.hints = on;
        }
        let had_hints = scene.values.as_ref().is_some_and(|values| values.hints);
        let keys = app.keys();
        let players = self.players.take();
        let players = players.unwrap_or_else(|| player_thread(app, plan, instance));
        let mut screen = DebateScreen::new(running, players, &scene, &keys);
        let outcome = app.show(&mut screen)?;
        if remembers_hints && screen.are_hints_on() != had_hints {
            app.hints_on = Some(screen.are_hints_on());
        }
        Ok(outcome)
    }
}

/// Builds the built-in players of a debate on a separate thread while the screen keeps running. The inner error is the
/// reason why they cannot be built. Returns `None` if the user cancels.
pub(super) fn prepare_players(
    app: &mut AppContext,
    plan: &DebatePlan,
    instance: &Instance,
) -> Result<Option<Result<PlayersThread, String>>> {
    let mut players = player_thread(app, plan, instance);
    app.wait_for("The players are being prepared", move |budget| {
        players.build_players(&budget).map(|()| players)
    })
}

/// Creates the separate thread that builds and runs the built-in players of a debate.
fn player_thread(app: &AppContext, plan: &DebatePlan, instance: &Instance) -> PlayersThread {
    let plan = plan.clone();
    let waker = app.waker();
    PlayersThread::new(
        instance,
        move || waker.wake(),
        move |instance, budget| {
            let seat = || {
                let players = plan.build_players(instance, budget)?;
                Ok(DebateWithEngines {
                    seating: plan.seat(instance, players)?,
                    engines: Some(plan.start_engines(instance)?),
                })
            };
            seat().map_err(|error: DebatePlanError| error.to_string())
        },
    )
}

impl DebateStateAtScreenExit {
    fn of(running: &mut Debate<'_>, instance: &Instance, plan: &DebatePlan, was_new: bool) -> Self {
        Self {
            plan: plan.clone(),
            was_new,
            is_retry: false,
            is_over: running.state_and_players().turn().is_none(),
            exit_report: ExitReport::of_debate(running, instance, plan),
            played: MovesWithSavePath {
                moves: running.state_and_players().moves().to_vec(),
                path: running.save_path().map(Path::to_owned),
            },
        }
    }

    /// Returns the transition for the choice with which the user left the screen of a debate.
    fn next_transition(
        self,
        outcome: DebateScreenChoice,
        save_options: SaveStorageOptions,
        tutor: Option<LessonInOrOutsideCourse>,
    ) -> Result<PageTransition> {
        let next = match outcome {
            DebateScreenChoice::Quit
            | DebateScreenChoice::PlayAgain
            | DebateScreenChoice::OtherOpponent(_)
            | DebateScreenChoice::Onward => {
                return match tutor {
                    None => Ok(self.after_debate(outcome, save_options)),
                    Some(tutor) => self.after_lesson_debate(outcome, &save_options, tutor),
                };
            }
            DebateScreenChoice::OtherSeat => match self.page_of_other_seat() {
                Some(page) => page,
                None => return Ok(PageTransition::Back(self.exit_report)),
            },
            DebateScreenChoice::Compare => {
                AppPage::Compare(DebatesToCompare::Usual(Box::new(self.plan.clone())))
            }
            DebateScreenChoice::TryAgain(number) => {
                let mut played = self.played.clone();
                played.moves.truncate(number);
                let start = DebateStart::Branch(self.plan.clone(), played);
                AppPage::from(DebateToPlay {
                    is_retry: true,
                    last_result: self.result_text(),
                    ..DebateToPlay::new(start, save_options.clone())
                })
            }
            DebateScreenChoice::WatchAgain | DebateScreenChoice::Show(_) => {
                let begin = match outcome {
                    DebateScreenChoice::Show(number) => number,
                    _ => 0,
                };
                let path = self.played.path.as_deref();
                AppPage::Replay(Box::new(ReplayPage {
                    // Debates that branch off from the replay are saved in the folder of this debate.
                    save_options: SaveStorageOptions {
                        folder: path.and_then(Path::parent).map(Path::to_owned),
                        no_save: path.is_none(),
                    },
                    begin: ReplayStart::Step(begin),
                    notice: None,
                    source: ReplaySource::Moves {
                        plan: Box::new(self.plan.clone()),
                        played: self.played.clone(),
                    },
                }))
            }
        };
        let start = DebateStart::Over(self);
        let below = DebateToPlay {
            tutor,
            ..DebateToPlay::new(start, save_options)
        };
        Ok(PageTransition::OpenOver {
            next,
            below: below.into(),
        })
    }

    /// Returns the seat page of the debate's scenario, with the next recommended seat after the user's marked, or the
    /// user's own seat if no other one is recommended. `None` if the scenario is not bundled or no seat is a user's.
    fn page_of_other_seat(&self) -> Option<AppPage> {
        let name = name_of_bundled_text(&self.plan.setup.source)?;
        let seat = self.plan.human_seats().next()?;
        let other = other_recommended_seat(name, seat);
        Some(AppPage::Target {
            target: HomeItemTarget::ScenarioSeat(name.to_owned(), other.unwrap_or(seat)),
            how: HomeItemOpenMode::Plain,
        })
    }

    /// Returns the transition after a debate outside the tutorial: to a new debate with a new seed, or to the page
    /// below. The new debate has the same players or those of an adjacent level. Only a debate that started as new can
    /// be repeated with a new seed.
    fn after_debate(
        self,
        outcome: DebateScreenChoice,
        save_options: SaveStorageOptions,
    ) -> PageTransition {
        let step = match outcome {
            DebateScreenChoice::PlayAgain => None,
            DebateScreenChoice::OtherOpponent(step) => Some(step),
            _ => return PageTransition::Back(self.exit_report),
        };
        if !self.was_new {
            return PageTransition::Back(self.exit_report);
        }
        let last_result = self.result_text();
        let mut plan = self.plan;
        let kind = plan.protocol.kind();
        let level =
            step.and_then(|step| adjacent_difficulty_level(kind, &plan.player_names(), step));
        if let Some(level) = level {
            level.put_players_in_plan(&mut plan);
        }
        if plan.tags.remove(DAILY_TAG).is_some() {
            plan.fixed_world = false;
        }
        plan.seed = Seed::random_seed(&mut rand::rng());
        plan.debate = 0;
        plan.draw_instance_from_seed_unless_chosen();
        let page = DebateToPlay {
            last_result,
            ..DebateToPlay::new(DebateStart::New(plan), save_options)
        };
        PageTransition::Open(page.into())
    }

    /// Returns the user's result in this debate, in words. `None` if the debate is unfinished or not saved, or as for
    /// [`human_result_text`].
    fn result_text(&self) -> Option<String> {
        if !self.is_over {
            return None;
        }
        let path = self.played.path.as_deref()?;
        human_result_text(&SaveListing::read_listing(path)?)
    }

    /// Returns the transition after a lesson's debate.
    fn after_lesson_debate(
        self,
        outcome: DebateScreenChoice,
        save_options: &SaveStorageOptions,
        tutor: LessonInOrOutsideCourse,
    ) -> Result<PageTransition> {
        let course = match (tutor, outcome) {
            (LessonInOrOutsideCourse::LessonCourse(mut course), DebateScreenChoice::PlayAgain) => {
                course.repeat_lesson(self.was_new);
                course
            }
            (LessonInOrOutsideCourse::LessonCourse(mut course), _) => {
                if self.is_over {
                    course.record_end_of_lesson()?;
                }
                if outcome != DebateScreenChoice::Onward {
                    return PageTransition::leave_tutorial(&course);
                }
                course
            }
            (LessonInOrOutsideCourse::Resumed(_), _) => {
                return Ok(PageTransition::Back(ExitReport {
                    tutorial: Some(CONTINUE_HINT.to_owned()),
                    ..self.exit_report
                }));
            }
            (LessonInOrOutsideCourse::Standalone(coach), DebateScreenChoice::PlayAgain) => {
                LessonCourseProgress::open(save_options, Some(coach.lesson_index()))?
            }
            (LessonInOrOutsideCourse::Standalone(_), DebateScreenChoice::Onward) => {
                let course = LessonCourseProgress::open(save_options, None)?;
                // A complete course does not begin again.
                if course.is_complete {
                    return Ok(PageTransition::back_with_empty_report());
                }
                course
            }
            (LessonInOrOutsideCourse::Standalone(_), _) => {
                return Ok(PageTransition::back_with_empty_report());
            }
        };
        Ok(PageTransition::Open(AppPage::Tutorial(course)))
    }
}

/// Returns the players to seat in the debate on the screen. Placeholders replace the built-in players, because these
/// run on a separate thread.
fn stand_ins<'a>(plan: &DebatePlan) -> [Player<'a, Exact>; 3] {
    plan.players.each_ref().map(|player| {
        if player.is_human() {
            Player::Outside
        } else if player.command_or_model_name().is_some() {
            Player::Engine
        } else {
            Player::Builtin(Box::new(PlaceholderForThreadedPlayer))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use debate_core::protocol::Seat;
    use debate_host::plan::{DebateOptions, LevelStep};

    /// Returns the step from the debate screen to the next page, after a debate of `primes` in which the user is Bob.
    /// The user leaves the screen with the choice `outcome`.
    fn transition(outcome: DebateScreenChoice, was_new: bool) -> PageTransition {
        let options = DebateOptions {
            roles: vec![Some(Seat::Opponent)],
            ..DebateOptions::default()
        };
        let ended = DebateStateAtScreenExit {
            plan: options.plan_named_scenario("primes").unwrap(),
            played: MovesWithSavePath {
                moves: Vec::new(),
                path: None,
            },
            was_new,
            is_retry: false,
            is_over: true,
            exit_report: ExitReport::default(),
        };
        let save_options = SaveStorageOptions::without_save();
        let next = ended.next_transition(outcome, save_options, None);
        next.unwrap_or_else(|_| panic!("a debate outside the tutorial can always be left"))
    }

    /// Returns the plan of the new debate that the transition opens, if any.
    fn next_plan(outcome: DebateScreenChoice, was_new: bool) -> Option<DebatePlan> {
        match transition(outcome, was_new) {
            PageTransition::Open(AppPage::Play(page)) => match page.start {
                DebateStart::New(plan) => Some(plan),
                _ => None,
            },
            _ => None,
        }
    }

    #[test]
    fn another_seat_is_chosen_on_the_seat_page_of_the_scenario() {
        let next = transition(DebateScreenChoice::OtherSeat, false);
        let PageTransition::OpenOver {
            next: AppPage::Target { target, how },
            below,
        } = next
        else {
            panic!("the seat page is not opened");
        };
        assert!(below.is_finished_debate());
        assert!(target == HomeItemTarget::ScenarioSeat("primes".to_owned(), Seat::Prover));
        assert!(matches!(how, HomeItemOpenMode::Plain));
    }

    #[test]
    fn the_next_debate_has_the_players_of_the_chosen_level() {
        let players = |outcome| next_plan(outcome, true).unwrap().player_names();
        for (outcome, prover) in [
            (DebateScreenChoice::PlayAgain, "errs(+, -)"),
            (
                DebateScreenChoice::OtherOpponent(LevelStep::Harder),
                "obfuscator",
            ),
            (
                DebateScreenChoice::OtherOpponent(LevelStep::Easier),
                "random",
            ),
        ] {
            assert_eq!(players(outcome), [prover, "human", "oracle"]);
        }
        let harder = DebateScreenChoice::OtherOpponent(LevelStep::Harder);
        assert!(next_plan(harder, false).is_none());
    }
}
