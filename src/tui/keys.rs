//! The actions that a user can take on the screens of a debate, and the keys that trigger them.
//!
//! One table (`keys/table.txt`) serves all of these screens, so that a key has the same meaning on each of them. A
//! context is the focused panel; facts are the current conditions of the debate.

use std::sync::LazyLock;

use ratatui::crossterm::event::MouseEventKind;
use serde::Deserialize;
use serde::de::{IntoDeserializer as _, value};

use crate::members;
use crate::tui::actions::{ActionDefinition, Contexts, Facts, FlagSet, KeyMap, KeyMapError};
use crate::tui::widget::scroll::{Entry, Scroll};

/// An action of the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
pub enum Action {
    /// Send the draft in the ask panel.
    Send,
    /// Decrease the probability.
    Lower,
    /// Increase the probability.
    Raise,
    /// Decrease by ten.
    LowerMuch,
    /// Increase by ten.
    RaiseMuch,
    /// Go to the choice or row above.
    Above,
    /// Go to the choice or row below.
    Below,
    /// The next gate over the subclaims being written.
    NextGate,
    /// Send the subclaim being written to the judge.
    ToJudge,
    /// Remove the subclaim being written.
    RemoveLine,
    /// Move the subclaim being written up.
    LineUp,
    /// Move the subclaim being written down.
    LineDown,
    /// Take the seat after the keyboard was handed over.
    TakeSeat,
    /// Flip a claimed answer or a bit.
    Turn,
    /// Go to the previous bit or cell.
    PlaceBack,
    /// Go to the next bit or cell.
    PlaceOn,
    /// Move up by a page of cells or steps.
    PageAbove,
    /// Move down by a page of cells or steps.
    PageBelow,
    /// Go to the first cell, or to the choice of no step.
    FirstPlace,
    /// Go to the last cell or step.
    LastPlace,
    /// Type the index of a cell or a step.
    Jump,
    /// The next bit that differs from the prepared bits.
    NextDifference,
    /// The previous bit that differs from the prepared bits.
    PreviousDifference,
    /// Restore the prepared values.
    Restore,
    /// Move a machine's head to the cell under the cursor.
    PutHead,
    /// Run a machine for one step from the configuration in view.
    RunStep,
    /// Take a step of a machine's run back.
    RunBack,
    /// Run a machine to the middle of the contested part.
    RunToMiddle,
    /// Compute the steps after the marked one from the bits that they read.
    CarryOn,
    /// Challenge no step.
    NoStep,
    /// Take a random number.
    Random,
    /// Scroll down in a long question, or in the transcript.
    ReadOn,
    /// Scroll up.
    ReadBack,
    /// Let the other players play to the end of the round.
    PlayRound,
    /// Let the other players make one move.
    PlayStep,
    /// Let the other players play until it is the user's turn.
    PlayToTurn,
    /// Start or stop autoplay.
    Auto,
    /// Play faster.
    Faster,
    /// Play slower.
    Slower,
    /// Undo the last reply.
    Undo,
    /// Show or hide the value of each reply.
    Hint,
    /// Cancel the running computation.
    Stop,
    /// Play many debates between these players.
    Many,
    /// Show the faults and the full report.
    Review,
    /// Start or end a quote.
    Quote,
    /// Quote the selected sentence of the source.
    QuoteSentence,
    /// Search the source.
    SearchSource,
    /// Scroll down in the source.
    SourceOn,
    /// Scroll up in the source.
    SourceBack,
    /// Go to the next mistake.
    NextMistake,
    /// Go to the previous mistake.
    PreviousMistake,
    /// Continue from before a mistake.
    TryAgain,
    /// Replay the debate from the start.
    WatchAgain,
    /// Continue from the current position of a replay.
    PlayOn,
    /// Play again with a new seed.
    PlayAgain,
    /// Compare with the same instance and coins under other rules.
    Compare,
    /// One step forward in a replay.
    Forward,
    /// One step back in a replay.
    Back,
    /// Go to the start of a replay.
    Start,
    /// Go to the end of a replay.
    Finish,
    /// Take the marked seat.
    Sit,
    /// Open the marked item.
    Open,
    /// Choose the players and the rules.
    Arrange,
    /// Delete the marked item.
    Remove,
    /// Rename the marked item.
    Rename,
    /// Hide the marked item, or show it again.
    Hide,
    /// Show or hide hidden items.
    ShowHidden,
    /// Go home.
    Home,
    /// Change the settings.
    Settings,
    /// Write the debate to a file for sharing.
    Export,
    /// Copy the seed.
    CopySeed,
    /// Copy the command line that plays the debate again.
    CopyCommand,
    /// The previous choice in a form.
    TurnBack,
    /// The next choice in a form.
    TurnOn,
    /// Type into a field of a form.
    Write,
    /// Accept the form.
    Accept,
    /// One line up.
    Up,
    /// One line down.
    Down,
    /// One page up.
    PageUp,
    /// One page down.
    PageDown,
    /// The first line.
    First,
    /// The last line.
    Last,
    /// Go to the previous round.
    RoundBack,
    /// Go to the next round.
    RoundOn,
    /// Search the transcript.
    Search,
    /// The next match.
    NextMatch,
    /// The previous match.
    PreviousMatch,
    /// Copy the round in view.
    Copy,
    /// Move the focus to the next panel.
    NextPanel,
    /// Move the focus to the previous panel.
    PreviousPanel,
    /// Move the focus to the claim tree.
    ToTree,
    /// Move the focus to the transcript.
    ToTranscript,
    /// Move the focus to the rewards.
    ToRewards,
    /// Move the focus back to the question, or cancel the running computation.
    ToQuestion,
    /// Show the question and the user's briefing.
    Background,
    /// Show the step and the rules.
    Why,
    /// Show rewards in points or as exact payoffs.
    Points,
    /// Continue the tutorial, a study or a judgement.
    Onward,
    /// Hide or show the text of the tutorial.
    Coach,
    /// Show the help.
    Help,
    /// Show every action.
    Palette,
    /// The next theme.
    Theme,
    /// ASCII or Unicode signs.
    Ascii,
    /// Mouse on or off.
    Mouse,
    /// Return the terminal to the shell for a while.
    Suspend,
    /// Close the overlay.
    Close,
    /// Leave.
    Quit,
    /// Quit the whole program at once.
    Interrupt,
}

