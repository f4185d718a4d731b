// Keys, choosing many, and the picture of the graph. Everything else works without this file.
"use strict";

const typing = (target) => target.closest("input:not([type=checkbox]), select, textarea");

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape" && typing(event.target)) return event.target.blur();
  if (typing(event.target)) return;
  if (event.key === "/") {
    event.preventDefault();
    return document.querySelector(".find input").focus();
  }
  const steps = [...document.querySelectorAll(".step")];
  if (steps.length && "jk".includes(event.key)) {
    const here = steps.findIndex((step) => step === document.activeElement.closest(".step"));
    const next = steps[Math.min(Math.max(here + (event.key === "j" ? 1 : -1), 0), steps.length - 1)];
    next.focus();
    return next.scrollIntoView({ block: "center" });
  }
  const target = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (!target) return;
  event.preventDefault();
  if (target.matches("input")) target.focus();
  else target.click();
});

const bulk = document.querySelector(".bulk");
if (bulk) {
  const all = bulk.querySelector(".all");
  const boxes = [...bulk.querySelectorAll("[name=id]")];
  const said = bulk.querySelector(".chosen");
  let last = null;
  const count = () => {
    const chosen = boxes.filter((box) => box.checked).length;
    said.textContent = `${chosen} chosen:`;
    all.checked = chosen === boxes.length;
    all.indeterminate = chosen > 0 && !all.checked;
  };
  all.hidden = false;
  all.addEventListener("change", () => { for (const box of boxes) box.checked = all.checked; count(); });
  bulk.addEventListener("click", (event) => {
    if (!boxes.includes(event.target)) return;
    if (event.shiftKey && last) {
      const [from, to] = [boxes.indexOf(last), boxes.indexOf(event.target)].sort((a, b) => a - b);
      for (const box of boxes.slice(from, to + 1)) box.checked = event.target.checked;
    }
    last = event.target;
    count();
  });
  bulk.addEventListener("submit", (event) => {
    if (!boxes.some((box) => box.checked)) { event.preventDefault(); said.textContent = "Choose a belief first:"; }
  });
  count();
}

const svg = document.getElementById("graph");
if (svg) {
  const script = document.createElement("script");
  script.src = "/static/d3-hierarchy.min.js";
  script.addEventListener("load", () => draw(svg));
  document.head.append(script);
}

