//! The number of words on the screen while a player decides is limited, so that they can be read.
//!
//! The words of the question, the claims, the rewards and the explanation are counted. The transcript is not: it is the
//! history of the debate, which fills the rows of its panel, so its words depend on the size of the screen. The player
//! has seen its lines one by one and need not read them to decide.

use std::env;
use std::mem;

use debate_core::number::Exact;
use debate_core::player::{PlayerSpec, SeatedDebate, StrategyEntry, StrategyRegistry};
use debate_core::protocol::{Request, Seat, SpeechDebate};
use debate_core::scenario::Instance;
use debate_host::Debate;
use debate_solver::setup;
use debate_text::DebateDescription;
use debate_tui::tui::debate::DebateScreen;
use debate_tui::tui::keys;
use debate_tui::tui::scene::DebateScreenContext;
use debate_tui::tui::theme::ScreenAppearance;

use super::{picture, press};
use crate::support::scenes::{Setup, seated, thread};

/// Maximum number of words: in the question panel, and without transcript and explanation on a screen of 80×24 and on
/// one of 120×36.
///
/// Lower these when the screens get shorter; never raise them. The larger screen also shows the claims beside the path.
const MAX_QUESTION_WORDS: [usize; 3] = [47, 126, 168];
/// The same for debates with at least twenty-five subclaims, all of which are in the tree.
const MAX_OF_WIDE: [usize; 3] = [45, 205, 324];
/// Maximum number of words of the explanation beside them, on a screen of 120×36.
const MAX_EXPLANATION_WORDS: usize = 110;
const WIDE: [&str; 2] = ["one-question", "five-parts-stable"];

/// Columns and rows.
const SIZES: [(u16, u16); 2] = [(80, 24), (120, 36)];

/// The number of words of a text. Spaces and the lines of frames separate words; a word has a letter or a digit.
fn words(text: &str) -> usize {
    let is_frame = |c: char| ('─'..='╿').contains(&c);
    let parts = text.split(|c: char| c.is_whitespace() || is_frame(c));
    parts
        .filter(|part| part.contains(char::is_alphanumeric))
        .count()
}

/// The question panel: the last frame on the screen, with its title.
fn panel(screen: &str) -> String {
    let lines: Vec<&str> = screen.lines().collect();
    let begins = |line: &&str| line.starts_with(['├', '╭', '┌', '┏']);
    let from = lines.iter().rposition(begins).unwrap_or(0);
    lines[from..lines.len() - 1].join("\n")
}

/// The screen without the panel with this title, and the panel.
pub(super) fn without_panel(screen: &str, title: &str) -> (String, String) {
    let (mut kept, mut panel) = (String::new(), String::new());
    let mut columns: Option<(usize, usize)> = None;
    for line in screen.lines() {
        let chars: Vec<char> = line.chars().collect();
        let begins = ["├", "┬"].map(|corner| line.split_once(&format!("{corner} {title} ─")));
        if let Some((before, _)) = begins.into_iter().flatten().next() {
            let left = before.chars().count();
            let is_corner = |at: &usize| "┬╮┤┼".contains(chars[*at]);
            let right = (left + 1..chars.len()).find(is_corner);
            columns = Some((left, right.unwrap_or(chars.len())));
        } else if columns.is_some_and(|(left, _)| !"│↑↓".contains(chars[left])) {
            columns = None;
        }
        let (left, right) = columns.unwrap_or((chars.len(), chars.len()));
        kept.extend(chars[..left].iter().chain(&chars[right..]).chain(&['\n']));
        panel.extend(chars[left..right].iter().chain(&['\n']));
    }
    (kept, panel)
}

/// The screen without passages of at least three words that also occur in `long`: evidence, sources and the steps of
/// computations.
fn without(screen: &str, long: &str) -> String {
    let mut kept = String::new();
    for line in screen.lines() {
        let is_frame = |c: char| c.is_whitespace() || ('─'..='╿').contains(&c) || "“”▌".contains(c);
        let parts: Vec<&str> = line
            .split(is_frame)
            .filter(|part| !part.is_empty())
            .collect();
        let mut at = 0;
        while at < parts.len() {
            let rest = &parts[at..];
            let told = |count: &usize| long.contains(&format!(" {} ", rest[..*count].join(" ")));
            let run = (1..=rest.len()).take_while(told).count();
            if run >= 3 || run == parts.len() {
                at += run;
            } else {
                kept.push_str(parts[at]);
                kept.push(' ');
                at += 1;
            }
        }
        kept.push('\n');
    }
    kept
}

