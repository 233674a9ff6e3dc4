use super::*;
use crate::tui::theme::ASCII;
use crate::tui::widget::Canvas;
use crate::tui::widget::testing::drawn_text;
use proptest::prelude::*;

impl Slider {
    /// Creates a slider with the value of a text such as `33.3%` or `1/3`; unset if the text is not a probability.
    fn at(text: &str) -> Self {
        Self {
            value: read(text, Unit::Percent),
            ..Self::default()
        }
    }

    /// True if the value is unset.
    fn is_unset(&self) -> bool {
        self.value.is_none()
    }

    /// Sets the value to `percent`, at most 100.
    fn set(&mut self, percent: u8) {
        self.typed.clear();
        self.value = Some(Exact::ratio(percent.min(100).into(), 100));
    }

    /// Clears the value.
    fn unset(&mut self) {
        *self = Self {
            unit: self.unit,
            ..Self::default()
        };
    }
}

fn typed(text: &str) -> Slider {
    let mut slider = Slider::default();
    for c in text.chars() {
        assert!(slider.type_character(c));
    }
    slider
}

fn picture(slider: &Slider, columns: u16, look: &ScreenAppearance) -> String {
    drawn_text(columns, 1, |buffer, area| {
        slider.render(&mut Canvas::new(look, buffer), area);
    })
}

#[test]
fn typed_numbers_are_exact() {
    for (text, answer) in [
        ("33", "33%"),
        ("33.3", "33.3%"),
        ("33,3", "33.3%"),
        ("\u{663}\u{663}\u{66B}\u{663}", "33.3%"),
        ("\u{FF13}\u{FF13}\u{FF05}", "33%"),
        ("33.3%", "33.3%"),
        (".5", "0.5%"),
        ("0.000000000000001", "0.000000000000001%"),
        ("1/1073741824", "0.0000000931322574615478515625%"),
        ("1/9007199254740992", "1/9007199254740992"),
        ("1/3", "1/3"),
        ("2/6", "1/3"),
        ("1/8", "12.5%"),
        ("100", "100%"),
        ("0", "0%"),
        ("0/7", "0%"),
    ] {
        assert_eq!(typed(text).exact_text().as_deref(), Some(answer), "{text}");
        assert_eq!(
            Slider::at(answer).exact_text().as_deref(),
            Some(answer),
            "{answer}"
        );
    }
}

#[test]
fn a_second_decimal_point_in_a_number_is_refused() {
    for (text, kept) in [
        ("50..5", "50.5"),
        ("50,5.5", "50.55"),
        ("..5", ".5"),
        ("1.2.3", "1.23"),
        ("0.5/1.5.", "0.5/1.5"),
    ] {
        assert_eq!(typed(text).typed, kept);
    }
}

#[test]
fn invalid_probabilities_are_no_answer() {
    for text in [
        "101",
        "4/3",
        "1/0",
        "1/",
        "/",
        ".",
        "%",
        "1/3%",
        "99999999999999999999",
    ] {
        let slider = typed(text);
        assert_eq!(slider.exact_text(), None, "{text}");
        assert!(slider.is_invalid(), "{text}");
    }
    assert_eq!(Slider::default().exact_text(), None);
    assert!(!Slider::default().is_invalid());
}

#[test]
fn steps_are_exact_and_stop_at_the_ends() {
    let mut slider = typed("1/3");
    slider.step_percent(1);
    assert_eq!(slider.exact_text().unwrap(), "103/300");
    slider.step_percent(-1);
    assert_eq!(slider.exact_text().unwrap(), "1/3");
    slider.step_percent(-100);
    assert_eq!(slider.exact_text().unwrap(), "0%");
    slider.set(95);
    slider.step_percent(10);
    assert_eq!(slider.exact_text().unwrap(), "100%");
    slider.unset();
    slider.step_percent(1);
    assert_eq!(slider.exact_text().unwrap(), "50%");
}

