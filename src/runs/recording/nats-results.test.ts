/** Tests results of probes connected to NATS directly, which must be signed with their key. */
import assert from "node:assert/strict";
import { randomUUIDv7 } from "node:crypto";
import { after, before, test } from "node:test";
import {
  answerOrder,
  createRunsFixture,
  measure,
  type RunsFixture,
} from "../../../test/support/modules/runs.ts";
import {
  createKeyText,
  deleteProbeKey,
  insertProbeKey,
} from "../../checks/locations/probe-key-store.ts";
import { deriveNatsLogin, deriveProofKey } from "../../contract/nats-key.ts";
import { subjects } from "../../contract/protocol.ts";
import { copySignature, proveResult, type SignedResult } from "../../contract/result.ts";
import { hashSecret } from "../../platform/secrets.ts";
import { createOrder } from "../scheduling/orders.ts";
import { findTrialRoute } from "../scheduling/trials/open-trials.ts";
import { acceptResults } from "./acceptance.ts";

const place = { region: "eu-west-1" };
const other = { region: "us-east-1" };
let fixture: RunsFixture;

before(async () => {
  fixture = await createRunsFixture();
});
after(() => fixture.stop());

async function makeKey(where: { readonly region: string }) {
  const { context } = fixture;
  const text = createKeyText(where);
  const id = randomUUIDv7();
  await insertProbeKey(context.db, where, { id, text, createdAt: context.clock.now() });
  await context.natsKeys.refresh();
  const hash = hashSecret(text);
  return { id, user: deriveNatsLogin(hash).user, proofKey: deriveProofKey(hash) };
}

async function answer(): Promise<SignedResult> {
  const check = await fixture.addCheck();
  const dueAtMs = fixture.clock.now().getTime();
  const when = { location: place.region, attempt: 1, dueAtMs, startAtMs: dueAtMs };
  const order = fixture.context.tags.sign(createOrder(check, when), place.region);
  return { ...answerOrder(order, measure()), ...copySignature(order) } as SignedResult;
}

async function rejectedFor(result: unknown, user: string, route = place.region) {
  const { recordingMetrics: metrics } = fixture.context;
  const count = async () => {
    const { values } = await metrics.ignored.get();
    return new Map(values.map(({ labels, value }) => [String(labels.reason), value]));
  };
  const before = await count();
  // Serialized as NATS does.
  const received = JSON.parse(JSON.stringify(result));
  const accepted = acceptResults(fixture.context, [received], [subjects.resultsFrom(route, user)]);
  if (accepted.length > 0) return null;
  return [...(await count())].find(([reason, value]) => value > (before.get(reason) ?? 0))?.[0];
}

test("a result with a valid proof is accepted, and one without or changed is rejected", async () => {
  const { user, proofKey } = await makeKey(place);
  const result = await answer();
  const proof = proveResult(proofKey, result);
  assert.equal(await rejectedFor({ ...result, proof }, user), null);
  assert.equal(await rejectedFor(result, user), "forged-proof");
  const changed = { ...result, outcome: measure(10), proof };
  assert.equal(await rejectedFor(changed, user), "forged-proof");
});

test("a proof is valid only for its key and route", async () => {
  const one = await makeKey(place);
  const another = await makeKey(place);
  const elsewhere = await makeKey(other);
  const result = await answer();
  const proof = proveResult(one.proofKey, result);
  assert.equal(await rejectedFor({ ...result, proof }, another.user), "forged-proof");
  assert.equal(await rejectedFor({ ...result, proof }, elsewhere.user), "wrong-route");
  assert.equal(await rejectedFor({ ...result, proof }, one.user, other.region), "wrong-route");
});

test("repeated forgeries lock a key for a minute, and no other key of its place", async () => {
  const forger = await makeKey(place);
  const honest = await makeKey(place);
  const result = await answer();
  const prove = ({ proofKey }: typeof forger) => ({
    ...result,
    proof: proveResult(proofKey, result),
  });
  const reasons: (string | null | undefined)[] = [];
  for (let sent = 0; sent < 105; sent += 1) {
    reasons.push(await rejectedFor({ ...result, tag: "x".repeat(43) }, forger.user));
  }
  assert.deepEqual(reasons.slice(98, 102), [
    ...["forged-tag", "forged-tag", "locked-key", "locked-key"],
  ]);
  assert.equal(await rejectedFor(prove(forger), forger.user), "locked-key");
  assert.equal(await rejectedFor(prove(honest), honest.user), null);
  fixture.clock.advance(60_000);
  assert.equal(await rejectedFor(prove(forger), forger.user), null);
});

test("a proof of a revoked key is rejected, even if NATS accepts the connection", async () => {
  const { id, user, proofKey } = await makeKey(place);
  const result = await answer();
  const proven = { ...result, proof: proveResult(proofKey, result) };
  assert.equal(await rejectedFor(proven, user), null);
  await deleteProbeKey(fixture.context.db, place, id);
  await fixture.context.natsKeys.refresh();
  assert.equal(await rejectedFor(proven, user), "revoked-key");
});

test("trial messages are accepted from keys of the route until they are revoked", async () => {
  const { id, user } = await makeKey(place);
  const { context } = fixture;
  const { serverId } = context;
  const routeFrom = (route: string) =>
    findTrialRoute(context, subjects.trialEventsFrom(serverId, route, user));
  assert.equal(routeFrom(place.region), place.region);
  assert.equal(routeFrom(other.region), null);
  await deleteProbeKey(context.db, place, id);
  await context.natsKeys.refresh();
  assert.equal(routeFrom(place.region), null);
  const overServer = subjects.trialMessagesOf(serverId, place.region);
  assert.equal(
    findTrialRoute(context, overServer),
    place.region,
    "the server has verified its key",
  );
});
