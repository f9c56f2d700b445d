import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { docsOutline } from "../../src/pages/docs/page.ts";
import { screens, settingsSections } from "../../src/pages/screens.ts";
import {
  filterCommands,
  guides,
  listActions,
  listGuides,
  listPlaces,
  listVerbs,
  readVerb,
  searchDocs,
} from "./commands.ts";

const findLabels = (text: string) =>
  filterCommands([...listPlaces(), ...listActions(), ...listGuides()], text).map(
    ({ label }) => label,
  );

test("every guide of the docs is found by its title", () => {
  const names = docsOutline.flatMap((section) => section.guides);
  const titles = names.map((name) => {
    const [heading = ""] = readFileSync(
      new URL(`../../docs/${name}.md`, import.meta.url),
      "utf8",
    ).split("\n", 1);
    return [name, heading.replace(/^# /, "")];
  });
  assert.deepEqual(guides, Object.fromEntries(titles));
});

test("every section of the settings is a command", () => {
  const places = listPlaces().map(({ href }) => href);
  for (const section of Object.values(settingsSections)) {
    assert.ok(places.includes(`${screens.settings}${section}`), section);
  }
});

test("actions are found by their label", () => {
  for (const [typed, label] of [
    ["new channel", "New channel"],
    ["paste", "Paste a list of checks"],
    ["new group", "New group"],
    ["maintenance new", "New maintenance window"],
    ["variable", "Settings: variables"],
    ["prometheus", "Prometheus"],
  ] as const) {
    assert.ok(findLabels(typed).includes(label), `${typed}: ${findLabels(typed).join(", ")}`);
  }
});

const docs = join(import.meta.dirname, "..", "..", "docs");

test("every guide is a page of the docs", () => {
  const missing = Object.keys(guides).filter((name) => !existsSync(join(docs, `${name}.md`)));
  assert.deepEqual(missing, []);
});

test("every guide and the API reference each have an address", () => {
  const pages = listGuides().map(({ page }) => page);
  assert.equal(new Set(pages).size, pages.length);
  assert.ok(pages.includes("/docs/api"));
});

test("the searched text is encoded in the address", () => {
  assert.equal(searchDocs("a & b?").page, "/docs?search=a%20%26%20b%3F");
});

test("a verb before a name says what to do with the check", () => {
  assert.deepEqual(readVerb(" mute Shop 01 "), { verb: "mute", search: "Shop 01" });
  assert.deepEqual(readVerb("Run shop"), { verb: "run", search: "shop" });
  assert.deepEqual(readVerb("mute"), { verb: null, search: "mute" });
  assert.deepEqual(readVerb("runner"), { verb: null, search: "runner" });
});

test("a verb alone offers where to mute, and to mute a check that is typed next", () => {
  const labels = listVerbs("mute").map(({ label }) => label);
  assert.deepEqual(labels, ["Mute a check…", "Unmute a check…"]);
  assert.deepEqual(
    listVerbs("run").map(({ fill }) => fill),
    ["run "],
  );
  assert.deepEqual(listVerbs("mute shop"), [], "the checks themselves are offered");
  assert.deepEqual(listVerbs(""), []);
  assert.ok(findLabels("mute").includes("Mutes"), findLabels("mute").join());
});
