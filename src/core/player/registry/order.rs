//! The order by which a strategy is built, and why that may fail.

use thiserror::Error;

use crate::budget::{Budget, Exceeded};
use crate::number::Known;
use crate::player::{PlayerFiles, Spec};
use crate::protocol::{Protocol, Seat};
use crate::scenario::{Blind, Informed, Instance};

/// An order for a strategy: all that it is built from.
#[derive(Clone, Copy, Debug)]
pub struct Order<'a, 'o> {
    /// The strategy's name, for errors.
    pub name: &'static str,
    /// The seat that it is to take.
    pub seat: Seat,
    /// The instance that will be debated.
    pub instance: &'a Instance,
    /// The protocol with its parameters.
    pub protocol: &'o Protocol,
    /// The arguments as numbers; a count is a whole number.
    pub numbers: &'o [Known],
    /// True if the optional word was given.
    pub option: bool,
    /// The arguments as they were written.
    pub arguments: &'o [String],
    /// The file that was named.
    pub file: Option<&'o str>,
    /// The files that are at hand.
    pub player_files: &'o PlayerFiles,
    /// The players of all seats ([`Seat::PLAYERS`]): for strategies that are made against
    /// the others. `None` where that is not said.
    pub table: Option<&'o [Spec; 3]>,
    /// Stops and watches the building of a strategy that is computed first.
    pub budget: Budget<'o>,
}

impl<'a> Order<'a, '_> {
    /// The player of another seat.
    ///
    /// # Errors
    /// If it is not said, or a person sits there.
    pub fn other(&self, seat: Seat) -> Result<&Spec, BuildError> {
        let there = self.table.and_then(|table| table.get(seat.index()));
        match there {
            Some(spec) if !spec.is_human() => Ok(spec),
            _ => Err(BuildError::Against {
                name: self.name,
                seat,
                player: there.map_or_else(|| "not said".to_owned(), ToString::to_string),
            }),
        }
    }

    /// A reader that knows the truths, for whoever pays for each or is the judge.
    pub fn informed(&self) -> Informed<'a> {
        Informed::new(self.instance)
    }

    /// A reader that knows every truth, none being undecidable.
    ///
    /// # Errors
    /// If some claim cannot be decided.
    pub fn omniscient(&self) -> Result<Informed<'a>, BuildError> {
        if self.instance.is_decidable() {
            self.truths()
        } else {
            Err(BuildError::Undecidable(self.name))
        }
    }

    /// A reader that knows the truths, for a strategy that uses them as if they were known to its
    /// seat.
    ///
    /// # Errors
    /// If the scenario says that its seat knows less.
    pub fn truths(&self) -> Result<Informed<'a>, BuildError> {
        match self.instance.block(self.seat.index()) {
            Some(alike) if alike.len() > 1 => Err(BuildError::KnowsLess {
                name: self.name,
                seat: self.seat,
                instances: alike.len(),
            }),
            _ => Ok(self.informed()),
        }
    }

    /// A reader that knows no truth but what its seat knows.
    pub fn blind(&self) -> Blind<'a> {
        Blind::of_seat(self.instance, self.seat.index())
    }

    /// The first argument, as a number.
    pub fn number(&self) -> Known {
        self.numbers
            .first()
            .cloned()
            .unwrap_or_else(|| false.into())
    }

    /// The first argument, as a count.
    pub fn count(&self) -> u64 {
        self.optional_count().unwrap_or(0)
    }

    /// The first argument, as a count, where one was given.
    pub fn optional_count(&self) -> Option<u64> {
        let whole = self.numbers.first()?.exact().to_integer();
        u64::try_from(whole).ok()
    }
}

/// Why a strategy cannot be built.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum BuildError {
    /// There is no such strategy for this seat and protocol.
    #[error("there is no {title} named {name:?} under {protocol}; take one of: {known}")]
    Unknown {
        name: String,
        title: &'static str,
        /// The protocol.
        protocol: &'static str,
        known: String,
    },
    /// Another program, where no program is started.
    #[error(
        "{name} is another program, which plays where a debate is held: `debate-tui SCENARIO`, \
         `match`, `serve`; here name a built-in {title}: {known}"
    )]
    Program {
        name: String,
        title: &'static str,
        known: String,
    },
    /// The arguments are not what it takes.
    #[error("{name} takes {takes}, as in {example}")]
    Arguments {
        /// The strategy.
        name: &'static str,
        takes: String,
        example: String,
    },
    /// It needs truths that cannot be decided here.
    #[error(
        "{0} needs to know every truth, and some claims of this instance cannot be decided here; choose a blind player such as bayes"
    )]
    Undecidable(&'static str),
    /// It needs truths that its seat does not know here.
    #[error(
        "{name} needs to know every truth, and here the {seat} cannot tell {instances} instances \
         apart; choose a blind player, or let it know everything"
    )]
    KnowsLess {
        /// The strategy.
        name: &'static str,
        /// Its seat.
        seat: Seat,
        /// The number of instances that the seat cannot tell apart.
        instances: usize,
    },
    /// Nobody but a person can write subclaims.
    #[error(
        "{0} cannot write subclaims, and in an open argument Alice writes them; let a person be \
         Alice (--role prover)"
    )]
    OpenProver(&'static str),
    /// It goes by what is known of claims.
    #[error(
        "{name} goes by what is known of the claims, and nothing is known of those that people \
         write; {}", open_instead(*.seat)
    )]
    Open {
        /// The strategy.
        name: &'static str,
        /// The seat it was to take.
        seat: Seat,
    },
    /// It needs to visit more claims than it may.
    #[error(
        "{0} needs to visit every claim, and this instance has too many; choose another player such as marginal"
    )]
    TooMany(&'static str),
    /// It needs to know who wins a game that is too hard to solve.
    #[error(
        "{0} needs to know who wins this formula, and that is not decided within the effort allowed; choose a player that only guesses, such as random"
    )]
    Unsolved(&'static str),
    /// It is made against another seat's player, and nobody knows how that one plays.
    #[error(
        "{name} is made against the {seat}'s player, who must be a built-in one; here it is {player}"
    )]
    Against {
        /// The strategy.
        name: &'static str,
        /// The seat it is made against.
        seat: Seat,
        player: String,
    },
    /// Building it took too long, or was stopped.
    #[error("{name}: {exceeded}")]
    Exceeded {
        /// The strategy.
        name: &'static str,
        /// Why it ended.
        exceeded: Exceeded,
    },
    /// It cannot be worked out for this instance.
    #[error("{name}: {reason}")]
    Refused {
        /// The strategy.
        name: &'static str,
        /// Why not, and what to do.
        reason: String,
    },
}

/// Advice on who can play instead in an open argument.
fn open_instead(seat: Seat) -> String {
    match seat {
        Seat::Judge => "let a person judge (--role judge)".to_owned(),
        _ => format!(
            "let a person be {} (--role {}), or {}",
            seat.person(),
            seat.name(),
            "a player that asks nothing, such as random"
        ),
    }
}
