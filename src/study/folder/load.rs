//! Reading a study from its folder, and the complete example study that `study new` writes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::Study;
use crate::error::{Result, StudyError};
use crate::folder::lock::STUDY_FORMAT;
use crate::folder::translations::path_inside_folder;
use crate::folder::{StudyFolder, create_owner_only_folder, entry_names_in, path_file_name};
use crate::plan::item::ItemToJudge;
use crate::plan::schedule::ItemDealingMethod;
use crate::plan::structure::check_only_texts_differ;
use crate::plan::{
    QuizQuestion, StudyFlowStep, StudyPlan, SurveyQuestion, TrialTask, read_ron, read_text,
};
use debate_core::digest::Digest;
use debate_host::record::create_file_atomically;
use debate_lab::judgements::FinishedDebateToRejudge;
use debate_solver::setup::{LoadedScenario, QuestionSet, ScenarioLimits, check_regular_file};

/// File extension of a set of questions.
const SET: &str = ".jsonl";

/// Returns the sorted files inside a folder that match a pattern. `*` matches any part of a file name. A pattern
/// without `*` is one path, which is returned even if there is no such file.
fn matching(folder: &Path, pattern: &str) -> Result<Vec<PathBuf>> {
    let inside = Path::new(pattern);
    let outside = inside
        .components()
        .any(|part| !matches!(part, std::path::Component::Normal(_)));
    if outside {
        return Err(StudyError::Plan(format!(
            "the files `{pattern}` are outside the study folder; move them into the folder"
        )));
    }
    let path = folder.join(inside);
    let name = path_file_name(inside);
    if !name.contains('*') {
        if path.exists() {
            check_regular_file(&path).map_err(StudyError::io_error_at(&path))?;
        }
        return Ok(vec![path]);
    }
    let above = path.parent().unwrap_or(folder);
    let mut files = entry_names_in(above)?;
    files.retain(|file| fits(&name, file));
    let paths: Vec<PathBuf> = files.iter().map(|file| above.join(file)).collect();
    if paths.is_empty() {
        return Err(StudyError::Plan(format!(
            "no file in the study folder matches `{pattern}`"
        )));
    }
    for path in &paths {
        check_regular_file(path).map_err(StudyError::io_error_at(path))?;
    }
    Ok(paths)
}

/// True if `name` matches `pattern`, in which `*` matches any text.
fn fits(pattern: &str, name: &str) -> bool {
    let Some((before, rest)) = pattern.split_once('*') else {
        return pattern == name;
    };
    let Some(name) = name.strip_prefix(before) else {
        return false;
    };
    (0..=name.len()).any(|at| name.get(at..).is_some_and(|end| fits(rest, end)))
}

/// A study whose files are still being read.
struct Loading {
    study: Study,
    limits: ScenarioLimits,
    /// The question sets that were already read, by path.
    sets: BTreeMap<PathBuf, Rc<QuestionSet>>,
    /// The folder of the items, if they are read in another language than the study file's.
    translated: Option<PathBuf>,
}

/// Reads the study in `folder`.
pub(crate) fn load(folder: &Path) -> Result<Study> {
    let folder = StudyFolder::new(folder);
    let path = folder.study_file();
    let plan = StudyPlan::read_study_file(&path)?;
    let mut loading = Loading::new(folder, plan);
    loading.study.add_digest_of_file(&path)?;
    loading.items()?;
    loading.saves()?;
    loading.screening()?;
    loading.flow()?;
    loading.study.read_media()?;
    Ok(loading.study)
}

