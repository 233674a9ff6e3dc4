//! The lock: digests of everything that determines the sessions of participants. The first consent creates it, unless
//! `study lock` or `study preregister` created it before.

use std::path::Path;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use crate::Study;
use crate::error::{Result, StudyError};
use crate::folder::read_json;
use crate::plan::StudyStage;
use crate::plan::schedule::{AssignedTrial, ItemDealingMethod};
use debate_core::digest::Digest;
use debate_host::record::create_file_atomically;

/// The lock of a study: digests that detect changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(rename = "StudyLock")]
pub struct StudyLock {
    /// Version of the lock's format: 2, or 1 if an older version of the program locked the study.
    pub format: u32,
    pub study: String,
    /// The study format: version of the pages, schedule and logs that result from a study file. `None` in format 1.
    ///
    /// It also determines the dealing of items: since 2 the order of truths is drawn at random, and a study of format 1
    /// keeps its order. Up to 2, debates whose rules do not name `quotes` accept only exact quotes. Up to 3, pages have
    /// other words, a separate page confirms each probability, and judges see all figures. Up to 4, judges are asked
    /// for words after the last round, which no debater reads. Up to 5, two steps of practice with the same items deal
    /// the same items, and live debates do not count their last round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub study_format: Option<u32>,
    /// Version of the program that made the lock.
    pub program: String,
    /// Time at which the lock was made, in UTC.
    pub locked: String,
    /// Names of the locked files, each with its digest.
    pub files: Vec<(String, String)>,
    /// Digest of the trials in the schedule, except practice trials, for the planned number of participants.
    pub schedule: String,
    /// Digest of the study's id, the files, the schedule and the study format. In format 1, it covers the program's
    /// version instead of the study format. A preregistration cites this digest.
    pub hash: String,
}

/// Newest version of the format of a study's lock file.
const FORMAT: u32 = 2;
/// Newest study format. It is increased if the same study file would lead to other pages or other answers. The
/// program's version does not matter.
pub(crate) const STUDY_FORMAT: u32 = 6;

impl StudyLock {
    /// Returns the lock that the study would get in its current state.
    fn of(study: &Study, format: u32, program: String, locked: String) -> Self {
        let name = |path: &Path| path.to_string_lossy().replace('\\', "/");
        let mut files: Vec<(String, String)> = study
            .files
            .iter()
            .map(|(path, digest)| (name(path), digest.to_string()))
            .collect();
        files.sort();
        let schedule = study.schedule_digest();
        let study_format = (format > 1).then_some(study.study_format);
        let version = study_format.map_or_else(|| program.clone(), |version| version.to_string());
        let all = format!("{}\n{version}\n{files:?}\n{schedule}", study.plan.id);
        Self {
            format,
            study: study.plan.id.clone(),
            study_format,
            program,
            locked,
            files,
            schedule,
            hash: Digest::digest_of_bytes(all.as_bytes()).to_string(),
        }
    }

    /// Describes the first difference between the locked study and its current state; `None` if there is none.
    fn difference(&self, now: &Self) -> Option<String> {
        for (name, digest) in &self.files {
            match now.files.iter().find(|(other, _)| other == name) {
                None => return Some(format!("`{name}` is missing")),
                Some((_, other)) if other != digest => {
                    return Some(format!("`{name}` has other contents"));
                }
                Some(_) => {}
            }
        }
        let is_known = |name: &str| self.files.iter().any(|(of, _)| of == name);
        if let Some((name, _)) = now.files.iter().find(|(name, _)| !is_known(name)) {
            return Some(format!("`{name}` is new"));
        }
        let own = self
            .study_format
            .filter(|_| self.study_format != now.study_format);
        if let Some(own) = own {
            return Some(format!(
                "version {} of the program locked it with study format {own}, and this program would use study \
                 format {STUDY_FORMAT}",
                self.program
            ));
        }
        (self.hash != now.hash).then(|| "its schedule is different".to_owned())
    }

    /// Returns the name of the version that the lock's hash covers: the study format, or in locks of format 1 the
    /// program's version.
    pub(crate) fn version_covered_by_hash_in_words(&self) -> String {
        match self.study_format {
            Some(version) => format!("the version of the study format ({version})"),
            None => format!(
                "the version of the program ({version})",
                version = self.program
            ),
        }
    }

    /// Returns a sentence that another version of the program locked the study. `None` if this version did.
    pub fn study_locked_by_other_version_note(&self) -> Option<String> {
        let this_version = env!("CARGO_PKG_VERSION");
        (self.program != this_version).then(|| {
            format!(
                "Version {locking_version} of the program locked this study; version {this_version} continues it with the same study format.",
                locking_version = self.program
            )
        })
    }
}

