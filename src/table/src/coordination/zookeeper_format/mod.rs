//! The state that Fluo stores of an application beside its table, byte for byte: the paths of
//! ZooKeeper nodes below the node of the application, and their content.
//!
//! | path | bytes |
//! |---|---|
//! | [`TABLE`] | the name of the table, UTF-8 |
//! | [`INSTANCE_NAME`], [`INSTANCE_ID`] | the Accumulo instance of the table, text; only in ZooKeeper |
//! | [`ID`] | the id of the application, text |
//! | [`OBSERVERS`] | JSON of the observed columns; absent if nothing is observed |
//! | [`SETTINGS`] | the text of a Java properties file, with [prefixes](settings) |
//! | [`MAX_TIMESTAMP`] | decimal: the first timestamp that is not reserved; 2 at first |
//! | [`HORIZON`] | decimal: the horizon; 0 at first |
//! | [`TRANSACTOR_COUNT`] | 8 bytes, big-endian: the last transactor's number; absent at first |
//! | [`EPOCHS`] | two lines of text; absent before the first opening |
//! | [`TIMELINE`] | lines of text; absent at first |
//!
//! The first line at [`EPOCHS`] is the epoch of the last opening. The second line is the epoch that
//! the table had before, or empty. The first line at [`TIMELINE`] is `1`, the version of its
//! format. Each further line is a sample: the next timestamp, and the time in milliseconds since
//! 1970. Fluo has neither of these nodes.
//!
//! State that Fluo keeps only during the life of a process (its transactors, their published
//! timestamps, its workers) is not part of this module.

mod observers;
mod properties;

use std::collections::BTreeMap;

use crate::coordination::Application;
use crate::data::Timestamp;
use crate::error::{Error, Result};

/// The path of the table's name.
pub const TABLE: &str = "/config/accumulo.table";
/// The path of the name of the Accumulo instance with the table.
pub const INSTANCE_NAME: &str = "/config/accumulo.instance.name";
/// The path of the id of the Accumulo instance with the table.
pub const INSTANCE_ID: &str = "/config/accumulo.instance.id";
/// The path of the application's id.
pub const ID: &str = "/config/fluo.application.id";
/// The path of the observed columns.
pub const OBSERVERS: &str = "/config/fluo.observers2";
/// The path of the settings.
pub const SETTINGS: &str = "/config/shared.config";
/// The path of the first timestamp that is not reserved.
pub const MAX_TIMESTAMP: &str = "/oracle/max-timestamp";
/// The path of the horizon.
pub const HORIZON: &str = "/oracle/gc-timestamp";
/// The path of the last transactor's number.
pub const TRANSACTOR_COUNT: &str = "/transactor/count";

/// The path of the epochs of the openings: see [`Epochs`](crate::coordination::Epochs).
pub const EPOCHS: &str = "/config/table-epochs";
/// The path of the times of timestamps: see [`Timeline`](crate::coordination::Timeline).
pub const TIMELINE: &str = "/oracle/timeline";

/// The setting with the class of the observers that Java workers run, as Fluo's own initialization
/// stores it. Workers of this library ignore it.
pub const OBSERVER_PROVIDER: &str = "fluo.observer.provider";

/// Returns the nodes to write when an application is initialized, by path.
///
/// # Errors
///
/// [`Invalid`](crate::ErrorKind::Invalid) if [`Application::check`] rejects the application.
pub fn nodes(application: &Application) -> Result<Vec<(&'static str, Vec<u8>)>> {
    application.check()?;
    let mut nodes = vec![
        (TABLE, application.table.clone().into_bytes()),
        (ID, application.id.clone().into_bytes()),
        (SETTINGS, settings(&application.settings)),
        (MAX_TIMESTAMP, timestamp(Timestamp::FIRST)),
        (HORIZON, timestamp(Timestamp::ZERO)),
    ];
    if !application.observers.is_empty() {
        let provider = application.settings.get(OBSERVER_PROVIDER);
        let json = observers::encode(&application.observers, provider.map(String::as_str))?;
        nodes.push((OBSERVERS, json));
    }
    Ok(nodes)
}

