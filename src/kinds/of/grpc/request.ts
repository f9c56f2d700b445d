import { createRequire } from "node:module";
import type { IpFamily } from "../../../platform/net/host.ts";
import {
  type Assertion,
  type AssertionSources,
  findAssertionFaults,
} from "../../kit/assertions/assertion.ts";
import { assertionComparisons } from "../../kit/assertions/comparisons.ts";
import {
  createFigureSource,
  createHeaderSource,
  createJsonTextSource,
  createTextSource,
  responseTimeText,
} from "../../kit/assertions/sources.ts";
import type { ClientCertificateNeed, Fault } from "../../kit/definition.ts";
import type { KindTexts } from "../../kit/secrets.ts";
import { fillAlike, hasVariables } from "../../kit/variables/variables.ts";
import type { VerdictSettings } from "../../kit/verdict.ts";
import { findHostFaults } from "../../wire/network/host-rules.ts";
import { mapTlsTexts } from "../../wire/tls/tls-facts.ts";
import type { GrpcMeasurement } from "./measurement.ts";
import {
  type ConfigInput,
  type Mode,
  maxTimeoutSeconds,
  type OwnInput,
  type ServiceDefinition,
} from "./request-schema.ts";

interface MetadataItem {
  readonly key: string;
  readonly value: string;
}

/** Settings of a call. Fields of the mode that is not selected are `null`. */
interface GrpcConfig {
  readonly mode: Mode;
  readonly tls: boolean;
  readonly metadata: readonly MetadataItem[];
  readonly serviceDefinition: ServiceDefinition | null;
  readonly method: string | null;
  readonly protoContent: string | null;
  readonly message: string | null;
  /** Name of the service whose health is checked. An empty name stands for the whole server. */
  readonly service: string | null;
}

interface WrittenRequest {
  /** Host name or address without scheme and port. Existing clients call this field `url`. */
  readonly url: string;
  readonly port: number;
  readonly ipFamily: IpFamily;
  readonly skipSSL: boolean;
  /** Timeout of the whole run in seconds. */
  readonly timeout: number;
  readonly grpcConfig: GrpcConfig;
  readonly assertions: readonly Assertion[];
}

interface OwnSettings {
  readonly request: WrittenRequest;
}

export interface GrpcSettings extends VerdictSettings, OwnSettings {}

/** The request that a probe receives. */
export interface GrpcRequest extends GrpcConfig {
  readonly hostname: string;
  readonly port: number;
  readonly ipFamily: IpFamily;
  readonly skipSSL: boolean;
  /** Timeout of the whole run: name resolution, connection, reflection and call. */
  readonly timeoutMs: number;
}

export const responseTimeLimits = {
  degradedMs: 10_000,
  failingMs: 20_000,
  highestMs: maxTimeoutSeconds * 1_000,
  areShown: true,
} as const;

/** Parts of a response that assertions can compare. The response comes from `buildResponse`. */
export const assertionSources: AssertionSources = {
  RESPONSE_TIME: createFigureSource("RESPONSE_TIME", responseTimeText, ({ timingPhases }) =>
    typeof timingPhases === "object" && timingPhases !== null && "total" in timingPhases
      ? timingPhases.total
      : null,
  ),
  GRPC_STATUS_CODE: createFigureSource(
    "GRPC_STATUS_CODE",
    { label: "gRPC status code" },
    ({ grpcStatusCode }) => grpcStatusCode,
  ),
  GRPC_HEALTHCHECK_STATUS: createFigureSource(
    "GRPC_HEALTHCHECK_STATUS",
    { label: "health status" },
    ({ healthStatus }) => healthStatus,
  ),
  GRPC_RESPONSE: createJsonTextSource("response message", "$.id", ({ responseMessage, isCut }) =>
    typeof responseMessage === "string" ? { text: responseMessage, isCut: isCut === true } : null,
  ),
  TEXT_BODY: createTextSource(
    "response message",
    ({ responseMessage }) => responseMessage,
    assertionComparisons,
  ),
  GRPC_METADATA: createHeaderSource(({ metadata }) => metadata),
};

const defaults: WrittenRequest = {
  url: "",
  port: 0,
  ipFamily: "IPv4",
  skipSSL: false,
  timeout: 60,
  grpcConfig: {
    mode: "BEHAVIOR",
    tls: true,
    metadata: [],
    serviceDefinition: null,
    method: null,
    protoContent: null,
    message: null,
    service: null,
  },
  assertions: [],
};

export function mergeSettings(before: OwnSettings | null, change: OwnInput): OwnSettings {
  const former = before?.request ?? defaults;
  const { grpcConfig, ...rest } = change.request ?? {};
  return {
    request: { ...former, ...rest, grpcConfig: mergeConfig(former.grpcConfig, grpcConfig ?? {}) },
  };
}

