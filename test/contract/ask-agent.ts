import assert from "node:assert/strict";
import { test } from "node:test";
import { assertError, assertInvalid, type ContractSetting, describeRefusals } from "./setting.ts";

const question = { messages: [{ role: "user", content: "What is failing?" }] };

/** Every piece of the body as it came. */
async function readPieces(response: Response): Promise<string[]> {
  const pieces: string[] = [];
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    pieces.push(piece);
  }
  return pieces;
}

const pathOf = ({ app }: ContractSetting) => `/accounts/${app.owner.accountId}/ai/agents/stream`;

function describeAnswers(setting: () => ContractSetting): void {
  const path = () => pathOf(setting());
  const ask = (body: object) => setting().post(path(), body);

  test("200: a string as application/json, piece by piece", async () => {
    const { app, readKey } = setting();
    const response = await fetch(`${app.url}${path()}`, {
      method: "POST",
      headers: { authorization: `Bearer ${readKey}`, "content-type": "application/json" },
      body: JSON.stringify(question),
    });
    assert.equal(response.status, 200);
    assert.match(response.headers.get("content-type") ?? "", /^application\/json/);
    assert.equal(response.headers.get("transfer-encoding"), "chunked");
    const pieces = await readPieces(response);
    assert.equal(pieces[0]?.[0], '"');
    assert.ok(pieces.length >= 2, String(pieces.length));
    const answer: unknown = JSON.parse(pieces.join(""));
    assert.ok(typeof answer === "string" && answer.length > 0);
  });

  test("200: text/event-stream if the client accepts it", async () => {
    const headers = { accept: "text/event-stream" };
    const answer = await setting().app.call("POST", path(), { body: question, headers });
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get("content-type") ?? "", /^text\/event-stream/);
    assert.equal(answer.headers.get("x-vercel-ai-ui-message-stream"), "v1");
    assert.match(answer.text, /^data: \{"type":"start"\}\n\n/);
    assert.match(answer.text, /data: \{"type":"finish"\}\n\ndata: \[DONE\]\n\n$/);
  });

  test("200: messages with content or with parts, of all three roles; both agents", async () => {
    const parts = [{ type: "text", text: "Hello" }];
    const messages = [
      { role: "system", content: "Be brief." },
      { role: "assistant", parts },
      { role: "user", parts, id: "extra", metadata: {} },
    ];
    for (const agent of ["basic", "check_config_generator"]) {
      const { status, body } = await ask({ messages, agent, id: "extra" });
      assert.equal(status, 200);
      assert.equal(typeof body, "string");
    }
  });
}

function describeFaults(setting: () => ContractSetting): void {
  const path = () => pathOf(setting());
  const ask = (body: object) => setting().post(path(), body);
  const say = (...messages: object[]) => ask({ messages });

  test("400: messages that are missing, none, too many, of no role, without or with too much text", async () => {
    const user = (content: unknown) => ({ role: "user", content });
    assertInvalid(await ask({}), "messages");
    assertInvalid(await ask({ messages: [] }), "messages");
    assertInvalid(await say(...Array(101).fill(user("x"))), "messages");
    assertInvalid(await say({ role: "robot", content: "x" }), "messages.0.role");
    assertInvalid(await say({ content: "x" }), "messages.0.role");
    assertInvalid(await say({ role: "user" }), "messages.0.content");
    assertInvalid(await say(user(7)), "messages.0.content");
    assertInvalid(await say(user("x".repeat(100_001))), "messages");
  });

  test("400: an unknown agent, naming the known ones", async () => {
    const answer = await ask({ ...question, agent: "advanced" });
    assertInvalid(answer, "agent");
    assert.match(answer.body.message, /basic, check_config_generator/);
  });

  test("400: an account that is no GUID; 403: an account there is not", async () => {
    assertInvalid(
      await setting().post("/accounts/mine/ai/agents/stream", question),
      "accountId",
      "params",
    );
    const nowhere = "/accounts/0198c1f0-0000-7000-8000-000000000000/ai/agents/stream";
    assertError(await setting().post(nowhere, question), 403, "Forbidden");
  });

  test("405, 413 and 415: the wrong method, size and type", async () => {
    const { app } = setting();
    assertError(await app.call("GET", path()), 405);
    assertError(await app.call("POST", path(), { rawBody: `"${"x".repeat(2 ** 20)}"` }), 413);
    const headers = { "content-type": "text/plain" };
    assertError(await app.call("POST", path(), { rawBody: "What?", headers }), 415);
  });
}

export function describeAskAgent(setting: () => ContractSetting): void {
  describeAnswers(setting);
  describeFaults(setting);
  // On the small server it is another's account, which is refused too until there is too much.
  const operation = () => ({
    method: "POST",
    path: pathOf(setting()),
    body: question,
    isAccountInPath: true as const,
  });
  describeRefusals(setting, operation, [403]);
}
