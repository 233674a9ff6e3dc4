"""A language model in a seat: any endpoint that speaks the OpenAI format. Arguments: its name
and, if you like, the price of a million tokens in and out in US dollars."""
import hashlib, json, os, sys, urllib.error, urllib.request
from concurrent.futures import ThreadPoolExecutor

URL = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1") + "/chat/completions"
HEADERS = {"Content-Type": "application/json",
           "Authorization": "Bearer " + os.environ.get("OPENAI_API_KEY", "")}
MODEL, PRICES = sys.argv[1], [float(price) for price in sys.argv[2:4]] or [0, 0]

def say(type, **message):
    print(json.dumps({"type": type, **message}) + "\n", end="", flush=True)

def ask(act, wrong):
    """The model's answer, and a digest of what it was asked."""
    text = act["text"] + (f"\n\nYour last reply was not legal: {wrong}" if wrong else "")
    schema = {"name": "reply", "strict": True, "schema": act["legal"]}
    body = json.dumps({
        "model": MODEL, "temperature": 0, "messages": [{"role": "user", "content": text}],
        "response_format": {"type": "json_schema", "json_schema": schema}}).encode()
    request = urllib.request.Request(URL, body, HEADERS)
    with urllib.request.urlopen(request, timeout=300) as response:
        return json.load(response), hashlib.sha256(body).hexdigest()[:16]

def reply_in(text):
    """The last JSON object of an answer: it may stand in a fenced block or among words. An
    answer without one is returned as it is: it is no reply, and the model is told so."""
    found, at = text, text.find("{")
    while at >= 0:
        try:
            found, at = json.JSONDecoder().raw_decode(text, at)
        except ValueError:
            at += 1
        at = text.find("{", at)
    return found

def play(act, wrong=None):
    where = {"debate": act["debate"], "id": act["id"]}
    try:
        answer, digest = ask(act, wrong)
    except urllib.error.HTTPError as error:  # what may pass is asked again
        passing = error.code in (408, 409, 429) or error.code >= 500
        return say("error", kind="transient" if passing else "infrastructure",
                   why=f"HTTP {error.code}", **where,
                   retry_after_ms=int(float(error.headers.get("Retry-After") or 1) * 1000))
    except OSError as error:
        return say("error", kind="transient", why=str(error), **where)
    [choice], used = answer["choices"], answer.get("usage", {})
    message = choice["message"]
    if message.get("refusal"):
        return say("error", kind="model_refusal", why=message["refusal"], **where)
    tokens = [used.get("prompt_tokens", 0), used.get("completion_tokens", 0)]
    usd = sum(count * price for count, price in zip(tokens, PRICES)) / 1e6
    cost = {"calls": 1, "tokens_in": tokens[0], "tokens_out": tokens[1], "usd": f"{usd:.9f}",
            "model": MODEL, "snapshot": answer.get("model"), "temperature": "0",
            "prompt_digest": digest}
    say("reply", reply=reply_in(message["content"] or ""), cost=cost, **where)

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
