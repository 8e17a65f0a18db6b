"""Makes pictures/: files of many kinds, and beside each what a viewer shows, as Pillow 13 sees it.

    python3 -m venv v && v/bin/pip install pillow==13.0.0 numpy && v/bin/python make_pictures.py

What a viewer shows: turned upright by EXIF, transparent parts on white, 8 bits, RGB or grey.
"""

import io
import subprocess
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

OUT = Path(__file__).parent / "pictures"
H, W = 12, 10

y, x = np.mgrid[0:H, 0:W]
COLOUR = np.stack([x * 25, y * 20, 255 - x * 12 - y * 10], -1).astype("u1")
GREY = (x * 14 + y * 10).astype("u1")
ALPHA = (255 - x * 28).clip(0, 255).astype("u1")


def shown(image):
    image = ImageOps.exif_transpose(image)
    if image.mode.startswith("I"):  # 16 bits of grey, which Pillow would clip
        return Image.fromarray(((np.asarray(image).astype("f8") / 257).round()).astype("u1"))
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        image = image.convert("RGBA")
        white = Image.new("RGBA", image.size, "white")
        return Image.alpha_composite(white, image).convert("RGB")
    return image if image.mode == "L" else image.convert("L" if image.mode == "1" else "RGB")


def make(name, image, grey=False, **options):
    path = OUT / name
    image.save(path, **options)
    with Image.open(path) as again:
        result = shown(again)
    if grey:
        result = result.convert("L")
    result.save(OUT / (name + (".pgm" if result.mode == "L" else ".ppm")))


def main():
    OUT.mkdir(exist_ok=True)
    colour, grey = Image.fromarray(COLOUR), Image.fromarray(GREY)
    for orientation in range(1, 9):
        exif = Image.Exif()
        exif[0x0112] = orientation
        make(f"exif{orientation}.jpg", colour, quality=95, subsampling=0, exif=exif)
    exif = Image.Exif()
    exif[0x0112] = 6
    make("exif6.png", colour, exif=exif)
    make("exif6.webp", colour, exif=exif, lossless=True)
    make("plain.jpg", colour, quality=90)
    make("progressive.jpg", colour, quality=90, progressive=True)
    make("grey.jpg", grey, quality=90)
    make("cmyk.jpg", colour.convert("CMYK"), quality=95)
    make("palette.png", colour.quantize(16))
    make("onebit.png", Image.fromarray(GREY > 100))
    rgba = Image.fromarray(np.dstack([COLOUR, ALPHA]))
    make("alpha.png", rgba)
    make("alpha.webp", rgba, lossless=True)
    make("greyalpha.png", Image.fromarray(np.dstack([GREY, ALPHA]), "LA"), grey=True)
    make("palettealpha.png", colour.quantize(16), transparency=3)
    make("grey16.png", Image.fromarray((GREY.astype("u2") * 257 + 40)))
    make("grey16.pgm", Image.fromarray((GREY.astype("u2") * 257 + 40)))
    make("colour.gif", colour.quantize(32))
    make("grey.gif", grey.quantize(256), grey=True)
    make("transparent.gif", colour.quantize(32), transparency=5)
    make("colour.bmp", colour)
    make("grey.bmp", grey)
    make("palette.bmp", colour.quantize(16))
    make("colour.ppm", colour)
    make("onebit.pbm", Image.fromarray(GREY > 100))
    make("lossy.webp", colour, quality=95)
    frames = [colour.quantize(32), Image.fromarray(255 - COLOUR).quantize(32)]
    frames[0].save(OUT / "moving.gif", save_all=True, append_images=frames[1:])
    with Image.open(OUT / "moving.gif") as first:
        first.convert("RGB").save(OUT / "moving.gif.ppm")


def area_mean(image, height, width):
    """Every output pixel is the mean of the part of the picture that it covers."""
    def weights(length, wanted):
        scale, pixel = length / wanted, np.arange(length)
        low = np.arange(wanted)[:, None] * scale
        return (np.minimum(low + scale, pixel + 1) - np.maximum(low, pixel)).clip(0) / scale

    values = np.asarray(image).astype("f8")
    means = np.einsum("ij,jk...,lk->il...", weights(image.height, height), values, weights(image.width, width))
    return Image.fromarray((means + 0.5).astype("u1"))


def photographs():
    """Larger JPEG files of every sampling, and each in a small size, decoded by Pillow.

    The samplings that Pillow does not write are written by ImageMagick (Debian's `imagemagick`).
    """
    random = np.random.default_rng(1)
    h, w = 131, 150
    frequency = np.hypot(np.fft.fftfreq(h)[:, None], np.fft.rfftfreq(w)[None])
    noise = random.normal(size=(3, *frequency.shape)) + 1j * random.normal(size=(3, *frequency.shape))
    fields = np.fft.irfft2(noise / np.maximum(frequency, 1 / w) ** 1.5, s=(h, w))
    fields = (fields - fields.mean((1, 2), keepdims=True)) / fields.std((1, 2), keepdims=True)
    image = Image.fromarray(np.clip(128 + 45 * fields, 0, 255).astype("u1").transpose(1, 2, 0))
    folder = OUT.parent / "photographs"
    folder.mkdir(exist_ok=True)
    image.save(folder / "444.jpg", quality=85, subsampling=0)
    image.save(folder / "422.jpg", quality=85, subsampling=1)
    image.save(folder / "420.jpg", quality=85, subsampling=2)
    for name, factors in [("440", "1x2"), ("411", "4x1"), ("410", "4x2")]:
        command = ["convert-im6.q16", "ppm:-", "-quality", "85", "-sampling-factor", factors, folder / f"{name}.jpg"]
        ppm = io.BytesIO()
        image.save(ppm, "PPM")
        subprocess.run(command, input=ppm.getvalue(), check=True)
    image.save(folder / "coarse.jpg", quality=25)
    image.save(folder / "fine.jpg", quality=98, subsampling=0, optimize=True)
    # The coefficients of 420.jpg in other modes: all three must give the same pixels.
    image.save(folder / "restart.jpg", quality=85, subsampling=2, restart_marker_blocks=7)
    image.save(folder / "progressive.jpg", quality=85, subsampling=2, progressive=True)
    image.convert("L").save(folder / "grey.jpg", quality=85)
    for path in folder.glob("*.jpg"):
        with Image.open(path) as decoded:
            area_mean(decoded, 32, 24).save(path.with_suffix(".pgm" if decoded.mode == "L" else ".ppm"))


if __name__ == "__main__":
    main()
    photographs()
