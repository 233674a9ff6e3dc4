//! Commands whose flags are described only when they are called.

use clap::builder::Resettable;
use clap::{ArgMatches, Args, Command, Error, FromArgMatches};

/// The arguments of a command beside others: describing those of all commands before the first
/// frame costs time and memory that only one of them is worth.
///
/// Not for a command that has a flag of its own under the name of one that stands everywhere: those
/// are added first.
#[derive(Debug)]
pub(super) struct Later<T>(pub(super) T);

impl<T: Args> Args for Later<T> {
    fn augment_args(command: Command) -> Command {
        command.defer(|command| keeping_about(command, T::augment_args))
    }

    fn augment_args_for_update(command: Command) -> Command {
        command.defer(|command| keeping_about(command, T::augment_args_for_update))
    }
}

/// Describes the arguments. What is told of those that several commands take is not told of the
/// command.
fn keeping_about(command: Command, describe: fn(Command) -> Command) -> Command {
    let [about, long_about] = [command.get_about(), command.get_long_about()]
        .map(|text| text.cloned().map_or(Resettable::Reset, Resettable::Value));
    describe(command).about(about).long_about(long_about)
}

impl<T: FromArgMatches> FromArgMatches for Later<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        T::from_arg_matches(matches).map(Self)
    }

    fn from_arg_matches_mut(matches: &mut ArgMatches) -> Result<Self, Error> {
        T::from_arg_matches_mut(matches).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches(matches)
    }

    fn update_from_arg_matches_mut(&mut self, matches: &mut ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches_mut(matches)
    }
}
