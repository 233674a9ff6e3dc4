//! Exports of hostile texts and of long debates, in every format.

mod hostile;
mod streams;

use serde_json::Value;

use debate_core::chance::Seed;
use debate_core::number::{Exact, Number as _};
use debate_core::player::{Player, PlayerSpec, SeatedDebate};
use debate_core::protocol::{Protocol, ProtocolKind, Seat};
use debate_core::text::{is_unsafe_character, replace_unsafe_characters};
use debate_host::record::{ReplyMeta, Save, SaveHeader, SaveLineFormatter, read_game_text};
use debate_lab::export::{
    ExportError, ExportFormatRegistry, ExportOptions, ExportedTextWithNotes, ReplayedSave,
    SavesOrScenarioToExport, ScenarioToExport, parse_event_number_range,
};
use debate_solver::setup::{LoadedScenario, ScenarioLimits, ScenarioTextSource};

/// The built-in formats.
fn formats() -> ExportFormatRegistry {
    ExportFormatRegistry::with_builtin_formats()
        .with_registered_format(debate_tui::tui::picture::FORMAT)
}

/// A save of a debate between built-in players, with a note at every move. `names` are the player names in the save.
fn played(setup: &LoadedScenario, players: [&str; 3], names: [&str; 3], note: &str) -> Save {
    let seed = Seed::new("7").unwrap();
    let instance = setup.instance(setup.world_of_debate(&seed, 0));
    let names = names.map(str::to_owned);
    let header = SaveHeader::new(
        setup,
        setup.protocol.clone(),
        seed.clone(),
        &instance,
        names,
    );
    let registry = debate_solver::registry::<Exact>();
    let built = Seat::PLAYERS.map(|seat| {
        let spec = PlayerSpec::parse(players[seat.seat_index()]).unwrap();
        Player::Builtin(
            registry
                .build(&spec, seat, &instance, &setup.protocol)
                .unwrap(),
        )
    });
    let start = setup.protocol.start(&instance).unwrap();
    let mut seating = SeatedDebate::new(start, built, &seed, 0);
    let (mut writer, mut text) = SaveLineFormatter::begin_save(&header);
    let meta = ReplyMeta {
        note: (!note.is_empty()).then(|| note.to_owned()),
        ..ReplyMeta::default()
    };
    while seating.turn().is_some() {
        seating.make_automatic_move().unwrap();
        text += &writer
            .move_line(seating.latest().unwrap(), &meta)
            .unwrap()
            .text;
    }
    text += &writer.closing_line(seating.state(), seating.log()).unwrap();
    Save::parse(text.as_bytes()).unwrap()
}

fn wide_limits() -> ScenarioLimits {
    ScenarioLimits {
        width: 10_000,
        ..ScenarioLimits::default()
    }
}

/// Like [`played`], but about a scenario's text.
fn save(scenario: &str, names: [&str; 3], note: &str) -> Save {
    let origin = ScenarioTextSource::Text("a test".to_owned());
    let setup = LoadedScenario::from_text(scenario, origin, &wide_limits()).unwrap();
    played(&setup, ["honest", "calibrated", "oracle"], names, note)
}

/// Exports a debate in a format.
fn written(
    save: &Save,
    format: &str,
    asked: &ExportOptions,
) -> Result<ExportedTextWithNotes, ExportError> {
    let setup = save.read_saved_scenario(&wide_limits()).unwrap();
    let instance = save.header.debated_instance(&setup).unwrap();
    let debate = ReplayedSave::new(save, &setup, &instance).unwrap();
    formats().write(format, SavesOrScenarioToExport::Saves(&[debate]), asked)
}

fn text(save: &Save, format: &str) -> String {
    written(save, format, &ExportOptions::default())
        .unwrap()
        .text
}

