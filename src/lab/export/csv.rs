//! `csv`: one line an event, for spreadsheets and data frames.
//!
//! RFC 4180: a header, commas, lines ended by CR LF, quotation marks where they are needed. A cell
//! of text that a spreadsheet would take for a formula has an apostrophe before it; numbers stay
//! numbers. The last columns say which save it is, whether it verifies, and if not, why.

use super::facts;
use super::table::{line, text as cell};
use super::{Debate, Format, Of};
use debate_core::number::Number as _;
use debate_core::protocol::Seen;

pub(super) const FORMAT: Format = Format {
    name: "csv",
    about: "one line an event, for spreadsheets and data frames (RFC 4180)",
    takes: &[],
    of: Of::Saves(|debates, _| Ok(write(debates).into())),
};

const COLUMNS: [&str; 17] = [
    "event",
    "step",
    "round",
    "seat",
    "player",
    "kind",
    "claim",
    "probability",
    "value",
    "reward",
    "payoff",
    "milliseconds",
    "text",
    "note",
    "save",
    "verified",
    "first_difference",
];

const END: &str = "\r\n";

fn write(debates: &[Debate<'_>]) -> String {
    let mut text = line(COLUMNS) + END;
    for debate in debates {
        put(&mut text, debate);
    }
    text
}

fn put(text: &mut String, debate: &Debate<'_>) {
    let doubt = debate.save.doubt();
    let why = doubt.map_or_else(String::new, |difference| cell(&difference.to_string()));
    let asides = debate.asides();
    let mut before = 0;
    for happening in debate.happenings() {
        let Some(entry) = debate.log().entries().get(happening.entry) else {
            continue;
        };
        let open = matches!(debate.seen(happening), Some(Seen::Open(_)));
        let event = Some(&entry.event).filter(|_| open);
        let told = debate.sentence(happening);
        // What stands beside a move stands at the first event that follows from it.
        let aside = asides.get(happening.step.saturating_sub(1));
        let (ms, note) = aside
            .filter(|_| happening.step != before)
            .copied()
            .unwrap_or_default();
        before = happening.step;
        let player = debate.player(entry.seat);
        let number = |value: f64| value.to_string();
        *text += &line([
            happening.n.to_string(),
            happening.step.to_string(),
            happening
                .round
                .map(|round| round.to_string())
                .unwrap_or_default(),
            entry.seat.name().to_owned(),
            cell(player),
            facts::kind(&entry.event).to_owned(),
            event
                .and_then(facts::claim)
                .map(|claim| cell(&debate.instance.text(claim)))
                .unwrap_or_default(),
            event
                .and_then(facts::probability)
                .map(|p| number(p.to_float()))
                .unwrap_or_default(),
            event
                .and_then(facts::value)
                .map(|value| cell(&value))
                .unwrap_or_default(),
            debate
                .reward(happening)
                .map(|reward| number(reward.to_float()))
                .unwrap_or_default(),
            number(happening.payoff.to_float()),
            ms.map(|ms| ms.to_string()).unwrap_or_default(),
            cell(&told.text),
            cell(note.unwrap_or_default()),
            cell(&debate.name),
            doubt.is_none().to_string(),
            why.clone(),
        ]);
        *text += END;
    }
}
