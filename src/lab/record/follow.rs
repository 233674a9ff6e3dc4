//! Following a save through the rules, with every coin checked against the seed.

use std::fmt::Display;

use super::bits_read::BitsRead;
use super::error::{Difference, Mismatch, RecordError};
use super::header::Header;
use super::history::{History, SavedStep, StepKind};
use super::line::{LineKind, SaveLine};
use super::long_bits::{BitsStorage, LongBits};
use super::reply::SavedReply;
use super::save::Save;
use super::sidecar::SidecarFolder;
use super::syntax::{excerpt, quoted};
use debate_core::chance::Draws;
use debate_core::number::{Exact, canonical};
use debate_core::player::{Coin, Move, Player, Seating};
use debate_core::protocol::{Draw, Reply, Request, Rules, Seat, Spent, State};
use debate_core::scenario::Instance;

/// Follows the lines of a save: what each says is compared with what follows from the rules and the
/// seed.
#[derive(Clone, Debug)]
pub(super) struct Follower<'a> {
    history: History<'a>,
    draws: Draws,
    /// The number of the line of each move that stands.
    numbers: Vec<u64>,
    sidecars: SidecarFolder,
    /// True if what a save says goes before what follows from the rules and the seed, wherever the
    /// rules allow it.
    lenient: bool,
    /// The difference on the current line, and the first of all.
    line_difference: Option<Mismatch>,
    first_difference: Option<Difference>,
}

impl<'a> Follower<'a> {
    /// At the start of a debate.
    pub(super) fn new(start: State<'a, Exact>, save: &Save) -> Self {
        let draws = Draws::coins(&save.header.seed, save.header.debate, start.coins());
        Self {
            history: History::begin(start),
            draws,
            numbers: Vec::new(),
            sidecars: save.sidecars().clone(),
            lenient: save.first_difference().is_some(),
            line_difference: None,
            first_difference: None,
        }
    }

    /// Follows the save wherever the rules allow it.
    pub(super) fn lenient(mut self) -> Self {
        self.lenient = true;
        self
    }

    /// The first difference that was passed over.
    pub(super) fn into_first_difference(self) -> Option<Difference> {
        self.first_difference
    }

