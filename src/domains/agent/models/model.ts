import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import { fetchGuarded } from "../../../platform/outbound-fetch.ts";
import { findZoneOffsetMs } from "../../../platform/text/time.ts";
import type { Caller } from "../../accounts/index.ts";
import type { AgentName, Focus } from "../agents.ts";
import type { AgentContext, ModelEndpoint } from "../context.ts";
import { recordArrival, recordDeparture } from "../exchanges.ts";
import { createPlannerModel } from "./planner-model.ts";
import { scrubDocument } from "./scrub.ts";

const lineEnd = 10;
/** Does not match inside the model's text, where quotes are escaped. */
const finishPattern = /"finish_reason"\s*:\s*"/;
const brokenOff = {
  id: "broken-off",
  object: "chat.completion.chunk",
  created: 0,
  model: "",
  choices: [{ index: 0, delta: {}, finish_reason: "broken_off" }],
};

/** Maximum size of a response. */
const maxResponseBytes = 8 * 1024 * 1024;

function completeStream(response: Response): Response {
  const isStream = response.headers.get("content-type")?.includes("text/event-stream");
  if (!isStream || response.body === null) return response;
  const { status, headers } = response;
  return new Response(response.body.pipeThrough(completeEvents()), { status, headers });
}

/**
 * The only way to an external model. Everything sent is scrubbed here first, and recorded as sent.
 * The operator configured the address, so it may be private, for example a model on the same
 * machine.
 */
function createModelFetch(context: AgentContext, caller: Caller, endpoint: ModelEndpoint) {
  let recorded = Promise.resolve();
  // In order, so that the last outcome is the one stored.
  const record = (outcome: Parameters<typeof recordArrival>[2]) => {
    recorded = recorded
      .then(() => recordArrival(context, caller, outcome))
      .catch((error) =>
        context.log.warn({ err: error }, "could not record the outcome of a request to the model"),
      );
  };
  const ownOrigin = URL.parse(context.publicUrl())?.origin ?? "";
  return async (address: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const url = address instanceof Request ? address.url : String(address);
    const document = scrubDocument(JSON.parse(String(init.body ?? "{}")), ownOrigin);
    const body = JSON.stringify(document);
    const host = URL.parse(url)?.host ?? "";
    const id = await recordDeparture(context, caller, { host, model: endpoint.model, body });
    try {
      const onBreak = ({ message }: Error) => record({ id, status: 200, failure: message });
      const response = await fetchGuarded({ allowPrivate: true, maxResponseBytes, onBreak }, url, {
        method: init.method ?? "POST",
        headers: Object.fromEntries(new Headers(init.headers)),
        body,
        signal: init.signal ?? new AbortController().signal,
      });
      record({ id, status: response.status, failure: null });
      return completeStream(response);
    } catch (error) {
      const failure = error instanceof Error ? error.message : "The request failed.";
      record({ id, status: null, failure });
      throw error;
    }
  };
}

function createOutsideModel(
  context: AgentContext,
  caller: Caller,
  endpoint: ModelEndpoint,
): LanguageModelV4 {
  const { baseUrl, apiKey, model } = endpoint;
  const provider = createOpenAICompatible({
    name: "configured",
    baseURL: baseUrl,
    ...(apiKey === null ? {} : { apiKey }),
    fetch: createModelFetch(context, caller, endpoint),
  });
  return provider.languageModel(model);
}

/** Without an external model, the planner answers. */
export function createModel(
  context: AgentContext,
  caller: Caller,
  {
    agent,
    focus = null,
    timeZone = null,
  }: {
    readonly agent: AgentName;
    readonly focus?: Focus | null;
    readonly timeZone?: string | null;
  },
): LanguageModelV4 {
  const { endpoint } = context.agentSettings;
  if (endpoint !== null) return createOutsideModel(context, caller, endpoint);
  const now = context.clock.now();
  const zoneOffsetMs = timeZone === null ? 0 : findZoneOffsetMs(timeZone, now);
  return createPlannerModel({ agent, focus, now, zoneOffsetMs });
}

/**
 * Passes on a model's event stream in whole lines. If it ends without a finish reason, adds one:
 * the SDK would treat it as an error and discard text that was not read yet, possibly a whole short
 * answer.
 */
export function completeEvents(): TransformStream<Uint8Array, Uint8Array> {
  let rest = Buffer.alloc(0);
  let hasFinished = false;
  return new TransformStream({
    transform: (chunk, controller) => {
      const bytes = Buffer.concat([rest, chunk]);
      const end = bytes.lastIndexOf(lineEnd) + 1;
      rest = bytes.subarray(end);
      if (end === 0) return;
      const whole = bytes.subarray(0, end);
      hasFinished ||= finishPattern.test(whole.toString("utf8"));
      controller.enqueue(whole);
    },
    flush: (controller) => {
      if (hasFinished) return;
      const text = `\n\ndata: ${JSON.stringify(brokenOff)}\n\ndata: [DONE]\n\n`;
      controller.enqueue(Buffer.from(text));
    },
  });
}
