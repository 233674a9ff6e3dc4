//! Sends a request to a language model's provider over HTTP, and reads the answer.

use std::io::{BufRead as _, BufReader, Read};
use std::time::{Duration, Instant, SystemTime};

use serde_json::Value;
use serde_json::value::RawValue;

use super::answer::{ModelAnswer, provider_error_text};
use super::recording::{RecordedHttpExchange, RecordedHttpExchangeCounter, TeeReader};
use super::without_key;
use debate_host::engine::{HttpRecording, ModelApi};

/// Maximum size of a provider's answer, in bytes.
const MAX_ANSWER: u64 = 16 << 20;
/// Maximum number of bytes that are read of the body of an error response.
const MAX_ERROR: u64 = 1 << 16;
/// Maximum time to open a connection to the provider.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum wait before a repeated request that a provider may ask for.
const MAX_WAIT: Duration = Duration::from_secs(3600);

/// The error message for a provider that did not answer within the time limit.
const LATE: &str = "the model's provider sent no complete answer in time";

/// The reason why a request to the provider has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ProviderRequestFault {
    /// A temporary fault: the same request may succeed later.
    Transient {
        why: String,
        /// The wait before the next request that the provider asks for; `None` if it asks for none.
        after: Option<Duration>,
    },
    /// The provider refuses the form of the request.
    BadRequest(String),
    /// A permanent fault: the same request would fail again.
    Final(String),
    /// The request was cancelled, because its answer is no longer wanted.
    Stopped,
}

impl ProviderRequestFault {
    fn transient(why: impl Into<String>) -> Self {
        let why = why.into();
        Self::Transient { why, after: None }
    }
}

/// Sends requests to one address.
pub(super) struct HttpClient {
    agent: ureq::Agent,
    pub(super) url: String,
    api: ModelApi,
    pub(super) recording: Option<HttpRecording>,
}

/// A request to a provider.
pub(super) struct ProviderRequest<'r> {
    pub body: &'r str,
    pub key: Option<&'r str>,
    /// The time within which the provider's answer must be complete.
    pub time_limit: Option<Duration>,
    /// The debate's recorded HTTP exchanges, if they are recorded or replayed.
    pub exchanges: &'r RecordedHttpExchangeCounter,
}

/// An HTTP response whose body is not read yet.
struct HttpResponse<R> {
    status: u16,
    retry_after: Option<String>,
    location: Option<String>,
    body: R,
}

impl HttpClient {
    pub(super) fn new(url: &str, api: ModelApi, recording: Option<HttpRecording>) -> Self {
        // A redirect could send the key elsewhere.
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_connect(Some(CONNECT_TIMEOUT))
            .user_agent(concat!("debate-tui/", env!("CARGO_PKG_VERSION")))
            .build();
        Self {
            agent: config.into(),
            url: url.to_owned(),
            api,
            recording,
        }
    }

    /// Sends a request, or finds its recorded response if exchanges are replayed, and reads the answer. If exchanges
    /// are recorded, stores this one in its file, unless it is incomplete or late. While the model writes, calls
    /// `on_words` with the words so far. `on_words` returns false to cancel the request.
    pub(super) fn ask(
        &self,
        request: &ProviderRequest<'_>,
        on_words: &mut dyn FnMut(&str) -> bool,
    ) -> Result<ModelAnswer, ProviderRequestFault> {
        if let Some(HttpRecording::Replay(folder)) = &self.recording {
            let id = request
                .exchanges
                .next_exchange_id(folder, &self.url, request.body);
            let exchange = request
                .exchanges
                .read(&id)
                .map_err(ProviderRequestFault::Final)?;
            let mut response = HttpResponse {
                status: exchange.status,
                // The wait of the recorded run is over.
                retry_after: Some("0".to_owned()),
                location: exchange.location,
                body: exchange.response.as_bytes(),
            };
            return response.read(on_words, &|| false);
        }
        let begun = Instant::now();
        let is_late = || request.time_limit.is_some_and(|it| begun.elapsed() >= it);
        let mut response = self.send(request).map_err(|fault| match fault {
            ProviderRequestFault::Transient { .. } if is_late() => {
                ProviderRequestFault::transient(LATE)
            }
            fault => fault,
        })?;
        let Some(HttpRecording::Record(folder)) = &self.recording else {
            return response.read(on_words, &is_late);
        };
        let mut copied = HttpResponse {
            status: response.status,
            retry_after: response.retry_after,
            location: response.location,
            body: TeeReader::new(&mut response.body),
        };
        let answer = copied.read(on_words, &is_late);
        // An exchange that broke off, was too late or was cancelled is not recorded, because it could not be replayed.
        let is_whole =
            !copied.body.has_failed && !is_late() && answer != Err(ProviderRequestFault::Stopped);
        if is_whole && copied.body.copy.len() as u64 <= MAX_ANSWER {
            let id = request
                .exchanges
                .next_exchange_id(folder, &self.url, request.body);
            let recorded = self.exchange(request, &copied);
            let recorded = recorded.and_then(|exchange| request.exchanges.write(&id, exchange));
            recorded.map_err(ProviderRequestFault::Final)?;
        }
        answer
    }

