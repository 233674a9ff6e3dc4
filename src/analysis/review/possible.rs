//! What a debate may be like behind what is sealed from somebody.

use super::{Unknown, same};
use crate::analysis::walk::{Position, outcomes};
use crate::number::Number;
use crate::player::{Built, Choice, Move};
use crate::protocol::{Log, Reply, Request, Rules as _, Seat, Seen, State};

/// The most possibilities that are weighed.
const MOST: usize = 4096;

/// The debate as it may stand after these moves as far as one seat can know, each possibility with
/// its probability: replies sealed from it may be any that their players would have given, as
/// likely as all that is open makes them. People are taken for the players given.
pub(super) fn possible<'a, N: Number>(
    start: &State<'a, N>,
    moves: &[Move<N>],
    viewer: Seat,
    players: &[Built<'a, N>; 3],
) -> Result<Vec<(N, Position<'a, N>)>, Unknown> {
    let sealed = sealed_moves(start, moves, viewer);
    let found = follow(start, moves, &sealed, players, true)?;
    if !found.is_empty() {
        return Ok(found);
    }
    // A person has said what their stand-in never would: then only what is sealed is weighed.
    let found = follow(start, moves, &sealed, players, false)?;
    if found.is_empty() {
        return Err(Unknown::Sealed);
    }
    Ok(found)
}

/// Which moves are sealed from a seat as the debate stands.
fn sealed_moves<N: Number>(start: &State<'_, N>, moves: &[Move<N>], viewer: Seat) -> Vec<bool> {
    let mut log = Log::default();
    let mut state = start.clone();
    let mut ends = Vec::with_capacity(moves.len());
    for made in moves {
        // Moves that were made are legal.
        let _ = state.reply(made.reply.clone(), &mut log);
        ends.push(log.entries().len());
    }
    let mut from = 0;
    let mut sealed = |to: usize| {
        let entries = std::mem::replace(&mut from, to)..to;
        let hidden =
            |entry: usize| matches!(log.seen_by(entry, Some(viewer)), Some(Seen::Sealed { .. }));
        entries.into_iter().any(hidden)
    };
    ends.into_iter().map(&mut sealed).collect()
}

fn follow<'a, N: Number>(
    start: &State<'a, N>,
    moves: &[Move<N>],
    sealed: &[bool],
    players: &[Built<'a, N>; 3],
    weighs: bool,
) -> Result<Vec<(N, Position<'a, N>)>, Unknown> {
    let hides = sealed.iter().any(|sealed| *sealed);
    let mut each = vec![(N::one(), Position::new(start.clone()))];
    for (made, sealed) in moves.iter().zip(sealed) {
        let mut next = Vec::with_capacity(each.len());
        for (chance, mut at) in each {
            let Some(turn) = at.state.request() else {
                continue;
            };
            let choice = match (&turn.request, players.get(turn.seat.index())) {
                (Request::Draw { .. }, _) | (_, None) => None,
                (_, Some(player)) => at.asked(&turn, &**player).ok(),
            };
            if *sealed {
                for (weight, reply) in few(choice)? {
                    let mut at = at.clone();
                    if at.state.reply(reply, &mut ()).is_ok() {
                        next.push((chance.clone() * weight, at));
                    }
                }
                if next.len() > MOST {
                    return Err(Unknown::TooMuchSealed);
                }
                continue;
            }
            let likely = match &turn.request {
                _ if !hides || !weighs => N::one(),
                Request::Draw { draw, .. } => of(&outcomes(draw, None)?, &made.reply),
                _ => of(&few(choice)?, &made.reply),
            };
            if !likely.is_zero() && at.state.reply(made.reply.clone(), &mut ()).is_ok() {
                next.push((chance * likely, at));
            }
        }
        each = next;
    }
    let all = each
        .iter()
        .fold(N::zero(), |sum, (chance, _)| sum + chance.clone());
    let fair = |(chance, at): (N, Position<'a, N>)| (chance / all.clone(), at.taken_up());
    Ok(each.into_iter().map(fair).collect())
}

/// The replies of a choice, where they are few.
fn few<N: Number>(choice: Option<Choice<N>>) -> Result<Vec<(N, Reply<N>)>, Unknown> {
    match choice {
        None => Ok(Vec::new()),
        Some(choice) => {
            let mut each = choice.each().ok_or(Unknown::TooMuchSealed)?;
            each.retain(|(chance, _)| !chance.is_zero());
            Ok(each)
        }
    }
}

/// How likely a reply is among these.
fn of<N: Number>(each: &[(N, Reply<N>)], reply: &Reply<N>) -> N {
    let found = each.iter().filter(|(_, other)| same(other, reply));
    found.fold(N::zero(), |sum, (chance, _)| sum + chance.clone())
}
