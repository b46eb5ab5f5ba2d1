//! T6 to T8: effects of writes, and rejected writes.

use std::sync::Arc;

use fluo_table::{
    Column, Condition, ConditionalMutation, ErrorKind, Mutation, Outcome, Scan, Span, TableAdmin,
    Versions,
};

use super::ground::{Ground, assert_kind, cell, column, put_cell};

/// Checks T6: of two puts to one column and timestamp the later one wins, within a mutation, within
/// a call, and across calls.
pub async fn t6_the_later_of_two_puts_to_one_key_wins(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::default()).await;
    let put =
        |row: &'static str, value: &'static str| Mutation::new(row).put_at(column("q"), 5, value);
    ground.write(vec![put("a", "1").put_at(column("q"), 5, "2").put_at(column("q"), 5, "3")]).await;
    ground
        .write(vec![put("b", "1"), put("c", "1"), put("b", "2"), put("a", "4"), put("b", "3")])
        .await;
    ground.write(vec![put("c", "2")]).await;
    let expected = [cell("a", "q", 5, "4"), cell("b", "q", 5, "3"), cell("c", "q", 5, "2")];
    assert_eq!(ground.all().await, expected);

    let always = |mutation: Mutation| mutation.when(Condition::absent(column("none")));
    let conditional = vec![always(put("c", "3")), always(put("c", "4"))];
    ground.table.write_conditional(conditional).await.unwrap();
    let value = ground.table.get("c", &column("q")).await.unwrap();
    assert_eq!(value.as_deref(), Some(&b"4"[..]));

    let now = |value: &'static str| Mutation::new("d").put(column("q"), value);
    for _ in 0..20 {
        ground.write(vec![now("1"), now("2").put(column("q"), "3")]).await;
        let value = ground.table.get("d", &column("q")).await.unwrap();
        assert_eq!(value.as_deref(), Some(&b"3"[..]), "at the time of the table");
        ground.write(vec![now("4")]).await;
        let value = ground.table.get("d", &column("q")).await.unwrap();
        assert_eq!(value.as_deref(), Some(&b"4"[..]), "at the time of the table");
    }
}

/// Checks T7: a given timestamp is stored unchanged, for all signs and magnitudes.
pub async fn t7_a_given_timestamp_is_kept(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::All).await;
    let timestamps =
        [i64::MAX, i64::MAX - 1, 1 << 40, 1, 0, -1, -(1 << 60), i64::MIN + 1, i64::MIN];
    let cells = timestamps.map(|timestamp| cell("r", "q", timestamp, "v"));
    ground.write(cells.iter().map(put_cell).collect()).await;
    assert_eq!(ground.all().await, cells);

    // A table may reject a condition on the oldest timestamp (T10).
    let looked_at = cells.iter().map(|cell| cell.key.clone());
    for (n, key) in looked_at.filter(|key| key.timestamp > i64::MIN).enumerate() {
        let at = Condition::value(column("q"), "v").at(key.timestamp);
        let gone = Mutation::new("s").put_at(column("q"), key.timestamp, "v");
        let as_row = gone.when(Condition::absent(column("q")).at(key.timestamp));
        let seen = Mutation::new("r").put_at(column("seen"), key.timestamp, "v").when(at);
        let outcomes = ground.table.write_conditional(vec![as_row, seen]).await.unwrap();
        assert!(outcomes.iter().all(Outcome::is_accepted), "{key}: {outcomes:?}");
        assert_eq!(ground.read(Scan::over(Span::row("s"))).await.len(), n + 1);
    }
}

/// Checks T7: the time of the table is in milliseconds, the same for a whole mutation, never goes
/// back within a row, and is independent of given timestamps.
pub async fn t7_the_time_of_the_table_does_not_go_back(tables: Arc<dyn TableAdmin>) {
    const YEAR_2020: i64 = 1_577_836_800_000;
    const YEAR_2200: i64 = 7_258_118_400_000;
    let ground = Ground::new(&tables, Versions::default()).await;
    let other = ground.reader(&["A"]).await;
    let far = Mutation::new("r").put_at(column("far"), i64::MAX, "v");
    ground.write(vec![far]).await;

    let mut last = YEAR_2020;
    for n in 0..30 {
        let put = Mutation::new("r").put(column("a"), format!("{n}")).put(column("b"), "v");
        match n % 3 {
            0 => ground.write(vec![put]).await,
            1 => other.write(vec![put]).await.unwrap(),
            _ => {
                let always = vec![put.when(Condition::absent(column("none")))];
                other.write_conditional(always).await.unwrap();
            }
        }
        let cells = ground.read(Scan::over_all(["a", "b"].map(span_of))).await;
        let [a, b] = &cells[..] else { panic!("{cells:?}") };
        assert_eq!(a.key.timestamp, b.key.timestamp, "one time for a mutation");
        assert!(a.key.timestamp >= last, "{} after {last}", a.key.timestamp);
        assert!(a.key.timestamp < YEAR_2200, "{} is not in ms", a.key.timestamp);
        assert_eq!(a.value, format!("{n}"));
        last = a.key.timestamp;
    }
}

fn span_of(qualifier: &'static str) -> Span {
    Span::cell("r", &column(qualifier))
}

