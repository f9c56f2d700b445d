import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { type Answer, startTestApp, type TestApp } from "./app.ts";

export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Reply {
  readonly status?: number;
  readonly headers?: Record<string, string | string[]>;
  readonly body?: string | Buffer;
}

export type Input = Readonly<Record<string, unknown>>;

/** Returns the default response of the monitored server. */
export const fine = (): Reply => ({
  headers: { "content-type": "application/json", "x-limit": "100" },
  body: JSON.stringify({ id: 7, name: "Ada", tags: ["a", "b"], nothing: null, empty: [] }),
});

/** The application, and the server that its API checks monitor. */
export interface ApiChecks {
  readonly app: TestApp;
  readonly origin: string;
  /** Requests that the monitored server received during the last run. */
  readonly asked: readonly Asked[];
  /** Returns the response of the monitored server to a request. */
  reply: (request: Asked) => Reply;
  create(input: Input, request?: Input): Promise<string>;
  change(checkId: string, body: Input): ReturnType<TestApp["call"]>;
  /** Runs a check, and returns its complete result. */
  run(checkId: string): Promise<Answer["body"]>;
  stop(): Promise<void>;
}

export function claim(source: string, comparison: string, target = "", rest: Input = {}) {
  return { source, comparison, target, property: "", regex: "", ...rest };
}

export async function startApiChecks(): Promise<ApiChecks> {
  const app = await startTestApp({ OUTBOUND_ALLOW_PRIVATE: "true" });
  let asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = "", url = "", headers } = request;
    const one = { method, url, headers, body: Buffer.concat(chunks).toString() };
    asked.push(one);
    const { status = 200, headers: sent = {}, body = "" } = checks.reply(one);
    response.writeHead(status, sent).end(body);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const checks: ApiChecks = {
    app,
    origin,
    get asked() {
      return asked;
    },
    reply: fine,
    create: async (input, request = {}) => {
      const whole = { method: "GET", url: `${origin}/health`, ...request };
      const body = { frequency: 1_440, request: whole, ...input };
      const { status, body: made, text } = await app.call("POST", "/v1/checks/api", { body });
      assert.equal(status, 201, text);
      return made.id;
    },
    change: (checkId, body) => app.call("PUT", `/v1/checks/api/${checkId}`, { body }),
    run: async (checkId) => {
      asked = [];
      app.clock.advance(1_000);
      const body = { target: { checkId: [checkId] } };
      const { body: triggered } = await app.call("POST", "/v2/check-sessions/trigger", { body });
      const id = triggered.sessions[0].checkSessionId;
      const ended = await app.call("GET", `/v2/check-sessions/${id}/completion`);
      assert.equal(ended.status, 200, ended.text);
      const [{ checkResultId }] = ended.body.results;
      return (await app.call("GET", `/v1/check-results/${checkId}/${checkResultId}`)).body;
    },
    stop: async () => {
      await app.stop();
      server.close();
    },
  };
  return checks;
}
