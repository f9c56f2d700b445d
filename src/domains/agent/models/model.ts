import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import { fetchGuarded } from "../../../platform/outbound-fetch.ts";
import { findZoneOffsetMs } from "../../../platform/text/time.ts";
import type { Caller } from "../../accounts/index.ts";
import type { AgentName, Focus } from "../agents.ts";
import type { AgentContext, ModelEndpoint } from "../context.ts";
import { recordArrival, recordDeparture } from "../exchanges.ts";
import { createPlannerModel } from "./planner-model.ts";

/**
 * Removes secrets and personal data from texts for an external model. Host names and addresses of
 * checks stay, because questions are about them.
 */
interface Rule {
  readonly pattern: RegExp;
  readonly replacement: string;
}

/**
 * Matches where a word can start. Text is often JSON within JSON, where the letter before a word
 * may be the end of an escape (`\nvd_…`), and a backslash is the start of one.
 */
const start = String.raw`(?<=^|[^A-Za-z0-9_\\-]|\\[nrtbf]|\\u[0-9a-fA-F]{4})`;

function rule(body: string, replacement: string, flags = "g"): Rule {
  return { pattern: new RegExp(start + body, flags), replacement };
}

const pemLine = (word: string) => `-----${word} [A-Z ]{0,40}PRIVATE KEY-----`;

const foreignKeys = [
  "sk-[A-Za-z0-9_-]{16,}",
  "[rs]k_(?:live|test)_[A-Za-z0-9]{10,}",
  "(?:npm|hf|whsec)_[A-Za-z0-9]{16,}",
  "dop_v1_[a-f0-9]{16,}",
  String.raw`SG\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`,
  "gh[pousr]_[A-Za-z0-9]{20,}",
  "github_pat_[A-Za-z0-9_]{20,}",
  "glpat-[A-Za-z0-9_-]{16,}",
  "xox[a-z]-[A-Za-z0-9-]{10,}",
  "A[KS]IA[A-Z0-9]{12,}",
  "AIza[A-Za-z0-9_-]{20,}",
];

/**
 * Matches "password", and also "DB_PASSWORD", "dbPassword", "aws_secret_access_key",
 * "x-auth-token".
 */
const secretName =
  "(?:[A-Za-z0-9]{1,30}[_.-]){0,4}(?:" +
  "[A-Za-z0-9]{0,20}(?:password|passwd|passphrase|secret|token|(?:api|access|private)[_ -]?key)" +
  "|pwd|key|session[_-]?id)";
const headerName = "(?:proxy-)?authorization|(?:set-)?cookie";
/** Between a name and its value. The quotes may be escaped several times. */
const sign = String.raw`\s{0,3}[:=]\s{0,3}`;
const mark = String.raw`\\{0,7}["']`;

const rules: readonly Rule[] = [
  {
    // Up to the end of the text if the key has none. A limit on its length would make the search
    // start again at each of many beginnings.
    pattern: new RegExp(String.raw`${pemLine("BEGIN")}[\s\S]*?(?:${pemLine("END")}|$)`, "g"),
    replacement: "[private key]",
  },
  // This product's keys and tokens: complete ones anywhere, partial ones at the start of a word.
  { pattern: /vdc?_[A-Za-z0-9_-]{40,}/g, replacement: "[key]" },
  rule("vdc?_[A-Za-z0-9_-]{8,}", "[key]"),
  // Keys of other services, which have known prefixes.
  rule(`(?:${foreignKeys.join("|")})`, "[key]"),
  rule(String.raw`eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?`, "[token]"),
  rule(String.raw`(bearer|basic)\s+[A-Za-z0-9+/._~=-]{6,}`, "$1 [secret]", "gi"),
  // Up to the end of the line or quotation, because a header's value may have several words.
  rule(
    String.raw`(${headerName})((?:${mark})?${sign}(?:${mark})?)(?!\[)[^"'\r\n\\]{1,2000}`,
    "$1$2[secret]",
    "gi",
  ),
  rule(
    String.raw`(${secretName})((?:${mark})?${sign}(${mark}))(?!\[)(?:(?!\3)(?:\\.|[^\r\n])){1,2000}`,
    "$1$2[secret]",
    "gi",
  ),
  // Without quotation marks after the name: "token": null is not a secret.
  rule(String.raw`(${secretName})(${sign})(?!\[)[^\s"'\\,;&<>{}[\]]{3,}`, "$1$2[secret]", "gi"),
  // A URL with user and password, or a webhook URL without its scheme.
  rule(String.raw`([a-z][a-z0-9+.-]{1,20}:\/\/)[^\s\/"'@\\]{0,200}@`, "$1[secret]@", "gi"),
  rule(String.raw`(hooks\.slack\.com|discord(?:app)?\.com)\/[^\s"'\\<>()]{8,}`, "$1/[path]", "gi"),
  rule(String.raw`[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})+`, "[email]"),
];

const urlPattern = /https?:\/\/[^\s"'\\<>()[\]{}]+/gi;

/** Keeps only the host of foreign URLs, because paths and queries may contain tokens. */
function scrubUrl(text: string, ownOrigin: string): string {
  const url = URL.parse(text);
  if (url === null) return "[address]";
  if (url.origin === ownOrigin && url.username === "" && url.password === "") return text;
  const isBare = url.pathname === "/" && url.search === "" && url.hash === "";
  return `${url.protocol}//${url.host}${isBare ? "" : "/[path]"}`;
}

export function scrubText(text: string, ownOrigin: string): string {
  const withoutUrls = text.replace(urlPattern, (found) => scrubUrl(found, ownOrigin));
  return rules.reduce(
    (scrubbed, { pattern, replacement }) => scrubbed.replace(pattern, replacement),
    withoutUrls,
  );
}

/** Scrubs every text in a document; field names are this product's and stay. */
export function scrubDocument(value: unknown, ownOrigin: string): unknown {
  if (typeof value === "string") return scrubText(value, ownOrigin);
  if (Array.isArray(value)) return value.map((item) => scrubDocument(item, ownOrigin));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, scrubDocument(inner, ownOrigin)]),
  );
}

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
