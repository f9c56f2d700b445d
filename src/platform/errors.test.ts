import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { STATUS_CODES } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { projectFolder } from "../../test/support/project/source-files.ts";
import { errorCatalogue, KnownError, readCode } from "./errors.ts";
import { toErrorBody, toKnownError } from "./http/error-handler.ts";

const page = readFileSync(join(projectFolder, "docs/errors.md"), "utf8");
const rows = [...page.matchAll(/^\| `(\w+)` \| (\d+) \| ([^|]+) \| ([^|]+) \|/gm)].map(
  ([, name, status, error, message]) => ({ name, status: Number(status), error, message }),
);

test("docs/errors.md lists exactly the errors of the catalogue", () => {
  assert.deepEqual(
    rows.map((row) => row.name),
    Object.keys(errorCatalogue),
  );
  for (const row of rows) {
    const known = errorCatalogue[row.name as keyof typeof errorCatalogue];
    assert.equal(row.status, known.statusCode);
    assert.equal(row.error, known.error);
    const isFixed = !["invalidRequest", "conflict"].includes(row.name ?? "");
    if (isFixed) assert.equal(row.message, known.message);
  }
});

test("each error has the standard phrase of its status", () => {
  for (const { statusCode, error } of Object.values(errorCatalogue)) {
    assert.equal(error, STATUS_CODES[statusCode]);
  }
});

test("401 and 429 carry empty attributes, and no other error does", () => {
  for (const name of Object.keys(errorCatalogue) as (keyof typeof errorCatalogue)[]) {
    const body = toErrorBody(new KnownError(name));
    const hasAttributes = [401, 429].includes(body.statusCode);
    assert.deepEqual(body.attributes, hasAttributes ? {} : undefined);
  }
});

test("an internal error does not expose its cause", () => {
  const inside = Object.assign(new Error('relation "api_keys" does not exist'), { code: "42P01" });
  assert.deepEqual(toErrorBody(toKnownError(inside as never)), {
    statusCode: 500,
    error: "Internal Server Error",
    message: "Internal Server Error",
  });
});

test("an unavailable database is 503 with Retry-After", () => {
  for (const code of ["ECONNREFUSED", "ENOENT", "57P01", "57P03", "08006", "53300"]) {
    const known = toKnownError(Object.assign(new Error("away"), { code }) as never);
    assert.equal(known.errorName, "unavailable", code);
    assert.equal(known.retryAfterSeconds, 2);
  }
});

test("reads the code of an error, and only if it is a string", () => {
  assert.equal(readCode(Object.assign(new Error("x"), { code: "ECONNREFUSED" })), "ECONNREFUSED");
  assert.equal(readCode({ code: "23503" }), "23503");
  for (const error of [new Error("x"), { code: 7 }, "ENOENT", null, undefined]) {
    assert.equal(readCode(error), "EUNKNOWN");
  }
});
