//! The form of a save: its version, the lines around its events, and its limits.

/// The version of the save format.
pub const FORMAT: u32 = 1;

/// The header's first line.
pub(super) const FIRST_LINE: &str = "Save(";
/// The start of the second line, in every version of the format.
pub(super) const SECOND_LINE: &str = "    format: ";
/// The line between the header and the events.
pub(super) const EVENTS_LINE: &str = "    events: [";
/// The start of the line that ends a finished save.
pub(super) const END_LINE: &str = "    ], ";

/// The most bytes that a save may have.
pub const MAX_SAVE: u64 = 128 << 20;
/// The most bytes that the line of an event may have.
pub const MAX_LINE: usize = 1 << 20;

/// The most that a time in milliseconds or an amount spent can be, so that no sum of them is too
/// large for its type.
pub(super) const MAX_AMOUNT: u64 = 1 << 40;
