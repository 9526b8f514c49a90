// Evaluates a position with an exported network: all that a frontend in JavaScript needs, by models/FORMAT.md.
//
//     npm install onnxruntime-web
//     seega export --model models/zoo/sija.safetensors --out exported
//     node models/examples/evaluate.mjs exported          (checks itself on the golden positions)

import { readFileSync } from "node:fs";
import { join } from "node:path";
import ort from "onnxruntime-web";

const DIRECTIONS = ["0,1", "1,0", "0,-1", "-1,0", "1,1", "1,-1", "-1,-1", "-1,1"];

/** File and rank of a square such as c2, both from 0. */
const square = (name) => [name.charCodeAt(0) - 97, Number(name.slice(1)) - 1];

/** The place of an action in the policy. */
export function place(action, side) {
  if (action === "stop") return 17 * side * side;
  if (!action.includes("-")) {
    const [file, rank] = square(action);
    return side * rank + file;
  }
  const [[file, rank], [toFile, toRank]] = action.split("-").map(square);
  const [files, ranks] = [toFile - file, toRank - rank];
  const length = Math.max(Math.abs(files), Math.abs(ranks));
  const plane = 1 + DIRECTIONS.indexOf(`${files / length},${ranks / length}`) + (length === 2 ? 8 : 0);
  return plane * side * side + side * rank + file;
}

/** The two inputs for a position's text. */
export function encode(text, rules) {
  const [board, mover, phase, chain, quiet] = text.split(" ");
  const side = rules.size;
  const planes = new Float32Array(5 * side * side);
  const put = (plane, file, rank) => (planes[plane * side * side + side * rank + file] = 1);
  board.split("/").reverse().forEach((row, rank) => {
    let file = 0;
    for (const letter of row) {
      if (letter >= "0" && letter <= "9") file += Number(letter);
      else put(letter === mover ? 0 : 1, file++, rank);
    }
  });
  put(2, (side - 1) / 2, (side - 1) / 2);
  let captures = 0;
  if (chain !== "-") {
    const [name, count] = chain.split(":");
    captures = Number(count);
    put(3, ...square(name));
  }
  planes.fill(1, 4 * side * side);
  const placing = phase.startsWith("p");
  const lastFirst = rules.first_mover === "last_placer";
  const scalars = [
    placing,
    placing ? Number(phase[1]) / 2 : 0,
    Number(quiet) / rules.quiet_limit,
    captures / (captures + 4),
    phase === "o",
    placing && (mover === "b") === lastFirst,
    side === 5,
    side === 7,
    side === 9,
    rules.per_turn - 1,
    rules.cross,
    lastFirst,
    rules.move_dirs === "all",
    ["piece", "both"].includes(rules.jumps),
    ["center", "both"].includes(rules.jumps),
    rules.capture_dirs === "all",
    rules.center_safe,
    rules.chain === "same_piece",
    rules.chain === "any_piece",
    rules.chain === "any_move",
    rules.chain_optional,
    rules.chain_limit ? 1 / rules.chain_limit : 0,
    rules.blocked === "loses",
    rules.blocked === "must_open",
    rules.lose_at / 3,
    rules.quiet_limit / (rules.quiet_limit + 50),
    rules.quiet_result === "count",
  ];
  return { planes, scalars: Float32Array.from(scalars, Number) };
}

const softmax = (logits) => {
  const highest = Math.max(...logits);
  const weights = Array.from(logits, (logit) => Math.exp(logit - highest));
  const sum = weights.reduce((a, b) => a + b);
  return weights.map((weight) => weight / sum);
};

/** Chances of win, draw and loss for the mover, and a probability for each legal action. */
export async function evaluate(session, text, rules, legal) {
  const { planes, scalars } = encode(text, rules);
  const { policy, chances } = await session.run({
    planes: new ort.Tensor("float32", planes, [1, 5, rules.size, rules.size]),
    scalars: new ort.Tensor("float32", scalars, [1, scalars.length]),
  });
  // What is not legal has no probability, whatever its logit.
  const probabilities = softmax(legal.map((action) => policy.data[place(action, rules.size)]));
  return { chances: softmax(chances.data), policy: new Map(legal.map((action, index) => [action, probabilities[index]])) };
}

function check(holds, what) {
  if (!holds) throw new Error(what);
}

const folder = process.argv[2];
if (folder === undefined) {
  console.error("usage: node evaluate.mjs FOLDER, one that seega export wrote");
  process.exit(1);
}
ort.env.wasm.numThreads = 1;
const session = await ort.InferenceSession.create(readFileSync(join(folder, "model.onnx")));
const golden = JSON.parse(readFileSync(join(folder, "golden.json"), "utf8"));
check(golden.format === 1, "another version of the format");
const near = (a, b) => a.length === b.length && a.every((value, index) => Math.abs(value - b[index]) < 1e-6);
let worst = 0;
for (const { name, rules, positions } of golden.rules) {
  for (const position of positions) {
    const legal = position.legal.map(({ action }) => action);
    check(position.legal.every(({ action, place: known }) => place(action, rules.size) === known), "places");
    const { planes, scalars } = encode(position.position, rules);
    check(near(planes, position.planes) && near(scalars, position.scalars), "inputs");
    const { chances, policy } = await evaluate(session, position.position, rules, legal);
    const expected = softmax(position.legal.map(({ place: known }) => position.policy[known]));
    const differ = (numbers, others) =>
      numbers.forEach((number, index) => (worst = Math.max(worst, Math.abs(number - others[index]))));
    differ(chances, softmax(position.chances));
    differ([...policy.values()], expected);
  }
  const { position, legal } = positions.at(-1);
  const found = await evaluate(session, position, rules, legal.map(({ action }) => action));
  const [best, probability] = [...found.policy].reduce((a, b) => (b[1] > a[1] ? b : a));
  console.log(`${name}: ${position}`);
  const [win, draw, loss] = found.chances.map((chance) => chance.toFixed(3));
  console.log(`  win ${win}, draw ${draw}, loss ${loss}; most probable: ${best} (${probability.toFixed(3)})`);
}
console.log(`largest difference of a probability: ${worst.toExponential(1)}`);
check(worst < 1e-4, "the outputs are others");
