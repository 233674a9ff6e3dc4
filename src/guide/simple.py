import json, random, re, sys

def value(schema, rng):
    """Returns a random value that matches a strict schema."""
    if "enum" in schema:
        return rng.choice(schema["enum"])
    if "anyOf" in schema:
        return value(next(iter(schema["anyOf"])), rng)
    if "properties" in schema:
        return {name: value(part, rng) for name, part in schema["properties"].items()}
    if "pattern" in schema:
        length = int(re.search(r"{(\d+)}", schema["pattern"])[1])
        return "".join(rng.choices("01", k=length))
    usual = {"boolean": rng.random() < 0.5, "number": 0.5, "integer": 0, "array": []}
    return usual.get(schema["type"], "This is how it is.")

def reply(act, rng):
    """Sends prepared bits, required results and offered supports; without an offer, a new
    support; else any legal reply."""
    request, fields = act["request"], act["legal"].get("properties", {})
    if request.get("result") is not None:
        return {"bits": str(int(request["result"])) * request["length"]}
    if request.get("prepared"):
        return {"bits": request["prepared"]}
    if "support" in fields:
        return {"support": value(fields.get("support"), rng)}
    if "compose" in fields:
        parts = ["One part of it holds.", "The other part holds."]
        return {"compose": {"gate": "all", "on": parts, "judged": [0, 1]}}
    return value(act["legal"], rng)

for line in sys.stdin:
    said = json.loads(line)
    if said["type"] == "hello":
        answer = {"type": "hello", "name": "simple", "version": "1.0"}
    elif said["type"] in ("act", "illegal"):
        act = said if said["type"] == "act" else act
        rng = random.Random(act["text"] + said.get("why", "") + "".join(sys.argv[1:]))
        answer = {"type": "reply", "debate": act["debate"], "id": act["id"]}
        answer["reply"] = reply(act, rng)
    elif said["type"] == "ping":
        answer = {"type": "pong"}
    else:
        continue
    print(json.dumps(answer), flush=True)
