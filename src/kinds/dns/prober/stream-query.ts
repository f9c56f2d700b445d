import { Socket } from "node:net";
import { readCode } from "../../../platform/errors.ts";
import { isAnswerTo } from "../wire/message.ts";

/** Maximum number of messages that answer other queries; after that the query fails. */
export const maxIgnoredAnswers = 1_000;

export interface StreamOrder {
  readonly address: string;
  readonly port: number;
  readonly query: Buffer;
  readonly timeoutMs: number;
}

export type StreamResult = { readonly ignoredAnswers: number } & (
  | { readonly kind: "answered"; readonly bytes: Buffer }
  | { readonly kind: "flooded" }
  /**
   * The code is that of the system, `ETIMEDOUT`, or `ECLOSED` if the server closed the connection
   * first.
   */
  | { readonly kind: "failed"; readonly code: string }
);

/** Every message is prefixed with its length. */
const prefixBytes = 2;

/** Sends the query over TCP. Never rejects. */
export function queryOverTcp(order: StreamOrder): Promise<StreamResult> {
  return new Promise((resolve) => {
    new StreamQuery(order, resolve).start();
  });
}

class StreamQuery {
  readonly #order: StreamOrder;
  readonly #resolve: (result: StreamResult) => void;
  #socket: Socket | null = null;
  #timer: NodeJS.Timeout | undefined;
  /** Received parts of one message and its length: at most 65,537 bytes plus one chunk. */
  #pieces: Buffer[] = [];
  #pieceBytes = 0;
  #ignoredAnswers = 0;

  constructor(order: StreamOrder, resolve: (result: StreamResult) => void) {
    this.#order = order;
    this.#resolve = resolve;
  }

  start(): void {
    const { address, port, timeoutMs, query } = this.#order;
    const socket = new Socket();
    this.#socket = socket;
    socket.on("error", (error) => this.#fail(readCode(error)));
    socket.on("data", (piece) => this.#receive(piece as Buffer));
    socket.on("end", () => this.#fail("ECLOSED"));
    socket.on("close", () => this.#fail("ECLOSED"));
    this.#timer = setTimeout(() => this.#fail("ETIMEDOUT"), Math.max(0, timeoutMs));
    socket.setNoDelay(true);
    socket.connect({ host: address, port, autoSelectFamily: false });
    // Length and query are sent in one packet, because some servers read only once.
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

  /** Returns the next complete message. The cost does not depend on the chunk size. */
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
    // The length prefix arrived in several chunks.
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
    // A socket may still emit an error while it closes; it no longer matters.
    socket.on("error", () => {});
    socket.destroy();
    this.#resolve(result);
  }
}
