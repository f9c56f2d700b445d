import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { probesPerHop } from "../measurement.ts";
import type { Arrival } from "./packet.ts";
import { Trace, type TraceLimits } from "./trace.ts";

const limits: TraceLimits = { maxHops: 20, maxUnknownHops: 5, timeoutMs: 10_000 };
const target = "198.51.100.1";
const nothing = { type: 0, code: 0, mtu: null, labels: [] };

type Response = Pick<Arrival, "kind"> & Partial<Arrival> & { readonly address: string };

/** What responds to a probe with this hop limit; `null` for silence. */
type Network = (hop: number, attempt: number) => Response | null;

const router = (hop: number): Response => ({ kind: "exceeded", address: `10.0.0.${hop}` });
const destination: Response = { kind: "reply", address: target };

interface Simulated {
  readonly trace: Trace;
  /** Hop limits in sending order. */
  readonly sent: readonly number[];
  /** Simulated time. */
  readonly endedAt: number;
}

function simulate(network: Network, change: Partial<TraceLimits> = {}, rttMs = 20): Simulated {
  const trace = new Trace({ ...limits, ...change }, target, 0);
  const sent: number[] = [];
  const flying: { atMs: number; index: number; response: Response }[] = [];
  let nowMs = 0;
  for (; !trace.isFinished(nowMs); nowMs += 5) {
    assert.ok(nowMs < 60_000, "the trace ends");
    for (const { index, response } of flying.splice(0).filter((one) => {
      if (one.atMs > nowMs) flying.push(one);
      return one.atMs <= nowMs;
    })) {
      const { address, ...arrival } = response;
      trace.recordArrival(index, { token: 0, ...nothing, ...arrival }, { address, rttMs }, nowMs);
    }
    for (const hop of trace.listDue(nowMs)) {
      const index = trace.nextIndex;
      const response = network(hop, sent.filter((one) => one === hop).length);
      trace.recordSent(hop, nowMs);
      sent.push(hop);
      if (response !== null) flying.push({ atMs: nowMs + rttMs, index, response });
    }
  }
  return { trace, sent, endedAt: nowMs };
}

const pathOf = ({ trace }: Simulated) =>
  trace.listHops().map(({ addresses }) => addresses.map(({ address }) => address).join());

test("a small limit of silent hops does not end a path that responds", () => {
  for (const maxUnknownHops of [1, 2]) {
    const run = simulate((hop) => (hop < 6 ? router(hop) : destination), { maxUnknownHops });
    assert.deepEqual([pathOf(run).length, run.trace.end], [6, "destinationReached"]);
  }
});

test("a path to the target has three probes per hop, and few beyond it", () => {
  const run = simulate((hop) => (hop < 4 ? router(hop) : destination));
  assert.equal(run.trace.end, "destinationReached");
  assert.deepEqual(pathOf(run), ["10.0.0.1", "10.0.0.2", "10.0.0.3", target]);
  for (const { sent, rttsMs } of run.trace.listHops()) {
    assert.deepEqual([sent, rttsMs.length], [probesPerHop, probesPerHop]);
  }
  const beyond = run.sent.filter((hop) => hop > 4).length;
  // A target limits how many errors it sends, six at once on Linux.
  assert.ok(beyond <= 3, `${beyond} probes went beyond the target`);
  assert.ok(run.endedAt < 1_000);
});

test("a silent router is passed over, and does not delay the rest for long", () => {
  const run = simulate((hop) => (hop === 2 ? null : hop < 5 ? router(hop) : destination));
  assert.deepEqual(pathOf(run), ["10.0.0.1", "", "10.0.0.3", "10.0.0.4", target]);
  assert.deepEqual(run.trace.listHops()[1], {
    sent: 3,
    rttsMs: [],
    addresses: [],
    error: null,
    labels: [],
  });
  assert.ok(run.endedAt < 1_500, `${run.endedAt} ms`);
});

test("too many silent hops end the trace", () => {
  const run = simulate((hop) => (hop < 3 ? router(hop) : null));
  assert.equal(run.trace.end, "maxUnknownHops");
  assert.deepEqual(pathOf(run), ["10.0.0.1", "10.0.0.2", "", "", "", "", ""]);
  assert.ok(Math.max(...run.sent) === 7 && run.endedAt < limits.timeoutMs);
  const none = simulate(() => null);
  assert.deepEqual([none.trace.end, none.sent.length], ["maxUnknownHops", 5]);
});

test("the maximum number of hops ends the trace", () => {
  const run = simulate(router, { maxHops: 6 });
  assert.deepEqual([run.trace.end, run.trace.listHops().length], ["maxHops", 6]);
});

