//! Fluo's own files of properties: `fluo-conn.properties` and `fluo-app.properties`.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;
use std::{env, fmt, fs};

use accumulo_proxy::{Credentials, ProxyOptions};
use fluo_table::coordination::zookeeper_format;
use fluo_table::{Error, ErrorKind, Result};

use crate::connection::AccumuloOptions;
use crate::zookeeper::ZooKeeperOptions;

/// The connection that Fluo's own files of properties describe. `Debug` output contains no secret.
///
/// | property | field | without it |
/// |---|---|---|
/// | `fluo.connection.application.name` | `application` | `None` |
/// | `fluo.connection.zookeepers` | `zookeepers` | `localhost/fluo` |
/// | `fluo.connection.zookeeper.secret` | `secret` | `None` |
/// | `fluo.connection.zookeeper.timeout`, in milliseconds | `session_timeout` | `None` |
/// | `fluo.accumulo.instance` | `instance_name` | `None` |
/// | `fluo.accumulo.user` | `user` | `None` |
/// | `fluo.accumulo.password` | `password` | `None` |
///
/// The files have the format of Fluo in Java. Of several values of a property the first one is in
/// force. An empty value counts as none. `${NAME}` stands for another property, `${env:NAME}` for a
/// variable of the environment, and `$${` for `${`; any other `${..}` stands for itself. All but
/// the secret are also found under their names of Fluo 1.0, such as `fluo.client.accumulo.user`.
/// All other properties are ignored.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FluoProperties {
    /// The name of the application.
    pub application: Option<String>,
    /// The servers of ZooKeeper and the node of all applications.
    pub zookeepers: String,
    /// The secret of the applications.
    pub secret: Option<String>,
    /// The time after which ZooKeeper ends the session of a crashed process.
    pub session_timeout: Option<Duration>,
    /// The name of the Accumulo instance.
    pub instance_name: Option<String>,
    /// The user of Accumulo.
    pub user: Option<String>,
    /// The password of the user.
    pub password: Option<String>,
}

impl FluoProperties {
    /// Reads files.
    ///
    /// # Errors
    ///
    /// [`Invalid`](ErrorKind::Invalid) if a file cannot be read, includes another one, or has a
    /// wrong value. The message names the file or the property, and never a value.
    pub fn read(files: impl IntoIterator<Item = impl AsRef<Path>>) -> Result<Self> {
        let mut all = BTreeMap::new();
        for file in files {
            let file = file.as_ref();
            let name = file.display();
            let invalid = |message: &str, source: Box<dyn std::error::Error + Send + Sync>| {
                let message = format!("the file of properties {name} {message}");
                Error::with_source(ErrorKind::Invalid, message, source)
            };
            let bytes = fs::read(file).map_err(|error| invalid("cannot be read", error.into()))?;
            let properties = zookeeper_format::read_properties(&bytes)
                .map_err(|error| invalid("is not one that Java accepts", error.into()))?;
            for (property, value) in properties {
                if property == "include" {
                    return Err(Error::invalid(format!(
                        "the file of properties {name} includes another one: name both of them"
                    )));
                }
                all.entry(property).or_insert_with(|| value.trim_end().to_owned());
            }
        }
        Self::of(&all)
    }

    fn of(all: &BTreeMap<String, String>) -> Result<Self> {
        let find = |name: &str, former: &str| {
            let Some(value) = all.get(name).or_else(|| all.get(former)) else { return Ok(None) };
            let value = resolved(value, all, &mut MAX_REFERENCES.clone()).ok_or_else(|| {
                Error::invalid(format!(
                    "the property `{name}` has more than {MAX_REFERENCES} references"
                ))
            })?;
            Ok::<_, Error>(Some(value).filter(|value| !value.is_empty()))
        };
        let timeout = "fluo.connection.zookeeper.timeout";
        let session_timeout = find(timeout, "fluo.client.zookeeper.timeout")?;
        let session_timeout = session_timeout.map(|text| match text.parse() {
            Ok(millis) => Ok(Duration::from_millis(millis)),
            Err(_) => Err(Error::invalid(format!(
                "the property `{timeout}` is not a number of milliseconds"
            ))),
        });
        let zookeepers = find("fluo.connection.zookeepers", "fluo.client.zookeeper.connect")?;
        Ok(Self {
            application: find("fluo.connection.application.name", "fluo.client.application.name")?,
            zookeepers: zookeepers.unwrap_or("localhost/fluo".to_owned()),
            secret: find("fluo.connection.zookeeper.secret", "")?,
            session_timeout: session_timeout.transpose()?,
            instance_name: find("fluo.accumulo.instance", "fluo.client.accumulo.instance")?,
            user: find("fluo.accumulo.user", "fluo.client.accumulo.user")?,
            password: find("fluo.accumulo.password", "fluo.client.accumulo.password")?,
        })
    }

