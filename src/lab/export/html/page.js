
"use strict";
(() => {
  const root = document.documentElement;
  const by = (id) => document.getElementById(id);
  const data = JSON.parse(by("data").textContent);
  const at = by("at"), low = Number(at.min), high = Number(at.max);
  const items = [...by("events").children];
  const chips = [...by("rounds").children];
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  let now = high, timer = 0;

  // Each state is stored as its difference from the previous one.
  const applied = (list, [from, gone, come]) =>
    [...list.slice(0, from), ...come, ...list.slice(from + gone)];
  const states = [];
  let before = { tree: [], rewards: [], because: [] };
  for (const [tree, rewards, because, strip, round] of data.states) {
    before = {
      tree: applied(before.tree, tree), rewards: applied(before.rewards, rewards),
      because: applied(before.because, because), strip, round,
    };
    states.push(before);
  }

  const made = (name, cls, text) => {
    const element = document.createElement(name);
    if (cls) element.className = cls;
    if (text !== undefined) element.textContent = text;
    return element;
  };

  const tree = (state) => {
    by("tree").replaceChildren(...state.tree.map((place) => {
      const [depth, open, text, full, value, cls, sign] = data.rows[place];
      const row = made("li", cls);
      if (full) row.title = full;
      for (let level = 0; level < depth; level += 1) row.append(made("i"));
      const words = made("span", "text", text);
      words.dir = "auto";
      row.append(made("span", "fold", open ? "▾" : ""), words,
        made("span", "mark", sign), made("span", "value", value));
      return row;
    }));
    const panel = by("recursion"), current = panel.querySelector(".current");
    if (panel.scrollHeight > panel.clientHeight && current) current.scrollIntoView({ block: "nearest" });
  };

  const rewards = (state) => {
    const table = by("rewards"), chart = by("chart");
    if (table) {
      table.replaceChildren(...state.rewards.map((place) => {
        const [cells, cls] = data.rewards[place];
        const row = made("tr", cls);
        cells.forEach((cell, number) => {
          const made_ = made(number ? "td" : "th", "", cell);
          if (!number) made_.scope = "row";
          row.append(made_);
        });
        return row;
      }));
      const bars = chart.querySelectorAll("rect"), names = chart.querySelectorAll("text");
      state.rewards.forEach((place, number) => {
        const [cells, cls, top, size] = data.rewards[place];
        bars[number].setAttribute("class", cls);
        bars[number].setAttribute("y", top);
        bars[number].setAttribute("height", size);
        names[number].setAttribute("class", cls);
        names[number].textContent = cells[0];
      });
    }
    by("because").replaceChildren(...state.because.map((place) => {
      const [cls, text] = data.lines[place];
      return made("p", cls, text);
    }));
  };

  const transcript = (n, follow) => {
    items.forEach((item, place) => {
      const number = low + place + 1;
      item.classList.toggle("later", number > n);
      if (number === n) item.setAttribute("aria-current", "step");
      else item.removeAttribute("aria-current");
    });
    const list = by("events"), item = items[n - low - 1];
    if (!follow) return;
    // Scrolls only the list, so that the page stays at the reader's position.
    const top = item ? item.offsetTop - list.offsetTop : 0;
    const bottom = item ? top + item.offsetHeight : 0;
    const room = list.clientHeight, margin = Math.min(60, room / 4);
    let to = list.scrollTop;
    if (top - margin < to) to = top - margin;
    if (bottom + margin > to + room) to = bottom + margin - room;
    list.scrollTo({ top: to, behavior: still.matches || timer === 0 ? "instant" : "smooth" });
  };

  const speak = (n) => {
    const item = items[n - low - 1], line = by("now");
    if (!item) {
      line.replaceChildren(n === 0 ? "No moves yet." : "The earlier events are on another page.");
      return;
    }
    line.replaceChildren(...[...item.childNodes].map((node) => node.cloneNode(true)));
  };

  const show = (n, follow = true) => {
    now = Math.min(high, Math.max(low, n));
    const state = states[now - low];
    tree(state);
    rewards(state);
    transcript(now, follow);
    speak(now);
    by("strip").textContent = data.strips[state.strip];
    at.value = now;
    const where = now === 0 ? "Before the start" : `Event ${now} of ${high}`;
    by("where").textContent = where;
    at.setAttribute("aria-valuetext", where);
    by("first").disabled = by("back").disabled = now === low;
    by("last").disabled = by("on").disabled = now === high;
    for (const chip of chips) {
      if (chip.dataset.round === state.round) chip.setAttribute("aria-current", "step");
      else chip.removeAttribute("aria-current");
    }
    const report = by("report");
    if (report) report.classList.toggle("later", now < high);
    root.dataset.event = now;
  };

  const go = (n) => {
    show(n);
    try { history.replaceState(null, "", `#event=${now}`); } catch { /* browsers refuse this in some contexts */ }
  };

  const sign = (name) => {
    const button = by("play");
    button.classList.toggle("playing", name === "Pause");
    button.querySelector("span").textContent = name;
    button.title = `${name} (space)`;
  };
  const stop = () => {
    clearInterval(timer);
    timer = 0;
    sign("Play");
  };
  const play = () => {
    if (timer) { stop(); return; }
    if (now === high) go(low);
    sign("Pause");
    timer = setInterval(() => {
      go(now + 1);
      if (now === high) stop();
    }, 1100);
  };

  const round = (step) => {
    const starts = chips.map((chip) => Number(chip.dataset.event));
    if (step > 0) go(starts.find((start) => start > now) ?? high);
    else go(starts.filter((start) => start < now).pop() ?? low);
  };
  const toRound = (name) => {
    const chip = chips.find((one) => one.dataset.round === name);
    if (chip) go(Number(chip.dataset.event));
  };
  const theme = () => {
    const dark = root.dataset.theme
      ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const key = event.key, target = event.target;
    // A focused button or link handles the space key itself.
    if (key === " " && target.closest && target.closest("button, summary, a")) return;
    const keys = {
      "ArrowRight": () => { stop(); go(now + 1); }, "ArrowLeft": () => { stop(); go(now - 1); },
      "Home": () => { stop(); go(low); }, "End": () => { stop(); go(high); },
      " ": play, "[": () => round(-1), "]": () => round(1), "t": theme,
    };
    const does = keys[key] ?? (/^[0-9]$/.test(key) ? () => toRound(key) : null);
    if (!does) return;
    event.preventDefault();
    does();
  });
  at.addEventListener("input", () => { stop(); go(Number(at.value)); });
  by("first").addEventListener("click", () => { stop(); go(low); });
  by("back").addEventListener("click", () => { stop(); go(now - 1); });
  by("on").addEventListener("click", () => { stop(); go(now + 1); });
  by("last").addEventListener("click", () => { stop(); go(high); });
  by("play").addEventListener("click", play);
  by("theme").addEventListener("click", theme);
  chips.forEach((chip) => chip.addEventListener("click", () => { stop(); go(Number(chip.dataset.event)); }));
  items.forEach((item, place) => item.addEventListener("click", () => {
    if (!String(getSelection())) { stop(); go(low + place + 1); }
  }));

  const linked = () => {
    const found = /^#event=(\d+)$/.exec(location.hash);
    return found ? Number(found[1]) : null;
  };
  addEventListener("hashchange", () => { const n = linked(); if (n !== null) { stop(); show(n); } });
  // Prints the final state.
  let shown = null;
  addEventListener("beforeprint", () => { shown = now; show(high, false); });
  addEventListener("afterprint", () => { if (shown !== null) show(shown, false); });

  // Without ids on the events, the browser does not scroll the page to the linked event: the panels show it.
  for (const item of items) item.removeAttribute("id");
  root.classList.add("js");
  // Opens at the last event, scrolled to the top of the page.
  show(linked() ?? high, linked() !== null);
  if (linked() !== null) addEventListener("load", () => scrollTo(0, 0));
})();
