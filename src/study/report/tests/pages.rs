//! Pages of trials in everyday words: arguments, figures, confirmation, progress and the last page.

use super::*;
use crate::plan::TrialTask;
use crate::session::terminal::StudyTerminalTexts;
use debate_text::DebateAnswerForm;

/// The example study with six debates for each participant, and with these figures for judges.
fn six_debates(folder: &Path, figures: &str) -> Study {
    example(folder, |text| {
        let (before, rest) = text.split_once("    conditions: [").unwrap();
        let (_, after) = rest.split_once("    // Each story").unwrap();
        let debate = |id: &str, prover: &str| {
            format!(
                "(id: \"{id}\", shown_as: \"Task M\", task: Debate(protocol: ProverEstimator(epsilon: 0.25, rho: 0.5), \
                 prover: \"{prover}\", opponent: \"calibrated\"){figures}),"
            )
        };
        let conditions = [debate("pe-hon", "honest"), debate("pe-obf", "obfuscator")].concat();
        format!("{before}    conditions: [{conditions}],\n    // Each story{after}")
            .replace("blocks: 2", "blocks: 3")
            .replace("checks: [Attention(per_block: 1)],", "")
            .replace("against: \"direct\"", "against: \"pe-obf\"")
    })
}

/// Returns all pages of the first slot, each with the condition if it belongs to a trial that counts.
fn pages(study: &Study) -> Vec<(Option<usize>, StudySessionPage)> {
    let mut judge = SimulatedJudge::new(SimulatedJudgeBehaviour::PERFECT, "7").unwrap();
    let mut participant = Participant::new(study, CodeOrAddressByOutcome::default());
    let mut pages = Vec::new();
    loop {
        let page = participant.page();
        let trial = participant
            .current_trial()
            .map(|(trial, ..)| trial.assigned);
        let trial = trial.filter(|trial| !trial.practice);
        let is_over = page.is_session_over();
        let input = judge.answer_for_page(&page, &participant);
        pages.push((trial.map(|trial| trial.condition), page));
        if is_over {
            return pages;
        }
        participant.take_input(&input).unwrap().unwrap();
        if participant.must_claim_slot_next() {
            participant.start_trials_or_end_as_full(Some(0)).unwrap();
        }
    }
}

#[test]
fn six_debates_take_at_most_thirty_pages() {
    let folder = tempfile::tempdir().unwrap();
    let study = six_debates(&folder.path().join("p"), "");
    let pages = pages(&study);
    let trials: Vec<&StudySessionPage> = pages
        .iter()
        .filter(|(condition, _)| condition.is_some())
        .map(|(_, page)| page)
        .collect();
    assert_eq!(trials.len(), 30);
    assert!(trials.iter().all(|page| page.scale.is_some()
        || matches!(
            page.page.ask.as_ref().map(|ask| &ask.kind),
            Some(DebateAnswerForm::OneOf(_))
        )));
    let last = trials.last().unwrap();
    assert_eq!(last.page.heading, "Question 6 of 6");
    // The button names the next step.
    let saves = trials.iter().filter(|page| {
        let button = page.button.as_deref().unwrap_or_default();
        button.starts_with("Save and go to question") || button.contains("break")
    });
    assert_eq!(saves.count(), 5);
    let left: Vec<u32> = pages
        .iter()
        .filter_map(|(_, page)| page.progress.as_ref())
        .map(|progress| progress.all - progress.done)
        .collect();
    assert!(left.is_sorted_by(|one, other| one >= other), "{left:?}");
    let time = &pages[2].1.progress.as_ref().unwrap().time_left;
    assert!(time.as_ref().unwrap().contains(" min left"), "{time:?}");
}

