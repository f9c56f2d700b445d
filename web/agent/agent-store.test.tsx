/** The conversation of a tab: streamed answers, decisions about actions, and what is stored. */
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import {
  type PartOptions,
  rejectRequest,
  renderPart,
  type SentRequest,
} from "../../test/support/components/part.tsx";
import { waitUntil } from "../../test/support/time/wait-until.ts";
import {
  ask,
  claimConversation,
  clearConversation,
  confirm,
  decline,
  readTurns,
  stopAnswer,
  subscribe,
} from "./agent-store.ts";

const accountId = "01999999-0000-7000-8000-000000000001";
const actionId = "01999999-0000-7000-8000-000000000002";
const checkId = "01999999-0000-7000-8000-000000000003";

let users = 0;
beforeEach(() => {
  sessionStorage.clear();
  users += 1;
  claimConversation(`user-${users}`, accountId);
});

const writeLines = (...chunks: readonly object[]) =>
  chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n`).join("\n");

const over = "data: [DONE]\n";
const stream = (text: string) =>
  new Response(text, { headers: { "content-type": "text/event-stream", "x-request-id": "req-1" } });

const confirmation = {
  type: "data-confirmation",
  id: actionId,
  data: {
    token: "secret-token",
    tool: "mute_check",
    title: "Mute a check",
    summary: "Mutes db-1",
    changes: [],
    expiresAt: "2026-11-18T12:00:00.000Z",
  },
};

/** Answers the requests of the store; nothing is rendered. */
const listen = (respond: NonNullable<PartOptions["respond"]>) => renderPart(<p />, { respond });

const question = (text: string) => ({ accountId, question: text, context: null });
const lastTurn = () => readTurns().at(-1);
const isQuestion = ({ path }: SentRequest) => path.endsWith("/ai/agents/stream");

test("a streamed answer is added as it arrives, with its sources", async () => {
  const text = [
    { type: "text-start" },
    { type: "text-delta", delta: "All " },
    { type: "text-delta", delta: "fine." },
    { type: "source-url", url: "https://v.example/v1/checks", title: "Checks" },
    { type: "unknown-to-this-version" },
  ];
  const part = listen(() => stream(writeLines(...text) + over));
  const states: string[] = [];
  const stop = subscribe(() => states.push(lastTurn()?.state ?? "none"));
  const context = { kind: "check", id: checkId } as const;
  await ask({ ...question("Is it fine?"), context });
  stop();
  assert.deepEqual(
    { text: lastTurn()?.text.trim(), state: lastTurn()?.state },
    { text: "All fine.", state: "done" },
  );
  assert.deepEqual(
    lastTurn()?.sources.map(({ title }) => title),
    ["Checks"],
  );
  assert.equal(states[0], "writing");
  const [{ body } = { body: null }] = part.sent;
  const { messages, timeZone, context: sent } = body as Record<string, unknown>;
  assert.deepEqual(messages, [{ role: "user", content: "Is it fine?" }]);
  assert.deepEqual(sent, context);
  assert.equal(timeZone, Intl.DateTimeFormat().resolvedOptions().timeZone);
});

test("a follow-up question carries the conversation, and a second one waits for the answer", async () => {
  const part = listen(() => stream(writeLines({ type: "text-delta", delta: "Yes." }) + over));
  await ask(question("First?"));
  const second = ask(question("Second?"));
  await ask(question("Ignored while an answer is written"));
  await second;
  assert.deepEqual(
    readTurns().map((turn) => turn.question),
    ["First?", "Second?"],
  );
  const { body } = part.sent[1] ?? { body: null };
  const { messages } = body as { readonly messages: readonly unknown[] };
  assert.deepEqual(messages, [
    { role: "user", content: "First?" },
    { role: "assistant", content: "Yes." },
    { role: "user", content: "Second?" },
  ]);
});

test("an answer that is cut keeps its text and offers the request ID", async () => {
  listen(() => stream(writeLines({ type: "text-delta", delta: "Half of" })));
  await ask(question("Is it fine?"));
  assert.equal(lastTurn()?.state, "failed");
  assert.equal(lastTurn()?.text, "Half of");
  assert.deepEqual(lastTurn()?.failure, {
    message: "The connection was cut before the answer was over.",
    requestId: "req-1",
  });
});

test("a rejected question shows the API's reason, and an error within the answer its text", async () => {
  let isRejected = true;
  listen(() =>
    isRejected
      ? rejectRequest(429, "Too many questions.")
      : stream(writeLines({ type: "error", errorText: "The model is unreachable." }) + over),
  );
  await ask(question("First?"));
  assert.deepEqual(
    [lastTurn()?.state, lastTurn()?.failure?.message],
    ["failed", "Too many questions."],
  );
  isRejected = false;
  await ask(question("Second?"));
  assert.deepEqual(
    [lastTurn()?.state, lastTurn()?.failure?.message],
    ["failed", "The model is unreachable."],
  );
});

/** An answer that goes on until it is aborted, as the body of a response does in a browser. */
function streamForever(text: string) {
  let abort = () => {};
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(`${text}\n`));
      abort = () => controller.error(new DOMException("Aborted", "AbortError"));
    },
  });
  return { response: new Response(body), abort: () => abort() };
}

test("an answer that is stopped keeps what has arrived, and the next question is accepted", async () => {
  const answer = streamForever(writeLines({ type: "text-delta", delta: "A long" }));
  listen(() => (readTurns().length === 1 ? answer.response : stream(over)));
  const asked = ask(question("Explain everything."));
  await waitUntil("text has arrived", () => lastTurn()?.text === "A long");
  stopAnswer();
  answer.abort();
  await asked;
  assert.deepEqual([lastTurn()?.state, lastTurn()?.text], ["stopped", "A long"]);
  await ask(question("And now?"));
  assert.deepEqual([lastTurn()?.state, lastTurn()?.question], ["done", "And now?"]);
});

test("an answer does not return after the conversation was cleared", async () => {
  const answer = streamForever(writeLines({ type: "text-delta", delta: "A long" }));
  listen(() => answer.response);
  const asked = ask(question("Explain everything."));
  await waitUntil("text has arrived", () => lastTurn()?.text === "A long");
  clearConversation();
  assert.deepEqual(readTurns(), []);
  answer.abort();
  await asked;
  assert.deepEqual(readTurns(), []);
});

async function propose(respond: NonNullable<PartOptions["respond"]>) {
  const part = listen((request) =>
    isQuestion(request) ? stream(writeLines(confirmation) + over) : respond(request),
  );
  await ask(question("Mute db-1"));
  const turn = lastTurn();
  assert.ok(turn);
  const decision = { accountId, turnId: turn.id, actionId };
  return { part, decision, readState: () => lastTurn()?.cards[0]?.state };
}

test("a confirmed action sends its token, which is neither shown nor stored", async () => {
  const outcome = { isDone: true, message: "db-1 is muted.", tool: "mute_check" };
  const { part, decision, readState } = await propose(() =>
    Response.json({ ...outcome, data: { targetId: checkId } }),
  );
  assert.deepEqual(readState(), { name: "waiting" });
  assert.equal(JSON.stringify(readTurns()).includes("secret-token"), false);
  assert.equal(JSON.stringify({ ...sessionStorage }).includes("secret-token"), false);
  await confirm(decision);
  const href = `/checks/${checkId}`;
  assert.deepEqual(readState(), { name: "done", message: "db-1 is muted.", href });
  assert.deepEqual(part.sent.at(-1)?.body, { token: "secret-token" });
  await confirm(decision);
  assert.deepEqual(readState(), { name: "gone" }, "a token is used once");
});

test("an action that the server does not execute stays open with the reason", async () => {
  let isReached = false;
  const { decision, readState } = await propose(() =>
    isReached
      ? Response.json({
          isDone: false,
          message: "The check changed.",
          tool: "mute_check",
          data: {},
        })
      : rejectRequest(403, "Your role does not allow this."),
  );
  await confirm(decision);
  assert.deepEqual(readState(), {
    name: "failed",
    message: "Your role does not allow this.",
    requestId: null,
  });
  isReached = true;
  await confirm(decision);
  assert.deepEqual(readState(), { name: "failed", message: "The check changed.", requestId: null });
});

test("a declined action cannot be confirmed afterwards", async () => {
  const { part, decision, readState } = await propose(() => new Response(null, { status: 204 }));
  await decline(decision);
  assert.deepEqual(readState(), { name: "declined" });
  const { method, path } = part.sent.at(-1) ?? {};
  assert.deepEqual(
    [method, path],
    ["DELETE", `/accounts/${accountId}/ai/confirmations/${actionId}`],
  );
  await confirm(decision);
  assert.deepEqual(readState(), { name: "gone" });
});

test("another user or account starts an empty conversation, and the first one finds theirs again", async () => {
  listen(() => stream(writeLines(confirmation, { type: "text-delta", delta: "Yes." }) + over));
  await ask(question("Mine?"));
  const own = `user-${users}`;
  claimConversation(own, "another-account");
  assert.deepEqual(readTurns(), []);
  claimConversation(own, accountId);
  assert.deepEqual(
    readTurns().map((turn) => [turn.question, turn.text, turn.cards[0]?.state.name]),
    [["Mine?", "Yes.", "gone"]],
    "the token of its action is lost",
  );
});
