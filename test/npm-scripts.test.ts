/** Processes started by npm, tests or benchmarks end with their parent. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import manifest from "../package.json" with { type: "json" };
import { readPostmasterPid } from "./support/apps/vedette-process.ts";
import { test } from "./support/long-run.ts";
import { waitUntil } from "./support/time/wait-until.ts";

const project = join(import.meta.dirname, "..");

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function makeFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "vedette-npm-"));
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}

test("every npm script replaces itself with its last program", () => {
  for (const [name, script] of Object.entries(manifest.scripts)) {
    const last = script.split("&&").at(-1)?.trim() ?? "";
    // `check` ends within seconds.
    if (name === "check") continue;
    assert.match(last, /^exec /, `npm run ${name} runs ${last}`);
  }
});

test("a signal to npm ends the server and its database", async (t) => {
  const dataDir = await makeFolder(t);
  const { PATH = "", NODE_COMPILE_CACHE = "" } = process.env;
  const npm = spawn("npm", ["start"], {
    cwd: project,
    env: {
      PATH,
      NODE_COMPILE_CACHE,
      DATA_DIR: dataDir,
      PORT: "0",
      EXAMPLE: "false",
      BUILT_IN_PROBE: "false",
      DRAIN_SECONDS: "0",
      npm_config_update_notifier: "false",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  // A server that a failed test left behind would keep the whole run from ending.
  t.after(() => npm.kill("SIGTERM"));
  let output = "";
  npm.stdout.on("data", (chunk) => {
    output += String(chunk);
  });
  await waitUntil("it listens", () => / listens on http/.test(output) || npm.exitCode !== null);
  const server = JSON.parse(await readFile(join(dataDir, "server.pid"), "utf8")).pid as number;
  const postgres = readPostmasterPid(dataDir);
  t.after(() => isAlive(server) && process.kill(server, "SIGKILL"));
  assert.ok(isAlive(server) && isAlive(postgres));
  const gone = once(npm, "exit");
  npm.kill("SIGTERM");
  await gone;
  await waitUntil("the server is gone", () => !isAlive(server));
  await waitUntil("PostgreSQL is gone", () => !isAlive(postgres));
  assert.match(output, /Vedette stops \(SIGTERM\)/);
});

test("a server started by a test ends when the test is killed", { isLong: true }, async (t) => {
  const support = join(import.meta.dirname, "support", "apps", "vedette-process.ts");
  const settings = { DATA_DIR: await makeFolder(t), PORT: "0", BUILT_IN_PROBE: "false" };
  const starter = `
    import { spawnVedette, waitForAddress } from ${JSON.stringify(support)};
    const vedette = spawnVedette({ after() {} }, ["server"], ${JSON.stringify(settings)});
    await waitForAddress(vedette);
    process.stdout.write(String(vedette.pid));`;
  const list = ["--input-type=module", "--eval", starter];
  const child = spawn(process.execPath, list, { stdio: ["ignore", "pipe", "inherit"] });
  const [text] = await once(child.stdout, "data");
  const pid = Number(text);
  t.after(() => isAlive(pid) && process.kill(pid, "SIGKILL"));
  assert.ok(isAlive(pid));
  child.kill("SIGKILL");
  await waitUntil("the server is gone", () => !isAlive(pid));
});
