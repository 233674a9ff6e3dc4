//! `theorems`: the statements of the papers, with the commands that check them. `--run` runs the commands in this
//! process on all cores, and compares their output.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use clap::Args;
use serde_json::Value;

use super::errors::print_warning;
use super::output::{PrintedFormat, print};
use super::{CapturedRun, CommandFailure, Result, run_captured};
use crate::cli::progress::{install_exit_signal_handler, thread_count, with_progress};
use debate_core::budget::ComputationBudget;
use debate_core::number::{Number as _, parse};
use debate_text::results::{PaperStatementList, PaperStatementReport, StatementFigureReport};
use debate_theory::growth::{MAX_DEPTH, MAX_EXPONENT, parameter_growth_by_depth};
use debate_theory::papers::{ExpectedTheoremCommandValue, PaperStatement, all_paper_statements};

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/theorems.txt"))]
pub(super) struct TheoremsArgs {
    /// Only statements whose names begin with this text, such as `PE` or `DE Theorem 6.2` [default: all].
    statement: Option<String>,
    /// Run the listed commands, and compare the figure that each command prints with the listed figure.
    #[arg(long)]
    run: bool,
    /// Show how the parameters of PE Theorems 6.1 and 8.3 grow with the depth, and the reward gap of PE §7.
    #[arg(long, conflicts_with_all = ["statement", "run"])]
    growth: bool,
    /// With --growth: ε, between 0 and 1/2.
    #[arg(long, value_name = "E", default_value = "1/4", requires = "growth")]
    epsilon: String,
    /// With --growth: c, if the verifier of the written argument runs in time n^c.
    #[arg(long, value_name = "C", default_value_t = 2, requires = "growth")]
    exponent: u32,
    /// With --growth: the greatest depth.
    #[arg(long, value_name = "D", default_value_t = 6, requires = "growth")]
    depth: u32,
    /// Print the result as one JSON document on stdout.
    #[arg(long)]
    json: bool,
}

/// Prints the growth of the theorems' parameters with the depth.
fn print_growth(args: &TheoremsArgs) -> Result {
    let epsilon = parse(&args.epsilon)
        .map_err(|error| CommandFailure::Input(format!("--epsilon: {error}")))?;
    let report = parameter_growth_by_depth(epsilon.to_float(), args.exponent, args.depth).ok_or_else(|| {
        CommandFailure::Input(format!(
            "--growth takes an --epsilon between 0 and 1/2, an --exponent from 1 to {MAX_EXPONENT} and a --depth up to \
             {MAX_DEPTH}"
        ))
    })?;
    print(&report, PrintedFormat::page_or_json(args.json))
}

pub(super) fn run_theorems(args: &TheoremsArgs, quiet: bool) -> Result {
    install_exit_signal_handler()?;
    if args.growth {
        return print_growth(args);
    }
    let is_asked = |one: &&PaperStatement| name_matches(&one.name, args.statement.as_deref());
    let asked: Vec<&'static PaperStatement> =
        all_paper_statements().iter().filter(is_asked).collect();
    if asked.is_empty() {
        return Err(unknown_statement(
            args.statement.as_deref().unwrap_or_default(),
        ));
    }
    let figures: Vec<&'static ExpectedTheoremCommandValue> =
        asked.iter().flat_map(|one| &one.figures).collect();
    let printed = if args.run {
        run_figure_commands(&figures, quiet)?
    } else {
        Vec::new()
    };
    let differs = printed.iter().any(|one| !one.agrees);
    let mut rest = printed.into_iter();
    let list = PaperStatementList {
        reports: asked
            .into_iter()
            .filter_map(|statement| statement_report(statement, &mut rest))
            .collect(),
        short: args.statement.is_none() && !args.run,
    };
    print(&list, PrintedFormat::page_or_json(args.json))?;
    CommandFailure::No.fail_unless(!differs)
}

/// Returns a report on a statement. Takes the figures that the statement's commands printed from the front of
/// `printed`. `None` if the statement has no status to report.
fn statement_report(
    statement: &'static PaperStatement,
    printed: &mut impl Iterator<Item = PrintedTheoremCommandValue>,
) -> Option<PaperStatementReport> {
    let figures = statement.figures.iter().map(|figure| {
        let own = printed.next();
        StatementFigureReport {
            figure,
            strategies: figure.considered_strategies(),
            milliseconds: own.as_ref().map(|one| one.milliseconds),
            agrees: own.as_ref().map(|one| one.agrees),
            found: own.map(|one| one.text),
        }
    });
    Some(PaperStatementReport {
        figures: figures.collect(),
        status: statement.status_report()?,
        section: &statement.section,
        says: &statement.says,
        given: &statement.given,
    })
}

/// True if the name of a statement begins with the given text, ignoring case and separators between words. A number at
/// the end of the text must match completely. Always true if no text is given.
fn name_matches(name: &str, asked: Option<&str>) -> bool {
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
    // A match must not end inside a number: `Theorem 6` is not `Theorem 6.2`, and `Theorem 1` is not `Theorem 13`.
    let ends = |rest: &str| !rest.starts_with(|sign: char| sign.is_ascii_digit() || sign == '.');
    let by_number = asked.ends_with(|sign: char| sign.is_ascii_digit());
    !asked.is_empty() && rest.is_some_and(|rest| !by_number || ends(rest))
}

fn unknown_statement(asked: &str) -> CommandFailure {
    let names: Vec<&str> = all_paper_statements()
        .iter()
        .map(|one| one.name.as_str())
        .collect();
    super::unknown_name("unknown statement", asked, &names)
}

