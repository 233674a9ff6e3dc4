//! The context for a choice among the parts of a claim.

use std::collections::BTreeMap;

use debate_core::protocol::{Ask, Log};

use super::{Narrator, grouped, shortened};

impl Narrator<'_> {
    /// The context of the parts that are chosen from, a line each: the configurations at the
    /// ends of the halves, and the input of a circuit, which the parts come down to.
    pub fn parts_context<N>(&self, log: &Log<N>) -> Vec<String> {
        let mut lines = self.configurations(log);
        if let Some(circuit) = self.instance.circuit() {
            let bits = shortened(circuit.input_bits());
            lines.push(format!("The input, from x0 on: {bits}"));
        }
        lines
    }

    /// The configuration given last and those given nearest before and after it in time.
    fn configurations<N>(&self, log: &Log<N>) -> Vec<String> {
        let Some(run) = self.instance.run() else {
            return Vec::new();
        };
        let mut times = BTreeMap::from([(0, run.start())]);
        let mut last = None;
        for (ask, bits) in log.bits_given() {
            if let Ask::Configuration { time } = ask {
                times.insert(time, bits.clone());
                last = Some(time);
            }
        }
        let Some(middle) = last else {
            return Vec::new();
        };
        let before = times.range(..middle).next_back();
        let after = times.range(middle + 1..).next();
        let around = before.into_iter().chain(times.get_key_value(&middle));
        around
            .chain(after)
            .filter_map(|(time, bits)| {
                let steps = match time {
                    1 => "1 step".to_owned(),
                    time => format!("{} steps", grouped(*time)),
                };
                Some(format!("After {steps}: {}", self.configuration(bits)?))
            })
            .collect()
    }
}
