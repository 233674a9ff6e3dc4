//! The Markdown texts of a study, and the media files to which they refer.

use std::path::Path;

use crate::Study;
use crate::error::{Result, StudyError};
use crate::plan::StudyTextMarkup;
use crate::plan::markdown::media_names_in_text;

/// Texts of `words.ron` that a page shows as separate paragraphs. A study file can replace these texts by Markdown.
const PARAGRAPHS: [&str; 22] = [
    "screener",
    "quiz again",
    "break",
    "leave",
    "waiting",
    "void",
    "place check",
    "waiting list",
    "screened out by an answer",
    "quota_full",
    "complete",
    "screened_out",
    "failed_attention",
    "no_consent",
    "failed_quiz",
    "withdrawn",
    "full",
    "expired",
    "waited",
    "left_alone",
    "forfeited",
    "closed",
];

impl Study {
    /// Returns each Markdown text with the file or the field of the study file that has it.
    fn markdown_texts(&self) -> Vec<(String, &str)> {
        let mut texts = Vec::new();
        let study_file = |field: String| format!("study.ron: {field}");
        if self.plan.markup == StudyTextMarkup::Markdown {
            let files = self.texts.iter();
            texts.extend(files.map(|(file, text)| (file.clone(), text.as_str())));
            for (name, own) in &self.plan.texts.words {
                if let Some(text) = own
                    .text
                    .as_deref()
                    .filter(|_| PARAGRAPHS.contains(&name.as_str()))
                {
                    texts.push((study_file(format!("texts: `{name}`")), text));
                }
            }
        }
        for (id, note) in &self.plan.items.notes {
            texts.push((study_file(format!("items: notes: `{id}`")), note));
        }
        for (file, questions) in &self.quizzes {
            let notes = questions.iter().zip(1..);
            let notes = notes.filter_map(|(question, number)| {
                let note = question.note.as_deref()?;
                Some((format!("{file}: question {number}: note"), note))
            });
            texts.extend(notes);
        }
        for (file, questions) in &self.surveys {
            let notes = questions.iter().filter_map(|question| {
                let note = question.note.as_deref()?;
                Some((format!("{file}: question `{}`: note", question.id), note))
            });
            texts.extend(notes);
        }
        texts
    }

    /// Reads the media files of all Markdown texts, and adds them to the files of the lock.
    ///
    /// # Errors
    /// If a text has a link or an image that is not allowed, a media file cannot be used, or a note of the study file
    /// belongs to an unknown item.
    pub(super) fn read_media(&mut self) -> Result {
        let items = self.items.iter().chain(self.saved_items.iter().flatten());
        let ids: Vec<&String> = items.map(|item| &item.id).collect();
        if let Some(id) = self.plan.items.notes.keys().find(|id| !ids.contains(id)) {
            return Err(StudyError::invalid_file(
                &self.folder.study_file(),
                format!("items: notes: there is no item `{id}`; `study check` lists the items"),
            ));
        }
        let mut media = std::mem::take(&mut self.plan.media);
        let root: &Path = self.folder.root();
        for (place, text) in self.markdown_texts() {
            let names = media_names_in_text(text)
                .map_err(|why| StudyError::Plan(format!("{place}: {why}")))?;
            for name in names {
                media.read_media_file(root, &name, &place)?;
            }
        }
        self.files.extend(media.media_file_digests());
        self.plan.media = media;
        Ok(())
    }
}
