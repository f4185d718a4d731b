/**
 * Looks at every page in a real Chromium, as a person does: with axe in light and dark, without JavaScript, by keys, and
 * with a graph of thousands of circles. `node browse.mjs ORDER` takes a JSON file and writes what it found to standard output.
 */
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const order = JSON.parse(readFileSync(process.argv[2], "utf8"));
const { chromium } = createRequire(path.join(order.driver, "package.json"))("playwright-core");
const axe = readFileSync(order.axe, "utf8");
mkdirSync(order.artefacts, { recursive: true });

const found = { faults: [], violations: [], seen: {} };
const browser = await chromium.launch({ executablePath: order.chromium, args: ["--no-sandbox"] });

/** The cookie that the link of the terminal gives, which every window here shares. */
const first = await browser.newContext();
const way = await first.newPage();
await way.goto(order.url + order.link);
await way.waitForURL(`${order.url}/`); // by itself, though the page before was another one's
const cookies = await first.cookies();
await way.goto(order.url + order.link); // which works once
const other = await browser.newContext();
const stranger = await other.newPage();
await stranger.goto(`${order.url}/beliefs`);
found.seen.again = new URL(stranger.url()).pathname;
await other.close();

async function entered(options) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  await context.addCookies(cookies);
  const page = await context.newPage();
  page.on("console", (message) => message.type() === "error" && found.faults.push(`${page.url()}: ${message.text()}`));
  page.on("pageerror", (error) => found.faults.push(`${page.url()}: ${error}`));
  page.on("dialog", (dialog) => { found.faults.push(`a script ran: ${dialog.message()}`); void dialog.dismiss(); });
  page.on("request", (request) => request.url().startsWith(order.url) || found.faults.push(`asked elsewhere: ${request.url()}`));
  return page;
}

for (const colorScheme of ["light", "dark"]) {
  // axe is put into the page from outside, which the page's own policy would not let in
  const page = await entered({ colorScheme, bypassCSP: true });
  for (const [name, address] of Object.entries(order.pages)) {
    await page.goto(order.url + address);
    if (name === "graph") await page.waitForSelector("#graph .leaf");
    await page.screenshot({ path: path.join(order.artefacts, `${name}-${colorScheme}.png`), fullPage: name === "belief" });
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
    for (const each of violations) found.violations.push(`${name} ${colorScheme}: ${each.id} ${each.help}: ${each.nodes.slice(0, 3).map((node) => node.html).join(" | ")}`);
  }
  await page.context().close();
}

{ // the page's own policy holds here: what breaks it is an error on the console
  const page = await entered({});
  for (const address of Object.values(order.pages)) await page.goto(order.url + address);
  await page.goto(`${order.url}/review`);
  found.seen.asked = await page.locator("h2").first().textContent();
  await page.keyboard.press("j");
  await page.waitForURL(/item=/);
  await page.keyboard.press("c");
  await page.waitForURL(/said=/);
  found.seen.decided = await page.locator(".done").textContent();
  await page.keyboard.press("z");
  await page.waitForFunction(() => document.querySelector(".done")?.textContent.includes("Taken back"));
  await page.goto(`${order.url}/beliefs`);
  await page.locator(".bulk .all").check();
  found.seen.chosen = await page.locator(".chosen").textContent();
  await page.keyboard.press("/");
  found.seen.focus = await page.evaluate(() => document.activeElement.name);
  if (order.pages.session) {
    await page.goto(order.url + order.pages.session);
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    found.seen.step = await page.evaluate(() => document.activeElement.id);
  }
  await page.goto(`${order.url}/graph`);
  await page.waitForSelector("#graph .leaf");
  found.seen.leaves = await page.locator("#graph .leaf").count();
  found.seen.circles = await page.locator("#graph circle").count();
  found.seen.broken = await page.locator("#graph .cluster.broken title").allTextContents();
  found.seen.drawn = await page.evaluate(async () => {
    const graph = document.querySelector("#graph");
    const box = graph.getBoundingClientRect();
    const began = performance.now();
    for (let turn = 0; turn < 10; turn++) {
      graph.dispatchEvent(new WheelEvent("wheel", { deltaY: -60, clientX: box.x + box.width / 2, clientY: box.y + box.height / 2, cancelable: true }));
      await new Promise((done) => requestAnimationFrame(done));
    }
    return Math.round((performance.now() - began) / 10);
  });
  await page.screenshot({ path: path.join(order.artefacts, "graph-zoomed.png") });
  await page.goto(`${order.url}/graph?under=client.py`);
  await page.waitForSelector("#graph .bond");
  found.seen.tied = await page.locator("#graph .bond").count();
  await page.goto(`${order.url}/graph`);
  await page.waitForSelector("#graph .leaf");
  const width = () => page.evaluate(() => Number(document.querySelector("#graph").getAttribute("viewBox").split(" ")[2]));
  const wide = await width();
  await page.evaluate(() => document.querySelectorAll("#graph .cluster")[3].dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true })));
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  found.seen.opened = Math.round(wide - (await width()));
  await page.context().close();
}

{ // reading and deciding without JavaScript
  const page = await entered({ javaScriptEnabled: false });
  await page.goto(`${order.url}/beliefs?q=${encodeURIComponent(order.word)}`);
  await page.locator("[name=id]").first().check();
  await page.locator("button[value=confirm]").click();
  found.seen.without = await page.locator(".done").textContent();
  await page.locator(".done button").click();
  found.seen.undone = await page.locator(".done").textContent();
  await page.goto(`${order.url}/graph`);
  found.seen.table = await page.locator("#graph-nodes tbody tr").count();
  await page.emulateMedia({ media: "print" });
  found.seen.printed = await page.locator(".filter").isVisible();
  await page.context().close();
}

{ // half a screen, and paper, on which the picture has no size
  const page = await entered({ viewport: { width: 640, height: 900 } });
  found.seen.wide = [];
  for (const [name, address] of Object.entries(order.pages)) {
    await page.goto(order.url + address);
    if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)) found.seen.wide.push(name);
  }
  await page.goto(`${order.url}/review`);
  found.seen.question = (await page.locator("h2").first().boundingBox()).y;
  await page.goto(`${order.url}/graph`);
  await page.waitForSelector("#graph .leaf");
  await page.emulateMedia({ media: "print" });
  await page.setViewportSize({ width: 794, height: 1123 });
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await page.context().close();
}
await browser.close();
console.log(JSON.stringify(found));
