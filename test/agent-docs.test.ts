/** docs/agent.md lists the tools there are. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { allTools } from "../src/domains/agent/tools/all-tools.ts";
import { projectFolder } from "./support/project/source-files.ts";

const page = readFileSync(join(projectFolder, "docs/agent.md"), "utf8");

test("docs/agent.md has one row per tool, in order, and says whether it writes", () => {
  const rows = [...page.matchAll(/^\| `([a-z_]+)` \| (read|write) \|/gm)];
  assert.deepEqual(
    rows.map(([, name, access]) => [name, access]),
    allTools.map(({ name, access }) => [name, access]),
  );
});
