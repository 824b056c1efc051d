//! Lines from bytes, whatever the bytes are.

use std::io::{self, BufRead, Read};

use crate::outside::past_mark;

/// A line longer than this many bytes is refused as a whole; ten thousand moves take a twentieth.
pub const LONGEST_LINE: usize = 1 << 20 << 4;

/// A line of input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// Its text without the end of line. Bytes that are not UTF-8 became U+FFFD.
    Text(String),
    /// It was longer than [`LONGEST_LINE`] and is gone.
    TooLong,
}

/// The lines of a byte stream. The last one needs no end of line, and the first one may begin with
/// a byte order mark, as some shells write it into every pipe.
#[derive(Debug)]
pub struct Lines<R> {
    input: R,
    buffer: Vec<u8>,
    is_first: bool,
}

impl<R: BufRead> Lines<R> {
    /// Reads from this stream.
    pub const fn new(input: R) -> Self {
        Self { input, buffer: Vec::new(), is_first: true }
    }

    /// The next line; `None` at the end of input.
    ///
    /// # Errors
    /// When the stream cannot be read.
    pub fn next_line(&mut self) -> io::Result<Option<Line>> {
        self.buffer.clear();
        self.buffer.shrink_to(1 << 16);
        let most = LONGEST_LINE as u64;
        if self.input.by_ref().take(most).read_until(b'\n', &mut self.buffer)? == 0 {
            return Ok(None);
        }
        if self.buffer.len() == LONGEST_LINE && !self.buffer.ends_with(b"\n") {
            self.input.skip_until(b'\n')?;
            return Ok(Some(Line::TooLong));
        }
        let is_first = std::mem::replace(&mut self.is_first, false);
        let bytes = if is_first { past_mark(&self.buffer) } else { &self.buffer };
        let text = String::from_utf8_lossy(bytes);
        Ok(Some(Line::Text(text.trim_end_matches(['\n', '\r']).to_string())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8]) -> Vec<Line> {
        let mut lines = Lines::new(bytes);
        std::iter::from_fn(|| lines.next_line().unwrap()).collect()
    }

    fn text(text: &str) -> Line {
        Line::Text(text.to_string())
    }

    #[test]
    fn lines_end_in_many_ways() {
        assert_eq!(lines(b"a\nb\r\n\nc"), [text("a"), text("b"), text(""), text("c")]);
        assert_eq!(lines(b""), []);
        assert_eq!(lines(b"\xff\x00\n"), [text("\u{fffd}\u{0}")]);
        assert_eq!(lines("\u{feff}a\n\u{feff}b".as_bytes()), [text("a"), text("\u{feff}b")]);
    }

    #[test]
    fn a_line_of_just_the_longest_length_is_read_and_a_longer_one_is_not() {
        let mut bytes = vec![b'x'; LONGEST_LINE - 1];
        bytes.extend(b"\nnext\n");
        assert_eq!(lines(&bytes), [text(&"x".repeat(LONGEST_LINE - 1)), text("next")]);
        bytes.splice(0..0, *b"yy");
        assert_eq!(lines(&bytes), [Line::TooLong, text("next")]);
    }
}
