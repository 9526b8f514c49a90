//! `seega play`: a game in the terminal, of people and players in any mixture.

mod game;
mod input;

use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};

use rand::SeedableRng;
use rand::rngs::SmallRng;
use seega_players::{ParsePlayerError, Player, PlayerSpec, Turn};
use seega_rules::{Action, BySide, GameInPlay, Rules, Side};

use crate::board::{state, write_actions, write_board};
use crate::options::{PositionOption, RulesOptions};
use crate::records;
use game::{act, changed, end_in_words};
use input::Command;

/// Plays a game in the terminal: a person against any player, two persons, or two players.
///
/// Players are human, random, greedy, alphabeta:DEPTH, mcts:PLAYOUTS, net:PATH@SIMULATIONS or policy:PATH; with a time
/// per move alphabeta:0.5s.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    rules: RulesOptions,

    /// Who plays White, the side that places first.
    #[arg(long, value_name = "PLAYER", default_value = "human")]
    white: Seat,

    /// Who plays Black.
    #[arg(long, value_name = "PLAYER", default_value = "human")]
    black: Seat,

    #[command(flatten)]
    position: PositionOption,

    /// The players' chance comes from this; without it, every game is another.
    #[arg(long)]
    seed: Option<u64>,

    /// Writes the game to a new file of records, .jsonl or .jsonl.gz, ply by ply.
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,

    /// Lets networks play by rules on which they were not trained.
    #[arg(long)]
    force: bool,
}

/// Who plays a side.
#[derive(Clone, Debug)]
enum Seat {
    Human,
    Player(PlayerSpec),
}

impl FromStr for Seat {
    type Err = ParsePlayerError;

    fn from_str(text: &str) -> Result<Seat, ParsePlayerError> {
        if text == "human" { Ok(Seat::Human) } else { text.parse().map(Seat::Player) }
    }
}

impl Seat {
    fn name(&self) -> String {
        match self {
            Seat::Human => "human".to_owned(),
            Seat::Player(spec) => spec.to_string(),
        }
    }

    fn build(&self, rules: &Rules, force: bool) -> anyhow::Result<Option<Box<dyn Player>>> {
        match self {
            Seat::Human => Ok(None),
            Seat::Player(spec) => Ok(Some(spec.build(rules, force)?)),
        }
    }
}

/// The game with those who play it.
struct Table {
    game: GameInPlay,
    /// The players; a side without one is a person's.
    players: BySide<Option<Box<dyn Player>>>,
    random: SmallRng,
    /// Asking for a hint leaves the game's chance as it is.
    hint_random: SmallRng,
    /// Where the game is saved, and the name of its rules.
    save: Option<(PathBuf, String)>,
}

/// Whether the game goes on.
enum Next {
    GoOn,
    Leave,
}

/// Plays until the game is over, given up, or left.
pub fn run(arguments: &Arguments, input: &mut impl BufRead, output: &mut impl Write) -> anyhow::Result<()> {
    let rules = arguments.rules.rules()?;
    let position = arguments.position.position(&rules)?;
    if let Some(path) = &arguments.save {
        records::check_new(path)?;
    }
    let (white, black) = (&arguments.white, &arguments.black);
    let players = BySide { white: white.build(&rules, arguments.force)?, black: black.build(&rules, arguments.force)? };
    let people = players.white.is_none() || players.black.is_none();
    let seed = arguments.seed.unwrap_or_else(any_seed);
    let mut table = Table {
        game: GameInPlay::begin(rules, position),
        players,
        random: SmallRng::seed_from_u64(seed),
        hint_random: SmallRng::seed_from_u64(!seed),
        save: arguments.save.clone().map(|path| (path, arguments.rules.name())),
    };
    writeln!(
        output,
        "{}, {}: White {}, Black {}, seed {seed}",
        arguments.rules.name(),
        rules.size,
        white.name(),
        black.name()
    )?;
    if people {
        writeln!(output, "help tells what may be typed.")?;
    }
    table.play(input, output)?;
    if let Some(path) = &arguments.save {
        match table.save()? {
            true => writeln!(output, "Saved to {}.", path.display())?,
            false => writeln!(output, "Nothing was played, so nothing is saved.")?,
        }
    }
    Ok(())
}

/// Another seed each time, short enough to be typed.
fn any_seed() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| u64::from(time.subsec_nanos()))
}

