//! Screens with a choice: the seat to play in a debate, with a description of each seat, and the choices of the
//! tutorial, such as its next lesson.

mod details;

use ratatui::crossterm::event::{KeyEvent, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Constraint::{Fill, Length};
use ratatui::layout::{Layout, Position, Rect};

use crate::tui::actions::{KeyMap, KeyPress, ScreenKeyContext};
use crate::tui::ask::{AnswerWidget as _, ReplyPickList, pass_unmapped_key};
use crate::tui::keys::{ARRANGEABLE, Action, CHOOSER, NEXT_STEPS, UNREAD, scroll_text};
use crate::tui::scene::DebateScreenContext;
use crate::tui::screen::{
    BorrowedScreenParts, Screen, ScreenBase, ScreenEffect, ScreenHelpAndReproduction,
    UnmappedScreenInput, page_areas,
};
use crate::tui::theme::TextRole;
use crate::tui::widget::choice::{ChoiceItem, ChoiceList};
use crate::tui::widget::scroll::{Entry, Scroll, measure_lines};
use crate::tui::widget::{Canvas, centred, measure};
use debate_core::player::ERRS;
use debate_core::protocol::{Reply, Seat};
use debate_text::{FormulaCharacterSet, capitalized};
use details::{details_that_fit, details_title, player_unless_hidden_from_judge, seat_of_choice};

/// The number of rows that the description of the debate may take even if the seats then lack rows.
const MIN_ABOUT_ROWS: usize = 4;

/// Minimum width of the screen at which a panel beside the seats describes the marked choice.
const MIN_WIDTH_WITH_DETAILS: u16 = 140;

/// The description of the built-in prover `errs`, shown when the user chooses a seat against her.
const ERRS_TEXT: &str = "Alice looks only at your estimates. Before the last claim, she always makes the same bet on estimates below 50 %, and always the same bet on all others: too low or too high. Numbers that agree with each other make these bets worth nothing on average. On the last claim, she bets “too low” below 50 % and “about right” from 50 % on.";

/// The sentence after [`ERRS_TEXT`] if the prover's bets are derived from the user's recent debates.
const FOLLOWING_TEXT: &str =
    "After your first debate, your last five debates decide which bets she makes.";

/// The sentence for a user who has played the scenario, if the program has drawn another of its instances.
const OTHER_INSTANCE_TEXT: &str =
    "The instance is drawn at random, because you may know the answer to the last one.";

/// A choice of the seat chooser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeatChoice {
    /// Play this seat.
    Play(Seat),
    /// Play the same seat as in the last debate, against harder opponents.
    Stronger,
    /// Watch the other players.
    Watch,
    /// Choose the players and rules before the debate.
    Arrange,
}

impl SeatChoice {
    const ALL: [Self; 6] = [
        Self::Play(Seat::Prover),
        Self::Play(Seat::Opponent),
        Self::Play(Seat::Judge),
        Self::Stronger,
        Self::Watch,
        Self::Arrange,
    ];
}

/// The contents of the seat chooser.
#[derive(Clone, Copy, Debug)]
pub struct SeatChooserContents<'a> {
    /// The facts about the debate. Its players take the seats that the user does not.
    pub scene: &'a DebateScreenContext<'a>,
    /// The initially marked choice.
    pub preselected: SeatChoice,
    /// True if the user can change players and rules before the debate.
    pub can_change_players: bool,
    /// True if the instance is drawn at random because the user has played the scenario.
    pub draws_other_instance: bool,
    /// The offer of harder opponents than in the last debate, if any.
    pub stronger: Option<&'a HarderOpponentOffer>,
    /// The results of the user's last debates of the scenario, one line each, the newest first.
    pub last_results: &'a [String],
}

/// An offer to play the same seat as in the last debate against harder opponents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HarderOpponentOffer {
    /// The user's seat.
    pub seat: Seat,
    /// The opponents in words.
    pub names: String,
    /// A sentence about the opponents.
    pub about: String,
}

