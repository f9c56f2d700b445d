import { randomInt } from "node:crypto";
import { createSocket, type Socket } from "node:dgram";
import { isIPv6, Socket as TcpSocket } from "node:net";
import type { OnStep } from "../../../../contract/result.ts";
import { readCode } from "../../../../platform/errors.ts";
import { WireFault } from "../wire/bytes.ts";
import {
  decodeMessage,
  encodeQuery,
  isAnswerTo,
  isTruncated,
  type Message,
  type Question,
} from "../wire/message.ts";
import { formatError } from "../wire/record-types.ts";

/** Number of unrelated messages after which a query fails. */
export const maxIgnoredAnswers = 1_000;

interface StreamOrder {
  readonly address: string;
  readonly port: number;
  readonly query: Buffer;
  readonly timeoutMs: number;
}

type StreamResult = { readonly ignoredAnswers: number } & (
  | { readonly kind: "answered"; readonly bytes: Buffer }
  | { readonly kind: "flooded" }
  /** `code` is a system error code, `ETIMEDOUT`, or `ECLOSED` if the server closed too early. */
  | { readonly kind: "failed"; readonly code: string }
);

/** Size of the length prefix of every message over TCP. */
const prefixBytes = 2;

/** Sends the query over TCP. Never rejects, because errors are results. */
function queryOverTcp(order: StreamOrder): Promise<StreamResult> {
  return new Promise((resolve) => {
    new StreamQuery(order, resolve).start();
  });
}

class StreamQuery {
  readonly #order: StreamOrder;
  readonly #resolve: (result: StreamResult) => void;
  #socket: TcpSocket | null = null;
  #timer: NodeJS.Timeout | undefined;
  /**
   * Received chunks of the current message and its length prefix. In total, they contain at most
   * 65,537 bytes plus one chunk.
   */
  #pieces: Buffer[] = [];
  #pieceBytes = 0;
  #ignoredAnswers = 0;

  constructor(order: StreamOrder, resolve: (result: StreamResult) => void) {
    this.#order = order;
    this.#resolve = resolve;
  }

