import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startTestApp, type TestApp } from "../../../test/support/apps/app.ts";
import { addMember, createKey, type Person, signIn } from "../../../test/support/apps/cast.ts";

let app: TestApp;
let ownerId: string;
let anna: Person;
let ben: Person;
before(async () => {
  // The clock shows Sunday, 2026-11-15 12:00 UTC.
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
  ownerId = (await app.call("GET", "/v1/users/me")).body.id;
  anna = await addMember(app, "anna@example.com", { role: "READ_ONLY" });
  ben = await addMember(app, "ben@example.com", { role: "READ_WRITE" });
});
after(() => app.stop());

const path = "/v1/on-call/schedules";
type Body = Readonly<Record<string, unknown>>;

function newLayer(participants: readonly string[], change: Body = {}): Body {
  const rotation = { unit: "DAY", handoffTime: "09:00" };
  return { name: "Daily", participants, rotation, start: "2026-11-01T09:00", ...change };
}

let count = 0;
async function create(layers: readonly Body[]): Promise<string> {
  count += 1;
  const answer = await app.call("POST", path, { body: { name: `Schedule ${count}`, layers } });
  assert.equal(answer.status, 201, answer.text);
  return `${path}/${answer.body.id}`;
}

test("a swap is two overrides once the other person accepts it", async () => {
  const one = await create([newLayer([anna.userId, ben.userId])]);
  const give = { from: "2026-11-17T09:00:00Z", to: "2026-11-18T09:00:00Z" };
  const take = { from: "2026-11-18T09:00:00Z", to: "2026-11-19T09:00:00Z" };
  const [asAnna, asBen] = await Promise.all(
    [anna, ben].map(async ({ email, password }) => ({
      cookie: await signIn(app, email, password),
    })),
  );
  const body = { withUserId: ben.userId, give, take };
  const proposed = await app.call("POST", `${one}/swaps`, { body, ...asAnna });
  assert.equal(proposed.status, 201, proposed.text);
  assert.equal((await app.call("GET", `${one}/overrides`)).body.length, 0, "no effect yet");
  const accept = `${one}/swaps/${proposed.body.id}/accept`;
  assert.equal((await app.call("POST", accept, { ...asAnna })).status, 403);
  assert.equal((await app.call("GET", `${one}/swaps`)).body.length, 1);
  assert.equal((await app.call("POST", accept, { ...asBen })).status, 204);
  assert.equal((await app.call("POST", accept, { ...asBen })).status, 404);
  const { body: page } = await app.call("GET", `${one}/overrides`);
  assert.deepEqual(
    page.entries.map((entry: { name: string; from: string }) => [entry.name, entry.from]),
    [
      ["ben@example.com", "2026-11-17T09:00:00.000Z"],
      ["anna@example.com", "2026-11-18T09:00:00.000Z"],
    ],
  );
  await app.call("DELETE", `${one}/overrides/${page.entries[0].id}`);
  assert.equal((await app.call("GET", `${one}/overrides`)).body.length, 0, "both are deleted");
  const second = await app.call("POST", `${one}/swaps`, { body, ...asAnna });
  const target = `${one}/swaps/${second.body.id}`;
  assert.equal((await app.call("DELETE", target, { ...asBen })).status, 204, "declined");
  const own = { ...body, withUserId: anna.userId };
  assert.equal((await app.call("POST", `${one}/swaps`, { body: own, ...asAnna })).status, 400);
  const { key } = await createKey(app, "ADMIN");
  assert.equal((await app.call("POST", `${one}/swaps`, { body, key })).status, 409);
});

test("a swap whose turn has ended cannot be accepted", async () => {
  const one = await create([newLayer([ownerId, ben.userId])]);
  const at = (hours: number) => new Date(app.clock.nowMs() + hours * 3_600_000).toISOString();
  const body = {
    withUserId: ben.userId,
    give: { from: at(1), to: at(2) },
    take: { from: at(25), to: at(26) },
  };
  const { body: swap } = await app.call("POST", `${one}/swaps`, { body });
  app.clock.advance(2 * 3_600_000);
  const cookie = await signIn(app, ben.email, ben.password);
  const late = await app.call("POST", `${one}/swaps/${swap.id}/accept`, { cookie });
  assert.equal(late.status, 409);
  assert.match(late.body.message, /propose another swap/);
  assert.deepEqual((await app.call("GET", `${one}/swaps`)).body, []);
});

test("two members cannot swap themselves on call in place of others", async () => {
  const { key } = await createKey(app, "READ_WRITE");
  const cleo = await addMember(app, "swapper@example.com", { role: "READ_ONLY" });
  const [asAnna, asCleo] = await Promise.all(
    [anna, cleo].map(async ({ email, password }) => ({
      cookie: await signIn(app, email, password),
    })),
  );
  const day = (number: number) => `2026-12-${number}T09:00:00Z`;
  const [give, take] = [
    { from: day(10), to: day(11) },
    { from: day(11), to: day(12) },
  ];
  const body = { withUserId: cleo.userId, give, take };
  const strangers = await create([newLayer([ownerId])]);
  const answer = await app.call("POST", `${strangers}/swaps`, { body, ...asAnna });
  assert.deepEqual([answer.status, answer.body.validation.keys], [400, ["give"]], answer.text);
  const half = await create([newLayer([anna.userId])]);
  const taken = await app.call("POST", `${half}/swaps`, { body, ...asAnna });
  assert.deepEqual([taken.status, taken.body.validation.keys], [400, ["take"]], taken.text);

  // Anna has the 10th, Cleo the 11th, and the owner the 12th and the 13th.
  const turns = [anna.userId, cleo.userId, ownerId, ownerId];
  const layer = newLayer(turns, { start: "2026-12-10T09:00" });
  const shared = await create([layer]);
  const wide = { ...body, take: { from: day(10), to: day(14) } };
  const propose = () => app.call("POST", `${shared}/swaps`, { body: wide, ...asAnna });
  const accept = (id: string) => app.call("POST", `${shared}/swaps/${id}/accept`, { ...asCleo });
  const first = await propose();
  assert.equal((await accept(first.body.id)).status, 204);
  const { body: page } = await app.call("GET", `${shared}/overrides`);
  assert.deepEqual(
    page.entries.map(({ userId, from, to }: Body) => [userId, String(from).slice(8, 10), to]),
    [
      [cleo.userId, "10", "2026-12-11T09:00:00.000Z"],
      [anna.userId, "11", "2026-12-12T09:00:00.000Z"],
    ],
    "the shifts of the owner stay",
  );

  await app.call("DELETE", `${shared}/overrides/${page.entries[0].id}`);
  const second = await propose();
  const put = { name: "Others", layers: [newLayer([ownerId])] };
  assert.equal((await app.call("PUT", shared, { body: put, key })).status, 200);
  assert.equal((await accept(second.body.id)).status, 409, "the turns are checked again");
});
