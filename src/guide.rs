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
    play: "Play a debate: seats, rounds, what the screen shows, hints.";
    keys: "The keys of every screen, and the names of their actions.";
    protocols: "The rules: each protocol, what it guarantees, and what can be debated under it.";
    theorems: "What the papers prove, beside what the program computes.";
    speeches: "Debates in free speeches: play, import the NYU study's, report on judges.";
    study: "Pilot studies with people as judges: from a study file to a report.";
    scenarios: "The bundled scenarios, and how to write one.";
    players: "The built-in strategies of every seat; best responses; training.";
    engines: "Other programs in the seats: a server that your program drives, engines that this one starts.";
    models: "Language models in the seats: any OpenAI-compatible endpoint, and Inspect.";
    python: "The package: debates and commands from Python, environments for those who train.";
    cluster: "Simulations, searches and matches on more than one machine: Ray, Slurm, Kubernetes.";
    web: "The same screens in a browser, and screens that are elsewhere.";
    matches: "Players against players over many debates, unattended: a table with intervals.";
    commands: "Every command, and which one answers which question.";
    scripting: "Lines of text, JSON, seeds, simulations in parts, exit codes, logs.";
    saves: "Where debates are kept; resume, replay, verify; what the chain of hashes proves.";
    exports: "A debate as a page, a picture, a table or a log; a scenario as a graph or a game.";
    settings: "The file config.ron: every setting, its values and its default.";
    limits: "What has a limit, how large it is, and which flag raises it.";
    speed: "How fast it is, how that is measured, and how to measure it again.";
    extending: "How the program is built; the files that a new protocol or strategy touches.";
    glossary: "The words of screens, files, code and papers.";
}
