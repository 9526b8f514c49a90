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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::*;

    /// The files below a folder, as the page names them.
    fn below(folder: &Path, name: &str, found: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{name}{}", entry.file_name().into_string().unwrap());
            if entry.file_type().unwrap().is_dir() {
                below(&entry.path(), &format!("{name}/"), found);
            } else {
                found.insert(name);
            }
        }
    }

    #[test]
    fn a_server_has_every_file_of_the_page_but_the_worker() {
        let mut there = BTreeSet::new();
        below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("page"), "", &mut there);
        assert!(there.remove("worker.js"));
        assert_eq!(FILES.iter().map(|file| file.path.to_owned()).collect::<BTreeSet<_>>(), there);
    }
}
