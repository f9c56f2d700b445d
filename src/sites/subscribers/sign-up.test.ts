import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createIncident, postUpdate } from "../../../test/support/modules/incidents.ts";
import {
  addPage,
  addSubscriber,
  findLink,
  findMails,
  findStatus,
  postForm,
  type SubscriberFixture,
  type SubscriberPage,
  signUp,
  startSubscriberFixture,
  waitForMail,
} from "../../../test/support/modules/subscribers.ts";
import { openPublicPage } from "../../../test/support/pages/public-page.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";

let fixture: SubscriberFixture;
let page: SubscriberPage;
before(async () => {
  fixture = await startSubscriberFixture();
  page = await addPage(fixture.app);
});
after(() => fixture.stop());

let count = 0;
function nextAddress(): string {
  count += 1;
  return `reader-${count}@example.com`;
}

const look = (path: string) => fixture.app.call("GET", path, { key: null });
const press = (path: string, fields: readonly (readonly [string, string])[] = []) =>
  postForm(fixture.app, path, fields);

async function askFor(address: string): Promise<string> {
  const sent = findMails(fixture.mail, address).length;
  await signUp(fixture.app, page, { address });
  return findLink(await waitForMail(fixture.mail, address, sent + 1), "confirm");
}

test("the form works without JavaScript and offers the page's services", async () => {
  const answer = await look(`/status/${page.url}/subscribe`);
  assert.equal(answer.status, 200, answer.text);
  assert.match(answer.headers.get("content-security-policy") ?? "", /default-src 'none'/);
  assert.equal(answer.headers.get("referrer-policy"), "same-origin");
  assert.match(answer.text, new RegExp(`action="/status/${page.url}/subscribe"`));
  for (const id of page.serviceIds) assert.ok(answer.text.includes(`value="${id}"`));
  for (const type of ["EMAIL", "WEBHOOK", "SLACK"]) {
    assert.ok(answer.text.includes(`href="/status/${page.url}/subscribe?type=${type}"`), type);
  }
});

test("each way to subscribe has a field of its type", async () => {
  for (const [query, type, field] of [
    ["", "EMAIL", /type="email" autocomplete="email"/],
    ["?type=WEBHOOK", "WEBHOOK", /type="url" autocomplete="off"/],
    ["?type=SLACK", "SLACK", /type="url" autocomplete="off"/],
  ] as const) {
    const { text } = await look(`/status/${page.url}/subscribe${query}`);
    assert.match(text, field);
    assert.equal(text.match(/name="address"/g)?.length, 1);
    assert.ok(text.includes(`name="type" value="${type}"`), type);
  }
  assert.equal((await look(`/status/${page.url}/subscribe?type=PIGEON`)).status, 400);
});

test("no announcement is sent before the mailed link is confirmed", async () => {
  const address = nextAddress();
  const path = await askFor(address);
  for (const method of ["GET", "HEAD", "GET"]) {
    const answer = await fixture.app.call(method, path, { key: null });
    assert.equal(answer.status, 200);
    if (method === "GET") assert.match(answer.text, /<form method="post"/);
  }
  assert.equal(await findStatus(fixture.app, address), "PENDING");
  const done = await press(path);
  assert.equal(done.status, 200, done.text);
  assert.equal(await findStatus(fixture.app, address), "VERIFIED");
  assert.equal((await press(path)).status, 200, "a second press is harmless");
  const { rows } = await fixture.app.query(
    "select actor_name, changes from audit_entries where action = 'subscription.confirmed'",
  );
  assert.equal(rows[0].actor_name, "a link in a message");
  assert.ok(!JSON.stringify(rows).includes(address), "the log does not keep the address");
});

test("the response is the same for new, pending, confirmed and quarantined addresses", async () => {
  const [fresh, waiting, verified, quarantined] = [0, 1, 2, 3].map(nextAddress);
  assert.ok(fresh && waiting && verified && quarantined);
  await askFor(waiting);
  await addSubscriber(fixture, page, { address: verified });
  await addSubscriber(fixture, page, { address: quarantined });
  await fixture.app.query("update subscribers set status = 'QUARANTINED' where address = $1", [
    quarantined,
  ]);
  const texts = new Set<string>();
  const rows: number[] = [];
  for (const address of [fresh, waiting, verified, quarantined]) {
    const before = await fixture.app.query(
      "select count(*)::int as count from subscriber_deliveries",
    );
    const answer = await signUp(fixture.app, page, { address });
    const later = await fixture.app.query(
      "select count(*)::int as count from subscriber_deliveries",
    );
    assert.equal(answer.status, 200);
    texts.add(answer.text);
    rows.push(later.rows[0].count - before.rows[0].count);
  }
  assert.equal(texts.size, 1);
  assert.deepEqual(rows, [1, 1, 1, 1], "and the same work is done");
  const reminder = await waitForMail(fixture.mail, verified, 2);
  assert.match(reminder.subject, /You are subscribed already/);
  assert.ok(!reminder.body.includes("/confirm/"));
  findLink(reminder, "manage");
  const again = await waitForMail(fixture.mail, quarantined, 2);
  await press(findLink(again, "confirm"));
  assert.equal(
    await findStatus(fixture.app, quarantined),
    "VERIFIED",
    "which lifts the quarantine",
  );
});

