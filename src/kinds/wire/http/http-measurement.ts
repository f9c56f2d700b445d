import { Type } from "typebox";
import type { ClientCertificate } from "../../../contract/order.ts";
import type { NoData, Trouble } from "../../../contract/result.ts";
import type { IpFamily } from "../../../platform/net/host.ts";
import type { ChangeText } from "../../kit/secrets.ts";
import { mapTlsTexts, type TlsFacts, TlsFactsSchema } from "../tls/tls-facts.ts";

/** Request for the HTTP client, which opens a new connection for each request and redirect. */
export interface HttpRequest {
  readonly method: string;
  /** Absolute http or https URL. Credentials in the URL are sent as basic authentication. */
  readonly url: string;
  readonly headers: readonly HeaderField[];
  readonly body: string | null;
  readonly followRedirects: boolean;
  /** Whether to accept a server whose certificate is not trusted. */
  readonly skipSSL: boolean;
  readonly ipFamily: IpFamily;
  /** Time limit for name resolution, connections, redirects and the body together. */
  readonly timeoutMs: number;
  readonly clientCertificate: ClientCertificate | null;
  /** Number of body bytes to keep, counted before decompression. At most `maxBodyBytes`. */
  readonly keptBytes: number;
}

export type HeaderField = readonly [name: string, value: string];

export const maxRedirects = 10;
/** Maximum size of a body. The limit applies before and after decompression. */
export const maxBodyBytes = 1_048_576;
/** Maximum size of the status line and header fields of one response together. */
export const maxHeaderBytes = 32_768;

/** Minimum timeout. A shorter one could not distinguish a slow server from a lost packet. */
export const minTimeoutMs = 1_000;
const timeoutWithoutLimitMs = 45_000;

/**
 * Returns the timeout of a run: its failing limit, because a slower run fails anyway, or a default.
 */
export function timeoutOf({
  maxResponseTime,
}: {
  readonly maxResponseTime: number | null;
}): number {
  return Math.max(minTimeoutMs, maxResponseTime ?? timeoutWithoutLimitMs);
}

/** Duration of each phase of one request in milliseconds. */
export interface HttpPhases {
  /** Duration of the name resolution. */
  readonly dnsMs: number;
  readonly connectMs: number;
  /** Duration of the TLS handshake; `null` if the connection does not use TLS. */
  readonly tlsMs: number | null;
  /** Time from sending the request to the first byte of the response. */
  readonly firstByteMs: number;
  /** Time from the first byte to the last byte of the response. */
  readonly bodyMs: number;
}

/** A response that redirected the client. */
export interface HttpHop {
  readonly url: string;
  readonly status: number;
  readonly resolvedIp: string;
  readonly phases: HttpPhases;
}

/** How a response body ended. Only `complete` and `cut` are successful. */
export const bodyEnds = [
  "complete",
  /** `cut` means that the client stopped reading at `maxBodyBytes`. */
  "cut",
  "timed-out",
  /** `closed` means that the connection was closed before the announced end of the body. */
  "closed",
  "reset",
  /** `broken` means that the body contained invalid chunks or frames. */
  "broken",
] as const;
export type BodyEnd = (typeof bodyEnds)[number];

/** A response whose status and header fields arrived. Texts from the server are not trusted. */
export interface HttpMeasurement {
  /** Redirects that the client followed, in order. */
  readonly hops: readonly HttpHop[];
  /** URL of the last request. */
  readonly url: string;
  readonly resolvedIp: string;
  readonly status: number;
  readonly statusText: string;
  readonly httpVersion: "1.0" | "1.1" | "2";
  /** Header fields of the response, with names in lower case. */
  readonly headers: readonly HeaderField[];
  /** Duration of each phase of the last request. */
  readonly phases: HttpPhases;
  /** Time spent in redirects before the last request. */
  readonly redirectMs: number;
  /** Duration of the whole run, including redirects. */
  readonly totalMs: number;
  /** Number of received body bytes, before decompression. */
  readonly receivedBytes: number;
  readonly bodyEnd: BodyEnd;
  /** TLS facts of the last connection; `null` if the connection did not use TLS. */
  readonly tls: TlsFacts | null;
}

