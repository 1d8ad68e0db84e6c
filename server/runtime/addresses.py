"""Addresses of the internet.

A socket for IPv4 and IPv6 reports an IPv4 peer as `::ffff:192.0.2.1`. Here that is 192.0.2.1.
"""

from __future__ import annotations

import ipaddress


def parse_address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    """An address, IPv4 if it is mapped to IPv6; raises ValueError if the text is none."""
    parsed = ipaddress.ip_address(text)
    return getattr(parsed, "ipv4_mapped", None) or parsed


def plain_address(text: str) -> str:
    """An address as limits and logs name it; a text that is no address stays as it is."""
    if ":" not in text:
        return text
    try:
        return str(parse_address(text))
    except ValueError:
        return text
