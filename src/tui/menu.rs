//! Screens that show no debate: those for choosing, filling in forms and reading.

mod form;
mod home;
mod pages;
mod seat_chooser;
mod study;

pub use form::{Form, FormField, FormModel, FormOutcome};
pub use home::{
    HomeItem, HomeItemPreview, HomeModel, HomeScreen, HomeScreenChoice, HomeSection, PlayedOrWon,
};
pub use pages::{ComputationWaitScreen, Paragraphs, ReadingPage, StudyStatusScreen};
pub use seat_chooser::{
    ChoicePage, HarderOpponentOffer, SeatChoice, SeatChooserContents, SeatToPlayScreen,
};
pub use study::{StudyPageOutcome, StudyPageReadingPosition, StudyPageScreen};