impl SeatChooserContents<'_> {
    /// Returns the choices that the user has, from top to bottom.
    fn choices(&self) -> Vec<SeatChoice> {
        let is_offered = |choice: &SeatChoice| match choice {
            SeatChoice::Arrange => self.can_change_players,
            SeatChoice::Stronger => self.stronger.is_some(),
            SeatChoice::Play(_) | SeatChoice::Watch => true,
        };
        SeatChoice::ALL.into_iter().filter(is_offered).collect()
    }
}

/// The state of the seat chooser.
pub struct SeatToPlayScreen<'c> {
    model: &'c SeatChooserContents<'c>,
    base: ScreenBase<'c>,
    choice: ChoiceList,
    about: Scroll,
    /// The script (Unicode or ASCII) of formulas in the last frame.
    script: FormulaCharacterSet,
}

impl<'c> SeatToPlayScreen<'c> {
    /// Opens the seat chooser with the preselected choice marked.
    pub fn new(model: &'c SeatChooserContents<'c>, keys: &'c KeyMap<Action>) -> Self {
        let mut choice = ChoiceList::default();
        let preselected = model
            .choices()
            .iter()
            .position(|offered| *offered == model.preselected);
        choice.select_choice(preselected.unwrap_or(0));
        Self {
            model,
            base: ScreenBase::new(keys),
            choice,
            about: Scroll::at_start_without_following(0),
            script: FormulaCharacterSet::default(),
        }
    }

    fn items(&self) -> Vec<ChoiceItem> {
        let facts = &self.model.scene.facts;
        let choices = self.model.choices();
        let marked = choices.get(self.choice.selected());
        let own = seat_of_choice(self.model, self.marked_choice());
        let item = |chair: &SeatChoice| {
            let seat = match chair {
                SeatChoice::Play(seat) => *seat,
                SeatChoice::Stronger => {
                    let offer = self.model.stronger;
                    let seat = offer.map_or("", |offer| offer.seat.player_name_of_seat());
                    let detail = |offer: &HarderOpponentOffer| {
                        format!("{}. {}", capitalized(&offer.names), offer.about)
                    };
                    return ChoiceItem {
                        detail: offer.map_or_else(String::new, detail),
                        ..ChoiceItem::new(None, format!("{seat} again, the next opponent"))
                    };
                }
                SeatChoice::Watch => {
                    return ChoiceItem {
                        detail: "Watch the debate at your own pace.".to_owned(),
                        ..ChoiceItem::new(None, "No seat: watch")
                    };
                }
                SeatChoice::Arrange => {
                    return ChoiceItem::new(
                        None,
                        "Change players, rules or seed before the debate",
                    );
                }
            };
            let name = match seat {
                Seat::Judge => "The judge".to_owned(),
                _ => format!(
                    "{}, the {}",
                    seat.player_name_of_seat(),
                    facts.role_title(seat)
                ),
            };
            // The default player is shown only for seats that are not marked. The next opponents replace the default
            // players, and their offer names them.
            let shows_player = marked != Some(chair)
                && marked != Some(&SeatChoice::Stronger)
                && facts.is_seat_ever_asked(seat);
            let other = match facts.player_in_words_before_end(seat) {
                Some(player) if shows_player => {
                    player_unless_hidden_from_judge(own, seat, facts.kind, player)
                }
                _ => String::new(),
            };
            ChoiceItem {
                value: other,
                detail: facts.task_or_cannot_win_warning(seat).to_owned(),
                ..ChoiceItem::new(None, name)
            }
        };
        choices.iter().map(item).collect()
    }