/// Exports a scenario in a format.
fn of_scenario(
    scenario: &str,
    format: &str,
    asked: &ExportOptions,
) -> Result<ExportedTextWithNotes, ExportError> {
    let origin = ScenarioTextSource::Text("a test".to_owned());
    let setup = LoadedScenario::from_text(scenario, origin, &ScenarioLimits::default()).unwrap();
    let instance = setup.instance(0);
    let proposal = ScenarioToExport {
        setup: &setup,
        protocol: &setup.protocol,
        instance: &instance,
        worlds: &[(Exact::ratio(1, 1), 0)],
    };
    formats().write(format, SavesOrScenarioToExport::Scenario(&proposal), asked)
}

/// Returns true if the text has no terminal control characters and none that change the reading direction.
fn is_plain(text: &str) -> bool {
    text.chars().all(|c| c == '\n' || !is_unsafe_character(c))
}

/// Removes a page's style, script and data. Returns the rest and the data.
fn apart(page: &str) -> (String, Value) {
    let mut rest = page;
    let mut skeleton = String::new();
    let mut data = Value::Null;
    while let Some((before, after)) = rest
        .find("<style>")
        .into_iter()
        .chain(rest.find("<script"))
        .min()
        .map(|place| rest.split_at(place))
    {
        let name = if after.starts_with("<style") {
            "style"
        } else {
            "script"
        };
        let (opening, inner) = after.split_once('>').unwrap();
        let (inner, after) = inner.split_once(&format!("</{name}>")).unwrap();
        if opening.contains("application/json") {
            data = serde_json::from_str(inner).unwrap();
            assert!(!inner.contains(['<', '>', '&']));
        }
        skeleton += before;
        rest = after;
    }
    (skeleton + rest, data)
}

fn parsed(text: &str) -> roxmltree::Document<'_> {
    let options = roxmltree::ParsingOptions {
        allow_dtd: true,
        ..roxmltree::ParsingOptions::default()
    };
    roxmltree::Document::parse_with_options(text, options)
        .unwrap_or_else(|why| panic!("{why}: {text}"))
}

/// The text of the first element of this name.
fn inside(document: &roxmltree::Document<'_>, name: &str) -> String {
    let mut all = document.descendants();
    let found = all.find(|node| node.has_tag_name(name) || node.tag_name().name() == name);
    let texts = found
        .unwrap()
        .descendants()
        .filter(roxmltree::Node::is_text);
    texts.filter_map(|node| node.text()).collect()
}

fn wide(parts: usize) -> String {
    let names: Vec<String> = (0..parts).map(|part| format!("\"{part}\"")).collect();
    let claims = names.iter().enumerate().map(|(part, name)| {
        format!("{name}: Claim(text: \"Part {part} holds.\", truth: true, estimate: 1)")
    });
    let claims: Vec<String> = claims.collect();
    format!(
        "Scenario(format: 1, title: \"Parts\", problem: Argument(root: \"r\", claims: {{\
         \"r\": Claim(text: \"All hold.\", supports: [Support(gate: All, on: [{}])]), {}}}))",
        names.join(", "),
        claims.join(", ")
    )
}

/// A debate of `rounds` rounds of speeches, with about four events each. It has no claims, so its pages are quick to
/// make.
fn spoken(rounds: u32) -> Save {
    let scenario = format!(
        "Scenario(format: 1, title: \"Tides\", problem: Question(text: \"Is this tide higher?\", \
         answers: (\"Yes\", \"No\"), correct: 0, source: \"It was not measured.\"), \
         protocol: Speeches(rounds: {rounds}))"
    );
    let origin = ScenarioTextSource::Text("a test".to_owned());
    let setup = LoadedScenario::from_text(&scenario, origin, &wide_limits()).unwrap();
    let players = ["silent", "silent", "swayed"];
    played(&setup, players, players, "")
}

/// The HTML page of these events of a debate.
fn page(save: &Save, events: Option<(usize, usize)>) -> Result<ExportedTextWithNotes, ExportError> {
    let asked = ExportOptions {
        events,
        ..ExportOptions::default()
    };
    written(save, "html", &asked)
}

/// The number of events of a debate.
fn count_events(save: &Save) -> usize {
    text(save, "csv").lines().count() - 1
}

