import { publicLocations } from "../../../locations/index.ts";
import { listThings } from "../learn-names.ts";
import { readConversation, type Turn } from "../reading/conversation.ts";
import type { Intent } from "../reading/question.ts";
import type { Vocabulary } from "../reading/vocabulary.ts";
import { toBrief, worldChecks, worldNow } from "./world-checks.ts";
import { worldIncidents } from "./world-events.ts";
import { worldNames } from "./world-things.ts";

/** Everything that has a name in the world. */
export const worldVocabulary: Vocabulary = {
  checks: worldChecks.map(toBrief),
  isPartial: false,
  places: Object.entries(publicLocations).map(([region, name]) => ({ region, name })),
  incidents: worldIncidents,
  things: listThings(worldNames),
};

/** What the last of the questions is understood as, when all names are known. */
export function understandInWorld(questions: readonly string[]): readonly Intent[] {
  const turns = questions.map((text): Turn => ({ role: "user", text }));
  return readConversation(turns, worldNow.getTime(), worldVocabulary).intents;
}
