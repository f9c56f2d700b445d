/** Responses that are read while they arrive, files, and responses that are not of the product. */
import assert from "node:assert/strict";
import { afterEach, mock, test } from "node:test";
import {
  type PartOptions,
  rejectRequest,
  renderPart,
} from "../../test/support/components/part.tsx";
import { waitUntil } from "../../test/support/time/wait-until.ts";
import type { AgentEvent } from "./agent-event.ts";
import { ApiError } from "./api-error.ts";
import { askAgent } from "./ask-agent.ts";
import { chooseAccount } from "./chosen-account.ts";
import { api, onSecondFactorNeeded, onSessionEnd, send, sendFull } from "./client.ts";
import { downloadFile } from "./download.ts";
import { followPath, type TrialEvent, tryCheck } from "./try-check.ts";

afterEach(() => chooseAccount(null));

const listen = (respond: NonNullable<PartOptions["respond"]>) => renderPart(<p />, { respond });

/** A body that the test writes piece by piece. */
function createBody() {
  let controller: ReadableStreamDefaultController<Uint8Array>;
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    start: (own) => {
      controller = own;
    },
    cancel: () => {
      isCancelled = true;
    },
  });
  return {
    respond: () => new Response(body, { headers: { "x-request-id": "r-1" } }),
    write: (text: string) => controller.enqueue(new TextEncoder().encode(text)),
    end: () => controller.close(),
    cut: () => controller.error(new TypeError("terminated")),
    isCancelled: () => isCancelled,
  };
}

async function readAll<Event>(events: AsyncGenerator<Event>): Promise<Event[]> {
  const read: Event[] = [];
  for await (const event of events) read.push(event);
  return read;
}

/** Asserts that work fails with an error of the API, and returns it. */
async function catchApiError(work: Promise<unknown>): Promise<ApiError> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof ApiError, String(error));
  return error;
}

const never = () => new AbortController().signal;
const ordered = { event: "ordered", location: "home", target: "x" } as const;
const end = { event: "end", reason: "complete" } as const;
const toLines = (...events: object[]) => events.map((one) => `${JSON.stringify(one)}\n`).join("");

test("the events of a trial arrive one by one", async () => {
  const body = createBody();
  const part = listen(body.respond);
  const events = tryCheck({ name: "x" }, { checkId: null, signal: never() });
  const first = events.next();
  body.write(toLines(ordered));
  assert.deepEqual((await first).value, ordered);
  body.write(toLines(end));
  body.end();
  assert.deepEqual(await readAll(events), [end]);
  const [sent] = part.sent;
  assert.deepEqual(
    [sent?.method, sent?.path, sent?.body],
    ["POST", "/v1/checks/try", { name: "x" }],
  );
  assert.equal(sent?.headers.has("x-service-account"), false);
});

test("a trial of a stored check names it, and the chosen account", async () => {
  chooseAccount("a-2");
  const part = listen(() => new Response(toLines(end)));
  await readAll(tryCheck({}, { checkId: "c 1", signal: never() }));
  assert.equal(part.sent[0]?.path, "/v1/checks/try?checkId=c%201");
  assert.equal(part.sent[0]?.headers.get("x-service-account"), "a-2");
});

test("a trial that is stopped ends without an error, and closes the connection", async () => {
  const body = createBody();
  listen(body.respond);
  const stopped = new AbortController();
  const events = tryCheck({}, { checkId: null, signal: stopped.signal });
  const first = events.next();
  body.write(toLines(ordered));
  await first;
  await events.return(undefined);
  await waitUntil("the body is cancelled", body.isCancelled);
  stopped.abort();
  const before = tryCheck({}, { checkId: null, signal: stopped.signal });
  assert.deepEqual(await readAll(before), [], "stopped before it was sent");
});

test("a connection that is cut during a trial is reported", async () => {
  const body = createBody();
  listen(body.respond);
  const events: AsyncGenerator<TrialEvent> = tryCheck({}, { checkId: null, signal: never() });
  const first = events.next();
  body.write(toLines(ordered));
  await first;
  const second = events.next();
  body.cut();
  assert.equal((await catchApiError(second)).kind, "unreachable");
});

