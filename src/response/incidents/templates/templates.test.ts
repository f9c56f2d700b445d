import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import type { Answer, TestApp } from "../../../../test/support/apps/app.ts";
import { addStranger, createKey, type Stranger } from "../../../../test/support/apps/cast.ts";
import { shareTestApp } from "../../../../test/support/apps/shared-app.ts";
import {
  addService,
  createIncident,
  incidentsPath,
  templatesPath as path,
} from "../../../../test/support/modules/incidents.ts";
import { maxTemplates } from "./incident-template.ts";

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
let count = 0;

function templateBody(more: Body = {}): Body {
  count += 1;
  return {
    name: `Template ${count}`,
    incidentName: "{{services}} in {{ region }}",
    severity: "CRITICAL",
    serviceIds: [service],
    updates: [
      {
        status: "INVESTIGATING",
        description: "{{severity}}: since {{date}} {{time}} in {{region}}.",
        notifySubscribers: true,
      },
      { status: "RESOLVED", description: "Over, says {{who}}." },
    ],
    ...more,
  };
}

const create = (more: Body = {}, key?: string) =>
  app.call("POST", path, { body: templateBody(more), ...(key === undefined ? {} : { key }) });
const use = (body: Body) => app.call("POST", incidentsPath, { body });
const post = (incidentId: string, body: Body) =>
  app.call("POST", `${incidentsPath}/${incidentId}/incident-updates`, { body });

function assertNames(answer: Answer, key: string): void {
  assert.equal(answer.status, 400, answer.text);
  assert.deepEqual(answer.body.validation, { source: "body", keys: [key] });
}

test("a template is created, read, listed, replaced and deleted", async () => {
  const { status, body } = await create();
  assert.equal(status, 201);
  const { id, ...rest } = body;
  assert.deepEqual(rest, {
    ...templateBody(),
    name: body.name,
    updates: [
      {
        status: "INVESTIGATING",
        description: "{{severity}}: since {{date}} {{time}} in {{region}}.",
        notifySubscribers: true,
      },
      { status: "RESOLVED", description: "Over, says {{who}}.", notifySubscribers: false },
    ],
    variables: ["region", "who"],
    created_at: "2026-11-15",
    updated_at: null,
  });
  assert.deepEqual((await app.call("GET", `${path}/${id}`)).body, body);
  const { entries } = (await app.call("GET", `${path}?limit=100`)).body;
  assert.deepEqual(
    entries.filter((entry: Body) => entry.id === id),
    [body],
  );
  const least = { name: "Only words", updates: [{ status: "MONITORING", description: "Wait." }] };
  const put = await app.call("PUT", `${path}/${id}`, { body: least });
  assert.equal(put.status, 200);
  assert.deepEqual(put.body, {
    id,
    name: "Only words",
    incidentName: null,
    severity: null,
    serviceIds: [],
    updates: [{ status: "MONITORING", description: "Wait.", notifySubscribers: false }],
    variables: [],
    created_at: "2026-11-15",
    updated_at: "2026-11-15",
  });
  assert.deepEqual((await app.call("GET", `${path}/${id}`)).body, put.body);
  const removed = await app.call("DELETE", `${path}/${id}`);
  assert.deepEqual([removed.status, removed.text], [204, ""]);
  assert.equal((await app.call("GET", `${path}/${id}`)).status, 404);
  assert.equal((await app.call("PUT", `${path}/${id}`, { body: least })).status, 404);
  assert.equal((await app.call("DELETE", `${path}/${id}`)).status, 404);
});

test("an incident is created from a template, and subscribers receive its text", async () => {
  const { body: template } = await create();
  const { status, body } = await use({ templateId: template.id, variables: { region: "Bern" } });
  assert.equal(status, 201);
  assert.equal(body.name, "Checkout in Bern");
  assert.equal(body.severity, "CRITICAL");
  assert.equal(body.services[0].id, service);
  assert.equal(body.incidentUpdates.length, 1);
  const [update] = body.incidentUpdates;
  assert.equal(update.description, "CRITICAL: since 2026-11-15 12:00 in Bern.");
  assert.equal(update.status, "INVESTIGATING");
  assert.equal(update.notifySubscribers, true);
  const { rows } = await app.query("select message from announcements where source_id = $1", [
    update.id,
  ]);
  assert.equal(rows[0].message.body, update.description);
});

