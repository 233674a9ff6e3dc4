//! `guide`: the pages of the user's guide as lines of plain text.
//!
//! Pages use a small subset of Markdown: headings, paragraphs, flat lists, fenced blocks, tables, `code`, **bold**,
//! reference links to other pages, and links to addresses. `tests/program/guide.rs` checks that no other Markdown
//! remains in the text.

use std::io;
use std::iter::Peekable;
use std::str::Lines;

use clap::Args;
use ratatui::crossterm::terminal;

use super::output::{add_two_columns, is_terminal, print_lines};
use super::{CommandFailure, Result, unknown_name};
use crate::guide::{GuidePage, PAGES};
use crate::tui::widget::measure::{pad, width, wrap};
use debate_core::text::count_with_noun;

/// The maximum number of columns of a line of the guide. Pipes always get this width.
const COLUMNS: usize = 100;

/// The minimum number of columns to which lines of the guide are wrapped. On a narrower terminal, the lines are too
/// long.
const LEAST_COLUMNS: usize = 40;

/// The maximum number of characters of a code block's first line that an error message quotes.
const FIRST_LINE: usize = 32;

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/guide.txt"))]
pub(super) struct GuideArgs {
    /// The page to show; without one, the list of pages.
    topic: Option<String>,
    /// Print only the code of the page, for a file. Without a number, print the page's script or its only block, else
    /// the block with this number.
    #[arg(long, value_name = "N", requires = "topic", num_args = 0..=1, require_equals = true)]
    #[expect(
        clippy::option_option,
        reason = "clap represents a flag with an optional value as Option<Option<T>>"
    )]
    code: Option<Option<usize>>,
}

pub(super) fn run_guide(args: &GuideArgs) -> Result {
    let lines = match (&args.topic, args.code) {
        (None, _) => contents(),
        (Some(topic), None) => guide_page_lines(page(topic)?.text, columns()),
        (Some(topic), Some(number)) => code(page(topic)?, number)?,
    };
    print_lines(lines)
}

/// A fenced block of code on a page.
#[derive(Clone, Debug)]
struct CodeBlock<'p> {
    language: &'p str,
    lines: Vec<&'p str>,
}

/// Returns the code blocks of a page, in order.
fn blocks(page: &str) -> Vec<CodeBlock<'_>> {
    let mut rest = page.lines();
    let mut blocks = Vec::new();
    while let Some(line) = rest.next() {
        if let Some(language) = line.strip_prefix("```") {
            let lines = rest.by_ref().take_while(|line| *line != "```").collect();
            blocks.push(CodeBlock { language, lines });
        }
    }
    blocks
}

/// Returns the lines of the block with this number, counted from 1. Without a number, returns the page's script, or
/// else the only script or the only block on the page.
fn code(page: &GuidePage, number: Option<usize>) -> Result<Vec<String>> {
    let name = page.name;
    if let (None, Some(script)) = (number, page.script) {
        return Ok(script.lines().map(str::to_owned).collect());
    }
    let blocks = blocks(page.text);
    if blocks.is_empty() {
        return Err(CommandFailure::Input(format!(
            "the guide's page `{name}` has no code; `debate-tui guide {name}` shows the page"
        )));
    }
    let index = match number {
        Some(number) => number.checked_sub(1),
        None => only_script(&blocks),
    };
    if let Some(block) = index.and_then(|index| blocks.get(index)) {
        return Ok(block.lines.iter().map(|line| (*line).to_owned()).collect());
    }
    let first_line = |(number, block): (usize, &CodeBlock<'_>)| {
        let text = block.lines.first().copied().unwrap_or_default();
        let start: String = text.chars().take(FIRST_LINE).collect();
        let more = if start.len() < text.len() { "…" } else { "" };
        format!("--code={number} for `{start}{more}`")
    };
    let numbered: Vec<String> = (1..).zip(&blocks).map(first_line).collect();
    Err(CommandFailure::Input(format!(
        "the guide's page `{name}` has {blocks}; choose {code_flags}",
        blocks = count_with_noun(blocks.len() as u64, "block of code", "blocks of code"),
        code_flags = numbered.join(", ")
    )))
}

