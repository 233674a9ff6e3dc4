//! The bits that a verifier read, as a save tells them: "step 17 = 1".

use debate_core::protocol::Event;
use debate_core::scenario::Source;

/// The most bits that are told one by one because of one reply; of the rest the number is told.
pub(super) const MAX_READ: usize = 1024;

/// The bits read because of one reply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct BitsRead {
    named: Vec<String>,
    more: usize,
}

impl BitsRead {
    /// Takes in an event.
    pub(super) fn note<N>(&mut self, event: &Event<N>) {
        let Some((source, value, verifier)) = event.bit_read() else {
            return;
        };
        if self.named.len() < MAX_READ {
            self.named.push(bit_in_words(source, value, verifier));
        } else {
            self.more += 1;
        }
    }

    /// The bits as a line tells them.
    pub(super) fn into_words(mut self) -> Vec<String> {
        if self.more > 0 {
            self.named.push(format!("and {} more", self.more));
        }
        self.named
    }
}

fn bit_in_words(source: Source, value: bool, verifier: bool) -> String {
    let whose = if verifier { "verifier's " } else { "" };
    let bit = u8::from(value);
    match source {
        Source::Input(place) => format!("{whose}input {place} = {bit}"),
        Source::Witness(place) => format!("{whose}witness {place} = {bit}"),
        Source::Step(step) => format!("{whose}step {step} = {bit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_told_by_where_they_stand() {
        let mut reads = BitsRead::default();
        for (source, value, verifier) in [
            (Source::Input(3), false, false),
            (Source::Witness(0), true, false),
            (Source::Step(17), true, true),
        ] {
            reads.note::<f64>(&Event::Read {
                source,
                value,
                verifier,
            });
        }
        reads.note::<f64>(&Event::Ended { payoff: 0.0 });
        let told = ["input 3 = 0", "witness 0 = 1", "verifier's step 17 = 1"];
        assert_eq!(reads.into_words(), told);
    }

    #[test]
    fn a_line_stays_short_however_much_is_read() {
        let mut reads = BitsRead::default();
        for step in 0..MAX_READ as u64 + 7 {
            reads.note::<f64>(&Event::Read {
                source: Source::Step(step),
                value: true,
                verifier: false,
            });
        }
        let told = reads.into_words();
        assert_eq!(told.len(), MAX_READ + 1);
        assert_eq!(told.last().map(String::as_str), Some("and 7 more"));
    }
}
