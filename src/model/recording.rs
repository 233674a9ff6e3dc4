//! Recorded HTTP exchanges with a language model's provider. Each exchange is a file, named by a digest of the request,
//! the seat's seed and the number of earlier equal requests.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::locked;
use debate_core::digest::Digest;
use debate_host::record::write_atomically;

/// Maximum size of a recorded exchange, in bytes.
const MAX_EXCHANGE: u64 = 64 << 20;

/// A request and the provider's response, as they are recorded. No field contains the API key.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename = "Exchange")]
pub(super) struct RecordedHttpExchange {
    pub url: String,
    /// The seed of the seat, which differs between the debates of a match.
    pub seed: String,
    /// The number of earlier exchanges in the same debate that had the same request.
    pub number: u64,
    pub request: Box<RawValue>,
    pub status: u16,
    /// The response headers `Retry-After` and `Location`, if they were sent.
    pub retry_after: Option<String>,
    pub location: Option<String>,
    pub response: String,
}

/// Counts the HTTP exchanges with a language model's provider in one debate, by request. Reads and writes their files.
pub(super) struct RecordedHttpExchangeCounter {
    seed: String,
    /// The number of exchanges so far with each request.
    counts: Mutex<HashMap<Digest, u64>>,
}

/// The identity of a recorded exchange: its request, its number among equal requests, and its file.
pub(super) struct HttpExchangeId {
    request: Digest,
    number: u64,
    path: PathBuf,
}

impl RecordedHttpExchangeCounter {
    pub(super) fn exchange_counter_for_seed(seed: String) -> Self {
        Self {
            seed,
            counts: Mutex::default(),
        }
    }

    /// Returns the identity of the next exchange with this request.
    pub(super) fn next_exchange_id(&self, folder: &Path, url: &str, body: &str) -> HttpExchangeId {
        let request = Digest::digest_of_concatenation([url, "\n", &self.seed, "\n", body]);
        let number = locked(&self.counts)
            .get(&request)
            .copied()
            .unwrap_or_default();
        let name = Digest::digest_of_concatenation([request.to_string(), number.to_string()]);
        let path = folder.join(format!("{name}.json"));
        HttpExchangeId {
            request,
            number,
            path,
        }
    }

    /// Records an HTTP exchange in its file. An error is returned as a phrase that the caller puts at the end of a
    /// sentence.
    pub(super) fn write(
        &self,
        id: &HttpExchangeId,
        exchange: RecordedHttpExchange,
    ) -> Result<(), String> {
        let exchange = RecordedHttpExchange {
            seed: self.seed.clone(),
            number: id.number,
            ..exchange
        };
        let text = serde_json::to_string(&exchange).map_err(|error| error.to_string())?;
        write_atomically(&id.path, text + "\n").map_err(|error| {
            let path = id.path.display();
            format!("the HTTP exchange cannot be recorded in {path}: {error}")
        })?;
        self.count(id);
        Ok(())
    }

    /// Reads a recorded HTTP exchange from its file. An error is returned as a phrase that the caller puts at the end
    /// of a sentence.
    pub(super) fn read(&self, id: &HttpExchangeId) -> Result<RecordedHttpExchange, String> {
        let read = || {
            let mut text = String::new();
            fs::File::open(&id.path)?
                .take(MAX_EXCHANGE)
                .read_to_string(&mut text)?;
            serde_json::from_str(&text).map_err(io::Error::other)
        };
        let path = id.path.display();
        let exchange = read().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => format!(
                "this HTTP request is not recorded: there is no {path}; record the debate with --record-http"
            ),
            _ => format!("the recorded HTTP exchange {path} cannot be read: {error}"),
        })?;
        self.count(id);
        Ok(exchange)
    }

    fn count(&self, id: &HttpExchangeId) {
        locked(&self.counts).insert(id.request, id.number + 1);
    }
}

impl HttpExchangeId {
    /// True if the file of the exchange exists.
    pub(super) fn is_exchange_recorded(&self) -> bool {
        self.path.exists()
    }
}

/// A reader that also stores a copy of the bytes that are read.
pub(super) struct TeeReader<R> {
    pub inner: R,
    pub copy: Vec<u8>,
    /// True once reading has failed.
    pub has_failed: bool,
}

impl<R> TeeReader<R> {
    pub(super) fn new(inner: R) -> Self {
        Self {
            inner,
            copy: Vec::new(),
            has_failed: false,
        }
    }
}

impl<R: Read> Read for TeeReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer);
        match &read {
            Ok(count) => self
                .copy
                .extend_from_slice(buffer.get(..*count).unwrap_or_default()),
            Err(_) => self.has_failed = true,
        }
        read
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_requests_of_a_debate_have_different_files() {
        let folder = tempfile::tempdir().unwrap();
        let exchange = |status| RecordedHttpExchange {
            url: "http://h".to_owned(),
            seed: String::new(),
            number: 0,
            request: RawValue::from_string("{}".to_owned()).unwrap(),
            status,
            retry_after: None,
            location: None,
            response: String::new(),
        };
        let next =
            |of: &RecordedHttpExchangeCounter| of.next_exchange_id(folder.path(), "http://h", "{}");
        let first = RecordedHttpExchangeCounter::exchange_counter_for_seed("1".to_owned());
        first.write(&next(&first), exchange(429)).unwrap();
        first.write(&next(&first), exchange(200)).unwrap();
        let again = RecordedHttpExchangeCounter::exchange_counter_for_seed("1".to_owned());
        assert_eq!(again.read(&next(&again)).unwrap().status, 429);
        assert_eq!(again.read(&next(&again)).unwrap().status, 200);
        let other = RecordedHttpExchangeCounter::exchange_counter_for_seed("2".to_owned());
        let missing = other.read(&next(&other)).unwrap_err();
        assert!(
            missing.contains("this HTTP request is not recorded"),
            "{missing}"
        );
    }
}
