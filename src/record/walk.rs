//! Following a save through the rules, with every coin checked against the seed.

use std::fmt::Display;

use super::error::Difference;
use super::line::{Line, What};
use super::reply;
use super::syntax::quoted;
use crate::chance::{Draws, Seed};
use crate::number::{Exact, canonical};
use crate::player::{Coin, Move};
use crate::protocol::{Draw, Event, Reply, Request, Round, Rules, Seal, Seat, Sink, Spent, State};

/// A state is kept each time that so many moves have been made.
const EVERY: usize = 32;

/// Takes the rewards out of the events.
#[derive(Clone, Debug, Default)]
struct Rewards(Vec<(Round, Exact)>);

impl Sink<Exact> for Rewards {
    fn note(&mut self, _seat: Seat, _seal: Option<Seal>, event: impl FnOnce() -> Event<Exact>) {
        if let Event::Rewarded(reward) = event() {
            self.0.push((reward.round(), reward.value()));
        }
    }
}

/// A debate that is followed move by move and can go back cheaply.
#[derive(Clone, Debug)]
pub(super) struct Walk<'a> {
    state: State<'a, Exact>,
    draws: Draws,
    moves: Vec<Move<Exact>>,
    /// The number of each move's event.
    numbers: Vec<u64>,
    rewards: Rewards,
    /// The states after 0, `EVERY`, 2 · `EVERY`, … moves, each with how many rewards there were.
    kept: Vec<(State<'a, Exact>, usize)>,
}

impl<'a> Walk<'a> {
    /// At the start of a debate.
    pub(super) fn new(start: State<'a, Exact>, seed: &Seed, debate: u64) -> Self {
        let draws = Draws::coins(seed, debate, start.coins());
        Self {
            kept: vec![(start.clone(), 0)],
            state: start,
            draws,
            moves: Vec::new(),
            numbers: Vec::new(),
            rewards: Rewards::default(),
        }
    }

