//! `list`: available scenarios, strategies, protocols, problems and saves, one per line.

use std::path::Path;

use serde::Serialize;

use super::errors::print_remark;
use super::output::{NO_BREAK_SPACE, OutputForm, add_two_columns, print};
use super::{Failure, ListArgs, ListTopic, Result};
use debate_core::number::{Exact, Number as _, fixed};
use debate_core::player::{Registry, Spec};
use debate_core::protocol::{self, Kind, Seat};
use debate_core::text::replace_unsafe_characters;
use debate_host::message::play::VerdictReport;
use debate_host::record::{
    self, ModelUse, Save, SaveListing, SaveProgress, SavedMeasures, format_utc,
};
use debate_solver::expectation::BySeat;
use debate_solver::setup::{self, FittingProtocols, PROBLEMS, ProblemKind, SetupError};
use debate_text::results::CommandResult;
use debate_text::{Page, judge_record_sentence};

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
    seats: Vec<ListedSeat>,
}

/// A recommended seat of a scenario.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct ListedSeat {
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
    debated: Vec<FittingProtocols>,
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
    /// The last verdict of a person who judged a finished debate; null if no person judged, and for all but the newest
    /// 1,000 saves.
    verdict: Option<VerdictReport>,
    /// The language models that answered; absent if there are none, and for all but the newest 1,000 saves.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    models: Vec<ModelUse>,
}

/// The maximum number of saves that are replayed to measure gaps, verdicts and models.
const MAX_MEASURED: usize = 1000;

pub(super) fn run_list(args: &ListArgs) -> Result {
    let form = OutputForm::page_or_json(args.json);
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
    let is_unfinished = |save: &SaveListing| save.condition == SaveProgress::Unfinished;
    let saves = saves(folder, is_unfinished, "unfinished debates")?;
    let is_empty = saves.is_empty();
    print(&Listing(saves), OutputForm::page_or_json(json))?;
    if is_empty {
        return Ok(());
    }
    print_remark(
        "`debate-tui resume SAVE` continues one of these debates; `resume --last` continues the first one of this list.",
    )
}

/// A list to print: each entry with its JSON document.
struct Listing<T>(Vec<(ListEntry, T)>);

impl<T: Serialize> CommandResult for Listing<T> {
    fn document(&self) -> impl Serialize {
        self.0
            .iter()
            .map(|(_, document)| document)
            .collect::<Vec<_>>()
    }

    fn page(&self) -> Page {
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
        let mut page = Page::default();
        for line in lines {
            page.add_row(line);
        }
        page
    }
}

fn scenarios() -> Vec<(ListEntry, ListedScenario)> {
    let bundled = setup::bundled().into_iter();
    let entry = bundled.map(|listing| {
        let seats = listing.seats.iter().map(|advice| ListedSeat {
            seat: advice.seat.name(),
            replies: advice.replies,
            minutes: advice.minutes(),
        });
        let entry = ListEntry {
            name: listing.name.to_owned(),
            group: listing.teaches.to_owned(),
            about: format!("{} ({})", listing.title, listing.difficulty.name()),
            ..ListEntry::default()
        };
        let document = ListedScenario {
            name: listing.name,
            seats: seats.collect(),
            title: listing.title,
            about: listing.about,
            teaches: listing.teaches,
            protocol: listing.protocol.name(),
            difficulty: listing.difficulty.name(),
        };
        (entry, document)
    });
    entry.collect()
}

fn strategies(registry: &Registry<Exact>) -> Vec<(ListEntry, ListedStrategy)> {
    let strategies = registry.entries().iter().map(|strategy| {
        let seat = strategy.seat.name();
        let protocol = strategy.protocol.map(Kind::name);
        let title = strategy
            .protocol
            .map_or(seat, |kind| kind.title(strategy.seat));
        let entry = ListEntry {
            name: strategy.name_with_parameters(),
            group: format!("{title}, {}", protocol.unwrap_or("every protocol")),
            about: strategy.description().to_owned(),
            ..ListEntry::default()
        };
        let document = ListedStrategy {
            name: strategy.name,
            usage: strategy.name_with_parameters(),
            seat,
            protocol,
            about: strategy.description(),
        };
        (entry, document)
    });
    strategies.collect()
}

