import { isIP } from "node:net";
import { connect, type SecureContext, type TLSSocket } from "node:tls";
import type { OnStep } from "../../../contract/progress.ts";
import { readCode } from "../../../platform/errors.ts";
import { readTls } from "../../tls/read-tls.ts";
import type { TlsFacts } from "../../tls/tls-facts.ts";

export interface HandshakeOrder {
  /** An IP address that has been resolved and checked against the guard. */
  readonly address: string;
  readonly port: number;
  /** The name or address that the certificate must match, in ASCII. */
  readonly name: string;
  readonly timeoutMs: number;
  readonly secureContext: SecureContext;
  readonly onStep?: OnStep | undefined;
}

export type HandshakeResult =
  | {
      readonly kind: "made";
      readonly connectMs: number;
      readonly handshakeMs: number;
      /** `null` if the server presented no certificate. */
      readonly tls: TlsFacts | null;
    }
  /** `connectMs` is null if the connection failed. The code may be `ETIMEDOUT`. */
  | { readonly kind: "failed"; readonly code: string; readonly connectMs: number | null };

/**
 * Connects, performs the handshake, reads the TLS facts and closes the connection. Every
 * certificate is accepted, because the verdict must also cover untrusted ones. Never rejects.
 */
export function performHandshake(
  order: HandshakeOrder,
  nowMs: () => number,
): Promise<HandshakeResult> {
  const { address, port, name, timeoutMs, secureContext, onStep } = order;
  return new Promise((resolve) => {
    const startedMs = performance.now();
    let connectedMs: number | null = null;
    let stapleBytes: Buffer | null = null;
    const socket: TLSSocket = connect({
      host: address,
      port,
      // An IP address is not a valid server name (RFC 6066).
      ...(isIP(name) === 0 && { servername: name }),
      secureContext,
      rejectUnauthorized: false,
      checkServerIdentity: () => undefined,
      requestOCSP: true,
    });
    const end = (result: HandshakeResult) => {
      clearTimeout(timer);
      socket.removeAllListeners();
      // A socket may still emit an error while it closes; it no longer matters.
      socket.on("error", () => {});
      if (result.kind === "made") closeGracefully(socket);
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
      onStep?.({ step: "connected", port, durationMs: connectedMs - startedMs });
    });
    socket.on("OCSPResponse", (response: Buffer | null) => {
      stapleBytes = response;
    });
    socket.on("secureConnect", () => {
      const doneMs = performance.now();
      const atMs = connectedMs ?? doneMs;
      const tls = readTls(socket, { host: name, nowMs: nowMs(), stapleBytes });
      const times = { connectMs: atMs - startedMs, handshakeMs: doneMs - atMs };
      onStep?.({ step: "secured", protocol: socket.getProtocol(), durationMs: doneMs - atMs });
      end({ kind: "made", ...times, tls });
    });
    socket.on("error", (error) => fail(readCode(error)));
    socket.on("end", () => fail("ECLOSED"));
    socket.on("close", () => fail("ECLOSED"));
  });
}

/** Maximum time for closing the connection in an orderly way. */
const maxCloseMs = 1_000;

/** Waits until the last flight is sent, because servers would otherwise log a failed handshake. */
function closeGracefully(socket: TLSSocket): void {
  const timer = setTimeout(() => socket.destroy(), maxCloseMs);
  socket.once("close", () => clearTimeout(timer));
  socket.destroySoon();
}
