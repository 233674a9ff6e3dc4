//! People who debate with each other: whole sessions cut off after every answer, the waiting room, and who stays away.

use std::time::{Duration, Instant};

use super::*;
use debate_core::protocol::Seat;
use debate_lab::record::{Save, verify_file};
use debate_lab::setup::Limits;

/// Questions alone, and debates of three with each other by these rules.
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

const ESTIMATOR: &str = "ProverEstimator(epsilon: 0.25, rho: 0.5)";
const ALL: &str = "Prover, Opponent, Judge";

/// Somebody in the study, who answers as a simulated judge does.
struct Person {
    id: &'static str,
    judge: SimulatedJudge,
}

fn people<const N: usize>(ids: [&'static str; N]) -> Vec<Person> {
    let person = |id| Person {
        id,
        judge: SimulatedJudge::new(JudgeModel::NOISY, id).unwrap(),
    };
    ids.map(person).into_iter().collect()
}

fn codes() -> Codes {
    Codes {
        waited: Some("WAITED".to_owned()),
        left_alone: Some("LEFT".to_owned()),
        ..Codes::default()
    }
}

/// Opens the session of somebody, and looks what others did, so long after now.
fn open<'s>(
    study: &'s Study,
    groups: &'s Groups,
    id: &str,
    later: u64,
) -> (LiveSession<'s>, Clock) {
    let (mut session, clock) =
        start_or_resume_swept(study, Some(id), codes(), Some(groups)).unwrap();
    let at = Instant::now() + Duration::from_secs(later);
    session.look(&clock.at(), at).unwrap();
    (session, clock)
}

/// One answer, where one is asked for. The process is another one each time: nothing but the folder is known of before.
fn step(study: &Study, person: &mut Person) -> (SessionPage, bool) {
    let groups = Groups::of(study).unwrap().unwrap();
    let (mut session, mut clock) = open(study, &groups, person.id, 0);
    let page = session.page();
    if page.is_last() || page.polls {
        return (page, false);
    }
    for _ in 0..200 {
        let input = person.judge.answer(&page, session.participant());
        if session.take(&input, &clock.now()).unwrap().is_ok() {
            break;
        }
    }
    session.look(&clock.at(), Instant::now()).unwrap();
    let before = session.page();
    drop(session);
    drop(groups);
    let groups = Groups::of(study).unwrap().unwrap();
    // A participant who waits for others is present as long as this process knows them.
    let (session, _) = open(study, &groups, person.id, 0);
    assert_eq!(session.page(), before, "{}", person.id);
    (before, true)
}

/// The same in one process.
fn answer(study: &Study, groups: &Groups, person: &mut Person) -> SessionPage {
    let (mut session, mut clock) = open(study, groups, person.id, 0);
    let page = session.page();
    if page.is_last() || page.polls {
        return page;
    }
    for _ in 0..200 {
        let input = person.judge.answer(&page, session.participant());
        if session.take(&input, &clock.now()).unwrap().is_ok() {
            break;
        }
    }
    session.look(&clock.at(), Instant::now()).unwrap();
    session.page()
}

/// Takes these to the waiting room, the last of whom makes the group.
fn meet(study: &Study, groups: &Groups, people: &mut [Person]) {
    let (last, first) = people.split_last_mut().unwrap();
    for person in first {
        while !answer(study, groups, person).polls {}
    }
    let made = study.folder.claims().unwrap().len();
    while study.folder.claims().unwrap().len() == made {
        answer(study, groups, last);
    }
}

/// Goes on with these until each is where somebody else is waited for, or at the end.
fn settle(study: &Study, groups: &Groups, people: &mut [Person]) -> Vec<SessionPage> {
    let mut before = Vec::new();
    loop {
        let pages: Vec<SessionPage> = people
            .iter_mut()
            .map(|person| answer(study, groups, person))
            .collect();
        let is_settled = |page: &SessionPage| page.polls || page.is_last();
        if pages.iter().all(is_settled) && pages == before {
            return pages;
        }
        before = pages;
    }
}

fn statuses(study: &Study) -> Vec<&'static str> {
    let rows = Rows::read(study, DataKind::Live).unwrap();
    rows.participants
        .iter()
        .map(|row| row.status.name())
        .collect()
}