    /// The debate as far as it was followed.
    pub(super) fn history(&self) -> &History<'a> {
        &self.history
    }

    pub(super) fn into_history(self) -> History<'a> {
        self.history
    }

    /// The number of moves that stand.
    pub(super) fn replies(&self) -> usize {
        self.numbers.len()
    }

    fn state(&self) -> &State<'a, Exact> {
        self.history.state()
    }

    /// Passes a difference over where that is wished.
    fn allow(&mut self, compared: Result<(), Mismatch>) -> Result<(), Mismatch> {
        match compared {
            Err(mismatch) if self.lenient => {
                self.line_difference.get_or_insert(mismatch);
                Ok(())
            }
            compared => compared,
        }
    }

    /// Follows one line.
    pub(super) fn step(&mut self, line: &SaveLine) -> Result<(), Difference> {
        let differs = |mismatch: Mismatch| mismatch.on(line.line);
        if let Some(kind) = self.kind_of(&line.kind).map_err(differs)? {
            self.take(kind, line).map_err(differs)?;
        }
        if let Some(mismatch) = self.line_difference.take() {
            self.first_difference
                .get_or_insert_with(|| differs(mismatch));
        }
        Ok(())
    }

    /// The step that a line makes; `None` for a comment on the turn.
    fn kind_of(&mut self, kind: &LineKind) -> Result<Option<StepKind>, Mismatch> {
        if let LineKind::Undo { from } = kind {
            let kept = self.numbers.binary_search(from).map_err(|_place| {
                Mismatch::new("the number of a move that stands", format!("undo: {from}"))
            })?;
            return Ok(Some(StepKind::Undo { kept }));
        }
        let over = || Mismatch::new("the end, for the debate is over", "another event");
        let turn = self.state().request().ok_or_else(over)?;
        let seat = kind.seat().unwrap_or(Seat::Chance);
        if seat != turn.seat {
            let named = |seat: Seat| format!("seat: {seat:?}");
            return Err(Mismatch::new(named(turn.seat), named(seat)));
        }
        match kind {
            LineKind::Undo { .. } | LineKind::Fault { .. } => Ok(None),
            LineKind::Refused { reply, .. } => {
                let refused = match self.refused(reply, &turn.request)? {
                    None => true,
                    Some(reply) => self.state().clone().reply(reply, &mut ()).is_err(),
                };
                if !refused {
                    let found = format!("refused: {}", brief(reply));
                    self.allow(Err(Mismatch::new("a reply that the rules refuse", found)))?;
                }
                Ok(None)
            }
            LineKind::Toss { integer, .. } | LineKind::Sample { integer, .. } => {
                let drawn = |integer: &u64| format!("Drawn({integer})");
                let coin = self.coin(&turn.request).ok_or_else(|| {
                    Mismatch::new(turn.request.wants(), format!("reply: {}", drawn(integer)))
                })?;
                let owed = coin.draw.outcome(coin.integer);
                self.allow(check_field("reply", drawn(&coin.integer), drawn(integer)))?;
                let outcome = outcome_of(kind, &coin.draw)?;
                self.allow(check_coin(kind, &coin.draw, owed))?;
                Ok(Some(StepKind::Move(Move {
                    seat,
                    reply: Reply::Drawn(outcome),
                    coin: Some(Coin {
                        integer: *integer,
                        ..coin
                    }),
                    spent: Spent::default(),
                })))
            }
            LineKind::Reply { reply, spent, .. } => Ok(Some(StepKind::Move(Move {
                seat,
                reply: self.meant(reply, &turn.request)?,
                coin: None,
                spent: *spent,
            }))),
        }
    }

    /// The reply that a line means here.
    fn meant(
        &self,
        saved: &SavedReply,
        request: &Request<Exact>,
    ) -> Result<Reply<Exact>, Mismatch> {
        let bulk = match saved {
            SavedReply::Whole(reply) => return Ok(reply.clone()),
            SavedReply::LongBits(bulk) => bulk,
        };
        let Some(length) = request.bits_wanted() else {
            let reply = format!("reply: {}", brief(saved));
            return Err(Mismatch::new(request.wants(), reply));
        };
        bulk.bits(length, || self.state().prepared(), &self.sidecars)
            .map(Reply::Bits)
    }

    /// A refused reply as it was given; `None` where it was bits that nobody asked for, of which
    /// the digest alone is kept.
    fn refused(
        &self,
        saved: &SavedReply,
        request: &Request<Exact>,
    ) -> Result<Option<Reply<Exact>>, Mismatch> {
        let SavedReply::LongBits(LongBits {
            length, storage, ..
        }) = saved
        else {
            return self.meant(saved, request).map(Some);
        };
        if request.bits_wanted().map(u64::from) == Some(*length) {
            return self.meant(saved, request).map(Some);
        }
        if *storage == BitsStorage::Nowhere {
            return Ok(None);
        }
        Err(Mismatch::new(
            "the digest alone of bits that were not asked for",
            format!("refused: {}", brief(saved)),
        ))
    }

    fn take(&mut self, kind: StepKind, line: &SaveLine) -> Result<(), Mismatch> {
        let ms = line.meta.ms;
        if let StepKind::Undo { kept } = kind {
            self.numbers.truncate(kept);
        }
        let pushed = self.history.push(SavedStep { kind, ms });
        let latest = pushed.map_err(|illegal| {
            let found = match &line.kind {
                LineKind::Reply { reply, .. } => format!("reply: {}, but {illegal}", brief(reply)),
                _ => illegal.to_string(),
            };
            Mismatch::new("a legal reply", found)
        })?;
        let Some(latest) = latest else {
            return Ok(());
        };
        let mut read = BitsRead::default();
        for entry in latest.events {
            read.note(&entry.event);
        }
        self.allow(check_bits_read(&read.into_words(), &line.read))?;
        self.numbers.push(line.n);
        Ok(())
    }

    fn coin(&mut self, request: &Request<Exact>) -> Option<Coin<Exact>> {
        let (ordinal, draw) = request.draw()?;
        Some(Coin {
            ordinal,
            integer: self.draws.at(ordinal),
            draw: draw.clone(),
        })
    }
}

