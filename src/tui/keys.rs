//! Everything that can be done on the screens of a debate, with its keys.
//!
//! One table for all of these screens (`keys/table.txt`), so that a key means the same wherever it means anything.
//! A context is the panel that has the keys; facts are what the debate allows just now.

use std::sync::LazyLock;

use ratatui::crossterm::event::MouseEventKind;
use serde::Deserialize;
use serde::de::{IntoDeserializer as _, value};

use crate::members;
use crate::tui::actions::{Binding, Contexts, Facts, FlagSet, KeyMap, KeyMapError};
use crate::tui::widget::scroll::{Entry, Scroll};

/// An action of the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
pub enum Action {
    /// Send the reply as it stands in the ask panel.
    Send,
    /// Take the lower probability.
    Lower,
    /// Take the higher probability.
    Raise,
    /// Lower by ten.
    LowerMuch,
    /// Raise by ten.
    RaiseMuch,
    /// The choice above.
    Above,
    /// The choice below.
    Below,
    /// The next gate over the subclaims being written.
    NextGate,
    /// Put the subclaim being written to the judge as it stands.
    ToJudge,
    /// Remove the subclaim being written.
    RemoveLine,
    /// Move the subclaim being written up.
    LineUp,
    /// Move the subclaim being written down.
    LineDown,
    /// Take the keyboard over.
    TakeSeat,
    /// Turn a claimed answer or a bit around.
    Turn,
    /// The place before.
    PlaceBack,
    /// The place after.
    PlaceOn,
    /// A page of places or steps up.
    PageAbove,
    /// A page of places or steps down.
    PageBelow,
    /// The first place, or no step.
    FirstPlace,
    /// The last place or step.
    LastPlace,
    /// Type a place or a step to go to.
    Jump,
    /// The next bit that differs from what was prepared.
    NextDifference,
    /// The bit before that differs.
    PreviousDifference,
    /// Back to what was prepared.
    Restore,
    /// Put a machine's head on the cell under the cursor.
    PutHead,
    /// Let a machine take one step from what stands in the editor.
    RunStep,
    /// Let the steps after the marked one follow from what they read.
    CarryOn,
    /// Point at no step.
    NoStep,
    /// Take a random number.
    Random,
    /// Read on in a long question, or in the transcript.
    ReadOn,
    /// Read back.
    ReadBack,
    /// Let the others play to the end of the round.
    PlayRound,
    /// Let the others make one move.
    PlayStep,
    /// Let the others play until it is the user's turn.
    PlayToTurn,
    /// Play by itself, or stop.
    Auto,
    /// Play faster.
    Faster,
    /// Play slower.
    Slower,
    /// Take the last reply back.
    Undo,
    /// Show what each reply is worth, or stop showing it.
    Hint,
    /// Stop what is being computed.
    Stop,
    /// Play this pair many times.
    Many,
    /// Show the faults, and all that the debate came to.
    Review,
    /// Begin a quote or end it.
    Quote,
    /// Quote the marked sentence of the source.
    QuoteSentence,
    /// Search the source.
    SearchSource,
    /// Read on in the source.
    SourceOn,
    /// Read back in the source.
    SourceBack,
    /// To the next mistake.
    NextMistake,
    /// To the mistake before.
    PreviousMistake,
    /// Play on from before a mistake.
    TryAgain,
    /// Watch the debate again from the start.
    WatchAgain,
    /// Play on from where a replay stands.
    PlayOn,
    /// Play again with a new seed.
    PlayAgain,
    /// Compare with the same instance and coins under other rules.
    Compare,
    /// One step on in a replay.
    Forward,
    /// One step back in a replay.
    Back,
    /// To the start of a replay.
    Start,
    /// To the end of a replay.
    Finish,
    /// Take the marked seat.
    Sit,
    /// Open what is marked.
    Open,
    /// Say who plays and by which rules.
    Arrange,
    /// Delete what is marked.
    Remove,
    /// Give what is marked a name.
    Rename,
    /// Hide what is marked, or show it again.
    Hide,
    /// Show what is hidden too, or no more.
    ShowHidden,
    /// Go home.
    Home,
    /// Change the settings.
    Settings,
    /// Write the debate to a file for others.
    Export,
    /// Copy the seed.
    CopySeed,
    /// Copy the command line that plays the debate again.
    CopyCommand,
    /// The choice before, in a form.
    TurnBack,
    /// The choice after, in a form.
    TurnOn,
    /// Type into a field of a form.
    Write,
    /// Take a form as it stands.
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
    /// To the round before.
    RoundBack,
    /// To the round after.
    RoundOn,
    /// Search the transcript.
    Search,
    /// The next match.
    NextMatch,
    /// The match before.
    PreviousMatch,
    /// Copy the round in view.
    Copy,
    /// Move the focus to the next panel.
    NextPanel,
    /// Move the focus to the panel before.
    PreviousPanel,
    /// Move the focus to the claim tree.
    ToTree,
    /// Move the focus to the transcript.
    ToTranscript,
    /// Move the focus to the rewards.
    ToRewards,
    /// Move the focus back to what is asked, or stop what is being computed.
    ToQuestion,
    /// Show what is debated, and what is known of it.
    Background,
    /// Show the step and the rules.
    Why,
    /// Show rewards in points, or as exact payoffs.
    Points,
    /// Go on in the tutorial.
    Onward,
    /// Hide what the tutorial says, or show it again.
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
    /// Hand the terminal back to the shell for a while.
    Suspend,
    /// Close what lies on top.
    Close,
    /// Leave.
    Quit,
    /// Leave the whole program at once.
    Interrupt,
}

