// The built page in a browser, from end to end: games, rules that need telling, records, languages, looks.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createRequire } from "node:module";
import { gzipSync } from "node:zlib";
import { HERE, SITE, at, begin, browser, choices, open, playOn, serve, serveHere, square, status, turns, until } from "./harness.mjs";

const PICTURES = join(HERE, "pictures");
const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** White takes d3 by several steps, of which one goes on. */
const CHAIN = "bwwbw/bwbwb/bw1bb/wbwww/wwbbb w m - 0";
/** Black's only stone has no step. */
const BLOCKED = "5/5/4w/w4/bw3 w m - 0";

let site;
let chromium;

before(async () => {
  mkdirSync(PICTURES, { recursive: true });
  site = await serve();
  chromium = await browser();
});

after(async () => {
  await chromium.close();
  site.end();
});

/** A test with a page of its own; nothing may go wrong in it. */
function seen(name, kept, options, work) {
  test(name, { timeout: 300_000 }, async () => {
    const page = await open(chromium, site.address, kept, options);
    try {
      await work(page);
      assert.deepEqual(page.wrong, []);
    } finally {
      await page.context().close();
    }
  });
}

const picture = (page, name) => page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true });

async function accessible(page, where) {
  // Not as a script tag: the page's own policy refuses that.
  await page.evaluate(await readFile(AXE, "utf8"));
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  const told = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`);
  assert.deepEqual(told, [], where);
}

seen("a whole game against the machine by clicks alone", {}, {}, async (page) => {
  await begin(page, { rules: "sija", w: "person", b: "medium" });
  const plies = await playOn(page, (name) => square(page, name).click());
  assert.ok(plies > 12, "White placed twelve stones and moved");
  assert.match(await status(page), /wins: too few stones are left|Draw/);
  assert.deepEqual((await choices(page)).active, [], "nothing can be played any more");
  await picture(page, "won");
});

seen("a whole game against the machine by the keyboard alone", at("sija", null, { w: "easy", b: "person" }), {}, async (page) => {
  // The Tab key leads to the board, arrows to a square.
  const go = async (name) => {
    for (let tabs = 0; !(await page.evaluate(() => document.activeElement?.dataset?.square)); tabs++) {
      assert.ok(tabs < 30, "the Tab key leads to the board");
      await page.keyboard.press("Tab");
    }
    const here = await page.evaluate(() => document.activeElement.dataset.square);
    const press = async (key, times) => {
      for (let time = 0; time < times; time++) await page.keyboard.press(key);
    };
    const [files, ranks] = [name.charCodeAt(0) - here.charCodeAt(0), name[1] - here[1]];
    await press(files > 0 ? "ArrowRight" : "ArrowLeft", Math.abs(files));
    await press(ranks > 0 ? "ArrowUp" : "ArrowDown", Math.abs(ranks));
    assert.equal(await page.evaluate(() => document.activeElement.dataset.square), name);
    await page.keyboard.press("Enter");
  };
  await playOn(page, go);
  assert.match(await status(page), /wins|Draw/);
});

seen("a chain is shown, goes on with a stone, and may be stopped", at("sija", CHAIN), {}, async (page) => {
  await square(page, "d4").click();
  const { targets, takes } = await choices(page);
  assert.deepEqual(targets, ["c3"], "the one empty square");
  assert.deepEqual(takes, ["c3"]);
  await square(page, "c3").hover();
  assert.equal(await page.locator(".threatened").count(), 2, "what it would take is shown");
  await square(page, "c3").click();
  await until(page, /White may capture again, or stop/);
  assert.equal(await page.locator(".chain").getAttribute("data-square"), "c3");
  assert.equal(await page.locator(".ghost").count(), 2, "what was taken is seen");
  await picture(page, "chain");
  await page.click("#stop");
  await until(page, /Black moves/);
  assert.match((await turns(page))[0], /d4-c3 ×.*stop/);
  assert.ok(await page.locator("#stop").isHidden());
});

seen("a stone is dragged, and one that is dropped elsewhere stays", at("sija", CHAIN), {}, async (page) => {
  const middle = async (name) => {
    const box = await square(page, name).boundingBox();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  const drag = async (from, to) => {
    await page.mouse.move(...(await middle(from)));
    await page.mouse.down();
    await page.mouse.move(...(await middle(to)), { steps: 8 });
    await page.mouse.up();
  };
  await drag("d4", "a1");
  assert.deepEqual(await turns(page), []);
  await page.keyboard.press("Escape");
  await drag("d4", "c3");
  await until(page, /White may capture again/);
});

seen("a side that is skipped is told", at("kawu", BLOCKED), {}, async (page) => {
  await square(page, "e3").click();
  await square(page, "e4").click();
  await page.waitForFunction(() => /Black had no step and missed its turn/.test(document.querySelector("#last").textContent));
  assert.match(await status(page), /White moves/);
});

seen("a way must be opened for a side that is blocked", at("siga", "5/5/4w/w3w/bw1wb w m - 0"), {}, async (page) => {
  await square(page, "e3").click();
  await square(page, "e4").click();
  await until(page, /White moves, and must open a way for Black if it can/);
  assert.match(await page.textContent("#last"), /Black had no step/);
  const { movable } = await choices(page);
  assert.deepEqual(movable.sort(), ["a2", "b1", "d1", "e2"], "only what stands in the way");
  await picture(page, "must-open");
});

seen("languages are switched and kept", at("siga"), {}, async (page) => {
  await page.selectOption("#language", "ru");
  await until(page, /Белые ставят камень/);
  assert.equal(await page.getAttribute("html", "lang"), "ru");
  await square(page, "a1").click();
  await page.selectOption("#language", "hu");
  await until(page, /Világos követ tesz le/);
  await page.reload();
  await page.waitForSelector(".square");
  await until(page, /Világos követ tesz le/);
  assert.equal(await page.locator(".stone").count(), 1, "and the game is there");
  await picture(page, "hungarian");
});

seen("the browser's language is spoken at first", {}, { locale: "ru-RU" }, async (page) => {
  assert.equal(await page.getAttribute("html", "lang"), "ru");
});

seen("a record is saved and loaded", at("sija", CHAIN), {}, async (page) => {
  await square(page, "d4").click();
  await square(page, "c3").click();
  await until(page, /White may capture again/);
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#save")]);
  const record = await readFile(await download.path(), "utf8");
  assert.equal(JSON.parse(record).plies[0].played, "d4-c3");
  await page.click("#undo");
  await until(page, /White moves/);
  const give = (text) => page.setInputFiles("#file", { name: "game.jsonl", mimeType: "text/plain", buffer: Buffer.from(text) });
  await give(record);
  await until(page, /White may capture again/);
  assert.match((await turns(page))[0], /d4-c3/);
  await give("this is no record");
  await page.waitForFunction(() => /no record of a game/.test(document.querySelector("#notice").textContent));
  assert.match((await turns(page))[0], /d4-c3/, "the game is as it was");
});

seen("taking back, resigning and counting", at("kawu", "5/5/4w/1w3/bw3 w m - 0"), {}, async (page) => {
  await square(page, "e3").click();
  await square(page, "e4").click();
  await until(page, /Black moves/);
  await page.click("#resign");
  await page.click("#ask-dialog button[value=yes]");
  await until(page, /White wins: resigned/);
  await page.click("#undo");
  await until(page, /Black moves/);
  assert.equal((await turns(page)).length, 1, "the end alone is taken back at first");
  await page.click("#undo");
  await until(page, /White moves/);
  await page.click("#count");
  await page.click("#ask-dialog button[value=no]");
  assert.match(await status(page), /White moves/);
  await page.click("#count");
  await page.click("#ask-dialog button[value=yes]");
  await until(page, /White wins: stones are counted by agreement/);
});

seen("against the machine, taking back gives the person's ply back", at("sija", null, { w: "person", b: "easy" }), {}, async (page) => {
  await square(page, "a1").click();
  await square(page, "b1").click();
  await page.waitForFunction(() => document.querySelectorAll(".stone").length === 4);
  await until(page, /White places a stone. Left in this turn: 2/);
  await page.click("#undo");
  await until(page, /White places a stone. Left in this turn: 1/);
  assert.equal(await page.locator(".stone").count(), 1);
});

seen("an earlier position is looked at, and the game goes on from where it was", at("kawu", BLOCKED), {}, async (page) => {
  for (const name of ["e3", "e4", "e4", "e3"]) await square(page, name).click();
  await page.waitForFunction(() => document.querySelectorAll("#moves li button").length === 2);
  await page.click("#moves li:first-child button");
  await page.waitForSelector("#back:not([hidden])");
  assert.match(await square(page, "e4").getAttribute("aria-label"), /white stone/);
  assert.deepEqual((await choices(page)).active, []);
  await page.click("#back");
  assert.match(await square(page, "e3").getAttribute("aria-label"), /white stone/);
});

seen("analysis, hint and heat", { ...at("sija", CHAIN), analyse: true }, {}, async (page) => {
  await page.waitForFunction(() => /White wins \d+ %/.test(document.querySelector("#analysis").textContent));
  assert.match(await page.textContent("#analysis"), /network sija, \d+ simulations/);
  assert.ok((await page.locator(".heated").count()) > 0);
  await page.click("#hint");
  await page.waitForFunction(() => /The strong player would play/.test(document.querySelector("#notice").textContent));
  assert.ok((await page.locator(".hinted").count()) > 0);
  await picture(page, "analysis");
});

seen("where no network knows the rules, alpha-beta plays and the page says so", at("siga/9", null, { w: "strong", b: "person" }), {}, async (page) => {
  await page.waitForFunction(() => document.querySelectorAll(".stone").length === 2);
  assert.match(await page.textContent("#by"), /alpha-beta/);
  await page.check("#analyse");
  assert.match(await page.textContent("#analysis"), /No network knows these rules/);
});

seen("clicks that come too fast do nothing", at("sija", null, { w: "person", b: "easy" }), {}, async (page) => {
  await square(page, "a1").dblclick();
  await until(page, /White places a stone. Left in this turn: 1/);
  assert.equal(await page.locator(".stone").count(), 1);
  // Before the machine has answered, its stones are not the person's to place.
  await page.evaluate(() => {
    for (const name of ["b1", "c1", "d1"]) document.querySelector(`[data-square="${name}"]`).click();
  });
  await until(page, /White places a stone. Left in this turn: 2/);
  const sides = await page.evaluate(() => [...document.querySelectorAll(".stone")].map((stone) => stone.classList[1]).sort().join(""));
  assert.equal(sides, "bbww");
});

seen("an earlier position stays in sight while the machines play, and they can be made to wait", at("sija", null, { w: "easy", b: "easy" }), {}, async (page) => {
  await page.waitForFunction(() => document.querySelectorAll("#moves li button").length >= 2);
  await page.click("#moves li:first-child button");
  await page.waitForSelector("#back:not([hidden])");
  await page.waitForFunction(() => document.querySelectorAll("#moves li button").length >= 4);
  assert.equal(await page.locator(".stone").count(), 2);
  await page.click("#pause");
  await page.click("#back");
  const stones = await page.locator(".stone").count();
  await page.waitForTimeout(1500);
  assert.equal(await page.locator(".stone").count(), stones);
  await page.click("#undo");
  await page.waitForFunction((count) => document.querySelectorAll(".stone").length === count, stones - 1);
  await page.click("#pause");
  await page.waitForFunction((count) => document.querySelectorAll(".stone").length > count, stones);
});

test("a network that does not arrive is asked for again", { timeout: 60_000 }, async () => {
  const page = await open(chromium, site.address, at("sija", null, { w: "strong", b: "person" }), {}, async (page) => {
    await page.route("**/networks/**", (route) => route.abort());
  });
  await until(page, /The machine can't think now/);
  await page.unroute("**/networks/**");
  await page.click("#retry");
  await until(page, /Black places a stone/);
  await page.context().close();
});

test("a page whose engine does not arrive says so, speaks, and begins when asked again", { timeout: 60_000 }, async () => {
  const page = await open(chromium, site.address, {}, {}, async (page) => {
    await page.route("**/engine.json", (route) => route.abort());
  });
  await until(page, /The page could not be loaded/);
  await page.selectOption("#language", "hu");
  await page.waitForFunction(() => document.title === "Szidzsa");
  await page.unroute("**/engine.json");
  await page.click("#retry");
  await until(page, /Világos követ tesz le/);
  await page.context().close();
});

test("what an older page left does no harm", { timeout: 60_000 }, async () => {
  const left = [{ game: { rules: "sija" } }, { game: { rules: "none", plies: ["a1"] } }, { game: 7, seats: 1, theme: [] }, 5];
  for (const kept of left) {
    const page = await open(chromium, site.address, kept);
    await until(page, /White places a stone/);
    await square(page, "a1").click();
    await page.waitForFunction(() => document.querySelectorAll(".stone").length === 1);
    assert.deepEqual(page.wrong, []);
    await page.context().close();
  }
});

seen("alpha-beta plays soon on the largest board too", at("szidzsa/9", null, { w: "strong", b: "person" }), {}, async (page) => {
  const rules = "szidzsa/9";
  // A board with many steps: what is left after a long game.
  const row = (first) => (first ? "w1b1w1b1w" : "1b1w1b1w1");
  const start = `${[...Array(9).keys()].map((rank) => row(rank % 2 === 0)).join("/")} w m - 0`;
  const kept = at(rules, start, { w: "strong", b: "person" });
  await page.evaluate((kept) => localStorage.setItem("seega", JSON.stringify(kept)), kept);
  const begun = Date.now();
  await page.reload();
  await page.waitForSelector(".square");
  await page.waitForFunction(() => document.querySelectorAll("#moves li button").length > 0);
  const time = Date.now() - begun;
  console.log(`alpha-beta on 9×9: ${time} ms with the page's loading`);
  assert.ok(time < 3000, `${time} ms`);
});

