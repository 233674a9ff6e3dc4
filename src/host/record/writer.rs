//! Writing saves as text. The same debate gives the same bytes.

use std::fmt::Write as _;

use super::chain::{ChainHash, END_CLOSER, EVENT_CLOSER, HEADER_CLOSER, SAVE_HASH_POSITION};
use super::line::{ReplyMeta, SaveEventLine, SavedEventKind, bits_read};
use super::syntax::{END_LINE, EVENTS_LINE, MAX_LINE, ron_string_literal};
use super::{ReplyCostsBySeat, Result, Save, SaveFileError, SaveHeader, SavedReply, Sidecar};
use debate_core::number::{Exact, Number, format_canonical};
use debate_core::player::{MoveWithEvents, SeatedDebate};
use debate_core::protocol::{ChanceDraw, Log, Reply, Rules, Seat, State};

/// Some consecutive lines of a save, and the files that must be stored before them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SaveLinesToWrite {
    pub text: String,
    pub sidecars: Vec<Sidecar>,
}

impl SaveLinesToWrite {
    /// Appends the next chunk.
    pub fn append_lines_and_sidecars(&mut self, more: Self) {
        self.text.push_str(&more.text);
        self.sidecars.extend(more.sidecars);
    }
}

/// Formats the lines of a save in order. It remembers the data about earlier lines that each new line needs. The
/// caller, usually the [`super::SaveJournal`], writes the lines to the disk.
#[derive(Clone, Debug)]
pub struct SaveLineFormatter {
    pub(super) link: ChainHash,
    written: u64,
    /// The event number and the seat of each move that was not undone.
    current_moves: Vec<(u64, Seat)>,
    outside: [bool; 3],
    pub(crate) costs: ReplyCostsBySeat,
}

impl SaveLineFormatter {
    /// Creates the formatter of a new save. Also returns the text of the save's header.
    pub fn begin_save(header: &SaveHeader) -> (Self, String) {
        let body = header.save_header_text();
        let link = ChainHash::hash_without_previous_line(body.as_bytes());
        let text = SAVE_HASH_POSITION.line_closed_with_hash(&body, link, HEADER_CLOSER)
            + EVENTS_LINE
            + "\n";
        let writer = Self {
            link,
            written: 0,
            current_moves: Vec::new(),
            outside: Seat::PLAYERS.map(|seat| header.has_outside_player(seat)),
            costs: ReplyCostsBySeat::default(),
        };
        (writer, text)
    }

    /// Creates the formatter of the lines that continue an existing save.
    pub fn line_formatter_to_continue_save(save: &Save) -> Self {
        Self {
            link: save.link,
            written: save.events_with_undone().len() as u64,
            current_moves: save.numbers_and_seats_of_moves(),
            outside: Seat::PLAYERS.map(|seat| save.header.has_outside_player(seat)),
            costs: save.reply_costs_by_seat(),
        }
    }

    /// Returns the save's line of a move. The thinking time is omitted for a built-in player.
    ///
    /// # Errors
    /// If the line or a number in it exceeds the limits of saves, or a move of chance lacks its integer.
    pub fn move_line(
        &mut self,
        latest: MoveWithEvents<'_, Exact>,
        meta: &ReplyMeta,
    ) -> Result<SaveLinesToWrite> {
        let MoveWithEvents {
            made,
            prepared,
            events,
        } = latest;
        let outside = self.outside.get(made.seat.seat_index()).copied();
        let meta = ReplyMeta {
            ms: meta.ms.filter(|_| outside == Some(true)),
            ..meta.clone()
        };
        let mut sidecar = None;
        let kind = match (&made.reply, &made.coin) {
            (Reply::Drawn(value), Some(coin)) => match &coin.draw {
                ChanceDraw::Bernoulli(p) => SavedEventKind::Toss {
                    integer: coin.integer,
                    p: format_canonical(p),
                    value: *value == 1,
                },
                ChanceDraw::Binomial { count, p } => SavedEventKind::Sample {
                    integer: coin.integer,
                    count: *count,
                    p: format_canonical(p),
                    ones: *value,
                },
            },
            (Reply::Drawn(_), None) => return Err(SaveFileError::NoCoin),
            (reply, _) => {
                let (reply, file) = SavedReply::stored_form_of(reply, prepared);
                sidecar = file;
                SavedEventKind::Reply {
                    seat: made.seat,
                    reply,
                    spent: made.spent,
                }
            }
        };
        let read = bits_read(events.iter().map(|entry| &entry.event));
        let chunk = self.line(kind, read, meta, sidecar)?;
        self.current_moves.push((self.written, made.seat));
        Ok(chunk)
    }

    /// Returns the new line of the save that records an undo of all moves after the first `kept_moves`; empty if no
    /// moves follow them.
    ///
    /// # Errors
    /// If the undo would take back a coin.
    pub fn save_line_of_undo(&mut self, kept_moves: usize) -> Result<SaveLinesToWrite> {
        let Some((from, _)) = self.current_moves.get(kept_moves) else {
            return Ok(SaveLinesToWrite::default());
        };
        let mut taken = self.current_moves.iter().skip(kept_moves);
        if taken.any(|(_, seat)| *seat == Seat::Chance) {
            return Err(SaveFileError::CoinStands);
        }
        let kind = SavedEventKind::Undo { from: *from };
        let chunk = self.line(kind, Vec::new(), ReplyMeta::default(), None)?;
        self.current_moves.truncate(kept_moves);
        Ok(chunk)
    }

