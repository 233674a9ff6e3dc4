//! The home screen and forms.

use debate_tui::tui::actions::Facts;
use debate_tui::tui::keys;
use debate_tui::tui::menu::{
    Form, FormField, FormModel, FormOutcome, HomeItem, HomeItemPreview, HomeModel, HomeScreen,
    HomeScreenChoice, HomeSection, PlayedOrWon,
};
use debate_tui::tui::screen::{AppRequest, Screen, ScreenEffect, ScreenExt as _};
use debate_tui::tui::theme::{ScreenAppearance, TextRole};
use debate_tui::tui::widget::scroll::Entry;
use debate_tui::tui::widget::tree::TreeRow;
use ratatui::crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use super::{picture, press};

/// Two sections of the home screen, and the titles of the entries that were read, in order.
pub(super) struct Few {
    sections: Vec<HomeSection<&'static str>>,
    looked_at: Vec<&'static str>,
}

impl Few {
    pub(super) fn new() -> Self {
        let section = |heading: &str, titles: &[&'static str]| HomeSection {
            heading: heading.to_owned(),
            items: titles
                .iter()
                .map(|title| HomeItem {
                    title: (*title).to_owned(),
                    value: format!("{} letters", title.len()),
                    medium: String::new(),
                    brief: title.len().to_string(),
                    shortest: String::new(),
                    words: String::new(),
                    progress: match *title {
                        "Is 4331 prime?" => PlayedOrWon::Won,
                        "Did it rain?" => PlayedOrWon::Played,
                        _ => PlayedOrWon::New,
                    },
                    target: *title,
                })
                .collect(),
        };
        Self {
            sections: vec![
                section("Unfinished", &["the bridge"]),
                section("Empty", &[]),
                section(
                    "Scenarios",
                    &["Is 4331 prime?", "素数ですか", "Did it rain?"],
                ),
            ],
            looked_at: Vec::new(),
        }
    }
}

impl HomeModel for Few {
    type HomeItem = &'static str;

    fn sections(&self) -> &[HomeSection<Self::HomeItem>] {
        &self.sections
    }

    fn preview(&mut self, item: &Self::HomeItem) -> HomeItemPreview {
        self.looked_at.push(item);
        let row = |text: String| TreeRow {
            text,
            ..TreeRow::default()
        };
        HomeItemPreview {
            about: vec![Entry::default().append_span(TextRole::Text, format!("All about {item}."))],
            claims: (0..30).map(|n| row(format!("claim {n}"))).collect(),
        }
    }

    fn name(&self, item: &Self::HomeItem) -> String {
        (*item).to_owned()
    }

    fn facts(&self, item: &Self::HomeItem) -> Facts {
        keys::ARRANGEABLE
            | keys::READABLE.only_if(*item == "the bridge")
            | keys::COMPARABLE.only_if(item.starts_with("Is"))
    }
}

fn text(show: &mut impl Screen, columns: u16, rows: u16) -> String {
    picture::text(&picture::buffer(
        show,
        &ScreenAppearance::default(),
        columns,
        rows,
    ))
}

