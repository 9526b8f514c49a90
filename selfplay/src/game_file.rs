//! Files of self-play games: one rule set a file, compressed, checked by sums at every level.
//!
//! ```text
//! magic "SEEGAGMS" | version u16 | header length u32 | header (JSON) | CRC-32 of the header u32
//! blocks: stored length u32 (not 0) | games u32 | CRC-32 of the stored bytes u32 | games, compressed by zstd
//! end:    0 u32 | games in all u64 | SHA-256 of everything before it
//! ```
//!
//! A game is its number u64, generation u32, plies u32, and for each ply: place of the action in the policy u16, kind
//! u8 (0 not searched, 1 a value, 2 a value and a policy), value f32, number of probabilities u16 and these f32. All
//! numbers are little-endian. Every length is checked before anything is allocated, and every game is replayed by the
//! rules before it is given out.

use std::io::{self, Read, Write};
use std::path::Path;

use seega_files::write_atomically;
use seega_models::action;
use seega_rules::{MAX_ACTIONS, Rules};
use seega_search::MoverView;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::game::{GameError, PlayedGame, PlayedPly, SearchFound};

const MAGIC: &[u8; 8] = b"SEEGAGMS";
const VERSION: u16 = 1;
const MAX_HEADER: u32 = 64 << 10;
const MAX_STORED_BLOCK: u32 = 8 << 20;
const MAX_BLOCK: usize = 64 << 20;
/// Bytes of games after which a block is closed.
const BLOCK: usize = 1 << 20;
/// The largest file that is read, in bytes.
const MAX_FILE: u64 = 2 << 30;

/// What made the games of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// A label of the rules.
    pub rules_name: String,
    /// The rules of every game.
    pub rules: Rules,
    /// The run's seed.
    pub seed: u64,
    /// The generation in which the file was written.
    pub generation: u32,
    /// The SHA-256 of the network that played, where there was one.
    pub network: Option<String>,
    /// For unfinished games: the number of the worker's next game.
    pub next_game: Option<u64>,
}

/// A file of games that can't be read.
#[derive(Debug, Error)]
pub enum GameFileError {
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The file is not of this kind.
    #[error("not a file of games")]
    Magic,
    /// The file is of another version.
    #[error("the file has version {0}; this program reads version {VERSION}")]
    Version(u16),
    /// The file ends early or has more than it tells.
    #[error("the file is cut short or damaged: {0}")]
    Damaged(&'static str),
    /// The header is not as it should be.
    #[error("header: {0}")]
    Header(serde_json::Error),
    /// A game can't be replayed.
    #[error("game {number}: {error}")]
    Game {
        /// The number of the game.
        number: u64,
        /// What is wrong with it.
        error: GameError,
    },
}

/// Writes games to a file, which is the old or the new one whatever happens.
///
/// # Errors
/// Writing fails.
pub fn write(path: &Path, header: &Header, games: &[PlayedGame]) -> Result<(), GameFileError> {
    let bytes = to_bytes(header, games)?;
    Ok(write_atomically(path, |file| file.write_all(&bytes))?)
}

/// Reads a file of games, every one replayed. `finished` asks that each game is over.
///
/// # Errors
/// The file can't be read, is damaged, or holds a game that is not by its rules.
pub fn read(path: &Path, finished: bool) -> Result<(Header, Vec<PlayedGame>), GameFileError> {
    let file = std::fs::File::open(path)?;
    if file.metadata()?.len() > MAX_FILE {
        return Err(GameFileError::Damaged("it is too large"));
    }
    let mut bytes = Vec::new();
    file.take(MAX_FILE).read_to_end(&mut bytes)?;
    from_bytes(&bytes, finished)
}

fn to_bytes(header: &Header, games: &[PlayedGame]) -> Result<Vec<u8>, GameFileError> {
    let text = serde_json::to_vec(header).map_err(GameFileError::Header)?;
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(&text);
    bytes.extend(crc32fast::hash(&text).to_le_bytes());
    let (mut block, mut in_block) = (Vec::new(), 0u32);
    for (index, game) in games.iter().enumerate() {
        encode(header, game, &mut block);
        in_block += 1;
        if block.len() >= BLOCK || index + 1 == games.len() {
            let stored = zstd::encode_all(&block[..], 0)?;
            bytes.extend((stored.len() as u32).to_le_bytes());
            bytes.extend(in_block.to_le_bytes());
            bytes.extend(crc32fast::hash(&stored).to_le_bytes());
            bytes.extend(&stored);
            block.clear();
            in_block = 0;
        }
    }
    bytes.extend(0u32.to_le_bytes());
    bytes.extend((games.len() as u64).to_le_bytes());
    let sum = Sha256::digest(&bytes);
    bytes.extend(sum);
    Ok(bytes)
}

fn encode(header: &Header, game: &PlayedGame, bytes: &mut Vec<u8>) {
    bytes.extend(game.number.to_le_bytes());
    bytes.extend(game.generation.to_le_bytes());
    bytes.extend((game.plies.len() as u32).to_le_bytes());
    for ply in &game.plies {
        let place = action::index(header.rules.size, ply.action).expect("a legal action has its place") as u16;
        bytes.extend(place.to_le_bytes());
        let Some(found) = &ply.found else {
            bytes.push(0);
            continue;
        };
        bytes.push(if found.policy.is_empty() { 1 } else { 2 });
        bytes.extend(found.value.0.to_le_bytes());
        if !found.policy.is_empty() {
            bytes.extend((found.policy.len() as u16).to_le_bytes());
            found.policy.iter().for_each(|probability| bytes.extend(probability.to_le_bytes()));
        }
    }
}

/// Takes numbers off the front of bytes.
struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], GameFileError> {
        let (head, rest) = self.0.split_at_checked(count).ok_or(GameFileError::Damaged("it ends early"))?;
        self.0 = rest;
        Ok(head)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], GameFileError> {
        let (head, rest) = self.0.split_first_chunk().ok_or(GameFileError::Damaged("it ends early"))?;
        self.0 = rest;
        Ok(*head)
    }

    fn u16(&mut self) -> Result<u16, GameFileError> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    fn u32(&mut self) -> Result<u32, GameFileError> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    fn u64(&mut self) -> Result<u64, GameFileError> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    fn f32(&mut self) -> Result<f32, GameFileError> {
        Ok(f32::from_le_bytes(self.array()?))
    }
}

