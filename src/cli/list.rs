//! `list`: available scenarios, strategies, protocols, problems and saves, one per line.

use std::path::Path;

use serde::Serialize;

use super::errors::print_remark;
use super::output::{NO_BREAK_SPACE, PrintedFormat, add_two_columns, print};
use super::{CommandFailure, ListArgs, ListTopic, Result};
use debate_core::number::{Exact, Number as _, format_with_decimals};
use debate_core::player::{PlayerSpec, StrategyRegistry};
use debate_core::protocol::{self, ProtocolKind, Seat};
use debate_core::text::replace_unsafe_characters;
use debate_host::message::play::LastJudgeVerdictReport;
use debate_host::plan::daily_date_of_save;
use debate_host::record::{
    self, AnsweringModel, Save, SaveListing, SavedDebateProgress, UserMeasuresOfFinishedDebate,
    format_utc,
};
use debate_solver::expectation::BySeat;
use debate_solver::setup::{self, PROBLEMS, ProblemKind, ProtocolsOfDecomposition, ScenarioError};
use debate_text::results::PrintableCommandResult;
use debate_text::{HeadedTextPage, judge_record_sentence};

/// The maximum length of a name that is printed in one line with its description. After a longer name, the description
/// begins on the next line.
const LONGEST_NAME: usize = 24;

/// An entry of a printed list, such as a scenario or a save.
#[derive(Default)]
struct ListEntry {
    name: String,
    group: String,
    about: String,
    /// Rows of further details, printed as a table below the entry.
    more: Vec<(String, String)>,
}

/// A bundled scenario.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct ListedScenario {
    name: &'static str,
    title: String,
    about: String,
    /// The group of scenarios to which the scenario belongs, named after its lesson.
    teaches: &'static str,
    /// The protocol that the scenario is written for.
    protocol: &'static str,
    /// `easy`, `medium` or `hard`.
    difficulty: &'static str,
    /// The recommended seats, best first.
    seats: Vec<ListedRecommendedSeat>,
}

/// A recommended seat of a scenario.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename = "ListedSeat")]
pub(super) struct ListedRecommendedSeat {
    seat: &'static str,
    /// The number of replies that the seat's built-in player gives in a debate; null if only humans can play the seat.
    replies: Option<u32>,
    /// The expected duration: a minute to read and 20 seconds per reply, rounded up.
    minutes: Option<u32>,
}

/// A built-in player.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct ListedStrategy {
    name: &'static str,
    /// The name with its arguments.
    usage: String,
    seat: &'static str,
    /// The protocol under which the player plays; null if it plays under every protocol.
    protocol: Option<&'static str>,
    about: &'static str,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct ListedProtocol {
    name: &'static str,
    /// The name in scenario files.
    variant: &'static str,
    about: &'static str,
    guarantee: &'static str,
    /// Examples as written in scenario files.
    examples: &'static [&'static str],
    /// The prover's title.
    prover: &'static str,
    /// The opponent's title.
    opponent: &'static str,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct ListedProblem {
    name: &'static str,
    about: &'static str,
    /// An example as written in scenario files.
    example: &'static str,
    /// The decompositions of the example, each with its protocols.
    debated: Vec<ProtocolsOfDecomposition>,
}

/// A saved debate. Fields that cannot be read are null.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct ListedSave {
    /// The path of the file.
    save: String,
    title: Option<String>,
    /// The name that the user gave the debate; null if there is none.
    name: Option<String>,
    /// True if the home screen does not show the debate.
    hidden: bool,
    condition: &'static str,
    protocol: Option<&'static str>,
    players: Option<BySeat<String>>,
    seed: Option<String>,
    /// The time of the last change to the file, in UTC.
    written: String,
    /// The total gap of a person's estimates in a finished debate, as a probability: 0.25 is 25 percentage points. Null
    /// if no person gave estimates, and for all but the newest 1,000 saves.
    gap: Option<f64>,
    /// The last verdict of the person in the judge's seat of a finished debate. Null if no person judged, and for all
    /// but the newest 1,000 saves.
    verdict: Option<LastJudgeVerdictReport>,
    /// The language models that answered; absent if there are none, and for all but the newest 1,000 saves.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    models: Vec<AnsweringModel>,
}

