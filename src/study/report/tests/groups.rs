//! Groups of participants who debate with each other: sessions killed after every answer, the waiting room, and absent
//! members.

use std::time::Duration;

use super::*;
use debate_core::protocol::Seat;
use debate_host::record::{Save, verify_file};
use debate_solver::setup::ScenarioLimits;

/// Creates a study with questions alone and with debates of groups by these rules.
fn together(folder: &Path, rules: &str, roles: &str) -> Study {
    let people = 2 * roles.split(',').count();
    example(folder, |_| {
        format!(
            r#"Study(
    format: 1, id: "together01", title: "Together", stage: Pilot, seed: 7,
    roles: [{roles}],
    group: (wait_s: 600, turn_s: 300, cents: 50),
    conditions: [
        (id: "alone", shown_as: "Task K", task: Direct(shows: Question)),
        (id: "argued", shown_as: "Task M", task: Debate(protocol: {rules})),
    ],
    items: (scenarios: ["items/*.ron"]),
    design: Within(blocks: 1),
    flow: [
        Consent("consent.md"), Practice(condition: "argued", trials: 1, scenarios: ["practice/*.ron"]), Trials,
        Survey("after.ron"),
    ],
    response: Probability(confirm: false),
    target: (participants: {people}), stop: Participants({people}),
    bonus: OneTrial(score: Quadratic, cents: 300),
    analysis: (primary: Difference(measure: Brier, of: "argued", against: "alone")),
)"#
        )
    })
}

#[test]
fn in_groups_with_a_judge_the_judges_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    for (roles, participants) in [(ALL, 2), ("Prover, Opponent", 4)] {
        let study = together(&folder.path().join(roles), ESTIMATOR, roles);
        assert_eq!(
            study.primary_contrast_design(),
            ContrastDesign::Within { participants }
        );
    }
}

const ESTIMATOR: &str = "ProverEstimator(epsilon: 0.25, rho: 0.5)";
const ALL: &str = "Prover, Opponent, Judge";

/// A participant who answers as a simulated judge does.
struct Person {
    id: &'static str,
    judge: SimulatedJudge,
}

fn people<const N: usize>(ids: [&'static str; N]) -> Vec<Person> {
    let person = |id| Person {
        id,
        judge: SimulatedJudge::new(SimulatedJudgeBehaviour::NOISY, id).unwrap(),
    };
    ids.map(person).into_iter().collect()
}

fn codes() -> CodeOrAddressByOutcome {
    CodeOrAddressByOutcome {
        waited: Some("WAITED".to_owned()),
        left_alone: Some("LEFT".to_owned()),
        ..CodeOrAddressByOutcome::default()
    }
}

/// An open session.
struct Opened<'s> {
    session: RunningStudySession<'s>,
    clock: SessionClock,
}

impl Opened<'_> {
    /// Reads the answers that other members have given in the meantime.
    fn refresh_from_group(&mut self) {
        self.session
            .refresh_from_group(&self.clock.current_times())
            .unwrap();
    }

    /// Leaves the session with this choice on the page for leaving.
    fn leave(&mut self, choice: usize) {
        for input in [ParticipantInput::Leave, ParticipantInput::Choice(choice)] {
            let taken = self
                .session
                .take_input(&input, &self.clock.record_key_press_times());
            taken.unwrap().unwrap();
        }
    }

    /// Answers the page if it asks. Returns the next page, and true if there was an answer.
    fn answer(&mut self, person: &mut Person) -> (StudySessionPage, bool) {
        self.refresh_from_group();
        let page = self.session.current_page();
        if page.is_session_over() || page.polls {
            return (page, false);
        }
        for _ in 0..200 {
            let input = person
                .judge
                .answer_for_page(&page, self.session.participant());
            if self
                .session
                .take_input(&input, &self.clock.record_key_press_times())
                .unwrap()
                .is_ok()
            {
                break;
            }
        }
        self.refresh_from_group();
        (self.session.current_page(), true)
    }
}

/// Opens the session of a participant and reads the answers of other members.
fn open<'s>(study: &'s Study, groups: &'s WaitingRoomAndGroups, id: &str) -> Opened<'s> {
    let started = start_or_resume_on_server(study, Some(id), codes(), Some(groups));
    let (session, clock) = started.unwrap();
    let mut opened = Opened { session, clock };
    opened.refresh_from_group();
    opened
}

