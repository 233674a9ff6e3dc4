//! Short labels for claims in lists.

use std::collections::BTreeSet;

use debate_core::scenario::{ClaimId, Instance};

/// Claims that have at most this number of words in total are not shortened.
const WORDS: usize = 20;
/// Number of words to which a longer claim is cut. A claim with one word more is not cut.
const LABEL: usize = 4;

/// Returns a short label for each claim. If there are several long claims, words that all of them begin or end with are
/// removed, and the remaining text is cut. If two labels would be equal, returns the uncut short texts of all claims.
pub fn short_claim_labels(instance: &Instance, claims: &[ClaimId]) -> Vec<String> {
    let whole: Vec<String> = claims.iter().map(|y| instance.short_text(*y)).collect();
    let words: Vec<Vec<&str>> = whole
        .iter()
        .map(|text| text.split_whitespace().collect())
        .collect();
    if words.iter().map(Vec::len).sum::<usize>() <= WORDS || claims.len() < 2 {
        return whole;
    }
    let shortest = words.iter().map(Vec::len).min().unwrap_or(0);
    let mut before = 0;
    while before + 1 < shortest
        && words
            .iter()
            .all(|each| each.get(before) == words[0].get(before))
    {
        before += 1;
    }
    let end =
        |each: &[&str], index: usize| each.iter().nth_back(index).map(|word| (*word).to_owned());
    let mut after = 0;
    while before + after + 1 < shortest
        && words
            .iter()
            .all(|each| end(each, after) == end(&words[0], after))
    {
        after += 1;
    }
    let short = words.iter().map(|each| {
        let kept = each.get(before..each.len() - after).unwrap_or_default();
        match kept.get(..LABEL).filter(|_| kept.len() > LABEL + 1) {
            Some(cut) => cut.join(" ") + "…",
            None => kept.join(" "),
        }
    });
    let short: Vec<String> = short.collect();
    let distinct: BTreeSet<&String> = short.iter().collect();
    if distinct.len() < short.len() {
        return whole;
    }
    short
}

/// Lists the first claims, separated by semicolons, and the number of claims that are not listed. The listed labels
/// have at most `WORDS` words in total.
pub fn first_claims_and_remaining_count(instance: &Instance, claims: &[ClaimId]) -> String {
    let mut words = 0;
    let within = |label: &String| {
        words += label.split_whitespace().count();
        words <= WORDS
    };
    // Labels end without a full stop, because semicolons separate them.
    let mut each: Vec<String> = short_claim_labels(instance, claims)
        .into_iter()
        .take_while(within)
        .map(|label| label.trim_end_matches('.').to_owned())
        .collect();
    if claims.len() > each.len() {
        each.push(format!("and {} more", claims.len() - each.len()));
    }
    each.join("; ")
}
