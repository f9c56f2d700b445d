import type { ClientCertificate } from "../../../../contract/order.ts";
import type { Outcome } from "../../../../contract/result.ts";
import { BoundedMap } from "../../../../platform/bounded-map.ts";
import { explainFailure, findOwnFault } from "../../../wire/http/exchange.ts";
import { type FoundHost, findHost } from "../../../wire/network/reach-host.ts";
import type { Serve, SocketTools } from "../../../wire/network/socket-work.ts";
import { summariseTls } from "../../../wire/tls/tls-facts.ts";
import {
  type GrpcMeasurement,
  type GrpcTrouble,
  healthStatuses,
  maxMessageBytes,
  maxMetadataFields,
  maxMetadataValueLength,
  maxStatusMessageLength,
} from "../measurement.ts";
import type { UnaryMethod } from "../messages.ts";
import type { GrpcRequest } from "../request.ts";
import { type CallEnd, type CallFailure, GrpcSession } from "./call.ts";
import { type Connected, connect } from "./connection.ts";

/** Encodes and decodes messages of the standard health service `grpc.health.v1.Health`. */

const healthPath = "/grpc.health.v1.Health/Check";

const serviceTag = 0x0a;

/** Encodes a `HealthCheckRequest`. */
function encodeHealthRequest(service: string): Uint8Array {
  const name = Buffer.from(service);
  if (name.length === 0) return name;
  const length: number[] = [];
  let rest = name.length;
  for (; rest > 0x7f; rest >>>= 7) length.push((rest & 0x7f) | 0x80);
  return Buffer.concat([Buffer.from([serviceTag, ...length, rest]), name]);
}

/**
 * Decodes the status in a `HealthCheckResponse`; `null` if the bytes are not such a message. An
 * empty message has the status 0, UNKNOWN.
 */
function decodeHealthStatus(bytes: Uint8Array): number | null {
  let status = 0;
  for (let at = 0; at < bytes.length; at += 2) {
    const [tag = 0, value = 0xff] = bytes.subarray(at, at + 2);
    // All defined statuses fit into one byte, and the message has no other fields.
    if (tag !== statusTag || value > 0x7f) return null;
    status = value;
  }
  return status;
}

const statusTag = 0x08;

export interface GrpcCall {
  readonly request: GrpcRequest;
  readonly clientCertificate: ClientCertificate | null;
}

type GrpcOutcome = Outcome<GrpcMeasurement>;

/** Resolves the host name, connects and makes the call. Returns network errors as outcomes. */
export async function probeGrpc(
  { request, clientCertificate }: GrpcCall,
  tools: SocketTools,
): Promise<GrpcOutcome> {
  const host = await findHost(request, tools);
  if (host.kind !== "found") return host;
  const deadlineMs = performance.now() + request.timeoutMs - host.dnsMs;
  const { hostname, port, tls, skipSSL, timeoutMs } = request;
  const connection = await connect({
    address: host.resolvedIp,
    port,
    host: hostname,
    tls,
    skipSSL,
    clientCertificate,
    timeoutMs: Math.max(1, deadlineMs - performance.now()),
    onStep: tools.onStep,
  });
  if (connection.kind === "failed") {
    const ownFault = findOwnFault(connection.code);
    if (ownFault !== null) return ownFault;
    const { kind, message } = explainFailure(connection, timeoutMs);
    return unreachable(host, { kind: toTroubleKind(kind), code: connection.code, message });
  }
  const run = new Run(request, connection, deadlineMs);
  try {
    return conclude(request, host, connection, await run.perform(tools));
  } finally {
    run.close();
  }
}

function toTroubleKind(kind: string): GrpcTrouble["kind"] {
  return kind === "too-many-redirects" || kind === "redirect-refused"
    ? "failed"
    : (kind as GrpcTrouble["kind"]);
}

function unreachable(
  { resolvedIp, dnsMs }: FoundHost,
  trouble: Pick<GrpcTrouble, "kind" | "code" | "message">,
): GrpcOutcome {
  const whole: GrpcTrouble = { ...trouble, resolvedIp, dnsMs };
  return { kind: "unreachable", trouble: whole };
}

/** Result of a call that ended with a status, with the decoded response. */
interface Performed extends CallEnd {
  readonly reflectionMs: number | null;
  readonly healthStatus: number | null;
  /** Response message as JSON; empty if there was none. */
  readonly text: string;
}

class Run {
  readonly #request: GrpcRequest;
  readonly #session: GrpcSession;
  readonly #deadlineMs: number;
  #reflectionMs: number | null = null;

  constructor(request: GrpcRequest, { socket }: Connected, deadlineMs: number) {
    this.#request = request;
    this.#deadlineMs = deadlineMs;
    const { hostname, port, tls } = request;
    const host = hostname.includes(":") ? `[${hostname}]` : hostname;
    const origin = URL.parse(`${tls ? "https" : "http"}://${host}:${port}`);
    this.#session = new GrpcSession(socket, origin ?? new URL("http://localhost"));
  }