/** Folders, files and symbols as circles in circles, so that what belongs together lies together. */
function draw(svg) {
  const SIZE = 1000;
  const make = (name, values = {}, parent = null) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(values)) made.setAttribute(key, value);
    if (parent) parent.append(made);
    return made;
  };
  const rows = (id) => [...document.querySelectorAll(`#${id} tbody tr`)];
  const root = { name: "", children: new Map() };
  const grow = (steps, leaf) => {
    let at = root;
    for (const step of steps) {
      if (!at.children.has(step)) at.children.set(step, { name: step, key: [at.key, step].filter(Boolean).join("/"), children: new Map() });
      at = at.children.get(step);
    }
    at.children.set(Symbol(leaf.id), leaf);
  };
  for (const row of rows("graph-nodes")) {
    const { id, path, symbol, standing } = row.dataset;
    const link = row.querySelector("a");
    const steps = path ? path.split("/") : ["whole workspace"];
    if (symbol) steps.push(`#${symbol}`);
    grow(steps, { id, name: link.textContent, href: link.href, standing, row });
  }
  for (const row of rows("graph-tasks")) {
    const link = row.querySelector("a");
    grow(["tasks"], { id: row.dataset.id, name: link.textContent, href: link.href, standing: "task", row });
  }
  const shape = (node) => (node.children ? { ...node, children: [...node.children.values()].map(shape) } : node);
  const single = (node) => { // a chain of folders with nothing else in it is one circle
    if (!node.children) return node;
    while (node.children.length === 1 && node.children[0].children) node = { ...node.children[0], name: node.name ? `${node.name}/${node.children[0].name}` : node.children[0].name };
    return { ...node, children: node.children.map(single) };
  };
  const top = d3.pack().size([SIZE, SIZE]).padding((node) => (node.height > 1 ? 6 : 2))(
    d3.hierarchy(single(shape(root))).sum((node) => (node.children ? 0 : 1)).sort((a, b) => b.value - a.value),
  );
  svg.closest(".picture").hidden = false;
  const world = make("g", {}, svg);
  const bonds = make("g", {}, world);
  const names = make("g", {}, svg);
  const spots = new Map();
  for (const node of top.descendants().slice(top.data.name ? 0 : 1)) {
    const leaf = !node.children;
    const group = make(leaf ? "a" : "g", { class: leaf ? `leaf s-${node.data.standing || "unbound"}` : "cluster" }, world);
    if (leaf) { group.setAttribute("href", node.data.href); group.setAttribute("tabindex", "-1"); }
    make("circle", { cx: node.x, cy: node.y, r: node.r }, group);
    make("title", {}, group).textContent = leaf ? `${node.data.standing || ""}: ${node.data.name}` : node.data.key || node.data.name;
    spots.set(node.data.id || node.data.key, node);
    if (node.data.key) spots.set(node.data.key.replace("/#", "#"), node);
    node.group = group;
  }
  world.append(bonds);
  const links = rows("graph-links").map((row) => ({ row, from: spots.get(row.dataset.from), to: spots.get(row.dataset.to), how: row.dataset.how }));
  for (const { from, to, how } of links.filter((link) => link.from && link.to)) {
    const bend = (from.x - to.x + from.y - to.y) / 6;
    make("path", { class: `bond ${how.split(" ")[0]}`, d: `M${from.x},${from.y}Q${(from.x + to.x) / 2 + bend},${(from.y + to.y) / 2 - bend} ${to.x},${to.y}` }, bonds);
  }

  let view = { x: 0, y: 0, width: SIZE };
  const show = () => {
    const box = svg.getBoundingClientRect();
    const scale = box.width / view.width;
    svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.width} ${(view.width * box.height) / box.width}`);
    names.replaceChildren();
    const seen = (node) => node.x + node.r > view.x && node.x - node.r < view.x + view.width && node.y + node.r > view.y && node.y - node.r < view.y + view.width;
    const size = 12 / scale;
    const placed = []; // names that would lie on another are left out, the inner ones first
    for (const node of top.descendants()) {
      const wide = node.r * 2 * scale;
      const text = node.children ? node.data.name : node.data.name.slice(0, 60);
      if (!text || !seen(node) || wide < (node.children ? 70 : 140) || wide > box.width * 2 || placed.length > 80) continue;
      const [x, y] = [node.x, node.children ? node.y - node.r + size * 1.2 : node.y];
      if (placed.some((other) => Math.abs(other[1] - y) < size * 1.2 && Math.abs(other[0] - x) * scale < 90)) continue;
      placed.push([x, y]);
      const shown = text.length * 6.5 > wide ? `${text.slice(0, Math.max(3, Math.floor(wide / 6.5) - 1))}…` : text;
      make("text", { x, y, "font-size": size }, names).textContent = shown;
    }
  };
  const whole = () => {
    const box = svg.getBoundingClientRect();
    view = { x: 0, y: 0, width: SIZE };
    if (box.width > box.height) { view.width = (SIZE * box.width) / box.height; view.x = (SIZE - view.width) / 2; }
    show();
  };
  svg.addEventListener("wheel", (event) => {
    event.preventDefault();
    const box = svg.getBoundingClientRect();
    const by = Math.exp(event.deltaY / 500);
    const [px, py] = [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.width];
    const width = Math.min(Math.max(view.width * by, 5), SIZE * 4);
    view = { x: view.x + px * (view.width - width), y: view.y + py * (view.width - width), width };
    show();
  }, { passive: false });
  let held = null;
  svg.addEventListener("pointerdown", (event) => { held = { x: event.clientX, y: event.clientY, moved: false }; });
  svg.addEventListener("pointermove", (event) => {
    if (!held || !event.buttons) return;
    const scale = view.width / svg.getBoundingClientRect().width;
    if (Math.hypot(event.clientX - held.x, event.clientY - held.y) > 3) held.moved = true;
    view = { ...view, x: view.x - (event.clientX - held.x) * scale, y: view.y - (event.clientY - held.y) * scale };
    held = { ...held, x: event.clientX, y: event.clientY };
    show();
  });
  svg.addEventListener("click", (event) => { if (held?.moved) event.preventDefault(); held = null; });
  svg.addEventListener("dragstart", (event) => event.preventDefault());
  svg.addEventListener("dblclick", whole);
  for (const node of top.leaves()) {
    const light = (on) => { node.group.classList.toggle("lit", on); };
    node.data.row?.addEventListener("pointerenter", () => light(true));
    node.data.row?.addEventListener("pointerleave", () => light(false));
    node.group.addEventListener("pointerenter", () => { document.getElementById("graph-about").textContent = `${node.data.standing || ""}: ${node.data.name}`; });
  }
  addEventListener("resize", show);
  whole();
}
