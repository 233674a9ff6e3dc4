//! The file format of trained estimates, a RON document. `train --out` writes it and `trained(FILE)` reads it.
//!
//! The same training gives the same bytes. All numbers are exact. The last field is the digest of the text before it,
//! so that a table with changed contents is rejected.

use std::collections::HashSet;
use std::fmt::Write as _;

use ron::extensions::Extensions;
use ron::value::RawValue;
use serde::Deserialize;
use thiserror::Error;

use super::estimates::{
    ConditionalEstimates, EstimateTable, InformationSet, InstanceEstimates,
    TrainedEstimatesOfInformationSet,
};
use super::round::MAX_WIDTH;
use super::rounds::TrainedEstimator;
use debate_core::digest::Digest;
use debate_core::number::{Exact, Number as _, format_canonical, parse_canonical};
use debate_core::player::PlayerSpec;
use debate_core::protocol::Protocol;
use debate_core::scenario::{ClaimKey, Instance};
use debate_core::text::{decode_utf8, is_unsafe_character};

/// The version of the format.
const FORMAT: u32 = 1;

/// The parser's recursion limit for the file. The parser counts a bracket and its content separately, so the brackets
/// nest at most half as deep.
const MAX_NESTING: usize = 32;

/// Maximum number of characters of a parser error that is shown to the user.
const SHOWN: usize = 160;

/// The reason why a file of trained estimates cannot be used.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum TrainedTableError {
    /// The file is not available.
    #[error(
        "the file of the trained player is missing; name this file on the command line, or put it beside the scenario"
    )]
    Missing,
    /// The file is not a table of trained estimates.
    #[error("this is not a trained table: {place}: {reason}", reason = .what)]
    Malformed {
        /// The position of the error in the file of trained estimates: the line of a syntax error, else the field, or
        /// the instance and the row.
        place: String,
        /// The reason.
        what: String,
    },
    /// The file has another version of the format.
    #[error(
        "this program reads only trained tables of format {FORMAT}, but this one has format {format}", format = .0)]
    Format(u32),
    /// The digest in the file does not match its content.
    #[error(
        "this trained table was changed since it was written; train again with `debate-tui train`"
    )]
    Changed,
    /// The estimates were trained for another problem.
    #[error(
        "this was trained for another scenario: the digest of its problem is {trained}, but here \
         it is {here}"
    )]
    OtherMatter { trained: String, here: Digest },
    /// The estimates were trained under other rules.
    #[error(
        "this was trained under {trained}, but the rules here are {here}; train again with \
         --protocol"
    )]
    OtherRules {
        trained: String,
        /// The rules here.
        here: String,
    },
    /// The file has no estimates for this instance.
    #[error(
        "this trained table does not contain the debated instance; train again with this \
             instance"
    )]
    NoWorld,
}

/// Trained estimates for all instances, with the problem, the rules and the prover of the training.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainedTableDocument {
    /// The digest of the problem for which the estimates were trained.
    matter: Digest,
    protocol: Protocol,
    prover: PlayerSpec,
    delta: Exact,
    /// The trained estimates of each instance, with the instance's name.
    worlds: Vec<(String, InstanceEstimates)>,
}

impl TrainedTableDocument {
    /// Creates the document from the result of a training. `instance` is any instance of the problem, `matter` the
    /// problem's digest, and `prover` the one trained against.
    pub fn new(
        trained: &TrainedEstimator,
        matter: Digest,
        instance: &Instance,
        protocol: &Protocol,
        prover: &PlayerSpec,
    ) -> Self {
        let names = instance
            .decomposition()
            .worlds()
            .iter()
            .map(|world| world.name.clone());
        Self {
            matter,
            protocol: protocol.clone(),
            prover: prover.clone(),
            delta: trained.report.delta.clone(),
            worlds: names.zip(trained.worlds.iter().cloned()).collect(),
        }
    }