/// Gives one answer, if the page asks, in a new process that knows only the folder. Then another process resumes.
fn step(study: &Study, person: &mut Person) -> (StudySessionPage, bool) {
    let groups = WaitingRoomAndGroups::open_groups_of_study(study)
        .unwrap()
        .unwrap();
    let (before, has_answered) = open(study, &groups, person.id).answer(person);
    if !has_answered {
        return (before, false);
    }
    drop(groups);
    let groups = WaitingRoomAndGroups::open_groups_of_study(study)
        .unwrap()
        .unwrap();
    // Groups live in memory: a waiting participant is present only after this process has opened the session.
    let opened = open(study, &groups, person.id);
    assert_eq!(opened.session.current_page(), before, "{}", person.id);
    (before, true)
}

/// Gives one answer and returns the next page.
fn answer(study: &Study, groups: &WaitingRoomAndGroups, person: &mut Person) -> StudySessionPage {
    open(study, groups, person.id).answer(person).0
}

/// Takes these participants to the waiting room. The last one completes the group.
fn meet(study: &Study, groups: &WaitingRoomAndGroups, people: &mut [Person]) {
    let (last, first) = people.split_last_mut().unwrap();
    for person in first {
        let mut opened = open(study, groups, person.id);
        while !opened.answer(person).0.polls {}
    }
    let made = study.folder.all_schedule_row_reservations().unwrap().len();
    let mut opened = open(study, groups, last.id);
    while study.folder.all_schedule_row_reservations().unwrap().len() == made {
        opened.answer(last);
    }
}

/// Opens the sessions of all these participants.
fn open_all<'s>(
    study: &'s Study,
    groups: &'s WaitingRoomAndGroups,
    people: &[Person],
) -> Vec<Opened<'s>> {
    let people = people.iter();
    people.map(|it| open(study, groups, it.id)).collect()
}

/// Lets each participant give one answer, in this order.
fn round(opened: &mut [Opened<'_>], people: &mut [Person]) -> Vec<(StudySessionPage, bool)> {
    let each = opened.iter_mut().zip(people);
    each.map(|(opened, person)| opened.answer(person)).collect()
}

/// Continues until each participant waits for another one or has ended.
fn settle(
    study: &Study,
    groups: &WaitingRoomAndGroups,
    people: &mut [Person],
) -> Vec<StudySessionPage> {
    let mut opened = open_all(study, groups, people);
    loop {
        let pages = round(&mut opened, people);
        if pages.iter().all(|(_, has_answered)| !has_answered) {
            return pages.into_iter().map(|(page, _)| page).collect();
        }
    }
}

/// Advances the clock.
fn pass(study: &Study, seconds: u64) {
    study
        .folder
        .time
        .advance_both_clocks(Duration::from_secs(seconds));
}

fn statuses(study: &Study) -> Vec<&'static str> {
    let rows = StudyRows::read_study_rows(study, LiveOrSimulated::Live).unwrap();
    rows.participants
        .iter()
        .map(|row| row.status.status_name())
        .collect()
}

fn saves(study: &Study) -> Vec<std::path::PathBuf> {
    let folder = study
        .folder
        .data_folder(LiveOrSimulated::Live)
        .join("debates");
    debate_host::record::list_save_files(&folder).unwrap()
}

