//! The groups of the balancer's pattern `(..|..).*`, which show the order of the recipes.

use fluo_keys::KeyDesign;

use super::design::ExistingDesign;

/// Sorts designs in the order of their groups in the balancer's pattern. Returns `false` if the
/// pattern has a group of no design here.
pub(super) fn sort_by_groups(designs: &mut Vec<ExistingDesign>, pattern: &str) -> bool {
    let groups = pattern.strip_prefix('(');
    let mut rest = groups.and_then(|rest| rest.strip_suffix(").*")).unwrap_or(pattern);
    let mut sorted = Vec::new();
    while !rest.is_empty() {
        let is_first = |design: &ExistingDesign| after(rest, design).is_some();
        let Some(place) = designs.iter().position(is_first) else {
            break;
        };
        let design = designs.remove(place);
        rest = after(rest, &design).unwrap_or_default();
        sorted.push(design);
    }
    sorted.append(designs);
    *designs = sorted;
    rest.is_empty()
}

/// Returns the groups after the one of a design; `None` if another one comes first.
fn after<'a>(groups: &'a str, design: &ExistingDesign) -> Option<&'a str> {
    let own = KeyDesign::new(design.settings.clone()).ok()?.group_regex()?;
    let rest = groups.strip_prefix(own.as_str())?;
    match rest {
        "" => Some(rest),
        _ => rest.strip_prefix('|'),
    }
}
