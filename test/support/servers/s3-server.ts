import { createHash, createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

export interface S3Server {
  readonly url: string;
  readonly objects: Map<string, Buffer>;
  /**
   * Status with which the server rejects the next requests, to simulate an outage; `null` for
   * normal operation.
   */
  fault: number | null;
  readonly stop: () => void;
}

const hash = (data: string | Buffer) => createHash("sha256").update(data).digest("hex");
const mac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();

const header = new RegExp(
  "^AWS4-HMAC-SHA256 Credential=(\\w+)/(\\d{8})/([\\w-]+)/s3/aws4_request, " +
    "SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$",
);

/**
 * Verifies the signature of a request according to the specification, using only the request itself
 * and the secret.
 */
function isSigned(request: IncomingMessage, body: Buffer, secret: string): boolean {
  const { authorization = "", ...headers } = request.headers;
  const match = header.exec(authorization);
  if (match === null) return false;
  const [, , day = "", region = "", names = "", signature] = match;
  const { "x-amz-date": time = "", "x-amz-content-sha256": digest } = headers;
  const signed = names.split(";");
  if (!["host", "x-amz-date", "x-amz-content-sha256"].every((name) => signed.includes(name))) {
    return false;
  }
  if (digest !== hash(body) || !String(time).startsWith(day)) return false;
  const [path = "", query = ""] = (request.url ?? "").split("?");
  const lines = signed.map((name) => `${name}:${headers[name]}\n`).join("");
  const canonical = [request.method, path, query, lines, names, digest].join("\n");
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", time, scope, hash(canonical)].join("\n");
  let key = mac(`AWS4${secret}`, day);
  for (const part of [region, "s3", "aws4_request"]) key = mac(key, part);
  return mac(key, text).toString("hex") === signature;
}

/** Starts an S3 server with one bucket in memory. It rejects requests without a valid signature. */
export async function startS3Server(secret: string): Promise<S3Server> {
  const objects = new Map<string, Buffer>();
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const fail = (status: number, code: string) =>
      response.writeHead(status).end(`<Error><Code>${code}</Code></Error>`);
    if (state.fault !== null) return fail(state.fault, "InternalError");
    if (!isSigned(request, body, secret)) return fail(403, "SignatureDoesNotMatch");
    const key = decodeURIComponent(request.url ?? "");
    const known = objects.get(key);
    if (request.method === "PUT") {
      objects.set(key, body);
      return response.end();
    }
    if (request.method === "DELETE") {
      objects.delete(key);
      return response.writeHead(204).end();
    }
    if (known === undefined) return fail(404, "NoSuchKey");
    const [, from = 0, to = known.length - 1] =
      /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "")?.map(Number) ?? [];
    return response.writeHead(206).end(known.subarray(from, to + 1));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const state: S3Server = {
    ...{ url: `http://127.0.0.1:${port}`, objects, fault: null },
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return state;
}
