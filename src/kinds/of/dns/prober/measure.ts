import { Resolver } from "node:dns";
import { isIP } from "node:net";
import type { Outcome } from "../../../../contract/result.ts";
import { explainFailure, findHost } from "../../../wire/network/reach-host.ts";
import type { Serve, SocketTools } from "../../../wire/network/socket-work.ts";
import type { DnsMeasurement, DnsTrouble } from "../measurement.ts";
import { type DnsRequest, defaultPort, parseQueryName } from "../request.ts";
import { getTypeNumber } from "../wire/record-types.ts";
import { type QueryCounts, type QueryResult, sendQuery } from "./query.ts";

interface Endpoint {
  readonly address: string;
  readonly port: number;
}

/** How long the system's DNS servers are cached. They change when the machine changes networks. */
const freshMs = 10_000;

let found: { readonly endpoints: readonly Endpoint[]; readonly atMs: number } | null = null;

/**
 * Returns the system's first DNS server of the requested IP family, or of any family if none is
 * requested; `null` if there is no match.
 */
function findSystemServer({ ipFamily }: Pick<DnsRequest, "ipFamily">): Endpoint | null {
  const nowMs = performance.now();
  if (found === null || nowMs - found.atMs > freshMs) {
    found = { endpoints: new Resolver().getServers().map(parseServer), atMs: nowMs };
  }
  const isOfFamily = ({ address }: Endpoint) =>
    ipFamily === undefined || address.includes(":") === (ipFamily === "IPv6");
  return found.endpoints.find(isOfFamily) ?? null;
}

/** Parses a DNS server in Node's format: an address, followed by the port unless the port is 53. */
export function parseServer(text: string): Endpoint {
  if (isIP(text) !== 0) return { address: text, port: defaultPort };
  const { address = text, port } = /^\[?(?<address>.+?)\]?:(?<port>\d+)$/.exec(text)?.groups ?? {};
  return { address, port: port === undefined ? defaultPort : Number(port) };
}

type DnsOutcome = Outcome<DnsMeasurement>;
type Found = Pick<DnsMeasurement, "resolvedIp" | "port" | "nameServerMs">;
type Server =
  | { readonly kind: "found"; readonly endpoint: Endpoint; readonly nameServerMs: number }
  | { readonly kind: "lacking"; readonly outcome: DnsOutcome };

/** Error messages by error code. They replace the shared messages for failed connections. */
const closed: Readonly<Record<string, string>> = {
  ECONNRESET: "The server reset the connection before answering.",
  EPIPE: "The server closed the connection before answering.",
  ECLOSED: "The server closed the connection before answering.",
};

const nothingSent: QueryCounts = { queriesSent: 0, ignoredAnswers: 0 };

function unreachable(kind: DnsTrouble["kind"], trouble: Omit<DnsTrouble, "kind">): DnsOutcome {
  const full: DnsTrouble = { kind, ...trouble };
  return { kind: "unreachable", trouble: full };
}

function explainFailed(
  { code, wasTruncated, ...result }: Extract<QueryResult, { kind: "failed" }>,
  { timeoutMs }: DnsRequest,
  found: Found,
): DnsOutcome {
  const { queriesSent, ignoredAnswers } = result;
  const { resolvedIp, nameServerMs: dnsMs } = found;
  const failure = explainFailure(code, timeoutMs, { resolvedIp, dnsMs });
  if (failure.kind !== "unreachable") return failure;
  const { trouble } = failure;
  const [kind, why] =
    trouble.kind === "reset" || closed[code] !== undefined
      ? (["closed", closed[code] ?? trouble.message] as const)
      : ([trouble.kind, trouble.message] as const);
  const message = `${why}${describeIgnored(ignoredAnswers)}`;
  const rest = { code, ...found, queriesSent, ignoredAnswers };
  if (!wasTruncated) return unreachable(kind, { ...rest, message });
  const whole = `The UDP answer was truncated and could not be fetched over TCP: ${message}`;
  return unreachable("truncated", { ...rest, message: whole });
}

function describeIgnored(count: number): string {
  if (count === 0) return "";
  return count === 1
    ? " One message was ignored: it answered another query."
    : ` ${count} messages were ignored: they answered other queries.`;
}

