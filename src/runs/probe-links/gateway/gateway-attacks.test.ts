/**
 * Tests attacks by strangers and by the holder of one probe key on a server and its other probes.
 */
import assert from "node:assert/strict";
import { randomBytes, randomUUIDv7 } from "node:crypto";
import { once } from "node:events";
import { after, before, type TestContext } from "node:test";
import { startTestApp, type TestApp } from "../../../../test/support/apps/app.ts";
import { test } from "../../../../test/support/long-run.ts";
import {
  connectClient,
  findRejection,
  makeHello,
  ProbeClient,
} from "../../../../test/support/probes/probe-client.ts";
import { openRawLink, writeFrameHead } from "../../../../test/support/probes/raw-link.ts";
import { waitUntil } from "../../../../test/support/time/wait-until.ts";
import { linkLimits } from "./link-limits.ts";
import { closeCodes } from "./probe-connection.ts";

let app: TestApp;
before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false", TRUSTED_PROXIES: "127.0.0.1" });
});
after(() => app.stop());

let places = 0;

async function addPlace(): Promise<{ id: string; token: string }> {
  places += 1;
  const body = { name: `Attacked ${places}`, slugName: `attacked-${places}` };
  const { status, body: created, text } = await app.call("POST", "/v1/private-locations", { body });
  assert.equal(status, 201, text);
  return { id: created.id, token: created.keys[0].rawKey };
}

const connect = (t: TestContext, token: string, name = "client") =>
  connectClient(t, { url: app.url, token, hello: { name } });

const through = (client: string, key: string) =>
  findRejection(app.url, { authorization: `Bearer ${key}`, "x-forwarded-for": client });

const countIgnored = async (reason: string) => {
  const { text } = await app.call("GET", "/metrics", { key: null });
  const line = new RegExp(`vedette_results_ignored_total\\{reason="${reason}"\\} (\\d+)`);
  return Number(line.exec(text)?.[1] ?? 0);
};

test("70 wrong keys of one client do not lock out others behind the same proxy", async (t) => {
  const { token } = await addPlace();
  for (let sent = 0; sent < 70; sent += 1) {
    const wrong = `pl_${randomBytes(16).toString("hex")}`;
    assert.equal(await through("203.0.113.9", wrong), 401);
  }
  const probe = await connect(t, token);
  assert.equal(probe.closed, null);
});

test("a valid key is admitted after many wrong keys with its prefix and address", async (t) => {
  const { token } = await addPlace();
  const wrong = `${token.slice(0, 20)}${"0".repeat(15)}`;
  const answers = [];
  // The test connects from 127.0.0.1, which is both the proxy and the client.
  for (let sent = 0; sent < 61; sent += 1) {
    answers.push(await findRejection(app.url, { authorization: `Bearer ${wrong}` }));
  }
  assert.deepEqual([answers.at(0), answers.at(-1)], [401, 429]);
  assert.equal((await connect(t, token)).closed, null);
  assert.equal(await through("203.0.113.10", wrong), 401, "another client is counted separately");
});

test("a burst of wrong keys delays a valid key but does not reject it", async (t) => {
  const { token } = await addPlace();
  const wrong = Array.from({ length: 200 }, () =>
    through("203.0.113.11", `pl_${randomBytes(16).toString("hex")}`),
  );
  assert.equal((await connect(t, token)).closed, null);
  assert.deepEqual([...new Set(await Promise.all(wrong))], [401]);
});

test("a key has a bounded number of links, and another key is still admitted", async (t) => {
  const [{ token }, other] = [await addPlace(), await addPlace()];
  for (let link = 0; link < linkLimits.maxLinksOfKey; link += 1) {
    await connect(t, token, `name-${link}`);
  }
  assert.equal(await findRejection(app.url, { authorization: `Bearer ${token}` }), 429);
  await connect(t, other.token);
});

test("unfinished frames of one key use bounded memory and do not disconnect other probes", {
  isLong: true,
}, async (t) => {
  const [thief, other] = [await addPlace(), await addPlace()];
  const honest = await connect(t, other.token);
  const size = 7_900_000;
  const links = await Promise.all(
    Array.from({ length: 9 }, () => openRawLink(t, app.url, thief.token)),
  );
  for (const link of links) {
    link.write(writeFrameHead(size));
    link.write(Buffer.alloc(size - 1, 0x20));
  }
  const most = Math.floor(linkLimits.maxUnfinishedBytesOfKey / size);
  const countOpen = () => links.filter((link) => !link.closed).length;
  await waitUntil("the links beyond the limit are cut", () => countOpen() <= most);
  assert.ok(countOpen() > 0, "links within the limit are not cut");
  assert.equal(honest.closed, null);
  honest.send({ type: "hello", hello: makeHello({ maxOpen: 0 }) });
  await honest.waitFor("welcome", 2);
});

test("repeated forgeries lock the key after a bounded number of signatures", async (t) => {
  const [thief, other] = [await addPlace(), await addPlace()];
  const honest = await connect(t, other.token);
  const forger = await connect(t, thief.token);
  const run = { version: 1, kind: "ICMP", location: "x", route: thief.id, attempt: 1 };
  const times = { dueAtMs: 1, deadlineAtMs: 2, startedAtMs: 1, stoppedAtMs: 2 };
  const makeForged = () => ({
    ...{ ...run, ...times, runId: randomUUIDv7(), checkId: randomUUIDv7(), probeId: "x" },
    ...{ tag: "x".repeat(43), request: {}, outcome: { kind: "measured", measurement: {} } },
  });
  const before = await countIgnored("forged-tag");
  const results = Array.from({ length: 500 }, makeForged);
  for (let batch = 1; batch <= 5; batch += 1) forger.send({ type: "results", batch, results });
  await waitUntil("the forger is disconnected", () => forger.closed !== null);
  assert.equal(forger.closed, closeCodes.refused);
  assert.equal(forger.find("refused")[0]?.reason, "forged-results");
  assert.equal(await findRejection(app.url, { authorization: `Bearer ${thief.token}` }), 429);
  const expected = before + linkLimits.maxForgeries;
  await waitUntil("the figures are new", async () => (await countIgnored("forged-tag")) > before);
  assert.equal(await countIgnored("forged-tag"), expected, "of 2,500");
  assert.equal(honest.closed, null);
});

test("a result that is nested three million levels deep is rejected before it is parsed", async (t) => {
  const { token } = await addPlace();
  const client = new ProbeClient(app.url, token);
  t.after(() => client.socket.terminate());
  await once(client.socket, "open");
  client.send({ type: "hello", hello: makeHello() });
  await client.waitFor("welcome");
  const deep = `${"[".repeat(3_000_000)}${"]".repeat(3_000_000)}`;
  client.send(`{"type":"results","batch":1,"results":[${deep}]}`);
  await waitUntil("it is disconnected", () => client.closed !== null);
  assert.equal(client.closed, 1007);
});
