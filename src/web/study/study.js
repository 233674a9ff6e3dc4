// Adds a slider, the remaining time and the active time to a study's page. The form also works without JavaScript.
"use strict";

const form = document.querySelector("form");
const field = (name) => form.elements.namedItem(name);

function kept(name, value) {
  // Without session storage, a reloaded page counts from zero.
  try {
    if (value === undefined) return sessionStorage.getItem(name);
    sessionStorage.setItem(name, value);
  } catch { return null; }
}

// Measures the active time in milliseconds: the time between two input events while the page is visible, at most the
// idle limit for each pair.
function count() {
  const idle = Number(form.dataset.idle) * 1000, name = "active " + field("token").value;
  let sum = Number(kept(name)) || 0, last = performance.now(), away = document.hidden;
  const touch = () => {
    const now = performance.now();
    if (!away) sum += Math.min(now - last, idle);
    last = now;
    away = document.hidden;
  };
  for (const sign of ["pointerdown", "pointermove", "keydown", "scroll", "input", "focus"]) {
    addEventListener(sign, touch, { passive: true, capture: true });
  }
  document.addEventListener("visibilitychange", () => { touch(); kept(name, sum); });
  addEventListener("pagehide", () => { touch(); kept(name, sum); });
  let sent = false;
  form.addEventListener("submit", (event) => {
    if (sent) { event.preventDefault(); return; }
    sent = true;
    touch();
    field("active").value = Math.round(sum);
  });
  addEventListener("pageshow", () => { sent = false; });
}

// Converts the digits of any script to ASCII. The digits of a script have consecutive code points, from zero on.
function ascii(text) {
  const is = (code) => /\p{Nd}/u.test(String.fromCodePoint(code));
  return text.replace(/[\u066A\uFE6A\uFF05]/g, "%").replace(/\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0);
    let first = code;
    while (is(first - 1)) first -= 1;
    return (code - first) % 10;
  });
}

// Returns a percentage in words. `ranges` has a line for each range: its highest percentage, a space, and its words.
function inWords(ranges, percent) {
  for (const line of ranges.split("\n")) {
    const space = line.indexOf(" ");
    if (percent <= Number(line.slice(0, space))) return line.slice(space + 1);
  }
  return "";
}

// Adds a slider beside the number field. The slider is unset until the participant moves or clicks it.
function slide(box) {
  const { first, second, shares, words: ranges, unset, min, max } = box.dataset;
  const typed = field("percent"), slider = document.createElement("input");
  Object.assign(slider, { type: "range", id: "slider", min, max, step: 1 });
  slider.setAttribute("aria-label", box.querySelector("legend").textContent);
  box.querySelector(".slider").append(slider);
  const show = () => {
    const text = ascii(typed.value), number = parseInt(text, 10);
    const set = /^\s*\d{1,2}\s*%?\s*$/.test(text) && number >= min && number <= max;
    const percent = set ? number : "?", rest = set ? 100 - percent : "?";
    if (set) slider.value = percent;
    slider.classList.toggle("unset", !set);
    const values = { first, second, percent, rest, words: set ? inWords(ranges, percent) : "?" };
    const sentence = shares.replace(/\{(first|second|percent|rest|words)\}/g, (_, name) => values[name]);
    // Studies of earlier formats show both percentages from the start.
    box.querySelector(".shares").textContent = set || shares.includes("{rest}") ? sentence : unset;
    slider.setAttribute("aria-valuetext", set ? sentence || percent + " %" : unset);
  };
  const take = () => { typed.value = slider.value; show(); };
  slider.addEventListener("input", take);
  // A click at the initial position sends no `input` event, but sets the value.
  slider.addEventListener("pointerup", take);
  typed.addEventListener("input", show);
  show();
}

