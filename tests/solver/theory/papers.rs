use debate_core::protocol::ProtocolKind;
use debate_solver::setup::{LoadedScenario, ScenarioLimits};
use debate_theory::papers::{
    PaperStatement, STATEMENT_FILES, all_paper_statements, protocol_status_reports,
};

#[test]
fn the_file_is_read_and_has_the_guarantees_of_protocols() {
    let read: Vec<PaperStatement> =
        ron::from_str(include_str!("../../../src/theory/papers.ron")).expect("statements");
    for text in STATEMENT_FILES {
        ron::from_str::<PaperStatement>(text).expect("a statement");
    }
    assert_eq!(
        read.len() + STATEMENT_FILES.len(),
        all_paper_statements().len()
    );
    assert!(
        all_paper_statements()
            .iter()
            .all(|one| one.status_report().is_some())
    );
    let counts = ProtocolKind::ALL
        .iter()
        .map(|kind| protocol_status_reports(*kind).len());
    assert_eq!(counts.sum::<usize>(), 13);
}

/// The text of a statement's row in the file.
fn row(name: &str) -> &'static str {
    let (_, text) = include_str!("../../../src/theory/papers.ron")
        .split_once(&format!("name: \"{name}\""))
        .expect("a row");
    text.split_once("\n        name: ")
        .map_or(text, |(row, _)| row)
}

#[test]
fn the_row_of_cross_examination_names_the_gates_of_its_scenario() {
    let setup =
        LoadedScenario::load_bundled_scenario("multiplier", &ScenarioLimits::default()).unwrap();
    let gates = setup.instance(0).computation().expect("a circuit").steps();
    let words = format!("a transcript of m = {gates} gates");
    assert!(row("DE Theorem 5.3").contains(&words), "{words}");
    assert!(row("DQC Theorem 6").contains(&format!("2^{gates} transcripts")));
}

/// DQC Corollary 7 from ⌈log2 m⌉ + 3: a circuit needs log2 n + 6 queries from 4n + 1 gates on.
#[test]
fn the_row_of_corollary_7_follows_for_every_size() {
    let bits = |gates: u32| gates.next_power_of_two().ilog2() + 3;
    for n in [16_u32, 128, 1024] {
        let hard = n.ilog2() + 6;
        let least = (1..=8 * n).find(|gates| bits(*gates) >= hard);
        assert_eq!(least, Some(4 * n + 1));
    }
    let row = row("DQC Corollary 7");
    for words in ["at most 4n = 64", "At most 4n = 4,096", "only m > 4n"] {
        assert!(row.contains(words), "{words}");
    }
}

#[test]
fn rows_state_their_parameters() {
    assert!(row("DQC Theorem 13").contains("without messages (k = 0)"));
    assert!(row("DQC Theorem 14").contains("says nothing new about three inputs"));
    let lemma = row("PE Lemma A.3");
    assert!(lemma.contains("O(|Z|/δ²) steps") && lemma.contains("size O(|Z|²/δ²)"));
    assert!(row("PE Theorem 8.3").contains("ρ = 1/2"));
}
