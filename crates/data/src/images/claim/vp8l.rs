//! Lossless WebP: how much memory its tables of codes take. A file of a megabyte can name tables of five gigabytes, and only
//! the codes themselves say so. They are read here as the decoder reads them, up to the pixels, which are left alone.

use std::io::{self, Read};

use super::{bad, byte};

/// Codes longer than this lead from a table into a tree.
const TABLE_BITS: usize = 10;

/// Bytes of a node of such a tree, of which a code takes two.
const NODE: u64 = 16;

/// Bytes of a group of five codes, without their tables; a list of them grows by copying.
const GROUP: u64 = 1 << 10;

/// Symbols of the codes for green and lengths, red, blue, alpha, and distances.
const ALPHABETS: [u16; 5] = [280, 256, 256, 256, 40];

/// The order in which lengths of code lengths are told.
const ORDER: [usize; 19] = [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// Bytes of all tables of a picture of this size. The source stands behind the sizes.
pub(super) fn tables(source: impl Read, width: u32, height: u32) -> io::Result<u64> {
    let mut bits = Bits { source, buffer: 0, count: 0 };
    let (mut width, mut taken) = (width, 0);
    while bits.read(1)? == 1 {
        match bits.read(2)? {
            0 | 1 => {
                let (width, height, _) = blocks(&mut bits, width, height)?;
                taken += small_image(&mut bits, width, height)?.0;
            }
            2 => {}
            _ => {
                let colours = bits.read(8)? + 1;
                taken += small_image(&mut bits, colours, 1)?.0;
                width = width.div_ceil(match colours {
                    ..=2 => 8,
                    3..=4 => 4,
                    5..=16 => 2,
                    _ => 1,
                });
            }
        }
    }
    let cache = cache_symbols(&mut bits)?;
    let mut groups = 1;
    if bits.read(1)? == 1 {
        let (width, height, _) = blocks(&mut bits, width, height)?;
        let (bytes, largest) = small_image(&mut bits, width, height)?;
        (taken, groups) = (taken + bytes, largest + 1);
    }
    for _ in 0..groups {
        taken += GROUP + group(&mut bits, cache)?.1;
    }
    Ok(taken)
}

/// Width and height in blocks, and bits of their side.
fn blocks(bits: &mut Bits<impl Read>, width: u32, height: u32) -> io::Result<(u32, u32, u32)> {
    let side = bits.read(3)? + 2;
    Ok((width.div_ceil(1 << side), height.div_ceil(1 << side), side))
}

fn cache_symbols(bits: &mut Bits<impl Read>) -> io::Result<u16> {
    if bits.read(1)? == 0 {
        return Ok(0);
    }
    match bits.read(4)? {
        size @ 1..=11 => Ok(1 << size),
        _ => Err(bad("its cache of colours has no size")),
    }
}

/// An image of parameters with one group of codes: bytes of its tables, and the largest number that red and green make. Copies of
/// pixels and of the cache make no number that was not there.
fn small_image(bits: &mut Bits<impl Read>, width: u32, height: u32) -> io::Result<(u64, u32)> {
    let cache = cache_symbols(bits)?;
    let ([green, red, blue, alpha, distance], bytes) = group(bits, cache)?;
    let (mut left, mut largest) = (u64::from(width) * u64::from(height), 0);
    while left > 0 {
        match green.symbol(bits)? {
            value @ ..256 => {
                largest = largest.max(u32::from(red.symbol(bits)?) << 8 | u32::from(value));
                blue.symbol(bits)?;
                alpha.symbol(bits)?;
                left -= 1;
            }
            length @ 256..280 => {
                let length = prefixed(bits, length - 256)?;
                let far = distance.symbol(bits)?;
                prefixed(bits, far)?;
                left = left.saturating_sub(length);
            }
            _ => left -= 1,
        }
    }
    Ok((bytes, largest))
}

/// A number of which the symbol says the magnitude.
fn prefixed(bits: &mut Bits<impl Read>, symbol: u16) -> io::Result<u64> {
    if symbol < 4 {
        return Ok(u64::from(symbol) + 1);
    }
    let extra = u32::from(symbol - 2) >> 1;
    let start = (2 + u64::from(symbol & 1)) << extra;
    Ok(start + u64::from(bits.read(extra)?) + 1)
}

/// Five codes, and the bytes of their tables.
fn group(bits: &mut Bits<impl Read>, cache: u16) -> io::Result<([Code; 5], u64)> {
    let mut codes = [const { Code::Single(0) }; 5];
    let mut bytes = 0;
    for (place, code) in codes.iter_mut().enumerate() {
        let symbols = ALPHABETS[place] + if place == 0 { cache } else { 0 };
        *code = Code::read(bits, symbols)?;
        bytes += code.bytes();
    }
    Ok((codes, bytes))
}

/// A prefix code.
enum Code {
    /// Takes no bits.
    Single(u16),
    /// How many codes there are of each length, and the symbols in the order of their codes.
    Many { counts: [u16; 16], symbols: Vec<u16> },
}

impl Code {
    fn read(bits: &mut Bits<impl Read>, alphabet: u16) -> io::Result<Code> {
        if bits.read(1)? == 0 {
            return Code::of_lengths(&code_lengths(bits, alphabet)?);
        }
        let (is_pair, is_long) = (bits.read(1)? == 1, bits.read(1)? == 1);
        let first = bits.read(if is_long { 8 } else { 1 })? as u16;
        if !is_pair {
            return Ok(Code::Single(first));
        }
        let mut counts = [0; 16];
        counts[1] = 2;
        Ok(Code::Many { counts, symbols: vec![first, bits.read(8)? as u16] })
    }

    fn of_lengths(lengths: &[u8]) -> io::Result<Code> {
        let mut counts = [0u16; 16];
        lengths.iter().filter(|length| **length > 0).for_each(|length| counts[usize::from(*length)] += 1);
        let mut symbols: Vec<u16> =
            (0..lengths.len() as u16).filter(|symbol| lengths[usize::from(*symbol)] > 0).collect();
        symbols.sort_by_key(|symbol| lengths[usize::from(*symbol)]);
        match symbols.as_slice() {
            [] => Err(bad("a code has no symbols")),
            [single] => Ok(Code::Single(*single)),
            _ => Ok(Code::Many { counts, symbols }),
        }
    }

    fn symbol(&self, bits: &mut Bits<impl Read>) -> io::Result<u16> {
        let (counts, symbols) = match self {
            Code::Single(symbol) => return Ok(*symbol),
            Code::Many { counts, symbols } => (counts, symbols),
        };
        // `first` is the first code of this length, `place` the place of its symbol.
        let (mut code, mut first, mut place) = (0u32, 0u32, 0usize);
        for count in counts.iter().skip(1).map(|count| u32::from(*count)) {
            code |= bits.read(1)?;
            if code < first + count {
                let found = symbols.get(place + (code - first) as usize);
                return found.copied().ok_or_else(|| bad("a code makes no sense"));
            }
            place += count as usize;
            first = (first + count) << 1;
            code <<= 1;
        }
        Err(bad("a code makes no sense"))
    }

    /// What the decoder takes for it.
    fn bytes(&self) -> u64 {
        let Code::Many { counts, .. } = self else { return 0 };
        let longest = counts.iter().rposition(|count| *count > 0).unwrap_or(0);
        let in_trees: u64 = counts.iter().skip(TABLE_BITS + 1).map(|count| u64::from(*count)).sum();
        // Allocations of a few bytes take more than they hold.
        (4 << longest.min(TABLE_BITS)) + 2 * NODE * in_trees + 4 * NODE
    }
}

/// Lengths of the codes of all symbols, themselves coded.
fn code_lengths(bits: &mut Bits<impl Read>, alphabet: u16) -> io::Result<Vec<u8>> {
    let mut of_lengths = [0; 19];
    let told = 4 + bits.read(4)? as usize;
    for place in ORDER.iter().take(told) {
        of_lengths[*place] = bits.read(3)? as u8;
    }
    let code = Code::of_lengths(&of_lengths)?;
    let mut left = alphabet;
    if bits.read(1)? == 1 {
        let size = 2 + 2 * bits.read(3)?;
        left = bits.read(size)?.saturating_add(2).min(u32::from(alphabet)) as u16;
    }
    let (mut lengths, mut before) = (Vec::with_capacity(alphabet.into()), 8);
    while lengths.len() < usize::from(alphabet) && left > 0 {
        left -= 1;
        let (length, times) = match code.symbol(bits)? as u8 {
            16 => (before, 3 + bits.read(2)?),
            17 => (0, 3 + bits.read(3)?),
            18 => (0, 11 + bits.read(7)?),
            length => (length, 1),
        };
        if length > 0 {
            before = length;
        }
        lengths.extend(std::iter::repeat_n(length, times as usize));
    }
    lengths.resize(alphabet.into(), 0);
    Ok(lengths)
}

/// Bits, the lowest of a byte first.
struct Bits<R> {
    source: R,
    buffer: u64,
    count: u32,
}

impl<R: Read> Bits<R> {
    /// Up to 32 of them.
    fn read(&mut self, wanted: u32) -> io::Result<u32> {
        while self.count < wanted {
            self.buffer |= u64::from(byte(&mut self.source)?) << self.count;
            self.count += 8;
        }
        let value = self.buffer & ((1 << wanted) - 1);
        self.buffer >>= wanted;
        self.count -= wanted;
        Ok(value as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(bytes: &[u8]) -> Bits<&[u8]> {
        Bits { source: bytes, buffer: 0, count: 0 }
    }

    #[test]
    fn bits_come_lowest_first() {
        let mut bits = bits(&[0b1010_0110, 0x01]);
        assert_eq!([2, 3, 4].map(|wanted| bits.read(wanted).unwrap()), [2, 1, 13]);
        assert!(bits.read(8).is_err());
    }

    #[test]
    fn codes_are_read_as_their_lengths_say() {
        // Lengths 2, 1, 2 give the codes 10, 0, 11.
        let code = Code::of_lengths(&[2, 1, 2]).unwrap();
        let mut bits = bits(&[0b1_1010]);
        assert_eq!([0; 3].map(|_| code.symbol(&mut bits).unwrap()), [1, 0, 2]);
        assert_eq!(code.bytes(), 4 * 4 + 4 * NODE);
        // Two codes of 11 bits lead into a tree behind a table of 1024 places.
        let long: Vec<u8> = (1..=11).chain([11]).collect();
        assert_eq!(Code::of_lengths(&long).unwrap().bytes(), 4096 + 2 * 2 * NODE + 4 * NODE);
    }
}
