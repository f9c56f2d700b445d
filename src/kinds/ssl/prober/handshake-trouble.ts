import type { SslTrouble } from "../measurement.ts";

type HandshakeTrouble = Pick<SslTrouble, "kind" | "message">;

/** What servers say when they hang up (RFC 8446, section 6), by the end of OpenSSL's name. */
const alerts: readonly (readonly [ending: string, message: string])[] = [
  ["HANDSHAKE_FAILURE", "The server accepts none of the ciphers, or demands a client certificate."],
  ["PROTOCOL_VERSION", "The server speaks none of the versions of TLS from 1.0 to 1.3."],
  ["UNRECOGNIZED_NAME", "The server has no certificate for the name."],
  ["CERTIFICATE_REQUIRED", "The server demands a client certificate."],
  ["BAD_CERTIFICATE", "The server refused the client certificate."],
  ["UNKNOWN_CA", "The server does not know who signed the client certificate."],
  ["CERTIFICATE_UNKNOWN", "The server refused the client certificate."],
  ["CERTIFICATE_EXPIRED", "The server says that the client certificate has expired."],
  ["ACCESS_DENIED", "The server denies access."],
  ["INTERNAL_ERROR", "The server has an internal error."],
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

/** Why a connection that was made came to no handshake. */
export function explainHandshake(code: string, timeoutMs: number): HandshakeTrouble {
  if (code === "ETIMEDOUT") {
    const message = `The handshake was not complete within ${timeoutMs} ms.`;
    return { kind: "handshake-timed-out", message };
  }
  if (closed.has(code)) {
    return { kind: "handshake-closed", message: "The server hung up during the handshake." };
  }
  if (notTls.has(code)) {
    return { kind: "not-tls", message: "What the server sent is not TLS." };
  }
  const [, message] = alerts.find(([ending]) => code.endsWith(ending)) ?? [];
  if (message !== undefined) return { kind: "handshake-refused", message };
  if (code.includes("ALERT")) {
    return { kind: "handshake-refused", message: "The server refused the handshake." };
  }
  return { kind: "handshake-failed", message: "What the server sent breaks the rules of TLS." };
}
