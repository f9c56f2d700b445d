import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { findRuntime } from "./installed.ts";
import {
  chromiumName,
  findPackages,
  listInstallable,
  listLeftOut,
  packageLists,
} from "./packages.ts";
import { defaultRuntime, runtimes } from "./runtime.ts";

function readJson(name: string, file: string) {
  return JSON.parse(readFileSync(join(packageLists, name, file), "utf8"));
}

test("the current runtimes have package lists, and the default is one of them", () => {
  assert.deepEqual(listInstallable(), ["2025.04", "2024.09"]);
  const lists = readdirSync(packageLists).filter((name) => name !== chromiumName);
  assert.deepEqual(lists.sort(), [...listInstallable()].sort());
  assert.equal(defaultRuntime.name, "2025.04");
});

for (const name of listInstallable()) {
  const runtime = runtimes.find((one) => one.name === name) ?? assert.fail();
  const manifest = readJson(name, "package.json");
  const lock = readJson(name, "package-lock.json");

  test(`${name} has every package of the catalogue in its version, or leaves it out`, () => {
    const { "playwright-core": core, ...listed } = manifest.dependencies;
    // nice-grpc-error-details of 2025.04 imports it without declaring it.
    const { "@bufbuild/protobuf": _undeclared, ...others } = listed;
    // Earlier runtimes had them, and many scripts use them.
    const { chai, "chai-json-schema": _schema, "chai-string": _string, ...dependencies } = others;
    assert.equal(chai, runtimes.find((one) => one.name === "2024.02")?.dependencies.chai);
    const builtIn = Object.entries(runtime.dependencies).filter(([one]) => isBuiltin(one));
    assert.deepEqual(
      { ...dependencies, ...listLeftOut(name), ...Object.fromEntries(builtIn) },
      runtime.dependencies,
    );
    assert.ok(Object.keys(listLeftOut(name)).length <= 5);
    assert.equal(core, dependencies["@playwright/test"]);
  });

  test(`${name} has one version of Playwright and the Node.js of its line for two platforms`, () => {
    for (const one of ["playwright-core", "playwright", "@playwright/test"]) {
      const found = Object.entries<{ version: string }>(lock.packages)
        .filter(([path]) => path.endsWith(`node_modules/${one}`))
        .map(([, { version }]) => version);
      assert.deepEqual(found, [runtime.dependencies["@playwright/test"]], one);
    }
    const [x64, arm64] = ["x64", "arm64"].map(
      (arch) => lock.packages[`node_modules/node-linux-${arch}`].version,
    );
    assert.equal(x64, arm64);
    assert.equal(`v${x64}`.split(".")[0], runtime.nodeJsVersion.split(".")[0]);
    assert.equal(findPackages(name)?.nodeVersion, x64);
  });

  test(`${name} names no registry, and each package has a checksum`, () => {
    const entries = Object.entries<{ resolved?: string; integrity?: string; inBundle?: boolean }>(
      lock.packages,
    ).filter(([path]) => path !== "");
    assert.deepEqual(
      entries.filter(([, { resolved }]) => resolved !== undefined),
      [],
    );
    // The checksum of a package covers the packages that it bundles.
    const isCovered = (path: string): boolean => {
      const { integrity, inBundle } = lock.packages[path];
      const owner = path.slice(0, path.lastIndexOf("/node_modules/"));
      return /^sha512-/.test(integrity ?? "") || (inBundle === true && isCovered(owner));
    };
    assert.deepEqual(
      entries.filter(([path]) => !isCovered(path)),
      [],
    );
  });
}

test("names that are no runtimes are explained", () => {
  for (const [name, expected] of [
    ["2022.10", "Runtime 2022.10 cannot be installed: use 2025.04 or 2024.09."],
    ["../../etc", "There is no runtime ../../etc: use 2025.04 or 2024.09."],
    ["__proto__", "There is no runtime __proto__: use 2025.04 or 2024.09."],
  ] as const) {
    assert.deepEqual(findRuntime("/none", name), { reason: expected });
  }
  assert.match(JSON.stringify(findRuntime("/none", null)), /Runtime 2025\.04 is not installed/);
});
