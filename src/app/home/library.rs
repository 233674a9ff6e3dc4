//! The items of the home page: scenarios, saved debates and their previews.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, SystemTime};

use super::super::page::HomeItemTarget;
use super::super::{Result, tutorial};
use super::daily::DailyDebateOverview;
use super::lesson_texts_of_save;
use super::next_step::LastDebateIfBundled;
use super::preview::{self, NO_FIXED_LENGTH, ScenarioPreview, one_sentence_preview};
use super::progress::{
    HumanPlayerResult, ScenarioProgress, UnfinishedDebateProgress, finished_debates_of_scenario,
    human_seats, is_only_judge_human, is_payoff_sum_of_bets, needs_save_for_result,
    only_human_debater_payoff, progress_by_title, relative_time, suggested_scenario,
    unfinished_debate_progress, win_or_loss_in_words,
};
use crate::tui::actions::Facts;
use crate::tui::input::MainLoopWaker;
use crate::tui::keys;
use crate::tui::menu::{HomeItem, HomeItemPreview, HomeModel, HomeSection, PlayedOrWon};
use crate::tui::theme::TextRole;
use debate_core::protocol::Seat;
use debate_core::text::{replace_unsafe_characters, short_duration_text};
use debate_host::plan::{
    DailyDate, ReproductionInfo, SaveStorageOptions, daily_date_of_save, is_saved_debate_won,
    quote_path_for_shell,
};
use debate_host::record::{
    SaveFileError, SaveHeader, SaveListing, SavedDebateProgress, latest_saves_with_moves,
    recent_scenarios,
};
use debate_solver::setup::{
    BundledScenario, ScenarioLimits, bundled_scenarios, name_of_bundled_text,
};

/// The heading of the items that home suggests. If there is an unfinished debate, the first item continues the latest
/// one.
pub(in crate::app) const WHAT_NEXT: &str = "What next";
/// The heading of the other unfinished debates.
const UNFINISHED: &str = "Other unfinished debates";
/// The heading of the finished debates, without those of lessons.
pub(in crate::app) const FINISHED: &str = "Finished debates";
const FINISHED_LESSONS: &str = "Finished lessons";
/// The two scenarios suggested to a new user: one about a number, and one about an everyday dispute.
const FIRST_SCENARIOS: [&str; 2] = ["primes", "pull-request"];
/// Upper limit on the time for which the first frame of the home page waits for the list of saves.
const FIRST_FRAME_WAIT: Duration = Duration::from_millis(1);
/// Upper limit on the time for which a frame of the home page waits for a scenario's preview or a saved debate's
/// result.
const PREVIEW_WAIT: Duration = Duration::from_millis(30);
/// Upper limit on the number of saves shown.
const SAVES: usize = 200;
/// Upper limit on the number of unfinished debates whose position is computed.
const POSITIONS: usize = 50;

/// The latest saves in the folder, the state of today's debate, and the user's last finished debate.
struct ReadSaves {
    saves: Vec<SaveListing>,
    daily: DailyDebateOverview,
    last: Option<LastDebateIfBundled>,
}

/// The state of a saved debate, for its row in the list.
enum SaveState {
    Unfinished(UnfinishedDebateProgress),
    Finished {
        result: HumanPlayerResult,
        is_won: bool,
    },
}

