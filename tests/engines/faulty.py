"""An engine that fails in the way that its argument names."""
import json
import os
import subprocess
import sys
import time

fault = sys.argv[1]

def say(**message):
    print(json.dumps(message), flush=True)

def good(act):
    kind = act["request"]["kind"]
    return {"answer": {"answer": True}, "probability": {"probability": "1/2"},
            "direction": {"direction": "about_right"}, "support": {"support": 0},
            "select": {"select": 0}, "oracle": {"oracle": {"holds": True}}}[kind]

if fault == "child":
    child = subprocess.Popen(["sleep", "1000"])
    print(f"child {child.pid}", file=sys.stderr, flush=True)
    open(sys.argv[2], "w").write(str(child.pid))
tries = 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        say(type="hello", name="faulty", version=fault, later=[1], max_parallel=4 if fault == "crashes_once" else 1, options=[
            {"name": "style", "default": "long"}, {"name": "t", "kind": "number", "default": 0}])
    elif message["type"] == "new":
        options = message["options"]
    elif message["type"] in ("act", "illegal"):
        if message["type"] == "act":
            act = message
        id, debate = act["id"], act["debate"]
        tries += 1
        if fault == "child":
            time.sleep(1000)
        elif fault == "stall":
            while True:
                say(type="info", id=id, text="still at it")
                time.sleep(0.05)
        elif fault == "crashes_once":
            # Four debates wait for the first process when it ends.
            if tries == 4 and not os.path.exists(sys.argv[2]):
                open(sys.argv[2], "w").close()
                sys.exit(7)
            if os.path.exists(sys.argv[2]):
                say(type="reply", debate=debate, id=id, reply=good(act))
        elif fault == "bug":
            say(type="error", id=id, kind=fault, why="because")
        elif fault == "chatter" and tries == 1:
            for number in range(int(sys.argv[2])):
                print(f"complaint {number} {'x' * 200}", file=sys.stderr)
            sys.stderr.flush()
            for number in range(int(sys.argv[3])):
                print(json.dumps({"type": "info", "id": id, "text": f"thought {number} {'x' * 270}"}))
            sys.stdout.flush()
            say(type="reply", debate=debate, id=id, reply=good(act))
        elif fault == "chatter":
            say(type="reply", debate=debate, id=id, reply=good(act))
        elif fault == "infrastructure":
            say(type="error", id=id, kind="transient", why="429", retry_after_ms=1)
        elif fault == "recovers":
            # Sends a reply to another debate, one to an earlier request, an outage and an illegal reply, then a reply twice.
            say(type="reply", debate="another", id=id, reply={"select": 99})
            say(type="reply", debate=debate, id=id - 1, reply={"select": 99})
            say(type="info", id=id, text="thinking")
            if tries % 3 == 1:
                say(type="error", id=id, kind="transient", why="503", retry_after_ms=1)
            elif tries % 3 == 2:
                say(type="reply", debate=debate, id=id, reply={"select": 99})
            else:
                say(type="reply", debate=debate, id=id, reply=good(act), note=json.dumps(options),
                    cost={"calls": 1, "usd": "0.01"})
                say(type="reply", debate=debate, id=id, reply=good(act))
    elif message["type"] == "bye":
        break