    fn entries(&self) -> Vec<Entry> {
        let facts = &self.model.scene.facts;
        let root = match facts.instance.as_two_answer_question() {
            Some(question) => {
                let [first, second] = question.answers();
                let text = question.question_text();
                format!("{} “{}” or “{}”?", text.trim(), first.trim(), second.trim())
            }
            None => format!("“{}”", facts.instance.text(facts.instance.root())),
        };
        let mut entries = vec![Entry::unlabelled(TextRole::Title, root)];
        let texts = facts.introduction_texts(None).into_iter();
        entries.extend(texts.map(|text| Entry::unlabelled(TextRole::Text, text)));
        // This text may reveal the truth to a judge.
        let judges = self.marked_choice() == SeatChoice::Play(Seat::Judge);
        if let Some(known) = facts.known_without_values.as_ref().filter(|_| !judges) {
            let role = facts.role_title(Seat::Opponent);
            let text = format!("Bob, the {role}, knows: {known}.");
            entries.push(Entry::unlabelled(TextRole::Text, text));
        }
        if self.marked_choice() == SeatChoice::Play(Seat::Opponent)
            && facts.player_name_before_end(Seat::Prover) == Some(ERRS)
        {
            entries.push(Entry::unlabelled(TextRole::Text, ERRS_TEXT));
            if facts.prover_follows_person {
                entries.push(Entry::unlabelled(TextRole::Text, FOLLOWING_TEXT));
            }
        }
        let mut levels = facts.opponent_levels.iter();
        let level = levels.find(|(seat, _)| self.marked_choice() == SeatChoice::Play(*seat));
        if let Some((_, level)) = level.filter(|_| !facts.blind) {
            let change_note = if self.model.can_change_players {
                " You can change the players before the debate."
            } else {
                ""
            };
            let text = format!(
                "For this seat the other players are {level}; level 1 is the easiest.{change_note}"
            );
            entries.push(Entry::unlabelled(TextRole::Text, text));
        }
        if self.model.draws_other_instance {
            entries.push(Entry::unlabelled(TextRole::Text, OTHER_INSTANCE_TEXT));
        }
        if !facts.blind {
            let parameters = match facts.parameters_in_words.as_str() {
                "" => String::new(),
                parameters => format!(" ({})", self.script.spell_greek_letters(parameters)),
            };
            let name = facts.kind.protocol_name();
            let about = facts.kind.protocol_description();
            let rules = format!("Rules: {name} debate{parameters}: {about}.");
            entries.push(Entry::unlabelled(TextRole::Faint, rules));
        }
        entries
    }

    fn marked_choice(&self) -> SeatChoice {
        let choices = self.model.choices();
        let choice = choices.get(self.choice.selected());
        choice.copied().unwrap_or(self.model.preselected)
    }
}

