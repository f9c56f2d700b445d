import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { clipText, toShortLine } from "../../../platform/text/clip.ts";
import { type ScriptMeasurement, scriptEnds } from "../../../sandbox/script-run.ts";
import { scriptErrorFields, scriptLogFields } from "../../kit/scripts/measurement.ts";
import { type ChangeText, secretMask } from "../../kit/secrets.ts";
import type { HttpReason } from "../../wire/http/http-judge.ts";
import type { UnpackedBody } from "../../wire/http/http-measurement.ts";
import {
  type HeaderField,
  type HttpMeasurement,
  maxBodyBytes,
} from "../../wire/http/http-measurement.ts";
import { joinHeaders } from "../../wire/http/http-sources.ts";
import { findUrlFaults } from "../../wire/http/url-faults.ts";
import {
  type ApiRequest,
  findPairFaults,
  type KeyValue,
  methods,
  requestLimits,
} from "./request.ts";

/**
 * Defines the results of scripts in a run, and the values that a run passes to its scripts and
 * back.
 */

export type HookName = "setup" | "teardown";

/** Result of the scripts of one phase, which run in one sandbox. */
export interface HookRun
  extends Pick<
    ScriptMeasurement,
    "end" | "durationMs" | "cpuMs" | "runtime" | "isolation" | "errors" | "logs"
  > {
  /** Time from the start of the run to the start of the scripts. */
  readonly startMs: number;
}

/** The request as changed by the setup script. Values that may be secret are masked. */
type SentRequest = Pick<
  ApiRequest,
  "method" | "url" | "headers" | "queryParameters" | "body" | "bodyType"
>;

export interface ScriptRuns {
  readonly setup: HookRun | null;
  readonly teardown: HookRun | null;
  /**
   * The request as it was sent, with the changes that the setup script made. `null` if no setup
   * script ran or if no request was sent.
   *
   * In a decoded measurement, `sent` is also `null`, because the decoded request already contains
   * the changes.
   */
  readonly sent: SentRequest | null;
}

/**
 * Limits of the stored output of one phase. Output within these limits fits into the 64 KiB that
 * the encoding reserves for a phase.
 */
const limits = { logs: 100, logsLength: 12_000, errors: 2, errorLength: 1_000 } as const;

export function summariseHook(measured: ScriptMeasurement, startMs: number): HookRun {
  const { end, durationMs, cpuMs, runtime, isolation } = measured;
  let left: number = limits.logsLength;
  const denials = measured.connections.flatMap(({ host, denial }) =>
    denial === null
      ? []
      : [{ atMs: durationMs, level: "error" as const, text: `Connection to ${host}: ${denial}` }],
  );
  const logs = [...measured.logs, ...denials].slice(0, limits.logs).map((log) => {
    const text = clipText(log.text, Math.max(1, left));
    left -= text.length;
    return { ...log, text };
  });
  const errors = measured.errors.slice(0, limits.errors).map((error) => ({
    ...error,
    message: clipText(error.message, limits.errorLength),
    stack: error.stack && clipText(error.stack, limits.errorLength),
  }));
  return { end, durationMs, cpuMs, runtime, isolation, errors, logs, startMs };
}

const ends: Readonly<Record<(typeof scriptEnds)[number], string>> = {
  passed: "it returned nothing",
  failed: "it ended with a failure and without an error message",
  "timed-out": "it was ended after its time limit of 15 seconds",
  "out-of-memory": "it used more memory than a run may use",
  "too-much-output": "it wrote more output than a run may write",
  "too-many-processes": "it started more processes than a run may start",
  crashed: "its process ended unexpectedly",
};

/** Formats why the scripts of one phase failed, with the file and line. */
export function describeFailure(name: HookName, { end, errors }: HookRun): string {
  const [error] = end === "failed" ? errors : [];
  if (error === undefined) return `The ${name} script failed: ${ends[end]}.`;
  const { file, line, message } = error;
  const where = file === null ? "" : ` at ${file}${line === null ? "" : `:${line}`}`;
  return `The ${name} script failed${where}: ${toShortLine(message.replace(/\s+/g, " "), 300)}`;
}

