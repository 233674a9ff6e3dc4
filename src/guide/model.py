"""A language model in a seat: any endpoint that speaks the OpenAI format. Arguments: its name
and, if you like, the price of a million tokens in and out in US dollars."""
import hashlib, http.client, json, os, re, sys, time, urllib.error, urllib.request
from concurrent.futures import ThreadPoolExecutor
from email.utils import parsedate_to_datetime

URL = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1") + "/chat/completions"
HEADERS = {"Content-Type": "application/json",
           "Authorization": "Bearer " + os.environ.get("OPENAI_API_KEY", "")}
MODEL, PRICES = sys.argv[1], [float(price) for price in sys.argv[2:4]] or [0, 0]
PASSING = {408, 409, 425, 429, *range(500, 600)}  # temporary errors: try again
MOST = 1 << 24  # maximum bytes of an answer

class Fault(Exception):
    """A failed request: the kind of the error, the reason, the pause in milliseconds."""

def say(type, **message):
    line = json.dumps({"type": type, **message}, ensure_ascii=False) + "\n"
    sys.stdout.buffer.write(line.encode(errors="replace"))
    sys.stdout.buffer.flush()

def words(body):
    """Returns a provider's error message: that of its JSON, or the text of its page."""
    text = body.decode(errors="replace")
    try:
        said = json.loads(text)
        said = said.get("error", said) if isinstance(said, dict) else said
        said = said.get("message", said) if isinstance(said, dict) else said
        text = said if isinstance(said, str) else json.dumps(said)
    except ValueError:
        text = re.sub(r"(?s)<(script|style).*?</\1>|<[^>]*>", " ", text)
    return " ".join(text.split())[:200] or "an empty answer"

def pause(headers):
    """Returns the milliseconds to the next try. `Retry-After` is a number of seconds or a date."""
    said = headers.get("Retry-After") or "1"
    try:
        seconds = float(said)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(said).timestamp() - time.time()
        except (ValueError, TypeError):
            seconds = 1
    return int(1000 * min(max(seconds, 0), 3600)) if seconds == seconds else 1000

def ask(act, wrong):
    """Returns the provider's answer, the model's message in it, and a digest of the request."""
    text = act["text"] + (f"\n\nYour last reply was not legal: {wrong}" if wrong else "")
    schema = {"name": "reply", "strict": True, "schema": act["legal"]}
    body = json.dumps({
        "model": MODEL, "temperature": 0, "messages": [{"role": "user", "content": text}],
        "response_format": {"type": "json_schema", "json_schema": schema}}).encode()
    request = urllib.request.Request(URL, body, HEADERS)
    try:
        with urllib.request.urlopen(request, timeout=300) as response:
            said, wait = response.read(MOST), pause(response.headers)
    except urllib.error.HTTPError as error:
        kind = "transient" if error.code in PASSING else "infrastructure"
        why = f"HTTP {error.code}: {words(error.read(MOST))}"
        raise Fault(kind, why, pause(error.headers)) from None
    return *message_of(said, wait), hashlib.sha256(body).hexdigest()[:16]

def message_of(body, wait):
    """Returns the answer and its message. Other content with status 200 is the provider's fault."""
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        raise Fault("transient", f"no JSON: {words(body)}", wait) from None
    fields = answer if isinstance(answer, dict) else {}
    choices = fields.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    choice = choice if isinstance(choice, dict) else {}
    error = fields.get("error") or choice.get("error")
    code = str(error.get("code")) if isinstance(error, dict) else ""
    if code.isdecimal() and int(code) not in PASSING:
        raise Fault("infrastructure", words(body), wait)
    if error or not isinstance(choice.get("message"), dict):
        raise Fault("transient", f"no answer of the model: {words(body)}", wait)
    return answer, choice["message"]

def texts(message):
    """Returns the text and the refusal of a message. Its content is a text or a list of parts."""
    content, refusal = message.get("content") or "", message.get("refusal") or ""
    if isinstance(content, list):
        parts = [part if isinstance(part, dict) else {"text": part} for part in content]
        refusal = refusal or "".join(str(part.get("refusal") or "") for part in parts)
        content = "".join(str(part.get("text") or "") for part in parts)
    return str(content), str(refusal)

def reply_in(text, legal):
    """Returns the last JSON object with a field of a reply. It may be in a fenced block or
    inside other text. Returns an answer without such an object unchanged: the program refuses
    it, and the model gets the reason."""
    found, at = text, text.find("{")
    while at >= 0:
        try:
            value, end = json.JSONDecoder(parse_constant=str).raw_decode(text, at)
            if value.keys() & legal.get("properties", value).keys():
                found, at = value, end - 1
        except (ValueError, RecursionError):
            pass
        at = text.find("{", at + 1)
    return found

def count(usage, *names):
    """Returns a number of tokens by its path; 0 if the provider does not report it."""
    for name in names:
        usage = usage.get(name) if isinstance(usage, dict) else None
    return min(usage, 10**12) if isinstance(usage, int) and usage > 0 else 0

def tokens(usage):
    """Returns the input and output tokens. Some providers count reasoning only in the total or
    not at all; it is billed as output anyway."""
    prompt, answer = count(usage, "prompt_tokens"), count(usage, "completion_tokens")
    reasoning = max(count(usage, "reasoning_tokens"),
                    count(usage, "completion_tokens_details", "reasoning_tokens"))
    apart = answer + reasoning if reasoning > answer else answer
    return [prompt, max(count(usage, "total_tokens") - prompt, apart)]

def cost_of(answer, digest):
    used, snapshot = tokens(answer.get("usage")), answer.get("model")
    usd = sum(count * price for count, price in zip(used, PRICES)) / 1e6
    return {"calls": 1, "tokens_in": used[0], "tokens_out": used[1], "usd": f"{usd:.9f}",
            "model": MODEL, "snapshot": str(snapshot)[:200] if snapshot else None,
            "temperature": "0", "prompt_digest": digest}

def play(act, wrong=None):
    where = {"debate": act["debate"], "id": act["id"]}
    try:
        answer, message, digest = ask(act, wrong)
        cost, (text, refusal) = cost_of(answer, digest), texts(message)
        if refusal:
            return say("error", kind="model_refusal", why=refusal[:2000], cost=cost, **where)
        say("reply", reply=reply_in(text, act["legal"]), cost=cost, **where)
    except Fault as fault:
        kind, why, wait = fault.args
        say("error", kind=kind, why=why, retry_after_ms=wait, **where)
    except (OSError, http.client.HTTPException) as error:
        say("error", kind="transient", why=str(error) or type(error).__name__, **where)
    except Exception as error:  # an error of this script must not lose a debate
        say("error", kind="infrastructure", why=f"{type(error).__name__}: {error}", **where)

acts, pool = {}, ThreadPoolExecutor(8)
for line in sys.stdin:
    said = json.loads(line)
    if said["type"] == "hello":
        say("hello", name=MODEL, version="1.0", max_parallel=8)
    elif said["type"] == "act":
        acts[said["id"]] = said
        pool.submit(play, said)
    elif said["type"] == "illegal":
        pool.submit(play, acts[said["id"]], said["why"])
    elif said["type"] == "ping":
        say("pong")
