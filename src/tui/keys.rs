//! The actions that a user can take on the screens of the program, and the keys that trigger them.
//!
//! One table (`keys/table.txt`) serves all screens. A context is the screen, panel or overlay that has the focus. Facts
//! are the current conditions of the screen and its debate.

use std::sync::LazyLock;

use ratatui::crossterm::event::MouseEventKind;
use serde::Deserialize;
use serde::de::{IntoDeserializer as _, value};

use crate::members;
use crate::tui::actions::{
    ActionDefinition, ContextOrFactSet, Contexts, Facts, KeyMap, KeyMapError, KeyPress,
};
use crate::tui::widget::scroll::{Entry, Scroll};

/// An action of the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
pub enum Action {
    /// Send the drafted reply in the ask panel or the answer of a study page, or run the marked command.
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
    /// Change to the next gate over the subclaims that the user writes.
    NextGate,
    /// Mark the subclaim that the user is writing, so that the judge decides it directly, without a further round.
    ToJudge,
    /// Remove the subclaim that the user writes.
    RemoveLine,
    /// Swap the line of the subclaim that the user is writing with the line above.
    LineUp,
    /// Swap the line of the subclaim that the user is writing with the line below.
    LineDown,
    /// Begin the turn after the keyboard was handed over.
    TakeSeat,
    /// Switch a claim's answer between yes and no, flip a bit, or change a cell of a tape to the next symbol.
    Turn,
    /// Go to the previous bit or cell.
    PlaceBack,
    /// Go to the next bit or cell.
    PlaceOn,
    /// Move up by a page of cells or steps.
    PageAbove,
    /// Move down by a page of cells or steps.
    PageBelow,
    /// Go to the first cell, or to the row that challenges no step.
    FirstPlace,
    /// Move the cursor to the last cell or to the last step of a computation.
    LastPlace,
    /// Type the index of the cell or the step to go to.
    Jump,
    /// Go to the next bit that differs from the prepared bits.
    NextDifference,
    /// Go to the previous bit that differs from the prepared bits.
    PreviousDifference,
    /// Restore the prepared values.
    Restore,
    /// Move a machine's head to the cell under the cursor.
    PutHead,
    /// Run a machine for one step from the shown configuration.
    RunStep,
    /// Go back by one step of a machine's run.
    RunBack,
    /// Run a machine to the middle of the contested part of its run.
    RunToMiddle,
    /// Compute the bits of all steps after the marked one from the bits that they read.
    CarryOn,
    /// Challenge no step.
    NoStep,
    /// Take a random number.
    Random,
    /// Scroll down in a long question or in the transcript, or in the text of a page without a debate.
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
    /// Undo the last reply, or the last edit of the reply that the user prepares.
    Undo,
    /// Show or hide the value of each reply.
    Hint,
    /// Cancel the running computation, or leave. At home, end the search.
    Stop,
    /// Play many debates between the debate's players, and some other pairs, and show the mean results.
    Many,
    /// Show the user's faults and the full report of the debate.
    Review,
    /// Start or end a quote in the speech.
    Quote,
    /// Insert the selected sentence of the source into the speech as a quote.
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
    /// Continue the debate from the current position of the replay.
    PlayOn,
    /// Play again with a new seed.
    PlayAgain,
    /// Play again against the players of the next harder level.
    NextOpponent,
    /// Play again against the players of the next easier level.
    EasierOpponent,
    /// Choose another seat of the scenario, for a new debate.
    OtherSeat,
    /// Compare the debate with the same instance and coins under other rules.
    Compare,
    /// Go one step forward in a replay or a comparison.
    Forward,
    /// Go one step back in a replay or a comparison.
    Back,
    /// Go to the start of a replay or a comparison.
    Start,
    /// Go to the end of a replay or a comparison. When judging a debate again, end the judgement.
    Finish,
    /// Take the marked seat.
    Sit,
    /// Open the marked item.
    Open,
    /// Choose the players, the rules and the seed, or a lesson of the tutorial.
    Arrange,
    /// Delete the marked item.
    Remove,
    /// Rename the marked item.
    Rename,
    /// Hide the marked item of the home page, or show it again.
    Hide,
    /// Show or hide all hidden items of the home page.
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
    /// Change the marked field of a form, or the gate of a support that the user writes, to the previous choice.
    TurnBack,
    /// Change the marked field of a form, or the gate of a support that the user writes, to the next choice.
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
    /// Search the transcript, the source if it has the focus, or the list of the home screen.
    Search,
    /// The next match.
    NextMatch,
    /// The previous match.
    PreviousMatch,
    /// Copy the round in view.
    Copy,
    /// Move the focus to the next panel, or at home to the next section.
    NextPanel,
    /// Move the focus to the previous panel, or at home to the previous section.
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
    /// Explain the current step and the rules.
    Why,
    /// Switch the unit of amounts between points and the unit of the rules.
    Points,
    /// Continue the tutorial, a study or a judgement.
    Onward,
    /// Hide or show the tutorial's explanation.
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
    /// Suspend the program and return the terminal to the shell.
    Suspend,
    /// Close the overlay.
    Close,
    /// Leave.
    Quit,
    /// Quit the whole program at once.
    Interrupt,
}

