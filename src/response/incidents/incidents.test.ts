import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import fc from "fast-check";
import type { Answer, TestApp } from "../../../test/support/apps/app.ts";
import { addStranger, type Stranger } from "../../../test/support/apps/cast.ts";
import { shareTestApp } from "../../../test/support/apps/shared-app.ts";
import {
  addService,
  createIncident,
  incidentBody,
  incidentsPath as path,
} from "../../../test/support/modules/incidents.ts";
import { anyCharacter } from "../../../test/support/properties.ts";
import { incidentStatuses, maxListedUpdates, severities } from "./incident.ts";

let app: TestApp;
let stranger: Stranger;
let service: string;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
  stranger = await addStranger(app);
  service = await addService(app);
});
after(() => app.stop());

type Body = Record<string, unknown>;
const create = (more: Body = {}) => createIncident(app, service, more);
const read = (id: string) => app.call("GET", `${path}/${id}`);

function assertNames(answer: Answer, ...keys: readonly string[]): void {
  assert.equal(answer.status, 400, answer.text);
  assert.deepEqual(answer.body.validation, { source: "body", keys });
  assert.ok(answer.body.message.startsWith(keys[0]), answer.text);
}

test("an incident is created and read as the contract specifies", async () => {
  const { status, body, headers } = await create();
  assert.equal(status, 201);
  const { id, services, incidentUpdates, ...rest } = body;
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  assert.deepEqual(rest, {
    name: "Payments fail",
    severity: "MAJOR",
    lastUpdateStatus: "INVESTIGATING",
    startedAt: "2026-11-15T12:00:00.000Z",
    resolvedAt: null,
    checkId: null,
    alertNumber: null,
    isTakenOver: false,
    duration: null,
    timeToAcknowledge: null,
    created_at: "2026-11-15",
  });
  const { accountId } = app.owner;
  const known = { id: service, name: "Checkout", accountId };
  assert.deepEqual(services, [{ ...known, created_at: "2026-11-15", updated_at: null }]);
  assert.deepEqual(incidentUpdates, [
    {
      id: incidentUpdates[0].id,
      description: "We are investigating.",
      status: "INVESTIGATING",
      publicIncidentUpdateDate: "2026-11-15T12:00:00.000Z",
      notifySubscribers: false,
      notifiedCount: null,
      author: "First key …6789",
      created_at: "2026-11-15",
    },
  ]);
  const again = await read(id);
  assert.deepEqual([again.status, again.body], [200, body]);
  assert.equal(again.headers.get("etag"), headers.get("etag"));
});

test("every severity and status is accepted, and nothing else", async () => {
  for (const severity of severities) {
    assert.equal((await create({ severity })).body.severity, severity);
  }
  for (const status of incidentStatuses) {
    const { body } = await create({ incidentUpdates: [{ description: "So.", status }] });
    assert.equal(body.lastUpdateStatus, status);
  }
  for (const severity of ["major", "", "FATAL", null, 1]) {
    assertNames(await create({ severity }), "severity");
  }
});

test("an update without a status has the status of the body, or else INVESTIGATING", async () => {
  const incidentUpdates = [{ description: "one" }, { description: "two", status: "MONITORING" }];
  const { body } = await create({ incidentUpdates, lastUpdateStatus: "IDENTIFIED" });
  const statuses = body.incidentUpdates.map((update: Body) => [update.description, update.status]);
  assert.deepEqual(statuses, [
    ["two", "MONITORING"],
    ["one", "IDENTIFIED"],
  ]);
  assert.equal(body.lastUpdateStatus, "MONITORING");
  assertNames(await create({ lastUpdateStatus: "OVER" }), "lastUpdateStatus");
});

test("several updates backfill an incident; responses list the newest first", async () => {
  const at = (publicIncidentUpdateDate: string, status: string) => ({
    description: status,
    status,
    publicIncidentUpdateDate,
  });
  const { status, body } = await create({
    incidentUpdates: [
      at("2026-11-01T10:30:00+01:00", "RESOLVED"),
      at("2026-11-01T08:00:00Z", "INVESTIGATING"),
      at("2026-11-01T08:20:00.500Z", "IDENTIFIED"),
    ],
  });
  assert.equal(status, 201);
  const dates = body.incidentUpdates.map((update: Body) => update.publicIncidentUpdateDate);
  assert.deepEqual(dates, [
    "2026-11-01T09:30:00.000Z",
    "2026-11-01T08:20:00.500Z",
    "2026-11-01T08:00:00.000Z",
  ]);
  assert.equal(body.lastUpdateStatus, "RESOLVED");
  assert.equal(body.duration, 5_400);
  assert.equal(body.timeToAcknowledge, 1_200);
});

