//! The others' moves: at what speed they come, and what is said while they are awaited.

use std::time::{Duration, Instant};

use super::super::keys::{
    BITS, COMPOSE, END, HANDOVER, PICK, REVIEW, REWARDS, SHARE, SLIDER, SPEECH, STEPS, TAPE,
    TOGGLES, TRANSCRIPT, TREE, WATCH, WRITING, WRITTEN,
};
use super::super::panels::{DebatePanels, PanelView};
use super::live::people;
use crate::tui::actions::Contexts;
use crate::tui::panel::scroll::Entry;
use crate::tui::scene::Tempo;
use crate::tui::screen::Action;
use crate::tui::theme::{Appearance, StyleRole};
use debate_core::number::Exact;
use debate_core::player::Seating;
use debate_core::protocol::{Ask, Request, Round, Rules, Seat};
use debate_lab::tell::pending_action;

/// Milliseconds a move at each speed.
const SPEEDS: [u64; Tempo::FASTEST as usize] = [3000, 1500, 800, 400, 150, 40];

/// True if a debate plays by itself, and how fast.
#[derive(Clone, Copy, Debug)]
pub(in crate::tui::screen) struct Pace {
    playing: bool,
    speed: usize,
    next: Option<Instant>,
}

impl Pace {
    pub(in crate::tui::screen) fn new(tempo: Tempo) -> Self {
        Self {
            playing: tempo.by_itself,
            speed: usize::from(tempo.speed()) - 1,
            next: None,
        }
    }

    pub(in crate::tui::screen) fn is_playing(&self) -> bool {
        self.playing
    }

    pub(in crate::tui::screen) fn stop(&mut self) {
        self.playing = false;
        self.next = None;
    }

    /// Takes a key of autoplay; returns what to say of it.
    pub(in crate::tui::screen) fn act(&mut self, action: Action) -> String {
        match action {
            Action::Faster => self.speed = (self.speed + 1).min(SPEEDS.len() - 1),
            Action::Slower => self.speed = self.speed.saturating_sub(1),
            _ => self.playing = !self.playing,
        }
        self.words()
    }

    /// Sets one alarm where there is something to wait for, and none elsewhere.
    pub(in crate::tui::screen) fn rest(&mut self, moving: bool) {
        let pause = Duration::from_millis(SPEEDS[self.speed]);
        self.next = (self.playing && moving).then(|| Instant::now() + pause);
    }

    pub(in crate::tui::screen) fn deadline(&self) -> Option<Instant> {
        self.next
    }

    /// True once the alarm has come.
    pub(in crate::tui::screen) fn is_due(&self) -> bool {
        self.next.is_some_and(|next| next <= Instant::now())
    }

    fn words(&self) -> String {
        if !self.playing {
            return "Stopped; the same key goes on.".to_owned();
        }
        let milliseconds = SPEEDS[self.speed];
        let (whole, tenth) = (milliseconds / 1000, milliseconds % 1000 / 10);
        format!("A move every {whole}.{tenth:02} s; < and > change that, the same key stops it.")
    }
}

