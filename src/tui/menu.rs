//! Screens without a debate: chosen from, filled in or read.

mod chooser;
mod form;
mod home;
mod pages;
mod study;

pub use chooser::{ChoicePage, Chooser, ChooserModel, SeatChoice};
pub use form::{Field, Form, FormModel, FormOutcome};
pub use home::{Home, HomeItem, HomeModel, HomeOutcome, HomeSection, ItemProgress, Preview};
pub use pages::{Paragraphs, ReadingPage, StudyStatusScreen, WaitScreen};
pub use study::{ReadingPosition, StudyOutcome, StudyPage};
