import { randomInt } from "node:crypto";
import { createSocket, type Socket } from "node:dgram";
import { isIPv6 } from "node:net";
import type { OnStep } from "../../../contract/progress.ts";
import { readCode } from "../../../platform/errors.ts";
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
import { maxIgnoredAnswers, queryOverTcp } from "./stream-query.ts";

export interface QueryOrder extends Question {
  /** A resolved address that the probe may connect to. */
  readonly address: string;
  readonly port: number;
  readonly protocol: "UDP" | "TCP";
  readonly timeoutMs: number;
  readonly onStep?: OnStep | undefined;
}

/** Counters of one query. */
export interface QueryCounts {
  readonly queriesSent: number;
  /** Messages that answered other queries. */
  readonly ignoredAnswers: number;
}

export type QueryResult = QueryCounts &
  (
    | {
        readonly kind: "answered";
        /** From the first query to the answer over UDP; `null` if UDP was not used. */
        readonly udpMs: number | null;
        /** From the connection to the complete answer over TCP; `null` if TCP was not used. */
        readonly tcpMs: number | null;
        readonly responseCode: number;
        readonly receivedBytes: number;
        /** The beginning of the answer up to the end of a record, in base64. */
        readonly message: string;
        readonly isCut: boolean;
      }
    /** The received message is malformed. */
    | { readonly kind: "malformed"; readonly fault: string }
    | { readonly kind: "flooded" }
    /**
     * The code is that of the system, or `ETIMEDOUT`. After a truncated UDP answer it is that of
     * TCP.
     */
    | { readonly kind: "failed"; readonly code: string; readonly wasTruncated: boolean }
  );

/**
 * Queries are retransmitted at these fractions of the timeout, so that a lost packet fails no run.
 */
const retransmitParts = 3;

/** Never rejects: network errors are results. */
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

  /** Connected, so that the system drops packets of other hosts and reports closed ports. */
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

  /** A server older than RFC 6891 may reject EDNS; it then gets a query without it. */
  #isRejectedExtension({ responseCode, hasExtension }: Message): boolean {
    return this.#isExtended && responseCode === formatError && !hasExtension;
  }

  /** TCP gets the remaining time. */
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
