//! `json`: a debate, or a scenario with its claims, as one document.
//!
//! Version 1 of the debate: all fields of the play document, and beside them `format`, `version`,
//! `app`, `title`, `about`, `debrief`, `claim`, `started`, `moral`, `taken_back` (how many moves were),
//! `verified`, `first_difference` (where and how the save does not verify, else null),
//! `claims` (each with `text`, `short` and, where the scenario names it, `id`) and `events`. An
//! event has `n`, `step` (its move), `seat`, `kind`, `round`, `payoff` (up to here), `text`, and
//! what it says by name; claims stand by their place in `claims`, from 0. `sealed` says what hid
//! it from the other seats when it was made; of a debate that is not over, nothing is told that is
//! sealed from whoever plays it. `ms` and `note` stand at the first event of a move.
//! Numbers that were spoken stand as floating-point numbers and, with `_exact`, as fractions.
//! Fields may be added, never renamed.

use serde_json::{Map, Value, json};

use super::tree::tree;
use super::{
    ExportFlag, ExportOptions, ExportedText, Format, FormatWriter, SavedDebate, SelectedScenario,
};
use super::{facts, play, safe};
use debate_core::number::Number as _;
use debate_core::protocol::words::moral;
use debate_core::protocol::{Seat, VisibleEntry};
use debate_core::scenario::{ClaimId, Instance};

pub(super) const OF_A_SAVE: Format = Format {
    name: "json",
    about: "the debate as data: what it came to, and every event",
    takes: &[],
    of: FormatWriter::Save(|debate, _| Ok(of_a_save(debate).into())),
};

pub(super) const OF_A_SCENARIO: Format = Format {
    name: "json",
    about: "the scenario as data: its facts and its claims",
    takes: &[
        ExportFlag::Instance,
        ExportFlag::Protocol,
        ExportFlag::MostClaims,
    ],
    of: FormatWriter::Scenario(|proposal, asked| Ok(of_a_scenario(proposal, asked))),
};

/// The claims that events speak of, numbered in the order of their first mention.
#[derive(Default)]
struct NumberedClaims {
    numbers: std::collections::HashMap<ClaimId, usize>,
    told: Vec<Value>,
}

impl NumberedClaims {
    fn number(&mut self, instance: &Instance, claim: ClaimId) -> usize {
        let next = self.told.len();
        *self.numbers.entry(claim).or_insert_with(|| {
            let mut fields = json!({
                "text": instance.text(claim),
                "short": instance.short_text(claim),
            });
            if let Some(id) = instance.id(claim) {
                fields["id"] = json!(id);
            }
            self.told.push(fields);
            next
        })
    }
}

fn of_a_save(debate: &SavedDebate<'_>) -> String {
    let mut claims = NumberedClaims::default();
    claims.number(debate.instance, debate.instance.root());
    let events = events(debate, &mut claims);
    let header = &debate.save.header;
    let kind = debate.state().kind();
    let taken_back = debate
        .save
        .lines()
        .iter()
        .filter(|line| line.kind.is_move() && !debate.save.stands(line.n));
    let mut document = json!({
        "format": "debate-tui debate",
        "version": 1,
        "app": header.app,
        "title": debate.setup.title,
        "about": debate.facts.opening_text(),
        "debrief": debate.is_over().then_some(&debate.setup.debrief),
        "claim": debate.instance.text(debate.instance.root()),
        "started": header.started,
        "debate": header.debate,
        "moral": debate.is_over().then(|| moral(debate.log(), kind)),
        "taken_back": taken_back.count(),
        "claims": claims.told,
    });
    let mut fields = Map::new();
    for part in [document.take(), debate.play()] {
        if let Value::Object(part) = part {
            fields.extend(part);
        }
    }
    safe::json_text(safe::object_with(fields, &[("events", &events)])) + "\n"
}

