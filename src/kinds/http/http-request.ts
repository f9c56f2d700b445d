import type { ClientCertificate } from "../../contract/order.ts";
import type { IpFamily } from "../network/host.ts";

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
