//! Everything that can be done on the screens of a debate, with its keys.
//!
//! One table for all of these screens, so that a key means the same wherever it means anything.
//! A context is the panel that has the keys; facts are what the debate allows just now.

use ratatui::crossterm::event::MouseEventKind;

use crate::members;
use crate::tui::actions::{Binding, Contexts, Facts, KeyMap, KeyMapError};
use crate::tui::widget::scroll::{Entry, Scroll};

/// An action of the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
    /// Show the mistakes, and the part of skill and luck in the debate.
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
    /// Give the keys to the next panel.
    NextPanel,
    /// Give the keys to the panel before.
    PreviousPanel,
    /// Give the keys to the recursion.
    ToTree,
    /// Give the keys to the transcript.
    ToTranscript,
    /// Give the keys to the rewards.
    ToRewards,
    /// Give the keys back to what is asked, or stop what is being computed.
    ToQuestion,
    /// Show the step, the rules and what is debated.
    Background,
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

members! { Contexts:
    /// The recursion panel of a debate has the keys.
    TREE
    /// The transcript of a debate has the keys.
    TRANSCRIPT
    /// The rewards of a debate have the keys.
    REWARDS
    /// One of several answers is asked for.
    PICK
    /// A probability is asked for.
    SLIDER
    /// Claimed answers are asked for.
    TOGGLES
    /// Somebody else moves.
    WATCH
    /// The debate is over and its report has the keys.
    END
    /// The recursion panel of a replay has the keys.
    REPLAY_TREE
    /// The transcript of a replay has the keys.
    REPLAY_TRANSCRIPT
    /// The rewards of a replay have the keys.
    REPLAY_REWARDS
    /// The timeline of a replay has the keys.
    TIMELINE
    /// Which seat to take is asked.
    CHOOSER
    /// The help lies on top.
    HELP
    /// A string of bits is asked for.
    BITS
    /// A configuration of a machine with a tape is asked for.
    TAPE
    /// What every step of a computation writes is asked for.
    WRITTEN
    /// A step to point at is asked for.
    STEPS
    /// A number for a coin is asked for.
    SHARE
    /// Home is shown.
    HOME
    /// A form is filled in.
    FORM
    /// Two debates stand side by side.
    COMPARE
    /// A support in one's own words is asked for.
    COMPOSE
    /// A line of such a support is being written: characters belong to it.
    WRITING
    /// A speech is being written: characters belong to it.
    SPEECH
    /// The keyboard is handed from one person to another.
    HANDOVER
    /// A page of the tutorial is shown.
    LECTURE
    /// A computation is waited for.
    WAITING
    /// A finished debate is judged again: a probability is asked for.
    JUDGING
    /// It is asked whether to hear more of it.
    DECIDING
    /// It was judged.
    JUDGED
    /// The review of a debate lies on top.
    REVIEW
    /// What to do next is asked.
    NEXT_STEPS
    /// A page of a study is read.
    STUDY_READ
    /// A page of a study asks to choose.
    STUDY_CHOICE
    /// A page of a study asks for a probability.
    STUDY_NUMBER
    /// A page of a study asks for a line: characters belong to it.
    STUDY_TEXT
    /// How far the participants of a study are.
    STUDY_STATUS
}

/// The panels over the one that asks.
pub const PANELS: Contexts = TREE.or(TRANSCRIPT).or(REWARDS);
/// Widgets whose page keys turn the answer's pages, not the question's.
const LONG: Contexts = BITS.or(TAPE).or(WRITTEN).or(STEPS);
/// Widgets in which what stands prepared is edited.
const EDITS: Contexts = BITS.or(TAPE).or(WRITTEN);
const SHORT: Contexts = PICK.or(SLIDER).or(TOGGLES).or(SHARE).or(COMPOSE);
const ASKS: Contexts = SHORT.or(LONG);
const REPLAY_PANELS: Contexts = REPLAY_TREE.or(REPLAY_TRANSCRIPT).or(REPLAY_REWARDS);
/// All panels of a replay.
pub const REPLAY: Contexts = REPLAY_PANELS.or(TIMELINE);
/// The panel below the others in a debate.
const BELOW: Contexts = ASKS.or(WATCH).or(END);
/// All panels of a debate.
pub const DEBATE: Contexts = PANELS.or(BELOW);
/// Panels in which characters are not part of an answer.
pub(super) const READING: Contexts = PANELS.or(WATCH).or(END).or(REPLAY);
/// Pages of a study on which characters are no text.
const STUDY: Contexts = STUDY_READ
    .or(STUDY_CHOICE)
    .or(STUDY_NUMBER)
    .or(STUDY_STATUS);
