//! `seega export`: a network as files for other programs, checked before they are called done.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::Context;
use seega_models::checkpoint::NamedRules;
use seega_models::export::{Check, Exported, export};
use seega_models::tch;

use crate::options::named_rules;

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

    /// Golden positions of each rule set, 1 to 1000.
    #[arg(long, value_name = "N", default_value = "8", value_parser = parse_positions)]
    positions: NonZeroUsize,

    /// Rules of golden positions beside those on which the network was trained, such as siga/7:chain=none; may be given
    /// several times. What the network says there means nothing, but another program's inputs can be held against it.
    #[arg(long, value_name = "RULES")]
    also: Vec<String>,
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
    let also = arguments.also.iter().map(|name| {
        let (rules, _) = named_rules(name)?;
        Ok(NamedRules { name: name.clone(), rules })
    });
    let also = also.collect::<anyhow::Result<Vec<NamedRules>>>()?;
    let Exported { card, files } = export(&arguments.model, &arguments.out, arguments.positions, &also)
        .with_context(|| format!("exporting {}", arguments.model.display()))?;
    for path in files {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let about = match card.files.get(name) {
            Some(file) => format!("{} bytes, SHA-256 {}", file.bytes, file.sha256),
            None => "the model card".to_owned(),
        };
        writeln!(output, "{}: {about}", path.display())?;
    }
    let of_rules = card.trained_on.iter().chain(&also);
    let of_rules: Vec<String> = of_rules.map(|known| format!("{} ({})", known.name, known.rules.size)).collect();
    let Check { positions, largest_difference, tolerance } = card.check;
    writeln!(
        output,
        "Checked on {positions} positions of {}: the ONNX file gives what libtorch gives \
         (largest difference {largest_difference:.1e}, allowed {tolerance:.0e}).",
        of_rules.join(", "),
    )?;
    Ok(())
}
