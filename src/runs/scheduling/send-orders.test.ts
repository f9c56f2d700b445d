/** Tests where orders are sent: to the probes of their location, or recorded as not executed. */
import assert from "node:assert/strict";
import { randomUUIDv7 } from "node:crypto";
import { after, before, beforeEach, test } from "node:test";
import {
  answerOrder,
  createRunsFixture,
  measure,
  type RunsFixture,
  thisServer,
} from "../../../test/support/modules/runs.ts";
import { insertAccount } from "../../access/accounts/store.ts";
import type { CheckInput } from "../../checks/checks/check-settings.ts";
import type { Order } from "../../contract/order.ts";
import { subjects } from "../../contract/protocol.ts";
import { copySignature } from "../../contract/result.ts";
import { acceptResults } from "../recording/acceptance.ts";
import { createOrder, sendOrders } from "./orders.ts";

let fixture: RunsFixture;
const office = randomUUIDv7();

before(async () => {
  fixture = await createRunsFixture();
  await fixture.query(
    `insert into private_locations (id, account_id, name, slug_name, created_at)
      values ($1, $2, 'Office', 'office', now())`,
    office,
    fixture.accountId,
  );
});
after(() => fixture.stop());
beforeEach(async () => {
  await fixture.query("delete from probes");
  await fixture.context.directory.refresh();
});

interface ProbeRow {
  readonly route?: string;
  readonly serverId?: string;
  readonly quarantine?: string;
}

async function addProbe(id: string, { route = office, serverId, quarantine }: ProbeRow = {}) {
  const now = fixture.clock.now();
  await fixture.query(
    `insert into probes (id, location, is_built_in, version, ipv4_sources, ipv6_sources,
        is_suspect, limitations, started_at, last_seen_at, route, transport, server_id,
        quarantined_at, quarantine_reason)
      values ($1, $2, false, '0.1.0', '{}', '{}', false, '{}', $3, $3, $2, 'websocket', $4, $5, $6)`,
    id,
    route,
    now,
    serverId ?? thisServer,
    quarantine === undefined ? null : now,
    quarantine ?? null,
  );
  await fixture.context.directory.refresh();
}

async function send(input: CheckInput, location: string): Promise<Order> {
  const watched = await fixture.addCheck(input);
  const dueAtMs = fixture.clock.now().getTime();
  const order = createOrder(watched, { location, dueAtMs, attempt: 1, startAtMs: dueAtMs });
  await sendOrders(fixture.context, [order], dueAtMs);
  return order;
}

/** Takes the orders from a subject that only this test reads. */
async function takeFrom(route: string): Promise<Order[]> {
  const { bus } = fixture.context;
  const taken: Order[] = [];
  const consumer = bus.consume<Order>(subjects.ordersOf(route), {
    maxBatch: 10,
    handle: async (batch) => void taken.push(...batch),
  });
  while ((await bus.depth(subjects.ordersOf(route))) > 0) await new Promise(setImmediate);
  await consumer.stop();
  return taken;
}

async function takeNoProbe(): Promise<string[]> {
  assert.deepEqual(await fixture.takeOrders(), []);
  return (await fixture.takeResults()).map(({ outcome }) => {
    assert.equal(outcome.kind, "no-probe");
    return "message" in outcome ? outcome.message : "";
  });
}

const inOffice = { locations: [], privateLocations: ["office"] };

test("a private location without a probe is not served by the built-in probe", async () => {
  await send(inOffice, "office");
  assert.deepEqual(await takeNoProbe(), ["No probe serves this location."]);
  await send({ locations: [], privateLocations: ["nowhere"] }, "nowhere");
  assert.deepEqual(await takeNoProbe(), ["The account has no private location named nowhere."]);
});

test("a private location's own probe gets its orders, signed, and without a name", async () => {
  await addProbe("desk");
  const { runId } = await send({ ...inOffice, name: "Hidden name" }, "office");
  const [order] = await takeFrom(office);
  assert.equal(order?.runId, runId);
  assert.equal(order?.route, office);
  assert.match(order?.tag ?? "", /^[\w-]{43}$/);
  const text = JSON.stringify(order);
  assert.equal(text.includes("Hidden name"), false);
  assert.equal(text.includes(fixture.accountId), false);
});

test("another account's location of the same name is separate", async () => {
  const accountId = randomUUIDv7();
  const createdAt = fixture.clock.now();
  await insertAccount(fixture.context.db, { id: accountId, name: "B", createdAt, updatedAt: null });
  await addProbe("desk");
  const watched = await fixture.addCheck(inOffice);
  const dueAtMs = createdAt.getTime();
  const order = createOrder(watched, {
    location: "office",
    dueAtMs,
    attempt: 1,
    startAtMs: dueAtMs,
  });
  await sendOrders(fixture.context, [order], dueAtMs, [{ ...watched, accountId }]);
  assert.deepEqual(await takeNoProbe(), ["The account has no private location named office."]);
});

test("a public location is served by its own probe if online, else by the built-in one", async () => {
  await addProbe("dublin", { route: "eu-west-1" });
  const inDublin = { locations: ["eu-west-1"] };
  await send(inDublin, "eu-west-1");
  assert.equal((await takeFrom("eu-west-1")).length, 1);
  fixture.clock.advance(36_000);
  await send(inDublin, "eu-west-1");
  const [order] = await fixture.takeOrders();
  assert.equal(order?.tag, undefined, "an order within this process needs no tag");
});

test("a probe of another server or in quarantine serves nobody, and this is reported", async () => {
  await addProbe("desk", { serverId: "another-server" });
  await send(inOffice, "office");
  assert.match((await takeNoProbe())[0] ?? "", /connected to another server.*NATS_URL/);
  await addProbe("liar", { quarantine: "it disagrees" });
  await fixture.query("delete from probes where id = 'desk'");
  await fixture.context.directory.refresh();
  await send(inOffice, "office");
  assert.match((await takeNoProbe())[0] ?? "", /in quarantine/);
});

test("results of a quarantined probe are recorded as unknown with the reason", async () => {
  await addProbe("liar", { quarantine: "it disagrees with all others" });
  const watched = await fixture.addCheck(inOffice);
  const dueAtMs = fixture.clock.now().getTime();
  const when = { location: "office", dueAtMs, attempt: 1, startAtMs: dueAtMs };
  const order = fixture.context.tags.sign(createOrder(watched, when), office);
  const result = { ...answerOrder(order, measure()), ...copySignature(order), probeId: "liar" };
  const sentTo = [subjects.resultsOf(office)];
  const [accepted] = acceptResults(fixture.context, [result], sentTo);
  assert.deepEqual(accepted?.outcome, {
    kind: "cannot-check",
    message: "The probe liar is in quarantine: it disagrees with all others",
  });
});
