//! The documents, messages and saves of the program are valid by the schemas that `schema` prints.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::LazyLock;

use boon::{Compiler, SchemaIndex, Schemas};
use debate_solver::setup::{BundledScenario, bundled_scenarios};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::driver::{Driver, legal_reply};
use crate::support::engines::command;
use crate::support::program::{path, run_here, say};

/// The schemas that the program prints, by name.
static SCHEMAS: LazyLock<BTreeMap<String, Value>> = LazyLock::new(|| {
    let dir = tempfile::tempdir().unwrap();
    let list = run_here(dir.path(), &["schema"], "");
    assert_eq!(list.code, Some(0), "{list:?}");
    let mut schemas = BTreeMap::new();
    for line in list.out.lines() {
        let name = line.split_whitespace().next().unwrap();
        let schema = run_here(dir.path(), &["schema", name], "");
        assert_eq!(schema.code, Some(0), "{schema:?}");
        let schema = serde_json::from_str(&schema.out).unwrap();
        schemas.insert(name.to_owned(), schema);
    }
    schemas
});

/// The compiled schemas, by name.
struct CompiledSchemas {
    schemas: Schemas,
    names: BTreeMap<&'static str, SchemaIndex>,
}

static COMPILED: LazyLock<CompiledSchemas> = LazyLock::new(|| {
    let (mut schemas, mut names) = (Schemas::new(), BTreeMap::new());
    for (name, schema) in &*SCHEMAS {
        let mut compiler = Compiler::new();
        let place = format!("test:{name}");
        compiler.add_resource(&place, schema.clone()).unwrap();
        let compiled = compiler.compile(&place, &mut schemas);
        names.insert(name.as_str(), compiled.expect(name));
    }
    CompiledSchemas { schemas, names }
});

/// Validates documents.
#[derive(Default)]
struct Validator {
    /// The kinds of object that were checked to be closed: schema, path and fields.
    closed: BTreeSet<String>,
}

impl Validator {
    fn validate(name: &str, document: &Value) -> Result<(), String> {
        let CompiledSchemas { schemas, names } = &*COMPILED;
        let valid = schemas.validate(document, names[name]);
        valid.map_err(|error| format!("{error:#}"))
    }

    /// Asserts that the document is valid, and that the schema allows no other field in any of its objects.
    #[track_caller]
    fn assert_valid(&mut self, name: &str, document: &Value) {
        if let Err(why) = Self::validate(name, document) {
            panic!("{name}: {why}\n{document}");
        }
        let mut places = Vec::new();
        objects(document, String::new(), &mut places);
        let mut changed = document.clone();
        let closed = |place: &&String| !place.ends_with(MAP);
        for place in places.iter().filter(closed) {
            let object = changed.pointer_mut(place).unwrap().as_object_mut().unwrap();
            let fields: Vec<&String> = object.keys().collect();
            let general = place.replace(|c: char| c.is_ascii_digit(), "");
            let kind = format!("{name}{general} {fields:?}");
            if !self.closed.insert(kind) {
                continue;
            }
            object.insert(
                "not in any schema".to_owned(),
                json!({"not": {"in": "any"}}),
            );
            assert!(
                Self::validate(name, &changed).is_err(),
                "{name}{place} is open"
            );
            let object = changed.pointer_mut(place).unwrap().as_object_mut();
            object.unwrap().remove("not in any schema");
        }
    }
}

/// The end of the path of an object with arbitrary fields: the options of an engine.
const MAP: &str = "/options";

/// Collects the paths of all objects, but of only two per list.
fn objects(value: &Value, place: String, places: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                objects(field, format!("{place}/{name}"), places);
            }
            places.push(place);
        }
        Value::Array(values) => {
            for (number, value) in values.iter().enumerate().take(2) {
                objects(value, format!("{place}/{number}"), places);
            }
        }
        _ => {}
    }
}

/// Small scenarios that together use every protocol.
const SMALL: [&str; 9] = [
    "caffeine-choice",
    "hidden-flaw",
    "law",
    "lighthouse",
    "open",
    "parity",
    "primes-recursive",
    "qbf-false",
    "turing",
];