/**
 * Merges a change into the settings of a call. Stored fields that the mode does not use are
 * removed. If the client sent such fields, they are kept, so that `findFaults` reports them.
 */
function mergeConfig(former: GrpcConfig, change: ConfigInput): GrpcConfig {
  const { mode = former.mode, tls = former.tls, metadata = former.metadata } = change;
  const isHealth = mode === "HEALTH";
  const pick = <Value>(sent: Value | null | undefined, stored: Value | null, isUsed: boolean) =>
    sent === undefined ? (isUsed ? stored : null) : sent;
  const definition = isHealth
    ? null
    : change.serviceDefinition || former.serviceDefinition || "REFLECTION";
  const isFile = definition === "PROTO_FILE";
  return {
    mode,
    tls,
    metadata,
    serviceDefinition: definition as ServiceDefinition | null,
    method: pick(change.method, former.method, !isHealth) || null,
    protoContent: pick(change.protoContent, former.protoContent, isFile) || null,
    message: pick(change.message, former.message, !isHealth) || null,
    service: isHealth ? (pick(change.service, former.service, true) ?? "") : change.service || null,
  };
}

export function findFaults({ request }: OwnSettings): Fault[] {
  const { url: hostname, ipFamily, grpcConfig, assertions } = request;
  const within = ({ key, rule }: Fault) => ({ key: `request.grpcConfig.${key}`, rule });
  return [
    ...findHostFaults({ hostname, ipFamily }).map(({ key, rule }) => ({
      key: key.replace("request.hostname", "request.url"),
      rule,
    })),
    ...findModeFaults(grpcConfig).map(within),
    ...findMetadataFaults(grpcConfig).map(within),
    ...(grpcConfig.mode === "HEALTH" ? [] : findCallFaults(grpcConfig).map(within)),
    ...findAssertionFaults(assertionSources, assertions),
  ];
}

function findModeFaults(config: GrpcConfig): Fault[] {
  const { mode, serviceDefinition } = config;
  const isHealth = mode === "HEALTH";
  const foreign = isHealth
    ? (["method", "protoContent", "message"] as const)
    : (["service"] as const);
  const faults: Fault[] = foreign
    .filter((key) => config[key] !== null)
    .map((key) => ({ key, rule: `must be empty when mode is ${mode}` }));
  if (isHealth) return faults;
  const isFile = serviceDefinition === "PROTO_FILE";
  if (isFile && config.protoContent === null) {
    faults.push({ key: "protoContent", rule: "is required when serviceDefinition is PROTO_FILE" });
  }
  if (!isFile && config.protoContent !== null) {
    faults.push({
      key: "protoContent",
      rule: "must be empty when serviceDefinition is REFLECTION",
    });
  }
  return faults;
}

/** Names of metadata that the protocol itself uses. A check must not set them. */
const reserved = /^(?::|grpc-|te$|content-type$|user-agent$|connection$|host$)/;

function findMetadataFaults({ metadata }: GrpcConfig): Fault[] {
  return metadata.flatMap(({ key, value }, index): Fault[] => {
    const name = fillAlike(key, "x").toLowerCase();
    if (reserved.test(name)) {
      return [{ key: `metadata.${index}.key`, rule: "must not be a name that gRPC itself uses" }];
    }
    if (!/^[0-9a-z_.-]+$/.test(name)) {
      const rule = "must consist of letters, digits, hyphens, dots and underscores";
      return [{ key: `metadata.${index}.key`, rule }];
    }
    if (name.endsWith("-bin")) {
      const isBase64 = /^[A-Za-z0-9+/_-]*={0,2}$/.test(fillAlike(value, "x"));
      return isBase64 ? [] : [{ key: `metadata.${index}.value`, rule: "must be base64" }];
    }
    const isPrintable = /^[\x20-\x7e]*$/.test(fillAlike(value, "x"));
    return isPrintable
      ? []
      : [{ key: `metadata.${index}.value`, rule: "must consist of printable ASCII characters" }];
  });
}

function findCallFaults(config: GrpcConfig): Fault[] {
  const { method, protoContent, message } = config;
  if (method === null) return [{ key: "method", rule: "is required when mode is BEHAVIOR" }];
  if (!methodPattern.test(method)) {
    return [{ key: "method", rule: "must be written as package.Service/Method" }];
  }
  const text = message ?? "";
  if (text !== "" && !hasVariables(text) && !isJsonObject(text)) {
    return [{ key: "message", rule: "must be a JSON object" }];
  }
  return protoContent === null ? [] : findFileFaults(protoContent, method, text);
}

