//! The guide's page about servers: its files are valid, its commands run, and a session works behind each proxy.
//!
//! Tests of a program that is not installed (`systemd-analyze`, `nginx`, `caddy`) print a note and pass.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use debate_host::record::list_save_files;
use debate_tui::guide::PAGES;
use serde_json::json;
use tempfile::TempDir;

use crate::program::study_pages::client::{Client, Response};
use crate::program::study_pages::{invited, serve};
use crate::support::patience::wait_until;
use crate::support::program::{path, say};
use crate::support::studies::{STUDY, study};
use crate::support::web_socket::WebSocket;

const PUBLIC: &str = "https://study.example.org";

/// Name of the file with a proxy's log.
const LOG: &str = "proxy.log";

/// The block of the page after the mark `<!-- NAME -->`.
fn block(name: &str) -> String {
    let page = PAGES.iter().find(|page| page.name == "deploy").unwrap();
    let (_, rest) = page.text.split_once(&format!("<!-- {name} -->\n")).unwrap();
    let (marked, _) = rest.split_once("<!-- end -->").unwrap();
    let code = marked.trim().strip_prefix("```text\n").unwrap();
    code.strip_suffix("```").unwrap().to_owned()
}

/// The path of a program in `PATH` or in a folder for system programs.
fn installed(program: &str) -> Option<PathBuf> {
    let path = std::env::var("PATH").unwrap_or_default();
    let folders = path.split(':').chain(["/usr/sbin", "/usr/bin"]);
    let found = folders.map(|folder| Path::new(folder).join(program));
    let found = found.into_iter().find(|path| path.is_file());
    if found.is_none() {
        println!("skipped: {program} is not installed");
    }
    found
}

/// Runs the commands of a block in a folder, with the program in `PATH`.
fn output_of_block(folder: &Path, name: &str) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_debate-tui"));
    let bin = program.parent().unwrap().display();
    Command::new("sh")
        .args(["-e", "-c", &block(name)])
        .current_dir(folder)
        .env("PATH", format!("{bin}:{}", std::env::var("PATH").unwrap()))
        .env("DEBATE_TUI_CONFIG", folder.join("config.ron"))
        .output()
        .unwrap()
}

/// Runs the commands of a block, which must succeed. Returns their output.
fn run_block(folder: &Path, name: &str) -> String {
    let run = output_of_block(folder, name);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let (out, err) = (text(run.stdout), text(run.stderr));
    assert!(run.status.success(), "{name}: {out}{err}");
    out
}

/// A served study with one participant, who has answered the first pages.
struct ServedStudy {
    dir: TempDir,
    /// Ends the server when the study is dropped.
    _server: crate::support::web_server::Server,
    client: Client,
}

impl ServedStudy {
    fn start() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("pilot");
        study(&folder, STUDY);
        fs::write(dir.path().join("names.txt"), "p17\n").unwrap();
        let names = dir.path().join("names.txt");
        let invite = ["study", "invite", path(&folder), "--list", path(&names)];
        assert_eq!(say(dir.path(), &invite, "").code, Some(0));
        let server = serve(&folder, &[]);
        let mut client = Client::new(&server.address);
        let mut page = client.come("token=p17");
        for _ in 0..3 {
            page = client.go_on(&page);
        }
        Self {
            dir,
            _server: server,
            client,
        }
    }

    /// Answers all remaining pages.
    fn finish(&self) {
        let mut page = self.client.get("/");
        while !page.is_last() {
            page = self.client.go_on(&page);
        }
    }
}

