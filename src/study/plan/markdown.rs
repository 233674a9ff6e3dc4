//! Markdown of a study's texts, as HTML and as lines for terminals.
//!
//! Raw HTML is text. Links lead to `https`, `http` and `mailto` addresses only, and images refer to files in `media/`.

use std::fmt::Write as _;

use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};
use unicode_width::UnicodeWidthStr as _;

use super::media::{MediaFile, MediaFiles, MediaKind, media_type_of_file};
use debate_lab::export::escape_html_or_svg;
use debate_text::{Line, TextRole};

/// The beginnings of addresses to which a text may link.
const LINKS: [&str; 3] = ["https://", "http://", "mailto:"];

/// The maximum width of an aligned table for terminals, in columns.
const MAX_TABLE_WIDTH: usize = 72;

fn parser(text: &str) -> Parser<'_> {
    Parser::new_ext(text, Options::ENABLE_TABLES)
}

fn is_allowed_link(address: &str) -> bool {
    let lower = address.to_ascii_lowercase();
    LINKS.iter().any(|allowed| lower.starts_with(allowed))
}

/// Returns the names of the media files of a text.
///
/// # Errors
/// If an image has no alternative text, is no media file or is a file of captions. Also if a link leads elsewhere than
/// to a web or mail address.
pub(crate) fn media_names_in_text(text: &str) -> Result<Vec<String>, String> {
    let mut names = Vec::new();
    let mut open: Option<(String, String)> = None;
    for event in parser(text) {
        match event {
            Event::Start(Tag::Link { dest_url, .. }) if !is_allowed_link(&dest_url) => {
                return Err(format!(
                    "a link leads to `{dest_url}`; a link must begin with {beginnings}",
                    beginnings = LINKS.join(", ")
                ));
            }
            Event::Start(Tag::Image { dest_url, .. }) => {
                open = Some((dest_url.into_string(), String::new()));
            }
            Event::Text(words) | Event::Code(words) => {
                if let Some((_, alternative)) = &mut open {
                    alternative.push_str(&words);
                }
            }
            Event::End(TagEnd::Image) => {
                let (name, alternative) = open.take().unwrap_or_default();
                let media_type = media_type_of_file(&name)?;
                if media_type.kind == MediaKind::Captions {
                    return Err(format!(
                        "`{name}` is a file of captions; name the video, whose page shows captions of the same name"
                    ));
                }
                if alternative.trim().is_empty() {
                    return Err(format!(
                        "the file `{name}` has no alternative text; describe it between the brackets: ![a map of the town]({name})"
                    ));
                }
                names.push(name);
            }
            _ => {}
        }
    }
    Ok(names)
}

/// Returns a Markdown text as HTML. Raw HTML in it is shown as text, and links that are not allowed lose their address.
pub(crate) fn markdown_html(text: &str, media: &MediaFiles) -> String {
    let mut events = Vec::new();
    // The address and the alternative text of the open image.
    let mut image: Option<(String, String)> = None;
    let mut open_links = Vec::new();
    for event in parser(text) {
        if let Some((name, alternative)) = &mut image {
            match event {
                Event::Text(words) | Event::Code(words) => alternative.push_str(&words),
                Event::SoftBreak | Event::HardBreak => alternative.push(' '),
                Event::End(TagEnd::Image) => {
                    let html = media_html(name, alternative, media);
                    events.push(Event::InlineHtml(html.into()));
                    image = None;
                }
                _ => {}
            }
            continue;
        }
        events.push(match event {
            Event::Html(html) | Event::InlineHtml(html) => Event::Text(html),
            Event::SoftBreak => Event::Text(CowStr::Borrowed(" ")),
            Event::Start(Tag::Image { dest_url, .. }) => {
                image = Some((dest_url.into_string(), String::new()));
                continue;
            }
            Event::Start(Tag::Link { dest_url, .. }) => {
                let is_allowed = is_allowed_link(&dest_url);
                open_links.push(is_allowed);
                if !is_allowed {
                    continue;
                }
                // A new tab, so that the page of the study stays open.
                let address = escape_html_or_svg(&dest_url);
                let html =
                    format!("<a href=\"{address}\" target=\"_blank\" rel=\"noopener noreferrer\">");
                Event::InlineHtml(html.into())
            }
            Event::End(TagEnd::Link) => {
                if open_links.pop() != Some(true) {
                    continue;
                }
                Event::InlineHtml(CowStr::Borrowed("</a>"))
            }
            // The heading of the page has the first level. Classes and ids of headings are not enabled.
            Event::Start(Tag::Heading { level, .. }) => Event::Start(Tag::Heading {
                level: level_below(level),
                id: None,
                classes: Vec::new(),
                attrs: Vec::new(),
            }),
            Event::End(TagEnd::Heading(level)) => Event::End(TagEnd::Heading(level_below(level))),
            event => event,
        });
    }
    let mut out = String::new();
    html::push_html(&mut out, events.into_iter());
    out
}

