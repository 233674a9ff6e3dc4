//! One line of names, one of them in front: for when there is room for one panel at a time.

use ratatui::{buffer::Buffer, layout::Rect};

use super::measure;
use crate::tui::theme::{Appearance, StyleRole};

/// Draws the names; the one in front is in brackets. Where there is no room
/// for all, those before the one in front give way first.
pub fn render(names: &[String], front: usize, look: &Appearance, buffer: &mut Buffer, area: Rect) {
    let mut room = Rect {
        height: area.height.min(1),
        ..area
    };
    for (number, text) in in_view(names, front, room.width) {
        let style = look.style(if number == front {
            StyleRole::Selected
        } else {
            StyleRole::Text
        });
        room = measure::after(room, measure::put(&text, style, buffer, room));
    }
}

/// The tab under a column of the line, for a click.
pub fn tab_at(names: &[String], front: usize, column: u16, area: Rect) -> Option<usize> {
    let mut end = usize::from(area.x);
    let column = usize::from(column);
    in_view(names, front, area.width).find_map(|(number, text)| {
        let start = end;
        end += measure::width(&text);
        (start..end).contains(&column).then_some(number)
    })
}

fn in_view(names: &[String], front: usize, columns: u16) -> impl Iterator<Item = (usize, String)> {
    let text = move |number: usize, name: &str| {
        if number == front {
            format!("[{name}]")
        } else {
            format!(" {name} ")
        }
    };
    let tabs: Vec<_> = names
        .iter()
        .enumerate()
        .map(|(n, name)| (n, text(n, name)))
        .collect();
    let width =
        |tabs: &[(usize, String)]| tabs.iter().map(|(_, t)| measure::width(t)).sum::<usize>();
    let columns = usize::from(columns);
    let first = (0..front.min(tabs.len()))
        .find(|&first| width(&tabs[first..=front.min(tabs.len() - 1)]) <= columns)
        .unwrap_or(front);
    tabs.into_iter().skip(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::widget::testing::drawn;

    fn names() -> [String; 3] {
        ["1 Ask", "2 Tree", "3 Log"].map(str::to_owned)
    }

    fn picture(front: usize, columns: u16) -> String {
        drawn(columns, 1, |buffer, area| {
            render(&names(), front, &Appearance::default(), buffer, area);
        })
    }

    #[test]
    fn the_tab_in_front_is_in_brackets_and_always_seen() {
        assert_eq!(picture(1, 30), " 1 Ask [2 Tree] 3 Log");
        assert_eq!(picture(2, 16), " 2 Tree [3 Log]");
        assert_eq!(picture(2, 4), "[3 L");
    }

    #[test]
    fn a_click_finds_the_tab_it_sees() {
        let area = Rect::new(3, 0, 30, 1);
        assert_eq!(tab_at(&names(), 1, 3, area), Some(0));
        assert_eq!(tab_at(&names(), 1, 10, area), Some(1));
        assert_eq!(tab_at(&names(), 1, 29, area), None);
        assert_eq!(tab_at(&names(), 1, 0, area), None);
    }

    #[test]
    fn no_tabs_and_no_room_are_fine() {
        picture(9, 20);
        picture(0, 0);
        drawn(5, 1, |buffer, area| {
            render(&[], 0, &Appearance::default(), buffer, area);
        });
    }
}
