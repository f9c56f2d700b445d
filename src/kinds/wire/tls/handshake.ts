import { isIP } from "node:net";
import { connect, DEFAULT_CIPHERS, type SecureContext, type TLSSocket } from "node:tls";
import type { OnStep } from "../../../contract/result.ts";
import { readCode } from "../../../platform/errors.ts";
import { createStapleReader } from "./ocsp-staple.ts";
import { readTls } from "./read-tls.ts";
import type { TlsFacts } from "./tls-facts.ts";

/**
 * TLS options that allow weak protocols and ciphers. A check must connect with them before it can
 * report them.
 */
export const tolerant = {
  minVersion: "TLSv1",
  ciphers: `${DEFAULT_CIPHERS}:@SECLEVEL=0`,
} as const;

interface HandshakeTrouble {
  readonly kind:
    | "handshake-timed-out"
    | "handshake-refused"
    | "handshake-closed"
    | "not-tls"
    | "handshake-failed";
  readonly message: string;
}

/**
 * Messages for alerts that servers send (RFC 8446, section 6), by the ending of OpenSSL's error
 * code.
 */
const alerts: readonly (readonly [ending: string, message: string])[] = [
  [
    "HANDSHAKE_FAILURE",
    "The server accepts none of the ciphers, or requires a client certificate.",
  ],
  ["PROTOCOL_VERSION", "The server supports no TLS version from 1.0 to 1.3."],
  ["UNRECOGNIZED_NAME", "The server has no certificate for the name."],
  ["CERTIFICATE_REQUIRED", "The server requires a client certificate."],
  ["BAD_CERTIFICATE", "The server rejected the client certificate."],
  ["UNKNOWN_CA", "The server does not know the issuer of the client certificate."],
  ["CERTIFICATE_UNKNOWN", "The server rejected the client certificate."],
  ["CERTIFICATE_EXPIRED", "The server reports that the client certificate has expired."],
  ["ACCESS_DENIED", "The server denies access."],
  ["INTERNAL_ERROR", "The server reports an internal error."],
];

const notTls: ReadonlySet<string> = new Set([
  "ERR_SSL_WRONG_VERSION_NUMBER",
  "ERR_SSL_PACKET_LENGTH_TOO_LONG",
  "ERR_SSL_HTTP_REQUEST",
  "ERR_SSL_HTTPS_PROXY_REQUEST",
  "ERR_SSL_UNKNOWN_PROTOCOL",
  "ERR_SSL_RECORD_LAYER_FAILURE",
]);

const closed: ReadonlySet<string> = new Set(["ECONNRESET", "ECLOSED", "EPIPE", "ECONNABORTED"]);

/** Explains why a TLS handshake failed on an established connection. */
export function explainHandshake(code: string, timeoutMs: number): HandshakeTrouble {
  if (code === "ETIMEDOUT") {
    const message = `The handshake did not complete within ${timeoutMs} ms.`;
    return { kind: "handshake-timed-out", message };
  }
  if (closed.has(code)) {
    return {
      kind: "handshake-closed",
      message: "The server closed the connection during the handshake.",
    };
  }
  if (notTls.has(code)) {
    return { kind: "not-tls", message: "The server does not speak TLS on this port." };
  }
  const [, message] = alerts.find(([ending]) => code.endsWith(ending)) ?? [];
  if (message !== undefined) return { kind: "handshake-refused", message };
  if (code.includes("ALERT")) {
    return { kind: "handshake-refused", message: "The server rejected the handshake." };
  }
  return { kind: "handshake-failed", message: "The server violated the TLS protocol." };
}

interface HandshakeOrder {
  /** IP address to connect to, already resolved and accepted by the address guard. */
  readonly address: string;
  readonly port: number;
  /** Host name (in ASCII) or IP address that the certificate must match. */
  readonly name: string;
  readonly timeoutMs: number;
  readonly secureContext: SecureContext;
  readonly onStep?: OnStep | undefined;
}

export type HandshakeResult =
  | {
      readonly kind: "made";
      readonly connectMs: number;
      readonly handshakeMs: number;
      /** TLS facts of the connection; `null` if the server presented no certificate. */
      readonly tls: TlsFacts | null;
    }
  /**
   * `connectMs` is `null` if the connection failed. `code` is an error code of the system or of
   * OpenSSL, `ECLOSED` or `ETIMEDOUT`.
   */
  | { readonly kind: "failed"; readonly code: string; readonly connectMs: number | null };

/**
 * Connects, performs the handshake, reads the TLS facts and closes the connection. Every
 * certificate is accepted, because the check must also judge untrusted certificates. Never rejects.
 */
export function performHandshake(
  order: HandshakeOrder,
  nowMs: () => number,
): Promise<HandshakeResult> {
  const { address, port, name, timeoutMs, secureContext, onStep } = order;
  return new Promise((resolve) => {
    const startedMs = performance.now();
    let connectedMs: number | null = null;
    let stapleBytes: Buffer | null = null;
    const socket: TLSSocket = connect({
      host: address,
      port,
      // The server name is omitted for an IP address, which is not a valid server name (RFC 6066).
      ...(isIP(name) === 0 && { servername: name }),
      secureContext,
      rejectUnauthorized: false,
      checkServerIdentity: () => undefined,
      requestOCSP: true,
    });
    const end = (result: HandshakeResult) => {
      clearTimeout(timer);
      socket.removeAllListeners();
      // Errors that the socket emits while closing are ignored.
      socket.on("error", () => {});
      if (result.kind === "made") closeGracefully(socket);
      else socket.destroy();
      resolve(result);
    };
    const fail = (code: string) => {
      const connectMs = connectedMs === null ? null : connectedMs - startedMs;
      end({ kind: "failed", code, connectMs });
    };
    const timer = setTimeout(() => fail("ETIMEDOUT"), timeoutMs);
    socket.setNoDelay(true);
    socket.on("connect", () => {
      connectedMs = performance.now();
      onStep?.({ step: "connected", port, durationMs: connectedMs - startedMs });
    });
    socket.on("OCSPResponse", (response: Buffer | null) => {
      stapleBytes = response;
    });
    socket.on("secureConnect", () => {
      const doneMs = performance.now();
      const atMs = connectedMs ?? doneMs;
      const tls = readTls(socket, name, createStapleReader(stapleBytes, nowMs()));
      const times = { connectMs: atMs - startedMs, handshakeMs: doneMs - atMs };
      onStep?.({ step: "secured", protocol: socket.getProtocol(), durationMs: doneMs - atMs });
      end({ kind: "made", ...times, tls });
    });
    socket.on("error", (error) => fail(readCode(error)));
    socket.on("end", () => fail("ECLOSED"));
    socket.on("close", () => fail("ECLOSED"));
  });
}

/** Time limit for closing the connection in an orderly way. */
const maxCloseMs = 1_000;

/** Closes after the last handshake message is sent, so that servers log no failed handshake. */
function closeGracefully(socket: TLSSocket): void {
  const timer = setTimeout(() => socket.destroy(), maxCloseMs);
  socket.once("close", () => clearTimeout(timer));
  socket.destroySoon();
}
