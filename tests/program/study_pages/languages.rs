//! A study in two languages in browsers: the choice on the first page or by the link, also after a kill of the server.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::client::Client;
use super::models;
use super::{Pilot, Server, log_of, serve};
use crate::support::program::{path, say};
use crate::support::studies::{STUDY, english_word};

/// The small study in English and German. Every German text of the study begins with `DE `.
fn bilingual(count: usize) -> Pilot {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("pilot");
    let text = STUDY
        .replace("stage:", "languages: [\"en\", \"de\"], stage:")
        .replace(
            "[\"items/*.ron\"]",
            "[\"items/*.ron\"], translated: {\"de\": \"de\"}",
        );
    crate::support::studies::study(&folder, &text);
    fs::create_dir_all(folder.join("de/items")).unwrap();
    for entry in fs::read_dir(folder.join("items")).unwrap() {
        let item = entry.unwrap().path();
        let text = fs::read_to_string(&item).unwrap();
        let copy = folder.join("de/items").join(item.file_name().unwrap());
        fs::write(copy, text.replace("text: \"", "text: \"DE ")).unwrap();
    }
    let refused = say(&folder, &["study", "check", path(&folder)], "");
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(
        refused.err.contains("the language `de` lacks"),
        "{}",
        refused.err
    );
    let printed = say(
        &folder,
        &["study", "texts", path(&folder), "--lang", "de"],
        "",
    );
    let mut texts: BTreeMap<String, String> = ron::from_str(&printed.out).unwrap();
    for text in texts.values_mut() {
        *text = format!("DE {text}");
    }
    fs::write(folder.join("de/texts.ron"), ron::to_string(&texts).unwrap()).unwrap();
    let text = text.replace("stage:", "texts: {\"de\": \"de/texts.ron\"}, stage:");
    fs::write(folder.join("study.ron"), text).unwrap();
    let links = super::invited(&folder, count);
    Pilot { dir, folder, links }
}

#[test]
fn a_link_or_the_first_page_chooses_the_language() {
    let pilot = bilingual(2);
    let mut server = serve(&pilot.folder, &[]);
    let mut client = Client::new(&server.address);
    let consent = client.come(&format!("{}&lang=de", pilot.links[0]));
    for part in [
        "<html lang=\"de\" dir=\"ltr\">",
        "<h1>Bevor Sie beginnen</h1>",
        "DE A small study",
        ">Ja, ich nehme teil<",
        ">Pause oder Ende</button>",
    ] {
        assert!(consent.body.contains(part), "{part}: {}", consent.body);
    }
    let trial = client.go_on(&consent);
    assert!(
        trial.body.contains("Wie wahrscheinlich ist es"),
        "{}",
        trial.body
    );
    // A refusal of an answer is in the same language.
    let refused = client.answer(&trial, &[("percent", "viel".to_owned())]);
    assert_eq!(refused.status, 303);
    let trial = client.get("/");
    assert!(
        trial
            .body
            .contains("Geben Sie eine ganze Prozentzahl von 1 bis 99 ein."),
        "{}",
        trial.body
    );
    // So is the refusal of an empty answer to the page about leaving.
    assert_eq!(
        client.answer(&trial, &[("leave", "1".to_owned())]).status,
        303
    );
    let leaving = client.get("/");
    assert_eq!(client.answer(&leaving, &[]).status, 303);
    let leaving = client.get("/");
    assert!(
        leaving
            .body
            .contains("Bitte beantworten Sie die Frage auf dieser Seite."),
        "{}",
        leaving.body
    );
    assert_eq!(
        client
            .answer(&leaving, &[("choice", "0".to_owned())])
            .status,
        303
    );
    let trial = client.get("/");
    // After a kill, and with a link that names another language, the session keeps its language.
    server.kill();
    let server = serve(&pilot.folder, &[]);
    client.address.clone_from(&server.address);
    let same = client.come(&format!("{}&lang=en", pilot.links[0]));
    assert_eq!(
        same.between("<h1>", "</h1>"),
        trial.between("<h1>", "</h1>")
    );
    let mut page = same;
    while !page.is_last() {
        assert!(page.body.contains("<html lang=\"de\""), "{}", page.body);
        page = client.go_on(&page);
    }
    assert!(
        page.body.contains("Sie sind mit der Studie fertig."),
        "{}",
        page.body
    );

    let mut other = Client::new(&server.address);
    let choice = other.come(&pilot.links[1]);
    for part in [
        "<h1>Language · Sprache</h1>",
        "In welcher Sprache",
        ">English<",
        ">Continue · Weiter</button>",
        ">Deutsch<",
    ] {
        assert!(choice.body.contains(part), "{part}: {}", choice.body);
    }
    let consent = other.answer(&choice, &[("choice", "0".to_owned())]);
    assert_eq!(consent.status, 303);
    let consent = other.get("/");
    assert!(
        consent.body.contains("<html lang=\"en\"") && !consent.body.contains("DE "),
        "{}",
        consent.body
    );
    let log = fs::read_to_string(log_of(&pilot.folder, "s0000")).unwrap();
    assert!(log.contains("\"language\":\"de\""), "{log}");
    let exported = say(&pilot.folder, &["study", "export", path(&pilot.folder)], "");
    assert_eq!(exported.code, Some(0), "{exported:?}");
    let table = column(&pilot.folder, "language");
    assert_eq!(table, ["de", "en"]);
}

