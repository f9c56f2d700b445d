/** Writes files as a POSIX (ustar) archive. */
const blockBytes = 512;

function writeHeader(name: string, bytes: number, at: Date): Buffer {
  const header = Buffer.alloc(blockBytes);
  const octal = (value: number, length: number) => value.toString(8).padStart(length, "0");
  header.write(name, 0, 100, "utf8");
  header.write(`${octal(0o644, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0`, 100, "latin1");
  header.write(`${octal(bytes, 11)}\0`, 124, "latin1");
  header.write(`${octal(Math.floor(at.getTime() / 1_000), 11)}\0`, 136, "latin1");
  // The checksum is computed with its own field as spaces.
  header.write("        0", 148, "latin1");
  header.write("ustar\x0000", 257, "latin1");
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)}\0 `, 148, "latin1");
  return header;
}

/** Names may have at most 100 bytes. */
export function writeTarArchive(
  files: ReadonlyMap<string, string | Buffer>,
  at: Date,
): Buffer<ArrayBuffer> {
  const parts: Buffer[] = [];
  for (const [name, content] of files) {
    if (Buffer.byteLength(name) > 100) throw new Error(`the name ${name} is too long for tar`);
    const body = typeof content === "string" ? Buffer.from(content) : content;
    const padding = Buffer.alloc((blockBytes - (body.length % blockBytes)) % blockBytes);
    parts.push(writeHeader(name, body.length, at), body, padding);
  }
  return Buffer.concat([...parts, Buffer.alloc(2 * blockBytes)]);
}
