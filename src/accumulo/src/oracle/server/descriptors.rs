//! The file descriptors of this process. Each client of an oracle needs one.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Number of descriptors that clients leave to the rest of the process, as for ZooKeeper.
const RESERVED: u64 = 64;

/// Raises the soft limit of this process to the hard one. Returns the number of clients for which
/// it has descriptors.
pub(super) fn for_clients() -> usize {
    let limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum {
        let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
        if let Err(error) = setrlimit(Resource::Nofile, raised) {
            tracing::debug!(%error, "the limit of open files stays at {:?}", limit.current);
        }
    }
    for_clients_within(getrlimit(Resource::Nofile).current)
}

/// Returns the number of clients within a limit of descriptors, or without one: at least one.
fn for_clients_within(limit: Option<u64>) -> usize {
    let left = limit.map_or(u64::MAX, |limit| limit.saturating_sub(RESERVED));
    usize::try_from(left.max(1)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_descriptors_to_the_rest_of_the_process() {
        assert_eq!(for_clients_within(Some(1_024)), 960);
        assert_eq!(for_clients_within(Some(60)), 1);
        assert_eq!(for_clients_within(None), usize::MAX);
    }
}
