//! `cargo xtask generate`: generates the Thrift code of accumulo-proxy from its IDL.
//!
//! The code is checked in, so that a build needs no Thrift compiler. Two things differ from the
//! output of the compiler. A line that needs a feature of the `thrift` crate for servers is
//! removed. Lists do not reserve memory for the number of elements that a reply claims to contain.

use std::env;
use std::fs;
use std::path::Path;
use std::process::{self, Command};

use anyhow::{Context, Result, bail};

use crate::cargo::{say, workspace};
use crate::plan::Part;
use crate::tool::require;

const IDL: &str = "src/accumulo-proxy/idl/proxy.thrift";
const CODE: &str = "src/accumulo-proxy/src/wire/generated.rs";
const SERVER: &str = "use thrift::server::TProcessor;";
const CLAIMED_CAPACITY: &str = "Vec::with_capacity(list_ident.size as usize)";

/// Writes the code, or checks that the checked-in code matches the IDL.
pub(crate) fn generate(check: bool) -> Result<()> {
    require(Part::GeneratedCode.tools())?;
    let code = patched(&compile()?);
    let file = workspace().join(CODE);
    if !check {
        fs::write(&file, code).with_context(|| format!("{CODE} cannot be written"))?;
        say(&format!("{CODE} matches {IDL}"));
        return Ok(());
    }
    let present = fs::read_to_string(&file).with_context(|| format!("{CODE} cannot be read"))?;
    if present != code {
        bail!("{CODE} does not match {IDL}; run `cargo xtask generate` and commit the result");
    }
    Ok(())
}

fn compile() -> Result<String> {
    let folder = env::temp_dir().join(format!("fluo-generate-{}", process::id()));
    fs::create_dir_all(&folder)
        .with_context(|| format!("{} cannot be created", folder.display()))?;
    let code = compile_into(&folder);
    // A file that remains in a temporary folder does no harm.
    let _ = fs::remove_dir_all(&folder);
    code
}

fn compile_into(folder: &Path) -> Result<String> {
    let output = Command::new("thrift")
        // The result of a call is field 0 of a struct. Without this option the compiler rejects
        // that.
        .args(["-allow-neg-keys", "--gen", "rs", "-out"])
        .args([folder, &workspace().join(IDL)])
        .output()
        .context("the Thrift compiler cannot be run")?;
    if !output.status.success() {
        bail!(
            "{IDL} does not compile:\n{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    fs::read_to_string(folder.join("proxy.rs")).context("the Thrift compiler wrote no proxy.rs")
}

/// Returns the code without the line for servers, and without the capacities of lists.
fn patched(code: &str) -> String {
    code.split_inclusive('\n')
        .filter(|line| line.trim() != SERVER)
        .map(|line| line.replace(CLAIMED_CAPACITY, "Vec::new()"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::patched;

    #[test]
    fn removes_the_server_line_and_the_capacity_of_lists() {
        let code = "use a;\nuse thrift::server::TProcessor;\n\nlet v = Vec::with_capacity(list_ident.size as usize);\n";
        assert_eq!(patched(code), "use a;\n\nlet v = Vec::new();\n");
    }
}
