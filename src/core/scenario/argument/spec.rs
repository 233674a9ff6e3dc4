//! Arguments as scenarios state them.

use crate::gate::Gate;
use crate::number::Exact;
use crate::scenario::open::OpenLimits;

/// A support as a scenario states it.
#[derive(Clone, Debug, PartialEq)]
pub struct SupportSpec {
    /// Its title.
    pub label: Option<String>,
    /// The gate over the subclaims.
    pub gate: Gate,
    /// The ids of the subclaims.
    pub on: Vec<String>,
    /// True if it carries the claim.
    pub sound: bool,
}

/// A claim as a scenario states it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClaimSpec {
    /// The claim in words.
    pub text: String,
    /// Its truth; required at a leaf without a check, derived where there is a sound support.
    /// Never stated in an open argument, where nothing is known.
    pub truth: Option<bool>,
    pub evidence: Option<String>,
    /// The chance that a human judge says yes.
    pub judged_true: Option<Exact>,
    pub estimate: Option<Exact>,
    /// The ways to support it; none at a leaf.
    pub supports: Vec<SupportSpec>,
    /// The names of the proof bits that a leaf reads.
    pub reads: Vec<String>,
    /// The gate over those bits that decides the leaf.
    pub check: Option<Gate>,
}

/// One instance of μ as a scenario states it.
#[derive(Clone, Debug, PartialEq)]
pub struct WorldSpec {
    /// Its name; its index where there is none.
    pub name: Option<String>,
    /// Its weight, positive.
    pub weight: Exact,
    /// The truths of leaves, by id, that differ from what the claims state.
    pub truths: Vec<(String, bool)>,
    /// Evidence at leaves, by id, where it differs from what the claims state.
    pub evidence: Vec<(String, String)>,
}

/// An argument as a scenario states it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ArgumentSpec {
    /// The id of the root claim.
    pub root: String,
    /// The claims by id, in file order.
    pub claims: Vec<(String, ClaimSpec)>,
    /// The true proof bits by name.
    pub proof: Vec<(String, bool)>,
    /// The instances of μ; none means one instance with the truths as stated.
    pub worlds: Vec<WorldSpec>,
    /// Limits on claims in the prover's own words, where there may be such.
    pub open: Option<OpenLimits>,
}
