#!/usr/bin/python3
"""Runs a command as if on a machine of its own: private processes, mounts, network and host name, gone with the
command.

    private_machine.py COMMAND...

Namespaces are made as root, else as a user (user namespaces). Where both are refused the command runs on the plain
machine, and what it left running is ended all the same. PIMDSE_NAMESPACES tells the command "private" or "refused".
"""
import ctypes
import fcntl
import os
import signal
import socket
import struct
import subprocess
import sys
import time

ADDRESS = "127.0.0.2"   # local on every Linux, whatever address the loopback device has
LIBC = ctypes.CDLL(None, use_errno=True)
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
SPACES = ["--mount", "--uts", "--ipc", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]
# A user keeps the own number: as root, Slurm's daemons would change groups, which a user namespace forbids.
FLAVOURS = [SPACES, ["--user", "--map-current-user", "--keep-caps", *SPACES]]


def die_with_parent():
    """For preexec_fn: the kernel kills this process when its parent is gone, however that went."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def mount_private_memory(path):
    """An empty tmpfs on path, seen by this mount namespace only."""
    if LIBC.mount(b"tmpfs", path.encode(), b"tmpfs", 0, b"mode=1777") != 0:
        raise OSError(ctypes.get_errno(), f"cannot mount on {path}")


def network_up():
    """A new network namespace has a loopback device that is down. Its address becomes another one than 127.0.0.1,
    because on a machine that has only that one the resolver finds nothing (AI_ADDRCONFIG)."""
    set_flags, set_address, up_and_running = 0x8914, 0x8916, 0x1 | 0x40
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, set_flags, struct.pack("16sH14x", b"lo", up_and_running))
        fcntl.ioctl(
            any_socket, set_address, struct.pack("16sH2x4s8x", b"lo", socket.AF_INET, socket.inet_aton(ADDRESS))
        )


def probe():
    """Raises where namespaces can be made but not used."""
    network_up()
    mount_private_memory("/dev/shm")
    subprocess.run(["unshare", "--uts", "--mount", "true"], check=True)


def flavour():
    """The flags of unshare that work here; None where none do."""
    for flags in FLAVOURS:
        command = ["unshare", *flags, sys.executable, "-B", __file__, "--probe"]
        try:
            if subprocess.run(command, capture_output=True, timeout=30).returncode == 0:
                return flags
        except (OSError, subprocess.TimeoutExpired):
            pass
    return None


def children_of(parent):
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="ascii", errors="replace") as stat:
                state, parent_of_it = stat.read().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        if int(parent_of_it) == parent and state != "Z":
            found.append(int(name))
    return found


def end_descendants():
    """Orphans become children of this process (subreaper), so killing children until there are none ends everything."""
    deadline = time.monotonic() + 20
    while (left := children_of(os.getpid())) and time.monotonic() < deadline:
        for pid in left:
            os.kill(
                pid, signal.SIGKILL
            )  # a child that ended meanwhile is a zombie until it is waited for, so it is there
        time.sleep(0.05)


def reap(wanted):
    """Waits for everything that ends, as the first process of a machine does; returns the exit code of `wanted`."""
    while True:
        pid, status = os.wait()
        if pid == wanted:
            return os.waitstatus_to_exitcode(status)


def run(command):
    LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(143))
    child = subprocess.Popen(command, preexec_fn=die_with_parent)
    try:
        code = reap(child.pid)
    finally:
        end_descendants()
    return code if code >= 0 else 128 - code


def main(words):
    if words[0] == "--probe":
        probe()
        return 0
    if words[0] == "--inside":
        network_up()
        return run(words[1:])
    flags = None if os.environ.get("PIMDSE_NAMESPACES") == "refused" else flavour()
    os.environ["PIMDSE_NAMESPACES"] = "refused" if flags is None else "private"
    return run(words if flags is None else ["unshare", *flags, sys.executable, "-B", __file__, "--inside", *words])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
