import { Answer } from "./answer.ts";
import {
  advance,
  callTool,
  callToolEach,
  type Found,
  type Plan,
  type Progress,
  settle,
  together,
} from "./plan.ts";
import type { FindBodyFault } from "./proposal/check-body.ts";
import { readConversation, type Turn, type Understanding } from "./reading/conversation.ts";
import { thingNouns } from "./reading/name-match.ts";
import { type Intent, readQuestion } from "./reading/question.ts";
import { emptySubject, type Subject } from "./reading/subject.ts";
import type {
  Focus,
  KnownCheck,
  KnownPlace,
  KnownThing,
  Vocabulary,
} from "./reading/vocabulary.ts";
import type { CheckBrief, ListNamesData } from "./tools/tool-data.ts";
import type { ToolCall } from "./tools/tool-outcome.ts";
import { topics } from "./topics/index.ts";
import type { Situation } from "./topics/situation.ts";
import { planConfirmation, planUnknown } from "./topics/small-talk.ts";
import { proposedMark } from "./topics/writes/writes.ts";
import { quote } from "./wording.ts";

interface Learned {
  readonly vocabulary: Vocabulary;
  readonly understanding: Understanding;
}

/** Topics that can be answered without fetching the names of the account's resources. */
const selfContained = new Set(["greeting", "thanks", "help", "meaning", "forbidden", "create"]);
const maxListed = 200;
const maxSearches = 3;

function findSubject({ kind, id }: Focus, vocabulary: Vocabulary): Subject {
  const { checks, incidents, things } = vocabulary;
  const checkOf = (checkId: string) =>
    checks.find((one) => one.checkId === checkId) ?? { checkId, name: "", target: "", tags: [] };
  if (kind === "check") return { ...emptySubject, checks: [checkOf(id)] };
  if (kind === "incident") {
    const known = incidents.find(({ incidentId }) => incidentId === id);
    return { ...emptySubject, incidents: [known ?? { incidentId: id, name: "" }] };
  }
  const thing = things.find((one) => one.kind === kind && one.id === id);
  if (thing === undefined) return emptySubject;
  return { ...emptySubject, things: [thing], checks: thing.checkIds.map(checkOf) };
}

/** Returns an intent that asks for the status of the resource on the user's screen. */
function seedIntent(focus: Focus, nowMs: number, vocabulary: Vocabulary): Intent | null {
  const [blank] = readQuestion("", nowMs, vocabulary).clauses;
  const subject = findSubject(focus, vocabulary);
  return blank === undefined ? null : { ...blank, topic: "status", subject };
}

export type AgentName = "basic" | "check_config_generator";

/**
 * Public locations, which are the same for all accounts, and the API's validation of check bodies.
 */
export interface Setting {
  readonly publicPlaces: readonly KnownPlace[];
  readonly findBodyFault: FindBodyFault;
}

/** Input for planning one step of an answer: the conversation and the tool results so far. */
interface TurnInput extends Progress {
  readonly agent: AgentName;
  readonly turns: readonly Turn[];
  /**
   * Time of the question. All steps of an answer must use the same time. The result of a tool call
   * is stored under the input of the call, which may contain times computed from `nowMs`. A step
   * with a different time would not find the result.
   */
  readonly nowMs: number;
  readonly setting: Setting;
  /** The resource on the user's screen, if any. */
  readonly focus?: Focus | null;
  /** Offset of the user's time zone from UTC; positive east of Greenwich. */
  readonly zoneOffsetMs?: number;
}

/** Returns the vocabulary before any tool call, which contains only the public locations. */
function startVocabulary({ setting }: TurnInput): Vocabulary {
  return {
    checks: [],
    isPartial: false,
    places: setting.publicPlaces,
    incidents: [],
    things: [],
  };
}

function addPlaces({ setting }: TurnInput, own: readonly KnownPlace[]): KnownPlace[] {
  const known = new Set(setting.publicPlaces.map(({ region }) => region));
  const more = own.filter(({ region }) => !known.has(region));
  return [...setting.publicPlaces, ...more.map(({ region, name }) => ({ region, name }))];
}

function understand(input: TurnInput, vocabulary: Vocabulary): Understanding {
  const { turns, nowMs, focus = null, zoneOffsetMs = 0 } = input;
  const seed = focus === null ? null : seedIntent(focus, nowMs, vocabulary);
  const read = readConversation(turns, nowMs, { ...vocabulary, zoneOffsetMs }, seed);
  if (input.agent === "basic") return read;
  const intents = read.intents.map((intent): Intent => {
    const isTalk = ["greeting", "thanks", "help"].includes(intent.topic ?? "");
    return isTalk ? intent : { ...intent, topic: "create" };
  });
  return { ...read, intents: intents.slice(0, 1), needsNames: false };
}

