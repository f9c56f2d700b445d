// Reads a nanosecond pcap file and pairs echo requests with their replies.

const NANOSECOND_MAGIC = 0xa1b2_3c4d;
const FILE_HEADER_BYTES = 24;
const RECORD_HEADER_BYTES = 16;
const ETHERNET_BYTES = 14;

/** Round-trip times on the wire in request order, by target address. */
export type WireTimes = ReadonlyMap<string, readonly (number | null)[]>;

/** Pairs requests and replies by address, identifier, sequence and the next 16 bytes. */
export function readWireTimes(file: Buffer): WireTimes {
  if (file.readUInt32LE(0) !== NANOSECOND_MAGIC) throw new Error("not a nanosecond pcap file");
  const times = new Map<string, (number | null)[]>();
  const open = new Map<string, { target: string; index: number; stampNs: bigint }>();
  let at = FILE_HEADER_BYTES;
  while (at + RECORD_HEADER_BYTES <= file.length) {
    const stampNs =
      BigInt(file.readUInt32LE(at)) * 1_000_000_000n + BigInt(file.readUInt32LE(at + 4));
    const length = file.readUInt32LE(at + 8);
    const ip = at + RECORD_HEADER_BYTES + ETHERNET_BYTES;
    at += RECORD_HEADER_BYTES + length;
    const icmp = ip + ((file[ip] ?? 0) & 15) * 4;
    const type = file[icmp];
    if (type !== 0 && type !== 8) continue;
    const targetAt = ip + (type === 8 ? 16 : 12);
    const target = file.subarray(targetAt, targetAt + 4).join(".");
    const key = `${target} ${file.toString("latin1", icmp + 4, icmp + 24)}`;
    const list = times.get(target) ?? [];
    times.set(target, list);
    if (type === 8) {
      open.set(key, { target, index: list.length, stampNs });
      list.push(null);
      continue;
    }
    const request = open.get(key);
    if (request !== undefined) list[request.index] = Number(stampNs - request.stampNs) / 1e6;
    open.delete(key);
  }
  return times;
}
