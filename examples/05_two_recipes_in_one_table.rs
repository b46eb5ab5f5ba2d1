//! Two hashers in one table: a pattern with one capturing group, and a pair that is rejected.

use anyhow::Result;
use fluo::RowHasher;
use fluo::keys::HashScheme;
use fluo::table::balancer::GroupPattern;

#[expect(clippy::print_stdout, reason = "an example shows what it does")]
fn main() -> Result<()> {
    let pages = RowHasher::new("page")?;
    let links = RowHasher::with_scheme("link", HashScheme::Sha1Base32)?;
    let both = pages.table_optimizations(4)?.merge(links.table_optimizations(2)?)?;

    // The balancer ignores a pattern that does not have exactly one capturing group.
    let pattern = both.group_pattern().unwrap_or_default();
    println!("{pattern}");
    let groups = GroupPattern::parse(&pattern)?;
    for split in both.splits() {
        let group = groups.group_of(Some(&split)).unwrap_or_else(|| "(default)".into());
        println!("{:12} is in group {group}", String::from_utf8_lossy(&split));
    }

    // Rows of `page:x` start with `page:`, so they could be mistaken for rows of `page`.
    let inside = RowHasher::new("page:x")?;
    if let Err(error) = both.merge(inside.table_optimizations(2)?) {
        println!("{error}");
    }
    Ok(())
}
