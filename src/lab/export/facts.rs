//! Events as data: a name for what happened, and what it was about.

use serde_json::{Map, Value, json};

use debate_core::bits::Bits;
use debate_core::number::{Exact, Number as _, canonical};
use debate_core::protocol::{Ask, Bet, Check, Event, Reward, Seal};
use debate_core::scenario::{ClaimId, Instance, Source};

/// Of longer strings of bits only the length is exported.
pub(super) const MOST_BITS: usize = 4096;

/// The event's `kind`.
pub(super) fn kind(event: &Event<Exact>) -> &'static str {
    match event {
        Event::Entered { .. } => "entered",
        Event::Answered { .. } => "answered",
        Event::Estimated { .. } => "estimated",
        Event::Tossed { .. } => "tossed",
        Event::Betted { .. } => "betted",
        Event::Supported { .. } => "supported",
        Event::Claimed { .. } => "claimed",
        Event::Gated { .. } => "gated",
        Event::Selected { .. } => "selected",
        Event::Parts { .. } => "parts",
        Event::Gave { .. } => "gave",
        Event::Shared { .. } => "shared",
        Event::Challenged { .. } => "challenged",
        Event::Read { .. } => "read",
        Event::Sampled { .. } => "sampled",
        Event::Checked { .. } => "checked",
        Event::GaveBit { .. } => "gave_bit",
        Event::Judged { .. } => "judged",
        Event::Opened(_) => "opened",
        Event::Rewarded(_) => "rewarded",
        Event::Ended { .. } => "ended",
    }
}

pub(super) fn claim(event: &Event<Exact>) -> Option<ClaimId> {
    match event {
        Event::Entered { claim, .. }
        | Event::Answered { claim, .. }
        | Event::Estimated { claim, .. }
        | Event::Tossed { claim, .. }
        | Event::Betted { claim, .. }
        | Event::Supported { claim, .. }
        | Event::Claimed { claim, .. }
        | Event::Gated { claim, .. }
        | Event::Parts { claim, .. }
        | Event::Judged { claim, .. }
        | Event::Selected { chosen: claim, .. }
        | Event::Gave {
            ask: Ask::Answers { claim, .. } | Ask::Block { claim, .. },
            ..
        } => Some(*claim),
        _ => None,
    }
}

pub(super) fn probability(event: &Event<Exact>) -> Option<&Exact> {
    match event {
        Event::Entered { p, .. } => p.as_ref(),
        Event::Judged { confidence, .. } => confidence.as_ref(),
        Event::Estimated { p, .. }
        | Event::Tossed { p, .. }
        | Event::Rewarded(Reward::Bet { p, .. }) => Some(p),
        _ => None,
    }
}

/// The event's outcome as a word or a number: `true`, `too low`, `17`.
pub(super) fn value(event: &Event<Exact>) -> Option<String> {
    let truth = |holds: bool| Some(holds.to_string());
    match event {
        Event::Answered { answer, .. } | Event::Judged { answer, .. } => truth(*answer),
        Event::Tossed { value, .. } | Event::Read { value, .. } | Event::GaveBit { value, .. } => {
            truth(*value)
        }
        Event::Gated { holds, .. } | Event::Checked { holds, .. } => truth(*holds),
        Event::Betted { bet, .. } => Some(bet.words().to_owned()),
        Event::Supported { support, .. } => Some((support + 1).to_string()),
        Event::Selected { place, .. } => Some((place + 1).to_string()),
        Event::Claimed { answers, .. } => Some(answers.to_string()),
        Event::Challenged { step, .. } => {
            Some(step.map_or_else(|| "none".to_owned(), |step| step.to_string()))
        }
        Event::Gave { bits, .. } if bits.len() <= MOST_BITS => Some(bits.to_string()),
        Event::Shared { share, .. } => Some(canonical(share)),
        Event::Sampled { ones, .. } => Some(ones.to_string()),
        _ => None,
    }
}

