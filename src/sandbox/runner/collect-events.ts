import { StringDecoder } from "node:string_decoder";
import type { OnStep } from "../../contract/result.ts";
import {
  type AssetType,
  assetTypes,
  decideContentType,
  maxRunAssetBytes,
  maxRunAssets,
  type RunAsset,
  toSafeName,
} from "../../contract/run-asset.ts";
import type { SandboxStream } from "../isolation/sandbox.ts";
import {
  type LogLevel,
  logLevels,
  type ScriptError,
  type ScriptLog,
  type ScriptPage,
  type ScriptStep,
  type StepCategory,
  scriptLimits,
  stepCategories,
} from "../script-run.ts";

/**
 * Maximum size of a script's output, without the files that it sends. A script that exceeds the
 * limit is stopped.
 */
const maxOutputBytes = 8 * 2 ** 20;
/** Maximum length of an event or a line of output. Longer lines are truncated. */
const maxLineBytes = 128 * 1_024;

export interface CollectedEvents {
  readonly steps: readonly ScriptStep[];
  readonly errors: readonly ScriptError[];
  readonly logs: readonly ScriptLog[];
  readonly pages: readonly ScriptPage[];
  readonly assets: readonly RunAsset[];
  /** Whether events, output or files are missing because a limit was reached. */
  readonly isCut: boolean;
  /** Final status that the test runner reported; `null` if there is no such report. */
  readonly status: string | null;
  /** JSON that a hook sent back; empty if no values were sent. */
  readonly values: string;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Collects the output and events of a script. The script may forge any event, so the collector
 * ignores invalid events and truncates data to the limits of a measurement.
 */
export class EventCollector {
  readonly #startedAtMs: number;
  readonly #onStep: OnStep | undefined;
  /** Reported steps. `group` keeps the steps of one test together even if tests run in parallel. */
  readonly #steps: { readonly step: ScriptStep; readonly group: number }[] = [];
  readonly #errors: ScriptError[] = [];
  readonly #logs: ScriptLog[] = [];
  readonly #pages: ScriptPage[] = [];
  readonly #files = new FileCollector();
  readonly #rest: Record<SandboxStream, string> = { output: "", error: "", events: "" };
  /** One decoder per stream. A decoder keeps state, because a chunk may end within a character. */
  readonly #decoders: Readonly<Record<SandboxStream, StringDecoder>> = {
    output: new StringDecoder(),
    error: new StringDecoder(),
    events: new StringDecoder(),
  };
  #logsLength = 0;
  #byteCount = 0;
  #isCut = false;
  #status: string | null = null;
  #values = "";

  constructor(startedAtMs: number, onStep?: OnStep) {
    this.#startedAtMs = startedAtMs;
    this.#onStep = onStep;
  }

  /** Returns false if the script has exceeded its output limit. */
  add(stream: SandboxStream, bytes: Buffer): boolean {
    this.#byteCount += bytes.length;
    if (this.#byteCount - this.#files.partsLength > maxOutputBytes) {
      this.#isCut = true;
      return false;
    }
    const text = this.#decoders[stream].write(bytes);
    const lines = `${this.#rest[stream]}${text}`.split("\n");
    this.#rest[stream] = (lines.pop() ?? "").slice(0, maxLineBytes);
    if (lines.length > 0) this.#takeLines(stream, lines);
    return true;
  }

  finish(): CollectedEvents {
    for (const stream of ["output", "error", "events"] as const) {
      const last = `${this.#rest[stream]}${this.#decoders[stream].end()}`;
      if (last !== "") this.#takeLines(stream, [last]);
      this.#rest[stream] = "";
    }
    // Sorts the steps by start. They arrive in another order, because a step is reported when it
    // ends, which is after its inner steps.
    const steps = this.#steps
      .toSorted(
        (a, b) =>
          a.group - b.group || a.step.startMs - b.step.startMs || a.step.depth - b.step.depth,
      )
      .map(({ step }) => step);
    const pages = this.#pages.toSorted((a, b) => a.startMs - b.startMs);
    return {
      ...{ steps, pages, errors: this.#errors, logs: this.#logs, status: this.#status },
      values: this.#values,
      assets: this.#files.list(),
      isCut: this.#isCut || this.#files.isCut,
    };
  }

  /**
   * Handles the complete lines of a chunk. Each event is handled separately, and all lines of
   * output become one log entry.
   */
  #takeLines(stream: SandboxStream, lines: readonly string[]): void {
    if (stream === "events") for (const line of lines) this.#takeEvent(line);
    else this.#takeLog(stream === "error" ? "error" : "info", lines.join("\n"), Date.now());
  }