/// A page for a visitor whose language is unknown is in each language of the study. A link or a session determines the
/// language.
#[test]
fn refusals_are_in_the_languages_of_the_study() {
    let pilot = bilingual(1);
    let server = serve(&pilot.folder, &[]);
    let mut client = Client::new(&server.address);
    let unknown = client.get("/?token=unknown");
    assert_eq!(unknown.status, 403);
    for part in [
        "<html lang=\"en\"",
        "<h1>This link does not work</h1>",
        "<span lang=\"de\">Dieser Link funktioniert nicht</span>",
        "<span lang=\"de\">Dieser Link ist unbekannt oder abgelaufen.",
    ] {
        assert!(unknown.body.contains(part), "{part}: {}", unknown.body);
    }
    let german = client.get("/?token=unknown&lang=de");
    assert!(
        german.body.contains("<html lang=\"de\"")
            && german
                .body
                .contains("<h1>Dieser Link funktioniert nicht</h1>")
            && !german.body.contains("This link"),
        "{}",
        german.body
    );
    let missing = client.get("/nothing");
    assert_eq!(missing.status, 404);
    assert!(
        missing.body.contains("Page not found") && missing.body.contains("Seite nicht gefunden"),
        "{}",
        missing.body
    );
    let page = client.come(&format!("{}&lang=de", pilot.links[0]));
    let token = page.token();
    let long = "x".repeat(70_000);
    let large = client.post(&[("token", token.as_str()), ("text", long.as_str())]);
    assert_eq!(large.status, 413);
    assert!(
        large.body.contains("<h1>Antwort nicht angenommen</h1>") && !large.body.contains("Answer"),
        "{}",
        large.body
    );
}

/// Returns a column of the exported participants.
fn column(folder: &Path, name: &str) -> Vec<String> {
    let file = folder.join("export/data/study-small_description-participants_data.csv");
    let mut reader = csv::Reader::from_path(file).unwrap();
    let headers = reader.headers().unwrap().clone();
    let index = headers.iter().position(|it| it == name).unwrap();
    reader
        .records()
        .map(|row| row.unwrap()[index].to_owned())
        .collect()
}

