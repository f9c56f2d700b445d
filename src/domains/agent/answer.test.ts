import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createAgentFixture } from "../../../test/support/modules/agent.ts";
import {
  type ModelBehaviour,
  startModelServer,
} from "../../../test/support/servers/model-server.ts";
import { type AnswerLimits, answer, defaultLimits } from "./answer.ts";
import type { AnswerEvent } from "./answer-event.ts";

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

test("a model that falls silent is not waited for", async (t) => {
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

test("a model that drips words is stopped when the time is over", async (t) => {
  const pieces = Array.from({ length: 100_000 }, () => "drip ");
  const events = await ask(t, () => ({ pieces, isDripping: true }), { answerMs: 400 });
  assert.equal(endOf(events), "out-of-time");
});

test("a server that stops ends the answer with a sentence", async (t) => {
  const behaviour = () => ({ pieces: ["One", "Two"], isSilent: true });
  assert.equal(endOf(await ask(t, behaviour, { abort: "stopping" })), "stopping");
});

test("a model that is not there is told of in our words", async (t) => {
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
    /^The model cannot be reached: That port belongs to another protocol/,
  );
});

test("a model is shown so much of what tools give, and told to ask for less", async (t) => {
  let told: string[] = [];
  const events = await ask(
    t,
    (request, index) => {
      const messages = request.body.messages as { role: string; content: string }[];
      told = messages.filter(({ role }) => role === "tool").map(({ content }) => content);
      const input = { limit: index + 1 };
      return index < 4 ? { toolCalls: [{ name: "list_checks", input }] } : { pieces: ["Enough."] };
    },
    { toolCharsTogether: 100 },
  );
  assert.equal(endOf(events), "complete");
  assert.deepEqual(
    told.map((content) => content.includes("Request less")),
    [false, false, true, true],
  );
});

test("a fault of ours in a tool is told without its words, and the answer goes on", async (t) => {
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
  const told = model.requests[1]?.body.messages.at(-1).content;
  assert.deepEqual(JSON.parse(told), {
    data: { error: "failed", message: "The tool failed. See the server's log for the reason." },
    sources: [],
  });
});
