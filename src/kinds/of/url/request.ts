import { Type } from "typebox";
import { Described } from "../../../platform/http/schema.ts";
import type { IpFamily } from "../../../platform/net/host.ts";
import {
  type Assertion,
  type AssertionSources,
  createAssertionSchema,
  findAssertionFaults,
} from "../../kit/assertions/assertion.ts";
import type { Fault, KindFields } from "../../kit/definition.ts";
import { FamilyChoice, familyMeaning } from "../../kit/families/both-families.ts";
import type { KindTexts } from "../../kit/secrets.ts";
import type { VerdictSettings } from "../../kit/verdict.ts";
import { mapHttpTexts, minTimeoutMs } from "../../wire/http/http-measurement.ts";
import { httpSources } from "../../wire/http/http-sources.ts";
import { findUrlFaults, parseWrittenUrl } from "../../wire/http/url-faults.ts";
import type { UrlMeasurement } from "./measurement.ts";

const maxUrlLength = 2_048;
const maxAssertions = 50;

interface WrittenRequest {
  readonly url: string;
  readonly followRedirects: boolean;
  readonly skipSSL: boolean;
  readonly ipFamily: IpFamily;
  readonly assertions: readonly Assertion[];
}

/**
 * The request that a probe receives. Its assertions decide whether the probe keeps headers and
 * body.
 */
export interface UrlRequest extends WrittenRequest {
  /** Time limit for name resolution, connections, redirects and the body together. */
  readonly timeoutMs: number;
}

interface OwnSettings {
  readonly request: WrittenRequest;
}

export interface UrlSettings extends VerdictSettings, OwnSettings {}

export const assertionSources: AssertionSources = { STATUS_CODE: httpSources.STATUS_CODE };

const AssertionSchema = createAssertionSchema(["STATUS_CODE"], {
  title: "UrlAssertion",
  source: "What to compare: the status code of the response.",
  property: "Always empty.",
  propertyExample: "",
});

const Method = Type.Enum(["GET"], { type: "string" });

const words = {
  method: "Always `GET`.",
  url: "The URL to request, with http or https.",
  followRedirects: "Whether to follow up to ten redirects.",
  skipSSL: "Whether to accept a certificate that is not trusted.",
  assertions: "Assertions on the status code. Without any, a status code below 400 passes.",
};

const optional = {
  method: Described(Type.Optional(Method), words.method, "GET"),
  followRedirects: Described(Type.Optional(Type.Boolean()), words.followRedirects, true),
  skipSSL: Described(Type.Optional(Type.Boolean()), words.skipSSL, false),
  ipFamily: Described(Type.Optional(FamilyChoice), familyMeaning, "IPv4"),
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

/** Schema of an update. Every field is optional; an omitted field keeps its stored value. */
const RequestChange = Type.Partial(RequestBody);

const RequestSchema = Type.Object(
  {
    method: Described(Method, words.method, "GET"),
    url: Type.String({ description: words.url, examples: [urlExample] }),
    followRedirects: Described(Type.Boolean(), words.followRedirects, true),
    skipSSL: Described(Type.Boolean(), words.skipSSL, false),
    ipFamily: Described(FamilyChoice, familyMeaning, "IPv4"),
    assertions: Type.Array(AssertionSchema, { description: words.assertions, examples: [[]] }),
  },
  { title: "UrlRequest" },
);

const what = "The request to send.";

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

/** Rejects credentials in the URL, because the URL is visible wherever the check is shown. */
function findCredentials(text: string): Fault[] {
  const url = parseWrittenUrl(text);
  if (url === null || (url.username === "" && url.password === "")) return [];
  const rule = "must not contain a user name or password; use an API check to send them";
  return [{ key: "request.url", rule }];
}

export function toRequest({ request }: UrlSettings, timeoutMs: number): UrlRequest {
  const { url, followRedirects, skipSSL, ipFamily, assertions } = request;
  return { url, followRedirects, skipSSL, ipFamily, assertions, timeoutMs };
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

export const texts: KindTexts<UrlRequest, UrlMeasurement> = {
  mapRequest: (request, change) => ({ ...request, url: change(request.url) }),
  mapMeasurement: (measurement, change) => {
    const { body } = measurement;
    return {
      ...mapHttpTexts(measurement, change),
      body: body && { ...body, text: change(body.text) },
    };
  },
};
