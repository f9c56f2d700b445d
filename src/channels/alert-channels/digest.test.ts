import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createAlertMessage,
  createHostileMessage,
  createSendTools,
} from "../../../test/support/modules/alert-message.ts";
import { createChannelConfigs } from "../../../test/support/modules/channel-configs.ts";
import { startHttpReceiver } from "../../../test/support/servers/http-receiver.ts";
import { listFacts } from "./alert-text.ts";
import { composeDigest } from "./digest.ts";
import { type ChannelType, channelKinds } from "./kinds/index.ts";

const named = (count: number, changes: Parameters<typeof createAlertMessage>[0] = {}) =>
  Array.from({ length: count }, (_, place) =>
    createAlertMessage({
      checkId: `check-${changes.kind ?? ""}-${place}`,
      checkName: `Web ${place + 1}`,
      ...changes,
    }),
  );

test("the title counts the alerts by tone, worst first", () => {
  const recovered = named(6, { kind: "ALERT_RECOVERY" });
  const titles = [
    composeDigest(named(54), "k").title,
    composeDigest([...recovered, ...named(54)], "k").title,
    composeDigest(recovered, "k").title,
    composeDigest(named(4, { kind: "ALERT_DEGRADED" }), "k").title,
    composeDigest([...named(1), ...named(1)], "k").title,
    composeDigest(named(3, { groupName: null }), "k").title,
  ];
  assert.deepEqual(titles, [
    "54 checks are failing: Web 1 and 53 more, all in group Shop",
    "60 alerts: 54 failing, 6 recovered",
    "6 checks have recovered: Web 1 and 5 more, all in group Shop",
    "4 checks are degraded: Web 1 and 3 more, all in group Shop",
    "2 alerts: 2 failing",
    "3 checks are failing: Web 1 and 2 more",
  ]);
});

test("the facts list a bounded number of checks and the most frequent reason", () => {
  const facts = listFacts(composeDigest(named(54), "k"));
  assert.deepEqual(
    facts.map(({ label }) => label),
    ["Failing", "Commonest cause"],
  );
  assert.match(facts[0]?.value ?? "", /^Web 1, Web 2, .* and 42 more$/);
  assert.match(facts[1]?.value ?? "", /\(54 checks\)$/);
});

test("every kind sends a digest, including one with hostile names", async (t) => {
  const http = await startHttpReceiver(t);
  const tools = createSendTools();
  const message = composeDigest([...named(60), createHostileMessage()], "digest-1");
  for (const [type, config] of Object.entries(createChannelConfigs(http.url, "secret"))) {
    const kind = channelKinds[type as ChannelType];
    if (["EMAIL", "SMS", "WEBPUSH", "ONCALL"].includes(type)) continue;
    http.respond = () => ({ status: 200, body: "ok" });
    const outcome = await kind.send(message, config, tools);
    assert.equal(outcome.kind, "sent", `${type} ${JSON.stringify(outcome)}`);
  }
});
