import http2 from "node:http2";
import type { Socket } from "node:net";
import { maxHeaderBytes } from "../../../wire/http/http-measurement.ts";
import { readFaultCode, watchForFloods, wireFaults } from "../../../wire/http/http-wire.ts";
import type { GrpcTrouble } from "../measurement.ts";

/** Maximum size of a response message in bytes. A call with a larger message fails. */
export const maxReceivedBytes = 1_048_576;
const prefixBytes = 5;

type MetadataField = readonly [name: string, value: string];

interface Call {
  /** Path of the method, such as "/shop.v1.Cart/Get". */
  readonly path: string;
  readonly body: Uint8Array;
  readonly metadata: readonly MetadataField[];
  readonly timeoutMs: number;
}

/** Result of a call that the server ended with a status. */
export interface CallEnd {
  readonly kind: "ended";
  readonly callMs: number;
  readonly statusCode: number;
  readonly statusMessage: string;
  /** Encoded response message; `null` if the server sent no message. */
  readonly message: Buffer | null;
  readonly metadata: readonly MetadataField[];
}

export interface CallFailure {
  readonly kind: "failed";
  readonly code: string;
  readonly trouble: GrpcTrouble["kind"];
  readonly message: string;
}

/** An HTTP/2 connection for consecutive unary calls. */
export class GrpcSession {
  readonly #session: http2.ClientHttp2Session;
  readonly #origin: URL;
  #flaw: string | null = null;
  #fail: (code: string) => void = () => {};

  constructor(socket: Socket, origin: URL) {
    this.#origin = origin;
    this.#session = http2.connect(origin.origin, {
      createConnection: () => socket,
      settings: { enablePush: false, maxHeaderListSize: maxHeaderBytes },
      maxSessionMemory: 4,
      maxHeaderListPairs: 500,
      maxSettings: 32,
    });
    const report = (code: string) => {
      this.#flaw ??= code;
      this.#fail(this.#flaw);
    };
    this.#session.on("error", (error) => report(readFaultCode(error)));
    this.#session.on("close", () => report(wireFaults.closed));
    watchForFloods(this.#session, socket, () => report(wireFaults.flooded));
  }

  /** Makes one call. Never rejects, because network errors are returned as results. */
  call(call: Call): Promise<CallEnd | CallFailure> {
    return new Promise((resolve) => {
      const answer = new Answer(call, (result) => {
        clearTimeout(timer);
        this.#fail = () => {};
        resolve(result);
      });
      const timer = setTimeout(() => answer.fail(wireFaults.timedOut), call.timeoutMs);
      this.#fail = (code) => answer.fail(code);
      if (this.#flaw === null) this.#send(call, answer);
      else answer.fail(this.#flaw);
    });
  }

  #send({ path, body, metadata, timeoutMs }: Call, answer: Answer): void {
    try {
      const stream = this.#session.request({
        ":method": "POST",
        ":scheme": this.#origin.protocol.slice(0, -1),
        ":authority": this.#origin.host,
        ":path": path,
        "content-type": "application/grpc",
        te: "trailers",
        "grpc-timeout": `${Math.ceil(timeoutMs)}m`,
        "user-agent": "vedette",
        ...groupMetadata(metadata),
      });
      answer.listen(stream);
      stream.end(frame(body));
    } catch (error) {
      const reason = error instanceof Error ? error.message : "";
      answer.fail("EREQUEST", `The request cannot be sent: ${reason}.`);
    }
  }

  close(): void {
    this.#fail = () => {};
    this.#session.destroy();
  }
}

function groupMetadata(metadata: readonly MetadataField[]): Record<string, string[]> {
  const grouped = Map.groupBy(metadata, ([name]) => name.toLowerCase());
  return Object.fromEntries(
    [...grouped].map(([name, fields]) => [name, fields.map(([, value]) => value)]),
  );
}

function frame(message: Uint8Array): Buffer {
  const framed = Buffer.alloc(prefixBytes + message.length);
  framed.writeUInt32BE(message.length, 1);
  framed.set(message, prefixBytes);
  return framed;
}

/** Reads the response of one call. */
class Answer {
  readonly #timeoutMs: number;
  readonly #resolve: (result: CallEnd | CallFailure) => void;
  readonly #startedMs = performance.now();
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #isDone = false;
  #stream: http2.ClientHttp2Stream | null = null;
  #endedMs: number | null = null;
  /** Whether the server sent bytes that are not HTTP/2. */
  #isForeign = false;
  #headers: http2.IncomingHttpHeaders = {};
  #trailers: http2.IncomingHttpHeaders = {};

  constructor({ timeoutMs }: Call, resolve: (result: CallEnd | CallFailure) => void) {
    this.#timeoutMs = timeoutMs;
    this.#resolve = resolve;
  }

