//! The disk becomes full while a table is loaded. The write that does not fit fails and reports the
//! cause; it is complete or absent, and absent if a thread of the engine has failed before. The
//! handle accepts no more writes. All acknowledged writes are there when the directory is opened
//! with room again.
//!
//! A limit on the size of files takes the place of a full disk: writes beyond it fail in the same
//! way, with another number in the error.

use std::path::Path;
use std::process::Command;

use fluo_embedded::{EmbeddedOptions, EmbeddedTables};
use fluo_table::{
    Authorizations, Column, Condition, Error, ErrorKind, Mutation, Result, Scan, Span, TableAdmin,
    Versions,
};

const IN_CHILD: &str = "FLUO_FULL_DISK_CHILD";
/// Limit in blocks of 512 bytes, the unit of the shell's `ulimit -f`: a little more than the 64 MiB
/// that the storage engine reserves for its log.
const LIMIT_BLOCKS: u32 = 133_000;

fn row(number: u64, bytes: usize) -> Mutation {
    // The engine compresses long values.
    let mut dice = fastrand::Rng::with_seed(number);
    let mut value = || -> Vec<u8> { std::iter::repeat_with(|| dice.u8(..)).take(bytes).collect() };
    Mutation::new(format!("row-{number:08}"))
        .put(Column::new("page", "first"), value())
        .put(Column::new("page", "second"), value())
}

/// Loads rows until a write fails, then writes the number of acknowledged rows and the errors to a
/// file beside the directory.
async fn load_until_full(directory: &Path) -> Result<()> {
    let tables = EmbeddedTables::open(directory, EmbeddedOptions::new().create_if_missing(true))?;
    tables.create_table("pages", Versions::default()).await?;
    let pages = tables.open_table("pages", Authorizations::none()).await?;
    let (mut acknowledged, mut bytes) = (0, 500);
    let first = loop {
        let rows = (acknowledged..acknowledged + 50).map(|number| row(number, bytes));
        match pages.write(rows.collect()).await {
            Ok(()) => acknowledged += 50,
            Err(error) => break error,
        }
        // A call of more bytes than the limit must fail.
        bytes *= 2;
    };
    let conditional = row(u64::MAX, 1).when(Condition::absent(Column::new("page", "first")));
    let second = pages.write(vec![row(u64::MAX, 1)]).await;
    let third = pages.write_conditional(vec![conditional]).await.map(drop);
    let fourth = tables.set_property("pages", "table.custom.x", "y").await;
    let mut report = acknowledged.to_string();
    for error in [Some(first), second.err(), third.err(), fourth.err()] {
        let text = error.map_or("none".to_owned(), |error| format!("{:?} {error}", error.kind()));
        report.push('\n');
        report.push_str(&text);
    }
    let written = std::fs::write(directory.with_extension("report"), report);
    written.map_err(|error| Error::new(ErrorKind::Storage, error.to_string()))
}

/// Runs only as the child process of the test below, under a limit.
#[test]
fn child() {
    let Some(directory) = std::env::var_os(IN_CHILD) else {
        return;
    };
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(load_until_full(Path::new(&directory))).unwrap();
}

async fn rows_of(directory: &Path) -> Result<(usize, u64)> {
    let tables = EmbeddedTables::open(directory, EmbeddedOptions::new())?;
    let pages = tables.open_table("pages", Authorizations::none()).await?;
    let cells = pages.read(Scan::over(Span::all())).await?;
    let counted = tables.tablets("pages").await?.entries();
    pages.write(vec![row(u64::MAX, 1)]).await?;
    Ok((cells.len(), counted))
}

#[test]
fn a_full_disk_loses_no_acknowledged_write() {
    let parent = tempfile::tempdir().unwrap();
    let directory = parent.path().join("tables");
    let script = format!(
        "trap '' XFSZ; ulimit -f {LIMIT_BLOCKS}; exec \"$0\" --exact full_disk::child --nocapture"
    );
    let child = Command::new("sh")
        .args(["-c", &script])
        .arg(std::env::current_exe().unwrap())
        .env(IN_CHILD, &directory)
        .output()
        .unwrap();
    assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stderr));

    let report = std::fs::read_to_string(directory.with_extension("report")).unwrap();
    let mut lines = report.lines();
    let acknowledged: usize = lines.next().unwrap().parse().unwrap();
    assert!(acknowledged > 0);
    let name = directory.display();
    let first = lines.next().unwrap();
    let failed = format!("the storage of the directory `{name}` failed");
    let large = format!("{failed}: File too large (os error 27)");
    // The storage engine reports only that it has stopped if one of its threads failed.
    let stopped = format!("{failed}; fix it and open the directory again");
    let doubt = format!(
        "Uncertain outcome unknown: the commit failed ({large}); open the directory again and check"
    );
    let is_absent = first == format!("Storage {stopped}");
    assert!(is_absent || first == doubt, "{first}");
    let failed = if is_absent { stopped } else { large };
    let refused =
        format!("Storage a write failed ({failed}); fix the storage and open `{name}` again");
    assert_eq!(lines.collect::<Vec<_>>(), [&refused, &refused, &refused]);

    assert_eq!(EmbeddedTables::check(&directory).unwrap().tables, 1);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let (cells, counted) = runtime.block_on(rows_of(&directory)).unwrap();
    assert_eq!(u64::try_from(cells).unwrap(), counted);
    let whole_call = 2 * 50;
    let is_complete = cells == 2 * acknowledged + whole_call;
    assert!(cells == 2 * acknowledged || is_complete && !is_absent, "{cells}");
}
