// What is seen of a match beside the board: who plays, whose ply it is, turns, chances, rules.

import { same, sentences, stonesOf } from "./rules.js";
import { side, t } from "./texts.js";

const $ = (id) => document.getElementById(id);

/** Puts a text in its place; what is the same is not touched, so that it is not read out again. */
function put(id, text) {
  if ($(id).textContent !== text) $(id).textContent = text;
}

function create(tag, className, text = "") {
  const element = document.createElement(tag);
  element.className = className;
  element.textContent = text;
  return element;
}

/** Shows all but the board. */
export function show(match, presets) {
  showPlayers(match);
  put("status", status(match));
  put("last", lastTurn(match.shown));
  const hint = match.hint && t("hint_told", { action: spoken(match.hint) });
  const looking = match.earlier && t("reviewing", { n: match.earlier.plies.length });
  put("notice", [looking, match.notice && t(match.notice), hint].filter(Boolean).join(" "));
  const { phase, quiet, quiet_limit: limit } = match.shown;
  put("quiet", phase === "placement" ? "" : t("quiet", { n: quiet, limit }));
  showButtons(match);
  showMoves(match);
  showAnalysis(match);
  showRules(match, presets);
}

const spoken = (action) => (action === "stop" ? t("stop_action") : action);

function showPlayers({ shown, seats }) {
  for (const letter of ["w", "b"]) {
    const player = $(`player-${letter}`);
    player.classList.toggle("moves", !shown.result && shown.mover === letter);
    player.querySelector(".who").textContent = t(`seat_${seats[letter]}`);
    const number = stonesOf(shown, letter);
    // A narrow page leaves the words to those who listen.
    player.querySelector(".count").replaceChildren(create("span", "words", `${t("stones_count")}: `), String(number));
  }
}

function status(match) {
  const { shown, earlier, stuck } = match;
  if (shown.result) {
    const { winner, reason } = shown.result;
    return `${winner ? t("won", { side: side(winner) }) : t("draw")}: ${t(`reason_${reason}`)}.`;
  }
  const mover = side(shown.mover);
  if (!earlier && stuck) return `${t("stuck")} ${t("error", { why: stuck.message })}`;
  if (!earlier && match.machineMoves && !match.paused) return `${mover}: ${t("thinking")}`;
  if (shown.phase === "placement") return t("to_place", { side: mover, n: shown.left });
  if (shown.chain) {
    const words = shown.fields.chain === "any_move" ? ["chain_move", "chain_move_may"] : ["chain_must", "chain_may"];
    return t(words[shown.may_stop ? 1 : 0], { side: mover });
  }
  if (shown.phase === "opening") return t("to_open", { side: mover, other: side(shown.mover === "w" ? "b" : "w") });
  return t("to_move", { side: mover });
}

/** The last turn in words, for those who don't see it, and who was skipped after it. */
function lastTurn(view) {
  const told = view.last_turn.map((move) => {
    if (move.action === "stop") return t("stopped", { side: side(move.side) });
    const values = { side: side(move.side), action: move.action, squares: move.captures.join(", ") };
    return t(move.captures.length > 0 ? "played_takes" : "played", values);
  });
  if (view.skipped) told.push(t("skipped", { side: side(view.skipped) }));
  return told.join(" ");
}

function showButtons(match) {
  const { view, shown, earlier, thought } = match;
  const share = thought?.policy.find(({ action }) => action === "stop")?.probability;
  put("stop", share === undefined ? t("stop") : t("stop_share", { n: Math.round(100 * share) }));
  $("stop").hidden = !(match.acting && view.may_stop);
  $("undo").disabled = !match.mayUndo;
  $("hint").disabled = Boolean(shown.result) || (!earlier && match.isMachine(view.mover));
  $("resign").disabled = Boolean(earlier || view.result || !match.hasPeople);
  $("count").disabled = Boolean(earlier || !view.may_count || match.isMachine(view.mover));
  $("pause").hidden = match.hasPeople || Boolean(view.result);
  put("pause", t(match.paused ? "go_on" : "pause"));
  $("retry").hidden = !match.stuck;
  $("save").disabled = view.plies.length === 0;
  $("back").hidden = !earlier;
}

