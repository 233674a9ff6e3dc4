//! What is told to a reader: pages of lines, the same for screens, plain text, HTML and messages.
//!
//! A [`Page`] has a heading, [`Line`]s of [`Span`]s with a [`Role`] each, and an [`Ask`].
//!
//! [`DebateFacts`] are the facts around a debate, a [`Viewpoint`] is the debate as one seat sees it.
//! From these come the [`ClaimTree`], the [`RewardTable`] with its [`Amounts`] in points, the entries of the transcript
//! ([`transcript`]), the line of what is at stake ([`status`]), the pending [`step`] explained, the question in lines ([`PlainQuestion`]), and the [`report`] at the end. A
//! [`Narration`] is all of them for somebody who sees everything, as a replay does.
//!
//! Texts here have roles and no layout: whoever shows them breaks lines and chooses colours.

mod amounts;
pub mod claim_tree;
mod computation;
mod conclusion;
mod consistency;
mod decided;
mod facts;
mod formulas;
mod full_view;
mod line;
mod narrator;
mod page;
mod parts;
mod passed;
mod pending;
mod perspective;
mod plain;
mod question;
mod quoted_source;
pub mod report;

pub mod results;
pub mod review;
mod rewards;
mod script;
mod speeches;
mod spoken;
pub mod status;
pub mod step;
pub mod table;
pub mod transcript;
mod viewpoint;
mod written_step;

pub use amounts::{Amounts, Unit};
pub use claim_tree::ClaimTree;
pub use computation::moral;
pub use conclusion::{conclusion, disclosure};
pub use consistency::{Agreement, ImpliedEstimate, agreement};
pub use decided::{certain_loss, decided};
pub use facts::{DebateFacts, SeatOccupant};
pub use full_view::{Narration, NarrationState};
pub use line::{Line, Role, Span, seat_role, with_outcomes};
pub use narrator::{NarratedEvent, Narrator, Question};
pub use page::{Ask, AskKind, Page, paragraphs};
pub use passed::passed;
pub use pending::{pending_action, until_turn};
pub use perspective::Perspective;
pub use plain::{PlainQuestion, is_prepared, plain_line, prepared_bits};
pub use quoted_source::QuotedSource;
pub use rewards::{
    Payment, RewardRow, RewardSummary, RewardTable, RoundStake, bar_height, dominant,
};
pub use script::{Script, Signs, expense, grouped, in_columns, shortened};
pub use viewpoint::{ReplyMark, Viewpoint};
pub use written_step::WrittenStep;

#[cfg(test)]
#[path = "../../tests/support/arguments.rs"]
mod arguments;

use debate_core::number::{percent, short};

/// A probability in few columns: `33 %`.
pub fn chance(p: f64) -> String {
    let text = short(p * 100.0, 2);
    // What is nearly certain must not be read as certain.
    if p < 1.0 && text.parse::<f64>().is_ok_and(|shown| shown >= 100.0) {
        return percent(p);
    }
    format!("{text} %")
}