impl Screen for SeatToPlayScreen<'_> {
    type Outcome = Option<SeatChoice>;

    fn render(&mut self, canvas: &mut Canvas<'_>, area: Rect) {
        let scene = self.model.scene;
        let title = format!(" {}", scene.facts.title);
        let [head, body, last] = page_areas(area);
        canvas.draw_text_line(&title, TextRole::Title, head);
        self.script = canvas.look.formula_script();
        let items = self.items();
        let entries = self.entries();
        let body = self.draw_details(canvas, body);
        let inside = body.width.saturating_sub(2);
        // The seats get their rows first, because a hidden seat would be overlooked.
        let seats = ChoiceList::row_count(&items, inside) + 3;
        let most = usize::from(body.height).saturating_sub(seats);
        let about_rows = measure_lines(&entries, inside).min(most.max(MIN_ABOUT_ROWS));
        let [upper, lower] = measure::split_rows_with_common_border(body, about_rows + 2);
        self.about
            .draw_panel("About this debate", false, &entries, canvas, upper);
        let title = "Which seat do you take? At the right: who plays the other seats";
        let inner = canvas.draw_frame(title, true, lower);
        self.choice.draw(&items, true, canvas, inner);
        self.base.draw_footer(self.screen_context(), canvas, last);
    }

    fn screen_context(&self) -> ScreenKeyContext {
        ScreenKeyContext::of_single_panel(
            CHOOSER,
            ARRANGEABLE.only_if(self.model.can_change_players)
                | UNREAD.only_if(!self.about.is_scrolled_to_end(&self.entries()[..])),
        )
    }

    fn screen_reader_text(&self) -> Option<String> {
        let item = self.items().into_iter().nth(self.choice.selected())?;
        let title = &self.model.scene.facts.title;
        let selected_seat = item.screen_reader_text();
        Some(format!(
            "{title}\nWhich seat do you take? Selected: {selected_seat}."
        ))
    }

    fn shared_parts(&mut self) -> BorrowedScreenParts<'_> {
        self.base.shared_parts()
    }

    fn act(&mut self, action: Action) -> ScreenEffect<Self::Outcome> {
        let items = self.items();
        match action {
            Action::Above => self.choice.cycle_selection(-1, &items),
            Action::Below => self.choice.cycle_selection(1, &items),
            Action::Arrange if self.model.can_change_players => {
                return ScreenEffect::Leave(Some(SeatChoice::Arrange));
            }
            Action::Sit => return ScreenEffect::Leave(Some(self.marked_choice())),
            Action::Quit => return ScreenEffect::Leave(None),
            _ => {
                let entries = self.entries();
                scroll_text(action, &mut self.about, &entries);
            }
        }
        ScreenEffect::None
    }

    fn input(&mut self, input: UnmappedScreenInput<'_>) -> Option<ScreenEffect<Self::Outcome>> {
        match input {
            UnmappedScreenInput::Unbound(event) => Some(self.other_key(event)),
            UnmappedScreenInput::Mouse(event) => Some(self.handle_mouse(event)),
            UnmappedScreenInput::Typed(_)
            | UnmappedScreenInput::Paste(_)
            | UnmappedScreenInput::Palette(_)
            | UnmappedScreenInput::Signal => None,
        }
    }

    fn reference(&self) -> ScreenHelpAndReproduction {
        ScreenHelpAndReproduction {
            scenario: self.model.scene.facts.scenario_introduction().to_owned(),
            reproduction: Some(self.model.scene.reproduction(false)),
            ..ScreenHelpAndReproduction::help_with_purpose_of_focused_panel(self.screen_context())
        }
    }
}

impl SeatToPlayScreen<'_> {
    /// Draws the panel about the marked choice if the screen is wide. Returns the area that is left.
    fn draw_details(&self, canvas: &mut Canvas<'_>, body: Rect) -> Rect {
        if body.width < MIN_WIDTH_WITH_DETAILS {
            return body;
        }
        let columns = Layout::horizontal([Fill(1), Length(body.width * 2 / 5)]);
        let [mut left, right] = columns.areas(body);
        let marked = self.marked_choice();
        let rows = usize::from(right.height.saturating_sub(2));
        let details = details_that_fit(self.model, marked, right.width.saturating_sub(2), rows);
        if details.is_empty() {
            return body;
        }
        let title = details_title(self.model, marked);
        Scroll::at_start_without_following(0).draw_panel(&title, false, &details, canvas, right);
        // Both halves share a border.
        left.width += 1;
        left
    }

    fn other_key(&mut self, event: KeyEvent) -> ScreenEffect<Option<SeatChoice>> {
        if let Some(c) = KeyPress::from(event).character() {
            let items = self.items();
            self.choice.select_by_key(c, &items);
        }
        ScreenEffect::None
    }

    fn handle_mouse(&mut self, event: MouseEvent) -> ScreenEffect<Option<SeatChoice>> {
        let at = Position::new(event.column, event.row);
        let items = self.items();
        match event.kind {
            // A second click on the marked seat takes it.
            MouseEventKind::Down(MouseButton::Left) => match self.choice.click(at, &items) {
                Some((_, true)) => ScreenEffect::Leave(Some(self.marked_choice())),
                _ => ScreenEffect::None,
            },
            _ => ScreenEffect::None,
        }
    }
}

/// Maximum width of text lines; longer lines are hard to read.
const MAX_TEXT_COLUMNS: u16 = 80;

