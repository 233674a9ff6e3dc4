// The slider, the time that is left, and the time in which somebody is there. Without it the form works all the same.
"use strict";

const form = document.querySelector("form");
const field = (name) => form.elements.namedItem(name);

function kept(name, value) {
  // Where a browser keeps nothing, a page that is loaded again counts anew.
  try {
    if (value === undefined) return sessionStorage.getItem(name);
    sessionStorage.setItem(name, value);
  } catch { return null; }
}

// Milliseconds in which no more than the idle limit lay between two signs of life, while the page was in view.
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

// A slider beside the typed number. It stands nowhere before somebody sets it.
function slide(box) {
  const { first, second, shares, unset, min, max } = box.dataset;
  const typed = field("percent"), slider = document.createElement("input");
  Object.assign(slider, { type: "range", id: "slider", min, max, step: 1 });
  slider.setAttribute("aria-label", first);
  box.querySelector(".slider").append(slider);
  const show = () => {
    const set = /^\s*\d{1,2}\s*%?\s*$/.test(typed.value) && parseInt(typed.value, 10) >= min && parseInt(typed.value, 10) <= max;
    const percent = set ? parseInt(typed.value, 10) : "?", rest = set ? 100 - percent : "?";
    if (set) slider.value = percent;
    slider.classList.toggle("unset", !set);
    const words = { first, second, percent, rest };
    const text = shares.replace(/\{(first|second|percent|rest)\}/g, (_, name) => words[name]);
    box.querySelector(".shares").textContent = text;
    slider.setAttribute("aria-valuetext", set ? text : unset);
  };
  const take = () => { typed.value = slider.value; show(); };
  slider.addEventListener("input", take);
  // A click in the middle changes nothing, and means the middle.
  slider.addEventListener("pointerup", take);
  typed.addEventListener("input", show);
  show();
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

// A page that waits for others: it comes anew once there is something else on it.
async function poll(seconds) {
  for (;;) {
    await new Promise((next) => setTimeout(next, seconds * 1000));
    try {
      const response = await fetch("./", { cache: "no-store" });
      const state = / data-state="(\w+)"/.exec(await response.text());
      if (!state || state[1] !== document.body.dataset.state) return location.reload();
    } catch { /* the server is away for now */ }
  }
}

if (document.body.dataset.poll) poll(Number(document.body.dataset.poll));
if (form) {
  if (field("token")) count();
  form.querySelectorAll("fieldset.percent").forEach(slide);
  form.querySelectorAll(".timer").forEach(run);
} else if (/^#(token|again)=/.test(location.hash)) {
  // A link of an earlier version of the program.
  location.replace("./?" + location.hash.slice(1));
}
for (const link of document.querySelectorAll('a[href^="#quote"]')) {
  link.addEventListener("click", () => { document.getElementById("source").open = true; });
}
