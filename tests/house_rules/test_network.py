"""Tests stay on this machine."""

from __future__ import annotations

import socket

import pytest


def test_another_machine_is_out_of_reach() -> None:
    # 192.0.2.1 is an address for documentation (RFC 5737): nothing is there.
    with pytest.raises(RuntimeError, match="tests do not use the network"):
        socket.create_connection(("192.0.2.1", 80), timeout=1)


def test_this_machine_is_within_reach() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname(), timeout=5).close()
