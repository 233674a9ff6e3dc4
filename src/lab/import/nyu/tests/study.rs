//! The public debates of the NYU study: eight of them as files, all judgements as a table. Their licence is in
//! `tests/nyu/LICENSE.note`.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use super::super::super::{
    ImportFileKind, NewFileWriteOutcome, find_files_to_import, nyu, read_study_metadata,
    read_text_file, write_new_file,
};
use crate::judgements::{
    JudgementConditionReport, give_conditions_unique_names, of_save, read_judgement_table,
    report_on_judgements,
};
use debate_core::{Event, Exact, Number as _, Protocol, Rules as _, Seat};
use debate_host::record::{Save, verify_file};
use debate_solver::setup::ScenarioLimits;
use serde_json::{Value, json};

fn data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/nyu")
        .join(name)
}

/// Imports the eight debates into a folder, in order.
fn imported(folder: &std::path::Path) -> Vec<PathBuf> {
    let found = find_files_to_import(&[data("official")], ImportFileKind::Nyu)
        .expect("a folder")
        .files;
    let known = read_study_metadata(&found).expect("metadata");
    let mut names = nyu::Pseudonyms::new(false);
    let import = |path: &PathBuf| {
        let name = path.file_stem().expect("a name").to_str().expect("UTF-8");
        let text = read_text_file(path).expect("a text");
        let included = known[name].included;
        assert_eq!(included, Some(true));
        let (save, _) = nyu::import_debate_as_save(name, &text, included, &mut names).expect(name);
        assert!(save.finished, "{name}");
        let file = format!("{}.ron", save.name);
        let kept = write_new_file(folder, &file, &save.text);
        assert_eq!(kept, Ok(NewFileWriteOutcome::Written), "{name}");
        folder.join(file)
    };
    found.iter().map(import).collect()
}

/// Sums over debates, as listed in `reference-summary.json`.
#[derive(Default)]
struct Sums {
    by_setting: BTreeMap<String, (u32, f64, u32)>,
    round_kinds: BTreeMap<&'static str, u32>,
    speeches: usize,
    quotes: usize,
    text_chars: usize,
}

impl Sums {
    fn kind(&mut self, kind: &'static str, count: u32) {
        *self.round_kinds.entry(kind).or_default() += count;
    }

    fn take(&mut self, path: &std::path::Path) {
        let limits = ScenarioLimits::default();
        let save = Save::read_save(path).expect("a save");
        let setup = save.read_saved_scenario(&limits).expect("a scenario");
        let instance = save.header.debated_instance(&setup).expect("an instance");
        let history = save.history(&instance).expect("a debate");
        let Protocol::Speeches(rules) = &save.header.protocol else {
            panic!("other rules");
        };
        for entry in history.log().entries() {
            match &entry.event {
                Event::Entered { round, .. } => {
                    let in_turn = rules.in_turn_from.is_some_and(|first| *round >= first);
                    self.kind(
                        if rules.simultaneous && !in_turn {
                            "SimultaneousSpeeches"
                        } else {
                            "SequentialSpeeches"
                        },
                        1,
                    );
                }
                Event::Estimated { .. } => {
                    assert_eq!(entry.seat, Seat::Judge);
                    self.kind("JudgeFeedback", 1);
                }
                Event::Spoke { speech, .. } => {
                    self.speeches += 1;
                    self.quotes += speech.quotes().count();
                    self.text_chars += speech.own_text_char_count();
                }
                _ => {}
            }
        }
        if setup.tags.contains_key("later_judges") {
            self.kind("OfflineJudgments", 1);
        }
        let made = of_save(path, &limits, false).expect("a save");
        let made = give_conditions_unique_names(vec![made.expect("a judgement")]).remove(0);
        let setting = made.condition.replace("model", "ai").replace(' ', "-");
        let (count, sum, correct) = self.by_setting.entry(setting).or_default();
        *count += 1;
        *sum += made.p_correct;
        *correct += u32::from(made.p_correct > 0.5);
        // The payoff is exact. It is computed from the probability of the answer that the first speaker argues for.
        let argues_first = history.state_at_cursor().answer() == Some(true);
        let right = instance.truth(instance.root()) == Some(argues_first);
        let p = history.state_at_cursor().payoff() + Exact::ratio(1, 2);
        let p = if right { p } else { Exact::ratio(1, 1) - p };
        assert_eq!(p.to_float().to_bits(), made.p_correct.to_bits());
    }