/// Returns the index of the only Python script among the code blocks; if there is no script, of the only block. `None`
/// if there are several, or no block.
fn only_script(blocks: &[CodeBlock<'_>]) -> Option<usize> {
    let is_script = |index: &usize| blocks[*index].language == "python";
    let scripts: Vec<usize> = (0..blocks.len()).filter(is_script).collect();
    match (scripts.as_slice(), blocks) {
        ([only], _) => Some(*only),
        ([], [_]) => Some(0),
        _ => None,
    }
}

/// Returns the list of the guide's pages as lines.
fn contents() -> Vec<String> {
    let names = PAGES.iter().map(|page| page.name.len());
    let column = names.max().unwrap_or(0);
    let mut lines = Vec::new();
    let mut section = "";
    for page in PAGES {
        if page.section != section {
            section = page.section;
            lines.push(section.to_owned());
        }
        add_two_columns(page.name, page.about, 2, column, &mut lines);
    }
    lines.push(String::new());
    lines.push("To read a page: debate-tui guide TOPIC".to_owned());
    lines
}

fn page(topic: &str) -> Result<&'static GuidePage> {
    let page = PAGES.iter().find(|page| page.name == topic);
    page.ok_or_else(|| {
        let names: Vec<&str> = PAGES.iter().map(|page| page.name).collect();
        unknown_name("unknown page", topic, &names)
    })
}

/// Returns the width to which lines are wrapped, in columns: that of the terminal, within bounds.
fn columns() -> usize {
    if !is_terminal(&io::stdout()) {
        return COLUMNS;
    }
    terminal::size().map_or(COLUMNS, |(columns, _)| {
        usize::from(columns).clamp(LEAST_COLUMNS, COLUMNS)
    })
}

/// The minimum width of the last column of a table, unless its widest cell is narrower. A table without room for the
/// last column is printed as paragraphs.
const LEAST_LAST: usize = 36;

/// Formats a page of the guide as lines. Wraps paragraphs and tables to at most `columns` columns, but not headings.
/// The lines of fenced code blocks are unchanged, so that they can be copied.
pub(super) fn guide_page_lines(guide_page: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut rest = guide_page.lines().peekable();
    while let Some(line) = rest.next() {
        if line.starts_with("```") {
            let block = rest.by_ref().take_while(|line| *line != "```");
            lines.extend(block.map(str::to_owned));
        } else if let Some(heading) = line.strip_prefix('#') {
            let sign = if heading.starts_with('#') { "-" } else { "=" };
            let heading = without_marks(heading.trim_start_matches('#').trim());
            let rule = sign.repeat(width(&heading));
            lines.extend([heading, rule]);
        } else if line.starts_with('|') {
            let mut rows = vec![cells(line)];
            while let Some(row) = rest.next_if(|line| line.starts_with('|')) {
                rows.push(cells(row));
            }
            add_table(&rows, columns, &mut lines);
        } else if line.is_empty() {
            if lines.last().is_some_and(|line| !line.is_empty()) {
                lines.push(String::new());
            }
        } else if !is_hidden(line) {
            let text = paragraph(line, &mut rest);
            let indent = marker_length(&text);
            for (number, part) in wrap(&without_marks(text.split_at(indent).1), columns - indent)
                .into_iter()
                .enumerate()
            {
                let mark = if number == 0 {
                    text.split_at(indent).0
                } else {
                    ""
                };
                lines.push(format!("{}{part}", pad(mark, indent)));
            }
        }
    }
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}

/// True if a line of a page's Markdown is not shown, because it is a comment or the target of a link.
fn is_hidden(line: &str) -> bool {
    line.starts_with("<!--") || (line.starts_with('[') && line.contains("]: "))
}

/// Returns the length of a list item's marker in bytes, including its space; 0 for other paragraphs.
fn marker_length(line: &str) -> usize {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let (number, after) = line.split_at(digits);
    match (number, after) {
        ("", after) if after.starts_with("- ") => 2,
        ("", _) => 0,
        (number, after) if after.starts_with(". ") => number.len() + 2,
        _ => 0,
    }
}

/// Joins the lines of the Markdown paragraph or list item that begins with the line `first`.
fn paragraph(first: &str, rest: &mut Peekable<Lines<'_>>) -> String {
    let ends = |line: &str| {
        let begins = ["```", "#", "|"].iter().any(|sign| line.starts_with(sign));
        line.is_empty() || begins || is_hidden(line) || marker_length(line) > 0
    };
    let mut text = first.to_owned();
    while let Some(line) = rest.next_if(|line| !ends(line)) {
        text.push(' ');
        text.push_str(line.trim_start());
    }
    text
}

/// Returns the text without the Markdown marks of bold text and links; code keeps its backticks. A link becomes its
/// name, followed in parentheses by the command that shows its page, or by its address.
fn without_marks(text: &str) -> String {
    let pieces = text.split('`').enumerate();
    pieces
        .map(|(index, piece)| match index % 2 {
            0 => without_links(&piece.replace("**", "")),
            _ => format!("`{piece}`"),
        })
        .collect()
}

fn without_links(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while let Some((before, name, target, after)) = first_link(rest) {
        let target = match target {
            Target::Page(page) => format!("debate-tui guide {page}"),
            Target::Address(address) => address.to_owned(),
        };
        shown = format!("{shown}{before}{name} ({target})");
        rest = after;
    }
    shown + rest
}