/// The event's fields by name. `number` gives each claim its number.
pub(super) fn fields(
    event: &Event<Exact>,
    instance: &Instance,
    mut number: impl FnMut(ClaimId) -> usize,
) -> Map<String, Value> {
    let mut fields = Map::new();
    let mut put = |name: &str, value: Value| {
        fields.insert(name.to_owned(), value);
    };
    if let Some(claim) = claim(event) {
        put("claim", json!(number(claim)));
    }
    if let Some(p) = probability(event) {
        put("p", json!(p.to_float()));
        put("p_exact", json!(canonical(p)));
    }
    match event {
        Event::Answered { answer, .. } | Event::Judged { answer, .. } => {
            put("answer", json!(answer));
        }
        Event::Estimated { place, alone, .. } => {
            put("place", json!(place));
            put("alone", json!(alone));
        }
        Event::Tossed { place, value, .. } => {
            put("place", json!(place));
            put("value", json!(value));
        }
        Event::Betted { bet, .. } => put("bet", json!(bet.sign())),
        Event::Supported { claim, support } => {
            put("support", json!(support));
            let chosen = instance.support(*claim, *support);
            let on = chosen.map_or(&[][..], |chosen| &chosen.on);
            put("gate", json!(chosen.map(|chosen| chosen.gate.to_string())));
            put("on", on.iter().map(|y| json!(number(*y))).collect());
        }
        Event::Claimed {
            support, answers, ..
        } => {
            put("support", json!(support));
            put(
                "answers",
                answers.as_slice().iter().map(|a| json!(a)).collect(),
            );
        }
        Event::Gated { holds, .. } => put("holds", json!(holds)),
        Event::Selected { by, place, .. } => {
            put("by", json!(by.name()));
            put("place", json!(place));
        }
        Event::Parts { on, .. } => {
            put("on", on.iter().map(|y| json!(number(*y))).collect());
        }
        Event::Gave { ask, bits } => {
            put("what", json!(ask_name(*ask)));
            put_bits(&mut put, bits);
        }
        Event::Shared { place, share } => {
            put("place", json!(place));
            put("share", json!(share.to_float()));
            put("share_exact", json!(canonical(share)));
        }
        Event::Challenged { step, verifier } => {
            put("challenged", json!(step));
            put("verifier", json!(verifier));
        }
        Event::Read {
            source,
            value,
            verifier,
        } => {
            let (from, place) = match source {
                Source::Input(place) => ("input", *place),
                Source::Witness(place) => ("witness", *place),
                Source::Step(step) => ("step", *step),
            };
            put("from", json!(from));
            put("place", json!(place));
            put("value", json!(value));
            put("verifier", json!(verifier));
        }
        Event::Sampled { step, ones, count } => {
            put("sampled", json!(step));
            put("ones", json!(ones));
            put("count", json!(count));
        }
        Event::Checked { check, holds } => {
            put("check", json!(check_name(*check)));
            put("holds", json!(holds));
        }
        Event::GaveBit { bit, value } => {
            put("bit", json!(bit));
            put("value", json!(value));
        }
        Event::Opened(seal) => put("opened", json!(seal_name(*seal))),
        Event::Rewarded(reward) => put_reward(&mut put, reward),
        Event::Ended { payoff } => {
            put("payoff", json!(payoff.to_float()));
            put("payoff_exact", json!(canonical(payoff)));
        }
        Event::Entered { .. } => {}
    }
    fields
}

fn put_bits(put: &mut impl FnMut(&str, Value), bits: &Bits) {
    put("length", json!(bits.len()));
    let whole = (bits.len() <= MOST_BITS).then(|| bits.to_string());
    put("bits", json!(whole));
}

fn put_reward(put: &mut impl FnMut(&str, Value), reward: &Reward<Exact>) {
    let value = reward.value();
    put("reward", json!(value.to_float()));
    put("reward_exact", json!(canonical(&value)));
    match reward {
        Reward::Agreement {
            weight,
            coin,
            answer,
            ..
        } => {
            put("weight", json!(weight.to_float()));
            put("coin", json!(coin));
            put("answer", json!(answer));
        }
        Reward::Bet {
            weight,
            bet,
            outcome,
            judged,
            ..
        } => {
            put("weight", json!(weight.to_float()));
            put("bet", json!(Bet::sign(*bet)));
            put("outcome", json!(outcome));
            put("judged", json!(judged));
        }
        Reward::Decided { for_prover } => put("for_prover", json!(for_prover)),
        Reward::Verdict { claimed, answer } => {
            put("claimed", json!(claimed));
            put("answer", json!(answer));
        }
    }
}

pub(super) fn seal_name(seal: Seal) -> &'static str {
    match seal {
        Seal::Answer => "answer",
        Seal::Bet(_) => "bet",
        Seal::Share(_) => "share",
    }
}

fn ask_name(ask: Ask) -> &'static str {
    match ask {
        Ask::Proof(_) => "proof",
        Ask::Answers { .. } => "answers",
        Ask::Configuration { .. } => "configuration",
        Ask::Witness => "witness",
        Ask::Transcript { verifier: false } => "transcript",
        Ask::Transcript { verifier: true } => "verifier_transcript",
        Ask::Block { .. } => "block",
    }
}

fn check_name(check: Check) -> &'static str {
    match check {
        Check::WellFormed { .. } => "well_formed",
        Check::Start => "start",
        Check::Accepts => "accepts",
        Check::Follows { .. } => "follows",
        Check::Step { .. } => "step",
        Check::Output => "output",
        Check::Estimate { .. } => "estimate",
        Check::Matrix => "matrix",
    }
}