test("the timeout ends the trace, with what is known", () => {
  const run = simulate(router, { timeoutMs: 1_000 }, 400);
  assert.equal(run.trace.end, "timeout");
  assert.equal(run.endedAt, 1_000);
  assert.ok(run.trace.listHops().length > 0);
});

test("an error ends the path at its hop, unless the target sent it", () => {
  const prohibited = { kind: "unreachable", type: 3, code: 13, address: "10.0.0.2" } as const;
  const refused = simulate((hop) => (hop < 3 ? router(hop) : prohibited));
  assert.equal(refused.trace.end, "unreachable");
  assert.deepEqual(refused.trace.listHops()[2]?.error, { type: 3, code: 13, mtu: null });
  const own = simulate((hop) => (hop < 3 ? router(hop) : { ...prohibited, address: target }));
  assert.equal(own.trace.end, "destinationReached");
  const otherAddress = { ...prohibited, code: 3, address: "10.9.9.9" };
  const closed = simulate((hop) => (hop < 3 ? router(hop) : otherAddress));
  assert.equal(closed.trace.end, "destinationReached", "a closed port is on the target");
});

test("a link with a small MTU ends the path with its MTU", () => {
  const tooBig = { kind: "too-big", type: 3, code: 4, mtu: 1_280, address: "10.0.0.2" } as const;
  const run = simulate((hop) => (hop < 3 ? router(hop) : tooBig));
  assert.equal(run.trace.end, "packetTooBig");
  assert.equal(run.trace.listHops().at(-1)?.error?.mtu, 1_280);
});

test("a loop ends the trace once it has repeated", () => {
  const run = simulate((hop) => router(hop < 3 ? hop : 3 + (hop % 2)));
  assert.equal(run.trace.end, "loop");
  assert.ok(Math.max(...run.sent) <= 10, "it does not go on to the last hop");
});

test("routers that balance by packet have several addresses", () => {
  const run = simulate((hop, attempt) =>
    hop === 2
      ? { kind: "exceeded", address: `10.1.${attempt}.2` }
      : hop < 4
        ? router(hop)
        : destination,
  );
  const [, second] = run.trace.listHops();
  assert.equal(second?.addresses.length, 3);
});

test("only the first arrival for a probe counts", () => {
  const trace = new Trace(limits, target, 0);
  trace.recordSent(1, 0);
  const arrival: Arrival = { token: 0, ...nothing, kind: "exceeded" };
  assert.equal(trace.findOpen(0), 0);
  assert.equal(trace.recordArrival(0, arrival, { address: "10.0.0.1", rttMs: 1 }, 1), 1);
  assert.equal(trace.findOpen(0), null);
  assert.equal(trace.recordArrival(0, arrival, { address: "6.6.6.6", rttMs: 1 }, 2), null);
  assert.equal(trace.recordArrival(99, arrival, { address: "6.6.6.6", rttMs: 1 }, 2), null);
  assert.deepEqual(trace.listHops()[0]?.addresses, undefined, "hop 1 was not asked for");
});

test("one hop at a time is open after an error that does not name its probe", () => {
  const trace = new Trace(limits, target, 0);
  trace.becomeSequential();
  assert.deepEqual(trace.listDue(0), [1]);
  trace.recordSent(1, 0);
  assert.deepEqual([trace.listDue(10), trace.findSoleOpenIndex(10)], [[], 0]);
  trace.recordArrival(
    0,
    { token: 0, ...nothing, kind: "exceeded" },
    { address: "a", rttMs: 1 },
    20,
  );
  assert.deepEqual(trace.listDue(25), [2]);
});

test("any network ends within its timeout and a bounded number of probes", () => {
  const responses = fc.array(
    fc.option(
      fc.record({
        kind: fc.constantFrom("exceeded", "unreachable", "too-big", "reply"),
        address: fc.constantFrom(target, "10.0.0.1", "10.0.0.2", "10.0.0.3"),
      }),
      { nil: null },
    ),
    { minLength: 20, maxLength: 20 },
  );
  fc.assert(
    fc.property(responses, fc.integer({ min: 1, max: 2_000 }), (list, rttMs) => {
      const network: Network = (hop) => (list[hop - 1] as Response | null) ?? null;
      const { trace, sent, endedAt } = simulate(network, { timeoutMs: 5_000 }, rttMs);
      assert.ok(endedAt <= 5_000);
      const most = Math.max(...sent.map((hop) => sent.filter((one) => one === hop).length));
      assert.ok(most <= probesPerHop && sent.length <= limits.maxHops * probesPerHop);
      const hops = trace.listHops();
      assert.ok(hops.length <= limits.maxHops);
      for (const hop of hops) assert.ok(hop.sent <= probesPerHop && hop.rttsMs.length <= hop.sent);
    }),
  );
});