#[test]
fn the_unit_of_the_guide_is_valid() {
    let Some(analyze) = installed("systemd-analyze") else {
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let unit = dir.path().join("debate-study.service");
    let program = env!("CARGO_BIN_EXE_debate-tui");
    let text = block("unit").replace("/usr/local/bin/debate-tui", program);
    assert!(text.contains(&format!("ExecStart={program} study serve ")));
    fs::write(&unit, text).unwrap();
    let verified = Command::new(analyze)
        .args(["verify", path(&unit)])
        .output()
        .unwrap();
    assert!(verified.status.success(), "{verified:?}");
}

/// The arguments of the program in the unit, separated by spaces.
fn unit_arguments() -> String {
    let unit = block("unit").replace("\\\n    ", "");
    let line = unit.lines().find(|line| line.starts_with("ExecStart="));
    let (_, arguments) = line.unwrap().split_once(' ').unwrap();
    arguments.to_owned()
}

/// The command in the unit starts the server with the folder of the guide.
#[test]
fn the_command_of_the_unit_serves_the_study() {
    let dir = tempfile::tempdir().unwrap();
    study(&dir.path().join("pilot"), STUDY);
    let folder = dir.path().join("pilot");
    let arguments = unit_arguments();
    let arguments: Vec<&str> = arguments
        .split(' ')
        .map(|word| if word == "pilot" { path(&folder) } else { word })
        .collect();
    let server = serve_behind(dir.path(), &arguments);
    let page = behind(&server.address).send(&request("GET", "/", "", ""));
    assert_eq!(page.status, 403, "no cookie: {}", page.body);
}

/// The server of these arguments, which state a public address. Its address for a proxy is taken from the log of
/// connections that it accepts.
fn serve_behind(folder: &Path, arguments: &[&str]) -> LocalServer {
    let address = free_address();
    let child = Command::new(env!("CARGO_BIN_EXE_debate-tui"))
        .args(arguments)
        .args(["--listen", &address])
        .env("DEBATE_TUI_CONFIG", folder.join("config.ron"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    LocalServer::accepting(child, address)
}

/// A server at a known address, which is killed at the end.
struct LocalServer {
    child: Child,
    address: String,
}

impl LocalServer {
    /// Waits until the server accepts connections.
    fn accepting(child: Child, address: String) -> Self {
        let server = Self { child, address };
        wait_until("the server", || TcpStream::connect(&server.address).ok());
        server
    }
}

impl Drop for LocalServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An address that no program listens on.
fn free_address() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().to_string()
}

fn behind(address: &str) -> Client {
    Client::new(address)
}

/// A request for the public address, as a browser sends it to the proxy.
fn request(method: &str, target: &str, cookie: &str, body: &str) -> Vec<u8> {
    let cookie = match cookie {
        "" => String::new(),
        cookie => format!("Cookie: {cookie}\r\n"),
    };
    format!(
        "{method} {target} HTTP/1.1\r\nHost: study.example.org\r\nOrigin: {PUBLIC}\r\nConnection: close\r\n{cookie}\
         Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// Serves a study for the public address, starts a proxy with `start`, and answers the first page through it. Then
/// stops the study. The proxy, which writes all its logs into the folder of `start`, must not log the link.
fn session_behind(start: impl Fn(&Path, &str, &str) -> Child) {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("pilot");
    study(&folder, STUDY);
    let link = invited(&folder, 1).remove(0);
    let arguments = [
        "study",
        "serve",
        path(&folder),
        "--public",
        PUBLIC,
        "--address-header",
        "X-Forwarded-For",
    ];
    let server = serve_behind(dir.path(), &arguments);
    let address = free_address();
    let proxy = start(dir.path(), &address, &server.address);
    let proxy = LocalServer::accepting(proxy, address);
    let browser = behind(&proxy.address);
    let came = browser.send(&request("GET", &format!("/?{link}"), "", ""));
    let cookie = came.header("set-cookie").expect("a cookie").to_owned();
    assert_eq!((came.status, came.header("location")), (303, Some("./")));
    assert!(cookie.contains("; Secure"), "{cookie}");
    let (cookie, _) = cookie.split_once(';').unwrap();
    let shown = |browser: &Client| -> Response { browser.send(&request("GET", "/", cookie, "")) };
    let page = shown(&browser);
    assert_eq!(page.status, 200, "{}", page.body);
    let fields = page.answer();
    let body: String = form_urlencoded::Serializer::new(String::new())
        .append_pair("token", &page.token())
        .extend_pairs(fields)
        .finish();
    let answered = browser.send(&request("POST", "/", cookie, &body));
    assert_eq!(answered.status, 303, "{}", answered.body);
    assert_ne!(shown(&browser).heading(), page.heading());
    drop(server);
    let failed = browser.send(&request("GET", &format!("/?{link}"), cookie, ""));
    assert_eq!(failed.status, 502, "{}", failed.body);
    drop(proxy);
    let (_, token) = link.split_once('=').unwrap();
    let mut is_checked = false;
    each_file(dir.path(), &mut |file, bytes| {
        if file.starts_with(&folder) {
            return;
        }
        is_checked |= file.ends_with(LOG);
        let text = String::from_utf8_lossy(bytes);
        assert!(!text.contains(token), "{}: {text}", file.display());
    });
    assert!(is_checked, "the proxy has a log");
}

/// Serves the game for the public address, starts a proxy with `start`, and opens a game through it.
fn game_behind(start: impl Fn(&Path, &str, &str) -> Child) {
    let dir = tempfile::tempdir().unwrap();
    let arguments = ["web", "primes-4331", "--public", PUBLIC];
    let server = serve_behind(dir.path(), &arguments);
    let address = free_address();
    let proxy = start(dir.path(), &address, &server.address);
    let proxy = LocalServer::accepting(proxy, address);
    let headers = [("Host", "study.example.org"), ("Origin", PUBLIC)];
    let mut socket = WebSocket::open(&proxy.address, "/socket", &headers).unwrap();
    let hello = json!({"secret": null, "columns": 100, "rows": 30, "asks": []});
    socket.send(&hello.to_string());
    let seated = socket.next().expect("an answer");
    assert_eq!(seated["type"], "seated", "{seated}");
}

/// Starts nginx with the file of the guide, for a proxy at `address` in front of `server`.
fn start_nginx(nginx: &Path, dir: &Path, address: &str, server: &str) -> Child {
    let dir_name = dir.display();
    let log = format!("{dir_name}/{LOG}");
    let site = block("nginx")
        .replace("listen 443 ssl;", &format!("listen {address};"))
        .replace("127.0.0.1:8080", server)
        .replace("/var/log/nginx/error.log", &log);
    let left_out = |line: &str| line.starts_with("ssl_") || line.starts_with("listen [::]:443");
    let site: Vec<&str> = site.lines().filter(|line| !left_out(line.trim())).collect();
    assert_eq!(site.len() + 3, block("nginx").lines().count());
    let mut settings = format!("access_log {dir_name}/access.log;\n");
    for name in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"] {
        let line = format!("{name}_temp_path {dir_name}/{name};\n");
        settings.push_str(&line);
    }
    let whole = format!(
        "daemon off;\nmaster_process off;\npid {dir_name}/nginx.pid;\nerror_log {log};\n\
         events {{}}\nhttp {{\n{settings}{}\n}}\n",
        site.join("\n")
    );
    let file = dir.join("nginx.conf");
    fs::write(&file, whole).unwrap();
    Command::new(nginx)
        .args(["-p", path(dir), "-c", path(&file)])
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Starts Caddy with the file of the guide, for a proxy at `address` in front of `server`.
fn start_caddy(caddy: &Path, dir: &Path, address: &str, server: &str) -> Child {
    let (_, port) = address.rsplit_once(':').unwrap();
    let site = block("caddy")
        .replace(
            "study.example.org {",
            &format!("http://study.example.org:{port} {{"),
        )
        .replace("127.0.0.1:8080", server);
    let options = site.strip_prefix("{\n").expect("a block of options");
    let file = dir.join("Caddyfile");
    fs::write(&file, format!("{{\nadmin off\nauto_https off\n{options}")).unwrap();
    let log = fs::File::create(dir.join(LOG)).unwrap();
    Command::new(caddy)
        .args(["run", "--adapter", "caddyfile", "--config", path(&file)])
        .env("HOME", dir)
        .env("XDG_DATA_HOME", dir)
        .env("XDG_CONFIG_HOME", dir)
        .stderr(log)
        .spawn()
        .unwrap()
}

#[test]
fn sessions_and_games_work_behind_nginx_with_the_file_of_the_guide() {
    let Some(nginx) = installed("nginx") else {
        return;
    };
    session_behind(|dir, address, server| start_nginx(&nginx, dir, address, server));
    game_behind(|dir, address, server| start_nginx(&nginx, dir, address, server));
}

#[test]
fn sessions_and_games_work_behind_caddy_with_the_file_of_the_guide() {
    let Some(caddy) = installed("caddy") else {
        return;
    };
    session_behind(|dir, address, server| start_caddy(&caddy, dir, address, server));
    game_behind(|dir, address, server| start_caddy(&caddy, dir, address, server));
}

#[test]
fn a_backup_of_a_served_study_is_valid_and_a_restored_one_has_the_same_tables() {
    let served = ServedStudy::start();
    let dir = served.dir.path();
    let verified = run_block(dir, "backup");
    assert!(verified.contains("s0000.jsonl"), "{verified}");
    // A second backup must not be written into the first one.
    let refused = output_of_block(dir, "backup");
    assert!(!refused.status.success(), "{refused:?}");
    assert!(!dir.join("backup/pilot").exists());
    fs::rename(dir.join("backup"), dir.join("first-backup")).unwrap();
    served.finish();
    run_block(dir, "backup");
    let status = run_block(dir, "restore");
    assert!(status.contains("1 of 40 sessions complete"), "{status}");
    // The first copy continues at the page that was shown when it was made.
    let restored = serve(&dir.join("first-backup"), &[]);
    let mut client = served.client.clone();
    client.address.clone_from(&restored.address);
    let mut page = client.get("/");
    let mut answers = 0;
    while !page.is_last() {
        page = client.go_on(&page);
        answers += 1;
    }
    assert!(answers > 5, "{answers}");
}

#[test]
fn the_data_of_one_person_are_exported_and_deleted() {
    let served = ServedStudy::start();
    let dir = served.dir.path().to_owned();
    let stranger = invited(&dir.join("pilot"), 1).remove(0);
    let mut other = served.client.clone();
    other.cookie = None;
    other.come(&stranger);
    served.finish();
    run_block(&dir, "backup");
    // The second command of the block deletes the data, so the debates are counted before.
    let debates = list_save_files(&dir.join("pilot/data/debates")).unwrap();
    assert_eq!(debates.len(), 1);
    run_block(&dir, "person");
    let stored = dir.join("p17/stored");
    assert_eq!(list_save_files(&stored).unwrap().len(), 1);
    let log = fs::read_to_string(stored.join("s0000.jsonl")).unwrap();
    assert!(log.contains("\"type\":\"consent\""), "{log}");
    let identity = fs::read_to_string(dir.join("p17/private/identity.json")).unwrap();
    assert!(identity.contains("\"p17\""), "{identity}");
    let table = dir.join("p17/data/study-small_description-participants_data.csv");
    let table = fs::read_to_string(table).unwrap();
    assert_eq!(table.lines().count(), 2, "one head and one row: {table}");
    assert!(!dir.join("p17/private/payments.csv").exists(), "no bonus");
    // The study is still served. No file of the study or of its backup names the participant or has their answers.
    assert_eq!(served.client.get("/").status, 403);
    for folder in ["pilot", "backup"] {
        let mut checked = 0;
        each_file(&dir.join(folder), &mut |file, bytes| {
            let text = String::from_utf8_lossy(bytes);
            assert!(!text.contains("p17"), "{}", file.display());
            assert!(
                !text.contains("\"session\":\"s0000\",\"part"),
                "{}",
                file.display()
            );
            checked += 1;
        });
        assert!(checked > 10, "{checked}");
    }
    let again = [
        "study",
        "export",
        "pilot",
        "--participant",
        "p17",
        "--out",
        "x",
    ];
    let again = Command::new(env!("CARGO_BIN_EXE_debate-tui"))
        .args(again)
        .current_dir(&dir)
        .output()
        .unwrap();
    assert_eq!(again.status.code(), Some(2), "{again:?}");
}

fn each_file(folder: &Path, check: &mut impl FnMut(&Path, &[u8])) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            each_file(&path, check);
        } else {
            check(&path, &fs::read(&path).unwrap());
        }
    }
}

/// The image is built from all files of the source, by the command of the guide, for its binary.
#[test]
fn the_image_is_built_by_the_command_of_the_guide() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let image = fs::read_to_string(root.join("Dockerfile")).unwrap();
    assert!(image.contains(&format!("\nRUN {}", block("build"))));
    assert!(image.contains("\nCOPY . .\n"));
    let left_out = fs::read_to_string(root.join(".dockerignore")).unwrap();
    let left_out: Vec<&str> = left_out.lines().collect();
    assert_eq!(left_out, [".git", "target"]);
}

/// The container runs the command of the unit, with the folder and the port of the image.
#[test]
fn the_container_of_the_guide_serves_the_study_as_the_unit_does() {
    let image = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Dockerfile"));
    let image = image.unwrap();
    for line in ["USER study", "WORKDIR /data", "EXPOSE 8080"] {
        assert!(image.lines().any(|it| it == line), "{line}");
    }
    let commands = block("container").replace("\\\n    ", "");
    let run = commands
        .lines()
        .find(|line| line.starts_with("docker run "));
    let (flags, arguments) = run.unwrap().split_once(" debate-tui ").unwrap();
    assert!(flags.contains(" -p 127.0.0.1:8080:8080 -v /srv/study:/data "));
    let listen = " --listen 0.0.0.0:8080";
    assert!(arguments.contains(listen), "{arguments}");
    assert_eq!(arguments.replace(listen, ""), unit_arguments());
}