test("a line that is not JSON is reported as a response of something else", async () => {
  listen(() => new Response("<html>\n"));
  const error = await catchApiError(readAll(followPath("c-1", never())));
  assert.equal(error.kind, "unreadable");
});

test("a rejected trial has the message of the server", async () => {
  listen(() => rejectRequest(400, "The URL is invalid.", { "request.url": "is invalid" }));
  const error = await catchApiError(readAll(followPath("c-1", never())));
  assert.deepEqual(
    [error.kind, error.message, error.fieldErrors],
    ["rejected", "The URL is invalid.", { "request.url": "is invalid" }],
  );
});

test("a proxy's error page in place of a stream becomes an error with its status", async () => {
  listen(() => new Response("<html>Bad gateway</html>", { status: 502 }));
  const error = await catchApiError(readAll(followPath("c-1", never())));
  assert.deepEqual([error.kind, error.status], ["failed", 502]);
  assert.match(error.message, /502/);
});

test("a stream without a session reports its end to the application", async (t) => {
  const ended = mock.fn();
  t.after(onSessionEnd(ended));
  listen(() => rejectRequest(401, "Sign in."));
  await catchApiError(readAll(followPath("c-1", never())));
  const question = { accountId: "a-1", messages: [], context: null, signal: never() };
  await catchApiError(askAgent(question));
  assert.equal(ended.mock.callCount(), 2);
});

const ask = (signal = never()) =>
  askAgent({
    accountId: "a-1",
    messages: [{ role: "user", content: "Why?" }],
    context: { kind: "check", id: "c-1" },
    signal,
  });

const chunk = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
const done = "data: [DONE]\n\n";

test("an answer of the agent is read event by event, with the id of the request", async () => {
  const body = createBody();
  const part = listen(body.respond);
  const { requestId, events } = await ask();
  assert.equal(requestId, "r-1");
  const first = events.next();
  body.write(chunk({ type: "text-delta", delta: "Be" }));
  assert.deepEqual((await first).value, { type: "text", text: "Be" });
  body.write(chunk({ type: "text-delta", delta: "cause" }) + done);
  body.end();
  assert.deepEqual(await readAll(events), [{ type: "text", text: "cause" }]);
  const sent = part.sent[0]?.body as { messages: object[]; context: object; timeZone: string };
  assert.deepEqual(sent.context, { kind: "check", id: "c-1" });
  assert.equal(sent.timeZone, Intl.DateTimeFormat().resolvedOptions().timeZone);
});

test("an answer that ends early is an error, even if it ends between two events", async () => {
  listen(
    () =>
      new Response(chunk({ type: "text-delta", delta: "Be" }), {
        headers: { "x-request-id": "r" },
      }),
  );
  const { events } = await ask();
  const read: AgentEvent[] = [];
  const error = await catchApiError(
    (async () => {
      for await (const event of events) read.push(event);
    })(),
  );
  assert.deepEqual(read, [{ type: "text", text: "Be" }], "what arrived is shown");
  assert.deepEqual([error.kind, error.requestId], ["unreachable", "r"]);
});

test("a question that is stopped is no failure of the server", async () => {
  const stopped = new AbortController();
  stopped.abort();
  listen(() => {
    throw stopped.signal.reason;
  });
  await assert.rejects(ask(stopped.signal), { name: "AbortError" });
});

