//! Standard texts of the pages, in English and German. A study file can replace them, for example with a translation.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};

use super::StudyPlan;
use super::languages::primary_subtag;
use debate_core::text::{exact_duration_in_short_units, exact_duration_in_words};
use debate_text::{NamedTexts, fill_template, placeholders};

/// The wording of a page or of a part of it. A field that is `None` in a study file keeps its standard wording.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[serde(rename = "Wording")]
pub struct PageWording {
    pub heading: Option<String>,
    pub text: Option<String>,
    /// The question of the page. `None` if the page has only a button to continue.
    pub ask: Option<String>,
    pub options: Option<Vec<String>>,
}

/// The standard wordings in English, by name.
static WORDS: NamedTexts<PageWording> = NamedTexts::new(include_str!("words.ron"));
/// The standard wordings of the pages in German, for studies with `languages`.
static WORDS_DE: NamedTexts<PageWording> = NamedTexts::new(include_str!("words-de.ron"));
/// The standard wordings of studies that were locked with study format 1, 2 or 3. They must not change.
static WORDS_OF_FORMAT_3: NamedTexts<PageWording> =
    NamedTexts::new(include_str!("words-format-3.ron"));

/// Placeholders that the program fills in, by the name of the text. Texts that are neither here nor in the four lists
/// below have no placeholders.
const PLACEHOLDERS: [(&str, &[&str]); 55] = [
    ("screener", &["columns", "rows"]),
    ("break", DURATION),
    ("attention", &["word"]),
    ("guess", &["label"]),
    ("leave", DURATION),
    ("pause in a group", DURATION),
    ("time for others", DURATION),
    ("waiting", DURATION),
    (
        "waiting list",
        &[
            "position",
            "held",
            "held_hours",
            "duration",
            "seconds",
            "minutes",
            "hours",
        ],
    ),
    ("your time", DURATION),
    ("trial", &["label", "number", "all", "role"]),
    ("practice", &["label", "number", "all", "role"]),
    ("trial details", &["label", "role"]),
    ("practice details", &["label", "role"]),
    ("role", &["who"]),
    ("minutes left", &["minutes"]),
    ("question of", &["number", "all"]),
    ("claim", &["claim"]),
    ("likely", &["answer"]),
    ("likely true", &["claim"]),
    ("likely false", &["claim"]),
    ("likely answer", &["question", "answer"]),
    ("before", LIKELY),
    ("first answer", LIKELY),
    ("round", LIKELY),
    ("final", LIKELY),
    ("final alone", LIKELY),
    ("meant", &["typed", "percent"]),
    ("confirm", &["first", "second", "percent", "rest"]),
    ("price", &["bits"]),
    ("cost", &["bits"]),
    ("check", &["claim", "evidence"]),
    ("evidence", &["evidence"]),
    ("right answer", &["question", "answer", "percent"]),
    ("score", &["score"]),
    ("code", &["code"]),
    ("bonus", &["amount", "number"]),
    ("cents", &["amount"]),
    ("contact", &["contact"]),
    ("deletion", &["contact", "session"]),
    ("deletion without contact", &["session"]),
    ("no percent", &["min", "max"]),
    ("too long", &["most"]),
    ("no number", &["min", "max"]),
    ("argue for", &["question", "answer"]),
    ("limit of words", &["most"]),
    ("limit of quotes", &["most"]),
    ("type a percentage", &["min", "least", "max", "most"]),
    ("type a number", &["last"]),
    ("same command", DURATION),
    ("save for question", &["number"]),
    ("go to question", &["number"]),
    ("ends of answers", &["first", "second"]),
    ("in words", &["first", "second"]),
    ("quoted answer", &["answer"]),
];

/// Placeholders of the page texts about the debaters' arguments.
const ARGUMENT_PLACEHOLDERS: [(&str, &[&str]); 18] = [
    ("sealed", &["who"]),
    ("own name", &["name"]),
    ("argues for", &["who", "answer"]),
    ("says true", &["who"]),
    ("says false", &["who"]),
    ("speaks", &["who"]),
    ("reason", REASON),
    ("reason against", REASON),
    ("argued point", &["number"]),
    ("depends", REASON),
    ("parts", &["point"]),
    ("looked at", &["who"]),
    ("doubted", &["who"]),
    ("claimed", &["who"]),
    ("estimate", &["who", "percent"]),
    ("bet", &["who", "percent"]),
    ("evidence on", &["claim", "evidence"]),
    ("argument round", &["round"]),
];

