//! The page to play on, as the command serves it: files, answers, and what is refused.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use seega_models::architecture::Architecture;
use seega_models::checkpoint::{Checkpoint, NamedRules};
use seega_rules::preset;
use serde_json::{Value, json};

/// A server that ends with the test.
struct Server {
    process: Child,
    address: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn serve(arguments: &[&str]) -> Server {
    let mut process = Command::new(env!("CARGO_BIN_EXE_seega"))
        .args(["serve", "--listen", "127.0.0.1:0"])
        .args(arguments)
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let told = BufReader::new(process.stderr.take().expect("its messages"));
    let address = told
        .lines()
        .map_while(Result::ok)
        .find_map(|line| Some(line.strip_prefix("http://")?.split_once('/')?.0.to_owned()))
        .expect("it tells its address");
    Server { process, address }
}

fn refused(arguments: &[&str]) -> String {
    let Output { status, stderr, .. } =
        Command::new(env!("CARGO_BIN_EXE_seega")).arg("serve").args(arguments).output().expect("the command starts");
    assert_eq!(status.code(), Some(2));
    String::from_utf8(stderr).expect("it tells in UTF-8")
}

impl Server {
    /// Status, head and body of an answer.
    fn request(&self, request: &str) -> (u16, String, Vec<u8>) {
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        stream.write_all(request.as_bytes()).expect("it reads");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("it answers");
        let split = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").expect("a head");
        let head = String::from_utf8(answer[..split].to_vec()).expect("a head");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        (status, head.to_lowercase(), answer[split + 4..].to_vec())
    }

