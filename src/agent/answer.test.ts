import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createAgentFixture } from "../../test/support/modules/agent.ts";
import { type ModelBehaviour, startModelServer } from "../../test/support/servers/model-server.ts";
import { answer, defaultLimits } from "./answer.ts";
import type { AnswerEvent } from "./answer-event.ts";
import type { AnswerLimits } from "./answer-run.ts";

async function ask(
  t: TestContext,
  behaviour: ModelBehaviour,
  { abort, ...limits }: Partial<AnswerLimits> & { readonly abort?: string } = {},
): Promise<AnswerEvent[]> {
  const model = await startModelServer();
  t.after(() => model.stop());
  model.behave(behaviour);
  const endpoint = { baseUrl: model.url, apiKey: null, model: "m" };
  const { context, caller } = await createAgentFixture(t, { endpoint });
  const controller = new AbortController();
  const question = { agent: "basic", messages: [{ role: "user", text: "Well?" }] } as const;
  const handle = { controller, limits: { ...defaultLimits, ...limits } };
  const events: AnswerEvent[] = [];
  for await (const event of answer(context, caller, question, handle)) {
    events.push(event);
    if (abort !== undefined) controller.abort(abort);
  }
  assert.equal(controller.signal.aborted, true, "whatever is left of the work is ended");
  assert.equal(
    model.requests[0]?.headers.authorization,
    undefined,
    "no key is sent that is not set",
  );
  return events;
}

const endOf = (events: readonly AnswerEvent[]) => {
  const last = events.at(-1);
  return last?.type === "end" ? last.reason : null;
};

test("a model that stops responding is abandoned", async (t) => {
  const events = await ask(t, () => ({ pieces: ["Hm"], isSilent: true }), { silenceMs: 3_000 });
  assert.deepEqual(events, [
    { type: "text", text: "Hm" },
    {
      type: "end",
      reason: "silence",
      text: "The model stopped responding. The answer ends here.",
    },
  ]);
});

test("a slow model is stopped when the time limit is reached", async (t) => {
  const pieces = Array.from({ length: 100_000 }, () => "drip ");
  const events = await ask(t, () => ({ pieces, isDripping: true }), { answerMs: 400 });
  assert.equal(endOf(events), "out-of-time");
});

test("a stopping server ends the answer with a sentence", async (t) => {
  const behaviour = () => ({ pieces: ["One", "Two"], isSilent: true });
  assert.equal(endOf(await ask(t, behaviour, { abort: "stopping" })), "stopping");
});

test("an unreachable model is reported with a fixed message", async (t) => {
  const { context, caller } = await createAgentFixture(t, {
    endpoint: { baseUrl: "http://127.0.0.1:1/v1", apiKey: null, model: "m" },
  });
  const question = { agent: "basic", messages: [{ role: "user", text: "Well?" }] } as const;
  const events: AnswerEvent[] = [];
  const handle = { controller: new AbortController() };
  for await (const event of answer(context, caller, question, handle)) events.push(event);
  const [end] = events;
  assert.equal(end?.type, "end");
  assert.match(
    end?.type === "end" ? (end.text ?? "") : "",
    /^The model cannot be reached: This port is reserved for another protocol/,
  );
});

test("tool results for a model are limited, with advice to request less", async (t) => {
  let received: string[] = [];
  const events = await ask(
    t,
    (request, index) => {
      const messages = request.body.messages as { role: string; content: string }[];
      received = messages.filter(({ role }) => role === "tool").map(({ content }) => content);
      const input = { limit: index + 1 };
      return index < 4 ? { toolCalls: [{ name: "list_checks", input }] } : { pieces: ["Enough."] };
    },
    { toolCharsTogether: 100 },
  );
  assert.equal(endOf(events), "complete");
  assert.deepEqual(
    received.map((content) => content.includes("Request less")),
    [false, false, true, true],
  );
});

test("an internal error in a tool is reported without details, and the answer continues", async (t) => {
  const model = await startModelServer();
  t.after(() => model.stop());
  model.behave((_request, index) =>
    index === 0 ? { toolCalls: [{ name: "list_checks", input: {} }] } : { pieces: ["Sorry."] },
  );
  const endpoint = { baseUrl: model.url, apiKey: null, model: "m" };
  const { context, caller, query } = await createAgentFixture(t, { endpoint });
  await query("alter table checks rename to secret_table");
  const question = { agent: "basic", messages: [{ role: "user", text: "Well?" }] } as const;
  const handle = { controller: new AbortController() };
  const events: AnswerEvent[] = [];
  for await (const event of answer(context, caller, question, handle)) events.push(event);
  assert.equal(endOf(events), "complete");
  const received = model.requests[1]?.body.messages.at(-1).content;
  assert.deepEqual(JSON.parse(received), {
    data: { error: "failed", message: "The tool failed. See the server's log for the reason." },
    sources: [],
  });
});
