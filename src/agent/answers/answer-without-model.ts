import { publicLocations } from "../../checks/locations/index.ts";
import { findZoneOffsetMs } from "../../platform/text/time.ts";
import type { AgentName, Focus } from "../agents.ts";
import type { AnswerEvent } from "../answer-event.ts";
import type { ToolFailure, ToolResult } from "../tool.ts";
import type { CheckBrief } from "../tool-shapes/check-data.ts";
import type { ListNamesData } from "../tool-shapes/directory-data.ts";
import type { Found, ToolData, ToolName } from "../tool-shapes/tool-data.ts";
import { Answer } from "./answer.ts";
import { findEntry } from "./intents.ts";
import { type Named, NameIndex, type NameKind } from "./names.ts";
import type { Lookup } from "./situation.ts";
import { exampleQuestions, offerQuestions } from "./talk.ts";
import {
  isChange,
  kindsOf,
  loadLanguage,
  type Turn,
  type Understood,
  understand,
} from "./understand.ts";
import { quote } from "./wording.ts";

/** A question to be answered without a model. */
export interface PlainQuestion {
  readonly agent: AgentName;
  readonly turns: readonly Turn[];
  readonly now: Date;
  readonly focus: Focus | null;
  readonly timeZone: string | null;
}

export interface Tools {
  /** Whether the caller may use the tool. */
  readonly has: (name: string) => boolean;
  readonly call: (name: ToolName, input: unknown) => Promise<ToolResult>;
}

/** Maximum number of tool calls of one answer. */
const maxCalls = 20;
const maxListed = 200;
/** Below this probability, questions that are understood are offered instead of an answer. */
const minProbability = 0.25;
const minChangeProbability = 0.5;

type Emit = (event: AnswerEvent) => void;

/** Calls tools for one answer. A call that was made before is not repeated. */
class Calls {
  readonly #tools: Tools;
  readonly #emit: Emit;
  readonly #made = new Map<string, Promise<Found<unknown> | null>>();
  /** Tools that failed, with the reason. */
  readonly failures = new Map<string, string>();

  constructor(tools: Tools, emit: Emit) {
    this.#tools = tools;
    this.#emit = emit;
  }

  readonly lookup: Lookup = (tool, input) => {
    const key = `${tool} ${JSON.stringify(input)}`;
    const made = this.#made.get(key) ?? this.#call(tool, input);
    this.#made.set(key, made);
    return made as Promise<Found<ToolData[typeof tool]> | null>;
  };

  async #call(tool: ToolName, input: unknown): Promise<Found<unknown> | null> {
    if (!this.#tools.has(tool)) return this.#fail(tool, "it is not available here");
    if (this.#made.size >= maxCalls) return this.#fail(tool, "too many lookups would be needed");
    const callId = `call-${this.#made.size + 1}`;
    this.#emit({ type: "tool-call", callId, tool, input });
    const result = await this.#tools.call(tool, input);
    this.#emit({ type: "tool-result", callId, result });
    const { data, sources } = result;
    if (isFailure(data)) return this.#fail(tool, data.message);
    return { data, sources };
  }

  #fail(tool: string, message: string): null {
    this.failures.set(tool, message);
    return null;
  }
}

function isFailure(data: unknown): data is ToolFailure {
  return typeof data === "object" && data !== null && "error" in data && "message" in data;
}

interface Account {
  readonly checks: readonly CheckBrief[];
  readonly names: readonly Named[];
}

const publicPlaces: readonly Named[] = Object.entries(publicLocations).map(([id, name]) => ({
  kind: "location",
  id,
  name,
  checkIds: [],
}));

function listNamed(names: ListNamesData): Named[] {
  const plain = (kind: NameKind, id: string, name: string): Named => ({
    kind,
    id,
    name,
    checkIds: [],
  });
  return [
    ...names.services.map((one): Named => ({ kind: "service", id: one.serviceId, ...one })),
    ...names.groups.map((one): Named => ({ kind: "group", id: String(one.groupId), ...one })),
    ...names.pages.map(({ pageId, name }) => plain("page", pageId, name)),
    ...names.channels.map(({ channelId, name }) => plain("channel", String(channelId), name)),
    ...names.windows.map(({ windowId, name }) => plain("window", String(windowId), name)),
    ...names.dashboards.map(({ dashboardId, name }) => plain("dashboard", dashboardId, name)),
    ...names.schedules.map(({ scheduleId, name }) => plain("schedule", scheduleId, name)),
    ...names.members.map(
      ({ memberId, name, email }): Named => ({ ...plain("member", memberId, name), also: [email] }),
    ),
  ];
}

