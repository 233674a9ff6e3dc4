//! A save as a text for people, in the manner of chess's PGN: tags in brackets, then numbered events.
//!
//! [`write_game_text`] writes it, and [`read_game_text`] reads it back to the same bytes of the save. Lines that begin
//! with `|` contain the source of the scenario. Lines that begin with `;` are comments and are skipped.

use std::fmt::Write as _;

use thiserror::Error;

use super::chain::{END_CLOSER, EVENT_CLOSER, SAVE_HASH_POSITION};
use super::scan::parse_closing_line_without_hash;
use super::syntax::{END_LINE, SaveTextMistake, ron_fields, ron_options, ron_text_map};
use super::{
    LongBitsStorageInSave, MAX_LINE, Save, SaveEventLine, SaveHeader, SaveLineFormatter,
    SavedDebateEnd, SavedEventKind, SavedReply, protocol_text_for_save, ron_string_literal,
    verify_save_bytes,
};
use debate_core::protocol::Seat;
use debate_core::text::is_unsafe_character;
use debate_solver::setup::ScenarioLimits;

/// The seats and their names in the text of a debate.
const SEATS: [(Seat, &str); 4] = [
    (Seat::Prover, "Alice"),
    (Seat::Opponent, "Bob"),
    (Seat::Judge, "Judge"),
    (Seat::Chance, "Chance"),
];

/// The tags that occur at most once in a debate's text: each tag's name, and the field of the save's header whose value
/// it has. The field is empty for the tag `Title`.
const TAGS: [(&str, &str); 13] = [
    ("Alice", "prover"),
    ("Bob", "opponent"),
    ("Judge", "judge"),
    ("Started", "started"),
    ("Rules", "protocol"),
    ("Instance", "instance"),
    ("Seed", "seed"),
    ("Debate", "debate"),
    ("Blind", "blind"),
    ("Branch", "branch"),
    ("Tags", "tags"),
    ("Program", "app"),
    // Information for the reader, which the save does not hold.
    ("Title", ""),
];

/// The name of the tag for an input file of the scenario or the file of a player.
const FILE: &str = "File";
/// The prefix of the tag for a header field that a later version of the program added.
const OTHER: &str = "Other-";
/// The start of the text's line about the end of the debate.
const END: &str = "End: ";

/// The reason why a save cannot be written as a text for people.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum SaveTextExportError {
    #[error("the save does not verify")]
    Unverified,
    #[error("the save needs the files beside it, which the format `game` cannot contain")]
    Sidecars,
    #[error("another version of the program wrote this save in a different notation")]
    OtherNotation,
}

/// A mistake in a save that is written as a text for people (format `game`).
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("line {line}: {what}")]
pub struct GameFormatSaveMistake {
    /// Number of the line with the mistake, from 1.
    pub line: usize,
    pub what: String,
}

/// Returns a save as a text for people. The text contains `title`, and for each event the sentences that `comments`
/// returns for its event number.
///
/// # Errors
/// If the save does not verify, needs files beside it, or could not be read back from the text with the same bytes.
pub fn write_game_text(
    save: &Save,
    title: &str,
    comments: impl Fn(u64) -> Vec<String>,
) -> Result<String, SaveTextExportError> {
    if save.first_difference.is_some() {
        return Err(SaveTextExportError::Unverified);
    }
    let is_beside = |line: &SaveEventLine| match &line.kind {
        SavedEventKind::Reply { reply, .. } | SavedEventKind::Refused { reply, .. } => matches!(
            reply,
            SavedReply::LongBits(bits) if matches!(bits.storage, LongBitsStorageInSave::Sidecar)
        ),
        _ => false,
    };
    if save.header.files.iter().any(|file| file.text.is_none()) || save.lines.iter().any(is_beside)
    {
        return Err(SaveTextExportError::Sidecars);
    }
    let mut out = tags(&save.header, title);
    out.push('\n');
    for line in &save.lines {
        out += &event_text(line);
        out.push('\n');
        for comment in comments(line.n) {
            let rows = comment.lines().filter(|row| !row.trim().is_empty());
            rows.for_each(|row| {
                let _ = writeln!(out, "   ; {}", row.trim());
            });
        }
    }
    if let Some((_, end)) = &save.end {
        let end = end_text(end, save.stated_costs.as_deref());
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{END}{end}");
    }
    out += "\n; The scenario:\n";
    for line in save.header.scenario.split('\n') {
        let _ = match line {
            "" => writeln!(out, "|"),
            line if line.chars().any(is_unsafe_character) => {
                writeln!(out, "|= {}", ron_string_literal(line))
            }
            line => writeln!(out, "| {line}"),
        };
    }
    // Older versions wrote some values differently, and a save's hashes cover its bytes.
    let is_same = assembled(&out).is_ok_and(|read| read.link == save.link);
    is_same
        .then_some(out)
        .ok_or(SaveTextExportError::OtherNotation)
}

