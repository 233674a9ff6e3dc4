mod repeated;
mod vectors;

use std::collections::HashMap;

use debate_core::chance::binomial_distribution;
use debate_core::number::{Exact, Number as _, parse};
use debate_core::player::stochastic::{
    HALVES, StochasticChallenger, StochasticDebatePolicy as _, StochasticDebatePolicyAdapter,
    StochasticProver, StochasticView,
};
use debate_core::player::{
    OracleJudge, PlayerSpec, Policy, ReplyDistribution, StrategyMemoryAndCosts, StrategyRegistry,
};
use debate_core::protocol::stochastic::StochasticProtocolParameters;
use debate_core::protocol::stochastic::constants::{RequiredSamplesAndTests, SampleMeanTest};
use debate_core::protocol::{
    ChanceDraw, Protocol, Reply, Request, Rules, Seat, StochasticDebate, View,
};
use debate_core::scenario::{InformedReader, Instance, PlanProblemStepSpec, ProgramStepActionSpec};
use num_traits::{One as _, Zero as _};

use crate::support::random_computations;

type Debate<'a> = StochasticDebate<'a, Exact>;

/// A policy in which halves of coins add up to the middle of each of n equal parts. All other replies are those of the
/// inner policy.
struct Coarse<P>(P, u64);

impl<'a, P: Policy<Exact, Debate<'a>>> Policy<Exact, Debate<'a>> for Coarse<P> {
    fn choose(
        &self,
        view: StochasticView<'_, 'a, Exact>,
        request: &Request<Exact>,
        policy_state: &mut StrategyMemoryAndCosts,
    ) -> Option<ReplyDistribution<Exact>> {
        let Request::Share { .. } = request else {
            return self.0.choose(view, request, policy_state);
        };
        let parts = self.1;
        Some(match view.viewing_seat() {
            // Any fixed number has the same effect.
            Seat::Opponent => ReplyDistribution::Certain(Reply::Probability(Exact::ratio(3, 4))),
            _ => ReplyDistribution::uniform_computed(parts, move |place| {
                let middle = Exact::new((2 * place + 1).into(), (2 * parts).into());
                let quarter = Exact::ratio(1, 4);
                let kept = middle + quarter;
                Reply::Probability(if kept >= Exact::one() {
                    kept - Exact::one()
                } else {
                    kept
                })
            }),
        })
    }
}

/// Gives the same probability at every step.
struct Always(Exact);

impl<'a> Policy<Exact, Debate<'a>> for Always {
    fn choose(
        &self,
        _view: StochasticView<'_, 'a, Exact>,
        _request: &Request<Exact>,
        _policy_state: &mut StrategyMemoryAndCosts,
    ) -> Option<ReplyDistribution<Exact>> {
        Some(ReplyDistribution::Certain(Reply::Probability(
            self.0.clone(),
        )))
    }
}

/// Objects to the last step if its bit is 1, which only the paper's rules allow.
struct LastIfOne;

impl<'a> Policy<Exact, Debate<'a>> for LastIfOne {
    fn choose(
        &self,
        view: StochasticView<'_, 'a, Exact>,
        _request: &Request<Exact>,
        _policy_state: &mut StrategyMemoryAndCosts,
    ) -> Option<ReplyDistribution<Exact>> {
        let last = view.step_number() + 1 == view.process().steps();
        let objects = last && view.written_step_bit() == Some(true);
        Some(ReplyDistribution::Certain(Reply::Challenge(
            objects.then(|| view.step_number()),
        )))
    }
}

/// Alice's probability of winning, and the expected number of oracle queries of each player.
#[derive(Clone, Debug, PartialEq)]
struct Value {
    accept: Exact,
    asked: [Exact; 3],
}

impl Value {
    fn add(&mut self, chance: &Exact, other: &Self) {
        self.accept += chance * &other.accept;
        for (sum, more) in self.asked.iter_mut().zip(&other.asked) {
            *sum += chance * more;
        }
    }
}

