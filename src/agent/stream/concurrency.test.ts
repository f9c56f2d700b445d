import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type AgentApp, openStream, startAgentApp } from "../../../test/support/apps/agent-app.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";

let app: AgentApp;
before(async () => {
  app = await startAgentApp({ AI_STREAMS_PER_ACCOUNT: "200" });
});
after(() => app.stop());

async function readOpen(): Promise<string | undefined> {
  const { text } = await app.call("GET", "/metrics", { key: null });
  return /^vedette_agent_open_streams (\d+)$/m.exec(text)?.[1];
}

test("a hundred concurrent answers each match their question", async () => {
  // The first question loads the AI SDK, so that the others need not wait for it.
  app.model.behave(() => ({ pieces: ["Hello"] }));
  assert.equal(await app.askText("Hello"), "Hello");
  const allAreAsked = Promise.withResolvers<void>();
  app.model.behave(async (request, index) => {
    if (index === 99) allAreAsked.resolve();
    // All requests are in progress before the first is answered.
    await allAreAsked.promise;
    return { pieces: ["You asked: ", request.body.messages.at(-1).content] };
  });
  const texts = Array.from({ length: 100 }, (_, index) => `question ${index}`);
  const answers = await Promise.all(texts.map((text) => app.askText(text)));
  assert.deepEqual(
    answers,
    texts.map((text) => `You asked: ${text}`),
  );
});

test("disconnected readers leave nothing behind", async () => {
  app.model.behave(() => ({ pieces: ["Hm"], isSilent: true }));
  const before = app.model.abandoned();
  const controller = new AbortController();
  const { signal } = controller;
  const readers = 20;
  const streams = Array.from({ length: readers }, () => openStream(app, "Wait", { signal }));
  for (const { status } of await Promise.all(streams)) assert.equal(status, 200);
  await waitUntil("the model hears all", async () => app.model.requests.length === readers);
  await waitUntil("all are under way", async () => (await readOpen()) === `${readers}`);
  controller.abort();
  await waitUntil(
    "the model is left alone",
    async () => app.model.abandoned() === before + readers,
  );
  await waitUntil("nothing is under way", async () => (await readOpen()) === "0");
  await waitUntil("all are counted", async () => {
    const { text } = await app.call("GET", "/metrics", { key: null });
    return text.includes(`vedette_agent_answers_total{end="closed"} ${readers}\n`);
  });
});

test("a stopping server ends its answers as valid JSON", async () => {
  const own = await startAgentApp();
  own.model.behave(() => ({ pieces: ["So far"], isSilent: true }));
  const response = await openStream(own, "Wait");
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes("So far")) text += (await reader?.read())?.value ?? "";
  const stopped = own.stop();
  for (let next = await reader?.read(); next?.value; next = await reader?.read()) {
    text += next.value;
  }
  assert.match(JSON.parse(text), /^So far\n\nThe server is stopping\./);
  await stopped;
});
