//! The authorizations that rules about visibility need.

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail};
use fluo_accumulo::ProxyClient;
use fluo_table::{Bytes, Escaped};
use fluo_tests::conformance::AUTHORIZATIONS;

/// Authorizations that a user has during the run.
pub(crate) struct Granted {
    client: ProxyClient,
    user: String,
    before: BTreeSet<Bytes>,
}

impl Granted {
    /// Restores the previous authorizations of the user.
    pub(crate) async fn restore(&self) -> Result<()> {
        let security = self.client.security_operations();
        let restored = security.change_authorizations(&self.user, self.before.iter().cloned());
        restored.await.with_context(|| {
            let labels = self.before.iter();
            let before: Vec<_> = labels.map(|label| Escaped(label).to_string()).collect();
            format!(
                "the authorizations of user `{}` could not be restored; they were `{}`",
                self.user,
                before.join(",")
            )
        })
    }
}

/// Checks that the user of the client has the authorizations, or grants them to the user `grant`. A
/// proxy of Accumulo 2.x does not report its user, so nothing is checked then.
pub(crate) async fn ready(client: &ProxyClient, grant: Option<&str>) -> Result<Option<Granted>> {
    let Some(user) = grant.or(client.options().credentials.user()) else {
        return Ok(None);
    };
    let security = client.security_operations();
    let before: BTreeSet<Bytes> = security.authorizations(user).await?.into_iter().collect();
    let wanted: BTreeSet<Bytes> = AUTHORIZATIONS.into_iter().map(Bytes::from).collect();
    if wanted.is_subset(&before) {
        return Ok(None);
    }
    if grant.is_none() {
        bail!(
            "user `{user}` lacks the authorizations `{}` of the suite; add --grant {user} to grant them during the \
             run, which needs the permission ALTER_USER",
            AUTHORIZATIONS.join("`, `")
        );
    }
    let all: BTreeSet<Bytes> = wanted.union(&before).cloned().collect();
    security.change_authorizations(user, all).await?;
    Ok(Some(Granted { client: client.clone(), user: user.to_owned(), before }))
}