#[test]
fn erasing_undoes_typing_and_letters_are_ignored() {
    let mut slider = typed("33.");
    assert!(!slider.type_character('q'));
    assert!(slider.erase());
    assert_eq!(slider.exact_text().unwrap(), "33%");
    assert!(slider.erase() && slider.erase());
    assert!(slider.is_unset());
    assert!(!slider.erase());
}

#[test]
fn the_knob_is_at_the_value() {
    let look = ScreenAppearance::default();
    let shown = [
        picture(&Slider::at("0%"), 42, &look),
        picture(&Slider::at("1/3"), 42, &look),
        picture(&Slider::at("100%"), 42, &look),
        picture(&Slider::default(), 42, &look),
        picture(&typed("33."), 42, &look),
        picture(&typed("1/3"), 42, &look),
        picture(&typed("133"), 42, &look),
        picture(
            &Slider::at("50%"),
            42,
            &ScreenAppearance {
                glyphs: &ASCII,
                ..look
            },
        ),
        picture(&Slider::at("50%"), 12, &look),
    ];
    insta::assert_snapshot!(shown.join("\n"), @r"
    0 ●──────────── 100   0 %
    0 ━━━━●──────── 100   ≈33.33 %
    0 ━━━━━━━━━━━━● 100   100 %
    0 ───────────── 100   ? type 0 to 100
    0 ━━━━●──────── 100   33._ %
    0 ━━━━●──────── 100   1/3_ ≈33.33 %
    0 ───────────── 100   133_ % ?
    0 ======O------ 100   50 %
    50 %
    ");
}

#[test]
fn a_click_sets_whole_percents() {
    let area = Rect::new(4, 2, 130, 1);
    let mut slider = Slider::default();
    assert!(slider.click(6, 2, area));
    assert_eq!(slider.exact_text().unwrap(), "0%");
    assert!(slider.click(39, 2, area));
    assert_eq!(slider.exact_text().unwrap(), "33%");
    assert!(slider.click(106, 2, area));
    assert_eq!(slider.exact_text().unwrap(), "100%");
    assert!(!slider.click(107, 2, area));
    assert!(!slider.click(39, 3, area));
}

proptest! {
    #[test]
    fn the_exact_text_of_any_value_reads_back(
        keys in prop::collection::vec((0..15_usize, -100..100_i32), 0..60),
        columns in 0_u16..60,
    ) {
        let mut slider = Slider::default();
        for (key, step) in keys {
            match b"0123456789./%".get(key) {
                Some(c) => prop_assert!(slider.type_character(char::from(*c))),
                None if key == 13 => { slider.erase(); }
                None => slider.step_percent(step),
            }
            picture(&slider, columns, &ScreenAppearance::default());
            if let Some(answer) = slider.exact_text() {
                prop_assert_eq!(Slider::at(&answer).exact_text(), Some(answer));
            }
        }
    }
}

#[test]
fn a_number_is_typed_and_shown_as_a_decimal() {
    let mut slider = Slider::for_number();
    for c in "0.371".chars() {
        assert!(slider.type_character(c));
    }
    assert_eq!(slider.exact_text().as_deref(), Some("37.1%"));
    let shown = |slider: &Slider| {
        drawn_text(40, 1, |buffer, area| {
            slider.render(&mut Canvas::new(&ScreenAppearance::default(), buffer), area);
        })
    };
    assert!(shown(&slider).ends_with("0.371_"), "{}", shown(&slider));
    slider.step_percent(1);
    assert!(shown(&slider).ends_with(" 0.381"), "{}", shown(&slider));
    slider.unset();
    slider.type_character('2');
    assert!(slider.is_invalid());
    slider.set_fraction(1, 1 << 53);
    assert_eq!(slider.exact_text().as_deref(), Some("1/9007199254740992"));
    assert!(shown(&slider).ends_with("≈0.0000"), "{}", shown(&slider));
    slider.set_fraction(3, 2);
    assert!(slider.is_unset());
}
