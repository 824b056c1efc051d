//! Text from outside: files of text as other programs write them, and words as a person is shown
//! them.

use std::fmt::Write;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;

/// Whether a character leaves a trace on a screen and does nothing else there. The space does;
/// control characters, other spaces, marks of direction, characters without width and unassigned
/// ones do not.
#[must_use]
pub fn is_visible(c: char) -> bool {
    match c {
        ' '..='~' => true,
        // Letters and marks by their category, but nothing is drawn for them.
        '\u{34f}'
        | '\u{115f}'..='\u{1160}'
        | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{2800}'
        | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{ffa0}'
        | '\u{e0100}'..='\u{e01ef}' => false,
        // The standard library knows what else cannot be printed. An accent that is combined with
        // the letter before it can.
        _ => String::from_iter(['a', c]).escape_debug().nth(1) == Some(c),
    }
}

/// The text with everything that is not [visible](is_visible) escaped, such as `\n` or `\u{feff}`,
/// so that it is one line and does no harm on a terminal. What is visible, also a backslash, stays
/// as it is.
#[must_use]
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_visible(c) {
            shown.push(c);
        } else {
            shown.extend(c.escape_default());
        }
    }
    shown
}

/// At most so many characters from the beginning of a text, [visible], and how long it is if that
/// is longer.
#[must_use]
pub fn excerpt(text: &str, most: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(most) else { return visible(text) };
    let mut shown = visible(&text[..end]);
    let _ = write!(shown, "... ({} characters)", text.chars().count());
    shown
}

/// The byte order mark in UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// The bytes of a text in UTF-8 behind its byte order mark, if it has one.
#[must_use]
pub fn past_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(MARK).unwrap_or(bytes)
}

/// A file of text, read from behind its byte order mark if it has one.
pub struct TextFile {
    reader: BufReader<io::Chain<Cursor<Vec<u8>>, File>>,
    /// How many bytes the byte order mark takes: 3 or 0.
    pub mark: usize,
}

impl TextFile {
    /// Opens a file.
    ///
    /// # Errors
    /// When it cannot be read, or its byte order mark says that it is in UTF-16.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let mut head = Vec::new();
        file.by_ref().take(MARK.len() as u64).read_to_end(&mut head)?;
        let order = match head[..] {
            [0xff, 0xfe, ..] => Some("little"),
            [0xfe, 0xff, ..] => Some("big"),
            _ => None,
        };
        if let Some(order) = order {
            let message = format!("the text is in UTF-16 ({order}-endian), expected UTF-8");
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        let begun = past_mark(&head).to_vec();
        let mark = head.len() - begun.len();
        Ok(Self { reader: BufReader::new(Cursor::new(begun).chain(file)), mark })
    }

    /// Reads a file to its end.
    ///
    /// # Errors
    /// As [`open`](Self::open), and when the text is not in UTF-8.
    pub fn read(path: &Path) -> io::Result<String> {
        let mut text = String::new();
        Self::open(path)?.read_to_string(&mut text)?;
        Ok(text)
    }
}

impl Read for TextFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buffer)
    }
}

impl BufRead for TextFile {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.reader.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.reader.consume(amount);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_escaped_and_all_else_stays() {
        for text in [
            "a1 b2 'x' \"y\" \\",
            "été",
            "e\u{301}te\u{301}",
            "ходы",
            "หมากรุก",
            "囲碁",
            "\u{1f600}\u{fffd}",
        ] {
            assert_eq!(visible(text), text);
        }
        for (text, expected) in [
            ("a\nb\t\r\0", r"a\nb\t\r\u{0}"),
            ("\u{1b}[31m", r"\u{1b}[31m"),
            ("\u{9b}31m", r"\u{9b}31m"),
            ("\u{feff}ugi", r"\u{feff}ugi"),
            ("a\u{200b}b\u{200d}\u{2060}", r"a\u{200b}b\u{200d}\u{2060}"),
            ("\u{202e}evil\u{2066}", r"\u{202e}evil\u{2066}"),
            ("\u{a0}\u{3000}\u{2028}", r"\u{a0}\u{3000}\u{2028}"),
            ("\u{3164}\u{fe0f}\u{34f}\u{2800}", r"\u{3164}\u{fe0f}\u{34f}\u{2800}"),
            ("\u{e000}\u{e0041}", r"\u{e000}\u{e0041}"),
        ] {
            assert_eq!(visible(text), expected);
            assert_eq!(visible(&visible(text)), expected, "escaped once");
        }
    }

    #[test]
    fn an_excerpt_tells_how_long_the_text_is() {
        assert_eq!(excerpt("é\u{7}", 2), "é\\u{7}");
        assert_eq!(excerpt("éée", 2), "éé... (3 characters)");
        assert_eq!(excerpt("", 0), "");
    }

    #[test]
    fn a_file_is_read_from_behind_its_mark() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("text");
        let read = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            TextFile::read(&path).map_err(|error| error.to_string())
        };
        for text in ["", "a", "ab", "abc", "abcdef\n\u{feff}g"] {
            assert_eq!(read(text.as_bytes()).unwrap(), text);
            assert_eq!(read(&[MARK, text.as_bytes()].concat()).unwrap(), text);
        }
        assert!(read(b"\xff\xfea\0").unwrap_err().contains("UTF-16 (little-endian)"));
        assert!(read(b"\xfe\xff\0a").unwrap_err().contains("UTF-16 (big-endian)"));
        assert!(read(b"\xef\xbb").unwrap_err().contains("UTF-8"));
    }
}
