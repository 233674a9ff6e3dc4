//! The user's guide: one page per topic, shown in this documentation and by `debate-tui guide [TOPIC]`.
//!
//! A page is a Markdown file in `src/guide/`. A table that the program also knows is between `<!-- NAME -->` and `<!--
//! end -->` in its page. `tests/program/guide.rs` compares it with the program.

/// A page of the guide.
#[derive(Clone, Copy, Debug)]
pub struct GuidePage {
    /// The section of the guide that contains the page, such as `Reference`.
    pub section: &'static str,
    /// The name of the topic, as in `debate-tui guide TOPIC`.
    pub name: &'static str,
    /// A one-line summary of the page.
    pub about: &'static str,
    /// The page in Markdown. Its first line is the heading.
    pub text: &'static str,
    /// The text of the code file that belongs to the page and that `debate-tui guide TOPIC --code` prints; `None` if
    /// there is none.
    pub script: Option<&'static str>,
}

/// Expands to the text of the named script in the folder of the guide, or to `None` without a name.
macro_rules! script {
    () => {
        None
    };
    ($file:literal) => {
        Some(include_str!(concat!("guide/", $file)))
    };
}

/// Defines [`PAGES`], and for each page of the guide a module whose documentation is the page.
///
/// Pages link by reference (`[the rules][protocols]`) and define each reference as a file (`[protocols]:
/// protocols.md`), so that the links also work on the forge. In Markdown the first definition of a reference wins. The
/// macro therefore puts definitions that point to these modules before the page.
macro_rules! pages {
    ($($section:literal { $($name:ident: $about:literal $(, $script:literal)?;)* })*) => {
        pages!(
            concat!($($("\n[", stringify!($name), "]: crate::guide::", stringify!($name)),*),*);
            $($section { $($name: $about $(, $script)?;)* })*
        );
    };
    ($links:expr; $($section:literal { $($name:ident: $about:literal $(, $script:literal)?;)* })*) => {
        /// All pages of the guide, in the order in which `debate-tui guide` lists them.
        pub const PAGES: &[GuidePage] = &[$($(GuidePage {
            section: $section,
            name: stringify!($name),
            about: $about,
            text: include_str!(concat!("guide/", stringify!($name), ".md")),
            script: script!($($script)?),
        }),*),*];
        $($(
            #[doc = $about]
            #[doc = ""]
            #[doc = $links]
            #[doc = ""]
            #[doc = include_str!(concat!("guide/", stringify!($name), ".md"))]
            pub mod $name {}
        )*)*
    };
}

pages! {
    "Tutorial" {
        play: "Play a debate: seats, rounds, screen, hints, reviews.";
    }
    "How to" {
        scenarios: "Choose a bundled scenario, or write your own.";
        speeches: "Debate in free speeches; import the NYU study; report on judges.";
        study: "Run a pilot study with human judges, from a study file to a report.";
        deploy: "Serve a study on your own server: proxy, service, backup, personal data.";
        matches: "Play many debates between players, with a table of intervals.";
        engines: "Give seats to other programs: engines, a server, MCP.", "simple.py";
        models: "Give seats to language models: any OpenAI-compatible endpoint, Inspect.", "model.py";
        python: "Use the Python package: debates, commands, environments for learning.", "training.ipynb";
        cluster: "Compute on several machines: Ray, Slurm, Kubernetes.";
        web: "Serve the screens to browsers, or show them in other programs.";
        saves: "How to continue, replay and verify saved debates; what your calibration shows.";
        exports: "Export a debate as a page, picture, table or log; a scenario as a graph or game.";
        scripting: "Run debates in scripts: plain lines, JSON, seeds, exit codes, logs.";
        extending: "Extend the program: its structure and its tests.";
    }
    "Reference" {
        commands: "Every command and its purpose.";
        keys: "The keys of every screen, and the names of their actions.";
        settings: "The file config.ron: every setting with its values and default.";
        players: "The built-in players of every seat; best responses; training.";
        limits: "The limits of files and computations, and the flags that raise them.";
        speed: "Measured speeds, and the commands that measure them.";
        glossary: "The terms of screens, files, code and papers.";
    }
    "Explanation" {
        protocols: "The protocols, their guarantees, and the problems for each of them.";
        theorems: "The statements of the papers, and the figures that the program computes for them.";
    }
}
