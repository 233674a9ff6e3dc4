use std::path::PathBuf;

use super::*;
use crate::AdvanceResult;
use crate::plan::{ExternalPlayerOptions, OpenedDebate, SaveStorageOptions};
use crate::record::{UserSaveLabel, verify_file};
use debate_core::chance::RandomStream;
use debate_core::protocol::{Reply, Rules as _};
use debate_solver::setup::bundled_scenarios;

fn date(text: &str) -> DailyDate {
    DailyDate::parse(text).unwrap()
}

/// The days of one turn through the scenarios.
fn one_turn() -> impl Iterator<Item = DailyDate> {
    let first = date("2026-11-28");
    (0..DAILY_SCENARIOS.len() as u64).map(move |day| DailyDate {
        days: first.days + day,
    })
}

#[test]
fn dates_are_real_days_in_one_form() {
    for text in ["1970-01-01", "2024-02-29", "2026-12-31", "9999-12-31"] {
        assert_eq!(date(text).to_string(), text);
    }
    for text in [
        "2026-02-29",
        "2026-13-01",
        "26-01-01",
        "2026-1-01",
        "2026-01-01 ",
        "",
        "1969-12-31",
    ] {
        assert_eq!(DailyDate::parse(text), None, "{text}");
    }
    assert_eq!(date("2026-03-01").previous(), Some(date("2026-02-28")));
    assert_eq!(date("1970-01-01").previous(), None);
    let noon = UNIX_EPOCH + Duration::from_secs(SECONDS_PER_DAY + SECONDS_PER_DAY / 2);
    assert_eq!(DailyDate::utc_day_of_time(noon), date("1970-01-02"));
}

#[test]
fn every_daily_scenario_is_short_and_has_several_instances_and_an_estimator() {
    let course = bundled_scenarios();
    let mut scenarios = Vec::new();
    for day in one_turn() {
        scenarios.push(day.daily_scenario_name());
        let plan = day.daily_debate_plan().unwrap();
        let humans: Vec<Seat> = plan.human_seats().collect();
        assert_eq!(humans, [Seat::Opponent]);
        assert!(!plan.prover_uses_past_debates_of_bob());
        assert!(
            plan.setup.decomposition.worlds().len() >= 2,
            "{}",
            day.daily_scenario_name()
        );
        assert_eq!(plan.seed.as_str(), format!("daily/1/{day}"));
        assert_eq!(plan.daily_date(), Some(day));
        let listed = course
            .iter()
            .find(|it| it.name == day.daily_scenario_name())
            .unwrap();
        let advice = listed.seats.first().unwrap();
        assert_eq!(advice.seat, Seat::Opponent);
        assert!(advice.replies.unwrap() <= 13);
        let command = plan.reproduction_info(None).command.unwrap();
        assert_eq!(command, format!("debate-tui daily --date {day}"));
    }
    scenarios.sort_unstable();
    let mut all = DAILY_SCENARIOS;
    all.sort_unstable();
    assert_eq!(scenarios, all);
}

/// The debates of three days. If this test fails, a day's debate is no longer the same for everybody: raise the
/// version in the seed.
#[test]
fn a_date_always_gives_the_same_debate() {
    let debate = |day: &str| {
        let plan = date(day).daily_debate_plan().unwrap();
        let instance = plan.instance();
        let coin = RandomStream::for_coins_of_debate(&plan.seed, 0, 1).random_53_bit_number_at(0);
        (
            date(day).daily_scenario_name(),
            instance.world_name().to_owned(),
            coin,
        )
    };
    let found = ["2026-01-05", "2026-11-28", "2026-11-29"].map(debate);
    let expected = [
        ("primes-4331", "4309", 8_800_056_761_304_606),
        ("pull-request", "safe", 5_228_687_498_456_361),
        ("primes-4331", "4237", 1_644_483_138_200_263),
    ];
    let expected = expected.map(|(scenario, instance, coin)| (scenario, instance.to_owned(), coin));
    assert_eq!(found, expected);
}

/// A folder of saves.
struct Folder {
    folder: tempfile::TempDir,
    options: SaveStorageOptions,
}

impl Folder {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let options = SaveStorageOptions {
            folder: Some(folder.path().to_owned()),
            no_save: false,
        };
        Self { folder, options }
    }

    fn saves(&self) -> Vec<SaveListing> {
        list_saves(self.folder.path()).unwrap()
    }

    /// Plays a debate in which Bob says 50 % at first, and then always the same. Returns the path of its save.
    fn play(&self, plan: &DebatePlan, undoes: bool) -> PathBuf {
        let instance = plan.instance();
        let mut debate = plan.start(&instance, &self.options).unwrap();
        let mut undone = !undoes;
        while let AdvanceResult::Ask(_) = debate.play_until_blocked().unwrap() {
            debate
                .reply(Reply::Probability(Exact::ratio(1, 2)), 0)
                .unwrap()
                .unwrap();
            if !undone && debate.undo_last_external_reply().is_ok() {
                undone = true;
            }
        }
        assert!(debate.state_and_players().state().request().is_none());
        debate.save_path().unwrap().to_owned()
    }

    fn result(&self, path: &Path) -> DailyResult {
        let save = SaveListing::read_listing(path).unwrap();
        DailyResult::read_daily_result(&save, &self.saves())
            .unwrap()
            .unwrap()
    }
}

