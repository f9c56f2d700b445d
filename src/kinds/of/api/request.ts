import type { IpFamily } from "../../../platform/net/host.ts";
import { type Assertion, findAssertionFaults } from "../../kit/assertions/assertion.ts";
import type { Fault } from "../../kit/definition.ts";
import type { GroupScripts } from "../../kit/secrets.ts";
import { secretMask } from "../../kit/secrets.ts";
import { fillAlike } from "../../kit/variables/variables.ts";
import type { VerdictSettings } from "../../kit/verdict.ts";
import { httpSources } from "../../wire/http/http-sources.ts";
import { findUrlFaults } from "../../wire/http/url-faults.ts";
import {
  type ApiScripts,
  findScriptFaults,
  hasScripts,
  planScripts,
  type ScriptSettings,
} from "./scripts.ts";

export const methods = ["GET", "POST", "PUT", "HEAD", "DELETE", "PATCH"] as const;
type Method = (typeof methods)[number];
export const bodyTypes = ["JSON", "FORM", "RAW", "GRAPHQL", "NONE"] as const;
export type BodyType = (typeof bodyTypes)[number];

export const requestLimits = {
  urlLength: 2_048,
  bodyLength: 262_144,
  keyLength: 256,
  valueLength: 8_192,
  pairs: 100,
  assertions: 50,
} as const;

/** A header or query parameter. The value of a locked entry is a secret. */
export interface KeyValue {
  readonly key: string;
  readonly value: string;
  readonly locked: boolean;
}

export interface BasicAuth {
  readonly username: string;
  /** The password is a secret. */
  readonly password: string;
}

/** The request as configured, with `{{NAME}}` variables. */
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

/**
 * The request that a probe receives. It contains the assertions, because only the probe has the
 * whole body.
 */
export interface ApiRequest extends WrittenRequest {
  /** Time limit for name resolution, connections, redirects and the body together. */
  readonly timeoutMs: number;
  /** Scripts that run around the request; absent if there are none. */
  readonly scripts?: ApiScripts;
}

export interface OwnSettings extends ScriptSettings {
  readonly request: WrittenRequest;
}

export interface ApiSettings extends VerdictSettings, OwnSettings {
  readonly runtimeId: string | null;
  /** Scripts of the check's group. Set only in the settings for a run, never in stored settings. */
  readonly groupScripts?: GroupScripts;
}

export const assertionSources = httpSources;

export function findFaults(settings: OwnSettings): Fault[] {
  const { request } = settings;
  return [
    ...findUrlFaults(request),
    ...findPairFaults(request, "request"),
    ...findAssertionFaults(assertionSources, request.assertions),
    ...findScriptFaults(settings),
  ];
}

const mustReenter =
  "must be entered again: a secret is kept only while its name, host and lock are unchanged";

/** Validates headers, query parameters and password of a check or of a group's defaults. */
export function findPairFaults(
  request: Pick<WrittenRequest, "headers" | "queryParameters" | "basicAuth">,
  path: string,
): Fault[] {
  const faults: Fault[] = [];
  const add = (key: string, rule: string) => faults.push({ key: `${path}.${key}`, rule });
  for (const [index, { key, value }] of request.headers.entries()) {
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(fillAlike(key, "x"))) {
      add(`headers.${index}.key`, "must be a valid header name");
    }
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it finds control characters.
    if (/[\0-\x08\x0a-\x1f\x7f]/.test(value)) {
      add(`headers.${index}.value`, "must not contain line breaks or other control characters");
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

/** Converts the settings to a request with the scripts of the check and its group. */
export function toRequest(settings: ApiSettings, timeoutMs: number): ApiRequest {
  const { request } = settings;
  if (!hasScripts(settings)) return { ...request, timeoutMs };
  return { ...request, timeoutMs, scripts: planScripts(settings) };
}
