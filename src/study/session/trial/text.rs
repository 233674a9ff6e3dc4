//! Lines and claims of a trial for a participant's page.

use std::ops::Range;

use serde_json::json;

use crate::plan::StudyPlan;
use crate::session::page::ClaimOnStudyPage;
use debate_core::number::Exact;
use debate_core::protocol::{Log, LogViewerRole, State};
use debate_core::scenario::{ClaimId, Instance};
use debate_text::{
    ClaimTree, DebateDescription, DebateNarrator, DebateViewpoint, FormulaCharacterSet, Line,
    TextRole, ViewerPerspective, text_role_of_seat,
};

/// Maximum number of leaves with evidence, and of claims, that a page shows.
const MAX_LEAVES: usize = 60;

/// Appends to `lines` the leaves below a claim, each with its evidence. If the study's `plan` is given, its text
/// `evidence` introduces the evidence.
pub(super) fn append_leaf_evidence(
    instance: &Instance,
    claim: ClaimId,
    plan: Option<&StudyPlan>,
    lines: &mut Vec<String>,
) {
    if lines.len() >= MAX_LEAVES {
        return;
    }
    if instance.is_leaf(claim) {
        let text = instance.text(claim);
        let seen = instance.evidence(claim);
        let line = match (seen, plan) {
            (None, _) => text,
            (Some(seen), None) => format!("{text}\n  {seen}"),
            (Some(seen), Some(plan)) => {
                let seen = plan.filled_text("evidence", &json!({"evidence": seen}));
                format!("{text}\n{seen}")
            }
        };
        if !lines.contains(&line) {
            lines.push(line);
        }
        return;
    }
    for support in instance.supports(claim) {
        for below in &support.on {
            append_leaf_evidence(instance, *below, plan, lines);
        }
    }
}

pub(super) fn text_line(text: impl Into<String>) -> Line {
    Line::unlabelled(TextRole::Text, text)
}

/// Returns a log entry as a line in the narrator's words. It has the content that [`LogViewerRole::JUDGING_ANEW`] sees,
/// in whichever seat the participant is. `None` if this viewer does not see the entry.
pub(super) fn log_entry_line(
    narrator: &DebateNarrator<'_>,
    log: &Log<Exact>,
    index: usize,
) -> Option<Line> {
    let narrated = narrator.narrate(log, index, LogViewerRole::JUDGING_ANEW)?;
    let mut line = Line::default();
    if let Some(seat) = narrated.who {
        line = line
            .append_span(
                text_role_of_seat(seat),
                narrator.perspective.player_name_or_you(seat),
            )
            .append_span(TextRole::Text, " ");
    }
    let speaks = log.entries().get(index)?.event.speech().is_some();
    for (row, text) in narrated.text.split('\n').enumerate() {
        // Only quotes from the source begin a row with this mark, never a player's own words.
        let role = if speaks && text.starts_with(QUOTE) {
            TextRole::Chosen
        } else {
            narrated.role
        };
        let feed = if row == 0 { "" } else { "\n" };
        line = line.append_span(role, format!("{feed}{text}"));
    }
    Some(line)
}

/// The text that begins a line which quotes from the source.
const QUOTE: &str = "> “";

/// Returns the claims of a debate as its judge sees them. If `numbered` is true, they have the probabilities that
/// players gave. Empty until a claim has subclaims. Bets and coins appear in the lines instead.
pub(super) fn page_claims(
    facts: &DebateDescription<'_>,
    numbered: bool,
    state: &State<'_, Exact>,
    log: &Log<Exact>,
) -> Vec<ClaimOnStudyPage> {
    let view = DebateViewpoint {
        facts,
        state,
        log,
        reader: LogViewerRole::JUDGING_ANEW,
        perspective: ViewerPerspective::NEUTRAL,
        newest: 0..0,
        marks: &[],
    };
    let figures = DebateViewpoint {
        reader: view.reader.with_estimates_visible(),
        ..view.clone()
    };
    let mut tree = ClaimTree::new(&view);
    tree.read_new_log_entries(&view);
    if tree.row_count() < 2 {
        return Vec::new();
    }
    let rows = (0..tree.row_count().min(MAX_LEAVES)).filter_map(|row| {
        let claim = tree.row(&view, row, FormulaCharacterSet::Unicode)?;
        let p = tree.row(&figures, row, FormulaCharacterSet::Unicode)?.p;
        Some(ClaimOnStudyPage {
            depth: claim.branches.depth_in_claim_tree(),
            percent: p.filter(|_| numbered).map(|p| 100.0 * p),
            value: claim.prover_response_and_outcome_text(),
            is_current: row == tree.row_of_claim_of_request(),
            text: claim.text,
        })
    });
    rows.collect()
}

/// Returns the truth of the claim that tables call `name`: its id in the scenario file, or its text if it has no id.
/// `None` if no such claim is found, or if its truth is unknown.
pub(crate) fn truth_of_named_claim(instance: &Instance, name: &str) -> Option<bool> {
    fn find(instance: &Instance, claim: ClaimId, name: &str, left: &mut usize) -> Option<ClaimId> {
        *left = left.checked_sub(1)?;
        if instance
            .claim_id_in_file(claim)
            .map_or_else(|| instance.text(claim) == name, |id| id == name)
        {
            return Some(claim);
        }
        let below = instance
            .supports(claim)
            .iter()
            .flat_map(|support| &support.on);
        below
            .copied()
            .find_map(|claim| find(instance, claim, name, left))
    }
    // A limit on visited claims, because the tree may be infinite.
    let mut left = 10_000;
    instance.truth(find(instance, instance.root(), name, &mut left)?)
}

/// Splits a text into lines and marks the passages in the byte ranges `ranges` as quoted.
pub(super) fn mark_quotes(text: &str, mut ranges: Vec<Range<usize>>) -> Vec<Line> {
    ranges.sort_by_key(|range| range.start);
    let mut lines = vec![Line::default()];
    let mut put = |piece: &str, role: TextRole| {
        for (row, words) in piece.split('\n').enumerate() {
            if row > 0 {
                lines.push(Line::default());
            }
            if let Some(line) = lines.last_mut().filter(|_| !words.is_empty()) {
                *line = std::mem::take(line).append_span(role, words);
            }
        }
    };
    let mut from = 0;
    for range in ranges {
        // Quotes may overlap.
        let start = range.start.max(from);
        if start >= range.end {
            continue;
        }
        put(text.get(from..start).unwrap_or_default(), TextRole::Text);
        put(
            text.get(start..range.end).unwrap_or_default(),
            TextRole::Chosen,
        );
        from = range.end;
    }
    put(text.get(from..).unwrap_or_default(), TextRole::Text);
    lines
}