/// Takes a group of three through a study. In every `stride`-th round, each answer runs in a new process.
fn check_group(stride: usize) {
    let folder = tempfile::tempdir().unwrap();
    let study = together(&folder.path().join("p"), ESTIMATOR, ALL);
    let checked = check_study(&study).unwrap();
    assert!(checked.ok, "{:?}", checked.problems);
    let mut people = people(["anna", "bert", "cleo"]);
    // All members reach the waiting room, and form a group in one process.
    for (number, person) in people.iter_mut().enumerate() {
        if number % stride == 0 {
            while !step(&study, person).0.polls {}
        }
    }
    {
        let groups = WaitingRoomAndGroups::open_groups_of_study(&study)
            .unwrap()
            .unwrap();
        assert!(matches!(
            WaitingRoomAndGroups::open_groups_of_study(&study),
            Err(StudyError::Served)
        ));
        meet(&study, &groups, &mut people);
    }
    assert_eq!(
        study.folder.all_schedule_row_reservations().unwrap().len(),
        1
    );
    let mut processes = 0;
    loop {
        let mut pages: Vec<_> = people.iter_mut().map(|it| step(&study, it)).collect();
        {
            let groups = WaitingRoomAndGroups::open_groups_of_study(&study)
                .unwrap()
                .unwrap();
            let mut opened = open_all(&study, &groups, &people);
            for _ in 1..stride {
                pages = round(&mut opened, &mut people);
            }
        }
        processes += 1;
        assert!(processes < 200, "the study ends");
        if pages.iter().all(|(page, _)| page.is_session_over()) {
            break;
        }
        assert!(
            pages.iter().any(|(_, has_answered)| *has_answered),
            "a member is asked"
        );
    }
    assert_eq!(statuses(&study), ["complete"; 3]);
    let saves = saves(&study);
    assert_eq!(saves.len(), 2, "one for practice and one that counts");
    for path in &saves {
        let verdict = verify_file(path, &ScenarioLimits::default()).unwrap();
        assert!(verdict.ok && verdict.finished, "{verdict:?}");
        let save = Save::read_save(path).unwrap();
        assert_eq!(save.header.players, ["human"; 3]);
        let mut sat: Vec<&str> = save.header.tags["sessions"].split(' ').collect();
        sat.sort_unstable();
        assert_eq!(sat, ["s0000", "s0001", "s0002"]);
    }
    // Each reply is in its author's log, and in the save in the order of the debate.
    let rows = StudyRows::read_study_rows(&study, LiveOrSimulated::Live).unwrap();
    let spoken = rows
        .events
        .iter()
        .filter(|it| it.payload_value("reply").is_some());
    let moves: usize = saves
        .iter()
        .map(|path| {
            let save = Save::read_save(path).unwrap();
            let people = save
                .moves_not_undone()
                .filter(|line| line.kind.seat_unless_undo() != Some(Seat::Chance));
            people.count()
        })
        .sum();
    assert_eq!(spoken.count(), moves);
    // Only the judge's judgements are compared. The tables contain those of all members.
    assert_eq!(
        rows.trials.iter().filter(|it| !it.key.is_practice).count(),
        6
    );
    let counted: Vec<&str> = rows.counted_trials().map(|it| it.role.as_str()).collect();
    assert_eq!(counted, ["judge"; 2]);
    let found = study_report(&study, LiveOrSimulated::Live).unwrap();
    let flow = found.flow.groups.unwrap();
    assert_eq!((flow.made, flow.complete, flow.void), (1, 1, 0));
    assert!(
        rows.participants
            .iter()
            .all(|row| row.group == rows.participants[0].group)
    );
    assert_eq!(participant_payments(&study).unwrap().len(), 3);
}

#[test]
fn a_group_continues_after_the_process_is_killed() {
    check_group(6);
}

#[test]
#[ignore = "exhaustive: 2 s; every day: a_group_continues_after_the_process_is_killed"]
fn a_group_continues_after_the_process_is_killed_after_every_answer() {
    check_group(1);
}

#[test]
fn simulated_groups_complete_a_study() {
    check_simulated(&[(ESTIMATOR, ALL), ("Recursive()", "Judge, Opponent")]);
}

#[test]
#[ignore = "exhaustive: 1 s; every day: simulated_groups_complete_a_study"]
fn simulated_groups_complete_a_study_under_other_rules() {
    check_simulated(&[("Recursive()", ALL), (ESTIMATOR, "Prover, Opponent")]);
}

