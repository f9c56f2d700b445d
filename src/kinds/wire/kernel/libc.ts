import { dlopen, toArrayBuffer } from "node:ffi";
import { endianness } from "node:os";
import { MAP_PRIVATE_ANONYMOUS, PROT_READ_WRITE } from "./kernel-layout.ts";

const SIGNATURES = {
  socket: { return: "int32", arguments: ["int32", "int32", "int32"] },
  close: { return: "int32", arguments: ["int32"] },
  setsockopt: { return: "int32", arguments: ["int32", "int32", "int32", "pointer", "uint32"] },
  getsockopt: { return: "int32", arguments: ["int32", "int32", "int32", "pointer", "pointer"] },
  bind: { return: "int32", arguments: ["int32", "pointer", "uint32"] },
  connect: { return: "int32", arguments: ["int32", "pointer", "uint32"] },
  getsockname: { return: "int32", arguments: ["int32", "pointer", "pointer"] },
  sendmmsg: { return: "int32", arguments: ["int32", "pointer", "uint32", "int32"] },
  recvmmsg: { return: "int32", arguments: ["int32", "pointer", "uint32", "int32", "pointer"] },
  ppoll: { return: "int32", arguments: ["pointer", "uint64", "pointer", "pointer"] },
  read: { return: "int64", arguments: ["int32", "pointer", "uint64"] },
  eventfd: { return: "int32", arguments: ["uint32", "int32"] },
  clock_gettime: { return: "int32", arguments: ["int32", "pointer"] },
  mmap: {
    return: "pointer",
    arguments: ["pointer", "uint64", "int32", "int32", "int32", "int64"],
  },
  __errno_location: { return: "pointer", arguments: [] },
} as const;

type LibcFunctions = ReturnType<typeof dlopen<typeof SIGNATURES>>["functions"];

export const NULL_POINTER = 0n;
const MMAP_FAILED = 0xffff_ffff_ffff_ffffn;
const ARENA_ALIGNMENT_BYTES = 64;

export interface Libc {
  readonly call: LibcFunctions;
  readonly arena: Arena;
  /** Returns the calling thread's errno, which is valid only directly after the failing call. */
  errno(): number;
}

/**
 * Memory outside the JavaScript heap for all kernel structs. The arena must never move, because the
 * structs contain pointers to each other.
 */
export class Arena {
  readonly address: bigint;
  readonly bytes: Uint8Array;
  readonly words: Uint32Array;
  readonly signedWords: Int32Array;
  readonly halfWords: Uint16Array;
  readonly longs: BigUint64Array;
  #usedBytes = 0;

  constructor(address: bigint, buffer: ArrayBuffer) {
    this.address = address;
    this.bytes = new Uint8Array(buffer);
    this.words = new Uint32Array(buffer);
    this.signedWords = new Int32Array(buffer);
    this.halfWords = new Uint16Array(buffer);
    this.longs = new BigUint64Array(buffer);
  }

  /** Reserves zeroed bytes permanently and returns their offset. */
  take(byteCount: number): number {
    const offset = this.#usedBytes;
    const end = offset + byteCount;
    if (end > this.bytes.length) throw new Error(`The arena is too small for ${end} bytes`);
    this.bytes.fill(0, offset, end);
    this.#usedBytes = Math.ceil(end / ARENA_ALIGNMENT_BYTES) * ARENA_ALIGNMENT_BYTES;
    return offset;
  }

  pointer(offset: number): bigint {
    return this.address + BigInt(offset);
  }
}

/**
 * Binds libc for the calling thread. A worker that replaces a dead worker must pass the dead
 * worker's arena address for reuse, because nothing else releases that memory.
 */
export function openLibc(arenaBytes: number, formerArenaAddress: bigint | null): Libc {
  if (endianness() !== "LE")
    throw new Error("Packet sockets are supported on little-endian systems only");
  const { functions } = dlopen(null, SIGNATURES);
  const errnoView = new Int32Array(toArrayBuffer(functions.__errno_location(), 4, false));
  const address = formerArenaAddress ?? mapMemory(functions, arenaBytes);
  return {
    call: functions,
    arena: new Arena(address, toArrayBuffer(address, arenaBytes, false)),
    errno: () => errnoView[0] ?? 0,
  };
}

function mapMemory(functions: LibcFunctions, byteCount: number): bigint {
  const protection = PROT_READ_WRITE;
  const length = BigInt(byteCount);
  const address = functions.mmap(NULL_POINTER, length, protection, MAP_PRIVATE_ANONYMOUS, -1, 0n);
  if (address === MMAP_FAILED) throw new Error(`mmap of ${byteCount} bytes failed`);
  return address;
}
