// Runs the script of a study's page without a browser, with the responses of the standard input in their order. Prints the
// pauses between the requests in seconds, after each response whether the page says that it reconnects, and whether it
// was loaded again.
import { readFileSync } from "node:fs";
import vm from "node:vm";

const { script, state, responses } = JSON.parse(readFileSync(0, "utf8"));
const note = { hidden: true };
const left = { innerHTML: "" };
const seen = { pauses: [], reconnecting: [], left: [], loaded: false };
let asked = 0;

const page = {
  document: {
    body: { dataset: { poll: "4", state } },
    querySelector: () => null,
    querySelectorAll: () => [],
    getElementById: (id) => ({ "reconnecting": note, "wait-left": left })[id] ?? null,
  },
  location: { hash: "", reload: () => { seen.loaded = true; } },
  Math: Object.assign(Object.create(Math), { random: () => 1, min: Math.min, floor: Math.floor }),
  AbortSignal,
  fetch: async () => {
    const response = responses[asked++];
    if (response === null) throw new TypeError("no connection");
    return { ok: response.status === 200, status: response.status, text: async () => response.body };
  },
  setTimeout: (next, ms) => {
    if (asked > 0) seen.reconnecting.push(!note.hidden);
    if (asked > 0) seen.left.push(left.innerHTML);
    if (asked === responses.length) return;
    seen.pauses.push(ms / 1000);
    setImmediate(next);
  },
};
vm.runInNewContext(script, page);
process.on("exit", () => process.stdout.write(JSON.stringify(seen)));
