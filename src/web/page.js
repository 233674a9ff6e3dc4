// Shows the cells that the program sends, and sends the user's input to the program.
"use strict";

const WANTED = [80, 24], LEAST = [20, 6], MOST = [300, 100];
const FONT = [10, 16];
const STYLES = new Set(("black red green yellow blue magenta cyan gray darkgray lightred lightgreen lightyellow lightblue " +
  "lightmagenta lightcyan white bold dim italic underlined reversed crossed-out").split(" "));
const NAMED = {
  Enter: "enter", Escape: "esc", Tab: "tab", Backspace: "backspace", Delete: "delete", Insert: "insert", ArrowLeft: "left",
  ArrowRight: "right", ArrowUp: "up", ArrowDown: "down", Home: "home", End: "end", PageUp: "pageup", PageDown: "pagedown",
  " ": "space", "-": "minus",
};
// Letters whose Ctrl shortcuts stay with the browser: copy, paste, find, print, reload, tabs, text size.
const BROWSERS = new Set(["c", "v", "x", "a", "f", "p", "r", "t", "w", "n", "l", "0", "=", "+", "-"]);
const PAD = [["Enter", "enter"], ["Esc", "esc"], ["Tab", "tab"], ["←", "left"], ["→", "right"], ["↑", "up"], ["↓", "down"],
  ["page ↑", "pageup"], ["page ↓", "pagedown"], ["space", "space"], ["⌫", "backspace"], [".", "."], ["y", "y"], ["n", "n"],
  ["h", "h"], ["u", "u"], ["?", "?"], [":", ":"], ["q", "q"], ["1", "1"], ["2", "2"], ["3", "3"], ["4", "4"], ["5", "5"],
  ["6", "6"], ["7", "7"], ["8", "8"], ["9", "9"], ["0", "0"]];
const SHARED = ["role", "prover", "opponent", "judge", "protocol", "seed", "debate", "instance", "blind"];

const at = (id) => document.getElementById(id);
const screen = at("screen");
let socket = null, seated = false, over = false, tries = 0, retry = 0;
let columns = 0, rows = 0, cells = [], styles = new Map(), lines = [], width = 1, height = 1, mouse = true;

let told = at("state").textContent, small = false, passing = false;
function state(text) {
  told = text;
  at("state").textContent = told || (small && !over ? "This window is too small for 80 by 24 characters: enlarge it." : "");
}
// Shows a note. The next key removes it if `passes` is true.
function note(text, passes) { passing = passes; at("note").hidden = !text; at("note").textContent = text || ""; }
function remembered(name, value) {
  // Without session storage everything works, except that a lost connection cannot be resumed.
  try {
    if (value === undefined) return sessionStorage.getItem(name);
    sessionStorage.setItem(name, value);
  } catch { return null; }
}
// The parameters of the page's address, from the fragment and the query.
function asked() { return [...new URLSearchParams(location.hash.slice(1)), ...new URLSearchParams(location.search)]; }

// Sets the largest font size at which 80 by 24 cells fit, and returns the columns and rows that fit at this size.
function measure() {
  const probe = document.createElement("span");
  probe.className = "row";
  probe.style.display = "inline-block";
  probe.textContent = "0".repeat(80);
  screen.style.fontSize = "100px";
  screen.style.setProperty("--row", "120px");
  screen.append(probe);
  const per = probe.getBoundingClientRect();
  probe.remove();
  const room = screen.getBoundingClientRect();
  const fit = Math.min(room.width / (per.width / 80 / 100) / WANTED[0], room.height / (per.height / 100) / WANTED[1]);
  let font = Math.max(FONT[0], Math.min(FONT[1], Math.floor(fit * 4) / 4));
  // Rounds the row height to whole pixels, because fractions would leave gaps in frames.
  const tall = () => Math.round(per.height / 100 * font);
  while (font > FONT[0] && tall() * WANTED[1] > room.height) font -= 0.25;
  screen.style.fontSize = font + "px";
  width = per.width / 80 / 100 * font;
  height = tall();
  screen.style.setProperty("--row", height + "px");
  small = fit < FONT[0];
  state(told);
  const size = (all, one, least, most) => Math.max(least, Math.min(most, Math.floor(all / one)));
  return [size(room.width, width, LEAST[0], MOST[0]), size(room.height, height, LEAST[1], MOST[1])];
}

function blank() { return { text: " ", style: "", wide: 1 }; }

function begin(size) {
  [columns, rows] = size;
  cells = Array.from({ length: rows }, () => Array.from({ length: columns }, blank));
  styles = new Map();
  lines = cells.map(() => { const row = document.createElement("div"); row.className = "row"; return row; });
  screen.replaceChildren(...lines);
}