/// The items of the home page, with the threads that load them.
pub(super) struct HomePageItems {
    sections: Vec<HomeSection<HomeItemTarget>>,
    /// The progress in the tutorial as a phrase, and true if the first course is done.
    lessons: (String, bool),
    /// Recently opened scenario files.
    files: Vec<PathBuf>,
    course: Vec<BundledScenario>,
    saves: Vec<SaveListing>,
    /// The progress in each scenario, by the scenario's title.
    progress: HashMap<String, ScenarioProgress>,
    /// The user's last finished debate, if the next step can be suggested from it.
    last: Option<LastDebateIfBundled>,
    /// The positions of unfinished debates.
    positions: HashMap<PathBuf, UnfinishedDebateProgress>,
    /// The results of finished debates whose payoff is a sum of bets, and of those in which the user was the judge.
    results: HashMap<PathBuf, HumanPlayerResult>,
    /// For each debate in `results`, by the path of its save: true if the user won it.
    won: HashMap<PathBuf, bool>,
    /// True if hidden debates are shown too.
    shows_hidden: bool,
    /// Today's debate; `None` until the saves are read.
    daily: Option<DailyDebateOverview>,
    today: DailyDate,
    /// The question of today's debate; `None` until its preview was shown.
    daily_question: Option<String>,
    /// The receiver of the saves, while they are being read.
    reading: Option<Receiver<Result<ReadSaves, SaveFileError>>>,
    /// The receiver of the states of debates. Each state is sent as soon as it is computed.
    following: Option<Receiver<(PathBuf, SaveState)>>,
    /// The error, if the saves could not be read.
    pub(super) failed: Option<SaveFileError>,
    limits: ScenarioLimits,
    waker: MainLoopWaker,
    /// The scenario that is being read for a preview.
    previewing: Option<(String, Receiver<ScenarioPreview>)>,
    /// The scenario that was previewed last.
    previewed: Option<(String, ScenarioPreview)>,
    /// The finished debate whose result is being computed: a payoff in points, or the judge's answer.
    counting: Option<(PathBuf, Receiver<Option<String>>)>,
    /// The finished debate that was selected last, with the user's result in words. The result is `None` if it cannot
    /// be computed.
    counted: Option<(PathBuf, Option<String>)>,
}

impl HomePageItems {
    pub(super) fn open(
        save_options: &SaveStorageOptions,
        limits: &ScenarioLimits,
        waker: MainLoopWaker,
        shows_hidden: bool,
    ) -> Result<Self> {
        let today = DailyDate::utc_day_of_time(SystemTime::now());
        Self::open_on(today, save_options, limits, waker, shows_hidden)
    }

    /// Opens the list of home items for the day `today`.
    fn open_on(
        today: DailyDate,
        save_options: &SaveStorageOptions,
        limits: &ScenarioLimits,
        waker: MainLoopWaker,
        shows_hidden: bool,
    ) -> Result<Self> {
        let folder = save_options.saves_folder()?;
        let lessons = (
            tutorial::tutorial_progress_phrase(&folder),
            tutorial::is_first_course_done(&folder),
        );
        let files = recent_scenarios(&folder);
        let reading = on_thread("saves", &waker, move || {
            let saves = latest_saves_with_moves(&folder, SAVES)?;
            let daily = DailyDebateOverview::read(today, &saves);
            let last = LastDebateIfBundled::last_finished_bundled_debate(&saves);
            Ok(ReadSaves { saves, daily, last })
        })?;
        let mut items = Self {
            sections: Vec::new(),
            lessons,
            files,
            course: bundled_scenarios(),
            saves: Vec::new(),
            progress: HashMap::new(),
            last: None,
            positions: HashMap::new(),
            results: HashMap::new(),
            won: HashMap::new(),
            shows_hidden,
            daily: None,
            today,
            daily_question: None,
            reading: Some(reading),
            following: None,
            failed: None,
            limits: limits.clone(),
            previewing: None,
            previewed: None,
            counting: None,
            counted: None,
            waker,
        };
        // A few saves are read within this wait, so that the first frame is complete and no item moves later.
        let read = items.reading.as_ref();
        match read.and_then(|reading| reading.recv_timeout(FIRST_FRAME_WAIT).ok()) {
            Some(read) => items.add_saves(read),
            None => items.arrange(),
        }
        Ok(items)
    }

    /// Stores the saves that were read and rearranges the sections.
    fn add_saves(&mut self, read: Result<ReadSaves, SaveFileError>) {
        self.reading = None;
        match read {
            Ok(read) => {
                self.saves = read.saves;
                self.daily = Some(read.daily);
                self.last = read.last;
            }
            Err(error) => self.failed = Some(error),
        }
        // The old preview was computed without these saves.
        self.previewed = None;
        self.follow();
        self.count_progress();
        self.arrange();
    }

    /// Counts the debates that the user played and won, as far as their results are known.
    fn count_progress(&mut self) {
        let is_lesson = |header: &SaveHeader| lesson_texts_of_save(header).is_some();
        self.progress = progress_by_title(&self.saves, is_lesson, &self.won);
        // The next debate of a scenario can be about another instance than the last one.
        if let Some(mut last) = self.last.take() {
            let scenario = self.course.iter().find(|it| it.name == last.scenario());
            if let Some(title) = scenario.map(|scenario| self.title_of_next_debate(scenario)) {
                last.set_scenario_title(&title);
            }
            self.last = Some(last);
        }
    }

