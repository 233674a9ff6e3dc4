//! What is left when the screen is gone.

use std::io::{self, Write as _};

use crate::cli::plan::{Plan, where_kept};
use crate::cli::{Failure, report};
use debate_core::scenario::Instance;
use debate_lab::record::Session;

/// What is left on the terminal when the screen is gone.
pub(in crate::cli) struct Parting {
    out: Vec<u8>,
    kept: Result<Option<String>, Failure>,
}

impl Parting {
    pub(super) fn of(
        session: &mut Session<'_>,
        instance: &Instance,
        plan: &Plan,
    ) -> Result<Self, Failure> {
        let over = session.seating().turn().is_none();
        let mut out = Vec::new();
        if over {
            report::conclude(&mut out, session.seating(), instance)?;
            report::unveil(&mut out, &plan.setup, &plan.names(), plan.blind)?;
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
