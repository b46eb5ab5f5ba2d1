//! The classes of the balancers, whose package differs between versions of Accumulo.

/// The packages that can contain them, the newer one first: 2.1 has both, 1.x only the second.
const PACKAGES: [&str; 2] =
    ["org.apache.accumulo.core.spi.balancer", "org.apache.accumulo.server.master.balancer"];
const BY_GROUP: &str = "RegexGroupBalancer";
/// The balancers that spread a table's tablets by their number alone; one of them is the default of
/// every table.
const BY_COUNT: [&str; 3] = ["SimpleLoadBalancer", "DefaultLoadBalancer", "TableLoadBalancer"];
/// The class that is requested to find the package: see [`group_balancers`].
const PROBE: &str = "TableLoadBalancer";

/// The behavior of a balancer class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BalancerClass {
    /// Spreads each group of tablets.
    ByGroup,
    /// Spreads tablets by their number alone.
    ByCount,
    /// A class that is not known here. If the servers do not know it either, no tablet comes
    /// online.
    Unknown,
}

impl BalancerClass {
    /// Parses the full name of a class.
    pub fn from_name(name: &str) -> Self {
        let in_package = |package: &&str| name.strip_prefix(*package)?.strip_prefix('.');
        match PACKAGES.iter().find_map(in_package) {
            Some(BY_GROUP) => Self::ByGroup,
            Some(class) if BY_COUNT.contains(&class) => Self::ByCount,
            _ => Self::Unknown,
        }
    }
}

/// Returns, for each package in the order in which to try them, the class to ask the servers for,
/// and the group balancer that is available if that class loads.
///
/// The class to ask for is not the group balancer itself: the class test creates an instance
/// without arguments, which the group balancer does not allow, so the answer would always be false.
pub fn group_balancers() -> impl Iterator<Item = (String, String)> {
    PACKAGES.iter().map(|package| (format!("{package}.{PROBE}"), format!("{package}.{BY_GROUP}")))
}

/// Checks whether tables with simulated servers report that these load a class: the simulated
/// balancers that can be created without arguments.
pub fn simulates_class(class: &str) -> bool {
    BalancerClass::from_name(class) == BalancerClass::ByCount
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_recognized_in_either_package() {
        for (probe, group_balancer) in group_balancers() {
            assert_eq!(BalancerClass::from_name(&group_balancer), BalancerClass::ByGroup);
            assert_eq!(BalancerClass::from_name(&probe), BalancerClass::ByCount);
            assert!(simulates_class(&probe) && !simulates_class(&group_balancer));
        }
        for unknown in ["", "RegexGroupBalancer", "org.example.RegexGroupBalancer"] {
            assert_eq!(BalancerClass::from_name(unknown), BalancerClass::Unknown);
        }
    }
}
