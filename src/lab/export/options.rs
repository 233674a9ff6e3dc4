//! What can be asked of a format.

use super::ExportError;
use debate_core::text::safe;

/// An option of the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flag {
    /// `--event`.
    Event,
    /// `--events`.
    Events,
    /// `--size`.
    Size,
    /// `--theme`.
    Theme,
    /// `--ascii`.
    Ascii,
    /// `--instance`.
    Instance,
    /// `--protocol`.
    Protocol,
    /// `--judge`.
    Judge,
    /// `--blind`.
    Blind,
    /// `--grid`.
    Grid,
    /// `--most-nodes`.
    MostNodes,
    /// `--most-claims`.
    MostClaims,
}

impl Flag {
    /// As it is typed.
    #[must_use]
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
            Self::Grid => "--grid",
            Self::MostNodes => "--most-nodes",
            Self::MostClaims => "--most-claims",
        }
    }
}

/// What was asked for; what was not is left to the format.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// After which event, counted from 1; 0 is before the first.
    pub event: Option<usize>,
    /// From which event to which, both included, counted from 1.
    pub events: Option<(usize, usize)>,
    /// Columns and rows.
    pub size: Option<(u16, u16)>,
    /// The name of the colours.
    pub theme: Option<String>,
    /// Whether ASCII signs are to be drawn.
    pub ascii: bool,
    /// Whether an instance was named; the [`super::Proposal`] has it.
    pub instance: bool,
    /// Whether a protocol was named; the [`super::Proposal`] has it.
    pub protocol: bool,
    /// Who answers the oracle's questions.
    pub judge: Option<String>,
    /// Whether prover and opponent cannot tell instances apart by truths.
    pub blind: Option<[bool; 2]>,
    /// The probabilities that can be said.
    pub grid: Option<Vec<String>>,
    /// The most nodes of a game.
    pub most_nodes: Option<u64>,
    /// The most claims of a tree.
    pub most_claims: Option<usize>,
}

impl Options {
    /// The options that were given.
    pub(super) fn given(&self) -> impl Iterator<Item = Flag> {
        let given = [
            (Flag::Event, self.event.is_some()),
            (Flag::Events, self.events.is_some()),
            (Flag::Size, self.size.is_some()),
            (Flag::Theme, self.theme.is_some()),
            (Flag::Ascii, self.ascii),
            (Flag::Instance, self.instance),
            (Flag::Protocol, self.protocol),
            (Flag::Judge, self.judge.is_some()),
            (Flag::Blind, self.blind.is_some()),
            (Flag::Grid, self.grid.is_some()),
            (Flag::MostNodes, self.most_nodes.is_some()),
            (Flag::MostClaims, self.most_claims.is_some()),
        ];
        let given = given.into_iter().filter(|(_, given)| *given);
        given.map(|(flag, _)| flag)
    }
}

/// Reads a span of events: `2001..4000`.
///
/// # Errors
/// Where it is none.
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
