import { randomUUID } from "node:crypto";
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { headers, type Msg, type NatsConnection } from "@nats-io/transport-node";
import { isTooDeep } from "../text/json-depth.ts";

/**
 * Size in bytes from which a message is compressed. Compression of a smaller message saves too
 * little.
 */
const packFromBytes = 16_384;
/** Maximum size of a message after decompression. It is needed because senders are not trusted. */
export const maxUnpackedBytes = 8_388_608;
/** Maximum nesting of a message. No valid message exceeds it. */
const maxDepth = 64;

/** Header that names the compression of a message. */
export const encodingHeader = "Content-Encoding";
const idHeader = "Nats-Msg-Id";
const answerMs = 5_000;
/** Reason of a rejection if no stream of NATS accepts the subject. */
export const noStream = "no stream accepts it";

export interface DecodedMessage {
  readonly message: unknown;
  /** Size of the text of the message after decompression. */
  readonly bytes: number;
}

/** A message as JSON. Long JSON is compressed, because NATS limits the size of messages. */
interface EncodedMessage {
  readonly bytes: Uint8Array;
  readonly isPacked: boolean;
}
const params = { [constants.ZSTD_c_compressionLevel]: 1 };

export function encodeMessage(message: unknown): EncodedMessage {
  const bytes = Buffer.from(JSON.stringify(message));
  if (bytes.length < packFromBytes) return { bytes, isPacked: false };
  return { bytes: zstdCompressSync(bytes, { params }), isPacked: true };
}

/** Decodes a message; throws if the message is invalid. */
export function decodeMessage({ bytes, isPacked }: EncodedMessage): DecodedMessage {
  const plain = isPacked ? zstdDecompressSync(bytes, { maxOutputLength: maxUnpackedBytes }) : bytes;
  const { buffer, byteOffset, byteLength } = plain;
  const text = Buffer.from(buffer, byteOffset, byteLength).toString();
  if (isTooDeep(text, maxDepth)) throw new Error(`nested deeper than ${maxDepth} levels`);
  return { message: JSON.parse(text), bytes: byteLength };
}

export interface Outgoing extends EncodedMessage {
  readonly id: string;
}

interface Rejection {
  readonly message: Outgoing;
  readonly reason: string;
}

/** Publishes many messages together and waits for the stream to acknowledge each of them. */
export class NatsPublisher {
  readonly #nc: NatsConnection;
  readonly #inbox: string;
  readonly #waiting = new Map<string, (reason: string | null) => void>();
  #next = 0;

  constructor(nc: NatsConnection, inboxPrefix: string) {
    this.#nc = nc;
    this.#inbox = `${inboxPrefix}.${randomUUID()}`;
    nc.subscribe(`${this.#inbox}.*`, {
      callback: (error, answer) => {
        if (error === null) this.#settle(answer.subject, findRejectionReason(answer));
      },
    });
    void nc.closed().then(() => this.#giveUp("the connection ended"));
  }

  get maxBytes(): number {
    // The maximum size includes the headers, and the headers of this bus are smaller than 1 kB.
    return (this.#nc.info?.max_payload ?? 1_048_576) - 1_024;
  }

  /** Returns the messages that may not have been stored, each with the reason. */
  async send(subject: string, messages: readonly Outgoing[]): Promise<Rejection[]> {
    const rejected: Rejection[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const replies = messages.map(() => this.#nextReply());
    let left = messages.length;
    const timer = setTimeout(() => {
      for (const reply of replies) this.#settle(reply, "it did not respond in time");
    }, answerMs);
    for (const [at, message] of messages.entries()) {
      const reply = replies[at] ?? "";
      this.#waiting.set(reply, (reason) => {
        if (reason !== null) rejected.push({ message, reason });
        left -= 1;
        if (left === 0) resolve();
      });
    }
    this.#publish(subject, messages, replies);
    await promise;
    clearTimeout(timer);
    return rejected;
  }

  #publish(subject: string, messages: readonly Outgoing[], replies: readonly string[]): void {
    for (const [at, { id, bytes, isPacked }] of messages.entries()) {
      const reply = replies[at] ?? "";
      const about = headers();
      about.set(idHeader, id);
      if (isPacked) about.set(encodingHeader, "zstd");
      try {
        this.#nc.publish(subject, bytes, { reply, headers: about });
      } catch (error) {
        this.#settle(reply, (error as Error).message);
      }
    }
  }

  #nextReply(): string {
    this.#next += 1;
    return `${this.#inbox}.${this.#next.toString(36)}`;
  }

  #settle(reply: string, reason: string | null): void {
    const settle = this.#waiting.get(reply);
    this.#waiting.delete(reply);
    settle?.(reason);
  }

  #giveUp(reason: string): void {
    for (const reply of [...this.#waiting.keys()]) this.#settle(reply, reason);
  }
}

function findRejectionReason(answer: Msg): string | null {
  if (answer.headers?.code === 503) return noStream;
  const text = answer.string();
  // Nearly all responses are `{"stream":"…","seq":1}`, so only responses with an error are parsed.
  if (!text.includes('"error"')) return null;
  const { error } = JSON.parse(text) as { error?: { description?: string } };
  return error === undefined ? null : (error.description ?? "rejected");
}
