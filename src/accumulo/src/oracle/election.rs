//! The election nodes of oracles, as Fluo names them.

use uuid::Builder;

const SEQUENCE: &str = "lock-";

/// Returns the prefix of a new election node, `_c_<uuid>-lock-`. The creator recognizes its node by
/// it if the reply to the creation is lost.
pub(super) fn election_prefix(random: u128) -> String {
    let uuid = Builder::from_random_bytes(random.to_be_bytes()).into_uuid();
    format!("_c_{}-{SEQUENCE}", uuid.hyphenated())
}

/// Returns the paths of election nodes in their order: the first one is that of the leader.
pub(crate) fn sorted(servers: &str, names: &[String]) -> Vec<String> {
    let mut names: Vec<_> = names.iter().collect();
    // The text after the last `lock-` decides the place of a name.
    names.sort_by_key(|name| name.rsplit(SEQUENCE).next());
    names.iter().map(|name| format!("{servers}/{name}")).collect()
}

/// Reads the address in an election node. Returns `None` unless it is `host:port`.
pub(crate) fn address(data: &[u8]) -> Option<String> {
    let text = str::from_utf8(data).ok()?.trim();
    let (host, port) = text.rsplit_once(':')?;
    let port: u16 = port.parse().ok()?;
    (!host.is_empty() && port != 0).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_an_election_node_as_java_does() {
        assert_eq!(
            election_prefix(0x42e0_d101_410b_4acb_bc07_3be1_4486_8247),
            "_c_42e0d101-410b-4acb-bc07-3be144868247-lock-"
        );
    }

    #[test]
    fn sorts_by_the_sequence_whatever_the_prefix() {
        let names = [
            "_c_11111111-410b-4acb-bc07-3be144868247-lock-0000000010",
            "lock-0000000009",
            "_c_ffffffff-8194-44e9-ac90-37241d97b7e5-lock-0000000002",
        ];
        let paths = sorted("/servers", &names.map(str::to_owned));
        let expected = [names[2], names[1], names[0]].map(|name| format!("/servers/{name}"));
        assert_eq!(paths, expected);
    }

    #[test]
    fn reads_only_addresses_with_a_host_and_a_port() {
        assert_eq!(address(b"vm:7837").as_deref(), Some("vm:7837"));
        for data in [&b""[..], b"vm", b"vm:", b":7837", b"vm:0", b"vm:65536", b"\xff:1"] {
            assert_eq!(address(data), None, "{data:?}");
        }
    }
}
