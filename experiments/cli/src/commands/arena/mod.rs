//! `seega arena`: who is stronger, and how sure that is.

mod live;
mod round_robin;
mod score;
mod session;
mod show;
mod sprt;
mod two_players;

use std::io::Write;

use clap::Subcommand;

/// What helps end with.
const PLAYERS: &str = "Players: random; greedy, which takes what it can; alphabeta:DEPTH, which searches 30,000 positions \
at most; mcts:PLAYOUTS; with a network net:PATH@SIMULATIONS and policy:PATH; with \
endgame tables exact:DIR, elsewhere as alphabeta:4. With a time for each move: alphabeta:0.5s, \
mcts:0.5s, net:PATH@0.5s.\n\nGames come in pairs that share an opening, with colours swapped.";

/// Measures players against each other.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Match(two_players::Arguments),
    Sprt(sprt::Arguments),
    RoundRobin(round_robin::Arguments),
    Score(score::Arguments),
}

/// Plays and writes what came of it.
pub fn run(arguments: &Arguments, output: &mut impl Write) -> anyhow::Result<()> {
    match &arguments.command {
        Command::Match(arguments) => two_players::run(arguments, output),
        Command::Sprt(arguments) => sprt::run(arguments, output),
        Command::RoundRobin(arguments) => round_robin::run(arguments, output),
        Command::Score(arguments) => score::run(arguments, output),
    }
}
