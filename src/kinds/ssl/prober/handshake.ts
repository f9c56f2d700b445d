import { isIP } from "node:net";
import { connect, type SecureContext, type TLSSocket } from "node:tls";
import type { TellStep } from "../../../contract/progress.ts";
import { readTls } from "../../tls/read-tls.ts";
import type { TlsFacts } from "../../tls/tls-facts.ts";

export interface HandshakeOrder {
  /** An address; names are resolved and allowed before. */
  readonly address: string;
  readonly port: number;
  /** What the certificate must be for, in ASCII: a name or an address. */
  readonly name: string;
  readonly timeoutMs: number;
  readonly secureContext: SecureContext;
  readonly tell?: TellStep | undefined;
}

export type HandshakeResult =
  | {
      readonly kind: "made";
      readonly connectMs: number;
      readonly handshakeMs: number;
      /** Null: the server showed no certificate. */
      readonly tls: TlsFacts | null;
    }
  /** `connectMs` is null where no connection was made. The code may be `ETIMEDOUT`. */
  | { readonly kind: "failed"; readonly code: string; readonly connectMs: number | null };

/**
 * Connects, shakes hands, reads what was shown and hangs up. Every certificate is accepted here: a
 * verdict needs to see the ones that nobody trusts. Never rejects.
 */
export function shakeHands(order: HandshakeOrder, nowMs: () => number): Promise<HandshakeResult> {
  const { address, port, name, timeoutMs, secureContext, tell } = order;
  return new Promise((resolve) => {
    const startedMs = performance.now();
    let connectedMs: number | null = null;
    let stapleBytes: Buffer | null = null;
    const socket: TLSSocket = connect({
      host: address,
      port,
      // An address is not a server name (RFC 6066).
      ...(isIP(name) === 0 && { servername: name }),
      secureContext,
      rejectUnauthorized: false,
      checkServerIdentity: () => undefined,
      requestOCSP: true,
    });
    const end = (result: HandshakeResult) => {
      clearTimeout(timer);
      socket.removeAllListeners();
      // A socket may still fail while it closes, and nobody cares any more.
      socket.on("error", () => {});
      if (result.kind === "made") hangUp(socket);
      else socket.destroy();
      resolve(result);
    };
    const fail = (code: string) => {
      const connectMs = connectedMs === null ? null : connectedMs - startedMs;
      end({ kind: "failed", code, connectMs });
    };
    const timer = setTimeout(() => fail("ETIMEDOUT"), timeoutMs);
    socket.setNoDelay(true);
    socket.on("connect", () => {
      connectedMs = performance.now();
      tell?.({ step: "connected", port, durationMs: connectedMs - startedMs });
    });
    socket.on("OCSPResponse", (response: Buffer | null) => {
      stapleBytes = response;
    });
    socket.on("secureConnect", () => {
      const doneMs = performance.now();
      const atMs = connectedMs ?? doneMs;
      const tls = readTls(socket, { host: name, nowMs: nowMs(), stapleBytes });
      const times = { connectMs: atMs - startedMs, handshakeMs: doneMs - atMs };
      tell?.({ step: "secured", protocol: socket.getProtocol(), durationMs: doneMs - atMs });
      end({ kind: "made", ...times, tls });
    });
    socket.on("error", (error) => fail(readCode(error)));
    socket.on("end", () => fail("ECLOSED"));
    socket.on("close", () => fail("ECLOSED"));
  });
}

/** A server that takes longer to hear it is left alone. */
const maxFarewellMs = 1_000;

/** The last flight is still on its way: without it servers would log a broken handshake. */
function hangUp(socket: TLSSocket): void {
  const timer = setTimeout(() => socket.destroy(), maxFarewellMs);
  socket.once("close", () => clearTimeout(timer));
  socket.destroySoon();
}

function readCode(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "EUNKNOWN";
}
