import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { parseConfig } from "../config.ts";
import { findPackages } from "../sandbox/runtimes/packages.ts";
import { runtimeTasks } from "./runtime-command.ts";

const program = join(import.meta.dirname, "../../bin/vedette.ts");
const folder = mkdtempSync(join(tmpdir(), "vedette-runtime-command-"));
test.after(() => rmSync(folder, { recursive: true, force: true }));

/** Pretends that a runtime is installed. */
function recordInstallation(name: string): void {
  const place = join(folder, "runtimes", name);
  mkdirSync(join(place, "packages"), { recursive: true });
  const { digest } = findPackages(name) ?? assert.fail();
  const figures = { nodeVersion: "v22.23.3", packageCount: 403, sizeBytes: 634_000_000 };
  const record = { digest, arch: process.arch, ...figures, installedAt: "2026-11-18T09:00:00Z" };
  writeFileSync(join(place, "installation.json"), JSON.stringify(record));
}

async function run(task: string, names: readonly string[] = [], json = false): Promise<string> {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const { signal } = new AbortController();
  const config = parseConfig({ DATA_DIR: folder });
  const request = { config, environment: {}, names, json };
  await runtimeTasks[task]?.(request, { write, error: { write }, signal });
  return lines.join("\n");
}

test("runtimes are listed with their state, for people and programs, and removed", async () => {
  recordInstallation("2025.04");
  const [first, second] = (await run("list")).split("\n");
  assert.equal(first, "2025.04  current   installed   Node.js v22.23.3, 634 MB");
  assert.match(
    second ?? "",
    /^2024\.09 {2}stable {4}missing {5}Runtime 2024\.09 is not installed: run/,
  );
  const listed = JSON.parse(await run("list", [], true));
  assert.deepEqual(
    listed
      .map(({ name, state }: { name: string; state: string }) => `${name} ${state}`)
      .slice(0, 3),
    ["2025.04 installed", "2024.09 missing", "2024.02 missing"],
  );
  assert.equal(await run("remove", ["2025.04"]), "Runtime 2025.04 was removed.");
  assert.equal(await run("remove", ["2025.04"]), "Runtime 2025.04 is not installed.");
  await assert.rejects(
    run("install", ["2025.04"]),
    /installed with npm, and this machine has none/,
  );
  await assert.rejects(run("remove", ["../x"]), /There is no runtime \.\.\/x/);
});

test("the command explains its usage", async () => {
  const call = (...list: string[]) =>
    new Promise<string>((resolve) => {
      execFile(process.execPath, [program, "runtime", ...list], (_error, _out, text) =>
        resolve(text.split("\n")[0] ?? ""),
      );
    });
  assert.deepEqual(await Promise.all([call(), call("install"), call("list", "2025.04")]), [
    "runtime needs install, list or remove.",
    "runtime install needs a name.",
    "runtime list accepts no name.",
  ]);
});
