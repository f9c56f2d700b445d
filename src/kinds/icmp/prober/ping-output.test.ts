import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parsePingOutput } from "./ping-output.ts";

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
