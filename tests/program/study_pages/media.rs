//! Markdown texts with images, audio and video on the pages of a study, and how the server sends the files.

use std::fs;
use std::path::Path;

use debate_study::Study;

use super::client::{Client, Response};
use super::{Pilot, Server, serve};
use crate::support::program::{path, say};
use crate::support::studies::STUDY;

/// The contents of two files of which tests know every byte.
const IMAGE: &str = "RIFF0000WEBP an image";
const SOUND: &str = "ID3 0123456789 a sound";

/// The small study with Markdown texts, an image beside each item, and a sound in the consent text.
fn illustrated(count: usize) -> Pilot {
    let items = r#"items: (scenarios: ["items/*.ron"], notes: {ITEMS}),"#;
    let ids = [
        "cake",
        "dog",
        "footbridge",
        "journey",
        "letter",
        "newsletter",
        "prize",
        "pump",
    ];
    let notes =
        ids.map(|id| format!("\"{id}\": \"![The place *of* {id}](media/maps/place.webp)\""));
    let items = items.replace("ITEMS", &notes.join(", "));
    let text = STUDY
        .replace(r#"items: (scenarios: ["items/*.ron"]),"#, &items)
        .replace("stage:", "markup: Markdown, stage:");
    // The files must exist before the study is read.
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("pilot");
    crate::support::studies::study(&folder, &text);
    fs::create_dir_all(folder.join("media/maps")).unwrap();
    fs::write(folder.join("media/maps/place.webp"), IMAGE).unwrap();
    fs::write(folder.join("media/unused.webp"), IMAGE).unwrap();
    fs::write(folder.join("media/rain.mp3"), SOUND).unwrap();
    let consent = "# About\n\nRead **this**:\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n![Rain on a roof](media/rain.mp3)\n\nSee [the rules](https://example.org/rules). <script>alert(1)</script>";
    fs::write(folder.join("consent.md"), consent).unwrap();
    let links = super::invited(&folder, count);
    Pilot { dir, folder, links }
}

fn address_of<'r>(page: &'r Response, name: &str) -> &'r str {
    let address = format!("{name}?");
    let quoted = page.body.split('"').find(|part| part.starts_with(&address));
    quoted.unwrap_or_else(|| panic!("{name} is missing: {}", page.body))
}

fn get_with(client: &Client, path: &str, header: &str) -> Response {
    client.send(format!("{}{header}\r\n\r\n", client.head("GET", path)).as_bytes())
}

#[test]
fn texts_are_markdown_and_a_trial_has_an_image() {
    let pilot = illustrated(1);
    let server = serve(&pilot.folder, &[]);
    let mut client = Client::new(&server.address);
    let consent = client.come(&pilot.links[0]);
    for part in [
        "<h2>About</h2>",
        "<strong>this</strong>",
        "<li>one</li>",
        "<td>2</td>",
        "<audio controls",
        "aria-label=\"Rain on a roof\"",
        "<a href=\"https://example.org/rules\" target=\"_blank\" rel=\"noopener noreferrer\">the rules</a>",
        "&lt;script&gt;alert(1)",
    ] {
        assert!(consent.body.contains(part), "{part}: {}", consent.body);
    }
    let policy = consent.header("content-security-policy").unwrap();
    assert!(
        policy.contains("img-src 'self'; media-src 'self'"),
        "{policy}"
    );
    let trial = client.go_on(&consent);
    assert!(trial.body.contains("alt=\"The place of "), "{}", trial.body);
    let image = format!("/{}", address_of(&trial, "media/maps/place.webp"));
    let sent = client.get(&image);
    assert_eq!((sent.status, sent.body.as_str()), (200, IMAGE));
    let values = [
        ("content-type", "image/webp"),
        ("x-content-type-options", "nosniff"),
        ("accept-ranges", "bytes"),
        ("cache-control", "private, max-age=31536000, immutable"),
    ];
    for (name, value) in values {
        assert_eq!(sent.header(name), Some(value));
    }
    assert!(
        sent.header("content-security-policy")
            .unwrap()
            .contains("sandbox")
    );
    let tag = sent.header("etag").unwrap();
    let known = get_with(&client, &image, &format!("If-None-Match: {tag}"));
    assert_eq!((known.status, known.body.as_str()), (304, ""));
}