  #takeEvent(line: string): void {
    const event = parseObject(line);
    switch (event?.kind) {
      case "step":
        this.#takeStep(event);
        return;
      case "error":
        this.#takeError(event);
        return;
      case "log": {
        const level = logLevels.find((one) => one === event.level) ?? "info";
        this.#takeLog(level, readText(event.text, maxLineBytes) ?? "", event.at);
        return;
      }
      case "page":
        this.#takePage(event);
        return;
      case "asset":
        this.#files.take(event);
        return;
      case "cut":
        this.#isCut = true;
        return;
      case "end":
        this.#status = readText(event.status, 20);
        return;
      case "values":
        if (typeof event.part !== "string") return;
        this.#values = `${this.#values}${event.part}`.slice(0, scriptLimits.valuesLength);
    }
  }

  #takePage(event: Fields): void {
    const page = readPage(event, this.#sinceStart(event.startedAt));
    if (page === null) return;
    if (this.#pages.length < scriptLimits.pages) this.#pages.push(page);
    else this.#isCut = true;
  }

  #takeStep(event: Fields): void {
    const category = stepCategories.find((one) => one === event.category);
    const title = readText(event.title, scriptLimits.titleLength);
    if (category === undefined || title === null) return;
    if (this.#steps.length >= scriptLimits.steps) {
      this.#isCut = true;
      // The list of steps is full. A test matters more than other steps, so a new test replaces the
      // last step that is not a test.
      const least = this.#steps.findLastIndex(({ step }) => step.category !== "test");
      if (category !== "test" || least < 0) return;
      this.#steps.splice(least, 1);
    }
    const depth = Math.min(Math.trunc(readNumber(event.depth)), scriptLimits.depth);
    const step = {
      title,
      category: category as StepCategory,
      depth,
      startMs: this.#sinceStart(event.startedAt),
      durationMs: readNumber(event.durationMs),
      error: readText(event.error, scriptLimits.stepErrorLength),
    };
    this.#steps.push({ step, group: readNumber(event.group) });
    const { durationMs, error } = step;
    this.#onStep?.({ step: "step", title, category, depth, durationMs, error });
  }

  #takeError(event: Fields): void {
    const message = readText(event.message, scriptLimits.errorLength);
    if (message === null) return;
    if (this.#errors.length >= scriptLimits.errors) {
      this.#isCut = true;
      return;
    }
    this.#errors.push({
      message,
      stack: readText(event.stack, scriptLimits.stackLength),
      file: readText(event.file, scriptLimits.pathLength),
      line: readPlace(event.line),
      column: readPlace(event.column),
    });
  }

  #takeLog(level: LogLevel, whole: string, at: unknown): void {
    const left = scriptLimits.logsLength - this.#logsLength;
    const own = toPlainText(whole).replace(proxyWarning, "");
    if (own.trim() === "" && whole.trim() !== "") return;
    const text = own.slice(0, Math.min(left, scriptLimits.logLength));
    if (this.#logs.length >= scriptLimits.logs || left <= 0) {
      this.#isCut = true;
      return;
    }
    this.#logsLength += text.length;
    this.#logs.push({ atMs: this.#sinceStart(at), level, text });
    this.#onStep?.({ step: "log", level, text: text.slice(0, 2_000) });
  }

  #sinceStart(epochMs: unknown): number {
    return Math.max(0, readNumber(epochMs) - this.#startedAtMs);
  }
}

interface OpenFile {
  readonly id: unknown;
  readonly type: AssetType;
  readonly name: string;
  readonly parts: Buffer[];
}

/** Joins the parts of each file. A script sends its files one after the other. */
class FileCollector {
  readonly #assets: RunAsset[] = [];
  readonly #names = new Set<string>();
  #open: OpenFile | null = null;
  #byteCount = 0;
  #partsLength = 0;
  #isCut = false;

  /** Total length of all accepted parts of files. These parts do not count as output. */
  get partsLength(): number {
    return this.#partsLength;
  }

  get isCut(): boolean {
    return this.#isCut;
  }

  list(): readonly RunAsset[] {
    return this.#assets;
  }

