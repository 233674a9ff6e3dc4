//! Flags that name a file for output: new and existing files, pipes, devices and stdout.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use debate_study::{SimulatedJudgeBehaviour, Study, create_example_study, simulate};

use crate::support::program::{Said, path, program, run_here, say, wait_for_end};

const SAVE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/saves/primes-recursive-challenger.ron"
);

/// Command lines that end with a flag for an output file. `DIR` is the folder of the test.
const FLAGS: [&str; 15] = [
    "simulate primes-small -n 20 --seed 7 --vega",
    "simulate primes-small -n 20 --seed 7 --shard 1/2 --out",
    "solve primes-small --sweep epsilon=0.1..0.4:2 --vega",
    "equilibrium primes-small --prover honest --opponent bayes --vega",
    "train hidden-flaw --delta 0.01 --out",
    "search posterior --worlds 1 --out",
    "search truthful-bob --width 1..1 --worlds 1 --save",
    "search frontier --width 1 --worlds 1 --weight 1 --epsilon 1/10 --rho 1/2 --vega",
    "report tests/nyu/judgements.csv --chart",
    "report tests/nyu/judgements.csv --vega",
    "me --svg",
    "me --vega",
    "export SAVE --to md --out",
    "study report DIR/pilot --simulated --html",
    "study report DIR/pilot --simulated --vega",
];

/// Runs a command line of [`FLAGS`] with this output file.
fn run(folder: &Path, flag: &str, file: &str, more: &[&str]) -> Said {
    let words = flag.split(' ').map(|word| {
        let word = word.replace("DIR", path(folder));
        word.replace("SAVE", SAVE)
    });
    let words: Vec<String> = words.chain([file.to_owned()]).collect();
    let words = words.iter().map(String::as_str);
    let words: Vec<&str> = words.chain(more.iter().copied()).collect();
    run_here(folder, &words, "")
}

/// A folder with a study that has simulated sessions.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let pilot = folder.path().join("pilot");
    create_example_study(&pilot).expect("a study");
    let study = Study::load(&pilot).expect("a study");
    simulate(&study, 2, &[SimulatedJudgeBehaviour::NOISY], "7").expect("sessions");
    folder
}

/// Outputs of two runs differ only in times, which appear later in the text.
fn start(text: &str) -> String {
    text.chars().take(12).collect()
}

#[test]
fn output_files_are_written_whole_and_replaced_only_if_asked() {
    let folder = folder();
    for flag in FLAGS {
        let file = folder.path().join("out");
        let name = path(&file);
        let said = run(folder.path(), flag, name, &[]);
        assert_eq!(said.code, Some(0), "{flag}: {said:?}");
        let text = fs::read_to_string(&file).expect(flag);
        assert!(text.len() > 40 && text.ends_with('\n'), "{flag}: {text:?}");

        fs::write(&file, "mine").expect("a file");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("a file");
        let said = run(folder.path(), flag, name, &[]);
        assert_eq!((said.code, &*said.out), (Some(2), ""), "{flag}: {said:?}");
        let sentence = format!(
            "debate-tui: {name} already exists; name another file, or add --replace to replace it\n"
        );
        assert_eq!(said.err, sentence, "{flag}");
        assert_eq!(fs::read(&file).expect(flag), b"mine", "{flag}");

        let said = run(folder.path(), flag, name, &["--replace"]);
        assert_eq!(said.code, Some(0), "{flag}: {said:?}");
        let replaced = fs::read_to_string(&file).expect(flag);
        assert_eq!(start(&replaced), start(&text), "{flag}");
        let mode = fs::metadata(&file).expect(flag).permissions().mode();
        assert_eq!(mode & 0o777, 0o640, "{flag}");
        fs::remove_file(&file).expect("a file");
        // No temporary file remains.
        let left = fs::read_dir(folder.path()).expect("a folder").count();
        assert_eq!(left, 1, "{flag}");
    }
}

