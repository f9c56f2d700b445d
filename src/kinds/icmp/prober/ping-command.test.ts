import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { findLack } from "../../../../test/support/programs/programs.ts";
import type { EchoRequest } from "./echo-run.ts";
import { buildPingArguments, PingCommand } from "./ping-command.ts";

const request: EchoRequest = {
  address: "127.0.0.1",
  family: "IPv4",
  pingCount: 2,
  spacingMs: 10,
  timeoutMs: 1000,
  payloadBytes: 56,
};
const skip = findLack("ping");

test("the argument list bounds count, spacing and time, and ends with the address", () => {
  assert.deepEqual(buildPingArguments(request), [
    ...["-4", "-n", "-c", "2", "-i", "0.200", "-s", "56", "-W", "1", "-w", "2", "127.0.0.1"],
  ]);
});

test("only numeric addresses reach the command line", () => {
  const hostile = fc.oneof(
    fc.string(),
    fc.constantFrom("-c", "--help", "; id", "$(id)", "127.0.0.1 -f", "127.0.0.1\n", "localhost"),
  );
  fc.assert(
    fc.property(hostile, (address) => {
      fc.pre(isIP(address) === 0);
      assert.throws(() => buildPingArguments({ ...request, address }), /numeric/);
    }),
  );
});

test("a hostile address is an outcome, not a crash", async () => {
  const run = await new PingCommand().run({ ...request, address: "-f" });
  assert.equal(run.kind, "cannot-check");
});

test("the command measures loopback", { skip }, async () => {
  const run = await new PingCommand().run(request);
  assert.ok(run.kind === "measured", JSON.stringify(run));
  assert.equal(run.mode, "ping");
  assert.equal(run.statistics.packetsReceived, 2);
  assert.ok((run.packets[0]?.rttMs ?? 1e9) < request.timeoutMs);
  assert.equal(run.packets[0]?.type, 0);
});

test("a BusyBox ping without -n is supported", async () => {
  const folder = mkdtempSync(join(tmpdir(), "vedette-ping-"));
  const program = join(folder, "ping");
  const script = [
    "#!/bin/sh",
    "case \" $* \" in *' -n '*) echo \"ping: invalid option -- 'n'\" >&2; exit 1;; esac",
    'echo "64 bytes from 127.0.0.1: seq=0 ttl=64 time=0.051 ms"',
    'echo "64 bytes from 127.0.0.1: seq=1 ttl=64 time=0.052 ms"',
  ];
  writeFileSync(program, `${script.join("\n")}\n`, { mode: 0o755 });
  const command = new PingCommand(program);
  assert.equal(await command.findFault("IPv4"), null);
  const run = await command.run(request);
  rmSync(folder, { recursive: true });
  assert.equal(run.kind === "measured" && run.statistics.packetsReceived, 2);
});

test("a missing command is reported as such", async () => {
  const command = new PingCommand("/nonexistent/ping");
  assert.equal(await command.findFault("IPv4"), "not found");
  const run = await command.run(request);
  assert.deepEqual(run, { kind: "cannot-check", reason: "ping command: not found" });
});

test("a command that may not be started is an outcome, not a crash", async () => {
  const command = new PingCommand("/dev/null/ping");
  assert.match((await command.findFault("IPv4")) ?? "", /ENOTDIR/);
  const run = await command.run(request);
  assert.match(run.kind === "cannot-check" ? run.reason : "", /^ping command: .*ENOTDIR/);
});

test("closing ends running and waiting children at once", { skip }, async () => {
  const command = new PingCommand();
  const long = { ...request, pingCount: 50, spacingMs: 1000 };
  const runs = Array.from({ length: 40 }, () => command.run(long));
  command.close();
  const kinds = new Set((await Promise.all(runs)).map((run) => run.kind));
  assert.deepEqual([...kinds], ["interrupted"]);
});
