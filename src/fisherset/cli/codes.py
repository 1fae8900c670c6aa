"""Exit codes; 0 is success, as everywhere."""

UNEXPECTED = 1  # a fault of fisherset itself
UNUSABLE = 2  # the command, or its data, cannot be used; one sentence says why
INTERRUPTED = 130  # by Ctrl-C, as shells count it
READER_GONE = 141  # the pipe was closed, as by `| head -1`; again as shells count it
