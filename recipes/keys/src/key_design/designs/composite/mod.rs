//! `composite`: fields in order, each ascending or descending.

mod bytes;
mod codec;
mod encoding;
mod field;
mod text;

use serde::{Deserialize, Serialize};

pub use self::codec::Composite;
pub use self::field::{Field, FieldKind, FieldOrder, FieldSettings};
use super::salted::SaltSettings;
use crate::error::RecipeError;
use crate::key_design::encoding::DesignParts;

/// Settings of the design `composite`: fields in order, each ascending or descending.
///
/// A row is the text of its fields with the separator between them, as
/// `acme<tab>-12<tab>2023-10-08T05:47:31.903Z`; [`Composite`] builds it from values. Rows that
/// write a value in another way, such as `+5` or `007`, are normalized. In a text field a backslash
/// is written `\\`, and the separator and control characters `\xNN`.
///
/// The rows with given leading fields are one piece of the table, without a salt or with a salt
/// over these fields: their [common prefix](Composite::prefix), or a range of the next field,
/// selects them.
///
/// # Examples
///
/// ```
/// use fluo_keys::{CompositeRows, DigestSalt, FieldKind, FieldSettings, KeyDesign, RowSelection, SaltedPart};
///
/// let fields = vec![
///     FieldSettings::new("tenant", FieldKind::Text),
///     FieldSettings::new("amount", FieldKind::Signed).descending(),
/// ];
/// let salt = DigestSalt { over: SaltedPart::Fields(1), ..DigestSalt::default() };
/// let design = KeyDesign::new(CompositeRows { salt: Some(salt.into()), ..CompositeRows::new(fields) })?;
///
/// let key = design.encode_row(b"acme\t12")?;
/// assert_eq!(design.decode_key(&key)?, "acme\t12");
/// assert!(design.encode_row(b"acme\t9")? > key, "9 sorts after 12");
/// assert_eq!(design.spans(&RowSelection::Prefix("acme\t".into()))?.len(), 1);
/// assert_eq!(design.spans(&RowSelection::between("acme\t", "-5", "1000"))?.len(), 1);
/// # Ok::<(), fluo_keys::RecipeError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompositeRows {
    /// The fields, in the order in which they determine the order of rows; 1 to 32.
    pub fields: Vec<FieldSettings>,
    /// The character between the fields in the text of a row. The default is a tab. It must be a
    /// tab, a space or an ASCII punctuation character other than `\ + - . :`.
    #[serde(default = "tab")]
    pub separator: char,
    /// A salt before the fields. The default is no salt. A salt over the leading fields
    /// (`over = { fields = 1 }`) keeps rows with the same leading fields in one piece.
    #[serde(default)]
    pub salt: Option<SaltSettings>,
}

fn tab() -> char {
    '\t'
}

impl CompositeRows {
    /// Creates settings for rows of these fields, separated by tabs in their text, without a salt.
    pub fn new(fields: Vec<FieldSettings>) -> Self {
        Self { fields, separator: tab(), salt: None }
    }

    /// Returns the codec between rows and values.
    ///
    /// # Errors
    ///
    /// Fails if there are no fields, more than 32, or two with the same name, or if the separator
    /// could be confused with a part of a field.
    pub fn composite(&self) -> Result<Composite, RecipeError> {
        Composite::new(self.fields.clone(), self.separator)
    }

    pub(super) fn parts(&self) -> Result<DesignParts, RecipeError> {
        let salt = self.salt.as_ref().map(SaltSettings::salt).transpose()?;
        DesignParts::new("composite", salt, self.composite()?)
    }
}