fn saves(study: &Study) -> Vec<std::path::PathBuf> {
    let folder = study.folder.data(DataKind::Live).join("debates");
    debate_lab::record::files_of_saves(&folder).unwrap()
}

#[test]
fn three_in_one_debate_are_cut_off_after_every_answer_and_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let study = together(&folder.path().join("p"), ESTIMATOR, ALL);
    let checked = check(&study).unwrap();
    assert!(checked.ok, "{:?}", checked.problems);
    let mut people = people(["anna", "bert", "cleo"]);
    // All come to the waiting room, and meet in one process.
    for person in &mut people {
        while !step(&study, person).0.polls {}
    }
    {
        let groups = Groups::of(&study).unwrap().unwrap();
        assert!(matches!(Groups::of(&study), Err(StudyError::Served)));
        meet(&study, &groups, &mut people);
    }
    assert_eq!(study.folder.claims().unwrap().len(), 1);
    let mut steps = 0;
    loop {
        let pages: Vec<_> = people.iter_mut().map(|it| step(&study, it)).collect();
        steps += 1;
        assert!(steps < 200, "it goes on");
        if pages.iter().all(|(page, _)| page.is_last()) {
            break;
        }
        assert!(
            pages.iter().any(|(_, has_answered)| *has_answered),
            "somebody is asked"
        );
    }
    assert_eq!(statuses(&study), ["complete"; 3]);
    let saves = saves(&study);
    assert_eq!(saves.len(), 2, "one for practice and one that counts");
    for path in &saves {
        let verdict = verify_file(path, &Limits::default()).unwrap();
        assert!(verdict.ok && verdict.finished, "{verdict:?}");
        let save = Save::read(path).unwrap();
        assert_eq!(save.header.players, ["human"; 3]);
        let mut sat: Vec<&str> = save.header.tags["sessions"].split(' ').collect();
        sat.sort_unstable();
        assert_eq!(sat, ["s0000", "s0001", "s0002"]);
    }
    // Each reply stands in its own log, and in the save in the order of the debate.
    let rows = Rows::read(&study, DataKind::Live).unwrap();
    let spoken = rows.events.iter().filter(|it| it.get("reply").is_some());
    let moves: usize = saves
        .iter()
        .map(|path| {
            let save = Save::read(path).unwrap();
            let people = save
                .moves()
                .filter(|line| line.kind.seat() != Some(Seat::Chance));
            people.count()
        })
        .sum();
    assert_eq!(spoken.count(), moves);
    // The judge's numbers alone are compared; everybody's are in the tables.
    assert_eq!(
        rows.trials.iter().filter(|it| !it.key.is_practice).count(),
        6
    );
    let counted: Vec<&str> = rows.counted().map(|it| it.role.as_str()).collect();
    assert_eq!(counted, ["judge"; 2]);
    let found = report(&study, DataKind::Live).unwrap();
    let flow = found.flow.groups.unwrap();
    assert_eq!((flow.made, flow.complete, flow.void), (1, 1, 0));
    assert!(
        rows.participants
            .iter()
            .all(|row| row.group == rows.participants[0].group)
    );
    assert_eq!(payments(&study).unwrap().len(), 3);
}

#[test]
fn groups_of_simulated_people_go_through_several_rules_and_seats() {
    let folder = tempfile::tempdir().unwrap();
    for (number, (rules, roles)) in [
        (ESTIMATOR, ALL),
        ("Recursive()", ALL),
        ("Recursive()", "Judge, Opponent"),
        (ESTIMATOR, "Prover, Opponent"),
    ]
    .into_iter()
    .enumerate()
    {
        let place = folder.path().join(number.to_string());
        let study = together(&place, rules, roles);
        let study = if roles == "Judge, Opponent" {
            rewrite(&place, |text| {
                text.replace(
                    "protocol: Recursive()",
                    "protocol: Recursive(), prover: \"obfuscator\"",
                )
            });
            Study::load(&place).unwrap()
        } else {
            study
        };
        let checked = check(&study).unwrap();
        assert!(checked.ok, "{rules} {roles}: {:?}", checked.problems);
        let size = u32::try_from(study.plan.roles.len()).unwrap();
        simulate(&study, 2 * size, &[JudgeModel::NOISY], "7").unwrap();
        let found = report(&study, DataKind::Simulated).unwrap();
        let flow = found.flow.groups.unwrap();
        assert_eq!((flow.made, flow.complete), (2, 2), "{rules} {roles}");
        let has_judge = study.plan.roles.contains(&Seat::Judge);
        let counted = if has_judge { 2 } else { 2 * size as usize };
        assert_eq!(found.conditions[1].n, counted, "{rules} {roles}");
        // The first of each group met what the others of it met.
        let rows = Rows::read(&study, DataKind::Simulated).unwrap();
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
        let shown = preview(&study, &Codes::default()).unwrap();
        assert!(shown.iter().any(|page| page.page.polls));
    }
}

