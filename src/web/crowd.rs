//! Shares: of what there is for all, an address has a part, so that nobody takes everything.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::http::HeaderMap;
use axum::http::header::HeaderName;
use debate_host::record::TimeSource;

/// The fewest that an address has of anything, where there are as many.
const LEAST_SHARE: usize = 8;
/// The addresses that are remembered before those are forgotten that have all their allowance again.
const REMEMBERED: usize = 10_000;
/// The time in which an empty allowance is filled up.
const MINUTE: Duration = Duration::from_secs(60);

/// How the address of a visitor is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AddressSource {
    /// From the connection.
    Peer,
    /// From a header that the proxy in front sets: the last address in it.
    Header(HeaderName),
    /// Not at all: every connection is the proxy's, which says nothing.
    Unknown,
}

impl AddressSource {
    /// The address behind a request, where it is known.
    pub(super) fn of(&self, peer: IpAddr, headers: &HeaderMap) -> Option<Address> {
        match self {
            Self::Peer => Some(Address::of(peer)),
            Self::Header(name) => {
                let addresses = headers.get_all(name).iter().next_back()?.to_str().ok()?;
                let last = addresses.rsplit(',').next()?.trim();
                last.parse().ok().map(Address::of)
            }
            Self::Unknown => None,
        }
    }

    /// The address behind a connection that has not asked for anything yet.
    pub(super) fn of_connection(&self, peer: IpAddr) -> Option<Address> {
        (*self == Self::Peer).then(|| Address::of(peer))
    }
}

/// Whoever has one address: of the sixth version a network of 64 bits, which one person has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Address(IpAddr);

impl Address {
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

/// The number of connections, say, that each address has, or each participant.
#[derive(Debug)]
pub(super) struct Crowd<K: Eq + Hash = Address> {
    most: usize,
    present: Mutex<HashMap<K, usize>>,
}

/// One of those that an address or a participant has, until it is dropped.
#[derive(Debug)]
pub(super) struct Share<K: Eq + Hash = Address>(Option<(Arc<Crowd<K>>, K)>);

impl<K: Clone + Eq + Hash> Crowd<K> {
    /// Every address, or participant, has at most `most`.
    pub(super) fn new(most: usize) -> Arc<Self> {
        let present = Mutex::default();
        Arc::new(Self { most, present })
    }

    /// One more for an address; `None` where it has its share. An address that is not known has no share.
    pub(super) fn enter(self: &Arc<Self>, address: Option<K>) -> Option<Share<K>> {
        let Some(address) = address else {
            return Some(Share(None));
        };
        let mut present = self.present();
        let count = present.entry(address.clone()).or_default();
        if *count >= self.most {
            return None;
        }
        *count += 1;
        Some(Share(Some((Arc::clone(self), address))))
    }

    /// One more for an address, even if it has its share already: others of the address then have to wait.
    pub(super) fn count(self: &Arc<Self>, address: Option<K>) -> Share<K> {
        let Some(address) = address else {
            return Share(None);
        };
        *self.present().entry(address.clone()).or_default() += 1;
        Share(Some((Arc::clone(self), address)))
    }
}

impl<K: Eq + Hash> Crowd<K> {
    fn present(&self) -> MutexGuard<'_, HashMap<K, usize>> {
        self.present.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Eq + Hash> Drop for Share<K> {
    fn drop(&mut self) {
        let Some((crowd, address)) = &self.0 else {
            return;
        };
        let mut present = crowd.present();
        if let Some(count) = present.get_mut(address) {
            *count -= 1;
            if *count == 0 {
                present.remove(address);
            }
        }
    }
}

/// An address' part of a number, for which this is one in so many.
pub(super) fn share_of(all: usize, parts: usize) -> usize {
    (all / parts).max(LEAST_SHARE.min(all))
}

/// How many may begin now: as many as a minute allows, filled up evenly; of them an address its share.
#[derive(Debug)]
pub(super) struct Allowances {
    all: Allowance,
    /// The most of an address.
    share: f64,
    by_address: HashMap<Address, Allowance>,
    time: TimeSource,
}

/// An allowance that is filled up evenly.
#[derive(Debug)]
struct Allowance {
    most: f64,
    left: f64,
    /// The time at which `left` was right.
    at: Instant,
}

impl Allowances {
    pub(super) fn new(a_minute: u32, share: usize, time: &TimeSource) -> Self {
        Self {
            all: Allowance::new(a_minute.into(), time.instant()),
            share: f64::from(u32::try_from(share).unwrap_or(u32::MAX)),
            by_address: HashMap::new(),
            time: time.clone(),
        }
    }

