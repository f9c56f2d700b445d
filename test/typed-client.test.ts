/** A client that is generated from the document compiles for everyday calls, and they work. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFile, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { ownerKey, startTestApp } from "./support/apps/app.ts";
import { type ApiDocument, writeApiDocument } from "./support/project/api-document.ts";
import { writeApiTypes } from "./support/project/api-types.ts";
import { projectFolder } from "./support/project/source-files.ts";

let document: ApiDocument;
let folder: string;
before(async () => {
  ({ document } = await writeApiDocument());
  folder = await mkdtemp(join(tmpdir(), "vedette-client-"));
  await symlink(join(projectFolder, "node_modules"), join(folder, "node_modules"));
  await copyFile(join(projectFolder, "test/client/everyday-calls.ts"), join(folder, "calls.ts"));
  await writeFile(join(folder, "schema.d.ts"), await writeApiTypes(document));
});
after(() => rm(folder, { recursive: true }));

test("everyday calls of a generated client compile", async () => {
  const options = ["--noEmit", "--strict", "--skipLibCheck", "--allowImportingTsExtensions"];
  options.push("--target", "esnext", "--module", "nodenext", "--lib", "esnext,dom");
  const compiler = join(projectFolder, "node_modules/typescript/bin/tsc");
  const run = promisify(execFile)(process.execPath, [compiler, ...options, "calls.ts"], {
    cwd: folder,
  });
  const faults = await run.then(
    () => "",
    (error) => String(error.stdout),
  );
  assert.equal(faults, "");
});

test("the same calls are answered as the document says", async (t) => {
  const app = await startTestApp();
  t.after(() => app.stop());
  const { makeEverydayCalls } = await import(pathToFileURL(join(folder, "calls.ts")).href);
  const statuses: [string, number][] = await makeEverydayCalls(app.url, ownerKey);
  assert.ok(statuses.length > 22, String(statuses.length));
  const refused = statuses.filter(([, status]) => status >= 300);
  assert.deepEqual(refused, []);
});

test("the linter of Redocly finds nothing in the document", async () => {
  const name: string = "@redocly/openapi-core";
  const { createConfig, lintFromString } = await import(name);
  const rules = {
    // The addresses are those of the contract; the router prefers what is written out.
    "no-ambiguous-paths": "off",
    // It does not read a condition as a part of the schema around it.
    "no-required-schema-properties-undefined": "off",
  };
  const config = await createConfig({ extends: ["recommended"], rules });
  const source = JSON.stringify(document);
  const problems = await lintFromString({ source, absoluteRef: "openapi.json", config });
  assert.deepEqual(
    problems.map((problem: { ruleId: string; message: string }) => problem.message),
    [],
  );
});