#[test]
fn a_preview_and_a_terminal_show_one_language() {
    let pilot = bilingual(0);
    let folder = path(&pilot.folder);
    let server = Server::start(&pilot.folder, &["study", "preview", folder, "--lang", "de"]);
    let consent = Client::new(&server.address).get("/page-1");
    assert!(
        consent.body.contains("<h1>Bevor Sie beginnen</h1>"),
        "{}",
        consent.body
    );
    let lines = say(
        &pilot.folder,
        &["study", "run", folder, "--plain", "--lang", "de"],
        "\n",
    );
    assert!(
        lines.out.contains("== Bevor Sie beginnen ==")
            && lines.out.starts_with("Geben Sie Ihre Antwort ein")
            && lines.out.contains("mit demselben Befehl"),
        "{}",
        lines.out
    );
    let asked = say(&pilot.folder, &["study", "run", folder, "--plain"], "2\n\n");
    assert!(
        asked.out.contains("2. Deutsch") && asked.out.contains("Bevor Sie beginnen"),
        "{}",
        asked.out
    );
    let links = say(
        &pilot.folder,
        &["study", "invite", folder, "-n", "1", "--lang", "de"],
        "",
    );
    assert!(links.out.trim_end().ends_with("&lang=de"), "{}", links.out);
    for command in ["run", "preview", "invite"] {
        let refused = say(
            &pilot.folder,
            &["study", command, folder, "--lang", "fr"],
            "",
        );
        assert_eq!(refused.code, Some(2), "{refused:?}");
        assert!(
            refused.err.contains("does not have the language"),
            "{}",
            refused.err
        );
    }
    let own = say(
        &pilot.folder,
        &["study", "texts", folder, "--lang", "en"],
        "",
    );
    assert!(
        own.code == Some(2) && own.err.contains("name another one"),
        "{own:?}"
    );
}

/// Debates of programs are prepared once, about the questions of the first language. A German participant reads them
/// about the German questions.
#[test]
fn a_prepared_debate_is_about_the_translated_question() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("pilot");
    if models::models(&folder, &models::NAMES, |_| 0).is_none() {
        return;
    }
    let file = folder.join("study.ron");
    let text = fs::read_to_string(&file).unwrap();
    let text = text
        .replace(
            "seed: 3,",
            "seed: 3, languages: [\"en\", \"de\"], texts: {\"de\": \"de/texts.ron\"},",
        )
        .replace(
            "questions: \"set.jsonl\"",
            "questions: \"set.jsonl\", translated: {\"de\": \"de\"}",
        )
        .replace("participants: 12", "participants: 2")
        .replace("Participants(12)", "Participants(2)");
    fs::write(&file, text).unwrap();
    fs::create_dir(folder.join("de")).unwrap();
    let set = fs::read_to_string(folder.join("set.jsonl")).unwrap();
    let german = set
        .replace("Question ", "Frage ")
        .replace("[\"Yes\",\"No\"]", "[\"Ja\",\"Nein\"]");
    assert!(german.contains("\"Ja\""), "{german}");
    fs::write(folder.join("de/set.jsonl"), german).unwrap();
    let texts = say(
        &folder,
        &["study", "texts", path(&folder), "--lang", "de"],
        "",
    );
    fs::write(folder.join("de/texts.ron"), texts.out).unwrap();
    let prepared = say(
        &folder,
        &["study", "prepare", path(&folder), "--allow-commands"],
        "",
    );
    assert_eq!(prepared.code, Some(0), "{prepared:?}");
    let link = &super::invited(&folder, 1)[0];
    let server = serve(&folder, &[]);
    let mut client = Client::new(&server.address);
    let mut page = client.come(&format!("{link}&lang=de"));
    let mut debates = 0;
    while !page.is_last() {
        if page.body.contains("this answer is right") {
            debates += 1;
            assert!(
                page.body.contains("Alice sagt:") && page.body.contains("Frage "),
                "{}",
                page.body
            );
            assert!(
                !page.body.contains("Question ") && !page.body.contains(" says"),
                "{}",
                page.body
            );
        }
        page = client.go_on(&page);
    }
    assert!(debates >= 2, "{debates}");
}

/// A study in German in which a participant is Alice and bets.
const BETS: &str = r#"Study(
    format: 1, id: "wetten", title: "Wetten", stage: Pilot, seed: 7, languages: ["de"], roles: [Prover],
    conditions: [
        (id: "allein", shown_as: "Teil A", task: Direct(shows: Question)),
        (
            id: "streit", shown_as: "Teil B", figures: Shown,
            task: Debate(protocol: ProverEstimator(epsilon: 0.25, rho: 0.5), opponent: "stubborn(0.625)"),
        ),
    ],
    items: (scenarios: ["eigen/*.ron"]),
    design: Within(blocks: 1),
    flow: [Consent("consent.md"), Trials],
    target: (participants: 2), stop: Participants(2),
    analysis: (primary: Difference(measure: Brier, of: "streit", against: "allein")),
)"#;