#[test]
fn who_waits_in_vain_is_told_so_and_paid_and_who_leaves_the_room_has_no_seat() {
    let folder = tempfile::tempdir().unwrap();
    let study = together(&folder.path().join("p"), ESTIMATOR, ALL);
    let groups = Groups::of(&study).unwrap().unwrap();
    let mut three = people(["anna", "bert", "cleo"]);
    // Anna waits, closes her window, and is not there when Bert and Cleo come.
    while !answer(&study, &groups, &mut three[0]).polls {}
    let (mut session, mut clock) = open(&study, &groups, "anna", 0);
    for input in [Input::Leave, Input::Choice(1)] {
        session.take(&input, &clock.now()).unwrap().unwrap();
    }
    drop(session);
    while !answer(&study, &groups, &mut three[1]).polls {}
    while !answer(&study, &groups, &mut three[2]).polls {}
    assert!(
        study.folder.claims().unwrap().is_empty(),
        "two are not three"
    );
    // Nothing is written while they wait.
    let log = study.folder.log(DataKind::Live, "s0001");
    let before = fs::read(&log).unwrap();
    for later in [1, 10, 60] {
        assert!(open(&study, &groups, "bert", later).0.page().polls);
    }
    assert_eq!(
        fs::read(&log).unwrap().len(),
        before.len() + resumed(&log, 3)
    );
    // Bert withdraws, and Cleo waits in vain; then a whole group comes.
    let (mut session, mut clock) = open(&study, &groups, "bert", 0);
    for input in [Input::Leave, Input::Choice(2)] {
        session.take(&input, &clock.now()).unwrap().unwrap();
    }
    drop(session);
    for later in [60, 120, 180, 240, 300, 360, 420, 480, 540, 599] {
        assert!(
            open(&study, &groups, "cleo", later).0.page().polls,
            "{later}"
        );
    }
    let (session, _) = open(&study, &groups, "cleo", 640);
    let page = session.page();
    let said: Vec<String> = page
        .page
        .lines
        .iter()
        .map(debate_lab::tell::Line::text)
        .collect();
    assert!(
        page.is_last() && said.join(" ").contains("Nobody else has come in time"),
        "{said:?}"
    );
    assert!(said.join(" ").contains("You are paid for this.") && said.join(" ").contains("WAITED"));
    drop(session);
    assert_eq!(statuses(&study), ["started", "withdrawn", "waited"]);
    let paid = payments(&study).unwrap();
    assert_eq!(paid.len(), 1);
    assert_eq!((paid[0].cents, paid[0].why), (50, "waited"));
    let flow = report(&study, DataKind::Live).unwrap().flow.groups.unwrap();
    assert_eq!((flow.made, flow.waited), (0, 1));
}

/// The bytes of the last lines of a log, which say that a session was resumed.
fn resumed(log: &Path, count: usize) -> usize {
    let text = fs::read_to_string(log).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let last = &lines[lines.len() - count..];
    assert!(last.iter().all(|line| line.contains("\"type\":\"resume\"")));
    last.iter().map(|line| line.len() + 1).sum()
}

