//! The client of a language model that plays a seat. The host starts this program as `engine model NAME`, and the
//! client asks the provider for the model's replies.
//!
//! It speaks the messages of an engine on stdin and stdout ([`debate_host::engine`]). For each request it asks the
//! provider, finds the reply in the model's words and states the cost. A fault of the provider is never an illegal
//! reply: it is reported as transient or final, and the host decides how often it asks again.

mod answer;
mod http;
mod prompts;
mod recording;
mod request;

use std::collections::HashMap;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rand::RngExt as _;
use serde::Deserialize;
use serde_json::{Value, json};

use answer::{ModelAnswer, extract_reply_json};
use debate_core::digest::Digest;
use debate_host::engine::{HttpRecording, ModelAddress, options_of_every_model_player};
use http::{HttpClient, ProviderRequest, ProviderRequestFault};
use recording::RecordedHttpExchangeCounter;
use request::{ModelOptions, ModelPrompt, ModelRequestFeatures, request_body};

/// The maximum number of concurrent requests to the provider.
const MAX_PARALLEL: u32 = 8;
/// The shortest interval between two reports of the words that the model has written so far.
const REPORT_INTERVAL: Duration = Duration::from_millis(200);
/// The number of characters of the model's latest words that are shown while it thinks. They fit into a line of the
/// screen.
const REPORTED: usize = 50;
/// The first wait before a request is repeated after a transient fault, if the provider asks for no wait.
const FIRST_WAIT: Duration = Duration::from_millis(500);
/// The longest wait before a request is repeated, if the provider asks for no wait.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// A message of the host.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum HostMessage {
    Hello,
    New {
        debate: String,
        protocol: String,
        seat: String,
        #[serde(default)]
        seed: String,
        #[serde(default)]
        options: ModelOptions,
    },
    Act(Act),
    Illegal {
        debate: String,
        id: u64,
        why: String,
    },
    Stop {
        debate: String,
        id: u64,
    },
    End {
        debate: String,
    },
    Ping,
    Bye,
    #[serde(other)]
    Unknown,
}

/// A request of the host.
#[derive(Clone, Debug, Deserialize)]
struct Act {
    debate: String,
    id: u64,
    #[serde(default)]
    text: String,
    /// The JSON Schema of a legal reply.
    legal: Value,
    /// The time after which the host stops waiting for the reply, in milliseconds.
    #[serde(default)]
    deadline_ms: Option<u64>,
}

impl Act {
    /// Returns the longest time for the provider's answer; `None` if the host sets no limit. It is shorter than the
    /// host's limit: a provider that is too slow must be reported as its fault before the host blames the player.
    fn time_limit(&self) -> Option<Duration> {
        self.deadline_ms
            .map(|host| Duration::from_millis(host / 10 * 9))
    }
}

/// A debate in which the model plays.
struct ModelDebate {
    options: ModelOptions,
    /// The system prompt of the model, or the reason why there is none.
    system: Result<String, String>,
    exchanges: RecordedHttpExchangeCounter,
    /// The number of transient faults since the provider's last successful answer.
    faults: AtomicU32,
    /// The last request of the host, with the flag that cancels it. The request is asked again if the host refuses the
    /// reply as illegal.
    last: Mutex<Option<(Act, Arc<AtomicBool>)>>,
}

/// The client of one language model.
struct Client {
    address: ModelAddress,
    http: HttpClient,
    /// The optional features of requests that the provider has not refused so far.
    features: Mutex<ModelRequestFeatures>,
    output: Mutex<Box<dyn Write + Send>>,
}