enum Target<'t> {
    Page(&'t str),
    Address(&'t str),
}

/// Finds the first Markdown link of a text. Returns the text before it, its name, its target, and the text after it.
/// `None` if the first square bracket begins no link.
fn first_link(text: &str) -> Option<(&str, &str, Target<'_>, &str)> {
    let (before, rest) = text.split_once('[')?;
    let (name, rest) = rest.split_once(']')?;
    let (target, after) = if let Some(rest) = rest.strip_prefix('[') {
        let (page, after) = rest.split_once(']')?;
        (Target::Page(page), after)
    } else {
        let (address, after) = rest.strip_prefix('(')?.split_once(')')?;
        (Target::Address(address), after)
    };
    Some((before, name, target, after))
}

/// Returns the cells of a row of a Markdown table. A bar within a cell is written `\|`.
fn cells(row: &str) -> Vec<String> {
    let marked = row.trim().trim_start_matches('|').replace("\\|", "\0");
    let cells = marked.strip_suffix('|').unwrap_or(&marked).split('|');
    cells
        .map(|cell| without_marks(&cell.trim().replace('\0', "|")))
        .collect()
}

/// Appends a Markdown table to `lines`: in columns if the last column has enough room, else each row as a paragraph.
fn add_table(rows: &[Vec<String>], columns: usize, lines: &mut Vec<String>) {
    let [head, _, body @ ..] = rows else {
        return;
    };
    let last = head.len().saturating_sub(1);
    let widest = |at: usize| {
        let cells = rows_of(head, body).filter_map(|row| row.get(at));
        cells.map(|cell| width(cell)).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..last).map(widest).collect();
    let start = widths.iter().map(|width| width + 2).sum::<usize>();
    if start + LEAST_LAST.min(widest(last)) <= columns {
        let rule: Vec<String> = (0..=last).map(|at| "-".repeat(width(&head[at]))).collect();
        for row in rows_of(head, std::slice::from_ref(&rule)).chain(body) {
            let cells = row.iter().zip(&widths);
            let mut front: String = cells.map(|(cell, width)| pad(cell, width + 2)).collect();
            for part in wrap(row.last().map_or("", |cell| cell), columns - start) {
                let line = format!("{}{part}", pad(&front, start));
                lines.push(line.trim_end().to_owned());
                front.clear();
            }
        }
        return;
    }
    let label = head
        .iter()
        .skip(1)
        .map(|cell| width(cell))
        .max()
        .unwrap_or(0);
    for (number, row) in body.iter().enumerate() {
        let mut cells = row.iter();
        if number > 0 {
            lines.push(String::new());
        }
        let name = cells.next().map_or("", |cell| cell);
        lines.extend(wrap(name, columns).into_iter().map(str::to_owned));
        for (cell, says) in cells.zip(head.iter().skip(1)) {
            // A single value cell needs no label.
            let says = if last == 1 { "" } else { says };
            let mut front = match says {
                "" => "    ".to_owned(),
                says => format!("    {}  ", pad(says, label)),
            };
            let start = width(&front);
            for part in wrap(cell, columns.saturating_sub(start)) {
                lines.push(format!("{}{part}", pad(&front, start)));
                front.clear();
            }
        }
    }
}

fn rows_of<'r>(
    head: &'r Vec<String>,
    body: &'r [Vec<String>],
) -> impl Iterator<Item = &'r Vec<String>> {
    std::iter::once(head).chain(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "\
# A page

One **bold** word, [the rules][rules] and
[an address](https://example.org), `a[0]`.

- first, which is
  two lines
- second

1. one

```sh
debate-tui primes

    kept
```

<!-- table -->
| name | about |
| --- | --- |
| `a\\|b` | what it is |
<!-- end -->

[rules]: rules.md
";

    #[test]
    fn a_guide_page_is_printed_as_plain_text() {
        let shown = guide_page_lines(PAGE, 60);
        let expected = "\
A page
======

One bold word, the rules (debate-tui guide rules) and an
address (https://example.org), `a[0]`.

- first, which is two lines
- second

1. one

debate-tui primes

    kept

name   about
----   -----
`a|b`  what it is";
        assert_eq!(shown.join("\n"), expected);
    }

    #[test]
    fn a_table_that_is_too_wide_becomes_paragraphs() {
        let page = "| a | b | c |\n| --- | --- | --- |\n| one two | three four five | six |\n| x | y | z |\n";
        let shown = guide_page_lines(page, 20);
        assert_eq!(
            shown,
            [
                "one two",
                "    b  three four",
                "       five",
                "    c  six",
                "",
                "x",
                "    b  y",
                "    c  z",
            ]
        );
    }
}