/** The plies by turns: `[{side, plies, end}]`, `end` being the number of plies after the turn. */
function turnsOf(plies) {
  const turns = [];
  plies.forEach((ply, index) => {
    if (ply.begins_turn || turns.length === 0) turns.push({ side: ply.side, plies: [], end: 0 });
    const taken = ply.captures.length > 0 ? ` ×${ply.captures.join(",")}` : "";
    turns.at(-1).plies.push(spoken(ply.action) + taken);
    turns.at(-1).end = index + 1;
  });
  return turns;
}

/** Lists the turns; items that are right already stay, and with them the reader's place. */
function showMoves({ view, earlier }) {
  const list = $("moves");
  const turns = turnsOf(view.plies);
  const at = (earlier ?? view).plies.length;
  turns.forEach((turn, index) => {
    const text = turn.plies.join(" ");
    let item = list.children[index];
    if (item?.dataset.turn !== `${turn.side} ${text}`) {
      const fresh = moveItem(turn, index + 1, text);
      if (item) item.replaceWith(fresh);
      else list.append(fresh);
      item = fresh;
    }
    const button = item.querySelector("button");
    if (turn.end === at) button.setAttribute("aria-current", "true");
    else button.removeAttribute("aria-current");
  });
  while (list.children.length > turns.length) list.lastChild.remove();
  if (turns.length === 0) list.append(create("li", "", t("no_moves")));
  const now = list.querySelector("[aria-current]");
  if (now) list.scrollTop = now.offsetTop - list.offsetTop - list.clientHeight / 2;
}

function moveItem(turn, number, text) {
  const item = create("li", "");
  item.dataset.turn = `${turn.side} ${text}`;
  const button = create("button", "");
  button.dataset.end = turn.end;
  button.setAttribute("aria-label", `${side(turn.side)}: ${turn.plies.join(", ")}`);
  button.append(create("span", `disc small-disc ${turn.side}`), ` ${text}`);
  item.append(create("span", "number", `${number}.`), button);
  return item;
}

function showAnalysis({ engine, shown, thought, analyses }) {
  const knows = engine.networkFor(shown.fields) !== null;
  const chances = analyses ? thought?.chances : null;
  const bar = $("chances");
  bar.hidden = !analyses || !knows || Boolean(shown.result);
  const shares = chances ?? { win: 0, draw: 0, loss: 0 };
  for (const kind of ["win", "draw", "loss"]) {
    bar.querySelector(`.${kind}`).style.setProperty("height", `${100 * shares[kind]}%`);
  }
  const percent = (share) => Math.round(100 * share);
  const words = [];
  if (chances) {
    const told = t("chances_label", { win: percent(chances.win), draw: percent(chances.draw), loss: percent(chances.loss) });
    bar.setAttribute("aria-label", told);
    words.push(`${told}. ${t("analysis_by", { network: thought.network, n: thought.simulations })}.`);
  } else {
    bar.setAttribute("aria-label", t("analysis"));
    if (analyses && !knows) words.push(t("analysis_none"));
  }
  const exact = analyses ? thought?.exact : null;
  if (exact) {
    words.push(exact.winner ? t("exact_win", { side: side(exact.winner) }) : t("exact_draw"));
    if (exact.distance !== null) words.push(t("exact_distance", { n: exact.distance }));
  }
  put("analysis", words.join(" "));
}

/** The rules of the game that is played. */
function showRules({ engine, view }, presets) {
  const name = view.rules.split(/[/:]/)[0];
  const preset = presets.find((preset) => preset.name === name);
  const isPreset = same({ ...preset.fields, size: view.fields.size }, view.fields);
  put("rules-title", t(isPreset ? "about_rules" : "rules_other", { name }));
  const ours = fillRules($("rules"), view.fields, isPreset ? preset : null);
  $("ours").hidden = !ours;
  put("source", isPreset ? t(`source_${name}`) : "");
  $("source").parentElement.hidden = !isPreset;
  put("by", playedBy(engine, view.fields));
}

/** Who plays by rules, in words. */
export function playedBy(engine, fields) {
  const network = engine.networkFor(fields);
  return network ? t("by_network", { network: network.name }) : t("by_alphabeta");
}

/**
 * Fills a list with the rules in words. Those of a preset mark with a star what its source does not settle; whether there is
 * such a thing is given back.
 */
export function fillRules(list, fields, preset) {
  const told = sentences(fields, preset);
  list.replaceChildren(...told.map(({ text, ours }) => create("li", "", ours ? `${text} *` : text)));
  return told.some(({ ours }) => ours);
}