    /// Returns the title of a scenario for its item: without the number of an instance if the next debate is about an
    /// instance that is drawn when the item is opened, because the user has finished a debate of the scenario.
    fn title_of_next_debate(&self, scenario: &BundledScenario) -> String {
        let is_scenario = |text: &str| name_of_bundled_text(text) == Some(scenario.name);
        let is_played = || {
            let mut finished = finished_debates_of_scenario(&self.saves, is_scenario);
            finished.next().is_some()
        };
        match scenario.title_of_any_instance {
            Some(title) if is_played() => title.to_owned(),
            _ => scenario.title.clone(),
        }
    }

    /// Starts a thread that computes the positions of the unfinished debates, then the results of the finished ones.
    fn follow(&mut self) {
        let unfinished = self.shown(SavedDebateProgress::Unfinished).take(POSITIONS);
        // Under other rules a debater's row says "won" or "lost", which needs no computation.
        let finished = self.saves.iter().filter(|save| {
            save.condition == SavedDebateProgress::Finished && needs_save_for_result(save)
        });
        let saves: Vec<SaveListing> = unfinished.chain(finished).cloned().collect();
        if saves.is_empty() {
            return;
        }
        let (sender, following) = channel();
        let waker = self.waker.clone();
        let thread = std::thread::Builder::new().name("positions".to_owned());
        let spawned = thread.spawn(move || {
            for save in saves {
                // A save whose state cannot be computed is skipped. The user sees the error when opening it.
                let state = if save.condition == SavedDebateProgress::Unfinished {
                    unfinished_debate_progress(&save.path)
                        .ok()
                        .map(SaveState::Unfinished)
                } else {
                    let is_won = is_saved_debate_won(&save.path) == Some(true);
                    HumanPlayerResult::result_of_listed_debate(&save)
                        .map(|result| SaveState::Finished { result, is_won })
                };
                let Some(state) = state else {
                    continue;
                };
                if sender.send((save.path, state)).is_err() {
                    return;
                }
                waker.wake();
            }
        });
        self.following = spawned.is_ok().then_some(following);
    }

    /// Returns the saves with this progress that the home page shows.
    fn shown(&self, condition: SavedDebateProgress) -> impl Iterator<Item = &SaveListing> {
        let saves = self.saves.iter();
        saves.filter(move |save| {
            save.condition == condition && (self.shows_hidden || !save.label.is_hidden)
        })
    }