test("fields of the request take precedence over the template", async () => {
  const other = await addService(app, { name: "Search" });
  const { body: template } = await create();
  const { body } = await use({
    templateId: template.id,
    variables: { region: "Bern", severity: "serious", date: "today" },
    severity: "MINOR",
    services: [{ id: other }],
  });
  assert.equal(body.name, "Search in Bern");
  assert.equal(body.severity, "MINOR");
  assert.equal(body.incidentUpdates[0].description, "serious: since today 12:00 in Bern.");
  const named = await use({
    templateId: template.id,
    name: "{{mine}}",
    incidentUpdates: [{ description: "{{kept}} as typed" }],
  });
  assert.equal(named.status, 201, named.text);
  assert.equal(named.body.name, "{{mine}}");
  assert.equal(named.body.incidentUpdates[0].description, "{{kept}} as typed");
  assert.equal(named.body.incidentUpdates[0].notifySubscribers, false);
});

test("an update uses the template's text for its status, or the first text", async () => {
  const { body: template } = await create();
  const { body: incident } = await createIncident(app, service);
  const first = await post(incident.id, {
    templateId: template.id,
    variables: { region: "Bern" },
    notifySubscribers: false,
  });
  assert.equal(first.status, 201, first.text);
  assert.equal(first.body.description, "MAJOR: since 2026-11-15 12:00 in Bern.");
  assert.equal(first.body.notifySubscribers, false);
  const last = await post(incident.id, {
    templateId: template.id,
    status: "RESOLVED",
    variables: { who: "<b>Ann</b>" },
  });
  assert.equal(last.body.description, "Over, says <b>Ann</b>.");
  assert.equal(last.body.status, "RESOLVED");
  assertNames(await post(incident.id, { templateId: template.id, status: "MONITORING" }), "status");
  const lasting = await use({
    templateId: template.id,
    lastUpdateStatus: "MONITORING",
    variables: { region: "x" },
  });
  assertNames(lasting, "lastUpdateStatus");
});

test("a variable without a value is rejected by name", async () => {
  const { body: template } = await create();
  const { body: incident } = await createIncident(app, service);
  const nameless = await use({ templateId: template.id, variables: { Region: "Bern" } });
  assertNames(nameless, "variables.region");
  assert.match(nameless.body.message, /variables\.region/);
  const { id: templateId } = template;
  assertNames(await post(incident.id, { templateId }), "variables.region");
  // Inherited properties of objects are not values.
  const updates = [{ status: "MONITORING", description: "{{toString}} {{constructor}}" }];
  const { body: sly } = await create({ updates });
  assertNames(await post(incident.id, { templateId: sly.id }), "variables.toString");
});

test("variables are limited in number, length and characters", async () => {
  const { body: template } = await create();
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`v${index}`, "x"]));
  const faults: readonly (readonly [unknown, string])[] = [
    [many, "variables"],
    [{ "a b": "x" }, "variables"],
    [{ region: 5 }, "variables.region"],
    [{ region: "x".repeat(2_001) }, "variables.region"],
    ["region", "variables"],
  ];
  for (const [variables, key] of faults) {
    assertNames(await use({ templateId: template.id, variables }), key);
  }
});

test("a filled-in text that is too long or empty is rejected, naming its field", async () => {
  const { body: template } = await create();
  const { body: incident } = await createIncident(app, service);
  const region = "x".repeat(300);
  assertNames(await use({ templateId: template.id, variables: { region } }), "name");
  const description = "{{a}}".repeat(11);
  const updates = [{ status: "MONITORING", description }];
  const { body: growing } = await create({ updates });
  const grown = { templateId: growing.id, variables: { a: "y".repeat(2_000) } };
  assertNames(await post(incident.id, grown), "description");
  assertNames(await post(incident.id, { ...grown, variables: { a: " " } }), "description");
  const many = { templateId: growing.id, name: "So", variables: { a: "y".repeat(2_000) } };
  assertNames(await use(many), "incidentUpdates");
});

