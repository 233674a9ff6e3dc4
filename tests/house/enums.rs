//! Limits on how many files match on the enums of the rules, and on copies of these enums.
//!
//! A new kind of request or event changes every file that matches on it. When a change lowers a count, lower the limit.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use syn::visit::{self, Visit};

/// The largest allowed number of files outside core that match on `Request`, and on `Event`. One of the files with
/// `Request` has the words of the requests to a study's participants, which exist in several languages.
const REQUEST_FILES: usize = 8;
const EVENT_FILES: usize = 5;
/// For each enum of the rules, the largest allowed number of other enums that share at least half its variants.
/// `Request` and `Reply` share their variants, so each counts once for the other.
const MIRRORS: [(&str, usize); 4] = [("Request", 2), ("Event", 1), ("Reply", 2), ("Gate", 0)];

/// An enum of production code.
struct EnumFacts {
    /// The file, relative to `src`.
    path: String,
    name: String,
    variants: BTreeSet<String>,
}

impl EnumFacts {
    /// True if this is the enum of the rules with this name.
    fn is_of_core(&self, name: &str) -> bool {
        self.path.starts_with("core/") && self.name == name
    }
}

/// A file outside core that matches on an enum of the rules.
struct MatchFacts {
    /// Relative to `src`.
    path: String,
    name: &'static str,
    /// Number of matches that name several variants and end with a catch-all arm.
    wildcards: usize,
}

struct SourceFacts {
    enums: Vec<EnumFacts>,
    matches: Vec<MatchFacts>,
}

impl SourceFacts {
    fn enum_of_core(&self, name: &str) -> &EnumFacts {
        let mut enums = self.enums.iter();
        enums
            .find(|facts| facts.is_of_core(name))
            .expect("an enum of core")
    }
}

/// Parses the production code once for all tests.
fn source_facts() -> &'static SourceFacts {
    static FACTS: OnceLock<SourceFacts> = OnceLock::new();
    FACTS.get_or_init(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut paths = Vec::new();
        collect(&root, &mut paths);
        paths.sort();
        let mut facts = SourceFacts {
            enums: Vec::new(),
            matches: Vec::new(),
        };
        let mut outside_core = Vec::new();
        for path in paths {
            let text = fs::read_to_string(&path).expect("UTF-8");
            let syntax = syn::parse_file(&text).expect("Rust");
            let relative = path.strip_prefix(&root).expect("a path below src");
            let relative = relative.display().to_string();
            let mut enums = Enums::default();
            enums.visit_file(&syntax);
            for (name, variants) in enums.0 {
                facts.enums.push(EnumFacts {
                    path: relative.clone(),
                    name,
                    variants,
                });
            }
            if !relative.starts_with("core/") {
                outside_core.push((relative, syntax));
            }
        }
        for name in ["Request", "Event"] {
            let variants = facts.enum_of_core(name).variants.clone();
            for (path, syntax) in &outside_core {
                let mut patterns = Patterns::new(name, &variants);
                patterns.visit_file(syntax);
                if !patterns.variants.is_empty() {
                    facts.matches.push(MatchFacts {
                        path: path.clone(),
                        name,
                        wildcards: patterns.wildcards,
                    });
                }
            }
        }
        facts
    })
}

pub(super) fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str());
        let name = name.expect("a name").to_owned();
        if path.is_dir() {
            if !["tests", "target", "snapshots"].contains(&name.as_str()) {
                collect(&path, paths);
            }
        } else if path.extension().is_some_and(|ending| ending == "rs")
            && !["tests.rs", "testing.rs"].contains(&name.as_str())
        {
            paths.push(path);
        }
    }
}

pub(super) fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let list = attribute.meta.require_list();
        attribute.path().is_ident("cfg") && list.is_ok_and(|list| list.tokens.to_string() == "test")
    })
}

/// Collects the variants of one enum that the patterns of a file name.
struct Patterns<'n> {
    name: &'n str,
    /// All variants of the enum. Other libraries have enums of the same name with other variants.
    all: &'n BTreeSet<String>,
    variants: BTreeSet<String>,
    /// Number of matches that name several variants and end with a catch-all arm.
    wildcards: usize,
}