    /// Rebuilds the sections.
    fn arrange(&mut self) {
        let section = |heading: &str, items: Vec<HomeItem<HomeItemTarget>>| HomeSection {
            heading: heading.to_owned(),
            items,
        };
        let lessons = HomeItem {
            title: format!("Tutorial: {}", self.lessons.0),
            ..HomeItem::with_home_item_target(HomeItemTarget::Tutorial)
        };
        let latest = self.shown(SavedDebateProgress::Unfinished).next();
        let next_step = self.last.as_ref().map(LastDebateIfBundled::next_step);
        let first_item = latest.map(|save| self.to_continue(save)).or(next_step);
        // Each unfinished debate has one item on the page. The item of today's debate continues its save.
        let daily = self.daily.as_ref();
        let begun_today = daily.and_then(DailyDebateOverview::save_to_continue);
        let latest_path = latest.map(|save| save.path.clone());
        let continues_today = latest_path.is_some() && latest_path.as_deref() == begun_today;
        let first_target = first_item.as_ref().map(|item| item.target.clone());
        let is_other =
            |item: &HomeItem<HomeItemTarget>| first_target.as_ref() != Some(&item.target);
        let mut first: Vec<_> = first_item.into_iter().collect();
        let (early, late) = if self.lessons.1 {
            (None, Some(lessons))
        } else {
            (Some(lessons), None)
        };
        first.extend(early);
        // After the lessons, the easy scenarios come before the daily debate, which may be harder.
        let suggested: Vec<_> = self.suggested().into_iter().filter(is_other).collect();
        let (before, after) = if self.lessons.1 && self.suggests_first_scenarios() {
            (suggested, Vec::new())
        } else {
            (Vec::new(), suggested)
        };
        first.extend(before);
        first.extend((!continues_today).then(|| self.of_daily()));
        first.extend(self.of_harder().into_iter().filter(is_other));
        first.extend(after);
        first.extend(late);
        // A scenario that home suggests has one row on the page, at the top. A search finds it there.
        let listed = self
            .course
            .iter()
            .map(|it| (it.teaches, self.of_bundled(it)));
        let is_suggested = |item: &HomeItem<HomeItemTarget>| {
            first
                .iter()
                .any(|suggested| suggested.target == item.target)
        };
        let listed: Vec<_> = listed.filter(|(_, item)| !is_suggested(item)).collect();
        let others = self.shown(SavedDebateProgress::Unfinished).filter(|save| {
            let path = Some(&*save.path);
            path != latest_path.as_deref() && path != begun_today
        });
        let mut sections = vec![
            section(WHAT_NEXT, first),
            section(UNFINISHED, others.map(|save| self.of_kept(save)).collect()),
        ];
        for (teaches, item) in listed {
            match sections.last_mut() {
                Some(group) if group.heading == teaches => group.items.push(item),
                _ => sections.push(section(teaches, vec![item])),
            }
        }
        let files = self.files.iter().filter_map(|path| {
            let name = path.to_str()?.to_owned();
            let title = path.file_name()?.to_string_lossy().into_owned();
            Some(HomeItem {
                title,
                ..HomeItem::with_home_item_target(HomeItemTarget::Scenario(name))
            })
        });
        sections.push(section("Recent files", files.collect()));
        let finished = self.shown(SavedDebateProgress::Finished);
        let (of_lessons, others): (Vec<_>, Vec<_>) = finished.partition(|save| {
            save.header
                .as_ref()
                .and_then(lesson_texts_of_save)
                .is_some()
        });
        for (heading, saves) in [(FINISHED, others), (FINISHED_LESSONS, of_lessons)] {
            let items = saves.into_iter().map(|save| self.of_kept(save));
            sections.push(section(heading, items.collect()));
        }
        self.sections = sections;
    }

    /// Returns the home item that continues an unfinished debate.
    fn to_continue(&self, save: &SaveListing) -> HomeItem<HomeItemTarget> {
        let item = self.of_kept(save);
        HomeItem {
            title: format!("Continue: {}", item.title),
            ..item
        }
    }

    /// Returns the item of today's debate.
    fn of_daily(&self) -> HomeItem<HomeItemTarget> {
        let daily = self.daily.as_ref();
        let state = daily.map_or_else(String::new, |daily| {
            format!(": {}", daily.daily_state_in_words())
        });
        let scenario = self.today.daily_scenario_name();
        let listed = self.course.iter().find(|listed| listed.name == scenario);
        let gap = daily.and_then(DailyDebateOverview::gap_text_if_finished);
        let difficulty = || listed.map_or_else(String::new, |listed| self.of_bundled(listed).value);
        HomeItem {
            title: format!("Today's debate{state}"),
            value: gap.unwrap_or_else(difficulty),
            words: "daily".to_owned(),
            progress: daily.map_or(PlayedOrWon::New, DailyDebateOverview::item_progress),
            ..HomeItem::with_home_item_target(HomeItemTarget::Daily)
        }
    }

    /// Returns the question of today's debate. It can differ from the scenario's title, which may name another
    /// instance.
    fn question_of_today(&mut self) -> String {
        if let Some(question) = &self.daily_question {
            return question.clone();
        }
        let scenario = self.today.daily_scenario_name();
        let plan = self.today.daily_debate_plan();
        let question = plan.map_or_else(
            |_| scenario.to_owned(),
            |plan| plan.setup.scenario_texts(plan.world).title.clone(),
        );
        self.daily_question = Some(question.clone());
        question
    }

    /// Returns the home item that offers a harder opponent, if the user won the last finished debate. The home
    /// page omits this item if its first item is the same offer.
    fn of_harder(&self) -> Option<HomeItem<HomeItemTarget>> {
        let harder = self.last.as_ref()?.harder_opponent()?.clone();
        Some(HomeItem {
            title: format!("Next opponent: {}", harder.level_number_and_count_text()),
            value: format!("{}, {}", harder.title, harder.seat.player_name_of_seat()),
            brief: harder.seat.player_name_of_seat().to_owned(),
            words: "harder level".to_owned(),
            ..HomeItem::with_home_item_target(HomeItemTarget::Harder(harder))
        })
    }

