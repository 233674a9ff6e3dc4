//! Parts of a simulation or a search: which part to run, and the files that `merge` puts together.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::str::FromStr;

use super::Failure;
use super::output::print_lines;
use debate_lab::record::write_whole;
use debate_lab::setup::read_at_most;
use debate_lab::simulate::MAX_DEBATES;

/// The most bytes of a part that are read.
const MAX_FILE: u64 = 64 << 20;

/// Which part of how many.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShardArg {
    part: u64,
    of: u64,
}

impl FromStr for ShardArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let read = || {
            let (part, of) = text.split_once('/')?;
            let (part, of) = (part.parse().ok()?, of.parse().ok()?);
            let fits = (1..=MAX_DEBATES).contains(&of) && part <= of;
            fits.then_some(Self { part, of })
        };
        read().ok_or_else(|| "write which part of how many, such as 3/7".to_owned())
    }
}

impl ShardArg {
    /// The numbers of its debates; the parts of as many as there are cover them all.
    pub(super) fn debates(self, all: u64) -> Range<u64> {
        let place = self.part % self.of;
        let bound = |place: u64| {
            let bound = u128::from(all) * u128::from(place) / u128::from(self.of);
            u64::try_from(bound).unwrap_or(all)
        };
        bound(place)..bound(place + 1)
    }
}

/// Writes a part to a file, or to stdout.
pub(super) fn write_part(text: &str, out: Option<&Path>) -> Result<(), Failure> {
    match out {
        Some(path) => {
            write_whole(path, &format!("{text}\n")).map_err(|error| Failure::unwritten(path, error))
        }
        None => print_lines([text]),
    }
}

/// The text of a part in a file.
pub(super) fn read_part(path: &Path) -> Result<String, Failure> {
    let read = |error: io::Error| Failure::at(path, error);
    let bytes = File::open(path)
        .and_then(|file| read_at_most(file, MAX_FILE))
        .map_err(read)?;
    if bytes.len() as u64 > MAX_FILE {
        let most = MAX_FILE >> 20;
        let text = format!("this is too large for a part; it has at most {most} MiB");
        return Err(Failure::at(path, text));
    }
    String::from_utf8(bytes).map_err(|error| Failure::at(path, error))
}