/// The note that is shown after a click on the hint of an action that quits.
pub(super) const NO_CLICK_QUITS: &str = "A click does not quit: press the key.";

impl Action {
    /// True if the action ends the program or leaves the screen for good. Only a key does that.
    pub(super) fn quits(self) -> bool {
        matches!(self, Self::Quit | Self::Interrupt)
    }

    /// Returns the number of lines by which the action scrolls a text down, given the lines of a page; `None` if it
    /// does not scroll.
    pub(super) fn scroll_lines(self, page: isize) -> Option<isize> {
        Some(match self {
            Self::Up => -1,
            Self::Down => 1,
            Self::PageUp | Self::ReadBack => -page,
            Self::PageDown | Self::ReadOn => page,
            Self::First => isize::MIN / 2,
            Self::Last => isize::MAX / 2,
            _ => return None,
        })
    }
}

/// Returns the number of lines by which the wheel scrolls a text down; `None` for other events.
pub(super) fn wheel_lines(kind: MouseEventKind) -> Option<isize> {
    match kind {
        MouseEventKind::ScrollUp => Some(-3),
        MouseEventKind::ScrollDown => Some(3),
        _ => None,
    }
}

/// Scrolls a text if the action is a scroll action. Returns true if it is.
pub(super) fn scroll_text(action: Action, scroll: &mut Scroll, text: &[Entry]) -> bool {
    let lines = action.scroll_lines(scroll.page_lines());
    if let Some(lines) = lines {
        scroll.scroll(text, lines);
    }
    lines.is_some()
}