/** Reads the question, fetches the resource names that it may contain, and reads it again. */
function* learnNames(input: TurnInput): Plan<Learned> {
  const start = startVocabulary(input);
  const first = understand(input, start);
  const isPlain = first.intents.every(({ topic }) => topic !== null && selfContained.has(topic));
  if (!first.needsNames || isPlain) {
    return { vocabulary: start, understanding: first };
  }
  const [[[checks, names], places], incidents] = yield* together(
    together(
      together(callTool("list_checks", { limit: maxListed }), askNames(input)),
      mentionsPlaces(first) ? callTool("list_locations", {}) : settle(null),
    ),
    speaksOfIncidents(input, first) ? callTool("list_incidents", {}) : settle(null),
  );
  const listed = checks?.data.checks ?? [];
  const isPartial = (checks?.data.total ?? 0) > listed.length;
  // The first reading knows no resource names, so every name is an unknown word.
  const phrases = first.intents.flatMap(({ subject }) => subject.unknown);
  const found = isPartial ? yield* searchChecks(phrases) : [];
  const shown = isPartial ? yield* fetchShown(input) : [];
  const known = new Map(
    [...shown, ...found, ...listed].map((check) => [check.checkId, toKnownCheck(check)]),
  );
  const vocabulary: Vocabulary = {
    checks: [...known.values()],
    isPartial,
    places: addPlaces(input, places?.data.locations ?? []),
    incidents: incidents?.data.incidents ?? [],
    things: names === null ? [] : listThings(names.data),
  };
  return yield* learnMore(input, { vocabulary, understanding: understand(input, vocabulary) });
}

/** Fetches the check on the user's screen, because the first page of checks may not contain it. */
function* fetchShown({ focus }: TurnInput): Plan<CheckBrief[]> {
  if (focus?.kind !== "check") return [];
  const found = yield* callTool("get_check", { checkId: focus.id });
  return found === null ? [] : [found.data];
}

function* askNames({ tools }: TurnInput): Plan<Found<ListNamesData> | null> {
  return tools.has("list_names") ? yield* callTool("list_names", {}) : null;
}

export function listThings(names: ListNamesData): KnownThing[] {
  const none: readonly string[] = [];
  const { groups, services, pages, channels, windows, members, dashboards, schedules } = names;
  return [
    ...services.map(({ serviceId: id, ...one }) => ({ kind: "service", id, ...one }) as const),
    ...groups.map(({ groupId, ...one }) => ({ kind: "group", id: `${groupId}`, ...one }) as const),
    ...pages.map(({ pageId: id, name }) => ({ kind: "page", id, name, checkIds: none }) as const),
    ...channels.map(
      ({ channelId, name }) =>
        ({ kind: "channel", id: `${channelId}`, name, checkIds: none }) as const,
    ),
    ...windows.map(
      ({ windowId, name }) =>
        ({ kind: "window", id: `${windowId}`, name, checkIds: none }) as const,
    ),
    ...members.map(
      ({ memberId: id, name, email }) =>
        ({ kind: "member", id, name, aliases: [email], checkIds: none }) as const,
    ),
    ...dashboards.map(
      ({ dashboardId: id, name }) => ({ kind: "dashboard", id, name, checkIds: none }) as const,
    ),
    ...schedules.map(
      ({ scheduleId: id, name }) => ({ kind: "schedule", id, name, checkIds: none }) as const,
    ),
  ];
}

export function toKnownCheck(check: CheckBrief): KnownCheck {
  const { checkId, name, tags } = check;
  return { checkId, name, tags, target: check.hostname };
}

/**
 * Searches for checks whose names match unknown phrases. Needed if the list of checks is
 * incomplete.
 */
function* searchChecks(phrases: readonly string[]): Plan<CheckBrief[]> {
  const wanted = [...new Set(phrases)].slice(0, maxSearches);
  const found = yield* callToolEach(
    "list_checks",
    wanted.map((phrase) => ({ name: phrase.slice(0, 255), limit: maxListed })),
  );
  return found.flatMap((one) => one?.data.checks ?? []);
}

/**
 * If unknown words remain, fetches private locations and incidents, because the unknown words may
 * be names of locations or incidents.
 */
function* learnMore(input: TurnInput, learned: Learned): Plan<Learned> {
  const { vocabulary, understanding } = learned;
  const hasTopic = understanding.intents.some(({ topic }) => topic !== null);
  const hasUnknown = understanding.intents.some(({ subject }) => subject.unknown.length > 0);
  if (!hasTopic || !hasUnknown) return learned;
  const [places, incidents] = yield* together(
    callTool("list_locations", {}),
    input.tools.has("list_incidents") ? callTool("list_incidents", {}) : settle(null),
  );
  const wider: Vocabulary = {
    ...vocabulary,
    places: addPlaces(input, places?.data.locations ?? []),
    incidents: incidents?.data.incidents ?? vocabulary.incidents,
  };
  return { vocabulary: wider, understanding: understand(input, wider) };
}

/**
 * Returns whether the question contains "from" and an unknown word after it, as in "from office3".
 * The unknown word may be the name of a private location, so the locations must be fetched.
 */
function mentionsPlaces({ intents }: Understanding): boolean {
  return intents.some(({ canonical }) => /\bfrom (?:the )?SOMETHING\b/.test(canonical));
}

