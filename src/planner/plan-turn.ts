import { Answer } from "./answer.ts";
import { learnNames } from "./learn-names.ts";
import { advance, type Plan } from "./plan.ts";
import type { Intent } from "./reading/question.ts";
import { thingNouns } from "./reading/thing-names.ts";
import type { KnownThing } from "./reading/vocabulary.ts";
import type { ToolCall } from "./tools/tool-outcome.ts";
import { topics } from "./topics/index.ts";
import type { Situation } from "./topics/situation.ts";
import { planConfirmation, planUnknown } from "./topics/small-talk.ts";
import { proposedMark } from "./topics/writes/writes.ts";
import { startVocabulary, type TurnInput, understand } from "./turn.ts";
import { quote } from "./wording.ts";

export type TurnStep =
  | {
      readonly kind: "calls";
      readonly calls: readonly ToolCall[];
      /** Text to show before any data is known; `null` on later steps. */
      readonly opening: string | null;
    }
  | { readonly kind: "answer"; readonly text: string };

const maxAnswerLength = 24_000;

/** Returns the next step of an answer: tool calls, or the text. */
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

/** Whether the user confirms a proposal. */
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

/** Mentions resources with the same name, so that the user knows which one was meant. */
function noteNamesakes({ intent, answer }: Situation): void {
  const isShown = ({ kind }: KnownThing) =>
    intent.topic === "status" && (kind === "service" || kind === "group");
  for (const thing of intent.subject.namesakes.filter((one) => !isShown(one))) {
    const noun = thingNouns[thing.kind];
    answer.line(`(${quote(thing.name)} is also the name of ${noun}.)`);
  }
}

/** "at 14:00 CET" is not 14:00 UTC, so the answer explains how it was read. */
function namesOtherZone({ window, message }: Intent): boolean {
  const zones = /\b(?:CES?T|E[SD]T|P[SD]T|M[SD]T|C[SD]T|BST|IST|JST|AE[SD]T)\b|\d[+-]\d\d:\d\d\b/;
  return window !== null && zones.test(message);
}

/** "what was failing yesterday?" asks about changes, not about now. */
function choosePastTopic({ intent, nowMs }: Situation): keyof typeof topics {
  const topic = intent.topic ?? "help";
  const isPast = intent.window !== null && intent.window.fromMs < nowMs;
  return topic === "overview" && isPast ? "changes" : topic;
}

/** While checks are being described every message counts; otherwise only the last one. */
function collectRequests({ agent, turns }: TurnInput): string[] {
  const messages = turns.filter(({ role }) => role === "user").map(({ text }) => text);
  return agent === "basic" ? messages.slice(-1) : messages.slice(-5);
}