/// Placeholders of the texts of the rules' requests, except those about the judge's steps.
const REQUEST_PLACEHOLDERS: [(&str, &[&str]); 24] = [
    ("defend an answer", &["claim"]),
    ("given outcomes", &["outcomes", "yes", "no"]),
    ("outcome of a coin", &["claim"]),
    ("share of a coin", &["claim"]),
    ("likely step", &["gate", "points", "claim"]),
    ("place a bet", &["who", "percent", "claim"]),
    ("choose a reason", &["claim"]),
    ("listed reason", &["label", "gate", "points"]),
    ("gate", &["count", "least"]),
    ("gate of majorities", &["gate", "copies"]),
    ("choose a point", &["who", "claim"]),
    ("numbered point", &["number"]),
    ("answer each point", &["gate", "condition", "result"]),
    ("answer to a point", &["point"]),
    ("proof bit", &["bit"]),
    ("configuration", &["after", "step"]),
    ("witness", &["bits"]),
    ("choose values", &["what", "end"]),
    ("chosen values", &["values"]),
    ("write the steps", &["bits"]),
    ("dispute the step", &["step", "number"]),
    (
        "have it checked",
        &["given", "who", "claim", "percent", "number"],
    ),
    ("point at a step", &["who", "wrote", "steps"]),
    ("wrong step", &["number"]),
];

/// Placeholders of texts about the judge's steps, about debaters' moves, and about answers that are not allowed.
const REFUSAL_PLACEHOLDERS: [(&str, &[&str]); 9] = [
    ("judge a step", &["gate", "points", "claim"]),
    ("another vote", &["number"]),
    ("gave a bit", &["who", "bit", "value"]),
    ("gave a share", &["who", "share"]),
    ("gave answers", &["who", "answers"]),
    ("challenged", &["who", "number"]),
    ("listed steps", &["count", "points"]),
    ("not allowed", &["why"]),
    (
        "reason for refusal",
        &["given", "most", "number", "words", "code"],
    ),
];

/// Placeholders of texts that appear only in browser pages.
const BROWSER_PLACEHOLDERS: [(&str, &[&str]); 7] = [
    ("shares", &["first", "second", "percent", "rest"]),
    ("range", &["first", "second", "min", "max"]),
    ("percent of", &["first", "second", "min", "max"]),
    ("you say", &["percent", "words"]),
    ("time left", &["time"]),
    ("paused", DURATION),
    ("paused in a group", DURATION),
];

const REASON: &[&str] = &["who", "count", "gate", "point"];
const LIKELY: &[&str] = &["likely", "question"];
const DURATION: &[&str] = &["duration", "seconds", "minutes", "hours"];

/// Returns the placeholders that the program fills in for the text `name`.
fn placeholders_of(name: &str) -> &'static [&'static str] {
    all_placeholders()
        .find(|(of, _)| *of == name)
        .map_or(&[], |(_, places)| places)
}

/// Returns the placeholders of every text that has some.
fn all_placeholders() -> impl Iterator<Item = &'static (&'static str, &'static [&'static str])> {
    let pages = PLACEHOLDERS.iter().chain(&BROWSER_PLACEHOLDERS);
    let pages = pages.chain(&ARGUMENT_PLACEHOLDERS);
    pages
        .chain(&REQUEST_PLACEHOLDERS)
        .chain(&REFUSAL_PLACEHOLDERS)
}

/// Languages that are written from right to left, as primary language subtags.
const RIGHT_TO_LEFT: [&str; 10] = ["ar", "arc", "ckb", "dv", "fa", "he", "ps", "sd", "ug", "ur"];

impl PageWording {
    /// Fills in the placeholders.
    fn filled(self, places: &Value) -> Self {
        let filled = |text: String| fill_template(&text, places, str::to_owned);
        Self {
            heading: self.heading.map(filled),
            text: self.text.map(filled),
            ask: self.ask.map(filled),
            options: self
                .options
                .map(|options| options.into_iter().map(filled).collect()),
        }
    }
}

impl StudyPlan {
    /// Returns the wording `name`: each field from the study file, or else from the standard wording.
    pub fn wording(&self, name: &str) -> PageWording {
        let usual = self.standard_wording(name).cloned().unwrap_or_default();
        let own = self.texts.words.get(name).cloned().unwrap_or_default();
        PageWording {
            heading: own.heading.or(usual.heading),
            text: own.text.or(usual.text),
            ask: own.ask.or(usual.ask),
            options: own.options.or(usual.options),
        }
    }