/// Checks that a debate of more than 2,000 events has two pages. Returns the first one without its data.
fn check_pages(save: &Save) -> String {
    let all = count_events(save);
    assert!((2_001..4_000).contains(&all), "{all}");
    let first = page(save, None).unwrap();
    let cut = format!("This page has events 1 to 2000 of {all}. Select others with --events.");
    assert_eq!(first.notes, std::slice::from_ref(&cut));
    assert!(first.text.contains(&cut));
    assert!(first.text.len() < 2_000_000, "{}", first.text.len());
    let (first, data) = apart(&first.text);
    assert_eq!(data["states"].as_array().unwrap().len(), 2001);
    let second = page(save, Some((2001, 4000))).unwrap();
    let (skeleton, data) = apart(&second.text);
    assert_eq!(data["states"].as_array().unwrap().len(), all - 2000 + 1);
    assert!(skeleton.contains(&format!("id=\"event={all}\"")));
    assert!(!skeleton.contains("id=\"event=2000\""));
    assert!(matches!(
        page(save, Some((all + 1, all + 2))),
        Err(ExportError::NoEvent { .. })
    ));
    assert!(matches!(
        page(save, Some((1, 2001))),
        Err(ExportError::Option(_))
    ));
    first
}

#[test]
fn a_long_debate_is_shown_page_by_page() {
    check_pages(&spoken(520));
}

/// If there are many claims, a page shows the claims on the path and those that have just changed.
#[test]
fn claims_beyond_the_limit_of_a_page_are_counted() {
    let save = save(&wide(400), ["honest", "calibrated", "oracle"], "");
    let all = count_events(&save);
    let last = page(&save, Some((all - 5, all))).unwrap();
    let (skeleton, _) = apart(&last.text);
    assert!(skeleton.contains("… and 101 more claims, not shown"));
}

#[test]
#[ignore = "exhaustive: 5 s; every day: a_long_debate_is_shown_page_by_page"]
fn a_long_debate_of_many_claims_is_shown_page_by_page() {
    let first = check_pages(&save(&wide(1200), ["honest", "calibrated", "oracle"], ""));
    assert!(first.contains("… and 901 more claims, not shown"));
}

/// A chain of claims, each over the next one: one round per level.
fn deep(levels: usize) -> String {
    let claims = (0..levels).map(|level| {
        let below = level + 1;
        format!(
            "\"{level}\": Claim(text: \"Level {level} holds.\", supports: [Support(gate: All, on: [\"{below}\"])])"
        )
    });
    let claims: Vec<String> = claims.collect();
    format!(
        "Scenario(format: 1, title: \"Chain\", problem: Argument(root: \"0\", claims: {{{}, \"{levels}\": \
         Claim(text: \"The last level holds.\", truth: true)}}))",
        claims.join(", ")
    )
}

/// Four times as many rounds take four times the work, not sixteen times. Work is measured in allocations.
#[test]
fn the_work_of_an_export_grows_with_the_debate_alone() {
    let [short, long] =
        [60, 240].map(|levels| save(&deep(levels), ["lazy", "shifted(0.2)", "oracle"], ""));
    for format in ["md", "inspect", "html", "csv", "json"] {
        let asked = ExportOptions {
            events: (format == "html").then_some((1, 40)),
            ..ExportOptions::default()
        };
        let work = |save: &Save| {
            let write = || drop(written(save, format, &asked).unwrap());
            allocation_counter::measure(write).count_total
        };
        let (short, long) = (work(&short), work(&long));
        assert!(long < 6 * short, "{format}: {short} {long}");
    }
}

/// A page shows the rewards near the current round.
#[test]
fn rounds_beyond_the_limit_of_a_page_are_counted() {
    let save = save(&deep(240), ["lazy", "shifted(0.2)", "oracle"], "");
    let all = count_events(&save);
    for events in [(1, 5), (all - 5, all)] {
        let page = page(&save, Some(events)).unwrap();
        let (skeleton, data) = apart(&page.text);
        // 242 rounds pay, including the first answer.
        assert!(skeleton.contains("<th scope=\"row\">… 42 more</th>"));
        assert!(data["rewards"].as_array().unwrap().len() < 1000);
    }
}