test("the server's page: a game is played, exact values are told, and waiting does no harm", { timeout: 300_000 }, async () => {
  const here = await serveHere();
  try {
    const page = await open(chromium, here.address, { ...at("seega", "5/1wb1w/5/5/5 w m - 0"), analyse: true });
    await page.waitForFunction(() => /Exact, by endgame tables: White wins/.test(document.querySelector("#analysis").textContent));
    await begin(page, { rules: "sija", w: "person", b: "easy" });
    // Every answer comes late.
    await page.route("**/ask", async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 200));
      await route.continue();
    });
    await until(page, /White places/);
    await square(page, "a1").dblclick();
    await until(page, /Left in this turn: 1/);
    await page.unrouteAll({ behavior: "ignoreErrors" });
    // A server that is away for a moment loses no game.
    await page.route("**/ask", (route) => route.abort());
    await page.reload();
    await until(page, /The page could not be loaded/);
    await page.unrouteAll({ behavior: "ignoreErrors" });
    page.wrong.length = 0;
    await page.click("#retry");
    await until(page, /Left in this turn: 1/);
    await page.uncheck("#analyse");
    await playOn(page, (name) => square(page, name).click());
    assert.match(await status(page), /wins|Draw/);
    assert.deepEqual(page.wrong, []);
    await page.context().close();
  } finally {
    here.end();
  }
});

