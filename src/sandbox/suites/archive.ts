import { dirname, join, normalize } from "node:path/posix";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { readCode } from "../../platform/errors.ts";
import { findPathFault } from "../files.ts";

/** Code of a project. Paths are unique and relative, use slashes and contain no "..". */
export interface Archive {
  readonly files: readonly ArchiveFile[];
  /** Symbolic links to other entries. No path of an entry leads through a link. */
  readonly links: readonly { readonly path: string; readonly target: string }[];
}

export interface ArchiveFile {
  readonly path: string;
  readonly content: Buffer;
  readonly isExecutable: boolean;
}

export const maxUnpackedBytes = 64 * 2 ** 20;
const maxEntries = 10_000;
const maxPathLength = 1_000;
/** Maximum size of the tar archive: the files with the headers and padding of all entries. */
const maxTarBytes = maxUnpackedBytes + maxEntries * 2_048;

const blockBytes = 512;

/**
 * Error for an invalid archive. The message is a clause without a subject, such as "has an invalid
 * path".
 */
class ArchiveFault extends Error {}

const expand = promisify(gunzip);

/**
 * Reads a compressed tar archive from an untrusted source. Limits apply to the size, the entries
 * and the paths. If the archive is invalid, returns a clause such as "has more than 10000 entries".
 */
export async function readArchive(bytes: Buffer): Promise<Archive | { readonly fault: string }> {
  try {
    return arrange(listEntries(await decompress(bytes)));
  } catch (error) {
    if (error instanceof ArchiveFault) return { fault: error.message };
    throw error;
  }
}

async function decompress(bytes: Buffer): Promise<Buffer> {
  try {
    return await expand(bytes, { maxOutputLength: maxTarBytes });
  } catch (error) {
    if (readCode(error) === "ERR_BUFFER_TOO_LARGE") {
      throw new ArchiveFault(`is larger than ${maxUnpackedBytes / 2 ** 20} MiB when unpacked`);
    }
    throw new ArchiveFault("is not a gzip-compressed tar archive");
  }
}

interface Entry {
  readonly path: string;
  readonly kind: "file" | "folder" | "link";
  readonly content: Buffer;
  readonly target: string;
  readonly isExecutable: boolean;
}

/** Path or target of the next entry, if the value is too long for the header of that entry. */
interface Extension {
  readonly path?: string;
  readonly target?: string;
}

const entryKinds: Readonly<Record<string, Entry["kind"]>> = {
  "0": "file",
  "\0": "file",
  "7": "file",
  "2": "link",
  "5": "folder",
};

function listEntries(tar: Buffer): Entry[] {
  const entries: Entry[] = [];
  let extension: Extension = {};
  for (let at = 0; at + blockBytes <= tar.length; ) {
    const header = tar.subarray(at, at + blockBytes);
    if (header.every((byte) => byte === 0)) return entries;
    const { type, size } = readHeader(header);
    const content = tar.subarray(at + blockBytes, at + blockBytes + size);
    if (content.length < size) throw new ArchiveFault("is incomplete");
    at += blockBytes + Math.ceil(size / blockBytes) * blockBytes;
    const added = readExtension(type, content);
    if (added !== null) {
      extension = { ...extension, ...added };
      continue;
    }
    entries.push(readEntry(header, type, { content, extension }));
    extension = {};
    if (entries.length > maxEntries) throw new ArchiveFault(`has more than ${maxEntries} entries`);
  }
  if (entries.length === 0) throw new ArchiveFault("is not a gzip-compressed tar archive");
  return entries;
}

function readHeader(header: Buffer): { readonly type: string; readonly size: number } {
  const written = readOctal(header, 148, 8);
  const sum = header.reduce(
    (total, byte, place) => total + (place >= 148 && place < 156 ? 32 : byte),
    0,
  );
  if (written !== sum) throw new ArchiveFault("is not a gzip-compressed tar archive");
  return { type: String.fromCharCode(header[156] ?? 0), size: readOctal(header, 124, 12) };
}

function readOctal(header: Buffer, from: number, length: number): number {
  const text = readText(header, from, length).trim();
  if (!/^[0-7]*$/.test(text)) throw new ArchiveFault("has an entry with an invalid header");
  return Number.parseInt(text || "0", 8);
}

function readText(bytes: Buffer, from: number, length: number): string {
  const field = bytes.subarray(from, from + length);
  const end = field.indexOf(0);
  return field.subarray(0, end < 0 ? length : end).toString("utf8");
}

/** Reads an extension entry; `null` for an ordinary entry. */
function readExtension(type: string, content: Buffer): Extension | null {
  switch (type) {
    case "L":
      return { path: readText(content, 0, content.length) };
    case "K":
      return { target: readText(content, 0, content.length) };
    case "x":
      return readRecords(content);
    // Ignores global records, which apply to all entries and contain no paths.
    case "g":
      return {};
    default:
      return null;
  }
}

