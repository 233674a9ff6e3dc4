//! The signs that stand beside what is told.

use debate_core::protocol::words::Script;

/// Signs of one column each.
#[derive(Debug, PartialEq, Eq)]
pub struct Signs {
    /// After what is being argued now.
    pub current: &'static str,
    /// After what was chosen.
    pub chosen: &'static str,
    /// Before what has just happened.
    pub newest: &'static str,
    /// Before what was checked and found right.
    pub right: &'static str,
    /// Before what was checked and found wrong.
    pub wrong: &'static str,
    /// Between a probability and how its coin fell.
    pub fell: &'static str,
    /// Beside the value that outweighs the others.
    pub dominant: &'static str,
    /// At the place where text was cut.
    pub ellipsis: &'static str,
}

static UNICODE: Signs = Signs {
    current: "◀",
    chosen: "»",
    newest: "•",
    right: "✔",
    wrong: "✘",
    fell: "→",
    dominant: "◆",
    ellipsis: "…",
};

static ASCII: Signs = Signs {
    current: "<",
    chosen: "&",
    newest: "*",
    right: "+",
    wrong: "!",
    fell: ">",
    dominant: "*",
    ellipsis: "~",
};

impl Signs {
    pub fn of(script: Script) -> &'static Self {
        match script {
            Script::Unicode => &UNICODE,
            Script::Ascii => &ASCII,
        }
    }
}
