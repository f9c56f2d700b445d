import { type ModelServer, startModelServer } from "../servers/model-server.ts";
import { type Answer, type CallOptions, ownerKey, startTestApp, type TestApp } from "./app.ts";

export interface AgentApp extends TestApp {
  readonly model: ModelServer;
  readonly streamPath: string;
  readonly ask: (text: string, more?: object, options?: CallOptions) => Promise<Answer>;
  /** Sends a question and returns the answer as one JSON text. */
  readonly askText: (text: string, more?: object, options?: CallOptions) => Promise<string>;
  readonly newCheck: (settings?: object) => Promise<string>;
}

/** Starts the whole product with an external model, which is a scripted server. */
export async function startAgentApp(
  environment: Readonly<Record<string, string>> = {},
): Promise<AgentApp> {
  const model = await startModelServer();
  const app = await startTestApp({
    AI_BASE_URL: model.url,
    AI_API_KEY: "sk-outside-0123456789",
    AI_MODEL: "test-model",
    PUBLIC_URL: "https://vedette.example",
    ...environment,
  });
  const streamPath = `/accounts/${app.owner.accountId}/ai/agents/stream`;
  const ask: AgentApp["ask"] = (text, more = {}, options = {}) =>
    app.call("POST", streamPath, {
      body: { messages: [{ role: "user", content: text }], ...more },
      ...options,
    });
  return {
    ...app,
    model,
    streamPath,
    ask,
    askText: async (...question) => (await ask(...question)).body,
    newCheck: async (settings = {}) => {
      const request = { hostname: "127.0.0.1", pingCount: 1 };
      const body = { name: "Router", activated: false, request, ...settings };
      return (await app.call("POST", "/v1/checks/icmp", { body })).body.id;
    },
    stop: async () => {
      await app.stop();
      await model.stop();
    },
  };
}

/**
 * Sends a question and returns the connection as soon as the stream is open, before the answer has
 * ended.
 */
export function openStream(
  app: AgentApp,
  text: string,
  options: { readonly accept?: string; readonly signal?: AbortSignal; readonly key?: string } = {},
): Promise<Response> {
  return fetch(`${app.url}${app.streamPath}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${options.key ?? ownerKey}`,
      "content-type": "application/json",
      accept: options.accept ?? "application/json",
    },
    body: JSON.stringify({ messages: [{ role: "user", content: text }] }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
}

/** Returns the confirmation tokens in the text of an answer. */
export function findTokens(text: string): string[] {
  return text.match(/vdc_[A-Za-z0-9_-]+/g) ?? [];
}
