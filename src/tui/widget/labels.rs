//! Shortens labels that are shown together, so that the labels of different claims never look alike.
//!
//! A label that fits is shown in full. Other labels are cut at their ends, unless only the end distinguishes them from
//! the labels of their family. Two labels can still look alike, if their texts are equal or the room is too small for
//! their differences. Then each ends in the number of its claim: `… #12`.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use super::measure;
use super::measure::with_agreed_widths;
use crate::tui::theme::ascii_replacement;
use debate_core::text::replace_unsafe_characters;

/// Minimum width of every label, in columns: enough for the number of any claim.
pub const MIN_LABEL_COLUMNS: usize = 10;

/// A label is cut between words if that costs at most this many graphemes.
const WORD: usize = 16;

/// A label to shorten, and the columns available for it.
#[derive(Clone, Debug)]
pub struct LabelToShorten<'a> {
    pub text: &'a str,
    /// The number of the claim that the label is for. No label of another claim may look like it.
    pub id: Option<u32>,
    /// A group of labels, for example those of one claim's subclaims. Text that all labels of the group share is cut
    /// first.
    pub family: u16,
    /// The available columns.
    pub columns: usize,
}

/// Shortens labels to their columns: labels of claims by [`shorten_labels`], other labels by cutting off their ends.
pub fn fit_labels(labels: &[LabelToShorten<'_>], ellipsis: &str) -> Vec<String> {
    let claims = labels.iter().filter(|label| label.id.is_some());
    let claims: Vec<LabelToShorten<'_>> = claims.cloned().collect();
    let mut claims = shorten_labels(&claims, ellipsis).into_iter();
    let text = |label: &LabelToShorten<'_>| {
        let claim = label.id.and_then(|_| claims.next());
        let cut = || {
            measure::clip(
                &replace_unsafe_characters(label.text),
                label.columns,
                ellipsis,
            )
            .into_owned()
        };
        claim.unwrap_or_else(cut)
    };
    labels.iter().map(text).collect()
}