#[test]
fn home_opens_the_selected_entry() {
    let keys = keys::default_key_map().unwrap();
    let mut few = Few::new();
    let mut home = HomeScreen::new(&mut few, &keys, None);
    insta::assert_snapshot!("home-80x24", text(&mut home, 80, 24));
    insta::assert_snapshot!("home-45x20", text(&mut home, 45, 20));
    assert_eq!(
        press(&mut home, "enter"),
        ScreenEffect::Leave(HomeScreenChoice::HomeItem("the bridge"))
    );
    assert_eq!(
        press(&mut home, "r"),
        ScreenEffect::Leave(HomeScreenChoice::Watched("the bridge"))
    );
    // The cursor skips a heading in both directions, and stops at the ends.
    assert_eq!(
        press(&mut home, "down enter"),
        ScreenEffect::Leave(HomeScreenChoice::HomeItem("Is 4331 prime?"))
    );
    assert_eq!(press(&mut home, "r"), ScreenEffect::None);
    assert_eq!(
        press(&mut home, "v"),
        ScreenEffect::Leave(HomeScreenChoice::Compared("Is 4331 prime?"))
    );
    assert_eq!(
        press(&mut home, "up up up o"),
        ScreenEffect::Leave(HomeScreenChoice::Arranged("the bridge"))
    );
    assert_eq!(
        press(&mut home, "G down enter"),
        ScreenEffect::Leave(HomeScreenChoice::HomeItem("Did it rain?"))
    );
    assert_eq!(
        press(&mut home, "g tab enter"),
        ScreenEffect::Leave(HomeScreenChoice::HomeItem("Is 4331 prime?"))
    );
    assert_eq!(
        press(&mut home, ","),
        ScreenEffect::AppRequest(AppRequest::Settings)
    );
    assert_eq!(
        press(&mut home, "q"),
        ScreenEffect::Leave(HomeScreenChoice::Quit)
    );
}

#[test]
fn a_debate_gets_a_name_is_hidden_and_shown_again() {
    let keys = keys::default_key_map().unwrap();
    let mut few = Few::new();
    let mut home = HomeScreen::new(&mut few, &keys, None);
    // The input line contains the old name; Escape discards the change.
    assert_eq!(press(&mut home, "n x esc"), ScreenEffect::None);
    press(&mut home, "n backspace backspace");
    let shown = text(&mut home, 80, 24);
    assert!(shown.contains("Name: the brid"), "{shown}");
    home.paste("al");
    assert_eq!(
        press(&mut home, "enter"),
        ScreenEffect::Leave(HomeScreenChoice::Renamed(
            "the bridge",
            "the bridal".to_owned()
        ))
    );
    assert_eq!(
        press(&mut home, "x"),
        ScreenEffect::Leave(HomeScreenChoice::Hidden(
            "the bridge",
            Some("Is 4331 prime?")
        ))
    );
    assert_eq!(
        press(&mut home, "down X"),
        ScreenEffect::Leave(HomeScreenChoice::ShowHidden(Some("Is 4331 prime?")))
    );
    // A scenario is not a saved debate.
    assert_eq!(press(&mut home, "n"), ScreenEffect::None);
    assert_eq!(press(&mut home, "x"), ScreenEffect::None);
    assert!(!text(&mut home, 80, 24).contains("Name:"));
}

#[test]
fn the_palette_explains_unavailable_actions() {
    let keys = keys::default_key_map().unwrap();
    let mut few = Few::new();
    let mut home = HomeScreen::new(&mut few, &keys, Some(&"Is 4331 prime?"));
    press(&mut home, ":");
    home.paste("home");
    let shown = text(&mut home, 80, 24);
    assert!(shown.contains("not now: you are at home"), "{shown}");
    press(&mut home, "enter");
    let shown = text(&mut home, 80, 24);
    assert!(shown.contains("Not now: you are at home."), "{shown}");
    for (command, why) in [
        ("export", "the debate has no save"),
        ("copy-seed", "there is no debate here"),
        ("copy-command", "there is no debate here"),
        ("rename", "no saved debate is marked"),
    ] {
        press(&mut home, "esc :");
        home.paste(command);
        let shown = text(&mut home, 80, 24);
        assert!(shown.contains(&format!("not now: {why}")), "{shown}");
    }
    press(&mut home, "esc");
    assert_eq!(press(&mut home, "H E S C"), ScreenEffect::None);
}