/// Pages of a study that somebody answers.
const STUDY_PAGES: Contexts = STUDY_READ.or(STUDY_CHOICE).or(STUDY_NUMBER).or(STUDY_TEXT);
/// All states of a finished debate that is judged again.
const REJUDGE: Contexts = JUDGING.or(DECIDING).or(JUDGED);
const AWAY_SCREENS: Contexts = DEBATE
    .or(REJUDGE)
    .or(HANDOVER)
    .or(REPLAY)
    .or(CHOOSER)
    .or(FORM)
    .or(COMPARE)
    .or(LECTURE)
    .or(NEXT_STEPS)
    .or(WAITING);
/// Editors to which all characters belong.
const TEXT: Contexts = WRITING.or(SPEECH);
const SCREENS: Contexts = AWAY_SCREENS.or(HOME);

members! { Facts:
    /// Somebody else's move is pending.
    OTHERS
    /// The user's reply is pending.
    MINE
    /// A reply can be taken back.
    UNDOABLE
    /// The debate plays by itself.
    PLAYING
    /// Something was searched for.
    SEARCHED
    /// The debate goes on.
    RUNNING
    /// The worth of replies may be told.
    VALUED
    /// The review has found a mistake, or has not looked through the debate yet.
    MISTAKEN
    /// Something is being computed.
    COMPUTING
    /// Players and rules can be changed.
    ARRANGEABLE
    /// There are other rules to compare with.
    COMPARABLE
    /// The marked item is a debate that was played, in part at least.
    READABLE
    /// The arrows change the marked field.
    TURNABLE
    /// Something can be typed into the marked field.
    WRITABLE
    /// This belongs to a lesson of the tutorial.
    LESSON
    /// This is not home.
    AWAY
    /// There is a debate with a seed.
    SEEDED
    /// The command line that plays the debate again tells nothing that is hidden.
    REPEATABLE
    /// There is a save of the debate.
    KEPT
    /// The user writes a speech with quotes.
    SPEAKING
    /// There is more to read below.
    UNREAD
}

/// Why an action that needs a fact cannot be done while it does not hold.
const REASONS: &[(Facts, &str)] = &[
    (AWAY, "you are at home"),
    (SEEDED, "there is no debate here"),
    (REPEATABLE, "it would tell what is hidden until the end"),
    (KEPT, "there is no save of it"),
    (SPEAKING, "you are not writing a speech with quotes"),
    (OTHERS, "nobody else is to move"),
    (MINE, "it is not your turn"),
    (UNDOABLE, "nothing of yours can be taken back"),
    (PLAYING, "nothing plays by itself"),
    (SEARCHED, "nothing was searched for"),
    (RUNNING, "the debate is over"),
    (VALUED, "what replies are worth is not told here"),
    (MISTAKEN, "the review found no mistake"),
    (COMPUTING, "nothing is being computed"),
    (ARRANGEABLE, "players and rules are fixed by now"),
    (COMPARABLE, "it is not debated under both rules"),
    (READABLE, "no kept debate is marked"),
    (TURNABLE, "this field has no other choice"),
    (WRITABLE, "nothing is typed into this field"),
    (LESSON, "this is no lesson"),
    (UNREAD, "all of it was shown"),
];

/// Why an action cannot be done that needs these facts, where others hold; empty where it can.
pub(super) fn reason(needs: Facts, facts: Facts) -> &'static str {
    let mut missing = REASONS
        .iter()
        .filter(|(fact, _)| needs.holds(*fact) && !facts.holds(*fact));
    missing.next().map_or("", |(_, why)| why)
}

