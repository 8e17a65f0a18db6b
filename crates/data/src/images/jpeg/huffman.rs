//! Bits and Huffman codes of a scan.

/// Codes up to this length are looked up at once.
const QUICK: u32 = 10;

/// A Huffman table of a JPEG file.
#[derive(Clone, Default)]
pub(super) struct Table {
    /// For the next bits: symbol and length of the code; length 0 where it is longer than [`QUICK`].
    quick: Vec<(u8, u8)>,
    /// For the next bits, where code and value fit: value, run of zeros before it, bits in all (0: none).
    whole: Vec<(i16, u8, u8)>,
    /// First code behind those of each length, shifted to 16 bits.
    ends: [u32; 17],
    /// To be added to a code of each length for its place among the symbols.
    offsets: [i32; 17],
    symbols: Vec<u8>,
}

impl Table {
    /// Number of codes of each length, and their symbols; `None` if there are more codes than bits allow.
    pub(super) fn new(counts: &[u8; 16], symbols: &[u8], values: bool) -> Option<Table> {
        let mut table =
            Table { quick: vec![(0, 0); 1 << QUICK], symbols: symbols.to_vec(), ..Table::default() };
        let (mut code, mut place) = (0u32, 0usize);
        for (length, count) in (1u32..=16).zip(counts) {
            table.offsets[length as usize] = place as i32 - code as i32;
            for _ in 0..*count {
                if code >= 1 << length {
                    return None;
                }
                if length <= QUICK {
                    let start = (code << (QUICK - length)) as usize;
                    table.quick[start..start + (1 << (QUICK - length))].fill((symbols[place], length as u8));
                }
                (code, place) = (code + 1, place + 1);
            }
            table.ends[length as usize] = code << (16 - length);
            code <<= 1;
        }
        if values {
            table.whole = (0..1 << QUICK).map(|bits| whole(&table.quick, bits)).collect();
        }
        Some(table)
    }
}

/// Code and value together, if they fit the bits.
fn whole(quick: &[(u8, u8)], bits: u32) -> (i16, u8, u8) {
    let (symbol, length) = quick[bits as usize];
    let (run, size) = (symbol >> 4, u32::from(symbol & 15));
    let all = u32::from(length) + size;
    if length == 0 || size == 0 || all > QUICK {
        return (0, 0, 0);
    }
    let raw = (bits >> (QUICK - all)) & ((1 << size) - 1);
    (extend(raw, size) as i16, run, all as u8)
}

/// The value of `size` bits: those that begin with 0 are negative.
fn extend(raw: u32, size: u32) -> i32 {
    if raw < 1 << (size - 1) { raw as i32 - (1 << size) + 1 } else { raw as i32 }
}

/// Bits of a scan, with the stuffing taken out.
pub(super) struct Bits<'a> {
    data: &'a [u8],
    at: usize,
    /// The next bits, from the top.
    buffer: u64,
    count: u32,
    /// Bits that were made up behind the end.
    made_up: u32,
}