test("a repeated sign-up by someone else does not change the chosen services", async () => {
  const address = nextAddress();
  const [first = "", second = ""] = page.serviceIds;
  await addSubscriber(fixture, page, { address, services: [first] });
  await signUp(fixture.app, page, { address, services: [second] });
  const { rows } = await fixture.app.query(
    "select service_ids from subscribers where address = $1",
    [address],
  );
  assert.deepEqual(rows[0].service_ids, [first]);
});

test("a mailbox is case-insensitive", async () => {
  const address = nextAddress();
  await askFor(address);
  await signUp(fixture.app, page, { address: address.toUpperCase() });
  const { rows } = await fixture.app.query(
    "select count(*)::int as count from subscribers where lower(address) = $1",
    [address],
  );
  assert.equal(rows[0].count, 1);
});

test("a link is valid for two days", async () => {
  const address = nextAddress();
  const path = await askFor(address);
  fixture.app.clock.advance(48 * 3_600_000);
  assert.equal((await look(path)).status, 404);
  assert.equal((await press(path)).status, 404);
  assert.equal(await findStatus(fixture.app, address), "PENDING");
});

test("sent links still work after the page's URL changes", async () => {
  const moving = await addPage(fixture.app);
  const address = nextAddress();
  await signUp(fixture.app, moving, { address });
  const mail = await waitForMail(fixture.mail, address);
  const [confirm, leave] = [findLink(mail, "confirm"), findLink(mail, "unsubscribe")];
  const path = `/v1/status-pages/${moving.id}`;
  const { body } = await fixture.app.call("GET", path);
  const url = `${moving.url}-moved`;
  const moved = await fixture.app.call("PUT", path, { body: { ...body, url } });
  assert.equal(moved.status, 200, moved.text);
  const shown = await look(confirm);
  assert.equal(shown.status, 200);
  assert.ok(shown.text.includes(`action="/status/${url}/confirm/`));
  assert.equal((await press(confirm)).status, 200);
  assert.equal(await findStatus(fixture.app, address), "VERIFIED");
  assert.equal((await press(leave)).status, 200);
  assert.equal(await findStatus(fixture.app, address), null);
  assert.equal((await look(`/status/${moving.url}/manage/${"x".repeat(60)}`)).status, 404);
});

test("a token is invalid on another page, for another purpose, or if changed, guessed or truncated", async () => {
  const address = nextAddress();
  const path = await askFor(address);
  const token = path.split("/").at(-1) ?? "";
  const other = await addPage(fixture.app);
  const changed = `${token.slice(0, -4)}${token.endsWith("AAAA") ? "BBBB" : "AAAA"}`;
  const wrong = [
    `/status/${other.url}/confirm/${token}`,
    `/status/${page.url}/manage/${token}`,
    `/status/${page.url}/unsubscribe/${token}`,
    `/status/${page.url}/confirm/${changed}`,
    `/status/${page.url}/confirm/${token.slice(0, -8)}`,
    `/status/${page.url}/confirm/${"A".repeat(200)}`,
    `/status/${page.url}/confirm/${"~".repeat(40)}`,
  ];
  for (const one of wrong) {
    assert.equal((await look(one)).status, 404, one);
    assert.equal((await press(one)).status, 404, one);
  }
  assert.equal((await look(`/acknowledge/${token}`)).status, 404, "nor for anything else we seal");
  assert.equal((await look(`/status/no-such-page/confirm/${changed}`)).status, 404);
  assert.equal(await findStatus(fixture.app, address), "PENDING");
  assert.equal((await press(path)).status, 200, "the real one still is");
});

test("the manage link shows and changes the chosen services", async () => {
  const address = nextAddress();
  const [first = "", second = ""] = page.serviceIds;
  await addSubscriber(fixture, page, { address, services: [first] });
  await signUp(fixture.app, page, { address });
  const path = findLink(await waitForMail(fixture.mail, address, 2), "manage");
  const shown = await look(path);
  assert.match(shown.text, new RegExp(`value="${first}" checked`));
  assert.ok(!shown.text.includes(`value="${second}" checked`));
  const saved = await press(path, [["service", second]]);
  assert.equal(saved.status, 200, saved.text);
  assert.match(saved.text, /saved/);
  assert.match(saved.text, new RegExp(`value="${second}" checked`));
  const wrong = await press(path, [["service", crypto.randomUUID()]]);
  assert.equal(wrong.status, 400);
  assert.match(wrong.text, /role="alert"/);
  await press(path, []);
  const { rows } = await fixture.app.query(
    "select service_ids from subscribers where address = $1",
    [address],
  );
  assert.equal(rows[0].service_ids, null, "no tick is the choice of all");
});

