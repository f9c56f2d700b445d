/** The command palette with loaded data, without a server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Part,
  type PartOptions,
  rejectRequest,
  renderPart,
} from "../../test/support/components/part.tsx";
import { overviewQuery } from "../now/index.ts";
import { peopleQuery, policiesQuery } from "../on-call/index.ts";
import { Notices } from "../parts/notices.tsx";
import { groupNamesQuery } from "../parts/queries.ts";
import { Palette, ShortcutList } from "./palette.tsx";
import { openIncidentsQuery, searchQuery, windowsQuery } from "./queries.ts";
import { words } from "./words.ts";

const problem = {
  checkId: "c-1",
  name: "db-1",
  alert: { alertId: "a-1", acknowledgedAt: null },
};

interface Opened {
  readonly part: Part;
  readonly closed: () => number;
  readonly shortcuts: () => number;
}

function open(role: "OWNER" | "READ_ONLY" | "READ_RUN" = "OWNER", early = ""): Opened {
  let [closed, shortcuts] = [0, 0];
  const part = renderPart(
    <Palette
      takeEarlyText={() => early}
      onClose={() => {
        closed += 1;
      }}
      onShortcuts={() => {
        shortcuts += 1;
      }}
    />,
    {
      role,
      data: [
        [overviewQuery.queryKey, { checks: [problem] }],
        [groupNamesQuery.queryKey, [{ id: 3, name: "Core" }]],
        [
          openIncidentsQuery.queryKey,
          { entries: [{ id: "i-1", name: "Cable cut", services: [] }] },
        ],
      ],
    },
  );
  return { part, closed: () => closed, shortcuts: () => shortcuts };
}

const field = (part: Part) => part.getByRole("combobox", { name: words.field });
const list = (part: Part) => part.getByRole("listbox", { name: words.results });
const options = (part: Part) => list(part).getByRole("option").allTextContents();
const chosen = (part: Part) => part.locator('[aria-selected="true"]').allTextContents();

test("an empty field offers screens and actions, and no objects", () => {
  const { part } = open();
  const shown = options(part);
  assert.ok(shown.includes("Nowg n") && shown.includes("New checkc"), shown.join());
  assert.equal(
    shown.some((one) => /Core|Cable cut/.test(one)),
    false,
  );
});

test("typing finds groups and incidents by name, and the docs last", async () => {
  const { part } = open();
  await field(part).fill("co");
  assert.equal(options(part)[0], "Core");
  await field(part).fill("cable");
  const shown = options(part);
  assert.equal(shown[0], "Cable cut");
  assert.equal(shown.at(-1), words.searchDocs("cable"));
});

test("the selection moves with the keys and wraps around, and typing resets it", async () => {
  const { part } = open();
  await field(part).fill("theme");
  const all = options(part);
  assert.deepEqual(chosen(part), all.slice(0, 1));
  await field(part).press("{ArrowUp}");
  assert.deepEqual(chosen(part), all.slice(-1));
  await part.keyboard("{ArrowDown}{ArrowDown}");
  assert.deepEqual(chosen(part), all.slice(1, 2));
  const active = await field(part).getAttribute("aria-activedescendant");
  assert.equal(document.getElementById(active ?? "")?.textContent, all[1]);
  await part.keyboard("{End}");
  assert.deepEqual(chosen(part), all.slice(-1));
  await field(part).fill("them");
  assert.deepEqual(chosen(part), options(part).slice(0, 1));
});

test("a command runs once, and closes the palette", async () => {
  const { part, closed, shortcuts } = open();
  await field(part).fill("keyboard");
  await part.getByRole("option", { name: new RegExp(`^${words.shortcuts}`) }).click();
  assert.deepEqual([closed(), shortcuts()], [1, 1]);
});

test("text that was typed before the palette had loaded is not lost", async () => {
  const { part } = open("OWNER", "theme: dark");
  assert.equal(await field(part).inputValue(), "theme: dark");
  assert.equal(options(part)[0], words.theme.dark);
});

test("the alerts of failing checks are opened by all, and acknowledged by those who may", async () => {
  const readOffers = (role: "READ_ONLY" | "READ_RUN") => {
    const { part } = open(role);
    const shown = options(part);
    part.rerender(<p />);
    return shown;
  };
  const reader = readOffers("READ_ONLY");
  assert.ok(reader.includes(words.story("db-1")));
  assert.equal(reader.includes(words.acknowledge("db-1")), false);
  assert.equal(
    reader.some((one) => one.startsWith(words.make.check)),
    false,
  );
  assert.ok(readOffers("READ_RUN").includes(words.acknowledge("db-1")));
});

test("the number of results is announced", async () => {
  const { part } = open();
  await field(part).fill("sign out");
  const status = part.getByRole("status");
  assert.match(status.allTextContents().join(), /^\d+ results?$/);
});

test("the list of shortcuts names each key once", () => {
  const part = renderPart(<ShortcutList onClose={() => {}} />);
  const keys = part.locator("dt").allTextContents();
  assert.equal(new Set(keys).size, keys.length);
  assert.deepEqual(
    keys,
    words.keys.map(([key]) => key),
  );
});

const shownCheck = "01999999-0000-7000-8000-000000000007";

/** Opens the palette over the screen of a check. */
function openOverCheck(respond: NonNullable<PartOptions["respond"]>) {
  const ignore = () => {};
  return renderPart(
    <>
      <Palette takeEarlyText={() => ""} onClose={ignore} onShortcuts={ignore} />
      <Notices />
    </>,
    { respond, path: `/checks/${shownCheck}`, data: [[overviewQuery.queryKey, { checks: [] }]] },
  );
}

