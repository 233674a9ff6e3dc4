//! Computes what the liar and honest Alice can expect under two sets of rules.

use num_traits::One as _;

use debate_core::budget::Budget;
use debate_core::chance::Seed;
use debate_core::number::{Exact, Number as _, percent, short, signed};
use debate_core::protocol::Kind;
use debate_lab::analysis::review::{ReviewContext, ReviewError, TrialResults};
use debate_lab::tell::review;

/// The liar against two opponents under each set of rules, plain recursion first: whoever sits in
/// the comparison, then another one.
pub type Opponents = [[ReviewContext; 2]; 2];

/// A label and sentences for each set of rules. `debates`: the number that is played besides
/// for the mean of the first opponent.
///
/// # Errors
/// If a player fails, or it is cancelled.
pub fn figures(
    cases: &Opponents,
    kinds: [Kind; 2],
    seed: &Seed,
    debates: u32,
    watch: Budget<'_>,
) -> Result<Vec<(String, String)>, ReviewError> {
    let mut told = Vec::new();
    for (kind, [seen, other]) in kinds.into_iter().zip(cases) {
        let trials = seen.trials(seed, debates, watch, &|_done| {})?;
        let mut sentences = vec![of_pair(kind, &trials.pair)?];
        if let Some(honest) = &trials.honest {
            let honest = fraction(&expected(honest)?);
            sentences.push(format!("Honest Alice in her place: {honest}."));
        }
        let beside = other.trials(seed, 0, watch, &|_done| {})?.pair;
        let [_, bob, _] = &beside.players;
        let beside = fraction(&expected(&beside)?);
        sentences.push(format!("The liar against {bob}: {beside}."));
        told.push((kind.name().to_owned(), sentences.join(" ")));
    }
    Ok(told)
}

/// The expected payoff of the liar, and the mean.
fn of_pair(kind: Kind, pair: &TrialResults) -> Result<String, ReviewError> {
    let exactly = expected(pair)?;
    let [prover, bob, _] = &pair.players;
    let value = fraction(&exactly);
    // Under plain recursion a win pays 1 and a loss −1.
    let wins = if kind == Kind::Recursive {
        let wins = (exactly + Exact::one()) / Exact::from_integer(2.into());
        let share = percent(wins.to_float());
        format!(", for she wins {wins} of the debates, {share}")
    } else {
        String::new()
    };
    let mean = signed(pair.mean(), 3);
    let width = short(pair.half_width(), 2);
    let debates = pair.payoffs.len();
    Ok(format!(
        "the liar, {prover}, against {bob}: {value} can be expected{wins}; the mean of {debates} \
         is {mean} ± {width}."
    ))
}

fn expected(trial_results: &TrialResults) -> Result<Exact, ReviewError> {
    trial_results.exact.clone().map_err(ReviewError::from)
}

/// A value with its fraction.
fn fraction(value: &Exact) -> String {
    let money = review::money(value);
    let fraction = value.to_string();
    if fraction.contains('/') && fraction.len() <= 12 {
        format!("{money} = {fraction}")
    } else {
        money
    }
}