function take(frame) {
  if (frame.size) begin(frame.size);
  for (const [number, words] of Object.entries(frame.styles || {})) {
    styles.set(Number(number), words.split(" ").filter((word) => STYLES.has(word)).join(" "));
  }
  const changed = new Set(frame.size ? lines.keys() : []);
  for (const row of frame.rows) {
    const y = row[0], line = cells[y];
    if (!line) continue;
    changed.add(y);
    for (let i = 1; i + 2 < row.length; i += 3) {
      let x = row[i];
      const style = styles.get(row[i + 1]) || "";
      if (Array.isArray(row[i + 2])) {
        const [text, wide] = row[i + 2];
        line[x] = { text, style, wide };
        for (let more = 1; more < wide; more++) line[x + more] = { text: "", style, wide: 0 };
      } else {
        for (const text of row[i + 2]) line[x++] = { text, style, wide: 1 };
      }
    }
  }
  for (const y of changed) draw(y);
}

// Draws row y, with one element per run of cells of one style. Many fonts give characters outside ASCII another width,
// so these get an element of fixed width.
function draw(y) {
  const line = cells[y], parts = [];
  let end = line.length;
  while (end > 0 && line[end - 1].text === " " && !line[end - 1].style.includes("re") && !line[end - 1].style.includes("und")) end--;
  for (let x = 0; x < end;) {
    const { style } = line[x], plain = line[x].text.charCodeAt(0) < 127;
    let text = "", wide = 0;
    while (x < end && line[x].style === style && (line[x].text === "" || line[x].text.charCodeAt(0) < 127) === plain) {
      text += line[x].text;
      wide += line[x].wide;
      x++;
      if (!plain && wide > 1 && line[x - 1].wide !== 1) break;
    }
    if (!text) { x = Math.max(x, 1) + (wide ? 0 : 1); continue; }
    if (plain && !style) { parts.push(document.createTextNode(text)); continue; }
    const part = document.createElement("span");
    part.className = style;
    part.textContent = text;
    if (!plain) {
      part.classList.add("cell");
      part.style.width = wide + "ch";
    }
    parts.push(part);
  }
  lines[y].replaceChildren(...parts);
}

function say(text) {
  const part = document.createElement("p");
  part.textContent = text;
  at("said").append(part);
  while (at("said").childElementCount > 60) at("said").firstElementChild.remove();
  at("said").scrollTop = at("said").scrollHeight;
}

function keep(name, text) {
  const link = document.createElement("a");
  link.download = name;
  link.href = URL.createObjectURL(new Blob([text], { type: name.endsWith(".html") ? "text/html" : "text/plain" }));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  note("");
  state("Downloaded " + name + ".");
}

// Converts a command line that plays a debate, such as `debate-tui primes --seed 7 --role judge`, to a link; null if
// this is impossible.
function linked(command) {
  const words = [];
  let word = null, quoted = false;
  for (let i = 0; i < command.length; i++) {
    const c = command[i];
    if (c === "'") { quoted = !quoted; word = word || ""; }
    else if (c === "\\" && !quoted) word = (word || "") + (command[++i] || "");
    else if (c === " " && !quoted) { if (word !== null) words.push(word); word = null; }
    else word = (word || "") + c;
  }
  if (word !== null) words.push(word);
  if (words[0] !== "debate-tui" || words.length < 2 || words[1] === "replay") return null;
  const asks = new URLSearchParams();
  asks.append("scenario", words[1].split("/").pop().replace(/\.ron$/, ""));
  for (let i = 2; i < words.length; i++) {
    const [, name, , value] = /^--([a-z]+)(=(.*))?$/s.exec(words[i]) || [];
    if (!SHARED.includes(name)) return null;
    asks.append(name, name === "blind" ? "yes" : value !== undefined ? value : words[++i]);
  }
  return location.origin + "/#" + asks;
}

async function copy(text) {
  const link = text.startsWith("debate-tui ") ? linked(text) || text : text;
  let done = false;
  try { await navigator.clipboard.writeText(link); done = true; } catch { done = false; }
  note((done ? "Copied: " : "Copy this text: ") + link, true);
}

function leave() {
  over = true;
  state("The session has ended. Reload this page to start again.");
}

const HEARD = {
  frame: take,
  say: (line) => say(line.text),
  copy: (line) => copy(line.text),
  file: (line) => keep(line.name, line.text),
  mouse: (line) => { mouse = line.on; },
  seated: (line) => {
    seated = true;
    tries = 0;
    remembered("secret", line.secret);
    state("");
  },
  end: (line) => note(line.lines.filter((one) => one).join("\n")),
  left: leave,
  refused: (line) => { over = true; state("The server refused this visit."); note(line.why); },
  closed: (line) => { over = true; state("The session has ended."); note(line.why); },
  "taken-over": () => {
    over = true;
    state("Another window took over.");
    note("This debate is open in another window. Reload this page to continue here.");
  },
};

function send(line) {
  if (socket && socket.readyState === WebSocket.OPEN && seated) socket.send(JSON.stringify(line));
}

function matches(query) { return matchMedia(query).matches; }

