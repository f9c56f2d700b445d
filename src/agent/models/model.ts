import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { Caller } from "../../access/accounts/index.ts";
import { fetchGuarded } from "../../platform/outbound-fetch.ts";
import type { AgentContext, ModelEndpoint } from "../context.ts";
import { recordArrival, recordDeparture } from "../exchanges.ts";

/**
 * A pattern for secrets or personal data in text for an external model, and the text that replaces
 * it. Host names and addresses of checks are kept, because questions refer to them.
 */
interface Rule {
  readonly pattern: RegExp;
  readonly replacement: string;
}

/**
 * Matches a position where a secret can start: at the start of the text, or after a character that
 * is not part of a word. The text is often JSON inside JSON, so an escape sequence may precede the
 * secret, as in `\nvd_…`.
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

/** Matches the names of secrets, such as "password", "DB_PASSWORD" and "x-auth-token". */
const secretName =
  "(?:[A-Za-z0-9]{1,30}[_.-]){0,4}(?:" +
  "[A-Za-z0-9]{0,20}(?:password|passwd|passphrase|secret|token|(?:api|access|private)[_ -]?key)" +
  "|pwd|key|session[_-]?id)";
const headerName = "(?:proxy-)?authorization|(?:set-)?cookie";
/**
 * `sign` matches the separator before a value. `mark` matches a quotation mark, which may be
 * escaped several times.
 */
const sign = String.raw`\s{0,3}[:=]\s{0,3}`;
const mark = String.raw`\\{0,7}["']`;

const rules: readonly Rule[] = [
  {
    // A private key may be truncated, so that its END line is missing. Such a key matches up to the
    // end of the text. If the length of a match were limited instead, the search would continue at
    // each further BEGIN line and read the same text many times.
    pattern: new RegExp(String.raw`${pemLine("BEGIN")}[\s\S]*?(?:${pemLine("END")}|$)`, "g"),
    replacement: "[private key]",
  },
  // This product's keys. Complete keys match anywhere, truncated keys only at the start of a word.
  { pattern: /vdc?_[A-Za-z0-9_-]{40,}/g, replacement: "[key]" },
  rule("vdc?_[A-Za-z0-9_-]{8,}", "[key]"),
  // Keys of other services, which are recognised by their prefixes.
  rule(`(?:${foreignKeys.join("|")})`, "[key]"),
  rule(String.raw`eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?`, "[token]"),
  rule(String.raw`(bearer|basic)\s+[A-Za-z0-9+/._~=-]{6,}`, "$1 [secret]", "gi"),
  // The match extends to the end of the line or of the quotation, because a header may contain
  // several words.
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
  // Matches secrets without quotation marks, such as `token=abc`. A quotation mark directly after
  // the name prevents the match, because `"token": null` contains no secret.
  rule(String.raw`(${secretName})(${sign})(?!\[)[^\s"'\\,;&<>{}[\]]{3,}`, "$1$2[secret]", "gi"),
  // The first rule matches the credentials in a URL. The second rule matches the path of a webhook
  // URL without a scheme.
  rule(String.raw`([a-z][a-z0-9+.-]{1,20}:\/\/)[^\s\/"'@\\]{0,200}@`, "$1[secret]@", "gi"),
  rule(String.raw`(hooks\.slack\.com|discord(?:app)?\.com)\/[^\s"'\\<>()]{8,}`, "$1/[path]", "gi"),
  rule(String.raw`[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})+`, "[email]"),
];

const urlPattern = /https?:\/\/[^\s"'\\<>()[\]{}]+/gi;

/**
 * Removes credentials, path and query of URLs on other servers, because they may contain secrets.
 */
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

/**
 * Removes secrets from all texts in a document. Field names are kept, because they contain none.
 */
export function scrubDocument(value: unknown, ownOrigin: string): unknown {
  if (typeof value === "string") return scrubText(value, ownOrigin);
  if (Array.isArray(value)) return value.map((item) => scrubDocument(item, ownOrigin));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, scrubDocument(inner, ownOrigin)]),
  );
}

const lineEnd = 10;
/**
 * Matches a finish reason in a chunk. Does not match text of the model, because quotation marks in
 * it are escaped.
 */
const finishPattern = /"finish_reason"\s*:\s*"/;
const brokenOff = {
  id: "broken-off",
  object: "chat.completion.chunk",
  created: 0,
  model: "",
  choices: [{ index: 0, delta: {}, finish_reason: "broken_off" }],
};

/** Maximum size of a response, in bytes. */
const maxResponseBytes = 8 * 1024 * 1024;

function completeStream(response: Response): Response {
  const isStream = response.headers.get("content-type")?.includes("text/event-stream");
  if (!isStream || response.body === null) return response;
  const { status, headers } = response;
  return new Response(response.body.pipeThrough(completeEvents()), { status, headers });
}

/**
 * Creates a function that sends requests to an external model; no other code may send them. It
 * removes secrets from each request, and records what is sent. The address of the model may be
 * private, because the operator configured it, for example for a model on the same machine.
 */
function createModelFetch(context: AgentContext, caller: Caller, endpoint: ModelEndpoint) {
  let recorded = Promise.resolve();
  // Outcomes are recorded one after the other, so that the latest outcome is stored last.
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

/** Creates the configured external model. */
export function createModel(context: AgentContext, caller: Caller): LanguageModelV4 {
  const { endpoint } = context.agentSettings;
  if (endpoint === null) throw new Error("no external model is configured");
  const { baseUrl, apiKey, model } = endpoint;
  const provider = createOpenAICompatible({
    name: "configured",
    baseURL: baseUrl,
    ...(apiKey === null ? {} : { apiKey }),
    fetch: createModelFetch(context, caller, endpoint),
  });
  return provider.languageModel(model);
}

/**
 * Forwards the event stream of a model in whole lines, and adds a finish reason if the stream ends
 * without one. Without a finish reason, the SDK would report an error and discard text that has not
 * been read yet. This text may be a complete short answer.
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
