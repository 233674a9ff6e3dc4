//! Study pages with the rules' requests to participants: every kind of request of every protocol, in German without an
//! English sentence, and in English with the words of the rules.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use debate_study::{
    CodeOrAddressByOutcome, Participant, ParticipantInput, Study, StudySessionPage,
    StudyTerminalTexts, create_example_study,
};
use debate_text::{DebateAnswerForm, Line};

use crate::support::pairs::{PAIRS, Pair};
use crate::support::studies::english_word;

/// Pairs with few subclaims: one of every problem and every protocol, also where the debate asks about steps.
const SMALL: [&str; 20] = [
    "prover-estimator",
    "recursive",
    "bisection",
    "cross-examination",
    "cross-examination-witness",
    "descent",
    "quantifiers",
    "quantifiers-direct",
    "stochastic",
    "stochastic-paper",
    "speeches",
    "speeches-at-once",
    "speeches-consultant",
    "verified",
    "verified-quantifiers",
    "recursive-certificate",
    "cross-examination-plan",
    "recursive-plan",
    "prover-estimator-plan",
    "recursive-argument-stable",
];

/// The texts of the scenarios: each with its German form. Statements that the program makes are removed instead.
const GERMAN: [(&str, &str); 9] = [
    ("It is so — é.", "Es ist so — é."),
    ("Is \\\"it\\\" so?", "Ist es so?"),
    ("Is it both?", "Ist es beides?"),
    ("Is it the one?", "Ist es das eine?"),
    ("Is it the other?", "Ist es das andere?"),
    ("Did the doctor lie?", "Hat die Ärztin gelogen?"),
    ("\"Yes — é\", \"No\"", "\"Ja — é\", \"Nein\""),
    (
        "The doctor said that he had not slept. He had slept well.",
        "Die Ärztin sagte, sie habe nicht geschlafen. Sie hatte gut geschlafen.",
    ),
    ("Can Alice say the same?", "Sagt Alice dasselbe?"),
];

/// Statements of problems that the program makes, which are English in every study.
const MADE: [&str; 5] = [
    "problem: Circuit",
    "problem: Machine",
    "problem: Plan",
    "problem: Primality",
    "problem: Qbf",
];

/// The places of a piece of evidence in texts that the program makes for `Stable(3)`, which are English in every study.
const PIECES: [&str; 3] = ["first", "second", "third"];

/// Removes the texts that the program makes for a piece of evidence.
fn without_pieces(text: &str) -> String {
    PIECES.iter().fold(text.to_owned(), |text, place| {
        let piece = format!("the {place} of three independent pieces of evidence");
        let alone = format!("This is {piece}. Judge this piece on its own.");
        text.replace(&alone, "")
            .replace(&format!(", by {piece}."), "")
    })
}

/// A study with one debate of a participant in a seat, and one direct question.
fn study(folder: &Path, pair: &Pair, role: &str, language: &str) -> Study {
    create_example_study(folder).unwrap();
    fs::create_dir(folder.join("own")).unwrap();
    let mut scenario = pair.scenario();
    // A study needs one instance.
    for (of, instance) in [
        ("numbers: [", "11"),
        ("\"101\", \"111\"", "101"),
        ("\"01\", \"11\"", "01"),
    ] {
        if scenario.contains(of) {
            let end = scenario.rfind(')').unwrap();
            scenario.insert_str(end, &format!("    instance: \"{instance}\",\n"));
        }
    }
    if language == "de" {
        for (english, german) in GERMAN {
            scenario = scenario.replace(english, german);
        }
    }
    for number in 0..2 {
        fs::write(folder.join(format!("own/{number}.ron")), &scenario).unwrap();
    }
    let protocol = pair.protocol;
    let text = format!(
        r#"Study(
            format: 1, id: "requests", title: "T", stage: Pilot, seed: 7, languages: ["{language}"], roles: [{role}],
            conditions: [
                (id: "alone", shown_as: "K", task: Direct(shows: Question)),
                (
                    id: "argued", shown_as: "M", figures: Shown,
                    task: Debate(protocol: {protocol}, prover: "random", opponent: "random"),
                ),
            ],
            items: (scenarios: ["own/*.ron"]),
            design: Within(blocks: 1),
            flow: [Consent("consent.md"), Trials],
            target: (participants: 2), stop: Participants(2),
            analysis: (primary: Difference(measure: Brier, of: "argued", against: "alone")),
        )"#
    );
    fs::write(folder.join("study.ron"), text).unwrap();
    fs::write(folder.join("consent.md"), "").unwrap();
    Study::load(folder).unwrap()
}

/// The texts of pages and refusals, and the kinds of requests.
#[derive(Default)]
struct Seen {
    texts: BTreeSet<String>,
    /// The questions among the texts, and the reasons of refusals.
    questions: BTreeSet<String>,
    kinds: BTreeSet<&'static str>,
}

impl Seen {
    fn page(&mut self, study: &Study, page: &StudySessionPage) {
        let words = StudyTerminalTexts::terminal_words_of_plan(&study.plan);
        let mut texts = vec![page.page.heading.clone(), page.details.clone()];
        texts.extend(page.all_plain_text_lines());
        texts.extend(page.source.iter().map(Line::plain_body_text));
        texts.extend(page.button.clone());
        texts.extend(words.request_lines(page));
        if let Some(scale) = &page.scale {
            texts.extend(scale.ends.iter().chain(&scale.words).cloned());
        }
        self.texts.extend(texts);
    }

