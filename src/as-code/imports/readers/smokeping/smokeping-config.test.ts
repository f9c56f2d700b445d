import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { withFiles } from "../../../../../test/support/imports/golden.ts";
import { anyCharacter, propertyRuns } from "../../../../../test/support/properties.ts";
import { UnreadableFile } from "../../reading.ts";
import { parseSmokeping, type Section } from "./smokeping-config.ts";

const parse = (files: Readonly<Record<string, string>>) => withFiles(files, parseSmokeping);
const parseText = async (...lines: readonly string[]) =>
  (await parse({ config: lines.join("\n") })).sections;

interface Shown {
  readonly values: Readonly<Record<string, string>>;
  readonly [section: string]: Shown | Readonly<Record<string, string>>;
}

const show = ({ values, sections }: Section): Shown => ({
  values: Object.fromEntries(values),
  ...Object.fromEntries(sections.map((section) => [section.name, show(section)])),
});

async function assertUnreadable(files: Readonly<Record<string, string>>, message: RegExp) {
  await assert.rejects(parse(files), (error) => {
    assert.ok(error instanceof UnreadableFile, String(error));
    assert.match(error.message, message);
    return true;
  });
}

test("sections have values and subsections by the number of their signs", async () => {
  const sections = await parseText(
    "*** General ***",
    "owner = Ada   # the boss",
    "***Targets***",
    "probe = FPing",
    "+ Europe",
    "menu = Europe = EU",
    "++ Berlin",
    "host = berlin.example.com",
    "++ Paris",
    "host=paris.example.com",
    "+ Asia",
    "title =",
  );
  const general = sections.get("General");
  const targets = sections.get("Targets");
  assert.ok(general !== undefined && targets !== undefined);
  assert.deepEqual(show(general), { values: { owner: "Ada" } });
  assert.deepEqual(show(targets), {
    values: { probe: "FPing" },
    Europe: {
      values: { menu: "Europe = EU" },
      Berlin: { values: { host: "berlin.example.com" } },
      Paris: { values: { host: "paris.example.com" } },
    },
    Asia: { values: { title: "" } },
  });
});

test("a line may continue on the next ones", async () => {
  const sections = await parseText(
    "*** Targets ***",
    "+ A",
    "title = one \\",
    "   two\\",
    "three",
    "last = x \\",
  );
  const [target] = sections.get("Targets")?.sections ?? [];
  assert.equal(target?.values.get("title"), "one two three");
  assert.equal(target?.values.get("last"), "x");
});

test("a section may be written in parts, and rows of tables are ignored", async () => {
  const sections = await parseText(
    "*** Database ***",
    "step = 300",
    "# consfn mrhb steps total",
    "AVERAGE  0.5   1  28800",
    "*** Targets ***",
    "+ A",
    "*** Database ***",
    "pings = 20",
  );
  const database = sections.get("Database");
  assert.deepEqual(Object.fromEntries(database?.values ?? []), { step: "300", pings: "20" });
});

test("definitions are replaced in the lines after them", async () => {
  const sections = await parseText(
    "*** Targets ***",
    "+ Before",
    "host = DOMAIN",
    "@define DOMAIN example.com",
    "@define HOST www.DOMAIN",
    "+ After",
    "host = HOST",
    // A value with signs of a replacement is taken literally.
    "@define MONEY $& $1",
    "title = MONEY",
  );
  const [before, after] = sections.get("Targets")?.sections ?? [];
  assert.equal(before?.values.get("host"), "DOMAIN");
  assert.equal(after?.values.get("host"), "www.example.com");
  assert.equal(after?.values.get("title"), "$& $1");
});

test("included files are in the place of the line that names them", async () => {
  const { sections, missing, unused } = await parse({
    config: "*** Targets ***\n@include /etc/smokeping/config.d/Europe\n+ Last\n@include gone",
    Europe: "+ Europe\n@include C:\\smokeping\\Berlin",
    Berlin: "++ Berlin\nhost = berlin.example.com\n@include gone",
    Notes: "nothing of a configuration",
  });
  const targets = sections.get("Targets");
  assert.ok(targets !== undefined);
  assert.deepEqual(Object.keys(show(targets)), ["values", "Europe", "Last"]);
  assert.equal(targets.sections[0]?.sections[0]?.values.get("host"), "berlin.example.com");
  assert.deepEqual([missing, unused], [["gone"], ["Notes"]]);
});

test("files that include each other, or have the same name, are rejected", async () => {
  await assertUnreadable({ a: "@include b", b: "@include a" }, /The files include each other/);
  const circle = { config: "@include a", a: "@include b", b: "@include a" };
  await assertUnreadable(circle, /is included too deeply/);
  const chain = Array.from({ length: 12 }, (_, index) => [`f${index}`, `@include f${index + 1}`]);
  await assertUnreadable(Object.fromEntries(chain), /f11 is included too deeply/);
  await assertUnreadable({ "x/a": "", "y/a": "" }, /Two of the files have the same name/);
});

test("a file that grows without end is rejected", async () => {
  const double = Array.from({ length: 9 }, (_, index) => [
    `f${index}`,
    `@include f${index + 1}\n`.repeat(10),
  ]);
  const files = { config: "@include f0", ...Object.fromEntries(double), f9: "x = 1\n".repeat(100) };
  await assertUnreadable(files, /more than 200000 lines/);
  const definitions = Array.from(
    { length: 30 },
    (_, index) => `@define N${index}x ${`N${index - 1}x`.repeat(10)}`,
  );
  const [, ...growing] = definitions;
  await assertUnreadable(
    { config: ["@define N0x aaaaaaaaaa", ...growing].join("\n") },
    /is longer than 10000 characters/,
  );
  const many = Array.from({ length: 201 }, (_, index) => `@define D${index}_ x`);
  await assertUnreadable({ config: many.join("\n") }, /more than 200 definitions/);
  await assertUnreadable({ config: `a = ${"x".repeat(10_001)}` }, /line 1 is longer than 10000/);
});

test("a subsection without a section above it is rejected with its line", async () => {
  await assertUnreadable({ config: "+ A" }, /config, line 1: the subsection A has no section/);
  const skipped = "*** Targets ***\n\n++ B";
  await assertUnreadable({ config: skipped }, /config, line 3: the subsection B has no section/);
  const signs = Array.from({ length: 31 }, (_, depth) => `${"+".repeat(depth + 1)} S`);
  const deep = ["*** Targets ***", ...signs].join("\n");
  await assertUnreadable({ config: deep }, /line 32: the subsection S has no section/);
});

test("any text is read or rejected with a reason", async () => {
  const line = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 30 }),
    fc.constantFrom("*** Targets ***", "+ A", "++ B", "a = b", "@define a b", "@include x", "\\"),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 20 }), async (lines) => {
      try {
        await parseText(...lines);
      } catch (error) {
        assert.ok(error instanceof UnreadableFile, String(error));
      }
    }),
    { numRuns: propertyRuns / 4 },
  );
});
