import { plannerSetting } from "../../src/agent/models/planner-model.ts";
import { listThings, toKnownCheck } from "../../src/planner/plan-turn.ts";
import { readConversation, type Turn } from "../../src/planner/reading/conversation.ts";
import type { Intent } from "../../src/planner/reading/question.ts";
import type { Vocabulary } from "../../src/planner/reading/vocabulary.ts";
import { sampleChecks, sampleNow, toBrief } from "./sample-account/checks.ts";
import { sampleNames } from "./sample-account/directory.ts";
import { sampleIncidents } from "./sample-account/events.ts";

/** Everything that has a name in the sample account. */
export const sampleVocabulary: Vocabulary = {
  checks: sampleChecks.map((check) => toKnownCheck(toBrief(check))),
  isPartial: false,
  places: plannerSetting.publicPlaces,
  incidents: sampleIncidents,
  things: listThings(sampleNames),
};

/** What the last of the questions is understood as, when all names are known. */
export function understandAll(questions: readonly string[]): readonly Intent[] {
  const turns = questions.map((text): Turn => ({ role: "user", text }));
  return readConversation(turns, sampleNow.getTime(), sampleVocabulary).intents;
}
