//! Small files that claim to be large: what a reader must refuse, or take in without much memory.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use flate2::{Compress, Compression, FlushCompress};

/// A hostile file with what is needed to read it.
pub struct Hostile {
    /// Of the file, and of its case.
    pub name: &'static str,
    /// A table to read, a folder of MNIST files to import, or a matrix beside `matrix.csv`.
    pub kind: HostileKind,
}

/// How a hostile file comes to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostileKind {
    /// A picture that `NAME.csv` names four times.
    Picture,
    /// A matrix with a row for each of the two of `matrix.csv`.
    Matrix,
    /// A table.
    Table,
    /// A folder of IDX files.
    Digits,
}

impl Hostile {
    /// What `corevar` is called with, in the folder of the files, on two threads where it has a choice.
    pub fn arguments(&self) -> String {
        let Hostile { name, kind } = self;
        let train = "--threads 2 --out out --penalty none --quiet";
        match kind {
            HostileKind::Picture => format!("train {name}.csv --image-size 8x8 --cache off {train}"),
            HostileKind::Matrix => format!("train matrix.csv --features-file {name} {train}"),
            HostileKind::Table => format!("train {name} {train}"),
            HostileKind::Digits => format!("import mnist --from {name} --out out --quiet"),
        }
    }
}

/// Side of the square that pictures claim: just within the usual limit of pixels.
const SIDE: u32 = 10_000;

/// Writes every hostile file into a folder. Together they take a few megabytes on the disk.
pub fn write_hostile(folder: &Path) -> io::Result<Vec<Hostile>> {
    let mut all = Vec::new();
    for (name, bytes) in pictures()? {
        fs::write(folder.join(name), bytes)?;
        let rows: String = ["a", "b", "a", "b"].map(|class| format!("{name},{class},train\n")).concat();
        fs::write(folder.join(format!("{name}.csv")), format!("filename,y,split\n{rows}"))?;
        all.push(Hostile { name, kind: HostileKind::Picture });
    }
    fs::write(folder.join("matrix.csv"), "y,split\na,train\nb,train\n")?;
    sparse_matrix(&folder.join("sparse.npy"))?;
    all.push(Hostile { name: "sparse.npy", kind: HostileKind::Matrix });
    for (name, bytes) in crate::hostile_tables::tables()? {
        fs::write(folder.join(name), bytes)?;
        all.push(Hostile { name, kind: HostileKind::Table });
    }
    fs::create_dir_all(folder.join("digits"))?;
    packed_digits(&folder.join("digits"))?;
    all.push(Hostile { name: "digits", kind: HostileKind::Digits });
    Ok(all)
}

fn pictures() -> io::Result<Vec<(&'static str, Vec<u8>)>> {
    Ok(vec![
        ("deep.png", png()?),
        ("canvas.gif", gif([SIDE as u16; 2], [SIDE as u16; 2])),
        ("frame.gif", gif([1, 1], [20_000, 20_000])),
        ("exif.webp", webp_with_exif()),
        ("inner.webp", webp_with_inner_frame()),
        ("tables.webp", webp_with_tables()),
        ("progressive.jpg", progressive_jpeg()),
        ("runs.bmp", bmp()),
        ("profile.png", png_with_packed(b"iCCP", b"p\0\0")?),
        ("text.png", png_with_packed(b"zTXt", b"p\0\0")?),
        ("words.png", png_with_packed(b"iTXt", b"p\0\x01\0\0\0")?),
    ])
}

/// Many zeros as a stream of deflate: a megabyte of them packed once, again and again.
fn deflated_zeros(length: u64) -> io::Result<Vec<u8>> {
    const PART: usize = 1 << 20;
    let pack = |zeros: &[u8], flush: FlushCompress| {
        let mut packed = Vec::with_capacity(1 << 16);
        Compress::new(Compression::best(), false).compress_vec(zeros, &mut packed, flush).map(|_| packed)
    };
    let zeros = vec![0; PART];
    let (parts, rest) = ((length / PART as u64) as usize, (length % PART as u64) as usize);
    let part = pack(&zeros, FlushCompress::Sync).map_err(io::Error::other)?;
    let end = pack(&zeros[..rest], FlushCompress::Finish).map_err(io::Error::other)?;
    Ok([part.repeat(parts), end].concat())
}

