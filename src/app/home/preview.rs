//! The preview of a home item, next to the list.

use super::super::harder::HarderOpponent;
use super::super::tutorial;
use super::daily::DailyDebateOverview;
use super::lesson_texts_of_save;
use super::progress::{
    ScenarioProgress, UnfinishedDebateProgress, human_seats, is_only_judge_human,
    is_payoff_sum_of_bets, only_human_debater_payoff, relative_time, win_or_loss_in_words,
};
use crate::tui::menu::{HomeItemPreview, PlayedOrWon};
use crate::tui::theme::TextRole;
use crate::tui::widget::scroll::Entry;
use crate::tui::widget::tree::TreeRow;
use debate_core::player::{
    player_in_plain_words, player_name_without_arguments, seated_player_in_plain_words,
};
use debate_core::protocol::{ProtocolKind, Seat};
use debate_core::scenario::{ClaimId, Instance};
use debate_core::text::{count_with_noun, replace_unsafe_characters, short_duration_text};
use debate_host::plan::{DailyDate, daily_date_of_save, fits_recursion_and_prover_estimator};
use debate_host::record::{SaveHeader, SaveListing, SavedDebateProgress, format_utc};
use debate_solver::setup::{
    BundledScenario, LoadedScenario, RecommendedSeat, SECONDS_PER_REPLY, SECONDS_TO_READ,
    ScenarioLimits, minutes_of_replies,
};
use debate_text::claim_tree::{FoldState, TreeBranchLines};
use debate_text::{ViewerPerspective, capitalized, win_condition_with_estimates};

/// Upper limit on the rows of claims in a preview.
const CLAIMS: usize = 40;
/// Upper limit on the subclaims of one claim in a preview.
const SUBCLAIMS: usize = 8;

/// The text in place of a duration, for a debate that users can end at any time.
pub(super) const NO_FIXED_LENGTH: &str = "no fixed length";

/// The preview of a scenario.
pub(super) struct ScenarioPreview {
    pub(super) preview: HomeItemPreview,
    /// True if the scenario can be debated under both protocols, plain recursion and prover-estimator debate.
    pub(super) comparable: bool,
}

/// Returns a sentence on the conditions under which a user wins a debate with estimates, without a full stop.
fn win_conditions_with_estimates() -> String {
    format!(
        "You win as Bob if {bob}, as Alice if {alice}, and as the judge if {judge}",
        bob = win_condition_with_estimates(Seat::Opponent),
        alice = win_condition_with_estimates(Seat::Prover),
        judge = win_condition_with_estimates(Seat::Judge)
    )
}

/// Returns a preview that consists of one sentence.
pub(super) fn one_sentence_preview(role: TextRole, text: impl Into<String>) -> HomeItemPreview {
    HomeItemPreview {
        about: vec![Entry::default().append_span(role, text.into())],
        claims: Vec::new(),
    }
}

/// Returns an entry of a preview that shows a fact after its label.
fn fact(label: &str, text: impl Into<String>) -> Entry {
    let label = Entry::default().append_span(TextRole::Title, format!("{label}: "));
    label.append_span(TextRole::Faint, text.into())
}

fn say(role: TextRole, text: impl Into<String>) -> Entry {
    Entry::default().append_span(role, text.into())
}

/// Returns the preview of the tutorial. `first_course_done` is true if the first course is done.
pub(super) fn tutorial_preview(first_course_done: bool) -> HomeItemPreview {
    let titles = [
        "New here? Start with this.",
        "You have completed the first course.",
    ];
    let mut about = vec![
        say(TextRole::Title, titles[usize::from(first_course_done)]),
        say(
            TextRole::Text,
            "You play each seat of a real debate. Each step explains the question, the reason for \
             the rule, and which replies pay. Then the same liar plays under two sets of rules.",
        ),
        say(TextRole::Faint, "debate-tui tutorial"),
        Entry::default(),
    ];
    let [first, second] = tutorial::lesson_titles_by_course();
    let courses = [
        ("", first),
        ("A second course: debate-tui tutorial 5", second),
    ];
    let mut number = 0;
    for (name, titles) in courses {
        if !name.is_empty() {
            about.push(say(TextRole::Faint, name));
        }
        for title in titles {
            number += 1;
            about.push(say(TextRole::Text, format!("{number}. {title}")));
        }
        about.push(Entry::default());
    }
    about.push(say(
        TextRole::Faint,
        "You can leave the tutorial and continue later.",
    ));
    HomeItemPreview {
        about,
        claims: Vec::new(),
    }
}

