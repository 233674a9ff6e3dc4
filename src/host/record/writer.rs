//! Writing a save as text: the same debate gives the same bytes.

use std::fmt::Write as _;

use super::chain::{ChainHash, END_CLOSER, EVENT_CLOSER, HEADER_CLOSER, SAVE_SEAL};
use super::line::{LineKind, ReplyMeta, SaveLine, bits_read};
use super::syntax::{END_LINE, EVENTS_LINE, MAX_LINE, quoted};
use super::{Header, RecordError, Result, Save, SavedReply, SeatCosts, Sidecar};
use debate_core::number::{Exact, Number, canonical};
use debate_core::player::{LatestMove, Seating};
use debate_core::protocol::{Draw, Log, Reply, Rules, Seat, State};

/// A chunk of a save: some lines, and the files that must stand beside it before they do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SaveChunk {
    pub text: String,
    pub sidecars: Vec<Sidecar>,
}

impl SaveChunk {
    /// Takes in what follows.
    pub fn extend(&mut self, more: Self) {
        self.text.push_str(&more.text);
        self.sidecars.extend(more.sidecars);
    }
}

/// Makes the lines of a save, one after the other. It keeps to itself what each must say about
/// those before it; where the lines go is another's business, the [`super::Journal`]'s mostly.
#[derive(Clone, Debug)]
pub struct Writer {
    pub(super) link: ChainHash,
    written: u64,
    /// The number and the seat of each move that was not taken back.
    standing: Vec<(u64, Seat)>,
    outside: [bool; 3],
    pub(crate) costs: SeatCosts,
}

impl Writer {
    /// Begins a save. Returns the text of its header as well.
    pub fn begin(header: &Header) -> (Self, String) {
        let body = header.write();
        let link = ChainHash::first(body.as_bytes());
        let text = SAVE_SEAL.close(&body, link, HEADER_CLOSER) + EVENTS_LINE + "\n";
        let writer = Self {
            link,
            written: 0,
            standing: Vec::new(),
            outside: Seat::PLAYERS.map(|seat| header.is_outside(seat)),
            costs: SeatCosts::default(),
        };
        (writer, text)
    }

    /// Goes on with a save.
    pub fn resume(save: &Save) -> Self {
        Self {
            link: save.link,
            written: save.lines().len() as u64,
            standing: save.standing(),
            outside: Seat::PLAYERS.map(|seat| save.header.is_outside(seat)),
            costs: save.costs(),
        }
    }

    /// The line of a move. The time that it took is left out where a built-in player made it.
    ///
    /// # Errors
    /// If it is longer than a save keeps, or chance's move says nothing of its coin.
    pub fn moved(&mut self, latest: LatestMove<'_, Exact>, meta: &ReplyMeta) -> Result<SaveChunk> {
        let LatestMove {
            made,
            prepared,
            events,
        } = latest;
        let outside = self.outside.get(made.seat.index()).copied();
        let meta = ReplyMeta {
            ms: meta.ms.filter(|_| outside == Some(true)),
            ..meta.clone()
        };
        let mut sidecar = None;
        let kind = match (&made.reply, &made.coin) {
            (Reply::Drawn(value), Some(coin)) => match &coin.draw {
                Draw::Bernoulli(p) => LineKind::Toss {
                    integer: coin.integer,
                    p: canonical(p),
                    value: *value == 1,
                },
                Draw::Binomial { count, p } => LineKind::Sample {
                    integer: coin.integer,
                    count: *count,
                    p: canonical(p),
                    ones: *value,
                },
            },
            (Reply::Drawn(_), None) => return Err(RecordError::NoCoin),
            (reply, _) => {
                let (reply, file) = SavedReply::of(reply, prepared);
                sidecar = file;
                LineKind::Reply {
                    seat: made.seat,
                    reply,
                    spent: made.spent,
                }
            }
        };
        let read = bits_read(events.iter().map(|entry| &entry.event));
        let chunk = self.line(kind, read, meta, sidecar)?;
        self.standing.push((self.written, made.seat));
        Ok(chunk)
    }

    /// The line that takes back all but the first `kept` moves; empty where there are no more.
    ///
    /// # Errors
    /// If a coin would be taken back.
    pub fn undo(&mut self, kept: usize) -> Result<SaveChunk> {
        let Some((from, _)) = self.standing.get(kept) else {
            return Ok(SaveChunk::default());
        };
        let mut taken = self.standing.iter().skip(kept);
        if taken.any(|(_, seat)| *seat == Seat::Chance) {
            return Err(RecordError::CoinStands);
        }
        let kind = LineKind::Undo { from: *from };
        let chunk = self.line(kind, Vec::new(), ReplyMeta::default(), None)?;
        self.standing.truncate(kept);
        Ok(chunk)
    }

