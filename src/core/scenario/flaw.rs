//! Errors in a scenario file, each with the path of the value that is wrong.

use std::borrow::Cow;
use std::fmt;

use thiserror::Error;

/// One segment of a path into a scenario file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathSegment {
    /// A struct's field.
    Field(Cow<'static, str>),
    /// A map's entry.
    Entry(String),
    /// A list's item, from 0.
    Item(usize),
}

/// The path from the top of a scenario file to a value: `problem.claims["s1"].supports[0]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScenarioValuePath(Vec<PathSegment>);

impl ScenarioValuePath {
    /// Returns the path of a top-level field.
    pub fn path_of_top_level_field(name: &'static str) -> Self {
        Self::default().path_of_field(name)
    }

    /// Returns the path of a field of the value at this path.
    #[must_use]
    pub fn path_of_field(&self, name: &'static str) -> Self {
        self.then_segment(PathSegment::Field(Cow::Borrowed(name)))
    }

    /// Returns the path of an entry of the map at this path.
    #[must_use]
    pub fn then_map_entry(&self, key: &str) -> Self {
        self.then_segment(PathSegment::Entry(key.to_owned()))
    }

    /// Returns the path of an item of the list at this path.
    #[must_use]
    pub fn then_list_item(&self, index: usize) -> Self {
        self.then_segment(PathSegment::Item(index))
    }

    /// Returns the segments of the path, beginning at the top of the file.
    pub fn segments(&self) -> &[PathSegment] {
        &self.0
    }

    /// Returns the path with one more segment.
    #[must_use]
    pub fn then_segment(&self, step: PathSegment) -> Self {
        let mut steps = self.0.clone();
        steps.push(step);
        Self(steps)
    }

    /// Creates an error in the value at this path. `description` is a sentence that says what is wrong and how to
    /// repair it.
    pub fn error_at_path(&self, description: impl fmt::Display) -> ScenarioValueError {
        ScenarioValueError {
            path: self.clone(),
            what: description.to_string(),
        }
    }
}

impl fmt::Display for ScenarioValuePath {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.0.iter().enumerate() {
            match step {
                PathSegment::Field(name) if index == 0 => out.write_str(name)?,
                PathSegment::Field(name) => write!(out, ".{name}")?,
                PathSegment::Entry(key) => write!(out, "[{key:?}]")?,
                PathSegment::Item(item) => write!(out, "[{item}]")?,
            }
        }
        Ok(())
    }
}

/// An error in a value of a scenario file, with the value's path.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{path}: {what}")]
pub struct ScenarioValueError {
    /// The path of the flaw.
    pub path: ScenarioValuePath,
    /// One sentence that says what is wrong with the value and how to repair it.
    pub what: String,
}