/// Reads the study `original` in another of its languages.
pub(super) fn load_translation(original: &Study, language: &str) -> Result<Study> {
    let folder = original.plan.items.translated.get(language);
    let study_file = original.folder.study_file();
    let wrong = |why: String| StudyError::invalid_file(&study_file, why);
    let folder = folder.ok_or_else(|| {
        wrong(format!(
            "items: the language `{language}` has no items; translate them, and name their folder in \
             translated: {{\"{language}\": \"FOLDER\"}}"
        ))
    })?;
    let folder = path_inside_folder(original.folder.root(), folder)
        .map_err(|why| wrong(format!("items: translated: {why}")))?;
    let mut loading = Loading::new(original.folder.clone(), original.plan.clone());
    loading.translated = Some(folder);
    loading.items()?;
    loading.saves()?;
    loading.screening()?;
    loading.flow()?;
    loading.study.dealing = original.dealing;
    loading.study.study_format = original.study_format;
    loading.study.apply_translation(language)?;
    loading.study.read_media()?;
    Ok(loading.study)
}

impl Loading {
    fn new(folder: StudyFolder, plan: StudyPlan) -> Self {
        Self {
            study: Study {
                items: Vec::new(),
                saved_items: Vec::new(),
                texts: Vec::new(),
                quizzes: Vec::new(),
                surveys: Vec::new(),
                prepared: BTreeMap::new(),
                unprepared: 0,
                given_up: Vec::new(),
                files: Vec::new(),
                dealing: ItemDealingMethod::default(),
                study_format: STUDY_FORMAT,
                schedule_digest: std::sync::OnceLock::new(),
                translations: Vec::new(),
                folder,
                plan,
            },
            limits: ScenarioLimits::default(),
            sets: BTreeMap::new(),
            translated: None,
        }
    }

    /// Returns the path of an item in the language that is being read; `None` if that is the study file's language.
    /// `name` is the path of the original item inside the study folder, `original` its contents.
    ///
    /// # Errors
    /// If the translated item is missing, or differs from the original in more than texts.
    fn translated_path(&self, name: &Path, original: &str) -> Result<Option<PathBuf>> {
        let Some(folder) = &self.translated else {
            return Ok(None);
        };
        let path = folder.join(name);
        let text = read_text(&path)?;
        check_only_texts_differ(original, &text)
            .map_err(|why| StudyError::invalid_file(&path, why))?;
        Ok(Some(path))
    }

    /// Returns the path of a file of items in the language that is being read.
    fn path_in_language(&self, path: PathBuf) -> Result<PathBuf> {
        if self.translated.is_none() {
            return Ok(path);
        }
        let name = path.strip_prefix(self.study.folder.root());
        let name = name.unwrap_or(&path).to_owned();
        Ok(self
            .translated_path(&name, &read_text(&path)?)?
            .unwrap_or(path))
    }

    fn scenarios(&mut self, named: &[String], practice: bool) -> Result {
        for name in named {
            if debate_solver::setup::bundled_names().any(|bundled| bundled == name) {
                let setup = LoadedScenario::load_bundled_scenario(name, &self.limits)?;
                let file = PathBuf::from(format!("{name}.ron"));
                if let Some(path) = self.translated_path(&file, &setup.source)? {
                    self.add_scenario_file(name.clone(), &path, practice)?;
                    continue;
                }
                let digest = Digest::digest_of_bytes(setup.source.as_bytes());
                let named = PathBuf::from(format!("bundled scenario {name}"));
                self.study.files.push((named, digest));
                self.add(name.clone(), setup, practice)?;
                continue;
            }
            if let Some((set, id)) = name.rsplit_once('#').filter(|(set, _)| set.ends_with(SET)) {
                self.questions(set, Some(id), practice)?;
                continue;
            }
            for path in matching(self.study.folder.root(), name)? {
                if path_file_name(&path).ends_with(SET) {
                    let set = path.strip_prefix(self.study.folder.root());
                    let set = set.unwrap_or(&path).to_string_lossy().into_owned();
                    self.questions(&set, None, practice)?;
                    continue;
                }
                let id = path.file_stem().unwrap_or_default().to_string_lossy();
                let id = id.into_owned();
                let path = self.path_in_language(path)?;
                self.add_scenario_file(id, &path, practice)?;
            }
        }
        Ok(())
    }

