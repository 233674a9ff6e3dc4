//! `json`: a debate, or a scenario with its claims, as one document.
//!
//! Fields may be added, but are never renamed. `debate-tui schema debate` and `schema scenario` describe them.

use std::io::Write;
use std::sync::Arc;

use serde::Serialize;

use super::debate::{FirstClaimsInExport, first_claims_of};
use super::safe::{self, JsonListWriter};
use super::{
    ExportFormat, ExportFunctionByInput, ExportNotes, ExportOptions, ReplayedSave, Result,
    ScenarioToExport, TranscriptEvent,
};
use debate_core::protocol::LogViewerRole;
use debate_core::{ClaimId, Instance, Number as _};
use debate_host::message::escape_json_controls;
use debate_host::message::event::{ClaimMentionedInEvents, ClaimsMentionedInEvents, SeenEvent};
use debate_host::message::play::SavedDebateOutcomeReport;
use debate_host::record::AnsweringModel;
use debate_solver::expectation::{BySeat, RoundNumberOrInitial};
use debate_text::debate_moral;

pub(super) const SAVE_FORMAT: ExportFormat = ExportFormat {
    name: "json",
    dated: false,
    about: "the debate as data: its result and every event",
    ending: "json",
    takes: &[],
    of: ExportFunctionByInput::Save(|debate, _, out| of_a_save(debate, out)),
};

pub(super) const SCENARIO_FORMAT: ExportFormat = ExportFormat {
    name: "json",
    dated: false,
    about: "the scenario as data: its facts and its claims",
    ending: "json",
    takes: &["--instance", "--protocol", "--most-claims"],
    of: ExportFunctionByInput::Scenario(of_a_scenario),
};

/// The JSON export of a debate. For an unfinished debate, it omits information that is sealed from its players. The
/// debate's payoff, and each probability or reward of an event, is written in floating point and, with the suffix
/// `_exact`, as a fraction.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DebateReport {
    /// Always `debate-tui debate`.
    pub format: &'static str,
    /// The version of the format.
    pub version: u32,
    /// The version of the program that played the debate.
    pub app: String,
    /// The scenario's title.
    pub title: String,
    pub about: String,
    /// The text that the scenario shows after the end of a debate; null if this debate was not played to its end.
    pub debrief: Option<String>,
    /// The root claim.
    pub claim: String,
    /// The start of the debate, in UTC; null if the save does not record it.
    pub started: Option<String>,
    /// The number of this debate among the debates with the same seed.
    pub debate: u64,
    /// A sentence with the lesson of the debate's result; null if the debate was not played to its end.
    pub moral: Option<String>,
    /// The number of undone moves.
    pub taken_back: usize,
    /// The language models that replied; absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<AnsweringModel>,
    /// The claims to which events refer, numbered from 0; the root is claim 0.
    pub claims: Vec<Arc<ClaimMentionedInEvents>>,
    #[serde(flatten)]
    pub play: SavedDebateOutcomeReport,
    pub events: Vec<EventReport>,
}

/// An event with a sentence that describes it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EventReport {
    /// The event number, from 1, as in `replay --plain`.
    pub n: usize,
    /// The number of the move that caused the event, from 1.
    pub step: usize,
    pub round: Option<RoundNumberOrInitial>,
    /// Alice's cumulative payoff.
    pub payoff: f64,
    /// The time in milliseconds that a person or another program took for the move; only at the first event of a move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ms: Option<u64>,
    /// A remark on the move; only at the first event of a move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    #[serde(flatten)]
    pub seen: SeenEvent,
}

/// A scenario as data.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ScenarioReport {
    /// Always `debate-tui scenario`.
    pub format: &'static str,
    /// The version of the format.
    pub version: u32,
    /// The version of the program.
    pub app: &'static str,
    pub title: String,
    pub about: String,
    /// The private text that each seat reads before a debate.
    pub briefing: BySeat<Option<String>>,
    /// The text that the scenario shows after the end of a debate.
    pub debrief: String,
    pub problem: &'static str,
    /// The protocol's name.
    pub protocol: &'static str,
    /// The protocol with its parameters, as a scenario file writes it.
    pub parameters: String,
    pub players: BySeat<Option<String>>,
    pub instances: Vec<WeightedInstance>,
    /// The name of the instance whose claims are listed in `claims`.
    pub instance: String,
    /// True if the root claim is true; null if its truth is unknown.
    pub truth: Option<bool>,
    pub size: ScenarioSize,
    /// True if the list omits claims because there are too many.
    pub cut: bool,
    /// The claims level by level from the root. A claim that is a subclaim of several claims is listed once.
    pub claims: Vec<ExportedClaim>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WeightedInstance {
    pub name: String,
    /// The weight as a whole number or a fraction. The weights of all instances need not sum to 1.
    pub weight: String,
}

/// The numbers of claims and leaves and the depth and width of the whole claim tree. `claims` and `leaves` are strings
/// of digits.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ScenarioSize {
    pub claims: String,
    pub leaves: String,
    pub depth: u32,
    pub width: u32,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "ScenarioClaim"))]
pub struct ExportedClaim {
    /// The name that the scenario gives the claim; null if the claim has no name.
    pub id: Option<String>,
    pub text: String,
    pub short: String,
    pub leaf: bool,
    /// True if the claim is true; null if its truth is unknown.
    pub truth: Option<bool>,
    /// The evidence that the judge may see at a leaf; null if there is none.
    pub evidence: Option<String>,
    pub supports: Vec<ExportedSupport>,
}

/// One way to derive a claim: a gate over subclaims.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "ScenarioSupport"))]
pub struct ExportedSupport {
    pub label: Option<String>,
    pub gate: String,
    /// The indices of the support's subclaims in the list `claims`, from 0; null for a subclaim that is not listed.
    pub on: Vec<Option<usize>>,
}

