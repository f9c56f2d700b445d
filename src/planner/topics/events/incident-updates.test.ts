import assert from "node:assert/strict";
import { test } from "node:test";
import { askPlanner } from "../../../../test/planner/ask-planner.ts";
import { answerCall } from "../../../../test/planner/sample-account/tool-answers.ts";
import type { ToolCall } from "../../tools/tool-outcome.ts";
import { readIncidentWords } from "./incident-updates.ts";

test("the words before “incident” name it, without filler words", () => {
  assert.deepEqual(readIncidentWords("resolve the mail incident"), ["mail"]);
  assert.deepEqual(readIncidentWords("post to the DNS outage incident: it is fixed"), [
    "dns",
    "outage",
  ]);
  assert.deepEqual(readIncidentWords("close the latest open incident"), []);
  assert.deepEqual(readIncidentWords("resolve it"), []);
});

/** The sample account with every incident open. */
function answerWithOpenIncidents(call: ToolCall) {
  const answer = answerCall(call);
  if (call.tool !== "list_incidents") return answer;
  const { data } = answer as { data: { incidents: object[] } };
  const incidents = data.incidents.map((one) => ({ ...one, resolvedAt: null }));
  return { ...answer, data: { ...data, incidents } } as typeof answer;
}

test("a write goes to the incident that is named, and not to the newest", () => {
  const asked = askPlanner(["resolve the mail incident"], { answer: answerWithOpenIncidents });
  assert.match(asked.text, /A draft for `Mail delays`/);
});

test("a write whose words name no open incident asks which one is meant", () => {
  const asked = askPlanner(["resolve the billing incident"], { answer: answerWithOpenIncidents });
  assert.match(asked.text, /No open incident is called `billing`\. Which one do you mean\?/);
  assert.match(asked.text, /DNS outage/);
  assert.equal(
    asked.calls.some(({ tool }) => tool === "post_incident_update"),
    false,
  );
});

test("a write to the open incident asks which one is meant if there are several", () => {
  for (const text of ["post to the open incident: it is fixed", "resolve the current incident"]) {
    const asked = askPlanner([text], { answer: answerWithOpenIncidents });
    assert.match(asked.text, /open incidents fit\. Which one do you mean\?/, text);
  }
  const latest = askPlanner(["resolve the latest incident"], { answer: answerWithOpenIncidents });
  assert.match(latest.text, /A draft for/);
});

test("a write that names none of several open incidents asks which one is meant", () => {
  const asked = askPlanner(["post an update to the incident"], {
    answer: answerWithOpenIncidents,
  });
  assert.match(asked.text, /open incidents fit\. Which one do you mean\?/);
});
