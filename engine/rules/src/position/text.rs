//! The text of positions: `board mover phase chain quiet`, such as `bwwbw/bwbwb/bw1bb/wbwww/wwbbb w m - 0`.
//!
//! Reading is strict, so that a text and its position are one to one and every position that is read can be played on.

use std::fmt::{self, Write as _};

use thiserror::Error;

use super::{ChainState, Phase, Position, hash};
use crate::bitboard::Bitboard;
use crate::rules::{Blocked, Chain, Rules};
use crate::side::{BySide, Side};
use crate::square::{BoardSize, Square};
use crate::text::shortened;

/// A text that is no position, or none of a game that goes on.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("wrong position: {0}")]
pub struct ParsePositionError(Wrong);

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
enum Wrong {
    #[error("it has five fields separated by one space (board mover phase chain quiet), not {0}")]
    Fields(usize),
    #[error("the board has {found} ranks separated by '/', not {expected}")]
    Ranks { found: usize, expected: u8 },
    #[error("rank {rank} may hold w, b and digits for runs of empty squares, not {found:?}")]
    Letter { rank: u8, found: char },
    #[error("rank {rank} has two digits in a row; a run of empty squares is one digit")]
    SplitRun { rank: u8 },
    #[error("rank {rank} is not {expected} squares long")]
    RankLength { rank: u8, expected: u8 },
    #[error("the mover is w or b, not {0:?}")]
    Mover(String),
    #[error("the phase is {}, m or o, not {found:?}", placement_phases(*per_turn))]
    Phase { found: String, per_turn: u8 },
    #[error("the chain is - or the stone that captured last and the captures made, such as c3:2, not {0:?}")]
    Chain(String),
    #[error("the quiet counter is a whole number, not {0:?}")]
    Quiet(String),
    #[error("a stone stands on the centre {0}, where none is placed")]
    CenterTaken(Square),
    #[error("before {mover}'s p{left} the stones of White and Black can't be {white} and {black}")]
    PlacementCounts { mover: Side, left: u8, white: u8, black: u8 },
    #[error("{0} in the placement phase")]
    NotInPlacement(&'static str),
    #[error("o follows a turn skipped under blocked = \"must_open\", which these rules don't have")]
    NoOpeningRule,
    #[error("o says that {0}'s turn was skipped, but {0} has a step")]
    NotSkipped(Side),
    #[error("o is the first step of a turn, but a chain is running")]
    OpeningInChain,
    #[error("a chain is running, but these rules have none")]
    NoChainRule,
    #[error("the chain's stone is not {0}'s")]
    ChainStone(Side),
    #[error("a chain of {captures} captures, but no more than {most} stones can have been taken")]
    ChainLength { captures: u8, most: u8 },
    #[error("the turn ended with capture {limit}, the limit")]
    ChainLimit { limit: u32 },
    #[error("the quiet counter is not 0 within a chain")]
    QuietInChain,
    #[error("the game is over: {side} has lost with {stones} stones left (lose_at is {lose_at})")]
    Lost { side: Side, stones: u8, lose_at: u8 },
    #[error("the game is over: the quiet limit of {limit} is reached")]
    QuietLimit { limit: u32 },
    #[error("{side} is to move but has no step{}", if *in_chain { " with which the chain could go on" } else { "" })]
    NoStep { side: Side, in_chain: bool },
}

fn placement_phases(per_turn: u8) -> &'static str {
    if per_turn == 1 { "p1" } else { "p1, p2" }
}

impl Position {
    /// Reads the text of a position that is not over.
    ///
    /// # Errors
    /// The text has not the form of a position; or its fields don't go together (in placement the numbers of stones
    /// and the turn, in movement the chain and the rest); or the game is over, or the mover has no step. Not every
    /// position that is read arises from the start: a side may have more stones than it places.
    pub fn from_text(text: &str, rules: &Rules) -> Result<Position, ParsePositionError> {
        parse(text, rules).map_err(ParsePositionError)
    }
}

/// Reads the board of a position's text and nothing of what follows, for the end of a game.
pub(crate) fn parse_board_of(text: &str, size: BoardSize) -> Result<BySide<Bitboard>, ParsePositionError> {
    let board = text.split(' ').next().unwrap_or_default();
    parse_board(board, size).map_err(ParsePositionError)
}

