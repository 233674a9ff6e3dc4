//! The size of the house, and how often the code looks into the enums of the rules. Limits only fall: whoever gets
//! below one lowers it here.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};

/// Production lines of `src` at the most: neither blank nor comment, nor of tests or schemas.
const LINES: usize = 107_698;
/// Production files at the most.
const FILES: usize = 481;
/// Lines of one production file at the most.
const LINES_A_FILE: usize = 600;
/// Files outside core that look into a request, and into an event, at the most.
const REQUEST_FILES: usize = 7;
const EVENT_FILES: usize = 4;
/// Other enums that have half the variants of an enum of the rules, at the most for each of these. A reply and its
/// request are one of them.
const MIRRORS: [(&str, usize); 4] = [("Request", 2), ("Event", 1), ("Reply", 2), ("Gate", 0)];
/// Overrides of profiles in the manifest at the most.
const PROFILES: usize = 10;

/// A production file: its path from `src` on, its lines, and its syntax.
struct Source {
    path: String,
    lines: usize,
    syntax: syn::File,
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    collect(&root, &mut paths);
    paths.sort();
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("UTF-8");
        Source {
            path: path
                .strip_prefix(&root)
                .expect("within")
                .display()
                .to_string(),
            lines: production_lines(&text),
            syntax: syn::parse_file(&text).expect("Rust"),
        }
    };
    paths.into_iter().map(read).collect()
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
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

/// Counts lines that are neither blank nor comment, without items under `#[cfg(test)]`. The feature `schema` counts as a
/// test: only tests turn it on.
fn production_lines(text: &str) -> usize {
    let (mut depth, mut count) = (0_i64, 0);
    let mut test_item: Option<i64> = None;
    let mut attribute_seen = false;
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.starts_with("#[cfg(test)]")
            || trimmed.starts_with("#[cfg(feature = \"schema\")]")
        {
            attribute_seen = true;
            continue;
        }
        if trimmed.starts_with("#[cfg_attr(feature = \"schema\"") {
            continue;
        }
        let opened = line.matches('{').count().cast_signed() as i64
            - line.matches('}').count().cast_signed() as i64;
        if test_item.is_none() && attribute_seen && !trimmed.is_empty() {
            attribute_seen = false;
            if !trimmed.ends_with(';') {
                depth += opened;
                test_item = (opened > 0).then_some(depth - opened);
            }
            continue;
        }
        depth += opened;
        match test_item {
            Some(outer) if depth <= outer => test_item = None,
            Some(_) => {}
            None => count += usize::from(!trimmed.is_empty() && !trimmed.starts_with("//")),
        }
    }
    count
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let list = attribute.meta.require_list();
        attribute.path().is_ident("cfg") && list.is_ok_and(|list| list.tokens.to_string() == "test")
    })
}

/// Finds in a file which variants of an enum its patterns name.
struct Patterns<'n> {
    name: &'n str,
    /// The variants of the enum: other libraries have enums of the same name.
    all: &'n BTreeSet<String>,
    variants: BTreeSet<String>,
    /// Matches that name several variants and have an arm for the rest.
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

/// Every enum: its file, its name, its variants.
fn enums(sources: &[Source]) -> Vec<(&str, String, BTreeSet<String>)> {
    let each = sources.iter().flat_map(|source| {
        let mut enums = Enums::default();
        enums.visit_file(&source.syntax);
        let named = enums.0.into_iter();
        named.map(|(name, variants)| (source.path.as_str(), name, variants))
    });
    each.collect()
}

fn is_of_core(path: &str, name: &str, wanted: &str) -> bool {
    path.starts_with("core/") && name == wanted
}

fn variants_in_core(sources: &[Source], name: &str) -> BTreeSet<String> {
    let mut enums = enums(sources).into_iter();
    let own = enums.find(|(path, other, _)| is_of_core(path, other, name));
    own.expect("an enum of core").2
}

fn is_outside_core(source: &Source) -> bool {
    !source.path.starts_with("core/")
}

#[test]
fn the_house_grows_no_larger() {
    let sources = sources();
    let lines: usize = sources.iter().map(|source| source.lines).sum();
    assert!(lines <= LINES, "{lines} production lines");
    assert!(sources.len() <= FILES, "{} production files", sources.len());
    let long = sources.iter().filter(|source| source.lines > LINES_A_FILE);
    let long: Vec<&str> = long.map(|source| source.path.as_str()).collect();
    assert!(
        long.is_empty(),
        "longer than {LINES_A_FILE} lines: {long:?}"
    );
    let manifest = super::read("Cargo.toml");
    let overrides = manifest
        .lines()
        .filter(|line| line.starts_with("[profile.") && line.contains(".package"));
    assert!(overrides.count() <= PROFILES);
}

#[test]
fn few_files_look_into_requests_and_events() {
    let sources = sources();
    let mut wildcards = BTreeMap::new();
    for (name, limit) in [("Request", REQUEST_FILES), ("Event", EVENT_FILES)] {
        let variants = variants_in_core(&sources, name);
        let mut files = Vec::new();
        for source in sources.iter().filter(|source| is_outside_core(source)) {
            let mut patterns = Patterns::new(name, &variants);
            patterns.visit_file(&source.syntax);
            if !patterns.variants.is_empty() {
                files.push(source.path.as_str());
            }
            if patterns.wildcards > 0 {
                wildcards.insert((name, source.path.as_str()), patterns.wildcards);
            }
        }
        assert!(
            files.len() <= limit,
            "{} files look into {name}: {files:#?}",
            files.len()
        );
    }
    let count: usize = wildcards.values().sum();
    assert!(
        count == 0,
        "{count} matches leave kinds to `_`: {wildcards:#?}"
    );
}

#[test]
fn the_enums_of_the_rules_have_few_mirrors() {
    let sources = sources();
    for (name, limit) in MIRRORS {
        let own = variants_in_core(&sources, name);
        let others = enums(&sources).into_iter();
        let mirrors: Vec<String> = others
            .filter(|(path, other, _)| !is_of_core(path, other, name))
            .filter(|(_, _, variants)| {
                let shared = variants.intersection(&own).count();
                shared >= 4 && 2 * shared >= own.len()
            })
            .map(|(path, other, _)| format!("{other} in {path}"))
            .collect();
        assert!(mirrors.len() <= limit, "{name}: {mirrors:#?}");
    }
}
