import {
  CMSGHDR,
  EXTENDED_ERROR,
  IP_RECVERR,
  IP_TTL,
  IPPROTO_IP,
  IPPROTO_IPV6,
  IPV6_HOPLIMIT,
  IPV6_RECVERR,
  SO_TIMESTAMPING,
  SOL_SOCKET,
} from "./kernel-layout.ts";
import { UNKNOWN_TTL } from "./packet.ts";

/** The packet has no kernel timestamp. */
export const NO_STAMP = -1;

/**
 * Reads the control messages of one received packet into its own fields. Timestamps are nanoseconds
 * since `baseSeconds`, because nanoseconds since 1970 do not fit in a double.
 */
export class ControlReader {
  stampNs = NO_STAMP;
  ttl = UNKNOWN_TTL;
  errorOrigin = 0;
  errno = 0;
  errorType = 0;
  errorCode = 0;
  readonly #baseSeconds: number;

  constructor(baseSeconds: number) {
    this.#baseSeconds = baseSeconds;
  }

  /** `start` must be a multiple of 8, the kernel's alignment. */
  read(words: Uint32Array, start: number, byteCount: number): void {
    this.stampNs = NO_STAMP;
    this.ttl = UNKNOWN_TTL;
    this.errorOrigin = 0;
    const end = start + byteCount;
    let offset = start;
    while (offset + CMSGHDR.data <= end) {
      const length = words[offset >>> 2] ?? 0;
      if (length < CMSGHDR.data || offset + length > end) return;
      this.#readOne(words, offset >>> 2, length - CMSGHDR.data);
      offset += (length + CMSGHDR.alignment - 1) & -CMSGHDR.alignment;
    }
  }

  #readOne(words: Uint32Array, header: number, dataBytes: number): void {
    const level = words[header + CMSGHDR.level / 4];
    const type = words[header + CMSGHDR.type / 4];
    const data = header + CMSGHDR.data / 4;
    if (level === SOL_SOCKET && type === SO_TIMESTAMPING && dataBytes >= 16) {
      const seconds = words[data] ?? 0;
      // All zeros means that only a hardware timestamp was taken, which this engine does not
      // request.
      if (seconds !== 0) {
        this.stampNs = (seconds - this.#baseSeconds) * 1e9 + (words[data + 2] ?? 0);
      }
    } else if (isTtl(level, type) && dataBytes >= 4) {
      this.ttl = words[data] ?? UNKNOWN_TTL;
    } else if (isExtendedError(level, type) && dataBytes >= EXTENDED_ERROR.size) {
      const packed = words[data + EXTENDED_ERROR.origin / 4] ?? 0;
      this.errno = words[data] ?? 0;
      this.errorOrigin = packed & 0xff;
      this.errorType = (packed >>> 8) & 0xff;
      this.errorCode = (packed >>> 16) & 0xff;
    }
  }
}

function isTtl(level: number | undefined, type: number | undefined): boolean {
  return (
    (level === IPPROTO_IP && type === IP_TTL) || (level === IPPROTO_IPV6 && type === IPV6_HOPLIMIT)
  );
}

function isExtendedError(level: number | undefined, type: number | undefined): boolean {
  return (
    (level === IPPROTO_IP && type === IP_RECVERR) ||
    (level === IPPROTO_IPV6 && type === IPV6_RECVERR)
  );
}
