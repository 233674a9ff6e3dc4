//! Large arguments in the form in which a user could write them.

use std::fmt::Write as _;

/// A scenario of `claims` claims in words, each supported by the next ten on the following level; one claim per line.
pub fn argument(claims: usize) -> String {
    let mut text = String::new();
    for index in 0..claims {
        let first = 10 * index + 1;
        let children: Vec<String> = (first..(first + 10).min(claims))
            .map(|child| format!("\"c{child}\""))
            .collect();
        if children.is_empty() {
            writeln!(
                text,
                "\"c{index}\": Claim(text: \"Observation {index} was made as stated.\", truth: true, \
                 evidence: \"Page {index} of the notebook says so.\", judged_true: 0.95, estimate: 0.8),"
            )
        } else {
            writeln!(
                text,
                "\"c{index}\": Claim(text: \"Conclusion {index} follows from what was observed.\", \
                 supports: [Support(label: \"the observations\", gate: All, on: [{}])]),",
                children.join(", ")
            )
        }
        .expect("a text");
    }
    format!(
        "Scenario(format: 1, title: \"t\", problem: Argument(root: \"c0\", claims: {{{text}}}), )"
    )
}