struct Players<'p, 'a> {
    prover: &'p dyn Policy<Exact, Debate<'a>>,
    opponent: &'p dyn Policy<Exact, Debate<'a>>,
    judge: OracleJudge<'a>,
}

/// Walks every reply and every outcome of chance. Players without state play the same after the same bits.
fn walk<'a>(
    debate: &Debate<'a>,
    players: &Players<'_, 'a>,
    known: &mut HashMap<Vec<bool>, Value>,
) -> Value {
    let mut value = Value {
        accept: Exact::zero(),
        asked: Default::default(),
    };
    let Some(turn) = debate.request() else {
        value.accept = Exact::indicator(debate.payoff() > Exact::zero());
        return value;
    };
    let view = View::new(debate, turn.seat);
    let begins = matches!(turn.request, Request::Probability { .. });
    if let Some(value) = known.get(view.bits_before_step()).filter(|_| begins) {
        return value.clone();
    }
    let mut policy_state = StrategyMemoryAndCosts::default();
    let replies = match (&turn.request, turn.seat) {
        (
            Request::Draw {
                draw: ChanceDraw::Bernoulli(p),
                ..
            },
            _,
        ) => vec![
            (p.clone(), Reply::Drawn(1)),
            (Exact::one() - p, Reply::Drawn(0)),
        ],
        (
            Request::Draw {
                draw: ChanceDraw::Binomial { count, p },
                ..
            },
            _,
        ) => {
            let law = binomial_distribution(u32::try_from(*count).unwrap(), p);
            law.into_iter().zip((0..).map(Reply::Drawn)).collect()
        }
        (request, Seat::Prover) => players
            .prover
            .choose(view, request, &mut policy_state)
            .unwrap()
            .weighted_replies()
            .unwrap(),
        (request, Seat::Opponent) => players
            .opponent
            .choose(view, request, &mut policy_state)
            .unwrap()
            .weighted_replies()
            .unwrap(),
        (request, _) => players
            .judge
            .choose(view, request, &mut policy_state)
            .unwrap()
            .weighted_replies()
            .unwrap(),
    };
    let asked = |debate: &Debate<'_>| debate.ledger().spending_of_seat(Seat::Judge).oracle_queries;
    for (chance, reply) in replies.into_iter().filter(|(chance, _)| !chance.is_zero()) {
        let mut next = debate.clone();
        next.reply(reply, &mut ()).unwrap();
        let mut after = walk(&next, players, known);
        after.asked[2] += Exact::from_integer((asked(&next) - asked(debate)).into());
        value.add(&chance, &after);
    }
    let own = Exact::from_integer(policy_state.spent.oracle_queries.into());
    value.asked[turn.seat.seat_index() % 3] += own;
    if begins {
        known.insert(view.bits_before_step().to_vec(), value.clone());
    }
    value
}

fn value<'a>(
    debate: &Debate<'a>,
    instance: &'a Instance,
    prover: &dyn Policy<Exact, Debate<'a>>,
    opponent: &dyn Policy<Exact, Debate<'a>>,
) -> Value {
    let judge = OracleJudge::new(InformedReader::new(instance));
    let players = Players {
        prover,
        opponent,
        judge,
    };
    walk(debate, &players, &mut HashMap::new())
}

fn started<'a>(instance: &'a Instance, protocol: &str) -> Debate<'a> {
    StochasticDebate::new(instance, &parameters(protocol)).unwrap()
}

fn parameters(protocol: &str) -> StochasticProtocolParameters {
    match Protocol::parse(protocol).unwrap() {
        Protocol::Stochastic(parameters) => parameters,
        other => panic!("{other}"),
    }
}

fn exact(text: &str) -> Exact {
    parse(text).unwrap_or_else(|_| {
        // Longer than a scenario file allows.
        let (numerator, denominator) = text.split_once('/').unwrap();
        Exact::new(numerator.parse().unwrap(), denominator.parse().unwrap())
    })
}