impl Position {
    /// The position of movement with those stones, in which a side begins its turn: with its quiet counter at 0, and, if
    /// `opening`, after a turn of the other's that was skipped under `must_open`.
    ///
    /// # Errors
    /// As [`from_text`](Self::from_text): the game is over, or the mover has no step.
    pub fn in_movement(
        rules: &Rules,
        stones: BySide<Bitboard>,
        mover: Side,
        opening: bool,
    ) -> Result<Position, ParsePositionError> {
        let phase = if opening { Phase::Opening } else { Phase::Movement };
        let stones_hash = hash::of_stones(&stones);
        let position = Position { stones, stones_hash, mover, phase, ..Position::start(rules) };
        check_movement(&position, rules).map_err(ParsePositionError)?;
        Ok(position)
    }
}

fn parse(text: &str, rules: &Rules) -> Result<Position, Wrong> {
    let fields: Vec<&str> = text.split(' ').take(7).collect();
    let [board, mover, phase, chain, quiet] = fields[..] else {
        return Err(Wrong::Fields(fields.len()));
    };
    let mut position = Position::start(rules);
    position.stones = parse_board(board, rules.size)?;
    position.stones_hash = hash::of_stones(&position.stones);
    position.mover = match mover {
        "w" => Side::White,
        "b" => Side::Black,
        _ => return Err(Wrong::Mover(told(mover))),
    };
    position.phase = match phase {
        "p1" => Phase::Placement { left: 1 },
        "p2" if rules.per_turn.stones() == 2 => Phase::Placement { left: 2 },
        "m" => Phase::Movement,
        "o" => Phase::Opening,
        _ => {
            return Err(Wrong::Phase { found: told(phase), per_turn: rules.per_turn.stones() });
        }
    };
    position.chain = match chain {
        "-" => None,
        _ => Some(parse_chain(chain).ok_or_else(|| Wrong::Chain(told(chain)))?),
    };
    position.quiet = parse_number(quiet).ok_or_else(|| Wrong::Quiet(told(quiet)))?;
    match position.phase {
        Phase::Placement { left } => check_placement(&position, rules, left)?,
        Phase::Movement | Phase::Opening => check_movement(&position, rules)?,
    }
    Ok(position)
}

fn parse_board(board: &str, size: BoardSize) -> Result<BySide<Bitboard>, Wrong> {
    let side = size.side();
    let found = board.split('/').count();
    if found != usize::from(side) {
        return Err(Wrong::Ranks { found, expected: side });
    }
    let mut stones = BySide::<Bitboard>::default();
    for (text, rank) in board.split('/').zip((0..side).rev()) {
        let number = rank + 1;
        let wrong_length = Wrong::RankLength { rank: number, expected: side };
        let (mut file, mut after_run) = (0u8, false);
        for letter in text.chars() {
            match letter {
                'w' | 'b' => {
                    let stone = if letter == 'w' { Side::White } else { Side::Black };
                    match Square::new(file, rank).filter(|&square| size.contains(square)) {
                        Some(square) => stones[stone] |= Bitboard::of(square),
                        None => return Err(wrong_length),
                    }
                    file += 1;
                    after_run = false;
                }
                '1'..='9' if after_run => return Err(Wrong::SplitRun { rank: number }),
                '1'..='9' => {
                    file += letter as u8 - b'0';
                    after_run = true;
                }
                _ => {
                    return Err(Wrong::Letter { rank: number, found: letter });
                }
            }
            if file > side {
                return Err(wrong_length);
            }
        }
        if file != side {
            return Err(wrong_length);
        }
    }
    Ok(stones)
}

fn parse_chain(text: &str) -> Option<ChainState> {
    let (square, captures) = text.split_once(':')?;
    let captures = u8::try_from(parse_number(captures)?).ok().filter(|&captures| captures > 0)?;
    Some(ChainState { square: square.parse().ok()?, captures })
}

/// A number below `u32::MAX` as it is printed: digits, no sign, no leading zero.
fn parse_number(text: &str) -> Option<u32> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    text.parse().ok().filter(|&number| plain && number < u32::MAX)
}