    /// Returns the suggested scenarios: the two first ones until both were played, then the next one of the course.
    fn suggested(&self) -> Vec<HomeItem<HomeItemTarget>> {
        let listed = |name: &&str| self.course.iter().find(|scenario| scenario.name == *name);
        let shown: Vec<_> = if self.suggests_first_scenarios() {
            FIRST_SCENARIOS.iter().filter_map(listed).collect()
        } else {
            suggested_scenario(&self.course, &self.progress)
                .into_iter()
                .collect()
        };
        shown
            .into_iter()
            .map(|scenario| self.of_bundled(scenario))
            .collect()
    }

    /// True until the user has played each of the first scenarios.
    fn suggests_first_scenarios(&self) -> bool {
        let is_played = |scenario: &BundledScenario| {
            let progress = self.progress.get(&scenario.title);
            progress.is_some_and(|progress| progress.played > 0)
        };
        self.course
            .iter()
            .any(|scenario| FIRST_SCENARIOS.contains(&scenario.name) && !is_played(scenario))
    }

    fn of_bundled(&self, scenario: &BundledScenario) -> HomeItem<HomeItemTarget> {
        let advice = scenario.seats.first();
        let minutes = advice
            .and_then(|advice| advice.expected_minutes_in_seat())
            .map(|minutes| short_duration_text(u64::from(minutes) * 60));
        let difficulty = scenario.difficulty.difficulty_name();
        let progress = self.progress.get(&scenario.title);
        let minutes = minutes.unwrap_or_else(|| NO_FIXED_LENGTH.to_owned());
        HomeItem {
            title: self.title_of_next_debate(scenario),
            value: format!("{difficulty}, {minutes}"),
            brief: minutes,
            shortest: difficulty.to_owned(),
            words: [
                scenario.name,
                scenario.protocol.protocol_name(),
                &scenario.title,
            ]
            .join(" "),
            progress: progress.map_or(PlayedOrWon::New, ScenarioProgress::item_progress),
            ..HomeItem::with_home_item_target(HomeItemTarget::Scenario(scenario.name.to_owned()))
        }
    }

    fn of_kept(&self, save: &SaveListing) -> HomeItem<HomeItemTarget> {
        let coach = save.header.as_ref().and_then(lesson_texts_of_save);
        let mut title = save.save_name_in_lists();
        if let (Some(coach), None) = (coach, &save.label.name) {
            // Two debates of a lesson can have the same question.
            let lesson = coach.lesson_of_texts().title;
            title = format!("{}: {lesson}", coach.position_in_course());
        }
        if save.label.is_hidden {
            title = format!("(hidden) {title}");
        }
        let age = relative_time(save.modified);
        let human_seats = save.header.as_ref().map(human_seats).unwrap_or_default();
        let names: Vec<&str> = human_seats
            .into_iter()
            .map(Seat::player_name_of_seat)
            .collect();
        let seats = names.join(" and ");
        let with_seats = |text: &str| match seats.as_str() {
            "" => text.to_owned(),
            seats => format!("{seats}, {text}"),
        };
        let shortest = with_seats(&age);
        let [mut medium, mut brief] = [String::new(), String::new()];
        let daily = save.header.as_ref().and_then(daily_date_of_save);
        let mut parts: Vec<String> = daily
            .map(|date| format!("daily {date}"))
            .into_iter()
            .collect();
        parts.push(seats.clone());
        let path = save.path.clone();
        let what = if save.condition == SavedDebateProgress::Unfinished {
            parts.extend(self.positions.get(&path).map(|at| at.round.clone()));
            HomeItemTarget::Unfinished(path, coach)
        } else {
            let word = only_human_debater_payoff(save).filter(|_| !is_payoff_sum_of_bets(save));
            let word = word.map(|payoff| win_or_loss_in_words(&payoff).to_owned());
            parts.extend(word.clone());
            let result = self.results.get(&path);
            parts.extend(result.map(HumanPlayerResult::human_result_in_words));
            // A narrow list shows the seat with a short result.
            if let Some(main) =
                word.or_else(|| result.map(HumanPlayerResult::user_gap_or_result_text))
            {
                medium = with_seats(&format!("{main}, {age}"));
                brief = with_seats(main.trim_end_matches(HumanPlayerResult::GAP_UNIT));
            }
            HomeItemTarget::Finished(path)
        };
        parts.push(age);
        parts.retain(|part| !part.is_empty());
        HomeItem {
            title,
            value: parts.join(", "),
            medium,
            brief,
            shortest,
            words: daily.map_or_else(String::new, |_| "daily".to_owned()),
            ..HomeItem::with_home_item_target(what)
        }
    }

