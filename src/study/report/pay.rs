//! What participants are paid: one trial by chance, by the stated rule.

use std::fs;
use std::path::PathBuf;

use crate::Study;
use crate::error::StudyError;
use crate::folder::log::Status;
use crate::folder::{DataKind, write_whole};
use crate::plan::Bonus;
use crate::plan::schedule::draw;
use crate::report::rows::{Rows, TRIAL_RUN, TrialRow};
use debate_lab::tell::table::{line, text};

/// A participant's bonus.
#[derive(Clone, Debug, PartialEq)]
pub struct Payment {
    pub session: String,
    /// The name that they came with; none where they came without.
    pub id: Option<String>,
    pub trial: u32,
    pub score: f64,
    pub cents: u32,
}

/// Works out what everybody who completed the study is paid, and writes it to `private/payments.csv`.
///
/// # Errors
/// If the study pays no bonus, a log cannot be read, or the file cannot be written.
pub fn pay(study: &Study) -> Result<(Vec<Payment>, PathBuf), StudyError> {
    let Some(Bonus::OneTrial { score, cents }) = study.plan.bonus else {
        return Err(StudyError::Plan(
            "the study file states no bonus; add `bonus: OneTrial(…)`".to_owned(),
        ));
    };
    let rows = Rows::read(study, DataKind::Live)?;
    let identities = study.folder.identities()?;
    let mut payments = Vec::new();
    for row in rows
        .participants
        .iter()
        .filter(|row| row.status == Status::Complete && row.excluded != TRIAL_RUN)
    {
        let own: Vec<&TrialRow> = rows
            .trials
            .iter()
            .filter(|it| it.session == row.session && !it.practice && !it.repeat)
            .collect();
        if own.is_empty() {
            continue;
        }
        let chosen = draw(study.plan.seed, &format!("bonus/{}", row.session)) % own.len() as u64;
        let trial = own[usize::try_from(chosen).unwrap_or(0)];
        let worth = score.of(trial.p_correct);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "no more than the stated cents"
        )]
        let paid = (worth * f64::from(cents)).round() as u32;
        let known = identities
            .iter()
            .find(|(_, identity)| identity.session == row.session);
        payments.push(Payment {
            session: row.session.clone(),
            id: known.map(|(_, identity)| identity.id.clone()),
            trial: trial.trial,
            score: worth,
            cents: paid,
        });
    }
    let path = study.folder.payments();
    let mut table = line(["id", "session", "trial", "score", "cents"]) + "\n";
    for payment in &payments {
        let cells = [
            payment.id.as_deref().map_or_else(String::new, text),
            text(&payment.session),
            payment.trial.to_string(),
            format!("{:.4}", payment.score),
            payment.cents.to_string(),
        ];
        table += &line(cells);
        table.push('\n');
    }
    write_whole(&path, &table)?;
    Ok((payments, path))
}

/// Deletes everybody's names and the payments once they are paid. Returns how many names there were.
///
/// # Errors
/// If a file cannot be deleted.
pub fn close_payments(study: &Study) -> Result<usize, StudyError> {
    let identities = study.folder.identities()?;
    for (path, _) in &identities {
        fs::remove_file(path).map_err(StudyError::io(path))?;
    }
    let payments = study.folder.payments();
    if payments.exists() {
        fs::remove_file(&payments).map_err(StudyError::io(&payments))?;
    }
    study.folder.delete_invitations()?;
    Ok(identities.len())
}
