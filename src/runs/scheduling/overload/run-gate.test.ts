import assert from "node:assert/strict";
import { test } from "node:test";
import { RunGate } from "./run-gate.ts";
import { maxOpenRuns, RunLoad } from "./run-load.ts";

interface Run {
  readonly checkId: string;
  readonly kind?: string;
  readonly dueAtMs?: number;
  readonly deadlineAtMs?: number;
  readonly locations?: readonly string[];
}

/** A gate with the given capacity, and what it skips and orders. */
function createGate() {
  const skipped: string[] = [];
  const load = new RunLoad({
    skippedRuns: {
      inc: ({ reason }: { readonly reason: string }, count: number) =>
        skipped.push(`${reason} ${count}`),
    },
  } as never);
  let opened = 0;
  const gate = new RunGate(load);
  const offer = (run: Run, nowMs = 0) => {
    const { kind = "URL", dueAtMs = 0, deadlineAtMs = 10_000, locations = ["home"] } = run;
    gate.offer({ checkId: run.checkId, kind, dueAtMs, deadlineAtMs, locations }, nowMs);
  };
  /** Opens the runs that are admitted, as the scheduler does. */
  const admit = (nowMs = 0, kind = "URL") => {
    const admitted: string[] = [];
    gate.admit(nowMs, ({ checkId, locations }) => {
      admitted.push(checkId);
      for (const _ of locations) open(kind);
    });
    return admitted;
  };
  const open = (kind: string, startAtMs = 0) => {
    opened += 1;
    load.windowOf(kind).open({ runId: `${opened}`, startAtMs, deadlineAtMs: startAtMs + 60_000 });
  };
  const fill = (kind: string, left: number) => {
    while (load.capacity(kind, 0) > left) open(kind);
  };
  return { gate, load, skipped, offer, admit, fill };
}

test("with capacity, every due run is ordered at once", () => {
  const { gate, offer, admit, skipped } = createGate();
  assert.equal(gate.isWaiting, false);
  for (const checkId of ["a", "b", "c"]) offer({ checkId });
  assert.ok(gate.isWaiting);
  assert.deepEqual(admit().toSorted(), ["a", "b", "c"]);
  assert.equal(gate.isWaiting, false);
  assert.deepEqual(admit(), []);
  assert.deepEqual(skipped, []);
});

test("a run waits until there is capacity, and is known to wait", () => {
  const { gate, offer, admit, fill } = createGate();
  fill("URL", 0);
  offer({ checkId: "a", dueAtMs: 1_000 });
  assert.deepEqual(admit(1_000), []);
  assert.ok(gate.isPending("URL", "a", 1_000));
  assert.equal(gate.isPending("URL", "a", 2_000), false);
  assert.equal(gate.isPending("ICMP", "a", 1_000), false);
  assert.equal(gate.isPending("URL", "b", 1_000), false);
});

test("a run with several locations uses their capacity", () => {
  const { offer, admit, fill, load } = createGate();
  fill("URL", 3);
  offer({ checkId: "a", locations: ["home", "eu"] });
  offer({ checkId: "b", locations: ["home", "eu"] });
  offer({ checkId: "c" });
  // The last run that is begun may exceed the limit, so that it does not wait forever.
  assert.deepEqual(admit(), ["c", "b"]);
  assert.equal(load.capacity("URL", 0), 0);
});

test("a newer run of a check replaces an older one, which is skipped", () => {
  const { gate, offer, admit, skipped, load } = createGate();
  offer({ checkId: "a", dueAtMs: 0, locations: ["home", "eu"] });
  offer({ checkId: "a", dueAtMs: 1_000 }, 1_000);
  assert.deepEqual(skipped, ["overloaded 2"]);
  assert.ok(load.skipped.isSkipped("a", 0));
  assert.equal(gate.isPending("URL", "a", 0), false);
  assert.deepEqual(admit(1_000), ["a"]);
});