/// The same with the header and the checksum of zlib.
fn zeros(length: u64) -> io::Result<Vec<u8>> {
    let sum = (length % 65521) as u32;
    Ok([vec![0x78, 0xDA], deflated_zeros(length)?, (sum << 16 | 1).to_be_bytes().to_vec()].concat())
}

fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let body = [kind.as_slice(), data].concat();
    [&(data.len() as u32).to_be_bytes()[..], &body, &crc32fast::hash(&body).to_be_bytes()].concat()
}

fn png_header(side: u32, depth: u8, colour: u8) -> Vec<u8> {
    let header = [&side.to_be_bytes()[..], &side.to_be_bytes(), &[depth, colour, 0, 0, 0]].concat();
    [b"\x89PNG\r\n\x1a\n".to_vec(), chunk(b"IHDR", &header)].concat()
}

/// 16 bits, with transparency: 800 MB of zeros in 800 kB.
fn png() -> io::Result<Vec<u8>> {
    let pixels = zeros(u64::from(SIDE) * (1 + 8 * u64::from(SIDE)))?;
    Ok([png_header(SIDE, 16, 6), chunk(b"IDAT", &pixels), chunk(b"IEND", b"")].concat())
}

/// One pixel, and a colour profile or a text of 1 GB in a megabyte.
fn png_with_packed(kind: &[u8; 4], start: &[u8]) -> io::Result<Vec<u8>> {
    let packed = [start, &zeros(1 << 30)?].concat();
    let pixel = chunk(b"IDAT", &zeros(2)?);
    Ok([png_header(1, 8, 0), chunk(kind, &packed), pixel, chunk(b"IEND", b"")].concat())
}

/// A canvas, and a frame that need not fit it.
fn gif(canvas: [u16; 2], frame: [u16; 2]) -> Vec<u8> {
    let sizes = |sizes: [u16; 2]| sizes.map(u16::to_le_bytes).concat();
    let screen = [b"GIF89a".to_vec(), sizes(canvas), vec![0x80, 0, 0, 0, 0, 0, 255, 255, 255]].concat();
    let image = [vec![b',', 0, 0, 0, 0], sizes(frame), vec![0, 2, 2, b'L', 1, 0, b';']].concat();
    [screen, image].concat()
}

fn riff(chunks: &[u8]) -> Vec<u8> {
    [b"RIFF".to_vec(), (chunks.len() as u32 + 4).to_le_bytes().to_vec(), b"WEBP".to_vec(), chunks.to_vec()]
        .concat()
}

/// VP8X of one pixel, with these flags.
fn extended(flags: u8) -> Vec<u8> {
    [b"VP8X\x0a\0\0\0".as_slice(), &[flags, 0, 0, 0], &[0; 6]].concat()
}

/// The smallest lossless picture: one pixel.
const ONE_PIXEL: &[u8] = b"VP8L\x08\0\0\0\x2f\0\0\0\0\x88\x88\x08";

/// Its EXIF claims nearly 4 GB.
fn webp_with_exif() -> Vec<u8> {
    let exif = [b"EXIF".as_slice(), &0xFFFF_FFF0u32.to_le_bytes(), b"II*\0"].concat();
    riff(&[extended(0x08), ONE_PIXEL.to_vec(), exif].concat())
}

/// A canvas of one pixel with a lossy frame of 16383 x 16383 in it.
fn webp_with_inner_frame() -> Vec<u8> {
    // A key frame whose first part has 60 bytes, all 0.
    let tag = (60u32 << 5 | 1 << 4).to_le_bytes();
    let frame = [&tag[..3], &[0x9D, 0x01, 0x2A], &[0xFF, 0x3F, 0xFF, 0x3F], &[0; 60], &[0; 64]].concat();
    let chunk = [b"VP8 ".to_vec(), (frame.len() as u32).to_le_bytes().to_vec(), frame].concat();
    riff(&[extended(0), chunk].concat())
}

