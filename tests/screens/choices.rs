//! Choices show the claims that they are about in full, and skipped rounds are named.

use debate_core::protocol::{Event, LogViewerRole, Seat};
use debate_solver::setup::bundled_names;
use debate_text::{DebateNarrator, FormulaCharacterSet};
use debate_tui::tui::debate::DebateScreen;
use debate_tui::tui::keys;
use debate_tui::tui::screen::Screen as _;
use debate_tui::tui::theme::ScreenAppearance;

use super::press;
use super::values::{settled, to_the_end, valued};
use crate::support::scenes::bundled;

/// The words of a screen, without frames and line breaks.
pub(super) fn joined(screen: &str) -> String {
    let is_frame = |c: char| ('─'..='╿').contains(&c) || c.is_whitespace();
    let words = screen.split(is_frame).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

const WAYS: [&str; 2] = ["All unit tests pass", "The load test passes"];
const PARTS: [&str; 3] = [
    "The list of failed uploads is read correctly",
    "The program waits as long as it should before each new attempt",
    "The program gives up after five attempts",
];

#[test]
fn every_option_shows_its_claims_in_full() {
    let setup = bundled("pull-request");
    let keys = keys::default_key_map().unwrap();
    let look = ScreenAppearance::default();
    for (columns, rows) in [(80, 24), (120, 36), (200, 60)] {
        for hints in [false, true] {
            let scene = valued(&setup, &[Seat::Prover], hints);
            let (mut running, players) = setup.debate(&[Seat::Prover]);
            let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
            let mut seen = [false; 2];
            for _ in 0..40 {
                let shown = settled(&mut debate, &look, columns, rows);
                if shown.contains("Choose a way to split") && !seen[0] {
                    press(&mut debate, "2");
                    let text = joined(&settled(&mut debate, &look, columns, rows));
                    assert!(WAYS.iter().all(|part| text.contains(part)), "{text}");
                    seen[0] = true;
                }
                if shown.contains("Which subclaim comes next?") && !seen[1] {
                    for (number, part) in PARTS.iter().enumerate() {
                        // Without hints, only the marked claim is shown.
                        if !hints {
                            press(&mut debate, &(number + 1).to_string());
                        }
                        let shown = settled(&mut debate, &look, columns, rows);
                        let (_, asked) = shown.split_once("Which subclaim").unwrap();
                        assert!(joined(asked).contains(part), "{shown}");
                    }
                    seen[1] = true;
                    break;
                }
                press(&mut debate, "y 1 enter");
            }
            assert_eq!(seen, [true; 2], "{}", settled(&mut debate, &look, 80, 24));
        }
    }
}

/// The heading of a round names the rounds that were skipped before it, in all scenarios.
#[test]
fn a_skipped_round_is_named_once() {
    let mut found = 0;
    for name in bundled_names() {
        let setup = bundled(name);
        let mut seating = setup.seating(&[]);
        while seating.turn().is_some() && seating.make_automatic_move().is_ok() {}
        let log = seating.log();
        let narrator = DebateNarrator::new(&setup.instance, FormulaCharacterSet::Unicode);
        let mut before = None;
        for (index, entry) in log.entries().iter().enumerate() {
            let event = narrator.narrate(log, index, LogViewerRole::ALL);
            let text = event.map(|event| event.text).unwrap_or_default();
            let mut skips = false;
            if let Event::Entered { round, .. } = entry.event {
                skips = before.is_some_and(|before| before > round + 1);
                before = Some(round);
                found += usize::from(skips);
            }
            let is_named = text.contains(" is skipped") || text.contains(" are skipped");
            assert_eq!(is_named, skips, "{name}: {text}");
        }
    }
    assert!(found > 0);
}

/// On a small screen, the end shows the payoff, then the mistake, and no transcript without lines.
#[test]
fn a_small_end_shows_the_mistake_first_and_no_empty_transcript() {
    let keys = keys::default_key_map().unwrap();
    let look = ScreenAppearance::default();
    for name in ["pull-request", "caffeine", "primes", "hidden-flaw"] {
        let setup = bundled(name);
        let seat = Seat::Opponent;
        let scene = valued(&setup, &[seat], false);
        let (mut running, players) = setup.debate(&[seat]);
        let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
        for _ in 0..60 {
            if settled(&mut debate, &look, 80, 24).contains("The end") {
                break;
            }
            press(&mut debate, "7 0 enter");
        }
        to_the_end(&mut debate);
        let shown = settled(&mut debate, &look, 80, 24);
        let lines: Vec<&str> = shown.lines().collect();
        let row = |word: &str| lines.iter().position(|line| line.contains(word));
        let end = row("├ The end").unwrap();
        if let Some(transcript) = row("├ Transcript") {
            assert!(end - transcript > 2, "{name}: {shown}");
        }
        let labels = lines[end + 1..].iter().filter_map(|line| {
            let label = line.strip_prefix('│')?.split(' ').next()?;
            (!label.is_empty()).then_some(label)
        });
        let labels: Vec<&str> = labels.take(3).collect();
        assert_eq!(labels, ["Truth", "Payoff", "Mistake"], "{name}: {shown}");
    }
}

/// The evidence of a machine and the explanation list the same rules.
#[test]
fn the_rules_of_a_machine_are_complete_everywhere() {
    let setup = bundled("turing");
    let instance = &setup.instance;
    let mut seating = setup.seating(&[]);
    while seating.turn().is_some() && seating.make_automatic_move().is_ok() {}
    let mut claims = std::iter::once(instance.root()).chain(seating.log().claims_on_path());
    let evidence = claims.find_map(|claim| instance.evidence(claim)).unwrap();
    let narrator = DebateNarrator::new(instance, FormulaCharacterSet::Unicode);
    let lines = narrator.machine_rules_and_run(seating.log());
    let texts: Vec<String> = lines
        .iter()
        .map(debate_text::Line::plain_body_text)
        .collect();
    let rules = texts.iter().filter_map(|text| {
        let (pair, _) = text.strip_prefix("In state ")?.split_once(": ")?;
        pair.split_once(" on symbol ")
    });
    let rules: Vec<(&str, &str)> = rules.collect();
    for (state, symbol) in &rules {
        let line = format!("\n{state} on {symbol}: write ");
        assert!(evidence.contains(&line), "{line}: {evidence}");
    }
    assert_eq!(evidence.matches(": write ").count(), rules.len());
    assert!(evidence.contains("\nlast 0 on 1: write 1, stay, continue in no"));
}

/// The help of the editor for speeches describes a judge's text as such.
#[test]
fn the_help_of_a_judges_text_argues_for_no_answer() {
    let setup = bundled("lighthouse");
    let keys = keys::default_key_map().unwrap();
    let look = ScreenAppearance::default();
    for (seat, is_debater) in [(Seat::Judge, false), (Seat::Prover, true)] {
        let scene = valued(&setup, &[seat], false);
        let (mut running, players) = setup.debate(&[seat]);
        let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
        for _ in 0..20 {
            if debate.screen_context().context.intersects(keys::SPEECH) {
                break;
            }
            press(&mut debate, "enter 6 0 enter");
        }
        let footer = settled(&mut debate, &look, 120, 40);
        // A debater's footer has more hints, for quotes.
        assert!(
            is_debater || footer.contains("f8 actions (undo)"),
            "{footer}"
        );
        let help = debate.reference().panel;
        assert_eq!(
            help.contains("arguments for your answer"),
            is_debater,
            "{help}"
        );
        assert_eq!(
            help.contains("Your text to the debaters"),
            !is_debater,
            "{help}"
        );
    }
}

#[test]
fn an_estimate_that_the_claim_forces_is_set_before_the_user_types() {
    let setup = bundled("primes");
    let keys = keys::default_key_map().unwrap();
    let look = ScreenAppearance::default();
    let note = "Your 100 % for the claim above leaves only 100 % here.";
    for blind in [false, true] {
        let mut scene = valued(&setup, &[Seat::Opponent], true);
        scene.facts.blind = blind;
        let (mut running, players) = setup.debate(&[Seat::Opponent]);
        let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
        let mut shown = settled(&mut debate, &look, 120, 36);
        for _ in 0..10 {
            let is_asked = shown.contains("How likely");
            if is_asked && !shown.contains("first answer") {
                break;
            }
            // Without a question, `enter` lets the others play until the user's turn.
            press(&mut debate, if is_asked { "1 0 0 enter" } else { "enter" });
            shown = settled(&mut debate, &look, 120, 36);
        }
        assert_eq!(shown.contains(note), !blind, "{shown}");
        if blind {
            continue;
        }
        // Another number replaces the note by its consequence.
        press(&mut debate, "9");
        let typed = settled(&mut debate, &look, 120, 36);
        assert!(
            typed.contains("your 100 % is too high") && !typed.contains(note),
            "{typed}"
        );
    }
}

/// The words of the parts that a list of subclaims shows at least.
const BEGINNINGS: [&str; 3] = [
    "list of failed uploads",
    "program waits as long",
    "program gives up after",
];

/// The subclaims of every support are listed if there is room. Otherwise the screen says how to see them.
#[test]
fn the_subclaims_of_every_support_are_listed_or_announced() {
    let setup = bundled("pull-request");
    let keys = keys::default_key_map().unwrap();
    let look = ScreenAppearance::default();
    let hint = "Mark a support to see its subclaims.";
    let mut seen = [false; 2];
    for (columns, rows) in [(80, 12), (80, 15), (80, 24), (120, 36), (200, 60)] {
        let scene = valued(&setup, &[Seat::Prover], false);
        let (mut running, players) = setup.debate(&[Seat::Prover]);
        let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
        let is_asked = (0..20).any(|_| {
            let shown = settled(&mut debate, &look, columns, rows);
            let is_asked = shown.contains("Choose a way to split");
            if !is_asked {
                press(&mut debate, "y 1 enter");
            }
            is_asked
        });
        assert!(is_asked);
        let shown = settled(&mut debate, &look, columns, rows);
        let text = joined(&shown);
        let are_listed = WAYS
            .iter()
            .chain(&BEGINNINGS)
            .all(|part| text.contains(part));
        assert_ne!(are_listed, text.contains(hint), "{shown}");
        assert!(are_listed || rows < 36, "{shown}");
        seen[usize::from(are_listed)] = true;
        // A marked support shows its subclaims, and the panel keeps its height.
        press(&mut debate, "2");
        let marked = settled(&mut debate, &look, columns, rows);
        assert!(
            WAYS.iter().all(|part| joined(&marked).contains(part)),
            "{marked}"
        );
        let top = |shown: &str| shown.lines().position(|line| line.contains("Choose a way"));
        assert!(!are_listed || top(&marked) == top(&shown), "{marked}");
    }
    assert_eq!(seen, [true; 2]);
}