/// Constants with twelve samples for every player.
const TWELVE: &str = "Stochastic(k: 1, constants: \
    Custom(c: \"1/4\", s: \"3/4\", b: \"5/4\", q: \"1/2\", v: \"1/2\"))";

const ONE: &[(&str, &str)] = &[("", "2/3")];
const TWO: &[(&str, &str)] = &[("", "1/2"), ("0", "1/4"), ("1", "3/4")];
const THREE: &[(&str, &str)] = &[
    ("", "1/3"),
    ("0", "1"),
    ("1", "1/2"),
    ("00", "1/5"),
    ("01", "4/5"),
    ("10", "0"),
    ("11", "2/3"),
];

/// Values computed independently, for the formal rules.
#[test]
fn every_outcome_together_gives_the_exact_acceptance() {
    let one = random_computations::random(1, ONE);
    let found = value(
        &started(&one, TWELVE),
        &one,
        &StochasticDebatePolicyAdapter(StochasticProver::Honest),
        &StochasticDebatePolicyAdapter(StochasticChallenger::Honest),
    );
    assert_eq!(found.accept, exact("33354363318592786/50031545098999707"));
    let twelve = Exact::ratio(12, 1);
    let asked = [twelve.clone(), twelve, exact("32768/94143178827")];
    assert_eq!(found.asked, asked);

    let two = random_computations::random(2, TWO);
    let found = value(
        &started(&two, TWELVE),
        &two,
        &StochasticDebatePolicyAdapter(StochasticProver::Honest),
        &StochasticDebatePolicyAdapter(StochasticChallenger::Silent),
    );
    assert_eq!(found.accept, Exact::ratio(1, 2));
    assert_eq!(
        found.asked,
        [Exact::ratio(24, 1), Exact::zero(), Exact::zero()]
    );

    let three = random_computations::random(3, THREE);
    let found = value(
        &started(&three, TWELVE),
        &three,
        &StochasticDebatePolicyAdapter(StochasticProver::Honest),
        &StochasticDebatePolicyAdapter(StochasticChallenger::Honest),
    );
    assert_eq!(
        found.accept,
        exact(
            "2276562197739159489566002166498024755994983155540652670586737969/\
             3532596522934683626191202766750000000000000000000000000000000000"
        )
    );
    assert_eq!(
        found.asked[0],
        exact("7107571775900297141/197432555763400704")
    );
    assert_eq!(found.asked[1], found.asked[0]);
    assert_eq!(
        found.asked[2],
        exact(
            "2949421517682318457171188248763335381963/3323601794869687910973375000000000000000000000"
        )
    );
    let half = Always(Exact::ratio(1, 2));
    let found = value(
        &started(&three, TWELVE),
        &three,
        &half,
        &StochasticDebatePolicyAdapter(StochasticChallenger::Honest),
    );
    assert_eq!(found.accept, Exact::ratio(1, 2));
    assert_eq!(found.asked[1], Exact::ratio(36, 1));
}

fn paper(instance: &Instance) -> Debate<'_> {
    let test = |samples, limit| SampleMeanTest { samples, limit };
    let terms = RequiredSamplesAndTests {
        alice: 5,
        bob: test(6, Exact::ratio(1, 2)),
        verifier: test(4, Exact::ratio(1, 4)),
    };
    StochasticDebate::start_with_sample_counts(
        instance,
        instance.random_computation().unwrap(),
        &terms,
    )
    .with_coins_from_both_debaters()
}

/// Values computed independently, for the rules of the figure.
#[test]
fn shared_coins_give_the_exact_acceptance() {
    let two = random_computations::random(2, TWO);
    let prover = Coarse(StochasticDebatePolicyAdapter(StochasticProver::Honest), 5);
    let found = value(
        &paper(&two),
        &two,
        &prover,
        &Coarse(
            StochasticDebatePolicyAdapter(StochasticChallenger::Honest),
            5,
        ),
    );
    assert_eq!(found.accept, exact("127381902499/274877906944"));
    let found = value(&paper(&two), &two, &prover, &Coarse(LastIfOne, 5));
    assert_eq!(found.accept, exact("18263/65536"));
}

