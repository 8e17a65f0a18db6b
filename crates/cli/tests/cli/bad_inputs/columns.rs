//! A sound table, and flags that do not fit it.

use super::{Case, files};

pub const CASES: &[Case] = &[
    files(
        &[("t.csv", b"x1,x2,y,group_id,split\n1,2,a,p,train\n2,1,b,q,train\n" as &[u8])],
        "train t.csv --out x --penalty none --label-column z",
        1,
        "t.csv:1: there is no column `z`; the columns are `x1`, `x2`,",
    ),
    files(
        &[("t.csv", b"x1,x2,y,group_id,split\n1,2,a,p,train\n2,1,b,q,train\n" as &[u8])],
        "train t.csv --out x --penalty none --group-column z",
        1,
        "t.csv:1: there is no column `z`; the columns are `x1`, `x2`,",
    ),
    files(
        &[("t.csv", b"x1,x2,y,group_id,split\n1,2,a,p,train\n2,1,b,q,train\n" as &[u8])],
        "train t.csv --out x --penalty none --split-column z",
        1,
        "t.csv:1: there is no column `z`; the columns are `x1`, `x2`,",
    ),
    files(
        &[("t.csv", b"x1,x2,y,group_id,split\n1,2,a,p,train\n2,1,b,q,train\n" as &[u8])],
        "train t.csv --out x --penalty none --filename-column z",
        1,
        "t.csv:1: there is no column `z`; the columns are `x1`, `x2`,",
    ),
    files(
        &[("t.csv", b"x1,x2,y,group_id,split\n1,2,a,p,train\n2,1,b,q,train\n" as &[u8])],
        "train t.csv --out x --penalty none --features z*",
        1,
        "t.csv:1: no column fits the pattern `z*` of --features; the",
    ),
    files(
        &[("t.csv", b"x1,x2,y,group_id,split\n1,2,a,p,train\n2,1,b,q,train\n" as &[u8])],
        "train t.csv --out x --penalty none --features y",
        1,
        "t.csv:1: column `y` is taken as the label and cannot be the",
    ),
    files(
        &[("t.csv", b"x1,x2,y,group_id,split\n1,2,a,p,train\n2,1,b,q,train\n" as &[u8])],
        "train t.csv --out x --penalty none --group-column y",
        1,
        "t.csv:1: column `y` is taken as the label and cannot be the id",
    ),
    files(
        &[("t.csv", b"x1,x2,y,group_id,split\n1,2,a,p,train\n2,1,b,q,train\n" as &[u8])],
        "train t.csv --out x --penalty none --split-column y",
        1,
        "t.csv:1: column `y` is taken as the label and cannot be the",
    ),
    files(
        &[("t.csv", b"x1,x2,y,group_id,split\n1,2,a,p,train\n2,1,b,q,train\n" as &[u8])],
        "train t.csv --out x --penalty none --features-file none.npy",
        1,
        "none.npy: cannot open: No such file or directory (os error 2)",
    ),
    files(
        &[("t.csv", b"x1,x2,y,group_id,split\n1,2,a,p,train\n2,1,b,q,train\n" as &[u8])],
        "train t.csv --out x --penalty none --features-file t.csv",
        1,
        "t.csv: cannot be read as a matrix of features: it does not",
    ),
    files(
        &[("t.csv", b"x1,x2,y,group_id,split\n1,2,a,p,train\n2,1,b,q,train\n" as &[u8])],
        "train t.csv --out x --penalty none --features-file .",
        1,
        ".: cannot be read as a matrix of features: it is a folder",
    ),
    files(
        &[("t.csv", b"x1,x2,y,group_id,split\n1,2,a,p,train\n2,1,b,q,train\n" as &[u8])],
        "train t.csv --out x --penalty none --image-size 3x3",
        1,
        "t.csv: --image-size has no effect: the inputs are features, not",
    ),
    files(
        &[("t.csv", b"x1,x2,y,group_id,split\n1,2,a,p,train\n2,1,b,q,train\n" as &[u8])],
        "train t.csv --out x --penalty none --image-size 0x3",
        2,
        "invalid value '0x3' for '--image-size <HxW>': `0x3` is not",
    ),
    files(
        &[("t.csv", b"x1,x2,y,group_id,split\n1,2,a,p,train\n2,1,b,q,train\n" as &[u8])],
        "train t.csv --out x --penalty none --image-size 3",
        2,
        "invalid value '3' for '--image-size <HxW>': `3` is not",
    ),
    files(
        &[("t.csv", b"x1,x2,y,group_id,split\n1,2,a,p,train\n2,1,b,q,train\n" as &[u8])],
        "train t.csv --out x --penalty none --image-size -3x3",
        2,
        "unexpected argument '-3' found",
    ),
    files(
        &[("t.csv", b"x1,x2,y,group_id,split\n1,2,a,p,train\n2,1,b,q,train\n" as &[u8])],
        "train t.csv --out x --penalty none --image-size axb",
        2,
        "invalid value 'axb' for '--image-size <HxW>': `axb` is not",
    ),
    files(
        &[("t.csv", b"x1,x2,y,group_id,split\n1,2,a,p,train\n2,1,b,q,train\n" as &[u8])],
        "train t.csv --out x --penalty none --crop center",
        1,
        "t.csv: --crop has no effect: the inputs are features, not images",
    ),
    files(
        &[("t.csv", b"x1,x2,y,group_id,split\n1,2,a,p,train\n2,1,b,q,train\n" as &[u8])],
        "train t.csv --out x --penalty none --crop left",
        2,
        "invalid value 'left' for '--crop <none|center>': unknown",
    ),
    files(
        &[("t.csv", b"x1,x2,y,group_id,split\n1,2,a,p,train\n2,1,b,q,train\n" as &[u8])],
        "train t.csv --out x --penalty none --colour blue",
        2,
        "invalid value 'blue' for '--colour <grey|rgb>': unknown variant",
    ),
    files(
        &[("t.csv", b"x1,x2,y,group_id,split\n1,2,a,p,train\n2,1,b,q,train\n" as &[u8])],
        "train t.csv --out x --penalty none --task guess",
        2,
        "invalid value 'guess' for '--task <KIND>': unknown variant",
    ),
    files(
        &[("t.csv", b"x1,x2,y,group_id,split\n1,2,a,p,train\n2,1,b,q,train\n" as &[u8])],
        "train t.csv --out x --penalty none --task regression",
        1,
        "t.csv:2: `a` in column `y` is not a number",
    ),
    files(
        &[("t.csv", b"x1,x2,y,group_id,split\n1,2,a,p,train\n2,1,b,q,train\n" as &[u8])],
        "train t.csv --out x --penalty none --label-bins 3",
        2,
        "--label-bins has no effect here: only --task regression has bins",
    ),
    files(
        &[("t.csv", b"x1,x2,y,group_id,split\n1,2,a,p,train\n2,1,b,q,train\n" as &[u8])],
        "train t.csv --out x --penalty none --split-seed -1",
        2,
        "unexpected argument '-1' found",
    ),
    files(
        &[("t.csv", b"x1,x2,y,group_id,split\n1,2,a,p,train\n2,1,b,q,train\n" as &[u8])],
        "train t.csv --out x --penalty none --skip-unreadable=maybe",
        2,
        "invalid value 'maybe' for",
    ),
    files(
        &[("t.csv", b"x1,x2,y,group_id,split\n1,2,a,p,train\n2,1,b,q,train\n" as &[u8])],
        "train t.csv --out x --penalty none --label-column x1 --features x1",
        1,
        "t.csv:1: column `x1` is taken as the label and cannot be the",
    ),
];
