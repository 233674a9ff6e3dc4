//! Participants of a study over a real `sshd`, which runs the program for each of them.

use std::fmt::Write as _;
use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use debate_study::{LiveOrSimulated, Study, StudySessionStatus, read_session_status_and_records};
use rustix::process::Signal;

use crate::support::patience::wait_until;
use crate::support::pty::Pty;
use crate::support::studies::{STUDY, study};
use crate::terminal::study::{answer, asked, is_end, shown};

const SSHD: &str = "/usr/sbin/sshd";
const PARTICIPANTS: usize = 12;

/// A server started by the test on the loopback interface; it ends with the test.
struct Server {
    child: Child,
    port: u16,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn key(path: &Path) -> String {
    let mut keygen = Command::new("ssh-keygen");
    keygen
        .args(["-q", "-t", "ed25519", "-N", "", "-f"])
        .arg(path);
    assert!(keygen.status().unwrap().success());
    fs::read_to_string(path.with_extension("pub")).unwrap()
}

/// A server that assigns a participant of the study to each key.
fn server(folder: &Path, study: &Path) -> Server {
    let program = env!("CARGO_BIN_EXE_debate-tui");
    key(&folder.join("host"));
    let mut authorized = String::new();
    for number in 0..PARTICIPANTS {
        let public = key(&folder.join(format!("p{number}")));
        let study = study.display();
        writeln!(
            authorized,
            "restrict,pty,command=\"{program} study join {study} --token token-{number}\" {}",
            public.trim()
        )
        .unwrap();
    }
    fs::write(folder.join("authorized"), authorized).unwrap();
    // A port that is currently free.
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let at = folder.display();
    let config = format!(
        "Port {port}\nListenAddress 127.0.0.1\nHostKey {at}/host\nAuthorizedKeysFile {at}/authorized\n\
         PidFile {at}/pid\nPasswordAuthentication no\nKbdInteractiveAuthentication no\nUsePAM no\n\
         PermitRootLogin prohibit-password\nStrictModes no\nMaxStartups 100\n"
    );
    fs::write(folder.join("config"), config).unwrap();
    // A server with privilege separation needs this folder. A user without permission to create it needs no such
    // folder.
    let _ = fs::create_dir_all("/run/sshd");
    let child = Command::new(SSHD)
        .args(["-D", "-e", "-f"])
        .arg(folder.join("config"))
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    Server { child, port }
}

fn connected(folder: &Path, port: u16, number: usize) -> Pty {
    let identity = folder.join(format!("p{number}"));
    let (identity, port) = (identity.to_str().unwrap(), port.to_string());
    let arguments = [
        "-tt",
        "-q",
        "-p",
        &port,
        "-i",
        identity,
        "-o",
        "StrictHostKeyChecking=no",
        "-o",
        "UserKnownHostsFile=/dev/null",
        "-o",
        "IdentitiesOnly=yes",
        // The server may still be starting.
        "-o",
        "ConnectionAttempts=50",
        "127.0.0.1",
    ];
    Pty::other("ssh", &arguments, (80, 24), &[])
}

/// Waits for a page that can be answered. The terminal here belongs to `ssh`, which cannot report that the remote
/// program has drawn the whole page. A page that does not change for a while counts as complete; an answer to a partial
/// page is repeated.
fn whole_page(pty: &Pty) -> String {
    let mut before = asked(pty);
    wait_until("a whole page", || {
        thread::sleep(Duration::from_millis(150));
        let now = shown(pty);
        let is_whole = now == before;
        before = now;
        is_whole.then(|| before.clone())
    })
}

/// Completes a session; the window disconnects after `vanishes_after` pages.
fn through(pty: &mut Pty, vanishes_after: Option<usize>) {
    for number in 0..200 {
        let page = whole_page(pty);
        if vanishes_after == Some(number) {
            pty.signal(Signal::KILL);
            pty.exit_code();
            return;
        }
        if is_end(&page) {
            pty.type_in("\r");
            assert_eq!(pty.exit_code(), 0);
            return;
        }
        answer(pty, &page);
    }
    panic!("it has no end");
}

/// `cargo test --test suite over_a_real_sshd -- --ignored --nocapture`
#[test]
#[ignore = "exhaustive: 30 s; every day: study_status_shows_the_progress_of_all_participants"]
fn twelve_participants_over_a_real_sshd_at_once() {
    if !Path::new(SSHD).exists() {
        println!("skipped: {SSHD} is not here");
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("study");
    study(&folder, STUDY);
    let server = server(dir.path(), &folder);
    let (at, port) = (dir.path(), server.port);
    thread::scope(|scope| {
        for number in 0..PARTICIPANTS {
            scope.spawn(move || {
                let mut pty = connected(at, port, number);
                match number {
                    // One participant disconnects and returns.
                    3 => {
                        through(&mut pty, Some(7));
                        through(&mut connected(at, port, number), None);
                    }
                    // One types keys that are not an answer, and the page remains.
                    5 => {
                        asked(&pty);
                        for garbage in [
                            "\u{1b}[200~\u{1b}[A\u{fffd}\u{7}",
                            "@#zz\t\t\u{8}",
                            "\u{1b}OP\u{1b}",
                        ] {
                            pty.type_in(garbage);
                            whole_page(&pty);
                        }
                        pty.signal(Signal::KILL);
                        pty.exit_code();
                    }
                    _ => through(&mut pty, None),
                }
            });
        }
    });
    let study = Study::load(&folder).unwrap();
    let logs = study
        .folder
        .session_log_files(LiveOrSimulated::Live)
        .unwrap();
    let statuses: Vec<StudySessionStatus> = logs
        .iter()
        .map(|log| read_session_status_and_records(log).unwrap().0)
        .collect();
    println!("{statuses:?}");
    assert_eq!(statuses.len(), PARTICIPANTS);
    let complete = statuses
        .iter()
        .filter(|status| **status == StudySessionStatus::Complete);
    assert_eq!(complete.count(), PARTICIPANTS - 1);
    assert!(statuses.contains(&StudySessionStatus::Started));
}
