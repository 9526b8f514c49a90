//! A class as a file: blocks of thresholds that are compressed one by one, so that a probe reads one of them.
//!
//! ```text
//! SEEGATAB                 8 bytes
//! length of the header     u32, little-endian as all that follows
//! header                   JSON
//! blocks                   for each: length u32, CRC-32 u32; then one like them for the blocked boards
//! the blocks themselves    zstd: of each of the block's slots the first threshold (u16), then of each the second;
//!                          the blocked boards: their numbers (u64)
//! ```

use std::collections::VecDeque;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use memmap2::Mmap;
use rayon::prelude::*;
use seega_files::{sha256, write_atomically};
use seega_rules::{FirstMover, PerTurn, Rules};
use serde::{Deserialize, Serialize};

use crate::error::ExactError;
use crate::geometry::{Geometry, Set};
use crate::ranking::Ranking;
use crate::solve::{Solved, slot};
use crate::summary::Summary;
use crate::value::{Class, Thresholds, Turns};

const MAGIC: &[u8; 8] = b"SEEGATAB";
const VERSION: u32 = 1;

/// Slots of a block.
const BLOCK: usize = 1 << 14;

/// Blocks that a reader keeps unpacked, for each class.
const KEPT: usize = 64;

/// The largest header that is read, in bytes.
const MAX_HEADER: usize = 1 << 16;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    version: u32,
    /// The fingerprint of the rules of movement.
    rules: String,
    mover: u8,
    opponent: u8,
    /// Boards by number and blocked boards.
    slots: u64,
    blocked: u64,
    summary: Summary,
    /// The SHA-256 of the header without this, and of everything after it.
    sha256: String,
}

impl Header {
    /// The SHA-256 of a file with this header and that after it.
    fn digest(&self, body: &[u8]) -> Result<String, serde_json::Error> {
        let mut all = serde_json::to_vec(&Header { sha256: String::new(), ..self.clone() })?;
        all.extend_from_slice(body);
        Ok(sha256(&all))
    }
}

/// The SHA-256 of all that matters for movement: rules that differ in the placement alone share their tables.
pub(crate) fn fingerprint(rules: &Rules) -> String {
    let movement = Rules { per_turn: PerTurn::One, cross: false, first_mover: FirstMover::Starter, ..*rules };
    sha256(movement.to_toml().as_bytes())
}

/// The file of a class in a folder.
pub(crate) fn path(folder: &Path, class: Class) -> PathBuf {
    folder.join(format!("class-{}v{}.table", class.mover, class.opponent))
}

/// Writes a class.
pub(crate) fn write(folder: &Path, rules: &Rules, solved: &Solved, summary: Summary) -> Result<u64, ExactError> {
    let path = path(folder, solved.class);
    let pack = |numbers: Vec<u8>| zstd::bulk::compress(&numbers, 9).map_err(ExactError::io(&path));
    let planes = solved.first.par_chunks(BLOCK).zip(solved.second.par_chunks(BLOCK));
    let planes = planes.map(|(first, second)| {
        pack(first.iter().chain(second).flat_map(|threshold| threshold.to_le_bytes()).collect())
    });
    let mut blocks: Vec<Vec<u8>> = planes.collect::<Result<_, _>>()?;
    blocks.push(pack(solved.blocked.iter().flat_map(|index| index.to_le_bytes()).collect())?);
    let mut body = Vec::new();
    for block in &blocks {
        body.extend((block.len() as u32).to_le_bytes());
        body.extend(crc32fast::hash(block).to_le_bytes());
    }
    blocks.iter().for_each(|block| body.extend(block));
    let mut header = Header {
        version: VERSION,
        rules: fingerprint(rules),
        mover: solved.class.mover,
        opponent: solved.class.opponent,
        slots: solved.first.len() as u64,
        blocked: solved.blocked.len() as u64,
        summary,
        sha256: String::new(),
    };
    header.sha256 = header.digest(&body).map_err(|error| ExactError::file(&path, error))?;
    let header = serde_json::to_vec(&header).map_err(|error| ExactError::file(&path, error))?;
    let written = write_atomically(&path, |file| {
        file.write_all(MAGIC)?;
        file.write_all(&(header.len() as u32).to_le_bytes())?;
        file.write_all(&header)?;
        file.write_all(&body)
    });
    written.map_err(ExactError::io(&path))?;
    Ok((MAGIC.len() + 4 + header.len() + body.len()) as u64)
}

