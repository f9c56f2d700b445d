import assert from "node:assert/strict";
import { test } from "node:test";
import type { Order } from "../../contract/order.ts";
import type { Outcome } from "../../contract/result.ts";
import type { Prober } from "../prober.ts";
import type { KindTexts } from "../texts.ts";
import { maxFilledLength, runFilled } from "./run-filled.ts";

interface Spoken {
  readonly kind: "said";
  readonly text: string;
}

const texts: KindTexts<Spoken, Spoken> = {
  mapRequest: (request, change) => ({ ...request, text: change(request.text) }),
  mapMeasurement: (measurement, change) => ({ ...measurement, text: change(measurement.text) }),
};

function makeProber(run: (order: Order) => Promise<Outcome>): Prober {
  return {
    run,
    texts,
    isFlawless: () => true,
    canRun: () => true,
    listLimitations: () => [],
    close: async () => {},
  };
}

function makeOrder(text: string, values: Readonly<Record<string, string>>): Order {
  return {
    runId: "run",
    checkId: "check",
    kind: "ONE",
    location: "home",
    attempt: 1,
    dueAtMs: 0,
    startAtMs: 0,
    deadlineAtMs: 1,
    request: { kind: "said", text },
    variables: Object.entries(values).map(([name, value]) => ({
      name,
      value,
      isHidden: name.startsWith("SECRET"),
    })),
  };
}

const echo = makeProber(async ({ request }) => ({ kind: "measured", measurement: request }));

test("a request is filled in, and only hidden values are masked in the outcome", async () => {
  const order = makeOrder("{{OPEN}} {{SECRET}} {{OTHER}}", { OPEN: "hello", SECRET: "said" });
  const outcome = await runFilled(echo, order);
  const measurement = { kind: "said", text: "hello **** {{OTHER}}" };
  assert.deepEqual(outcome, { kind: "measured", measurement });
  assert.deepEqual(order.request, { kind: "said", text: "{{OPEN}} {{SECRET}} {{OTHER}}" });
});

test("an order without variables is passed on unchanged", async () => {
  const { variables: _none, ...order } = makeOrder("{{A}}", {});
  const seen: Order[] = [];
  const prober = makeProber(async (one) => {
    seen.push(one);
    return { kind: "too-late", message: "late" };
  });
  await runFilled(prober, order);
  assert.equal(seen[0], order);
});

test("failures contain no hidden value in any field", async () => {
  const order = makeOrder("{{SECRET}}", { SECRET: "failed-host" });
  const trouble = {
    kind: "failed",
    code: "ENOTFOUND",
    message: "failed-host is unknown",
    hops: [{ url: "http://failed-host/", status: 301 }],
    dnsMs: 3,
    resolvedIp: null,
  };
  const outcome = await runFilled(
    makeProber(async () => ({ kind: "unreachable", trouble })),
    order,
  );
  assert.deepEqual(outcome, {
    kind: "unreachable",
    trouble: {
      ...trouble,
      message: "******** is unknown",
      hops: [{ url: "http://********/", status: 301 }],
    },
  });
  const message = "no route to failed-host";
  const lost = await runFilled(
    makeProber(async () => ({ kind: "cannot-check", message })),
    order,
  );
  assert.deepEqual(lost, { kind: "cannot-check", message: "no route to ********" });
});

test("an exception of a prober does not log a hidden value", async () => {
  const order = makeOrder("{{SECRET}}", { SECRET: "hush-hush" });
  const prober = makeProber(async ({ request }) => {
    throw Object.assign(new TypeError("hush-hush is no URL"), { request });
  });
  await assert.rejects(runFilled(prober, order), (error: Error) => {
    assert.equal(error.message, "TypeError: ******** is no URL");
    assert.doesNotMatch(JSON.stringify(error) + error.stack, /hush/);
    return true;
  });
});

test("a request that becomes too long is not built and not sent", async () => {
  const value = "v".repeat(10_000);
  const fits = makeOrder("{{V}}".repeat(maxFilledLength / value.length), { V: value });
  const outcome = await runFilled(echo, fits);
  assert.equal(outcome.kind, "measured");
  const tooLong = makeOrder("{{V}}".repeat(maxFilledLength), { V: value });
  assert.deepEqual(await runFilled(echo, tooLong), {
    kind: "cannot-check",
    message: "The request is too long once its variables are filled in.",
  });
});
