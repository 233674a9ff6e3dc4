//! A debate that was kept, to go on with.

use std::path::{Path, PathBuf};

use super::{DebatePlan, EngineOptions, PlanError};
use crate::record::{Journal, Save, Session};
use crate::setup::Limits;
use debate_core::number::Exact;
use debate_core::player::Player;
use debate_core::scenario::Instance;

/// A debate that was kept, to go on with.
pub struct KeptDebate {
    pub plan: DebatePlan,
    pub instance: Instance,
    pub file: KeptFile,
}

/// The save of a debate, opened to be written on.
pub struct KeptFile {
    path: PathBuf,
    save: Save,
    journal: Journal,
}

impl KeptDebate {
    /// Opens a save.
    ///
    /// # Errors
    /// If it cannot be read, or does not follow from its own scenario.
    pub fn open(path: &Path, engines: EngineOptions) -> Result<Self, PlanError> {
        let named = |error| PlanError::Kept {
            path: path.to_owned(),
            error,
        };
        let (save, journal) = Journal::open(path).map_err(named)?;
        let setup = save.setup(&Limits::default()).map_err(named)?;
        let instance = save.header.instance(&setup).map_err(named)?;
        let plan = DebatePlan {
            engines,
            ..DebatePlan::of_save(&save.header, setup, &instance)?
        };
        let file = KeptFile {
            path: path.to_owned(),
            save,
            journal,
        };
        Ok(Self {
            plan,
            instance,
            file,
        })
    }
}

impl KeptFile {
    /// A sentence on the last line, where it was cut off.
    pub fn notice(&self) -> Option<String> {
        let torn = self.save.torn()?;
        Some(format!("Line {} was cut off and is dropped.", torn.line))
    }

    /// The debate between these players, as its save leaves it.
    ///
    /// # Errors
    /// If the save does not follow from the rules and the seed, or cannot be written.
    pub fn session<'a>(
        self,
        instance: &'a Instance,
        players: [Player<'a, Exact>; 3],
    ) -> Result<Session<'a>, PlanError> {
        let path = self.path;
        let seated = self.save.seat(instance, players);
        let seating = seated.map_err(|error| PlanError::Kept { path, error })?;
        let mut session = Session::new(seating, Some(self.journal));
        // Of a debate that is over only the closing line was lost.
        session.close_if_over()?;
        Ok(session)
    }
}
