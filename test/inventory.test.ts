/** Every operation of the API is available in the browser, or has a reason why not. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { listOperations, writeApiDocument } from "./support/project/api-document.ts";
import { operationsWithoutScreen } from "./support/project/operations-without-screen.ts";
import { projectFolder } from "./support/project/source-files.ts";

const sources = globSync("web/**/*.{ts,tsx}", { cwd: projectFolder })
  .filter((path) => !/^web\/dist|\.d\.ts$|\.test\./.test(path))
  .map((path) => ({ text: readFileSync(join(projectFolder, path), "utf8") }));

interface Call {
  /** `null` if the code chooses the method. */
  readonly method: string | null;
  readonly path: string;
}

const typedCall = /\bapi\.(GET|POST|PUT|PATCH|DELETE)\(\s*"([^"]+)"/g;

/** Lists calls of the typed client, and literal URLs of streams and downloads. */
function listCalls(): Call[] {
  return sources.flatMap(({ text }) => {
    const typed = [...text.matchAll(typedCall)].map(([, method = "", path = ""]) => ({
      method: method.toLowerCase(),
      path,
    }));
    const rest = text
      .replace(typedCall, "")
      .replace(/\$\{[^}]*\}/g, "{}")
      .replace(/(?<!\/)\{\}/g, "");
    const own = [...rest.matchAll(/["`}](\/(?:v\d|accounts)\/[^"`?\s]*)/g)];
    return [...typed, ...own.map(([, path = ""]) => ({ method: null, path }))];
  });
}

/** `/v1/accounts/me` is a call of `/v1/accounts/{accountId}`. */
function isCallOf({ method, path }: Call, operation: string): boolean {
  const [of = "", template = ""] = operation.split(" ");
  if (method !== null && method !== of) return false;
  const parts = template.split("/");
  const requested = path.split("/");
  return (
    parts.length === requested.length &&
    parts.every((part, place) => part === requested[place] || part.startsWith("{"))
  );
}

test("every operation of the API is used by the application, or has a reason", async () => {
  const { document } = await writeApiDocument();
  const calls = listCalls();
  const left = listOperations(document)
    .filter(([name]) => !calls.some((call) => isCallOf(call, name)))
    .map(([, { operationId }]) => operationId ?? "");
  const known = Object.keys(operationsWithoutScreen);
  assert.deepEqual(left.toSorted(), known.toSorted());
  const reasons = Object.values(operationsWithoutScreen);
  assert.ok(reasons.every((reason) => reason.length > 20));
});
