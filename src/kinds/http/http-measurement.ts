import type { NoData, Trouble } from "../../contract/result.ts";
import type { TlsFacts } from "../tls/tls-facts.ts";
import type { HeaderField } from "./http-request.ts";

/** Milliseconds of one request and its answer, each phase by itself. */
export interface HttpPhases {
  /** To resolve the name. */
  readonly dnsMs: number;
  readonly connectMs: number;
  /** Null: without TLS. */
  readonly tlsMs: number | null;
  /** From the request to the first byte of the answer. */
  readonly firstByteMs: number;
  /** From the first byte to the last. */
  readonly bodyMs: number;
}

/** An answer that sent the client elsewhere. */
export interface HttpHop {
  readonly url: string;
  readonly status: number;
  readonly resolvedIp: string;
  readonly phases: HttpPhases;
}

/** How the body ended. Only the first two are fine. */
export const bodyEnds = [
  "complete",
  /** The client stopped: it had `maxBodyBytes`. */
  "cut",
  "timed-out",
  /** The connection closed or was reset before the end that the server had announced. */
  "closed",
  "reset",
  /** Chunks or frames that break the protocol. */
  "broken",
] as const;
export type BodyEnd = (typeof bodyEnds)[number];

/** Status and header fields came. What an answer says is as the server wrote it. */
export interface HttpMeasurement {
  /** The redirects that were followed, in order. */
  readonly hops: readonly HttpHop[];
  /** What was asked for at last. */
  readonly url: string;
  readonly resolvedIp: string;
  readonly status: number;
  readonly statusText: string;
  readonly httpVersion: "1.0" | "1.1" | "2";
  /** Names in lower case. */
  readonly headers: readonly HeaderField[];
  /** Of the last request. */
  readonly phases: HttpPhases;
  /** All that came before it: redirects. */
  readonly redirectMs: number;
  /** Everything together. */
  readonly totalMs: number;
  /** Bytes of the body that came, packed as they were. */
  readonly receivedBytes: number;
  readonly bodyEnd: BodyEnd;
  /** Of the last connection; null: without TLS. */
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
] as const;

/** No whole answer came: not even all of its header fields. */
export interface HttpTrouble extends Trouble {
  readonly kind: (typeof httpTroubleKinds)[number];
  /** What the client was doing. */
  readonly phase: "dns" | "connect" | "tls" | "firstByte" | "redirect";
  /** What was asked for at last. */
  readonly url: string;
  readonly resolvedIp: string | null;
  /** Phases that were over. */
  readonly phases: Partial<HttpPhases>;
  readonly hops: readonly HttpHop[];
  /** Of a connection that came so far. */
  readonly tls: TlsFacts | null;
}

/** What the client gives to the code of a kind, in the socket thread. */
export interface HttpAnswer {
  readonly measurement: HttpMeasurement;
  /** What came, still packed: use `unpackBody`. */
  readonly body: Buffer;
}

export interface UnpackedBody {
  /** In the character set of the answer; what it cannot mean shows as U+FFFD. */
  readonly text: string;
  /** Bytes of the body once unpacked, as far as it was read. */
  readonly bytes: number;
  /** More would come: of the server, or of what it had packed. */
  readonly isCut: boolean;
  /** Why it could not be unpacked, as a sentence; null: it could. */
  readonly fault: string | null;
}

/**
 * `requestHttp(request, tools)` of `http-client.ts` gives it. It never rejects for what the network
 * does.
 */
export type HttpOutcome =
  | { readonly kind: "answered"; readonly answer: HttpAnswer }
  | { readonly kind: "unreachable"; readonly trouble: HttpTrouble }
  | NoData;
