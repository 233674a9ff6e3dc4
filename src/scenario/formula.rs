//! Quantified Boolean formulas in prenex conjunctive form.

/// Who chooses the variables of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantifier {
    /// The prover, who claims that the formula is true.
    Exists,
    /// The opponent.
    ForAll,
}

/// Variables that are chosen together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Who chooses.
    pub quantifier: Quantifier,
    /// The variables, numbered from 1 as files number them.
    pub variables: Vec<u32>,
}

/// A formula: blocks of quantified variables, outermost first, and clauses over them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formula {
    /// The blocks; neighbours have different quantifiers, and every variable of a clause stands in
    /// exactly one.
    pub blocks: Vec<Block>,
    /// The clauses: a literal is a variable, negative where it is negated. An empty clause is
    /// false.
    pub clauses: Vec<Vec<i32>>,
}
