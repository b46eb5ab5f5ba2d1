//! The failed notifications of an application. Their number is limited: each new one also writes
//! their parent, so that of two concurrent ones one counts again.
//!
//! ```text
//! node   dead-letters/<SHA-1 of the four parts of the cell below, 40 hex digits>
//! data   row, family, qualifier, visibility   each: length, 4 bytes big-endian, then the bytes
//!        the rest of a `FailedNotification`
//! ```

use std::sync::Arc;

use bytes::{Buf, BufMut};
use fluo_table::coordination::FailedNotification;
use fluo_table::{Bytes, Column, Error, Grouped, Result, RowColumn, Timestamp, counted};
use futures::stream::{self, StreamExt, TryStreamExt};
use sha1_smol::Sha1;

use super::opened::Opened;
use crate::paths::DEAD_LETTERS;
use crate::zookeeper::{AT_ONCE, Change, NodeKind, Outcome, Refusal, Session, TRIES};

/// The maximum size of the data of a node, in bytes: ZooKeeper accepts 1 MiB, headers included.
const MAX_BYTES: usize = 1_000_000;

pub(super) async fn add(application: Arc<Opened>, failed: FailedNotification) -> Result<()> {
    // One at a time in this process, because concurrent ones would count again each time.
    let _alone = application.adding.lock().await;
    let session = application.keeper.session().await?;
    let (folder, path) = (application.paths.at(DEAD_LETTERS), path_of(&application, &failed.cell));
    let data = encode(&failed.bounded())?;
    for _ in 0..TRIES {
        application.check_exists(&session).await?;
        let (path, data) = (path.clone(), data.clone());
        let changes = if session.current_stat(&path).await?.is_some() {
            vec![Change::Set { path, data, version: None }]
        } else if let Some(parent) = session.stat(&folder).await? {
            if parent.children >= FailedNotification::MAX_DEAD_LETTERS {
                return Err(Error::too_many_dead_letters());
            }
            let (folder, version) = (folder.clone(), Some(parent.version));
            let counting = Change::Set { path: folder, data: Vec::new(), version };
            vec![counting, Change::create(NodeKind::Persistent, path, data)]
        } else {
            application.create_folders(&session, &[DEAD_LETTERS]).await?;
            continue;
        };
        if let Outcome::Done(_) = application.change(&session, changes).await? {
            return Ok(());
        }
    }
    Err(application.too_busy())
}

pub(super) async fn list(
    application: &Opened,
    session: &Session,
) -> Result<Vec<FailedNotification>> {
    let folder = application.paths.at(DEAD_LETTERS);
    session.sync(&folder).await?;
    let names = session.children(&folder).await?;
    let found = stream::iter(names).map(|name| {
        let path = format!("{folder}/{name}");
        async move { session.node(&path).await }
    });
    let found: Vec<_> = found.buffered(AT_ONCE).try_collect().await?;
    // One that was removed meanwhile is missing.
    let found = found.iter().flatten().map(|node| decode(&node.data));
    let mut found = found.collect::<Result<Vec<_>>>()?;
    found.sort_by(|a, b| a.cell.cmp(&b.cell));
    Ok(found)
}

/// Removes the failed notification of a cell if its timestamp is not above `up_to`; returns whether
/// it did.
pub(super) async fn remove(
    application: Arc<Opened>,
    cell: RowColumn,
    up_to: Timestamp,
) -> Result<bool> {
    let session = application.keeper.session().await?;
    let path = path_of(&application, &cell);
    // An attempt whose answer was lost may have removed it.
    let mut may_have_removed = false;
    for _ in 0..TRIES {
        application.check_exists(&session).await?;
        let Some(node) = session.current_node(&path).await? else {
            return Ok(may_have_removed);
        };
        if decode(&node.data)?.timestamp > up_to {
            return Ok(false);
        }
        let delete = Change::Delete { path: path.clone(), version: Some(node.stat.version) };
        match application.change(&session, [delete]).await? {
            Outcome::Done(_) => return Ok(true),
            Outcome::Refused(_, Refusal::Missing) => return Ok(may_have_removed),
            Outcome::Refused(..) => {}
            Outcome::Unknown => may_have_removed = true,
        }
    }
    Err(application.too_busy())
}

