//! What `export` writes for other programs.

#[path = "support/program.rs"]
mod support;

use std::fs;

use support::say;

#[test]
fn a_small_debate_is_written_as_a_game() {
    let dir = tempfile::tempdir().expect("a folder");
    let said = say(dir.path(), &["export", "parity", "--to", "efg"], "");
    assert_eq!(said.code, Some(0), "{said:?}");
    let mut lines = said.out.lines();
    let header = lines.next().expect("a header");
    assert!(header.starts_with("EFG 2 R \"") && header.ends_with("{ \"Prover\" \"Opponent\" }"));
    assert_eq!(said.err, "255 nodes, 128 of them terminals\n");
    assert_eq!(lines.count(), 255);
    let out = dir.path().join("parity.efg");
    let arguments = [
        "export",
        "parity",
        "--to",
        "efg",
        "--out",
        out.to_str().expect("UTF-8"),
    ];
    let written = say(dir.path(), &arguments, "");
    assert_eq!((written.code, written.out.as_str()), (Some(0), ""));
    assert_eq!(fs::read_to_string(&out).expect("a file"), said.out);
    // What stands there already is left alone.
    assert_eq!(say(dir.path(), &arguments, "").code, Some(2));
}

#[test]
fn what_cannot_be_written_is_explained() {
    let dir = tempfile::tempdir().expect("a folder");
    for (arguments, why) in [
        (&["--most-nodes", "1000"][..], "more than 1000 nodes"),
        (&["--grid", "0,2"], "2 is no number from 0 to 1"),
        (&["--judge", "nobody"], "there is no judge named"),
        (
            &["--protocol", "Descent"],
            "cannot be debated under Descent",
        ),
    ] {
        let arguments = [&["export", "primes", "--to", "efg"], arguments].concat();
        let said = say(dir.path(), &arguments, "");
        assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "{said:?}");
        assert!(said.err.contains(why), "{said:?}");
    }
}