/// A class of which a file is open.
pub(crate) struct ClassFile {
    path: PathBuf,
    class: Class,
    ranking: Ranking,
    blocked: Vec<u64>,
    header: Header,
    rules: Rules,
    map: Mmap,
    /// Where what follows the header begins.
    body: usize,
    /// Of each block where it begins, its length, and its checksum.
    blocks: Vec<(usize, usize, u32)>,
    /// Blocks that were unpacked, the newest last.
    kept: Mutex<VecDeque<(usize, Arc<Vec<u8>>)>>,
}

impl std::fmt::Debug for ClassFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClassFile").field("path", &self.path).finish_non_exhaustive()
    }
}

impl ClassFile {
    /// Opens the file of a class, without reading more than its head.
    pub(crate) fn open(
        folder: &Path,
        rules: &Rules,
        geometry: &Geometry,
        class: Class,
    ) -> Result<ClassFile, ExactError> {
        let path = path(folder, class);
        let wrong = |why: &str| ExactError::file(&path, why);
        let file = File::open(&path).map_err(ExactError::io(&path))?;
        // SAFETY: a file that is written to while it is mapped could change under a reader. Ours are never written to:
        // they are renamed into place when they are whole, and what is read of them is checked by sums.
        let map = unsafe { Mmap::map(&file) }.map_err(ExactError::io(&path))?;
        let numbers = |from: usize, count: usize| map.get(from..from.checked_add(count)?);
        if numbers(0, MAGIC.len()) != Some(MAGIC) {
            return Err(wrong("is no table of a class"));
        }
        let u32_at = |from: usize| numbers(from, 4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        let length = u32_at(MAGIC.len()).ok_or_else(|| wrong("is cut off"))? as usize;
        if length > MAX_HEADER {
            return Err(wrong("has a header that is too long"));
        }
        let header = numbers(MAGIC.len() + 4, length).ok_or_else(|| wrong("is cut off"))?;
        let header: Header = serde_json::from_slice(header).map_err(|error| ExactError::file(&path, error))?;
        if header.version != VERSION {
            return Err(wrong(&format!("has version {}; this program reads version {VERSION}", header.version)));
        }
        if header.rules != fingerprint(rules) {
            return Err(ExactError::OtherRules(path));
        }
        let ranking = Ranking::new(geometry.size(), class.mover, class.opponent);
        let fits = (header.mover, header.opponent) == (class.mover, class.opponent)
            && header.blocked <= ranking.len()
            && header.slots == ranking.len() + header.blocked;
        if !fits {
            return Err(wrong("has other positions than its class"));
        }
        let body = MAGIC.len() + 4 + length;
        let count = (header.slots as usize).div_ceil(BLOCK) + 1;
        let mut begin = body + 8 * count;
        let mut blocks = Vec::with_capacity(count);
        for block in 0..count {
            let entry = body + 8 * block;
            let (length, sum) = u32_at(entry).zip(u32_at(entry + 4)).ok_or_else(|| wrong("is cut off"))?;
            blocks.push((begin, length as usize, sum));
            begin += length as usize;
        }
        if begin != map.len() {
            return Err(wrong("has another length than its blocks"));
        }
        let blocked_count = header.blocked;
        let kept = Mutex::default();
        let mut opened =
            ClassFile { path, class, ranking, blocked: Vec::new(), header, rules: *rules, map, body, blocks, kept };
        let blocked = opened.unpack(count - 1, 8 * blocked_count as usize)?;
        opened.blocked = blocked.as_chunks::<8>().0.iter().map(|&number| u64::from_le_bytes(number)).collect();
        let rises = opened.blocked.is_sorted_by(|a, b| a < b);
        if !rises || opened.blocked.last().is_some_and(|&last| last >= opened.ranking.len()) {
            return Err(ExactError::file(&opened.path, "is damaged: its blocked boards are in no order"));
        }
        Ok(opened)
    }

    pub(crate) fn class(&self) -> Class {
        self.class
    }

    pub(crate) fn summary(&self) -> &Summary {
        &self.header.summary
    }

    pub(crate) fn ranking(&self) -> &Ranking {
        &self.ranking
    }

    pub(crate) fn blocked(&self) -> &[u64] {
        &self.blocked
    }

    pub(crate) fn slots(&self) -> usize {
        self.ranking.len() as usize + self.blocked.len()
    }

    /// Whether everything in the file is what was written.
    pub(crate) fn is_sound(&self) -> bool {
        self.header.digest(&self.map[self.body..]).is_ok_and(|digest| digest == self.header.sha256)
    }

    fn unpack(&self, block: usize, length: usize) -> Result<Vec<u8>, ExactError> {
        let (begin, packed, sum) = self.blocks[block];
        let packed = &self.map[begin..begin + packed];
        if crc32fast::hash(packed) != sum {
            return Err(ExactError::file(
                &self.path,
                format!("is damaged: block {block} has another checksum; seega exact build makes it again"),
            ));
        }
        let unpacked = zstd::bulk::decompress(packed, length).map_err(ExactError::io(&self.path))?;
        if unpacked.len() == length {
            Ok(unpacked)
        } else {
            Err(ExactError::file(
                &self.path,
                format!("is damaged: block {block} is too short; seega exact build makes it again"),
            ))
        }
    }

    fn block(&self, block: usize) -> Result<Arc<Vec<u8>>, ExactError> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = kept.iter().position(|&(known, _)| known == block) {
            let found = kept.remove(place).map(|(_, found)| found);
            let found = found.unwrap_or_default();
            kept.push_back((block, Arc::clone(&found)));
            return Ok(found);
        }
        let slots = BLOCK.min(self.slots() - block * BLOCK);
        let found = Arc::new(self.unpack(block, 4 * slots)?);
        if kept.len() >= KEPT {
            kept.pop_front();
        }
        kept.push_back((block, Arc::clone(&found)));
        Ok(found)
    }

