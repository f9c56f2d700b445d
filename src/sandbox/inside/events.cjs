// Writes events for the runner as lines of JSON. Runs inside a sandbox with the Node.js version of
// the runtime, so this file is plain JavaScript. The runner does not trust the events: see
// collect-events.ts.
"use strict";
const { readdirSync, readFileSync, statSync, writeSync } = require("node:fs");
const { basename, join } = require("node:path");

const descriptor = 3;
/**
 * File to which Playwright's worker processes, which run the tests, write events about pages. The
 * workers do not inherit the file descriptor for events, so the reporter later sends the content of
 * this file.
 */
exports.pagesFile = `${process.env.VEDETTE_ROOT}/tmp/vedette-pages`;

/** Writes text to the events descriptor. Retries while the pipe is full. */
function writeAll(text) {
  let bytes = Buffer.from(text);
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(descriptor, bytes));
    } catch (error) {
      if (error.code !== "EAGAIN") return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

const cut = (text, length) => String(text).slice(0, length);
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colours start with Escape.
const colours = /\u001b\[[0-9;]*m/g;
const withoutColours = (text) => String(text).replace(colours, "");

exports.writeLine = (line) => writeAll(`${line}\n`);
exports.writeEvent = (event) => exports.writeLine(JSON.stringify(event));
exports.writeLog = (level, text) => {
  const shown = withoutColours(cut(text, 20_000)).replace(/\n$/, "");
  exports.writeEvent({ kind: "log", level, text: shown, at: Date.now() });
};

/**
 * Folder of the script. `VEDETTE_ROOT` is the prefix of all paths in the sandbox. The prefix is
 * empty if the sandbox has its own root folder.
 */
const folder = `${process.env.VEDETTE_ROOT}/script/`;
exports.folder = folder;

const maxFiles = 50;
const maxFilesBytes = 20 * 2 ** 20;
/** Maximum size of one part of a file. As base64, a part fits into the longest accepted line. */
const partBytes = 45_000;
let files = 0;
let filesBytes = 0;

/** Sends a file in several events, because the length of an event is limited. */
exports.writeAsset = (type, name, bytes) => {
  files += 1;
  filesBytes += bytes.length;
  if (files > maxFiles || filesBytes > maxFilesBytes) return exports.writeEvent({ kind: "cut" });
  for (let from = 0; from < bytes.length; from += partBytes) {
    const part = bytes.subarray(from, from + partBytes).toString("base64");
    const isLast = from + partBytes >= bytes.length;
    exports.writeEvent({ kind: "asset", id: files, type, name: cut(name, 200), part, isLast });
  }
};

const types = { png: "screenshot", jpg: "screenshot", jpeg: "screenshot", webm: "video" };
const typeOf = (path) => types[path.split(".").pop().toLowerCase()] ?? "file";

exports.writeFileAsset = (path, type = typeOf(path)) => {
  try {
    const { size } = statSync(path);
    const bytes = size > maxFilesBytes ? { length: size } : readFileSync(path);
    exports.writeAsset(type, basename(path), bytes);
  } catch {
    // The script has deleted the file.
  }
};

/**
 * Lists the files of the script. Ignores hidden files and folders, whose names start with a dot,
 * because programs store internal files there.
 */
const listFiles = () =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .filter((path) => !path.slice(folder.length - 1).includes("/."));

/**
 * Remembers the current files. Returns a function that sends the files that the script has created
 * since then.
 */
exports.watchFiles = () => {
  const before = new Set(listFiles());
  return () => {
    for (const path of listFiles()) if (!before.has(path)) exports.writeFileAsset(path);
  };
};

/**
 * Finds the position in the user's files at which an error was thrown. The fields are `null` if the
 * stack contains no such position.
 */
function findPlace(stack) {
  for (const line of String(stack).split("\n").slice(0, 50)) {
    const start = line.indexOf(folder);
    const match = start < 0 ? null : /^([^\s():]+):(\d+)(?::(\d+))?/.exec(line.slice(start + folder.length));
    if (match && !match[1].includes("node_modules")) {
      return { file: match[1], line: Number(match[2]), column: Number(match[3] ?? 1) };
    }
  }
  return { file: null, line: null, column: null };
}

exports.toErrorEvent = (error) => {
  const isError = error !== null && typeof error === "object";
  const message = withoutColours((isError && error.message) || String(isError ? "Error" : error));
  const stack = isError && error.stack ? withoutColours(error.stack) : null;
  const place = error?.location
    ? {
        file: String(error.location.file).replace(folder, ""),
        line: error.location.line,
        column: error.location.column,
      }
    : findPlace(stack ?? message);
  return { kind: "error", message: cut(message, 4_000), stack: stack && cut(stack, 4_000), ...place };
};
