// The page: begins it, and joins what the reader does to the match and what the match becomes to what is seen.

import { Board } from "./board.js";
import { confirmed, NewGame } from "./dialogs.js";
import { connect, Refused } from "./engine.js";
import * as kept from "./kept.js";
import { Match, SEATS, whole } from "./match.js";
import { show } from "./panels.js";
import { load, save } from "./records.js";
import { LANGUAGES, preferred, side, speak, t } from "./texts.js";

const $ = (id) => document.getElementById(id);

let match = null;
let presets = [];
let board = null;

/** Shows what there is, and remembers it. */
function changed() {
  const { game, seats, shown, hint, thought } = match;
  kept.write({ game, seats });
  const shares = new Map(thought?.policy.map(({ action, probability }) => [action, probability]));
  board.show(shown, match.acting, shares, hint);
  show(match, presets);
}

/** Tells what goes wrong in a work that nobody waits for. */
function run(work, words = "error") {
  return Promise.resolve(work).catch((error) => {
    if (error.name === "AbortError") return;
    console.warn(error);
    $("notice").textContent = t(words, { why: error.message });
  });
}

async function resign() {
  const who = match.resigns;
  if (await confirmed(t("resign_ask", { side: side(who) }))) await match.resign(who);
}

async function count() {
  const { view } = match;
  if ((await confirmed(t("count_ask"))) && view === match.view) await match.count();
}

async function loadFile() {
  const [file] = $("file").files;
  $("file").value = "";
  if (!file) return;
  const { game, notice } = await load(match.engine, file);
  await match.turnTo(game, { notice });
}

let wanted = "";

async function setLanguage(language) {
  wanted = language;
  try {
    // Of two that are chosen one after the other the last one counts.
    await speak(language, () => wanted === language);
  } catch (error) {
    $("language").value = document.documentElement.lang;
    throw error;
  }
  if (wanted !== language) return;
  kept.write({ language });
  $("language").value = language;
  if (match?.view) {
    $("moves").replaceChildren();
    changed();
  }
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  $("theme").value = theme;
  kept.write({ theme });
}

/** What was kept of a game, if the engine still takes it. */
async function keptGame(engine, before) {
  const usual = whole({ rules: "sija" });
  if (!before.game) return usual;
  try {
    const game = whole(before.game);
    await engine.ask({ ask: "view", game });
    return game;
  } catch (error) {
    // What an older page kept may be no game of this one; a game is not given up because nobody answers.
    if (!(error instanceof Refused)) throw error;
    console.warn(error);
    return usual;
  }
}

/** Begins, or tells why that can't be. */
async function start() {
  $("retry").hidden = true;
  $("status").textContent = t("loading");
  try {
    const before = kept.read();
    const engine = await connect();
    presets = await engine.ask({ ask: "presets" });
    match = new Match(engine, changed);
    board = new Board($("board"), $("arrows"), (action) => run(match.play(action)));
    if (["w", "b"].every((letter) => SEATS.includes(before.seats?.[letter]))) match.seats = before.seats;
    match.analyses = before.analyse ?? false;
    $("analyse").checked = match.analyses;
    const dialog = new NewGame(engine, presets, (rules, seats) => run(match.begin(rules, seats)));
    await match.turnTo(await keptGame(engine, before));
    listen(dialog);
  } catch (error) {
    console.warn(error);
    match = null;
    $("status").textContent = t("error_start", { why: error.message });
    $("retry").hidden = false;
  }
}

/** Buttons that are gone after they did their work leave the keyboard's place to the board. */
function on(id, what, words) {
  $(id).addEventListener("click", async () => {
    await run(what(), words);
    if (document.activeElement === document.body) board.focus();
  });
}

let listens = false;

function listen(dialog) {
  if (listens) return;
  listens = true;
  on("stop", () => match.play("stop"));
  on("undo", () => match.undo());
  on("hint", () => match.showHint());
  on("count", count);
  on("resign", resign);
  on("pause", () => match.setPaused(!match.paused));
  on("new", () => dialog.open(match));
  on("back", () => match.backToGame());
  on("save", () => save(match.engine, match.game));
  on("load", () => $("file").click());
  $("file").addEventListener("change", () => run(loadFile(), "error_record"));
  $("analyse").addEventListener("change", () => {
    kept.write({ analyse: $("analyse").checked });
    run(match.setAnalyses($("analyse").checked));
  });
  $("moves").addEventListener("click", (event) => {
    const end = event.target.closest("button")?.dataset.end;
    if (end) run(match.lookAt(Number(end)));
  });
}

/** What works without an engine. */
async function open() {
  const before = kept.read();
  setTheme(["light", "dark"].includes(before.theme) ? before.theme : "auto");
  $("theme").addEventListener("change", () => setTheme($("theme").value));
  $("language").replaceChildren(...Object.entries(LANGUAGES).map(([language, name]) => new Option(name, language)));
  $("language").addEventListener("change", () => run(setLanguage($("language").value)));
  $("retry").addEventListener("click", () => run(match ? match.goOn() : start()));
  await run(setLanguage(before.language in LANGUAGES ? before.language : preferred()));
  await start();
}

run(open());
