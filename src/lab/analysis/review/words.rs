//! Hints, reviews and trials in words.

use num_traits::Zero as _;

use super::{
    Hints, MoveFault, MoveReview, RatedReply, Review, ReviewContext, RivalPool, Stake, TrialResults,
};
use debate_core::number::{Exact, Number, percent, short, signed};
use debate_core::protocol::words::shortened;
use debate_core::protocol::{Reply, Round, Seat};

/// A value, short and with its sign.
pub fn money(value: &Exact) -> String {
    if value.is_zero() {
        "0".to_owned()
    } else {
        signed(value.to_float(), 3)
    }
}

/// A reply in few words.
pub fn reply<N: Number>(reply: &Reply<N>) -> String {
    let yes = |holds: bool| if holds { "yes" } else { "no" }.to_owned();
    match reply {
        Reply::Answer(holds) | Reply::Oracle { holds, .. } => yes(*holds),
        Reply::Probability(p) => percent(p.to_float()),
        Reply::Direction(bet) => bet.words().to_owned(),
        Reply::Support(number) => format!("support {}", u64::from(*number) + 1),
        Reply::Compose(_) => "a support in Alice's own words".to_owned(),
        Reply::Select(number) => format!("subclaim {}", u64::from(*number) + 1),
        Reply::Bits(bits) => shortened(bits),
        Reply::Challenge(None) => "no step".to_owned(),
        Reply::Challenge(Some(step)) => format!("step {step}"),
        Reply::Speech(_) => "a speech".to_owned(),
        Reply::Continue(goes_on) => if *goes_on { "another round" } else { "the end" }.to_owned(),
        Reply::Drawn(outcome) => outcome.to_string(),
    }
}

/// A seat's name within a sentence.
pub fn person(seat: Seat) -> &'static str {
    match seat {
        Seat::Judge => "the judge",
        Seat::Chance => "the coins",
        seat => seat.person(),
    }
}

/// A seat with the name of its player: "Bob (bayes in a person's place)".
fn with_player(case: &ReviewContext, seat: Seat) -> String {
    let stands = if case.is_person(seat) {
        " in a person's place"
    } else {
        ""
    };
    format!("{} ({}{stands})", person(seat), case.player(seat))
}

/// Against whom the values are, in a sentence.
pub fn reference(case: &ReviewContext, hints: &Hints) -> String {
    let asked = hints.seat;
    let others = Seat::PLAYERS.into_iter().filter(|seat| *seat != asked);
    let each: Vec<String> = others.map(|seat| with_player(case, seat)).collect();
    let own = match asked {
        Seat::Judge => String::new(),
        seat => format!("; your later replies those of {}", case.player(seat)),
    };
    let instances = match hints.instances {
        0 | 1 => String::new(),
        many => format!("; a mean over {many} instances that you cannot tell apart"),
    };
    let sealed = if hints.means {
        "; a mean over what is sealed from you"
    } else {
        ""
    };
    format!("Against {}{own}{instances}{sealed}.", each.join(" and "))
}

/// The person of the other seat.
fn rival(hints: &Hints) -> &'static str {
    match hints.seat {
        Seat::Opponent => "Alice",
        _ => "Bob",
    }
}

/// Among whom the worst was looked for: "whatever Alice does".
fn worst_of(hints: &Hints) -> String {
    let rival = rival(hints);
    match hints.rivals {
        Some(RivalPool::Listed(count)) => format!("with the worst of {count} built-in {rival}s"),
        _ => format!("whatever {rival} does"),
    }
}

/// To whom the values of a hint are.
pub fn to_whom(hints: &Hints) -> &'static str {
    match hints.seat {
        Seat::Judge => "to Alice",
        _ => "to you",
    }
}

/// A value to the prover as text, to whoever is asked.
pub fn worth(hints: &Hints, value: &Exact) -> String {
    money(&hints.to_asked(value.clone()))
}

/// The worth of a reply in few words: "+0.6, at worst −0.1, best".
pub fn beside(hints: &Hints, rated: &RatedReply) -> String {
    let mut text = worth(hints, &rated.value);
    if let Some(worst) = &rated.worst {
        text = format!("{text}, at worst {}", worth(hints, worst));
    }
    let Some(best) = hints.best() else {
        return text;
    };
    if is_as_good(rated, best) {
        return format!("{text}, best");
    }
    if rated.worst.is_some() {
        return text;
    }
    let less = hints.to_asked(best.value.clone()) - hints.to_asked(rated.value.clone());
    format!("{text}, {} less", short(less.to_float(), 2))
}

/// True if there are several replies, and none is better than another.
fn all_alike(hints: &Hints) -> bool {
    let Some((first, others)) = hints.replies.split_first() else {
        return false;
    };
    !others.is_empty() && others.iter().all(|other| is_as_good(other, first))
}

fn is_as_good(one: &RatedReply, other: &RatedReply) -> bool {
    one.worst == other.worst && one.value == other.value
}

/// The worth of a reply as a clause: "guarantees −0.1 whatever Alice does, worth +0.6 against
/// this Alice".
pub fn rated(hints: &Hints, rated: &RatedReply) -> String {
    let value = worth(hints, &rated.value);
    let this = match hints.seat {
        Seat::Judge => String::new(),
        _ => format!(" against this {}", rival(hints)),
    };
    let Some(worst) = &rated.worst else {
        return format!("worth {value} {}{this}", to_whom(hints));
    };
    format!(
        "guarantees {} {} {}; worth {value}{this}",
        worth(hints, worst),
        to_whom(hints),
        worst_of(hints)
    )
}

