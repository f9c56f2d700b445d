/** The event stream, read by the AI SDK's own client. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  DefaultChatTransport,
  readUIMessageStream,
  UI_MESSAGE_STREAM_HEADERS,
  type UIMessage,
  type UIMessageChunk,
} from "ai";
import { type AgentApp, startAgentApp } from "../../../test/support/apps/agent-app.ts";
import { ownerKey } from "../../../test/support/apps/app.ts";
import { eventStreamHeaders } from "./answers.ts";

let app: AgentApp;
before(async () => {
  app = await startAgentApp();
});
after(() => app.stop());

const userMessage = (text: string): UIMessage => ({
  id: "question",
  role: "user",
  parts: [{ type: "text", text }],
});

interface Heard {
  readonly message: UIMessage | undefined;
  readonly chunks: readonly UIMessageChunk[];
}

/** Uses the client like an application that knows only the URL and the key. */
async function chat(messages: UIMessage[], body: object = {}): Promise<Heard> {
  const transport = new DefaultChatTransport({
    api: `${app.url}${app.streamPath}`,
    headers: { authorization: `Bearer ${ownerKey}` },
    body,
  });
  const stream = await transport.sendMessages({
    trigger: "submit-message",
    chatId: "chat",
    messageId: undefined,
    messages,
    abortSignal: undefined,
  });
  const [forMessage, forChunks] = stream.tee();
  const chunks: UIMessageChunk[] = [];
  const listing = (async () => {
    for await (const chunk of forChunks as unknown as AsyncIterable<UIMessageChunk>) {
      chunks.push(chunk);
    }
  })();
  let message: UIMessage | undefined;
  for await (const state of readUIMessageStream({ stream: forMessage, onError: () => {} })) {
    message = state;
  }
  await listing;
  return { message, chunks };
}

test("the headers equal those of the SDK", () => {
  assert.deepEqual(eventStreamHeaders, UI_MESSAGE_STREAM_HEADERS);
});

test("a body in the SDK's shape receives events, unless the client accepts JSON", async () => {
  const shape = { id: "chat", trigger: "submit-message", messages: [userMessage("Hello")] };
  const contract = { messages: [{ role: "user", content: "Hello" }], agent: "basic" };
  const json = "application/json; charset=utf-8";
  const cases: [object, Record<string, string>, string][] = [
    [shape, {}, "text/event-stream"],
    [shape, { accept: "*/*" }, "text/event-stream"],
    [shape, { accept: "application/json" }, json],
    [contract, {}, json],
    [contract, { accept: "*/*" }, json],
    [contract, { accept: "text/event-stream" }, "text/event-stream"],
    [{ ...contract, id: "chat", trigger: "submit-message" }, {}, json],
  ];
  for (const [body, headers, type] of cases) {
    app.model.behave(() => ({ pieces: ["Hello."] }));
    const answer = await app.call("POST", app.streamPath, { body, headers });
    assert.deepEqual([answer.status, answer.headers.get("content-type")], [200, type]);
    if (type === json) assert.equal(JSON.parse(answer.text), "Hello.");
  }
});

test("a stock client reads text, tools, sources and the end", async () => {
  const checkId = await app.newCheck({ name: "Gateway" });
  app.model.behave((_request, index) =>
    index === 0
      ? { pieces: ["Looking. "], toolCalls: [{ name: "get_check", input: { checkId } }] }
      : {
          pieces: ["It is ", `[Gateway](https://vedette.example/checks/${checkId}) 😀.`],
        },
  );
  const { message } = await chat([userMessage("What is it?")]);
  const parts = message?.parts.filter(({ type }) => type !== "step-start") ?? [];
  assert.deepEqual(
    parts.map(({ type }) => type),
    ["text", "dynamic-tool", "text", "source-url"],
  );
  const [first, tool, last, source] = parts;
  assert.equal(first?.type === "text" && first.text, "Looking. ");
  assert.ok(tool?.type === "dynamic-tool" && tool.state === "output-available");
  assert.equal((tool.output as { data: { name: string } }).data.name, "Gateway");
  assert.ok(source?.type === "source-url");
  assert.equal(source.url, `https://vedette.example/checks/${checkId}`);
  assert.ok(last?.type === "text" && last.state === "done");
  assert.match(last.text, /^It is \[Gateway\]\(.*\) 😀\.$/);
});

