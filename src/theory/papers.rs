//! Statements (theorems, lemmas, figures) of published papers about debate, with this project's verdicts on whether
//! each one holds. They are read from `papers.ron` and from the files in the folder `papers`.
//!
//! Outcomes come from a fixed set, so that no text claims more about published work than the tests show.

use std::fmt;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use debate_core::protocol::ProtocolKind;

/// A statement of a paper (a theorem, definition or figure) that this program checks.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(rename = "Statement")]
pub struct PaperStatement {
    /// The name of the statement: the paper and the number in it, for example "PE Lemma A.5".
    pub name: String,
    /// The sections of the paper with the statement and its proof; for the machine-checked version, the file.
    pub section: String,
    /// The verdicts: the first one on the statement itself, the others on its proof, its figures or variants.
    verdicts: Vec<PaperStatementVerdict>,
    /// The statement in one sentence.
    pub says: String,
    /// The hypotheses of the statement, as this project interprets them.
    pub given: String,
    pub figures: Vec<ExpectedTheoremCommandValue>,
}

/// A value in the output of a command that supports this project's verdict on a statement of a paper, with the command
/// and the expected value.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[serde(rename = "Figure")]
pub struct ExpectedTheoremCommandValue {
    /// A description of the figure.
    pub shows: String,
    pub command: String,
    /// The path of the figure in the JSON output of the command (`--json`). Points separate its parts.
    pub field: String,
    /// The expected value of the figure. After `≈ ` it is a decimal number with a tolerance of 1e-9, relative if the
    /// number is above 1.
    pub value: String,
    /// A remark to show beside the figure; may be empty.
    #[serde(default)]
    pub beside: String,
    /// The players' strategies over which the command computes the figure, in words. `None` if they follow from the
    /// command's text.
    #[serde(default, skip_serializing)]
    pub over: Option<String>,
}

impl ExpectedTheoremCommandValue {
    /// Returns, in words, the set of player strategies over which the `debate-tui` command computes this figure.
    pub fn considered_strategies(&self) -> &str {
        if let Some(over) = &self.over {
            return over;
        }
        let words: Vec<&str> = self.command.split_whitespace().collect();
        let has = |word: &str| words.contains(&word);
        let replies_best =
            |seat: &str| words.windows(2).any(|pair| pair == [seat, "best-response"]);
        match words.get(1) {
            Some(&"equilibrium") if has("--train") => "both trained debaters",
            Some(&"check") if has("--in-practice") => "honest Alice against each Bob",
            Some(&"equilibrium") if has("--all") => "all strategies of both debaters",
            Some(&"equilibrium") => "each named prover against each named opponent",
            Some(&"solve") if replies_best("--prover") => {
                "all strategies of Alice against the named Bob"
            }
            Some(&"solve") if replies_best("--opponent") => {
                "the named Alice against all strategies of Bob"
            }
            Some(&"solve" | &"simulate") => "the named players",
            Some(&"search") => {
                "all games of the searched space, against the Bob that the statement names"
            }
            Some(&"queries") => "all verifiers and all strategies of both debaters",
            Some(&"train") => "the named Alice against the trained Bob",
            Some(&"theorems") => "no strategies, only formulas and gates",
            _ => "no strategies: a property of the scenario",
        }
    }
}

/// A verdict of this project on a statement of a paper, with the entry that explains it in this project's list of
/// errors in the papers.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[serde(rename = "Verdict")]
pub struct PaperStatementVerdict {
    /// `holds`, `holds here`, `bracket`, `its printed proof fails`, `its printed figure fails under reading`
    /// or `a variant fails`. No outcome states that a printed statement fails.
    outcome: Outcome,
    /// For the outcome `holds`: the strategies or cases for which the statement was shown.
    #[serde(default)]
    class: Option<String>,
    /// For the outcomes `holds here` and `bracket`: the scenarios or functions on which the statement was examined.
    #[serde(default)]
    instances: Vec<String>,
    /// The interpretation of the paper's text under which the proof or the figure fails.
    #[serde(default)]
    reading: Option<String>,
    /// The variant that fails.
    #[serde(default)]
    variant: Option<String>,
    /// The number of the erratum in the list of `debate-tui guide theorems`.
    #[serde(default)]
    erratum: Option<u8>,
}

/// The kind of a verdict.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(with = "&'static str"))]
#[serde(into = "&'static str")]
enum Outcome {
    /// The statement was shown for every strategy of a class, or for every case of a type.
    Holds,
    /// The statement was shown only on the named instances. A definition, figure or algorithm was evaluated or run on
    /// them.
    HoldsHere,
    /// Only a lower and an upper bound are known, on the named instances.
    Bracket,
    /// The printed proof fails, so the statement is open.
    ProofFails,
    FigureFails,
    VariantFails,
}

impl From<Outcome> for &'static str {
    /// Returns the fixed wording.
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Holds => "holds",
            Outcome::HoldsHere => "holds here",
            Outcome::Bracket => "bracket",
            Outcome::ProofFails => "its printed proof fails",
            Outcome::FigureFails => "its printed figure fails under reading",
            Outcome::VariantFails => "a variant fails",
        }
    }
}

