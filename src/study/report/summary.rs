//! The report in words: lines for a terminal, and Markdown.

use std::fmt::Write as _;

use crate::plan::Stage;
use crate::report::{Ends, MeanReport, PrimaryReport, StudyCondition, StudyReport};
use debate_lab::export::safe::markup;
use debate_lab::judgements::{Bin, ConditionReport, chart};

/// The most characters of a line of text.
const WIDTH: usize = 100;
/// Marks of a reliability diagram in text, from none right to all.
const COLUMNS: usize = 20;

/// Headings, tables and paragraphs of a report.
pub(crate) enum Part {
    Heading(String),
    Text(String),
    Table(Vec<Vec<String>>),
}

fn number(value: f64) -> String {
    format!("{value:.3}")
}

fn optional(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), number)
}

fn ends(ends: Option<Ends>) -> String {
    ends.map_or_else(
        || "-".to_owned(),
        |ends| format!("{:.3} to {:.3}", ends.low, ends.high),
    )
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

fn row<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(str::to_owned).to_vec()
}

/// The report as lines of text.
pub fn text(report: &StudyReport) -> String {
    let mut out = String::new();
    for part in parts(report) {
        match part {
            // Writing to a string cannot fail.
            Part::Heading(heading) => {
                let _ = writeln!(out, "\n{heading}");
            }
            Part::Text(text) => out += &wrapped(&text),
            Part::Table(rows) => out += &aligned(&rows),
        }
    }
    out.trim_start().to_owned()
}

/// A paragraph in lines of at most [`WIDTH`] characters, set in as its first line is.
fn wrapped(text: &str) -> String {
    let indent = " ".repeat(text.len() - text.trim_start().len());
    let mut out = String::new();
    let mut column = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > WIDTH {
            out.push('\n');
            column = 0;
        }
        let before = if column == 0 { indent.as_str() } else { " " };
        out += before;
        out += word;
        column += before.len() + length;
    }
    out.push('\n');
    out
}

/// The report as Markdown.
pub fn markdown(report: &StudyReport) -> String {
    let mut out = String::new();
    for (place, part) in parts(report).into_iter().enumerate() {
        let _ = match part {
            Part::Heading(heading) if place == 0 => writeln!(out, "# {heading}\n"),
            Part::Heading(heading) => writeln!(out, "\n## {heading}\n"),
            Part::Text(text) => writeln!(out, "{text}\n"),
            Part::Table(rows) => {
                let mut rows = rows.into_iter();
                let head = rows.next().unwrap_or_default();
                let rule = vec!["---"; head.len()].join(" | ");
                let _ = writeln!(out, "| {} |\n| {rule} |", head.join(" | "));
                rows.try_for_each(|row| writeln!(out, "| {} |", row.join(" | ")))
                    .and_then(|()| writeln!(out))
            }
        };
    }
    out
}

/// Columns of a table, the first to the left and the others to the right.
fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter()
            .filter_map(|row| row.get(column))
            .map(|cell| cell.chars().count())
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut out = String::new();
    for row in rows {
        for (place, cell) in row.iter().enumerate() {
            let width = widths[place];
            let _ = match place {
                0 => write!(out, "  {cell:<width$}"),
                _ => write!(out, "  {cell:>width$}"),
            };
        }
        let kept = out.trim_end().len();
        out.truncate(kept);
        out.push('\n');
    }
    out
}

/// What a report says, in order.
pub(crate) fn parts(report: &StudyReport) -> Vec<Part> {
    let mut parts = vec![
        Part::Heading(report.title.clone()),
        Part::Text(standing(report)),
    ];
    flow(report, &mut parts);
    conditions(report, &mut parts);
    primary(&report.primary, report.simulated, &mut parts);
    calibration(report, &mut parts);
    rounds(report, &mut parts);
    queries(report, &mut parts);
    quality(report, &mut parts);
    parts
}

fn standing(report: &StudyReport) -> String {
    let judges = if report.simulated {
        " SIMULATED JUDGES: this tests the pipeline and says nothing about people."
    } else {
        ""
    };
    let stage = match report.stage {
        Stage::Debug => " Stage Debug: never counted.".to_owned(),
        stage => format!(" Stage {}.", stage.name()),
    };
    let lock = match (&report.lock, report.simulated) {
        (Some(hash), _) => format!(" Locked: {hash}."),
        (None, true) => String::new(),
        (None, false) => " Not locked.".to_owned(),
    };
    format!("{}.{stage}{lock}{judges}", report.id)
}

