import { readFileSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

/** Databases that SQLite can open, but that no program would write like this. */

const pageBytes = 512;
const levels = 10;
const cellsPerPage = 70;
const firstPageHeaderBytes = 12;

/** Builds an inner page of a table whose children are all the page `child`. */
function buildRepeatingPage(child: number): Buffer {
  const page = Buffer.alloc(pageBytes);
  const cellBytes = 5;
  const contentStart = pageBytes - cellsPerPage * cellBytes;
  page.writeUInt8(0x05, 0);
  page.writeUInt16BE(cellsPerPage, 3);
  page.writeUInt16BE(contentStart, 5);
  page.writeUInt32BE(child, 8);
  for (let index = 0; index < cellsPerPage; index += 1) {
    const at = contentStart + index * cellBytes;
    page.writeUInt16BE(at, firstPageHeaderBytes + index * 2);
    page.writeUInt32BE(child, at);
    page.writeUInt8(index + 1, at + 4);
  }
  return page;
}

/**
 * Writes a small database whose table `heartbeat` has one row. Its pages refer to each other so
 * often that reading the table returns the row 71^10 times.
 */
export function writeRepeatingDatabase(path: string): void {
  const db = new DatabaseSync(path);
  const sql = `pragma page_size = ${pageBytes};
    create table monitor (id integer primary key, name text, type text);
    create table heartbeat (id integer primary key, monitor_id, status, important, time, ping);
    insert into heartbeat values (1, 1, 1, 1, '2026-11-10 09:00:00', 20)`;
  db.exec(sql);
  const found = db.prepare("select rootpage from sqlite_schema where name = 'heartbeat'").get();
  db.close();
  const bytes = readFileSync(path);
  const root = Number(found?.rootpage);
  const start = (root - 1) * pageBytes;
  const pages: Buffer[] = [bytes, bytes.subarray(start, start + pageBytes)];
  const count = bytes.length / pageBytes;
  // The leaf page moves to the end. Each further inner page has only the previous page as its
  // children.
  for (let level = 1; level < levels; level += 1) pages.push(buildRepeatingPage(count + level));
  const whole = Buffer.concat(pages);
  buildRepeatingPage(count + levels).copy(whole, start);
  whole.writeUInt32BE(whole.length / pageBytes, 28);
  writeFileSync(path, whole);
}

/**
 * Writes a small database whose rows have generated values of many megabytes, which are not stored
 * in the file.
 */
export function writeInflatingDatabase(path: string, valueBytes: number): void {
  const db = new DatabaseSync(path);
  const sql = `create table heartbeat (id integer primary key, monitor_id, status, important, time, ping);
    create table monitor (id integer primary key, name text, type text,
      large generated always as (zeroblob(${valueBytes})) virtual);
    insert into monitor
      with recursive n(x) as (select 1 union all select x + 1 from n where x < 1000)
      select x, 'Shop', 'ping' from n`;
  db.exec(sql);
  db.close();
}