/// Checks T7 for tables with a configurable clock: their time does not go back when the clock is
/// set back, and each call gets a later one, so that a put after a delete is shown.
///
/// `set_clock` sets the clock of `tables` to the given milliseconds.
pub async fn t7_the_time_of_the_table_advances_when_its_clock_is_set_back(
    tables: Arc<dyn TableAdmin>,
    set_clock: impl Fn(i64),
) {
    let ground = Ground::new(&tables, Versions::default()).await;
    let times =
        [(2_000, [2_000; 2]), (1_000, [2_001, 2_002]), (-5, [2_003, 2_004]), (2_005, [2_005; 2])];
    for (clock, expected) in times {
        set_clock(clock);
        let put = || Mutation::new("r").put(column("q"), format!("{clock}"));
        ground.write(vec![put()]).await;
        let shown = ground.all().await;
        assert_eq!(shown[0].key.timestamp, expected[0], "with the clock at {clock}");
        assert_eq!(shown[0].value, format!("{clock}"));
        let always = vec![put().when(Condition::absent(column("none")))];
        ground.table.write_conditional(always).await.unwrap();
        assert_eq!(ground.all().await[0].key.timestamp, expected[1]);
    }
    set_clock(500);
    ground.write(vec![Mutation::new("r").delete(column("q"))]).await;
    assert_eq!(ground.all().await, []);
    ground.write(vec![Mutation::new("r").put(column("q"), "after")]).await;
    assert_eq!(ground.all().await[0].value, "after");
    ground.end().await;
}

/// Checks T8: a call with an invalid mutation is rejected, and writes none of its mutations.
pub async fn t8_an_invalid_call_writes_nothing(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::default()).await;
    let good = |row: &'static str| Mutation::new(row).put(column("q"), "v");
    let marked = |visibility| column("m").with_visibility(visibility);
    let mut wrong = vec![Mutation::new("w")];
    for visibility in ["A&", "A&B|C", "(A", "A)", "A B", "\"\"", "\"A", "&", "\u{e9}"] {
        wrong.push(good("w").put(marked(visibility), "v"));
        wrong.push(good("w").delete(marked(visibility)));
    }
    for wrong in wrong {
        let call = ground.table.write(vec![good("a"), wrong.clone(), good("z")]);
        assert_kind(call.await, ErrorKind::Invalid, &format!("write {wrong:?}"));

        let always = |mutation: Mutation| mutation.when(Condition::absent(column("none")));
        let mutations = [good("a"), wrong.clone(), good("z")].map(always);
        let call = ground.table.write_conditional(mutations.into());
        assert_kind(call.await, ErrorKind::Invalid, &format!("write_conditional {wrong:?}"));
    }
    let without = ConditionalMutation { mutation: good("w"), conditions: vec![] };
    let invalid_visibility = good("w").when(Condition::absent(marked("A&")));
    for wrong in [without, invalid_visibility] {
        let always = |row| good(row).when(Condition::absent(column("none")));
        let call = ground.table.write_conditional(vec![always("a"), wrong, always("z")]);
        assert_kind(call.await, ErrorKind::Invalid, "a wrong condition");
    }
    assert_eq!(ground.all().await, []);
}

/// Checks T8: a large mutation is stored whole, or the whole call is rejected.
pub async fn t8_a_large_mutation_is_stored_whole_or_rejected(tables: Arc<dyn TableAdmin>) {
    const KIB: usize = 1 << 10;
    let ground = Ground::new(&tables, Versions::default()).await;
    let sizes = [
        ([KIB; 3], 64 * KIB),
        ([8 * KIB; 3], 1_024 * KIB),
        ([300 * KIB; 3], 1),
        ([KIB, KIB, KIB], 5_000 * KIB),
    ];
    for (n, (key_bytes, value_bytes)) in sizes.into_iter().enumerate() {
        let [row, family, qualifier] = key_bytes.map(|bytes| varied(bytes, n));
        let large_column = Column::new(family, qualifier);
        let value = varied(value_bytes, n + 7);
        let large = Mutation::new(row.clone()).put(large_column.clone(), value.clone());
        let small = Mutation::new(format!("small {n}")).put(column("q"), "v");
        let result = ground.table.write(vec![small.clone(), large.clone()]).await;
        let is_taken = result.is_ok();
        assert_eq!(ground.table.check_mutation(&large).is_ok(), is_taken);
        if !is_taken {
            assert!(n > 0, "a row of 1 KiB and a value of 64 KiB are not large: {result:?}");
            assert_kind(result, ErrorKind::Invalid, "a large write");
            let always = |mutation: Mutation| mutation.when(Condition::absent(column("none")));
            let call = vec![always(small), always(large)];
            let result = ground.table.write_conditional(call).await;
            assert_kind(result, ErrorKind::Invalid, "a large conditional write");
        }
        let read = ground.table.get(row, &large_column).await.unwrap();
        assert!(read == is_taken.then_some(value.into()), "{key_bytes:?}, {value_bytes}");
        let small = ground.table.get(format!("small {n}"), &column("q")).await.unwrap();
        assert_eq!(small.is_some(), is_taken, "the call is stored or rejected as a whole");
    }
}

/// Returns bytes that do not repeat at the size of a page and do not compress well.
fn varied(count: usize, seed: usize) -> Vec<u8> {
    let low_byte = |n: usize| n.to_le_bytes()[0];
    (0..count).map(|i| low_byte(i.wrapping_mul(i >> 3) ^ (i >> 7) ^ seed)).collect()
}
