(() => {
  const by = (id) => document.getElementById(id);
  const press = (key) => document.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  const lines = (nodes) => [...nodes].map((node) => node.textContent);
  const seen = () => ({
    at: Number(by("at").value),
    hash: location.hash,
    now: by("now").textContent,
    strip: by("strip").textContent,
    where: by("where").textContent,
    shown: [...by("events").children].filter((li) => getComputedStyle(li).display !== "none").length,
    marked: lines(document.querySelectorAll("#events [aria-current]")),
    tree: lines(by("tree").children),
    current: lines(document.querySelectorAll("#tree .current .text")),
    rewards: [...(by("rewards")?.rows ?? [])].map((row) => lines(row.cells)),
    report: by("report") ? getComputedStyle(by("report")).display !== "none" : null,
  });
  const out = { linked: seen(), on: [], back: [], rounds: {} };
  press("Home");
  out.on.push(seen());
  const high = Number(by("at").max);
  for (let n = 0; n < high; n += 1) { press("ArrowRight"); out.on.push(seen()); }
  press("ArrowRight");
  out.beyond = seen();
  for (let n = 0; n < high; n += 1) { press("ArrowLeft"); out.back.unshift(seen()); }
  press("End");
  out.end = seen();
  for (const round of ["1", "2", "3", "4"]) { press(round); out.rounds[round] = seen(); }
  press("[");
  out.before = seen();
  press("]");
  out.after = seen();
  by("at").value = 5;
  by("at").dispatchEvent(new Event("input", { bubbles: true }));
  out.scrubbed = seen();
  const theme = () => getComputedStyle(document.body).backgroundColor;
  const first = theme();
  press("t");
  out.toggled = first !== theme();
  press("t");
  out.restored = first === theme();
  press("Home");
  press(" ");
  out.playing = by("play").textContent;
  press(" ");
  out.paused = by("play").textContent;
  out.loaded = performance.getEntriesByType("resource").map((one) => one.name);
  out.live = by("now").getAttribute("aria-live");
  out.named = [...document.querySelectorAll("button, input")].every((one) =>
    one.getAttribute("aria-label") || one.textContent.trim());
  const told = document.createElement("pre");
  told.id = "driven";
  told.textContent = JSON.stringify(out);
  document.body.append(told);
})();
