import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TestApp } from "../../../test/support/apps/app.ts";
import { addStranger, createKey, type Stranger } from "../../../test/support/apps/cast.ts";
import { shareTestApp } from "../../../test/support/apps/shared-app.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";
import { filteredSheets } from "../../sites/publishing/custom-css/page-css.ts";

let app: TestApp;
let stranger: Stranger;
before(async () => {
  app = await shareTestApp();
  stranger = await addStranger(app);
});
after(() => app.stop());

const create = (body: Readonly<Record<string, unknown>>, more = {}) =>
  app.call("POST", "/v1/dashboards", { body: { header: "Wall", ...body }, ...more });
const put = (id: string, body: unknown, headers = {}) =>
  app.call("PUT", `/v1/dashboards/${id}`, { body, headers });

test("a dashboard needs only a header, and its response starts with dashboardId", async () => {
  const { status, body, text, headers } = await create({});
  assert.equal(status, 201);
  assert.equal(Object.keys(JSON.parse(text))[0], "dashboardId");
  assert.match(body.dashboardId, /^[a-z0-9]{8}$/);
  assert.ok(headers.get("etag"));
  const { dashboardId, id, keys, ...rest } = body;
  assert.equal(keys.length, 1);
  assert.equal(Number.isInteger(id), true);
  assert.deepEqual(rest, {
    customUrl: null,
    customDomain: null,
    logo: null,
    favicon: null,
    link: null,
    header: "Wall",
    description: null,
    width: "FULL",
    layout: "TABLE",
    refreshRate: 60,
    paginate: true,
    paginationRate: 60,
    sortByStatus: false,
    checksPerPage: 15,
    useTagsAndOperator: false,
    hideTags: false,
    enableIncidents: false,
    expandChecks: false,
    tags: [],
    showHeader: true,
    showCheckRunLinks: false,
    showGroupNames: true,
    customCSS: "",
    isPrivate: true,
    showP95: true,
    showP99: true,
    cssWarnings: [],
    created_at: "2026-11-15T12:00:00.000Z",
    updated_at: null,
  });
});

test("every setting is stored and returned as sent", async () => {
  const settings = {
    header: "North Sea",
    customUrl: "North-Sea",
    customDomain: "wall.example.org",
    logo: "https://example.org/logo.png",
    favicon: "https://example.org/favicon.ico",
    link: "https://example.org/",
    description: "Everything north of the dyke",
    width: "960PX",
    refreshRate: 300,
    paginate: false,
    paginationRate: 30,
    sortByStatus: true,
    checksPerPage: 20,
    useTagsAndOperator: true,
    hideTags: true,
    enableIncidents: true,
    expandChecks: true,
    tags: ["sea", "north"],
    showHeader: false,
    showCheckRunLinks: true,
    showGroupNames: false,
    customCSS: ".check { color: red }",
    isPrivate: true,
    showP95: false,
    showP99: false,
  };
  const { body: made } = await create(settings);
  const { body: found } = await app.call("GET", `/v1/dashboards/${made.dashboardId}`);
  for (const [name, value] of Object.entries(settings)) assert.deepEqual(found[name], value, name);
  for (const [type, value] of [
    ["customUrl", "north-sea"],
    ["customUrl", "NORTH-SEA"],
    ["customDomain", "Wall.Example.org"],
    ["customDomain", "https://wall.example.org/"],
  ] as const) {
    const answer = await app.call(
      "GET",
      `/v1/dashboards/${encodeURIComponent(value)}?type=${type}`,
    );
    assert.equal(answer.body.dashboardId, made.dashboardId, type);
  }
  assert.equal((await app.call("GET", "/v1/dashboards/north-sea")).status, 404);
  assert.equal((await app.call("GET", "/v1/dashboards/x?type=header")).status, 400);
});