/// Said where a click would quit.
pub(super) const NO_CLICK_QUITS: &str = "A click does not quit: press the key.";

impl Action {
    /// True if it ends the program or leaves the screen for good; only a key does that.
    pub(super) fn quits(self) -> bool {
        matches!(self, Self::Quit | Self::Interrupt)
    }

    /// The lines by which it scrolls a text down, given those of a page; `None` where it scrolls
    /// nothing.
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

/// The lines by which the wheel scrolls a text down; `None` for other events.
pub(super) fn wheel_lines(kind: MouseEventKind) -> Option<isize> {
    match kind {
        MouseEventKind::ScrollUp => Some(-3),
        MouseEventKind::ScrollDown => Some(3),
        _ => None,
    }
}

/// Scrolls a text where the action says so; says whether it does.
pub(super) fn scroll_text(action: Action, scroll: &mut Scroll, text: &[Entry]) -> bool {
    let lines = action.scroll_lines(scroll.page());
    if let Some(lines) = lines {
        scroll.scroll(text, lines);
    }
    lines.is_some()
}

members! { Contexts, CONTEXTS:
    /// The recursion panel of a debate has the keys.
    TREE "recursion"
    /// The transcript of a debate has the keys.
    TRANSCRIPT "transcript"
    /// The rewards of a debate have the keys.
    REWARDS "rewards"
    /// One of several answers is asked for.
    PICK "choice"
    /// A probability is asked for.
    SLIDER "probability"
    /// Claimed answers are asked for.
    TOGGLES "answers"
    /// A string of bits is asked for.
    BITS "bits"
    /// A configuration of a machine with a tape is asked for.
    TAPE "tape"
    /// A transcript is asked for: the bit of each step of a computation.
    WRITTEN "transcript-of-steps"
    /// A step to point at is asked for.
    STEPS "steps"
    /// A number for a coin is asked for.
    SHARE "number"
    /// A support in one's own words is asked for.
    COMPOSE "support"
    /// A line of such a support is being written: characters belong to it.
    WRITING "support-line"
    /// A speech is being written: characters belong to it.
    SPEECH "speech"
    /// The keyboard is handed from one person to another.
    HANDOVER "hand-over"
    /// Somebody else moves.
    WATCH "watching"
    /// The debate is over and its report has the keys.
    END "end"
    /// The recursion panel of a replay has the keys.
    REPLAY_TREE "replay-recursion"
    /// The transcript of a replay has the keys.
    REPLAY_TRANSCRIPT "replay-transcript"
    /// The rewards of a replay have the keys.
    REPLAY_REWARDS "replay-rewards"
    /// The timeline of a replay has the keys.
    TIMELINE "replay-timeline"
    /// Which seat to take is asked.
    CHOOSER "seats"
    /// The help lies on top.
    HELP "help"
    /// Home is shown.
    HOME "home"
    /// A form is filled in.
    FORM "form"
    /// Two debates stand side by side.
    COMPARE "compare"
    /// A page of the tutorial is shown.
    LECTURE "tutorial"
    /// A computation is waited for.
    WAITING "waiting"
    /// A finished debate is judged again: a probability is asked for.
    JUDGING "judging-again"
    /// It is asked whether to hear more of it.
    DECIDING "hearing-more"
    /// It was judged.
    JUDGED "judged"
    /// The review of a debate lies on top.
    REVIEW "review"
    /// What to do next is asked.
    NEXT_STEPS "what-next"
    /// A page of a study is read.
    STUDY_READ "study-page"
    /// A page of a study asks to choose.
    STUDY_CHOICE "study-choice"
    /// A page of a study asks for a probability.
    STUDY_NUMBER "study-number"
    /// A page of a study asks for a line: characters belong to it.
    STUDY_TEXT "study-text"
    /// How far the participants of a study are.
    STUDY_STATUS "study-status"
    /// The command palette lies on top.
    COMMANDS "commands"
}

/// The panels over the one that asks.
pub const PANELS: Contexts = TREE.or(TRANSCRIPT).or(REWARDS);
/// All panels of a replay.
pub const REPLAY: Contexts = REPLAY_TREE
    .or(REPLAY_TRANSCRIPT)
    .or(REPLAY_REWARDS)
    .or(TIMELINE);
/// Panels in which characters are not part of an answer.
pub(super) const READING: Contexts = PANELS.or(WATCH).or(END).or(REPLAY);
/// Where the signs of a debate are explained.
pub(super) const SIGNS: Contexts = READING.or(PICK).or(SLIDER).or(TOGGLES);
/// Their names among the bindings; those which no code asks for are named there.
const GROUPS: &[(&str, Contexts)] = &[("panels", PANELS), ("replay", REPLAY), ("reading", READING)];

members! { Facts, FACTS:
    /// Somebody else's move is pending.
    OTHERS "others"
    /// The user's reply is pending.
    MINE "mine"
    /// A reply can be taken back.
    UNDOABLE "undoable"
    /// The debate plays by itself.
    PLAYING "playing"
    /// Something was searched for.
    SEARCHED "searched"
    /// The debate goes on.
    RUNNING "running"
    /// The worth of replies may be told.
    VALUED "valued"
    /// The review has found a mistake, or has not looked through the debate yet.
    MISTAKEN "mistaken"
    /// Something is being computed.
    COMPUTING "computing"
    /// Players and rules can be changed.
    ARRANGEABLE "arrangeable"
    /// The marked item is the tutorial.
    LESSONS "lessons"
    /// There are other rules to compare with.
    COMPARABLE "comparable"
    /// The marked item is a debate that was played, in part at least.
    READABLE "readable"
    /// The arrows change the marked field.
    TURNABLE "turnable"
    /// Something can be typed into the marked field.
    WRITABLE "writable"
    /// This belongs to a lesson of the tutorial.
    LESSON "lesson"
    /// This is not home.
    AWAY "away"
    /// There is a debate with a seed.
    SEEDED "seeded"
    /// The command line that plays the debate again tells nothing that is hidden.
    REPEATABLE "repeatable"
    /// There is a save of the debate.
    KEPT "kept"
    /// The user writes a speech with quotes.
    SPEAKING "speaking"
    /// There is more to read below.
    UNREAD "unread"
}

/// Why an action cannot be done that needs these facts, where others hold; empty where it can.
pub(super) fn reason(needs: Facts, facts: Facts) -> &'static str {
    let mut reasons = TABLE.reasons.iter();
    let missing = reasons.find(|(fact, _)| needs.holds(*fact) && !facts.holds(*fact));
    missing.map_or("", |(_, why)| why)
}

