import { Socket } from "node:net";
import type { OnStep, Outcome } from "../../../../contract/result.ts";
import { readCode } from "../../../../platform/errors.ts";
import { explainFailure, findHost } from "../../../wire/network/reach-host.ts";
import type { Serve, SocketTools } from "../../../wire/network/socket-work.ts";
import { type AnswerEnd, maxKeptBytes, type TcpMeasurement } from "../measurement.ts";
import type { AwaitedAnswer, TcpRequest } from "../request.ts";

/** Describes one connection to a resolved address. */
export interface ExchangeOrder {
  readonly address: string;
  readonly port: number;
  /** Text to send after the connection is established; `null` to send nothing. */
  readonly data: string | null;
  readonly answer: AwaitedAnswer;
  readonly timeoutMs: number;
  readonly onStep?: OnStep | undefined;
}

type ExchangeResult =
  | {
      readonly kind: "connected";
      readonly connectMs: number;
      /**
       * Time from the established connection to the first byte; `null` without data. `dataMs` ends
       * with the last byte.
       */
      readonly firstByteMs: number | null;
      readonly dataMs: number | null;
      readonly receivedBytes: number;
      readonly text: string;
      readonly isCut: boolean;
      readonly answer: AnswerEnd;
    }
  /** The connection failed. `code` is an error code of the system, or `ETIMEDOUT`. */
  | { readonly kind: "failed"; readonly code: string; readonly afterMs: number };

/** How long to wait for data from a server that is expected to send nothing. */
const silenceMs = 1_000;
/** A response is complete if no further data arrives within this time plus two round trips. */
const quietMs = 100;

/**
 * Read buffer that all connections share. This is safe, because reads are sequential and the stored
 * bytes are copied.
 */
const readBuffer = Buffer.allocUnsafeSlow(65_536);

/** Connects, sends the data and waits for a response. Returns network errors as results. */
export function exchange(order: ExchangeOrder): Promise<ExchangeResult> {
  return new Promise((resolve) => {
    new Exchange(order, resolve).start();
  });
}

class Exchange {
  readonly #order: ExchangeOrder;
  readonly #resolve: (result: ExchangeResult) => void;
  readonly #kept: Buffer[] = [];
  #socket: Socket | null = null;
  #timer: NodeJS.Timeout | undefined;
  #startedMs = 0;
  #connectedMs: number | null = null;
  #firstByteMs: number | null = null;
  #lastByteMs: number | null = null;
  #keptBytes = 0;
  #receivedBytes = 0;

  constructor(order: ExchangeOrder, resolve: (result: ExchangeResult) => void) {
    this.#order = order;
    this.#resolve = resolve;
  }

