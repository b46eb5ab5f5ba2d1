//! Hashed rows: encoding a row as a key, and decoding the key.

use anyhow::Result;
use fluo::RowHasher;
use fluo::keys::HashScheme;

#[expect(clippy::print_stdout, reason = "an example shows what it does")]
fn main() -> Result<()> {
    let hasher = RowHasher::new("p")?;

    let key = hasher.add("org.wikipedia/accumulo");
    println!("{}", String::from_utf8_lossy(&key));
    assert_eq!(key.as_ref(), b"p:1yl0:org.wikipedia/accumulo");
    assert_eq!(hasher.remove(&key)?, b"org.wikipedia/accumulo");

    // In a loop, reuse a buffer: then `add_to` allocates nothing.
    let mut key = Vec::new();
    for row in ["com.github/a", "com.github/b", "com.github/c"] {
        key.clear();
        hasher.add_to(row.as_bytes(), &mut key);
        println!("{}", String::from_utf8_lossy(&key));
    }

    // `remove` checks the prefix, the form and the hash of a key.
    let other = RowHasher::with_scheme("p", HashScheme::Sha1Base32)?;
    for (hasher, key) in
        [(&hasher, "q:1yl0:org.wikipedia/accumulo"), (&other, "p:1yl0:org.wikipedia/accumulo")]
    {
        if let Err(error) = hasher.remove(key.as_bytes()) {
            println!("{error}");
        }
    }
    Ok(())
}
