use crate::tui::widget::Canvas;
use std::sync::atomic::{AtomicUsize, Ordering};

use ratatui::layout::Rect;

use super::*;
use crate::tui::theme::{ASCII, ScreenAppearance};
use crate::tui::widget::choice::{ChoiceItem, ChoiceList};
use crate::tui::widget::testing::drawn_text;
use crate::tui::widget::tree::{RowSelectionAndScroll, TreeRow};
use debate_text::claim_tree::{FoldState, RowMark, TreeBranchLines};
use proptest::prelude::*;

/// Returns the texts as siblings in `columns`.
fn siblings(texts: &[&str], columns: usize) -> Vec<String> {
    let label = |(id, text)| LabelToShorten {
        text,
        id: Some(id),
        family: 0,
        columns,
    };
    let labels: Vec<LabelToShorten<'_>> = (0..).zip(texts.iter().copied()).map(label).collect();
    shorten_labels(&labels, "…")
}

#[test]
fn labels_that_fit_are_not_cut() {
    assert_eq!(
        siblings(&["none of 2–17", "none of 18–33"], 13),
        ["none of 2–17", "none of 18–33"]
    );
}

#[test]
fn labels_are_cut_at_their_common_text() {
    let ends = [
        "the claimant kept to the notice period of clause 4.1",
        "the claimant kept to the notice period of clause 4.2",
    ];
    assert_eq!(
        siblings(&ends, 24),
        ["the claimant kept to…4.1", "the claimant kept to…4.2"]
    );
    let inside = [
        "No number from 2 to 17 divides 4331 without a remainder",
        "No number from 18 to 33 divides 4331 without a remainder",
    ];
    assert_eq!(
        siblings(&inside, 24),
        ["No number from 2 to 17…", "No number from 18 to 33…"]
    );
}

#[test]
fn a_label_is_cut_at_its_end_unless_the_end_distinguishes_siblings() {
    assert_eq!(
        siblings(&["the machine accepts 0110 within 64 steps"], 20),
        ["the machine accepts…"]
    );
    let parts = [
        "The list of failed uploads is read correctly.",
        "The program waits as long as it should.",
        "The program gives up after five attempts.",
    ];
    assert_eq!(
        siblings(&parts, 30),
        [
            "The list of failed uploads is…",
            "The program waits as long as…",
            "The program gives up after…"
        ]
    );
}

#[test]
fn equal_texts_get_the_short_id_of_their_claims() {
    assert_eq!(
        siblings(&["a flaw", "no flaw", "a flaw"], 20),
        ["a flaw #0", "no flaw", "a flaw #2"]
    );
    // The same claim may be in two rows.
    let twice = |id| LabelToShorten {
        text: "a flaw",
        id: Some(id),
        family: 0,
        columns: 20,
    };
    assert_eq!(
        shorten_labels(&[twice(7), twice(7)], "…"),
        ["a flaw", "a flaw"]
    );
}

/// Generates texts that are hard to distinguish: a few words of many kinds, and long texts with small differences.
fn text() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "none",
        "of",
        "2–17",
        "2-17",
        "素数",
        "です",
        "e\u{301}",
        "é",
        "👩‍🔬",
        "👩🔬",
        "❤\u{fe0f}",
        "❤",
        "क्ष",
        "\u{202e}",
        "\u{7}",
        "x",
        "×",
        "\u{a0}",
        " ",
        "#3",
        "…",
        "divisor",
    ]);
    let words = prop::collection::vec(word, 0..14).prop_map(|words| words.join(" "));
    let long = (0..90_usize, "[ab]", 20..90_usize).prop_map(|(at, letter, length)| {
        let mut text = "the same words again and again ".repeat(3);
        text.truncate(length);
        let at = at.min(length);
        text.insert_str(at, &letter);
        text
    });
    prop_oneof![words, long, ".{0,40}"]
}

