//! Debates to save, and support for the tests of records.

mod damage;
mod disk;
mod play;

use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;

use super::chain::{ChainHash, END_CLOSER, EVENT_CLOSER, HEADER_CLOSER, SAVE_HASH_POSITION};
use super::*;
use debate_core::protocol::{Bet, BitString, Protocol, Reply, Request, Rules as _, Seat};
use debate_core::scenario::{Instance, Speech};
use debate_core::{Exact, Number as _, Player, PlayerSpec, SeatedDebate, Seed, StrategyRegistry};
use debate_solver::setup::{LoadedScenario, ScenarioLimits, ScenarioTextSource};

/// One claim that either of two leaves supports, one of which reads a proof bit.
const SMALL: &str = r#"Scenario(
    format: 1, title: "Is it \"so\"?",
    problem: Argument(root: "r", claims: {
        "r": Claim(text: "It is so — é.", supports: [Support(gate: Any, on: ["a", "b"])]),
        "a": Claim(text: "A.", reads: ["bit"], check: All),
        "b": Claim(text: "B.", truth: false),
    }, proof: {"bit": true}),
)"#;

pub(super) const RULES: [&str; 2] = ["ProverEstimator(epsilon: 0.25, rho: \"1/2\")", "Recursive"];

/// A debate about a scenario, with names of players.
pub(super) struct Fixture {
    setup: LoadedScenario,
    instance: Instance,
    pub(super) header: SaveHeader,
}

impl Fixture {
    fn new(scenario: &str, protocol: &str, seed: &str, players: [&str; 3]) -> Self {
        let origin = ScenarioTextSource::Text("test".to_owned());
        let setup =
            LoadedScenario::from_text(scenario, origin, &ScenarioLimits::default()).unwrap();
        let seed = Seed::new(seed).unwrap();
        let instance = setup.instance(setup.world_of_debate(&seed, 0));
        let protocol = Protocol::parse(protocol).unwrap();
        let players = players.map(str::to_owned);
        let header = SaveHeader::new(&setup, protocol, seed, &instance, players);
        Self {
            setup,
            instance,
            header,
        }
    }

    pub(super) fn small(protocol: &str) -> Self {
        Self::new(SMALL, protocol, "7", ["human"; 3])
    }

    fn players(&self) -> [Player<'_, Exact>; 3] {
        Seat::PLAYERS.map(|seat| {
            if self.header.has_outside_player(seat) {
                return Player::Outside;
            }
            let spec = PlayerSpec::parse(self.header.player_name(seat).unwrap()).unwrap();
            let built = StrategyRegistry::registry_with_builtin_players().build(
                &spec,
                seat,
                &self.instance,
                &self.header.protocol,
            );
            Player::Builtin(built.unwrap())
        })
    }

    fn seating(&self) -> SeatedDebate<'_, Exact> {
        let start = self.header.protocol.start(&self.instance).unwrap();
        SeatedDebate::new(start, self.players(), &self.header.seed, self.header.debate)
    }

    /// Returns a seating after at most `most` moves. People reply at random.
    pub(super) fn played(&self, entropy: &mut ChaCha8Rng, most: usize) -> SeatedDebate<'_, Exact> {
        let mut seating = self.seating();
        while seating.moves().len() < most && step(&mut seating, entropy) {}
        seating
    }

    pub(super) fn save(&self, seating: &SeatedDebate<'_, Exact>) -> String {
        let piece = whole_save_text(&self.header, seating).unwrap();
        assert_eq!(piece.sidecars, []);
        piece.text
    }
}

pub(super) fn entropy(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// Makes the next move; people reply at random. Returns false if the debate is over.
fn step(seating: &mut SeatedDebate<'_, Exact>, entropy: &mut ChaCha8Rng) -> bool {
    let Some(turn) = seating.turn() else {
        return false;
    };
    if seating.awaited_seat_of_user_or_driving_program().is_none() {
        seating.make_automatic_move().unwrap();
        return true;
    }
    // Bits that must support a claim are found by trial.
    (0..10_000).any(|_| seating.reply(guess(&turn.request, entropy)).is_ok())
}

fn guess(request: &Request<Exact>, entropy: &mut ChaCha8Rng) -> Reply<Exact> {
    let fraction = |entropy: &mut ChaCha8Rng| {
        let parts = entropy.random_range(1..50_i64);
        Exact::ratio(entropy.random_range(0..=parts), parts)
    };
    match request {
        Request::Answer { .. } => Reply::Answer(entropy.random()),
        Request::Probability { .. } | Request::Share { .. } => {
            Reply::Probability(fraction(entropy))
        }
        Request::Direction { .. } => Reply::Direction(Bet::ALL[entropy.random_range(0..3_usize)]),
        Request::Support { offered, .. } => Reply::Support(entropy.random_range(0..*offered)),
        Request::Select { count, .. } => Reply::Select(entropy.random_range(0..*count)),
        Request::Challenge { steps, .. } => {
            let step = entropy.random_range(steps.clone());
            Reply::Challenge(entropy.random::<bool>().then_some(step))
        }
        Request::Bits { length, .. } => {
            let bits: Vec<bool> = (0..*length).map(|_| entropy.random()).collect();
            Reply::Bits(BitString::from(bits))
        }
        Request::Speech { .. } => {
            let words = ["", "So it is."][entropy.random_range(0..2_usize)];
            Reply::Speech(Box::new(Speech::from_own_words(words)))
        }
        Request::Continue { round } => Reply::Continue(*round < 4 && entropy.random()),
        Request::Oracle { .. } => Reply::Oracle {
            holds: entropy.random(),
            confidence: entropy.random::<bool>().then(|| fraction(entropy)),
        },
        Request::Draw { .. } => unreachable!("chance is never outside"),
    }
}

/// Returns the positions after `start` at which a text is cut: every `stride`-th one, and those beside a line end.
fn cuts(text: &str, start: usize, stride: usize) -> impl Iterator<Item = usize> {
    let bytes = text.as_bytes();
    (start..bytes.len()).filter(move |&at| {
        let is_at_end = bytes[at] == b'\n' || at > 0 && bytes[at - 1] == b'\n';
        at % stride == 0 || is_at_end
    })
}

/// Returns the save with a new hash chain, as a careful forger would write it.
fn forged(text: &str) -> String {
    let mut out = String::new();
    let mut link = None;
    let mut head = String::new();
    for row in text.lines() {
        let opened = [HEADER_CLOSER, EVENT_CLOSER, END_CLOSER]
            .into_iter()
            .find_map(|closer| Some((SAVE_HASH_POSITION.split(row.as_bytes(), closer)?.0, closer)));
        let Some((body, closer)) = opened else {
            for text in [&mut out, &mut head] {
                text.push_str(row);
                text.push('\n');
            }
            continue;
        };
        let body = std::str::from_utf8(body).unwrap();
        let next = match link {
            None => ChainHash::hash_without_previous_line(format!("{head}{body}").as_bytes()),
            Some(link) => ChainHash::hash_of_next_line(link, body.as_bytes()),
        };
        link = Some(next);
        out.push_str(&SAVE_HASH_POSITION.line_closed_with_hash(body, next, closer));
    }
    out
}

fn verdict(text: &str) -> SaveVerificationResult {
    verify_save_bytes(text.as_bytes(), &ScenarioLimits::default()).unwrap()
}