/// When the turn of a seat comes, in words.
fn until_turn(
    view: &PanelView<'_, '_>,
    panels: &DebatePanels,
    seat: Seat,
    pending: &Request<Exact>,
) -> String {
    let depth = panels.depth().unwrap_or(0);
    let rounds = match view.state.round() {
        Some(Round::Number(k)) => k,
        _ => depth,
    };
    let number = |rounds: u32| match rounds {
        1 => "one round".to_owned(),
        2 => "two rounds".to_owned(),
        3 => "three rounds".to_owned(),
        _ => format!("{rounds} rounds"),
    };
    // Where bits and steps are debated, whose turn comes when depends on what is said.
    let proof = |ask: &Ask| matches!(ask, Ask::Proof(_) | Ask::Answers { .. });
    match pending {
        Request::Bits { ask, .. } if !proof(ask) => return String::new(),
        Request::Challenge { .. }
        | Request::Share { .. }
        | Request::Speech { .. }
        | Request::Continue { .. } => return String::new(),
        _ => {}
    }
    if seat == Seat::Judge && panels.is_parted() {
        return "You may be asked something at the end.".to_owned();
    }
    let last = rounds == 0 && view.state.round() == Some(Round::Number(0));
    match seat {
        Seat::Judge if last => "Your turn comes in this round.".to_owned(),
        Seat::Judge => format!("Your turn comes in about {}.", number(rounds.max(1))),
        // Of the prover, a pair to go on with: this round is paid. Of the opponent, a part of a claim.
        Seat::Opponent | Seat::Prover
            if matches!(pending, Request::Select { .. }) && rounds > 1 =>
        {
            "Your turn comes in the next round.".to_owned()
        }
        Seat::Opponent | Seat::Prover if matches!(pending, Request::Select { .. }) => {
            "You have nothing more to say in this debate.".to_owned()
        }
        Seat::Opponent if last => "You have nothing more to say in this debate.".to_owned(),
        Seat::Prover if matches!(pending, Request::Oracle { .. }) => {
            "You have nothing more to say in this debate.".to_owned()
        }
        // The first estimate is a round without a number.
        Seat::Prover if view.state.round() == Some(Round::Initial) => {
            "Your turn comes in the first round.".to_owned()
        }
        Seat::Prover if last => "Your turn comes in this round.".to_owned(),
        _ if matches!(pending, Request::Draw { .. }) => "Your turn comes soon after.".to_owned(),
        _ => "Your turn comes in this round.".to_owned(),
    }
}

/// The text of the ask panel on others' turns.
pub(super) fn notice(
    view: &PanelView<'_, '_>,
    seating: &Seating<'_, Exact>,
    panels: &DebatePanels,
    stuck: Option<&str>,
    look: &Appearance,
) -> Vec<Entry> {
    let Some(turn) = seating.turn() else {
        return Vec::new();
    };
    let scene = view.scene;
    let mut lines = Vec::new();
    let plain = |role, text: String| Entry::default().then(role, text);
    let people: Vec<Seat> = people(seating).collect();
    let who = match turn.seat {
        Seat::Chance => "A coin".to_owned(),
        seat => {
            let named = match (&people[..], scene.facts.occupant(seat)) {
                // Whoever watches may know everything.
                ([], Some(sitter)) if !scene.facts.blind => Some(sitter.player.as_str()),
                _ => scene.facts.player(seat),
            };
            let named = named.filter(|named| !named.is_empty());
            let player = named.map_or_else(String::new, |named| format!(", played by {named},"));
            match seat {
                Seat::Judge => format!("The judge{player}"),
                _ if !view.viewpoint().tells_rules() => format!("{}{player}", seat.person()),
                _ => format!("{}, the {}{player}", seat.person(), scene.facts.role(seat)),
            }
        }
    };
    let you = match &people[..] {
        [] => "You watch. ".to_owned(),
        [seat] => scene.facts.you_are(*seat) + " ",
        _ => "Several people play at this keyboard. ".to_owned(),
    };
    let next = if view.reader.follows() {
        format!(
            "{who} {} next.",
            pending_action(&view.viewpoint().narrator(look.script()), &turn.request)
        )
    } else {
        "The others debate, and the judge is not shown it: let them move, and what is asked of you \
         comes next."
            .to_owned()
    };
    lines.push(plain(StyleRole::Title, you).then(StyleRole::Text, next));
    if let ([seat], true) = (&people[..], view.reader.follows()) {
        let when = until_turn(view, panels, *seat, &turn.request);
        if !when.is_empty() {
            lines.push(plain(StyleRole::Text, when));
        }
    }
    if let Some(stuck) = stuck {
        lines.push(plain(StyleRole::Bad, format!("It cannot go on: {stuck}.")));
    }
    // A lesson says in its own words what it is about.
    if view.log.entries().is_empty() && scene.coach.is_none() {
        let alone = match people[..] {
            [seat] => Some(seat),
            _ => None,
        };
        for text in scene.facts.texts_for(alone) {
            lines.push(plain(StyleRole::Faint, text.to_owned()));
        }
        if view.viewpoint().tells_rules() {
            lines.push(plain(
                StyleRole::Faint,
                scene.facts.kind.introduction().rules.to_owned(),
            ));
        }
    }
    lines
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
pub(in crate::tui::screen) fn about(context: Contexts) -> &'static str {
    let found = ABOUT.iter().find(|(panels, _)| panels.meets(context));
    found.map_or("A debate that was played, move by move.", |(_, about)| {
        *about
    })
}
