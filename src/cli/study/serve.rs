//! `study serve`, `study invite` and `study preview`: studies in participants' browsers.

use std::fs;
use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::{FolderArgs, check_language, folder_as_typed, note_other_program, print_sentence};
use crate::cli::flags::EngineArgs;
use crate::cli::web::{WebServerArgs, open_in_browser_line};
use crate::cli::{CommandFailure, Result, unknown_name};
use crate::web::{
    AddressSource, Dashboard, LinkSigningKey, SiteOrigin, StudyPreview, StudySite, WebLimits,
    WebOptions, is_valid_participant_name, new_secret, serve_dashboard, serve_preview, serve_study,
};
use debate_core::text::{numbered_lines, replace_unsafe_characters};
use debate_study::{Study, StudyFolder, completion_codes, id_of_signed_link_participant};

#[derive(Debug, Args)]
#[command(after_help = include_str!("../help/study-serve.txt"))]
pub(in crate::cli) struct ServeStudyArgs {
    #[command(flatten)]
    of: FolderArgs,
    #[command(flatten)]
    listen: WebServerArgs,
    #[command(flatten)]
    engines: EngineArgs,
    /// Redirect participants to this address at the end, with {code} replaced by their code. By default the page
    /// shows the code.
    #[arg(long, value_name = "URL", value_parser = parse_redirect)]
    redirect: Option<String>,
    /// The path prefix of every page, if a proxy forwards only that path: /pilot.
    #[arg(long, value_name = "PATH", default_value = "", value_parser = parse_path_prefix)]
    base: String,
}

impl ServeStudyArgs {
    /// Returns the flags for engines.
    pub(in crate::cli) fn engines(&mut self) -> &mut EngineArgs {
        &mut self.engines
    }
}