test("unsubscribing asks for confirmation, deletes the address and is idempotent", async () => {
  const address = nextAddress();
  await addSubscriber(fixture, page, { address });
  await signUp(fixture.app, page, { address });
  const path = findLink(await waitForMail(fixture.mail, address, 2), "unsubscribe");
  assert.match((await look(path)).text, /<form method="post"/);
  assert.equal(await findStatus(fixture.app, address), "VERIFIED");
  assert.equal((await press(path)).status, 200);
  assert.equal(await findStatus(fixture.app, address), null);
  assert.equal((await press(path)).status, 200);
});

test("a mail server unsubscribes with one click, with either form type and without a cookie", async () => {
  const bodies = [
    ["application/x-www-form-urlencoded", "List-Unsubscribe=One-Click"],
    [
      "multipart/form-data; boundary=x",
      '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n',
    ],
  ] as const;
  for (const [type, rawBody] of bodies) {
    const address = nextAddress();
    await addSubscriber(fixture, page, { address });
    await signUp(fixture.app, page, { address });
    const { headers } = await waitForMail(fixture.mail, address, 2);
    assert.equal(headers.get("list-unsubscribe-post"), "List-Unsubscribe=One-Click");
    const path = /^<https?:\/\/[^/]+(\/.*)>$/.exec(headers.get("list-unsubscribe") ?? "")?.[1];
    assert.ok(path, headers.get("list-unsubscribe") ?? "no header");
    const options = { key: null, headers: { "content-type": type }, rawBody };
    assert.equal((await fixture.app.call("POST", path, options)).status, 200, type);
    assert.equal(await findStatus(fixture.app, address), null, type);
  }
});

test("without script a reader subscribes, is notified, changes preferences and unsubscribes", async () => {
  const { app, mail } = fixture;
  const [checkout = "", search = ""] = page.serviceIds;
  const address = nextAddress();
  app.clock.advance(3_600_000);
  const options = { now: app.clock.now(), hasScript: false };
  const visitor = await openPublicPage(`${app.url}/status/${page.url}/`, options);
  await visitor.click(visitor.get("a.subscribe"));
  await visitor.type(visitor.getField(/^Email address/), "nobody@nowhere");
  await visitor.click(visitor.getField("Search"));
  await visitor.click(visitor.get("button", "Subscribe"));
  assert.match(visitor.read("[role=alert]"), /must be an email address/);
  const field = visitor.getField(/^Email address/);
  assert.deepEqual([field.value, field.getAttribute("aria-invalid")], ["nobody@nowhere", "true"]);
  assert.equal(visitor.getField("Search").checked, true, "the input is kept");
  await visitor.type(field, address);
  await visitor.click(visitor.getField("Search"));
  await visitor.click(visitor.getField("Checkout"));
  await visitor.click(visitor.get("button", "Subscribe"));
  assert.equal(visitor.read("h1"), "Almost there");

  const asked = await waitForMail(mail, address);
  await visitor.goto(`${app.url}${findLink(asked, "confirm")}`);
  assert.equal(await findStatus(app, address), "PENDING", "viewing does not confirm");
  await visitor.click(visitor.get("main button"));
  assert.equal(visitor.read("h1"), "You are subscribed");

  const update = { description: "We are on it.", notifySubscribers: true };
  const incident = await createIncident(app, checkout, { incidentUpdates: [update] });
  const first = await waitForMail(mail, address, 2);
  await visitor.goto(`${app.url}${findLink(first, "manage")}`);
  assert.equal(visitor.getField("Checkout").checked, true);
  await visitor.click(visitor.getField("Checkout"));
  await visitor.click(visitor.getField("Search"));
  await visitor.click(visitor.get("button", "Save"));
  assert.match(visitor.document.body.textContent, /Your choice is saved\./);
  await postUpdate(app, incident.body.id, { status: "RESOLVED", notifySubscribers: true });
  await createIncident(app, search, { name: "Search is slow", incidentUpdates: [update] });
  const second = await waitForMail(mail, address, 3);
  assert.match(second.subject, /Search is slow/, "other services are not announced");

  await visitor.goto(`${app.url}${findLink(second, "unsubscribe")}`);
  assert.equal(await findStatus(app, address), "VERIFIED");
  await visitor.click(visitor.get("main button"));
  assert.equal(visitor.read("h1"), "You are unsubscribed");
  assert.equal(await findStatus(app, address), null);
  await createIncident(app, search, { name: "Once more", incidentUpdates: [update] });
  await waitUntil("it was addressed to nobody", async () => {
    const { rows } = await app.query("select id from announcements where not is_addressed");
    return rows.length === 0;
  });
  assert.equal(findMails(mail, address).length, 3);
});
