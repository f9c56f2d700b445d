import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { propertyRuns } from "../../../../test/support/properties.ts";
import type { WireDiff } from "../wire-diff.ts";
import { escapeVariables, fillVariables, listSections } from "./file-format.ts";
import { createPaint, diffLines, writeDiff, writePlan } from "./plan-text.ts";
import { readProjectFiles } from "./read-files.ts";
import { type ExportedResource, writeProjectFile } from "./write-file.ts";

const dollar = "$";
const read = (texts: Readonly<Record<string, string>>, environment = {}) =>
  readProjectFiles(
    Object.entries(texts).map(([name, text]) => ({ name, text })),
    environment,
  );

function assertFaults(texts: Readonly<Record<string, string>>, faults: readonly string[]): void {
  assert.throws(
    () => read(texts),
    ({ message }: Error) => {
      assert.deepEqual(message.split("\n"), faults);
      return true;
    },
  );
}

test("several files become one body, with names as references", () => {
  const { project, resources } = read(
    {
      "a.yaml": `
project: net
check-groups:
  core: { name: Core }
alert-channels:
  ops: { type: SLACK, config: { url: "${dollar}{URL}/x" } }
external:
  private-locations:
    lab: 0191d1a3-0000-7000-8000-000000000001
`,
      "b.json": JSON.stringify({
        checks: {
          router: {
            checkType: "ICMP",
            groupId: "core",
            alertChannelSubscriptions: [{ alertChannelId: "ops", activated: false }],
            privateLocations: ["lab"],
          },
        },
        "status-pages": { page: { cards: [{ name: "A", services: ["api"] }] } },
        "status-page-services": { api: { name: "API", follows: { checkIds: ["router"] } } },
      }),
    },
    { URL: "https://hooks.example.test" },
  );
  assert.deepEqual(project, { logicalId: "net", name: "net" });
  const payloads = resources.map(({ type, logicalId, payload }) => [type, logicalId, payload]);
  assert.deepEqual(payloads, [
    ["private-location", "lab", null],
    ["check-group", "core", { name: "Core" }],
    ["alert-channel", "ops", { type: "SLACK", config: { url: "https://hooks.example.test/x" } }],
    ["check", "router", { checkType: "ICMP", groupId: { ref: "core" } }],
    [
      "alert-channel-subscription",
      "check-alert-channel-subscription#router#ops",
      { alertChannelId: { ref: "ops" }, checkId: { ref: "router" }, activated: false },
    ],
    [
      "private-location-check-assignment",
      "private-location-check-assignment#router#lab",
      { privateLocationId: { ref: "lab" }, checkId: { ref: "router" } },
    ],
    ["status-page", "page", { cards: [{ name: "A", services: [{ ref: "api" }] }] }],
    ["status-page-service", "api", { name: "API", follows: { checkIds: [{ ref: "router" }] } }],
  ]);
  const [lab, core] = resources;
  assert.deepEqual([lab?.member, lab?.physicalId], [false, "0191d1a3-0000-7000-8000-000000000001"]);
  assert.deepEqual([core?.member, core?.sourceFile], [true, "a.yaml"]);
});

test("all faults are reported, each with file and field", () => {
  const sections = [...listSections().keys()].join(", ");
  assertFaults(
    {
      "a.yaml": "project: net\nchecks:\n  web: { name: A }\n  'a b': {}\n  list: []",
      "b.yaml": `
project: other
checks:
  web: { name: B }
  dns: { groupId: none, request: { headers: [{ value: "${dollar}{TOKEN}" }] } }
  api: { alertChannelSubscriptions: [{ alertChannelId: ops }], name: "${dollar}{1}" }
monitors: {}
`,
    },
    [
      "a.yaml:4: checks.a b must be named with letters, digits and the characters _ - / # .",
      "a.yaml:5: checks.list must be the body of the resource",
      "b.yaml:2: project differs from that of a.yaml",
      "b.yaml:4: checks.web is also in a.yaml",
      `b.yaml:7: monitors is not a section; sections are project, ${sections}, external, adopt`,
      "b.yaml:5: checks.dns.request.headers.0.value needs the variable TOKEN, which is not set",
      'b.yaml:5: checks.dns.groupId refers to the check-group "none", which no file contains',
      `b.yaml:6: checks.api.name contains "${dollar}{1}", which is not a variable; ` +
        `write $${dollar}{ for the characters ${dollar}{`,
      'b.yaml:6: checks.api.alertChannelSubscriptions.0 refers to the alert-channel "ops", ' +
        "which no file contains",
    ],
  );
  const adopted = "project: net\nadopt: { checks: { web: id-1, dns: {} }, pings: {} }";
  assertFaults({ "a.yaml": adopted, "b.yaml": "adopt: { checks: { web: id-2 } }" }, [
    "a.yaml:2: adopt.checks.dns must be the id of an object of the account",
    "a.yaml:2: adopt.pings must be a section that maps names to ids",
    "b.yaml:1: adopt.checks.web is also in a.yaml",
    "a.yaml:2: adopt.checks.web names a check that no file describes",
  ]);
  assertFaults({ "a.yaml": "checks: {}" }, [
    'No file names the project. Add for example "project: network".',
  ]);
});