const PARCEL: &str = r#"Scenario(
    format: 1, title: "Kommt das Paket?",
    problem: Argument(root: "r", claims: {
        "r": Claim(text: "Das Paket kommt vor Samstag.", supports: [
            Support(label: "Weg", gate: All, on: ["a", "b"]), Support(gate: Any, on: ["b"]),
        ]),
        "a": Claim(text: "Es ging am Mittwoch ab.", truth: true, evidence: "Stempel: Mittwoch."),
        "b": Claim(text: "Es braucht zwei Tage.", truth: true, evidence: "Angabe der Post."),
    }),
)"#;

/// The texts of a page that a participant reads or hears: between tags, and in attributes with words.
fn readable(html: &str) -> Vec<String> {
    let mut texts = Vec::new();
    for piece in html.split('<').skip(1) {
        let (tag, text) = piece.split_once('>').unwrap_or((piece, ""));
        texts.push(text.to_owned());
        let attributes = [
            "aria-label",
            "title",
            "alt",
            "data-text",
            "data-words",
            "data-unset",
            "data-shares",
        ];
        for attribute in attributes {
            let value = tag.split_once(&format!(" {attribute}=\""));
            texts.extend(value.and_then(|(_, it)| Some(it.split_once('"')?.0.to_owned())));
        }
    }
    // Names that the page's script fills in.
    let names = [
        "{words}",
        "{percent}",
        "{time}",
        "{first}",
        "{second}",
        "{rest}",
    ];
    let filled = |text: String| names.iter().fold(text, |text, name| text.replace(name, ""));
    texts.into_iter().map(filled).collect()
}

#[test]
fn german_pages_of_a_betting_participant_contain_no_english() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("pilot");
    crate::support::studies::study(&folder, BETS);
    fs::create_dir(folder.join("eigen")).unwrap();
    for name in ["eins", "zwei"] {
        fs::write(folder.join(format!("eigen/{name}.ron")), PARCEL).unwrap();
    }
    fs::write(folder.join("consent.md"), "Sie wetten auf Zahlen.").unwrap();
    let link = &super::invited(&folder, 1)[0];
    let server = serve(&folder, &[]);
    let mut client = Client::new(&server.address);
    let mut page = client.come(link);
    let mut all = String::new();
    for _ in 0..40 {
        for text in readable(&page.body) {
            assert_eq!(english_word(&text), None, "{text}: {}", page.body);
        }
        all += &page.body;
        if page.is_last() {
            break;
        }
        // A wrong entry is refused in German too, and a decimal has a comma.
        for wrong in [
            [("percent", "viel")],
            [("percent", "0.5")],
            [("choice", "99")],
        ] {
            let wrong = wrong.map(|(name, value)| (name, value.to_owned()));
            client.answer(&page, &wrong);
            let refused = client.get("/");
            for text in readable(&refused.body) {
                assert_eq!(english_word(&text), None, "{text}: {}", refused.body);
            }
            all += &refused.body;
            page = refused;
        }
        page = client.go_on(&page);
    }
    assert!(page.is_last(), "{}", page.body);
    let all = all.replace('\u{a0}', " ");
    for part in [
        "Sie verteidigen Ihre Antwort danach.",
        ">Ja, das stimmt<",
        ">Das ist zu niedrig<",
        "Wählen Sie eine Begründung für diese Aussage: „Das Paket kommt vor Samstag.“",
        ">Weg, beide Punkte: „Es ging am Mittwoch ab.“; „Es braucht zwei Tage.“<",
        "Bob hält dies für zu 62,5 % wahrscheinlich: ",
        "Sie haben 0,5 eingegeben. Meinen Sie 50 Prozent?",
    ] {
        assert!(all.contains(part), "{part}");
    }
}
