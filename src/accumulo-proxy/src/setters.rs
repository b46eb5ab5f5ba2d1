//! The methods of options.

/// Implements methods that replace the field of their name, which has the documentation.
macro_rules! setters {
    ($options:ident { $($(#[$attribute:meta])* $field:ident: $type:ty,)* }) => {
        impl $options {
            $(
                $(#[$attribute])*
                #[doc = concat!(
                    "Sets the field [`", stringify!($field), "`](field@Self::", stringify!($field), ")."
                )]
                pub fn $field(self, $field: $type) -> Self {
                    Self { $field: $field.into(), ..self }
                }
            )*
        }
    };
}