fn check_placement(position: &Position, rules: &Rules, left: u8) -> Result<(), Wrong> {
    let center = rules.size.center();
    if position.occupied().contains(center) {
        return Err(Wrong::CenterTaken(center));
    }
    if position.chain.is_some() {
        return Err(Wrong::NotInPlacement("a chain is running"));
    }
    if position.quiet != 0 {
        return Err(Wrong::NotInPlacement("the quiet counter is not 0"));
    }
    let (white, black) = (position.stones.white.count(), position.stones.black.count());
    let per_turn = rules.per_turn.stones();
    let placed_this_turn = per_turn - left;
    let standing = Position::start(rules).stones.white.count();
    // The stones of full rounds: what each side had before the round of this turn began.
    let (white_before, black_before) = match position.mover {
        Side::White => (white.checked_sub(placed_this_turn), Some(black)),
        Side::Black => (white.checked_sub(per_turn), black.checked_sub(placed_this_turn)),
    };
    let fits = match (white_before, black_before) {
        (Some(white), Some(black)) => {
            white == black
                && white >= standing
                && (white - standing).is_multiple_of(per_turn)
                && white < rules.size.stones_per_side()
        }
        _ => false,
    };
    if fits { Ok(()) } else { Err(Wrong::PlacementCounts { mover: position.mover, left, white, black }) }
}

fn check_movement(position: &Position, rules: &Rules) -> Result<(), Wrong> {
    let (mover, opponent) = (position.mover, position.opponent());
    if let Some(chain) = position.chain {
        check_chain(position, rules, chain)?;
    }
    let lose_at = rules.lose_at.stones();
    for side in Side::BOTH {
        let stones = position.stones[side].count();
        if stones <= lose_at {
            return Err(Wrong::Lost { side, stones, lose_at });
        }
    }
    let limit = rules.quiet_limit.get();
    if position.quiet >= limit {
        return Err(Wrong::QuietLimit { limit });
    }
    let in_chain = position.chain.is_some();
    let can_move = if in_chain { position.chain_can_go_on(rules) } else { position.has_step(rules, mover) };
    if !can_move {
        return Err(Wrong::NoStep { side: mover, in_chain });
    }
    if position.phase == Phase::Opening {
        if rules.blocked != Blocked::MustOpen {
            return Err(Wrong::NoOpeningRule);
        }
        if position.has_step(rules, opponent) {
            return Err(Wrong::NotSkipped(opponent));
        }
    }
    Ok(())
}

fn check_chain(position: &Position, rules: &Rules, chain: ChainState) -> Result<(), Wrong> {
    if position.phase == Phase::Opening {
        return Err(Wrong::OpeningInChain);
    }
    if rules.chain == Chain::None {
        return Err(Wrong::NoChainRule);
    }
    if !position.stones[position.mover].contains(chain.square) {
        return Err(Wrong::ChainStone(position.mover));
    }
    if position.quiet != 0 {
        return Err(Wrong::QuietInChain);
    }
    // Each capturing step took a stone at least, and the board holds one for each square but one.
    let most = (rules.size.squares() - 1).saturating_sub(position.occupied().count());
    if chain.captures > most {
        return Err(Wrong::ChainLength { captures: chain.captures, most });
    }
    match rules.chain_limit {
        Some(limit) if u32::from(chain.captures) >= limit.get() => Err(Wrong::ChainLimit { limit: limit.get() }),
        _ => Ok(()),
    }
}

/// A field that a user gave, for a message.
fn told(field: &str) -> String {
    shortened(field, 20)
}

impl fmt::Display for Position {
    /// The text that [`from_text`](Position::from_text) reads; of a game that is over too.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = self.size.side();
        for rank in (0..side).rev() {
            let mut run = 0;
            for square in (0..side).filter_map(|file| Square::new(file, rank)) {
                match self.stone_on(square) {
                    None => run += 1,
                    Some(stone) => {
                        if run > 0 {
                            write!(f, "{run}")?;
                        }
                        run = 0;
                        f.write_char(stone.letter())?;
                    }
                }
            }
            if run > 0 {
                write!(f, "{run}")?;
            }
            f.write_char(if rank > 0 { '/' } else { ' ' })?;
        }
        write!(f, "{} ", self.mover.letter())?;
        match self.phase {
            Phase::Placement { left } => write!(f, "p{left} ")?,
            Phase::Movement => write!(f, "m ")?,
            Phase::Opening => write!(f, "o ")?,
        }
        match self.chain {
            Some(chain) => write!(f, "{}:{} ", chain.square, chain.captures)?,
            None => write!(f, "- ")?,
        }
        write!(f, "{}", self.quiet)
    }
}