    /// Returns a request and its response in the form in which they are recorded, without the API key.
    fn exchange<R>(
        &self,
        request: &ProviderRequest<'_>,
        response: &HttpResponse<TeeReader<R>>,
    ) -> Result<RecordedHttpExchange, String> {
        let hide = |text: &str| without_key(text, request.key);
        Ok(RecordedHttpExchange {
            url: hide(&self.url),
            seed: String::new(),
            number: 0,
            request: RawValue::from_string(request.body.to_owned())
                .map_err(|error| error.to_string())?,
            status: response.status,
            retry_after: response.retry_after.clone(),
            location: response.location.as_deref().map(hide),
            response: hide(&String::from_utf8_lossy(&response.body.copy)),
        })
    }

    fn send(
        &self,
        request: &ProviderRequest<'_>,
    ) -> Result<HttpResponse<impl Read>, ProviderRequestFault> {
        let post = self
            .agent
            .post(&self.url)
            .config()
            .timeout_global(request.time_limit)
            .build();
        let mut post = post.content_type("application/json");
        if self.api == ModelApi::Anthropic {
            post = post.header("anthropic-version", "2023-06-01");
        }
        if let Some(key) = request.key {
            post = match self.api {
                ModelApi::OpenAi => post.header("Authorization", format!("Bearer {key}")),
                ModelApi::Anthropic => post.header("x-api-key", key),
            };
        }
        let response = post
            .send(request.body.as_bytes())
            .map_err(|error| ProviderRequestFault::transient(error.to_string()))?;
        let header = |name: &str| Some(response.headers().get(name)?.to_str().ok()?.to_owned());
        Ok(HttpResponse {
            status: response.status().as_u16(),
            retry_after: header("retry-after"),
            location: header("location"),
            body: response.into_body().into_reader(),
        })
    }
}

impl<R: Read> HttpResponse<R> {
    /// Reads the model's answer from the HTTP response, or the provider's fault.
    fn read(
        &mut self,
        on_words: &mut dyn FnMut(&str) -> bool,
        is_late: &dyn Fn() -> bool,
    ) -> Result<ModelAnswer, ProviderRequestFault> {
        let status = self.status;
        let mut is_wanted = |words: &str| on_words(words) && !is_late();
        let after = self.retry_after.as_deref();
        let after = after.and_then(|text| wait(text, SystemTime::now()));
        if status == 200 {
            return read_answer(&mut self.body, &mut is_wanted).map_err(|fault| match fault {
                // After the time limit, every such fault is reported as late: the connection may end before `is_late`
                // is checked.
                ProviderRequestFault::Stopped | ProviderRequestFault::Transient { .. }
                    if is_late() =>
                {
                    ProviderRequestFault::transient(LATE)
                }
                ProviderRequestFault::Transient { why, after: None } => {
                    ProviderRequestFault::Transient { why, after }
                }
                other => other,
            });
        }
        let mut page = Vec::new();
        // A page that breaks off still has words.
        let _ = (&mut self.body).take(MAX_ERROR).read_to_end(&mut page);
        let location = self.location.as_ref();
        let words = location
            .filter(|_| (300..400).contains(&status))
            .map_or_else(
                || provider_error_text(&page),
                |url| format!("it redirects to {url}"),
            );
        let why = format!("HTTP {status}: {words}");
        Err(if is_transient(status) {
            ProviderRequestFault::Transient { why, after }
        } else if matches!(status, 400 | 422) {
            ProviderRequestFault::BadRequest(why)
        } else {
            ProviderRequestFault::Final(why)
        })
    }
}

/// True if a request that failed with this HTTP status may succeed later.
fn is_transient(status: u16) -> bool {
    matches!(status, 408 | 409 | 425 | 429 | 500..=599)
}

/// Returns the wait that the HTTP header `Retry-After` asks for, at most an hour. The header is a number of seconds or
/// a date; otherwise `None`.
fn wait(text: &str, now: SystemTime) -> Option<Duration> {
    let text = text.trim();
    if let Ok(seconds) = text.parse::<f64>() {
        let wait = Duration::try_from_secs_f64(seconds.max(0.0)).ok()?;
        return Some(wait.min(MAX_WAIT));
    }
    let date = httpdate::parse_http_date(text).ok()?;
    Some(date.duration_since(now).unwrap_or_default().min(MAX_WAIT))
}