#[test]
fn judges_see_figures_only_where_the_condition_shows_them() {
    let folder = tempfile::tempdir().unwrap();
    for (name, figures, shows) in [("a", "", false), ("b", ", figures: Shown", true)] {
        let study = six_debates(&folder.path().join(name), figures);
        let mut text = String::new();
        for (_, page) in pages(&study)
            .iter()
            .filter(|(condition, _)| condition.is_some())
        {
            let arguments = &page.arguments;
            let lines = arguments.iter().map(StudyPagePointOrRemark::plain_text);
            text += &lines.collect::<Vec<_>>().join("\n");
            assert!(shows || arguments.iter().all(|line| line.percent.is_none()));
        }
        for figure in [
            "% likely",
            "drawn: ",
            "Alice bets that",
            "Together, the draws",
        ] {
            assert_eq!(text.contains(figure), shows, "{figure}: {text}");
        }
        assert!(text.contains("Alice says: this is"), "{text}");
        assert!(text.contains("Alice looks closer at this point."), "{text}");
    }
}

#[test]
fn arguments_are_numbered_points_with_remarks_below_them() {
    let folder = tempfile::tempdir().unwrap();
    let study = six_debates(&folder.path().join("p"), "");
    let pages = pages(&study);
    let last = pages.iter().rfind(|(condition, _)| condition.is_some());
    let arguments = &last.unwrap().1.arguments;
    let numbers: Vec<&str> = arguments
        .iter()
        .filter_map(|line| line.number.as_deref())
        .collect();
    assert!(numbers.is_sorted(), "{numbers:?}");
    let deepest = numbers.iter().find(|number| number.contains('.'));
    let (above, _) = deepest.unwrap().split_once('.').unwrap();
    assert!(numbers.contains(&above), "{numbers:?}");
    // The participant's check is new, and everything before it was read.
    let new: Vec<String> = arguments
        .iter()
        .filter(|line| line.is_new)
        .map(StudyPagePointOrRemark::plain_text)
        .collect();
    assert!(new[0].starts_with("You checked this point"), "{new:?}");
    assert_eq!(arguments.iter().filter(|line| line.is_current).count(), 1);
    for line in arguments {
        let number = line.number.as_deref().unwrap_or_default();
        let dots = number.matches('.').count();
        assert!(number.is_empty() || dots == usize::from(line.depth));
    }
}

/// Studies locked with study format 3 keep their words, their confirmation and their figures.
#[test]
fn locked_studies_keep_their_pages() {
    let folder = tempfile::tempdir().unwrap();
    let mut study = six_debates(&folder.path().join("p"), "");
    study.study_format = 3;
    study.plan.has_words_of_format_3 = true;
    let pages = pages(&study);
    let mut trials = pages.iter().filter(|(condition, _)| condition.is_some());
    assert_eq!(trials.clone().count(), 54);
    let (_, last) = trials.next_back().unwrap();
    let text = last.all_plain_text_lines().join("\n");
    assert!(last.arguments.is_empty() && last.claims.len() > 2);
    assert!(
        text.contains("Coin for “") && text.contains("Alice bets"),
        "{text}"
    );
    assert_eq!(last.page.heading, "Task M - 6 of 6");
    assert_eq!(
        StudyTerminalTexts::terminal_words_of_plan(&study.plan).request_lines(last)[1..],
        ["  1. Yes", "  2. No, I change it"]
    );
}

#[test]
fn the_last_page_shows_bonus_contact_and_number() {
    let folder = tempfile::tempdir().unwrap();
    let study = example(&folder.path().join("p"), |_| {
        let bonus = "contact: \"study@example.org\", bonus:";
        DIRECT.replace("bonus:", bonus)
    });
    sessions::complete(&study, "anna", SimulatedJudgeBehaviour::NOISY);
    let paid = participant_payments(&study).unwrap();
    let (session, _) =
        start_or_resume(&study, Some("anna"), CodeOrAddressByOutcome::default()).unwrap();
    let text = session.current_page().all_plain_text_lines().join("\n");
    let (trial, _) = paid[0].bonus.unwrap();
    for part in [
        format!("Your bonus: {} cents.", paid[0].cents),
        format!("It was computed for question {trial}, "),
        "If you have questions, contact study@example.org.".to_owned(),
        "contact study@example.org and give your session number: s0000.".to_owned(),
    ] {
        assert!(text.contains(&part), "{part}: {text}");
    }
    // The number deletes the answers.
    let now = "2026-11-21T09:14:03Z";
    let deletion = study.folder.delete_participant("s0000", now).unwrap();
    assert_eq!(deletion.session.as_deref(), Some("s0000"));
}