/// Returns the preview of today's debate, whose question is given. `daily` is `None` until the saves are read.
pub(super) fn daily_preview(
    today: DailyDate,
    question: &str,
    daily: Option<&DailyDebateOverview>,
) -> HomeItemPreview {
    let mut about = vec![
        say(
            TextRole::Title,
            format!("The daily debate of {today} (UTC)"),
        ),
        fact("Question", question),
        fact("You sit as", Seat::Opponent.player_name_of_seat()),
    ];
    let sentences = daily
        .map(DailyDebateOverview::daily_debate_sentences)
        .unwrap_or_default();
    about.extend(sentences.into_iter().map(|text| say(TextRole::Text, text)));
    about.push(say(TextRole::Faint, "debate-tui daily"));
    HomeItemPreview {
        about,
        claims: Vec::new(),
    }
}

/// Returns the preview of a harder opponent.
pub(super) fn harder_opponent_preview(harder: &HarderOpponent) -> HomeItemPreview {
    let seat = harder.seat.player_name_of_seat();
    HomeItemPreview {
        about: vec![
            say(TextRole::Title, harder.title.clone()),
            fact("You sit as", seat),
            fact("Opponent", harder.player_names_text()),
            say(TextRole::Text, harder.opponent_level_description()),
        ],
        claims: Vec::new(),
    }
}

/// Returns the preview of a saved debate. `position` is available once the save was replayed, `points` (the user's
/// result, with a debater's payoff in points) once the save was read.
pub(super) fn save_preview(
    save: &SaveListing,
    position: Option<&UnfinishedDebateProgress>,
    points: Option<&str>,
) -> HomeItemPreview {
    let mut about = vec![say(TextRole::Title, save.save_name_in_lists())];
    if let (Some(title), Some(_)) = (&save.title, &save.label.name) {
        about.push(say(TextRole::Text, title.clone()));
    }
    let over = save.condition != SavedDebateProgress::Unfinished;
    if let Some(header) = &save.header {
        let kind = header.protocol.kind();
        if let Some(date) = daily_date_of_save(header) {
            about.push(fact("The daily debate of", format!("{date} (UTC)")));
        }
        about.extend(seats_of_people(header));
        if let Some(position) = position {
            let awaits = position.awaits.map(|seat| match seat {
                Seat::Chance => "; the next move is a coin".to_owned(),
                seat if human_seats(header).contains(&seat) => "; it is your turn".to_owned(),
                seat => format!("; {seat} moves next", seat = seat_with_title(seat, kind)),
            });
            about.push(fact(
                "Progress",
                format!("{}{}", position.round, awaits.unwrap_or_default()),
            ));
        }
        if is_only_judge_human(header) {
            about.extend(points.map(|result| fact("You", result)));
        } else if let Some(result) = only_human_debater_payoff(save) {
            // The payoff of bets is luck, so it is no victory and no defeat.
            let word = (!is_payoff_sum_of_bets(save)).then(|| win_or_loss_in_words(&result));
            let words: Vec<&str> = word.into_iter().chain(points).collect();
            if !words.is_empty() {
                about.push(fact("You", words.join(", ")));
            }
        }
        if let Some(coach) = lesson_texts_of_save(header) {
            about.push(say(
                TextRole::Text,
                format!("{} of the tutorial", coach.position_in_course()),
            ));
        }
        about.push(fact("Rules", rules(&header.protocol)));
        for (seat, name) in Seat::PLAYERS.into_iter().zip(&header.players) {
            let player = match name.as_str() {
                "human" => continue,
                name if over => player_in_plain_words(kind, seat, name),
                _ if header.blind => "hidden".to_owned(),
                name => player_in_plain_words(kind, seat, player_name_without_arguments(name)),
            };
            about.push(fact(&capitalized(kind.title(seat)), player));
        }
        about.push(fact("Seed", header.seed.as_str()));
    }
    // The list gives the age; two ages that are computed at different times could differ.
    about.push(fact("Last written", format_utc(save.modified)));
    about.push(say(
        TextRole::Faint,
        if over {
            "This debate is over and can be replayed."
        } else {
            "This debate is unfinished: you can continue or replay it."
        },
    ));
    if save.label.is_hidden {
        about.push(say(
            TextRole::Faint,
            "This debate is hidden: the home screen shows it only on request.",
        ));
    }
    about.push(say(
        TextRole::Faint,
        format!("Saved as {}", save.path.display()),
    ));
    HomeItemPreview {
        about,
        claims: Vec::new(),
    }
}

/// Returns the line of a preview that names the seats of the human players; `None` if no player is human.
fn seats_of_people(header: &SaveHeader) -> Option<Entry> {
    let human_seats = human_seats(header);
    let names: Vec<String> = human_seats
        .iter()
        .map(|seat| seat_with_title(*seat, header.protocol.kind()))
        .collect();
    let label = match names.len() {
        0 => return None,
        1 => "You sit as",
        _ => "People sit as",
    };
    Some(fact(label, names.join(" and ")))
}

