import { readFileSync } from "node:fs";
import {
  heartbeatPayload,
  type KindPayload,
  pingPayload,
  tcpPayload,
  webPayload,
} from "../../../kinds/kit/check-payloads.ts";
import { readCsvLine } from "../../../platform/text/escaping.ts";
import { type ImportFile, type Reading, UnreadableFile } from "../reading.ts";
import { ReadingBuilder, type ReadOptions } from "../reading-builder.ts";
import { assertTextSize, decodeText, requireOneFile } from "./file-text.ts";
import { toFrequency } from "./frequency.ts";
import { trimHost } from "./row.ts";

const maxLines = 20_000;
const defaultPings = 5;

interface Columns {
  readonly target: number;
  readonly name: number | null;
  readonly interval: number | null;
  readonly tags: number | null;
}

const columnNames = {
  target: ["target", "url", "host", "hostname", "address", "ip"],
  name: ["name", "label", "title"],
  interval: ["interval", "interval_seconds", "frequency"],
  tags: ["tags", "tag", "labels"],
} as const;

/** Finds the columns in a header line. Returns `null` if the line is not a header. */
function readHeader(cells: readonly string[]): Columns | null {
  const lower = cells.map((cell) => cell.toLowerCase());
  const find = (names: readonly string[]) => lower.findIndex((cell) => names.includes(cell));
  const orNull = (index: number) => (index < 0 ? null : index);
  const target = find(columnNames.target);
  if (target < 0) return null;
  return {
    target,
    name: orNull(find(columnNames.name)),
    interval: orNull(find(columnNames.interval)),
    tags: orNull(find(columnNames.tags)),
  };
}

/** Columns of a file without a header: first the target, then its name. */
const plainColumns: Columns = { target: 0, name: 1, interval: null, tags: null };

const schemes: Readonly<Record<string, (url: URL) => KindPayload | null>> = {
  "http:": ({ href }) => webPayload({ url: href }),
  "https:": ({ href }) => webPayload({ url: href }),
  "icmp:": ({ hostname }) => pingPayload({ host: trimHost(hostname), pings: defaultPings }),
  "ping:": ({ hostname }) => pingPayload({ host: trimHost(hostname), pings: defaultPings }),
  "tcp:": ({ hostname, port }) =>
    port === "" ? null : tcpPayload({ host: trimHost(hostname), port: Number(port) }),
  "heartbeat:": () => heartbeatPayload({ periodSeconds: 86_400, graceSeconds: 3_600 }),
};

/** Chooses the check kind by the target: a URL, a host with a port, or a host to ping. */
function toPayload(target: string): KindPayload | null {
  if (target.includes("://")) {
    const url = URL.parse(target);
    const build = url === null ? undefined : schemes[url.protocol];
    return url === null || build === undefined ? null : build(url);
  }
  const [, host, port] = /^(?:\[([^\]]+)\]|[^:\s]+):(\d{1,5})$/.exec(target) ?? [];
  if (port !== undefined) {
    return tcpPayload({
      host: host ?? target.slice(0, target.lastIndexOf(":")),
      port: Number(port),
    });
  }
  return pingPayload({ host: target, pings: defaultPings });
}

/** Returns an origin that identifies the target when the list is imported again. */
function toOrigin(target: string): string {
  return `hosts/${target
    .toLowerCase()
    .replaceAll(/[^a-z0-9_.]+/g, "-")
    .slice(0, 200)}`;
}

function addLine(builder: ReadingBuilder, cells: readonly string[], columns: Columns): void {
  const cell = (index: number | null) => (index === null ? "" : (cells[index] ?? "").trim());
  const target = cell(columns.target);
  if (target === "") return;
  const origin = { origin: toOrigin(target), name: cell(columns.name) || target };
  const payload = toPayload(target);
  if (payload === null) {
    builder.leaveOut(origin, "It is not a URL, a host with a port, or a host.");
    return;
  }
  const seconds = Number(cell(columns.interval));
  const tags = cell(columns.tags).split(/[|\s]+/);
  builder.addCheck(origin, payload, {
    tags: [...new Set(tags.filter((tag) => tag !== ""))],
    ...(seconds > 0 && toFrequency(builder, origin, seconds)),
  });
}

/** Reads a list of hosts and URLs, one per line, or a CSV file with a header. */
export function readHosts(files: readonly ImportFile[], options: ReadOptions): Reading {
  const file = requireOneFile(files);
  assertTextSize(file);
  const lines = decodeText(readFileSync(file.path))
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "" && !line.trimStart().startsWith("#"));
  if (lines.length === 0) throw new UnreadableFile("The file contains no hosts.");
  if (lines.length > maxLines) {
    throw new UnreadableFile(`The file has more than ${maxLines} lines.`);
  }
  const header = readHeader(readCsvLine(lines[0] ?? ""));
  const builder = new ReadingBuilder(options);
  for (const line of header === null ? lines : lines.slice(1)) {
    addLine(builder, readCsvLine(line), header ?? plainColumns);
  }
  return builder.finish();
}