#[test]
fn a_debate_is_deleted_from_home_after_asking() {
    let keys = keys::default_key_map().unwrap();
    let mut few = Few::new();
    let mut home = HomeScreen::new(&mut few, &keys, None);
    let asks = "y deletes it permanently, any other key cancels: the bridge, 10 letters";
    for kept in ["d", "n", "enter", "esc", "q", "down", "?", "/"] {
        assert_eq!(press(&mut home, "d"), ScreenEffect::None);
        let shown = text(&mut home, 80, 24);
        assert!(shown.contains(asks), "{shown}");
        assert_eq!(press(&mut home, kept), ScreenEffect::None, "{kept}");
        let shown = text(&mut home, 80, 24);
        assert!(shown.contains("Not deleted."), "{kept}: {shown}");
        // The key has no other effect, and `y` alone has none.
        assert_eq!(press(&mut home, "y"), ScreenEffect::None);
        assert_eq!(
            press(&mut home, "enter"),
            ScreenEffect::Leave(HomeScreenChoice::HomeItem("the bridge"))
        );
    }
    press(&mut home, "d");
    home.paste("y");
    assert_eq!(
        press(&mut home, "y"),
        ScreenEffect::Leave(HomeScreenChoice::Removed(
            "the bridge",
            Some("Is 4331 prime?")
        ))
    );
    // A scenario is not a saved debate.
    press(&mut home, "down d");
    assert!(!text(&mut home, 80, 24).contains("permanently"));
}

#[test]
fn home_searches_while_typing_and_restores_the_list() {
    let keys = keys::default_key_map().unwrap();
    let mut few = Few::new();
    let mut home = HomeScreen::new(&mut few, &keys, Some(&"Did it rain?"));
    assert!(text(&mut home, 80, 24).contains("All about Did it rain?."));
    press(&mut home, "/ p r i");
    let found = text(&mut home, 80, 24);
    assert!(found.contains("4331") && !found.contains("rain"), "{found}");
    assert_eq!(
        press(&mut home, "enter enter"),
        ScreenEffect::Leave(HomeScreenChoice::HomeItem("Is 4331 prime?"))
    );
    press(&mut home, "esc");
    assert!(text(&mut home, 80, 24).contains("rain"));
    press(&mut home, "/ z z enter");
    assert!(text(&mut home, 80, 24).contains("No entry has these words"));
    assert_eq!(press(&mut home, "enter"), ScreenEffect::None);
    // The search also finds a section's name.
    press(&mut home, "esc / u n f i n enter");
    assert!(text(&mut home, 80, 24).contains("the bridge"));
}

#[test]
fn a_click_marks_and_another_opens() {
    let keys = keys::default_key_map().unwrap();
    let mut few = Few::new();
    let mut home = HomeScreen::new(&mut few, &keys, None);
    let shown = text(&mut home, 80, 24);
    let row = shown
        .lines()
        .position(|line| line.contains("rain"))
        .unwrap();
    let click = MouseEvent {
        kind: MouseEventKind::Down(MouseButton::Left),
        column: 5,
        row: u16::try_from(row).unwrap(),
        modifiers: KeyModifiers::NONE,
    };
    assert_eq!(home.mouse(click), ScreenEffect::None);
    assert_eq!(
        home.mouse(click),
        ScreenEffect::Leave(HomeScreenChoice::HomeItem("Did it rain?"))
    );
    // Each entry is read once each time it is selected.
    assert_eq!(few.looked_at, ["the bridge", "Did it rain?"]);
}

/// A colour to cycle through, a number to type, and a rule that they must differ.
pub(super) struct Paint {
    pub(super) colour: usize,
    pub(super) number: u32,
}

const COLOURS: [&str; 3] = ["red", "green", "blue"];

impl FormModel for Paint {
    fn title(&self) -> String {
        "Paint".to_owned()
    }

    fn fields(&self) -> Vec<FormField> {
        vec![
            FormField {
                note: String::new(),
                label: "Colour".to_owned(),
                value: COLOURS[self.colour].to_owned(),
                about: "What it looks like.".to_owned(),
                has_choices: true,
                is_writable: false,
            },
            FormField {
                note: String::new(),
                label: "Number".to_owned(),
                value: self.number.to_string(),
                about: "How much of it.".to_owned(),
                has_choices: false,
                is_writable: true,
            },
        ]
    }

