//! Budgets that limit a computation's steps, and the reasons why a computation ends without a result.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use thiserror::Error;

/// The step limit of a computation, the flag that stops it, and the counter of its progress.
#[derive(Clone, Copy, Debug)]
pub struct ComputationBudget<'c> {
    /// Maximum number of steps of the computation. A step is defined by the computation: for example, one move of a
    /// debate, or one node of a written file.
    pub steps: u64,
    /// The command-line flag with which a user raises the step limit, if there is one.
    pub flag: Option<&'static str>,
    /// Cancellation flag: another thread sets it to stop the computation.
    pub stop: Option<&'c AtomicBool>,
    /// The counter of steps taken so far, which another thread displays as progress. [`Self::check_total_steps`] lets
    /// it grow by [`ComputationBudget::STEP`] at a time.
    pub progress: Option<&'c AtomicU64>,
}

impl ComputationBudget<'_> {
    /// Number of steps after which a long computation reports its progress and checks for cancellation.
    pub const STEP: u64 = 256;

    /// Compares `steps`, the total number of steps so far, with the limit. Updates the progress and checks for
    /// cancellation once per [`Self::STEP`] steps, if called after each step. `what` names the steps in the error, such
    /// as "moves".
    ///
    /// # Errors
    /// Returns an error if the limit is exceeded, or the computation was found to be cancelled.
    pub fn check_total_steps(
        &self,
        steps: u64,
        what: &'static str,
    ) -> Result<(), ComputationStopReason> {
        if steps > self.steps {
            return Err(self.limit_exceeded_error(what));
        }
        if steps % Self::STEP == 1 {
            self.add_to_progress(Self::STEP);
            self.check_not_cancelled()?;
        }
        Ok(())
    }

    /// Returns this budget with another step limit, one that no command-line flag can raise.
    #[must_use]
    pub fn with_computation_step_limit(self, steps: u64) -> Self {
        Self {
            steps,
            flag: None,
            ..self
        }
    }

    /// Returns this budget with a lower step limit, for exact arithmetic on numbers of `digits` digits. A step costs
    /// (`digits` / [`Self::SHORT_DIGITS`])², but at least 1, because reducing a fraction takes quadratic time.
    #[must_use]
    pub fn with_step_limit_for_long_numbers(self, digits: u64) -> Self {
        let cost = (digits / Self::SHORT_DIGITS).saturating_pow(2).max(1);
        Self {
            steps: (self.steps / cost).max(1),
            ..self
        }
    }

    /// The unit of length in [`Self::with_step_limit_for_long_numbers`]. For numbers of fewer than twice this many
    /// digits, one step of exact arithmetic counts as one step of the budget.
    pub const SHORT_DIGITS: u64 = 128;

    /// Adds `steps` steps to the progress that the caller can display.
    pub fn add_to_progress(&self, steps: u64) {
        if let Some(progress) = self.progress {
            progress.fetch_add(steps, Ordering::Relaxed);
        }
    }

    /// # Errors
    /// Returns an error if the computation was cancelled.
    pub fn check_not_cancelled(&self) -> Result<(), ComputationStopReason> {
        match self.stop {
            Some(stop) if stop.load(Ordering::Relaxed) => Err(ComputationStopReason::Stopped),
            _ => Ok(()),
        }
    }

    /// Returns the error for exceeding the step limit. `what` is the name of the steps, such as "moves".
    pub fn limit_exceeded_error(&self, what: &'static str) -> ComputationStopReason {
        ComputationStopReason::TooLarge {
            what,
            limit: self.steps,
            flag: self.flag,
        }
    }
}

impl Default for ComputationBudget<'_> {
    fn default() -> Self {
        Self {
            steps: 100_000_000,
            flag: None,
            stop: None,
            progress: None,
        }
    }
}

/// The reason why a computation ended without a result.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ComputationStopReason {
    /// The computation's cancellation flag was set, for example by another thread.
    #[error("stopped")]
    Stopped,
    /// The computation takes more steps than its budget allows.
    #[error("the computation takes more than {limit} {counted_steps}{flag_advice}", counted_steps = .what, flag_advice = raised(*.flag))]
    TooLarge {
        what: &'static str,
        /// The maximum number of steps.
        limit: u64,
        /// The command-line flag with which a user raises the step limit, if there is one.
        flag: Option<&'static str>,
    },
}

/// Returns the advice to raise a step limit with its flag, after a semicolon. Empty without a flag, because a user
/// cannot change such a computation.
fn raised(flag: Option<&str>) -> String {
    flag.map(|flag| format!("; raise {flag}, or choose a smaller computation"))
        .unwrap_or_default()
}