test("broken and hostile files are rejected with their name", () => {
  assert.throws(
    () => read({ "a.yaml": "checks: {a: 1, a: 2}" }),
    /^Error: a\.yaml is not valid YAML: .*dupl/i,
  );
  assert.throws(() => read({ "a.yaml": "- a" }), /a\.yaml must contain sections/);
  const levels = Array.from({ length: 12 }, (_, level) => {
    const items = Array.from({ length: 10 }, () => `*l${level}`).join(", ");
    return `l${level + 1}: &l${level + 1} [${items}]`;
  });
  const bomb = ["l0: &l0 [x]", ...levels].join("\n");
  assert.throws(
    () => read({ "bomb.yaml": bomb }),
    /bomb\.yaml (?:expands to too many|is not valid)/,
  );
  const big = `# ${"x".repeat(16 * 1_048_576)}`;
  assert.throws(() => read({ "a.yaml": big }), /larger than 16 MiB/);
  const many = Object.fromEntries(Array.from({ length: 5_001 }, (_, index) => [`s${index}`, {}]));
  const text = JSON.stringify({ project: "net", snippets: many });
  assert.throws(() => read({ "a.json": text }), /more than 5000 resources/);
});

test("an escaped text is never a variable, whatever it contains", () => {
  const texts = fc.string({ unit: fc.constantFrom("$", "{", "}", "A", "\n") });
  fc.assert(
    fc.property(texts, (text) => {
      const { text: filled, faults } = fillVariables(escapeVariables(text), { A: "wrong" });
      assert.deepEqual([filled, faults], [text, []]);
    }),
    { numRuns: propertyRuns },
  );
});

const plain = { noNullPrototype: true };

test("what an export writes is read back", () => {
  const names = fc.constantFrom("a", "b", "c/d", "e#1");
  const texts = fc.oneof(
    fc.string(),
    fc.constantFrom("yes", "1e3", "~", " x", "a: b", "#", `${dollar}{A}`),
  );
  const values = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      texts,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom("name", "config", "x y"), tie("value"), plain),
    ),
  })).value;
  const bodies = fc.dictionary(
    names,
    fc.dictionary(fc.constantFrom("name", "config"), values, plain),
  );
  fc.assert(
    fc.property(bodies, fc.constantFrom("yaml" as const, "json" as const), (drawn, format) => {
      const own: ExportedResource[] = Object.entries(drawn).map(([logicalId, payload]) => {
        return { type: "check-group", logicalId, payload };
      });
      const exported = {
        project: { logicalId: "net", name: `Net ${dollar}{x}` },
        resources: [
          { type: "alert-channel" as const, logicalId: "ops", payload: null, physicalId: 7 },
          { type: "snippet" as const, logicalId: "ops", payload: {}, physicalId: 9 },
          ...own,
          ...own.map(({ logicalId }): ExportedResource => {
            const payload = { alertChannelId: { ref: "ops" }, groupId: { ref: logicalId } };
            return { type: "alert-channel-subscription", logicalId: `s${logicalId}`, payload };
          }),
        ],
        variables: [],
      };
      const text = writeProjectFile(exported, format);
      const { project, resources } = read({ [`a.${format}`]: text }, { A: "wrong" });
      assert.deepEqual(project, exported.project);
      const groups = resources.filter(({ type }) => type === "check-group");
      assert.deepEqual(
        new Map(groups.map(({ logicalId, payload }) => [logicalId, payload])),
        new Map(own.map(({ logicalId, payload }) => [logicalId, payload])),
      );
      assert.equal(resources.length, 2 + 2 * own.length);
      const adopted = resources.find(({ type }) => type === "snippet");
      assert.deepEqual([adopted?.member, adopted?.physicalId], [true, 9]);
      const reversed = { ...exported, resources: exported.resources.toReversed() };
      assert.equal(writeProjectFile(reversed, format), text);
    }),
    { numRuns: propertyRuns },
  );
});