    fn add_scenario_file(&mut self, id: String, path: &Path, practice: bool) -> Result {
        let setup = LoadedScenario::load_scenario_file(path, &self.limits)?;
        self.study.add_digest_of_file(path)?;
        self.add(id, setup, practice)
    }

    /// Adds the questions of a set to the items: all of them, or only the one with this `id`. A set may read other
    /// files in its folder.
    fn questions(&mut self, name: &str, id: Option<&str>, practice: bool) -> Result {
        for path in matching(self.study.folder.root(), name)? {
            let path = self.path_in_language(path)?;
            let set = self.question_set(&path)?;
            if let Some(id) = id {
                self.add(
                    id.to_owned(),
                    set.scenario_of_question(id, &self.limits)?,
                    practice,
                )?;
                continue;
            }
            for row in &set.rows {
                let setup = set.scenario_of_row(row, &self.limits)?;
                self.add(row.id.clone(), setup, practice)?;
            }
        }
        Ok(())
    }

    /// Returns a question set. The set is read only once, even if several of its questions are named.
    fn question_set(&mut self, path: &Path) -> Result<Rc<QuestionSet>> {
        if let Some(set) = self.sets.get(path) {
            return Ok(Rc::clone(set));
        }
        let set = Rc::new(QuestionSet::load_question_file(path, &self.limits)?);
        self.study.add_digest_of_file(path)?;
        let name = path.strip_prefix(self.study.folder.root());
        let name = name.unwrap_or(path);
        let beside = name.parent().unwrap_or_else(|| Path::new(""));
        let files = set.files.iter();
        let files = files.map(|file| (beside.join(&file.name), file.digest));
        self.study.files.extend(files);
        self.sets.insert(path.to_owned(), Rc::clone(&set));
        Ok(set)
    }

    fn add(&mut self, id: String, setup: LoadedScenario, practice: bool) -> Result {
        if self.study.items.iter().any(|item| item.id == id) {
            return Err(StudyError::Plan(format!(
                "items: two items are named `{id}`; remove or rename one"
            )));
        }
        let item = ItemToJudge::of_scenario(id, setup, &self.study.plan, practice)?;
        self.study.items.push(item);
        Ok(())
    }

    fn items(&mut self) -> Result {
        let named = self.study.plan.items.scenarios.clone();
        self.scenarios(&named, false)?;
        if let Some(name) = self.study.plan.items.questions.clone() {
            self.questions(&name, None, false)?;
        }
        for step in self.study.plan.flow.clone() {
            if let StudyFlowStep::Practice { scenarios, .. } = step {
                self.scenarios(&scenarios, true)?;
            }
        }
        Ok(())
    }

    fn saves(&mut self) -> Result {
        for condition in self.study.plan.conditions.clone() {
            let mut items = Vec::new();
            if let TrialTask::Rejudge { saves, .. } = &condition.task {
                for path in matching(self.study.folder.root(), saves)? {
                    let case = FinishedDebateToRejudge::read_finished_debate(&path, "participant")?;
                    let Some(case) = case else {
                        return Err(StudyError::invalid_file(
                            &path,
                            "the debate in this save is not finished",
                        ));
                    };
                    self.study.add_digest_of_file(&path)?;
                    let id = path.file_stem().unwrap_or_default().to_string_lossy();
                    items.push(ItemToJudge::from_rejudged_save(
                        id.into_owned(),
                        case,
                        &self.study.plan,
                    )?);
                }
            }
            self.study.saved_items.push(items);
        }
        Ok(())
    }

    /// Reads the screening survey.
    fn screening(&mut self) -> Result {
        let Some(screening) = self.study.plan.screening.clone() else {
            return Ok(());
        };
        let survey_file = screening.survey;
        let [path] = matching(self.study.folder.root(), &survey_file)?
            .try_into()
            .map_err(|_many| {
                StudyError::Plan(format!(
                    "screening: `{survey_file}` must match exactly one file"
                ))
            })?;
        let survey: Vec<SurveyQuestion> = read_ron(&path)?;
        self.study
            .plan
            .check_screening_and_quota_references(&survey)
            .map_err(|why| StudyError::invalid_file(&self.study.folder.study_file(), why))?;
        self.study.add_digest_of_file(&path)?;
        self.study.surveys.push((survey_file, survey));
        Ok(())
    }

