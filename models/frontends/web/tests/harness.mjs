// What the tests share: a server of the built page, a browser, and hands that play. The page is built by ../build.py.

import { createServer } from "node:http";
import { existsSync } from "node:fs";
import { execFileSync, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

export const HERE = fileURLToPath(new URL(".", import.meta.url));
export const SITE = process.env.SEEGA_SITE ?? join(HERE, "..", "dist");
export const PAGE = join(HERE, "..", "page");

const KINDS = {
  ".html": "text/html",
  ".css": "text/css",
  ".js": "text/javascript",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/** Serves the built page; gives its address and what ends it. */
export async function serve() {
  if (!existsSync(join(SITE, "engine.json"))) throw new Error(`${SITE} holds no built page; run build.py first`);
  const server = createServer(async (request, response) => {
    const path = normalize(new URL(request.url, "http://localhost").pathname);
    try {
      const bytes = await readFile(join(SITE, path === "/" ? "index.html" : path));
      response.writeHead(200, { "Content-Type": KINDS[extname(path) || ".html"] ?? "application/octet-stream" });
      response.end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { address: `http://127.0.0.1:${server.address().port}/`, end: () => server.close() };
}

/** Serves the page by the command, which thinks for it, with tables of three stones; gives its address and what ends it. */
export async function serveHere() {
  const root = join(HERE, "..", "..", "..", "..");
  const command = process.env.SEEGA ?? join(root, "target", "release", "seega");
  if (!existsSync(command)) throw new Error(`${command} is missing; build it, or name one by SEEGA=PATH`);
  const tables = await mkdtemp(join(tmpdir(), "seega-tables-"));
  execFileSync(command, ["exact", "build", "--rules", "seega", "--stones", "3", "--dir", join(tables, "seega")], { stdio: "ignore" });
  const served = spawn(command, ["serve", "--listen", "127.0.0.1:0", "--tables", tables], { cwd: root, stdio: ["ignore", "ignore", "pipe"] });
  const address = await new Promise((resolve, reject) => {
    let told = "";
    served.on("exit", () => reject(new Error(`the server ended: ${told}`)));
    served.stderr.on("data", (bytes) => {
      told += bytes;
      const found = told.match(/http:\/\/[^ ]+\//);
      if (found) resolve(found[0]);
    });
  });
  const end = async () => {
    served.removeAllListeners("exit");
    served.kill();
    await rm(tables, { recursive: true });
  };
  return { address, end };
}

/** The machine's Chromium. */
export async function browser() {
  const paths = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
  const executablePath = paths.find((path) => path && existsSync(path));
  if (!executablePath) throw new Error("no Chromium: apt-get install chromium, or name one by CHROMIUM=PATH");
  const quiet = ["--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", ...quiet] });
}

/**
 * Opens the page. Whatever goes wrong in it, and every request to another host, is kept in `page.wrong`.
 * @param kept what an earlier visit left: `{game, seats, language, analyse}`
 * @param before what is done with the page before it is loaded
 */
export async function open(browser, address, kept = {}, options = {}, before = async () => {}) {
  const context = await browser.newContext({ locale: "en-US", viewport: { width: 1200, height: 900 }, ...options });
  await context.addInitScript((kept) => {
    if (!localStorage.getItem("seega")) localStorage.setItem("seega", kept);
  }, JSON.stringify(kept));
  const page = await context.newPage();
  page.wrong = [];
  page.on("pageerror", (error) => page.wrong.push(error.message));
  page.on("console", (message) => message.type() === "error" && page.wrong.push(message.text()));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(address) && !/^(blob|data):/.test(url)) page.wrong.push(`asks ${url}`);
  });
  await before(page);
  await page.goto(address);
  await page.waitForFunction(() => document.querySelector(".square, #retry:not([hidden])"));
  return page;
}

/** Where a game begins: White's and Black's seats are people's unless told otherwise. */
export const at = (rules, start = null, seats = { w: "person", b: "person" }) => ({
  game: { rules, start, plies: [], ended: null },
  seats,
});

export const square = (page, name) => page.locator(`[data-square="${name}"]`);
export const status = (page) => page.textContent("#status");
/** All turns as they are listed. */
export const turns = (page) => page.locator("#moves li button").allInnerTexts();

/** Waits until the status reads so. */
export async function until(page, pattern) {
  await page.waitForFunction((source) => new RegExp(source).test(document.querySelector("#status").textContent), pattern.source);
}

/** What may be chosen now: squares to place on, stones that move, or squares where the stone in hand goes. */
export async function choices(page) {
  return page.evaluate(() => {
    const names = (selector) => [...document.querySelectorAll(selector)].map((element) => element.dataset.square);
    return { active: names(".square.active"), movable: names(".square.movable"), targets: names(".square.target"), takes: names(".square.takes") };
  });
}

/**
 * Begins another game by the dialog, and waits until it is there and may be played.
 * @param size the board's, by its rules' if it is not told
 */
export async function begin(page, { rules, size, w, b }) {
  await page.click("#new");
  await page.selectOption("#new-rules", rules);
  if (size) await page.selectOption("#new-size", String(size));
  await page.selectOption("#new-w", w);
  await page.selectOption("#new-b", b);
  await page.click("#new-dialog button[value=start]");
  // The game before may look the same: what the page remembers tells them apart.
  await page.waitForFunction(
    ([rules, size, w, b]) => {
      const { game, seats } = JSON.parse(localStorage.getItem("seega"));
      const begun = game.rules.split("/")[0] === rules && game.plies.length === 0 && seats.w === w && seats.b === b;
      const squares = document.querySelectorAll(".square").length;
      const there = size ? squares === size * size : squares > 0;
      return begun && there && (w !== "person" || document.querySelector(".square.active"));
    },
    [rules, size ?? null, w, b],
  );
}

/** Whether it is a person's ply, or the game is over. */
export async function settled(page) {
  await page.waitForFunction(() => !/thinking|Loading/.test(document.querySelector("#status").textContent));
  const over = /wins|Draw/.test(await status(page));
  return over ? "over" : "acting";
}

/**
 * Plays a game to its end.
 * @param choose does what a person does to choose a square: a click, or keys
 */
export async function playOn(page, choose, plies = 400) {
  let number = 0;
  const pick = (list) => list[(number * 7919 + 13) % list.length];
  for (; number < plies; number++) {
    if ((await settled(page)) === "over") return number;
    const before = await page.locator("#moves").innerText();
    const { active, movable, targets } = await choices(page);
    if (targets.length === 0 && movable.length > 0) await choose(pick(movable));
    const after = await choices(page);
    if (movable.length === 0) await choose(pick(active));
    else await choose(after.takes[0] ?? pick(after.targets));
    await page.waitForFunction((text) => document.querySelector("#moves").innerText !== text, before);
  }
  throw new Error(`the game did not end within ${plies} plies`);
}