/// Takes two simulated groups through a study for each pair of rules and roles.
fn check_simulated(cases: &[(&str, &str)]) {
    let folder = tempfile::tempdir().unwrap();
    for (number, &(rules, roles)) in cases.iter().enumerate() {
        let root = folder.path().join(number.to_string());
        let study = together(&root, rules, roles);
        let study = if roles == "Judge, Opponent" {
            rewrite(&root, |text| {
                text.replace(
                    "protocol: Recursive()",
                    "protocol: Recursive(), prover: \"obfuscator\"",
                )
            });
            load(&root)
        } else {
            study
        };
        let checked = check_study(&study).unwrap();
        assert!(checked.ok, "{rules} {roles}: {:?}", checked.problems);
        let size = u32::try_from(study.plan.roles.len()).unwrap();
        simulate(&study, 2 * size, &[SimulatedJudgeBehaviour::NOISY], "7").unwrap();
        let found = study_report(&study, LiveOrSimulated::Simulated).unwrap();
        let flow = found.flow.groups.unwrap();
        assert_eq!((flow.made, flow.complete), (2, 2), "{rules} {roles}");
        let has_judge = study.plan.roles.contains(&Seat::Judge);
        let counted = if has_judge { 2 } else { 2 * size as usize };
        assert_eq!(found.conditions[1].n, counted, "{rules} {roles}");
        // The other members of a group get the same trials as its first member.
        let rows = StudyRows::read_study_rows(&study, LiveOrSimulated::Simulated).unwrap();
        for trial in &rows.trials {
            let others = rows
                .trials
                .iter()
                .filter(|it| it.slot == trial.slot && it.key.trial == trial.key.trial);
            assert!(
                others.clone().all(|it| it.key.item == trial.key.item
                    || it.key.is_practice != trial.key.is_practice)
            );
        }
        let shown = preview_pages(&study, &CodeOrAddressByOutcome::default()).unwrap();
        assert!(shown.iter().any(|page| page.page.polls));
    }
}

#[test]
fn waiting_in_vain_is_paid_and_leaving_frees_the_seat() {
    let folder = tempfile::tempdir().unwrap();
    let study = together(&folder.path().join("p"), ESTIMATOR, ALL);
    let groups = WaitingRoomAndGroups::open_groups_of_study(&study)
        .unwrap()
        .unwrap();
    let mut three = people(["anna", "bert", "cleo"]);
    // Anna waits, closes her window, and is absent when Bert and Cleo arrive.
    while !answer(&study, &groups, &mut three[0]).polls {}
    open(&study, &groups, "anna").leave(1);
    while !answer(&study, &groups, &mut three[1]).polls {}
    while !answer(&study, &groups, &mut three[2]).polls {}
    assert!(
        study
            .folder
            .all_schedule_row_reservations()
            .unwrap()
            .is_empty(),
        "two are not three"
    );
    // The logs do not change while participants wait.
    let log = study.folder.log_file(LiveOrSimulated::Live, "s0001");
    let before = fs::read(&log).unwrap();
    for seconds in [1, 9, 50] {
        pass(&study, seconds);
        assert!(open(&study, &groups, "bert").session.current_page().polls);
    }
    assert_eq!(
        fs::read(&log).unwrap().len(),
        before.len() + resumed(&log, 3)
    );
    // Bert withdraws, and Cleo waits in vain. Then a complete group arrives.
    open(&study, &groups, "bert").leave(2);
    // Cleo arrived 60 s ago and can wait for 600 s.
    let cleo = || open(&study, &groups, "cleo").session.current_page();
    for _ in 0..9 {
        assert!(cleo().polls);
        pass(&study, 60);
    }
    assert!(cleo().polls);
    pass(&study, 1);
    let page = cleo();
    let said: Vec<String> = page
        .page
        .lines
        .iter()
        .map(debate_text::Line::plain_body_text)
        .collect();
    assert!(
        page.is_session_over()
            && said
                .join(" ")
                .contains("Too few participants joined in time"),
        "{said:?}"
    );
    assert!(
        said.join(" ").contains("You will be paid for your time.")
            && said.join(" ").contains("WAITED")
    );
    assert_eq!(statuses(&study), ["started", "withdrawn", "waited"]);
    let paid = participant_payments(&study).unwrap();
    assert_eq!(paid.len(), 1);
    assert_eq!((paid[0].cents, paid[0].why), (50, "waited"));
    let flow = study_report(&study, LiveOrSimulated::Live)
        .unwrap()
        .flow
        .groups
        .unwrap();
    assert_eq!((flow.made, flow.waited), (0, 1));
}

/// Advances the clock while the server runs.
fn serve(study: &Study, groups: &WaitingRoomAndGroups, seconds: u64) {
    groups.restart_limits_after_outage(study);
    for _ in 0..seconds {
        pass(study, 1);
        groups.restart_limits_after_outage(study);
    }
}

