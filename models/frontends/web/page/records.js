// Records in and out: files of one game a line.

/** Gives the reader a file of the game. */
export async function save(engine, game) {
  const { record } = await engine.ask({ ask: "record", game });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([record], { type: "application/jsonl" }));
  link.download = `${game.rules.replace(/[^a-z0-9-]+/g, "-")}.jsonl`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** The first game of a file: `{game, notice}`, with the key of a text on what was left out, or null. */
export async function load(engine, file) {
  const lines = (await file.text()).split("\n").filter((line) => line.trim() !== "");
  const { game, result_left: left } = await engine.ask({ ask: "read", record: lines[0] ?? "" });
  return { game, notice: left ? "result_left" : lines.length > 1 ? "first_of_many" : null };
}