function connect() {
  clearTimeout(retry);
  seated = false;
  socket = new WebSocket((location.protocol === "https:" ? "wss://" : "ws://") + location.host + "/socket");
  socket.onopen = () => {
    const [columns, rows] = measure();
    const asks = asked();
    // The secret is valid only for the same link.
    const same = remembered("asks") === JSON.stringify(asks);
    remembered("asks", JSON.stringify(asks));
    const secret = same ? remembered("secret") : null;
    socket.send(JSON.stringify({ secret, columns, rows, asks }));
  };
  socket.onmessage = (event) => {
    const line = JSON.parse(event.data);
    const act = HEARD[line.type];
    if (act) act(line);
  };
  socket.onclose = () => {
    seated = false;
    if (over) return;
    const wait = Math.min(10000, 250 * 2 ** tries++) * (0.75 + Math.random() / 2);
    state("Connection lost; reconnecting…");
    retry = setTimeout(connect, wait);
  };
}

function key(name) {
  if (passing) note("");
  if (seated && !over) state("");
  send({ type: "key", key: name });
}

function press(event) {
  if (event.isComposing || event.metaKey || over) return;
  if (event.key === "F6") { event.preventDefault(); at("share").focus(); return; }
  if (/^F(5|11|12)$/.test(event.key)) return;
  const { ctrlKey: ctrl, altKey: alt, shiftKey: shift } = event;
  let name = NAMED[event.key];
  const types = [...event.key].length === 1;
  if (ctrl && !alt && types && BROWSERS.has(event.key.toLowerCase())) return;
  if (!name && types) name = event.key;
  if (!name && /^F\d+$/.test(event.key)) name = event.key.toLowerCase();
  if (!name) return;
  event.preventDefault();
  // Shift is part of a typed character. Browsers report AltGr as Ctrl-Alt, which it is not.
  const graph = event.getModifierState("AltGraph");
  const held = (ctrl && !graph ? "ctrl-" : "") + (alt && !graph ? "alt-" : "") + (shift && !types ? "shift-" : "");
  key(held + name);
}

function cell(event) {
  const room = screen.getBoundingClientRect();
  const limit = (value, most) => Math.max(0, Math.min(most - 1, Math.floor(value)));
  return [limit((event.clientX - room.left) / width, columns), limit((event.clientY - room.top) / height, rows)];
}

let down = null;
screen.addEventListener("keydown", press);
screen.addEventListener("pointerdown", (event) => { down = event.button === 0 ? cell(event) : null; });
screen.addEventListener("click", (event) => {
  const there = cell(event);
  // A drag that selects text is not a click.
  if (!mouse || !down || String(down) !== String(there) || !getSelection().isCollapsed) return;
  for (const kind of ["down", "up"]) send({ type: "mouse", kind, column: there[0], row: there[1] });
});
screen.addEventListener("wheel", (event) => {
  if (!mouse || event.ctrlKey) return;
  const [column, row] = cell(event);
  send({ type: "mouse", kind: event.deltaY < 0 ? "scroll-up" : "scroll-down", column, row });
}, { passive: true });
document.addEventListener("paste", (event) => {
  if (event.target === at("text")) return;
  const text = event.clipboardData.getData("text");
  if (text) send({ type: "paste", text: text.slice(0, 30000) });
});
at("line").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = at("text").value;
  // Sends short text as single keys and long text as a paste.
  if (text.length > 12) send({ type: "paste", text });
  else for (const c of text) key(NAMED[c] || c);
  at("text").value = "";
});

function toggle(id, change) {
  const button = at(id);
  const set = (on) => { button.setAttribute("aria-pressed", String(on)); change(on); };
  button.addEventListener("click", () => { set(button.getAttribute("aria-pressed") !== "true"); });
  return set;
}

let resizing = 0;
function resized() {
  clearTimeout(resizing);
  resizing = setTimeout(() => {
    const size = measure();
    if (size[0] !== columns || size[1] !== rows) send({ type: "size", columns: size[0], rows: size[1] });
  }, 60);
}
// The screen area changes with the window, the note and the key buttons.
new ResizeObserver(resized).observe(screen);
addEventListener("hashchange", () => location.reload());
addEventListener("online", () => { if (!over && (!socket || socket.readyState === WebSocket.CLOSED)) { tries = 0; connect(); } });

toggle("words", (on) => at("said").classList.toggle("shown", on));
const pad = toggle("pad", (on) => { at("keys").hidden = at("line").hidden = !on; });
const light = toggle("light", (on) => { document.documentElement.classList.toggle("light", on); });
at("share").addEventListener("click", () => { send({ type: "share" }); screen.focus(); });
// After a click the focus returns to the screen. After a key press (detail is 0) it stays on the button.
for (const buttons of [at("buttons"), at("keys")]) {
  buttons.addEventListener("click", (event) => { if (event.detail > 0) screen.focus(); });
}
for (const [label, name] of PAD) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = label;
  button.addEventListener("click", () => key(name));
  at("keys").append(button);
}
if (matches("(prefers-color-scheme: light)")) light(true);
if (matches("(pointer: coarse)")) pad(true);
screen.focus();
connect();