    /// The thresholds of a position.
    ///
    /// # Panics
    /// If a turn is said to be skipped and the waiting side is not blocked.
    pub(crate) fn thresholds(&self, mover: Set, opponent: Set, opening: bool) -> Result<Thresholds, ExactError> {
        let slot = slot(&self.ranking, &self.blocked, mover, opponent, opening);
        let block = self.block(slot / BLOCK)?;
        Ok(self.at(&block, slot % BLOCK))
    }

    /// The thresholds at a place of a block that was unpacked.
    fn at(&self, block: &[u8], place: usize) -> Thresholds {
        let number = |place: usize| Turns::from_le_bytes([block[2 * place], block[2 * place + 1]]);
        let second = block.len() / 4;
        Thresholds { limit: self.class.limit(&self.rules), first: number(place), second: number(second + place) }
    }

    /// Something of the thresholds of every slot, in order.
    pub(crate) fn all<T: Send>(&self, of: impl Fn(Thresholds) -> T + Sync) -> Result<Vec<T>, ExactError> {
        let blocks: Vec<Vec<T>> = (0..self.blocks.len() - 1)
            .into_par_iter()
            .map(|block| {
                let slots = BLOCK.min(self.slots() - block * BLOCK);
                let unpacked = self.unpack(block, 4 * slots)?;
                Ok((0..slots).map(|place| of(self.at(&unpacked, place))).collect())
            })
            .collect::<Result<_, ExactError>>()?;
        Ok(blocks.into_iter().flatten().collect())
    }
}
