import assert from "node:assert/strict";
import { test } from "node:test";
import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { generateText, isStepCount, jsonSchema, streamText, type ToolSet, tool } from "ai";
import {
  answerCall,
  sampleNow,
  sampleTools,
} from "../../../test/planner/sample-account/tool-answers.ts";
import type { ToolName } from "../../planner/tools/tool-outcome.ts";
import { createPlannerModel, splitText } from "./planner-model.ts";

const sampleToolSet: ToolSet = Object.fromEntries(
  [...sampleTools].map((name) => [
    name,
    tool({
      inputSchema: jsonSchema({ type: "object" }),
      execute: async (input: unknown) =>
        answerCall({ tool: name as ToolName, input: input as Record<string, unknown> }),
    }),
  ]),
);

function ask(prompt: string, agent: "basic" | "check_config_generator" = "basic") {
  const model = createPlannerModel({ agent, now: sampleNow });
  return streamText({ model, prompt, tools: sampleToolSet, stopWhen: isStepCount(8) });
}

test("the AI SDK runs it, including tools", async () => {
  const result = ask("why is edge-router down?");
  let text = "";
  for await (const piece of result.textStream) text += piece;
  assert.match(text, /4 of 10 packets were lost, in a burst: #3 to #6/);
  const steps = await result.steps;
  assert.deepEqual(
    steps.map((step) => step.toolCalls.map((call) => call.toolName)),
    [["list_checks", "list_names"], ["get_status"], ["get_result", "get_result"], []],
  );
  assert.equal(await result.finishReason, "stop");
});

test("it answers without streaming too, with the same text", async () => {
  const model = createPlannerModel({ agent: "basic", now: sampleNow });
  const prompt = "availability of core-db last week";
  const whole = await generateText({
    model,
    prompt,
    tools: sampleToolSet,
    stopWhen: isStepCount(8),
  });
  const streamed = await ask(prompt).text;
  assert.equal(whole.text, streamed);
  assert.match(whole.text, /availability 99\.9 %/);
});

test("the first piece names what is looked up, before any tool has run", async () => {
  const model = createPlannerModel({ agent: "basic", now: sampleNow });
  const prompt: LanguageModelV4Prompt = [
    { role: "user", content: [{ type: "text", text: "what is failing?" }] },
  ];
  const tools = [...sampleTools].map((name) => ({
    type: "function" as const,
    name,
    inputSchema: { type: "object" as const },
  }));
  const { stream } = await model.doStream({ prompt, tools });
  const parts = await Array.fromAsync(stream);
  assert.deepEqual(
    parts.map(({ type }) => type),
    ["stream-start", "text-start", "text-delta", "text-delta", "text-end", "tool-call", "finish"],
  );
  const text = parts.map((part) => (part.type === "text-delta" ? part.delta : "")).join("");
  assert.equal(text, "Looking at the status of the checks…");
});

test("small pieces add up to the text", () => {
  const text = "One two  three\nfour five six seven — eight 😀 nine.";
  const pieces = splitText(text);
  assert.equal(pieces.join(""), text);
  assert.ok(pieces.length >= 3);
  assert.ok(pieces.every((piece) => piece.trim().split(/\s+/).length <= 4));
});

test("a disconnected reader stops it", async () => {
  const controller = new AbortController();
  const model = createPlannerModel({ agent: "basic", now: sampleNow });
  const prompt: LanguageModelV4Prompt = [
    { role: "user", content: [{ type: "text", text: "help" }] },
  ];
  const { stream } = await model.doStream({ prompt, abortSignal: controller.signal });
  const reader = stream.getReader();
  await reader.read();
  controller.abort(new Error("gone"));
  await assert.rejects(async () => {
    for (let next = await reader.read(); !next.done; next = await reader.read());
  }, /gone/);
  await assert.rejects(
    async () => model.doStream({ prompt, abortSignal: controller.signal }),
    /gone/,
  );
});

test("without tools it reports that it cannot answer", async () => {
  const model = createPlannerModel({ agent: "basic", now: sampleNow });
  const { text } = await generateText({ model, prompt: "what is failing?" });
  assert.equal(text, "I could not use get_status: `it is not available here`");
});

test("a tool that fails, is denied or returns invalid data is reported, and the rest is answered", async () => {
  const outputs = [
    { type: "error-text" as const, value: "boom [x](y)" },
    { type: "error-json" as const, value: { error: "invalid", message: "from must be a date" } },
    { type: "execution-denied" as const, reason: "not today" },
    { type: "json" as const, value: { data: { error: "forbidden", message: "No." }, sources: [] } },
    { type: "json" as const, value: 7 },
    { type: "text" as const, value: "<html>" },
    { type: "content" as const, value: [{ type: "text" as const, text: "[]" }] },
  ];
  const model = createPlannerModel({ agent: "basic", now: sampleNow });
  const answers = await Promise.all(
    outputs.map(async (output) => {
      const call = { toolCallId: "1", toolName: "get_status" };
      const { content } = await model.doGenerate({
        prompt: [
          { role: "user", content: [{ type: "text", text: "what is failing?" }] },
          { role: "assistant", content: [{ type: "tool-call", ...call, input: {} }] },
          { role: "tool", content: [{ type: "tool-result", ...call, output }] },
        ],
        tools: [{ type: "function", name: "get_status", inputSchema: { type: "object" } }],
      });
      return content.map((part) => (part.type === "text" ? part.text : part.type)).join();
    }),
  );
  assert.deepEqual(answers, [
    "I could not use get_status: `boom [x](y)`",
    "I could not use get_status: `from must be a date`",
    "I could not use get_status: `not today`",
    "I could not use get_status: `No.`",
    "I could not use get_status: `its answer could not be read`",
    "I could not use get_status: `its answer could not be read`",
    "I could not use get_status: `its answer could not be read`",
  ]);
});
