"""Whether `maturin build` shares the artefacts of `cargo build --workspace`.

    python scripts/python_features.py

Built by itself, the package in `python/` would ask for fewer features of some dependencies than the workspace does, and all that
stands on them, Burn among it, would be compiled a second time. `python/Cargo.toml` names these features. This says what is missing there.
"""

import subprocess
import sys


def features(*selection: str) -> dict[str, set[str]]:
    command = ["cargo", "tree", "--offline", "--edges", "normal,build", "--prefix", "none", "--format", "{p}|{f}"]
    said = subprocess.run([*command, *selection], check=True, capture_output=True, text=True).stdout
    found: dict[str, set[str]] = {}
    for line in said.replace(" (*)", "").splitlines():
        package, _, names = line.replace(" (proc-macro)", "").partition("|")
        # Our own crates are compiled anew anyway, and quickly.
        if package and "(/" not in package:
            found.setdefault(package, set()).update(name for name in names.split(",") if name)
    return found


def main() -> int:
    workspace, alone = features("--workspace"), features("--package", "corevar-python")
    missing = {package: workspace[package] - names for package, names in alone.items() if workspace[package] - names}
    for package, names in sorted(missing.items()):
        print(f"python/Cargo.toml: {package} needs the features {', '.join(sorted(names))}", file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
