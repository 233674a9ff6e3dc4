//! Debates and results as text: pages of lines, shared by screens, plain text, HTML and messages.
//!
//! ```
//! use debate_solver::setup::{ScenarioLimits, LoadedScenario};
//! use debate_text::{DebateDescription, FormulaCharacterSet};
//!
//! let setup = LoadedScenario::find_scenario("primes", &ScenarioLimits::default()).unwrap();
//! let instance = setup.instance(setup.world_index("109931").unwrap());
//! let facts = DebateDescription::new(&instance, &setup.protocol);
//! assert_eq!(facts.title, "109,931 is prime");
//! ```
//!
//! A [`HeadedTextPage`] has a heading, [`Line`]s of [`TextWithRole`]s with a [`TextRole`] each, and an optional
//! [`QuestionToUser`]. Texts have roles but no layout: the screen or the document that shows a page breaks its lines
//! and chooses colours.
//!
//! [`DebateDescription`] are the facts about a debate, and a [`DebateViewpoint`] is the debate as one seat sees it. A
//! [`ViewerPerspective`] sets the seat addressed as "you". Start with [`DebateNarrator`], which turns an event into a
//! sentence.
//!
//! | subject | text |
//! | --- | --- |
//! | an event | its sentence ([`DebateNarrator::narrate`]), the [`transcript`], the [`ClaimTree`] |
//! | a request | its [`QuestionToUser`] ([`DebateNarrator::pending_question`]), the lines of plain mode ([`PendingQuestionInLines`]), the reader of typed answers ([`read_line`]), the explanation of the pending step ([`explain_pending_step()`]) |
//! | a reply | a warning if it certainly loses ([`reply_warning`]), its value ([`review`]) |
//! | rewards | the [`RewardTable`], in points by [`PayoffFormatter`]; the status line of the pending reward ([`status`]) |
//! | the end | the [`report`] |
//! | a result of a command | its [`results::PrintableCommandResult`] |
//! | a text with placeholders | its template, [filled](fill_template) |
//!
//! A [`ReplayFrame`] has the panels of a replay for a reader who sees everything.

mod amounts;
pub mod claim_tree;
mod computation;
mod formulas;
mod labels;
mod machine;
mod narration;
mod narrator;
mod page;
mod perspective;
mod plain;
mod question;
mod quoted_source;
pub mod report;
pub mod results;
pub mod review;
mod rewards;
mod script;
mod split_bar;
pub mod status;
mod sums;
pub mod table;
mod template;
pub mod transcript;
mod typed;
mod viewpoint;
mod warnings;

pub use amounts::{PayoffFormatter, PayoffUnit};
pub use claim_tree::ClaimTree;
pub use computation::{
    BitReadByStep, StepWithWrittenBit, shortened_configuration, verifier_check_text_name,
};
use formulas::winner_of_verdict;
pub use labels::{first_claims_and_remaining_count, short_claim_labels};
pub use machine::{rule_text, rule_text_of_configuration};
pub use narration::{ReplayFrame, ReplayTreeAndRewards};
use narrator::in_percent;
pub use narrator::{DebateNarrator, NarratedEvent, summary_of_entries};
pub use page::{DebateAnswerForm, HeadedTextPage, QuestionToUser, text_to_paragraph_lines};
pub use page::{Line, TextRole, TextWithRole, split_at_truth_and_bet_words, text_role_of_seat};
pub use perspective::ViewerPerspective;
use perspective::other_debater;
pub use plain::{PendingQuestionInLines, prepared_reply_bits};
pub use question::{
    ContestedPartOfRun, DebateStateForTurnPrediction, NOTHING_MORE, PendingTurnExplanation,
    align_tapes, explain_pending_step, goal_of_seat, next_turn_of_seat_sentence, pending_step_rule,
    prover_knowledge, question_explanation_lines, statement_and_briefing, step_and_rules_lines,
    win_condition_with_estimates,
};
pub use quoted_source::QuestionSourceView;
pub use report::{closing_lines, debate_moral, end_disclosure_lines, judge_record_sentence};
pub use rewards::{
    RewardRow, RewardTable, RewardsSoFar, RoundPaymentState, RoundPaymentStatus,
    index_of_value_above_sum_of_others, log_scale_bar_height,
};
use script::lowercase_first;
pub use script::{
    FormulaCharacterSet, SignCharacters, capitalized, cost_with_kind_text, fit_bits,
    shortened_bits, with_thousands_separators, yes_no_word,
};
pub use split_bar::{
    EstimateSplitBar, ProbabilityBarSegment, SplitBarSegmentsSide, SplitBarSubclaim,
};
pub use sums::FormattedAmountsWithSum;
pub use template::{NamedTexts, TemplateSplitAtList, fill_template, placeholders};
pub use transcript::{new_plain_lines, plain_line, seal_opening_sentence_states_reply};
pub use typed::{LabelledReply, ParsedTypedLine, accepted_input_help, read_line, reply_words};
pub use viewpoint::{DebateDescription, DebateViewpoint, NO_HINTS, ReplyRemark};
pub use warnings::{
    ImpliedRangeAndOwnEstimate, PartialSubclaimEstimates, decided_result_sentence, reply_warning,
};

#[cfg(test)]
#[path = "../../tests/support/arguments.rs"]
mod arguments;

use debate_core::number::{format_percent, format_rounded};

/// Formats a probability in a few characters: `33 %`.
pub fn probability_text(probability: f64) -> String {
    let text = format_rounded(probability * 100.0, 2);
    // A probability just below 1 must not be displayed as certain.
    if probability < 1.0 && text.parse::<f64>().is_ok_and(|shown| shown >= 100.0) {
        return format_percent(probability);
    }
    format!("{text} %")
}

/// The example of the README is a documentation test.
#[cfg(doctest)]
#[doc = include_str!("README.md")]
struct ReadmeExample;
