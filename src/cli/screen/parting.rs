//! What is left when the screen is gone.

use std::io::{self, Write as _};

use crate::cli::plan::where_kept;
use crate::cli::{Failure, report};
use crate::player::Spec;
use crate::record::Session;
use crate::scenario::Instance;

/// What is left on the terminal when the screen is gone.
pub(in crate::cli) struct Parting {
    out: Vec<u8>,
    kept: Result<Option<String>, Failure>,
}

impl Parting {
    pub(super) fn of(
        session: &mut Session<'_>,
        instance: &Instance,
        blind: Option<&[Spec; 3]>,
    ) -> Result<Self, Failure> {
        let over = session.seating().turn().is_none();
        let mut out = Vec::new();
        if over {
            report::conclude(&mut out, session.seating(), instance)?;
        }
        if let Some(players) = blind {
            report::unveil(&mut out, players)?;
        }
        let kept = where_kept(session, over);
        Ok(Self { out, kept })
    }

    pub(super) fn tell(self) -> Result<(), Failure> {
        io::stdout().write_all(&self.out)?;
        if let Some(kept) = self.kept? {
            writeln!(io::stderr(), "{kept}")?;
        }
        Ok(())
    }
}