#[test]
fn a_direct_trial_promises_no_more_text() {
    let folder = tempfile::tempdir().unwrap();
    let study = example(&folder.path().join("p"), |_| {
        DIRECT.replace("ask: [Final]", "ask: [Before, Final]")
    });
    for (condition, page) in pages(&study) {
        let ask = page.page.ask.map(|ask| ask.text).unwrap_or_default();
        assert!(
            condition.is_none() || !ask.contains("before you read"),
            "{ask}"
        );
    }
}

#[test]
fn judges_write_unread_words_in_older_studies_or_as_reasons() {
    let folder = tempfile::tempdir().unwrap();
    let mut study = direct(&folder.path().join("new"));
    assert!(!study.asks_judge_for_private_reasons());
    study.study_format = 4;
    assert!(study.asks_judge_for_private_reasons());
    let reasons = example(&folder.path().join("reasons"), |_| {
        DIRECT.replace("confirm: false", "confirm: false, reasons: true")
    });
    assert!(reasons.asks_judge_for_private_reasons());
}

/// A study of debates in speeches of one and of two rounds, with the judge's words after each round if `words` is true.
fn speeches(folder: &Path, language: &str, words: bool) -> Study {
    create_example_study(folder).unwrap();
    let scenario = include_str!("../../../../scenarios/lighthouse.ron");
    fs::create_dir(folder.join("lights")).unwrap();
    for number in 0..2 {
        let text = scenario.replace("the light on", &format!("light {number} on"));
        fs::write(folder.join(format!("lights/{number}.ron")), text).unwrap();
    }
    let condition = |rounds: u32| {
        format!(
            "(id: \"rounds-{rounds}\", shown_as: \"M\", task: Debate(protocol: Speeches(rounds: {rounds}, \
             judge_feedback: {words}), prover: \"advocate\", opponent: \"advocate\")),"
        )
    };
    let conditions = [condition(1), condition(2)].concat();
    rewrite(folder, |_| {
        format!(
            r#"Study(
                format: 1, id: "speeches", title: "Speeches", stage: Pilot, seed: 7, languages: ["{language}"],
                conditions: [{conditions}],
                items: (scenarios: ["lights/*.ron"]),
                design: Within(blocks: 1),
                flow: [Consent("consent.md"), Trials],
                response: Probability(confirm: true, reasons: {words}),
                target: (participants: 2), stop: Participants(2),
                analysis: (primary: Difference(measure: Brier, of: "rounds-1", against: "rounds-2")),
            )"#
        )
    });
    load(folder)
}

/// A page of the last round says that the answer is final, and asks for reasons, which no debater reads.
#[test]
fn the_last_round_of_speeches_says_that_it_is_the_last() {
    let folder = tempfile::tempdir().unwrap();
    for words in [false, true] {
        let study = speeches(&folder.path().join(words.to_string()), "en", words);
        let pages = pages(&study);
        for trial in pages.chunk_by(|one, next| one.0 == next.0) {
            let asked = trial.iter().filter(|(condition, _)| condition.is_some());
            let asked: Vec<(&str, &str)> = asked
                .map(|(_, page)| {
                    let ask = page.page.ask.as_ref().map_or("", |ask| ask.text.as_str());
                    (ask, page.button.as_deref().unwrap_or_default())
                })
                .collect();
            let [.., before_last, last] = asked.as_slice() else {
                continue;
            };
            let judgement = if words { before_last } else { last };
            assert!(judgement.0.starts_with("Your final answer: "), "{asked:?}");
            assert_eq!(last.0.contains("Only the researchers"), words, "{asked:?}");
            let earlier = asked.iter().filter(|it| it.0.contains("Your final answer"));
            assert_eq!(earlier.count(), 1, "{asked:?}");
            let all_before = &asked[..asked.len() - 1];
            assert!(
                all_before
                    .iter()
                    .all(|(_, button)| !button.contains("go to")),
                "{asked:?}"
            );
        }
        let onward = pages.iter().filter(|(_, page)| {
            let button = page.button.as_deref();
            button == Some("Save and go to question 2")
        });
        assert_eq!(onward.count(), 1);
    }
}

