//! The methods of options.

/// Implements methods that replace the field of their name.
macro_rules! setters {
    ($options:ident { $($(#[$documentation:meta])* $field:ident: $type:ty,)* }) => {
        impl $options {
            $(
                $(#[$documentation])*
                #[must_use]
                pub fn $field(self, $field: $type) -> Self {
                    Self { $field: $field.into(), ..self }
                }
            )*
        }
    };
}
