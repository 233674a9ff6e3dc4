//! Exact values that were computed elsewhere; skipped without their folder.

use std::collections::HashMap;

use debate_core::chance::binomial_distribution;
use debate_core::number::{Exact, Number as _};
use debate_core::player::stochastic::{
    StochasticChallenger, StochasticDebatePolicyAdapter, StochasticProver, StochasticView,
};
use debate_core::player::{Policy, ReplyDistribution, StrategyMemoryAndCosts};
use debate_core::protocol::stochastic::constants::{RequiredSamplesAndTests, SampleMeanTest};
use debate_core::protocol::{ChanceDraw, Reply, Request, Rules as _, Seat, StochasticDebate, View};
use debate_core::scenario::lipschitz_bounds;
use num_traits::{One as _, Zero};
use serde_json::Value as Json;

use super::{Coarse, Debate, LastIfOne, exact, started, value};
use crate::support::vectors::whole;
use crate::support::{random_computations, vectors};

fn number(value: &Json) -> Exact {
    exact(value.as_str().expect("a fraction"))
}

/// Gives the probability that a table has for the bits so far.
struct Tabled(HashMap<String, Exact>);

impl<'a> Policy<Exact, Debate<'a>> for Tabled {
    fn choose(
        &self,
        view: StochasticView<'_, 'a, Exact>,
        _request: &Request<Exact>,
        _policy_state: &mut StrategyMemoryAndCosts,
    ) -> Option<ReplyDistribution<Exact>> {
        let digit = |bit: &bool| if *bit { '1' } else { '0' };
        let bits: String = view.bits_before_step().iter().map(digit).collect();
        Some(ReplyDistribution::Certain(Reply::Probability(
            self.0[&bits].clone(),
        )))
    }
}

/// Accepts every number with the same probability.
struct Accepting(Exact);

impl<'a> Policy<Exact, Debate<'a>> for Accepting {
    fn choose(
        &self,
        view: StochasticView<'_, 'a, Exact>,
        _request: &Request<Exact>,
        _policy_state: &mut StrategyMemoryAndCosts,
    ) -> Option<ReplyDistribution<Exact>> {
        Some(ReplyDistribution::Weighted(vec![
            (self.0.clone(), Reply::Challenge(None)),
            (
                Exact::one() - &self.0,
                Reply::Challenge(Some(view.step_number())),
            ),
        ]))
    }
}

fn prover<'a>(written: &Json) -> Box<dyn Policy<Exact, Debate<'a>>> {
    match written["kind"].as_str().unwrap() {
        "honest" => Box::new(StochasticDebatePolicyAdapter(StochasticProver::Honest)),
        "exact" => Box::new(StochasticDebatePolicyAdapter(StochasticProver::Exact)),
        "table" => {
            let table = written["p"].as_object().unwrap().iter();
            Box::new(Tabled(table.map(|(h, p)| (h.clone(), number(p))).collect()))
        }
        other => panic!("no prover {other}"),
    }
}

fn opponent<'a>(written: &Json) -> Box<dyn Policy<Exact, Debate<'a>>> {
    match written["kind"].as_str().unwrap() {
        "honest" => Box::new(StochasticDebatePolicyAdapter(StochasticChallenger::Honest)),
        "accept" => Box::new(Accepting(number(&written["p"]))),
        other => panic!("no opponent {other}"),
    }
}

/// The probability that Alice wins against the opponent with the best objections.
fn least<'a>(debate: &Debate<'a>, prover: &dyn Policy<Exact, Debate<'a>>) -> Exact {
    let Some(turn) = debate.request() else {
        return Exact::indicator(debate.payoff() > Exact::zero());
    };
    let after = |reply: Reply<Exact>| {
        let mut next = debate.clone();
        next.reply(reply, &mut ()).unwrap();
        least(&next, prover)
    };
    let law: Vec<(Exact, Reply<Exact>)> = match &turn.request {
        Request::Challenge { steps, .. } => {
            let is_current = after(Reply::Challenge(None));
            return is_current.min(after(Reply::Challenge(Some(steps.start))));
        }
        Request::Draw {
            draw: ChanceDraw::Bernoulli(p),
            ..
        } => vec![
            (p.clone(), Reply::Drawn(1)),
            (Exact::one() - p, Reply::Drawn(0)),
        ],
        Request::Draw {
            draw: ChanceDraw::Binomial { count, p },
            ..
        } => {
            let law = binomial_distribution(u32::try_from(*count).unwrap(), p);
            law.into_iter().zip((0..).map(Reply::Drawn)).collect()
        }
        request => {
            let view = View::new(debate, turn.seat);
            let choice = prover.choose(view, request, &mut StrategyMemoryAndCosts::default());
            choice.unwrap().weighted_replies().unwrap()
        }
    };
    let possible = law.into_iter().filter(|(chance, _)| !chance.is_zero());
    possible.map(|(chance, reply)| chance * after(reply)).sum()
}

