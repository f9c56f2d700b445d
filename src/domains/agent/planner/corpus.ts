import { engineerQuestions } from "./corpus/engineer-questions.ts";
import type { CorpusEntry } from "./corpus/entry.ts";
import { changeQuestions, figureQuestions } from "./corpus/history-questions.ts";
import { managerQuestions } from "./corpus/manager-questions.ts";
import { alertQuestions, incidentQuestions, listQuestions } from "./corpus/people-questions.ts";
import { rankedQuestions } from "./corpus/ranked-questions.ts";
import { statusQuestions } from "./corpus/status-questions.ts";
import {
  actionQuestions,
  configQuestions,
  followUps,
  talkQuestions,
} from "./corpus/talk-questions.ts";
import { tiredQuestions } from "./corpus/tired-questions.ts";

/** Questions with what must be looked up for them and what the answer must say. */
export const corpus: readonly CorpusEntry[] = [
  ...statusQuestions,
  ...figureQuestions,
  ...rankedQuestions,
  ...changeQuestions,
  ...incidentQuestions,
  ...alertQuestions,
  ...listQuestions,
  ...actionQuestions,
  ...talkQuestions,
  ...followUps,
  ...configQuestions,
  ...tiredQuestions,
  ...engineerQuestions,
  ...managerQuestions,
];
