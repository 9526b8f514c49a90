// The page's words in its languages: loads one, puts it where the page asks for it.

/** The languages, each by its own name. */
export const LANGUAGES = { en: "English", ru: "Русский", hu: "Magyar" };

let texts = {};

/** Loads a language and, if it is still wanted then, puts its texts into every element with `data-text`. */
export async function speak(language, isWanted) {
  const answer = await fetch(`texts/${language}.json`);
  if (!answer.ok) throw new Error(`texts/${language}.json: ${answer.status}`);
  const loaded = await answer.json();
  if (!isWanted()) return;
  texts = loaded;
  document.documentElement.lang = language;
  document.title = texts.title;
  for (const element of document.querySelectorAll("[data-text]")) {
    element.textContent = t(element.dataset.text);
  }
}

/** The text of a key; `{name}` in it becomes the argument of that name. A key without a text is shown as it is. */
export function t(key, values = {}) {
  const text = texts[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** A side in words. */
export const side = (letter) => t(letter === "w" ? "white" : "black");

/** The language that the reader's browser asks for, of those that there are. */
export function preferred() {
  const asked = (navigator.languages ?? [navigator.language]).map((language) => language.slice(0, 2));
  return asked.find((language) => language in LANGUAGES) ?? "en";
}
