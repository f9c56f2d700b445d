/** A probe connection whose frames the test writes byte by byte. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { request } from "node:http";
import type { Socket } from "node:net";
import type { TestContext } from "node:test";

export async function openRawLink(t: TestContext, url: string, token: string): Promise<Socket> {
  const upgrade = request(`${url}/v1/probe`, {
    headers: {
      authorization: `Bearer ${token}`,
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": randomBytes(16).toString("base64"),
    },
  });
  upgrade.end();
  const [, socket] = (await once(upgrade, "upgrade")) as [unknown, Socket];
  t.after(() => socket.destroy());
  socket.on("error", () => {});
  socket.resume();
  return socket;
}

/**
 * Returns the header of a text frame from a client. The mask is all zeros, so that the payload
 * stays unchanged.
 */
export function writeFrameHead(bytes: number): Buffer {
  const head = Buffer.alloc(14);
  head.writeUInt8(0x81, 0);
  head.writeUInt8(0x80 | 127, 1);
  head.writeBigUInt64BE(BigInt(bytes), 2);
  return head;
}