    /// Takes a participant through a session, with answers that depend on `seed`, and with wrong entries. The
    /// participant with seed 0 does not agree to take part.
    fn session(&mut self, study: &Study, mut seed: usize) {
        let mut participant = Participant::new(study, CodeOrAddressByOutcome::default());
        let consents = seed > 0;
        'pages: for number in 0..60 {
            if participant.must_claim_slot_next()
                && participant.start_trials_or_end_as_full(Some(0)).is_err()
            {
                return;
            }
            let page = participant.page();
            self.page(study, &page);
            let kind = participant.current_trial();
            self.kinds
                .extend(kind.map(|(_, _, point)| point.asked.request_name()));
            let Some(ask) = &page.page.ask else {
                return;
            };
            self.questions.insert(ask.text.clone());
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let text = |text: &str| ParticipantInput::Text(text.to_owned());
            let inputs = match &ask.kind {
                DebateAnswerForm::OneOf(options) => {
                    let from = match number {
                        0 => usize::from(!consents),
                        _ => seed >> 33,
                    };
                    let all = 0..options.len();
                    all.map(|it| ParticipantInput::Choice((from + it) % options.len()))
                        .collect()
                }
                DebateAnswerForm::Percent { .. } => {
                    vec![text("viel"), text("100"), text("0.4"), text("40")]
                }
                DebateAnswerForm::Text { .. } => vec![
                    ParticipantInput::Choice(0),
                    text("<quote>offen"),
                    text("Das ist so."),
                ],
                _ => vec![ParticipantInput::Next],
            };
            for input in inputs {
                // A request that no page can make ends the session.
                let Ok(taken) = participant.take_input(&input) else {
                    return;
                };
                match taken {
                    Ok(_) => continue 'pages,
                    Err(why) => {
                        self.questions.insert(why.clone());
                        self.texts.insert(why);
                    }
                }
            }
            panic!("no answer is accepted: {ask:?}");
        }
    }
}

fn small_pairs() -> impl Iterator<Item = &'static Pair> {
    PAIRS.iter().filter(|pair| SMALL.contains(&pair.name))
}

fn pages_of(pair: &Pair, language: &str, seeds: usize) -> Seen {
    let dir = tempfile::tempdir().unwrap();
    let mut seen = Seen::default();
    for role in ["Prover", "Opponent", "Judge"] {
        let study = study(&dir.path().join(role), pair, role, language);
        for seed in 0..seeds {
            seen.session(&study, seed);
        }
    }
    seen
}

/// Removes the texts in quotation marks, such as statements that the program makes.
fn outside_quotes(text: &str) -> String {
    let mut out = String::new();
    let mut depth = 0_u32;
    for c in text.chars() {
        match c {
            '„' => depth += 1,
            '“' => depth = depth.saturating_sub(1),
            c if depth == 0 => out.push(c),
            _ => {}
        }
    }
    out
}

#[test]
fn german_pages_with_requests_contain_no_english() {
    let mut kinds = BTreeSet::new();
    let mut wrong = Vec::new();
    for pair in small_pairs() {
        // Only the questions are compared for these problems: their statements are in quotation marks there.
        let is_made = MADE.iter().any(|made| pair.scenario().contains(made));
        let seen = pages_of(pair, "de", 6);
        kinds.extend(seen.kinds);
        let texts = if is_made { seen.questions } else { seen.texts };
        for row in texts.iter().flat_map(|text| text.lines()) {
            let is_evidence = is_made && row.starts_with("Beleg: ");
            let own = without_pieces(&outside_quotes(row)).replace("quote>", "");
            if let Some(word) = english_word(&own).filter(|_| !is_evidence) {
                wrong.push(format!("{}: {word}: {row}", pair.name));
            }
        }
    }
    wrong.sort();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let wanted = [
        "before", "continue", "estimate", "final", "move", "query", "round", "speech",
    ];
    for kind in wanted {
        assert!(kinds.contains(kind), "{kind}: {kinds:?}");
    }
}

/// Participants of locked studies have read these words, so they must not change.
#[test]
fn english_requests_have_the_words_of_the_rules() {
    let mut texts = BTreeSet::new();
    for pair in small_pairs() {
        texts.extend(pages_of(pair, "en", 6).texts);
    }
    for wanted in [
        "Is this true: “It is so — é.”? You will defend your answer.",
        "  1. Yes, it is true",
        "There is one way to support “It is so — é.”.",
        "  1. at least one of 2: “A.”; “B.”",
        "  1. It is too low",
        "  3. It is too high",
        "Claim an answer to each subclaim. Combined (at least one of), they must give true.",
        "  2. “A.” not true, “B.” true",
        "  3. “A.” true, “B.” not true",
        "What is proof bit bit, 0 or 1?",
        "The rules do not allow this answer: the claim was stated to be true, but the answers to its subclaims imply the opposite; change the answers.",
        "The rules do not allow this answer: one of the marks <quote> and </quote> is missing; write a quote between both marks.",
        "Write down the answer to every step: 3 answers. You lose if the last one is no.",
    ] {
        assert!(texts.contains(wanted), "{wanted} is missing: {texts:#?}");
    }
    for (start, end) in [
        ("Is Bob's ", " about right?"),
        ("Alice estimates ", "otherwise she wins."),
        (
            "Alice wrote down 3 steps. Point at one",
            "if the last says yes.",
        ),
        (
            "Give a percentage for the coin of “",
            "which you do not see.",
        ),
        ("Given the coins (", " for “A.”): how likely is “B.”?"),
    ] {
        let found = texts
            .iter()
            .any(|text| text.starts_with(start) && text.ends_with(end));
        assert!(found, "{start}…{end} is missing: {texts:#?}");
    }
}
