//! Tests of saving, reading, replaying and continuing debates.

use proptest::prelude::*;

use super::*;
use debate_core::protocol::IllegalReply;
use debate_solver::setup::ScenarioInputFile;

/// A random argument of at most two levels, as a scenario.
fn scenarios() -> impl Strategy<Value = String> {
    let gates = ["All", "Any", "Majority", "Xor", "AtLeast(1)"];
    let leaves = proptest::collection::vec(any::<bool>(), 1..4);
    let parts = proptest::collection::vec((0..gates.len(), leaves), 1..4);
    (0..gates.len(), parts).prop_map(move |(gate, parts)| {
        let names = |prefix: &str, count: usize| {
            let names: Vec<String> = (0..count).map(|i| format!("\"{prefix}{i}\"")).collect();
            names.join(", ")
        };
        let claim = |id: &str, gate: usize, on: String| {
            let gate = gates[gate];
            format!("\"{id}\": Claim(text: \"{id}\", supports: [Support(gate: {gate}, on: [{on}])]),")
        };
        let mut claims = claim("r", gate, names("c", parts.len()));
        for (i, (gate, leaves)) in parts.iter().enumerate() {
            let id = format!("c{i}");
            claims += &claim(&id, *gate, names(&format!("{id}-"), leaves.len()));
            for (j, truth) in leaves.iter().enumerate() {
                let leaf = format!("\"{id}-{j}\": Claim(text: \"leaf\", truth: {truth}),");
                claims += &leaf;
            }
        }
        format!("Scenario(format: 1, title: \"t\", problem: Argument(root: \"r\", claims: {{{claims}}}))")
    })
}

/// Plays up to `most` moves with undos. Checks that the save is read as the same debate and can be continued.
fn check_save(
    scenario: &str,
    rules: usize,
    seed: u64,
    most: usize,
    undos: &[usize],
) -> Result<(), TestCaseError> {
    let table = Fixture::new(scenario, RULES[rules], &seed.to_string(), ["human"; 3]);
    let mut entropy = entropy(seed);
    let mut seating = table.seating();
    let (mut writer, mut text) = SaveLineFormatter::begin_save(&table.header);
    let none = ReplyMeta::default();
    while seating.moves().len() < most && step(&mut seating, &mut entropy) {
        text += &writer
            .move_line(seating.latest().unwrap(), &none)
            .unwrap()
            .text;
        if undos.contains(&seating.moves().len())
            && let Ok(kept) = seating.undo_reply_of_user_or_driving_program()
        {
            text += &writer.save_line_of_undo(kept).unwrap().text;
            step(&mut seating, &mut entropy);
            text += &writer
                .move_line(seating.latest().unwrap(), &none)
                .unwrap()
                .text;
        }
    }
    let finished = seating.turn().is_none();
    if finished {
        text += &writer.closing_line(seating.state(), seating.log()).unwrap();
    }

    let save = Save::parse(text.as_bytes()).unwrap();
    prop_assert_eq!(&save.header, &table.header);
    let again = save.seat(&table.instance, table.players()).unwrap();
    prop_assert_eq!(again.moves(), seating.moves());
    prop_assert_eq!(again.log(), seating.log());

    let verdict = verdict(&text);
    prop_assert_eq!(&verdict.first_difference, &None);
    prop_assert_eq!(verdict.finished, finished);
    prop_assert_eq!(verdict.replies, seating.moves().len());
    prop_assert_eq!(verdict.payoff, Some(seating.state().payoff()));
    let received: Exact = verdict.by_round.iter().sum();
    prop_assert_eq!(received, seating.state().payoff());

    // The save and the debate are continued with the same lines.
    let mut resumed = SaveLineFormatter::line_formatter_to_continue_save(&save);
    if !finished {
        let mut seating = seating;
        let mut more = text.clone();
        while step(&mut seating, &mut entropy) {
            more += &resumed
                .move_line(seating.latest().unwrap(), &none)
                .unwrap()
                .text;
        }
        more += &resumed
            .closing_line(seating.state(), seating.log())
            .unwrap();
        prop_assert!(super::verdict(&more).finished);
    }
    Ok(())
}

