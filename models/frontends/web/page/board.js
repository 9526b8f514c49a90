// The board: draws a position, and turns clicks, drags and keys into actions. What is legal it is told.

import { t } from "./texts.js";

const FILES = "abcdefghi";
/** How far a pointer goes before a press becomes a drag, in pixels. */
const DRAG = 6;

export class Board {
  /**
   * @param {HTMLElement} element the grid
   * @param {SVGElement} arrows where the last turn's steps are drawn
   * @param {(action: string) => void} play what to do with an action that was chosen
   */
  constructor(element, arrows, play) {
    this.element = element;
    this.arrows = arrows;
    this.play = play;
    this.squares = new Map();
    this.size = 0;
    this.selected = null;
    this.drag = null;
    this.dragged = false;
    this.deaf = false;
    this.looked = null;
    element.addEventListener("keydown", (event) => this.key(event));
    element.addEventListener("pointerdown", (event) => this.press(event));
    element.addEventListener("pointermove", (event) => this.move(event));
    element.addEventListener("pointerup", (event) => this.release(event));
    element.addEventListener("pointercancel", () => {
      this.dropDrag();
      this.draw();
    });
    element.addEventListener("click", (event) => this.click(event));
    for (const kind of ["pointerover", "focusin"]) element.addEventListener(kind, (event) => this.look(event));
    element.addEventListener("pointerleave", () => this.lookAt(null));
  }

  /**
   * Shows a position.
   * @param view as the engine tells it
   * @param {boolean} active whether the reader may act
   * @param {Map<string, number>} shares the policy by action, from 0 to 1
   * @param {string | null} hint an action to point out
   */
  show(view, active, shares = new Map(), hint = null) {
    if (view.fields.size !== this.size) this.build(view.fields.size);
    const changed = this.view?.position !== view.position;
    const pointed = view.legal.find((move) => move.action === hint) ?? null;
    Object.assign(this, { view, active, shares, hint: pointed });
    if (changed || !active) {
      this.selected = null;
      this.dropDrag();
    }
    // Where one stone alone can go on, it is in hand already.
    const from = new Set(active ? view.legal.map((move) => move.from) : []);
    if (view.chain && from.size === 1) this.selected = [...from][0];
    this.draw();
  }

  build(size) {
    this.size = size;
    this.squares.clear();
    this.element.replaceChildren();
    this.arrows.setAttribute("viewBox", `0 0 ${size} ${size}`);
    for (let rank = size; rank >= 1; rank--) {
      const row = add(this.element, "div", "row", { role: "row" });
      for (let file = 0; file < size; file++) {
        const name = FILES[file] + rank;
        const cell = add(row, "div", "cell", { role: "gridcell" });
        const button = add(cell, "button", "square", { type: "button", tabindex: "-1" });
        button.dataset.square = name;
        if (rank === 1) add(cell, "span", "label file", { "aria-hidden": "true" }).textContent = FILES[file];
        if (file === 0) add(cell, "span", "label rank", { "aria-hidden": "true" }).textContent = rank;
        this.squares.set(name, button);
      }
    }
    this.focusable(FILES[(size - 1) / 2] + (size + 1) / 2);
  }

  /** The moves of the stone in hand by the square to which they lead; placements by theirs. */
  targets() {
    const moves = this.active ? this.view.legal : [];
    const fitting = moves.filter((move) => move.from === this.selected);
    return new Map(fitting.map((move) => [move.to, move]));
  }

  /** The policy by square: where stones are placed; which stones move and where to, or where the one in hand goes. */
  heat() {
    const heat = new Map();
    for (const move of this.view.legal) {
      if (this.selected && move.from !== this.selected) continue;
      const squares = move.from && !this.selected ? [move.from, move.to] : [move.to];
      const share = this.shares.get(move.action) ?? 0;
      for (const square of squares) heat.set(square, (heat.get(square) ?? 0) + share);
    }
    return heat;
  }

