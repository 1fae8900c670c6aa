"""The command line."""

from __future__ import annotations

import sys


def main() -> None:
    """Entry point of the command `fisherset`."""
    try:
        from fisherset.cli.app import run

        sys.exit(run())
    except KeyboardInterrupt:
        print("fisherset: interrupted; nothing was written.", file=sys.stderr)
        sys.exit(130)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("fisherset"):
            raise
        sys.exit(f"fisherset: the command line needs {error.name}; pip install 'fisherset[cli]' brings it.")