    /// Returns the standard wording `name`, as it is without the study file's changes.
    fn standard_wording(&self, name: &str) -> Option<&'static PageWording> {
        if self.has_words_of_format_3 && WORDS_OF_FORMAT_3.has_text(name) {
            return WORDS_OF_FORMAT_3.get(name);
        }
        // A study with `language` alone keeps the English standard texts, as before `languages` existed.
        let own = (!self.languages.is_empty()).then(|| bundled_words(self.language()));
        own.flatten().unwrap_or(&WORDS).get(name)
    }

    /// Returns a duration for a page, without rounding. It has symbols such as `min` if `languages` is set and the
    /// language is not English, else words.
    pub fn duration_text(&self, seconds: u64) -> String {
        // A study with `language` alone has English standard texts.
        if self.languages.is_empty() || self.is_in_english() {
            exact_duration_in_words(seconds)
        } else {
            exact_duration_in_short_units(seconds)
        }
    }

    /// Returns the values that fill a text's placeholders for a duration: its text, its seconds, and its minutes and
    /// hours, rounded up.
    pub fn duration_placeholders(&self, seconds: u64) -> Value {
        json!({
            "duration": self.duration_text(seconds),
            "seconds": seconds,
            "minutes": seconds.div_ceil(60),
            "hours": seconds.div_ceil(3600),
        })
    }

    /// Returns an option of the wording `name` with its placeholders filled in; empty if there is no such option.
    pub fn filled_option(&self, name: &str, index: usize, placeholders: &Value) -> String {
        let options = self.filled_wording(name, placeholders).options;
        let mut options = options.unwrap_or_default().into_iter();
        options.nth(index).unwrap_or_default()
    }

    /// Returns the wording `name` with its placeholders filled in.
    pub fn filled_wording(&self, name: &str, placeholders: &Value) -> PageWording {
        let known = placeholders_of(name);
        let mut given = placeholders.as_object().into_iter().flatten();
        debug_assert!(
            given.all(|(place, _)| known.contains(&place.as_str())),
            "the text {name} is given the placeholders {placeholders}, but has only {known:?}"
        );
        self.wording(name)
            .filled(&self.with_decimal_marks(placeholders))
    }

    /// Returns one error sentence for each placeholder in the study file's texts for which the program has no value.
    pub(crate) fn unknown_placeholder_errors(&self) -> Vec<String> {
        let mut flaws = Vec::new();
        for (name, words) in &self.texts.words {
            let known = placeholders_of(name);
            let parts = [&words.heading, &words.text, &words.ask]
                .into_iter()
                .flatten();
            let parts = parts.chain(words.options.iter().flatten());
            for placeholder in parts.flat_map(|part| placeholders(part)) {
                if known.contains(&placeholder) {
                    continue;
                }
                let hint = match known {
                    [] => "this text has no placeholders".to_owned(),
                    known => format!("this text has {{{{{}}}}}", known.join("}}, {{")),
                };
                flaws.push(format!(
                    "texts: the text `{name}` contains the unknown placeholder `{{{{{placeholder}}}}}`; {hint}"
                ));
            }
        }
        flaws
    }

    /// Returns a sentence for each text in `texts` that only studies of format 3 and earlier show. Empty if this study
    /// has such a format.
    pub(crate) fn unused_text_warnings(&self) -> Vec<String> {
        if self.has_words_of_format_3 {
            return Vec::new();
        }
        let unused = self.texts.words.keys().filter(|name| !WORDS.has_text(name));
        let sentence = |name| {
            format!("texts: no page of this study format shows the text `{name}`; remove it")
        };
        unused.map(sentence).collect()
    }

    /// Returns the text of the wording `name`, with its placeholders filled in.
    pub fn filled_text(&self, name: &str, placeholders: &Value) -> String {
        self.filled_wording(name, placeholders)
            .text
            .unwrap_or_default()
    }

    /// Returns the question of the wording `name`, with its placeholders filled in.
    pub fn filled_question(&self, name: &str, placeholders: &Value) -> String {
        self.filled_wording(name, placeholders)
            .ask
            .unwrap_or_default()
    }

    /// Returns the language of the pages: the field `language`, else the first of `languages`, else `en`.
    pub fn language(&self) -> &str {
        let first = self.language.as_ref().or_else(|| self.languages.first());
        first.map_or("en", String::as_str)
    }

    /// True if the pages are in English.
    pub fn is_in_english(&self) -> bool {
        primary_subtag(self.language()) == "en"
    }

    /// True if the language of the pages is written from right to left.
    pub fn is_right_to_left(&self) -> bool {
        RIGHT_TO_LEFT.contains(&primary_subtag(self.language()))
    }
}

