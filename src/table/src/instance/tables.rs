//! The tables of an [`Instance`]: every call goes to its table port.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use async_trait::async_trait;

use super::Instance;
use crate::data::{Authorizations, Bytes, Span};
use crate::error::{Error, Result};
use crate::table::{Garbage, Table, TableAdmin, Tablets, Versions};

/// Implements a port whose methods are those of another one.
macro_rules! forward {
    ($(fn $method:ident($($argument:ident: $type:ty),*) -> $output:ty;)*) => {
        #[async_trait]
        impl TableAdmin for Instance {
            $(
                async fn $method(&self, $($argument: $type),*) -> $output {
                    self.table_admin().$method($($argument),*).await
                }
            )*
        }
    };
}

forward! {
    fn tables() -> Result<Vec<String>>;
    fn create_table(name: &str, versions: Versions) -> Result<()>;
    fn delete_table(name: &str) -> Result<()>;
    fn open_table(name: &str, authorizations: Authorizations) -> Result<Arc<dyn Table>>;
    fn splits(name: &str) -> Result<Vec<Bytes>>;
    fn add_splits(name: &str, splits: &BTreeSet<Bytes>) -> Result<()>;
    fn merge(name: &str, start: Option<&[u8]>, end: Option<&[u8]>) -> Result<()>;
    fn properties(name: &str) -> Result<BTreeMap<String, String>>;
    fn inherited_properties(name: &str) -> Result<BTreeMap<String, String>>;
    fn set_property(name: &str, property: &str, value: &str) -> Result<()>;
    fn remove_property(name: &str, property: &str) -> Result<()>;
    fn change_properties(
        name: &str, changes: &[(&str, Option<&str>)]
    ) -> Result<(), (usize, Error)>;
    fn flush(name: &str) -> Result<()>;
    fn compact(name: &str, span: &Span, garbage: Garbage) -> Result<()>;
    fn tablets(name: &str) -> Result<Tablets>;
    fn servers() -> Result<Vec<String>>;
    fn can_load(name: &str, class: &str, as_type: &str) -> Result<bool>;
    fn check_transactions() -> Result<()>;
}
