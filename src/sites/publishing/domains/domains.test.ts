/** From the DNS record to the served page, with a test name server. */
import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before, beforeEach, test } from "node:test";
import { startTestApp, type TestApp } from "../../../../test/support/apps/app.ts";
import { addStranger, createKey, type Stranger } from "../../../../test/support/apps/cast.ts";
import { addDashboard } from "../../../../test/support/modules/dashboards.ts";
import { createStatusPage, nextPageUrl } from "../../../../test/support/modules/status-pages.ts";
import { type DnsZone, startDnsZone } from "../../../../test/support/servers/dns-zone.ts";
import { waitUntil } from "../../../../test/support/time/wait-until.ts";

const dayMs = 86_400_000;
const closers: (() => unknown)[] = [];
let zone: DnsZone;
let app: TestApp;
before(async () => {
  zone = await startDnsZone({ after: (close) => closers.push(close as () => unknown) });
  app = await startTestApp({
    BUILT_IN_PROBE: "false",
    PUBLIC_URL: "http://watch.test",
    DOMAIN_PROOF: "required",
    DOMAIN_DNS_SERVERS: zone.server,
  });
});
after(async () => {
  await app.stop();
  for (const close of closers) close();
});
beforeEach(() => {
  zone.fault = "none";
  // The verification limit is one per minute.
  app.clock.advance(60_000);
});

function ask(host: string, path = "/"): Promise<{ status: number; text: string }> {
  const { port } = new URL(app.url);
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, headers: { host } }, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (chunk) => {
        text += chunk;
      });
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text }));
    });
    sent.on("error", reject).end();
  });
}

const shows = async (host: string, words: string) => (await ask(host)).text.includes(words);

async function check(path: string, key?: string) {
  const answer = await app.call("POST", `${path}/domain/check`, key === undefined ? {} : { key });
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}
const pathOf = ({ id }: { readonly id: string }) => `/v1/status-pages/${id}`;

test("a page is served under its domain as soon as its TXT record is found", async () => {
  const page = await createStatusPage(app, { name: "Proved page", customDomain: "One.Acme.test." });
  const { status, body } = await app.call("GET", `${pathOf(page)}/domain`);
  assert.equal(status, 200);
  assert.equal(body.domain, "one.acme.test");
  const [record, alias] = body.records;
  assert.equal(record.name, "_vedette-challenge.one.acme.test");
  assert.deepEqual(alias, {
    type: "CNAME",
    name: "one.acme.test",
    value: "watch.test",
    isSeen: false,
  });
  const unseen = await check(pathOf(page));
  assert.deepEqual(
    [unseen.status, unseen.isServed, unseen.lastOutcome],
    ["PENDING", false, "NO_RECORD"],
  );
  assert.equal(await shows("one.acme.test", "Proved page"), false);
  zone.texts.set(record.name, ["v=spf1 -all", "x".repeat(300), `"${record.value}"`]);
  const seen = await check(pathOf(page));
  assert.deepEqual([seen.status, seen.provedBy, seen.isServed], ["VERIFIED", "TXT", true]);
  assert.equal(seen.records[0].isSeen, true);
  await waitUntil("the page is served", () => shows("one.acme.test", "Proved page"));
  assert.equal((await ask("ONE.acme.test.:8080")).status, 200);
});

test("the loop finds a record by itself, and mail links use the domain only then", async () => {
  const page = await createStatusPage(app, { name: "Loop page", customDomain: "two.acme.test" });
  const feed = () => app.call("GET", `/status/${page.url}/feed.json`, { key: null });
  assert.match((await feed()).text, new RegExp(`http://watch.test/status/${page.url}/`));
  const readDomain = async () => (await app.call("GET", `${pathOf(page)}/domain`)).body;
  await waitUntil("it was looked at", async () => (await readDomain()).lastLookAt !== null);
  const [record] = (await readDomain()).records;
  zone.texts.set(record.name, [record.value]);
  app.clock.advance(60_000);
  await waitUntil("the page is served", () => shows("two.acme.test", "Loop page"));
  await waitUntil("links lead there", async () =>
    (await feed()).text.includes("http://two.acme.test/"),
  );
});

test("a CNAME to this server is proof, through a chain and in any case", async () => {
  const page = await createStatusPage(app, { customDomain: "three.acme.test" });
  zone.aliases.set("three.acme.test", "Edge.Acme.test");
  zone.aliases.set("edge.acme.test", "elsewhere.test");
  assert.equal((await check(pathOf(page))).status, "PENDING");
  zone.aliases.set("edge.acme.test", "WATCH.test.");
  const seen = await check(pathOf(page));
  assert.deepEqual([seen.status, seen.provedBy], ["VERIFIED", "CNAME"]);
  zone.aliases.set("loop-a.acme.test", "loop-b.acme.test");
  zone.aliases.set("loop-b.acme.test", "loop-a.acme.test");
  const round = await createStatusPage(app, { customDomain: "loop-a.acme.test" });
  assert.equal((await check(pathOf(round))).lastOutcome, "NO_RECORD");
});

test("an international name is looked up in ASCII and shown in Unicode", async () => {
  const page = await createStatusPage(app, { customDomain: "münchen.test" });
  const { body } = await app.call("GET", `${pathOf(page)}/domain`);
  assert.deepEqual([body.domain, body.unicodeDomain], ["xn--mnchen-3ya.test", "münchen.test"]);
  zone.texts.set("_vedette-challenge.xn--mnchen-3ya.test", [body.records[0].value]);
  assert.equal((await check(pathOf(page))).status, "VERIFIED");
});

