//! Screens that show no debate: those for choosing, filling in forms and reading.

mod form;
mod home;
mod pages;
mod seat_chooser;
mod study;

pub use form::{Form, FormModel, FormOutcome, MenuFormField};
pub use home::{
    HomeItem, HomeItemPreview, HomeItemProgress, HomeModel, HomeScreen, HomeScreenChoice,
    HomeSection,
};
pub use pages::{ComputationWaitScreen, Paragraphs, ReadingPage, StudyStatusScreen};
pub use seat_chooser::{
    ChoicePage, HarderOpponentOffer, SeatChoice, SeatChooserContents, SeatToPlayScreen,
};
pub use study::{ReadingPosition, StudyPageAction, StudyPageScreen};