    /// Returns the user and the password.
    ///
    /// # Errors
    ///
    /// [`Invalid`](ErrorKind::Invalid) if one of the two is missing.
    pub fn credentials(&self) -> Result<Credentials> {
        match (&self.user, &self.password) {
            (Some(user), Some(password)) => Ok(Credentials::password(user, password)),
            (None, _) => Err(Error::invalid("the properties lack `fluo.accumulo.user`")),
            (_, None) => Err(Error::invalid("the properties lack `fluo.accumulo.password`")),
        }
    }
}

impl AccumuloOptions {
    /// Creates options for a proxy, with ZooKeeper and the instance of Fluo's own files.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use fluo_accumulo::{AccumuloOptions, FluoProperties, ProxyOptions};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> fluo_table::Result<()> {
    /// let properties =
    ///     FluoProperties::read(["conf/fluo-conn.properties", "conf/fluo-app.properties"])?;
    /// let proxy = ProxyOptions::new("localhost:42424", properties.credentials()?);
    /// let fluo = fluo_accumulo::connect(AccumuloOptions::from_properties(proxy, properties)).await?;
    /// # drop(fluo);
    /// # Ok(())
    /// # }
    /// ```
    pub fn from_properties(proxy: ProxyOptions, properties: FluoProperties) -> AccumuloOptions {
        let FluoProperties { zookeepers, secret, session_timeout, instance_name, .. } = properties;
        let zookeeper = ZooKeeperOptions::new(zookeepers);
        let zookeeper = secret.into_iter().fold(zookeeper, ZooKeeperOptions::secret);
        let timeout = session_timeout.into_iter();
        let zookeeper = timeout.fold(zookeeper, ZooKeeperOptions::session_timeout);
        let options = AccumuloOptions::new(proxy, zookeeper);
        instance_name.into_iter().fold(options, Self::instance_name)
    }
}

/// Maximum number of references to resolve for one property. More are most likely a circle.
const MAX_REFERENCES: u32 = 100;

/// Replaces the references in the value of a property. `left` is the number of references that may
/// still be replaced for it; returns `None` if there are more.
fn resolved(value: &str, all: &BTreeMap<String, String>, left: &mut u32) -> Option<String> {
    let mut text = String::new();
    let mut rest = value;
    while let Some((before, from)) = rest.split_once("${") {
        if let Some(before) = before.strip_suffix('$') {
            text.extend([before, "${"]);
            rest = from;
            continue;
        }
        let Some((name, after)) = from.split_once('}') else { break };
        text.push_str(before);
        let found = match name.strip_prefix("env:") {
            Some(variable) => env::var(variable).ok(),
            None => match all.get(name) {
                Some(value) => {
                    *left = left.checked_sub(1)?;
                    Some(resolved(value, all, left)?)
                }
                None => None,
            },
        };
        match found {
            Some(found) => text.push_str(&found),
            None => text.extend(["${", name, "}"]),
        }
        rest = after;
    }
    Some(text + rest)
}

impl fmt::Debug for FluoProperties {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FluoProperties")
            .field("application", &self.application)
            .field("zookeepers", &self.zookeepers)
            .field("instance_name", &self.instance_name)
            .field("user", &self.user)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONNECTION: &str = "\
# Fluo connection properties
fluo.connection.application.name=web
fluo.connection.zookeepers=zk1:2181,zk2:2181/${fluo.connection.application.name}
fluo.connection.zookeeper.secret=s3cr3t
fluo.connection.zookeeper.timeout = 20000
";
    const APPLICATION: &str = "\
fluo.accumulo.instance=
fluo.accumulo.user=fluo
fluo.accumulo.password=pa55word
fluo.accumulo.table=${fluo.connection.application.name}
fluo.connection.zookeepers=other/fluo
fluo.observer.init.dir=${sys:user.home}
";

