import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { test } from "../../../test/support/long-run.ts";
import {
  packRuntime,
  startNpmRegistry,
  type TinyPackage,
} from "../../../test/support/servers/npm-registry.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";
import { installRuntime, removeRuntime } from "./install.ts";
import { findRuntime } from "./installed.ts";
import { RuntimeInstaller } from "./installer.ts";
import type { InstallProgress } from "./workspace.ts";

const program = join(import.meta.dirname, "../../../test/support/programs/install-runtime.ts");

/** Stands for the Node.js of a runtime; the real one has 100 MB. */
const node: TinyPackage = {
  name: `node-linux-${process.arch}`,
  files: { "bin/node": "#!/bin/sh\necho v1.2.3\n", "include/node.h": "", "share/man": "" },
  isForMachine: true,
};
const tiny: TinyPackage = { name: "tiny", files: { "index.js": "module.exports = 42;\n" } };
const name = "2030.01";

/** A runtime of two packages, a registry that has them, and an empty npm cache. */
async function prepare(t: TestContext, packages: readonly TinyPackage[] = [tiny, node]) {
  const folder = mkdtempSync(join(tmpdir(), "vedette-runtimes-"));
  const runtimesFolder = join(folder, "data/runtimes");
  t.after(async () => {
    await removeRuntime(name, { runtimesFolder, lists });
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  const lists = join(folder, "lists");
  const runtime = packRuntime(packages);
  const writeList = (file: string, content: unknown) =>
    writeFileSync(join(lists, name, file), JSON.stringify(content));
  mkdirSync(join(lists, name), { recursive: true });
  writeList("package.json", runtime.manifest);
  writeList("package-lock.json", runtime.lock);
  const registry = await startNpmRegistry(runtime);
  t.after(() => registry.stop());
  const environment = {
    ...process.env,
    HOME: folder,
    npm_config_userconfig: join(folder, "npmrc"),
    npm_config_cache: join(folder, "cache"),
    npm_config_registry: registry.url,
  };
  const options = { runtimesFolder, lists, environment };
  const spawnInstaller = () =>
    spawn(process.execPath, [program, runtimesFolder, lists, name], {
      env: environment,
      stdio: "ignore",
    });
  const listWorkspace = () => readdirSync(join(runtimesFolder, `.installing-${name}`));
  return {
    folder,
    registry,
    options,
    runtimesFolder,
    lists,
    writeList,
    spawnInstaller,
    listWorkspace,
  };
}

type Prepared = Awaited<ReturnType<typeof prepare>>;

function assertInstalled({ runtimesFolder, lists }: Prepared): void {
  const found = findRuntime(runtimesFolder, name, lists);
  assert.ok("folder" in found, JSON.stringify(found));
  const { folder, nodePath } = found;
  assert.equal(readFileSync(join(folder, "node_modules/tiny/index.js"), "utf8").length, 21);
  assert.equal(execFileSync(nodePath, ["--version"], { encoding: "utf8" }), "v1.2.3\n");
}

test("a runtime is installed from the registry, then from npm's cache, read-only", async (t) => {
  const prepared = await prepare(t);
  const { options, runtimesFolder, lists, registry, listWorkspace } = prepared;
  assert.match(
    JSON.stringify(findRuntime(runtimesFolder, name, lists)),
    /Runtime 2030\.01 is not installed: run `npm run vedette runtime install 2030\.01`/,
  );
  const seen: InstallProgress[] = [];
  const onProgress = (progress: InstallProgress) => void seen.push(progress);
  const installation = await installRuntime(name, { ...options, onProgress });
  assertInstalled(prepared);
  assert.deepEqual([installation.nodeVersion, installation.packageCount], ["v1.2.3", 2]);
  assert.ok(installation.sizeBytes > 1_000);
  assert.deepEqual(seen[0], { phase: "packages", packagesDone: 0, packagesTotal: 2 });
  assert.deepEqual(seen.at(-1), { phase: "finishing", packagesDone: 2, packagesTotal: 2 });
  const root = join(runtimesFolder, name, "packages");
  for (const path of ["", "node_modules", "node_modules/tiny", "node_modules/tiny/index.js"]) {
    assert.equal(statSync(join(root, path)).mode & 0o222, 0, path);
  }
  assert.equal(existsSync(join(root, "node_modules", node.name, "include")), false);
  assert.deepEqual(listWorkspace(), []);

  assert.equal(await removeRuntime(name, options), true);
  assert.equal(await removeRuntime(name, options), false);
  assert.deepEqual([readdirSync(runtimesFolder), listWorkspace()], [[`.installing-${name}`], []]);
  await registry.stop();
  await installRuntime(name, options);
  assertInstalled(prepared);
  assert.equal(registry.downloads.length, 2);
});

test("two processes install a runtime once", { isLong: true }, async (t) => {
  const prepared = await prepare(t);
  const { options, registry, spawnInstaller } = prepared;
  registry.isHolding = true;
  const other = spawnInstaller();
  const ended = once(other, "exit");
  await waitUntil("npm downloads", () => registry.held.size > 0);
  const installer = new RuntimeInstaller({ ...options, log: () => {} });
  const { state } = installer.describe(name);
  assert.equal(state, "installing");
  const phases = new Set<string>();
  const onProgress = ({ phase }: InstallProgress) => void phases.add(phase);
  const both = [1, 2].map(() => installRuntime(name, { ...options, onProgress }));
  await waitUntil("the second installation waits", () => phases.has("waiting"));
  registry.release();
  assert.deepEqual(await ended, [0, null]);
  await Promise.all(both);
  assert.deepEqual([...phases], ["waiting"]);
  assertInstalled(prepared);
});

test("an installation that is killed leaves no process and is repeated", {
  isLong: true,
}, async (t) => {
  const prepared = await prepare(t);
  const { options, registry, runtimesFolder, lists, spawnInstaller, listWorkspace } = prepared;
  registry.isHolding = true;
  const killed = spawnInstaller();
  await waitUntil("npm downloads", () => registry.held.size > 0);
  killed.kill("SIGKILL");
  await waitUntil("npm has ended", () => registry.held.size === 0);
  assert.ok("reason" in findRuntime(runtimesFolder, name, lists));
  assert.notDeepEqual(listWorkspace(), []);
  registry.release();
  await installRuntime(name, options);
  assertInstalled(prepared);
  assert.deepEqual(listWorkspace(), []);
});

test("a runtime without npm, registry or space is not installed, and the error says what to do", async (t) => {
  const { options, runtimesFolder, registry, writeList } = await prepare(t);
  const { environment } = options;
  const install = (changes: Readonly<Record<string, string>>) =>
    installRuntime(name, { ...options, environment: { ...environment, ...changes } });
  await assert.rejects(
    install({ PATH: "", npm_execpath: "" }),
    /has none on its PATH: install npm/,
  );
  await assert.rejects(installRuntime("2022.10", options), /Runtime 2022\.10 cannot be installed/);
  await assert.rejects(installRuntime("../x", options), /There is no runtime/);
  await assert.rejects(
    install({ npm_config_offline: "true" }),
    /npm is offline and its cache lacks packages of runtime 2030\.01/,
  );
  writeList("package.json", { dependencies: { tiny: "1.2.3", [node.name]: "1.2.3", other: "1" } });
  await assert.rejects(install({}), /The npm registry does not provide a package .*other/);
  await registry.stop();
  await assert.rejects(
    install({}),
    /The npm registry cannot be reached: .*ECONNREFUSED.*npm_config_registry, then install/,
  );
  assert.deepEqual(readdirSync(runtimesFolder), [`.installing-${name}`]);
});

test("a damaged package list affects its runtime only", async (t) => {
  const { options, lists } = await prepare(t);
  mkdirSync(join(lists, "2025.04"));
  writeFileSync(join(lists, "2025.04/package-lock.json"), "{");
  const installer = new RuntimeInstaller({ ...options, log: () => {} });
  const status = installer.describe("2025.04");
  assert.ok(status.state === "missing" && !status.canInstall);
  assert.match(status.message, /The package list of runtime 2025\.04 is damaged/);
});

test("a package that differs from its checksum is rejected", { isLong: true }, async (t) => {
  const { options, registry, listWorkspace } = await prepare(t);
  registry.isCorrupt = true;
  await assert.rejects(installRuntime(name, options), /A package differs from its checksum/);
  assert.deepEqual(listWorkspace(), []);
});

test("a full disk is reported, and nothing remains on it", { isLong: true }, async (t) => {
  // Only root can create a small disk.
  if (process.getuid?.() !== 0) return;
  const large: TinyPackage = {
    name: "large",
    files: { "zeros.bin": randomBytes(5_000_000).toString("hex") },
  };
  const prepared = await prepare(t, [tiny, node, large]);
  const { options, folder } = prepared;
  for (const [megabytes, expected] of [
    [2, /has [23] MB left, and Runtime 2030\.01 needs 6 MB: free some space/],
    [8, /is full: free some space/],
  ] as const) {
    const runtimesFolder = join(folder, `disk${megabytes}`);
    mkdirSync(runtimesFolder);
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", runtimesFolder]);
    try {
      await assert.rejects(installRuntime(name, { ...options, runtimesFolder }), expected);
      assert.deepEqual(readdirSync(join(runtimesFolder, `.installing-${name}`)), []);
    } finally {
      execFileSync("umount", [runtimesFolder]);
    }
  }
});

test("the first run that needs a runtime starts its installation; a failed one is repeated", {
  isLong: true,
}, async (t) => {
  const prepared = await prepare(t);
  const { options, registry } = prepared;
  let nowMs = 0;
  const lines: string[] = [];
  const log = (line: string) => void lines.push(line);
  const installer = new RuntimeInstaller({ ...options, log, nowMs: () => nowMs });
  t.after(() => installer.stop());
  const find = () => installer.ensureInstalled(name);
  registry.isClosed = true;
  assert.match(JSON.stringify(find()), /Runtime 2030\.01 is being installed: 0 of \d+ packages/);
  await waitUntil("it has failed", () => installer.describe(name).state === "failed");
  const expected =
    /Runtime 2030\.01 is not installed\. The npm registry does not provide a package/;
  assert.match(JSON.stringify(find()), expected);
  assert.match(JSON.stringify(find()), /The next attempt is in 10 min/);
  assert.match(installer.listLimitations().join(), expected);
  registry.isClosed = false;
  nowMs = 600_000;
  assert.match(JSON.stringify(find()), /is being installed/);
  await waitUntil("it is installed", () => installer.describe(name).state === "installed");
  assert.ok("folder" in find());
  assert.deepEqual(installer.listLimitations(), []);
  await waitUntil("it is logged", () => lines.at(-1) === "installed runtime 2030.01");
});

test("stopping a server ends its installation", { isLong: true }, async (t) => {
  const { options, registry, listWorkspace } = await prepare(t);
  const installer = new RuntimeInstaller({ ...options, log: () => {} });
  registry.isHolding = true;
  installer.start(name);
  await waitUntil("npm downloads", () => registry.held.size > 0);
  await installer.stop();
  await waitUntil("npm has ended", () => registry.held.size === 0);
  assert.deepEqual([installer.describe(name).state, listWorkspace()], ["missing", []]);
});
