//! The same rows in several key designs: their keys, and the reads that each design supports.

use anyhow::Result;
use fluo::keys::{DigestSalt, Modulo, ReverseTime, RowSelection, SaltedPart, WebTable};
use fluo::table::Escaped;
use fluo::{KeyDesign, RowHasher};

#[expect(clippy::print_stdout, reason = "an example shows what it does")]
fn main() -> Result<()> {
    let by_tenant = DigestSalt {
        separator: ":".to_owned(),
        over: SaltedPart::Before("|".to_owned()),
        ..DigestSalt::default()
    };
    let designs = [
        KeyDesign::from(&RowHasher::new("p")?),
        KeyDesign::new(Modulo::default())?,
        KeyDesign::new(by_tenant)?,
        KeyDesign::new(ReverseTime::default())?,
    ];
    let row = b"tenant7|1696744051903";
    for design in &designs {
        let key = design.encode_row(row)?;
        assert_eq!(design.decode_key(&key)?, row.as_slice());
        println!("{:12} {}", design.name(), Escaped(&key));
        println!("             by row {}", design.scans().by_row);
        // The rows of one tenant are one range if they share a salt, or have none.
        match design.spans(&RowSelection::Prefix("tenant7|".into())) {
            Ok(spans) => println!("             one tenant: {} pieces", spans.len()),
            Err(refused) => println!("             one tenant: {refused}"),
        }
    }

    // A domain is one range. Similar names such as `example2.com` are outside of it.
    let web = KeyDesign::new(WebTable::default())?;
    let domain = RowSelection::domain_and_subdomains("example.com");
    for url in ["https://support.example.com/a", "http://example2.com/"] {
        let key = web.encode_row(url.as_bytes())?;
        let is_in = web.contains(&domain, url.as_bytes())?;
        println!("{:32} in example.com: {is_in}", Escaped(&key).to_string());
    }
    Ok(())
}
