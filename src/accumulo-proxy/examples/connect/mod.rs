//! The connection of these examples: address, user and password from the environment.

use std::env;

use accumulo_proxy::{Credentials, ProxyClient, ProxyOptions, Result};

/// Connects to the proxy at `ACCUMULO_PROXY` (`localhost:42424` unless set), as `ACCUMULO_USER`
/// (`root` unless set) with `ACCUMULO_PASSWORD` (empty unless set).
pub(crate) async fn connect() -> Result<ProxyClient> {
    let variable = |name, default: &str| env::var(name).unwrap_or_else(|_| default.to_owned());
    let address = variable("ACCUMULO_PROXY", "localhost:42424");
    let user = variable("ACCUMULO_USER", "root");
    let password = variable("ACCUMULO_PASSWORD", "");
    ProxyClient::connect(ProxyOptions::new(address, Credentials::password(user, password))).await
}
