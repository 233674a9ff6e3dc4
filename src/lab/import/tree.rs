//! Importer for the debate trees of the DC-Debates data (scalable-oversight/dc-debates, 2026).
//!
//! The root is a question with an answer of the honest and one of the dishonest debater. Each statement below is by one
//! debater, and replies to the statement above it. Each statement has both debaters' responses to it, such as `Yes` or
//! `No (main objection)`. A tree becomes a debate in free speeches: a level of the tree is a round, in which both
//! debaters respond to the other's statements and make their own.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{
    FORMAT, ImportError, ImportedSave, ImportedSpeech, ImportedSpeechDebate, ImportedSpeechRound,
    RoundJudgement, WrittenProbability,
};
use debate_core::digest::Digest;
use debate_core::text::strip_byte_order_mark;
use debate_host::message::SerializedSpeechPart;

/// The maximum depth of an imported debate tree. The published trees have at most 8 levels.
const MAX_DEPTH: usize = 64;

/// The markup tags of the published texts. The import removes them, because a terminal cannot show them.
const MARKUP: [&str; 14] = [
    "a", "b", "br", "def", "defs", "em", "figref", "i", "img", "li", "ref", "sources", "ul", "u",
];

/// A file of the data.
#[derive(Deserialize)]
struct DebateTree {
    root: Node,
    /// Definitions and sources that both debaters share.
    #[serde(default)]
    defs_and_sources: String,
}