#[derive(Debug, Args)]
pub(in crate::cli) struct PreviewArgs {
    #[command(flatten)]
    of: FolderArgs,
    /// Show only the trials of this condition.
    #[arg(long, value_name = "ID")]
    condition: Option<String>,
    /// Show the pages in this language of the study. By default, show the first language.
    #[arg(long, value_name = "TAG")]
    lang: Option<String>,
    #[command(flatten)]
    listen: WebServerArgs,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct InviteArgs {
    #[command(flatten)]
    of: FolderArgs,
    /// Create N tokens, and print a link with each.
    #[arg(short = 'n', long, value_name = "N", default_value_t = 0)]
    #[arg(value_parser = clap::value_parser!(u16).range(0..=10_000))]
    tokens: u16,
    /// Add the names in this file, one per line, such as Prolific ids, to the list of invited participants. Prints no
    /// links.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    list: Option<PathBuf>,
    /// Print the link for the Prolific study with this id. It invites everyone whom Prolific sends.
    #[arg(long, value_name = "STUDY_ID")]
    prolific: Option<String>,
    /// Print a link with which this Prolific participant, who came by the signed link, continues in another
    /// browser. Send it only to them.
    #[arg(long, value_name = "PROLIFIC_PID")]
    again: Option<String>,
    /// Print links to the study in this language. By default the first page asks for it.
    #[arg(long, value_name = "TAG")]
    lang: Option<String>,
    /// The public address of the study.
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8080", value_parser = SiteOrigin::parse)]
    public: SiteOrigin,
    /// The path prefix of every page, as for `serve`.
    #[arg(long, value_name = "PATH", default_value = "", value_parser = parse_path_prefix)]
    base: String,
}

/// Parses a web address that contains a placeholder for the participant's completion code.
fn parse_redirect(text: &str) -> Result<String, String> {
    let is_address = text.starts_with("https://") || text.starts_with("http://");
    let is_plain = text.chars().all(|c| c.is_ascii_graphic());
    if is_address && is_plain && text.matches("{code}").count() == 1 {
        Ok(text.to_owned())
    } else {
        Err("give a URL that contains the placeholder {code} once".to_owned())
    }
}

/// Parses the path prefix of a website: empty, or such as `/pilot`.
fn parse_path_prefix(text: &str) -> std::result::Result<String, String> {
    let path = text.trim_end_matches('/');
    let is_plain = |part: &str| !part.is_empty() && is_valid_participant_name(part);
    let is_base = path
        .strip_prefix('/')
        .is_some_and(|rest| rest.split('/').all(is_plain));
    if path.is_empty() || is_base {
        Ok(path.to_owned())
    } else {
        Err("give a path of letters, digits, - and _ that begins with /, such as /pilot".to_owned())
    }
}

pub(super) fn run_study_serve(args: &ServeStudyArgs) -> Result {
    let study = Study::load(&args.of.folder)?;
    note_other_program(&study)?;
    let key = LinkSigningKey::read_or_create_link_key(&study.folder)
        .map_err(|error| CommandFailure::System(error.to_string()))?;
    open_many_files();
    let options = args.listen.web_options(&args.base);
    let status_key = key.status_page_key(&study.plan.id);
    let dashboard = dashboard(&args.of)?;
    let engines = args.engines.external_player_options();
    let site = StudySite::new(study, key, args.redirect.clone(), engines, &options)?;
    let announce = |site_address: &str| {
        vec![
            format!(
                "Serving the study at {site_address}. Participants open the links from `study invite`. Ctrl-C stops the server."
            ),
            format!("Private status page, for you only: {site_address}status?key={status_key}"),
        ]
    };
    args.listen.serve(options, &announce, |options, ready| {
        serve_study(options, site, dashboard, ready)
    })
}

/// Returns the experimenter's dashboard of a study.
fn dashboard(of: &FolderArgs) -> Result<Dashboard> {
    let study = of.study()?;
    let key = LinkSigningKey::read_or_create_link_key(&study.folder)
        .map_err(|error| CommandFailure::System(error.to_string()))?;
    Ok(Dashboard::new(study, key))
}

/// Serves the experimenter's dashboard on this address.
pub(super) fn serve_study_dashboard(folder_args: &FolderArgs, listen: SocketAddr) -> Result {
    let study = folder_args.study()?;
    let key = LinkSigningKey::read_or_create_link_key(&study.folder)
        .map_err(|error| CommandFailure::System(error.to_string()))?;
    let key = key.status_page_key(&study.plan.id);
    let options = WebOptions {
        listen,
        public: None,
        addresses: AddressSource::Peer,
        path_prefix: String::new(),
        limits: WebLimits::default(),
    };
    let ready = |address: SocketAddr| {
        // The reader of this line may be gone.
        let _ = writeln!(
            io::stdout(),
            "Open http://{address}/status?key={key} in a browser. Keep this address secret. Ctrl-C stops the status page."
        );
        let _ = io::stdout().flush();
    };
    serve_dashboard(options, dashboard(folder_args)?, ready)
        .map_err(|error| CommandFailure::System(format!("{listen}: {error}")))
}

/// Raises the process's limit on open files, because each session keeps its log open.
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

pub(super) fn run_study_preview(args: &PreviewArgs) -> Result {
    let study = args.of.study()?;
    check_language(&study, args.lang.as_deref())?;
    let shown = args
        .lang
        .as_deref()
        .and_then(|lang| study.in_language(lang));
    let shown = shown.unwrap_or(&study);
    let mut pages = debate_study::preview_pages(shown, &completion_codes(&study))?;
    if let Some(id) = &args.condition {
        let known: Vec<&str> = study
            .plan
            .conditions
            .iter()
            .map(|it| it.id.as_str())
            .collect();
        if !known.contains(&id.as_str()) {
            return Err(unknown_name("--condition: unknown condition", id, &known));
        }
        pages.retain(|page| page.condition.as_ref() == Some(id));
    }
    let preview = StudyPreview {
        plan: shown.plan.clone(),
        pages,
    };
    let options = args.listen.web_options("");
    args.listen.serve(
        options,
        &|site| vec![open_in_browser_line(site)],
        |options, ready| serve_preview(options, preview, ready),
    )
}

pub(super) fn run_study_invite(args: &InviteArgs) -> Result {
    let study = Study::load(&args.of.folder)?;
    check_language(&study, args.lang.as_deref())?;
    let lang = args.lang.as_ref();
    let lang = lang.map_or_else(String::new, |lang| format!("&lang={lang}"));
    let folder = StudyFolder::new(&args.of.folder);
    let mut names = Vec::new();
    if let Some(path) = &args.list {
        let text = fs::read_to_string(path).map_err(|error| {
            CommandFailure::from_input_error(format!("{}: {error}", folder_as_typed(path)))
        })?;
        for (number, name) in numbered_lines(&text) {
            let name = name.trim_start();
            if !name.is_empty() && !is_valid_participant_name(name) {
                return Err(CommandFailure::from_input_error(format!(
                    "{path}: line {number}: `{name}` is not a valid participant name for an invitation link; use up to 64 letters, digits, - and _",
                    path = folder_as_typed(path),
                    name = replace_unsafe_characters(name)
                )));
            }
            names.extend((!name.is_empty()).then(|| name.to_owned()));
        }
    }
    let listed = names.len();
    let tokens: Vec<String> = (0..args.tokens).map(|_| new_secret()).collect();
    names.extend(tokens.iter().cloned());
    if names.is_empty() && args.prolific.is_none() && args.again.is_none() {
        return Err(CommandFailure::from_input_error(
            "no participants given; use -n N for links, --list FILE for names, --prolific STUDY_ID for a signed link, --again \
             PROLIFIC_PID for a participant who changes browsers",
        ));
    }
    if !names.is_empty() {
        folder.invite(names)?;
    }
    let public = format!("{}{}", args.public.as_str(), args.base);
    for token in tokens {
        print_sentence(&format!("{public}/?token={token}{lang}"))?;
    }
    if listed > 0 {
        print_sentence(&format!(
            "The {name_count} names of --list are in the list of invited participants: {file}",
            name_count = listed,
            file = folder_as_typed(&folder.invited_file())
        ))?;
    }
    let key = || {
        LinkSigningKey::read_or_create_link_key(&folder)
            .map_err(|error| CommandFailure::System(error.to_string()))
    };
    let is_id = |flag: &str, id: &str| {
        let wrong = format!("{flag}: invalid id; use up to 64 letters, digits, - and _");
        is_valid_participant_name(id)
            .then_some(())
            .ok_or(CommandFailure::Input(wrong))
    };
    if let Some(study) = &args.prolific {
        is_id("--prolific", study)?;
        let signature = key()?.sign_recruiting_study(study);
        print_sentence(&format!(
            "{public}/?PROLIFIC_PID={{{{%PROLIFIC_PID%}}}}&STUDY_ID={{{{%STUDY_ID%}}}}&SESSION_ID={{{{%SESSION_ID%}}}}\
             &signature={signature}{lang}"
        ))?;
    }
    if let Some(name) = &args.again {
        is_id("--again", name)?;
        if folder
            .session_of_participant(&id_of_signed_link_participant(name))?
            .is_none()
        {
            return Err(CommandFailure::Input(format!(
                "--again: no participant with id {name} has used the signed link"
            )));
        }
        let cookie = key()?.participant_cookie_signature(name);
        print_sentence(&format!("{public}/?again={name}&cookie={cookie}"))?;
    }
    Ok(())
}