/// The maximum number of saves that are replayed to measure gaps, verdicts and models.
const MAX_MEASURED: usize = 1000;

pub(super) fn run_list(args: &ListArgs) -> Result {
    let form = PrintedFormat::page_or_json(args.json);
    match args.what {
        ListTopic::Scenarios => print(&Listing(scenarios()), form),
        ListTopic::Strategies => print(&Listing(strategies(&debate_solver::registry())), form),
        ListTopic::Protocols => print(&Listing(protocols()), form),
        ListTopic::Problems => print(&Listing(problems()?), form),
        ListTopic::Saves => {
            let saves = saves(args.saves.as_deref(), |_| true, "saves")?;
            let record = judge_record(&saves);
            print(&Listing(saves), form)?;
            record.map_or(Ok(()), print_remark)
        }
    }
}

/// Prints the unfinished debates, which `resume` can continue, as `list saves` does.
pub(super) fn list_unfinished_saves(folder: Option<&Path>, json: bool) -> Result {
    let is_unfinished = |save: &SaveListing| save.condition == SavedDebateProgress::Unfinished;
    let saves = saves(folder, is_unfinished, "unfinished debates")?;
    let is_empty = saves.is_empty();
    print(&Listing(saves), PrintedFormat::page_or_json(json))?;
    if is_empty {
        return Ok(());
    }
    print_remark(
        "`debate-tui resume SAVE` continues one of the listed debates; `resume --last` continues the first one.",
    )
}

/// A list to print: each entry with its JSON document.
struct Listing<T>(Vec<(ListEntry, T)>);

impl<T: Serialize> PrintableCommandResult for Listing<T> {
    fn document(&self) -> impl Serialize {
        self.0
            .iter()
            .map(|(_, document)| document)
            .collect::<Vec<_>>()
    }

    fn page(&self) -> HeadedTextPage {
        let names = self.0.iter().map(|(row, _)| row.name.chars().count());
        let shown = names.filter(|width| *width <= LONGEST_NAME);
        let column = shown.max().unwrap_or(0);
        let mut lines = Vec::new();
        let mut group = "";
        for (row, _) in &self.0 {
            if row.group != group {
                if !group.is_empty() {
                    lines.push(String::new());
                }
                lines.push(row.group.clone());
                group = &row.group;
            }
            let indent = if row.group.is_empty() { 0 } else { 2 };
            add_two_columns(&row.name, &row.about, indent, column, &mut lines);
            let names = row.more.iter().map(|(name, _)| name.chars().count());
            let second = names.max().unwrap_or(0).min(LONGEST_NAME + 4);
            for (name, text) in &row.more {
                add_two_columns(name, text, indent + 4, second, &mut lines);
            }
        }
        let mut page = HeadedTextPage::default();
        for line in lines {
            page.add_row(line);
        }
        page
    }
}

fn scenarios() -> Vec<(ListEntry, ListedScenario)> {
    let bundled = setup::bundled_scenarios().into_iter();
    let entry = bundled.map(|listing| {
        let seats = listing.seats.iter().map(|advice| ListedRecommendedSeat {
            seat: advice.seat.name_in_flags_and_json(),
            replies: advice.replies,
            minutes: advice.expected_minutes_in_seat(),
        });
        let entry = ListEntry {
            name: listing.name.to_owned(),
            group: listing.teaches.to_owned(),
            about: format!(
                "{} ({})",
                listing.title,
                listing.difficulty.difficulty_name()
            ),
            ..ListEntry::default()
        };
        let document = ListedScenario {
            name: listing.name,
            seats: seats.collect(),
            title: listing.title,
            about: listing.about,
            teaches: listing.teaches,
            protocol: listing.protocol.protocol_name(),
            difficulty: listing.difficulty.difficulty_name(),
        };
        (entry, document)
    });
    entry.collect()
}