/// Shortens labels to their columns. Labels of different claims never look alike if each has at least
/// [`MIN_LABEL_COLUMNS`] columns.
pub fn shorten_labels(labels: &[LabelToShorten<'_>], ellipsis: &str) -> Vec<String> {
    let texts: Vec<Cow<'_, str>> = labels
        .iter()
        .map(|label| with_agreed_widths(label.text))
        .collect();
    let fits = |at: usize| measure::width(&texts[at]) <= labels[at].columns;
    let whole = (0..labels.len()).all(fits);
    let mut shown: Vec<String> = texts.iter().map(|text| text.clone().into_owned()).collect();
    let mut clashing = clashes(labels, &shown);
    if whole && clashing.is_empty() {
        return shown;
    }

    let pieces: Vec<Graphemes<'_>> = texts.iter().map(|text| Graphemes::of(text)).collect();
    let mut families = HashMap::new();
    for (at, text) in shown.iter_mut().enumerate() {
        if !fits(at) {
            let shared = families
                .entry(labels[at].family)
                .or_insert_with(|| shared_in_family(labels, &pieces, at));
            let core = pieces[at].core(*shared);
            *text = pieces[at].cut(labels[at].columns, core, ellipsis);
        }
    }
    // A label that looks like another one is cut around their difference. If that does not help, it gets the number of
    // its claim. So each label changes at most twice.
    let mut stages = vec![Stage::Shared; labels.len()];
    clashing = clashes(labels, &shown);
    while !clashing.is_empty() {
        let mut changed = false;
        for group in clashing {
            for at in &group {
                let label = &labels[*at];
                let text = &pieces[*at];
                let others = group.iter().map(|other| &pieces[*other]);
                let apart = text.first_difference(others);
                (stages[*at], shown[*at]) = match (stages[*at], apart) {
                    (Stage::Named, _) => continue,
                    (Stage::Shared, Some(core)) => {
                        let cut = text.cut(label.columns, core, ellipsis);
                        (Stage::Apart, cut)
                    }
                    _ => (Stage::Named, text.named(label, ellipsis)),
                };
                changed = true;
            }
        }
        if !changed {
            break;
        }
        clashing = clashes(labels, &shown);
    }
    shown
}

/// Words that reverse the meaning of a claim.
const NEGATIONS: [&str; 10] = [
    "no", "none", "not", "never", "nobody", "nothing", "cannot", "without", "neither", "nor",
];

/// Shortens labels that are shown below each other. If one of them does not fit into its columns, leaves out the same
/// first words of all labels. These are as few as possible, and only words with which all labels begin. A negation is
/// kept, because a label without it would say the opposite. If not all labels fit even so, or if there is only one
/// label, [`shorten_labels`] shortens the full labels instead.
pub fn shorten_at_common_start(labels: &[LabelToShorten<'_>], ellipsis: &str) -> Vec<String> {
    let texts: Vec<Cow<'_, str>> = labels
        .iter()
        .map(|label| with_agreed_widths(label.text))
        .collect();
    let fits = |text: &str, at: usize| measure::width(text) <= labels[at].columns;
    let all_fit = |texts: &[Cow<'_, str>]| (0..texts.len()).all(|at| fits(&texts[at], at));
    let mut rests: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
    let mut shown = texts.clone();
    let mut negation = String::new();
    while !all_fit(&shown) {
        let Some((word, _)) = rests.first().and_then(|rest| rest.split_once(' ')) else {
            break;
        };
        let after = |rest: &str| match rest.split_once(' ') {
            Some((first, after)) if first == word => Some(after.len()),
            _ => None,
        };
        if NEGATIONS.contains(&word.to_lowercase().as_str()) {
            negation += word;
            negation.push(' ');
        }
        let lengths: Option<Vec<usize>> = rests.iter().map(|rest| after(rest)).collect();
        let Some(lengths) = lengths else {
            break;
        };
        for (rest, length) in rests.iter_mut().zip(lengths) {
            *rest = rest.split_at(rest.len() - length).1;
        }
        let cut = rests
            .iter()
            .map(|rest| Cow::Owned(format!("{negation}{ellipsis}{rest}")));
        shown = cut.collect();
    }
    if labels.len() > 1 && all_fit(&shown) {
        return shown.into_iter().map(Cow::into_owned).collect();
    }
    shorten_labels(labels, ellipsis)
}

/// The way in which a shortened label is distinguished from similar labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The label is cut where its text agrees with the other labels of its family, for example with those of the other
    /// subclaims of the same claim.
    Shared,
    /// The label shows its first difference from the label that looked like it.
    Apart,
    /// The label contains the number of its claim.
    Named,
}

/// Returns groups of shortened labels that look alike but belong to different claims.
fn clashes(labels: &[LabelToShorten<'_>], shown: &[String]) -> Vec<Vec<usize>> {
    let mut indices: HashMap<String, usize> = HashMap::with_capacity(labels.len());
    let mut groups: Vec<Vec<usize>> = Vec::with_capacity(labels.len());
    for (at, text) in shown.iter().enumerate() {
        let index = *indices.entry(normalised(text)).or_insert(groups.len());
        match groups.get_mut(index) {
            Some(group) => group.push(at),
            None => groups.push(vec![at]),
        }
    }
    let mixed = |group: &Vec<usize>| group.iter().any(|at| labels[*at].id != labels[group[0]].id);
    groups.retain(mixed);
    groups
}

/// Returns a form of a text that is equal for texts that look alike. White space at both ends is
/// removed. If a character is not ASCII, characters with an ASCII form get this form, and all other
/// white space becomes spaces.
fn normalised(text: &str) -> String {
    let settled = with_agreed_widths(text);
    let text = settled.trim();
    if text.is_ascii() {
        return text.to_owned();
    }
    let mut read = String::with_capacity(text.len());
    for c in text.chars() {
        let mut buffer = [0; 4];
        match ascii_replacement(c.encode_utf8(&mut buffer)) {
            Some(plain) => read.push_str(plain),
            None if c.is_whitespace() => read.push(' '),
            None => read.push(c),
        }
    }
    read
}

/// Returns the number of graphemes at the start and at the end that all different texts in a label's family share. If
/// the family has no different text, returns the start of the label's final number and 0.
fn shared_in_family(
    labels: &[LabelToShorten<'_>],
    pieces: &[Graphemes<'_>],
    at: usize,
) -> (usize, usize) {
    let own = &pieces[at];
    let members = labels
        .iter()
        .zip(pieces)
        .filter(|(label, _)| label.family == labels[at].family);
    let others = members
        .map(|(_, other)| other)
        .filter(|other| other.pieces != own.pieces);
    others
        .map(|other| own.shared(other))
        .reduce(|all, each| (all.0.min(each.0), all.1.min(each.1)))
        .unwrap_or_else(|| (own.start_of_final_number(), 0))
}

/// A text split into graphemes, each with its width in columns.
#[derive(Debug)]
struct Graphemes<'a> {
    pieces: Vec<&'a str>,
    columns: Vec<usize>,
}

impl<'a> Graphemes<'a> {
    fn of(text: &'a str) -> Self {
        let pieces = measure::graphemes(text);
        let columns = pieces.iter().map(|grapheme| measure::width(grapheme));
        Self {
            columns: columns.collect(),
            pieces,
        }
    }

    fn len(&self) -> usize {
        self.pieces.len()
    }

    fn width(&self, range: Range<usize>) -> usize {
        self.columns.get(range).unwrap_or_default().iter().sum()
    }

    fn text(&self, range: Range<usize>) -> String {
        self.pieces.get(range).unwrap_or_default().concat()
    }

    /// Returns the number of graphemes that two texts share at their starts and at their ends.
    fn shared(&self, other: &Self) -> (usize, usize) {
        let pairs = self.pieces.iter().zip(&other.pieces);
        let start = pairs.take_while(|(a, b)| a == b).count();
        let least = self.len().min(other.len()) - start;
        let pairs = self.pieces.iter().rev().zip(other.pieces.iter().rev());
        let end = pairs.take(least).take_while(|(a, b)| a == b).count();
        (start, end)
    }

    /// Returns the index of the first grapheme of the last word if this word contains a digit, or else 0. A claim that
    /// is shown without its siblings mostly differs from them in this number.
    fn start_of_final_number(&self) -> usize {
        let last = (0..self.len()).rev().take_while(|at| !self.is_space(*at));
        let start = self.len() - last.count();
        let has_digit = self.text(start..self.len()).chars().any(char::is_numeric);
        start * usize::from(has_digit)
    }

    /// Returns the part in which a text differs from similar texts, as a range of graphemes that is extended to whole
    /// words. The texts have the first `start` and the last `end` graphemes in common.
    fn core(&self, (start, end): (usize, usize)) -> Range<usize> {
        let word = |at: &usize| !self.is_space(*at);
        let before = (0..start).rev().take(WORD).take_while(word).count();
        let (start, end) = (start - before, self.len() - end);
        let after = (end..self.len()).take(WORD).take_while(word).count();
        start..end + after
    }

    /// Returns the first word that differs from the most similar text, which is the one of `others` with the longest
    /// common start. `None` if all others are equal.
    fn first_difference<'g>(&self, others: impl Iterator<Item = &'g Self>) -> Option<Range<usize>>
    where
        'a: 'g,
    {
        let others = others.filter(|other| other.pieces != self.pieces);
        let shared = others.map(|other| self.shared(other).0).max()?;
        let end = self.len() - (shared + 1).min(self.len());
        Some(self.core((shared, end)))
    }

    /// Returns the text cut to `columns`, with as much of the range `core` in view as fits.
    fn cut(&self, columns: usize, core: Range<usize>, ellipsis: &str) -> String {
        let all = 0..self.len();
        if self.width(all.clone()) <= columns {
            return self.text(all);
        }
        let mark = measure::width(ellipsis);
        let Some(room) = columns.checked_sub(mark) else {
            return String::new();
        };
        let head = 0..core.start;
        let tail = core.end..self.len();
        let wanted = self.width(core.clone());
        let first_word = core.clone().take_while(|at| !self.is_space(*at)).count();
        let least = core.start + first_word;
        if core.is_empty() || self.width(0..least) <= room {
            // The words at the end are the first to go: the beginning of a text says more.
            let end = self.fitting_words(all, least, room);
            format!("{}{ellipsis}", self.text(0..end).trim_end())
        } else if wanted + self.width(tail.clone()) <= room {
            let left = room - wanted - self.width(tail);
            let end = self.fitting_words(head, 0, left);
            let front = self.text(0..end);
            let back = self.text(core.start..self.len());
            format!("{}{ellipsis}{}", front.trim_end(), back.trim_start())
        } else if let Some(left) = room.checked_sub(mark + wanted) {
            // Half of the remaining columns shows the beginning, the other half the end.
            let end = self.fitting_words(head, 0, left / 2);
            let left = left - self.width(0..end);
            let last = self.fitting_words(tail, core.end, left);
            let front = self.text(0..end);
            let back = self.text(core.start..last);
            let (front, back) = (front.trim_end(), back.trim());
            format!("{front}{ellipsis}{back}{ellipsis}")
        } else if core.start == 0 {
            let end = self.fitting(all, room);
            format!("{}{ellipsis}", self.text(0..end).trim_end())
        } else {
            let rest = self.cut_middle(core.start..self.len(), room.saturating_sub(mark), ellipsis);
            format!("{ellipsis}{rest}")
        }
    }

    /// Returns the end of the longest run of graphemes, from the start of a range, that fits into `room` columns.
    fn fitting(&self, range: Range<usize>, room: usize) -> usize {
        let mut end = range.start;
        let mut taken = 0;
        for at in range {
            taken += self.columns[at];
            if taken > room {
                break;
            }
            end = at + 1;
        }
        end
    }

    /// Returns the end of the longest run of whole words, from the start of a range, that fits into `room` columns. The
    /// run is not shortened to less than `least`. A cut word stays if more than a third of the run, or more than
    /// [`WORD`] graphemes, would be lost with it.
    fn fitting_words(&self, range: Range<usize>, least: usize, room: usize) -> usize {
        let end = self.fitting(range.clone(), room);
        if end == range.end || self.is_space(end) {
            return end;
        }
        let inside = (range.start..end)
            .rev()
            .take_while(|at| !self.is_space(*at));
        let inside = inside.count();
        let words = end - inside;
        let keeps_enough = inside <= WORD && 3 * inside <= end - range.start;
        if words >= least && keeps_enough {
            words
        } else {
            end
        }
    }

    /// Returns the start and the end of a range of the text, cut to `room` columns in addition to the mark between
    /// them. The text after the mark begins with a word
    /// if a word begins there, because half a number would look like another number.
    fn cut_middle(&self, range: Range<usize>, room: usize, ellipsis: &str) -> String {
        let mut left = room * 2 / 5;
        let fitting = range.clone().rev().take_while(|at| {
            let fits = self.columns[*at] <= left;
            left = left.saturating_sub(self.columns[*at]);
            fits
        });
        let back = range.end - fitting.count();
        let inside = (back..range.end).take_while(|at| *at > 0 && !self.is_space(at - 1));
        let word = back + inside.count();
        let back = if word < range.end { word } else { back };
        let room = room.saturating_sub(self.width(back..range.end));
        let end = self.fitting_words(range.start..back, range.start, room);
        let (front, back) = (self.text(range.start..end), self.text(back..range.end));
        format!("{}{ellipsis}{}", front.trim_end(), back.trim_start())
    }

    fn is_space(&self, at: usize) -> bool {
        self.pieces[at].chars().all(char::is_whitespace)
    }

    /// Returns the shortened text, followed by the number of its claim, such as `#12`. Returns only the number if there
    /// is too little room.
    fn named(&self, label: &LabelToShorten<'_>, ellipsis: &str) -> String {
        let id = format!("#{}", label.id.unwrap_or_default());
        match label.columns.checked_sub(id.len() + 1) {
            Some(room) if room > measure::width(ellipsis) => {
                let text = self.cut(room, 0..0, ellipsis);
                format!("{} {id}", text.trim_end())
            }
            _ => measure::clip(&id, label.columns, ellipsis).into_owned(),
        }
    }
}

#[cfg(test)]
mod tests;