fn path_of(application: &Opened, cell: &RowColumn) -> String {
    format!("{}/{}", application.paths.at(DEAD_LETTERS), name_of(cell))
}

fn name_of(cell: &RowColumn) -> String {
    let mut bytes = Vec::new();
    push_cell(&mut bytes, cell);
    Sha1::from(bytes).digest().to_string()
}

fn encode(failed: &FailedNotification) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    push_cell(&mut bytes, &failed.cell);
    failed.encode_to(&mut bytes);
    if bytes.len() > MAX_BYTES {
        return Err(Error::invalid(format!(
            "a failed notification of {} cannot be stored in ZooKeeper, which accepts {}; use shorter \
             rows and columns",
            counted(bytes.len(), "byte"),
            Grouped::new(MAX_BYTES)
        )));
    }
    Ok(bytes)
}

fn decode(data: &[u8]) -> Result<FailedNotification> {
    read(Bytes::copy_from_slice(data))
        .ok_or_else(|| Error::corrupt("a failed notification in ZooKeeper cannot be read"))
}

fn push_cell(bytes: &mut Vec<u8>, cell: &RowColumn) {
    let column = &cell.column;
    for part in [&cell.row, &column.family, &column.qualifier, &column.visibility] {
        // A part that is longer than this is rejected by its size.
        bytes.put_u32(u32::try_from(part.len()).unwrap_or(u32::MAX));
        bytes.put_slice(part);
    }
}

fn read(mut data: Bytes) -> Option<FailedNotification> {
    let [row, family, qualifier, visibility] =
        [part(&mut data)?, part(&mut data)?, part(&mut data)?, part(&mut data)?];
    let column = Column::new(family, qualifier).with_visibility(visibility);
    FailedNotification::decode(RowColumn::new(row, column), &data)
}

fn part(data: &mut Bytes) -> Option<Bytes> {
    let length = usize::try_from(data.try_get_u32().ok()?).ok()?;
    (length <= data.len()).then(|| data.split_to(length))
}

#[cfg(test)]
mod tests {
    use fluo_table::coordination::ObserverKind;
    use fluo_table::{ErrorKind, Timestamp};

    use super::*;

    fn failed(row: &[u8], error: &str) -> FailedNotification {
        let column = Column::new("f", "q").with_visibility("A");
        FailedNotification {
            cell: RowColumn::new(row.to_vec(), column),
            kind: ObserverKind::Weak,
            timestamp: Timestamp::new(7).unwrap(),
            tries: 3,
            error: error.to_owned(),
            failed_at_ms: -1,
        }
    }

    #[test]
    fn is_stored_as_documented() {
        let failed = failed(b"r\0", "é");
        let expected =
            b"\0\0\0\x02r\0\0\0\0\x01f\0\0\0\x01q\0\0\0\x01A\x01\0\0\0\0\0\0\0\x07\0\0\0\x03\
                         \xff\xff\xff\xff\xff\xff\xff\xff\xc3\xa9";
        assert_eq!(encode(&failed).unwrap(), expected);
        assert_eq!(decode(expected).unwrap(), failed);
        assert_eq!(name_of(&failed.cell), "9552d56a9a9e68eff2fcd1ff9489ececdfb9707c");
    }

    #[test]
    fn different_cells_have_different_nodes() {
        let parts = |row: &str, family: &str| {
            name_of(&RowColumn::new(row.to_owned(), Column::new(family.to_owned(), "")))
        };
        assert_ne!(parts("ab", "c"), parts("a", "bc"));
        assert_ne!(parts("", "a"), parts("a", ""));
    }

    #[test]
    fn reports_other_bytes_and_rejects_a_row_that_is_too_long() {
        let whole = encode(&failed(b"r", "")).unwrap();
        for end in 0..whole.len() {
            let error = decode(&whole[..end]).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Corrupt);
            assert_eq!(error.to_string(), "a failed notification in ZooKeeper cannot be read");
        }
        let error = encode(&failed(&[b'r'; MAX_BYTES], "")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
        assert_eq!(
            error.to_string(),
            "a failed notification of 1,000,040 bytes cannot be stored in ZooKeeper, which accepts 1,000,000; use shorter \
             rows and columns"
        );
    }
}