const entry = (rest: Partial<WireDiff>): WireDiff => ({
  type: "check",
  logicalId: "web",
  action: "UNCHANGED",
  ...rest,
});

const plan = {
  diff: [
    entry({ logicalId: "new", action: "CREATE", origin: "code", sourceFile: "a.yaml" }),
    entry({ logicalId: "again", action: "CREATE", origin: "remote" }),
    entry({ logicalId: "mine", action: "ADOPT", origin: "code", changes: [] }),
    entry({
      action: "UPDATE",
      changes: [
        { path: "/frequency", origin: "code", before: 5, after: 10 },
        { path: "/request/a~1b", origin: "both", before: "\u001b[31m", after: undefined },
        { path: "/muted", origin: "remote", before: true, after: false },
        { path: "/password", origin: "code", secret: true, before: {}, after: {} },
        { path: "/script", origin: "code", before: { $hash: "0123456789" }, after: "" },
      ],
      before: { name: "Web", frequency: 5 },
      after: { name: "Web", frequency: 10 },
    }),
    entry({ logicalId: "first", action: "UPDATE", changes: [] }),
    entry({ logicalId: "old", action: "DELETE", before: { name: "Old" } }),
    entry({ logicalId: "kept", action: "KEEP" }),
    entry({ logicalId: "same" }),
  ],
};

test("a plan names every change, its values, and who made it", () => {
  assert.deepEqual(writePlan(plan, createPaint(false)).split("\n"), [
    '+ check "new"  a.yaml',
    '+ check "again"  # deleted on the server',
    '= check "mine"',
    '~ check "web"',
    "    frequency: 5 → 10",
    '    request.a/b: "\\u001b[31m" → (none)  # changed in the files and on the server',
    "    muted: true → false  # changed on the server",
    "    password: (secret changes)",
    '    script: (long value 01234567) → ""',
    '~ check "first"',
    "    (no property changes; first apply)",
    '- check "old"',
    "",
    "Plan: 1 to adopt, 2 to create, 2 to change, 1 to delete, 1 unchanged.",
    "",
    "Not in the files, and kept (1). Add --prune to delete:",
    '  check "kept"',
  ]);
  const colored = writePlan(plan, createPaint(true));
  assert.ok(colored.startsWith('\u001b[32m+ check "new"\u001b[0m'));
  assert.equal(writePlan({ diff: [entry({})] }, createPaint(false)), "No changes. 1 unchanged.");
});

test("a difference is a unified diff of the server and the files", () => {
  const lines = writeDiff(plan, createPaint(false)).split("\n");
  assert.deepEqual(lines.slice(6, 14), [
    '--- server: check "web"',
    '+++ files: check "web"',
    "@@ -1,2 +1,2 @@",
    "-frequency: 5",
    "+frequency: 10",
    " name: Web",
    "# secret values change: password",
    '--- server: check "first"',
  ]);
  assert.deepEqual(lines.slice(-4), [
    '--- server: check "old"',
    "+++ /dev/null",
    "@@ -1,1 +0,0 @@",
    "-name: Old",
  ]);
});

/** Applies a unified diff to the old lines. */
function patch(before: readonly string[], lines: readonly string[]): string[] {
  const after: string[] = [];
  let at = 0;
  for (const line of lines) {
    const head = /^@@ -(\d+),(\d+) /.exec(line);
    if (head !== null) {
      const start = Number(head[1]) - (head[2] === "0" ? 0 : 1);
      after.push(...before.slice(at, start));
      at = start;
    } else if (line.startsWith("+")) after.push(line.slice(1));
    else {
      assert.equal(line.slice(1), before[at]);
      if (line.startsWith(" ")) after.push(line.slice(1));
      at += 1;
    }
  }
  return [...after, ...before.slice(at)];
}

test("a unified diff turns the old lines into the new ones", () => {
  const texts = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 30 });
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      const lines = diffLines(before, after);
      assert.deepEqual(patch(before, lines), after);
      assert.equal(
        lines.length === 0,
        before.join("\n") === after.join("\n") && before.length === after.length,
      );
    }),
    { numRuns: propertyRuns },
  );
});