members! { Contexts, CONTEXTS:
    /// The recursion panel of a debate has the focus.
    TREE "recursion"
    /// The transcript of a debate has the focus.
    TRANSCRIPT "transcript"
    /// The rewards of a debate have the focus.
    REWARDS "rewards"
    /// The request is for one of several answers.
    PICK "choice"
    /// The request is for a half of a machine's run.
    MACHINE_CHOICE "machine-choice"
    /// The request is for a probability.
    SLIDER "probability"
    /// The request is for claimed answers.
    TOGGLES "answers"
    /// The request is for a string of bits.
    BITS "bits"
    /// The request is for a configuration of a machine with a tape.
    TAPE "tape"
    /// The request is for a transcript: the bit of each step of a computation.
    WRITTEN "transcript-of-steps"
    /// The request is for a step to challenge.
    STEPS "steps"
    /// The request is for a number for a coin.
    SHARE "number"
    /// The request is for a support in the user's own words.
    COMPOSE "support"
    /// A line of such a support is being written: all characters belong to it.
    WRITING "support-line"
    /// A speech is being written: all characters belong to it.
    SPEECH "speech"
    /// The keyboard is handed from one person to another.
    HANDOVER "hand-over"
    /// Another player is to move.
    WATCH "watching"
    /// The debate is over and its report has the focus.
    END "end"
    /// The recursion panel of a replay has the focus.
    REPLAY_TREE "replay-recursion"
    /// The transcript of a replay has the focus.
    REPLAY_TRANSCRIPT "replay-transcript"
    /// The rewards of a replay have the focus.
    REPLAY_REWARDS "replay-rewards"
    /// The timeline of a replay has the focus.
    TIMELINE "replay-timeline"
    /// The seat chooser is shown.
    CHOOSER "seats"
    /// The help is open.
    HELP "help"
    /// The question and the user's briefing are shown before the first move.
    BRIEFING "briefing"
    /// Home is shown.
    HOME "home"
    /// A form is shown.
    FORM "form"
    /// Two debates are shown side by side.
    COMPARE "compare"
    /// A page of the tutorial is shown.
    LECTURE "tutorial"
    /// The user waits for a computation.
    WAITING "waiting"
    /// A finished debate is being judged again: the request is for a probability.
    JUDGING "judging-again"
    /// The judge chooses between another round of a finished debate and the end of the judgement.
    DECIDING "hearing-more"
    /// The judgement was accepted, and the next debate is offered.
    JUDGED "judged"
    /// The review of a debate is open.
    REVIEW "review"
    /// The choice of what to do next is shown.
    NEXT_STEPS "what-next"
    /// A text page of a study is shown.
    STUDY_READ "study-page"
    /// A page of a study asks for a choice.
    STUDY_CHOICE "study-choice"
    /// A page of a study asks for a probability.
    STUDY_NUMBER "study-number"
    /// A page of a study asks for a line of text: all characters belong to it.
    STUDY_TEXT "study-text"
    /// The progress of a study's participants is shown.
    STUDY_STATUS "study-status"
    /// The command palette is open.
    COMMANDS "commands"
}

/// The panels above the ask panel.
pub const PANEL_CONTEXTS: Contexts = TREE.or(TRANSCRIPT).or(REWARDS);
/// All panels of a replay.
pub const REPLAY_CONTEXTS: Contexts = REPLAY_TREE
    .or(REPLAY_TRANSCRIPT)
    .or(REPLAY_REWARDS)
    .or(TIMELINE);
/// Panels in which characters are not part of an answer.
pub(super) const READING_CONTEXTS: Contexts = PANEL_CONTEXTS.or(WATCH).or(END).or(REPLAY_CONTEXTS);
/// The contexts in which the help explains the signs that a debate shows.
pub(super) const SIGN_HELP_CONTEXTS: Contexts = READING_CONTEXTS
    .or(PICK)
    .or(MACHINE_CHOICE)
    .or(SLIDER)
    .or(TOGGLES);
/// Named groups of contexts in the table of bindings. Groups that only the table uses are defined there.
const GROUPS: &[(&str, Contexts)] = &[
    ("panels", PANEL_CONTEXTS),
    ("replay", REPLAY_CONTEXTS),
    ("reading", READING_CONTEXTS),
];

