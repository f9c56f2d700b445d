import assert from "node:assert/strict";
import { test } from "node:test";
import { addMember, createKey, signIn } from "../../../test/support/apps/cast.ts";
import { shareTestApp } from "../../../test/support/apps/shared-app.ts";
import {
  createAlertMessage,
  createSendTools,
} from "../../../test/support/modules/alert-message.ts";
import { createProjectCalls, one, toBody } from "../../../test/support/modules/projects.ts";
import type { OutboundRequest } from "../../platform/outbound.ts";
import { sendThrough } from "./actions.ts";

const app = await shareTestApp({ BUILT_IN_PROBE: "false" });
const path = "/v1/alert-channels";
const { post, complete } = createProjectCalls(() => app);
const lanUrl = "http://192.168.1.5:8080";

const ntfy = (url: string, more: object = {}) => ({
  type: "NTFY",
  config: { url, topic: "alerts", token: "s3cret-canary", priority: 3, ...more },
});

async function findPermission(id: number): Promise<string | null> {
  const text = "select lan_allowed_by as role from alert_channels where id = $1";
  return (await app.query(text, [id])).rows[0].role;
}

test("an admin may enter a private address, other members only with the setting", async () => {
  const { key: admin } = await createKey(app, "ADMIN");
  const { key: writer } = await createKey(app, "READ_WRITE");
  const made = await app.call("POST", path, { key: admin, body: ntfy(lanUrl) });
  assert.equal(made.status, 201, made.text);
  assert.equal(await findPermission(made.body.id), "ADMIN");

  const denied = await app.call("POST", path, { key: writer, body: ntfy(lanUrl) });
  assert.equal(denied.status, 400, denied.text);
  assert.match(denied.text, /OUTBOUND_ALLOW_PRIVATE=true/);
  for (const url of ["http://127.0.0.1:8080", "http://169.254.169.254", "http://[::1]"]) {
    const local = await app.call("POST", path, { key: admin, body: ntfy(url) });
    assert.equal(local.status, 400, url);
    assert.match(local.text, /OUTBOUND_ALLOW_PRIVATE contains it/);
  }
});

test("the permission belongs to the address: another member keeps it, but cannot move it", async () => {
  const { key: admin } = await createKey(app, "ADMIN");
  const { key: writer } = await createKey(app, "READ_WRITE");
  const made = await app.call("POST", path, { key: admin, body: ntfy(lanUrl) });
  const own = `${path}/${made.body.id}`;
  const change = (key: string, url: string, more: object = {}) =>
    app.call("PUT", own, { key, body: ntfy(url, { token: "s3cret-canary", ...more }) });

  assert.equal((await change(writer, lanUrl, { topic: "others" })).status, 200);
  assert.equal(await findPermission(made.body.id), "ADMIN");
  assert.equal((await change(writer, "http://192.168.1.5:9090")).status, 400);
  assert.equal((await change(writer, `${lanUrl}/other`)).status, 400);
  assert.equal((await change(writer, "http://ntfy.example")).status, 200);
  assert.equal(await findPermission(made.body.id), null, "a name may lead anywhere");
  assert.equal((await change(admin, "http://ntfy.example", { topic: "more" })).status, 200);
  assert.equal(await findPermission(made.body.id), null, "the admin did not enter the address");
  assert.equal((await change(writer, lanUrl)).status, 400);
});

test("the role of the caller decides for a deployment and an unsaved test too", async () => {
  const { key: admin } = await createKey(app, "ADMIN");
  const { key: writer } = await createKey(app, "READ_WRITE");
  const deploy = async (key: string, logicalId: string) => {
    const body = toBody(logicalId, [one("alert-channel", "lan", ntfy(lanUrl))]);
    const started = await post("/v1/projects/deploy", body, key);
    return started.status === 202 ? complete(logicalId, started.body.id) : started.body;
  };
  assert.match(JSON.stringify(await deploy(writer, "of-writer")), /OUTBOUND_ALLOW_PRIVATE/);
  const ended = await deploy(admin, "of-admin");
  assert.equal(ended.status, "SUCCEEDED", JSON.stringify(ended));
  const untested = await app.call("POST", `${path}/test`, { key: writer, body: ntfy(lanUrl) });
  assert.equal(untested.status, 400, untested.text);
});

test("contact methods have the same rule", async () => {
  for (const [role, status] of [
    ["READ_WRITE", 400],
    ["ADMIN", 201],
  ] as const) {
    const { email, password } = await addMember(app, `${role}@lan.example`, { role });
    const cookie = await signIn(app, email, password);
    const body = ntfy(lanUrl);
    const made = await app.call("POST", "/v1/users/me/contact-methods", { cookie, body });
    assert.equal(made.status, status, made.text);
    if (status === 400) assert.match(made.text, /OUTBOUND_ALLOW_PRIVATE/);
  }
});

test("only requests of a permitted channel may reach private networks", async () => {
  const requests: OutboundRequest[] = [];
  const request = async (one: OutboundRequest) => {
    requests.push(one);
    return { kind: "failed", reason: "dns", message: "", status: null } as const;
  };
  const context = { clock: app.clock, sendTools: createSendTools({ outbound: { request } }) };
  for (const lanAllowedBy of ["ADMIN", null] as const) {
    const channel = { ...ntfy("http://ntfy.lan"), lanAllowedBy, accountId: app.owner.accountId };
    await sendThrough(context, channel, createAlertMessage());
  }
  assert.deepEqual(
    requests.map(({ allowLan }) => allowLan ?? false),
    [true, false],
  );
});
