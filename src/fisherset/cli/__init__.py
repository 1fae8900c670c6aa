"""The command line."""

import sys

# Objects made until garbage is looked for, not 700: most of those that loading makes stay to the end,
# and to go through them again and again takes a tenth of a second.
MADE = 50_000


def main() -> None:
    """Entry point of the command `fisherset`; it loads nothing before Ctrl-C is looked after."""
    try:
        from fisherset.cli import interrupt

        interrupt.leave_at_once()
        import gc

        gc.set_threshold(MADE)
        from fisherset.cli.app import run

        sys.exit(run())
    except KeyboardInterrupt:  # in the moment before it was looked after
        print("fisherset: interrupted; nothing was written.", file=sys.stderr)
        sys.exit(130)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("fisherset"):
            raise
        sys.exit(f"fisherset: the command line needs {error.name}; pip install 'fisherset[cli]' brings it.")