#[test]
fn an_export_of_many_claims_is_cut_with_a_note() {
    let asked = ExportOptions {
        most_claims: Some(10),
        ..ExportOptions::default()
    };
    let graph = of_scenario(&wide(1000), "dot", &asked).unwrap();
    let note = "only the first 10 of 1001 claims are written; raise the limit with --most-claims";
    assert_eq!(graph.notes, [note]);
    assert!(graph.text.contains("(the first 10 of 1001 claims)"));
    assert!(graph.text.contains("… 991 more"));
    let data = of_scenario(&wide(1000), "json", &asked).unwrap();
    let data: Value = serde_json::from_str(&data.text).unwrap();
    assert_eq!(data["cut"], true);
    assert_eq!(data["claims"].as_array().unwrap().len(), 10);
}

#[test]
fn formats_and_options_that_do_not_go_together_are_refused() {
    let save = save(&wide(2), ["honest", "calibrated", "oracle"], "");
    let asked = ExportOptions {
        event: Some(3),
        ..ExportOptions::default()
    };
    let why = written(&save, "md", &asked).unwrap_err().to_string();
    let expected = "--event has no effect on `md` of a save; use this flag with svg of a save";
    assert_eq!(why, expected);
    let asked = ExportOptions {
        most_claims: Some(3),
        ..ExportOptions::default()
    };
    let why = written(&save, "json", &asked).unwrap_err().to_string();
    let expected = "--most-claims has no effect on `json` of a save; use this flag with json of a scenario or dot of a scenario";
    assert_eq!(why, expected);
    let asked = ExportOptions {
        event: Some(999),
        ..ExportOptions::default()
    };
    let why = written(&save, "svg", &asked).unwrap_err().to_string();
    let last = text(&save, "csv").lines().count() - 1;
    let expected = format!("event 999 does not exist; give a number from 1 to {last}");
    assert_eq!(why, expected);
    let why = formats().find_format("efg", true).unwrap_err().to_string();
    assert_eq!(
        why,
        "`efg` is not an export format for a save; use html, md, json, game, csv, inspect or svg"
    );
    let why = formats()
        .find_format("html", false)
        .unwrap_err()
        .to_string();
    assert_eq!(
        why,
        "`html` is not an export format for a scenario; use json, dot or efg"
    );
    for text in ["0..3", "3", "4..3", ".."] {
        assert!(parse_event_number_range(text).is_err(), "{text}");
    }
    assert_eq!(parse_event_number_range("3..=9").unwrap(), (3, 9));
}

#[test]
fn a_computation_has_no_tree_of_claims() {
    let setup =
        LoadedScenario::load_bundled_scenario("turing", &ScenarioLimits::default()).unwrap();
    let instance = setup.instance(0);
    let proposal = ScenarioToExport {
        setup: &setup,
        protocol: &setup.protocol,
        instance: &instance,
        worlds: &[(Exact::ratio(1, 1), 0)],
    };
    let asked = ExportOptions::default();
    let why = formats().write("dot", SavesOrScenarioToExport::Scenario(&proposal), &asked);
    assert!(matches!(why, Err(ExportError::NoClaims)), "{why:?}");
}

#[test]
fn every_bundled_scenario_is_written() {
    for listing in debate_solver::setup::bundled_scenarios() {
        let setup = LoadedScenario::load_bundled_scenario(listing.name, &ScenarioLimits::default())
            .unwrap();
        let instance = setup.instance(0);
        let proposal = ScenarioToExport {
            setup: &setup,
            protocol: &setup.protocol,
            instance: &instance,
            worlds: &[(Exact::ratio(1, 1), 0)],
        };
        let subject = SavesOrScenarioToExport::Scenario(&proposal);
        let asked = ExportOptions::default();
        let data = formats().write("json", subject, &asked).unwrap();
        let data: Value = serde_json::from_str(&data.text).unwrap();
        assert_eq!(
            data["title"].as_str(),
            Some(&*setup.scenario_texts(0).title)
        );
        let graph = formats().write("dot", subject, &asked);
        assert_eq!(
            graph.is_ok(),
            setup.decomposition.can_split_root(),
            "{}",
            listing.name
        );
    }
}