  draw() {
    const { view } = this;
    const heat = this.heat();
    const placing = view.phase === "placement";
    const movable = new Set(this.active ? view.legal.map((move) => move.from).filter(Boolean) : []);
    const targets = this.targets();
    const last = new Set(view.last_turn.flatMap((move) => [move.from, move.to]).filter(Boolean));
    const taken = new Set(view.last_turn.flatMap((move) => move.captures));
    const threatened = new Set(targets.get(this.looked)?.captures ?? []);
    const hinted = new Set(this.hint ? [this.hint.from, this.hint.to].filter(Boolean) : []);
    const centre = FILES[(this.size - 1) / 2] + (this.size + 1) / 2;
    this.element.setAttribute("aria-label", t("board_label", { n: this.size }));
    for (const [name, button] of this.squares) {
      const stone = view.stones[name];
      const target = targets.get(name);
      const is = {
        centre: name === centre,
        active: this.active && (movable.has(name) || target !== undefined),
        movable: movable.has(name),
        selected: name === this.selected,
        chain: name === view.chain,
        target: target !== undefined && !placing,
        takes: target !== undefined && target.captures.length > 0,
        threatened: threatened.has(name),
        last: last.has(name),
        taken: taken.has(name) && !stone,
        hinted: hinted.has(name),
        heated: (heat.get(name) ?? 0) > 0.005,
      };
      button.className = ["square", ...Object.keys(is).filter((key) => is[key])].join(" ");
      button.style.setProperty("--share", (0.7 * Math.sqrt(Math.min(1, heat.get(name) ?? 0))).toFixed(3));
      button.replaceChildren();
      if (stone) add(button, "span", `stone ${stone}`);
      else if (is.taken) add(button, "span", "ghost");
      if (placing && target) add(button, "span", `ghost-place ${view.mover}`);
      button.setAttribute("aria-label", this.label(name, stone, is, target, placing, heat.get(name)));
      if (is.selected) button.setAttribute("aria-pressed", "true");
      else button.removeAttribute("aria-pressed");
    }
    this.drawArrows();
    if (this.dragged) this.carry();
  }

  label(name, stone, is, target, placing, share) {
    const words = [];
    if (stone) words.push(t(stone === "w" ? "square_white" : "square_black", { square: name }));
    else words.push(t(is.centre ? "square_centre" : "square_empty", { square: name }));
    if (placing && target) words.push(t("square_can_place"));
    if (is.target) words.push(t("square_target"));
    if (is.takes) words.push(t("square_takes", { squares: target.captures.join(", ") }));
    if (is.selected) words.push(t("square_selected"));
    else if (is.movable) words.push(t("square_can_move"));
    if (is.last) words.push(t("square_last"));
    if (is.heated) words.push(t("square_share", { n: Math.round(100 * share) }));
    return words.join("; ");
  }

  drawArrows() {
    this.arrows.replaceChildren();
    const steps = this.view.last_turn.filter((move) => move.from);
    for (const move of steps) this.arrow(move, "");
    if (this.hint?.from) this.arrow(this.hint, "hint");
  }

  arrow(move, kind) {
    const at = (name) => [FILES.indexOf(name[0]) + 0.5, this.size - Number(name.slice(1)) + 0.5];
    const [x1, y1] = at(move.from);
    const [x2, y2] = at(move.to);
    const length = Math.hypot(x2 - x1, y2 - y1);
    const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
    const [tip, back, wide] = [0.28, 0.46, 0.09];
    const end = [x2 - ux * back, y2 - uy * back];
    const group = addSvg(this.arrows, "g", { class: kind });
    addSvg(group, "line", { x1: x1 + ux * 0.1, y1: y1 + uy * 0.1, x2: end[0], y2: end[1] });
    const corner = (sign) => `${end[0] - sign * uy * wide},${end[1] + sign * ux * wide}`;
    addSvg(group, "path", { d: `M${x2 - ux * tip},${y2 - uy * tip} L${corner(1)} L${corner(-1)} Z` });
  }

