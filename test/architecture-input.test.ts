/** Request bodies may contain unknown fields, so they are never spread over trusted values. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { moduleOf } from "./support/project/modules.ts";
import { readSourceFiles } from "./support/project/source-files.ts";

/** `{ id, ...body }` and `{ ...before, ...change }`: the later part wins. */
const known = String.raw`(?:\.\.\.(?!params\b)\w+|\w+(?::[^,{}]+)?)`;
const sent = String.raw`\.\.\.(?:request\.)?(?:body|change|input|patch|attempt)\b`;
const spreadLast = new RegExp(String.raw`\{\s*${known},[^{}]*?${sent}`, "g");

/** Destructured, or built field by field from the body. */
const harmless = new Set([
  "src/agent/proposal/propose-checks.ts: { checkType, ...body",
  "src/agent/tools/create-check-tool.ts: { checkType: type, ...input",
  "src/checks/checks/check-bodies.ts: { checkType: type, ...input",
  "src/checks/checks/many-checks.ts: { idempotencyKey: key, ...body",
  "src/screens/dashboards/routes.ts: { dashboardId, ...input",
  "src/screens/dashboards/schema.ts: { keys, ...input",
  "src/response/incidents/templates/templates.ts: { ...before, ...change",
  "src/response/maintenance/actions.ts: { ...before, ...input",
  "src/screens/public-pages/incident-previews.ts: { incidentId, statusPageId, ...body",
  "src/screens/public-pages/previews.ts: { id, ...input",
]);

test("a request body never overwrites trusted values", () => {
  const broken = readSourceFiles("src/**/*.ts")
    .filter(({ path }) => moduleOf(path) !== null)
    .filter(({ path }) => !path.endsWith(".test.ts"))
    .flatMap(({ path, text }) =>
      [...text.matchAll(spreadLast)].map(([found]) => `${path}: ${found.replaceAll(/\s+/g, " ")}`),
    )
    .filter((found) => !harmless.has(found));
  assert.deepEqual(broken, []);
});