const rejected: readonly (readonly [string, unknown])[] = [
  ["header", ""],
  ["header", "  "],
  ["header", "x".repeat(256)],
  ["header", null],
  ["customUrl", "a b"],
  ["customUrl", "-a"],
  ["customUrl", "../etc"],
  ["customUrl", "admin"],
  ["customUrl", "x".repeat(64)],
  ["customUrl", 7],
  ["customDomain", "localhost"],
  ["customDomain", "192.0.2.1"],
  ["customDomain", "https://example.org/path"],
  ["customDomain", "example.org:8080"],
  ["customDomain", "exa mple.org"],
  ["logo", "javascript:alert(1)"],
  ["logo", "ftp://example.org/x.png"],
  ["logo", "http://127.0.0.1/x.png"],
  ["favicon", "data:text/html;base64,PGI+"],
  ["link", "javascript:alert(1)"],
  ["link", "data:text/html,x"],
  ["link", "/relative"],
  ["description", "x".repeat(1_001)],
  ["width", "full"],
  ["width", null],
  ["refreshRate", 61],
  ["refreshRate", "60"],
  ["refreshRate", 0],
  ["paginationRate", 10],
  ["paginationRate", 29.5],
  ["checksPerPage", 0],
  ["checksPerPage", 21],
  ["checksPerPage", 1.5],
  ["checksPerPage", "15"],
  ["paginate", "true"],
  ["tags", "one"],
  ["tags", [""]],
  ["tags", Array.from({ length: 51 }, (_, n) => `tag ${n}`)],
  ["tags", ["x".repeat(256)]],
  ["customCSS", "x".repeat(65_537)],
  ["isPrivate", 1],
  ["showP95", null],
];

for (const [field, value] of rejected) {
  const shown = JSON.stringify(value).slice(0, 40);
  test(`${field} ${shown} is rejected, naming the field, on creation and on update`, async () => {
    const { body: made } = await create({});
    for (const answer of [
      await create({ [field]: value }),
      await put(made.dashboardId, { [field]: value }),
    ]) {
      assert.equal(answer.status, 400, answer.text);
      assert.equal(answer.body.validation.keys[0].split(".")[0], field);
      assert.match(answer.body.message, new RegExp(`^${field}`));
    }
  });
}

test("limits are inclusive, and null or an empty address resets a setting", async () => {
  const { body: made } = await create({
    checksPerPage: 1,
    tags: Array.from({ length: 50 }, (_, n) => `tag ${n}`),
    customUrl: "bounds",
    link: "https://example.org",
    description: "x".repeat(1_000),
    useTagsAndOperator: true,
    customCSS: "/**/",
  });
  assert.equal(made.checksPerPage, 1);
  const reset = {
    checksPerPage: null,
    customUrl: "",
    link: null,
    description: null,
    useTagsAndOperator: null,
    customCSS: null,
  };
  const { status, body } = await put(made.dashboardId, reset);
  assert.equal(status, 200);
  assert.deepEqual(
    [
      body.checksPerPage,
      body.customUrl,
      body.link,
      body.description,
      body.useTagsAndOperator,
      body.customCSS,
    ],
    [15, null, null, null, false, ""],
  );
  assert.equal(body.tags.length, 50);
  assert.equal((await create({ customUrl: "bounds" })).status, 201);
});

test("read-only and unknown fields are ignored", async () => {
  const { status, body } = await create({
    id: 7,
    dashboardId: "hijacked",
    created_at: "",
    updated_at: "",
    accountId: stranger.accountId,
    cssWarnings: [1],
    keys: [],
    nonsense: {},
  });
  assert.equal(status, 201);
  assert.notEqual(body.dashboardId, "hijacked");
  assert.notEqual(body.id, 7);
  const changed = await put(body.dashboardId, { dashboardId: "hijacked", id: 1, header: "New" });
  assert.equal(changed.body.dashboardId, body.dashboardId);
  assert.equal(changed.body.header, "New");
  assert.equal(
    (await create({}, { rawBody: '{"header":"x","__proto__":{"a":1}}', body: undefined })).status,
    400,
  );
});

