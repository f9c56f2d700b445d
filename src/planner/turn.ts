import type { Progress } from "./plan.ts";
import type { FindBodyFault } from "./proposal/check-body.ts";
import { readConversation, type Turn, type Understanding } from "./reading/conversation.ts";
import { type Intent, readQuestion } from "./reading/question.ts";
import { emptySubject, type Subject } from "./reading/subject.ts";
import type { Focus, KnownPlace, Vocabulary } from "./reading/vocabulary.ts";

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

/** Treats the resource on the screen as if it had been mentioned before the first question. */
function seedIntent(focus: Focus, nowMs: number, vocabulary: Vocabulary): Intent | null {
  const [blank] = readQuestion("", nowMs, vocabulary).clauses;
  const subject = findSubject(focus, vocabulary);
  return blank === undefined ? null : { ...blank, topic: "status", subject };
}

export type AgentName = "basic" | "check_config_generator";

/** Settings for all accounts, and the validation of the API. */
export interface Setting {
  /** The public locations. */
  readonly publicPlaces: readonly KnownPlace[];
  readonly findBodyFault: FindBodyFault;
}

/** One question with the conversation before it, and the results of tools so far. */
export interface TurnInput extends Progress {
  readonly agent: AgentName;
  readonly turns: readonly Turn[];
  /** The same for every step of one question; otherwise calls and results would not match. */
  readonly nowMs: number;
  readonly setting: Setting;
  /** The resource on the user's screen. */
  readonly focus?: Focus | null;
  /** How far the user's time zone is ahead of UTC. */
  readonly zoneOffsetMs?: number;
}

/** Names known before any tool was called: the public locations. */
export function startVocabulary({ setting }: TurnInput): Vocabulary {
  return {
    checks: [],
    isPartial: false,
    places: setting.publicPlaces,
    incidents: [],
    things: [],
  };
}

export function addPlaces({ setting }: TurnInput, own: readonly KnownPlace[]): KnownPlace[] {
  const known = new Set(setting.publicPlaces.map(({ region }) => region));
  const more = own.filter(({ region }) => !known.has(region));
  return [...setting.publicPlaces, ...more.map(({ region, name }) => ({ region, name }))];
}

export function understand(input: TurnInput, vocabulary: Vocabulary): Understanding {
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
