// Who knows the rules and thinks: a Web Worker with the wasm module, or the server that serves the page. `engine.json`
// beside the page says which, and what networks there are.

import { same } from "./rules.js";

/** What the engine says is wrong with a question; an engine that can't be reached is another matter. */
export class Refused extends Error {}

/** Asks `engine.json` and gives what answers. */
export async function connect() {
  const answer = await fetch("engine.json");
  if (!answer.ok) throw new Error(`engine.json: ${answer.status}`);
  const about = await answer.json();
  return about.engine === "server" ? new ServerEngine(about) : new WorkerEngine(about);
}

/** What both have. */
class Engine {
  constructor(about) {
    this.networks = about.networks;
    this.tables = about.tables ?? false;
  }

  /** The network that knows these rules and the fewest others, or null. */
  networkFor(fields) {
    const knows = (network) => network.rules.some((rules) => same(rules, fields));
    const known = this.networks.filter(knows).sort((a, b) => a.rules.length - b.rules.length);
    return known[0] ?? null;
  }
}

/** A Web Worker, and those who wait for its answers. */
class Mailbox {
  constructor() {
    this.worker = new Worker("worker.js", { type: "module" });
    this.waiting = new Map();
    this.number = 0;
    this.worker.onmessage = ({ data }) => {
      const { resolve, reject } = this.waiting.get(data.id) ?? {};
      this.waiting.delete(data.id);
      if ("error" in data) reject?.(new Refused(data.error));
      else resolve?.(data.answer);
    };
    this.worker.onerror = (event) => {
      for (const { reject } of this.waiting.values()) reject(new Error(event.message || "the worker has ended"));
      this.waiting.clear();
    };
  }

  send(message, signal) {
    const id = ++this.number;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      signal?.addEventListener("abort", () => {
        if (!this.waiting.delete(id)) return;
        this.worker.postMessage({ kind: "cancel", id });
        reject(signal.reason);
      });
      this.worker.postMessage({ id, ...message });
    });
  }
}

/** One worker thinks, another answers meanwhile. */
class WorkerEngine extends Engine {
  constructor(about) {
    super(about);
    this.answers = new Mailbox();
    this.thinks = new Mailbox();
    this.loaded = new Map();
  }

  ask(question) {
    return this.answers.send({ kind: "ask", question });
  }

  async think(question, fields, signal) {
    const network = this.networkFor(fields);
    if (network) {
      if (!this.loaded.has(network.name)) {
        const load = this.thinks.send({ kind: "network", name: network.name, file: network.file });
        this.loaded.set(network.name, load);
        // What failed is tried again when it is next needed.
        load.catch(() => this.loaded.delete(network.name));
      }
      await this.loaded.get(network.name);
      signal?.throwIfAborted();
    }
    return this.thinks.send({ kind: "think", question: { ask: "think", ...question } }, signal);
  }
}

class ServerEngine extends Engine {
  async ask(question, signal) {
    const answer = await fetch("ask", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(question),
      signal,
    });
    const told = await answer.json();
    if (!answer.ok) throw new Refused(told.error);
    return told;
  }

  think(question, _fields, signal) {
    return this.ask({ ask: "think", ...question }, signal);
  }
}