impl Save {
    /// Every step of the debate, with what was taken back and how long people took; the cursor
    /// stands at the end. What was refused is no step. `instance` is the one that
    /// [`super::Header::instance`] makes.
    ///
    /// # Errors
    /// If the save does not follow from the rules and the seed.
    pub fn history<'a>(&self, instance: &'a Instance) -> Result<History<'a>, RecordError> {
        let mut follower = Follower::new(self.header.protocol.start(instance)?, self);
        for line in self.lines() {
            follower.step(line)?;
        }
        Ok(follower.into_history())
    }

    /// Seats players (prover, opponent, judge) at the debate where the save leaves it. `instance`
    /// is the one that [`super::Header::instance`] makes.
    ///
    /// # Errors
    /// If the save does not follow from the rules and the seed.
    pub fn seat<'a>(
        &self,
        instance: &'a Instance,
        players: [Player<'a, Exact>; 3],
    ) -> Result<Seating<'a, Exact>, RecordError> {
        let timeline = self.history(instance)?.timeline;
        let Header { seed, debate, .. } = &self.header;
        Ok(Seating::resume(timeline, players, seed, *debate))
    }
}

/// The outcome of a draw, as a line says.
fn outcome_of(kind: &LineKind, draw: &Draw<Exact>) -> Result<u64, Mismatch> {
    match (draw, kind) {
        (Draw::Bernoulli(_), LineKind::Toss { value, .. }) => Ok(u64::from(*value)),
        (Draw::Binomial { .. }, LineKind::Sample { ones, .. }) => Ok(*ones),
        (Draw::Bernoulli(_), _) => Err(Mismatch::new("one coin", "count: many")),
        (Draw::Binomial { .. }, _) => Err(Mismatch::new("many samples", "one coin")),
    }
}

/// Checks what a line says of a draw and its outcome.
fn check_coin(kind: &LineKind, draw: &Draw<Exact>, outcome: u64) -> Result<(), Mismatch> {
    match (draw, kind) {
        (Draw::Bernoulli(asked), LineKind::Toss { p, value, .. }) => {
            check_field("p", quoted(&canonical(asked)), quoted(p))?;
            check_field("value", outcome == 1, value)
        }
        (
            Draw::Binomial { count, p: asked },
            LineKind::Sample {
                count: stated,
                p,
                ones,
                ..
            },
        ) => {
            check_field("p", quoted(&canonical(asked)), quoted(p))?;
            check_field("count", count, stated)?;
            check_field("ones", outcome, ones)
        }
        _ => Ok(()),
    }
}

/// A reply as an error shows it.
fn brief(saved: &SavedReply) -> String {
    excerpt(saved.to_string().as_bytes())
}

/// Checks which bits a line says were read; the first that differs is named.
fn check_bits_read(expected: &[String], found: &[String]) -> Result<(), Mismatch> {
    let shown = |bit: Option<&String>| match bit {
        Some(bit) => quoted(&excerpt(bit.as_bytes())),
        None => "nothing more".to_owned(),
    };
    for place in 0..expected.len().max(found.len()) {
        let (expected, found) = (expected.get(place), found.get(place));
        if expected != found {
            let (expected, found) = (shown(expected), shown(found));
            return check_field("read", expected, found);
        }
    }
    Ok(())
}

/// Checks a field against what it should say.
pub(super) fn check_field(
    field: &str,
    expected: impl Display,
    found: impl Display,
) -> Result<(), Mismatch> {
    let (expected, found) = (format!("{field}: {expected}"), format!("{field}: {found}"));
    if expected == found {
        Ok(())
    } else {
        Err(Mismatch::new(expected, found))
    }
}