/// Alice's probabilities for a step, each with its own probability. Arguments: the step's true probability, and true if
/// the oracle is asked.
type Says<'s> = &'s dyn Fn(&Exact, bool) -> Vec<(Exact, Exact)>;

/// Probability that Bob objects, from the stated and the true probability.
type Objects<'o> = &'o dyn Fn(&Exact, &Exact) -> Exact;

/// The rules implemented separately, as a recursion over prefixes.
fn recursion(
    process: &dyn debate_core::scenario::RandomComputation,
    terms: &RequiredSamplesAndTests<Exact>,
    history: &mut Vec<bool>,
    says: Says<'_>,
    objects: Objects<'_>,
) -> Exact {
    if history.len() as u64 == process.steps() {
        return Exact::indicator(history.last() == Some(&true));
    }
    let p = process.next(history).exact().clone();
    let asks = process.is_oracle(history.len() as u64);
    let mut after = [Exact::zero(), Exact::zero()];
    for bit in [false, true] {
        history.push(bit);
        after[usize::from(bit)] = recursion(process, terms, history, says, objects);
        history.pop();
    }
    let mut sum = Exact::zero();
    for (chance, said) in says(&p, asks) {
        let near = |ones: i64, count: i64| {
            let off = Exact::ratio(ones, count) - &said;
            off < terms.verifier.limit && -off < terms.verifier.limit
        };
        let count = i64::try_from(terms.verifier.samples).unwrap();
        let law = binomial_distribution(u32::try_from(count).unwrap(), &p);
        let passes: Exact = (0..)
            .zip(law)
            .filter(|(ones, _)| near(*ones, count))
            .map(|(_, w)| w)
            .sum();
        let objection = objects(&said, &p);
        let continues = &said * &after[1] + (Exact::one() - &said) * &after[0];
        sum += chance * (&objection * passes + (Exact::one() - &objection) * continues);
    }
    sum
}