/// Returns the standard texts in a language. `None` if the program has none in this language.
fn bundled_words(language: &str) -> Option<&'static NamedTexts<PageWording>> {
    match primary_subtag(language) {
        "en" => Some(&WORDS),
        "de" => Some(&WORDS_DE),
        _ => None,
    }
}

/// True if the program has its standard texts in this language.
pub(crate) fn has_bundled_texts(language: &str) -> bool {
    bundled_words(language).is_some()
}

/// Returns the names of all standard texts.
pub(crate) fn standard_text_names() -> Vec<&'static str> {
    WORDS.text_names()
}

/// Standard texts that were added after studies could have other languages. If a translation lacks such a text and its
/// study was locked before, the text is in English.
const ADDED_TEXTS: [&str; 75] = [
    "unknown link",
    "other browser",
    "other window",
    "too many visitors",
    "server fault",
    "recruiting paused",
    "study fault",
    "reload",
    "no page",
    "answer refused",
    "to read",
    "to answer",
    "more to read",
    "read to the end",
    "press enter",
    "press enter to close",
    "continues automatically",
    "nothing chosen",
    "nothing typed",
    "type a percentage",
    "type a number",
    "lines",
    "same command",
    "key hints",
    "argue for",
    "quoting",
    "limit of words",
    "limit of quotes",
    "void bonus",
    "quoted answer",
    "reasons",
    "points with evidence",
    "argues for",
    "argued point",
    "quote button",
    "defend an answer",
    "given outcomes",
    "outcome of a coin",
    "on its own",
    "likely step",
    "place a bet",
    "choose a reason",
    "listed reason",
    "gate",
    "gate of majorities",
    "choose a point",
    "numbered point",
    "answer each point",
    "answer to a point",
    "proof bit",
    "configuration",
    "last configuration",
    "witness",
    "choose values",
    "chosen values",
    "write the steps",
    "dispute the step",
    "have it checked",
    "point at a step",
    "wrong step",
    "judge a step",
    "another vote",
    "share of a coin",
    "gave a bit",
    "gave a share",
    "gave answers",
    "yes or no",
    "challenged",
    "listed steps",
    "not allowed",
    "reason for refusal",
    "message",
    "pause in a group",
    "paused in a group",
    "time for others",
];

/// True if a translation of a locked study may lack the standard text with this name.
pub(crate) fn may_lack_translation(name: &str) -> bool {
    ADDED_TEXTS.contains(&name)
}

