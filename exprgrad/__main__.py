"""The program, as `exprgrad` and as `python -m exprgrad`."""

from exprgrad.cli.app import main

if __name__ == "__main__":
    main()
