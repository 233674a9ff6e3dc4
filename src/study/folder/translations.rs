//! A study in several languages: the keys of its texts, and a copy of the study in each further language.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};

use crate::Study;
use crate::error::{Result, StudyError};
use crate::folder::load::load_translation;
use crate::plan::languages::{Translation, TranslationSource};
use crate::plan::words::{has_bundled_texts, may_lack_translation, standard_text_names};
use crate::plan::{PageWording, StudyPlan, SurveyAnswerForm, SurveyQuestion, read_ron, read_text};
use debate_core::text::replace_unsafe_multiline;
use debate_host::record::ron_string_literal;

/// Prefix of the keys of standard texts in a translation file.
const WORDS: &str = "words.";
/// The maximum number of keys of missing texts that an error lists.
const MAX_LISTED: usize = 12;

/// Calls `visit` with the key and the text of each text that participants read, except those of items and of standard
/// wordings. Also records the current options of survey questions as their names in tables.
fn visit_texts(study: &mut Study, visit: &mut dyn FnMut(&str, &mut String)) {
    let plan = &mut study.plan;
    visit("title", &mut plan.title);
    if let Some(contact) = &mut plan.contact {
        visit("contact", contact);
    }
    for condition in &mut plan.conditions {
        let key = format!("conditions.{}.shown_as", condition.id);
        visit(&key, &mut condition.shown_as);
    }
    for (id, note) in &mut plan.items.notes {
        visit(&format!("items.notes.{id}"), note);
    }
    for (file, text) in &mut study.texts {
        visit(file, text);
    }
    for (file, questions) in &mut study.quizzes {
        for (number, question) in (1..).zip(questions) {
            let key = format!("{file}.{number}");
            visit(&format!("{key}.ask"), &mut question.ask);
            for (number, option) in (1..).zip(&mut question.options) {
                visit(&format!("{key}.options.{number}"), option);
            }
            if let Some(note) = &mut question.note {
                visit(&format!("{key}.note"), note);
            }
        }
    }
    for (file, questions) in &mut study.surveys {
        for question in questions {
            let key = format!("{file}.{}", question.id);
            visit_survey_question(&key, question, visit);
        }
    }
}

fn visit_survey_question(
    key: &str,
    question: &mut SurveyQuestion,
    visit: &mut dyn FnMut(&str, &mut String),
) {
    visit(&format!("{key}.ask"), &mut question.ask);
    match &mut question.answer {
        SurveyAnswerForm::Choice(options) => {
            // Tables name the options of the first language.
            question.recorded_options = options.clone();
            for (number, option) in (1..).zip(options) {
                visit(&format!("{key}.options.{number}"), option);
            }
        }
        SurveyAnswerForm::Scale { ends, .. } => {
            for (number, end) in (1..).zip([&mut ends.0, &mut ends.1]) {
                if !end.is_empty() {
                    visit(&format!("{key}.ends.{number}"), end);
                }
            }
        }
        SurveyAnswerForm::Number { .. } | SurveyAnswerForm::Text(_) => {}
    }
    if let Some(note) = &mut question.note {
        visit(&format!("{key}.note"), note);
    }
}

/// Returns the keys and texts of a standard wording.
fn texts_of_wording(name: &str, wording: &PageWording) -> Vec<(String, String)> {
    let parts = [
        ("heading", &wording.heading),
        ("text", &wording.text),
        ("ask", &wording.ask),
    ];
    let parts = parts.into_iter().filter_map(|(part, text)| {
        let text = text.clone()?;
        Some((format!("{WORDS}{name}.{part}"), text))
    });
    let options = (1..).zip(wording.options.iter().flatten());
    let options =
        options.map(|(number, text)| (format!("{WORDS}{name}.options.{number}"), text.clone()));
    parts.chain(options).collect()
}

impl StudyPlan {
    /// Returns the keys and texts of the standard wordings that a translation must contain: all of them if the program
    /// does not have them in the language, otherwise those that the study file replaces.
    fn words_to_translate(&self, language: &str) -> Vec<(String, String)> {
        let is_bundled = has_bundled_texts(language);
        let names = standard_text_names().into_iter();
        let names = names.filter(|name| !is_bundled || self.texts.words.contains_key(*name));
        names
            .flat_map(|name| {
                let own = self.texts.words.get(name).cloned().unwrap_or_default();
                let wording = if is_bundled { own } else { self.wording(name) };
                texts_of_wording(name, &wording)
            })
            .collect()
    }

    /// Returns the names of the standard texts that the study file lacks although it must contain them: the program
    /// does not have them in the first language.
    fn words_missing_in_first_language(&self) -> Vec<String> {
        let Some(first) = self
            .languages
            .first()
            .filter(|first| !has_bundled_texts(first))
        else {
            return Vec::new();
        };
        let own: Vec<String> = self
            .texts
            .words
            .iter()
            .flat_map(|(name, wording)| texts_of_wording(name, wording))
            .map(|(key, _)| key)
            .collect();
        let needed = self.words_to_translate(first).into_iter();
        let missing = needed.map(|(key, _)| key).filter(|key| !own.contains(key));
        missing
            .map(|key| key.trim_start_matches(WORDS).to_owned())
            .collect()
    }