/// Returns the first flaw of the study file's texts: the name of its sentence in `flaws.ron`, and its placeholders'
/// values.
pub(super) fn wording_flaw_name_and_placeholders(
    texts: &BTreeMap<String, PageWording>,
) -> Option<(&'static str, Value)> {
    texts.iter().find_map(|(name, own)| {
        let place = json!({"name": name});
        let known = [&WORDS, &WORDS_OF_FORMAT_3]
            .into_iter()
            .find(|words| words.has_text(name));
        let Some(usual) = known.and_then(|words| words.get(name)) else {
            return Some(("unknown text", place));
        };
        let count = |words: &PageWording| words.options.as_ref().map(Vec::len);
        if let Some(given) = count(own).filter(|_| count(own) != count(usual)) {
            let wanted = count(usual).unwrap_or(0);
            return Some((
                "options of a text",
                json!({"name": name, "given": given, "wanted": wanted}),
            ));
        }
        let parts =
            |words: &PageWording| [&words.heading, &words.text, &words.ask].map(Option::is_some);
        let has_more = parts(own)
            .iter()
            .zip(parts(usual))
            .any(|(own, usual)| *own && !usual);
        has_more.then_some(("part of a text", place))
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    /// Checks that each text is used in the sources of this crate or of the browser pages.
    #[test]
    fn every_text_is_used() {
        let read: BTreeMap<String, PageWording> = ron::from_str(include_str!("words.ron")).unwrap();
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let sources: String = [
            "plan.rs",
            "session/flow/steps.rs",
            "session/flow/admission.rs",
            "session/flow.rs",
            "session.rs",
            "session/page.rs",
            "session/terminal.rs",
            "session/trial.rs",
            "session/trial/argument.rs",
            "session/trial/request_words.rs",
            "session/trial/run.rs",
            "folder/log.rs",
        ]
        .iter()
        .map(|file| std::fs::read_to_string(root.join(file)).unwrap())
        .collect();
        // The package of this crate does not contain the browser pages.
        let web = root.parent().unwrap().join("web");
        if !web.exists() {
            return;
        }
        let web: String = [
            "study.rs",
            "study/html.rs",
            "study/preview.rs",
            "study/routes.rs",
        ]
        .iter()
        .map(|file| std::fs::read_to_string(web.join(file)).unwrap())
        .collect();
        for name in read.keys() {
            let quoted = format!("\"{name}\"");
            assert!(
                sources.contains(&quoted) || web.contains(&quoted),
                "{name} is unused"
            );
        }
    }

    /// Placeholders that a German text needs not contain, each with the name of the text.
    const LEFT_OUT: [(&str, &str); 3] = [
        ("gate", "count"),
        ("choose values", "end"),
        ("dispute the step", "number"),
    ];

    /// Compares the placeholders of both languages. A German text contains a number of minutes, hours or steps for an
    /// English phrase.
    #[test]
    fn the_german_texts_have_the_parts_and_placeholders_of_the_english_ones() {
        let read: BTreeMap<String, PageWording> =
            ron::from_str(include_str!("words-de.ron")).unwrap();
        assert_eq!(
            read.keys().map(String::as_str).collect::<Vec<_>>(),
            WORDS.text_names()
        );
        for (name, german) in &read {
            let english = WORDS.get(name).unwrap();
            let parts = |words: &PageWording| {
                let options = words.options.clone().unwrap_or_default();
                let parts = [&words.heading, &words.text, &words.ask];
                let own: Vec<Option<String>> = parts.into_iter().cloned().collect();
                own.into_iter()
                    .chain(options.into_iter().map(Some))
                    .collect::<Vec<_>>()
            };
            let (own, usual) = (parts(german), parts(english));
            assert_eq!(own.len(), usual.len(), "{name}");
            for (own, usual) in own.iter().zip(&usual) {
                assert_eq!(own.is_some(), usual.is_some(), "{name}");
                let places = |text: &Option<String>| {
                    let text = text.as_deref().unwrap_or_default();
                    let places = placeholders(text).into_iter();
                    let is_needed = |place: &&str| !LEFT_OUT.contains(&(name.as_str(), place));
                    let places = places.filter(is_needed).map(str::to_owned);
                    places.collect::<BTreeSet<String>>()
                };
                let wanted = places(usual);
                // Durations, counts and conditions in words are in English, so a German text has their numbers, or the
                // condition in German.
                let in_english = |place: String| match place.as_str() {
                    "held_hours" => "held".to_owned(),
                    "steps" if wanted.contains("wrote") => "wrote".to_owned(),
                    "step" if wanted.contains("after") => "after".to_owned(),
                    "condition" => "gate".to_owned(),
                    "minutes" | "hours" if wanted.contains("duration") => "duration".to_owned(),
                    _ => place,
                };
                let found: BTreeSet<String> = places(own).into_iter().map(in_english).collect();
                assert_eq!(found, wanted, "{name}");
            }
        }
    }

    #[test]
    fn every_placeholder_of_the_default_texts_is_filled_in() {
        let read: BTreeMap<String, PageWording> = ron::from_str(include_str!("words.ron")).unwrap();
        for (name, words) in &read {
            let parts = [&words.heading, &words.text, &words.ask]
                .into_iter()
                .flatten();
            let parts = parts.chain(words.options.iter().flatten());
            for place in parts.flat_map(|part| placeholders(part)) {
                assert!(placeholders_of(name).contains(&place), "{name}: {place}");
            }
        }
        for (name, _) in all_placeholders() {
            assert!(
                WORDS.has_text(name) || WORDS_OF_FORMAT_3.has_text(name),
                "{name}"
            );
        }
    }

    #[test]
    fn a_study_file_can_replace_only_known_texts() {
        let texts = |text: &str| ron::from_str::<BTreeMap<String, PageWording>>(text).unwrap();
        assert_eq!(wording_flaw_name_and_placeholders(&texts("{}")), None);
        for (text, flaw_name) in [
            (r#"{"nonsense": ()}"#, "unknown text"),
            (
                r#"{"consent": (options: Some(["Ja"]))}"#,
                "options of a text",
            ),
            (r#"{"continue": (ask: Some("Weiter?"))}"#, "part of a text"),
        ] {
            assert_eq!(
                wording_flaw_name_and_placeholders(&texts(text)).unwrap().0,
                flaw_name,
                "{text}"
            );
        }
    }
}