const DAY: &str = "2026-01-05";

#[test]
fn a_first_debate_counts_and_a_second_one_is_practice() {
    let folder = Folder::new();
    let day = date(DAY);
    assert_eq!(finished_daily_save(day, &folder.saves()), None);
    let plan = day.daily_debate_plan().unwrap();
    let first = folder.play(&plan, false);
    let verified = verify_file(&first, &ScenarioLimits::default()).unwrap();
    assert!(verified.ok && verified.finished, "{verified:?}");
    let result = folder.result(&first);
    assert_eq!(result.practice, []);
    let line = result.shareable_result_line();
    assert!(
        line.starts_with("debate-tui daily 2026-01-05: gap "),
        "{line}"
    );
    assert!(
        line.contains("squared distance") && !line.contains("point."),
        "{line}"
    );

    let second = folder.play(&plan, true);
    let practice = folder.result(&second);
    assert_eq!(
        practice.practice,
        [DailyPracticeReason::Undo, DailyPracticeReason::Restart]
    );
    assert!(practice.shareable_result_line().ends_with(", practice."));
    assert_eq!(
        practice.reason_daily_is_only_practice().unwrap(),
        "This was practice: a reply was undone, and this was not your first attempt at the daily debate of this day."
    );
    let saves = folder.saves();
    assert_eq!(finished_daily_save(day, &saves).unwrap().path, first);
    assert_eq!(daily_debate_result_lines(&second).len(), 2);
}

#[test]
fn the_seed_in_another_debate_makes_it_practice() {
    let folder = Folder::new();
    let plan = date(DAY).daily_debate_plan().unwrap();
    let mut elsewhere = plan.clone();
    elsewhere.tags.clear();
    folder.play(&elsewhere, false);
    let path = folder.play(&plan, false);
    assert_eq!(
        folder.result(&path).practice,
        [DailyPracticeReason::PlayedElsewhere]
    );
    // The same date with another seed is no daily debate.
    let mut forged = plan.clone();
    forged.seed = Seed::new("7").unwrap();
    let path = folder.play(&forged, false);
    let save = SaveListing::read_listing(&path).unwrap();
    assert_eq!(
        DailyResult::read_daily_result(&save, &folder.saves()).unwrap(),
        None
    );
}

#[test]
fn the_start_is_saved_before_the_first_reply_and_is_continued() {
    let folder = Folder::new();
    let day = date(DAY);
    let plan = day.daily_debate_plan().unwrap();
    let instance = plan.instance();
    let debate = plan.start(&instance, &folder.options).unwrap();
    let path = debate.save_path().unwrap().to_owned();
    drop(debate);
    assert_eq!(
        unfinished_daily_save(day, &folder.saves()),
        Some(path.clone())
    );
    let kept = OpenedDebate::open_save(&path, ExternalPlayerOptions::default()).unwrap();
    assert_eq!(kept.plan.daily_date(), Some(day));
}

#[test]
fn a_streak_ends_today_or_yesterday() {
    let header = |day: DailyDate, started: &str| {
        let plan = day.daily_debate_plan().unwrap();
        let instance = plan.instance();
        let header = SaveHeader::new(
            &plan.setup,
            plan.protocol.clone(),
            plan.seed.clone(),
            &instance,
            plan.player_names(),
        );
        SaveHeader {
            tags: plan.tags.clone(),
            started: Some(started.to_owned()),
            ..header
        }
    };
    let save = |day: &str, started: &str| SaveListing {
        path: PathBuf::from(format!("{started}.ron")),
        title: None,
        scenario_title: None,
        header: Some(header(date(day), started)),
        condition: SavedDebateProgress::Finished,
        end: None,
        modified: UNIX_EPOCH,
        label: UserSaveLabel::default(),
    };
    let saves = [
        save("2026-01-05", "2026-01-05T10:00:00Z"),
        save("2026-01-06", "2026-01-06T10:00:00Z"),
        // Played a day late.
        save("2026-01-04", "2026-01-05T11:00:00Z"),
    ];
    for (today, days) in [
        ("2026-01-05", 1),
        ("2026-01-06", 2),
        ("2026-01-07", 2),
        ("2026-01-08", 0),
    ] {
        assert_eq!(daily_streak(date(today), &saves), days, "{today}");
    }
}
