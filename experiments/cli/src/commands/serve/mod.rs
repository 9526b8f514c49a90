//! `seega serve`: the page to play on, from this machine. What is sent is in `site`, who thinks in `thinkers`.

mod site;
mod thinkers;

use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::Context as _;

use site::Site;
use thinkers::Thinkers;

/// Serves a page to play on, with the networks and endgame tables of this machine.
///
/// Without --site the networks run here: as many positions side by side as there are cores. With --site a folder is served as
/// it is, such as models/frontends/web/build.py makes: there the networks run in the browser.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Where it listens. 127.0.0.1 is heard on this machine alone, 0.0.0.0 by every machine that can reach this one.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8000")]
    listen: SocketAddr,

    /// A folder of networks; each plays by the rules on which it was trained.
    #[arg(long, value_name = "DIR", default_value = "models/zoo")]
    models: PathBuf,

    /// A folder of endgame tables, a folder in it for each rule set, as `seega exact build` makes them.
    #[arg(long, value_name = "DIR", default_value = "tables")]
    tables: PathBuf,

    /// Serves a page that was built for any host, in which browsers think.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["models", "tables"])]
    site: Option<PathBuf>,
}

/// Serves until the program is ended.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let site = match &arguments.site {
        Some(folder) => Site::of_folder(folder)?,
        None => Site::thinking_here(Thinkers::new(&arguments.models, &arguments.tables)?),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind(arguments.listen).await.with_context(|| {
            format!("{} can't be listened on; another --listen names another port", arguments.listen)
        })?;
        eprintln!("{}", site.told());
        eprintln!("http://{}/ (Ctrl-C ends it)", listener.local_addr()?);
        axum::serve(listener, site.router()).await.context("serving failed")
    })
}