/// A page on which the user chooses one of several items. Its outcome is the index of the chosen item; `None` if the
/// user leaves the page.
pub struct ChoicePage<'k> {
    title: String,
    text: String,
    /// The items to choose from, each with a label and a sentence.
    list: ReplyPickList,
    base: ScreenBase<'k>,
}

impl<'k> ChoicePage<'k> {
    /// Creates a page with these items to choose from. The first one is marked.
    pub fn new(
        title: &str,
        text: &str,
        choices: impl IntoIterator<Item = (String, String)>,
        keys: &'k KeyMap<Action>,
    ) -> Self {
        let item = |(label, detail): (String, String)| ChoiceItem {
            detail,
            ..ChoiceItem::new(None, label)
        };
        let items: Vec<ChoiceItem> = choices.into_iter().map(item).collect();
        let indices = (0..).map(Reply::Select).take(items.len()).collect();
        let mut list = ReplyPickList::new(items, indices);
        list.mark(0);
        Self {
            title: title.to_owned(),
            text: text.to_owned(),
            list,
            base: ScreenBase::new(keys),
        }
    }
}

impl Screen for ChoicePage<'_> {
    type Outcome = Option<usize>;

    fn render(&mut self, canvas: &mut Canvas<'_>, area: Rect) {
        let [_, room, last] = page_areas(area);
        let inner = canvas.draw_frame(
            &self.title,
            true,
            centred(room, MAX_TEXT_COLUMNS, room.height),
        );
        let text = [Entry::unlabelled(TextRole::Text, self.text.as_str())];
        canvas.draw_text_wrapped(&self.text, TextRole::Text, inner);
        let taken = measure_lines(&text, inner.width) + 1;
        let [_, below] = measure::split_rows(inner, taken);
        self.list.draw(canvas, below);
        self.base.draw_footer(self.screen_context(), canvas, last);
    }

    fn screen_context(&self) -> ScreenKeyContext {
        ScreenKeyContext::of_single_panel(NEXT_STEPS, crate::tui::actions::Facts::NONE)
    }

    fn screen_reader_text(&self) -> Option<String> {
        let words = self.list.marked_choice_in_words()?;
        Some(format!("{}\n{}\n{words}", self.title, self.text))
    }

    fn shared_parts(&mut self) -> BorrowedScreenParts<'_> {
        self.base.shared_parts()
    }

    fn act(&mut self, action: Action) -> ScreenEffect<Self::Outcome> {
        match action {
            Action::Open => return ScreenEffect::Leave(self.list.marked_index()),
            Action::Quit => return ScreenEffect::Leave(None),
            _ => {
                self.list.act(action);
            }
        }
        ScreenEffect::None
    }

    fn input(&mut self, input: UnmappedScreenInput<'_>) -> Option<ScreenEffect<Self::Outcome>> {
        match input {
            UnmappedScreenInput::Unbound(event) => Some(self.other_key(event)),
            UnmappedScreenInput::Mouse(event) => Some(self.handle_mouse(event)),
            UnmappedScreenInput::Typed(_)
            | UnmappedScreenInput::Paste(_)
            | UnmappedScreenInput::Palette(_)
            | UnmappedScreenInput::Signal => None,
        }
    }
}

impl ChoicePage<'_> {
    fn other_key(&mut self, event: KeyEvent) -> ScreenEffect<Option<usize>> {
        pass_unmapped_key(&mut self.list, event);
        ScreenEffect::None
    }

    fn handle_mouse(&mut self, event: MouseEvent) -> ScreenEffect<Option<usize>> {
        let at = Position::new(event.column, event.row);
        match event.kind {
            // A second click on the marked choice takes it.
            MouseEventKind::Down(MouseButton::Left) => {
                match self.list.click_choice_and_check_second_click(at) {
                    Some((index, true)) => ScreenEffect::Leave(Some(index)),
                    _ => ScreenEffect::None,
                }
            }
            _ => ScreenEffect::None,
        }
    }
}
