//! The threads of a simulation: each takes chunk after chunk of the debates that are left.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::worker::Worker;
use super::{SimulationContext, SimulationError, SimulationResults};

/// The debates that a thread takes at a time.
pub(super) const CHUNK: u64 = 256;

/// Plays the debates on all threads, all of them or as far as they got when they were stopped.
pub(super) fn play(
    context: &SimulationContext<'_, '_>,
) -> Result<SimulationResults, SimulationError> {
    let simulation = context.simulation;
    let next = AtomicU64::new(simulation.debates.start);
    let found = Mutex::new(Ok(SimulationResults::nothing(simulation)));
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(simulation.threads)
        .build()
        .map_err(|error| SimulationError::Threads(error.to_string()))?;
    pool.broadcast(|_| {
        let mut worker = Worker::new(context);
        let played = context.play(&mut worker, &next);
        let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
        match (played, &mut *found) {
            (Ok(()), Ok(all)) => all.join(&worker.finish()),
            (Err(error), Ok(_)) => *found = Err(error),
            (_, Err(_)) => {}
        }
    });
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner)?;
    found.debates.end = next.into_inner().min(simulation.debates.end);
    Ok(found)
}

impl SimulationContext<'_, '_> {
    /// Plays chunk after chunk. What is begun is finished, so that no debate is left out; debates
    /// that are played move by move, which may take long, are begun one by one.
    fn play(
        &self,
        worker: &mut Worker<'_, '_, '_>,
        next: &AtomicU64,
    ) -> Result<(), SimulationError> {
        let end = self.simulation.debates.end;
        let stopped = || self.failed.load(Ordering::Relaxed) || self.budget.go_on().is_err();
        loop {
            if stopped() {
                return Ok(());
            }
            let size = if worker.plain { 1 } else { CHUNK };
            let take = |first: u64| (first < end).then(|| first.saturating_add(size).min(end));
            let Ok(first) = next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take) else {
                return Ok(());
            };
            let chunk = first..first.saturating_add(size).min(end);
            let count = chunk.end - chunk.start;
            worker.play(chunk).inspect_err(|_| {
                self.failed.store(true, Ordering::Relaxed);
            })?;
            self.budget.count(count);
        }
    }
}