#[test]
fn the_formal_rules_agree_with_the_exact_values() {
    for vector in vectors::of("stochastic_lean") {
        let (input, expect, id) = (&vector["input"], &vector["expect"], &vector["id"]);
        let instance = random_computations::recorded(whole(&input["t"]) + 1, &input["oracle"]);
        let given = &input["params"];
        let text = |name: &str| format!("{name}: \"{}\"", given[name].as_str().unwrap());
        let constants = ["c", "s", "b", "q", "v"].map(text).join(", ");
        let protocol = format!("Stochastic(k: 1, constants: Custom({constants}))");
        let debate = started(&instance, &protocol);
        let terms = View::new(&debate, Seat::Judge).terms();
        let drawn = [terms.alice, terms.bob.samples, terms.verifier.samples];
        let samples = ["alice", "bob", "vera"].map(|who| whole(&expect["samples"][who]));
        assert_eq!(drawn, samples, "{id}");
        let process = instance.random_computation().unwrap();
        assert_eq!(process.accepts(), Some(number(&expect["final"])), "{id}");

        let found = value(
            &debate,
            &instance,
            &*prover(&input["alice"]),
            &*opponent(&input["bob"]),
        );
        assert_eq!(found.accept, number(&expect["accept"]), "{id}");
        let cost = ["alice", "bob", "vera"].map(|who| number(&expect["cost"][who]));
        assert_eq!(found.asked, cost, "{id}");
        if expect["worst_bob"].is_string() && process.steps() <= 2 {
            let worst = least(
                &debate,
                &StochasticDebatePolicyAdapter(StochasticProver::Honest),
            );
            assert_eq!(worst, number(&expect["worst_bob"]), "{id}");
        }
        if expect["lipschitz_low"].is_string() {
            let found = lipschitz_bounds(&*process);
            // Two brackets of the same K overlap.
            assert!(found.low <= number(&expect["lipschitz_high"]), "{id}");
            assert!(number(&expect["lipschitz_low"]) <= found.high, "{id}");
        }
    }
}

#[test]
fn the_rules_of_the_figure_agree_with_the_exact_values() {
    for vector in vectors::of("stochastic_paper") {
        let (input, id) = (&vector["input"], &vector["id"]);
        let (steps, parts) = (whole(&input["T"]), whole(&input["alice_samples"]));
        let instance = random_computations::recorded(steps, &input["oracle"]);
        let depth = Exact::from_integer(whole(&input["d"]).into());
        let test = |samples: &Json, share| SampleMeanTest {
            samples: whole(samples),
            limit: Exact::ratio(1, share) / &depth,
        };
        let terms = RequiredSamplesAndTests {
            alice: parts,
            bob: test(&input["R"], 2),
            verifier: test(&input["r"], 4),
        };
        let process = instance.random_computation().unwrap();
        let debate = StochasticDebate::start_with_sample_counts(&instance, process, &terms)
            .with_coins_from_both_debaters();
        let prover = Coarse(
            StochasticDebatePolicyAdapter(StochasticProver::Honest),
            parts,
        );
        let found = match input["bob"].as_str().unwrap() {
            "honest" => value(
                &debate,
                &instance,
                &prover,
                &Coarse(
                    StochasticDebatePolicyAdapter(StochasticChallenger::Honest),
                    parts,
                ),
            ),
            "silent" => value(
                &debate,
                &instance,
                &prover,
                &Coarse(
                    StochasticDebatePolicyAdapter(StochasticChallenger::Silent),
                    parts,
                ),
            ),
            "abort_last_if_one" => value(&debate, &instance, &prover, &Coarse(LastIfOne, parts)),
            other => panic!("{id}: no opponent {other}"),
        };
        assert_eq!(found.accept, number(&vector["expect"]["accept"]), "{id}");
    }
}
