//! Which session has which row of the schedule: a file a claim, made at once or not at all.

use std::fs;
use std::io;
use std::path::PathBuf;

use crate::error::StudyError;
use crate::folder::{DataKind, StudyFolder, create_new, make_folder, names};
use debate_lab::record::create_whole;

/// A session's hold on a row of the schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The row of the schedule, from 0.
    pub slot: u32,
    pub session: String,
    /// The session that had the slot before and gave it back.
    pub reclaimed_from: Option<String>,
    /// How many had it before.
    generation: u32,
    returned: bool,
}

fn file_name(slot: u32, generation: u32) -> String {
    format!("{slot:04}-{generation}")
}

/// The slot and the generation of a claim's file.
fn parse(name: &str) -> Option<(u32, u32)> {
    let (slot, generation) = name.split_once('-')?;
    Some((slot.parse().ok()?, generation.parse().ok()?))
}

impl StudyFolder {
    fn slots(&self) -> PathBuf {
        self.data(DataKind::Live).join("slots")
    }

    /// All claims, those that were given back too: by slot, and by when they were made.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn claims(&self) -> Result<Vec<Claim>, StudyError> {
        let names = names(&self.slots())?;
        let mut claims: Vec<Claim> = Vec::new();
        for name in &names {
            let Some((slot, generation)) = parse(name) else {
                continue;
            };
            let path = self.slots().join(name);
            claims.push(Claim {
                slot,
                generation,
                session: fs::read_to_string(&path).map_err(StudyError::io(&path))?,
                returned: names.contains(&format!("{name}.returned")),
                reclaimed_from: None,
            });
        }
        claims.sort_by_key(|claim| (claim.slot, claim.generation));
        for later in 1..claims.len() {
            let before = &claims[later - 1];
            if before.slot == claims[later].slot {
                claims[later].reclaimed_from = Some(before.session.clone());
            }
        }
        Ok(claims)
    }

    /// The claim that a session has now.
    fn claim_of(&self, session: &str) -> Result<Option<Claim>, StudyError> {
        let mut claims = self.claims()?.into_iter();
        Ok(claims.find(|claim| claim.session == session && !claim.returned))
    }

    /// True if a slot below `count` is free.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub(crate) fn has_place(&self, count: u32) -> Result<bool, StudyError> {
        let claims = self.claims()?;
        let held = claims.iter().filter(|it| it.slot < count && !it.returned);
        Ok(held.count() < count as usize)
    }

    /// Takes the lowest free slot below `count` for a session: one that nobody has, or that was given back. A
    /// session that has one keeps it. `None` where all are taken.
    ///
    /// # Errors
    /// If nothing can be read or written.
    pub fn claim(&self, session: &str, count: u32) -> Result<Option<Claim>, StudyError> {
        let folder = self.slots();
        make_folder(&folder)?;
        // Of two who come at once one is refused the file, and looks again.
        loop {
            if let Some(claim) = self.claim_of(session)? {
                return Ok(Some(claim));
            }
            let claims = self.claims()?;
            let free = (0..count).find_map(|slot| {
                let last = claims.iter().rfind(|claim| claim.slot == slot);
                match last {
                    None => Some((slot, 0)),
                    Some(last) if last.returned => Some((slot, last.generation + 1)),
                    Some(_) => None,
                }
            });
            let Some((slot, generation)) = free else {
                return Ok(None);
            };
            let path = folder.join(file_name(slot, generation));
            match create_whole(&path, session) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                    return Err(StudyError::io(&path)(error));
                }
                _ => {}
            }
        }
    }

    /// Gives a session's slot back, so that somebody else can have it; nothing where it has none.
    ///
    /// # Errors
    /// If that cannot be written.
    pub fn give_back(&self, session: &str) -> Result<(), StudyError> {
        let Some(claim) = self.claim_of(session)? else {
            return Ok(());
        };
        let name = file_name(claim.slot, claim.generation);
        let path = self.slots().join(format!("{name}.returned"));
        match create_new(&path, b"") {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                Err(StudyError::io(&path)(error))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twenty_who_come_at_once_have_twenty_slots_and_a_returned_one_is_claimed_again() {
        let folder = tempfile::tempdir().unwrap();
        let study = StudyFolder::new(folder.path());
        let claimed: Vec<Claim> = std::thread::scope(|scope| {
            let come = || {
                let session = study.new_session().unwrap();
                study.claim(&session, 20).unwrap().unwrap()
            };
            let claims: Vec<_> = (0..20).map(|_| scope.spawn(come)).collect();
            claims
                .into_iter()
                .map(|claim| claim.join().unwrap())
                .collect()
        });
        let mut slots: Vec<u32> = claimed.iter().map(|claim| claim.slot).collect();
        slots.sort_unstable();
        assert_eq!(slots, (0..20).collect::<Vec<_>>());
        let mut sessions: Vec<&str> = claimed.iter().map(|it| it.session.as_str()).collect();
        sessions.sort_unstable();
        sessions.dedup();
        assert_eq!(sessions.len(), 20);
        assert_eq!(study.claim("s0020", 20).unwrap(), None);
        assert!(!study.has_place(20).unwrap());
        let seventh = &claimed[7];
        // Who has a slot keeps it, however often it asks.
        let again = study.claim(&seventh.session, 20).unwrap().unwrap();
        assert_eq!(&again, seventh);
        study.give_back(&seventh.session).unwrap();
        study.give_back(&seventh.session).unwrap();
        assert!(study.has_place(20).unwrap());
        let other = study.claim("s0020", 20).unwrap().unwrap();
        assert_eq!(other.slot, seventh.slot);
        assert_eq!(other.reclaimed_from.as_ref(), Some(&seventh.session));
        assert_eq!(study.claim("s0021", 20).unwrap(), None);
    }
}
