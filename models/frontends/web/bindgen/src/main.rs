//! Writes the module that `build.py` compiled, and the JavaScript that calls it, into the page's folder.
//!
//! It is what the tool `wasm-bindgen` does, without what that tool needs for tests of its own, and always in the version
//! of the library, which both ends must share.

use std::env;

use anyhow::{Context as _, bail};
use wasm_bindgen_cli_support::Bindgen;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [module, folder] = &*arguments else { bail!("seega-bindgen MODULE.wasm FOLDER") };
    let mut bindgen = Bindgen::new();
    bindgen
        .input_path(module)
        .web(true)?
        .typescript(false)
        .omit_default_module_path(false)
        .generate(folder)
        .with_context(|| module.clone())
}
