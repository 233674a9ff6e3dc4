//! Studies for tests: a small one, and two that differ only in facts hidden from the terminal.

use std::fs;
use std::path::{Path, PathBuf};

use debate_core::player::{Player, SeatedDebate};
use debate_host::Debate;
use debate_host::record::{ReplyMeta, Save, SaveJournal};
use debate_solver::setup::{LoadedScenario, ScenarioLimits, ScenarioTextSource};
use debate_study::{
    CodeOrAddressByOutcome, SimulatedJudge, SimulatedJudgeBehaviour, Study, create_example_study,
    start_or_resume,
};

/// Direct questions and debates, without a quiz.
pub const STUDY: &str = r#"Study(
    format: 1, id: "small", title: "A small study", stage: Pilot, seed: 7,
    conditions: [
        (id: "direct", shown_as: "Task K", task: Direct(shows: Question)),
        (
            id: "debate", shown_as: "Task M",
            task: Debate(protocol: ProverEstimator(epsilon: 0.25, rho: 0.5), prover: "honest", opponent: "calibrated"),
        ),
    ],
    items: (scenarios: ["items/*.ron"]),
    design: Within(order: Williams, blocks: 1, per_cell: 1),
    flow: [Screener(min: (80, 24)), Consent("consent.md"), Trials, Survey("after.ron"), Debrief(reveal: true)],
    target: (participants: 40), stop: Participants(40),
    analysis: (primary: Difference(measure: Brier, of: "debate", against: "direct")),
)
"#;

/// A direct question, a live debate and a rejudged one. The players of the live debate look at no truth, so their
/// replies do not depend on it.
const BLIND: &str = r#"Study(
    format: 1, id: "blind", title: "A blind study", stage: Pilot, seed: 7,
    conditions: [
        (id: "{direct}", shown_as: "Task K", task: Direct(shows: Question)),
        (
            id: "{live}", shown_as: "Task L",
            task: Debate(protocol: ProverEstimator(epsilon: 0.25, rho: 0.5), prover: "random", opponent: "{opponent}"),
            figures: Shown,
        ),
        (id: "{again}", shown_as: "Task M", task: Rejudge(saves: "saves/*.ron"), figures: Shown),
    ],
    items: (scenarios: ["items/*.ron"]),
    design: Within(order: Williams, blocks: 1, per_cell: 1),
    flow: [Screener(min: (80, 24)), Consent("consent.md"), Trials, Debrief(reveal: true)],
    target: (participants: 4), stop: Participants(4),
    analysis: (primary: Difference(measure: Brier, of: "{live}", against: "{direct}")),
)
"#;

/// A study with a screening survey, a quota, and a waiting list for its two places.
const SCREENED: &str = r#"Study(
    format: 1, id: "screened", title: "Screened", stage: Pilot, seed: 7,
    screening: (survey: "screening.ron", screen_out: [(question: "age", is: Below(18))]),
    quotas: [(question: "reads", is: OneOf(["daily"]), most: 1)],
    waiting_list: (wait_s: 3600),
    conditions: [
        (id: "one", shown_as: "Task K", task: Direct(shows: Question)),
        (id: "two", shown_as: "Task L", task: Direct(shows: Evidence)),
    ],
    items: (scenarios: ["items/*.ron"]),
    design: Within(blocks: 1),
    flow: [Consent("consent.md"), Trials],
    response: Probability(ask: [Final], confirm: false),
    codes: (complete: "DONE", screened_out: "OUT", quota_full: "QUOTA"),
    returns: (
        complete: "https://app.prolific.com/submissions/complete?cc={code}",
        screened_out: "https://app.prolific.com/submissions/complete?cc={code}",
    ),
    outcome_pay: (screened_out: 20),
    target: (participants: 2), stop: Participants(2),
    analysis: (primary: Difference(measure: Brier, of: "two", against: "one")),
)
"#;

/// The screening survey of [`SCREENED`].
const SCREENING: &str = r#"[
    (id: "age", ask: "How old are you?", answer: Number(min: 0, max: 120)),
    (id: "reads", ask: "How often do you read news?", answer: Choice(["daily", "weekly"])),
]"#;

/// English words that are no German words. A sentence without any of them is hardly English.
const ENGLISH: [&str; 44] = [
    "the", "is", "are", "of", "this", "that", "these", "which", "you", "your", "and", "or", "yes",
    "no", "true", "false", "wrong", "right", "step", "steps", "point", "points", "one", "give",
    "gives", "given", "choose", "how", "likely", "claim", "claims", "wrote", "judge", "says", "if",
    "at", "least", "all", "most", "too", "about", "it", "with", "answers",
];

/// Returns the first English word of a German text.
pub fn english_word(text: &str) -> Option<&str> {
    let words = text.split(|c: char| !c.is_alphabetic());
    words.into_iter().find(|word| {
        let word = word.to_lowercase();
        ENGLISH.contains(&word.as_str())
    })
}