/// Plays a debate and checks every position of its replay.
fn check_replay(scenario: &str, rules: usize, seed: u64) -> Result<(), TestCaseError> {
    let table = Fixture::new(scenario, RULES[rules], &seed.to_string(), ["human"; 3]);
    let mut entropy = entropy(seed);
    let mut seating = table.seating();
    let mut logs = vec![seating.log().clone()];
    let mut requests = vec![seating.turn()];
    while step(&mut seating, &mut entropy) {
        logs.push(seating.log().clone());
        requests.push(seating.turn());
    }
    let save = Save::parse(table.save(&seating).as_bytes()).unwrap();
    let mut history = save.history(&table.instance).unwrap();
    prop_assert_eq!(history.steps().len() + 1, logs.len());
    prop_assert_eq!(history.steps_before_cursor(), history.steps().len());
    let there = (0..logs.len()).rev().chain(0..logs.len());
    for position in there {
        history
            .move_cursor_and_tell_if_log_shrank(position)
            .unwrap();
        prop_assert_eq!(history.timeline().moves(), &seating.moves()[..position]);
        prop_assert_eq!(history.log(), &logs[position]);
        prop_assert_eq!(&history.state_at_cursor().request(), &requests[position]);
    }
    history
        .move_cursor_and_tell_if_log_shrank(usize::MAX)
        .unwrap();
    prop_assert_eq!(history.log(), seating.log());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn saving_and_loading_preserves_debates(
        scenario in scenarios(), rules in 0..2_usize, seed in any::<u64>(), most in 0..40_usize,
        undos in proptest::collection::vec(0..30_usize, 0..3),
    ) {
        check_save(&scenario, rules, seed, most, &undos)?;
    }

    #[test]
    fn a_replay_shows_each_position_as_it_was(
        scenario in scenarios(), rules in 0..2_usize, seed in any::<u64>(),
    ) {
        check_replay(&scenario, rules, seed)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    #[ignore = "exhaustive: 3 s; every day: saving_and_loading_preserves_debates"]
    fn saving_and_loading_preserves_many_debates(
        scenario in scenarios(), rules in 0..2_usize, seed in any::<u64>(), most in 0..40_usize,
        undos in proptest::collection::vec(0..30_usize, 0..3),
    ) {
        check_save(&scenario, rules, seed, most, &undos)?;
    }

    #[test]
    #[ignore = "exhaustive: 2 s; every day: a_replay_shows_each_position_as_it_was"]
    fn replays_of_many_debates_show_each_position_as_it_was(
        scenario in scenarios(), rules in 0..2_usize, seed in any::<u64>(),
    ) {
        check_replay(&scenario, rules, seed)?;
    }
}

#[test]
fn a_finished_save_is_a_ron_document() {
    for protocol in RULES {
        let table = Fixture::small(protocol);
        let text = table.save(&table.played(&mut entropy(5), usize::MAX));
        let value: ron::Value = ron::from_str(&text).unwrap();
        let ron::Value::Map(map) = value else {
            panic!("{value:?}");
        };
        let mut names: Vec<String> = map
            .iter()
            .map(|(name, _)| name.clone().into_rust().unwrap())
            .collect();
        names.sort();
        let fields = "app end events files format h instance players protocol scenario seed";
        assert_eq!(names.join(" "), fields);
    }
}

#[test]
fn the_same_debate_gives_the_same_bytes() {
    for (protocol, players) in [
        (RULES[0], ["random", "random", "noisy(0.5)"]),
        (RULES[1], ["random", "random", "noisy(0.5)"]),
        (RULES[0], ["honest", "truthful", "oracle"]),
    ] {
        let table = Fixture::new(SMALL, protocol, "abc", players);
        let whole = table.save(&table.played(&mut entropy(0), usize::MAX));
        assert!(verdict(&whole).finished);
        let moves = Save::parse(whole.as_bytes())
            .unwrap()
            .moves_not_undone()
            .len();
        // The same holds if the debate is saved and continued after any number of moves.
        for most in 0..=moves {
            let text = table.save(&table.played(&mut entropy(0), most));
            let save = Save::parse(text.as_bytes()).unwrap();
            let mut seating = save.seat(&table.instance, table.players()).unwrap();
            while step(&mut seating, &mut entropy(1)) {}
            assert_eq!(table.save(&seating), whole);
        }
    }
}

/// Returns the number of moves left after an undo; `None` for a move.
fn taken_back(kind: &SavedStepKind) -> Option<usize> {
    match kind {
        SavedStepKind::Undo { kept } => Some(*kept),
        SavedStepKind::Move(_) => None,
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "one debate, checked after each step")]
fn undone_replies_are_listed_but_do_not_count() {
    let table = Fixture::small(RULES[1]);
    let mut seating = table.seating();
    let (mut writer, mut text) = SaveLineFormatter::begin_save(&table.header);
    let none = ReplyMeta::default();
    let mut said = |seating: &mut SeatedDebate<'_, Exact>, reply| {
        let made = seating.reply(reply).unwrap();
        let meta = ReplyMeta {
            ms: Some(4120),
            note: Some("hm".to_owned()),
            ..ReplyMeta::default()
        };
        writer.move_line(made, &meta).unwrap().text
    };
    text += &said(&mut seating, Reply::Answer(false));
    text += &said(&mut seating, Reply::Support(0));
    let kept = seating.undo_reply_of_user_or_driving_program().unwrap();
    text += &writer.save_line_of_undo(kept).unwrap().text;
    let kept = seating.undo_reply_of_user_or_driving_program().unwrap();
    text += &writer.save_line_of_undo(kept).unwrap().text;
    let illegal = seating.reply(Reply::Support(0)).unwrap_err();
    let refused = Reply::Support(0);
    text += &writer
        .refused(
            seating.state(),
            &refused,
            &illegal.to_string(),
            none.clone(),
        )
        .unwrap()
        .text;
    text += &writer
        .fault(Seat::Prover, "timeout", "60 s are over", none.clone())
        .unwrap()
        .text;
    text += &writer
        .move_line(seating.reply(Reply::Answer(true)).unwrap(), &none)
        .unwrap()
        .text;
    assert_eq!(
        writer.save_line_of_undo(1).unwrap(),
        SaveLinesToWrite::default()
    );

    let verdict = verdict(&text);
    assert!(verdict.ok && !verdict.finished && verdict.replies == 1);
    let save = Save::parse(text.as_bytes()).unwrap();
    assert_eq!(save.events_with_undone().len(), 7);
    assert!(!save.is_move_not_undone(1) && save.is_move_not_undone(7));
    assert_eq!(
        save.events_with_undone()[0].meta,
        ReplyMeta {
            ms: Some(4120),
            note: Some("hm".to_owned()),
            ..ReplyMeta::default()
        }
    );
    let mut history = save.history(&table.instance).unwrap();
    // The refused reply and the fault are not steps.
    let steps = history.steps();
    let kinds: Vec<Option<usize>> = steps.iter().map(|step| taken_back(&step.kind)).collect();
    assert_eq!(kinds, [None, None, Some(1), Some(0), None]);
    assert_eq!((steps[0].ms, steps[4].ms), (Some(4120), None));
    let stand = |history: &mut SavedDebateWithCursor<'_>, at: usize| {
        history.move_cursor_and_tell_if_log_shrank(at).unwrap();
        let (answer, count) = (
            history.state_at_cursor().answer(),
            history.timeline().move_count_before_cursor(),
        );
        (answer, count, history.has_no_undone_move_before_cursor())
    };
    let forth: Vec<_> = (0..=5).map(|at| stand(&mut history, at)).collect();
    let (no, yes) = (Some(false), Some(true));
    let expected = [
        (None, 0, true),
        (no, 1, false),
        (no, 2, false),
        (no, 1, false),
        (None, 0, true),
        (yes, 1, true),
    ];
    assert_eq!(forth, expected);
    for at in [2, 5, 1, 3, 0, 4, 2, 3, 1] {
        assert_eq!(stand(&mut history, at), expected[at], "{at}");
    }
    assert_eq!(history.moves_never_undone().len(), 1);
    assert!(text.contains("(n: 3, undo: 2, h: ") && text.contains("(n: 4, undo: 1, h: "));

    // The verifier rejects a refused reply that is in fact legal.
    let lied = forged(&text.replacen("refused: Support(0)", "refused: Answer(true)", 1));
    let difference = super::verdict(&lied).first_difference.unwrap();
    assert_eq!(
        difference.expected,
        "a reply that the rules refuse, as this line claims"
    );
    // An undo of an undone reply, or from before the debate, is rejected.
    for undo in ["undo: 2", "undo: 3", "undo: 0"] {
        let lied = forged(&text.replacen("undo: 1", undo, 1));
        assert!(!super::verdict(&lied).ok, "{undo}");
    }
    assert_eq!(
        illegal,
        IllegalReply::Kind {
            wanted: "an answer",
            given: "a decomposition"
        }
    );
}

