/** Attempts to use up the machine, one per bound of a sandbox, in every tier that it allows. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { getPriority } from "node:os";
import { join } from "node:path";
import { test } from "../../../test/support/long-run.ts";
import { findLack } from "../../../test/support/programs/programs.ts";
import { expectMeasured, orderScript } from "../../../test/support/scripts/script-runner.ts";
import { explainImpossible, startRunnerIn } from "../../../test/support/scripts/tiers.ts";
import { isolations } from "../isolation/sandbox.ts";
import type { ScriptRunner } from "../script-run.ts";

const support = join(import.meta.dirname, "../../../test/support/scripts");
const kernel = readFileSync(join(support, "kernel-memory.cjs"), "utf8");
/** Starts processes of which each uses up memory of the kernel in one way. */
const useKernel = (way: string, processes: number) => `
  const { spawn } = require("node:child_process");
  const path = process.env.TMPDIR + "/kernel-memory.cjs";
  require("node:fs").writeFileSync(path, ${JSON.stringify(kernel)});
  for (let count = 0; count < ${processes}; count += 1)
    spawn(process.execPath, ["--experimental-ffi", path, "${way}"], { stdio: "inherit" });`;

/** Starts processes with one thread each. Perl, unlike Node.js, has processes this small. */
const startSmall = (processes: number, code: string) => `
  const { spawn } = require("node:child_process");
  const code = ${JSON.stringify(`for (2..60) { fork or last } ${code}`)};
  for (let count = 0; count < ${processes}; count += 60)
    spawn("perl", ["-MSocket", "-MIO::Handle", "-e", code], { stdio: "inherit" });
  setTimeout(() => {}, 60_000);`;

/** Scripts that use up what they get, with the ends and errors that are allowed. */
const exhaustions: Readonly<Record<string, readonly [script: string, ends: RegExp]>> = {
  "an endless loop": ["for (;;);", /timed-out/],
  memory: [
    "const all = []; setInterval(() => all.push(Buffer.alloc(50_000_000, 1)), 5);",
    /out-of-memory/,
  ],
  "many processes with memory": [
    `const { spawn } = require("node:child_process");
    const code = "const all = []; setInterval(() => all.push(Buffer.alloc(20_000_000, 1)), 20)";
    for (let count = 0; count < 8; count += 1) spawn(process.execPath, ["-e", code]);
    setTimeout(() => {}, 60_000);`,
    /out-of-memory/,
  ],
  "a decompression bomb": [
    `const { createGunzip, gzipSync } = require("node:zlib");
    const bomb = gzipSync(Buffer.alloc(64_000_000)), all = [];
    for (let count = 0; count < 64; count += 1)
      createGunzip().on("data", (bytes) => all.push(bytes)).end(bomb);`,
    /out-of-memory/,
  ],
  "a flood of logs": [
    'for (;;) require("fs").writeSync(1, "x".repeat(60_000) + "\\n");',
    /too-much-output/,
  ],
  "a flood of events": [
    `const event = JSON.stringify({ kind: "log", text: "x".repeat(60_000) });
    for (;;) require("fs").writeSync(3, event + "\\n");`,
    /too-much-output/,
  ],
  processes: [
    `const { spawn } = require("node:child_process");
    const start = () => {
      spawn("sh", ["-c", "sleep 100; true"], { detached: true }).on("error", () => process.exit(1));
      setImmediate(start);
    };
    start();`,
    /too-many-processes|failed|out-of-memory/,
  ],
  "the disk": [
    `const fs = require("node:fs"), bytes = Buffer.alloc(4_000_000, 1);
    for (const folder of ["/script", "/tmp", "/dev/shm"])
      for (let count = 0; count < 200; count += 1)
        fs.appendFileSync(process.env.VEDETTE_ROOT + folder + "/large" + (count >> 3), bytes);`,
    /failed|out-of-memory/,
  ],
  "many small files": [
    `for (let count = 0; count < 1e6; count += 1)
      require("node:fs").writeFileSync(process.env.TMPDIR + "/" + count, "x");`,
    /failed|out-of-memory|timed-out/,
  ],
  "a hidden folder": [
    'require("node:fs").mkdirSync("hidden", { mode: 0 }); setInterval(() => {}, 1_000);',
    /timed-out|out-of-memory/,
  ],
  "signals to every process": ['process.kill(-1, "SIGKILL"); for (;;);', /./],
  "buffers of sockets": [useKernel("sockets", 4), /out-of-memory/],
  "buffers of sockets of hundreds of processes": [
    startSmall(
      360,
      `my @all; my $bytes = "x" x 65536;
      while (1) {
        socketpair(my $one, my $other, AF_UNIX, SOCK_STREAM, 0) or next;
        for ($one, $other) { $_->blocking(0); 1 while syswrite($_, $bytes); }
        push @all, $one, $other;
      }`,
    ),
    /out-of-memory: .*more than 1024 open sockets/,
  ],
  descriptors: [
    startSmall(60, "my @all; while (pipe(my $one, my $other)) { push @all, $one, $other } sleep"),
    /out-of-memory: .*more than 16384 descriptors/,
  ],
  "shared memory": [useKernel("shared memory", 1), /out-of-memory/],
  "tables of pages": [useKernel("tables of pages", 1), /out-of-memory/],
  pipes: [useKernel("pipes", 40), /out-of-memory|too-many-processes/],
  "a stopped process group": ['process.kill(0, "SIGSTOP"); for (;;);', /timed-out|failed/],
};

async function exhaust(runner: ScriptRunner, name: string): Promise<void> {
  const [script, allowedEnds] = exhaustions[name] ?? assert.fail(name);
  const request = { timeoutMs: /loop|stopped|small|hidden/.test(name) ? 2_000 : 60_000 };
  const { end, errors } = expectMeasured(await runner.run(orderScript(script, request)));
  assert.match(`${end}: ${errors[0]?.message}`, allowedEnds, name);
  const next = expectMeasured(
    await runner.run(
      orderScript('console.log(require("node:fs").readdirSync(process.env.TMPDIR).length);'),
    ),
  );
  assert.deepEqual([next.end, next.logs[0]?.text], ["passed", "0"], `after ${name}`);
}

for (const isolation of isolations) {
  const skip = explainImpossible(isolation) || findLack("perl");
  const title = `in tier ${isolation}, what a script uses up is there for the next run`;
  test(title, { skip, isLong: true }, async (t) => {
    const runner = startRunnerIn(isolation, { concurrency: 1 });
    t.after(() => runner.close());
    const first = await runner.run(orderScript(""));
    if (first.kind === "cannot-check") return t.skip(first.message);
    for (const name of Object.keys(exhaustions)) await exhaust(runner, name);
  });
}

const quick = isolations.find((isolation) => explainImpossible(isolation) === false);
test("a script cannot use up the memory of the kernel", {
  skip: quick === undefined,
}, async (t) => {
  if (quick === undefined) return;
  const runner = startRunnerIn(quick, { concurrency: 1 });
  t.after(() => runner.close());
  const first = await runner.run(
    orderScript(
      `console.log(require("node:fs").readFileSync("/proc/self/oom_score_adj", "utf8"));
      console.log(require("node:os").getPriority());`,
    ),
  );
  if (first.kind === "cannot-check") return t.skip(first.message);
  const logs = expectMeasured(first).logs.map(({ text }) => text);
  const priority = Math.max(10, getPriority());
  assert.deepEqual(logs, ["1000", String(priority)], "scripts end and wait before others");
  await exhaust(runner, "buffers of sockets");
});