#[test]
fn who_stays_away_forfeits_and_the_others_are_told_and_paid_and_the_row_is_free() {
    let folder = tempfile::tempdir().unwrap();
    let study = together(&folder.path().join("p"), ESTIMATOR, ALL);
    let mut three = people(["anna", "bert", "cleo"]);
    let groups = Groups::of(&study).unwrap().unwrap();
    meet(&study, &groups, &mut three);
    // In the middle of the debate whoever is asked stays away.
    for _ in 0..3 {
        for person in &mut three {
            answer(&study, &groups, person);
        }
    }
    let asked = |groups: &Groups, id: &str| {
        let (session, _) = open(&study, groups, id, 0);
        let page = session.page();
        !page.polls
    };
    let place = three
        .iter()
        .position(|it| asked(&groups, it.id))
        .expect("somebody is asked");
    let mut away = three.remove(place);
    let pages = settle(&study, &groups, &mut three);
    assert!(pages.iter().all(|page| page.polls));
    // In time nobody is missed; a server that was killed gives everybody their time anew.
    drop(groups);
    let groups = Groups::of(&study).unwrap().unwrap();
    assert!(open(&study, &groups, three[0].id, 290).0.page().polls);
    let (session, _) = open(&study, &groups, three[0].id, 310);
    let page = session.page();
    let said: Vec<String> = page
        .page
        .lines
        .iter()
        .map(debate_lab::tell::Line::text)
        .collect();
    assert!(
        page.is_last() && said.join(" ").contains("has left"),
        "{said:?}"
    );
    assert!(said.join(" ").contains("LEFT"), "{said:?}");
    drop(session);
    // Killed right then: the others know it from that line.
    drop(groups);
    let groups = Groups::of(&study).unwrap().unwrap();
    assert!(answer(&study, &groups, &mut three[1]).is_last());
    let log = study.folder.log(DataKind::Live, &groups.away()[0]);
    groups.end_away(&study).unwrap();
    assert_eq!(status_of(&log).unwrap().0, Status::Forfeited);
    assert!(answer(&study, &groups, &mut away).is_last());
    let mut found = statuses(&study);
    found.sort_unstable();
    assert_eq!(found, ["forfeited", "left_alone", "left_alone"]);
    let paid = payments(&study).unwrap();
    assert_eq!(
        paid.iter().map(|it| (it.cents, it.why)).collect::<Vec<_>>(),
        [(50, "left_alone"); 2]
    );
    let flow = report(&study, DataKind::Live).unwrap().flow.groups.unwrap();
    assert_eq!(
        (flow.made, flow.void, flow.left_alone, flow.forfeited),
        (1, 1, 2, 1)
    );
    // The debate ends with that forfeit.
    let saves = saves(&study);
    let forfeits: Vec<_> = saves
        .iter()
        .filter_map(|path| Save::read(path).unwrap().forfeit().map(|it| it.seat))
        .collect();
    assert_eq!(forfeits.len(), 1, "{saves:?}");
    // Others take the row.
    let mut next = people(["dora", "ede", "fred"]);
    meet(&study, &groups, &mut next);
    while !settle(&study, &groups, &mut next)
        .iter()
        .all(SessionPage::is_last)
    {}
    let claims = study.folder.claims().unwrap();
    assert_eq!(
        claims.iter().map(|claim| claim.slot).collect::<Vec<_>>(),
        [0, 0]
    );
    assert!(claims[1].reclaimed_from.is_some());
    let flow = report(&study, DataKind::Live).unwrap().flow;
    assert_eq!((flow.counted, flow.groups.unwrap().complete), (3, 1));
}

#[test]
fn who_withdraws_or_is_forgotten_leaves_the_others_alone_at_once() {
    let folder = tempfile::tempdir().unwrap();
    for (name, forgets) in [("withdrawn", false), ("forgotten", true)] {
        let study = together(&folder.path().join(name), ESTIMATOR, ALL);
        let mut three = people(["anna", "bert", "cleo"]);
        let groups = Groups::of(&study).unwrap().unwrap();
        meet(&study, &groups, &mut three);
        for person in &mut three {
            answer(&study, &groups, person);
        }
        if forgets {
            study.folder.forget("anna", "2026-11-21T09:14:03Z").unwrap();
        } else {
            let (mut session, mut clock) = open(&study, &groups, "anna", 0);
            for input in [Input::Leave, Input::Choice(2)] {
                session.take(&input, &clock.now()).unwrap().unwrap();
            }
        }
        drop(groups);
        let groups = Groups::of(&study).unwrap().unwrap();
        let pages = settle(&study, &groups, &mut three[1..]);
        assert!(pages.iter().all(SessionPage::is_last), "{name}");
        let left = statuses(&study);
        assert_eq!(
            left.iter().filter(|it| **it == "left_alone").count(),
            2,
            "{name}: {left:?}"
        );
        assert!(
            Rows::read(&study, DataKind::Live)
                .unwrap()
                .counted()
                .next()
                .is_none()
        );
    }
}