/// The length of the end: marker, count, SHA-256.
const END: usize = 4 + 8 + 32;

fn from_bytes(bytes: &[u8], finished: bool) -> Result<(Header, Vec<PlayedGame>), GameFileError> {
    if !bytes.starts_with(MAGIC) {
        return Err(GameFileError::Magic);
    }
    let mut cursor = Cursor(&bytes[MAGIC.len()..]);
    let version = cursor.u16()?;
    if version != VERSION {
        return Err(GameFileError::Version(version));
    }
    let (body, sum) = bytes.split_at_checked(bytes.len().saturating_sub(32)).unwrap_or((bytes, &[]));
    if Sha256::digest(body)[..] != *sum {
        return Err(GameFileError::Damaged("its SHA-256 does not fit"));
    }
    let length = cursor.u32()?;
    if length > MAX_HEADER {
        return Err(GameFileError::Damaged("its header is too long"));
    }
    let text = cursor.take(length as usize)?;
    if cursor.u32()? != crc32fast::hash(text) {
        return Err(GameFileError::Damaged("its header's sum does not fit"));
    }
    let header: Header = serde_json::from_slice(text).map_err(GameFileError::Header)?;
    let mut games = Vec::new();
    loop {
        let stored = cursor.u32()?;
        if stored == 0 {
            break;
        }
        if stored > MAX_STORED_BLOCK {
            return Err(GameFileError::Damaged("a block is too long"));
        }
        let count = cursor.u32()?;
        let sum = cursor.u32()?;
        let stored = cursor.take(stored as usize)?;
        if crc32fast::hash(stored) != sum {
            return Err(GameFileError::Damaged("a block's sum does not fit"));
        }
        read_block(&header, stored, count, finished, &mut games)?;
    }
    let told = cursor.u64()?;
    if told != games.len() as u64 || cursor.0.len() != END - 12 {
        return Err(GameFileError::Damaged("its end does not fit"));
    }
    Ok((header, games))
}

fn read_block(
    header: &Header,
    stored: &[u8],
    count: u32,
    finished: bool,
    games: &mut Vec<PlayedGame>,
) -> Result<(), GameFileError> {
    let mut block = Vec::new();
    zstd::Decoder::new(stored)?.take(MAX_BLOCK as u64 + 1).read_to_end(&mut block)?;
    if block.len() > MAX_BLOCK {
        return Err(GameFileError::Damaged("a block is too long"));
    }
    let mut cursor = Cursor(&block);
    for _ in 0..count {
        let game = decode(header, &mut cursor)?;
        let wrong = |error| GameFileError::Game { number: game.number, error };
        let end = game.replay(&header.rules, |_, _, _| {}).map_err(wrong)?;
        if finished && end.outcome().is_none() {
            return Err(wrong(GameError::Unfinished(game.plies.len())));
        }
        games.push(game);
    }
    if cursor.0.is_empty() { Ok(()) } else { Err(GameFileError::Damaged("a block has more than its games")) }
}