fn of_a_save(debate: &ReplayedSave<'_>, out: &mut dyn Write) -> Result<ExportNotes> {
    let mut numbers = ClaimsMentionedInEvents::with_scenario_claim_names();
    numbers.number_of_claim(debate.instance, debate.instance.root());
    // The list of claims is written before the events, so their claims are numbered first.
    for event in debate.transcript_events() {
        seen(debate, event, String::new(), &mut numbers);
    }
    let header = &debate.save.header;
    let is_over = debate.is_over();
    let lines = debate.save.events_with_undone().iter();
    let taken_back =
        lines.filter(|line| line.kind.is_move() && !debate.save.is_move_not_undone(line.n));
    let texts = debate.setup.scenario_texts(debate.instance.world_index());
    let report = DebateReport {
        format: "debate-tui debate",
        version: 1,
        app: header.app.clone(),
        title: texts.title,
        about: debate.facts.scenario_introduction().to_owned(),
        debrief: is_over.then_some(texts.debrief),
        claim: debate.instance.text(debate.instance.root()),
        started: header.started.clone(),
        debate: header.debate,
        moral: is_over.then(|| debate_moral(debate.log(), debate.state().kind())),
        taken_back: taken_back.count(),
        models: debate.save.models_of_visible_seats(|seat| {
            debate.facts.reader == LogViewerRole::ALL
                || debate.facts.player_name_before_end(seat).is_some()
        }),
        claims: numbers.claims.clone(),
        play: debate.saved_debate_outcome_report(),
        // Written below, one event at a time.
        events: Vec::new(),
    };
    safe::write_object(out, &report, |field, out| match field {
        "events" => write_events(debate, &mut numbers, out).map(|()| true),
        _ => Ok(false),
    })?;
    writeln!(out)?;
    Ok(ExportNotes::new())
}

/// Returns an event as a reader of the debate may see it. `text` is the sentence that describes it.
fn seen(
    debate: &ReplayedSave<'_>,
    event: &TranscriptEvent,
    text: String,
    numbers: &mut ClaimsMentionedInEvents,
) -> Option<SeenEvent> {
    let entry = debate.log().entries().get(event.entry)?;
    let observation = debate.seen(event)?;
    Some(SeenEvent::of(
        entry,
        &observation,
        text,
        debate.instance,
        numbers,
    ))
}

/// Writes the JSON list of all events.
fn write_events(
    debate: &ReplayedSave<'_>,
    numbers: &mut ClaimsMentionedInEvents,
    out: &mut dyn Write,
) -> Result<()> {
    let mut list = JsonListWriter::new(out);
    for event in debate.transcript_events() {
        let text = debate.event_sentence(event).text;
        let Some(seen) = seen(debate, event, text, numbers) else {
            continue;
        };
        let report = EventReport {
            n: event.n,
            step: event.step,
            round: event.round.map(RoundNumberOrInitial::from),
            payoff: event.payoff.to_float(),
            ms: event.ms,
            note: event.note.clone(),
            seen,
        };
        list.push(&report)?;
    }
    list.write_list_end()
}

fn of_a_scenario(
    selected: &ScenarioToExport<'_>,
    asked: &ExportOptions,
    out: &mut dyn Write,
) -> Result<ExportNotes> {
    let ScenarioToExport {
        setup,
        protocol,
        instance,
        ..
    } = *selected;
    let excerpt = first_claims_of(instance, asked.most_claims);
    let size = instance.size();
    let worlds = setup.decomposition.worlds().iter();
    let owned = |text: Option<&str>| text.map(str::to_owned);
    let claims = excerpt
        .claims
        .iter()
        .map(|claim| excerpt.report(*claim, instance));
    let texts = setup.scenario_texts(instance.world_index());
    let report = ScenarioReport {
        format: "debate-tui scenario",
        version: 1,
        app: env!("CARGO_PKG_VERSION"),
        title: texts.title,
        about: texts.about,
        briefing: BySeat::new(|seat| owned(texts.briefing.text_of_seat(seat))),
        debrief: texts.debrief,
        problem: setup.problem,
        protocol: protocol.kind().protocol_name(),
        parameters: protocol.to_string(),
        players: BySeat::new(|seat| owned(setup.players.text_of_seat(seat))),
        instances: worlds
            .map(|world| WeightedInstance {
                name: world.name.clone(),
                weight: world.weight.to_string(),
            })
            .collect(),
        instance: instance.world_name().to_owned(),
        truth: instance.truth(instance.root()),
        size: ScenarioSize {
            claims: size.claims.to_string(),
            leaves: size.leaves.to_string(),
            depth: size.depth,
            width: size.width,
        },
        cut: excerpt.cut,
        claims: claims.collect(),
    };
    let text = escape_json_controls(serde_json::to_value(report)?.to_string());
    writeln!(out, "{text}")?;
    Ok(excerpt.left_out_claims_note(instance).into_iter().collect())
}

impl FirstClaimsInExport {
    fn report(&self, claim: ClaimId, instance: &Instance) -> ExportedClaim {
        let numbered = instance.supports(claim).iter().enumerate();
        let supports = numbered.map(|(index, support)| ExportedSupport {
            label: instance.support_label(claim, index).map(str::to_owned),
            gate: support.gate.to_string(),
            on: support
                .on
                .iter()
                .map(|below| self.index_of_claim(*below))
                .collect(),
        });
        ExportedClaim {
            id: instance.claim_id_in_file(claim).map(str::to_owned),
            text: instance.text(claim),
            short: instance.short_text(claim),
            leaf: instance.is_leaf(claim),
            truth: instance.truth(claim),
            evidence: instance.evidence(claim),
            supports: supports.collect(),
        }
    }
}
