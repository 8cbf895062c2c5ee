// A person at the pages: journeys through them, with keyboard, on a phone, without script, on
// paper; and axe-core over every kind of page in both palettes.
//   node --test journeys.mjs     (KI_BINARY names the program)
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";
import { browserOptions, operation, serveRegistry } from "./server.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
let server, browser;

before(async () => {
  server = await serveRegistry(process.env.KI_BINARY);
  browser = await chromium.launch(browserOptions);
}, { timeout: 120_000 });
after(async () => {
  await browser?.close();
  await server?.stop();
});

// Runs `steps` on a new page; no script error, no refused resource, no request elsewhere.
async function visit(options, steps) {
  const context = await browser.newContext({ baseURL: server.address, ...options });
  const page = await context.newPage();
  const trouble = [];
  page.on("pageerror", (error) => trouble.push(`script: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error" && !message.text().includes("404")) trouble.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(server.address)) trouble.push(`elsewhere: ${request.url()}`);
  });
  try {
    await steps(page, context);
  } finally {
    await context.close();
  }
  assert.deepEqual(trouble, []);
}

const runPath = () => `/runs/${server.seed}`;
const pages = () => [
  "/", "/search?q=", `/search?q=op:${operation}`, "/search?q=zzzz", `/operations/${operation}`, runPath(),
  `/runs/${server.retracted}`, "/records?source=0&baselines=1", "/gpus", "/gpus/nvidia-b200", "/models", "/projects",
  "/projects/sol-user-ac4k", "/feed", "/docs", "/docs/numbers", "/docs/api", "/sources", "/compare", "/nowhere",
  "/serving", "/serving?model=x&ttft=2000&tpot=none",
];

test("search, operation, implementation, run, compare, cite", async () => {
  await visit({}, async (page) => {
    await page.goto("/");
    await page.getByRole("searchbox").or(page.getByRole("combobox")).first().fill("kv cache update with rope backward");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/search\?q=/);
    await page.getByRole("heading", { level: 1 }).getByRole("link").click();
    await page.waitForURL(`**/operations/${operation}`);
    const answer = page.getByRole("region", { name: "Answer" });
    assert.match(await answer.innerText(), /First by reported value/);
    const rows = page.getByRole("region", { name: "Runs of this group" }).getByRole("row");
    assert.equal(await rows.count(), 3);
    await rows.nth(2).getByRole("rowheader").getByRole("link").click();
    await page.waitForURL(/\/implementations\//);
    await page.getByRole("region", { name: "Measured" }).getByRole("link").first().click();
    await page.waitForURL(runPath());
    assert.match(await page.locator(".readout").first().innerText(), /33\.9\s*µs\s*mean/);
    await page.getByRole("link", { name: "Compare with #1" }).click();
    await page.waitForURL(/\/compare\?/);
    assert.equal(await page.getByRole("heading", { name: "Comparable", exact: true }).count(), 1);
    await page.goBack();
    const bibtex = await page.getByRole("link", { name: "BibTeX" }).getAttribute("href");
    const cited = await (await fetch(server.address + bibtex)).text();
    assert.match(cited, /^@misc\{ki-b9be3851ba01fa36/);
  });
});

test("rows can be marked for comparison", async () => {
  await visit({}, async (page) => {
    await page.goto(`/operations/${operation}`);
    const boxes = page.getByRole("checkbox", { name: /^Compare / });
    await boxes.nth(0).check();
    await boxes.nth(1).check();
    await page.getByRole("button", { name: "Compare the marked runs" }).click();
    await page.waitForURL(/\/compare\?run=.*&run=/);
    assert.equal(await page.getByRole("img", { name: "Values of the compared runs" }).count(), 1);
  });
});

test("no result, and the neighbours of a case that nobody measured", async () => {
  await visit({}, async (page) => {
    await page.goto("/search?q=zzzz");
    assert.equal(await page.getByRole("heading", { name: "Nothing found" }).count(), 1);
    await page.goto(`/search?q=op:${operation}+gpu:H100`);
    assert.match(await page.getByRole("main").innerText(), /No exact result/);
  });
});

test("a retracted run stays readable under its banner", async () => {
  await visit({}, async (page) => {
    const response = await page.goto(`/runs/${server.retracted}`);
    assert.equal(response.status(), 200);
    assert.match(await page.getByRole("note").first().innerText(), /Retracted.*measured with the wrong clock/s);
    assert.doesNotMatch(await page.getByRole("main").innerText(), /Rank \d/);
  });
});

test("a note is written with the keyboard, without an account, and stays text", async () => {
  await visit({}, async (page) => {
    await page.goto(`/runs/${server.retracted}`);
    await page.getByText("Write a note").focus();
    await page.keyboard.press("Enter");
    await page.getByLabel("What", { exact: true }).selectOption("could_not_reproduce");
    await page.getByLabel("In words, up to 2,000 characters").fill("<img src=x onerror=alert(1)>\nnot on our B200");
    await page.getByLabel("Value that you measured").fill("2.5");
    await page.getByLabel("Its unit").selectOption("ms");
    await page.getByRole("button", { name: "Store the note" }).press("Enter");
    assert.match(await page.getByRole("main").innerText(), /Your note is stored/);
    const address = `${server.address}/runs/${server.retracted}`;
    const deadline = Date.now() + 10_000;
    while (!(await (await fetch(address)).text()).includes("not on our B200")) {
      assert.ok(Date.now() < deadline, "the note was not picked up");
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await page.getByRole("link", { name: /^Back to run/ }).click();
    const notes = page.getByRole("region", { name: "Replications and notes" });
    assert.match(await notes.innerText(), /Could not reproduce · .* · unsigned note/);
    assert.match(await notes.innerText(), /<img src=x onerror=alert\(1\)>/);
    assert.equal(await notes.locator("img").count(), 0);
  });
});

test("unknown addresses are real 404s with a way on", async () => {
  await visit({}, async (page) => {
    for (const path of ["/nowhere", "/runs/x", "/operations/x", "/implementations/x", "/projects/x", "/gpus/x", "/models/x"]) {
      const response = await page.goto(path);
      assert.equal(response.status(), 404, path);
      assert.equal(await page.getByRole("searchbox").or(page.getByRole("combobox")).count(), 1, path);
    }
  });
});

test("keyboard only: skip link, search key, suggestions, copy", async () => {
  await visit({ permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
    await page.goto("/records");
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to the content");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => document.activeElement.id), "main");
    await page.keyboard.press("/");
    assert.equal(await page.evaluate(() => document.activeElement.name), "q");
    await page.keyboard.type("kv");
    await page.locator(".suggest li").first().waitFor();
    await page.keyboard.press("ArrowDown");
    const chosen = await page.locator('.suggest [aria-selected="true"]').textContent();
    const answer = page.waitForResponse(/\/suggest\?q=kv%20c/);
    await page.keyboard.type(" c");
    await (await answer).finished();
    assert.equal(await page.locator('.suggest [aria-selected="true"]').textContent(), chosen, "a choice outlives newer suggestions");
    await page.keyboard.press("Escape");
    const final = page.waitForResponse(/\/suggest\?q=kv%20cache/);
    await page.keyboard.type("ache");
    await (await final).finished();
    await page.locator(".suggest li").first().waitFor();
    await page.keyboard.press("ArrowDown");
    assert.equal(await page.locator(".suggest li").first().getAttribute("aria-selected"), "true");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/operations\//);
    await page.goto(runPath());
    const copy = page.getByRole("button", { name: "Copy the digest" });
    await copy.focus();
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => [...document.querySelectorAll("button.copy")].some((b) => b.textContent === "Copied"));
    assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^sha256:[0-9a-f]{64}$/);
  });
});

test("phone width: nothing is cut off, values are in the row", async () => {
  await visit({ viewport: { width: 360, height: 740 } }, async (page) => {
    for (const path of pages()) {
      await page.goto(path);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(width <= 360, `${path} is ${width} pixels wide`);
    }
    await page.goto(`/operations/${operation}`);
    const value = page.getByRole("region", { name: "Runs of this group" }).locator("td.num").first();
    const box = await value.boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= 360);
    assert.match(await value.innerText(), /µs/);
    assert.ok(await page.getByRole("searchbox").or(page.getByRole("combobox")).first().isVisible());
  });
});

test("without script everything is there", async () => {
  await visit({ javaScriptEnabled: false }, async (page) => {
    await page.goto("/");
    await page.getByRole("searchbox").first().fill(`op:${operation}`);
    await page.getByRole("button", { name: "Search" }).first().click();
    await page.waitForURL(/\/search\?q=/);
    assert.match(await page.getByRole("region", { name: "Answer" }).innerText(), /µs/);
    const boxes = page.getByRole("checkbox", { name: /^Compare / });
    await boxes.nth(0).check();
    await boxes.nth(1).check();
    await page.getByRole("button", { name: "Compare the marked runs" }).click();
    await page.waitForURL(/\/compare\?/);
    await page.goto(runPath());
    assert.equal(await page.getByRole("button", { name: /^Copy/ }).count(), 0, "a button that could do nothing");
    await page.getByText("Show manifest").click();
    assert.ok(await page.getByRole("region", { name: "Canonical manifest as JSON" }).isVisible());
  });
});

test("print: dark text on white, no controls", async () => {
  await visit({ colorScheme: "dark" }, async (page) => {
    await page.goto(runPath());
    await page.emulateMedia({ media: "print" });
    assert.ok(!(await page.getByRole("navigation", { name: "Main" }).isVisible()));
    const [ink, paper] = await page.evaluate(() => [getComputedStyle(document.documentElement).color,
      getComputedStyle(document.documentElement).backgroundColor]);
    assert.equal(ink, "rgb(0, 0, 0)");
    assert.equal(paper, "rgb(255, 255, 255)");
    assert.ok((await page.pdf()).length > 10_000);
  });
});

for (const colorScheme of ["light", "dark"]) {
  test(`axe-core finds nothing on any page, ${colorScheme}`, async () => {
    await visit({ colorScheme, bypassCSP: true }, async (page) => {
      const found = [];
      const implementations = await (await fetch(`${server.address}${runPath()}`)).text();
      const implementation = /href="(\/implementations\/[^"]+)"/.exec(implementations)[1];
      const compare = /href="(\/compare\?[^"]+)"/.exec(implementations)[1].replaceAll("&amp;", "&");
      for (const path of [...pages(), implementation, compare]) {
        await page.goto(path);
        for (const details of await page.locator("details").all()) {
          await details.evaluate((element) => { element.open = true; });
        }
        await page.evaluate(axe);
        // Only contrast depends on the palette.
        const runOnly = colorScheme === "light"
          ? ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
          : { type: "rule", values: ["color-contrast", "link-in-text-block"] };
        const result = await page.evaluate((only) => window.axe.run(document, { runOnly: only }), runOnly);
        for (const violation of result.violations) {
          for (const node of violation.nodes) found.push(`${path}: ${violation.id}: ${node.html} ${node.failureSummary}`);
        }
      }
      assert.deepEqual(found, []);
    });
  });
}

test("pages are light over the wire", async () => {
  const weigh = async (path) => {
    const response = await fetch(server.address + path, { headers: { "accept-encoding": "gzip" } });
    return Number(response.headers.get("content-length"));
  };
  const home = await (await fetch(`${server.address}/`)).text();
  const assets = await weigh(/<link rel="stylesheet" href="([^"]+)"/.exec(home)[1]) + await weigh(/<script defer src="([^"]+)"/.exec(home)[1]);
  const limits = [[runPath(), 30], [`/search?q=op:${operation}`, 60], ["/records?source=0&baselines=1", 60]];
  for (const [path, kib] of limits) {
    const bytes = await weigh(path) + assets;
    assert.ok(bytes > 1000 && bytes <= kib * 1024, `${path}: ${bytes} bytes`);
  }
});