  start(): void {
    const { address, port, timeoutMs } = this.#order;
    const socket = new Socket({
      onread: { buffer: readBuffer, callback: (count, bytes) => this.#read(count, bytes) },
    });
    this.#socket = socket;
    socket.on("connect", () => this.#connected());
    socket.on("end", () => this.#finish("closed"));
    socket.on("error", (error) => this.#fail(readCode(error)));
    socket.on("close", () => this.#finish("closed"));
    this.#timer = setTimeout(() => this.#timeOut(), timeoutMs);
    socket.setNoDelay(true);
    this.#startedMs = performance.now();
    socket.connect({ host: address, port, autoSelectFamily: false });
  }

  #connected(): void {
    this.#connectedMs = performance.now();
    const { port, data, answer, onStep } = this.#order;
    const durationMs = this.#connectedMs - this.#startedMs;
    onStep?.({ step: "connected", port, durationMs });
    if (data !== null && data !== "") {
      this.#socket?.write(data);
      onStep?.({ step: "sent", bytes: Buffer.byteLength(data) });
    }
    if (answer === "none") this.#finish("not-awaited");
    else if (answer === "silence") this.#wait(silenceMs, "silent");
  }

  /** Stores received bytes. Returns false at the maximum size, which stops further reads. */
  #read(count: number, bytes: Uint8Array): boolean {
    const nowMs = performance.now();
    if (this.#firstByteMs === null) {
      const durationMs = nowMs - (this.#connectedMs ?? nowMs);
      this.#order.onStep?.({ step: "answered", bytes: count, durationMs });
    }
    this.#firstByteMs ??= nowMs;
    this.#lastByteMs = nowMs;
    this.#receivedBytes += count;
    const remainingBytes = maxKeptBytes - this.#keptBytes;
    const kept = Math.min(count, remainingBytes);
    this.#kept.push(Buffer.from(bytes.subarray(0, kept)));
    this.#keptBytes += kept;
    if (count >= remainingBytes) {
      this.#finish("received");
      return false;
    }
    const connectMs = (this.#connectedMs ?? nowMs) - this.#startedMs;
    this.#wait(quietMs + 2 * connectMs, "received");
    return true;
  }

  /** Ends the exchange after a delay, but not later than its deadline. */
  #wait(ms: number, end: AnswerEnd): void {
    clearTimeout(this.#timer);
    const leftMs = this.#startedMs + this.#order.timeoutMs - performance.now();
    this.#timer = setTimeout(() => this.#finish(end), Math.max(0, Math.min(ms, leftMs)));
  }

  #timeOut(): void {
    if (this.#connectedMs === null) this.#fail("ETIMEDOUT");
    else this.#finish("timed-out");
  }

  #fail(code: string): void {
    // An error after the connection was established does not count as a failed connection. Bytes
    // that arrived before a reset are a response, because many servers close connections with a
    // reset.
    if (this.#connectedMs !== null) {
      this.#finish(this.#order.answer === "none" ? "not-awaited" : "reset");
      return;
    }
    this.#end({ kind: "failed", code, afterMs: performance.now() - this.#startedMs });
  }

  #finish(end: AnswerEnd): void {
    const { answer: awaited } = this.#order;
    const connectedMs = this.#connectedMs;
    if (connectedMs === null) {
      this.#fail("ECONNRESET");
      return;
    }
    const hasBytes = awaited !== "none" && this.#receivedBytes > 0;
    const since = (ms: number | null) => (hasBytes && ms !== null ? ms - connectedMs : null);
    const isCut = this.#receivedBytes > this.#keptBytes;
    this.#end({
      kind: "connected",
      connectMs: connectedMs - this.#startedMs,
      firstByteMs: since(this.#firstByteMs),
      dataMs: since(this.#lastByteMs),
      receivedBytes: hasBytes ? this.#receivedBytes : 0,
      text: hasBytes ? decodeText(Buffer.concat(this.#kept), isCut) : "",
      isCut: hasBytes && isCut,
      answer: hasBytes ? "received" : findEnd(awaited, end),
    });
  }

  #end(result: ExchangeResult): void {
    clearTimeout(this.#timer);
    if (this.#socket === null) return;
    const socket = this.#socket;
    this.#socket = null;
    socket.removeAllListeners();
    // Ignores errors that the socket emits while it closes.
    socket.on("error", () => {});
    socket.destroy();
    this.#resolve(result);
  }
}

function findEnd(awaited: AwaitedAnswer, end: AnswerEnd): AnswerEnd {
  if (awaited === "none") return "not-awaited";
  return awaited === "silence" && end === "closed" ? "silent" : end;
}

/**
 * Decodes UTF-8. Invalid bytes become U+FFFD. If the text is cut, an incomplete last character is
 * dropped.
 */
function decodeText(bytes: Buffer, isCut: boolean): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: isCut });
}

type TcpOutcome = Outcome<TcpMeasurement>;

/** Resolves the host name, connects and exchanges data. Returns network errors as outcomes. */
export async function probeTcp(request: TcpRequest, tools: SocketTools): Promise<TcpOutcome> {
  const host = await findHost(request, tools);
  if (host.kind !== "found") return host;
  const { resolvedIp, dnsMs } = host;
  const { port, data, answer } = request;
  const timeoutMs = request.timeoutMs - dnsMs;
  if (timeoutMs <= 0) return explainFailure("ETIMEDOUT", request.timeoutMs, { resolvedIp, dnsMs });
  const result = await exchange({
    address: resolvedIp,
    port,
    data,
    answer,
    timeoutMs,
    onStep: tools.onStep,
  });
  if (result.kind === "failed") {
    return explainFailure(result.code, request.timeoutMs, { resolvedIp, dnsMs });
  }
  const { kind: _connected, ...measured } = result;
  const sentBytes = Buffer.byteLength(data ?? "");
  return { kind: "measured", measurement: { resolvedIp, dnsMs, sentBytes, ...measured } };
}

export const serve: Serve<TcpRequest, TcpOutcome> = probeTcp;
