//! The written form of a page, and its parser.

use crate::error::RecipeError;
use crate::key_design::explain::KeyField;
use crate::key_design::web::{Host, Page, excerpt};

/// The text between the host and a port. No path begins with it, because a `#` begins the fragment,
/// which is dropped.
pub(super) const PORT: &str = "/#";

pub(super) fn write(page: &Page, key: &mut Vec<u8>) {
    key.extend_from_slice(page.host.reversed().as_bytes());
    key.extend_from_slice(port_text(page).as_bytes());
    key.extend_from_slice(page.rest.as_bytes());
}

fn port_text(page: &Page) -> String {
    page.port
        .map(|port| format!("{PORT}{port}"))
        .unwrap_or_default()
}

/// Parses the written form of a page.
///
/// # Errors
///
/// Fails if the bytes are not exactly the written form of a page.
pub(super) fn read(written: &[u8]) -> Result<Page, RecipeError> {
    let found = split(written).and_then(|row| Page::parse(&row));
    let reason = match found {
        Err(reason) => reason,
        Ok(page) => {
            let mut right = Vec::with_capacity(written.len());
            write(&page, &mut right);
            if right == written {
                return Ok(page);
            }
            format!("the page is written {}", excerpt(&right))
        }
    };
    Err(RecipeError::key(format!(
        "{} is not the key of a page: {reason}",
        excerpt(written)
    )))
}

/// Converts a written form to the row that it encodes.
fn split(written: &[u8]) -> Result<String, String> {
    let text = std::str::from_utf8(written).map_err(|_| "it is not ASCII text".to_owned())?;
    let Some((host, path)) = text.split_once('/') else {
        return Err("a `/` must follow its host, as in `com.example/`".to_owned());
    };
    let host = Host::of_reversed(host);
    Ok(match path.strip_prefix('#') {
        None => format!("{}/{path}", host.text()),
        Some(port) => format!("{}:{port}", host.text()),
    })
}

/// Returns the pieces of a written form, in their order. The salt was computed from `salted`.
pub(super) fn fields(page: &Page, salted: &Host) -> Vec<KeyField> {
    let host = page.host.text();
    let meaning = match &page.host {
        Host::Address(_) => format!("the address {host}"),
        Host::Name(_) => format!(
            "the host {host} from the top level down; salted by {}",
            salted.text()
        ),
    };
    let mut fields = vec![KeyField::new("host", page.host.reversed(), meaning)];
    if let Some(port) = page.port {
        fields.push(KeyField::new(
            "port",
            port_text(page),
            format!("the port {port}"),
        ));
    }
    let meaning = match page.rest.split_once('?') {
        None => "the path",
        Some(_) => "the path and the query",
    };
    fields.push(KeyField::new("path", page.rest.clone(), meaning));
    fields
}
