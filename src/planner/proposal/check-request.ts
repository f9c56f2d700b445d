import { parseNumber, unitMs } from "../reading/duration.ts";
import { pattern } from "../reading/pattern.ts";
import type { KnownPlace } from "../reading/vocabulary.ts";
import { foldText } from "../reading/words.ts";
import { type ReadHost, type RefusedHost, readHosts } from "./host-reader.ts";
import { readPlaceNames } from "./place-reader.ts";

/** What somebody asks a check to be; null and empty is what nothing was said about. */
export interface CheckRequest {
  readonly hosts: readonly ReadHost[];
  readonly refused: readonly RefusedHost[];
  /** How many hosts were announced: "these five hosts". */
  readonly announced: number | null;
  readonly everySeconds: number | null;
  readonly maxLossPercent: number | null;
  readonly degradedLossPercent: number | null;
  readonly latency: { readonly property: "avg" | "min" | "max"; readonly ms: number } | null;
  readonly degradedMs: number | null;
  readonly pingCount: number | null;
  readonly wantsIpv6: boolean;
  readonly places: readonly string[];
  readonly privatePlaces: readonly string[];
  readonly runsParallel: boolean;
  readonly tags: readonly string[];
  readonly name: string | null;
  readonly retries: number | null;
  readonly backoffSeconds: number | null;
  readonly failuresInRow: number | null;
  readonly minutesFailing: number | null;
  readonly isMuted: boolean;
  readonly isPaused: boolean;
  /** Adds to the hosts of the turn before rather than replacing them. */
  readonly adds: boolean;
}

const maxTextLength = 2_000;

interface Text {
  /** Words with their marks kept where a host may need them. */
  readonly words: readonly string[];
  /** The same in lower case and with units apart, for the patterns. */
  readonly line: string;
}