fn level_below(level: HeadingLevel) -> HeadingLevel {
    match level {
        HeadingLevel::H1 => HeadingLevel::H2,
        HeadingLevel::H2 => HeadingLevel::H3,
        HeadingLevel::H3 => HeadingLevel::H4,
        HeadingLevel::H4 => HeadingLevel::H5,
        HeadingLevel::H5 | HeadingLevel::H6 => HeadingLevel::H6,
    }
}

/// Returns an image, audio or video element. If the study does not have the file, returns only the alternative text.
fn media_html(name: &str, alternative: &str, media: &MediaFiles) -> String {
    let alternative_text = escape_html_or_svg(alternative.trim());
    let Some(file) = media.file(name) else {
        return alternative_text;
    };
    let address =
        |name: &str, file: &MediaFile| format!("{name}?{}", file.digest_part_in_address());
    let source = address(name, file);
    match file.media_type.kind {
        MediaKind::Image => format!("<img src=\"{source}\" alt=\"{alternative_text}\">"),
        MediaKind::Audio => format!(
            "<audio controls preload=\"metadata\" src=\"{source}\" aria-label=\"{alternative_text}\">{alternative_text}</audio>"
        ),
        MediaKind::Video => {
            let captions =
                media
                    .captions_name_and_file(name)
                    .map_or_else(String::new, |(name, file)| {
                        let source = address(&name, file);
                        format!("<track kind=\"captions\" src=\"{source}\" default>")
                    });
            format!(
                "<video controls playsinline preload=\"metadata\" src=\"{source}\" aria-label=\"{alternative_text}\">{captions}{alternative_text}</video>"
            )
        }
        MediaKind::Captions => alternative_text,
    }
}

/// Returns a Markdown text as lines for terminals: lists with bullets, aligned tables, and the alternative texts of
/// media.
pub(crate) fn markdown_terminal_lines(text: &str) -> Vec<Line> {
    let mut writer = LineWriter::default();
    parser(text).for_each(|event| writer.add(event));
    writer.end_line();
    while writer.lines.last().is_some_and(|line| line.body.is_empty()) {
        writer.lines.pop();
    }
    writer.lines
}

/// The lines that were rendered so far from a Markdown text.
#[derive(Default)]
struct LineWriter {
    lines: Vec<Line>,
    line: Line,
    /// For each open list, the number of its next item; `None` for lists with bullets.
    lists: Vec<Option<u64>>,
    /// Number of open block quotes.
    quotes: usize,
    /// True inside a heading.
    in_heading: bool,
    /// Number of open emphases.
    emphases: usize,
    /// For each open link: its address, and the text since its start.
    links: Vec<(String, String)>,
    /// The kind and the alternative text of the image, audio or video that is open.
    image: Option<(&'static str, String)>,
    /// The cells read so far of the table whose end is still to come, by row; `None` outside of tables.
    table: Option<Vec<Vec<String>>>,
}

impl LineWriter {
    fn add(&mut self, event: Event<'_>) {
        if let Some((kind, alternative)) = &mut self.image {
            match event {
                Event::Text(words) | Event::Code(words) => alternative.push_str(&words),
                Event::SoftBreak | Event::HardBreak => alternative.push(' '),
                Event::End(TagEnd::Image) => {
                    let words = format!("[{kind}: {}]", alternative.trim());
                    self.image = None;
                    self.write(&words);
                }
                _ => {}
            }
            return;
        }
        match event {
            Event::Text(words)
            | Event::Code(words)
            | Event::Html(words)
            | Event::InlineHtml(words) => {
                self.write_rows(&words);
            }
            Event::SoftBreak => self.write(" "),
            Event::HardBreak => self.end_line(),
            Event::Rule => {
                self.begin_block();
                self.write("———");
                self.end_line();
            }
            Event::Start(tag) => self.open(tag),
            Event::End(tag) => self.close(tag),
            _ => {}
        }
    }