  // What the reader does.

  choose(name) {
    if (!this.active) return;
    const target = this.targets().get(name);
    if (target) {
      this.play(target.action);
    } else if (this.view.legal.some((move) => move.from === name) && name !== this.selected) {
      this.selected = name;
      this.draw();
    } else {
      this.letGo();
    }
  }

  letGo() {
    this.selected = null;
    this.draw();
  }

  click(event) {
    const name = squareOf(event.target);
    if (name && !this.deaf) {
      this.focusable(name);
      this.choose(name);
    }
  }

  press(event) {
    const name = squareOf(event.target);
    if (!this.active || event.button !== 0 || !name || !this.view.legal.some((move) => move.from === name)) return;
    this.drag = { name, x: event.clientX, y: event.clientY, pointer: event.pointerId };
  }

  move(event) {
    const { drag } = this;
    if (!drag || event.pointerId !== drag.pointer) return;
    const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
    Object.assign(drag, { dx, dy });
    if (!this.dragged) {
      if (Math.hypot(dx, dy) < DRAG) return;
      this.dragged = true;
      this.element.setPointerCapture(event.pointerId);
      this.selected = drag.name;
      this.draw();
    }
    this.carry();
    this.lookAt(squareAt(event), false);
  }

  /** Shows the stone that is dragged where the pointer is. */
  carry() {
    const { name, dx, dy } = this.drag;
    const stone = this.squares.get(name).querySelector(".stone");
    stone?.classList.add("dragged");
    stone?.style.setProperty("transform", `translate(${dx}px, ${dy}px)`);
  }

  release(event) {
    const { drag } = this;
    this.drag = null;
    if (!drag || !this.dragged) return;
    this.dragged = false;
    // The click that some browsers send after a drag comes at once.
    this.deaf = true;
    setTimeout(() => (this.deaf = false));
    const name = squareAt(event);
    const target = name && this.targets().get(name);
    if (target) this.play(target.action);
    else this.draw();
  }

  dropDrag() {
    this.drag = null;
    this.dragged = false;
  }

  look(event) {
    if (!this.drag) this.lookAt(squareOf(event.target));
  }

  /** Shows what a step to that square would take. */
  lookAt(name, draw = true) {
    if (name === this.looked) return;
    const marks = (square) => (this.view ? this.targets().get(square)?.captures.length > 0 : false);
    const matters = marks(name) || marks(this.looked);
    this.looked = name;
    if (!matters) return;
    if (draw) this.draw();
    else {
      const threatened = new Set(this.targets().get(name)?.captures ?? []);
      for (const [square, button] of this.squares) button.classList.toggle("threatened", threatened.has(square));
    }
  }

  key(event) {
    const name = squareOf(event.target);
    if (!name) return;
    const steps = { ArrowUp: [0, 1], ArrowDown: [0, -1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };
    const step = steps[event.key];
    if (step) {
      event.preventDefault();
      const to = FILES[FILES.indexOf(name[0]) + step[0]] + (Number(name.slice(1)) + step[1]);
      if (this.squares.has(to)) {
        this.focusable(to);
        this.squares.get(to).focus();
      }
    } else if (event.key === "Escape" && this.selected) {
      event.preventDefault();
      this.letGo();
    }
  }

  /** Puts the keyboard's place on the board. */
  focus() {
    this.element.querySelector("[tabindex='0']").focus();
  }

  /** Makes that square the one to which the Tab key leads. */
  focusable(name) {
    for (const [square, button] of this.squares) button.tabIndex = square === name ? 0 : -1;
  }
}

const squareOf = (element) => element.closest?.("[data-square]")?.dataset.square ?? null;
const squareAt = (event) => squareOf(document.elementFromPoint(event.clientX, event.clientY) ?? document.body);

function add(parent, tag, className, attributes = {}) {
  const element = document.createElement(tag);
  element.className = className;
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  parent.append(element);
  return element;
}

function addSvg(parent, tag, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  parent.append(element);
  return element;
}
