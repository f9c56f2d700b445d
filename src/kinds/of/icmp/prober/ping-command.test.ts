import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { findLack } from "../../../../../test/support/programs/programs.ts";
import type { EchoRequest } from "./echo-run.ts";
import { buildPingArguments, PingCommand, parsePingOutput } from "./ping-command.ts";

test("iputils output is parsed, including duplicates and errors", () => {
  const text = [
    "PING 192.0.2.1 (192.0.2.1) 56(84) bytes of data.",
    "64 bytes from 192.0.2.1: icmp_seq=1 ttl=57 time=12.3 ms",
    "64 bytes from 192.0.2.1: icmp_seq=1 ttl=57 time=12.9 ms (DUP!)",
    "From 198.51.100.1 icmp_seq=2 Destination Host Unreachable",
    "64 bytes from 192.0.2.1: icmp_seq=3 ttl=57 time=1234 ms",
    "",
    "--- 192.0.2.1 ping statistics ---",
    "3 packets transmitted, 2 received, +1 duplicates, +1 errors, 33% packet loss, time 401ms",
  ].join("\n");
  assert.deepEqual(parsePingOutput(text, 3), {
    replies: [
      { sequence: 0, rttMs: 12.3, ttl: 57, duplicate: false },
      { sequence: 0, rttMs: 12.9, ttl: 57, duplicate: true },
      { sequence: 2, rttMs: 1234, ttl: 57, duplicate: false },
    ],
    failures: [{ sequence: 1, message: "Destination Host Unreachable" }],
  });
});

test("BusyBox output, which counts from zero, is parsed", () => {
  const text = "64 bytes from 192.0.2.1: seq=0 ttl=64 time=0.061 ms\n";
  assert.deepEqual(parsePingOutput(text, 1).replies, [
    { sequence: 0, rttMs: 0.061, ttl: 64, duplicate: false },
  ]);
});

test("IPv6 output is parsed", () => {
  const text = "64 bytes from ::1: icmp_seq=1 ttl=64 time=0.021 ms\n";
  assert.equal(parsePingOutput(text, 1).replies[0]?.rttMs, 0.021);
});

test("sequence numbers outside the run are ignored", () => {
  const line = (sequence: number) =>
    `64 bytes from 192.0.2.1: icmp_seq=${sequence} ttl=57 time=1.0 ms`;
  assert.deepEqual(parsePingOutput([line(0), line(4), line(99)].join("\n"), 3).replies, []);
});

test("any reply line is parsed to the numbers it was written from", () => {
  const ttl = fc.integer({ min: 1, max: 255 });
  fc.assert(
    fc.property(fc.nat({ max: 49 }), ttl, fc.nat({ max: 9_999_999 }), (sequence, hops, micro) => {
      const time = (micro / 1000).toFixed(3);
      const text = `64 bytes from 192.0.2.1: icmp_seq=${sequence + 1} ttl=${hops} time=${time} ms`;
      assert.deepEqual(parsePingOutput(text, 50).replies, [
        { sequence, rttMs: Number(time), ttl: hops, duplicate: false },
      ]);
    }),
  );
});

test("the parser never fails, and its results stay within the run", () => {
  const words = fc.constantFrom(
    "64 bytes from",
    "icmp_seq=",
    "time=",
    " ms",
    "ttl=",
    "\n",
    "(",
    "1",
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(words).map((parts) => parts.join(" ")),
  );
  fc.assert(
    fc.property(text, (output) => {
      for (const reply of parsePingOutput(output, 5).replies) {
        assert.ok(reply.sequence >= 0 && reply.sequence < 5 && reply.rttMs >= 0);
      }
    }),
  );
});

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