/// Returns the header of a save as tags of the text.
fn tags(header: &SaveHeader, title: &str) -> String {
    let [prover, opponent, judge] = header
        .players
        .each_ref()
        .map(|name| ron_string_literal(name));
    let mut tags = vec![
        ("Title".to_owned(), ron_string_literal(title)),
        ("Alice".to_owned(), prover),
        ("Bob".to_owned(), opponent),
        ("Judge".to_owned(), judge),
    ];
    let mut put = |name: &str, value: String| tags.push((name.to_owned(), value));
    if let Some(started) = &header.started {
        put("Started", ron_string_literal(started));
    }
    put("Rules", protocol_text_for_save(&header.protocol));
    put("Instance", ron_string_literal(&header.instance));
    put("Seed", ron_string_literal(header.seed.as_str()));
    if header.debate > 0 {
        put("Debate", header.debate.to_string());
    }
    if header.blind {
        put("Blind", "true".to_owned());
    }
    if let Some(branch) = &header.branch {
        let of = branch.of.as_ref().map(|of| ("of", ron_string_literal(of)));
        let parts = [("from", branch.from.to_string())].into_iter().chain(of);
        put("Branch", format!("({})", ron_fields(parts)));
    }
    if !header.tags.is_empty() {
        put("Tags", ron_text_map(&header.tags));
    }
    for file in &header.files {
        let text = file
            .text
            .as_deref()
            .map_or_else(|| "None".to_owned(), ron_string_literal);
        let (name, digest) = (
            ron_string_literal(&file.name),
            ron_string_literal(&file.digest),
        );
        put(FILE, format!("({name}, {digest}, {text})"));
    }
    for (name, raw) in &header.unknown {
        put(&format!("{OTHER}{name}"), raw.clone());
    }
    put("Program", ron_string_literal(&header.app));
    let lines = tags
        .iter()
        .map(|(name, value)| format!("[{name} {value}]\n"));
    lines.collect::<Vec<_>>().concat()
}

/// Returns an event as a numbered line: `3. Alice: Answer(true)`.
fn event_text(line: &SaveEventLine) -> String {
    let (n, body) = (line.n, line.line_text_to_hash());
    let rest = body.strip_prefix(&format!("        (n: {n}, "));
    let rest = rest.unwrap_or(&body);
    for (seat, name) in SEATS {
        let Some(of_seat) = rest.strip_prefix(&format!("seat: {seat:?}, ")) else {
            continue;
        };
        return match of_seat.strip_prefix("reply: ") {
            Some(reply) => format!("{n}. {name}: {reply}"),
            None => format!("{n}. {name}, {of_seat}"),
        };
    }
    format!("{n}. {rest}")
}

/// Returns the end of the debate in the notation of saves.
fn end_text(end: &SavedDebateEnd, costs: Option<&str>) -> String {
    let mut text = match end {
        SavedDebateEnd::Finished { payoff, by_round } => {
            let by_round: Vec<String> = by_round
                .iter()
                .map(|paid| ron_string_literal(paid))
                .collect();
            let (payoff, by_round) = (ron_string_literal(payoff), by_round.join(", "));
            format!("Finished(payoff: {payoff}, by_round: [{by_round}])")
        }
        SavedDebateEnd::Forfeit { seat, fault } => {
            format!(
                "Forfeit(seat: {seat:?}, fault: {})",
                ron_string_literal(fault)
            )
        }
    };
    if let Some(costs) = costs {
        let _ = write!(text, ", costs: {costs}");
    }
    text
}

