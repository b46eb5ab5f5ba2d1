//! Pages of the web: normalized URLs, their hosts, and the domains of the Public Suffix List.
//!
//! # Rules
//!
//! | | part of a row | handling |
//! |---|---|---|
//! | W1 | scheme | `http` and `https` are dropped, so both are one page; other schemes are rejected |
//! | W2 | port | 80 and 443 are dropped, because without the scheme they are the same place; other ports are kept, see below |
//! | W3 | user information | rejected: no key contains a user or a password, and no message shows one |
//! | W4 | upper case | converted to lower case in the host; kept in the path and the query |
//! | W5 | trailing dot of the host | one is dropped; empty labels are rejected |
//! | W6 | IPv4 and IPv6 addresses | not reversed; in their usual text (`0x7f.1` is `127.0.0.1`, `[0:0::1]` is `[::1]`) |
//! | W7 | international names | punycode (UTS 46): `bücher.example` is `xn--bcher-kva.example` |
//! | W8 | host | ASCII letters, digits, `-` and `_`; labels up to 63 bytes, names up to 253; anything else is rejected |
//! | W9 | query, fragment | the query is kept as it is, even if empty; the fragment is dropped, because it is part of the same page |
//! | W10 | path | an empty path is `/`; `.` and `..` are resolved, `\` is `/`, as in browsers (the URL standard) |
//! | W11 | percent-encoding | added where the URL standard requires it; existing encoding is kept, so `%2f` and `%2F` differ |
//! | W12 | control characters, spaces at the ends, bytes that are not UTF-8 | rejected |
//!
//! The salt is computed from the registrable domain, by the Public Suffix List with its private
//! part (`a.github.io` and `b.github.io` are two domains). Addresses, hosts with one label
//! (`localhost`) and hosts that are public suffixes themselves (`co.uk`) have no registrable
//! domain: the whole host is used instead.

mod domain;
mod host;
mod page;

pub(super) use self::domain::{
    is_page_of, is_web_address, parse_domain, registrable, registrable_of_all_below,
};
pub(super) use self::host::Host;
pub(super) use self::page::{Page, authority, excerpt, text_of, without_scheme};
