"""Runs the examples in the docstrings of the installed package. Modules whose packages are not installed are left out."""

import doctest
import importlib
import pkgutil
import sys
import warnings

import corevar


def main() -> int:
    failed = attempted = 0
    for module in pkgutil.iter_modules(corevar.__path__, "corevar."):
        try:
            module = importlib.import_module(module.name)
        except ImportError as error:
            print(f"{module.name}: left out ({error})")
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = doctest.testmod(module)
        failed, attempted = failed + result.failed, attempted + result.attempted
    print(f"{attempted} examples, {failed} failed")
    return 1 if failed or attempted < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
