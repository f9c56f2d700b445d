/** What a stolen probe key can do to a real nats-server with the users that Vedette prints. */
import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { Registry } from "prom-client";
import { captureLog } from "../../test/support/apps/log.ts";
import { findLack } from "../../test/support/programs/programs.ts";
import { type NatsServer, startNatsServer } from "../../test/support/servers/nats-server.ts";
import { deriveNatsLogin, inboxPrefixOf } from "../contract/nats-key.ts";
import { subjects } from "../contract/protocol.ts";
import { createBusMetrics } from "../platform/nats/bus-metrics.ts";
import { createNatsBus, type NatsBus } from "../platform/nats/nats-bus.ts";
import { nameConsumer, natsStreams } from "../platform/nats/nats-streams.ts";
import { diagnoseNatsAccounts, judgeRecreatedStreams } from "./doctor/diagnose-nats.ts";
import { type ProbeLogin, writeNatsUsers } from "./nats-users.ts";

const skip = findLack("nats-server");

function makeLogin(): ProbeLogin {
  const about = { keyId: randomUUID(), route: randomUUID(), location: "office", accountId: null };
  return { ...about, ...deriveNatsLogin(randomBytes(32)) };
}

const mine = makeLogin();
const theirs = makeLogin();
const ordersOf = ({ route }: ProbeLogin) => nameConsumer(subjects.ordersOf(route));
const pull = `$JS.API.CONSUMER.MSG.NEXT.VEDETTE_ORDERS.${ordersOf(mine)}`;
const inbox = inboxPrefixOf(mine.user);
let nats: NatsServer;
let servers: NatsBus;
/** Connected with the stolen key. */
let thief: NatsConnection;
/** Connected to the account of the servers, where it sees everything. */
let admin: NatsConnection;
const seen: string[] = [];

before(async () => {
  if (skip) return;
  const address = { isTls: false, user: "us", password: "secret" };
  nats = await startNatsServer(writeNatsUsers([mine, theirs], { ...address, servers: [] }));
  const server = `127.0.0.1:${nats.port}`;
  servers = createNatsBus({
    address: { ...address, servers: [server] },
    log: captureLog().log,
    name: "server",
    metrics: createBusMetrics(new Registry()),
    makesStreams: true,
  });
  for (const { route } of [mine, theirs]) await servers.ensureConsumer(subjects.ordersOf(route));
  const { user, password: pass } = mine;
  thief = await connect({ servers: server, user, pass, inboxPrefix: inbox });
  admin = await connect({ servers: server, user: "us", pass: "secret" });
  admin.subscribe(">", { callback: (_, { subject }) => void seen.push(subject) });
  await admin.flush();
});
after(async () => {
  if (skip) return;
  await thief.close();
  await admin.close();
  await servers.loop.stop();
  await nats.stop();
});

/** Subjects to which an attacker would have JetStream's responses delivered. */
const targets = [
  ...natsStreams.flatMap(({ name }) => [
    `$JS.API.STREAM.DELETE.${name}`,
    `$JS.API.STREAM.PURGE.${name}`,
    `$JS.API.STREAM.SNAPSHOT.${name}`,
  ]),
  `$JS.API.CONSUMER.DELETE.VEDETTE_ORDERS.${ordersOf(theirs)}`,
  `$JS.API.CONSUMER.MSG.NEXT.VEDETTE_ORDERS.${ordersOf(theirs)}`,
  subjects.ordersOf(theirs.route),
  subjects.ordersOf("built-in"),
  subjects.resultsFrom(theirs.route, theirs.user),
  subjects.resultsOf(theirs.route),
  subjects.results,
  subjects.trialEventsFrom(randomUUID(), theirs.route, theirs.user),
  subjects.probesFrom(theirs.user),
  `${inboxPrefixOf(theirs.user)}.call`,
];

/** Messages that a probe may publish, each with a different form of response. */
const publishes: readonly { name: string; send: (reply: string) => Promise<void> }[] = [
  {
    name: "a hello",
    send: async (reply) => thief.publish(subjects.probesFrom(mine.user), "{}", { reply }),
  },
  {
    name: "a result",
    send: async (reply) =>
      thief.publish(subjects.resultsFrom(mine.route, mine.user), "{}", { reply }),
  },
  {
    name: "progress of a trial",
    send: async (reply) =>
      thief.publish(subjects.trialEventsFrom(randomUUID(), mine.route, mine.user), "{}", { reply }),
  },
  {
    name: "a pull without messages, which yields a response without a body",
    send: async (reply) => thief.publish(pull, '{"batch":1,"no_wait":true}', { reply }),
  },
  {
    name: "a malformed pull",
    send: async (reply) => thief.publish(pull, "{", { reply }),
  },
  {
    name: "an acknowledgement, which yields a response without a body",
    send: async (reply) => {
      const order = await takeOrder();
      thief.publish(order, "+WPI", { reply });
      thief.publish(order, "+ACK", { reply });
    },
  },
  {
    name: "a pull that delivers an order",
    send: async (reply) => {
      await servers.publish(subjects.ordersOf(mine.route), [""]);
      thief.publish(pull, '{"batch":1,"expires":1000000000}', { reply });
    },
  },
];

