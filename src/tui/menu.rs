//! Screens that show no debate: those for choosing, filling in forms and reading.

mod form;
mod home;
mod pages;
mod seat_chooser;
mod study;

pub use form::{Field, Form, FormModel, FormOutcome};
pub use home::{Home, HomeItem, HomeModel, HomeOutcome, HomeSection, ItemProgress, Preview};
pub use pages::{Paragraphs, ReadingPage, StudyStatusScreen, WaitScreen};
pub use seat_chooser::{ChoicePage, SeatChoice, SeatChooser, SeatChooserModel, StrongerOffer};
pub use study::{ReadingPosition, StudyOutcome, StudyPage};
