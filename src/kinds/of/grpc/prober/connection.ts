import { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { ClientCertificate } from "../../../../contract/order.ts";
import type { OnStep } from "../../../../contract/result.ts";
import type { Failed } from "../../../wire/http/exchange.ts";
import { readFaultCode, wireFaults } from "../../../wire/http/http-wire.ts";
import { inspectSocket, openSecureSocket } from "../../../wire/tls/secure-socket.ts";
import type { TlsFacts } from "../../../wire/tls/tls-facts.ts";

interface ConnectOrder {
  readonly address: string;
  readonly port: number;
  /** Host name or address that the certificate must match. */
  readonly host: string;
  readonly tls: boolean;
  readonly skipSSL: boolean;
  readonly clientCertificate: ClientCertificate | null;
  readonly timeoutMs: number;
  readonly onStep?: OnStep | undefined;
}

export interface Connected {
  readonly kind: "connected";
  readonly socket: Socket;
  readonly connectMs: number;
  readonly tlsMs: number | null;
  readonly tls: TlsFacts | null;
}

/** Connects and performs the TLS handshake. Returns network errors as results. */
export function connect(order: ConnectOrder): Promise<Connected | Failed> {
  return new Promise((resolve) => new Connection(order, resolve).start());
}

class Connection {
  readonly #order: ConnectOrder;
  readonly #resolve: (result: Connected | Failed) => void;
  #socket: Socket | null = null;
  #timer: NodeJS.Timeout | undefined;
  #isDone = false;
  #startedMs = 0;
  #connectedMs: number | null = null;
  #tlsMs: number | null = null;
  #tls: TlsFacts | null = null;

  constructor(order: ConnectOrder, resolve: (result: Connected | Failed) => void) {
    this.#order = order;
    this.#resolve = resolve;
  }

  start(): void {
    let socket: Socket;
    try {
      socket = this.#order.tls ? this.#openSecurely() : this.#openPlainly();
    } catch (error) {
      this.#connectedMs = this.#startedMs;
      this.#fail(readFaultCode(error), "The client certificate or its key cannot be used.");
      return;
    }
    this.#socket = socket;
    this.#timer = setTimeout(() => this.#fail(wireFaults.timedOut), this.#order.timeoutMs);
    socket.on("connect", () => this.#connected());
    socket.on("error", (error) => this.#fail(readFaultCode(error)));
    socket.on("close", () => this.#fail(wireFaults.closed));
  }

  #openPlainly(): Socket {
    const { address, port } = this.#order;
    this.#startedMs = performance.now();
    const endpoint = { host: address, port, autoSelectFamily: false, noDelay: true };
    return new Socket().connect(endpoint);
  }

  #openSecurely(): Socket {
    const { address, port, host, clientCertificate } = this.#order;
    const endpoint = { address, port, host, alpn: ["h2"], clientCertificate };
    const socket = openSecureSocket(endpoint, () => {
      this.#startedMs = performance.now();
    });
    socket.on("secureConnect", () => this.#secured(socket));
    return socket;
  }

  #connected(): void {
    this.#connectedMs = performance.now();
    const { port, onStep, tls } = this.#order;
    onStep?.({ step: "connected", port, durationMs: this.#connectedMs - this.#startedMs });
    if (!tls) this.#succeed();
  }

  #secured(socket: TLSSocket): void {
    this.#tlsMs = performance.now() - (this.#connectedMs ?? this.#startedMs);
    const { host, skipSSL, onStep } = this.#order;
    const { tls, fault } = inspectSocket(socket, host);
    this.#tls = tls;
    onStep?.({ step: "secured", protocol: socket.getProtocol(), durationMs: this.#tlsMs });
    if (fault !== null && !skipSSL) this.#fail(fault.code, fault.message);
    else this.#succeed();
  }

  #succeed(): void {
    if (this.#isDone || this.#socket === null) return;
    this.#end();
    const connectMs = (this.#connectedMs ?? this.#startedMs) - this.#startedMs;
    const { socket, tlsMs, tls } = { socket: this.#socket, tlsMs: this.#tlsMs, tls: this.#tls };
    this.#resolve({ kind: "connected", socket, connectMs, tlsMs, tls });
  }

  #fail(code: string, message: string | null = null): void {
    if (this.#isDone) return;
    this.#end();
    this.#socket?.destroy();
    const connectMs = this.#connectedMs === null ? null : this.#connectedMs - this.#startedMs;
    const phase = connectMs === null ? "connect" : "tls";
    const { tlsMs, tls } = { tlsMs: this.#tlsMs, tls: this.#tls };
    this.#resolve({ kind: "failed", phase, code, message, connectMs, tlsMs, tls });
  }

  /**
   * Stops the timer. The listeners stay attached, because Node.js throws an `error` event that has
   * no listener.
   */
  #end(): void {
    this.#isDone = true;
    clearTimeout(this.#timer);
  }
}