    fn save(&self, path: &Path) -> Option<&SaveListing> {
        self.saves.iter().find(|save| save.path == path)
    }

    /// Returns the preview of a scenario. A separate thread reads the scenario, so a large one appears later.
    fn of_scenario(&mut self, name: &str) -> HomeItemPreview {
        if let Some((known, read)) = &self.previewed
            && known == name
        {
            return read.preview.clone();
        }
        self.previewed = None;
        let limits = self.limits.clone();
        let wanted = name.to_owned();
        let listing = self.course.iter().find(|scenario| scenario.name == name);
        let listing = listing.cloned().map(|scenario| {
            let progress = self.progress.get(&scenario.title).cloned();
            (scenario, progress.unwrap_or_default())
        });
        let reading = on_thread("preview", &self.waker, move || {
            ScenarioPreview::read(&wanted, &limits, listing.as_ref())
        });
        let reading = match reading {
            Ok(reading) => reading,
            Err(error) => {
                return one_sentence_preview(
                    TextRole::Warning,
                    replace_unsafe_characters(&error.to_string()),
                );
            }
        };
        if let Ok(read) = reading.recv_timeout(PREVIEW_WAIT) {
            let preview = read.preview.clone();
            self.previewed = Some((name.to_owned(), read));
            return preview;
        }
        self.previewing = Some((name.to_owned(), reading));
        one_sentence_preview(
            TextRole::Faint,
            "The preview of this scenario appears in a moment …",
        )
    }

    /// Returns the user's result in a finished debate, with the payoff in points. A separate thread reads the save;
    /// `None` until it is done. `None` also if both debaters or no player is human, or if the result cannot be
    /// computed.
    fn points(&mut self, path: &Path) -> Option<String> {
        if let Some((known, points)) = &self.counted
            && known == path
        {
            return points.clone();
        }
        let save = self.save(path).filter(|save| {
            only_human_debater_payoff(save).is_some()
                || save.header.as_ref().is_some_and(is_only_judge_human)
        })?;
        let save = save.clone();
        let read = move || {
            HumanPlayerResult::result_of_listed_debate(&save)
                .map(|result| result.human_result_in_words())
        };
        let counting = on_thread("points", &self.waker, read).ok()?;
        if let Ok(points) = counting.recv_timeout(PREVIEW_WAIT) {
            self.counted = Some((path.to_owned(), points.clone()));
            return points;
        }
        self.counting = Some((path.to_owned(), counting));
        None
    }

    /// Polls for the result of a debate that a thread computes; returns true if it has arrived.
    fn poll_points(&mut self) -> bool {
        let Some((path, counting)) = &self.counting else {
            return false;
        };
        let Ok(points) = counting.try_recv() else {
            return false;
        };
        self.counted = Some((path.clone(), points));
        self.counting = None;
        true
    }

    /// Polls for a scenario's preview that a thread computes; returns true if it has arrived.
    fn poll_preview(&mut self) -> bool {
        let Some((name, reading)) = &self.previewing else {
            return false;
        };
        let Ok(read) = reading.try_recv() else {
            return false;
        };
        self.previewed = Some((name.clone(), read));
        self.previewing = None;
        true
    }

    /// Polls for the list of saves that a thread reads; returns true if it has arrived.
    fn poll_saves(&mut self) -> bool {
        let read = self.reading.as_ref().map(Receiver::try_recv);
        let Some(Ok(read)) = read else {
            return false;
        };
        self.add_saves(read);
        true
    }