    /// Returns the sums in the reference's format; fractional values are rounded to nine digits.
    fn json(&self) -> Value {
        let rounded = |value: f64| json!((value * 1e9).round() / 1e9);
        let settings = self.by_setting.iter().map(|(setting, (n, sum, correct))| {
            let each = f64::from(*n);
            let told = json!({
                "n": n, "judged": n, "sum_p_correct": rounded(*sum), "correct": correct,
                "accuracy": rounded(f64::from(*correct) / each), "mean_p_correct": rounded(sum / each),
            });
            (setting.clone(), told)
        });
        json!({
            "by_setting": settings.collect::<serde_json::Map<_, _>>(),
            "round_kinds": self.round_kinds,
            "rounds": self.round_kinds.values().sum::<u32>(),
            "speeches": self.speeches,
            "quotes": self.quotes,
            "text_chars": self.text_chars,
        })
    }
}

#[test]
fn imported_debates_verify_and_sum_up_to_the_reference() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut sums = Sums::default();
    for path in imported(folder.path()) {
        let verdict = verify_file(&path, &ScenarioLimits::default()).expect("a save");
        assert!(verdict.ok && verdict.finished, "{}", path.display());
        sums.take(&path);
    }
    let reference = fs::read_to_string(data("reference-summary.json")).expect("a file");
    let reference: Value = serde_json::from_str(&reference).expect("JSON");
    assert_eq!(sums.json(), reference);
}

#[test]
fn imported_debates_contain_no_names_of_people() {
    let folder = tempfile::tempdir().expect("a folder");
    for path in imported(folder.path()) {
        let text = fs::read_to_string(&path).expect("a save");
        for name in ["Brandywine", "Icetoes", "Snoodle", "Fandango", "Eggplant"] {
            assert!(!text.contains(name), "{name} in {}", path.display());
        }
    }
}

/// Table 1 of the paper: number correct, number of judgements, mean score, calibration error, number of continued
/// rounds.
const TABLE_1: [(&str, usize, usize, &str, &str, u64); 4] = [
    ("human consultancy", 71, 96, "-1.235", "0.173", 386),
    ("human debate", 130, 154, "-0.891", "0.108", 423),
    ("model consultancy", 61, 76, "-1.162", "0.167", 318),
    ("model debate", 68, 87, "-1.197", "0.161", 332),
];

#[test]
fn imports_reproduce_table_1_of_the_study() {
    let table = fs::read(data("judgements.csv")).expect("a table");
    let judgements = read_judgement_table(&table).expect("judgements");
    let told = report_on_judgements(&judgements, Vec::new());
    assert_eq!(told.judgements, 413);
    let found: Vec<_> = told
        .conditions
        .iter()
        .map(|it: &JudgementConditionReport| {
            let score = it.score.map(|score| format!("{score:.3}"));
            let error = format!("{:.3}", it.calibration_error);
            (
                it.condition.clone(),
                it.correct,
                it.judgements,
                score,
                error,
                it.continues,
            )
        })
        .collect();
    let expected = TABLE_1.map(|(setting, correct, count, score, error, continues)| {
        let (score, error) = (Some(score.to_owned()), error.to_owned());
        (setting.to_owned(), correct, count, score, error, continues)
    });
    assert_eq!(found, expected);
    for condition in &told.conditions {
        // Each judge judged many debates, so no interval treats judgements as independent.
        assert!(condition.judges < condition.judgements / 3);
        assert!(condition.accuracy_intervals.len() == 2);
        // An overconfident judge has a larger calibration error than chance alone produces.
        assert!(condition.calibration_noise < condition.calibration_error);
    }
}