/// The texts whose passages are not counted: see [`without`].
fn long_texts(instance: &Instance, request: &Request<Exact>) -> String {
    let mut texts: Vec<String> = Vec::new();
    texts.extend(
        request
            .claim_of_request()
            .and_then(|claim| instance.evidence(claim)),
    );
    // The choice of a support lists the scenario's own claims.
    if let Request::Support { claim, .. } = request {
        let supports = instance.supports(*claim).iter();
        texts.extend(
            supports.map(|support| {
                debate_text::first_claims_and_remaining_count(instance, &support.on)
            }),
        );
    }
    if let Some(question) = instance.as_two_answer_question() {
        texts.push(question.source().as_str().to_owned());
    }
    if let Some(computation) = instance.computation() {
        for step in 0..computation.steps().min(1000) {
            texts.push(computation.step_text(step));
            texts.extend(computation.statement(step));
            texts.extend(computation.evidence(step));
        }
    }
    if let Some(formula) = instance.formula() {
        texts.extend(
            (0..formula.clause_count()).filter_map(|number| formula.clause_in_words(number)),
        );
    }
    let words: Vec<&str> = texts
        .iter()
        .flat_map(|text| text.split_whitespace())
        .collect();
    format!(" {} ", words.join(" "))
}

/// Returns true for a row of a list of steps, variables or clauses, or of a tape: it belongs to the scenario.
fn is_content(line: &str) -> bool {
    let row = line.trim_start_matches(|c: char| !c.is_alphanumeric());
    let number = row.starts_with(|c: char| c.is_ascii_digit());
    let tape = ["state ", "cell ", "tape ", "head ", "After "];
    number && line.contains("  ")
        || line.contains(" = ")
        || line.contains("reads ")
        || tape.iter().any(|name| row.starts_with(name))
}

/// Maximum number of words of each kind at any decision of a seat, with the screens.
struct Count {
    most: [usize; 3],
    screens: [String; 3],
}

/// The first available built-in player of a seat: the scenario's own, the default, or any other.
fn player(file: &setup::LoadedScenario, instance: &Instance, seat: Seat) -> Option<String> {
    let kind = file.protocol.kind();
    let registry = StrategyRegistry::<Exact>::registry_with_builtin_players();
    let named = file
        .players
        .text_of_seat(seat)
        .unwrap_or("human")
        .to_owned();
    let default = registry.default_strategy_name(seat, kind).to_owned();
    let others = registry
        .strategies_for_seat(seat, kind)
        .flat_map(StrategyEntry::example_specs_with_arguments);
    let mut all = [named, default].into_iter().chain(others);
    all.find(|name| {
        let spec = PlayerSpec::parse(name).ok().filter(|spec| !spec.is_human());
        spec.is_some_and(|spec| {
            let built = registry.build(&spec, seat, instance, &file.protocol);
            built.is_ok()
        })
    })
}

/// The decisions of a seat, as indices of moves: every decision, or the first and the last of each kind of request.
fn decisions(whole: &SeatedDebate<'_, Exact>, seat: Seat, all: bool) -> Vec<usize> {
    let moves = whole.moves();
    let own = (0..moves.len()).filter(|at| moves[*at].seat == seat);
    if all {
        return own.collect();
    }
    let kind = |at: &usize| mem::discriminant(&moves[*at].reply);
    let own: Vec<usize> = own.collect();
    let is_end = |at: &usize| {
        let same = || own.iter().filter(|other| kind(other) == kind(at));
        same().next() == Some(at) || same().next_back() == Some(at)
    };
    own.iter().copied().filter(is_end).collect()
}

fn text_at(debate: &mut DebateScreen, (columns, rows): (u16, u16)) -> String {
    let look = ScreenAppearance::default();
    picture::text(&picture::buffer(debate, &look, columns, rows))
}

/// Checks that no claim is cut although its row has free columns.
fn check_cuts(screen: &str) {
    // A text is cut between words if that costs at most a word.
    let free = " ".repeat(20);
    let above_question = screen.lines().take_while(|line| !line.starts_with('├'));
    for row in above_question.filter(|line| line.starts_with('│')) {
        let claim = row.split(['│', '▕']).nth(1).unwrap_or_default();
        // Branches of a deep tree may begin with an ellipsis.
        let claim = claim.trim_start_matches([' ', '…']);
        let cut = claim.split_once('…').map(|(_, after)| after);
        assert!(
            cut.is_none_or(|after| !after.contains(&free)),
            "{row}:\n{screen}"
        );
    }
}

