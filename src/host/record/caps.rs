//! Caps on the costs of replies.

use num_traits::Signed as _;
use serde::Deserialize;

use super::ReplyCostSum;
use debate_core::number::{Exact, parse};
use debate_core::text::count_with_noun;

/// Upper limits on the total costs of many replies. Calls that could exceed a limit are refused.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default, rename = "caps")]
pub struct TotalCostCaps {
    /// Maximum number of calls of a model.
    pub calls: Option<u64>,
    /// Maximum number of tokens that models read and write.
    pub tokens: Option<u64>,
    /// Maximum cost in US dollars, as a decimal number or a fraction.
    pub usd: Option<String>,
}

impl TotalCostCaps {
    /// Returns the reason why the caps refuse a call with the expected cost `next`: a cap is reached, or the call could
    /// exceed it. `None` if there is room for the call.
    pub fn call_refusal_reason(&self, spent: &ReplyCostSum, next: &ReplyCostSum) -> Option<String> {
        let is_full =
            |spent: u64, next: u64, most: u64| spent >= most || spent.saturating_add(next) > most;
        let sentence = |spent: String, most: &dyn std::fmt::Display, next: Option<String>| {
            let next = next.map(|next| format!(", and the next reply may cost {next}"));
            format!(
                "{spent} of at most {most}{next_reply_cost}",
                next_reply_cost = next.unwrap_or_default()
            )
        };
        let calls = |calls| count_with_noun(calls, "call", "calls");
        if let Some(most) = self
            .calls
            .filter(|most| is_full(spent.calls, next.calls, *most))
        {
            let more = (spent.calls < most).then(|| calls(next.calls));
            return Some(sentence(calls(spent.calls), &most, more));
        }
        let tokens = |tokens| count_with_noun(tokens, "token", "tokens");
        if let Some(most) = self
            .tokens
            .filter(|most| is_full(spent.total_tokens(), next.total_tokens(), *most))
        {
            let more = (spent.total_tokens() < most).then(|| tokens(next.total_tokens()));
            return Some(sentence(tokens(spent.total_tokens()), &most, more));
        }
        let usd = self.usd.as_deref()?;
        let most: Exact = parse(usd).ok()?;
        let is_reached = spent.dollars() >= most;
        if !is_reached && spent.dollars() + next.dollars() <= most {
            return None;
        }
        let more = (!is_reached).then(|| next.cost_in_decimal_dollars());
        Some(sentence(
            format!("{} US dollars", spent.cost_in_decimal_dollars()),
            &usd,
            more,
        ))
    }

    /// Checks the amount of money.
    ///
    /// # Errors
    /// If `usd` is not an amount of money; the error is a sentence without a full stop.
    pub fn validate_money_cap(&self) -> Result<(), String> {
        match self.usd.as_deref().map(parse) {
            None => Ok(()),
            Some(Ok(usd)) if !usd.is_negative() => Ok(()),
            Some(_) => {
                Err("`usd` is not an amount of money; write one such as \"0.50\"".to_owned())
            }
        }
    }

    /// True if at least one cap on costs is set.
    pub fn has_any_cap(&self) -> bool {
        *self != Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::ReplyCost;
    use super::*;

    #[test]
    fn a_cap_refuses_calls_that_could_exceed_it() {
        let caps = |calls, tokens, usd: Option<&str>| TotalCostCaps {
            calls,
            tokens,
            usd: usd.map(str::to_owned),
        };
        let nothing = ReplyCostSum::default();
        let mut one = ReplyCostSum::default();
        one.add(&ReplyCost {
            calls: 2,
            tokens_in: 3,
            tokens_out: 4,
            usd: Some("0.25".to_owned()),
            ..ReplyCost::default()
        });
        let wide = caps(Some(4), Some(14), Some("0.5"));
        assert_eq!(wide.call_refusal_reason(&nothing, &nothing), None);
        assert_eq!(wide.call_refusal_reason(&one, &one), None);
        for (full, why) in [
            (caps(Some(2), None, None), "2 calls of at most 2"),
            (caps(None, Some(7), None), "7 tokens of at most 7"),
            (
                caps(None, None, Some("1/4")),
                "0.25 US dollars of at most 1/4",
            ),
        ] {
            // Once a cap is reached, a call without a known cost is refused too.
            assert_eq!(
                full.call_refusal_reason(&one, &nothing).as_deref(),
                Some(why)
            );
        }
        for (narrow, why) in [
            (
                caps(Some(3), None, None),
                "2 calls of at most 3, and the next reply may cost 2 calls",
            ),
            (
                caps(None, Some(13), None),
                "7 tokens of at most 13, and the next reply may cost 7 tokens",
            ),
            (
                caps(None, None, Some("0.4")),
                "0.25 US dollars of at most 0.4, and the next reply may cost 0.25",
            ),
        ] {
            assert_eq!(narrow.call_refusal_reason(&one, &one).as_deref(), Some(why));
        }
    }
}
