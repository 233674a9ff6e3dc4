//! The user's guide: one page per topic, shown here and by `debate-tui guide [TOPIC]`.
//!
//! A page is a Markdown file in `src/guide/`. A table that the program also knows is between `<!-- NAME -->` and `<!--
//! end -->` in its page. `tests/program/guide.rs` compares it with the program.

/// A page of the guide.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    /// The name of the topic, as in `debate-tui guide TOPIC`.
    pub name: &'static str,
    /// A one-line summary of the page.
    pub about: &'static str,
    /// The page in Markdown. Its first line is the heading.
    pub text: &'static str,
}

/// Defines [`PAGES`], and for each page a module whose documentation is the page.
///
/// Pages link by reference (`[the rules][protocols]`) and define each reference as a file (`[protocols]:
/// protocols.md`), so that the links also work on the forge. In Markdown the first definition of a reference wins. The
/// macro therefore puts definitions that point to these modules before the page.
macro_rules! pages {
    ($($name:ident: $about:literal;)*) => {
        pages!(concat!($("\n[", stringify!($name), "]: crate::guide::", stringify!($name)),*); $($name: $about;)*);
    };
    ($links:expr; $($name:ident: $about:literal;)*) => {
        /// All pages, in the order of `debate-tui guide`.
        pub const PAGES: &[Page] = &[$(Page {
            name: stringify!($name),
            about: $about,
            text: include_str!(concat!("guide/", stringify!($name), ".md")),
        }),*];
        $(
            #[doc = $about]
            #[doc = ""]
            #[doc = $links]
            #[doc = ""]
            #[doc = include_str!(concat!("guide/", stringify!($name), ".md"))]
            pub mod $name {}
        )*
    };
}

pages! {
    play: "Play a debate: seats, rounds, screen, hints, reviews.";
    keys: "The keys of every screen, and the names of their actions.";
    protocols: "The protocols, their guarantees, and the problems for each of them.";
    theorems: "The statements of the papers, beside the figures that the program computes.";
    speeches: "Debates in free speeches: play, import the NYU study, report on judges.";
    study: "Pilot studies with human judges: from a study file to a report.";
    scenarios: "The bundled scenarios, and how to write one.";
    players: "The built-in players of every seat; best responses; training.";
    engines: "Other programs in the seats: engines, a server that your program drives, MCP.";
    models: "Language models in the seats: any OpenAI-compatible endpoint, and Inspect.";
    python: "The Python package: debates, commands and environments for learning.";
    cluster: "Simulations, searches and matches on several machines: Ray, Slurm, Kubernetes.";
    web: "The screens in a browser, and screens in other programs.";
    matches: "Many debates between players, unattended, with a table of intervals.";
    commands: "Every command and its purpose.";
    scripting: "Plain lines, JSON, seeds, simulations in shards, exit codes, logs.";
    saves: "Saved debates: continue, replay, verify; what the chain of hashes proves.";
    exports: "A debate as a page, picture, table or log; a scenario as a graph or game.";
    settings: "The file config.ron: every setting with its values and default.";
    limits: "The limits of files and computations, and the flags that raise them.";
    speed: "Measured speeds, and how to measure them again.";
    extending: "The structure of the program, and the files that an addition touches.";
    glossary: "The terms of screens, files, code and papers.";
}
