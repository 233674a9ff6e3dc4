//! The text of a protocol in a save.
//!
//! Saves of older versions do not name the rule for quotes of [`Protocol::Speeches`]: they were played with
//! [`QuoteRule::Strict`]. So a save omits the rule if it is `Strict`, and names it if it is `Lenient`, although the
//! default in a scenario is `Lenient`.

use debate_core::Protocol;
use debate_core::protocol::ProtocolError;
use debate_core::scenario::QuoteRule;

/// Returns the text of a protocol in a save, which [`parse_saved_protocol`] reads.
pub fn protocol_text_for_save(protocol: &Protocol) -> String {
    let mut protocol = protocol.clone();
    if let Protocol::Speeches(rules) = &mut protocol {
        rules.quotes = match rules.quote_rule() {
            QuoteRule::Strict => None,
            QuoteRule::Lenient => Some(QuoteRule::Lenient),
        };
    }
    protocol.to_string()
}

/// Reads the text of a protocol in a save.
///
/// # Errors
/// As [`Protocol::parse`].
pub fn parse_saved_protocol(text: &str) -> Result<Protocol, ProtocolError> {
    let mut protocol = Protocol::parse(text)?;
    name_strict_quotes(&mut protocol);
    Ok(protocol)
}

/// Returns the protocol of the scenario in a save, in the form of [`parse_saved_protocol`]. If the scenario and the
/// debate have speeches, and the scenario's protocol has no rule for quotes, it gets the rule of the debate's protocol.
pub(super) fn scenario_protocol_for_save(
    mut scenario_protocol: Protocol,
    played: &Protocol,
) -> Protocol {
    match (&mut scenario_protocol, played) {
        (Protocol::Speeches(rules), Protocol::Speeches(played)) if rules.quotes.is_none() => {
            rules.quotes = played.quotes;
        }
        _ => name_strict_quotes(&mut scenario_protocol),
    }
    scenario_protocol
}

/// Adapts the rule for quotes: a protocol without one gets `Strict`, and `Lenient`, the default of scenarios, is
/// omitted.
fn name_strict_quotes(protocol: &mut Protocol) {
    if let Protocol::Speeches(rules) = protocol {
        rules.quotes = match rules.quotes {
            Some(QuoteRule::Lenient) => None,
            Some(QuoteRule::Strict) | None => Some(QuoteRule::Strict),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_save_names_the_rule_for_quotes_only_if_it_is_lenient() {
        for (rules, saved) in [
            ("Speeches", "Speeches(quotes: Lenient)"),
            ("Speeches(quotes: Lenient)", "Speeches(quotes: Lenient)"),
            (
                "Speeches(rounds: 2, quotes: Lenient)",
                "Speeches(rounds: 2, quotes: Lenient)",
            ),
            ("Speeches(rounds: 2, quotes: Strict)", "Speeches(rounds: 2)"),
            ("Recursive", "Recursive"),
        ] {
            let protocol = Protocol::parse(rules).unwrap();
            assert_eq!(protocol_text_for_save(&protocol), saved);
            assert_eq!(
                protocol_text_for_save(&parse_saved_protocol(saved).unwrap()),
                saved
            );
        }
        let strict = Protocol::parse("Speeches(quotes: Strict)").unwrap();
        assert_eq!(
            parse_saved_protocol("Speeches(quotes: Strict)").unwrap(),
            strict
        );
        assert_eq!(parse_saved_protocol("Speeches").unwrap(), strict);
    }

    #[test]
    fn a_scenario_without_a_rule_for_quotes_has_the_rule_of_its_debate() {
        for (of_scenario, of_save, is_own) in [
            ("Speeches", "Speeches", true),
            ("Speeches", "Speeches(quotes: Lenient)", true),
            (
                "Speeches(quotes: Lenient)",
                "Speeches(quotes: Lenient)",
                true,
            ),
            ("Speeches(quotes: Strict)", "Speeches", true),
            (
                "Speeches(quotes: Strict)",
                "Speeches(quotes: Lenient)",
                false,
            ),
            ("Speeches(quotes: Lenient)", "Speeches", false),
            ("Recursive", "Recursive", true),
        ] {
            let played = parse_saved_protocol(of_save).unwrap();
            let own = Protocol::parse(of_scenario).unwrap();
            let own = scenario_protocol_for_save(own, &played);
            assert_eq!(own == played, is_own, "{of_scenario} {of_save}");
        }
    }
}