fn small_scenarios() -> Vec<BundledScenario> {
    let mut scenarios = bundled_scenarios();
    let protocols = |scenarios: &[BundledScenario]| -> BTreeSet<&str> {
        let protocols = scenarios
            .iter()
            .map(|scenario| scenario.protocol.protocol_name());
        protocols.collect()
    };
    let all = protocols(&scenarios);
    scenarios.retain(|scenario| SMALL.contains(&scenario.name));
    assert_eq!(scenarios.len(), SMALL.len());
    assert_eq!(protocols(&scenarios), all);
    scenarios
}

/// Runs commands and validates their documents.
struct Checker {
    dir: TempDir,
    validator: Validator,
    /// The number of documents of each name.
    counts: BTreeMap<&'static str, usize>,
}

impl Checker {
    fn new() -> Self {
        Self {
            dir: tempfile::tempdir().unwrap(),
            validator: Validator::default(),
            counts: BTreeMap::new(),
        }
    }

    /// Asserts that exactly these kinds of documents were validated.
    #[track_caller]
    fn finish(self, names: &[&str]) {
        let mut names = names.to_vec();
        names.sort_unstable();
        let counts = self.counts;
        assert!(counts.keys().eq(&names), "{counts:?}");
    }

    /// A path in the folder of this test.
    fn place(&self, name: &str) -> String {
        path(&self.dir.path().join(name)).to_owned()
    }

    #[track_caller]
    fn check(&mut self, name: &'static str, arguments: &[&str]) {
        let said = run_here(self.dir.path(), arguments, "");
        // Some scenarios cannot be solved, or not within these limits.
        if said.out.is_empty() && name == "solve" {
            return;
        }
        let document = serde_json::from_str(&said.out);
        let document = document.unwrap_or_else(|error| panic!("{error}: {said:?}"));
        self.assert_valid(name, &document);
    }

    #[track_caller]
    fn assert_valid(&mut self, name: &'static str, document: &Value) {
        self.validator.assert_valid(name, document);
        *self.counts.entry(name).or_default() += 1;
    }

    fn check_scenarios(&mut self, scenarios: &[BundledScenario]) {
        for scenario in scenarios {
            let name = scenario.name;
            self.check("check", &["check", name, "--json"]);
            self.check("scenario", &["export", name, "--to", "json"]);
            // The users write the claims of `open`.
            if name != "open" {
                self.check("play", &[name, "--json", "--seed", "7", "--role", "none"]);
                self.check("simulate", &["simulate", name, "-n", "3", "--json"]);
            }
            let solve = ["solve", name, "--json", "--max-replies", "3000"];
            self.check("solve", &solve);
        }
        let unknown = ["check", "law", "no-such-scenario", "--json", "--exact"];
        self.check("check", &unknown);
    }

    fn check_saves(&mut self) {
        let text = fs::read_to_string("saves/primes-estimator.ron").unwrap();
        let (torn, _) = text.split_at(text.len() / 2);
        let forged = text.replace("Answer(true)", "Answer(false)");
        let made = [("torn.ron", torn), ("forged.ron", &forged)].map(|(name, text)| {
            let save = self.place(name);
            fs::write(&save, text).unwrap();
            save
        });
        let saves = fs::read_dir("saves").unwrap();
        let saves = saves.map(|entry| path(&entry.unwrap().path()).to_owned());
        for save in saves.chain(made.clone()) {
            self.check("verify", &["verify", &save, "--json"]);
            self.check("replay", &["replay", &save, "--json"]);
            self.check("debate", &["export", &save, "--to", "json"]);
            self.check("inspect", &["export", &save, "--to", "inspect"]);
        }
        let [torn, forged] = made.each_ref().map(String::as_str);
        self.check("verify", &["verify", torn, forged, "Cargo.toml", "--json"]);
        self.check("inspect", &["export", "saves", "--to", "inspect"]);
        self.check("me", &["me", "--saves", "saves", "--json"]);
    }

