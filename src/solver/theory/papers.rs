//! How statements of the papers came out: a fixed set of outcomes, so that no text says more of
//! published work than what was shown.
//!
//! No outcome says that a printed statement fails. The numbers of errata are those of
//! `debate-tui guide theorems`.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use debate_core::protocol::Kind;

/// A statement, or what a paper defines or draws, with how it came out.
#[derive(Clone, Copy, Debug)]
pub struct Standing {
    /// The paper and the number there.
    pub name: &'static str,
    /// The first one is of the statement itself, the others of what belongs to it.
    pub verdicts: &'static [Verdict],
}

/// One outcome, and the erratum that explains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub outcome: Outcome,
    pub erratum: Option<u8>,
}

/// What came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Shown for every strategy of a class, or every case of a kind.
    Holds(Class),
    /// Shown on these instances, and nothing more is said. Of a definition, a figure or an algorithm: it
    /// was carried out there.
    HoldsHere(&'static [Example]),
    /// Two ends are known on these instances.
    Bracket(&'static [Example]),
    /// The statement stays open.
    ProofFails(Option<Reading>),
    FigureFails(Reading),
    VariantFails(Variant),
}

/// For which strategies, or cases, a statement was shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    EveryReply,
    EveryEstimatorOnAGrid,
    EveryEstimateWithinEpsilon,
    EveryReplyToAndOrNot,
}

impl fmt::Display for Class {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::EveryReply => "an honest seat against every reply of the other",
            Self::EveryEstimatorOnAGrid => {
                "honest Alice against every estimator on a grid, where all is stable and provable"
            }
            Self::EveryEstimateWithinEpsilon => {
                "every estimate that is off by at most ε, where the pieces of evidence are independent"
            }
            Self::EveryReplyToAndOrNot => {
                "an honest seat against every reply of the other, on AND, OR and NOT of fan-in 2"
            }
        })
    }
}

/// On what a statement was shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Example {
    /// A bundled scenario.
    Scenario(&'static str),
    /// What `queries` looks at.
    Functions(Functions),
}

/// Functions that `queries` looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Functions {
    VerifiersOverTwoInputs,
    UpToThreeInputs,
    MajorityOfThree,
    ParityOfFour,
    ParityOfSixteen,
}

impl fmt::Display for Example {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Scenario(name) => name,
            Self::Functions(Functions::VerifiersOverTwoInputs) => {
                "all small verifiers over two inputs"
            }
            Self::Functions(Functions::UpToThreeInputs) => "all functions of up to three inputs",
            Self::Functions(Functions::MajorityOfThree) => "the majority of three inputs",
            Self::Functions(Functions::ParityOfFour) => "the parity of four inputs",
            Self::Functions(Functions::ParityOfSixteen) => "the parity of sixteen inputs",
        })
    }
}

/// A reading of what is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    OracleByQuestion,
    OneMachine,
    AnyBasis,
    LabelAsPrinted,
}

impl fmt::Display for Reading {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::OracleByQuestion => {
                "an oracle is indexed by the question alone (DE Definition 6.1)"
            }
            Self::OneMachine => "one machine is played whichever way Alice claims",
            Self::AnyBasis => "any basis, with XOR among its gates",
            Self::LabelAsPrinted => "step 1 goes on in the half that its label names",
        })
    }
}

/// Something close to what is printed, and not it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    Blindness,
    MarginalsCarried,
    UnsoundSupports,
}

impl fmt::Display for Variant {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Blindness => "estimators that do not know the instance, in place of hardness",
            Self::MarginalsCarried => "`carry: Marginal` (ours)",
            Self::UnsoundSupports => "supports that do not carry their claim (`sound: false`)",
        })
    }
}

impl Outcome {
    /// The fixed words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Holds(_) => "holds",
            Self::HoldsHere(_) => "holds here",
            Self::Bracket(_) => "bracket",
            Self::ProofFails(_) => "its printed proof fails",
            Self::FigureFails(_) => "its printed figure fails under reading",
            Self::VariantFails(_) => "a variant fails",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.outcome.words())?;
        match self.outcome {
            Outcome::Holds(class) => write!(out, ": {class}")?,
            Outcome::HoldsHere(examples) | Outcome::Bracket(examples) => {
                write!(out, ": {}", list(examples).join(", "))?;
            }
            Outcome::ProofFails(None) => out.write_str("; the statement stays open")?,
            Outcome::ProofFails(Some(reading)) => {
                write!(out, " where {reading}; the statement stays open")?;
            }
            Outcome::FigureFails(reading) => write!(out, " “{reading}”")?,
            Outcome::VariantFails(variant) => write!(out, ": {variant}")?,
        }
        match self.erratum {
            Some(number) => write!(out, " (Errata {number})"),
            None => Ok(()),
        }
    }
}

fn list(examples: &[Example]) -> Vec<String> {
    examples.iter().map(ToString::to_string).collect()
}

/// A verdict as JSON.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct VerdictReport {
    /// `holds`, `holds here`, `bracket`, `its printed proof fails`, `its printed figure fails under
    /// reading` or `a variant fails`. None says that a printed statement fails.
    pub outcome: &'static str,
    /// Of `holds`: the strategies or cases that it was shown for.
    pub class: Option<String>,
    /// Of `holds here` and `bracket`: the scenarios or functions.
    pub instances: Vec<String>,
    /// Under which reading the proof or the figure fails.
    pub reading: Option<String>,
    /// Which variant fails.
    pub variant: Option<String>,
    /// The number in the Errata of `debate-tui guide theorems`.
    pub erratum: Option<u8>,
}