#[test]
fn speeches_begin_with_the_answer_of_each_debater() {
    let folder = tempfile::tempdir().unwrap();
    let study = speeches(&folder.path().join("p"), "en", false);
    let pages = pages(&study);
    let with_speeches = pages.iter().filter(|(_, page)| !page.arguments.is_empty());
    let mut count = 0;
    for (_, page) in with_speeches {
        let lines = page
            .arguments
            .iter()
            .map(StudyPagePointOrRemark::plain_text);
        let lines: Vec<String> = lines.take(2).collect();
        assert_eq!(
            lines,
            [
                "Alice argues for “The keeper put it out on purpose”.",
                "Bob argues for “The lamp ran dry”."
            ]
        );
        count += 1;
    }
    assert!(count >= 3, "{count}");
}

/// German pages quote answers with German quotation marks, also where the program puts an answer into a sentence.
#[test]
fn german_pages_quote_answers_as_in_german() {
    let folder = tempfile::tempdir().unwrap();
    let study = speeches(&folder.path().join("p"), "de", false);
    let scales = pages(&study).into_iter().filter_map(|(_, page)| page.scale);
    let words: Vec<String> = scales
        .flat_map(|scale| scale.words.into_iter().chain(scale.ends))
        .collect();
    assert!(!words.is_empty());
    for words in words {
        assert!(!words.contains(['”', '"']), "{words}");
        assert_eq!(words.contains('„'), words.contains('“'), "{words}");
    }
}

/// A participant who checked a point of a consultancy reads their own answer on the last page.
#[test]
fn consultancies_show_the_participants_own_check() {
    let folder = tempfile::tempdir().unwrap();
    let study = example(&folder.path().join("p"), |text| text);
    let consultancy = |condition: &usize| {
        matches!(
            study.plan.conditions[*condition].task,
            TrialTask::Consultancy { .. }
        )
    };
    let mut checked = 0;
    let mut shown = 0;
    for (condition, page) in pages(&study) {
        if !condition.as_ref().is_some_and(consultancy) {
            continue;
        }
        let ask = page.page.ask.map(|ask| ask.text).unwrap_or_default();
        checked += usize::from(ask.starts_with("Please check this point"));
        let lines = page
            .arguments
            .iter()
            .map(StudyPagePointOrRemark::plain_text);
        let own = lines.filter(|line| line.starts_with("You checked this point"));
        shown += own.count();
        assert!(page.arguments.iter().all(|line| line.percent.is_none()));
    }
    assert!(checked > 0);
    assert_eq!(shown, checked);
}

/// A sentence about a point below the question names the point that it is about.
#[test]
fn reasons_below_the_question_name_their_point() {
    let folder = tempfile::tempdir().unwrap();
    let study = six_debates(&folder.path().join("p"), "");
    let mut found = 0;
    for (_, page) in pages(&study) {
        let lines: Vec<(u16, String)> = page
            .arguments
            .iter()
            .map(|line| (line.depth, line.plain_text()))
            .collect();
        for (depth, line) in lines {
            assert!(!line.contains("the claim"), "{line}");
            if line.contains(" is true if ") {
                assert!(
                    depth > 0 && line.starts_with("Alice says: point "),
                    "{line}"
                );
                found += 1;
            }
        }
    }
    assert!(found > 0);
}

/// Questions for a number say which numbers they take, before an answer is refused.
#[test]
fn number_questions_state_their_limits() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p");
    create_example_study(&path).unwrap();
    let survey = r#"[(id: "age", ask: "How old are you?", answer: Number(min: 0, max: 120))]"#;
    fs::write(path.join("after.ron"), survey).unwrap();
    let study = load(&path);
    let pages = pages(&study).into_iter().map(|(_, page)| page);
    let asked: Vec<String> = pages
        .filter(|page| page.asks_number)
        .map(|page| page.page.ask.unwrap().text)
        .collect();
    assert_eq!(
        asked,
        ["How old are you?\nType a whole number from 0 to 120."]
    );
}
