/** Tests which results from outside are accepted, and how rejections are counted. */
import assert from "node:assert/strict";
import { randomUUIDv7 } from "node:crypto";
import { after, before, test } from "node:test";
import {
  answerOrder,
  createRunsFixture,
  measure,
  type RunsFixture,
} from "../../../test/support/modules/runs.ts";
import type { SignedOrder } from "../../contract/order.ts";
import { maxSpoolAgeMs, subjects } from "../../contract/protocol.ts";
import { copySignature, type Result } from "../../contract/result.ts";
import { Encryption } from "../../platform/encryption.ts";
import { OrderTags } from "../scheduling/context.ts";
import { createOrder } from "../scheduling/orders.ts";
import type { Watched } from "../scheduling/watch-list.ts";
import { acceptResults } from "./acceptance.ts";

let fixture: RunsFixture;
let check: Watched;
const route = randomUUIDv7();
const sentTo = [subjects.resultsOf(route)];

before(async () => {
  fixture = await createRunsFixture();
  check = await fixture.addCheck();
});
after(() => fixture.stop());

const nowMs = () => fixture.clock.now().getTime();

function order(more: { attempt?: number; location?: string } = {}): SignedOrder {
  const dueAtMs = nowMs();
  const when = { location: "office", attempt: 1, ...more, dueAtMs, startAtMs: dueAtMs };
  return fixture.context.tags.sign(createOrder(check, when), route);
}

function answer(one: SignedOrder): Result {
  return { ...answerOrder(one, measure()), ...copySignature(one) };
}

async function rejectedFor(message: unknown, to = sentTo): Promise<string | null> {
  const count = async () => {
    const { values } = await fixture.context.recordingMetrics.ignored.get();
    return new Map(values.map(({ labels, value }) => [String(labels.reason), value]));
  };
  const before = await count();
  const accepted = acceptResults(fixture.context, [message], to);
  const after = await count();
  const counted = [...after].find(([reason, value]) => value > (before.get(reason) ?? 0));
  assert.equal(accepted.length, counted === undefined ? 1 : 0);
  return counted?.[0] ?? null;
}

test("the result of an order is accepted, also when it is sent again", async () => {
  const result = answer(order());
  assert.equal(await rejectedFor(result), null);
  assert.equal(await rejectedFor(structuredClone(result)), null);
});

test("a result that changes a field covered by the tag is rejected", async () => {
  const other = randomUUIDv7();
  const changes: readonly Partial<Result>[] = [
    { runId: other },
    { checkId: other },
    { location: "lobby" },
    { attempt: 2 },
    { dueAtMs: nowMs() - 1 },
    { deadlineAtMs: nowMs() + 86_400_000 },
    { tag: "x" },
    { tag: Buffer.alloc(32).toString("base64url") },
  ];
  for (const change of changes) {
    const forged = { ...answer(order()), ...change };
    assert.equal(await rejectedFor(forged), "forged-tag", JSON.stringify(change));
  }
});

test("a tag of another installation's key is forged", async () => {
  const tags = new OrderTags(new Encryption(Buffer.alloc(32, 1)));
  const when = { location: "office", attempt: 1, dueAtMs: nowMs(), startAtMs: nowMs() };
  assert.equal(await rejectedFor(answer(tags.sign(createOrder(check, when), route))), "forged-tag");
});

test("a probe cannot send results for another route", async () => {
  const result = answer(order());
  const mine = randomUUIDv7();
  assert.equal(await rejectedFor(result, [subjects.resultsOf(mine)]), "wrong-route");
  const renamed = { ...result, route: mine };
  assert.equal(await rejectedFor(renamed, [subjects.resultsOf(mine)]), "forged-tag");
});

test("a probe cannot use the name of a probe of another route", async () => {
  fixture.context.directory.noteHello(
    { id: "neighbour", route: randomUUIDv7(), keyId: null },
    { accountId: null, location: "elsewhere" },
  );
  assert.equal(await rejectedFor({ ...answer(order()), probeId: "neighbour" }), "wrong-probe");
});

test("a spooled result is accepted within the age limit only", async () => {
  const result = answer(order());
  const deadlineAtMs = result.deadlineAtMs ?? 0;
  fixture.clock.advance(deadlineAtMs + maxSpoolAgeMs - nowMs());
  assert.equal(await rejectedFor(result), null);
  fixture.clock.advance(1);
  assert.equal(await rejectedFor(result), "past-deadline");
});

test("invalid data is malformed, and incompatible versions are reported", async () => {
  for (const message of [null, 1, "x", {}, { ...answer(order()), outcome: { kind: "fine" } }]) {
    assert.equal(await rejectedFor(message), "malformed");
  }
  assert.equal(await rejectedFor({ ...answer(order()), version: 9 }), "wrong-version");
});

test("a wrong clock of a probe does not change the times of a run", () => {
  for (const offMs of [-300_000, 300_000]) {
    const result = answer(order());
    const off = {
      ...result,
      startedAtMs: result.startedAtMs + offMs,
      stoppedAtMs: result.stoppedAtMs + offMs,
    };
    const [accepted] = acceptResults(fixture.context, [off], sentTo);
    assert.ok(accepted);
    assert.ok(Math.abs(accepted.startedAtMs - nowMs()) <= 2_000);
    assert.equal(accepted.stoppedAtMs - accepted.startedAtMs, off.stoppedAtMs - off.startedAtMs);
  }
});

test("only the server's own results need no tag", async () => {
  const { tag: _tag, ...untagged } = answer(order());
  assert.equal(await rejectedFor(untagged, [subjects.results]), null);
  assert.equal(await rejectedFor(untagged), "malformed");
});
