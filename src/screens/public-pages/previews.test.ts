import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startTestApp, type TestApp } from "../../../test/support/apps/app.ts";
import { addStranger } from "../../../test/support/apps/cast.ts";
import { createPng, toDataUrl } from "../../../test/support/inputs/pictures.ts";
import {
  createIncident,
  createPage,
  planMaintenance,
} from "../../../test/support/modules/public-page.ts";
import { createService, nextPageUrl } from "../../../test/support/modules/status-pages.ts";
import { defaultPalettes } from "../../pages/status-page/theme.ts";

const publicUrl = "https://vedette.example.org";
let app: TestApp;
before(async () => {
  app = await startTestApp({ PUBLIC_URL: publicUrl });
});
after(() => app.stop());

const show = (path: string) => app.call("GET", path, { key: null });

function preview(body: Readonly<Record<string, unknown>>) {
  return app.call("POST", "/v1/status-pages/previews", { body });
}

async function countPages(): Promise<number> {
  return (await app.query("select count(*)::int as count from status_pages")).rows[0].count;
}

const readMain = (text: string) =>
  /<main[^>]*>([\s\S]*)<\/main>/.exec(text)?.[1]?.replaceAll(/(?:\.\/|\/status\/[\w-]+\/)/g, "/");

test("a preview equals the saved page, and saves nothing", async () => {
  const url = nextPageUrl();
  const serviceId = await createService(app, "Shop & <b>Co</b>");
  await createIncident(app, { serviceIds: [serviceId] });
  const body = {
    name: "Acme status",
    url,
    description: "How we are",
    cards: [{ name: "Web", services: [{ id: serviceId }] }],
  };
  const before = await countPages();
  const answer = await preview(body);
  assert.equal(answer.status, 201);
  assert.equal(await countPages(), before);
  const { light, dark } = answer.body;
  assert.deepEqual(answer.body.themeColors, defaultPalettes, "default colours");
  const onLight = await show(light);
  const onDark = await show(dark);
  assert.match(onLight.text, /<html lang="en" data-theme="light">/);
  assert.match(onDark.text, /<html lang="en" data-theme="dark">/);
  assert.doesNotMatch(onLight.text, /data-version/, "its script does not refresh");
  assert.equal((await app.call("POST", "/v1/status-pages", { body })).status, 201);
  const saved = await show(`/status/${url}/`);
  assert.equal(readMain(onLight.text), readMain(saved.text));
  for (const file of ["page.css", "page.js", "icon.svg"]) {
    const text = (await show(`${light}${file}`)).text;
    assert.equal(text, (await show(`/status/${url}/${file}`)).text, file);
  }
});

