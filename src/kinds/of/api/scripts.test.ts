import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type ApiScripts,
  createSnippets,
  findScriptFaults,
  hasScripts,
  isApiScripts,
  mergeScripts,
  planScripts,
  type ScriptSettings,
  scriptsMs,
} from "./scripts.ts";

const none: ScriptSettings = {
  setupSnippetId: null,
  tearDownSnippetId: null,
  localSetupScript: null,
  localTearDownScript: null,
};
const file = (path: string, content = `// ${path}`) => ({ path, content });

test("omitted scripts keep their value, and empty ones are removed", () => {
  const stored = mergeScripts(null, {
    setupSnippetId: 3,
    localSetupScript: "a();",
    setupScriptPath: "hooks/a.ts",
    setupScriptDependencies: [file("b.ts")],
  });
  assert.deepEqual(stored, {
    ...none,
    setupSnippetId: 3,
    localSetupScript: "a();",
    setupScriptPath: "hooks/a.ts",
    setupScriptDependencies: [file("b.ts")],
  });
  assert.deepEqual(mergeScripts(stored, {}), stored);
  assert.deepEqual(mergeScripts(stored, { setupSnippetId: null, localSetupScript: "" }), {
    ...none,
    setupScriptPath: "hooks/a.ts",
    setupScriptDependencies: [file("b.ts")],
  });
});

test("fields about files are absent if they are empty, and the other fields never", () => {
  assert.deepEqual(mergeScripts(null, {}), none);
  const emptied = { setupScriptPath: "", tearDownScriptPath: null, setupScriptDependencies: [] };
  assert.deepEqual(mergeScripts({ ...none, setupScriptPath: "a.ts" }, emptied), none);
});

test("a check has scripts if it or its group has one", () => {
  assert.equal(hasScripts(none), false);
  assert.equal(hasScripts({ ...none, localSetupScript: "" }), false);
  assert.equal(hasScripts({ ...none, setupScriptPath: "a.js" }), false);
  for (const change of [
    { setupSnippetId: 0 },
    { tearDownSnippetId: 1 },
    { localSetupScript: "a();" },
    { localTearDownScript: "a();" },
    { groupScripts: {} },
  ]) {
    assert.ok(hasScripts({ ...none, ...change }), JSON.stringify(change));
  }
});

test("the group's scripts are around those of the check, and snippets come before scripts", () => {
  const planned = planScripts({
    ...{ setupSnippetId: 1, tearDownSnippetId: 2 },
    ...{ localSetupScript: "setup();", localTearDownScript: "tearDown();" },
    runtimeId: "2026.04",
    groupScripts: {
      ...{ setupSnippetId: 3, tearDownSnippetId: 4, baseUrl: "https://example.com" },
      ...{ localSetupScript: "groupSetup();", localTearDownScript: "groupTearDown();" },
    },
  });
  assert.deepEqual(planned, {
    runtime: "2026.04",
    baseUrl: "https://example.com",
    setup: [
      { path: "group-setup-snippet.js", content: "", snippetId: 3 },
      { path: "group-setup.js", content: "groupSetup();" },
      { path: "setup-snippet.js", content: "", snippetId: 1 },
      { path: "setup.js", content: "setup();" },
    ],
    tearDown: [
      { path: "teardown-snippet.js", content: "", snippetId: 2 },
      { path: "teardown.js", content: "tearDown();" },
      { path: "group-teardown-snippet.js", content: "", snippetId: 4 },
      { path: "group-teardown.js", content: "groupTearDown();" },
    ],
    files: [],
  });
});

test("without scripts nothing is planned, and the default runtime is used", () => {
  const empty = { runtime: null, baseUrl: "", setup: [], tearDown: [], files: [] };
  assert.deepEqual(planScripts(none), empty);
});

test("scripts have the paths that they were written with, and share files of the same path", () => {
  const planned = planScripts({
    ...none,
    ...{ localSetupScript: "s();", setupSnippetId: 1, setupScriptPath: "hooks/login.ts" },
    ...{ localTearDownScript: "t();", tearDownScriptPath: "hooks/logout.ts" },
    setupScriptDependencies: [file("shared.ts"), file("a.ts")],
    tearDownScriptDependencies: [file("shared.ts"), file("b.ts")],
  });
  assert.deepEqual(
    planned.setup.map(({ path }) => path),
    ["hooks/login-snippet.js", "hooks/login.ts"],
  );
  assert.deepEqual(planned.tearDown, [{ path: "hooks/logout.ts", content: "t();" }]);
  assert.deepEqual(
    planned.files.map(({ path }) => path),
    ["shared.ts", "a.ts", "b.ts"],
  );
});

test("a snippet never has the path of the script that runs after it", () => {
  for (const setupScriptPath of ["setup.ts", "setup.js", "setup.mjs", "setup", "a.ts/setup"]) {
    const settings = { ...none, setupSnippetId: 1, localSetupScript: "s();", setupScriptPath };
    const paths = planScripts(settings).setup.map(({ path }) => path);
    assert.equal(new Set(paths).size, 2, paths.join(", "));
    assert.equal(paths[1], setupScriptPath);
  }
});

