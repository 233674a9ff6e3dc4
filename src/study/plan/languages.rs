//! Languages of a study: the form of its translated texts, names of languages, and the form of numbers.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::{PageWording, StudyPlan};

/// Translated texts by key, such as `title` or `conditions.direct.shown_as`.
pub(crate) type Translation = BTreeMap<String, String>;

/// The field `texts` of a study file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WordingReplacementsAndTranslations {
    /// Replacements of standard texts, by their names in `words.ron`.
    pub(crate) words: BTreeMap<String, PageWording>,
    /// The translations by language.
    pub(crate) translations: BTreeMap<String, TranslationSource>,
}

/// The texts in another language, or the file with these texts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TranslationSource {
    Texts(Translation),
    /// A file in the study's folder that contains the translated texts.
    File(String),
}

/// An entry of the field `texts` of a study file.
enum TextsEntry {
    Wording(PageWording),
    Translation(TranslationSource),
}

impl<'de> Deserialize<'de> for WordingReplacementsAndTranslations {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let entries: BTreeMap<String, TextsEntry> = super::unique_keys(reader)?;
        let mut texts = Self::default();
        for (name, entry) in entries {
            match entry {
                TextsEntry::Wording(wording) => {
                    texts.words.insert(name, wording);
                }
                TextsEntry::Translation(source) => {
                    texts.translations.insert(name, source);
                }
            }
        }
        Ok(texts)
    }
}

/// The names of the fields of [`PageWording`]. A map with other keys is a translation.
const WORDING_FIELDS: [&str; 4] = ["heading", "text", "ask", "options"];

impl<'de> Deserialize<'de> for TextsEntry {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        struct EntryVisitor;

        impl<'de> Visitor<'de> for EntryVisitor {
            type Value = TextsEntry;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str(
                    "the fields of a text, such as (text: \"Weiter\"), the texts of a language in braces, or the name of \
                     a file with them",
                )
            }

            fn visit_str<E: Error>(self, file: &str) -> Result<TextsEntry, E> {
                let file = TranslationSource::File(file.to_owned());
                Ok(TextsEntry::Translation(file))
            }

            fn visit_unit<E: Error>(self) -> Result<TextsEntry, E> {
                Ok(TextsEntry::Wording(PageWording::default()))
            }

            fn visit_map<M: MapAccess<'de>>(self, mut entries: M) -> Result<TextsEntry, M::Error> {
                let mut wording = PageWording::default();
                let mut translation = Translation::new();
                let mut seen = Vec::new();
                while let Some(key) = entries.next_key::<String>()? {
                    if seen.contains(&key) {
                        let why =
                            format!("the key `{key}` is defined twice; remove one definition");
                        return Err(Error::custom(why));
                    }
                    match key.as_str() {
                        "heading" => wording.heading = entries.next_value()?,
                        "text" => wording.text = entries.next_value()?,
                        "ask" => wording.ask = entries.next_value()?,
                        "options" => wording.options = entries.next_value()?,
                        _ => {
                            translation.insert(key.clone(), entries.next_value()?);
                        }
                    }
                    seen.push(key);
                }
                let is_part = |key: &String| WORDING_FIELDS.contains(&key.as_str());
                if translation.is_empty() {
                    return Ok(TextsEntry::Wording(wording));
                }
                if let Some(key) = seen.iter().find(|key| is_part(key)) {
                    return Err(Error::custom(format!(
                        "`{key}` is a field of one text, such as its title, but the other keys are names of texts in a translation; write either the fields of one text or a translation"
                    )));
                }
                Ok(TextsEntry::Translation(TranslationSource::Texts(
                    translation,
                )))
            }
        }
        reader.deserialize_any(EntryVisitor)
    }
}

/// The name of each language in that language itself, by its primary subtag.
const NAMES: [(&str, &str); 24] = [
    ("ar", "العربية"),
    ("bg", "Български"),
    ("cs", "Čeština"),
    ("da", "Dansk"),
    ("de", "Deutsch"),
    ("el", "Ελληνικά"),
    ("en", "English"),
    ("es", "Español"),
    ("fa", "فارسی"),
    ("fi", "Suomi"),
    ("fr", "Français"),
    ("he", "עברית"),
    ("hi", "हिन्दी"),
    ("hu", "Magyar"),
    ("it", "Italiano"),
    ("ja", "日本語"),
    ("ko", "한국어"),
    ("nl", "Nederlands"),
    ("pl", "Polski"),
    ("pt", "Português"),
    ("sv", "Svenska"),
    ("tr", "Türkçe"),
    ("uk", "Українська"),
    ("zh", "中文"),
];

/// Languages whose decimal mark is a point, by their primary subtag. All other languages have a comma.
const DECIMAL_POINT: [&str; 6] = ["en", "he", "hi", "ja", "ko", "zh"];

/// Returns the primary subtag of a language tag, such as `pt` for `pt-BR`.
pub(super) fn primary_subtag(language: &str) -> &str {
    language.split('-').next().unwrap_or_default()
}

