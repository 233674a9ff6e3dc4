//! Engines that play in many debates, one after another or at once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::{EngineLimits, EngineProcess};

/// The processes of one command.
type Processes = Arc<Mutex<Vec<Arc<EngineProcess>>>>;

/// Engines by their commands. Each process plays in as many debates at once as it says that it can;
/// where all are taken another one is started.
pub struct EnginePool {
    limits: EngineLimits,
    by_command: Mutex<HashMap<String, Processes>>,
}

impl EnginePool {
    /// A pool in which nothing runs yet.
    pub fn new(limits: EngineLimits) -> Self {
        Self {
            limits,
            by_command: Mutex::default(),
        }
    }

    /// A process for one more debate, until it is dropped.
    ///
    /// # Errors
    /// As of [`EngineProcess::start`].
    pub fn engine(&self, command: &str) -> Result<Arc<EngineProcess>, String> {
        let processes = {
            let mut all = self
                .by_command
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            Arc::clone(all.entry(command.to_owned()).or_default())
        };
        // Held while one is started, so that no more start than are needed.
        let mut processes = processes.lock().unwrap_or_else(PoisonError::into_inner);
        processes.retain(|engine| !engine.is_spoiled());
        // The pool holds each once.
        let has_room =
            |engine: &&Arc<EngineProcess>| Arc::strong_count(engine) <= engine.parallel();
        if let Some(engine) = processes.iter().find(has_room) {
            return Ok(Arc::clone(engine));
        }
        let engine = Arc::new(EngineProcess::start(command, self.limits)?);
        processes.push(Arc::clone(&engine));
        Ok(engine)
    }
}
