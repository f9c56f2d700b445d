import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import type { TestApp } from "../../../../test/support/apps/app.ts";
import { addStranger, type Stranger } from "../../../../test/support/apps/cast.ts";
import { shareTestApp } from "../../../../test/support/apps/shared-app.ts";
import {
  createService,
  createStatusPage,
  nextPageUrl,
} from "../../../../test/support/modules/status-pages.ts";

let app: TestApp;
let stranger: Stranger;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
  stranger = await addStranger(app);
});
after(() => app.stop());

type Fields = Record<string, unknown>;

async function send(method: string, path: string, body?: Fields, status = 200) {
  const answer = await app.call(method, path, { ...(body && { body }) });
  assert.equal(answer.status, status, answer.text);
  return answer.body;
}

async function createPage(more: Fields = {}) {
  return send("POST", "/v3/status-pages", { name: "Acme", url: nextPageUrl(), ...more }, 201);
}

const add = (pageId: string, body: Fields, status = 201) =>
  send("POST", `/v3/status-pages/${pageId}/components`, body, status);
const list = async (pageId: string) =>
  (await send("GET", `/v3/status-pages/${pageId}/components?limit=100`)).entries;
const cardsOf = async (pageId: string) =>
  (await send("GET", `/v1/status-pages/${pageId}`)).cards.map(
    ({ name, services }: { name: string; services: { name: string }[] }) => [
      name,
      ...services.map((service) => service.name),
    ],
  );

test("a page has every field, keeps what an update omits, and is deleted", async () => {
  const url = `Upper-${nextPageUrl()}`;
  const sent = {
    description: "d",
    defaultTheme: "DARK",
    supportLink: "https://example.test/support",
    privacyPolicyLink: "https://example.test/privacy",
    termsOfServiceLink: "https://example.test/terms",
    footerText: "Foot",
    googleAnalyticsTag: "G-1",
    allowIndexing: false,
    themeColors: { light: { bodyBackgroundColor: "#FFFFFF" } },
  };
  const page = await createPage({ ...sent, url, version: 3 });
  const { id, themeColors, ...rest } = page;
  assert.equal(themeColors.light.bodyBackgroundColor, "#FFFFFF");
  assert.equal(themeColors.dark.bodyBackgroundColor, "#0F141B");
  const { themeColors: _colors, ...others } = sent;
  assert.deepEqual({ ...rest, ...others, url: url.toLowerCase(), version: 3 }, rest);
  const path = `/v3/status-pages/${id}`;
  const changed = await send("PUT", path, { name: "New", url, supportLink: "" });
  assert.deepEqual({ ...page, name: "New", supportLink: null }, { ...changed, updated_at: null });
  const old = await send("GET", `/v1/status-pages/${id}`);
  assert.deepEqual(old.footerLinks, [
    { name: "Privacy policy", url: "https://example.test/privacy" },
    { name: "Terms of service", url: "https://example.test/terms" },
  ]);
  const { text } = await app.call("GET", `/status/${page.url}/`);
  assert.match(text, /<meta name="robots" content="noindex">/);
  assert.equal(/G-1/.test(text), false);
  const { entries } = await send("GET", "/v3/status-pages?limit=100");
  assert.ok(entries.some((one: { id: string }) => one.id === id));
  await send("DELETE", path, undefined, 204);
  for (const method of ["GET", "DELETE"]) await send(method, path, undefined, 404);
  await send("PUT", path, { name: "New", url }, 404);
});

test("invalid and taken pages are rejected", async () => {
  const { url } = await createPage();
  await send("POST", "/v3/status-pages", { name: "Two", url }, 409);
  const bad: [string, Fields][] = [
    ["url", { url: "-x" }],
    ["name", { name: "" }],
    ["supportLink", { supportLink: 1 }],
    ["redirectTo", { redirectTo: "ftp://example.test" }],
    ["headerLinks", { supportLink: "javascript:alert(1)" }],
    ["version", { version: 2 }],
  ];
  for (const [field, body] of bad) {
    const whole = { name: "Acme", url: nextPageUrl(), ...body };
    const { message } = await send("POST", "/v3/status-pages", whole, 400);
    assert.match(message, new RegExp(field));
  }
});

test("components are the cards and services of the page, in both directions", async () => {
  const { id } = await createPage();
  const group = await add(id, { type: "GROUP", name: "Core", displayOrder: 10 });
  const api = await add(id, { name: "API", displayOrder: 20, parentId: group.id });
  const web = await add(id, { name: "Web", displayOrder: 5 });
  assert.deepEqual(await cardsOf(id), [
    ["Services", "Web"],
    ["Core", "API"],
  ]);
  const { serviceId, created_at: _created, updated_at: _updated, ...shown } = api;
  assert.deepEqual(shown, {
    ...{ id: api.id, statusPageId: id, type: "SERVICE", name: "API", description: null },
    ...{ displayOrder: 20, hidden: false, parentId: group.id },
    configuration: { showHistoricalData: true },
  });
  assert.equal((await send("GET", `/v1/status-pages/services/${serviceId}`)).name, "API");
  assert.deepEqual(
    (await list(id)).map(({ id: one }: { id: string }) => one),
    [web.id, group.id, api.id],
  );

  const page = await send("GET", `/v1/status-pages/${id}`);
  const other = await createService(app, "Search");
  const cards = page.cards.map((card: { id: string; name: string; services: object[] }) => ({
    ...card,
    name: card.name === "Core" ? "Kernel" : card.name,
    services: card.name === "Core" ? [...card.services, { id: other }] : card.services,
  }));
  await send("PUT", `/v1/status-pages/${id}`, { name: "Acme", url: page.url, cards });
  const after = await list(id);
  const told = after.map((one: Fields) => [one.id, one.name, one.displayOrder, one.parentId]);
  assert.deepEqual(told.slice(0, 3), [
    [web.id, "Web", 5, null],
    [group.id, "Kernel", 10, null],
    [api.id, "API", 20, group.id],
  ]);
  assert.deepEqual(told[3]?.slice(1), ["Search", 21, group.id]);

  const path = `/v3/status-pages/${id}/components`;
  const moved = await send("PUT", `${path}/${api.id}`, {
    ...{ name: "Public API", displayOrder: 1, parentId: null, description: "REST" },
    configuration: { showHistoricalData: false },
  });
  assert.deepEqual([moved.parentId, moved.description], [null, "REST"]);
  assert.equal((await send("GET", `/v1/status-pages/services/${serviceId}`)).name, "Public API");
  assert.deepEqual(await cardsOf(id), [
    ["Services", "Public API", "Web"],
    ["Kernel", "Search"],
  ]);
  await send("DELETE", `${path}/${group.id}`, undefined, 204);
  assert.deepEqual((await cardsOf(id))[0], ["Services", "Public API", "Web", "Search"]);
});