/// The best reply and what it is worth, as a sentence; `None` for whom nothing is best.
pub fn best(hints: &Hints) -> Option<String> {
    let found = hints.best()?;
    let worth = rated(hints, found);
    Some(if all_alike(hints) {
        format!("No reply is better than another: each {worth}.")
    } else {
        let on = match found.reply {
            Reply::Probability(_) => " on the grid",
            _ => "",
        };
        format!("Best{on}: {}: {worth}.", reply(&found.reply))
    })
}

/// The hints as lines of text, the best reply first.
pub fn lines(case: &ReviewContext, hints: &Hints) -> Vec<String> {
    let mut lines = vec![reference(case, hints)];
    let so = format!(
        "Before your reply the debate is worth {} to Alice.",
        money(&hints.before)
    );
    lines.push(so);
    if hints.rivals.is_some() {
        lines.push(format!(
            "Ranked by what replies guarantee {}, then by their worth against this one:",
            worst_of(hints)
        ));
    }
    if let (true, Some(told)) = (all_alike(hints), best(hints)) {
        lines.push(told);
        return lines;
    }
    let ranked = hints.ranked();
    let all = hints.replies.iter().collect();
    for found in if ranked.is_empty() { all } else { ranked } {
        lines.push(format!(
            "  {}: {} {}",
            reply(&found.reply),
            to_whom(hints),
            beside(hints, found)
        ));
    }
    lines
}

/// The sign of a fault, as chess players write it, and its name.
pub fn fault(fault: MoveFault) -> (&'static str, &'static str) {
    match fault {
        MoveFault::Inaccuracy => ("?!", "inaccuracy"),
        MoveFault::Mistake => ("?", "mistake"),
        MoveFault::Blunder => ("??", "blunder"),
    }
}

/// The cost of a person's reply, in words; `None` if it was the best or is not known.
pub fn regret(review: &Review, step: &MoveReview) -> Option<String> {
    let found = step.regret.as_ref()?;
    let short_of = &found.short;
    if short_of <= &Exact::zero() {
        return None;
    }
    let rival = match step.seat {
        Seat::Prover => "Bob",
        _ => "Alice",
    };
    let mark = review.fault(step).map(fault);
    let mark = mark.map_or_else(String::new, |(sign, name)| format!("{sign} {name}: "));
    let stake = step.stake.as_ref();
    let stake = stake.map_or_else(String::new, |stake| of_stake(short_of, stake));
    let more = short(short_of.to_float(), 3);
    let worth = if found.guaranteed {
        format!("would have guaranteed {more} more")
    } else {
        format!("would have been worth {more} more against this {rival}")
    };
    Some(format!("{mark}{} {worth}{stake}", reply(&found.best)))
}

/// A loss beside what its round can pay. A fault is measured by the whole debate, in which early
/// rounds weigh little: this shows what was lost there as well.
fn of_stake(lost: &Exact, stake: &Stake) -> String {
    let Stake {
        weight, exponent, ..
    } = stake;
    if weight.is_zero() || *exponent == 0 {
        return String::new();
    }
    let share = (lost / weight).to_float();
    let power = match exponent {
        1 => "r".to_owned(),
        _ => format!("r^{exponent}"),
    };
    if share > 1.0 {
        ", more than this round can pay: later rounds hang on it".to_owned()
    } else {
        let (of, share) = (short(share, 2), short(share * 100.0, 2));
        format!(", {power} × {of}: {share} % of what this round can pay")
    }
}

/// The round of a reply, if rounds differ: ", round 3".
pub fn place(step: &MoveReview) -> String {
    match step.stake.as_ref().map(|stake| stake.round) {
        None => String::new(),
        Some(Round::Initial) => ", at first".to_owned(),
        Some(Round::Number(k)) => format!(", round {k}"),
    }
}

/// The ledger of skill and luck as labels and sentences.
pub fn ledger(case: &ReviewContext, review: &Review) -> Vec<(&'static str, String)> {
    let [alice, bob, judge] = Seat::PLAYERS.map(|seat| with_player(case, seat));
    let luck = review.luck();
    let lucky = match () {
        () if luck.is_zero() => "nobody's",
        () if luck > Exact::zero() => "Alice's",
        () => "Bob's",
    };
    vec![
        (
            "Start",
            format!(
                "{} to Alice could be expected of {alice}, {bob} and {judge}.",
                money(&review.start)
            ),
        ),
        (
            "Alice",
            format!("{} by her replies.", money(&review.skill(Seat::Prover))),
        ),
        (
            "Bob",
            format!(
                "{} to Alice by his replies.",
                money(&review.skill(Seat::Opponent))
            ),
        ),
        (
            "Luck",
            format!("{} by coins and the judge: {lucky}.", money(&luck)),
        ),
        (
            "Sum",
            format!(
                "{}, exactly what the debate paid Alice.",
                money(&review.payoff)
            ),
        ),
    ]
}

/// Trials in sentences.
pub fn trial_results(trial_results: &TrialResults) -> Vec<String> {
    let [prover, opponent, judge] = &trial_results.players;
    let exact = match &trial_results.exact {
        Ok(exact) => {
            let value = money(exact);
            let fraction = exact.to_string();
            let fraction = if fraction.len() <= 24 && fraction.contains('/') {
                format!(" = {fraction}")
            } else {
                String::new()
            };
            format!("Exactly {value}{fraction} can be expected.")
        }
        Err(why) => format!("The exact value was not found: {why}."),
    };
    vec![
        format!("{prover} against {opponent}, judged by {judge}."),
        format!(
            "Mean {} ± {} to Alice in {} debates (95 % interval).",
            signed(trial_results.mean(), 3),
            short(trial_results.half_width(), 2),
            trial_results.payoffs.len()
        ),
        exact,
    ]
}
