//! Comparison of a translated item with its original: the two files may differ only in texts for participants.
//!
//! The comparison reads tokens, so it works for RON and JSON. It ignores comments, spaces and final commas.

/// Fields of a scenario file whose strings are texts for participants.
const TEXTS: [&str; 10] = [
    "title", "about", "debrief", "text", "short", "label", "evidence", "ask", "question", "source",
];
/// Fields of a scenario file with lists or maps of texts for participants.
const TEXT_LISTS: [&str; 2] = ["answers", "briefing"];

/// A token of a file.
#[derive(Clone, Debug, PartialEq)]
enum Token<'f> {
    /// A string token, with its quotation marks.
    Text(&'f str),
    /// A bracket, comma or colon.
    Mark(char),
    /// A name or a number.
    Word(&'f str),
}

/// A token with its position.
#[derive(Clone, Debug)]
struct Placed<'f> {
    token: Token<'f>,
    /// Number of the file's line in which the token begins, from 1.
    line: usize,
    /// True if the token is a string that participants read, which a translation may therefore change.
    is_text: bool,
}

/// Checks that a translated item differs from its original only in texts for participants.
///
/// # Errors
/// Returns a sentence about the first difference that is not in a text.
pub(crate) fn check_only_texts_differ(original: &str, translated: &str) -> Result<(), String> {
    let mut originals = tokens(original).into_iter();
    let mut translations = tokens(translated).into_iter();
    loop {
        match (originals.next(), translations.next()) {
            (None, None) => return Ok(()),
            (Some(one), Some(other)) => {
                let is_same = match (&one.token, &other.token) {
                    (Token::Text(_), Token::Text(_)) if one.is_text => true,
                    (one, other) => one == other,
                };
                if !is_same {
                    return Err(format!(
                        "the translation's line {line}: `{found}` differs from `{original}` in line {original_line} of the original; only texts may differ",
                        line = other.line,
                        found = shown(&other.token),
                        original = shown(&one.token),
                        original_line = one.line
                    ));
                }
            }
            (Some(one), None) => {
                return Err(format!(
                    "the translation ends, but the original has `{missing}` in line {line}",
                    missing = shown(&one.token),
                    line = one.line
                ));
            }
            (None, Some(other)) => {
                return Err(format!(
                    "the translation's line {line} has `{found}`, which the original does not have; only texts may differ",
                    line = other.line,
                    found = shown(&other.token)
                ));
            }
        }
    }
}

/// Returns the beginning of a token, for an error message.
fn shown(token: &Token<'_>) -> String {
    match token {
        Token::Mark(mark) => mark.to_string(),
        Token::Text(text) | Token::Word(text) => text.chars().take(40).collect(),
    }
}

fn tokens(file: &str) -> Vec<Placed<'_>> {
    let mut tokens: Vec<Placed<'_>> = Vec::new();
    let mut rest = file;
    let mut line = 1;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            _ if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            _ if rest.starts_with("/*") => block_comment_length(rest),
            _ if first.is_whitespace() => first.len_utf8(),
            _ => {
                let length = token_length(rest, first);
                let text = rest.get(..length).unwrap_or(rest);
                let token = match first {
                    '(' | ')' | '[' | ']' | '{' | '}' | ',' | ':' => Token::Mark(first),
                    _ if text.ends_with(['"', '#']) => Token::Text(text),
                    _ => Token::Word(text),
                };
                let is_final_comma = matches!(token, Token::Mark(')' | ']' | '}'))
                    && tokens
                        .last()
                        .is_some_and(|last| last.token == Token::Mark(','));
                if is_final_comma {
                    tokens.pop();
                }
                tokens.push(Placed {
                    token,
                    line,
                    is_text: false,
                });
                length
            }
        };
        let (passed, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
        line += passed.matches('\n').count();
        rest = after;
    }
    mark_texts(&mut tokens);
    tokens
}