fn decode(header: &Header, cursor: &mut Cursor<'_>) -> Result<PlayedGame, GameFileError> {
    let number = cursor.u64()?;
    let generation = cursor.u32()?;
    let count = cursor.u32()?;
    // Not reserved: a count that lies ends where the bytes do.
    let mut plies = Vec::new();
    for ply in 1..=count as usize {
        let place = usize::from(cursor.u16()?);
        let unknown = || GameError::Illegal { ply, why: format!("no action has the place {place}") };
        let action = action::action_at(header.rules.size, place)
            .ok_or_else(|| GameFileError::Game { number, error: unknown() })?;
        let [kind] = cursor.array()?;
        let found = match kind {
            0 => None,
            1 | 2 => {
                let value = MoverView(cursor.f32()?);
                let mut policy = Vec::new();
                if kind == 2 {
                    let length = usize::from(cursor.u16()?);
                    if length == 0 || length > MAX_ACTIONS {
                        return Err(GameFileError::Damaged("a policy has an impossible length"));
                    }
                    for _ in 0..length {
                        policy.push(cursor.f32()?);
                    }
                }
                Some(SearchFound { value, policy })
            }
            _ => return Err(GameFileError::Damaged("a ply is of no known kind")),
        };
        plies.push(PlayedPly { action, found });
    }
    Ok(PlayedGame { number, generation, plies })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Generation, Opening, Progress, Settings, Worker};
    use seega_rules::preset;
    use seega_search::Uniform;
    use std::sync::atomic::AtomicBool;

    fn header() -> Header {
        Header {
            rules_name: "sija".to_owned(),
            rules: preset::ALL[0].rules,
            seed: 1,
            generation: 0,
            network: None,
            next_game: None,
        }
    }

    fn games() -> Vec<PlayedGame> {
        let settings = Settings {
            games: 2,
            simulations: 4,
            full_share: 0.5,
            opening: Opening { random_share: 0.5, random_plies: 6, placed_share: 0.2 },
            ..Settings::default()
        };
        let mut worker = Worker::new(settings, header().rules, 0, Vec::new());
        let part = Generation { seed: 1, number: 0, worker: 0, workers: 1, plies: 300, games: None };
        worker.play(part, &mut Uniform, &Progress::default(), &AtomicBool::new(false)).unwrap().0
    }

    #[test]
    fn games_round_trip_with_their_samples() {
        let games = games();
        assert!(games.len() >= 2);
        let bytes = to_bytes(&header(), &games).unwrap();
        assert_eq!(from_bytes(&bytes, true).unwrap(), (header(), games.clone()));
        let samples = games[0].samples(&header().rules).unwrap();
        assert!(samples.iter().any(|sample| !sample.policy.is_empty()));
        assert!(samples.iter().any(|sample| sample.policy.is_empty()));
        assert_eq!(samples.last().unwrap().plies_left, 1);
    }

    #[test]
    fn no_damage_gets_through() {
        let games: Vec<PlayedGame> = games().into_iter().take(1).collect();
        let bytes = to_bytes(&header(), &games).unwrap();
        for length in 0..bytes.len() {
            assert!(from_bytes(&bytes[..length], true).is_err(), "cut at {length}");
        }
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x40;
            assert!(from_bytes(&damaged, true).is_err(), "byte {at}");
        }
    }

    #[test]
    fn a_game_against_the_rules_is_refused_though_its_sums_fit() {
        let mut games = games();
        let count = games[0].plies.len();
        games[0].plies.pop();
        let bytes = to_bytes(&header(), &games).unwrap();
        assert!(matches!(
            from_bytes(&bytes, true),
            Err(GameFileError::Game { error: GameError::Unfinished(plies), .. }) if plies == count - 1
        ));
        assert!(from_bytes(&bytes, false).is_ok(), "an unfinished game is one");
        games[0].plies.swap(0, count - 2);
        let bytes = to_bytes(&header(), &games).unwrap();
        assert!(from_bytes(&bytes, false).is_err());
    }
}
