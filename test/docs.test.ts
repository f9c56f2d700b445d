/** The guides match the product. */
import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { channelKinds } from "../src/channels/alert-channels/index.ts";
import { checkTypes } from "../src/kinds/index.ts";
import { projectFolder } from "./support/project/source-files.ts";

const read = (path: string) => readFileSync(join(projectFolder, path), "utf8");

test("docs/alerts.md has one row per channel kind", () => {
  const rows = [...read("docs/alerts.md").matchAll(/^\| `([A-Z]+)` \|/gm)].map(([, type]) => type);
  assert.deepEqual(rows, Object.keys(channelKinds));
  assert.match(read("README.md"), new RegExp(`\\b${rows.length} kinds of channel`));
});

test("docs/concepts.md names every kind of check", () => {
  const [row = ""] = /^\| kind \|.*$/m.exec(read("docs/concepts.md")) ?? [];
  const names = [...row.matchAll(/`([A-Z_]{3,})`/g)].map(([, name = ""]) => name);
  assert.deepEqual(names.sort(), [...checkTypes].sort());
});

test("every class in docs/dashboards.md exists on the page", () => {
  const promised = [...read("docs/dashboards.md").matchAll(/`\.([a-z0-9-]+)`/g)].map(
    ([, name = ""]) => name,
  );
  const written = ["render-view", "page", "sparkline"]
    .map((name) => read(`src/pages/dashboard/${name}.ts`))
    .concat(read("src/pages/dashboard/dashboard.js"))
    .join("\n");
  // These are composed of a word and a status or a column.
  const composed =
    /^(?:check-(?:failing|degraded|unknown|passing)|figure-(?:availability|average|p95|p99))$/;
  const missing = promised
    .filter((name) => !composed.test(name) && name !== "dashboard")
    .filter((name) => !new RegExp(`["' ]${name}["' $]`).test(written));
  assert.ok(promised.length > 40);
  assert.deepEqual(missing, []);
});

test("every link between pages resolves", () => {
  const pages = globSync(["*.md", "docs/**/*.md"], { cwd: projectFolder });
  const broken = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)]
      .map(([, target = ""]) => join(dirname(page), target))
      .filter((target) => !existsSync(join(projectFolder, target)))
      .map((target) => `${page} -> ${target}`),
  );
  assert.deepEqual(broken, []);
});

test("the README's test command is the one that CI runs", () => {
  assert.ok(read("README.md").includes("npm ci && npm test"));
  assert.ok(read(".ci/run").includes("npm ci && npm test"));
});
