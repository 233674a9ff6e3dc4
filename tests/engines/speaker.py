"""An engine that argues in a few words and reports its model and costs."""
import json, os, sys

model, usd = sys.argv[1], sys.argv[2]
style = "plain"
for line in sys.stdin:
    said = json.loads(line)
    if said["type"] == "hello":
        answer = {"type": "hello", "name": "speaker", "version": "1", "max_parallel": 4,
                  "options": [{"name": "style", "default": "plain"}]}
    elif said["type"] == "new":
        style = said["options"]["style"]
        continue
    elif said["type"] == "act" and style == "stutters":
        # The first reply to each request is invalid and costs as much.
        first = said
        answer = {"type": "reply", "debate": said["debate"], "id": said["id"], "reply": {"speech": 7},
                  "cost": {"calls": 1, "usd": usd, "model": model}}
    elif said["type"] in ("act", "illegal"):
        said = said if said["type"] == "act" else first
        if style == "sulky":
            answer = {"type": "error", "debate": said["debate"], "id": said["id"], "kind": "bug", "why": "no more"}
        else:
            words = f"I have heard {len(said['view']['events'])} things, and this answer is right."
            answer = {"type": "reply", "debate": said["debate"], "id": said["id"], "reply": {"speech": words},
                      "cost": {"calls": 1, "tokens_in": 100, "tokens_out": 10, "usd": usd, "model": model}}
    elif said["type"] == "ping":
        answer = {"type": "pong"}
    else:
        continue
    print(json.dumps(answer), flush=True)