/// The note that is shown after a click on the footer's hint for quitting.
pub(super) const NO_CLICK_QUITS: &str = "A click does not quit: press the key.";

impl Action {
    /// True if the action ends the program or leaves the screen for good. Such an action is not possible by a click.
    pub(super) fn is_quit_or_interrupt(self) -> bool {
        matches!(self, Self::Quit | Self::Interrupt)
    }

    /// Returns the number of lines by which the action scrolls a text down, given the number of lines of a page. `None`
    /// if the action does not scroll.
    pub(super) fn scroll_lines(self, lines_per_page_key: isize) -> Option<isize> {
        Some(match self {
            Self::Up => -1,
            Self::Down => 1,
            Self::PageUp | Self::ReadBack => -lines_per_page_key,
            Self::PageDown | Self::ReadOn => lines_per_page_key,
            Self::First => isize::MIN / 2,
            Self::Last => isize::MAX / 2,
            _ => return None,
        })
    }
}

/// Returns the number of lines by which a turn of the mouse wheel scrolls a text down; `None` for other events.
pub(super) fn wheel_lines(kind: MouseEventKind) -> Option<isize> {
    match kind {
        MouseEventKind::ScrollUp => Some(-3),
        MouseEventKind::ScrollDown => Some(3),
        _ => None,
    }
}

/// Scrolls a text if the action scrolls. Returns true if it does.
pub(super) fn scroll_text(action: Action, scroll: &mut Scroll, text: &[Entry]) -> bool {
    let lines = action.scroll_lines(scroll.lines_per_page_key());
    if let Some(lines) = lines {
        scroll.scroll(text, lines);
    }
    lines.is_some()
}