fn locked<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs the client of a language model until the host's input ends or the host sends `bye`.
///
/// # Errors
/// If the name is no address of a model, or the input cannot be read. The error is the end of a sentence.
pub fn play_as_engine(
    name: &str,
    recording: Option<HttpRecording>,
    input: impl BufRead,
    output: Box<dyn Write + Send>,
) -> Result<(), String> {
    let address = ModelAddress::parse(name, variable)?;
    let client = Arc::new(Client {
        http: HttpClient::new(&address.url, address.api, recording),
        address,
        features: Mutex::new(ModelRequestFeatures::ALL),
        output: Mutex::new(output),
    });
    let mut debates: HashMap<String, Arc<ModelDebate>> = HashMap::new();
    for line in input.lines() {
        let line =
            line.map_err(|error| format!("the messages on stdin cannot be read: {error}"))?;
        // The host may be newer, so an unknown message is not an error.
        let Ok(message) = serde_json::from_str(&line) else {
            continue;
        };
        match message {
            HostMessage::Hello => client.say(&json!({
                "type": "hello",
                "name": client.address.model,
                "version": env!("CARGO_PKG_VERSION"),
                "max_parallel": MAX_PARALLEL,
                "options": options_of_every_model_player(),
            })),
            HostMessage::New {
                debate,
                protocol,
                seat,
                seed,
                options,
            } => {
                let system = prompts::system_prompt(&options.prompts, &protocol, &seat);
                let started = ModelDebate {
                    options,
                    system,
                    exchanges: RecordedHttpExchangeCounter::exchange_counter_for_seed(seed),
                    faults: AtomicU32::new(0),
                    last: Mutex::default(),
                };
                debates.insert(debate, Arc::new(started));
            }
            HostMessage::Act(act) => {
                if let Some(debate) = debates.get(&act.debate) {
                    let stopped = Arc::<AtomicBool>::default();
                    *locked(&debate.last) = Some((act.clone(), Arc::clone(&stopped)));
                    client.answer_on_thread(debate, act, None, stopped);
                }
            }
            HostMessage::Illegal { debate, id, why } => {
                if let Some(debate) = debates.get(&debate)
                    && let Some((act, stopped)) = locked(&debate.last).clone()
                    && act.id == id
                {
                    client.answer_on_thread(debate, act, Some(why), stopped);
                }
            }
            HostMessage::Stop { debate, id } => {
                if let Some(debate) = debates.get(&debate)
                    && let Some((act, stopped)) = &*locked(&debate.last)
                    && act.id == id
                {
                    stopped.store(true, Ordering::Relaxed);
                }
            }
            HostMessage::End { debate } => {
                debates.remove(&debate);
            }
            HostMessage::Ping => client.say(&json!({"type": "pong"})),
            HostMessage::Bye => break,
            HostMessage::Unknown => {}
        }
    }
    Ok(())
}

