//! The cost of a reply, such as tokens and money, as reported by the program that gave the reply.

use std::fmt;

use serde::de::Deserializer;
use serde::{Deserialize, Serialize};

use super::syntax::{MAX_AMOUNT, amounts, ron_fields, ron_string_literal};
use debate_core::number::{Exact, parse};
use debate_core::protocol::Seat;
use num_traits::{Signed as _, ToPrimitive as _};

/// Maximum number of characters of a text in a cost, such as a model's name.
const MAX_TEXT: usize = 200;

/// The cost of a reply, such as tokens and money, as reported by the program that gave the reply.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
#[serde(rename = "Cost")]
pub struct ReplyCost {
    /// Number of calls of a model that the reply took.
    #[serde(skip_serializing_if = "is_zero")]
    pub calls: u64,
    #[serde(skip_serializing_if = "is_zero")]
    pub tokens_in: u64,
    #[serde(skip_serializing_if = "is_zero")]
    pub tokens_out: u64,
    /// US dollars: a string such as "0.0041", or a number.
    #[serde(deserialize_with = "text", skip_serializing_if = "Option::is_none")]
    pub usd: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The version of the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<String>,
    /// A string or a number.
    #[serde(deserialize_with = "text", skip_serializing_if = "Option::is_none")]
    pub temperature: Option<String>,
    /// A digest of the request to the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_digest: Option<String>,
    /// A digest of the fixed instructions that the language model got for its seat: the part of the prompt that is
    /// equal in all requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_version: Option<String>,
}

/// A language model that answered in a debate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "ModelUse")]
pub struct AnsweringModel {
    pub seat: &'static str,
    /// The name under which the model was asked.
    pub model: String,
    /// The exact name of the model that the provider returned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<String>,
    /// A digest of the seat's instructions to the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_version: Option<String>,
}

impl AnsweringModel {
    /// Returns the model that a cost names, if any.
    pub(super) fn model_named_in_cost(seat: Seat, cost: &ReplyCost) -> Option<Self> {
        Some(Self {
            seat: seat.name_in_flags_and_json(),
            model: cost.model.clone()?,
            snapshot: cost.snapshot.clone(),
            prompt_version: cost.prompt_version.clone(),
        })
    }
}