/// A participant waits at most `wait_s` seconds, not counting the time in which the server did not answer.
#[test]
fn the_time_in_which_the_server_was_away_does_not_count_as_waiting() {
    let folder = tempfile::tempdir().unwrap();
    let study = together(&folder.path().join("p"), ESTIMATOR, ALL);
    let mut person = people(["anna"]).remove(0);
    let mut groups = WaitingRoomAndGroups::open_groups_of_study(&study)
        .unwrap()
        .unwrap();
    while !answer(&study, &groups, &mut person).polls {}
    let waits =
        |groups: &WaitingRoomAndGroups| open(&study, groups, "anna").session.current_page().polls;
    // The limit is 600 s. Each outage begins after 540 s in the waiting room.
    for outage in ["killed", "stopped", "refused", "failed"] {
        for _ in 0..9 {
            serve(&study, &groups, 60);
            assert!(waits(&groups), "{outage}");
        }
        groups = after_outage(outage, &study, groups, "s0000");
        assert!(waits(&groups), "{outage}");
    }
    for _ in 0..10 {
        assert!(waits(&groups));
        serve(&study, &groups, 60);
    }
    assert!(waits(&groups));
    serve(&study, &groups, 1);
    assert!(!waits(&groups));
    assert_eq!(statuses(&study), ["waited"]);
}

/// Returns the groups after an outage of 132 seconds: the server was killed or stopped, or requests to it were refused
/// or failed. `failed` is the session whose request failed.
fn after_outage(
    outage: &str,
    study: &Study,
    groups: WaitingRoomAndGroups,
    failed: &str,
) -> WaitingRoomAndGroups {
    match outage {
        "killed" => {
            drop(groups);
            pass(study, 132);
            return WaitingRoomAndGroups::open_groups_of_study(study)
                .unwrap()
                .unwrap();
        }
        "stopped" => pass(study, 132),
        "refused" => groups.restart_time_limits(study),
        _ => groups.restart_limits_after_server_error(study, failed),
    }
    groups
}

/// A member has at most `turn_s` seconds, not counting the time in which the server did not answer.
#[test]
fn the_time_in_which_the_server_was_away_does_not_count_as_a_turn() {
    let folder = tempfile::tempdir().unwrap();
    let study = together(&folder.path().join("p"), ESTIMATOR, ALL);
    let mut three = people(["anna", "bert", "cleo"]);
    let mut groups = WaitingRoomAndGroups::open_groups_of_study(&study)
        .unwrap()
        .unwrap();
    meet(&study, &groups, &mut three);
    let mut opened = open_all(&study, &groups, &three);
    for _ in 0..3 {
        round(&mut opened, &mut three);
    }
    let index = opened.iter_mut().position(|it| {
        it.refresh_from_group();
        !it.session.current_page().polls
    });
    let index = index.expect("a member is asked");
    let asked = opened[index].session.session_name().to_owned();
    drop(opened);
    three.remove(index);
    let pages = settle(&study, &groups, &mut three);
    assert!(pages.iter().all(|page| page.polls));
    let waits = |groups: &WaitingRoomAndGroups| {
        open(&study, groups, three[0].id)
            .session
            .current_page()
            .polls
    };
    // The limit is 300 s. Each outage begins after 240 s of the turn.
    for outage in ["killed", "stopped", "refused", "failed"] {
        serve(&study, &groups, 240);
        assert!(waits(&groups), "{outage}");
        groups = after_outage(outage, &study, groups, &asked);
        assert!(waits(&groups), "{outage}");
    }
    serve(&study, &groups, 300);
    assert!(waits(&groups));
    serve(&study, &groups, 1);
    assert!(!waits(&groups));
    assert_eq!(groups.overdue_sessions(), [asked]);
}

/// Returns the size in bytes of the last lines of a log, which record resumptions.
fn resumed(log: &Path, count: usize) -> usize {
    let text = fs::read_to_string(log).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let last = &lines[lines.len() - count..];
    assert!(last.iter().all(|line| line.contains("\"type\":\"resume\"")));
    last.iter().map(|line| line.len() + 1).sum()
}

