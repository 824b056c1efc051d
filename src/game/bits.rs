//! Sets of squares as the bits of a `u64`.

/// The squares of a set, lowest first.
#[derive(Clone, Copy, Debug)]
pub struct Bits(pub u64);

impl Iterator for Bits {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let square = self.0.trailing_zeros() as usize;
        self.0 &= self.0 - 1;
        Some(square)
    }
}

/// The set that holds one square.
#[inline]
#[must_use]
pub const fn bit(square: usize) -> u64 {
    1 << square
}

/// Reads a square name such as `c4`: file and rank, both from 0. Only lower-case files `a` to `i`
/// and ranks `1` to `9` have names.
#[must_use]
pub fn parse_square(name: &[u8]) -> Option<(usize, usize)> {
    match name {
        [file @ b'a'..=b'i', rank @ b'1'..=b'9'] => {
            Some(((file - b'a') as usize, (rank - b'1') as usize))
        }
        _ => None,
    }
}

/// The name of the square with that file and rank, both from 0 and below 9.
#[must_use]
pub fn square_name(file: usize, rank: usize) -> String {
    format!("{}{}", (b'a' + file as u8) as char, rank + 1)
}

/// Where a square of a board with `size` files and ranks goes under one of the eight symmetries of
/// the square. Number 0 is the identity; the order of the others carries no meaning.
#[must_use]
pub const fn image(symmetry: usize, file: usize, rank: usize, size: usize) -> (usize, usize) {
    let (file, rank) = if symmetry & 1 == 0 { (file, rank) } else { (size - 1 - file, rank) };
    let (file, rank) = if symmetry & 2 == 0 { (file, rank) } else { (file, size - 1 - rank) };
    if symmetry & 4 == 0 { (file, rank) } else { (rank, file) }
}
