import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  type AgentApp,
  findTokens,
  openStream,
  startAgentApp,
} from "../../../test/support/apps/agent-app.ts";
import { createKey } from "../../../test/support/apps/cast.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";

let app: AgentApp;
before(async () => {
  app = await startAgentApp({ AI_STREAMS_PER_ACCOUNT: "3" });
});
after(() => app.stop());

const quick = { "retry-after-ms": "1" };

test("the answer is one JSON string, written as the model writes", async () => {
  const { model } = app;
  const gate = Promise.withResolvers<void>();
  const beforePiece = (index: number) => (index === 2 ? gate.promise : Promise.resolve());
  model.behave(() => ({ pieces: ["All ", '"well"\n', "here."], beforePiece }));
  const response = await openStream(app, "How are things?");
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("content-type"), "application/json; charset=utf-8");
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes("well")) text += (await reader?.read())?.value ?? "";
  assert.equal(text, '"All \\"well\\"\\n', "the rest is not written yet, and this has come");
  gate.resolve();
  for (let next = await reader?.read(); next?.value; next = await reader?.read()) {
    text += next.value;
  }
  assert.equal(JSON.parse(text), 'All "well"\nhere.');
});

test("the first byte does not wait for the model", async () => {
  const gate = Promise.withResolvers<void>();
  app.model.behave(async () => {
    await gate.promise;
    return { pieces: ["Late."] };
  });
  const response = await openStream(app, "Hello?");
  const reader = response.body?.getReader();
  const first = await reader?.read();
  assert.equal(Buffer.from(first?.value ?? []).toString(), '"');
  gate.resolve();
  await reader?.cancel();
});

test("a character split by the model arrives whole", async () => {
  app.model.behave(() => ({ pieces: ["a \ud83d", "\ude00 b", " \ud83d"] }));
  assert.equal(await app.askText("Smile"), "a 😀 b \ufffd");
});

test("messages may have content, parts, or parts in content; other parts are ignored", async () => {
  app.model.behave(() => ({ pieces: ["Yes."] }));
  const messages = [
    { role: "system", content: "You are a pirate." },
    {
      role: "user",
      content: [
        { type: "text", text: "One" },
        { type: "file", url: "x" },
      ],
    },
    { role: "assistant", parts: [{ type: "step-start" }, { type: "text", text: "Two" }] },
    {
      role: "user",
      id: "m",
      parts: [
        { type: "text", text: "Three" },
        { type: "tool-x", input: {} },
      ],
    },
  ];
  const { status } = await app.ask("", { messages, id: "chat", trigger: "submit-message" });
  assert.equal(status, 200);
  const sent = app.model.requests[0]?.body.messages as { role: string; content: string }[];
  assert.deepEqual(
    sent.slice(1).map(({ role, content }) => [role, content]),
    [
      ["user", "You are a pirate."],
      ["user", "One"],
      ["assistant", "Two"],
      ["user", "Three"],
    ],
  );
  assert.equal(sent.filter(({ role }) => role === "system").length, 1, "ours alone rules");
});

test("an invalid question is rejected before anything is written", async () => {
  const rejected: readonly (readonly [object, RegExp])[] = [
    [{ messages: [] }, /^messages must have at least 1 entry/],
    [{ messages: "hi" }, /^messages must be a list/],
    [{ messages: undefined }, /^messages is required/],
    [{ messages: Array(101).fill({ role: "user", content: "x" }) }, /^messages must have at most/],
    [{ messages: [{ role: "tool", content: "x" }] }, /^messages.0.role must be one of user/],
    [{ messages: [{ role: "user" }] }, /^messages.0.content is required, or parts/],
    [{ messages: [{ role: "user", content: "  " }] }, /^messages must contain text/],
    [{ messages: [{ role: "assistant", content: "x" }] }, /^messages must contain text/],
    [{ messages: [{ role: "user", content: "x".repeat(100_001) }] }, /at most 100000 bytes/],
    [{ agent: "root" }, /^agent must be one of basic, check_config_generator$/],
    [{ confirmation: "yes" }, /^confirmation /],
    [{ confirmation: `vdc_${"a".repeat(60)}` }, /^confirmation is not a valid token/],
  ];
  for (const [more, message] of rejected) {
    const { status, body } = await app.ask("hi", more);
    assert.equal(status, 400, JSON.stringify(more).slice(0, 80));
    assert.match(body.message, message);
  }
  const large = JSON.stringify({ messages: [{ role: "user", content: "x".repeat(2 ** 20) }] });
  assert.equal((await app.call("POST", app.streamPath, { rawBody: large })).status, 413);
});