    /// Polls for the positions and results of debates that a thread computes; returns true if any has arrived.
    fn poll_positions(&mut self) -> bool {
        let Some(following) = &self.following else {
            return false;
        };
        let states: Vec<_> = following.try_iter().collect();
        if states.is_empty() {
            return false;
        }
        for (path, state) in states {
            match state {
                SaveState::Unfinished(position) => {
                    self.positions.insert(path, position);
                }
                SaveState::Finished { result, is_won } => {
                    self.won.insert(path.clone(), is_won);
                    self.results.insert(path, result);
                }
            }
        }
        let known = std::mem::take(&mut self.progress);
        self.count_progress();
        // A preview also says if the user won.
        if known != self.progress {
            self.previewed = None;
        }
        self.arrange();
        true
    }
}

impl HomeModel for HomePageItems {
    type HomeItem = HomeItemTarget;

    fn sections(&self) -> &[HomeSection<HomeItemTarget>] {
        &self.sections
    }

    fn poll(&mut self) -> bool {
        let polled = [
            self.poll_preview(),
            self.poll_saves(),
            self.poll_positions(),
            self.poll_points(),
        ];
        polled.contains(&true)
    }

    fn preview(&mut self, item: &HomeItemTarget) -> HomeItemPreview {
        match item {
            HomeItemTarget::Tutorial => preview::tutorial_preview(self.lessons.1),
            HomeItemTarget::Scenario(name) | HomeItemTarget::ScenarioSeat(name, _) => {
                self.of_scenario(name)
            }
            HomeItemTarget::Daily => {
                let question = self.question_of_today();
                preview::daily_preview(self.today, &question, self.daily.as_ref())
            }
            HomeItemTarget::Harder(harder) => preview::harder_opponent_preview(harder),
            HomeItemTarget::Unfinished(path, _) | HomeItemTarget::Finished(path) => {
                let points = self.points(path);
                let save = self.save(path);
                save.map_or_else(HomeItemPreview::default, |save| {
                    preview::save_preview(save, self.positions.get(path), points.as_deref())
                })
            }
        }
    }

    fn facts(&self, item: &HomeItemTarget) -> Facts {
        match item {
            HomeItemTarget::Tutorial => keys::LESSONS,
            HomeItemTarget::Daily => Facts::NONE,
            HomeItemTarget::Harder(_) => keys::ARRANGEABLE,
            HomeItemTarget::Scenario(name) | HomeItemTarget::ScenarioSeat(name, _) => {
                let mut read = self.previewed.iter();
                let comparable =
                    |(known, read): &(String, ScenarioPreview)| known == name && read.comparable;
                keys::ARRANGEABLE | keys::COMPARABLE.only_if(read.any(comparable))
            }
            HomeItemTarget::Unfinished(..) | HomeItemTarget::Finished(_) => {
                keys::ARRANGEABLE | keys::READABLE
            }
        }
    }

    fn reproduction(&self, item: &HomeItemTarget) -> Option<ReproductionInfo> {
        let save = self.save(item.save_path()?)?;
        let path = quote_path_for_shell(&save.path);
        let command = match save.condition {
            SavedDebateProgress::Unfinished => "resume",
            _ => "replay",
        };
        Some(ReproductionInfo {
            seed: Some(save.header.as_ref()?.seed.as_str().to_owned()),
            command: Some(format!("debate-tui {command} {path}")),
            tells_secrets: false,
            save: Some(save.path.clone()),
        })
    }

    fn name(&self, item: &HomeItemTarget) -> String {
        match item {
            HomeItemTarget::Tutorial
            | HomeItemTarget::Scenario(_)
            | HomeItemTarget::ScenarioSeat(..)
            | HomeItemTarget::Daily
            | HomeItemTarget::Harder(_) => String::new(),
            HomeItemTarget::Unfinished(path, _) | HomeItemTarget::Finished(path) => {
                let save = self.save(path);
                save.map_or_else(String::new, SaveListing::save_name_in_lists)
            }
        }
    }
}

