//! `seega exact verify`: the tables against what the rules say of one turn.

use std::io::Write;
use std::time::Instant;

use anyhow::bail;
use seega_exact::{Class, Tables, verify};

use super::Place;
use crate::commands::Verdict;
use crate::interrupt;

/// Checks every position of the tables: its value must be the best of what its turns lead to.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    place: Place,

    /// Only classes with up to so many stones in all.
    #[arg(long, value_name = "N")]
    stones: Option<u8>,
}

/// Checks, and tells the first disagreement of each class.
pub fn run(arguments: &Arguments, output: &mut impl Write) -> anyhow::Result<Verdict> {
    let rules = arguments.place.rules.rules()?;
    let tables = Tables::open(&arguments.place.folder(), &rules)?;
    let most = arguments.stones.unwrap_or(u8::MAX);
    let classes: Vec<Class> = tables.classes().map(|(class, _)| class).filter(|class| class.stones() <= most).collect();
    if classes.is_empty() {
        bail!("there are no classes with {most} stones or fewer among the tables");
    }
    let stop = interrupt::flag()?;
    let mut verdict = Verdict::Fine;
    let mut all = 0;
    for class in classes {
        let (start, Class { mover, opponent }) = (Instant::now(), class);
        match verify(&tables, class, stop)? {
            None => bail!("stopped; {all} boards were checked"),
            Some(Ok(boards)) => {
                all += boards;
                writeln!(output, "{mover}v{opponent}: {boards} boards agree, {:.1} s", start.elapsed().as_secs_f64())?;
            }
            Some(Err(found)) => {
                verdict = Verdict::Disagreement;
                writeln!(
                    output,
                    "{mover}v{opponent}: {} with {} turns left is {:?} in the table, but its turns lead to {:?}",
                    found.position, found.left, found.told, found.found
                )?;
            }
        }
        output.flush()?;
    }
    writeln!(output, "{all} boards agree, one of each eight that are symmetric, and those after skipped turns")?;
    Ok(verdict)
}