members! { Facts, FACTS:
    /// A move of another player is pending.
    OTHERS "others"
    /// The user's reply is pending.
    MINE "mine"
    /// A reply can be undone.
    UNDOABLE "undoable"
    /// Autoplay is on.
    PLAYING "playing"
    /// A search term is set.
    SEARCHED "searched"
    /// The debate is running.
    RUNNING "running"
    /// The user may have another turn.
    AWAITED "awaited"
    /// The user has no more turns.
    UNASKED "unasked"
    /// The values of replies may be shown.
    VALUED "valued"
    /// The review has found a mistake, or is not finished yet.
    MISTAKEN "mistaken"
    /// A computation is running.
    COMPUTING "computing"
    /// The players and rules of the marked or offered debate can be changed.
    ARRANGEABLE "arrangeable"
    /// The marked item is the tutorial.
    LESSONS "lessons"
    /// There are other rules to compare with.
    COMPARABLE "comparable"
    /// The marked item is a debate with at least one move.
    READABLE "readable"
    /// The arrows change the marked field.
    TURNABLE "turnable"
    /// The user can type into the marked field.
    WRITABLE "writable"
    /// The debate or page belongs to a lesson of the tutorial.
    LESSON "lesson"
    /// The screen is not the home screen.
    AWAY "away"
    /// There is a debate with a seed.
    SEEDED "seeded"
    /// The command line that repeats the debate reveals no secrets.
    REPEATABLE "repeatable"
    /// There is a save of the debate.
    KEPT "kept"
    /// The user writes a speech with quotes.
    SPEAKING "speaking"
    /// There is more text below.
    UNREAD "unread"
}

/// Returns the reason why an action with these needed facts is unavailable; empty if it is available.
pub(super) fn unavailable_reason(needs: Facts, facts: Facts) -> &'static str {
    let mut reasons = TABLE.reasons.iter();
    let missing = reasons.find(|(fact, _)| needs.contains_all(*fact) && !facts.contains_all(*fact));
    missing.map_or("", |(_, why)| why)
}

/// The table in `keys/table.txt`. A test checks that it can be read.
static TABLE: LazyLock<KeyTable> = LazyLock::new(|| KeyTable::read(TEXT).unwrap_or_default());

const TEXT: &str = include_str!("keys/table.txt");

/// The bindings, in the order of footer, help and palette.
pub fn actions() -> &'static [ActionDefinition<Action>] {
    &TABLE.bindings
}

/// Returns the purpose of the focused panel or screen, for the help. Names of actions in braces are replaced by their
/// keys.
pub(super) fn purpose_of_context(context: Contexts) -> &'static str {
    let mut purposes = TABLE.purposes.iter();
    let here = purposes.find(|(used_in, _)| used_in.intersects(context));
    here.map_or("", |(_, purpose)| purpose)
}

