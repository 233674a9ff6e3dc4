//! The report as one page of HTML, which needs nothing else.

use std::fmt::Write as _;

use crate::report::StudyReport;
use crate::report::summary::{Part, parts};
use debate_lab::export::safe::markup;
use debate_lab::judgements::chart;

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
