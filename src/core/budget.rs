//! Budgets that limit a computation's steps, and the reasons why a computation ends without a result.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use thiserror::Error;

/// The limits of a computation, the flag that stops it, and the callback that reports its progress.
#[derive(Clone, Copy, Debug)]
pub struct Budget<'c> {
    /// Maximum number of steps of the computation. The computation defines a step: a played reply, a written node.
    pub steps: u64,
    /// The command-line flag that raises the limit, if there is one.
    pub flag: Option<&'static str>,
    /// Cancellation flag: another thread sets it to stop the computation.
    pub stop: Option<&'c AtomicBool>,
    /// Counts the steps taken, in units of [`Budget::STEP`], for progress displays.
    pub progress: Option<&'c AtomicU64>,
}

impl Budget<'_> {
    /// Number of steps after which a long computation reports them and checks for cancellation.
    pub const STEP: u64 = 256;

    /// Reports that `steps` steps named `what` have been taken.
    ///
    /// # Errors
    /// Returns an error if the limit is exceeded, or the computation was cancelled.
    pub fn record_steps(&self, steps: u64, what: &'static str) -> Result<(), Exceeded> {
        if steps > self.steps {
            return Err(self.limit_exceeded_error(what));
        }
        if steps % Self::STEP == 1 {
            self.add_to_progress(Self::STEP);
            self.check_not_cancelled()?;
        }
        Ok(())
    }

    /// Returns the same budget with a limit that no flag raises.
    #[must_use]
    pub fn with_steps(self, steps: u64) -> Self {
        Self {
            steps,
            flag: None,
            ..self
        }
    }

    /// Returns the same budget with fewer steps, for exact arithmetic on numbers of `digits` digits. A step costs
    /// (`digits` / [`Self::SHORT_DIGITS`])², but at least 1, because reducing a fraction takes quadratic time.
    #[must_use]
    pub fn for_arithmetic_with_digits(self, digits: u64) -> Self {
        let cost = (digits / Self::SHORT_DIGITS).saturating_pow(2).max(1);
        Self {
            steps: (self.steps / cost).max(1),
            ..self
        }
    }

    /// The number of digits of a number up to which a step of exact arithmetic costs 1.
    pub const SHORT_DIGITS: u64 = 128;

    /// Adds `steps` steps to the progress that the caller can display.
    pub fn add_to_progress(&self, steps: u64) {
        if let Some(progress) = self.progress {
            progress.fetch_add(steps, Ordering::Relaxed);
        }
    }

    /// # Errors
    /// Returns an error if the computation was cancelled.
    pub fn check_not_cancelled(&self) -> Result<(), Exceeded> {
        match self.stop {
            Some(stop) if stop.load(Ordering::Relaxed) => Err(Exceeded::Stopped),
            _ => Ok(()),
        }
    }

    /// Returns the error for exceeding the limit, for steps named `what`.
    pub fn limit_exceeded_error(&self, what: &'static str) -> Exceeded {
        Exceeded::TooLarge {
            what,
            limit: self.steps,
            flag: self.flag,
        }
    }
}

impl Default for Budget<'_> {
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
pub enum Exceeded {
    /// It was stopped from elsewhere.
    #[error("stopped")]
    Stopped,
    /// The computation takes more steps than its budget allows.
    #[error("this takes more than {limit} {what}; {}ask for less", raised(*flag))]
    TooLarge {
        what: &'static str,
        /// The maximum number allowed.
        limit: u64,
        /// The command-line flag that raises the limit, if there is one.
        flag: Option<&'static str>,
    },
}

/// Returns the first words of the advice on how to raise a limit.
fn raised(flag: Option<&str>) -> String {
    flag.map(|flag| format!("raise {flag}, or "))
        .unwrap_or_default()
}
