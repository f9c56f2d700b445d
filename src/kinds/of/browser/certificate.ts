import { createSecureContext, type SecureContext } from "node:tls";
import type { WatchedCertificate } from "../../../sandbox/script-run.ts";
import { explainFailure, findHost } from "../../wire/network/reach-host.ts";
import type { Serve, SocketTools } from "../../wire/network/socket-work.ts";
import { explainHandshake, performHandshake, tolerant } from "../../wire/tls/handshake.ts";
import { toSeenCertificate } from "../../wire/tls/tls-facts.ts";
import { type Domain, parseDomain } from "./domain.ts";

/** Reads the certificate of the domain that a browser check watches. Runs in the socket thread. */

const timeoutMs = 10_000;
const noCertificate = "The server presented no certificate.";

let context: SecureContext | undefined;

async function findAddress({ hostname, port, families }: Domain, tools: SocketTools) {
  let message = "The name has no address.";
  for (const ipFamily of families) {
    const found = await findHost({ hostname, port, ipFamily }, tools);
    if (found.kind === "found") return found;
    message = found.kind === "unreachable" ? found.trouble.message : found.message;
    if (found.kind !== "unreachable" || found.trouble.kind !== "unresolved") break;
  }
  return { kind: "failed" as const, message };
}

/**
 * Returns the certificate of a host, even if it is invalid, or the reason why it could not be read.
 */
async function readCertificate(host: string, tools: SocketTools): Promise<WatchedCertificate> {
  const domain = parseDomain(host);
  if ("reason" in domain) return { host, error: `It is not a valid host: ${domain.reason}.` };
  const found = await findAddress(domain, tools);
  if (found.kind === "failed") return { host, error: found.message };
  context ??= createSecureContext(tolerant);
  const { port, hostname: name } = domain;
  const { resolvedIp: address } = found;
  const order = { address, port, name, timeoutMs, secureContext: context };
  const result = await performHandshake(order, Date.now);
  if (result.kind === "made") {
    return result.tls === null
      ? { host, error: noCertificate }
      : toSeenCertificate(host, result.tls);
  }
  if (result.connectMs !== null) {
    return { host, error: explainHandshake(result.code, timeoutMs).message };
  }
  const failure = explainFailure(result.code, timeoutMs, found);
  return {
    host,
    error: failure.kind === "unreachable" ? failure.trouble.message : failure.message,
  };
}

export const serve: Serve<string, WatchedCertificate> = readCertificate;
