//! An independent checker: adya, an implementation of the checks of Elle.

use adya::{History, Opts, Valid, Workload};

/// Returns the anomalies in a history of lists under snapshot isolation in real time: a transaction
/// sees the writes of every transaction whose commit was acknowledged before it began.
pub(crate) fn anomalies(lists: &str) -> Vec<String> {
    let history = History::from_json(lists).unwrap();
    let wanted = Opts { models: vec!["strong-snapshot-isolation".into()], ..Opts::default() };
    let report = adya::check(&history, Workload::ListAppend, &wanted);
    match report.valid {
        Valid::True => Vec::new(),
        _ if report.anomaly_types == ["empty-transaction-graph"] => Vec::new(),
        _ => report
            .anomalies
            .values()
            .flatten()
            .map(|anomaly| {
                let (kind, why) = (&anomaly.kind, &anomaly.explanation);
                format!("the checker of lists finds {kind}: {why}")
            })
            .collect(),
    }
}

#[test]
fn allows_write_skew_but_no_lost_update() {
    let history = |first: &str, second: &str| {
        format!(
            "{{\"type\":\"invoke\",\"process\":0,\"value\":[{first}]}}\n\
             {{\"type\":\"invoke\",\"process\":1,\"value\":[{second}]}}\n\
             {{\"type\":\"ok\",\"process\":0,\"value\":[{first}]}}\n\
             {{\"type\":\"ok\",\"process\":1,\"value\":[{second}]}}\n\
             {{\"type\":\"invoke\",\"process\":2,\"value\":[[\"r\",\"x\",null]]}}\n\
             {{\"type\":\"ok\",\"process\":2,\"value\":[[\"r\",\"x\",[1]]]}}\n"
        )
    };
    let skew = history(
        r#"["r","x",[]],["r","y",[]],["append","x",1]"#,
        r#"["r","x",[]],["r","y",[]],["append","y",2]"#,
    );
    assert_eq!(anomalies(&skew), Vec::<String>::new());
    let lost = history(r#"["r","x",[]],["append","x",1]"#, r#"["r","x",[]],["append","x",2]"#);
    assert!(!anomalies(&lost).is_empty());
}