impl<'n> Patterns<'n> {
    fn new(name: &'n str, all: &'n BTreeSet<String>) -> Self {
        Self {
            name,
            all,
            variants: BTreeSet::new(),
            wildcards: 0,
        }
    }

    fn path(&mut self, path: &syn::Path) {
        let mut segments = path.segments.iter().rev();
        if let (Some(variant), Some(of)) = (segments.next(), segments.next())
            && of.ident == self.name
            && self.all.contains(&variant.ident.to_string())
        {
            self.variants.insert(variant.ident.to_string());
        }
    }
}

impl<'ast> Visit<'ast> for Patterns<'_> {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        if !is_test(&item.attrs) {
            visit::visit_item_fn(self, item);
        }
    }

    fn visit_pat(&mut self, pattern: &'ast syn::Pat) {
        match pattern {
            syn::Pat::TupleStruct(pattern) => self.path(&pattern.path),
            syn::Pat::Struct(pattern) => self.path(&pattern.path),
            syn::Pat::Path(pattern) => self.path(&pattern.path),
            _ => {}
        }
        visit::visit_pat(self, pattern);
    }

    fn visit_expr_match(&mut self, expression: &'ast syn::ExprMatch) {
        let mut inside = Patterns::new(self.name, self.all);
        for arm in &expression.arms {
            inside.visit_pat(&arm.pat);
        }
        let rest = |arm: &syn::Arm| matches!(arm.pat, syn::Pat::Wild(_) | syn::Pat::Ident(_));
        if inside.variants.len() > 1 && expression.arms.iter().any(rest) {
            self.wildcards += 1;
        }
        visit::visit_expr_match(self, expression);
    }

    fn visit_macro(&mut self, invocation: &'ast syn::Macro) {
        if invocation.path.is_ident("matches") {
            let parse = |input: syn::parse::ParseStream| {
                input.parse::<syn::Expr>()?;
                input.parse::<syn::Token![,]>()?;
                let pattern = syn::Pat::parse_multi_with_leading_vert(input)?;
                input.parse::<proc_macro2::TokenStream>()?;
                Ok(pattern)
            };
            let pattern = invocation
                .parse_body_with(parse)
                .expect("an expression and a pattern");
            self.visit_pat(&pattern);
        }
    }
}

/// The enums of a file and their variants.
#[derive(Default)]
struct Enums(Vec<(String, BTreeSet<String>)>);

impl<'ast> Visit<'ast> for Enums {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        let variants = item.variants.iter();
        let variants = variants.map(|variant| variant.ident.to_string()).collect();
        self.0.push((item.ident.to_string(), variants));
    }
}

#[test]
fn few_files_match_on_requests_and_events() {
    let facts = source_facts();
    for (name, limit) in [("Request", REQUEST_FILES), ("Event", EVENT_FILES)] {
        let matches = facts.matches.iter().filter(|file| file.name == name);
        let files: Vec<&str> = matches.map(|file| file.path.as_str()).collect();
        assert!(
            files.len() <= limit,
            "{} files match on {name}: {files:#?}",
            files.len()
        );
    }
}

#[test]
fn matches_on_requests_and_events_are_exhaustive() {
    let matches = source_facts().matches.iter();
    let wildcards: BTreeMap<(&str, &str), usize> = matches
        .filter(|file| file.wildcards > 0)
        .map(|file| ((file.name, file.path.as_str()), file.wildcards))
        .collect();
    assert!(wildcards.is_empty(), "catch-all arms: {wildcards:#?}");
}

#[test]
fn the_enums_of_the_rules_have_few_mirrors() {
    let facts = source_facts();
    for (name, limit) in MIRRORS {
        let own = &facts.enum_of_core(name).variants;
        let mut mirrors = Vec::new();
        for other in &facts.enums {
            let shared = other.variants.intersection(own).count();
            if !other.is_of_core(name) && shared >= 4 && 2 * shared >= own.len() {
                mirrors.push(format!("{} in {}", other.name, other.path));
            }
        }
        assert!(mirrors.len() <= limit, "{name}: {mirrors:#?}");
    }
}
