//! `seega show`: draws a position in the terminal, with its legal actions and what they capture.

use std::io::Write;

use anyhow::Context;
use seega_rules::{Action, ActionList, Bitboard, Phase, Position, Rules, Side, Square};

use crate::options::{PositionOption, RulesOptions};

/// Draws a position, with its legal actions and what they capture.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    rules: RulesOptions,

    #[command(flatten)]
    position: PositionOption,

    /// Actions to do first: squares to place on (c2), steps (d4-c3), stop.
    #[arg(value_name = "ACTION")]
    actions: Vec<String>,
}

/// Writes the drawing of the position after the actions.
pub fn run(arguments: &Arguments, output: &mut impl Write) -> anyhow::Result<()> {
    let rules = arguments.rules.rules()?;
    let mut position = arguments.position.position(&rules)?;
    let mut changed = Bitboard::EMPTY;
    for (index, text) in arguments.actions.iter().enumerate() {
        let place = || format!("action {} ({text:?})", index + 1);
        let action: Action = text.parse().with_context(place)?;
        let captured = position.play(&rules, action).with_context(place)?;
        changed = match action {
            Action::Place(square) => Bitboard::of(square),
            Action::Step { from, to } => captured.with(from).with(to),
            Action::Stop => Bitboard::EMPTY,
        };
    }
    writeln!(output, "{}, {}", arguments.rules.name(), rules.size)?;
    write_board(&position, changed, output)?;
    writeln!(output, "{position}")?;
    writeln!(output, "{}", state(&rules, &position))?;
    write_actions(&rules, &position, output)
}

/// The board, the last ply's squares in brackets.
fn write_board(position: &Position, changed: Bitboard, output: &mut impl Write) -> anyhow::Result<()> {
    let side = position.size().side();
    writeln!(output)?;
    for rank in (0..side).rev() {
        let mut row = format!("{:>2} ", rank + 1);
        for square in (0..side).filter_map(|file| Square::new(file, rank)) {
            let stone = match position.stone_on(square) {
                Some(Side::White) => '○',
                Some(Side::Black) => '●',
                None if square == position.size().center() => '+',
                None => '·',
            };
            let (open, close) = if changed.contains(square) { ('[', ']') } else { (' ', ' ') };
            row.extend([open, stone, close]);
        }
        match rank {
            1 => row += &format!("   ○ White {}", position.stones(Side::White).count()),
            0 => row += &format!("   ● Black {}", position.stones(Side::Black).count()),
            _ => {}
        }
        writeln!(output, "{}", row.trim_end())?;
    }
    let files: String = (0..side).map(|file| format!(" {} ", (b'a' + file) as char)).collect();
    writeln!(output, "   {}\n", files.trim_end())?;
    Ok(())
}

/// Who does what next, in words.
fn state(rules: &Rules, position: &Position) -> String {
    if let Some(outcome) = position.outcome() {
        return format!("The game is over: {outcome}.");
    }
    let mover = position.mover();
    let mut text = match position.phase() {
        Phase::Placement { left: 1 } => format!("{mover} places a stone"),
        Phase::Placement { left } => format!("{mover} places {left} stones"),
        Phase::Movement => format!("{mover} moves"),
        Phase::Opening => format!("{}'s turn is skipped; {mover} must let it move if it can", position.opponent()),
    };
    if let Some(chain) = position.chain() {
        let times = if chain.captures == 1 { "once".to_owned() } else { format!("{} times", chain.captures) };
        text += &format!(", having captured {times} in this turn, last with {}", chain.square);
    }
    if !position.is_placement() {
        text += &format!("; {} of {} quiet turns", position.quiet(), rules.quiet_limit);
    }
    text + "."
}

/// The legal actions: those that capture with what they take, then the others.
fn write_actions(rules: &Rules, position: &Position, output: &mut impl Write) -> anyhow::Result<()> {
    let mut actions = ActionList::new();
    position.legal_actions(rules, &mut actions);
    let (mut capturing, mut quiet) = (Vec::new(), Vec::new());
    for action in actions {
        let captured = match action {
            Action::Step { from, to } => position.captures(rules, from, to),
            Action::Place(_) | Action::Stop => Bitboard::EMPTY,
        };
        if captured.is_empty() {
            quiet.push(action.to_string());
        } else {
            let mut taken: Vec<String> = captured.iter().map(|square| square.to_string()).collect();
            taken.sort_unstable();
            capturing.push(format!("{action} ({})", taken.join(", ")));
        }
    }
    capturing.sort_unstable();
    quiet.sort_unstable();
    for (heading, list, separator) in [("Captures", capturing, "; "), ("Legal", quiet, " ")] {
        if !list.is_empty() {
            writeln!(output, "{heading} ({}): {}", list.len(), list.join(separator))?;
        }
    }
    Ok(())
}
