import { Type } from "typebox";
import type { ClientCertificate } from "../../contract/order.ts";
import type { NoData, Trouble } from "../../contract/result.ts";
import type { IpFamily } from "../network/host.ts";
import type { ChangeText } from "../secrets.ts";
import { mapTlsTexts, type TlsFacts, TlsFactsSchema } from "../tls/tls-facts.ts";

/** A request to the HTTP client, which opens a new connection for every message it sends. */
export interface HttpRequest {
  readonly method: string;
  /** Absolute http or https URL. Credentials in it become basic authentication. */
  readonly url: string;
  readonly headers: readonly HeaderField[];
  readonly body: string | null;
  readonly followRedirects: boolean;
  /** Accept servers whose certificate is not trusted. */
  readonly skipSSL: boolean;
  readonly ipFamily: IpFamily;
  /** Covers name resolution, connections, redirects and the body. */
  readonly timeoutMs: number;
  readonly clientCertificate: ClientCertificate | null;
  /** Bytes of the compressed body to keep, at most `maxBodyBytes`. */
  readonly keptBytes: number;
}

export type HeaderField = readonly [name: string, value: string];

/** Maximum number of redirects that are followed. */
export const maxRedirects = 10;
/** Maximum size of a body, both as received and after decompression. */
export const maxBodyBytes = 1_048_576;
/** Maximum size of the status line and header fields of one response. */
export const maxHeaderBytes = 32_768;

/** A shorter timeout could not distinguish a slow server from a lost packet. */
export const minTimeoutMs = 1_000;
const timeoutWithoutLimitMs = 45_000;

/** The timeout is the failing limit: beyond it the verdict is already known. */
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
  /** `null` if the connection does not use TLS. */
  readonly tlsMs: number | null;
  /** From sending the request to the first byte of the response. */
  readonly firstByteMs: number;
  /** From the first byte to the last byte of the response. */
  readonly bodyMs: number;
}

/** A response that redirected the client. */
export interface HttpHop {
  readonly url: string;
  readonly status: number;
  readonly resolvedIp: string;
  readonly phases: HttpPhases;
}

/** How the body ended. Only `complete` and `cut` are successful. */
export const bodyEnds = [
  "complete",
  /** The client stopped reading at `maxBodyBytes`. */
  "cut",
  "timed-out",
  /** The connection was closed before the announced end of the body. */
  "closed",
  "reset",
  /** Invalid chunks or frames. */
  "broken",
] as const;
export type BodyEnd = (typeof bodyEnds)[number];

/**
 * A response whose status and header fields arrived. Its texts are those of the server, unchanged.
 */
export interface HttpMeasurement {
  /** Followed redirects in order. */
  readonly hops: readonly HttpHop[];
  /** The last requested URL. */
  readonly url: string;
  readonly resolvedIp: string;
  readonly status: number;
  readonly statusText: string;
  readonly httpVersion: "1.0" | "1.1" | "2";
  /** Names are in lower case. */
  readonly headers: readonly HeaderField[];
  /** Phases of the last request. */
  readonly phases: HttpPhases;
  /** Time spent in redirects before the last request. */
  readonly redirectMs: number;
  /** Total duration. */
  readonly totalMs: number;
  /** Received bytes of the body before decompression. */
  readonly receivedBytes: number;
  readonly bodyEnd: BodyEnd;
  /** TLS facts of the last connection; `null` if it did not use TLS. */
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
  /** A script of the check failed, so that no request was sent. */
  "script-failed",
] as const;

/** The run ended before all header fields of a response arrived. */
export interface HttpTrouble extends Trouble {
  readonly kind: (typeof httpTroubleKinds)[number];
  /** The phase in which it failed. */
  readonly phase: "dns" | "connect" | "tls" | "firstByte" | "redirect";
  /** The last requested URL. */
  readonly url: string;
  readonly resolvedIp: string | null;
  /** Completed phases. */
  readonly phases: Partial<HttpPhases>;
  readonly hops: readonly HttpHop[];
  /** TLS facts of the last connection, if the handshake got that far. */
  readonly tls: TlsFacts | null;
}

/** What the client returns to the code of a kind in the socket thread. */
export interface HttpAnswer {
  readonly measurement: HttpMeasurement;
  /** The body as received; use `unpackBody` to decompress it. */
  readonly body: Buffer;
}

export interface UnpackedBody {
  /** Decoded with the charset of the response; invalid bytes become U+FFFD. */
  readonly text: string;
  /** Bytes read after decompression. */
  readonly bytes: number;
  /** True if the body is longer than what was read or decompressed. */
  readonly isCut: boolean;
  /** Why decompression failed, as a sentence; `null` if it succeeded. */
  readonly fault: string | null;
}

/** Result of `requestHttp` in `http-client.ts`, which never rejects for network errors. */
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

/** Schema fields of a measurement that all HTTP kinds share. */
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

/** Applies `change` to each text that came from the server or repeats the request. */
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
