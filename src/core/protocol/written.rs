//! Protocols as scenario files, saves and `--protocol` write them.

use std::fmt;

use super::{Kind, Protocol, Refused};

impl Protocol {
    /// Reads a protocol as scenario files and `--protocol` write it: `Recursive`, or
    /// `ProverEstimator(epsilon: 0.25, rho: "1/2")`.
    ///
    /// # Errors
    /// If the text is no such thing, or a parameter is out of its range.
    pub fn parse(text: &str) -> Result<Self, Refused> {
        let parsed: Self = ron_options()
            .from_str(&Self::with_parentheses(text))
            .map_err(|error| Refused::Text(Self::misread(text, &error.code)))?;
        parsed.check()?;
        Ok(parsed)
    }

    /// The error of a text, with an example of the protocol that it begins with.
    fn misread(text: &str, error: &ron::Error) -> String {
        let name = text.trim().split('(').next().unwrap_or("").trim();
        let meant = Kind::ALL.iter().find(|kind| kind.variant() == name);
        match meant.and_then(|kind| kind.introduction().examples.first()) {
            Some(example) => format!("{error}; it is written as {example}"),
            None => error.to_string(),
        }
    }

    /// A protocol without parameters may be written as its bare name, within another's parentheses
    /// too.
    fn with_parentheses(written: &str) -> String {
        let text = written.trim();
        let bare = |text: &str| !text.is_empty() && text.chars().all(char::is_alphanumeric);
        if bare(text) {
            return format!("{text}()");
        }
        let inner = text.split_once('(').and_then(|(outer, rest)| {
            let inner = rest.strip_suffix(')')?.trim();
            bare(inner).then(|| format!("{outer}({inner}())"))
        });
        inner.unwrap_or_else(|| text.to_owned())
    }
}

/// Protocols are read with a variant's parameters directly in its parentheses.
fn ron_options() -> ron::Options {
    use ron::extensions::Extensions;
    ron::Options::default()
        .with_recursion_limit(16)
        .with_default_extension(
            Extensions::UNWRAP_VARIANT_NEWTYPES
                | Extensions::UNWRAP_NEWTYPES
                | Extensions::IMPLICIT_SOME,
        )
}

impl fmt::Display for Protocol {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // On one line, with spaces, as a person would write it.
        let style = ron::ser::PrettyConfig::default().depth_limit(0);
        let text = ron_options()
            .to_string_pretty(self, style)
            .map_err(|_error| fmt::Error)?;
        out.write_str(&text.replace("()", ""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn protocols_are_read_as_they_are_written() {
        for text in [
            "Recursive",
            "ProverEstimator(epsilon: 0.45, rho: \"1/9\")",
            "ProverEstimator(epsilon: 0.25, rho: 0.5, carry: Marginal, early_leaf: InPlace)",
        ] {
            assert_eq!(Protocol::parse(text).unwrap().to_string(), text);
        }
        let spaced = Protocol::parse(" ProverEstimator(epsilon:\"1/4\", rho: 50e-2,) ").unwrap();
        assert_eq!(
            spaced.to_string(),
            "ProverEstimator(epsilon: 0.25, rho: 0.5)"
        );
    }

    #[test]
    fn what_is_no_protocol_is_refused() {
        for text in [
            "",
            "Chess",
            "Recursive(1)",
            "ProverEstimator(epsilon: 0.1)",
            "((((((",
            "\u{1b}",
        ] {
            assert!(Protocol::parse(text).is_err(), "{text:?}");
        }
        let error = Protocol::parse("ProverEstimator(epsilon: 2, rho: 0.5)").unwrap_err();
        assert_eq!(
            error.to_string(),
            "epsilon is 2; it must be above 0 and below 1/2"
        );
    }
}