/// Returns a seat's player name with its title: "Bob, the estimator".
fn seat_with_title(seat: Seat, kind: ProtocolKind) -> String {
    match seat {
        Seat::Prover | Seat::Opponent => {
            format!("{}, the {}", seat.player_name_of_seat(), kind.title(seat))
        }
        Seat::Judge | Seat::Chance => format!("the {}", kind.title(seat)),
    }
}

/// Returns the rules as a short phrase: "prover-estimator, each stake is 10 times the one before".
fn rules(protocol: &debate_core::protocol::Protocol) -> String {
    let parts: Vec<String> = [
        protocol.kind().protocol_name().to_owned(),
        protocol.parameter_summary_in_words(),
    ]
    .into_iter()
    .filter(|part| !part.is_empty())
    .collect();
    parts.join(", ")
}

impl ScenarioPreview {
    /// Reads a scenario and returns its preview. `listing` is the scenario's entry in the course if the scenario is
    /// bundled.
    pub(super) fn read(
        name: &str,
        limits: &ScenarioLimits,
        listing: Option<&(BundledScenario, ScenarioProgress)>,
    ) -> Self {
        let setup = match LoadedScenario::find_scenario(name, limits) {
            Ok(setup) => setup,
            Err(error) => {
                return Self {
                    preview: one_sentence_preview(
                        TextRole::Warning,
                        replace_unsafe_characters(&error.to_string()),
                    ),
                    comparable: false,
                };
            }
        };
        let instance = setup.instance(setup.requested_world.unwrap_or(0));
        let mut about = vec![
            say(TextRole::Title, setup.title.clone()),
            say(TextRole::Text, setup.about.clone()),
        ];
        let command = format!("debate-tui {}", replace_unsafe_characters(name));
        if let Some((scenario, progress)) = listing {
            about.push(Entry::default());
            about.extend(course_scenario_entries(scenario, progress));
            if progress.played > 0 && setup.title_or_debrief_differs_in_first_two_instances() {
                about.push(fact(
                    "Next debate",
                    "uses an instance drawn at random, because you may know the answer to this instance",
                ));
            }
        }
        about.push(Entry::default());
        about.push(fact("Rules", rules(&setup.protocol)));
        for seat in Seat::PLAYERS {
            // Arguments may give a lie away to the user who takes a seat.
            if let Some(name) = setup.players.text_of_seat(seat) {
                let kind = setup.protocol.kind();
                let name = player_name_without_arguments(name);
                let player = seated_player_in_plain_words(&instance, kind, seat, name);
                about.push(fact(&capitalized(kind.title(seat)), player));
            }
        }
        let size = instance.size();
        let worlds = setup.decomposition.worlds().len();
        let listed = count_with_noun(&size.claims, "claim", "claims");
        let depth = count_with_noun(size.depth, "level", "levels");
        let cases = count_with_noun(worlds, "possible case", "possible cases");
        about.push(fact("Size", format!("{listed}, {depth} deep, {cases}")));
        about.push(fact("Command", command));
        Self {
            preview: HomeItemPreview {
                about,
                claims: claims(&instance),
            },
            comparable: fits_recursion_and_prover_estimator(&setup),
        }
    }
}

