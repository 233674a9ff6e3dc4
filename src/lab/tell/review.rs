//! Hints, reviews and trials in words.

use std::cmp::Ordering;

use num_traits::{Signed as _, Zero as _};

use debate_core::number::{Exact, Number, short, signed};
use debate_core::protocol::{Kind, Reply, Seat};

use super::{Amounts, Narrator, Perspective, Script, Unit, reply_words, rival_of};
use crate::analysis::review::{
    Cause, Hints, LaterReplies, MoveFault, MoveReview, RatedReply, Review, ReviewContext,
    RivalPool, Stake, TrialResults,
};

/// A value, short and with its sign.
pub fn money(value: &Exact) -> String {
    signed(value.to_float(), 3)
}

/// What a move was about, in few words: the claim, or the bits that were asked for.
fn about(case: &ReviewContext, step: &MoveReview) -> Option<String> {
    if let Some(claim) = step.claim {
        return Some(format!("“{}”", case.instance().short_text(claim)));
    }
    let narrator = Narrator::new(case.instance(), Script::Unicode);
    step.ask.map(|ask| narrator.what(ask))
}

/// A reply in the words of its debate.
pub fn reply_text(case: &ReviewContext, given: &Reply<Exact>) -> String {
    let configuration = match given {
        Reply::Bits(bits) if case.kind() == Kind::Bisection => {
            Narrator::new(case.instance(), Script::Unicode).configuration(bits)
        }
        _ => None,
    };
    configuration.map_or_else(|| reply_words(given), |text| format!("“{text}”"))
}

/// A seat with the name of its player: "Bob (bayes in a person's place)".
fn with_player(case: &ReviewContext, perspective: Perspective, seat: Seat) -> String {
    let stands = match (case.is_person(seat), perspective.is_you(seat)) {
        (false, _) => "",
        (true, true) => " in your place",
        (true, false) => " in a person's place",
    };
    let who = perspective.within(seat);
    format!("{who} ({}{stands})", case.player(seat))
}

/// Against whom the values are, in a sentence.
pub fn reference(case: &ReviewContext, hints: &Hints) -> String {
    let asked = hints.seat;
    let others = Seat::PLAYERS.into_iter().filter(|seat| *seat != asked);
    let named = |seat| with_player(case, Perspective::of(asked), seat);
    let each: Vec<String> = others.map(named).collect();
    let own = match asked {
        Seat::Judge => String::new(),
        _ if hints.later == LaterReplies::Best => {
            "; your later replies the best against them, for all that you can know".to_owned()
        }
        seat => format!("; your later replies those of {}", case.player(seat)),
    };
    let instances = match hints.instances {
        0 | 1 => String::new(),
        many => format!("; a mean over {many} instances that you cannot tell apart"),
    };
    let sealed = "; a mean over what is sealed from you";
    let of_players = "; of the replies that built-in players would give";
    let remarks: String = [(hints.means, sealed), (hints.of_players, of_players)]
        .into_iter()
        .filter(|(holds, _)| *holds)
        .map(|(_, remark)| remark)
        .collect();
    format!("Against {}{own}{instances}{remarks}.", each.join(" and "))
}

/// The person of the other seat.
fn rival(hints: &Hints) -> &'static str {
    rival_of(hints.seat).person()
}

/// Among whom the worst was looked for: "whatever Alice does".
fn worst_of(hints: &Hints) -> String {
    let rival = rival(hints);
    match hints.rivals {
        Some(RivalPool::Listed(count)) => format!("against any of the {count} listed {rival}s"),
        _ => format!("whatever {rival} does"),
    }
}

/// The player of the other seat by name: "this Alice, obfuscator".
fn this_rival(case: &ReviewContext, hints: &Hints) -> String {
    format!(
        "this {}, {}",
        rival(hints),
        case.player(rival_of(hints.seat))
    )
}

/// To whom the values of a hint are.
pub fn to_whom(hints: &Hints) -> &'static str {
    Perspective::of(hints.seat).recipient()
}

