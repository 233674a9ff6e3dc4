//! A game in extensive form, read from an `efg` file and solved here without the program's code. Uses counterfactual
//! regret minimisation (Tammelin 2014), and best responses that bound the error.

use std::collections::HashMap;

enum Node {
    /// The payoff to the prover.
    End(f64),
    Chance(Vec<(f64, usize)>),
    /// The player, the information set, and the nodes after its actions.
    Choice(usize, usize, Vec<usize>),
}

/// A game as described by its file.
pub(crate) struct GameFile {
    /// The nodes; the first one is the root.
    nodes: Vec<Node>,
    /// The number of actions of each information set, by player.
    actions: [Vec<usize>; 2],
    /// The names of the actions of each information set, by player.
    pub(crate) names: [Vec<Vec<String>>; 2],
    /// For each choice node, the name before its number: `Answer`, `Bits`.
    pub(crate) kinds: Vec<(usize, usize, String)>,
}

fn number(text: &str) -> f64 {
    let (upper, lower) = text.split_once('/').unwrap_or((text, "1"));
    let parse = |text: &str| text.parse::<f64>().expect("a number");
    parse(upper) / parse(lower)
}

/// The words between the first pair of braces of a line; quoted words are not split.
fn braced(line: &str) -> Vec<String> {
    let inside = line.split_once("{ ").expect("a brace").1;
    let inside = inside.rsplit_once(" }").expect("a brace").0;
    let mut words = Vec::new();
    for (index, part) in inside.split('"').enumerate() {
        if index % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

impl GameFile {
    pub(crate) fn read(text: &str) -> Self {
        let mut game = Self {
            nodes: Vec::new(),
            actions: Default::default(),
            names: Default::default(),
            kinds: Vec::new(),
        };
        let mut lines = text.lines().skip(1);
        game.node(&mut lines);
        assert!(lines.next().is_none(), "the tree ends with the file");
        game
    }

    fn node<'t>(&mut self, lines: &mut impl Iterator<Item = &'t str>) -> usize {
        let line = lines.next().expect("a node");
        let index = self.nodes.len();
        self.nodes.push(Node::End(0.0));
        let words = braced(line);
        let node = match line.split(' ').next().expect("a kind") {
            "t" => Node::End(number(&words[0])),
            "c" => {
                let each = words.chunks(2);
                let shares: Vec<f64> = each.map(|pair| number(&pair[1])).collect();
                let each = shares.into_iter();
                Node::Chance(each.map(|share| (share, self.node(lines))).collect())
            }
            _ => {
                let mut quoted = line.split('"');
                let name = quoted.nth(1).expect("a name");
                let rest = quoted.next().expect("a player and a set");
                let mut rest = rest.split_whitespace();
                let mut next = || rest.next().and_then(|text| text.parse::<usize>().ok());
                let player = next().expect("a player") - 1;
                let set = next().expect("a set") - 1;
                if set == self.actions[player].len() {
                    self.actions[player].push(words.len());
                    self.names[player].push(words.clone());
                }
                assert_eq!(self.names[player][set], words, "the same actions in a set");
                let kind = name.rsplit_once(' ').expect("a number").0;
                self.kinds.push((player, set, kind.to_owned()));
                let after = words.iter().map(|_| self.node(lines));
                Node::Choice(player, set, after.collect())
            }
        };
        self.nodes[index] = node;
        index
    }

    /// Returns a lower and an upper bound on the value after `rounds` rounds: the amount that each player's mixture
    /// guarantees against a best response.
    pub(crate) fn bracket(&self, rounds: u32) -> [f64; 2] {
        let zeros = |player: usize| -> Vec<Vec<f64>> {
            let each = self.actions[player].iter();
            each.map(|count| vec![0.0; *count]).collect()
        };
        let mut regrets = [zeros(0), zeros(1)];
        let mut sums = [zeros(0), zeros(1)];
        for round in 0..rounds {
            for player in [0, 1] {
                let plans = regrets
                    .each_ref()
                    .map(|each| each.iter().map(|r| share(r)).collect());
                let mut found = zeros(player);
                let weight = f64::from(round + 1);
                self.walk(
                    0,
                    player,
                    [1.0, 1.0],
                    &plans,
                    &mut found,
                    &mut sums[player],
                    weight,
                );
                for (all, more) in regrets[player].iter_mut().zip(found) {
                    for (sum, more) in all.iter_mut().zip(more) {
                        *sum = (*sum + more).max(0.0);
                    }
                }
            }
        }
        let plans: [Vec<Vec<f64>>; 2] = sums
            .each_ref()
            .map(|each| each.iter().map(|sum| share(sum)).collect());
        [self.best(1, &plans[0]), self.best(0, &plans[1])]
    }

    /// The value of a node to a player. Adds the regrets of its sets, and its mixture to the sums.
    #[expect(clippy::too_many_arguments, reason = "one walk for all of it")]
    fn walk(
        &self,
        at: usize,
        player: usize,
        reach: [f64; 2],
        plans: &[Vec<Vec<f64>>; 2],
        regrets: &mut [Vec<f64>],
        sums: &mut [Vec<f64>],
        weight: f64,
    ) -> f64 {
        match &self.nodes[at] {
            Node::End(payoff) if player == 0 => *payoff,
            Node::End(payoff) => -payoff,
            Node::Chance(each) => {
                let mut sum = 0.0;
                for (share, next) in each {
                    let mut reach = reach;
                    reach[1 - player] *= share;
                    sum += share * self.walk(*next, player, reach, plans, regrets, sums, weight);
                }
                sum
            }
            Node::Choice(mover, set, each) => {
                let plan = &plans[*mover][*set];
                let mut values = Vec::with_capacity(each.len());
                for (share, next) in plan.iter().zip(each) {
                    let mut reach = reach;
                    reach[*mover] *= share;
                    values.push(self.walk(*next, player, reach, plans, regrets, sums, weight));
                }
                let mean: f64 = plan.iter().zip(&values).map(|(share, v)| share * v).sum();
                if *mover == player {
                    for (action, value) in values.iter().enumerate() {
                        regrets[*set][action] += reach[1 - player] * (value - mean);
                        sums[*set][action] += weight * reach[player] * plan[action];
                    }
                }
                mean
            }
        }
    }

    /// The payoff to the prover if a player responds best to a mixture of the other.
    fn best(&self, player: usize, other: &[Vec<f64>]) -> f64 {
        let mut reaches = vec![0.0; self.nodes.len()];
        let mut members: HashMap<usize, Vec<usize>> = HashMap::new();
        let mut open = vec![(0, 1.0)];
        while let Some((at, reach)) = open.pop() {
            reaches[at] = reach;
            match &self.nodes[at] {
                Node::End(_) => {}
                Node::Chance(each) => {
                    open.extend(each.iter().map(|(share, next)| (*next, reach * share)));
                }
                Node::Choice(mover, set, each) if *mover == player => {
                    members.entry(*set).or_default().push(at);
                    open.extend(each.iter().map(|next| (*next, reach)));
                }
                Node::Choice(_, set, each) => {
                    let each = other[*set].iter().zip(each);
                    open.extend(each.map(|(share, next)| (*next, reach * share)));
                }
            }
        }
        let mut search = BestReply {
            game: self,
            player,
            other,
            reaches,
            members,
            chosen: HashMap::new(),
        };
        search.value(0)
    }
}

/// Normalises amounts to probabilities; uniform if all are 0.
fn share(amounts: &[f64]) -> Vec<f64> {
    let sum: f64 = amounts.iter().sum();
    let count = f64::from(u32::try_from(amounts.len()).expect("few"));
    let one = |amount: &f64| if sum > 0.0 { amount / sum } else { 1.0 / count };
    amounts.iter().map(one).collect()
}

struct BestReply<'g> {
    game: &'g GameFile,
    player: usize,
    other: &'g [Vec<f64>],
    /// The probability of each node if the player moves towards it.
    reaches: Vec<f64>,
    /// The nodes of each of the player's sets.
    members: HashMap<usize, Vec<usize>>,
    chosen: HashMap<usize, usize>,
}