#[test]
fn output_to_pipes_and_devices_is_written_through() {
    let folder = folder();
    let pipe = folder.path().join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo runs").success());
    for flag in FLAGS {
        let expected = run(folder.path(), flag, "-", &[]);
        assert_eq!(expected.code, Some(0), "{flag}: {expected:?}");
        for more in [&[][..], &["--replace"]] {
            let reader = thread::spawn({
                let pipe = pipe.clone();
                move || fs::read_to_string(pipe).expect("UTF-8")
            });
            let said = run(folder.path(), flag, path(&pipe), more);
            assert_eq!(said.code, Some(0), "{flag}: {said:?}");
            let read = reader.join().expect("a reader");
            assert_eq!(start(&read), start(&expected.out), "{flag}");
            let kind = fs::symlink_metadata(&pipe).expect("a pipe").file_type();
            assert!(kind.is_fifo(), "{flag}");

            let said = run(folder.path(), flag, "/dev/full", more);
            assert_eq!(said.code, Some(3), "{flag}: {said:?}");
            let sentence = "debate-tui: /dev/full cannot be written: No space left on device";
            assert!(said.err.contains(sentence), "{flag}: {said:?}");
            let kind = fs::symlink_metadata("/dev/full").expect("a device");
            assert!(kind.file_type().is_char_device(), "{flag}");
        }
        let said = run(folder.path(), flag, "/dev/stdout", &[]);
        assert_eq!(said.code, Some(0), "{flag}: {said:?}");
        assert_eq!(start(&said.out), start(&expected.out), "{flag}");
        assert!(said.out.ends_with('\n'), "{flag}: {said:?}");
        // The result of the command is then on stderr, because stdout contains the file.
        let file = folder.path().join("out");
        let said_to_file = run(folder.path(), flag, path(&file), &[]);
        let text = fs::read_to_string(&file).expect(flag);
        assert_eq!(said.out.lines().count(), text.lines().count(), "{flag}");
        if !said_to_file.out.is_empty() {
            assert!(said.err.lines().count() > 0, "{flag}: {said:?}");
        }
        fs::remove_file(&file).expect("a file");
    }
}

#[test]
fn an_impossible_output_path_is_refused_before_computing() {
    let folder = folder();
    for flag in FLAGS {
        // `export` chooses a file name itself if it writes into a folder.
        if !flag.starts_with("export") {
            let said = run(folder.path(), flag, path(folder.path()), &["--replace"]);
            assert_eq!((said.code, &*said.out), (Some(2), ""), "{flag}: {said:?}");
            assert!(said.err.contains("is a folder; name a file"), "{said:?}");
        }
        let nowhere = folder.path().join("no/out");
        let said = run(folder.path(), flag, path(&nowhere), &[]);
        assert_eq!((said.code, &*said.out), (Some(2), ""), "{flag}: {said:?}");
        assert!(said.err.contains("folder of this file does not exist"));
    }
    let both = "report tests/nyu/judgements.csv --vega - --chart";
    let said = run(folder.path(), both, "/dev/stdout", &[]);
    assert_eq!((said.code, &*said.out), (Some(2), ""), "{said:?}");
    assert!(said.err.contains("two flags write to stdout"), "{said:?}");
}

#[test]
fn charts_of_ratings_obey_the_rules_of_output_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("chart.svg");
    let plays = "match --scenario primes-small --seed 7 -n 1 --prover honest --prover liar \
                 --opponent bayes --opponent random";
    let saves = format!("--saves {}/saves", path(folder.path()));
    let play = |file: &str, more: &str| {
        let line = format!("{plays} {saves} --chart {file} {more}");
        let words: Vec<&str> = line.split_whitespace().collect();
        run_here(folder.path(), &words, "")
    };
    let said = play(path(&file), "");
    assert_eq!(said.code, Some(0), "{said:?}");
    let drawn = fs::read_to_string(&file).expect("a chart");
    let said = play(path(&file), "");
    assert_eq!((said.code, &*said.out), (Some(2), ""), "{said:?}");
    assert_eq!(play(path(&file), "--replace").code, Some(0));
    assert_eq!(fs::read_to_string(&file).expect("a chart"), drawn);
    assert_eq!(play("-", "").out, drawn);
    assert_eq!(play("/dev/full", "").code, Some(3));
}

