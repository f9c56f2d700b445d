import type { SslTrouble } from "../measurement.ts";

type HandshakeTrouble = Pick<SslTrouble, "kind" | "message">;

/** Alerts that servers send before closing (RFC 8446, section 6), by the end of OpenSSL's name. */
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

/** Explains why a handshake failed on an established connection. */
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