    fn open(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { .. } => {
                self.begin_block();
                self.in_heading = true;
            }
            Tag::Paragraph | Tag::CodeBlock(_) | Tag::HtmlBlock => self.begin_block(),
            Tag::BlockQuote(_) => {
                self.begin_block();
                self.quotes += 1;
            }
            Tag::List(first) => {
                if self.lists.is_empty() {
                    self.begin_block();
                } else {
                    self.end_line();
                }
                self.lists.push(first);
            }
            Tag::Item => self.begin_item(),
            Tag::Emphasis | Tag::Strong => self.emphases += 1,
            Tag::Link { dest_url, .. } => {
                self.links.push((dest_url.into_string(), String::new()));
            }
            Tag::Image { dest_url, .. } => {
                let kind = match media_type_of_file(&dest_url).map(|it| it.kind) {
                    Ok(MediaKind::Audio) => "audio",
                    Ok(MediaKind::Video) => "video",
                    _ => "image",
                };
                self.image = Some((kind, String::new()));
            }
            Tag::Table(_) => {
                self.begin_block();
                self.table = Some(Vec::new());
            }
            Tag::TableHead | Tag::TableRow => {
                if let Some(rows) = &mut self.table {
                    rows.push(Vec::new());
                }
            }
            Tag::TableCell => {
                if let Some(row) = self.table.as_mut().and_then(|rows| rows.last_mut()) {
                    row.push(String::new());
                }
            }
            _ => {}
        }
    }

