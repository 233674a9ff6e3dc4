//! Files for players that are read from files.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::digest::Digest;

/// The files that are at hand for players, by name, and what they must have been made for.
///
/// A player never opens a file itself: whoever fills the registry does, and puts what it read here.
#[derive(Clone, Debug, Default)]
pub struct PlayerFiles {
    /// The digest of what is debated; `None` where that is not said.
    pub matter: Option<Digest>,
    files: Arc<BTreeMap<String, Arc<[u8]>>>,
}

impl PlayerFiles {
    /// A shelf with these files, for debates about this matter.
    pub fn new(matter: Digest, files: impl IntoIterator<Item = (String, Arc<[u8]>)>) -> Self {
        Self {
            matter: Some(matter),
            files: Arc::new(files.into_iter().collect()),
        }
    }

    /// The bytes of a file.
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.files.get(name).map(|bytes| &**bytes)
    }
}