function speaksOfIncidents({ turns }: TurnInput, { intents }: Understanding): boolean {
  const isAbout = intents.some(({ topic }) =>
    ["incident", "incidents", "draft", "post"].includes(topic ?? ""),
  );
  const last = turns.at(-1)?.text ?? "";
  return isAbout || /\bincident|\boutage|\bpostmortem/i.test(last.slice(0, 2_000));
}

type TurnStep =
  | {
      readonly kind: "calls";
      readonly calls: readonly ToolCall[];
      /** Text to show before the first tool results arrive; `null` on later steps. */
      readonly opening: string | null;
    }
  | { readonly kind: "answer"; readonly text: string };

const maxAnswerLength = 24_000;

/** Returns the next step: either tool calls to make, or the text of the answer. */
export function planTurn(input: TurnInput): TurnStep {
  const step = advance(planAnswer(input), input);
  if (step.kind === "calls") {
    const isFirst = input.callCount === 0;
    return { kind: "calls", calls: step.calls, opening: isFirst ? writeOpening(input) : null };
  }
  const failures = new Map(step.failures.map((failure) => [failure.tool, failure.message]));
  const notes = [...failures].map(
    ([tool, message]) => `I could not use ${tool}: ${quote(message, 200)}`,
  );
  const text = [step.value, ...notes].filter((part) => part !== "").join("\n\n");
  const whole = text === "" ? "There is no data about that." : text;
  return { kind: "answer", text: whole.slice(0, maxAnswerLength).toWellFormed() };
}

function writeOpening(input: TurnInput): string {
  const { intents } = understand(input, startVocabulary(input));
  const topic = intents[0]?.topic ?? null;
  return `${(topic === null ? null : topics[topic].opening) ?? "Looking up the names"}…`;
}

const yes = /^\W*(?:y|yes|yep|yeah|ok|okay|sure|confirm|confirmed|proceed|approve|approved)\b/i;
const goAhead = /^\W*(?:go ahead|do it|please do)\b/i;

/** Returns whether the last message confirms the proposal in the message before it. */
function isConfirmation({ turns }: TurnInput): boolean {
  const text = turns.at(-1)?.text ?? "";
  const before = turns.at(-2);
  const wasProposed = before?.role === "assistant" && before.text.includes(proposedMark);
  return (
    wasProposed && (yes.test(text) || goAhead.test(text)) && text.trim().split(/\s+/).length <= 4
  );
}

function* planAnswer(input: TurnInput): Plan<string> {
  if (isConfirmation(input)) {
    const answer = new Answer();
    yield* planConfirmation({ answer });
    return answer.toText();
  }
  const { vocabulary, understanding } = yield* learnNames(input);
  const answer = new Answer();
  if (understanding.intents.some(namesOtherZone)) answer.line("(All times are read as UTC.)");
  for (const intent of understanding.intents) {
    const situation: Situation = {
      intent,
      nowMs: input.nowMs,
      answer,
      vocabulary,
      lastAnswer: understanding.lastAnswer,
      requests: collectRequests(input),
      findBodyFault: input.setting.findBodyFault,
      showsBodies: input.agent !== "basic",
    };
    if (intent.topic === null) yield* planUnknown(situation);
    else yield* topics[choosePastTopic(situation)].plan(situation);
    noteNamesakes(situation);
  }
  return answer.toText();
}

/** Adds a note for each other resource that has the same name as the subject of the question. */
function noteNamesakes({ intent, answer }: Situation): void {
  const isShown = ({ kind }: KnownThing) =>
    intent.topic === "status" && (kind === "service" || kind === "group");
  for (const thing of intent.subject.namesakes.filter((one) => !isShown(one))) {
    const noun = thingNouns[thing.kind];
    answer.line(`(${quote(thing.name)} is also the name of ${noun}.)`);
  }
}

/**
 * Returns whether the question contains a time in a zone other than UTC, such as "at 14:00 CET".
 * The answer then notes that all times are read as UTC.
 */
function namesOtherZone({ window, message }: Intent): boolean {
  const zones = /\b(?:CES?T|E[SD]T|P[SD]T|M[SD]T|C[SD]T|BST|IST|JST|AE[SD]T)\b|\d[+-]\d\d:\d\d\b/;
  return window !== null && zones.test(message);
}

/**
 * Returns the topic of a question. Replaces "overview" with "changes" for a past time: "what was
 * failing yesterday?" asks about changes, not about the current status.
 */
function choosePastTopic({ intent, nowMs }: Situation): keyof typeof topics {
  const topic = intent.topic ?? "help";
  const isPast = intent.window !== null && intent.window.fromMs < nowMs;
  return topic === "overview" && isPast ? "changes" : topic;
}

/**
 * Returns the user messages from which check requests are read. The check configuration generator
 * reads the last five messages, and the basic agent only the last one.
 */
function collectRequests({ agent, turns }: TurnInput): string[] {
  const messages = turns.filter(({ role }) => role === "user").map(({ text }) => text);
  return agent === "basic" ? messages.slice(-1) : messages.slice(-5);
}
