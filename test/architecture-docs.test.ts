/** ARCHITECTURE.md describes every module, and the developer docs name only existing paths. */
import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { areas, modules } from "./support/project/modules.ts";
import { projectFolder } from "./support/project/source-files.ts";

const read = (path: string) => readFileSync(join(projectFolder, path), "utf8");
const page = read("ARCHITECTURE.md");

/** The first column of the first table below a heading. */
function listRows(heading: string): string[] {
  const section = page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`));
  assert.ok(section, `ARCHITECTURE.md has no section "${heading}"`);
  const [table = ""] = /(?:^\|.*\n)+/m.exec(section) ?? [];
  return [...table.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name = ""]) => name);
}

/** Output of the build, which is not in the repository. */
const built = /^web\/(?:dist[^/]*(?:\/|$)|api\/schema\.d\.ts)/;

function listFolders(pattern: string): string[] {
  return globSync(pattern, { cwd: projectFolder })
    .filter((path) => statSync(join(projectFolder, path)).isDirectory())
    .filter((path) => !built.test(path));
}

function assertDescribes(heading: string, parent: string): void {
  const described = listRows(heading).map((name) => `${parent}/${name}`);
  const existing = listFolders(`${parent}/*`);
  assert.deepEqual(described.toSorted(), existing.toSorted(), `the table of "${heading}"`);
}

test("ARCHITECTURE.md describes every layer of src", () => {
  const described = listRows("Layers").filter((path) => path.startsWith("src/"));
  const folders = listFolders("src/*").filter((path) => !Object.hasOwn(areas, basename(path)));
  assert.deepEqual(described.toSorted(), [...folders, "src/config.ts"].toSorted());
});

test("ARCHITECTURE.md describes every area and module, in the order of imports", () => {
  assert.deepEqual(
    listRows("Areas").map((name) => `src/${name}`),
    modules,
  );
  const folders = Object.keys(areas).flatMap((area) =>
    areas[area]?.length === 0 ? [`src/${area}`] : listFolders(`src/${area}/*`),
  );
  assert.deepEqual(folders.toSorted(), modules.toSorted());
});

test("ARCHITECTURE.md describes every kind of check and what kinds share", () => {
  const described = listRows("Kinds of check").map((name) => `src/kinds/${name}`);
  assert.deepEqual(described.toSorted(), listFolders("src/kinds/*/*").toSorted());
});

test("ARCHITECTURE.md describes every folder of the platform", () => {
  const described = listRows("Platform").filter((path) => !path.endsWith(".ts"));
  assert.deepEqual(described.toSorted(), listFolders("src/platform/*").toSorted());
});

test("ARCHITECTURE.md describes every module of the web application", () => {
  assertDescribes("Web application", "web");
});

test("every path that the developer docs name exists", () => {
  const pages = ["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md", "web/README.md"];
  const missing = pages.flatMap((path) =>
    [...read(path).matchAll(/`((?:src|test|web|bench|docs|bin|deploy)\/[\w./-]+)`/g)]
      .map(([, target = ""]) => target)
      .filter((target) => !built.test(target) && !existsSync(join(projectFolder, target)))
      .map((target) => `${path}: ${target}`),
  );
  assert.deepEqual(missing, []);
});
