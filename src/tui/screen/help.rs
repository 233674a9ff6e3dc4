//! The help over a screen, made from the table of actions.

use crate::tui::widget::Canvas;
use ratatui::layout::Rect;

use crate::tui::actions::{ActionEntry, Contexts, KeyMap, ScreenContext};
use crate::tui::keys::{
    Action, BITS, COMPOSE, END, HANDOVER, HELP, PICK, REVIEW, REWARDS, SHARE, SLIDER, SPEECH,
    STEPS, TAPE, TOGGLES, TRANSCRIPT, TREE, WATCH, WRITING, WRITTEN,
};
use crate::tui::theme::{Appearance, Role};
use crate::tui::widget::scroll::{Entry, Scroll, in_words};

/// Columns for the keys.
const MARGIN: u16 = 22;

/// True if two actions are one to the user.
pub fn is_same(one: &ActionEntry<Action>, other: &ActionEntry<Action>) -> bool {
    (one.id, one.doc, one.possible) == (other.id, other.doc, other.possible)
}

/// The help of one context.
#[derive(Debug)]
pub struct Help {
    scroll: Scroll,
    here: ScreenContext,
    /// Texts on the panel and on the scenario.
    about: [String; 2],
}

impl Help {
    pub fn new(here: ScreenContext, about: [String; 2]) -> Self {
        Self {
            scroll: Scroll::fixed(MARGIN),
            here,
            about,
        }
    }

    fn entries(&self, keys: &KeyMap<Action>, unicode: bool) -> Vec<Entry> {
        let [panel, scenario] = &self.about;
        let panel = Entry::of(Role::Text, keys.filled(panel));
        let mut entries = vec![panel, Entry::default()];
        let mut actions = keys.help(self.here.context, self.here.facts);
        // What does the same stands in one line, with all of its keys.
        let mut actions_listed: Vec<ActionEntry<Action>> = Vec::with_capacity(actions.len());
        for action in actions.drain(..) {
            match actions_listed
                .iter_mut()
                .find(|other| is_same(other, &action))
            {
                Some(other) => other.keys.extend(action.keys),
                None => actions_listed.push(action),
            }
        }
        for action in actions_listed
            .iter()
            .filter(|action| !action.keys.is_empty())
        {
            let labels: Vec<String> = action.keys.iter().map(|key| key.label(unicode)).collect();
            let role = if action.possible {
                Role::Text
            } else {
                Role::Faint
            };
            let entry = Entry::new(labels.join(" "), Role::Key, "").then(role, action.doc);
            let later = if action.possible { "" } else { " (not now)" };
            entries.push(entry.then(Role::Faint, later));
        }
        if !scenario.is_empty() {
            entries.push(Entry::default());
            entries.push(Entry::new("This scenario", Role::Title, scenario));
        }
        entries
    }

    /// Scrolls by so many lines, or as an action says.
    pub fn scroll(&mut self, lines: isize, keys: &KeyMap<Action>, look: &Appearance) {
        let entries = self.entries(keys, look.glyphs.unicode);
        self.scroll.scroll(&entries[..], lines);
    }

    pub fn page(&self) -> isize {
        self.scroll.page()
    }

    fn title(keys: &KeyMap<Action>) -> String {
        let close = keys.called(HELP, Action::Close);
        let [down, up] = [Action::Down, Action::Up].map(|action| keys.called(HELP, action));
        format!("Help: {close} closes, {down} and {up} scroll")
    }

    /// The help as text, its keys by name.
    pub fn in_words(&self, keys: &KeyMap<Action>) -> String {
        in_words(&Self::title(keys), &self.entries(keys, false))
    }

    pub fn draw(&mut self, keys: &KeyMap<Action>, canvas: &mut Canvas<'_>, area: Rect) {
        let entries = self.entries(keys, canvas.look.glyphs.unicode);
        let title = Self::title(keys);
        self.scroll.draw_box(&title, &entries, canvas, area);
    }
}

/// The purpose of each panel of a debate.
#[rustfmt::skip]
const ABOUT: &[(Contexts, &str)] = &[
    (TREE, "Claims, or in free speeches the source. Claims: every claim met on the way, how likely it was held and how its coin fell. A check mark is a claim the debate went on with; the arrow is where it stands. Source: the question, and sentence by sentence the text that is quoted; A and B say who quoted a sentence. The judge sees the question alone."),
    (TRANSCRIPT, "Transcript: everything that was said and drawn, with each reward as its formula."),
    (REWARDS, "Rewards: one row and one bar a round, in points, as whom the panel names receives them; the other side receives the opposite. Dots are what a round can still bring. A question mark is sealed until the round is paid. The diamond marks the round that outweighs all others. {points} shows exact payoffs."),
    (SLIDER, "Your estimate: type a percentage (33, 33.3), a fraction (1/3), or go there by steps; {send} sends it."),
    (PICK, "Your reply: mark a choice, by its letter or number if you like; {send} sends it."),
    (TOGGLES, "Your claims: turn each answer to true or false; together they must make the claim what you said it is."),
    (BITS, "Your bits: they stand prepared, as far as the problem alone says what they should be. Change what you like, place by place; {send} sends all of them."),
    (TAPE, "Your configuration: the tape with the head in brackets, the state above it, the rules of that state beside it. A symbol that is typed is written; {row-above} goes to the state, where the arrows change it; {put-head} puts the head on the marked cell, {run-step} lets the machine take one step. {send} sends it."),
    (WRITTEN, "Your transcript: each row is a step with the bit that you write for it, whether that follows from what it reads, and what it reads. 0 and 1 write the bit; {carry-on} lets all later steps follow. {send} sends all of them."),
    (STEPS, "Your challenge: each row is a step with what Alice wrote for it and what it reads. Type a step's number or go there; {send} points at the marked one."),
    (SHARE, "Your number for a coin: type it (0.371, 1/3), go there by steps, or let {random} pick one; {send} sends it."),
    (COMPOSE.or(WRITING), "Your support: write a subclaim on each line, in words that one person can judge. The gate says how they count together. A subclaim ends with {send}, which on an empty line sends them all; a paste of several lines makes several subclaims."),
    (SPEECH, "Your speech: write what speaks for your answer; enter begins a new line, {send-speech} sends the speech. Words of the source stand between <quote> and </quote>: {quote} writes these marks, {search-source} looks for words in the source, {quote-sentence} quotes the sentence that is marked there. A quote that the source does not say is not taken. A judge only speaks, without quotes, and may send nothing."),
    (HANDOVER, "The keyboard goes from one person to another. Nothing of the debate is shown until the next person sits down."),
    (WATCH, "The others move by themselves. {pause} stops that and goes on, {play-step} makes one move, {play-to-turn} goes to your turn at once and says what passed."),
    (END, "The debate is over; this is what came of it."),
    (REVIEW, "The review: what the debate was worth at the start, what people's replies, dice and coins made of it, and each reply of a person against the best as far as it could be known then. A mistake fell 5 % or more short of that. {to-mistake} goes to where the marked mistake was made, {try-again} plays on from there."),
];

/// The purpose of the panel with the keys, for the help. Names of actions in braces stand for
/// their keys.
pub fn purpose(context: Contexts) -> &'static str {
    let panel = ABOUT.iter().find(|(panels, _)| panels.meets(context));
    panel.map_or("A debate that was played, move by move.", |(_, about)| {
        *about
    })
}
