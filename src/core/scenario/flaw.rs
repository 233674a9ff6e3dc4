//! Flaws of a scenario, with their paths.

use std::borrow::Cow;
use std::fmt;

use thiserror::Error;

/// One step into a scenario file.
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
pub struct Path(Vec<PathSegment>);

impl Path {
    /// Returns the path of a top-level field.
    pub fn field(name: &'static str) -> Self {
        Self::default().then(name)
    }

    /// Returns the path of a field of the value at this path.
    #[must_use]
    pub fn then(&self, name: &'static str) -> Self {
        self.with(PathSegment::Field(Cow::Borrowed(name)))
    }

    /// Returns the path of an entry of the map at this path.
    #[must_use]
    pub fn entry(&self, key: &str) -> Self {
        self.with(PathSegment::Entry(key.to_owned()))
    }

    /// Returns the path of an item of the list at this path.
    #[must_use]
    pub fn item(&self, index: usize) -> Self {
        self.with(PathSegment::Item(index))
    }

    /// Returns the steps from the top.
    pub fn steps(&self) -> &[PathSegment] {
        &self.0
    }

    /// Returns the path of the part that `step` leads to from the value at this path.
    #[must_use]
    pub fn with(&self, step: PathSegment) -> Self {
        let mut steps = self.0.clone();
        steps.push(step);
        Self(steps)
    }

    /// Returns the flaw of the value at this path.
    pub fn flaw(&self, what: impl fmt::Display) -> LocatedError {
        LocatedError {
            path: self.clone(),
            what: what.to_string(),
        }
    }
}

impl fmt::Display for Path {
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

/// An error in the value at a path, with advice on its repair.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{path}: {what}")]
pub struct LocatedError {
    /// The path of the flaw.
    pub path: Path,
    /// One sentence that describes the flaw and its repair.
    pub what: String,
}