  take({ id, type, name, part, isLast }: Fields): void {
    const known = assetTypes.find((one) => one === type);
    if (known === undefined || typeof name !== "string" || typeof part !== "string") return;
    const before = this.#open?.id === id ? this.#open : null;
    const open: OpenFile = before ?? { id, type: known, name, parts: [] };
    this.#open = isLast === true ? null : open;
    const bytes = Buffer.from(part, "base64");
    this.#byteCount += bytes.length;
    if (this.#assets.length >= maxRunAssets || this.#byteCount > maxRunAssetBytes) {
      this.#isCut = true;
      return;
    }
    this.#partsLength += part.length;
    open.parts.push(bytes);
    if (isLast === true) this.#add(open);
  }

  #add({ type, name, parts }: OpenFile): void {
    const content = Buffer.concat(parts);
    const contentType = decideContentType(type, content);
    this.#assets.push({ type, name: this.#makeUnique(toSafeName(name)), contentType, content });
  }

  /** Returns a unique file name: a second "shot.png" becomes "shot-2.png". */
  #makeUnique(name: string): string {
    const dot = name.lastIndexOf(".");
    const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ""];
    let unique = name;
    for (let count = 2; this.#names.has(unique); count += 1) {
      unique = toSafeName(`${stem}-${count}${ending}`);
    }
    this.#names.add(unique);
    return unique;
  }
}

/**
 * Matches a warning of Node.js 22 about its experimental proxy support. The warning is not shown,
 * because sandboxes always use proxy support.
 */
const proxyWarning = /^\(node:\d+\) \[UNDICI-EHPA\].*\n?(?:\(Use `\S+ --trace-warnings .*\n?)?/gm;

function readPage(event: Fields, startMs: number): ScriptPage | null {
  const url = readText(event.url, scriptLimits.pageTextLength);
  if (url === null) return null;
  const vitals = readFields(event.vitals);
  return {
    url,
    startMs,
    status: readStatus(event.status),
    vitals: {
      ttfbMs: readFigure(vitals.ttfbMs),
      fcpMs: readFigure(vitals.fcpMs),
      lcpMs: readFigure(vitals.lcpMs),
      cls: readFigure(vitals.cls),
    },
    consoleErrors: readPageTexts(event.consoleErrors),
    pageErrors: readPageTexts(event.pageErrors),
    requestErrors: readList(event.requestErrors).flatMap((value) => {
      const request = readFields(value);
      const place = readText(request.url, scriptLimits.pageTextLength);
      if (place === null) return [];
      return [
        {
          method: readText(request.method, scriptLimits.methodLength) ?? "",
          url: place,
          status: readStatus(request.status),
          error: readText(request.error, scriptLimits.pageTextLength),
        },
      ];
    }),
  };
}

const readFields = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? (value as Fields) : {};

const readList = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value.slice(0, scriptLimits.pageErrors) : [];

const readPageTexts = (value: unknown): string[] =>
  readList(value).flatMap((text) => readText(text, scriptLimits.pageTextLength) ?? []);

const highestStatus = 999;

function readStatus(value: unknown): number | null {
  const status = readPlace(value);
  return status !== null && status <= highestStatus ? status : null;
}

/** Reads a web vital, rounded to four decimals; `null` if the value is invalid. */
function readFigure(value: unknown): number | null {
  const isUsable = typeof value === "number" && value >= 0 && value < highestFigure;
  return isUsable ? Math.round(value * 10_000) / 10_000 : null;
}

function parseObject(line: string): Fields | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? (value as Fields) : null;
  } catch {
    return null;
  }
}

function readText(value: unknown, maxLength: number): string | null {
  return typeof value === "string" ? toPlainText(value).slice(0, maxLength) : null;
}

const highestNumber = 1e13;
const highestFigure = 1e9;

function readNumber(value: unknown): number {
  const isUsable = typeof value === "number" && Number.isFinite(value);
  return isUsable ? Math.min(Math.max(value, 0), highestNumber) : 0;
}

function readPlace(value: unknown): number | null {
  return typeof value === "number" && Number.isInteger(value) && value > 0 && value < 1e7
    ? value
    : null;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are removed.
const unprintable = /\u001b\[[0-9;]*m|[\u0000-\u0008\u000b-\u001f\u007f]/g;

/**
 * Removes colours and control characters except tabs and line feeds, and replaces invalid Unicode.
 */
function toPlainText(text: string): string {
  return text.replace(unprintable, "").toWellFormed();
}
