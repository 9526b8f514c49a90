//! `seega export`: a network as files for other programs, checked before they are called done.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::Context;
use seega_models::export::{Check, Exported, export};
use seega_models::tch;

/// Writes a network as files for other programs: ONNX, the checkpoint, a model card, and golden positions.
///
/// The ONNX file is read back and run, and must give what libtorch gives; else nothing is left of it, and the exit code
/// is 2. models/FORMAT.md tells what the files are.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The network: a checkpoint, `.safetensors`.
    #[arg(long, value_name = "FILE")]
    model: PathBuf,

    /// The folder to write; it is made if it is not there, and files of an earlier export in it are replaced.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// Golden positions of each rule set on which the network was trained, 1 to 1000.
    #[arg(long, value_name = "N", default_value = "8", value_parser = parse_positions)]
    positions: NonZeroUsize,
}

fn parse_positions(text: &str) -> Result<NonZeroUsize, String> {
    match text.parse::<NonZeroUsize>() {
        Ok(positions) if positions.get() <= 1000 => Ok(positions),
        _ => Err("positions go from 1 to 1000".to_owned()),
    }
}

/// Writes the files, and a line on each.
pub fn run(arguments: &Arguments, output: &mut impl Write) -> anyhow::Result<()> {
    // The golden file must not depend on how many cores there are, and a few positions need no more than one.
    tch::set_num_threads(1);
    let Exported { card, files } = export(&arguments.model, &arguments.out, arguments.positions)
        .with_context(|| format!("{}: can't be exported", arguments.model.display()))?;
    for path in files {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let about = match card.files.get(name) {
            Some(file) => format!("{} bytes, SHA-256 {}", file.bytes, file.sha256),
            None => "the model card".to_owned(),
        };
        writeln!(output, "{}: {about}", path.display())?;
    }
    let trained_on: Vec<String> =
        card.trained_on.iter().map(|known| format!("{} ({})", known.name, known.rules.size)).collect();
    let Check { positions, largest_difference, tolerance } = card.check;
    writeln!(
        output,
        "Checked on {positions} positions of {}: the ONNX file gives what libtorch gives \
         (largest difference {largest_difference:.1e}, allowed {tolerance:.0e}).",
        trained_on.join(", "),
    )?;
    Ok(())
}
