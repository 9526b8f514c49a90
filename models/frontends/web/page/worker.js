// The Web Worker: holds the wasm module, answers questions, and thinks in slices, so that it hears what comes meanwhile.

import init, { Engine } from "./seega_web.js";

/** Milliseconds after which a search ends with what it has found. */
const LONGEST = 900;
/** Milliseconds between two looks at what has come. */
const SLICE = 20;
/** Evaluations between two looks at the clock. */
const STEP = 8;

const engine = init().then(() => new Engine());
const cancelled = new Set();
let turn = Promise.resolve();

/** Does one work after the other: there is one search, and a new network ends it. */
function inTurn(work) {
  const done = turn.then(work);
  turn = done.catch(() => {});
  return done;
}

const channel = new MessageChannel();
let wake = null;
channel.port1.onmessage = () => wake();
/** Lets messages that have come be heard. */
const pause = () => new Promise((resolve) => {
  wake = resolve;
  channel.port2.postMessage(0);
});

async function think(engine, id, question) {
  engine.begin(JSON.stringify(question));
  const start = performance.now();
  let slice = start;
  for (;;) {
    const found = engine.go_on(STEP);
    if (found !== undefined) return JSON.parse(found);
    const now = performance.now();
    if (now - start > LONGEST) return JSON.parse(engine.end());
    if (now - slice > SLICE) {
      await pause();
      if (cancelled.has(id)) return null;
      slice = performance.now();
    }
  }
}

async function handle(message) {
  const there = await engine;
  switch (message.kind) {
    case "ask":
      return JSON.parse(there.answer(JSON.stringify(message.question)));
    case "network": {
      const file = await fetch(message.file);
      if (!file.ok) throw new Error(`${message.file}: ${file.status}`);
      const bytes = new Uint8Array(await file.arrayBuffer());
      return inTurn(() => there.add_network(message.name, bytes) ?? true);
    }
    case "think":
      return inTurn(async () => {
        const answer = cancelled.has(message.id) ? null : await think(there, message.id, message.question);
        cancelled.delete(message.id);
        return answer;
      });
  }
}

onmessage = async ({ data }) => {
  if (data.kind === "cancel") {
    cancelled.add(data.id);
    return;
  }
  try {
    postMessage({ id: data.id, answer: await handle(data) });
  } catch (error) {
    postMessage({ id: data.id, error: error.message ?? String(error) });
  }
};