#[test]
fn a_game_is_read_back_to_the_same_save_under_every_protocol() {
    let mut kinds = std::collections::HashSet::new();
    let note = "a \"note\"\n2. Alice: Answer(true)\n[Seed \"8\"] | ; }";
    for listing in debate_solver::setup::bundled_scenarios() {
        let setup = LoadedScenario::load_bundled_scenario(listing.name, &ScenarioLimits::default())
            .unwrap();
        let kind = setup.protocol.kind();
        let registry = debate_solver::registry::<Exact>();
        let players = Seat::PLAYERS.map(|seat| {
            let default = registry.default_strategy_name(seat, kind);
            setup.players.text_of_seat(seat).unwrap_or(default)
        });
        let is_slow = |name: &&str| name.contains("indistinguishable");
        if players.iter().any(is_slow) || !kinds.insert(kind) {
            continue;
        }
        let save = played(&setup, players, players, note);
        let game = text(&save, "game");
        let (read, _) = read_game_text(&game, &wide_limits()).unwrap();
        assert_eq!(format!("{read:?}"), format!("{save:?}"), "{}", listing.name);
        assert!(
            game.starts_with("[Title \"") && game.contains("\n1. "),
            "{game}"
        );
        assert!(game.contains("\nEnd: Finished(payoff: "), "{game}");
        // Other line ends and added comments change nothing.
        let other = format!("; a remark\n{game}").replace('\n', "\r\n");
        let (read, _) = read_game_text(&other, &wide_limits()).unwrap();
        assert_eq!(format!("{read:?}"), format!("{save:?}"));
    }
    assert!(kinds.len() >= ProtocolKind::ALL.len() - 1, "{kinds:?}");
}

#[test]
fn a_changed_game_is_refused_with_its_line() {
    let setup =
        LoadedScenario::load_bundled_scenario("primes-small", &ScenarioLimits::default()).unwrap();
    let players = ["honest", "calibrated", "oracle"];
    let game = text(&played(&setup, players, players, ""), "game");
    let lines: Vec<&str> = game.lines().collect();
    let refused = |text: &str| {
        let error = read_game_text(text, &wide_limits())
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("line ") && !error.contains('\n'),
            "{error}"
        );
        error
    };
    for (place, line) in lines.iter().enumerate() {
        let is_event = line.starts_with(|first: char| first.is_ascii_digit());
        if !is_event && !line.starts_with("End: ") {
            continue;
        }
        for other in [
            "9. Alice: Answer(",
            "x",
            "1. Bob: Drawn(1)",
            "[Seed \"7\"]",
            "= \u{1b}[",
        ] {
            let mut changed = lines.clone();
            changed[place] = other;
            refused(&changed.join("\n"));
        }
        let mut changed = lines.clone();
        let last = changed.remove(place);
        // Without its end, the save is an unfinished debate.
        if !last.starts_with("End: ") {
            refused(&changed.join("\n"));
        }
    }
    let seed = game.replace("[Seed \"7\"]", "[Seed \"8\"]");
    assert!(refused(&seed).contains("expected"), "{seed}");
    for (text, why) in [
        ("", "line 1: this is not a debate"),
        ("1. Alice: Answer(true)", "line 1: this is not a debate"),
        ("[Seed \"7\"]", "line 1: the scenario is missing"),
        ("[Seed \"7\"]\n|", "line 1: the save has no tag `Program`"),
        ("[Seed 7\n|", "line 1: expected a tag"),
        ("[Seed \"7]\n|", "line 1: the value of the tag `Seed`"),
        (
            "\n[Sed \"7\"]\n|",
            "line 2: the format `game` has no tag `Sed`",
        ),
        (
            "[Seed \"7\"]\n[Seed \"7\"]\n|",
            "line 2: the tag `Seed` is given twice",
        ),
        (
            "[Seed \"7\"]\n|= Scenario(",
            "line 2: a scenario line that begins with `|=` needs a text in quotation marks",
        ),
    ] {
        assert!(refused(text).starts_with(why), "{text}: {}", refused(text));
    }
    // An unfinished debate hides replies from players who can continue it.
    let setup =
        LoadedScenario::load_bundled_scenario("primes-small", &ScenarioLimits::default()).unwrap();
    let save = played(&setup, players, ["human", "calibrated", "oracle"], "");
    assert!(text(&save, "game").contains("[Alice \"human\"]"));
}

