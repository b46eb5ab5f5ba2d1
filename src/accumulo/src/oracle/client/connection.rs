//! A connection to an oracle.

use std::time::Duration;

use fluo_table::Timestamp;
use tokio::time::timeout;

use super::leader::Leader;
use crate::oracle::wire::{Call, Exchange, Reply};

/// The time limit to connect, and to learn whether the oracle leads.
const CONNECT: Duration = Duration::from_secs(3);
/// The time limit of a request for timestamps.
const REQUEST: Duration = Duration::from_secs(10);

/// The reason why a request failed.
#[derive(Debug)]
pub(super) struct Failure {
    /// The cause, as a part of a sentence.
    pub(super) cause: String,
    /// States whether timestamps may have been used up.
    pub(super) may_have_taken: bool,
}

impl Failure {
    /// Creates a failure that used up no timestamps.
    pub(super) fn without_effect(cause: impl Into<String>) -> Self {
        Self { cause: cause.into(), may_have_taken: false }
    }

    /// Creates a failure that may have used up timestamps.
    pub(super) fn in_doubt(cause: impl Into<String>) -> Self {
        Self { cause: cause.into(), may_have_taken: true }
    }
}

/// Timestamps that an oracle handed out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Granted {
    pub(super) first: Timestamp,
    pub(super) horizon: Timestamp,
}

/// A connection to a leader.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) leader: Leader,
    exchange: Exchange,
}

impl Connection {
    /// Connects to an oracle and checks that it leads. A server in Java that refuses a request for
    /// timestamps loses memory, so the check comes first.
    pub(super) async fn open(leader: Leader) -> Result<Self, Failure> {
        let address = leader.address.clone();
        let opened = timeout(CONNECT, Self::connect(leader)).await;
        let failed = |cause: String| {
            Failure::without_effect(format!("the oracle at {address} is not ready: {cause}"))
        };
        match opened {
            Ok(Ok(connection)) => Ok(connection),
            Ok(Err(cause)) => Err(failed(cause)),
            Err(_) => Err(failed("it does not answer".to_owned())),
        }
    }

    async fn connect(leader: Leader) -> Result<Self, String> {
        let mut exchange = Exchange::connect(&leader.address).await?;
        match exchange.call(Call::IsLeader, REQUEST).await? {
            Reply::Leader(true) => Ok(Self { leader, exchange }),
            _ => Err("it does not lead".to_owned()),
        }
    }

    /// Requests `count` timestamps. A count of 0 returns the next timestamp, which stays unused.
    pub(super) async fn timestamps(&mut self, id: &str, count: i32) -> Result<Granted, Failure> {
        let id = id.to_owned();
        let call = self.exchange.call(Call::GetTimestamps { id, count }, REQUEST);
        let answered = timeout(REQUEST, call).await;
        let address = &self.leader.address;
        let failed = |cause: &str| {
            Failure::in_doubt(format!("the oracle at {address} refused the request: {cause}"))
        };
        let reply = answered
            .unwrap_or_else(|_| Err("it does not answer".to_owned()))
            .map_err(|cause| failed(&cause))?;
        let timestamp =
            |number: i64| u64::try_from(number).ok().and_then(|it| Timestamp::new(it).ok());
        match reply {
            Reply::Stamps { first, horizon } => match (timestamp(first), timestamp(horizon)) {
                (Some(first), Some(horizon)) => Ok(Granted { first, horizon }),
                _ => Err(failed(&format!("{first} or {horizon} is not a timestamp"))),
            },
            Reply::Exception(message) => Err(failed(&message)),
            Reply::Leader(_) => Err(failed("the reply belongs to another request")),
        }
    }
}