  start(): void {
    const { address, port, timeoutMs, query } = this.#order;
    const socket = new TcpSocket();
    this.#socket = socket;
    socket.on("error", (error) => this.#fail(readCode(error)));
    socket.on("data", (piece) => this.#receive(piece as Buffer));
    socket.on("end", () => this.#fail("ECLOSED"));
    socket.on("close", () => this.#fail("ECLOSED"));
    this.#timer = setTimeout(() => this.#fail("ETIMEDOUT"), Math.max(0, timeoutMs));
    socket.setNoDelay(true);
    socket.connect({ host: address, port, autoSelectFamily: false });
    // Length and query are sent in one write, because some servers read only once.
    const framed = Buffer.allocUnsafe(prefixBytes + query.length);
    framed.writeUInt16BE(query.length, 0);
    query.copy(framed, prefixBytes);
    socket.write(framed);
  }

  #receive(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#pieceBytes += piece.length;
    while (this.#socket !== null) {
      const message = this.#takeMessage();
      if (message === null) return;
      if (isAnswerTo(message, this.#order.query)) {
        this.#end({ kind: "answered", bytes: message, ignoredAnswers: this.#ignoredAnswers });
        return;
      }
      this.#ignoredAnswers += 1;
      if (this.#ignoredAnswers >= maxIgnoredAnswers) {
        this.#end({ kind: "flooded", ignoredAnswers: this.#ignoredAnswers });
      }
    }
  }

  /**
   * Returns the next message; `null` while the message is incomplete. The chunks are joined only
   * once the message is complete, because joining them after every small chunk would be slow.
   */
  #takeMessage(): Buffer | null {
    if (this.#pieceBytes < prefixBytes) return null;
    const needed = prefixBytes + this.#readLength();
    if (this.#pieceBytes < needed) return null;
    const all = this.#pieces.length === 1 ? this.#pieces[0] : Buffer.concat(this.#pieces);
    if (all === undefined) return null;
    this.#pieces = [all.subarray(needed)];
    this.#pieceBytes -= needed;
    return all.subarray(prefixBytes, needed);
  }

  #readLength(): number {
    const [first] = this.#pieces;
    if (first !== undefined && first.length >= prefixBytes) return first.readUInt16BE(0);
    // The length prefix is split across several chunks, so the chunks are joined first.
    const all = Buffer.concat(this.#pieces);
    this.#pieces = [all];
    return all.readUInt16BE(0);
  }

  #fail(code: string): void {
    this.#end({ kind: "failed", code, ignoredAnswers: this.#ignoredAnswers });
  }

  #end(result: StreamResult): void {
    clearTimeout(this.#timer);
    if (this.#socket === null) return;
    const socket = this.#socket;
    this.#socket = null;
    socket.removeAllListeners();
    // Errors that the socket emits while closing are ignored.
    socket.on("error", () => {});
    socket.destroy();
    this.#resolve(result);
  }
}

export interface QueryOrder extends Question {
  /** Resolved address of the server. The caller has verified that the probe may connect to it. */
  readonly address: string;
  readonly port: number;
  readonly protocol: "UDP" | "TCP";
  readonly timeoutMs: number;
  readonly onStep?: OnStep | undefined;
}

/** Counters of one query, including its retransmissions. */
export interface QueryCounts {
  readonly queriesSent: number;
  /** Number of received messages that do not belong to the query. */
  readonly ignoredAnswers: number;
}

export type QueryResult = QueryCounts &
  (
    | {
        readonly kind: "answered";
        /** Time from the first query to the answer over UDP; `null` if UDP was not used. */
        readonly udpMs: number | null;
        /** Time from connecting to the complete answer over TCP; `null` if TCP was not used. */
        readonly tcpMs: number | null;
        readonly responseCode: number;
        readonly receivedBytes: number;
        /** The answer in base64, cut after its last stored record. */
        readonly message: string;
        readonly isCut: boolean;
      }
    /** The answer belongs to the query but is malformed. */
    | { readonly kind: "malformed"; readonly fault: string }
    | { readonly kind: "flooded" }
    /**
     * `code` is a system error code, `ETIMEDOUT` or `ECLOSED`. If `wasTruncated` is true, the UDP
     * answer was truncated and the query failed over TCP.
     */
    | { readonly kind: "failed"; readonly code: string; readonly wasTruncated: boolean }
  );

/**
 * Number of times that an unanswered query is sent over UDP before the timeout, at equal intervals.
 */
const retransmitParts = 3;

/** Sends the query over UDP or TCP. Never rejects, because network errors are results. */
export function sendQuery(order: QueryOrder): Promise<QueryResult> {
  return new Promise((resolve) => {
    new Query(order, resolve).start();
  });
}

class Query {
  readonly #order: QueryOrder;
  readonly #resolve: (result: QueryResult) => void;
  #query: Buffer;
  #isExtended = true;
  #socket: Socket | null = null;
  #timer: NodeJS.Timeout | undefined;
  #startedMs = 0;
  #queriesSent = 0;
  #ignoredAnswers = 0;
  #udpMs: number | null = null;
  #wasTruncated = false;

  constructor(order: QueryOrder, resolve: (result: QueryResult) => void) {
    this.#order = order;
    this.#resolve = resolve;
    this.#query = this.#write();
  }

  start(): void {
    this.#startedMs = performance.now();
    if (this.#order.protocol === "TCP") void this.#queryOverTcp(this.#startedMs);
    else this.#openSocket();
  }

  #write(): Buffer {
    return encodeQuery(this.#order, { id: randomInt(0x1_0000), isExtended: this.#isExtended });
  }

  /** Opens a connected socket, which drops packets from other hosts and reports closed ports. */
  #openSocket(): void {
    const { address, port } = this.#order;
    const socket = createSocket(isIPv6(address) ? "udp6" : "udp4");
    this.#socket = socket;
    socket.on("error", (error) => this.#fail(readCode(error)));
    socket.on("message", (message) => this.#receive(message));
    socket.on("connect", () => {
      this.#startedMs = performance.now();
      this.#send();
    });
    socket.connect(port, address);
  }

  #send(): void {
    this.#queriesSent += 1;
    this.#reportSent("UDP");
    this.#socket?.send(this.#query, this.#noticeSent);
    const { timeoutMs } = this.#order;
    const leftMs = this.#startedMs + timeoutMs - performance.now();
    const waitMs = timeoutMs / retransmitParts;
    clearTimeout(this.#timer);
    const isLast = leftMs <= waitMs * 1.5;
    this.#timer = isLast
      ? setTimeout(() => this.#fail("ETIMEDOUT"), Math.max(0, leftMs))
      : setTimeout(() => this.#send(), waitMs);
  }

  readonly #noticeSent = (error: Error | null): void => {
    if (error !== null) this.#fail(readCode(error));
  };

  #receive(bytes: Buffer): void {
    if (this.#socket === null) return;
    if (!isAnswerTo(bytes, this.#query)) {
      this.#ignoredAnswers += 1;
      if (this.#ignoredAnswers >= maxIgnoredAnswers) this.#end({ kind: "flooded" });
      return;
    }
    const nowMs = performance.now();
    this.#udpMs = nowMs - this.#startedMs;
    if (isTruncated(bytes)) {
      this.#order.onStep?.({ step: "truncated", durationMs: this.#udpMs });
      this.#wasTruncated = true;
      this.#closeSocket();
      void this.#queryOverTcp(nowMs);
      return;
    }
    const message = this.#decode(bytes);
    if (message === null) return;
    if (this.#isRejectedExtension(message)) {
      this.#isExtended = false;
      this.#query = this.#write();
      this.#send();
      return;
    }
    this.#conclude(bytes, message, null);
  }

  /** Returns whether the server rejected EDNS (RFC 6891). The query is then sent without EDNS. */
  #isRejectedExtension({ responseCode, hasExtension }: Message): boolean {
    return this.#isExtended && responseCode === formatError && !hasExtension;
  }

  /** Sends the query over TCP within the remaining timeout. */
  async #queryOverTcp(startedMs: number): Promise<void> {
    const { address, port, timeoutMs } = this.#order;
    const leftMs = this.#startedMs + timeoutMs - performance.now();
    this.#queriesSent += 1;
    this.#reportSent("TCP");
    const result = await queryOverTcp({ address, port, query: this.#query, timeoutMs: leftMs });
    this.#ignoredAnswers += result.ignoredAnswers;
    if (result.kind === "failed") {
      this.#fail(result.code);
      return;
    }
    if (result.kind === "flooded") {
      this.#end({ kind: "flooded" });
      return;
    }
    const tcpMs = performance.now() - startedMs;
    const message = this.#decode(result.bytes);
    if (message === null) return;
    if (this.#isRejectedExtension(message)) {
      this.#isExtended = false;
      this.#query = this.#write();
      await this.#queryOverTcp(startedMs);
      return;
    }
    this.#conclude(result.bytes, message, tcpMs);
  }

  #decode(bytes: Buffer): Message | null {
    try {
      return decodeMessage(bytes);
    } catch (error) {
      if (!(error instanceof WireFault)) throw error;
      this.#end({ kind: "malformed", fault: error.message });
      return null;
    }
  }

  #reportSent(protocol: string): void {
    const { address, port, onStep } = this.#order;
    onStep?.({ step: "asked", protocol, address, port, query: this.#queriesSent });
  }

  #conclude(bytes: Buffer, message: Message, tcpMs: number | null): void {
    const durationMs = tcpMs ?? this.#udpMs;
    this.#order.onStep?.({ step: "answered", bytes: bytes.length, durationMs });
    this.#end({
      kind: "answered",
      udpMs: this.#udpMs,
      tcpMs,
      responseCode: message.responseCode,
      receivedBytes: bytes.length,
      message: bytes.toString("base64", 0, message.keptBytes),
      isCut: message.isCut,
    });
  }

  #fail(code: string): void {
    this.#end({ kind: "failed", code, wasTruncated: this.#wasTruncated });
  }

  #end(result: DistributiveOmit<QueryResult, keyof QueryCounts>): void {
    this.#closeSocket();
    this.#resolve({
      ...result,
      queriesSent: this.#queriesSent,
      ignoredAnswers: this.#ignoredAnswers,
    });
  }

  #closeSocket(): void {
    clearTimeout(this.#timer);
    this.#socket?.close();
    this.#socket = null;
  }
}

type DistributiveOmit<Whole, Keys extends PropertyKey> = Whole extends unknown
  ? Omit<Whole, Keys>
  : never;
