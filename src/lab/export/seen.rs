//! Events and claims as data, as a reader sees them.

use std::collections::HashMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use super::event::{self, EventFields};
use debate_core::number::Exact;
use debate_core::observe::Observation;
use debate_core::protocol::LogEntry;
use debate_core::scenario::{ClaimId, Instance};

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NumberedClaim {
    pub text: String,
    pub short: String,
    /// The scenario's name for it, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

/// The claims that events speak of, numbered in the order of their first mention.
#[derive(Clone, Default)]
pub(crate) struct ClaimNumbers {
    /// True if the scenario's names for claims are told: to whoever plays they may say too much.
    tells_ids: bool,
    numbers: HashMap<ClaimId, usize>,
    pub(crate) claims: Vec<Arc<NumberedClaim>>,
}

impl ClaimNumbers {
    /// Nothing numbered yet; the scenario's names for claims are told.
    pub(crate) fn with_ids() -> Self {
        Self {
            tells_ids: true,
            ..Self::default()
        }
    }

    /// Forgets all numbers but the first so many.
    pub(crate) fn truncate(&mut self, count: usize) {
        if count < self.claims.len() {
            self.claims.truncate(count);
            self.numbers.retain(|_, number| *number < count);
        }
    }

    /// The number of a claim.
    pub(crate) fn number(&mut self, instance: &Instance, claim: ClaimId) -> usize {
        let (next, tells_ids) = (self.claims.len(), self.tells_ids);
        *self.numbers.entry(claim).or_insert_with(|| {
            self.claims.push(Arc::new(NumberedClaim {
                text: instance.text(claim),
                short: instance.short_text(claim),
                id: instance.id(claim).filter(|_| tells_ids).map(str::to_owned),
            }));
            next
        })
    }
}

/// An event as a reader sees it, with a sentence that tells it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct SeenEvent {
    pub seat: &'static str,
    pub text: String,
    /// The seal that hid it from the other seats when it was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sealed: Option<&'static str>,
    #[serde(flatten)]
    pub content: EventContent,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
pub enum EventContent {
    Open(EventFields),
    /// An event whose content is sealed from the reader.
    Sealed {
        kind: &'static str,
    },
}

impl SeenEvent {
    /// An entry of the log as somebody sees it, told by this text.
    pub(crate) fn of(
        entry: &LogEntry<Exact>,
        seen: &Observation<'_, Exact>,
        text: String,
        instance: &Instance,
        numbers: &mut ClaimNumbers,
    ) -> Self {
        Self {
            seat: entry.seat.name(),
            text,
            sealed: entry.seal.map(event::seal_name),
            content: match seen {
                Observation::Open(entry) => {
                    let number = |claim| numbers.number(instance, claim);
                    EventContent::Open(EventFields::of(&entry.event, instance, number))
                }
                Observation::Sealed { .. } => EventContent::Sealed {
                    kind: event::kind(&entry.event),
                },
            },
        }
    }
}
