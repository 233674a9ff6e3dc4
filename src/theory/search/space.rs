//! Search spaces: sets of small games, numbered from the smallest game on.

use std::collections::HashMap;
use std::fmt;
use std::sync::OnceLock;

use debate_core::number::{Exact, format_canonical, to_u32_saturating};
use debate_core::protocol::SupportDisputeRule;
use debate_core::protocol::prover_estimator::{
    CarriedEstimateKind, EarlyLeafWeight, ProverEstimatorParameters,
};
use num_integer::Integer as _;
use serde::{Deserialize, Serialize};

use super::part::{name, numbers};
use super::shape::{MAX_LEAVES, SmallDecomposition};

/// The restriction of a search space to games whose root claim has a sound, an unsound, or any support.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootSupportSoundnessFilter {
    /// Only games whose root has a sound support: the root claim follows from its subclaims.
    Sound,
    /// Only games whose root has an unsound support: the root claim is false, even if its gate is true.
    Unsound,
    /// Both kinds.
    Any,
}

/// The parameters that define a search space of games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "SpaceTerms")]
pub struct GameSearchSpaceParameters {
    /// The least and the greatest number of leaves of a game, from 1 to [`MAX_LEAVES`].
    pub leaves: [usize; 2],
    /// The maximum number of levels of gates in a game: 1 or 2.
    pub depth: u32,
    /// The least and the greatest number of instances of a game.
    pub worlds: [usize; 2],
    /// The least and the greatest sum of a game's instance weights, which are whole numbers.
    pub weight: [u32; 2],
    /// True if the space has only symmetric gates, whose value depends only on the number of true subclaims.
    pub counting: bool,
    /// The soundness of the root's support: `sound`, `unsound` or `any`.
    #[serde(with = "name")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub supports: RootSupportSoundnessFilter,
    /// True if the search tests only games in which every gate is stable in every instance. The space numbers the
    /// other games, too.
    pub stable: bool,
    /// The values of ε.
    #[serde(with = "numbers")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
    pub epsilons: Vec<Exact>,
    /// The values of ρ.
    #[serde(with = "numbers")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
    pub rhos: Vec<Exact>,
    /// The rule for the estimate that is carried into the next round, conditional on the coins or not: `conditional`
    /// or `marginal`.
    #[serde(with = "name")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub carry: CarriedEstimateKind,
    /// The rule for the stake of a leaf that is reached before the last round: `jump` or `in-place`.
    #[serde(with = "name")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub early_leaf: EarlyLeafWeight,
    /// The rule for disputes of the step from subclaims to a claim: `none` or `challenge`. A missing value means
    /// `none`.
    #[serde(with = "name", default)]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub warrants: SupportDisputeRule,
}

impl GameSearchSpaceParameters {
    /// Returns the same space under each variant of the rules that makes a difference. With one level of gates, all
    /// leaves are in round 0, so `early_leaf` makes none.
    pub fn spaces_by_rule_variant(&self) -> Vec<Self> {
        let early_leaves: &[EarlyLeafWeight] = match self.depth {
            1 => &[EarlyLeafWeight::Jump],
            _ => &[EarlyLeafWeight::Jump, EarlyLeafWeight::InPlace],
        };
        let mut variants = Vec::new();
        for warrants in [SupportDisputeRule::None, SupportDisputeRule::Challenge] {
            for carry in [
                CarriedEstimateKind::Conditional,
                CarriedEstimateKind::Marginal,
            ] {
                variants.extend(early_leaves.iter().map(|early_leaf| Self {
                    carry,
                    early_leaf: *early_leaf,
                    warrants,
                    ..self.clone()
                }));
            }
        }
        variants
    }
}

impl fmt::Display for GameSearchSpaceParameters {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |numbers: &[Exact]| {
            numbers
                .iter()
                .map(format_canonical)
                .collect::<Vec<_>>()
                .join(", ")
        };
        let gates = if self.counting {
            "symmetric gates"
        } else {
            "any gates"
        };
        let support = match self.supports {
            RootSupportSoundnessFilter::Sound => "sound supports",
            RootSupportSoundnessFilter::Unsound => "unsound supports",
            RootSupportSoundnessFilter::Any => "sound or unsound supports",
        };
        let stable = if self.stable { ", stable" } else { "" };
        write!(
            out,
            "{} to {} leaves, {gates}, {support}{stable}, depth up to {}, {} to {} instances with \
             weights that sum to {} to {}, ε of {}, ρ of {}, carry: {:?}, early_leaf: {:?}",
            self.leaves[0],
            self.leaves[1],
            self.depth,
            self.worlds[0],
            self.worlds[1],
            self.weight[0],
            self.weight[1],
            list(&self.epsilons),
            list(&self.rhos),
            self.carry,
            self.early_leaf
        )?;
        match self.warrants {
            SupportDisputeRule::None => Ok(()),
            challenge @ SupportDisputeRule::Challenge => write!(out, ", warrants: {challenge:?}"),
        }
    }
}

