import { publicLocations } from "../../locations/index.ts";
import type { Progress } from "./plan.ts";
import { readConversation, type Turn, type Understanding } from "./reading/conversation.ts";
import type { Intent } from "./reading/question.ts";
import type { KnownPlace, Vocabulary } from "./reading/vocabulary.ts";

export type AgentName = "basic" | "check_config_generator";

/** One question with everything said before it, and what the tools have given so far. */
export interface TurnInput extends Progress {
  readonly agent: AgentName;
  readonly turns: readonly Turn[];
  /** The same for every step of one question, or its calls would never meet their results. */
  readonly nowMs: number;
}

const publicPlaces = Object.entries(publicLocations).map(([region, name]) => ({ region, name }));

/** What is known before anything has been asked: the places that everybody has. */
export const emptyVocabulary: Vocabulary = {
  checks: [],
  isPartial: false,
  places: publicPlaces,
  incidents: [],
  things: [],
};

export function addPlaces(own: readonly KnownPlace[]): KnownPlace[] {
  const known = new Set<string>(Object.keys(publicLocations));
  const more = own.filter(({ region }) => !known.has(region));
  return [...publicPlaces, ...more.map(({ region, name }) => ({ region, name }))];
}

export function understand(input: TurnInput, vocabulary: Vocabulary): Understanding {
  const read = readConversation(input.turns, input.nowMs, vocabulary);
  if (input.agent === "basic") return read;
  const intents = read.intents.map((intent): Intent => {
    const isTalk = ["greeting", "thanks", "help"].includes(intent.topic ?? "");
    return isTalk ? intent : { ...intent, topic: "create" };
  });
  return { ...read, intents: intents.slice(0, 1), needsNames: false };
}
