// The rules of a game in a few words, field by field, and what is read off views and rules.

import { t } from "./texts.js";

/**
 * Sentences on rules, each with whether no source settles it: `[{text, ours}]`.
 * @param preset the preset whose rules they are, on any board, or null
 */
export function sentences(fields, preset) {
  const told = [];
  const isOther = preset !== null && !preset.sizes.includes(fields.size);
  const say = (field, key, values) => {
    const text = t(key, values);
    const ours = preset?.ours.includes(field) || (field === "size" && isOther);
    if (text) told.push({ text, ours: Boolean(ours) });
  };
  const byValue = (field) => say(field, `rule_${field}_${fields[field]}`);
  const n = fields.size;
  say("size", isOther ? "size_other" : "rule_size", { n, stones: (n * n - 1) / 2 });
  for (const field of ["per_turn", "cross", "first_mover", "move_dirs", "jumps", "capture_dirs", "center_safe", "chain"]) {
    byValue(field);
  }
  if (fields.chain !== "none") {
    byValue("chain_optional");
    if (fields.chain_limit !== null) say("chain_limit", "rule_chain_limit", { n: fields.chain_limit });
  }
  byValue("blocked");
  byValue("lose_at");
  say("quiet_limit", "rule_quiet_limit", { n: fields.quiet_limit });
  byValue("quiet_result");
  return told;
}

/** How many stones a side has. */
export function stonesOf(view, letter) {
  return Object.values(view.stones).filter((stone) => stone === letter).length;
}

/** Whether two rule sets are the same. */
export function same(a, b) {
  return Object.keys(a).length === Object.keys(b).length && Object.keys(a).every((field) => a[field] === b[field]);
}
