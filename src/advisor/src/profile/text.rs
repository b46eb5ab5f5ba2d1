//! Keys in printed results: the escaped form of `fluo_table::Escaped`.

use fluo_table::Escaped;
use serde::Serializer;

pub(super) fn serialize<S: Serializer>(
    bytes: &(impl AsRef<[u8]> + ?Sized),
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&Escaped(bytes.as_ref()))
}