  listen(stream: http2.ClientHttp2Stream): void {
    this.#stream = stream;
    stream.on("response", (headers) => {
      this.#headers = headers;
    });
    stream.on("trailers", (trailers) => {
      this.#trailers = trailers;
      this.#endedMs = performance.now();
    });
    stream.on("data", (bytes: Buffer) => {
      this.#bytes += bytes.length;
      if (this.#bytes > maxReceivedBytes + prefixBytes) this.fail("EMSGSIZE");
      else this.#chunks.push(bytes);
    });
    // An error does not end the call, because "close" follows every error. The server may reset the
    // stream even after it has sent the status.
    stream.on("error", (error) => {
      this.#isForeign = readFaultCode(error) === "ERR_HTTP2_ERROR";
    });
    // Waits a tick, because the session reports why it ended only after its streams have closed.
    stream.on("close", () => setImmediate(() => this.#conclude(stream.rstCode)));
  }

  fail(code: string, message: string | null = null): void {
    if (this.#isDone) return;
    const explained = explain(code, this.#timeoutMs);
    this.#end({ kind: "failed", code, ...explained, ...(message !== null && { message }) });
  }

  #end(result: CallEnd | CallFailure): void {
    this.#isDone = true;
    this.#stream?.destroy();
    this.#resolve(result);
  }

  #conclude(resetCode: number): void {
    if (this.#isDone) return;
    const callMs = (this.#endedMs ?? performance.now()) - this.#startedMs;
    const status =
      readField(this.#trailers, "grpc-status") ?? readField(this.#headers, "grpc-status");
    if (status === null || !/^\d{1,5}$/.test(status)) {
      if (this.#isForeign) {
        this.fail("ERR_HTTP2_ERROR");
        return;
      }
      const { code, message } = this.#explainMissingStatus(resetCode);
      const isForeign = code === "ENOTGRPC";
      this.#end({
        kind: "failed",
        code,
        trouble: isForeign ? "not-grpc" : "broken-answer",
        message,
      });
      return;
    }
    const message = this.#readMessage();
    if (message === "invalid") {
      this.fail("EMESSAGE");
      return;
    }
    const text =
      readField(this.#trailers, "grpc-message") ?? readField(this.#headers, "grpc-message") ?? "";
    this.#end({
      kind: "ended",
      callMs,
      statusCode: Number(status),
      statusMessage: decodePercent(text),
      message,
      metadata: [...listMetadata(this.#headers), ...listMetadata(this.#trailers)],
    });
  }

  #explainMissingStatus(resetCode: number): { readonly code: string; readonly message: string } {
    const status = this.#headers[":status"];
    const type = readField(this.#headers, "content-type");
    if (status !== undefined && Number(status) !== 200) {
      const message = `The server responded with HTTP status ${status} instead of a gRPC status.`;
      return { code: "ENOTGRPC", message };
    }
    if (type !== null && !type.startsWith("application/grpc")) {
      const message = `The server responded with ${type.slice(0, 100)} instead of gRPC.`;
      return { code: "ENOTGRPC", message };
    }
    if (resetCode !== 0) {
      const message = `The server reset the call (HTTP/2 error ${resetCode}).`;
      return { code: "ERESET", message };
    }
    return { code: "ENOSTATUS", message: "The server ended the call without a status." };
  }

  /**
   * Reads the response message. Returns `null` if there is no message, and "invalid" if the message
   * is compressed, incomplete or followed by further data.
   */
  #readMessage(): Buffer | null | "invalid" {
    if (this.#bytes === 0) return null;
    const framed = Buffer.concat(this.#chunks);
    const isCompressed = framed[0] !== 0;
    const isWhole =
      framed.length >= prefixBytes && framed.length === prefixBytes + framed.readUInt32BE(1);
    return isCompressed || !isWhole ? "invalid" : framed.subarray(prefixBytes);
  }
}

function readField(headers: http2.IncomingHttpHeaders, name: string): string | null {
  const value = headers[name];
  return typeof value === "string" ? value : null;
}

/** Header fields of HTTP and gRPC that are not metadata. */
const own = new Set(["content-type", "date", "trailer"]);

function listMetadata(headers: http2.IncomingHttpHeaders): MetadataField[] {
  return Object.entries(headers).flatMap(([name, value]): MetadataField[] => {
    if (name.startsWith(":") || name.startsWith("grpc-") || own.has(name) || value === undefined) {
      return [];
    }
    return [value].flat().map((one) => [name, one] as const);
  });
}

/** Decodes percent encoding. Returns a text with an invalid escape unchanged. */
function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

type Explained = Pick<CallFailure, "trouble" | "message">;

const known: Readonly<Record<string, Explained>> = {
  [wireFaults.closed]: {
    trouble: "closed",
    message: "The server closed the connection without a response.",
  },
  [wireFaults.flooded]: {
    trouble: "broken-answer",
    message: "The server flooded the connection with HTTP/2 frames instead of responding.",
  },
  ECONNRESET: { trouble: "reset", message: "The connection was reset before a response arrived." },
  EPIPE: { trouble: "reset", message: "The connection was reset before a response arrived." },
  EMSGSIZE: {
    trouble: "broken-answer",
    message: `The response message exceeds ${maxReceivedBytes} bytes.`,
  },
  EMESSAGE: {
    trouble: "broken-answer",
    message: "The response is not exactly one uncompressed message.",
  },
  ERR_HTTP2_ERROR: {
    trouble: "not-grpc",
    message: "The server does not speak HTTP/2 on this port.",
  },
};

function explain(code: string, timeoutMs: number): Explained {
  if (code === wireFaults.timedOut) {
    const message = `The call did not end within ${Math.ceil(timeoutMs)} ms.`;
    return { trouble: "timed-out", message };
  }
  return known[code] ?? { trouble: "failed", message: `The call failed (${code}).` };
}