fn strategies(registry: &StrategyRegistry<Exact>) -> Vec<(ListEntry, ListedStrategy)> {
    let strategies = registry.entries().iter().map(|strategy| {
        let seat = strategy.seat.name_in_flags_and_json();
        let protocol = strategy.protocol.map(ProtocolKind::protocol_name);
        let title = strategy
            .protocol
            .map_or(seat, |kind| kind.title(strategy.seat));
        let entry = ListEntry {
            name: strategy.usage_form(),
            group: format!("{title}, {}", protocol.unwrap_or("every protocol")),
            about: strategy.strategy_description().to_owned(),
            ..ListEntry::default()
        };
        let document = ListedStrategy {
            name: strategy.name,
            usage: strategy.usage_form(),
            seat,
            protocol,
            about: strategy.strategy_description(),
        };
        (entry, document)
    });
    strategies.collect()
}

fn protocols() -> Vec<(ListEntry, ListedProtocol)> {
    let kinds = ProtocolKind::ALL.iter().map(|kind| {
        let guarantee = kind.protocol_texts().guarantee;
        let entry = ListEntry {
            name: kind.protocol_name_in_scenarios().to_owned(),
            about: kind.protocol_description().to_owned(),
            more: vec![("guarantee".to_owned(), guarantee.to_owned())],
            ..ListEntry::default()
        };
        let document = ListedProtocol {
            name: kind.protocol_name(),
            variant: kind.protocol_name_in_scenarios(),
            about: kind.protocol_description(),
            guarantee,
            examples: &kind.protocol_texts().examples,
            prover: kind.title(Seat::Prover),
            opponent: kind.title(Seat::Opponent),
        };
        (entry, document)
    });
    kinds.collect()
}

/// Returns the saves in a folder for which `fits` is true. If there are none, prints a remark that calls them `noun`.
/// The texts in the saves are untrusted.
fn saves(
    asked: Option<&Path>,
    fits: impl Fn(&SaveListing) -> bool,
    noun: &str,
) -> Result<Vec<(ListEntry, ListedSave)>> {
    let folder = record::saves_folder(asked)?;
    let mut listed = record::list_saves(&folder)?;
    listed.retain(fits);
    if listed.is_empty() {
        print_remark(format!("No {noun} in {}.", folder.display()))?;
    }
    let each = listed.into_iter().enumerate();
    Ok(each
        .map(|(number, save)| save_entry(save, number < MAX_MEASURED))
        .collect())
}

/// Returns a sentence on the verdicts that people gave in these saves; `None` if no verdict is about a known truth.
fn judge_record(saves: &[(ListEntry, ListedSave)]) -> Option<String> {
    let verdicts: Vec<&LastJudgeVerdictReport> = (saves.iter())
        .filter_map(|(_, save)| save.verdict.as_ref())
        .filter(|verdict| verdict.right.is_some())
        .collect();
    let right = verdicts
        .iter()
        .filter(|verdict| verdict.right == Some(true));
    let stated: Vec<f64> = verdicts
        .iter()
        .filter_map(|verdict| verdict.certainty)
        .collect();
    judge_record_sentence(right.count(), verdicts.len(), &stated)
}