    fn close(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => {
                self.end_line();
                self.in_heading = false;
            }
            TagEnd::Paragraph | TagEnd::Item | TagEnd::CodeBlock | TagEnd::HtmlBlock => {
                self.end_line();
            }
            TagEnd::BlockQuote(_) => self.quotes = self.quotes.saturating_sub(1),
            TagEnd::List(_) => {
                self.end_line();
                self.lists.pop();
            }
            TagEnd::Emphasis | TagEnd::Strong => self.emphases = self.emphases.saturating_sub(1),
            TagEnd::Link => {
                if let Some((address, words)) = self.links.pop()
                    && is_allowed_link(&address)
                    && address.trim_start_matches("mailto:") != words
                {
                    self.write(&format!(" ({address})"));
                }
            }
            TagEnd::Table => self.write_table(),
            _ => {}
        }
    }

    /// Ends the current line and separates the next block by an empty line. Does nothing inside a list, so blocks of a
    /// list item follow each other without an empty line.
    fn begin_block(&mut self) {
        if !self.lists.is_empty() {
            return;
        }
        self.end_line();
        if self.lines.last().is_some_and(|line| !line.body.is_empty()) {
            self.lines.push(Line::default());
        }
    }

    fn begin_item(&mut self) {
        self.end_line();
        let indent = "  ".repeat(self.lists.len().saturating_sub(1));
        let mark = match self.lists.last_mut() {
            Some(Some(number)) => {
                *number += 1;
                format!("{}.", *number - 1)
            }
            _ => "•".to_owned(),
        };
        self.write(&format!("{indent}{mark} "));
    }

    fn write_rows(&mut self, words: &str) {
        for (row, words) in words.trim_end_matches('\n').split('\n').enumerate() {
            if row > 0 {
                self.end_line();
            }
            self.write(words);
        }
    }

    fn write(&mut self, words: &str) {
        if let Some((_, link)) = self.links.last_mut() {
            link.push_str(words);
        }
        if let Some(rows) = &mut self.table {
            if let Some(cell) = rows.last_mut().and_then(|row| row.last_mut()) {
                cell.push_str(words);
            }
            return;
        }
        if words.is_empty() {
            return;
        }
        let role = if self.in_heading || self.emphases > 0 {
            TextRole::Title
        } else {
            TextRole::Text
        };
        let mut line = std::mem::take(&mut self.line);
        if line.body.is_empty() && self.quotes > 0 {
            line = line.append_span(TextRole::Faint, "> ".repeat(self.quotes));
        }
        self.line = line.append_span(role, words);
    }

    fn end_line(&mut self) {
        if !self.line.body.is_empty() {
            self.lines.push(std::mem::take(&mut self.line));
        }
    }

    fn write_table(&mut self) {
        let rows = self.table.take().unwrap_or_default();
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        let cells = |column: usize| rows.iter().filter_map(move |row| row.get(column));
        let widths: Vec<usize> = (0..columns)
            .map(|column| cells(column).map(|cell| cell.width()).max().unwrap_or(0))
            .collect();
        // A fixed line is cut at the edge of the window, so the cells of a wide table are not aligned.
        let is_fixed = widths.iter().map(|width| width + 2).sum::<usize>() <= MAX_TABLE_WIDTH;
        for (index, row) in rows.iter().enumerate() {
            let role = if index == 0 {
                TextRole::Title
            } else {
                TextRole::Text
            };
            if !is_fixed {
                self.lines.push(Line::unlabelled(role, row.join(" | ")));
                continue;
            }
            let mut text = String::new();
            for (cell, width) in row.iter().zip(&widths) {
                let padding = width.saturating_sub(cell.width()) + 2;
                let _ = write!(text, "{cell}{}", " ".repeat(padding));
            }
            self.lines.push(Line {
                fixed: true,
                ..Line::unlabelled(role, text.trim_end())
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn html(text: &str) -> String {
        markdown_html(text, &MediaFiles::default())
    }

    fn lines(text: &str) -> Vec<String> {
        markdown_terminal_lines(text)
            .iter()
            .map(Line::plain_body_text)
            .collect()
    }

    #[test]
    fn markup_of_the_author_is_text() {
        for hostile in [
            "<script>alert(1)</script>",
            "a <img src=x onerror=alert(1)> b",
            "<b onclick='x'>bold</b>",
            "[x](javascript:alert(1))",
            "[x](JaVaScRiPt:alert(1))",
            "[x](data:text/html,<script>)",
            "[x](//example.org)",
            "<javascript:alert(1)>",
            "![x](https://example.org/pixel.png)",
            "![\"><script>](media/x.png)",
            "# <i>x</i> {onclick=alert(1)}",
            "| <u>a</u> |\n|---|\n| <script>b</script> |",
            "[a]: javascript:alert(1)\n\n[a]",
            "> <iframe src=x>\n\n- <style>*{}</style>",
        ] {
            let html = html(hostile);
            for forbidden in [
                "<script",
                "<img",
                "<b ",
                "<i>",
                "<u>",
                "<iframe",
                "<style",
                "href=\"javascript",
                "href=\"data",
            ] {
                assert!(
                    !html.to_lowercase().contains(forbidden),
                    "{hostile}: {html}"
                );
            }
            // Every text is well-formed.
            assert_is_balanced(&html);
        }
    }

    /// Checks that all HTML elements are closed in the right order.
    fn assert_is_balanced(html: &str) {
        let mut open = Vec::new();
        for tag in html.split('<').skip(1) {
            let tag = tag.split('>').next().unwrap();
            let name = tag.split_whitespace().next().unwrap_or_default();
            if let Some(name) = name.strip_prefix('/') {
                assert_eq!(open.pop(), Some(name), "{html}");
            } else if !tag.ends_with('/') && !["img", "br", "hr", "track"].contains(&name) {
                open.push(name);
            }
        }
        assert!(open.is_empty(), "{html}");
    }

    #[test]
    fn links_open_in_a_new_tab() {
        let html =
            html("See [the *rules*](https://example.org/?a=1&b=\"2\") or <mailto:a@example.org>.");
        let link = "<a href=\"https://example.org/?a=1&amp;b=&quot;2&quot;\" target=\"_blank\" rel=\"noopener noreferrer\">the <em>rules</em></a>";
        assert!(html.contains(link), "{html}");
        assert!(html.contains("href=\"mailto:a@example.org\""), "{html}");
    }

    #[test]
    fn texts_with_forbidden_links_or_images_are_refused() {
        for (text, part) in [
            (
                "[x](javascript:alert(1))",
                "a link leads to `javascript:alert(1)`",
            ),
            ("[x](other.md)", "a link leads to `other.md`"),
            ("![](media/a.png)", "`media/a.png` has no alternative text"),
            ("![ ](media/a.png)", "has no alternative text"),
            (
                "![x](https://example.org/a.png)",
                "is not allowed; write a path in media/",
            ),
            (
                "![x](media/../a.png)",
                "is not allowed; write a path in media/",
            ),
            ("![x](media/a.svg)", "SVG is not allowed"),
            ("![x](media/a.vtt)", "is a file of captions"),
        ] {
            let why = media_names_in_text(text).expect_err(text);
            assert!(why.contains(part), "{text}: {why}");
        }
        let names =
            media_names_in_text("![A *map*](media/a.png)\n\n- ![Song](media/b.mp3)").unwrap();
        assert_eq!(names, ["media/a.png", "media/b.mp3"]);
    }

    #[test]
    fn media_have_elements_with_alternative_texts() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("media")).unwrap();
        let mut media = MediaFiles::default();
        for (name, bytes) in [
            ("media/a.png", &b"\x89PNG"[..]),
            ("media/b.mp3", b"ID3"),
            ("media/c.vtt", b"WEBVTT"),
            ("media/c.mp4", b"\0\0\0\0ftyp"),
        ] {
            fs::write(folder.path().join(name), bytes).unwrap();
            if !name.contains("vtt") {
                media
                    .read_media_file(folder.path(), name, "howto.md")
                    .unwrap();
            }
        }
        let text = "![A \"map\"](media/a.png) ![A song](media/b.mp3) ![A walk](media/c.mp4)";
        let html = markdown_html(text, &media);
        let version = media.file("media/a.png").unwrap().digest_part_in_address();
        let image = format!("<img src=\"media/a.png?{version}\" alt=\"A &quot;map&quot;\">");
        assert!(html.contains(&image), "{html}");
        assert!(
            html.contains("aria-label=\"A song\">A song</audio>"),
            "{html}"
        );
        assert!(
            html.contains("<track kind=\"captions\" src=\"media/c.vtt?"),
            "{html}"
        );
        assert_eq!(
            lines(text),
            ["[image: A \"map\"] [audio: A song] [video: A walk]"]
        );
    }

    #[test]
    fn terminals_get_bullets_aligned_tables_and_addresses() {
        let text = "# Your *task*\n\nRead **all**\nof it.\n\n1. one\n2. two\n   - inner\n\n| Task | Minutes |\n|---|---|\n| *long name* | 5 |\n| x | 10 |\n\n> quoted\n\nSee [us](https://example.org) or <https://example.org>.\n\n    code  here\n\n<b>raw</b>";
        assert_eq!(
            lines(text),
            [
                "Your task",
                "",
                "Read all of it.",
                "",
                "1. one",
                "2. two",
                "  • inner",
                "",
                "Task       Minutes",
                "long name  5",
                "x          10",
                "",
                "> quoted",
                "",
                "See us (https://example.org) or https://example.org.",
                "",
                "code  here",
                "",
                "<b>raw</b>",
            ]
        );
        let prose = markdown_terminal_lines(text);
        let strong = prose[2].body.iter().find(|span| span.text == "all");
        assert_eq!(strong.map(|span| span.role), Some(TextRole::Title));
        assert!(prose[8].fixed);
        // A wide table is wrapped instead of cut.
        let wide = format!("| a | b |\n|---|---|\n| {} | c |", "word ".repeat(20));
        let prose = markdown_terminal_lines(&wide);
        assert!(
            !prose[1].fixed && prose[1].plain_body_text().ends_with("word | c"),
            "{prose:?}"
        );
    }

    /// Checks that deep nesting and long texts do not exhaust the stack or take quadratic time.
    #[test]
    fn large_and_nested_texts_are_rendered() {
        for text in [
            "> ".repeat(20_000),
            "- ".repeat(20_000),
            "[".repeat(50_000),
            "*a ".repeat(50_000),
            "![".repeat(20_000),
        ] {
            assert!(!html(&text).contains("<script"));
            markdown_terminal_lines(&text);
            let _ = media_names_in_text(&text);
        }
    }
}