test("read-only fields are ignored, even if a client sends zeros", async () => {
  const zeros = [
    { id: "", created_at: "", updated_at: "", duration: 0 },
    { id: randomUUID(), created_at: "1970-01-01", updated_at: "0001-01-01", duration: 99 },
    { id: 0, created_at: 0, updated_at: null, duration: "long", accountId: stranger.accountId },
  ];
  for (const more of zeros) {
    const { status, body, text } = await create({
      ...more,
      services: [{ ...more, name: "Other", accountId: "", id: service }],
      incidentUpdates: [{ description: "So.", id: more.id, created_at: more.created_at }],
    });
    assert.equal(status, 201, text);
    assert.notEqual(body.id, more.id);
    assert.equal(body.duration, null);
    assert.equal(body.services[0].name, "Checkout");
    assert.equal(body.created_at, "2026-11-15");
    assert.notEqual(body.incidentUpdates[0].id, more.id);
    assert.equal("updated_at" in body, false);
  }
});

test("services keep their order, without duplicates", async () => {
  const second = await addService(app, { name: "Search" });
  const services = [second, service, second.toUpperCase(), service].map((id) => ({ id }));
  const { status, body } = await create({ services });
  assert.equal(status, 201);
  assert.deepEqual(
    body.services.map((one: Body) => one.id),
    [second, service],
  );
});

test("an unknown, foreign or deleted service causes 404, and nothing is written", async () => {
  const theirs = await addService(app, { accountId: stranger.accountId });
  const count = async () => (await app.query("select count(*) from incidents")).rows[0].count;
  const before = await count();
  for (const id of [randomUUID(), theirs]) {
    const answer = await create({ services: [{ id: service }, { id }] });
    assert.deepEqual(
      [answer.status, answer.body],
      [404, { statusCode: 404, error: "Not Found", message: "Not Found" }],
    );
  }
  assert.equal(await count(), before);
});

const faulty: readonly (readonly [string, Body, string])[] = [
  ["no name", { name: undefined }, "name"],
  ["an empty name", { name: "" }, "name"],
  ["a blank name", { name: " \u00a0 " }, "name"],
  ["a name of 256 characters", { name: "n".repeat(256) }, "name"],
  ["a number for a name", { name: 5 }, "name"],
  ["no severity", { severity: undefined }, "severity"],
  ["no services", { services: undefined }, "services"],
  ["an empty list of services", { services: [] }, "services"],
  ["a service without an id", { services: [{}] }, "services.0.id"],
  ["a service whose id is none", { services: [{ id: "checkout" }] }, "services.0.id"],
  ["a service with a URN", { services: [{ id: `urn:uuid:${randomUUID()}` }] }, "services.0.id"],
  ["101 services", { services: Array(101).fill({ id: randomUUID() }) }, "services"],
  ["no updates", { incidentUpdates: undefined }, "incidentUpdates"],
  ["an empty list of updates", { incidentUpdates: [] }, "incidentUpdates"],
  ["21 updates", { incidentUpdates: Array(21).fill({ description: "x" }) }, "incidentUpdates"],
  ["an update that says nothing", { incidentUpdates: [{}] }, "incidentUpdates.0.description"],
];
const faultyUpdates: readonly (readonly [string, Body, string])[] = [
  ["an empty description", { description: "" }, "description"],
  ["a blank description", { description: " \n\t" }, "description"],
  ["a description of 20,001 characters", { description: "d".repeat(20_001) }, "description"],
  ["an unknown status", { status: "DONE" }, "status"],
  ["null for its status", { status: null }, "status"],
  ["a word for notifySubscribers", { notifySubscribers: "yes" }, "notifySubscribers"],
  ["a date without a time", { publicIncidentUpdateDate: "2026-11-01" }, "publicIncidentUpdateDate"],
  ["no date at all", { publicIncidentUpdateDate: "" }, "publicIncidentUpdateDate"],
  [
    "a date to come",
    { publicIncidentUpdateDate: "2099-01-01T00:00:00Z" },
    "publicIncidentUpdateDate",
  ],
  ["the year 1", { publicIncidentUpdateDate: "0001-01-01T00:00:00Z" }, "publicIncidentUpdateDate"],
  [
    "a leap second",
    { publicIncidentUpdateDate: "2016-12-31T23:59:60Z" },
    "publicIncidentUpdateDate",
  ],
];