    /// Replaces standard wordings of the study's pages by their translations.
    ///
    /// # Errors
    /// If a key names no part of a standard wording.
    fn translate_words(&mut self, translation: &Translation) -> Result<(), String> {
        let mut words: BTreeMap<String, PageWording> = BTreeMap::new();
        for (key, text) in translation {
            let Some(path) = key.strip_prefix(WORDS) else {
                continue;
            };
            let unknown = || format!("the key `{key}` is not the name of a page's text");
            let (name, part) = path.split_once('.').ok_or_else(unknown)?;
            if !standard_text_names().contains(&name) {
                return Err(unknown());
            }
            let usual = self.wording(name);
            let is_new = !words.contains_key(name);
            let wording = words.entry(name.to_owned()).or_default();
            if is_new {
                // The options are replaced one by one.
                wording.options.clone_from(&usual.options);
            }
            let field = match part {
                "heading" if usual.heading.is_some() => &mut wording.heading,
                "text" if usual.text.is_some() => &mut wording.text,
                "ask" if usual.ask.is_some() => &mut wording.ask,
                _ => {
                    let number = part.strip_prefix("options.");
                    let number = number.and_then(|number| number.parse::<usize>().ok());
                    let index = number.and_then(|number| number.checked_sub(1));
                    let options = wording.options.as_mut();
                    let option = options
                        .zip(index)
                        .and_then(|(all, index)| all.get_mut(index));
                    text.clone_into(option.ok_or_else(unknown)?);
                    continue;
                }
            };
            *field = Some(text.clone());
        }
        self.texts.words = words;
        Ok(())
    }
}

impl Study {
    /// Returns every text that a translation into `language` must contain: its key, and the text in the first language.
    pub fn all_texts_to_translate(&mut self, language: &str) -> Vec<(String, String)> {
        let mut texts = Vec::new();
        visit_texts(self, &mut |key, text| {
            texts.push((key.to_owned(), text.clone()));
        });
        texts.extend(self.plan.words_to_translate(language));
        texts
    }

    /// Returns the file of a translation for translators: every text with its key. A text that is not translated yet
    /// is in the first language.
    ///
    /// # Errors
    /// If `language` is the first language, or the existing translation cannot be read.
    pub fn translation_file_for_translators(&mut self, language: &str) -> Result<String> {
        if self.plan.language() == language {
            return Err(StudyError::Plan(format!(
                "`{language}` is the language of the study's own texts; name another one"
            )));
        }
        let translated = self.read_translation(language)?.1;
        let mut out = format!(
            "// Texts of the study in the language `{language}`. Names in double braces are filled in by the program.\n{{\n"
        );
        for (key, text) in self.all_texts_to_translate(language) {
            let text = translated.get(&key).unwrap_or(&text);
            // Raw strings keep the lines of long texts.
            let is_safe = !text.contains("\"#") && replace_unsafe_multiline(text) == text.as_str();
            let text = if text.contains('\n') && is_safe {
                format!("r#\"{text}\"#")
            } else {
                ron_string_literal(text)
            };
            // Writing to a string cannot fail.
            let _ = writeln!(out, "    {}: {text},", ron_string_literal(&key));
        }
        out.push_str("}\n");
        Ok(out)
    }

    /// Reads the translated texts of a language. Also returns the file that contains them. The texts are empty if the
    /// study has none, or if the file is missing or empty.
    fn read_translation(&self, language: &str) -> Result<(PathBuf, Translation)> {
        let study_file = self.folder.study_file();
        match self.plan.texts.translations.get(language) {
            None => Ok((study_file, Translation::new())),
            Some(TranslationSource::Texts(texts)) => Ok((study_file, texts.clone())),
            Some(TranslationSource::File(name)) => {
                let path = path_inside_folder(self.folder.root(), name).map_err(|why| {
                    StudyError::invalid_file(&study_file, format!("texts: `{language}`: {why}"))
                })?;
                let is_empty = !path.exists() || read_text(&path)?.trim().is_empty();
                if is_empty {
                    return Ok((path, Translation::new()));
                }
                let texts: UniqueTranslation = read_ron(&path)?;
                Ok((path, texts.0))
            }
        }
    }