test("an answer too large for a datagram is read completely", async () => {
  const page = await createStatusPage(app, { customDomain: "many.acme.test" });
  const { body } = await app.call("GET", `${pathOf(page)}/domain`);
  const texts = Array.from({ length: 20 }, (_, index) => `${index} ${"y".repeat(200)}`);
  zone.texts.set(body.records[0].name, texts);
  const other = await check(pathOf(page));
  assert.deepEqual([other.lastOutcome, other.found.length], ["OTHER_VALUE", 5]);
  zone.texts.set(body.records[0].name, [...texts, body.records[0].value]);
  assert.equal((await check(pathOf(page))).status, "VERIFIED");
});

test("failing name servers change nothing, and a lost record has a grace period of a week", async () => {
  const page = await createStatusPage(app, { name: "Grace", customDomain: "four.acme.test" });
  const { body } = await app.call("GET", `${pathOf(page)}/domain`);
  const { name, value } = body.records[0];
  zone.texts.set(name, [value]);
  assert.equal((await check(pathOf(page))).status, "VERIFIED");
  zone.fault = "failing";
  const unknown = await check(pathOf(page));
  assert.deepEqual([unknown.status, unknown.lastOutcome], ["VERIFIED", "NO_ANSWER"]);
  zone.fault = "none";
  zone.texts.delete(name);
  const missing = await check(pathOf(page));
  assert.deepEqual([missing.status, missing.isServed], ["MISSING", true]);
  const spanMs = Date.parse(missing.servedUntil) - Date.parse(missing.missingSince);
  assert.equal(spanMs, 7 * dayMs);
  await waitUntil("it is served on", () => shows("four.acme.test", "Grace"));
  app.clock.advance(7 * dayMs);
  const over = await check(pathOf(page));
  assert.deepEqual([over.status, over.isServed, over.servedUntil], ["PENDING", false, null]);
  await waitUntil("it is no longer served", async () => !(await shows("four.acme.test", "Grace")));
});

test("a dashboard proves its domain like a status page", async () => {
  const { dashboardId } = await addDashboard(app, {
    header: "Wall of proof",
    customDomain: "wall.acme.test",
  });
  const path = `/v1/dashboards/${dashboardId}`;
  const { body } = await app.call("GET", `${path}/domain`);
  assert.equal(body.status, "PENDING");
  assert.equal(await shows("wall.acme.test", "Wall of proof"), false);
  zone.texts.set(body.records[0].name, [body.records[0].value]);
  assert.equal((await check(path)).status, "VERIFIED");
  await waitUntil("it is served", () => shows("wall.acme.test", "Wall of proof"));
});

test("access is checked, and unknown pages are not found", async () => {
  const bare = await createStatusPage(app);
  const path = `${pathOf(bare)}/domain`;
  assert.equal((await app.call("GET", path)).status, 404);
  assert.equal((await app.call("POST", `${path}/check`)).status, 404);
  assert.equal((await app.call("GET", "/v1/status-pages/five/domain")).status, 400);
  const { dashboardId } = await addDashboard(app, { header: "Bare" });
  assert.equal((await app.call("GET", `/v1/dashboards/${dashboardId}/domain`)).status, 404);
  const page = await createStatusPage(app, { customDomain: "asked.acme.test" });
  const { key } = await createKey(app, "READ_ONLY");
  assert.equal((await app.call("GET", `${pathOf(page)}/domain`, { key })).status, 200);
  assert.equal((await app.call("POST", `${pathOf(page)}/domain/check`, { key })).status, 403);
  const answers = await Promise.all(
    Array.from({ length: 21 }, () => app.call("POST", `${pathOf(page)}/domain/check`)),
  );
  assert.equal(answers.filter(({ status }) => status === 429).length, 1);
});

/** Last, because from here on the server has two accounts. */
test("two accounts may claim one name, and only the one with proof gets it", async () => {
  const stranger: Stranger = await addStranger(app);
  const domain = "shared.acme.test";
  const mine = await createStatusPage(app, { name: "Mine", customDomain: domain });
  const made = await app.call("POST", "/v1/status-pages", {
    key: stranger.key,
    body: { name: "Theirs", url: nextPageUrl(), cards: [], customDomain: domain },
  });
  assert.equal(made.status, 201, made.text);
  const again = await app.call("POST", "/v1/status-pages", {
    body: { name: "Twice", url: nextPageUrl(), cards: [], customDomain: domain },
  });
  assert.deepEqual([again.status, again.body.message], [409, `customDomain ${domain} is taken`]);
  // A CNAME does not show which of the two accounts it is for.
  zone.aliases.set(domain, "watch.test");
  const alone = await check(pathOf(mine));
  assert.deepEqual([alone.status, alone.records.length], ["PENDING", 1]);
  const theirs = await app.call("GET", `${pathOf(made.body)}/domain`, { key: stranger.key });
  assert.notEqual(theirs.body.records[0].value, alone.records[0].value);
  zone.texts.set(alone.records[0].name, [theirs.body.records[0].value]);
  assert.equal((await check(pathOf(mine))).status, "TAKEN");
  await waitUntil("theirs is served", () => shows(domain, "Theirs"));
  zone.texts.set(alone.records[0].name, [alone.records[0].value]);
  assert.equal((await check(pathOf(mine))).status, "VERIFIED");
  await waitUntil("mine is served", () => shows(domain, "Mine"));
  await app.call("DELETE", pathOf(mine));
  await waitUntil("mine is gone", async () => !(await shows(domain, "Mine")));
  assert.equal((await app.call("GET", `${pathOf(mine)}/domain`)).status, 404);
});