/// A node of a debate tree: a question, an answer or a statement.
#[derive(Deserialize)]
struct Node {
    id: u64,
    text: String,
    debater: Debater,
    #[serde(default, rename = "parentId")]
    parent_id: Option<u64>,
    /// The honest debater's response to this statement; empty if there is none.
    #[serde(default)]
    honest_response: Option<String>,
    #[serde(default)]
    dishonest_response: Option<String>,
    #[serde(default)]
    children: Vec<Self>,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum Debater {
    Questioner,
    Honest,
    Dishonest,
}

impl Debater {
    const BOTH: [Self; 2] = [Self::Honest, Self::Dishonest];
}

impl Node {
    /// Returns a debater's response to this statement; `None` if there is none.
    fn response(&self, debater: Debater) -> Option<&str> {
        let response = match debater {
            Debater::Questioner => None,
            Debater::Honest => self.honest_response.as_deref(),
            Debater::Dishonest => self.dishonest_response.as_deref(),
        };
        response.map(str::trim).filter(|text| !text.is_empty())
    }
}

/// A note in the save about the data: no judge took part. The save therefore ends with a probability of 50 %.
const NO_JUDGE: &str = "the data has no judge; the save ends with 50 %, which reports leave out";

/// Returns a save of the debate that a tree file describes. `name` is the name of the file.
///
/// # Errors
/// The place and the reason, if the text is not a tree of this data.
pub fn import_tree_as_save(
    name: &str,
    text: &str,
) -> Result<(ImportedSave, ImportedSpeechDebate), ImportError> {
    let transcript = read_tree(name, text)?;
    let mut save = transcript.to_imported_save()?;
    save.notes.push(NO_JUDGE.to_owned());
    Ok((save, transcript))
}

/// Returns the transcript of the debate that a tree file describes. `name` is the name of the file.
///
/// # Errors
/// The place and the reason, if the text is not a tree of this data.
fn read_tree(name: &str, text: &str) -> Result<ImportedSpeechDebate, ImportError> {
    let tree: DebateTree = serde_json::from_str(strip_byte_order_mark(text))?;
    let levels = levels(&tree.root)?;
    let answer = |debater: Debater| {
        let answers = tree.root.children.iter();
        let mut answers = answers.filter(|node| node.debater == debater);
        match (answers.next(), answers.next()) {
            (Some(answer), None) => Ok(plain(&answer.text)),
            _ => Err(ImportError::error_at_place(
                "root.children",
                "expected one answer of the `honest` and one of the `dishonest` debater",
            )),
        }
    };
    let [honest, dishonest] = [answer(Debater::Honest)?, answer(Debater::Dishonest)?];
    let question = plain(&tree.root.text);
    // The data names the honest debater first. The order must not tell a judge who that is.
    let is_honest_first = Digest::digest_of_bytes(question.as_bytes())
        .to_string()
        .ends_with(|digit: char| digit.to_digit(16).is_some_and(|digit| digit % 2 == 0));
    let mut order = Debater::BOTH;
    let mut answers = [honest, dishonest];
    if !is_honest_first {
        order.reverse();
        answers.reverse();
    }
    let mut rounds = Vec::new();
    // After the last level, both respond to the last statements.
    for level in 2..=levels.len() {
        let before = levels.get(level - 1).map_or(&[][..], Vec::as_slice);
        let own = levels.get(level).map_or(&[][..], Vec::as_slice);
        let speeches = order.map(|debater| speech(debater, before, own));
        if speeches.iter().all(Option::is_none) {
            continue;
        }
        let written = |speech: Option<String>| {
            let text = speech.unwrap_or_else(|| "(No statement.)".to_owned());
            Some(ImportedSpeech::Parts(vec![SerializedSpeechPart::Text(
                text,
            )]))
        };
        rounds.push(ImportedSpeechRound {
            simultaneous: true,
            speeches: speeches.map(written),
            judgement: None,
        });
    }
    let Some(last) = rounds.last_mut() else {
        let what = "the tree has no statement below its two answers";
        return Err(ImportError::error_at_place("root.children", what));
    };
    last.judgement = Some(RoundJudgement {
        p_first: WrittenProbability::Text("1/2".to_owned()),
        says: None,
        ends: None,
    });
    Ok(ImportedSpeechDebate {
        format: FORMAT,
        name: name.to_owned(),
        question,
        answers,
        correct: Some(u32::from(!is_honest_first)),
        source: plain(&tree.defs_and_sources),
        story: Some(name.to_owned()),
        condition: Some("debate tree".to_owned()),
        debaters: ["first", "second"].map(|name| Some(name.to_owned())),
        judge: None,
        started: None,
        opening: None,
        rounds,
        judgements: Vec::new(),
        remarks: String::new(),
        tags: BTreeMap::from([
            ("included".to_owned(), false.to_string()),
            ("oddities".to_owned(), NO_JUDGE.to_owned()),
        ]),
    })
}

/// Returns the nodes of the tree level by level, each level in the order of the file.
fn levels(root: &Node) -> Result<Vec<Vec<&Node>>, ImportError> {
    if root.debater != Debater::Questioner {
        return Err(ImportError::error_at_place(
            "root.debater",
            "expected `questioner`",
        ));
    }
    let mut levels = vec![vec![root]];
    while let Some(last) = levels.last() {
        let mut next = Vec::new();
        for node in last {
            for child in &node.children {
                if child.debater == Debater::Questioner {
                    let place = format!("node {}: debater", child.id);
                    return Err(ImportError::error_at_place(
                        place,
                        "expected `honest` or `dishonest`",
                    ));
                }
                if child.parent_id.is_some_and(|parent| parent != node.id) {
                    let place = format!("node {}: parentId", child.id);
                    let what = format!(
                        "expected {parent_id}, the id of this node's parent",
                        parent_id = node.id
                    );
                    return Err(ImportError::error_at_place(place, what));
                }
                next.push(child);
            }
        }
        if next.is_empty() {
            break;
        }
        if levels.len() == MAX_DEPTH {
            let what = format!("the tree has more than {MAX_DEPTH} levels");
            return Err(ImportError::error_at_place("root", what));
        }
        levels.push(next);
    }
    Ok(levels)
}

/// Returns a debater's speech in a round: responses to the opponent's earlier statements, and own statements; `None` if
/// there are none.
fn speech(debater: Debater, before: &[&Node], own: &[&Node]) -> Option<String> {
    let mut lines = Vec::new();
    for node in before.iter().filter(|node| node.debater != debater) {
        if let Some(response) = node.response(debater) {
            lines.push(format!("On [{}]: {}", node.id, plain(response)));
        }
    }
    for node in own.iter().filter(|node| node.debater == debater) {
        let text = plain(&node.text);
        lines.push(match node.parent_id {
            Some(parent) => format!("[{}] to [{parent}]: {text}", node.id),
            None => format!("[{}] {text}", node.id),
        });
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// Returns a text without the markup tags. A picture is replaced by its name.
fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, inside)) = rest.split_once('<') {
        out.push_str(before);
        let tag = inside.split_once('>').filter(|(tag, _)| !tag.contains('<'));
        let name = |tag: &str| {
            let letters = tag.trim_start_matches('/').chars();
            letters
                .take_while(char::is_ascii_alphanumeric)
                .collect::<String>()
        };
        rest = match tag {
            // Code such as `a<b && c>d` is no tag: a tag with a space has attributes or ends in `/`.
            Some((tag, after))
                if MARKUP.contains(&&*name(tag))
                    && (!tag.contains(' ') || tag.contains('=') || tag.ends_with('/')) =>
            {
                if name(tag) == "br" {
                    out.push('\n');
                } else if name(tag) == "img" {
                    let source = tag.split_once("src=").map_or("", |(_, source)| source);
                    let source = source.trim_matches(['\'', '"', '/', ' ']);
                    out.extend(["[picture: ", source, "]"]);
                }
                after
            }
            _ => {
                out.push('<');
                inside
            }
        };
    }
    out.push_str(rest);
    out.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(children: &str) -> String {
        format!(
            r#"{{"nextId": 9, "defs_and_sources": "<defs><def id=\"x\">X - a thing</def></defs>",
            "root": {{"id": 0, "text": "Who is <a xdef=\"x\">right</a>?<br><img src='a.png'/>",
                "debater": "questioner", "level": 0, "parentId": null,
                "honest_response": "", "dishonest_response": "", "children": [{children}]}}}}"#
        )
    }

    fn node(id: u64, parent: u64, debater: &str, responses: [&str; 2], children: &str) -> String {
        let [honest, dishonest] = responses;
        format!(
            r#"{{"id": {id}, "text": "S{id}", "debater": "{debater}", "parentId": {parent},
            "honest_response": "{honest}", "dishonest_response": "{dishonest}", "children": [{children}]}}"#
        )
    }

    #[test]
    fn levels_become_rounds_with_responses() {
        let reply = node(3, 1, "dishonest", ["No", "Yes"], "");
        let honest = node(1, 0, "honest", ["Yes", "No (main objection)"], &reply);
        let dishonest = node(2, 0, "dishonest", ["No", "Yes"], "");
        let read = read_tree("t", &tree(&format!("{honest}, {dishonest}"))).unwrap();
        let first = read.correct.unwrap() as usize;
        assert_eq!(read.question, "Who is right?\n[picture: a.png]");
        assert_eq!(
            [&*read.answers[first], &read.answers[1 - first]],
            ["S1", "S2"]
        );
        assert_eq!(read.source, "X - a thing");
        assert_eq!(read.rounds.len(), 2);
        let said = |round: usize, debater: usize| {
            let speech = read.rounds[round].speeches[debater].as_ref().unwrap();
            speech.imported_speech_part_texts().concat()
        };
        assert_eq!(said(0, first), "On [2]: No");
        assert_eq!(
            said(0, 1 - first),
            "On [1]: No (main objection)\n[3] to [1]: S3"
        );
        assert_eq!(said(1, first), "On [3]: No");
        assert!(read.to_imported_save().unwrap().finished);
    }

    #[test]
    fn mistakes_name_the_node() {
        let honest = node(1, 0, "honest", ["Yes", "No"], "");
        for (children, why) in [
            (honest.clone(), "root.children"),
            (node(1, 7, "honest", ["", ""], ""), "node 1: parentId"),
            (node(1, 0, "questioner", ["", ""], ""), "node 1: debater"),
            (node(1, 0, "judge", ["", ""], ""), "judge"),
            (
                format!("{honest}, {}", node(2, 0, "dishonest", ["", ""], "")),
                "On",
            ),
        ] {
            let read = read_tree("t", &tree(&children));
            match read {
                Err(error) => assert!(error.to_string().contains(why), "{error}"),
                // One response is enough for a round.
                Ok(read) => assert_eq!(read.rounds.len(), 1),
            }
        }
        assert_eq!(
            plain("Vec<String> a<b && c>d <i>x</i>"),
            "Vec<String> a<b && c>d x"
        );
    }
}
