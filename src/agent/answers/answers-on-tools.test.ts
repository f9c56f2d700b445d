/** The agent without a model, with the real tools on a real database. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import {
  type AgentFixture,
  createAgentFixture,
  createCaller,
} from "../../../test/support/modules/agent.ts";
import { failing, passing } from "../../../test/support/modules/alerting.ts";
import { measure, unresolved } from "../../../test/support/modules/runs.ts";
import { hiddenFromPages } from "../../response/maintenance/planned-window.ts";
import { insertWindow } from "../../response/maintenance/store.ts";
import type { AgentName } from "../agents.ts";
import { answer } from "../answer.ts";
import type { AnswerEvent } from "../answer-event.ts";
import type { Message } from "../exchanges.ts";

interface Answered {
  readonly text: string;
  readonly tools: readonly string[];
  readonly confirmations: readonly { readonly tool: string; readonly input: unknown }[];
  readonly ended: string;
}

/** Asks in turns like a client: each question with the whole conversation. */
async function ask(
  fixture: AgentFixture,
  questions: readonly string[],
  agent: AgentName = "basic",
): Promise<Answered> {
  const messages: Message[] = [];
  let received: Answered = { text: "", tools: [], confirmations: [], ended: "" };
  for (const text of questions) {
    messages.push({ role: "user", text });
    const controller = new AbortController();
    const events: AnswerEvent[] = await Array.fromAsync(
      answer(fixture.context, fixture.caller, { agent, messages }, { controller }),
    );
    received = {
      text: events.map((event) => (event.type === "text" ? event.text : "")).join(""),
      tools: events.flatMap((event) => (event.type === "tool-call" ? [event.tool] : [])),
      confirmations: events.flatMap((event) =>
        event.type === "confirmation" ? [event.confirmation] : [],
      ),
      ended: events.flatMap((event) => (event.type === "end" ? [event.reason] : [])).join(),
    };
    assert.equal(received.ended, "complete", text);
    messages.push({ role: "assistant", text: received.text });
  }
  return received;
}

async function createFixture(t: TestContext) {
  const fixture = await createAgentFixture(t);
  const locations = ["eu-central-1", "us-east-1"];
  const places = { locations, runParallel: true };
  const edge = await fixture.addCheck({ name: "edge-router", tags: ["core"], ...places });
  const twin = await fixture.addCheck({ name: "edge-switch", tags: ["network"], frequency: 5 });
  const gone = await fixture.addCheck({ name: "dns-primary", tags: ["core"] });
  const idle = await fixture.addCheck({ name: "backup-nas", activated: false });
  await fixture.subscribe(await fixture.addWebhook("/hook"), { checkId: edge.checkId });
  await fixture.recordRuns(twin, passing, passing);
  await fixture.recordRuns(gone, unresolved);
  await fixture.recordRuns(edge, passing, measure(4), failing);
  fixture.clock.advance(60_000);
  await fixture.run(edge, failing);
  await fixture.deliver();
  const startsAtMs = fixture.clock.now().getTime() + 3_600_000;
  await insertWindow(fixture.context.db, fixture.accountId, {
    name: "Patch night",
    description: null,
    visibility: hiddenFromPages,
    nextAnnouncementAt: null,
    schedule: {
      startsAtMs,
      endsAtMs: startsAtMs + 7_200_000,
      timeZone: "UTC",
      repeatInterval: null,
      repeatUnit: null,
      repeatEndsAtMs: null,
      tags: [],
      pauseAllChecks: false,
      silenceAllAlerts: true,
      silenceAlertsTags: [],
    },
    createdAt: fixture.clock.now(),
  });
  return { fixture, edge, twin, gone, idle };
}

