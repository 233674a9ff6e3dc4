//! The export of everything that a study stores about one participant, for participants who request it.

use std::fs;
use std::path::PathBuf;

use super::export::{README, StudyExportDestination, StudyExportResult, tables, write_files};
use crate::Study;
use crate::error::{Result, StudyError};
use crate::folder::audit::StudyDataDamage;
use crate::folder::{LiveOrSimulated, path_file_name};
use crate::plan::read_text;
use crate::report::rows::StudyRows;

impl StudyRows {
    /// Removes the rows of all sessions except this one from the tables.
    fn keep_session(&mut self, session: &str) {
        self.participants.retain(|row| row.session == session);
        self.trials.retain(|row| row.key.session == session);
        self.queries.retain(|row| row.key.session == session);
        self.rounds.retain(|row| row.key.session == session);
        self.survey.retain(|row| row.session == session);
        self.debates.retain(|row| row.session == session);
        self.events.retain(|record| record.session == session);
    }
}

/// Writes the files of one person's export; the first one is its README. Rejects a folder with another export, so that
/// tables with the names of sessions do not replace anonymous ones.
fn write_person_files(
    target: &StudyExportDestination,
    files: &[(PathBuf, String)],
) -> Result<Vec<PathBuf>> {
    let path = target.folder.join(README);
    let own = files.first().map(|(_, text)| text);
    if path.exists() && Some(&read_text(&path)?) != own {
        return Err(StudyError::invalid_file(
            &target.folder,
            "this folder contains the export of other data; name another folder with --out, or delete this one",
        ));
    }
    write_files(target, files)
}

/// The file of the export that contains an invited person's name.
const INVITED: &str = "private/invited.txt";

/// Writes the export of an invited person who has no session: a README and the person's name.
fn export_invited_person(
    study: &Study,
    name: &str,
    target: &StudyExportDestination,
) -> Result<StudyExportResult> {
    if !study.folder.invited_names()?.iter().any(|it| it == name) {
        return Err(StudyError::UnknownParticipant(name.to_owned()));
    }
    let readme = format!(
        "# Data of one person in “{title}”\n\nThe study stores only the person's name, in the list of invited \
         participants (`{INVITED}`). No session has begun under this name.\n",
        title = study.plan.title,
    );
    let files = [
        (PathBuf::from(README), readme),
        (PathBuf::from(INVITED), name.to_owned() + "\n"),
    ];
    let files = write_person_files(target, &files)?;
    Ok(StudyExportResult {
        folder: target.folder.clone(),
        files,
        sessions: 0,
        damage: StudyDataDamage::default(),
    })
}

/// Writes everything that the study stores about a participant into a folder. `name` is the name of the participant, or
/// of the session. For a person who is invited and has no session, that is only the name.
///
/// # Errors
/// If no participant has that name, the folder contains another README.md, or a file exists and `replace` is false.
/// Also if a log names an unknown item, or a file cannot be read or written.
pub fn export_participant(
    study: &Study,
    name: &str,
    target: &StudyExportDestination,
) -> Result<StudyExportResult> {
    let folder = &study.folder;
    let Some(session) = folder.session_of_name(name)? else {
        return export_invited_person(study, name, target);
    };
    let mut rows = StudyRows::read_study_rows(study, LiveOrSimulated::Live)?;
    rows.keep_session(&session);
    let readme = format!(
        include_str!("person.md"),
        title = study.plan.title,
        session = session
    );
    let mut files = vec![(PathBuf::from(README), readme)];
    files.extend(tables(study, &rows, None));
    let log = folder.log_file(LiveOrSimulated::Live, &session);
    let mut stored = folder.debates_of_session(&session)?;
    stored.extend(log.exists().then_some(log));
    for path in stored {
        // The text is copied even if the log is damaged; bytes that are not UTF-8 become replacement characters.
        let bytes = fs::read(&path).map_err(StudyError::io_error_at(&path))?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        files.push((PathBuf::from("stored").join(path_file_name(&path)), text));
    }
    if let Some(time) = folder.stored_session_clock_ms(&session) {
        files.push((PathBuf::from("stored/shown.txt"), format!("{time}\n")));
    }
    if let Some(time) = folder.last_request_of_waiting_session(&session) {
        let text = debate_host::record::format_utc(time) + "\n";
        files.push((PathBuf::from("stored/waiting.txt"), text));
    }
    if let Some(message) = folder.message_to_session(&session) {
        files.push((PathBuf::from("stored/message.txt"), message + "\n"));
    }
    for (_, identity) in folder.identities()? {
        if identity.session == session {
            if folder.invited_names()?.contains(&identity.id) {
                files.push((PathBuf::from(INVITED), identity.id.clone() + "\n"));
            }
            let text = serde_json::to_string_pretty(&identity).unwrap_or_default() + "\n";
            files.push((PathBuf::from("private/identity.json"), text));
        }
    }
    if let Some(rows) = folder.payment_table_of_session(&session)? {
        files.push((PathBuf::from("private/payments.csv"), rows));
    }
    let sessions = rows.participants.len();
    let files = write_person_files(target, &files)?;
    Ok(StudyExportResult {
        folder: target.folder.clone(),
        files,
        sessions,
        damage: rows.damage,
    })
}
