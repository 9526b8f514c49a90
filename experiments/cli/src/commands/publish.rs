//! `seega publish`: the network of a run as it goes into the zoo: its file, a card that tells how it was made and how
//! strong it is, and its curve.

use std::fmt::Write as _;
use std::fs;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::available_parallelism;

use anyhow::{Context, bail};
use indicatif::ProgressBar;
use seega_arena::ladder::{LadderRow, LadderSettings, climb};
use seega_arena::{Observer, PlayedGame, Seats};
use seega_files::{sha256, write_atomically};
use seega_models::checkpoint::Checkpoint;
use seega_players::PlayerSpec;
use seega_rules::Rules;
use seega_rules::record::GameRecord;
use seega_search::baseline::Limit;
use seega_train::{GenerationTimes, Recipe};

use crate::bar;
use crate::curves::{Chart, Tables};
use crate::interrupt;
use crate::options::parse_games;

/// Measures the network of a run, and writes it for others: DIR/NAME.safetensors, DIR/NAME.md with recipe, time and ladder,
/// DIR/NAME.svg with the curve.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The run folder.
    run: PathBuf,

    /// Where to write.
    #[arg(long, value_name = "DIR", default_value = "models/zoo")]
    out: PathBuf,

    /// What it is called there; without it, as the run folder is.
    #[arg(long)]
    name: Option<String>,

    /// Writes over what is there under that name.
    #[arg(long)]
    replace: bool,

    /// Games against each opponent, from each kind of start; an even number.
    #[arg(long, default_value_t = 400, value_parser = parse_games)]
    games: u32,

    /// Simulations of the network's moves.
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    simulations: u32,

    /// The opponents.
    #[arg(long, value_name = "PLAYER", num_args = 1.., default_values = ["greedy", "alphabeta:2", "alphabeta:4", "mcts:1600"])]
    opponents: Vec<PlayerSpec>,
}

/// Measures and writes.
pub fn run(arguments: &Arguments, output: &mut impl Write) -> anyhow::Result<()> {
    let run = &arguments.run;
    let name = match &arguments.name {
        Some(name) => name.clone(),
        None => run.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
    };
    if name.is_empty() || name.contains(['/', '\\']) {
        bail!("{name:?} is no name of a file; give one with --name");
    }
    let path = run.join("run.toml");
    let text = fs::read_to_string(&path).with_context(|| format!("{}: can't be read", path.display()))?;
    let recipe = Recipe::read(&text, &[]).with_context(|| path.display().to_string())?;
    let tables = Tables::read(run)?;
    // A generation's own file stays what it is while the run goes on.
    let generation = tables.metrics.len();
    let network = |generation: usize| -> anyhow::Result<(PathBuf, Checkpoint)> {
        let path = run.join(format!("checkpoints/gen-{generation:04}.safetensors"));
        let checkpoint = Checkpoint::read(&path).with_context(|| path.display().to_string())?;
        Ok((path, checkpoint))
    };
    let (model, checkpoint) = network(generation)?;
    let (_, first) = network(0)?;
    if checkpoint.about.step == 0 {
        bail!("{}: the run has not learnt anything yet", run.display());
    }
    let file = |extension: &str| arguments.out.join(format!("{name}.{extension}"));
    if let Some(there) = ["safetensors", "md", "svg"].map(file).into_iter().find(|file| file.exists())
        && !arguments.replace
    {
        bail!("{}: is there already; --replace writes over it, --name takes another name", there.display());
    }
    fs::create_dir_all(&arguments.out).with_context(|| arguments.out.display().to_string())?;

    let stop = interrupt::flag()?;
    let mut ladders = Vec::new();
    for rules in &recipe.rules {
        ladders.push((rules.named.name.clone(), measure(arguments, &model, &rules.named.rules, stop)?));
    }
    let write = |path: PathBuf, bytes: &[u8]| {
        write_atomically(&path, |file| file.write_all(bytes)).with_context(|| path.display().to_string())
    };
    let bytes = checkpoint.to_bytes()?;
    write(file("safetensors"), &bytes)?;
    write(file("svg"), curve(&tables).draw()?.as_bytes())?;
    let parent = first.about.parent;
    let card =
        Card { name: &name, recipe: &recipe, checkpoint: &checkpoint, parent, sha256: sha256(&bytes), tables: &tables };
    let card = card.text(arguments, &GenerationTimes::read(run), &ladders);
    write(file("md"), card.as_bytes())?;
    writeln!(output, "{card}\nWritten: {}, .md and .svg", file("safetensors").display())?;
    Ok(())
}

/// The scores against all opponents, from both kinds of starts.
fn measure(arguments: &Arguments, model: &Path, rules: &Rules, stop: &AtomicBool) -> anyhow::Result<Vec<LadderRow>> {
    /// Other openings than any that a run measured itself by.
    const SEED: u64 = 1_000_003;
    let measured = PlayerSpec::Net { path: model.to_owned(), limit: Limit::Work(arguments.simulations) };
    let mut workers: Vec<Seats> = Vec::new();
    for _ in 0..available_parallelism().map_or(1, usize::from) {
        let players = std::iter::once(&measured).chain(&arguments.opponents);
        workers.push(players.map(|player| player.build(rules, false)).collect::<Result<Seats, _>>()?);
    }
    let settings = LadderSettings { rules: *rules, pairs: arguments.games / 2, seed: SEED };
    let names: Vec<String> = arguments.opponents.iter().map(ToString::to_string).collect();
    let mut watch = Watch(bar::games(2 * u64::from(arguments.games) * names.len() as u64));
    let rows = climb(&settings, &names, &mut workers, stop, &mut watch)?;
    watch.0.finish_and_clear();
    if stop.load(Ordering::Relaxed) {
        bail!("stopped; nothing was written");
    }
    Ok(rows)
}

