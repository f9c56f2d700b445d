/** Compares docs/agent.md with the existing tools. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { projectFolder } from "../../../test/support/project/source-files.ts";
import { allTools } from "./all-tools.ts";

const page = readFileSync(join(projectFolder, "docs/agent.md"), "utf8");

test("docs/agent.md has one row per tool, in order, with its access", () => {
  const rows = [...page.matchAll(/^\| `([a-z_]+)` \| (read|write) \|/gm)];
  assert.deepEqual(
    rows.map(([, name, access]) => [name, access]),
    allTools.map(({ name, access }) => [name, access]),
  );
});