/** Reads the records of an extended header. The format of each record is "length key=value\n". */
function readRecords(content: Buffer): Extension {
  const found: { path?: string; target?: string } = {};
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(32, at);
    const length = Number(content.subarray(at, Math.max(space, at)).toString());
    const isValid = space > at && Number.isInteger(length) && length > space - at + 1;
    if (!isValid) throw new ArchiveFault("has an entry with an invalid header");
    const record = content.subarray(space + 1, at + length - 1).toString("utf8");
    const [key, ...rest] = record.split("=");
    if (key === "path") found.path = rest.join("=");
    if (key === "linkpath") found.target = rest.join("=");
    // Entries whose size does not fit into their header need a "size" record. Such a size exceeds
    // the limit of an archive, so the entry is rejected. For other entries, the size in the header
    // is used and the record is ignored.
    if (key === "size" && Number(rest[0]) > maxUnpackedBytes) {
      throw new ArchiveFault("has an entry with an invalid header");
    }
    at += length;
  }
  return found;
}

function readEntry(
  header: Buffer,
  type: string,
  { content, extension }: { readonly content: Buffer; readonly extension: Extension },
): Entry {
  const name = readText(header, 0, 100);
  const prefix = readText(header, 257, 5) === "ustar" ? readText(header, 345, 155) : "";
  const written = extension.path ?? (prefix === "" ? name : `${prefix}/${name}`);
  const kind = entryKinds[type];
  if (kind === undefined) {
    throw new ArchiveFault(
      `has an entry that is no file, folder or symbolic link: ${show(written)}`,
    );
  }
  const path = written.replace(/^(?:\.\/+)+/, "").replace(/\/+$/, "");
  return {
    path: path === "." ? "" : path,
    kind: kind === "file" && written.endsWith("/") ? "folder" : kind,
    content: kind === "file" ? content : Buffer.alloc(0),
    target: extension.target ?? readText(header, 157, 100),
    isExecutable: (readOctal(header, 100, 8) & 0o100) !== 0,
  };
}

const show = (path: string) => JSON.stringify(path.slice(0, 200));

/** Sorts entries into files and links. Rejects duplicates, and paths below a file or a link. */
function arrange(entries: readonly Entry[]): Archive {
  const own = entries.filter(({ path }) => path !== "");
  for (const { path } of own) {
    const rule = path.length > maxPathLength ? "is too long" : findPathFault(path);
    if (rule !== null) throw new ArchiveFault(`has an invalid path: ${show(path)} ${rule}`);
  }
  const placed = own.filter(({ kind }) => kind !== "folder");
  const taken = new Set<string>();
  for (const { path } of placed) {
    if (taken.has(path)) throw new ArchiveFault(`has two entries for ${show(path)}`);
    taken.add(path);
  }
  // Rejects a path below a file or a link, because a link would redirect the path to another
  // folder.
  for (const { path, kind } of own) {
    const isTaken = kind === "folder" && taken.has(path);
    if (isTaken || listParents(path).some((parent) => taken.has(parent))) {
      throw new ArchiveFault(`has an entry below another one that is no folder: ${show(path)}`);
    }
  }
  const links = placed.flatMap(({ kind, path, target }) =>
    kind === "link" ? [{ path, target }] : [],
  );
  for (const link of links) checkLink(link, new Set(links.map(({ path }) => path)));
  const files = placed.flatMap(({ kind, path, content, isExecutable }) =>
    kind === "file" ? [{ path, content, isExecutable }] : [],
  );
  const bytes = files.reduce((sum, { content }) => sum + content.length, 0);
  if (bytes > maxUnpackedBytes) {
    throw new ArchiveFault(`is larger than ${maxUnpackedBytes / 2 ** 20} MiB when unpacked`);
  }
  return { files, links };
}

/** Lists the parents of a path: "a" and "a/b" for "a/b/c". */
function listParents(path: string): string[] {
  const parents: string[] = [];
  for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) {
    parents.push(path.slice(0, at));
  }
  return parents;
}

/** Checks that a link leads to a path inside the archive, without passing through other links. */
function checkLink(
  { path, target }: { readonly path: string; readonly target: string },
  links: ReadonlySet<string>,
): void {
  const place = normalize(join(dirname(path), target)).replace(/\/$/, "");
  const isInside = target !== "" && !target.startsWith("/") && findPathFault(place) === null;
  const isIndirect = [place, ...listParents(place)].some((one) => links.has(one));
  if (!isInside || isIndirect) {
    throw new ArchiveFault(`has a link that leads out of it or to another link: ${show(path)}`);
  }
}
