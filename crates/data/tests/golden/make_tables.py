"""Makes tables/: one table as Parquet in several ways, and a matrix as .npy in several types.

    python3 -m venv v && v/bin/pip install pyarrow==26.0.1 numpy && v/bin/python make_tables.py

All Parquet files hold the six rows of tables/plain.csv.
"""

from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

OUT = Path(__file__).parent / "tables"


def main():
    OUT.mkdir(exist_ok=True)
    label = ["cat", "dog", "cat", "größer", "dog", "größer"]
    ids = [7.0, None, 7.0, 8.0, None, 8.0]  # as pandas makes of whole numbers when some are missing
    split = ["train", "train", "train", "train", "test", "test"]
    x1 = np.array([0.1, -2.5, 3e10, 1e-30, 5, 6], "f4")
    x2 = np.array([1, 2, 3, 4, 5, 6], "i8")
    x3 = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6], "f8")
    x4 = pa.array([Decimal("1.25"), Decimal("-2.50"), Decimal("0"), Decimal("1"), Decimal("2"), Decimal("3")], pa.decimal128(9, 2))
    flag = [True, False, None, True, False, True]
    table = pa.table({"x1": x1, "y": label, "group_id": pa.array(ids, pa.float64()), "split": split,
                      "x2": x2, "x3": x3, "flag": flag})
    for name in ["snappy", "zstd", "gzip", "lz4", "none"]:
        pq.write_table(table, OUT / f"{name}.parquet", compression=name)
    pq.write_table(table, OUT / "groups.parquet", row_group_size=2, use_dictionary=False, data_page_version="2.0")
    pq.write_table(table, OUT / "brotli.parquet", compression="brotli")
    decimals = table.append_column("x4", x4)
    pq.write_table(decimals, OUT / "decimal.parquet", store_decimal_as_integer=True)
    nested = table.append_column("list", pa.array([[1], [2], [], [3], [4], [5]]))
    pq.write_table(nested, OUT / "nested.parquet")
    rows = zip(x1, label, ids, split, x2, x3, flag)
    text = "x1,y,group_id,split,x2,x3,flag\n"
    for a, b, c, d, e, f, g in rows:
        text += f"{a},{b},{'' if c is None else int(c)},{d},{e},{f},{'' if g is None else str(g).lower()}\n"
    (OUT / "plain.csv").write_text(text)

    matrix = np.array([[1, 2, 3], [-4, 5, -6]])
    for kind in ["<f4", "<f8", ">f4", ">f8", "i1", "<i2", ">i4", "<i8"]:
        np.save(OUT / f"matrix_{kind.replace('<', 'le_').replace('>', 'be_')}.npy", matrix.astype(kind))
    np.save(OUT / "matrix_fortran.npy", np.asfortranarray(matrix.astype("f4")))


if __name__ == "__main__":
    main()
