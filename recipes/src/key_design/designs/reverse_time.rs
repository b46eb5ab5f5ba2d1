//! `reverse-time`: a time counted down, so that the newest comes first.

use serde::{Deserialize, Serialize};

use super::super::error::DesignError;
use super::super::form::{Form, ReverseTimes, TimeEncoding, TimePlace};
use super::{DesignSettings, Halves, SaltSettings};

/// Settings of the design `reverse-time`: `<entity><separator><MAX - t>`, or the time first.
///
/// A row is what it is about (the *entity*) and a time, as `sensor7|1696744051903`; of the time is stored how much
/// there is left until `i64::MAX`. Where the time is last, the rows of an entity are one piece of the table, the
/// newest first, and so are its rows between two times ([`Rows::Between`](crate::Rows::Between), whose prefix is the
/// entity with its separator); entities come in the order of their bytes, separator included, which an entity cannot
/// hold. Where the time is first, the newest of all rows comes first: without a salt all new rows go into the first
/// tablet then.
///
/// # Examples
///
/// ```
/// use fluo_recipes::{DigestSalt, KeyDesign, ReverseTime, Rows, SaltedPart};
///
/// let design = KeyDesign::new(ReverseTime::default())?;
/// assert_eq!(design.add(b"sensor7|1696744051903")?, "sensor7|9223370340110723904");
///
/// // With a salt over the entity, what is read together stays together.
/// let salt = DigestSalt { digits: 1, over: SaltedPart::Entity, ..DigestSalt::default() };
/// let design = KeyDesign::new(ReverseTime { salt: Some(salt.into()), ..ReverseTime::default() })?;
/// assert_eq!(design.spans(&Rows::Prefix("sensor7|".into()))?.len(), 1);
/// assert_eq!(design.spans(&Rows::between("sensor7|", "1696744000000", "1696745000000"))?.len(), 1);
/// # Ok::<(), fluo_recipes::DesignError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReverseTime {
    /// Where the time stands; last unless given.
    pub time: TimePlace,
    /// How it is written; in decimal digits unless given.
    pub encoding: TimeEncoding,
    /// What stands between the entity and the time; `|` unless given. It holds no digit beside decimal times, and is
    /// empty only beside binary times that come first.
    pub separator: String,
    /// A salt before all that; none unless given. Over the entity (`over = "entity"`) it keeps the rows of each
    /// entity in one piece.
    pub salt: Option<SaltSettings>,
}

impl Default for ReverseTime {
    fn default() -> Self {
        Self {
            time: TimePlace::default(),
            encoding: TimeEncoding::default(),
            separator: "|".to_owned(),
            salt: None,
        }
    }
}

impl ReverseTime {
    pub(super) fn halves(&self) -> Result<Halves, DesignError> {
        let times = ReverseTimes::new(self.time, self.encoding, self.separator.clone())?;
        Ok(Halves {
            name: "reverse-time",
            salt: self.salt.as_ref().map(SaltSettings::salt_of).transpose()?,
            leading_point: false,
            form: Form::ReverseTime(times),
        })
    }
}

impl From<ReverseTime> for DesignSettings {
    fn from(settings: ReverseTime) -> Self {
        Self::ReverseTime(settings)
    }
}
