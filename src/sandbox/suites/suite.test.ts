import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { formatEntry } from "../../../test/support/servers/npm-registry.ts";
import { prepareSuite, type SuiteTask } from "./prepare-suite.ts";
import { findConfig, findDependencies, findEngine } from "./suite.ts";
import { hasCode, nameCode, SuiteStore } from "./suite-store.ts";

const archive = (files: Readonly<Record<string, unknown>>) => ({
  files: Object.entries(files).map(([path, value]) => ({
    path,
    content: Buffer.from(typeof value === "string" ? value : JSON.stringify(value)),
    isExecutable: false,
  })),
  links: [],
});

test("manifests, lock file and settings of npm are installed, and packages of the code are linked", () => {
  const packages = {
    "": {},
    "node_modules/@acme/lib": { link: true, resolved: "packages/lib" },
    "packages/lib": {},
    "packages/lib/node_modules/left-pad": {},
    "packages/lib/node_modules/left-pad/node_modules/x": {},
    "node_modules/a/node_modules/b": {},
  };
  const found = findDependencies(
    archive({
      "package.json": {},
      "package-lock.json": { packages },
      ".npmrc": "",
      "packages/lib/package.json": {},
      "packages/lib/.npmrc": "",
      "node_modules/own/package.json": {},
      "a.spec.ts": "",
    }),
  );
  if ("reason" in found) assert.fail(found.reason);
  assert.deepEqual(
    found.files.map(({ path }) => path),
    ["package.json", "package-lock.json", ".npmrc", "packages/lib/package.json"],
  );
  assert.deepEqual(found.links, [{ path: "node_modules/@acme/lib", target: "packages/lib" }]);
  assert.deepEqual(found.nested, ["packages/lib/node_modules"]);
});

test("code that cannot be installed says why", () => {
  const lock = (packages: object) => ({ "package-lock.json": { packages } });
  for (const [files, expected] of [
    [{ "yarn.lock": "" }, /^yarn.lock is not supported: Yarn is not available to checks\. .* npm/],
    [{ "pnpm-lock.yaml": "" }, /^pnpm-lock.yaml is not supported/],
    [{ "bun.lockb": "" }, /^bun.lockb is not supported/],
    [{ "package.json": {} }, /^The code has no package-lock.json/],
    [{ "package-lock.json": "{" }, /is damaged/],
    [lock({ "../x": {} }), /"\.\.\/x" in package-lock.json leads out/],
    [lock({ "/etc": {} }), /leads out/],
    [lock({ "node_modules/a": { link: true, resolved: "../a" } }), /leads out/],
    [lock({ "node_modules/a": { link: true } }), /leads out/],
  ] as const) {
    const found = findDependencies(archive(files));
    assert.ok("reason" in found, JSON.stringify(files));
    assert.match(found.reason, expected);
  }
});

test("the configuration is found as Playwright finds it, with how Node.js loads it", () => {
  const find = (paths: Readonly<Record<string, string>>, workingDir = "", configPath?: string) =>
    findConfig(
      { workingDir, configPath: configPath ?? null },
      { has: (path) => path in paths, read: (path) => paths[path] ?? null },
    );
  const module = '{"type":"module"}';
  assert.deepEqual(find({ "playwright.config.ts": "" }), {
    ...{ path: "playwright.config.ts", folder: ".", isModule: false },
  });
  assert.deepEqual(find({ "e2e/pw.ts": "", "package.json": module }, "e2e", "pw.ts"), {
    ...{ path: "e2e/pw.ts", folder: "e2e", isModule: true },
  });
  assert.deepEqual(
    find({ "e2e/a.js": "", "package.json": module, "e2e/package.json": "{}" }, "", "e2e/a.js"),
    { path: "e2e/a.js", folder: "e2e", isModule: false },
  );
  assert.deepEqual(find({ "e2e/playwright.config.mjs": "" }, "", "e2e"), {
    ...{ path: "e2e/playwright.config.mjs", folder: "e2e", isModule: true },
  });
  assert.deepEqual(find({}, "e2e"), { path: null, folder: "e2e", isModule: false });
  assert.deepEqual(find({}, "e2e", "pw.ts"), {
    reason: "The code has no file e2e/pw.ts, the configuration of its tests.",
  });
});

test("a version of Node.js is that of a runtime or of Vedette, and others are explained", () => {
  const find = (engineVersion: string | null, engine: "node" | "bun" = "node") =>
    findEngine({ engine, engineVersion });
  assert.deepEqual(find(null), { runtime: null });
  assert.deepEqual(find("22"), { runtime: "2025.04" });
  assert.deepEqual(find("v18.20.1"), { runtime: "2024.09" });
  const own = process.versions.node.split(".")[0] ?? "";
  assert.deepEqual(find(own), { name: `node-${own}`, folder: "", nodePath: process.execPath });
  assert.match(JSON.stringify(find("24")), /Node\.js 24 is not supported: use Node\.js 18, 22 or/);
  assert.match(JSON.stringify(find("1.3", "bun")), /The engine Bun is not supported: use Node/);
});

