import { createRequire } from "node:module";
import { type DestinationStream, type Logger, pino } from "pino";

const require = createRequire(import.meta.url);

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

/**
 * Formats each record as one readable line. The stack of an error follows on separate lines. Loads
 * its library when it is called, because a server in a container writes JSON.
 */
export function formatLines(destination: NodeJS.WritableStream | 1, isColored: boolean) {
  const pretty: typeof import("pino-pretty") = require("pino-pretty");
  return pretty({
    sync: true,
    destination,
    colorize: isColored,
    singleLine: true,
    translateTime: "SYS:HH:MM:ss",
    ignore: ["pid", "hostname", ...requestFields].join(","),
    messageFormat: formatMessage,
  });
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
