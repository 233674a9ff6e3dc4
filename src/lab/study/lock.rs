//! The lock: digests of everything that a participant's way follows from, made when the first one
//! agrees to take part.

use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::Study;
use super::error::StudyError;
use super::folder::create_whole;
use super::plan::{Stage, read_text};
use crate::record::utc;
use debate_core::digest::Digest;

/// What a study was when it was locked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lock {
    /// The version of this document: 1.
    pub format: u32,
    pub study: String,
    /// The version of the program.
    pub program: String,
    /// When, in UTC.
    pub locked: String,
    /// Each file with its digest.
    pub files: Vec<(String, String)>,
    /// The digest of the trials of all slots up to the target.
    pub schedule: String,
    /// The digest of all of this but the time: what a preregistration names.
    pub hash: String,
}

impl Lock {
    /// The lock of a study as it stands.
    fn of(study: &Study, locked: String) -> Self {
        let name = |path: &std::path::Path| path.to_string_lossy().replace('\\', "/");
        let files = study
            .files
            .iter()
            .map(|(path, digest)| (name(path), digest.to_string()));
        let mut files: Vec<(String, String)> = files.collect();
        files.sort();
        let schedule = study.schedule();
        let slots =
            (0..study.plan.target.participants).map(|slot| format!("{:?}\n", schedule.slot(slot)));
        let schedule = Digest::of(slots.collect::<String>().as_bytes()).to_string();
        let program = env!("CARGO_PKG_VERSION").to_owned();
        let all = format!("{}\n{program}\n{files:?}\n{schedule}", study.plan.id);
        Self {
            format: 1,
            study: study.plan.id.clone(),
            program,
            locked,
            files,
            schedule,
            hash: Digest::of(all.as_bytes()).to_string(),
        }
    }

    /// What is different in a study that is not the locked one any more.
    fn difference(&self, now: &Self) -> Option<String> {
        for (name, digest) in &self.files {
            match now.files.iter().find(|(other, _)| other == name) {
                None => return Some(format!("`{name}` is not part of it any more")),
                Some((_, other)) if other != digest => {
                    return Some(format!("`{name}` says something else"));
                }
                Some(_) => {}
            }
        }
        let new = now
            .files
            .iter()
            .find(|(name, _)| !self.files.iter().any(|(of, _)| of == name));
        if let Some((name, _)) = new {
            return Some(format!("`{name}` is new"));
        }
        if self.program != now.program {
            return Some(format!(
                "it was locked with version {} of the program, and this is {}",
                self.program, now.program
            ));
        }
        (self.hash != now.hash).then(|| "its schedule is another one".to_owned())
    }
}

/// Locks a study; one that is locked stays as it is.
///
/// # Errors
/// If it cannot be written, or the study was changed since.
pub fn lock(study: &Study) -> Result<Lock, StudyError> {
    if study.plan.stage == Stage::Debug {
        return Err(StudyError::Plan(
            "a study at the stage Debug is never locked; set `stage: Pilot` first".to_owned(),
        ));
    }
    let path = study.folder.lock_file();
    let made = Lock::of(study, utc(SystemTime::now()));
    let text = serde_json::to_string_pretty(&made).unwrap_or_default() + "\n";
    match create_whole(&path, &text) {
        Ok(()) => Ok(made),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            verify_lock(study)?.ok_or_else(|| StudyError::file(&path, "it went away"))
        }
        Err(cause) => Err(StudyError::io(&path)(cause)),
    }
}

/// The lock of a study that is still what was locked; `None` where it is not locked.
///
/// # Errors
/// If the lock cannot be read, or the study was changed since.
pub fn verify_lock(study: &Study) -> Result<Option<Lock>, StudyError> {
    let path = study.folder.lock_file();
    if !path.exists() {
        return Ok(None);
    }
    let text = read_text(&path)?;
    let kept: Lock =
        serde_json::from_str(&text).map_err(|error| StudyError::file(&path, error.to_string()))?;
    let now = Lock::of(study, kept.locked.clone());
    match kept.difference(&now) {
        None if kept == now => Ok(Some(kept)),
        None => Err(StudyError::Changed(
            "`lock.json` itself was changed".to_owned(),
        )),
        Some(what) => Err(StudyError::Changed(what)),
    }
}