fn flow(report: &StudyReport, parts: &mut Vec<Part>) {
    let flow = &report.flow;
    parts.push(Part::Heading("Who took part".to_owned()));
    let mut rows = vec![row(["", "sessions"])];
    for (status, count) in &flow.by_status {
        rows.push(vec![status.replace('_', " "), count.to_string()]);
    }
    for (why, count) in &flow.excluded {
        rows.push(vec![
            format!("complete, but excluded: {}", why.replace('_', " ")),
            count.to_string(),
        ]);
    }
    if flow.forgotten > 0 {
        rows.push(vec![
            "forgotten on request".to_owned(),
            flow.forgotten.to_string(),
        ]);
    }
    if flow.damaged > 0 {
        rows.push(vec!["damaged".to_owned(), flow.damaged.to_string()]);
    }
    rows.push(vec![
        format!("counted, of a target of {}", flow.target),
        flow.counted.to_string(),
    ]);
    parts.push(Part::Table(rows));
    parts.extend(report.damage.sentences().into_iter().map(Part::Text));
    if report.programs.len() > 1 {
        parts.push(Part::Text(format!(
            "Versions of the program: {}.",
            report.programs.join(", ")
        )));
    }
    if let Some(minutes) = flow.active_minutes_median {
        parts.push(Part::Text(format!(
            "Median active time of a session: {minutes:.1} minutes."
        )));
    }
}

fn conditions(report: &StudyReport, parts: &mut Vec<Part>) {
    parts.push(Part::Heading("Conditions".to_owned()));
    let mut rows = vec![row([
        "condition",
        "right",
        "Wilson 95 %",
        "Brier",
        "95 % by people",
        "95 % by items",
        "log2 score",
        "seconds",
    ])];
    for condition in &report.conditions {
        rows.push(condition_row(condition));
    }
    parts.push(Part::Table(rows));
    parts.push(Part::Text(
        "Right: judgements that gave the right answer more than one half; Wilson's interval takes them for independent. \
         Brier and score are means of participants' means; Brier: 0 is the best, 0.25 is one half throughout; score in \
         bits, 0 is the best. Seconds: median active time of a trial."
            .to_owned(),
    ));
    for condition in &report.conditions {
        let Some(chose) = condition.chose_first else {
            continue;
        };
        let before = condition.brier_before.map_or_else(String::new, |it| {
            format!("; Brier before anything was told {it:.3}")
        });
        let rounds = condition
            .rounds_mean
            .filter(|it| *it > 0.0)
            .map_or_else(String::new, |it| format!("; {it:.1} rounds on average"));
        parts.push(Part::Text(format!(
            "{}: {} participants; chose what stood first in {} of the trials, where it was right in {}{before}{rounds}.",
            condition.id,
            condition.participants,
            percent(chose),
            percent(condition.first_was_right.unwrap_or(0.0)),
        )));
    }
}

fn condition_row(condition: &StudyCondition) -> Vec<String> {
    let wilson = condition.wilson95.map_or_else(
        || "-".to_owned(),
        |[low, high]| format!("{:.0} to {:.0} %", low * 100.0, high * 100.0),
    );
    let of = |report: &Option<MeanReport>| optional(report.as_ref().map(|it| it.mean));
    let brier = condition.brier.as_ref();
    vec![
        condition.id.clone(),
        format!("{}/{}", condition.correct, condition.n),
        wilson,
        of(&condition.brier),
        ends(brier.and_then(|it| it.participants95)),
        ends(brier.and_then(|it| it.items95)),
        of(&condition.log2_score),
        condition
            .active_seconds_median
            .map_or_else(|| "-".to_owned(), |it| format!("{it:.0}")),
    ]
}

