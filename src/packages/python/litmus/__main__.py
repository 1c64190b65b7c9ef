"""`litmus` on the command line, out of the wheel."""

import os
import sys

from litmus import _program


def main() -> None:
    os.execvp(_program(), ["litmus", *sys.argv[1:]])


if __name__ == "__main__":
    main()