members! { Contexts, CONTEXTS:
    /// The tree of claims of a debate has the focus.
    TREE "recursion"
    /// The transcript of a debate has the focus.
    TRANSCRIPT "transcript"
    /// The rewards of a debate have the focus.
    REWARDS "rewards"
    /// The user is asked to choose one of several replies.
    PICK "choice"
    /// The user is asked to choose a half of a machine's run.
    MACHINE_CHOICE "machine-choice"
    /// The user is asked for a probability.
    SLIDER "probability"
    /// The user is asked to claim an answer, yes or no, for each subclaim.
    TOGGLES "answers"
    /// The user is asked for a string of bits.
    BITS "bits"
    /// The user is asked for a configuration of a machine with a tape.
    TAPE "tape"
    /// The user is asked for the bit that each step of a computation writes.
    WRITTEN "transcript-of-steps"
    /// The user is asked for a step to challenge.
    STEPS "steps"
    /// The user is asked for a number for a coin that two players throw together.
    SHARE "number"
    /// The user is asked for a support of a claim in their own words.
    COMPOSE "support"
    /// The user writes a line of a support: all typed characters belong to the line.
    WRITING "support-line"
    /// The user writes a speech: all typed characters belong to it.
    SPEECH "speech"
    /// The keyboard is handed from one user to another.
    HANDOVER "hand-over"
    /// Another player is to move.
    WATCH "watching"
    /// The debate is over and its report has the focus.
    END "end"
    /// The tree of claims of a replay has the focus.
    REPLAY_TREE "replay-recursion"
    /// The transcript of a replay has the focus.
    REPLAY_TRANSCRIPT "replay-transcript"
    /// The rewards of a replay have the focus.
    REPLAY_REWARDS "replay-rewards"
    /// The timeline of a replay has the focus.
    TIMELINE "replay-timeline"
    /// The seat chooser is shown.
    CHOOSER "seats"
    /// The help is open, or another text page over the screen, such as the results of many debates.
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
    /// A finished debate is judged again, and the judge is asked for a probability.
    JUDGING "judging-again"
    /// The judge chooses to read another round of a finished debate or to end the judgement.
    DECIDING "hearing-more"
    /// A finished debate was judged again, and both judgements are shown.
    JUDGED "judged"
    /// The review of a debate is open.
    REVIEW "review"
    /// The choice of what to play after the tutorial is shown.
    NEXT_STEPS "what-next"
    /// A text page of a study is shown.
    STUDY_READ "study-page"
    /// A page of a study asks for a choice.
    STUDY_CHOICE "study-choice"
    /// A page of a study asks for a probability.
    STUDY_NUMBER "study-number"
    /// A page of a study asks for a line of text: all typed characters belong to the line.
    STUDY_TEXT "study-text"
    /// The progress of a study's participants is shown.
    STUDY_STATUS "study-status"
    /// The command palette is open.
    COMMANDS "commands"
}

/// The contexts of the panels above the ask panel.
pub const PANEL_CONTEXTS: Contexts = TREE.or(TRANSCRIPT).or(REWARDS);
/// All panels of a replay.
pub const REPLAY_CONTEXTS: Contexts = REPLAY_TREE
    .or(REPLAY_TRANSCRIPT)
    .or(REPLAY_REWARDS)
    .or(TIMELINE);
/// The contexts of a debate or a replay without an editor for a reply: the upper panels, the wait, the end, the replay.
pub(super) const READING_CONTEXTS: Contexts = PANEL_CONTEXTS.or(WATCH).or(END).or(REPLAY_CONTEXTS);
/// The contexts in which the help explains the symbols that a debate shows.
pub(super) const SIGN_HELP_CONTEXTS: Contexts = READING_CONTEXTS
    .or(PICK)
    .or(MACHINE_CHOICE)
    .or(SLIDER)
    .or(TOGGLES);
/// Named groups of contexts in the table of key bindings. Groups that only the table uses are defined in the table.
const GROUPS: &[(&str, Contexts)] = &[
    ("panels", PANEL_CONTEXTS),
    ("replay", REPLAY_CONTEXTS),
    ("reading", READING_CONTEXTS),
];

