import { closeSync, openSync, readSync } from "node:fs";

const magic = "SQLite format 3\0";
/** The version that the header has if the database uses a write-ahead log. */
const writeAheadVersion = 2;

function readHeader(path: string): Buffer {
  const header = Buffer.alloc(100);
  const file = openSync(path, "r");
  try {
    const length = readSync(file, header, 0, header.length, 0);
    return header.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

export const isSqlite = (path: string): boolean =>
  readHeader(path).toString("latin1", 0, magic.length) === magic;

export const isWriteAheadLogged = (path: string): boolean =>
  readHeader(path)[18] === writeAheadVersion;