function explainResult(
  result: Exclude<QueryResult, { kind: "answered" }>,
  request: DnsRequest,
  found: Found,
): DnsOutcome {
  const { queriesSent, ignoredAnswers } = result;
  const rest = { ...found, queriesSent, ignoredAnswers };
  switch (result.kind) {
    case "failed":
      return explainFailed(result, request, found);
    case "malformed": {
      const message = `The answer is malformed: ${result.fault}.`;
      return unreachable("malformed", { code: "EBADRESP", message, ...rest });
    }
    case "flooded": {
      const message = `The server sent ${ignoredAnswers} messages that answered other queries.`;
      return unreachable("flooded", { code: "EFLOOD", message, ...rest });
    }
  }
}

/**
 * Determines the server to query. The system's DNS server is exempt from the address guard, because
 * the operator configured it. This exemption does not apply if the check uses a port other than 53.
 */
async function findServer(
  { nameServer, port, ipFamily }: DnsRequest,
  tools: SocketTools,
  systemServer: Endpoint | null,
): Promise<Server> {
  if (nameServer === null && systemServer === null) {
    const server = ipFamily === undefined ? "DNS server" : `DNS server with ${ipFamily}`;
    const message = `The system of this probe has no ${server} configured.`;
    return { kind: "lacking", outcome: { kind: "cannot-check", message } };
  }
  if (nameServer === null && systemServer !== null && port === defaultPort) {
    return { kind: "found", endpoint: systemServer, nameServerMs: 0 };
  }
  const hostname = nameServer ?? systemServer?.address ?? "";
  const host = await findServerHost({ hostname, port }, ipFamily, tools);
  if (host.kind === "found") {
    const endpoint = { address: host.resolvedIp, port };
    return { kind: "found", endpoint, nameServerMs: host.dnsMs };
  }
  if (host.kind !== "unreachable") return { kind: "lacking", outcome: host };
  const { dnsMs: nameServerMs, kind, ...trouble } = host.trouble;
  const known = kind === "denied" || kind === "unresolved" ? kind : "failed";
  const outcome = unreachable(known, { ...trouble, port, nameServerMs, ...nothingSent });
  return { kind: "lacking", outcome };
}

/** Resolves the server's name. Without a requested family, IPv4 is tried before IPv6. */
async function findServerHost(
  server: { readonly hostname: string; readonly port: number },
  ipFamily: DnsRequest["ipFamily"],
  tools: SocketTools,
) {
  if (ipFamily !== undefined) return findHost({ ...server, ipFamily }, tools);
  const first = await findHost({ ...server, ipFamily: "IPv4" }, tools);
  if (first.kind !== "unreachable" || first.trouble.kind !== "unresolved") return first;
  const second = await findHost({ ...server, ipFamily: "IPv6" }, tools);
  const isGone = second.kind === "unreachable" && second.trouble.kind === "unresolved";
  return isGone ? first : second;
}

/** Queries the server and returns the outcome. Never throws for network errors. */
export async function probeDns(
  request: DnsRequest,
  tools: SocketTools,
  systemServer: Endpoint | null = findSystemServer(request),
): Promise<DnsOutcome> {
  const { recordType, protocol, timeoutMs } = request;
  const name = parseQueryName(request.query, recordType);
  if (name.kind === "invalid") return { kind: "cannot-check", message: name.reason };
  const server = await findServer(request, tools, systemServer);
  if (server.kind === "lacking") return server.outcome;
  const { endpoint, nameServerMs } = server;
  const question = { name: name.ascii, type: getTypeNumber(recordType) };
  const result = await sendQuery({
    ...endpoint,
    ...question,
    protocol,
    timeoutMs,
    onStep: tools.onStep,
  });
  const found = { resolvedIp: endpoint.address, port: endpoint.port, nameServerMs };
  if (result.kind !== "answered") return explainResult(result, request, found);
  const { kind: _answered, ...measured } = result;
  return { kind: "measured", measurement: { ...found, ...measured } };
}

export const serve: Serve<DnsRequest, DnsOutcome> = (request, tools) => probeDns(request, tools);
