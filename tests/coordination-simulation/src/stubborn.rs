//! A client that knows less than ours, as one of Java: it asks the oracle to which it is connected
//! as long as that one answers, although another may lead by now.

use std::time::Duration;

use tokio::time::timeout;

use crate::oracle::{Call, Exchange, Reply};
use crate::world;

const LIMIT: Duration = Duration::from_secs(20);

/// A client of the application at a node.
#[derive(Debug)]
pub struct StubbornClient {
    servers: String,
    id: String,
    exchange: Option<Exchange>,
}

impl StubbornClient {
    /// Creates a client of the application with these election nodes and this id.
    pub fn new(servers: String, id: &str) -> Self {
        Self { servers, id: id.to_owned(), exchange: None }
    }

    /// Requests timestamps, and returns the first one, or `None` if there is no answer.
    pub async fn timestamps(&mut self, count: u32) -> Option<u64> {
        let mut exchange = match self.exchange.take() {
            Some(exchange) => exchange,
            None => timeout(LIMIT, Exchange::connect(&self.first()?)).await.ok()?.ok()?,
        };
        let call = Call::GetTimestamps { id: self.id.as_str().into(), count: count.cast_signed() };
        match timeout(LIMIT, exchange.call(&call)).await.ok()?.ok()? {
            Reply::Stamps { first, .. } => {
                self.exchange = Some(exchange);
                Some(first.cast_unsigned())
            }
            _ => None,
        }
    }

    /// Returns the address in the first election node.
    fn first(&self) -> Option<String> {
        let mut names = world::children(&self.servers);
        names.sort_by_key(|name| name.rsplit('-').next().map(str::to_owned));
        world::text(&format!("{}/{}", self.servers, names.first()?))
    }
}