/** Loads everything that has a name. Of very many checks, those that the question may name. */
async function loadAccount(
  { turns, focus }: PlainQuestion,
  lookup: Lookup,
  tools: Tools,
): Promise<Account> {
  const [checks, names, incidents, locations] = await Promise.all([
    lookup("list_checks", { limit: maxListed }),
    tools.has("list_names") ? lookup("list_names", {}) : null,
    tools.has("list_incidents") ? lookup("list_incidents", {}) : null,
    lookup("list_locations", {}),
  ]);
  const listed = checks?.data.checks ?? [];
  const more =
    (checks?.data.total ?? 0) > listed.length ? await searchChecks(turns, focus, lookup) : [];
  const known = [...new Map([...more, ...listed].map((one) => [one.checkId, one])).values()];
  const tags = [...new Set(known.flatMap((check) => check.tags))];
  const own = (locations?.data.locations ?? []).filter(
    ({ region }) => !publicPlaces.some(({ id }) => id === region),
  );
  const named: Named[] = [
    ...known.map(
      ({ checkId, name, hostname }): Named => ({
        kind: "check",
        id: checkId,
        name,
        also: [hostname],
        checkIds: [checkId],
      }),
    ),
    ...tags.map((tag): Named => {
      const tagged = known.filter((check) => check.tags.includes(tag));
      return { kind: "tag", id: tag, name: tag, checkIds: tagged.map(({ checkId }) => checkId) };
    }),
    ...(names === null ? [] : listNamed(names.data)),
    ...(incidents?.data.incidents ?? []).map(
      ({ incidentId, name }): Named => ({ kind: "incident", id: incidentId, name, checkIds: [] }),
    ),
    ...publicPlaces,
    ...own.map(({ region, name }): Named => ({ kind: "location", id: region, name, checkIds: [] })),
  ];
  return { checks: known, names: named };
}

const maxSearches = 3;

/** Searches the checks by the words of the last questions that no phrase contains. */
async function searchChecks(
  turns: readonly Turn[],
  focus: Focus | null,
  lookup: Lookup,
): Promise<readonly CheckBrief[]> {
  const { vocabulary, words } = loadLanguage();
  const asked = turns.filter(({ role }) => role === "user").slice(-2);
  const rare = asked
    .flatMap(({ text }) => text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}._-]+/gu) ?? [])
    .filter((word) => !vocabulary.has(word) && !words.has(word) && word.length > 2);
  const found = await Promise.all([
    ...[...new Set(rare)]
      .slice(0, maxSearches)
      .map((name) => lookup("list_checks", { name, limit: 50 })),
  ]);
  const shown = focus?.kind === "check" ? await lookup("get_check", { checkId: focus.id }) : null;
  return [
    ...(shown === null ? [] : [shown.data]),
    ...found.flatMap((one) => one?.data.checks ?? []),
  ];
}

/** Intents that need no names. */
const plainIntents = new Set(["greeting", "thanks", "help", "time", "confirm"]);

/** Intents of questions about one kind of object, however they are worded. */
const intentOfKind: Readonly<Partial<Record<NameKind, string>>> = {
  page: "pages",
  window: "maintenance",
  member: "members",
  schedule: "oncall",
  dashboard: "dashboards",
  channel: "channels",
  incident: "incidents",
};

/** Adjusts the intent to the kind of the named object, and to what can be answered with it. */
function chooseIntent({ intent, slots, p }: Understood, agent: AgentName): string {
  const isTalk = intent === "greeting" || intent === "thanks" || intent === "help";
  if (agent === "check_config_generator") return isTalk && p > 0.7 ? intent : "create";
  const [kind, ...others] = kindsOf(slots);
  const isVague = ["status", "belongs", "settings", "checks", "changes", "other"].includes(intent);
  if (kind !== undefined && others.length === 0 && isVague) return intentOfKind[kind] ?? intent;
  const kinds = kindsOf(slots);
  if (isVague && kinds.has("page")) return "pages";
  if (intent === "members" && kinds.size > 0 && !kinds.has("member")) return "status";
  const isPlaceOnly = slots.names.length > 0 && kind === undefined;
  if (intent === "settings" && isPlaceOnly) return "probes";
  return intent;
}

