//! Screens without a debate: chosen from, filled in or read.

mod chooser;
mod form;
mod home;
mod lecture;
mod next_steps;
mod study;
mod study_status;
mod waiting;

pub use chooser::{Chooser, ChooserModel, SeatChoice};
pub use form::{Field, Form, FormModel, FormOutcome};
pub use home::{Home, HomeItem, HomeModel, HomeOutcome, HomeSection, ItemProgress, Preview};
pub use lecture::{Lecture, LessonOutcome, Paragraphs};
pub use next_steps::NextSteps;
pub use study::{ReadingPlace, StudyOutcome, StudyPage};
pub use study_status::StudyStatusScreen;
pub use waiting::Waiting;
