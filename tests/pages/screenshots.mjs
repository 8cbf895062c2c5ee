// Pictures of every kind of page at three widths and in both palettes, to be looked at by a person.
//   tests/pages/screenshots KI FOLDER
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { browserOptions, operation, publicExport, serve, serveRegistry } from "./server.mjs";

const [ki, folder] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const exported = publicExport();
const server = exported ? await serve(ki, [["kernelindex", exported], ["manifest", "registry/groups"]]) : await serveRegistry(ki);
const seed = await (await fetch(`${server.address}/runs/sha256:b9be3851ba01fa36639e1781b1163df1094c0d27057f2f73b30c2c237f6e6423`)).text();
const pick = (pattern) => pattern.exec(seed)[1].replaceAll("&amp;", "&");
const pages = {
  home: "/", run: pick(/<link rel="canonical" href="([^"]+)"/).replace(/^https?:\/\/[^/]+/, ""), operation: `/operations/${operation}`,
  search: `/search?q=op:${operation}`, implementation: pick(/href="(\/implementations\/[^"]+)"/),
  compare: pick(/href="(\/compare\?[^"]+)"/), records: "/records", gpus: "/gpus", gpu: "/gpus/nvidia-b200", models: "/models",
  projects: "/projects", project: pick(/href="(\/projects\/[^"]+)"/), feed: "/feed", docs: "/docs", numbers: "/docs/numbers",
  api: "/docs/api", sources: "/sources", chooser: "/search?q=gemm", nothing: "/search?q=zzzz", notfound: "/nowhere",
  ...(exported ? { sweep: "/operations/gemm-n4096-k4096", nearest: "/search?q=op:gemm-n4096-k4096+m%3D3000",
    exact: "/search?q=op:gemm-n4096-k4096+m%3D120", model: "/models/deepseek-r1" } : {}),
};
const browser = await chromium.launch(browserOptions);
for (const [name, width, colorScheme] of [["wide", 1440, "light"], ["dark", 1440, "dark"], ["tablet", 820, "light"], ["phone", 360, "light"]]) {
  const context = await browser.newContext({ baseURL: server.address, viewport: { width, height: 900 }, colorScheme });
  const page = await context.newPage();
  for (const [key, path] of Object.entries(pages)) {
    if (process.env.KI_PAGES && !process.env.KI_PAGES.split(",").includes(key)) continue;
    await page.goto(path);
    await page.screenshot({ path: join(folder, `${key}-${name}.png`), fullPage: process.env.KI_FOLD !== "1" });
  }
  await context.close();
}
await browser.close();
await server.stop();
console.log(`pictures in ${folder}`);