/// Returns the name of a language in that language itself. Returns its tag if the name is unknown or the tag has
/// further subtags, such as `pt-BR`.
pub fn native_language_name(language: &str) -> &str {
    let primary = primary_subtag(language);
    let known = NAMES.iter().find(|(tag, _)| *tag == primary);
    match known {
        Some((tag, name)) if *tag == language => name,
        // Variants of a language, such as pt-BR and pt-PT, need their tags.
        _ => language,
    }
}

impl StudyPlan {
    /// Returns a decimal number, such as "-0.35", with the decimal mark of the study's language.
    ///
    /// Studies without `languages` keep the decimal point: they may have been locked with it.
    pub(crate) fn decimal_text(&self, number: &str) -> String {
        let has_point =
            self.languages.is_empty() || DECIMAL_POINT.contains(&primary_subtag(self.language()));
        if has_point {
            number.to_owned()
        } else {
            number.replace('.', ",")
        }
    }

    /// Returns a copy of the values that fill a text's placeholders, in which decimal fractions have the decimal mark
    /// of the study's language.
    pub(super) fn with_decimal_marks(&self, placeholders: &Value) -> Value {
        let Some(placeholders) = placeholders.as_object() else {
            return placeholders.clone();
        };
        let in_form = placeholders.iter().map(|(name, value)| {
            let value = match value {
                Value::Number(number) if number.is_f64() => {
                    Value::String(self.decimal_text(&number.to_string()))
                }
                value => value.clone(),
            };
            (name.clone(), value)
        });
        Value::Object(in_form.collect::<Map<_, _>>())
    }

    /// Returns the first flaw of the field `languages`: the name of its sentence in `flaws.ron`, and its placeholder's
    /// value.
    pub(super) fn languages_flaw_name_and_value(&self) -> Option<(&'static str, String)> {
        let languages = &self.languages;
        if !languages.is_empty() && self.language.is_some() {
            return Some(("language and languages", String::new()));
        }
        let is_tag = |tag: &str| {
            let mut parts = tag.split('-');
            let is_primary = |it: &str| {
                (2..=3).contains(&it.len()) && it.bytes().all(|c| c.is_ascii_lowercase())
            };
            let is_part = |it: &str| {
                (1..=8).contains(&it.len()) && it.bytes().all(|c| c.is_ascii_alphanumeric())
            };
            parts.next().is_some_and(is_primary) && parts.all(is_part)
        };
        if let Some(tag) = languages.iter().find(|tag| !is_tag(tag)) {
            return Some(("language", tag.clone()));
        }
        let is_again = |(index, tag): (usize, &String)| languages[..index].contains(tag);
        if languages.len() > MAX_LANGUAGES || languages.iter().enumerate().any(is_again) {
            return Some(("languages", MAX_LANGUAGES.to_string()));
        }
        if languages.len() > 1 && self.has_several_participants_per_debate() {
            return Some(("languages of a group", String::new()));
        }
        let others = languages.get(1..).unwrap_or_default();
        let named = self
            .texts
            .translations
            .keys()
            .chain(self.items.translated.keys());
        let unknown = named.into_iter().find(|tag| !others.contains(tag))?;
        Some(("translation", unknown.clone()))
    }
}

/// The maximum number of languages of a study.
const MAX_LANGUAGES: usize = 20;

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<WordingReplacementsAndTranslations, String> {
        debate_solver::setup::ron_options()
            .from_str(text)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn texts_are_wordings_translations_or_files() {
        let texts = read(r#"{"continue": (text: "Weiter"), "de": {"title": "Titel", "words.next.text": "Los"}, "fr": "fr.ron", "quiz": ()}"#).unwrap();
        assert_eq!(texts.words["continue"].text.as_deref(), Some("Weiter"));
        assert_eq!(texts.words["quiz"], PageWording::default());
        let TranslationSource::Texts(german) = &texts.translations["de"] else {
            panic!("{texts:?}");
        };
        assert_eq!(german["title"], "Titel");
        assert_eq!(
            texts.translations["fr"],
            TranslationSource::File("fr.ron".to_owned())
        );
        for (text, part) in [
            (r#"{"de": {"title": "a", "title": "b"}}"#, "defined twice"),
            (
                r#"{"de": {"title": "a"}, "de": {"title": "a"}}"#,
                "defined twice",
            ),
            (
                r#"{"x": (text: "a", title: "b")}"#,
                "is a field of one text",
            ),
            (r#"{"de": 3}"#, "the fields of a text"),
            (r#"{"de": {"title": 3}}"#, "string"),
        ] {
            let why = read(text).unwrap_err();
            assert!(why.contains(part), "{text}: {why}");
        }
    }

    #[test]
    fn languages_have_names_and_number_forms() {
        assert_eq!(
            ["de", "en", "pt-BR", "xx"].map(native_language_name),
            ["Deutsch", "English", "pt-BR", "xx"]
        );
    }
}
