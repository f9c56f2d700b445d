/**
 * Everyday calls of a client generated from the document. `npm run check` generates the
 * types and compiles the calls (`web/tsconfig.json`); here they are sent.
 */
import assert from "node:assert/strict";
import { shareTestApp } from "./support/apps/shared-app.ts";
import { test } from "./support/long-run.ts";
import { writeApiDocument } from "./support/project/api-document.ts";

test("everyday calls return what the document describes", async (t) => {
  const app = await shareTestApp();
  t.after(() => app.stop());
  // By its address: its types are those of a browser, which the compiler checks on their own.
  const { href } = new URL("./client/everyday-calls.ts", import.meta.url);
  const { makeEverydayCalls } = await import(href);
  const statuses: [string, number][] = await makeEverydayCalls(app.url, app.owner.apiKey);
  assert.ok(statuses.length > 22, String(statuses.length));
  const failed = statuses.filter(([, status]) => status >= 300);
  assert.deepEqual(failed, []);
});

test("the Redocly linter finds nothing in the document", { isLong: true }, async () => {
  const name: string = "@redocly/openapi-core";
  const { createConfig, lintFromString } = await import(name);
  const rules = {
    // The paths are those of the contract; the router prefers literal segments.
    "no-ambiguous-paths": "off",
    // It does not treat a condition as a part of the surrounding schema.
    "no-required-schema-properties-undefined": "off",
  };
  const config = await createConfig({ extends: ["recommended"], rules });
  const { document } = await writeApiDocument();
  const source = JSON.stringify(document);
  const problems = await lintFromString({ source, absoluteRef: "openapi.json", config });
  assert.deepEqual(
    problems.map((problem: { ruleId: string; message: string }) => problem.message),
    [],
  );
});
