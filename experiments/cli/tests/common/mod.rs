//! What the tests of the built command share: running it, and files that go away.

// Each file of tests uses its share of this.
#![allow(dead_code)]

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// How a run ended.
#[derive(Debug)]
pub struct Ended {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

pub fn seega<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Ended {
    seega_told(arguments, b"")
}

/// Runs with an input, which ends after it.
pub fn seega_told<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>, input: &[u8]) -> Ended {
    let mut child = Command::new(env!("CARGO_BIN_EXE_seega"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    // Inputs are short enough for the pipe. A command that has left already reads nothing: its end tells why.
    let _ = child.stdin.take().expect("the input is a pipe").write_all(input);
    let Output { status, stdout, stderr } = child.wait_with_output().expect("the command ends");
    let text = |bytes| String::from_utf8(bytes).expect("the output is UTF-8");
    Ended { code: status.code(), out: text(stdout), err: text(stderr) }
}

/// Runs words separated by spaces.
pub fn run(words: &str) -> Ended {
    seega(words.split(' '))
}

/// Asserts that the input is refused with one line that holds `told`, and without output.
pub fn assert_refused(ended: &Ended, told: &str) {
    assert_eq!((ended.code, &*ended.out), (Some(2), ""), "{ended:?}");
    assert_eq!(ended.err.lines().count(), 1, "{ended:?}");
    assert!(ended.err.starts_with("seega: ") && ended.err.contains(told), "{told:?} is not in {ended:?}");
}

/// A file or folder that is removed in the end.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new(name: &str, content: impl AsRef<[u8]>) -> Scratch {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{name}", std::process::id()));
        fs::write(&path, content).unwrap();
        Scratch(path)
    }

    /// A file or folder that does not exist yet.
    pub fn missing(name: &str) -> Scratch {
        Scratch(Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{name}", std::process::id())))
    }

    pub fn name(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0).or_else(|_| fs::remove_dir_all(&self.0));
    }
}
