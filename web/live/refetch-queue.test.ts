import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { QueryObserver } from "@tanstack/query-core";
import { createQueryClient } from "../api/query-client.ts";
import { RefetchQueue } from "./refetch-queue.ts";

const everything = () => true;

interface Screen {
  readonly queue: RefetchQueue;
  /** Time of each request, in milliseconds. */
  readonly requests: number[];
  readonly requestsOf: (name: string) => number;
  readonly setHidden: (isHidden: boolean) => void;
  /** Advances the clock in steps of 100 ms. `step` runs before each. */
  readonly pass: (ms: number, step?: () => void) => Promise<void>;
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Opens a screen with these queries, loads them, and polls each every `pollMs`. */
async function openScreen(t: TestContext, names: string[], pollMs = 0): Promise<Screen> {
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"], now: 1_000_000 });
  const client = createQueryClient();
  const requests: number[] = [];
  const counts = new Map<string, number>();
  let isHidden = false;
  const queue = new RefetchQueue(client, () => isHidden);
  const stops = names.map((name) =>
    new QueryObserver(client, {
      queryKey: [name],
      queryFn: async () => {
        requests.push(Date.now());
        counts.set(name, (counts.get(name) ?? 0) + 1);
        return name;
      },
      ...(pollMs > 0 && { refetchInterval: pollMs }),
    }).subscribe(() => {}),
  );
  const stopQueue = queue.start();
  t.after(() => {
    for (const stop of [...stops, stopQueue]) stop();
    client.clear();
  });
  await settle();
  requests.length = 0;
  counts.clear();
  return {
    queue,
    requests,
    requestsOf: (name) => counts.get(name) ?? 0,
    setHidden: (next) => {
      isHidden = next;
    },
    pass: async (ms, step) => {
      for (let passed = 0; passed < ms; passed += 100) {
        step?.();
        t.mock.timers.tick(100);
        await settle();
      }
    },
  };
}

function findBusiestMinute(requests: readonly number[]): number {
  const counts = requests.map(
    (start) => requests.filter((at) => at >= start && at < start + 60_000).length,
  );
  return Math.max(0, ...counts);
}

test("a storm of changes causes at most 30 requests in any minute, and every query is re-fetched", async (t) => {
  const names = ["overview", "activity", "groups", "list", "facets"];
  const screen = await openScreen(t, names);
  await screen.pass(5 * 60_000, () => screen.queue.add(everything));
  const busiest = findBusiestMinute(screen.requests);
  assert.ok(busiest <= 30, `${busiest} requests in a minute`);
  assert.ok(screen.requests.length > 90, "the screen is still renewed");
  const turns = names.map(screen.requestsOf);
  assert.ok(Math.max(...turns) - Math.min(...turns) <= 2, turns.join(" "));
});

test("polls share the budget with changes", async (t) => {
  const screen = await openScreen(t, ["open", "list", "overview"], 15_000);
  await screen.pass(5 * 60_000, () => screen.queue.add(everything));
  const busiest = findBusiestMinute(screen.requests);
  assert.ok(busiest <= 30, `${busiest} requests in a minute`);
});

test("one change is shown immediately", async (t) => {
  const screen = await openScreen(t, ["overview", "list"]);
  screen.queue.add(everything);
  assert.equal(screen.requests.length, 2);
  await screen.pass(60_000);
  assert.equal(screen.requests.length, 2, "and nothing follows");
});

test("a hidden tab sends no requests and refreshes stale data once when it becomes visible", async (t) => {
  const screen = await openScreen(t, ["overview", "list"]);
  screen.setHidden(true);
  await screen.pass(120_000, () => screen.queue.add(everything));
  assert.equal(screen.requests.length, 0);
  screen.setHidden(false);
  screen.queue.onAct();
  await screen.pass(60_000);
  assert.equal(screen.requests.length, 2);
});

test("a user action during a storm refreshes the screen immediately", async (t) => {
  const screen = await openScreen(t, ["overview", "list"]);
  await screen.pass(60_000, () => screen.queue.add(everything));
  screen.queue.add(everything);
  const before = screen.requests.length;
  screen.queue.onAct();
  assert.equal(screen.requests.length - before, 2);
});

test("a change during a first load lets it finish and fetches once more", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const client = createQueryClient();
  const answers: ((name: string) => void)[] = [];
  const queryFn = () => new Promise<string>((resolve) => answers.push(resolve));
  const observer = new QueryObserver(client, { queryKey: ["checks"], queryFn });
  const queue = new RefetchQueue(client, () => false);
  const stops = [queue.start(), observer.subscribe(() => {})];
  for (let change = 0; change < 3; change += 1) queue.add(everything);
  assert.equal(answers.length, 1, "the first load goes on");
  answers[0]?.("OLD");
  await settle();
  t.mock.timers.tick(1);
  assert.equal(answers.length, 2, "one more request, however many changes there were");
  answers[1]?.("NEW");
  await settle();
  t.mock.timers.tick(60_000);
  assert.equal(answers.length, 2);
  assert.equal(client.getQueryData(["checks"]), "NEW");
  for (const stop of stops) stop();
  client.clear();
});
