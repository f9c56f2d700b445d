/** A run of unsaved settings, whose events the test writes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { rejectRequest, renderPart } from "../../../test/support/components/part.tsx";
import { readCheckKinds } from "../../../test/support/modules/check-kinds.ts";
import type { TrialResult } from "../../api/try-check.ts";
import type { AnyValues, CheckKind } from "../../kinds/form-values.ts";
import { locationsQuery, privateNamesQuery } from "../../locations/index.ts";
import { TryPanel } from "./try-panel.tsx";
import type { CheckEditor } from "./use-check-editor.ts";
import { words } from "./words.ts";

const kind: CheckKind = readCheckKinds().find(({ type }: CheckKind) => type === "TCP");

const places = [
  { region: "us-east-1", name: "N. Virginia", servedBy: "nobody", probes: [] },
  { region: "home", name: "Home", servedBy: "own-probe", probes: [{ isBuiltIn: false }] },
];

/** A response that the test writes event by event. */
function createRun() {
  let controller: ReadableStreamDefaultController<Uint8Array>;
  const body = new ReadableStream<Uint8Array>({
    start: (own) => {
      controller = own;
    },
  });
  return {
    response: new Response(body),
    write: (event: object) =>
      controller.enqueue(new TextEncoder().encode(`${JSON.stringify(event)}\n`)),
    end: () => controller.close(),
  };
}

type Run = ReturnType<typeof createRun>;

function renderPanel(runs: readonly (Run | Response)[], values: object = {}) {
  const left = [...runs];
  const refused: unknown[] = [];
  const editor = {
    values: { ...kind.defaults, name: "db", ...values } as AnyValues,
    kind,
    refuse: (error: unknown) => refused.push(error),
  } as unknown as CheckEditor;
  const part = renderPart(
    <TryPanel
      editor={editor}
      own={{ assertionSources: { RESPONSE_TIME: "the response time" } } as never}
      checkId={null}
    />,
    {
      data: [
        [locationsQuery.queryKey, places],
        [privateNamesQuery.queryKey, []],
      ],
      respond: () => {
        const next = left.shift();
        if (next === undefined) throw new TypeError("no further run");
        return next instanceof Response ? next : next.response;
      },
    },
  );
  return { part, refused, run: (name: string) => part.getByRole("button", { name }).click() };
}

const result = (more: Partial<TrialResult> = {}) => ({
  event: "result",
  checkType: "TCP",
  probeId: "p-1",
  verdict: "failing",
  explanation: "",
  reasons: [],
  assertions: [],
  responseTime: null,
  runLocation: "home",
  ...more,
});

const assertion = (target: string) => ({
  source: "RESPONSE_TIME",
  property: "",
  comparison: "LESS_THAN",
  target,
});

test("a run without a name is sent with one, because the API requires it", async () => {
  const run = createRun();
  const { part, run: press } = renderPanel([run], { name: "" });
  await press(words.tryIt);
  await part.getByRole("button", { name: words.stop }).waitFor();
  const body = part.sent[0]?.body as Record<string, unknown>;
  assert.equal(body.name, words.tryIt);
  for (const name of kind.readOnlyFields) assert.equal(name in body, false, name);
});

test("a run shows where it takes place until its result arrives", async () => {
  const run = createRun();
  const { part, run: press } = renderPanel([run]);
  await press(words.tryIt);
  await part.getByText(words.waiting).waitFor();
  run.write({ event: "ordered", location: "home", target: "db:5432" });
  run.write({ event: "started", probeId: "p-1" });
  await part.getByText(words.runningFrom("Home")).waitFor();
  run.write(result({ verdict: "passing", explanation: "It passed.", responseTime: 12.3 }));
  await part.getByText("It passed.").waitFor();
  await part.getByText("12.3 ms").waitFor();
  assert.equal(part.getByText(words.runningFrom("Home")).count(), 0);
});

test("failed assertions are counted and listed with the value that was found", async () => {
  const run = createRun();
  const { part, run: press } = renderPanel([run]);
  await press(words.tryIt);
  run.write(
    result({
      explanation: "An assertion failed.",
      reasons: [
        { name: "assertion-failed", sentence: "the response time is not less than 5" },
        { name: "slow", sentence: "the response was slow" },
      ],
      assertions: [
        { assertion: assertion("5"), passed: false, actual: 12 },
        { assertion: assertion("6"), passed: false, actual: "" },
        { assertion: assertion("100"), passed: true, actual: 12 },
        { assertion: assertion("7"), passed: null },
      ],
    }),
  );
  await part.getByText(words.assertionsFailed(2, 4)).waitFor();
  await part.getByText("The response was slow.").waitFor();
  assert.equal(part.getByText("An assertion failed.").count(), 0, "the list says it better");
  const listed = part.locator("ul[aria-label] li").allTextContents();
  assert.equal(listed.length, 4);
  assert.match(listed[0] ?? "", /less than 5: .*12/);
  assert.match(listed[1] ?? "", /nothing/);
  assert.doesNotMatch(listed[2] ?? "", /12/);
});

test("a reason that the explanation contains is not repeated", async () => {
  const run = createRun();
  const { part, run: press } = renderPanel([run]);
  await press(words.tryIt);
  run.write(
    result({
      explanation: "The connection was refused.",
      reasons: [
        { name: "refused", sentence: "the connection was refused." },
        { name: "slow", sentence: "it took 9 s" },
      ],
    }),
  );
  await part.getByText("It took 9 s.").waitFor();
  assert.equal(part.getByText(/connection was refused/i).count(), 1);
});

test("a run that the server ends late is reported as such", async () => {
  const run = createRun();
  const { part, run: press } = renderPanel([run]);
  await press(words.tryIt);
  run.write({ event: "end", reason: "timed-out" });
  run.end();
  await part.getByText(words.timedOut).waitFor();
  await part.getByRole("button", { name: words.tryAgain }).waitFor();
});

test("settings that the server rejects are reported at their fields", async () => {
  const { part, refused, run: press } = renderPanel([rejectRequest(400, "The host is missing.")]);
  await press(words.tryIt);
  await part.getByText(words.tryHint).waitFor();
  assert.match(String(refused[0]), /The host is missing/);
});

test("a stopped run does not stop the next one", async () => {
  const [first, second] = [createRun(), createRun()];
  const { part, run: press } = renderPanel([first, second]);
  await press(words.tryIt);
  first.write({ event: "started", probeId: "p-1" });
  await part.getByText(/^Running/).waitFor();
  const stop = await part.getByRole("button", { name: words.stop }).element();
  stop.click();
  const again = await part.getByRole("button", { name: words.tryAgain }).element();
  again.click();
  first.end();
  await part.getByText(words.waiting).waitFor();
  second.write(result({ explanation: "It failed." }));
  await part.getByText("It failed.").waitFor();
  await part.getByRole("button", { name: words.stop }).waitFor();
});
