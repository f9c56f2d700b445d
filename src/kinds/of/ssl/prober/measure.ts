import { createSecureContext, getCACertificates, type SecureContext } from "node:tls";
import type { ClientCertificate } from "../../../../contract/order.ts";
import type { Outcome } from "../../../../contract/result.ts";
import { BoundedMap } from "../../../../platform/bounded-map.ts";
import { parseHostname } from "../../../../platform/net/host.ts";
import { explainFailure, type FoundHost, findHost } from "../../../wire/network/reach-host.ts";
import type { Serve, SocketTools } from "../../../wire/network/socket-work.ts";
import {
  explainHandshake,
  type HandshakeResult,
  performHandshake,
  tolerant,
} from "../../../wire/tls/handshake.ts";
import { trustSystemStore } from "../../../wire/tls/secure-socket.ts";
import { computeDaysLeft } from "../../../wire/tls/tls-facts.ts";
import type { SslMeasurement, SslTrouble } from "../measurement.ts";
import type { SslRequest } from "../request.ts";
import { nameOf } from "../request.ts";

/** Cache of TLS contexts, because creating a context takes longer than a handshake. */
const kept = new BoundedMap<string, SecureContext>(100);

/**
 * Returns the TLS context for a client certificate. Throws if the certificate or its key is
 * invalid.
 */
function getSecureContext(shown: ClientCertificate | null): SecureContext {
  trustSystemStore();
  const name = shown === null ? "" : [shown.certificate, shown.key, shown.ca].join("\n\n");
  return kept.getOrCreate(name, () => createSecureContext({ ...tolerant, ...toOptions(shown) }));
}

function toOptions(shown: ClientCertificate | null) {
  if (shown === null) return {};
  const { certificate: cert, key, ca } = shown;
  return { cert, key, ...(ca !== null && { ca: [...getCACertificates("default"), ca] }) };
}

type SslOutcome = Outcome<SslMeasurement>;

export interface SslCall {
  readonly request: SslRequest;
  readonly clientCertificate: ClientCertificate | null;
}

const noConnection = { connectMs: null };

function unreachable(trouble: SslTrouble): SslOutcome {
  return { kind: "unreachable", trouble };
}

function toAscii(name: string): string {
  const parsed = parseHostname(name);
  if (parsed.kind === "invalid") return name;
  return parsed.kind === "name" ? parsed.ascii : parsed.address;
}

/** Resolves the host name and performs the handshake. Returns network errors as outcomes. */
export async function probeSsl(
  { request, clientCertificate }: SslCall,
  tools: SocketTools,
): Promise<SslOutcome> {
  const host = await findHost(request, tools);
  if (host.kind === "unreachable") return unreachable({ ...host.trouble, ...noConnection });
  if (host.kind !== "found") return host;
  const { resolvedIp, dnsMs } = host;
  const timeoutMs = request.timeoutMs - dnsMs;
  if (timeoutMs <= 0) return explain(request, "ETIMEDOUT", host);
  let secureContext: ReturnType<typeof getSecureContext>;
  try {
    secureContext = getSecureContext(clientCertificate);
  } catch {
    return { kind: "cannot-check", message: "The client certificate cannot be used." };
  }
  const name = toAscii(nameOf(request));
  const order = {
    address: resolvedIp,
    port: request.port,
    name,
    timeoutMs,
    secureContext,
    onStep: tools.onStep,
  };
  return conclude(request, host, await performHandshake(order, Date.now));
}

function explain(request: SslRequest, code: string, { resolvedIp, dnsMs }: FoundHost): SslOutcome {
  const failure = explainFailure(code, request.timeoutMs, { resolvedIp, dnsMs });
  if (failure.kind !== "unreachable") return failure;
  return unreachable({ ...failure.trouble, ...noConnection });
}

function conclude(request: SslRequest, host: FoundHost, result: HandshakeResult): SslOutcome {
  const { resolvedIp, dnsMs } = host;
  if (result.kind === "failed" && result.connectMs === null) {
    return explain(request, result.code, host);
  }
  if (result.kind === "failed") {
    const { code, connectMs } = result;
    const trouble = explainHandshake(code, request.timeoutMs);
    return unreachable({ ...trouble, code, resolvedIp, dnsMs, connectMs });
  }
  const { connectMs, handshakeMs, tls } = result;
  if (tls === null) {
    const message = "The server presented no certificate.";
    const code = "ENOCERTIFICATE";
    return unreachable({ kind: "no-certificate", code, message, resolvedIp, dnsMs, connectMs });
  }
  const daysLeft = computeDaysLeft(tls.certificate.validToMs, Date.now());
  const measurement = { resolvedIp, dnsMs, connectMs, handshakeMs, daysLeft, tls };
  return { kind: "measured", measurement };
}

export const serve: Serve<SslCall, SslOutcome> = probeSsl;
