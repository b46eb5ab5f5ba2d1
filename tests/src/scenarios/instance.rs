//! Where a scenario runs.

use std::sync::Arc;

use fluo_core::TableAdmin;
use fluo_core::coordination::Applications;

use super::ending::EndingApplications;

/// Tables, and what the processes of applications on them share. Scenarios make tables and applications of their own in
/// it, under names that nothing else uses.
#[derive(Clone, Debug)]
pub struct Instance {
    pub(super) tables: Arc<dyn TableAdmin>,
    /// Those of the instance, with a way to end sessions.
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