/// The maximum number of entries that the lists of a search space may have in total. At the maximum, the lists take
/// about 200 MB.
const MAX_LISTED: u64 = 1 << 24;

/// The error for a search space with too many games: the lists that describe its games would not fit into memory.
#[derive(Debug, thiserror::Error)]
#[error(
    "this space has too many games to number; lower --width, --worlds, --weight or the number of ε and ρ, \
     or use --counting"
)]
pub struct SearchSpaceTooLargeError;

/// The numbers of the games that have the same decomposition, the same number of instances and the same sum of weights.
#[derive(Clone, Copy, Debug)]
pub(super) struct SameShapeGameNumberRange {
    pub(super) shape: usize,
    pub(super) worlds: usize,
    pub(super) weight: u32,
    /// The number of the first game with these properties, among all games of the search space.
    pub(super) first: u64,
    games: u64,
}

/// A search space with numbered games. Smaller games have smaller numbers.
#[derive(Debug)]
pub struct GameSpace {
    pub terms: GameSearchSpaceParameters,
    pub(super) shapes: Vec<SmallDecomposition>,
    /// For each decomposition of depth 1, the sets of leaves whose negation leaves the root's gate unchanged, or
    /// negates the gate of a sound root. Empty for each decomposition of depth 2.
    pub(super) symmetries: Vec<Vec<usize>>,
    /// For each decomposition and each pair of ε and ρ: for each combination of the leaves' truths, true if all gates
    /// are stable.
    stable: Vec<OnceLock<Vec<bool>>>,
    pub(super) parameters: Vec<ProverEstimatorParameters>,
    pub(super) blocks: Vec<SameShapeGameNumberRange>,
    /// The possible sets of instances (combinations of the leaves' truths), by the numbers of leaves and of instances.
    pub(super) rows: HashMap<(usize, usize), Vec<Vec<usize>>>,
    /// For each number of instances and each sum of weights: all lists of positive instance weights that have this sum
    /// and no common factor.
    pub(super) weights: HashMap<(usize, u32), Vec<Vec<u32>>>,
    games: u64,
}

impl GameSpace {
    /// Lists the decompositions of a search space, and numbers its games.
    ///
    /// # Errors
    /// Returns an error if its lists would not fit into memory.
    pub fn new(terms: GameSearchSpaceParameters) -> Result<Self, SearchSpaceTooLargeError> {
        let mut shapes = Vec::new();
        let most = terms.leaves[1].min(MAX_LEAVES);
        for leaves in terms.leaves[0]..=most {
            let kinds: &[bool] = match terms.supports {
                RootSupportSoundnessFilter::Sound => &[true],
                RootSupportSoundnessFilter::Unsound => &[false],
                RootSupportSoundnessFilter::Any => &[true, false],
            };
            let of = |sound: &bool| {
                SmallDecomposition::all_with_leaves(leaves, terms.depth, terms.counting, *sound)
            };
            shapes.extend(kinds.iter().flat_map(of));
        }
        let pairs = terms.epsilons.iter().flat_map(|epsilon| {
            let rhos = terms.rhos.iter();
            rhos.map(|rho| ProverEstimatorParameters {
                carry: terms.carry,
                early_leaf: terms.early_leaf,
                warrants: terms.warrants,
                ..ProverEstimatorParameters::new(epsilon.clone(), rho.clone())
            })
        });
        let parameters: Vec<ProverEstimatorParameters> = pairs.collect();
        if listed(&terms, &shapes, parameters.len()) > MAX_LISTED {
            return Err(SearchSpaceTooLargeError);
        }
        let symmetries = shapes.iter().map(|shape| match shape.depth() {
            1 => shape.root.symmetry_masks(shape.sound),
            _ => Vec::new(),
        });
        let mut space = Self {
            symmetries: symmetries.collect(),
            stable: (0..shapes.len() * parameters.len())
                .map(|_| OnceLock::new())
                .collect(),
            shapes,
            parameters,
            blocks: Vec::new(),
            rows: HashMap::new(),
            weights: HashMap::new(),
            games: 0,
            terms,
        };
        space.list();
        Ok(space)
    }