impl fmt::Display for AnsweringModel {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let model = self.snapshot.as_ref().unwrap_or(&self.model);
        write!(out, "{} {model}", self.seat)?;
        match &self.prompt_version {
            Some(version) => write!(out, " with prompts {version}"),
            None => Ok(()),
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_zero(amount: &u64) -> bool {
    *amount == 0
}

/// A text of a cost that the input may also write as a number.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a string or a number in `cost`")]
enum TextOrNumber {
    Text(String),
    Count(u64),
    Integer(i64),
    Number(f64),
}

fn text<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<String>, D::Error> {
    let read = Option::<TextOrNumber>::deserialize(reader)?;
    Ok(read.map(|value| match value {
        TextOrNumber::Text(text) => text,
        TextOrNumber::Count(number) => number.to_string(),
        TextOrNumber::Integer(number) => number.to_string(),
        TextOrNumber::Number(number) => number.to_string(),
    }))
}

impl ReplyCost {
    /// Checks the cost. The error is a sentence without a full stop.
    ///
    /// # Errors
    /// If an amount is too large for sums, a text is too long, or `usd` is not an amount of money.
    pub fn validate_reported_cost(&self) -> Result<(), String> {
        let amounts = [self.calls, self.tokens_in, self.tokens_out];
        if amounts.iter().any(|amount| *amount > MAX_AMOUNT) {
            return Err(format!("an amount in `cost` is above {MAX_AMOUNT}"));
        }
        let is_long = |(_, text): &(&str, &str)| text.chars().count() > MAX_TEXT;
        if self.texts().iter().any(is_long) {
            return Err(format!(
                "a text in `cost` has more than {MAX_TEXT} characters"
            ));
        }
        match self.usd.as_deref().map(parse) {
            None => Ok(()),
            Some(Ok(usd)) if !usd.is_negative() => Ok(()),
            Some(_) => {
                Err("`usd` is not an amount of money; write one such as \"0.0041\"".to_owned())
            }
        }
    }

    /// Returns the text fields of the cost that are set, such as the model's name.
    fn texts(&self) -> Vec<(&'static str, &str)> {
        let texts = [
            ("usd", &self.usd),
            ("model", &self.model),
            ("snapshot", &self.snapshot),
            ("temperature", &self.temperature),
            ("prompt_digest", &self.prompt_digest),
            ("prompt_version", &self.prompt_version),
        ];
        let given = texts.into_iter();
        given
            .filter_map(|(name, text)| Some((name, text.as_deref()?)))
            .collect()
    }

    /// Returns the cost if it is valid; `None` otherwise. Only valid costs may be saved or added up.
    pub fn cost_if_valid(self) -> Option<Self> {
        self.validate_reported_cost().is_ok().then_some(self)
    }

    /// Returns the amount of money, if it is given.
    pub fn dollars(&self) -> Option<Exact> {
        parse(self.usd.as_deref()?).ok()
    }

    /// Returns the cost as a field of a save's line: `, cost: (calls: 1, …)`.
    pub(super) fn save_line_cost_field(&self) -> String {
        let counts = counts(self.calls, self.tokens_in, self.tokens_out);
        let texts = self
            .texts()
            .into_iter()
            .map(|(name, text)| (name, ron_string_literal(text)));
        format!(", cost: ({})", ron_fields(counts.chain(texts)))
    }
}

/// Number of units in a US dollar. Money is summed in units of 10⁻¹² US dollars.
const PARTS_OF_A_DOLLAR: u64 = 1_000_000_000_000;

/// Returns the nonzero counts of model usage (calls, tokens read, tokens written) as fields of a save's line.
fn counts(
    calls: u64,
    tokens_in: u64,
    tokens_out: u64,
) -> impl Iterator<Item = (&'static str, String)> {
    amounts([
        ("calls", calls),
        ("tokens_in", tokens_in),
        ("tokens_out", tokens_out),
    ])
}

/// Calls, tokens and dollars of replies, as reported by the programs that gave them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReplyCostSum {
    pub calls: u64,
    pub tokens_in: u64,
    pub tokens_out: u64,
    /// Money in 10⁻¹² US dollars. The cost of each reply is rounded to this unit.
    usd_parts: u128,
}

impl ReplyCostSum {
    /// Adds the cost of a reply to the total.
    pub fn add(&mut self, cost: &ReplyCost) {
        let parts = cost
            .dollars()
            .map(|usd| (usd * Exact::from_integer(PARTS_OF_A_DOLLAR.into())).round());
        let parts = parts.and_then(|parts| parts.to_integer().to_u128());
        *self += Self {
            calls: cost.calls,
            tokens_in: cost.tokens_in,
            tokens_out: cost.tokens_out,
            usd_parts: parts.unwrap_or(0),
        };
    }

    /// Returns the number of tokens that models read and wrote.
    pub fn total_tokens(&self) -> u64 {
        self.tokens_in.saturating_add(self.tokens_out)
    }

    /// Returns the amount of money.
    pub fn dollars(&self) -> Exact {
        Exact::new(self.usd_parts.into(), PARTS_OF_A_DOLLAR.into())
    }