/// Reads a text that [`write_game_text`] wrote. Returns the verified save, and the save's own text.
///
/// # Errors
/// If a line cannot be read, or an event does not follow from the rules and the seed.
pub fn read_game_text(
    text: &str,
    limits: &ScenarioLimits,
) -> Result<(Save, String), GameFormatSaveMistake> {
    let Assembled {
        text,
        lines,
        header_line,
        ..
    } = assembled(text)?;
    let at = |line: usize, what: String| GameFormatSaveMistake { line, what };
    let followed = verify_save_bytes(text.as_bytes(), limits);
    let followed = followed.map_err(|error| at(header_line, error.to_string()))?;
    if let Some(difference) = followed.first_difference {
        let line = lines.get(difference.line.wrapping_sub(1)).copied();
        let what = format!(
            "expected {}, found {}",
            difference.expected, difference.found
        );
        return Err(at(line.unwrap_or(header_line), what));
    }
    let save = Save::parse(text.as_bytes()).map_err(|error| at(header_line, error.to_string()))?;
    Ok((save, text))
}

/// A save made from a text, which is not verified yet.
struct Assembled {
    text: String,
    link: super::ChainHash,
    /// For each line of the save that was made from a debate's text, the number of the line in that text.
    lines: Vec<usize>,
    /// The line number of the first tag in the text.
    header_line: usize,
}