test("a run may last longer by the time limits of its scripts", () => {
  assert.equal(scriptsMs(none), 0);
  const one = { ...none, localSetupScript: "a();" };
  assert.equal(scriptsMs(one), 15_000 + 40_000);
  assert.equal(scriptsMs({ ...one, setupSnippetId: 1, tearDownSnippetId: 2 }), 45_000 + 40_000);
  assert.equal(scriptsMs({ ...none, groupScripts: { setupSnippetId: 1 } }), 15_000 + 40_000);
});

test("faults of files name the phase that they are of", () => {
  assert.deepEqual(findScriptFaults(none), []);
  const faults = findScriptFaults({
    ...none,
    setupScriptPath: "../a.ts",
    setupScriptDependencies: [file("/etc/passwd")],
    tearDownScriptPath: "b.ts",
    tearDownScriptDependencies: [file("b.ts"), file("c\\d.ts")],
  });
  assert.deepEqual(
    faults.map(({ key }) => key),
    [
      "setupScriptPath",
      "setupScriptDependencies.0.path",
      "tearDownScriptDependencies.0.path",
      "tearDownScriptDependencies.1.path",
    ],
  );
});

test("no file or script of a check replaces another one of the same run", () => {
  const shared = [file("lib.js", "A")];
  const both = { ...none, setupScriptDependencies: shared, tearDownScriptDependencies: shared };
  assert.deepEqual(findScriptFaults(both), []);
  const keys = (settings: object) =>
    findScriptFaults({ ...both, ...settings }).map(({ key }) => key);
  assert.deepEqual(keys({ tearDownScriptDependencies: [file("lib.js", "B")] }), [
    "tearDownScriptDependencies.0.path",
  ]);
  const { setup } = planScripts({
    ...none,
    setupScriptPath: "group-setup.js",
    localSetupScript: "own",
    groupScripts: { localSetupScript: "group" },
  });
  assert.deepEqual(
    setup.map(({ path, content }) => [path, content]),
    [
      ["_group-setup.js", "group"],
      ["group-setup.js", "own"],
    ],
  );
});

const scripts: ApiScripts = {
  runtime: null,
  baseUrl: "",
  setup: [
    { path: "setup-snippet.js", content: "", snippetId: 5 },
    { path: "setup.js", content: "import './lib.js'" },
  ],
  tearDown: [{ path: "teardown-snippet.js", content: "", snippetId: 6 }],
  files: [file("lib.js", "lib();")],
};

test("snippets of a request are listed and replaced by their content", () => {
  const { listIds, listTexts, add } = createSnippets<{ readonly scripts?: ApiScripts }>();
  assert.deepEqual(listIds({ scripts }), [5, 6]);
  assert.deepEqual(listTexts({ scripts }), ["", "import './lib.js'", "", "lib();"]);
  const added = add({ scripts }, new Map([[5, "five();"]]), [file("snippets/a.js")]);
  assert.deepEqual(added.scripts?.setup, [
    { path: "setup-snippet.js", content: "five();" },
    { path: "setup.js", content: "import './lib.js'" },
  ]);
  // A deleted snippet does nothing.
  assert.deepEqual(added.scripts?.tearDown, [{ path: "teardown-snippet.js", content: "" }]);
  assert.deepEqual(
    added.scripts?.files.map(({ path }) => path),
    ["lib.js", "snippets/a.js"],
  );
});

test("a request without scripts has no snippets", () => {
  const { listIds, listTexts, add } = createSnippets<{ readonly scripts?: ApiScripts }>();
  const request = {};
  assert.deepEqual([listIds(request), listTexts(request)], [[], []]);
  assert.equal(add(request, new Map(), [file("snippets/a.js")]), request);
});

test("scripts of an order are validated, because another version may have sent them", () => {
  assert.ok(isApiScripts(scripts));
  assert.ok(isApiScripts({ ...scripts, runtime: "2026.04", setup: [], tearDown: [], files: [] }));
  const five = Array.from({ length: 5 }, (_, index) => file(`s${index}.js`));
  const large = "x".repeat(2 ** 22);
  const rejected: readonly unknown[] = [
    null,
    "scripts",
    {},
    { ...scripts, runtime: 5 },
    { ...scripts, runtime: undefined },
    { ...scripts, baseUrl: null },
    { ...scripts, setup: null },
    { ...scripts, setup: {} },
    { ...scripts, setup: [null] },
    { ...scripts, setup: five },
    { ...scripts, tearDown: five },
    { ...scripts, setup: [{ path: "a.js" }] },
    { ...scripts, setup: [file("../a.js")] },
    { ...scripts, tearDown: [file("/a.js")] },
    { ...scripts, files: [file("a//b.js")] },
    { ...scripts, files: [file("a\0b.js")] },
    { ...scripts, files: [file("")] },
    { ...scripts, files: [{ path: "a.js", content: 5 }] },
    { ...scripts, setup: [file("a.js", large)], files: [file("b.js", large), file("c.js")] },
  ];
  for (const [index, value] of rejected.entries()) {
    assert.equal(isApiScripts(value), false, `value ${index}`);
  }
});