/**
 * Returns a reason if the teardown failed. A failed setup is the run's error (`trouble`) instead,
 * because no request was sent.
 */
export function findScriptReasons(runs: ScriptRuns | undefined): HttpReason[] {
  const teardown = runs?.teardown ?? null;
  if (teardown === null || teardown.end === "passed") return [];
  const message = describeFailure("teardown", teardown);
  return [{ name: "script-failed", code: "TEARDOWN_FAILED", message }];
}

const OrNone = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);
const Milliseconds = Type.Number({ minimum: 0, maximum: 1e9 });

const Hook = Type.Object({
  end: Type.Enum([...scriptEnds]),
  durationMs: Milliseconds,
  startMs: Milliseconds,
  cpuMs: OrNone(Milliseconds),
  runtime: Type.String({ maxLength: 100 }),
  isolation: Type.String({ maxLength: 20 }),
  errors: Type.Array(Type.Object(scriptErrorFields), { maxItems: limits.errors }),
  logs: Type.Array(Type.Object(scriptLogFields), { maxItems: limits.logs }),
});
const Pairs = Type.Array(
  Type.Object({
    key: Type.String({ maxLength: requestLimits.keyLength }),
    value: Type.String({ maxLength: requestLimits.valueLength }),
    locked: Type.Boolean(),
  }),
  { maxItems: 4 * requestLimits.pairs },
);

export const ScriptRunsSchema = Type.Object({
  setup: OrNone(Hook),
  teardown: OrNone(Hook),
  sent: OrNone(
    Type.Object({
      method: Type.Enum([...methods]),
      url: Type.String({ maxLength: requestLimits.urlLength }),
      headers: Pairs,
      queryParameters: Pairs,
      body: Type.String({ maxLength: requestLimits.bodyLength }),
      bodyType: Type.String({ maxLength: 20 }),
    }),
  ),
});

let compiled: { Check(value: unknown): boolean } | undefined;

/**
 * Validates the script results that a probe reported; returns `null` if they are invalid. The
 * schema is compiled on first use, because only the server validates.
 */
export function readScriptRuns(value: unknown): ScriptRuns | null {
  compiled ??= Compile(ScriptRunsSchema);
  return compiled.Check(value) ? (value as ScriptRuns) : null;
}

export function mapRunTexts(runs: ScriptRuns, change: ChangeText): ScriptRuns {
  const orNull = (text: string | null) => text && change(text);
  const mapHook = (hook: HookRun | null): HookRun | null =>
    hook && {
      ...hook,
      errors: hook.errors.map(({ message, stack, file, ...place }) => ({
        ...{ ...place, message: change(message), stack: orNull(stack), file: orNull(file) },
      })),
      logs: hook.logs.map((log) => ({ ...log, text: change(log.text) })),
    };
  const mapPair = (pair: KeyValue) => ({
    ...pair,
    key: change(pair.key),
    value: change(pair.value),
  });
  const { sent } = runs;
  return {
    setup: mapHook(runs.setup),
    teardown: mapHook(runs.teardown),
    sent: sent && {
      ...sent,
      url: change(sent.url),
      body: change(sent.body),
      headers: sent.headers.map(mapPair),
      queryParameters: sent.queryParameters.map(mapPair),
    },
  };
}

const credentialName = /auth|cookie|credential|key|pass|secret|signature|token/i;

/**
 * Returns the value of an entry, or the mask if the value may be secret: more people can read
 * results than checks.
 */
export function showValue({ key, value, locked }: KeyValue): string {
  const isHidden = value !== "" && (locked || credentialName.test(key));
  return isHidden ? secretMask : value;
}

