"""The program, as `exprgrad` and as `python -m exprgrad`."""

import sys


def main() -> None:
    """Run the program on the arguments of the process, and exit."""
    try:
        from exprgrad.cli.start import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        code = 130
    sys.exit(code)


if __name__ == "__main__":
    main()