test("visitors see descriptions, and neither hidden components nor hidden history", async () => {
  const { id, url } = await createPage();
  const group = await add(id, { type: "GROUP", name: "Backend", displayOrder: 0, hidden: true });
  await add(id, { name: "Inner", displayOrder: 0, parentId: group.id });
  await add(id, { name: "Secret", displayOrder: 1, hidden: true });
  const plain = { configuration: { showHistoricalData: false } };
  await add(id, { name: "Shown", displayOrder: 2, description: "About it", ...plain });
  const { text } = await app.call("GET", `/status/${url}/`);
  assert.match(text, /Shown[\s\S]*About it/);
  assert.equal(/Backend|Inner|Secret|class="days/.test(text), false);
  const summary = await app.call("GET", `/status/${url}/summary.json`);
  assert.equal(/Secret|Inner/.test(summary.text), false);
});

test("a service is deleted with its component unless something else uses it", async () => {
  const { id } = await createPage();
  const [own, shared, triggered] = [
    await add(id, { name: "Own", displayOrder: 0 }),
    await add(id, { name: "Shared", displayOrder: 1 }),
    await add(id, { name: "Triggered", displayOrder: 2 }),
  ];
  const cards = [{ name: "Card", services: [{ id: shared.serviceId }] }];
  await createStatusPage(app, { cards });
  const texts = { name: "Down", description: "Down", severity: "MAJOR", notifySubscribers: false };
  const triggerIncident = { ...texts, serviceId: triggered.serviceId };
  const request = { hostname: "192.0.2.1" };
  await send("POST", "/v1/checks/icmp", { name: "P", request, triggerIncident }, 201);
  const path = `/v3/status-pages/${id}/components`;
  const service = (component: Fields, status: number) =>
    send("GET", `/v1/status-pages/services/${component.serviceId}`, undefined, status);
  await send("DELETE", `${path}/${own.id}`, undefined, 204);
  await service(own, 404);
  await send("DELETE", `${path}/${shared.id}`, undefined, 204);
  await service(shared, 200);
  const last = await add(id, { name: "Last", displayOrder: 3 });
  await send("DELETE", `/v3/status-pages/${id}`, undefined, 204);
  await service(last, 404);
  await service(triggered, 200);
});

test("components that do not fit are rejected, and those of others are not found", async () => {
  const { id } = await createPage();
  const { id: other } = await createPage();
  const group = await add(id, { type: "GROUP", name: "G", displayOrder: 0 });
  const service = await add(id, { name: "S", displayOrder: 0 });
  const bad: [string, Fields][] = [
    ["name", { name: " ", displayOrder: 0 }],
    ["displayOrder", { name: "X" }],
    ["displayOrder", { name: "X", displayOrder: -1 }],
    ["type", { name: "X", displayOrder: 0, type: "PAGE" }],
    ["parentId", { name: "X", displayOrder: 0, parentId: service.id }],
    ["parentId", { name: "X", displayOrder: 0, parentId: randomUUID() }],
    ["parentId", { name: "X", displayOrder: 0, type: "GROUP", parentId: group.id }],
  ];
  for (const [field, body] of bad) {
    const { message } = await add(id, body, 400);
    assert.match(message, new RegExp(field), JSON.stringify(body));
  }
  await add(other, { name: "X", displayOrder: 0, parentId: group.id }, 400);
  await add(randomUUID(), { name: "X", displayOrder: 0 }, 404);
  const body = { name: "X", displayOrder: 0 };
  const path = `/v3/status-pages/${id}/components/${service.id}`;
  await send("PUT", path, { ...body, type: "GROUP" }, 400);
  const elsewhere = `/v3/status-pages/${other}/components/${service.id}`;
  await send("PUT", elsewhere, body, 404);
  for (const method of ["GET", "DELETE"]) await send(method, elsewhere, undefined, 404);
  const { key } = stranger;
  assert.equal((await app.call("GET", path, { key })).status, 404);
  assert.equal((await app.call("PUT", path, { key, body })).status, 404);
});

test("a list of components is paginated", async () => {
  const { id } = await createPage();
  for (const name of ["A", "B", "C"]) await add(id, { name, displayOrder: 0 });
  const path = `/v3/status-pages/${id}/components`;
  const first = await send("GET", `${path}?limit=2`);
  const second = await send("GET", `${path}?limit=2&nextId=${first.nextId}`);
  const names = [...first.entries, ...second.entries].map((one: Fields) => one.name);
  assert.deepEqual([names.toSorted(), second.nextId], [["A", "B", "C"], null]);
});
