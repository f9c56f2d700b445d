import assert from "node:assert/strict";
import { test } from "node:test";
import { createPlainText, listHostileTexts } from "../../../test/support/inputs/hostile-texts.ts";
import {
  measureCpuMs,
  measureLeastCpuMs,
  measureLongestTurnMs,
} from "../../../test/support/time/cpu-time.ts";
import { renderMarkdown } from "../../pages/markdown.ts";
import { renderFeed } from "../../pages/status-page/feed.ts";
import { renderIncidentPage } from "../../pages/status-page/incident.ts";
import type { IncidentView } from "../../pages/status-page/page-view.ts";
import { createPlainLook } from "../../pages/status-page/shell.ts";
import { prepareWords, shortenWords } from "./page-view.ts";

const at = new Date("2026-11-15T12:00:00Z");
const longest = 20_000;

function createIncident(texts: readonly string[]): IncidentView {
  return {
    id: "01890000-0000-7000-8000-000000000000",
    name: "Checkout fails",
    severity: "MAJOR",
    status: "INVESTIGATING",
    services: [],
    updates: texts.map((description, index) => ({
      id: String(index),
      status: "INVESTIGATING",
      description,
      at,
    })),
    startedAt: at,
    resolvedAt: null,
  };
}

/** Each text starts differently, so that none is found in the cache. */
function listUpdates(count: number, seed: string): string[] {
  const hostile = listHostileTexts(longest - 20);
  return Array.from({ length: count }, (_, index) => {
    const text = hostile[index % hostile.length] ?? "";
    return `${seed}${index} ${text}`;
  });
}

const look = createPlainLook("/status/acme/");
const documents: Readonly<Record<string, (views: readonly IncidentView[]) => string>> = {
  incident: ([view]) => renderIncidentPage(look, view as IncidentView, false).text,
  feed: (incidents) => {
    const source = { name: "Acme", description: null, url: "http://a.test/", updatedAt: at };
    return renderFeed({ ...source, incidents, outages: [] }, "rss");
  },
};

for (const [name, render] of Object.entries(documents)) {
  test(`five hundred hostile updates neither block the server nor exceed the document limit: ${name}`, async () => {
    const plain = createPlainText(longest);
    const plainMs = measureLeastCpuMs(
      20,
      (number) => void renderMarkdown(`${name}${number}${plain}`),
    );
    const incidents = Array.from({ length: 10 }, (_, index) =>
      createIncident(listUpdates(50, `${name}${index}`)),
    );
    const whole = createIncident(
      incidents.flatMap(({ updates }) => updates.map((u) => u.description)),
    );
    const views = shortenWords(name === "incident" ? [whole] : incidents);
    const preparingMs = await measureLongestTurnMs(() => prepareWords(views));
    let text = "";
    const renderingMs = measureCpuMs(() => {
      text = render(views);
    });
    assert.ok(text.length > 300_000 && text.length < 5_000_000, `${text.length} characters`);
    const told = `${preparingMs.toFixed(1)} and ${renderingMs.toFixed(1)} ms`;
    assert.ok(Math.max(preparingMs, renderingMs) < 60 * plainMs, `${told}, plain ${plainMs} ms`);
  });
}

test("updates are complete up to the document limit, then shortened to plain text", () => {
  const texts = Array.from({ length: 30 }, () => `**bold** ${"😀".repeat(9_995)}`);
  const [view] = shortenWords([createIncident([...texts, "short **one**"])]);
  const kept = view?.updates.filter(({ isCut }) => !isCut) ?? [];
  assert.equal(kept.length, 21, "twenty complete updates and one short one");
  const cut = view?.updates[20];
  assert.ok(cut?.isCut && cut.description.isWellFormed() && cut.description.endsWith("…"));
  const page = renderIncidentPage(look, view as IncidentView, false).text;
  assert.equal([...page.matchAll(/<strong>bold<\/strong>/g)].length, 20);
  assert.equal([...page.matchAll(/<p>\*\*bold\*\*/g)].length, 10);
});