/// All events, as the text of a list.
fn events(debate: &SavedDebate<'_>, claims: &mut NumberedClaims) -> String {
    let metas = debate.metas();
    let mut before = 0;
    safe::list(
        debate
            .transcript_events()
            .iter()
            .filter_map(|transcript_event| {
                let entry = debate.log().entries().get(transcript_event.entry)?;
                let seen = debate.seen(transcript_event)?;
                let mut fields = Map::new();
                let mut put = |name: &str, value: Value| {
                    fields.insert(name.to_owned(), value);
                };
                put("n", json!(transcript_event.n));
                put("step", json!(transcript_event.step));
                put("seat", json!(entry.seat.name()));
                put("kind", json!(facts::kind(&entry.event)));
                put(
                    "round",
                    transcript_event.round.map_or(Value::Null, play::round),
                );
                put("payoff", json!(transcript_event.payoff.to_float()));
                put("text", json!(debate.sentence(transcript_event).text));
                if let Some(seal) = entry.seal {
                    put("sealed", json!(facts::seal_name(seal)));
                }
                if transcript_event.step != before
                    && let Some((ms, note)) = metas.get(transcript_event.step.saturating_sub(1))
                {
                    if let Some(ms) = ms {
                        put("ms", json!(ms));
                    }
                    if let Some(note) = note {
                        put("note", json!(note));
                    }
                }
                before = transcript_event.step;
                if let VisibleEntry::Open(entry) = seen {
                    let said = facts::fields(&entry.event, debate.instance, |claim| {
                        claims.number(debate.instance, claim)
                    });
                    fields.extend(said);
                }
                Some(Value::Object(fields))
            }),
    )
}

fn of_a_scenario(proposal: &SelectedScenario<'_>, asked: &ExportOptions) -> ExportedText {
    let SelectedScenario {
        setup,
        protocol,
        instance,
        ..
    } = *proposal;
    let tree = tree(instance, asked.most_claims);
    let claims = tree.claims.iter().map(|claim| {
        let supports = instance.supports(*claim).iter().enumerate();
        let supports = supports.map(|(place, support)| {
            let on = support.on.iter().map(|y| tree.number(*y));
            json!({
                "label": instance.label(*claim, place),
                "gate": support.gate.to_string(),
                "on": on.collect::<Vec<_>>(),
            })
        });
        json!({
            "id": instance.id(*claim),
            "text": instance.text(*claim),
            "short": instance.short_text(*claim),
            "leaf": instance.is_leaf(*claim),
            "truth": instance.truth(*claim),
            "evidence": instance.evidence(*claim),
            "supports": supports.collect::<Vec<_>>(),
        })
    });
    let size = instance.size();
    let worlds = setup.decomposition.worlds().iter();
    let document = json!({
        "format": "debate-tui scenario",
        "version": 1,
        "app": env!("CARGO_PKG_VERSION"),
        "title": setup.title,
        "about": setup.about,
        "briefing": {
            "prover": setup.briefing.get(Seat::Prover),
            "opponent": setup.briefing.get(Seat::Opponent),
            "judge": setup.briefing.get(Seat::Judge),
        },
        "debrief": setup.debrief,
        "problem": setup.problem,
        "protocol": protocol.kind().name(),
        "parameters": protocol.to_string(),
        "players": {
            "prover": setup.players.get(Seat::Prover),
            "opponent": setup.players.get(Seat::Opponent),
            "judge": setup.players.get(Seat::Judge),
        },
        "instances": worlds.map(|world| json!({
            "name": world.name,
            "weight": world.weight.to_string(),
        })).collect::<Vec<_>>(),
        "instance": instance.name(),
        "truth": instance.truth(instance.root()),
        "size": {
            "claims": size.claims.to_string(),
            "leaves": size.leaves.to_string(),
            "depth": size.depth,
            "width": size.width,
        },
        "cut": tree.cut,
        "claims": claims.collect::<Vec<_>>(),
    });
    let notes = tree.note(instance).into_iter().collect();
    let text = safe::json(&document) + "\n";
    ExportedText { text, notes }
}