    fn check_analysis(&mut self) {
        for solve in [
            &["hidden-flaw", "--exact", "--instance", "all"][..],
            &["caffeine", "--sweep", "epsilon=0.1..0.4:2"],
            &["one-question", "--opponent", "best-response"],
        ] {
            self.check("solve", &[&["solve", "--json"], solve].concat());
        }
        let versus = [
            "simulate",
            "law",
            "-n",
            "3",
            "--versus",
            "Recursive",
            "--json",
        ];
        self.check("simulate", &versus);
        let part = [
            "simulate", "law", "-n", "3", "--seed", "7", "--shard", "1/1",
        ];
        self.check("shard", &part);
        let file = self.place("1.part");
        let to_file = [&part[..], &["--out", &file]].concat();
        run_here(self.dir.path(), &to_file, "");
        self.check("simulate", &["merge", &file, "--json"]);
        let saves = self.place("match");
        let played = [
            "match",
            "--scenario",
            "law",
            "--scenario",
            "lighthouse",
            "--seed",
            "7",
            "-n",
            "12",
            "--saves",
            &saves,
            "--json",
        ];
        self.check("match", &played);
        let compare = ["compare", "five-parts", "--json", "--seed", "7"];
        self.check("compare", &compare);
        let players = ["--prover", "honest", "--opponent", "stubborn(0.5)"];
        let table = [&["equilibrium", "hidden-flaw", "--json"], &players[..]].concat();
        self.check("equilibrium", &table);
        self.check("equilibrium", &[&table[..], &["--exact"]].concat());
        let errors = ["solve", "law", "--json", "--judge-errors"];
        self.check("solve", &errors);
        let proof = ["solve", "hidden-flaw", "--json", "--soundness"];
        self.check("solve", &proof);
        let class = ["check", "primes", "--json", "--prover-queries", "3"];
        self.check("check", &class);
        let blind = [
            "solve",
            "hidden-flaw",
            "--prover",
            "best-response",
            "--json",
        ];
        let blind = [&blind[..], &["--prover-knows", "nothing", "--exact"]].concat();
        self.check("solve", &blind);
        let all = ["equilibrium", "hidden-flaw", "--json", "--all"];
        self.check("equilibrium", &all);
        self.check("equilibrium", &[&all[..], &["--exact"]].concat());
        self.check("equilibrium", &[&all[..], &["--train", "2"]].concat());
        self.check(
            "check",
            &["check", "two-of-three", "--in-practice", "--json"],
        );
        self.check(
            "growth",
            &["theorems", "--growth", "--depth", "2", "--json"],
        );
        let train = ["train", "hidden-flaw", "--delta", "0.1", "--json"];
        self.check("train", &train);
        self.check(
            "theorems",
            &["theorems", "DE Definition 4.1", "--run", "--json"],
        );
        self.check("queries", &["queries", "0110", "--json"]);
        self.check("queries", &["queries", "--json"]);
        let search = ["search", "posterior", "--worlds", "1", "--json"];
        self.check("search", &search);
        self.check("search", &["search", "frontier", "--width", "1", "--json"]);
        self.check("search-part", &[&search[..], &["--shard", "1/2"]].concat());
        self.check("train", &[&train[..], &["--show-tests"]].concat());
    }

    fn check_judgements(&mut self) {
        let out = self.dir.path().join("imported");
        let import = ["import", "nyu", "tests/nyu/official", "--json", "--out"];
        self.check("import", &[&import[..], &[path(&out)]].concat());
        let set = "tests/questions/set.jsonl";
        let questions = self.place("questions");
        let import = ["import", "questions", set, "--json", "--out", &questions];
        self.check("import-questions", &import);
        for line in fs::read_to_string(set).unwrap().lines() {
            let question = serde_json::from_str(line).unwrap();
            self.assert_valid("question", &question);
        }
        self.check("report", &["report", path(&out), "--json"]);
        let save = out.join("rx-5.ron");
        self.check("replay", &["replay", path(&save), "--json"]);
        self.check("debate", &["export", path(&save), "--to", "json"]);
        let later = fs::read_to_string(out.join("later-judgements.jsonl")).unwrap();
        for line in later.lines() {
            let made = serde_json::from_str(line).unwrap();
            self.assert_valid("judgement", &made);
        }
    }