/// A computed step has no cost and is checked with certainty; the votes of a panel are samples.
#[test]
fn computed_steps_and_panels_follow_the_same_recursion() {
    let mixed = random_computations::asked_and_computed();
    let protocol = "Stochastic(k: 1, constants: Panel(size: 3, threshold: \"1/2\"))";
    let process = mixed.random_computation().unwrap();
    let terms =
        RequiredSamplesAndTests::sample_counts_and_tests_of_parameters(&parameters(protocol), 4)
            .unwrap();
    let sure = |p: &Exact, _asks: bool| vec![(Exact::one(), p.clone())];
    let mean = |p: &Exact, asks: bool| {
        if !asks {
            return vec![(Exact::one(), p.clone())];
        }
        let law = binomial_distribution(3, p).into_iter();
        law.zip((0..).map(|ones| Exact::ratio(ones, 3))).collect()
    };
    let by_test = |said: &Exact, p: &Exact| terms.bob.failure_probability(said, p);
    let never = |_: &Exact, _: &Exact| Exact::zero();
    let right = |said: &Exact, p: &Exact| {
        let off = said - p;
        let limit = &terms.verifier.limit;
        Exact::indicator(off < *limit && -off < *limit)
    };
    let provers: [(StochasticProver, Says<'_>); 2] = [
        (StochasticProver::Honest, &mean),
        (StochasticProver::Exact, &sure),
    ];
    let opponents: [(StochasticChallenger, Objects<'_>); 3] = [
        (StochasticChallenger::Honest, &by_test),
        (StochasticChallenger::Silent, &never),
        (StochasticChallenger::FalseAlarm, &right),
    ];
    for (prover, says) in provers {
        for (opponent, objects) in &opponents {
            let expected = recursion(process.as_ref(), &terms, &mut Vec::new(), says, objects);
            let (prover, opponent) = (
                &StochasticDebatePolicyAdapter(prover.clone()),
                &StochasticDebatePolicyAdapter(opponent.clone()),
            );
            let found = value(&started(&mixed, protocol), &mixed, prover, opponent);
            assert_eq!(found.accept, expected, "{prover:?} against {opponent:?}");
            // The formal rules with the same numbers draw the votes at once.
            let drawn = StochasticDebate::start_with_sample_counts(&mixed, process.clone(), &terms);
            assert_eq!(value(&drawn, &mixed, prover, opponent), found);
        }
    }
    let honest = value(
        &started(&mixed, protocol),
        &mixed,
        &StochasticDebatePolicyAdapter(StochasticProver::Honest),
        &StochasticDebatePolicyAdapter(StochasticChallenger::Silent),
    );
    assert_eq!(honest.accept, process.accepts().unwrap());
    assert_eq!(
        honest.asked[0],
        Exact::ratio(9, 1),
        "three samples of three steps"
    );
}

/// A lie at a computed step is caught by every check, and one at an asked step almost always.
#[test]
fn liars_are_caught() {
    let mixed = random_computations::asked_and_computed();
    let debate = started(
        &mixed,
        "Stochastic(k: 1, constants: Custom(c: 0.1, s: 0.4, b: 0.6, q: 0.001, v: 0.001))",
    );
    let accepts = mixed.random_computation().unwrap().accepts().unwrap();
    let against = |prover: StochasticProver, opponent: StochasticChallenger| {
        let (prover, opponent) = (
            StochasticDebatePolicyAdapter(prover),
            StochasticDebatePolicyAdapter(opponent),
        );
        value(&debate, &mixed, &prover, &opponent).accept
    };
    let last = mixed.random_computation().unwrap().steps() - 1;
    assert_eq!(
        against(StochasticProver::Liar(last), StochasticChallenger::Silent),
        Exact::one()
    );
    let nearly = |found: Exact, wanted: &Exact| {
        let off = (found - wanted).to_float().abs();
        assert!(off < 0.01, "{off}");
    };
    nearly(
        against(StochasticProver::Liar(last), StochasticChallenger::Honest),
        &accepts,
    );
    // The third answer is yes with probability 0.3, so the claim of certainty is wrong by 0.7. If the first two answers
    // agree (0.7 · 0.4 that both are yes), it does not matter, and Alice states the truth.
    let agreed = Exact::ratio(28, 100);
    nearly(
        against(StochasticProver::Liar(2), StochasticChallenger::Honest),
        &agreed,
    );
    assert!(against(StochasticProver::Liar(2), StochasticChallenger::Silent) > accepts);
    let drifting = StochasticProver::Drifting(Exact::ratio(1, 20).into());
    let drift = against(drifting, StochasticChallenger::Honest);
    assert!(drift > accepts && drift < accepts + Exact::ratio(3, 20));
}

/// Without a number, the liar lies at the most profitable step that asks the oracle. A lie about a computed step is
/// always detected.
#[test]
fn a_liar_lies_at_the_most_profitable_step() {
    let parameters = parameters("Stochastic(k: 1, constants: Panel(size: 9, threshold: 0.4))");
    let protocol = Protocol::Stochastic(parameters.clone());
    for instance in [
        random_computations::asked_and_computed(),
        random_computations::random(3, THREE),
    ] {
        let process = instance.random_computation().unwrap();
        let debate = StochasticDebate::new(&instance, &parameters).unwrap();
        let gain = |step: u64| {
            let liar = StochasticDebatePolicyAdapter(StochasticProver::Liar(step));
            let honest = StochasticDebatePolicyAdapter(StochasticChallenger::Honest);
            value(&debate, &instance, &liar, &honest).accept.to_float()
        };
        let asked: Vec<u64> = (0..process.steps())
            .filter(|step| process.is_oracle(*step))
            .collect();
        let said = said_of_all(&instance, &protocol, "liar");
        let (mut most, mut chosen) = (0.0, Vec::new());
        for step in asked {
            let gain = gain(step);
            most = f64::max(most, gain);
            if said_of_all(&instance, &protocol, &format!("liar({step})")) == said {
                chosen.push(gain);
            }
        }
        let [gain] = chosen[..] else {
            panic!("it lies at one step, not at {}", chosen.len());
        };
        assert!(gain > most - 1e-12, "{gain} of {most}");
    }
}

/// The probabilities that a built-in prover states after every history.
fn said_of_all(instance: &Instance, protocol: &Protocol, name: &str) -> Vec<Reply<Exact>> {
    let spec = PlayerSpec::parse(name).unwrap();
    let registry = StrategyRegistry::registry_with_builtin_players();
    let prover = registry
        .build(&spec, Seat::Prover, instance, protocol)
        .unwrap();
    let mut said = Vec::new();
    let mut open = vec![protocol.start::<Exact>(instance).unwrap()];
    while let Some(debate) = open.pop() {
        let Some(turn) = debate.request() else {
            continue;
        };
        let replies = match turn.request {
            Request::Challenge { .. } => vec![Reply::Challenge(None)],
            Request::Draw {
                draw: ChanceDraw::Bernoulli(p),
                ..
            } => {
                let possible = [(0, !p.is_one()), (1, !p.is_zero())];
                let possible = possible.iter().filter(|(_, possible)| *possible);
                possible.map(|(bit, _)| Reply::Drawn(*bit)).collect()
            }
            request => {
                let view = View::new(&debate, Seat::Prover);
                let choice = prover.choose(view, &request, &mut StrategyMemoryAndCosts::default());
                let reply = choice.unwrap().reply_for_draw(|| 0);
                said.push(reply.clone());
                vec![reply]
            }
        };
        for reply in replies {
            let mut next = debate.clone();
            next.reply(reply, &mut ()).unwrap();
            open.push(next);
        }
    }
    said
}

/// If every step of a plan depends on all earlier bits, there are 2¹³ histories.
#[test]
fn a_liar_on_a_long_plan_needs_a_named_step() {
    let step = |number: usize| PlanProblemStepSpec {
        id: format!("s{number}"),
        text: None,
        action: ProgramStepActionSpec::Ask {
            question: format!("s{number}?"),
            judged_true: [0, number]
                .iter()
                .take(number + 1)
                .map(|length| {
                    (
                        "1".repeat(*length),
                        Exact::ratio(1, 2 + i64::from(*length > 0)),
                    )
                })
                .collect(),
            evidence: None,
            truth: None,
        },
    };
    let instance = random_computations::plan((0..14).map(step).collect());
    let protocol = Protocol::parse("Stochastic(k: 1)").unwrap();
    let build = |spec: &str| {
        let spec = PlayerSpec::parse(spec).unwrap();
        let registry = StrategyRegistry::<f64>::registry_with_builtin_players();
        registry
            .build(&spec, Seat::Prover, &instance, &protocol)
            .map(|_| ())
    };
    let refused = build("liar").unwrap_err().to_string();
    assert!(refused.contains("name a step, as in liar(13)"), "{refused}");
    build("liar(13)").unwrap();
}

#[test]
fn halves_of_coins_add_up_to_the_middles_of_their_parts() {
    let half = |place: u64| {
        let share: ReplyDistribution<Exact> = StochasticChallenger::Honest.share().unwrap();
        share.reply_for_draw(|| place << (53 - HALVES.ilog2()))
    };
    let (Reply::Probability(first), Reply::Probability(last)) = (half(0), half(HALVES - 1)) else {
        panic!("no probabilities");
    };
    let part = Exact::new(1.into(), HALVES.into());
    assert_eq!(&first + &first, &part / Exact::ratio(2, 1));
    assert_eq!(&first + &last, Exact::one() - &part / Exact::ratio(2, 1));
}
