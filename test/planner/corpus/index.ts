import { engineerQuestions } from "./engineer-questions.ts";
import type { CorpusEntry } from "./entry.ts";
import { changeQuestions, figureQuestions } from "./history-questions.ts";
import { managerQuestions } from "./manager-questions.ts";
import {
  alertQuestions,
  incidentQuestions,
  listQuestions,
  onCallQuestions,
} from "./people-questions.ts";
import { rankedQuestions } from "./ranked-questions.ts";
import { statusQuestions } from "./status-questions.ts";
import { actionQuestions, configQuestions, followUps, talkQuestions } from "./talk-questions.ts";
import { tiredQuestions } from "./tired-questions.ts";

/** Questions with what must be looked up for them and what the answer must say. */
export const corpus: readonly CorpusEntry[] = [
  ...statusQuestions,
  ...figureQuestions,
  ...rankedQuestions,
  ...changeQuestions,
  ...incidentQuestions,
  ...alertQuestions,
  ...listQuestions,
  ...onCallQuestions,
  ...actionQuestions,
  ...talkQuestions,
  ...followUps,
  ...configQuestions,
  ...tiredQuestions,
  ...engineerQuestions,
  ...managerQuestions,
];
