/** Rules of the house about the database and what is answered from it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readSourceFiles } from "./support/project/source-files.ts";

const product = readSourceFiles("src/**/*.ts").filter((file) => !file.path.endsWith(".test.ts"));

function assertNone(found: readonly string[], rule: string): void {
  assert.deepEqual(found, [], rule);
}

test("rooms know one database handle, and begin no transaction by hand", () => {
  const rules: readonly (readonly [RegExp, string])[] = [
    [/from "pg"|\bpg\.(?:Pool|PoolClient|Client)\b/, "knows pg: take `Database`"],
    [/["'`]\s*(?:begin|start transaction|commit|rollback)\b\s*["'`;]/, "use inTransaction"],
    [/\.transaction\(\)|\.startTransaction\(\)/, "use inTransaction"],
    [/\.connection\(\)/, "use onOneConnection"],
  ];
  const broken = product
    .filter((file) => !file.path.startsWith("src/platform/"))
    .flatMap((file) =>
      file.lines.flatMap((line, index) =>
        rules
          .filter(([pattern]) => pattern.test(line))
          .map(([, advice]) => `${file.path}:${index + 1} ${advice}`),
      ),
    );
  assertNone(broken, "other ways to the database");
});

test("no route casts what it answers", () => {
  const broken = product
    .filter((file) => file.path.endsWith("routes.ts"))
    .flatMap((file) =>
      file.lines.flatMap((line, index) =>
        /\bas (?:never|any|unknown)\b/.test(line) ? [`${file.path}:${index + 1}`] : [],
      ),
    );
  assertNone(broken, "answers whose type is not their schema's");
});
