//! A debate with any number of events: each claim depends on the next one and on a thousand others.

use std::sync::Arc;

use debate_core::gate::Gate;
use debate_core::number::{Exact, Number};
use debate_core::player::Move;
use debate_core::protocol::{Bet, Log, Protocol, Reply, Request, Rules, SeatResourceCosts};
use debate_core::scenario::{
    ArgumentProblem, ArgumentProblemSpec, ClaimSpec, Instance, Oracle, ScenarioValuePath,
    SupportSpec,
};

/// Number of subclaims of a claim: the next claim, and leaves that all claims share.
pub const WIDTH: u32 = 1024;

/// An instance in which a debate makes about 2,050 events for each level.
pub fn instance(levels: usize) -> Instance {
    let leaf = |number: u32| format!("leaf {number}");
    let claim = |level: usize| format!("claim {level}");
    let mut claims = Vec::new();
    for level in 0..levels {
        let mut on: Vec<String> = (1..WIDTH).map(leaf).collect();
        on.push(claim(level + 1));
        let support = SupportSpec {
            label: None,
            gate: Gate::All,
            on,
            sound: true,
        };
        let spec = ClaimSpec {
            text: format!("All is well from level {level} on"),
            supports: vec![support],
            ..ClaimSpec::default()
        };
        claims.push((claim(level), spec));
    }
    let leaves = (1..WIDTH).map(leaf).chain([claim(levels)]);
    claims.extend(leaves.map(|id| {
        let spec = ClaimSpec {
            text: format!("The {id} is sound"),
            truth: Some(true),
            ..ClaimSpec::default()
        };
        (id, spec)
    }));
    let spec = ArgumentProblemSpec {
        open: None,
        root: claim(0),
        claims,
        proof: Vec::new(),
        worlds: Vec::new(),
    };
    let argument =
        ArgumentProblem::build(spec, &ScenarioValuePath::path_of_top_level_field("problem"))
            .expect("a sound argument");
    Instance::new(Arc::new(argument), 0, Oracle::Truth)
}

/// The rules of the debate.
pub fn protocol() -> Protocol {
    Protocol::parse("ProverEstimator(epsilon: 0.1, rho: \"1/2\")").expect("rules")
}

/// The moves of a debate in which all players are certain, and continue with the last subclaim.
pub fn moves(instance: &Instance, protocol: &Protocol) -> (Vec<Move<Exact>>, usize) {
    let mut state = protocol.start::<Exact>(instance).expect("a debate");
    let mut log = Log::default();
    let mut moves = Vec::new();
    while let Some(turn) = state.request() {
        let reply = match turn.request {
            Request::Answer { .. } => Reply::Answer(true),
            Request::Probability { .. } | Request::Share { .. } => {
                Reply::Probability(Exact::ratio(1, 1))
            }
            Request::Direction { .. } => Reply::Direction(Bet::AboutRight),
            Request::Support { .. } => Reply::Support(0),
            Request::Select { count, .. } => Reply::Select(count - 1),
            Request::Oracle { .. } => Reply::Oracle {
                holds: true,
                confidence: None,
            },
            Request::Draw { .. } => Reply::Drawn(1),
            Request::Challenge { .. }
            | Request::Bits { .. }
            | Request::Speech { .. }
            | Request::Continue { .. } => unreachable!("not in this debate"),
        };
        state.reply(reply.clone(), &mut log).expect("legal");
        moves.push(Move {
            seat: turn.seat,
            reply,
            coin: None,
            spent: SeatResourceCosts::default(),
        });
    }
    (moves, log.entries().len())
}
