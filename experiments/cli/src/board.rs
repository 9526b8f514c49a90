//! A position for people: the board drawn in letters, who does what next, and what is legal.

use std::io::Write;

use seega_rules::{Action, ActionList, Bitboard, Phase, Position, Rules, Side, Square};

/// The squares that an action changed, where it captured those.
pub fn changed_squares(action: Action, captured: Bitboard) -> Bitboard {
    match action {
        Action::Place(square) => Bitboard::of(square),
        Action::Step { from, to } => captured.with(from).with(to),
        Action::Stop => Bitboard::EMPTY,
    }
}

/// Squares in words, sorted, such as `b2, c4`.
pub fn square_list(squares: Bitboard) -> String {
    let mut texts: Vec<String> = squares.iter().map(|square| square.to_string()).collect();
    texts.sort_unstable();
    texts.join(", ")
}

/// The board, the last ply's squares in brackets.
pub fn write_board(position: &Position, changed: Bitboard, output: &mut impl Write) -> anyhow::Result<()> {
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
pub fn state(rules: &Rules, position: &Position) -> String {
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
pub fn write_actions(rules: &Rules, position: &Position, output: &mut impl Write) -> anyhow::Result<()> {
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
            capturing.push(format!("{action} ({})", square_list(captured)));
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
