//! `theorems`: the statements of the papers, each with the commands that show it, which `--run` runs.

mod run;

use clap::Args;

use super::Failure;
use super::output::{OutputForm, print};
use debate_lab::tell::results::{FigureReport, StatementList, StatementReport};
use debate_lab::theory::papers::{Figure, Statement, statements};
use run::{PrintedFigure, run_figures};

const EXAMPLES: &str = "\
Examples:
  debate-tui theorems                             all statements, and how each came out
  debate-tui theorems 'PE Lemma A.5'              one of them, with its commands and figures
  debate-tui theorems 'DE Figure' --run           run their commands and compare

An outcome is about what the commands look at, not a proof: `holds` (for which strategies), `holds here`
(on which instances; a definition or an algorithm is carried out there), `bracket` where two ends are
known, `its printed proof fails` (the statement stays open), `its printed figure fails under reading …`,
`a variant fails`. No printed statement fails. The numbers of Errata are those of `debate-tui guide theorems`.
With --run the exit code is 1 where a figure is not what is stated.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct TheoremsArgs {
    /// The statements whose names begin so, such as `PE` or `DE Theorem 6.2`; all where it is left out.
    statement: Option<String>,
    /// Run each command and compare its figure with the stated one.
    #[arg(long)]
    run: bool,
    /// Print one JSON document and nothing else on stdout.
    #[arg(long)]
    json: bool,
    /// No progress bar.
    #[arg(short, long)]
    quiet: bool,
}

pub(super) fn theorems(args: &TheoremsArgs) -> Result<(), Failure> {
    let is_asked = |one: &&Statement| is_asked(&one.name, args.statement.as_deref());
    let asked: Vec<&'static Statement> = statements().iter().filter(is_asked).collect();
    if asked.is_empty() {
        return Err(unknown(args.statement.as_deref().unwrap_or_default()));
    }
    let figures: Vec<&'static Figure> = asked.iter().flat_map(|one| &one.figures).collect();
    let printed = if args.run {
        run_figures(&figures, args.quiet)?
    } else {
        Vec::new()
    };
    let differs = printed.iter().any(|one| !one.agrees);
    let mut rest = printed.into_iter();
    let list = StatementList {
        reports: asked
            .into_iter()
            .filter_map(|statement| report(statement, &mut rest))
            .collect(),
        short: args.statement.is_none() && !args.run,
    };
    print(&list, OutputForm::page_or_json(args.json))?;
    if differs { Err(Failure::No) } else { Ok(()) }
}

/// A statement with what its commands printed, in the order of its figures.
fn report(
    statement: &'static Statement,
    printed: &mut impl Iterator<Item = PrintedFigure>,
) -> Option<StatementReport> {
    let figures = statement.figures.iter().map(|figure| {
        let own = printed.next();
        FigureReport {
            figure,
            agrees: own.as_ref().map(|one| one.agrees),
            found: own.map(|one| one.text),
        }
    });
    Some(StatementReport {
        figures: figures.collect(),
        standing: statement.standing()?,
        says: &statement.says,
        given: &statement.given,
    })
}

/// True if the name begins as asked, whatever the case and what stands between the words.
fn is_asked(name: &str, asked: Option<&str>) -> bool {
    let plain = |text: &str| -> String {
        let signs = text
            .chars()
            .filter(|sign| sign.is_alphanumeric() || *sign == '.');
        signs.collect::<String>().to_lowercase()
    };
    let Some(asked) = asked.map(plain) else {
        return true;
    };
    let name = plain(name);
    let rest = name.strip_prefix(&asked);
    // `Theorem 6` is not `Theorem 6.2`, nor `Theorem 1` `Theorem 13`.
    let ends = |rest: &str| !rest.starts_with(|sign: char| sign.is_ascii_digit() || sign == '.');
    let by_number = asked.ends_with(|sign: char| sign.is_ascii_digit());
    !asked.is_empty() && rest.is_some_and(|rest| !by_number || ends(rest))
}

fn unknown(asked: &str) -> Failure {
    let names: Vec<&str> = statements().iter().map(|one| one.name.as_str()).collect();
    super::unknown_name("there is no statement", asked, &names)
}
