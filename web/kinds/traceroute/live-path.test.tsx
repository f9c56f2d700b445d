/** The live path of a check, without a server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type PartOptions, renderPart } from "../../../test/support/components/part.tsx";
import type { CheckNoteProps } from "../kind.ts";
import { LivePath } from "./live-path.tsx";

const check = { id: "c-1", name: "edge" } as CheckNoteProps["check"];

const times = { lastMs: 2, averageMs: 1.5, bestMs: 1, worstMs: 2, standardDeviationMs: 0.5 };
const known = {
  ...{ hop: 1, sent: 3, received: 3, lossPercent: 0, ...times },
  addresses: [{ address: "10.0.0.1", name: "gateway.\u001b[31mexample" }],
};
const none = { lastMs: null, averageMs: null, bestMs: null, worstMs: null };
const silent = {
  ...{ hop: 2, sent: 3, received: 0, lossPercent: 100, addresses: [] },
  ...{ ...none, standardDeviationMs: null },
};

function render(events: readonly object[], options: PartOptions = {}) {
  const text = events.map((event) => `${JSON.stringify(event)}\n`).join("");
  return renderPart(<LivePath check={check} isWaiting={false} />, {
    respond: () => new Response(text),
    ...options,
  });
}

test("hops are shown with their loss and round trips, until the stream ends", async () => {
  const round = { event: "round", round: 7, address: "192.0.2.9", end: "silent" };
  const part = render([{ event: "started" }, { ...round, hops: [known, silent] }]);
  await part.getByRole("button", { name: "Trace live" }).click();
  await part.getByText("7 traces").waitFor();
  const [, first, second] = [0, 1, 2].map((index) => part.getByRole("row").nth(index));
  assert.match((await first?.textContent()) ?? "", /10\.0\.0\.1 gateway\.␛\[31mexample0 %2/);
  assert.match((await second?.textContent()) ?? "", /2no response100 %$/);
  await part.getByRole("button", { name: "Trace live" }).waitFor();
  assert.deepEqual(
    part.sent.map(({ method, path }) => [method, path]),
    [["POST", "/v1/checks/c-1/live-path"]],
  );
});

test("a probe that cannot trace is explained, and readers have no button", async () => {
  const reader = render([], { role: "READ_ONLY" });
  assert.equal(reader.readText(), "");
  const part = render([{ event: "trouble", message: "The probe may not open raw sockets." }]);
  await part.getByRole("button", { name: "Trace live" }).click();
  await part.getByText("The probe may not open raw sockets.").waitFor();
});
