//! The page in a real browser, driven by keyboard; skipped if no browser is installed.

use std::collections::VecDeque;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::chromium;
use crate::support::patience::wait_until;
use crate::support::web_server::Server;
use crate::support::web_socket::WebSocket;
use crate::terminal::remote::{END, answer, at_a_terminal, is_asked, timeless};

/// A page in a headless browser, driven by the browser's own protocol.
pub struct Page {
    browser: Child,
    socket: WebSocket,
    asked: u64,
    /// Errors of the page and of the browser.
    pub complaints: VecDeque<Value>,
    _profile: TempDir,
}

impl Page {
    /// Opens a page at an address; `None`, with a printed message, if there is no browser.
    pub fn open(address: &str) -> Option<Self> {
        let browser = chromium::browser()?;
        let profile = TempDir::new().unwrap();
        let browser = Command::new(browser)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--no-first-run",
            ])
            .args([
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
            ])
            .args(["--remote-debugging-port=0", "--window-size=1024,768"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let told = profile.path().join("DevToolsActivePort");
        let port = wait_until("the browser's port", || {
            let text = fs::read_to_string(&told).ok()?;
            text.lines().next().map(str::to_owned)
        });
        let debugger = format!("127.0.0.1:{port}");
        let path = wait_until("a page", || page_path(&debugger));
        let socket = WebSocket::open(&debugger, &path, &[("Host", &debugger)]).unwrap();
        let mut page = Self {
            browser,
            socket,
            asked: 0,
            complaints: VecDeque::new(),
            _profile: profile,
        };
        for domain in ["Runtime", "Log", "Page"] {
            page.command(&format!("{domain}.enable"), &json!({}));
        }
        page.command("Page.navigate", &json!({"url": address}));
        Some(page)
    }

    pub fn command(&mut self, method: &str, parameters: &Value) -> Value {
        self.asked += 1;
        let command = json!({"id": self.asked, "method": method, "params": parameters});
        self.socket.send(&command.to_string());
        loop {
            let said = self.socket.next().expect("the browser runs");
            if said["id"] == self.asked {
                return said["result"].clone();
            }
            let complains = [
                "Runtime.exceptionThrown",
                "Runtime.consoleAPICalled",
                "Log.entryAdded",
            ];
            if complains.iter().any(|method| said["method"] == *method) {
                self.complaints.push_back(said);
            }
        }
    }

    pub fn value(&mut self, expression: &str) -> Value {
        let asked = json!({
            "expression": expression, "returnByValue": true, "awaitPromise": true,
            // Otherwise the policy would not apply to scripts evaluated here.
            "allowUnsafeEvalBlockedByCSP": false,
        });
        self.command("Runtime.evaluate", &asked)["result"]["value"].clone()
    }

    /// The cells as text.
    fn shown(&mut self) -> String {
        let rows =
            "[...document.querySelectorAll('#screen .row')].map(it => it.textContent).join('\\n')";
        self.value(rows).as_str().unwrap_or_default().to_owned()
    }

    fn wait_until(&mut self, what: &str, is_there: impl Fn(&str) -> bool) -> String {
        wait_until(what, || Some(self.shown()).filter(|shown| is_there(shown)))
    }

    fn wait_for(&mut self, what: &str) {
        wait_until(what, || (self.value(what) == true).then_some(()));
    }

    pub fn resize(&mut self, [width, height]: [u32; 2]) {
        let size =
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.command("Emulation.setDeviceMetricsOverride", &size);
    }

    /// Clicks on the button that an expression finds.
    pub fn click(&mut self, button: &str) {
        let place = "it.x + it.width / 2, it.y + it.height / 2";
        let place = self.value(&format!(
            "(() => {{ const it = {button}.getBoundingClientRect(); return [{place}]; }})()"
        ));
        for kind in ["mousePressed", "mouseReleased"] {
            let click = json!({"type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1});
            self.command("Input.dispatchMouseEvent", &click);
        }
    }

    fn press(&mut self, keys: &str) {
        for key in keys.chars() {
            let (name, code) = if key == '\r' {
                ("Enter".to_owned(), 13)
            } else {
                (key.to_string(), 0)
            };
            let down = json!({"type": "keyDown", "key": name, "text": key.to_string(), "windowsVirtualKeyCode": code});
            self.command("Input.dispatchKeyEvent", &down);
            let up = json!({"type": "keyUp", "key": name, "windowsVirtualKeyCode": code});
            self.command("Input.dispatchKeyEvent", &up);
        }
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.browser.kill();
        let _ = self.browser.wait();
    }
}

/// The path of the first page of a browser.
fn page_path(debugger: &str) -> Option<String> {
    let mut stream = TcpStream::connect(debugger).ok()?;
    let request = format!("GET /json HTTP/1.1\r\nHost: {debugger}\r\n\r\n");
    stream.write_all(request.as_bytes()).ok()?;
    // The browser leaves the connection open.
    let mut answer = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        answer.read_line(&mut line).ok()?;
        let line = line.trim_end().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(told) = line.strip_prefix("content-length:") {
            length = told.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    answer.read_exact(&mut body).ok()?;
    let pages: Value = serde_json::from_slice(&body).ok()?;
    let page = pages
        .as_array()?
        .iter()
        .find(|page| page["type"] == "page")?;
    let (_, path) = page["webSocketDebuggerUrl"]
        .as_str()?
        .split_once(debugger)?;
    Some(path.to_owned())
}

/// The only save of a debate of primes below a folder.
pub fn save_below(folder: &Path) -> String {
    let folders = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path());
    let mut files = folders
        .flat_map(|it| fs::read_dir(it).unwrap())
        .map(|it| it.unwrap().path());
    timeless(
        &files
            .find(|it| it.to_str().unwrap().contains("primes"))
            .unwrap(),
    )
}

#[test]
fn browser_debates_are_saved_and_no_other_script_runs() {
    let folder = TempDir::new().unwrap();
    let data = folder.path().join("data");
    let server = Server::start(
        folder.path(),
        &["web", "primes", "--data", data.to_str().unwrap()],
    );
    let address = format!(
        "http://{}/#scenario=primes&role=prover&seed=7",
        server.address
    );
    let Some(mut page) = Page::open(&address) else {
        return;
    };
    let mut before = String::new();
    loop {
        before = page.wait_until("another question", |shown| {
            is_asked(shown) && shown != before
        });
        if before.contains(END) {
            break;
        }
        page.press(answer(&before));
    }
    assert!(
        page.value("document.getElementById('said').textContent")
            .to_string()
            .contains("You are Alice")
    );
    page.press("q");
    wait_until("the end", || {
        let state = page.value("document.getElementById('state').textContent");
        state
            .as_str()?
            .starts_with("The session has ended")
            .then_some(())
    });
    assert!(page.complaints.is_empty(), "{:?}", page.complaints);
    let arguments = ["primes", "--role", "prover", "--seed", "7"];
    assert_eq!(save_below(&data), at_a_terminal(&arguments));
    // Code that an attacker would inject into the page does not run.
    for injected in [
        "let it = document.createElement('script'); it.text = 'window.ran = 1'; document.body.append(it)",
        "document.body.setAttribute('onclick', 'window.ran = 1'); document.body.click()",
        "document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=window.ran=1>')",
        "eval('window.ran = 1')",
        "let it = document.createElement('script'); it.src = 'data:text/javascript,window.ran=1'; document.body.append(it)",
    ] {
        page.value(&format!("(() => {{ {injected} }})()"));
    }
    assert_eq!(page.value("window.ran === undefined"), true);
}

/// True if the page has room for all rows that the program draws, and no row is cut off.
const FITS: &str = "(() => {
    const [room, last] = [document.getElementById('screen'), lines.at(-1)].map((it) => it.getBoundingClientRect());
    return last.bottom <= room.bottom && room.bottom - last.bottom < 2 * last.height;
})()";

