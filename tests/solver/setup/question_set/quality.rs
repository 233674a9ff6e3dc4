use debate_solver::setup::{DebatedWrongAnswers, QuestionSet, ScenarioLimits};
use serde_json::{Value, json};

use super::{article, set_of};

/// The source text of questions about an article.
fn source_of(article_text: &str) -> String {
    let mut line = article(&[]);
    line["article"] = json!(article_text);
    read(&line)
}

fn read(line: &Value) -> String {
    let (_folder, path) = set_of(&[line.to_string()]);
    let set = QuestionSet::read_question_file(
        &path,
        DebatedWrongAnswers::Best,
        &ScenarioLimits::default(),
    )
    .unwrap();
    let [row] = set.rows.as_slice() else {
        panic!("{:?}", set.refused);
    };
    row.source.to_string()
}

#[test]
fn html_is_text_and_plain_text_stays() {
    for (html, text) in [
        (
            "<html><head><title>x</title></head><body><p>One &amp; two&#8217;s\n  end</p><p>Next<br/>line</p></body></html>",
            "One & two’s end\n\nNext\nline",
        ),
        (
            "a < b, and <i>c</i> > d<br>e &notathing; &#x2014;<!-- <p>no</p> --> f",
            "a < b, and c > d\ne &notathing; — f",
        ),
        ("<p>open <script>alert(1)</script>end<p", "open end<p"),
        ("<style>p{}", "<style>p{}"),
        ("<p></p><style>never closed", ""),
        (
            "  plain <text> & no more\n\tkept ",
            "plain <text> & no more\n kept",
        ),
    ] {
        assert_eq!(source_of(html), text, "{html}");
    }
    // The time is linear in the length for every unclosed element; quadratic time would take minutes.
    for open in ["<p>", "<a", "<!--", "<style", "<script>", "&", "<"] {
        let hostile = format!("<p>{}", open.repeat(100_000));
        assert!(source_of(&hostile).len() <= hostile.len(), "{open}");
    }
}
