//! Programs that declare a part of an application: they add to its queues, and run no worker.

use std::sync::{Arc, Mutex};

use fluo_engine::{Instance, InstanceExt, Transaction, WorkerOptions};
use fluo_recipes::combine_queue::{CombineQueue, Sum};
use fluo_recipes::export_queue::{ExportError, ExportQueue, Exported, Exports};
use fluo_table::{Column, Error, ErrorKind};

fn words() -> CombineQueue<String, u64> {
    CombineQueue::new("wc", Sum).unwrap().buckets(7).unwrap()
}

fn mails() -> ExportQueue<String, String> {
    ExportQueue::new("mails").unwrap().buckets(7).unwrap()
}

#[tokio::test]
async fn a_program_with_a_part_of_the_observers_adds_to_its_queue_and_runs_no_worker() {
    let text = Column::new("page", "text");
    let fluo = Instance::in_memory();
    let received = Arc::<Mutex<Vec<String>>>::default();
    let keep = received.clone();
    let mails_to = mails().export_to(move |exports: Exports<String, String>| {
        let values = exports.iter().map(|export| export.value.clone());
        keep.lock().unwrap().extend(values);
        std::future::ready(Ok::<_, ExportError>(Exported::All))
    });
    let observe = async |_, _| Ok::<_, Error>(());
    let whole = fluo.application("shop").observe(&text, "text", observe);
    let whole = whole.recipe(&words()).recipe(&mails_to);
    whole.initialize().await.unwrap();

    let missing = "this program has no observer for ";
    let ends = "; declare the observers of the application, or create it again with these";
    let loader = fluo.application("shop").recipe(&mails());
    let client = loader.open_or_create().await.unwrap();
    let add = async |tx: Transaction| mails().add(&tx, "alice", "your order".to_owned());
    client.run(add).await.unwrap();
    let error = client.start_worker(WorkerOptions::new()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    let all = "fluoRecipes:cfm:wc (weak, `combineq-wc`), fluoRecipes:eq:mails (weak, `exportq-mails`), \
               page:text (strong, `text`)";
    assert_eq!(error.to_string(), format!("{missing}{all}{ends}"));

    let client = whole.open().await.unwrap();
    let worker = client.start_worker(WorkerOptions::new()).await.unwrap();
    client.wait_until_idle().await.unwrap();
    worker.stop().await;
    assert_eq!(*received.lock().unwrap(), ["your order"]);
}

/// A combine queue combines without code of the program; an export queue needs an exporter.
#[tokio::test]
async fn a_worker_without_an_exporter_does_not_start() {
    let shop = Instance::in_memory().application("shop").recipe(&words());
    let client = shop.clone().recipe(&mails()).create().await.unwrap();
    let error = client.start_worker(WorkerOptions::new()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "this program has no observer for fluoRecipes:eq:mails (weak, `exportq-mails`); declare the observers of the \
         application, or create it again with these"
    );
    let exporter = async |_: Exports<String, String>| Ok(Exported::All);
    let shop = shop.recipe(&mails().export_to(exporter));
    let client = shop.open().await.unwrap();
    let worker = client.start_worker(WorkerOptions::new()).await.unwrap();
    worker.stop().await;
}
