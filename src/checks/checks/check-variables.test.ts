/** Tests that variables of checks and of groups follow the same rules. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Answer, TestApp } from "../../../test/support/apps/app.ts";
import { createKey } from "../../../test/support/apps/cast.ts";
import { shareTestApp } from "../../../test/support/apps/shared-app.ts";

const canary = "s3cret-canary";
type Body = Readonly<Record<string, unknown>>;

let app: TestApp;
let reader: string;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
  reader = (await createKey(app, "READ_ONLY")).key;
});
after(() => app.stop());

const places = {
  check: {
    path: "/v1/checks/tcp",
    list: "/v1/checks?limit=100",
    read: "/v1/checks",
    body: { name: "Port", request: { hostname: "a.example", port: 5 } },
    table: "checks",
  },
  group: {
    path: "/v1/check-groups",
    list: "/v1/check-groups?limit=100",
    read: "/v1/check-groups",
    body: { name: "Group" },
    table: "check_groups",
  },
} as const;

function assertNames(answer: Answer, key: string): void {
  assert.equal(answer.status, 400, answer.text);
  assert.equal(answer.body.validation.keys[0], key);
}

for (const [name, { path, list, read, body, table }] of Object.entries(places)) {
  const create = (environmentVariables: unknown) =>
    app.call("POST", path, { body: { ...body, environmentVariables } });
  const change = (id: unknown, changed: Body) =>
    app.call("PUT", `${path}/${id}`, { body: changed });
  const setVariables = (id: unknown, environmentVariables: unknown) =>
    change(id, { environmentVariables });
  const shown = (answer: Answer) => answer.body.environmentVariables;

  test(`a ${name} shows its variables by role and stores them encrypted`, async () => {
    const made = await create([
      { key: "OPEN", value: "open" },
      { key: "LOCKED", value: `${canary}-1`, locked: true },
      { key: "SECRET", value: `${canary}-2`, secret: true },
    ]);
    assert.equal(made.status, 201, made.text);
    const open = { key: "OPEN", value: "open", locked: false, secret: false };
    const locked = { key: "LOCKED", value: `${canary}-1`, locked: true, secret: false };
    const secret = { key: "SECRET", value: null, locked: false, secret: true };
    assert.deepEqual(shown(made), [open, locked, secret]);
    const one = await app.call("GET", `${read}/${made.body.id}`, { key: reader });
    assert.deepEqual(shown(one), [open, { ...locked, value: "********" }, secret]);
    const all = await app.call("GET", list, { key: reader });
    const audit = await app.call("GET", "/v1/audit-log?limit=100");
    const { rows } = await app.query(`select one::text as text from ${table} as one`, []);
    const stored = rows.map(({ text }: { text: string }) => text);
    for (const text of [one.text, all.text, audit.text, app.logText(), ...stored]) {
      assert.ok(!text.includes(canary), text);
    }
    assert.ok(!stored.join().includes('"open"'), "visible values are encrypted as well");
  });

  test(`variables read from a ${name} can be written back and stay hidden`, async () => {
    const { body: made } = await create([
      { key: "OPEN", value: "open" },
      { key: "LOCKED", value: `${canary}-1`, locked: true },
      { key: "SECRET", value: `${canary}-2`, secret: true },
    ]);
    const asReader = await app.call("GET", `${read}/${made.id}`, { key: reader });
    for (const variables of [made.environmentVariables, shown(asReader)]) {
      assert.deepEqual(shown(await setVariables(made.id, variables)), made.environmentVariables);
    }
    const [, lockedMask, secretMask] = shown(asReader);
    const unlock = await setVariables(made.id, [{ ...lockedMask, locked: false }]);
    assertNames(unlock, "environmentVariables.0.value");
    for (const value of [null, "********"]) {
      const unhidden = { ...secretMask, value, locked: false, secret: false };
      const answer = await setVariables(made.id, [unhidden]);
      assert.deepEqual(shown(answer), [{ ...secretMask, value: null }], "once secret, always");
    }
    assert.deepEqual(shown(await change(made.id, { name: "Renamed" })), [secretMask]);
    assert.deepEqual(shown(await setVariables(made.id, null)), []);
    const gone = await setVariables(made.id, [{ key: "SECRET", value: null }]);
    assertNames(gone, "environmentVariables.0.value");
  });

  test(`bad variables of a ${name} are rejected with the field name`, async () => {
    const field = "environmentVariables";
    assertNames(await create([{ key: "A B", value: "x" }]), `${field}.0.key`);
    assertNames(await create([{ key: "A" }]), `${field}.0.value`);
    assertNames(await create([{ key: "A", value: null }]), `${field}.0.value`);
    assertNames(await create([{ key: "A", value: "x".repeat(32_769) }]), `${field}.0.value`);
    const twice = [
      { key: "A", value: "1" },
      { key: "A", value: "2" },
    ];
    assertNames(await create(twice), `${field}.1.key`);
    const many = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ key: `K${index}`, value: "v" }));
    assertNames(await create(many(201)), field);
    assert.equal((await create(many(200))).status, 201);
  });
}

test("variables stored unencrypted by an older release are shown and used", async () => {
  const { body } = await app.call("POST", places.check.path, { body: places.check.body });
  const old = JSON.stringify([{ key: "OLD", value: "plain" }]);
  await app.query("update checks set variables = $2 where id = $1", [body.id, old]);
  const { body: shown } = await app.call("GET", `/v1/checks/${body.id}`);
  assert.deepEqual(shown.environmentVariables, [
    { key: "OLD", value: "plain", locked: false, secret: false },
  ]);
});

test("a check of a kind without variables only stores them", async () => {
  const environmentVariables = [{ key: "A", value: canary }];
  const request = { hostname: "a.example" };
  const input = { name: "Ping", request, environmentVariables };
  const { status, body } = await app.call("POST", "/v1/checks/icmp", { body: input });
  assert.equal(status, 201);
  assert.ok(!("environmentVariables" in body));
});
