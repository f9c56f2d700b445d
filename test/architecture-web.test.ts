/** Architecture rules for the web application. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readSourceFiles } from "./support/project/source-files.ts";

const web = readSourceFiles("web/*/**/*.{ts,tsx}").filter(
  ({ path }) => !/^web\/(?:dist\/|api\/schema\.d\.ts)/.test(path),
);

function assertNone(found: readonly string[], rule: string): void {
  assert.deepEqual(found, [], rule);
}

test("the web application uses the server only through web/api", () => {
  const reaching = web.flatMap((file) =>
    file.imports
      .filter((target) => /^(?:src|bin|test)\//.test(target) && !file.path.endsWith(".test.ts"))
      .map((target) => `${file.path} -> ${target}`),
  );
  const fetching = web
    .filter((file) => !file.path.startsWith("web/api/"))
    .filter((file) => /\bfetch\(|XMLHttpRequest|new EventSource\(/.test(file.text))
    .map((file) => file.path);
  assertNone(reaching, "web files that import the server");
  assertNone(fetching, "web files outside web/api that fetch");
});

test("the web application takes all colours from the tokens", () => {
  const product = web.filter((file) => !file.path.endsWith(".test.ts"));
  const colored = [...product, ...readSourceFiles("web/**/*.module.css")]
    .filter((file) => !file.path.startsWith("web/dist/"))
    .filter((file) => /#[0-9a-f]{3,8}\b(?=[;"',)\s])|\brgba?\(|\bhsla?\(/i.test(file.text))
    .map((file) => file.path);
  assertNone(colored, "files with literal colours");
});