#[test]
fn folders_of_pages_and_tables_are_replaced_only_if_asked() {
    let folder = folder();
    let [pages, tables] = ["man", "tables"].map(|name| folder.path().join(name));
    let study = folder.path().join("pilot");
    let man = ["man", "--out", path(&pages)];
    let export = [
        "study",
        "export",
        path(&study),
        "--simulated",
        "--out",
        path(&tables),
    ];
    for (arguments, file) in [
        (&man[..], pages.join("debate-tui-solve.1")),
        (&export[..], tables.join("codebook.md")),
    ] {
        let run = |more: &[&str]| run_here(folder.path(), &[arguments, more].concat(), "");
        assert_eq!(run(&[]).code, Some(0), "{arguments:?}");
        let text = fs::read_to_string(&file).expect("a file");
        fs::write(&file, "mine").expect("a file");
        let said = run(&[]);
        assert_eq!(said.code, Some(2), "{said:?}");
        assert!(said.err.contains("already exists") && said.err.contains("--replace"));
        assert_eq!(fs::read(&file).expect("a file"), b"mine");
        assert_eq!(run(&["--replace"]).code, Some(0), "{arguments:?}");
        assert_eq!(fs::read_to_string(&file).expect("a file"), text);
    }
    // An export in the study's own folder belongs to the study, and is updated.
    let own = ["study", "export", path(&study), "--simulated"];
    for _ in 0..2 {
        let said = run_here(folder.path(), &own, "");
        assert_eq!(said.code, Some(0), "{said:?}");
    }
}

/// Covers everything printed on stdout, by clap too.
#[test]
fn a_full_device_as_stdout_is_a_failure_of_the_system() {
    let folder = tempfile::tempdir().expect("a folder");
    for arguments in [
        &["--help"][..],
        &["--version"],
        &["solve", "--help"],
        &["help", "solve"],
        &["list", "scenarios"],
        &["guide", "saves"],
        &["schema", "solve"],
        &["man"],
        &["completions", "bash"],
        &["--print-config"],
        &["check", "primes-small", "--json"],
        &["export", SAVE, "--to", "md", "--out", "/dev/stdout"],
    ] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full");
        let mut command = program(folder.path());
        command.args(arguments).stdout(full.expect("a device"));
        let said = Said::from(wait_for_end(command.spawn().expect("the program starts")));
        assert_eq!(said.code, Some(3), "{arguments:?}: {said:?}");
        assert!(said.err.contains("No space left on device"), "{said:?}");
        assert_eq!(said.err.lines().count(), 1, "{said:?}");
    }
}

#[test]
fn stdout_as_a_file_keeps_its_content() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("all.md");
    fs::write(&file, "before\n").expect("a file");
    let stdout = fs::OpenOptions::new().append(true).open(&file);
    let child = program(folder.path())
        .args(["export", SAVE, "--to", "md", "--out", "/dev/stdout"])
        .stdout(Stdio::from(stdout.expect("a file")))
        .spawn()
        .expect("the program starts");
    assert_eq!(Said::from(wait_for_end(child)).code, Some(0));
    let printed = say(folder.path(), &["export", SAVE, "--to", "md"], "").out;
    let text = fs::read_to_string(&file).expect("a file");
    assert_eq!(text, format!("before\n{printed}"));
}

/// A limit on the size of files, which fails as a full disk does.
#[test]
fn a_full_disk_keeps_the_replaced_file_and_is_a_failure_of_the_system() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("out");
    fs::write(&file, "mine").expect("a file");
    let out = folder.path().join("folder");
    let nyu = ["import", "nyu", "tests/nyu/official", "--out", path(&out)];
    let questions = [
        "import",
        "questions",
        "tests/questions/set.jsonl",
        "--out",
        path(&out),
    ];
    let man = ["man", "--out", path(&out)];
    let export = [
        "export",
        SAVE,
        "--to",
        "md",
        "--replace",
        "--out",
        path(&file),
    ];
    for arguments in [&export[..], &nyu, &questions, &man] {
        let mut command = crate::support::program::cramped(folder.path(), 0, arguments);
        let said = Said::from(command.output().expect("the program ends"));
        assert_eq!(said.code, Some(3), "{arguments:?}: {said:?}");
        assert_eq!(said.err.lines().count(), 1, "{said:?}");
        assert!(said.err.contains("cannot be written"), "{said:?}");
    }
    assert_eq!(fs::read(&file).expect("a file"), b"mine");
}
