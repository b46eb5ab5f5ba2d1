//! A browser with one page, driven through the DevTools protocol of Chromium.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use fluo_tests::STUCK;
use serde_json::{Value, json};
use tempfile::TempDir;
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket, connect};

const NAMES: [&str; 5] = [
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
];

/// A script that puts the faults that any page can have into `faults`.
const FAULTS: &str = include_str!("faults.js");

/// A running browser and its page. Dropping it ends the process.
pub(crate) struct Browser {
    process: Child,
    _profile: TempDir,
    socket: WebSocket<MaybeTlsStream<std::net::TcpStream>>,
    session: Option<String>,
    calls: u64,
}

impl Browser {
    /// Starts a browser. `None` if `FLUO_WITHOUT_BROWSER` is set, as
    /// `cargo xtask test --without-browser` does.
    pub(crate) fn start() -> Option<Browser> {
        if env::var_os("FLUO_WITHOUT_BROWSER").is_some() {
            return None;
        }
        let program = NAMES.iter().find_map(|name| in_path(name)).expect(
            "this test needs a browser: install Chromium (Debian: apt install chromium-headless-shell)",
        );
        let profile = TempDir::new().unwrap();
        let process = Command::new(program)
            // Root has no sandbox, as in a container. The pages are our own.
            .args(["--headless", "--no-sandbox", "--disable-dev-shm-usage"])
            .args(["--disable-gpu", "--remote-debugging-port=0"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (socket, _) = connect(address(profile.path())).unwrap();
        if let MaybeTlsStream::Plain(stream) = socket.get_ref() {
            stream.set_read_timeout(Some(STUCK)).unwrap();
        }
        let mut browser = Browser { process, _profile: profile, socket, session: None, calls: 0 };
        let page = browser.call("Target.createTarget", &json!({"url": "about:blank"}));
        let attach = json!({"targetId": page["targetId"], "flatten": true});
        let attached = browser.call("Target.attachToTarget", &attach);
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        browser.call("Page.enable", &json!({}));
        Some(browser)
    }

    /// Sets the width of the window in pixels, and the theme of the reader. The height is that of a
    /// phone or of a small laptop.
    pub(crate) fn show(&mut self, width: u32, theme: &str) {
        let is_phone = width < 600;
        let height = if is_phone { 844 } else { 800 };
        let size =
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": is_phone});
        self.call("Emulation.setDeviceMetricsOverride", &size);
        let feature = json!({"name": "prefers-color-scheme", "value": theme});
        self.call("Emulation.setEmulatedMedia", &json!({"features": [feature]}));
    }

    /// Opens a file and waits until it is loaded.
    pub(crate) fn open(&mut self, file: &Path) {
        self.visit(&format!("file://{}", file.display()));
    }

    /// Opens an address and waits until its page is loaded.
    pub(crate) fn visit(&mut self, address: &str) {
        let answer = self.call("Page.navigate", &json!({"url": address}));
        assert_eq!(answer["errorText"], Value::Null, "{address}");
        while self.receive()["method"] != "Page.loadEventFired" {}
    }

    /// Evaluates a script in the page and returns its value.
    pub(crate) fn evaluate(&mut self, script: &str) -> Value {
        let script = json!({"expression": script, "returnByValue": true});
        let mut answer = self.call("Runtime.evaluate", &script);
        assert_eq!(answer["exceptionDetails"], Value::Null);
        answer["result"]["value"].take()
    }

    /// Returns the faults of the page, as sentences: those that any page can have, and those that a
    /// script adds.
    pub(crate) fn faults(&mut self, script: &str) -> Vec<String> {
        let found = self.evaluate(&format!("(() => {{ {FAULTS}\n{script}\nreturn faults; }})()"));
        serde_json::from_value(found).unwrap()
    }

    pub(crate) fn press_tab(&mut self) {
        self.press("Tab", 9);
    }

    /// Presses a key, by its name and its number in Windows.
    pub(crate) fn press(&mut self, key: &str, number: u32) {
        for kind in ["keyDown", "keyUp"] {
            let event =
                json!({"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": number});
            self.call("Input.dispatchKeyEvent", &event);
        }
    }

    /// Calls a method of the protocol and returns its result.
    fn call(&mut self, method: &str, parameters: &Value) -> Value {
        self.calls += 1;
        let mut request = json!({"id": self.calls, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            request["sessionId"] = json!(session);
        }
        self.socket.send(Message::text(request.to_string())).unwrap();
        loop {
            let mut message = self.receive();
            if message["id"] == self.calls {
                assert_eq!(message["error"], Value::Null, "{method}");
                return message["result"].take();
            }
        }
    }

    /// Receives an answer or an event.
    fn receive(&mut self) -> Value {
        let message = self.socket.read().expect("the browser answers");
        serde_json::from_slice(&message.into_data()).unwrap()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The started process may be a script, so the browser has to end itself.
        self.session = None;
        let close = json!({"id": self.calls + 1, "method": "Browser.close"});
        if self.socket.send(Message::text(close.to_string())).is_err() {
            let _ = self.process.kill();
        }
        let _ = self.process.wait();
    }
}

/// Returns the address of the browser's socket. The browser writes it to a file when it listens.
fn address(profile: &Path) -> String {
    let file = profile.join("DevToolsActivePort");
    let start = Instant::now();
    loop {
        let text = fs::read_to_string(&file).unwrap_or_default();
        // The path is written after the port.
        if let Some((port, path)) = text.split_once('\n').filter(|(_, path)| !path.is_empty()) {
            return format!("ws://127.0.0.1:{port}{path}");
        }
        assert!(start.elapsed() < STUCK, "the browser does not start");
        thread::sleep(Duration::from_millis(20));
    }
}

fn in_path(name: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file())
}