#[test]
fn coins_cannot_be_undone() {
    let table = Fixture::small(RULES[0]);
    let (mut seating, mut entropy) = (table.seating(), entropy(1));
    let (mut writer, mut text) = SaveLineFormatter::begin_save(&table.header);
    while seating.moves().len() < 4 && step(&mut seating, &mut entropy) {
        let latest = seating.latest().unwrap();
        text += &writer
            .move_line(latest, &ReplyMeta::default())
            .unwrap()
            .text;
    }
    assert!(seating.moves().iter().any(|made| made.seat == Seat::Chance));
    assert!(matches!(
        writer.save_line_of_undo(1),
        Err(SaveFileError::CoinStands)
    ));
    text += &writer.save_line_of_undo(3).unwrap().text;
    assert!(verdict(&text).ok);
    let lied = forged(&text.replacen("undo: 4", "undo: 2", 1));
    assert_eq!(
        verdict(&lied).first_difference.unwrap().expected,
        "an undo of replies only, because coins cannot be undone"
    );
}

#[test]
fn times_are_saved_for_people_and_costs_for_all_players() {
    let table = Fixture::new(
        SMALL,
        RULES[1],
        "7",
        ["obfuscator", "bounded(3)", "engine:judge"],
    );
    let mut seating = table.seating();
    let (mut writer, mut text) = SaveLineFormatter::begin_save(&table.header);
    while step(&mut seating, &mut entropy(2)) {
        let made = seating.latest().unwrap();
        text += &writer
            .move_line(made, &ReplyMeta::with_thinking_ms(12))
            .unwrap()
            .text;
    }
    for row in text.lines().filter(|row| row.contains("(n: ")) {
        assert_eq!(row.contains("ms: 12"), row.contains("seat: Judge"), "{row}");
    }
    assert!(text.contains(", spent: (oracle_queries: "), "{text}");
    let save = Save::parse(text.as_bytes()).unwrap();
    let resumed = save.seat(&table.instance, table.players()).unwrap();
    assert_eq!(resumed.spending_by_seat(), seating.spending_by_seat());
}

