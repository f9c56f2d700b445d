import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { test } from "../../../../test/support/long-run.ts";
import {
  expectMeasured,
  orderScript,
  startScriptRunner,
} from "../../../../test/support/scripts/script-runner.ts";
import { type Isolation, isolations, needsRoot } from "../sandbox/sandbox.ts";
import type { ScriptRunner } from "../script-run.ts";

const attempts = "../../../../test/support/scripts/escape-attempts.cjs";
const script = readFileSync(join(import.meta.dirname, attempts), "utf8");
const folder = mkdtempSync(join(tmpdir(), "vedette-escape-"));
const socket = join(folder, "service.sock");
const abstractSocket = `vedette-escape-${process.pid}`;
const servers: Server[] = [];

/** Answers every connection, so that a connection that is made is noticed. */
async function listen(target: { port: number; host: string } | { path: string }): Promise<Server> {
  const server = createServer((connection) => {
    connection.on("error", () => {});
    connection.write("reached");
  });
  await new Promise<void>((resume) => server.listen(target, resume));
  servers.push(server);
  return server;
}

let port = 0;
before(async () => {
  const server = await listen({ port: 0, host: "::" });
  ({ port } = server.address() as { port: number });
  await listen({ path: socket });
  await listen({ path: `\0${abstractSocket}` });
});
after(() => {
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true });
});

const isRoot = process.getuid?.() === 0;
const nobody = 65_534;

function startIn(isolation: Isolation): ScriptRunner {
  return startScriptRunner({
    isolations: [isolation],
    reach: { allow: [], deny: ["127.0.0.1", "127.0.0.77", "::1"] },
    ...(isRoot && !needsRoot(isolation) && { userId: nobody }),
  });
}

/** Whether an ordinary user can load the project. */
function isProjectPublic(): boolean {
  const { status } = spawnSync(process.execPath, ["--check", import.meta.filename], {
    uid: nobody,
    gid: nobody,
  });
  return status === 0;
}

function explainImpossible(isolation: Isolation): string | false {
  if (needsRoot(isolation)) return !isRoot && "needs root";
  return isRoot && !isProjectPublic() && "ordinary users cannot read the project";
}

for (const isolation of isolations) {
  const skip = explainImpossible(isolation);
  const title = `in tier ${isolation}, a script can use nothing outside of its sandbox`;
  test(title, { skip }, async (t) => {
    const runner = startIn(isolation);
    t.after(() => runner.close());
    const targets = {
      file: import.meta.filename,
      folder,
      port,
      socket,
      abstractSocket,
      processId: process.pid,
      deniedUrl: `http://127.0.0.77:${port}/`,
    };
    const variables = { ESCAPE_TARGETS: JSON.stringify(targets) };
    const measurement = expectMeasured(await runner.run(orderScript(script, {}, { variables })));
    const lines = measurement.logs.flatMap(({ text }) => text.split("\n"));
    const made = lines.filter((line) => /: (?:denied|POSSIBLE)/.test(line));
    assert.deepEqual(
      made.filter((line) => line.includes("POSSIBLE")),
      [],
    );
    assert.equal(measurement.end, "passed", JSON.stringify(measurement.errors));
    assert.equal(measurement.isolation, isolation);
    assert.ok(made.length >= 80, `only ${made.length} attempts were made`);
  });
}
