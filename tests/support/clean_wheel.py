"""Install a wheel into an empty environment, with its core dependencies only, and try it there.

`python tests/support/clean_wheel.py dist/*.whl`; `make dist` does so.
"""

import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

SCRIPT = Path(__file__).with_name("core_only.py")


def main(wheel):
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        programs = Path(folder, "Scripts" if os.name == "nt" else "bin")
        python = str(programs / "python")
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        subprocess.run([python, "-m", "pip", "install", "--quiet", wheel], check=True, env=environment)
        subprocess.run([python, str(SCRIPT)], check=True, env=environment, cwd=folder)
        done = subprocess.run(
            [str(programs / "fisherset"), "--version"], capture_output=True, text=True, env=environment
        )
        assert done.returncode == 2, done.stdout
        assert 'pip install "fisherset[cli]"' in done.stderr, done.stderr
        assert "Traceback" not in done.stderr, done.stderr


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]))
