// A catalog in a folder of its own and `ki serve` over it, for the page tests.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, readdirSync, existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, dirname } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

// The newest export beside the checkout, or nothing.
export function publicExport() {
  const folder = join(root, "..", "shared", "data");
  if (!existsSync(folder)) return undefined;
  const files = readdirSync(folder).filter((name) => /^catalog-.*\.jsonl\.zst$/.test(name)).sort();
  return files.length ? join(folder, files.at(-1)) : undefined;
}

// {address, ki(args), stop()}; `imports` are lists of arguments of `ki import`.
export async function serve(ki, imports) {
  const folder = mkdtempSync(join(tmpdir(), "ki-pages-"));
  const catalog = join(folder, "catalog.db");
  const run = (args) => execFileSync(ki, [...args, "--catalog", catalog], { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 });
  for (const args of imports) run(["import", ...args]);
  const child = spawn(ki, ["serve", "--catalog", catalog, "--listen", "127.0.0.1:0", "--access-log", "off", "--rate-limit", "0", "--allow-notes", "anyone"],
    { cwd: root, stdio: ["ignore", "ignore", "pipe"] });
  const address = await new Promise((resolve, reject) => {
    let text = "";
    child.stderr.setEncoding("utf8");
    child.stderr.on("data", (chunk) => {
      text += chunk;
      const found = /listening on (http:\/\/\S+?),/.exec(text);
      if (found) resolve(found[1]);
    });
    child.on("exit", (code) => reject(new Error(`ki serve ended with ${code}: ${text}`)));
  });
  const stop = () => new Promise((resolve) => {
    child.removeAllListeners("exit");
    child.on("exit", () => { rmSync(folder, { recursive: true, force: true }); resolve(); });
    child.kill("SIGTERM");
  });
  return { address, ki: run, stop };
}

// What the bundled registry holds; run ids are made at import.
export async function serveRegistry(ki) {
  const server = await serve(ki, [["manifest", "registry/groups"]]);
  const idOf = async (digest) => {
    const page = await (await fetch(`${server.address}/runs/${digest}`)).text();
    return /<link rel="canonical" href="[^"]*\/runs\/([0-9a-f-]{36})"/.exec(page)[1];
  };
  server.seed = await idOf("sha256:b9be3851ba01fa36639e1781b1163df1094c0d27057f2f73b30c2c237f6e6423");
  server.retracted = await idOf("sha256:449ac0a4bf174ec0ad6110c5275a6db1be2592a54b213acf897613715f8da89d");
  server.ki(["retract", server.retracted, "--reason", "measured with the wrong clock"]);
  const deadline = Date.now() + 5000;
  for (;;) {  // a publication in another process is picked up within a second
    const page = await (await fetch(`${server.address}/runs/${server.retracted}`)).text();
    if (page.includes("Retracted")) return server;
    if (Date.now() > deadline) throw new Error("the retraction was not picked up");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export const operation = "062-kv-cache-update-with-rope-backward";

export const browserOptions = {
  executablePath: process.env.KI_CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking",
    "--disable-component-update", "--disable-sync"],
};