    /// Validates both sides of served debates, of debates with an engine, and refusals.
    fn check_messages(&mut self, scenarios: &[BundledScenario]) {
        let folder = self.dir.path().to_owned();
        let mut hold = |message: &Value| self.assert_valid("messages", message);
        let mut driver = Driver::in_process();
        for scenario in scenarios {
            let new = json!({
                "type": "new", "id": "mine", "scenario": scenario.name, "seats": ["prover",
                "opponent", "judge"], "players": {"judge": "oracle"}, "seed": "7",
            });
            hold(&new);
            driver.send(&new);
            hold(&driver.next());
            driver.play(3, |said| {
                hold(said);
                if said["type"] == "act" {
                    let mut reply = legal_reply(said, 3);
                    // In strict schemas an omitted value is null, which counts as absent.
                    let fields = reply.as_object_mut().unwrap();
                    fields.retain(|name, value| !value.is_null() || name == "challenge");
                    let cost = json!({"calls": 1, "usd": "0.1", "model": "m"});
                    let (debate, id) = (&said["debate"], &said["id"]);
                    hold(
                        &json!({"type": "reply", "debate": debate, "id": id, "reply": reply,
                        "note": "why", "cost": cost}),
                    );
                }
            });
            hold(&driver.next());
            hold(&driver.next());
        }
        for kind in ["resume", "leave"] {
            hold(&json!({"type": kind, "debate": "0"}));
            driver.send(&json!({"type": kind, "debate": "0"}));
            hold(&driver.next());
        }
        hold(&json!({"type": "ping"}));
        hold(&json!({"type": "bye"}));
        driver.end();
        // The messages between the program and an engine.
        if let Some(simple) = command("simple.py", "") {
            let [told, said] = ["told.log", "said.log"].map(|name| folder.join(name));
            let engine = format!(
                "engine:tee {} | {simple} | tee {}",
                path(&told),
                path(&said)
            );
            for scenario in ["primes", "lighthouse", "qbf", "turing"] {
                let all = [
                    scenario,
                    "--role",
                    "none",
                    "--no-save",
                    "--plain",
                    "--prover",
                    &engine,
                ];
                assert_eq!(say(&folder, &all, "").code, Some(0));
                for file in [&told, &said] {
                    for line in fs::read_to_string(file).unwrap().lines() {
                        hold(&serde_json::from_str(line).unwrap());
                    }
                }
            }
        }
        hold(&json!({"type": "info", "id": 1, "text": "reading"}));
        hold(
            &json!({"type": "error", "id": 1, "kind": "transient", "retry_after_ms": 9, "why": ""}),
        );
        let count = self.counts["messages"];
        assert!(count > 300, "{count}");
    }

    fn check_studies(&mut self) {
        let pilot = &*self.place("pilot");
        for arguments in [
            &["study", "new", pilot][..],
            &["study", "simulate", pilot, "-n", "5"],
            &["study", "run", pilot, "--plain"],
        ] {
            let said = run_here(self.dir.path(), arguments, "\n1\n");
            assert_eq!(said.code, Some(0), "{said:?}");
        }
        self.check("study-check", &["study", "check", pilot, "--json"]);
        self.check("study-status", &["study", "status", pilot, "--json"]);
        self.check(
            "study-report",
            &["study", "report", pilot, "--json", "--simulated"],
        );
    }

    fn check_lists(&mut self) {
        self.check("list-scenarios", &["list", "scenarios", "--json"]);
        self.check("list-strategies", &["list", "strategies", "--json"]);
        self.check("list-protocols", &["list", "protocols", "--json"]);
        self.check("list-problems", &["list", "problems", "--json"]);
        self.check("list-saves", &["list", "saves", "--json"]);
        self.check("print-keys", &["--print-keys", "--json"]);
        self.check("print-config", &["--print-config", "--json"]);
        self.check("print-themes", &["--print-themes", "--json"]);
    }
}

const OF_SCENARIOS: [&str; 5] = ["check", "play", "scenario", "simulate", "solve"];
const OF_SAVES: [&str; 10] = [
    "debate",
    "import",
    "import-questions",
    "inspect",
    "judgement",
    "me",
    "question",
    "replay",
    "report",
    "verify",
];
const OF_ANALYSIS: [&str; 13] = [
    "check",
    "compare",
    "equilibrium",
    "growth",
    "match",
    "queries",
    "search",
    "search-part",
    "shard",
    "simulate",
    "solve",
    "theorems",
    "train",
];
const OF_LISTS_AND_STUDIES: [&str; 11] = [
    "list-problems",
    "list-protocols",
    "list-saves",
    "list-scenarios",
    "list-strategies",
    "print-config",
    "print-keys",
    "print-themes",
    "study-check",
    "study-report",
    "study-status",
];
/// Messages, and documents that the program reads, which other tests validate.
const OTHERS: [&str; 3] = ["messages", "save", "transcript"];