/// A lossless picture of 4 x 4 pixels with 65536 groups of codes, each with 2048 codes of eleven bits.
fn webp_with_tables() -> Vec<u8> {
    let mut bits = Bits::default();
    // Sizes less one, no transparency, version 0; no transform; a cache of 2^11 colours.
    [(3, 14), (3, 14), (0, 4), (0, 1), (1, 1), (11, 4)]
        .into_iter()
        .for_each(|(value, size)| bits.push(value, size));
    // Groups are named by an image of one block: red 255, green 255, without a cache.
    [(1, 1), (0, 3), (0, 1)].into_iter().for_each(|(value, size)| bits.push(value, size));
    [255, 255, 0, 0, 0].into_iter().for_each(|symbol| bits.single(symbol));
    for _ in 0..1 << 16 {
        // All code lengths are 11, which stands at place 14 of their order; 2048 symbols have one.
        bits.push(0, 1);
        bits.push(11, 4);
        (0..15).for_each(|place| bits.push(u32::from(place == 14), 3));
        [(1, 1), (5, 3), (2046, 12)].into_iter().for_each(|(value, size)| bits.push(value, size));
        (0..4).for_each(|_| bits.single(0));
    }
    let data = [vec![0x2F], bits.bytes].concat();
    riff(&[b"VP8L".to_vec(), (data.len() as u32).to_le_bytes().to_vec(), data, vec![0]].concat())
}

/// Bits, the lowest of a byte first.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    count: usize,
}

impl Bits {
    fn push(&mut self, value: u32, size: u32) {
        for bit in 0..size {
            if self.count.is_multiple_of(8) {
                self.bytes.push(0);
            }
            if let Some(last) = self.bytes.last_mut() {
                *last |= ((value >> bit & 1) as u8) << (self.count % 8);
            }
            self.count += 1;
        }
    }

    /// A code of one symbol.
    fn single(&mut self, symbol: u32) {
        [(1, 1), (0, 1), (1, 1), (symbol, 8)].into_iter().for_each(|(value, size)| self.push(value, size));
    }
}

/// Three full components, of which a decoder keeps all coefficients. The scan holds nothing.
fn progressive_jpeg() -> Vec<u8> {
    let side = (SIDE as u16).to_be_bytes();
    let frame =
        [&[0xFF, 0xC2, 0, 17, 8][..], &side, &side, &[3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0]].concat();
    let tables = [&[0xFF, 0xDB, 0, 67, 0][..], &[1; 64]].concat();
    let mut codes = vec![0xFF, 0xC4, 0, 20, 0];
    codes.extend([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    let scan = [0xFF, 0xDA, 0, 12, 3, 1, 0, 2, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xD9];
    [&[0xFF, 0xD8][..], &tables, &frame, &codes, &scan].concat()
}

/// Runs of one byte for a picture of a hundred million pixels; they end at once.
fn bmp() -> Vec<u8> {
    let numbers =
        |numbers: &[u32]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
    let header = [
        b"BM".to_vec(),
        numbers(&[1082, 0, 1078, 40, SIDE, SIDE]),
        vec![1, 0, 8, 0],
        numbers(&[1, 0, 0, 0, 256, 0]),
    ];
    [header.concat(), vec![0; 1024], vec![0, 1]].concat()
}

/// Two rows of 9.6 GB, none of which is on the disk.
fn sparse_matrix(path: &Path) -> io::Result<()> {
    let columns = 1_200_000_000u64;
    let text = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': (2, {columns}), }}");
    let text = format!("{text:<117}\n");
    let mut file = File::create(path)?;
    file.write_all(b"\x93NUMPY\x01\x00")?;
    file.write_all(&(text.len() as u16).to_le_bytes())?;
    file.write_all(text.as_bytes())?;
    file.set_len(10 + text.len() as u64 + 2 * columns * 4)
}

/// A million digits in a megabyte. The checksum at the end is never reached: it is wrong.
fn packed_digits(folder: &Path) -> io::Result<()> {
    let rows = 1_000_000u32;
    let header =
        [&[0, 0, 8, 3][..], &rows.to_be_bytes(), &32u32.to_be_bytes(), &32u32.to_be_bytes()].concat();
    // As it is: a stored block, which is not the last.
    let length = header.len() as u16;
    let stored = [&[0][..], &length.to_le_bytes(), &(!length).to_le_bytes(), &header].concat();
    let gzip = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3];
    let images = [gzip.to_vec(), stored, deflated_zeros(u64::from(rows) << 10)?, vec![0; 8]].concat();
    let labels = [&[0, 0, 8, 1][..], &rows.to_be_bytes(), &vec![7; rows as usize]].concat();
    for part in ["train", "t10k"] {
        fs::write(folder.join(format!("{part}-images-idx3-ubyte.gz")), &images)?;
        fs::write(folder.join(format!("{part}-labels-idx1-ubyte")), &labels)?;
    }
    Ok(())
}
