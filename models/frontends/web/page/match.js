// The course of a game: who plays, what was played, what is thought of it. What is seen of it is left to the panels.

import { stonesOf } from "./rules.js";

/** Who may play a side. */
export const SEATS = ["person", "easy", "medium", "strong"];

/** Milliseconds for which each of the machine's plies is seen at least before the next. */
const PACE = 500;

const pause = (time) => new Promise((resolve) => setTimeout(resolve, time));

/** A game from what somebody kept, with every field that a game has. */
export const whole = ({ rules, start = null, plies = [], ended = null }) => ({ rules, start, plies, ended });

export class Match {
  /**
   * @param engine who answers questions
   * @param {() => void} changed called whenever there is something else to see
   */
  constructor(engine, changed) {
    this.engine = engine;
    this.changed = changed;
    this.game = null;
    this.seats = { w: "person", b: "easy" };
    /** What the engine says of the game, and of an earlier position while one is looked at. */
    this.view = null;
    this.earlier = null;
    /** What the strong player found of the position that is shown, and the move that it would make if that was asked. */
    this.thought = null;
    this.hint = null;
    /** The key of a text on what happened last, or null. */
    this.notice = null;
    /** Why a machine can't go on, or null. */
    this.stuck = null;
    this.paused = false;
    this.analyses = false;
    /** Whether the person may act: not while an action is on its way. */
    this.open = false;
    /** Ends what is thought of a position when there is another. */
    this.current = new AbortController();
  }

  /** The position that is shown. */
  get shown() {
    return this.earlier ?? this.view;
  }

  isMachine(letter) {
    return this.seats[letter] !== "person";
  }

  get hasPeople() {
    return !this.isMachine("w") || !this.isMachine("b");
  }

  get machineMoves() {
    return !this.view.result && this.isMachine(this.view.mover);
  }

  /** Whether a person may act on the board. */
  get acting() {
    return this.open && !this.earlier && !this.view.result && !this.isMachine(this.view.mover);
  }

  /**
   * Goes on with another game or another state of this one. Where the engine refuses it, all stays as it was.
   * @param {boolean} looking whether an earlier position that is looked at stays in sight
   */
  async turnTo(game, { seats = this.seats, notice = null, looking = false } = {}) {
    this.current.abort();
    this.current = new AbortController();
    const { signal } = this.current;
    this.open = false;
    if (this.view) this.changed();
    let failed = null;
    try {
      const view = await this.engine.ask({ ask: "view", game });
      if (signal.aborted) return;
      Object.assign(this, { game, seats, view, notice, hint: null });
      if (!looking) this.earlier = null;
      if (!this.earlier) this.thought = null;
    } catch (error) {
      if (signal.aborted) return;
      if (!this.view) throw error;
      failed = error;
    }
    this.open = true;
    // A machine whose ply does not arrive waits to be asked again.
    this.stuck = looking ? failed : null;
    this.changed();
    if (this.stuck) return;
    // What was refused leaves the game as it was, and it goes on. Nobody waits for that: machines may play for long.
    this.goOn();
    if (failed) throw failed;
  }

  /** Thinks about the position: the machine plays, if it is its ply, and chances are found where they are shown. */
  async goOn() {
    const { signal } = this.current;
    if (this.stuck) {
      this.stuck = null;
      this.changed();
    }
    const machine = this.machineMoves && !this.paused;
    try {
      await Promise.all([machine ? this.machinePlays(signal) : null, this.analyse()]);
    } catch (error) {
      if (signal.aborted) return;
      this.stuck = error;
      this.changed();
    }
  }

  async machinePlays(signal) {
    const { view, game } = this;
    const [found] = await Promise.all([this.think(view, game, this.seats[view.mover], signal), pause(PACE)]);
    if (!found || signal.aborted) return;
    const next = { ...game, plies: [...game.plies, found.action] };
    await this.turnTo(next, { looking: true });
  }

  /** What a level would play; null if that is no more of interest. */
  async think(view, game, level, signal) {
    try {
      const seed = Math.floor(Math.random() * 2 ** 32);
      return await this.engine.think({ game, level, seed }, view.fields, signal);
    } catch (error) {
      if (signal.aborted) return null;
      throw error;
    }
  }

