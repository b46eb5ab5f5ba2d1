//! The proxies of a client: the one that a call uses, and those that are left out.
//!
//! Every proxy of an instance executes every call, because a login holds in all of them. Only the
//! handle of a scanner or a writer belongs to the proxy that opened it.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tracing::{info, warn};

use super::pool::Pool;
use crate::options::ProxyOptions;

pub(crate) struct Proxies {
    pub(crate) options: ProxyOptions,
    /// At least one.
    pools: Vec<Pool>,
    /// The number of searches, each of which begins at a random proxy.
    searches: AtomicU64,
    random: RandomState,
}

impl Proxies {
    pub(crate) fn new(options: ProxyOptions) -> Self {
        let addresses: Vec<_> = options.address.split(',').map(str::trim).collect();
        let one = options.clone().connect_timeout(share(options.connect_timeout, addresses.len()));
        let pools = addresses.iter().map(|address| Pool::new(one.clone().address(*address)));
        let pools = pools.collect();
        Self { options, pools, searches: AtomicU64::new(0), random: RandomState::new() }
    }

    /// Returns the number of the proxy for the next attempt of a call that has `tried` others. Of
    /// those that are not left out, it is the one with the fewest calls. If all are left out, it is
    /// the one whose time ends first.
    pub(crate) fn choose(&self, tried: &[usize]) -> usize {
        let count = self.pools.len();
        if count == 1 {
            return 0;
        }
        let search = self.searches.fetch_add(1, Ordering::Relaxed);
        let random = usize::try_from(self.random.hash_one(search) >> 32).unwrap_or_default();
        let first = random % count;
        let in_turn = || (first..count).chain(0..first).filter(|proxy| !tried.contains(proxy));
        let mut usable: Vec<_> = in_turn().filter(|proxy| !self.is_left_out(*proxy)).collect();
        usable.sort_by_key(|proxy| self.pool(*proxy).calls());
        // A proxy that failed before gets one call, which shows whether it works again.
        let chosen = usable.into_iter().find(|proxy| self.pool(*proxy).health().may_try());
        let first_over =
            || in_turn().min_by_key(|proxy| self.pool(*proxy).health().left_out_until());
        chosen.or_else(first_over).unwrap_or_default()
    }

    /// Records whether a proxy has answered a call. The log says when one of several starts or
    /// stops failing, because the callers do not see it.
    pub(crate) fn record(&self, proxy: usize, has_answered: bool) {
        let pool = self.pool(proxy);
        if pool.record(has_answered) && self.count() > 1 {
            let address = &pool.options.address;
            match has_answered {
                true => info!("the proxy {address} answers again"),
                false => warn!("the proxy {address} fails, and is left out"),
            }
        }
    }

    /// Returns a proxy by its number, or the first.
    pub(crate) fn pool(&self, proxy: usize) -> &Pool {
        self.pools.get(proxy).unwrap_or_else(|| self.pools.first().expect("there is a proxy"))
    }

    pub(crate) fn count(&self) -> usize {
        self.pools.len()
    }

    /// Checks whether a proxy has failed since its last answer, while another one has not.
    pub(crate) fn is_replaced(&self, proxy: usize) -> bool {
        let works = |pool: &Pool| pool.health().failures() == 0;
        !works(self.pool(proxy)) && self.pools.iter().any(works)
    }

    /// Returns the part of a time limit after which another proxy may be tried.
    pub(crate) fn share(&self, limit: Duration) -> Duration {
        share(limit, self.pools.len())
    }

    fn is_left_out(&self, proxy: usize) -> bool {
        self.pool(proxy).health().is_left_out()
    }
}

fn share(limit: Duration, proxies: usize) -> Duration {
    limit / u32::try_from(proxies).unwrap_or(u32::MAX).max(1)
}
