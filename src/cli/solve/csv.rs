//! What was solved, as rows of comma-separated values.

use std::collections::HashMap;
use std::io::Write;

use crate::cli::Failure;
use debate_core::number::Number;
use debate_core::protocol::Round;
use debate_lab::analysis::Solution;
use debate_lab::expectation::ReportNumber;
use debate_lab::export::table;
use debate_lab::theory::SolvedPoint;

fn round_name(round: Round) -> String {
    match round {
        Round::Initial => "r_init".to_owned(),
        Round::Number(k) => format!("r_{k}"),
    }
}

fn cell<N: Number>(value: &N) -> String {
    ReportNumber::of(value).to_string()
}

/// One row a point; without a sweep one row an instance, and their mean.
pub(super) fn table<N: Number>(
    out: &mut impl Write,
    points: &[SolvedPoint<N>],
    sweep: Option<&str>,
) -> Result<(), Failure> {
    let Some(first) = points.first() else {
        return Ok(());
    };
    let rounds: Vec<Round> = first
        .mean
        .schedule
        .iter()
        .map(|(round, _)| *round)
        .collect();
    let mut header: Vec<String> = sweep.map(str::to_owned).into_iter().collect();
    let fixed = ["instance", "value", "variance", "answer_correct"];
    header.extend(fixed.map(str::to_owned));
    header.extend(rounds.iter().map(|round| round_name(*round)));
    writeln!(out, "{}", table::line(header))?;
    for solved in points {
        let point = &solved.point;
        let mut row = |name: &str, solution: &Solution<N>| {
            let swept = point.value.as_ref().map(N::from_exact);
            let mut cells: Vec<String> = swept.iter().map(cell).collect();
            cells.push(table::text(name));
            cells.push(cell(&point.value(solution)));
            cells.push(cell(&point.variance(solution)));
            cells.push(
                solution
                    .answer_correct
                    .as_ref()
                    .map_or_else(String::new, cell),
            );
            let paid = solution.schedule.iter().zip(point.rewards(solution));
            let paid: HashMap<_, _> = paid.map(|((round, _), reward)| (*round, reward)).collect();
            cells.extend(
                rounds
                    .iter()
                    .map(|round| paid.get(round).map_or_else(String::new, cell)),
            );
            writeln!(out, "{}", table::line(cells))
        };
        if sweep.is_none() && solved.instances.len() > 1 {
            for (name, solution) in &solved.instances {
                row(name, solution)?;
            }
        }
        match solved.instances.as_slice() {
            [(name, solution)] => row(name, solution)?,
            _ => row("all", &solved.mean)?,
        }
    }
    Ok(())
}
