"""What the scripted models of the examples ask for, and what the tool answers."""

import sys

from tersed import Failure

COMMAND = "cargo test"
REPORT = (
    "running 81 tests\n"
    + "".join(f"test cases::number_{n} ... ok\n" for n in range(80))
    + "test cases::the_last ... FAILED\n\nfailures:\n\n---- cases::the_last stdout ----\n"
    "thread 'cases::the_last' panicked at src/lib.rs:9:5:\nboom\n\n"
    "test result: FAILED. 80 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n"
)


def tell(failure: Failure) -> None:
    """Says why results stay as they are."""
    print(f"tersed: {failure.reason}; results stay as they are", file=sys.stderr)


def show(seen: str) -> None:
    """Prints what the model saw of the result."""
    print(seen)
    print(f"{len(REPORT)} characters were {len(seen)}", file=sys.stderr)
