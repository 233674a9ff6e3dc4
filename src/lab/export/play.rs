//! What a debate came to, as the JSON document that `play --json` prints.

use serde_json::{Map, Value, json};

use debate_core::number::{Exact, Number as _};
use debate_core::player::Seating;
use debate_core::protocol::words::by_round;
use debate_core::protocol::{
    Ledger, Protocol, Reader, Round, Rules as _, Seal, Seat, VisibleEntry,
};
use debate_core::scenario::Instance;

/// `"init"` or the round's number.
#[must_use]
pub fn round(round: Round) -> Value {
    match round {
        Round::Initial => json!("init"),
        Round::Number(k) => json!(k),
    }
}

#[must_use]
pub fn ledger(ledger: &Ledger) -> Value {
    let seat = |seat: Seat| {
        let spent = ledger.of(seat);
        let fields = json!({
            "oracle_queries": spent.oracle_queries,
            "bits_read": spent.bits_read,
            "configurations_read": spent.configurations_read,
            "samples": spent.samples,
            "calls": spent.calls,
        });
        (seat.name().to_owned(), fields)
    };
    Value::Object(Seat::PLAYERS.map(seat).into_iter().collect::<Map<_, _>>())
}

/// The result of a debate, as a reader may see it. `players` are the names of prover, opponent and
/// judge as the reader may know them. Before the end the truth and a sealed answer are null, and
/// for a reader who does not follow the debate the payoff and its rounds too.
#[must_use]
pub fn document(
    seating: &Seating<'_, Exact>,
    instance: &Instance,
    protocol: &Protocol,
    seed: &str,
    players: [&str; 3],
    reader: Reader,
) -> Value {
    let state = seating.state();
    let finished = state.request().is_none();
    let open = finished || reader == Reader::ALL;
    let follows = open || reader.follows();
    let log = seating.log();
    let sealed = |seen| {
        matches!(
            seen,
            VisibleEntry::Sealed {
                seal: Seal::Answer,
                ..
            }
        )
    };
    let answered = open || follows && !log.all_seen_by(reader).any(sealed);
    let schedule = state.schedule();
    let rounds: Vec<Value> = by_round(&schedule, log)
        .into_iter()
        .zip(&schedule)
        .map(|((of, reward), (_, weight))| {
            json!({
                "round": round(of),
                "weight": weight.to_float(),
                "reward": reward.filter(|_| follows).map(|reward| reward.to_float()),
            })
        })
        .collect();
    json!({
        "seed": seed,
        "instance": instance.name(),
        "protocol": protocol.kind().name(),
        "parameters": protocol.to_string(),
        "players": {"prover": players[0], "opponent": players[1], "judge": players[2]},
        "outcome": if finished { "finished" } else { "unfinished" },
        "payoff": follows.then(|| state.payoff().to_float()),
        "payoff_exact": follows.then(|| state.payoff().to_string()),
        "by_round": rounds,
        "ledger": follows.then(|| ledger(&seating.ledger())),
        "answer": state.answer().filter(|_| answered),
        "truth": instance.truth(instance.root()).filter(|_| open),
    })
}
