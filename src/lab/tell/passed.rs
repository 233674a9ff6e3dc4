//! A summary of the moves that passed while somebody looked away.

use std::ops::Range;

use num_traits::Zero as _;

use super::{Script, grouped};
use debate_core::number::Exact;
use debate_core::observe::Observation;
use debate_core::protocol::Event;

use super::Viewpoint;

/// Fewer events than this need no summary: the transcript shows them.
const FEW: usize = 4;
/// Claims that are named, at most.
const NAMED: usize = 3;

/// What these entries of the log tell whoever looks: which way the debate went, how many estimates
/// were given and how the coins fell, what was paid. `None` where that is little.
pub fn passed(view: &Viewpoint<'_, '_>, entries: Range<usize>, script: Script) -> Option<String> {
    let narrator = view.narrator(script);
    let (mut estimates, mut coins, mut heads, mut bits) = (0_u64, 0_u64, 0_u64, 0_u64);
    let (mut way, mut checked) = (Vec::new(), 0_u64);
    let mut paid: Option<Exact> = None;
    let mut told = 0;
    for number in entries {
        told += usize::from(narrator.tell(view.log, number, view.reader).is_some());
        let Some(Observation::Open(entry)) = view.log.seen_by(number, view.reader) else {
            continue;
        };
        match &entry.event {
            Event::Estimated { .. } => estimates += 1,
            Event::Tossed { value, .. } => {
                coins += 1;
                heads += u64::from(*value);
            }
            Event::Selected { chosen, .. } => way.push(narrator.brief(*chosen)),
            Event::Gave { .. } | Event::GaveBit { .. } | Event::Claimed { .. } => bits += 1,
            Event::Judged { .. } => checked += 1,
            Event::Rewarded(reward) => *paid.get_or_insert_default() += reward.value(),
            _ => {}
        }
    }
    if told < FEW {
        return None;
    }
    let mut said = Vec::new();
    let counted = |count: u64, one: &str, many: &str| match count {
        0 => None,
        1 => Some(format!("one {one}")),
        count => Some(format!("{} {many}", grouped(count))),
    };
    let coins = counted(coins, "coin", "coins").map(|coins| format!("{coins} ({heads} true)"));
    let counts = [
        counted(estimates, "estimate", "estimates"),
        coins,
        counted(bits, "string of bits", "strings of bits"),
        counted(checked, "answer of the judge", "answers of the judge"),
    ];
    let counts: Vec<String> = counts.into_iter().flatten().collect();
    if !counts.is_empty() {
        said.push(counts.join(", "));
    }
    if !way.is_empty() {
        let left_out = way.len().saturating_sub(NAMED);
        if left_out > 0 {
            way.splice(1..=left_out, [format!("{left_out} more")]);
        }
        said.push(format!("on to {}", way.join(", then ")));
    }
    if let Some(paid) = paid {
        let amounts = view.amounts();
        said.push(if paid.is_zero() {
            "nothing was paid".to_owned()
        } else {
            format!("{} to {}", amounts.gained(&paid), amounts.recipient())
        });
    }
    (!said.is_empty()).then(|| format!("{}.", said.join("; ")))
}