for (const [what, input, key] of faulty) {
  test(`an incident with ${what} is rejected, naming ${key}`, async () => {
    assertNames(await create(input), key);
  });
}
for (const [what, input, key] of faultyUpdates) {
  test(`an update with ${what} is rejected, naming ${key}`, async () => {
    const incidentUpdates = [{ description: "So." }, { description: "So.", ...input }];
    assertNames(await create({ incidentUpdates }), `incidentUpdates.1.${key}`);
  });
}

test("all missing and invalid fields are listed", async () => {
  const { status, body } = await app.call("POST", path, { body: { severity: "FATAL" } });
  assert.equal(status, 400);
  const { keys } = body.validation;
  assert.deepEqual([...keys].sort(), ["incidentUpdates", "name", "services", "severity"]);
});

const hostile = [
  "'; drop table incidents; --",
  "<script>alert(1)</script>",
  "[x](javascript:alert(1)) ![x](data:image/svg+xml;base64,PHN2Zz4=)",
  "\u202egnp.exe\u200b\ufeff",
  "{{services}} #{7*7} <%= 7 %>",
  "=cmd|' /C calc'!A0",
  "]]> &amp; \u2028 \u0007",
  "ẓ̌a̘͠l͈go 👩‍👩‍👧 \ud83d\ude00",
  "n".repeat(255),
];

test("hostile texts are stored unchanged and never interpreted", async () => {
  for (const name of hostile) {
    const description = `${name}\r\n${"> ".repeat(1_000)}${name}`;
    const { status, body } = await create({ name, incidentUpdates: [{ description }] });
    assert.equal(status, 201, name);
    const again = await read(body.id);
    assert.equal(again.body.name, name);
    assert.equal(again.body.incidentUpdates[0].description, description);
  }
  const long = "😀".repeat(20_000);
  const { body } = await create({ incidentUpdates: [{ description: long }] });
  assert.equal(body.incidentUpdates[0].description, long);
});

test("any input is either created or rejected, never an internal error", async () => {
  const odd = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.string({ unit: anyCharacter }));
  const mostly = <Value>(usual: fc.Arbitrary<Value>) =>
    fc.oneof({ weight: 20, arbitrary: usual }, { weight: 1, arbitrary: odd });
  const text = fc.string({ unit: "grapheme", maxLength: 100 }).map((rest) => `x${rest}`);
  const status = mostly(fc.constantFrom(...incidentStatuses));
  const past = fc.date({ min: new Date(0), max: app.clock.now(), noInvalidDate: true });
  const date = mostly(past.map((moment) => moment.toISOString()));
  const update = fc.record(
    { description: mostly(text), status, publicIncidentUpdateDate: date },
    { requiredKeys: ["description"] },
  );
  const id = fc.oneof({ weight: 5, arbitrary: fc.constant(service) }, fc.uuid());
  const some = { minLength: 1, maxLength: 3 };
  const needed = {
    name: mostly(text),
    severity: mostly(fc.constantFrom(...severities)),
    services: mostly(fc.array(fc.record({ id: mostly(id) }), some)),
    incidentUpdates: mostly(fc.array(update, some)),
  };
  const anyBody = fc.record(
    { ...needed, lastUpdateStatus: status, variables: mostly(fc.constant({ a: "b" })) },
    { requiredKeys: ["name", "severity", "services", "incidentUpdates"] },
  );
  const seen = new Set<number>();
  await fc.assert(
    fc.asyncProperty(anyBody, async (body) => {
      const answer = await app.call("POST", path, { rawBody: JSON.stringify(body) });
      assert.ok([201, 400, 404].includes(answer.status), answer.text);
      seen.add(answer.status);
    }),
  );
  assert.deepEqual([...seen].sort(), [201, 400, 404]);
});

