//! The credentials for a proxy, from the environment variables of the command `fluo`.

use std::env;
use std::fs;

use anyhow::{Context, Result, bail};
use fluo_accumulo::Credentials;

/// Returns the credentials from the environment. `user` comes from the command line.
pub(crate) fn credentials(user: Option<&str>) -> Result<Credentials> {
    let user = user.map(str::to_owned).or_else(|| set("FLUO_USER"));
    match (user, set("FLUO_SHARED_SECRET")) {
        (None, Some(secret)) => Ok(Credentials::shared_secret(secret)),
        (Some(user), None) => Ok(Credentials::password(user, password()?)),
        (Some(_), Some(_)) => bail!(
            "a user and FLUO_SHARED_SECRET are both set; for a proxy of Accumulo 2.x unset the user, for any other \
             proxy unset FLUO_SHARED_SECRET"
        ),
        (None, None) => bail!(
            "the proxy requires a user; give --user USER or set FLUO_USER; for a proxy of Accumulo 2.x set \
             FLUO_SHARED_SECRET"
        ),
    }
}

fn password() -> Result<String> {
    if let Some(password) = set("FLUO_PASSWORD") {
        return Ok(password);
    }
    let Some(file) = set("FLUO_PASSWORD_FILE") else {
        bail!(
            "the password is missing: set FLUO_PASSWORD, or FLUO_PASSWORD_FILE to the file that holds it"
        );
    };
    let text = fs::read_to_string(&file)
        .with_context(|| format!("the password file {file} cannot be read"))?;
    let password = text.lines().next().unwrap_or_default();
    if password.is_empty() {
        bail!("the first line of the password file {file} is empty");
    }
    Ok(password.to_owned())
}

fn set(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}