/// Checks the sessions and payments of a group with an absent member, and of the next group, which gets its row. The
/// next group stops at its first trial or finishes.
fn check_forfeit(next_group_finishes: bool) {
    let folder = tempfile::tempdir().unwrap();
    let study = together(&folder.path().join("p"), ESTIMATOR, ALL);
    let mut three = people(["anna", "bert", "cleo"]);
    let groups = WaitingRoomAndGroups::open_groups_of_study(&study)
        .unwrap()
        .unwrap();
    meet(&study, &groups, &mut three);
    // In the middle of the debate, the member to move becomes absent.
    let mut opened = open_all(&study, &groups, &three);
    for _ in 0..3 {
        round(&mut opened, &mut three);
    }
    let asked = opened.iter_mut().position(|it| {
        it.refresh_from_group();
        !it.session.current_page().polls
    });
    let index = asked.expect("a member is asked");
    drop(opened);
    let mut away = three.remove(index);
    let pages = settle(&study, &groups, &mut three);
    assert!(pages.iter().all(|page| page.polls));
    // Each member has 300 s per turn. After the server is killed, the time restarts when the group is loaded again.
    drop(groups);
    let groups = WaitingRoomAndGroups::open_groups_of_study(&study)
        .unwrap()
        .unwrap();
    let first = || open(&study, &groups, three[0].id).session.current_page();
    for seconds in [0, 300] {
        pass(&study, seconds);
        assert!(first().polls, "{seconds}");
    }
    pass(&study, 1);
    let page = first();
    let said: Vec<String> = page
        .page
        .lines
        .iter()
        .map(debate_text::Line::plain_body_text)
        .collect();
    assert!(
        page.is_session_over() && said.join(" ").contains("has left"),
        "{said:?}"
    );
    assert!(said.join(" ").contains("LEFT"), "{said:?}");
    // The server is killed at this point. The other members learn of the forfeit from that line.
    drop(groups);
    let groups = WaitingRoomAndGroups::open_groups_of_study(&study)
        .unwrap()
        .unwrap();
    assert!(answer(&study, &groups, &mut three[1]).is_session_over());
    let log = study
        .folder
        .log_file(LiveOrSimulated::Live, &groups.overdue_sessions()[0]);
    groups.end_sessions_of_absent_members(&study).unwrap();
    assert_eq!(
        read_session_status_and_records(&log).unwrap().0,
        StudySessionStatus::Forfeited
    );
    assert!(answer(&study, &groups, &mut away).is_session_over());
    let mut found = statuses(&study);
    found.sort_unstable();
    assert_eq!(found, ["forfeited", "left_alone", "left_alone"]);
    let paid = participant_payments(&study).unwrap();
    assert_eq!(
        paid.iter().map(|it| (it.cents, it.why)).collect::<Vec<_>>(),
        [(50, "left_alone"); 2]
    );
    let flow = study_report(&study, LiveOrSimulated::Live)
        .unwrap()
        .flow
        .groups
        .unwrap();
    assert_eq!(
        (flow.made, flow.void, flow.left_alone, flow.forfeited),
        (1, 1, 2, 1)
    );
    // The debate ends with that forfeit.
    let saves = saves(&study);
    let forfeits: Vec<_> = saves
        .iter()
        .filter_map(|path| Save::read_save(path).unwrap().forfeit().map(|it| it.seat))
        .collect();
    assert_eq!(forfeits.len(), 1, "{saves:?}");
    // Another group gets the row.
    let mut next = people(["dora", "ede", "fred"]);
    meet(&study, &groups, &mut next);
    let claims = study.folder.all_schedule_row_reservations().unwrap();
    assert_eq!(
        claims.iter().map(|claim| claim.slot).collect::<Vec<_>>(),
        [0, 0]
    );
    assert!(claims[1].reclaimed_from.is_some());
    if !next_group_finishes {
        return;
    }
    while !settle(&study, &groups, &mut next)
        .iter()
        .all(StudySessionPage::is_session_over)
    {}
    let flow = study_report(&study, LiveOrSimulated::Live).unwrap().flow;
    assert_eq!((flow.counted, flow.groups.unwrap().complete), (3, 1));
}

#[test]
fn an_absent_member_forfeits_and_frees_the_schedule_row() {
    check_forfeit(false);
}

#[test]
#[ignore = "exhaustive: 1 s; every day: an_absent_member_forfeits_and_frees_the_schedule_row"]
fn the_group_after_a_forfeit_completes_the_study() {
    check_forfeit(true);
}