test("a customUrl in use receives 409, in any case and account", async () => {
  assert.equal((await create({ customUrl: "Harbour" })).status, 201);
  for (const key of [undefined, stranger.key]) {
    const answer = await create({ customUrl: "hARBOUR" }, key === undefined ? {} : { key });
    assert.equal(answer.status, 409);
    assert.match(answer.body.message, /customUrl/);
    assert.deepEqual([answer.body.statusCode, answer.body.error], [409, "Conflict"]);
  }
  const { body: other } = await create({ customUrl: "quay" });
  const moved = await put(other.dashboardId, { customUrl: "harbour" });
  assert.equal(moved.status, 409);
  const kept = await app.call("GET", `/v1/dashboards/${other.dashboardId}`);
  assert.equal(kept.body.customUrl, "quay");
  assert.equal((await put(other.dashboardId, { customUrl: "Quay", header: "x" })).status, 200);
});

test("a customDomain in use receives 409, in any case and account", async () => {
  assert.equal((await create({ customDomain: "dash.example.net" })).status, 201);
  const answer = await create({ customDomain: "DASH.example.net" }, { key: stranger.key });
  assert.equal(answer.status, 409);
  assert.match(answer.body.message, /customDomain/);
  const whole = await create({ customDomain: "https://other.example.net/" });
  assert.equal(whole.body.customDomain, "other.example.net");
});

test("the id of a dashboard cannot be used as a custom address", async () => {
  const { body: made } = await create({});
  const answer = await create({ customUrl: made.dashboardId }, { key: stranger.key });
  assert.equal(answer.status, 409);
});

for (const field of ["customUrl", "customDomain"] as const) {
  test(`of twenty concurrent requests for the same ${field}, exactly one succeeds`, async () => {
    const value = field === "customUrl" ? "RaCe" : "race.example.net";
    const spell = (n: number) => (n % 2 === 0 ? value.toUpperCase() : value.toLowerCase());
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        create({ [field]: spell(n) }, n % 3 === 0 ? { key: stranger.key } : {}),
      ),
    );
    const statuses = answers.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [201, ...Array(19).fill(409)]);
    for (const { status, body } of answers) {
      if (status === 409) assert.match(body.message, new RegExp(field));
    }
    const { rows } = await app.query(
      "select count(*)::int as n from dashboards where lower(settings->>$1) = $2",
      [field, value.toLowerCase()],
    );
    assert.equal(rows[0].n, 1);
  });
}

test("a name is available again when its dashboard is deleted or renamed", async () => {
  const { body: one } = await create({ customUrl: "free-1", customDomain: "free.example.net" });
  await put(one.dashboardId, { customUrl: "free-2" });
  const { body: two, status } = await create({ customUrl: "free-1" });
  assert.equal(status, 201);
  assert.equal((await app.call("DELETE", `/v1/dashboards/${one.dashboardId}`)).status, 204);
  assert.equal((await app.call("GET", `/v1/dashboards/${one.dashboardId}`)).status, 404);
  assert.equal((await app.call("DELETE", `/v1/dashboards/${one.dashboardId}`)).status, 404);
  const again = { customUrl: "free-2", customDomain: "free.example.net" };
  assert.equal((await put(two.dashboardId, again)).status, 200);
});

test("deleting a dashboard deletes its keys, addresses and images", async () => {
  const { body: made } = await create({
    isPrivate: true,
    customDomain: "gone.example.net",
    logo: "https://example.org/a.png",
  });
  await app.call("DELETE", `/v1/dashboards/${made.dashboardId}`);
  for (const table of ["page_keys", "page_names", "page_images"]) {
    const { rows } = await app.query(`select 1 from ${table} where page_id = $1`, [
      made.dashboardId,
    ]);
    assert.equal(rows.length, 0, table);
  }
});

