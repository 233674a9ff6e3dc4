//! Limits for each address, so that one address cannot take all connections and games.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::http::HeaderMap;
use axum::http::header::HeaderName;
use debate_host::record::TimeSource;

/// The minimum number of connections or games that one address may have, unless the total is smaller.
const LEAST_SHARE: usize = 8;
/// The number of addresses above which the rate limiter forgets those addresses that have their full allowance again.
const MAX_REMEMBERED_ADDRESSES: usize = 10_000;
/// The time in which an exhausted allowance of new visitors refills completely.
const MINUTE: Duration = Duration::from_secs(60);

/// The source from which the server takes a visitor's address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AddressSource {
    /// The address of the connection.
    Peer,
    /// The visitor's address is the last one in a header that the proxy in front of the server sets.
    Header(HeaderName),
    /// Visitors' addresses are not known: every connection comes from the proxy, which sends no header with them.
    Unknown,
}

impl AddressSource {
    /// Returns the visitor's address of a request, if it is known.
    pub(super) fn address_of_request(
        &self,
        peer: IpAddr,
        headers: &HeaderMap,
    ) -> Option<VisitorAddress> {
        match self {
            Self::Peer => Some(VisitorAddress::of(peer)),
            Self::Header(name) => {
                let addresses = headers.get_all(name).iter().next_back()?.to_str().ok()?;
                let last = addresses.rsplit(',').next()?.trim();
                last.parse().ok().map(VisitorAddress::of)
            }
            Self::Unknown => None,
        }
    }

    /// Returns the visitor's address of a connection whose request has not been read, if it is known.
    pub(super) fn address_before_request_is_read(&self, peer: IpAddr) -> Option<VisitorAddress> {
        (*self == Self::Peer).then(|| VisitorAddress::of(peer))
    }
}

/// A visitor's address. For IPv6 it is the 64-bit network, which usually belongs to one user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct VisitorAddress(IpAddr);

impl VisitorAddress {
    fn of(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V6(long) => {
                let network = u128::from(long) & !u128::from(u64::MAX);
                IpAddr::V6(Ipv6Addr::from(network))
            }
            short @ IpAddr::V4(_) => short,
        })
    }
}

/// Counts of resources in use, such as connections or games, with a limit for each address or participant.
#[derive(Debug)]
pub(super) struct ConcurrentUsesPerVisitor<K: Eq + Hash = VisitorAddress> {
    limit: usize,
    present: Mutex<HashMap<K, usize>>,
}

/// One unit in the count of an address or participant. Dropping the unit lowers the count.
#[derive(Debug)]
pub(super) struct VisitorCountGuard<K: Eq + Hash = VisitorAddress>(
    Option<(Arc<ConcurrentUsesPerVisitor<K>>, K)>,
);

impl<K: Clone + Eq + Hash> ConcurrentUsesPerVisitor<K> {
    /// Creates counts with the limit `max_per_address` for each address or participant.
    pub(super) fn new(max_per_address: usize) -> Arc<Self> {
        let present = Mutex::default();
        Arc::new(Self {
            limit: max_per_address,
            present,
        })
    }

    /// Adds one to the count of an address; `None` if the address has reached the limit. An unknown address has no
    /// limit.
    pub(super) fn try_acquire(
        self: &Arc<Self>,
        address: Option<K>,
    ) -> Option<VisitorCountGuard<K>> {
        let Some(address) = address else {
            return Some(VisitorCountGuard(None));
        };
        let mut present = self.present();
        let count = present.entry(address.clone()).or_default();
        if *count >= self.limit {
            return None;
        }
        *count += 1;
        Some(VisitorCountGuard(Some((Arc::clone(self), address))))
    }

    /// Adds one to the count of an address even if it has reached the limit. Other visitors from the address then have
    /// to wait.
    pub(super) fn acquire_unlimited(self: &Arc<Self>, address: Option<K>) -> VisitorCountGuard<K> {
        let Some(address) = address else {
            return VisitorCountGuard(None);
        };
        *self.present().entry(address.clone()).or_default() += 1;
        VisitorCountGuard(Some((Arc::clone(self), address)))
    }
}

impl<K: Eq + Hash> ConcurrentUsesPerVisitor<K> {
    fn present(&self) -> MutexGuard<'_, HashMap<K, usize>> {
        self.present.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Eq + Hash> Drop for VisitorCountGuard<K> {
    fn drop(&mut self) {
        let Some((limits, address)) = &self.0 else {
            return;
        };
        let mut present = limits.present();
        if let Some(count) = present.get_mut(address) {
            *count -= 1;
            if *count == 0 {
                present.remove(address);
            }
        }
    }
}

/// Returns the number of connections or games that one address may have: `all / parts`, but at least the smaller of
/// [`LEAST_SHARE`] and `all`.
pub(super) fn limit_per_address(all: usize, parts: usize) -> usize {
    (all / parts).max(LEAST_SHARE.min(all))
}

/// Limits how many new visitors may begin per minute: in total, and for each address. Both allowances refill evenly.
#[derive(Debug)]
pub(super) struct NewVisitorRateLimiter {
    all: Allowance,
    /// Upper limit for one address.
    share: f64,
    by_address: HashMap<VisitorAddress, Allowance>,
    time: TimeSource,
}

/// A token bucket: a number of permitted starts, which refills evenly over a minute.
#[derive(Debug)]
struct Allowance {
    limit: f64,
    left: f64,
    /// The time at which `left`, the number of starts that are still permitted, was last updated.
    at: Instant,
}

impl NewVisitorRateLimiter {
    pub(super) fn new(per_minute: u32, share: usize, time: &TimeSource) -> Self {
        Self {
            all: Allowance::new(per_minute.into(), time.monotonic_now()),
            share: f64::from(u32::try_from(share).unwrap_or(u32::MAX)),
            by_address: HashMap::new(),
            time: time.clone(),
        }
    }