/// Writes a study into a new folder.
pub fn study(folder: &Path, text: &str) {
    create_example_study(folder).expect("a new folder");
    fs::write(folder.join("study.ron"), text).expect("a file");
}

/// Writes the study with a screening survey into a new folder.
pub fn screened_study(folder: &Path) {
    study(folder, SCREENED);
    fs::write(folder.join("screening.ron"), SCREENING).expect("a file");
}

/// Returns a debate that a participant judged in the small study.
fn judged(folder: &Path) -> PathBuf {
    study(folder, STUDY);
    let study = Study::load(folder).expect("a study");
    let (mut running, mut clock) =
        start_or_resume(&study, None, CodeOrAddressByOutcome::default()).expect("a running");
    let mut judge = SimulatedJudge::new(SimulatedJudgeBehaviour::PERFECT, "7").expect("a seed");
    while !running.current_page().is_session_over() {
        let input = judge.answer_for_page(&running.current_page(), running.participant());
        let taken = running
            .take_input(&input, &clock.record_key_press_times())
            .expect("a disk");
        taken.expect("an answer");
    }
    let mut saves = fs::read_dir(folder.join("data/debates")).expect("saves");
    saves.next().expect("one").expect("an entry").path()
}

/// Returns the text of a scenario with every truth negated.
fn toggled(scenario: &str) -> String {
    let marked = scenario.replace("truth: true", "truth: TRUE");
    let marked = marked.replace("truth: false", "truth: true");
    marked.replace("truth: TRUE", "truth: false")
}

/// Saves the debate of a save again, in a scenario with other truths and between other players. The replies are the
/// same.
fn with_other_truths(save: &Path, folder: &Path) {
    let save = Save::read_save(save).expect("a save");
    let own = save
        .read_saved_scenario(&ScenarioLimits::default())
        .expect("its scenario");
    let own = save.header.debated_instance(&own).expect("its instance");
    let moves = save.history(&own).expect("its moves").moves_never_undone();
    let mut header = save.header.clone();
    header.scenario = toggled(&header.scenario);
    header.players = ["obfuscator", "stubborn(0.6)", "human"].map(str::to_owned);
    let origin = ScenarioTextSource::Text("a save".to_owned());
    let setup = LoadedScenario::from_text(&header.scenario, origin, &ScenarioLimits::default())
        .expect("a scenario");
    let instance = header.debated_instance(&setup).expect("an instance");
    let start = header.protocol.start(&instance).expect("a debate");
    let players = [Player::Outside, Player::Outside, Player::Outside];
    let seating = SeatedDebate::new(start, players, &header.seed, header.debate);
    let journal = SaveJournal::create_save(folder, "debate", &header).expect("a save");
    let made = journal.save_path().to_owned();
    let mut running = Debate::new(seating, Some(journal));
    for made in moves {
        running
            .apply_player_move(made.clone(), &ReplyMeta::default())
            .expect("a move that was made before");
    }
    drop(running);
    fs::rename(made, folder.join("one.ron")).expect("a file");
}

/// Two studies with the same public replies, which differ in the right answers, in the names of players and in the ids
/// of conditions.
pub fn indistinguishable(dir: &Path) -> [PathBuf; 2] {
    let save = judged(&dir.join("first"));
    let one = [
        ("{direct}", "direct"),
        ("{live}", "live"),
        ("{again}", "again"),
        ("{opponent}", "stubborn(0.6)"),
    ];
    let other = [
        ("{direct}", "floor"),
        ("{live}", "argued"),
        ("{again}", "secondhand"),
        ("{opponent}", "stubborn(3/5)"),
    ];
    let made = [("one", one), ("other", other)].map(|(name, names)| {
        let folder = dir.join(name);
        let text = names
            .iter()
            .fold(BLIND.to_owned(), |text, (old, new)| text.replace(old, new));
        study(&folder, &text);
        let saves = folder.join("saves");
        fs::create_dir(&saves).expect("a folder");
        if name == "one" {
            fs::copy(&save, saves.join("one.ron")).expect("a file");
        } else {
            with_other_truths(&save, &saves);
        }
        // Two items that are true in one study and false in the other.
        let mut kept = 0;
        let mut items: Vec<PathBuf> = fs::read_dir(folder.join("items"))
            .expect("items")
            .map(|entry| entry.expect("an entry").path())
            .collect();
        items.sort();
        for path in items {
            let text = fs::read_to_string(&path).expect("a text");
            if kept == 2 || text.contains("truth: false") {
                fs::remove_file(&path).expect("a file");
                continue;
            }
            kept += 1;
            if name == "other" {
                fs::write(&path, toggled(&text)).expect("a file");
            }
        }
        folder
    });
    let truths = |folder: &Path| {
        let study = Study::load(folder).expect("a study");
        study
            .items
            .iter()
            .map(|item| item.truth)
            .collect::<Vec<_>>()
    };
    let [one, other] = &made;
    let opposite: Vec<bool> = truths(one).iter().map(|truth| !truth).collect();
    assert_eq!(truths(other), opposite);
    made
}