#[derive(Default)]
struct KeyTable {
    /// For each fact, the reason why an action that needs it is unavailable without it.
    reasons: Vec<(Facts, &'static str)>,
    purposes: Vec<(Contexts, &'static str)>,
    bindings: Vec<ActionDefinition<Action>>,
}

impl KeyTable {
    fn read(text: &'static str) -> Option<Self> {
        let mut table = Self::default();
        let mut contexts = [CONTEXTS, GROUPS].concat();
        let lines = text.lines();
        for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let fields: Vec<&'static str> = line.split('|').map(str::trim).collect();
            match fields[..] {
                [group] => {
                    let (name, members) = group.split_once(" = ")?;
                    contexts.push((name, union(members, &contexts)?));
                }
                ["fact", name, why] => table.reasons.push((union(name, FACTS)?, why)),
                [used_in, purpose] => table.purposes.push((union(used_in, &contexts)?, purpose)),
                [action, name, doc, keys, used_in, needs, hint] => {
                    let id: Result<Action, value::Error> =
                        Action::deserialize(action.into_deserializer());
                    let keys: Vec<&str> = keys.split_whitespace().collect();
                    let used_in = union(used_in, &contexts)?;
                    let binding = ActionDefinition::new(id.ok()?, name, doc, keys.leak(), used_in);
                    let binding = binding.requires(union(needs, FACTS)?);
                    table.bindings.push(match hint.split_once(' ') {
                        Some((weight, word)) => binding.hint(word, weight.parse().ok()?),
                        None => binding,
                    });
                }
                _ => return None,
            }
        }
        Some(table)
    }
}

/// Returns the union of the sets that a line names.
fn union<K: Copy>(names: &str, known: &[(&str, FlagSet<K>)]) -> Option<FlagSet<K>> {
    names
        .split_whitespace()
        .try_fold(FlagSet::NONE, |union, name| {
            let (_, set) = known.iter().find(|(known, _)| *known == name)?;
            Some(union | *set)
        })
}

/// The actions that must have a key, because the user could not leave a screen without them.
pub const REQUIRED_ACTIONS: &[&str] = &["quit", "close"];

/// Returns the key map with the default keys of the table.
///
/// # Errors
/// Returns an error only if the table itself is wrong, which a test rules out.
pub fn map() -> Result<KeyMap<Action>, KeyMapError> {
    KeyMap::new(actions())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_has_two_actions_in_a_context() {
        map().unwrap();
    }

    #[test]
    fn common_keys_have_one_meaning_in_all_contexts() {
        let map = map().unwrap();
        for (key, meanings) in [
            ("b", &[Action::Background][..]),
            ("t", &[Action::ToTranscript]),
            ("=", &[Action::Points]),
            ("u", &[Action::Undo]),
            ("/", &[Action::Search, Action::Palette]),
            (":", &[Action::Palette]),
            ("?", &[Action::Help, Action::Close]),
            // As in vim, this key moves left if no question is pending.
            ("h", &[Action::Hint, Action::Back, Action::TurnBack]),
        ] {
            for (name, context) in CONTEXTS {
                let found = map.action_of_key(*context, Facts::ALL, key.parse().unwrap());
                let is_meant = found.is_none_or(|action| meanings.contains(&action));
                assert!(is_meant, "{key} in {name}: {found:?}");
            }
        }
    }

    #[test]
    fn every_line_of_the_key_table_is_valid() {
        let table = KeyTable::read(TEXT).unwrap();
        let lines = TEXT.lines().filter(|line| !line.starts_with('#'));
        let parted = lines.filter(|line| line.contains(" | ")).count();
        assert_eq!(
            table.bindings.len() + table.purposes.len() + table.reasons.len(),
            parted
        );
        for (name, context) in CONTEXTS {
            let is_known =
                [FORM, HELP].contains(context) || !purpose_of_context(*context).is_empty();
            assert!(is_known, "{name}");
        }
        for wrong in [
            "Send",
            "Sent | send | Send | x | seats | |",
            "Send | send | Send | x | sofa | |",
        ] {
            assert!(KeyTable::read(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn every_context_has_a_name() {
        for action in actions() {
            let named = CONTEXTS
                .iter()
                .map(|(_, context)| *context)
                .filter(|context| action.contexts.intersects(*context));
            let all = named.fold(Contexts::NONE, Contexts::or);
            assert_eq!(all, action.contexts, "{}", action.name);
        }
    }

    #[test]
    fn action_names_are_unique() {
        for (at, action) in actions().iter().enumerate() {
            assert!(
                actions()[..at]
                    .iter()
                    .all(|other| other.name != action.name)
            );
        }
    }

    #[test]
    fn every_fact_that_an_action_needs_has_its_reason() {
        for action in actions() {
            let why = unavailable_reason(action.needs, Facts::NONE);
            assert_eq!(
                why.is_empty(),
                action.needs == Facts::NONE,
                "{}",
                action.name
            );
            assert_eq!(unavailable_reason(action.needs, Facts::ALL), "");
        }
    }

    #[test]
    fn every_action_is_documented_in_one_imperative_line() {
        for action in actions() {
            assert!(
                !action.doc.ends_with('.') && !action.doc.is_empty(),
                "{}",
                action.name
            );
            assert!(!action.keys.is_empty());
        }
    }
}