/// The table.
#[rustfmt::skip]
pub static ACTIONS: &[Binding<Action>] = &[
    Binding::new(Action::Send, "send", "Send your reply", &["enter"], ASKS.or(WRITING).or(JUDGING)).hint("send", 20),
    Binding::new(Action::Send, "send-speech", "Send your speech", &["ctrl-s", "alt-enter"], SPEECH).hint("send", 20),
    Binding::new(Action::Above, "speech-line-above", "Go to the line above", &["up"], SPEECH),
    Binding::new(Action::Below, "speech-line-below", "Go to the line below", &["down"], SPEECH),
    Binding::new(Action::Quote, "quote", "Begin a quote, or end it", &["ctrl-q"], SPEECH).hint("quote", 16).when(SPEAKING),
    Binding::new(Action::QuoteSentence, "quote-sentence", "Quote the marked sentence of the source in your speech", &["ctrl-y"], SPEECH).hint("quote the sentence", 18).when(SPEAKING),
    Binding::new(Action::QuoteSentence, "quote-marked", "Quote the marked sentence of the source in your speech", &["\""], TREE).hint("quote it", 18).when(SPEAKING),
    Binding::new(Action::SearchSource, "search-source", "Search the source", &["ctrl-f"], SPEECH).hint("find in the source", 17).when(SPEAKING),
    Binding::new(Action::NextMatch, "next-in-source", "Go to the next match in the source", &["ctrl-g"], SPEECH).hint("next", 13).when(SEARCHED.or(SPEAKING)),
    Binding::new(Action::SourceOn, "source-on", "Read on in the source", &["pagedown"], SPEECH).hint("read the source", 14).when(SPEAKING),
    Binding::new(Action::SourceBack, "source-back", "Read back in the source", &["pageup"], SPEECH).when(SPEAKING),
    Binding::new(Action::Lower, "lower", "Lower your number by 1 %", &["left", "down", "j", "minus"], SLIDER.or(SHARE).or(JUDGING).or(STUDY_NUMBER)).hint("lower", 14),
    Binding::new(Action::Raise, "raise", "Raise your number by 1 %", &["right", "up", "k", "l", "+"], SLIDER.or(SHARE).or(JUDGING).or(STUDY_NUMBER)).hint("raise", 14),
    Binding::new(Action::LowerMuch, "lower-much", "Lower your number by 10 %", &["shift-left", "shift-down", "J"], SLIDER.or(SHARE).or(JUDGING).or(STUDY_NUMBER)),
    Binding::new(Action::RaiseMuch, "raise-much", "Raise your number by 10 %", &["shift-right", "shift-up", "K", "L"], SLIDER.or(SHARE).or(JUDGING).or(STUDY_NUMBER)),
    Binding::new(Action::Onward, "hear-more", "Hear another round, if there is one", &["enter", "y"], DECIDING).hint("another round", 20),
    Binding::new(Action::Finish, "hear-no-more", "Hear no more: your last number stands", &["e"], DECIDING).hint("end here", 19),
    Binding::new(Action::Onward, "study-next", "Go on with the study; where there is more to read, on to that first", &["enter"], STUDY_READ).hint("go on", 20),
    Binding::new(Action::Send, "study-answer", "Give your answer", &["enter"], STUDY_CHOICE.or(STUDY_NUMBER).or(STUDY_TEXT)).hint("answer", 20),
    Binding::new(Action::Onward, "next-debate", "Go on with the next debate", &["enter"], JUDGED).hint("next debate", 20),
    Binding::new(Action::SourceOn, "question-page-on", "Read on in the question, and in its source in the end", &["]"], REJUDGE),
    Binding::new(Action::SourceBack, "question-page-back", "Read back in it", &["["], REJUDGE),
    Binding::new(Action::Search, "search-heard", "Search the transcript", &["ctrl-f"], JUDGING).hint("search", 5),
    Binding::new(Action::Above, "choice-above", "Go to the choice above", &["up", "k", "left"], PICK.or(TOGGLES).or(STUDY_CHOICE)),
    Binding::new(Action::Below, "choice-below", "Go to the choice below", &["down", "j", "right", "l"], PICK.or(TOGGLES).or(STUDY_CHOICE)).hint("choose", 14),
    Binding::new(Action::Turn, "turn", "Turn the claimed answer around: true or false", &["space", "x"], TOGGLES).hint("true or false", 15),
    Binding::new(Action::Above, "line-above", "Go to the line above: to the gate, and to the ways that are listed", &["up"], COMPOSE.or(WRITING)),
    Binding::new(Action::Below, "line-below", "Go to the line below, a new one after the last", &["down"], COMPOSE.or(WRITING)).hint("lines", 14),
    Binding::new(Action::TurnBack, "gate-before", "On the gate's line: the gate before", &["left"], COMPOSE),
    Binding::new(Action::TurnOn, "gate-after", "On the gate's line: the gate after", &["right"], COMPOSE),
    Binding::new(Action::NextGate, "next-gate", "Change the gate: how the subclaims count together", &["ctrl-g"], COMPOSE.or(WRITING)).hint("gate", 17),
    Binding::new(Action::ToJudge, "to-judge", "Put the subclaim to the judge as it stands, or let it be split again", &["ctrl-t"], COMPOSE.or(WRITING)).hint("to the judge", 16),
    Binding::new(Action::RemoveLine, "remove-line", "Remove the subclaim", &["ctrl-k"], COMPOSE.or(WRITING)).hint("remove", 12),
    Binding::new(Action::LineUp, "line-up", "Move the subclaim up", &["shift-up"], COMPOSE.or(WRITING)),
    Binding::new(Action::LineDown, "line-down", "Move the subclaim down", &["shift-down"], COMPOSE.or(WRITING)),
    Binding::new(Action::ReadOn, "writing-on", "Read on in a long question", &["pagedown"], WRITING),
    Binding::new(Action::ReadBack, "writing-back", "Read back in it", &["pageup"], WRITING),
    Binding::new(Action::Help, "help-on-writing", "Show this help", &["f1"], TEXT.or(STUDY_TEXT)).hint("help", 16),
    Binding::new(Action::Interrupt, "quit-writing", "Leave the program; what was kept can be resumed", &["ctrl-c"], TEXT.or(STUDY_TEXT)).hint("quit", 15),
    Binding::new(Action::TakeSeat, "take-seat", "Sit down: show what the seat may see", &["enter"], HANDOVER).hint("sit down", 19),
    Binding::new(Action::Random, "random", "Let chance pick the number", &["r"], SHARE).hint("pick one", 16),
    Binding::new(Action::PlaceBack, "bit-before", "Go to the bit or the cell before; on the state's line, take the state before", &["left"], BITS.or(TAPE)),
    Binding::new(Action::PlaceOn, "bit-after", "Go to the bit or the cell after; on the state's line, take the state after", &["right", "l"], BITS.or(TAPE)),
    Binding::new(Action::Above, "row-above", "Go to the row above", &["up", "k"], LONG),
    Binding::new(Action::Below, "row-below", "Go to the row below", &["down", "j"], LONG).hint("move", 13),
    Binding::new(Action::Turn, "flip", "Turn the bit around, or take the next symbol; what is typed (0, 1, a symbol) is written", &["space", "x"], EDITS).hint("change", 18),
    Binding::new(Action::PutHead, "put-head", "Put the head on the cell under the cursor", &["m"], TAPE).hint("head here", 14),
    Binding::new(Action::RunStep, "run-step", "Let the machine take one step from what stands here", &["s"], TAPE).hint("one step", 12),
    Binding::new(Action::CarryOn, "carry-on", "Let all steps after the marked one follow from what they read", &["f"], WRITTEN).hint("let the rest follow", 14),
    Binding::new(Action::Jump, "jump", "Type where to go; enter ends the number", &["/"], LONG).hint("go to", 17),
    Binding::new(Action::NoStep, "no-step", "Point at no step", &["n"], STEPS).hint("none", 18),
    Binding::new(Action::NextDifference, "next-difference", "Go to the next bit that you changed", &["n"], BITS.or(WRITTEN)).hint("next change", 13),
    Binding::new(Action::PreviousDifference, "previous-difference", "Go to the bit before that you changed", &["N"], BITS.or(WRITTEN)),
    Binding::new(Action::Restore, "restore", "Go back to what stood here first; once more brings your changes again", &["r"], EDITS).hint("restore", 12),
    Binding::new(Action::PageAbove, "long-page-up", "Go a page up", &["pageup"], LONG),
    Binding::new(Action::PageBelow, "long-page-down", "Go a page down", &["pagedown"], LONG),
    Binding::new(Action::FirstPlace, "long-first", "Go to the beginning", &["home", "g"], LONG),
    Binding::new(Action::LastPlace, "long-last", "Go to the end", &["end", "G"], LONG),
    Binding::new(Action::PlayRound, "play-round", "Let the others play to the end of the round, or to your turn", &["R"], PANELS.or(WATCH)).when(OTHERS),
    Binding::new(Action::PlayStep, "play-step", "Let one move be made", &["."], PANELS.or(WATCH)).hint("one move", 17).when(OTHERS),
    Binding::new(Action::PlayToTurn, "play-to-turn", "Let the others play until it is your turn; on your turn, go to the question", &["enter"], PANELS.or(WATCH)).hint("to my turn", 19).when(RUNNING),
    Binding::new(Action::Auto, "pause", "Stop the others, whose moves come by themselves, or let them go on", &["space"], PANELS.or(WATCH)).hint("pause", 18).when(RUNNING),
    Binding::new(Action::Auto, "auto", "Let the others' moves come by themselves, or stop that", &["p"], PANELS.or(ASKS).or(WATCH)).when(RUNNING),
    Binding::new(Action::Auto, "play", "Play by itself, or stop", &["space", "p"], REPLAY.or(COMPARE)).hint("play", 18),
    Binding::new(Action::Slower, "slower", "Play slower", &["<"], DEBATE.or(REPLAY).or(COMPARE)).hint("slower", 9).when(PLAYING),
    Binding::new(Action::Faster, "faster", "Play faster", &[">"], DEBATE.or(REPLAY).or(COMPARE)).hint("faster", 9).when(PLAYING),
    Binding::new(Action::Forward, "forward", "Go one move on", &["right", "l", "."], REPLAY.or(COMPARE)).hint("on", 17),
    Binding::new(Action::Back, "back", "Go one move back", &["left", "h", "backspace"], REPLAY.or(COMPARE)).hint("back", 17),
    Binding::new(Action::Start, "start", "Go to the start", &["home", "0"], REPLAY.or(COMPARE)).hint("start", 10),
    Binding::new(Action::Finish, "finish", "Go to the end", &["end", "$"], REPLAY.or(COMPARE)).hint("end", 10),
    Binding::new(Action::Hint, "hint", "Show what each reply is worth against these players, or stop that", &["h"], ASKS).hint("hint", 12).when(VALUED),
    Binding::new(Action::Stop, "stop", "Stop what is being computed", &["esc"], BELOW.or(REPLAY).or(COMPARE).or(LECTURE).or(WAITING)).hint("stop", 19).when(COMPUTING),
    Binding::new(Action::ToQuestion, "to-question", "Go back to the question, or first stop what is being computed", &["esc"], PANELS).hint("question", 10),
    Binding::new(Action::Many, "many", "Play this pair 1,000 times, and the honest prover as often", &["m"], END).hint("1,000 times", 16).when(VALUED),
    Binding::new(Action::Review, "review", "Show the mistakes, and what skill and luck made of the debate", &["e"], END.or(REPLAY)).hint("review", 13).when(VALUED),
    Binding::new(Action::NextMistake, "next-mistake", "Go to the next mistake", &["x"], END.or(REPLAY)).hint("next mistake", 12).when(VALUED.or(MISTAKEN)),
    Binding::new(Action::PreviousMistake, "previous-mistake", "Go to the mistake before", &["X"], END.or(REPLAY)).when(VALUED.or(MISTAKEN)),
    Binding::new(Action::TryAgain, "try-again", "Play on from before the mistake; what was played stays as it is", &["t"], REVIEW.or(REPLAY)).hint("try again", 11).when(VALUED.or(MISTAKEN)),
    Binding::new(Action::Above, "mistake-above", "Mark the mistake above", &["up", "k", "X"], REVIEW).hint("mistake above", 14).when(MISTAKEN),
    Binding::new(Action::Below, "mistake-below", "Mark the mistake below", &["down", "j", "x"], REVIEW).hint("mistake below", 13).when(MISTAKEN),
    Binding::new(Action::Open, "to-mistake", "Go to the position before the marked mistake", &["enter"], REVIEW).hint("go there", 12).when(MISTAKEN),
    Binding::new(Action::WatchAgain, "watch-again", "Watch the debate again from the start", &["r"], END).hint("watch again", 18),
    Binding::new(Action::PlayAgain, "play-again", "Play again with a new seed", &["a"], END).hint("play again", 17),
    Binding::new(Action::Compare, "compare", "See the same instance and coins under plain recursion and under prover-estimator", &["v"], END.or(REPLAY).or(HOME)).hint("compare", 10).when(COMPARABLE),
    Binding::new(Action::Background, "background", "Read what this step is, the rules and what is debated", &["b", "f5"], DEBATE).hint("background", 9),
    Binding::new(Action::Background, "background-on-writing", "Read what this step is, the rules and what is debated", &["f5"], TEXT).hint("background", 9),
    Binding::new(Action::Points, "points", "Show rewards in points, or as exact payoffs", &["="], DEBATE.or(REPLAY)).hint("exact", 2),
    Binding::new(Action::Onward, "go-on", "Go on in the tutorial", &["enter"], END.or(COMPARE).or(LECTURE)).hint("go on", 21).when(LESSON),
    Binding::new(Action::Coach, "coach", "Hide what the tutorial says, or show it again", &["c"], DEBATE).hint("tutorial", 4).when(LESSON),
    Binding::new(Action::Sit, "sit", "Take the marked seat", &["enter"], CHOOSER).hint("take this seat", 19),
    Binding::new(Action::Above, "seat-above", "Go to the seat above", &["up", "k"], CHOOSER),
    Binding::new(Action::Below, "seat-below", "Go to the seat below", &["down", "j"], CHOOSER).hint("choose", 15),
    Binding::new(Action::Open, "open", "Open what is marked: a scenario asks for a seat, an unfinished debate goes on", &["enter"], HOME).hint("open", 19),
    Binding::new(Action::Open, "take-step", "Open the marked choice", &["enter"], NEXT_STEPS).hint("open", 19),
    Binding::new(Action::Above, "step-above", "Go to the choice above", &["up", "k"], NEXT_STEPS),
    Binding::new(Action::Below, "step-below", "Go to the choice below", &["down", "j"], NEXT_STEPS).hint("choose", 15),
    Binding::new(Action::Arrange, "players-and-rules", "Say who plays, by which rules, from which seed", &["o"], HOME.or(CHOOSER)).hint("players and rules", 12).when(ARRANGEABLE),
    Binding::new(Action::PlayOn, "play-on", "Play on from here into a save of its own; this one stays as it is", &["b"], REPLAY).hint("play on from here", 9),
    Binding::new(Action::WatchAgain, "replay", "Watch the marked debate again, step by step", &["r"], HOME).hint("replay", 14).when(READABLE),
    Binding::new(Action::Remove, "delete", "Delete the marked debate, which is asked first", &["d"], HOME).hint("delete", 6).when(READABLE),
    Binding::new(Action::Rename, "rename", "Give the marked debate a name of your own; its save stays as it is", &["n"], HOME).hint("rename", 4).when(READABLE),
    Binding::new(Action::Hide, "hide", "Hide the marked debate from home, or show it again", &["x"], HOME).hint("hide", 3).when(READABLE),
    Binding::new(Action::ShowHidden, "show-hidden", "Show hidden debates too, or no more", &["X"], HOME),
    Binding::new(Action::Settings, "settings", "Change the settings", &[","], HOME).hint("settings", 8),
    Binding::new(Action::Home, "home", "Go home; what was kept can be gone on with there", &["H"], SCREENS).when(AWAY),
    Binding::new(Action::Settings, "settings-from-here", "Change the settings, and come back here", &["f9"], AWAY_SCREENS),
    Binding::new(Action::Export, "export", "Write the debate to a file beside its save, in a format of your choice", &["E"], SCREENS).when(KEPT),
    Binding::new(Action::CopySeed, "copy-seed", "Copy the seed of all coins to the clipboard", &["S"], SCREENS).when(SEEDED),
    Binding::new(Action::CopyCommand, "copy-command", "Copy the command line that plays this debate again", &["C"], SCREENS).when(SEEDED.or(REPEATABLE)),
    Binding::new(Action::Stop, "show-all", "Show everything again after a search", &["esc"], HOME).hint("show all", 18).when(SEARCHED),
    Binding::new(Action::Above, "field-above", "Go to the field above", &["up", "k"], FORM),
    Binding::new(Action::Below, "field-below", "Go to the field below", &["down", "j", "tab"], FORM).hint("field", 13),
    Binding::new(Action::TurnBack, "choice-before", "The choice before", &["left", "h"], FORM).when(TURNABLE),
    Binding::new(Action::TurnOn, "choice-after", "The choice after", &["right", "l", "space"], FORM).hint("change", 16).when(TURNABLE),
    Binding::new(Action::Write, "write", "Type into the field", &["e", "i"], FORM).hint("type", 15).when(WRITABLE),
    Binding::new(Action::Accept, "accept", "Take it as it stands", &["enter"], FORM).hint("go on", 19),
    Binding::new(Action::Undo, "undo", "Take back your last edit, else your last reply unless a coin has fallen since", &["u"], PANELS.or(ASKS).or(WATCH).or(HANDOVER)).hint("undo", 12).when(UNDOABLE),
    Binding::new(Action::NextPanel, "next-panel", "Give the keys to the next panel", &["tab"], DEBATE.or(TEXT).or(REPLAY).or(COMPARE)).hint("panels", 11),
    Binding::new(Action::PreviousPanel, "previous-panel", "Give the keys to the panel before", &["shift-tab"], DEBATE.or(TEXT).or(REPLAY).or(COMPARE)),
    Binding::new(Action::NextPanel, "next-shelf", "Go to the next shelf", &["tab"], HOME),
    Binding::new(Action::PreviousPanel, "previous-shelf", "Go to the shelf before", &["shift-tab"], HOME),
    Binding::new(Action::ToTree, "recursion", "Give the keys to the recursion", &["f2"], DEBATE.or(TEXT).or(REPLAY)),
    Binding::new(Action::ToTranscript, "transcript", "Give the keys to the transcript", &["f3"], DEBATE.or(TEXT).or(REPLAY)),
    Binding::new(Action::ToRewards, "rewards", "Give the keys to the rewards", &["f4"], DEBATE.or(TEXT).or(REPLAY)),
    Binding::new(Action::Down, "down", "One line down", &["down", "j"], READING.or(HELP).or(HOME).or(COMPARE).or(LECTURE).or(DECIDING).or(JUDGED).or(STUDY_READ).or(STUDY_STATUS)),
    Binding::new(Action::Up, "up", "One line up", &["up", "k"], READING.or(HELP).or(HOME).or(COMPARE).or(LECTURE).or(DECIDING).or(JUDGED).or(STUDY_READ).or(STUDY_STATUS)),
    Binding::new(Action::PageDown, "page-down", "One page down", &["pagedown", "ctrl-d"], READING.or(HELP).or(REVIEW).or(HOME).or(COMPARE).or(LECTURE)),
    Binding::new(Action::PageUp, "page-up", "One page up", &["pageup", "ctrl-u"], READING.or(HELP).or(REVIEW).or(HOME).or(COMPARE).or(LECTURE)),
    Binding::new(Action::First, "first", "To the beginning", &["g"], READING.or(HELP).or(REVIEW).or(HOME).or(COMPARE).or(LECTURE).or(REJUDGE)),
    Binding::new(Action::Last, "last", "To the end, and stay there", &["G"], READING.or(HELP).or(REVIEW).or(HOME).or(COMPARE).or(LECTURE).or(REJUDGE)),
    Binding::new(Action::First, "top", "To the beginning", &["home"], PANELS.or(WATCH).or(END).or(HELP).or(HOME).or(LECTURE)),
    Binding::new(Action::Last, "bottom", "To the end, and stay there", &["end"], PANELS.or(WATCH).or(END).or(HELP).or(HOME).or(LECTURE)),
    Binding::new(Action::ReadOn, "read-on", "Read on in a long question or evidence, else in the transcript", &["pagedown", "ctrl-d"], SHORT.or(REJUDGE)),
    Binding::new(Action::ReadBack, "read-back", "Read back", &["pageup", "ctrl-u"], SHORT.or(REJUDGE).or(STUDY_PAGES).or(STUDY_STATUS)),
    Binding::new(Action::ReadOn, "study-read-on", "Read on in the text above", &["pagedown", "ctrl-d"], STUDY_PAGES.or(STUDY_STATUS)).hint("read on", 19).when(UNREAD),
    Binding::new(Action::ReadOn, "about-on", "Read on in what is said of it", &["pagedown", "ctrl-d"], CHOOSER.or(FORM)),
    Binding::new(Action::ReadBack, "about-back", "Read back in it", &["pageup", "ctrl-u"], CHOOSER.or(FORM)),
    Binding::new(Action::ReadOn, "preview-on", "Read on in what is said of it", &["]", "space"], HOME),
    Binding::new(Action::ReadBack, "preview-back", "Read back in it", &["["], HOME),
    Binding::new(Action::ReadOn, "question-on", "Read on in a long question, else in the transcript", &["ctrl-d"], LONG),
    Binding::new(Action::ReadBack, "question-back", "Read back in it", &["ctrl-u"], LONG),
    Binding::new(Action::RoundBack, "round-back", "Go to the round before", &["["], DEBATE.or(REPLAY).or(COMPARE)),
    Binding::new(Action::RoundOn, "round-on", "Go to the round after", &["]"], DEBATE.or(REPLAY).or(COMPARE)),
    Binding::new(Action::Search, "search", "Search the transcript, or what can be opened", &["/"], READING.or(HOME).or(DECIDING).or(JUDGED)).hint("search", 5),
    Binding::new(Action::NextMatch, "next-match", "Go to the next match", &["n"], READING.or(REJUDGE)).hint("next match", 6).when(SEARCHED),
    Binding::new(Action::PreviousMatch, "previous-match", "Go to the match before", &["N"], READING.or(REJUDGE)).when(SEARCHED),
    Binding::new(Action::Copy, "copy", "Copy the round in view to the clipboard", &["y"], READING).hint("copy", 3),
    Binding::new(Action::Theme, "theme", "Change the colours", &["T"], SCREENS),
    Binding::new(Action::Ascii, "ascii", "Draw with ASCII signs, or with Unicode again", &["A"], SCREENS),
    Binding::new(Action::Mouse, "mouse", "Switch the mouse on or off; off, the terminal's own selection works", &["M"], SCREENS),
    Binding::new(Action::Suspend, "suspend", "Hand the terminal back to the shell; `fg` comes back", &["ctrl-z"], SCREENS.or(HELP).or(TEXT).or(REVIEW)),
    Binding::new(Action::Help, "help", "Show this help", &["?", "f1"], SCREENS.or(STUDY).or(REVIEW)).hint("help", 16),
    Binding::new(Action::Palette, "commands", "Find any action by typing a word of it", &[":"], SCREENS).hint("commands", 7),
    Binding::new(Action::Palette, "commands-on-writing", "Find any action by typing a word of it", &["f8"], TEXT),
    Binding::new(Action::Close, "close", "Close", &["esc", "?", "q", "enter", "f1"], HELP),
    Binding::new(Action::Close, "close-review", "Close the review", &["esc", "q", "e"], REVIEW).hint("close", 18),
    Binding::new(Action::Quit, "quit", "Leave; what was kept can be resumed", &["q"], SCREENS.or(STUDY)).hint("quit", 15),
    Binding::new(Action::Interrupt, "interrupt", "Leave the program at once, from anywhere; what was kept can be resumed", &["ctrl-c"], SCREENS.or(HELP).or(STUDY)),
];

