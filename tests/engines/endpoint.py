"""A stand-in for a model provider: takes the OpenAI format and answers with values that match the schema. The model
`refuses` refuses. `overloaded` answers the first try of each request with 429. `fenced` writes a code block inside text,
`wordy` never writes JSON, and `learns` writes JSON only after an error message. `fault-…` answers the first try of each
request with the fault of that name. `listed` returns its content as a list of parts, `empties` writes an empty object
after its reply, and `aside` and `beside` count reasoning tokens separately."""
import http.server
import json
import random
import re
import sys
import threading

SEEN = {}
NOT_LEGAL = "Your last reply was not legal: "
FENCED = "Let {{x}} be what is asked, as in {{\"select\": 99}}.\n\n```json\n{}\n```\nThat is my answer {{for now}}."

def value(schema, rng):
    if "enum" in schema:
        return rng.choice(schema["enum"])
    if "anyOf" in schema:
        return value(schema["anyOf"][0], rng)
    if schema["type"] == "object":
        assert schema["additionalProperties"] is False and sorted(schema["required"]) == sorted(schema["properties"])
        return {name: value(part, rng) for name, part in schema["properties"].items()}
    if "pattern" in schema:
        return "0" * int(re.search(r"{(\d+)}", schema["pattern"])[1])
    return {"boolean": rng.random() < 0.5, "number": 0.5, "integer": 0, "array": [], "string": "So it is."}[schema["type"]]

def fault(name):
    """Returns the status, the body and the date of the next try for a named fault."""
    bodies = {
        "no_choices": (200, b'{"choices": []}'),
        "no_message": (200, b'{"choices": [{"message": "gone"}]}'),
        "odd_choices": (200, b'{"choices": {"0": 1}}'),
        "no_object": (200, b'[]'),
        "error_in_answer": (200, b'{"error": {"message": "The upstream is gone.", "code": 502}}'),
        "error_as_text": (200, b'{"error": "The upstream is gone."}'),
        "no_credit": (200, b'{"error": {"message": "The upstream is gone.", "code": 402}}'),
        "page": (200, b"<html><style>p {}</style><p>The upstream\nis <b>gone</b>.</p></html>"),
        "nothing": (200, b""),
        "dated": (429, b'{"error": {"message": "The upstream is gone."}}'),
        "odd_date": (503, b"The upstream is gone."),
        "cut": (200, b'{"choices": [')}
    when = {"dated": "Wed, 21 Oct 2015 07:28:00 GMT", "odd_date": "-1"}
    return *bodies[name], when.get(name, "0.01")

class Endpoint(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, code, body, **headers):
        self.answer_bytes(code, json.dumps(body).encode(), **headers)

    def answer_bytes(self, code, text, missing=0, **headers):
        self.send_response(code)
        for name, content in headers.items():
            self.send_header(name.replace("_", "-"), content)
        self.send_header("Content-Length", str(len(text) + missing))
        self.end_headers()
        self.wfile.write(text)

    def do_POST(self):
        text = self.rfile.read(int(self.headers["Content-Length"]))
        asked = json.loads(text)
        form = asked["response_format"]
        if self.path != "/v1/chat/completions" or not self.headers["Authorization"].startswith("Bearer ") \
                or form["type"] != "json_schema" or form["json_schema"]["strict"] is not True:
            return self.answer(400, {"error": "this is not the format"})
        SEEN[text] = SEEN.get(text, 0) + 1
        if asked["model"] == "overloaded" and SEEN[text] == 1:
            return self.answer(429, {"error": "slow down"}, Retry_After="0.01")
        if asked["model"].startswith("fault-") and SEEN[text] == 1:
            code, body, when = fault(asked["model"].removeprefix("fault-"))
            self.close_connection = asked["model"] == "fault-cut"
            return self.answer_bytes(code, body, missing=1000 * self.close_connection, Retry_After=when)
        message = {"role": "assistant", "content": None, "refusal": "I cannot help with that."}
        if asked["model"] != "refuses":
            reply = value(form["json_schema"]["schema"], random.Random(len(text)))
            words = {
                "listed": [{"type": "text", "text": part} for part in (json.dumps(reply)[:5], json.dumps(reply)[5:])],
                "empties": json.dumps(reply) + " I leave {} and {\"note\": [{}]} open.",
                "fenced": FENCED.format(json.dumps(reply, indent=1)),
                "wordy": "I would say that it is true.",
                "learns": "It is {so} true." if NOT_LEGAL not in asked["messages"][0]["content"] else json.dumps(reply)}
            message = {"role": "assistant", "content": words.get(asked["model"], json.dumps(reply))}
        words = len(asked["messages"][0]["content"].split())
        usage = {"prompt_tokens": words, "completion_tokens": 5}
        if asked["model"] in ("aside", "beside"):
            # The reasoning is counted only in the total, or not at all.
            usage["completion_tokens_details"] = {"reasoning_tokens": 500}
            usage["total_tokens"] = words + 5 + (500 if asked["model"] == "aside" else 0)
        if asked["model"] == "within":
            usage = {"prompt_tokens": words, "completion_tokens": 505, "total_tokens": words + 505,
                     "completion_tokens_details": {"reasoning_tokens": 500}}
        self.answer(200, {"model": asked["model"] + "-2026-01", "choices": [{"index": 0, "message": message}],
                          "usage": usage})

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
print(server.server_address[1], flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()  # ends with the process that started it