impl From<&Verdict> for VerdictReport {
    fn from(verdict: &Verdict) -> Self {
        let outcome = verdict.outcome;
        let mut report = Self {
            outcome: outcome.words(),
            class: None,
            instances: Vec::new(),
            reading: None,
            variant: None,
            erratum: verdict.erratum,
        };
        match outcome {
            Outcome::Holds(class) => report.class = Some(class.to_string()),
            Outcome::HoldsHere(examples) | Outcome::Bracket(examples) => {
                report.instances = list(examples);
            }
            Outcome::ProofFails(reading) => report.reading = reading.map(|it| it.to_string()),
            Outcome::FigureFails(reading) => report.reading = Some(reading.to_string()),
            Outcome::VariantFails(variant) => report.variant = Some(variant.to_string()),
        }
        report
    }
}

/// A statement with its verdicts as JSON.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StandingReport {
    /// The paper and the number there.
    pub name: &'static str,
    #[serde(flatten)]
    pub verdict: VerdictReport,
    /// What else came out for what belongs to it: its proof, a figure, a variant.
    pub also: Vec<VerdictReport>,
    /// All of that in words.
    pub text: String,
}

impl Standing {
    /// As JSON.
    pub fn report(&self) -> Option<StandingReport> {
        let mut each = self.verdicts.iter().map(VerdictReport::from);
        Some(StandingReport {
            name: self.name,
            verdict: each.next()?,
            also: each.collect(),
            text: self.text(),
        })
    }

    /// The verdicts in words.
    pub fn text(&self) -> String {
        let each: Vec<String> = self.verdicts.iter().map(ToString::to_string).collect();
        each.join("; ")
    }
}

/// A verdict that an erratum explains.
pub const fn verdict(outcome: Outcome, erratum: u8) -> Verdict {
    Verdict {
        outcome,
        erratum: Some(erratum),
    }
}

/// A verdict that needs no erratum.
pub const fn plain(outcome: Outcome) -> Verdict {
    Verdict {
        outcome,
        erratum: None,
    }
}

// The statements that the figures of `check` rest on.

pub const PE_FIGURE_2: Standing = Standing {
    name: "PE Figure 2",
    verdicts: &[verdict(Outcome::FigureFails(Reading::OneMachine), 6)],
};
pub const PE_LEMMA_A4: Standing = Standing {
    name: "PE Lemma A.4",
    verdicts: &[
        verdict(Outcome::ProofFails(None), 1),
        verdict(Outcome::ProofFails(Some(Reading::OneMachine)), 6),
        verdict(Outcome::VariantFails(Variant::Blindness), 1),
        verdict(Outcome::VariantFails(Variant::UnsoundSupports), 7),
    ],
};
pub const PE_LEMMA_A5: Standing = Standing {
    name: "PE Lemma A.5",
    verdicts: &[
        verdict(Outcome::Holds(Class::EveryEstimatorOnAGrid), 9),
        verdict(Outcome::VariantFails(Variant::MarginalsCarried), 2),
    ],
};
pub const PE_THEOREM_8_3: Standing = Standing {
    name: "PE Theorem 8.3",
    verdicts: &[verdict(
        Outcome::Holds(Class::EveryEstimateWithinEpsilon),
        5,
    )],
};
pub const DE_FIGURE_4: Standing = Standing {
    name: "DE Figure 4",
    verdicts: &[verdict(Outcome::FigureFails(Reading::LabelAsPrinted), 3)],
};
pub const DE_THEOREM_5_1: Standing = Standing {
    name: "DE Theorem 5.1",
    verdicts: &[verdict(Outcome::Holds(Class::EveryReply), 3)],
};
pub const DE_THEOREM_5_3: Standing = Standing {
    name: "DE Theorem 5.3",
    verdicts: &[plain(Outcome::Holds(Class::EveryReply))],
};
pub const DE_THEOREM_6_2: Standing = Standing {
    name: "DE Theorem 6.2",
    verdicts: &[verdict(
        Outcome::ProofFails(Some(Reading::OracleByQuestion)),
        4,
    )],
};
pub const FORMAL_CORRECTNESS: Standing = Standing {
    name: "Lean: correctness",
    verdicts: &[plain(Outcome::Holds(Class::EveryReply))],
};
pub const DQC_THEOREM_5: Standing = Standing {
    name: "DQC Theorem 5",
    verdicts: &[
        verdict(Outcome::Holds(Class::EveryReplyToAndOrNot), 8),
        verdict(Outcome::FigureFails(Reading::AnyBasis), 8),
    ],
};
pub const DQC_THEOREM_6: Standing = Standing {
    name: "DQC Theorem 6",
    verdicts: &[verdict(Outcome::Holds(Class::EveryReply), 9)],
};
pub const DQC_LEMMA_8: Standing = Standing {
    name: "DQC Lemma 8",
    verdicts: &[plain(Outcome::Holds(Class::EveryReply))],
};
pub const DQC_THEOREM_9: Standing = Standing {
    name: "DQC Theorem 9",
    verdicts: &[plain(Outcome::HoldsHere(&[Example::Scenario("qbf")]))],
};

/// The statements that what a protocol promises rests on.
pub fn standings(kind: Kind) -> &'static [Standing] {
    match kind {
        Kind::ProverEstimator => &[PE_LEMMA_A5, PE_LEMMA_A4, PE_FIGURE_2, PE_THEOREM_8_3],
        Kind::Recursive | Kind::Speeches => &[],
        Kind::Bisection => &[DE_THEOREM_5_1, DE_FIGURE_4],
        Kind::CrossExamination => &[DE_THEOREM_5_3, DQC_THEOREM_6],
        Kind::Stochastic => &[DE_THEOREM_6_2, FORMAL_CORRECTNESS],
        Kind::Descent => &[DQC_THEOREM_5],
        Kind::Quantifiers => &[DQC_THEOREM_9],
        Kind::Verified => &[DQC_LEMMA_8],
    }
}
