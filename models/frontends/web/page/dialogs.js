// The dialogs: a new game, and questions that are answered by yes or no.

import { SEATS } from "./match.js";
import { fillRules, playedBy } from "./panels.js";
import { t } from "./texts.js";

const $ = (id) => document.getElementById(id);

/** Asks a question; whether the answer is yes. */
export function confirmed(question) {
  $("ask-title").textContent = question;
  const dialog = $("ask-dialog");
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}

/** The dialog in which a game is begun. */
export class NewGame {
  /** @param {(rules: string, seats: {w: string, b: string}) => void} begin what to do with the choice */
  constructor(engine, presets, begin) {
    Object.assign(this, { engine, presets, begin });
    $("new-rules").replaceChildren(...presets.map(({ name }) => new Option(name, name)));
    $("new-rules").addEventListener("change", () => {
      $("new-size").value = String(this.preset.fields.size);
      this.describe();
    });
    $("new-size").addEventListener("change", () => this.describe());
    $("new-dialog").addEventListener("close", () => this.close());
  }

  get preset() {
    return this.presets.find((preset) => preset.name === $("new-rules").value);
  }

  get size() {
    return Number($("new-size").value);
  }

  /** Shows it, set to the game that is played. */
  open({ view, seats }) {
    $("new-rules").value = view.rules.split(/[/:]/)[0];
    $("new-size").value = String(view.fields.size);
    for (const letter of ["w", "b"]) {
      $(`new-${letter}`).replaceChildren(...SEATS.map((seat) => new Option(t(`seat_${seat}`), seat)));
      $(`new-${letter}`).value = seats[letter];
    }
    this.describe();
    $("new-dialog").returnValue = "cancel";
    $("new-dialog").showModal();
  }

  describe() {
    const { preset, size } = this;
    const fields = { ...preset.fields, size };
    $("new-source").textContent = t(`source_${preset.name}`);
    $("new-ours").hidden = !fillRules($("new-list"), fields, preset);
    $("new-note").textContent = playedBy(this.engine, fields);
  }

  close() {
    if ($("new-dialog").returnValue !== "start") return;
    const { preset, size } = this;
    const rules = size === preset.fields.size ? preset.name : `${preset.name}/${size}`;
    this.begin(rules, { w: $("new-w").value, b: $("new-b").value });
  }
}
