import assert from "node:assert/strict";
import { test } from "node:test";
import { listFrequencies, readFrequency, writeFrequency } from "./frequency.ts";

type Kind = Parameters<typeof writeFrequency>[1];
const kind = { defaults: { frequency: 10 } } as unknown as Kind;
const intervalSeconds = [10, 60, 120, 3_600, 86_400];

test("every frequency of the list is converted to the API's fields and back", () => {
  for (const { value, label } of listFrequencies(intervalSeconds)) {
    assert.equal(writeFrequency(readFrequency(value), kind), value, label);
  }
});

test("below a minute, the frequency is zero and the offset is the interval in seconds", () => {
  assert.deepEqual(readFrequency("20"), { frequency: 0, frequencyOffset: 20 });
  assert.deepEqual(readFrequency("60"), { frequency: 1, frequencyOffset: undefined });
  assert.deepEqual(readFrequency("300"), { frequency: 5, frequencyOffset: undefined });
  assert.equal(writeFrequency({ frequency: 0 }, kind), "30");
  assert.equal(writeFrequency({}, kind), "600", "the default of the API");
});

test("the labels read as intervals", () => {
  const labels = listFrequencies(intervalSeconds).map(({ label }) => label);
  const expected = ["10 seconds", "minute", "2 minutes", "hour", "24 hours"];
  assert.deepEqual(
    labels,
    expected.map((words) => `Every ${words}`),
  );
});
