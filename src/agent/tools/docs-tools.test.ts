import assert from "node:assert/strict";
import { test } from "node:test";
import { createAgentFixture } from "../../../test/support/modules/agent.ts";
import { createPolicy } from "../../channels/escalation-policies/index.ts";
import { findPolicyUses } from "../../response/alerting/index.ts";
import type { ListEscalationPoliciesData, SearchDocsData } from "../tool-shapes/directory-data.ts";

test("the docs are found by words, with the beginning of the section and its address", async (t) => {
  const { use } = await createAgentFixture(t);
  const { data, sources } = await use("search_docs", { query: "escalation policy" });
  const { sections } = data as SearchDocsData;
  assert.match(sections[0]?.title ?? "", /escalation/i);
  assert.ok((sections[0]?.text.length ?? 0) > 50);
  assert.match(sources[0]?.url ?? "", /\/docs\/[\w-]+/);
  const none = await use("search_docs", { query: "xyzzy" });
  assert.deepEqual(none.data, { sections: [] });
});

test("escalation policies list the names of their targets", async (t) => {
  const { use, context, caller, addWebhook } = await createAgentFixture(t);
  const channelId = await addWebhook("/hook");
  await createPolicy({ ...context, findPolicyUses }, caller, {
    input: {
      name: "Shop",
      steps: [{ afterMinutes: 5, targets: [{ channelId }] }],
      repeat: 1,
      repeatAfterMinutes: 10,
      usesFallback: true,
      supportHours: null,
    },
    idempotencyKey: undefined,
  });
  const { policies } = (await use("list_escalation_policies")).data as ListEscalationPoliciesData;
  const [policy] = policies;
  assert.deepEqual([policy?.name, policy?.rounds, policy?.usesFallback], ["Shop", 2, true]);
  const [step] = policy?.steps ?? [];
  assert.deepEqual([step?.afterMinutes, step?.targets.length], [5, 1]);
  assert.match(step?.targets[0] ?? "", /^Hook at /);
});