    fn change_choice(&mut self, _field: usize, by: isize) -> Result<(), String> {
        self.colour = self.colour.checked_add_signed(by).unwrap_or(2) % 3;
        Ok(())
    }

    fn write(&mut self, _field: usize, text: &str) -> Result<(), String> {
        let number = text.parse();
        self.number = number.map_err(|_not| format!("{text:?} is no number."))?;
        Ok(())
    }

    fn notes(&self) -> Vec<(String, String)> {
        vec![("Together".to_owned(), format!("{} pots", self.number))]
    }

    fn check(&self) -> Result<(), String> {
        if self.number == 0 {
            return Err("None is too little.".to_owned());
        }
        Ok(())
    }

    fn help(&self) -> [String; 2] {
        ["Choose a colour.".to_owned(), String::new()]
    }
}

#[test]
fn a_form_is_changed_typed_and_submitted() {
    let keys = keys::default_key_map().unwrap();
    let mut paint = Paint {
        colour: 0,
        number: 0,
    };
    let mut form = Form::new(&mut paint, &keys);
    press(&mut form, "right right right left");
    assert!(text(&mut form, 80, 24).contains("< blue >"));
    // This field has no text input.
    press(&mut form, "e x");
    assert_eq!(press(&mut form, "enter"), ScreenEffect::None);
    assert!(text(&mut form, 80, 24).contains("None is too little."));
    press(&mut form, "down e backspace s i x enter");
    insta::assert_snapshot!("form-80x24", text(&mut form, 80, 24));
    assert!(text(&mut form, 80, 24).contains("\"six\" is no number."));
    press(&mut form, "backspace backspace backspace 6 enter");
    assert!(text(&mut form, 80, 24).contains("6 pots"));
    press(&mut form, "e 7 esc");
    assert!(text(&mut form, 80, 24).contains("6 pots"));
    assert_eq!(
        press(&mut form, "esc"),
        ScreenEffect::Leave(FormOutcome::Left)
    );
    form.paste("1");
    press(&mut form, "enter");
    assert_eq!(
        press(&mut form, "enter"),
        ScreenEffect::Leave(FormOutcome::Accepted)
    );
    assert_eq!(
        press(&mut form, "q"),
        ScreenEffect::Leave(FormOutcome::Left)
    );
    assert_eq!((paint.colour, paint.number), (2, 61));
}

/// A form whose field has a long description for each of its values.
struct LongDescriptions(usize);

impl FormModel for LongDescriptions {
    fn title(&self) -> String {
        "Form".to_owned()
    }

    fn fields(&self) -> Vec<FormField> {
        vec![FormField {
            label: "Player".to_owned(),
            value: self.0.to_string(),
            about: format!("Description {}. {}", self.0, "word ".repeat(900)),
            has_choices: true,
            ..FormField::default()
        }]
    }

    fn change_choice(&mut self, _: usize, by: isize) -> Result<(), String> {
        self.0 = self.0.saturating_add_signed(by);
        Ok(())
    }

    fn write(&mut self, _: usize, _: &str) -> Result<(), String> {
        Ok(())
    }

    fn notes(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    fn help(&self) -> [String; 2] {
        Default::default()
    }
}

#[test]
fn the_description_of_another_choice_begins_at_its_first_line() {
    let keys = keys::default_key_map().unwrap();
    let mut model = LongDescriptions(1);
    let mut form = Form::new(&mut model, &keys);
    let shown = |form: &mut Form<'_>| {
        picture::text(&picture::buffer(form, &ScreenAppearance::default(), 80, 24))
    };
    assert!(shown(&mut form).contains("Description 1."));
    press(&mut form, "pagedown");
    assert!(!shown(&mut form).contains("Description 1."));
    press(&mut form, "right");
    let screen = shown(&mut form);
    assert!(screen.contains("Description 2."), "{screen}");
}
