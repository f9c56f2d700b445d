import { Type } from "typebox";
import { Described } from "../../platform/http/schema.ts";
import {
  type Assertion,
  type AssertionSources,
  createAssertionSchema,
  findAssertionFaults,
} from "../assertions/assertion.ts";
import { httpSources } from "../http/http-sources.ts";
import { findUrlFaults, parseWrittenUrl } from "../http/url-faults.ts";
import type { Fault, KindFields } from "../kind.ts";
import type { IpFamily } from "../network/ip-address.ts";
import type { VerdictSettings } from "../verdict.ts";

const maxUrlLength = 2_048;
const maxAssertions = 50;

interface WrittenRequest {
  readonly url: string;
  readonly followRedirects: boolean;
  readonly skipSSL: boolean;
  readonly ipFamily: IpFamily;
  readonly assertions: readonly Assertion[];
}

/** What a probe is asked for: it knows the assertions so that it keeps what explains a failure. */
export interface UrlRequest extends WrittenRequest {
  /** For names, connections, redirects and the body together. */
  readonly timeoutMs: number;
}

interface OwnSettings {
  readonly request: WrittenRequest;
}

export interface UrlSettings extends VerdictSettings, OwnSettings {}

export const assertionSources: AssertionSources = { STATUS_CODE: httpSources.STATUS_CODE };

const AssertionSchema = createAssertionSchema(["STATUS_CODE"], {
  title: "UrlAssertion",
  source: "What is compared: the status of the answer.",
  property: "Always empty.",
  propertyExample: "",
});

const Family = Type.Enum(["IPv4", "IPv6"], { type: "string" });
const Method = Type.Enum(["GET"], { type: "string" });

const words = {
  method: "Always `GET`.",
  url: "What is asked for, with http or https.",
  followRedirects: "Whether redirects are followed, up to ten of them.",
  skipSSL: "Whether an answer counts although the certificate is not trusted.",
  ipFamily: "Which address of the host is connected to.",
  assertions: "What the status must be. Without any, a status below 400 passes.",
};

const optional = {
  method: Described(Type.Optional(Method), words.method, "GET"),
  followRedirects: Described(Type.Optional(Type.Boolean()), words.followRedirects, true),
  skipSSL: Described(Type.Optional(Type.Boolean()), words.skipSSL, false),
  ipFamily: Described(Type.Optional(Family), words.ipFamily, "IPv4"),
  assertions: Type.Optional(
    Type.Array(AssertionSchema, { description: words.assertions, maxItems: maxAssertions }),
  ),
};

const urlExample = "https://shop.example.com/health";

const RequestBody = Type.Object({
  url: Type.String({
    description: words.url,
    examples: [urlExample],
    minLength: 1,
    maxLength: maxUrlLength,
  }),
  ...optional,
});

/** An update may leave out everything; then it stays as it is. */
const RequestChange = Type.Partial(RequestBody);

const RequestSchema = Type.Object(
  {
    method: Described(Method, words.method, "GET"),
    url: Type.String({ description: words.url, examples: [urlExample] }),
    followRedirects: Described(Type.Boolean(), words.followRedirects, true),
    skipSSL: Described(Type.Boolean(), words.skipSSL, false),
    ipFamily: Described(Family, words.ipFamily, "IPv4"),
    assertions: Type.Array(AssertionSchema, { description: words.assertions, examples: [[]] }),
  },
  { title: "UrlRequest" },
);

const what = "What is asked for.";

export const fields = {
  target: {
    create: { request: Described(RequestBody, what) },
    change: { request: Described(Type.Optional(RequestChange), what) },
    shown: { request: Described(RequestSchema, what) },
  },
  settings: {},
  unused: { create: {}, change: {} },
} as const satisfies KindFields;

const OwnChange = Type.Object({ request: Type.Optional(RequestChange) });

export function mergeSettings(
  before: OwnSettings | null,
  change: Type.Static<typeof OwnChange>,
): { readonly request: WrittenRequest & { readonly method: "GET" } } {
  const request = change.request ?? {};
  return {
    request: {
      method: "GET",
      url: request.url ?? before?.request.url ?? "",
      followRedirects: request.followRedirects ?? before?.request.followRedirects ?? true,
      skipSSL: request.skipSSL ?? before?.request.skipSSL ?? false,
      ipFamily: request.ipFamily ?? before?.request.ipFamily ?? "IPv4",
      assertions: request.assertions ?? before?.request.assertions ?? [],
    },
  };
}

export function findFaults({ request }: OwnSettings): Fault[] {
  return [
    ...findUrlFaults(request),
    ...findCredentials(request.url),
    ...findAssertionFaults(assertionSources, request.assertions),
  ];
}

/** The address is shown wherever the check is. */
function findCredentials(text: string): Fault[] {
  const url = parseWrittenUrl(text);
  if (url === null || (url.username === "" && url.password === "")) return [];
  const rule = "must not have a user name or a password: an API check can send them";
  return [{ key: "request.url", rule }];
}

/** Below this nobody could tell a slow server from a lost packet. */
const minTimeoutMs = 1_000;
const timeoutWithoutLimitMs = 45_000;
/** For the way of the order and of the result. */
const slackMs = 8_000;

/** A run waits no longer than its limit for failing: after that its verdict is known. */
function timeoutOf({ maxResponseTime }: VerdictSettings): number {
  return Math.max(minTimeoutMs, maxResponseTime ?? timeoutWithoutLimitMs);
}

export function toRequest(settings: UrlSettings): UrlRequest {
  const { url, followRedirects, skipSSL, ipFamily, assertions } = settings.request;
  const timeoutMs = timeoutOf(settings);
  return { url, followRedirects, skipSSL, ipFamily, assertions, timeoutMs };
}

/** A name that does not resolve may take four seconds to say so. */
const resolveMs = 4_000;

export function deadlineMs(settings: UrlSettings): number {
  return Math.max(resolveMs, timeoutOf(settings)) + slackMs;
}

export function isUrlRequest(value: unknown): value is UrlRequest {
  if (typeof value !== "object" || value === null) return false;
  const request = value as Partial<Record<keyof UrlRequest, unknown>>;
  const { url, followRedirects, skipSSL, ipFamily, assertions, timeoutMs } = request;
  return (
    typeof url === "string" &&
    typeof followRedirects === "boolean" &&
    typeof skipSSL === "boolean" &&
    (ipFamily === "IPv4" || ipFamily === "IPv6") &&
    Array.isArray(assertions) &&
    typeof timeoutMs === "number" &&
    timeoutMs >= minTimeoutMs &&
    timeoutMs <= 300_000
  );
}