    /// Returns the save's line of a reply that the rules refused in this state. Of a long bit string that was not
    /// requested, only the digest is stored.
    ///
    /// # Errors
    /// If the line is longer than the limit of a save, or the debate is over.
    pub fn refused(
        &mut self,
        state: &State<'_, Exact>,
        reply: &Reply<Exact>,
        why: &str,
        meta: ReplyMeta,
    ) -> Result<SaveLinesToWrite> {
        let turn = state.request().ok_or(SaveFileError::Finished)?;
        let length = turn
            .request
            .requested_bit_count()
            .map(|length| length as usize);
        let is_of_length = matches!(reply, Reply::Bits(bits) if Some(bits.len()) == length);
        let (reply, sidecar) = if is_of_length {
            SavedReply::stored_form_of(reply, state.honest_reply_bits().as_ref())
        } else {
            (
                SavedReply::refused_reply_with_long_bits_as_digest(reply),
                None,
            )
        };
        let kind = SavedEventKind::Refused {
            seat: turn.seat,
            reply,
            why: why.to_owned(),
        };
        self.line(kind, Vec::new(), meta, sidecar)
    }

    /// Returns the save's line about a player's failure.
    ///
    /// # Errors
    /// If the line is longer than the limit of a save.
    pub fn fault(
        &mut self,
        seat: Seat,
        fault: &str,
        why: &str,
        meta: ReplyMeta,
    ) -> Result<SaveLinesToWrite> {
        let kind = SavedEventKind::Fault {
            seat,
            fault: fault.to_owned(),
            why: why.to_owned(),
        };
        self.line(kind, Vec::new(), meta, None)
    }

    /// Returns the save's closing line for a debate that ended by its rules.
    ///
    /// # Errors
    /// If the debate is not over, or the line is longer than the limit of a save.
    pub fn closing_line(&mut self, state: &State<'_, Exact>, log: &Log<Exact>) -> Result<String> {
        if state.request().is_some() {
            return Err(SaveFileError::NotOver);
        }
        let amount_literal = |value: &Exact| ron_string_literal(&format_canonical(value));
        let by_round: Vec<String> = by_round(state, log).iter().map(amount_literal).collect();
        let payoff = amount_literal(&state.payoff());
        let by_round = by_round.join(", ");
        self.end(&format!(
            "Finished(payoff: {payoff}, by_round: [{by_round}])"
        ))
    }

    /// Returns the save's closing line for a debate that ended by a player's fault.
    ///
    /// # Errors
    /// If the line is longer than the limit of a save.
    pub fn closing_line_of_forfeit(&mut self, seat: Seat, fault: &str) -> Result<String> {
        let fault = ron_string_literal(fault);
        self.end(&format!("Forfeit(seat: {seat:?}, fault: {fault})"))
    }

    /// Returns the save's closing line, with the costs of the replies.
    fn end(&mut self, end: &str) -> Result<String> {
        let mut body = format!("{END_LINE}end: {end}");
        let costs = self.costs.nonzero_costs_in_save_notation();
        if !costs.is_empty() {
            // Writing to a string cannot fail.
            let _ = write!(body, ", costs: {costs}");
        }
        self.with_hash(&body, END_CLOSER)
    }

    fn line(
        &mut self,
        kind: SavedEventKind,
        read: Vec<String>,
        meta: ReplyMeta,
        sidecar: Option<Sidecar>,
    ) -> Result<SaveLinesToWrite> {
        let line = SaveEventLine {
            n: self.written + 1,
            line: 0,
            kind,
            read,
            meta,
            unknown: Vec::new(),
        };
        if !line.fits_number_limits_of_saves() {
            return Err(SaveFileError::TooLong);
        }
        let text = self.with_hash(&line.line_text_to_hash(), EVENT_CLOSER)?;
        self.written += 1;
        self.costs
            .add(line.kind.seat_unless_undo(), line.meta.cost.as_ref());
        let sidecars = sidecar.into_iter().collect();
        Ok(SaveLinesToWrite { text, sidecars })
    }

    fn with_hash(&mut self, body: &str, closer: &str) -> Result<String> {
        let link = self.link.hash_of_next_line(body.as_bytes());
        let text = SAVE_HASH_POSITION.line_closed_with_hash(body, link, closer);
        if text.len() > MAX_LINE {
            return Err(SaveFileError::TooLong);
        }
        self.link = link;
        Ok(text)
    }
}

/// Returns a whole debate as the text of a save, with a closing line if the debate is over, without thinking times and
/// notes.
///
/// # Errors
/// If a line exceeds the limits of saves, or a move is no longer legal.
pub fn whole_save_text(
    header: &SaveHeader,
    seating: &SeatedDebate<'_, Exact>,
) -> Result<SaveLinesToWrite> {
    let (mut writer, begun) = SaveLineFormatter::begin_save(header);
    let mut chunk = SaveLinesToWrite {
        text: begun,
        sidecars: header.required_sidecars(),
    };
    let mut timeline = seating.timeline().copy_with_cursor_at_start();
    while let Some(latest) = timeline.move_cursor_forward()? {
        chunk.append_lines_and_sidecars(writer.move_line(latest, &ReplyMeta::default())?);
    }
    if seating.turn().is_none() {
        chunk.text += &writer.closing_line(seating.state(), seating.log())?;
    }
    Ok(chunk)
}

/// Returns the prover's reward in each round, in the order of the schedule.
pub fn by_round<N: Number>(state: &State<'_, N>, log: &Log<N>) -> Vec<N> {
    let payments = log.round_payments(&state.schedule()).into_iter();
    payments
        .map(|(_, paid)| paid.unwrap_or_else(N::zero))
        .collect()
}
