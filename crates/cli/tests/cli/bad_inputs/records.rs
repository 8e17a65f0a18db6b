//! Records of a run.

use super::{Case, files};

const ARGUMENTS: &str = "report r";

pub const CASES: &[Case] = &[
    files(&[("r/results.json", b"" as &[u8])], ARGUMENTS, 1, "r/results.json: EOF while parsing a value at line 1 column 0"),
    files(&[("r/results.json", b"x" as &[u8])], ARGUMENTS, 1, "r/results.json: expected value at line 1 column 1"),
    files(&[("r/results.json", b"{}" as &[u8])], ARGUMENTS, 1, "r/results.json: missing field `schema` at line 1 column 2"),
    files(&[("r/results.json", b"[]" as &[u8])], ARGUMENTS, 1, "r/results.json: invalid length 0, expected struct Head with 1"),
    files(&[("r/results.json", b"null" as &[u8])], ARGUMENTS, 1, "r/results.json: invalid type: null, expected struct Head at"),
    files(&[("r/results.json", b"{\"schema\":\"corevar.results/9\"}" as &[u8])], ARGUMENTS, 1, "r/results.json: the schema is `corevar.results/9`, but must be"),
    files(&[("r/results.json", b"{\"schema\":\"corevar.results/1\"}" as &[u8])], ARGUMENTS, 1, "r/results.json: missing field `data` at line 1 column 30"),
    files(&[("r/results.json", b"{\"schema\": \"corevar.results/1\", \"data\": {\"name\": \"n\", \"rows\": 1, \"grouped_rows\": 0, \"groups\": 0, \"classes\": [\"a\", \"b\"], \"splits\": {\"train\": 1}}, \"estimators\": 1}" as &[u8])], ARGUMENTS, 1, "r/results.json: invalid type: integer `1`, expected a sequence"),
    files(&[("r/results.json", b"{\"schema\": \"corevar.results/1\", \"data\": [], \"estimators\": []}" as &[u8])], ARGUMENTS, 1, "r/results.json: invalid length 0, expected struct DataSummary"),
    files(&[("r/results.json", b"{\"schema\": \"corevar.results/1\", \"data\": {\"name\": \"n\", \"rows\": 1, \"grouped_rows\": 0, \"groups\": 0, \"classes\": [\"a\", \"b\"], \"splits\": {\"train\": 1}}, \"estimators\": [{}]}" as &[u8])], ARGUMENTS, 1, "r/results.json: missing field `name` at line 1 column 162"),
    files(&[("r/results.json", b"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[" as &[u8])], ARGUMENTS, 1, "r/results.json: invalid type: sequence, expected a string at"),
    files(&[("r/results.json", b"\xff\xfe" as &[u8])], ARGUMENTS, 1, "r/results.json: cannot be read: it is not UTF-8 text"),
    files(&[("r/results.json", b"{\"schema\": \"corevar.results/1\", \"data\": {\"name\": \"n\", \"rows\": 1, \"grouped_rows\": 0, \"groups\": 0, \"classes\": [\"a\", \"b\"], \"splits\": {\"train\": 1}}, \"estimators\": []" as &[u8])], ARGUMENTS, 1, "r/results.json: EOF while parsing an object at line 1 column 161"),
    files(&[("r/results.json", b"{\"schema\": \"corevar.results/1\", \"data\": {\"name\": \"n\", \"rows\": 1, \"grouped_rows\": 0, \"groups\": 0, \"classes\": [\"a\", \"b\"], \"splits\": {\"train\": 1}}, \"estimators\": []}x" as &[u8])], ARGUMENTS, 1, "r/results.json: trailing characters at line 1 column 163"),
    files(&[("r/results.json", b"{\"schema\": \"corevar.results/1\", \"data\": {\"name\": \"n\", \"rows\": 1, \"grouped_rows\": 0, \"groups\": 0, \"classes\": [\"a\", \"b\"], \"splits\": {\"train\": 1}}, \"estimators\": []}" as &[u8]), ("r/metrics.jsonl", b"{}")], ARGUMENTS, 1, "r/metrics.jsonl:1: missing field `estimator` at line 1 column 2"),
    files(&[("r/results.json", b"{\"schema\": \"corevar.results/1\", \"data\": {\"name\": \"n\", \"rows\": 1, \"grouped_rows\": 0, \"groups\": 0, \"classes\": [\"a\", \"b\"], \"splits\": {\"train\": 1}}, \"estimators\": []}" as &[u8]), ("r/metrics.jsonl", b"x\n")], ARGUMENTS, 1, "r/metrics.jsonl:1: expected value at line 1 column 1"),
    files(&[("r/results.json", b"{\"schema\": \"corevar.results/1\", \"data\": {\"name\": \"n\", \"rows\": 1, \"grouped_rows\": 0, \"groups\": 0, \"classes\": [\"a\", \"b\"], \"splits\": {\"train\": 1}}, \"estimators\": []}" as &[u8]), ("r/metrics.jsonl", b"{\"estimator\":\"a\",\"seed\":-1,\"epoch\":1,\"risk\":0,\"penalty\":0,\"ridge\":0}\n")], ARGUMENTS, 1, "r/metrics.jsonl:1: invalid value: integer `-1`, expected u64 at"),
    files(&[("r/results.json", b"{\"schema\": \"corevar.results/1\", \"data\": {\"name\": \"n\", \"rows\": 1, \"grouped_rows\": 0, \"groups\": 0, \"classes\": [\"a\", \"b\"], \"splits\": {\"train\": 1}}, \"estimators\": []}" as &[u8]), ("r/metrics.jsonl", b"\xff")], ARGUMENTS, 1, "r/metrics.jsonl: cannot be read: it is not UTF-8 text"),
    files(&[("r/results.json", b"{\"schema\": \"corevar.results/1\", \"data\": {\"name\": \"n\", \"rows\": 1, \"grouped_rows\": 0, \"groups\": 0, \"classes\": [\"a\", \"b\"], \"splits\": {\"train\": 1}}, \"estimators\": []}" as &[u8]), ("r/evidence.json", b"{}")], ARGUMENTS, 1, "r/evidence.json: missing field `schema` at line 1 column 2"),
    files(&[("r/results.json", b"{\"schema\": \"corevar.results/1\", \"data\": {\"name\": \"n\", \"rows\": 1, \"grouped_rows\": 0, \"groups\": 0, \"classes\": [\"a\", \"b\"], \"splits\": {\"train\": 1}}, \"estimators\": []}" as &[u8]), ("r/evidence.json", b"{\"schema\":\"x\"}")], ARGUMENTS, 1, "r/evidence.json: the schema is `x`, but must be"),
    files(&[("r/results.json", b"{\"schema\": \"corevar.results/1\", \"data\": {\"name\": \"n\", \"rows\": 1, \"grouped_rows\": 0, \"groups\": 0, \"classes\": [\"a\", \"b\"], \"splits\": {\"train\": 1}}, \"estimators\": []}" as &[u8]), ("r/evidence.json", b"{\"schema\":\"corevar.evidence/1\"}")], ARGUMENTS, 1, "r/evidence.json: missing field `seed` at line 1 column 31"),
    files(&[("r/results.json", b"{\"schema\": \"corevar.results/1\", \"data\": {\"name\": \"n\", \"rows\": 1, \"grouped_rows\": 0, \"groups\": 0, \"classes\": [\"a\", \"b\"], \"splits\": {\"train\": 1}}, \"estimators\": []}" as &[u8]), ("r/config.toml", b"a = ")], ARGUMENTS, 1, "r/config.toml: TOML parse error at line 1, column 5"),
    files(&[("r/results.json", b"{\"schema\": \"corevar.results/1\", \"data\": {\"name\": \"n\", \"rows\": 1, \"grouped_rows\": 0, \"groups\": 0, \"classes\": [\"a\", \"b\"], \"splits\": {\"train\": 1}}, \"estimators\": []}" as &[u8]), ("r/config.toml", b"\xff")], ARGUMENTS, 1, "r/config.toml: cannot be read: it is not UTF-8 text"),
    files(&[("r/results.json", b"{\"schema\": \"corevar.results/1\", \"data\": {\"name\": \"n\", \"rows\": 1, \"grouped_rows\": 0, \"groups\": 0, \"classes\": [\"a\", \"b\"], \"splits\": {\"train\": 1}}, \"estimators\": []}" as &[u8]), ("r/selection/results.json", b"{}")], ARGUMENTS, 1, "r/selection/results.json: missing field `schema` at line 1"),
    files(&[("r/notes.txt", b"x" as &[u8])], ARGUMENTS, 1, "r holds no results.json"),
];