test("unmuting the check on the screen also ends its mutes", async () => {
  const part = openOverCheck(({ path }) =>
    Response.json(path === "/v1/mutes" ? { mutes: [] } : { checks: [] }),
  );
  await part.getByRole("option", { name: words.unmute, exact: true }).click();
  await part.getByText(words.unmuted).waitFor();
  assert.deepEqual(
    part.sent.map(({ method, path, body }) => [method, path, body]),
    [
      ["POST", "/v1/checks/bulk", { ids: [shownCheck], action: "unmute" }],
      ["PUT", "/v1/mutes", { mutedUntil: null, targets: [{ type: "CHECK", checkId: shownCheck }] }],
    ],
  );
  await part.getByRole("button", { name: "Dismiss" }).click();
});

test("a check that cannot be muted stays as it is, with the reason", async () => {
  const part = openOverCheck(() => rejectRequest(403, "Your role does not allow this."));
  await part.getByRole("option", { name: words.mute, exact: true }).click();
  await part.getByText(words.failed("Your role does not allow this.")).waitFor();
  assert.equal(part.sent.length, 1);
  await part.getByRole("button", { name: "Dismiss" }).click();
});

test("a named check is run and muted, and policies, windows and members are found", async () => {
  const check = { checkId: shownCheck, name: "Shop 01", target: "shop.test" };
  const empty = [overviewQuery.queryKey, { checks: [] }] as const;
  const found = (text: string) => [searchQuery(text).queryKey, { entries: [check] }] as const;
  const part = renderPart(
    <>
      <Palette takeEarlyText={() => "mute shop"} onClose={() => {}} onShortcuts={() => {}} />
      <Notices />
    </>,
    {
      respond: ({ method }) =>
        method === "GET" ? rejectRequest(404, "None.") : Response.json({ checks: [] }),
      data: [empty, found("shop")],
    },
  );
  const mute = part.getByRole("option", { name: words.doOn.mute("Shop 01"), exact: true });
  await mute.waitFor();
  assert.deepEqual(chosen(part), [words.doOn.mute("Shop 01")], "Enter does what was typed");
  await mute.click();
  await part.getByText(words.didOn.mute("Shop 01")).waitFor();
  const [write] = part.sent.filter(({ method }) => method === "POST");
  assert.deepEqual(write?.body, { ids: [shownCheck], action: "mute" });
  await part.getByRole("button", { name: "Dismiss" }).click();
  const other = renderPart(
    <Palette takeEarlyText={() => "night"} onClose={() => {}} onShortcuts={() => {}} />,
    {
      data: [
        empty,
        found("night"),
        [policiesQuery.queryKey, [{ id: "p-1", name: "Night policy" }]],
        [windowsQuery.queryKey, [{ id: 4, name: "Patch night" }]],
        [peopleQuery.queryKey, [{ userId: "u-1", name: "Nightingale" }]],
      ],
    },
  );
  await other.getByRole("option", { name: "Night policy" }).waitFor();
  const shown = options(other);
  for (const name of ["Patch night", "Nightingale", words.doOn.run("Shop 01")]) {
    assert.ok(shown.includes(name), shown.join());
  }
});