/// The spread of simulated judges says nothing of what can be found with people.
fn primary(contrast: &PrimaryReport, simulated: bool, parts: &mut Vec<Part>) {
    parts.push(Part::Heading(format!(
        "Primary contrast: {} of {} less {}",
        contrast.measure.name(),
        contrast.of,
        contrast.against
    )));
    let within = if contrast.paired {
        "within participants, paired t"
    } else {
        "between participants, Welch's t"
    };
    let mut rows = vec![row(["", "difference", "95 %"])];
    rows.push(vec![
        format!("{within}, n = {}", contrast.participants),
        optional(contrast.difference),
        ends(contrast.t95),
    ]);
    if contrast.paired {
        rows.push(vec![
            "studentised bootstrap".to_owned(),
            optional(contrast.difference),
            ends(contrast.bootstrap95),
        ]);
        rows.push(vec![
            "by items".to_owned(),
            optional(contrast.by_items),
            ends(contrast.items95),
        ]);
    }
    parts.push(Part::Table(rows));
    let p = contrast
        .t_p
        .map_or_else(String::new, |p| format!(" p = {p:.3}."));
    parts.push(Part::Text(format!("{}{p}", contrast.verdict)));
    if let Some(least) = contrast.detectable_at_target.filter(|_| !simulated) {
        parts.push(Part::Text(format!(
            "At the target the smallest difference that is found four times out of five is {least:.3}, with the spread between \
             participants that was found here (sd {}).",
            optional(contrast.sd)
        )));
    }
    if let (Some(stated), Some(power)) = (contrast.stated, contrast.stated_power) {
        parts.push(Part::Text(format!(
            "Stated effect {} with sd {}: power {} at the target; the smallest effect that is found four times out of five is {}.",
            stated.effect,
            stated.sd,
            percent(power),
            optional(contrast.stated_detectable)
        )));
    }
}

fn calibration(report: &StudyReport, parts: &mut Vec<Part>) {
    parts.push(Part::Heading("Calibration".to_owned()));
    for condition in &report.judgements.conditions {
        parts.push(Part::Text(format!("{}:", condition.condition)));
        parts.push(Part::Table(diagram(condition)));
        parts.push(Part::Text(format!(
            "  ECE {:.3}; a perfectly calibrated judge with the same numbers is expected to show {:.3} (ten bins of the likelier \
             answer's probability, closed on the left, even odds half right)",
            condition.calibration_error, condition.calibration_noise
        )));
    }
}

/// A row a bin: a mark where the share of right answers is, a bar where it should be.
fn diagram(condition: &ConditionReport) -> Vec<Vec<String>> {
    let mut rows = vec![row([
        "held",
        "right",
        "0 % to 100 % right (| held, o right)",
    ])];
    for bin in &condition.reliability {
        rows.push(vec![
            format!("{:.0} to {:.0} %", bin.from * 100.0, bin.to * 100.0),
            format!("{}/{}", bin.hits, bin.count),
            marks(bin),
        ]);
    }
    rows
}

fn marks(bin: &Bin) -> String {
    let count = f64::from(u32::try_from(bin.count).unwrap_or(u32::MAX));
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a place among twenty"
    )]
    let place = |share: f64| ((share * COLUMNS as f64).round() as usize).min(COLUMNS);
    let mut line = vec!['.'; COLUMNS + 1];
    line[place(bin.mean_confidence)] = '|';
    line[place(bin.hits / count)] = 'o';
    line.into_iter().collect()
}

fn rounds(report: &StudyReport, parts: &mut Vec<Part>) {
    let mut rows = vec![row([
        "condition",
        "after round",
        "right",
        "held on average",
    ])];
    for condition in &report.judgements.conditions {
        for round in &condition.by_round {
            rows.push(vec![
                condition.condition.clone(),
                round.round.to_string(),
                format!("{}/{}", round.correct, round.judgements),
                percent(round.mean_p_correct),
            ]);
        }
    }
    if rows.len() > 1 {
        parts.push(Part::Heading("By round".to_owned()));
        parts.push(Part::Table(rows));
    }
}

