//! The programs of the pages. Each is a `#[test]` that does nothing but in a process of its own, which a page starts by
//! the name of the program: a script in `directory` that runs this test program again.

mod count_words;
mod load_pages;

use std::env;
use std::fs;
use std::path::Path;

/// Set where a program is run; its value is the directory of the tables.
const DIRECTORY: &str = "FLUO_PAGE_DIRECTORY";

/// Makes the scripts.
pub(crate) fn install(directory: &Path) {
    for (name, test) in [
        ("load-pages", "programs::load_pages"),
        ("count-words", "programs::count_words"),
    ] {
        let program = env::current_exe().unwrap();
        let script = format!(
            "#!/bin/sh\n{DIRECTORY}=\"$1\" '{}' --exact {test} --ignored --quiet >/dev/null\n",
            program.display()
        );
        let path = directory.join(name);
        fs::write(&path, script).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(&path, mode).unwrap();
    }
}

fn directory() -> std::path::PathBuf {
    env::var_os(DIRECTORY).unwrap().into()
}

#[tokio::test]
#[ignore = "a program that a page runs"]
async fn load_pages() {
    load_pages::load_pages(&directory()).await.unwrap();
}

#[tokio::test]
#[ignore = "a program that a page runs"]
async fn count_words() {
    count_words::count_words(&directory()).await.unwrap();
}