// Quotes the words that the participant selected in the text. A touch on the button can clear the selection, so the last
// selection in the text counts.
function quoteSelection(button) {
  const text = document.getElementById("source"), field = document.getElementById("text");
  let words = "";
  button.parentElement.hidden = false;
  button.disabled = true;
  document.addEventListener("selectionchange", () => {
    const selection = getSelection();
    const selected = selection.toString().replace(/\s+/g, " ").trim();
    if (!selected || !text.contains(selection.anchorNode) || !text.contains(selection.focusNode)) return;
    words = selected;
    button.disabled = false;
  });
  button.addEventListener("click", () => {
    const at = field.selectionEnd ?? field.value.length;
    field.setRangeText("<quote>" + words + "</quote>", at, at, "end");
    field.focus();
  });
}

function run(timer) {
  const end = performance.now() + Number(timer.dataset.seconds) * 1000;
  const show = () => {
    const left = Math.max(0, Math.ceil((end - performance.now()) / 1000));
    timer.textContent = timer.dataset.text.replace("{time}", Math.floor(left / 60) + ":" + String(left % 60).padStart(2, "0"));
    if (left > 0) setTimeout(show, 1000);
  };
  timer.hidden = false;
  show();
}

// The longest pause between two requests of a page that waits, in seconds. The server regards a participant as absent
// after 75 s without a request.
const LONGEST_PAUSE = 30;
// A request without a response has failed after this number of milliseconds.
const RESPONSE_TIME = 20000;

// Name of the note that the page changed while its tab was hidden.
const CHANGED = "changed";

// Marks the title of a page that changed while its tab was hidden, until the participant looks at it.
function markTitle() {
  const title = document.title;
  document.title = "\u25CF " + title;
  document.addEventListener("visibilitychange", () => {
    kept(CHANGED, "");
    document.title = title;
  }, { once: true });
}

// Loads the page again once its content has changed. During an outage, the page says so and the pauses grow. An error page
// of a proxy, with any status, is an outage too: only a page of this study is loaded.
async function poll(seconds) {
  const note = document.getElementById("reconnecting");
  for (let failures = 0; ;) {
    const pause = Math.min(seconds * 2 ** failures, LONGEST_PAUSE);
    // Spread, so that the pages of all participants do not ask a restarted server at the same time.
    const spread = failures ? 0.75 + Math.random() / 4 : 1;
    await new Promise((next) => setTimeout(next, pause * spread * 1000));
    const page = await studyPage();
    failures = page === null ? failures + 1 : 0;
    note.hidden = failures === 0;
    if (page === null) continue;
    // The remaining time changes without a new state, so it needs no new page.
    const left = /<p id="wait-left"[^>]*>([^<]*)</.exec(page), shown = document.getElementById("wait-left");
    // The server has escaped this text.
    if (shown && left) {
      shown.innerHTML = left[1];
      shown.hidden = !left[1];
    }
    const state = / data-state="(\w+)"/.exec(page);
    if (!state || state[1] !== document.body.dataset.state) {
      if (document.hidden) kept(CHANGED, "yes");
      return location.reload();
    }
  }
}

// Returns the current page as text; null if the server of this study does not answer with one.
async function studyPage() {
  try {
    const response = await fetch("./", { cache: "no-store", signal: AbortSignal.timeout?.(RESPONSE_TIME) });
    const text = await response.text();
    return response.ok && text.includes("<body data-study") ? text : null;
  } catch { return null; }
}

if (!document.hidden) kept(CHANGED, "");
else if (kept(CHANGED)) markTitle();
if (document.body.dataset.poll) poll(Number(document.body.dataset.poll));
if (form) {
  if (field("token")) count();
  form.querySelectorAll("fieldset.percent").forEach(slide);
  form.querySelectorAll(".timer").forEach(run);
  form.querySelectorAll(".quoter button").forEach(quoteSelection);
} else if (/^#(token|again)=/.test(location.hash)) {
  // Links of earlier versions have their parameters after `#`.
  location.replace("./?" + location.hash.slice(1));
}
for (const link of document.querySelectorAll('a[href^="#quote"]')) {
  link.addEventListener("click", () => { document.getElementById("source").open = true; });
}