/// The tolerance in comparing figures that are stated with `≈`. It is relative if the figure's size is above 1.
const TOLERANCE: f64 = 1e-9;

/// A figure that a statement's command printed.
#[derive(Clone, Debug, Default)]
pub(super) struct PrintedTheoremCommandValue {
    pub(super) text: String,
    /// True if the printed figure equals the stated one, within [`TOLERANCE`] if it is stated with `≈`.
    pub(super) agrees: bool,
    /// The time that the figure's command took.
    pub(super) milliseconds: u64,
}

/// The output of a statement's command, and the time that the command took.
struct TimedRun<'c> {
    command: &'c str,
    run: CapturedRun,
    milliseconds: u64,
}

/// Runs the commands that print the given figures (output values with expected values), each command once. Returns the
/// printed figures in the order of `figures`.
///
/// # Errors
/// Returns an error if a signal stops the commands.
pub(super) fn run_figure_commands(
    figures: &[&ExpectedTheoremCommandValue],
    quiet: bool,
) -> Result<Vec<PrintedTheoremCommandValue>> {
    let mut commands: Vec<&str> = figures
        .iter()
        .map(|figure| figure.command.as_str())
        .collect();
    commands.sort_unstable();
    commands.dedup();
    let next = AtomicUsize::new(0);
    let work = |budget: ComputationBudget<'_>| {
        let mut done = Vec::new();
        while budget.check_not_cancelled().is_ok()
            && let Some(command) = commands.get(next.fetch_add(1, Ordering::Relaxed))
        {
            // The figures must not depend on the user's settings.
            let more = ["--json", "--no-config"];
            let args: Vec<&str> = command_words(command).skip(1).chain(more).collect();
            let started = Instant::now();
            let run = run_captured(&args, "", &[]);
            done.push(TimedRun {
                command,
                run,
                milliseconds: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
            });
            budget.add_to_progress(1);
        }
        done
    };
    let count = commands.len() as u64;
    let (outputs, signal) = with_progress(count, "commands", !quiet, |budget| {
        thread::scope(|scope| {
            let threads: Vec<_> = (0..thread_count(None))
                .map(|_| scope.spawn(|| work(budget)))
                .collect();
            let joined = threads.into_iter().filter_map(|thread| thread.join().ok());
            joined.flatten().collect::<Vec<_>>()
        })
    })?;
    if signal != 0 {
        print_warning("interrupted before all figures were computed; no result is printed")?;
        return Err(CommandFailure::Interrupted(signal));
    }
    let mut printed = Vec::with_capacity(figures.len());
    for figure in figures {
        let Some(timed) = outputs.iter().find(|one| one.command == figure.command) else {
            return Err(CommandFailure::System(format!(
                "{} was not run",
                figure.command
            )));
        };
        let found = match serde_json::from_slice(&timed.run.out) {
            Ok(document) => printed_figure(figure, &document),
            Err(_) => PrintedTheoremCommandValue {
                text: String::from_utf8_lossy(&timed.run.err).trim().to_owned(),
                ..PrintedTheoremCommandValue::default()
            },
        };
        printed.push(PrintedTheoremCommandValue {
            milliseconds: timed.milliseconds,
            ..found
        });
    }
    Ok(printed)
}

/// Returns the figure as it is in the JSON document that its command printed. If the document lacks the field, returns
/// a note about this.
fn printed_figure(
    figure: &ExpectedTheoremCommandValue,
    document: &Value,
) -> PrintedTheoremCommandValue {
    let pointer = format!("/{}", figure.field.replace('.', "/"));
    let Some(value) = document.pointer(&pointer) else {
        return PrintedTheoremCommandValue {
            text: format!("no field {}", figure.field),
            ..PrintedTheoremCommandValue::default()
        };
    };
    let text = value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned);
    let agrees = match figure.value.strip_prefix("≈ ") {
        None => text == figure.value,
        Some(near) => {
            let pair = near.parse::<f64>().ok().zip(value.as_f64());
            pair.is_some_and(|(near, value)| (value - near).abs() < TOLERANCE * near.abs().max(1.0))
        }
    };
    PrintedTheoremCommandValue {
        text,
        agrees,
        ..PrintedTheoremCommandValue::default()
    }
}

/// Returns the words of a command line, separated by spaces. Single quotes keep words together.
fn command_words(command: &str) -> impl Iterator<Item = &str> {
    let pieces = command.split('\'').enumerate();
    pieces.flat_map(|(index, piece)| {
        let quoted = (index % 2 == 1).then_some(piece);
        let plain = (index % 2 == 0).then(|| piece.split_whitespace());
        quoted.into_iter().chain(plain.into_iter().flatten())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_figure_missing_from_the_output_does_not_agree() {
        let stated = |value: &str| ExpectedTheoremCommandValue {
            shows: String::new(),
            command: String::new(),
            field: "a.0".to_owned(),
            value: value.to_owned(),
            ..ExpectedTheoremCommandValue::default()
        };
        let document = json!({"a": ["1/2", 0.25]});
        let agrees =
            |value: &str, document: &Value| printed_figure(&stated(value), document).agrees;
        assert!(agrees("1/2", &document) && !agrees("1/3", &document));
        assert!(!agrees("1/2", &json!({"b": 1})));
        assert!(agrees("≈ 0.25", &json!({"a": [0.25]})));
        assert!(!agrees("≈ 0.25", &json!({"a": [0.2501]})));
        let parts: Vec<&str> =
            command_words("debate-tui solve x --prover 'honest(markov)'").collect();
        assert_eq!(
            parts,
            ["debate-tui", "solve", "x", "--prover", "honest(markov)"]
        );
    }
}
