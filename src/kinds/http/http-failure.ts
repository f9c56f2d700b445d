import type { NoData } from "../../contract/result.ts";
import type { Failed } from "./exchange.ts";
import type { HttpTrouble } from "./http-measurement.ts";
import { maxHeaderBytes } from "./http-request.ts";
import { maxInterims, wireFaults } from "./http-wire.ts";

/** What this machine lacks; it says nothing about the target. */
const exhausted = new Set(["EMFILE", "ENFILE", "ENOBUFS", "ENOMEM", "EAGAIN"]);
const unable: Readonly<Record<string, string>> = {
  EADDRNOTAVAIL: "This probe has no address of that family, or no free port.",
  EAFNOSUPPORT: "This probe has no network of that family.",
  EACCES: "This machine does not permit the connection.",
  EPERM: "This machine does not permit the connection.",
};

/** What a failure says about this probe; null: it says something about the target. */
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
    message: "The host refused the connection: nothing listens on the port.",
  },
  ECONNRESET: { kind: "reset", message: "The connection was reset while it was being made." },
  EHOSTUNREACH: { kind: "unreachable", message: "There is no way to the host." },
  ENETUNREACH: { kind: "unreachable", message: "There is no way to the network of the host." },
  EHOSTDOWN: { kind: "unreachable", message: "The host does not answer in its own network." },
};

const tlsFailures: Readonly<Record<string, Explained>> = {
  ECONNRESET: { kind: "reset", message: "The connection was reset during the TLS handshake." },
  [wireFaults.closed]: {
    kind: "closed",
    message: "The server closed the connection during the TLS handshake.",
  },
  ERR_SSL_WRONG_VERSION_NUMBER: {
    kind: "tls-failed",
    message: "The server does not answer in TLS.",
  },
  ERR_SSL_PACKET_LENGTH_TOO_LONG: {
    kind: "tls-failed",
    message: "The server does not answer in TLS.",
  },
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: {
    kind: "tls-failed",
    message: "The server demands a client certificate.",
  },
};

const answerFailures: Readonly<Record<string, Explained>> = {
  ECONNRESET: { kind: "reset", message: "The connection was reset before an answer came." },
  EPIPE: { kind: "reset", message: "The connection was reset before an answer came." },
  [wireFaults.closed]: {
    kind: "closed",
    message: "The server closed the connection before it had answered.",
  },
  HPE_HEADER_OVERFLOW: {
    kind: "broken-answer",
    message: `The header fields of the answer are longer than ${maxHeaderBytes} bytes.`,
  },
  [wireFaults.tooManyInterims]: {
    kind: "broken-answer",
    message: `The server sent more than ${maxInterims} interim answers.`,
  },
  [wireFaults.upgraded]: {
    kind: "broken-answer",
    message: "The server switched to another protocol, for which nobody had asked.",
  },
  [wireFaults.flooded]: {
    kind: "broken-answer",
    message: "The server sent HTTP/2 frames without end instead of an answer.",
  },
};

const waits: Readonly<Record<Failed["phase"], string>> = {
  connect: "No connection was made",
  tls: "The TLS handshake was not finished",
  firstByte: "No answer came",
};

/** The sentence for what went wrong before the header fields of an answer were complete. */
export function explainFailure(failed: Failed, timeoutMs: number): Explained {
  const { phase, code, message } = failed;
  if (code === wireFaults.timedOut) {
    return { kind: "timed-out", message: `${waits[phase]} within ${timeoutMs} ms.` };
  }
  if (phase === "connect") {
    return (
      connectFailures[code] ?? { kind: "failed", message: "The connection could not be made." }
    );
  }
  if (phase === "tls") return explainTls(code, failed);
  if (message !== null) return { kind: "failed", message };
  if (/^ERR_SSL_/.test(code)) return explainTls(code, failed);
  const known = answerFailures[code];
  if (known !== undefined) return known;
  return { kind: "broken-answer", message: `The answer breaks the rules of HTTP (${code}).` };
}

function explainTls(code: string, { message, tls }: Failed): Explained {
  if (message !== null) {
    return { kind: tls === null ? "tls-failed" : "certificate-rejected", message };
  }
  const known = tlsFailures[code];
  if (known !== undefined) return known;
  return { kind: "tls-failed", message: `No secure connection could be made (${code}).` };
}
