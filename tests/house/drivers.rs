//! The code outside core that gives replies to rules or to a seating.
//!
//! A running debate has one owner, `debate_host::Debate`. Other code gives replies only to copies of a state, for
//! example to compute values or to verify a save.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use syn::visit::{self, Visit};

use super::enums::{collect, is_test};

/// Every file outside core that gives replies, with the reason.
const DRIVERS: [(&str, &str); 16] = [
    (
        "host/engine/seat.rs",
        "tests on a copy if the reply of an engine is legal",
    ),
    (
        "lab/export/html/states.rs",
        "follows a save to draw each of its states",
    ),
    ("host/debate.rs", "owns running debates"),
    (
        "host/debate/players.rs",
        "has a copy of a running debate on another thread",
    ),
    (
        "lab/import/save.rs",
        "makes a save from a debate of another program",
    ),
    ("host/record/verify.rs", "verifies a save"),
    (
        "host/serve/batch.rs",
        "steps many debates in floating-point numbers without a save",
    ),
    (
        "text/warnings.rs",
        "computes on a copy what a reply decides",
    ),
    (
        "solver/analysis/review/beliefs.rs",
        "follows a debate in other instances",
    ),
    (
        "solver/analysis/review/faults.rs",
        "follows a debate to value its replies",
    ),
    (
        "solver/analysis/review/hints.rs",
        "follows a debate to value the next reply",
    ),
    (
        "solver/analysis/review/trials.rs",
        "follows a debate to value its replies",
    ),
    (
        "solver/closed_form/stochastic/model.rs",
        "builds the model of a sampling protocol",
    ),
    (
        "solver/analysis/review/measures.rs",
        "plays debates for the mean consistency, knowledge and luck",
    ),
    ("solver/game/node.rs", "is a node of the game tree"),
    ("solver/simulate/graph.rs", "simulates on a graph of states"),
];

/// The methods of `SeatedDebate` that make moves.
const SEATING_METHODS: [&str; 4] = [
    "reply",
    "apply_recorded_move",
    "make_automatic_move",
    "play_automatic_moves",
];

/// Finds calls that give a reply.
#[derive(Default)]
struct Replies {
    is_found: bool,
}

impl<'ast> Visit<'ast> for Replies {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        let arguments: Vec<&syn::Expr> = call.args.iter().collect();
        let name = call.method.to_string();
        self.is_found |= match (name.as_str(), &arguments[..]) {
            // Rules take a reply and a sink of events.
            ("reply", [_, syn::Expr::Reference(sink)]) => sink.mutability.is_some(),
            ("reply", [_, syn::Expr::Path(sink)]) => sink.path.is_ident("sink"),
            (name, _) => SEATING_METHODS.contains(&name) && is_seating(&call.receiver),
        };
        visit::visit_expr_method_call(self, call);
    }
}

/// True if an expression is a variable or a field with the name `seating`.
fn is_seating(receiver: &syn::Expr) -> bool {
    match receiver {
        syn::Expr::Path(path) => path.path.is_ident("seating"),
        syn::Expr::Field(field) => match &field.member {
            syn::Member::Named(name) => name == "seating",
            syn::Member::Unnamed(_) => false,
        },
        _ => false,
    }
}

#[test]
fn only_known_code_outside_core_gives_replies() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    collect(&root, &mut paths);
    let mut found = BTreeSet::new();
    for path in paths {
        let relative = path.strip_prefix(&root).expect("a path below src");
        let relative = relative.to_string_lossy().into_owned();
        if relative.starts_with("core/") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("UTF-8");
        let mut replies = Replies::default();
        replies.visit_file(&syn::parse_file(&text).expect("Rust"));
        if replies.is_found {
            found.insert(relative);
        }
    }
    let known: BTreeSet<String> = DRIVERS.iter().map(|(path, _)| (*path).to_owned()).collect();
    let new: Vec<&String> = found.difference(&known).collect();
    assert!(
        new.is_empty(),
        "use `debate_host::Debate` in place of a loop over turns: {new:?}"
    );
    let gone: Vec<&String> = known.difference(&found).collect();
    assert!(gone.is_empty(), "take these from the list: {gone:?}");
}

/// A renamed method would end the search for its callers without a failure of the test above.
#[test]
fn seating_has_the_methods_whose_callers_are_listed() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/core/player/seating.rs");
    let text = fs::read_to_string(path).expect("UTF-8");
    for name in SEATING_METHODS {
        assert!(
            text.contains(&format!("    pub fn {name}(")),
            "`Seating` has no method `{name}`"
        );
    }
}
