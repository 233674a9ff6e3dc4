//! Tests of a session that a second window takes over, and of a process that exits at once.

use super::*;

/// A window that has sent these lines.
fn window(
    lines: &[String],
) -> (
    ConnectedBrowserWindow,
    mpsc::Sender<String>,
    mpsc::Receiver<String>,
) {
    let (to, shown) = mpsc::channel(1024);
    let (sender, from) = mpsc::channel(lines.len());
    for line in lines {
        sender.try_send(line.clone()).unwrap();
    }
    let size = (80, 24);
    let from = Some(from);
    (
        ConnectedBrowserWindow {
            outgoing: to,
            incoming: from,
            size,
        },
        sender,
        shown,
    )
}

fn running(command: &mut Command) -> VisitorProcess {
    let mut process = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    VisitorProcess {
        input: process.stdin.take().unwrap(),
        lines: BufReader::new(process.stdout.take().unwrap()).lines(),
        process,
    }
}

#[tokio::test]
async fn output_of_a_process_that_ends_early_is_read() {
    // The select may poll the window or the process first.
    for _ in 0..32 {
        let mut refuses = running(Command::new("echo").arg("why"));
        refuses.process.wait().await.unwrap();
        let (window, _sender, mut shown) = window(&["a key".to_owned()]);
        let (windows, coming) = mpsc::channel(1);
        windows.try_send(window).unwrap();
        run_session(refuses, coming, WebLimits::default()).await;
        assert_eq!(shown.recv().await.as_deref(), Some("why"));
        assert!(shown.recv().await.unwrap().contains("left"));
    }
}

#[tokio::test]
async fn input_before_a_takeover_reaches_the_process() {
    let folder = tempfile::tempdir().unwrap();
    let heard = folder.path().join("heard");
    let running = running(Command::new("tee").arg(&heard));
    let keys: Vec<String> = (0..64).map(|number| format!("key {number}")).collect();
    let (cut, sender, _shown) = window(&keys);
    drop(sender);
    let (next, _sender, mut shown) = window(&["the last".to_owned()]);
    let (windows, coming) = mpsc::channel(2);
    windows.try_send(cut).unwrap();
    windows.try_send(next).unwrap();
    let session = tokio::spawn(run_session(running, coming, WebLimits::default()));
    while shown.recv().await.expect("it goes on") != "the last" {}
    drop(windows);
    session.await.unwrap();
    let heard = std::fs::read_to_string(heard).unwrap();
    let heard: Vec<&str> = heard.lines().filter(|it| !it.starts_with('{')).collect();
    assert_eq!(heard[..64], keys);
    assert_eq!(heard[64..], ["the last"]);
}