fn save_entry(save: SaveListing, is_measured: bool) -> (ListEntry, ListedSave) {
    let is_finished = save.condition == SavedDebateProgress::Finished;
    let measures = if is_measured && is_finished {
        UserMeasuresOfFinishedDebate::measures_of_save(&save.path).unwrap_or_default()
    } else {
        UserMeasuresOfFinishedDebate::default()
    };
    let path = save.path.display().to_string();
    let progress = match save.condition {
        SavedDebateProgress::Finished => "finished",
        SavedDebateProgress::Unfinished => "unfinished",
        SavedDebateProgress::Unplayed => "unplayed",
        SavedDebateProgress::Unclear => "unclear",
    };
    let written = format_utc(save.modified);
    let mut title = save
        .title
        .clone()
        .unwrap_or_else(|| "(the title of this save cannot be read)".to_owned());
    if let Some(name) = &save.label.name {
        title = format!("{name}: {title}");
    }
    let hidden_note = if save.label.is_hidden {
        ", hidden on the home screen"
    } else {
        ""
    };
    let gap_of_estimates = measures.gap.as_ref().map_or_else(String::new, |gap| {
        format!(", gap {}", format_with_decimals(100.0 * gap.to_float(), 1))
    });
    let daily = save.header.as_ref().and_then(daily_date_of_save);
    let daily = daily.map_or_else(String::new, |date| format!("daily {date}, "));
    let models = if is_measured {
        models(&save)
    } else {
        Vec::new()
    };
    let model_names: Vec<String> = models.iter().map(|model| format!(", {model}")).collect();
    let model_names = model_names.concat();
    let about = format!(
        "{title} ({daily}{progress}{gap_of_estimates}{model_names}, last written {written}{hidden_note})"
    );
    let entry = ListEntry {
        name: replace_unsafe_characters(&path).into_owned(),
        about: replace_unsafe_characters(&about).into_owned(),
        ..ListEntry::default()
    };
    let header = save.header.as_ref();
    let document = ListedSave {
        save: path,
        condition: progress,
        protocol: header.map(|header| header.protocol.kind().protocol_name()),
        players: header.map(|header| header.players.clone().into()),
        seed: header.map(|header| header.seed.as_str().to_owned()),
        title: save.title,
        name: save.label.name,
        hidden: save.label.is_hidden,
        written,
        gap: measures.gap.map(|gap| gap.to_float()),
        verdict: measures.verdict.as_ref().map(LastJudgeVerdictReport::from),
        models,
    };
    (entry, document)
}

/// Returns the language models that answered in a save. The save is only read if one of its players is a program or a
/// language model.
fn models(save: &SaveListing) -> Vec<AnsweringModel> {
    let is_program = |name: &String| {
        PlayerSpec::parse(name).is_ok_and(|spec| spec.command_or_model_name().is_some())
    };
    let header = save.header.as_ref();
    if !header.is_some_and(|header| header.players.iter().any(is_program)) {
        return Vec::new();
    }
    Save::read_save(&save.path).map_or_else(
        |_| Vec::new(),
        |save| save.models_of_visible_seats(|_| true),
    )
}

/// Returns the problems, each with the protocols under which it can be debated.
fn problems() -> Result<Vec<(ListEntry, ListedProblem)>> {
    let problems = PROBLEMS.iter().map(problem);
    problems
        .collect::<Result<_, _>>()
        .map_err(CommandFailure::from_input_error)
}

fn problem(problem: &ProblemKind) -> Result<(ListEntry, ListedProblem), ScenarioError> {
    let debated = problem.fitting_protocol_examples()?;
    let more = debated.iter().map(|debated| {
        let decomposition = debated.decomposition.unwrap_or("as it is");
        // A line must not break inside a name.
        let names: Vec<String> = (debated.protocols.iter())
            .map(|example| {
                protocol::short_protocol_example_name(example).replace(' ', NO_BREAK_SPACE)
            })
            .collect();
        let names = names.join(", ");
        (decomposition.to_owned(), names)
    });
    let entry = ListEntry {
        name: problem.name.to_owned(),
        about: problem.about.to_owned(),
        more: more.collect(),
        ..ListEntry::default()
    };
    let document = ListedProblem {
        name: problem.name,
        about: problem.about,
        example: problem.example,
        debated,
    };
    Ok((entry, document))
}