  /** What the strong player finds of the position that is shown; null if another is shown meanwhile. */
  async thinkOfShown() {
    const { shown } = this;
    const { signal } = this.current;
    const found = this.thought ?? (await this.think(shown, this.shownGame(), "strong", signal));
    return signal.aborted || shown !== this.shown ? null : found;
  }

  /** The game up to what is shown. */
  shownGame() {
    const { game, earlier } = this;
    return earlier ? { ...game, plies: game.plies.slice(0, earlier.plies.length), ended: null } : game;
  }

  /** Finds the chances of the position that is shown, where they are wanted. */
  async analyse() {
    const { shown } = this;
    if (!this.analyses || shown.result || (!this.engine.networkFor(shown.fields) && !this.engine.tables)) return;
    const found = await this.thinkOfShown();
    if (!found) return;
    this.thought = found;
    this.changed();
  }

  async setAnalyses(on) {
    this.analyses = on;
    if (!on) this.thought = null;
    this.changed();
    await this.analyse();
  }

  // What people do.

  play(action) {
    if (!this.acting) return undefined;
    return this.turnTo({ ...this.game, plies: [...this.game.plies, action] });
  }

  async showHint() {
    const found = await this.thinkOfShown();
    if (!found) return;
    this.hint = found.action;
    this.changed();
  }

  get mayUndo() {
    if (this.earlier) return false;
    if (this.game.ended) return true;
    return this.hasPeople ? this.view.plies.some((ply) => !this.isMachine(ply.side)) : this.view.plies.length > 0;
  }

  /**
   * Takes an agreed end back; else back to the last ply of a person, that one included. Where no person plays, one ply, and the
   * machines wait.
   */
  undo() {
    const { game } = this;
    if (game.ended) return this.turnTo({ ...game, ended: null });
    if (!this.hasPeople) this.paused = true;
    const theirs = this.view.plies.map((ply) => !this.hasPeople || !this.isMachine(ply.side));
    return this.turnTo({ ...game, plies: game.plies.slice(0, theirs.lastIndexOf(true)) });
  }

  setPaused(paused) {
    this.paused = paused;
    this.current.abort();
    this.current = new AbortController();
    this.changed();
    return this.goOn();
  }

  /** Who resigns if a person does now. */
  get resigns() {
    const people = ["w", "b"].filter((letter) => !this.isMachine(letter));
    return people.length === 1 ? people[0] : this.view.mover;
  }

  resign(letter) {
    if (this.view.result) return undefined;
    return this.turnTo({ ...this.game, ended: letter === "w" ? "white_resigned" : "black_resigned" });
  }

  /** Counts, if all agree: two people have, a machine does where it expects no better. */
  async count() {
    const { signal } = this.current;
    const machine = ["w", "b"].find((letter) => this.isMachine(letter));
    const agreed = machine ? await this.agreesToCount(machine, signal) : true;
    if (signal.aborted) return;
    if (agreed) {
      await this.turnTo({ ...this.game, ended: "counted" }, { notice: "count_agreed" });
    } else {
      this.notice = "count_refused";
      this.changed();
    }
  }

  async agreesToCount(machine, signal) {
    const { view, game } = this;
    const sign = machine === "w" ? 1 : -1;
    const counted = sign * Math.sign(stonesOf(view, "w") - stonesOf(view, "b"));
    const found = await this.think(view, game, "strong", signal);
    // Without a network: who is behind plays on.
    if (!found?.chances) return counted >= 0;
    return counted >= sign * (found.chances.win - found.chances.loss) - 0.05;
  }

  begin(rules, seats) {
    this.paused = false;
    return this.turnTo({ rules, start: null, plies: [], ended: null }, { seats });
  }

  // Earlier positions.

  /** Shows the position after some plies; after all of them, the game. */
  async lookAt(plies) {
    if (plies >= this.game.plies.length) return this.backToGame();
    const { game } = this;
    const view = await this.engine.ask({ ask: "view", game: { ...game, plies: game.plies.slice(0, plies), ended: null } });
    // Another game has come meanwhile; one that has only gone on is looked at all the same.
    if (this.game.rules !== game.rules || this.game.plies.length < plies) return undefined;
    return this.show(view);
  }

  backToGame() {
    return this.show(null);
  }

  show(earlier) {
    Object.assign(this, { earlier, thought: null, hint: null });
    this.changed();
    return this.analyse();
  }
}