seen("every preset begins on every board", {}, {}, async (page) => {
  await page.click("#new");
  const names = await page.locator("#new-rules option").allInnerTexts();
  await page.click("#new-dialog button[value=cancel]");
  assert.equal(names.length, 10);
  for (const name of names) {
    for (const size of [5, 7, 9]) {
      await begin(page, { rules: name, size, w: "person", b: "easy" });
      assert.match(await page.textContent("#rules-title"), new RegExp(`rules of ${name}$`));
      assert.ok((await choices(page)).active.length >= size * size - 5);
    }
  }
});

seen("the strongest level answers within a second on 5×5, and the page is never held up", at("sija", null, { w: "person", b: "strong" }), {}, async (page) => {
  // The first answer loads the network.
  await square(page, "a1").click();
  await square(page, "e5").click();
  await until(page, /White places a stone. Left in this turn: 2/);
  const { longest, gaps } = await page.evaluate(async () => {
    let last = performance.now();
    let gaps = 0;
    let running = true;
    const tick = () => {
      const now = performance.now();
      gaps = Math.max(gaps, now - last);
      last = now;
      if (running) requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
    let longest = 0;
    const stones = () => document.querySelectorAll(".stone").length;
    const wait = async (count) => {
      const start = performance.now();
      while (stones() < count) await new Promise((resolve) => setTimeout(resolve, 10));
      return performance.now() - start;
    };
    for (let turn = 0; turn < 3; turn++) {
      for (let stone = 0; stone < 2; stone++) {
        const before = stones();
        document.querySelector(".square.active").click();
        await wait(before + 1);
      }
      const before = stones();
      longest = Math.max(longest, await wait(before + 1), await wait(before + 2));
      while (!document.querySelector(".square.active")) await new Promise((resolve) => setTimeout(resolve, 10));
    }
    running = false;
    return { longest, gaps };
  });
  console.log(`strong level: ${longest.toFixed(0)} ms at most (the page waits 500 before it shows a ply), frames ${gaps.toFixed(0)} ms apart at most`);
  assert.ok(longest < 1000, `${longest} ms`);
  assert.ok(gaps < 400, `${gaps} ms`);
});

test("a first visit loads less than 2 MB, without the network", async () => {
  const files = (await readdir(SITE, { recursive: true, withFileTypes: true })).filter((file) => file.isFile());
  const loaded = files.filter((file) => !file.name.endsWith(".safetensors"));
  const sizes = await Promise.all(loaded.map(async (file) => gzipSync(await readFile(join(file.parentPath, file.name))).length));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  console.log(`first visit: ${(bytes / 1e6).toFixed(2)} MB compressed`);
  assert.ok(loaded.some((file) => file.name.endsWith(".wasm")));
  assert.ok(bytes < 2e6, `${bytes} bytes`);
});

for (const scheme of ["light", "dark"]) {
  seen(`nothing is wrong with its accessibility, ${scheme}`, { ...at("sija", CHAIN), analyse: true }, { colorScheme: scheme }, async (page) => {
    await page.waitForFunction(() => /White wins/.test(document.querySelector("#analysis").textContent));
    await accessible(page, "analysis");
    await square(page, "d4").click();
    await square(page, "c3").click();
    await until(page, /White may capture again/);
    await accessible(page, "a chain");
    await picture(page, `game-${scheme}`);
    await page.click("#new");
    await accessible(page, "a new game");
    await page.click("#new-dialog button[value=cancel]");
    await page.click("#resign");
    await accessible(page, "a question");
    await page.click("#ask-dialog button[value=yes]");
    await until(page, /Black wins/);
    await accessible(page, "the end");
  });
}

for (const language of ["en", "ru", "hu"]) {
  seen(`a phone's width is enough, ${language}`, { ...at("szidzsa"), language, analyse: true }, { viewport: { width: 360, height: 740 }, hasTouch: true }, async (page) => {
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 360, `${width} pixels`);
    const box = await page.locator("#board").boundingBox();
    assert.ok(box.width > 280 && box.x >= 0 && box.x + box.width <= 360, JSON.stringify(box));
    await square(page, "a1").tap();
    await page.waitForFunction(() => document.querySelectorAll(".stone").length === 1);
    await picture(page, `phone-${language}`);
  });
}
