//! `cargo xtask generate`: the Thrift code of accumulo-proxy, made from its IDL.
//!
//! The code is checked in, so that a build needs no Thrift compiler. It is left as the compiler writes it, but for
//! two things: a line that needs a feature of the `thrift` crate which a client has no use for, and the room that
//! lists make for as many elements as a reply claims to hold, before one of them was seen.

use std::env;
use std::fs;
use std::path::Path;
use std::process::{self, Command};

use anyhow::{Context, Result, bail};

use crate::cargo::{say, workspace};
use crate::requirements::output;

/// Another version writes other code.
const VERSION: &str = "0.17";
const IDL: &str = "src/accumulo-proxy/idl/proxy.thrift";
const CODE: &str = "src/accumulo-proxy/src/wire/generated.rs";
const SERVER: &str = "use thrift::server::TProcessor;";
const ROOM_AS_CLAIMED: &str = "Vec::with_capacity(list_ident.size as usize)";

/// Writes the code, or checks that it is what the IDL says.
pub(crate) fn generate(check: bool) -> Result<()> {
    check_compiler()?;
    let code = mended(&compile()?);
    let file = workspace().join(CODE);
    if !check {
        fs::write(&file, code).with_context(|| format!("{CODE} cannot be written"))?;
        say(&format!("{CODE} is what {IDL} says"));
        return Ok(());
    }
    let present = fs::read_to_string(&file).with_context(|| format!("{CODE} cannot be read"))?;
    if present != code {
        bail!("{CODE} is not what {IDL} says: run `cargo xtask generate` and commit the result");
    }
    Ok(())
}

/// Fails unless the Thrift compiler is there, in the version whose output is checked in.
fn check_compiler() -> Result<()> {
    match output("thrift", "--version") {
        Some(said) if is_wanted(&said) => Ok(()),
        Some(said) => bail!(
            "the Thrift compiler is {}, and only {VERSION} writes the code that is checked in: install that \
             (Debian: apt install thrift-compiler)",
            said.trim()
        ),
        None => bail!(
            "the Thrift compiler {VERSION} is needed for the generated code: install it (Debian: apt install \
             thrift-compiler)"
        ),
    }
}

fn is_wanted(said: &str) -> bool {
    let version = said.trim().strip_prefix("Thrift version ");
    let patch = version.and_then(|version| version.strip_prefix(VERSION));
    patch.is_some_and(|patch| patch.is_empty() || patch.starts_with('.'))
}

fn compile() -> Result<String> {
    let folder = env::temp_dir().join(format!("fluo-generate-{}", process::id()));
    fs::create_dir_all(&folder)
        .with_context(|| format!("{} cannot be created", folder.display()))?;
    let code = compile_into(&folder);
    // Nobody misses what stays behind in a temporary folder.
    let _ = fs::remove_dir_all(&folder);
    code
}

fn compile_into(folder: &Path) -> Result<String> {
    let output = Command::new("thrift")
        // The result of a call is field 0 of a struct, which the compiler takes for a slip unless told otherwise.
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

/// Without the line that needs the server half of the `thrift` crate.
fn mended(code: &str) -> String {
    code.split_inclusive('\n')
        .filter(|line| line.trim() != SERVER)
        .map(|line| line.replace(ROOM_AS_CLAIMED, "Vec::new()"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{is_wanted, mended};

    #[test]
    fn the_line_of_the_server_and_the_room_of_lists_go() {
        let code = "use a;\nuse thrift::server::TProcessor;\n\nlet v = Vec::with_capacity(list_ident.size as usize);\n";
        assert_eq!(mended(code), "use a;\n\nlet v = Vec::new();\n");
    }

    #[test]
    fn another_version_of_the_compiler_is_told_apart() {
        assert!(is_wanted("Thrift version 0.17.0\n"));
        for said in [
            "Thrift version 0.19.0",
            "Thrift version 0.170.0",
            "Thrift version 1.0.17",
            "",
        ] {
            assert!(!is_wanted(said), "{said}");
        }
    }
}