export const httpTroubleKinds = [
  "unresolved",
  "denied",
  "refused",
  "unreachable",
  "timed-out",
  "reset",
  "closed",
  "tls-failed",
  "certificate-rejected",
  "broken-answer",
  "too-many-redirects",
  "redirect-refused",
  "failed",
  /** A script of the check failed before the request could be sent. */
  "script-failed",
] as const;

/** Why a run ended without a final response. */
export interface HttpTrouble extends Trouble {
  readonly kind: (typeof httpTroubleKinds)[number];
  readonly phase: "dns" | "connect" | "tls" | "firstByte" | "redirect";
  /** URL of the last request. */
  readonly url: string;
  readonly resolvedIp: string | null;
  /** Durations of the completed phases, or of the failed name resolution. */
  readonly phases: Partial<HttpPhases>;
  readonly hops: readonly HttpHop[];
  /** TLS facts of the last connection; `null` without a completed TLS handshake. */
  readonly tls: TlsFacts | null;
}

/** Response that the HTTP client returns to the prober of a kind. */
export interface HttpAnswer {
  readonly measurement: HttpMeasurement;
  /** The body as received. Call `unpackBody` to decompress the body. */
  readonly body: Buffer;
}

export interface UnpackedBody {
  /** The body as text, decoded with the charset of the response. Invalid bytes become U+FFFD. */
  readonly text: string;
  /** Number of decompressed body bytes that `text` contains. */
  readonly bytes: number;
  /** True if the body is longer than the part that was received or decompressed. */
  readonly isCut: boolean;
  /** Why decompression failed, as a sentence; `null` if it succeeded. */
  readonly fault: string | null;
}

/** Result of `requestHttp` in `http-client.ts`. */
export type HttpOutcome =
  | { readonly kind: "answered"; readonly answer: HttpAnswer }
  | { readonly kind: "unreachable"; readonly trouble: HttpTrouble }
  | NoData;

const Figure = Type.Number({ minimum: 0 });
const Url = Type.String({ maxLength: 4_096 });
const Address = Type.String({ maxLength: 64 });
const Status = Type.Integer({ minimum: 0, maximum: 0xffff });

const Phases = Type.Object({
  dnsMs: Figure,
  connectMs: Figure,
  tlsMs: Type.Union([Figure, Type.Null()]),
  firstByteMs: Figure,
  bodyMs: Figure,
});

/** Schema fields that the measurements of all HTTP kinds share. */
export const httpMeasurementFields = {
  hops: Type.Array(Type.Object({ url: Url, status: Status, resolvedIp: Address, phases: Phases }), {
    maxItems: maxRedirects,
  }),
  url: Url,
  resolvedIp: Address,
  status: Status,
  statusText: Type.String({ maxLength: 200 }),
  httpVersion: Type.Enum(["1.0", "1.1", "2"]),
  headers: Type.Array(
    Type.Tuple([Type.String({ maxLength: 32_768 }), Type.String({ maxLength: 32_768 })]),
    {
      maxItems: 1_000,
    },
  ),
  phases: Phases,
  redirectMs: Figure,
  totalMs: Figure,
  receivedBytes: Type.Integer({ minimum: 0, maximum: 0xffff_ffff }),
  bodyEnd: Type.Enum([...bodyEnds]),
  tls: Type.Union([TlsFactsSchema, Type.Null()]),
};

/** Applies `change` to each text that came from the server or that repeats the request. */
export function mapHttpTexts<Measurement extends HttpMeasurement>(
  measurement: Measurement,
  change: ChangeText,
): Measurement {
  return {
    ...measurement,
    url: change(measurement.url),
    statusText: change(measurement.statusText),
    resolvedIp: change(measurement.resolvedIp),
    hops: measurement.hops.map((hop) => ({
      ...hop,
      url: change(hop.url),
      resolvedIp: change(hop.resolvedIp),
    })),
    tls: measurement.tls && mapTlsTexts(measurement.tls, change),
    headers: measurement.headers.map(([name, value]) => [change(name), change(value)]),
  };
}