/// The table in `keys/table.txt`. A test holds that it can be read.
static TABLE: LazyLock<KeyTable> = LazyLock::new(|| KeyTable::read(TEXT).unwrap_or_default());

const TEXT: &str = include_str!("keys/table.txt");

/// The bindings, in the order of footer, help and palette.
pub fn actions() -> &'static [Binding<Action>] {
    &TABLE.bindings
}

/// The purpose of the panel or the screen with the keys, for the help. Names of actions in braces
/// stand for their keys.
pub(super) fn purpose(context: Contexts) -> &'static str {
    let mut purposes = TABLE.purposes.iter();
    let here = purposes.find(|(places, _)| places.meets(context));
    here.map_or("", |(_, purpose)| purpose)
}

#[derive(Default)]
struct KeyTable {
    /// The reasons why an action that needs a fact cannot be done while it does not hold.
    reasons: Vec<(Facts, &'static str)>,
    purposes: Vec<(Contexts, &'static str)>,
    bindings: Vec<Binding<Action>>,
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
                [places, purpose] => table.purposes.push((union(places, &contexts)?, purpose)),
                [action, name, doc, keys, places, needs, hint] => {
                    let id: Result<Action, value::Error> =
                        Action::deserialize(action.into_deserializer());
                    let keys: Vec<&str> = keys.split_whitespace().collect();
                    let places = union(places, &contexts)?;
                    let binding = Binding::new(id.ok()?, name, doc, keys.leak(), places);
                    let binding = binding.when(union(needs, FACTS)?);
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

/// The union of the sets that a line names.
fn union<K: Copy>(names: &str, known: &[(&str, FlagSet<K>)]) -> Option<FlagSet<K>> {
    names
        .split_whitespace()
        .try_fold(FlagSet::NONE, |union, name| {
            let (_, set) = known.iter().find(|(known, _)| *known == name)?;
            Some(union | *set)
        })
}

/// Actions without a key of which nobody could leave.
pub const NEEDED: &[&str] = &["quit", "close"];

/// The keys of these screens as the table has them.
///
/// # Errors
/// Only where the table itself is wrong, which a test rules out.
pub fn map() -> Result<KeyMap<Action>, KeyMapError> {
    KeyMap::new(actions())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_means_two_things_in_one_place() {
        map().unwrap();
    }

    #[test]
    fn the_common_keys_mean_one_thing_wherever_they_mean_anything() {
        let map = map().unwrap();
        for (key, meanings) in [
            ("b", &[Action::Background][..]),
            ("t", &[Action::ToTranscript]),
            ("=", &[Action::Points]),
            ("u", &[Action::Undo]),
            ("/", &[Action::Search, Action::Palette]),
            (":", &[Action::Palette]),
            ("?", &[Action::Help, Action::Close]),
            // As in vim, it is the way to the left where nothing is asked.
            ("h", &[Action::Hint, Action::Back, Action::TurnBack]),
        ] {
            for (name, context) in CONTEXTS {
                let found = map.find(*context, Facts::ALL, key.parse().unwrap());
                let is_meant = found.is_none_or(|action| meanings.contains(&action));
                assert!(is_meant, "{key} in {name}: {found:?}");
            }
        }
    }

    #[test]
    fn every_line_of_the_table_can_be_read() {
        let table = KeyTable::read(TEXT).unwrap();
        let lines = TEXT.lines().filter(|line| !line.starts_with('#'));
        let parted = lines.filter(|line| line.contains(" | ")).count();
        assert_eq!(
            table.bindings.len() + table.purposes.len() + table.reasons.len(),
            parted
        );
        for (name, context) in CONTEXTS {
            let is_known = [FORM, HELP].contains(context) || !purpose(*context).is_empty();
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
                .filter(|context| action.contexts.meets(*context));
            let all = named.fold(Contexts::NONE, Contexts::or);
            assert_eq!(all, action.contexts, "{}", action.name);
        }
    }

    #[test]
    fn no_two_actions_have_one_name() {
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
            let why = reason(action.needs, Facts::NONE);
            assert_eq!(
                why.is_empty(),
                action.needs == Facts::NONE,
                "{}",
                action.name
            );
            assert_eq!(reason(action.needs, Facts::ALL), "");
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