/// Returns the length of the block comment with which a text begins. Block comments of RON can contain others.
fn block_comment_length(text: &str) -> usize {
    let mut depth = 0;
    let mut length = 0;
    while let Some(rest) = text.get(length..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with("/*") {
            depth += 1;
            length += 2;
        } else if rest.starts_with("*/") {
            depth -= 1;
            length += 2;
            if depth == 0 {
                return length;
            }
        } else {
            length += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// Returns the length of the token with which a text begins.
fn token_length(text: &str, first: char) -> usize {
    let raw = text
        .strip_prefix('r')
        .map(|raw| raw.trim_start_matches('#'));
    if let Some(opened) = raw.filter(|opened| opened.starts_with('"')) {
        let hashes = text.len() - opened.len() - 1;
        let end = format!("\"{}", "#".repeat(hashes));
        let after = opened.get(1..).unwrap_or_default();
        let inner = after.find(&end).map_or(after.len(), |at| at + end.len());
        return text.len() - after.len() + inner;
    }
    match first {
        '"' => {
            let mut is_escaped = false;
            for (at, sign) in text.char_indices().skip(1) {
                match sign {
                    _ if is_escaped => is_escaped = false,
                    '\\' => is_escaped = true,
                    '"' => return at + 1,
                    _ => {}
                }
            }
            text.len()
        }
        '(' | ')' | '[' | ']' | '{' | '}' | ',' | ':' => 1,
        _ => {
            let is_end = |sign: char| sign.is_whitespace() || "()[]{},:\"/".contains(sign);
            let after_first = first.len_utf8();
            let rest = text.get(after_first..).unwrap_or_default();
            after_first + rest.find(is_end).unwrap_or(rest.len())
        }
    }
}

/// Marks the string tokens that are texts for participants: values of the fields in [`TEXTS`] and [`TEXT_LISTS`].
fn mark_texts(tokens: &mut [Placed<'_>]) {
    let name = |token: &Token<'_>| match token {
        Token::Text(text) | Token::Word(text) => text.trim_matches('"').to_owned(),
        Token::Mark(_) => String::new(),
    };
    // For each open bracket: true if it contains a list of texts, and the name of the current field.
    let mut open: Vec<(bool, String)> = vec![(false, String::new())];
    for index in 0..tokens.len() {
        let next = tokens.get(index + 1).map(|next| &next.token);
        let is_name = next == Some(&Token::Mark(':'));
        let Some(Placed { token, is_text, .. }) = tokens.get_mut(index) else {
            return;
        };
        let Some((in_list, field)) = open.last_mut() else {
            // More brackets are closed than opened. The reader of the file reports it.
            return;
        };
        match token {
            Token::Mark('(' | '[' | '{') => {
                let is_list = *in_list || TEXT_LISTS.contains(&field.as_str());
                open.push((is_list, String::new()));
            }
            Token::Mark(')' | ']' | '}') => {
                open.pop();
            }
            Token::Mark(',') => field.clear(),
            Token::Mark(_) => {}
            token if is_name => *field = name(token),
            Token::Text(_) => *is_text = *in_list || TEXTS.contains(&field.as_str()),
            Token::Word(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORIGINAL: &str = r##"// An example.
Scenario(
    format: 1,
    title: "The cake",
    problem: Argument(root: "a", claims: {
        "a": Claim(text: "It is baked.", estimate: "1/4", truth: true),
        "b": Claim(text: r#"A "raw" text"#, evidence: "Seen.", /* why */ estimate: 0.5),
    }),
    briefing: {Judge: "You judge."},
    answers: ["yes", "no"],
    tags: {"story": "cake"},
)"##;

    #[test]
    fn translated_texts_are_no_difference() {
        let translated = ORIGINAL
            .replace("The cake", "Der Kuchen (süß: \\\"sehr\\\")")
            .replace("It is baked.", "Er ist, wie man sagt, gebacken // ganz.")
            .replace("r#\"A \"raw\" text\"#", "\"Ein Text\"")
            .replace("Seen.", "Gesehen.")
            .replace("You judge.", "Sie urteilen.")
            .replace("[\"yes\", \"no\"]", "[\n\"ja\",\n\"nein\",\n]")
            .replace("// An example.\n", "// Ein Beispiel.\n\n")
            .replace("estimate: 0.5),", "estimate: 0.5,),");
        assert_eq!(check_only_texts_differ(ORIGINAL, &translated), Ok(()));
    }

    #[test]
    fn every_other_difference_is_named_with_its_line() {
        for (old, new, part) in [
            (
                "truth: true",
                "truth: false",
                "line 6: `false` differs from `true` in line 6",
            ),
            ("\"1/4\"", "\"1/2\"", "line 6: `\"1/2\"` differs"),
            ("estimate: 0.5", "estimate: 0.6", "line 7: `0.6`"),
            (
                "\"b\": Claim",
                "\"c\": Claim",
                "line 7: `\"c\"` differs from `\"b\"`",
            ),
            (
                "{\"story\": \"cake\"}",
                "{\"story\": \"Kuchen\"}",
                "line 11: `\"Kuchen\"`",
            ),
            ("{Judge:", "{Prover:", "line 9: `Prover`"),
            (", \"no\"", "", "differs from `,`"),
            (",\n)", "", "the translation ends, but the original has `)`"),
            ("\n)", "\n) x", "has `x`, which the original does not have"),
            ("title: \"The cake\"", "title: 3", "line 4: `3` differs"),
        ] {
            let changed = ORIGINAL.replacen(old, new, 1);
            assert_ne!(changed, ORIGINAL, "{old}");
            let why = check_only_texts_differ(ORIGINAL, &changed).unwrap_err();
            assert!(why.contains(part), "{new}: {why}");
        }
        let set = "{\"id\": \"q1\", \"question\": \"Why?\", \"answers\": [\"a\", \"b\"], \"correct\": 0}\n";
        let translated = set.replace("Why?", "Warum?").replace("\"a\"", "\"ä\"");
        assert_eq!(check_only_texts_differ(set, &translated), Ok(()));
        assert!(check_only_texts_differ(set, &set.replace("q1", "q2")).is_err());
        assert!(check_only_texts_differ(set, &set.replace("\": 0", "\": 1")).is_err());
    }

    #[test]
    fn malformed_files_are_compared_without_a_panic() {
        for text in [
            "",
            ")",
            "\"",
            "r#\"",
            "/*",
            "(((",
            "\"\\",
            "r",
            "ä\"",
            "]]: \"x\"",
            "//",
            "r##\"a\"#",
        ] {
            assert_eq!(check_only_texts_differ(text, text), Ok(()));
            let _ = check_only_texts_differ(ORIGINAL, text);
            let _ = check_only_texts_differ(text, ORIGINAL);
        }
    }
}