/** Name of a method such as "shop.v1.Cart/Get", with or without a leading slash. */
const methodPattern = /^\/?[\w.]+\/\w+$/;

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

const load = createRequire(import.meta.url);

/** Loads the Protobuf libraries on first use: they need 27 MB, and most servers never use them. */
function loadMessages(): typeof import("./messages.ts") {
  return load("./messages.ts");
}

/**
 * Finds errors in a `.proto` file, a method and a message by processing them in the same way as a
 * run.
 */
function findFileFaults(protoContent: string, method: string, message: string): Fault[] {
  const { ProtoFault, readProtoFile, findMethod, encodeMessage } = loadMessages();
  let key: "protoContent" | "method" | "message" = "protoContent";
  try {
    const registry = readProtoFile(protoContent);
    key = "method";
    const found = findMethod(registry, method);
    key = "message";
    if (!hasVariables(message)) encodeMessage(found, message);
    return [];
  } catch (error) {
    if (!(error instanceof ProtoFault)) throw error;
    const rule =
      key === "protoContent" ? "must be a valid .proto file" : "must fit the .proto file";
    return [{ key, rule: `${rule}: ${error.message}` }];
  }
}

/** Formats the target as `host:port`, with brackets around IPv6 addresses. */
export function writeTarget({ url, port }: Pick<WrittenRequest, "url" | "port">): string {
  return url.includes(":") ? `[${url}]:${port}` : `${url}:${port}`;
}

/** Minimum timeout. A shorter timeout could not distinguish a slow server from a lost packet. */
const minTimeoutMs = 1_000;
/** Time allowed for sending the run order to the probe and for sending the result back. */
const slackMs = 8_000;
/** Timeout of name resolution. */
const resolveMs = 4_000;

/**
 * Returns the timeout of a run. It is at most the failing limit, because a slower run fails anyway,
 * but never below the minimum.
 */
function timeoutOf({ request, maxResponseTime }: GrpcSettings): number {
  const limitMs = maxResponseTime ?? Number.POSITIVE_INFINITY;
  return Math.max(minTimeoutMs, Math.min(request.timeout * 1_000, limitMs));
}

export function toRequest(settings: GrpcSettings): GrpcRequest {
  const { url: hostname, port, ipFamily, skipSSL, grpcConfig } = settings.request;
  return { hostname, port, ipFamily, skipSSL, ...grpcConfig, timeoutMs: timeoutOf(settings) };
}

export function deadlineMs(settings: GrpcSettings): number {
  return Math.max(resolveMs, timeoutOf(settings)) + slackMs;
}

export function clientCertificateFor({ tls, hostname }: GrpcRequest): ClientCertificateNeed | null {
  return tls ? { host: hostname } : null;
}

/** Validates the request fields that a probe relies on. */
export function isGrpcRequest(value: unknown): value is GrpcRequest {
  if (typeof value !== "object" || value === null) return false;
  const request = value as Partial<Record<keyof GrpcRequest, unknown>>;
  const { hostname, port, ipFamily, mode, tls, skipSSL, metadata, timeoutMs } = request;
  const texts = [request.method, request.protoContent, request.message, request.service];
  return (
    typeof hostname === "string" &&
    Number.isInteger(port) &&
    Number(port) >= 1 &&
    Number(port) <= 65_535 &&
    (ipFamily === "IPv4" || ipFamily === "IPv6") &&
    (mode === "HEALTH" || mode === "BEHAVIOR") &&
    typeof tls === "boolean" &&
    typeof skipSSL === "boolean" &&
    Array.isArray(metadata) &&
    metadata.every(isMetadataItem) &&
    texts.every((text) => text === null || typeof text === "string") &&
    typeof timeoutMs === "number" &&
    timeoutMs >= minTimeoutMs &&
    timeoutMs <= 300_000
  );
}

function isMetadataItem(value: unknown): boolean {
  const { key, value: text } = (value ?? {}) as Partial<Record<keyof MetadataItem, unknown>>;
  return typeof key === "string" && typeof text === "string";
}

export const texts: KindTexts<GrpcRequest, GrpcMeasurement> = {
  mapRequest: (request, change) => ({
    ...request,
    hostname: change(request.hostname),
    metadata: request.metadata.map(({ key, value }) => ({
      key: change(key),
      value: change(value),
    })),
    message: request.message === null ? null : change(request.message),
    service: request.service === null ? null : change(request.service),
  }),
  mapMeasurement: (measurement, change) => ({
    ...measurement,
    resolvedIp: change(measurement.resolvedIp),
    statusMessage: change(measurement.statusMessage),
    message: change(measurement.message),
    metadata: measurement.metadata.map(([name, value]) => [change(name), change(value)] as const),
    tls: measurement.tls && mapTlsTexts(measurement.tls, change),
  }),
};