    pub(super) fn state(&self) -> &State<'a, Exact> {
        &self.state
    }

    pub(super) fn moves(&self) -> &[Move<Exact>] {
        &self.moves
    }

    /// What the prover received in each round, in the order of the schedule.
    pub(super) fn by_round(&self) -> Vec<Exact> {
        super::writer::sums(&self.state, self.rewards.0.iter().cloned())
    }

    /// The state after `count` of the moves that stand.
    pub(super) fn state_after(&self, count: usize) -> State<'a, Exact> {
        let count = count.min(self.moves.len());
        let Some((state, _)) = self.kept.get(count / EVERY) else {
            return self.state.clone();
        };
        let mut state = state.clone();
        for made in self.moves.iter().take(count).skip(count / EVERY * EVERY) {
            // It was legal here before.
            let _ = state.reply(made.reply.clone(), &mut ());
        }
        state
    }

    /// Follows one line.
    pub(super) fn step(&mut self, line: &Line) -> Result<(), Difference> {
        let differs = |(expected, found)| Difference {
            line: line.line,
            expected,
            found,
        };
        match self.made_by(&line.what).map_err(differs)? {
            Step::Comment => {}
            Step::Back(kept) => self.go_back(kept),
            Step::On(made) => {
                self.make(made).map_err(differs)?;
                self.numbers.push(line.n);
            }
        }
        Ok(())
    }

    fn made_by(&mut self, what: &What) -> Result<Step, Unlike> {
        if let What::Undo { from } = what {
            let kept = self.numbers.binary_search(from);
            let unlike = |_| {
                let expected = "the number of a move that stands".to_owned();
                (expected, format!("undo: {from}"))
            };
            return kept.map(Step::Back).map_err(unlike);
        }
        let over = || {
            let expected = "the end, for the debate is over".to_owned();
            (expected, "another event".to_owned())
        };
        let turn = self.state.request().ok_or_else(over)?;
        let seat = what.seat().unwrap_or(Seat::Chance);
        if seat != turn.seat {
            return Err((format!("seat: {:?}", turn.seat), format!("seat: {seat:?}")));
        }
        match what {
            What::Undo { .. } | What::Fault { .. } => Ok(Step::Comment),
            What::Refused { reply, .. } => {
                if self.state.clone().reply(reply.clone(), &mut ()).is_ok() {
                    let expected = "a reply that the rules refuse".to_owned();
                    return Err((expected, format!("refused: {}", reply::write(reply))));
                }
                Ok(Step::Comment)
            }
            What::Toss { .. } | What::Sample { .. } => {
                let integer = what.integer().unwrap_or_default();
                let coin = self.coin(&turn.request).ok_or_else(|| {
                    let expected = turn.request.wants().to_owned();
                    (expected, format!("reply: Drawn({integer})"))
                })?;
                let outcome = coin.draw.outcome(coin.integer);
                like(
                    "reply",
                    format_args!("Drawn({})", coin.integer),
                    format_args!("Drawn({integer})"),
                )?;
                coin_like(what, &coin.draw, outcome)?;
                Ok(Step::On(Move {
                    seat,
                    reply: Reply::Drawn(outcome),
                    coin: Some(coin),
                    spent: Spent::default(),
                }))
            }
            What::Reply { reply, spent, .. } => Ok(Step::On(Move {
                seat,
                reply: reply.clone(),
                coin: None,
                spent: *spent,
            })),
        }
    }

    fn make(&mut self, made: Move<Exact>) -> Result<(), Unlike> {
        let replied = self.state.reply(made.reply.clone(), &mut self.rewards);
        replied.map_err(|illegal| {
            let found = format!("reply: {}, but {illegal}", reply::write(&made.reply));
            ("a legal reply".to_owned(), found)
        })?;
        self.moves.push(made);
        if self.moves.len() == self.kept.len() * EVERY {
            self.kept.push((self.state.clone(), self.rewards.0.len()));
        }
        Ok(())
    }

    fn coin(&mut self, request: &Request<Exact>) -> Option<Coin<Exact>> {
        let Request::Draw { ordinal, draw, .. } = request else {
            return None;
        };
        Some(Coin {
            ordinal: *ordinal,
            integer: self.draws.at(*ordinal),
            draw: draw.clone(),
        })
    }

    fn go_back(&mut self, count: usize) {
        self.kept.truncate(count / EVERY + 1);
        let Some((state, rewards)) = self.kept.last() else {
            return;
        };
        self.state = state.clone();
        self.rewards.0.truncate(*rewards);
        self.moves.truncate(count);
        self.numbers.truncate(count);
        for made in self.moves.iter().skip(count / EVERY * EVERY) {
            // It was legal here before.
            let _ = self.state.reply(made.reply.clone(), &mut self.rewards);
        }
    }
}

/// Checks what a line says of a draw and its outcome.
fn coin_like(what: &What, draw: &Draw<Exact>, outcome: u64) -> Result<(), Unlike> {
    match (draw, what) {
        (Draw::Bernoulli(asked), What::Toss { p, value, .. }) => {
            like("p", quoted(&canonical(asked)), quoted(p))?;
            like("value", outcome == 1, value)
        }
        (
            Draw::Binomial { count, p: asked },
            What::Sample {
                count: said,
                p,
                ones,
                ..
            },
        ) => {
            like("p", quoted(&canonical(asked)), quoted(p))?;
            like("count", count, said)?;
            like("ones", outcome, ones)
        }
        (Draw::Bernoulli(_), _) => Err(("one coin".to_owned(), "count: many".to_owned())),
        (Draw::Binomial { .. }, _) => Err(("many samples".to_owned(), "one coin".to_owned())),
    }
}

/// What a line asks for.
enum Step {
    Comment,
    /// Go back to when so many moves had been made.
    Back(usize),
    On(Move<Exact>),
}

/// What was expected, and what was found.
type Unlike = (String, String);

fn like(field: &str, expected: impl Display, found: impl Display) -> Result<(), Unlike> {
    let (expected, found) = (format!("{field}: {expected}"), format!("{field}: {found}"));
    if expected == found {
        Ok(())
    } else {
        Err((expected, found))
    }
}