test("hostile bodies are rejected", async () => {
  const message = (text: string) => `{"messages":[{"role":"user","content":${text}}]}`;
  const bodies: (string | Uint8Array<ArrayBuffer>)[] = [
    message('"a\\u0000b"'),
    message('"\\ud800"'),
    '{"__proto__":{"role":"OWNER"},"messages":[{"role":"user","content":"x"}]}',
    `{"messages":${"[".repeat(10_000)}`,
    new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
    "null",
    "[]",
  ];
  for (const rawBody of bodies) {
    const { status, body } = await app.call("POST", app.streamPath, { rawBody });
    assert.equal(status, 400, String(rawBody).slice(0, 60));
    assert.equal(body.error, "Bad Request");
  }
  assert.equal((await app.call("GET", app.streamPath)).status, 405);
});

test("tools are called for the model, which receives their results", async () => {
  const checkId = await app.newCheck({ name: "Gateway" });
  app.model.behave((_request, index) =>
    index === 0
      ? { pieces: ["Let me look. "], toolCalls: [{ name: "get_check", input: { checkId } }] }
      : { pieces: ["It is Gateway."] },
  );
  assert.equal(await app.askText("What is it?"), "Let me look. \n\nIt is Gateway.");
  const received = app.model.requests[1]?.body.messages.at(-1);
  assert.equal(received.role, "tool");
  const { data, sources } = JSON.parse(received.content);
  assert.equal(data.name, "Gateway");
  assert.equal(sources[0].url, `https://vedette.example/checks/${checkId}`);
});

test("a model that keeps calling tools is stopped after eight steps", async () => {
  app.model.behave(() => ({ toolCalls: [{ name: "list_checks", input: {} }] }));
  assert.match(await app.askText("Loop"), /more steps than allowed/);
  assert.equal(app.model.requests.length, 8);
});

test("the number of tool calls of a model is limited", async () => {
  const toolCalls = Array.from({ length: 60 }, () => ({ name: "list_checks", input: {} }));
  app.model.behave((_request, index) => (index === 0 ? { toolCalls } : { pieces: ["Done."] }));
  assert.equal(await app.askText("Many"), "Done.");
  const received = app.model.requests[1]?.text ?? "";
  assert.equal(received.split("No further calls are allowed.").length - 1, 60 - 24);
});

test("calls of unknown tools or with invalid input are reported to the model", async () => {
  const toolCalls = [
    { name: "drop_tables", input: {} },
    { name: "get_check", input: { checkId: 7 } },
  ];
  app.model.behave((_request, index) => (index === 0 ? { toolCalls } : { pieces: ["Sorry."] }));
  assert.equal(await app.askText("Try"), "Sorry.");
});

test("if the model is cut off, its text is kept and the JSON stays valid", async () => {
  app.model.behave(() => ({ pieces: ["Half of an answer"], isBroken: true }));
  assert.equal(
    await app.askText("Break"),
    "Half of an answer\n\nThe model's answer was cut off and ends here.",
  );
  await waitUntil("it is kept that it broke off", async () => {
    const page = await app.call("GET", `/accounts/${app.owner.accountId}/ai/agents/exchanges`);
    return page.body.entries[0].failure === "The connection was interrupted.";
  });
});