/// Reads an application. `node_at` returns the content of a path.
///
/// # Errors
///
/// The errors of `node_at`; [`Corrupt`](crate::ErrorKind::Corrupt) if a node is missing or invalid.
pub fn read_application<E: From<Error>>(
    mut node_at: impl FnMut(&'static str) -> Result<Option<Vec<u8>>, E>,
) -> Result<Application, E> {
    let mut text_at = |path| {
        let text = String::from_utf8(node_at(path)?.ok_or_else(|| missing(path))?);
        Ok::<_, E>(text.map_err(|_| Error::corrupt(format!("the data at `{path}` is not text")))?)
    };
    let (id, table) = (text_at(ID)?, text_at(TABLE)?);
    let observers = node_at(OBSERVERS)?.map(|json| observers::decode(&json)).transpose()?;
    let settings = node_at(SETTINGS)?.map(|text| read_settings(&text)).transpose()?;
    let (observers, settings) = (observers.unwrap_or_default(), settings.unwrap_or_default());
    Ok(Application { id, table, observers, settings })
}

/// The prefix of the stored names of an application's settings.
const OF_APPLICATION: &str = "fluo.app.";
/// The prefix of the names of Fluo's own settings.
const OF_FLUO: &str = "fluo.";

/// Returns the bytes of settings.
///
/// A name that starts with `fluo.` is stored as it is. Any other setting belongs to the
/// application, and is stored below `fluo.app.`: Java programs see exactly these as the
/// configuration of the application, without the prefix.
pub fn settings(settings: &BTreeMap<String, String>) -> Vec<u8> {
    let stored = settings.iter().map(|(name, value)| {
        let prefix = if name.starts_with(OF_FLUO) { "" } else { OF_APPLICATION };
        (format!("{prefix}{name}"), value.clone())
    });
    properties::encode(&stored.collect())
}

/// Reads the text of a Java properties file: names and values in their order.
///
/// # Errors
///
/// [`Corrupt`](crate::ErrorKind::Corrupt) for text that Java rejects.
pub fn read_properties(text: &[u8]) -> Result<Vec<(String, String)>> {
    properties::pairs(text)
}

/// Reads settings, and removes the prefix `fluo.app.`. An earlier version stored the settings of an
/// application without it; they are read too, unless the same name exists with the prefix.
///
/// # Errors
///
/// [`Corrupt`](crate::ErrorKind::Corrupt).
pub fn read_settings(text: &[u8]) -> Result<BTreeMap<String, String>> {
    let own_name = |stored: &str| {
        let name = stored.strip_prefix(OF_APPLICATION)?;
        (!name.is_empty() && !name.starts_with(OF_FLUO)).then(|| name.to_owned())
    };
    let stored = properties::decode(text)?.into_iter();
    let (own, mut settings): (BTreeMap<_, _>, BTreeMap<_, _>) =
        stored.partition(|(name, _)| own_name(name).is_some());
    settings.extend(own.into_iter().filter_map(|(name, value)| Some((own_name(&name)?, value))));
    Ok(settings)
}

/// Returns the bytes of a timestamp.
pub fn timestamp(timestamp: Timestamp) -> Vec<u8> {
    timestamp.to_string().into_bytes()
}

/// Reads the bytes at the path of a timestamp.
///
/// # Errors
///
/// [`Corrupt`](crate::ErrorKind::Corrupt).
pub fn read_timestamp(path: &str, bytes: Option<&[u8]>) -> Result<Timestamp> {
    let bytes = bytes.ok_or_else(|| missing(path))?;
    // The parser accepts a plus sign, which Java does not write.
    let text = str::from_utf8(bytes).ok().filter(|text| !text.starts_with('+'));
    text.and_then(|text| Timestamp::new(text.parse().ok()?).ok())
        .ok_or_else(|| Error::corrupt(format!("the data at `{path}` is not a timestamp")))
}

/// Returns the bytes of the last transactor's number.
pub fn transactor_count(last: u64) -> [u8; 8] {
    last.to_be_bytes()
}

/// Reads the last transactor's number; 0 before the first.
///
/// # Errors
///
/// [`Corrupt`](crate::ErrorKind::Corrupt).
pub fn read_transactor_count(bytes: Option<&[u8]>) -> Result<u64> {
    let count = match bytes {
        Some(bytes) => bytes.try_into().ok().map(u64::from_be_bytes),
        None => Some(0),
    };
    // A locked cell stores it as a signed number.
    count.filter(|count| *count <= i64::MAX.cast_unsigned()).ok_or_else(|| {
        Error::corrupt(format!(
            "the data at `{TRANSACTOR_COUNT}` is not the number of a transactor"
        ))
    })
}

fn missing(path: &str) -> Error {
    Error::corrupt(format!("there is no data at `{path}`"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coordination::{ObservedColumn, ObserverKind};
    use crate::data::Column;
    use crate::error::ErrorKind;

    fn read(nodes: &BTreeMap<&'static str, Vec<u8>>) -> Result<Application> {
        read_application(|path| Ok(nodes.get(path).cloned()))
    }

    #[test]
    fn stores_an_application_at_the_paths_of_fluo() {
        let application =
            Application::new("8d2f", "web").set("x", "1").set("fluo.worker.num.threads", "2");
        let nodes: BTreeMap<_, _> = nodes(&application).unwrap().into_iter().collect();
        let texts = nodes.iter().map(|(path, bytes)| (*path, std::str::from_utf8(bytes).unwrap()));
        assert_eq!(
            texts.collect::<Vec<_>>(),
            [
                ("/config/accumulo.table", "web"),
                ("/config/fluo.application.id", "8d2f"),
                (
                    "/config/shared.config",
                    "#Shared java props\nfluo.app.x=1\nfluo.worker.num.threads=2\n"
                ),
                ("/oracle/gc-timestamp", "0"),
                ("/oracle/max-timestamp", "2"),
            ]
        );
        assert_eq!(read(&nodes).unwrap(), application);
    }

    /// Settings of recipes were stored without the prefix, so neither side found the queues of the
    /// other one.
    #[test]
    fn reads_the_settings_of_java_and_of_earlier_versions() {
        let stored = b"fluo.app.recipes.cfm.sums.buckets=7\nfluo.accumulo.user=root\n\
            fluo.app.fluo.odd=1\nrecipes.cfm.old.buckets=3\nrecipes.cfm.sums.buckets=5\n";
        let settings = read_settings(stored).unwrap();
        let expected = [
            ("fluo.accumulo.user", "root"),
            ("fluo.app.fluo.odd", "1"),
            ("recipes.cfm.old.buckets", "3"),
            ("recipes.cfm.sums.buckets", "7"),
        ];
        let found = settings.iter().map(|(name, value)| (&**name, &**value));
        assert!(found.eq(expected), "{settings:?}");
        let again = super::settings(&settings);
        assert!(
            String::from_utf8(again.clone())
                .unwrap()
                .contains("\nfluo.app.recipes.cfm.old.buckets=3\n")
        );
        assert_eq!(read_settings(&again).unwrap(), settings);
    }

    #[test]
    fn keeps_the_order_of_observers() {
        let observed =
            |family| ObservedColumn::new(Column::new(family, "q"), ObserverKind::Weak, family);
        let application = Application::new("1", "t").observe(observed("b")).observe(observed("a"));
        let nodes: BTreeMap<_, _> = nodes(&application).unwrap().into_iter().collect();
        assert_eq!(read(&nodes).unwrap(), application);
        let wrong = Application::new("", "t");
        assert_eq!(super::nodes(&wrong).unwrap_err().kind(), ErrorKind::Invalid);
    }

    #[test]
    fn names_the_node_that_is_invalid() {
        let full: BTreeMap<_, _> =
            nodes(&Application::new("1", "t")).unwrap().into_iter().collect();
        let mut nodes = full.clone();
        nodes.remove(ID);
        let error = read(&nodes).unwrap_err();
        assert_eq!(error.to_string(), "there is no data at `/config/fluo.application.id`");
        let mut nodes = full;
        nodes.insert(TABLE, vec![0xff]);
        let error = read(&nodes).unwrap_err();
        assert_eq!(error.to_string(), "the data at `/config/accumulo.table` is not text");

        assert_eq!(read_timestamp(HORIZON, Some(b"17")).unwrap().get(), 17);
        for bytes in [b"".as_slice(), b"+1", b"1 ", b"\xff", b"9999999999999999999"] {
            let error = read_timestamp(HORIZON, Some(bytes)).unwrap_err();
            assert_eq!(error.to_string(), "the data at `/oracle/gc-timestamp` is not a timestamp");
        }
        let error = read_timestamp(HORIZON, None).unwrap_err();
        assert_eq!(error.to_string(), "there is no data at `/oracle/gc-timestamp`");

        assert_eq!(read_transactor_count(None).unwrap(), 0);
        assert_eq!(read_transactor_count(Some(&transactor_count(7))).unwrap(), 7);
        for bytes in [b"".as_slice(), &[0; 7], &[0xff; 8]] {
            let error = read_transactor_count(Some(bytes)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Corrupt);
            assert_eq!(
                error.to_string(),
                "the data at `/transactor/count` is not the number of a transactor"
            );
        }
    }
}
