//! Damaged entries, values that do not fit, and programs that do not fit their application.

use std::borrow::Cow;

use fluo_engine::{Client, Column, Instance, InstanceExt, Observers, Result, Transaction};
use fluo_keys::RowHasher;
use fluo_recipes::codec::{Codec, CodecError, KeyCodec, Text};
use fluo_recipes::combine_queue::{CombineQueue, Sum};
use fluo_recipes::export_queue::{ExportError, ExportQueue, Exported, Exports};

use crate::fixture::{App, declared};

fn bytes(buckets: u32) -> CombineQueue<String, u8> {
    CombineQueue::new("wc", Sum).unwrap().buckets(buckets).unwrap()
}

/// Writes an update with bytes that are no number.
async fn damage(client: &Client, row: &'static [u8]) -> Result<()> {
    let update = Column::new("u", "v");
    client.run(async |tx: Transaction| tx.set(row, &update, "many")).await
}

#[tokio::test]
async fn an_update_that_cannot_be_decoded_does_not_block_other_keys() {
    let queue = bytes(1);
    let app = App::start(&[&queue]).await;
    damage(&app.client, b"wc:u:0:bad\0\0\0\0\0\0\0\x01").await.unwrap();
    app.client.run(async |tx| queue.add(&tx, "good", 1)).await.unwrap();
    app.settle().await;
    let cells = app.cells("wc").await;
    assert_eq!(cells.len(), 3, "{cells:?}");
    assert!(
        cells[0].starts_with("wc!dead:u:0:bad\\x00") && cells[0].contains(" dead:error "),
        "{cells:?}"
    );
    assert!(cells[0].contains("`many` is no"), "{cells:?}");
    assert!(cells[1].ends_with(" u:v many"), "{cells:?}");
    assert_eq!(cells[2], "wc:d:0:good data:current 1");
}

#[tokio::test]
async fn an_update_that_cannot_be_decoded_does_not_take_the_others_of_its_key_along() {
    let queue = bytes(1);
    let app = App::start_after(&[&queue], async |client| {
        damage(client, b"wc:u:0:cat\0\0\0\0\0\0\0\x01").await?;
        for _ in 0..2 {
            client.run(async |tx| queue.add(&tx, "cat", 1)).await?;
        }
        Ok(())
    })
    .await;
    app.settle().await;
    let cells = app.cells("wc").await;
    assert_eq!(cells.len(), 3, "{cells:?}");
    assert!(cells[1].ends_with(" u:v many"), "{cells:?}");
    assert_eq!(cells[2], "wc:d:0:cat data:current 2");
}

#[tokio::test]
async fn a_stored_value_that_cannot_be_decoded_takes_the_updates_of_its_key_along() {
    let queue = bytes(1);
    let app = App::start(&[&queue]).await;
    let current = Column::new("data", "current");
    app.client
        .run(async |tx: Transaction| {
            tx.set("wc:d:0:cat", &current, "many")?;
            queue.extend(&tx, [("cat", 1), ("dog", 1)])
        })
        .await
        .unwrap();
    app.settle().await;
    let cells = app.cells("wc").await;
    assert!(cells[0].starts_with("wc!dead:u:0:cat"), "{cells:?}");
    let values = ["wc:d:0:cat data:current many", "wc:d:0:dog data:current 1"];
    assert_eq!(cells[2..], values);
}

#[tokio::test]
async fn a_sum_that_does_not_fit_goes_to_the_dead_letters_and_keeps_the_value() {
    let queue = bytes(1);
    let app = App::start(&[&queue]).await;
    for key in ["full", "other", "full"] {
        app.client.run(async |tx| queue.add(&tx, key, 200)).await.unwrap();
        app.settle().await;
    }
    let cells = app.cells("wc").await;
    assert!(
        cells[0].ends_with("dead:error the sum of 200 and 200 does not fit its type"),
        "{cells:?}"
    );
    assert!(cells[1].ends_with(" u:v 200"), "{cells:?}");
    assert_eq!(cells[2..], ["wc:d:0:full data:current 200", "wc:d:0:other data:current 200"]);
}

#[tokio::test]
async fn an_entry_that_cannot_be_decoded_does_not_block_other_entries() {
    let queue = ExportQueue::<String, u64>::new("eq").unwrap().buckets(1).unwrap();
    let exporter = |exports: Exports<String, u64>| {
        assert!(exports.iter().all(|export| export.key == "good"));
        std::future::ready(Ok::<_, ExportError>(Exported::All))
    };
    let queue = queue.export_to(exporter);
    let app = App::start(&[&queue]).await;
    let entry = Column::new("e", "v");
    let row = &b"eq:0:bad\0\0\0\0\0\0\0\x01"[..];
    app.client.run(async |tx: Transaction| tx.set(row, &entry, "-1")).await.unwrap();
    app.client.run(async |tx| queue.add(&tx, "good", 7)).await.unwrap();
    app.settle().await;
    let cells = app.cells("eq").await;
    assert_eq!(cells.len(), 2, "{cells:?}");
    assert!(cells[0].starts_with("eq!dead:0:bad\\x00"), "{cells:?}");
}

