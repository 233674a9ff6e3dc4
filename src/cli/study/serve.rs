//! `study serve`, `study invite` and `study preview`: studies in participants' browsers.

use std::fs;
use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::{FolderArgs, named, note_other_program, print, say};
use crate::cli::flags::EngineArgs;
use crate::cli::web::ListenArgs;
use crate::cli::{Failure, Result, unknown_name};
use crate::web::{
    LinkKey, Origin, Preview, StatusLines, StudySite, is_name, new_secret, serve_preview,
    serve_study,
};
use debate_core::text::{lines, safe};
use debate_study::{Study, StudyFolder, link_id, spoken_codes};

#[derive(Debug, Args)]
#[command(after_help = include_str!("../help/study-serve.txt"))]
pub(in crate::cli) struct ServeStudyArgs {
    #[command(flatten)]
    of: FolderArgs,
    #[command(flatten)]
    listen: ListenArgs,
    #[command(flatten)]
    engines: EngineArgs,
    /// Where participants go at the end, with {code} in place of their code. Without it the page shows the code.
    #[arg(long, value_name = "URL", value_parser = redirect)]
    redirect: Option<String>,
    /// The path before that of every page, where a proxy leads only that path here: /pilot.
    #[arg(long, value_name = "PATH", default_value = "", value_parser = base)]
    base: String,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct PreviewArgs {
    #[command(flatten)]
    of: FolderArgs,
    /// Show the trials of this condition alone.
    #[arg(long, value_name = "ID")]
    condition: Option<String>,
    #[command(flatten)]
    listen: ListenArgs,
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
    /// The path before that of every page, as `serve` has it.
    #[arg(long, value_name = "PATH", default_value = "", value_parser = base)]
    base: String,
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

/// Reads a path before all pages: none, or `/pilot`.
fn base(text: &str) -> std::result::Result<String, String> {
    let path = text.trim_end_matches('/');
    let is_plain = |part: &str| !part.is_empty() && is_name(part);
    let is_base = path
        .strip_prefix('/')
        .is_some_and(|rest| rest.split('/').all(is_plain));
    if path.is_empty() || is_base {
        Ok(path.to_owned())
    } else {
        Err(
            "write a path of letters, digits, - and _ that begins with /, such as /pilot"
                .to_owned(),
        )
    }
}

pub(super) fn serve(args: &ServeStudyArgs) -> Result {
    let study = Study::load(&args.of.folder)?;
    note_other_program(&study)?;
    let key = LinkKey::of(&study.folder).map_err(|error| Failure::System(error.to_string()))?;
    open_many_files();
    let options = args.listen.options(&args.base);
    let status_key = key.status_key(&study.plan.id);
    let folder = args.of.folder.clone();
    let status: StatusLines = Box::new(move || {
        let status = print::status_now(&folder).map_err(|failure| failure.to_string())?;
        Ok(print::status_lines(&status))
    });
    let engines = args.engines.options();
    let site = StudySite::new(study, key, args.redirect.clone(), status, engines, &options)?;
    let more = |shown: &str| {
        vec![format!(
            "For you alone, how far everybody is: {shown}status?key={status_key}"
        )]
    };
    args.listen.serve(options, &more, |options, ready| {
        serve_study(options, site, ready)
    })
}

/// Lets the process have as many files open as it may: each session has its log open.
fn open_many_files() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
        let current = maximum;
        // If this fails, fewer sessions can be open at a time.
        let _ = setrlimit(Resource::Nofile, Rlimit { current, maximum });
    }
}

pub(super) fn preview(args: &PreviewArgs) -> Result {
    let study = args.of.study()?;
    let mut pages = debate_study::preview(&study, &spoken_codes(&study))?;
    if let Some(id) = &args.condition {
        let known: Vec<&str> = study
            .plan
            .conditions
            .iter()
            .map(|it| it.id.as_str())
            .collect();
        if !known.contains(&id.as_str()) {
            return Err(unknown_name(
                "--condition: there is no condition",
                id,
                &known,
            ));
        }
        pages.retain(|page| page.condition.as_ref() == Some(id));
    }
    let preview = Preview {
        plan: study.plan,
        pages,
    };
    let options = args.listen.options("");
    args.listen
        .serve(options, &|_| Vec::new(), |options, ready| {
            serve_preview(options, preview, ready)
        })
}

pub(super) fn invite(args: &InviteArgs) -> Result {
    Study::load(&args.of.folder)?;
    let folder = StudyFolder::new(&args.of.folder);
    let mut names = Vec::new();
    if let Some(path) = &args.list {
        let text = fs::read_to_string(path)
            .map_err(|error| Failure::input(format!("{}: {error}", named(path))))?;
        for (number, name) in lines(&text) {
            let name = name.trim_start();
            if !name.is_empty() && !is_name(name) {
                return Err(Failure::input(format!(
                    "{}: line {}: `{}` is no name for a link: up to 64 letters, digits, - and _",
                    named(path),
                    number,
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
    let public = format!("{}{}", args.public.as_str(), args.base);
    for token in tokens {
        say(&format!("{public}/?token={token}"))?;
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
        say(&format!("{public}/?again={name}&cookie={cookie}"))?;
    }
    Ok(())
}
