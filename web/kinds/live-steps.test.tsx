/** The steps of a run in progress. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { renderPart } from "../../test/support/components/part.tsx";
import type { TrialStep } from "../api/try-check.ts";
import { LiveSteps } from "./live-steps.tsx";

const step = (name: string, more: object = {}) =>
  ({ event: "progress", step: name, ...more }) as unknown as TrialStep;

test("each step of a request is one line with its duration", () => {
  const steps = [
    step("resolved", { host: "shop.test", address: "192.0.2.1", durationMs: 2 }),
    step("connected", { port: 443, durationMs: 10.5 }),
    step("secured", { protocol: "TLSv1.3", durationMs: 30 }),
    step("sent", { bytes: 120 }),
    step("redirected", { status: 301, from: "http://shop.test/" }),
    step("answered", { status: 200, durationMs: 150 }),
    step("received", { bytes: 12_345 }),
  ];
  const part = renderPart(<LiveSteps steps={steps} isRunning />);
  assert.deepEqual(part.getByRole("listitem").allTextContents(), [
    "Resolved shop.test to 192.0.2.12.00 ms",
    "Connected to port 44310.5 ms",
    "TLS handshake (TLSv1.3)30.0 ms",
    "Sent 120 B",
    "Redirected (301) from http://shop.test/",
    "Status 200150 ms",
    "Received 12.3 kB",
  ]);
});

test("an address is not resolved to itself, and an unknown step has its name", () => {
  const steps = [
    step("resolved", { host: "192.0.2.1", address: "192.0.2.1" }),
    step("asked", { protocol: "UDP", address: "192.0.2.53", port: 53 }),
    step("truncated"),
    step("answered", { bytes: 64 }),
    step("step-of-a-newer-server"),
  ];
  const part = renderPart(<LiveSteps steps={steps} isRunning={false} />);
  assert.deepEqual(part.getByRole("listitem").allTextContents(), [
    "Address 192.0.2.1",
    "Queried 192.0.2.53 port 53 over UDP",
    "The response was truncated; retrying over TCP",
    "Response of 64 B",
    "step-of-a-newer-server",
  ]);
});

const packet = (sequence: number, rttMs: number | null, more: object = {}) =>
  step("packet", { sequence, rttMs, ...more });

test("packets are listed in the order sent, with those that were lost", () => {
  const packets = [packet(2, 0.5), packet(0, 8.31), packet(1, null, { lost: "timeout" })];
  const part = renderPart(<LiveSteps steps={packets} isRunning />);
  const list = part.getByRole("list", { name: "Packets" });
  assert.deepEqual(list.getByRole("listitem").allTextContents(), [
    "18.31 ms",
    "2timeout",
    "3500 µs",
  ]);
  assert.match(part.readText(), /3 packets, 1 lost so far$/);
  part.rerender(<LiveSteps steps={packets.slice(0, 1)} isRunning={false} />);
  assert.match(part.readText(), /1 packet, 0 lost$/);
});