test("a template for updates leaves the other fields to the request", async () => {
  const updates = [{ status: "MONITORING", description: "Wait." }];
  const bare = { incidentName: null, severity: null, serviceIds: [], updates };
  const { body: template } = await create(bare);
  const { id: templateId } = template;
  assertNames(await use({ templateId }), "services");
  const services = [{ id: service }];
  assertNames(await use({ templateId, services }), "severity");
  assertNames(await use({ templateId, services, severity: "MINOR" }), "name");
  const made = await use({ templateId, services, severity: "MINOR", name: "So" });
  assert.equal(made.status, 201);
  assert.equal(made.body.lastUpdateStatus, "MONITORING");
});

test("deleted services of a template are skipped; services in the request must exist", async () => {
  const gone = await addService(app, { name: "Gone" });
  const { body: template } = await create({ serviceIds: [gone, service] });
  await app.query("delete from services where id = $1", [gone]);
  const input = { templateId: template.id, variables: { region: "Bern" } };
  const { body } = await use(input);
  assert.equal(body.name, "Checkout in Bern");
  assert.equal((await use({ ...input, services: [{ id: gone }] })).status, 404);
});

test("an unknown or foreign template is rejected, naming the field", async () => {
  const theirs = await create({ serviceIds: [] }, stranger.key);
  const { body: incident } = await createIncident(app, service);
  for (const templateId of [randomUUID(), theirs.body.id, "x"]) {
    assertNames(await use({ templateId }), "templateId");
    assertNames(await post(incident.id, { templateId }), "templateId");
  }
});

const faulty: readonly (readonly [string, Body, string])[] = [
  ["no name", { name: undefined }, "name"],
  ["a blank name", { name: " " }, "name"],
  ["a name for incidents that is too long", { incidentName: "n".repeat(256) }, "incidentName"],
  ["a brace that is not closed in its name", { incidentName: "{{services" }, "incidentName"],
  ["an unknown severity", { severity: "BAD" }, "severity"],
  ["an id that is none", { serviceIds: ["x"] }, "serviceIds.0"],
  ["a service that is unknown", { serviceIds: [randomUUID()] }, "serviceIds"],
  ["no updates", { updates: undefined }, "updates"],
  ["an empty list of updates", { updates: [] }, "updates"],
  ["21 updates", { updates: Array(21).fill({ status: "RESOLVED", description: "x" }) }, "updates"],
  ["an update without a status", { updates: [{ description: "x" }] }, "updates.0.status"],
];
const words: readonly (readonly [string, string])[] = [
  ["nothing to say", ""],
  ["too much to say", "d".repeat(20_001)],
  ["a block without its end", "{{#if services}}x"],
  ["a path", "{{services.0.name}}"],
  ["a call", "{{process.exit()}}"],
  ["a partial", "{{> /etc/passwd}}"],
  ["an end that is missing", "{{ services"],
];

for (const [what, input, key] of faulty) {
  test(`a template with ${what} is rejected, naming ${key}`, async () => {
    assertNames(await create(input), key);
  });
}
for (const [what, description] of words) {
  test(`a template whose texts have ${what} is rejected`, async () => {
    const updates = [
      { status: "MONITORING", description: "So." },
      { status: "RESOLVED", description },
    ];
    assertNames(await create({ updates }), "updates.1.description");
    const { body } = await create();
    const put = await app.call("PUT", `${path}/${body.id}`, { body: templateBody({ updates }) });
    assertNames(put, "updates.1.description");
  });
}

