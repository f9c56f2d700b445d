import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";

const app = join(import.meta.dirname, "app.ts");

const script = `
  import { registerHooks } from "node:module";
  registerHooks({ load: (url, context, next) => (console.log(url), next(url, context)) });
  await import(${JSON.stringify(app)});`;

/** Lists every file that a start loads. */
function listLoaded(): string {
  const list = ["--input-type=module", "--eval", script];
  return spawnSync(process.execPath, list, { encoding: "utf8" }).stdout;
}

test("a start loads no library that many installations never use", () => {
  const loaded = listLoaded();
  assert.match(loaded, /src\/agent\/mcp\/actions\.ts/);
  const unwanted = /node_modules\/(?:ai|@modelcontextprotocol|@ai-sdk|aedes)\//;
  assert.doesNotMatch(loaded, unwanted);
  assert.doesNotMatch(loaded, /agent\/answers\/classify\.ts/);
});