test("unsaved colours, images and cards are in the preview", async () => {
  const page = await createPage(app, { url: nextPageUrl(), cards: { Web: ["Checkout"] } });
  const logo = toDataUrl(createPng(3, 5));
  const light = { ...defaultPalettes.light, bodyFontColor: "#F0F0F0" };
  const answer = await preview({
    id: page.id,
    name: "Another name",
    url: page.url,
    cards: [{ name: "New card", services: page.serviceIds.map((id) => ({ id })) }],
    themeColors: { light, dark: defaultPalettes.dark },
    logo,
  });
  assert.equal(answer.status, 201);
  const { text } = await show(answer.body.light);
  assert.match(text, /New card/);
  assert.match(
    text,
    /<img class="logo" src="\.\/images\/logo\?v=[0-9a-f]{64}" alt="Another name">/,
  );
  assert.match((await show(`${answer.body.light}theme.css`)).text, /--bodyFontColor:#F0F0F0/);
  const picture = await fetch(`${app.url}${answer.body.light}images/logo`);
  assert.deepEqual(Buffer.from(await picture.arrayBuffer()), createPng(3, 5));
  assert.equal(picture.headers.get("content-type"), "image/png");
  assert.equal(answer.body.themeColors.light.bodyFontColor, "#F0F0F0");
  const warned = answer.body.contrastWarnings.map(
    (warning: { theme: string; foreground: string }) => `${warning.theme} ${warning.foreground}`,
  );
  assert.deepEqual([...new Set(warned)], ["light bodyFontColor"]);
  assert.doesNotMatch((await show(`${page.path}/`)).text, /New card/);
});

test("omitted images and cards are those of the page, even a private one", async () => {
  const more = { logo: toDataUrl(createPng(7, 7)), isPrivate: true };
  const page = await createPage(app, { url: nextPageUrl(), cards: { Web: ["Billing"] }, more });
  const stored = (await app.call("GET", `/v1/status-pages/${page.id}`)).body;
  const change = {
    id: page.id,
    name: stored.name,
    url: page.url,
    cards: [{ id: stored.cards[0].id, name: "Renamed" }],
  };
  for (const logo of [undefined, stored.logo]) {
    const { body } = await preview({ ...change, logo });
    const picture = await fetch(`${app.url}${body.light}images/logo`);
    assert.deepEqual(Buffer.from(await picture.arrayBuffer()), createPng(7, 7));
    const { text } = await show(body.light);
    assert.match(text, /Renamed/);
    assert.match(text, /Billing/);
  }
  const { body } = await preview({ ...change, logo: null });
  assert.equal((await show(`${body.light}images/logo`)).status, 404);
});

test("a preview is validated like saving", async () => {
  const page = await createPage(app, { url: nextPageUrl(), cards: {} });
  const start = { name: "Acme", url: nextPageUrl(), cards: [] };
  const faults = [
    [{ url: "www" }, "url"],
    [{ redirectTo: "javascript:alert(1)" }, "redirectTo"],
    [{ cards: [{ name: "A", services: [{ id: page.id }] }] }, "cards.0.services.0.id"],
    [{ cards: [{ id: page.id, name: "A" }] }, "cards.0.id"],
    [{ logo: toDataUrl(Buffer.from("<html></html>")) }, "logo"],
    [{ logoDark: "file:///etc/passwd" }, "logoDark"],
    [{ name: "" }, "name"],
  ] as const;
  for (const [more, key] of faults) {
    const answer = await preview({ ...start, ...more });
    assert.equal(answer.status, 400, JSON.stringify(more));
    assert.deepEqual(answer.body.validation.keys, [key], answer.body.message);
  }
  const stranger = await addStranger(app);
  const asked = { key: stranger.key, body: { ...start, id: page.id } };
  assert.equal((await app.call("POST", "/v1/status-pages/previews", asked)).status, 404);
});

test("an overview has headline, URL and subscriber count of every page", async () => {
  const empty = await createPage(app, { url: nextPageUrl(), cards: {} });
  const calm = await createPage(app, { url: nextPageUrl(), cards: { Web: ["Mail"] } });
  const broken = await createPage(app, { url: nextPageUrl(), cards: { Web: ["Pay", "Login"] } });
  const [pay = "", login = ""] = broken.serviceIds;
  await createIncident(app, { serviceIds: [pay], severity: "MAJOR" });
  await createIncident(app, { serviceIds: [pay, login], severity: "MINOR" });
  await planMaintenance(app, { fromMinutes: -1, toMinutes: 10, serviceIds: calm.serviceIds });
  const subscribers = ["ada@example.com", "bob@example.com"].map((config) => ({
    type: "EMAIL",
    config,
  }));
  for (const [subscriptions, autoVerify] of [
    [subscribers, true],
    [[{ type: "EMAIL", config: "not-yet@example.com" }], false],
  ] as const) {
    const body = { subscriptions, autoVerify };
    await app.call("POST", `/v1/status-pages/${broken.id}/subscriptions/bulk`, { body });
  }
  const { status, body } = await app.call("GET", "/v1/status-page-overviews");
  assert.equal(status, 200);
  const find = (id: string) =>
    body.find((one: { statusPageId: string }) => one.statusPageId === id);
  assert.deepEqual(find(empty.id), {
    statusPageId: empty.id,
    address: `${publicUrl}/status/${empty.url}/`,
    state: null,
    sentence: "No services yet",
    isUnderMaintenance: false,
    serviceCount: 0,
    openIncidentCount: 0,
    subscriberCount: 0,
  });
  const { state, sentence, isUnderMaintenance } = find(calm.id);
  assert.deepEqual([state, sentence, isUnderMaintenance], ["passing", "Under maintenance", true]);
  const { address: _, statusPageId: __, ...seen } = find(broken.id);
  assert.deepEqual(seen, {
    state: "failing",
    sentence: "Partial outage",
    isUnderMaintenance: false,
    serviceCount: 2,
    openIncidentCount: 2,
    subscriberCount: 2,
  });
  assert.match((await show(`${broken.path}/`)).text, /Partial outage/);
});

test("open incidents of one page do not lower the count of another page", async () => {
  const loud = await createPage(app, { url: nextPageUrl(), cards: { Web: ["Search"] } });
  const quiet = await createPage(app, { url: nextPageUrl(), cards: { Web: ["Mail", "Files"] } });
  await createIncident(app, { serviceIds: quiet.serviceIds, severity: "MINOR" });
  const updates = [
    [20, "INVESTIGATING", "We are investigating."],
    [10, "RESOLVED", "It works again."],
  ] as const;
  await createIncident(app, { serviceIds: quiet.serviceIds, updates });
  for (let made = 0; made < 101; made += 1) {
    await createIncident(app, { serviceIds: loud.serviceIds, severity: "CRITICAL" });
  }
  const { body } = await app.call("GET", "/v1/status-page-overviews");
  const countOf = (id: string) =>
    body.find((one: { statusPageId: string }) => one.statusPageId === id).openIncidentCount;
  assert.deepEqual([countOf(quiet.id), countOf(loud.id)], [1, 101]);
});
