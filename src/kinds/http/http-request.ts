import type { ClientCertificate } from "../../contract/order.ts";
import type { IpFamily } from "../network/ip-address.ts";

/** What the HTTP client is asked for. It makes a new connection for every request it sends. */
export interface HttpRequest {
  readonly method: string;
  /** Absolute, http or https. A user name and password in it become basic authentication. */
  readonly url: string;
  readonly headers: readonly HeaderField[];
  readonly body: string | null;
  readonly followRedirects: boolean;
  /** Answers of servers whose certificate is not trusted count too. */
  readonly skipSSL: boolean;
  readonly ipFamily: IpFamily;
  /** For names, connections, redirects and the body together. */
  readonly timeoutMs: number;
  readonly clientCertificate: ClientCertificate | null;
  /** Of the body so many bytes are kept, still packed: at most `maxBodyBytes`. */
  readonly keptBytes: number;
}

export type HeaderField = readonly [name: string, value: string];

/** A redirect after so many is not followed. */
export const maxRedirects = 10;
/** Of a body so many bytes are read, and it is unpacked to at most so many. */
export const maxBodyBytes = 1_048_576;
/** The status line and the header fields of one answer. */
export const maxHeaderBytes = 32_768;