function prepare(question: string): Text {
  const folded = foldText(question.slice(0, maxTextLength));
  const words = folded
    .replaceAll(/["'`]/g, " ")
    .split(/[\s,;]+/u)
    .map((word) =>
      word
        .replace(/^[(<]+/, "")
        .replace(/[)>.!?:]+$/, (marks) => (marks.startsWith("::") ? "::" : "")),
    )
    .filter((word) => word !== "");
  const line = ` ${folded
    .toLowerCase()
    .replaceAll(/(\d)(%|ms\b|s\b|sec\b|m\b|min\b|h\b)/g, "$1 $2")
    .replaceAll("percent", "%")
    .replaceAll(/[,;()!?]+|\.(?=\s|$)/g, " , ")
    .replaceAll(/\s+/g, " ")} `;
  return { words, line };
}

export function readCheckRequest(question: string, places: readonly KnownPlace[]): CheckRequest {
  const { words, line } = prepare(question);
  const named = readNames(question);
  const taken = new Set<number>();
  for (const [index, word] of words.entries()) {
    if (named.words.has(word.toLowerCase())) taken.add(index);
  }
  const found = readPlaceNames(words, places);
  for (const index of found.used) taken.add(index);
  const { hosts, refused } = readHosts(words, taken);
  const loss = readLoss(line);
  const latency = readLatency(line);
  return {
    hosts,
    refused,
    announced: readAnnounced(line),
    everySeconds: readInterval(line),
    ...loss,
    ...latency,
    pingCount: readNumber(
      line,
      /\b(\d+|\w+) (?:pings|packets|echo requests)\b|\bping ?count(?: of| to|:)? (\d+)\b/,
    ),
    wantsIpv6:
      /\b(?:over|via|using|use|on|with|through) ip ?v6\b|\bip ?v6 only\b|\bip ?v6\b(?! and)/.test(
        line,
      ),
    places: found.places,
    privatePlaces: found.privatePlaces,
    runsParallel: /\bin parallel\b|\bat once\b|\bsimultaneously\b|\bat the same time\b/.test(line),
    tags: named.tags,
    name: named.name,
    ...readRetries(line),
    ...readEscalation(line),
    isMuted: /\bmuted\b|\bwithout alerts\b|\bno alerts\b/.test(line),
    isPaused: /\b(?:paused|deactivated|disabled|switched off|not activated)\b/.test(line),
    adds: /\balso\b|\btoo\b|\bas well\b|\banother\b|\badditionally\b|^ add\b/.test(line),
  };
}

/** "every 30 seconds", "once a minute", "hourly", "twice a minute". */
function readInterval(line: string): number | null {
  const fixed: readonly (readonly [RegExp, number])[] = [
    [/\btwice a minute\b/, 30],
    [/\bevery other minute\b/, 120],
    [/\bhalf[- ]hourly\b|\bevery half (?:an )?hour\b/, 1_800],
    [/\bhourly\b/, 3_600],
    [/\bdaily\b/, 86_400],
    [/\bminutely\b/, 60],
  ];
  const known = fixed.find(([pattern]) => pattern.test(line));
  if (known !== undefined) return known[1];
  // "remind me every 10 minutes" says nothing about the runs.
  const plain = line.replaceAll(/\bremind\w*(?: \w+){0,3} every \S+(?: \S+)?/g, " ");
  const match = pattern`
      \b(?:every|each|once every|once per|once an?|per|an? interval of
      |interval(?: of)?) (?:(\d+(?:\.\d+)?|\w+) )?(seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?
      |h|days?|d)\b`.exec(plain);
  if (match === null) return null;
  const amount = match[1] === undefined ? 1 : parseNumber(match[1]);
  const unit = unitMs(match[2] ?? "");
  return amount === null || unit === null ? null : (amount * unit.ms) / 1_000;
}

/** Each percentage belongs to the nearest words that say what it is for. */
function readLoss(line: string): Pick<CheckRequest, "maxLossPercent" | "degradedLossPercent"> {
  let maxLossPercent: number | null = null;
  let degradedLossPercent: number | null = null;
  for (const match of line.matchAll(/(\d+(?:\.\d+)?) ?%/g)) {
    const percent = Number(match[1]);
    const before = line.slice(Math.max(0, match.index - 30), match.index);
    const clause = before.split(/\b(?:and|but|then)\b|,/).at(-1) ?? "";
    const after =
      line.slice(match.index, match.index + 30).split(/\b(?:and|but|then)\b|,/)[0] ?? "";
    const isDegraded =
      /\bdegrad|\bwarn|\byellow/.test(clause) ||
      /% (?:packet )?(?:loss )?(?:is |as )?(?:degraded|warn)/.test(after);
    if (isDegraded) degradedLossPercent = percent;
    else maxLossPercent ??= percent;
  }
  const anyLoss = /\bany (?:packet )?loss\b|\bany packet (?:is |gets )?(?:lost|dropped)\b/.test(
    line,
  );
  if (anyLoss && maxLossPercent === null) maxLossPercent = 1;
  return { maxLossPercent, degradedLossPercent };
}

/** "slower than 50 ms", "max latency under 80 ms", "degraded above 30 ms". */
function readLatency(line: string): Pick<CheckRequest, "latency" | "degradedMs"> {
  let latency: CheckRequest["latency"] = null;
  let degradedMs: number | null = null;
  for (const match of line.matchAll(/(\d+(?:\.\d+)?) ?(ms|milliseconds?|seconds?|s)\b/g)) {
    const before = line.slice(Math.max(0, match.index - 45), match.index);
    const clause = before.split(/\b(?:and|but|then)\b|,|%/).at(-1) ?? "";
    const isLimit = pattern`
        (?:than|above|over|exceed\w*|under|below|within|[<>]=?|at most|up to|beyond|more than
        |limit(?: of)?|reach\w*|latency|rtt|response time|round trip)\s*(?:of |is |to )?$`.test(
      clause,
    );
    if (!isLimit) continue;
    const ms = Number(match[1]) * (match[2]?.startsWith("m") ? 1 : 1_000);
    if (/\bdegrad|\bwarn|\byellow/.test(clause)) {
      degradedMs = ms;
      continue;
    }
    const property = /\bmax(?:imum)?\b|\bany ping\b|\bworst\b|\bpeak\b/.test(clause)
      ? "max"
      : /\bmin(?:imum)?\b/.test(clause)
        ? "min"
        : "avg";
    latency ??= { property, ms };
  }
  return { latency, degradedMs };
}

function readNumber(line: string, pattern: RegExp): number | null {
  const match = pattern.exec(line);
  const text = match?.[1] ?? match?.[2];
  return text === undefined ? null : parseNumber(text);
}

function readAnnounced(line: string): number | null {
  return readNumber(
    line,
    pattern`
      \b(?:these|those|the|following|my|all) (\w+) (?:hosts|servers|addresses|ips|targets
      |machines|routers|devices)\b`,
  );
}

function readRetries(line: string): Pick<CheckRequest, "retries" | "backoffSeconds"> {
  if (/\b(?:no|without) retr(?:y|ies)\b|\bdo not retry\b|\bnever retry\b/.test(line)) {
    return { retries: 0, backoffSeconds: null };
  }
  const times = new Map([
    ["once", 1],
    ["twice", 2],
    ["thrice", 3],
  ]);
  const match = pattern`
      \bretry (once|twice|thrice|(?:up to )?\w+ times?)\b|\b(\d+|a|one|two|three|four
      |five) retr(?:y|ies)\b`.exec(line);
  const text = (match?.[1] ?? match?.[2] ?? "").replace(/^up to /, "").replace(/ times?$/, "");
  const retries = times.get(text) ?? parseNumber(text);
  const wait = pattern`
      \bretr\w*[^,]*?\b(?:after|every|wait(?:ing)?|in) (\d+) ?(s|sec|seconds?|m|min|minutes?)\b`.exec(
    line,
  );
  const unit = unitMs(wait?.[2] ?? "");
  const backoffSeconds = unit === null ? null : (Number(wait?.[1]) * unit.ms) / 1_000;
  return { retries, backoffSeconds };
}

/** "after 3 failures in a row", "once it fails for 10 minutes". */
function readEscalation(line: string): Pick<CheckRequest, "failuresInRow" | "minutesFailing"> {
  const row = pattern`
      \b(?:after|on) (\w+) (?:consecutive )?(?:failures?|failed runs?|failing runs?|fails?)\b
      |\b(\w+) failures in a row\b`;
  const minutes = pattern`
      \b(?:fail(?:s|ing|ed)?|down) for (?:more than |over |at least )?(\w+) (?:minutes?|mins?
      |m)\b|\bafter (\w+) (?:minutes?|mins?) (?:of failing|down|of downtime)\b`;
  return { failuresInRow: readNumber(line, row), minutesFailing: readNumber(line, minutes) };
}

interface Names {
  readonly tags: readonly string[];
  readonly name: string | null;
  /** The words that are part of either and thus no hosts. */
  readonly words: ReadonlySet<string>;
}

/** "tagged prod and core", "call it Edge", "named "Core router"". */
function readNames(question: string): Names {
  const text = foldText(question.slice(0, maxTextLength));
  const quoted = /\b(?:call(?:ed)?(?: it| them)?|named?(?: it| them)?) "([^"]{1,200})"/i.exec(text);
  const bare =
    /\b(?:call(?:ed)? (?:it|them)|named|name (?:it|them)|called) ([^\s,;"]{1,100})/i.exec(text);
  const name = quoted?.[1]?.trim() || bare?.[1]?.replace(/[.!?]+$/, "") || null;
  const list =
    /\b(?:tags?|tagged|label(?:l?ed)?)(?: (?:them|it|as|with|of|:))*:? ((?:"[^"]+"|[^\s,;"]+)(?:(?:\s*,\s*(?:and )?| and )(?:"[^"]+"|[^\s,;"]+))*)/i.exec(
      text,
    );
  const stop = new Set(
    `page alert every from call name named if when retry with ping use over via at fail warn
    degraded send it them in`.split(/\s+/),
  );
  const tags: string[] = [];
  for (const part of (list?.[1] ?? "").split(/\s*,\s*(?:and )?| and /i)) {
    const tag = part
      .replaceAll('"', "")
      .replace(/[.!?]+$/, "")
      .trim();
    if (tag === "" || stop.has(tag.toLowerCase())) break;
    tags.push(tag);
  }
  const words = new Set([...tags, ...(name ?? "").split(/\s+/)].map((word) => word.toLowerCase()));
  return { tags: [...new Set(tags)].slice(0, 20), name, words };
}