test("a change based on an older version of a template is rejected", async () => {
  const created = await create();
  const one = `${path}/${created.body.id}`;
  const tag = created.headers.get("etag") ?? "";
  assert.equal((await app.call("GET", one)).headers.get("etag"), tag);
  const put = (body: Body, etag: string) =>
    app.call("PUT", one, { body, headers: { "if-match": etag } });
  const first = await put(templateBody({ name: "First writer" }), tag);
  assert.equal(first.status, 200, first.text);
  assert.equal((await put(templateBody({ name: "Second writer" }), tag)).status, 412);
  const { body, headers } = await app.call("GET", one);
  assert.equal(body.name, "First writer");
  assert.equal(headers.get("etag"), first.headers.get("etag"));
  const next = await put(templateBody({ name: "Next writer" }), headers.get("etag") ?? "");
  assert.equal(next.status, 200);
});

test("a name is unique per account, also under concurrent requests", async () => {
  const answers = await Promise.all(Array.from({ length: 5 }, () => create({ name: "Taken" })));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409, 409]);
  const late = answers.find(({ status }) => status === 409);
  assert.match(late?.body.message, /"Taken"/);
  const { body } = await create();
  const put = await app.call("PUT", `${path}/${body.id}`, {
    body: templateBody({ name: "Taken" }),
  });
  assert.equal(put.status, 409);
  const own = await app.call("PUT", `${path}/${body.id}`, {
    body: templateBody({ name: body.name }),
  });
  assert.equal(own.status, 200);
  assert.equal((await create({ name: "Taken", serviceIds: [] }, stranger.key)).status, 201);
});

test("repeating a request with the same Idempotency-Key creates nothing", async () => {
  const headers = { "idempotency-key": randomUUID() };
  const body = templateBody();
  const send = () => app.call("POST", path, { body, headers });
  const answers = [await send(), await send()];
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 201],
  );
  assert.equal(answers[0]?.body.id, answers[1]?.body.id);
});

test("another account sees nothing, and a reader cannot change anything", async () => {
  const { body } = await create();
  const one = `${path}/${body.id}`;
  const { key } = await createKey(app, "READ_RUN");
  for (const method of ["GET", "DELETE"]) {
    assert.equal((await app.call(method, one, { key: stranger.key })).status, 404);
  }
  const put = { body: templateBody({ serviceIds: [] }), key: stranger.key };
  assert.equal((await app.call("PUT", one, put)).status, 404);
  assert.equal((await app.call("GET", one, { key: null })).status, 401);
  assert.equal((await app.call("GET", one, { key })).status, 200);
  assert.equal((await app.call("DELETE", one, { key })).status, 403);
  assert.equal((await app.call("GET", `${path}/x`)).status, 400);
});

test("each write adds an audit entry", async () => {
  const { body } = await create();
  await app.call("PUT", `${path}/${body.id}`, { body: templateBody() });
  await app.call("DELETE", `${path}/${body.id}`);
  const { rows } = await app.query(
    "select action from audit_entries where target_id = $1 order by id",
    [body.id],
  );
  assert.deepEqual(
    rows.map(({ action }) => action),
    ["created", "updated", "deleted"].map((verb) => `incident-template.${verb}`),
  );
});

test("the number of templates is limited, also under concurrent requests; the list is paginated", async () => {
  const { key, accountId } = stranger;
  await app.query("delete from incident_templates where account_id = $1", [accountId]);
  await app.query(
    `insert into incident_templates (id, account_id, name, template, created_at)
      select gen_random_uuid(), $1, 'T' || n, $3, now() from generate_series(1, $2) n`,
    [
      accountId,
      maxTemplates - 1,
      { incidentName: null, severity: null, serviceIds: [], updates: [] },
    ],
  );
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => create({ serviceIds: [] }, key)),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409]);
  const seen = new Set<string>();
  let nextId: string | null = null;
  do {
    const page: string = nextId === null ? "" : `&nextId=${nextId}`;
    const { body } = await app.call("GET", `${path}?limit=30${page}`, { key });
    for (const entry of body.entries) seen.add(entry.id);
    nextId = body.nextId;
  } while (nextId !== null);
  assert.equal(seen.size, maxTemplates);
});
