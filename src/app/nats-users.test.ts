/** NATS users for probe keys, tested on a real nats-server. */
import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { Registry } from "prom-client";
import { captureLog } from "../../test/support/apps/log.ts";
import { findLack } from "../../test/support/programs/programs.ts";
import { type NatsServer, startNatsServer } from "../../test/support/servers/nats-server.ts";
import { waitUntil } from "../../test/support/time/wait-until.ts";
import { deriveNatsLogin, inboxPrefixOf } from "../contract/nats-key.ts";
import { subjects } from "../contract/protocol.ts";
import { createBusMetrics } from "../platform/nats/bus-metrics.ts";
import type { NatsAddress } from "../platform/nats/nats-address.ts";
import { createNatsBus, type NatsBus } from "../platform/nats/nats-bus.ts";
import { nameConsumer } from "../platform/nats/nats-streams.ts";
import { type ProbeLogin, writeNatsUsers } from "./nats-users.ts";

const skip = findLack("nats-server");
const { log } = captureLog();
const metrics = createBusMetrics(new Registry());

function makeLogin(): ProbeLogin {
  const about = { keyId: randomUUID(), route: randomUUID(), location: "office", accountId: null };
  return { ...about, ...deriveNatsLogin(randomBytes(32)) };
}

const mine = makeLogin();
const theirs = makeLogin();
let server: NatsServer;
let address: NatsAddress;
let servers: NatsBus;
let probe: NatsBus;
/** Suffix of consumer names; changes with each revocation. */
let secret: string = randomUUID();
const nameOf = (pattern: string) => `${nameConsumer(pattern)}_${secret}`;
const consumerNames = { nameOf, renew: async () => {} };
/** Connected with the stolen key. */
let thief: NatsConnection;

function connectAs({ user, password }: ProbeLogin, inboxPrefix: string): Promise<NatsConnection> {
  return connect({ servers: `127.0.0.1:${server.port}`, user, pass: password, inboxPrefix });
}

before(async () => {
  if (skip) return;
  server = await startNatsServer();
  address = { servers: [`127.0.0.1:${server.port}`], isTls: false, user: "us", password: "secret" };
  await server.kill("SIGTERM");
  await server.configure(writeNatsUsers([mine, theirs], address));
  await server.start();
  servers = createNatsBus({
    address,
    log,
    name: "server",
    metrics,
    makesStreams: true,
    consumerNames,
  });
  for (const { route } of [mine, theirs]) await servers.ensureConsumer(subjects.ordersOf(route));
  const { user, password } = mine;
  probe = createNatsBus({
    address: { ...address, user, password },
    log,
    name: "probe",
    metrics,
    makesStreams: false,
    inboxPrefix: inboxPrefixOf(user),
    consumerNames,
  });
  thief = await connectAs(mine, inboxPrefixOf(user));
});
after(async () => {
  if (skip) return;
  await thief.close();
  await probe.loop.stop();
  await servers.loop.stop();
  await server.stop();
});

test("a probe receives the orders of its route and publishes results, trial events and hellos", {
  skip,
}, async (t) => {
  await servers.publish(subjects.ordersOf(mine.route), [{ runId: "one" }]);
  await servers.publish(subjects.ordersOf(theirs.route), [{ runId: "theirs" }]);
  const taken: unknown[] = [];
  const results = subjects.resultsFrom(mine.route, mine.user);
  const consumer = probe.consumeEach(subjects.ordersOf(mine.route), {
    maxOpen: 5,
    handle: async (order) => {
      taken.push(order);
      await probe.publish(results, [order]);
    },
  });
  t.after(consumer.stop);
  await waitUntil("it receives a response", async () => (await servers.depth(results)) === 1);
  const isDone = async () => (await servers.depth(subjects.ordersOf(mine.route))) === 0;
  await waitUntil("the order is acknowledged", isDone);
  assert.deepEqual(taken, [{ runId: "one" }]);
  const trialEvents = subjects.trialEventsFrom(randomUUID(), mine.route, mine.user);
  await probe.publish(trialEvents, ["event"]);
  await probe.publish(subjects.probesFrom(mine.user), ["hello"]);
  assert.equal(await servers.depth(trialEvents), 1);
});

const denied = /[Pp]ermission/;

test("it cannot publish on subjects of another route or of servers", { skip }, async () => {
  const forbidden = [
    subjects.resultsFrom(theirs.route, theirs.user),
    subjects.resultsFrom(theirs.route, mine.user),
    subjects.resultsFrom(mine.route, theirs.user),
    subjects.resultsOf(mine.route),
    subjects.results,
    subjects.ordersOf(mine.route),
    subjects.ordersOf(theirs.route),
    subjects.probesFrom(theirs.user),
    subjects.trialMessagesOf(randomUUID(), mine.route),
    subjects.trialEventsFrom(randomUUID(), theirs.route, theirs.user),
  ];
  for (const subject of forbidden) {
    await assert.rejects(thief.request(subject, "{}", { timeout: 5_000 }), denied, subject);
  }
});