    /// Returns the total cost in US dollars as a decimal number, such as "0.0041".
    pub fn cost_in_decimal_dollars(&self) -> String {
        let parts = u128::from(PARTS_OF_A_DOLLAR);
        let whole = self.usd_parts / parts;
        let rest = self.usd_parts % parts;
        let text = format!("{whole}.{rest:012}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    }

    /// Returns the costs that were added since the total was `before`.
    #[must_use]
    pub fn added_since(&self, before: &Self) -> Self {
        Self {
            calls: self.calls.saturating_sub(before.calls),
            tokens_in: self.tokens_in.saturating_sub(before.tokens_in),
            tokens_out: self.tokens_out.saturating_sub(before.tokens_out),
            usd_parts: self.usd_parts.saturating_sub(before.usd_parts),
        }
    }

    /// Returns the maximum of two costs, separately for each amount (calls, tokens, money).
    #[must_use]
    pub fn max_of_each_amount(&self, other: &Self) -> Self {
        Self {
            calls: self.calls.max(other.calls),
            tokens_in: self.tokens_in.max(other.tokens_in),
            tokens_out: self.tokens_out.max(other.tokens_out),
            usd_parts: self.usd_parts.max(other.usd_parts),
        }
    }

    /// True if every amount of the cost is zero.
    pub fn is_zero(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the nonzero amounts of the total cost, in the notation of saves.
    fn write(&self) -> String {
        let counts = counts(self.calls, self.tokens_in, self.tokens_out);
        let usd = (self.usd_parts > 0)
            .then(|| ("usd", ron_string_literal(&self.cost_in_decimal_dollars())));
        format!("({})", ron_fields(counts.chain(usd)))
    }
}

impl std::ops::AddAssign for ReplyCostSum {
    fn add_assign(&mut self, more: Self) {
        self.calls = self.calls.saturating_add(more.calls);
        self.tokens_in = self.tokens_in.saturating_add(more.tokens_in);
        self.tokens_out = self.tokens_out.saturating_add(more.tokens_out);
        self.usd_parts = self.usd_parts.saturating_add(more.usd_parts);
    }
}

/// The total costs of the replies of each seat: prover, opponent, judge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReplyCostsBySeat(pub [ReplyCostSum; 3]);

impl ReplyCostsBySeat {
    /// Adds a reply's cost to its seat's total, if both are given.
    pub(super) fn add(&mut self, seat: Option<Seat>, cost: Option<&ReplyCost>) {
        let sum = seat.and_then(|seat| self.0.get_mut(seat.seat_index()));
        if let (Some(sum), Some(cost)) = (sum, cost) {
            sum.add(cost);
        }
    }

    /// Returns the total over all seats.
    pub fn total_cost_of_seats(&self) -> ReplyCostSum {
        let mut total = ReplyCostSum::default();
        self.0.iter().for_each(|sum| total += *sum);
        total
    }

    /// Returns the nonzero costs by seat, in the notation of a save's last line; empty if all are zero.
    pub(super) fn nonzero_costs_in_save_notation(&self) -> String {
        let seats = Seat::PLAYERS.into_iter().zip(&self.0);
        let costs = seats.filter(|(_, sum)| !sum.is_zero());
        match ron_fields(costs.map(|(seat, sum)| (seat.name_in_flags_and_json(), sum.write()))) {
            none if none.is_empty() => none,
            sums => format!("({sums})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use debate_core::number::Number as _;

    #[test]
    fn costs_add_up_to_the_last_part_of_a_dollar() {
        let mut costs = ReplyCostsBySeat::default();
        for usd in ["0.0041", "1/3", "2", "0.1"] {
            let cost = ReplyCost {
                calls: 2,
                tokens_in: 7,
                usd: Some(usd.to_owned()),
                ..ReplyCost::default()
            };
            costs.add(Some(Seat::Opponent), Some(&cost));
            costs.add(Some(Seat::Chance), Some(&cost));
            costs.add(None, Some(&cost));
        }
        assert_eq!(
            costs.nonzero_costs_in_save_notation(),
            "(opponent: (calls: 8, tokens_in: 28, usd: \"2.437433333333\"))"
        );
        assert_eq!(
            costs.total_cost_of_seats().cost_in_decimal_dollars(),
            "2.437433333333"
        );
        assert_eq!(
            ReplyCostsBySeat::default().nonzero_costs_in_save_notation(),
            ""
        );
        assert_eq!(ReplyCostSum::default().cost_in_decimal_dollars(), "0");
    }

    #[test]
    fn money_is_a_text_or_a_number() {
        let read = |text: &str| serde_json::from_str::<ReplyCost>(text).unwrap();
        let cost = read(r#"{"calls": 1, "usd": 0.0041, "temperature": 0, "later": [1]}"#);
        assert_eq!(cost.usd.as_deref(), Some("0.0041"));
        assert_eq!(cost.dollars(), Some(Exact::ratio(41, 10_000)));
        assert_eq!(cost.temperature.as_deref(), Some("0"));
        assert_eq!(
            read(r#"{"usd": "1/3", "model": null}"#).validate_reported_cost(),
            Ok(())
        );
        for wrong in [
            r#"{"usd": "much"}"#.to_owned(),
            r#"{"usd": -1}"#.to_owned(),
            format!(r#"{{"tokens_in": {}}}"#, MAX_AMOUNT + 1),
            format!(r#"{{"model": "{}"}}"#, "m".repeat(MAX_TEXT + 1)),
        ] {
            assert!(read(&wrong).validate_reported_cost().is_err(), "{wrong}");
        }
    }
}