/// The worth of a reply in few words: "at worst −10, here +60, best". `amounts`: figures as whoever
/// is asked reads them.
pub fn worth(hints: &Hints, rated: &RatedReply, amounts: &Amounts) -> String {
    let value = amounts.signed(&rated.value);
    let text = match &rated.worst {
        Some(worst) => format!("at worst {}, here {value}", amounts.signed(worst)),
        None => format!("worth {value}"),
    };
    let Some(best) = hints.best() else {
        return text;
    };
    if is_as_good(rated, best) {
        return format!("{text}, best");
    }
    if rated.worst.is_some() {
        return text;
    }
    let less = &best.value - &rated.value;
    format!("{text}, {} less", amounts.size(&less))
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

/// The hint on a reply in two sentences, for a debater: what it guarantees, with `fits` on whether
/// it agrees with what was said before; then what it is worth against the player of the other seat,
/// by name. The best reply stands beside it, where it is another and known. `None` for a judge.
/// `amounts`: figures as whoever is asked reads them.
pub fn two_lines(
    case: &ReviewContext,
    hints: &Hints,
    rated: &RatedReply,
    fits: &str,
    amounts: &Amounts,
) -> Option<[String; 2]> {
    let best = hints.best()?;
    let alike = all_alike(hints);
    let is_best = is_as_good(rated, best);
    let name = match (alike, is_best) {
        (true, true) => "No reply is better than another: each".to_owned(),
        (_, true) => format!("Best: {}", reply_text(case, &rated.reply)),
        _ => reply_text(case, &rated.reply),
    };
    let it = match (alike, is_best) {
        (true, true) => "",
        (_, true) => ". It",
        _ => ": it",
    };
    let alternative = |value: Option<&Exact>| match value {
        Some(value) if !is_best => {
            let reply = reply_text(case, &best.reply);
            format!(" Best: {reply}, {}.", amounts.signed(value))
        }
        _ => String::new(),
    };
    let guaranteed = match &rated.worst {
        Some(worst) if alike && is_best && amounts.to_side(worst).is_negative() => {
            let loss = amounts.counted(worst);
            format!("No reply is better than another: each can end in a loss of {loss}{fits}.")
        }
        Some(worst) => {
            let kept = if amounts.to_side(worst).is_negative() {
                format!("loses at most {}", amounts.counted(worst))
            } else {
                format!("guarantees {}", amounts.gained(worst))
            };
            let more = best.worst.as_ref().filter(|most| *most != worst);
            let whoever = worst_of(hints);
            let other = alternative(more);
            format!("{name}{it} {kept} {whoever}{fits}.{other}")
        }
        None if alike => format!("No reply is better than another{fits}."),
        None if hints.later == LaterReplies::Best => {
            format!("{name}, with the best replies after it{fits}.")
        }
        None => format!("{name}{it} guarantees nothing that is known, too much can happen{fits}."),
    };
    let value = amounts.gained(&rated.value);
    // Where both guarantee the same, this is what tells them apart.
    let better = alternative(Some(&best.value).filter(|_| best.worst == rated.worst));
    let against = format!("Against {}: {value}.{better}", this_rival(case, hints));
    Some([guaranteed, against])
}

/// The hints as lines of text, the best reply first.
pub fn lines(case: &ReviewContext, hints: &Hints, amounts: &Amounts) -> Vec<String> {
    let mut lines = vec![reference(case, hints)];
    let before = amounts.signed(&hints.before);
    let to = to_whom(hints);
    lines.push(format!(
        "Before your reply the debate is worth {before} to {to}."
    ));
    let best = hints.best();
    if let Some(hint) = best.and_then(|best| two_lines(case, hints, best, "", amounts)) {
        lines.extend(hint);
    }
    if all_alike(hints) && best.is_some() {
        return lines;
    }
    if hints.rivals.is_some() {
        let worst = worst_of(hints);
        lines.push(format!("Ranked by what replies guarantee {worst}:"));
    }
    let ranked = hints.ranked();
    let all = hints.replies.iter().collect();
    for rated in if ranked.is_empty() { all } else { ranked } {
        let (reply, worth) = (reply_text(case, &rated.reply), worth(hints, rated, amounts));
        lines.push(format!("  {reply}: to {to} {worth}"));
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
pub fn regret(
    case: &ReviewContext,
    review: &Review,
    step: &MoveReview,
    amounts: &Amounts,
) -> Option<String> {
    let regret = step.regret.as_ref()?;
    let short_of = &regret.short;
    if short_of <= &Exact::zero() {
        return None;
    }
    let mark = review
        .fault(step)
        .map(fault)
        .map_or_else(String::new, |(sign, name)| format!("{sign} {name}: "));
    let stake = step.stake.as_ref();
    let stake = stake.map_or_else(String::new, |stake| of_stake(short_of, stake));
    let more = amounts.counted(short_of);
    let worth = match (regret.guaranteed, step.seat) {
        (true, _) => format!("would have guaranteed {more} more"),
        (_, Seat::Prover) => format!("would have been worth {more} more against this Bob"),
        _ => format!("would have been worth {more} more against this Alice"),
    };
    let best = reply_text(case, &regret.best);
    Some(format!("{mark}{best} {worth}{stake}"))
}

/// A loss beside what its round can pay. A fault is measured by the whole debate, in which early
/// rounds weigh little: this shows what was lost there as well.
fn of_stake(lost: &Exact, stake: &Stake) -> String {
    let weight = &stake.weight;
    let exponent = stake.exponent;
    if weight.is_zero() || exponent == 0 {
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

/// A reply of a person against the best as far as it could be known then: what it was about, what was
/// said and what would have been better; `None` where that is not known.
pub fn rated(
    case: &ReviewContext,
    review: &Review,
    step: &MoveReview,
    amounts: &Amounts,
) -> Option<String> {
    step.regret.as_ref()?;
    let about = about(case, step);
    let about = about.map_or_else(String::new, |about| format!("{about}: "));
    let better = regret(case, review, step, amounts);
    let better = better.unwrap_or_else(|| "nothing was better".to_owned());
    let given = reply_text(case, &step.reply);
    Some(format!("{about}said {given}; {better}."))
}

/// The round of a reply, if rounds differ: ", round 3".
pub fn place(step: &MoveReview) -> String {
    match step.stake.as_ref().map(|stake| stake.number) {
        None => String::new(),
        Some(None) => ", at first".to_owned(),
        Some(Some(number)) => format!(", round {number}"),
    }
}

/// The reference player that a person's replies are measured against: "against bayes in your place".
fn reference_of(case: &ReviewContext, perspective: Perspective, seat: Seat) -> String {
    let whose = perspective.whose(seat);
    format!("against {} in {whose} place", case.player(seat))
}

/// The ledger of skill and luck as labels and sentences, told from a seat: what could be expected,
/// then what a person's replies, a strategy's dice, coins and the judge made of it. Their sum is
/// the payoff, without a rest.
pub fn ledger(
    case: &ReviewContext,
    review: &Review,
    amounts: &Amounts,
) -> Vec<(&'static str, String)> {
    let perspective = amounts.perspective;
    let [alice, bob, judge] = Seat::PLAYERS.map(|seat| with_player(case, perspective, seat));
    let to = perspective.recipient();
    let paid = |value: Exact| amounts.gained(&value);
    let moved = |counts: &dyn Fn(&MoveReview) -> bool| {
        let mut steps = review.steps.iter();
        steps.any(|step| counts(step) && !step.change().is_zero())
    };
    let start = paid(review.start.clone());
    let expected = format!("{start} to {to} could be expected of {alice}, {bob} and {judge}.");
    let mut lines = vec![("Start", expected)];
    for seat in [Seat::Prover, Seat::Opponent] {
        let of_dice = |step: &MoveReview| step.seat == seat && step.cause == Cause::Mixing;
        let sentence = if case.is_person(seat) {
            format!(
                "{} to {to} by {} replies, {}: skill.",
                paid(review.skill(seat)),
                perspective.whose(seat),
                reference_of(case, perspective, seat)
            )
        } else if !moved(&of_dice) {
            format!("no dice of {} changed anything.", case.player(seat))
        } else {
            format!(
                "{} to {to} by how the dice of {} fell: luck, no skill.",
                paid(review.mixing(seat)),
                case.player(seat)
            )
        };
        lines.push((perspective.name(seat), sentence));
    }
    let luck = review.luck();
    let lucky = match luck.cmp(&Exact::zero()) {
        Ordering::Equal => "nobody's",
        Ordering::Greater => perspective.whose(Seat::Prover),
        Ordering::Less => perspective.whose(Seat::Opponent),
    };
    let judge = perspective.whose(Seat::Judge);
    lines.push((
        "Coins",
        if moved(&|step| step.cause == Cause::Luck) {
            let paid = paid(luck);
            format!("{paid} to {to} by coins and {judge} answers: {lucky} luck.")
        } else {
            format!("no coin and none of {judge} answers changed anything.")
        },
    ));
    let sum = paid(review.payoff.clone());
    lines.push(("Sum", format!("{sum}, exactly what the debate paid {to}.")));
    lines
}

/// Won, lost or even, by how much, and what made most of it: the last line of a debate.
pub fn result(case: &ReviewContext, review: &Review, amounts: &Amounts) -> String {
    let perspective = amounts.perspective;
    let receiver = perspective.receiver();
    let rival = perspective.rival();
    let to = |value: Exact| perspective.value(value);
    // Back to the prover, whose figures are written.
    let money = |value: &Exact| amounts.signed(&to(value.clone()));
    let payoff = to(review.payoff.clone());
    let dice = review.mixing(receiver) + review.mixing(rival);
    let expected = to(review.start.clone());
    let dice = to(dice);
    let coins = to(review.luck());
    let luck = &coins + &dice;
    let skill = |seat: Seat| to(review.skill(seat));
    let mut figures = vec![format!("{} expected at the start", money(&expected))];
    let seats = [receiver, rival].into_iter();
    for seat in seats.filter(|seat| case.is_person(*seat)) {
        figures.push(format!(
            "{} by {} skill {}",
            money(&skill(seat)),
            perspective.whose(seat),
            reference_of(case, perspective, seat)
        ));
    }
    figures.push(if coins.is_zero() || dice.is_zero() {
        format!("{} by luck", money(&luck))
    } else {
        format!(
            "{} by luck: {} by dice of players, {} by coins and {} answers",
            money(&luck),
            money(&dice),
            money(&coins),
            perspective.whose(Seat::Judge)
        )
    });
    let figures = figures.join(", ");
    if payoff.is_zero() {
        return format!("Even: nobody received anything ({figures}).");
    }
    let won = payoff > Exact::zero();
    let whose = perspective.whose(receiver);
    let rivals = perspective.whose(rival);
    let [own, other, fortune] = if won {
        [
            format!("{whose} skill"),
            format!("{rivals} mistakes"),
            "luck".to_owned(),
        ]
    } else {
        [
            format!("{whose} own mistakes"),
            format!("{rivals} skill"),
            "bad luck".to_owned(),
        ]
    };
    let causes = [
        (expected.clone(), "as was to be expected".to_owned()),
        (skill(receiver), format!("mostly by {own}")),
        (skill(rival), format!("mostly by {other}")),
        (luck, format!("mostly by {fortune}")),
    ];
    // Of several that weigh the same the first, which is the plainest.
    let mut most: Option<&(Exact, String)> = None;
    // What came out at less than half or more than one and a half times of it was not expected.
    let off = (&payoff - &expected).abs();
    let was_expected = off.clone() + off <= expected.abs();
    for cause in causes.iter().skip(usize::from(!was_expected)) {
        let more = |(value, _): &(Exact, String)| cause.0 != *value && won == (cause.0 > *value);
        if most.is_none_or(more) {
            most = Some(cause);
        }
    }
    let most = most.map_or("", |(_, cause)| cause);
    let ended = if won { "won" } else { "lost" };
    format!(
        "{} {ended}: {} to {}, {most} ({figures}).",
        perspective.name(receiver),
        amounts.gained(&review.payoff),
        perspective.recipient()
    )
}

/// Trials in sentences. `amounts`: figures as whoever looks reads them.
pub fn trial_results(trial_results: &TrialResults, amounts: &Amounts) -> Vec<String> {
    let [prover, opponent, judge] = &trial_results.players;
    let figure = |value: f64| Exact::from_float(value).unwrap_or_default();
    let exact = match (&trial_results.exact, amounts.unit) {
        (Ok(exact), Unit::Points) => format!("{} can be expected.", amounts.gained(exact)),
        (Ok(exact), Unit::Payoff) => {
            let fraction = match amounts.to_side(exact).to_string() {
                text if text.len() <= 24 && text.contains('/') => format!(" = {text}"),
                _ => String::new(),
            };
            let exact = amounts.signed(exact);
            format!("Exactly {exact}{fraction} can be expected.")
        }
        (Err(why), _) => format!("The exact value was not found: {why}."),
    };
    vec![
        format!("{prover} against {opponent}, judged by {judge}."),
        format!(
            "Mean {} ± {} to {} in {} debates (95 % interval).",
            amounts.signed(&figure(trial_results.mean())),
            amounts.size(&figure(trial_results.half_width())),
            amounts.recipient(),
            trial_results.payoffs.len()
        ),
        exact,
    ]
}

#[cfg(test)]
mod tests;