test("repeating a request with the same Idempotency-Key creates nothing", async () => {
  const key = { "idempotency-key": randomUUID() };
  const body = incidentBody(service, { name: "Once" });
  const send = (more: Body = {}) =>
    app.call("POST", path, { body: { ...body, ...more }, headers: key });
  const answers = await Promise.all([send(), send(), send(), send(), send()]);
  assert.deepEqual(
    answers.map(({ status }) => status),
    Array(5).fill(201),
  );
  assert.equal(new Set(answers.map((answer) => answer.body.id)).size, 1);
  const other = await send({ name: "Twice" });
  assert.equal(other.status, 409);
  assert.match(other.body.message, /Idempotency-Key/);
  await app.call("DELETE", `${path}/${answers[0]?.body.id}`);
  assert.equal((await send()).status, 409);
  const { rows } = await app.query("select 1 from incidents where name in ('Once', 'Twice')");
  assert.equal(rows.length, 0);
});

test("the list contains the account's incidents, newest first, in pages", async () => {
  const theirs = await addService(app, { accountId: stranger.accountId });
  const made: string[] = [];
  for (const name of ["a", "b", "c", "d", "e"]) {
    const body = incidentBody(theirs, { name });
    made.unshift((await app.call("POST", path, { body, key: stranger.key })).body.id);
  }
  const seen: string[] = [];
  let nextId: string | null = null;
  do {
    const page: string = nextId === null ? "" : `&nextId=${nextId}`;
    const { status, body } = await app.call("GET", `${path}?limit=2${page}`, { key: stranger.key });
    assert.equal(status, 200);
    assert.equal(body.length, body.entries.length);
    seen.push(...body.entries.map((entry: Body) => entry.id));
    nextId = body.nextId;
  } while (nextId !== null);
  assert.deepEqual(new Set(seen), new Set(made));
  assert.deepEqual(seen, [...seen].sort().reverse());
  assert.equal(seen.length, 5);
});

test("the list can be filtered by ongoing, resolved and service", async () => {
  const own = await addService(app, { name: "Own" });
  const { body: open } = await createIncident(app, own);
  const { body: over } = await createIncident(app, own, {
    incidentUpdates: [{ description: "Over.", status: "RESOLVED" }],
  });
  const list = async (query: string) => {
    const { body } = await app.call("GET", `${path}?serviceId=${own}${query}`);
    return body.entries.map((entry: Body) => entry.id);
  };
  assert.deepEqual(new Set(await list("")), new Set([open.id, over.id]));
  assert.deepEqual(await list("&status=ongoing"), [open.id]);
  assert.deepEqual(await list("&status=resolved"), [over.id]);
  assert.deepEqual(await list("&severity=MINOR"), []);
  assert.equal((await list("&severity=MAJOR")).length, (await list("")).length);
  const begun = "2020-01-01T00:00:00Z";
  const { body: old } = await createIncident(app, own, {
    incidentUpdates: [{ description: "Long ago.", publicIncidentUpdateDate: begun }],
  });
  assert.equal((await list("")).at(0), old.id);
  assert.equal((await list("&sort=started")).at(-1), old.id);
  const first = await app.call("GET", `${path}?serviceId=${own}&sort=started&limit=2`);
  assert.deepEqual(await list(`&sort=started&nextId=${first.body.nextId}`), [old.id]);
  for (const query of ["status=OPEN", "serviceId=x", "limit=0", "limit=101", "nextId=x"]) {
    assert.equal((await app.call("GET", `${path}?${query}`)).status, 400, query);
  }
});

test("the list has the newest updates of each incident, a single incident all of them", async () => {
  const own = await addService(app, { name: "Long" });
  const { body } = await createIncident(app, own);
  await app.query(
    `insert into incident_updates (id, account_id, incident_id, status, description, public_at,
      notify_subscribers, created_at)
      select gen_random_uuid(), $1, $2, 'MONITORING', n::text,
        $3::timestamptz + n * interval '1 second', false, $3 from generate_series(1, 30) n`,
    [app.owner.accountId, body.id, app.clock.now()],
  );
  const list = await app.call("GET", `${path}?serviceId=${own}`);
  const shown = list.body.entries[0].incidentUpdates.map((update: Body) => update.description);
  assert.deepEqual(
    shown,
    Array.from({ length: maxListedUpdates }, (_, index) => String(30 - index)),
  );
  assert.equal((await read(body.id)).body.incidentUpdates.length, 31);
});