impl BestReply<'_> {
    fn value(&mut self, at: usize) -> f64 {
        let game = self.game;
        match &game.nodes[at] {
            Node::End(payoff) => *payoff,
            Node::Chance(each) => each
                .iter()
                .map(|(share, next)| share * self.value(*next))
                .sum(),
            Node::Choice(mover, set, each) if *mover == self.player => {
                let chosen = self.choice(*set, each.len());
                self.value(each[chosen])
            }
            Node::Choice(_, set, each) => {
                let mut sum = 0.0;
                for (share, next) in self.other[*set].iter().zip(each) {
                    if *share > 0.0 {
                        sum += share * self.value(*next);
                    }
                }
                sum
            }
        }
    }

    fn choice(&mut self, set: usize, actions: usize) -> usize {
        if let Some(known) = self.chosen.get(&set) {
            return *known;
        }
        let sign = if self.player == 0 { 1.0 } else { -1.0 };
        let mut sums = vec![0.0; actions];
        for at in self.members[&set].clone() {
            let Node::Choice(_, _, each) = &self.game.nodes[at] else {
                continue;
            };
            for (sum, next) in sums.iter_mut().zip(each) {
                *sum += sign * self.reaches[at] * self.value(*next);
            }
        }
        let best = (0..actions).max_by(|one, other| sums[*one].total_cmp(&sums[*other]));
        let best = best.expect("an action");
        self.chosen.insert(set, best);
        best
    }
}