#[test]
fn rounds_are_found_and_summed_in_the_order_of_play() {
    let table = Fixture::small(RULES[0]);
    let seating = table.played(&mut entropy(9), usize::MAX);
    let text = table.save(&seating);
    let save = Save::parse(text.as_bytes()).unwrap();
    let mut history = save.history(&table.instance).unwrap();
    let schedule: Vec<_> = seating
        .state()
        .schedule()
        .into_iter()
        .map(|(round, _)| round)
        .collect();
    assert_eq!(
        by_round(seating.state(), seating.log()).len(),
        schedule.len()
    );
    let starts: Vec<Option<usize>> = schedule
        .iter()
        .map(|round| history.steps_before_round(*round))
        .collect();
    history.move_cursor_and_tell_if_log_shrank(0).unwrap();
    let mut begun = vec![Some(0)];
    while history.steps_before_cursor() < history.steps().len() {
        history
            .move_cursor_and_tell_if_log_shrank(history.cursor_at_next_round())
            .unwrap();
        begun.push(Some(history.steps_before_cursor()));
    }
    assert_eq!(&begun[..starts.len()], starts);
    for start in begun.iter().rev().skip(1).flatten() {
        history
            .move_cursor_and_tell_if_log_shrank(history.round_start_before_cursor())
            .unwrap();
        assert_eq!(history.steps_before_cursor(), *start);
    }
    assert_eq!(starts[0], Some(0));
    assert!(starts.is_sorted(), "{starts:?}");
}

#[test]
fn the_header_carries_the_whole_scenario() {
    let table = Fixture::small(RULES[0]);
    let header = table
        .header
        .clone()
        .with_start_time(std::time::SystemTime::UNIX_EPOCH);
    let header = SaveHeader {
        branch: Some(SaveBranchPoint {
            from: 3,
            of: Some("primes-1.ron".to_owned()),
        }),
        debate: 2,
        files: vec![FileReadByDebate::for_save(&ScenarioInputFile::new(
            "f", *b"x\ny",
        ))],
        ..header
    };
    let (_, text) = SaveLineFormatter::begin_save(&header);
    let save = Save::parse(text.as_bytes()).unwrap();
    assert_eq!(save.header, header);
    assert_eq!(header.started.as_deref(), Some("1970-01-01T00:00:00Z"));
    let setup = save
        .read_saved_scenario(&ScenarioLimits::default())
        .unwrap();
    assert_eq!(
        (setup.title.as_str(), &setup.source),
        ("Is it \"so\"?", &table.setup.source)
    );
    assert_eq!(
        save.header.debated_instance(&setup).unwrap().world_name(),
        table.instance.world_name()
    );
}
