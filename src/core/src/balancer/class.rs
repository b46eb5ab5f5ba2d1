//! The classes of the balancers, which moved between versions of Accumulo.

/// The packages that can hold them, the newer one first: 2.1 has both, 1.x only the second.
const PACKAGES: [&str; 2] = [
    "org.apache.accumulo.core.spi.balancer",
    "org.apache.accumulo.server.master.balancer",
];
/// Spreads each group of tablets.
const BY_GROUP: &str = "RegexGroupBalancer";
/// Spread a table's tablets by their number alone; one of them is every table's default.
const BY_COUNT: [&str; 3] = [
    "SimpleLoadBalancer",
    "DefaultLoadBalancer",
    "TableLoadBalancer",
];
/// Is asked for to find the package: see [`group_balancers`].
const PROBE: &str = "TableLoadBalancer";

/// What the class of a balancer does with tablets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BalancerClass {
    /// Spreads each group.
    ByGroup,
    /// Spreads by number alone.
    ByCount,
    /// None that is known here. If the servers do not know it either, no tablet comes online.
    Unknown,
}

impl BalancerClass {
    /// Reads the full name of a class.
    pub fn of(name: &str) -> Self {
        let in_package = |package: &&str| name.strip_prefix(*package)?.strip_prefix('.');
        match PACKAGES.iter().find_map(in_package) {
            Some(BY_GROUP) => Self::ByGroup,
            Some(class) if BY_COUNT.contains(&class) => Self::ByCount,
            _ => Self::Unknown,
        }
    }
}

/// The group balancer of each package, in the order in which they should be tried: the class to ask the servers
/// for, and the group balancer that is there if it loads.
///
/// Another class is asked for in the group balancer's place: the class test makes an instance without arguments,
/// which the group balancer does not allow, so that it answers false although all is well.
pub fn group_balancers() -> impl Iterator<Item = (String, String)> {
    PACKAGES.iter().map(|package| {
        (
            format!("{package}.{PROBE}"),
            format!("{package}.{BY_GROUP}"),
        )
    })
}

/// Whether tables that pretend to have servers say that these load a class: the balancers that they pretend to have
/// and that can be made without arguments.
pub fn pretends_to_load(class: &str) -> bool {
    BalancerClass::of(class) == BalancerClass::ByCount
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_known_in_either_package() {
        for (probe, group_balancer) in group_balancers() {
            assert_eq!(BalancerClass::of(&group_balancer), BalancerClass::ByGroup);
            assert_eq!(BalancerClass::of(&probe), BalancerClass::ByCount);
            assert!(pretends_to_load(&probe) && !pretends_to_load(&group_balancer));
        }
        for unknown in ["", "RegexGroupBalancer", "org.example.RegexGroupBalancer"] {
            assert_eq!(BalancerClass::of(unknown), BalancerClass::Unknown);
        }
    }
}
