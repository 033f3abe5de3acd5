#!/usr/bin/python3
"""Becomes one node of the cluster: node.py NAME COMMAND... gets a host name and shared memory of its own, then runs
COMMAND."""
import os
import socket
import sys

from private_machine import mount_private_memory

socket.sethostname(sys.argv[1])
mount_private_memory("/dev/shm")
os.execv(sys.argv[2], sys.argv[2:])