impl fmt::Display for PaperStatementVerdict {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |part: &Option<String>| part.clone().unwrap_or_default();
        out.write_str(self.outcome.into())?;
        match self.outcome {
            Outcome::Holds => write!(out, ": {}", text(&self.class))?,
            Outcome::HoldsHere | Outcome::Bracket => {
                write!(out, ": {}", self.instances.join(", "))?;
            }
            Outcome::ProofFails => {
                if let Some(reading) = &self.reading {
                    write!(out, " if {reading}")?;
                }
                out.write_str("; whether the statement is true stays open")?;
            }
            Outcome::FigureFails => write!(out, " “{}”", text(&self.reading))?,
            Outcome::VariantFails => write!(out, ": {}", text(&self.variant))?,
        }
        match self.erratum {
            Some(number) => write!(out, " (Errata {number})"),
            None => Ok(()),
        }
    }
}

/// The JSON report on a statement, with its verdicts.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "StandingReport"))]
#[serde(rename = "StatusReport")]
pub struct StatementStatusReport {
    /// The name of the statement: the paper and the number in it, for example "PE Lemma A.5".
    pub name: &'static str,
    #[serde(flatten)]
    verdict: PaperStatementVerdict,
    /// The further verdicts: on the statement's proof, a figure or a variant.
    also: Vec<PaperStatementVerdict>,
    /// All verdicts of this project on the statement, in words.
    pub text: String,
}

impl PaperStatement {
    /// Returns the report on the statement; `None` if it has no verdict.
    pub fn status_report(&'static self) -> Option<StatementStatusReport> {
        let (verdict, also) = self.verdicts.split_first()?;
        let texts: Vec<String> = self.verdicts.iter().map(ToString::to_string).collect();
        Some(StatementStatusReport {
            name: &self.name,
            verdict: verdict.clone(),
            also: also.to_vec(),
            text: texts.join("; "),
        })
    }
}

/// The files that contain one statement each. Such a statement is listed after those of its paper in `papers.ron`.
pub const STATEMENT_FILES: &[&str] = &[
    include_str!("papers/de_majority.ron"),
    include_str!("papers/de_steps.ron"),
    include_str!("papers/de_xor.ron"),
    include_str!("papers/de_approximate.ron"),
    include_str!("papers/dqc_five_inputs.ron"),
    include_str!("papers/dqc_lemma_10.ron"),
    include_str!("papers/dqc_lemma_11.ron"),
    include_str!("papers/dqc_definition_12.ron"),
    include_str!("papers/dqc_million.ron"),
    include_str!("papers/dqc_third_debater.ron"),
    include_str!("papers/checkable_debates.ron"),
];

/// The first words of the statements' names, in the order in which papers are listed.
const PAPERS: [&str; 4] = ["PE", "DE", "Lean:", "DQC"];

/// Returns all statements, in the order in which papers are listed.
pub fn all_paper_statements() -> &'static [PaperStatement] {
    // A test checks that the files can be parsed.
    static STATEMENTS: LazyLock<Vec<PaperStatement>> = LazyLock::new(|| {
        let mut all: Vec<PaperStatement> =
            ron::from_str(include_str!("papers.ron")).unwrap_or_default();
        let files = STATEMENT_FILES.iter();
        all.extend(files.filter_map(|text| ron::from_str::<PaperStatement>(text).ok()));
        let paper = |one: &PaperStatement| {
            let first = one.name.split(' ').next();
            let known = PAPERS.iter().position(|paper| first == Some(*paper));
            known.unwrap_or(PAPERS.len())
        };
        all.sort_by_key(paper);
        all
    });
    &STATEMENTS
}

/// Returns the reports on those statements on which the protocol's guarantees depend.
pub fn protocol_status_reports(kind: ProtocolKind) -> Vec<StatementStatusReport> {
    let names: &[&str] = match kind {
        ProtocolKind::ProverEstimator => &[
            "PE Lemma A.5",
            "PE Lemma A.4",
            "PE Figure 2",
            "PE Theorem 8.3",
        ],
        ProtocolKind::Recursive | ProtocolKind::Speeches => &[],
        ProtocolKind::Bisection => &["DE Theorem 5.1", "DE Figure 4"],
        ProtocolKind::CrossExamination => &["DE Theorem 5.3", "DQC Theorem 6"],
        ProtocolKind::Stochastic => &["DE Theorem 6.2", "Lean: correctness"],
        ProtocolKind::Descent => &["DQC Theorem 5"],
        ProtocolKind::Quantifiers => &["DQC Theorem 9"],
        ProtocolKind::Verified => &["DQC Lemma 8"],
    };
    let named = |name: &&str| {
        all_paper_statements()
            .iter()
            .find(|known| known.name == *name)
    };
    let named = names.iter().filter_map(named);
    named.filter_map(PaperStatement::status_report).collect()
}