/// Counts the words at the decisions of a seat in a scenario: see [`decisions`].
fn count(name: &str, seat: Seat, all: bool) -> Option<Count> {
    let file =
        setup::LoadedScenario::load_bundled_scenario(name, &setup::ScenarioLimits::default())
            .unwrap();
    let world = file.requested_world.unwrap_or(0);
    let instance = file.instance(world);
    let [Some(prover), Some(opponent), Some(judge)] =
        Seat::PLAYERS.map(|seat| player(&file, &instance, seat))
    else {
        return None;
    };
    let setup = Setup {
        instance: file.instance(world),
        players: [prover, opponent, judge],
        title: file.title.clone(),
        about: file.about.clone(),
        protocol: file.protocol.clone(),
        seed: "7".to_owned(),
    };
    let facts = DebateDescription {
        title: file.title.clone(),
        about: file.about.clone(),
        briefing: file.briefing.clone(),
        judge_sees: file.judge_sees,
        players: setup.players.clone(),
        ..DebateDescription::new(&setup.instance, &setup.protocol)
    };
    if !facts.is_seat_ever_asked(seat) {
        return None;
    }
    let scene = DebateScreenContext {
        opens_briefing: true,
        facts,
        ..DebateScreenContext::new(&setup.instance, &setup.protocol)
    };
    let keys = keys::default_key_map().unwrap();
    // The built-in player of the seat decides, and a user would get the same requests.
    let names = &setup.players;
    let mut whole = seated(&setup.instance, &setup.protocol, names, &setup.seed);
    while whole.turn().is_some() && whole.make_automatic_move().is_ok() {}
    let mut found = Count {
        most: [0; 3],
        screens: Default::default(),
    };
    let mut people = names.clone();
    "human".clone_into(&mut people[seat.seat_index()]);
    let moves = whole.moves().to_vec();
    for at in decisions(&whole, seat, all) {
        let mut seating = seated(&setup.instance, &setup.protocol, &people, &setup.seed);
        for made in &moves[..at] {
            seating.apply_recorded_move(made.clone()).unwrap();
        }
        let turn = seating.turn().unwrap();
        // The screen sends an only choice itself, and the judge's words after the last round.
        let spoken: Result<&SpeechDebate<'_, Exact>, _> = seating.state().try_into();
        if turn.request.only_listed_choice().is_some()
            || spoken.is_ok_and(SpeechDebate::asks_for_words_after_last_round)
        {
            continue;
        }
        let long = long_texts(&setup.instance, &turn.request);
        let lists = turn.request.challengeable_steps().is_some()
            || turn.request.requested_bit_count().is_some()
            || setup.instance.run().is_some();
        let mut running = Debate::new(seating, None);
        let players = thread(
            &setup.instance,
            &setup.protocol,
            people.clone(),
            &setup.seed,
        );
        let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
        press(&mut debate, "esc");
        check_cuts(&text_at(&mut debate, (200, 60)));
        for (number, size) in SIZES.into_iter().enumerate() {
            let text = text_at(&mut debate, size);
            check_cuts(&text);
            let ask = panel(&text);
            let (text, transcript) = without_panel(&text, "Transcript");
            assert!(!transcript.trim().is_empty(), "{text}");
            let (text, explanation) = without_panel(&text, "Explanation");
            let long_explanation = words(&without(&explanation, &long));
            assert!(long_explanation <= MAX_EXPLANATION_WORDS, "{explanation}");
            for (place, part) in [(0, &ask), (number + 1, &text)] {
                let lines = part.lines().filter(|line| !lists || !is_content(line));
                let counted = lines.collect::<Vec<_>>().join("\n");
                // Without the long texts there are fewer words, but finding those texts is slow.
                if words(&counted) <= found.most[place] {
                    continue;
                }
                let words = words(&without(&counted, &long));
                if words > found.most[place] {
                    found.most[place] = words;
                    found.screens[place].clone_from(part);
                }
            }
        }
    }
    Some(found)
}

/// Checks all decisions of every bundled scenario, or the first and the last of each kind.
///
/// `WORDS=all` prints the numbers, `WORDS=primes,bridge` those of two scenarios; `PANELS=1` prints the screens that
/// have too many words.
fn check_words(all_decisions: bool) {
    let all = env::var("WORDS").unwrap_or_default();
    let mut over = String::new();
    for scenario in setup::bundled_scenarios() {
        if !["", "all"].contains(&&*all) && !all.split(',').any(|name| scenario.name == name) {
            continue;
        }
        for seat in Seat::PLAYERS {
            let Some(count) = count(scenario.name, seat, all_decisions) else {
                continue;
            };
            let most = count.most;
            if !all.is_empty() {
                let name = scenario.name;
                println!(
                    "{name:<22} {:<9} {:>4} {:>4} {:>4}",
                    seat.name_in_flags_and_json(),
                    most[0],
                    most[1],
                    most[2]
                );
            }
            let limits = if WIDE.contains(&scenario.name) {
                MAX_OF_WIDE
            } else {
                MAX_QUESTION_WORDS
            };
            for (place, most) in most.into_iter().enumerate() {
                if most > limits[place] {
                    if env::var("PANELS").is_ok() {
                        println!("{}", count.screens[place]);
                    }
                    let who = format!("{} as {}", scenario.name, seat.name_in_flags_and_json());
                    over += &[&who, ": ", &most.to_string(), " words\n"].concat();
                }
            }
        }
    }
    assert!(over.is_empty(), "{over}");
}

#[test]
fn a_decision_has_few_words_around_it() {
    check_words(false);
}

#[test]
#[ignore = "exhaustive: 3 s; every day: a_decision_has_few_words_around_it"]
fn every_decision_of_a_debate_has_few_words_around_it() {
    check_words(true);
}