#[test]
fn every_document_has_a_test() {
    let mut names: Vec<&str> = [
        &OF_SCENARIOS[..],
        &OF_SAVES,
        &OF_ANALYSIS,
        &OF_LISTS_AND_STUDIES,
        &OTHERS,
    ]
    .concat();
    names.sort_unstable();
    names.dedup();
    assert!(SCHEMAS.keys().eq(&names), "{:?}", SCHEMAS.keys());
}

#[test]
fn documents_of_scenarios_are_valid() {
    let mut checker = Checker::new();
    checker.check_scenarios(&small_scenarios());
    let solved = checker.counts["solve"];
    assert!(solved > 4, "{solved}");
    checker.finish(&OF_SCENARIOS);
}

#[test]
#[ignore = "exhaustive: 3 s; every day: schema::documents_of_scenarios_are_valid"]
fn documents_of_all_scenarios_are_valid() {
    let mut checker = Checker::new();
    checker.check_scenarios(&bundled_scenarios());
    let solved = checker.counts["solve"];
    assert!(solved > 8, "{solved}");
    checker.finish(&OF_SCENARIOS);
}

#[test]
fn documents_of_saves_and_judgements_are_valid() {
    let mut checker = Checker::new();
    checker.check_saves();
    checker.check_judgements();
    checker.finish(&OF_SAVES);
}

#[test]
fn documents_of_analysis_are_valid() {
    let mut checker = Checker::new();
    checker.check_analysis();
    checker.finish(&OF_ANALYSIS);
}

#[test]
fn documents_of_lists_and_studies_are_valid() {
    let mut checker = Checker::new();
    checker.check_studies();
    checker.check_lists();
    checker.finish(&OF_LISTS_AND_STUDIES);
}

#[test]
fn messages_are_valid() {
    let mut checker = Checker::new();
    checker.check_messages(&small_scenarios());
    checker.finish(&["messages"]);
}

#[test]
#[ignore = "exhaustive: 2 s; every day: schema::messages_are_valid"]
fn messages_of_all_scenarios_are_valid() {
    let mut checker = Checker::new();
    checker.check_messages(&bundled_scenarios());
    checker.finish(&["messages"]);
}

/// A RON document as data: a struct is an object, and a variant with content an object with one
/// field.
struct Ron<'t>(&'t str);

impl<'t> Ron<'t> {
    fn document(text: &'t str) -> Value {
        let mut rest = Self(text);
        let value = rest.value();
        assert_eq!(rest.0.trim(), "", "{text}");
        value
    }

    /// Skips spaces, and this token after them if it is present.
    fn skip(&mut self, token: &str) -> bool {
        self.0 = self.0.trim_start();
        let rest = self.0.strip_prefix(token);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn split(&mut self, length: usize) -> &'t str {
        let (start, rest) = self.0.split_at(length);
        self.0 = rest;
        start
    }

    fn word(&mut self) -> &'t str {
        self.skip("");
        let end = |c: char| c != '_' && !c.is_ascii_alphanumeric();
        self.split(self.0.find(end).unwrap_or(self.0.len()))
    }

    fn text(&mut self) -> String {
        let mut before = ' ';
        let end = self.0.char_indices().skip(1).find(|(_, c)| {
            let ends = *c == '"' && before != '\\';
            before = if before == '\\' { ' ' } else { *c };
            ends
        });
        ron::from_str(self.split(end.unwrap().0 + 1)).unwrap()
    }

    /// Reads up to the closing bracket; returns an object if each value has a name.
    fn until(&mut self, closer: &str) -> Value {
        let (mut list, mut object) = (Vec::new(), serde_json::Map::new());
        while !self.skip(closer) {
            let start = self.0;
            let name = if start.starts_with('"') {
                self.text()
            } else {
                self.word().to_owned()
            };
            if self.skip(":") {
                assert_eq!(object.insert(name, self.value()), None, "twice");
            } else {
                self.0 = start;
                list.push(self.value());
            }
            self.skip(",");
        }
        assert!(list.is_empty() || object.is_empty());
        if object.is_empty() && closer != "}" {
            list.into()
        } else {
            object.into()
        }
    }

    fn value(&mut self) -> Value {
        for (opener, closer) in [("(", ")"), ("[", "]"), ("{", "}")] {
            if self.skip(opener) {
                return self.until(closer);
            }
        }
        if self.0.starts_with('"') {
            return self.text().into();
        }
        let word = self.word();
        if word.starts_with(|first: char| first.is_ascii_digit()) {
            return word.parse::<u64>().unwrap().into();
        }
        if word == "true" || word == "false" {
            return (word == "true").into();
        }
        if word == "None" {
            return Value::Null;
        }
        assert!(!word.is_empty(), "{}", self.0);
        if !self.skip("(") {
            return word.into();
        }
        let content = match self.until(")") {
            Value::Array(mut one) if one.len() == 1 => one.remove(0),
            content => content,
        };
        if word == "Some" {
            content
        } else {
            json!({ word: content })
        }
    }
}