    /// Counts one new visitor against the rate limits, for all visitors and for the address. Returns false if a limit
    /// is exhausted.
    pub(super) fn allow_new_visitor(&mut self, address: Option<VisitorAddress>) -> bool {
        let now = self.time.monotonic_now();
        if self.by_address.len() >= MAX_REMEMBERED_ADDRESSES {
            self.by_address
                .retain(|_, allowance| allowance.filled(now) < allowance.limit);
        }
        let share = self.share;
        let own = address.map(|address| {
            let known = self.by_address.entry(address);
            known.or_insert_with(|| Allowance::new(share, now))
        });
        match own {
            Some(own) if own.filled(now) < 1.0 || self.all.filled(now) < 1.0 => false,
            Some(own) => own.take(now) && self.all.take(now),
            None => self.all.take(now),
        }
    }
}

impl Allowance {
    /// Creates a full allowance.
    fn new(most: f64, now: Instant) -> Self {
        Self {
            limit: most,
            left: most,
            at: now,
        }
    }

    fn filled(&self, now: Instant) -> f64 {
        let passed = now.saturating_duration_since(self.at);
        let filled = passed.as_secs_f64() * self.limit / MINUTE.as_secs_f64();
        (self.left + filled).min(self.limit)
    }

    fn take(&mut self, now: Instant) -> bool {
        self.left = self.filled(now);
        self.at = now;
        let allows = self.left >= 1.0;
        if allows {
            self.left -= 1.0;
        }
        allows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> VisitorAddress {
        VisitorAddress::of(text.parse().unwrap())
    }

    #[test]
    fn an_address_is_limited_to_its_share_until_it_releases_it() {
        let limits = ConcurrentUsesPerVisitor::new(2);
        let first = [(); 2].map(|()| limits.try_acquire(Some(address("10.0.0.1"))).unwrap());
        assert!(
            limits
                .try_acquire(Some(address("::ffff:10.0.0.1")))
                .is_none()
        );
        assert!(limits.try_acquire(Some(address("10.0.0.2"))).is_some());
        // A participant who is counted in any case takes a share only from visitors of the same address.
        drop(first);
        let counted = [(); 3].map(|()| limits.acquire_unlimited(Some(address("10.0.0.1"))));
        assert!(limits.try_acquire(Some(address("10.0.0.1"))).is_none());
        assert!(limits.try_acquire(Some(address("10.0.0.2"))).is_some());
        drop(counted);
        assert!(limits.present().is_empty());
        // One IPv6 network is one address.
        let _long = [(); 2].map(|()| limits.try_acquire(Some(address("2001:db8::1"))).unwrap());
        assert!(limits.try_acquire(Some(address("2001:db8::2:3"))).is_none());
        assert!(
            limits
                .try_acquire(Some(address("2001:db8:0:1::1")))
                .is_some()
        );
        // Unknown addresses have no limit.
        assert!((0..9).all(|_| limits.try_acquire(None).is_some()));
    }

    #[test]
    fn frequent_visitors_leave_room_for_others() {
        let time = TimeSource::manual_clock();
        let mut allowances = NewVisitorRateLimiter::new(12, 4, &time);
        let begins = |allowances: &mut NewVisitorRateLimiter, who| {
            (0..20)
                .filter(|_| allowances.allow_new_visitor(Some(address(who))))
                .count()
        };
        assert_eq!(begins(&mut allowances, "10.0.0.1"), 4);
        assert_eq!(begins(&mut allowances, "10.0.0.2"), 4);
        assert_eq!(begins(&mut allowances, "10.0.0.3"), 4);
        assert_eq!(begins(&mut allowances, "10.0.0.4"), 0);
        // A quarter of a minute refills a quarter of each allowance, and no wait refills more than all of it.
        time.advance_both_clocks(MINUTE / 4);
        assert_eq!(begins(&mut allowances, "10.0.0.1"), 1);
        assert_eq!(begins(&mut allowances, "10.0.0.4"), 2);
        time.advance_both_clocks(MINUTE * 60);
        let others = ["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"];
        assert_eq!(others.map(|who| begins(&mut allowances, who)), [4, 4, 4, 0]);
    }

    #[test]
    fn the_last_address_in_the_proxys_header_counts() {
        let mut headers = HeaderMap::new();
        headers.append("x-forwarded-for", "10.0.0.9".parse().unwrap());
        headers.append("x-forwarded-for", "10.0.0.8, 10.0.0.7".parse().unwrap());
        let peer = "127.0.0.1".parse().unwrap();
        let header = AddressSource::Header(HeaderName::from_static("x-forwarded-for"));
        assert_eq!(
            header.address_of_request(peer, &headers),
            Some(address("10.0.0.7"))
        );
        assert_eq!(header.address_of_request(peer, &HeaderMap::new()), None);
        assert_eq!(header.address_before_request_is_read(peer), None);
        assert_eq!(
            AddressSource::Peer.address_of_request(peer, &headers),
            Some(address("127.0.0.1"))
        );
        assert_eq!(
            AddressSource::Unknown.address_of_request(peer, &headers),
            None
        );
    }
}