    fn get(&self, path: &str) -> (u16, String, Vec<u8>) {
        self.request(&format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"))
    }

    fn post(&self, body: &str) -> (u16, Value) {
        let kind = "Content-Type: application/json\r\nConnection: close";
        let length = body.len();
        let request = format!("POST /ask HTTP/1.1\r\nHost: x\r\n{kind}\r\nContent-Length: {length}\r\n\r\n{body}");
        let (status, _, body) = self.request(&request);
        (status, serde_json::from_slice(&body).expect("JSON"))
    }

    fn ask(&self, question: &Value) -> Value {
        let (status, answer) = self.post(&question.to_string());
        assert_eq!(status, 200, "{answer}");
        answer
    }
}

fn network(folder: &Path, name: &str, rules: &str) {
    let rules = NamedRules { name: rules.to_owned(), rules: preset::parse(rules).unwrap() };
    let checkpoint = Checkpoint::fresh(Architecture { channels: 8, blocks: 1 }, vec![rules], 7);
    checkpoint.write(&folder.join(format!("{name}.safetensors"))).unwrap();
}

fn think(rules: &str, start: Option<&str>, level: &str) -> Value {
    json!({ "ask": "think", "game": { "rules": rules, "start": start }, "level": level, "seed": 1 })
}

#[test]
fn the_page_and_its_questions_are_answered() {
    let folder = tempfile::tempdir().unwrap();
    network(folder.path(), "small", "sija");
    let server = serve(&["--models", folder.path().to_str().unwrap(), "--tables", "nowhere"]);
    let (status, head, page) = server.get("/");
    assert!(status == 200 && head.contains("content-type: text/html"), "{head}");
    let page = String::from_utf8(page).unwrap();
    // Everything that the page names is there.
    let named = ["app.js", "style.css", "icon.svg"];
    assert!(named.iter().all(|name| page.contains(name)));
    for name in named.into_iter().chain(["board.js", "engine.js", "rules.js", "texts.js", "texts/hu.json"]) {
        assert_eq!(server.get(&format!("/{name}")).0, 200, "{name}");
    }
    let about: Value = serde_json::from_slice(&server.get("/engine.json").2).unwrap();
    assert_eq!((&about["engine"], &about["networks"][0]["name"]), (&json!("server"), &json!("small")));

    let view = server.ask(&json!({ "ask": "view", "game": { "rules": "sija", "plies": ["a1", "b1", "c1"] } }));
    assert_eq!((&view["mover"], &view["left"]), (&json!("b"), &json!(1)));
    let with = server.ask(&think("sija", None, "medium"));
    assert_eq!((&with["network"], &with["simulations"]), (&json!("small"), &json!(16)));
    let without = server.ask(&think("siga", None, "medium"));
    assert_eq!((&without["network"], &without["chances"]), (&Value::Null, &Value::Null));
}

#[test]
fn what_is_wrong_is_refused_with_its_reason() {
    let server = serve(&["--models", "nowhere", "--tables", "nowhere"]);
    for path in ["/nothing", "/../Cargo.toml", "/%2e%2e/Cargo.toml", "//etc/passwd", "/texts/"] {
        assert_eq!(server.get(path).0, 404, "{path}");
    }
    let why = |body: &str| {
        let (status, answer) = server.post(body);
        assert!((400..500).contains(&status), "{status} {body}");
        answer["error"].as_str().expect("a reason").to_owned()
    };
    assert!(why("{").contains("JSON"));
    assert!(why(r#"{"ask":"nothing"}"#).contains("unknown variant"));
    assert!(why(r#"{"ask":"view","game":{"rules":"chess"}}"#).contains("no preset is called"));
    assert!(why(r#"{"ask":"read","record":"{}"}"#).contains("not a game record"));
    let over = think("sija", Some("5/5/5/5/bbb2 b m - 0"), "easy").to_string();
    assert!(why(&over).contains("start: "));
    assert!(why(&format!(r#"{{"ask":"read","record":"{}"}}"#, "x".repeat(3 << 20))).contains("limit"));
    // It still answers.
    server.ask(&think("kawu/9", None, "strong"));
}

#[test]
fn tables_tell_what_is_exact() {
    let folder = tempfile::tempdir().unwrap();
    let tables = folder.path().join("seega").display().to_string();
    let built = Command::new(env!("CARGO_BIN_EXE_seega"))
        .args(["exact", "build", "--rules", "seega", "--stones", "3", "--dir", &tables])
        .output()
        .expect("the command starts");
    assert!(built.status.success(), "{built:?}");
    let server = serve(&["--models", "nowhere", "--tables", folder.path().to_str().unwrap()]);
    // White takes the last stone at once.
    let won = server.ask(&think("seega", Some("5/1wb1w/5/5/5 w m - 0"), "strong"));
    assert_eq!(won["exact"], json!({ "winner": "w", "distance": 1 }));
    let unknown = server.ask(&think("seega", None, "strong"));
    assert_eq!(unknown["exact"], Value::Null);
    let others = server.ask(&think("maic", Some("5/1wb1w/5/5/1b3 w m - 0"), "strong"));
    assert_eq!(others["exact"], Value::Null, "there are no tables of these rules");
}

#[test]
fn a_built_page_is_served_as_it_is_and_anything_else_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().to_str().unwrap().to_owned();
    assert!(refused(&["--site", &site]).contains("is no built page: it has no index.html"));
    for (name, text) in [("index.html", "<p>here"), ("engine.json", "{}")] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    std::fs::create_dir(folder.path().join("networks")).unwrap();
    std::fs::write(folder.path().join("networks/a.safetensors"), [1, 2, 3]).unwrap();
    let server = serve(&["--site", &site]);
    assert_eq!(server.get("/").2, b"<p>here");
    assert_eq!(server.get("/networks/a.safetensors").2, [1, 2, 3]);
    assert_eq!(server.post(r#"{"ask":"presets"}"#).0, 404);

    // An address that is taken, and a network that is none.
    assert!(refused(&["--site", &site, "--listen", &server.address]).contains("--listen names another port"));
    std::fs::write(folder.path().join("b.safetensors"), "no network").unwrap();
    assert!(refused(&["--models", &site]).contains("b.safetensors"));
}