fn protocols() -> Vec<(ListEntry, ListedProtocol)> {
    let kinds = Kind::ALL.iter().map(|kind| {
        let guarantee = kind.introduction().guarantee;
        let entry = ListEntry {
            name: kind.variant_name().to_owned(),
            about: kind.description().to_owned(),
            more: vec![("guarantee".to_owned(), guarantee.to_owned())],
            ..ListEntry::default()
        };
        let document = ListedProtocol {
            name: kind.name(),
            variant: kind.variant_name(),
            about: kind.description(),
            guarantee,
            examples: &kind.introduction().examples,
            prover: kind.title(Seat::Prover),
            opponent: kind.title(Seat::Opponent),
        };
        (entry, document)
    });
    kinds.collect()
}

/// Returns the saves in a folder for which `fits` is true. The texts in the saves are untrusted.
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
    let verdicts: Vec<&VerdictReport> = (saves.iter())
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
    let is_finished = save.condition == SaveProgress::Finished;
    let measures = if is_measured && is_finished {
        SavedMeasures::read(&save.path).unwrap_or_default()
    } else {
        SavedMeasures::default()
    };
    let path = save.path.display().to_string();
    let condition = match save.condition {
        SaveProgress::Finished => "finished",
        SaveProgress::Unfinished => "unfinished",
        SaveProgress::Unplayed => "unplayed",
        SaveProgress::Unclear => "unclear",
    };
    let written = format_utc(save.modified);
    let mut title = save
        .title
        .clone()
        .unwrap_or_else(|| "(its title cannot be read)".to_owned());
    if let Some(name) = &save.label.name {
        title = format!("{name}: {title}");
    }
    let hidden = if save.label.is_hidden {
        ", hidden on the home screen"
    } else {
        ""
    };
    let gap = measures.gap.as_ref().map_or_else(String::new, |gap| {
        format!(", gap {}", fixed(100.0 * gap.to_float(), 1))
    });
    let models = if is_measured {
        models(&save)
    } else {
        Vec::new()
    };
    let named: Vec<String> = models.iter().map(|model| format!(", {model}")).collect();
    let named = named.concat();
    let about = format!("{title} ({condition}{gap}{named}, last written {written}{hidden})");
    let entry = ListEntry {
        name: replace_unsafe_characters(&path).into_owned(),
        about: replace_unsafe_characters(&about).into_owned(),
        ..ListEntry::default()
    };
    let header = save.header.as_ref();
    let document = ListedSave {
        save: path,
        condition,
        protocol: header.map(|header| header.protocol.kind().name()),
        players: header.map(|header| header.players.clone().into()),
        seed: header.map(|header| header.seed.as_str().to_owned()),
        title: save.title,
        name: save.label.name,
        hidden: save.label.is_hidden,
        written,
        gap: measures.gap.map(|gap| gap.to_float()),
        verdict: measures.verdict.as_ref().map(VerdictReport::from),
        models,
    };
    (entry, document)
}

/// Returns the language models that answered in a save. The save is only read if one of its players is a program.
fn models(save: &SaveListing) -> Vec<ModelUse> {
    let is_program = |name: &String| Spec::parse(name).is_ok_and(|spec| spec.command().is_some());
    let header = save.header.as_ref();
    if !header.is_some_and(|header| header.players.iter().any(is_program)) {
        return Vec::new();
    }
    Save::read(&save.path).map_or_else(|_| Vec::new(), |save| save.models(|_| true))
}

/// Returns the problems, each with the protocols under which it can be debated.
fn problems() -> Result<Vec<(ListEntry, ListedProblem)>> {
    let problems = PROBLEMS.iter().map(problem);
    problems.collect::<Result<_, _>>().map_err(Failure::input)
}

fn problem(problem: &ProblemKind) -> Result<(ListEntry, ListedProblem), SetupError> {
    let debated = problem.fitting_protocols()?;
    let more = debated.iter().map(|debated| {
        let decomposition = debated.decomposition.unwrap_or("as it is");
        // A line must not break inside a name.
        let names: Vec<String> = (debated.protocols.iter())
            .map(|example| protocol::short_example_name(example).replace(' ', NO_BREAK_SPACE))
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