    /// Takes one of those who may begin now.
    pub(super) fn take(&mut self, address: Option<Address>) -> bool {
        let now = self.time.instant();
        if self.by_address.len() >= REMEMBERED {
            self.by_address
                .retain(|_, allowance| allowance.filled(now) < allowance.most);
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
    /// A full allowance.
    fn new(most: f64, now: Instant) -> Self {
        Self {
            most,
            left: most,
            at: now,
        }
    }

    fn filled(&self, now: Instant) -> f64 {
        let passed = now.saturating_duration_since(self.at);
        let filled = passed.as_secs_f64() * self.most / MINUTE.as_secs_f64();
        (self.left + filled).min(self.most)
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

    fn address(text: &str) -> Address {
        Address::of(text.parse().unwrap())
    }

    #[test]
    fn an_address_has_its_share_and_gives_it_back() {
        let crowd = Crowd::new(2);
        let first = [(); 2].map(|()| crowd.enter(Some(address("10.0.0.1"))).unwrap());
        assert!(crowd.enter(Some(address("::ffff:10.0.0.1"))).is_none());
        assert!(crowd.enter(Some(address("10.0.0.2"))).is_some());
        // A participant who is counted in any case takes a share from others of the same address alone.
        drop(first);
        let counted = [(); 3].map(|()| crowd.count(Some(address("10.0.0.1"))));
        assert!(crowd.enter(Some(address("10.0.0.1"))).is_none());
        assert!(crowd.enter(Some(address("10.0.0.2"))).is_some());
        drop(counted);
        assert!(crowd.present().is_empty());
        // One network of the sixth version is one address.
        let _long = [(); 2].map(|()| crowd.enter(Some(address("2001:db8::1"))).unwrap());
        assert!(crowd.enter(Some(address("2001:db8::2:3"))).is_none());
        assert!(crowd.enter(Some(address("2001:db8:0:1::1"))).is_some());
        // Nobody is held to a share whose address is not known.
        assert!((0..9).all(|_| crowd.enter(None).is_some()));
    }

    #[test]
    fn who_begins_often_leaves_room_for_others() {
        let time = TimeSource::manual();
        let mut allowances = Allowances::new(12, 4, &time);
        let begins = |allowances: &mut Allowances, who| {
            (0..20)
                .filter(|_| allowances.take(Some(address(who))))
                .count()
        };
        assert_eq!(begins(&mut allowances, "10.0.0.1"), 4);
        assert_eq!(begins(&mut allowances, "10.0.0.2"), 4);
        assert_eq!(begins(&mut allowances, "10.0.0.3"), 4);
        assert_eq!(begins(&mut allowances, "10.0.0.4"), 0);
        // A quarter of a minute fills up a quarter of each allowance, and no time fills up more than all of it.
        time.advance(MINUTE / 4);
        assert_eq!(begins(&mut allowances, "10.0.0.1"), 1);
        assert_eq!(begins(&mut allowances, "10.0.0.4"), 2);
        time.advance(MINUTE * 60);
        let others = ["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"];
        assert_eq!(others.map(|who| begins(&mut allowances, who)), [4, 4, 4, 0]);
    }

    #[test]
    fn the_proxy_names_the_address_last() {
        let mut headers = HeaderMap::new();
        headers.append("x-forwarded-for", "10.0.0.9".parse().unwrap());
        headers.append("x-forwarded-for", "10.0.0.8, 10.0.0.7".parse().unwrap());
        let peer = "127.0.0.1".parse().unwrap();
        let header = AddressSource::Header(HeaderName::from_static("x-forwarded-for"));
        assert_eq!(header.of(peer, &headers), Some(address("10.0.0.7")));
        assert_eq!(header.of(peer, &HeaderMap::new()), None);
        assert_eq!(header.of_connection(peer), None);
        assert_eq!(
            AddressSource::Peer.of(peer, &headers),
            Some(address("127.0.0.1"))
        );
        assert_eq!(AddressSource::Unknown.of(peer, &headers), None);
    }
}
