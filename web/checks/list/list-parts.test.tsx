/** Rows and filters of the list of checks, without a server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { renderPart } from "../../../test/support/components/part.tsx";
import { CheckRow, type RowProps, splitName } from "./check-row.tsx";
import { Facets } from "./facets.tsx";
import { type CheckOverview, facetsQuery } from "./queries.ts";
import type { Column, ListSearch } from "./search.ts";

const barFrom = "2026-11-15T00:00:00.000Z";

function createCheck(more: Partial<CheckOverview> = {}): CheckOverview {
  return {
    checkId: "c-1",
    name: "db-1",
    target: "192.0.2.1",
    checkType: "ICMP",
    state: "passing",
    since: null,
    reason: null,
    muted: false,
    groupName: null,
    tags: [],
    bar: "p".repeat(48),
    availability: 100,
    hasEnoughData: true,
    p95: 12.3,
    lastRunAt: null,
    ...more,
  } as CheckOverview;
}

const columns: readonly Column[] = [
  "kind",
  "group",
  "tags",
  "bar",
  "availability",
  "p95",
  "lastRun",
];

function Row(props: { readonly check: CheckOverview } & Partial<RowProps>) {
  return (
    <table>
      <tbody>
        <tr>
          <CheckRow
            barFrom={barFrom}
            shown={columns}
            isSelected={false}
            isOpen={false}
            isBeingDeleted={false}
            maySelect
            onSelect={() => {}}
            {...props}
          />
        </tr>
      </tbody>
    </table>
  );
}

test("a row has the state, the name with its target, and a value for each column", () => {
  const check = createCheck({ groupName: "Core", tags: ["db"] });
  const part = renderPart(<Row check={check} />);
  const [cells = []] = part.readRows();
  assert.equal(cells[1], "Passing");
  assert.equal(cells[2], "db-1192.0.2.1");
  assert.deepEqual(cells.slice(3, 6), ["Ping", "Core", "db"]);
  assert.deepEqual(cells.slice(7), ["100 %", "12.3 ms", "never ran"]);
});

test("a problem shows its reason in place of the target, and for how long", async () => {
  const since = new Date(Date.now() - 14 * 60_000).toISOString();
  const reason = "loss 60 % (limit 20 %)";
  const part = renderPart(<Row check={createCheck({ state: "failing", since, reason })} />);
  await part.getByText(reason).waitFor();
  assert.equal(part.getByText("192.0.2.1").count(), 0);
  await part.getByText("14 min").waitFor();
});

test("a name that equals its target is shown once, and a muted check is marked", () => {
  const part = renderPart(<Row check={createCheck({ name: "192.0.2.1", muted: true })} />);
  assert.equal(part.getByText("192.0.2.1").count(), 1);
  assert.equal(part.getByText("Muted").count(), 1);
});

test("the end of a long name stays visible, and its whole name is on hover", async () => {
  const name = `a name of 120 characters ${"x".repeat(83)} in-frankfurt`;
  const part = renderPart(<Row check={createCheck({ name })} />);
  const link = part.getByRole("link", { name, exact: true });
  assert.equal(await link.getAttribute("title"), name);
  assert.equal(await link.textContent(), name);
  assert.equal(part.getByText("in-frankfurt", { exact: true }).count(), 1);
});

test("more than two tags are a number, with their names on hover", async () => {
  const part = renderPart(<Row check={createCheck({ tags: ["a", "b", "c", "d"] })} />);
  assert.equal(await part.getByText("+2").getAttribute("title"), "c, d");
});

test("too little data is not shown as an availability", () => {
  const part = renderPart(<Row check={createCheck({ hasEnoughData: false })} />);
  assert.equal(part.locator('[title^="There are runs only"]').count(), 1);
  assert.equal(part.getByText("100 %").count(), 0);
  part.rerender(
    <Row check={createCheck({ availability: null, hasEnoughData: false, p95: null })} />,
  );
  const [cells = []] = part.readRows();
  assert.deepEqual(cells.slice(7, 9), ["–", "–"]);
});

test("the bar of 24 hours is described, and each stretch has its time", () => {
  const bar = `${"p".repeat(44)}ffd-`;
  const part = renderPart(<Row check={createCheck({ bar })} />);
  const picture = part.getByRole("img", {
    name: "Last 24 hours: failing for 1 h, degraded for 0.5 h, no data for 0.5 h",
  });
  assert.equal(picture.count(), 1);
  const stretches = picture.locator("g").elements();
  assert.deepEqual(
    stretches.map((one) => one.getAttribute("data-state")),
    ["passing", "failing", "degraded", "unknown"],
  );
  const titles = picture.locator("title").allTextContents();
  assert.match(titles[1] ?? "", /^\d\d:00 – \d\d:00: Failing$/);
  assert.match(titles[2] ?? "", /^\d\d:00 – \d\d:30: Degraded$/);
  part.rerender(<Row check={createCheck({ bar: "p".repeat(48) })} />);
  assert.equal(part.getByRole("img", { name: "Last 24 hours: passing for 24 h" }).count(), 1);
});

test("worse states are taller than better ones", () => {
  const part = renderPart(<Row check={createCheck({ bar: "pdf-" })} />);
  const heights = part
    .locator("svg g path")
    .elements()
    .map((path) => Number(/v([\d.]+)h/.exec(path.getAttribute("d") ?? "")?.[1]));
  const [passing = 0, degraded = 0, failing = 0, unknown = 0] = heights;
  assert.ok(unknown < passing && passing < degraded && degraded < failing, heights.join());
});

test("a row is selected, with Shift as a range, unless the user may not", async () => {
  const selected: boolean[] = [];
  const part = renderPart(<Row check={createCheck()} onSelect={(range) => selected.push(range)} />);
  const box = part.getByLabel("Select db-1");
  await box.click();
  await part.keyboard("{Shift>}");
  await box.click();
  await part.keyboard("{/Shift}");
  assert.equal(selected[0], false);
  assert.equal(selected.length, 2);
  part.rerender(<Row check={createCheck()} maySelect={false} />);
  assert.equal(box.count(), 0);
});

test("the open check is marked for screen readers", () => {
  const part = renderPart(<Row check={createCheck()} isOpen />);
  assert.equal(part.locator('[aria-current="page"]').count(), 1);
});

const count = (value: string, amount: number, label: string | null = null) => ({
  value,
  label,
  count: amount,
});

const facets = {
  state: [count("passing", 3), count("failing", 1)],
  checkType: [count("ICMP", 4)],
  tag: Array.from({ length: 9 }, (_, n) => count(`tag-${n}`, 1_000 + n)),
  groupId: [count("1", 2, "Core"), count("none", 2)],
  location: [],
  muted: 0,
};

function renderFacets(search: ListSearch, more: object = {}) {
  const changes: ListSearch[] = [];
  const part = renderPart(<Facets search={search} onChange={(next) => changes.push(next)} />, {
    data: [[facetsQuery(search).queryKey, { ...facets, ...more }]],
  });
  return { part, changes };
}

test("filters have their counts, the worst state first, and only where there is a choice", () => {
  const { part } = renderFacets({});
  const states = part.getByRole("region", { name: "State" }).getByRole("button");
  assert.deepEqual(states.allTextContents(), ["Failing1", "Passing3"]);
  assert.equal(part.getByRole("region", { name: "Kind" }).count(), 0, "all are of one kind");
  assert.equal(part.getByRole("region", { name: "Location" }).count(), 0);
  const groups = part.getByRole("region", { name: "Group" }).getByRole("button");
  assert.deepEqual(groups.allTextContents(), ["Core2", "No group2"]);
  assert.equal(part.getByRole("button", { name: "Clear filters" }).count(), 0);
});

test("a filter is set and removed, and more values are behind a button", async () => {
  const { part, changes } = renderFacets({ tag: ["tag-1"] });
  const tags = part.getByRole("region", { name: "Tag" });
  const chosen = tags.getByRole("button", { name: /^tag-1/ });
  assert.equal(await chosen.getAttribute("aria-pressed"), "true");
  await chosen.click();
  await tags.getByRole("button", { name: /^tag-2/ }).click();
  assert.deepEqual(changes[0]?.tag ?? [], []);
  assert.deepEqual(changes[1]?.tag, ["tag-1", "tag-2"]);
  assert.equal(tags.getByRole("button", { name: /^tag-8/ }).count(), 0);
  await tags.getByRole("button", { name: "2 more" }).click();
  await tags.getByRole("button", { name: /^tag-8/ }).waitFor();
});

test("a chosen value that no check has any more can still be removed", async () => {
  const { part, changes } = renderFacets({ tag: ["gone"] });
  const gone = part.getByRole("button", { name: /^gone/ });
  assert.match(await gone.textContent(), /0$/);
  await gone.click();
  assert.deepEqual(changes[0]?.tag ?? [], []);
  await part.getByRole("button", { name: "Clear filters" }).click();
  assert.deepEqual(changes[1]?.tag ?? [], []);
});

test("muted checks are a filter if there are any", async () => {
  const { part, changes } = renderFacets({}, { muted: 2 });
  await part.getByRole("button", { name: /^Muted/ }).click();
  assert.deepEqual(changes, [{ muted: true }]);
  const { part: none } = renderFacets({});
  assert.equal(none.getByRole("button", { name: /^Muted/ }).count(), 1, "of the first only");
});

test("the end of a long name is split off, and a short name stays whole", () => {
  assert.deepEqual(splitName("Shop"), ["Shop", ""]);
  const name = "production-eu-central-1-storefront-checkout-payment-17";
  assert.deepEqual(splitName(name), [name.slice(0, -12), name.slice(-12)]);
});

test("a surrogate pair or combined character is never split", () => {
  const family = "👨‍👩‍👧";
  const [head, tail] = splitName(family.repeat(20));
  assert.equal(tail, family.repeat(12));
  assert.equal(head, family.repeat(8));
});
