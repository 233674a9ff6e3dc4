//! What can be asked of a format.

use super::ExportError;
use debate_core::text::safe;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFlag {
    Event,
    Events,
    Size,
    Theme,
    Ascii,
    Instance,
    Protocol,
    Judge,
    Blind,
    ProverKnows,
    OpponentKnows,
    ProverQueries,
    OpponentQueries,
    Grid,
    MostNodes,
    MostClaims,
}

impl ExportFlag {
    /// As it is typed, such as `--most-nodes`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Event => "--event",
            Self::Events => "--events",
            Self::Size => "--size",
            Self::Theme => "--theme",
            Self::Ascii => "--ascii",
            Self::Instance => "--instance",
            Self::Protocol => "--protocol",
            Self::Judge => "--judge",
            Self::Blind => "--blind",
            Self::ProverKnows => "--prover-knows",
            Self::OpponentKnows => "--opponent-knows",
            Self::ProverQueries => "--prover-queries",
            Self::OpponentQueries => "--opponent-queries",
            Self::Grid => "--grid",
            Self::MostNodes => "--most-nodes",
            Self::MostClaims => "--most-claims",
        }
    }
}

/// The options of an export; a format has a default for each that is `None`.
#[derive(Clone, Debug, Default)]
pub struct ExportOptions {
    /// After which event, counted from 1; 0 is before the first.
    pub event: Option<usize>,
    /// From which event to which, both included, counted from 1.
    pub events: Option<(usize, usize)>,
    /// Columns and rows.
    pub size: Option<(u16, u16)>,
    pub theme: Option<String>,
    /// Draw with ASCII characters only.
    pub ascii: bool,
    /// Whether an instance was named; the [`super::SelectedScenario`] has it.
    pub instance: bool,
    /// Whether a protocol was named; the [`super::SelectedScenario`] has it.
    pub protocol: bool,
    pub judge: Option<String>,
    /// Whether prover, opponent know no more of the instance than the problem grants, in place of what
    /// the scenario says.
    pub blind: Option<[bool; 2]>,
    /// Whether the knowledge of prover, opponent was given; the scenario's setup has it.
    pub knows: [bool; 2],
    /// Whether their queries were given; the scenario's setup has them.
    pub queries: [bool; 2],
    /// The probabilities that can be said.
    pub grid: Option<Vec<String>>,
    pub most_nodes: Option<u64>,
    pub most_claims: Option<usize>,
}

impl ExportOptions {
    pub(super) fn given(&self) -> impl Iterator<Item = ExportFlag> {
        let [prover_knows, opponent_knows] = self.knows;
        let [prover_queries, opponent_queries] = self.queries;
        let given = [
            (ExportFlag::Event, self.event.is_some()),
            (ExportFlag::Events, self.events.is_some()),
            (ExportFlag::Size, self.size.is_some()),
            (ExportFlag::Theme, self.theme.is_some()),
            (ExportFlag::Ascii, self.ascii),
            (ExportFlag::Instance, self.instance),
            (ExportFlag::Protocol, self.protocol),
            (ExportFlag::Judge, self.judge.is_some()),
            (ExportFlag::Blind, self.blind.is_some()),
            (ExportFlag::ProverKnows, prover_knows),
            (ExportFlag::OpponentKnows, opponent_knows),
            (ExportFlag::ProverQueries, prover_queries),
            (ExportFlag::OpponentQueries, opponent_queries),
            (ExportFlag::Grid, self.grid.is_some()),
            (ExportFlag::MostNodes, self.most_nodes.is_some()),
            (ExportFlag::MostClaims, self.most_claims.is_some()),
        ];
        let flags = given.into_iter();
        flags.filter_map(|(flag, given)| given.then_some(flag))
    }
}

/// Parses a span of events: `2001..4000`.
///
/// # Errors
/// Where the text is not two numbers from 1 on, or the first is above the last.
pub fn span(text: &str) -> Result<(usize, usize), ExportError> {
    let parted = text.split_once("..");
    let number = |text: &str| text.trim().trim_start_matches('=').parse::<usize>().ok();
    let read = parted.and_then(|(first, last)| Some((number(first)?, number(last)?)));
    read.filter(|(first, last)| (1..=*last).contains(first))
        .ok_or_else(|| {
            ExportError::Option(format!(
                "--events: {} is no span of events, such as 2001..4000",
                safe(text)
            ))
        })
}
