import { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { ClientCertificate } from "../../../contract/order.ts";
import type { NoData, OnStep } from "../../../contract/result.ts";
import { hostOf, portOf } from "../../../platform/outbound-guard.ts";
import { inspectSocket, openSecureSocket } from "../tls/secure-socket.ts";
import type { TlsFacts } from "../tls/tls-facts.ts";
import {
  type BodyEnd,
  type HttpTrouble,
  maxBodyBytes,
  maxHeaderBytes,
} from "./http-measurement.ts";
import {
  type AnswerHead,
  type Message,
  maxInterims,
  readFaultCode,
  sendHttp1,
  sendHttp2,
  wireFaults,
} from "./http-wire.ts";
import { BodyBuffer } from "./unpack-body.ts";

/** An order for one connection to a resolved address, with one request and one response. */
interface ExchangeOrder {
  readonly message: Message;
  readonly address: string;
  readonly skipSSL: boolean;
  readonly clientCertificate: ClientCertificate | null;
  readonly timeoutMs: number;
  /** Number of body bytes to keep. Further bytes are read and discarded. */
  readonly keptBytes: number;
  readonly onStep?: OnStep | undefined;
  readonly shouldReadBody: (head: AnswerHead) => boolean;
}

type ExchangePhase = "connect" | "tls" | "firstByte";

export interface Answered {
  readonly kind: "answered";
  readonly head: AnswerHead;
  readonly connectMs: number;
  readonly tlsMs: number | null;
  readonly firstByteMs: number;
  readonly bodyMs: number;
  readonly receivedBytes: number;
  readonly body: Buffer;
  readonly bodyEnd: BodyEnd;
  readonly tls: TlsFacts | null;
}

export interface Failed {
  readonly kind: "failed";
  readonly phase: ExchangePhase;
  readonly code: string;
  /** Explanation of the failure; `null` if the error code is enough to explain it. */
  readonly message: string | null;
  readonly connectMs: number | null;
  readonly tlsMs: number | null;
  readonly tls: TlsFacts | null;
}

type ExchangeResult = Answered | Failed;

/** Sends one request on a new connection. Never rejects, because network errors are results. */
export function exchange(order: ExchangeOrder): Promise<ExchangeResult> {
  return new Promise((resolve) => {
    new Exchange(order, resolve).start();
  });
}

class Exchange {
  readonly #order: ExchangeOrder;
  readonly #resolve: (result: ExchangeResult) => void;
  readonly #body: BodyBuffer;
  #socket: Socket | null = null;
  #isDone = false;
  #timer: NodeJS.Timeout | undefined;
  #phase: ExchangePhase = "connect";
  #startedMs = 0;
  #connectMs: number | null = null;
  #tlsMs: number | null = null;
  #readyMs = 0;
  #firstByteMs: number | null = null;
  #head: AnswerHead | null = null;
  #receivedBytes = 0;
  #tls: TlsFacts | null = null;

  constructor(order: ExchangeOrder, resolve: (result: ExchangeResult) => void) {
    this.#order = order;
    this.#resolve = resolve;
    this.#body = new BodyBuffer(order.keptBytes);
  }

  start(): void {
    const isSecure = this.#order.message.url.protocol === "https:";
    let socket: Socket;
    try {
      socket = isSecure ? this.#connectSecurely() : this.#connectPlainly();
    } catch (error) {
      this.#phase = "tls";
      this.#fail(readFaultCode(error), "The client certificate or its key cannot be used.");
      return;
    }
    this.#socket = socket;
    // Creating the first TLS connection also loads the trusted certificates of this machine. The
    // timer starts afterwards, so that the time for loading does not count.
    this.#timer = setTimeout(() => this.#fail(wireFaults.timedOut), this.#order.timeoutMs);
    socket.on("connect", () => this.#connected());
    socket.on("error", (error) => this.#fail(readFaultCode(error)));
    socket.on("close", () => {
      // In the phase `firstByte`, `http-wire.ts` decides whether the closing is a failure.
      if (this.#phase !== "firstByte") this.#fail(wireFaults.closed);
    });
  }

  #connectPlainly(): Socket {
    const { address, message } = this.#order;
    const socket = new Socket();
    this.#startedMs = performance.now();
    const port = portOf(message.url);
    const endpoint = { host: address, port, autoSelectFamily: false, noDelay: true };
    return socket.connect(endpoint);
  }

  #connectSecurely(): Socket {
    const { address, message, clientCertificate } = this.#order;
    const host = hostOf(message.url);
    const alpn = ["h2", "http/1.1"];
    const endpoint = { address, port: portOf(message.url), host, alpn, clientCertificate };
    const socket = openSecureSocket(endpoint, () => {
      this.#startedMs = performance.now();
    });
    socket.on("secureConnect", () => this.#secured(socket, host));
    return socket;
  }

  #connected(): void {
    const nowMs = performance.now();
    this.#connectMs = nowMs - this.#startedMs;
    this.#readyMs = nowMs;
    const port = portOf(this.#order.message.url);
    this.#order.onStep?.({ step: "connected", port, durationMs: this.#connectMs });
    if (this.#order.message.url.protocol === "https:") this.#phase = "tls";
    else this.#send(null);
  }

  #secured(socket: TLSSocket, host: string): void {
    const nowMs = performance.now();
    this.#tlsMs = nowMs - this.#readyMs;
    const { tls, fault } = inspectSocket(socket, host);
    this.#tls = tls;
    const protocol = socket.getProtocol();
    this.#order.onStep?.({ step: "secured", protocol, durationMs: this.#tlsMs });
    if (fault !== null && !this.#order.skipSSL) this.#fail(fault.code, fault.message);
    else this.#send(socket);
  }

  #send(secured: TLSSocket | null): void {
    this.#phase = "firstByte";
    this.#readyMs = performance.now();
    const { message } = this.#order;
    try {
      if (secured?.alpnProtocol === "h2") sendHttp2(secured, message, this.#events);
      else if (this.#socket !== null) sendHttp1(this.#socket, message, this.#events);
    } catch (error) {
      const reason = error instanceof Error ? error.message : "";
      this.#fail(readFaultCode(error), `The request cannot be sent: ${reason}.`);
    }
  }

  readonly #events = {
    begun: () => {
      this.#firstByteMs ??= performance.now();
    },
    answered: (head: AnswerHead) => {
      if (this.#isDone) return false;
      this.#head = head;
      const durationMs = (this.#firstByteMs ?? performance.now()) - this.#readyMs;
      this.#order.onStep?.({ step: "answered", status: head.status, durationMs });
      return this.#order.shouldReadBody(head);
    },
    received: (bytes: Buffer) => {
      if (this.#isDone) return;
      const remainingBytes = maxBodyBytes - this.#receivedBytes;
      const kept = bytes.length > remainingBytes ? bytes.subarray(0, remainingBytes) : bytes;
      this.#receivedBytes += kept.length;
      if (!this.#body.add(kept)) this.#fail("ENOMEM");
      if (bytes.length > remainingBytes) this.#finish("cut");
    },
    ended: () => this.#finish("complete"),
    failed: (code: string) => this.#fail(code),
  };

  #fail(code: string, message: string | null = null): void {
    if (this.#isDone) return;
    if (this.#head !== null && code !== "ENOMEM") {
      this.#finish(findBodyEnd(code));
      return;
    }
    this.#body.take();
    this.#end({
      kind: "failed",
      phase: this.#phase,
      code,
      message,
      connectMs: this.#connectMs,
      tlsMs: this.#tlsMs,
      tls: this.#tls,
    });
  }

  #finish(bodyEnd: BodyEnd): void {
    if (this.#head === null || this.#isDone) return;
    const nowMs = performance.now();
    const firstByteMs = this.#firstByteMs ?? nowMs;
    const durationMs = nowMs - firstByteMs;
    this.#order.onStep?.({ step: "received", bytes: this.#receivedBytes, durationMs });
    this.#end({
      kind: "answered",
      head: this.#head,
      connectMs: this.#connectMs ?? 0,
      tlsMs: this.#tlsMs,
      firstByteMs: firstByteMs - this.#readyMs,
      bodyMs: nowMs - firstByteMs,
      receivedBytes: this.#receivedBytes,
      body: this.#body.take(),
      bodyEnd,
      tls: this.#tls,
    });
  }

  /**
   * Ends the exchange. All listeners stay attached: those of Node release resources, and those of
   * this class check `#isDone`.
   */
  #end(result: ExchangeResult): void {
    this.#isDone = true;
    clearTimeout(this.#timer);
    this.#socket?.destroy();
    this.#resolve(result);
  }
}

function findBodyEnd(code: string): BodyEnd {
  switch (code) {
    case wireFaults.timedOut:
      return "timed-out";
    case wireFaults.closed:
      return "closed";
    case "ECONNRESET":
    case "EPIPE":
      return "reset";
    default:
      return "broken";
  }
}

/**
 * Error codes for exhausted resources of this machine. Such errors are not failures of the target.
 */
const exhausted = new Set(["EMFILE", "ENFILE", "ENOBUFS", "ENOMEM", "EAGAIN"]);
const unable: Readonly<Record<string, string>> = {
  EADDRNOTAVAIL: "This probe has no address of that IP family, or no free port.",
  EAFNOSUPPORT: "This probe has no network of that IP family.",
  EACCES: "This machine does not permit the connection.",
  EPERM: "This machine does not permit the connection.",
};

/** Returns the outcome if the probe caused the failure; `null` if the target caused the failure. */
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