#[test]
fn withdrawing_ends_the_debate_of_the_group_at_once() {
    let folder = tempfile::tempdir().unwrap();
    for (name, forgets) in [("withdrawn", false), ("forgotten", true)] {
        let study = together(&folder.path().join(name), ESTIMATOR, ALL);
        let mut three = people(["anna", "bert", "cleo"]);
        let groups = WaitingRoomAndGroups::open_groups_of_study(&study)
            .unwrap()
            .unwrap();
        meet(&study, &groups, &mut three);
        for person in &mut three {
            answer(&study, &groups, person);
        }
        if forgets {
            study
                .folder
                .delete_participant("anna", "2026-11-21T09:14:03Z")
                .unwrap();
        } else {
            open(&study, &groups, "anna").leave(2);
        }
        drop(groups);
        let groups = WaitingRoomAndGroups::open_groups_of_study(&study)
            .unwrap()
            .unwrap();
        let pages = settle(&study, &groups, &mut three[1..]);
        assert!(
            pages.iter().all(StudySessionPage::is_session_over),
            "{name}"
        );
        let left = statuses(&study);
        assert_eq!(
            left.iter().filter(|it| **it == "left_alone").count(),
            2,
            "{name}: {left:?}"
        );
        assert!(
            StudyRows::read_study_rows(&study, LiveOrSimulated::Live)
                .unwrap()
                .counted_trials()
                .next()
                .is_none()
        );
    }
}

/// Returns the options of the page about leaving, without changing the session.
fn options_of_leaving(participant: &Participant<'_>) -> Vec<String> {
    let mut leaving = participant.clone();
    leaving
        .take_input(&ParticipantInput::Leave)
        .unwrap()
        .unwrap();
    match leaving.page().page.ask.unwrap().kind {
        debate_text::DebateAnswerForm::OneOf(options) => options,
        other => panic!("{other:?}"),
    }
}

/// The pause promises the time for resuming only if no member of a group can wait for the participant.
#[test]
fn a_pause_names_the_limit_of_the_group() {
    let folder = tempfile::tempdir().unwrap();
    let study = together(&folder.path().join("p"), ESTIMATOR, ALL);
    let mut three = people(["anna", "bert", "cleo"]);
    let groups = WaitingRoomAndGroups::open_groups_of_study(&study)
        .unwrap()
        .unwrap();
    let limits = |participant: &Participant<'_>| {
        let mut paused = participant.clone();
        for input in [ParticipantInput::Leave, ParticipantInput::Choice(1)] {
            paused.take_input(&input).unwrap().unwrap();
        }
        let option = options_of_leaving(participant)[1].clone();
        let texts = [option, paused.pause_wording().text.unwrap()];
        texts.map(|text| (text.contains("5 minutes"), text.contains("24 hours")))
    };
    // In the waiting room, nobody waits for this participant.
    while !answer(&study, &groups, &mut three[0]).polls {}
    let opened = open(&study, &groups, "anna");
    assert_eq!(limits(opened.session.participant()), [(false, true); 2]);
    drop(opened);
    meet(&study, &groups, &mut three);
    let mut opened = open_all(&study, &groups, &three);
    let mut is_alone = false;
    for _ in 0..200 {
        for opened in &mut opened {
            opened.refresh_from_group();
            let participant = opened.session.participant();
            if participant.status() != StudySessionStatus::Started {
                continue;
            }
            // The questionnaire after the debates has no other members.
            let is_in_survey = opened.session.current_page().page.heading == "A few questions";
            is_alone |= is_in_survey;
            let has_debates = !is_in_survey;
            let limits = limits(participant);
            // A last trial without a debate may follow the last debate.
            assert!(
                limits == [(true, false); 2] || limits == [(false, true); 2],
                "{limits:?}"
            );
            if is_in_survey {
                assert_eq!(limits, [(false, true); 2]);
            }
            if has_debates && participant.awaited_other_seat().is_some() {
                assert_eq!(limits, [(true, false); 2]);
            }
        }
        round(&mut opened, &mut three);
    }
    assert!(is_alone);
}

