//! The game at the table, in words.

use seega_rules::{Action, Bitboard, GameInPlay};

use crate::board::{changed_squares, square_list, state};

/// The squares that the last ply changed.
pub fn changed(game: &GameInPlay) -> Bitboard {
    game.plies().last().map_or(Bitboard::EMPTY, |ply| changed_squares(ply.action, ply.captured))
}

/// Does an action and tells it in words, or why it is not legal.
pub fn act(game: &mut GameInPlay, action: Action) -> Result<String, &'static str> {
    let ply = game.play(action).map_err(|illegal| illegal.why)?;
    let mut told = format!("{}: {action}", ply.before.mover());
    if !ply.captured.is_empty() {
        told += &format!(", takes {}", square_list(ply.captured));
    }
    if game.position().chain().is_some() && !game.is_over() {
        told += if game.rules().chain_optional { ", and may go on" } else { ", and must go on" };
    }
    if let Some(side) = game.skipped() {
        told += &format!("\n{side} has no step: the turn is skipped");
    }
    Ok(told)
}

/// How the game ended.
pub fn end_in_words(game: &GameInPlay) -> String {
    match (game.position().outcome(), game.result()) {
        (None, Some((result, reason))) => match result.winner() {
            Some(winner) => format!("The game is over: {winner} wins ({}).", reason.name()),
            None => format!("The game is over: draw ({}).", reason.name()),
        },
        _ => state(game.rules(), game.position()),
    }
}
