//! The settings on the page, with the folder of a test in place of those of the page.

use std::path::Path;

const PAGE: &str = include_str!("../../../../docs/operate-accumulo.md");
const SECTION: &str = "### ZooKeeper with TLS and SASL\n";
pub(crate) const PASSWORD: &str = "s3cr3t";

/// Returns the block of the section that contains a text.
pub(crate) fn block(text: &str, folder: &Path) -> String {
    let (_, section) = PAGE.split_once(SECTION).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let mut blocks = section.split("```").skip(1).step_by(2);
    let block = blocks.find(|block| block.contains(text)).unwrap();
    let (_, lines) = block.split_once('\n').unwrap();
    let folder = format!("{}/", folder.display());
    let block = lines.lines().map(str::trim).collect::<Vec<_>>().join("\n");
    block
        .replace("/etc/zookeeper/", &folder)
        .replace("/etc/fluo/", &folder)
        .replace("PASSWORD", PASSWORD)
}
