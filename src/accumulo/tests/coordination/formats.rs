//! The version of the nodes that only this project has.

use fluo_table::ErrorKind;
use zookeeper_client::{Acls, CreateMode};

use crate::ground::Ground;

const FORMAT: &str = "/fluo/web/config/format";

#[tokio::test(flavor = "multi_thread")]
async fn an_application_in_a_later_format_is_refused() {
    let ground = Ground::new().await;
    let process = ground.process().await;
    process.initialize().await;
    let coordination = process.open().await;
    coordination.application().await.unwrap();
    let options = CreateMode::Persistent.with_acls(Acls::anyone_all());
    ground.client.create(FORMAT, b"1", &options).await.unwrap();
    coordination.application().await.unwrap();
    drop(coordination.join_workers().await.unwrap());

    ground.client.set_data(FORMAT, b"2", None).await.unwrap();
    let error = coordination.application().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert_eq!(
        error.to_string(),
        "a later version of this library has used application `web`, in format `2`; update this program"
    );
    let refused = coordination.join_workers().await.unwrap_err();
    assert_eq!(refused.to_string(), error.to_string());
}
