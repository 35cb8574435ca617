"""Which addresses are of the open internet, and of nobody's own network."""

import ipaddress
from ipaddress import IPv4Address, IPv6Address, IPv6Network

NOWHERE = IPv4Address(0)
NAT64, LOCAL_NAT64 = IPv6Network("64:ff9b::/96"), IPv6Network("64:ff9b:1::/48")
TRANSLATED = IPv6Network("::ffff:0:0:0/96")
RESERVED = tuple(
    map(ipaddress.ip_network, ("192.0.0.0/24", "192.88.99.0/24", "3fff::/20", "5f00::/16", "100:0:0:1::/64"))
)
"""What older Pythons take for public."""


def is_public(text: str) -> bool:
    """Say whether an address, IPv4 or IPv6 in figures, is of the open internet, wherever gateways may take it."""
    meant = _meant(ipaddress.ip_address(text.partition("%")[0]))
    return all(
        one.is_global
        and not one.is_multicast
        and not getattr(one, "is_site_local", False)
        and not any(one in network for network in RESERVED)
        for one in meant
    )


def _meant(address: IPv4Address | IPv6Address) -> list[IPv4Address | IPv6Address]:
    """Return the IPv4 addresses to which a gateway or the system may take an IPv6 one; else the address itself."""
    if isinstance(address, IPv4Address):
        return [address]
    low = IPv4Address(int(address) & 0xFFFFFFFF)
    if address.ipv4_mapped or address in NAT64 or address in TRANSLATED:
        return [low]
    if address in LOCAL_NAT64:  # with a longer prefix nobody outside of that network knows where the address stands
        return [low if int(address) >> 32 == int(LOCAL_NAT64[0]) >> 32 else NOWHERE]
    if address.sixtofour:
        return [address.sixtofour]
    if address.teredo:
        return list(address.teredo)
    return [low] if int(address) >> 32 == 0 and int(address) > 1 else [address]
