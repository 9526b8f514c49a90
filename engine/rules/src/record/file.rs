//! Files of game records: JSON lines, plain or compressed by gzip.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};

use flate2::Compression;
use flate2::bufread::MultiGzDecoder;
use flate2::write::GzEncoder;
use thiserror::Error;

use super::GameRecord;
use crate::text::shortened;

/// The longest line that is read, in bytes. The longest game of the largest board, with every list of legal actions,
/// stays far below.
pub const MAX_LINE_BYTES: u64 = 64 << 20;

/// A file of records that can't be read on.
#[derive(Debug, Error)]
#[error("line {line}: {kind}")]
pub struct ReadError {
    /// The line, counted from 1.
    pub line: usize,
    /// What happened.
    pub kind: ReadErrorKind,
}

/// Why a file of records can't be read on.
#[derive(Debug, Error)]
pub enum ReadErrorKind {
    /// The file ends within a line, or its compressed data ends early.
    #[error("the file is cut short")]
    CutShort,
    /// The line is no game record: what is wrong, and at which column.
    #[error("not a game record: {0}")]
    Json(String),
    /// The line is longer than [`MAX_LINE_BYTES`].
    #[error("the line is longer than {MAX_LINE_BYTES} bytes")]
    TooLong,
    /// Reading failed, or the compressed data is damaged.
    #[error("reading failed: {0}")]
    Io(io::Error),
}

/// Reads the games of a file one after the other; whether it is compressed, its first bytes tell.
///
/// The iterator gives each record with its line, counted from 1, and ends after the first error. Empty lines are
/// passed over.
pub struct RecordReader<'a> {
    input: Box<dyn BufRead + 'a>,
    line: usize,
    buffer: Vec<u8>,
    failed: bool,
}

impl<'a> RecordReader<'a> {
    /// Reads from there.
    ///
    /// # Errors
    /// Reading the first bytes fails.
    pub fn new(mut input: impl Read + 'a) -> io::Result<RecordReader<'a>> {
        const GZIP: [u8; 2] = [0x1f, 0x8b];
        let mut head = Vec::new();
        input.by_ref().take(GZIP.len() as u64).read_to_end(&mut head)?;
        let compressed = head == GZIP;
        let whole = BufReader::new(io::Cursor::new(head).chain(input));
        let input: Box<dyn BufRead + 'a> =
            if compressed { Box::new(BufReader::new(MultiGzDecoder::new(whole))) } else { Box::new(whole) };
        Ok(RecordReader { input, line: 0, buffer: Vec::new(), failed: false })
    }

    /// Reads the next line into the buffer; `false` at the end of the file.
    fn read_line(&mut self) -> Result<bool, ReadErrorKind> {
        self.buffer.clear();
        self.line += 1;
        match self.input.by_ref().take(MAX_LINE_BYTES + 1).read_until(b'\n', &mut self.buffer) {
            Ok(_) if self.buffer.len() as u64 > MAX_LINE_BYTES => Err(ReadErrorKind::TooLong),
            Ok(length) => Ok(length > 0),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Err(ReadErrorKind::CutShort),
            Err(error) => Err(ReadErrorKind::Io(error)),
        }
    }

    fn read_record(&mut self) -> Result<Option<GameRecord>, ReadErrorKind> {
        while self.read_line()? {
            if self.buffer.trim_ascii().is_empty() {
                continue;
            }
            return match serde_json::from_slice(&self.buffer) {
                Ok(record) => Ok(Some(record)),
                // Only the file's last line can lack its newline.
                Err(error) if error.is_eof() && !self.buffer.ends_with(b"\n") => Err(ReadErrorKind::CutShort),
                Err(error) => Err(ReadErrorKind::Json(describe(&error))),
            };
        }
        Ok(None)
    }
}

/// What serde says, with the column alone: the text that it parsed is one line of the file.
fn describe(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let what = text.strip_suffix(&place).unwrap_or(&text);
    format!("{} (column {})", shortened(what, 300), error.column())
}

impl Iterator for RecordReader<'_> {
    type Item = Result<(usize, GameRecord), ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let read = self.read_record().map_err(|kind| ReadError { line: self.line, kind });
        self.failed = read.is_err();
        read.map(|record| record.map(|record| (self.line, record))).transpose()
    }
}