test("the questions of an on-call engineer are answered from the database", async (t) => {
  const { fixture, edge } = await createFixture(t);
  const expectations: readonly (readonly [string, RegExp])[] = [
    ["what is failing?", /2 failing and 1 without data, 1 passing, of 4 checks/],
    [
      "what is failing?",
      /`edge-router` has been failing since 2026-11-15 \d\d:\d\d UTC .* in a row: 100 %/,
    ],
    [
      "why is edge-router down?",
      /from (?:eu-central-1|us-east-1) to 192\.0\.2\.1 .*: all 10 packets were lost/,
    ],
    [
      "why is dns primary failing?",
      /name not resolved: `the name could not be resolved \(ENOTFOUND\)/,
    ],
    ["since when is edge-ruoter down", /`edge-router` has been failing since/],
    ["is it the network or the host?", /`dns-primary`: Name resolution seems to be the cause/],
    ["which locations see edge-router failing?", /failing from (?:eu-central-1|us-east-1)/],
    ["latency of edge-switch today", /`edge-switch`, today .*: average [\d.]+ ms, median/],
    ["slowest checks by p95", /Slowest by P95 in the last 24 hours/],
    ["availability of edge-switch in the last hour", /availability 100 %/],
    ["availability of backup-nas", /`backup-nas` has no data/],
    [
      "explain the packet loss of edge-router",
      /`edge-router`.*: lost \d+(?:\.\d+)? % of its packets/,
    ],
    ["which packets did edge-router lose?", /all 10 packets were lost|#0 to #3/],
    ["what changed in the last 2 hours?", /`edge-router` went from passing to failing/],
    ["is anything flapping?", /flapping|change/],
    ["compare edge-switch today and yesterday", /no data → 100 %/],
    [
      "did the alert go out?",
      /1 message .*1 sent:\n- `Hook at [^`]+`, alert failure of `edge-router`: sent/,
    ],
    ["who got alerts about dns-primary?", /Nobody .* about `dns-primary`/],
    ["when is the next maintenance?", /`Patch night`: .* \(2 h\), silences all alerts\. \[1\]/],
    ["how many checks do we have?", /4 checks:/],
    ["list checks tagged core", /2 checks with the tag `core`/],
    ["are any core checks down?", /the tag `core`: 2 failing, 0 passing, of 2 checks/],
    ["results of edge-switch", /The newest 2 runs of `edge-switch`/],
    ["is edge down?", /2 checks fit `edge`\. Which one do you mean\?/],
    ["list locations", /`eu-central-1` \(`Frankfurt`\)/],
    ["help", /what is failing\?/],
  ];
  for (const [question, pattern] of expectations) {
    const { text, tools } = await ask(fixture, [question]);
    assert.match(text, pattern, `${question}:\n${text}`);
    assert.doesNotMatch(text, /I could not use/, question);
    assert.ok(tools.length <= 10);
  }
  const { text } = await ask(fixture, ["what is failing?"]);
  assert.ok(text.includes(`https://vedette.example/checks/${edge.checkId}?run=`));
});

test("a choice and a follow-up are understood from the conversation", async (t) => {
  const { fixture, twin } = await createFixture(t);
  const chosen = await ask(fixture, ["is edge down?", "the second one"]);
  assert.match(chosen.text, /`edge-switch` has been passing/);
  assert.ok(chosen.text.includes(twin.checkId));
  const later = await ask(fixture, ["availability of edge-switch today", "and edge-router?"]);
  assert.match(later.text, /`edge-router`, today/);
});

test("a write is only proposed, and its token is not part of the answer", async (t) => {
  const { fixture, edge } = await createFixture(t);
  const muted = await ask(fixture, ["mute edge-router"]);
  assert.match(muted.text, /Not done yet, please confirm: `Mute the check "edge-router"/);
  assert.deepEqual(
    muted.confirmations.map(({ tool, input }) => ({ tool, input })),
    [{ tool: "mute_check", input: { checkId: edge.checkId, muted: true } }],
  );
  const reader = { ...fixture, caller: createCaller(fixture.accountId, "READ_ONLY") };
  const rejected = await ask(reader, ["mute edge-router"]);
  assert.deepEqual(rejected.confirmations, []);
  assert.match(rejected.text, /I could not use mute_check: `it is not available here`/);
  const [row] = await fixture.query(
    `select settings->>'muted' as muted from checks where id = $1`,
    edge.checkId,
  );
  assert.equal(row?.muted, "false");
});

test("each host becomes a valid check body with its own confirmation", async (t) => {
  const fixture = await createAgentFixture(t);
  const question =
    "ping these five hosts every minute and page me at 20 % loss: 192.0.2.1, 192.0.2.2, " +
    "gw.example.net, example.com and 2001:db8::1, from Frankfurt, tagged edge, retry twice, " +
    "alert if slower than 50 ms, alert after 2 failures";
  const { text, confirmations } = await ask(fixture, [question], "check_config_generator");
  assert.equal(confirmations.length, 5, text);
  assert.doesNotMatch(text, /I could not use/);
  const bodies = [...text.matchAll(/```json\n([\s\S]*?)\n```/g)].map(([, json]) =>
    JSON.parse(json ?? ""),
  );
  assert.deepEqual(
    bodies.map(({ request }) => request.hostname),
    ["192.0.2.1", "192.0.2.2", "gw.example.net", "example.com", "2001:db8::1"],
  );
  for (const body of bodies) {
    assert.equal(body.frequency, 1);
    assert.equal(body.maxPacketLossThreshold, 20);
    assert.deepEqual(body.locations, ["eu-central-1"]);
    assert.deepEqual(body.tags, ["edge"]);
  }
});

test("another account's checks are not found, by name or by id", async (t) => {
  const { fixture, edge } = await createFixture(t);
  const stranger = { ...fixture, caller: createCaller("0190f3a2-7b1c-7def-8000-00000000beef") };
  const questions = ["what is failing?", "how is edge-router?", `status of ${edge.checkId}`];
  for (const question of [...questions, "list checks", `mute ${edge.checkId}`]) {
    const { text, confirmations } = await ask(stranger, [question]);
    assert.doesNotMatch(text, /failing since|packets were lost|core/, question);
    assert.deepEqual(confirmations, [], question);
  }
});
