import { styleText } from "node:util";
import { type DestinationStream, type Logger, pino } from "pino";

export type Log = Logger;

export const logLevels = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

/**
 * Fields whose values are redacted. This is only a precaution: no log call should contain these
 * fields.
 */
const secretPaths = [
  "authorization",
  "cookie",
  "password",
  "secret",
  "token",
  "apiKey",
  "*.authorization",
  "*.cookie",
  "*.password",
  "*.secret",
  "*.token",
  "*.apiKey",
  "headers.authorization",
  "headers.cookie",
  "*.headers.authorization",
  "*.headers.cookie",
];

export const logFormats = ["auto", "json", "text"] as const;
type LogFormat = (typeof logFormats)[number];

type Fields = Readonly<Record<string, unknown>>;

/**
 * Fields that the message about an HTTP request contains, as in "GET /v1/checks 200 in 5 ms". They
 * are omitted from the list of fields after the message.
 */
const requestFields = ["method", "route", "statusCode", "elapsedMs"];

function formatMessage(fields: Fields): string {
  if (fields.msg !== "request") return String(fields.msg ?? "");
  const { method, route, statusCode, elapsedMs } = fields;
  return `${method} ${route} ${statusCode} in ${Math.round(Number(elapsedMs))} ms`;
}

const levels: Readonly<Record<number, readonly [string, Parameters<typeof styleText>[0]]>> = {
  10: ["TRACE", "gray"],
  20: ["DEBUG", "blue"],
  30: ["INFO", "green"],
  40: ["WARN", "yellow"],
  50: ["ERROR", "red"],
  60: ["FATAL", "bgRed"],
};

/** Formats an error of a record: its stack, which has the message, and then its other fields. */
function formatError({ type: _type, message, stack, ...others }: Fields): string {
  const fields = Object.keys(others).length === 0 ? "" : `\n${JSON.stringify(others)}`;
  return `\n${stack ?? message}${fields}`.replaceAll("\n", "\n    ");
}

function formatRecord(record: Fields, isColored: boolean): string {
  const paint = (style: Parameters<typeof styleText>[0], text: string) =>
    isColored ? styleText(style, text, { validateStream: false }) : text;
  const { level, time, msg: _msg, err, ...rest } = record;
  const [name, style] = levels[Number(level)] ?? [String(level), "gray"];
  const fields = Object.fromEntries(
    Object.entries(rest).filter(([key]) => !requestFields.includes(key)),
  );
  const clock = new Date(Number(time)).toTimeString().slice(0, 8);
  const head = `[${clock}] ${paint(style, name)}: ${paint("cyan", formatMessage(record))}`;
  const shown = Object.keys(fields).length === 0 ? "" : ` ${paint("gray", JSON.stringify(fields))}`;
  const isError = typeof err === "object" && err !== null;
  return `${head}${shown}${isError ? formatError(err as Fields) : ""}\n`;
}

/** Formats each record as one readable line. The stack of an error follows on separate lines. */
export function formatLines(
  destination: Pick<NodeJS.WritableStream, "write"> | 1,
  isColored: boolean,
): DestinationStream {
  const out = destination === 1 ? pino.destination({ dest: 1, sync: true }) : destination;
  return { write: (line) => void out.write(formatRecord(JSON.parse(line), isColored)) };
}

/**
 * Creates a logger. It writes readable lines if the format is `text`, or if it is `auto` and the
 * output is a terminal; otherwise it writes JSON lines.
 */
export function createLog(
  level: LogLevel,
  format: LogFormat = "auto",
  destination?: DestinationStream,
): Log {
  const options = { level, redact: { paths: secretPaths, censor: "[secret]" }, base: null };
  if (destination !== undefined) return pino(options, destination);
  const isTerminal = process.stdout.isTTY === true;
  const isText = format === "auto" ? isTerminal : format === "text";
  return isText ? pino(options, formatLines(1, isTerminal)) : pino(options);
}