test("an entry of the store is created once, belongs to one account, and failures are repeated", async () => {
  const folder = mkdtempSync(join(tmpdir(), "vedette-store-"));
  try {
    const store = new SuiteStore(folder);
    let count = 0;
    const fill = async (place: string) => {
      count += 1;
      writeFileSync(join(place, "a"), "1");
      return { bytes: 1 };
    };
    const prepare = (scope: string) => store.prepare(scope, nameCode("x"), fill);
    const [one, same] = await Promise.all([prepare("one"), prepare("one")]);
    assert.equal(one, same);
    assert.equal(await prepare("one"), one);
    assert.deepEqual([hasCode(folder, "one", "x"), hasCode(folder, "two", "x")], [true, false]);
    assert.notEqual(await prepare("two"), one);
    assert.equal(count, 2);
    const failure = { reason: "It is damaged.", isFault: true };
    const fail = async () => {
      count += 1;
      return failure;
    };
    assert.deepEqual(await store.prepare("one", "bad", fail), failure);
    assert.deepEqual(await store.prepare("one", "bad", fail), failure);
    assert.equal(count, 3);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("what a killed process was writing is removed, and not what another one writes", async () => {
  const folder = mkdtempSync(join(tmpdir(), "vedette-store-"));
  try {
    const ended = spawnSync(process.execPath, ["--version"]).pid;
    const names = [
      `new-${ended}-a`,
      "new-of-an-earlier-version",
      `new-${process.ppid}-b`,
      "code-x",
    ];
    for (const name of names) mkdirSync(join(folder, "one", name), { recursive: true });
    await new SuiteStore(folder).removeUnfinished();
    assert.deepEqual(readdirSync(join(folder, "one")), ["code-x", `new-${process.ppid}-b`]);
    await new SuiteStore(join(folder, "absent")).removeUnfinished();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("entries beyond the size of an account are removed, unless a run uses them", async () => {
  const folder = mkdtempSync(join(tmpdir(), "vedette-store-"));
  try {
    const store = new SuiteStore(folder);
    const bytes = 2 ** 30;
    const add = async (name: string) => {
      const place = await store.prepare("one", nameCode(name), async () => ({ bytes }));
      return typeof place === "string" ? place : assert.fail(place.reason);
    };
    const release = store.hold([await add("used")]);
    for (const name of ["a", "b", "c"]) await add(name);
    const remaining = () => ["used", "a", "b", "c"].filter((one) => hasCode(folder, "one", one));
    assert.ok(remaining().includes("used"));
    assert.ok(remaining().includes("c"));
    assert.equal(remaining().length, 3);
    release();
    await add("d");
    assert.ok(hasCode(folder, "one", "d"));
    assert.ok(remaining().length <= 1);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Does not install packages: each installation is an empty folder of 2 GiB. */
class StoreWithoutNpm extends SuiteStore {
  override prepare(...[scope, name, fill]: Parameters<SuiteStore["prepare"]>) {
    const isPackages = name.startsWith("packages-");
    return super.prepare(scope, name, isPackages ? async () => ({ bytes: 2 ** 31 }) : fill);
  }
}

test("packages are removed when the store is full, even if their compilation failed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "vedette-store-"));
  try {
    const files = { "package.json": "{}", "package-lock.json": '{"packages":{}}' };
    const entries = Object.entries(files).map(([path, text]) => formatEntry(path, text));
    const content = gzipSync(Buffer.concat([...entries, Buffer.alloc(1_024)]));
    const store = new StoreWithoutNpm(folder);
    const task: SuiteTask = {
      suite: {
        bundle: `bundle/${createHash("sha256").update(content).digest("hex")}`,
        ...{ cacheHash: "", values: [], configPath: null, workingDir: "" },
        engine: "node",
        engineVersion: null,
      },
      ...{ scope: "one", content, engine: "1" },
      installation: {} as SuiteTask["installation"],
      warmUp: async () => {
        throw new Error("no space left on device");
      },
    };
    await assert.rejects(prepareSuite(store, task), /no space left/);
    const listPackages = () =>
      readdirSync(folder).flatMap((scope) =>
        readdirSync(join(folder, scope)).filter((name) => name.startsWith("packages-")),
      );
    assert.equal(listPackages().length, 1);
    await store.prepare("one", nameCode("next"), async () => ({ bytes: 1 }));
    assert.deepEqual(listPackages(), []);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