fn queries(report: &StudyReport, parts: &mut Vec<Part>) {
    let queries = &report.queries;
    if queries.n == 0 {
        return;
    }
    parts.push(Part::Heading(
        "Small claims that participants decided".to_owned(),
    ));
    let rate = |rate: Option<[f64; 2]>| {
        rate.map_or_else(
            || "-".to_owned(),
            |[low, high]| format!("{:.0} to {:.0} %", low * 100.0, high * 100.0),
        )
    };
    let mut rows = vec![row(["", "wrong", "95 %"])];
    for class in &queries.classes {
        rows.push(vec![
            class.class.to_owned(),
            format!("{}/{}", class.errors, class.n),
            rate(class.error_rate95),
        ]);
    }
    rows.push(vec![
        "all".to_owned(),
        format!("{}/{}", queries.errors, queries.n),
        rate(queries.error_rate95),
    ]);
    parts.push(Part::Table(rows));
    for condition in &report.conditions {
        if let Some(allowed) = condition.judge_error_allowed {
            parts.push(Part::Text(format!(
                "{}: where the decomposition is stable, honest Alice keeps her bound (PE Lemma A.5) before judges \
                 who err at most {allowed:.3} of the time.",
                condition.id
            )));
        }
    }
    let mut rows = vec![row(["judge", "wrong", "on true", "on false"])];
    for judge in &queries.judges {
        rows.push(vec![
            judge.participant.clone(),
            format!("{}/{}", judge.errors, judge.n),
            judge.on_true.to_string(),
            judge.on_false.to_string(),
        ]);
    }
    if rows.len() <= 41 {
        parts.push(Part::Table(rows));
    }
    if let (Some(oracle), Some(player)) = (&queries.oracle, &queries.player) {
        parts.push(Part::Text(format!(
            "A judge who errs as often: `oracle: {oracle}` in a scenario, or `--judge '{player}'`, for solve and simulate."
        )));
    }
}

fn quality(report: &StudyReport, parts: &mut Vec<Part>) {
    let quality = &report.quality;
    parts.push(Part::Heading("Quality".to_owned()));
    parts.push(Part::Text(format!(
        "{} questions of attention failed; {} sessions resumed; {} trials interrupted, {} over the time limit.",
        quality.attention_failed, quality.resumes, quality.interrupted_trials, quality.trials_over_limit
    )));
    if let Some(gap) = quality.repeat_difference {
        parts.push(Part::Text(format!(
            "{} trials came twice; both numbers were {:.0} points apart on average.",
            quality.repeated,
            gap * 100.0
        )));
    }
    if let (Some(first), Some(second)) = (quality.first_half_brier, quality.second_half_brier) {
        parts.push(Part::Text(format!(
            "Brier score in the first half of the trials {first:.3}, in the second {second:.3}."
        )));
    }
    for (label, answers) in &quality.guesses {
        let counts: Vec<String> = answers
            .iter()
            .map(|(answer, count)| format!("{} {count}", answer.replace('_', " ")))
            .collect();
        parts.push(Part::Text(format!(
            "What was thought of {label}: {}.",
            counts.join(", ")
        )));
    }
}

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}\
table{border-collapse:collapse;margin:.5rem 0}td,th{padding:.2rem .8rem;border-bottom:1px solid #ddd;text-align:right}\
td:first-child,th:first-child{text-align:left}svg{max-width:100%;height:auto}td{white-space:pre;font-variant-numeric:tabular-nums}";

/// A report as one page.
pub fn html(report: &StudyReport) -> String {
    let title = markup(&report.title);
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width\">\n<title>{title}</title>\n<style>{STYLE}</style>\n"
    );
    for (place, part) in parts(report).into_iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = match part {
            Part::Heading(heading) if place == 0 => writeln!(out, "<h1>{}</h1>", markup(&heading)),
            Part::Heading(heading) => {
                if heading == "Calibration" && !report.judgements.conditions.is_empty() {
                    out += &chart(&report.judgements);
                }
                writeln!(out, "<h2>{}</h2>", markup(&heading))
            }
            Part::Text(text) => writeln!(out, "<p>{}</p>", markup(&text)),
            Part::Table(rows) => writeln!(out, "{}", table(&rows)),
        };
    }
    out.push_str("</html>\n");
    out
}

fn table(rows: &[Vec<String>]) -> String {
    let mut out = "<table>".to_owned();
    for (place, row) in rows.iter().enumerate() {
        let tag = if place == 0 { "th" } else { "td" };
        out += "<tr>";
        for cell in row {
            let _ = write!(out, "<{tag}>{}</{tag}>", markup(cell));
        }
        out += "</tr>";
    }
    out + "</table>"
}
