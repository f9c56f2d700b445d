import type { NoData } from "../../contract/result.ts";
import type { Failed } from "./exchange.ts";
import type { HttpTrouble } from "./http-measurement.ts";
import { maxHeaderBytes } from "./http-measurement.ts";
import { maxInterims, wireFaults } from "./http-wire.ts";

/** Error codes caused by this machine, which say nothing about the target. */
const exhausted = new Set(["EMFILE", "ENFILE", "ENOBUFS", "ENOMEM", "EAGAIN"]);
const unable: Readonly<Record<string, string>> = {
  EADDRNOTAVAIL: "This probe has no address of that IP family, or no free port.",
  EAFNOSUPPORT: "This probe has no network of that IP family.",
  EACCES: "This machine does not permit the connection.",
  EPERM: "This machine does not permit the connection.",
};

/** Returns the outcome if the probe caused the failure; `null` if the target did. */
export function findOwnFault(code: string): NoData | null {
  const inability = unable[code];
  if (inability !== undefined) return { kind: "cannot-check", message: `${inability} (${code})` };
  if (!exhausted.has(code)) return null;
  return { kind: "overloaded", message: `This probe cannot open more connections (${code}).` };
}

type Explained = Pick<HttpTrouble, "kind" | "message">;

const connectFailures: Readonly<Record<string, Explained>> = {
  ECONNREFUSED: {
    kind: "refused",
    message: "The host refused the connection: nothing is listening on the port.",
  },
  ECONNRESET: { kind: "reset", message: "The connection was reset while connecting." },
  EHOSTUNREACH: { kind: "unreachable", message: "No route to the host." },
  ENETUNREACH: { kind: "unreachable", message: "No route to the network of the host." },
  EHOSTDOWN: { kind: "unreachable", message: "The host does not respond on its own network." },
};

const tlsFailures: Readonly<Record<string, Explained>> = {
  ECONNRESET: { kind: "reset", message: "The connection was reset during the TLS handshake." },
  [wireFaults.closed]: {
    kind: "closed",
    message: "The server closed the connection during the TLS handshake.",
  },
  ERR_SSL_WRONG_VERSION_NUMBER: {
    kind: "tls-failed",
    message: "The server does not speak TLS on this port.",
  },
  ERR_SSL_PACKET_LENGTH_TOO_LONG: {
    kind: "tls-failed",
    message: "The server does not speak TLS on this port.",
  },
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: {
    kind: "tls-failed",
    message: "The server requires a client certificate.",
  },
};

const answerFailures: Readonly<Record<string, Explained>> = {
  ECONNRESET: { kind: "reset", message: "The connection was reset before a response arrived." },
  EPIPE: { kind: "reset", message: "The connection was reset before a response arrived." },
  [wireFaults.closed]: {
    kind: "closed",
    message: "The server closed the connection without a response.",
  },
  HPE_HEADER_OVERFLOW: {
    kind: "broken-answer",
    message: `The response headers exceed ${maxHeaderBytes} bytes.`,
  },
  [wireFaults.tooManyInterims]: {
    kind: "broken-answer",
    message: `The server sent more than ${maxInterims} interim responses.`,
  },
  [wireFaults.upgraded]: {
    kind: "broken-answer",
    message: "The server switched to another protocol without a request to do so.",
  },
  [wireFaults.flooded]: {
    kind: "broken-answer",
    message: "The server flooded the connection with HTTP/2 frames instead of responding.",
  },
};

const waits: Readonly<Record<Failed["phase"], string>> = {
  connect: "The connection was not established",
  tls: "The TLS handshake did not complete",
  firstByte: "No response arrived",
};

/** Explains a failure that occurred before the response headers were complete. */
export function explainFailure(failed: Failed, timeoutMs: number): Explained {
  const { phase, code, message } = failed;
  if (code === wireFaults.timedOut) {
    return { kind: "timed-out", message: `${waits[phase]} within ${timeoutMs} ms.` };
  }
  if (phase === "connect") {
    return (
      connectFailures[code] ?? {
        kind: "failed",
        message: "The connection could not be established.",
      }
    );
  }
  if (phase === "tls") return explainTls(code, failed);
  if (message !== null) return { kind: "failed", message };
  if (/^ERR_SSL_/.test(code)) return explainTls(code, failed);
  const known = answerFailures[code];
  if (known !== undefined) return known;
  return { kind: "broken-answer", message: `The response violates the HTTP protocol (${code}).` };
}

function explainTls(code: string, { message, tls }: Failed): Explained {
  if (message !== null) {
    return { kind: tls === null ? "tls-failed" : "certificate-rejected", message };
  }
  const known = tlsFailures[code];
  if (known !== undefined) return known;
  return { kind: "tls-failed", message: `The TLS handshake failed (${code}).` };
}