#[test]
fn a_debate_under_every_protocol_is_written_in_every_format() {
    let mut kinds = std::collections::HashSet::new();
    for listing in debate_solver::setup::bundled_scenarios() {
        let setup = LoadedScenario::load_bundled_scenario(listing.name, &ScenarioLimits::default())
            .unwrap();
        let kind = setup.protocol.kind();
        let registry = debate_solver::registry::<Exact>();
        let players = Seat::PLAYERS.map(|seat| {
            let default = registry.default_strategy_name(seat, kind);
            setup.players.text_of_seat(seat).unwrap_or(default)
        });
        // Players that take long to train are covered by other tests.
        if !kinds.insert(kind)
            || players
                .iter()
                .any(|name| name.contains("indistinguishable"))
        {
            continue;
        }
        let save = played(&setup, players, players, "");
        let json: Value = serde_json::from_str(&text(&save, "json")).unwrap();
        let events = json["events"].as_array().unwrap();
        assert!(events.len() > 5, "{}", listing.name);
        assert_eq!(json["outcome"], "finished");
        assert_eq!(events.last().unwrap()["payoff"], json["payoff"]);
        for (place, event) in events.iter().enumerate() {
            assert_eq!(event["n"], place + 1);
            assert!(!event["text"].as_str().unwrap().is_empty());
        }
        assert_eq!(text(&save, "csv").lines().count(), events.len() + 1);
        let (skeleton, data) = apart(&text(&save, "html"));
        parsed(&skeleton);
        assert_eq!(data["states"].as_array().unwrap().len(), events.len() + 1);
        assert_eq!(skeleton.matches("id=\"event=").count(), events.len());
        parsed(&text(&save, "svg"));
        let log: Value = serde_json::from_str(&text(&save, "inspect")).unwrap();
        assert_eq!(
            log["samples"][0]["scores"]["payoff"]["value"],
            json["payoff"]
        );
        let md = text(&save, "md");
        let numbered = (1..=events.len()).all(|n| md.contains(&format!("\n{n}. ")));
        assert!(numbered, "{md}");
    }
    // Debate with an examined verifier has no bundled scenario.
    assert!(kinds.len() >= ProtocolKind::ALL.len() - 1, "{kinds:?}");
}

#[test]
fn an_unfinished_debate_is_marked() {
    let setup =
        LoadedScenario::load_bundled_scenario("primes-4331", &ScenarioLimits::default()).unwrap();
    let instance = setup.instance(0);
    let protocol: Protocol = setup.protocol.clone();
    let names = ["human", "human", "human"].map(str::to_owned);
    let header = SaveHeader::new(&setup, protocol, Seed::new("7").unwrap(), &instance, names);
    let (_, text_of_save) = SaveLineFormatter::begin_save(&header);
    let save = Save::parse(text_of_save.as_bytes()).unwrap();
    let page = text(&save, "html");
    assert!(page.contains("The debate was not played to its end. Next: Alice"));
    assert!(!page.contains("What came of it"));
    assert!(text(&save, "md").contains("The debate was not played to its end."));
    let json: Value = serde_json::from_str(&text(&save, "json")).unwrap();
    assert_eq!(json["outcome"], "unfinished");
    assert_eq!(json["events"], serde_json::json!([]));
    let log: Value = serde_json::from_str(&text(&save, "inspect")).unwrap();
    assert_eq!(log["status"], "started");
    assert!(log["results"].is_null());
    assert_eq!(text(&save, "csv").lines().count(), 1);
    assert!(text(&save, "svg").contains("<title>Is 4237 prime?: event 0 of 0</title>"));
}
