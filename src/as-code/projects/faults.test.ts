import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TestApp } from "../../../test/support/apps/app.ts";
import { shareTestApp } from "../../../test/support/apps/shared-app.ts";
import { createProjectCalls, one, ref, toBody } from "../../../test/support/modules/projects.ts";

let app: TestApp;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

const { post, deploy, countRows } = createProjectCalls(() => app);

test("a plan names the faults of all resources, also those that only storing finds", async () => {
  const before = await countRows();
  const hook = (template: string) => ({
    type: "WEBHOOK",
    config: { name: "Hook", url: "https://hooks.example.test/", template },
  });
  const icmp = (more: object) => ({ checkType: "ICMP", name: "P", ...more });
  const resources = [
    one("check", "no-host", icmp({})),
    one("check", "odd", { checkType: "AGENTIC", name: "A" }),
    one("alert-channel", "pigeon", { type: "PIGEON", config: {} }),
    one("alert-channel", "hook", hook("{{#if A}}")),
    one("alert-channel", "teams", hook("{{#if GROUP_NAME}}{{GROUP_NAME}}{{/if}}")),
    // These depend on a faulty resource, and are not at fault.
    one("alert-channel-subscription", "s", {
      ...{ alertChannelId: ref("hook"), checkId: ref("fine"), activated: true },
    }),
    one("check", "fine", icmp({ request: { hostname: "192.0.2.1" } })),
    one("dashboard", "dash", { header: "D", customUrl: "Not A Url" }),
  ];
  const expected = [
    /^5 resources are rejected:$/,
    /^check "no-host": request/,
    /^check "odd": checkType must be one of/,
    /^alert-channel "pigeon": type must be one of/,
    /^dashboard "dash": customUrl /,
    /^alert-channel "hook": config.template has a block such as/,
  ];
  const planned = await post("/v1/projects/preview", toBody("faults", resources));
  assert.equal(planned.status, 400, planned.text);
  const lines = planned.body.message.split("\n");
  assert.equal(lines.length, expected.length, planned.body.message);
  for (const [index, line] of lines.entries()) assert.match(line, expected[index] ?? /^$/);
  const dry = await post("/v1/projects/deploy?dryRun=true", toBody("faults", resources));
  assert.equal(dry.body.message, planned.body.message);
  const ended = await deploy("faults", resources.slice(3, 5));
  assert.match(ended.error.message, /^alert-channel "hook": config.template has a block/);
  assert.deepEqual(await countRows(), before);
});