/// Writes the bundled prompts to new files in a folder. Returns the paths.
///
/// # Errors
/// If a file exists or cannot be written. The error is a sentence.
pub fn export_prompts(folder: &Path) -> Result<Vec<PathBuf>, String> {
    prompts::export_prompts(folder)
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

impl Client {
    /// Writes a message to the host on the output stream.
    fn say(&self, message: &Value) {
        let mut output = locked(&self.output);
        // If the host is gone, the input ends too, and with it this program.
        let _ = writeln!(output, "{message}").and_then(|()| output.flush());
    }

    /// Answers the host's request on a new thread, so that other debates and messages do not wait.
    fn answer_on_thread(
        self: &Arc<Self>,
        debate: &Arc<ModelDebate>,
        act: Act,
        wrong: Option<String>,
        stopped: Arc<AtomicBool>,
    ) {
        let (client, debate) = (Arc::clone(self), Arc::clone(debate));
        let place = json!({"debate": act.debate, "id": act.id});
        let work = move || client.answer(&debate, &act, wrong.as_deref(), &stopped);
        if let Err(error) = std::thread::Builder::new()
            .name("model".to_owned())
            .spawn(work)
        {
            let why = format!("the system cannot start a thread: {error}");
            self.say_of(
                &place,
                json!({"type": "error", "kind": "infrastructure", "why": why}),
            );
        }
    }

    /// Writes a message to the host, with the fields `debate` and `id` of the request that it answers, which `place`
    /// contains.
    fn say_of(&self, place: &Value, mut message: Value) {
        if let (Some(fields), Some(place)) = (message.as_object_mut(), place.as_object()) {
            fields.extend(place.clone());
        }
        self.say(&message);
    }

    /// Asks the provider for a reply and writes it to the host, or the reason why there is none. Writes nothing if the
    /// host cancelled the request.
    fn answer(&self, debate: &ModelDebate, act: &Act, wrong: Option<&str>, stopped: &AtomicBool) {
        let place = json!({"debate": act.debate, "id": act.id});
        let key = self.key(&debate.options);
        let asked = match &debate.system {
            Ok(system) => self.ask(debate, system, act, wrong, stopped, key.as_deref()),
            Err(why) => Err(ProviderRequestFault::Final(why.clone())),
        };
        let message = match asked {
            Ok((answer, cost)) => {
                debate.faults.store(0, Ordering::Relaxed);
                if answer.refusal.is_empty() {
                    let reply = extract_reply_json(&answer.text, &act.legal);
                    json!({"type": "reply", "reply": reply, "cost": cost})
                } else {
                    let why = &answer.refusal;
                    json!({"type": "error", "kind": "model_refusal", "why": why, "cost": cost})
                }
            }
            Err(ProviderRequestFault::Stopped) => return,
            Err(ProviderRequestFault::Transient { why, after }) => {
                let faults = debate.faults.fetch_add(1, Ordering::Relaxed);
                let wait = after.unwrap_or_else(|| wait_after(faults, rand::rng().random()));
                let wait = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
                let why = without_key(&why, key.as_deref());
                json!({"type": "error", "kind": "transient", "why": why, "retry_after_ms": wait})
            }
            Err(ProviderRequestFault::BadRequest(why) | ProviderRequestFault::Final(why)) => {
                let why = without_key(&why, key.as_deref());
                json!({"type": "error", "kind": "infrastructure", "why": why, "final": true})
            }
        };
        if stopped.load(Ordering::Relaxed) {
            return;
        }
        self.say_of(&place, message);
    }

    /// Returns the provider's API key from the environment; `None` if the variable is missing or empty.
    fn key(&self, options: &ModelOptions) -> Option<String> {
        let chosen = Some(options.key.as_str()).filter(|name| !name.is_empty());
        let name = chosen.or(self.address.key_variable)?;
        variable(name).filter(|key| !key.is_empty())
    }

    /// Sends a request to the provider. If the provider refuses an optional feature, repeats the request without it.
    /// Returns the answer and its cost.
    fn ask(
        &self,
        debate: &ModelDebate,
        system: &str,
        act: &Act,
        wrong: Option<&str>,
        stopped: &AtomicBool,
        key: Option<&str>,
    ) -> Result<(ModelAnswer, Value), ProviderRequestFault> {
        let ModelAddress { api, model, .. } = &self.address;
        let prompt = ModelPrompt {
            system,
            text: &act.text,
            legal: &act.legal,
            wrong,
        };
        let place = json!({"debate": act.debate, "id": act.id});
        let body_with =
            |features| request_body(*api, model, &prompt, &debate.options, features).to_string();
        let mut features = *locked(&self.features);
        // The recorded run may have learned in another order which features the provider refuses.
        if let Some(HttpRecording::Replay(folder)) = &self.http.recording {
            let is_recorded = |features: &ModelRequestFeatures| {
                let body = body_with(*features);
                let id = debate
                    .exchanges
                    .next_exchange_id(folder, &self.http.url, &body);
                id.is_exchange_recorded()
            };
            let all = ModelRequestFeatures::all_feature_combinations();
            features = all.into_iter().find(is_recorded).unwrap_or(features);
        }
        loop {
            let body = body_with(features);
            let mut reported: Option<Instant> = None;
            let mut on_words = |words: &str| {
                let is_due = reported.is_none_or(|last| last.elapsed() >= REPORT_INTERVAL);
                if is_due && !words.trim().is_empty() {
                    reported = Some(Instant::now());
                    let text = end_in_one_line(words);
                    self.say_of(&place, json!({"type": "info", "text": text}));
                }
                !stopped.load(Ordering::Relaxed)
            };
            let request = ProviderRequest {
                body: &body,
                key,
                time_limit: act.time_limit(),
                exchanges: &debate.exchanges,
            };
            match self.http.ask(&request, &mut on_words) {
                Err(ProviderRequestFault::BadRequest(why)) => {
                    let fewer = features.without_refused_feature(&why);
                    features = fewer.ok_or(ProviderRequestFault::BadRequest(why))?;
                }
                Err(fault) => return Err(fault),
                Ok(answer) => {
                    *locked(&self.features) = features;
                    let cost = self.cost(&answer, debate, features, &body);
                    return Ok((answer, cost));
                }
            }
        }
    }

    /// Returns the cost of an answer, as the JSON fields of a message to the host.
    fn cost(
        &self,
        answer: &ModelAnswer,
        debate: &ModelDebate,
        features: ModelRequestFeatures,
        body: &str,
    ) -> Value {
        let ModelDebate {
            options, system, ..
        } = debate;
        let [read, written] = answer.input_and_output_tokens();
        let digest = |text: &str| {
            Digest::digest_of_bytes(text.as_bytes())
                .to_string()
                .get(..16)
                .map(str::to_owned)
        };
        #[expect(
            clippy::cast_precision_loss,
            reason = "a count above 2^53 tokens loses precision here, which is acceptable for a price"
        )]
        let usd = (read as f64 * options.price_in + written as f64 * options.price_out) / 1e6;
        let temperature = features
            .temperature
            .then(|| options.temperature.to_string());
        json!({
            "calls": 1,
            "tokens_in": read,
            "tokens_out": written,
            "usd": format!("{usd:.9}"),
            "model": self.address.model,
            "snapshot": answer.snapshot,
            "temperature": temperature,
            "prompt_digest": digest(body),
            "prompt_version": system.as_deref().ok().and_then(digest),
        })
    }
}