test("a rejected request is retried once, and then reported by its status only", async () => {
  for (const status of [429, 500, 503]) {
    const rawBody = '{"error":{"message":"internal secret detail"}}';
    app.model.behave(() => ({ status, rawBody, headers: quick }));
    const text = await app.askText("Please");
    assert.equal(text, `The model rejected the request (HTTP ${status}). The answer ends here.`);
    assert.equal(app.model.requests.length, 2);
  }
  app.model.behave(() => ({ status: 401, rawBody: "{}" }));
  assert.match(await app.askText("Please"), /HTTP 401/);
  assert.equal(app.model.requests.length, 1, "a key that is wrong stays wrong");
  assert.equal(app.logText().includes("internal secret detail"), false);
});

test("an invalid response of the model ends with a sentence", async () => {
  for (const rawBody of ["<html>", "", "{}", "data: {", "\u0000"]) {
    app.model.behave(() => ({ status: 200, rawBody }));
    assert.match(await app.askText("Speak"), /The answer ends here|ends here/);
  }
});

test("an answer cut by the model's limit reports it", async () => {
  app.model.behave(() => ({ pieces: ["So long"], finishReason: "length" }));
  assert.equal(await app.askText("Talk"), "So long\n\nThe answer is too long and ends here.");
});

test("an endless answer is stopped", async () => {
  const pieces = Array.from({ length: 70 }, () => "x".repeat(1_000));
  app.model.behave(() => ({ pieces }));
  const text = await app.askText("Talk");
  assert.ok(text.length <= 60_100, String(text.length));
  assert.match(text, /too long and ends here\.$/);
});

test("a disconnected reader stops the work, including the model", async () => {
  const { model } = app;
  model.behave(() => ({ pieces: ["One "], isSilent: true }));
  const before = model.abandoned();
  const controller = new AbortController();
  const response = await openStream(app, "Wait", { signal: controller.signal });
  const reader = response.body?.getReader();
  let text = "";
  while (!text.includes("One")) text += Buffer.from((await reader?.read())?.value ?? []).toString();
  controller.abort();
  await reader?.read().catch(() => {});
  await waitUntil("the model is left alone", async () => model.abandoned() === before + 1);
});

test("the number of concurrent answers per account is limited, with 429 and Retry-After", async () => {
  app.model.behave(() => ({ pieces: ["Hm"], isSilent: true }));
  const controllers = [1, 2, 3].map(() => new AbortController());
  const open = await Promise.all(
    controllers.map(({ signal }) => openStream(app, "Wait", { signal })),
  );
  assert.deepEqual(
    open.map(({ status }) => status),
    [200, 200, 200],
  );
  const rejected = await app.ask("And me?");
  assert.equal(rejected.status, 429);
  assert.equal(rejected.headers.get("retry-after"), "5");
  for (const controller of controllers) controller.abort();
  app.model.behave(() => ({ pieces: ["Now."] }));
  await waitUntil("there is room again", async () => (await app.ask("Now?")).status === 200);
});

test("with a read key, the model is offered only read tools", async () => {
  const { key } = await createKey(app, "READ_ONLY");
  const checkId = await app.newCheck();
  app.model.behave((_request, index) =>
    index === 0
      ? { toolCalls: [{ name: "mute_check", input: { checkId, muted: true } }] }
      : { pieces: ["I cannot."] },
  );
  const { status, body } = await app.ask("Mute it", {}, { key });
  assert.equal(status, 200);
  assert.deepEqual(findTokens(body), []);
  const names = app.model.requests[0]?.body.tools.map(
    (tool: { function: { name: string } }) => tool.function.name,
  );
  assert.ok(names.includes("get_status"));
  for (const name of ["mute_check", "create_check", "run_check"]) {
    assert.equal(names.includes(name), false, name);
  }
});

test("the check generator has only the tools it needs", async () => {
  app.model.behave(() => ({ pieces: ["Which host?"] }));
  await app.ask("ping", { agent: "check_config_generator" });
  const names = app.model.requests[0]?.body.tools.map(
    (tool: { function: { name: string } }) => tool.function.name,
  );
  assert.deepEqual(names.sort(), ["create_check", "get_check", "list_checks", "list_locations"]);
});
