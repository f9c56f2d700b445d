/** Each channel from sign-up to the announcement, on our own host and on a custom domain. */
import assert from "node:assert/strict";
import { request } from "node:http";
import { type TestContext, test } from "node:test";
import { createIncident } from "../../../test/support/modules/incidents.ts";
import {
  addPage,
  findLink,
  postForm,
  type SubscriberFixture,
  type SubscriberPage,
  signUp,
  startSubscriberFixture,
  waitForMail,
} from "../../../test/support/modules/subscribers.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";

async function startFixture(t: TestContext, ...options: Parameters<typeof startSubscriberFixture>) {
  const fixture = await startSubscriberFixture(...options);
  t.after(() => fixture.stop());
  return fixture;
}

async function listStatuses({ app }: SubscriberFixture, page: SubscriberPage): Promise<string[]> {
  const { body } = await app.call("GET", `/v1/status-pages/${page.id}/subscriptions`);
  return body.map(({ status }: { status: string }) => status);
}

async function tell({ app }: SubscriberFixture, page: SubscriberPage): Promise<void> {
  const answer = await createIncident(app, page.serviceIds[0] ?? "", {
    incidentUpdates: [{ description: "We are on it.", notifySubscribers: true }],
  });
  assert.equal(answer.status, 201, answer.text);
}

test("a webhook signs up, answers the challenge, receives messages and unsubscribes by link", async (t) => {
  const fixture = await startFixture(t);
  const page = await addPage(fixture.app);
  fixture.http.respond = ({ body }) => ({ body: JSON.stringify(JSON.parse(body)) });
  await signUp(fixture.app, page, { type: "WEBHOOK", address: fixture.hookUrl("/hook") });
  await waitUntil(
    "it is confirmed",
    async () => (await listStatuses(fixture, page))[0] === "VERIFIED",
  );
  await tell(fixture, page);
  await waitUntil("the message arrived", () => fixture.http.requests.length === 2);
  const event = JSON.parse(fixture.http.requests[1]?.body ?? "{}");
  assert.deepEqual([event.type, event.title], ["incident", "Payments fail"]);
  const path = new URL(event.unsubscribeUrl).pathname;
  assert.equal((await postForm(fixture.app, path)).status, 200);
  assert.deepEqual(await listStatuses(fixture, page), []);
});

test("Slack is confirmed by the link in the message, and then receives messages", async (t) => {
  const fixture = await startFixture(t);
  const page = await addPage(fixture.app);
  const address = "https://hooks.slack.com/services/T000/B000/secret";
  await signUp(fixture.app, page, { type: "SLACK", address });
  await waitUntil("it was asked", () => fixture.http.requests.length === 1);
  const link = findLink({ body: fixture.http.requests[0]?.body ?? "" }, "confirm");
  const shown = await fixture.app.call("GET", link, { key: null });
  assert.ok(!shown.text.includes("B000"), "the address is a secret of its owner");
  assert.deepEqual(await listStatuses(fixture, page), ["PENDING"]);
  await postForm(fixture.app, link);
  await tell(fixture, page);
  await waitUntil("the message arrived", () => fixture.http.requests.length === 2);
  assert.match(fixture.http.requests[1]?.body ?? "", /Payments fail/);
});

/** `fetch` does not allow setting the Host header. */
function askHost(
  { app }: SubscriberFixture,
  input: { readonly host: string; readonly path: string; readonly form?: string },
): Promise<{ readonly status: number; readonly text: string }> {
  const { host, path, form } = input;
  const type = "application/x-www-form-urlencoded";
  const own = { host, ...(form === undefined ? {} : { "content-type": type }) };
  const headers = { ...own, origin: `http://${host}` };
  const { hostname, port } = new URL(app.url);
  const method = form === undefined ? "GET" : "POST";
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  const sent = request({ hostname, port, path, method, headers }, async (answer) => {
    let text = "";
    for await (const chunk of answer) text += String(chunk);
    resolve({ status: answer.statusCode ?? 0, text });
  });
  sent.on("error", reject).end(form);
  return promise;
}

test("on a custom domain the form and the links are at the root", async (t) => {
  const fixture = await startFixture(t);
  const host = "status.acme.test";
  await addPage(fixture.app, { customDomain: host });
  await waitUntil("the host is known", async () => {
    const { status, text } = await askHost(fixture, { host, path: "/subscribe" });
    return status === 200 && text.includes('action="/subscribe"');
  });
  const address = "reader@example.com";
  const form = `address=${encodeURIComponent(address)}`;
  assert.equal((await askHost(fixture, { host, path: "/subscribe", form })).status, 200);
  const mail = await waitForMail(fixture.mail, address);
  const path = findLink(mail, "confirm");
  assert.match(mail.body, /http:\/\/status\.acme\.test\/confirm\//);
  assert.match(path, /^\/confirm\//);
  assert.match((await askHost(fixture, { host, path })).text, /action="\/confirm\//);
  const done = await askHost(fixture, { host, path, form: "" });
  assert.equal(done.status, 200);
  assert.match(done.text, /href="\/manage\//);
});

test("hanging mail servers of subscribers leave a connection free for an alert", async (t) => {
  const fixture = await startFixture(t, {
    onRcptTo: ({ address }, _session, done) => {
      if (address === "owner@example.com") done();
      else stuck.push(() => done());
    },
  });
  const stuck: (() => void)[] = [];
  const { app, mail } = fixture;
  const page = await addPage(app);
  const subscriptions = Array.from({ length: 20 }, (_none, index) => ({
    type: "EMAIL",
    config: `reader-${index}@example.com`,
  }));
  const body = { subscriptions, autoVerify: true };
  await app.call("POST", `/v1/status-pages/${page.id}/subscriptions/bulk`, { body });
  await tell(fixture, page);
  await waitUntil("as many hang as may", () => stuck.length === 4);
  const channel = { type: "EMAIL", config: { address: "owner@example.com" } };
  const { body: made } = await app.call("POST", "/v1/alert-channels", { body: channel });
  const sent = await app.call("POST", `/v1/alert-channels/${made.id}/test`);
  assert.equal(sent.status, 200, sent.text);
  await waitForMail(mail, "owner@example.com");
  assert.equal(stuck.length, 4);
  while (mail.mails.length < 21) {
    for (const go of stuck.splice(0)) go();
    await waitUntil("the next are there, or all", () => stuck.length > 0 || mail.mails.length > 20);
  }
});
