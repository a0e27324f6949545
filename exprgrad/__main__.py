"""The program, as `exprgrad` and as `python -m exprgrad`."""

import gc
import os
import sys

GARBAGE = 50_000
"""The number of new containers after which the garbage collector looks for cycles: a plain command makes fewer, and no cycles."""


def main() -> None:
    """Run the program on the arguments of the process, and exit."""
    gc.set_threshold(GARBAGE)
    try:
        # `signal` would give its numbers names, which takes longer than all that is done here
        import _signal as signal  # type: ignore[import-not-found]

        stoppable = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if stoppable:  # as long as nothing is going on but imports, leave at once
            signal.signal(signal.SIGINT, lambda *_: os._exit(130))
        from exprgrad.cli.start import run
        from exprgrad.commands import signals

        signals.begin(stoppable)
        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        os._exit(130)
    if sys.gettrace() or sys.getprofile():  # who measures wants to see the end
        sys.exit(code)
    signals.leave(code)


if __name__ == "__main__":
    main()