/// The parts of a debate's text: tags, events and the end, each with its line number, and the lines of the scenario.
#[derive(Default)]
struct Parts<'t> {
    tags: Vec<(usize, &'t str, &'t str)>,
    events: Vec<(usize, &'t str)>,
    end: Option<(usize, &'t str)>,
    scenario: Vec<String>,
}

fn assembled(text: &str) -> Result<Assembled, GameFormatSaveMistake> {
    let parts = Parts::read(text)?;
    let header_line = parts.tags.first().map_or(1, |(line, ..)| *line);
    let body = parts.header()?;
    let header =
        SaveHeader::read_header(&body).map_err(|SaveTextMistake { what: reason, .. }| {
            GameFormatSaveMistake {
                line: header_line,
                what: format!("the tags do not form a valid save header: {reason}"),
            }
        })?;
    let (SaveLineFormatter { mut link, .. }, mut text) = SaveLineFormatter::begin_save(&header);
    let mut lines = vec![header_line; text.lines().count()];
    let mut close = |line: usize, body: &str, closer: &str| {
        if body.len() + 64 > MAX_LINE {
            let what = "the line is too long for a save".to_owned();
            return Err(GameFormatSaveMistake { line, what });
        }
        link = link.hash_of_next_line(body.as_bytes());
        text += &SAVE_HASH_POSITION.line_closed_with_hash(body, link, closer);
        lines.push(line);
        Ok(())
    };
    for (line, event) in parts.events {
        let what = |what: String| GameFormatSaveMistake { line, what };
        let body = event_body(event).map_err(what)?;
        let read =
            SaveEventLine::read_save_line(&body, line).map_err(|mistake| what(mistake.what))?;
        close(line, &read.line_text_to_hash(), EVENT_CLOSER)?;
    }
    if let Some((line, end)) = parts.end {
        let body = format!("{END_LINE}end: {end}");
        let closing =
            parse_closing_line_without_hash(&body).map_err(|mistake| GameFormatSaveMistake {
                line,
                what: mistake.what,
            })?;
        let end = end_text(&closing.end, closing.costs.as_deref());
        close(line, &format!("{END_LINE}end: {end}"), END_CLOSER)?;
    }
    Ok(Assembled {
        text,
        link,
        lines,
        header_line,
    })
}

/// Converts an event of the text to the body of its line in a save.
fn event_body(event: &str) -> Result<String, String> {
    let expected = "expected a numbered event, such as `3. Alice: Answer(true)`";
    let (n, rest) = event.split_once(". ").ok_or(expected)?;
    if n.is_empty() || !n.bytes().all(|digit| digit.is_ascii_digit()) {
        return Err(expected.to_owned());
    }
    for (seat, name) in SEATS {
        let Some(of_seat) = rest.strip_prefix(name) else {
            continue;
        };
        if let Some(reply) = of_seat.strip_prefix(": ") {
            return Ok(format!("        (n: {n}, seat: {seat:?}, reply: {reply}"));
        }
        if let Some(other) = of_seat.strip_prefix(", ") {
            return Ok(format!("        (n: {n}, seat: {seat:?}, {other}"));
        }
    }
    Ok(format!("        (n: {n}, {rest}"))
}

impl<'t> Parts<'t> {
    fn read(text: &'t str) -> Result<Self, GameFormatSaveMistake> {
        let mut parts = Self::default();
        for (line, row) in (1..).zip(text.lines()) {
            let at = |what: String| GameFormatSaveMistake { line, what };
            if let Some(source) = row.strip_prefix('|') {
                let scenario = if let Some(escaped) = source.strip_prefix("= ") {
                    let read = ron_options().from_str::<String>(escaped);
                    read.ok().ok_or_else(|| {
                        at(
                            "a scenario line that begins with `|=` needs a text in quotation marks"
                                .into(),
                        )
                    })?
                } else {
                    source.strip_prefix(' ').unwrap_or(source).to_owned()
                };
                parts.scenario.push(scenario);
                continue;
            }
            let row = row.trim();
            if row.is_empty() || row.starts_with(';') {
                continue;
            }
            if let Some(tag) = row.strip_prefix('[') {
                let tag = tag.strip_suffix(']').and_then(|tag| tag.split_once(' '));
                let (name, value) =
                    tag.ok_or_else(|| at("expected a tag, such as `[Seed \"7\"]`".into()))?;
                let read = ron_options().from_str::<&ron::value::RawValue>(value);
                if read.is_err() {
                    return Err(at(format!("the value of the tag `{name}` is not readable")));
                }
                let known = TAGS.iter().any(|(tag, _)| *tag == name);
                if !known && name != FILE && !name.starts_with(OTHER) {
                    return Err(at(format!("the format `game` has no tag `{name}`")));
                }
                if known && parts.tags.iter().any(|(_, other, _)| *other == name) {
                    return Err(at(format!("the tag `{name}` is given twice")));
                }
                parts.tags.push((line, name, value));
                continue;
            }
            if parts.end.is_some() {
                return Err(at("no event may follow the end of the debate".into()));
            }
            match row.strip_prefix(END) {
                Some(end) => parts.end = Some((line, end)),
                None => parts.events.push((line, row)),
            }
        }
        if parts.tags.is_empty() {
            let what = "this is not a debate in the format `game`: it has no tags".to_owned();
            return Err(GameFormatSaveMistake { line: 1, what });
        }
        if parts.scenario.is_empty() {
            let what = "the scenario is missing; its lines begin with `|`".to_owned();
            let line = text.lines().count();
            return Err(GameFormatSaveMistake { line, what });
        }
        Ok(parts)
    }

    /// Returns the header in the notation of saves.
    fn header(&self) -> Result<String, GameFormatSaveMistake> {
        let value = |field: &str| {
            let name = TAGS
                .iter()
                .find(|(_, it)| *it == field)
                .map(|(tag, _)| *tag);
            let mut tags = self.tags.iter();
            tags.find(|(_, tag, _)| Some(*tag) == name)
                .map(|(_, _, value)| (*value).to_owned())
        };
        let required = |field: &str| {
            value(field).ok_or_else(|| {
                let name = TAGS.iter().find(|(_, it)| *it == field);
                let name = name.map_or(field, |(tag, _)| *tag);
                let line = self.tags.first().map_or(1, |(line, ..)| *line);
                let what = format!("the save has no tag `{name}`");
                GameFormatSaveMistake { line, what }
            })
        };
        let mut header = vec![
            ("format", super::FORMAT.to_string()),
            ("app", required("app")?),
            ("scenario", ron_string_literal(&self.scenario.join("\n"))),
            ("protocol", required("protocol")?),
            ("seed", required("seed")?),
            ("instance", required("instance")?),
        ];
        for field in ["started", "debate", "blind", "branch", "tags"] {
            header.extend(value(field).map(|value| (field, value)));
        }
        let players = ["prover", "opponent", "judge"];
        let players = players.map(|seat| Ok((seat, required(seat)?)));
        let players = players.into_iter().collect::<Result<Vec<_>, _>>()?;
        header.push(("players", format!("({})", ron_fields(players))));
        let files = self.tags.iter().filter(|(_, name, _)| *name == FILE);
        let files: Vec<&str> = files.map(|(_, _, value)| *value).collect();
        header.push(("files", format!("[{}]", files.join(", "))));
        let others = self.tags.iter();
        header.extend(
            others.filter_map(|(_, name, value)| {
                Some((name.strip_prefix(OTHER)?, (*value).to_owned()))
            }),
        );
        Ok(format!("Save({}", ron_fields(header)))
    }
}