    /// The line of a reply that the rules refused in this state. Of many bits that were not asked
    /// for only the digest is kept.
    ///
    /// # Errors
    /// If it is longer than a save keeps, or the debate is over.
    pub fn refused(
        &mut self,
        state: &State<'_, Exact>,
        reply: &Reply<Exact>,
        why: &str,
        meta: ReplyMeta,
    ) -> Result<SaveChunk> {
        let turn = state.request().ok_or(RecordError::Finished)?;
        let length = turn.request.bits_wanted().map(|length| length as usize);
        let is_of_length = matches!(reply, Reply::Bits(bits) if Some(bits.len()) == length);
        let (reply, sidecar) = if is_of_length {
            SavedReply::of(reply, state.prepared().as_ref())
        } else {
            (SavedReply::unasked(reply), None)
        };
        let kind = LineKind::Refused {
            seat: turn.seat,
            reply,
            why: why.to_owned(),
        };
        self.line(kind, Vec::new(), meta, sidecar)
    }

    /// The line of a player's failure.
    ///
    /// # Errors
    /// If it is longer than a save keeps.
    pub fn fault(
        &mut self,
        seat: Seat,
        fault: &str,
        why: &str,
        meta: ReplyMeta,
    ) -> Result<SaveChunk> {
        let kind = LineKind::Fault {
            seat,
            fault: fault.to_owned(),
            why: why.to_owned(),
        };
        self.line(kind, Vec::new(), meta, None)
    }

    /// The line that ends a finished debate.
    ///
    /// # Errors
    /// If the debate is not over.
    pub fn finish(&mut self, state: &State<'_, Exact>, log: &Log<Exact>) -> Result<String> {
        if state.request().is_some() {
            return Err(RecordError::NotOver);
        }
        let quoted = |value: &Exact| quoted(&canonical(value));
        let by_round: Vec<String> = by_round(state, log).iter().map(quoted).collect();
        let payoff = quoted(&state.payoff());
        let by_round = by_round.join(", ");
        self.end(&format!(
            "Finished(payoff: {payoff}, by_round: [{by_round}])"
        ))
    }

    /// The line that ends a debate by a player's fault.
    ///
    /// # Errors
    /// If it is longer than a save keeps.
    pub fn forfeit(&mut self, seat: Seat, fault: &str) -> Result<String> {
        let fault = quoted(fault);
        self.end(&format!("Forfeit(seat: {seat:?}, fault: {fault})"))
    }

    /// The line of an end, with what the replies cost.
    fn end(&mut self, end: &str) -> Result<String> {
        let mut body = format!("{END_LINE}end: {end}");
        let costs = self.costs.write();
        if !costs.is_empty() {
            // Writing to a string cannot fail.
            let _ = write!(body, ", costs: {costs}");
        }
        self.with_hash(&body, END_CLOSER)
    }

    fn line(
        &mut self,
        kind: LineKind,
        read: Vec<String>,
        meta: ReplyMeta,
        sidecar: Option<Sidecar>,
    ) -> Result<SaveChunk> {
        let line = SaveLine {
            n: self.written + 1,
            line: 0,
            kind,
            read,
            meta,
            unknown: Vec::new(),
        };
        if !line.fits() {
            return Err(RecordError::TooLong);
        }
        let text = self.with_hash(&line.write(), EVENT_CLOSER)?;
        self.written += 1;
        self.costs.add(line.kind.seat(), line.meta.cost.as_ref());
        let sidecars = sidecar.into_iter().collect();
        Ok(SaveChunk { text, sidecars })
    }

    fn with_hash(&mut self, body: &str, closer: &str) -> Result<String> {
        let link = self.link.next(body.as_bytes());
        let text = SAVE_SEAL.close(body, link, closer);
        if text.len() > MAX_LINE {
            return Err(RecordError::TooLong);
        }
        self.link = link;
        Ok(text)
    }
}

/// A whole debate as a save, finished if the debate is over. Nothing of it is anybody's thinking
/// time or remark.
///
/// # Errors
/// If a reply is longer than a save keeps, or a move is not legal any more.
pub fn write(header: &Header, seating: &Seating<'_, Exact>) -> Result<SaveChunk> {
    let (mut writer, begun) = Writer::begin(header);
    let mut chunk = SaveChunk {
        text: begun,
        sidecars: header.sidecars(),
    };
    let mut timeline = seating.timeline().rewound();
    while let Some(latest) = timeline.forward()? {
        chunk.extend(writer.moved(latest, &ReplyMeta::default())?);
    }
    if seating.turn().is_none() {
        chunk.text += &writer.finish(seating.state(), seating.log())?;
    }
    Ok(chunk)
}

/// The prover's reward in each round, in the order of the schedule.
pub fn by_round<N: Number>(state: &State<'_, N>, log: &Log<N>) -> Vec<N> {
    let payments = log.payments(&state.schedule()).into_iter();
    payments
        .map(|(_, paid)| paid.unwrap_or_else(N::zero))
        .collect()
}
