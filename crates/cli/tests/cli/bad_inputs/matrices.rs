//! Matrices of features.

use super::{Case, files};

const ARGUMENTS: &str = "train t.csv --out x --penalty none --features-file m.npy";

pub const CASES: &[Case] = &[
    files(&[("t.csv", b"y,split\na,train\nb,train\n" as &[u8]), ("m.npy", b"")], ARGUMENTS, 1, "m.npy: cannot be read as a matrix of features: it ends within"),
    files(&[("t.csv", b"y,split\na,train\nb,train\n" as &[u8]), ("m.npy", b"\x93NUMPY")], ARGUMENTS, 1, "m.npy: cannot be read as a matrix of features: it ends within"),
    files(&[("t.csv", b"y,split\na,train\nb,train\n" as &[u8]), ("m.npy", b"\x93NUMPY\x01\x00\xff\xff")], ARGUMENTS, 1, "m.npy: cannot be read as a matrix of features: it ends within"),
    files(&[("t.csv", b"y,split\na,train\nb,train\n" as &[u8]), ("m.npy", b"\x93NUMPY\x01\x00\x00\x00")], ARGUMENTS, 1, "m.npy: cannot be read as a matrix of features: its header names"),
    files(&[("t.csv", b"y,split\na,train\nb,train\n" as &[u8]), ("m.npy", b"\x93NUMPY\x01\x00\x10\x00{'descr': '<f4'}")], ARGUMENTS, 1, "m.npy: cannot be read as a matrix of features: its header names"),
    files(&[("t.csv", b"y,split\na,train\nb,train\n" as &[u8]), ("m.npy", b"\x93NUMPY\x01\x00;\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }")], ARGUMENTS, 1, "m.npy: cannot be read as a matrix of features: it claims 2x2"),
    files(&[("t.csv", b"y,split\na,train\nb,train\n" as &[u8]), ("m.npy", b"\x93NUMPY\x01\x00;\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00")], ARGUMENTS, 1, "m.npy: cannot be read as a matrix of features: it claims 2x2"),
    files(&[("t.csv", b"y,split\na,train\nb,train\n" as &[u8]), ("m.npy", b"\x93NUMPY\x01\x00;\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00")], ARGUMENTS, 1, "m.npy: cannot be read as a matrix of features: it claims 2x2"),
    files(&[("t.csv", b"y,split\na,train\nb,train\n" as &[u8]), ("m.npy", b"\x93NUMPY\x01\x00;\x00{'descr': '<c8', 'fortran_order': False, 'shape': (2, 2), }\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00")], ARGUMENTS, 1, "m.npy: cannot be read as a matrix of features: its numbers have"),
    files(&[("t.csv", b"y,split\na,train\nb,train\n" as &[u8]), ("m.npy", b"\x93NUMPY\x01\x00:\x00{'descr': '|O', 'fortran_order': False, 'shape': (2, 2), }\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00")], ARGUMENTS, 1, "m.npy: cannot be read as a matrix of features: its numbers have"),
    files(&[("t.csv", b"y,split\na,train\nb,train\n" as &[u8]), ("m.npy", b"\x93NUMPY\x01\x00;\x00{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00")], ARGUMENTS, 1, "m.npy: the matrix has 3 rows, the table has 2"),
    files(&[("t.csv", b"y,split\na,train\nb,train\n" as &[u8]), ("m.npy", b"\x93NUMPY\x01\x00>\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2, 2), }\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00")], ARGUMENTS, 1, "m.npy: cannot be read as a matrix of features: its shape is (2,"),
    files(&[("t.csv", b"y,split\na,train\nb,train\n" as &[u8]), ("m.npy", b"\x93NUMPY\x01\x007\x00{'descr': '<f4', 'fortran_order': False, 'shape': (), }\x00\x00\x00\x00")], ARGUMENTS, 1, "m.npy: cannot be read as a matrix of features: its shape is (),"),
    files(&[("t.csv", b"y,split\na,train\nb,train\n" as &[u8]), ("m.npy", b"\x93NUMPY\x01\x00;\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 0), }")], ARGUMENTS, 1, "m.npy: cannot be read as a matrix of features: its shape is (2,"),
    files(&[("t.csv", b"y,split\na,train\nb,train\n" as &[u8]), ("m.npy", b"\x93NUMPY\x01\x00N\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 99999999999999999999), }")], ARGUMENTS, 1, "m.npy: cannot be read as a matrix of features: its shape is (2,"),
    files(&[("t.csv", b"y,split\na,train\nb,train\n" as &[u8]), ("m.npy", b"\x93NUMPY\x01\x00M\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4611686018427387904), }")], ARGUMENTS, 1, "m.npy: cannot be read as a matrix of features: it claims"),
    files(&[("t.csv", b"y,split\na,train\nb,train\n" as &[u8]), ("m.npy", b"\x93NUMPY\x01\x00;\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }\x00\x00\x80?\x00\x00\x00@\x00\x00\xc0\x7f\x00\x00\x80?")], ARGUMENTS, 1, "m.npy:2: `NaN` in column `x1` is not a finite number"),
    files(&[("t.csv", b"y,split\na,train\nb,train\n" as &[u8]), ("m.npy", b"\x93NUMPY\x01\x00;\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }\x00\x00\x80?\x00\x00\x00@\x00\x00@@\x00\x00\x80\x7f")], ARGUMENTS, 1, "m.npy:2: `inf` in column `x2` is not a finite number"),
    files(&[("t.csv", b"y,split\na,train\nb,train\n" as &[u8]), ("m.npy", b"\x93NUMPY\x02\x00\xff\xff\xff\xff{")], ARGUMENTS, 1, "m.npy: cannot be read as a matrix of features: its header is"),
];
