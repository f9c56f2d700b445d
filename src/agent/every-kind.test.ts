/** Questions of an on-call engineer about checks of every kind, on real data. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startTestApp, type TestApp } from "../../test/support/apps/app.ts";
import { isLongRun } from "../../test/support/long-run.ts";
import { allKinds } from "../kinds/index.ts";

let app: TestApp;
before(async () => {
  app = await startTestApp();
});
after(() => app.stop());

async function ask(content: string): Promise<string> {
  const path = `/accounts/${app.owner.accountId}/ai/agents/stream`;
  const body = { messages: [{ role: "user", content }] };
  return String((await app.call("POST", path, { body })).body);
}

async function newCheck(body: object): Promise<string> {
  const made = await app.call("POST", "/v1/checks", { body });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}

async function run(checkId: string): Promise<void> {
  const body = { target: { checkId: [checkId] } };
  const { body: triggered } = await app.call("POST", "/v2/check-sessions/trigger", { body });
  const id = triggered.sessions[0].checkSessionId;
  await app.call("GET", `/v2/check-sessions/${id}/completion?maxWaitSeconds=30`);
}

const questions: readonly string[] = [
  "is Checkout ok?",
  "is Checkout down",
  "why is Checkout failing?",
  "why is Checkout slow",
  "since when is Checkout like that",
  "what does Checkout check and how often?",
  "what are the thresholds of Checkout",
  "latest results of Checkout",
  "show the last run of Checkout in detail",
  "availability of Checkout today",
  "latency of Checkout in the last hour",
  "compare Checkout and Billing",
  "compare Checkout with yesterday",
  "did Checkout run last night",
  "is it the network or Checkout itself?",
  "which locations see Checkout failing",
  "summarise Checkout",
];

const nonsense =
  /undefined|\bNaN\b|\[object|\bnull\b|I cannot answer|I know no|I could not use|Which one/;

/** Each question is asked about some kinds; in the long run about all. */
const every = isLongRun ? 1 : 4;

for (const [place, kind] of allKinds.entries()) {
  const { type, operations, isOrdered } = kind;

  test(`${type}: every question about a check with runs gets a sensible answer`, async (t) => {
    const ids: string[] = [];
    for (const name of ["Checkout", "Billing"]) {
      const body = { checkType: type, name, frequency: 1_440, ...operations.example };
      ids.push(await newCheck(body));
    }
    t.after(() => Promise.all(ids.map((id) => app.call("DELETE", `/v1/checks/${id}`))));
    if (isOrdered) for (const id of ids) await run(id);
    app.clock.advance(60_000);
    const wrong: string[] = [];
    for (const question of questions.filter((_, index) => (index + place) % every === 0)) {
      const text = await ask(question);
      if (nonsense.test(text) || !/Checkout|There is no data/.test(text))
        wrong.push(`${question}\n${text}`);
    }
    assert.deepEqual(wrong, []);
  });
}