/** Removes the credentials of a URL, because more people can read results than checks. */
export function hideCredentials(url: string): string {
  return url.replace(/^(\s*[a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, "$1");
}

export function toSent(request: ApiRequest, isKept: boolean): SentRequest {
  const { method, bodyType } = request;
  const url = hideCredentials(request.url);
  if (!isKept) return { method, url, bodyType, headers: [], queryParameters: [], body: "" };
  const toShown = (pair: KeyValue) => ({ ...pair, value: showValue(pair) });
  const headers = request.headers.map(toShown);
  const queryParameters = request.queryParameters.map(toShown);
  return { method, url, bodyType, headers, queryParameters, body: clipText(request.body, 4_096) };
}

/** The request as scripts receive it. */
interface ShownRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly queryParameters: Readonly<Record<string, string>>;
  readonly body: string;
}

export function showRequest(request: ApiRequest): ShownRequest {
  const { method, url, body } = request;
  const toObject = (pairs: readonly KeyValue[]) =>
    Object.fromEntries(pairs.map(({ key, value }) => [key, value]));
  const headers = toObject(request.headers);
  return { method, url, headers, queryParameters: toObject(request.queryParameters), body };
}

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null;

/** Thrown if a value that a script returned cannot be used. */
export class UnusableValue extends Error {}

const maxNames = 200;
const variableName = /^[A-Za-z_$][\w$]{0,254}$/;

/** Returns the variables that scripts changed. The value of a deleted variable is `null`. */
export function readEnvironment(values: unknown): ReadonlyMap<string, string | null> {
  const environment = isObject(values) && isObject(values.environment) ? values.environment : {};
  const changed = Object.entries(environment).filter(
    (entry): entry is [string, string | null] =>
      variableName.test(entry[0]) &&
      (entry[1] === null ||
        (typeof entry[1] === "string" && entry[1].length <= requestLimits.bodyLength)),
  );
  if (changed.length > maxNames) {
    throw new UnusableValue(`it set more than ${maxNames} environment variables`);
  }
  return new Map(changed);
}

interface ReturnedRequest {
  /** The request as configured, with `{{NAME}}` variables. */
  readonly written: ApiRequest;
  /** The request that the script received, before any change. */
  readonly shown: ShownRequest;
  readonly values: unknown;
  readonly fill: ChangeText;
}

/**
 * Returns the request to send. The script may have set variables, so the parts of the request that
 * it did not change are filled in again from the configured request.
 */
export function readRequest({ written, shown, values, fill }: ReturnedRequest): ApiRequest {
  const returned = isObject(values) && isObject(values.request) ? values.request : null;
  if (returned === null) throw new UnusableValue("it did not leave a request");
  const readText = (name: "url" | "body", before: string, maxLength: number) => {
    const value = returned[name];
    const text = value === shown[name] ? before : toText(value, `request.${name}`);
    const filled = fill(text);
    if (filled.length > maxLength) {
      throw new UnusableValue(`request.${name} is longer than ${maxLength} characters`);
    }
    return filled;
  };
  const readPairs = (name: "headers" | "queryParameters") => {
    const value = returned[name];
    const isSame = JSON.stringify(value) === JSON.stringify(shown[name]);
    const pairs = isSame ? written[name] : toPairs(value, written[name], `request.${name}`);
    return pairs.map((pair) => ({ ...pair, key: fill(pair.key), value: fill(pair.value) }));
  };
  const wanted = String(returned.method).toUpperCase();
  const method = methods.find((one) => one === wanted);
  if (method === undefined) {
    throw new UnusableValue(`request.method must be one of ${methods.join(", ")}`);
  }
  const body = readText("body", written.body, 4 * requestLimits.bodyLength);
  const isAdded = written.bodyType === "NONE" && body !== "" && returned.body !== shown.body;
  const request: ApiRequest = {
    ...written,
    method,
    url: readText("url", written.url, requestLimits.urlLength),
    body,
    bodyType: isAdded ? "RAW" : written.bodyType,
    headers: readPairs("headers"),
    queryParameters: readPairs("queryParameters"),
    basicAuth: written.basicAuth && {
      username: fill(written.basicAuth.username),
      password: fill(written.basicAuth.password),
    },
    assertions: written.assertions.map((one) => ({ ...one, target: fill(one.target) })),
  };
  const [fault] = [...findUrlFaults(request), ...findPairFaults(request, "request")];
  if (fault !== undefined) throw new UnusableValue(`${fault.key} ${fault.rule}`);
  return request;
}

function toText(value: unknown, name: string): string {
  if (typeof value === "string") return value;
  if (value === null || value === undefined) return "";
  if (typeof value === "object") return JSON.stringify(value);
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  throw new UnusableValue(`${name} must be a string`);
}

/** Converts headers or parameters that a script returned. Names that were locked stay locked. */
function toPairs(value: unknown, before: readonly KeyValue[], name: string): KeyValue[] {
  if (!isObject(value) || Array.isArray(value)) {
    throw new UnusableValue(`${name} must be an object`);
  }
  const entries = Object.entries(value).filter(([, one]) => one !== null && one !== undefined);
  if (entries.length > 2 * requestLimits.pairs) {
    throw new UnusableValue(`${name} has more than ${2 * requestLimits.pairs} entries`);
  }
  const locked = new Set(before.flatMap((pair) => (pair.locked ? pair.key.toLowerCase() : [])));
  return entries.map(([key, one]) => {
    const text = toText(one, `${name}.${toShortLine(key, 50)}`);
    if (
      key === "" ||
      key.length > requestLimits.keyLength ||
      text.length > requestLimits.valueLength
    ) {
      throw new UnusableValue(`${name}.${toShortLine(key, 50)} is too long or has no name`);
    }
    return { key, value: text, locked: locked.has(key.toLowerCase()) };
  });
}

/** A response with its complete, decoded body. */
export interface WholeAnswer {
  readonly measurement: HttpMeasurement;
  readonly body: UnpackedBody;
}

/** Returns the response as a teardown script receives it, without timings. */
export function showResponse({ measurement, body }: WholeAnswer) {
  const { status: statusCode, statusText, headers } = measurement;
  return { statusCode, statusText, headers: joinHeaders(headers), body: body.text };
}

const maxHeaders = 1_000;
const maxHeaderLength = 32_768;

/** Returns the response that assertions read, with the changes of the teardown script. */
export function readResponse(answer: WholeAnswer, values: unknown): WholeAnswer {
  const returned = isObject(values) && isObject(values.response) ? values.response : null;
  if (returned === null) throw new UnusableValue("it did not leave a response");
  const shown = showResponse(answer);
  const { statusCode: status } = returned;
  const isStatus = typeof status === "number" && Number.isInteger(status) && status >= 100;
  if (!isStatus || status > 599) {
    throw new UnusableValue("response.statusCode must be a whole number from 100 to 599");
  }
  const text = toText(returned.body, "response.body");
  const bytes = Buffer.byteLength(text);
  if (bytes > maxBodyBytes) {
    throw new UnusableValue(`response.body is longer than ${maxBodyBytes} bytes`);
  }
  const isSame = JSON.stringify(returned.headers) === JSON.stringify(shown.headers);
  const headers = isSame ? answer.measurement.headers : toHeaders(returned.headers);
  const statusText = clipText(toText(returned.statusText, "response.statusText"), 200);
  const body = text === shown.body ? answer.body : { ...answer.body, text, bytes, fault: null };
  return { measurement: { ...answer.measurement, status, statusText, headers }, body };
}

function toHeaders(value: unknown): HeaderField[] {
  if (!isObject(value)) throw new UnusableValue("response.headers must be an object");
  return Object.entries(value)
    .slice(0, maxHeaders)
    .map(([name, one]): HeaderField => {
      const text = toText(one, "response.headers");
      return [name.toLowerCase().slice(0, maxHeaderLength), text.slice(0, maxHeaderLength)];
    });
}
