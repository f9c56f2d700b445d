/** Messages of the standard health service, `grpc.health.v1.Health`. */

export const healthPath = "/grpc.health.v1.Health/Check";

const serviceTag = 0x0a;

/** Encodes `HealthCheckRequest`. */
export function encodeHealthRequest(service: string): Uint8Array {
  const name = Buffer.from(service);
  if (name.length === 0) return name;
  const length: number[] = [];
  let rest = name.length;
  for (; rest > 0x7f; rest >>>= 7) length.push((rest & 0x7f) | 0x80);
  return Buffer.concat([Buffer.from([serviceTag, ...length, rest]), name]);
}

/**
 * Decodes the status of `HealthCheckResponse`. Returns `null` if the bytes are not such a message.
 * An empty message has the status 0, UNKNOWN.
 */
export function decodeHealthStatus(bytes: Uint8Array): number | null {
  let status = 0;
  for (let at = 0; at < bytes.length; at += 2) {
    const [tag = 0, value = 0xff] = bytes.subarray(at, at + 2);
    // The statuses so far need one byte; other fields are not defined.
    if (tag !== statusTag || value > 0x7f) return null;
    status = value;
  }
  return status;
}

const statusTag = 0x08;