/** Yields the events of an answer: tool calls, their results and the text. */
export function answerWithoutModel(
  question: PlainQuestion,
  tools: Tools,
): AsyncIterable<AnswerEvent> {
  return new ReadableStream<AnswerEvent>({
    start: (controller) => {
      // The work goes on after `start`, so that the reader receives each event at once.
      writeAnswer(question, tools, (event) => controller.enqueue(event)).then(
        () => controller.close(),
        (error) => controller.error(error),
      );
    },
  });
}

async function writeAnswer(question: PlainQuestion, tools: Tools, emit: Emit): Promise<void> {
  const { turns, now, timeZone, focus, agent } = question;
  const nowMs = now.getTime();
  const offsetMs = timeZone === null ? 0 : findZoneOffsetMs(timeZone, now);
  const calls = new Calls(tools, emit);
  const { lookup } = calls;
  const none = new NameIndex(publicPlaces);
  const first = understand(turns, { names: none, nowMs, offsetMs, focus: null });
  const isPlain = first.every(({ intent, p }) => plainIntents.has(intent) && p > 0.6);
  if (!isPlain) {
    const { opening } = findEntry(
      first.length === 0 ? "other" : chooseIntent(first[0] as Understood, agent),
    );
    if (opening !== null) emit({ type: "text", text: `${opening} …\n\n` });
  }
  const account = isPlain
    ? { checks: [], names: publicPlaces }
    : await loadAccount(question, lookup, tools);
  const { names } = account;
  const shown = focus === null ? null : findFocus(focus, names);
  const understood = understand(turns, {
    names: new NameIndex(names),
    nowMs,
    offsetMs,
    focus: shown,
  });
  const answer = new Answer();
  const users = turns.filter(({ role }) => role === "user").map(({ text }) => text);
  const common = {
    ...{ answer, lookup, nowMs, allNames: names, checks: account.checks },
    lastAnswer: turns.findLast(({ role }) => role === "assistant")?.text ?? "",
    messages: agent === "basic" ? users.slice(-1) : users.slice(-10),
    showsBodies: agent !== "basic",
  };
  for (const one of understood) {
    const intent = chooseIntent(one, agent);
    const isUnsure = one.p < (isChange(intent) ? minChangeProbability : minProbability);
    const situation = { ...common, intent, slots: one.slots };
    const isGreetingOnly = intent === "greeting" && understood.length > 1;
    if (isGreetingOnly) continue;
    if (isUnsure && agent === "basic" && one.slots.message.trim() !== "") {
      offerQuestions(situation, offer(one));
    } else await findEntry(intent).answer(situation);
  }
  if (understood.length === 0) {
    const slots = {
      message: "",
      text: "",
      names: [],
      excluded: [],
      unknown: [],
      periods: [],
      minutes: null,
    };
    await findEntry("other").answer({ ...common, intent: "other", slots });
  }
  if (answer.isEmpty) answer.line("There is no data about that.");
  for (const [tool, message] of calls.failures) {
    answer.line(`(I could not use ${tool}: ${quote(message, 200)}.)`);
  }
  for (const text of answer.toText().match(/(?:\S+\s*|\s+){1,4}/gu) ?? [])
    emit({ type: "text", text });
}

/** The object on the user's screen, even if the names of the account do not contain it. */
function findFocus({ kind, id }: Focus, names: readonly Named[]): Named {
  const found = names.find((one) => one.kind === kind && one.id === id);
  return found ?? { kind, id, name: id, checkIds: kind === "check" ? [id] : [] };
}

/** Questions of the three likeliest intents, with the names of the question. */
function offer({ ranking, slots }: Understood): string[] {
  const { phrases } = loadLanguage();
  const name = slots.names[0]?.things[0]?.name;
  return ranking
    .slice(0, 3)
    .flatMap(({ intent }) => {
      const own = phrases.filter((one) => one.intent === intent).map(({ text }) => text);
      const wanted = own.find(
        (text) =>
          text.includes("THING") === (name !== undefined) &&
          !/[A-Z]{3}/.test(text.replace("THING", "")),
      );
      if (wanted === undefined) return [];
      return [wanted.replace("THING", () => quote(name ?? ""))];
    })
    .concat(ranking.length === 0 ? exampleQuestions.slice(0, 3) : []);
}
