//! The classes of the group balancer, which moved between versions of Accumulo.

/// The packages that can hold the balancers, the newer one first: 2.1 has both, 1.x only the second.
const PACKAGES: [&str; 2] = [
    "org.apache.accumulo.core.spi.balancer",
    "org.apache.accumulo.server.master.balancer",
];

/// The group balancer's full class names, in the order in which they should be tried.
pub const GROUP_BALANCERS: [&str; 2] = [
    "org.apache.accumulo.core.spi.balancer.RegexGroupBalancer",
    "org.apache.accumulo.server.master.balancer.RegexGroupBalancer",
];

/// The class that says which package the servers have.
///
/// It is asked for in the group balancer's place: the class test makes an instance without arguments, which
/// the group balancer does not allow, so that it answers false although all is well.
pub const TABLE_LOAD_BALANCER: &str = "TableLoadBalancer";

/// For each package, the class to ask for and the group balancer that is there if it loads.
pub fn group_balancer_in() -> impl Iterator<Item = (String, &'static str)> {
    let probes = PACKAGES
        .iter()
        .map(|package| format!("{package}.{TABLE_LOAD_BALANCER}"));
    probes.zip(GROUP_BALANCERS)
}

/// Whether a class name is a group balancer's.
pub fn is_group_balancer(class: &str) -> bool {
    GROUP_BALANCERS.contains(&class)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_package_has_its_two_classes() {
        for (probe, balancer) in group_balancer_in() {
            let package = |class: &str| class.rsplit_once('.').unwrap().0.to_owned();
            assert_eq!(package(&probe), package(balancer));
        }
    }
}