impl Table {
    fn play(&mut self, input: &mut impl BufRead, output: &mut impl Write) -> anyhow::Result<()> {
        while !self.game.is_over() {
            let mover = self.game.position().mover();
            match self.players[mover].is_some() {
                true => self.player_acts(mover, output)?,
                false => {
                    write_board(self.game.position(), changed(&self.game), output)?;
                    writeln!(output, "{}", state(self.game.rules(), self.game.position()))?;
                    if let Next::Leave = self.person_acts(mover, input, output)? {
                        return Ok(writeln!(output, "Left after {} plies.", self.game.plies().len())?);
                    }
                }
            }
            output.flush()?;
            self.save()?;
        }
        write_board(self.game.position(), changed(&self.game), output)?;
        Ok(writeln!(output, "{}", end_in_words(&self.game))?)
    }

    /// Writes the game so far to its file, so that it is there however the program ends. Gives whether there is
    /// anything to save.
    fn save(&self) -> anyhow::Result<bool> {
        let Some((path, rules_name)) = &self.save else { return Ok(false) };
        match self.game.record(rules_name) {
            Some(record) => records::write(path, [&record]).map(|()| true),
            None => {
                // All that was played is taken back.
                if path.exists() {
                    std::fs::remove_file(path)?;
                }
                Ok(false)
            }
        }
    }

    fn player_acts(&mut self, mover: Side, output: &mut impl Write) -> anyhow::Result<()> {
        let action = ask(&mut self.players[mover], &self.game, &mut self.random)?;
        match action.map(|action| act(&mut self.game, action)) {
            Some(Ok(told)) => Ok(writeln!(output, "{told}")?),
            Some(Err(why)) => {
                writeln!(output, "{mover} played what is not legal: {why}.")?;
                self.game.forfeit(mover);
                Ok(())
            }
            None => anyhow::bail!("{mover}'s player gave no action"),
        }
    }

    /// Reads lines until one of them changes the game or leaves it.
    fn person_acts(&mut self, mover: Side, input: &mut impl BufRead, output: &mut impl Write) -> anyhow::Result<Next> {
        loop {
            write!(output, "{mover}> ")?;
            output.flush()?;
            let Some(line) = input::read_line(input)? else {
                writeln!(output)?;
                return Ok(Next::Leave);
            };
            match Command::parse(&line) {
                Err(why) => writeln!(output, "{why}; help tells more.")?,
                Ok(Command::Nothing) => {}
                Ok(Command::Help) => writeln!(output, "{}", input::HELP)?,
                Ok(Command::Moves) => write_actions(self.game.rules(), self.game.position(), output)?,
                Ok(Command::Hint) => self.hint(mover, output)?,
                Ok(Command::Quit) => return Ok(Next::Leave),
                Ok(Command::Resign) => {
                    self.game.resign(mover);
                    return Ok(Next::GoOn);
                }
                Ok(Command::Undo) => {
                    let players = &self.players;
                    if self.game.take_back(|side| players[side].is_none()) {
                        return Ok(Next::GoOn);
                    }
                    writeln!(output, "There is nothing to take back.")?;
                }
                Ok(Command::Act(action)) => match act(&mut self.game, action) {
                    Ok(told) => {
                        writeln!(output, "{told}")?;
                        return Ok(Next::GoOn);
                    }
                    Err(why) => writeln!(output, "{action} is not legal: {why}.")?,
                },
            }
        }
    }

    /// What the other side's player would do.
    fn hint(&mut self, mover: Side, output: &mut impl Write) -> anyhow::Result<()> {
        let action = ask(&mut self.players[mover.other()], &self.game, &mut self.hint_random)?;
        match action {
            Some(action) => writeln!(output, "{} would play {action}.", mover.other())?,
            None => writeln!(output, "There is no player to ask: both sides are played by people.")?,
        }
        Ok(())
    }
}

/// What a player, if there is one, would do.
fn ask(
    player: &mut Option<Box<dyn Player>>,
    game: &GameInPlay,
    random: &mut SmallRng,
) -> anyhow::Result<Option<Action>> {
    match player {
        Some(player) => {
            let turn = Turn { rules: game.rules(), position: *game.position(), random };
            Ok(player.choose(&mut [turn])?.first().copied())
        }
        None => Ok(None),
    }
}
