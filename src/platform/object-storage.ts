/** Objects in a bucket of an S3-compatible storage. Requests use Signature Version 4. */
import { createHash, createHmac } from "node:crypto";
import type { Clock } from "./clock.ts";
import type { Outbound, OutboundMethod } from "./outbound.ts";

interface S3Options {
  /** URL of the storage without the bucket. The bucket is the first part of the path. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly outbound: Outbound;
  readonly clock: Clock;
}

interface S3Request {
  readonly method: OutboundMethod;
  readonly url: URL;
  /** Request headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
}

type Signing = Pick<S3Options, "region" | "accessKeyId" | "secretAccessKey">;

const algorithm = "AWS4-HMAC-SHA256";
const timeoutMs = 30_000;
const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data).digest("hex");
const hmac = (key: string | Buffer, text: string) =>
  createHmac("sha256", key).update(text).digest();

/** Percent-encodes all characters that Signature Version 4 does not declare as unreserved. */
const encodePart = (text: string) =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** Returns the headers of a request together with its signature. */
export function signRequest(
  { method, url, headers, body }: S3Request,
  { region, accessKeyId, secretAccessKey }: Signing,
  now: Date,
): Record<string, string> {
  const time = now.toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const day = time.slice(0, 8);
  const bodyHash = sha256(body ?? "");
  const sent = { ...headers, "x-amz-content-sha256": bodyHash, "x-amz-date": time };
  const signed = Object.entries({ ...sent, host: url.host }).sort(([one], [other]) =>
    one < other ? -1 : 1,
  );
  const names = signed.map(([name]) => name).join(";");
  const canonical = [
    method,
    url.pathname,
    "",
    ...signed.map(([name, value]) => `${name}:${value.trim()}`),
    "",
    names,
    bodyHash,
  ].join("\n");
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = [algorithm, time, scope, sha256(canonical)].join("\n");
  const key = ["s3", "aws4_request"].reduce<Buffer>(
    (last, part) => hmac(last, part),
    hmac(hmac(`AWS4${secretAccessKey}`, day), region),
  );
  const signature = hmac(key, text).toString("hex");
  const authorization =
    `${algorithm} Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, ` +
    `Signature=${signature}`;
  return { ...sent, authorization };
}

class S3Error extends Error {}

export class S3Bucket {
  readonly #options: S3Options;

  constructor(options: S3Options) {
    this.#options = options;
  }

  async put(key: string, content: Uint8Array, contentType: string): Promise<void> {
    await this.#send("PUT", key, { body: content, headers: { "content-type": contentType } });
  }

  /** Returns the bytes from `start` through `end`; `null` if the object does not exist. */
  async get(key: string, { start, end }: { start: number; end: number }): Promise<Buffer | null> {
    const headers = { range: `bytes=${start}-${end}` };
    const maxResponseBytes = end - start + 65_536;
    const answer = await this.#send("GET", key, { headers, maxResponseBytes });
    return answer === null ? null : answer.bodyBytes;
  }

  async delete(key: string): Promise<void> {
    await this.#send("DELETE", key, {});
  }

  async #send(
    method: OutboundMethod,
    key: string,
    more: {
      readonly body?: Uint8Array;
      readonly headers?: Readonly<Record<string, string>>;
      readonly maxResponseBytes?: number;
    },
  ) {
    const { endpoint, bucket, outbound, clock } = this.#options;
    const { body = null, headers = {}, maxResponseBytes = 65_536 } = more;
    const base = endpoint.replace(/\/+$/, "");
    const url = new URL(`${base}/${[bucket, ...key.split("/")].map(encodePart).join("/")}`);
    const signed = signRequest({ method, url, headers, body }, this.#options, clock.now());
    const result = await outbound.request({
      ...{ method, url: url.href, headers: signed, body, timeoutMs, maxResponseBytes },
    });
    if (result.kind !== "answered") throw new S3Error(`${method} failed: ${result.message}`);
    if (result.status === 404) return null;
    if (result.status >= 200 && result.status < 300) return result;
    const [, code = "no code"] = /<Code>(\w{1,60})<\/Code>/.exec(result.bodyText) ?? [];
    throw new S3Error(`${method} was rejected with status ${result.status}: ${code}`);
  }
}
