//! Hostile texts: markup, formulas, control characters.

use proptest::prelude::*;

use super::*;

/// Texts that an attacker could write.
const HOSTILE: [&str; 12] = [
    "</script><script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "' onmouseover='alert(1)",
    "<!-- ]]> --> <![CDATA[ &amp; &lt;",
    "=HYPERLINK(\"http://x\")",
    "+1+1, \"quoted\"",
    "-2 | pipe `code` [link](http://x) *bold*",
    "@SUM(A1) \\\" \\n \\",
    "日本語 👩‍🔬 e\u{301} عربي",
    "1. # heading",
    "\u{FFFE}\u{FFFF}",
    "a",
];

/// Generates these texts and arbitrary ones.
fn hostile() -> impl Strategy<Value = String> {
    let known = prop::sample::select(&HOSTILE[..]);
    let any = any::<String>();
    prop_oneof![2 => known.prop_map(str::to_owned), 1 => any, 1 => "[ -~]{1,40}"]
        .prop_map(|text| replace_unsafe_characters(&text).into_owned())
        .prop_filter("a text", |text| !text.trim().is_empty())
}

fn scenario(texts: &[String]) -> String {
    let quoted = |place: usize| format!("{:?}", texts[place]);
    format!(
        "Scenario(format: 1, title: {}, about: {}, problem: Argument(root: \"r\", claims: {{\
         \"r\": Claim(text: {}, supports: [Support(label: {}, gate: All, on: [\"a\", \"b\"])]), \
         \"a\": Claim(text: {}, truth: true, estimate: 0.5, evidence: {}), \
         \"b\": Claim(text: {}, truth: true, estimate: 0.5)}}))",
        quoted(0),
        quoted(1),
        quoted(2),
        quoted(3),
        quoted(4),
        quoted(5),
        quoted(6)
    )
}

/// Checks that no text of a scenario, no note and no name is markup, a formula or a control sequence in any format.
fn check_texts(texts: &[String], note: &str, name: &str) -> Result<(), TestCaseError> {
    let scenario = scenario(texts);
    let save = save(&scenario, [name, "human", "oracle"], note);

    let page = text(&save, "html");
    prop_assert!(is_plain(&page));
    let (skeleton, data) = apart(&page);
    let page = parsed(&skeleton);
    prop_assert_eq!(
        inside(&page, "h1"),
        texts[0].replace(['\u{FFFE}', '\u{FFFF}'], "\u{FFFD}")
    );
    prop_assert!(data["states"].as_array().unwrap().len() > 10);
    let scripts = skeleton.matches("<script").count() + skeleton.matches("<img").count();
    prop_assert_eq!(scripts, 0);

    let picture = text(&save, "svg");
    prop_assert!(is_plain(&picture));
    let picture = parsed(&picture);
    let drawn = picture.descendants().filter(roxmltree::Node::is_element);
    for element in drawn {
        let name = element.tag_name().name();
        prop_assert!(
            ["svg", "title", "rect", "path", "text"].contains(&name),
            "{}",
            name
        );
    }

    let md = text(&save, "md");
    prop_assert!(is_plain(&md) && !md.contains(['<', '>']));

    let json: Value = serde_json::from_str(&text(&save, "json")).unwrap();
    prop_assert!(is_plain(&text(&save, "json")));
    prop_assert_eq!(json["title"].as_str(), Some(&*texts[0]));
    let told = json["events"].as_array().unwrap();
    if !note.is_empty() {
        prop_assert_eq!(told[0]["note"].as_str(), Some(note));
    }

    let log = text(&save, "inspect");
    prop_assert!(is_plain(&log));
    let log: Value = serde_json::from_str(&log).unwrap();
    prop_assert_eq!(
        log["samples"][0]["messages"].as_array().unwrap().len(),
        told.len() + 2
    );

    let table = text(&save, "csv");
    prop_assert!(is_plain(&table.replace("\r\n", "\n")));
    let mut reader = ::csv::Reader::from_reader(table.as_bytes());
    let mut rows = 0;
    for row in reader.records() {
        let row = row.unwrap();
        rows += 1;
        for column in [4, 5, 6, 8, 12, 13] {
            prop_assert!(!row[column].starts_with(['=', '+', '-', '@']), "{:?}", row);
        }
    }
    prop_assert_eq!(rows, told.len());

    let graph = of_scenario(&scenario, "dot", &ExportOptions::default())
        .unwrap()
        .text;
    prop_assert!(is_plain(&graph));
    prop_assert!(quotes_close(&graph), "{}", graph);
    let data = of_scenario(&scenario, "json", &ExportOptions::default())
        .unwrap()
        .text;
    prop_assert!(is_plain(&data));
    let data: Value = serde_json::from_str(&data).unwrap();
    prop_assert_eq!(data["claims"][0]["text"].as_str(), Some(&*texts[2]));
    Ok(())
}

#[test]
fn hostile_texts_are_escaped_in_every_format() {
    for text in HOSTILE {
        let texts = vec![replace_unsafe_characters(text).into_owned(); 7];
        check_texts(&texts, text, text).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(250))]

    #[test]
    #[ignore = "exhaustive: 6 s; every day: hostile_texts_are_escaped_in_every_format"]
    fn random_texts_are_escaped_in_every_format(
        texts in proptest::collection::vec(hostile(), 7), note in any::<String>(), name in ".{1,30}",
    ) {
        check_texts(&texts, &note, &name)?;
    }
}

/// True if every quotation mark of a graph is closed on the line on which it is opened.
fn quotes_close(graph: &str) -> bool {
    graph.lines().all(|line| {
        let mut open = false;
        let mut signs = line.chars();
        while let Some(sign) = signs.next() {
            match sign {
                '\\' if open => drop(signs.next()),
                '"' => open = !open,
                _ => {}
            }
        }
        !open
    })
}
