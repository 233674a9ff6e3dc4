//! `study serve` and `study invite`: participants in their browsers.

use std::fs;
use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::{FolderArgs, RECRUITMENT_VARIABLE, TOKEN_VARIABLE, named, note_other_program, say};
use crate::cli::web::ListenArgs;
use crate::cli::{Failure, Result};
use crate::web::{LinkKey, Origin, StudyDesk, is_name, new_secret};
use debate_core::text::safe;
use debate_study::{Study, StudyFolder, link_id};

#[derive(Debug, Args)]
#[command(after_help = include_str!("../help/study-serve.txt"))]
pub(in crate::cli) struct ServeStudyArgs {
    #[command(flatten)]
    of: FolderArgs,
    #[command(flatten)]
    listen: ListenArgs,
    /// Where participants go at the end, with {code} in place of their code. Without it the page shows the code.
    #[arg(long, value_name = "URL", value_parser = redirect)]
    redirect: Option<String>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct InviteArgs {
    #[command(flatten)]
    of: FolderArgs,
    /// Make so many tokens, and print a link with each.
    #[arg(short = 'n', long, value_name = "N", default_value_t = 0)]
    #[arg(value_parser = clap::value_parser!(u16).range(0..=10_000))]
    tokens: u16,
    /// Invite the names in this file, one a line, such as the ids of Prolific.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    list: Option<PathBuf>,
    /// Print the link for the study of this id at Prolific: whoever Prolific sends there is invited.
    #[arg(long, value_name = "STUDY_ID")]
    prolific: Option<String>,
    /// Print a link by which the participant of this id at Prolific, who came by the signed link, goes on in another
    /// browser. Send it to them alone.
    #[arg(long, value_name = "PROLIFIC_PID")]
    again: Option<String>,
    /// The address under which participants come.
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8080", value_parser = Origin::parse)]
    public: Origin,
}

/// Reads an address with a place for the code.
fn redirect(text: &str) -> Result<String, String> {
    let is_address = text.starts_with("https://") || text.starts_with("http://");
    let is_plain = text.chars().all(|c| c.is_ascii_graphic());
    if is_address && is_plain && text.matches("{code}").count() == 1 {
        Ok(text.to_owned())
    } else {
        Err("write an address with {code} in it, once".to_owned())
    }
}

pub(super) fn serve(args: &ServeStudyArgs) -> Result {
    // Every participant's process starts in the same folder.
    let folder = std::path::absolute(&args.of.folder)?;
    let study = Study::load(&folder)?;
    note_other_program(&study)?;
    let key = LinkKey::of(&study.folder).map_err(|error| Failure::System(error.to_string()))?;
    let scratch = tempfile::Builder::new()
        .prefix("debate-tui-study-")
        .tempdir()?;
    args.listen.serve(Box::new(StudyDesk {
        study,
        redirect: args.redirect.clone(),
        scratch: scratch.path().to_owned(),
        key,
        variables: [TOKEN_VARIABLE, RECRUITMENT_VARIABLE],
    }))
}

pub(super) fn invite(args: &InviteArgs) -> Result {
    Study::load(&args.of.folder)?;
    let folder = StudyFolder::new(&args.of.folder);
    let mut names = Vec::new();
    if let Some(path) = &args.list {
        let text = fs::read_to_string(path)
            .map_err(|error| Failure::input(format!("{}: {error}", named(path))))?;
        for (number, name) in text.lines().map(str::trim).enumerate() {
            if !name.is_empty() && !is_name(name) {
                return Err(Failure::input(format!(
                    "{}: line {}: `{}` is no name for a link: up to 64 letters, digits, - and _",
                    named(path),
                    number + 1,
                    safe(name)
                )));
            }
            names.extend((!name.is_empty()).then(|| name.to_owned()));
        }
    }
    let listed = names.len();
    let tokens: Vec<String> = (0..args.tokens).map(|_| new_secret()).collect();
    names.extend(tokens.iter().cloned());
    if names.is_empty() && args.prolific.is_none() && args.again.is_none() {
        return Err(Failure::input(
            "say whom: -n N for links, --list FILE for names, --prolific STUDY_ID for a signed link, --again \
             PROLIFIC_PID for who changes to another browser",
        ));
    }
    if !names.is_empty() {
        folder.invite(names)?;
    }
    let public = args.public.as_str();
    for token in tokens {
        say(&format!("{public}/#token={token}"))?;
    }
    if listed > 0 {
        say(&format!(
            "{listed} names are invited: {}",
            named(&folder.invited_file())
        ))?;
    }
    let key = || LinkKey::of(&folder).map_err(|error| Failure::System(error.to_string()));
    let is_id = |flag: &str, id: &str| {
        let wrong = format!("{flag}: an id has up to 64 letters, digits, - and _");
        is_name(id).then_some(()).ok_or(Failure::Input(wrong))
    };
    if let Some(study) = &args.prolific {
        is_id("--prolific", study)?;
        let signature = key()?.sign(study);
        say(&format!(
            "{public}/?PROLIFIC_PID={{{{%PROLIFIC_PID%}}}}&STUDY_ID={{{{%STUDY_ID%}}}}&SESSION_ID={{{{%SESSION_ID%}}}}\
             &signature={signature}"
        ))?;
    }
    if let Some(name) = &args.again {
        is_id("--again", name)?;
        if folder.session_of(&link_id(name))?.is_none() {
            return Err(Failure::Input(format!(
                "--again: nobody has come by the signed link under the id {name}"
            )));
        }
        let cookie = key()?.cookie(name);
        say(&format!("{public}/#again={name}&cookie={cookie}"))?;
    }
    Ok(())
}