/// Counts games.
struct Watch(ProgressBar);

impl Observer for Watch {
    fn game_over(&mut self, _: usize, _: &PlayedGame, _: Option<GameRecord>) -> ControlFlow<()> {
        self.0.inc(1);
        ControlFlow::Continue(())
    }
}

/// The curve of a run: its ladder, where it was measured more than once, and else its losses.
fn curve(tables: &Tables) -> Chart {
    let ladder = Chart {
        name: "ladder",
        title: "Score from four random plies (95 % intervals)".to_owned(),
        y: "score",
        percent: true,
        series: tables.ladder("plies4"),
    };
    if ladder.series.iter().any(|series| series.points.len() > 1) {
        return ladder;
    }
    let series =
        [("loss_policy", "policy"), ("loss_result", "result")].map(|(column, label)| tables.metric(column, label));
    Chart { name: "loss", title: "Losses".to_owned(), y: "loss", percent: false, series: series.into() }
}

/// What is told of a network.
struct Card<'a> {
    name: &'a str,
    recipe: &'a Recipe,
    checkpoint: &'a Checkpoint,
    /// The SHA-256 of the network with which the run began, if with one.
    parent: Option<String>,
    sha256: String,
    tables: &'a Tables,
}

impl Card<'_> {
    /// The card, as Markdown.
    fn text(&self, arguments: &Arguments, times: &[GenerationTimes], ladders: &[(String, Vec<LadderRow>)]) -> String {
        let Card { name, recipe, checkpoint, parent, sha256, tables } = self;
        let architecture = checkpoint.about.architecture;
        let rules: Vec<&str> = recipe.rules.iter().map(|rules| &*rules.named.name).collect();
        let sum = |column: &str| -> f64 {
            tables.metrics.iter().filter_map(|row| row.get(column)?.parse::<f64>().ok()).sum()
        };
        let hours = |seconds: fn(&GenerationTimes) -> f64| times.iter().map(seconds).sum::<f64>() / 3600.0;
        let mut text = format!("# {name}\n\n| | |\n|---|---|\n");
        let mut row = |head: &str, told: String| {
            let _ = writeln!(text, "| {head} | {told} |");
        };
        row("rules", rules.join(", "));
        row("network", format!("{} channels, {} blocks", architecture.channels, architecture.blocks));
        row("SHA-256", format!("`{sha256}`"));
        row("made by", format!("seega {}, `seega train` with the recipe below", env!("CARGO_PKG_VERSION")));
        if let Some(parent) = parent {
            row(
                "begun with",
                format!("the network with the SHA-256 `{parent}`: what made that one is not counted here"),
            );
        }
        let stones = recipe.numbers.table_stones;
        if stones > 0 {
            row(
                "endgame tables",
                format!(
                    "played self-play's games with up to {stones} stones to their end: it did not learn from nothing"
                ),
            );
        }
        row("seed", recipe.numbers.seed.to_string());
        row("generations", tables.metrics.len().to_string());
        row(
            "self-play",
            format!(
                "{:.0} games, {:.0} positions, {:.0} evaluations",
                sum("games"),
                sum("positions"),
                sum("evaluations")
            ),
        );
        row("training", format!("{} steps of {} positions", checkpoint.about.step, recipe.numbers.batch));
        let unknown = match tables.metrics.len().saturating_sub(times.len()) {
            0 => String::new(),
            generations => format!(", {generations} generations not counted"),
        };
        row(
            "time",
            format!(
                "{:.2} h with {} workers and {} threads of the trainer: self-play {:.2} h, training {:.2} h, the rest {:.2} h; \
                 measuring on the way not counted{unknown}",
                hours(GenerationTimes::total),
                recipe.numbers.workers,
                recipe.numbers.train_threads,
                hours(|times| times.selfplay),
                hours(|times| times.training),
                hours(|times| times.waiting + times.writing)
            ),
        );
        for (rules, rows) in ladders {
            let _ = write!(
                text,
                "\n## Against others by {rules}\n\nWith {} simulations a move, {} games from each kind of start (four random \
                 plies, all stones placed at random), each opening with both colours. Scores in per cent with 95 % intervals \
                 of pairs.\n\n| against | start | won | drawn | lost | score |\n|---|---|---|---|---|---|\n",
                arguments.simulations, arguments.games
            );
            for LadderRow { opponent, start, wins, draws, losses, score, low, high, .. } in rows {
                let [score, low, high] = [score, low, high].map(|value| 100.0 * value);
                let _ = writeln!(
                    text,
                    "| `{opponent}` | {start} | {wins} | {draws} | {losses} | {score:.1} ({low:.1} to {high:.1}) |"
                );
            }
        }
        let _ = write!(text, "\n![Curve]({name}.svg)\n\n## Recipe\n\n```toml\n{}```\n", recipe.to_toml());
        text
    }
}