/// Returns lines about a bundled scenario and the user's progress in it.
fn course_scenario_entries(scenario: &BundledScenario, progress: &ScenarioProgress) -> Vec<Entry> {
    let seat = |advice: &RecommendedSeat| {
        let who = seat_with_title(advice.seat, scenario.protocol);
        let Some((least, most)) = advice.seat_reply_count_range() else {
            return format!("{who} ({NO_FIXED_LENGTH})");
        };
        let [from, to] = [least, most].map(minutes_of_replies);
        let time = short_duration_text(u64::from(to) * 60);
        let time = if from == to {
            time
        } else {
            format!("{from} to {time}")
        };
        let replies = count_with_noun(most, "reply", "replies");
        if least == most {
            format!("{who} ({replies}, about {time})")
        } else {
            format!("{who} ({least} to {replies}, about {time})")
        }
    };
    let seats: Vec<String> = scenario.seats.iter().map(seat).collect();
    let difficulty = scenario.difficulty;
    let record = match (progress.played, progress.last) {
        (0, _) | (_, None) if progress.is_in_lesson => "played in the tutorial".to_owned(),
        (0, _) | (_, None) => "not played yet".to_owned(),
        (played, Some(last)) => {
            let times = if played == 1 {
                "once".to_owned()
            } else {
                format!("{played} times")
            };
            let won = match progress.won {
                0 => String::new(),
                won => format!(", won {won}"),
            };
            let daily = match progress.daily {
                0 => "",
                _ => " (daily debates count)",
            };
            let name =
                |seat: &Seat| ViewerPerspective::NEUTRAL.player_name_or_you_in_sentence(*seat);
            let seats: Vec<&str> = progress.seats.iter().map(name).collect();
            format!(
                "played {times}{daily} as {seat_names}{won}, last {time_ago}",
                seat_names = seats.join(" and "),
                time_ago = relative_time(last)
            )
        }
    };
    let sign = match progress.item_progress() {
        PlayedOrWon::New => None,
        PlayedOrWon::Played => {
            let how = match scenario.protocol {
                ProtocolKind::ProverEstimator => format!(". {}", win_conditions_with_estimates()),
                _ => String::new(),
            };
            let text = format!("you finished a debate of this scenario, and won none yet{how}");
            Some(fact("The dot", text))
        }
        PlayedOrWon::Won if scenario.protocol == ProtocolKind::ProverEstimator => Some(fact(
            "The check mark",
            format!(
                "you won a debate of this scenario. {}",
                win_conditions_with_estimates()
            ),
        )),
        PlayedOrWon::Won => Some(fact(
            "The check mark",
            "you won a debate of this scenario, in any seat",
        )),
    };
    let mut about = vec![fact("You", record)];
    about.extend(sign);
    about.extend([
        fact("Teaches", scenario.teaches),
        fact("Recommended seats", seats.join("; ")),
        fact(
            "Difficulty",
            format!(
                "{}: {}",
                difficulty.difficulty_name(),
                difficulty.scenario_difficulty_description()
            ),
        ),
        say(
            TextRole::Faint,
            format!(
                "Estimated time: {SECONDS_TO_READ} seconds to read, plus {SECONDS_PER_REPLY} seconds \
                 for each reply."
            ),
        ),
    ]);
    about
}

/// Returns the rows for an instance's claim and its subclaims, two levels deep.
fn claims(instance: &Instance) -> Vec<TreeRow> {
    let mut rows = Vec::new();
    add_claim(instance, instance.root(), TreeBranchLines::ROOT, &mut rows);
    rows
}

/// Adds a preview row for a claim and, down to the second level, rows for the subclaims of the claim's first support.
fn add_claim(
    instance: &Instance,
    claim: ClaimId,
    branches: TreeBranchLines,
    rows: &mut Vec<TreeRow>,
) {
    if rows.len() >= CLAIMS {
        return;
    }
    let leaf = instance.is_leaf(claim);
    let deep = branches.depth_in_claim_tree() >= 2;
    let text = if rows.is_empty() {
        instance.text(claim)
    } else {
        instance.short_text(claim)
    };
    rows.push(TreeRow {
        branches,
        fold: match (leaf, deep) {
            (true, _) => FoldState::Leaf,
            (false, true) => FoldState::Shut,
            (false, false) => FoldState::Open,
        },
        text,
        claim: Some(claim.claim_number()),
        ..TreeRow::default()
    });
    if leaf || deep {
        return;
    }
    let Some(support) = instance.supports(claim).first() else {
        return;
    };
    let shown = support.on.len().min(SUBCLAIMS);
    let more = support.on.len() - shown;
    for (number, subclaim) in support.on.iter().take(shown).enumerate() {
        let last = number + 1 == shown && more == 0;
        add_claim(instance, *subclaim, branches.branch_of_child(last), rows);
    }
    if more > 0 {
        rows.push(TreeRow {
            branches: branches.branch_of_child(true),
            text: format!("and {more} more"),
            ..TreeRow::default()
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use debate_solver::setup::bundled_scenarios;

    #[test]
    fn the_preview_names_earlier_debates_and_an_instance_that_will_differ() {
        let limits = ScenarioLimits::default();
        let shown = |name: &str, progress: ScenarioProgress| {
            let listed = bundled_scenarios().into_iter().find(|it| it.name == name);
            let listing = listed.map(|scenario| (scenario, progress));
            let read = ScenarioPreview::read(name, &limits, listing.as_ref());
            let about = read.preview.about.iter().map(Entry::plain_body_text);
            about.collect::<Vec<_>>().join("\n")
        };
        let new = ScenarioProgress::default();
        assert!(shown("law", new.clone()).contains("not played yet"));
        let in_lesson = ScenarioProgress {
            is_in_lesson: true,
            ..new.clone()
        };
        assert!(shown("law", in_lesson).contains("played in the tutorial"));
        let played = ScenarioProgress {
            played: 1,
            ..new.clone()
        };
        let next = "an instance drawn at random";
        assert!(!shown("primes", new).contains(next));
        assert!(shown("primes", played.clone()).contains(next));
        // The texts of this scenario are about its own instance.
        assert!(!shown("multiplier", played).contains(next));
    }
}