impl Study {
    /// Returns the digest of the trials in the schedule, except practice trials, for the planned number of
    /// participants.
    fn schedule_digest(&self) -> String {
        // Cached: a loaded study never changes, and each consent uses the digest.
        let digest = self.schedule_digest.get_or_init(|| {
            let schedule = self.schedule();
            let slots = 0..self.plan.schedule_rows_of_planned_participants();
            let slot = |slot| {
                let trials = schedule.trials_of_slot_without_practice(slot);
                let trials: Vec<String> =
                    trials.iter().map(AssignedTrial::text_for_digest).collect();
                format!("[{}]\n", trials.join(", "))
            };
            Digest::digest_of_bytes(slots.map(slot).collect::<String>().as_bytes())
        });
        digest.to_string()
    }

    /// Sets the study format to that of the lock, if the study is locked. Also sets the words of the pages, and in
    /// format 1 the dealing method, by this format.
    pub(crate) fn use_study_format_of_lock(&mut self) {
        // `verify_lock` reports an unreadable lock.
        let Ok(kept) = read_json::<StudyLock>(&self.folder.study_lock_file()) else {
            return;
        };
        // Locks of format 1 do not name a study format: it is 1.
        let format = kept.study_format.unwrap_or(1);
        if format == 1 {
            self.dealing = ItemDealingMethod::Hands;
        }
        self.study_format = format.min(STUDY_FORMAT);
        self.plan.has_words_of_format_3 = !self.has_pages_of_format_4_or_later();
    }

    /// Sets the method that deals items to trials to that of the lock. Study format 1 has two methods; the schedule's
    /// digest identifies the right one.
    pub(crate) fn use_dealing_method_of_lock(&mut self) {
        let Ok(kept) = read_json::<StudyLock>(&self.folder.study_lock_file()) else {
            return;
        };
        if self.dealing.first_study_format() > 1 {
            return;
        }
        for dealing in [ItemDealingMethod::Hands, ItemDealingMethod::Rows] {
            self.dealing = dealing;
            self.schedule_digest = OnceLock::new();
            if self.schedule_digest() == kept.schedule {
                return;
            }
        }
        self.dealing = ItemDealingMethod::Hands;
        self.schedule_digest = OnceLock::new();
    }
}

/// Locks a study. Does nothing if it is locked and unchanged.
///
/// # Errors
/// If the stage is Debug, debates are not prepared, the lock cannot be written, or the study was changed since its
/// lock.
pub fn lock_study(study: &Study) -> Result<StudyLock> {
    if study.plan.stage == StudyStage::Debug {
        return Err(StudyError::Plan(
            "a study at the stage Debug cannot be locked; set `stage: Pilot` first".to_owned(),
        ));
    }
    if let Some(made) = verify_lock(study)? {
        return Ok(made);
    }
    study.check_program_debates_were_played()?;
    let path = study.folder.study_lock_file();
    let program = env!("CARGO_PKG_VERSION").to_owned();
    let made = StudyLock::of(study, FORMAT, program, study.folder.time.utc_now());
    let text = serde_json::to_string_pretty(&made).unwrap_or_default() + "\n";
    match create_file_atomically(&path, &text) {
        Ok(()) => Ok(made),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => verify_lock(study)?
            .ok_or_else(|| {
                StudyError::invalid_file(
                    &path,
                    "another process just deleted the study's lock; lock the study again",
                )
            }),
        Err(cause) => Err(StudyError::io_error_at(&path)(cause)),
    }
}

/// Checks that the study is unchanged since its lock, and returns the lock. `None` if the study is not locked.
///
/// # Errors
/// If the lock cannot be read, or the study was changed since.
pub fn verify_lock(study: &Study) -> Result<Option<StudyLock>> {
    let path = study.folder.study_lock_file();
    if !path.exists() {
        return Ok(None);
    }
    let kept: StudyLock = read_json(&path)?;
    if kept.format > FORMAT {
        let what = format!(
            "the lock's format {format} is newer than this program's format {FORMAT}; use a newer version of the program",
            format = kept.format
        );
        return Err(StudyError::invalid_file(&path, what));
    }
    let now = StudyLock::of(
        study,
        kept.format,
        kept.program.clone(),
        kept.locked.clone(),
    );
    if kept == now {
        return Ok(Some(kept));
    }
    let what = kept
        .difference(&now)
        .unwrap_or_else(|| "`lock.json` itself was changed".to_owned());
    Err(StudyError::Changed(what))
}
