import { type DestinationStream, type Logger, pino } from "pino";
import pretty from "pino-pretty";

export type Log = Logger;

export const logLevels = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

/** A backstop: no log call hands these over, and if one ever does they are cut out. */
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

/** JSON lines for machines; on a terminal the same lines are written for people. */
export function createLog(level: LogLevel, destination?: DestinationStream): Log {
  const options = { level, redact: { paths: secretPaths, censor: "[secret]" }, base: null };
  if (destination !== undefined) return pino(options, destination);
  if (process.stdout.isTTY) return pino(options, pretty({ sync: true, ignore: "pid,hostname" }));
  return pino(options);
}