#[test]
fn sounds_are_sent_in_ranges_and_only_to_participants() {
    let pilot = illustrated(1);
    let server = serve(&pilot.folder, &[]);
    let mut client = Client::new(&server.address);
    let consent = client.come(&pilot.links[0]);
    let sound = format!("/{}", address_of(&consent, "media/rain.mp3"));
    let all = SOUND.len();
    for (range, status, part, wanted) in [
        ("bytes=0-1", 206, "ID", format!("bytes 0-1/{all}")),
        (
            "bytes=4-",
            206,
            "0123456789 a sound",
            format!("bytes 4-{}/{all}", all - 1),
        ),
        (
            "bytes=-5",
            206,
            "sound",
            format!("bytes {}-{}/{all}", all - 5, all - 1),
        ),
        ("bytes=900-", 416, "", format!("bytes */{all}")),
    ] {
        let sent = get_with(&client, &sound, &format!("Range: {range}"));
        assert_eq!((sent.status, sent.body.as_str()), (status, part), "{range}");
        assert_eq!(sent.header("content-range"), Some(wanted.as_str()));
        assert_eq!(sent.header("content-type"), Some("audio/mpeg"));
    }
    // A range of an earlier version of the file is ignored.
    let other = get_with(&client, &sound, "Range: bytes=0-1\r\nIf-Range: \"other\"");
    assert_eq!((other.status, other.body.as_str()), (200, SOUND));
    for hidden in [
        "/media/unused.webp",
        "/media/../study.ron",
        "/media/%2e%2e/study.ron",
        "/media/..%2fstudy.ron",
        "/media//etc/passwd",
        "/media/maps",
        "/media/",
    ] {
        let refused = client.get(hidden);
        assert!(
            refused.status == 404 && !refused.body.contains("Study("),
            "{hidden}: {refused:?}"
        );
    }
    let stranger = Client::new(&server.address).get(&sound);
    assert_eq!(stranger.status, 404);
    assert!(!stranger.body.contains("ID3"));
}

#[test]
fn a_preview_and_a_terminal_show_the_same_texts() {
    let pilot = illustrated(0);
    let server = Server::start(&pilot.folder, &["study", "preview", path(&pilot.folder)]);
    let client = Client::new(&server.address);
    let consent = client.get("/page-1");
    let sound = client.get(&format!("/{}", address_of(&consent, "media/rain.mp3")));
    assert_eq!((sound.status, sound.body.as_str()), (200, SOUND));
    let lines = say(
        &pilot.folder,
        &["study", "run", path(&pilot.folder), "--plain"],
        "\n1\n",
    );
    for part in [
        "Read this:\n",
        "• one\n",
        "a  b\n1  2\n",
        "[audio: Rain on a roof]",
        "See the rules (https://example.org/rules). <script>alert(1)</script>",
        "[image: The place of ",
    ] {
        assert!(lines.out.contains(part), "{part}: {}", lines.out);
    }
}

#[test]
fn a_lock_covers_media_files_and_a_check_refuses_faulty_ones() {
    let pilot = illustrated(0);
    let folder = pilot.folder.as_path();
    let check = |folder: &Path| say(folder, &["study", "check", path(folder)], "");
    let locked = say(folder, &["study", "lock", path(folder)], "");
    assert_eq!(locked.code, Some(0), "{locked:?}");
    let lock = fs::read_to_string(folder.join("lock.json")).unwrap();
    assert!(
        lock.contains("media/rain.mp3") && !lock.contains("unused"),
        "{lock}"
    );
    fs::write(folder.join("media/rain.mp3"), "ID3 another sound").unwrap();
    let study = Study::load(folder).unwrap();
    let why = debate_study::verify_lock(&study).unwrap_err().to_string();
    assert!(why.contains("`media/rain.mp3` has other contents"), "{why}");
    fs::remove_file(folder.join("lock.json")).unwrap();
    for (text, part) in [
        (
            "![](media/rain.mp3)",
            "consent.md: the file `media/rain.mp3` has no alternative text",
        ),
        (
            "![x](media/none.png)",
            "consent.md: cannot read `media/none.png`",
        ),
        ("![x](media/rain.svg)", "SVG is not allowed"),
        (
            "![x](../lock.json)",
            "is not allowed; write a path in media/",
        ),
        ("[x](javascript:alert(1))", "a link leads to"),
    ] {
        fs::write(folder.join("consent.md"), text).unwrap();
        let refused = check(folder);
        assert_eq!(refused.code, Some(2), "{refused:?}");
        assert!(refused.err.contains(part), "{part}: {}", refused.err);
    }
    fs::write(folder.join("consent.md"), "Text.").unwrap();
    let file = folder.join("study.ron");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("\"cake\": ", "\"bread\": ")).unwrap();
    let refused = check(folder);
    assert!(
        refused.err.contains("there is no item `bread`"),
        "{}",
        refused.err
    );
    // Without `markup: Markdown` a text keeps its characters.
    fs::write(&file, text.replace("markup: Markdown, ", "")).unwrap();
    fs::write(folder.join("consent.md"), "*one* ![](media/none.png)").unwrap();
    let shown = say(folder, &["study", "run", path(folder), "--plain"], "\n");
    assert!(
        shown.out.contains("*one* ![](media/none.png)"),
        "{}",
        shown.out
    );
}