    /// Lists the sets of instances and the lists of weights, and numbers the games of the space in blocks.
    fn list(&mut self) {
        let mut blocks = Vec::new();
        for (shape, of) in self.shapes.iter().enumerate() {
            let leaves = of.leaf_count();
            let most = self.terms.worlds[1].min(1 << leaves);
            for worlds in self.terms.worlds[0]..=most {
                let rows = self
                    .rows
                    .entry((leaves, worlds))
                    .or_insert_with(|| subsets(1 << leaves, worlds));
                let least = to_u32_saturating(worlds).max(self.terms.weight[0]);
                for weight in least..=self.terms.weight[1] {
                    let weights = self
                        .weights
                        .entry((worlds, weight))
                        .or_insert_with(|| compositions(worlds, weight));
                    let games = rows.len() * weights.len() * self.parameters.len();
                    blocks.push(SameShapeGameNumberRange {
                        shape,
                        worlds,
                        weight,
                        first: 0,
                        games: games as u64,
                    });
                }
            }
        }
        blocks.sort_by_key(|block| {
            let leaves = self.shapes[block.shape].leaf_count();
            (leaves, block.worlds, block.weight, block.shape)
        });
        for block in &mut blocks {
            block.first = self.games;
            self.games += block.games;
        }
        self.blocks = blocks;
    }

    /// Returns the number of games in the space. Games of one decomposition that differ only by negating claims count
    /// separately.
    pub fn game_count(&self) -> u64 {
        self.games
    }

    /// True if the space has no games.
    pub fn is_empty(&self) -> bool {
        self.games == 0
    }

    /// True if every gate of a decomposition is stable. The binary digits of `row` are the truths of the leaves.
    pub(super) fn is_shape_stable_at_row(
        &self,
        shape: usize,
        parameters: usize,
        row: usize,
    ) -> bool {
        let known = &self.stable[shape * self.parameters.len() + parameters];
        let stable = known.get_or_init(|| {
            let of = &self.shapes[shape];
            let terms = &self.parameters[parameters];
            let at =
                |row| of.are_all_gates_stable_for_leaf_truths(row, &terms.epsilon.0, &terms.rho.0);
            (0..1 << of.leaf_count()).map(at).collect()
        });
        stable[row]
    }
}

/// Returns the total number of entries in the lists that would describe the games of a search space. It must not exceed
/// [`MAX_LISTED`].
fn listed(
    terms: &GameSearchSpaceParameters,
    shapes: &[SmallDecomposition],
    parameters: usize,
) -> u64 {
    let [leaves, worlds, weights] = [
        terms.leaves[0]..=terms.leaves[1],
        terms.worlds[0]..=terms.worlds[1],
        terms.weight[0] as usize..=terms.weight[1] as usize,
    ];
    let per_size = worlds.clone().map(|worlds| {
        let worlds = worlds as u64;
        let rows = leaves.clone().map(|leaves| binomial(1 << leaves, worlds));
        let weights = (weights.clone())
            .map(|sum| binomial((sum as u64).saturating_sub(1), worlds.saturating_sub(1)));
        let lists = rows.chain(weights).fold(0, u64::saturating_add);
        lists.saturating_mul(worlds)
    });
    let blocks = worlds.clone().count() * weights.clone().count();
    let per_shape = (shapes.len() as u64).saturating_mul((blocks + parameters) as u64);
    per_size.fold(per_shape, u64::saturating_add)
}

/// Returns the binomial coefficient, or `u64::MAX` if the computation overflows.
fn binomial(of: u64, chosen: u64) -> u64 {
    if chosen > of {
        return 0;
    }
    let chosen = chosen.min(of - chosen);
    let product = (1..=chosen).try_fold(1_u64, |product, next| {
        product.checked_mul(of - chosen + next).map(|up| up / next)
    });
    product.unwrap_or(u64::MAX)
}

/// Returns all sets of `size` different numbers below `below`, each in increasing order.
fn subsets(below: usize, size: usize) -> Vec<Vec<usize>> {
    let mut sets = vec![Vec::new()];
    for _ in 0..size {
        let longer = sets.iter().flat_map(|set: &Vec<usize>| {
            let from = set.last().map_or(0, |last| last + 1);
            (from..below).map(|next| set.iter().copied().chain([next]).collect())
        });
        sets = longer.collect();
    }
    sets
}

/// Returns all lists of `length` positive whole numbers that sum to `sum` and have no common factor.
fn compositions(length: usize, sum: u32) -> Vec<Vec<u32>> {
    let mut open: Vec<Vec<u32>> = vec![Vec::new()];
    for index in 0..length {
        let left = u32::try_from(length - index - 1).unwrap_or(0);
        let longer = open.iter().flat_map(|list: &Vec<u32>| {
            let rest = sum - list.iter().sum::<u32>();
            let from = if left == 0 { rest } else { 1 };
            (from..=rest.saturating_sub(left))
                .map(|next| list.iter().copied().chain([next]).collect())
        });
        open = longer.collect();
    }
    let coprime = |list: &Vec<u32>| list.iter().fold(0, |gcd: u32, number| gcd.gcd(number)) == 1;
    open.retain(coprime);
    open
}
