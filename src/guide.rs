//! The user's guide: one page a topic, shown here and by `debate-tui guide [TOPIC]`.
//!
//! A page is a Markdown file in `src/guide/`. Where a page has a table that the program knows, the
//! table stands between `<!-- NAME -->` and `<!-- end -->`, and `tests/program/guide.rs` compares it.

/// A page of the guide.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    /// The topic as `debate-tui guide` takes it.
    pub name: &'static str,
    /// One line on what the page answers.
    pub about: &'static str,
    /// The page in Markdown. Its first line is the heading.
    pub text: &'static str,
}

/// Makes [`PAGES`], and of each page a module whose documentation it is.
///
/// Pages link by reference (`[the rules][protocols]`) and define each reference as a file
/// (`[protocols]: protocols.md`), which is what the forge shows. The first definition of a
/// reference counts, so the definitions put before the page lead to the modules here.
macro_rules! pages {
    ($($name:ident: $about:literal;)*) => {
        pages!(concat!($("\n[", stringify!($name), "]: crate::guide::", stringify!($name)),*); $($name: $about;)*);
    };
    ($links:expr; $($name:ident: $about:literal;)*) => {
        /// All pages, in the order in which they are listed.
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
