import type { Assertion } from "../assertions/assertion.ts";
import { findAssertionFaults } from "../assertions/assertion.ts";
import { httpSources } from "../http/http-sources.ts";
import { findUrlFaults } from "../http/url-faults.ts";
import type { Fault } from "../kind.ts";
import type { IpFamily } from "../network/ip-address.ts";
import { secretMask } from "../secrets.ts";
import { fillAlike } from "../variables/template.ts";
import type { VerdictSettings } from "../verdict.ts";

export const methods = ["GET", "POST", "PUT", "HEAD", "DELETE", "PATCH"] as const;
export type Method = (typeof methods)[number];
export const bodyTypes = ["JSON", "FORM", "RAW", "GRAPHQL", "NONE"] as const;
export type BodyType = (typeof bodyTypes)[number];

export const maxUrlLength = 2_048;
export const maxBodyLength = 262_144;
export const maxKeyLength = 256;
export const maxValueLength = 8_192;
export const maxPairs = 100;
export const maxAssertions = 50;

/** A header or a query parameter. The value of a locked one is a secret. */
export interface KeyValue {
  readonly key: string;
  readonly value: string;
  readonly locked: boolean;
}

export interface BasicAuth {
  readonly username: string;
  /** A secret. */
  readonly password: string;
}

/** What is asked for, as people write it: `{{NAME}}` stands for a variable. */
export interface WrittenRequest {
  readonly method: Method;
  readonly url: string;
  readonly followRedirects: boolean;
  readonly skipSSL: boolean;
  readonly ipFamily: IpFamily;
  readonly body: string;
  readonly bodyType: BodyType;
  readonly headers: readonly KeyValue[];
  readonly queryParameters: readonly KeyValue[];
  readonly assertions: readonly Assertion[];
  readonly basicAuth: BasicAuth | null;
}

/** What a probe is asked for. Its assertions are evaluated where the body is. */
export interface ApiRequest extends WrittenRequest {
  /** For names, connections, redirects and the body together. */
  readonly timeoutMs: number;
}

/** Fields for scripts: a check that has one is refused, as nothing would run it. */
export const scriptFields = [
  "setupSnippetId",
  "tearDownSnippetId",
  "localSetupScript",
  "localTearDownScript",
] as const;

export interface OwnSettings {
  readonly request: WrittenRequest;
  readonly setupSnippetId: number | null;
  readonly tearDownSnippetId: number | null;
  readonly localSetupScript: string | null;
  readonly localTearDownScript: string | null;
}

export interface ApiSettings extends VerdictSettings, OwnSettings {}

export const assertionSources = httpSources;

export function findFaults(settings: OwnSettings): Fault[] {
  const { request } = settings;
  return [
    ...findUrlFaults(request),
    ...findPairFaults(request, "request"),
    ...findAssertionFaults(assertionSources, request.assertions),
    ...scriptFields
      .filter((name) => settings[name] !== null && settings[name] !== "")
      .map((key) => ({
        key,
        rule: "must be empty: this service runs no scripts around a request",
      })),
  ];
}

const mustReenter =
  "must be entered again: a hidden value is kept only under its name, locked, and for its host";

/** Headers, parameters and the password: of a check and of the defaults of a group. */
export function findPairFaults(
  request: Pick<WrittenRequest, "headers" | "queryParameters" | "basicAuth">,
  path: string,
): Fault[] {
  const faults: Fault[] = [];
  const add = (key: string, rule: string) => faults.push({ key: `${path}.${key}`, rule });
  for (const [index, { key, value }] of request.headers.entries()) {
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(fillAlike(key, "x"))) {
      add(`headers.${index}.key`, "must be the name of a header");
    }
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
    if (/[\0-\x08\x0a-\x1f\x7f]/.test(value)) {
      add(`headers.${index}.value`, "must not have line breaks or other control characters");
    }
  }
  for (const field of ["headers", "queryParameters"] as const) {
    for (const [index, { value }] of request[field].entries()) {
      if (value === secretMask) add(`${field}.${index}.value`, mustReenter);
    }
  }
  if (request.basicAuth?.password === secretMask) add("basicAuth.password", mustReenter);
  return faults;
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

export function toRequest(settings: ApiSettings): ApiRequest {
  return { ...settings.request, timeoutMs: timeoutOf(settings) };
}

/** A name that does not resolve may take four seconds to say so. */
const resolveMs = 4_000;

export function deadlineMs(settings: ApiSettings): number {
  return Math.max(resolveMs, timeoutOf(settings)) + slackMs;
}