/// Returns the wait after a transient fault that follows `faults` other faults in a row. The wait doubles with each
/// fault, up to [`LONGEST_WAIT`]. `jitter`, from 0 to 1, scales it by 1/2 to 1, so that debates which failed together
/// do not retry together.
fn wait_after(faults: u32, jitter: f64) -> Duration {
    let doubled = FIRST_WAIT.saturating_mul(1 << faults.min(10));
    doubled
        .min(LONGEST_WAIT)
        .mul_f64(0.5 + jitter.clamp(0.0, 1.0) / 2.0)
}

/// Replaces the API key in a text, because a provider may repeat the key in an error.
fn without_key(text: &str, key: Option<&str>) -> String {
    match key {
        Some(key) => text.replace(key, "[key]"),
        None => text.to_owned(),
    }
}

/// Returns the end of a model's words in one line, with single spaces between them.
fn end_in_one_line(words: &str) -> String {
    let end = last_characters(words, 4 * REPORTED).split_whitespace();
    let line = end.collect::<Vec<_>>().join(" ");
    last_characters(&line, REPORTED).to_owned()
}

fn last_characters(text: &str, count: usize) -> &str {
    let first = text.char_indices().rev().nth(count.saturating_sub(1));
    let start = first.map_or(0, |(at, _)| at);
    text.split_at_checked(start).map_or("", |(_, end)| end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_doubles_up_to_a_minute() {
        let waits = [0, 1, 2, 20].map(|faults| wait_after(faults, 1.0).as_millis());
        assert_eq!(waits, [500, 1000, 2000, 60_000]);
        assert_eq!(wait_after(0, 0.0).as_millis(), 250);
    }

    #[test]
    fn the_key_is_not_repeated() {
        assert_eq!(
            without_key("bad key s3cret", Some("s3cret")),
            "bad key [key]"
        );
    }

    #[test]
    fn the_end_of_a_text_has_whole_characters() {
        assert_eq!(last_characters("aéb", 2), "éb");
        assert_eq!(last_characters("ab", 5), "ab");
        let words = format!("{{\n  \"speech\": \"{} the end", "so ".repeat(100));
        let line = end_in_one_line(&words);
        assert!(
            line.ends_with(" so the end") && line.chars().count() == REPORTED,
            "{line}"
        );
    }
}
