// The page: holds the game, asks the engine, and shows what it says. The board, the words and the engine are rooms of
// their own.

import { Board } from "./board.js";
import { connect } from "./engine.js";
import { sentences, same } from "./rules.js";
import { LANGUAGES, preferred, side, speak, t } from "./texts.js";

const $ = (id) => document.getElementById(id);
const SEATS = ["person", "easy", "medium", "strong"];
/** Milliseconds for which each of the machine's plies is seen at least before the next. */
const PACE = 500;

/** What is remembered from visit to visit. */
const kept = {
  read() {
    try {
      return JSON.parse(localStorage.getItem("seega")) ?? {};
    } catch {
      return {};
    }
  },
  write(changes) {
    try {
      localStorage.setItem("seega", JSON.stringify({ ...kept.read(), ...changes }));
    } catch {
      // A browser that keeps nothing for us plays all the same.
    }
  },
};

let engine;
let presets;
let game = { rules: "sija", start: null, plies: [], ended: null };
let seats = { w: "person", b: "easy" };
/** What the engine says of the game, and of the position that is looked at if that is an earlier one. */
let view = null;
let earlier = null;
/** Says whether an answer is still of the position that is there; aborted when that changes. */
let current = new AbortController();
/** What the strong player found of the position that is shown. */
let thought = null;
let hint = null;
let notice = "";

const board = new Board($("board"), $("arrows"), (action) => play(action));

const shown = () => earlier ?? view;
const isMachine = (letter) => seats[letter] !== "person";
const byName = (name) => presets.find((preset) => preset.name === name);
const pause = (time) => new Promise((resolve) => setTimeout(resolve, time));

// The course of the game.

/** Asks for the game anew, shows it, and lets a machine play whose ply it is. */
async function update() {
  current.abort();
  current = new AbortController();
  const { signal } = current;
  thought = hint = earlier = null;
  const told = await engine.ask({ ask: "view", game });
  if (signal.aborted) return;
  view = told;
  kept.write({ game, seats });
  show();
  const machine = !view.result && isMachine(view.mover);
  if (machine) await Promise.all([machinePlays(signal), analyse(signal)]);
  else await analyse(signal);
}

async function machinePlays(signal) {
  const [found] = await Promise.all([think(view, game, seats[view.mover], signal), pause(PACE)]);
  if (!found || signal.aborted) return;
  play(found.action);
}