test("a server that does not respond in time is reported as slow", async (t) => {
  const { setTimeout: startTimer } = globalThis;
  const limits: (number | undefined)[] = [];
  t.mock.method(globalThis, "setTimeout", (run: () => void, limitMs?: number) => {
    limits.push(limitMs);
    return startTimer(run, 0);
  });
  listen(() => new Response(done));
  globalThis.fetch = (_input, init) =>
    new Promise((_resolve, reject) => {
      init?.signal?.addEventListener("abort", () => reject(init.signal?.reason));
    });
  const asked = catchApiError(ask());
  const followed = catchApiError(readAll(followPath("c-1", never())));
  const read = catchApiError(send(api.GET("/v1/users/me")));
  const written = catchApiError(send(api.POST("/v1/check-groups", { body: { name: "x" } })));
  const repeatable = catchApiError(
    send(
      api.POST("/v1/check-groups", {
        body: { name: "x" },
        headers: { "idempotency-key": "k" },
      }),
    ),
  );
  assert.equal((await asked).kind, "tooSlow");
  assert.equal((await followed).kind, "tooSlow");
  assert.equal((await read).kind, "tooSlow");
  const [unsure, safe] = [await written, await repeatable];
  assert.deepEqual([unsure.kind, safe.kind], ["maybeDone", "maybeDone"]);
  assert.match(unsure.message, /may have been saved/);
  assert.match(safe.message, /not executed twice/);
  // A screen of an earlier test file may also still send a request.
  assert.ok(limits.filter((one) => one === 30_000).length >= 5, "30 s for each of them");
});

test("a page of something else in place of data is an error, also with status 200", async () => {
  listen(() => new Response("<html>", { headers: { "content-type": "text/html" } }));
  const error = await catchApiError(send(api.GET("/v1/users/me")));
  assert.equal(error.kind, "unreadable");
});

test("a response without content is accepted if its status is 204", async () => {
  listen(() => new Response(null, { status: 204 }));
  assert.equal(await send(api.DELETE("/v1/views/{id}" as never, {} as never)), undefined);
});

test("the version and the total of a response are in its headers", async () => {
  const headers = { etag: '"7"', "content-range": "0-9/123" };
  listen(() => Response.json({ ok: true }, { headers }));
  const found = await sendFull(api.GET("/v1/users/me"));
  assert.deepEqual([found.etag, found.total], ['"7"', 123]);
});

test("a total that the server has not counted is unknown", async () => {
  for (const range of ["0-9/*", "0-9", "x/12y"]) {
    listen(() => Response.json({}, { headers: { "content-range": range } }));
    assert.equal((await sendFull(api.GET("/v1/users/me"))).total, null, range);
  }
});

test("a second factor that the account requires is reported to the application", async (t) => {
  const needed = mock.fn();
  t.after(onSecondFactorNeeded(needed));
  const body = {
    statusCode: 403,
    message: "Set up a second factor.",
    reason: "second-factor-needed",
  };
  listen(() => Response.json(body, { status: 403 }));
  const error = await catchApiError(send(api.GET("/v1/users/me")));
  assert.equal(error.reason, "second-factor-needed");
  listen(() => rejectRequest(403, "Your role is read-only."));
  await catchApiError(send(api.GET("/v1/users/me")));
  assert.equal(needed.mock.callCount(), 1);
});

test("a file is downloaded under its name, for the chosen account", async (t) => {
  chooseAccount("a-3");
  const part = listen(() => new Response("a,b\n"));
  const saved: { href: string; name: string }[] = [];
  t.mock.method(HTMLAnchorElement.prototype, "click", function (this: HTMLAnchorElement) {
    saved.push({ href: this.href, name: this.download });
  });
  await downloadFile("/v1/checks/c-1/results.csv", "results.csv");
  assert.equal(saved[0]?.name, "results.csv");
  assert.match(saved[0]?.href ?? "", /^blob:/);
  assert.equal(part.sent[0]?.headers.get("x-service-account"), "a-3");
});

test("a file that cannot be downloaded is an error instead of a file", async (t) => {
  const click = t.mock.method(HTMLAnchorElement.prototype, "click", () => {});
  listen(() => rejectRequest(404, "The run is no longer stored."));
  const error = await catchApiError(downloadFile("/v1/x", "x.csv"));
  assert.deepEqual([error.status, error.message], [404, "The run is no longer stored."]);
  assert.equal(click.mock.callCount(), 0);
});