proptest! {
    #[test]
    fn no_two_labels_with_different_ids_look_alike(
        texts in prop::collection::vec((text(), 0..12_u32, 0..3_u16, MIN_LABEL_COLUMNS..60), 1..24),
    ) {
        let labels: Vec<LabelToShorten<'_>> = texts
            .iter()
            .map(|(text, id, family, columns)| LabelToShorten {
                text,
                id: Some(*id),
                family: *family,
                columns: *columns,
            })
            .collect();
        for ellipsis in ["…", "~"] {
            let shown = shorten_labels(&labels, ellipsis);
            for (label, text) in labels.iter().zip(&shown) {
                prop_assert!(measure::width(text) <= label.columns, "{text:?} of {label:?}");
            }
            for (at, first) in labels.iter().enumerate() {
                for (other, second) in labels.iter().enumerate().skip(at + 1) {
                    prop_assert!(
                        first.id == second.id || normalised(&shown[at]) != normalised(&shown[other]),
                        "{first:?} and {second:?} read {:?}",
                        shown[at]
                    );
                }
            }
        }
    }

    /// Rows with all their other contents, as on a screen of at least 40 columns.
    #[test]
    fn no_two_rows_of_different_claims_show_the_same_text(
        texts in prop::collection::vec(text(), 2..20),
        columns in 38..120_u16,
        depth in 0..40_usize,
        value in "[a-z0-9 %✓]{0,50}",
        ascii in any::<bool>(),
    ) {
        let look = ScreenAppearance {
            glyphs: if ascii { &ASCII } else { &crate::tui::theme::UNICODE },
            ..ScreenAppearance::default()
        };
        let branches = (0..depth).fold(TreeBranchLines::ROOT, |branches, _| branches.branch_of_child(false));
        let row = |at: usize| TreeRow {
            branches,
            fold: FoldState::Open,
            text: texts[at].clone(),
            claim: u32::try_from(at).ok(),
            value: value.clone(),
            mark: RowMark::Newest,
            extra_columns: 0,
        };
        let rows = u16::try_from(texts.len()).unwrap();
        let area = Rect::new(0, 0, columns, rows);
        let mut tree = RowSelectionAndScroll::default();
        tree.fit_to_area(texts.len(), area);
        let shown = drawn_text(columns, rows, |buffer, area| {
            tree.render(texts.len(), row, false, &mut Canvas::new(&look, buffer), area);
        });
        distinct(&shown)?;

        let items: Vec<ChoiceItem> = texts
            .iter()
            .enumerate()
            .map(|(at, text)| ChoiceItem {
                claim: u32::try_from(at).ok(),
                value: value.clone(),
                // All items have the same key, so that it does not distinguish them.
                ..ChoiceItem::new(Some('y'), text)
            })
            .collect();
        let mut choice = ChoiceList::default();
        choice.fit_to_area(&items, area);
        let shown = drawn_text(columns, rows, |buffer, area| {
            choice.render(&items, false, &mut Canvas::new(&look, buffer), area);
        });
        distinct(&shown)?;
    }
}

fn distinct(shown: &str) -> Result<(), TestCaseError> {
    let mut lines: Vec<String> = shown.lines().map(normalised).collect();
    lines.sort_unstable();
    for pair in lines.windows(2) {
        prop_assert_ne!(&pair[0], &pair[1], "{}", shown);
    }
    Ok(())
}

#[test]
fn only_visible_rows_are_built() {
    let made = AtomicUsize::new(0);
    let row = |at: usize| {
        made.fetch_add(1, Ordering::Relaxed);
        TreeRow {
            text: format!("the million claims all begin like this, number {at} too"),
            claim: u32::try_from(at).ok(),
            ..TreeRow::default()
        }
    };
    let area = Rect::new(0, 0, 30, 20);
    let mut tree = RowSelectionAndScroll::default();
    tree.select(500_000);
    tree.fit_to_area(1_000_000, area);
    let shown = drawn_text(30, 20, |buffer, area| {
        tree.render(
            1_000_000,
            row,
            false,
            &mut Canvas::new(&ScreenAppearance::default(), buffer),
            area,
        );
    });
    assert_eq!(made.load(Ordering::Relaxed), 20);
    assert!(shown.contains("500000"), "{shown}");
}

#[test]
fn a_label_without_siblings_keeps_its_number() {
    assert_eq!(
        siblings(&["not divisible by 283"], 16),
        ["not divisibl…283"]
    );
    // A word at the end is no number.
    assert_eq!(
        siblings(&["the machine accepts the word"], 20),
        ["the machine accepts…"]
    );
}

#[test]
fn labels_below_each_other_lose_the_same_first_words() {
    let shortened = |texts: &[&str], columns: usize| {
        let label = |text| LabelToShorten {
            text,
            id: None,
            family: 0,
            columns,
        };
        let labels: Vec<LabelToShorten<'_>> = texts.iter().copied().map(label).collect();
        shorten_at_common_start(&labels, "…")
    };
    let texts = ["not divisible by 7", "not divisible by 281"];
    assert_eq!(shortened(&texts, 20), texts);
    assert_eq!(shortened(&texts, 18), ["not …by 7", "not …by 281"]);
    let texts = ["all divisible by 7", "all divisible by 281"];
    assert_eq!(
        shortened(&texts, 18),
        ["…divisible by 7", "…divisible by 281"]
    );
    assert_eq!(shortened(&texts, 10), ["…by 7", "…by 281"]);
    // Without common words, each label is shortened separately.
    let apart = ["one thing that is true", "another thing that is true"];
    let shown = shortened(&apart, 12);
    assert!(
        shown[0].starts_with("one") && shown[1].starts_with("anoth"),
        "{shown:?}"
    );
}