#[tokio::test]
async fn rejects_another_number_of_buckets_than_the_applications() {
    let fluo = Instance::in_memory();
    let app = || fluo.application("app");
    app().recipe(&bytes(7)).initialize().await.unwrap();
    let error = app().recipe(&bytes(8)).open().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "setting `recipes.cfm.wc.buckets` of application `app` is `7`, not `8`; use the stored value in the program"
    );
    let more = ExportQueue::<String, u64>::new("new").unwrap();
    let more = app().recipe(&bytes(7)).recipe(&more);
    assert_eq!(
        more.open().await.unwrap_err().to_string(),
        "the application does not observe fluoRecipes:eq:new (weak, `exportq-new`); declare the observers of the \
         application, or create it again with these"
    );
    drop(app().recipe(&bytes(7)).open().await.unwrap());
}

/// The application has the observer of a queue, and none of its settings.
#[tokio::test]
async fn names_a_setting_that_the_application_lacks() {
    let fluo = Instance::in_memory();
    let app = || fluo.application("app");
    let observers = Observers::new().recipe(&bytes(7)).unwrap();
    app().observers(&observers).initialize().await.unwrap();
    assert_eq!(
        app().recipe(&bytes(7)).open().await.unwrap_err().to_string(),
        "application `app` lacks setting `recipes.cfm.wc.buckets`, which must be `7`; use the recipes that it was \
         created with"
    );
}

#[tokio::test]
async fn rejects_recipes_with_one_id_or_rows_in_common() {
    let exports = ExportQueue::<String, u64>::new("wc").unwrap();
    let same_id = declared(&[&bytes(7), &exports]);
    let message = "the export queue `wc` has the id of the combine queue `wc`; give each recipe of an application an \
                   id of its own";
    assert_eq!(same_id.check().unwrap_err().to_string(), message);
    let opened = same_id.open_or_create().await.unwrap_err();
    assert_eq!(opened.to_string(), message);
    let hasher = RowHasher::new("wc!x").unwrap();
    let same_rows = declared(&[&bytes(7), &hasher.table_optimizations(3).unwrap()]);
    assert_eq!(
        same_rows.check().unwrap_err().to_string(),
        "the row hasher `wc!x` and the combine queue `wc` would share rows, which begin with `wc!x:` and `wc!`; choose \
         another id for one of them"
    );
}

#[test]
fn stores_the_settings_of_fluo_recipes() {
    let combine = CombineQueue::<String, u64>::new("m2", Sum).unwrap().buckets(3).unwrap();
    let combine = combine.buffer_bytes(77).buckets_per_tablet(2.try_into().unwrap());
    let export = ExportQueue::<String, String>::new("eq1").unwrap().buckets(7).unwrap();
    let hasher = RowHasher::new("p").unwrap();
    let hashed = hasher.table_optimizations(3).unwrap();
    let settings: Vec<_> = declared(&[&combine, &export, &hashed])
        .settings()
        .into_iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    assert_eq!(
        settings,
        [
            "recipes.cfm.m2.buckets=3",
            "recipes.cfm.m2.bucketsPerTablet=2",
            "recipes.cfm.m2.bufferSize=77",
            "recipes.cfm.m2.key=text:string",
            "recipes.cfm.m2.val=text:u64",
            "recipes.exportQueue.eq1.buckets=7",
            "recipes.exportQueue.eq1.key=text:string",
            "recipes.exportQueue.eq1.val=text:string",
            "recipes.optimizations.eq1=org.apache.fluo.recipes.core.export.ExportQueue$Optimizer",
            "recipes.optimizations.m2=org.apache.fluo.recipes.core.combine.CombineQueue$Optimizer",
            "recipes.optimizations.p=org.apache.fluo.recipes.core.data.RowHasher$Optimizer",
            "recipes.rowHasher.p.numTablets=3",
            "recipes.transientRange.cfm.m2=6D323A643A7E:6D323A753A7E",
            "recipes.transientRange.cfm.m2!dead=6D3221646561643A:6D3221646561643B",
            "recipes.transientRange.exportQueue.eq1=65713123:6571313A7E",
            "recipes.transientRange.exportQueue.eq1!dead=65713121646561643A:65713121646561643B",
        ]
    );
}

/// A codec that has no bytes for an empty text.
struct NotEmpty;

impl Codec<String> for NotEmpty {
    fn encode(&self, value: &String, bytes: &mut Vec<u8>) -> Result<(), CodecError> {
        match value.is_empty() {
            true => Err(CodecError::new("the text is empty")),
            false => Codec::encode(&Text, value, bytes),
        }
    }

    fn decode(&self, bytes: &[u8]) -> Result<String, CodecError> {
        Codec::decode(&Text, bytes)
    }

    fn name(&self) -> Cow<'static, str> {
        "not-empty".into()
    }
}

impl KeyCodec<String> for NotEmpty {}

#[tokio::test]
async fn names_the_queue_whose_codec_fails_and_writes_nothing() {
    let combine = CombineQueue::with_codecs("wc", NotEmpty, Text, Sum).unwrap();
    let export = ExportQueue::<String, String>::with_codecs("eq", Text, NotEmpty).unwrap();
    let exporter = async |_: Exports<String, String>| Ok(Exported::All);
    let app = App::start(&[&combine, &export.clone().export_to(exporter)]).await;
    let added = app.client.run(async |tx| combine.add(&tx, "", 1_u64)).await;
    assert_eq!(
        added.unwrap_err().to_string(),
        "combine queue `wc`: a key cannot be added: the text is empty"
    );
    let added = app.client.run(async |tx| export.add(&tx, "key", String::new())).await;
    assert_eq!(
        added.unwrap_err().to_string(),
        "export queue `eq`: a value cannot be added: the text is empty"
    );
    assert_eq!(app.cells("").await, [""; 0]);
}
