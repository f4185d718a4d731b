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
  const asked = fetch(svg.dataset.source).then((answer) => (answer.ok ? answer.json() : Promise.reject(answer.status)));
  const script = document.createElement("script");
  script.src = "/static/d3-hierarchy.min.js";
  script.addEventListener("load", () => asked.then((found) => draw(svg, found), () => {})); // the table has it all
  document.head.append(script);
}

/**
 * Folders, files and symbols as circles in circles, so that what belongs together lies together. Of thousands only the
 * largest that can be seen are drawn: a folder is a filled circle until it is large enough to look into.
 */
function draw(svg, { nodes, tasks, links, full }) {
  const SIZE = 1000;
  const MOST = 2500; // circles at once
  const OPENS = 24; // pixels across, from which a circle shows what is in it
  const TIED = 200; // connections at once
  const make = (name, values, parent) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(values)) made.setAttribute(key, value);
    if (parent) parent.append(made);
    return made;
  };
  const root = { name: "", key: "", children: new Map() };
  const grow = (steps, leaf) => {
    let at = root;
    for (const step of steps) {
      if (!at.children.has(step)) at.children.set(step, { name: step, key: [at.key, step].filter(Boolean).join(step[0] === "#" ? "" : "/"), children: new Map() });
      at = at.children.get(step);
    }
    at.children.set(Symbol(leaf.id), leaf);
  };
  for (const [id, text, standing, path, symbol] of nodes) {
    const steps = path ? path.split("/") : ["whole workspace"];
    if (symbol) steps.push(`#${symbol}`);
    grow(steps, { id, name: text, href: `/belief/${encodeURIComponent(id)}`, standing });
  }
  for (const [id, title, day] of tasks) grow(["tasks"], { id, name: title, href: `/timeline?zoom=day&day=${day}`, standing: "task" });
  const shape = (node) => { // a chain of folders with nothing else in it is one circle
    if (!node.children) return node;
    let children = [...node.children.values()];
    let { name, key } = node;
    while (children.length === 1 && children[0].children) {
      name = name ? `${name}/${children[0].name}` : children[0].name;
      key = children[0].key;
      children = [...children[0].children.values()];
    }
    return { name, key, children: children.map(shape) };
  };
  const top = d3.pack().size([SIZE, SIZE]).padding((node) => (node.height > 1 ? 6 : 2))(
    d3.hierarchy(shape(root)).sum((node) => (node.children ? 0 : 1)).sort((a, b) => b.value - a.value),
  );
  top.eachAfter((node) => { // a circle that is not looked into still says that something in it broke
    node.broken = node.children ? node.children.reduce((sum, child) => sum + child.broken, 0) : Number(["contradicted", "orphaned"].includes(node.data.standing));
  });
  document.getElementById("graph-full").hidden = !full;
  svg.closest(".picture").hidden = false;
  const world = make("g", {}, svg);
  const bonds = make("g", {}, svg);
  const names = make("g", {}, svg);
  const spots = new Map();
  for (const node of top.descendants()) {
    if (node.data.id) spots.set(node.data.id, node);
    else spots.set(node.data.key, node);
  }
  const ends = links.map(([one, other, how]) => ({ from: spots.get(one), to: spots.get(other), how })).filter(({ from, to }) => from && to);
  const bind = (chosen) => { // one path for each kind
    const bends = new Map();
    for (const { from, to, how } of chosen) {
      const bend = (from.x - to.x + from.y - to.y) / 6;
      const kind = how.split(" ")[0];
      bends.set(kind, `${bends.get(kind) || ""}M${from.x},${from.y}Q${(from.x + to.x) / 2 + bend},${(from.y + to.y) / 2 - bend} ${to.x},${to.y}`);
    }
    bonds.replaceChildren(...[...bends].map(([kind, d]) => make("path", { class: `bond ${kind}`, d }, null)));
  };
  let pointed = null;
  const within = (node) => { while (node && node !== pointed) node = node.parent; return node; };
  const connect = () => { // where there are many, those of the circle under the pointer alone
    const near = ends.filter(({ from, to }) => seen(from) && seen(to));
    const its = pointed ? ends.filter(({ from, to }) => !within(from) !== !within(to) || from === pointed || to === pointed) : [];
    bind([...(near.length <= TIED ? near : []), ...its.slice(0, TIED)]);
  };

  const told = (node) => (node.children ? `${node.data.key || "all"}: ${node.value}${node.broken ? `, ${node.broken} contradicted or orphaned` : ""}` : `${node.data.standing}: ${node.data.name}`);
  const grouped = new Map(); // the drawn ones, by their element too
  const element = (node) => {
    const leaf = !node.children;
    const folder = node.data.key.split("#")[0];
    const group = make("a", leaf ? { class: `leaf s-${node.data.standing || "unbound"}`, href: node.data.href } : { class: node.broken ? "cluster broken" : "cluster", href: `/graph?under=${encodeURIComponent(folder)}` }, null);
    group.setAttribute("tabindex", "-1");
    make("circle", { cx: node.x, cy: node.y, r: node.r }, group);
    make("title", {}, group).textContent = told(node);
    group.node = node;
    return group;
  };
  for (const node of top.leaves()) node.data.key = "";
  let view = { x: 0, y: 0, width: SIZE };
  const seen = (node) => node.x + node.r > view.x && node.x - node.r < view.x + view.width && node.y + node.r > view.y && node.y - node.r < view.y + view.height;
  const chosen = (scale) => { // the largest are looked into first, as long as there is room
    const found = new Set();
    let level = [top];
    while (level.length) {
      const next = [];
      for (const node of level.sort((a, b) => b.r - a.r)) {
        if (node !== top) found.add(node);
        const inner = node.children && node.r * 2 * scale >= OPENS ? node.children.filter(seen) : [];
        if (found.size + next.length + inner.length <= MOST) next.push(...inner);
      }
      level = next;
    }
    return found;
  };
  const show = () => {
    const box = svg.getBoundingClientRect();
    if (!box.width) return; // on paper
    const scale = box.width / view.width;
    view.height = (view.width * box.height) / box.width;
    svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.width} ${view.height}`);
    const wanted = chosen(scale);
    for (const [node, group] of grouped) if (!wanted.has(node)) { group.remove(); grouped.delete(node); }
    const added = document.createDocumentFragment();
    for (const node of wanted) {
      if (!grouped.has(node)) { grouped.set(node, element(node)); added.append(grouped.get(node)); }
      if (node.children) grouped.get(node).classList.toggle("closed", !node.children.some((child) => wanted.has(child)));
    }
    world.append(added);
    connect();
    names.replaceChildren();
    const size = 12 / scale;
    const placed = []; // names that would lie on another are left out, the outer ones first
    for (const node of wanted) {
      const wide = node.r * 2 * scale;
      const text = node.children ? `${node.data.name} ${node.value}` : node.data.name.slice(0, 60);
      if (wide < (node.children ? 70 : 140) || wide > box.width * 2 || placed.length > 80) continue;
      const [x, y] = [node.x, node.children ? node.y - node.r + size * 1.2 : node.y];
      if (placed.some((other) => Math.abs(other[1] - y) < size * 1.2 && Math.abs(other[0] - x) * scale < 90)) continue;
      placed.push([x, y]);
      const shown = text.length * 6.5 > wide ? `${text.slice(0, Math.max(3, Math.floor(wide / 6.5) - 1))}…` : text;
      make("text", { x, y, "font-size": size }, names).textContent = shown;
    }
  };
  let due = 0; // a move is drawn once for each frame, however many events it has
  const soon = () => { due ||= requestAnimationFrame(() => { due = 0; show(); }); };
  const look = (x, y, width) => { // at the middle
    const box = svg.getBoundingClientRect();
    view = { x: x - width / 2, y: y - (width * box.height) / box.width / 2, width };
    soon();
  };
  const fit = (node) => {
    const box = svg.getBoundingClientRect();
    look(node.x, node.y, node.r * 2.1 * Math.max(1, box.width / box.height));
  };
  svg.addEventListener("wheel", (event) => {
    event.preventDefault();
    const box = svg.getBoundingClientRect();
    const [px, py] = [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.width];
    const width = Math.min(Math.max(view.width * Math.exp(event.deltaY / 500), 5), SIZE * 4);
    view = { x: view.x + px * (view.width - width), y: view.y + py * (view.width - width), width };
    soon();
  }, { passive: false });
  let held = null;
  svg.addEventListener("pointerdown", (event) => { held = { x: event.clientX, y: event.clientY, moved: false }; });
  svg.addEventListener("pointermove", (event) => {
    if (!held || !event.buttons) return;
    const scale = view.width / svg.getBoundingClientRect().width;
    const moved = held.moved || Math.hypot(event.clientX - held.x, event.clientY - held.y) > 3;
    if (!moved) return;
    view = { ...view, x: view.x - (event.clientX - held.x) * scale, y: view.y - (event.clientY - held.y) * scale };
    held = { x: event.clientX, y: event.clientY, moved };
    soon();
  });
  svg.addEventListener("click", (event) => {
    const node = event.target.closest("a")?.node;
    const plain = !(event.ctrlKey || event.metaKey || event.shiftKey);
    if (held?.moved || (node?.children && plain)) event.preventDefault();
    if (node?.children && plain && !held?.moved) fit(node);
    held = null;
  });
  svg.addEventListener("dragstart", (event) => event.preventDefault());
  svg.addEventListener("dblclick", () => fit(top));
  svg.addEventListener("pointerover", (event) => {
    const node = event.target.closest("a")?.node;
    if (!node || node === pointed) return;
    pointed = node;
    document.getElementById("graph-about").textContent = told(node);
    if (!event.buttons) connect();
  });
  for (const row of document.querySelectorAll("#graph-nodes tbody tr")) {
    const light = (on) => { // what is not drawn is in the circle around it
      let node = spots.get(row.dataset.id);
      while (node && !grouped.has(node)) node = node.parent;
      if (node) grouped.get(node).classList.toggle("lit", on);
      if (!on) for (const lit of world.querySelectorAll(".lit")) lit.classList.remove("lit");
    };
    row.addEventListener("pointerenter", () => light(true));
    row.addEventListener("pointerleave", () => light(false));
  }
  addEventListener("resize", soon);
  fit(top);
}
