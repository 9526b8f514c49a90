//! The page's files, for a server that has no folder of them.

/// A file of the page.
#[derive(Clone, Copy, Debug)]
pub struct File {
    /// Where it stands, below the page.
    pub path: &'static str,
    /// What is in it.
    pub bytes: &'static [u8],
}

macro_rules! files {
    ($($path:literal),+ $(,)?) => {
        &[$(File { path: $path, bytes: include_bytes!(concat!("../page/", $path)) }),+]
    };
}

/// The page, but for what runs in a worker and for `engine.json`, which says who thinks.
pub static FILES: &[File] = files![
    "app.js",
    "board.js",
    "dialogs.js",
    "engine.js",
    "icon.svg",
    "index.html",
    "kept.js",
    "match.js",
    "panels.js",
    "records.js",
    "rules.js",
    "style.css",
    "texts.js",
    "texts/en.json",
    "texts/hu.json",
    "texts/ru.json",
];