    /// Replaces the study's texts by their translations into `language`.
    ///
    /// # Errors
    /// If a text is missing, or a key of the translation is no text of the study.
    pub(super) fn apply_translation(&mut self, language: &str) -> Result {
        let (path, translation) = self.read_translation(language)?;
        let needed = self.all_texts_to_translate(language);
        let is_missing = |key: &String| {
            let text = translation.get(key);
            text.is_none_or(|text| text.trim().is_empty())
        };
        let missing: Vec<String> = needed
            .iter()
            .filter(|(key, text)| is_missing(key) && !text.trim().is_empty())
            .map(|(key, _)| key.clone())
            .filter(|key| !self.may_lack(key.strip_prefix(WORDS)))
            .collect();
        if !missing.is_empty() {
            return Err(StudyError::invalid_file(
                &path,
                format!(
                    "texts: the language `{language}` lacks {} of {} texts: {}; `study texts --lang {language}` writes the \
                     whole list for translation",
                    missing.len(),
                    needed.len(),
                    first_keys(&missing)
                ),
            ));
        }
        let is_known =
            |key: &String| key.starts_with(WORDS) || needed.iter().any(|(known, _)| known == key);
        if let Some(key) = translation.keys().find(|key| !is_known(key)) {
            return Err(StudyError::invalid_file(
                &path,
                format!(
                    "texts: the key `{key}` is not the name of a text of this study; remove it"
                ),
            ));
        }
        if path != self.folder.study_file() {
            self.add_digest_of_file(&path)?;
        }
        visit_texts(self, &mut |key, text| {
            if let Some(translated) = translation.get(key) {
                translated.clone_into(text);
            }
        });
        self.plan.language = Some(language.to_owned());
        self.plan
            .translate_words(&translation)
            .map_err(|why| StudyError::invalid_file(&path, format!("texts: {why}; remove it")))
    }

    /// Reads the study in its further languages.
    ///
    /// # Errors
    /// If standard texts in the first language are missing, a translation is incomplete, or a translated item differs
    /// from its original in more than texts.
    pub(crate) fn read_translations(&mut self) -> Result {
        let missing = self.plan.words_missing_in_first_language().into_iter();
        let missing: Vec<String> = missing.filter(|key| !self.may_lack(Some(key))).collect();
        if !missing.is_empty() {
            return Err(StudyError::invalid_file(
                &self.folder.study_file(),
                format!(
                    "texts: the program has no standard texts in `{language}`; add {count} texts: {missing}",
                    language = self.plan.language(),
                    count = missing.len(),
                    missing = first_keys(&missing)
                ),
            ));
        }
        let others: Vec<String> = self.plan.languages.iter().skip(1).cloned().collect();
        let mut translations = Vec::new();
        for language in others {
            let mut translated = load_translation(self, &language)?;
            translated.read_prepared_debates_of_original(self)?;
            for file in &translated.files {
                if !self.files.contains(file) {
                    self.files.push(file.clone());
                }
            }
            self.plan.media = translated.plan.media.clone();
            translations.push(translated);
        }
        // Every language has the same lock, and the server sends the files of all languages.
        for translated in &mut translations {
            translated.files.clone_from(&self.files);
            translated.plan.media = self.plan.media.clone();
        }
        self.translations = translations;
        Ok(())
    }

    /// True if the study was locked, and this text (a key without the prefix) may have been added to the program since.
    fn may_lack(&self, key: Option<&str>) -> bool {
        let name = key.and_then(|key| key.split('.').next());
        name.is_some_and(may_lack_translation) && self.folder.study_lock_file().exists()
    }

    /// Returns the languages from which a participant can choose; empty if the study has only one.
    pub fn offered_languages(&self) -> &[String] {
        if self.translations.is_empty() {
            &[]
        } else {
            &self.plan.languages
        }
    }

    /// Returns the study in a language. `None` if it does not have this language.
    pub fn in_language(&self, language: &str) -> Option<&Self> {
        let mut all = std::iter::once(self).chain(&self.translations);
        all.find(|study| study.plan.language() == language)
    }
}

/// Returns the first keys of a list, joined by commas, for an error.
fn first_keys(keys: &[String]) -> String {
    let first = keys.iter().take(MAX_LISTED).map(String::as_str);
    let mut listed: Vec<&str> = first.collect();
    if keys.len() > MAX_LISTED {
        listed.push("…");
    }
    listed.join(", ")
}

/// A translation file, in which no key is repeated.
struct UniqueTranslation(Translation);

impl<'de> serde::Deserialize<'de> for UniqueTranslation {
    fn deserialize<D: serde::Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        crate::plan::unique_keys(reader).map(Self)
    }
}

/// Returns the path of a file or folder that the study file names.
///
/// # Errors
/// If it is outside the study folder.
pub(super) fn path_inside_folder(root: &Path, name: &str) -> Result<PathBuf, String> {
    let path = Path::new(name);
    let mut parts = path.components().peekable();
    let is_inside =
        parts.peek().is_some() && parts.all(|part| matches!(part, Component::Normal(_)));
    if is_inside {
        Ok(root.join(path))
    } else {
        Err(format!(
            "the file `{name}` is outside the study folder; move the file into the folder"
        ))
    }
}
