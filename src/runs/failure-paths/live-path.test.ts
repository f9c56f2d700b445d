/** Tests POST /v1/checks/{id}/live-path. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { TestApp } from "../../../test/support/apps/app.ts";
import { addStranger, createKey, type Stranger } from "../../../test/support/apps/cast.ts";
import { shareTestApp } from "../../../test/support/apps/shared-app.ts";
import type { toWireHop } from "../../kinds/kit/paths/hop-statistics.ts";

let app: TestApp;
let stranger: Stranger;
before(async () => {
  app = await shareTestApp();
  stranger = await addStranger(app);
});

async function createCheck(kind: string, settings: object): Promise<string> {
  const body = { name: "Loopback", activated: false, ...settings };
  const made = await app.call("POST", `/v1/checks/${kind}`, { body });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}

const pinged = { frequency: 1_440, request: { hostname: "127.0.0.1" } };

test("a path is traced until the client disconnects, with statistics after each trace", async () => {
  const id = await createCheck("icmp", pinged);
  const { key } = await createKey(app, "READ_RUN");
  const leave = new AbortController();
  const response = await fetch(`${app.url}/v1/checks/${id}/live-path`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, accept: "application/x-ndjson" },
    signal: leave.signal,
  });
  assert.equal(response.status, 200);
  const events: Record<string, unknown>[] = [];
  let text = "";
  const decoder = new TextDecoder();
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece, { stream: true });
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    events.push(...lines.map((line) => JSON.parse(line)));
    const isDone = events.some(({ event, round }) => event === "trouble" || round === 2);
    if (isDone) break;
  }
  leave.abort();
  assert.deepEqual(events[0], {
    ...{ event: "started", location: "eu-central-1", target: "127.0.0.1", protocol: "ICMP" },
  });
  const last = events.at(-1);
  if (last?.event === "trouble") {
    assert.match(String(last.message), /traceroute|socket|permi/i);
    return;
  }
  assert.equal(last?.end, "reached");
  const [hop] = last.hops as ReturnType<typeof toWireHop>[];
  assert.equal(hop?.addresses[0]?.address, "127.0.0.1");
  assert.ok((hop?.received ?? 0) >= 2);
});

test("what cannot be traced is rejected", async () => {
  const call = (id: string, query = "", key?: string | null) =>
    app.call("POST", `/v1/checks/${id}/live-path${query}`, key === undefined ? {} : { key });
  const id = await createCheck("icmp", pinged);
  const elsewhere = await call(id, "?location=nowhere");
  assert.equal(elsewhere.status, 400, elsewhere.text);
  assert.deepEqual(elsewhere.body.validation, { source: "querystring", keys: ["location"] });
  assert.equal((await call("not-an-id")).status, 400);
  assert.equal((await call(id, "", null)).status, 401);
  assert.equal((await call(id, "", (await createKey(app, "READ_ONLY")).key)).status, 403);
  assert.equal((await call(id, "", stranger.key)).status, 404);
  const heartbeat = { period: 1, periodUnit: "days", grace: 1, graceUnit: "hours" };
  const job = await call(await createCheck("heartbeat", { heartbeat }));
  assert.equal(job.status, 409, job.text);
});