/// Pages of a group in turn show the time until the group ends, computed by the server's clock.
#[test]
fn pages_of_a_turn_show_the_remaining_time() {
    let folder = tempfile::tempdir().unwrap();
    let study = together(&folder.path().join("p"), ESTIMATOR, ALL);
    let mut three = people(["anna", "bert", "cleo"]);
    let groups = WaitingRoomAndGroups::open_groups_of_study(&study)
        .unwrap()
        .unwrap();
    meet(&study, &groups, &mut three);
    let mut opened = open_all(&study, &groups, &three);
    let is_asked = |opened: &mut Vec<Opened<'_>>| {
        let polls: Vec<bool> = opened
            .iter_mut()
            .map(|it| {
                it.refresh_from_group();
                it.session.current_page().polls
            })
            .collect();
        (polls.iter().filter(|polls| **polls).count() == 2)
            .then(|| polls.iter().position(|polls| !polls).unwrap())
    };
    // Until two members wait for the third one.
    let index = loop {
        if let Some(index) = is_asked(&mut opened) {
            break index;
        }
        round(&mut opened, &mut three);
    };
    for (seconds, left, words) in [
        (0, 300, "5 minutes"),
        (1, 299, "5 minutes"),
        (59, 240, "4 minutes"),
        (30, 210, "4 minutes"),
        (150, 60, "1 minute "),
        (59, 1, "1 minute "),
        (1, 0, "1 minute "),
    ] {
        pass(&study, seconds);
        for (place, opened) in opened.iter_mut().enumerate() {
            opened.refresh_from_group();
            let page = opened.session.current_page();
            if place == index {
                assert_eq!((page.limit_s, page.wait_left), (Some(left), None), "{left}");
            } else {
                let shown = page.wait_left.unwrap();
                assert!(shown.contains(words), "{left}: {shown}");
                assert_eq!(page.limit_s, None);
            }
        }
    }
    // After the answer, the limit of the next one begins.
    opened[index].answer(&mut three[index]);
    let mut left = Vec::new();
    for opened in &mut opened {
        opened.refresh_from_group();
        let page = opened.session.current_page();
        left.extend(page.limit_s);
        assert!(page.wait_left.is_none_or(|text| text.contains("5 minutes")));
    }
    assert!(left.iter().all(|left| *left == 300), "{left:?}");
    // The page about leaving does not extend the limit.
    let limit = |opened: &Opened<'_>| opened.session.current_page().limit_s;
    let turn = opened.iter().position(|opened| limit(opened).is_some());
    let turn = turn.expect("a member whose answer the others wait for");
    for (input, seconds, expected) in [
        (ParticipantInput::Leave, 100, None),
        (ParticipantInput::Choice(0), 0, Some(200)),
    ] {
        let now = opened[turn].clock.record_key_press_times();
        let taken = opened[turn].session.take_input(&input, &now);
        taken.unwrap().unwrap();
        pass(&study, seconds);
        assert_eq!(limit(&opened[turn]), expected, "{input:?}");
    }
    // The page about leaving is not a turn.
    let now = opened[index].clock.record_key_press_times();
    opened[index]
        .session
        .take_input(&ParticipantInput::Leave, &now)
        .unwrap()
        .unwrap();
    let page = opened[index].session.current_page();
    assert_eq!((page.limit_s, page.wait_left), (None, None));
}

/// The dashboard reads from the logs who waits for whom, as the pages of the members say it.
#[test]
fn the_progress_of_a_group_names_who_waits_for_whom() {
    let folder = tempfile::tempdir().unwrap();
    for roles in [ALL, "Prover, Opponent"] {
        let study = together(&folder.path().join(roles), ESTIMATOR, roles);
        let mut people = people(["anna", "bert", "cleo"]);
        people.truncate(study.plan.roles.len());
        let groups = WaitingRoomAndGroups::open_groups_of_study(&study)
            .unwrap()
            .unwrap();
        let progress = || StudyProgress::read_session_progress(&study).unwrap();
        assert_eq!(progress().groups, []);
        meet(&study, &groups, &mut people);
        let mut opened = open_all(&study, &groups, &people);
        let mut waits = 0;
        for turn in 0.. {
            assert!(turn < 200, "the study ends");
            let [group] = &progress().groups[..] else {
                break;
            };
            let seats: Vec<Seat> = group.members.iter().map(|it| it.seat).collect();
            assert_eq!(seats, study.plan.roles);
            for opened in &mut opened {
                opened.refresh_from_group();
                let session = opened.session.session_name();
                let own = group
                    .members
                    .iter()
                    .find(|it| it.session == session)
                    .unwrap();
                let awaited = opened.session.participant().awaited_other_seat();
                let awaited = awaited.map(|seat| {
                    let mut members = group.members.iter();
                    members.find(|it| it.seat == seat).unwrap().session.clone()
                });
                assert_eq!(own.waits_for, awaited, "{session}");
                waits += usize::from(awaited.is_some());
            }
            round(&mut opened, &mut people);
        }
        assert!(waits > 5, "{waits}");
        assert_eq!(statuses(&study), vec!["complete"; people.len()]);
    }
}