members! { Facts, FACTS:
    /// The debate waits for a move of another player.
    OTHERS "others"
    /// The user's reply is pending.
    MINE "mine"
    /// A reply, or an edit of the reply that the user prepares, can be undone.
    UNDOABLE "undoable"
    /// Autoplay is on.
    PLAYING "playing"
    /// A search term is set.
    SEARCHED "searched"
    /// The debate is running.
    RUNNING "running"
    /// The user may have another turn in the debate.
    AWAITED "awaited"
    /// The user has no more turns in the debate.
    UNASKED "unasked"
    /// The values (expected payoffs) of replies may be shown.
    VALUED "valued"
    /// The review of the debate has found a mistake, is not finished, or has failed.
    MISTAKEN "mistaken"
    /// A computation is running.
    COMPUTING "computing"
    /// The user can change the players and rules of the marked or offered debate.
    ARRANGEABLE "arrangeable"
    /// The marked item of the home page is the tutorial.
    LESSONS "lessons"
    /// The debate can be compared with the same debate under other rules.
    COMPARABLE "comparable"
    /// The end of the debate offers the players of a harder level.
    HARDER "harder"
    /// The end of the debate offers the players of an easier level.
    EASIER "easier"
    /// The end of the debate offers the other seats of the scenario.
    RESEATABLE "reseatable"
    /// The marked item is a saved debate, which can be replayed, renamed, hidden or deleted.
    READABLE "readable"
    /// The arrow keys change the marked field of the form.
    TURNABLE "turnable"
    /// The marked field of the form accepts typed text.
    WRITABLE "writable"
    /// The debate or page belongs to a lesson of the tutorial.
    LESSON "lesson"
    /// No text of the tutorial currently makes the other players wait.
    UNPAUSED "unpaused"
    /// The screen is not the home screen.
    AWAY "away"
    /// The screen shows a debate, which has a seed.
    SEEDED "seeded"
    /// The user may copy the command line that repeats the debate, because it reveals no secrets.
    REPEATABLE "repeatable"
    /// The debate has a save.
    KEPT "kept"
    /// The screen shows a replay or a retry that the user opened at the end of a debate, and to whose end the user can
    /// go back.
    RETURNING "returning"
    /// The user writes a speech with quotes.
    SPEAKING "speaking"
    /// The other players wait for the user instead of moving automatically.
    STOPPED "stopped"
    /// A hint is shown, or is being computed.
    HINTED "hinted"
    /// There is more text below.
    UNREAD "unread"
    /// A point is not the same as a payoff of 1, so amounts have two units.
    SCALED "scaled"
}

/// Returns the reason why an action that needs the facts `needs` is unavailable; empty if it is available.
pub(super) fn unavailable_reason(needs: Facts, facts: Facts) -> &'static str {
    let mut reasons = TABLE.reasons.iter();
    let missing = reasons.find(|(fact, _)| needs.contains_all(*fact) && !facts.contains_all(*fact));
    missing.map_or("", |(_, why)| why)
}

/// The table of key bindings in `keys/table.txt`. A test checks that it can be read.
static TABLE: LazyLock<KeyTable> = LazyLock::new(|| KeyTable::read(TEXT).unwrap_or_default());

const TEXT: &str = include_str!("keys/table.txt");

/// Returns the key bindings of all screens, in the order of the table. The footer and the help keep this order; the
/// palette lists the actions of the focused panel first.
pub fn actions() -> &'static [ActionDefinition<Action>] {
    &TABLE.bindings
}

/// Returns the purpose of the focused panel or screen, for the help page; empty if it has none. The caller replaces
/// names of actions in braces by their keys.
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

/// Returns the union of the sets whose names `names` contains; `None` if a name is unknown.
fn union<K: Copy>(
    names: &str,
    known: &[(&str, ContextOrFactSet<K>)],
) -> Option<ContextOrFactSet<K>> {
    names
        .split_whitespace()
        .try_fold(ContextOrFactSet::NONE, |union, name| {
            let (_, set) = known.iter().find(|(known, _)| *known == name)?;
            Some(union | *set)
        })
}

/// True if a key shows the help while a panel has the focus.
pub(super) fn opens_help(keys: &KeyMap<Action>, key: KeyPress) -> bool {
    keys.action_of_key(PANEL_CONTEXTS, Facts::ALL, key) == Some(Action::Help)
}

/// The actions that must have a key, because the user could not leave a screen without them.
pub const REQUIRED_ACTIONS: &[&str] = &["quit", "close"];

/// Returns the key map with the default keys of the table.
///
/// # Errors
/// Returns an error only if the table itself is wrong, which a test rules out.
pub fn default_key_map() -> Result<KeyMap<Action>, KeyMapError> {
    KeyMap::new(actions())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_has_two_actions_in_a_context() {
        default_key_map().unwrap();
    }

    #[test]
    fn common_keys_have_one_meaning_in_all_contexts() {
        let map = default_key_map().unwrap();
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
