//! C9: the configuration.

use std::collections::BTreeMap;
use std::sync::Arc;

use fluo_table::coordination::{Application, Applications, ObservedColumn, ObserverKind};
use fluo_table::{Column, ErrorKind};

use super::ground::Ground;
use crate::unused_name::unused_name as unused_table;

/// Texts that a careless encoding would change.
const TEXTS: [&str; 10] = [
    "plain",
    " with blanks ",
    "a=b:c#d!e",
    r"C:\path\u0041",
    "two\r\nlines\t\u{c}",
    "\0\u{1}\u{7f}\u{85}",
    "Zählung",
    "\u{feff}😀",
    "${fluo.connection.application.name}",
    "# no comment",
];

fn odd() -> Application {
    let observe = |application: Application, column: Column, kind, id| {
        application.observe(ObservedColumn::new(column, kind, id))
    };
    let bytes: Vec<u8> = (0..=255).collect();
    let column = Column::new("f", bytes);
    let application = Application::new("8D2FA41C-{}", format!("namespace.{}", unused_table("t")));
    let application = observe(application, column, ObserverKind::Weak, "second \"id\"\n");
    let application = observe(application, Column::new("f", ""), ObserverKind::Strong, "");
    let application = observe(application, Column::new("", "\0"), ObserverKind::Strong, "é😀");
    TEXTS.iter().enumerate().fold(application, |application, (n, text)| {
        application.set(*text, TEXTS[(n + 1) % TEXTS.len()])
    })
}

/// Checks C9: an application is stored unchanged, to the byte, with its observed columns in their
/// order.
pub async fn c9_a_configuration_is_stored_unchanged(applications: Arc<dyn Applications>) {
    for application in [Application::new("1", unused_table("t")), odd()] {
        let ground = Ground::with(&applications, application.clone()).await;
        assert_eq!(ground.open().await.application().await.unwrap(), application);
        ground.end().await;
    }
}

/// Checks C9: new settings replace all settings, and nothing else.
pub async fn c9_settings_are_replaced_as_a_whole(applications: Arc<dyn Applications>) {
    let before = odd();
    let ground = Ground::with(&applications, before.clone()).await;
    let (coordination, other) = (&ground.coordination, ground.open().await);
    for settings in [
        BTreeMap::from([("a".to_owned(), String::new())]),
        BTreeMap::new(),
        before.settings.clone(),
    ] {
        coordination.update_settings(settings.clone()).await.unwrap();
        let expected = Application { settings, ..before.clone() };
        assert_eq!(other.application().await.unwrap(), expected);
    }
}

/// Checks C9: settings out of bounds are rejected as a whole.
pub async fn c9_invalid_settings_change_nothing(applications: Arc<dyn Applications>) {
    let before = Application::new("1", unused_table("t")).set("a", "1");
    let ground = Ground::with(&applications, before.clone()).await;
    let large = "v".repeat(Application::MAX_SETTINGS_BYTES);
    for wrong in [("", "v"), ("name", large.as_str())] {
        let settings =
            BTreeMap::from([wrong, ("b", "2")].map(|(k, v)| (k.to_owned(), v.to_owned())));
        let error = ground.coordination.update_settings(settings).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
        assert_eq!(ground.coordination.application().await.unwrap(), before);
    }
}

/// Checks C9: the maximum amounts of observed columns and settings are stored.
pub async fn c9_the_largest_configuration_is_stored(applications: Arc<dyn Applications>) {
    let mut largest = Application::new("i".repeat(Application::MAX_ID_BYTES), unused_table("t"));
    // As many columns as fit, with 65 bytes each.
    for number in 0..Application::MAX_OBSERVERS {
        let column = Column::new("f", format!("{number:064}"));
        largest = largest.observe(ObservedColumn::new(column, ObserverKind::Weak, ""));
    }
    let rest = Application::MAX_OBSERVER_BYTES - 65 * Application::MAX_OBSERVERS;
    largest.observers[0].id = "\u{1}".repeat(rest);
    let value = "\u{1}".repeat(Application::MAX_SETTINGS_BYTES - 4);
    let largest = largest.set("name", value);
    let ground = Ground::with(&applications, largest.clone()).await;
    assert_eq!(ground.coordination.application().await.unwrap(), largest);
}
