//! The headers of a baseline JPEG file.

use image::metadata::Orientation;

use super::huffman::Table;

/// What must be known before the scan, for the plain kind of file that cameras and programs write.
pub(super) struct Frame<'a> {
    pub(super) height: usize,
    pub(super) width: usize,
    /// One (grey) or three (Y, Cb, Cr).
    pub(super) components: Vec<Component>,
    /// Largest sampling factors.
    pub(super) max_h: usize,
    pub(super) max_v: usize,
    /// MCUs between restart markers; 0 for none.
    pub(super) restart: usize,
    /// What follows the header of the scan.
    pub(super) scan: &'a [u8],
}

pub(super) struct Component {
    id: u8,
    /// Samples are `max_h / h` pixels wide and `max_v / v` high.
    pub(super) h: usize,
    pub(super) v: usize,
    quantiser: usize,
    /// Quantisation steps in zigzag order.
    pub(super) steps: [f32; 64],
    pub(super) dc: Table,
    pub(super) ac: Table,
}

/// Tables met so far.
#[derive(Default)]
struct Tables {
    quantisers: [Option<[f32; 64]>; 4],
    dc: [Option<Table>; 4],
    ac: [Option<Table>; 4],
    restart: usize,
    frame: Option<(usize, usize, Vec<Component>)>,
}

/// `None` for any file that is damaged or out of the ordinary (progressive, CMYK, RGB, rotated, several
/// scans, ...): those are left to the general decoder.
pub(super) fn parse(bytes: &[u8]) -> Option<Frame<'_>> {
    let mut rest = bytes.strip_prefix(&[0xFF, 0xD8])?;
    let mut tables = Tables::default();
    loop {
        let [0xFF, marker, high, low, ..] = *rest else { return None };
        let len = usize::from(u16::from_be_bytes([high, low]));
        let (segment, next) = rest.get(2..)?.split_at_checked(len)?;
        let body = segment.get(2..)?;
        match marker {
            0xC0 | 0xC1 => tables.frame = Some(frame(body)?),
            0xC4 => tables.read_huffman(body)?,
            0xDB => tables.read_quantisers(body)?,
            0xDD => tables.restart = usize::from(u16::from_be_bytes(*body.first_chunk::<2>()?)),
            0xDA => return tables.scan(body, next),
            0xE1 if is_rotated(body) => return None,
            // Adobe's marker with another transform than YCbCr.
            0xEE if body.starts_with(b"Adobe") && body.get(11) != Some(&1) => return None,
            0xE0..=0xEF | 0xFE => {}
            _ => return None,
        }
        rest = next;
    }
}

fn is_rotated(body: &[u8]) -> bool {
    let exif = body.strip_prefix(b"Exif\0\0");
    let orientation = exif.and_then(Orientation::from_exif_chunk);
    orientation.is_some_and(|orientation| orientation != Orientation::NoTransforms)
}

fn frame(body: &[u8]) -> Option<(usize, usize, Vec<Component>)> {
    let (&[8, h1, h0, w1, w0, count], rest) = body.split_first_chunk::<6>()? else { return None };
    let (height, width) = (u16::from_be_bytes([h1, h0]), u16::from_be_bytes([w1, w0]));
    let components: Vec<Component> = rest
        .as_chunks::<3>()
        .0
        .iter()
        .map(|&[id, sampling, quantiser]| Component {
            id,
            h: usize::from(sampling >> 4),
            v: usize::from(sampling & 15),
            quantiser: usize::from(quantiser),
            steps: [0.0; 64],
            dc: Table::default(),
            ac: Table::default(),
        })
        .collect();
    let usual = components.iter().all(|c| matches!(c.h, 1 | 2 | 4) && matches!(c.v, 1 | 2 | 4));
    let rgb = components.iter().map(|component| component.id).eq(*b"RGB");
    let whole = components.len() == usize::from(count) && matches!(count, 1 | 3) && height > 0 && width > 0;
    (usual && whole && !rgb).then_some((usize::from(height), usize::from(width), components))
}

impl Tables {
    fn read_quantisers(&mut self, mut body: &[u8]) -> Option<()> {
        while let Some((kind, rest)) = body.split_first() {
            let wide = kind >> 4 == 1;
            let (numbers, rest) = rest.split_at_checked(if wide { 128 } else { 64 })?;
            let mut steps = [0.0; 64];
            for (i, step) in steps.iter_mut().enumerate() {
                *step = if wide {
                    f32::from(u16::from_be_bytes([numbers[2 * i], numbers[2 * i + 1]]))
                } else {
                    f32::from(numbers[i])
                };
            }
            *self.quantisers.get_mut(usize::from(kind & 15))? = Some(steps);
            body = rest;
        }
        Some(())
    }

    fn read_huffman(&mut self, mut body: &[u8]) -> Option<()> {
        while let Some((kind, rest)) = body.split_first() {
            let (counts, rest) = rest.split_first_chunk::<16>()?;
            let total = counts.iter().map(|count| usize::from(*count)).sum();
            let (symbols, rest) = rest.split_at_checked(total)?;
            let tables = if kind >> 4 == 0 { &mut self.dc } else { &mut self.ac };
            *tables.get_mut(usize::from(kind & 15))? = Some(Table::new(counts, symbols, kind >> 4 != 0)?);
            body = rest;
        }
        Some(())
    }

    /// Brings frame, tables and scan together.
    fn scan<'a>(self, body: &[u8], scan: &'a [u8]) -> Option<Frame<'a>> {
        let (height, width, mut components) = self.frame?;
        let (count, rest) = body.split_first()?;
        let (selectors, spectral) = rest.split_at_checked(2 * components.len())?;
        if usize::from(*count) != components.len() || spectral != [0, 63, 0] {
            return None;
        }
        for (component, [id, which]) in components.iter_mut().zip(selectors.as_chunks::<2>().0) {
            if component.id != *id {
                return None;
            }
            component.steps = (*self.quantisers.get(component.quantiser)?)?;
            component.dc = self.dc.get(usize::from(which >> 4))?.clone()?;
            component.ac = self.ac.get(usize::from(which & 15))?.clone()?;
        }
        if let [only] = components.as_mut_slice() {
            // Sampling means nothing where there is nothing to compare with.
            (only.h, only.v) = (1, 1);
        }
        let max_h = components.iter().map(|component| component.h).max()?;
        let max_v = components.iter().map(|component| component.v).max()?;
        Some(Frame { height, width, components, max_h, max_v, restart: self.restart, scan })
    }
}
