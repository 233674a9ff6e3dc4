//! The memory that an export needs besides the debate, in bytes of allocations.

use std::io::{self, Write};

use super::*;

/// A debate of `levels` rounds about few claims: all levels share their leaves. About 100 events per level.
fn long(levels: usize) -> Save {
    let leaves: Vec<String> = (1..48).map(|leaf| format!("\"leaf {leaf}\"")).collect();
    let leaves = leaves.join(", ");
    let claims = (0..levels).map(|level| {
        let below = level + 1;
        format!(
            "\"{level}\": Claim(text: \"All is well from level {level} on.\", \
             supports: [Support(gate: All, on: [{leaves}, \"{below}\"])])"
        )
    });
    let last = format!("\"{levels}\"");
    let ends = leaves.split(", ").chain([&*last]);
    let ends = ends.map(|id| format!("{id}: Claim(text: \"This is sound.\", truth: true)"));
    let claims: Vec<String> = claims.chain(ends).collect();
    let scenario = format!(
        "Scenario(format: 1, title: \"Levels\", problem: Argument(root: \"0\", claims: {{{}}}))",
        claims.join(", ")
    );
    save(&scenario, ["honest", "calibrated", "oracle"], "")
}

/// Counts the bytes written, and the size of the largest piece.
#[derive(Default)]
struct Counter {
    all: u64,
    largest: usize,
}

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.all += bytes.len() as u64;
        self.largest = self.largest.max(bytes.len());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The cost of an export.
struct Export {
    /// Maximum number of bytes in use at once, besides the debate.
    peak: u64,
    written: Counter,
}

fn export(save: &Save, format: &str) -> Export {
    let setup = save.read_saved_scenario(&wide_limits()).unwrap();
    let instance = save.header.debated_instance(&setup).unwrap();
    let debates = [ReplayedSave::new(save, &setup, &instance).unwrap()];
    // The last events of the debate need the most memory.
    let all = debates[0].transcript_events().len();
    let asked = ExportOptions {
        events: (format == "html").then_some((all - 40, all)),
        ..ExportOptions::default()
    };
    let mut written = Counter::default();
    let used = allocation_counter::measure(|| {
        let subject = SavesOrScenarioToExport::Saves(&debates);
        let notes = formats().write_to(format, subject, &asked, &mut written);
        assert!(notes.is_ok());
    });
    Export {
        peak: used.bytes_max,
        written,
    }
}

/// Each event is written as soon as it is made. Neither the text nor a list of all events is in memory.
#[test]
fn an_export_of_many_events_is_written_piece_by_piece() {
    // The longest piece is the head of a page with style and script.
    const LARGEST: usize = 100_000;
    let [short, long] = [10, 40].map(long);
    for format in ["md", "inspect", "csv", "json"] {
        let [short, long] = [&short, &long].map(|save| export(save, format));
        let written = long.written.all - short.written.all;
        let grown = long.peak.saturating_sub(short.peak);
        assert!(written > short.written.all, "{format}: {written}");
        // Memory holds lists of rounds and claims, but no list of events.
        assert!(3 * grown < written, "{format}: {grown} of {written}");
        assert!(long.written.largest < LARGEST, "{format}");
    }
    let page = export(&long, "html");
    assert!(page.written.largest < LARGEST, "{}", page.written.largest);
}