    fn flow(&mut self) -> Result {
        for step in self.study.plan.flow.clone() {
            let file_pattern = match &step {
                StudyFlowStep::Consent(name)
                | StudyFlowStep::Instructions(name)
                | StudyFlowStep::Survey(name)
                | StudyFlowStep::Quiz { file: name, .. }
                | StudyFlowStep::Debrief {
                    text: Some(name), ..
                } => name.clone(),
                _ => continue,
            };
            let [path] = matching(self.study.folder.root(), &file_pattern)?
                .try_into()
                .map_err(|_many| {
                    StudyError::Plan(format!(
                        "flow: `{file_pattern}` must match exactly one file"
                    ))
                })?;
            match &step {
                StudyFlowStep::Quiz { .. } => {
                    let quiz: Vec<QuizQuestion> = read_ron(&path)?;
                    check_quiz(&path, &quiz)?;
                    self.study.quizzes.push((file_pattern, quiz));
                }
                StudyFlowStep::Survey(_) => {
                    let survey = read_ron(&path)?;
                    self.study.surveys.push((file_pattern, survey));
                }
                _ => self.study.texts.push((file_pattern, read_text(&path)?)),
            }
            self.study.add_digest_of_file(&path)?;
        }
        Ok(())
    }
}

fn check_quiz(path: &Path, quiz: &[QuizQuestion]) -> Result {
    for question in quiz {
        if !(1..=question.options.len()).contains(&question.right) {
            let what = format!(
                "quiz: the right answer to “{question}” is number {right}, but the options are 1 to {last}",
                question = question.ask,
                right = question.right,
                last = question.options.len()
            );
            return Err(StudyError::invalid_file(path, what));
        }
    }
    Ok(())
}

/// Defines the list of files in the example study.
macro_rules! files {
    ($($name:literal)+) => {
        const FILES: &[(&str, &str)] = &[$(($name, include_str!(concat!("example/", $name)))),+];
    };
}

files! {
    "study.ron" "consent.md" "howto.md" "quiz.ron" "after.ron" "debrief.md"
    "items/cake.ron" "items/dog.ron" "items/footbridge.ron" "items/journey.ron" "items/letter.ron"
    "items/newsletter.ron" "items/prize.ron" "items/pump.ron"
    "variants/cake-2.ron" "variants/dog-2.ron" "variants/footbridge-2.ron" "variants/journey-2.ron"
    "variants/letter-2.ron" "variants/newsletter-2.ron" "variants/prize-2.ron" "variants/pump-2.ron"
    "practice/parcel.ron"
}

/// Writes the example study into a new or empty folder. Returns the written files.
///
/// # Errors
/// If the folder is not empty or cannot be written to.
pub fn create_example_study(folder: &Path) -> Result<Vec<PathBuf>> {
    if !entry_names_in(folder)?.is_empty() {
        return Err(StudyError::invalid_file(
            folder,
            "the folder for the example study is not empty; name a new folder",
        ));
    }
    let mut written = Vec::new();
    for (name, text) in FILES {
        let path = folder.join(name);
        if let Some(above) = path.parent() {
            create_owner_only_folder(above)?;
        }
        create_file_atomically(&path, text).map_err(StudyError::io_error_at(&path))?;
        written.push(path);
    }
    Ok(written)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_match_any_part_of_a_name() {
        for (pattern, name, expected) in [
            ("*.ron", "a.ron", true),
            ("*.ron", "a.md", false),
            ("a*b*.ron", "axxbyy.ron", true),
            ("a*b*.ron", "axx.ron", false),
            ("a.ron", "a.ron", true),
        ] {
            assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
        }
        assert!(matching(Path::new("."), "../x.ron").is_err());
        assert!(matching(Path::new("."), "/etc/passwd").is_err());
    }
}
