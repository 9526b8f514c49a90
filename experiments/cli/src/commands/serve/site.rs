//! What is sent: the page's files, and answers to its questions.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use axum::body::Bytes;
use axum::extract::{State, rejection::JsonRejection};
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use seega_web::ask::Question;
use serde_json::json;

use super::thinkers::Thinkers;

/// A page and, where this machine thinks for it, who does.
pub struct Site {
    /// By path, without the slash before it.
    files: BTreeMap<String, Bytes>,
    thinkers: Option<Arc<Thinkers>>,
}

/// The most bytes of a folder that is served: it is kept in memory.
const MOST_BYTES: u64 = 256 << 20;

impl Site {
    /// The page that came with the program.
    pub fn thinking_here(thinkers: Thinkers) -> Site {
        let files = seega_web::page::FILES.iter();
        let mut files: BTreeMap<String, Bytes> =
            files.map(|file| (file.path.to_owned(), Bytes::from_static(file.bytes))).collect();
        files.insert("engine.json".to_owned(), thinkers.about().to_string().into_bytes().into());
        Site { files, thinkers: Some(Arc::new(thinkers)) }
    }

    /// A page that was built, as it is.
    pub fn of_folder(folder: &Path) -> anyhow::Result<Site> {
        let mut files = BTreeMap::new();
        let mut left = MOST_BYTES;
        read_folder(folder, "", &mut files, &mut left)?;
        for needed in ["index.html", "engine.json"] {
            anyhow::ensure!(
                files.contains_key(needed),
                "{} is no built page: it has no {needed} (models/frontends/web/build.py makes one)",
                folder.display()
            );
        }
        Ok(Site { files, thinkers: None })
    }

    /// In words, what is served.
    pub fn told(&self) -> String {
        self.thinkers.as_ref().map_or("browsers think".to_owned(), |thinkers| thinkers.told())
    }

    /// What answers requests.
    pub fn router(self) -> Router {
        Router::new().route("/ask", post(ask)).fallback(get(file)).with_state(Arc::new(self))
    }
}

fn read_folder(folder: &Path, below: &str, files: &mut BTreeMap<String, Bytes>, left: &mut u64) -> anyhow::Result<()> {
    let told = || folder.display().to_string();
    for entry in fs::read_dir(folder).with_context(told)? {
        let entry = entry.with_context(told)?;
        let (path, name) = (entry.path(), entry.file_name());
        let name = format!("{below}{}", name.to_string_lossy());
        let kind = entry.file_type().with_context(told)?;
        if kind.is_dir() {
            read_folder(&path, &format!("{name}/"), files, left)?;
        } else if kind.is_file() {
            let length = entry.metadata().with_context(|| path.display().to_string())?.len();
            *left = left
                .checked_sub(length)
                .with_context(|| format!("{}: a page has {} MB at most", folder.display(), MOST_BYTES >> 20))?;
            files.insert(name, fs::read(&path).with_context(|| path.display().to_string())?.into());
        }
    }
    Ok(())
}

async fn file(State(site): State<Arc<Site>>, uri: Uri) -> Response {
    let path = match uri.path().trim_start_matches('/') {
        "" => "index.html",
        path => path,
    };
    match site.files.get(path) {
        // A newer program's page is seen at once.
        Some(bytes) => {
            ([(header::CONTENT_TYPE, kind(path)), (header::CACHE_CONTROL, "no-cache")], bytes.clone()).into_response()
        }
        None => (StatusCode::NOT_FOUND, "there is no such file").into_response(),
    }
}

/// The media type of a file.
fn kind(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, extension)| extension) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    }
}

async fn ask(State(site): State<Arc<Site>>, question: Result<Json<Question>, JsonRejection>) -> Response {
    let refused = |status: StatusCode, why: String| (status, Json(json!({ "error": why }))).into_response();
    let Some(thinkers) = &site.thinkers else {
        return refused(StatusCode::NOT_FOUND, "browsers think for this page".to_owned());
    };
    match question {
        Err(rejection) => refused(rejection.status(), rejection.body_text()),
        Ok(Json(question)) => match Arc::clone(thinkers).answer(question).await {
            Ok(answer) => Json(answer).into_response(),
            Err(error) => refused(StatusCode::BAD_REQUEST, error.to_string()),
        },
    }
}
