/** Components that every module uses, without a server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { useQuery } from "@tanstack/react-query";
import { Component, type ReactNode, useState } from "react";
import { renderPart, throwReportedBug } from "../../test/support/components/part.tsx";
import { waitUntil } from "../../test/support/time/wait-until.ts";
import { ApiError } from "../api/api-error.ts";
import { CopyButton } from "./buttons.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { ErrorPanel, GonePanel } from "./error-panel.tsx";
import { AddressLink } from "./links.tsx";
import { Markdown } from "./markdown.tsx";
import { PageHeader } from "./page-header.tsx";
import { PreviewFrame } from "./preview-frame.tsx";
import { groupNamesQuery } from "./queries.ts";
import { createKey, useSendKey } from "./send-key.ts";
import { type ShownState, StateMark, stateWords } from "./state-mark.tsx";
import { suggestUrl } from "./suggest-url.ts";
import { TagsField } from "./tags-field.tsx";
import { Ago, DateTime, formatDuration, Lasting } from "./time.tsx";
import { useSettled, useTypedText } from "./use-typed-text.ts";
import { ZoneSelect } from "./zone-select.tsx";

const ignore = () => {};

test("each state has its own shape and its own word", () => {
  const states = Object.keys(stateWords) as ShownState[];
  const part = renderPart(states.map((state) => <StateMark key={state} state={state} />));
  const shapes = part
    .locator("svg")
    .elements()
    .map(({ innerHTML }) => innerHTML);
  assert.equal(new Set(shapes).size, states.length);
  for (const word of Object.values(stateWords)) assert.equal(part.getByText(word).count(), 1);
  assert.equal(new Set(Object.values(stateWords)).size, states.length);
});

class Boundary extends Component<{ readonly children: ReactNode }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    return this.state.hasFailed ? "Something went wrong" : this.props.children;
  }
}

function Breakable() {
  const [isBroken, setBroken] = useState(false);
  if (isBroken) throw new Error("no such state");
  return <button type="button" onClick={() => setBroken(true)} />;
}

test("an error of a component ends the wait that follows it", async () => {
  const part = renderPart(
    <Boundary>
      <Breakable />
    </Boundary>,
  );
  await part.getByRole("button").click();
  const isBug = ({ cause }: { readonly cause?: unknown }) => /no such state/.test(String(cause));
  await assert.rejects(part.getByText("never").waitFor(), isBug);
  await assert.rejects(() => waitUntil("never", () => false), isBug);
  assert.throws(throwReportedBug, isBug);
});

test("the word of a state is a tooltip unless it is visible, and can be replaced", async () => {
  const part = renderPart(<StateMark state="failing" word="Major outage" />);
  assert.equal(await part.locator("[data-state=failing]").getAttribute("title"), "Major outage");
  part.rerender(<StateMark state="failing" word="Major outage" hasWord />);
  assert.equal(await part.locator("[data-state=failing]").getAttribute("title"), null);
  await part.getByText("Major outage", { exact: true }).waitFor();
});

test("durations have their largest unit, rounded down", () => {
  const cases: readonly (readonly [number, string])[] = [
    [-5_000, "under 1 s"],
    [999, "under 1 s"],
    [1_000, "1 s"],
    [59_999, "59 s"],
    [60_000, "1 min"],
    [3_599_999, "59 min"],
    [3_600_000, "1 h"],
    [86_399_999, "23 h"],
    [86_400_000, "1 d"],
    [400 * 86_400_000, "400 d"],
  ];
  for (const [ms, text] of cases) assert.equal(formatDuration(ms), text);
});

test("a time has UTC as its tooltip, and its age is given in words", async () => {
  const minuteAgo = new Date(Date.now() - 61_000).toISOString();
  const part = renderPart(
    <>
      <DateTime at="2026-11-15T12:00:00.000Z" />
      <Ago at={minuteAgo} />
      <Ago at={new Date().toISOString()} />
      <Lasting since={minuteAgo} />
      <Lasting since={new Date().toISOString()} />
    </>,
  );
  const [time, ...relative] = part.locator("time").elements();
  assert.match(time?.title ?? "", /UTC$/);
  assert.match(time?.title ?? "", /2026.*12:00:00/);
  assert.deepEqual(
    relative.map(({ textContent }) => textContent),
    ["1 min ago", "just now", "1 min", "1 s"],
  );
  assert.match(relative[2]?.title ?? "", /^since .*UTC\)$/);
});

test("a destructive action starts at Cancel, and Escape cancels it", async () => {
  const done: string[] = [];
  const part = renderPart(
    <ConfirmDialog
      isOpen
      title="Delete 3 checks?"
      action="Delete 3 checks"
      onConfirm={() => done.push("confirmed")}
      onCancel={() => done.push("cancelled")}
    >
      <p>Their results are deleted.</p>
    </ConfirmDialog>,
  );
  const dialog = part.getByRole("dialog", { name: "Delete 3 checks?" });
  await dialog.getByText("Their results are deleted.").waitFor();
  await waitUntil("Cancel is focused", () => document.activeElement?.textContent === "Cancel");
  await part.keyboard("{Enter}");
  await part.keyboard("{Escape}");
  await dialog.getByRole("button", { name: "Delete 3 checks" }).click();
  assert.deepEqual(done, ["cancelled", "cancelled", "confirmed"]);
});

test("a confirmed action cannot be confirmed again while it runs", async () => {
  const part = renderPart(
    <ConfirmDialog isOpen isBusy title="Leave?" action="Leave" onConfirm={ignore} onCancel={ignore}>
      <p>Text</p>
    </ConfirmDialog>,
  );
  assert.equal(await part.getByRole("button", { name: "Leave" }).isDisabled(), true);
});

function createError(status: number, more: object = {}): ApiError {
  return new ApiError({ kind: "failed", message: "The server failed.", status, ...more });
}

test("an error shows what failed, what to do and the request ID", async () => {
  let retries = 0;
  const part = renderPart(
    <ErrorPanel
      error={createError(500, { requestId: "req-7" })}
      title="The checks could not be loaded"
      onRetry={() => {
        retries += 1;
      }}
    />,
  );
  const alert = part.getByRole("alert");
  await alert.getByRole("heading", { level: 2, name: "The checks could not be loaded" }).waitFor();
  await alert.getByText("The server failed.").waitFor();
  await alert.getByText("Request ID req-7").waitFor();
  await alert.getByRole("button", { name: "Try again" }).click();
  assert.equal(retries, 1);
});

test("the advice depends on the status", () => {
  const part = renderPart(<ErrorPanel error={createError(403)} />);
  assert.match(part.readText(), /Ask an owner to change your role\./);
  part.rerender(<ErrorPanel error={createError(404)} />);
  assert.match(part.readText(), /It may have been deleted/);
  part.rerender(<ErrorPanel error={createError(429, { retryAfterSeconds: 7 })} />);
  assert.match(part.readText(), /Try again in 7 s\./);
  part.rerender(<ErrorPanel error={new TypeError("x is undefined")} isScreen />);
  assert.match(part.readText(), /An unexpected error occurred\. Reload the page\./);
  assert.doesNotMatch(part.readText(), /x is undefined/);
  assert.equal(part.getByRole("heading", { level: 1 }).count(), 1);
});

test("an object that is gone is reported above its form, and other errors are not", () => {
  const part = renderPart(<GonePanel error={createError(404)} />);
  assert.equal(part.getByText("This was deleted").count(), 1);
  part.rerender(<GonePanel error={createError(412)} />);
  assert.equal(part.getByText("This was deleted").count(), 0);
});

test("a text is copied, and the button reports it", async () => {
  const part = renderPart(<CopyButton text="curl -X POST" name="Copy the command" />);
  await part.getByRole("button", { name: "Copy the command" }).click();
  await part.getByRole("button", { name: "Copied" }).waitFor();
  assert.equal(await navigator.clipboard.readText(), "curl -X POST");
});

test("Markdown is rendered as elements, without images, markup and foreign schemes", () => {
  const source = [
    "# Title",
    "A **bold** [link](https://example.com/) and [bad](javascript:alert(1)).",
    "![picture](https://example.com/a.png) <script>alert(1)</script>",
    "- one\n- two",
    "***",
    "    code",
    "mailto:a@example.com https://example.com/b",
  ].join("\n\n");
  const part = renderPart(<Markdown source={source} />);
  assert.equal(part.getByRole("heading", { level: 3, name: "Title" }).count(), 1);
  assert.deepEqual(part.getByRole("listitem").allTextContents(), ["one", "two"]);
  assert.equal(part.locator("img, script").count(), 0);
  const links = part.getByRole("link").elements() as HTMLAnchorElement[];
  assert.deepEqual(
    links.map((link) => link.getAttribute("href")),
    [
      "https://example.com/",
      "https://example.com/a.png",
      "mailto:a@example.com",
      "https://example.com/b",
    ],
  );
  for (const link of links) assert.equal(link.rel, "noopener noreferrer");
  assert.match(part.readText(), /<script>alert\(1\)<\/script>/);
});

test("a link leads within the application, unless a modifier key is pressed", async () => {
  const part = renderPart(<AddressLink href="/checks?tag=a">Checks</AddressLink>);
  const [link] = part.getByRole("link", { name: "Checks" }).elements();
  assert.ok(link);
  const click = (more: object) => {
    const event = new MouseEvent("click", { bubbles: true, cancelable: true, ...more });
    link.dispatchEvent(event);
    return event.defaultPrevented;
  };
  assert.equal(click({}), true);
  assert.equal(click({ ctrlKey: true }), false);
  assert.equal(click({ metaKey: true }), false);
  assert.equal(click({ button: 1 }), false);
});

test("the header of a screen sets the title of the tab, and restores it", () => {
  const part = renderPart(<PageHeader title="Shop" />);
  assert.equal(document.title, "Shop · Vedette");
  part.rerender(<PageHeader title={<b>Shop</b>} tabTitle="Shop of Acme" />);
  assert.equal(document.title, "Shop of Acme · Vedette");
  part.rerender(<p>Nothing</p>);
  assert.equal(document.title, "Vedette");
});

test("names become host name labels", () => {
  const cases = [
    ["Acme Status (EU)", "acme-status-eu"],
    ["Ácme <b>Ünïcode</b>", "acme-b-unicode-b"],
    ["---", ""],
    ["日本", ""],
    [`${"a".repeat(62)} b`, "a".repeat(62)],
  ] as const;
  for (const [name, url] of cases) assert.equal(suggestUrl(name), url);
});

test("the same content has the same idempotency key, and other content another", () => {
  const keys: string[] = [];
  function Sender({ body }: { readonly body: unknown }) {
    const keyOf = useSendKey();
    keys.push(keyOf(body));
    return null;
  }
  const part = renderPart(<Sender body={{ a: 1 }} />);
  part.rerender(<Sender body={{ a: 1 }} />);
  part.rerender(<Sender body={{ a: 2 }} />);
  assert.equal(keys[0], keys[1]);
  assert.notEqual(keys[1], keys.at(-1));
  assert.match(createKey(), /^[0-9a-f]{32}$/);
  assert.notEqual(createKey(), createKey());
});

test("a search is submitted when typing pauses, and an outside change replaces the text", async () => {
  const submitted: string[] = [];
  function Search({ current }: { readonly current: string }) {
    const [text, setText] = useTypedText(current, 20, (next) => submitted.push(next));
    return (
      <input aria-label="Search" value={text} onChange={(event) => setText(event.target.value)} />
    );
  }
  const part = renderPart(<Search current="" />);
  const field = part.getByLabel("Search");
  await field.fill("db ");
  await waitUntil("it is submitted", () => submitted.length > 0);
  assert.deepEqual(submitted, ["db"]);
  part.rerender(<Search current="db" />);
  assert.equal(await field.inputValue(), "db ", "its own change keeps what was typed");
  part.rerender(<Search current="web" />);
  assert.equal(await field.inputValue(), "web");
});

test("a text settles after a pause", async () => {
  function Echo({ text }: { readonly text: string }) {
    return <output>{useSettled(text, 20)}</output>;
  }
  const part = renderPart(<Echo text="a" />);
  part.rerender(<Echo text="ab" />);
  assert.equal(part.readText(), "a");
  await part.getByText("ab").waitFor();
});

test("tags are typed as a list, and suggestions are not requested by a read-only field", async () => {
  function Tags({ isReadOnly }: { readonly isReadOnly: boolean }) {
    const [text, setText] = useState("db");
    return <TagsField label="Tags" value={text} onChange={setText} readOnly={isReadOnly} />;
  }
  const part = renderPart(<Tags isReadOnly={false} />);
  await part.getByRole("textbox", { name: "Tags" }).fill("db, web");
  assert.equal(await part.getByRole("textbox", { name: "Tags" }).inputValue(), "db, web");
  assert.equal(part.getByRole("option").count(), 0);
});

test("a preview has two themes and two screens, and reports that it is loading", async () => {
  const preview = { light: "/light.html", dark: "/dark.html" };
  const part = renderPart(<PreviewFrame title="Preview" preview={preview} isLoading />);
  await part.getByText("Loading the preview").waitFor();
  const listSources = () =>
    part
      .locator("iframe")
      .elements()
      .map((frame) => frame.getAttribute("src"));
  assert.deepEqual(listSources(), ["/light.html"]);
  const frame = part.locator("iframe");
  assert.equal(await frame.getAttribute("sandbox"), "allow-scripts");
  await part.getByRole("button", { name: "Dark" }).click();
  assert.deepEqual(listSources(), ["/dark.html"]);
  assert.equal(
    await part.getByRole("button", { name: "Dark" }).getAttribute("aria-pressed"),
    "true",
  );
  const desktop = part.getByRole("button", { name: "Desktop" });
  assert.equal(await desktop.getAttribute("aria-pressed"), "true");
  await part.getByRole("button", { name: "Phone" }).click();
  assert.equal(await desktop.getAttribute("aria-pressed"), "false");
  assert.match((await frame.getAttribute("style")) ?? "", /width: 390px/);
});

test("the fault of a preview replaces its loading state", async () => {
  const part = renderPart(
    <PreviewFrame title="Preview" preview={null} isLoading fault="Preview out of date" />,
  );
  await part.getByText("Preview out of date").waitFor();
  assert.equal(part.getByText("Loading the preview").count(), 0);
  assert.equal(part.locator("iframe").count(), 0);
});

test("the groups to select from are fetched to the end of the list", async () => {
  const groups = Array.from({ length: 130 }, (_, at) => ({ id: at + 1, name: `Group ${at + 1}` }));
  function Names() {
    const { data = [] } = useQuery({ ...groupNamesQuery, enabled: true });
    return <p>{data.map(({ name }) => name).join(", ")}</p>;
  }
  const part = renderPart(<Names />, {
    respond: ({ path }) => {
      const from = (Number(new URL(path, "http://127.0.0.1").searchParams.get("page")) - 1) * 100;
      const headers = { "content-range": `${from}-${from + 99}/130` };
      return Response.json(groups.slice(from, from + 100), { headers });
    },
  });
  await part.getByText(/Group 100, .*Group 130/).waitFor();
});

test("a time zone is found by typing a part of its name, with the keyboard alone", async () => {
  function Zone() {
    const [zone, setZone] = useState<string | null>("Asia/Calcutta");
    return (
      <>
        <ZoneSelect label="Time zone" value={zone} onChange={setZone} />
        <p>stored: {zone}</p>
      </>
    );
  }
  const part = renderPart(<Zone />);
  const field = part.getByRole("combobox", { name: "Time zone" });
  assert.equal(await field.inputValue(), "Asia/Kolkata", "the current name of the stored zone");
  await field.click();
  await part.getByRole("option").first().waitFor();
  assert.ok(part.getByRole("option").count() > 300, "all zones before anything is typed");
  await field.fill("new york");
  await waitUntil("the zones are filtered", () => part.getByRole("option").count() === 1);
  await part.keyboard("{Enter}");
  await part.getByText("stored: America/New_York").waitFor();
  assert.equal(await field.inputValue(), "America/New_York");
  await field.fill("nowhere");
  await part.getByText("No time zone has this name.").waitFor();
});
