// Uses up memory that belongs to the kernel rather than to a process, in the way of the argument,
// up to 2 GB.
const { dlopen, getRawPointer } = require("node:ffi");

const { functions: libc } = dlopen(null, {
  socketpair: { return: "int32", arguments: ["int32", "int32", "int32", "pointer"] },
  setsockopt: { return: "int32", arguments: ["int32", "int32", "int32", "pointer", "int32"] },
  fcntl: { return: "int32", arguments: ["int32", "int32", "int32"] },
  pipe: { return: "int32", arguments: ["pointer"] },
  write: { return: "int64", arguments: ["int32", "pointer", "uint64"] },
  mmap: {
    return: "uint64",
    arguments: ["uint64", "uint64", "int32", "int32", "int32", "int64"],
  },
  madvise: { return: "int32", arguments: ["uint64", "uint64", "int32"] },
});
const pair = Buffer.alloc(8);
const bytes = Buffer.alloc(65_536, 1);
const size = Buffer.from(Int32Array.of(4_194_304).buffer);
const nonBlocking = 2_048;

/** Writes to a descriptor until it accepts nothing. */
function fill(descriptor) {
  libc.fcntl(descriptor, 4, nonBlocking);
  let sum = 0;
  for (let count = 1; count > 0; sum += Math.max(count, 0)) {
    count = Number(libc.write(descriptor, getRawPointer(bytes), BigInt(bytes.length)));
  }
  return sum;
}

const ways = {
  sockets: () => {
    for (let sum = 0; sum < 5e8 && libc.socketpair(1, 1, 0, getRawPointer(pair)) === 0; ) {
      for (const descriptor of [pair.readInt32LE(0), pair.readInt32LE(4)]) {
        libc.setsockopt(descriptor, 1, 7, getRawPointer(size), 4);
        sum += fill(descriptor);
      }
    }
  },
  pipes: () => {
    while (libc.pipe(getRawPointer(pair)) === 0) fill(pair.readInt32LE(4));
  },
  "shared memory": () => {
    const length = 2_000_000_000;
    const populate = 0x8000;
    libc.mmap(0n, BigInt(length), 3, 1 | 0x20 | populate, -1, 0n);
  },
  "tables of pages": () => {
    // Reads one page of every 2 MiB. The page is the shared page of zeros, and each table is 4 KiB.
    const length = 2n ** 39n;
    const start = libc.mmap(0n, length, 1, 2 | 0x20 | 0x4000, -1, 0n);
    const withoutHugePages = 15;
    const populateRead = 22;
    libc.madvise(start, length, withoutHugePages);
    for (let at = 0n; at < length; at += 2n ** 21n) {
      libc.madvise(start + at + 4_096n, 4_096n, populateRead);
    }
  },
};

ways[process.argv[2]]();
setTimeout(() => {}, 60_000);