impl fmt::Debug for RecordReader<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordReader").field("line", &self.line).finish_non_exhaustive()
    }
}

/// Writes games, one a line.
#[derive(Debug)]
pub struct RecordWriter<W: Write> {
    output: Output<W>,
}

#[derive(Debug)]
enum Output<W: Write> {
    Plain(W),
    Gzip(GzEncoder<W>),
}

impl<W: Write> RecordWriter<W> {
    /// Writes plain lines (`.jsonl`). Give it a buffered writer.
    pub fn plain(output: W) -> RecordWriter<W> {
        RecordWriter { output: Output::Plain(output) }
    }

    /// Writes lines compressed by gzip (`.jsonl.gz`).
    pub fn gzip(output: W) -> RecordWriter<W> {
        RecordWriter { output: Output::Gzip(GzEncoder::new(output, Compression::default())) }
    }

    /// Writes a game.
    ///
    /// # Errors
    /// Writing fails.
    pub fn write(&mut self, record: &GameRecord) -> io::Result<()> {
        let mut line = serde_json::to_vec(record)?;
        line.push(b'\n');
        match &mut self.output {
            Output::Plain(output) => output.write_all(&line),
            Output::Gzip(output) => output.write_all(&line),
        }
    }

    /// Ends the file and gives back what it was written to. A compressed file that is not ended is cut short.
    ///
    /// # Errors
    /// Writing fails.
    pub fn finish(self) -> io::Result<W> {
        let mut output = match self.output {
            Output::Plain(output) => output,
            Output::Gzip(output) => output.finish()?,
        };
        output.flush()?;
        Ok(output)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;
    use crate::rules::preset;

    fn a_game() -> GameRecord {
        let rules = preset::ALL[0].rules;
        let mut position = Position::start(&rules);
        let mut record = GameRecord::begin("sija", rules);
        for text in ["a1", "b1", "a2"] {
            let action = text.parse().unwrap();
            record.add_ply_with_legal(&position, action);
            position.play(&rules, action).unwrap();
        }
        record.end(&position);
        record
    }

    fn written(gzip: bool) -> Vec<u8> {
        let mut writer = if gzip { RecordWriter::gzip(Vec::new()) } else { RecordWriter::plain(Vec::new()) };
        writer.write(&a_game()).unwrap();
        writer.write(&a_game()).unwrap();
        writer.finish().unwrap()
    }

    #[test]
    fn games_round_trip_plain_and_compressed() {
        for gzip in [false, true] {
            let bytes = written(gzip);
            let games: Vec<_> = RecordReader::new(&bytes[..]).unwrap().map(Result::unwrap).collect();
            assert_eq!(games, [(1, a_game()), (2, a_game())]);
        }
    }

    #[test]
    fn a_file_cut_short_anywhere_gives_an_error_or_fewer_whole_games() {
        for gzip in [false, true] {
            let bytes = written(gzip);
            for length in 0..bytes.len() {
                let read: Vec<_> = RecordReader::new(&bytes[..length]).unwrap().collect();
                let whole = read.iter().take_while(|game| game.is_ok()).count();
                assert!(read[..whole].iter().all(|game| game.as_ref().unwrap().1 == a_game()));
                match read.get(whole) {
                    Some(error) => assert_eq!(read.len(), whole + 1, "{error:?} was not the last"),
                    // Uncompressed, a cut between two lines can't be seen; a line needs no newline at its end.
                    None => assert!(if gzip {
                        length == 0
                    } else {
                        length == 0 || bytes[length - 1..=length].contains(&b'\n')
                    }),
                }
            }
        }
    }
}