test("a run that is noticed too late is skipped without any work, and is no overload", () => {
  const { gate, offer, skipped, load } = createGate();
  offer({ checkId: "a", dueAtMs: 0, deadlineAtMs: 10_000 }, 10_001);
  assert.deepEqual(skipped, ["late 1"]);
  assert.equal(gate.isWaiting, false);
  assert.equal(load.overloadShare(10_001), 0);
  // One that starts at its deadline could be quick enough.
  offer({ checkId: "b", dueAtMs: 0, deadlineAtMs: 10_000 }, 10_000);
  assert.deepEqual(skipped, ["late 1"]);
});

test("runs must start early enough to be recorded, as long as that usually takes", () => {
  const { gate, offer, load, skipped } = createGate();
  const window = load.windowOf("URL");
  // Recording takes six seconds on average.
  for (let run = 0; run < 500; run += 1) {
    window.open({ runId: `slow ${run}`, startAtMs: 0, deadlineAtMs: 60_000 });
    const stopped = { startedAtMs: 0, stoppedAtMs: 5_500, isRejected: false };
    window.close({ runId: `slow ${run}`, ...stopped }, 6_000);
  }
  assert.ok(Math.abs(window.elapsedMs - 6_000) < 10, `${window.elapsedMs}`);
  offer({ checkId: "a", dueAtMs: 0, deadlineAtMs: 20_000 }, 13_900);
  assert.ok(gate.isWaiting);
  offer({ checkId: "b", dueAtMs: 0, deadlineAtMs: 20_000 }, 14_100);
  assert.deepEqual(skipped, ["late 1"]);
  // A run that starts on time is ordered, however long it takes.
  offer({ checkId: "c", dueAtMs: 14_100, deadlineAtMs: 18_000 }, 14_100);
  assert.deepEqual(skipped, ["late 1"]);
});

test("runs that have waited beyond their time are dropped", () => {
  const { gate, offer, admit, fill, skipped } = createGate();
  fill("URL", 0);
  offer({ checkId: "a", dueAtMs: 0, deadlineAtMs: 5_000 });
  offer({ checkId: "b", dueAtMs: 0, deadlineAtMs: 30_000 });
  assert.deepEqual(admit(5_001), []);
  assert.deepEqual(skipped, ["overloaded 1"]);
  assert.equal(gate.isPending("URL", "a", 0), false);
  assert.ok(gate.isPending("URL", "b", 0));
});

test("kinds take turns for the capacity that they share", () => {
  const { gate, offer, load, fill } = createGate();
  fill("other", 0);
  assert.equal(load.capacity("URL", 0), 0);
  for (const kind of ["URL", "ICMP"]) offer({ checkId: kind, kind });
  const first: string[] = [];
  for (let turn = 0; turn < 4; turn += 1) {
    const capacity = load.capacity.bind(load);
    // One run may start in each turn, of whichever kind is first.
    let left = 1;
    load.capacity = () => left;
    gate.admit(turn, ({ checkId }) => {
      first.push(checkId);
      left = 0;
    });
    load.capacity = capacity;
    for (const kind of ["URL", "ICMP"]) offer({ checkId: kind, kind, dueAtMs: turn }, turn);
  }
  assert.deepEqual(new Set(first.slice(0, 2)), new Set(["URL", "ICMP"]));
  assert.deepEqual(first.slice(2), first.slice(0, 2));
});

test("a check that is no longer scheduled neither waits nor counts as skipped", () => {
  const { gate, offer, admit, load } = createGate();
  offer({ checkId: "a", dueAtMs: 0 });
  offer({ checkId: "a", dueAtMs: 1_000 });
  gate.forget("a");
  assert.deepEqual([gate.isWaiting, admit(1_000)], [false, []]);
  assert.equal(load.skipped.isSkipped("a", 0), false);
});

test("all kinds together have the limit of the probe", () => {
  const { load, fill } = createGate();
  fill("URL", maxOpenRuns / 2);
  assert.equal(load.capacity("ICMP", 0), maxOpenRuns / 2);
  fill("ICMP", 0);
  assert.equal(load.capacity("URL", 0), 0);
});
