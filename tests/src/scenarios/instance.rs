//! The instance on which a scenario runs.

use std::sync::Arc;

use fluo_table::TableAdmin;
use fluo_table::coordination::Applications;

use super::ending::EndingApplications;

/// Tables, and the shared state of the applications on them. Scenarios create tables and
/// applications with unique names in it.
#[derive(Clone, Debug)]
pub struct Instance {
    pub(super) tables: Arc<dyn TableAdmin>,
    /// The applications of the instance, with a way to end sessions.
    pub(super) applications: EndingApplications,
}

impl Instance {
    pub fn new(
        tables: impl TableAdmin + 'static,
        applications: impl Applications + 'static,
    ) -> Self {
        Self {
            tables: Arc::new(tables),
            applications: EndingApplications::new(Arc::new(applications)),
        }
    }
}