test("a source that the text does not cite is not listed", async () => {
  const checkId = await app.newCheck({ name: "Gateway" });
  app.model.behave((_request, index) =>
    index === 0
      ? { toolCalls: [{ name: "get_check", input: { checkId } }] }
      : { pieces: ["It is fine."] },
  );
  const { chunks } = await chat([userMessage("What is it?")]);
  assert.equal(chunks.filter(({ type }) => type === "source-url").length, 0);
});

test("the client's messages can be sent back unchanged to continue the conversation", async () => {
  app.model.behave(() => ({ pieces: ["First."] }));
  const { message } = await chat([userMessage("One")]);
  assert.ok(message);
  app.model.behave(() => ({ pieces: ["Second."] }));
  const again = await chat([userMessage("One"), message, userMessage("Two")]);
  assert.ok(again.message?.parts.some((part) => part.type === "text" && part.text === "Second."));
  const sent = app.model.requests[0]?.body.messages.slice(1);
  assert.deepEqual(
    sent.map(({ content }: { content: string }) => content),
    ["One", "First.", "Two"],
  );
});

test("the token of a proposed action is not part of the message", async () => {
  const checkId = await app.newCheck({ name: "Gateway" });
  app.model.behave((_request, index) =>
    index === 0
      ? { toolCalls: [{ name: "mute_check", input: { checkId, muted: true } }] }
      : { pieces: ["Shall I?"] },
  );
  const { message, chunks } = await chat([userMessage("Mute it")]);
  const proposed = chunks.find(({ type }) => type === "data-confirmation");
  assert.ok(proposed !== undefined && "data" in proposed);
  const { token, tool, summary } = proposed.data as Record<string, string>;
  assert.equal(tool, "mute_check");
  assert.match(summary ?? "", /^Mute the check "Gateway"/);
  const { title, changes } = proposed.data as { readonly title: string; readonly changes: unknown };
  assert.equal(title, "Mute a check");
  assert.deepEqual(changes, [{ what: "Its alerts", before: "sent", after: "muted" }]);
  assert.equal(JSON.stringify(message).includes("vdc_"), false);
  const done = await chat([userMessage("Mute it")], { confirmation: token });
  const text = done.message?.parts.find(({ type }) => type === "text");
  assert.ok(text?.type === "text");
  assert.equal(text.text, 'Done. `The check "Gateway" is muted.`');
  assert.equal((await app.call("GET", `/v1/checks/${checkId}`)).body.muted, true);
});

test("a failing model is an error for the client, with the reason in the text", async () => {
  app.model.behave(() => ({ pieces: ["Half"], isBroken: true }));
  const { message, chunks } = await chat([userMessage("Break")]);
  const error = chunks.find(({ type }) => type === "error");
  assert.ok(error?.type === "error");
  assert.equal(error.errorText, "The model's answer was cut off and ends here.");
  const texts = message?.parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  assert.deepEqual(texts, ["Half", "The model's answer was cut off and ends here."]);
});

test("a large tool result is complete for the model and shortened for the client", async () => {
  for (let count = 0; count < 60; count += 1) {
    await app.newCheck({ name: `Host ${count}`, tags: ["x".repeat(200)] });
  }
  app.model.behave((_request, index) =>
    index === 0
      ? { toolCalls: [{ name: "list_checks", input: { limit: 60 } }] }
      : { pieces: ["Many."] },
  );
  const { message } = await chat([userMessage("List all")]);
  const tool = message?.parts.find(({ type }) => type === "dynamic-tool");
  assert.ok(tool?.type === "dynamic-tool" && tool.state === "output-available");
  assert.equal((tool.output as { isTruncated: boolean }).isTruncated, true);
  assert.ok((app.model.requests[1]?.text.length ?? 0) > 20_000);
});
