//! The assignment of tablets to servers.

use std::collections::BTreeMap;

use super::{BalancerClass, GroupPattern};
use crate::data::{Bytes, property};
use crate::table::{Tablet, Tablets};

/// Places tablets by group. Returns the index of the server for each tablet.
///
/// `groups` contains the group of each tablet. With N servers, a group of k tablets has `k / N`
/// tablets on each server; the remaining ones go to the servers with the fewest tablets so far, one
/// each. So the number of tablets per group, and in total, differs by at most one between servers.
/// Without servers every tablet has `None`.
///
/// # Examples
///
/// ```
/// use fluo_table::balancer::place;
///
/// assert_eq!(place(&["a", "a", "b", "b"], 2), [Some(0), Some(1), Some(0), Some(1)]);
/// assert_eq!(place(&["a", "b", "b"], 2), [Some(0), Some(1), Some(0)]);
/// ```
pub fn place<G: Ord>(groups: &[G], servers: usize) -> Vec<Option<usize>> {
    let mut members: BTreeMap<&G, Vec<usize>> = BTreeMap::new();
    for (tablet, group) in groups.iter().enumerate() {
        members.entry(group).or_default().push(tablet);
    }
    let mut totals = vec![0_usize; servers];
    let mut placed = vec![None; groups.len()];
    for tablets in members.values() {
        let mut order: Vec<usize> = (0..servers).collect();
        order.sort_by_key(|&server| totals.get(server).copied());
        for (&tablet, &server) in tablets.iter().zip(order.iter().cycle()) {
            if let (Some(slot), Some(total)) = (placed.get_mut(tablet), totals.get_mut(server)) {
                *slot = Some(server);
                *total += 1;
            }
        }
    }
    placed
}

/// Places tablets by count alone: the first part of them on the first server, and so on.
///
/// Every server holds the same number, give or take one, because a balancer without groups looks at
/// nothing else. This placement is the worst case for groups: each is on as few servers as
/// possible.
fn place_by_count(tablets: usize, servers: usize) -> Vec<Option<usize>> {
    let (share, longer) = match servers {
        0 => return vec![None; tablets],
        _ => (tablets / servers, tablets % servers),
    };
    let sizes = (0..servers).map(|server| share + usize::from(server < longer));
    sizes.enumerate().flat_map(|(server, size)| std::iter::repeat_n(Some(server), size)).collect()
}

/// Returns the tablets with these end rows and numbers of entries, placed on simulated servers
/// according to the properties of their table.
///
/// Under a group balancer whose pattern can be used, they are placed by group; without a pattern or
/// with an unusable one, by count. Under an unknown balancer no tablet has a server, because
/// tablets do not come online if the class does not load.
pub fn simulated_tablets(
    counted: Vec<(Option<Bytes>, u64)>,
    properties: &BTreeMap<String, String>,
    servers: usize,
) -> Tablets {
    let class = properties.get(property::BALANCER).map(|class| BalancerClass::from_name(class));
    let pattern = properties.get(property::GROUP_PATTERN);
    let pattern = pattern.and_then(|pattern| GroupPattern::parse(pattern).ok());
    let placed = match (class.unwrap_or(BalancerClass::ByCount), pattern) {
        (BalancerClass::ByGroup, Some(pattern)) => {
            let default = properties.get(property::GROUP_DEFAULT).map_or("", String::as_str);
            let groups = pattern.groups_of(counted.iter().map(|(end_row, _)| end_row.as_deref()));
            let groups = groups.map(|group| group.unwrap_or(default.into()));
            place(&groups.collect::<Vec<_>>(), servers)
        }
        (BalancerClass::Unknown, _) => vec![None; counted.len()],
        (BalancerClass::ByCount | BalancerClass::ByGroup, _) => {
            place_by_count(counted.len(), servers)
        }
    };
    let tablets = counted.into_iter().zip(placed).map(|((end_row, entries), server)| Tablet {
        end_row,
        server: server.map(simulated_server_name),
        entries,
    });
    Tablets::new(tablets.collect())
}

/// Returns the name of a simulated server.
pub fn simulated_server_name(index: usize) -> String {
    format!("server-{:03}", index + 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn counts(placed: &[Option<usize>], servers: usize) -> Vec<usize> {
        (0..servers).map(|s| placed.iter().filter(|&&p| p == Some(s)).count()).collect()
    }

    fn differ_by_at_most_one(counts: &[usize]) -> bool {
        counts.iter().max().zip(counts.iter().min()).is_none_or(|(max, min)| max - min <= 1)
    }

    fn servers_of(rows: &[&'static str], balancer: &str, pattern: &str) -> Vec<Option<String>> {
        let properties = [(property::BALANCER, balancer), (property::GROUP_PATTERN, pattern)];
        let properties = properties.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let counted = rows.iter().map(|row| (Some(Bytes::from(*row)), 0)).collect();
        let tablets = simulated_tablets(counted, &properties.into(), 2);
        tablets.as_slice().iter().map(|tablet| tablet.server.clone()).collect()
    }

    #[test]
    fn an_unknown_balancer_hosts_nothing() {
        assert_eq!(servers_of(&["a", "b"], "org.example.Typo", "(a|b).*"), [None, None]);
    }

    #[test]
    fn two_capturing_groups_are_ignored_as_by_the_balancer() {
        let (_, balancer) = super::super::group_balancers().next().unwrap();
        let place_with = |pattern| servers_of(&["a1", "a2", "b1", "b2"], &balancer, pattern);
        let [one, two] = [0, 1].map(|server| Some(simulated_server_name(server)));
        assert_eq!(place_with("(a|b).*"), [&one, &two, &one, &two].map(Clone::clone));
        assert_eq!(place_with("(a)?(b)?.*"), [&one, &one, &two, &two].map(Clone::clone));
    }

    proptest! {
        #[test]
        fn groups_and_totals_are_even(groups in proptest::collection::vec(0u8..5, 0..60), servers in 1usize..7) {
            let placed = place(&groups, servers);
            prop_assert!(placed.iter().all(Option::is_some));
            prop_assert!(differ_by_at_most_one(&counts(&placed, servers)));
            for group in 0..5 {
                let of_group: Vec<_> =
                    placed.iter().zip(&groups).filter(|(_, g)| **g == group).map(|(p, _)| *p).collect();
                prop_assert!(differ_by_at_most_one(&counts(&of_group, servers)));
            }
        }

        #[test]
        fn counting_is_even_too(tablets in 0usize..60, servers in 1usize..7) {
            let placed = place_by_count(tablets, servers);
            prop_assert_eq!(placed.len(), tablets);
            prop_assert!(differ_by_at_most_one(&counts(&placed, servers)));
        }
    }
}