/// The state and the note of the page.
const STATE: &str = "document.getElementById('state').textContent";
const NOTE: &str = "document.getElementById('note').textContent";

#[test]
fn the_page_reports_a_small_window_and_its_buttons_work() {
    let folder = TempDir::new().unwrap();
    let data = folder.path().join("data");
    let server = Server::start(
        folder.path(),
        &["web", "primes", "--data", data.to_str().unwrap()],
    );
    let link = format!(
        "http://{}/#scenario=primes&role=judge&seed=7",
        server.address
    );
    let Some(mut page) = Page::open(&link) else {
        return;
    };
    page.wait_until("the debate", |shown| shown.contains("You are the JUDGE"));
    // 80 by 24 fit at every text size, or the page says that they do not.
    let roomy = format!("{STATE} === '' && columns >= 80 && rows >= 24 && {FITS}");
    let small = format!("{STATE}.includes('too small for 80 by 24') && {FITS}");
    for (size, wanted) in [
        ([1024, 768], &roomy),
        ([375, 667], &small),
        ([1024, 430], &roomy),
        ([1024, 300], &small),
        ([1024, 600], &roomy),
    ] {
        page.resize(size);
        page.wait_for(wanted);
    }
    // A note above the screen takes space from it until the next key.
    page.click("document.getElementById('share')");
    page.wait_for(&format!("{NOTE}.endsWith(': {link}') && {FITS}"));
    page.press("\r");
    page.wait_until("the question", |shown| shown.contains("Is this claim true"));
    page.wait_for(&format!("{NOTE} === '' && {roomy}"));
    // With the touch keys below the screen, the debate continues by touch and by keyboard.
    page.click("document.getElementById('pad')");
    page.wait_for(&format!("rows < 27 && {roomy}"));
    for key in ["y", "Enter"] {
        let keys = "[...document.querySelectorAll('#keys button')]";
        page.click(&format!("{keys}.find((it) => it.textContent === '{key}')"));
    }
    page.wait_until("the end", |shown| shown.contains(END));
    // Text has enough contrast with its background, in light and dark colours.
    let colours = "(() => { const of = getComputedStyle(document.body);
        const sum = (colour) => colour.match(/\\d+/g).reduce((sum, part) => sum + Number(part), 0);
        return sum(of.color) - sum(of.backgroundColor); })()";
    let before = page.value(colours).as_i64().expect("a number");
    page.click("document.getElementById('light')");
    let after = page.value(colours).as_i64().expect("a number");
    assert!(before.abs() > 400 && after.abs() > 400 && before.signum() != after.signum());
    page.press("q");
    page.wait_for(&format!("{STATE}.startsWith('The session has ended')"));
    // The final message stays after any change of the window.
    for (size, font) in [([375, 300], "=== 10"), ([1024, 768], "> 10")] {
        page.resize(size);
        page.wait_for(&format!("parseFloat(screen.style.fontSize) {font}"));
        page.wait_for(&format!("{STATE}.startsWith('The session has ended')"));
    }
    assert!(page.complaints.is_empty(), "{:?}", page.complaints);
}
