//! Handles: secrets of 128 bits, each for one seat of one debate.
//!
//! Beside the saves stands for each handle a file that is named by the handle's digest and names the
//! save: whoever reads the folder can take no seat by it.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::message::SeatName;
use debate_core::digest::Digest;

/// The folder of handles, beside the saves.
const FOLDER: &str = "handles";

/// A new handle.
pub(super) fn random() -> String {
    format!("{:032x}", rand::random::<u128>())
}

/// The stored form of a handle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KeptHandle {
    /// The save's file name.
    pub(super) save: String,
    pub(super) seat: SeatName,
    #[serde(flatten)]
    pub(super) parts: RequestParts,
}

/// What the requests of a debate tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RequestParts {
    /// True if requests have texts.
    pub(super) text: bool,
    /// True if each tells all that the seat has seen, not only what came since the one before.
    pub(super) history: bool,
}

impl RequestParts {
    pub(super) const ALL: Self = Self {
        text: true,
        history: true,
    };
}

impl KeptHandle {
    fn path(folder: &Path, handle: &str) -> PathBuf {
        let digest = Digest::of(handle.as_bytes());
        folder.join(FOLDER).join(digest.to_string())
    }

    /// Keeps it for a handle.
    pub(super) fn keep(&self, folder: &Path, handle: &str) -> std::io::Result<()> {
        fs::create_dir_all(folder.join(FOLDER))?;
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(Self::path(folder, handle))?;
        file.write_all(serde_json::to_string(self)?.as_bytes())
    }

    /// The record of a handle; `None` where there is none, or it names no save of this folder.
    pub(super) fn find(folder: &Path, handle: &str) -> Option<Self> {
        let text = fs::read(Self::path(folder, handle)).ok()?;
        let kept: Self = serde_json::from_slice(&text).ok()?;
        let inside = Path::new(&kept.save).file_name()? == kept.save.as_str();
        inside.then_some(kept)
    }
}