/// The parts of a save that have a hash, as data.
fn parts(save: &str) -> Vec<Value> {
    let (header, rest) = save.split_once(",\n    events: [\n").unwrap();
    let header = header.strip_prefix("Save(").unwrap();
    let (before, rest_of_header) = header.split_once("\n    protocol: ").unwrap();
    let (protocol, after) = rest_of_header.split_once(", seed: ").unwrap();
    let header = format!("({before}\nprotocol: {protocol:?}, seed: {after})");
    let mut parts = vec![Ron::document(&header)];
    for line in rest.lines() {
        parts.push(match line.strip_prefix("    ], ") {
            Some(end) => Ron::document(&format!("({end}")),
            None => Ron::document(line.trim().trim_end_matches(',')),
        });
    }
    parts
}

#[test]
fn the_lines_of_a_save_match_their_schema() {
    let dir = tempfile::tempdir().unwrap();
    let mut validator = Validator::default();
    let arguments = ["primes-recursive", "--plain", "--role", "prover"];
    let said = run_here(dir.path(), &arguments, "yes\nu\nyes\n");
    assert_eq!(said.code, Some(0), "{said:?}");
    let kept = fs::read_dir(dir.path()).unwrap();
    let kept = kept.map(|entry| entry.unwrap().path());
    let bundled = fs::read_dir("saves").unwrap();
    let saves = bundled.map(|entry| entry.unwrap().path()).chain(kept);
    let saves = saves.filter(|path| path.extension().is_some_and(|it| it == "ron"));
    let (mut undone, mut ended, mut count) = (0, 0, 0);
    for save in saves {
        let text = fs::read_to_string(save).unwrap();
        for part in parts(&text) {
            undone += usize::from(part["undo"].is_number());
            ended += usize::from(part["end"].is_object());
            count += 1;
            validator.assert_valid("save", &part);
        }
    }
    assert!(
        undone > 0 && ended > 4 && count > 100,
        "{undone} {ended} {count}"
    );
}

/// The schemas of each property with this name, anywhere in a schema.
fn properties<'s>(schema: &'s Value, name: &str, found: &mut Vec<&'s Value>) {
    match schema {
        Value::Object(fields) => {
            let own = fields.get("properties").and_then(|all| all.get(name));
            found.extend(own);
            fields
                .values()
                .for_each(|field| properties(field, name, found));
        }
        Value::Array(values) => values.iter().for_each(|it| properties(it, name, found)),
        _ => {}
    }
}

/// The fields of the objects that a schema describes, without null.
fn fields(root: &Value, schema: &Value) -> Vec<String> {
    if let Some(place) = schema["$ref"].as_str() {
        return fields(root, root.pointer(place.trim_start_matches('#')).unwrap());
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        let choices = choices.iter().find(|it| it["type"] != "null");
        return fields(root, choices.unwrap());
    }
    let all = schema["properties"].as_object();
    all.into_iter()
        .flatten()
        .map(|(name, _)| name.clone())
        .collect()
}

#[test]
fn a_ledger_has_one_shape_in_every_document() {
    let mut seen = [0, 0];
    for (name, schema) in &*SCHEMAS {
        for (place, (ledger, field)) in [("ledger", "oracle_queries"), ("ledger_by_seat", "judge")]
            .into_iter()
            .enumerate()
        {
            let mut found = Vec::new();
            properties(schema, ledger, &mut found);
            seen[place] += found.len();
            for found in found {
                let fields = fields(schema, found);
                assert!(
                    fields.iter().any(|it| it == field),
                    "{name}: {ledger}: {fields:?}"
                );
            }
        }
    }
    // Each of the two properties is present exactly if the other one is.
    assert!(seen[0] >= 4 && seen[0] == seen[1], "{seen:?}");
}
