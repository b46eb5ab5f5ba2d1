//! The assignment of tablets to servers.

use std::collections::BTreeMap;

use super::{BalancerClass, GroupPattern};
use crate::data::{Bytes, property};

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
pub fn place_by_count(tablets: usize, servers: usize) -> Vec<Option<usize>> {
    let (share, longer) = match servers {
        0 => return vec![None; tablets],
        _ => (tablets / servers, tablets % servers),
    };
    let sizes = (0..servers).map(|server| share + usize::from(server < longer));
    sizes.enumerate().flat_map(|(server, size)| std::iter::repeat_n(Some(server), size)).collect()
}

/// Places the tablets of a table according to its properties. Under a group balancer whose pattern
/// can be used, it places by group; without a pattern or with an unusable one, by count. Under an
/// unknown balancer no tablet has a server, because tablets do not come online if the class does
/// not load.
pub fn place_by_properties(
    end_rows: &[Option<Bytes>],
    properties: &BTreeMap<String, String>,
    servers: usize,
) -> Vec<Option<usize>> {
    let by_count = || place_by_count(end_rows.len(), servers);
    let class = properties.get(property::BALANCER).map(|class| BalancerClass::from_name(class));
    match class.unwrap_or(BalancerClass::ByCount) {
        BalancerClass::ByCount => by_count(),
        BalancerClass::ByGroup => match group_pattern(properties) {
            Some(pattern) => place(&groups_of(end_rows, &pattern, properties), servers),
            None => by_count(),
        },
        BalancerClass::Unknown => vec![None; end_rows.len()],
    }
}

/// Returns the name of a simulated server.
pub fn simulated_server_name(index: usize) -> String {
    format!("server-{:03}", index + 1)
}

fn group_pattern(properties: &BTreeMap<String, String>) -> Option<GroupPattern> {
    GroupPattern::parse(properties.get(property::GROUP_PATTERN)?).ok()
}

fn groups_of(
    end_rows: &[Option<Bytes>],
    pattern: &GroupPattern,
    properties: &BTreeMap<String, String>,
) -> Vec<String> {
    let default = properties.get(property::GROUP_DEFAULT).cloned().unwrap_or_default();
    end_rows
        .iter()
        .map(|end_row| pattern.group_of(end_row.as_deref()).unwrap_or_else(|| default.clone()))
        .collect()
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

    #[test]
    fn an_unknown_balancer_hosts_nothing() {
        let properties =
            BTreeMap::from([(property::BALANCER.to_owned(), "org.example.Typo".to_owned())]);
        assert_eq!(place_by_properties(&[None, None], &properties, 2), [None, None]);
    }

    #[test]
    fn two_capturing_groups_are_ignored_as_by_the_balancer() {
        let rows: Vec<_> = ["a1", "a2", "b1", "b2"].map(|row| Some(Bytes::from(row))).into();
        let place_with = |pattern: &str| {
            let properties = BTreeMap::from([
                (property::BALANCER.to_owned(), super::super::group_balancers().next().unwrap().1),
                (property::GROUP_PATTERN.to_owned(), pattern.to_owned()),
            ]);
            place_by_properties(&rows, &properties, 2)
        };
        assert_eq!(place_with("(a|b).*"), [Some(0), Some(1), Some(0), Some(1)]);
        assert_eq!(place_with("(a)?(b)?.*"), [Some(0), Some(0), Some(1), Some(1)]);
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
