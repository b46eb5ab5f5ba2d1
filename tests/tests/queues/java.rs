//! Queues of Java applications: the bytes of Apache Fluo's web index, whose queues use Kryo.

use fluo_recipes::codec::Kryo;
use fluo_recipes::combine_queue::{CombineQueue, Sum};

use crate::fixture::App;

/// The domains of two pages, with the numbers of their addresses.
#[tokio::test]
async fn writes_the_rows_of_the_web_index() {
    let domains = CombineQueue::<String, i64>::with_codecs("dm", Kryo, Kryo, Sum).unwrap();
    let app = App::start(&[&domains]).await;
    let settings = &app.client.application().settings;
    assert_eq!(settings["recipes.cfm.dm.key"], "java.lang.String");
    assert_eq!(settings["recipes.cfm.dm.val"], "java.lang.Long");

    let added = [("com.a", 1), ("com.b", 3), ("com.c", 1), ("com.b", 1)];
    app.client.run(async |tx| domains.extend(&tx, added)).await.unwrap();
    app.settle().await;
    assert_eq!(
        app.cells("dm:").await,
        [
            r"dm:d:28:\x03\x01com.\xe3 data:current \x09\x02",
            r"dm:d:57:\x03\x01com.\xe1 data:current \x09\x02",
            r"dm:d:5a:\x03\x01com.\xe2 data:current \x09\x08",
        ]
    );
}