impl<'a> Bits<'a> {
    pub(super) fn new(data: &'a [u8]) -> Bits<'a> {
        Bits { data, at: 0, buffer: 0, count: 0, made_up: 0 }
    }

    /// At least 32 bits.
    #[inline]
    fn refill(&mut self) {
        while self.count <= 32 {
            if let Some(four) = self.data.get(self.at..).and_then(|rest| rest.first_chunk::<4>()) {
                let word = u32::from_be_bytes(*four);
                // No byte is 0xFF: no byte of the complement is 0.
                if (!word).wrapping_sub(0x0101_0101) & word & 0x8080_8080 == 0 {
                    self.buffer |= u64::from(word) << (32 - self.count);
                    self.count += 32;
                    self.at += 4;
                    continue;
                }
            }
            self.refill_byte();
        }
    }

    fn refill_byte(&mut self) {
        let byte = match (self.data.get(self.at), self.data.get(self.at + 1)) {
            (Some(0xFF), Some(0)) => {
                self.at += 2;
                0xFF
            }
            (Some(0xFF), _) | (None, _) => {
                self.made_up += 8;
                0
            }
            (Some(byte), _) => {
                self.at += 1;
                *byte
            }
        };
        self.buffer |= u64::from(byte) << (56 - self.count);
        self.count += 8;
    }

    #[inline]
    fn peek(&self, bits: u32) -> u32 {
        (self.buffer >> (64 - bits)) as u32
    }

    #[inline]
    fn skip(&mut self, bits: u32) {
        self.buffer <<= bits;
        self.count -= bits;
    }

    #[inline]
    fn symbol(&mut self, table: &Table) -> Option<u8> {
        let (symbol, length) = *table.quick.get(self.peek(QUICK) as usize)?;
        if length > 0 {
            self.skip(u32::from(length));
            return Some(symbol);
        }
        let bits = self.peek(16);
        let length = (QUICK + 1..=16).find(|length| bits < table.ends[*length as usize])?;
        let place = (bits >> (16 - length)) as i32 + table.offsets[length as usize];
        self.skip(length);
        table.symbols.get(usize::try_from(place).ok()?).copied()
    }

    #[inline]
    fn value(&mut self, size: u32) -> i32 {
        let raw = self.peek(size);
        self.skip(size);
        extend(raw, size)
    }

    /// Decodes a block: `each` gets the place in zigzag order and the value of every coefficient that is
    /// not zero; `dc` is that of the block before and becomes that of this one.
    #[inline]
    pub(super) fn block(
        &mut self,
        dc_table: &Table,
        ac_table: &Table,
        dc: &mut i32,
        mut each: impl FnMut(usize, i32),
    ) -> Option<()> {
        self.refill();
        let size = u32::from(self.symbol(dc_table)?);
        if size > 11 {
            return None;
        }
        if size > 0 {
            *dc = dc.wrapping_add(self.value(size));
        }
        each(0, *dc);
        self.waves(ac_table, each)
    }

    /// The coefficients of a block behind the first.
    #[inline]
    fn waves(&mut self, ac_table: &Table, mut each: impl FnMut(usize, i32)) -> Option<()> {
        let mut place = 1;
        while place < 64 {
            self.refill();
            let (value, run, bits) = *ac_table.whole.get(self.peek(QUICK) as usize)?;
            if bits > 0 {
                self.skip(u32::from(bits));
                place += usize::from(run);
                if place > 63 {
                    return None;
                }
                each(place, i32::from(value));
                place += 1;
                continue;
            }
            let symbol = self.symbol(ac_table)?;
            let (run, size) = (usize::from(symbol >> 4), u32::from(symbol & 15));
            match (run, size) {
                (15, 0) => place += 16,
                (_, 0) => break,
                _ => {
                    place += run;
                    if place > 63 || size > 10 {
                        return None;
                    }
                    each(place, self.value(size));
                    place += 1;
                }
            }
        }
        Some(())
    }

    /// True if more bits were used than there are.
    pub(super) fn is_overrun(&self) -> bool {
        self.made_up > self.count
    }

    /// Goes behind the restart marker that must come next.
    pub(super) fn restart(&mut self, number: usize) -> Option<()> {
        if self.is_overrun() {
            return None;
        }
        let marker = 0xD0 + (number % 8) as u8;
        // Whole bytes that were taken into the buffer cannot be markers, so the marker lies ahead.
        let ahead = self.data.get(self.at..)?.strip_prefix(&[0xFF, marker])?;
        *self = Bits::new(ahead);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_extended_as_the_standard_says() {
        assert_eq!(
            [extend(0, 1), extend(1, 1), extend(0, 3), extend(3, 3), extend(4, 3)],
            [-1, 1, -7, -4, 4]
        );
    }

    #[test]
    fn codes_of_every_length_are_found() {
        // One code of each length from 1 to 16: 0, 10, 110, ...
        let symbols: Vec<u8> = (0..16).collect();
        let table = Table::new(&[1; 16], &symbols, false).unwrap();
        for length in 1..=16u32 {
            let code = (0xFFFFu32 << (17 - length)) as u16;
            let bytes = code.to_be_bytes();
            // 0xFF is stuffed in a scan.
            let stuffed: Vec<u8> = bytes
                .iter()
                .flat_map(|byte| if *byte == 0xFF { vec![0xFF, 0] } else { vec![*byte] })
                .collect();
            let mut bits = Bits::new(&stuffed);
            bits.refill();
            assert_eq!(bits.symbol(&table), Some(length as u8 - 1), "length {length}");
        }
    }

    #[test]
    fn too_many_codes_are_refused() {
        let mut counts = [0; 16];
        counts[0] = 3;
        assert!(Table::new(&counts, &[1, 2, 3], false).is_none());
    }
}
