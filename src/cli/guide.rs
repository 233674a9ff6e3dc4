//! `guide`: the pages of the user's guide as plain text.

mod text;

use std::io::{self, IsTerminal as _};

use clap::Args;
use ratatui::crossterm::terminal;

use super::output::{print_lines, two_columns};
use super::{Failure, unknown_name};
use crate::guide::{PAGES, Page};

/// The most columns of a line, and those of a line on a pipe.
const COLUMNS: usize = 100;

/// The fewest columns of a line: on a narrower terminal lines are too long.
const LEAST_COLUMNS: usize = 40;

#[derive(Debug, Args)]
pub(super) struct GuideArgs {
    /// The page to show; without one, the list of pages.
    topic: Option<String>,
}

pub(super) fn guide(args: &GuideArgs) -> Result<(), Failure> {
    let lines = match &args.topic {
        None => contents(),
        Some(topic) => text::lines(page(topic)?.text, columns()),
    };
    print_lines(lines)
}

/// The list of pages.
fn contents() -> Vec<String> {
    let names = PAGES.iter().map(|page| page.name.len());
    let column = names.max().unwrap_or(0);
    let mut lines = Vec::new();
    for page in PAGES {
        two_columns(page.name, page.about, 0, column, &mut lines);
    }
    lines.push(String::new());
    lines.push("To read a page: debate-tui guide TOPIC".to_owned());
    lines
}

fn page(topic: &str) -> Result<&'static Page, Failure> {
    let page = PAGES.iter().find(|page| page.name == topic);
    page.ok_or_else(|| {
        let names: Vec<&str> = PAGES.iter().map(|page| page.name).collect();
        unknown_name("the guide has no page", topic, &names)
    })
}

/// The columns of a line: those of the terminal, within bounds.
fn columns() -> usize {
    if !io::stdout().is_terminal() {
        return COLUMNS;
    }
    terminal::size().map_or(COLUMNS, |(columns, _)| {
        usize::from(columns).clamp(LEAST_COLUMNS, COLUMNS)
    })
}
