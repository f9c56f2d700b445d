/** Which checks of a long list are selected, and which of its pages are loaded. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { renderPart } from "../../../test/support/components/part.tsx";
import { propertyRuns } from "../../../test/support/properties.ts";
import { pageQuery, pageSize } from "./queries.ts";
import {
  findPlace,
  type ListRows,
  rememberPlace,
  type Selection,
  useListRows,
  useSelection,
} from "./use-list.ts";

const ids = Array.from({ length: 12 }, (_, index) => `c${index}`);
const idsBetween = (from: number, to: number) => ids.slice(from, to + 1);

/** Renders a hook; `read` returns what it returned last. */
function renderSelection() {
  let current: Selection | null = null;
  function Shown() {
    current = useSelection();
    return <output>{`${current.isAll} ${[...current.ids].sort().join()}`}</output>;
  }
  const part = renderPart(<Shown />);
  const read = (): Selection => {
    assert.ok(current);
    return current;
  };
  const act = async (change: (selection: Selection) => void) => {
    change(read());
    await new Promise((resolve) => setImmediate(resolve));
    part.rerender(<Shown />);
  };
  return { read, act };
}

const selected = (selection: Selection) => ids.filter((id) => selection.has(id));

test("a range is selected from the last row that was toggled, in both directions", async () => {
  const { read, act } = renderSelection();
  await act((selection) => selection.toggle("c5", 5));
  await act((selection) => selection.extend(7, idsBetween));
  assert.deepEqual(selected(read()), ["c5", "c6", "c7"]);
  await act((selection) => selection.extend(4, idsBetween));
  assert.deepEqual(selected(read()), ["c4", "c5", "c6", "c7"], "from the end of the last range");
});

test("a row that is toggled after everything was selected deselects everything", async () => {
  const { read, act } = renderSelection();
  await act((selection) => selection.toggle("c1", 1));
  await act((selection) => selection.chooseAll());
  assert.deepEqual(selected(read()), ids, "also those that are not loaded");
  await act((selection) => selection.toggle("c1", 1));
  assert.deepEqual([read().isAll, selected(read())], [false, []]);
});

test("any sequence of clicks selects what simple rules predict", async () => {
  const places = fc.nat(ids.length - 1);
  const click = fc.oneof(
    places.map((at) => ["toggle", at] as const),
    places.map((at) => ["extend", at] as const),
    fc.constant(["all", 0] as const),
    fc.constant(["clear", 0] as const),
    places.map((at) => ["choose", at] as const),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(click, { maxLength: 8 }), async (clicks) => {
      const { read, act } = renderSelection();
      let chosen = new Set<string>();
      let isAll = false;
      let last = 0;
      for (const [what, at] of clicks) {
        const id = ids[at] ?? "";
        if (what === "toggle") {
          await act((selection) => selection.toggle(id, at));
          const rest = chosen.has(id) ? [...chosen].filter((one) => one !== id) : [...chosen, id];
          chosen = new Set(isAll ? [] : rest);
          [isAll, last] = [false, at];
        } else if (what === "extend") {
          await act((selection) => selection.extend(at, idsBetween));
          const between = ids.slice(Math.min(last, at), Math.max(last, at) + 1);
          chosen = new Set([...chosen, ...between]);
          [isAll, last] = [false, at];
        } else if (what === "all") {
          await act((selection) => selection.chooseAll());
          isAll = true;
        } else {
          const list = what === "choose" ? [id] : [];
          await act((selection) => (list.length > 0 ? selection.choose(list) : selection.clear()));
          chosen = new Set(list);
          [isAll, last] = [false, 0];
        }
        assert.equal(read().isAll, isAll);
        assert.deepEqual(new Set(read().ids), chosen);
      }
    }),
    { numRuns: Math.ceil(propertyRuns / 10) },
  );
});

const entries = (page: number, count = pageSize) =>
  Array.from({ length: count }, (_, index) => ({ checkId: `p${page}-${index}` }));

function renderRows(pages: readonly number[]) {
  let current: ListRows | null = null;
  function Shown() {
    current = useListRows({});
    return null;
  }
  const part = renderPart(<Shown />, {
    data: pages.map((page) => [
      pageQuery({}, page).queryKey,
      { total: 3 * pageSize, entries: entries(page), barFrom: "2026-11-19" },
    ]),
  });
  const read = (): ListRows => {
    assert.ok(current);
    return current;
  };
  const show = async (first: number, last: number) => {
    read().show(first, last);
    await new Promise((resolve) => setImmediate(resolve));
    part.rerender(<Shown />);
  };
  return { read, show };
}

test("rows are found by their place in the whole list, across pages", async () => {
  const { read, show } = renderRows([1, 2]);
  assert.equal(read().total, 3 * pageSize);
  assert.equal(read().at(0)?.checkId, "p1-0");
  assert.equal(read().at(pageSize), undefined, "its page is not visible yet");
  await show(pageSize - 1, pageSize + 1);
  assert.equal(read().at(pageSize)?.checkId, "p2-0");
  assert.equal(read().at(pageSize - 1)?.checkId, `p1-${pageSize - 1}`);
  assert.equal(read().indexOf("p2-3"), pageSize + 3);
  assert.equal(read().indexOf("gone"), -1);
  assert.equal(read().loaded.length, 2 * pageSize);
});

test("the total is known while another page loads", async () => {
  const { read, show } = renderRows([1]);
  await show(0, pageSize);
  assert.equal(read().total, 3 * pageSize);
  assert.deepEqual([read().at(pageSize), read().error], [undefined, null]);
});

test("the place of a check is remembered, and an unknown one has none", () => {
  rememberPlace("c1", 4_711);
  assert.equal(findPlace("c1"), 4_711);
  assert.equal(findPlace("other"), -1);
});
