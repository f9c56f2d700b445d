import type { ClientCertificate } from "../../../../contract/order.ts";
import type { Outcome } from "../../../../contract/result.ts";
import type { Assertion } from "../../../kit/assertions/assertion.ts";
import { requestHttp } from "../../../wire/http/http-client.ts";
import type { HeaderField, HttpAnswer } from "../../../wire/http/http-measurement.ts";
import { unpackBody } from "../../../wire/http/unpack-body.ts";
import type { Serve, SocketTools } from "../../../wire/network/socket-work.ts";
import { summariseTls } from "../../../wire/tls/tls-facts.ts";
import type { UrlMeasurement } from "../measurement.ts";
import { maxKeptBytes, maxKeptHeaderBytes } from "../measurement.ts";
import type { UrlRequest } from "../request.ts";

export interface UrlCall {
  readonly request: UrlRequest;
  readonly clientCertificate: ClientCertificate | null;
  /** Whether to keep headers and body even if the status is as expected. */
  readonly keepsAnswer: boolean;
}

type UrlOutcome = Outcome<UrlMeasurement>;

/**
 * Maximum number of body bytes to keep before decompression. Only the beginning of a body is
 * stored.
 */
const maxPackedBytes = 2 * maxKeptBytes;

/** Requests the URL and returns the outcome. Never throws for network errors. */
export async function probeUrl(
  { request, clientCertificate, keepsAnswer }: UrlCall,
  tools: SocketTools,
): Promise<UrlOutcome> {
  const { url, followRedirects, skipSSL, ipFamily, timeoutMs } = request;
  const how = { followRedirects, skipSSL, ipFamily, timeoutMs, clientCertificate };
  const sent = { method: "GET", url, headers: [], body: null, keptBytes: maxPackedBytes };
  const outcome = await requestHttp({ ...sent, ...how }, tools);
  if (outcome.kind !== "answered") return outcome;
  const { answer } = outcome;
  const isKept = keepsAnswer || !isExpected(answer.measurement.status, request.assertions);
  return { kind: "measured", measurement: await (isKept ? keepAnswer : dropAnswer)(answer) };
}

/** Removes headers and body. They are stored only to explain a failure, and most runs pass. */
async function dropAnswer({ measurement }: HttpAnswer): Promise<UrlMeasurement> {
  const tls = measurement.tls && summariseTls(measurement.tls);
  return { ...measurement, headers: [], tls, body: null };
}

async function keepAnswer({ measurement, body }: HttpAnswer): Promise<UrlMeasurement> {
  const tls = measurement.tls && summariseTls(measurement.tls);
  const headers = keepHeaders(measurement.headers);
  return { ...measurement, headers, tls, body: await unpackBody(body, measurement, maxKeptBytes) };
}

function keepHeaders(headers: readonly HeaderField[]): HeaderField[] {
  let remainingBytes = maxKeptHeaderBytes;
  return headers.filter(([name, value]) => {
    remainingBytes -= name.length + value.length;
    return remainingBytes >= 0;
  });
}

const comparisons: Readonly<Record<string, (status: number, target: number) => boolean>> = {
  EQUALS: (status, target) => status === target,
  NOT_EQUALS: (status, target) => status !== target,
  LESS_THAN: (status, target) => status < target,
  GREATER_THAN: (status, target) => status > target,
};

/**
 * Returns whether the status is as expected. This decides only which parts of the response are
 * stored, because the verdict is decided by the server.
 */
function isExpected(status: number, assertions: readonly Assertion[]): boolean {
  if (assertions.length === 0) return status < 400;
  return assertions.every(
    ({ comparison, target }) => comparisons[comparison]?.(status, Number(target)) === true,
  );
}

export const serve: Serve<UrlCall, UrlOutcome> = probeUrl;