    fn read(texts: &[&str]) -> Result<FluoProperties> {
        let directory = tempfile::tempdir().unwrap();
        let files = (0..).zip(texts).map(|(number, text)| {
            let file = directory.path().join(format!("{number}.properties"));
            fs::write(&file, text).unwrap();
            file
        });
        FluoProperties::read(files)
    }

    #[test]
    fn reads_fluos_files() {
        let properties = read(&[CONNECTION, APPLICATION]).unwrap();
        let expected = FluoProperties {
            application: Some("web".to_owned()),
            zookeepers: "zk1:2181,zk2:2181/web".to_owned(),
            secret: Some("s3cr3t".to_owned()),
            session_timeout: Some(Duration::from_secs(20)),
            instance_name: None,
            user: Some("fluo".to_owned()),
            password: Some("pa55word".to_owned()),
        };
        assert_eq!(properties, expected);
        let shown = format!("{properties:?}");
        assert!(!shown.contains("s3cr3t") && !shown.contains("pa55word"), "{shown}");
        let proxy = ProxyOptions::new("localhost:42424", properties.credentials().unwrap());
        let options = AccumuloOptions::from_properties(proxy, properties);
        assert!(options.check().is_ok());
        assert!(format!("{options:?}").contains("zk1:2181,zk2:2181/web"), "{options:?}");
        assert_eq!(read(&[]).unwrap().zookeepers, "localhost/fluo");
    }

    #[test]
    fn reads_the_names_of_fluo_1_0() {
        let text = "\
fluo.client.application.name=web
fluo.client.zookeeper.connect=zk1/fluo
fluo.client.zookeeper.timeout=20000
fluo.client.accumulo.instance=inst
fluo.client.accumulo.user=former
fluo.client.accumulo.password=pa55word
fluo.accumulo.user=fluo
";
        let expected = FluoProperties {
            application: Some("web".to_owned()),
            zookeepers: "zk1/fluo".to_owned(),
            secret: None,
            session_timeout: Some(Duration::from_secs(20)),
            instance_name: Some("inst".to_owned()),
            user: Some("fluo".to_owned()),
            password: Some("pa55word".to_owned()),
        };
        assert_eq!(read(&[text]).unwrap(), expected);
    }

    /// The values are those that Fluo 1.2 returned.
    #[test]
    fn reads_values_as_java_does() {
        for (text, expected) in [
            ("root  ", "root"),
            ("a\nfluo.accumulo.user=b", "a"),
            ("a,b", "a,b"),
            ("a${nope}b", "a${nope}b"),
            ("a${nope", "a${nope"),
            ("${b}${b}\nb=1", "11"),
            ("$${b}\nb=1", "${b}"),
            ("caf\\u00e9", "caf\u{e9}"),
        ] {
            let properties = read(&[&format!("fluo.accumulo.user={text}")]).unwrap();
            assert_eq!(properties.user.as_deref(), Some(expected), "{text}");
        }
        let home = read(&["fluo.accumulo.user=${env:HOME}"]).unwrap().user;
        assert_eq!(home, env::var("HOME").ok());
    }

    #[test]
    fn names_what_is_wrong() {
        for (text, expected) in [
            (
                "fluo.connection.zookeeper.timeout=30s",
                "the property `fluo.connection.zookeeper.timeout` is not a number of milliseconds",
            ),
            (
                "fluo.accumulo.user=${a}\na=${b}\nb=${a}",
                "the property `fluo.accumulo.user` has more than 100 references",
            ),
        ] {
            assert_eq!(read(&[text]).unwrap_err().to_string(), expected);
        }
        let missing = FluoProperties::read(["none.properties"]).unwrap_err();
        assert_eq!(missing.to_string(), "the file of properties none.properties cannot be read");
        let including = read(&["include=other.properties"]).unwrap_err().to_string();
        assert!(including.ends_with(" includes another one: name both of them"), "{including}");
        let lacking = read(&["fluo.accumulo.user=a"]).unwrap().credentials().unwrap_err();
        assert_eq!(lacking.to_string(), "the properties lack `fluo.accumulo.password`");
    }
}