/** What a level would play; null if the position changed meanwhile. */
async function think(about, game, level, signal) {
  try {
    const seed = Math.floor(Math.random() * 2 ** 32);
    return await engine.think({ game, level, seed }, about.fields, signal);
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}

function play(action) {
  notice = "";
  game = { ...game, plies: [...game.plies, action] };
  run(update());
}

/** The game up to what is shown. */
const shownGame = () => (earlier ? { ...game, plies: game.plies.slice(0, earlier.plies.length), ended: null } : game);

/** Finds the chances of the position that is shown, where they are asked for. */
async function analyse(signal) {
  if (!$("analyse").checked || shown().result) return;
  const about = shown();
  if (!engine.networkFor(about.fields) && !engine.tables) return;
  const found = await think(about, shownGame(), "strong", signal);
  if (!found || signal.aborted || about !== shown()) return;
  thought = found;
  show();
}

async function showHint() {
  const { signal } = current;
  const about = shown();
  const found = thought ?? (await think(about, shownGame(), "strong", signal));
  if (!found || signal.aborted || about !== shown()) return;
  hint = about.legal.find((move) => move.action === found.action) ?? null;
  notice = t("hint_told", { action: found.action === "stop" ? t("stop_action") : found.action });
  show();
}

/** Takes back to the last ply of a person, that one included; where no person plays, one ply. */
function undo() {
  const letters = view.plies.map((ply) => ply.side);
  const person = letters.findLastIndex((letter) => !isMachine(letter));
  const machinesOnly = isMachine("w") && isMachine("b");
  const last = machinesOnly ? letters.length - 1 : person;
  if (last < 0) return;
  notice = "";
  game = { ...game, plies: game.plies.slice(0, last), ended: null };
  run(update());
}

async function resign() {
  const people = ["w", "b"].filter((letter) => !isMachine(letter));
  const who = people.length === 1 ? people[0] : view.mover;
  if (!(await confirmed(t("resign_ask", { side: side(who) })))) return;
  end(who === "w" ? "white_resigned" : "black_resigned");
}

/** Both sides must agree: two people answer together, a machine agrees where it expects no better. */
async function count() {
  const before = view;
  if (!(await confirmed(t("count_ask"))) || view !== before) return;
  const machine = ["w", "b"].find(isMachine);
  if (machine && !(await agreesToCount(machine))) {
    notice = t("count_refused");
    return show();
  }
  notice = t("count_agreed");
  end("counted");
}

async function agreesToCount(machine) {
  const number = (letter) => Object.values(view.stones).filter((stone) => stone === letter).length;
  const counted = Math.sign(number("w") - number("b"));
  const found = thought ?? (await think(view, game, "strong", current.signal));
  const sign = machine === "w" ? 1 : -1;
  // Without a network: who is not ahead would rather count than wait.
  if (!found?.chances) return counted * sign >= 0;
  const expected = found.chances.win - found.chances.loss;
  return counted * sign >= expected * sign - 0.05;
}

function end(how) {
  game = { ...game, ended: how };
  run(update());
}

function begin(rules, newSeats) {
  notice = "";
  seats = newSeats;
  game = { rules, start: null, plies: [], ended: null };
  run(update());
}

/** Looks at the position after some plies; after all of them, at the game. */
async function lookAt(plies) {
  if (plies >= game.plies.length && !game.ended) return backToGame();
  const { signal } = current;
  const told = await engine.ask({ ask: "view", game: { ...game, plies: game.plies.slice(0, plies), ended: null } });
  if (signal.aborted) return;
  earlier = told;
  thought = hint = null;
  show();
  await analyse(signal);
}

async function backToGame() {
  earlier = thought = hint = null;
  show();
  await analyse(current.signal);
}

// Records.

async function save() {
  const { record } = await engine.ask({ ask: "record", game });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([record], { type: "application/jsonl" }));
  link.download = `${game.rules.replace(/[^a-z0-9-]+/g, "-")}.jsonl`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

async function load(file) {
  let told;
  try {
    told = await engine.ask({ ask: "read", record: await file.text() });
  } catch (error) {
    notice = t("error_record", { why: error.message });
    return show();
  }
  notice = "";
  game = told.game;
  await update();
}

// What is seen.

function show() {
  const about = shown();
  const acting = !earlier && !view.result && !isMachine(view.mover);
  board.show(about, acting, heat(about), hint);
  $("status").textContent = status();
  $("notice").textContent = [skipped(about), notice, earlier && t("reviewing", { n: about.plies.length })]
    .filter(Boolean)
    .join(" ");
  const moving = about.phase !== "placement";
  $("quiet").textContent = moving ? t("quiet", { n: about.quiet, limit: about.quiet_limit }) : "";
  for (const letter of ["w", "b"]) {
    const player = $(`player-${letter}`);
    player.classList.toggle("moves", !about.result && about.mover === letter);
    player.querySelector(".who").textContent = t(`seat_${seats[letter]}`);
    const number = Object.values(about.stones).filter((stone) => stone === letter).length;
    player.querySelector(".count").replaceChildren(String(number), words(` ${t("stones_count")}`));
  }
  $("stop").hidden = !(acting && about.may_stop);
  const people = ["w", "b"].some((letter) => !isMachine(letter));
  const personPlayed = view.plies.some((ply) => !isMachine(ply.side));
  $("undo").disabled = Boolean(earlier) || !(people ? personPlayed : view.plies.length > 0);
  $("hint").disabled = Boolean(about.result) || (!earlier && isMachine(view.mover));
  $("resign").disabled = Boolean(earlier || view.result || !people);
  $("count").disabled = Boolean(earlier || !view.may_count || !people || isMachine(view.mover));
  $("save").disabled = view.plies.length === 0;
  $("back").hidden = !earlier;
  showMoves();
  showAnalysis(about);
  showRules();
}

/** Words that a narrow page leaves to those who listen. */
function words(text) {
  const span = document.createElement("span");
  span.className = "words";
  span.textContent = text;
  return span;
}

function status() {
  const about = shown();
  if (about.result) {
    const { winner, reason } = about.result;
    const who = winner ? t("won", { side: side(winner) }) : t("draw");
    return `${who}: ${t(`reason_${reason}`)}.`;
  }
  if (!earlier && isMachine(about.mover)) return `${side(about.mover)}: ${t("thinking")}`;
  const mover = side(about.mover);
  if (about.phase === "placement") return t("to_place", { side: mover, n: about.left });
  if (about.chain) return t(about.may_stop ? "chain_may" : "chain_must", { side: mover });
  if (about.phase === "opening") return t("to_open", { side: mover, other: side(about.mover === "w" ? "b" : "w") });
  return t("to_move", { side: mover });
}

/** The last turn in words, for those who don't see it, and who was skipped after it. */
function skipped(about) {
  const told = about.last_turn.map((move) => {
    if (move.action === "stop") return t("stopped", { side: side(move.side) });
    const values = { side: side(move.side), action: move.action, squares: move.captures.join(", ") };
    return t(move.captures.length > 0 ? "played_takes" : "played", values);
  });
  if (about.skipped) told.push(t("skipped", { side: side(about.skipped) }));
  return told.join(" ");
}

/** The policy by square: where stones are placed; which stones move, or where the one in hand goes. */
function heat(about) {
  const shares = new Map();
  if (!thought) return shares;
  const moves = new Map(about.legal.map((move) => [move.action, move]));
  for (const { action, probability } of thought.policy) {
    const move = moves.get(action);
    if (!move) continue;
    for (const square of move.from ? [move.from, move.to] : [move.to]) {
      shares.set(square, (shares.get(square) ?? 0) + probability);
    }
  }
  return shares;
}

function showMoves() {
  const turns = [];
  view.plies.forEach((ply, index) => {
    if (ply.begins_turn || turns.length === 0) turns.push({ side: ply.side, plies: [], end: 0 });
    const turn = turns.at(-1);
    const action = ply.action === "stop" ? t("stop_action") : ply.action;
    turn.plies.push(action + (ply.captures.length > 0 ? ` ×${ply.captures.join(",")}` : ""));
    turn.end = index + 1;
  });
  const at = earlier ? earlier.plies.length : view.plies.length;
  const items = turns.map((turn, index) => {
    const item = document.createElement("li");
    const number = document.createElement("span");
    number.className = "number";
    number.textContent = `${index + 1}.`;
    const button = document.createElement("button");
    const disc = document.createElement("span");
    disc.className = `disc ${turn.side}`;
    disc.style.setProperty("width", ".7rem");
    disc.style.setProperty("height", ".7rem");
    button.append(disc, ` ${turn.plies.join(" ")}`);
    button.setAttribute("aria-label", `${side(turn.side)}: ${turn.plies.join(", ")}`);
    if (turn.end === at) button.setAttribute("aria-current", "true");
    button.addEventListener("click", () => run(lookAt(turn.end)));
    item.append(number, button);
    return item;
  });
  if (items.length === 0) {
    const item = document.createElement("li");
    item.textContent = t("no_moves");
    items.push(item);
  }
  const list = $("moves");
  list.replaceChildren(...items);
  const now = list.querySelector("[aria-current]");
  if (now) list.scrollTop = now.offsetTop - list.offsetTop - list.clientHeight / 2;
}

function showAnalysis(about) {
  const wanted = $("analyse").checked;
  const chances = wanted ? thought?.chances : null;
  const bar = $("chances");
  bar.hidden = !wanted || !engine.networkFor(about.fields);
  const percent = (share) => Math.round(100 * share);
  const { win = 0, draw = 1, loss = 0 } = chances ?? {};
  for (const [kind, share] of Object.entries({ win, draw, loss })) {
    bar.querySelector(`.${kind}`).style.setProperty("height", `${100 * share}%`);
  }
  const words = [];
  if (chances) {
    const told = t("chances_label", { win: percent(win), draw: percent(draw), loss: percent(loss) });
    bar.setAttribute("aria-label", told);
    words.push(`${told}. ${t("analysis_by", { network: thought.network, n: thought.simulations })}.`);
  } else {
    bar.setAttribute("aria-label", t("analysis"));
    if (wanted && !engine.networkFor(about.fields)) words.push(t("analysis_none"));
  }
  const exact = wanted ? thought?.exact : null;
  if (exact) {
    words.push(exact.winner ? t("exact_win", { side: side(exact.winner) }) : t("exact_draw"));
    if (exact.distance !== null) words.push(t("exact_distance", { n: exact.distance }));
  }
  $("analysis").textContent = words.join(" ");
}

/** The rules of the game that is played. */
function showRules() {
  const name = view.rules.split(/[/:]/)[0];
  const preset = byName(name);
  const isPreset = same({ ...preset.fields, size: view.fields.size }, view.fields);
  $("rules-title").textContent = isPreset ? t("about_rules", { name }) : t("rules_other", { name });
  const ours = isPreset ? preset.ours : [];
  const items = sentences(view.fields, ours).map(({ text, ours }) => {
    const item = document.createElement("li");
    item.textContent = ours ? `${text} *` : text;
    return item;
  });
  $("rules").replaceChildren(...items);
  $("ours").hidden = ours.length === 0;
  $("source").textContent = isPreset ? t(`source_${name}`) : "";
  $("source").parentElement.hidden = !isPreset;
  const network = engine.networkFor(view.fields);
  $("by").textContent = network ? t("by_network", { network: network.name }) : t("by_alphabeta");
}

// Dialogs and options.

function openNew() {
  const name = view.rules.split(/[/:]/)[0];
  $("new-rules").value = name;
  $("new-size").value = String(view.fields.size);
  $("new-w").value = seats.w;
  $("new-b").value = seats.b;
  describeNew();
  $("new-dialog").returnValue = "cancel";
  $("new-dialog").showModal();
}

function describeNew() {
  const preset = byName($("new-rules").value);
  const size = Number($("new-size").value);
  $("new-source").textContent = t(`source_${preset.name}`);
  const network = engine.networkFor({ ...preset.fields, size });
  const words = [network ? t("by_network", { network: network.name }) : t("by_alphabeta")];
  if (!preset.sizes.includes(size)) words.unshift(t("other_size"));
  $("new-note").textContent = words.join(" ");
}

function closeNew() {
  if ($("new-dialog").returnValue !== "start") return;
  const preset = byName($("new-rules").value);
  const size = Number($("new-size").value);
  const rules = size === preset.fields.size ? preset.name : `${preset.name}/${size}`;
  begin(rules, { w: $("new-w").value, b: $("new-b").value });
}

function confirmed(question) {
  $("ask-title").textContent = question;
  const dialog = $("ask-dialog");
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}

async function setLanguage(language) {
  await speak(language);
  kept.write({ language });
  $("language").value = language;
  for (const select of document.querySelectorAll(".seat")) {
    const options = SEATS.map((seat) => new Option(t(`seat_${seat}`), seat));
    const { value } = select;
    select.replaceChildren(...options);
    select.value = value || "person";
  }
  notice = "";
  if (view) show();
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  $("theme").value = theme;
  kept.write({ theme });
}

/** Tells what goes wrong in a work that nobody waits for. */
function run(work) {
  Promise.resolve(work).catch((error) => {
    if (error.name === "AbortError") return;
    console.error(error);
    $("notice").textContent = t("error", { why: error.message });
  });
}

async function languageNames() {
  // Each language is listed by its own name.
  const names = await Promise.all(
    LANGUAGES.map(async (language) => (await (await fetch(`texts/${language}.json`)).json()).language),
  );
  $("language").replaceChildren(...LANGUAGES.map((language, index) => new Option(names[index], language)));
}

async function start() {
  const before = kept.read();
  setTheme(before.theme ?? "auto");
  await languageNames();
  await setLanguage(LANGUAGES.includes(before.language) ? before.language : preferred());
  $("status").textContent = t("loading");
  engine = await connect();
  presets = await engine.ask({ ask: "presets" });
  $("new-rules").replaceChildren(...presets.map(({ name }) => new Option(name, name)));
  $("analyse").checked = before.analyse ?? false;
  if (before.seats && ["w", "b"].every((letter) => SEATS.includes(before.seats[letter]))) seats = before.seats;
  try {
    if (before.game) {
      await engine.ask({ ask: "view", game: before.game });
      game = before.game;
    }
  } catch {
    // What an older page kept is no game of this one.
  }
  listen();
  await update();
}

function listen() {
  const on = (id, kind, what) => $(id).addEventListener(kind, () => run(what()));
  on("stop", "click", () => play("stop"));
  on("undo", "click", undo);
  on("hint", "click", showHint);
  on("count", "click", count);
  on("resign", "click", resign);
  on("new", "click", openNew);
  on("back", "click", backToGame);
  on("save", "click", save);
  on("load", "click", () => $("file").click());
  on("file", "change", async () => {
    const [file] = $("file").files;
    $("file").value = "";
    if (file) await load(file);
  });
  on("new-rules", "change", () => {
    $("new-size").value = String(byName($("new-rules").value).fields.size);
    describeNew();
  });
  on("new-size", "change", describeNew);
  on("new-dialog", "close", closeNew);
  on("language", "change", () => setLanguage($("language").value));
  on("theme", "change", () => setTheme($("theme").value));
  on("analyse", "change", () => {
    kept.write({ analyse: $("analyse").checked });
    if (!$("analyse").checked) thought = null;
    show();
    return analyse(current.signal);
  });
}

run(start());