test("an update with an outdated ETag receives 412", async () => {
  const { body: made, headers } = await create({});
  const tag = headers.get("etag") ?? "";
  const first = await put(made.dashboardId, { header: "One" }, { "if-match": tag });
  assert.equal(first.status, 200);
  const second = await put(made.dashboardId, { header: "Two" }, { "if-match": tag });
  assert.equal(second.status, 412);
  const now = await app.call("GET", `/v1/dashboards/${made.dashboardId}`);
  assert.equal(now.body.header, "One");
  assert.equal(now.headers.get("etag"), first.headers.get("etag"));
  const third = await put(
    made.dashboardId,
    { header: "Three" },
    { "if-match": now.headers.get("etag") ?? "" },
  );
  assert.equal(third.status, 200);
});

test("repeating a request with the same Idempotency-Key creates one dashboard", async () => {
  const headers = { "idempotency-key": "wall-once" };
  const body = { header: "Once", customUrl: "once" };
  const answers = await Promise.all([
    create(body, { headers }),
    create(body, { headers }),
    create(body, { headers }),
  ]);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 201, 201],
  );
  assert.equal(new Set(answers.map(({ body: one }) => one.dashboardId)).size, 1);
  assert.equal((await create({ header: "Other" }, { headers })).status, 409);
});

test("the list has pages and a total, and nothing of another account", async () => {
  const reader = await createKey(app, "READ_ONLY");
  const first = await app.call("GET", "/v1/dashboards?limit=2&page=1", { key: reader.key });
  const second = await app.call("GET", "/v1/dashboards?limit=2&page=2", { key: reader.key });
  assert.equal(first.body.length, 2);
  assert.match(first.headers.get("content-range") ?? "", /^items 0-1\/\d+$/);
  assert.notEqual(first.body[0].dashboardId, second.body[0].dashboardId);
  const { body: mine } = await app.call("GET", "/v1/dashboards?limit=100");
  const { body: theirs } = await app.call("GET", "/v1/dashboards?limit=100", { key: stranger.key });
  const ids = new Set(mine.map((one: { dashboardId: string }) => one.dashboardId));
  assert.ok(theirs.every((one: { dashboardId: string }) => !ids.has(one.dashboardId)));
  assert.equal((await app.call("GET", "/v1/dashboards?limit=101")).status, 400);
});

test("removed CSS is reported, and the source is stored unchanged", async () => {
  const customCSS = ".check { color: red; position: fixed }\n@import 'x';";
  const { body } = await create({ customCSS });
  assert.equal(body.customCSS, customCSS);
  assert.deepEqual(body.cssWarnings, [
    { line: 1, column: 22, message: "removed: position: fixed" },
    { line: 2, column: 1, message: 'removed: @import "x"' },
  ]);
  const { body: found } = await app.call("GET", `/v1/dashboards/${body.dashboardId}`);
  assert.deepEqual(found.cssWarnings, body.cssWarnings);
  const { body: renamed } = await put(body.dashboardId, { header: "Other" });
  assert.deepEqual(renamed.cssWarnings, body.cssWarnings);
  assert.deepEqual((await put(body.dashboardId, { customCSS: null })).body.cssWarnings, []);
});

test("a dashboard stays readable while the CSS of a change is filtered", async (context) => {
  const { body } = await create({});
  const filtering = Promise.withResolvers<null>();
  const { mock: read } = context.mock.method(filteredSheets, "read", () => filtering.promise);
  const slow = put(body.dashboardId, { customCSS: ".a{}" });
  await waitUntil("the CSS is being filtered", () => read.callCount() === 1);
  assert.equal((await put(body.dashboardId, { header: "Other" })).status, 200);
  filtering.resolve(null);
  assert.equal((await slow).status, 400);
});

test("ids are case-insensitive for reading, changing and deleting", async () => {
  const { body } = await app.call("POST", "/v1/dashboards", { body: { header: "Case" } });
  const path = `/v1/dashboards/${body.dashboardId.toUpperCase()}`;
  assert.equal((await app.call("GET", path)).body.dashboardId, body.dashboardId);
  const changed = await app.call("PUT", path, { body: { customUrl: "any-case" } });
  assert.equal(changed.status, 200);
  assert.equal((await app.call("DELETE", path)).status, 204);
  assert.equal((await app.call("GET", path)).status, 404);
});
