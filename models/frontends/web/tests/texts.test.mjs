// Every text exists in every language, with the same places to fill in, and every text that the page asks for exists.

import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { PAGE } from "./harness.mjs";

const languages = ["en", "ru", "hu"];
const texts = {};
for (const language of languages) texts[language] = JSON.parse(await readFile(join(PAGE, `texts/${language}.json`), "utf8"));

test("the languages have the same texts, none of them empty in one and not in another", () => {
  for (const language of languages) {
    assert.deepEqual(Object.keys(texts[language]).sort(), Object.keys(texts.en).sort(), language);
    for (const [key, text] of Object.entries(texts[language])) {
      assert.equal(text === "", texts.en[key] === "", `${language}: ${key}`);
    }
  }
});

test("a text has the same places to fill in whatever the language", () => {
  const places = (text) => [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1]).sort();
  for (const key of Object.keys(texts.en)) {
    for (const language of languages) assert.deepEqual(places(texts[language][key]), places(texts.en[key]), `${language}: ${key}`);
  }
});

test("Russian is written in Cyrillic, and nothing is left in English", () => {
  const words = (text) => text.replace(/\{\w+\}/g, "").replace(/[^\p{L}]/gu, "");
  for (const key of Object.keys(texts.en)) {
    if (words(texts.en[key]) === "") continue;
    assert.match(words(texts.ru[key]), /[а-яё]/i, key);
    assert.notEqual(texts.hu[key], texts.en[key], key);
  }
});

test("what the page asks for by name is there, and nothing else", async () => {
  const sources = (await readdir(PAGE)).filter((name) => /\.(js|html)$/.test(name));
  const asked = new Set();
  const beginnings = new Set();
  for (const name of sources) {
    const source = await readFile(join(PAGE, name), "utf8");
    for (const [, key] of source.matchAll(/data-text="(\w+)"/g)) asked.add(key);
    for (const [, key] of source.matchAll(/"([a-z]+(?:_[a-z_]+)?)"/g)) if (key in texts.en) asked.add(key);
    for (const [, key] of source.matchAll(/\bt\(\s*"([\w-]+)"/g)) asked.add(key);
    for (const [, beginning] of source.matchAll(/`(\w+_)\$\{/g)) beginnings.add(beginning);
  }
  const missing = [...asked].filter((key) => !(key in texts.en));
  assert.deepEqual(missing, []);
  const unused = Object.keys(texts.en).filter((key) => !asked.has(key) && ![...beginnings].some((start) => key.startsWith(start)));
  assert.deepEqual(unused, []);
});