/** Returns the subject on which the order is acknowledged. */
async function takeOrder(): Promise<string> {
  await servers.publish(subjects.ordersOf(mine.route), [{ runId: randomUUID() }]);
  const { promise, resolve } = Promise.withResolvers<string>();
  const at = `${inbox}.${randomUUID()}`;
  const subscription = thief.subscribe(at, { callback: (_, { reply }) => resolve(reply ?? "") });
  thief.publish(pull, '{"batch":1,"expires":5000000000}', { reply: at });
  const order = await promise;
  subscription.unsubscribe();
  return order;
}

/** Resolves once NATS has handled all messages of the thief and their responses. */
async function settle(): Promise<void> {
  await thief.request(pull, '{"batch":1,"no_wait":true}', { timeout: 2_000 }).catch(() => {});
  await thief.request(subjects.probesFrom(mine.user), "{}", { timeout: 5_000 });
  await admin.flush();
}

for (const { name, send } of publishes) {
  test(`no reply subject delivers the response to ${name} to a subject of the servers`, {
    skip,
  }, async () => {
    await servers.publish(subjects.ordersOf(theirs.route), [{ runId: randomUUID() }]);
    await servers.publish(subjects.resultsOf(theirs.route), [{ runId: randomUUID() }]);
    await admin.flush();
    const depth = {
      orders: await servers.depth(subjects.ordersOf(theirs.route)),
      results: await servers.depth("results.>"),
    };
    seen.length = 0;
    for (const target of targets) await send(target);
    await settle();
    const reached = seen.filter((subject) => targets.includes(subject));
    assert.deepEqual(reached, []);
    const { streams, consumers } = await jetstreamManager(admin);
    const names: string[] = [];
    for await (const stream of streams.list()) names.push(stream.config.name);
    assert.deepEqual(names.sort(), natsStreams.map((stream) => stream.name).sort());
    await consumers.info("VEDETTE_ORDERS", ordersOf(theirs));
    assert.equal(await servers.depth(subjects.ordersOf(theirs.route)), depth.orders);
    assert.ok((await servers.depth("results.>")) >= depth.results);
  });
}

test("the doctor reports probes that share the account of the servers, and only those", {
  skip,
}, async (t) => {
  const address = { isTls: false, user: "us", password: "secret" };
  const look = async ({ port }: NatsServer) => {
    const findings = await diagnoseNatsAccounts({ ...address, servers: [`127.0.0.1:${port}`] }, [
      mine,
    ]);
    return findings.map(({ level }) => level);
  };
  assert.deepEqual(await look(nats), ["ok"]);
  // The former output of `vedette nats-users`: one account, and lists of subjects.
  const { user, password } = mine;
  const hello = subjects.probesFrom(user);
  const shared = await startNatsServer(`authorization { users = [{ user: us, password: secret },
    { user: "${user}", password: "${password}", permissions: {
      publish: { allow: ["${hello}"] }, subscribe: { allow: ["${inbox}.>"] } } }] }`);
  t.after(shared.stop);
  const nc = await connect({ servers: `127.0.0.1:${shared.port}`, user: "us", pass: "secret" });
  t.after(() => nc.close());
  const { streams } = await jetstreamManager(nc);
  await streams.add({ name: "VEDETTE_PROBES", subjects: ["probes.>"] });
  assert.deepEqual(await look(shared), ["fail"]);
  const unknown = await diagnoseNatsAccounts(undefined, [mine]);
  assert.deepEqual(unknown, []);
});

test("the doctor names a stream that went missing", () => {
  const [finding] = judgeRecreatedStreams([{ name: "VEDETTE_ORDERS", at: new Date(0) }]);
  assert.equal(finding?.level, "warn");
  assert.match(
    finding?.sentence ?? "",
    /VEDETTE_ORDERS of NATS was missing at 1970-01-01T00:00:00/,
  );
});
