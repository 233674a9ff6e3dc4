//! Evenly spaced values of a parameter.

use debate_core::number::{Decimal, Exact, Number as _, parse, short_exact};
use debate_core::protocol::{ParameterKind, ParameterValue, Protocol, Refused};

/// The most values of a sweep.
const MOST: u32 = 10_000;

/// `epsilon=0.1..0.4:7`.
pub(super) struct Sweep {
    pub(super) name: String,
    from: Exact,
    to: Exact,
    count: u32,
}

impl Sweep {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let form = || {
            format!(
                "--sweep: `{text}` is not of the form NAME=FROM..TO:COUNT, such as \
                 epsilon=0.1..0.4:7"
            )
        };
        let (name, rest) = text.split_once('=').ok_or_else(form)?;
        let (from, rest) = rest.split_once("..").ok_or_else(form)?;
        let (to, count) = rest.rsplit_once(':').ok_or_else(form)?;
        let number = |text: &str| parse(text).map_err(|error| format!("--sweep: {error}"));
        let count: u32 = count.trim().parse().map_err(|_error| form())?;
        if count == 0 || count > MOST {
            return Err(format!("--sweep: take 1 to {MOST} values, not {count}"));
        }
        Ok(Self {
            name: name.trim().to_owned(),
            from: number(from)?,
            to: number(to)?,
            count,
        })
    }

    /// The values, from the first to the last by equal steps.
    pub(super) fn values(&self) -> Vec<Exact> {
        let steps = i64::from(self.count - 1).max(1);
        let value = |step: u32| {
            let part = Exact::ratio(step.into(), steps);
            &self.from + (&self.to - &self.from) * part
        };
        (0..self.count).map(value).collect()
    }

    /// The rules and the players with a value put in.
    pub(super) fn put(
        &self,
        value: &Exact,
        protocol: &Protocol,
        names: &[String; 3],
    ) -> Result<(Protocol, [String; 3]), String> {
        let brace = format!("{{{}}}", self.name);
        if names.iter().any(|name| name.contains(&brace)) {
            let text = value.to_string();
            let filled = names.each_ref().map(|name| name.replace(&brace, &text));
            return Ok((protocol.clone(), filled));
        }
        let mut protocol = protocol.clone();
        let put = protocol.change(&self.name, |parameter| match &mut parameter.value {
            ParameterValue::Number(number, _) => {
                **number = Decimal(value.clone());
                true
            }
            ParameterValue::Count(..) | ParameterValue::Choice(_) => false,
        });
        if put != Some(true) {
            let parameters = protocol.parameters().into_iter();
            let names: Vec<String> = parameters
                .filter(|parameter| parameter.kind == ParameterKind::Number)
                .map(|parameter| parameter.name.to_owned() + ", ")
                .collect();
            return Err(format!(
                "--sweep: there is no parameter {0} here; take {1}or write {{{0}}} in a player's \
                 name, such as --opponent 'stubborn({{{0}}})'",
                self.name,
                names.concat()
            ));
        }
        protocol
            .conditions()
            .check()
            .map_err(|refused: Refused| format!("--sweep at {}: {refused}", short_exact(value)))?;
        Ok((protocol, names.clone()))
    }
}