/// Reads an answer with HTTP status 200: a JSON document, or a stream of events.
fn read_answer(
    reader: impl Read,
    on_words: &mut dyn FnMut(&str) -> bool,
) -> Result<ModelAnswer, ProviderRequestFault> {
    let mut reader = BufReader::new(reader.take(MAX_ANSWER + 1));
    let mut answer = ModelAnswer::default();
    // Lines that are no events: the document itself, or the page of an error.
    let mut document = Vec::new();
    let mut read = 0;
    let mut is_stream = false;
    loop {
        let mut line = Vec::new();
        let end = reader.read_until(b'\n', &mut line);
        read += line.len() as u64;
        if read > MAX_ANSWER {
            let why = format!("the provider's response is larger than {MAX_ANSWER} bytes");
            return Err(ProviderRequestFault::transient(why));
        }
        let data = line.strip_prefix(b"data:").map(<[u8]>::trim_ascii);
        match data {
            Some(b"[DONE]") => answer.is_complete = true,
            Some(data) => {
                is_stream = true;
                add(&mut answer, data)?;
                if !on_words(&answer.text) {
                    return Err(ProviderRequestFault::Stopped);
                }
            }
            None if !is_stream => document.extend_from_slice(&line),
            None => {}
        }
        match end {
            Ok(0) => break,
            Ok(_) => {}
            Err(error) if document.is_empty() => {
                return Err(ProviderRequestFault::transient(error.to_string()));
            }
            // The words of a document that breaks off say more than the error.
            Err(_) => break,
        }
    }
    if !is_stream {
        add(&mut answer, &document)?;
    }
    if !answer.has_message {
        let provider_error = provider_error_text(&document);
        return Err(ProviderRequestFault::transient(format!(
            "the provider's response has no answer of the model: {provider_error}"
        )));
    }
    if !answer.is_complete {
        return Err(ProviderRequestFault::transient(
            "the model's answer is incomplete",
        ));
    }
    Ok(answer)
}

/// Adds a JSON document, or an event of a stream, to an answer.
fn add(answer: &mut ModelAnswer, data: &[u8]) -> Result<(), ProviderRequestFault> {
    let Ok(value) = serde_json::from_slice::<Value>(data) else {
        let words = provider_error_text(data);
        return Err(ProviderRequestFault::transient(format!("no JSON: {words}")));
    };
    answer
        .add_answer_json(&value)
        .map_err(|error| match error.status {
            Some(status) if !is_transient(status) => ProviderRequestFault::Final(error.words),
            _ => ProviderRequestFault::transient(error.words),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_a_number_of_seconds_or_a_date() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
        for (text, seconds) in [
            ("2", Some(2.0)),
            ("0.5", Some(0.5)),
            ("-1", Some(0.0)),
            ("1e9", Some(3600.0)),
            ("Sun, 06 Nov 1994 08:49:47 GMT", Some(10.0)),
            ("Sun, 06 Nov 1994 08:49:27 GMT", Some(0.0)),
            ("soon", None),
            ("NaN", Some(0.0)),
        ] {
            let wait = wait(text, now).map(|wait| wait.as_secs_f64());
            assert_eq!(wait, seconds, "{text}");
        }
    }

    fn read(body: &str) -> Result<ModelAnswer, ProviderRequestFault> {
        read_answer(body.as_bytes(), &mut |_| true)
    }

    #[test]
    fn a_stream_and_a_document_give_the_same_answer() {
        let document = r#"{"choices": [{"message": {"content": "yes"}}]}"#;
        let stream = "event: x\ndata: {\"choices\": [{\"delta\": {\"content\": \"ye\"}}]}\n\n\
                      data: {\"choices\": [{\"delta\": {\"content\": \"s\"}}]}\n\ndata: [DONE]\n\n";
        assert_eq!(read(document).unwrap(), read(stream).unwrap());
        let mut seen = Vec::new();
        let stopped = read_answer(stream.as_bytes(), &mut |words| {
            seen.push(words.to_owned());
            seen.len() < 2
        });
        assert_eq!(
            (seen, stopped),
            (
                vec!["ye".to_owned(), "yes".to_owned()],
                Err(ProviderRequestFault::Stopped)
            )
        );
    }

    #[test]
    fn an_incomplete_answer_is_a_fault_of_the_provider() {
        for (body, wanted) in [
            ("", "no JSON: an empty answer"),
            ("{\"choices\": [", "no JSON: {\"choices\": ["),
            (
                "{\"choices\": []}",
                "no answer of the model: {\"choices\":[]}",
            ),
            ("<p>gone</p>", "no JSON: gone"),
            (
                "data: {\"choices\": [{\"delta\": {\"content\": \"ye\"}}]}\n",
                "is incomplete",
            ),
            ("data: nothing\n", "no JSON: nothing"),
            (
                "{\"error\": {\"message\": \"slow\", \"code\": \"503\"}}",
                "slow",
            ),
        ] {
            let Err(ProviderRequestFault::Transient { why, .. }) = read(body) else {
                panic!("{body}");
            };
            assert!(why.contains(wanted), "{body}: {why}");
        }
        let broke = read("{\"error\": {\"message\": \"no credit\", \"code\": 402}}");
        assert_eq!(
            broke,
            Err(ProviderRequestFault::Final("no credit".to_owned()))
        );
        let long = "x".repeat(17 << 20);
        assert!(
            matches!(read(&long), Err(ProviderRequestFault::Transient { why, .. }) if why.contains("larger"))
        );
    }
}