  close(): void {
    this.#session.close();
  }

  async perform({ onStep }: SocketTools): Promise<Performed | CallFailure> {
    const result = await (this.#request.mode === "HEALTH" ? this.#askHealth() : this.#callMethod());
    if (result.kind === "ended") {
      onStep?.({ step: "answered", status: result.statusCode, durationMs: result.callMs });
    }
    return result;
  }

  #call(path: string, body: Uint8Array): Promise<CallEnd | CallFailure> {
    const metadata = this.#request.metadata.map(({ key, value }) => [key, value] as const);
    const timeoutMs = Math.max(1, this.#deadlineMs - performance.now());
    return this.#session.call({ path, body, metadata, timeoutMs });
  }

  async #askHealth(): Promise<Performed | CallFailure> {
    const end = await this.#call(healthPath, encodeHealthRequest(this.#request.service ?? ""));
    if (end.kind === "failed") return end;
    const nothing = { ...end, reflectionMs: null, healthStatus: null, text: "" };
    if (end.statusCode !== 0 || end.message === null) return nothing;
    const healthStatus = decodeHealthStatus(end.message);
    if (healthStatus === null) return unreadable("grpc.health.v1.HealthCheckResponse");
    const status = healthStatuses[healthStatus] ?? healthStatus;
    return { ...nothing, healthStatus, text: JSON.stringify({ status }) };
  }

  async #callMethod(): Promise<Performed | CallFailure> {
    const { encodeMessage, decodeMessage, ProtoFault } = await import("../messages.ts");
    try {
      const method = await this.#findMethod();
      if ("kind" in method) return method;
      const body = encodeMessage(method, this.#request.message ?? "");
      const end = await this.#call(method.path, body);
      if (end.kind === "failed") return end;
      const text = end.message === null ? "" : decodeMessage(method, end.message);
      if (text === null) return unreadable(method.output.typeName);
      return { ...end, reflectionMs: this.#reflectionMs, healthStatus: null, text };
    } catch (error) {
      if (!(error instanceof ProtoFault)) throw error;
      const message = `The method cannot be called: ${error.message}.`;
      return { kind: "failed", trouble: "method-unknown", code: "EMETHOD", message };
    }
  }

  async #findMethod(): Promise<UnaryMethod | CallFailure> {
    const { readProtoFile, findMethod } = await import("../messages.ts");
    const { protoContent, method } = this.#request;
    const name = method ?? "";
    if (protoContent !== null) {
      return files.getOrCreate(`${name}\n${protoContent}`, () =>
        findMethod(readProtoFile(protoContent), name),
      );
    }
    const { reflect } = await import("./reflection.ts");
    const startedMs = performance.now();
    const service = name.replace(/^\//, "").split("/")[0] ?? "";
    const registry = await reflect((path, body) => this.#call(path, body), service);
    this.#reflectionMs = performance.now() - startedMs;
    return registry.kind === "failed" ? registry : findMethod(registry, name);
  }
}

/** Cache of parsed methods, because parsing a large `.proto` file takes longer than the call. */
const files = new BoundedMap<string, UnaryMethod>(50);

function unreadable(typeName: string): CallFailure {
  const message = `The response is not a ${typeName} message.`;
  return { kind: "failed", trouble: "broken-answer", code: "EMESSAGE", message };
}

function conclude(
  request: GrpcRequest,
  host: FoundHost,
  { connectMs, tlsMs, tls }: Connected,
  performed: Performed | CallFailure,
): GrpcOutcome {
  if (performed.kind === "failed") {
    const { trouble: kind, code, message } = performed;
    const isLate = kind === "timed-out";
    const text = isLate ? `The call did not end within ${request.timeoutMs} ms.` : message;
    return unreachable(host, { kind, code, message: text });
  }
  const { callMs, reflectionMs, statusCode, statusMessage, healthStatus, text } = performed;
  const { resolvedIp, dnsMs } = host;
  const bytes = Buffer.from(text);
  const isCut = bytes.length > maxMessageBytes;
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const measurement: GrpcMeasurement = {
    resolvedIp,
    dnsMs,
    connectMs,
    tlsMs,
    callMs,
    reflectionMs,
    statusCode: Math.min(statusCode, 0xffff),
    statusMessage: statusMessage.slice(0, maxStatusMessageLength),
    healthStatus,
    // Decodes the beginning of a long message. An incomplete character at its end is dropped.
    message: isCut ? decoder.decode(bytes.subarray(0, maxMessageBytes), { stream: true }) : text,
    isCut,
    receivedBytes: performed.message?.length ?? 0,
    metadata: performed.metadata
      .slice(0, maxMetadataFields)
      .map(([name, value]) => [name.slice(0, 255), value.slice(0, maxMetadataValueLength)]),
    tls: tls && summariseTls(tls),
  };
  return { kind: "measured", measurement };
}

export const serve: Serve<GrpcCall, GrpcOutcome> = probeGrpc;