    /// Returns the trained estimates for one instance, after checking that problem and rules are those of the training.
    pub(super) fn table(
        &self,
        matter: Digest,
        protocol: &Protocol,
        instance: &Instance,
    ) -> Result<EstimateTable, TrainedTableError> {
        if self.matter != matter {
            return Err(TrainedTableError::OtherMatter {
                trained: self.matter.to_string(),
                here: matter,
            });
        }
        if self.protocol != *protocol {
            return Err(TrainedTableError::OtherRules {
                trained: self.protocol.to_string(),
                here: protocol.to_string(),
            });
        }
        let learnt = self
            .worlds
            .get(instance.world_index())
            .filter(|(name, _)| name == instance.world_name());
        let (_, learnt) = learnt.ok_or(TrainedTableError::NoWorld)?;
        Ok(EstimateTable::new(learnt, instance))
    }

    /// Returns the text of the trained table's file, with the digest of its content.
    pub fn trained_table_file_text(&self) -> String {
        let mut out = self.body();
        let digest = Digest::digest_of_bytes(out.as_bytes());
        let _ = writeln!(out, "    digest: \"{digest}\",\n)");
        out
    }

    /// Returns the document's text without the digest.
    fn body(&self) -> String {
        let matter = self.matter;
        let protocol = &self.protocol;
        let prover = ron_string_literal(&self.prover.to_string());
        let delta = format_canonical(&self.delta);
        let mut out = format!(
            "Trained(\n    format: {FORMAT},\n    scenario: \"{matter}\",\n    protocol: \
             {protocol},\n    prover: {prover},\n    delta: \"{delta}\",\n    worlds: [\n"
        );
        for (name, learnt) in &self.worlds {
            let (name, root) = (ron_string_literal(name), format_canonical(&learnt.root));
            let _ = writeln!(out, "        (name: {name}, root: \"{root}\", rows: [");
            for row in &learnt.rows {
                out.push_str(&line(row));
            }
            out.push_str("        ]),\n");
        }
        out.push_str("    ],\n");
        out
    }

    /// Reads a document.
    ///
    /// # Errors
    /// Returns an error if the bytes are not a trained table, or if they were changed.
    pub fn parse_document(bytes: &[u8]) -> Result<Self, TrainedTableError> {
        let text = decode_utf8(bytes).map_err(|error| {
            let line = error.line_of_first_non_utf8_byte();
            malformed(format!("line {line}"), &error.to_string())
        })?;
        let file: TableFile<'_> = parsed(text)?;
        let wrong = |field: &str, what: &str| malformed(format!("the field `{field}`"), what);
        let protocol = Protocol::parse(file.protocol.get_ron().trim())
            .map_err(|refused| wrong("protocol", &refused.to_string()))?;
        let mut worlds = Vec::with_capacity(file.worlds.len());
        for world in file.worlds {
            worlds.push((world.name.clone(), world.world_estimates()?));
        }
        let document = Self {
            matter: Digest::parse(&file.scenario)
                .ok_or_else(|| wrong("scenario", "this is not a valid digest"))?,
            protocol,
            prover: PlayerSpec::parse(&file.prover)
                .map_err(|error| wrong("prover", &error.to_string()))?,
            delta: parse_canonical(&file.delta)
                .ok_or_else(|| wrong("delta", "this is not a number"))?,
            worlds,
        };
        let own = Digest::digest_of_bytes(document.body().as_bytes());
        if Digest::parse(&file.digest) != Some(own) {
            return Err(TrainedTableError::Changed);
        }
        Ok(document)
    }
}

/// Formats a row.
fn line(row: &TrainedEstimatesOfInformationSet) -> String {
    let InformationSet {
        round,
        claim,
        support,
        answer,
        p,
        root_p,
    } = &row.set;
    let list = |numbers: &[Exact]| {
        let each = numbers
            .iter()
            .map(|p| format!("\"{}\"", format_canonical(p)));
        each.collect::<Vec<_>>().join(", ")
    };
    let weight = format_canonical(&row.weight);
    let after = list(row.estimates.estimates_by_earlier_outcomes());
    let alone = list(&row.estimates.alone);
    format!(
        "            (round: {round}, claim: \"{claim}\", support: {support}, answer: {answer:?}, \
         p: {p}, root_p: {root_p}, weight: \"{weight}\", after: [{after}], alone: [{alone}]),\n"
    )
}

