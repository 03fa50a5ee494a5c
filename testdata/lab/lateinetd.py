#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Accepts connections and starts a server on each after some seconds, as a super-server does that first looks up the
client's name: lateinetd.py ADDRESS PORT SECONDS PROGRAM [ARGUMENT]..."""
import os
import signal
import socket
import sys
import time


def main():
    """Command line."""
    address, port, seconds, *program = sys.argv[1:]
    listener = socket.create_server((address, int(port)))
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        connection, _ = listener.accept()
        if os.fork() == 0:
            time.sleep(float(seconds))
            for number in (0, 1, 2):
                os.dup2(connection.fileno(), number)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.execvp(program[0], program)
        connection.close()


if __name__ == "__main__":
    main()