/// Runs a computation on a separate thread and wakes the screen when the computation is done. The result is dropped if
/// the receiver is gone.
fn on_thread<T: Send + 'static>(
    name: &str,
    waker: &MainLoopWaker,
    work: impl FnOnce() -> T + Send + 'static,
) -> std::io::Result<Receiver<T>> {
    let (sender, receiver) = channel();
    let waker = waker.clone();
    std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(move || {
            let _ = sender.send(work());
            waker.wake();
        })?;
    Ok(receiver)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::keys;
    use crate::tui::menu::HomeScreen;
    use crate::tui::screen::{Screen as _, ScreenExt as _};
    use crate::tui::theme::ScreenAppearance;
    use crate::tui::widget::Canvas;
    use crate::tui::widget::scroll::Entry;
    use crate::tui::widget::testing::drawn_text;
    use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

    /// Draws the home page at three terminal sizes, with the item marked that is `downs` steps below the first.
    fn shown(library: &mut HomePageItems, downs: usize) -> String {
        let keys = keys::default_key_map().unwrap();
        let mut home = HomeScreen::new(library, &keys, None);
        for _ in 0..downs {
            home.key(KeyEvent::new(KeyCode::Down, KeyModifiers::NONE));
        }
        let look = ScreenAppearance::default();
        let sizes = [(80, 24), (120, 36), (200, 60)];
        let pictures = sizes.map(|(columns, rows)| {
            drawn_text(columns, rows, |buffer, area| {
                home.render(&mut Canvas::new(&look, buffer), area);
            })
        });
        pictures.join("\n\n")
    }

    /// The preview of today's debate names the question that the debate itself shows.
    #[test]
    fn the_preview_of_the_day_shows_the_question_of_its_instance() {
        let folder = tempfile::tempdir().unwrap();
        let save_options = SaveStorageOptions {
            folder: Some(folder.path().to_owned()),
            no_save: false,
        };
        let limits = ScenarioLimits::default();
        let mut other_instances = 0;
        for day in ["2026-01-05", "2026-01-06", "2026-01-07", "2026-01-08"] {
            let today = DailyDate::parse(day).unwrap();
            let waker = MainLoopWaker::default();
            let mut library =
                HomePageItems::open_on(today, &save_options, &limits, waker, false).unwrap();
            let preview = library.preview(&HomeItemTarget::Daily);
            let shown: Vec<String> = preview.about.iter().map(Entry::plain_body_text).collect();
            let plan = today.daily_debate_plan().unwrap();
            let title = plan.facts(&plan.instance()).title.clone();
            assert!(shown.contains(&format!("Question: {title}")), "{shown:?}");
            let listed = library
                .course
                .iter()
                .find(|one| one.name == today.daily_scenario_name());
            other_instances += usize::from(listed.unwrap().title != title);
        }
        assert!(
            other_instances > 0,
            "every daily debate has the title of its scenario, so no day chose an own instance"
        );
    }

    /// The home page of a new user lists the tutorial, today's debate and two scenarios. The previews describe players
    /// and rules in plain words.
    #[test]
    fn home_of_a_new_user() {
        let folder = tempfile::tempdir().unwrap();
        let save_options = SaveStorageOptions {
            folder: Some(folder.path().to_owned()),
            no_save: false,
        };
        let today = DailyDate::parse("2026-01-07").unwrap();
        let limits = ScenarioLimits::default();
        let mut library = HomePageItems::open_on(
            today,
            &save_options,
            &limits,
            MainLoopWaker::default(),
            false,
        )
        .unwrap();
        if let Some(reading) = library.reading.take() {
            library.add_saves(reading.recv().unwrap());
        }
        insta::assert_snapshot!("tutorial", shown(&mut library, 0));
        insta::assert_snapshot!("daily", shown(&mut library, 1));
        // The preview is read on a separate thread.
        let preview = ScenarioPreview::read("primes", &limits, None);
        library.previewed = Some(("primes".to_owned(), preview));
        insta::assert_snapshot!("primes", shown(&mut library, 2));
    }

    #[test]
    fn each_item_has_one_row() {
        let folder = tempfile::tempdir().unwrap();
        let save_options = SaveStorageOptions {
            folder: Some(folder.path().to_owned()),
            no_save: false,
        };
        let limits = ScenarioLimits::default();
        let waker = MainLoopWaker::default();
        let library = HomePageItems::open(&save_options, &limits, waker, false).unwrap();
        let rows = library.sections.iter().flat_map(|section| &section.items);
        let targets: Vec<&HomeItemTarget> = rows.map(|item| &item.target).collect();
        for (at, target) in targets.iter().enumerate() {
            assert!(!targets[..at].contains(target), "{target:?}");
        }
        for scenario in bundled_scenarios() {
            let target = HomeItemTarget::Scenario(scenario.name.to_owned());
            assert!(targets.contains(&&target), "{target:?}");
        }
    }
}