test("it can read only its own orders, and manage nothing", { skip }, async () => {
  const name = (route: string) => nameOf(subjects.ordersOf(route));
  const api = [
    "CONSUMER.MSG.NEXT.VEDETTE_RESULTS.results_all",
    `CONSUMER.CREATE.VEDETTE_ORDERS.spy`,
    `CONSUMER.DURABLE.CREATE.VEDETTE_ORDERS.spy`,
    `CONSUMER.DELETE.VEDETTE_ORDERS.${name(theirs.route)}`,
    `CONSUMER.INFO.VEDETTE_ORDERS.${name(mine.route)}`,
    "CONSUMER.LIST.VEDETTE_ORDERS",
    "STREAM.INFO.VEDETTE_ORDERS",
    "STREAM.LIST",
    "STREAM.MSG.GET.VEDETTE_ORDERS",
    "DIRECT.GET.VEDETTE_ORDERS",
    "STREAM.PURGE.VEDETTE_ORDERS",
    "STREAM.DELETE.VEDETTE_RESULTS",
    "STREAM.CREATE.SPY",
    "INFO",
  ];
  for (const call of api) {
    const request = thief.request(`$JS.API.${call}`, "{}", { timeout: 5_000 });
    await assert.rejects(request, denied, call);
  }
  const elsewhere = [">", subjects.ordersOf(mine.route), "orders.>", "results.>", "_INBOX.>"];
  for (const subject of [...elsewhere, `${inboxPrefixOf(theirs.user)}.>`, "$JS.EVENT.>"]) {
    const rejected = Promise.withResolvers<Error | null>();
    thief.subscribe(subject, { callback: (error) => rejected.resolve(error) });
    assert.match(String(await rejected.promise), denied, subject);
  }
  assert.equal(await servers.depth(subjects.ordersOf(theirs.route)), 1);
});

test("a client without a key or with a wrong password is rejected", { skip }, async () => {
  const wrong = { ...mine, password: theirs.password };
  await assert.rejects(connectAs(wrong, "_INBOX"), /uthoriz/);
  await assert.rejects(connect({ servers: `127.0.0.1:${server.port}` }), /uthoriz/);
});

test("orders that it redirects elsewhere do no harm", { skip }, async (t) => {
  const consumer = nameOf(subjects.ordersOf(mine.route));
  const next = `$JS.API.CONSUMER.MSG.NEXT.VEDETTE_ORDERS.${consumer}`;
  const elsewhere = [
    "$JS.API.STREAM.PURGE.VEDETTE_RESULTS",
    "$JS.API.STREAM.DELETE.VEDETTE_RESULTS",
    `$JS.API.CONSUMER.DELETE.VEDETTE_ORDERS.${nameOf(subjects.ordersOf(theirs.route))}`,
  ];
  const results = subjects.resultsOf(theirs.route);
  await servers.publish(results, [1]);
  for (const reply of elsewhere) {
    await servers.publish(subjects.ordersOf(mine.route), [{}]);
    thief.publish(next, JSON.stringify({ batch: 1, expires: 1_000_000_000 }), { reply });
  }
  const admin = await connect({ servers: address.servers[0] ?? "", user: "us", pass: "secret" });
  t.after(() => admin.close());
  const { consumers } = await jetstreamManager(admin);
  const isDelivered = async () => {
    const info = await consumers.info("VEDETTE_ORDERS", consumer);
    return info.num_ack_pending === elsewhere.length;
  };
  await waitUntil("the orders are delivered", isDelivered);
  assert.equal(await servers.depth(results), 1);
  assert.equal(await servers.depth(subjects.ordersOf(theirs.route)), 1);
  await consumers.info("VEDETTE_ORDERS", nameOf(subjects.ordersOf(theirs.route)));
});

test("a renamed consumer redelivers the old one's messages, and the old one receives none", {
  skip,
}, async (t) => {
  const orders = subjects.ordersOf(mine.route);
  const next = `$JS.API.CONSUMER.MSG.NEXT.VEDETTE_ORDERS.${nameOf(orders)}`;
  await servers.publish(orders, [{ runId: "in hand" }]);
  const inbox = `${inboxPrefixOf(mine.user)}.pulled`;
  const held: string[] = [];
  thief.subscribe(inbox, {
    callback: (_, { data }) => void held.push(Buffer.from(data).toString()),
  });
  thief.publish(next, JSON.stringify({ batch: 1, expires: 20_000_000_000 }), { reply: inbox });
  await waitUntil("the thief has the message", () => held.length > 0);
  assert.deepEqual(held, ['{"runId":"in hand"}']);
  const waiting = thief.request(next, JSON.stringify({ batch: 1, expires: 20_000_000_000 }), {
    timeout: 20_000,
  });
  await thief.flush();
  secret = randomUUID();
  await servers.ensureConsumer(orders);
  assert.equal((await waiting).headers?.code, 409);
  const taken: string[] = [];
  const consumer = probe.consumeEach<{ runId: string }>(orders, {
    maxOpen: 5,
    handle: async ({ runId }) => void taken.push(runId),
  });
  t.after(consumer.stop);
  await servers.publish(orders, [{ runId: "later" }]);
  const hasBoth = () => ["in hand", "later"].every((runId) => taken.includes(runId));
  await waitUntil("the probe with the new name has both", hasBoth);
  assert.equal(held.length, 1);
});