/// Actions without a key of which nobody could leave.
pub const NEEDED: &[&str] = &["quit", "close"];

/// Names of the contexts where actions are listed outside the program.
pub const CONTEXTS: &[(&str, Contexts)] = &[
    ("recursion", TREE),
    ("transcript", TRANSCRIPT),
    ("rewards", REWARDS),
    ("choice", PICK),
    ("probability", SLIDER),
    ("answers", TOGGLES),
    ("bits", BITS),
    ("tape", TAPE),
    ("transcript-of-steps", WRITTEN),
    ("steps", STEPS),
    ("number", SHARE),
    ("support", COMPOSE),
    ("support-line", WRITING),
    ("speech", SPEECH),
    ("hand-over", HANDOVER),
    ("watching", WATCH),
    ("end", END),
    ("replay-recursion", REPLAY_TREE),
    ("replay-transcript", REPLAY_TRANSCRIPT),
    ("replay-rewards", REPLAY_REWARDS),
    ("replay-timeline", TIMELINE),
    ("seats", CHOOSER),
    ("help", HELP),
    ("home", HOME),
    ("form", FORM),
    ("compare", COMPARE),
    ("tutorial", LECTURE),
    ("waiting", WAITING),
    ("judging-again", JUDGING),
    ("hearing-more", DECIDING),
    ("judged", JUDGED),
    ("review", REVIEW),
    ("what-next", NEXT_STEPS),
    ("study-page", STUDY_READ),
    ("study-choice", STUDY_CHOICE),
    ("study-number", STUDY_NUMBER),
    ("study-text", STUDY_TEXT),
    ("study-status", STUDY_STATUS),
];

/// The keys of these screens as the table has them.
///
/// # Errors
/// Only where the table itself is wrong, which a test rules out.
pub fn map() -> Result<KeyMap<Action>, KeyMapError> {
    KeyMap::new(ACTIONS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_means_two_things_in_one_place() {
        map().unwrap();
    }

    #[test]
    fn every_context_has_a_name() {
        for action in ACTIONS {
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
        for (at, action) in ACTIONS.iter().enumerate() {
            assert!(ACTIONS[..at].iter().all(|other| other.name != action.name));
        }
    }

    #[test]
    fn every_fact_that_an_action_needs_has_its_reason() {
        for action in ACTIONS {
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
        for action in ACTIONS {
            assert!(
                !action.doc.ends_with('.') && !action.doc.is_empty(),
                "{}",
                action.name
            );
            assert!(!action.keys.is_empty());
        }
    }
}