/// Returns a text as a string literal of RON. Characters that could control a terminal are escaped.
fn ron_string_literal(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if is_unsafe_character(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[derive(Deserialize)]
#[serde(rename = "Trained", deny_unknown_fields)]
struct TableFile<'f> {
    #[serde(rename = "format")]
    _format: u32,
    scenario: String,
    #[serde(borrow)]
    protocol: &'f RawValue,
    prover: String,
    delta: String,
    worlds: Vec<WorldFile>,
    digest: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WorldFile {
    name: String,
    root: String,
    rows: Vec<RowFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RowFile {
    round: u32,
    claim: String,
    support: u32,
    answer: Option<bool>,
    p: i64,
    root_p: i64,
    weight: String,
    after: Vec<String>,
    alone: Vec<String>,
}

fn parsed(text: &str) -> Result<TableFile<'_>, TrainedTableError> {
    #[derive(Deserialize)]
    #[serde(rename = "Trained")]
    struct Format {
        format: u32,
    }
    let options = ron::Options::default()
        .with_recursion_limit(MAX_NESTING)
        .with_default_extension(Extensions::empty());
    // A file of a later format may have unknown fields, so the format is checked first.
    let unread = |error: ron::error::SpannedError| {
        malformed(
            format!("line {line}", line = error.span.end.line),
            &error.code.to_string(),
        )
    };
    let Format { format } = options.from_str(text).map_err(unread)?;
    if format != FORMAT {
        return Err(TrainedTableError::Format(format));
    }
    options.from_str(text).map_err(unread)
}

fn malformed(place: String, what: &str) -> TrainedTableError {
    let shown = what.chars().take(SHOWN);
    TrainedTableError::Malformed {
        place,
        what: shown.collect(),
    }
}

/// Parses a probability. The error is a sentence without the place.
fn probability(text: &str) -> Result<Exact, String> {
    let p = parse_canonical(text).filter(Exact::is_probability);
    p.ok_or_else(|| {
        let beginning: String = text.chars().take(40).collect();
        format!("the text {beginning:?} is not a probability")
    })
}

impl WorldFile {
    fn world_estimates(self) -> Result<InstanceEstimates, TrainedTableError> {
        let name = self.name;
        let mut seen = HashSet::new();
        let mut rows = Vec::with_capacity(self.rows.len());
        for (number, line) in (1..).zip(self.rows) {
            let wrong = |what: &str| malformed(format!("instance {name:?}, row {number}"), what);
            let row = line.row().map_err(|what| wrong(&what))?;
            if !seen.insert(row.set.clone()) {
                return Err(wrong("an earlier row has the same information set"));
            }
            rows.push(row);
        }
        let root = probability(&self.root)
            .map_err(|what| malformed(format!("the field `root` of instance {name:?}"), &what))?;
        Ok(InstanceEstimates { root, rows })
    }
}

impl RowFile {
    /// Checks the values of the row. The error is a sentence without the place.
    fn row(self) -> Result<TrainedEstimatesOfInformationSet, String> {
        let each = |texts: &[String]| {
            let each = texts.iter().map(|text| probability(text));
            each.collect::<Result<Vec<Exact>, String>>()
        };
        let after = each(&self.after)?;
        let alone = each(&self.alone)?;
        let fits = alone.len() <= MAX_WIDTH as usize;
        let half = Exact::ratio(1, 2);
        let estimates = fits
            .then(|| ConditionalEstimates::from_parts(half, after, alone))
            .flatten()
            .ok_or("the row has too many estimates or too few")?;
        let claim = ClaimKey::parse(&self.claim).ok_or("the row has no valid claim")?;
        let weight =
            parse_canonical(&self.weight).ok_or("the weight of the row is not a number")?;
        Ok(TrainedEstimatesOfInformationSet {
            set: InformationSet {
                round: self.round,
                claim,
                support: self.support,
                answer: self.answer,
                p: self.p,
                root_p: self.root_p,
            },
            weight,
            estimates,
        })
    }
}
